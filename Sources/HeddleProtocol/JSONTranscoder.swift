// Messages as JSON, driven by the schema table: for the prompt, for captures and for logs. This file holds the way from
// wire bytes to JSON; the way back is in WireWriter.swift.
//
//   schema                            JSON
//   field                             its name in the .proto; absent fields are left out
//   bool                              true, false
//   32-bit integers, floats           a number; NaN, Infinity and -Infinity as text
//   64-bit integers                   a number up to 2^53 either way, beyond it text: many readers hold doubles only
//   enum                              its name without the enum's prefix; a value that the schema lacks: the number
//   id                                a UUID
//   other bytes                       base64
//   message, repeated                 an object, a list

import CHeddleProtocol
import HeddleCore
import HeddleJSON

public struct JSONTranscoder {
  /// What stands for the text that a redacted field holds.
  public static let redacted = "…"

  /// The JSON text of a message. Unknown fields are left out; `redact` hides every field that is marked sensitive.
  public static func json(
    _ bytes: [UInt8], schema: UInt16, pretty: Bool = false, redact: Bool = false
  ) throws(DecodeError) -> String {
    try value(bytes, schema: schema, redact: redact).written(pretty: pretty)
  }

  /// The same as a value.
  public static func value(
    _ bytes: [UInt8], schema: UInt16, redact: Bool = false
  ) throws(DecodeError) -> JSONValue {
    guard let message = SchemaTable.message(schema) else { throw .malformed }
    // Behind the pre-scan the walk below meets only well-formed bytes, and nothing in it can fail. What is shown was stored
    // or recorded, so a stranger's counts do not hold for it: whatever a thread has can be printed.
    let scanned: Result<JSONValue, DecodeError> = bytes.withUnsafeBytes { raw in
      do throws(DecodeError) {
        var scan = PreScan(limits: .trusted)
        try scan.check(raw, schema: schema)
        var object = WireObject(message, redact: redact)
        object.merge(raw)
        return .success(object.json)
      } catch { return .failure(error) }
    }
    return try scanned.get()
  }

  /// The wire bytes of a message that is written as JSON.
  public static func wire(_ json: String, schema: UInt16) throws(JSONError) -> [UInt8] {
    try wire(JSONValue(parsing: json), schema: schema)
  }

  /// The same from a value.
  public static func wire(_ value: JSONValue, schema: UInt16) throws(JSONError) -> [UInt8] {
    guard let message = SchemaTable.message(schema) else { throw JSONError(.path("\(schema)"), "no such message") }
    var writer = WireWriter()
    try writer.message(value, message, path: "")
    return writer.out
  }
}

/// One message while its fields come in. Occurrences of a singular message are merged and the last scalar wins, as in
/// every protobuf parser.
private struct WireObject {
  private struct Slot {
    var single: JSONValue?
    var list: [JSONValue] = []
    /// At most one: an array, because a struct cannot hold itself.
    var inner: [WireObject] = []
  }

  private let message: UnsafePointer<heddle_message>
  private let fields: UnsafeBufferPointer<heddle_field>
  private let redact: Bool
  private var slots: [Slot]

  init(_ message: UnsafePointer<heddle_message>, redact: Bool) {
    self.message = message
    self.redact = redact
    fields = SchemaTable.fields(message)
    slots = Array(repeating: Slot(), count: fields.count)
  }

  var json: JSONValue {
    var members = [JSONValue.Member]()
    for (field, slot) in zip(fields, slots) {
      let value = slot.inner.first?.json ?? slot.single ?? (slot.list.isEmpty ? nil : .list(slot.list))
      if let value { members.append(JSONValue.Member(field.fieldName, value)) }
    }
    return .object(members)
  }

  mutating func merge(_ bytes: UnsafeRawBufferPointer) {
    var reader = WireReader(bytes)
    while !reader.isAtEnd {
      let tag = reader.varint()
      guard let index = index(of: tag >> 3) else {
        reader.skip(tag & 7)
        continue
      }
      let field = fields[index]
      clearSiblings(of: index)
      if redact && field.isSensitive {
        reader.skip(tag & 7)
        slots[index].single = .text(JSONTranscoder.redacted)
      } else if Int(field.wire_class) == HEDDLE_MESSAGE {
        mergeMessage(reader.block(), field, index)
      } else if Int(field.wire_class) == HEDDLE_VARINT && tag & 7 == 2 {
        var packed = WireReader(reader.block())
        while !packed.isAtEnd { slots[index].list.append(number(packed.varint(), field)) }
      } else {
        let value = scalar(&reader, field)
        if field.isRepeated { slots[index].list.append(value) } else { slots[index].single = value }
      }
    }
  }

