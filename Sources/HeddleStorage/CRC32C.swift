// CRC32C (Castagnoli), the checksum of every stored event, snapshot, row and page (P9).

import CPageChecksums

/// A checksum under way. `value` may be read at any time.
struct CRC32C {
  private(set) var value: UInt32 = 0

  mutating func add(_ bytes: UnsafeRawBufferPointer) { value = heddle_crc32c(value, bytes.baseAddress, bytes.count) }

  /// Adds the integer's eight bytes, least significant first.
  mutating func add(_ integer: UInt64) {
    withUnsafeBytes(of: integer.littleEndian) { add($0) }
  }
}
