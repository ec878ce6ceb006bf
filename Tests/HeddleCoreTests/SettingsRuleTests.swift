// rules.md S: sticky settings, when a change is one, and when it takes effect.

import HeddleCore
import Testing

@Suite struct SettingsRuleTests {
  private func thread() throws -> ThreadDriver { try ThreadDriver.start(rules: .with(.v2Mode)) }

  static let everything = SettingsChange(
    model: "scripted-v2", modelProvider: "scripted", reasoningEffort: "high", reasoningSummary: "auto",
    serviceTier: "fast", baseInstructions: "base", developerInstructions: "developer",
    mode: ModeSelection(choice: .set(.proactive)), workingFolder: "/home/user/project",
    metadata: [NameValue(name: "b", value: "2"), NameValue(name: "a", value: "1")], temperature: 0.5)

  static let allOfIt = Settings(
    model: "scripted-v2", modelProvider: "scripted", reasoningEffort: "high", reasoningSummary: "auto",
    serviceTier: "fast", baseInstructions: "base", developerInstructions: "developer", mode: .proactive,
    workingFolder: "/home/user/project",
    metadata: [NameValue(name: "a", value: "1"), NameValue(name: "b", value: "2")],
    temperature: 0.5)

  @Test("S1: a turn may override every sticky setting, and the override stays for later turns")
  func overrides() throws {
    let driver = try thread()
    try driver.runTurn("a", Self.everything)
    try driver.runTurn("b")
    #expect(driver.contexts.map(\.settings) == [Self.allOfIt, Self.allOfIt])
    #expect(driver.record.settings == Self.allOfIt)
  }

  @Test("S1: a change sets what it names and nothing else; what can be unset, can be unset")
  func onlyWhatItNames() throws {
    let driver = try thread()
    _ = driver.update(Self.everything)
    _ = driver.update(SettingsChange(serviceTier: "slow", removeMetadata: ["a"]))
    var expected = Self.allOfIt
    expected.serviceTier = "slow"
    expected.metadata = [NameValue(name: "b", value: "2")]
    #expect(driver.record.settings == expected)
    _ = driver.update(
      SettingsChange(
        mode: ModeSelection(choice: .clear(true)), removeMetadata: ["b"],
        clear: SettingsField.allCases.filter { $0 != .unspecified }))
    #expect(driver.record.settings == Settings(model: "scripted-v2", modelProvider: "scripted"))
  }

