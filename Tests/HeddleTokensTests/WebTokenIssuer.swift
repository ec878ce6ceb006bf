// An issuer of web tokens for tests: keys of every kind, and tokens put together from any header and any claims.

import Crypto
import CryptoExtras
import Foundation

@testable import HeddleTokens

/// One private key, ready for one algorithm.
struct TestSigner: Sendable {
  let algorithm: SignatureAlgorithm
  private let sign: @Sendable ([UInt8]) throws -> Data
  /// The part for the server: a public key in PEM form, or the secret.
  let shown: String

  static let secret = String(repeating: "secret of the tests. ", count: 4).replacingOccurrences(of: " ", with: "-")

  init(_ algorithm: SignatureAlgorithm, secret: String = TestSigner.secret) throws {
    self.algorithm = algorithm
    switch algorithm {
    case .hs256: (shown, sign) = Self.authentication(SHA256.self, secret)
    case .hs384: (shown, sign) = Self.authentication(SHA384.self, secret)
    case .hs512: (shown, sign) = Self.authentication(SHA512.self, secret)
    case .rs256: (shown, sign) = try Self.rsa(SHA256.self, .insecurePKCS1v1_5)
    case .rs384: (shown, sign) = try Self.rsa(SHA384.self, .insecurePKCS1v1_5)
    case .rs512: (shown, sign) = try Self.rsa(SHA512.self, .insecurePKCS1v1_5)
    case .ps256: (shown, sign) = try Self.rsa(SHA256.self, .PSS)
    case .ps384: (shown, sign) = try Self.rsa(SHA384.self, .PSS)
    case .ps512: (shown, sign) = try Self.rsa(SHA512.self, .PSS)
    case .es256:
      let key = P256.Signing.PrivateKey()
      shown = key.publicKey.pemRepresentation
      sign = { try key.signature(for: SHA256.hash(data: $0)).rawRepresentation }
    case .es384:
      let key = P384.Signing.PrivateKey()
      shown = key.publicKey.pemRepresentation
      sign = { try key.signature(for: SHA384.hash(data: $0)).rawRepresentation }
    case .es512:
      let key = P521.Signing.PrivateKey()
      shown = key.publicKey.pemRepresentation
      sign = { try key.signature(for: SHA512.hash(data: $0)).rawRepresentation }
    case .edDSA:
      let key = Curve25519.Signing.PrivateKey()
      shown = key.publicKey.pemRepresentation
      sign = { try key.signature(for: $0) }
    }
  }

  private typealias Shown = (String, @Sendable ([UInt8]) throws -> Data)

  private static func authentication<Hash: HashFunction>(_ hash: Hash.Type, _ secret: String) -> Shown {
    (secret, { Data(HMAC<Hash>.authenticationCode(for: $0, using: SymmetricKey(data: Data(secret.utf8)))) })
  }

  private static func rsa<Hash: HashFunction>(_ hash: Hash.Type, _ padding: _RSA.Signing.Padding) throws -> Shown {
    let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    return (
      key.publicKey.pemRepresentation,
      { try key.signature(for: Hash.hash(data: $0), padding: padding).rawRepresentation }
    )
  }

  /// The header's members besides `alg`.
  func token(_ claims: String = validClaims, header: String = "") throws -> String {
    let more = header.isEmpty ? "" : ",\(header)"
    return try compact(Array(#"{"alg":"\#(algorithm.rawValue)"\#(more)}"#.utf8), Array(claims.utf8))
  }

  /// Any header, any payload, a right signature.
  func compact(_ header: [UInt8], _ payload: [UInt8]) throws -> String {
    let signed = base64URL(header) + "." + base64URL(payload)
    return signed + "." + base64URL(Array(try sign(Array(signed.utf8))))
  }
}

/// Milliseconds: the time at which tests ask. Claims are seconds.
let testNow: Int64 = 1_800_000_000_000
let validClaims = #"{"tenant":"acme","exp":1800000600}"#

func base64URL(_ bytes: [UInt8]) -> String {
  Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    .replacingOccurrences(of: "=", with: "")
}

/// Files of a test, gone with it.
final class TestFolder {
  let path = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString

  init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
    let file = path + "/" + name
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    return file
  }

  /// A server's authentication that knows these keys, each under its id.
  func authentication(
    _ signers: [(id: String?, signer: TestSigner)], tokens: String? = nil,
    _ change: (inout WebTokenConfiguration) -> Void = { _ in }
  ) async throws -> Authentication {
    var configuration = WebTokenConfiguration(algorithms: Set(signers.map(\.signer.algorithm)))
    var secrets: [String] = []
    for (index, entry) in signers.enumerated() {
      if entry.signer.algorithm.rawValue.hasPrefix("H") {
        secrets.append(entry.signer.shown + " " + (entry.id ?? ""))
      } else {
        configuration.keyFiles.append((entry.id, try write("\(index).pem", entry.signer.shown)))
      }
    }
    if !secrets.isEmpty { configuration.secretFile = try write("secrets", secrets.joined(separator: "\n")) }
    change(&configuration)
    return try await Authentication(tokenFile: try tokens.map { try write("tokens", $0) }, webTokens: configuration)
  }
}

extension Authentication {
  /// Why a token is refused; nil: it is not.
  func fault(_ token: String, now: Int64 = testNow) -> TokenFault? {
    if case .failure(let fault) = credential(of: token, now: now) { return fault }
    return nil
  }

  func principal(_ token: String, now: Int64 = testNow) -> Principal? {
    if case .success(let credential) = credential(of: token, now: now) { return credential.principal }
    return nil
  }
}
