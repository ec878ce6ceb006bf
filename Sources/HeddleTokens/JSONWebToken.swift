// A JSON Web Token in its compact form, read strictly (RFC 7515, 7519): three parts, canonical base64url, JSON in which
// no name stands twice. The configuration alone decides which tokens are accepted. Of the header `alg` and `kid` are
// looked at, and only to choose among keys that the server has; nothing is ever looked up by a path or an address
// (attacks.md A5 to A9).

import HeddleJSON

/// How a token may be signed. There is no case for "not at all".
public enum SignatureAlgorithm: String, CaseIterable, Sendable {
  case hs256 = "HS256"
  case hs384 = "HS384"
  case hs512 = "HS512"
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  case ps256 = "PS256"
  case ps384 = "PS384"
  case ps512 = "PS512"
  case es256 = "ES256"
  case es384 = "ES384"
  case es512 = "ES512"
  case edDSA = "EdDSA"
}

/// The reason why a credential is not accepted. For the log: the peer gets the same words for every reason that concerns the
/// token itself (attacks.md A2).
package enum TokenFault: String, Error {
  case missing = "no token"
  case unknown = "not a token that this server knows"
  case tooLong = "longer than a token may be"
  case form = "not three parts of base64url"
  case header = "a header that is not accepted"
  case algorithm = "an algorithm that is not configured"
  case key = "no key with this id for this algorithm"
  case signature = "a wrong signature"
  case claims = "claims that are not a JSON object, or one of a wrong type"
  case expired
  case early = "not valid yet"
  case issuer = "another issuer"
  case audience = "another audience"
  case bound = "bound to a key of the client, which cannot be checked here"
  case unbound = "bound to a certificate that the client has not shown"
  case otherTenant = "of another tenant than the client's certificate"
  case unknownIdentity = "an identity that no line of the identities file names"
  case invalidIdentity = "a name that cannot be an identity"
  case ended = "a certificate that has run out, or whose authority is not trusted any more"

  /// The fault is not the token's.
  package var concernsIdentity: Bool { self == .unknownIdentity || self == .invalidIdentity || self == .ended }
  case tenant = "no tenant, or a name that cannot be one"
}

/// The parts of a token, before anything is believed.
struct JSONWebToken {
  /// Twice the size of issuers' tokens, half of the room beside a HELLO (attacks.md A9).
  static let maximumBytes = 8_192

  let algorithm: SignatureAlgorithm
  let keyID: String?
  /// The bytes that are signed: the first two parts as they stand.
  let signed: ArraySlice<UInt8>
  let signature: [UInt8]
  private let payload: [UInt8]

  init(_ text: String) throws(TokenFault) {
    guard text.utf8.count <= Self.maximumBytes else { throw .tooLong }
    let bytes = Array(text.utf8)
    let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.bytes(parts[0]), let payload = Self.bytes(parts[1]),
      let signature = Self.bytes(parts[2]), !signature.isEmpty
    else { throw .form }
    guard let members = Self.object(header) else { throw .header }
    (algorithm, keyID) = try Self.read(JSONObject(members))
    self.payload = payload
    self.signature = signature
    signed = bytes[..<parts[1].endIndex]
  }

  /// To be asked once the signature is known to be right.
  func claims() throws(TokenFault) -> JSONObject {
    guard let members = Self.object(payload) else { throw .claims }
    return JSONObject(members)
  }

  private static func read(_ header: JSONObject) throws(TokenFault) -> (SignatureAlgorithm, String?) {
    // Keys that a token brings along or points at are no keys of ours; an extension that must be understood is not, and
    // a token inside a token is not unpacked.
    for name in ["jku", "jwk", "x5u", "x5c", "crit", "b64", "cty", "zip", "enc"] where header[name] != nil {
      throw .header
    }
    switch header["typ"] {
    case nil: break
    // Other types are for other purposes, no matter which issuer signed them (RFC 8725, 3.11).
    case .text(let type) where ["jwt", "at+jwt", "application/at+jwt"].contains(type.lowercased()): break
    default: throw .header
    }
    guard case .text(let name) = header["alg"], let algorithm = SignatureAlgorithm(rawValue: name) else {
      throw .algorithm
    }
    switch header["kid"] {
    case nil: return (algorithm, nil)
    case .text(let id): return (algorithm, id)
    default: throw .header
    }
  }

  /// Text that is not UTF-8 is refused, not repaired: two different texts would become one.
  private static func object(_ bytes: [UInt8]) -> [JSONValue.Member]? {
    guard let text = String(validating: bytes, as: UTF8.self),
      case .object(let members)? = try? JSONValue(parsing: text)
    else { return nil }
    return members
  }

