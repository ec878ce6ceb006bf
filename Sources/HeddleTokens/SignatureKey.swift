// Keys of swift-crypto by their kind, read from PEM and from members of a JWKS. A key serves the algorithms of its kind and
// no others, so a public key is never a secret (attacks.md A6). The library is asked one question: is this the key's
// signature over these bytes.

import Crypto
import CryptoExtras
import Foundation
import HeddleJSON

enum SignatureKey: Sendable {
  case secret(SymmetricKey)
  case rsa(_RSA.Signing.PublicKey)
  case p256(P256.Signing.PublicKey)
  case p384(P384.Signing.PublicKey)
  case p521(P521.Signing.PublicKey)
  case ed25519(Curve25519.Signing.PublicKey)

  /// A public key in PEM form. The kind is in the key's own header, so at most one of these succeeds.
  init?(pem: String) {
    if let key = try? _RSA.Signing.PublicKey(pemRepresentation: pem) {
      self = .rsa(key)
    } else if let key = try? P256.Signing.PublicKey(pemRepresentation: pem) {
      self = .p256(key)
    } else if let key = try? P384.Signing.PublicKey(pemRepresentation: pem) {
      self = .p384(key)
    } else if let key = try? P521.Signing.PublicKey(pemRepresentation: pem) {
      self = .p521(key)
    } else if let key = try? Curve25519.Signing.PublicKey(pemRepresentation: pem) {
      self = .ed25519(key)
    } else {
      return nil
    }
  }

  /// A public key of a JWKS (RFC 7518, 6; RFC 8037). Nil for kinds that are not known here: an issuer may have them for
  /// others.
  init?(_ key: JSONObject) {
    switch (key.text("kty"), key.text("crv")) {
    case ("RSA", _):
      guard let n = Self.bytes(key, "n"), let e = Self.bytes(key, "e"),
        let key = try? _RSA.Signing.PublicKey(n: n, e: e)
      else { return nil }
      self = .rsa(key)
    case ("EC", "P-256"):
      guard let key = try? Self.point(key).map({ try P256.Signing.PublicKey(x963Representation: $0) }) else {
        return nil
      }
      self = .p256(key)
    case ("EC", "P-384"):
      guard let key = try? Self.point(key).map({ try P384.Signing.PublicKey(x963Representation: $0) }) else {
        return nil
      }
      self = .p384(key)
    case ("EC", "P-521"):
      guard let key = try? Self.point(key).map({ try P521.Signing.PublicKey(x963Representation: $0) }) else {
        return nil
      }
      self = .p521(key)
    case ("OKP", "Ed25519"):
      guard let x = Self.bytes(key, "x"), let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x) else {
        return nil
      }
      self = .ed25519(key)
    default: return nil
    }
  }

  /// An uncompressed point of a curve.
  private static func point(_ key: JSONObject) -> Data? {
    guard let x = bytes(key, "x"), let y = bytes(key, "y") else { return nil }
    return [0x04] + x + y
  }

  /// Bytes of a member in base64url. Padding is accepted: some issuers write it.
  private static func bytes(_ key: JSONObject, _ name: String) -> Data? {
    guard let text = key.text(name) else { return nil }
    var letters = text.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    while letters.utf8.count % 4 != 0 { letters += "=" }
    return Data(base64Encoded: letters)
  }

  // MARK: Signatures

  /// Bytes of a signature; nil: the algorithm is for keys of another kind.
  func signatureBytes(_ algorithm: SignatureAlgorithm) -> Int? {
    switch (self, algorithm) {
    case (.secret, .hs256): 32
    case (.secret, .hs384): 48
    case (.secret, .hs512): 64
    case (.rsa(let key), .rs256), (.rsa(let key), .rs384), (.rsa(let key), .rs512), (.rsa(let key), .ps256),
      (.rsa(let key), .ps384), (.rsa(let key), .ps512):
      (key.keySizeInBits + 7) / 8
    case (.p256, .es256): 64
    case (.p384, .es384): 96
    case (.p521, .es512): 132
    case (.ed25519, .edDSA): 64
    default: nil
    }
  }

  /// False as well for an algorithm that is for keys of another kind.
  func hasSigned(_ bytes: ArraySlice<UInt8>, _ signature: [UInt8], _ algorithm: SignatureAlgorithm) -> Bool {
    switch (self, algorithm) {
    case (.secret(let key), .hs256): Self.check(SHA256.self, bytes, signature, key)
    case (.secret(let key), .hs384): Self.check(SHA384.self, bytes, signature, key)
    case (.secret(let key), .hs512): Self.check(SHA512.self, bytes, signature, key)
    case (.rsa(let key), .rs256): Self.check(SHA256.hash(data: bytes), signature, key, .insecurePKCS1v1_5)
    case (.rsa(let key), .rs384): Self.check(SHA384.hash(data: bytes), signature, key, .insecurePKCS1v1_5)
    case (.rsa(let key), .rs512): Self.check(SHA512.hash(data: bytes), signature, key, .insecurePKCS1v1_5)
    case (.rsa(let key), .ps256): Self.check(SHA256.hash(data: bytes), signature, key, .PSS)
    case (.rsa(let key), .ps384): Self.check(SHA384.hash(data: bytes), signature, key, .PSS)
    case (.rsa(let key), .ps512): Self.check(SHA512.hash(data: bytes), signature, key, .PSS)
    case (.p256(let key), .es256):
      (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map {
        key.isValidSignature($0, for: SHA256.hash(data: bytes))
      } ?? false
    case (.p384(let key), .es384):
      (try? P384.Signing.ECDSASignature(rawRepresentation: signature)).map {
        key.isValidSignature($0, for: SHA384.hash(data: bytes))
      } ?? false
    case (.p521(let key), .es512):
      (try? P521.Signing.ECDSASignature(rawRepresentation: signature)).map {
        key.isValidSignature($0, for: SHA512.hash(data: bytes))
      } ?? false
    case (.ed25519(let key), .edDSA): key.isValidSignature(signature, for: bytes)
    default: false
    }
  }

  private static func check<Hash: HashFunction>(
    _ hash: Hash.Type, _ bytes: ArraySlice<UInt8>, _ code: [UInt8], _ key: SymmetricKey
  ) -> Bool {
    HMAC<Hash>.isValidAuthenticationCode(code, authenticating: bytes, using: key)
  }

  private static func check(
    _ digest: some Digest, _ signature: [UInt8], _ key: _RSA.Signing.PublicKey, _ padding: _RSA.Signing.Padding
  ) -> Bool {
    key.isValidSignature(_RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: padding)
  }
}
