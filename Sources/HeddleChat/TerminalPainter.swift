// The screen as text to be written: what was said scrolls away above, and below it stand the tree of agents while any of
// them works, a line of status, and the line that is being written.
//
// P1  Between two calls the cursor is in the block at the bottom, and `block` says where that begins.
// P2  `column` is how far the open line of the transcript is filled; streamed text goes on from there.
// P3  What comes from outside is neutral before it is measured or written (`TerminalText`).
//
// No alternate screen and no scroll region: what was said stays in the terminal's own scroll-back.

import HeddleCore

public struct TerminalPainter: Sendable {
  /// What stands below the transcript.
  public struct Prompt: Equatable, Sendable {
    public var panel: [[Span]]
    public var status: String
    public var label: String
    public var before: String
    public var after: String

    public init(
      panel: [[Span]] = [], status: String = "", label: String = "› ", before: String = "", after: String = ""
    ) {
      self.panel = panel
      self.status = status
      self.label = label
      self.before = before
      self.after = after
    }
  }

  private struct Block: Sendable {
    /// Cells of each row, and the row that the cursor is in.
    var widths: [Int]
    var cursorRow: Int
  }

  private var width: Int
  private var height: Int
  private let isStyled: Bool
  private var block: Block?
  private var column = 0
  /// The item whose text the open line holds.
  private var streaming: ItemID?
  /// The item whose text was broken off by something else.
  private var broken: ItemID?

  /// Narrower than this nothing sensible can be shown.
  private static let minimumWidth = 20

  public init(width: Int, height: Int, isStyled: Bool) {
    self.width = max(Self.minimumWidth, width)
    self.height = max(4, height)
    self.isStyled = isStyled
  }

  // MARK: Painting

  /// Shows more, and the block anew.
  public mutating func paint(_ outputs: [ChatOutput], _ prompt: Prompt) -> String {
    var text = erase()
    for output in outputs { text += shown(output) }
    return text + draw(prompt)
  }

  /// Takes the block away: for a program that ends, or rests.
  public mutating func takeDown() -> String {
    var text = erase()
    if column > 0 { text += newLine() }
    return text
  }

  /// The terminal has another size. It may have broken rows that were longer than it is wide now.
  public mutating func resize(width: Int, height: Int) {
    self.width = max(Self.minimumWidth, width)
    self.height = max(4, height)
    if let block {
      let rows = block.widths[..<block.cursorRow].reduce(0) { $0 + max(1, ($1 + self.width - 1) / self.width) }
      self.block = Block(widths: block.widths, cursorRow: rows)
    }
    // Where the open line ends now is the terminal's secret: the text goes on below it.
    column = 0
  }

  /// An empty screen with the block on top.
  public mutating func clearScreen() -> String {
    block = nil
    column = 0
    return "\u{1B}[H\u{1B}[2J"
  }

  private mutating func erase() -> String {
    guard let block else { return "" }
    self.block = nil
    var text = block.cursorRow > 0 ? "\u{1B}[\(block.cursorRow)A" : ""
    text += "\r\u{1B}[J"
    // A line that is full to the last cell is followed by its next row, which is where the cursor is.
    if column >= width { column = 0 }
    if column > 0 { text += "\u{1B}[1A\u{1B}[\(column)C" }
    return text
  }

  private mutating func draw(_ prompt: Prompt) -> String {
    var text = column > 0 ? "\n" : ""
    var rows: [(text: String, width: Int)] = []
    let editing = Self.layout(prompt, width: width - 1)
    // The block must fit on the screen, or it could not be taken away again: first the line that is being written.
    let editRows = min(editing.rows.count, max(1, height - 3))
    let room = max(0, height - 2 - editRows)
    for row in prompt.panel.prefix(max(0, room - 1)) { rows.append(styledRow(row)) }
    if !prompt.status.isEmpty, room > 0 { rows.append(styledRow([Span(.faint, prompt.status)])) }
    let first = max(0, min(editing.cursorRow - editRows + 1, editing.rows.count - editRows))
    let cursorRow = rows.count + editing.cursorRow - first
    for row in editing.rows[first..<(first + editRows)] { rows.append((row, TerminalText.width(row))) }
    text += rows.map(\.text).joined(separator: "\n")
    let up = rows.count - 1 - cursorRow
    text += (up > 0 ? "\u{1B}[\(up)A" : "") + "\r" + (editing.cursorColumn > 0 ? "\u{1B}[\(editing.cursorColumn)C" : "")
    block = Block(widths: rows.map(\.width), cursorRow: cursorRow)
    return text
  }

