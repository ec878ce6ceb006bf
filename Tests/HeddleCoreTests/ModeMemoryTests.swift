// rules.md M7 and M8: the mode after a restart, a fork, a rollback and a compaction.

import HeddleCore
import Testing

@Suite struct ModeBaselineTests {
  private func thread(_ change: SettingsChange = SettingsChange()) throws -> ThreadDriver {
    try ThreadDriver.start(change, rules: .with(.v2Mode))
  }

  @Test("M7: the turn context stores the effective mode, one record a turn")
  func stored() throws {
    let driver = try thread()
    try driver.runTurn()
    try driver.runTurn("b", .select(.proactive))
    let starts = driver.log.filter { if case .turnStarted? = $0.kind { true } else { false } }
    #expect(starts.count == 2)
    #expect(driver.contexts.map(\.effectiveMode) == [.explicitRequestOnly, .proactive])
    #expect(driver.record.baseline == driver.contexts[1])
    #expect(driver.turns.map(\.context) == driver.contexts)
  }

  @Test("M7: rolling back the turn that told a mode brings back the baseline of the turn that stays")
  func rollback() throws {
    let driver = try thread()
    try driver.runTurn("a")
    try driver.runTurn("b", .select(.proactive))
    _ = driver.rollback(1)
    #expect(driver.fragments == [.explicitRequestOnly])
    try driver.runTurn("c")
    #expect(driver.fragments == [.explicitRequestOnly, .proactive])
    #expect(driver.userTexts == ["a", "c"])
  }

  @Test("M7: a rollback of all turns does not duplicate the fragment")
  func rollbackOfAll() throws {
    let driver = try thread(.select(.proactive))
    for round in 0..<3 {
      try driver.runTurn("turn \(round)")
      #expect(driver.fragments == [.proactive])
      _ = driver.rollback(1)
      #expect(driver.fragments == [])
    }
    try driver.runTurn("last")
    try driver.runTurn("more")
    #expect(driver.fragments == [.proactive])
    #expect(driver.modelInput.filter { $0.text == driver.rules.texts.rootHint }.count == 1)
  }

  @Test("M7: a rollback down to a turn that a crash ended goes on from what that turn was told")
  func rollbackToARecoveredTurn() throws {
    let driver = try thread(.select(.proactive))
    try driver.startTurn("crashes")
    driver.restart()
    try driver.runTurn("after")
    _ = driver.rollback(1)
    #expect(driver.record.baseline == driver.contexts[0])
    try driver.runTurn("again")
    #expect(driver.fragments == [.proactive])
    #expect(driver.modelInput.filter { $0.text == driver.rules.texts.rootHint }.count == 1)
  }

  @Test("M7: after a compaction the initial context comes anew, once")
  func compaction() throws {
    let driver = try thread(.select(.proactive))
    try driver.runTurn("a")
    driver.inject(.contextCompacted(ContextCompacted(compaction: CompactionItem(summary: "so far"))))
    #expect(driver.fragments == [])
    try driver.runTurn("b")
    try driver.runTurn("c")
    #expect(driver.fragments == [.proactive])
    #expect(driver.modelInput.filter { $0.text == driver.rules.texts.rootHint }.count == 1)
  }

  @Test("M7: a rollback of the turns after a compaction still begins with the initial context")
  func rollbackToACompaction() throws {
    let driver = try thread()
    try driver.runTurn("a")
    driver.inject(.contextCompacted(ContextCompacted()))
    try driver.runTurn("b", .select(.proactive))
    _ = driver.rollback(1)
    try driver.runTurn("c")
    #expect(driver.fragments == [.proactive])
    #expect(driver.userTexts == ["c"])
  }

  @Test("M7: a fork goes on from what its copied history was told, whole or cut")
  func forks() throws {
    let source = try thread()
    try source.runTurn("a")
    try source.runTurn("b", .select(.proactive))
    let whole = try source.fork()
    try whole.runTurn("c")
    #expect(whole.fragments == [.explicitRequestOnly, .proactive])
    let cut = try source.fork(source.turns[0])
    try cut.runTurn("c", .clearMode)
    #expect(cut.fragments == [.explicitRequestOnly])
  }

