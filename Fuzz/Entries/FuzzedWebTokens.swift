// Input: a byte that chooses, then
//
//   0  a token as it comes
//   1  header, NUL, claims: signed here, so that the code after the signature check is reached
//   2  a byte that chooses algorithms, then a key file: a JWKS, PEM, or secrets
//
// Nothing that was not signed is accepted; what is accepted has the rules' tenant and has not expired; keys are taken or
// refused with words.

import Crypto
import Foundation
import HeddleTokens

enum FuzzedWebTokens {
  private static let now: Int64 = 1_700_000_000_000
  private static let secret = String(repeating: "s", count: 64)

  static func run(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    var input = InputReader(bytes)
    switch input.byte() % 3 {
    case 0:
      let token = String(decoding: input.all(), as: UTF8.self)
      if case .success = try authentication().credential(of: token, now: now) {
        throw Finding("a token is accepted that nobody signed: \(token)")
      }
    case 1: try signed(input.all())
    default: try keys(choice: input.byte(), input.all())
    }
  }

  // MARK: Tokens

  private static func signed(_ bytes: [UInt8]) throws(Finding) {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return }
    let token = sign(parts[0], parts[1])
    switch try authentication().credential(of: token, now: now) {
    case .success(let credential):
      let tenant = credential.principal.tenant
      if FuzzPlant.jwt.isSet { FuzzPlant.trustLength(tenant) }
      guard (1...256).contains(tenant.utf8.count), tenant.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw Finding("a tenant that cannot be one: \(tenant)")
      }
      guard let end = credential.expiresAt, end > now else { throw Finding("an expired token is accepted") }
      // In another server's mouth, a bit less of the signature, one sign more: it is not the token that was signed.
      let forged = [String(token.dropLast(4)), token + "A", "." + token, token.replacing(".", with: "..")]
      for text in forged {
        if case .success = try authentication().credential(of: text, now: now) {
          throw Finding("a token is accepted with another signature: \(text)")
        }
      }
    case .failure(let fault):
      guard fault != .unknown else { throw Finding("web tokens are not known") }
    }
  }

  private static func sign(_ header: ArraySlice<UInt8>, _ claims: ArraySlice<UInt8>) -> String {
    let body = letters(Data(header)) + "." + letters(Data(claims))
    let key = SymmetricKey(data: Data(secret.utf8))
    let data = Data(body.utf8)
    // By a word anywhere in the header; the reader under test parses the header properly.
    let text = String(decoding: header, as: UTF8.self)
    let signature: Data
    if text.contains("HS512") {
      signature = Data(HMAC<SHA512>.authenticationCode(for: data, using: key))
    } else if text.contains("HS384") {
      signature = Data(HMAC<SHA384>.authenticationCode(for: data, using: key))
    } else {
      signature = Data(HMAC<SHA256>.authenticationCode(for: data, using: key))
    }
    return body + "." + letters(signature)
  }

  private static func letters(_ bytes: Data) -> String {
    bytes.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private static func authentication() throws(Finding) -> Authentication {
    guard let made else { throw Finding("the keys of the target itself cannot be read") }
    return made
  }

  private static let made: Authentication? = {
    var configuration = WebTokenConfiguration(algorithms: [.hs256, .hs384, .hs512])
    configuration.issuer = "issuer"
    configuration.audience = "heddle"
    configuration.adminClaim = "role"
    configuration.adminValue = "admin"
    configuration.secretFile = try? FuzzFolder.shared.write("secrets", Array("\(secret) one\n\(secret)2\n".utf8))
    return read(configuration)
  }()

  // MARK: Key files

  private static func keys(choice: UInt8, _ text: [UInt8]) throws(Finding) {
    var algorithms: Set<SignatureAlgorithm> = [
      [.rs256], [.ps256, .rs512], [.es256], [.es384], [.es512], [.edDSA], [.hs256], [.hs384, .hs512],
    ][Int(choice & 7)]
    if choice & 0x40 != 0 { algorithms = Set(SignatureAlgorithm.allCases) }
    guard let path = try? FuzzFolder.shared.write("keys", text) else { throw Finding("no folder for key files") }
    var configuration = WebTokenConfiguration(algorithms: algorithms)
    if choice & 8 != 0 {
      configuration.secretFile = path
    } else {
      configuration.keyFiles = [(choice & 16 != 0 ? "one" : nil, path)]
      if choice & 32 != 0 { configuration.keyFiles.append(("two", path)) }
    }
    var words: String?
    guard let authentication = read(configuration, &words) else {
      guard words?.isEmpty == false else { throw Finding("keys are refused without words") }
      return
    }
    let claims = Array(#"{"exp":1800000000,"tenant":"acme"}"#.utf8)
    let token = sign(Array(#"{"alg":"HS256"}"#.utf8)[...], claims[...])
    guard case .failure = authentication.credential(of: token, now: now) else {
      // The secret of the target itself may be in the file.
      guard String(decoding: text, as: UTF8.self).contains(secret) else {
        throw Finding("a token is accepted by keys that did not sign it")
      }
      return
    }
  }

  private static func read(_ configuration: WebTokenConfiguration) -> Authentication? {
    var words: String?
    return read(configuration, &words)
  }

  private static func read(_ configuration: WebTokenConfiguration, _ words: inout String?) -> Authentication? {
    let outcome = Waited<Result<Authentication, CredentialFileError>>()
    let jobs = FuzzJobs()
    Task(executorPreference: jobs) {
      do throws(CredentialFileError) {
        outcome.value = .success(try await Authentication(tokenFile: nil, webTokens: configuration))
      } catch { outcome.value = .failure(error) }
    }
    while jobs.step() {}
    switch outcome.value {
    case .success(let authentication)?: return authentication
    case .failure(let error)?:
      words = error.description
      return nil
    case nil: return nil
    }
  }
}

/// The result of a task.
// @unchecked: it runs on the thread that looks at it.
private final class Waited<Value>: @unchecked Sendable {
  var value: Value?
}
