// Markdown as it arrives, to lines of marked text: headings, lists, quotes, blocks of code, and the marks inside a line.
//
// M1  The same comes out however the text is cut: every character is a step of its own.
// M2  A line that was given out is never taken back. Text is held only while it is open what it is: the beginning of a
//     line until its kind is clear, a mark until its end or the line's, and at most `heldCount` characters.
// M3  Everything that is given out is neutral (`TerminalText`).
// M4  Line breaks stay as they were written; only the lines of a fence vanish, or become the name of its language.

public struct MarkdownStream: Sendable {
  public struct Run: Equatable, Sendable {
    public var text: String
    public var marks: TextMarks

    public init(_ text: String, _ marks: TextMarks = []) {
      self.text = text
      self.marks = marks
    }
  }

  public enum Piece: Equatable, Sendable {
    /// A line begins: with `lead`, and its rows after the first with `hang`. A verbatim one is not wrapped by words.
    case begin(lead: [Run], hang: [Run], isVerbatim: Bool)
    case text(Run)
    case lineEnd
  }

  private enum Place { case start, inline, fenceLine, code }

  private struct Fence {
    var mark: Unicode.Scalar
    var count: Int
    /// Quotes that it stands in.
    var quotes: Int
  }

  /// The marks are given out as they were typed, and nothing gets a style.
  private let showsMarks: Bool
  private var place = Place.start
  private var fence: Fence?
  private var lead: [Run] = []
  private var hang: [Run] = []
  private var quotes = 0
  private var lineMarks: TextMarks = []
  /// The beginning of a line whose kind is not clear.
  private var buffer: [Unicode.Scalar] = []
  /// Text whose marks are not clear, and the character before it.
  private var held: [Unicode.Scalar] = []
  private var previous: Unicode.Scalar?
  /// Bytes of a character that is not whole.
  private var bytes: [UInt8] = []
  private var hasReturn = false
  private var pieces: [Piece] = []
  /// The text behind them. It grows in place: a piece that is taken out and put back would be copied each time.
  private var run = Run("")

  private static let heldCount = 512
  /// Longer than the beginning of any line that people write.
  private static let bufferCount = 128
  private static let markerCount = 16

  public init(showsMarks: Bool = false) { self.showsMarks = showsMarks }

  public mutating func take(_ text: String) -> [Piece] { take(text.utf8) }

  public mutating func take(_ more: some Sequence<UInt8>) -> [Piece] {
    bytes += more
    let count = bytes.count - KeyDecoder.unfinished(bytes)
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    bytes.removeFirst(count)
    for scalar in text.unicodeScalars { receive(scalar) }
    endRun()
    defer { pieces = [] }
    return pieces
  }

  /// Nothing follows: all that was held is given out, as it was typed.
  public mutating func finish() -> [Piece] {
    if !bytes.isEmpty { receive("\u{FFFD}") }
    bytes = []
    if hasReturn { step("\u{240D}") }
    hasReturn = false
    switch place {
    case .start:
      if !buffer.isEmpty || !lead.isEmpty { endStart(isStreamEnd: true) }
    case .fenceLine: beginText()
    case .inline, .code: break
    }
    endInline()
    endRun()
    defer { self = MarkdownStream(showsMarks: showsMarks) }
    return pieces
  }

  // MARK: Characters

  /// Makes a character neutral (M3); a CR waits for the LF that may follow.
  private mutating func receive(_ scalar: Unicode.Scalar) {
    if hasReturn, scalar != "\n" { step("\u{240D}") }
    hasReturn = scalar == "\r"
    if hasReturn { return }
    if scalar == "\n" || (0x20..<0x7F).contains(scalar.value) { return step(scalar) }
    for neutral in TerminalText.neutral(String(scalar)).unicodeScalars { step(neutral) }
  }

  private mutating func step(_ scalar: Unicode.Scalar) {
    switch place {
    case .start:
      if scalar == "\n" { return endStart(isStreamEnd: false) }
      buffer.append(scalar)
      decide()
    case .fenceLine:
      if scalar == "\n" { return openFence() }
      buffer.append(scalar)
      // A text in the marks of code may begin with three of them.
      if scalar == "`" && buffer.first(where: { $0 != " " }) == "`" || buffer.count > Self.bufferCount { beginText() }
    case .inline:
      guard scalar == "\n" else { return inline(scalar) }
      endInline()
      endLine()
    case .code:
      if scalar == "\n" { endLine() } else { write(scalar, showsMarks ? [] : .code) }
    }
  }

