// The screen as text to be written: what was said scrolls away above, and below it stand the tree of agents while any of
// them works, a line of status, and the line that is being written.
//
// P1  Between two calls the cursor is in the block at the bottom, and `block` says where that begins.
// P2  The flow of the current item knows how far the open line of the transcript is filled; its text goes on there.
// P3  What comes from outside is neutral before it is measured or written (`TerminalText`).
// P4  A line never stands inside a word of a text. One that comes in the middle of a text's line waits for the end of that
//     line, at most `patience`, or one row of text; then it is put in between two words.
//
// No alternate screen and no scroll region: what was said stays in the terminal's own scroll-back.

import HeddleCore

public struct TerminalPainter: Sendable {
  /// The lines below the transcript.
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
    /// Cells of each row, and where the cursor is.
    var widths: [Int]
    var cursorRow: Int
    var cursorColumn: Int
    var statusRow: Int?
    var prompt: Prompt
  }

  /// An item whose text comes piece by piece.
  private struct Streaming: Sendable {
    var style: TextStyle
    var markdown: MarkdownStream
    var flow: TextFlow
  }

  private var width: Int
  private var height: Int
  private let isStyled: Bool
  private let rendersMarkdown: Bool
  private var block: Block?
  private var isResized = false
  private var streams: [ItemID: Streaming] = [:]
  /// The item whose text the open line holds.
  private var current: ItemID?
  /// Lines that wait for the end of the open line (P4), since when, and how much of its text had come.
  private var waiting: [ChatOutput] = []
  private var waitingSince = Duration.zero
  private var waitingProgress = 0

  /// Narrower than this nothing sensible can be shown.
  private static let minimumWidth = 20
  private static let patience = Duration.seconds(1)

  /// Without styles the marks of Markdown are all there is to see of it: they stay.
  public init(width: Int, height: Int, isStyled: Bool, rendersMarkdown: Bool = true) {
    self.width = max(Self.minimumWidth, width)
    self.height = max(4, height)
    self.isStyled = isStyled
    self.rendersMarkdown = rendersMarkdown && isStyled
  }

  /// Lines wait: `paint` is to be called again soon, even if nothing happens.
  public var isWaiting: Bool { !waiting.isEmpty }

  // MARK: Painting

  /// Shows more, and the block anew; `now` is any time that goes on evenly. Nothing, when nothing is another.
  public mutating func paint(_ outputs: [ChatOutput], _ prompt: Prompt, at now: Duration = .zero) -> String {
    if outputs.isEmpty, !isResized, !isDue(now), let block, let text = statusChanged(block, prompt) { return text }
    var ink = Ink(isStyled: isStyled)
    erase(&ink)
    for output in outputs { show(output, now, &ink) }
    if isDue(now) { interrupt(&ink) }
    if let current { streams[current]?.flow.flush(&ink) }
    draw(prompt, &ink)
    return ink.text
  }

  /// Takes the block away, for a program that ends, or rests: then the text goes on with a whole word.
  public mutating func takeDown(rests: Bool = false) -> String {
    var ink = Ink(isStyled: isStyled)
    erase(&ink)
    if let current {
      if rests { streams[current]?.flow.makeRoom(&ink) } else { streams[current]?.flow.endOpenLine(&ink) }
    }
    showWaiting(&ink)
    return ink.text
  }

  /// The terminal has another size. It has broken rows that were longer than it is wide now.
  public mutating func resize(width: Int, height: Int) {
    self.width = max(Self.minimumWidth, width)
    self.height = max(4, height)
    isResized = true
  }

  /// An empty screen with the open line on top.
  public mutating func clearScreen() -> String {
    block = nil
    var ink = Ink(isStyled: isStyled)
    ink.control("\u{1B}[H\u{1B}[2J")
    relay(&ink)
    return ink.text
  }

  private var isOpen: Bool { current.flatMap { streams[$0]?.flow.isOpen } ?? false }

  private mutating func erase(_ ink: inout Ink) {
    guard let block else {
      if isResized { relay(&ink) }
      return
    }
    self.block = nil
    let above = block.widths[..<block.cursorRow].reduce(0) { $0 + max(1, rows($1)) } + block.cursorColumn / width
    ink.up(above)
    ink.control("\r\u{1B}[J")
    guard let current, let flow = streams[current]?.flow, flow.isOpen else {
      if isResized { relay(&ink) }
      return
    }
    if isResized {
      // A terminal keeps a line that was too long on rows of its own; a line that left the screen stays as it is.
      guard rows(flow.column) < height - 1 else {
        streams[current]?.flow.leaveRow(width: width)
        return relay(&ink)
      }
      ink.up(rows(flow.column))
      ink.control("\u{1B}[J")
      relay(&ink)
    } else if !flow.isBelow {
      ink.up(1)
      ink.right(flow.column % width)
    }
  }

  private func rows(_ cells: Int) -> Int { (cells + width - 1) / width }

  /// Gives all texts the width, and writes the open line.
  private mutating func relay(_ ink: inout Ink) {
    isResized = false
    for id in streams.keys {
      if id == current { streams[id]?.flow.relay(width: width, &ink) } else { streams[id]?.flow.setWidth(width) }
    }
  }

  /// The status alone is rewritten where it stands, so that a clock does not make the line below it flicker. Nil when more
  /// has changed.
  private mutating func statusChanged(_ block: Block, _ prompt: Prompt) -> String? {
    if prompt == block.prompt { return "" }
    var rest = prompt
    rest.status = block.prompt.status
    guard rest == block.prompt, let row = block.statusRow, !prompt.status.isEmpty else { return nil }
    var ink = Ink(isStyled: isStyled)
    let (spans, cells) = cutRow([Span(.faint, prompt.status)])
    let down = block.cursorRow - row
    ink.up(down)
    ink.control("\r")
    ink.write(spans)
    let blank = String(repeating: " ", count: max(0, block.widths[row] - cells))
    ink.control(blank + String(repeating: "\n", count: down) + "\r")
    ink.right(block.cursorColumn)
    self.block?.widths[row] = max(block.widths[row], cells)
    self.block?.prompt = prompt
    return ink.text
  }

  private mutating func draw(_ prompt: Prompt, _ ink: inout Ink) {
    if let current, let flow = streams[current]?.flow, flow.isOpen {
      if !flow.isBelow { ink.control("\n") }
      streams[current]?.flow.standBelow()
    }
    var rows: [(spans: [Span], width: Int)] = []
    let editing = Self.layout(prompt, width: width - 1)
    // The block must fit on the screen, or it could not be taken away again: first the line that is being written.
    let editRows = min(editing.rows.count, max(1, height - 3))
    let room = max(0, height - 2 - editRows)
    for row in prompt.panel.prefix(max(0, room - 1)) { rows.append(cutRow(row)) }
    let statusRow = !prompt.status.isEmpty && room > 0 ? rows.count : nil
    if statusRow != nil { rows.append(cutRow([Span(.faint, prompt.status)])) }
    let first = max(0, min(editing.cursorRow - editRows + 1, editing.rows.count - editRows))
    let cursorRow = rows.count + editing.cursorRow - first
    for row in editing.rows[first..<(first + editRows)] { rows.append(([Span(.plain, row)], TerminalText.width(row))) }
    for (index, row) in rows.enumerated() {
      if index > 0 { ink.control("\n") }
      ink.write(row.spans)
    }
    ink.close()
    ink.up(rows.count - 1 - cursorRow)
    ink.control("\r")
    ink.right(editing.cursorColumn)
    block = Block(
      widths: rows.map(\.width), cursorRow: cursorRow, cursorColumn: editing.cursorColumn, statusRow: statusRow,
      prompt: prompt)
  }

  private func cutRow(_ spans: [Span]) -> (spans: [Span], width: Int) {
    let spans = Self.cut(spans, to: width - 1)
    return (spans, spans.reduce(0) { $0 + TerminalText.width($1.text) })
  }

  // MARK: The transcript

  private mutating func show(_ output: ChatOutput, _ now: Duration, _ ink: inout Ink) {
    switch output {
    case .line(let spans, let isCut):
      guard isOpen, let current else { return writeLine(spans, isCut: isCut, &ink) }
      if waiting.isEmpty { (waitingSince, waitingProgress) = (now, streams[current]?.flow.progress ?? 0) }
      waiting.append(output)
    case .stream(let item, let style, let piece):
      if current != item { suspend(&ink) }
      current = item
      let new = Streaming(
        style: style, markdown: MarkdownStream(showsMarks: !rendersMarkdown), flow: TextFlow(width: width))
      var stream = streams.removeValue(forKey: item) ?? new
      lay(stream.markdown.take(piece), &stream, &ink)
      streams[item] = stream
    case .streamEnd(let item):
      guard var stream = streams.removeValue(forKey: item) else { return }
      let pieces = stream.markdown.finish()
      if current != item {
        if pieces.isEmpty, !stream.flow.hasMore { return }
        suspend(&ink)
      }
      current = nil
      lay(pieces, &stream, &ink)
      stream.flow.endOpenLine(&ink)
      showWaiting(&ink)
    }
  }

  private mutating func lay(_ pieces: [MarkdownStream.Piece], _ stream: inout Streaming, _ ink: inout Ink) {
    let style = stream.style
    for piece in pieces {
      switch piece {
      case .begin(let lead, let hang, let isVerbatim):
        stream.flow.begin(
          lead: lead.map { Span(style, $0.text, $0.marks) }, hang: hang.map { Span(style, $0.text, $0.marks) },
          isVerbatim: isVerbatim)
      case .text(let run): stream.flow.put(Span(style, run.text, run.marks), &ink)
      case .lineEnd:
        stream.flow.endLine(&ink)
        showWaiting(&ink)
      }
    }
  }

  /// The text of the current item rests, because another one's comes.
  private mutating func suspend(_ ink: inout Ink) {
    guard let current else { return }
    if isOpen { streams[current]?.flow.makeRoom(&ink) }
    showWaiting(&ink)
    self.current = nil
  }

  /// Whether lines have waited long enough. A word that fills the screen cannot be moved: they wait for its end.
  private func isDue(_ now: Duration) -> Bool {
    guard !waiting.isEmpty, let current, let flow = streams[current]?.flow else { return false }
    guard !flow.isTooLong(height: height) else { return false }
    return now - waitingSince >= Self.patience || flow.progress - waitingProgress >= width
  }

  private mutating func interrupt(_ ink: inout Ink) {
    if let current { streams[current]?.flow.makeRoom(&ink) }
    showWaiting(&ink)
  }

  private mutating func showWaiting(_ ink: inout Ink) {
    let lines = waiting
    waiting = []
    for case .line(let spans, let isCut) in lines { writeLine(spans, isCut: isCut, &ink) }
  }

  /// A line of its own. The cursor is at the beginning of a row, before and after.
  private func writeLine(_ spans: [Span], isCut: Bool, _ ink: inout Ink) {
    if isCut {
      ink.write(Self.cut(spans, to: width - 1))
      return ink.control("\n")
    }
    let spans = spans.map { Span($0.style, TerminalText.neutral($0.text), $0.marks) }
    // Rows after the first stand a little to the right of where their line begins.
    var hangs = spans.map(\.text).joined().split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0.prefix { $0 == " " }.prefix(width / 2)) + "  " }[...]
    var flow = TextFlow(width: width)
    flow.begin(hang: [Span(.plain, hangs.popFirst() ?? "")])
    for span in spans {
      for (index, text) in span.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        if index > 0 {
          flow.endLine(&ink)
          flow.begin(hang: [Span(.plain, hangs.popFirst() ?? "")])
        }
        flow.put(Span(span.style, String(text), span.marks), &ink)
      }
    }
    flow.endLine(&ink)
  }

  static func cut(_ spans: [Span], to cells: Int) -> [Span] {
    var room = cells
    var out: [Span] = []
    for span in spans {
      let text = TerminalText.neutral(span.text, keepsLines: false)
      let needed = TerminalText.width(text)
      out.append(Span(span.style, TerminalText.cut(text, to: room), span.marks))
      if needed > room { break }
      room -= needed
    }
    return out
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
