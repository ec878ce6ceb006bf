// A cursor over the bytes of a message. A peer has written them: every step says whether there was something to read,
// and none reads beyond the bytes.

@frozen public struct WireReader {
  public let bytes: UnsafeRawBufferPointer
  public var at: Int
  public let end: Int

  @inlinable public init(_ bytes: UnsafeRawBufferPointer, from start: Int = 0, to end: Int? = nil) {
    self.bytes = bytes
    self.end = min(end ?? bytes.count, bytes.count)
    at = min(start, self.end)
  }

  @inlinable public var isAtEnd: Bool { at >= end }

  @inlinable public mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while at < end, shift < 64 {
      let byte = bytes[at]
      at += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  @inlinable public mutating func tag() -> (number: UInt64, wire: UInt8)? {
    guard let tag = varint(), tag >> 3 != 0 else { return nil }
    return (tag >> 3, UInt8(tag & 7))
  }

  /// The place of a length-delimited value's bytes.
  @inlinable public mutating func block() -> Range<Int>? {
    guard let length = varint(), length <= UInt64(end - at) else { return nil }
    let start = at
    at += Int(length)
    return start..<at
  }

  @inlinable public mutating func skip(_ wire: UInt8) -> Bool {
    switch wire {
    case 0: return varint() != nil
    case 1: return advance(8)
    case 2: return block() != nil
    case 5: return advance(4)
    default: return false
    }
  }

  @inlinable mutating func advance(_ count: Int) -> Bool {
    guard end - at >= count else { return false }
    at += count
    return true
  }
}

extension [UInt8] {
  public mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
