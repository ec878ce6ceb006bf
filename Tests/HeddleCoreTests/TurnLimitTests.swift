// rules.md U1, U2: what waits for a turn is bounded in bytes too, and of every kind of content.

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
}
