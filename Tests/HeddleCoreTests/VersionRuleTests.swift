// rules.md V: which multi-agent runtime a thread speaks, and that it is decided once.

import HeddleCore
import Testing

@Suite struct VersionTableTests {
  /// A thread whose first turn has run.
  private func ran(_ features: Features, _ change: SettingsChange = SettingsChange()) throws -> ThreadDriver {
    let driver = try ThreadDriver.start(change, rules: .with(features))
    try driver.runTurn()
    return driver
  }

  @Test("V5: a new thread is unset until its first turn, and with the flag multi_agent_v2 becomes V2 there")
  func newThread() throws {
    let driver = try ThreadDriver.start(rules: .with(.v2))
    #expect(driver.version == ResolvedVersion(.unspecified, .unspecified))
    #expect(driver.pins == [])
    try driver.runTurn()
    #expect(driver.version == ResolvedVersion(.v2, .flags))
    #expect(driver.pins == [VersionPinned(version: .v2, source: .flags)])
  }

  @Test("V5: the catalog entry of the first turn's model beats the flags in both directions")
  func catalogBeatsFlags() throws {
    #expect(try ran(.v2, .model("scripted-v1")).version == ResolvedVersion(.v1, .catalog))
    #expect(try ran(.off, .model("scripted-v2")).version == ResolvedVersion(.v2, .catalog))
    #expect(try ran(.v2, .model("scripted-disabled")).version == ResolvedVersion(.disabled, .catalog))
    #expect(try ran(.v2, .model("scripted")).version == ResolvedVersion(.v2, .flags))
  }

  @Test("V5: without a catalog entry the flags decide: V2, else V1, else DISABLED; V2 does not need multi_agent")
  func flags() throws {
    #expect(try ran(.off).version == ResolvedVersion(.disabled, .flags))
    #expect(try ran(.v1).version == ResolvedVersion(.v1, .flags))
    #expect(try ran(.v2).version == ResolvedVersion(.v2, .flags))
    #expect(try ran(Features(multiAgent: false, multiAgentV2: true)).version == ResolvedVersion(.v2, .flags))
  }

  @Test("V5: a model that the catalog does not know any more counts as absent")
  func modelLeftTheCatalog() throws {
    let driver = try ThreadDriver.start(.model("scripted-v1"), rules: .with(.v2))
    driver.restart(rules: ServerRules(catalog: Catalog(models: []), features: .v2))
    try driver.runTurn()
    #expect(driver.version == ResolvedVersion(.v2, .flags))
  }

  @Test("V2: a V1 thread stays V1 when the server comes back with V2 on, resumed or forked")
  func v1StaysV1() throws {
    let driver = try ran(.v1)
    driver.restart(rules: .with(.v2))
    driver.send(.resume)
    try driver.runTurn()
    let fork = try driver.fork()
    try fork.runTurn()
    #expect(driver.version == ResolvedVersion(.v1, .flags))
    #expect(fork.version == ResolvedVersion(.v1, .stored))
    #expect(fork.contexts.map(\.version) == [.v1, .v1, .v1])
  }

  @Test("V2: a V2 thread stays V2 with V2 off, and with multi_agent off", arguments: [Features.v1, .off])
  func v2StaysV2(_ features: Features) throws {
    let driver = try ran(.v2)
    driver.restart(rules: .with(features))
    driver.send(.resume)
    try driver.runTurn()
    #expect(driver.version == ResolvedVersion(.v2, .flags))
    #expect(try driver.fork().version == ResolvedVersion(.v2, .stored))
    #expect(driver.contexts.map(\.version) == [.v2, .v2])
  }

  @Test("V2: a DISABLED thread stays DISABLED with V2 on")
  func disabledStaysDisabled() throws {
    let driver = try ran(.off)
    driver.restart(rules: .with(.v2))
    driver.send(.resume)
    try driver.runTurn()
    #expect(driver.version == ResolvedVersion(.disabled, .flags))
    #expect(driver.contexts.map(\.version) == [.disabled, .disabled])
  }

  @Test("V2: the newest pin event counts, and an event without one does not hide it")
  func newestPin() throws {
    let older = VersionPinned(version: .v1, source: .stored)
    let newer = VersionPinned(version: .v2, source: .stored)
    let driver = ThreadDriver.load(
      importedHistory(turns: 1, pin: older, tail: [.versionPinned(newer), .nameChanged(NameChanged(name: "n"))]),
      rules: .with(.v1))
    driver.send(.resume)
    try driver.runTurn()
    #expect(driver.version == ResolvedVersion(.v2, .stored))
    #expect(driver.pins == [older, newer])
  }