  @Test("S1: an output schema is for this turn only")
  func thisTurnOnly() throws {
    let driver = try thread()
    let request = StartTurnRequest(input: .text("a"), outputSchema: #"{"type":"object"}"#)
    driver.send(.startTurn(request))
    driver.complete()
    try driver.runTurn("b")
    #expect(driver.contexts.map(\.outputSchema) == [#"{"type":"object"}"#, nil])
  }

  @Test(
    "S2: an update in the middle of a turn is an event now; the running turn keeps its context, the next one has it")
  func midTurn() throws {
    let driver = try thread()
    try driver.startTurn("a")
    let context = driver.record.running?.context
    _ = driver.update(.model("scripted-v1"))
    #expect(driver.settingsUpdates.map(\.settings?.model) == ["scripted-v1"])
    #expect(driver.record.running?.context == context)
    // The model continues with the context that the turn started with.
    driver.model(.toolCall(id: "1", name: "none", arguments: "{}", providerID: ""), .finished)
    let asked = driver.effects.compactMap { if case .startModel(let m, _) = $0 { m.context } else { nil } }
    #expect(asked == [context])
    driver.complete()
    try driver.runTurn("b")
    #expect(driver.contexts.map(\.settings?.model) == ["scripted", "scripted-v1"])
    #expect(driver.contexts.map(\.revision) == [1, 2])
  }

  @Test("S3: an update starts no model request, adds no item and changes no status")
  func silent() throws {
    let driver = try thread()
    let answer = driver.update(.select(.proactive))
    let event = try #require(driver.appended.first)
    #expect(driver.effects == [.append(event), .reply(Ticket(1), answer, after: event.sequence)])
    #expect(driver.appended.count == 1)
  }

  @Test(
    "S4: an event when, and only when, something changed: an equal value, an empty update and nothing give none",
    arguments: [
      SettingsChange(), SettingsChange(reasoningEffort: "high"), SettingsChange(model: "scripted-v2"),
      SettingsChange(mode: ModeSelection(choice: .set(.proactive))), SettingsChange(mode: ModeSelection()),
      SettingsChange(metadata: [NameValue(name: "a", value: "1")]), SettingsChange(removeMetadata: ["nobody"]),
    ])
  func equal(_ change: SettingsChange) throws {
    let driver = try thread()
    _ = driver.update(Self.everything)
    let before = driver.record
    let expected = Answer.response(
      .settingsUpdate(
        UpdateSettingsResponse(sequence: before.sequence, revision: 2, changed: false, settings: Self.allOfIt)))
    #expect(driver.update(change) == expected)
    #expect(driver.appended == [])
    #expect(driver.record == before)
  }

  @Test("S4: other bytes are a change, also where they look alike (attacks.md M21)")
  func bytes() throws {
    let driver = try thread()
    for text in ["caf\u{E9}", "cafe\u{301}"] {
      _ = driver.update(SettingsChange(developerInstructions: text, metadata: [NameValue(name: "n", value: text)]))
      #expect(driver.appended.count == 1)
      #expect(Array((driver.record.settings?.developerInstructions ?? "").utf8) == Array(text.utf8))
      #expect(Array((driver.record.settings?.metadata.first?.value ?? "").utf8) == Array(text.utf8))
    }
  }

  @Test("S4: clearing what is unset changes nothing; clearing what is set does")
  func clearing() throws {
    let driver = try thread()
    _ = driver.update(.clearMode)
    _ = driver.update(SettingsChange(clear: [.reasoningEffort]))
    #expect(driver.settingsUpdates == [])
    _ = driver.update(.select(.proactive))
    _ = driver.update(.clearMode)
    #expect(driver.settingsUpdates.map(\.revision) == [2, 3])
  }

  @Test("S4: each change has the next revision, in the reply, the event, the record and the turn context")
  func revisions() throws {
    let driver = try thread()
    #expect(driver.record.revision == 1)
    guard case .response(.settingsUpdate(let reply)) = driver.update(.select(.proactive)) else {
      Issue.record("refused")
      return
    }
    #expect(
      reply
        == UpdateSettingsResponse(
          sequence: driver.record.sequence, revision: 2, changed: true, settings: driver.record.settings))
    try driver.runTurn("a", SettingsChange(reasoningEffort: "low"))
    try driver.runTurn("b")
    #expect(driver.settingsUpdates.map(\.revision) == [2, 3])
    #expect(driver.contexts.map(\.revision) == [3, 3])
    #expect(driver.machine.summary().revision == 3)
  }

  @Test("S4: of two updates from one revision the second is refused and leaves no trace; the first goes through")
  func staleRevision() throws {
    let driver = try thread()
    guard case .response(.settingsUpdate(let first)) = driver.update(.select(.proactive), expected: 1) else {
      Issue.record("refused")
      return
    }
    #expect(first.revision == 2)
    let before = driver.record
    #expect(driver.update(.clearMode, expected: 1) == .refused(Refusal(.revisionMismatch, [("now", "2")])))
    #expect(driver.appended == [])
    #expect(driver.record == before)
    // Nor one that is ahead: there is no such revision.
    for ahead: UInt64 in [3, 4, .max] {
      #expect(driver.update(.clearMode, expected: ahead) == .refused(Refusal(.revisionMismatch, [("now", "2")])))
    }
    #expect(driver.record == before)
    // A stale update is refused even when it would change nothing: its sender knows less than it thinks.
    #expect(driver.update(SettingsChange(), expected: 1) == .refused(Refusal(.revisionMismatch, [("now", "2")])))
  }

