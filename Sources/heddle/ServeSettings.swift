// The server's settings, from flags over environment over file over defaults. docs/configuration.md lists the keys.

import Configuration
import Foundation
import HeddleCore
import HeddleHTTP
import HeddleJSON
import HeddleListener
import HeddleModels
import HeddleProtocol
import HeddleRecorder
import HeddleRuntime
import HeddleServer
import HeddleService
import HeddleTokens
import HeddleTraces
import Logging

struct ServeSettings: Sendable {
  var data: String
  var listen: ServerAddress
  /// Nil: the door is closed.
  var grpc: ServerAddress?
  var http: ServerAddress?
  var httpRules: HTTPRules
  /// Nil: everybody may do everything.
  var authentication: Authentication?
  var rules: ServerRules
  var script: [ScriptedModelProvider.Rule]
  var record: RequestRecord?
  /// Behind HTTP; the scripted one is always there.
  var providers: [ProviderConfiguration]
  /// The folder for recordings of frames.
  var capture: CaptureFolder?
  var audit: AuditLog?
  /// The collector of spans; nil: none are made.
  var spans: SpanDestination?
  /// From the signal to the drain: connections and requests are still taken, health says that the server leaves.
  var drainDelay: Duration
  /// Sockets that a supervisor listens on, by door.
  var inherited: [String: InheritedSocket]
  var loops: Int
  var logLevel: Logger.Level
  var logsJSON: Bool
  /// By the doors' names in the ready line.
  var security: [String: DoorSecurity]

  /// The server that these settings describe, but for the key of its cursors, which stands in the data folder.
  var server: ServerConfiguration {
    var server = ServerConfiguration(cursorKey: [], version: Program.version)
    server.host = listen.host
    server.port = listen.port
    server.inherited = inherited.mapValues(\.descriptor)
    server.grpc = grpc.map { DoorAddress(host: $0.host, port: $0.port) }
    server.http = http.map { DoorAddress(host: $0.host, port: $0.port) }
    server.authentication = authentication
    server.security = security
    server.httpRules = httpRules
    server.rules = rules
    server.loops = loops
    server.capture = capture
    server.audit = audit
    return server
  }

  /// Reads files of credentials too, which an event loop must not wait for.
  static func read(flags: [String: String], file: String?) async throws -> ServeSettings {
    let reader = try reader(flags: flags, file: file)
    let security = try await DoorSettings.read(reader, doors: ["listen", "grpc", "http"])
    let authentication = try await WebTokenSettings.authentication(reader, security)
    return try ServeSettings(reader, security, authentication)
  }

  private init(
    _ reader: ConfigReader, _ security: [String: DoorSecurity], _ authentication: Authentication?
  ) throws {
    self.security = security
    self.authentication = authentication
    data = reader.string(forKey: "data", default: "data")
    let address = reader.string(forKey: "listen", default: "127.0.0.1:7420")
    guard let listen = ServerAddress(argument: address) else {
      throw SettingError(description: "listen: `\(address)` is not HOST:PORT")
    }
    inherited = try InheritedSockets.taken()
    self.listen = inherited["listen"]?.address ?? listen
    grpc = try inherited["grpc"]?.address ?? Self.door(reader, "grpc", default: "127.0.0.1:7421")
    http = try inherited["http"]?.address ?? Self.door(reader, "http", default: "127.0.0.1:7422")
    httpRules = try Self.httpRules(reader.scoped(to: "http"))
    drainDelay = try Self.drainDelay(reader.scoped(to: "drain"))
    rules = try Self.rules(reader)
    script = try reader.string(forKey: "modelScript").map(Self.script) ?? []
    if let path = reader.string(forKey: "modelRecord") {
      record = RequestRecord(path: path, showsText: try reader.flag("modelRecordText", false))
      if record == nil { throw SettingError(description: "modelRecord: \(path) cannot be written") }
    }
    providers = try ProviderSettings.read(reader)
    for index in providers.indices { providers[index].timeouts.content = rules.limits.modelContentMilliseconds }
    capture = try Self.capture(reader.scoped(to: "capture"))
    spans = try Self.spans(reader.scoped(to: "otlp"))
    audit = try Self.audit(reader.scoped(to: "audit"))
    loops = try reader.number("loops", ProcessInfo.processInfo.activeProcessorCount)
    guard (1...256).contains(loops) else { throw SettingError(description: "loops: 1 to 256") }
    let level = reader.string(forKey: "logLevel", default: "info")
    guard let logLevel = Logger.Level(rawValue: level) else {
      throw SettingError(
        description: "logLevel: `\(level)` is none of trace, debug, info, notice, warning, error, critical")
    }
    self.logLevel = logLevel
    let format = reader.string(forKey: "logFormat", default: "text")
    guard format == "text" || format == "json" else {
      throw SettingError(description: "logFormat: text or json, not `\(format)`")
    }
    logsJSON = format == "json"
  }

