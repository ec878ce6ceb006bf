// heddle serve --data DIR --listen 127.0.0.1:7420

import ArgumentParser
import CMalloc
import Foundation
import HeddleCore
import HeddleJSON
import HeddleModels
import HeddleProtocol
import HeddleRuntime
import HeddleServer
import HeddleService
import HeddleStorage
import HeddleTraces
import Logging
import ServiceLifecycle
import Synchronization
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the server.",
    discussion: """
      Prints one JSON object when it is ready, logs to standard error, ends cleanly on SIGTERM or SIGINT. Every option \
      can also be set in the environment (HEDDLE_LISTEN, HEDDLE_TOKEN_FILE, …) or in the file that --config names; \
      flags win over the environment, the environment over the file.
      """)

  @Option(name: .long, help: "The data folder (default: data).")
  var data: String?

  @Option(name: .long, help: "HOST:PORT; port 0 chooses one (default: 127.0.0.1:7420).")
  var listen: String?

  @Option(name: .long, help: "HOST:PORT of the gRPC door, or off (default: 127.0.0.1:7421).")
  var grpc: String?

  @Option(name: .long, help: "HOST:PORT of the HTTP door, or off (default: 127.0.0.1:7422).")
  var http: String?

  @Option(name: .long, help: "File of tokens, a line each: TOKEN TENANT [admin]. Switches authentication on.")
  var tokenFile: String?

  @Option(
    name: .long, help: "File of the server's certificate, and of those between it and its authority, in PEM form.")
  var tlsCertificate: String?

  @Option(name: .long, help: "File of the certificate's private key. Both switch TLS on.")
  var tlsKey: String?

  @Option(name: .long, help: "JSON file of the model catalog (default: built in).")
  var catalog: String?

  @Option(name: .long, help: "JSON file that tells the scripted model what to answer.")
  var modelScript: String?

  @Option(name: .long, help: "File to which every request to the scripted model is appended, without people's text.")
  var modelRecord: String?

  @Flag(name: .long, help: "Put people's text into the model record too.")
  var modelRecordText = false

  @Option(name: .long, help: "Event loops (default: one a core).")
  var loops: Int?

  @Option(
    name: .long, help: "trace, debug, info, notice, warning, error or critical (default: info).",
    completion: .list(Logger.Level.allCases.map(\.rawValue)))
  var logLevel: String?

  @Option(name: .long, help: "text or json (default: text).", completion: .list(["text", "json"]))
  var logFormat: String?

  @Option(name: .long, help: "JSON file of further settings, see docs/configuration.md.")
  var config: String?

  @Flag(name: .long, help: "Print every key of that file with the type of its value, as JSON lines, and end.")
  var listSettings = false

  func run() async throws {
    guard !listSettings else { return printSettings() }
    // Before anything starts a thread.
    try checkAddressSpace(loops: loops ?? ProcessInfo.processInfo.activeProcessorCount)
    // glibc raises this threshold by itself, after which large frames leave holes in the heap that are never given
    // back; held still, what a large page took is returned when the page is gone.
    mallopt(M_MMAP_THRESHOLD, 128 * 1024)
    var settings: ServeSettings
    do { settings = try await ServeSettings.read(flags: flags, file: config) } catch {
      printError("\(error)")
      throw Exit.configuration
    }
    try checkAddressSpace(loops: settings.loops)
    let budget = LogBudget()
    let levels = LogLevels(settings.logLevel)
    settings.httpRules.logLevel = levels.control
    LoggingSystem.bootstrap { [logsJSON = settings.logsJSON] label -> any LogHandler in
      BoundedLogHandler(
        logsJSON ? JSONLogHandler(label: label) : StreamLogHandler.standardError(label: label), budget,
        levels)
    }
    var logger = Logger(label: "heddle")
    logger.logLevel = settings.logLevel
    if let refusal = settings.server.refusal {
      printError(refusal.description)
      throw Exit.configuration
    }
    let store = try open(settings.data)
    let outcome = StorageOutcome()
    let hangups = await UnixSignalsSequence(trapping: .sighup)
    do {
      try await ServiceGroup(
        services: services(settings, store, outcome, hangups, logger),
        gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
      ).run()
    } catch let error as StartError {
      store.close()
      printError("\(error)")
      throw error.isTemporary ? Exit.temporary : Exit.configuration
    } catch let error as StoreError {
      store.close()
      throw exit(error, settings.data)
    }
    store.close()
    // A signal may have come before the process ended by itself.
    if outcome.hasFailed.load(ordering: .relaxed) { throw Exit.temporary }
  }

  private func services(
    _ settings: ServeSettings, _ store: any Store, _ outcome: StorageOutcome, _ hangups: UnixSignalsSequence,
    _ logger: Logger
  ) -> [any Service] {
    let supervisor = Supervisor()
    let spans = settings.spans.map {
      SpanExporter($0, version: Program.version, node: store.node.description, logger: logger)
    }
    let server = ServerService(
      settings: settings, store: store, spans: spans, outcome: outcome, supervisor: supervisor, logger: logger)
    let credentials = CredentialWatch(settings, logger: logger)
    // They end in the opposite order.
    var services: [any Service] = [server, MemoryReturn()]
    if let spans { services.insert(TraceService(exporter: spans), at: 0) }
    if let credentials { services.append(credentials) }
    services.append(
      ReloadSignal(
        supervisor: supervisor, hangups: hangups,
        reloads: [
          {
            do throws(AuditFault) { try settings.audit?.reopen() } catch {
              logger.error("the audit file is written on as it was", metadata: ["cause": "\(error)"])
            }
          }, { await credentials?.reload() },
        ]))
    return services
  }

  private func checkAddressSpace(loops: Int) throws {
    guard let shortage = AddressSpace.shortage(loops: min(loops, 256)) else { return }
    printError(shortage)
    throw Exit.configuration
  }

  private var flags: [String: String] {
    var flags: [String: String] = [:]
    flags["data"] = data
    flags["listen"] = listen
    flags["grpc.listen"] = grpc
    flags["http.listen"] = http
    flags["tokenFile"] = tokenFile
    flags["tls.certificate"] = tlsCertificate
    flags["tls.key"] = tlsKey
    flags["catalog"] = catalog
    flags["modelScript"] = modelScript
    flags["modelRecord"] = modelRecord
    flags["modelRecordText"] = modelRecordText ? "true" : nil
    flags["loops"] = loops.map { "\($0)" }
    flags["logLevel"] = logLevel
    flags["logFormat"] = logFormat
    return flags
  }

  private func printSettings() {
    for (key, type) in SettingTable.keys.sorted(by: { $0.key < $1.key }) {
      printLine(JSONValue.object(["key": .text(key), "type": .text(type.rawValue)]).written())
    }
  }

  private func open(_ folder: String) throws -> any Store {
    do throws(StoreError) { return try Stores.open(folder) } catch { throw exit(error, folder) }
  }

  /// Says why the folder cannot be served.
  private func exit(_ error: StoreError, _ folder: String) -> ExitCode {
    printError(describe(error, folder: folder))
    if case .unusable = error { return Exit.configuration }
    return Exit.temporary
  }
}

