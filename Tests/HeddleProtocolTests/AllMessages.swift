// Every message of the schema as a sample. A sample fills every field with a value of its own, so that a field
// that is mixed up with another one, or lost, shows.

import CHeddleProtocol
import HeddleCore
import HeddleJSON

@testable import HeddleProtocol

enum AllMessages {
  /// JSON of the message with every field set. Of each oneof the member number `variant`, counted around.
  static func sample(_ schema: UInt16, variant: Int = 0) -> JSONValue {
    guard let message = SchemaTable.message(schema) else { return .null }
    let fields = SchemaTable.fields(message)
    var members: [JSONValue.Member] = []
    for field in fields {
      let siblings = fields.filter { $0.oneof != 0 && $0.oneof == field.oneof }
      if !siblings.isEmpty, siblings[variant % siblings.count].number != field.number { continue }
      let value = sample(field, variant)
      members.append(.init(field.fieldName, field.isRepeated ? .list([value, value]) : value))
    }
    return .object(members)
  }

  /// How many variants show every member of every oneof of the message itself.
  static func variants(_ schema: UInt16) -> Int {
    guard let message = SchemaTable.message(schema) else { return 0 }
    let groups = Dictionary(grouping: SchemaTable.fields(message).filter { $0.oneof != 0 }, by: \.oneof)
    return groups.values.map(\.count).max() ?? 1
  }

  private static func sample(_ field: heddle_field, _ variant: Int) -> JSONValue {
    switch Int(field.wire_class) {
    case HEDDLE_MESSAGE: return sample(field.target, variant: variant)
    case HEDDLE_TEXT: return .text("\(field.fieldName) é€😀 \"\\\n")
    case HEDDLE_BYTES where field.isID: return .text(ThreadID(high: UInt64(field.number), low: .max).description)
    case HEDDLE_BYTES: return .text("AAH/")
    case HEDDLE_FIXED32: return .number("0.7")
    default:
      if field.isBool { return .bool(true) }
      if field.isEnum, let last = SchemaTable.values(field).last { return .text(String(cString: last.name)) }
      if field.isSigned { return .number("-\(field.number)") }
      return .number("\(1000 + Int(field.number))")
    }
  }
}