  @Test("M7: a fork that is cut at a turn in which the context was compacted begins with the initial context")
  func forkUpToACompactedTurn() throws {
    let source = try thread(.select(.proactive))
    try source.startTurn("a")
    source.inject(.contextCompacted(ContextCompacted()))
    source.handle(.recovered)
    try source.runTurn("b")
    let fork = try source.fork(source.turns[0])
    try fork.runTurn("c")
    #expect(fork.fragments == [.proactive])
    // Beside it: cut at the turn behind the compaction, the model has been told already.
    let later = try source.fork(source.turns[1])
    try later.runTurn("c")
    #expect(later.fragments == [.proactive])
  }

  @Test("M7: a fork that is cut between two compactions begins where the earlier one left the context")
  func forkBetweenCompactions() throws {
    let source = try thread()
    try source.runTurn("a")
    source.inject(.contextCompacted(ContextCompacted()))
    try source.runTurn("b")
    let first = source.record.contextStart
    source.inject(.contextCompacted(ContextCompacted()))
    try source.runTurn("c")
    let fork = try source.fork(source.turns[1])
    #expect(fork.record.contextStart == first)
    #expect(fork.userTexts == ["b"])
    try fork.runTurn("d")
    #expect(fork.fragments == [.explicitRequestOnly])
  }

  @Test("M7: an imported turn without a context leaves the baseline as it was")
  func turnWithoutContext() throws {
    let told = TurnContext(settings: Settings(defaultsOf: ServerRules()), version: .v2, effectiveMode: .proactive)
    let pin = VersionPinned(version: .v2, source: .stored)
    let driver = ThreadDriver.load(
      importedHistory(turns: 2, contexts: { $0 == 0 ? told : nil }, pin: pin), rules: .with(.v2Mode))
    #expect(driver.record.baseline == told)
    try driver.runTurn("new", .select(.proactive))
    #expect(driver.fragments == [])
    try driver.runTurn("new", .clearMode)
    #expect(driver.fragments == [.explicitRequestOnly])
  }
}

@Suite struct ModeColdResumeTests {
  /// Ends the server, starts another, resumes; what does the thread say is selected?
  private func cold(_ driver: ThreadDriver) -> MultiAgentMode? {
    let live = driver.selection
    driver.restart()
    guard case .response(.threadResume(let response)) = driver.send(.resume) else { return .unspecified }
    #expect(driver.selection == live)
    return response.thread?.settings?.mode
  }

  @Test("M8: selected at start, no turn yet")
  func noTurn() throws {
    let driver = try ThreadDriver.start(.select(.proactive), rules: .with(.v2Mode))
    #expect(cold(driver) == .proactive)
    try driver.runTurn()
    #expect(driver.fragments == [.proactive])
  }

  @Test("M8: selected with the gate off, turns run")
  func gateOff() throws {
    let driver = try ThreadDriver.start(.select(.proactive), rules: .with(.v2))
    try driver.runTurn()
    #expect(cold(driver) == .proactive)
    #expect(driver.contexts.map(\.effectiveMode) == [.explicitRequestOnly])
  }

  @Test("M8: selected on a V1 thread, turns run", arguments: ["scripted-v1", "scripted-disabled"])
  func v1(_ model: String) throws {
    let driver = try ThreadDriver.start(.model(model), rules: .with(.v2Mode))
    try driver.runTurn("hello", .select(.proactive))
    #expect(cold(driver) == .proactive)
    #expect(driver.contexts.map(\.effectiveMode) == [nil])
  }

  @Test("M8: updated after the last turn, in either direction")
  func updatedLast() throws {
    let driver = try ThreadDriver.start(rules: .with(.v2Mode))
    try driver.runTurn()
    _ = driver.update(.select(.proactive))
    #expect(cold(driver) == .proactive)
    try driver.runTurn()
    _ = driver.update(.clearMode)
    #expect(cold(driver) == nil)
  }

  @Test("M8: never selected, V2 turns run: comes back unset")
  func neverSelected() throws {
    let driver = try ThreadDriver.start(rules: .with(.v2Mode))
    try driver.runTurn()
    try driver.runTurn()
    #expect(driver.contexts.map(\.effectiveMode) == [.explicitRequestOnly, .explicitRequestOnly])
    #expect(cold(driver) == nil)
  }

  @Test("M8: a rollback and a crash in the middle of a turn leave the selection alone")
  func rollbackAndCrash() throws {
    let driver = try ThreadDriver.start(rules: .with(.v2Mode))
    try driver.runTurn()
    try driver.startTurn("b", .select(.proactive))
    #expect(cold(driver) == .proactive)
    _ = driver.rollback(2)
    #expect(cold(driver) == .proactive)
  }
}
