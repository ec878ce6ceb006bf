// The model providers behind HTTP, from the same sources as every other setting. docs/providers.md lists the keys.

import Configuration
import Foundation
import HeddleCore
import HeddleModels

enum ProviderSettings {
  /// In the order of `providers.names`.
  static func read(_ reader: ConfigReader) throws -> [ProviderConfiguration] {
    let reader = reader.scoped(to: "providers")
    let names = reader.stringArray(forKey: "names", default: [])
    guard Set(names).count == names.count else {
      throw SettingError(description: "providers.names: a name stands twice")
    }
    return try names.map { name in
      guard isName(name) else {
        throw SettingError(description: "providers.names: \(noName(name))")
      }
      return try Reading(reader: reader.scoped(to: ConfigKey([name])), name: name).configuration()
    }
  }

  static func noName(_ name: String) -> String {
    "`\(name)` cannot be a provider's name: 1 to 64 letters, digits and hyphens are wanted, and not `scripted`"
  }

  private static func isName(_ name: String) -> Bool {
    name != "scripted" && !name.isEmpty && name.utf8.count <= 64
      && name.utf8.allSatisfy {
        ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "z")) || ($0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z"))
          || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")) || $0 == UInt8(ascii: "-")
      }
  }

  /// One provider's keys.
  private struct Reading {
    let reader: ConfigReader
    let name: String

    func configuration() throws -> ProviderConfiguration {
      let kind = try kind()
      let base = reader.string(forKey: "baseURL") ?? kind.usualURL
      guard let base else { throw wrong("baseURL", "needed: what stands before /chat/completions") }
      try check(base)
      var configuration = ProviderConfiguration(name: name, kind: kind, baseURL: base)
      // The usual variable holds a key for the usual address; nobody else is to see it.
      configuration.key = try key(usual: base == kind.usualURL ? kind.usualVariable : nil)
      configuration.headers = try headers()
      configuration.timeouts = ProviderTimeouts(
        connect: try number("connectMilliseconds", configuration.timeouts.connect, from: 1),
        firstByte: try number("firstByteMilliseconds", configuration.timeouts.firstByte, from: 1),
        idle: try number("idleMilliseconds", configuration.timeouts.idle, from: 1))
      configuration.retry = RetryPolicy(
        retries: Int(try number("retries", Int64(configuration.retry.retries), to: 100)),
        base: try number("retryMilliseconds", configuration.retry.base),
        maximum: try number("retryMaximumMilliseconds", configuration.retry.maximum))
      configuration.concurrency = Int(try number("concurrency", 0, to: 100_000))
      let tokens = try number("maximumOutputTokens", 0)
      configuration.maximumOutputTokens = tokens == 0 ? nil : Int(tokens)
      configuration.developerRole = try role(configuration.developerRole)
      configuration.budgetsThoughts = try flag("budgetsThoughts", configuration.budgetsThoughts)
      configuration.encryptsThoughts = try flag("encryptsThoughts", configuration.encryptsThoughts)
      configuration.authorityFile = reader.string(forKey: "authorityFile")
      return configuration
    }

    private func wrong(_ key: String, _ text: String) -> SettingError {
      SettingError(description: "providers.\(name).\(key): \(text)")
    }

    private func kind() throws -> ProviderKind {
      let text = reader.string(forKey: "kind", default: "")
      guard let kind = ProviderKind(rawValue: text) else {
        throw wrong("kind", "responses, chat or anthropic, not `\(text)`")
      }
      return kind
    }

    private func check(_ address: String) throws {
      guard let url = URLComponents(string: address), let scheme = url.scheme, let host = url.host, !host.isEmpty,
        scheme == "https" || scheme == "http"
      else { throw wrong("baseURL", "`\(address)` is not an http or https address") }
      // It would be in every message about the address.
      guard url.user == nil, url.password == nil else { throw wrong("baseURL", "a key belongs in key, not here") }
    }

    private func key(usual: String?) throws -> SecretText? {
      if let key = reader.string(forKey: "key", isSecret: true) { return try secret(key, "key") }
      if let path = reader.string(forKey: "keyFile") {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
          throw wrong("keyFile", "\(path) cannot be read")
        }
        return try secret(text, "keyFile")
      }
      if let variable = reader.string(forKey: "keyVariable") {
        guard let text = environment(variable) else { throw wrong("keyVariable", "\(variable) is not set") }
        return try secret(text, "keyVariable")
      }
      return try usual.flatMap(environment).map { try secret($0, "key") }
    }

    /// A key as it stands in a header: a line break at the end of a file is no part of it, one inside ends the start.
    private func secret(_ text: String, _ key: String) throws -> SecretText {
      let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
      guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
        throw wrong(key, "it must hold one key: printable ASCII without spaces")
      }
      return SecretText(text)
    }

    private func headers() throws -> [(name: String, value: SecretText)] {
      try reader.stringArray(forKey: "headers", isSecret: true, default: []).map { line in
        guard let header = HeaderSetting.parse(line) else {
          throw wrong("headers", "each is `Name: value` in printable ASCII")
        }
        return (header.name, SecretText(header.value))
      }
    }

    private func number(
      _ key: String, _ value: Int64, from minimum: Int64 = 0, to maximum: Int64 = 86_400_000
    ) throws -> Int64 {
      let number = Int64(try reader.number(key, Int(value)))
      guard (minimum...maximum).contains(number) else { throw wrong(key, "\(minimum) to \(maximum)") }
      return number
    }

    private func flag(_ key: String, _ value: Bool) throws -> Bool { try reader.flag(key, value) }

    private func role(_ value: Role) throws -> Role {
      switch reader.string(forKey: "developerRole") {
      case nil: return value
      case "user": return .user
      case "developer": return .developer
      case "system": return .system
      case let text?: throw wrong("developerRole", "user, developer or system, not `\(text)`")
      }
    }
  }
}

extension ProviderKind {
  /// The address at which its inventor serves it.
  fileprivate var usualURL: String? {
    switch self {
    case .responses: "https://api.openai.com/v1"
    case .anthropic: "https://api.anthropic.com/v1"
    case .chat: nil
    }
  }

  fileprivate var usualVariable: String {
    switch self {
    case .responses, .chat: "OPENAI_API_KEY"
    case .anthropic: "ANTHROPIC_API_KEY"
    }
  }
}
