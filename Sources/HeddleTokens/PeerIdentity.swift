// The names that a connection has beside a token.

/// The identities of a peer, each from another witness.
package struct PeerIdentity: Equatable, Sendable {
  /// From the client's own certificate.
  package var certificate: WorkloadIdentity?
  /// From a header that a trusted proxy set.
  package var forwarded: WorkloadIdentity?
  /// From the PROXY header of a trusted sender.
  package var proxied: WorkloadIdentity?

  package init() {}
}
