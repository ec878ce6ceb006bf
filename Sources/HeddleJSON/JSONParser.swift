// The grammar of RFC 8259, one function a rule; `JSONRules` lists the rules that are stricter or less strict than the
// standard. Reads one value out of a larger array of bytes and stops behind it: recovering a record that is glued to a
// torn one needs that, and Foundation's parser cannot do it.

extension JSONValue {
  /// Reads one JSON text, whole.
  public init(parsing text: String) throws(JSONError) {
    var parser = JSONParser(Array(text.utf8))
    self = try parser.document()
  }
}

extension JSONNode {
  /// Reads one JSON text, whole, and keeps positions.
  public init(parsing text: String) throws(JSONError) {
    var parser = JSONParser(Array(text.utf8))
    self = try parser.node()
    try parser.finish()
  }
}

public struct JSONParser {
  private let bytes: [UInt8]
  private let end: Int
  private let rules: JSONRules
  /// The byte that is looked at next; behind the value once it has been read.
  public private(set) var at: Int
  /// Positions of the values that were read so far in the object or list that is being read.
  private var places: [JSONPlace] = []
  private var keepsPlaces = false

  /// The bytes need not be UTF-8: bytes of texts that are not become U+FFFD.
  public init(_ bytes: [UInt8], in range: Range<Int>? = nil, rules: JSONRules = .strict) {
    self.bytes = bytes
    end = min(range?.upperBound ?? bytes.count, bytes.count)
    at = min(range?.lowerBound ?? 0, end)
    self.rules = rules
  }

  /// Reads `ws value ws`, and nothing after it.
  public mutating func document() throws(JSONError) -> JSONValue {
    let value = try value()
    try finish()
    return value
  }

  /// Reads one value and stops behind it.
  public mutating func value() throws(JSONError) -> JSONValue {
    guard end - at <= rules.bytes else { throw fault("a text of at most \(rules.bytes) bytes is needed") }
    return try value(depth: 0)
  }

  /// Reads one value with its positions and stops behind it.
  public mutating func node() throws(JSONError) -> JSONNode {
    keepsPlaces = true
    places = []
    let value = try value()
    return JSONNode(value, places.first ?? JSONPlace(range: at..<at, inner: []))
  }

  /// Goes to the next byte that is not white space; nil at the end.
  public mutating func next() -> UInt8? {
    while let byte = peek() {
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
      at += 1
    }
    return nil
  }

  fileprivate mutating func finish() throws(JSONError) {
    guard next() == nil else { throw fault("one JSON value is needed, but there is more text after it") }
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < rules.depth else {
      throw JSONError(.offset(at), "values are nested deeper than \(rules.depth)", kind: .tooDeep)
    }
    guard let first = next() else { throw fault("a value is needed, but the text ends") }
    guard keepsPlaces else { return try value(first, depth: depth) }
    let start = at
    var inner: [JSONPlace] = []
    swap(&inner, &places)
    let value = try value(first, depth: depth)
    swap(&inner, &places)
    places.append(JSONPlace(range: start..<at, inner: inner))
    return value
  }

  private mutating func value(_ first: UInt8, depth: Int) throws(JSONError) -> JSONValue {
    switch first {
    case UInt8(ascii: "{"): return .object(try members(depth: depth))
    case UInt8(ascii: "["): return .list(try elements(depth: depth))
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: throw fault("a value is needed: {, [, a text in quotes, a number, true, false or null")
    }
  }

  private mutating func members(depth: Int) throws(JSONError) -> [JSONValue.Member] {
    at += 1
    var members = [JSONValue.Member]()
    var names = Set<String>()
    if next() == UInt8(ascii: "}") {
      at += 1
      return members
    }
    while true {
      guard next() == UInt8(ascii: "\"") else { throw fault("a name in quotes is needed") }
      let start = at
      let name = try string()
      guard !rules.isStrict || rules.mayRepeatNames || names.insert(name).inserted else {
        throw JSONError(.offset(start), "\"\(name)\" stands twice in one object")
      }
      guard next() == UInt8(ascii: ":") else { throw fault("a colon is needed after the name") }
      at += 1
      members.append(JSONValue.Member(name, try value(depth: depth + 1)))
      if try closes(with: "}") { return members }
    }
  }

