// The keys of the configuration, each with the type of its value: the one list of them. The check of the file works from
// it (`SettingFile`), `heddle serve --list-settings` prints it, and a test compares that with docs/configuration.md and
// docs/providers.md. Limits come from the table that reads them.

/// The type of a key's value in the file. In the environment and in flags everything is a text that is read as this.
enum SettingType: String, Sendable {
  case text = "a text"
  case number = "a whole number"
  case decimal = "a number"
  case flag = "true or false"
  case texts = "a list of texts"
}

enum SettingTable {
  /// The place of a provider's name.
  static let provider = "NAME"

  /// By path: `listen`, `limits.queuedTurns`, `providers.NAME.kind`.
  static let keys: [String: SettingType] = {
    var keys: [String: SettingType] = [:]
    for row in rows {
      for name in row.names { keys[row.section.isEmpty ? name : "\(row.section).\(name)"] = row.type }
    }
    return keys
  }()

  /// Keys whose value is an object with further keys.
  static let sections = Set(
    rows.flatMap { row in
      let parts = row.section.split(separator: ".")
      return parts.indices.map { parts[...$0].joined(separator: ".") }
    })

  private static let tls = ["certificate", "key", "clientCA", "client", "mode"]

  private static let rows: [(section: String, type: SettingType, names: [String])] = [
    ("", .text, ["data", "listen", "tokenFile", "catalog", "modelScript", "modelRecord", "logLevel", "logFormat"]),
    ("", .flag, ["modelRecordText"]),
    ("", .number, ["loops"]),
    ("grpc", .text, ["listen"]),
    ("http", .text, ["listen"]), ("http", .texts, ["hosts", "origins"]), ("http", .flag, ["openMetrics"]),
    ("jwt", .texts, ["keys", "algorithms"]),
    ("jwt", .text, ["secretFile", "issuer", "audience", "tenantClaim", "adminClaim", "adminValue"]),
    ("jwt", .number, ["leewaySeconds"]),
    ("identities", .text, ["file"]),
    ("tls", .text, tls), ("tls", .texts, ["trustDomains"]),
    ("grpc.tls", .text, tls), ("grpc.tls", .texts, ["trustDomains"]),
    ("http", .text, ["listen"]), ("http", .texts, ["hosts", "origins"]), ("http", .flag, ["openMetrics"]),
    ("http.tls", .text, tls), ("http.tls", .texts, ["trustDomains"]),
    ("proxy", .text, ["mode"]), ("proxy", .texts, ["from", "identityTypes"]),
    ("features", .flag, ["multiAgent", "multiAgentV2", "multiAgentMode"]),
    (
      "texts", .text,
      [
        "explicitMode", "proactiveMode", "rootHint", "agentHint", "interruption", "compaction", "summaryIntroduction",
        "explorerRole", "workerRole",
      ]
    ),
    ("texts", .flag, ["usageHints", "interruptionMarker", "spawnOptions"]),
    ("drain", .number, ["delayMilliseconds"]),
    ("connections", .number, ["maxAgeSeconds", "maxAgeGraceSeconds"]),
    ("audit", .text, ["file"]), ("audit", .flag, ["required"]),
    ("otlp", .text, ["endpoint"]), ("otlp", .texts, ["headers"]), ("otlp", .decimal, ["ratio"]),
    ("capture", .text, ["folder"]),
    ("capture", .number, ["folderBytes", "bufferBytes"]),
    ("limits", .number, LimitSettings.names),
    ("providers", .texts, ["names"]),
    (
      "providers.\(provider)", .text,
      ["kind", "baseURL", "key", "keyFile", "keyVariable", "developerRole", "authorityFile"]
    ),
    ("providers.\(provider)", .texts, ["headers"]),
    (
      "providers.\(provider)", .number,
      [
        "connectMilliseconds", "firstByteMilliseconds", "idleMilliseconds", "retries", "retryMilliseconds",
        "retryMaximumMilliseconds", "concurrency", "maximumOutputTokens",
      ]
    ),
    ("providers.\(provider)", .flag, ["budgetsThoughts", "encryptsThoughts"]),
  ]

  /// The path as the table has it: a provider's own name gives way to `NAME`.
  static func general(_ path: [String]) -> String {
    var path = path
    if path.count > 1, path[0] == "providers", keys[path[0] + "." + path[1]] == nil { path[1] = provider }
    return path.joined(separator: ".")
  }

  /// The key or section that an unknown one was most likely meant to be.
  static func nearest(_ path: [String]) -> String {
    let owner = path.count > 2 && path[0] == "providers" ? path[1] : provider
    let written = path.joined(separator: ".")
    var best = (cost: Int.max, name: "")
    for name in (Array(keys.keys) + sections).sorted() {
      let known = name.split(separator: ".").map { $0 == provider ? owner : String($0) }
      // A name that is right and only stands in another section is nearer than any other name in this one.
      let elsewhere = NameDistance.between(path.last ?? "", known.last ?? "") + 2
      let cost = min(NameDistance.between(written, known.joined(separator: ".")), elsewhere)
      if cost < best.cost { best = (cost, known.joined(separator: ".")) }
    }
    return best.name
  }
}
