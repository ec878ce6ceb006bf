import HeddleCore
import HeddleProtocol
import HeddleRuntime
import Testing

@testable import HeddleModels

@Suite struct ResponsesTests {
  private let provider = Answers.provider(.responses)

  // MARK: Requests

  @Test("The request of a whole conversation is as the API wants it")
  func goldenRequest() throws {
    var settings = Settings(model: "m1", reasoningEffort: "high", reasoningSummary: "auto", serviceTier: "flex")
    settings.baseInstructions = "Be brief."
    settings.temperature = 0.5
    let image = ContentPart(part: .image(ImagePart(url: "https://e.org/a.png", detail: "low")))
    let look = Item(kind: .message(MessageItem(role: .user, content: [ContentPart(part: .text("see")), image])))
    let items = [
      Answers.said(.developer, "hint"), look, Answers.thought("why", "ENC"),
      Answers.said(.assistant, "on it", phase: .commentary), Answers.called("c1", "look", #"{"q":"x"}"#),
      Answers.output("c1", "found"), Answers.mail(.newTask, "go"),
    ]
    let request = Answers.request(
      items, settings: settings, tools: [Answers.lookTool], schema: #"{"type":"object"}"#)
    let expected = try Answers.json(
      #"""
      {"model": "m1", "instructions": "Be brief.",
       "input": [
         {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "hint"}]},
         {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "see"},
           {"type": "input_image", "image_url": "https://e.org/a.png", "detail": "low"}]},
         {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "why"}],
          "encrypted_content": "ENC"},
         {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "on it"}],
          "phase": "commentary"},
         {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{\"q\":\"x\"}"},
         {"type": "function_call_output", "call_id": "c1", "output": "found"},
         {"type": "message", "role": "user", "content": [{"type": "input_text",
          "text": "<agent_message from=\"/root\" to=\"/root/a\" kind=\"NEW_TASK\">\ngo\n</agent_message>"}]}],
       "tools": [{"type": "function", "name": "look", "description": "Looks.",
         "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}, "strict": false}],
       "parallel_tool_calls": true, "reasoning": {"effort": "high", "summary": "auto"},
       "include": ["reasoning.encrypted_content"], "service_tier": "flex", "temperature": 0.5,
       "text": {"format": {"type": "json_schema", "name": "answer", "schema": {"type": "object"}, "strict": true}},
       "store": false, "stream": true}
      """#)
    #expect(ResponsesAPI(configuration: provider).body(request) == expected)
  }

  @Test("What is not set is not sent; a compaction has neither tools nor a shape")
  func smallRequest() throws {
    let request = Answers.request(tools: [Answers.lookTool], schema: #"{"type":"object"}"#, isCompaction: true)
    let expected = try Answers.json(
      #"""
      {"model": "m1", "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]}],
       "max_output_tokens": 99, "store": false, "stream": true}
      """#)
    let plain = Answers.provider(.responses) {
      $0.encryptsThoughts = false
      $0.maximumOutputTokens = 99
    }
    #expect(ResponsesAPI(configuration: plain).body(request) == expected)
  }

  @Test("Headers name the tree, the thread and its parent; those of the configuration win")
  func headers() {
    let own = Answers.provider(.responses) {
      $0.baseURL = "https://e.org/v1/?api-version=2"
      $0.headers = [("Session-ID", SecretText("mine")), ("x-extra", SecretText("1"))]
    }
    let call = own.api().call(Answers.request(), own)
    #expect(call.address == "https://e.org/v1/responses?api-version=2")
    #expect(
      call.headers.map { "\($0.name): \($0.value)" } == [
        "content-type: application/json", "accept: text/event-stream", "user-agent: heddle",
        "thread-id: \(Answers.thread)", "x-heddle-parent-thread-id: \(Answers.parent)",
        "authorization: Bearer sk-very-secret-key", "Session-ID: mine", "x-extra: 1",
      ])
    let plain = provider.api().call(Answers.request(), provider)
    #expect(plain.headers.contains { $0 == ("session-id", "\(Answers.root)") })
  }

  @Test("A tool without a schema takes an object; outputs with images are lists")
  func oddParts() throws {
    let image = ContentPart(part: .image(ImagePart(url: "data:image/png;base64,AA")))
    let output = Item(kind: .toolOutput(ToolOutputItem(callId: "c1", content: [image])))
    let body = ResponsesAPI(configuration: provider).body(
      Answers.request([Answers.called("c1"), output], tools: [ToolDefinition(name: "t")]))
    #expect(
      body["tools"]?.elements?.first?["parameters"] == (try Answers.json(#"{"type":"object","properties":{}}"#)))
    #expect(
      body["input"]?.elements?.last?["output"]
        == (try Answers.json(#"[{"type":"input_image","image_url":"data:image/png;base64,AA"}]"#)))
  }

  // MARK: Answers

  private static let whole = [
    #"{"type":"response.created","sequence_number":0,"response":{"id":"r","status":"in_progress","output":[]}}"#,
    #"{"type":"response.in_progress","response":{"id":"r"}}"#,
    #"{"type":"response.output_item.added","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[]}}"#,
    #"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0,"part":{}}"#,
    #"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"First"}"#,
    #"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"then"}"#,
    #"{"type":"response.reasoning_summary_text.done","output_index":0,"summary_index":1,"text":"then"}"#,
    #"{"type":"response.output_item.done","output_index":0,"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"First"}],"encrypted_content":"ENC"}}"#,
    #"{"type":"response.output_item.added","output_index":1,"item":{"id":"msg_1","type":"message","role":"assistant","content":[]}}"#,
    #"{"type":"response.content_part.added","output_index":1,"content_index":0,"part":{"type":"output_text","text":""}}"#,
    #"{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"Hel"}"#,
    #"{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"lo ä𝄞"}"#,
    #"{"type":"response.output_text.done","output_index":1,"content_index":0,"text":"Hello ä𝄞"}"#,
    #"{"type":"response.content_part.done","output_index":1,"content_index":0,"part":{}}"#,
    #"{"type":"response.output_item.done","output_index":1,"item":{"id":"msg_1","type":"message","phase":"commentary","content":[{"type":"output_text","text":"Hello ä𝄞"}]}}"#,
    #"{"type":"response.output_item.added","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"look","arguments":""}}"#,
    #"{"type":"response.output_item.added","output_index":3,"item":{"id":"fc_2","type":"function_call","call_id":"c2","name":"wait","arguments":""}}"#,
    #"{"type":"response.function_call_arguments.delta","output_index":2,"delta":"{\"q\":"}"#,
    #"{"type":"response.function_call_arguments.delta","output_index":2,"delta":"1}"}"#,
    #"{"type":"response.function_call_arguments.done","output_index":2,"arguments":"{\"q\":1}"}"#,
    #"{"type":"response.output_item.done","output_index":2,"item":{"id":"fc_1","type":"function_call","call_id":"c1","name":"look","arguments":"{\"q\":1}"}}"#,
    #"{"type":"response.output_item.done","output_index":3,"item":{"id":"fc_2","type":"function_call","call_id":"c2","name":"wait","arguments":""}}"#,
    #"{"type":"response.output_item.done","output_index":4,"item":{"id":"ws_1","type":"web_search_call","status":"completed"}}"#,
    #"{"type":"response.completed","response":{"status":"completed","usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":60},"output_tokens":40,"output_tokens_details":{"reasoning_tokens":30}}}}"#,
  ]
  private static let wholeSignals: [ModelSignal] = [
    .thought("First\n\nthen"), .itemDone(ItemEnd(isThought: true, providerID: "rs_1", encrypted: "ENC")),
    .text("Hello ä𝄞"), .itemDone(ItemEnd(isThought: false, providerID: "msg_1", phase: .commentary)),
    .toolCall(id: "c1", name: "look", arguments: #"{"q":1}"#, providerID: "fc_1"),
    .toolCall(id: "c2", name: "wait", arguments: "{}", providerID: "fc_2"),
    .opaque(
      OpaquePart(
        kind: "there/web_search_call", json: #"{"id":"ws_1","type":"web_search_call","status":"completed"}"#),
      providerID: "ws_1"),
    .usage(TokenUsage(inputTokens: 100, cachedInputTokens: 60, outputTokens: 40, reasoningOutputTokens: 30)),
  ]

  @Test("An answer with thoughts, text, parallel calls, another item and usage becomes signals, wherever it is cut")
  func wholeAnswer() {
    let bytes = Answers.stream(Self.whole)
    for cut in [0] + Array(stride(from: 1, to: bytes.count, by: 13)) {
      let (signals, fault) = Answers.read(bytes, provider, pieces: cut == 0 ? [] : [cut])
      #expect(fault == nil)
      #expect(Answers.merged(signals) == Self.wholeSignals)
    }
    #expect(Answers.merged(Answers.read(bytes, provider, pieces: bytes.map { _ in 1 }).signals) == Self.wholeSignals)
  }

  @Test("An answer whose items come only as a whole loses nothing")
  func onlyDone() {
    let events = [
      #"{"type":"response.output_item.done","output_index":0,"item":{"id":"r","type":"reasoning","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}]}}"#,
      #"{"type":"response.output_item.done","output_index":1,"item":{"id":"m","type":"message","phase":"final_answer","content":[{"type":"output_text","text":"hi"},{"type":"refusal","refusal":"no"}]}}"#,
      #"{"type":"response.completed","response":{}}"#,
    ]
    let (signals, fault) = Answers.read(events, provider)
    #expect(fault == nil)
    #expect(
      signals == [
        .thought("a\n\nb"), .itemDone(ItemEnd(isThought: true, providerID: "r")), .text("hino"),
        .itemDone(ItemEnd(isThought: false, providerID: "m", phase: .finalAnswer)),
      ])
  }

  @Test("A thought that is never shown is told of by its end alone")
  func hiddenThought() {
    let events = [
      #"{"type":"response.output_item.added","output_index":0,"item":{"id":"r","type":"reasoning"}}"#,
      #"{"type":"response.output_item.done","output_index":0,"item":{"id":"r","type":"reasoning","summary":[],"encrypted_content":"E"}}"#,
      #"{"type":"response.completed","response":{}}"#,
    ]
    #expect(
      Answers.read(events, provider).signals == [.itemDone(ItemEnd(isThought: true, providerID: "r", encrypted: "E"))])
  }

  private static let message =
    #"{"type":"response.output_item.added","output_index":0,"item":{"id":"m","type":"message"}}"#
  private static let call =
    #"{"type":"response.output_item.added","output_index":0,"item":{"id":"f","type":"function_call","call_id":"c","name":"n"}}"#
  private static let delta = #"{"type":"response.output_text.delta","output_index":0,"delta":"x"}"#
  private static let completed = #"{"type":"response.completed","response":{}}"#

  @Test("A10: arguments that are not JSON are a call as it came, and go back as an object that shows them")
  func wrongArguments() throws {
    let events = [
      #"{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"c","name":"look","arguments":"{\"q\": "}}"#,
      Self.completed,
    ]
    let (signals, fault) = Answers.read(events, provider)
    #expect(fault == nil)
    #expect(signals == [.toolCall(id: "c", name: "look", arguments: #"{"q": "#, providerID: "")])
    let body = ResponsesAPI(configuration: provider).body(Answers.wrongCall)
    #expect(
      body["input"]?.elements?[1]
        == (try Answers.json(
          #"{"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{\"INVALID_JSON\":\"{\\\"q\\\": \"}"}"#
        )))
  }

  @Test(
    "attacks.md M23: what breaks the protocol ends the answer as invalid, and is not tried again",
    arguments: [
      [Self.delta], [Self.call, Self.delta], [Self.message, Self.message], [Self.message, Self.completed],
      [
        #"{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","name":"n","arguments":"{}"}}"#
      ],
      [#"{"type":"response.output_item.added","item":{"type":"message"}}"#],
      [#"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"x"}"#],
      [Self.message, #"{"type":"response.output_item.added","output_index":1,"item":{"type":"reasoning"}}"#],
      [Self.message, #"{"type":"response.output_text.delta","output_index":0}"#],
      [Self.message, #"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning"}}"#],
      ["{"], ["[]"], [#"{"a":1,"a":2}"#], [String(repeating: "[", count: 1_000)],
    ])
  func invalid(_ events: [String]) {
    let fault = Answers.read(events + [Self.completed], provider).fault
    #expect(fault?.reason == "model_output_invalid")
    #expect(fault?.isRetried == false)
  }

  @Test("A stream that ends before its last event is tried again, wherever it is cut")
  func truncated() {
    let bytes = Answers.stream(Self.whole)
    let last = Answers.stream([Self.whole[Self.whole.count - 1]]).count
    for length in stride(from: 0, through: bytes.count - last, by: 31) {
      let fault = Answers.read(Array(bytes.prefix(length)), provider).fault
      #expect(fault?.reason == "model_output_invalid")
      #expect(fault?.isRetried == true)
    }
  }

  @Test("The provider's own failures in the middle of a stream have their reasons")
  func failures() {
    func fault(_ json: String) -> AnswerFault? { Answers.read([Self.message, Self.delta, json], provider).fault }
    func failed(_ code: String) -> AnswerFault? {
      fault(#"{"type":"response.failed","response":{"error":{"code":"\#(code)","message":"m"}}}"#)
    }
    let table: [(AnswerFault?, String, Bool)] = [
      (failed("rate_limit_exceeded"), "model_rate_limited", true), (failed("server_error"), "model_failed", true),
      (failed("server_is_overloaded"), "model_rate_limited", true),
      (failed("context_length_exceeded"), "context_window_exceeded", false),
      (failed("insufficient_quota"), "model_rate_limited", false), (failed("invalid_prompt"), "model_failed", false),
      (fault(#"{"type":"error","code":"server_error","message":"m","param":null}"#), "model_failed", true),
      (fault(#"{"type":"error","error":{"type":"rate_limit_error","message":"m"}}"#), "model_rate_limited", true),
      (
        fault(#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}"#),
        "model_output_too_large", false
      ),
      (
        fault(#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}"#),
        "model_failed", false
      ),
    ]
    for (fault, reason, isRetried) in table {
      #expect(fault?.reason == reason)
      #expect(fault?.isRetried == isRetried)
    }
  }

  @Test("attacks.md M23: a tool call that never ends is cut at its limit; so are items without number")
  func limits() {
    let small = Answers.provider(.responses) {
      $0.limits.argumentBytes = 10
      $0.limits.items = 3
      $0.limits.opaqueBytes = 40
    }
    let piece = #"{"type":"response.function_call_arguments.delta","output_index":0,"delta":"12345"}"#
    #expect(Answers.read([Self.call, piece, piece], small).fault?.reason == "model_output_invalid")
    #expect(Answers.read([Self.call, piece, piece, piece], small).fault?.reason == "model_output_too_large")
    let items = (0..<4).map {
      #"{"type":"response.output_item.done","output_index":\#($0),"item":{"type":"message","content":[]}}"#
    }
    #expect(Answers.read(items.prefix(3) + [Self.completed], small).fault == nil)
    #expect(Answers.read(items, small).fault?.reason == "model_output_too_large")
    for type in ["reasoning", "other"] {
      let long = String(repeating: "E", count: 41)
      let event =
        #"{"type":"response.output_item.done","output_index":0,"item":{"type":"\#(type)","encrypted_content":"\#(long)"}}"#
      #expect(Answers.read([event], small).fault?.reason == "model_output_too_large")
    }
  }
}
