// Bytes of a terminal in raw mode to keys: UTF-8, the sequences of the usual terminals, pasted text. No clock: whoever
// reads the bytes says by `flush()` that nothing follows, which is what tells an ESC from the beginning of a sequence.

public enum Key: Equatable, Sendable {
  case text(String)
  /// Text that was pasted; its line breaks are no Enter.
  case paste(String)
  /// A letter with Ctrl held.
  case control(Character)
  case enter, newLine, tab, escape, backspace, delete, left, right, up, down, home, end, wordLeft, wordRight
  case deleteWord
}

public struct KeyDecoder: Sendable {
  private var pending: [UInt8] = []
  private var pasted: [UInt8]?

  private static let pasteEnd = Array("\u{1B}[201~".utf8)
  /// Longer than any sequence of a keyboard: what does not end is thrown away.
  private static let sequenceBytes = 32

  public init() {}

  /// Whether bytes wait for others.
  public var isWaiting: Bool { !pending.isEmpty && pasted == nil }

  public mutating func decode(_ bytes: some Sequence<UInt8>) -> [Key] {
    pending += bytes
    var keys: [Key] = []
    while let key = next(isLast: false) { if let key = key.key { keys.append(key) } }
    return keys
  }

  /// Nothing follows for now.
  public mutating func flush() -> [Key] {
    // The beginning of a character goes on waiting: no key stands for it alone.
    guard pasted == nil, pending.first == 0x1B else { return [] }
    var keys: [Key] = []
    while let key = next(isLast: true) { if let key = key.key { keys.append(key) } }
    return keys
  }

  /// The key of one sequence; none, when the sequence is not known.
  private struct Decoded {
    var key: Key?
  }

  private mutating func next(isLast: Bool) -> Decoded? {
    if pasted != nil { return nextPasted() }
    guard let first = pending.first else { return nil }
    switch first {
    case 0x1B: return nextEscape(isLast: isLast)
    case 0x0D: return taken(1, .enter)
    case 0x0A: return taken(1, .newLine)
    case 0x09: return taken(1, .tab)
    case 0x7F, 0x08: return taken(1, .backspace)
    case 0..<0x20: return taken(1, .control(Character(Unicode.Scalar(first + 0x60))))
    default: return nextText(isLast: isLast)
    }
  }

  private mutating func taken(_ count: Int, _ key: Key?) -> Decoded {
    pending.removeFirst(count)
    return Decoded(key: key)
  }

  /// All text up to the next control byte, as far as it is whole.
  private mutating func nextText(isLast: Bool) -> Decoded? {
    var count = pending.firstIndex { $0 < 0x20 || $0 == 0x7F } ?? pending.count
    if count == pending.count, !isLast { count -= Self.unfinished(pending) }
    guard count > 0 else { return nil }
    let text = String(decoding: pending[..<count], as: UTF8.self)
    return taken(count, .text(text))
  }

  /// Bytes at the end that are the beginning of a character.
  static func unfinished(_ bytes: [UInt8]) -> Int {
    for back in 1...3 where back <= bytes.count {
      let byte = bytes[bytes.count - back]
      if byte & 0xC0 == 0x80 { continue }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return length > back ? back : 0
    }
    return 0
  }

  private mutating func nextEscape(isLast: Bool) -> Decoded? {
    guard pending.count > 1 else { return isLast ? taken(1, .escape) : nil }
    switch pending[1] {
    case UInt8(ascii: "["), UInt8(ascii: "O"): return nextSequence(isLast: isLast)
    case 0x0D, 0x0A: return taken(2, .newLine)
    case 0x7F, 0x08: return taken(2, .deleteWord)
    case UInt8(ascii: "b"): return taken(2, .wordLeft)
    case UInt8(ascii: "f"): return taken(2, .wordRight)
    case 0x1B: return taken(1, .escape)
    default: return taken(2, nil)
    }
  }

  private mutating func nextSequence(isLast: Bool) -> Decoded? {
    guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      return isLast || pending.count > Self.sequenceBytes ? taken(pending.count, nil) : nil
    }
    let parameters = String(decoding: pending[2..<end], as: UTF8.self)
    let last = Character(Unicode.Scalar(pending[end]))
    if parameters == "200", last == "~" {
      pasted = []
      return taken(end + 1, nil)
    }
    return taken(end + 1, Self.key(parameters, last))
  }

  private static func key(_ parameters: String, _ last: Character) -> Key? {
    // Ctrl or Alt held: `1;5C`, `1;3C`.
    let isWord = parameters.hasSuffix(";5") || parameters.hasSuffix(";3")
    switch last {
    case "A": return .up
    case "B": return .down
    case "C": return isWord ? .wordRight : .right
    case "D": return isWord ? .wordLeft : .left
    case "H": return .home
    case "F": return .end
    // Terminals that report modified keys send Shift-Enter and Alt-Enter like this.
    case "u": return parameters == "13;2" || parameters == "13;3" ? .newLine : nil
    case "~":
      switch parameters.split(separator: ";").first {
      case "1", "7": return .home
      case "4", "8": return .end
      case "3": return .delete
      default: return nil
      }
    default: return nil
    }
  }

  private mutating func nextPasted() -> Decoded? {
    pasted = (pasted ?? []) + pending
    pending = []
    guard let all = pasted, let range = all.firstRange(of: Self.pasteEnd) else { return nil }
    pasted = nil
    pending = Array(all[range.upperBound...])
    let text = String(decoding: all[..<range.lowerBound], as: UTF8.self)
    let lines = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    return Decoded(key: lines.isEmpty ? nil : .paste(lines))
  }
}
