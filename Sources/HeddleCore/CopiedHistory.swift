// What of its parent's history a spawned agent gets (rules.md A4): what people and the server said and what the parent
// answered; never how it came to the answer.

public enum CopiedHistory {
  /// The items that are copied, in order. `hints` are the usage hints that the parent may have been given;
  /// `instructions` those that the agent's own initial context says again, nil when it goes on from its parent's: what a
  /// context says again, modes among it, is not told twice (M6).
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

  /// Models that say no phase: what is followed by a tool call was said on the way.
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
