// The keys that signatures of tokens are checked with: public keys from JWKS and PEM files, shared secrets from a file of
// their own. Each key is bound to its algorithms when it is read.

import Crypto
import Foundation
import HeddleJSON

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
    let key: SignatureKey
    /// Over the key and its id: which key a connection came in with, without the key.
    let digest: [UInt8]
  }

  /// A token without a key id is tried with every key that fits.
  static let maximumCount = 16

  private(set) var entries: [Entry] = []

  /// Reads every file anew.
  init(_ configuration: WebTokenConfiguration) throws(CredentialFileError) {
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
    for key in keys { try add(key, configuration.algorithms) }
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
      if entry.key.hasSigned(token.signed, token.signature, token.algorithm) { return entry }
    }
    throw .signature
  }

  func has(_ digest: [UInt8]) -> Bool { entries.contains { $0.digest == digest } }

  // MARK: Making entries

  private struct Key {
    let id: String?
    let material: SignatureKey
    /// What a JWKS says it is for; nil: whatever its kind is good for.
    var only: String?
    let digest: [UInt8]
    let place: String

    init(_ id: String?, _ material: SignatureKey, only: String? = nil, source: String, place: String) {
      self.id = id
      self.material = material
      self.only = only
      self.place = place
      digest = Array(SHA256.hash(data: Data("\(id.map { "\($0.utf8.count) \($0)" } ?? "-") \(source)".utf8)))
    }
  }

  private mutating func add(_ key: Key, _ algorithms: Set<SignatureAlgorithm>) throws(CredentialFileError) {
    for algorithm in SignatureAlgorithm.allCases
    where algorithms.contains(algorithm) && (key.only == nil || key.only == algorithm.rawValue) {
      guard let bytes = key.material.signatureBytes(algorithm) else { continue }
      try Self.checkSize(of: key, bytes, algorithm)
      entries.append(
        Entry(id: key.id, algorithm: algorithm, signatureBytes: bytes, key: key.material, digest: key.digest))
    }
  }

  /// The library sees to it that RSA keys have 2,048 bits; a signature of a giant would hold the loop up.
  private static func checkSize(
    of key: Key, _ bytes: Int, _ algorithm: SignatureAlgorithm
  ) throws(CredentialFileError) {
    switch key.material {
    // RFC 7518, 3.2: as long as the hash, at least.
    case .secret(let secret) where secret.bitCount < 8 * bytes:
      throw CredentialFileError(
        description: "\(key.place) holds a secret shorter than \(bytes) bytes, too short for \(algorithm.rawValue)")
    case .rsa where bytes > 1_024:
      throw CredentialFileError(description: "\(key.place) holds an RSA key of more than 8192 bits; use a smaller one")
    default: break
    }
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
      keys.append(Key(id, .secret(SymmetricKey(data: Data(secret.utf8))), source: secret, place: place))
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
    guard let key = SignatureKey(pem: text) else {
      throw CredentialFileError(
        description: "\(path) is no public key of RSA (2048 bits or more), P-256, P-384, P-521 or Ed25519 in PEM form")
    }
    return [Key(id, key, source: text, place: path)]
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
      guard let material = SignatureKey(key) else { continue }
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
}
