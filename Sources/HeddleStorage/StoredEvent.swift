// An event as a store keeps it, with its checksum (Store.P9).
//
// CRC32C over: thread (high, low), sequence, kind, ordinal, at, each as 8 bytes least significant first, then the
// payload. The values that find a row are covered too, so bytes that wander to another thread or number are found out.

import HeddleCore

/// One event as it is stored: its wire encoding and the few values that are searched.
public struct StoredEvent: Equatable, Sendable {
  public var sequence: UInt64
  /// Field number of the member of `Event.kind`.
  public var kind: UInt8
  /// Ordinal of the turn it belongs to; 0: none.
  public var ordinal: UInt64
  /// Unix milliseconds.
  public var at: Int64
  /// The encoded `Event`.
  public var payload: [UInt8]

  public init(sequence: UInt64, kind: UInt8, ordinal: UInt64, at: Int64, payload: [UInt8]) {
    self.sequence = sequence
    self.kind = kind
    self.ordinal = ordinal
    self.at = at
    self.payload = payload
  }
}

extension StoredEvent {
  package func checksum(owner: ThreadID) -> UInt32 {
    payload.withUnsafeBytes { Self.checksum(owner, sequence, kind, ordinal, at, $0) }
  }

  package static func checksum(
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