  private mutating func write(_ scalar: Unicode.Scalar, _ marks: TextMarks) {
    if run.marks != marks { endRun() }
    run.marks = marks
    run.text.unicodeScalars.append(scalar)
  }

  private mutating func endRun() {
    if !run.text.isEmpty { pieces.append(.text(run)) }
    run = Run("")
  }

  private mutating func write(_ text: some Sequence<Unicode.Scalar>, _ marks: TextMarks) {
    for scalar in text { write(scalar, marks) }
  }

  private mutating func begin(isVerbatim: Bool = false) {
    endRun()
    pieces.append(.begin(lead: lead, hang: hang, isVerbatim: isVerbatim))
    (lead, hang) = ([], [])
  }

  private mutating func endLine() {
    endRun()
    pieces.append(.lineEnd)
    (place, buffer, lead, hang, quotes, lineMarks) = (.start, [], [], [], 0, [])
  }

  // MARK: Inside a line

  private mutating func inline(_ scalar: Unicode.Scalar) {
    if showsMarks { return write(scalar, []) }
    if held.isEmpty, !InlineMarkdown.isMark(scalar) {
      previous = scalar
      return write(scalar, lineMarks)
    }
    // A mark's kind depends on the character behind it.
    let isNews = held.last.map(Self.decides) ?? true || Self.decides(scalar)
    held.append(scalar)
    if held.count > Self.heldCount { parse(isWhole: true) } else if isNews { parse(isWhole: false) }
  }

  private static func decides(_ scalar: Unicode.Scalar) -> Bool {
    InlineMarkdown.isMark(scalar) || scalar == "]" || scalar == "(" || scalar == ")"
  }

  private mutating func parse(isWhole: Bool) {
    let (runs, count) = InlineMarkdown.parse(held, after: previous, isWhole: isWhole)
    for run in runs { write(run.text.unicodeScalars, run.marks.union(lineMarks)) }
    if count > 0 { previous = held[count - 1] }
    held.removeFirst(count)
  }

  private mutating func endInline() {
    if !held.isEmpty { parse(isWhole: true) }
    previous = nil
  }

  // MARK: The beginning of a line

  private var spaces: Int { buffer.prefix { $0 == " " }.count }

  private mutating func decide() {
    let spaces = spaces
    guard spaces < buffer.count else {
      if spaces > Self.bufferCount { fence == nil ? beginText() : beginCode() }
      return
    }
    let body = buffer[spaces...]
    if body.first == ">", quotes < fence?.quotes ?? Self.markerCount {
      if body.count > 1 { beginQuote(spaces, body[spaces + 1]) }
      return
    }
    if let fence {
      if quotes >= fence.quotes { return decideCode(body, fence) }
      self.fence = nil
    }
    guard buffer.count <= Self.bufferCount, lead.count <= Self.markerCount, let first = body.first else {
      return beginText()
    }
    let run = body.prefix { $0 == first }.count
    let isRun = run == body.count
    switch first {
    case "#":
      if isRun, run <= 6 { return }
      if run <= 6, body.last == " " { beginHeading() } else { beginText() }
    case "-", "+", "*":
      if body.count == 2, body.last == " " { return beginListItem(marker: "•") }
      if !isRun { beginText() }
    case "_": if !isRun { beginText() }
    case "`", "~":
      if isRun { return }
      if run >= 3 { place = .fenceLine } else { beginText() }
    case "0"..."9":
      let digits = body.prefix { ("0"..."9").contains($0) }.count
      let rest = body.dropFirst(digits)
      if digits <= 9, rest.isEmpty || rest.count == 1 && (rest.first == "." || rest.first == ")") { return }
      if digits <= 9, rest.count == 2, rest.last == " ", rest.first == "." || rest.first == ")" {
        return beginListItem(marker: String(String.UnicodeScalarView(body.dropLast())))
      }
      beginText()
    default: beginText()
    }
  }

  private var typed: String { String(String.UnicodeScalarView(buffer)) }

