// JSON as a value, written compactly or for people. Foundation would bring a parser, and with it megabytes and its own idea
// of numbers; here a number keeps its text, so that 64-bit integers stay exact.

/// One JSON value. Members of an object keep their order.
public enum JSONValue: Equatable, Sendable {
  public struct Member: Equatable, Sendable {
    public var name: String
    public var value: JSONValue

    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  case null
  case bool(Bool)
  /// As it was written.
  case number(String)
  case text(String)
  case list([JSONValue])
  case object([Member])

  /// The JSON text: on one line, or indented by two spaces a level.
  public func written(pretty: Bool = false) -> String {
    var out = [UInt8]()
    write(to: &out, indent: pretty ? 0 : nil)
    return String(decoding: out, as: UTF8.self)
  }

  private func write(to out: inout [UInt8], indent: Int?) {
    switch self {
    case .null: out += "null".utf8
    case .bool(let value): out += (value ? "true" : "false").utf8
    case .number(let literal): out += literal.utf8
    case .text(let value): Self.write(quoted: value, to: &out)
    case .list(let values):
      Self.write(values, between: "[", and: "]", to: &out, indent: indent) { value, out, indent in
        value.write(to: &out, indent: indent)
      }
    case .object(let members):
      Self.write(members, between: "{", and: "}", to: &out, indent: indent) { member, out, indent in
        Self.write(quoted: member.name, to: &out)
        out += (indent == nil ? ":" : ": ").utf8
        member.value.write(to: &out, indent: indent)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], between open: Unicode.Scalar, and close: Unicode.Scalar, to out: inout [UInt8], indent: Int?,
    _ writeOne: (Element, inout [UInt8], Int?) -> Void
  ) {
    let inner = indent.map { $0 + 2 }
    func newLine(_ indent: Int?) {
      guard let indent else { return }
      out.append(UInt8(ascii: "\n"))
      out += repeatElement(UInt8(ascii: " "), count: indent)
    }
    out.append(UInt8(ascii: open))
    for (index, element) in elements.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      newLine(inner)
      writeOne(element, &out, inner)
    }
    if !elements.isEmpty { newLine(indent) }
    out.append(UInt8(ascii: close))
  }

  private static func write(quoted text: String, to out: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    out.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""): out += #"\""#.utf8
      case UInt8(ascii: "\\"): out += #"\\"#.utf8
      case 0x0A: out += #"\n"#.utf8
      case 0x0D: out += #"\r"#.utf8
      case 0x09: out += #"\t"#.utf8
      case 0..<0x20:
        out += #"\u00"#.utf8
        out.append(digits[Int(byte >> 4)])
        out.append(digits[Int(byte & 15)])
      default: out.append(byte)
      }
    }
    out.append(UInt8(ascii: "\""))
  }
}

extension String {
  /// U+FFFD for every NUL, which no text of a message may hold (attacks.md P10): for texts of others that are to be stored.
  public var withoutNUL: String {
    guard utf8.contains(0) else { return self }
    return String(UnicodeScalarView(unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : $0 }))
  }
}

extension JSONValue {
  /// The same without NUL in texts and names, which JSON can write as an escape.
  public var withoutNUL: JSONValue {
    switch self {
    case .null, .bool, .number: self
    case .text(let text): .text(text.withoutNUL)
    case .list(let values): .list(values.map(\.withoutNUL))
    case .object(let members): .object(members.map { Member($0.name.withoutNUL, $0.value.withoutNUL) })
    }
  }
}