  /// base64url without padding, in the one way in which these bytes are written: bits that are left over are zero.
  static func bytes(_ letters: ArraySlice<UInt8>) -> [UInt8]? {
    guard letters.count % 4 != 1 else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(letters.count * 3 / 4)
    var bits: UInt32 = 0
    var count: UInt32 = 0
    for letter in letters {
      guard let value = value(letter) else { return nil }
      bits = (bits << 6 | value) & 0xFFFF
      count += 6
      if count >= 8 {
        count -= 8
        out.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    guard bits & (1 << count - 1) == 0 else { return nil }
    return out
  }

  private static func value(_ letter: UInt8) -> UInt32? {
    switch letter {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a")) + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(letter - UInt8(ascii: "0")) + 52
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}

/// Members by name; the parser has seen to it that a name stands once.
struct JSONObject {
  private let members: [JSONValue.Member]

  init(_ members: [JSONValue.Member]) { self.members = members }

  subscript(_ name: String) -> JSONValue? { members.first { $0.name == name }?.value }

  func text(_ name: String) -> String? {
    guard case .text(let text) = self[name] else { return nil }
    return text
  }
}

/// The values that the claims of a token must have.
struct ClaimRules: Sendable {
  var issuer: String?
  var audience: String?
  var tenantClaim: String
  var adminClaim: String?
  var adminValue: String
  var leewaySeconds: Int64

  /// The owner that the token names, and its end in milliseconds, the leeway included.
  /// `certificate`: the digest of the one that the client has shown.
  func check(
    _ claims: JSONObject, certificate: [UInt8]? = nil, now: Int64
  ) throws(TokenFault) -> (principal: Principal, expiresAt: Int64) {
    guard let expiry = try Self.time("exp", claims) else { throw .expired }
    let expiresAt = (expiry + leewaySeconds) * 1_000
    guard now < expiresAt else { throw .expired }
    for name in ["nbf", "iat"] {
      if let from = try Self.time(name, claims), now < (from - leewaySeconds) * 1_000 { throw .early }
    }
    if let issuer { guard claims.text("iss") == issuer else { throw .issuer } }
    guard try isMeant(claims["aud"]) else { throw .audience }
    if let binding = claims["cnf"] { try Self.check(binding, certificate) }
    guard let tenant = claims.text(tenantClaim), Principal.isTenant(tenant) else { throw .tenant }
    let principal = Principal(tenant: tenant, isAdmin: isAdmin(claims), name: claims.text("sub"), via: .webToken)
    return (principal, expiresAt)
  }

  /// The holder of a bound token has to prove possession of another key; without the proof it is worth nothing. That of a
  /// certificate is proven by TLS (RFC 8705, 3.1).
  private static func check(_ binding: JSONValue, _ certificate: [UInt8]?) throws(TokenFault) {
    guard case .object(let members) = binding, members.count == 1, let text = JSONObject(members).text("x5t#S256")
    else { throw .bound }
    guard let certificate, JSONWebToken.bytes(Array(text.utf8)[...]) == certificate else { throw .unbound }
  }

  /// A token that names its audience is for that audience only, so a server without a name of its own accepts none.
  private func isMeant(_ claim: JSONValue?) throws(TokenFault) -> Bool {
    switch claim {
    case nil: return audience == nil
    case .text(let text)?: return text == audience
    case .list(let list)?:
      for entry in list { guard case .text = entry else { throw .claims } }
      guard let audience else { return false }
      return list.contains(.text(audience))
    default: throw .claims
    }
  }

  private func isAdmin(_ claims: JSONObject) -> Bool {
    guard let adminClaim else { return false }
    switch claims[adminClaim] {
    case .text(let text)?: return text == adminValue
    case .bool(let flag)?: return (flag ? "true" : "false") == adminValue
    case .list(let list)?: return list.contains(.text(adminValue))
    default: return false
    }
  }

  /// Seconds since 1970 as a whole number up to the year 9999; anything else that a number can be is refused, so that
  /// no arithmetic with it can fail (attacks.md A4).
  private static func time(_ name: String, _ claims: JSONObject) throws(TokenFault) -> Int64? {
    switch claims[name] {
    case nil: return nil
    case .number(let text)?:
      guard text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }), let value = Int64(text),
        value <= 253_402_300_799
      else { throw .claims }
      return value
    default: throw .claims
    }
  }
}
