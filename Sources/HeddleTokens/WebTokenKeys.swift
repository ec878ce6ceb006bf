// The keys that signatures of tokens are checked with: public keys from JWKS and PEM files, shared secrets from a file of
// their own. A key serves the algorithms of its kind and no others, so a public key is never a secret (attacks.md A6).

import Crypto
import Foundation
import HeddleJSON
import JWTKit

/// How web tokens are checked, as configured.
public struct WebTokenConfiguration: Sendable {
  /// Files of public keys: a JWKS, or one key in PEM form with the id that tokens give for it.
  public var keyFiles: [(id: String?, path: String)] = []
  public var secretFile: String?
  public var algorithms: Set<SignatureAlgorithm>
  public var issuer: String?
  public var audience: String?
  public var tenantClaim = "tenant"
  public var adminClaim: String?
  public var adminValue = "true"
  public var leewaySeconds: Int64 = 30

  public init(algorithms: Set<SignatureAlgorithm>) { self.algorithms = algorithms }

  var rules: ClaimRules {
    ClaimRules(
      issuer: issuer, audience: audience, tenantClaim: tenantClaim, adminClaim: adminClaim, adminValue: adminValue,
      leewaySeconds: leewaySeconds)
  }

  var paths: [String] { keyFiles.map(\.path) + (secretFile.map { [$0] } ?? []) }
}

/// The keys of a server.
struct WebTokenKeys: Sendable {
  /// One key, ready for one algorithm.
  struct Entry: Sendable {
    let id: String?
    let algorithm: SignatureAlgorithm
    let signatureBytes: Int
    let verifier: any JWTAlgorithm
    /// Over the key and its id: which key a connection came in with, without the key.
    let digest: [UInt8]
  }

  /// A token without a key id is tried with every key that fits.
  static let maximumCount = 16

  private(set) var entries: [Entry] = []

  /// Reads every file anew.
  init(_ configuration: WebTokenConfiguration) async throws(CredentialFileError) {
    var keys: [Key] = []
    for file in configuration.keyFiles {
      let text = try CredentialFile.read(file.path, .publicKey, what: "key file")
      keys += try Self.publicKeys(text, id: file.id, path: file.path)
    }
    if let path = configuration.secretFile {
      keys += try Self.secrets(try CredentialFile.read(path, .secret, what: "secret file"), path: path)
    }
    guard keys.count <= Self.maximumCount else {
      throw CredentialFileError(
        description: "there are more than \(Self.maximumCount) keys for tokens; remove old ones")
    }
    for key in keys { try await add(key, configuration.algorithms) }
    for algorithm in configuration.algorithms where !entries.contains(where: { $0.algorithm == algorithm }) {
      throw CredentialFileError(
        description: "no key fits \(algorithm.rawValue); configure one, or leave the algorithm out of jwt.algorithms")
    }
  }

  /// The key whose signature the token bears.
  func entry(for token: JSONWebToken) throws(TokenFault) -> Entry {
    let fitting = entries.filter {
      $0.algorithm == token.algorithm && (token.keyID == nil || $0.id == token.keyID)
    }
    guard !fitting.isEmpty else {
      throw entries.contains { $0.algorithm == token.algorithm } ? .key : .algorithm
    }
    for entry in fitting where token.signature.count == entry.signatureBytes {
      if (try? entry.verifier.verify(token.signature, signs: token.signed)) == true { return entry }
    }
    throw .signature
  }

  func has(_ digest: [UInt8]) -> Bool { entries.contains { $0.digest == digest } }

  // MARK: Making entries

  private struct Key {
    let id: String?
    let material: Material
    /// What a JWKS says it is for; nil: whatever its kind is good for.
    var only: String?
    let digest: [UInt8]
    let place: String

    init(_ id: String?, _ material: Material, only: String? = nil, source: String, place: String) {
      self.id = id
      self.material = material
      self.only = only
      self.place = place
      digest = Array(SHA256.hash(data: Data("\(id.map { "\($0.utf8.count) \($0)" } ?? "-") \(source)".utf8)))
    }
  }

  private enum Material {
    case secret(String)
    case rsa(JWTKit.Insecure.RSA.PublicKey)
    case p256(ES256PublicKey)
    case p384(ES384PublicKey)
    case p521(ES512PublicKey)
    case ed25519(EdDSA.PublicKey)
  }