  /// The address of a door that can be closed.
  private static func door(_ reader: ConfigReader, _ name: String, default address: String) throws -> ServerAddress? {
    let text = reader.scoped(to: ConfigKey(name)).string(forKey: "listen", default: address)
    guard text != "off" else { return nil }
    guard let address = ServerAddress(argument: text) else {
      throw SettingError(description: "\(name).listen: `\(text)` is neither HOST:PORT nor off")
    }
    return address
  }

  private static func httpRules(_ reader: ConfigReader) throws -> HTTPRules {
    var rules = HTTPRules()
    rules.hosts = Set(reader.stringArray(forKey: "hosts", default: []).map { $0.lowercased() })
    for host in rules.hosts where host.contains(":") || host.contains("/") || host.isEmpty {
      throw SettingError(description: "http.hosts: `\(host)` is no name of a host; leave out scheme and port")
    }
    rules.origins = Set(reader.stringArray(forKey: "origins", default: []))
    for origin in rules.origins where origin.wholeMatch(of: /https?:\/\/[a-z0-9.\-\[\]:]+/) == nil {
      throw SettingError(description: "http.origins: `\(origin)` is no origin; write it like https://example.org")
    }
    rules.openMetrics = try reader.flag("openMetrics", false)
    return rules
  }

  private static func reader(flags: [String: String], file: String?) throws -> ConfigReader {
    var values: [AbsoluteConfigKey: ConfigValue] = [:]
    for (name, value) in flags {
      let path = name.split(separator: ".").map(String.init)
      values[AbsoluteConfigKey(path)] = ConfigValue(.string(value), isSecret: false)
    }
    // A number that came as a flag is read as a number.
    if let loops = flags["loops"].flatMap(Int.init) { values["loops"] = ConfigValue(.int(loops), isSecret: false) }
    var providers: [any ConfigProvider] = [
      InMemoryProvider(name: "flags", values: values), EnvironmentVariablesProvider().prefixKeys(with: "heddle"),
    ]
    if let file {
      providers.append(InMemoryProvider(name: "file", values: try SettingFile(path: file).values))
    }
    return ConfigReader(providers: providers)
  }

  private static func drainDelay(_ reader: ConfigReader) throws -> Duration {
    let milliseconds = try reader.number("delayMilliseconds", 0)
    guard (0...3_600_000).contains(milliseconds) else {
      throw SettingError(description: "drain.delayMilliseconds: 0 to 3600000")
    }
    return .milliseconds(milliseconds)
  }

  private static func capture(_ reader: ConfigReader) throws -> CaptureFolder? {
    guard let path = reader.string(forKey: "folder") else { return nil }
    let folderBytes = try reader.number("folderBytes", 1 << 30)
    let bufferBytes = try reader.number("bufferBytes", 8 << 20)
    guard folderBytes >= 4_096 else { throw SettingError(description: "capture.folderBytes: at least 4096") }
    guard (1_024...1 << 30).contains(bufferBytes) else {
      throw SettingError(description: "capture.bufferBytes: 1024 to 1073741824")
    }
    return try CaptureFolder(path: path, maximumBytes: folderBytes, bufferBytes: bufferBytes)
  }

  private static func spans(_ reader: ConfigReader) throws -> SpanDestination? {
    let ratio = try reader.decimal("ratio", 0)
    guard (0...1).contains(ratio) else { throw SettingError(description: "otlp.ratio: 0 to 1") }
    var headers: [String: String] = [:]
    for line in reader.stringArray(forKey: "headers", isSecret: true, default: []) {
      guard let header = HeaderSetting.parse(line) else {
        throw SettingError(description: "otlp.headers: each is `Name: value` in printable ASCII")
      }
      headers[header.name] = header.value
    }
    guard let endpoint = reader.string(forKey: "endpoint") else { return nil }
    guard let destination = SpanDestination(endpoint: endpoint, ratio: ratio, headers: headers) else {
      throw SettingError(description: "otlp.endpoint: the base URL of a collector is wanted, as http://127.0.0.1:4318")
    }
    return destination
  }

  private static func audit(_ reader: ConfigReader) throws -> AuditLog? {
    let isRequired = try reader.flag("required", false)
    guard let path = reader.string(forKey: "file") else {
      if isRequired { throw SettingError(description: "audit.required: there is no audit.file") }
      return nil
    }
    do throws(AuditFault) { return try AuditLog(path: path, isRequired: isRequired) } catch {
      throw SettingError(description: "audit.file: \(error)")
    }
  }

