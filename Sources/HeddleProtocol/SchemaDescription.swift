// Descriptions of messages, fields and enums from the schema, in words for people: `heddle call METHOD --help` prints them.

import CHeddleProtocol
import HeddleCore

public struct SchemaField: Equatable, Sendable {
  public var name: String
  /// The kind of its JSON value: `text`, `UUID`, `list of ContentPart`, ….
  public var type: String
  public var comment: String
  /// Other fields of the message exclude it when they have the same number; 0: none.
  public var oneof: UInt8
  /// The message or enum that its value has as a type, if any.
  public var part: SchemaPart?
}

/// Something that has fields, or values, of its own: by its index in the schema table.
public enum SchemaPart: Hashable, Sendable {
  case message(UInt16)
  case enumeration(UInt16)
}

extension SchemaPart {
  /// Empty when the schema lacks it.
  public var name: String {
    switch self {
    case .message(let index): SchemaTable.messageName(index) ?? ""
    case .enumeration(let index): SchemaTable.enumeration(index).map { String(cString: $0.pointee.name) } ?? ""
    }
  }

  /// The comment of the message.
  public var comment: String {
    guard case .message(let index) = self, SchemaTable.message(index) != nil else { return "" }
    return String(cString: heddle_message_comment(index))
  }

  /// Fields of a message; an enum has none.
  public var fields: [SchemaField] {
    guard case .message(let index) = self, let message = SchemaTable.message(index) else { return [] }
    return SchemaTable.fields(message).enumerated().map { place, field in
      let comment = String(cString: heddle_field_comment(index, UInt16(clamping: place)))
      return SchemaField(
        name: field.fieldName, type: field.jsonType, comment: comment, oneof: field.oneof, part: field.part)
    }
  }

  /// Values of an enum but the one that says nothing, with their comments; a message has none.
  public var values: [(name: String, comment: String)] {
    guard case .enumeration(let index) = self, let enumeration = SchemaTable.enumeration(index) else { return [] }
    let values = UnsafeBufferPointer(start: enumeration.pointee.values, count: Int(enumeration.pointee.value_count))
    return values.enumerated().filter { $0.element.number != 0 }.map { place, value in
      (String(cString: value.name), String(cString: heddle_enum_value_comment(index, UInt16(clamping: place))))
    }
  }

  /// This one, then what its fields are made of, then what theirs are: each once, in the order of a reader.
  public var reached: [SchemaPart] {
    var found = [self]
    var at = 0
    while at < found.count {
      for part in found[at].fields.compactMap(\.part) where !found.contains(part) { found.append(part) }
      at += 1
    }
    return found
  }
}

extension Method {
  /// The comment of the method.
  public var comment: String { String(cString: heddle_method_comment(rawValue)) }
}

extension heddle_field {
  fileprivate var part: SchemaPart? {
    if Int(wire_class) == HEDDLE_MESSAGE { return .message(target) }
    return isEnum ? .enumeration(target) : nil
  }

  fileprivate var jsonType: String {
    let one =
      switch Int(wire_class) {
      case HEDDLE_MESSAGE: part?.name ?? ""
      case HEDDLE_VARINT: isBool ? "true or false" : isEnum ? part?.name ?? "" : "whole number"
      case HEDDLE_TEXT: "text"
      case HEDDLE_FIXED32, HEDDLE_FIXED64: "number"
      default: isID ? "UUID" : "base64"
      }
    return isRepeated ? "list of \(one)" : one
  }
}