  private mutating func mergeMessage(_ bytes: UnsafeRawBufferPointer, _ field: heddle_field, _ index: Int) {
    guard let target = SchemaTable.message(field.target) else { return }
    if field.isRepeated {
      var element = WireObject(target, redact: redact)
      element.merge(bytes)
      slots[index].list.append(element.json)
    } else {
      if slots[index].inner.isEmpty { slots[index].inner.append(WireObject(target, redact: redact)) }
      slots[index].inner[0].merge(bytes)
    }
  }

  /// The last member of a oneof wins.
  private mutating func clearSiblings(of index: Int) {
    let group = fields[index].oneof
    guard group != 0 else { return }
    for other in slots.indices where other != index && fields[other].oneof == group { slots[other] = Slot() }
  }

  private func index(of number: UInt64) -> Int? {
    guard number < UInt64(message.pointee.number_count) else { return nil }
    let index = Int(message.pointee.by_number[Int(number)])
    return index < fields.count ? index : nil
  }

  private func scalar(_ reader: inout WireReader, _ field: heddle_field) -> JSONValue {
    switch Int(field.wire_class) {
    case HEDDLE_VARINT: return number(reader.varint(), field)
    case HEDDLE_FIXED32: return Self.number(Float(bitPattern: reader.fixed(UInt32.self)))
    case HEDDLE_FIXED64: return Self.number(Double(bitPattern: reader.fixed(UInt64.self)))
    case HEDDLE_TEXT: return .text(String(decoding: reader.block(), as: UTF8.self))
    default:
      let bytes = reader.block()
      if field.isID, let id = ThreadID(bytes: bytes) { return .text(id.description) }
      return .text(Base64.text(bytes))
    }
  }

  private func number(_ raw: UInt64, _ field: heddle_field) -> JSONValue {
    if field.isBool { return .bool(raw != 0) }
    if field.isEnum {
      let number = Int32(truncatingIfNeeded: raw)
      let known = SchemaTable.values(field).first { $0.number == number }
      return known.map { .text(String(cString: $0.name)) } ?? .number(String(number))
    }
    switch (field.isSigned, field.isWide) {
    case (true, true):
      let value = Int64(bitPattern: raw)
      return value.magnitude <= 1 << 53 ? .number(String(value)) : .text(String(value))
    case (true, false): return .number(String(Int32(truncatingIfNeeded: raw)))
    case (false, true): return raw <= 1 << 53 ? .number(String(raw)) : .text(String(raw))
    case (false, false): return .number(String(UInt32(truncatingIfNeeded: raw)))
    }
  }

  /// The shortest text that reads back as the same value.
  private static func number<T: BinaryFloatingPoint & LosslessStringConvertible>(_ value: T) -> JSONValue {
    if value.isNaN { return .text("NaN") }
    if value.isInfinite { return .text(value < 0 ? "-Infinity" : "Infinity") }
    let text = value.description
    return .number(text.hasSuffix(".0") ? String(text.dropLast(2)) : text)
  }
}

/// Walks along bytes that the pre-scan has accepted. Should it meet others all the same, it ends early; it never reads
/// beyond its bytes.
private struct WireReader {
  private let bytes: UnsafeRawBufferPointer
  private var at = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { at >= bytes.count }

  mutating func varint() -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while at < bytes.count, shift < 64 {
      let byte = bytes[at]
      at += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { break }
      shift += 7
    }
    return value
  }

  mutating func fixed<T: FixedWidthInteger>(_ type: T.Type) -> T {
    let width = MemoryLayout<T>.size
    guard bytes.count - at >= width else {
      at = bytes.count
      return 0
    }
    defer { at += width }
    return T(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: T.self))
  }

  mutating func block() -> UnsafeRawBufferPointer {
    let length = Int(min(varint(), UInt64(bytes.count - at)))
    defer { at += length }
    return UnsafeRawBufferPointer(rebasing: bytes[at..<at + length])
  }

  mutating func skip(_ wire: UInt64) {
    switch wire {
    case 0: _ = varint()
    case 1: _ = fixed(UInt64.self)
    case 2: _ = block()
    case 5: _ = fixed(UInt32.self)
    default: at = bytes.count
    }
  }
}
