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
//
// The canonical style is the JSON form of proto3, as other implementations write and read it: names in lowerCamelCase,
// 64-bit integers as text, enum values with their prefix, ids as base64.

import CHeddleProtocol
import HeddleCore
import HeddleJSON

public struct JSONTranscoder {
  /// The look of a message as JSON.
  public enum Style: Sendable {
    /// For people: the table above.
    case plain
    /// The JSON form of proto3.
    case canonical
  }

  /// The text in place of a redacted field's own.
  public static let redacted = "…"

  /// The JSON text of a message. Unknown fields are left out; `redact` hides every field that is marked sensitive.
  public static func json(
    _ bytes: [UInt8], schema: UInt16, pretty: Bool = false, redact: Bool = false, style: Style = .plain
  ) throws(DecodeError) -> String {
    try value(bytes, schema: schema, redact: redact, style: style).written(pretty: pretty)
  }

  /// The same as a value.
  public static func value(
    _ bytes: [UInt8], schema: UInt16, redact: Bool = false, style: Style = .plain
  ) throws(DecodeError) -> JSONValue {
    guard let message = SchemaTable.message(schema) else { throw .malformed }
    let form = WireObject.Form(redact: redact, isCanonical: style == .canonical)
    // Behind the pre-scan the walk below meets only well-formed bytes, and nothing in it can fail. The bytes were
    // stored or recorded before, so a stranger's counts do not hold for them: every stored thread can be printed.
    let scanned: Result<JSONValue, DecodeError> = bytes.withUnsafeBytes { raw in
      do throws(DecodeError) {
        var scan = PreScan(limits: .trusted)
        try scan.check(raw, schema: schema)
        var object = WireObject(message, form)
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
  public static func wire(
    _ value: JSONValue, schema: UInt16, style: Style = .plain
  ) throws(JSONError) -> [UInt8] {
    guard let message = SchemaTable.message(schema) else { throw JSONError(.path("\(schema)"), "no such message") }
    var writer = WireWriter(style)
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

  struct Form {
    var redact: Bool
    var isCanonical: Bool
  }

  private let message: UnsafePointer<heddle_message>
  private let fields: UnsafeBufferPointer<heddle_field>
  private let form: Form
  private var slots: [Slot]

  init(_ message: UnsafePointer<heddle_message>, _ form: Form) {
    self.message = message
    self.form = form
    fields = SchemaTable.fields(message)
    slots = Array(repeating: Slot(), count: fields.count)
  }

  var json: JSONValue {
    var members = [JSONValue.Member]()
    let names = SchemaTable.names(message)
    for (index, slot) in slots.enumerated() {
      let value = slot.inner.first?.json ?? slot.single ?? (slot.list.isEmpty ? nil : .list(slot.list))
      if let value { members.append(JSONValue.Member(form.isCanonical ? names.json[index] : names.own[index], value)) }
    }
    return .object(members)
  }

  /// The pre-scan has accepted the bytes. Should it meet others all the same, it ends early.
  mutating func merge(_ bytes: UnsafeRawBufferPointer) {
    var reader = WireReader(bytes)
    while let (number, wire) = reader.tag(), merge(number, wire, &reader) {}
  }

  private mutating func merge(_ key: UInt64, _ wire: UInt8, _ reader: inout WireReader) -> Bool {
    guard let index = index(of: key) else { return reader.skip(wire) }
    let field = fields[index]
    clearSiblings(of: index)
    if form.redact && field.isSensitive {
      slots[index].single = .text(JSONTranscoder.redacted)
      return reader.skip(wire)
    }
    if Int(field.wire_class) == HEDDLE_MESSAGE {
      guard let block = reader.block() else { return false }
      mergeMessage(UnsafeRawBufferPointer(rebasing: reader.bytes[block]), field, index)
    } else if Int(field.wire_class) == HEDDLE_VARINT && wire == 2 {
      guard let block = reader.block() else { return false }
      var packed = WireReader(reader.bytes, in: block)
      while let value = packed.varint() { slots[index].list.append(number(value, field)) }
    } else {
      guard let value = scalar(&reader, field) else { return false }
      if field.isRepeated { slots[index].list.append(value) } else { slots[index].single = value }
    }
    return true
  }

  private mutating func mergeMessage(_ bytes: UnsafeRawBufferPointer, _ field: heddle_field, _ index: Int) {
    guard let target = SchemaTable.message(field.target) else { return }
    if field.isRepeated {
      var element = WireObject(target, form)
      element.merge(bytes)
      slots[index].list.append(element.json)
    } else {
      if slots[index].inner.isEmpty { slots[index].inner.append(WireObject(target, form)) }
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

  private func scalar(_ reader: inout WireReader, _ field: heddle_field) -> JSONValue? {
    switch Int(field.wire_class) {
    case HEDDLE_VARINT: return reader.varint().map { number($0, field) }
    case HEDDLE_FIXED32: return reader.fixed(UInt32.self).map { Self.number(Float(bitPattern: $0)) }
    case HEDDLE_FIXED64: return reader.fixed(UInt64.self).map { Self.number(Double(bitPattern: $0)) }
    default:
      guard let block = reader.block() else { return nil }
      let bytes = reader.bytes[block]
      if Int(field.wire_class) == HEDDLE_TEXT { return .text(String(decoding: bytes, as: UTF8.self)) }
      if !form.isCanonical, field.isID, let id = ThreadID(bytes: bytes) { return .text(id.description) }
      return .text(Base64.text(bytes))
    }
  }

  private func number(_ raw: UInt64, _ field: heddle_field) -> JSONValue {
    if field.isBool { return .bool(raw != 0) }
    if field.isEnum {
      let number = Int32(truncatingIfNeeded: raw)
      let known = SchemaTable.values(field).first { $0.number == number }
      let prefix = form.isCanonical ? SchemaTable.prefix(field) : ""
      return known.map { .text(prefix + String(cString: $0.name)) } ?? .number(String(number))
    }
    if form.isCanonical, field.isWide { return .text(field.isSigned ? String(Int64(bitPattern: raw)) : String(raw)) }
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
