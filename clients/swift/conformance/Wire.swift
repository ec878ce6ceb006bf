// The messages of conformance.proto as this driver needs them, over the wire's own reader: they are not a part of
// Heddle's schema.

import HeddleProtocol

/// The fields of a message, in their order.
struct Fields {
  enum Value {
    case number(UInt64)
    case bytes([UInt8])
  }

  private(set) var all: [(number: Int, value: Value)] = []

  init(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { raw in
      var reader = WireReader(raw)
      while !reader.isAtEnd, let tag = reader.tag() {
        if tag.wire == 0, let value = reader.varint() {
          all.append((Int(tag.number), .number(value)))
        } else if tag.wire == 2, let block = reader.block() {
          all.append((Int(tag.number), .bytes([UInt8](raw[block]))))
        } else {
          return
        }
      }
    }
  }

  func has(_ number: Int) -> Bool { all.contains { $0.number == number } }

  func number(_ number: Int) -> UInt64? {
    for case (number, .number(let value)) in all.reversed() { return value }
    return nil
  }

  func bytes(_ number: Int) -> [UInt8]? {
    for case (number, .bytes(let value)) in all.reversed() { return value }
    return nil
  }

  func text(_ number: Int) -> String { String(decoding: bytes(number) ?? [], as: UTF8.self) }

  func texts(_ number: Int) -> [String] {
    all.compactMap { field in
      guard field.number == number, case .bytes(let bytes) = field.value else { return nil }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  func fields(_ number: Int) -> Fields { Fields(bytes(number) ?? []) }
}

/// A message that is being written.
struct Written {
  private(set) var bytes: [UInt8] = []

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  func number(_ number: UInt64, _ value: UInt64) -> Written {
    var out = self
    out.varint(number << 3)
    out.varint(value)
    return out
  }

  func bytes(_ number: UInt64, _ value: some Collection<UInt8>) -> Written {
    var out = self
    out.varint(number << 3 | 2)
    out.varint(UInt64(value.count))
    out.bytes += value
    return out
  }

  func text(_ number: UInt64, _ value: String) -> Written { bytes(number, value.utf8) }

  func message(_ number: UInt64, _ value: Written) -> Written { bytes(number, value.bytes) }
}
