import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRuntime
import Testing

@testable import HeddleModels

/// Requests and answers that the tests of all three APIs are written with.
enum Answers {
  static let thread = ThreadID(high: 1, low: 2)
  static let root = ThreadID(high: 3, low: 4)
  static let parent = ThreadID(high: 5, low: 6)

  static func provider(_ kind: ProviderKind, _ change: (inout ProviderConfiguration) -> Void = { _ in })
    -> ProviderConfiguration
  {
    var configuration = ProviderConfiguration(name: "there", kind: kind, baseURL: "http://127.0.0.1:9/v1")
    configuration.key = SecretText("sk-very-secret-key")
    change(&configuration)
    return configuration
  }

  static func request(
    _ items: [Item] = [said(.user, "hello")], settings: Settings = Settings(model: "m1"), tools: [ToolDefinition] = [],
    schema: String? = nil, isCompaction: Bool = false
  ) -> ModelRequest {
    ModelRequest(
      thread: thread, turn: TurnID(), context: TurnContext(settings: settings, outputSchema: schema), items: items,
      tools: tools, root: root, parent: parent, isCompaction: isCompaction)
  }

  static func said(_ role: Role, _ text: String, phase: Phase = .unspecified) -> Item {
    Item(kind: .message(MessageItem(role: role, content: [ContentPart(part: .text(text))], phase: phase)))
  }

  static func called(_ id: String, _ name: String = "look", _ arguments: String = "{}") -> Item {
    Item(kind: .toolCall(ToolCallItem(callId: id, name: name, arguments: arguments)))
  }

  static func output(_ id: String, _ text: String, success: Bool? = true) -> Item {
    Item(kind: .toolOutput(ToolOutputItem(callId: id, content: [ContentPart(part: .text(text))], success: success)))
  }

  static func thought(_ summary: String, _ encrypted: String?, provider: String = "there", id: String = "rs_1") -> Item
  {
    Item(
      providerId: id,
      kind: .reasoning(ReasoningItem(summary: [summary], encrypted: encrypted, provider: provider)))
  }

  static func mail(_ kind: AgentMessageKind, _ text: String) -> Item {
    Item(
      kind: .agentMessage(
        AgentMessageItem(
          author: "/root", recipient: "/root/a", content: [ContentPart(part: .text(text))], kind: kind)))
  }

  static let lookTool = ToolDefinition(
    name: "look", description: "Looks.", schema: #"{"type":"object","properties":{"q":{"type":"string"}}}"#)

  /// A history with a call whose arguments are not JSON.
  static var wrongCall: ModelRequest {
    request(
      [said(.user, "hello"), called("c1", "look", #"{"q": "#), output("c1", "not JSON", success: false)],
      tools: [lookTool])
  }

  /// What a body of HTTP bytes comes to: the signals, and the fault if there is one.
  static func read(
    _ body: [UInt8], _ configuration: ProviderConfiguration, pieces: [Int] = [], status: Int = 200,
    headers: [(name: String, value: String)] = [("content-type", "text/event-stream")], request: ModelRequest? = nil
  ) -> (signals: [ModelSignal], fault: AnswerFault?) {
    var signals: [ModelSignal] = []
    var reader = AnswerReader(
      decoder: configuration.api().decoder(request ?? Answers.request()), words: configuration.words,
      limits: configuration.limits)
    do throws(AnswerFault) {
      try reader.begin(status: status, headers: headers, now: 0)
      var rest = body[...]
      for size in pieces + [body.count] where !rest.isEmpty {
        try reader.append(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
        while let more = try reader.next() { signals += more }
      }
      signals += try reader.end()
      return (signals, nil)
    } catch { return (signals, error) }
  }

  /// The same from events, each a JSON text.
  static func read(_ events: [String], _ configuration: ProviderConfiguration) -> (
    signals: [ModelSignal], fault: AnswerFault?
  ) {
    read(stream(events), configuration)
  }

  static func stream(_ events: [String]) -> [UInt8] { Array(events.map { "data: \($0)\n\n" }.joined().utf8) }

  /// Neighbouring pieces of text as one, so that answers cut differently compare.
  static func merged(_ signals: [ModelSignal]) -> [ModelSignal] {
    signals.reduce(into: []) { out, signal in
      switch (out.last, signal) {
      case (.text(let a)?, .text(let b)): out[out.count - 1] = .text(a + b)
      case (.thought(let a)?, .thought(let b)): out[out.count - 1] = .thought(a + b)
      default: out.append(signal)
      }
    }
  }

  static func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }
}

extension AnswerFault {
  var reason: String { failure.error.reason }
}
