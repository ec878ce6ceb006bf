// The checksum of a row of threads, turns or keys: CRC32C over all its other columns, in order (Store.P9).
//
// An integer is its eight bytes, least significant first; a text or a blob is the number of its bytes as such an integer,
// then the bytes; NULL is -1. The values that find a row are covered too, as in StoredEvent.

import HeddleCore

package struct RowChecksum {
  @usableFromInline var crc = CRC32C()

  @inlinable package init() {}

  @inlinable package var value: Int64 { Int64(crc.value) }

  @inlinable package mutating func add(_ integer: Int64) { crc.add(UInt64(bitPattern: integer)) }
  /// As it is bound.
  @inlinable package mutating func add(_ number: UInt64) { add(Int64(clamping: number)) }
  @inlinable package mutating func add(_ flag: Bool) { add(flag ? 1 : 0 as Int64) }
  @inlinable package mutating func addNull() { add(-1 as Int64) }

  @inlinable package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    crc.add(UInt64(bytes.count))
    crc.add(bytes)
  }

  @inlinable package mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

  @inlinable package mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  @inlinable package mutating func add(_ id: some Identifier) {
    withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { add($0) }
  }

  @inlinable package mutating func add(_ id: (some Identifier)?) { if let id { add(id) } else { addNull() } }
}

/// A turn as a store keeps it.
package enum StoredTurn {
  package static func checksum(_ thread: ThreadID, _ ordinal: UInt64, _ id: TurnID, _ payload: [UInt8]) -> Int64 {
    var checksum = RowChecksum()
    checksum.add(thread)
    checksum.add(ordinal)
    checksum.add(id)
    checksum.add(payload)
    return checksum.value
  }
}
