// rules.md M: the client's selection, and the fragments that the model gets for it.

import HeddleCore
import Testing

@Suite struct ModeTableTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var version: MultiAgentVersion
    var hints: Bool
    var gate: Bool
    var selected: MultiAgentMode?
    var effective: MultiAgentMode?
    var testDescription: String {
      "\(version.name), hints \(hints), gate \(gate), \(selected?.name ?? "unset") → \(effective?.name ?? "none")"
    }
  }

  /// The table under M in rules.md, written out.
  static let rows: [Row] = {
    var rows = [
      Row(version: .v2, hints: true, gate: true, selected: nil, effective: .explicitRequestOnly),
      Row(version: .v2, hints: true, gate: true, selected: .explicitRequestOnly, effective: .explicitRequestOnly),
      Row(version: .v2, hints: true, gate: true, selected: .proactive, effective: .proactive),
      Row(version: .v2, hints: true, gate: false, selected: nil, effective: .explicitRequestOnly),
      Row(version: .v2, hints: true, gate: false, selected: .explicitRequestOnly, effective: .explicitRequestOnly),
      Row(version: .v2, hints: true, gate: false, selected: .proactive, effective: .explicitRequestOnly),
    ]
    for selected in [nil, .explicitRequestOnly, .proactive] as [MultiAgentMode?] {
      for gate in [true, false] {
        rows.append(Row(version: .v2, hints: false, gate: gate, selected: selected, effective: nil))
        for version in [MultiAgentVersion.v1, .disabled] {
          rows.append(Row(version: version, hints: true, gate: gate, selected: selected, effective: nil))
        }
      }
    }
    return rows
  }()

  @Test(
    "M4 M3: version, hints, gate and selection give the effective mode and its message; the selection is kept",
    arguments: rows)
  func table(_ row: Row) throws {
    var rules = ServerRules.with(Features(multiAgentMode: row.gate))
    rules.texts.usageHints = row.hints
    let model = [MultiAgentVersion.v1: "scripted-v1", .v2: "scripted-v2"][row.version] ?? "scripted-disabled"
    let driver = try ThreadDriver.start(.model(model), rules: rules)
    try driver.runTurn("hello", row.selected.map(SettingsChange.select))
    #expect(driver.contexts.map(\.effectiveMode) == [row.effective])
    #expect(driver.fragments == (row.effective.map { [$0] } ?? []))
    #expect(driver.selection == row.selected)
    #expect(driver.ends.map(\.status) == [.completed])
  }

  @Test(
    "M4: hints are those of this kind of thread: a child has none when the agents' hint is empty, a root has its own")
  func hintOfTheKind() throws {
    let rules = ServerRules.with(.v2Mode).changed { $0.texts.agentHint = "" }
    let child = try ThreadDriver.start(.select(.proactive), rules: rules, inherited: .v2, depth: 1)
    try child.runTurn()
    #expect(child.contexts.map(\.effectiveMode) == [nil])
    let root = try ThreadDriver.start(.select(.proactive), rules: rules)
    try root.runTurn()
    #expect(root.contexts.map(\.effectiveMode) == [.proactive])
  }

  @Test("M4: the feature multi_agent_mode is off by default")
  func gateIsOff() { #expect(Features().multiAgentMode == false) }
}

@Suite struct ModeSelectionTests {
  private func thread(_ change: SettingsChange = SettingsChange()) throws -> ThreadDriver {
    try ThreadDriver.start(change, rules: .with(.v2Mode))
  }

  @Test("M1: thread start, turn start and settings update set the selection; an absent field leaves it as it is")
  func setting() throws {
    let driver = try thread(.select(.proactive))
    #expect(driver.selection == .proactive)
    _ = driver.update(SettingsChange(reasoningEffort: "high"))
    try driver.runTurn()
    #expect(driver.selection == .proactive)
    _ = driver.update(.select(.explicitRequestOnly))
    #expect(driver.selection == .explicitRequestOnly)
    try driver.runTurn("hello", .select(.proactive))
    #expect(driver.selection == .proactive)
    #expect(driver.contexts.map(\.effectiveMode) == [.proactive, .proactive])
  }

  @Test(
    "M2: a choice of keep, set and clear: clearing goes back to unset, keeping does not, and clearing is not `false`")
  func clearing() throws {
    let driver = try thread(.select(.proactive))
    _ = driver.update(SettingsChange(mode: ModeSelection()))
    #expect(driver.selection == .proactive)
    _ = driver.update(SettingsChange(mode: ModeSelection(choice: .clear(false))))
    #expect(driver.refusal == Refusal(.outOfRange, [("field", "settings.mode.clear")]))
    #expect(driver.selection == .proactive)
    _ = driver.update(.clearMode)
    #expect(driver.selection == nil)
    try driver.runTurn()
    #expect(driver.contexts.map(\.effectiveMode) == [.explicitRequestOnly])
  }

