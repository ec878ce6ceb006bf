// A text that is interrupted while it streams: by a notice, by another width, by time.

import HeddleCore
import Testing

@testable import HeddleChat

@Suite struct InterruptedTextTests {
  private let item = ItemID(high: 1, low: 1)
  private let other = ItemID(high: 1, low: 2)
  private let notice = ChatOutput.line([Span(.faint, "— news")])
  private let prompt = TerminalPainter.Prompt(status: "-- idle --", before: "ab", after: "c")

  /// A painter with its screen.
  private struct Display {
    var painter: TerminalPainter
    var screen: Screen
    let prompt: TerminalPainter.Prompt

    mutating func paint(_ outputs: [ChatOutput] = [], at seconds: Double = 0) {
      screen.write(painter.paint(outputs, prompt, at: .milliseconds(Int(seconds * 1_000))))
    }

    mutating func resize(_ width: Int) {
      screen.resize(width: width)
      painter.resize(width: width, height: 12)
    }

    /// The transcript; the block stands below it.
    var lines: [String] {
      #expect(Array(screen.lines.suffix(2)) == ["-- idle --", "› abc"])
      return screen.lines.dropLast(2)
    }
  }

  private func display(_ width: Int = 40, isStyled: Bool = false) -> Display {
    Display(
      painter: TerminalPainter(width: width, height: 12, isStyled: isStyled), screen: Screen(width: width),
      prompt: prompt)
  }

  // MARK: Notices

  @Test("TerminalPainter.P4: a notice waits for the end of the line")
  func aNoticeWaitsForTheEndOfTheLine() {
    var display = display()
    display.paint([.stream(item, .plain, "Extra")])
    display.paint([notice], at: 0.1)
    #expect(display.lines == ["Extra"])
    #expect(display.painter.isWaiting)
    display.paint([.stream(item, .plain, "ordinary\nthings")], at: 0.5)
    #expect(display.lines == ["Extraordinary", "— news", "things"])
    #expect(!display.painter.isWaiting)
    display.paint([notice, .stream(item, .plain, " happen"), .streamEnd(item)], at: 0.6)
    #expect(display.lines == ["Extraordinary", "— news", "things happen", "— news"])
  }

  @Test("TerminalPainter.P4: after a second it stands between two words, and an open word goes on below it")
  func afterASecondANoticeStandsBetweenTwoWords() {
    var display = display()
    display.paint([.stream(item, .plain, "some extra"), notice])
    display.paint(at: 0.9)
    #expect(display.lines == ["some extra"])
    display.paint(at: 1)
    #expect(display.lines == ["some", "— news", "extra"])
    display.paint([.stream(item, .plain, "ordinary things"), .streamEnd(item)], at: 1.1)
    #expect(display.lines == ["some", "— news", "extraordinary things"])
    // A word that begins its row takes nothing with it.
    display.paint([.stream(item, .plain, "Extra"), notice], at: 2)
    display.paint(at: 3)
    display.paint([.stream(item, .plain, "ordinary "), notice], at: 3)
    display.paint(at: 4.5)
    display.paint([.stream(item, .plain, "end")], at: 5)
    #expect(display.lines.dropFirst(3) == ["— news", "Extraordinary", "— news", "end"])
  }

  @Test("TerminalPainter.P4: a long line does not hold it back for ever")
  func aLongLineDoesNotHoldANoticeBackForEver() {
    var display = display(30)
    display.paint([.stream(item, .plain, "- one"), notice])
    for word in 2...12 { display.paint([.stream(item, .plain, " word\(word)")]) }
    display.paint([.streamEnd(item)])
    #expect(display.lines.filter { $0 == "— news" }.count == 1)
    let words = display.lines.filter { $0 != "— news" }.joined(separator: " ").split(separator: " ")
    #expect(words == ["-", "one"] + (2...12).map { "word\($0)" })
    #expect(display.lines.last != "— news")
  }

