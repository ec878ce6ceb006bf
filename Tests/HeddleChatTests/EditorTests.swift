// Keys and the line that is being written.

import Testing

@testable import HeddleChat

@Suite struct KeyTests {
  private func keys(_ bytes: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.decode(Array(bytes.utf8))
  }

  @Test(arguments: [
    ("a", Key.text("a")), ("wörld 日本", .text("wörld 日本")), ("\r", .enter), ("\n", .newLine), ("\u{1B}\r", .newLine),
    ("\u{1B}[13;2u", .newLine), ("\u{7F}", .backspace), ("\u{3}", .control("c")), ("\u{1}", .control("a")),
    ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[C", .right), ("\u{1B}[1;5D", .wordLeft), ("\u{1B}f", .wordRight),
    ("\u{1B}[H", .home), ("\u{1B}[4~", .end), ("\u{1B}[3~", .delete), ("\u{1B}\u{7F}", .deleteWord), ("\t", .tab),
  ])
  func aSequenceIsAKey(_ bytes: String, _ key: Key) { #expect(keys(bytes) == [key]) }

  @Test func theSameKeysComeHoweverTheBytesAreCut() {
    let bytes = Array("aé日😀\u{1B}[1;5Cx\u{1B}[200~p\rq\u{1B}[201~\r\u{1B}[A".utf8)
    let whole: [Key] = [.text("aé日😀"), .wordRight, .text("x"), .paste("p\nq"), .enter, .up]
    for cut in 0...bytes.count {
      var decoder = KeyDecoder()
      var found = decoder.decode(bytes[..<cut]) + decoder.decode(bytes[cut...])
      // Text that came in two pieces is two keys.
      var joined: [Key] = []
      for key in found {
        if case .text(let more) = key, case .text(let text)? = joined.last {
          joined[joined.count - 1] = .text(text + more)
        } else {
          joined.append(key)
        }
      }
      found = joined
      #expect(found == whole, "cut at \(cut)")
    }
  }

  @Test func anEscapeIsAKeyWhenNothingFollows() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0x1B]) == [])
    #expect(decoder.isWaiting)
    #expect(decoder.flush() == [.escape])
    #expect(decoder.decode([0xC3]) == [])
    // Half a character keeps waiting for its other half.
    #expect(decoder.flush() == [])
    #expect(decoder.decode([0xB6]) == [.text("ö")])
  }

  @Test func unknownSequencesAndBrokenBytesDoNotStopWhatFollows() {
    #expect(keys("\u{1B}[99zab") == [.text("ab")])
    var decoder = KeyDecoder()
    #expect(decoder.decode([0xFF, 0x61, 0x0D]) == [.text("\u{FFFD}a"), .enter])
    // A sequence that never ends is given up.
    #expect(decoder.decode([0x1B, 0x5B] + [UInt8](repeating: 0x31, count: 40)) == [])
    #expect(decoder.decode([0x61]) == [.text("a")])
  }
}

@Suite struct LineEditorTests {
  /// An editor that was given these keys.
  private func editor(_ keys: [Key]) -> LineEditor {
    var editor = LineEditor()
    for key in keys { _ = editor.handle(key) }
    return editor
  }

  @Test func textIsWrittenWhereTheCursorIs() {
    let editor = editor([.text("ad"), .left, .text("bc"), .end, .text("e"), .home, .text("_")])
    #expect(editor.before == "_")
    #expect(editor.after == "abcde")
  }

  @Test func aCharacterIsTakenWhole() {
    #expect(editor([.text("e\u{301}👨‍👩‍👧"), .backspace]).text == "e\u{301}")
    #expect(editor([.text("👨‍👩‍👧x"), .home, .delete]).text == "x")
  }

  @Test(arguments: [
    ([Key.control("u")], "", "three"), ([.control("k")], "one two ", ""), ([.control("w")], "one ", "three"),
    ([.control("a"), .control("k")], "", ""), ([.wordLeft, .control("w")], "", "two three"),
    ([.control("w"), .control("e"), .control("y")], "one threetwo ", ""),
    ([.wordLeft, .wordRight], "one two", " three"),
  ])
  func killsAndMoves(_ keys: [Key], _ before: String, _ after: String) {
    let editor = editor([.text("one two three"), .wordLeft] + keys)
    #expect(editor.before == before)
    #expect(editor.after == after)
  }

  @Test func enterSendsAndABackslashBeginsALine() {
    var editor = LineEditor()
    _ = editor.handle(.text("one\\"))
    #expect(editor.handle(.enter) == .changed)
    _ = editor.handle(.text("two"))
    #expect(editor.handle(.enter) == .submit("one\ntwo"))
    #expect(editor.isEmpty)
    _ = editor.handle(.text("  "))
    #expect(editor.handle(.enter) == .changed)
  }

  @Test(arguments: [
    ("/mo", "/mode"), ("/interr", "/interrupt "), ("/c", "/c"), ("/ca", "/cancel "), ("/xyz", "/xyz"), ("a", "a    "),
  ])
  func tabCompletesACommandAsFarAsItIsClear(_ text: String, _ completed: String) {
    #expect(editor([.text(text), .tab]).text == completed)
  }

  @Test func pastedLineBreaksSendNothing() {
    var editor = LineEditor()
    #expect(editor.handle(.paste("a\nb")) == .changed)
    #expect(editor.handle(.enter) == .submit("a\nb"))
  }

  @Test func upGoesThroughWhatWasSentAndDownBackToTheDraft() {
    var editor = editor([.text("one"), .enter, .text("two"), .enter, .text("two"), .enter, .text("dra")])
    #expect(editor.handle(.up) == .changed)
    #expect(editor.text == "two")
    #expect(editor.handle(.control("p")) == .changed)
    #expect(editor.text == "one")
    #expect(editor.handle(.up) == .none)
    _ = editor.handle(.down)
    _ = editor.handle(.down)
    #expect(editor.text == "dra")
    #expect(editor.handle(.down) == .none)
  }

  @Test func upMovesByLinesInATextOfSeveral() {
    let editor = editor([.paste("abc\nde\nfghi"), .up, .text("X"), .up, .text("Y")])
    #expect(editor.text == "abcY\ndeX\nfghi")
  }

  @Test func controlKeysAskForWhatIsNotEditing() {
    var editor = LineEditor()
    #expect(editor.handle(.control("c")) == .interrupt)
    #expect(editor.handle(.control("d")) == .leave)
    #expect(editor.handle(.control("l")) == .clearScreen)
    #expect(editor.handle(.control("z")) == .suspend)
    _ = editor.handle(.text("a"))
    // With text on the line it is Delete.
    #expect(editor.handle(.control("d")) == .none)
  }
}