  private func styledRow(_ spans: [Span]) -> (text: String, width: Int) {
    let spans = Self.cut(spans, to: width - 1)
    return (spans.map(styled).joined(), spans.reduce(0) { $0 + TerminalText.width($1.text) })
  }

  // MARK: The transcript

  private mutating func shown(_ output: ChatOutput) -> String {
    switch output {
    case .line(let spans, let isCut):
      var text = column > 0 ? newLine() : ""
      (broken, streaming) = (streaming ?? broken, nil)
      var spans = spans.map { Span($0.style, TerminalText.neutral($0.text, keepsLines: !isCut)) }
      if isCut { spans = Self.cut(spans, to: width - 1) }
      text += spans.map(styled).joined()
      return text + newLine()
    case .stream(let item, let style, let piece):
      var text = ""
      var neutral = TerminalText.neutral(piece)
      if streaming != item {
        if column > 0 { text += newLine() }
        // The space between two words: the line break stands for it.
        if broken == item, neutral.hasPrefix(" "), !neutral.hasPrefix("  ") { neutral.removeFirst() }
        (broken, streaming) = (streaming ?? broken, item)
      }
      advance(neutral)
      return text + styled(Span(style, neutral))
    case .streamEnd(let item):
      guard streaming == item else { return "" }
      streaming = nil
      return column > 0 ? newLine() : ""
    }
  }

  private mutating func newLine() -> String {
    column = 0
    return "\n"
  }

  /// Follows the terminal as it breaks lines: a character that does not fit is the first of the next row.
  private mutating func advance(_ text: String) {
    for scalar in text.unicodeScalars {
      if scalar == "\n" {
        column = 0
        continue
      }
      let cells = TerminalText.width(scalar)
      column = column + cells > width ? cells : column + cells
    }
  }

  static func cut(_ spans: [Span], to cells: Int) -> [Span] {
    var room = cells
    var out: [Span] = []
    for span in spans {
      let text = TerminalText.neutral(span.text, keepsLines: false)
      let needed = TerminalText.width(text)
      out.append(Span(span.style, TerminalText.cut(text, to: room)))
      if needed > room { break }
      room -= needed
    }
    return out
  }

  private func styled(_ span: Span) -> String {
    guard isStyled, !span.text.isEmpty, let code = Self.code(span.style) else { return span.text }
    return "\u{1B}[\(code)m\(span.text)\u{1B}[0m"
  }

  private static func code(_ style: TextStyle) -> String? {
    switch style {
    case .plain: nil
    case .user: "1"
    case .thought: "2;3"
    case .tool: "36"
    case .success: "32"
    case .failure: "31"
    case .agent: "35"
    case .note: "33"
    case .question: "1;33"
    case .faint: "2"
    }
  }

  // MARK: The line that is being written

  /// Its rows, each narrower than the terminal so that the terminal breaks none of them, and where the cursor is.
  static func layout(_ prompt: Prompt, width: Int) -> (rows: [String], cursorRow: Int, cursorColumn: Int) {
    let label = TerminalText.cut(TerminalText.neutral(prompt.label, keepsLines: false), to: width / 2)
    let indent = String(repeating: " ", count: TerminalText.width(label))
    var rows = [label]
    var used = TerminalText.width(label)
    func append(_ text: String) {
      for character in TerminalText.neutral(text) {
        let cells = TerminalText.width(String(character))
        if character == "\n" || used + cells > width {
          rows.append(indent)
          used = TerminalText.width(indent)
        }
        if character == "\n" { continue }
        rows[rows.count - 1].append(character)
        used += cells
      }
    }
    append(prompt.before)
    let cursor = (rows.count - 1, used)
    append(prompt.after)
    return (rows, cursor.0, cursor.1)
  }
}

/// The same for a pipe: what the model answers is the output, everything else is beside it. No styles, no block.
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
