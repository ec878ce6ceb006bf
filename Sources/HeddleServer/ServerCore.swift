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
  let authentication: Authentication?
  let signer: CursorSigner
  let version: String
  let startedAt: Int64
  let logger: Logger
  let counters = ServerCounters()
  let halfFrames: HalfFrames
  let capture: CaptureControl
  private let draining = Atomic<Bool>(false)
  private let loops: Mutex<[Int: LoopState]> = Mutex([:])

  init(
    manager: SessionManager, limits: Limits, authentication: Authentication?, signer: CursorSigner, version: String,
    capture: CaptureFolder? = nil, logger: Logger, seed: UInt64 = .random(in: .min ... .max)
  ) {
    self.manager = manager
    self.limits = limits
    self.authentication = authentication
    self.signer = signer
    self.version = version
    self.logger = logger
    self.capture = CaptureControl(folder: capture, logger: logger)
    quotas = Quotas(limits: limits)
    halfFrames = HalfFrames(limit: limits.bufferedBytes, readBytes: limits.readBytes)
    startedAt = manager.clock.instant()
    var seeds = IDGenerator(seed: seed)
    for context in manager.contexts {
      let loop = LoopState(context: context, core: self, seed: seeds.random())
      loops.withLock { $0[context.index] = loop }
    }
  }

  var allLoops: [LoopState] { loops.withLock { Array($0.values) } }

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
  let tlsOnPlain = Atomic<Int>(0)
}

/// What the connections of one loop share: buffers are reused, deadlines are looked at together. Confined to the loop,
/// which is the proof for `@unchecked Sendable`.
final class LoopState: @unchecked Sendable {
  let context: LoopContext
  var codec: Codec
  var ids: IDGenerator
  /// While something is recorded (W1 of Tap.swift).
  var tap: LoopTap?
  private unowned let core: ServerCore
  private var connections: [ObjectIdentifier: Connection] = [:]
  private var ticks: RepeatedTask?
  /// Connections with something to send, and whether the loop will come to them.
  private var unflushed: [Connection] = []
  private var flushIsSet = false
  /// Connections that are not served until the disk has caught up, each once, and whether that will be told.
  private var held: [Connection] = []
  private var wakeIsSet = false

  init(context: LoopContext, core: ServerCore, seed: UInt64) {
    self.context = context
    self.core = core
    var limits = DecodeLimits()
    limits.nesting = core.limits.nesting
    limits.repeatedElements = core.limits.repeatedElements
    limits.unknownFields = core.limits.unknownFields
    codec = Codec(limits: limits)
    ids = IDGenerator(seed: seed)
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
    if connection.isInLine { held.removeAll { $0 === connection } }
    if connections.isEmpty {
      ticks?.cancel()
      ticks = nil
    }
  }

  /// Behind everything that the loop does now; one task for all connections, of which an event may have a thousand.
  func flushLater(_ connection: Connection) {
    unflushed.append(connection)
    guard !flushIsSet else { return }
    flushIsSet = true
    context.eventLoop.execute { self.flushAll() }
  }

  private func flushAll() {
    flushIsSet = false
    var waiting: [Connection] = []
    swap(&waiting, &unflushed)
    for connection in waiting { connection.flush() }
    guard unflushed.isEmpty, waiting.capacity <= 4_096 else { return }
    waiting.removeAll(keepingCapacity: true)
    unflushed = waiting
  }

  /// Serves the connection on when less waits for the disk.
  func hold(_ connection: Connection) {
    if !connection.isInLine { held.append(connection) }
    connection.isInLine = true
    guard !wakeIsSet else { return }
    wakeIsSet = true
    core.manager.backlog.whenThereIsRoom { [context] in
      context.inbox.post { self.letGo() }
    }
  }

  private func letGo() {
    wakeIsSet = false
    let waiting = held
    held = []
    for connection in waiting {
      connection.isInLine = false
      connection.diskHasRoom()
    }
  }

  private func tick() {
    let now = core.manager.clock.instant()
    for connection in connections.values { connection.tick(now) }
  }
}

extension ByteBuffer: ByteSink {
  public mutating func append(_ bytes: UnsafeRawBufferPointer) { writeBytes(bytes) }
}
