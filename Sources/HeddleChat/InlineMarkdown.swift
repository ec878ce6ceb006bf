// The marks inside a line of Markdown: **strong**, *emphasis* and _emphasis_, `code`, [links](address), escapes.
//
// I1  A text is parsed as far as it is decided: everything before the first mark that may still find its end.
// I2  A mark that finds no end is text, as it was typed.
// I3  Fewer readings than in CommonMark: `*` between letters or digits, as in 2*3*4, is text; `_` inside a word always is.

struct InlineMarkdown {
  struct Run: Equatable {
    var text: String
    var marks: TextMarks
  }

  private struct Node {
    var scalars: [Unicode.Scalar]
    var marks: TextMarks = []
    /// Its place in the text.
    var start: Int
  }

  private struct Opener {
    var mark: Unicode.Scalar
    var count: Int
    var node: Int
    var start: Int
  }

  private let text: [Unicode.Scalar]
  private let previous: Unicode.Scalar?
  private let isWhole: Bool
  private let allowsLinks: Bool
  private var nodes: [Node] = []
  private var openers: [Opener] = []
  private var at = 0
  /// The next character begins a node, because the one before it may still get marks that this one does not get.
  private var beginsNode = true

  private init(_ text: [Unicode.Scalar], after previous: Unicode.Scalar?, isWhole: Bool, allowsLinks: Bool) {
    self.text = text
    self.previous = previous
    self.isWhole = isWhole
    self.allowsLinks = allowsLinks
  }

  /// Parses a part of a line behind the character `previous`; `isWhole`: nothing of this line follows. Also gives how
  /// many scalars are decided.
  static func parse(
    _ text: [Unicode.Scalar], after previous: Unicode.Scalar?, isWhole: Bool, allowsLinks: Bool = true
  ) -> (runs: [Run], count: Int) {
    var parser = InlineMarkdown(text, after: previous, isWhole: isWhole, allowsLinks: allowsLinks)
    let end = parser.advance()
    let runs = parser.nodes.filter { $0.start < end && !$0.scalars.isEmpty }
      .map { Run(text: String(String.UnicodeScalarView($0.scalars)), marks: $0.marks) }
    return (runs, end)
  }

