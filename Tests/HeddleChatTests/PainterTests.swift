// What is written to the terminal, looked at through a screen that understands what the painter uses.

import HeddleCore
import Testing

@testable import HeddleChat

/// A terminal of so many cells: text, line breaks, and the five sequences of the painter. Rows that scroll off are kept.
struct Screen {
  private(set) var rows: [[String]] = [[]]
  private(set) var row = 0
  private(set) var column = 0
  /// The last cell is filled, and the next character begins a row.
  private var isFull = false
  let width: Int

  init(width: Int) { self.width = width }

  var lines: [String] { rows.map { $0.joined().trimmingSuffixWhitespace() } }

  mutating func write(_ text: String) {
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\n": lineFeed()
      case "\r": (column, isFull) = (0, false)
      case "\u{1B}": sequence(&scalars)
      default: put(scalar)
      }
    }
  }

  private mutating func lineFeed() {
    row += 1
    (column, isFull) = (0, false)
    if row == rows.count { rows.append([]) }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let cells = TerminalText.width(scalar)
    if cells == 0 {
      if column > 0, rows[row].count >= column { rows[row][column - 1].unicodeScalars.append(scalar) }
      return
    }
    if isFull || column + cells > width { lineFeed() }
    while rows[row].count < column + cells { rows[row].append(" ") }
    rows[row][column] = String(scalar)
    if cells == 2 { rows[row][column + 1] = "" }
    column += cells
    isFull = column == width
    if isFull { column = width - 1 }
  }

  private mutating func sequence(_ scalars: inout Substring.UnicodeScalarView.SubSequence) {
    guard scalars.popFirst() == "[" else { return }
    var digits = ""
    while let scalar = scalars.popFirst() {
      if scalar.properties.numericType != nil || scalar == ";" {
        digits.unicodeScalars.append(scalar)
        continue
      }
      let count = Int(digits) ?? 1
      switch scalar {
      case "A": (row, isFull) = (max(0, row - count), false)
      case "C": (column, isFull) = (min(width - 1, column + count), false)
      case "J":
        rows[row].removeSubrange(min(column, rows[row].count)...)
        rows.removeSubrange((row + 1)...)
      case "m": break
      default: Issue.record("a sequence that the painter does not use: \(digits)\(scalar)")
      }
      return
    }
  }
}

@Suite struct PainterTests {
  private let item = ItemID(high: 1, low: 1)
  private let other = ItemID(high: 1, low: 2)
  private let prompt = TerminalPainter.Prompt(status: "-- idle --", before: "ab", after: "c")

  @Test func theBlockStaysBelowWhatIsStreamed() {
    var painter = TerminalPainter(width: 20, height: 10, isStyled: true)
    var screen = Screen(width: 20)
    screen.write(painter.paint([.line([Span(.user, "› hi")])], prompt))
    #expect(screen.lines == ["› hi", "-- idle --", "› abc"])
    #expect((screen.row, screen.column) == (2, 4))
    for piece in ["one", " two", " three and four five", " six"] {
      screen.write(painter.paint([.stream(item, .plain, piece)], prompt))
    }
    #expect(screen.lines == ["› hi", "one two three and fo", "ur five six", "-- idle --", "› abc"])
    screen.write(painter.paint([.streamEnd(item), .line([Span(.faint, "done")])], prompt))
    #expect(screen.lines == ["› hi", "one two three and fo", "ur five six", "done", "-- idle --", "› abc"])
    screen.write(painter.takeDown())
    #expect(screen.lines == ["› hi", "one two three and fo", "ur five six", "done", ""])
  }

  @Test func aPieceOfAnyLengthGoesOnWhereTheLastOneEnded() {
    let text = "abc 日本語テキスト de\u{301}f 😀 ghij\nklm 日本語 the end of it all, 宽宽宽宽宽宽宽宽宽宽宽"
    var whole = Screen(width: 20)
    whole.write(text)
    for size in 1...12 {
      var painter = TerminalPainter(width: 20, height: 10, isStyled: false)
      var screen = Screen(width: 20)
      var rest = Array(text.unicodeScalars)[...]
      while !rest.isEmpty {
        var piece = String.UnicodeScalarView()
        piece.append(contentsOf: rest.prefix(size))
        rest = rest.dropFirst(size)
        screen.write(painter.paint([.stream(item, .plain, String(piece))], prompt))
      }
      screen.write(painter.takeDown())
      #expect(Array(screen.lines.dropLast()) == whole.lines, "pieces of \(size)")
    }
  }

  @Test func aLineBreaksTheStreamAndTheStreamGoesOnBelow() {
    var painter = TerminalPainter(width: 20, height: 10, isStyled: false)
    var screen = Screen(width: 20)
    screen.write(
      painter.paint(
        [
          .stream(item, .plain, "one"), .line([Span(.agent, "news")]), .stream(item, .plain, " two"),
          .stream(other, .thought, "three"), .streamEnd(item), .streamEnd(other),
        ], prompt))
    #expect(screen.lines == ["one", "news", "two", "three", "-- idle --", "› abc"])
  }

