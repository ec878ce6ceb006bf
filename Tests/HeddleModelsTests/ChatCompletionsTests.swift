import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRuntime
import Testing

@testable import HeddleModels

@Suite struct ChatCompletionsTests {
  private let provider = Answers.provider(.chat)

  private func messages(_ items: [Item], role: Role = .user, base: String? = nil) throws -> JSONValue? {
    var settings = Settings(model: "m1")
    settings.baseInstructions = base
    let api = ChatCompletionsAPI(configuration: Answers.provider(.chat) { $0.developerRole = role })
    return api.body(Answers.request(items, settings: settings))["messages"]
  }

  // MARK: Requests

  @Test("The request of a whole conversation is as llama.cpp, vLLM, Ollama and the like take it")
  func goldenRequest() throws {
    var settings = Settings(model: "m1", reasoningEffort: "low")
    settings.baseInstructions = "Be brief."
    settings.temperature = 0
    let image = ContentPart(part: .image(ImagePart(url: "data:image/png;base64,AA")))
    let look = Item(kind: .message(MessageItem(role: .user, content: [ContentPart(part: .text("see")), image])))
    let items = [
      Answers.said(.developer, "hint"), look, Answers.thought("why", "ENC"), Answers.said(.assistant, "on it"),
      Answers.called("c1", "look", #"{"q":"x"}"#), Answers.called("c2"), Answers.output("c1", "found"),
      Answers.said(.developer, "mode"), Answers.mail(.message, "go"),
    ]
    let request = Answers.request(items, settings: settings, tools: [Answers.lookTool], schema: #"{"type":"object"}"#)
    let expected = try Answers.json(
      #"""
      {"model": "m1",
       "messages": [
         {"role": "system", "content": "Be brief.\n\nhint"},
         {"role": "user", "content": [{"type": "text", "text": "see"},
           {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]},
         {"role": "assistant", "content": "on it", "tool_calls": [
           {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{\"q\":\"x\"}"}},
           {"id": "c2", "type": "function", "function": {"name": "look", "arguments": "{}"}}]},
         {"role": "tool", "tool_call_id": "c1", "content": "found"},
         {"role": "tool", "tool_call_id": "c2", "content": "(no output)"},
         {"role": "user", "content": "<developer_message>\nmode\n</developer_message>"},
         {"role": "user", "content": "<agent_message from=\"/root\" to=\"/root/a\" kind=\"MESSAGE\">\ngo\n</agent_message>"}],
       "tools": [{"type": "function", "function": {"name": "look", "description": "Looks.",
         "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}}],
       "parallel_tool_calls": true, "reasoning_effort": "low", "temperature": 0.0,
       "response_format": {"type": "json_schema",
         "json_schema": {"name": "answer", "schema": {"type": "object"}, "strict": true}},
       "stream": true, "stream_options": {"include_usage": true}}
      """#)
    #expect(ChatCompletionsAPI(configuration: provider).body(request) == expected)
  }

  @Test("In the middle of a conversation the server speaks in the role that is configured")
  func developerRole() throws {
    let items = [Answers.said(.user, "u"), Answers.said(.developer, "d")]
    for (role, expected) in [
      (Role.user, #"{"role":"user","content":"<developer_message>\nd\n</developer_message>"}"#),
      (.developer, #"{"role":"developer","content":"d"}"#), (.system, #"{"role":"system","content":"d"}"#),
    ] {
      #expect(try messages(items, role: role)?.elements?.last == (try Answers.json(expected)))
    }
  }

  @Test("What the model said in one go is one message; a call without text has none")
  func assistantMessages() throws {
    let items = [
      Answers.said(.user, "u"), Answers.said(.assistant, "a"), Answers.said(.assistant, "b"), Answers.said(.user, "v"),
      Answers.called("1"), Answers.output("1", "x"),
    ]
    let said = try #require(try messages(items)?.elements)
    #expect(said.count == 5)
    #expect(said[1] == (try Answers.json(#"{"role":"assistant","content":"a\n\nb"}"#)))
    guard case .object(let members) = said[3] else { return }
    #expect(members.contains(.init("content", .null)))
  }

  @Test("A compaction has neither tools nor a shape; without a key there is no authorization")
  func smallRequest() throws {
    var bare = Answers.provider(.chat)
    bare.key = nil
    bare.maximumOutputTokens = 9
    let request = Answers.request(tools: [Answers.lookTool], schema: "{}", isCompaction: true)
    #expect(
      bare.api().body(request)
        == (try Answers.json(
          #"{"model":"m1","messages":[{"role":"user","content":"hello"}],"max_tokens":9,"stream":true,"stream_options":{"include_usage":true}}"#
        )))
    #expect(bare.api().headers(request).isEmpty)
    #expect(provider.api().headers(request).map(\.value) == ["Bearer sk-very-secret-key"])
  }

  // MARK: Answers

  private func chunk(_ delta: String, finish: String? = nil) -> String {
    #"{"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":\#(delta),"finish_reason":\#(finish.map { "\"\($0)\"" } ?? "null")}]}"#
  }

  private var whole: [String] {
    [
      chunk(#"{"role":"assistant","content":null}"#), chunk(#"{"reasoning_content":"Think"}"#),
      chunk(#"{"reasoning_content":"ing"}"#), chunk(#"{"content":"Hello"}"#), chunk(#"{"content":" ä𝄞"}"#),
      chunk(#"{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"look","arguments":""}}]}"#),
      chunk(#"{"tool_calls":[{"index":0,"function":{"arguments":"{\"q\""}}]}"#),
      chunk(#"{"tool_calls":[{"index":1,"id":"c2","type":"function","function":{"name":"wait","arguments":"{}"}}]}"#),
      chunk(#"{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}"#), chunk("{}", finish: "tool_calls"),
      #"{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":7}}}"#,
      "[DONE]",
    ]
  }
  private let wholeSignals: [ModelSignal] = [
    .thought("Thinking"), .itemDone(ItemEnd(isThought: true)), .text("Hello ä𝄞"), .itemDone(ItemEnd(isThought: false)),
    .toolCall(id: "c1", name: "look", arguments: #"{"q":1}"#, providerID: ""),
    .toolCall(id: "c2", name: "wait", arguments: "{}", providerID: ""),
    .usage(TokenUsage(inputTokens: 10, cachedInputTokens: 4, outputTokens: 20, reasoningOutputTokens: 7)),
  ]

  @Test("An answer with thoughts, text, interleaved parallel calls and usage becomes signals, wherever it is cut")
  func wholeAnswer() {
    let bytes = Answers.stream(whole)
    for cut in [0] + Array(stride(from: 1, to: bytes.count, by: 11)) {
      let (signals, fault) = Answers.read(bytes, provider, pieces: cut == 0 ? [] : [cut])
      #expect(fault == nil)
      #expect(Answers.merged(signals) == wholeSignals)
    }
    #expect(Answers.merged(Answers.read(bytes, provider, pieces: bytes.map { _ in 1 }).signals) == wholeSignals)
  }

  @Test("Servers may leave out usage, [DONE], ids, indices and finish_reason")
  func lenient() {
    let text = chunk(#"{"content":"a"}"#)
    let done: [ModelSignal] = [.text("a"), .itemDone(ItemEnd(isThought: false))]
    #expect(Answers.read([text, chunk("{}", finish: "stop")], provider).signals == done)
    #expect(Answers.read([text, "[DONE]"], provider).signals == done)
    #expect(Answers.read([text, chunk(#"{"content":""}"#, finish: "eos"), "[DONE]"], provider).signals == done)
    #expect(Answers.read([chunk(#"{"reasoning":"a"}"#), "[DONE]"], provider).signals.first == .thought("a"))
    let calls = [
      chunk(#"{"tool_calls":[{"function":{"name":"look","arguments":{"q":1}}}]}"#),
      chunk(#"{"tool_calls":[{"id":"b","function":{"name":"look","arguments":""}}]}"#), chunk("{}", finish: "stop"),
    ]
    #expect(
      Answers.read(calls, provider).signals.count == 1
        || Answers.read(calls, provider).signals == [
          .toolCall(id: "call-1-0", name: "look", arguments: #"{"q":1}"#, providerID: ""),
          .toolCall(id: "b", name: "look", arguments: "{}", providerID: ""),
        ])
  }

  @Test("A new id is a new call even where the server counts all calls as the first")
  func sameIndex() {
    let events = [
      chunk(#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"q\":1}"}}]}"#),
      chunk(#"{"tool_calls":[{"index":0,"id":"b","function":{"name":"look","arguments":"{\"q\""}}]}"#),
      chunk(#"{"tool_calls":[{"index":0,"function":{"arguments":":2}"}}]}"#), chunk("{}", finish: "tool_calls"),
    ]
    #expect(
      Answers.read(events, provider).signals == [
        .toolCall(id: "a", name: "look", arguments: #"{"q":1}"#, providerID: ""),
        .toolCall(id: "b", name: "look", arguments: #"{"q":2}"#, providerID: ""),
      ])
  }

  @Test("Usage in every chunk counts once, and the last one stands")
  func usageEverywhere() {
    func text(_ tokens: Int) -> String {
      #"{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":5,"completion_tokens":\#(tokens)}}"#
    }
    #expect(
      Answers.read([text(1), text(2), "[DONE]"], provider).signals.last
        == .usage(TokenUsage(inputTokens: 5, outputTokens: 2)))
  }

  @Test("A10: arguments that are not JSON are a call as it came, and go back as an object that shows them")
  func wrongArguments() throws {
    let events = [
      chunk(#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{\"q\": "}}]}"#),
      chunk("{}", finish: "tool_calls"), "[DONE]",
    ]
    let (signals, fault) = Answers.read(events, provider)
    #expect(fault == nil)
    #expect(signals == [.toolCall(id: "a", name: "look", arguments: #"{"q": "#, providerID: "")])
    let body = ChatCompletionsAPI(configuration: provider).body(Answers.wrongCall)
    #expect(
      body["messages"]?.elements?[1]["tool_calls"]?.elements?.first?["function"]
        == (try Answers.json(#"{"name": "look", "arguments": "{\"INVALID_JSON\":\"{\\\"q\\\": \"}"}"#)))
  }

  @Test("M23: what breaks the protocol ends the answer as invalid, and is not tried again")
  func invalid() {
    let finish = chunk("{}", finish: "stop")
    let bad: [[String]] = [
      ["{"], ["7"], ["[DONE]"], [finish, chunk(#"{"content":"late"}"#)],
      [chunk(#"{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{}"}}]}"#), finish],
      [finish, chunk(#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"n"}}]}"#)],
    ]
    for events in bad {
      let fault = Answers.read(events, provider).fault
      #expect(fault?.reason == "model_output_invalid")
      #expect(fault?.isRetried == false)
    }
  }

  @Test("Ends and errors in the middle of a stream have their reasons")
  func failures() {
    func fault(_ events: String...) -> AnswerFault? {
      Answers.read([chunk(#"{"content":"a"}"#)] + events, provider).fault
    }
    let table: [(AnswerFault?, String, Bool)] = [
      (fault(), "model_output_invalid", true), (fault(chunk("{}", finish: "error")), "model_output_invalid", true),
      (fault(chunk("{}", finish: "length")), "model_output_too_large", false),
      (fault(chunk("{}", finish: "content_filter")), "model_failed", false),
      (fault(#"{"error":{"code":500,"message":"m","type":"server_error"}}"#), "model_failed", true),
      (fault(#"{"error":{"code":429,"message":"m"}}"#), "model_rate_limited", true),
      (
        fault(#"{"error":{"code":400,"message":"m","type":"exceed_context_size_error"}}"#), "context_window_exceeded",
        false
      ),
      (fault(#"{"error":"out of memory"}"#), "model_failed", false),
    ]
    for (fault, reason, isRetried) in table {
      #expect(fault?.reason == reason)
      #expect(fault?.isRetried == isRetried)
    }
  }

  @Test("M23: a tool call that never ends is cut at its limit; so are calls without number")
  func limits() {
    let small = Answers.provider(.chat) {
      $0.limits.argumentBytes = 10
      $0.limits.items = 2
    }
    let piece = chunk(#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"n","arguments":"1234"}}]}"#)
    #expect(Answers.read([piece, piece, "[DONE]"], small).fault == nil)
    #expect(Answers.read([piece, piece, piece], small).fault?.reason == "model_output_too_large")
    func call(_ index: Int) -> String {
      chunk(#"{"tool_calls":[{"index":\#(index),"id":"\#(index)","function":{"name":"n"}}]}"#)
    }
    #expect(Answers.read([call(0), call(1), "[DONE]"], small).fault == nil)
    #expect(Answers.read([call(0), call(1), call(2)], small).fault?.reason == "model_output_too_large")
  }
}
