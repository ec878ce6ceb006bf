// The other end of a connection, as its listener knows it before the first byte of the door's protocol.

import HeddleCore
import HeddleMetrics
import HeddleTokens

package struct Peer: Sendable {
  /// The client's address: the socket's, or the one that a trusted PROXY header names.
  package var address: String
  /// The identities of the connection itself. Doors with headers add the forwarded one for each call, with
  /// `identity(xfcc:l5dClientID:)`.
  package var identity = PeerIdentity()
  /// Headers of this peer that name an identity are believed.
  package var isTrustedProxy = false
  package var isEncrypted = false
  /// The protocol that TLS agreed on, if the client named any.
  package var applicationProtocol: String?
  var rules = ForwardingRules()
  /// Counts identities that are not believed.
  var metrics: IdentityMetrics?

  package init(address: String) { self.address = address }

  /// The identities of one call: those of the connection, and the one that a trusted proxy put into a header of the call.
  /// Each list holds every value of its header. A header of anybody else is counted and means nothing (attacks.md T15).
  package func identity(xfcc: [String], l5dClientID: [String]) -> Result<PeerIdentity, Refusal> {
    guard !xfcc.isEmpty || !l5dClientID.isEmpty else { return .success(identity) }
    guard isTrustedProxy else {
      metrics?.refused.add(1)
      return .success(identity)
    }
    var all = identity
    switch rules.identity(xfcc: xfcc, l5dClientID: l5dClientID) {
    case .none: break
    case .named(let name): all.forwarded = name
    case .invalid:
      metrics?.refused.add(1)
      return .failure(Refusal(.invalidIdentity))
    }
    return .success(all)
  }
}