  private mutating func add(_ key: Key, _ algorithms: Set<SignatureAlgorithm>) async throws(CredentialFileError) {
    for algorithm in SignatureAlgorithm.allCases
    where algorithms.contains(algorithm) && (key.only == nil || key.only == algorithm.rawValue) {
      // The library hands out what verifies only from a collection.
      let collection = JWTKeyCollection()
      guard let bytes = try await Self.put(key, algorithm, in: collection) else { continue }
      guard let verifier = try? await collection.getKey() else {
        throw CredentialFileError(description: "\(key.place) holds a key that cannot be used for \(algorithm.rawValue)")
      }
      entries.append(
        Entry(id: key.id, algorithm: algorithm, signatureBytes: bytes, verifier: verifier, digest: key.digest))
    }
  }

  /// How long signatures are; nil: the key is of another kind.
  private static func put(
    _ key: Key, _ algorithm: SignatureAlgorithm, in collection: JWTKeyCollection
  ) async throws(CredentialFileError) -> Int? {
    switch (key.material, algorithm) {
    case (.secret(let text), .hs256), (.secret(let text), .hs384), (.secret(let text), .hs512):
      let bytes = algorithm == .hs256 ? 32 : algorithm == .hs384 ? 48 : 64
      // RFC 7518, 3.2: as long as the hash, at least.
      guard text.utf8.count >= bytes else {
        throw CredentialFileError(
          description: "\(key.place) holds a secret shorter than \(bytes) bytes, too short for \(algorithm.rawValue)")
      }
      await collection.add(hmac: HMACKey(from: text), digestAlgorithm: algorithm.digest)
      return bytes
    case (.rsa(let rsa), .rs256), (.rsa(let rsa), .rs384), (.rsa(let rsa), .rs512):
      await collection.add(rsa: rsa, digestAlgorithm: algorithm.digest)
      return try modulusBytes(rsa, key.place)
    case (.rsa(let rsa), .ps256), (.rsa(let rsa), .ps384), (.rsa(let rsa), .ps512):
      await collection.add(pss: rsa, digestAlgorithm: algorithm.digest)
      return try modulusBytes(rsa, key.place)
    case (.p256(let curve), .es256):
      await collection.add(ecdsa: curve)
      return 64
    case (.p384(let curve), .es384):
      await collection.add(ecdsa: curve)
      return 96
    case (.p521(let curve), .es512):
      await collection.add(ecdsa: curve)
      return 132
    case (.ed25519(let curve), .edDSA):
      await collection.add(eddsa: curve)
      return 64
    default: return nil
    }
  }

  /// 2,048 bits are the least that is safe, which the library sees to; a signature of a giant would hold the loop up.
  private static func modulusBytes(
    _ key: JWTKit.Insecure.RSA.PublicKey, _ place: String
  ) throws(CredentialFileError) -> Int {
    guard let bytes = try? key.getKeyPrimitives().modulus.count, bytes <= 1_024 else {
      throw CredentialFileError(description: "\(place) holds an RSA key of more than 8192 bits; use a smaller one")
    }
    return bytes
  }

  // MARK: Reading files

  /// A line each: `SECRET [KEY-ID]`.
  private static func secrets(_ text: String, path: String) throws(CredentialFileError) -> [Key] {
    var keys: [Key] = []
    for line in CredentialFile.lines(text) {
      let place = "line \(line.number) of \(path)"
      // The ends of a PEM file: its text would be a secret that everybody knows.
      guard line.words.count <= 2, let secret = line.words.first, !secret.hasPrefix("-----"), !secret.hasPrefix("{")
      else { throw CredentialFileError(description: "\(place) is not `SECRET [KEY-ID]`") }
      guard secret.utf8.count >= 32 else {
        throw CredentialFileError(description: "\(place) holds a secret shorter than 32 bytes; make a longer one")
      }
      let id = line.words.count == 2 ? line.words[1] : nil
      keys.append(Key(id, .secret(secret), source: secret, place: place))
    }
    guard !keys.isEmpty else { throw CredentialFileError(description: "\(path) holds no secret") }
    return keys
  }

