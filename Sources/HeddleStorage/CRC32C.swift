// CRC32C (Castagnoli), the checksum of every stored event, snapshot and row (Store.P9).

import CCRC32C

/// A checksum under way. `value` may be read at any time.
package struct CRC32C {
  @usableFromInline package var value: UInt32 = 0

  @inlinable package init() {}

  @inlinable package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    value = heddle_crc32c(value, bytes.baseAddress, bytes.count)
  }

  /// Adds the integer's eight bytes, least significant first.
  @inlinable package mutating func add(_ integer: UInt64) {
    withUnsafeBytes(of: integer.littleEndian) { add($0) }
  }
}
