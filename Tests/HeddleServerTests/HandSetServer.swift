// A server whose time is set by hand: the real connections, sessions, runtime and store on one event loop that stands
// until a test moves it. Timers and both clocks are of that loop, so half an hour takes a moment, to the millisecond.
//
// The disk takes real time, in which the clock stands: wait for its answers before the clock is moved.

import Foundation
import HeddleCore
import HeddleMetrics
import HeddleModels
import HeddleProtocol
import HeddleRuntime
import HeddleSQLite
import HeddleServer
import HeddleStorage
import HeddleTokens
import Logging
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

final class HandSetServer: Sendable {
  let loop = NIOAsyncTestingEventLoop()
  let store: HeldStore
  let model = HeldModel()
  private let manager: SessionManager
  private let embedded: EmbeddedServer
  private let wall = Wall()
  private let channels = Mutex<[any Channel]>([])

  /// The wall clock, which may step; the loop's time goes on beside it.
  private final class Wall: Sendable {
    let start = Mutex<Int64>(1_800_000_000_000)
  }

  private init(_ rules: ServerRules, _ authentication: Authentication?, folder: String) throws {
    store = HeldStore(try SQLiteStore(folder: folder))
    let instant = { @Sendable [loop] in Int64(clamping: loop.now.uptimeNanoseconds / 1_000_000) }
    let clock = RuntimeClock(now: { [wall] in wall.start.withLock { $0 } + instant() }, instant: instant)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    manager = SessionManager(
      store: store, group: loop, rules: rules, providers: [model], clock: clock,
      metrics: Metrics(store: store.metrics), seed: 1, logger: logger
    ) { text in Issue.recordFailure(text) }
    embedded = EmbeddedServer(
      manager: manager, limits: rules.limits, authentication: authentication,
      cursorKey: Array(repeating: 7, count: 32), seed: 2, logger: logger)
  }

  /// Runs `body` with a server on a folder of its own, and ends it.
  static func run(
    _ limits: (inout Limits) -> Void = { _ in }, authentication: Authentication? = nil,
    _ body: (HandSetServer) async throws -> Void
  ) async throws {
    var rules = ServerRules()
    // Its clock jumps by hours, and no test of these is about the age of connections.
    rules.limits.connectionAgeMilliseconds = 0
    limits(&rules.limits)
    let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let server = try HandSetServer(rules, authentication, folder: folder)
    let result: Result<Void, any Error>
    do {
      try await server.manager.recover()
      result = .success(try await body(server))
    } catch { result = .failure(error) }
    server.store.letGo()
    for channel in server.channels.withLock({ $0 }) { try? await channel.close() }
    await server.manager.stop()
    server.store.close()
    await server.loop.shutdownGracefully()
    try result.get()
  }

  /// Every thread ends, as at the end of the process; connections are still there.
  func stop() async { await manager.stop() }

  /// Moves the clock; every timer fires at its own time.
  func advance(_ milliseconds: Int64) async { await loop.advanceTime(by: .milliseconds(milliseconds)) }

  /// The wall clock is put forward, or back.
  func step(_ milliseconds: Int64) { wall.start.withLock { $0 += milliseconds } }

  /// Unix milliseconds, as the server reads them.
  var now: Int64 { manager.clock.now() }

  /// Closes it at the end.
  func track(_ channel: any Channel) { channels.withLock { $0.append(channel) } }

  func connection() async throws -> any ChannelHandler & Sendable {
    let handler = try await loop.executeInContext { [embedded] in embedded.connection(from: "127.0.0.1") }
    guard let handler else { throw CancellationError() }
    return handler
  }
}

/// A store that keeps writes back while a test says so, or the answer of one read, or fails some of them.
final class HeldStore: Store {
  private typealias Submission = @Sendable () -> Void

  /// A read whose answer is kept back: it has seen the disk as it was.
  private enum HeldRead {
    case none
    case next
    case begun
    case done(@Sendable () -> Void)
  }

