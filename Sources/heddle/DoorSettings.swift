// TLS and PROXY headers of the doors, from the same sources as every other setting. docs/configuration.md lists the keys
// under `tls` and `proxy`.

import Configuration
import HeddleListener
import HeddleTokens

enum DoorSettings {
  /// How each of these doors protects its connections. Keys of a door go before those of all doors.
  static func read(_ reader: ConfigReader, doors: [String]) async throws -> [String: DoorSecurity] {
    let proxy = try proxy(reader.scoped(to: "proxy"))
    var security: [String: DoorSecurity] = [:]
    for door in doors { security[door] = try TLSKeys(reader, door: door).security(proxy) }
    return security
  }

  /// An identities file of which no line can ever count would shut everybody out.
  static func checkIdentities(_ security: [String: DoorSecurity], hasTokens: Bool) throws {
    let showsIdentities = security.values.contains {
      $0.tls.map { $0.client != .none } ?? false || !$0.proxy.from.isEmpty
    }
    guard hasTokens || showsIdentities else {
      throw SettingError(
        description:
          "identities.file: nobody can show an identity; set tls.client and tls.clientCA for certificates, or "
          + "proxy.from for those that a proxy names")
    }
  }

  // MARK: PROXY

  private static func proxy(_ reader: ConfigReader) throws -> ProxyRules {
    var rules = ProxyRules()
    let mode = reader.string(forKey: "mode", default: ProxyRules.Mode.off.rawValue)
    guard let known = ProxyRules.Mode(rawValue: mode) else {
      throw SettingError(description: "proxy.mode: `\(mode)` is none of off, accept, require")
    }
    rules.mode = known
    let ranges = try reader.stringArray(forKey: "from", default: []).map { text in
      guard let range = AddressRange(text) else {
        throw SettingError(description: "proxy.from: `\(text)` is neither an address nor a range like 10.0.0.0/8")
      }
      return range
    }
    rules.from = TrustedProxies(ranges)
    guard known == .off || !ranges.isEmpty else {
      throw SettingError(description: "proxy.from: needed with proxy.mode; name the addresses of your proxies")
    }
    if let types = reader.stringArray(forKey: "identityTypes") {
      rules.identityTypes = try types.map { text in
        let digits = text.lowercased().hasPrefix("0x") ? UInt8(text.dropFirst(2), radix: 16) : UInt8(text)
        // Types below are taken by the protocol itself.
        guard let type = digits, type >= 0xE0, type < 0xF0 else {
          throw SettingError(description: "proxy.identityTypes: `\(text)` is not one of 0xE0 to 0xEF")
        }
        return type
      }
    }
    return rules
  }
}

/// The TLS keys of one door.
private struct TLSKeys {
  private let door: ConfigReader
  private let all: ConfigReader
  /// As messages name it.
  private let section: String

  init(_ reader: ConfigReader, door name: String) {
    all = reader.scoped(to: "tls")
    // The frame door has no keys of its own.
    door = name == "listen" ? all : reader.scoped(to: ConfigKey([name, "tls"]))
    section = name == "listen" ? "tls" : "\(name).tls"
  }

  func security(_ proxy: ProxyRules) throws -> DoorSecurity {
    var security = DoorSecurity()
    security.proxy = proxy
    security.trustDomains = try trustDomains()
    guard let files = try files() else {
      security.isPlaintextAllowed = try isPlaintext(door) || isPlaintext(all)
      return security
    }
    do throws(CredentialFileError) { security.tls = try DoorTLS(files) } catch {
      throw SettingError(description: "\(section): \(error.description)")
    }
    return security
  }

  /// Nil: the door speaks without TLS.
  private func files() throws -> DoorTLS.Files? {
    for reader in [door, all] where try isPlaintext(reader) {
      guard reader.string(forKey: "certificate") == nil, reader.string(forKey: "key") == nil else {
        throw wrong("mode", "plaintext and a certificate exclude each other; remove one of them")
      }
    }
    if try isPlaintext(door) { return nil }
    let certificate = text("certificate")
    let key = text("key")
    guard let certificate, let key else {
      if certificate != nil { throw wrong("key", "needed beside the certificate") }
      if key != nil { throw wrong("certificate", "needed beside the key") }
      if let name = ["clientCA", "client"].first(where: { text($0) != nil }) {
        throw wrong(name, "the certificate and the key of the server are needed too; set tls.certificate and tls.key")
      }
      return nil
    }
    var files = DoorTLS.Files(certificate: certificate, key: key)
    files.trustDomains = try trustDomains()
    files.client = try client()
    if files.client != .none {
      guard let authorities = text("clientCA") else {
        throw wrong("clientCA", "needed to check clients' certificates; name a file of the authorities that sign them")
      }
      files.clientCA = authorities
    }
    return files
  }

  private func client() throws -> DoorTLS.Client {
    guard let word = text("client") else {
      // Somebody who names authorities expects certificates to be checked.
      guard text("clientCA") == nil else { throw wrong("client", "say optional or require, since clientCA is set") }
      return .none
    }
    guard let client = DoorTLS.Client(rawValue: word) else {
      throw wrong("client", "`\(word)` is none of none, optional, require")
    }
    return client
  }

  private func trustDomains() throws -> Set<String> {
    let names = door.stringArray(forKey: "trustDomains") ?? all.stringArray(forKey: "trustDomains") ?? []
    for name in names {
      guard WorkloadIdentity("spiffe://\(name)/x".utf8)?.trustDomain == name else {
        throw wrong("trustDomains", "`\(name)` is no trust domain; write it like example.org")
      }
    }
    return Set(names)
  }

  private func isPlaintext(_ reader: ConfigReader) throws -> Bool {
    guard let mode = reader.string(forKey: "mode") else { return false }
    guard mode == "plaintext" else {
      throw wrong("mode", "`\(mode)` is not plaintext; leave it out to use TLS with tls.certificate and tls.key")
    }
    return true
  }

  private func text(_ name: String) -> String? {
    door.string(forKey: ConfigKey(name)) ?? all.string(forKey: ConfigKey(name))
  }

  private func wrong(_ key: String, _ text: String) -> SettingError {
    SettingError(description: "\(section).\(key): \(text)")
  }
}
