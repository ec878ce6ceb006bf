// The names that a connection has beside a token.

import Crypto
import Foundation
import Synchronization

/// The identities of a peer, each from another witness.
package struct PeerIdentity: Equatable, Sendable {
  /// The client's own certificate.
  package var certificate: PeerCertificate?
  /// From a header that a trusted proxy set.
  package var forwarded: WorkloadIdentity?
  /// From the PROXY header of a trusted sender.
  package var proxied: WorkloadIdentity?
  /// A trusted proxy named an identity that cannot be one (attacks.md T16).
  package var isInvalid = false

  package init() {}
}

/// A certificate that a client has shown, and that a certificate authority of ours has signed.
package struct PeerCertificate: Equatable, Sendable {
  /// Nil: the certificate has no name that counts.
  package var identity: WorkloadIdentity?
  /// SHA-256 of the certificate, to which a web token may be bound (RFC 8705, 3).
  package var digest: [UInt8]
  /// Milliseconds since 1970.
  package var expiresAt: Int64
  package var authority: TrustedAuthority

  package init(
    _ identity: WorkloadIdentity?, certificate bytes: [UInt8], expiresAt: Int64, by authority: TrustedAuthority
  ) {
    self.identity = identity
    digest = Array(SHA256.hash(data: Data(bytes)))
    self.expiresAt = expiresAt
    self.authority = authority
  }

  package func isCurrent(at now: Int64) -> Bool { now < expiresAt && authority.isTrusted }
}

/// A certificate authority, shared by all connections whose certificates it has signed: one word tells them that it is
/// not trusted any more.
package final class TrustedAuthority: Equatable, Sendable {
  private let trusted = Atomic(true)

  package init() {}

  package var isTrusted: Bool { trusted.load(ordering: .relaxed) }
  package func distrust() { trusted.store(false, ordering: .relaxed) }

  package static func == (a: TrustedAuthority, b: TrustedAuthority) -> Bool { a === b }
}
