// The server as a program starts it: bind, say where, serve, drain, end. SIGTERM means: no new streams, accepted
// requests are answered, then the end, at the latest after the drain's deadline.

import Foundation
import HeddleCore
import HeddleFrames
import HeddleGRPC
import HeddleHTTP
import HeddleListener
import HeddleMetrics
import HeddleRecorder
import HeddleRuntime
import HeddleService
import HeddleStorage
import HeddleTokens
import Logging
import NIOCore
import NIOPosix

/// The address of a door.
public struct DoorAddress: Equatable, Sendable {
  public var host: String
  public var port: Int

  public init(host: String, port: Int) {
    self.host = host
    self.port = port
  }
}

/// How a server is started.
public struct ServerConfiguration: Sendable {
  public var host = "127.0.0.1"
  public var port = 7420
  /// Sockets that a parent listens on, by door: they take the place of host and port.
  public var inherited: [String: CInt] = [:]
  /// The doors of gRPC and HTTP; nil: closed.
  public var grpc: DoorAddress?
  public var http: DoorAddress?
  public var httpRules = HTTPRules()
  /// Without one every client is the tenant `default` and an operator.
  public var authentication: Authentication?
  public var rules = ServerRules()
  public var loops = System.coreCount
  /// The folder that recordings are written to; nil: there are none.
  public var capture: CaptureFolder?
  /// The log of what operators do; nil: there is none.
  public var audit: AuditLog?
  /// The receiver of spans; nil: none are made.
  public var spans: (any SpanSink)?
  public var cursorKey: [UInt8]
  public var version: String

  /// How doors protect their connections, by the doors' names in the ready line.
  public var security: [String: DoorSecurity] = [:]

  public init(cursorKey: [UInt8], version: String) {
    self.cursorKey = cursorKey
    self.version = version
  }

  /// The addresses of all doors.
  private var addresses: [ListenerAddress] {
    [address("listen", host, port)] + [grpcAddress, httpAddress].compactMap(\.self)
  }

  private var grpcAddress: ListenerAddress? { grpc.map { address("grpc", $0.host, $0.port) } }
  private var httpAddress: ListenerAddress? { http.map { address("http", $0.host, $0.port) } }

  private func address(_ name: String, _ host: String, _ port: Int) -> ListenerAddress {
    ListenerAddress(
      name: name, host: host, port: port, security: security[name] ?? DoorSecurity(), inherited: inherited[name])
  }

  /// The ways in.
  var doors: [any Door] {
    var doors: [any Door] = [FrameDoor(address("listen", host, port))]
    if let grpcAddress { doors.append(GRPCDoor(grpcAddress)) }
    if let httpAddress { doors.append(HTTPDoor(httpAddress, httpRules, frames: FrameDoor.connections)) }
    return doors
  }

  /// Why a door must not open at its address; nil: every one may.
  public var refusal: StartError? {
    addresses.compactMap { $0.security.refusal(host: $0.host, knowsCallers: authentication != nil) }.first
  }

  /// Without authentication there is one tenant, so nothing has to be protected from anybody: no quotas.
  var limits: Limits {
    var limits = rules.limits
    if authentication == nil {
      limits.connectionsPerTenant = 0
      limits.connectionsPerAddressBeforeHello = .max
      limits.subscriptionsPerTenant = 0
      limits.requestsPerSecond = 0
      limits.runningTurnsPerTenant = 0
      limits.ephemeralBytesPerTenant = 0
    }
    return limits
  }
}

/// A running server.
public final class HeddleServer: Sendable {
  public let manager: SessionManager
  private let core: ServerCore
  private let group: MultiThreadedEventLoopGroup
  private let doors: [any OpenDoor]
  private let logger: Logger

  /// The addresses in use, by the doors' names in the ready line: `listen` is `127.0.0.1:7420`.
  public let addresses: [String: String]

  /// The address of the frame door.
  public var address: String { addresses["listen"] ?? "" }