  @Test("S5: the reply waits for the event; the turn that applies an override waits for it too")
  func durable() throws {
    let driver = try thread()
    _ = driver.update(.select(.proactive))
    let event = try #require(driver.appended.first)
    let replies = driver.effects.compactMap { if case .reply(_, _, let after) = $0 { after } else { nil } }
    #expect(replies == [event.sequence])
    try driver.startTurn("a", .clearMode)
    let last = try #require(driver.appended.last)
    let waiting = driver.effects.compactMap { effect -> UInt64? in
      switch effect {
      case .reply(_, _, let after), .startModel(_, let after): after
      default: nil
      }
    }
    #expect(waiting == [last.sequence, last.sequence])
  }

  @Test(
    "M10 of attacks.md: an unknown model or another provider is refused and nothing is appended; a known one is taken",
    arguments: [
      (SettingsChange(model: "nobody"), Refusal(.unknownModel, [("model", "nobody")])),
      (
        SettingsChange(modelProvider: "nobody"),
        Refusal(.unknownModel, [("model", "scripted"), ("model_provider", "nobody")])
      ),
    ])
  func unknownModel(_ change: SettingsChange, _ refusal: Refusal) throws {
    let driver = try thread()
    let before = driver.record
    #expect(driver.update(change) == .refused(refusal))
    #expect(driver.send(.startTurn(StartTurnRequest(input: .text("a"), settings: change))) == .refused(refusal))
    #expect(driver.record == before && driver.appended == [])
    _ = driver.update(SettingsChange(model: "scripted-v1", modelProvider: "scripted"))
    #expect(driver.record.settings?.model == "scripted-v1")
  }

