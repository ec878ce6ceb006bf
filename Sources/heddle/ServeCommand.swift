// heddle serve --data DIR --listen 127.0.0.1:7420

import ArgumentParser
import CMalloc
import Foundation
import HeddleCore
import HeddleModels
import HeddleProtocol
import HeddleServer
import HeddleStorage
import Logging
import ServiceLifecycle

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

  @Option(name: .long, help: "File of tokens, a line each: TOKEN TENANT [admin]. Switches authentication on.")
  var tokenFile: String?

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

  @Option(name: .long, help: "trace, debug, info, notice, warning, error or critical (default: info).")
  var logLevel: String?

  @Option(name: .long, help: "text or json (default: text).")
  var logFormat: String?

  @Option(name: .long, help: "JSON file of further settings, see docs/configuration.md.")
  var config: String?

  func run() async throws {
    // glibc raises this threshold by itself, after which large frames leave holes in the heap that are never given
    // back; held still, what a large page took is returned when the page is gone.
    mallopt(M_MMAP_THRESHOLD, 256 * 1024)
    let settings: ServeSettings
    do { settings = try await ServeSettings(flags: flags, file: config) } catch {
      printError("\(error)")
      throw Exit.configuration
    }
    LoggingSystem.bootstrap { label -> any LogHandler in
      settings.logsJSON ? JSONLogHandler(label: label) : StreamLogHandler.standardError(label: label)
    }
    var logger = Logger(label: "heddle")
    logger.logLevel = settings.logLevel
    guard settings.tokens != nil || HeddleServer.isLoopback(settings.listen.host) else {
      printError(StartError.open(settings.listen.host).description)
      throw Exit.configuration
    }
    let store = try open(settings.data)
    let service = ServerService(settings: settings, store: store, logger: logger)
    do {
      try await ServiceGroup(
        services: [service], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
      ).run()
    } catch let error as StartError {
      store.close()
      printError("\(error)")
      throw error.isTemporary ? Exit.temporary : Exit.configuration
    }
    store.close()
  }

  private var flags: [String: String] {
    var flags: [String: String] = [:]
    flags["data"] = data
    flags["listen"] = listen
    flags["tokenFile"] = tokenFile
    flags["catalog"] = catalog
    flags["modelScript"] = modelScript
    flags["modelRecord"] = modelRecord
    flags["modelRecordText"] = modelRecordText ? "true" : nil
    flags["loops"] = loops.map { "\($0)" }
    flags["logLevel"] = logLevel
    flags["logFormat"] = logFormat
    return flags
  }

  private func open(_ folder: String) throws -> SQLiteStore {
    do throws(StoreError) { return try SQLiteStore(folder: folder) } catch {
      printError(describe(error, folder: folder))
      if case .unusable = error { throw Exit.configuration }
      throw Exit.temporary
    }
  }
}

/// The server between the signals: started, ready, drained.
struct ServerService: Service, CustomStringConvertible {
  /// What logs show of it: never its settings, which hold the tokens' digests.
  var description: String { "heddle" }

  let settings: ServeSettings
  let store: SQLiteStore
  let logger: Logger

  func run() async throws {
    var configuration = ServerConfiguration(
      cursorKey: try CursorKeyFile.read(in: settings.data), version: Heddle.version)
    configuration.host = settings.listen.host
    configuration.port = settings.listen.port
    configuration.tokens = settings.tokens
    configuration.rules = settings.rules
    configuration.loops = settings.loops
    let server = try await HeddleServer.start(
      configuration, store: store, providers: [ScriptedModelProvider(script: settings.script, record: settings.record)],
      logger: logger
    ) { _ in
      // What reached the disk is not known, so nothing more is promised: the GOAWAYs leave, then the process ends
      // without touching the disk again (durability.md D8).
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(200)) { exit(Exit.temporary.rawValue) }
    }
    printLine(
      JSONValue.object([
        "ready": .bool(true), "listen": .text(server.address), "data": .text(settings.data),
        "pid": .count(ProcessInfo.processInfo.processIdentifier), "version": .text(Heddle.version),
        "authentication": .text(settings.tokens == nil ? "none" : "token"),
      ]).written())
    try await gracefulShutdown()
    await server.drain()
    store.close()
    await server.end()
  }
}