  @Test(
    "M3: a selection that does nothing is kept and reported and refuses no turn",
    arguments: ["scripted-v1", "scripted-v2"])
  func useless(_ model: String) throws {
    let driver = try ThreadDriver.start(.model(model), rules: .with(.v1))
    _ = driver.update(.select(.proactive))
    try driver.runTurn()
    try driver.runTurn("again", .select(.proactive))
    #expect(driver.ends.map(\.status) == [.completed, .completed])
    #expect(driver.selection == .proactive)
    #expect(driver.contexts.allSatisfy { $0.effectiveMode != .proactive })
  }

  @Test("M9: a fork takes its source's selection and has its own from then on; a new thread inherits nothing")
  func forks() throws {
    let source = try thread(.select(.proactive))
    try source.runTurn()
    let fork = try source.fork()
    #expect(fork.selection == .proactive)
    _ = fork.update(.clearMode)
    #expect(fork.selection == nil)
    #expect(source.selection == .proactive)
    #expect(try thread().selection == nil)
  }

  @Test("M9: a fork that is cut at an earlier turn takes the selection as it is now; its baseline is that turn's")
  func forkUpTo() throws {
    let source = try thread()
    try source.runTurn()
    try source.runTurn("again", .select(.proactive))
    let fork = try source.fork(source.turns[0])
    #expect(fork.selection == .proactive)
    #expect(fork.fragments == [.explicitRequestOnly])
    try fork.runTurn()
    #expect(fork.fragments == [.explicitRequestOnly, .proactive])
  }

  @Test("M9: a loaded thread that is resumed keeps its live selection")
  func loadedResume() throws {
    let driver = try thread(.select(.proactive))
    try driver.runTurn()
    _ = driver.update(.select(.explicitRequestOnly))
    driver.send(.resume)
    #expect(driver.selection == .explicitRequestOnly)
  }

  @Test("M10: start, resume, read, settings read, settings update and the event report the selection, unset when unset")
  func reporting() throws {
    // V2, gate off: the effective mode is explicit whatever is selected, and is never reported in its place.
    let driver = try ThreadDriver.start(rules: .with(.v2))
    try driver.runTurn()
    #expect(driver.contexts.map(\.effectiveMode) == [.explicitRequestOnly])
    #expect(reports(driver, .clearMode) == [nil, nil, nil, nil])
    #expect(reports(driver, .select(.proactive)) == [.proactive, .proactive, .proactive, .proactive])
    #expect(driver.settingsUpdates.map(\.settings?.mode) == [.proactive])
    #expect(try driver.fork().machine.summary().settings?.mode == .proactive)
    #expect(reports(driver, .clearMode) == [nil, nil, nil, nil])
    #expect(driver.settingsUpdates.map(\.settings?.mode) == [.proactive, nil])
  }

  private func reports(_ driver: ThreadDriver, _ change: SettingsChange) -> [MultiAgentMode?] {
    let commands: [ThreadCommand] = [
      .updateSettings(change, expectedRevision: nil), .readSettings, .resume, .read,
    ]
    return commands.map { command in
      switch driver.send(command) {
      case .response(.settingsUpdate(let r)): r.settings?.mode
      case .response(.settingsRead(let r)): r.settings?.mode
      case .response(.threadResume(let r)): r.thread?.settings?.mode
      case .response(.threadRead(let r)): r.thread?.settings?.mode
      default: .unspecified
      }
    }
  }
}

@Suite struct ModeFragmentTests {
  private func thread(_ features: Features = .v2Mode) throws -> ThreadDriver {
    try ThreadDriver.start(rules: .with(features))
  }

  @Test("M6: unset 1, proactive selected 2, nothing said 2")
  func count() throws {
    let driver = try thread()
    try driver.runTurn()
    #expect(driver.fragments == [.explicitRequestOnly])
    try driver.runTurn("b", .select(.proactive))
    #expect(driver.fragments == [.explicitRequestOnly, .proactive])
    try driver.runTurn("c")
    #expect(driver.fragments == [.explicitRequestOnly, .proactive])
  }

  @Test("M6: two equal turns 1; the selection that the effective mode has already changes nothing")
  func equalTurns() throws {
    let driver = try thread()
    try driver.runTurn()
    try driver.runTurn()
    try driver.runTurn("c", .select(.explicitRequestOnly))
    #expect(driver.fragments == [.explicitRequestOnly])
  }

  @Test(
    "M6: updates between two turns give exactly one more, and none when they cancel out; never on the update itself")
  func updateBetweenTurns() throws {
    let driver = try thread()
    try driver.runTurn()
    let items = driver.modelInput
    _ = driver.update(.select(.proactive))
    _ = driver.update(.clearMode)
    _ = driver.update(.select(.proactive))
    #expect(driver.modelInput == items)
    try driver.runTurn()
    #expect(driver.fragments == [.explicitRequestOnly, .proactive])
    _ = driver.update(.clearMode)
    _ = driver.update(.select(.proactive))
    try driver.runTurn()
    #expect(driver.fragments == [.explicitRequestOnly, .proactive])
  }

