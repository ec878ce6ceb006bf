// No bytes end the process, and each result is a history by the rules.

import HeddleCore
import HeddleFuzzing
import HeddleImport
import Testing

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
      let found = historyViolations(in: try RolloutReader.read(bytes))
      #expect(found.isEmpty, "\(change)")
    } catch {
      #expect(!error.description.isEmpty, "\(change)")
    }
  }
}
