// What every sample rollout becomes, as one table.

import HeddleCore
import HeddleFuzzing
import HeddleImport
import Testing

/// The whole summary of one history.
struct Summary: Equatable, Sendable {
  var turns: Int
  var items: Int
  var skipped: [Int] = []
  var version: MultiAgentVersion
  var source: VersionSource = .stored
  var selected: MultiAgentMode?
  var effective: [MultiAgentMode?]
  var last: TurnStatus = .completed
  var foreign = 0
}

private let explicit = MultiAgentMode.explicitRequestOnly
private let proactive = MultiAgentMode.proactive
private let changes: [MultiAgentMode?] = [explicit, explicit, proactive, proactive, proactive, explicit, explicit]

private func none(_ count: Int) -> [MultiAgentMode?] { Array(repeating: nil, count: count) }

private let summaries: [(name: String, summary: Summary)] = [
  ("fork-0.144.4", Summary(turns: 2, items: 9, version: .v2, selected: explicit, effective: [proactive, explicit])),
  (
    "fork-mid-turn-0.144.4",
    Summary(turns: 3, items: 11, version: .v2, selected: explicit, effective: [proactive, proactive, explicit])
  ),
  (
    "fork-source-0.144.4",
    Summary(turns: 2, items: 8, version: .v2, selected: proactive, effective: [proactive, proactive])
  ),
  (
    "interrupt-0.144.4", Summary(turns: 2, items: 8, version: .v2, selected: explicit, effective: [explicit, explicit])
  ),
  (
    "killed-mid-turn-0.144.4",
    Summary(
      turns: 6, items: 15, skipped: [42], version: .v2, selected: explicit,
      effective: Array(repeating: explicit, count: 6))
  ),
  ("legacy-0.133.0", Summary(turns: 3, items: 8, version: .v1, source: .legacy, effective: none(3))),
  ("mode-changes-0.144.4", Summary(turns: 7, items: 20, version: .v2, selected: explicit, effective: changes)),
  ("mode-changes-0.163.0", Summary(turns: 7, items: 20, version: .v2, selected: explicit, effective: changes)),
  ("pinning-0.137.0a4", Summary(turns: 4, items: 11, version: .v1, effective: none(4))),
  ("v1-child-0.144.4", Summary(turns: 5, items: 10, version: .v1, effective: none(5), last: .interrupted)),
  ("v1-parent-0.144.4", Summary(turns: 7, items: 75, version: .v1, effective: none(7))),
  ("v2-child-0.144.4", Summary(turns: 1, items: 7, version: .v2, selected: explicit, effective: [explicit])),
  (
    "v2-parent-0.144.4",
    Summary(
      turns: 10, items: 119, version: .v2, selected: explicit, effective: Array(repeating: explicit, count: 10))
  ),
]

