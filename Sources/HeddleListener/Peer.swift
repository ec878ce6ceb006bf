// The other end of a connection, as its listener knows it before the first byte of the door's protocol.

import HeddleTokens

package struct Peer: Sendable {
  /// The client's address: the socket's, or the one that a trusted PROXY header names.
  package var address: String
  /// The identities of the connection itself. Doors with headers add the forwarded one for each call.
  package var identity = PeerIdentity()
  /// Headers of this peer that name an identity are believed.
  package var isTrustedProxy = false
  package var isEncrypted = false

  package init(address: String) { self.address = address }
}