  private mutating func beginQuote(_ spaces: Int, _ next: Unicode.Scalar) {
    let rest = next == " " ? [] : [next]
    buffer.removeLast(rest.count)
    let text = showsMarks ? typed : "│ "
    let style: TextMarks = showsMarks ? [] : .aside
    lead.append(Run(text, style))
    hang.append(Run(text, style))
    quotes += 1
    buffer = rest
    if !rest.isEmpty { decide() }
  }

  private mutating func beginListItem(marker: String) {
    lead.append(Run(showsMarks ? typed : String(repeating: " ", count: spaces) + marker + " "))
    hang.append(Run(String(repeating: " ", count: TerminalText.width(lead[lead.count - 1].text))))
    buffer = []
  }

  private mutating func beginHeading() {
    if showsMarks { return beginText() }
    lineMarks = .heading
    buffer = []
    place = .inline
    begin()
  }

  /// No mark, or none any more: what stands there is text, behind its spaces.
  private mutating func beginText() {
    let spaces = spaces
    if spaces > 0 {
      let run = Run(String(repeating: " ", count: spaces))
      lead.append(run)
      hang.append(run)
    }
    let body = buffer[spaces...]
    buffer = []
    place = .inline
    begin()
    for scalar in body { inline(scalar) }
  }

  /// The line, or the stream, ends before its kind was clear.
  private mutating func endStart(isStreamEnd: Bool) {
    let body = buffer.drop { $0 == " " }
    if body == [">"], quotes < fence?.quotes ?? Self.markerCount {
      let run = Run(showsMarks ? typed : "│", showsMarks ? [] : .aside)
      lead.append(run)
      hang.append(run)
      begin()
      if !isStreamEnd { endLine() }
      return
    }
    if let fence {
      if quotes >= fence.quotes { return endCodeStart(body, fence, isStreamEnd: isStreamEnd) }
      self.fence = nil
    }
    if let first = body.first, body.allSatisfy({ $0 == first }), body.count >= 3 {
      if first == "`" || first == "~", !isStreamEnd { return openFence() }
      if first == "-" || first == "*" || first == "_", !showsMarks {
        begin()
        write(String(repeating: "─", count: 24).unicodeScalars, .aside)
        if !isStreamEnd { endLine() }
        return
      }
    }
    if !body.isEmpty {
      beginText()
      endInline()
    } else if !lead.isEmpty {
      begin()
    }
    if !isStreamEnd { endLine() }
  }

  // MARK: Code

  private mutating func openFence() {
    let body = buffer.drop { $0 == " " }
    let mark = body.first ?? "`"
    let count = body.prefix { $0 == mark }.count
    let language = body.dropFirst(count).drop { $0 == " " }.prefix { $0 != " " }
    let fence = Fence(mark: mark, count: count, quotes: quotes)
    // Behind the mark of a list the line is there anyway.
    if showsMarks || !language.isEmpty || lead.count > quotes {
      begin(isVerbatim: true)
      if showsMarks { write(buffer, []) } else { write(language, .aside) }
      endLine()
    } else {
      vanish()
    }
    self.fence = fence
  }

  /// The line is not shown, and neither is its end.
  private mutating func vanish() { (place, buffer, lead, hang, quotes, lineMarks) = (.start, [], [], [], 0, []) }

  private static func closes(_ body: ArraySlice<Unicode.Scalar>, _ fence: Fence) -> Bool {
    let count = body.prefix { $0 == fence.mark }.count
    return count >= fence.count && body.dropFirst(count).allSatisfy { $0 == " " }
  }

  private mutating func decideCode(_ body: ArraySlice<Unicode.Scalar>, _ fence: Fence) {
    let marks = body.prefix { $0 == fence.mark }.count
    let mayClose = marks == body.count || Self.closes(body, fence)
    if !mayClose || buffer.count > Self.bufferCount { beginCode() }
  }

  private mutating func beginCode() {
    begin(isVerbatim: true)
    write(buffer, showsMarks ? [] : .code)
    buffer = []
    place = .code
  }

  private mutating func endCodeStart(_ body: ArraySlice<Unicode.Scalar>, _ fence: Fence, isStreamEnd: Bool) {
    if Self.closes(body, fence) {
      self.fence = nil
      if !showsMarks { return vanish() }
    }
    if !buffer.isEmpty || !lead.isEmpty { beginCode() }
    if !isStreamEnd { endLine() }
  }
}
