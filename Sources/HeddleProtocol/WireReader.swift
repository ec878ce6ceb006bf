// The one cursor over the bytes of messages. The bytes were written by others: every step says whether there was something
// to read, and none reads beyond the end.
//
//   tag       5 bytes at most, field number 1 … 2^29 - 1
//   varint    64 bits at most: what a tenth byte has room for and no more (attacks.md P5)
//   block     a length of 5 bytes at most, within the bytes that are left
//
// The pre-scan of every request reads with it, so it is inlined there: values, no closures, no generics.

@frozen public struct WireReader {
  public let bytes: UnsafeRawBufferPointer
  public var at: Int
  public let end: Int

  @inlinable public init(_ bytes: UnsafeRawBufferPointer, from start: Int = 0, to end: Int? = nil) {
    self.bytes = bytes
    self.end = min(end ?? bytes.count, bytes.count)
    at = min(start, self.end)
  }

  /// The bytes of a block that `block()` has found.
  @inlinable public init(_ bytes: UnsafeRawBufferPointer, in block: Range<Int>) {
    self.init(bytes, from: block.lowerBound, to: block.upperBound)
  }

  @inlinable public var isAtEnd: Bool { at >= end }

  @inline(__always)
  @inlinable public mutating func varint(maximumBytes: Int = 10) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    for index in 0..<maximumBytes {
      guard at < end else { return nil }
      let byte = bytes[at]
      at &+= 1
      // Anything above the one bit that a tenth byte has room for would be cut silently.
      if index == 9 && byte > 1 { return nil }
      value |= UInt64(byte & 0x7F) &<< shift
      if byte < 0x80 { return value }
      shift &+= 7
    }
    return nil
  }

  @inline(__always)
  @inlinable public mutating func tag() -> (number: UInt64, wire: UInt8)? {
    guard let tag = varint(maximumBytes: 5) else { return nil }
    let number = tag >> 3
    guard number >= 1, number < 1 << 29 else { return nil }
    return (number, UInt8(truncatingIfNeeded: tag & 7))
  }

  /// The place of a length-delimited value's bytes.
  @inline(__always)
  @inlinable public mutating func block() -> Range<Int>? {
    guard let length = varint(maximumBytes: 5), length <= UInt64(end - at) else { return nil }
    let start = at
    at += Int(length)
    return start..<at
  }

  /// A little-endian number of fixed width.
  @inlinable public mutating func fixed<T: FixedWidthInteger>(_ type: T.Type) -> T? {
    let start = at
    guard advance(MemoryLayout<T>.size) else { return nil }
    return T(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: T.self))
  }

  /// Steps over a value; false for one that is cut off, for groups (3, 4) and for wire types that do not exist (6, 7).
  @inlinable public mutating func skip(_ wire: UInt8) -> Bool {
    switch wire {
    case 0: varint() != nil
    case 1: advance(8)
    case 2: block() != nil
    case 5: advance(4)
    default: false
    }
  }

  @inline(__always)
  @inlinable public mutating func advance(_ count: Int) -> Bool {
    guard end - at >= count else { return false }
    at += count
    return true
  }
}
