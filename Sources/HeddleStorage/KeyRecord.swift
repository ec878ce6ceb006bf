// The result of a request with an idempotency key, as a store keeps it (Store.P7).

import HeddleCore

/// The stored result of a mutation that had an idempotency key.
public struct KeyRecord: Equatable, Sendable {
  /// How long a key without a thread is kept: seven days (durability.md D10).
  public static let threadlessMilliseconds: Int64 = 7 * 24 * 3600 * 1000

  public var tenant: String
  public var key: IdempotencyKey
  public var method: UInt16
  /// SHA-256 of the canonical request.
  public var requestHash: [UInt8]
  /// The thread it belongs to; nil for keys that outlive their thread (`ThreadService/Start`, `SetFeature`).
  public var thread: ThreadID?
  /// The encoded answer.
  public var response: [UInt8]
  /// Unix milliseconds.
  public var at: Int64

  public init(
    tenant: String, key: IdempotencyKey, method: UInt16, requestHash: [UInt8], thread: ThreadID?, response: [UInt8],
    at: Int64
  ) {
    self.tenant = tenant
    self.key = key
    self.method = method
    self.requestHash = requestHash
    self.thread = thread
    self.response = response
    self.at = at
  }
}

extension KeyRecord {
  package var checksum: Int64 {
    var checksum = RowChecksum()
    checksum.add(tenant)
    checksum.add(key)
    checksum.add(Int64(method))
    checksum.add(requestHash)
    checksum.add(thread)
    checksum.add(at)
    checksum.add(response)
    return checksum.value
  }
}
