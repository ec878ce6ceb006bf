// Items of a history, made of response items.

import HeddleCore
import HeddleImport
import Testing

@Suite struct ItemTests {
  private func kind(_ json: String) throws -> Item.Kind? {
    var rollout = Rollout()
    rollout.item(json)
    return try rollout.read().items.first?.kind
  }

  private func text(_ text: String) -> ContentPart { ContentPart(part: .text(text)) }

  @Test("I1: a message keeps its role, phase, provider id and all of its parts")
  func message() throws {
    var rollout = Rollout()
    rollout.item(
      #"{"type":"message","id":"msg-1","role":"assistant","phase":"final_answer","content":"#
        + #"[{"type":"output_text","text":"a"},{"type":"input_image","image_url":"https://x/y.png","detail":"low"},"#
        + #"{"type":"encrypted_content","encrypted_content":"zzz"},{"type":"refusal", "refusal":"no"}]}"#)
    let item = try #require(try rollout.read().items.first)
    #expect(item.status == .completed)
    #expect(item.providerId == "msg-1")
    #expect(
      item.kind
        == .message(
          MessageItem(
            role: .assistant,
            content: [
              text("a"), ContentPart(part: .image(ImagePart(url: "https://x/y.png", detail: "low"))),
              ContentPart(part: .encrypted("zzz")),
              ContentPart(part: .opaque(OpaquePart(kind: "refusal", json: #"{"type":"refusal", "refusal":"no"}"#))),
            ], phase: .finalAnswer)))
  }

  @Test("I1: a message in a role that Heddle does not have is kept as it was")
  func unknownRole() throws {
    let json = #"{"type":"message","role":"critic","content":[]}"#
    #expect(try kind(json) == .opaque(OpaquePart(kind: "message", json: json)))
  }

  @Test("I1: reasoning")
  func reasoning() throws {
    #expect(
      try kind(
        #"{"type":"reasoning","summary":[{"type":"summary_text","text":"s"}],"#
          + #""content":[{"type":"reasoning_text","text":"t"}],"encrypted_content":"e"}"#)
        == .reasoning(ReasoningItem(summary: ["s"], content: ["t"], encrypted: "e")))
    #expect(
      try kind(#"{"type":"reasoning","summary":[],"content":null,"encrypted_content":null}"#)
        == .reasoning(ReasoningItem()))
  }

  @Test("I1: tool calls, with JSON arguments and with plain text")
  func toolCalls() throws {
    #expect(
      try kind(#"{"type":"function_call","name":"f","namespace":"n","arguments":"{\"a\":1}","call_id":"c"}"#)
        == .toolCall(ToolCallItem(callId: "c", name: "f", toolGroup: "n", arguments: #"{"a":1}"#)))
    #expect(
      try kind(#"{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin","call_id":"c"}"#)
        == .toolCall(ToolCallItem(callId: "c", name: "apply_patch", arguments: "*** Begin", freeform: true)))
  }

  @Test(
    "I1: a tool's output is a text, a list of parts, or an object that says whether it succeeded",
    arguments: [
      (#""done""#, nil), (#"[{"type":"input_text","text":"done"}]"#, nil),
      (#"{"content":"done","success":false}"#, false),
      (#"{"content":[{"type":"input_text","text":"done"}],"success":true}"#, true),
    ] as [(String, Bool?)])
  func toolOutputs(output: String, success: Bool?) throws {
    for type in ["function_call_output", "custom_tool_call_output"] {
      #expect(
        try kind(#"{"type":"\#(type)","call_id":"c","output":\#(output)}"#)
          == .toolOutput(ToolOutputItem(callId: "c", content: [text("done")], success: success)))
    }
  }

  @Test(
    "I1: an item of any other kind is kept, text and all",
    arguments: ["local_shell_call", "web_search_call", "compaction", "something_new"])
  func opaque(type: String) throws {
    let json = #"{"b":1.50, "type":"\#(type)","a":["\u00e9"]}"#
    #expect(try kind(json) == .opaque(OpaquePart(kind: type, json: json)))
  }

  @Test("U3: a text wrapped in turn_aborted is the marker of an interruption; a quote of it is not")
  func marker() throws {
    let wrapped = #"<turn_aborted>\nby the user\n</turn_aborted>\n"#
    for (name, role) in [("user", Role.user), ("developer", .developer)] {
      #expect(
        try kind(#"{"type":"message","role":"\#(name)","content":[{"type":"input_text","text":"\#(wrapped)"}]}"#)
          == .marker(
            MarkerItem(
              kind: .interruption, role: role, text: "<turn_aborted>\nby the user\n</turn_aborted>\n")))
    }
    let quote = #"{"type":"message","role":"user","content":[{"type":"input_text","text":"what is <turn_aborted>?"}]}"#
    #expect(
      try kind(quote) == .message(MessageItem(role: .user, content: [text("what is <turn_aborted>?")])))
  }

  @Test("A5: mail between agents in both of its forms, with its trigger")
  func mail() throws {
    var rollout = Rollout()
    rollout.add(
      "inter_agent_communication",
      #"{"author":"/root","recipient":"/root/a","other_recipients":[],"content":"go","trigger_turn":true}"#)
    rollout.add("inter_agent_communication_metadata", #"{"trigger_turn":true}"#)
    rollout.item(#"{"type":"agent_message","author":"/root","recipient":"/root/a","content":"go"}"#)
    rollout.item(#"{"type":"agent_message","author":"/root","recipient":"/root/a","content":"go"}"#)
    let expected = AgentMessageItem(author: "/root", recipient: "/root/a", content: [text("go")], triggerTurn: true)
    var quiet = expected
    quiet.triggerTurn = false
    #expect(try rollout.read().items.map(\.agentMessage) == [expected, expected, quiet])
  }

  @Test("T7: a compaction keeps its summary and the messages that replace the context")
  func compaction() throws {
    var rollout = Rollout()
    rollout.add(
      "compacted",
      #"{"message":"so far","replacement_history":["#
        + #"{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}]}"#)
    rollout.add("compacted", #"{"message":"","replacement_history":[{"type":"compaction","encrypted_content":"x"}]}"#)
    let history = try rollout.read()
    let item = CompactionItem(
      summary: "so far", replacement: [MessageItem(role: .user, content: [text("a")])])
    #expect(history.kinds[1] == .contextCompacted(ContextCompacted(compaction: item)))
    #expect(history.kinds[2] == .contextCompacted(ContextCompacted(compaction: CompactionItem())))
    // The record is kept, because a part of it has no place in the item.
    #expect(history.kept.map(\.kind) == ["compacted"])
  }

  @Test("I1: what has no meaning here is kept as it was; only what is not known is counted")
  func foreign() throws {
    var rollout = Rollout()
    rollout.event("sub_agent_activity", #","kind":"started""#)
    rollout.add("token_usage_record", "{}")
    rollout.event("brand_new")
    rollout.add("newer", "null")
    let history = try rollout.read()
    #expect(
      history.kept.map(\.kind) == [
        "event_msg/sub_agent_activity", "token_usage_record", "event_msg/brand_new", "newer",
      ])
    #expect(history.kept.map(\.json) == Array(rollout.lines.dropFirst()))
    #expect(history.foreignLines == 2)
  }

  @Test("I1: what only repeats an item is not an item")
  func duplicates() throws {
    var rollout = Rollout()
    rollout.turn(1)
    let before = try rollout.read().events.count
    rollout.event("agent_message", #","message":"answer 1""#)
    rollout.event("item_completed", #","item":{"type":"AgentMessage"}"#)
    rollout.event("agent_reasoning_delta")
    #expect(try rollout.read().events.count == before)
  }

  @Test("I1: tools that the client brought, and the thread's name")
  func tools() throws {
    var rollout = Rollout(
      meta: #","dynamic_tools":[{"name":"look","description":"Looks.","inputSchema":{"type": "object"}},{}]"#)
    rollout.event("thread_name_updated", #","thread_name":"Rivers""#)
    let history = try rollout.read()
    guard case .threadCreated(let created) = history.kinds.first else { return #expect(Bool(false)) }
    #expect(
      created.tools == [ToolDefinition(name: "look", description: "Looks.", schema: #"{"type": "object"}"#)])
    #expect(history.kinds.last == .nameChanged(NameChanged(name: "Rivers")))
  }
}