  private static func publicKeys(_ text: String, id: String?, path: String) throws(CredentialFileError) -> [Key] {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if text.hasPrefix("{") {
      guard id == nil else {
        throw CredentialFileError(description: "\(path) is a JWKS, which names its keys itself; leave the id out")
      }
      return try keySet(text, path: path)
    }
    guard !text.contains("PRIVATE KEY-----") else {
      throw CredentialFileError(description: "\(path) holds a private key; the server needs the public one alone")
    }
    guard text.hasPrefix("-----BEGIN "), text.components(separatedBy: "-----BEGIN ").count == 2 else {
      throw CredentialFileError(description: "\(path) is neither a JWKS nor one public key in PEM form")
    }
    return [Key(id, try pem(text, path: path), source: text, place: path)]
  }

  /// The kind is in the key's own header, so at most one of these succeeds.
  private static func pem(_ text: String, path: String) throws(CredentialFileError) -> Material {
    if let key = try? JWTKit.Insecure.RSA.PublicKey(pem: text) { return .rsa(key) }
    if let key = try? ES256PublicKey(pem: text) { return .p256(key) }
    if let key = try? ES384PublicKey(pem: text) { return .p384(key) }
    if let key = try? ES512PublicKey(pem: text) { return .p521(key) }
    if let key = try? EdDSA.PublicKey(pem: text) { return .ed25519(key) }
    throw CredentialFileError(
      description: "\(path) is no public key of RSA (2048 bits or more), P-256, P-384, P-521 or Ed25519 in PEM form")
  }

  /// RFC 7517. Keys that are not for signatures are passed over.
  private static func keySet(_ text: String, path: String) throws(CredentialFileError) -> [Key] {
    guard case .object(let members)? = try? JSONValue(parsing: text),
      case .list(let list)? = JSONObject(members)["keys"], !list.isEmpty
    else { throw CredentialFileError(description: "\(path) is no JWKS: {\"keys\": [{\"kty\": …}, …]}") }
    var keys: [Key] = []
    for (index, value) in list.enumerated() {
      let place = "key \(index + 1) of \(path)"
      guard case .object(let members) = value else { throw CredentialFileError(description: "\(place) is no object") }
      let key = JSONObject(members)
      // Who may read public keys would have the secret.
      guard key["d"] == nil, key["k"] == nil else {
        throw CredentialFileError(
          description: "\(place) is private; keep public keys here, and shared secrets in jwt.secretFile")
      }
      guard isForSignatures(key) else { continue }
      guard let material = material(key) else { continue }
      let names = ["kty", "crv", "n", "e", "x", "y"].compactMap { key.text($0) }
      keys.append(
        Key(key.text("kid"), material, only: key.text("alg"), source: names.joined(separator: " "), place: place))
    }
    return keys
  }

  private static func isForSignatures(_ key: JSONObject) -> Bool {
    if let use = key["use"], use != .text("sig") { return false }
    if case .list(let operations)? = key["key_ops"] { return operations.contains(.text("verify")) }
    return true
  }

  /// Nil for kinds that are not known here: an issuer may have them for others.
  private static func material(_ key: JSONObject) -> Material? {
    switch (key.text("kty"), key.text("crv")) {
    case ("RSA", _):
      guard let n = key.text("n"), let e = key.text("e") else { return nil }
      return (try? JWTKit.Insecure.RSA.PublicKey(modulus: n, exponent: e)).map(Material.rsa)
    case ("EC", "P-256"): return point(key).flatMap { try? ES256PublicKey(parameters: $0) }.map(Material.p256)
    case ("EC", "P-384"): return point(key).flatMap { try? ES384PublicKey(parameters: $0) }.map(Material.p384)
    case ("EC", "P-521"): return point(key).flatMap { try? ES512PublicKey(parameters: $0) }.map(Material.p521)
    case ("OKP", "Ed25519"):
      guard let x = key.text("x") else { return nil }
      return (try? EdDSA.PublicKey(x: x, curve: .ed25519)).map(Material.ed25519)
    default: return nil
    }
  }

  private static func point(_ key: JSONObject) -> ECDSAParameters? {
    guard let x = key.text("x"), let y = key.text("y") else { return nil }
    return (x, y)
  }
}

extension SignatureAlgorithm {
  fileprivate var digest: DigestAlgorithm {
    switch self {
    case .hs256, .rs256, .ps256, .es256: .sha256
    case .hs384, .rs384, .ps384, .es384: .sha384
    case .hs512, .rs512, .ps512, .es512, .edDSA: .sha512
    }
  }
}
