// The kind of event that a frame holds, and its number, out of its first bytes: nothing else of it is looked at.

import HeddleCapture
import HeddleCore
import HeddleProtocol

struct EventPeek {
  /// Fields of SubscriptionEvent; of numbered events 100 and the field in Event.
  static let subscribed: UInt16 = 1
  static let delta: UInt16 = 3
  static let snapshot: UInt16 = 4
  static let live: UInt16 = 5
  static let progress: UInt16 = 6
  static let status: UInt16 = 7
  static let checkpoint: UInt16 = 121
  static let modelRetried: UInt16 = 123
  static let turnEnded: UInt16 = 125

  var kind: UInt16
  /// Of numbered events.
  var sequence: UInt64?

  init?(_ bytes: UnsafeRawBufferPointer) {
    var reader = WireReader(bytes)
    guard let (number, wire) = reader.tag(), wire == 2, let block = reader.block() else { return nil }
    kind = UInt16(clamping: number)
    guard number == 2 else { return }
    var event = WireReader(bytes, in: block)
    while let (number, wire) = event.tag() {
      if number == 1, wire == 0 {
        sequence = event.varint()
      } else if number >= 10 {
        kind = 100 + UInt16(clamping: min(number, 1000))
        return
      } else if !event.skip(wire) {
        return nil
      }
    }
  }

  /// How often these come depends on time, not on what happened.
  static func isTimely(_ kind: UInt16) -> Bool {
    switch kind {
    case delta, snapshot, progress, status, checkpoint, modelRetried: true
    default: false
    }
  }

  /// Names of the kinds, as the schema has them: `turn_ended`, `live`.
  static func name(_ kind: UInt16) -> String {
    let inner = kind >= 100
    guard let shape = SchemaTable.shape(inner ? Event.schemaIndex : SubscriptionEvent.schemaIndex),
      let field = shape.field(UInt64(inner ? kind - 100 : kind))
    else { return "\(kind)" }
    return field.name
  }
}
