//
//   C0 and DEL      their picture: ESC becomes ␛, so a sequence is seen and does nothing
//   `C1`, bidi      U+FFFD: a CSI of one byte, and overrides that show a text in another order than it has
//   tab             four cells of space: the column stays known
//   CR LF           a line break; so are U+2028 and U+2029
//
// Widths are counted by scalar, because streamed text may end in the middle of a grapheme; that is also how terminals
// count.

import HeddleCore

public enum TerminalText {
  /// The text without anything that a terminal would obey.
  public static func neutral(_ text: String, keepsLines: Bool = true) -> String {
    var out = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      defer { previous = scalar }
      switch scalar.value {
      case 0x0A:
        // The picture of the CR in front of it, if it got one, is taken back.
        if previous == "\r" { out.removeLast() }
        if keepsLines { out.append("\n") } else { out.append("⏎") }
      case 0x09: out.append(contentsOf: "    ".unicodeScalars)
      case 0..<0x20: out.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
      case 0x7F: out.append("\u{2421}")
      case 0x2028, 0x2029: out.append(keepsLines ? "\n" : "⏎")
      case 0x80...0x9F, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFFF9...0xFFFB, 0xE0000...0xE007F:
        out.append("\u{FFFD}")
      default: out.append(scalar)
      }
    }
    return String(out)
  }

  /// Cells that the text takes; it is neutral and has no line break.
  public static func width(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + width($1) } }

  /// 0 for marks and joiners, 2 for East Asian wide characters and emoji, otherwise 1.
  public static func width(_ scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x300 { return value == 0xAD ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // Hangul vowels and finals join the consonant before them.
    if (0x1160...0x11FF).contains(value) { return 0 }
    return wide.contains { $0.contains(value) } || scalar.properties.isEmojiPresentation ? 2 : 1
  }

  /// The blocks of Unicode's EastAsianWidth with W and F, coarsened over unassigned gaps.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
    0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]

  /// The beginning of the text that fits into so many cells, with `…` when something is missing.
  public static func cut(_ text: String, to cells: Int) -> String {
    guard width(text) > cells else { return text }
    var out = String.UnicodeScalarView()
    var used = 0
    for scalar in text.unicodeScalars {
      used += width(scalar)
      if used > cells - 1 { break }
      out.append(scalar)
    }
    return String(out) + (cells > 0 ? "…" : "")
  }

  /// One line of it: line breaks and runs of space become one space each, and it ends after so many cells.
  public static func summary(_ text: String, cells: Int) -> String {
    // Nothing beyond this can be seen; a long output is not walked to its end for it.
    let start = String(text.prefix(cells * 4 + 16))
    let words = start.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let cutOff = start.utf8.count < text.utf8.count
    let line = neutral(words, keepsLines: false)
    return cut(cutOff && width(line) < cells ? line + "…" : line, to: cells)
  }
}

/// The meaning of a piece of text; its look is the painter's business.
public enum TextStyle: Equatable, Sendable {
  case plain, user, thought, tool, success, failure, agent, note, question, faint
}

/// Marks that Markdown puts on a part of a text, on top of its style.
public struct TextMarks: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let strong = TextMarks(rawValue: 1)
  public static let emphasis = TextMarks(rawValue: 2)
  public static let code = TextMarks(rawValue: 4)
  public static let heading = TextMarks(rawValue: 8)
  public static let link = TextMarks(rawValue: 16)
  /// Text that only helps: the address of a link, the language of a block of code, the bar of a quote.
  public static let aside = TextMarks(rawValue: 32)
}

public struct Span: Equatable, Sendable {
  public var style: TextStyle
  public var text: String
  public var marks: TextMarks

  public init(_ style: TextStyle, _ text: String, _ marks: TextMarks = []) {
    self.style = style
    self.text = text
    self.marks = marks
  }
}

/// One thing to show, in the order in which it happened. Texts in it may hold anything: the painter makes them neutral.
public enum ChatOutput: Equatable, Sendable {
  /// A line of its own; `isCut`: shortened to the width of the terminal rather than wrapped.
  case line([Span], isCut: Bool = false)
  /// Text that goes on where the piece of the same item before it ended.
  case stream(ItemID, TextStyle, String)
  /// The item is whole: what comes next begins a line.
  case streamEnd(ItemID)
}