  /// Whether the character may begin a mark.
  static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\\", "`", "*", "_", "[": true
    default: false
    }
  }

  /// Gives where the undecided rest begins.
  private mutating func advance() -> Int {
    while at < text.count {
      let isDecided =
        switch text[at] {
        case "\\": escape()
        case "`": code()
        case "*", "_": emphasis()
        case "[" where allowsLinks: link()
        default: literal(1)
        }
      if !isDecided { break }
    }
    return isWhole ? text.count : min(at, openers.first?.start ?? at)
  }

  private mutating func literal(_ count: Int) -> Bool {
    let scalars = text[at..<(at + count)]
    if beginsNode { nodes.append(Node(scalars: [], start: at)) }
    nodes[nodes.count - 1].scalars += scalars
    beginsNode = false
    at += count
    return true
  }

  private mutating func escape() -> Bool {
    guard at + 1 < text.count else { return isWhole ? literal(1) : false }
    guard Self.isPunctuation(text[at + 1]) else { return literal(1) }
    nodes.append(Node(scalars: [text[at + 1]], start: at))
    at += 2
    beginsNode = true
    return true
  }

  /// How many of the character at `position` stand side by side; nil when more of them may follow.
  private func run(_ position: Int) -> Int? {
    var end = position
    while end < text.count, text[end] == text[position] { end += 1 }
    return end == text.count && !isWhole ? nil : end - position
  }

  private mutating func code() -> Bool {
    guard let count = run(at) else { return false }
    let start = at + count
    var end = start
    while end < text.count {
      guard text[end] == "`" else {
        end += 1
        continue
      }
      guard let other = run(end) else { return false }
      if other == count { break }
      end += other
    }
    guard end < text.count else { return isWhole ? literal(count) : false }
    var inside = text[start..<end]
    // One space on each side is there to keep a mark away from the code's own.
    if inside.count > 2, inside.first == " ", inside.last == " ", inside.contains(where: { $0 != " " }) {
      inside = inside.dropFirst().dropLast()
    }
    nodes.append(Node(scalars: Array(inside), marks: .code, start: at))
    at = end + count
    beginsNode = true
    return true
  }

  private mutating func emphasis() -> Bool {
    guard let count = run(at) else { return false }
    guard count <= 3 else { return literal(count) }
    let mark = text[at]
    let before = at > 0 ? text[at - 1] : previous
    let after = at + count < text.count ? text[at + count] : nil
    let isInWord = before.map { mark == "_" ? Self.isWordPart($0) : count == 1 && Self.isASCIIWordPart($0) } ?? false
    let opens = after.map { !$0.properties.isWhitespace } ?? false
    let closes = before.map { !$0.properties.isWhitespace } ?? false
    let endsInWord = mark == "_" && (after.map { Self.isWordPart($0) } ?? false)
    let rest = closes && !endsInWord ? close(mark, count) : count
    if rest > 0 {
      nodes.append(Node(scalars: Array(repeating: mark, count: rest), start: at + count - rest))
      if opens, !isInWord {
        openers.append(Opener(mark: mark, count: rest, node: nodes.count - 1, start: at + count - rest))
      }
    }
    at += count
    beginsNode = true
    return true
  }

  /// Closes what so many of this mark close, and gives how many are left.
  private mutating func close(_ mark: Unicode.Scalar, _ count: Int) -> Int {
    var rest = count
    while rest > 0 {
      let index = openers.lastIndex {
        $0.mark == mark && ($0.count >= 2 && rest >= 2 || $0.count % 2 == 1 && rest % 2 == 1)
      }
      guard let index else { break }
      let opener = openers[index]
      let used = opener.count >= 2 && rest >= 2 ? 2 : 1
      for node in (opener.node + 1)..<nodes.count { nodes[node].marks.insert(used == 2 ? .strong : .emphasis) }
      // Those in between find no end any more: they are text.
      openers.removeSubrange((index + 1)...)
      nodes[opener.node].scalars.removeLast(used)
      openers[index].count -= used
      if openers[index].count == 0 { openers.removeLast() }
      rest -= used
    }
    return rest
  }

  private mutating func link() -> Bool {
    guard let close = closing(from: at, "[", "]") else { return isWhole ? literal(1) : false }
    guard close + 1 < text.count else { return isWhole ? literal(1) : false }
    guard text[close + 1] == "(" else { return literal(1) }
    guard let end = closing(from: close + 1, "(", ")") else { return isWhole ? literal(1) : false }
    guard let address = Self.address(text[(close + 2)..<end]) else { return literal(1) }
    let label = Array(text[(at + 1)..<close])
    if label.isEmpty || label == address {
      nodes.append(Node(scalars: address, marks: .link, start: at))
    } else {
      for run in Self.parse(label, after: nil, isWhole: true, allowsLinks: false).runs {
        nodes.append(Node(scalars: Array(run.text.unicodeScalars), marks: run.marks.union(.link), start: at))
      }
      let shown: [Unicode.Scalar] = [" ", "("] + address + [")"]
      nodes.append(Node(scalars: shown, marks: .aside, start: at))
    }
    at = end + 1
    beginsNode = true
    return true
  }

  /// The bracket that closes the one at `start`.
  private func closing(from start: Int, _ open: Unicode.Scalar, _ close: Unicode.Scalar) -> Int? {
    var depth = 0
    var index = start
    while index < text.count {
      switch text[index] {
      case "\\": index += 1
      case open: depth += 1
      case close:
        depth -= 1
        if depth == 0 { return index }
      default: break
      }
      index += 1
    }
    return nil
  }

  /// The address in the brackets, without a title; nil when it is none.
  private static func address(_ inside: ArraySlice<Unicode.Scalar>) -> [Unicode.Scalar]? {
    var address = Array(inside.prefix { $0 != " " })
    let title = inside.dropFirst(address.count).drop { $0 == " " }
    guard title.first.map({ $0 == "\"" || $0 == "'" }) ?? true else { return nil }
    if address.count > 2, address.first == "<", address.last == ">" { address = Array(address.dropFirst().dropLast()) }
    return address.isEmpty ? nil : address
  }

  private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  private static func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }

  private static func isASCIIWordPart(_ scalar: Unicode.Scalar) -> Bool { scalar.isASCII && isWordPart(scalar) }
}
