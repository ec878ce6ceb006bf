// The schema table of CHeddleProtocol as Swift reads it. The table itself is generated C; its look-ups take an index on
// trust, so every index from outside goes through `message(_:)` here.

import CHeddleProtocol

public enum SchemaTable {
  /// First 8 bytes of the SHA-256 of the schema, in hexadecimal; the same text that ServerHello carries.
  public static var hash: String { String(cString: heddle_schema_hash()) }

  public static var messageCount: Int { Int(heddle_schema_message_count) }

  /// The message's name without its package, or nil beyond the table's end.
  public static func messageName(_ schema: UInt16) -> String? {
    message(schema).map { String(cString: $0.pointee.name) }
  }

  /// The place of a message in the table, or nil when the schema has no message of this name.
  public static func schema(named name: String) -> UInt16? {
    (0..<heddle_schema_message_count).first { messageName($0) == name }
  }

  /// Names of the message's fields as the .proto has them; empty beyond the table's end.
  public static func fieldNames(_ schema: UInt16) -> [String] {
    guard let message = message(schema) else { return [] }
    return fields(message).map(\.fieldName)
  }

  static func message(_ schema: UInt16) -> UnsafePointer<heddle_message>? {
    schema < heddle_schema_message_count ? heddle_schema_message(schema) : nil
  }

  /// The names of a message's fields, made once: comparing C's texts anew for each member would cost an allocation each.
  struct FieldNames: Sendable {
    var own: [String] = []
    /// In lowerCamelCase.
    var json: [String] = []
    /// The place of a field by either name.
    var places: [String: Int] = [:]

    init(_ fields: UnsafeBufferPointer<heddle_field>) {
      for (place, field) in fields.enumerated() {
        let name = field.fieldName
        let words = name.split(separator: "_")
        let camel = words.dropFirst().reduce(String(words.first ?? "")) {
          $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
        own.append(name)
        json.append(camel)
        places[camel] = place
      }
      for (place, name) in own.enumerated() { places[name] = place }
    }
  }

  /// By the message's place in memory.
  private static let names: [UInt: FieldNames] = {
    var names: [UInt: FieldNames] = [:]
    for schema in 0..<heddle_schema_message_count {
      guard let message = message(schema) else { continue }
      names[UInt(bitPattern: message)] = FieldNames(fields(message))
    }
    return names
  }()

  static func names(_ message: UnsafePointer<heddle_message>) -> FieldNames {
    names[UInt(bitPattern: message)] ?? FieldNames(fields(message))
  }

  static func fields(_ message: UnsafePointer<heddle_message>) -> UnsafeBufferPointer<heddle_field> {
    UnsafeBufferPointer(start: message.pointee.fields, count: Int(message.pointee.field_count))
  }

  /// The enum of a field that has `HEDDLE_ENUM`.
  static func values(_ field: heddle_field) -> UnsafeBufferPointer<heddle_enum_value> {
    guard let found = enumeration(field) else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(start: found.pointee.values, count: Int(found.pointee.value_count))
  }

  /// `TURN_STATUS_` of `TURN_STATUS_RUNNING`.
  static func prefix(_ field: heddle_field) -> String {
    enumeration(field).map { String(cString: $0.pointee.prefix) } ?? ""
  }

  private static func enumeration(_ field: heddle_field) -> UnsafePointer<heddle_enum>? { enumeration(field.target) }

  static func enumeration(_ index: UInt16) -> UnsafePointer<heddle_enum>? {
    index < heddle_schema_enum_count ? heddle_schema_enum(index) : nil
  }
}

extension heddle_field {
  var fieldName: String { String(cString: name) }
  var isRepeated: Bool { has(HEDDLE_REPEATED) }
  /// Absent and zero differ.
  var hasPresence: Bool { has(HEDDLE_PRESENCE) }
  var isSensitive: Bool { has(HEDDLE_SENSITIVE) }
  var isID: Bool { has(HEDDLE_ID) }
  var isSigned: Bool { has(HEDDLE_SIGNED) }
  var isBool: Bool { has(HEDDLE_BOOL) }
  var isEnum: Bool { has(HEDDLE_ENUM) }
  /// 64 bits rather than 32.
  var isWide: Bool { has(HEDDLE_WIDE) }

  private func has(_ flag: Int) -> Bool { Int(flags) & flag != 0 }
}
