// The lines that were entered, as bytes of a file.

import Testing

@testable import HeddleChat

@Suite struct ChatHistoryTests {
  private func bytes(_ lines: String...) -> [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }

  @Test(arguments: ["plain", "two\nlines", "a\\b", "a\\nb", "\\", "\\\\n", "\r\n", "日本 😀", "tab\t\u{1B}", "end\\"])
  func anEntryIsALineAndComesBackAsItWas(_ entry: String) {
    let line = ChatHistory.line(entry)
    #expect(!line.contains("\n") && !line.contains("\r") && !line.unicodeScalars.contains("\n"))
    #expect(ChatHistory.entry(line) == entry)
    guard case .append(let added) = ChatHistory.adding(entry, to: []) else { return #expect(!ChatHistory.keeps(entry)) }
    #expect(ChatHistory.entries(added) == [entry])
  }

  @Test func aBackslashThatMeansNothingStaysAndEmptyLinesAreNone() {
    #expect(ChatHistory.entries(bytes("a\\x", "", "b\\")) == ["a\\x", "b\\"])
    #expect(ChatHistory.entries([0x61, 0xFF, 0x0A]) == ["a\u{FFFD}"])
  }

  @Test func theLastEntryIsNotRepeated() {
    #expect(ChatHistory.adding("b", to: bytes("a", "b")) == .nothing)
    #expect(ChatHistory.adding("a", to: bytes("a", "b")) == .append(bytes("a")))
    #expect(ChatHistory.adding("x\ny", to: bytes("x\\ny")) == .nothing)
  }

  @Test(arguments: ["", " secret", "  \n", String(repeating: "x", count: 70_000)])
  func someEntriesAreNotKept(_ entry: String) { #expect(ChatHistory.adding(entry, to: []) == .nothing) }

  @Test func theNewestThousandAreKept() {
    let full = (1...1_000).map { "\($0)\n" }.joined()
    guard case .replace(let content) = ChatHistory.adding("new", to: Array(full.utf8)) else {
      Issue.record("a full file must be written again")
      return
    }
    let entries = ChatHistory.entries(content)
    #expect(entries.count == 1_000)
    #expect((entries.first, entries.last) == ("2", "new"))
    let more = Array(((0...500).map { "old \($0)\n" }.joined() + full).utf8)
    #expect(ChatHistory.entries(more).first == "1")
    #expect(ChatHistory.adding("new", to: more) == .replace(content))
  }

  @Test func halfALineOfAnotherWriterIsEnded() {
    #expect(ChatHistory.adding("b", to: Array("a".utf8)) == .append(Array("\nb\n".utf8)))
  }

  @Test func theArrowKeysReachEntriesOfBefore() {
    var editor = LineEditor(history: ["one", "two\nlines"])
    #expect(editor.handle(.up) == .changed)
    #expect(editor.text == "two\nlines")
    _ = editor.handle(.control("u"))
    _ = editor.handle(.up)
    #expect(editor.handle(.down) != .none)
    var other = LineEditor(history: ["one"])
    _ = other.handle(.text(" not this"))
    #expect(other.handle(.enter) == .submit(" not this"))
    _ = other.handle(.up)
    #expect(other.text == "one")
  }
}
