// What all connections of a server share.

import HeddleCore
import HeddleProtocol
import HeddleRuntime
import Logging
import NIOCore
import Synchronization

/// One server. Values that never change, and counters that say how they are shared.
final class ServerCore: Sendable {
  let manager: SessionManager
  let limits: Limits
  let quotas: Quotas
  let tokens: Tokens?
  let signer: CursorSigner
  let version: String
  let startedAt: Int64
  let logger: Logger
  let counters = ServerCounters()
  private let draining = Atomic<Bool>(false)
  private let loops: Mutex<[Int: LoopState]> = Mutex([:])

  init(
    manager: SessionManager, limits: Limits, tokens: Tokens?, signer: CursorSigner, version: String, logger: Logger
  ) {
    self.manager = manager
    self.limits = limits
    self.tokens = tokens
    self.signer = signer
    self.version = version
    self.logger = logger
    quotas = Quotas(limits: limits)
    startedAt = manager.clock.instant()
    for context in manager.contexts {
      let loop = LoopState(context: context, core: self)
      loops.withLock { $0[context.index] = loop }
    }
  }

  func loop(_ context: LoopContext) -> LoopState? { loops.withLock { $0[context.index] } }

  /// The context of an event loop of the server's own group.
  func context(of eventLoop: any EventLoop) -> LoopContext? {
    manager.contexts.first { $0.eventLoop === eventLoop }
  }

  var isDraining: Bool { draining.load(ordering: .relaxed) }
  func beginDraining() { draining.store(true, ordering: .relaxed) }

  var serving: ServingStatus {
    if isDraining { return .draining }
    return manager.isReadOnly ? .readOnly : .serving
  }
}

/// Counted for `ServerService/Status` and for the drain.
final class ServerCounters: Sendable {
  let inFlight = Atomic<Int>(0)
  /// Bytes of frames that are not complete, of all connections (attacks.md R13).
  let buffered = Atomic<Int>(0)
  let tlsOnPlain = Atomic<Int>(0)
}

/// What the connections of one loop share: buffers are reused, deadlines are looked at together. Confined to the loop,
/// which is the proof for `@unchecked Sendable`.
final class LoopState: @unchecked Sendable {
  let context: LoopContext
  var codec: Codec
  var ids: IDGenerator
  private unowned let core: ServerCore
  private var connections: [ObjectIdentifier: Connection] = [:]
  private var ticks: RepeatedTask?

  init(context: LoopContext, core: ServerCore) {
    self.context = context
    self.core = core
    var limits = DecodeLimits()
    limits.nesting = core.limits.nesting
    limits.repeatedElements = core.limits.repeatedElements
    limits.unknownFields = core.limits.unknownFields
    codec = Codec(limits: limits)
    ids = IDGenerator(seed: .random(in: .min ... .max))
  }

  func add(_ connection: Connection) {
    connections[ObjectIdentifier(connection)] = connection
    guard ticks == nil else { return }
    // Often enough for the shortest deadline of the protocol, 5 s, to be kept within 5 %.
    ticks = context.eventLoop.scheduleRepeatedTask(initialDelay: .milliseconds(250), delay: .milliseconds(250)) { _ in
      self.tick()
    }
  }

  func remove(_ connection: Connection) {
    connections[ObjectIdentifier(connection)] = nil
    if connections.isEmpty {
      ticks?.cancel()
      ticks = nil
    }
  }

  private func tick() {
    let now = core.manager.clock.instant()
    for connection in connections.values { connection.tick(now) }
  }
}

extension ByteBuffer: ByteSink {
  public mutating func append(count: Int, _ write: (UnsafeMutableRawPointer) -> Void) {
    guard count > 0 else { return }
    writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
      if let base = room.baseAddress { write(base) }
      return count
    }
  }
}
