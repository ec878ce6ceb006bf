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
  public var tokens: Tokens?
  public var rules = ServerRules()
  public var loops = System.coreCount
  public var cursorKey: [UInt8]
  public var version: String

  public init(cursorKey: [UInt8], version: String) {
    self.cursorKey = cursorKey
    self.version = version
  }

  /// Without tokens there is one tenant, so nothing has to be protected from anybody: no quotas.
  var limits: Limits {
    var limits = rules.limits
    if tokens == nil {
      limits.connectionsPerTenant = 0
      limits.connectionsPerAddressBeforeHello = .max
      limits.subscriptionsPerTenant = 0
      limits.requestsPerSecond = 0
      limits.runningTurnsPerTenant = 0
    }
    return limits
  }
}

/// Why a server does not start; the text says what to do.
public struct StartError: Error, CustomStringConvertible {
  public let description: String
  /// It may pass without a change of the configuration.
  public var isTemporary = false

  /// Whoever can reach the address could do everything.
  public static func open(_ host: String) -> StartError {
    StartError(
      description: "\(host) can be reached from other machines; start with --token-file, or listen on 127.0.0.1")
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
    guard configuration.tokens != nil || isLoopback(configuration.host) else {
      throw StartError.open(configuration.host)
    }
    let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.loops))
    var rules = configuration.rules
    rules.limits = configuration.limits
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
      manager: manager, limits: rules.limits, tokens: configuration.tokens,
      signer: CursorSigner(key: configuration.cursorKey), version: configuration.version, logger: logger)
    let listener: any Channel
    do { listener = try await listen(configuration, group, core) } catch {
      await manager.stop()
      throw StartError(
        description: "cannot listen on \(configuration.host):\(configuration.port): \(error); choose another --listen",
        isTemporary: true)
    }
    return HeddleServer(manager: manager, core: core, group: group, listener: listener, logger: logger)
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

  public static func isLoopback(_ host: String) -> Bool {
    host == "localhost" || host == "::1" || host.hasPrefix("127.")
  }

  private static func listen(
    _ configuration: ServerConfiguration, _ group: MultiThreadedEventLoopGroup, _ core: ServerCore
  ) async throws -> any Channel {
    let high = core.limits.outgoingBytes
    return try await ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1_024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.writeBufferWaterMark, value: .init(low: high / 4, high: high))
      .childChannelOption(.maxMessagesPerRead, value: 4)
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

  /// Returns when the listener has closed.
  public func untilClosed() async throws { try await listener.closeFuture.get() }

  /// Nothing new, what was accepted is answered, running turns may end, at most until the deadline. A turn that still
  /// runs then is found by the next start, which ends it (durability.md D5). The store may be closed after this.
  public func drain() async {
    core.beginDraining()
    manager.goAway(Refusal(.shuttingDown))
    try? await listener.close()
    let deadline = manager.clock.instant() + core.limits.drainMilliseconds
    while manager.clock.instant() < deadline, isBusy { try? await Task.sleep(for: .milliseconds(20)) }
    await manager.stop()
  }

  private var isBusy: Bool { core.counters.inFlight.load(ordering: .relaxed) > 0 || manager.index.running() > 0 }

  /// Closes what is open and ends the loops.
  public func end() async {
    try? await group.shutdownGracefully()
    try? await manager.readPool.shutDown()
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