  @Test("V4: a history in which nobody stored a version is V1 with V2 on, resumed, run or forked")
  func legacy() throws {
    let resumed = ThreadDriver.load(importedHistory(turns: 2), rules: .with(.v2))
    #expect(resumed.version == ResolvedVersion(.v1, .legacy))
    resumed.send(.resume)
    #expect(resumed.pins == [VersionPinned(version: .v1, source: .legacy)])

    let run = ThreadDriver.load(importedHistory(turns: 2), rules: .with(.v2))
    try run.runTurn("hello", .model("scripted-v2"))
    #expect(run.pins == [VersionPinned(version: .v1, source: .legacy)])

    let fork = try ThreadDriver.load(importedHistory(turns: 2), rules: .with(.v2)).fork()
    #expect(fork.pins == [VersionPinned(version: .v1, source: .legacy)])
    #expect(fork.version == ResolvedVersion(.v1, .legacy))
  }

  @Test("V4: beside it, a history with a stored version keeps that", arguments: [MultiAgentVersion.v1, .v2, .disabled])
  func storedBesideLegacy(_ version: MultiAgentVersion) throws {
    let pin = VersionPinned(version: version, source: .stored)
    let driver = ThreadDriver.load(importedHistory(turns: 2, pin: pin), rules: .with(.v2))
    driver.send(.resume)
    #expect(driver.pins == [pin])
    #expect(driver.version == ResolvedVersion(version, .stored))
  }

  @Test(
    "V3: a spawned child takes its parent's version, whatever its own model's catalog entry and the flags say",
    arguments: [MultiAgentVersion.v1, .v2, .disabled], ["scripted", "scripted-v1", "scripted-v2", "scripted-disabled"])
  func child(_ version: MultiAgentVersion, _ model: String) throws {
    for features in [Features.off, .v1, .v2] {
      let child = try ThreadDriver.start(.model(model), rules: .with(features), inherited: version, depth: 1)
      #expect(child.version == ResolvedVersion(version, .inherited))
      try child.runTurn()
      #expect(child.pins == [VersionPinned(version: version, source: .inherited)])
    }
  }

  @Test("V3: a fork takes its source's version, whatever model it uses")
  func forkWithAnotherModel() throws {
    let source = try ran(.v2, .model("scripted-v1"))
    let fork = try source.fork(nil, .model("scripted-v2"))
    try fork.runTurn()
    #expect(fork.record.currentSettings.model == "scripted-v2")
    #expect(fork.version == ResolvedVersion(.v1, .stored))
  }

  @Test("V3: a fork that is cut before its source's pin inherits what the source speaks")
  func forkBeforeThePin() throws {
    let source = ThreadDriver.load(importedHistory(turns: 2), rules: .with(.v2))
    source.send(.resume)
    let fork = try source.fork(source.turns[0], SettingsChange())
    #expect(fork.version == ResolvedVersion(.v1, .inherited))
    #expect(fork.record.turnCount == 1)
  }

  @Test("V3: a thread that is forked before its first turn gives an unset fork, resolved by V5")
  func forkOfUnset() throws {
    let source = try ThreadDriver.start(rules: .with(.v1))
    let fork = try source.fork()
    #expect(fork.version == ResolvedVersion(.unspecified, .unspecified))
    fork.restart(rules: .with(.v2))
    try fork.runTurn()
    #expect(fork.version == ResolvedVersion(.v2, .flags))
    #expect(source.version == ResolvedVersion(.unspecified, .unspecified))
  }

  @Test("V1: a creator that hands down DISABLED decides, over every model and flag")
  func disabledIsHandedDown() throws {
    let helper = try ThreadDriver.start(.model("scripted-v2"), rules: .with(.v2), inherited: .disabled)
    try helper.runTurn()
    #expect(helper.version == ResolvedVersion(.disabled, .inherited))
    // Beside it: any other version that is handed down is weaker than a stored one.
    let sources = VersionSources(stored: .v1, inherited: .v2)
    #expect(resolveBeforeFirstTurn(sources) == ResolvedVersion(.v1, .stored))
  }

  @Test("V1: a helper thread that copies a V2 history is DISABLED all the same")
  func disabledHelperWithHistory() throws {
    let source = try ran(.v2)
    let settings = source.record.currentSettings
    let helper = ThreadDriver.begin(source, settings, .with(.v2), inherited: .disabled)
    #expect(helper.version == ResolvedVersion(.disabled, .inherited))
    #expect(ThreadDriver.begin(source, settings, .with(.v2), inherited: .v1).version == ResolvedVersion(.v2, .stored))
  }

