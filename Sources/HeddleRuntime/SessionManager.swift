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
    var callers: [ObjectIdentifier: any CallerPort] = [:]
    /// By tenant: telling one tenant costs nothing for the connections of others, nor for those that want to hear nothing.
    var hearsOfStarts: [String: [ObjectIdentifier: any CallerPort]] = [:]
    var lifecycleFollowers: [String: [ObjectIdentifier: any CallerPort]] = [:]
    var isReadOnly = false
    var hasFailed = false
    var isStopped = false
  }

  public let store: any Store
  public let contexts: [LoopContext]
  public let clock: RuntimeClock
  public let logger: Logger
  public let index = LiveIndex()
  let permits = TurnPermits()
  let ephemeral: EphemeralQuota
  public let backlog: WriteBacklog
  public let usage = UsageTotals()
  public let readPool: ReadPool
  /// Where turns run; nil: the process's pool.
  let taskExecutor: (any TaskExecutor)?
  let providers: [String: any ModelProvider]
  /// Who may ask a provider now: so many at once, tenants in turn.
  let gates: [String: FairGate]
  let keys = KeyGate()
  private let onStorageFailure: StorageFailure
  private let state: Mutex<State>
  let shards: ShardTable
  /// Imported agents whose ids do not say where their root lives; read once, at the start.
  private let strays = Mutex<[ThreadID: ThreadID]>([:])
  private let hasStrays = Atomic<Bool>(false)

  public init(
    store: any Store, group: any EventLoopGroup, rules: ServerRules, providers: [any ModelProvider],
    clock: RuntimeClock, seed: UInt64, logger: Logger, reads: ReadExecution = .threads,
    taskExecutor: (any TaskExecutor)? = nil, onStorageFailure: @escaping StorageFailure
  ) {
    self.taskExecutor = taskExecutor
    self.store = store
    self.clock = clock
    self.logger = logger
    self.onStorageFailure = onStorageFailure
    self.providers = Dictionary(providers.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    gates = self.providers.mapValues { FairGate(limit: $0.concurrency) }
    contexts = group.makeIterator().enumerated().map { LoopContext(index: $0.offset, eventLoop: $0.element) }
    readPool = ReadPool(store: store, reads)
    ephemeral = EphemeralQuota(limit: rules.limits.ephemeralBytes, share: rules.limits.ephemeralBytesPerTenant)
    backlog = WriteBacklog(limit: rules.limits.waitingWriteBytes)
    state = Mutex(State(rules: rules, defaults: rules.features))
    shards = ShardTable()
    var seeds = IDGenerator(seed: seed)
    shards.set(contexts.map { Shard(context: $0, manager: self, rules: rules, seed: seeds.random()) })
  }

  // MARK: Where a thread lives

  /// New threads get an id that keeps them on the loop of the caller that starts them, spawned agents one that keeps
  /// them beside their root. Agents with ids from elsewhere are looked up.
  func shardIndex(_ thread: ThreadID) -> Int {
    if hasStrays.load(ordering: .relaxed), let root = strays.withLock({ $0[thread] }) {
      return Int(root.placement % UInt64(contexts.count))
    }
    return Int(thread.placement % UInt64(contexts.count))
  }

  /// The id of an agent of this tree: it lives where its root lives, however many loops there are.
  func newAgent(below root: ThreadID, _ environment: inout MachineEnvironment) -> ThreadID {
    let id: ThreadID = environment.ids.next(at: environment.now)
    return ThreadID(high: id.high, low: id.low & ~ThreadID.placementBits | root.placement)
  }

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

  /// What the providers do, by name.
  public var providerStatus: [ProviderStatus] {
    gates.sorted { $0.key < $1.key }.map { name, gate in
      ProviderStatus(
        name: name, running: UInt32(clamping: gate.running), waiting: UInt32(clamping: gate.waiting),
        limit: UInt32(clamping: providers[name]?.concurrency ?? 0))
    }
  }

  // MARK: Callers

  /// `hearsOfStarts`: it wants to be told of every thread of its tenant that starts (rules.md T1).
  public func add(_ caller: any CallerPort, hearsOfStarts: Bool) {
    let tenant = caller.tenant
    state.withLock {
      $0.callers[ObjectIdentifier(caller)] = caller
      if hearsOfStarts { Self.set(&$0.hearsOfStarts, tenant, caller, true) }
    }
  }

  public func remove(_ caller: any CallerPort) {
    let tenant = caller.tenant
    state.withLock {
      $0.callers[ObjectIdentifier(caller)] = nil
      Self.set(&$0.hearsOfStarts, tenant, caller, false)
      Self.set(&$0.lifecycleFollowers, tenant, caller, false)
    }
  }

  /// Whether the caller is told of every thread's status, name and end.
  public func followLifecycle(_ caller: any CallerPort, _ follows: Bool) {
    let tenant = caller.tenant
    state.withLock { Self.set(&$0.lifecycleFollowers, tenant, caller, follows) }
  }

  private static func set(
    _ table: inout [String: [ObjectIdentifier: any CallerPort]], _ tenant: String,
    _ caller: any CallerPort, _ isIn: Bool
  ) {
    guard isIn else {
      table[tenant]?[ObjectIdentifier(caller)] = nil
      if table[tenant]?.isEmpty == true { table[tenant] = nil }
      return
    }
    table[tenant, default: [:]][ObjectIdentifier(caller)] = caller
  }

  /// rules.md T1: a thread that starts is announced to every caller of its tenant that has not said otherwise.
  func announce(_ kind: SubscriptionEvent.Kind, tenant: String, toAll: Bool = false) {
    let targets = state.withLock { state in
      var targets = state.lifecycleFollowers[tenant] ?? [:]
      if toAll, let others = state.hearsOfStarts[tenant] { targets.merge(others) { known, _ in known } }
      return Array(targets.values)
    }
    guard !targets.isEmpty else { return }
    let notice = SubscriptionEvent(kind: kind)
    for caller in targets { caller.context.run { caller.notify(notice) } }
  }

  func statusChanged(_ thread: ThreadID, tenant: String, _ status: ThreadStatus) {
    announceToFollowers(.status(StatusChanged(thread: thread, status: status)), tenant: tenant)
  }

  /// To callers that follow the lifecycle of their tenant's threads; costs nothing when there are none.
  func announceToFollowers(_ kind: SubscriptionEvent.Kind, tenant: String) {
    guard state.withLock({ !$0.lifecycleFollowers.isEmpty }) else { return }
    announce(kind, tenant: tenant)
  }

  public func goAway(_ refusal: Refusal) {
    for caller in state.withLock({ Array($0.callers.values) }) {
      caller.context.run { caller.goAway(refusal) }
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
      logger.critical("the storage failed; the process ends", metadata: ["error": "\(text)"])
      goAway(Refusal(.storageFailed))
      onStorageFailure(text)
    case .conflict(let text): logger.critical("a mutation was refused by the store", metadata: ["error": "\(text)"])
    case .damaged, .unreadable, .locked, .unusable: logger.critical("the store failed", metadata: ["error": "\(error)"])
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

  /// Somebody may remove or replace the folder of a server to which nobody writes (D8): looked for once a second.
  private func watchFolder(_ folder: any FolderStore) {
    contexts[0].eventLoop.scheduleTask(in: .seconds(1)) {
      self.readPool.submit {
        guard !self.state.withLock(\.isStopped) else { return }
        do throws(StoreError) { try folder.verifyFolder() } catch { return self.storeFailed(error) }
        self.watchFolder(folder)
      }
    }
  }

  // MARK: Life of the server

  /// Reads switches that were set at run time, and ends what ran when the last server ended (durability.md D5).
  public func recover() async throws {
    let (features, active, foreign) = try await readPool.run { store, _ in
      (try store.features(), try store.active(), try store.strays())
    }
    if !foreign.isEmpty {
      strays.withLock { table in for stray in foreign { table[stray.thread] = stray.root } }
      hasStrays.store(true, ordering: .relaxed)
    }
    var now = rules.features
    for (name, value) in features.sorted(by: { $0.key < $1.key }) where !now.set(name, value) {
      logger.warning("a stored feature is not known and is left alone", metadata: ["feature": "\(name)"])
    }
    setFeatures(now)
    let ended = active.map { row in
      let promise = shard(of: row.id).eventLoop.makePromise(of: Void.self)
      end(row) { promise.succeed() }
      return promise.futureResult
    }
    for future in ended { try await future.get() }
    // Looked at often enough to be late by a quarter at most.
    let every = TimeAmount.milliseconds(min(60_000, max(50, rules.limits.unloadMilliseconds / 4)))
    for shard in shards.all {
      shard.eventLoop.scheduleRepeatedTask(initialDelay: every, delay: every) { _ in shard.unloadIdle() }
    }
    if let folder = store as? any FolderStore { watchFolder(folder) }
  }

  /// Ends what ran in a thread. A read is answered behind the interruption that loading appends, so it is on disk before
  /// anybody is served. A thread that cannot be read now must not hold up all others: it is tried again in a while.
  private func end(_ row: ThreadRow, _ tried: @escaping @Sendable () -> Void) {
    let context = shard(of: row.id).context
    let reply = Reply(on: context) { answer in
      if case .refused(let refusal) = answer, !refusal.isLasting {
        context.eventLoop.scheduleTask(in: Trees.readAgainIn) { self.end(row) {} }
      }
      tried()
    }
    command(row.id, .read, RequestContext(tenant: row.tenant, method: .threadRead, reply: reply))
  }

  /// Stops every turn and timer; for a server that ends.
  public func stop() async {
    state.withLock { $0.isStopped = true }
    for shard in shards.all { try? await shard.eventLoop.submit { shard.stop() }.get() }
  }

  /// A read of the store, off the loop; `then` runs back on the loop of `context`.
  public func read<T: Sendable>(
    on context: LoopContext, _ lane: ReadLane = .short,
    _ work: @escaping @Sendable (any Store, inout Codec) throws(StoreError) -> T,
    then: @escaping @Sendable (Result<T, StoreError>) -> Void
  ) {
    readPool.submit(lane) {
      let result = self.readPool.result(work)
      context.inbox.post { then(result) }
    }
  }
}

/// The shards, set once before anything runs.
final class ShardTable: Sendable {
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
    var running = 0

    mutating func replace(_ thread: ThreadID, _ new: Entry?) {
      if entries[thread]?.state == .active { running -= 1 }
      if new?.state == .active { running += 1 }
      entries[thread] = new
    }
  }

  private let state = Mutex(State())

  func set(_ thread: ThreadID, tenant: String, _ state: ThreadState) {
    self.state.withLock { $0.replace(thread, Entry(tenant: tenant, state: state)) }
  }

  func forget(_ thread: ThreadID) { state.withLock { $0.replace(thread, nil) } }

  public func state(_ thread: ThreadID) -> ThreadState { state.withLock { $0.entries[thread]?.state } ?? .notLoaded }

  /// The tenant's first live threads behind `after`, in the order of their ids. Looks at all there are, but sorts no more
  /// than are wanted.
  public func threads(tenant: String, after: ThreadID, limit: Int) -> [ThreadID] {
    var found: [ThreadID] = []
    state.withLock { state in
      for (id, entry) in state.entries where id > after {
        if found.count == limit, let last = found.last, id > last { continue }
        guard entry.tenant == tenant else { continue }
        found.insert(id, at: found.firstIndex { $0 > id } ?? found.count)
        if found.count > limit { found.removeLast() }
      }
    }
    return found
  }

  public var count: Int { state.withLock(\.entries.count) }

  /// Running turns, as clients have been told of them.
  public func running() -> Int { state.withLock(\.running) }
}

/// Tokens that tenants have used since the server started.
public final class UsageTotals: Sendable {
  private let totals = Mutex<[String: TokenUsage]>([:])

  func add(_ usage: TokenUsage, tenant: String) {
    totals.withLock { $0[tenant, default: TokenUsage()].add(usage) }
  }

  public func total(of tenant: String) -> TokenUsage { totals.withLock { $0[tenant] ?? TokenUsage() } }
}

extension ThreadID {
  static let placementBits: UInt64 = 0xFFFF
  /// The bits that say on which loop a thread lives; those of a tree share them.
  var placement: UInt64 { low & Self.placementBits }
}