  @Test("TerminalPainter.P4: wherever a notice comes, no word is broken and no text is lost")
  func whereverANoticeComesNoWordIsBroken() {
    let list = "- four **five six** seven eight nine ten"
    let text = Array("one two three\n\(list)\n```\na  b c\n```\nelevenandtwelve 13".unicodeScalars)
    for cut in 0...text.count {
      for wait in [0.5, 2] {
        var display = display(20, isStyled: true)
        let pieces = [text[..<cut], text[cut...]].map { String(String.UnicodeScalarView($0)) }
        display.paint([.stream(item, .plain, pieces[0])])
        display.paint([notice])
        display.paint(at: wait)
        display.paint([.stream(item, .plain, pieces[1]), .streamEnd(item)], at: wait)
        #expect(display.lines.filter { $0 == "— news" }.count == 1)
        let words = display.lines.filter { $0 != "— news" }.joined(separator: " ").split(separator: " ")
        #expect(
          words.joined(separator: " ")
            == "one two three • four five six seven eight nine ten a b c elevenandtwelve 13", "cut at \(cut)")
      }
    }
  }

  @Test func theTextOfAnotherItemBreaksNoWordEither() {
    var display = display()
    display.paint([.stream(item, .plain, "one tw"), .stream(other, .thought, "three")])
    display.paint([.streamEnd(other), .stream(item, .plain, "o"), .streamEnd(item)])
    #expect(display.lines == ["one", "three", "two"])
  }

  // MARK: Another width

  @Test("a resize in the middle of a word goes on with the word, in a row of the new width")
  func aResizeInTheMiddleOfAWordGoesOnWithIt() {
    for (before, after) in [(80, 60), (80, 30), (80, 20), (30, 80), (24, 37), (60, 59)] {
      var display = display(before)
      display.paint([notice, .stream(item, .plain, "The quick brown fox jumps over the la")])
      display.resize(after)
      display.paint()
      display.paint([.stream(item, .plain, "zy dog and runs away"), .streamEnd(item)])
      #expect(display.lines.first == "— news", "\(before) to \(after)")
      let words = display.lines.dropFirst().joined(separator: " ")
      #expect(words == "The quick brown fox jumps over the lazy dog and runs away", "\(before) to \(after)")
      #expect(display.lines.allSatisfy { $0.count < max(before, after) })
    }
  }

  @Test func whereverALineIsCutByAResizeNothingIsLost() {
    let code = "```\nlong  code that is not wrapped\n```"
    let text = Array("- one two three four five\n\(code)\n日本語 six seven".unicodeScalars)
    for cut in 0...text.count {
      for (before, after) in [(20, 33), (33, 20), (26, 25), (24, 48)] {
        var display = display(before, isStyled: true)
        let pieces = [text[..<cut], text[cut...]].map { String(String.UnicodeScalarView($0)) }
        display.paint([notice, .stream(item, .plain, pieces[0])])
        display.resize(after)
        display.resize(after)
        display.paint()
        display.paint([.stream(item, .plain, pieces[1]), .streamEnd(item)])
        #expect(display.lines.first == "— news")
        let all = display.lines.dropFirst().joined().filter { $0 != " " }
        #expect(
          all == "•onetwothreefourfivelongcodethatisnotwrapped日本語sixseven", "\(before) to \(after), cut at \(cut)")
      }
    }
  }

  @Test func aClearedScreenBeginsWithTheOpenLine() {
    var display = display()
    display.paint([notice, .stream(item, .plain, "one tw")])
    display.screen.write(display.painter.clearScreen())
    display.paint([.stream(item, .plain, "o")])
    #expect(display.lines == ["one two"])
  }

  @Test func aProgramThatRestedGoesOnWithTheWholeWord() {
    var display = display()
    display.paint([.stream(item, .plain, "one tw")])
    display.screen.write(display.painter.takeDown(rests: true))
    #expect(display.screen.lines == ["one", ""])
    display.screen.write("shell\n")
    display.paint([.stream(item, .plain, "o")])
    #expect(display.lines == ["one", "shell", "two"])
  }

  // MARK: The clock

  @Test func aClockRewritesNothingButItself() {
    var painter = TerminalPainter(width: 40, height: 12, isStyled: true)
    var screen = Screen(width: 40)
    var prompt = TerminalPainter.Prompt(panel: [[Span(.agent, "ada")]], status: "-- 59 s --", before: "ab", after: "c")
    screen.write(painter.paint([.stream(item, .plain, "text")], prompt))
    #expect(painter.paint([], prompt, at: .seconds(5)).isEmpty)
    for status in ["-- 1 m 00 s --", "-- 9 s --"] {
      prompt.status = status
      let text = painter.paint([], prompt)
      #expect(!text.contains("J") && !text.contains("abc") && !text.contains("text"))
      screen.write(text)
      #expect(screen.lines == ["text", "ada", status, "› abc"])
      #expect((screen.row, screen.column) == (3, 4))
    }
    prompt.before = "abx"
    screen.write(painter.paint([], prompt))
    #expect(screen.lines == ["text", "ada", "-- 9 s --", "› abxc"])
  }
}