  @Test("V6: a model change before the first turn changes the version, by start, update or the turn's own override")
  func modelBeforeTheFirstTurn() throws {
    #expect(try ran(.v1, .model("scripted-v2")).version == ResolvedVersion(.v2, .catalog))

    let updated = try ThreadDriver.start(.model("scripted-v1"), rules: .with(.off))
    _ = updated.update(.model("scripted-v2"))
    try updated.runTurn()
    #expect(updated.version == ResolvedVersion(.v2, .catalog))

    let overridden = try ThreadDriver.start(.model("scripted-v1"), rules: .with(.off))
    try overridden.runTurn("hello", .model("scripted-v2"))
    #expect(overridden.version == ResolvedVersion(.v2, .catalog))
  }

  @Test("V6: a model change after the first turn never changes the version")
  func modelAfterTheFirstTurn() throws {
    let driver = try ran(.off, .model("scripted-v2"))
    _ = driver.update(.model("scripted-v1"))
    try driver.runTurn()
    try driver.runTurn("again", .model("scripted-disabled"))
    #expect(driver.version == ResolvedVersion(.v2, .catalog))
    #expect(driver.contexts.map(\.version) == [.v2, .v2, .v2])
    #expect(driver.contexts.map(\.settings?.model) == ["scripted-v2", "scripted-v1", "scripted-disabled"])
  }
}

@Suite struct VersionPinTests {
  /// Numbers of the pin events.
  private func pinSequences(_ driver: ThreadDriver) -> [UInt64] {
    driver.allEvents.compactMap { if case .versionPinned? = $0.kind { $0.sequence } else { nil } }
  }

  @Test("V7: the first turn pins by one event, before its start, and the model is asked only when that is durable")
  func pinnedBeforeTheModelIsAsked() throws {
    let driver = try ThreadDriver.start(rules: .with(.v2))
    try driver.startTurn()
    let pin = try #require(pinSequences(driver).first)
    #expect(pinSequences(driver) == [pin])
    let asked = driver.effects.compactMap { if case .startModel(_, let after) = $0 { after } else { nil } }
    let started = try #require(driver.appended.first { if case .turnStarted? = $0.kind { true } else { false } })
    #expect(asked.count == 1 && asked.allSatisfy { $0 >= pin })
    #expect(pin == started.sequence - 1)
    // One mutation: the pin cannot be there without the turn, nor the turn without the pin.
    #expect(driver.appended.map(\.more) == driver.appended.dropLast().map { _ in true } + [false])
  }

  @Test("V7: the first writer wins; later turns, resumes and flags write nothing")
  func firstWriterWins() throws {
    let driver = try ThreadDriver.start(rules: .with(.v2))
    try driver.runTurn()
    driver.rules.features = .off
    try driver.runTurn("again", .model("scripted-v1"))
    driver.send(.resume)
    driver.restart(rules: .with(.v1))
    driver.send(.resume)
    #expect(driver.pins == [VersionPinned(version: .v2, source: .flags)])
    #expect(driver.version == ResolvedVersion(.v2, .flags))
  }

  @Test("V9: setting the version where it is unset sets it; where it is set, the stored one comes back, unchanged")
  func setIfUnset() throws {
    let driver = try ThreadDriver.start(rules: .with(.v1))
    driver.send(.pinVersionIfUnset(.v2, .stored))
    #expect(driver.pins == [VersionPinned(version: .v2, source: .stored)])
    let before = driver.record
    for version in [MultiAgentVersion.v1, .v2, .disabled] {
      guard case .response(.threadResume(let response)) = driver.send(.pinVersionIfUnset(version, .stored)) else {
        Issue.record("refused")
        return
      }
      #expect(response.thread?.version == .v2)
      #expect(driver.record == before && driver.appended == [])
    }
    try driver.runTurn("hello", .model("scripted-v1"))
    #expect(driver.version == ResolvedVersion(.v2, .stored))
    // Beside a live writer: a turn that has pinned it already wins as well.
    let running = try ThreadDriver.start(rules: .with(.v1))
    try running.startTurn()
    running.send(.pinVersionIfUnset(.v2, .stored))
    #expect(running.pins == [VersionPinned(version: .v1, source: .flags)])
  }

  @Test("V9: asking again for the version of a pinned thread returns what is stored and appends nothing")
  func idempotent() throws {
    let driver = ThreadDriver.load(importedHistory(turns: 1), rules: .with(.v2))
    var seen: [ResolvedVersion] = []
    for _ in 0..<3 {
      driver.send(.resume)
      guard case .response(.threadResume(let response))? = driver.answer, let thread = response.thread else { continue }
      seen.append(ResolvedVersion(thread.version, thread.versionSource))
    }
    #expect(seen == Array(repeating: ResolvedVersion(.v1, .legacy), count: 3))
    #expect(driver.pins.count == 1)
    #expect(driver.appended == [])
  }

