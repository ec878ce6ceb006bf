// A thread's snapshot as a store keeps it. Its checksum is CRC32C over thread (high, low) and sequence, each as 8 bytes
// least significant first, and the payload.

import HeddleCore

/// An encoded `ThreadRecord`, and the event that it reaches to.
package struct StoredSnapshot: Equatable, Sendable {
  package var sequence: UInt64
  package var payload: [UInt8]

  package init(sequence: UInt64, payload: [UInt8]) {
    self.sequence = sequence
    self.payload = payload
  }

  package static func checksum(_ thread: ThreadID, _ sequence: UInt64, _ payload: UnsafeRawBufferPointer) -> UInt32 {
    var crc = CRC32C()
    crc.add(thread.high)
    crc.add(thread.low)
    crc.add(sequence)
    crc.add(payload)
    return crc.value
  }
}