/// Whether the exit code has to tell a supervisor of a failed disk, even after a signal (durability.md D8).
final class StorageOutcome: Sendable {
  let hasFailed = Atomic(false)
}

/// The server between the signals: started, ready, drained.
struct ServerService: Service, CustomStringConvertible {
  /// The name that logs show of it: never its settings, which hold the providers' keys.
  var description: String { "heddle" }

  let settings: ServeSettings
  let store: any Store
  let spans: SpanExporter?
  let outcome: StorageOutcome
  let supervisor: Supervisor
  let logger: Logger

  func run() async throws {
    var configuration = settings.server
    configuration.spans = spans
    configuration.cursorKey = try CursorKeyFile.read(in: settings.data)
    let transport = try transport()
    let server = try await HeddleServer.start(
      configuration, store: store, providers: providers(transport), logger: logger
    ) { [outcome] _ in
      outcome.hasFailed.store(true, ordering: .relaxed)
      // Nobody knows what reached the disk, so nothing more is promised: the GOAWAYs leave, then the process ends
      // without touching the disk again (durability.md D8).
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(200)) { exit(Exit.temporary.rawValue) }
    }
    let encrypted = server.addresses.keys.filter { settings.security[$0]?.tls != nil }.sorted()
    printLine(
      JSONValue.object([
        "ready": .bool(true), "listen": .text(server.address),
        "grpc": .text(server.addresses["grpc"] ?? "off"), "http": .text(server.addresses["http"] ?? "off"),
        "data": .text(settings.data),
        "pid": .count(ProcessInfo.processInfo.processIdentifier), "version": .text(Program.version),
        "authentication": .text(settings.authentication?.description ?? "none"),
        "tls": .text(encrypted.isEmpty ? "none" : encrypted.joined(separator: ",")),
      ]).written())
    supervisor.tell(.ready("serves on \(server.address)"))
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { await supervisor.watch { await server.loopsAnswer() } }
      try await gracefulShutdown()
      await leave(server)
      group.cancelAll()
    }
    store.close()
    await server.end()
    await transport?.shutdown()
  }

  /// From the signal to the end of the work.
  private func leave(_ server: HeddleServer) async {
    server.announceDrain()
    supervisor.tell(.stopping("leaves; new requests are served for \(settings.drainDelay)"))
    await DrainDelay.wait(settings.drainDelay)
    supervisor.tell(.stopping("drains"))
    await server.drain()
  }

  /// The HTTP client, if any provider needs it.
  private func transport() throws -> HTTPTransport? {
    guard !settings.providers.isEmpty else { return nil }
    do throws(TransportError) {
      return try HTTPTransport(
        authorityFiles: settings.providers.compactMap(\.authorityFile),
        connectMilliseconds: settings.providers.map(\.timeouts.connect).max() ?? 0)
    } catch {
      throw StartError(description: "providers: \(error)", isTemporary: false)
    }
  }

  private func providers(_ transport: HTTPTransport?) -> [any ModelProvider] {
    var providers: [any ModelProvider] = [ScriptedModelProvider(script: settings.script, record: settings.record)]
    if let transport {
      providers += settings.providers.map { HTTPModelProvider($0, transport: transport, logger: logger) }
    }
    let names = Set(providers.map { $0.name })
    for model in settings.rules.catalog.models where !names.contains(model.provider) {
      logger.warning(
        "a model of the catalog names a provider that is not configured; its turns will fail",
        metadata: ["model": "\(model.id)", "provider": "\(model.provider)"])
    }
    return providers
  }
}
