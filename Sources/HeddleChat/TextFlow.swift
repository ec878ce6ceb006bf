// The rows of a text that goes on: words that do not fit begin the next row, and the row that is open can be written
// again, for another width or behind something that came in between.
//
// F1  Rows are broken between words. A word longer than a row, and a line of code, run on where the terminal breaks them.
// F2  The open word may move: it is taken off its row and written again on the next. Nothing else is written twice.
// F3  `column` is how far the cursor is from where the open line began, over all rows that the terminal makes of it.

/// Text and control sequences on their way to the terminal. A style is switched only where it changes.
struct Ink {
  private(set) var text = ""
  private let isStyled: Bool
  private var open: String?

  init(isStyled: Bool) { self.isStyled = isStyled }

  mutating func write(_ span: Span) {
    guard !span.text.isEmpty else { return }
    let code = isStyled ? Self.code(span) : nil
    if code != open { close() }
    if let code, open == nil { text += "\u{1B}[\(code)m" }
    open = code
    text += span.text
  }

  mutating func write(_ spans: [Span]) { for span in spans { write(span) } }

  /// Something that no style may reach.
  mutating func control(_ sequence: String) {
    close()
    text += sequence
  }

  mutating func up(_ rows: Int) { if rows > 0 { control("\u{1B}[\(rows)A") } }

  mutating func right(_ cells: Int) { if cells > 0 { control("\u{1B}[\(cells)C") } }

  mutating func close() {
    if open != nil { text += "\u{1B}[0m" }
    open = nil
  }

  private static func code(_ span: Span) -> String? {
    var codes: [String] = []
    switch span.style {
    case .plain: break
    case .user: codes.append("1")
    case .thought: codes.append("2;3")
    case .tool: codes.append("36")
    case .success: codes.append("32")
    case .failure: codes.append("31")
    case .agent: codes.append("35")
    case .note: codes.append("33")
    case .question: codes.append("1;33")
    case .faint: codes.append("2")
    }
    if span.marks.contains(.heading) { codes.append("1;4") } else if span.marks.contains(.strong) { codes.append("1") }
    if span.marks.contains(.aside) { codes.append("2") }
    if span.marks.contains(.emphasis) { codes.append("3") }
    if span.marks.contains(.link) { codes.append("4") }
    if span.marks.contains(.code) { codes.append("36") }
    return codes.isEmpty ? nil : codes.joined(separator: ";")
  }
}

struct TextFlow {
  private var width: Int
  private var isVerbatim = false
  /// The beginning of the open row, and of the rows below it.
  private var lead: [Span] = []
  private var hang: [Span] = []
  private var isLeadWritten = false
  /// The row goes on with a line that began above.
  private var isContinued = false
  /// Whole words of the row behind its lead, and the word that is open.
  private var row: [Span] = []
  private var word: [Span] = []
  private var leadCells = 0
  private var rowCells = 0
  private var wordCells = 0
  /// The part of the word that is not written, and the cells of the part that is.
  private var unwritten: [Span] = []
  private var writtenCells = 0
  private var joinsNext = false
  /// A space was left out at the end of a full row.
  private var isBreakDue = false
  /// The cursor is at the beginning of the row below the last one, which is full.
  private(set) var isBelow = false
  /// Cells of all that was put.
  private(set) var progress = 0

  init(width: Int) { self.width = width }

  /// One cell stays free: a row that is full to the last would put the cursor into a state of its own.
  private var limit: Int { width - 1 }

  var column: Int { (isLeadWritten ? leadCells : 0) + rowCells + wordCells }

  /// Whether the cursor stands behind something.
  var isOpen: Bool { column > 0 }

  private static func cells(_ spans: [Span]) -> Int { spans.reduce(0) { $0 + TerminalText.width($1.text) } }

  private static func append(_ scalar: Unicode.Scalar, _ mark: Span, to spans: inout [Span]) {
    // In place: a copy of the last span would make each character cost as much as all before it.
    let last = spans.count - 1
    if last >= 0, spans[last].style == mark.style, spans[last].marks == mark.marks {
      spans[last].text.unicodeScalars.append(scalar)
    } else {
      spans.append(Span(mark.style, String(scalar), mark.marks))
    }
  }

  // MARK: Lines

  mutating func begin(lead: [Span] = [], hang: [Span] = [], isVerbatim: Bool = false) {
    (self.lead, self.hang, self.isVerbatim) = (lead, hang, isVerbatim)
    leadCells = Self.cells(lead)
    (row, word, unwritten, rowCells, wordCells, writtenCells) = ([], [], [], 0, 0, 0)
    (isLeadWritten, isContinued, isBreakDue, joinsNext, isBelow) = (false, false, false, false, false)
  }

  mutating func put(_ span: Span, _ ink: inout Ink) {
    for scalar in span.text.unicodeScalars { put(scalar, span, &ink) }
  }

  /// Ends the line. One that ended already, because something came in between, is not ended again.
  mutating func endLine(_ ink: inout Ink) {
    if !isContinued { writeLead(&ink) }
    endWord(&ink)
    if (!isContinued || isOpen) && !isBelow { ink.control("\n") }
    begin()
  }

  /// Ends the line if anything stands there.
  mutating func endOpenLine(_ ink: inout Ink) {
    endWord(&ink)
    if isOpen, !isBelow { ink.control("\n") }
    begin()
  }

