// A singular message may stand in several pieces, which are one message (attacks.md P12, P13). protobuf-c 1.4.1 merges
// them itself, and gets it wrong: an empty text in the later piece does not replace the earlier one, a choice that
// neither piece makes fails the whole message, and of a choice made twice with the same message only the last piece
// stays (found by comparison with Google's parser, make differential). So it never sees pieces: their bytes behind each
// other are the whole, by the definition of the encoding, and are put together here first. Only messages in which the
// pre-scan found pieces come this way.
//
// J1  The bytes have passed the pre-scan. Bytes that cannot be read all the same are left as they were.
// J2  Each byte of content is copied once for each message that it is in: linear, whatever the pieces.

import CHeddleProtocol

struct SubmessageMerger {
  private var reader: WireReader
  private var out: [UInt8] = []
  /// Singular messages found so far, by their place among the fields. They are written behind everything else.
  private var pieces: [(index: Int, content: [UInt8])] = []

  private init(_ bytes: UnsafeRawBufferPointer) {
    reader = WireReader(bytes)
    out.reserveCapacity(bytes.count + 16)
  }

  /// The same message with every singular message in one piece.
  static func merge(_ bytes: UnsafeRawBufferPointer, schema: UInt16) -> [UInt8] {
    guard let message = SchemaTable.message(schema) else { return [UInt8](bytes) }
    return merge(bytes, message)
  }

  private static func merge(_ bytes: UnsafeRawBufferPointer, _ message: UnsafePointer<heddle_message>) -> [UInt8] {
    var merger = SubmessageMerger(bytes)
    return merger.run(message) ? merger.out : [UInt8](bytes)
  }

  private mutating func run(_ message: UnsafePointer<heddle_message>) -> Bool {
    let fields = SchemaTable.fields(message)
    while !reader.isAtEnd {
      let start = reader.at
      guard let (number, wire) = reader.tag() else { return false }
      let index = fields.firstIndex { UInt64($0.number) == number }
      // A member of a choice ends what another one of it said; protobuf-c sees to those that are no messages.
      if let index, fields[index].oneof != 0 {
        pieces.removeAll { $0.index != index && fields[$0.index].oneof == fields[index].oneof }
      }
      guard let index, Int(fields[index].wire_class) == HEDDLE_MESSAGE, wire == 2 else {
        guard reader.skip(wire) else { return false }
        out += reader.bytes[start..<reader.at]
        continue
      }
      guard let block = reader.block() else { return false }
      let field = fields[index]
      let inner = UnsafeRawBufferPointer(rebasing: reader.bytes[block])
      if field.isRepeated {
        write(Self.merge(inner, schema: field.target), of: field)
      } else if let known = pieces.firstIndex(where: { $0.index == index }) {
        pieces[known].content += inner
      } else {
        pieces.append((index, [UInt8](inner)))
      }
    }
    for piece in pieces {
      let field = fields[piece.index]
      write(piece.content.withUnsafeBytes { Self.merge($0, schema: field.target) }, of: field)
    }
    return true
  }

  private mutating func write(_ content: [UInt8], of field: heddle_field) {
    out.appendVarint(UInt64(field.number) << 3 | 2)
    out.appendVarint(UInt64(content.count))
    out += content
  }
}
