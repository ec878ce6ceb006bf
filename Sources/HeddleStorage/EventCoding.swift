// Between `StoredEvent` and a row of `events`, checksum included (P9).
//
// CRC32C over: thread (high, low), sequence, kind, ordinal, at, each as 8 bytes least significant first, then the
// payload. For a snapshot: thread, sequence, payload. What finds a row is covered too, so bytes that wander to another
// thread or number are found out.

import HeddleCore

extension StoredEvent {
  /// The columns of `events` in the order that `init(_:owner:)` reads.
  static let columns = "seq, kind, ordinal, at, crc, payload"

  func checksum(owner: ThreadID) -> UInt32 {
    payload.withUnsafeBytes { Self.checksum(owner, sequence, kind, ordinal, at, $0) }
  }

  /// Reads the row that the statement stands on; nil if its checksum is wrong.
  init?(_ row: SQLiteStatement, owner: ThreadID) {
    let sequence = row.number(0)
    let kind = UInt8(truncatingIfNeeded: row.integer(1))
    let ordinal = row.number(2)
    let at = row.integer(3)
    let stored = row.integer(4)
    let payload: [UInt8]? = row.withBytes(5) { bytes in
      Int64(Self.checksum(owner, sequence, kind, ordinal, at, bytes)) == stored ? [UInt8](bytes) : nil
    }
    guard let payload else { return nil }
    self.init(sequence: sequence, kind: kind, ordinal: ordinal, at: at, payload: payload)
  }

  private static func checksum(
    _ owner: ThreadID, _ sequence: UInt64, _ kind: UInt8, _ ordinal: UInt64, _ at: Int64,
    _ payload: UnsafeRawBufferPointer
  ) -> UInt32 {
    var crc = CRC32C()
    // One piece of memory, added in one go.
    let head = (
      owner.high.littleEndian, owner.low.littleEndian, sequence.littleEndian, UInt64(kind).littleEndian,
      ordinal.littleEndian, at.littleEndian
    )
    withUnsafeBytes(of: head) { crc.add($0) }
    crc.add(payload)
    return crc.value
  }
}

/// A snapshot as it is stored.
struct StoredSnapshot {
  var sequence: UInt64
  var payload: [UInt8]

  static let columns = "seq, crc, payload"

  static func checksum(_ thread: ThreadID, _ sequence: UInt64, _ payload: UnsafeRawBufferPointer) -> UInt32 {
    var crc = CRC32C()
    crc.add(thread.high)
    crc.add(thread.low)
    crc.add(sequence)
    crc.add(payload)
    return crc.value
  }
}

extension StoredSnapshot {
  /// Reads the row that the statement stands on.
  init(_ row: SQLiteStatement, thread: ThreadID) throws(StoreError) {
    let sequence = row.number(0)
    let stored = row.integer(1)
    let payload: [UInt8]? = row.withBytes(2) { bytes in
      Int64(Self.checksum(thread, sequence, bytes)) == stored ? [UInt8](bytes) : nil
    }
    guard let payload else { throw .damaged(thread: thread, sequence: sequence) }
    self.init(sequence: sequence, payload: payload)
  }
}
