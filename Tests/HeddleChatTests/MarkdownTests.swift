// Markdown as it arrives: what each construct becomes, and that it does not matter where the text was cut.

import Testing

@testable import HeddleChat

/// Lines of marked text as one text: `<s:bold>` for the marks, `|` between the beginning of a line and the rest.
private func written(_ pieces: [MarkdownStream.Piece]) -> String {
  var out = ""
  var open = MarkdownStream.Run("")
  func flush() {
    let names: [(TextMarks, String)] = [
      (.strong, "s"), (.emphasis, "e"), (.code, "c"), (.heading, "h"), (.link, "l"), (.aside, "a"),
    ]
    let marks = names.filter { open.marks.contains($0.0) }.map(\.1).joined()
    if !open.text.isEmpty { out += marks.isEmpty ? open.text : "<\(marks):\(open.text)>" }
    open = MarkdownStream.Run("")
  }
  for piece in pieces {
    if case .text(let run) = piece, run.marks == open.marks {
      open.text += run.text
      continue
    }
    flush()
    switch piece {
    case .begin(let lead, let hang, let isVerbatim):
      #expect(TerminalText.width(lead.map(\.text).joined()) == TerminalText.width(hang.map(\.text).joined()))
      out += lead.map(\.text).joined() + (lead.isEmpty ? "" : "|") + (isVerbatim ? "=" : "")
    case .text(let run): open = run
    case .lineEnd: out += "\n"
    }
  }
  flush()
  return out
}

private func rendered(_ pieces: [some Collection<UInt8>], showsMarks: Bool = false) -> String {
  var stream = MarkdownStream(showsMarks: showsMarks)
  var out: [MarkdownStream.Piece] = []
  for piece in pieces { out += stream.take(piece) }
  return written(out + stream.finish())
}

private func rendered(_ text: String, showsMarks: Bool = false) -> String {
  rendered([Array(text.utf8)], showsMarks: showsMarks)
}

private let everything = """
  # A *title* of `code`

  Some **bold _and italic_** text, ***both***, `a ``b`, ``c ` d``, a [link *here*](https://e.org/a_(b)?c_d) and \\*none\\*.
  snake_case_name, 2*3*4, 2 * 3, a ** b, *unclosed, **too, `and this, [x] [y](z, [ ](
    indented wörd 日本語**粗体**文字 e\u{301} 😀
  - one
  * two **b**
    + three
  1. first
  12) second
  - [ ] open [x] done
  > quoted *text*
  > > deeper
  >
  > ```
  > in **code**
  > ```
  ---
  ***
  __init__ and --flag and ~~~
  ```python
  def f(**k):

      return "`x`"  # *no*
   ``
  ```
  1. ```sh
     ls *
     ```
  ~~~
  ```
  ~~~~
  ```inline``` and more\u{1B}[2J\ttab\r
  and \r alone # no heading
  ####### seven
  #none
  last `
  """

