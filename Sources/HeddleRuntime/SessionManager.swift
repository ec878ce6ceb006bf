// All threads of this node: which shard a thread lives on, and the commands that concern more than one thread.

import HeddleCore
import HeddleMetrics
import HeddleProtocol
import HeddleStorage
import Logging
import NIOCore
import NIOPosix
import Synchronization

/// Ends the process: the store can no longer be trusted (durability.md D8).
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
  public let metrics: Metrics
  let ownership: any Ownership
  /// Where turns run; nil: the process's pool.
  let taskExecutor: (any TaskExecutor)?
  let providers: [String: any ModelProvider]
  /// Bound how many requests a provider gets at once, tenants in turn.
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
    clock: RuntimeClock, metrics: Metrics, seed: UInt64, logger: Logger, ownership: any Ownership = WholeOwnership(),
    taskExecutor: (any TaskExecutor)? = nil, onStorageFailure: @escaping StorageFailure
  ) {
    self.taskExecutor = taskExecutor
    self.store = store
    self.ownership = ownership
    self.clock = clock
    self.metrics = metrics
    self.logger = logger
    self.onStorageFailure = onStorageFailure
    self.providers = Dictionary(providers.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    gates = self.providers.mapValues {
      FairGate(limit: $0.concurrency, metrics.addProvider($0.name, limit: $0.concurrency))
    }
    contexts = group.makeIterator().enumerated().map {
      LoopContext(index: $0.offset, eventLoop: $0.element, metrics: metrics.addLoop())
    }
    ephemeral = EphemeralQuota(limit: rules.limits.ephemeralBytes, share: rules.limits.ephemeralBytesPerTenant)
    backlog = WriteBacklog(limit: rules.limits.waitingWriteBytes, metrics.store)
    state = Mutex(State(rules: rules, defaults: rules.features))
    shards = ShardTable()
    var seeds = IDGenerator(seed: seed)
    shards.set(contexts.map { Shard(context: $0, manager: self, rules: rules, seed: seeds.random()) })
    // Both until the store is closed. A weak reference to an object makes every other one to it slower.
    store.health.listen { notice in self.noticed(notice) }
  }

  // MARK: Where a thread lives

  /// New threads get an id that keeps them on the loop of the caller that starts them, spawned agents one that keeps
  /// them beside their root. Agents with ids from elsewhere are looked up.
  func shardIndex(_ thread: ThreadID) -> Int { Int(home(of: thread).placement % UInt64(contexts.count)) }

  /// The id that says where the thread lives: its own, or that of its root.
  private func home(of thread: ThreadID) -> ThreadID {
    guard hasStrays.load(ordering: .relaxed) else { return thread }
    return strays.withLock { $0[thread] } ?? thread
  }

  /// Whether this process runs the thread.
  func owns(_ thread: ThreadID) -> Bool { ownership.owns(home(of: thread).slot) }

  /// The id of an agent of this tree: it lives where its root lives, however many loops there are.
  func newAgent(below root: ThreadID, _ environment: inout MachineEnvironment) -> ThreadID {
    let id: ThreadID = environment.ids.next(at: environment.now)
    return ThreadID(high: id.high, low: id.low & ~ThreadID.placementBits | root.placement)
  }

  func shard(of thread: ThreadID) -> Shard { shards[shardIndex(thread)] }

  func shard(of context: LoopContext) -> Shard { shards[context.index] }

  /// Serves a request on the shard of the thread, by work that may await there. What it throws is the answer.
  func serve(
    _ request: RequestContext, on thread: ThreadID, _ work: @escaping @Sendable (Shard) async throws(Refusal) -> Void
  ) {
    let shard = shard(of: thread)
    shard.context.run { shard.serve(request) { () throws(Refusal) in try await work(shard) } }
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
    case .diskFull: becameReadOnly("the disk is full: reads go on, changes are refused until there is space")
    case .unreachable(let text):
      becameReadOnly("the store cannot be reached: changes are refused until it can be", text)
    case .failed(let text), .fenced(let text):
      let first = state.withLock { state in
        defer { state.hasFailed = true }
        return !state.hasFailed
      }
      guard first else { return }
      logger.critical("the storage failed; the process ends", metadata: ["error": "\(text)"])
      goAway(Refusal(.storageFailed))
      onStorageFailure(text)
    case .conflict(let text): logger.critical("a mutation was refused by the store", metadata: ["error": "\(text)"])
    case .unreadable: logger.error("a read of the store failed", metadata: ["error": "\(error)"])
    case .damaged, .inUse, .unusable: logger.critical("the store failed", metadata: ["error": "\(error)"])
    }
  }

  private func becameReadOnly(_ message: Logger.Message, _ cause: String? = nil) {
    let first = state.withLock { state in
      defer { state.isReadOnly = true }
      return !state.isReadOnly
    }
    guard first else { return }
    metrics.store.isReadOnly.set(1)
    logger.critical(message, metadata: cause.map { ["error": "\($0)"] })
    store.health.becameReadOnly()
    // Behind the drops of the sessions whose writes failed, which the shards do after this.
    for shard in shards.all { shard.inbox.post { shard.suspend(true) } }
  }

  private func noticed(_ notice: StoreNotice) {
    switch notice {
    case .writable:
      let wasReadOnly = state.withLock { state in
        defer { state.isReadOnly = false }
        return state.isReadOnly
      }
      guard wasReadOnly else { return }
      metrics.store.isReadOnly.set(0)
      for shard in shards.all { shard.inbox.post { shard.suspend(false) } }
      logger.notice("changes are served again: there is space, or the store can be reached")
    case .failed(let error): storeFailed(error)
    case .concern(let text, let details, let isUrgent):
      logger.log(
        level: isUrgent ? .critical : .warning, "\(text)", metadata: details.mapValues { .string($0) })
    }
  }

  /// Has the store look at itself once a second: space comes back without a restart (D9), and a folder that is taken away
  /// is noticed although nobody writes (D8).
  private func watchStore() {
    contexts[0].eventLoop.scheduleTask(in: .seconds(1)) {
      guard !self.state.withLock(\.isStopped) else { return }
      self.store.health.look()
      self.watchStore()
    }
  }

  // MARK: Life of the server

  /// Reads switches that were set at run time, and ends what ran when the last server ended (durability.md D5).
  public func recover() async throws {
    // In this order: a slot that comes between the two is met twice, which does no harm.
    ownership.onChange { change in self.owned(change) }
    let owned = ownership.owned
    let (features, active, foreign) = try await store.read { reader, _ throws(StoreError) in
      (try reader.features(), try reader.active(in: owned), try reader.strays(in: owned))
    }
    remember(strays: foreign)
    var now = rules.features
    for (name, value) in features.sorted(by: { $0.key < $1.key }) where !now.set(name, value) {
      logger.warning("a stored feature is not known and is left alone", metadata: ["feature": "\(name)"])
    }
    setFeatures(now)
    await withDiscardingTaskGroup { group in
      for row in active { group.addTask { await self.end(row) } }
    }
    // Looked at often enough to be late by a quarter at most.
    let every = TimeAmount.milliseconds(min(60_000, max(50, rules.limits.unloadMilliseconds / 4)))
    for shard in shards.all {
      shard.eventLoop.scheduleRepeatedTask(initialDelay: every, delay: every) { _ in shard.unloadIdle() }
    }
    watchStore()
  }

  private func remember(strays found: [(thread: ThreadID, root: ThreadID)]) {
    guard !found.isEmpty else { return }
    strays.withLock { table in for stray in found { table[stray.thread] = stray.root } }
    hasStrays.store(true, ordering: .relaxed)
  }

  /// Slots have come here or are another process's now.
  private func owned(_ change: OwnershipChange) {
    switch change {
    case .gained(let slots):
      store.read(.short) { reader, _ throws(StoreError) in
        (try reader.active(in: slots), try reader.strays(in: slots))
      } completion: { (result: Result<([ThreadRow], [(thread: ThreadID, root: ThreadID)]), StoreError>) in
        switch result {
        case .success((let active, let foreign)):
          self.remember(strays: foreign)
          for row in active { self.endLater(row, in: .zero) }
        case .failure(let error):
          // Their owner's turns end when somebody asks for their threads.
          self.storeFailed(error)
        }
      }
    case .lost(let slots):
      for shard in shards.all { shard.inbox.post { shard.letGo(of: slots) } }
    }
  }

  /// Ends what ran in a thread. A read is answered behind the interruption that loading appends, so it is on disk before
  /// anybody is served. A thread that cannot be read now must not hold up all others: it is tried again in a while.
  private func end(_ row: ThreadRow) async {
    do throws(Refusal) { _ = try await perform(.read, on: row.id, .threadRead, tenant: row.tenant) } catch {
      if !error.isLasting { endLater(row, in: Trees.readAgainIn) }
    }
  }

  private func endLater(_ row: ThreadRow, in delay: TimeAmount) {
    let context = shard(of: row.id).context
    context.eventLoop.scheduleTask(in: delay) {
      Task.immediate(executorPreference: context) { await self.end(row) }
    }
  }

  /// Stops every turn and timer; for a server that ends.
  public func stop() async {
    state.withLock { $0.isStopped = true }
    ownership.onChange { _ in }
    for shard in shards.all { try? await shard.eventLoop.submit { shard.stop() }.get() }
  }

  /// Runs a command of the server's own on the shard of its thread; returns its answer when that is durable.
  func perform(
    _ command: ThreadCommand, on thread: ThreadID, _ method: Method, tenant: String
  ) async throws(Refusal) -> Response {
    let context = shard(of: thread).context
    let answer = await withCheckedContinuation { continuation in
      let reply = Reply(on: context, tenant: tenant, continuation)
      self.command(thread, command, RequestContext(method, reply))
    }
    switch answer {
    case .response(let response): return response
    case .stored: throw Refusal(.internal)
    case .refused(let refusal): throw refusal
    }
  }

  /// A read of the store for a request.
  func read<T: Sendable>(
    on shard: Shard, _ lane: ReadLane = .short,
    _ work: @escaping @Sendable (any StoreReader, inout Codec) throws(StoreError) -> T
  ) async throws(Refusal) -> T {
    do throws(StoreError) { return try await shard.read(lane, work) } catch { throw error.refusal }
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

  private let entries = Mutex<[ThreadID: Entry]>([:])

  /// On the loop of these values, which is the thread's.
  func set(_ thread: ThreadID, tenant: String, _ state: ThreadState, _ metrics: LoopMetrics) {
    replace(thread, Entry(tenant: tenant, state: state), metrics)
  }

  /// On the loop of these values, which is the thread's.
  func forget(_ thread: ThreadID, _ metrics: LoopMetrics) { replace(thread, nil, metrics) }

  private func replace(_ thread: ThreadID, _ new: Entry?, _ metrics: LoopMetrics) {
    let old = entries.withLock { entries in
      let old = entries[thread]
      entries[thread] = new
      return old
    }
    metrics.threadsLoaded.add((new == nil ? 0 : 1) - (old == nil ? 0 : 1))
    metrics.turnsRunning.add((new?.state == .active ? 1 : 0) - (old?.state == .active ? 1 : 0))
  }

  public func state(_ thread: ThreadID) -> ThreadState { entries.withLock { $0[thread]?.state } ?? .notLoaded }

  /// The tenant's first live threads behind `after`, in the order of their ids. Looks at all there are, but sorts no more
  /// than are wanted.
  public func threads(tenant: String, after: ThreadID, limit: Int) -> [ThreadID] {
    var found: [ThreadID] = []
    entries.withLock { entries in
      for (id, entry) in entries where id > after {
        if found.count == limit, let last = found.last, id > last { continue }
        guard entry.tenant == tenant else { continue }
        found.insert(id, at: found.firstIndex { $0 > id } ?? found.count)
        if found.count > limit { found.removeLast() }
      }
    }
    return found
  }
}