  @Test("M6 M7: gate on and proactive, restart with gate on, restart with gate off: 2, 2, 3")
  func gateAcrossRestarts() throws {
    let driver = try thread()
    try driver.runTurn()
    try driver.runTurn("b", .select(.proactive))
    #expect(driver.fragments.count == 2)
    driver.restart()
    try driver.runTurn("c")
    #expect(driver.fragments.count == 2)
    driver.restart(rules: .with(.v2))
    try driver.runTurn("d")
    #expect(driver.fragments == [.explicitRequestOnly, .proactive, .explicitRequestOnly])
    #expect(driver.selection == .proactive)
  }

  @Test("M6: in the initial context the fragment is a message of its own, after the hint and before the user")
  func initialContext() throws {
    let driver = try ThreadDriver.start(
      SettingsChange(developerInstructions: "Be brief."), rules: .with(.v2Mode))
    try driver.startTurn("hello")
    let texts = driver.rules.texts
    #expect(
      driver.modelInput.map(\.text) == [
        "Be brief.", texts.rootHint,
        modeFragment(.explicitRequestOnly, texts: texts, limitBytes: driver.rules.limits.modeFragmentBytes), "hello",
      ])
  }

  @Test(
    "M6: a thread that becomes not applicable while proactive is told the explicit text once; while explicit, nothing")
  func revocation() throws {
    let proactive = try thread()
    try proactive.runTurn("a", .select(.proactive))
    proactive.rules.texts.usageHints = false
    try proactive.runTurn("b")
    #expect(proactive.contexts.map(\.effectiveMode) == [.proactive, nil])
    try proactive.runTurn("c")
    #expect(proactive.fragments == [.proactive, .explicitRequestOnly])

    let explicit = try thread()
    try explicit.runTurn("a")
    explicit.rules.texts.usageHints = false
    try explicit.runTurn("b")
    #expect(explicit.fragments == [.explicitRequestOnly])
  }

  @Test("M6: a thread that becomes applicable again is told again, once")
  func applicableAgain() throws {
    let driver = try thread()
    try driver.runTurn("a", .select(.proactive))
    driver.rules.texts.usageHints = false
    try driver.runTurn("b")
    driver.rules.texts.usageHints = true
    try driver.runTurn("c")
    try driver.runTurn("d")
    #expect(driver.fragments == [.proactive, .explicitRequestOnly, .proactive])
  }

  @Test("M6: history is never rewritten: what the model was sent before stays in front of what it is sent now")
  func neverRewritten() throws {
    let driver = try thread()
    var sent: [Item] = []
    let changes: [SettingsChange?] = [nil, .select(.proactive), .clearMode, nil, .select(.proactive)]
    for (index, change) in changes.enumerated() {
      try driver.runTurn("turn \(index)", change)
      #expect(Array(driver.modelInput.prefix(sent.count)) == sent)
      sent = driver.modelInput
    }
    #expect(driver.fragments == [.explicitRequestOnly, .proactive, .explicitRequestOnly, .proactive])
  }

  @Test(
    "M5: the fragment is tagged and bounded at 4 KiB, whatever its text",
    arguments: [MultiAgentMode.explicitRequestOnly, .proactive])
  func bound(_ mode: MultiAgentMode) {
    let limit = Limits().modeFragmentBytes
    #expect(limit == 4_096)
    let tags = "<multi_agent_mode></multi_agent_mode>".utf8.count
    func texts(_ body: String) -> ModelTexts {
      var texts = ModelTexts()
      texts.explicitMode = body
      texts.proactiveMode = body
      return texts
    }
    func fragment(_ body: String) -> String { modeFragment(mode, texts: texts(body), limitBytes: limit) }
    let fits = String(repeating: "x", count: limit - tags)
    #expect(fragment(fits) == "<multi_agent_mode>\(fits)</multi_agent_mode>")
    #expect(fragment(fits).utf8.count == limit)
    #expect(fragment(fits + "y") == fragment(fits))
    // Four bytes a character: the last one that does not fit whole goes whole.
    for lead in 0..<4 {
      let body = String(repeating: "a", count: lead) + String(repeating: "🪡", count: limit)
      let out = fragment(body)
      let kept = out.dropFirst("<multi_agent_mode>".count).dropLast("</multi_agent_mode>".count)
      #expect(out.utf8.count <= limit && out.utf8.count > limit - 4)
      #expect(body.hasPrefix(kept))
      #expect(!out.unicodeScalars.contains("\u{FFFD}"))
    }
  }

  @Test("M5: the built-in explicit text revokes an earlier proactive one, and the two differ")
  func texts() {
    let texts = ModelTexts()
    #expect(texts.explicitMode != texts.proactiveMode)
    #expect(texts.explicitMode.contains("whatever an earlier note said"))
    #expect(modeFragment(.explicitRequestOnly, texts: texts, limitBytes: 4_096).contains(texts.explicitMode))
    #expect(modeFragment(.proactive, texts: texts, limitBytes: 4_096).contains(texts.proactiveMode))
  }

  @Test("M5: the texts are configurable")
  func configured() throws {
    let driver = try ThreadDriver.start(rules: ServerRules.with(.v2Mode).changed { $0.texts.explicitMode = "Alone." })
    try driver.startTurn()
    #expect(driver.modelInput.map(\.text).contains("<multi_agent_mode>Alone.</multi_agent_mode>"))
  }
}
