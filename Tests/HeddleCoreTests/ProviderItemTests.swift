// Items of a provider that are not shown to clients as they grow: they belong to the history, because the provider
// wants them back.

import HeddleCore
import Testing

@Suite struct ProviderItemTests {
  /// The kinds of the model's items, in the order of their completion.
  private func kinds(_ driver: ThreadDriver) -> [Item.Kind] {
    driver.log.compactMap { event in
      guard case .itemCompleted(let completed)? = event.kind, let item = completed.item else { return nil }
      if case .message(let message)? = item.kind, message.role != .assistant { return nil }
      return item.kind
    }
  }

  private func answered(_ signals: ModelSignal...) throws -> ThreadDriver {
    let driver = try ThreadDriver.start()
    try driver.startTurn("go")
    for signal in signals { driver.model(signal) }
    return driver
  }

  @Test("A thought that only the provider can read is kept, in its place and with the provider's name")
  func hiddenThought() throws {
    let hidden = ItemEnd(isThought: true, providerID: "rs_1", encrypted: "sealed")
    let driver = try answered(.text("before"), .itemDone(hidden), .finished)
    let found = kinds(driver)
    #expect(found.count == 2)
    guard case .message? = found.first, case .reasoning(let thought)? = found.last else {
      Issue.record("\(found)")
      return
    }
    #expect(thought == ReasoningItem(encrypted: "sealed", provider: thought.provider))
    #expect(!thought.provider.isEmpty)
  }

  @Test("The end of an item of which nothing came is no item")
  func emptyEnd() throws {
    for end in [ItemEnd(isThought: true, providerID: "rs_1"), ItemEnd(isThought: false, providerID: "msg_1")] {
      #expect(kinds(try answered(.itemDone(end), .text("done"), .finished)).count == 1)
    }
  }

  @Test("What only the provider knows is kept as it is")
  func opaque() throws {
    let part = OpaquePart(kind: "web_search_call", json: "{}")
    let driver = try answered(.opaque(part, providerID: "ws_1"), .text("done"), .finished)
    #expect(kinds(driver).first == .opaque(part))
  }

  @Test("A change may bring as many names of metadata as the limit says, and not one more")
  func metadata() throws {
    let driver = try ThreadDriver.start()
    driver.rules.limits.metadataEntries = 2
    func change(_ count: Int) -> SettingsChange {
      SettingsChange(metadata: (0..<count).map { NameValue(name: "n\($0)", value: "v") })
    }
    #expect(throws: Refusal.self) {
      try driver.record.currentSettings.applying(change(3), rules: driver.rules)
    }
    #expect(try driver.record.currentSettings.applying(change(2), rules: driver.rules).metadata.count == 2)
  }

  @Test("A4: names of the provider, phases and what only it can read stay with their items, each with its own")
  func ends() throws {
    let driver = try answered(
      .thought("hm"), .itemDone(ItemEnd(isThought: true, providerID: "rs_1", encrypted: "sealed")),
      .text("on my way"), .itemDone(ItemEnd(isThought: false, providerID: "msg_1", phase: .commentary)),
      .opaque(OpaquePart(kind: "search", json: "{}"), providerID: "ws_1"),
      .text("done"), .itemDone(ItemEnd(isThought: false, providerID: "msg_2", phase: .finalAnswer)), .finished)
    let items = driver.modelInput.dropFirst()
    #expect(items.map(\.providerId) == ["rs_1", "msg_1", "ws_1", "msg_2"])
    #expect(items.map(\.text) == ["hm", "on my way", nil, "done"])
    let phases = items.compactMap { if case .message(let message)? = $0.kind { message.phase } else { nil } }
    #expect(phases == [.commentary, .finalAnswer])
    #expect(
      items.first?.kind == .reasoning(ReasoningItem(summary: ["hm"], encrypted: "sealed", provider: "scripted")))
    driver.expectFolded()
  }
}
