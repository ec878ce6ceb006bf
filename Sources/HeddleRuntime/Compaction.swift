// The input from which a model sums a conversation up, and the words that stay beside the summary (rules.md T7). Pure.

import HeddleCore

enum Compaction {
  /// The history, cut at its old end so that it fits into the model's window, and the request for a summary.
  static func input(_ items: [Item], window: UInt64, prompt: String) -> [Item] {
    let request = MessageItem(role: .user, content: [ContentPart(part: .text(prompt))])
    let last = Item(status: .completed, kind: .message(request))
    guard window > 0 else { return items + [last] }
    // Three bytes a token leave a quarter of the window for the answer; most text has four and more.
    let budget = Int(clamping: window.multipliedReportingOverflow(by: 3).partialValue)
    var used = prompt.utf8.count
    var first = items.count
    while first > 0 {
      used += size(items[first - 1])
      guard used <= budget || first == items.count else { break }
      first -= 1
    }
    return Array(items[first...]) + [last]
  }

  /// Bytes that a summary may have: the event holds it twice, as the summary and as a message to the model, beside the
  /// user's words and the context, and has to fit into a frame.
  static func summaryBytes(_ limits: Limits) -> Int { limits.modelItemBytes / 4 }

  /// Bytes of the user's words that may stay: a quarter of the window, at four bytes a token, so that there is room for
  /// the summary, the initial context and the next items.
  static func keptBytes(_ limits: Limits, window: UInt64) -> Int {
    window > 0 ? min(limits.keptInputBytes, Int(clamping: window)) : limits.keptInputBytes
  }

  /// The newest words of the user, whole messages, the oldest first. The last message is there in any case, cut if it
  /// must be: it is the task that the model works on. An older summary and the notices of agents are no words of the
  /// user, and the new summary has them.
  static func kept(_ history: History, bytes: Int) -> [MessageItem] {
    var out: [MessageItem] = []
    var used = 0
    for (index, item) in history.items.enumerated().reversed() where index != history.summary {
      guard case .message(let message)? = item.kind, message.role == .user, !isNotice(message) else { continue }
      used += size(item)
      guard used <= bytes else {
        if out.isEmpty { out.append(cut(message, bytes)) }
        break
      }
      out.append(message)
    }
    return out.reversed()
  }

  private static func isNotice(_ message: MessageItem) -> Bool {
    guard case .text(let text)? = message.content.first?.part else { return false }
    return text.hasPrefix("<agent_notification>")
  }

  static let cutNote = "\n(The rest of this message was left out when the conversation was summed up.)"

  /// As much of its text as fits, and that this is not all of it.
  private static func cut(_ message: MessageItem, _ bytes: Int) -> MessageItem {
    var message = message
    // With the note it fits too, so the next compaction does not cut it again.
    var room = bytes - cutNote.utf8.count
    guard room > 0 else { return MessageItem(role: message.role, content: firstText(message, max(0, bytes))) }
    message.content = message.content.compactMap { part in
      guard case .text(let text)? = part.part, room > 0 else { return nil }
      let kept = text.prefix(utf8Bytes: room)
      room -= max(1, kept.utf8.count)
      return ContentPart(part: .text(kept))
    }
    message.content.append(ContentPart(part: .text(cutNote)))
    return message
  }

  /// A bound so small that the note alone would fill it.
  private static func firstText(_ message: MessageItem, _ bytes: Int) -> [ContentPart] {
    for part in message.content {
      if case .text(let text)? = part.part { return [ContentPart(part: .text(text.prefix(utf8Bytes: bytes)))] }
    }
    return []
  }

  private static func size(_ item: Item) -> Int {
    switch item.kind {
    case .message(let message)?: size(message.content)
    case .agentMessage(let message)?: size(message.content)
    case .toolOutput(let output)?: size(output.content)
    case .toolCall(let call)?: call.arguments.utf8.count + call.name.utf8.count
    case .reasoning(let reasoning)?:
      reasoning.summary.reduce(reasoning.encrypted?.utf8.count ?? 0) { $0 + $1.utf8.count }
    case .marker(let marker)?: marker.text.utf8.count
    case .opaque(let opaque)?: opaque.json.utf8.count
    case .compaction?, nil: 0
    }
  }

  /// Parts and messages without text count too, as one byte each. Otherwise any number of them would fit: the record of
  /// a compaction would grow with the thread, beyond the size of a frame.
  private static func size(_ content: [ContentPart]) -> Int {
    content.reduce(content.isEmpty ? 1 : 0) { sum, part in sum + max(1, size(part)) }
  }

  private static func size(_ part: ContentPart) -> Int {
    switch part.part {
    case .text(let text)?, .encrypted(let text)?: text.utf8.count
    case .image(let image)?: image.url.utf8.count + image.detail.utf8.count
    case .opaque(let opaque)?: opaque.json.utf8.count + opaque.kind.utf8.count
    case nil: 0
    }
  }
}