  private static func rules(_ reader: ConfigReader) throws -> ServerRules {
    var rules = ServerRules()
    rules.catalog = try catalog(reader) ?? rules.catalog
    let features = reader.scoped(to: "features")
    rules.features = Features(
      multiAgent: try features.flag("multiAgent", true), multiAgentV2: try features.flag("multiAgentV2", false),
      multiAgentMode: try features.flag("multiAgentMode", false))
    let texts = reader.scoped(to: "texts")
    rules.texts.explicitMode = texts.string(forKey: "explicitMode", default: rules.texts.explicitMode)
    rules.texts.proactiveMode = texts.string(forKey: "proactiveMode", default: rules.texts.proactiveMode)
    rules.texts.rootHint = texts.string(forKey: "rootHint", default: rules.texts.rootHint)
    rules.texts.agentHint = texts.string(forKey: "agentHint", default: rules.texts.agentHint)
    rules.texts.interruption = texts.string(forKey: "interruption", default: rules.texts.interruption)
    rules.texts.compaction = texts.string(forKey: "compaction", default: rules.texts.compaction)
    rules.texts.summaryIntroduction = texts.string(
      forKey: "summaryIntroduction", default: rules.texts.summaryIntroduction)
    rules.texts.explorerRole = texts.string(forKey: "explorerRole", default: rules.texts.explorerRole)
    rules.texts.workerRole = texts.string(forKey: "workerRole", default: rules.texts.workerRole)
    rules.texts.spawnOptions = try texts.flag("spawnOptions", false)
    rules.texts.usageHints = try texts.flag("usageHints", true)
    rules.texts.interruptionMarker = try texts.flag("interruptionMarker", true)
    try LimitSettings.read(reader.scoped(to: "limits"), into: &rules.limits)
    try connections(reader.scoped(to: "connections"), into: &rules.limits)
    return rules
  }

  /// How long a connection that many callers share may live, in whole seconds.
  private static func connections(_ reader: ConfigReader, into limits: inout Limits) throws {
    for (name, path) in [
      ("maxAgeSeconds", \Limits.connectionAgeMilliseconds), ("maxAgeGraceSeconds", \.connectionGraceMilliseconds),
    ] {
      let seconds = try reader.number(name, Int(limits[keyPath: path] / 1_000))
      guard (0...31_536_000).contains(seconds) else {
        throw SettingError(description: "connections.\(name): 0 to 31536000")
      }
      limits[keyPath: path] = Int64(seconds) * 1_000
    }
  }

  /// The catalog of a server with this flag and this file of settings, for a command that reads no other setting.
  static func catalog(flag: String?, file: String?) throws -> Catalog {
    var flags: [String: String] = [:]
    flags["catalog"] = flag
    return try catalog(reader(flags: flags, file: file)) ?? .builtIn
  }

  private static func catalog(_ reader: ConfigReader) throws -> Catalog? {
    try reader.string(forKey: "catalog").map { try catalog($0) }
  }

  /// The file holds the answer of CatalogService/ListModels: `{"models": [{"id": …}]}`. A version that this server does
  /// not know counts as absent (rules.md V5).
  private static func catalog(_ path: String) throws -> Catalog {
    do {
      var codec = Codec()
      let value = withoutUnknownVersions(try JSONValue(parsing: try String(contentsOfFile: path, encoding: .utf8)))
      let bytes = try JSONTranscoder.wire(value, schema: ListModelsResponse.schemaIndex)
      let models = try codec.decodeTrusted(ListModelsResponse.self, bytes).models
      guard !models.isEmpty, models.allSatisfy({ !$0.id.isEmpty && !$0.provider.isEmpty }) else {
        throw SettingError(description: "catalog \(path): at least one model, each with id and provider")
      }
      guard Set(models.map(\.id)).count == models.count else {
        throw SettingError(description: "catalog \(path): an id stands twice")
      }
      return Catalog(models: models)
    } catch let error as SettingError {
      throw error
    } catch let error as JSONError {
      throw SettingError(description: "catalog \(path): \(error)")
    } catch {
      throw SettingError(description: "catalog \(path): the file cannot be read")
    }
  }

  private static func withoutUnknownVersions(_ value: JSONValue) -> JSONValue {
    let known = Set(MultiAgentVersion.allCases.map(\.name))
    func clean(_ value: JSONValue) -> JSONValue {
      switch value {
      case .object(let members):
        return .object(
          members.compactMap { member in
            if member.name == "version", case .text(let text) = member.value {
              let name = text.uppercased()
              return known.contains(name) && name != "UNSPECIFIED" ? JSONValue.Member("version", .text(name)) : nil
            }
            return JSONValue.Member(member.name, clean(member.value))
          })
      case .list(let list): return .list(list.map(clean))
      default: return value
      }
    }
    return clean(value)
  }

  /// `[{"when": "text of the user", "then": "what it is taken for"}]`
  private static func script(_ path: String) throws -> [ScriptedModelProvider.Rule] {
    let lines = (try? JSONValue(parsing: String(contentsOfFile: path, encoding: .utf8)))?.elements
    let rules = lines?.compactMap { line -> ScriptedModelProvider.Rule? in
      guard let when = line["when"]?.string, let then = line["then"]?.string else { return nil }
      return ScriptedModelProvider.Rule(when: when, then: then)
    }
    guard let lines, let rules, rules.count == lines.count else {
      throw SettingError(description: "modelScript \(path): not a list of {\"when\": …, \"then\": …}")
    }
    return rules
  }
}
