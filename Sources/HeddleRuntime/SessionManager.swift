// All threads of this node: which shard a thread lives on, and the commands that concern more than one thread.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// What the process does when the store can no longer be trusted (durability.md D8). Never returns to service.
public typealias StorageFailure = @Sendable (String) -> Void

/// Owns the shards. Its own state is behind locks; everything about a thread is on the thread's shard.
public final class SessionManager: Sendable {
  private struct State {
    var rules: ServerRules
    var defaults: Features
    var connections: [ObjectIdentifier: any ConnectionPort] = [:]
    var lifecycleFollowers: [ObjectIdentifier: any ConnectionPort] = [:]
    var isReadOnly = false
    var hasFailed = false
  }

  public let store: any Store
  public let contexts: [LoopContext]
  public let clock: RuntimeClock
  public let logger: Logger
  public let index = LiveIndex()
  public let readPool: ReadPool
  let providers: [String: any ModelProvider]
  let keys = KeyGate()
  private let onStorageFailure: StorageFailure
  private let state: Mutex<State>
  private let shards: ShardTable

  public init(
    store: any Store, group: any EventLoopGroup, rules: ServerRules, providers: [any ModelProvider],
    clock: RuntimeClock, seed: UInt64, logger: Logger, onStorageFailure: @escaping StorageFailure
  ) {
    self.store = store
    self.clock = clock
    self.logger = logger
    self.onStorageFailure = onStorageFailure
    self.providers = Dictionary(providers.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    contexts = group.makeIterator().enumerated().map { LoopContext(index: $0.offset, eventLoop: $0.element) }
    readPool = ReadPool(store: store)
    state = Mutex(State(rules: rules, defaults: rules.features))
    shards = ShardTable()
    var seeds = IDGenerator(seed: seed)
    shards.set(contexts.map { Shard(context: $0, manager: self, rules: rules, seed: seeds.random()) })
  }

  // MARK: Where a thread lives

  /// New threads get an id that keeps them on the loop of the connection that starts them.
  func shardIndex(_ thread: ThreadID) -> Int { Int(thread.low % UInt64(contexts.count)) }

  func shard(of thread: ThreadID) -> Shard { shards[shardIndex(thread)] }

  func shard(of context: LoopContext) -> Shard { shards[context.index] }

  /// Runs on the shard of the thread: at once when this is its loop, else with the next batch.
  func onShard(of thread: ThreadID, _ work: @escaping @Sendable (Shard) -> Void) {
    let shard = shard(of: thread)
    shard.context.run { work(shard) }
  }

  // MARK: Rules

  public var rules: ServerRules { state.withLock(\.rules) }
  public var defaultFeatures: Features { state.withLock(\.defaults) }

  /// Changes one switch; two at once change both.
  func setFeature(_ name: String, _ value: Bool) {
    var features = rules.features
    let after = state.withLock { state in
      features = state.rules.features
      _ = features.set(name, value)
      state.rules.features = features
      return features
    }
    setFeatures(after)
  }

  /// Changes the switches for all shards (rules.md V5: threads that are pinned do not notice).
  func setFeatures(_ features: Features) {
    let rules = state.withLock { state in
      state.rules.features = features
      return state.rules
    }
    for shard in shards.all { shard.context.run { shard.setRules(rules) } }
  }

  // MARK: Connections

  public func add(_ connection: any ConnectionPort) {
    state.withLock { $0.connections[ObjectIdentifier(connection)] = connection }
  }

  public func remove(_ connection: any ConnectionPort) {
    state.withLock {
      $0.connections[ObjectIdentifier(connection)] = nil
      $0.lifecycleFollowers[ObjectIdentifier(connection)] = nil
    }
  }

  /// Whether the connection is told of every thread's status, name and end.
  public func followLifecycle(_ connection: any ConnectionPort, _ follows: Bool) {
    state.withLock { $0.lifecycleFollowers[ObjectIdentifier(connection)] = follows ? connection : nil }
  }

  /// rules.md T1: a thread that starts is announced to every connection of its tenant.
  func announce(_ kind: SubscriptionEvent.Kind, tenant: String, toAll: Bool = false) {
    let targets = state.withLock { state in
      Array((toAll ? state.connections : state.lifecycleFollowers).values)
    }
    let notice = SubscriptionEvent(kind: kind)
    for connection in targets where connection.tenant == tenant {
      connection.context.run { connection.notify(notice) }
    }
  }

  func statusChanged(_ thread: ThreadID, tenant: String, _ status: ThreadStatus) {
    announceToFollowers(.status(StatusChanged(thread: thread, status: status)), tenant: tenant)
  }

  /// To connections that follow the lifecycle of their tenant's threads; costs nothing when there are none.
  func announceToFollowers(_ kind: SubscriptionEvent.Kind, tenant: String) {
    guard state.withLock({ !$0.lifecycleFollowers.isEmpty }) else { return }
    announce(kind, tenant: tenant)
  }

  public func goAway(_ refusal: Refusal) {
    for connection in state.withLock({ Array($0.connections.values) }) {
      connection.context.run { connection.goAway(refusal) }
    }
  }

  // MARK: The disk

  public var isReadOnly: Bool { state.withLock(\.isReadOnly) }

  /// durability.md D8 and D9.
  func storeFailed(_ error: StoreError) {
    switch error {
    case .diskFull:
      let first = state.withLock { state in
        defer { state.isReadOnly = true }
        return !state.isReadOnly
      }
      guard first else { return }
      logger.critical("the disk is full: reads go on, changes are refused until there is space")
      (store as? any ReservingStore)?.releaseReserve()
      // Behind the drops of the sessions whose writes failed, which the shards do after this.
      for shard in shards.all { shard.inbox.post { shard.suspend(true) } }
      watchForSpace()
    case .failed(let text):
      let first = state.withLock { state in
        defer { state.hasFailed = true }
        return !state.hasFailed
      }
      guard first else { return }
      logger.critical("a write or a sync failed; the process ends", metadata: ["error": "\(text)"])
      goAway(Refusal(.storageFailed))
      onStorageFailure(text)
    case .conflict(let text): logger.critical("a mutation was refused by the store", metadata: ["error": "\(text)"])
    case .damaged, .locked, .unusable: logger.critical("the store failed", metadata: ["error": "\(error)"])
    }
  }

  /// Space comes back without a restart (D9): looked for once a second, off the loops.
  private func watchForSpace() {
    contexts[0].eventLoop.scheduleTask(in: .seconds(1)) {
      self.readPool.submit {
        guard (self.store as? any ReservingStore)?.restoreReserve() ?? true else { return self.watchForSpace() }
        self.state.withLock { $0.isReadOnly = false }
        for shard in self.shards.all { shard.inbox.post { shard.suspend(false) } }
        self.logger.notice("there is space on the disk again: changes are served")
      }
    }
  }

  // MARK: Life of the server

  /// Reads switches that were set at run time, and ends what ran when the last server ended (durability.md D5).
  public func recover() async throws {
    let (features, active) = try await readPool.run { store, _ in (try store.features(), try store.active()) }
    var now = rules.features
    for (name, value) in features.sorted(by: { $0.key < $1.key }) where !now.set(name, value) {
      logger.warning("a stored feature is not known and is left alone", metadata: ["feature": "\(name)"])
    }
    setFeatures(now)
    // A read is answered behind the interruption that loading appends, so it is on disk before anybody is served.
    let ended = active.map { row in
      let context = shard(of: row.id).context
      let promise = context.eventLoop.makePromise(of: Void.self)
      let waiter = Waiter(context: context, tenant: row.tenant) { _ in promise.succeed() }
      command(row.id, .read, PendingRequest(connection: waiter, stream: 0, method: .threadRead))
      return promise.futureResult
    }
    for future in ended { try await future.get() }
    // Looked at often enough to be late by a quarter at most.
    let every = TimeAmount.milliseconds(min(60_000, max(50, rules.limits.unloadMilliseconds / 4)))
    for shard in shards.all {
      shard.eventLoop.scheduleRepeatedTask(initialDelay: every, delay: every) { _ in shard.unloadIdle() }
    }
  }

  /// Stops every turn and timer; for a server that ends.
  public func stop() async {
    for shard in shards.all { try? await shard.eventLoop.submit { shard.stop() }.get() }
  }

  /// A read of the store, off the loop; `then` runs back on the loop of `context`.
  public func read<T: Sendable>(
    on context: LoopContext,
    _ work: @escaping @Sendable (any Store, inout Codec) throws(StoreError) -> T,
    then: @escaping @Sendable (Result<T, StoreError>) -> Void
  ) {
    readPool.submit {
      let result = self.readPool.result(work)
      context.inbox.post { then(result) }
    }
  }
}

/// The shards, set once before anything runs.
private final class ShardTable: Sendable {
  private let table = Mutex<[Shard]>([])
  func set(_ shards: [Shard]) { table.withLock { $0 = shards } }
  var all: [Shard] { table.withLock { $0 } }
  subscript(index: Int) -> Shard { table.withLock { $0[index] } }
}

/// Which threads are live and what they do, for lists that must not wait for every shard.
public final class LiveIndex: Sendable {
  private struct Entry {
    var tenant: String
    var state: ThreadState
  }

