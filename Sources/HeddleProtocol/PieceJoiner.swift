// A singular message may stand in several pieces, which are one message (attacks.md P12, P13). protobuf-c 1.4.1 merges
// them itself, and gets it wrong: an empty text in the later piece does not replace the earlier one, a choice that
// neither piece makes fails the whole message, and of a choice made twice with the same message only the last piece
// stays (found by comparison with Google's parser, make differential). So it never sees pieces: their bytes behind each
// other are the whole, by the definition of the encoding, and are put together here first. Only messages in which the
// pre-scan found pieces come this way.
//
// J1  The bytes have passed the pre-scan. What cannot be read all the same is left as it was.
// J2  Each byte of content is copied once for each message that it is in: linear, whatever the pieces.

import CHeddleProtocol

struct PieceJoiner {
  private let bytes: UnsafeRawBufferPointer
  private var at = 0
  private var out: [UInt8] = []
  /// Singular messages found so far, by their place among the fields. They are written behind everything else.
  private var pieces: [(index: Int, content: [UInt8])] = []

  private init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    out.reserveCapacity(bytes.count + 16)
  }

  /// The same message with every singular message in one piece.
  static func join(_ bytes: UnsafeRawBufferPointer, schema: UInt16) -> [UInt8] {
    guard let message = SchemaTable.message(schema) else { return [UInt8](bytes) }
    return join(bytes, message)
  }

  private static func join(_ bytes: UnsafeRawBufferPointer, _ message: UnsafePointer<heddle_message>) -> [UInt8] {
    var joiner = PieceJoiner(bytes)
    return joiner.run(message) ? joiner.out : [UInt8](bytes)
  }

  private mutating func run(_ message: UnsafePointer<heddle_message>) -> Bool {
    let fields = SchemaTable.fields(message)
    while at < bytes.count {
      let start = at
      guard let tag = varint(), let content = content(wire: tag & 7) else { return false }
      guard let index = fields.firstIndex(where: { UInt64($0.number) == tag >> 3 }) else {
        out += bytes[start..<at]
        continue
      }
      let field = fields[index]
      // A member of a choice ends what another one of it said; protobuf-c sees to those that are no messages.
      if field.oneof != 0 { pieces.removeAll { $0.index != index && fields[$0.index].oneof == field.oneof } }
      guard Int(field.wire_class) == HEDDLE_MESSAGE else {
        out += bytes[start..<at]
        continue
      }
      let inner = UnsafeRawBufferPointer(rebasing: bytes[content])
      if field.isRepeated {
        write(Self.join(inner, schema: field.target), of: field)
      } else if let known = pieces.firstIndex(where: { $0.index == index }) {
        pieces[known].content += inner
      } else {
        pieces.append((index, [UInt8](inner)))
      }
    }
    for piece in pieces {
      let field = fields[piece.index]
      write(piece.content.withUnsafeBytes { Self.join($0, schema: field.target) }, of: field)
    }
    return true
  }

  /// Steps over a value. Where its content lies, without the length in front.
  private mutating func content(wire: UInt64) -> Range<Int>? {
    let start: Int
    let count: Int
    switch wire {
    case 0:
      start = at
      guard varint() != nil else { return nil }
      return start..<at
    case 1: (start, count) = (at, 8)
    case 5: (start, count) = (at, 4)
    case 2:
      guard let length = varint(), length <= UInt64(bytes.count - at) else { return nil }
      (start, count) = (at, Int(length))
    default: return nil
    }
    guard count <= bytes.count - start else { return nil }
    at = start + count
    return start..<at
  }

  private mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    for place in 0..<10 where at < bytes.count {
      let byte = bytes[at]
      at += 1
      value |= UInt64(byte & 0x7F) << UInt64(7 * place)
      if byte < 0x80 { return value }
    }
    return nil
  }

  private mutating func write(_ content: [UInt8], of field: heddle_field) {
    write(UInt64(field.number) << 3 | 2)
    write(UInt64(content.count))
    out += content
  }

  private mutating func write(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      out.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    out.append(UInt8(rest))
  }
}
