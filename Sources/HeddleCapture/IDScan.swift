// Finds the ids in a message by the schema's options, without decoding it. A place is a number made of the field numbers
// and list positions on the way: the same in two messages of one shape, whatever else they hold.

import HeddleCore
import HeddleProtocol

/// An id of any kind: its 16 bytes.
public struct WireID: Identifier {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }
}

public struct FoundID: Equatable {
  public var id: WireID
  /// `IdKind` of options.proto.
  public var kind: UInt8
  /// The place in the message: equal in messages of equal shape.
  public var place: UInt64
  /// Offset of the 16 bytes in the bytes that were scanned; of an epoch, where its number begins.
  public var offset: Int
  public var count = 16
}

/// A position in a list, passed on from one page to the next: as opaque as an id, but of any length.
public struct FoundCursor: Equatable {
  public var text: [UInt8]
  /// The bytes of its length and of the field itself.
  public var field: Range<Int>
}

public enum IDScan {
  public static let threadKind: UInt8 = 1
  public static let keyKind: UInt8 = 6
  /// Of epochs, which the options do not know: `IdKind` is for 16 bytes.
  public static let epochKind: UInt8 = 255

  private static func epoch(_ value: UInt64) -> WireID { WireID(high: .max, low: value) }

  /// The ids of a message. `base` is added to offsets.
  public static func ids(_ bytes: UnsafeRawBufferPointer, schema: UInt16, base: Int = 0, _ found: (FoundID) -> Void) {
    guard let shape = SchemaTable.shape(schema), shape.holdsIDs else { return }
    walk(bytes, 0..<bytes.count, shape, base, place: UInt64(schema) &* 0x9E37_79B9_7F4A_7C15, depth: 0, found)
  }

  /// The same for a frame: metadata and message.
  public static func all(_ header: FrameHeader, _ body: UnsafeRawBufferPointer, fromClient: Bool) -> [FoundID] {
    var out = [FoundID]()
    let cut = min(Int(header.metadataLength), body.count)
    if cut > 0 {
      ids(UnsafeRawBufferPointer(rebasing: body[..<cut]), schema: FrameMessages.metadata) { out.append($0) }
    }
    if let schema = FrameMessages.schema(header, fromClient: fromClient) {
      ids(UnsafeRawBufferPointer(rebasing: body[cut...]), schema: schema, base: cut) { out.append($0) }
    }
    return out
  }

  private static func walk(
    _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ shape: MessageShape, _ base: Int, place: UInt64,
    depth: Int, _ found: (FoundID) -> Void
  ) {
    guard depth < 32 else { return }
    var reader = WireReader(bytes, in: range)
    var position: UInt64 = 0
    var last: UInt64 = 0
    while !reader.isAtEnd {
      guard let (number, wire) = reader.tag() else { return }
      position = number == last ? position + 1 : 0
      last = number
      let field = shape.field(number)
      let here = mix(place, number << 20 | (field?.isRepeated == true ? position : 0))
      guard wire == 2 else {
        let start = reader.at
        if wire == 0, field?.isEpoch == true {
          guard let value = reader.varint() else { return }
          found(
            FoundID(
              id: epoch(value), kind: epochKind, place: here, offset: base + start, count: reader.at - start))
          continue
        }
        guard reader.skip(wire) else { return }
        continue
      }
      guard let block = reader.block() else { return }
      guard let field else { continue }
      switch field.content {
      case .bytes where field.idKind != 0 && block.count == 16:
        let id = WireID(
          high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: block.lowerBound, as: UInt64.self)),
          low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: block.lowerBound + 8, as: UInt64.self)))
        found(FoundID(id: id, kind: field.idKind, place: here, offset: base + block.lowerBound))
      case .message(let target):
        guard let inner = SchemaTable.shape(target), inner.holdsIDs else { continue }
        walk(bytes, block, inner, base, place: here, depth: depth + 1, found)
      default: continue
      }
    }
  }

  private static func mix(_ place: UInt64, _ step: UInt64) -> UInt64 {
    var value = place ^ (step &* 0xBF58_476D_1CE4_E5B9)
    value = (value ^ value >> 31) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 29
  }

  /// The place of the hash of an action, in a question of the server or in the answer to it: 32 bytes of the first level.
  public static func actionHash(_ bytes: UnsafeRawBufferPointer, schema: UInt16) -> Range<Int>? {
    guard let wanted = SchemaTable.shape(schema)?.fields.first(where: { $0.name == "action_hash" }) else { return nil }
    var reader = WireReader(bytes)
    while let (number, wire) = reader.tag() {
      guard wire == 2 else {
        guard reader.skip(wire) else { return nil }
        continue
      }
      guard let block = reader.block() else { return nil }
      if number == UInt64(wanted.number) { return block.count == 32 ? block : nil }
    }
    return nil
  }

  /// The cursor of a list, asked or answered: the schema has it as a text of the first level named so.
  public static func cursor(_ bytes: UnsafeRawBufferPointer, schema: UInt16) -> FoundCursor? {
    guard let shape = SchemaTable.shape(schema),
      let wanted = shape.fields.first(where: { $0.name == "cursor" || $0.name == "next_cursor" })
    else { return nil }
    var reader = WireReader(bytes)
    while !reader.isAtEnd {
      guard let (number, wire) = reader.tag() else { return nil }
      guard wire == 2 else {
        guard reader.skip(wire) else { return nil }
        continue
      }
      let start = reader.at
      guard let block = reader.block() else { return nil }
      if number == UInt64(wanted.number), !block.isEmpty {
        return FoundCursor(text: Array(bytes[block]), field: start..<block.upperBound)
      }
    }
    return nil
  }
}
