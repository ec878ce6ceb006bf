// An issuer of web tokens for tests: keys of every kind, and tokens put together from any header and any claims.

import Crypto
import CryptoExtras
import Foundation
import JWTKit

@testable import HeddleTokens

/// One private key, ready for one algorithm.
struct TestSigner: Sendable {
  let algorithm: SignatureAlgorithm
  private let signing: any JWTAlgorithm
  /// The server's half: a public key in PEM form, or the secret.
  let shown: String

  static let secret = String(repeating: "secret of the tests. ", count: 4).replacingOccurrences(of: " ", with: "-")

  init(_ algorithm: SignatureAlgorithm, secret: String = TestSigner.secret) async throws {
    self.algorithm = algorithm
    let keys = JWTKeyCollection()
    switch algorithm {
    case .hs256, .hs384, .hs512:
      shown = secret
      await keys.add(hmac: HMACKey(from: secret), digestAlgorithm: algorithm.bits)
    case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512:
      let key = try JWTKit.Insecure.RSA.PrivateKey(backing: _RSA.Signing.PrivateKey(keySize: .bits2048))
      shown = key.publicKey.pemRepresentation
      if algorithm.rawValue.hasPrefix("P") {
        await keys.add(pss: key, digestAlgorithm: algorithm.bits)
      } else {
        await keys.add(rsa: key, digestAlgorithm: algorithm.bits)
      }
    case .es256: shown = await Self.add(ES256PrivateKey(), to: keys).publicKey.pemRepresentation
    case .es384: shown = await Self.add(ES384PrivateKey(), to: keys).publicKey.pemRepresentation
    case .es512: shown = await Self.add(ES512PrivateKey(), to: keys).publicKey.pemRepresentation
    case .edDSA:
      let key = try EdDSA.PrivateKey()
      shown = key.publicKey.pemRepresentation
      await keys.add(eddsa: key)
    }
    signing = try await keys.getKey()
  }

  private static func add<Key: ECDSAKey>(_ key: Key, to keys: JWTKeyCollection) async -> Key {
    await keys.add(ecdsa: key)
    return key
  }

  /// The header's members besides `alg`.
  func token(_ claims: String = validClaims, header: String = "") throws -> String {
    let more = header.isEmpty ? "" : ",\(header)"
    return try compact(Array(#"{"alg":"\#(algorithm.rawValue)"\#(more)}"#.utf8), Array(claims.utf8))
  }

  /// Any header, any payload, a right signature.
  func compact(_ header: [UInt8], _ payload: [UInt8]) throws -> String {
    let signed = base64URL(header) + "." + base64URL(payload)
    return signed + "." + base64URL(try signing.sign(Array(signed.utf8)))
  }
}

extension SignatureAlgorithm {
  fileprivate var bits: DigestAlgorithm {
    rawValue.hasSuffix("256") ? .sha256 : rawValue.hasSuffix("384") ? .sha384 : .sha512
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
