// V2, V4 and M8 on histories written for it.

import HeddleCore
import HeddleImport
import Testing

@Suite struct VersionAndModeTests {
  @Test("V2: the newest version in the thread's own metas wins, and a newer null does not hide it")
  func ownMetas() throws {
    var rollout = Rollout(meta: #","multi_agent_version":"v1""#)
    rollout.turn(1, #","multi_agent_version":"disabled""#)
    rollout.add("session_meta", #"{"id":"\#(Rollout.thread)","multi_agent_version":"v2"}"#)
    rollout.add("session_meta", #"{"id":"\#(Rollout.thread)","multi_agent_version":null}"#)
    rollout.add("session_meta", #"{"id":"01a20044-0000-7000-8000-000000000000","multi_agent_version":"v1"}"#)
    let history = try rollout.read()
    #expect(history.version == .v2)
    #expect(history.pins == [VersionPinned(version: .v2, source: .stored)])
  }

  @Test("V2: without one in the metas it is the newest in a turn context; an unknown name counts as null")
  func contexts() throws {
    var rollout = Rollout(meta: #","multi_agent_version":"v9""#)
    rollout.turn(1, #","multi_agent_version":"v2""#)
    rollout.turn(2, #","multi_agent_version":"disabled""#)
    rollout.turn(3, #","multi_agent_version":null"#)
    let history = try rollout.read()
    #expect(history.version == .disabled)
    #expect(history.versionSource == .stored)
  }

  @Test("V2: for a fork the copied history counts, the source's meta included")
  func forkOfAPinnedThread() throws {
    let source = #"{"id":"01a20044-0000-7000-8000-000000000000","multi_agent_version":"v2"}"#
    var fork = Rollout(meta: #","forked_from_id":"01a20044-0000-7000-8000-000000000000""#)
    fork.add("session_meta", source)
    #expect(try fork.read().version == .v2)

    var other = Rollout()
    other.add("session_meta", source)
    #expect(try other.read().version == .v1)
  }

  @Test("V4: nobody ever stored a version: V1, legacy")
  func legacy() throws {
    let history = try Rollout().read()
    #expect(history.version == .v1)
    #expect(history.versionSource == .legacy)
    #expect(history.pins.isEmpty)
  }

  @Test("M4: only a V2 turn has an effective mode", arguments: ["v1", "disabled"])
  func notApplicable(version: String) throws {
    var rollout = Rollout()
    rollout.turn(1, #","multi_agent_version":"\#(version)","multi_agent_mode":"proactive""#)
    rollout.turn(2, #","multi_agent_version":"v2","multi_agent_mode":"proactive""#)
    rollout.turn(3, #","multi_agent_version":"v2","multi_agent_mode":"none""#)
    #expect(try rollout.read().effectiveModes == [nil, .proactive, nil])
  }

  @Test("M7: a mode in the world state holds until another state changes or removes it")
  func worldState() throws {
    let v2 = #","multi_agent_version":"v2""#
    var rollout = Rollout()
    rollout.turn(1, v2)
    rollout.add("world_state", #"{"full":true,"state":{"multi_agent_mode":{"mode":"proactive"}}}"#)
    rollout.turn(2, v2)
    rollout.add("world_state", #"{"full":false,"state":{"multi_agent_mode":{"usage_hint_hash":"x"},"model":"m"}}"#)
    rollout.turn(3, v2)
    rollout.turn(4, v2 + #","multi_agent_mode":"explicitRequestOnly""#)
    rollout.add("world_state", #"{"full":false,"state":{"multi_agent_mode":null}}"#)
    rollout.turn(5, v2)
    rollout.add("world_state", #"{"full":false,"state":{"multi_agent_mode":{"mode":"explicitRequestOnly"}}}"#)
    rollout.turn(6, v2)
    rollout.add("world_state", #"{"full":true,"state":{"model":"m"}}"#)
    rollout.turn(7, v2)
    let expected: [MultiAgentMode?] = [
      nil, .proactive, .proactive, .explicitRequestOnly, nil, .explicitRequestOnly, nil,
    ]
    let history = try rollout.read()
    #expect(history.effectiveModes == expected)
    #expect(history.starts.map(\.context?.effectiveMode) == expected)
  }

  @Test("M8: without a record of the selection the newest effective mode stands for it, as the last change")
  func fallback() throws {
    var rollout = Rollout()
    rollout.turn(1, #","multi_agent_version":"v2","multi_agent_mode":"proactive""#)
    rollout.turn(2, #","multi_agent_version":"v2""#)
    let history = try rollout.read()
    #expect(history.settings.mode == .proactive)
    #expect(history.kinds.last == .settingsUpdated(SettingsUpdated(revision: 1, settings: history.settings)))
    #expect(history.starts.map(\.context?.settings?.mode) == [nil, nil])
  }

  @Test(
    "M8: a record of the selection wins over every effective mode", arguments: ["multi_agent_mode", "multiAgentMode"])
  func selection(key: String) throws {
    var rollout = Rollout()
    rollout.event("thread_settings_applied", #","thread_settings":{"model":"m","\#(key)":"proactive"}"#)
    rollout.turn(1, #","multi_agent_version":"v2","multi_agent_mode":"explicitRequestOnly""#)
    rollout.event("thread_settings_applied", #","thread_settings":{"model":"m"}"#)
    let history = try rollout.read()
    #expect(history.settings.mode == .proactive)
    #expect(history.starts.first?.context?.settings?.mode == .proactive)
    #expect(history.settingsUpdates.isEmpty)
  }

  @Test("M8: a record that says nothing is selected counts as well")
  func selectionOfNothing() throws {
    var rollout = Rollout()
    rollout.event("thread_settings_applied", #","thread_settings":{"model":"m","multi_agent_mode":"proactive"}"#)
    rollout.turn(1, #","multi_agent_version":"v2","multi_agent_mode":"proactive""#)
    rollout.event("thread_settings_applied", #","thread_settings":{"model":"m","multi_agent_mode":null}"#)
    let history = try rollout.read()
    #expect(history.settings.mode == nil)
    #expect(history.settingsUpdates.map(\.settings?.mode) == [nil])
  }

  @Test("M8: V1 threads have no effective mode, so nothing is selected")
  func nothingForV1() throws {
    var rollout = Rollout(meta: #","multi_agent_version":"v1""#)
    rollout.turn(1, #","multi_agent_mode":"proactive""#)
    #expect(try rollout.read().settings.mode == nil)
  }

  @Test("S1: settings come from the newest turn context or applied settings; only a change makes a revision")
  func settings() throws {
    var rollout = Rollout(meta: #","cwd":"/first","base_instructions":{"text":"Be kind."}"#)
    rollout.turn(1, #","effort":"low","summary":"auto""#)
    rollout.turn(2, #","effort":"low","summary":"auto""#)
    rollout.event(
      "thread_settings_applied",
      #","thread_settings":{"model":"big","model_provider_id":"other","service_tier":"fast","cwd":"/second"}"#)
    rollout.turn(3, #","summary":"auto","effort":"high""#)
    let history = try rollout.read()
    var expected = Settings(
      model: "m", modelProvider: "mock", reasoningEffort: "low", reasoningSummary: "auto",
      baseInstructions: "Be kind.", workingFolder: "/first")
    guard case .threadCreated(let created) = history.kinds.first else { return #expect(Bool(false)) }
    #expect(created.settings == expected)
    #expect(history.starts.map(\.context?.revision) == [0, 0, 2])
    (expected.model, expected.modelProvider, expected.serviceTier) = ("big", "other", "fast")
    (expected.reasoningEffort, expected.workingFolder) = (nil, "/second")
    #expect(history.settingsUpdates.first == SettingsUpdated(revision: 1, settings: expected))
    (expected.model, expected.reasoningEffort) = ("m", "high")
    #expect(history.settings == expected)
  }

  @Test("S1: a thread without any turn has a model all the same")
  func unknownModel() throws {
    let settings = try Rollout(lines: [#"{"timestamp":"x","type":"session_meta","payload":{"id":"a"}}"#]).read()
      .settings
    #expect(settings == Settings(model: "unknown"))
  }
}