  @Test func whatOthersWroteDoesNotSteerTheTerminal() {
    var painter = TerminalPainter(width: 60, height: 10, isStyled: false)
    let evil = "\u{1B}[2J\u{1B}]0;t\u{7}a\u{8}b\rc\u{9B}1A\u{202E}d\u{E0041}"
    let span = Span(.plain, evil)
    let prompt = TerminalPainter.Prompt(panel: [[span]], status: evil, label: evil, before: evil, after: evil)
    let text = painter.paint([.line([span]), .stream(item, .plain, evil), .line([span], isCut: true)], prompt)
    let allowed = text.replacing(/\u{1B}\[[0-9]*[ACJ]/, with: "")
    for scalar in allowed.unicodeScalars {
      #expect(
        scalar == "\n" || scalar == "\r" || TerminalText.neutral(String(scalar)) == String(scalar),
        "U+\(String(scalar.value, radix: 16))")
    }
    #expect(TerminalText.neutral("a\r\nb\u{1B}") == "a\nb␛")
  }

  @Test func stylesAreWrittenOnlyWhereTheyAreWanted() {
    var plain = TerminalPainter(width: 20, height: 10, isStyled: false)
    #expect(!plain.paint([.line([Span(.failure, "no")])], prompt).contains("m"))
    var styled = TerminalPainter(width: 20, height: 10, isStyled: true)
    #expect(styled.paint([.line([Span(.failure, "no")])], prompt).contains("\u{1B}[31mno\u{1B}[0m"))
  }

  @Test func aLongLineIsWrittenOnSeveralRowsAndTheBlockFitsOnTheScreen() {
    var painter = TerminalPainter(width: 20, height: 6, isStyled: false)
    var screen = Screen(width: 20)
    let long = (1...60).map { "w\($0)" }.joined(separator: " ")
    let panel = (0..<9).map { [Span(.agent, "agent \($0)")] }
    let prompt = TerminalPainter.Prompt(panel: panel, status: "status", before: long)
    screen.write(painter.paint([.line([Span(.plain, "above")])], prompt))
    #expect(screen.lines.count <= 6)
    #expect(screen.lines.last == "  w57 w58 w59 w60" || screen.lines.last?.hasSuffix("w60") == true)
    screen.write(painter.paint([], TerminalPainter.Prompt(before: "short")))
    #expect(screen.lines == ["above", "› short"])
  }

  @Test func aCutLineTakesOneRow() {
    var painter = TerminalPainter(width: 20, height: 6, isStyled: false)
    var screen = Screen(width: 20)
    let long = Span(.tool, "日本語 and much more than fits")
    screen.write(painter.paint([.line([long, Span(.faint, "more")], isCut: true)], prompt))
    #expect(screen.lines == ["日本語 and much mo…", "-- idle --", "› abc"])
  }

  @Test func afterAResizeTheBlockIsTakenAwayAndTheTextGoesOnBelow() {
    var painter = TerminalPainter(width: 40, height: 10, isStyled: false)
    var screen = Screen(width: 40)
    screen.write(painter.paint([.stream(item, .plain, "before")], prompt))
    painter.resize(width: 30, height: 8)
    screen.write(painter.paint([.stream(item, .plain, "after")], prompt))
    #expect(screen.lines == ["before", "after", "-- idle --", "› abc"])
  }

  @Test(arguments: [
    ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("😀", 2), ("가", 2), ("ﾊﾝ", 2), ("ａ", 2), ("é", 1), ("\u{200B}", 0),
  ])
  func widthsAreThoseOfTerminals(_ text: String, _ cells: Int) { #expect(TerminalText.width(text) == cells) }

  @Test func aSummaryIsOneLineOfItsLength() {
    #expect(TerminalText.summary("  a\n\n b\tc ", cells: 20) == "a b c")
    #expect(TerminalText.summary("abcdefgh", cells: 5) == "abcd…")
    #expect(TerminalText.width(TerminalText.summary(String(repeating: "日", count: 1_000_000), cells: 9)) <= 9)
  }

  @Test func aPipeGetsTheAnswersAndTheRestBeside() {
    var writer = PlainWriter()
    var answers = ""
    var asides = ""
    for output: ChatOutput in [
      .line([Span(.user, "› hi")]), .stream(other, .thought, "hm"), .streamEnd(other), .stream(item, .plain, "an"),
      .line([Span(.agent, "news")]), .stream(item, .plain, "swer"), .streamEnd(item), .streamEnd(other),
    ] {
      let (answer, aside) = writer.write(output)
      answers += answer
      asides += aside
    }
    #expect(answers == "answer\n")
    #expect(asides == "› hi\nhm\nnews\n")
  }
}
