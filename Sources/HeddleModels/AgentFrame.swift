// How a model is shown what another agent wrote, the same for every API: in the user's role and inside of a frame that
// says who wrote it and what it is for (rules.md A11). An agent's text is data: it never speaks as developer or system.
//
//   <agent_message from="/root/tests" to="/root" kind="FINAL_ANSWER">
//   …
//   </agent_message>
//
// N1  Text in a frame neither ends it nor begins another one, nor anything else that the server says in tags.

import HeddleCore

enum AgentFrame {
  /// Names of the tags in which the server speaks to a model.
  private static let tags = [
    "agent_message", "developer_message", "multi_agent_mode", "agent_notification", "subagent_notification",
  ].map { Array($0.unicodeScalars) }

  /// The message in its frame. Images stand inside, behind the text.
  static func framed(_ message: AgentMessageItem) -> [ModelInput.Part] {
    let content = ModelInput.parts(message.content)
    let kind = message.kind == .unspecified ? AgentMessageKind.message : message.kind
    return framed(
      content.compactMap(\.text).joined(separator: "\n"), images: content.filter { $0.text == nil },
      [("from", message.author), ("to", message.recipient), ("kind", kind.name)])
  }

  /// V1 stores that an agent has ended as a message of the user, `<agent_notification>{"agent_id":"…",…}`; histories of
  /// Codex have `<subagent_notification>`. Nil: the text is none of them.
  static func framed(notification text: String) -> [ModelInput.Part]? {
    for tag in ["agent_notification", "subagent_notification"] where text.hasPrefix("<\(tag)>") {
      var notice = trimmed(text.dropFirst(tag.count + 2))
      // One that was cut for a full mailbox has no end.
      if notice.hasSuffix("</\(tag)>") { notice = trimmed(notice.dropLast(tag.count + 3)) }
      guard let sender = sender(notice) else { return nil }
      return framed(String(notice), images: [], [("from", sender), ("kind", AgentMessageKind.notification.name)])
    }
    return nil
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var rest = text.drop(while: \.isWhitespace)
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }

  /// The id, or the path, that a notice begins with.
  private static func sender(_ notice: Substring) -> String? {
    for name in ["agent_id", "agent_path"] {
      let front = "{\"\(name)\":\""
      guard notice.hasPrefix(front) else { continue }
      let value = notice.dropFirst(front.count).prefix { $0 != "\"" }
      return value.isEmpty ? nil : String(value.prefix(256))
    }
    return nil
  }

  private static func framed(
    _ text: String, images: [ModelInput.Part], _ attributes: [(name: String, value: String)]
  ) -> [ModelInput.Part] {
    let shown = attributes.filter { !$0.value.isEmpty }.map { " \($0.name)=\"\(quoted($0.value))\"" }.joined()
    let front = "<agent_message\(shown)>\n\(escaped(text))"
    let end = "</agent_message>"
    return images.isEmpty ? [.text("\(front)\n\(end)")] : [.text(front)] + images + [.text(end)]
  }

  /// A value of an attribute: nothing in it ends the value or the line.
  private static func quoted(_ text: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out.append(contentsOf: "&amp;".unicodeScalars)
      case "<": out.append(contentsOf: "&lt;".unicodeScalars)
      case ">": out.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": out.append(contentsOf: "&quot;".unicodeScalars)
      default: out.append(isUnseen(scalar) ? " " : scalar)
      }
    }
    return String(out)
  }

  /// N1: `&lt;` for each `<` that a reader could take for the beginning of one of the server's tags, whatever stands
  /// between the letters without being seen. Everything else stays: code is full of `<`.
  static func escaped(_ text: String) -> String {
    let scalars = Array(text.unicodeScalars)
    guard scalars.contains("<") else { return text }
    var out = String.UnicodeScalarView()
    for (place, scalar) in scalars.enumerated() {
      if scalar == "<", beginsTag(scalars[(place + 1)...]) {
        out.append(contentsOf: "&lt;".unicodeScalars)
      } else {
        out.append(scalar)
      }
    }
    return String(out)
  }

  private static func beginsTag(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
    let name = rest.drop { $0 == "/" || $0 == "\\" || isUnseen($0) }
    return tags.contains { tag in
      var wanted = tag[...]
      for scalar in name where !isUnseen(scalar) {
        guard let next = wanted.first else { break }
        guard scalar.properties.lowercaseMapping == String(Character(next)) else { return false }
        wanted.removeFirst()
      }
      return wanted.isEmpty
    }
  }

  /// Spaces, ends of lines, controls, and what is not drawn at all.
  private static func isUnseen(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
    default: scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
