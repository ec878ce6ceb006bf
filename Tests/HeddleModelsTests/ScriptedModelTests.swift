import HeddleCore
import HeddleRuntime
import Synchronization
import Testing

@testable import HeddleModels

@Suite struct ScriptedModelTests {
  /// Everything the model says to a user's text.
  private func answer(_ text: String, items: [Item] = []) async throws -> [ModelSignal] {
    let message = MessageItem(role: .user, content: [ContentPart(part: .text(text))])
    let request = ModelRequest(
      thread: ThreadID(), turn: TurnID(), context: TurnContext(),
      items: [Item(kind: .message(message))] + items)
    let heard = Mutex<[ModelSignal]>([])
    try await ScriptedModelProvider().answer(request) { signal in heard.withLock { $0.append(signal) } }
    return heard.withLock { $0 }
  }

  private func text(_ signals: [ModelSignal]) -> String {
    signals.map { if case .text(let text) = $0 { text } else { "" } }.joined()
  }

  @Test("Without a directive the model says what the user said, word by word, and reports usage last")
  func echo() async throws {
    let signals = try await answer("hello there")
    #expect(signals.dropLast() == [.text("You"), .text(" said:"), .text(" hello"), .text(" there")])
    #expect(signals.last == .usage(TokenUsage(inputTokens: 3, outputTokens: 6)))
  }

  @Test("The same text gives the same answer")
  func deterministic() async throws {
    #expect(try await answer("!chunks 3\nabc") == answer("!chunks 3\nabc"))
  }

  @Test("!say, !repeat, !chunks and !flood shape the answer")
  func shapes() async throws {
    #expect(text(try await answer("!say exactly this")) == "exactly this")
    #expect(text(try await answer("!say ab\n!repeat 3")) == "ababab")
    #expect(try await answer("!say abcdef\n!chunks 2").dropLast() == [.text("abc"), .text("def")])
    #expect(text(try await answer("!flood 100000")).utf8.count == 100_000)
  }

  @Test("Numbers that make no sense are brought into range, not trusted")
  func numbers() async throws {
    #expect(text(try await answer("!say a\n!repeat -5")) == "a")
    #expect(text(try await answer("!say a\n!repeat x")) == "a")
    #expect(text(try await answer("!say a\n!chunks 99999999999999999999")) == "a")
  }

  @Test("!tool calls a tool first and answers when its output is there")
  func tools() async throws {
    let first = try await answer("!tool search {\"q\":1}")
    #expect(first.first == .toolCall(id: "call-1-0", name: "search", arguments: "{\"q\":1}", providerID: ""))
    let call = ToolCallItem(callId: "call-1-0", name: "search", arguments: "{}")
    let output = ToolOutputItem(callId: "call-1-0", content: [ContentPart(part: .text("found"))])
    let second = try await answer(
      "!tool search {}", items: [Item(kind: .toolCall(call)), Item(kind: .toolOutput(output))])
    #expect(text(second) == "The tool said: found")
  }

  @Test("!fail and !rubbish end the request with a typed failure; what was said before stands")
  func failures() async throws {
    await #expect(throws: ModelFailure.self) { try await answer("!fail") }
    await #expect(throws: ModelFailure.self) { try await answer("!rubbish\nhello") }
  }

  @Test("!stall says nothing until it is cancelled, and then ends at once")
  func stall() async throws {
    let task = Task { try await answer("!stall") }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test("A script's rule replaces the text that contains its words")
  func script() async throws {
    let heard = Mutex<[ModelSignal]>([])
    let message = MessageItem(role: .user, content: [ContentPart(part: .text("please deploy now"))])
    let request = ModelRequest(
      thread: ThreadID(), turn: TurnID(), context: TurnContext(), items: [Item(kind: .message(message))])
    let model = ScriptedModelProvider(script: [.init(when: "deploy", then: "!say no")])
    try await model.answer(request) { signal in heard.withLock { $0.append(signal) } }
    #expect(text(heard.withLock { $0 }) == "no")
  }
}