@Suite struct MarkdownTests {
  @Test(arguments: [
    ("**bold** x", "<s:bold> x"), ("*it* _it_", "<e:it> <e:it>"), ("***both***", "<se:both>"),
    ("**a *b* c**", "<s:a ><se:b><s: c>"), ("**bold *it***", "<s:bold ><se:it>"), ("*it **bold***", "<e:it ><se:bold>"),
    ("`code` ``a`b`` `` `c` ``", "<c:code> <c:a`b> <c:`c`>"), ("`**no**`", "<c:**no**>"),
    ("粗**体**文", "粗<s:体>文"), ("(*it*)", "(<e:it>)"), ("**Note:** x", "<s:Note:> x"),
  ])
  func marksInsideALineAreStyles(_ text: String, _ expected: String) { #expect(rendered(text) == expected) }

  @Test(arguments: [
    "**open", "*open", "_open", "`open", "a ** b ** c", "2 * 3 * 4", "2*3*4", "snake_case_name", "__init_", "[x] y",
    "[a](b",
    "[a] (b)", "[a](b c)", "**a*", "a****", "\\", "`` a `", "-", "#", "```", "~~", "12.", "1234567890. x", "#no", "-no",
    "+1",
  ])
  func anUnclosedMarkIsTextAsItWasTyped(_ text: String) {
    #expect(rendered(text) == text)
    #expect(rendered(text + "\nx") == (text == "```" ? "<c:x>" : text + "\nx").replacing("<c:", with: "=<c:"))
  }

  @Test(arguments: [
    ("# One", "<h:One>"), ("### Three *e*", "<h:Three ><eh:e>"), ("####### no", "####### no"),
    ("- a\n* b\n+ c", "• |a\n• |b\n• |c"), ("  - a", "  • |a"), ("1. a\n20) b", "1. |a\n20) |b"),
    ("- [ ] a", "• |[ ] a"), ("> q", "│ |q"), (">q\n> > d", "│ |q\n│ │ |d"), (">\nx", "│|\nx"), ("> - a", "│ • |a"),
    ("---", "<a:" + String(repeating: "─", count: 24) + ">"), ("a\n\nb", "a\n\nb"), ("  two", "  |two"),
    ("- ", "• |"), ("\n", "\n"),
  ])
  func aLineBeginsWithItsMark(_ text: String, _ expected: String) {
    #expect(rendered(text).replacing("<he:", with: "<eh:") == expected)
  }

  @Test func aFenceIsVerbatimAndOnlyItsLanguageIsShown() {
    #expect(rendered("```py\na *b*  c\n\n  ``\n```\nend") == "=<a:py>\n=<c:a *b*  c>\n\n=<c:  ``>\nend")
    #expect(rendered("````\n```\n````\n*e*") == "=<c:```>\n<e:e>")
    #expect(rendered("~~~\n> - # `x`\n~~~") == "=<c:> - # `x`>\n")
    #expect(rendered("> ```\n> a\n> ```\n> b") == "│ |=<c:a>\n│ |b")
    // The quote ends, and the code in it.
    #expect(rendered("> ```\n> a\nb *c*") == "│ |=<c:a>\nb <e:c>")
    #expect(rendered("```\nunclosed") == "=<c:unclosed>")
    #expect(rendered("```a```") == "<c:a>")
    #expect(rendered("1. ```sh\n   ls\n   ```") == "1. |=<a:sh>\n=<c:   ls>\n")
  }

  @Test func aLinkIsItsTextWithTheAddress() {
    #expect(rendered("[a *b*](https://e.org/x_(y)) c") == "<l:a ><el:b><a: (https://e.org/x_(y))> c")
    #expect(rendered("[https://e.org](https://e.org)") == "<l:https://e.org>")
    #expect(rendered("[](https://e.org \"title\")") == "<l:https://e.org>")
    #expect(rendered("**[a](b)**") == "<sl:a><sa: (b)>")
  }

  @Test func anEscapeIsTheCharacter() {
    #expect(rendered("\\*a\\* \\`b\\` \\[c\\](d) \\\\ \\z") == "*a* `b` [c](d) \\ \\z")
    #expect(rendered("\\# no\n1\\. no") == "# no\n1. no")
  }

  @Test("M1: the same comes out wherever the text is cut, inside a mark and inside a character too")
  func theSameComesOutWhereverTheTextIsCut() {
    let bytes = Array(everything.utf8)
    for showsMarks in [false, true] {
      let whole = rendered([bytes], showsMarks: showsMarks)
      for cut in 0...bytes.count {
        #expect(
          rendered([bytes[..<cut], bytes[cut...]], showsMarks: showsMarks) == whole, "cut at \(cut)")
      }
      for size in 1...9 {
        let pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min(bytes.count, $0 + size)] }
        #expect(rendered(pieces, showsMarks: showsMarks) == whole, "pieces of \(size)")
      }
    }
  }

  @Test("M1: random texts of marks, at every cut, and at every end of the stream")
  func randomTextsOfMarks() {
    let marks = ["*", "**", "_", "`", "```", "[", "](", ")", "\\", "# ", "- ", "> ", "1. "]
    let alphabet = marks + ["a", "b ", " ", "\n", "日", "\r"]
    var seed: UInt64 = 42
    for _ in 0..<400 {
      var text = ""
      for _ in 0..<24 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += alphabet[Int(seed >> 33) % alphabet.count]
      }
      let bytes = Array(text.utf8)
      let whole = rendered([bytes])
      for cut in 1..<max(2, bytes.count) {
        #expect(rendered([bytes[..<cut], bytes[cut...]]) == whole, "\(text.debugDescription) cut at \(cut)")
      }
    }
  }

  @Test("M2: only a mark that is open holds text back")
  func onlyAnOpenMarkHoldsTextBack() {
    var stream = MarkdownStream()
    #expect(written(stream.take("Hello wor")) == "Hello wor")
    #expect(written(stream.take("ld **bo")) == "ld ")
    #expect(written(stream.take("ld** a")) == "<s:bold> a")
    #expect(written(stream.take("\n-")) == "\n")
    #expect(written(stream.take(" x")) == "• |x")
    // A mark that stays open is text after a while, and at the end of its line.
    #expect(written(stream.take("\n*a b\n")) == "\n*a b\n")
    let long = String(repeating: "abc ", count: 200)
    #expect(written(stream.take("*" + long)).hasPrefix("*abc abc"))
  }

  @Test("M3: nothing that a terminal would obey comes out")
  func nothingThatATerminalWouldObeyComesOut() {
    let evil = "\u{1B}[2Ja\u{7}\r\nb\rc\u{9B}1A\u{202E}d\t**e\u{1B}**\n```\u{1B}\n\u{8}\n```"
    for showsMarks in [false, true] {
      for scalar in rendered(evil, showsMarks: showsMarks).unicodeScalars where scalar != "\n" {
        #expect(TerminalText.neutral(String(scalar)) == String(scalar), "U+\(String(scalar.value, radix: 16))")
      }
    }
    #expect(rendered("a\r\nb\rc\r") == "a\nb␍c␍")
    #expect(rendered([[0x61, 0xFF, 0x62, 0xE2, 0x82]]) == "a\u{FFFD}b\u{FFFD}")
  }

  @Test func withItsMarksShownTheTextIsAsItWasTyped() {
    let plain = everything.replacing("\u{1B}", with: "␛").replacing("\t", with: "    ").replacing("\r\n", with: "\n")
      .replacing("\r", with: "␍")
    let shown = rendered(everything, showsMarks: true).replacing("|", with: "").replacing("=", with: "")
    // Spaces of an empty line are the only thing that may be missing.
    #expect(shown == plain.replacing("=", with: ""))
  }

  @Test func aLongLineOfMarksTakesNoLongTime() {
    let clock = ContinuousClock()
    for mark in ["*a ", "[", "`a ", "**", "_x", "[](", "\\", "> ", "- "] {
      let text = String(repeating: mark, count: 5_000)
      #expect(clock.measure { _ = rendered(text) } < .seconds(20), "\(mark)")
    }
  }
}