@Suite struct SampleTests {
  @Test("I1: every sample gives the turns, items, versions and modes that are in it", arguments: summaries)
  func table(name: String, expected: Summary) throws {
    let history = try Samples.history(name)
    let summary = Summary(
      turns: history.turnCount, items: history.itemCount, skipped: history.skippedLines.map(\.number),
      version: history.version, source: history.versionSource, selected: history.settings.mode,
      effective: history.effectiveModes, last: try #require(history.lastTurnStatus), foreign: history.foreignLines)
    #expect(summary == expected)
    #expect(historyViolations(in: history).isEmpty)
    #expect(history.items.count == expected.items)
  }

  @Test("I1: the table names every sample there is")
  func tableIsWhole() { #expect(summaries.map(\.name) == Samples.names) }

  @Test("I1: a file that is read twice gives the same history, ids included", arguments: Samples.names)
  func twice(name: String) throws {
    #expect(try Samples.history(name) == Samples.history(name))
  }

  @Test("I1: item ids are unique within a thread", arguments: Samples.names)
  func uniqueItems(name: String) throws {
    let items = try Samples.history(name).items
    #expect(Set(items.map(\.id)).count == items.count)
  }

  @Test("I3: a rollout without a version is legacy and no event pins it (V4, V8)")
  func legacy() throws {
    let history = try Samples.history("legacy-0.133.0")
    #expect(history.pins.isEmpty)
    guard case .threadCreated(let created) = history.kinds.first else { return #expect(Bool(false)) }
    #expect(created.hasHistory)
    #expect(history.starts.map(\.context?.version) == [.unspecified, .unspecified, .unspecified])
  }

  @Test("V2: a stored version is pinned right behind the beginning; older turns without one stay as they were")
  func pinned() throws {
    let history = try Samples.history("pinning-0.137.0a4")
    #expect(history.kinds[1] == .versionPinned(VersionPinned(version: .v1, source: .stored)))
    #expect(history.starts.map(\.context?.version) == [.unspecified, .unspecified, .unspecified, .v1])
  }

  @Test("I1: lineage of a spawned V2 agent")
  func child() throws {
    let parent = try #require(ThreadID("01a2003c-58f9-7733-87f0-b620b301086c"))
    #expect(
      try Samples.history("v2-child-0.144.4").lineage
        == Lineage(
          source: .import, root: parent, parent: parent, forkedFrom: parent, depth: 1, agentPath: "/root/gamma",
          agentNickname: "Beauvoir", origin: "oracle 0.144.4"))
  }

  @Test("I1: a fork is a root of its own and names its source")
  func fork() throws {
    let history = try Samples.history("fork-0.144.4")
    let source = ThreadID("01a20048-1d8f-7863-b188-b9f27dc8a3de")
    #expect(
      history.lineage
        == Lineage(source: .import, root: history.thread, forkedFrom: source, origin: "oracle 0.144.4"))
  }

  @Test("I1: what was copied in front of a spawned agent's first turn belongs to no turn")
  func copiedPrefix() throws {
    let history = try Samples.history("v2-child-0.144.4")
    let first = try #require(history.events.first { if case .itemCompleted = $0.kind { true } else { false } })
    #expect(first.turn == nil)
    #expect(history.events.filter { if case .itemCompleted = $0.kind { $0.turn != nil } else { false } }.count == 6)
  }

  @Test("I1: mail between agents keeps its path, its encrypted text and whether it wakes its receiver")
  func mail() throws {
    let child = try Samples.history("v2-child-0.144.4").items.compactMap(\.agentMessage)
    #expect(
      child == [
        AgentMessageItem(
          author: "/root", recipient: "/root/gamma",
          content: [
            ContentPart(
              part: .text("Message Type: NEW_TASK\nTask name: /root/gamma\nSender: /root\nPayload:\n")),
            ContentPart(part: .encrypted("do gamma")),
          ], triggerTurn: true)
      ])
    let parent = try Samples.history("v2-parent-0.144.4").items.compactMap(\.agentMessage)
    #expect(parent.map(\.triggerTurn) == Array(repeating: false, count: 5))
  }

  @Test("U3: the interruption marker is a marker, in the developer's name for V2 and the user's for V1")
  func markers() throws {
    func roles(_ name: String) throws -> [Role] {
      try Samples.history(name).items.compactMap {
        if case .marker(let marker) = $0.kind, marker.kind == .interruption { marker.role } else { nil }
      }
    }
    #expect(try roles("interrupt-0.144.4") == [.developer])
    #expect(try roles("fork-mid-turn-0.144.4") == [.developer])
    #expect(try roles("v1-child-0.144.4") == [.user])
  }

  @Test("I2: behind the torn half of line 42 the other record is read; the turn whose end was torn is interrupted")
  func killed() throws {
    let history = try Samples.history("killed-mid-turn-0.144.4")
    #expect(
      history.ends.map(\.status) == [.completed, .interrupted, .completed, .completed, .interrupted, .completed])
    #expect(history.starts.last?.turn == TurnID("01a20044-dde0-7902-a262-7b4743ea0729"))
    #expect(history.skippedLines == [SkippedLine(number: 42, reason: "a colon is needed after the name, at byte 205")])
  }

  @Test("I1: times are those of the lines, and those of the original where a fork copied it")
  func times() throws {
    let history = try Samples.history("fork-mid-turn-0.144.4")
    #expect(history.createdAt == 1_795_301_057_128)
    #expect(history.updatedAt == 1_795_301_058_287)
    let ends = history.events.filter { if case .turnEnded = $0.kind { true } else { false } }
    #expect(ends.map(\.at) == [1_795_301_055_000, 1_795_301_057_160, 1_795_301_058_287])
  }

  @Test("S4: the settings change where the effort did, each with the next revision", arguments: ["0.144.4", "0.163.0"])
  func settings(version: String) throws {
    let updates = try Samples.history("mode-changes-\(version)").settingsUpdates
    #expect(updates.map(\.revision) == [1, 2, 3])
    #expect(updates.map(\.settings?.reasoningEffort) == ["ultra", "low", "low"])
    #expect(updates.map(\.settings?.mode) == [nil, nil, .explicitRequestOnly])
  }
}

extension Item {
  var agentMessage: AgentMessageItem? {
    if case .agentMessage(let message) = kind { message } else { nil }
  }
}
