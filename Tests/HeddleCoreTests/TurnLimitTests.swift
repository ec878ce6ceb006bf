// rules.md U1, U2: input that waits for a turn is bounded in bytes too, and of every kind of content.

import HeddleCore
import Testing

@Suite struct TurnLimitTests {
  private func busy(bytes: Int, inputs: Int = 16) throws -> ThreadDriver {
    let driver = try ThreadDriver.start()
    try driver.startTurn("first")
    driver.rules.limits.queuedTurnBytes = bytes
    driver.rules.limits.steeredInputs = inputs
    return driver
  }

  private func refused(_ answer: Answer, _ reason: Reason) -> Bool {
    if case .refused(let refusal) = answer { refusal.reason == reason } else { false }
  }

  @Test("U1: the queue is bounded in bytes, schemas counted; at the limit there is room, a byte above there is none")
  func queueBytes() throws {
    let driver = try busy(bytes: 10)
    try driver.startTurn("1234")
    let before = driver.record
    #expect(refused(driver.send(.startTurn(StartTurnRequest(input: .text("12345"), outputSchema: "{}"))), .queueFull))
    #expect(refused(driver.send(.startTurn(StartTurnRequest(input: .text("1234567")))), .queueFull))
    #expect(driver.record == before)
    try driver.startTurn("123456")
    #expect(driver.record.queue.count == 2)
  }

  @Test("U2: what is steered is bounded in inputs and in bytes; what was taken stays")
  func steeredInputs() throws {
    let driver = try busy(bytes: 10, inputs: 2)
    let turn = try #require(driver.record.running?.id)
    func steer(_ text: String) -> Answer { driver.send(.steerTurn(turn, .text(text))) }
    #expect(!refused(steer("12345"), .queueFull))
    #expect(refused(steer("123456"), .queueFull))
    #expect(!refused(steer("12345"), .queueFull))
    driver.rules.limits.queuedTurnBytes = 1_000
    #expect(refused(steer("1"), .queueFull))
    #expect(driver.record.running?.pending.count == 2)
  }

  @Test("U2: a turn that would be steered into one that runs cannot bring a schema")
  func schemaOfASteeredTurn() throws {
    let driver = try busy(bytes: 1_000)
    var request = StartTurnRequest(input: .text("more"), whenBusy: .steer, outputSchema: "{}")
    #expect(refused(driver.send(.startTurn(request)), .turnInProgress))
    request.outputSchema = nil
    #expect(!refused(driver.send(.startTurn(request)), .turnInProgress))
  }

  @Test("Pictures count by their address; parts that only a provider makes are refused")
  func partsOfInput() throws {
    let driver = try busy(bytes: 10)
    func start(_ part: ContentPart.Part?) -> Answer {
      driver.send(.startTurn(StartTurnRequest(input: TurnInput(content: [ContentPart(part: part)]))))
    }
    #expect(refused(start(.image(ImagePart(url: "https://a/b"))), .queueFull))
    #expect(!refused(start(.image(ImagePart(url: "https://a/"))), .queueFull))
    for part in [.encrypted("x"), .opaque(OpaquePart(kind: "x")), nil] as [ContentPart.Part?] {
      #expect(refused(start(part), .unknownOperation))
    }
  }

  @Test("U2: a turn that asks to be steered meets the same bounds; one that is refused leaves nothing of its settings")
  func steeredByStart() throws {
    for (bytes, inputs) in [(9, 16), (100, 1)] {
      let driver = try busy(bytes: bytes, inputs: inputs)
      func steer(_ effort: String) -> Answer {
        let change = SettingsChange(reasoningEffort: effort)
        return driver.send(.startTurn(StartTurnRequest(input: .text("12345"), settings: change, whenBusy: .steer)))
      }
      #expect(!refused(steer("low"), .queueFull))
      let before = driver.record
      #expect(refused(steer("high"), .queueFull))
      #expect(driver.record == before && driver.appended == [])
      #expect(driver.record.running?.pending.count == 1 && driver.record.currentSettings.reasoningEffort == "low")
    }
  }

  @Test("U2 A7: what the agent above adds to a running turn is bounded like a client's")
  func agentInput() throws {
    let driver = try ThreadDriver.agent(.v1)
    driver.send(.agentInput(.text("first")))
    driver.rules.limits.steeredInputs = 1
    #expect(!refused(driver.send(.agentInput(.text("more"))), .queueFull))
    #expect(refused(driver.send(.agentInput(.text("and more"))), .queueFull))
    #expect(driver.appended == [] && driver.record.running?.pending.count == 1)
  }

  @Test("Texts beside the input have limits, in a turn that would wait too; the longest are taken")
  func texts() throws {
    let driver = try ThreadDriver.start()
    let limits = driver.rules.limits
    func start(name: Int, schema: Int) -> Answer {
      var input = TurnInput.text("x")
      input.clientId = String(repeating: "n", count: name)
      return driver.send(
        .startTurn(StartTurnRequest(input: input, outputSchema: String(repeating: "s", count: schema))))
    }
    for _ in 0..<2 {
      #expect(refused(start(name: limits.shortTextBytes + 1, schema: 2), .textTooLong))
      #expect(refused(start(name: 1, schema: limits.longTextBytes + 1), .textTooLong))
      #expect(driver.appended == [])
      #expect(!refused(start(name: limits.shortTextBytes, schema: limits.longTextBytes), .textTooLong))
    }
    #expect(driver.record.running != nil && driver.record.queue.count == 1)
  }

  @Test("U1 U2: a client's own name of an input comes back with its message, started, steered or after it waited")
  func clientNames() throws {
    let driver = try ThreadDriver.start()
    func named(_ name: String) -> TurnInput {
      var input = TurnInput.text(name)
      input.clientId = "my " + name
      return input
    }
    driver.send(.startTurn(StartTurnRequest(input: named("one"))))
    driver.send(.steerTurn(try #require(driver.record.running?.id), named("two")))
    driver.send(.startTurn(StartTurnRequest(input: named("three"))))
    for _ in 0..<3 { driver.complete() }
    let said = driver.modelInput.filter { if case .message(let m)? = $0.kind { m.role == .user } else { false } }
    #expect(said.map(\.text) == ["one", "two", "three"])
    #expect(said.map(\.providerId) == ["my one", "my two", "my three"])
  }

  @Test("A thread that is full takes no task of an agent above either: its mail waits")
  func fullAgent() throws {
    let driver = try ThreadDriver.agent(.v2)
    driver.receive(1, "one", .newTask, trigger: true)
    driver.rules.limits.threadEvents = driver.record.sequence
    driver.handle(.slotGranted)
    #expect(driver.appended == [] && driver.record.running == nil && driver.record.mailbox.count == 1)
  }
}
