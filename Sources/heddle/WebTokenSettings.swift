// The tokens and identities that are accepted, from the same sources as every other setting. docs/configuration.md lists the
// keys under `jwt` and `identities`.

import Configuration
import HeddleListener
import HeddleTokens

enum WebTokenSettings {
  /// Nil: neither a token file nor keys for web tokens nor identities are configured.
  static func authentication(
    _ reader: ConfigReader, _ security: [String: DoorSecurity]
  ) async throws -> Authentication? {
    let tokenFile = reader.string(forKey: "tokenFile")
    let webTokens = try configuration(reader.scoped(to: "jwt"))
    let identities = reader.scoped(to: "identities").string(forKey: "file")
    guard tokenFile != nil || webTokens != nil || identities != nil else { return nil }
    if identities != nil {
      try DoorSettings.checkIdentities(security, hasTokens: tokenFile != nil || webTokens != nil)
    }
    do throws(CredentialFileError) {
      return try await Authentication(tokenFile: tokenFile, webTokens: webTokens, identitiesFile: identities)
    } catch {
      throw SettingError(description: error.description)
    }
  }

  private static func configuration(_ reader: ConfigReader) throws -> WebTokenConfiguration? {
    let files = try reader.stringArray(forKey: "keys", default: []).map(keyFile)
    let secretFile = reader.string(forKey: "secretFile")
    let names = reader.stringArray(forKey: "algorithms", default: [])
    guard !files.isEmpty || secretFile != nil else {
      // An operator who sets these expects tokens to be checked.
      let set = ["issuer", "audience", "tenantClaim", "adminClaim", "adminValue"].first {
        reader.string(forKey: ConfigKey($0)) != nil
      }
      if let key = names.isEmpty ? set : "algorithms" {
        throw wrong(key, "there is neither jwt.keys nor jwt.secretFile")
      }
      // An empty list would switch authentication off without a word.
      if reader.stringArray(forKey: "keys") != nil {
        throw wrong("keys", "it is empty; name a file of public keys, or leave it out")
      }
      return nil
    }
    var configuration = WebTokenConfiguration(algorithms: try algorithms(names))
    configuration.keyFiles = files
    configuration.secretFile = secretFile
    configuration.issuer = try text(reader, "issuer")
    configuration.audience = try text(reader, "audience")
    configuration.tenantClaim = try text(reader, "tenantClaim") ?? configuration.tenantClaim
    configuration.adminClaim = try text(reader, "adminClaim")
    if let value = try text(reader, "adminValue") {
      guard configuration.adminClaim != nil else { throw wrong("adminValue", "jwt.adminClaim is needed too") }
      configuration.adminValue = value
    }
    let leeway = try reader.number("leewaySeconds", Int(configuration.leewaySeconds))
    guard (0...300).contains(leeway) else { throw wrong("leewaySeconds", "0 to 300") }
    configuration.leewaySeconds = Int64(leeway)
    return configuration
  }

  private static func wrong(_ key: String, _ text: String) -> SettingError {
    SettingError(description: "jwt.\(key): \(text)")
  }

  /// `PATH` or `KEY-ID=PATH`.
  private static func keyFile(_ entry: String) throws -> (id: String?, path: String) {
    let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard !parts.contains("") else { throw wrong("keys", "`\(entry)` is neither PATH nor KEY-ID=PATH") }
    // A path with an equals sign in it is written with a slash before it.
    guard parts.count == 2, !parts[0].contains("/") else { return (nil, entry) }
    return (String(parts[0]), String(parts[1]))
  }

  /// The only place that says how tokens may be signed.
  private static func algorithms(_ names: [String]) throws -> Set<SignatureAlgorithm> {
    let all = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
    guard !names.isEmpty else { throw wrong("algorithms", "needed: those that tokens are signed with, of \(all)") }
    return Set(
      try names.map { name in
        guard let algorithm = SignatureAlgorithm(rawValue: name) else {
          throw wrong("algorithms", "`\(name)` is none of \(all)")
        }
        return algorithm
      })
  }

  private static func text(_ reader: ConfigReader, _ key: String) throws -> String? {
    guard let text = reader.string(forKey: ConfigKey(key)) else { return nil }
    guard !text.isEmpty else { throw wrong(key, "it is empty; leave it out, or say what is meant") }
    return text
  }
}