  /// Writes all there is: the open word may still move.
  mutating func flush(_ ink: inout Ink) {
    guard !unwritten.isEmpty else { return }
    writeLead(&ink)
    ink.write(unwritten)
    (unwritten, writtenCells, isBelow) = ([], wordCells, false)
  }

  private mutating func writeLead(_ ink: inout Ink) {
    if !isLeadWritten { ink.write(lead) }
    isLeadWritten = true
  }

  private mutating func endWord(_ ink: inout Ink) {
    flush(&ink)
    for span in word {
      for scalar in span.text.unicodeScalars { Self.append(scalar, span, to: &row) }
    }
    rowCells += wordCells
    (word, wordCells, writtenCells) = ([], 0, 0)
  }

  // MARK: Characters

  private mutating func put(_ scalar: Unicode.Scalar, _ span: Span, _ ink: inout Ink) {
    let cells = TerminalText.width(scalar)
    defer { joinsNext = scalar == "\u{200D}" }
    progress += cells
    if scalar == " " { return putSpace(span, &ink) }
    // A wide character is a word of its own, whatever joins it behind it belongs to it.
    let isWide = cells == 2 && !joinsNext
    if isWide || (cells == 1 && lastIsWide) { endWord(&ink) }
    if isBreakDue { nextRow(&ink) }
    if !isVerbatim, rowCells > 0, start > 0, start + wordCells + cells > limit { nextRow(&ink) }
    let beyond = (leadCells + rowCells + wordCells) % width
    // A wide character that does not fit leaves the last cell of a row empty.
    if beyond + cells > width { wordCells += width - beyond }
    wordCells += cells
    Self.append(scalar, span, to: &word)
    Self.append(scalar, span, to: &unwritten)
  }

  /// The cell of the terminal's row where the open word begins.
  private var start: Int { (leadCells + rowCells) % width }

  private var lastIsWide: Bool { word.last?.text.unicodeScalars.first.map { TerminalText.width($0) == 2 } ?? false }

  private mutating func putSpace(_ span: Span, _ ink: inout Ink) {
    endWord(&ink)
    if !isVerbatim {
      if rowCells == 0, isContinued { return }
      if start + 1 > limit {
        isBreakDue = true
        return
      }
    }
    writeLead(&ink)
    isBelow = false
    rowCells += 1
    Self.append(" ", span, to: &row)
    ink.write(Span(span.style, " ", span.marks))
  }

  /// Takes the open word to the next row (F2).
  private mutating func nextRow(_ ink: inout Ink) {
    takeBackWord(&ink)
    ink.control("\n")
    continueRow()
  }

  private mutating func continueRow() {
    lead = hang
    leadCells = Self.cells(lead)
    (isLeadWritten, isContinued, isBreakDue) = (false, true, false)
    (row, rowCells) = ([], 0)
    wordCells = Self.cells(word)
    (unwritten, writtenCells, isBelow) = (word, 0, false)
  }

  /// Takes the written part of the open word off the screen. The cursor is then where the word began.
  private mutating func takeBackWord(_ ink: inout Ink) {
    guard writtenCells > 0 else { return }
    let start = leadCells + rowCells
    ink.up(cursorRow - start / width)
    ink.control("\r")
    ink.right(start % width)
    ink.control("\u{1B}[J")
    (writtenCells, isBelow) = (0, false)
  }

  /// The row of the open line that the cursor is in.
  private var cursorRow: Int {
    let cells = (isLeadWritten ? leadCells : 0) + rowCells + writtenCells
    return isBelow || cells == 0 ? cells / width : (cells - 1) / width
  }

  // MARK: In between

  /// Makes room for something else above the open word: afterwards the cursor begins a row. The text goes on, with the
  /// open word, when `flush` is called.
  mutating func makeRoom(_ ink: inout Ink) {
    if rowCells > 0 {
      takeBackWord(&ink)
      if !isBelow { ink.control("\n") }
      return continueRow()
    }
    if isLeadWritten || writtenCells > 0 {
      ink.up(cursorRow)
      ink.control("\r\u{1B}[J")
    }
    (unwritten, writtenCells, isLeadWritten, isBelow) = (word, 0, false, false)
  }

  /// Something is written below the open line. If its last row is full, the next character belongs where that begins.
  mutating func standBelow() { isBelow = isOpen && column % width == 0 }

  /// Whether the open word takes more rows than can be written again.
  func isTooLong(height: Int) -> Bool { (column - 1) / width > height - 4 }

  /// Writes the open line anew, for a terminal that is so wide. The cursor is where the line begins.
  mutating func relay(width: Int, _ ink: inout Ink) {
    let text = row + word + (isBreakDue ? [Span(.plain, " ")] : [])
    let (lead, hang, isVerbatim, isContinued) = (lead, hang, isVerbatim, isContinued)
    self.width = width
    begin(lead: lead, hang: hang, isVerbatim: isVerbatim)
    self.isContinued = isContinued
    for span in text { put(span, &ink) }
    flush(&ink)
  }

  /// The row keeps its text, and the text continues in the row below, where the cursor is already.
  mutating func leaveRow(width: Int) {
    let isVerbatim = isVerbatim
    begin(isVerbatim: isVerbatim)
    self.width = width
    isContinued = true
  }

  /// For a text that rests.
  mutating func setWidth(_ width: Int) { self.width = width }

  /// Whether there is text of it that is not on the screen.
  var hasMore: Bool { !unwritten.isEmpty }
}
