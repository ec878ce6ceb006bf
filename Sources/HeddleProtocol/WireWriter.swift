// From JSON to wire bytes, by the schema table. What people type at the prompt comes through here, so every refusal says
// where it is and what would be right. Names may be as in the .proto or in lowerCamelCase, enum values by short name,
// full name or number, 64-bit integers as numbers or text; null means absent.
//
// In the canonical style, which programs write, enum values go by full name or number, numbers may stand as text, a name
// that stands twice counts once, with its last value, and ids are base64; the text of a UUID, which is 36 bytes long and
// so cannot be the base64 of 16, is an id too.

import CHeddleProtocol
import HeddleCore
import HeddleJSON

struct WireWriter {
  private(set) var out: [UInt8] = []
  private let isCanonical: Bool

  init(_ style: JSONTranscoder.Style) { isCanonical = style == .canonical }

  private init(within other: WireWriter) { isCanonical = other.isCanonical }

  /// Appends the fields of one message in the order of the schema, whatever the order in the JSON.
  mutating func message(
    _ value: JSONValue, _ message: UnsafePointer<heddle_message>, path: String
  ) throws(JSONError) {
    let name = String(cString: message.pointee.name)
    let place = path.isEmpty ? name : path
    guard case .object(let members) = value else { throw wrong(place, "an object is needed (\(name))") }
    let fields = SchemaTable.fields(message)
    let names = SchemaTable.names(message)
    var given = [JSONValue?](repeating: nil, count: fields.count)
    for member in members {
      guard let index = names.places[member.name] else {
        let known = fields.isEmpty ? "it has none" : "it has \(names.own.joined(separator: ", "))"
        throw JSONError(
          .path(place), "\(name) has no field \"\(member.name)\"; \(known)", member: Self.join(path, member.name))
      }
      guard given[index] == nil || isCanonical else {
        throw wrong(Self.join(path, member.name), "the field stands here twice")
      }
      given[index] = member.value
    }
    try checkOneofs(fields, given, place)
    for (index, value) in given.enumerated() {
      guard let value, value != .null else { continue }
      try field(value, fields[index], path: Self.join(path, names.own[index]))
    }
  }

  /// At most one member of a oneof may be given; null does not count.
  private func checkOneofs(
    _ fields: UnsafeBufferPointer<heddle_field>, _ given: [JSONValue?], _ place: String
  ) throws(JSONError) {
    var first: [UInt8: String] = [:]
    for (field, value) in zip(fields, given) where field.oneof != 0 && value != nil && value != .null {
      if let other = first.updateValue(field.fieldName, forKey: field.oneof) {
        throw wrong(place, "only one of \(other) and \(field.fieldName) may be given")
      }
    }
  }

  private mutating func field(_ value: JSONValue, _ field: heddle_field, path: String) throws(JSONError) {
    guard field.isRepeated else {
      if !field.hasPresence, try isZero(value, field, path) { return }
      tag(field)
      return try element(value, field, path: path)
    }
    guard case .list(let values) = value else { throw wrong(path, "a list is needed") }
    if Int(field.wire_class) == HEDDLE_VARINT {
      guard !values.isEmpty else { return }
      var packed = WireWriter(within: self)
      for (index, value) in values.enumerated() {
        try packed.element(value, field, path: "\(path)[\(index)]")
      }
      varint(UInt64(field.number) << 3 | 2)
      block(packed.out)
    } else {
      for (index, value) in values.enumerated() {
        tag(field)
        try element(value, field, path: "\(path)[\(index)]")
      }
    }
  }

  /// In proto3, a zero without presence does not go on the wire. It is checked like any other value first.
  private func isZero(_ value: JSONValue, _ field: heddle_field, _ path: String) throws(JSONError) -> Bool {
    var trial = WireWriter(within: self)
    try trial.element(value, field, path: path)
    // The encodings of 0, false, "" and 0.0: nothing but zero bytes. An id of zeros has a length in front and stays.
    return trial.out.allSatisfy { $0 == 0 }
  }

  private mutating func element(_ value: JSONValue, _ field: heddle_field, path: String) throws(JSONError) {
    switch Int(field.wire_class) {
    case HEDDLE_VARINT: varint(try integer(value, field, path))
    case HEDDLE_FIXED32: fixed(try single(value, path).bitPattern)
    case HEDDLE_FIXED64: fixed(try double(value, path).bitPattern)
    case HEDDLE_TEXT:
      guard case .text(let text) = value else { throw wrong(path, "a string is needed") }
      block(Array(text.utf8))
    case HEDDLE_MESSAGE:
      guard let target = SchemaTable.message(field.target) else { throw wrong(path, "the schema lacks its message") }
      var inner = WireWriter(within: self)
      try inner.message(value, target, path: path)
      block(inner.out)
    default: block(try bytes(value, field, path))
    }
  }

