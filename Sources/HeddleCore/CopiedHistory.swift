// The part of its parent's history that a spawned agent gets (rules.md A4): the messages of people and the server, and
// the parent's answers, without the way to them.

public enum CopiedHistory {
  /// The items that are copied, in order. `hints` are the usage hints that the parent may have been given;
  /// `instructions` are those that the agent's own initial context repeats, modes among them: they are not copied, so
  /// that the model gets them once (M6). Nil when the agent continues from its parent's context.
  public static func filter(
    _ items: [Item], version: MultiAgentVersion, hints: [String], saidAgain instructions: [String]? = nil
  ) -> [Item] {
    var out: [Item] = []
    for (index, item) in items.enumerated() where item.status == .completed {
      guard case .message(let message)? = item.kind else { continue }
      switch message.role {
      case .system, .user: out.append(item)
      case .developer:
        if version == .v2, isOne(of: hints, message) { continue }
        if let instructions, isOne(of: instructions, message) || isMode(message) { continue }
        out.append(item)
      case .assistant: if isAnswer(message, items[(index + 1)...]) { out.append(item) }
      case .unspecified: continue
      }
    }
    return out
  }

  /// The whole message is one of the texts; a message that quotes one is not.
  private static func isOne(of texts: [String], _ message: MessageItem) -> Bool {
    guard message.content.count == 1, case .text(let text)? = message.content[0].part else { return false }
    return texts.contains(text)
  }

  /// Any mode: the agent's own context says the one that counts.
  private static func isMode(_ message: MessageItem) -> Bool {
    guard message.content.count == 1, case .text(let text)? = message.content[0].part else { return false }
    return text.hasPrefix(modeFragmentTag)
  }

  /// For models that report no phase: a message before a tool call is a comment on the way.
  private static func isAnswer(_ message: MessageItem, _ rest: ArraySlice<Item>) -> Bool {
    switch message.phase {
    case .finalAnswer: return true
    case .commentary: return false
    case .unspecified:
      for item in rest {
        switch item.kind {
        case .toolCall?: return false
        case .reasoning?, .opaque?: continue
        default: return true
        }
      }
      return true
    }
  }
}