  private let store: SQLiteStore
  /// Nil: nothing is held.
  private let held = Mutex<[Submission]?>(nil)
  private let heldRead = Mutex(HeldRead.none)
  /// Writes and reads that the disk refuses.
  private let refusedWrites = Atomic(0)
  private let refusedReads = Atomic(0)

  init(_ store: SQLiteStore) { self.store = store }

  func hold() { held.withLock { $0 = $0 ?? [] } }

  func letGo() {
    let waiting = held.withLock { held -> [Submission] in
      defer { held = nil }
      return held ?? []
    }
    for submission in waiting { submission() }
  }

  func submit(
    _ mutations: [Mutation], lane: WriteLane, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    guard !Self.refuses(refusedWrites) else { return completion(.failure(.unreadable("a test"))) }
    let submission: Submission = { [store] in store.submit(mutations, lane: lane, completion: completion) }
    let isHeld = held.withLock { held in
      held?.append(submission)
      return held != nil
    }
    if !isHeld { submission() }
  }

  func read<Value: Sendable>(
    _ lane: ReadLane, _ work: @escaping @Sendable (any StoreReader, inout Codec) throws(StoreError) -> Value,
    completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    guard !Self.refuses(refusedReads) else { return completion(.failure(.unreadable("a test"))) }
    let isHeld = heldRead.withLock { read in
      guard case .next = read else { return false }
      read = .begun
      return true
    }
    guard isHeld else { return store.read(lane, work, completion: completion) }
    store.read(lane, work) { [self] (result: Result<Value, StoreError>) in
      heldRead.withLock { $0 = .done { completion(result) } }
    }
  }

  /// The disk fails to read for the next so many writes and reads.
  func fail(writes: Int, reads: Int) {
    refusedWrites.store(writes, ordering: .relaxed)
    refusedReads.store(reads, ordering: .relaxed)
  }

  var failsReads: Bool { refusedReads.load(ordering: .relaxed) > 0 }

  private static func refuses(_ left: borrowing Atomic<Int>) -> Bool {
    guard left.load(ordering: .relaxed) > 0 else { return false }
    left.subtract(1, ordering: .relaxed)
    return true
  }

  /// The answer of the next read is kept back.
  func holdNextRead() { heldRead.withLock { $0 = .next } }

  var hasHeldRead: Bool { heldRead.withLock { if case .done = $0 { true } else { false } } }

  /// Answers the read that is kept back.
  func answerRead() {
    let answer = heldRead.withLock { read -> (@Sendable () -> Void)? in
      defer { read = .none }
      if case .done(let answer) = read { return answer }
      return nil
    }
    answer?()
  }

  var health: any StoreHealth { store.health }
  func close() { store.close() }
  var node: NodeID { store.node }
  var metrics: StoreMetrics { store.metrics }
}

/// A model that says what a test tells it, when it is told.
final class HeldModel: ModelProvider {
  /// One request to it.
  struct Step: Sendable {
    let request: ModelRequest
    fileprivate let signals: AsyncStream<ModelSignal>.Continuation
    fileprivate let model: HeldModel

    func say(_ signal: ModelSignal) {
      model.untaken.withLock { $0 += 1 }
      signals.yield(signal)
    }
    func end() { signals.finish() }
  }

  let name = "scripted"
  /// Signals that were said and that the server has not taken. The thread has a signal that is taken and is longer than
  /// `TurnDriver` lets wait.
  let untaken = Mutex(0)
  private let steps: AsyncStream<Step>
  private let asked: AsyncStream<Step>.Continuation

  init() { (steps, asked) = AsyncStream.makeStream(of: Step.self) }

  /// The next request, when it has come.
  func next() async throws -> Step { try #require(await steps.first { _ in true }) }

  func answer(_ request: ModelRequest, emit: @escaping @Sendable (ModelSignal) async -> Void) async throws {
    let (signals, continuation) = AsyncStream.makeStream(of: ModelSignal.self)
    asked.yield(Step(request: request, signals: continuation, model: self))
    for await signal in signals {
      await emit(signal)
      untaken.withLock { $0 -= 1 }
    }
    try Task.checkCancellation()
  }
}
