import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRuntime
import Testing

@testable import HeddleModels

@Suite struct AnthropicTests {
  private let provider = Answers.provider(.anthropic)

  private func body(
    _ items: [Item], effort: String? = nil, tools: [ToolDefinition] = [Answers.lookTool], isCompaction: Bool = false,
    change: (inout ProviderConfiguration) -> Void = { _ in }
  ) -> JSONValue {
    AnthropicAPI(configuration: Answers.provider(.anthropic, change)).body(
      Answers.request(
        items, settings: Settings(model: "m1", reasoningEffort: effort), tools: tools, isCompaction: isCompaction))
  }

  private static let block = #"{"type":"thinking","thinking":"why","signature":"SIG=="}"#

  /// Kinds of blocks by message: `user: text; assistant: thinking tool_use`.
  private func outline(_ body: JSONValue) -> String {
    (body["messages"]?.elements ?? []).map { message in
      let kinds = (message["content"]?.elements ?? []).map { $0["type"]?.string ?? "?" }
      return "\(message["role"]?.string ?? "?"): \(kinds.joined(separator: " "))"
    }.joined(separator: "; ")
  }

  // MARK: Requests

  @Test("The request of a whole conversation is as the API wants it")
  func goldenRequest() throws {
    var settings = Settings(model: "m1", reasoningEffort: "high", serviceTier: "auto")
    settings.baseInstructions = "Be brief."
    settings.temperature = 0.5
    let image = ContentPart(part: .image(ImagePart(url: "data:image/png;base64,AA")))
    let look = Item(kind: .message(MessageItem(role: .user, content: [ContentPart(part: .text("see")), image])))
    let items = [
      Answers.said(.developer, "hint"), look, Answers.thought("why", Self.block), Answers.said(.assistant, "on it"),
      Answers.called("c:1", "look", #"{"q":"x"}"#), Answers.called("c2"), Answers.output("c:1", "found"),
      Answers.output("c2", "broken", success: false), Answers.said(.developer, "mode"), Answers.mail(.message, "go"),
    ]
    let request = Answers.request(items, settings: settings, tools: [Answers.lookTool], schema: #"{"type":"object"}"#)
    let expected = try Answers.json(
      #"""
      {"model": "m1", "max_tokens": 32000,
       "system": [{"type": "text", "text": "Be brief.\n\nhint", "cache_control": {"type": "ephemeral"}}],
       "messages": [
         {"role": "user", "content": [{"type": "text", "text": "see"},
           {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}]},
         {"role": "assistant", "content": [{"type": "thinking", "thinking": "why", "signature": "SIG=="},
           {"type": "text", "text": "on it"},
           {"type": "tool_use", "id": "c_1", "name": "look", "input": {"q": "x"}},
           {"type": "tool_use", "id": "c2", "name": "look", "input": {}}]},
         {"role": "user", "content": [
           {"type": "tool_result", "tool_use_id": "c_1", "content": [{"type": "text", "text": "found"}]},
           {"type": "tool_result", "tool_use_id": "c2", "content": [{"type": "text", "text": "broken"}], "is_error": true},
           {"type": "text", "text": "<developer_message>\nmode\n</developer_message>"},
           {"type": "text", "text": "<agent_message from=\"/root\" to=\"/root/a\" kind=\"MESSAGE\">\ngo\n</agent_message>",
            "cache_control": {"type": "ephemeral"}}]}],
       "tools": [{"name": "look", "description": "Looks.",
         "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}}}],
       "thinking": {"type": "adaptive", "display": "summarized"},
       "output_config": {"effort": "high", "format": {"type": "json_schema", "schema": {"type": "object"}}},
       "service_tier": "auto", "stream": true}
      """#)
    #expect(AnthropicAPI(configuration: provider).body(request) == expected)
  }

  @Test("Without thoughts temperature is sent; models before 4.6 get a budget that leaves room for the answer")
  func thinking() throws {
    var settings = Settings(model: "m1")
    settings.temperature = 0.5
    let plain = AnthropicAPI(configuration: provider).body(Answers.request(settings: settings))
    #expect(plain["temperature"] == .number("0.5"))
    #expect(plain["thinking"] == nil && plain["output_config"] == nil)
    let items = [Answers.said(.user, "u")]
    #expect(body(items, effort: "none")["thinking"] == nil)
    #expect(body(items, effort: "minimal")["output_config"]?["effort"]?.string == "low")
    let budgets = [
      ("low", 32_000, 4_096), ("medium", 32_000, 8_192), ("high", 32_000, 16_384), ("high", 5_000, 3_976),
    ]
    for (effort, maximum, budget) in budgets {
      let old = body(items, effort: effort) {
        $0.budgetsThoughts = true
        $0.maximumOutputTokens = maximum
      }
      #expect(old["thinking"] == (try Answers.json(#"{"type":"enabled","budget_tokens":\#(budget)}"#)))
      #expect(old["output_config"] == nil && old["max_tokens"] == .whole(maximum))
    }
    let tiny = body(items, effort: "high") {
      $0.budgetsThoughts = true
      $0.maximumOutputTokens = 2_000
    }
    #expect(tiny["thinking"] == nil)
    for (summary, display) in [("none", "omitted"), ("auto", "summarized")] {
      let settings = Settings(model: "m1", reasoningEffort: "high", reasoningSummary: summary)
      let shown = AnthropicAPI(configuration: provider).body(Answers.request(items, settings: settings))
      #expect(shown["thinking"]?["display"]?.string == display)
    }
  }

  @Test("An image is sent as it is, or by its address")
  func images() throws {
    func source(_ url: String) -> JSONValue? {
      let image = MessageItem(role: .user, content: [ContentPart(part: .image(ImagePart(url: url)))])
      return body([Item(kind: .message(image))])["messages"]?.elements?.first?["content"]?.elements?.first?["source"]
    }
    #expect(
      source("https://example.org/a.png")
        == .members(["type": .text("url"), "url": .text("https://example.org/a.png")]))
    #expect(source("data:image/gif;base64,BB")?["media_type"]?.string == "image/gif")
  }

  @Test("Thoughts of the turn in hand always go back; earlier ones only where the request thinks")
  func thoughtsGoBack() {
    let earlier = [Answers.said(.user, "u"), Answers.thought("a", Self.block), Answers.said(.assistant, "b")]
    let now = [
      Answers.said(.user, "v"), Answers.thought("c", Self.block), Answers.called("1"), Answers.output("1", "x"),
    ]
    let calls = "user: text; assistant: thinking tool_use; user: tool_result"
    #expect(outline(body(earlier + now)) == "user: text; assistant: text; \(calls)")
    #expect(outline(body(earlier + now, effort: "low")) == "user: text; assistant: thinking text; \(calls)")
    let redacted = Answers.thought("", #"{"type":"redacted_thinking","data":"D"}"#)
    #expect(
      outline(body([now[0], redacted, now[2], now[3]]))
        == "user: text; assistant: redacted_thinking tool_use; user: tool_result")
  }

  @Test("Roles alternate, and a user's message comes first and last")
  func alternation() {
    #expect(
      outline(body([Answers.said(.assistant, "a"), Answers.said(.assistant, "b")]))
        == "user: text; assistant: text text; user: text")
    #expect(
      outline(body([Answers.said(.user, "a"), Answers.said(.user, "b"), Answers.said(.user, " \n")]))
        == "user: text text")
    #expect(outline(body([])) == "user: text")
  }

  @Test("Where no tools are offered calls are told of as text, which the API takes")
  func compaction() {
    let items = [
      Answers.said(.user, "u"), Answers.called("1"), Answers.output("1", "x"), Answers.said(.user, "sum up"),
    ]
    let request = body(items, effort: "high", isCompaction: true)
    #expect(outline(request) == "user: text; assistant: text; user: text text text")
    #expect(request["tools"] == nil)
  }

  @Test("The key and the version are headers")
  func headers() {
    let headers = AnthropicAPI(configuration: provider).headers(Answers.request())
    #expect(
      headers.map { "\($0.name): \($0.value)" } == ["anthropic-version: 2023-06-01", "x-api-key: sk-very-secret-key"])
    #expect(provider.api().call(Answers.request(), provider).address == "http://127.0.0.1:9/v1/messages")
  }

  // MARK: Answers

  private static let start =
    #"{"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{"input_tokens":10,"cache_read_input_tokens":50,"cache_creation_input_tokens":40,"output_tokens":1}}}"#
  private static let stop = #"{"type":"message_stop"}"#

  private static func delta(_ index: Int, _ delta: String) -> String {
    #"{"type":"content_block_delta","index":\#(index),"delta":\#(delta)}"#
  }

  private static func block(_ index: Int, _ block: String) -> String {
    #"{"type":"content_block_start","index":\#(index),"content_block":\#(block)}"#
  }

  private static func end(_ index: Int) -> String { #"{"type":"content_block_stop","index":\#(index)}"# }

  private static let whole = [
    start, block(0, #"{"type":"thinking","thinking":"","signature":""}"#), #"{"type":"ping"}"#,
    delta(0, #"{"type":"thinking_delta","thinking":"wh"}"#), delta(0, #"{"type":"thinking_delta","thinking":"y"}"#),
    delta(0, #"{"type":"signature_delta","signature":"SIG=="}"#), end(0),
    block(1, #"{"type":"redacted_thinking","data":"D"}"#), end(1), block(2, #"{"type":"text","text":""}"#),
    delta(2, #"{"type":"text_delta","text":"Hello"}"#), delta(2, #"{"type":"text_delta","text":" ä𝄞"}"#), end(2),
    block(3, #"{"type":"tool_use","id":"t1","name":"look","input":{}}"#),
    delta(3, #"{"type":"input_json_delta","partial_json":""}"#),
    delta(3, #"{"type":"input_json_delta","partial_json":"{\"q\":"}"#),
    delta(3, #"{"type":"input_json_delta","partial_json":"1}"}"#), end(3),
    block(4, #"{"type":"tool_use","id":"t2","name":"wait","input":{}}"#), end(4),
    #"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":33}}"#, stop,
  ]
  private static let wholeSignals: [ModelSignal] = [
    .thought("why"), .itemDone(ItemEnd(isThought: true, encrypted: block)),
    .itemDone(ItemEnd(isThought: true, encrypted: #"{"type":"redacted_thinking","data":"D"}"#)), .text("Hello ä𝄞"),
    .itemDone(ItemEnd(isThought: false)), .toolCall(id: "t1", name: "look", arguments: #"{"q":1}"#, providerID: ""),
    .toolCall(id: "t2", name: "wait", arguments: "{}", providerID: ""),
    .usage(TokenUsage(inputTokens: 100, cachedInputTokens: 50, outputTokens: 33)),
  ]

  @Test("An answer with thoughts, text, calls and usage becomes signals, wherever it is cut")
  func wholeAnswer() {
    let bytes = Answers.stream(Self.whole)
    for cut in [0] + Array(stride(from: 1, to: bytes.count, by: 11)) {
      let (signals, fault) = Answers.read(bytes, provider, pieces: cut == 0 ? [] : [cut])
      #expect(fault == nil)
      #expect(Answers.merged(signals) == Self.wholeSignals)
    }
    #expect(Answers.merged(Answers.read(bytes, provider, pieces: bytes.map { _ in 1 }).signals) == Self.wholeSignals)
  }

  @Test("A thought without a signature cannot go back; blocks of unknown types are skipped")
  func oddBlocks() {
    let events = [
      Self.start, Self.block(0, #"{"type":"thinking","thinking":"a"}"#), Self.end(0),
      Self.block(1, #"{"type":"server_tool_use","id":"s","name":"web_search"}"#),
      Self.delta(1, #"{"type":"input_json_delta","partial_json":"{"}"#), Self.end(1),
      Self.block(2, #"{"type":"text","text":"b"}"#), Self.delta(2, #"{"type":"citations_delta","citation":{}}"#),
      Self.end(2), Self.stop,
    ]
    let (signals, fault) = Answers.read(events, provider)
    #expect(fault == nil)
    #expect(
      signals.dropLast() == [
        .thought("a"), .itemDone(ItemEnd(isThought: true)), .text("b"), .itemDone(ItemEnd(isThought: false)),
      ])
  }

  @Test("A10: arguments that are not JSON are a call as it came, and go back as an object that shows them")
  func wrongArguments() throws {
    let events = [
      Self.start, Self.block(0, #"{"type":"tool_use","id":"t","name":"look","input":{}}"#),
      Self.delta(0, #"{"type":"input_json_delta","partial_json":"{\"q\": "}"#), Self.end(0), Self.stop,
    ]
    let (signals, fault) = Answers.read(events, provider)
    #expect(fault == nil)
    #expect(signals.first == .toolCall(id: "t", name: "look", arguments: #"{"q": "#, providerID: ""))
    let body = AnthropicAPI(configuration: provider).body(Answers.wrongCall)
    #expect(
      body["messages"]?.elements?[1]["content"]?.elements?.first
        == (try Answers.json(
          #"{"type": "tool_use", "id": "c1", "name": "look", "input": {"INVALID_JSON": "{\"q\": "}}"#)))
  }

  @Test("M23: what breaks the protocol ends the answer as invalid, and is not tried again")
  func invalid() {
    let text = Self.block(0, #"{"type":"text","text":""}"#)
    let bad: [[String]] = [
      ["{"], [Self.stop], [text], [Self.start, Self.start], [Self.start, text, text], [Self.start, text, Self.end(1)],
      [Self.start, Self.delta(0, #"{"type":"text_delta","text":"x"}"#)], [Self.start, text, Self.stop],
      [Self.start, text, Self.delta(0, #"{"type":"thinking_delta","thinking":"x"}"#)],
      [Self.start, Self.block(0, #"{"type":"tool_use","input":{}}"#), Self.end(0)],
      [Self.start, #"{"type":"content_block_start","index":0}"#],
    ]
    for events in bad {
      let fault = Answers.read(events, provider).fault
      #expect(fault?.reason == "model_output_invalid", "\(events)")
      #expect(fault?.isRetried == false)
    }
  }

  @Test("Ends and errors in the middle of a stream have their reasons")
  func failures() {
    func fault(_ event: String) -> AnswerFault? { Answers.read([Self.start, event], provider).fault }
    func error(_ type: String, _ message: String = "m") -> AnswerFault? {
      fault(#"{"type":"error","error":{"type":"\#(type)","message":"\#(message)"}}"#)
    }
    func stopped(_ reason: String) -> AnswerFault? {
      fault(#"{"type":"message_delta","delta":{"stop_reason":"\#(reason)"},"usage":{"output_tokens":1}}"#)
    }
    let table: [(AnswerFault?, String, Bool)] = [
      (error("overloaded_error"), "model_rate_limited", true), (error("api_error"), "model_failed", true),
      (error("rate_limit_error"), "model_rate_limited", true),
      (error("authentication_error"), "model_unauthorized", false),
      (error("invalid_request_error"), "model_failed", false),
      (error("invalid_request_error", "prompt is too long: 1 > 0"), "context_window_exceeded", false),
      (stopped("max_tokens"), "model_output_too_large", false), (stopped("refusal"), "model_failed", false),
      (stopped("model_context_window_exceeded"), "context_window_exceeded", false),
      (stopped("end_turn"), "model_output_invalid", true),
    ]
    for (fault, reason, isRetried) in table {
      #expect(fault?.reason == reason)
      #expect(fault?.isRetried == isRetried)
    }
  }

  @Test("M23: calls and thoughts that never end are cut at their limits")
  func limits() {
    let small = Answers.provider(.anthropic) {
      $0.limits.argumentBytes = 10
      $0.limits.opaqueBytes = 10
    }
    let tool = Self.block(0, #"{"type":"tool_use","id":"t","name":"n","input":{}}"#)
    let piece = Self.delta(0, #"{"type":"input_json_delta","partial_json":"123456"}"#)
    #expect(Answers.read([Self.start, tool, piece, piece], small).fault?.reason == "model_output_too_large")
    let thought = Self.block(0, #"{"type":"thinking","thinking":""}"#)
    for kind in ["thinking", "signature"] {
      let piece = Self.delta(0, #"{"type":"\#(kind)_delta","\#(kind)":"123456"}"#)
      #expect(Answers.read([Self.start, thought, piece], small).fault?.isRetried == true)
      #expect(Answers.read([Self.start, thought, piece, piece], small).fault?.reason == "model_output_too_large")
    }
  }
}
