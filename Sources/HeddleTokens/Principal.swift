// The owner of a credential, and the credential that a connection came in with.

/// The owner of a token or an identity.
public struct Principal: Equatable, Sendable {
  /// The credential that shows whose a caller is.
  public enum Witness: String, Sendable {
    /// There is no authentication.
    case nobody
    case token
    case webToken = "jwt"
    case certificate
    /// A header of a trusted proxy.
    case header
    /// A PROXY header of a trusted sender.
    case proxy
  }

  public var tenant: String
  /// May call methods for operators.
  public var isAdmin: Bool
  /// The subject of a web token, or an identity; nil: the credential has no name.
  public var name: String?
  public var via = Witness.token

  /// Visible ASCII: names that look alike, or that differ in bytes and compare equal, cannot be two tenants.
  public static func isTenant(_ name: String) -> Bool {
    (1...256).contains(name.utf8.count) && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// Compares bytes: names that differ in bytes are equal to Swift if they are the same text.
  package func isOf(_ other: String) -> Bool { tenant.utf8.elementsEqual(other.utf8) }
}

/// The credential that a connection came in with, without the token itself.
package struct Credential: Equatable, Sendable {
  package enum Proof: Equatable, Sendable {
    /// There is no authentication.
    case none
    case token
    /// Signed with the key of this digest.
    case key([UInt8])
    case identity(WorkloadIdentity)
  }

  package var principal: Principal
  var proof: Proof
  /// SHA-256 of the token, if there is one: the same one need not be checked again.
  package var digest: [UInt8] = []
  /// The end of a web token, in milliseconds since 1970, the leeway included.
  package var expiresAt: Int64?
  /// The identities of the connection beside it.
  package var peer: PeerIdentity

  /// Without authentication; a certificate counts all the same.
  package static func everybody(_ peer: PeerIdentity) -> Credential {
    Credential(
      principal: Principal(
        tenant: "default", isAdmin: true, name: peer.certificate?.identity?.text,
        via: peer.certificate == nil ? .nobody : .certificate),
      proof: .none, peer: peer)
  }

  /// The token and the certificate have not run out, and the certificate's authority is still trusted.
  package func isCurrent(at now: Int64) -> Bool {
    if let expiresAt, now >= expiresAt { return false }
    return peer.certificate?.isCurrent(at: now) ?? true
  }
}
