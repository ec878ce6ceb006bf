// The owner of a token, and the credential that a connection came in with.

/// The owner of a token.
public struct Principal: Hashable, Sendable {
  public var tenant: String
  /// May call methods for operators.
  public var isAdmin: Bool

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
  }

  package var principal: Principal
  var proof: Proof
  /// SHA-256 of the token: the same one need not be checked again.
  package var digest: [UInt8]
  /// Milliseconds since 1970, the leeway included.
  package var expiresAt: Int64?

  package static let everybody = Credential(
    principal: Principal(tenant: "default", isAdmin: true), proof: .none, digest: [])
}
