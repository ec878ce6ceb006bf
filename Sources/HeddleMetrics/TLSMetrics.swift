// The values of identities and of the certificates of doors. They change with reloads and refusals, which are rare.

import Synchronization

public final class IdentityMetrics: Sendable {
  /// Identities in headers, PROXY headers and certificates that were not accepted.
  public let refused = SharedValue()

  package init() {}
}

public final class TLSMetrics: Sendable {
  public let renewed = SharedValue()
  public let failed = SharedValue()
  private let ends = Mutex<[String: Int]>([:])

  package init() {}

  /// The certificate of a door runs out at this second since 1970.
  public func serves(_ door: String, until seconds: Int) { ends.withLock { $0[door] = seconds } }

  /// By door.
  var certificateEnds: [(door: String, seconds: Int)] {
    ends.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
  }
}
