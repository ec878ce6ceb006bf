// Whatever the bytes are: no crash, and what comes out is a history by the rules.

import HeddleCore
import HeddleImport
import Testing

/// What must be true of every history, whatever it was read from; empty when it is.
func violations(in history: ImportedHistory) -> [String] {
  var found: [String] = []
  var open: TurnID?
  var seen: Set<TurnID> = []
  var revision: UInt64 = 0
  for (index, event) in history.events.enumerated() {
    if event.sequence != UInt64(index) + 1 { found.append("event \(index + 1) has number \(event.sequence)") }
    switch event.kind {
    case .threadCreated: if index != 0 { found.append("a second beginning") }
    case .turnStarted(let started):
      if open != nil { found.append("a turn starts inside of another") }
      if !seen.insert(started.turn).inserted { found.append("turn \(started.turn) starts twice") }
      if started.ordinal != UInt64(seen.count) { found.append("turn \(seen.count) has ordinal \(started.ordinal)") }
      open = started.turn
    case .turnEnded(let ended):
      if open != ended.turn { found.append("a turn ends that is not open") }
      open = nil
      if event.turn != ended.turn { found.append("the end of a turn is outside of it") }
      continue
    case .settingsUpdated(let updated):
      revision += 1
      if updated.revision != revision { found.append("revision \(updated.revision) instead of \(revision)") }
      if updated.settings?.model.isEmpty ?? true { found.append("settings without a model") }
    case .turnsRolledBack(let rolledBack):
      if rolledBack.lastOrdinal > UInt64(seen.count) || rolledBack.firstOrdinal < 1
        || rolledBack.lastOrdinal &- rolledBack.firstOrdinal &+ 1 != UInt64(rolledBack.count)
      {
        found.append("turns are rolled back that do not exist")
      }
    default: break
    }
    if event.turn != open { found.append("event \(index + 1) is not in the turn that is open") }
  }
  if open != nil { found.append("a turn never ends") }
  guard case .threadCreated = history.events.first?.kind else { return found + ["no beginning"] }
  if history.version == .unspecified { found.append("no version") }
  return found + foldViolations(in: history)
}

/// The record that a server makes of the events agrees with what the reader says about them.
private func foldViolations(in history: ImportedHistory) -> [String] {
  var record = ThreadRecord()
  for event in history.events { record.apply(event) }
  var found: [String] = []
  if record.settings != history.settings { found.append("the record has other settings") }
  if record.turnCount != UInt64(history.turnCount) { found.append("the record has \(record.turnCount) turns") }
  if record.createdAt != history.createdAt { found.append("the record has another time of creation") }
  if record.updatedAt > history.updatedAt { found.append("an event is newer than the newest line") }
  if record.running != nil { found.append("a turn still runs") }
  let pinned: MultiAgentVersion = history.versionSource == .stored ? history.version : .unspecified
  if record.version != pinned { found.append("the record is pinned to \(record.version)") }
  return found
}

/// SplitMix64.
private struct Chance: RandomNumberGenerator {
  var generator: IDGenerator
  init(seed: UInt64) { generator = IDGenerator(seed: seed) }
  mutating func next() -> UInt64 { generator.random() }
}

// Without optimisation reading is some 12 times slower; 2,000 changes in all are enough there, optimised it is 2,000 for
// each sample.
#if DEBUG
  private let changes = 160
#else
  private let changes = 2_000
#endif

@Suite struct RobustnessTests {
  @Test("I2: a sample that is cut anywhere gives a history by the rules or a clear error", arguments: Samples.names)
  func cut(name: String) throws {
    let bytes = try Samples.bytes(name)
    for step in 0..<400 {
      let length = bytes.count * step / 400
      check(Array(bytes[..<length]), "cut at \(length)")
    }
  }

  @Test("I2: a sample with any byte changed gives a history by the rules or a clear error", arguments: Samples.names)
  func changed(name: String) throws {
    let original = try Samples.bytes(name)
    var chance = Chance(seed: UInt64(original.count))
    for _ in 0..<changes {
      var bytes = original
      let position = Int.random(in: bytes.indices, using: &chance)
      let byte = UInt8.random(in: .min ... .max, using: &chance)
      bytes[position] = byte
      check(bytes, "byte \(position) is \(byte)")
    }
  }

  @Test("I2: lines in any order, doubled and missing, give a history by the rules", arguments: Samples.names)
  func shuffled(name: String) throws {
    let lines = try Samples.bytes(name).split(separator: UInt8(ascii: "\n"))
    var chance = Chance(seed: UInt64(lines.count))
    for round in 0..<changes / 8 {
      var mixed = lines[..<1]
      for _ in 0..<lines.count { mixed.append(lines.randomElement(using: &chance) ?? []) }
      check(Array(mixed.joined(separator: [UInt8(ascii: "\n")])), "round \(round)")
    }
  }

  private func check(_ bytes: [UInt8], _ change: String) {
    do throws(RolloutError) {
      let found = violations(in: try RolloutReader.read(bytes))
      #expect(found.isEmpty, "\(change)")
    } catch {
      #expect(!error.description.isEmpty, "\(change)")
    }
  }
}