  @Test(
    "P22 of attacks.md: a temperature that is no number is refused, one out of range too; −0.0 and the bounds are taken"
  )
  func temperature() throws {
    let driver = try thread()
    for value in [Float.nan, .infinity, -.infinity] {
      #expect(
        driver.update(SettingsChange(temperature: value))
          == .refused(Refusal(.notFinite, [("field", "settings.temperature")])))
    }
    for value in [Float(-0.1), 2.1, 1e38] {
      #expect(
        driver.update(SettingsChange(temperature: value))
          == .refused(Refusal(.outOfRange, [("field", "settings.temperature"), ("minimum", "0"), ("maximum", "2")])))
    }
    #expect(driver.settingsUpdates == [])
    for value in [Float(-0.0), 2, 0.7] {
      _ = driver.update(SettingsChange(temperature: value))
      #expect(driver.record.settings?.temperature == value)
    }
  }

  @Test("S1: texts have limits; one byte less is taken")
  func limits() throws {
    let driver = try thread()
    let limits = driver.rules.limits
    func long(_ count: Int) -> String { String(repeating: "x", count: count) }
    let cases: [(field: String, limit: Int, (String) -> SettingsChange)] = [
      ("settings.reasoning_effort", limits.shortTextBytes, { SettingsChange(reasoningEffort: $0) }),
      ("settings.developer_instructions", limits.longTextBytes, { SettingsChange(developerInstructions: $0) }),
      ("settings.working_folder", limits.metadataValueBytes, { SettingsChange(workingFolder: $0) }),
      (
        "settings.metadata.value", limits.metadataValueBytes,
        { SettingsChange(metadata: [NameValue(name: "n", value: $0)]) }
      ),
    ]
    for (field, limit, change) in cases {
      #expect(
        driver.update(change(long(limit + 1)))
          == .refused(Refusal(.textTooLong, [("field", field), ("limit", "\(limit)")])))
      #expect(driver.appended == [])
      guard case .response(.settingsUpdate(let reply)) = driver.update(change(long(limit))) else {
        Issue.record("\(field) refused at its limit")
        continue
      }
      #expect(reply.changed)
    }
  }

  @Test("S1: setting and unsetting one field in one change is refused; metadata without a name and too much of it too")
  func contradictions() throws {
    let driver = try thread()
    #expect(
      driver.update(SettingsChange(serviceTier: "fast", clear: [.serviceTier]))
        == .refused(Refusal(.emptyChange, [("field", "settings.service_tier")])))
    #expect(
      driver.update(SettingsChange(metadata: [NameValue(name: "", value: "v")]))
        == .refused(Refusal(.missingField, [("field", "settings.metadata.name")])))
    let full = (0..<64).map { NameValue(name: "n\($0)", value: "v") }
    _ = driver.update(SettingsChange(metadata: full))
    #expect(driver.record.settings?.metadata.count == 64)
    #expect(
      driver.update(SettingsChange(metadata: [NameValue(name: "one more", value: "v")]))
        == .refused(Refusal(.tooManyElements, [("field", "settings.metadata"), ("limit", "64")])))
    #expect(driver.settingsUpdates.count == 1)
  }

  @Test("S1: budgets, bounds of a tree and what wakes a parent are set together, and unset one by one")
  func numbers() throws {
    let driver = try thread()
    let all = SettingsChange(
      turnTokens: 1, threadTokens: 2, treeTokens: 3, agentDepth: 4, agentTotal: 5, wakeParent: true)
    var expected = Settings(
      model: "scripted", modelProvider: "scripted", turnTokens: 1, threadTokens: 2, treeTokens: 3, agentDepth: 4,
      agentTotal: 5, wakeParent: true)
    _ = driver.update(all)
    #expect(driver.record.settings == expected)
    let unset: [(SettingsField, (inout Settings) -> Void)] = [
      (.turnTokens, { $0.turnTokens = nil }), (.threadTokens, { $0.threadTokens = nil }),
      (.treeTokens, { $0.treeTokens = nil }), (.agentDepth, { $0.agentDepth = nil }),
      (.agentTotal, { $0.agentTotal = nil }), (.wakeParent, { $0.wakeParent = nil }),
    ]
    for (field, change) in unset {
      var both = all
      both.clear = [field]
      #expect(
        driver.update(both)
          == .refused(Refusal(.emptyChange, [("field", "settings.\(field.name.lowercased())")])))
      _ = driver.update(SettingsChange(clear: [field]))
      change(&expected)
      #expect(driver.record.settings == expected, "\(field)")
    }
  }

  @Test("S1: every text has its limit, whatever else comes with it")
  func allLimits() throws {
    let driver = try thread()
    let limits = driver.rules.limits
    func long(_ count: Int) -> String { String(repeating: "x", count: count) }
    let cases: [(field: String, limit: Int, (String) -> SettingsChange)] = [
      ("model", limits.shortTextBytes, { SettingsChange(model: $0) }),
      ("model_provider", limits.shortTextBytes, { SettingsChange(modelProvider: $0) }),
      ("reasoning_summary", limits.shortTextBytes, { SettingsChange(reasoningSummary: $0) }),
      ("service_tier", limits.shortTextBytes, { SettingsChange(serviceTier: $0) }),
      ("base_instructions", limits.longTextBytes, { SettingsChange(baseInstructions: $0) }),
      ("metadata.name", limits.shortTextBytes, { SettingsChange(metadata: [NameValue(name: $0, value: "v")]) }),
    ]
    for (field, limit, change) in cases {
      #expect(
        driver.update(change(long(limit + 1)))
          == .refused(Refusal(.textTooLong, [("field", "settings." + field), ("limit", "\(limit)")])))
      #expect(driver.appended == [])
      _ = driver.update(change(long(limit)))
      #expect(driver.refusal?.reason != .textTooLong, "\(field)")
    }
  }

  @Test("S1: of two values for one name the last one counts, and a new value takes the place of the old one")
  func metadataOfOneName() throws {
    let driver = try thread()
    func set(_ values: String...) -> SettingsChange {
      SettingsChange(metadata: values.map { NameValue(name: "n", value: $0) })
    }
    _ = driver.update(set("1", "2"))
    #expect(driver.record.settings?.metadata == [NameValue(name: "n", value: "2")])
    _ = driver.update(set("3"))
    #expect(driver.record.settings?.metadata == [NameValue(name: "n", value: "3")])
  }
}
