// The text that is written to the terminal, looked at through a screen.

import HeddleCore
import Testing

@testable import HeddleChat

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
    #expect(screen.lines == ["› hi", "one two three and", "four five six", "-- idle --", "› abc"])
    screen.write(painter.paint([.streamEnd(item), .line([Span(.faint, "done")])], prompt))
    #expect(screen.lines == ["› hi", "one two three and", "four five six", "done", "-- idle --", "› abc"])
    screen.write(painter.takeDown())
    #expect(screen.lines == ["› hi", "one two three and", "four five six", "done", ""])
  }

  /// A text in pieces of `size` scalars, each painted by itself.
  private func streamed(_ text: String, pieces size: Int, width: Int, isStyled: Bool = false) -> [String] {
    var painter = TerminalPainter(width: width, height: 10, isStyled: isStyled)
    var screen = Screen(width: width)
    var rest = Array(text.unicodeScalars)[...]
    while !rest.isEmpty {
      screen.write(painter.paint([.stream(item, .plain, String(String.UnicodeScalarView(rest.prefix(size))))], prompt))
      rest = rest.dropFirst(size)
      #expect(Array(screen.lines.suffix(2)) == ["-- idle --", "› abc"])
    }
    screen.write(painter.paint([.streamEnd(item)], prompt))
    return screen.lines.dropLast(2)
  }

  @Test func aPieceOfAnyLengthGoesOnWhereTheLastOneEnded() {
    let text = """
      abc 日本語テキスト de\u{301}f 😀 ghij
      klm 日本語 the end of it all, 宽宽宽宽宽宽宽宽宽宽宽 https://example.org/a/very/long/address/that/fits/nowhere and on
      - a list whose **items are longer** than a row of it
      ```
      code that is    wider than the screen, 日本語 too, is not wrapped by words
      12345678901234567890
      ```
      > and a quote of some length, too
      """
    for width in [20, 21, 33, 80] {
      for isStyled in [false, true] {
        let whole = streamed(text, pieces: 10_000, width: width, isStyled: isStyled)
        for size in 1...12 {
          #expect(streamed(text, pieces: size, width: width, isStyled: isStyled) == whole, "\(size) in \(width)")
        }
      }
    }
  }

  @Test("TextFlow.F1: rows are broken between words, and go on below the text of their line")
  func rowsAreBrokenBetweenWords() {
    let list = "- seven eight nine ten eleven\n1. twelve thirteen fourteen\n> fifteen sixteen x"
    let text = "one two three four five six\n" + list
    #expect(
      streamed(text, pieces: 3, width: 20, isStyled: true) == [
        "one two three four", "five six", "• seven eight nine", "  ten eleven", "1. twelve thirteen", "   fourteen",
        "│ fifteen sixteen x",
      ])
    // Code is as it was written: the terminal breaks it.
    #expect(
      streamed("```\nfour   words of code here\n```\nend", pieces: 3, width: 20, isStyled: true) == [
        "four   words of code", " here", "end",
      ])
    // A word that is longer than a row begins one.
    #expect(streamed("a 123456789012345678901234 b", pieces: 5, width: 20) == ["a", "12345678901234567890", "1234 b"])
  }

  @Test func aLongLineIsWrappedByWords() {
    var painter = TerminalPainter(width: 20, height: 10, isStyled: false)
    var screen = Screen(width: 20)
    let line = [Span(.agent, "  [ada] "), Span(.plain, "one two three\nfour five six seven eight")]
    screen.write(painter.paint([.line(line)], prompt))
    #expect(
      screen.lines.dropLast(2) == ["  [ada] one two", "    three", "four five six seven", "  eight"])
  }

  @Test func marksOfMarkdownAreStylesAndStayWhereThereAreNone() {
    for (isStyled, renders, marked) in [(true, true, false), (true, false, true), (false, true, true)] {
      var painter = TerminalPainter(width: 40, height: 10, isStyled: isStyled, rendersMarkdown: renders)
      let text = painter.paint([.stream(item, .plain, "a **b** `c`\n"), .streamEnd(item)], prompt)
      #expect(text.contains("**b** `c`") == marked)
      #expect(text.contains("\u{1B}[1mb\u{1B}[0m \u{1B}[36mc\u{1B}[0m") == !marked)
    }
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

  @Test func aTextOfAMillionCharactersWithoutABreakIsPaintedInTime() {
    let clock = ContinuousClock()
    let text = String(repeating: "x", count: 1_000_000)
    for isStyled in [false, true] {
      var painter = TerminalPainter(width: 80, height: 24, isStyled: isStyled)
      #expect(clock.measure { _ = painter.paint([.stream(item, .plain, text)], prompt) } < .seconds(60))
    }
  }

  @Test func aCutLineTakesOneRow() {
    var painter = TerminalPainter(width: 20, height: 6, isStyled: false)
    var screen = Screen(width: 20)
    let long = Span(.tool, "日本語 and much more than fits")
    screen.write(painter.paint([.line([long, Span(.faint, "more")], isCut: true)], prompt))
    #expect(screen.lines == ["日本語 and much mo…", "-- idle --", "› abc"])
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
