// Rollouts written for one test: a session meta, then whatever the test adds, a second apart.

import HeddleCore
import HeddleImport

struct Rollout {
  static let thread = "01a20044-d67b-76b3-817d-21e857a0ab2a"
  static let turns = (1...9).map { "01a20044-d696-7ac2-941f-00000000000\($0)" }

  private(set) var lines: [String] = []

  /// - Parameter meta: more members of the session meta, with a comma in front.
  init(meta: String = "") {
    add("session_meta", #"{"id":"\#(Self.thread)","timestamp":"2026-01-01T00:00:00Z","model_provider":"mock"\#(meta)}"#)
  }

  init(lines: [String]) { self.lines = lines }

  var bytes: [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }

  func read() throws -> ImportedHistory { try RolloutReader.read(bytes) }

  mutating func add(_ type: String, _ payload: String) {
    let second = lines.count < 10 ? "0\(lines.count)" : "\(lines.count)"
    lines.append(#"{"timestamp":"2026-01-01T00:00:\#(second)Z","type":"\#(type)","payload":\#(payload)}"#)
  }

  mutating func addLine(_ line: String) { lines.append(line) }

  mutating func event(_ type: String, _ members: String = "") {
    add("event_msg", #"{"type":"\#(type)"\#(members)}"#)
  }

  mutating func start(_ turn: Int) { event("task_started", #","turn_id":"\#(Self.turns[turn - 1])""#) }

  mutating func complete(_ turn: Int) { event("task_complete", #","turn_id":"\#(Self.turns[turn - 1])""#) }

  /// - Parameter members: with a comma in front.
  mutating func context(_ turn: Int, _ members: String = "") {
    add("turn_context", #"{"turn_id":"\#(Self.turns[turn - 1])","model":"m"\#(members)}"#)
  }

  mutating func item(_ json: String) { add("response_item", json) }

  mutating func message(_ role: String, _ text: String) {
    item(#"{"type":"message","role":"\#(role)","content":[{"type":"input_text","text":"\#(text)"}]}"#)
  }

  /// A whole turn in which the user says something and the model answers.
  mutating func turn(_ turn: Int, _ contextMembers: String = "") {
    start(turn)
    context(turn, contextMembers)
    message("user", "question \(turn)")
    message("assistant", "answer \(turn)")
    complete(turn)
  }
}

extension ImportedHistory {
  var kinds: [Event.Kind] { events.compactMap(\.kind) }

  var items: [Item] {
    kinds.compactMap { if case .itemCompleted(let event) = $0 { event.item } else { nil } }
  }

  var starts: [TurnStarted] {
    kinds.compactMap { if case .turnStarted(let event) = $0 { event } else { nil } }
  }

  var ends: [TurnEnded] {
    kinds.compactMap { if case .turnEnded(let event) = $0 { event } else { nil } }
  }

  var settingsUpdates: [SettingsUpdated] {
    kinds.compactMap { if case .settingsUpdated(let event) = $0 { event } else { nil } }
  }

  var rollbacks: [TurnsRolledBack] {
    kinds.compactMap { if case .turnsRolledBack(let event) = $0 { event } else { nil } }
  }

  var usageReports: [UsageReported] {
    kinds.compactMap { if case .usageReported(let event) = $0 { event } else { nil } }
  }

  var kept: [OpaquePart] {
    kinds.compactMap { if case .foreignRecord(let event) = $0 { event.record } else { nil } }
  }

  var pins: [VersionPinned] {
    kinds.compactMap { if case .versionPinned(let event) = $0 { event } else { nil } }
  }
}
