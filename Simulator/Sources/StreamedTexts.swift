// The text of unfinished items as one stream of subscription messages tells it (durability.md, deltas).

import HeddleCore
import HeddleProtocol

struct StreamedTexts {
  private var texts: [ItemID: String] = [:]

  /// The fault of the message; nil: it has none.
  mutating func take(_ notice: SubscriptionEvent.Kind) -> String? {
    switch notice {
    case .snapshot(let snapshot): texts[snapshot.item] = snapshot.text
    case .delta(let delta):
      let known = texts[delta.item, default: ""].utf8.count
      guard delta.offset == known else {
        return "a delta of item \(delta.item) at \(delta.offset), where \(known) bytes are known"
      }
      texts[delta.item, default: ""] += delta.text
    case .event(let event):
      guard case .itemCompleted(let completed)? = event.kind, let item = completed.item,
        let streamed = texts.removeValue(forKey: item.id)
      else { break }
      // Text may have been streamed that a failed write takes back (durability.md D3).
      let whole = Self.text(of: item)
      guard whole.hasPrefix(streamed) || streamed.hasPrefix(whole) else {
        return "item \(item.id) is \(whole), and \(streamed) was streamed"
      }
    default: break
    }
    return nil
  }

  private static func text(of item: Item) -> String {
    switch item.kind {
    case .message(let message)?:
      if case .text(let text)? = message.content.first?.part { text } else { "" }
    case .reasoning(let reasoning)?: reasoning.summary.first ?? ""
    default: ""
    }
  }
}