  @Test("V8: the first resume of a legacy thread appends the pin; updated_at and every older event stay as they were")
  func legacyPin() throws {
    let driver = ThreadDriver.load(importedHistory(turns: 2), rules: .with(.v2))
    let before = driver.record
    let log = driver.log
    driver.send(.resume)
    let pin = Event(
      sequence: before.sequence + 1, at: driver.environment.now,
      kind: .versionPinned(VersionPinned(version: .v1, source: .legacy)))
    #expect(driver.log == log + [pin])
    var expected = before
    expected.sequence += 1
    expected.version = .v1
    expected.versionSource = .legacy
    expected.versionSequence = pin.sequence
    #expect(driver.record == expected)
    #expect(driver.record.updatedAt == before.updatedAt)
  }

  @Test("V8: beside it, a turn of a legacy thread does move updated_at")
  func legacyTurnMovesTime() throws {
    let driver = ThreadDriver.load(importedHistory(turns: 2), rules: .with(.v2))
    let before = driver.record.updatedAt
    try driver.runTurn()
    #expect(driver.record.updatedAt == driver.environment.now)
    #expect(before < driver.environment.now)
  }

  @Test("V8: a root's pin survives a crash before its first turn ends")
  func pinSurvivesACrash() throws {
    let driver = try ThreadDriver.start(rules: .with(.v2))
    try driver.startTurn()
    driver.restart(rules: .with(.v1))
    #expect(driver.version == ResolvedVersion(.v2, .flags))
    try driver.runTurn()
    #expect(driver.contexts.map(\.version) == [.v2, .v2])
    #expect(driver.pins.count == 1)
  }

  @Test("V10: the pinned version decides what a turn is told, not the model, the flags or the selection")
  func versionDecides() throws {
    let v1 = try ThreadDriver.start(.model("scripted-v1"), rules: .with(.v2Mode))
    try v1.runTurn("hello", .select(.proactive))
    v1.rules.features = .v2Mode
    try v1.runTurn("again", .model("scripted-v2"))
    #expect(v1.contexts.map(\.effectiveMode) == [nil, nil])
    #expect(v1.modelInput.contains { $0.text == v1.rules.texts.rootHint } == false)

    let v2 = try ThreadDriver.start(
      .model("scripted-v2"), rules: .with(Features(multiAgent: false, multiAgentMode: true)))
    try v2.runTurn("hello", .select(.proactive))
    v2.rules.features.multiAgentV2 = false
    try v2.runTurn("again", .model("scripted-v1"))
    #expect(v2.contexts.map(\.effectiveMode) == [.proactive, .proactive])
    #expect(v2.modelInput.filter { $0.text == v2.rules.texts.rootHint }.count == 1)
  }

  @Test("V11: start, resume, read, settings read and fork report the version and where it came from")
  func reported() throws {
    let driver = try ThreadDriver.start(.model("scripted-v2"), rules: .with(.off))
    #expect(reports(driver) == Array(repeating: ResolvedVersion(.unspecified, .unspecified), count: 3))
    try driver.runTurn()
    #expect(reports(driver) == Array(repeating: ResolvedVersion(.v2, .catalog), count: 3))
    #expect(reports(try driver.fork()) == Array(repeating: ResolvedVersion(.v2, .stored), count: 3))
    let child = try ThreadDriver.start(rules: .with(.off), inherited: .v1)
    #expect(reports(child) == Array(repeating: ResolvedVersion(.v1, .inherited), count: 3))
    let legacy = ThreadDriver.load(importedHistory(turns: 1))
    #expect(reports(legacy) == Array(repeating: ResolvedVersion(.v1, .legacy), count: 3))
  }

  private func reports(_ driver: ThreadDriver) -> [ResolvedVersion] {
    var out: [ResolvedVersion] = []
    for command in [ThreadCommand.read, .readSettings, .resume] {
      switch driver.send(command) {
      case .response(.threadRead(let r)):
        out.append(ResolvedVersion(r.thread?.version ?? .unspecified, r.thread?.versionSource ?? .unspecified))
      case .response(.settingsRead(let r)): out.append(ResolvedVersion(r.version, r.versionSource))
      case .response(.threadResume(let r)):
        out.append(ResolvedVersion(r.thread?.version ?? .unspecified, r.thread?.versionSource ?? .unspecified))
      default: break
      }
    }
    return out
  }
}
