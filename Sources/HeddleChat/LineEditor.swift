// The line that a person is writing: keys in, text and cursor out. A value without a terminal; the painter draws it.

public struct LineEditor: Equatable, Sendable {
  public enum Action: Equatable, Sendable {
    case none
    /// The text is another one, or the cursor is elsewhere.
    case changed
    case submit(String)
    /// Ctrl-C.
    case interrupt
    /// Ctrl-D on an empty line.
    case leave
    /// Ctrl-L.
    case clearScreen
    /// Ctrl-Z.
    case suspend
  }

  /// Text before and after the cursor: a character is never cut, and what is typed joins what stands before it.
  public private(set) var before = ""
  public private(set) var after = ""
  private var history: [String]
  /// The entry that is shown; `history.count` is the line being written.
  private var shown: Int
  private var draft = ""
  private var killed = ""

  /// With entries of before, the newest last.
  public init(history: [String] = []) {
    self.history = history
    shown = history.count
  }

  public var text: String { before + after }
  public var isEmpty: Bool { before.isEmpty && after.isEmpty }

  public mutating func clear() { set("") }

  public mutating func handle(_ key: Key) -> Action {
    switch key {
    case .text(let text): insert(TerminalText.neutral(text))
    case .paste(let text): insert(text)
    case .newLine: insert("\n")
    case .tab: insert(SlashCommand.completion(of: text) ?? "    ")
    case .enter: return enter()
    case .escape: return .none
    case .backspace: if before.isEmpty { return .none } else { before.removeLast() }
    case .delete: if after.isEmpty { return .none } else { after.removeFirst() }
    case .left: left()
    case .right: right()
    case .wordLeft: while let last = wordEnd(before) { left(); if last { break } }
    case .wordRight: moveWordRight()
    case .home: moveHome()
    case .end: moveEnd()
    case .up: return up()
    case .down: return down()
    case .deleteWord: killWord()
    case .control(let letter): return control(letter)
    }
    return .changed
  }

  private mutating func control(_ letter: Character) -> Action {
    switch letter {
    case "a": moveHome()
    case "e": moveEnd()
    case "b": left()
    case "f": right()
    case "h": return handle(.backspace)
    case "k":
      let end = after.firstIndex(of: "\n") ?? after.endIndex
      killed = String(after[..<end])
      after = String(after[end...])
    case "u":
      let start = lineStart
      killed = String(before[start...])
      before = String(before[..<start])
    case "w": killWord()
    case "y": insert(killed)
    case "p": return up()
    case "n": return down()
    case "c": return .interrupt
    case "d": return isEmpty ? .leave : handle(.delete)
    case "l": return .clearScreen
    case "z": return .suspend
    default: return .none
    }
    return .changed
  }

  private mutating func insert(_ text: String) { before += text }

  /// A backslash at the end asks for another line.
  private mutating func enter() -> Action {
    moveToEnd()
    if before.hasSuffix("\\") {
      before.removeLast()
      before += "\n"
      return .changed
    }
    let line = before
    guard line.contains(where: { !$0.isWhitespace }) else {
      set("")
      return .changed
    }
    if history.last != line, ChatHistory.keeps(line) { history.append(line) }
    if history.count > ChatHistory.count { history.removeFirst() }
    set("")
    shown = history.count
    return .submit(line)
  }

  private mutating func set(_ text: String) {
    before = text
    after = ""
  }

  // MARK: Moving

  private mutating func left() { if let last = before.popLast() { after = String(last) + after } }

  private mutating func right() { if !after.isEmpty { before.append(after.removeFirst()) } }

  private var lineStart: String.Index {
    before.lastIndex(of: "\n").map { before.index(after: $0) } ?? before.startIndex
  }

  private mutating func moveHome() {
    let start = lineStart
    after = before[start...] + after
    before = String(before[..<start])
  }

  private mutating func moveEnd() {
    let end = after.firstIndex(of: "\n") ?? after.endIndex
    before += after[..<end]
    after = String(after[end...])
  }

  private mutating func moveToEnd() {
    before += after
    after = ""
  }

  private mutating func moveWordRight() {
    while let first = after.first, first.isWhitespace { right() }
    while let first = after.first, !first.isWhitespace { right() }
  }

  /// Whether the step to the left over the last character comes to the beginning of a word; nil at the beginning.
  private func wordEnd(_ text: String) -> Bool? {
    guard let last = text.last else { return nil }
    let above = text.dropLast().last
    return !last.isWhitespace && (above?.isWhitespace ?? true)
  }

  // MARK: Taking out

  private mutating func killWord() {
    var start = before.endIndex
    func retreat(while matches: (Character) -> Bool) {
      while start > before.startIndex, matches(before[before.index(before: start)]) {
        start = before.index(before: start)
      }
    }
    retreat(while: \.isWhitespace)
    retreat { !$0.isWhitespace }
    killed = String(before[start...])
    before.removeSubrange(start...)
  }

  // MARK: History

  /// A line up in a text of several, otherwise the entry before.
  private mutating func up() -> Action {
    if before.contains("\n") {
      let column = before.distance(from: lineStart, to: before.endIndex)
      moveHome()
      left()
      moveHome()
      advance(column)
      return .changed
    }
    guard shown > 0, shown <= history.count else { return .none }
    if shown == history.count { draft = text }
    shown -= 1
    set(history[shown])
    return .changed
  }

  private mutating func down() -> Action {
    if after.contains("\n") {
      let column = before.distance(from: lineStart, to: before.endIndex)
      moveEnd()
      right()
      advance(column)
      return .changed
    }
    guard shown < history.count else { return .none }
    shown += 1
    set(shown == history.count ? draft : history[shown])
    return .changed
  }

  private mutating func advance(_ count: Int) {
    for _ in 0..<count {
      guard let next = after.first, next != "\n" else { return }
      right()
    }
  }
}