  private func bytes(_ value: JSONValue, _ field: heddle_field, _ path: String) throws(JSONError) -> [UInt8] {
    guard case .text(let text) = value else {
      throw wrong(path, field.isID ? "an id is needed, a UUID as text" : "bytes are needed, base64 as text")
    }
    if field.isID, !isCanonical || text.utf8.count == 36 {
      guard let id = ThreadID(text) else {
        throw wrong(path, "an id is needed, such as 01a20044-d67b-76b3-817d-21e857a0ab2a")
      }
      return id.bytes
    }
    guard let bytes = Base64.bytes(text) else { throw wrong(path, "the text is not base64") }
    return bytes
  }

  /// The bits of a bool, an enum value or an integer as a varint carries them.
  private func integer(_ value: JSONValue, _ field: heddle_field, _ path: String) throws(JSONError) -> UInt64 {
    if field.isBool {
      guard case .bool(let flag) = value else { throw wrong(path, "true or false is needed") }
      return flag ? 1 : 0
    }
    if field.isEnum { return UInt64(bitPattern: Int64(try enumNumber(value, field, path))) }
    switch (field.isSigned, field.isWide) {
    case (true, true): return UInt64(bitPattern: try whole(value, Int64.self, path))
    case (true, false): return UInt64(bitPattern: Int64(try whole(value, Int32.self, path)))
    case (false, true): return try whole(value, UInt64.self, path)
    case (false, false): return UInt64(try whole(value, UInt32.self, path))
    }
  }

  private func whole<T: FixedWidthInteger>(_ value: JSONValue, _ type: T.Type, _ path: String) throws(JSONError) -> T {
    let literal: String? =
      switch value {
      case .number(let literal), .text(let literal): literal
      default: nil
      }
    if let literal, let number = T(literal) { return number }
    // 1e3 and 2.0 are whole numbers too; beyond 2^53 a double no longer says which.
    if let literal, let number = Double(literal), number.magnitude <= 0x1p53, let exact = T(exactly: number) {
      return exact
    }
    throw wrong(path, "a whole number from \(T.min) to \(T.max) is needed")
  }

  private func enumNumber(_ value: JSONValue, _ field: heddle_field, _ path: String) throws(JSONError) -> Int32 {
    let values = SchemaTable.values(field)
    switch value {
    case .number(let literal):
      if let number = Int32(literal) { return number }
    case .text(let text) where isCanonical:
      let prefix = SchemaTable.prefix(field)
      if text.hasPrefix(prefix),
        let found = values.first(where: { String(cString: $0.name) == text.dropFirst(prefix.count) })
      {
        return found.number
      }
    case .text(let text):
      let prefix = SchemaTable.prefix(field)
      let short = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
      // The whole text first: a short name may itself begin with the prefix.
      for candidate in [text, short] {
        if let found = values.first(where: { String(cString: $0.name) == candidate }) { return found.number }
      }
    default: break
    }
    throw wrong(path, "one of \(values.map { String(cString: $0.name) }.joined(separator: ", ")) is needed")
  }

  /// A number beyond the range of a float is no float.
  private func single(_ value: JSONValue, _ path: String) throws(JSONError) -> Float {
    let number = try double(value, path)
    let single = Float(number)
    guard !isCanonical || single.isFinite || !number.isFinite else { throw wrong(path, "the number is too large") }
    return single
  }

  private func double(_ value: JSONValue, _ path: String) throws(JSONError) -> Double {
    switch value {
    case .number(let literal):
      if let number = Double(literal), number.isFinite || !isCanonical { return number }
      if isCanonical { throw JSONError(.path(path), "the number is too large") }
    case .text("NaN"): return .nan
    case .text("Infinity"): return .infinity
    case .text("-Infinity"): return -.infinity
    case .text(let text) where isCanonical:
      if Self.isNumber(text), let number = Double(text), number.isFinite { return number }
    default: break
    }
    throw JSONError(.path(path), "a number is needed")
  }

  /// The characters of a JSON number: Swift reads more than that.
  private static func isNumber(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
  }

  private mutating func tag(_ field: heddle_field) {
    let wire: UInt64 =
      switch Int(field.wire_class) {
      case HEDDLE_VARINT: 0
      case HEDDLE_FIXED64: 1
      case HEDDLE_FIXED32: 5
      default: 2
      }
    varint(UInt64(field.number) << 3 | wire)
  }

  private mutating func block(_ bytes: [UInt8]) {
    varint(UInt64(bytes.count))
    out += bytes
  }

  private mutating func varint(_ value: UInt64) { out.appendVarint(value) }

  private mutating func fixed<T: FixedWidthInteger>(_ value: T) {
    withUnsafeBytes(of: value.littleEndian) { out += $0 }
  }

  private static func join(_ path: String, _ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  private func wrong(_ path: String, _ message: String) -> JSONError { JSONError(.path(path), message) }
}