  private struct State {
    var entries: [ThreadID: Entry] = [:]
    /// Running turns by tenant: asked at every start of a turn.
    var running: [String: Int] = [:]

    mutating func replace(_ thread: ThreadID, _ new: Entry?) {
      if let old = entries[thread], old.state == .active { running[old.tenant, default: 1] -= 1 }
      if let new, new.state == .active { running[new.tenant, default: 0] += 1 }
      entries[thread] = new
    }
  }

  private let state = Mutex(State())

  func set(_ thread: ThreadID, tenant: String, _ state: ThreadState) {
    self.state.withLock { $0.replace(thread, Entry(tenant: tenant, state: state)) }
  }

  func forget(_ thread: ThreadID) { state.withLock { $0.replace(thread, nil) } }

  public func state(_ thread: ThreadID) -> ThreadState { state.withLock { $0.entries[thread]?.state } ?? .notLoaded }

  /// The tenant's live threads, in the order of their ids.
  public func threads(tenant: String) -> [ThreadID] {
    state.withLock { state in state.entries.filter { $0.value.tenant == tenant }.map(\.key) }.sorted()
  }

  public var count: Int { state.withLock(\.entries.count) }

  /// Running turns, of one tenant or of all.
  public func running(tenant: String? = nil) -> Int {
    state.withLock { state in tenant.map { state.running[$0] ?? 0 } ?? state.running.values.reduce(0, +) }
  }
}

/// Threads that may wait for the disk. Two: one long read does not hold up the next.
public final class ReadPool: Sendable {
  private let pool: NIOThreadPool
  private let store: any Store

  init(store: any Store) {
    self.store = store
    pool = NIOThreadPool(numberOfThreads: 2)
    pool.start()
  }

  func submit(_ work: @escaping @Sendable () -> Void) {
    pool.submit { state in
      if case .active = state { work() }
    }
  }

  func result<T>(
    _ work: @Sendable (any Store, inout Codec) throws(StoreError) -> T
  ) -> Result<T, StoreError> {
    var codec = Codec()
    do throws(StoreError) { return .success(try work(store, &codec)) } catch { return .failure(error) }
  }

  public func run<T: Sendable>(
    _ work: @escaping @Sendable (any Store, inout Codec) throws -> T
  ) async throws -> T {
    try await pool.runIfActive {
      var codec = Codec()
      return try work(self.store, &codec)
    }
  }

  public func shutDown() async throws { try await pool.shutdownGracefully() }
}
