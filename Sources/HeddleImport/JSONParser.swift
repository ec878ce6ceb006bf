// Reads one JSON text out of a larger array of bytes and remembers where each value stood, so that what means nothing to
// Heddle can be kept exactly as it was written. Foundation's parser was not taken for three reasons: it forgets the order
// and the text of what it reads, it has no depth limit, and it cannot stop behind a first value, which is what recovering
// a record that is glued to a torn one needs.
//
// Strict RFC 8259 with two exceptions in favour of the text: a lone surrogate and U+0000, which Heddle's texts may not
// hold, both become U+FFFD.

/// One value and its place in the file.
struct JSONNode {
  let value: JSONValue
  /// Its bytes in the file.
  let range: Range<Int>

  /// A member of an object that is not null. Of two members with one name the last counts.
  subscript(_ name: String) -> JSONNode? {
    guard let node = member(name) else { return nil }
    if case .null = node.value { return nil }
    return node
  }

  /// A member of an object, which may be null: for the few places where null is not the same as absent.
  func member(_ name: String) -> JSONNode? {
    guard case .object(let members) = value else { return nil }
    return members.last { $0.name == name }?.node
  }

  var string: String? {
    guard case .string(let text) = value else { return nil }
    return text
  }

  var bool: Bool? {
    guard case .bool(let value) = value else { return nil }
    return value
  }

  var array: [JSONNode]? {
    guard case .array(let elements) = value else { return nil }
    return elements
  }

  var isObject: Bool {
    guard case .object = value else { return false }
    return true
  }

  /// The number, if it is whole and fits; never traps.
  var integer: Int64? {
    guard case .number(let text) = value else { return nil }
    if let exact = Int64(text) { return exact }
    return Double(text).flatMap { Int64(exactly: $0) }
  }

  /// A text member; nil as well when it is empty, which in rollouts always means that there is none.
  func text(_ name: String) -> String? {
    guard let text = self[name]?.string, !text.isEmpty else { return nil }
    return text
  }
}

enum JSONValue {
  case null
  case bool(Bool)
  /// As it was written: most numbers are never looked at.
  case number(String)
  case string(String)
  case array([JSONNode])
  case object([JSONMember])
}

struct JSONMember {
  let name: String
  let node: JSONNode
}

/// Where a text stops being JSON.
struct JSONDamage: Error {
  let at: Int
  let reason: String
}

struct JSONParser {
  private let bytes: [UInt8]
  private let end: Int
  /// The byte that is looked at next; behind the value once `value()` has returned.
  private(set) var at: Int

  init(_ bytes: [UInt8], from start: Int, to end: Int) {
    self.bytes = bytes
    self.end = min(end, bytes.count)
    at = start
  }

  /// Reads one value and stops behind it.
  mutating func value() throws(JSONDamage) -> JSONNode {
    try value(depth: 0)
  }

  /// Goes to the next byte that is not white space; nil at the end.
  mutating func next() -> UInt8? {
    while at < end {
      let byte = bytes[at]
      guard byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A else { return byte }
      at += 1
    }
    return nil
  }

  private mutating func value(depth: Int) throws(JSONDamage) -> JSONNode {
    guard depth < ImportLimits.nesting else { throw damage("nested deeper than \(ImportLimits.nesting) levels") }
    guard let first = next() else { throw damage("the line ends too early") }
    let start = at
    let value: JSONValue =
      switch first {
      case UInt8(ascii: "{"): .object(try object(depth: depth))
      case UInt8(ascii: "["): .array(try array(depth: depth))
      case UInt8(ascii: "\""): .string(try string())
      case UInt8(ascii: "t"): try word("true", .bool(true))
      case UInt8(ascii: "f"): try word("false", .bool(false))
      case UInt8(ascii: "n"): try word("null", .null)
      default: .number(try number())
      }
    return JSONNode(value: value, range: start..<at)
  }

  private mutating func object(depth: Int) throws(JSONDamage) -> [JSONMember] {
    at += 1
    var members: [JSONMember] = []
    if next() == UInt8(ascii: "}") {
      at += 1
      return members
    }
    while true {
      guard next() == UInt8(ascii: "\"") else { throw damage("a name was expected") }
      let name = try string()
      guard next() == UInt8(ascii: ":") else { throw damage("a colon was expected") }
      at += 1
      members.append(JSONMember(name: name, node: try value(depth: depth + 1)))
      if try closes(with: UInt8(ascii: "}")) { return members }
    }
  }

  private mutating func array(depth: Int) throws(JSONDamage) -> [JSONNode] {
    at += 1
    var elements: [JSONNode] = []
    if next() == UInt8(ascii: "]") {
      at += 1
      return elements
    }
    while true {
      elements.append(try value(depth: depth + 1))
      if try closes(with: UInt8(ascii: "]")) { return elements }
    }
  }

