// The schema table as plain Swift values, built once. Capture and replay walk along the bytes of messages by it,
// without decoding them.

import CHeddleProtocol

/// A field, as far as a walk over bytes needs it.
public struct FieldShape: Sendable {
  public enum Content: Sendable {
    case varint, fixed32, fixed64, text, bytes
    /// Its place in the table.
    case message(UInt16)
  }

  public let name: String
  public let number: UInt32
  public let content: Content
  public let isRepeated: Bool
  /// Holds text of people or models, or a secret.
  public let isSensitive: Bool
  /// The kind of the id in its 16 bytes (`IdKind` of options.proto); 0 for a field that is no id.
  public let idKind: UInt8
  /// Holds a thread's epoch: a number that the server made up, so as good as an id.
  public let isEpoch: Bool
}

/// A message, and whether a walk into it can find anything.
public struct MessageShape: Sendable {
  public let name: String
  public let fields: [FieldShape]
  /// An id or an epoch is in it, or in a message inside of it.
  public fileprivate(set) var holdsIDs = false
  /// The same for a sensitive field.
  public fileprivate(set) var holdsSensitive = false
  /// Place of a field by its number; -1: none.
  private let places: [Int16]

  fileprivate init(name: String, fields: [FieldShape]) {
    self.name = name
    self.fields = fields
    var places = [Int16](repeating: -1, count: Int(fields.map(\.number).max() ?? 0) + 1)
    for (index, field) in fields.enumerated() { places[Int(field.number)] = Int16(clamping: index) }
    self.places = places
  }

  public func field(_ number: UInt64) -> FieldShape? {
    guard number < UInt64(places.count) else { return nil }
    let place = Int(places[Int(number)])
    return place < 0 ? nil : fields[place]
  }
}

extension SchemaTable {
  /// Every message, in the order of the table.
  public static let shapes: [MessageShape] = {
    var shapes = (0..<heddle_schema_message_count).map { index in
      MessageShape(
        name: messageName(index) ?? "", fields: message(index).map { fields($0).map(FieldShape.init) } ?? [])
    }
    // The schema has no recursion, so as many rounds as messages nest are enough; a round that changes nothing ends it.
    var changed = true
    while changed {
      changed = false
      for index in shapes.indices {
        let ids = shapes[index].fields.contains { field in
          field.idKind != 0 || field.isEpoch || target(field).map { shapes[$0].holdsIDs } == true
        }
        let sensitive = shapes[index].fields.contains { field in
          field.isSensitive || target(field).map { shapes[$0].holdsSensitive } == true
        }
        if ids != shapes[index].holdsIDs || sensitive != shapes[index].holdsSensitive {
          shapes[index].holdsIDs = ids
          shapes[index].holdsSensitive = sensitive
          changed = true
        }
      }
    }
    return shapes
  }()

  public static func shape(_ schema: UInt16) -> MessageShape? {
    Int(schema) < shapes.count ? shapes[Int(schema)] : nil
  }

  private static func target(_ field: FieldShape) -> Int? {
    if case .message(let index) = field.content { Int(index) } else { nil }
  }
}

extension FieldShape {
  fileprivate init(_ field: heddle_field) {
    name = field.fieldName
    number = UInt32(field.number)
    isRepeated = field.isRepeated
    isSensitive = field.isSensitive
    idKind = field.isID ? field.id_kind : 0
    isEpoch = field.fieldName == "epoch"
    content =
      switch Int(field.wire_class) {
      case HEDDLE_FIXED32: .fixed32
      case HEDDLE_FIXED64: .fixed64
      case HEDDLE_TEXT: .text
      case HEDDLE_BYTES: .bytes
      case HEDDLE_MESSAGE: .message(field.target)
      default: .varint
      }
  }
}
