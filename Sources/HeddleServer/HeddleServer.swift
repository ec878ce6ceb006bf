// The server as a program starts it: bind, say where, serve, drain, end. SIGTERM means: no new streams, what was accepted
// is answered, then the end, at the latest after the drain's deadline.

import Foundation
import HeddleCore
import HeddleRuntime
import HeddleStorage
import Logging
import NIOCore
import NIOPosix

/// How a server is started.
public struct ServerConfiguration: Sendable {
  public var host = "127.0.0.1"
  public var port = 7420
  /// Without one everybody is the tenant `default` and an operator.
  public var authentication: Authentication?
  public var rules = ServerRules()
  public var loops = System.coreCount
  /// Where recordings are written; nil: there are none.
  public var capture: CaptureFolder?
  public var cursorKey: [UInt8]
  public var version: String

  public init(cursorKey: [UInt8], version: String) {
    self.cursorKey = cursorKey
    self.version = version
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

/// Why a server does not start; the text says what to do.
public struct StartError: Error, CustomStringConvertible {
  public let description: String
  /// It may pass without a change of the configuration.
  public var isTemporary = false

  public init(description: String, isTemporary: Bool = false) {
    self.description = description
    self.isTemporary = isTemporary
  }

  /// Whoever can reach the address could do everything.
  public static func open(_ host: String) -> StartError {
    StartError(
      description: "\(host) can be reached from other machines; start with --token-file or jwt settings, or listen on "
        + "127.0.0.1")
  }
}

/// A running server.
public final class HeddleServer: Sendable {
  public let manager: SessionManager
  private let core: ServerCore
  private let group: MultiThreadedEventLoopGroup
  private let listener: any Channel
  private let logger: Logger

  /// The address in use, `127.0.0.1:7420`.
  public let address: String

  /// Recovers what the last server left, then binds and serves.
  public static func start(
    _ configuration: ServerConfiguration, store: any Store, providers: [any ModelProvider], logger: Logger,
    onStorageFailure: @escaping StorageFailure
  ) async throws -> HeddleServer {
    guard configuration.authentication != nil || isLoopback(configuration.host) else {
      throw StartError.open(configuration.host)
    }
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
    let manager = SessionManager(
      store: store, group: group, rules: rules, providers: providers, clock: .system,
      seed: .random(in: .min ... .max), logger: logger, onStorageFailure: onStorageFailure)
    try await manager.recover()
    let core = ServerCore(
      manager: manager, limits: rules.limits, authentication: configuration.authentication,
      signer: CursorSigner(key: configuration.cursorKey), version: configuration.version,
      capture: configuration.capture, logger: logger)
    let listener: any Channel
    do { listener = try await listen(configuration, group, core) } catch {
      await manager.stop()
      throw StartError(
        description: "cannot listen on \(configuration.host):\(configuration.port): \(words(error)); "
          + "choose another --listen",
        isTemporary: true)
    }
    return HeddleServer(manager: manager, core: core, group: group, listener: listener, logger: logger)
  }

  /// The system's own words: NIO's errors name functions of its own.
  private static func words(_ error: any Error) -> String {
    switch error {
    case let error as IOError: String(cString: strerror(error.errnoCode))
    case is SocketAddressError.UnknownHost: "the name of the host is not known"
    default: "the address cannot be used"
    }
  }

  private init(
    manager: SessionManager, core: ServerCore, group: MultiThreadedEventLoopGroup, listener: any Channel,
    logger: Logger
  ) {
    self.manager = manager
    self.core = core
    self.group = group
    self.listener = listener
    self.logger = logger
    let local = listener.localAddress
    let host = local?.ipAddress ?? "?"
    address = host.contains(":") ? "[\(host)]:\(local?.port ?? 0)" : "\(host):\(local?.port ?? 0)"
  }

  /// By the address itself: a name that begins like one may be anybody's (attacks.md A16).
  public static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" { return true }
    switch try? SocketAddress(ipAddress: host, port: 0) {
    case .v4(let address): return UInt32(bigEndian: address.address.sin_addr.s_addr) >> 24 == 127
    case .v6: return host == "::1"
    case .unixDomainSocket, nil: return false
    }
  }

  private static func listen(
    _ configuration: ServerConfiguration, _ group: MultiThreadedEventLoopGroup, _ core: ServerCore
  ) async throws -> any Channel {
    let high = core.limits.outgoingBytes
    let reads = AdaptiveRecvByteBufferAllocator(minimum: 1_024, initial: 2_048, maximum: core.limits.readBytes)
    return try await ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1_024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.writeBufferWaterMark, value: .init(low: high / 4, high: high))
      // One read at a time, and no large one: a channel keeps its buffers for as long as it lives, so what a connection
      // has once sent would cost 64 KiB and more for ever, and the budget of half frames could be missed by as much for
      // each connection (attacks.md R1, R13).
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(.recvAllocator, value: reads)
      .childChannelInitializer { channel in
        guard let context = core.context(of: channel.eventLoop), let loop = core.loop(context) else {
          return channel.close()
        }
        let address = channel.remoteAddress?.ipAddress ?? "?"
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Connection(core: core, loop: loop, address: address))
        }
      }
      .bind(host: configuration.host, port: configuration.port).get()
  }

  /// Nothing new, what was accepted is answered, running turns may end, at most until the deadline. A turn that still
  /// runs then is found by the next start, which ends it (durability.md D5). The store may be closed after this.
  public func drain() async {
    core.beginDraining()
    manager.goAway(Refusal(.shuttingDown))
    try? await listener.close()
    let deadline = manager.clock.instant() + core.limits.drainMilliseconds
    while manager.clock.instant() < deadline, isBusy { try? await Task.sleep(for: .milliseconds(20)) }
    await core.capture.shutDown(core.allLoops)
    await manager.stop()
  }

  private var isBusy: Bool { core.counters.inFlight.load(ordering: .relaxed) > 0 || manager.index.running() > 0 }

  /// Closes what is open and ends the loops.
  public func end() async {
    try? await group.shutdownGracefully()
    logger.info("the server has ended")
  }
}

extension RuntimeClock {
  /// The machine's clocks.
  public static var system: RuntimeClock {
    RuntimeClock(
      now: { Int64(Date().timeIntervalSince1970 * 1_000) },
      instant: { Int64(clamping: NIODeadline.now().uptimeNanoseconds / 1_000_000) })
  }
}
