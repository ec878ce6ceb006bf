// The grammar of RFC 8259, one function a rule. Stricter than the standard asks in two points: a name stands once in an
// object, and nesting ends at `JSONValue.maximumDepth`, so that no text can exhaust the stack.

struct JSONParser {
  private let bytes: [UInt8]
  private var at = 0
  /// A member whose place is looked for, the way to the value that is read now, and where the member's value begins.
  private var sought: String?
  private var path = ""
  private var found: Int?

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Where the value at a path such as `input.content[0]` begins; names count in both forms that WireWriter takes.
  static func offset(of path: String, in text: String) -> Int? {
    var parser = JSONParser(text)
    parser.sought = plain(path)
    _ = try? parser.document()
    return parser.found
  }

  private static func plain(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }

  /// One step down while a member is looked for; returns the way back. Costs nothing in a usual parse.
  private mutating func enter(_ step: @autoclosure () -> String) -> String {
    guard sought != nil else { return path }
    let outer = path
    path += step()
    // The first name has no point in front.
    if outer.isEmpty, path.hasPrefix(".") { path.removeFirst() }
    return outer
  }

  /// `ws value ws`, and nothing after it.
  mutating func document() throws(JSONError) -> JSONValue {
    let value = try value(depth: 0)
    skipSpace()
    guard at == bytes.count else { throw fault("one JSON value is needed, but there is more text after it") }
    return value
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < JSONValue.maximumDepth else {
      throw fault("values are nested deeper than \(JSONValue.maximumDepth)")
    }
    skipSpace()
    if let sought, found == nil, path == sought { found = at }
    guard let first = peek() else { throw fault("a value is needed, but the text ends") }
    switch first {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try list(depth: depth)
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: throw fault("a value is needed: {, [, a text in quotes, a number, true, false or null")
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
    at += 1
    var members = [JSONValue.Member]()
    var names = Set<String>()
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipSpace()
      let start = at
      guard peek() == UInt8(ascii: "\"") else { throw fault("a name in quotes is needed") }
      let name = try string()
      guard names.insert(name).inserted else {
        throw JSONError(.offset(start), "\"\(name)\" stands twice in one object")
      }
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw fault("a colon is needed after the name") }
      let outer = enter("." + Self.plain(name))
      members.append(JSONValue.Member(name, try value(depth: depth + 1)))
      path = outer
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { throw fault("a comma or } is needed") }
    }
  }

  private mutating func list(depth: Int) throws(JSONError) -> JSONValue {
    at += 1
    var values = [JSONValue]()
    skipSpace()
    if take(UInt8(ascii: "]")) { return .list(values) }
    while true {
      let outer = enter("[\(values.count)]")
      values.append(try value(depth: depth + 1))
      path = outer
      skipSpace()
      if take(UInt8(ascii: "]")) { return .list(values) }
      guard take(UInt8(ascii: ",")) else { throw fault("a comma or ] is needed") }
    }
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
    guard bytes[at...].starts(with: word.utf8) else { throw fault("a value is needed; did you mean \(word)?") }
    at += word.utf8.count
    return value
  }

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = at
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    if let next = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) {
      throw fault("a number does not begin with 0 unless it is 0")
    }
    return .number(String(decoding: bytes[start..<at], as: UTF8.self))
  }

  private mutating func digits() throws(JSONError) {
    let start = at
    while let byte = peek(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { at += 1 }
    guard at > start else { throw fault("a digit is needed") }
  }

  private mutating func string() throws(JSONError) -> String {
    at += 1
    var out = [UInt8]()
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\""):
        at += 1
        return String(decoding: out, as: UTF8.self)
      case UInt8(ascii: "\\"):
        at += 1
        try escape(&out)
      case 0..<0x20: throw fault("a control character in a text must be written as \\u00\(byte < 16 ? "0" : "")…")
      default:
        out.append(byte)
        at += 1
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

  /// What `\u` stands for, the second half of a surrogate pair included.
  private mutating func unicode() throws(JSONError) -> Unicode.Scalar {
    let start = at
    let first = try hexadecimal()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
      throw JSONError(.offset(start), "half of a surrogate pair stands alone")
    }
    let second = try hexadecimal()
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw JSONError(.offset(start), "half of a surrogate pair stands alone") }
    return scalar
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

  private mutating func skipSpace() {
    while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    at += 1
    return true
  }

  private func peek() -> UInt8? { at < bytes.count ? bytes[at] : nil }

  private func fault(_ message: String) -> JSONError { JSONError(.offset(at), message) }
}