  /// Recovers the threads that the last server left, then binds and serves.
  public static func start(
    _ configuration: ServerConfiguration, store: any Store, providers: [any ModelProvider], logger: Logger,
    clock: RuntimeClock = .system, onStorageFailure: @escaping StorageFailure
  ) async throws -> HeddleServer {
    if let refusal = configuration.refusal { throw refusal }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.loops))
    var rules = configuration.rules
    rules.limits = configuration.limits
    let asked = rules.limits
    rules.limits = asked.fitting(memory: MemoryLimit.bytes())
    if rules.limits != asked {
      logger.notice(
        "there is little memory: limits are lowered",
        metadata: [
          "bufferedBytes": "\(rules.limits.bufferedBytes)", "ephemeralBytes": "\(rules.limits.ephemeralBytes)",
          "outgoingBytes": "\(rules.limits.outgoingBytes)", "loadedThreads": "\(rules.limits.loadedThreads)",
          "contextBytes": "\(rules.limits.contextBytes)",
          "waitingWriteBytes": "\(rules.limits.waitingWriteBytes)",
        ])
    }
    let fitting = Descriptors.connections(rules.limits)
    if fitting < rules.limits.connections {
      logger.notice("the descriptor limit allows fewer connections", metadata: ["connections": "\(fitting)"])
      rules.limits.connections = fitting
    }
    let metrics = Metrics(store: store.metrics)
    let manager = SessionManager(
      store: store, group: group, rules: rules, providers: providers, clock: clock, metrics: metrics,
      seed: .random(in: .min ... .max), logger: logger, spans: configuration.spans,
      onStorageFailure: onStorageFailure)
    try await manager.recover()
    let core = ServerCore(
      manager: manager, limits: rules.limits, authentication: configuration.authentication,
      signer: CursorSigner(key: configuration.cursorKey), version: configuration.version,
      recording: CaptureControl(folder: configuration.capture, metrics: metrics.captures, logger: logger),
      audit: configuration.audit, logger: logger)
    var doors: [any OpenDoor] = []
    var addresses: [String: String] = [:]
    for door in configuration.doors {
      do {
        let open = try await door.open(core, on: group)
        doors.append(open)
        addresses[door.name] = open.address
      } catch {
        for open in doors { await open.stopAccepting() }
        await manager.stop()
        throw error
      }
    }
    return HeddleServer(
      manager: manager, core: core, group: group, doors: doors, addresses: addresses, logger: logger)
  }

  private init(
    manager: SessionManager, core: ServerCore, group: MultiThreadedEventLoopGroup, doors: [any OpenDoor],
    addresses: [String: String], logger: Logger
  ) {
    self.manager = manager
    self.core = core
    self.group = group
    self.doors = doors
    self.addresses = addresses
    self.logger = logger
  }

  /// The drain will begin soon: health says so. Connections and requests are served as before.
  public func announceDrain() { core.announceDrain() }

  /// Returns when each event loop has answered, which one that hangs never does.
  public func loopsAnswer() async {
    for loop in group.makeIterator() { try? await loop.submit {}.get() }
  }

  /// No new work, accepted requests are answered, running turns may end, at most until the deadline. A turn that still
  /// runs then is found by the next start, which ends it (durability.md D5). The store may be closed after this.
  public func drain() async {
    let deadline = manager.clock.instant() + core.limits.drainMilliseconds
    core.beginDraining()
    // In this order everybody who is in hears it.
    for door in doors { await door.stopAccepting() }
    manager.goAway(Refusal(.shuttingDown))
    // Clients of shared connections hear that the server goes, and answer, before their last calls come.
    let soonest = manager.clock.instant() + (hasShared ? Self.farewellMilliseconds : 0)
    while manager.clock.instant() < deadline, isBusy || manager.clock.instant() < soonest {
      try? await Task.sleep(for: .milliseconds(20))
    }
    core.beginEnding()
    let end = manager.clock.instant() + Self.endingMilliseconds
    while manager.clock.instant() < end, hasShared { try? await Task.sleep(for: .milliseconds(20)) }
    await core.recording.shutDown(core.allLoops)
    await manager.stop()
  }

  private func hasConnections() async -> Bool {
    for loop in core.allLoops {
      if let isEmpty = try? await loop.context.eventLoop.submit({ loop.isEmpty }).get(), !isEmpty { return true }
    }
    return false
  }

  /// From the first word of a drain to its last: two looks of every connection, and a client's answer between them.
  private static let farewellMilliseconds: Int64 = 750
  /// For the last streams to end and their clients to read that.
  private static let endingMilliseconds: Int64 = 1_000

  /// There are connections of which clients do not know by themselves when they end.
  private var hasShared: Bool {
    core.metrics.loops.contains { $0.grpc.connections.value + $0.http.connections.value > 0 }
  }

  private var isBusy: Bool { core.metrics.requestsInFlight > 0 || core.metrics.turnsRunning > 0 }

  /// Closes the sockets that are open and ends the loops. Connections get a second to take their goodbye: a socket that
  /// is closed at once resets its peer, which may then never read what it was sent.
  public func end() async {
    for loop in core.allLoops { try? await loop.context.eventLoop.submit { loop.endConnections() }.get() }
    let deadline = NIODeadline.now() + .seconds(1)
    while await hasConnections(), NIODeadline.now() < deadline { try? await Task.sleep(for: .milliseconds(5)) }
    try? await group.shutdownGracefully()
    logger.info("the server has ended")
  }
}

extension RuntimeClock {
  /// The machine's clocks.
  public static var system: RuntimeClock {
    RuntimeClock(
      now: { Int64(Date().timeIntervalSince1970 * 1_000) },
      instant: { Int64(clamping: NIODeadline.now().uptimeNanoseconds / 1_000_000) },
      nanoseconds: { Int(clamping: NIODeadline.now().uptimeNanoseconds) })
  }
}