  private mutating func elements(depth: Int) throws(JSONError) -> [JSONValue] {
    at += 1
    var values = [JSONValue]()
    if next() == UInt8(ascii: "]") {
      at += 1
      return values
    }
    while true {
      values.append(try value(depth: depth + 1))
      if try closes(with: "]") { return values }
    }
  }

  /// After an element: a comma (false) or the end of its object or list (true).
  private mutating func closes(with bracket: Unicode.Scalar) throws(JSONError) -> Bool {
    let byte = next()
    guard byte == UInt8(ascii: bracket) || byte == UInt8(ascii: ",") else {
      throw fault("a comma or \(bracket) is needed")
    }
    at += 1
    return byte == UInt8(ascii: bracket)
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
    guard bytes[at..<end].starts(with: word.utf8) else { throw fault("a value is needed; did you mean \(word)?") }
    at += word.utf8.count
    return value
  }

  private mutating func number() throws(JSONError) -> String {
    let start = at
    take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { take(UInt8(ascii: "-")) }
      try digits()
    }
    if let next = peek(), Self.isDigit(next) { throw fault("a number does not begin with 0 unless it is 0") }
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  private mutating func digits() throws(JSONError) {
    let start = at
    while let byte = peek(), Self.isDigit(byte) { at += 1 }
    guard at > start else { throw fault("a digit is needed") }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  @discardableResult
  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    at += 1
    return true
  }

  private func peek() -> UInt8? { at < end ? bytes[at] : nil }

  private func fault(_ message: String) -> JSONError { JSONError(.offset(at), message) }
}

// MARK: Texts

extension JSONParser {
  /// Reads a text; `at` is on its first quote.
  private mutating func string() throws(JSONError) -> String {
    at += 1
    var out = [UInt8]()
    /// Bytes from here on stand for themselves and are not in `out` yet.
    var start = at
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\""):
        let rest = bytes[start..<at]
        at += 1
        if out.isEmpty { return String(decoding: rest, as: UTF8.self) }
        out += rest
        return String(decoding: out, as: UTF8.self)
      case UInt8(ascii: "\\"):
        out += bytes[start..<at]
        at += 1
        try escape(&out)
        start = at
      case 0..<0x20: throw fault("a control character in a text must be written as \\u00\(byte < 16 ? "0" : "")…")
      default: at += 1
      }
    }
    throw fault("the text has no closing quote")
  }

  private mutating func escape(_ out: inout [UInt8]) throws(JSONError) {
    guard let byte = peek() else { throw fault("the text ends after a backslash") }
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): out.append(byte)
    case UInt8(ascii: "b"): out.append(0x08)
    case UInt8(ascii: "f"): out.append(0x0C)
    case UInt8(ascii: "n"): out.append(0x0A)
    case UInt8(ascii: "r"): out.append(0x0D)
    case UInt8(ascii: "t"): out.append(0x09)
    case UInt8(ascii: "u"): out += String(Character(try unicode())).utf8
    default:
      at -= 1
      throw fault("after a backslash only \" \\ / b f n r t u may stand")
    }
  }

  /// The character of a `\u` escape, the second half of a surrogate pair included.
  private mutating func unicode() throws(JSONError) -> Unicode.Scalar {
    let replacement: Unicode.Scalar = "\u{FFFD}"
    let start = at
    let first = try hexadecimal()
    if first == 0, !rules.isStrict { return replacement }
    if let scalar = Unicode.Scalar(first) { return scalar }
    let afterFirst = at
    if first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
      let second = try hexadecimal()
      if (0xDC00...0xDFFF).contains(second),
        let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
      {
        return scalar
      }
    }
    guard !rules.isStrict else {
      throw JSONError(.offset(start), "half of a surrogate pair stands alone", kind: .surrogate)
    }
    at = afterFirst
    return replacement
  }

  private mutating func hexadecimal() throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw fault("four hexadecimal digits are needed after \\u")
      }
      value = value << 4 | UInt32(digit)
      at += 1
    }
    return value
  }
}
