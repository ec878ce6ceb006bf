// Response items to items. What has no place in Heddle's schema is kept as it was written, with its kind.

import HeddleCore
import HeddleJSON

struct ItemReader {
  private let file: RolloutFile

  init(_ file: RolloutFile) { self.file = file }

  /// All kinds of response items that Codex has ever written: how a line without an envelope is told from damage.
  static let kinds: Set<String> = [
    "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output",
    "local_shell_call", "web_search_call", "image_generation_call", "tool_search_call", "tool_search_output",
    "ghost_snapshot", "compaction", "compaction_summary", "context_compaction", "agent_message", "other",
  ]

  /// - Parameter triggersTurn: what the line before said about an agent message.
  func kind(of item: JSONNode, triggersTurn: Bool) -> Item.Kind {
    switch item.text("type") {
    case "message": message(item)
    case "reasoning": .reasoning(reasoning(item))
    case "function_call": toolCall(item, arguments: item["arguments"], freeform: false)
    case "custom_tool_call": toolCall(item, arguments: item["input"], freeform: true)
    case "function_call_output", "custom_tool_call_output": .toolOutput(toolOutput(item))
    case "agent_message": .agentMessage(agentMessage(item, triggersTurn: triggersTurn))
    default: opaque(item)
    }
  }

  func agentMessage(_ node: JSONNode, triggersTurn: Bool) -> AgentMessageItem {
    AgentMessageItem(
      author: node.text("author") ?? "", recipient: node.text("recipient") ?? "", content: content(node["content"]),
      triggerTurn: triggersTurn)
  }

  /// - Returns: the compaction, and whether anything in the line has no place in it.
  func compaction(_ payload: JSONNode) -> (item: CompactionItem, isWhole: Bool) {
    let history = payload["replacement_history"]?.elements ?? []
    let messages = history.compactMap { plainMessage($0) }
    let item = CompactionItem(summary: payload.text("message") ?? "", replacement: messages)
    return (item, messages.count == history.count)
  }

  private func opaque(_ item: JSONNode) -> Item.Kind {
    .opaque(OpaquePart(kind: item.text("type") ?? "unknown", json: file.text(item.range)))
  }

  // MARK: - Messages

  private func message(_ item: JSONNode) -> Item.Kind {
    guard let message = plainMessage(item) else { return opaque(item) }
    if message.role == .developer || message.role == .user, message.content.count == 1,
      case .text(let text) = message.content[0].part, isInterruption(text)
    {
      return .marker(MarkerItem(kind: .interruption, role: message.role, text: text))
    }
    return .message(message)
  }

  private func isInterruption(_ text: String) -> Bool {
    guard text.hasPrefix("<turn_aborted>") else { return false }
    var end = text[...]
    while let last = end.last, last.isWhitespace { end.removeLast() }
    return end.hasSuffix("</turn_aborted>")
  }

  /// Nil when it is no message, or one in a role that Heddle does not have.
  private func plainMessage(_ item: JSONNode) -> MessageItem? {
    guard item.text("type") == "message", let name = item.text("role"), let role = Self.roles[name] else { return nil }
    let phase: Phase =
      switch item.text("phase") {
      case "commentary": .commentary
      case "final_answer", "finalAnswer": .finalAnswer
      default: .unspecified
      }
    return MessageItem(role: role, content: content(item["content"]), phase: phase)
  }

  private static let roles: [String: Role] = [
    "user": .user, "developer": .developer, "system": .system, "assistant": .assistant,
  ]

  /// Content is a list of parts, or simply a text.
  private func content(_ node: JSONNode?) -> [ContentPart] {
    guard let node else { return [] }
    switch node.value {
    case .text(let text): return [ContentPart(part: .text(text))]
    case .list: return (node.elements ?? []).map { ContentPart(part: part($0)) }
    default: return [opaquePart(node)]
    }
  }

  private func part(_ node: JSONNode) -> ContentPart.Part? {
    switch node.text("type") {
    case "input_text", "output_text", "text":
      if let text = node["text"]?.string { return .text(text) }
    case "input_image":
      if let url = node.text("image_url") { return .image(ImagePart(url: url, detail: node.text("detail") ?? "")) }
    case "encrypted_content":
      if let text = node["encrypted_content"]?.string { return .encrypted(text) }
    default: break
    }
    return opaquePart(node).part
  }

  private func opaquePart(_ node: JSONNode) -> ContentPart {
    ContentPart(part: .opaque(OpaquePart(kind: node.text("type") ?? "unknown", json: file.text(node.range))))
  }

  // MARK: - Reasoning and tools

  private func reasoning(_ item: JSONNode) -> ReasoningItem {
    ReasoningItem(
      summary: item["summary"]?.elements?.compactMap { $0["text"]?.string } ?? [],
      content: item["content"]?.elements?.compactMap { $0["text"]?.string } ?? [],
      encrypted: item.text("encrypted_content"))
  }

  private func toolCall(_ item: JSONNode, arguments: JSONNode?, freeform: Bool) -> Item.Kind {
    .toolCall(
      ToolCallItem(
        callId: item.text("call_id") ?? "", name: item.text("name") ?? "", toolGroup: item.text("namespace") ?? "",
        arguments: arguments.map { $0.string ?? file.text($0.range) } ?? "", freeform: freeform))
  }

  /// The output is a text, a list of parts, or an object that holds one of both and says whether the tool succeeded.
  private func toolOutput(_ item: JSONNode) -> ToolOutputItem {
    let callID = item.text("call_id") ?? ""
    guard let output = item["output"] else { return ToolOutputItem(callId: callID) }
    if output.isObject, let inner = output["content"] {
      return ToolOutputItem(callId: callID, content: content(inner), success: output["success"]?.flag)
    }
    return ToolOutputItem(callId: callID, content: content(output), success: item["success"]?.flag)
  }
}