  /// After an element: a comma (false) or the end of what holds it (true).
  private mutating func closes(with bracket: UInt8) throws(JSONDamage) -> Bool {
    guard let byte = next() else { throw damage("the line ends too early") }
    guard byte == bracket || byte == UInt8(ascii: ",") else { throw damage("a comma was expected") }
    at += 1
    return byte == bracket
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONDamage) -> JSONValue {
    let text = Array(word.description.utf8)
    guard at + text.count <= end, Array(bytes[at..<at + text.count]) == text else { throw damage("no value") }
    at += text.count
    return value
  }

  private mutating func number() throws(JSONDamage) -> String {
    let start = at
    skip(UInt8(ascii: "-"))
    let leadingZero = at < end && bytes[at] == UInt8(ascii: "0")
    let whole = digits()
    guard whole > 0, whole == 1 || !leadingZero else { throw damage("no value") }
    if skip(UInt8(ascii: ".")) {
      guard digits() > 0 else { throw damage("a digit was expected") }
    }
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      if !skip(UInt8(ascii: "+")) { skip(UInt8(ascii: "-")) }
      guard digits() > 0 else { throw damage("a digit was expected") }
    }
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  private mutating func digits() -> Int {
    let start = at
    while at < end, bytes[at] >= UInt8(ascii: "0"), bytes[at] <= UInt8(ascii: "9") { at += 1 }
    return at - start
  }

  @discardableResult
  private mutating func skip(_ byte: UInt8) -> Bool {
    guard at < end, bytes[at] == byte else { return false }
    at += 1
    return true
  }

  private func damage(_ reason: String) -> JSONDamage { JSONDamage(at: at, reason: reason) }
}

// MARK: - Strings

extension JSONParser {
  /// Reads a string; `at` is on its first quote.
  private mutating func string() throws(JSONDamage) -> String {
    at += 1
    let start = at
    var escapes = false
    while at < end {
      let byte = bytes[at]
      if byte == UInt8(ascii: "\"") {
        let text = bytes[start..<at]
        at += 1
        return escapes ? try unescape(text) : String(decoding: text, as: UTF8.self)
      }
      guard byte >= 0x20 else { throw damage("a control character in a text") }
      if byte == UInt8(ascii: "\\") {
        escapes = true
        at += 1
      }
      at += 1
    }
    throw damage("the line ends too early")
  }

  private func unescape(_ text: ArraySlice<UInt8>) throws(JSONDamage) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(text.count)
    var index = text.startIndex
    while index < text.endIndex {
      let byte = text[index]
      index += 1
      guard byte == UInt8(ascii: "\\") else {
        out.append(byte)
        continue
      }
      guard index < text.endIndex else { throw JSONDamage(at: index, reason: "an escape is cut off") }
      let escape = text[index]
      index += 1
      switch escape {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(escape)
      case UInt8(ascii: "b"): out.append(0x08)
      case UInt8(ascii: "f"): out.append(0x0C)
      case UInt8(ascii: "n"): out.append(0x0A)
      case UInt8(ascii: "r"): out.append(0x0D)
      case UInt8(ascii: "t"): out.append(0x09)
      case UInt8(ascii: "u"): out.append(contentsOf: String(try scalar(text, &index)).utf8)
      default: throw JSONDamage(at: index - 1, reason: "an unknown escape")
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Reads the digits behind `\u`, and the second half of a surrogate pair when there is one.
  private func scalar(_ text: ArraySlice<UInt8>, _ index: inout Int) throws(JSONDamage) -> Character {
    let replacement: Character = "\u{FFFD}"
    let first = try hexadecimal(text, &index)
    if (0xD800..<0xDC00).contains(first), index + 1 < text.endIndex, text[index] == UInt8(ascii: "\\"),
      text[index + 1] == UInt8(ascii: "u")
    {
      var behind = index + 2
      let second = try hexadecimal(text, &behind)
      guard (0xDC00..<0xE000).contains(second) else { return replacement }
      index = behind
      return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)).map { Character($0) } ?? replacement
    }
    guard first != 0, let scalar = Unicode.Scalar(first) else { return replacement }
    return Character(scalar)
  }

  private func hexadecimal(_ text: ArraySlice<UInt8>, _ index: inout Int) throws(JSONDamage) -> UInt32 {
    guard index + 4 <= text.endIndex else { throw JSONDamage(at: index, reason: "an escape is cut off") }
    var value: UInt32 = 0
    for byte in text[index..<index + 4] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw JSONDamage(at: index, reason: "an escape without four digits")
      }
      value = value << 4 | UInt32(digit)
    }
    index += 4
    return value
  }
}
