// A chat in a pipe. Answers go out as the model wrote them, Markdown included.

import HeddleCore

/// The painter of a pipe: the model's answers are the output, everything else is beside it. No styles, no block.
public struct PlainWriter: Equatable, Sendable {
  private var streaming: ItemID?
  private var endsWithLine = true
  private var isAsideOpen = false

  public init() {}

  public mutating func write(_ output: ChatOutput) -> (answer: String, aside: String) {
    switch output {
    case .line(let spans, _):
      let begin = isAsideOpen ? "\n" : ""
      isAsideOpen = false
      return ("", begin + spans.map { TerminalText.neutral($0.text) }.joined() + "\n")
    case .stream(_, let style, let text) where style != .plain:
      isAsideOpen = true
      return ("", TerminalText.neutral(text))
    case .stream(let item, _, let text):
      let text = TerminalText.neutral(text)
      let begin = streaming != nil && streaming != item && !endsWithLine ? "\n" : ""
      streaming = item
      endsWithLine = text.hasSuffix("\n")
      return (begin + text, "")
    case .streamEnd(let item):
      guard streaming == item else {
        defer { isAsideOpen = false }
        return ("", isAsideOpen ? "\n" : "")
      }
      streaming = nil
      defer { endsWithLine = true }
      return (endsWithLine ? "" : "\n", "")
    }
  }
}
