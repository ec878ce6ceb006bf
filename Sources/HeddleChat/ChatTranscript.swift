// The items that a chat is showing: text that streams, tools that the model waits for.

import HeddleCore

struct ChatTranscript: Equatable, Sendable {
  /// Text of items that are not whole.
  private var texts: [ItemID: StreamedText] = [:]
  /// Names of the tools that the model waits for, by call.
  private(set) var tools: [String: String] = [:]
  /// Items that were shown before they became items: steered input, mail.
  private var shown: Set<ItemID> = []

  // MARK: Text

  mutating func begin(_ item: ItemID, _ style: TextStyle) { texts[item] = StreamedText(style: style) }

  func isStreaming(_ item: ItemID) -> Bool { texts[item] != nil }

  /// The part of a piece of text that has not been shown (ChatState.H1).
  mutating func take(_ text: String, at offset: UInt64, of item: ItemID) -> Span? {
    guard let style = texts[item]?.style, let new = texts[item]?.take(text, at: offset) else { return nil }
    return Span(style, new)
  }

  mutating func end(_ item: ItemID) { texts[item] = nil }

  /// Ends all text; gives its items.
  mutating func endTexts() -> [ItemID] {
    defer { texts = [:] }
    return texts.keys.sorted()
  }

  // MARK: Tools

  mutating func called(_ tool: String, _ call: String) { tools[call] = tool }

  /// The name of the tool that was called, if the call has been seen.
  mutating func answered(_ call: String) -> String? { tools.removeValue(forKey: call) }

  mutating func endTools() { tools = [:] }

  // MARK: Items that are shown early

  mutating func showed(_ item: ItemID) { shown.insert(item) }

  /// Whether an item that is complete now was shown before.
  mutating func wasShown(_ item: ItemID) -> Bool { shown.remove(item) != nil }
}

/// Text of an item that is not whole yet.
struct StreamedText: Equatable, Sendable {
  var style: TextStyle
  /// Bytes that have been shown.
  var shown: UInt64 = 0

  /// The part of a piece that has not been shown. A piece behind a gap is left: the whole item fills it.
  mutating func take(_ text: String, at offset: UInt64) -> String? {
    let (end, overflow) = offset.addingReportingOverflow(UInt64(text.utf8.count))
    guard !overflow, offset <= shown, end > shown else { return nil }
    defer { shown = end }
    return offset == shown ? text : String(decoding: text.utf8.dropFirst(Int(shown - offset)), as: UTF8.self)
  }
}
