// The sessions of one event loop, and the one place where their writes are gathered: what the loop decides in one go
// is one submission to the store, or a few.
//
// H1  A session is in `sessions` from the moment its thread is loaded or created until it is unloaded or dropped.
// H2  A thread is loaded once: requests that come while it loads wait for the same load.
// H3  A thread is never loaded while writes of its last session are on their way.
// H4  Another tenant's thread is looked for on disk like one that does not exist, so the time tells nothing
//     (attacks.md M2), and nobody's load is refused because somebody else asked first (A23).

import HeddleCore
import HeddleProtocol
import HeddleStorage
import Logging
import NIOCore

/// The threads of one loop. Confined to that loop, which is the proof for `@unchecked Sendable`.
final class Shard: WriteGroupsOwner, @unchecked Sendable {
  let context: LoopContext
  unowned let manager: SessionManager
  let clock: RuntimeClock
  var environment: MachineEnvironment
  /// Changed here and in Unloading.swift.
  var sessions: [ThreadID: Session] = [:]
  /// Used in Unloading.swift.
  var idleOrder = IdleOrder()
  private var sessionCount: UInt64 = 0
  private var loading: [ThreadID: Load] = [:]
  /// Until the store has said whether they are gone: whoever asks for one of them waits, and so do its followers.
  private var deleting: [ThreadID: Deletion] = [:]
  /// Loads that were under way when their thread was deleted.
  private var doomedLoads: Set<ThreadID> = []
  private var codec = Codec()
  /// Room that sessions borrow while they are at work.
  private var spareEffects: [Effect] = []
  var spareRooms = SpareRooms()
  private(set) lazy var trees = Trees(self)
  private(set) lazy var treeFollowers = TreeFollowers(self)
  /// The model contexts that its sessions keep.
  let contexts: ContextShelf
  private(set) lazy var writes = WriteGroups(owner: self)

  /// A thread that is being read, for whom, and who waits for it.
  private struct Load {
    var tenant: String
    var waiting: [(tenant: String, body: (Result<Session, Refusal>) -> Void)]
  }

  init(context: LoopContext, manager: SessionManager, rules: ServerRules, seed: UInt64) {
    self.context = context
    self.manager = manager
    clock = manager.clock
    contexts = ContextShelf(bytes: rules.limits.contextBytes / manager.contexts.count)
    environment = MachineEnvironment(
      now: manager.clock.now(), instant: manager.clock.instant(), ids: IDGenerator(seed: seed), rules: rules)
  }

  var eventLoop: any EventLoop { context.eventLoop }
  var inbox: LoopInbox { context.inbox }
  /// The order of this loop's writes in the store (P2).
  var lane: WriteLane { WriteLane(context.index) }
  var rules: ServerRules { environment.rules }

  func refreshTime() {
    environment.now = clock.now()
    environment.instant = clock.instant()
  }

  func setRules(_ rules: ServerRules) { environment.rules = rules }

  func encode(_ event: Event, ordinal: UInt64) -> StoredEvent {
    StoredEvent(
      sequence: event.sequence, kind: event.kind?.number ?? 0, ordinal: ordinal, at: event.at,
      payload: codec.encode(event))
  }

  func encode(_ message: some WireMessage) -> [UInt8] { codec.encode(message) }

  // MARK: Sessions

  /// Hands the thread's session to `body`, loading it first if need be (H2).
  func session(_ thread: ThreadID, tenant: String, _ body: @escaping (Result<Session, Refusal>) -> Void) {
    if let session = sessions[thread] {
      guard session.tenant == tenant else { return refuse(thread, tenant, body) }
      session.touch()
      return body(.success(session))
    }
    // Another process runs it, or nobody yet.
    guard manager.owns(thread) else { return body(.failure(Refusal(.storageFailed))) }
    guard deleting[thread] == nil else {
      deleting[thread]?.waiting.append { self.session(thread, tenant: tenant, body) }
      return
    }
    guard loading[thread] == nil else {
      loading[thread]?.waiting.append((tenant, body))
      return
    }
    loading[thread] = Load(tenant: tenant, waiting: [(tenant, body)])
    load(thread, tenant: tenant)
  }

  /// Spends the time that looking up a missing thread takes (H4).
  private func refuse(_ thread: ThreadID, _ tenant: String, _ body: @escaping (Result<Session, Refusal>) -> Void) {
    let body = Confined { body(.failure(Refusal(.thread))) }
    manager.read(on: context) { reader, _ throws(StoreError) in
      try reader.load(thread, tenant: tenant) != nil
    } then: { (_: Result<Bool, StoreError>) in
      body.body()
    }
  }

  private func load(_ thread: ThreadID, tenant: String) {
    if writes.waitUntilSettled(thread, GroupWaiter { _ in self.load(thread, tenant: tenant) }) { return }
    manager.read(on: context) { reader, codec throws(StoreError) in
      guard let loaded = try reader.load(thread, tenant: tenant) else { return nil }
      return Found(
        machine: ThreadMachine(record: try loaded.record(&codec), identity: loaded.identity), tail: loaded.tail.count)
    } then: { (result: Result<Found?, StoreError>) in
      self.loaded(thread, result)
    }
  }

  private struct Found {
    var machine: ThreadMachine
    /// Events behind its snapshot.
    var tail: Int
  }

  private func loaded(_ thread: ThreadID, _ result: Result<Found?, StoreError>) {
    guard let load = loading.removeValue(forKey: thread), !isDeleted(thread, load) else { return }
    switch result {
    case .success(let found?) where !found.machine.record.queue.isEmpty && trees.mustRead(for: found.machine.record):
      // Its next turn begins by itself, if the budget of its tree allows.
      loading[thread] = load
      let identity = found.machine.identity
      trees.with(found.machine.record.lineage?.root ?? thread, tenant: identity.tenant) { _ in
        guard let load = self.loading.removeValue(forKey: thread) else { return }
        // A tree that cannot be read keeps nobody from reading this thread.
        self.add(found, loadedFor: load)
      }
    case .success(let found?): add(found, loadedFor: load)
    case .success(nil):
      for one in load.waiting {
        if one.tenant == load.tenant {
          one.body(.failure(Refusal(.thread)))
        } else {
          self.session(thread, tenant: one.tenant, one.body)
        }
      }
    case .failure(let error):
      manager.logger.error("loading a thread failed", metadata: ["thread": "\(thread)", "error": "\(error)"])
      for one in load.waiting { one.body(.failure(error.refusal)) }
    }
  }

  /// A thread that was read before its deletion must not come to life after it.
  private func isDeleted(_ thread: ThreadID, _ load: Load) -> Bool {
    let isDoomed = doomedLoads.remove(thread) != nil
    guard isDoomed || deleting[thread] != nil else { return false }
    for one in load.waiting { session(thread, tenant: one.tenant, one.body) }
    return true
  }

  /// A thread that was read.
  private func add(_ found: Found, loadedFor load: Load) {
    let record = found.machine.record
    let thread = record.id
    guard !isDeleted(thread, load) else { return }
    // While it was read the thread may have become another process's.
    guard manager.owns(thread) else {
      for one in load.waiting { one.body(.failure(Refusal(.storageFailed))) }
      return
    }
    let session = newSession(found.machine, startsAt: record.sequence, tail: UInt64(found.tail))
    trees.joined(session)
    // A turn that is not driven by this process was cut off by the end of another (rules.md U4).
    if session.machine.record.hasUnfinishedWork {
      session.input(manager.isReadOnly ? .suspended : .recovered)
    }
    for one in load.waiting { self.session(thread, tenant: one.tenant, one.body) }
  }

  /// A thread that begins here.
  @discardableResult
  func add(
    _ machine: ThreadMachine, _ effects: [Effect], _ request: RequestContext?, _ answer: Answer?,
    restsOn source: Session? = nil
  ) -> Session {
    let session = newSession(machine, startsAt: 0, tail: 0)
    session.source = source
    session.begin(effects, request, answer)
    return session
  }

  private func newSession(_ machine: ThreadMachine, startsAt: UInt64, tail: UInt64) -> Session {
    makeRoom()
    sessionCount += 1
    let session = Session(shard: self, machine: machine, startsAt: startsAt, tail: tail, number: sessionCount)
    sessions[session.id] = session
    treeFollowers.loaded(session)
    idleOrder.add(IdleOrder.Entry(thread: session.id, session: session.number, seen: session.lastActivity))
    return session
  }

  // MARK: Room that is used again

  /// The room of one large batch is not kept forever.
  private static let spareElements = 256

  /// Empty; whoever asks while somebody has it gets one of its own.
  func takeEffects() -> [Effect] {
    var taken: [Effect] = []
    swap(&taken, &spareEffects)
    return taken
  }

  func giveBack(_ effects: inout [Effect]) {
    guard effects.capacity <= Self.spareElements, effects.capacity > spareEffects.capacity else { return }
    effects.removeAll(keepingCapacity: true)
    swap(&effects, &spareEffects)
  }

  /// Behind everything that the loop does now: for what must not run inside a session's own doings.
  func later(_ work: @escaping () -> Void) {
    let work = Confined(work)
    eventLoop.execute { work.body() }
  }

  func command(_ thread: ThreadID, _ command: ThreadCommand, _ request: RequestContext) {
    // Nearly always: the thread is loaded and theirs.
    if let session = sessions[thread], session.tenant == request.tenant {
      return session.command(command, request)
    }
    session(thread, tenant: request.tenant) { result in
      switch result {
      case .success(let session): session.command(command, request)
      case .failure(let refusal): self.answer(request, .refused(refusal), follows: nil)
      }
    }
  }

  /// A command that found its session dropped goes to the thread as it is on disk.
  func redo(_ thread: ThreadID, _ command: ThreadCommand, _ request: RequestContext) {
    inbox.post { self.command(thread, command, request) }
  }

  /// Writes of a failed group never happened; the threads are read anew when somebody asks for them.
  func drop(_ session: Session, _ refusal: Refusal) {
    guard sessions[session.id] === session else { return }
    sessions[session.id] = nil
    trees.forget(session.root)
    let wasRunning = session.isRunning
    // First: followers may ask for it at once.
    writes.unsettle(session.id)
    session.writeFailed(refusal)
    // A turn that ran is ended from the reserve (durability.md D9). If it was that end which failed, the turn still runs
    // on disk, and nobody would look at it before somebody asks for the thread; after a while there may be room again.
    let look = Confined { self.session(session.id, tenant: session.machine.identity.tenant) { _ in } }
    if wasRunning { look.body() } else { eventLoop.scheduleTask(in: .seconds(1)) { look.body() } }
  }

  /// The disk is full, or is so no more: turns end, or those that wait begin (durability.md D9).
  func suspend(_ isSuspended: Bool) {
    for session in Array(sessions.values) where session.hasWork && !session.isEphemeral {
      session.input(isSuspended ? .suspended : .unsuspended)
    }
  }

  /// The server ends: nothing is driven any more. A turn that still runs is ended by the next start (durability.md D5).
  func stop() {
    writes.submitBatch()
    for session in Array(sessions.values) { session.drop(answering: Refusal(.shuttingDown)) }
    sessions = [:]
  }

  /// Another process runs the threads of these slots from now on. Followers go back to reading; threads in memory only
  /// have no other place to be.
  func letGo(of slots: SlotSet) {
    writes.submitBatch()
    for (thread, session) in sessions where slots.contains(session.root.slot) {
      guard !session.isEphemeral else {
        end(thread)
        continue
      }
      sessions[thread] = nil
      trees.forget(session.root)
      session.drop(answering: Refusal(.storageFailed))
    }
    trees.prune()
  }

  private struct Deletion {
    var tell: [(_ isGone: Bool) -> Void] = []
    var waiting: [() -> Void] = []
  }

  /// A thread is about to be deleted. Its followers, who waits for an answer, and its tree hear of it when it is
  /// (durability.md D2).
  func remove(_ thread: ThreadID) {
    deleting[thread] = deleting[thread] ?? Deletion()
    if loading[thread] != nil { doomedLoads.insert(thread) }
    // Writes that were decided before the deletion go to the store before it: a fork of this thread among it.
    writes.submitBatch()
    let session = sessions.removeValue(forKey: thread)
    if let session {
      deleting[thread]?.tell.append(session.handOver())
      session.drop(answering: Refusal(.thread))
    }
    let root = session?.root
    deleting[thread]?.tell.append { [trees] isGone in
      if isGone { trees.remove(thread, root: root) }
    }
  }

  /// It is deleted, or still there.
  private func removed(_ thread: ThreadID, isGone: Bool) {
    guard let deletion = deleting.removeValue(forKey: thread) else { return }
    for tell in deletion.tell { tell(isGone) }
    for waiting in deletion.waiting { waiting() }
  }

  func ended(deletionOf thread: ThreadID, tenant: String, _ result: Result<Void, StoreError>) {
    guard case .failure = result else { return removed(thread, isGone: true) }
    removed(thread, isGone: false)
    // It is still there: what ran is looked after again, and its tree has it again.
    session(thread, tenant: tenant) { result in
      if case .success(let session) = result { self.trees.forget(session.root) }
    }
  }

  // MARK: Writing

  /// Calls the waiter when everything that was decided until now is on disk; with the reason if it is not.
  func afterWrites(_ body: @escaping (Refusal?) -> Void) { writes.wait(GroupWaiter(body: body)) }

  func submit(_ mutations: [Mutation], group: Int) {
    let bytes = mutations.reduce(0) { $0 + $1.payloadBytes + WriteBacklog.overheadBytes }
    manager.backlog.add(bytes)
    context.metrics.writeGroups.add(1)
    context.metrics.writes.add(mutations.count)
    manager.store.submit(mutations, lane: lane) { result in
      self.inbox.post {
        self.manager.backlog.take(off: bytes)
        self.ended(group, result)
      }
    }
  }

  private func ended(_ group: Int, _ result: Result<Void, StoreError>) {
    if case .failure = result { context.metrics.failedGroups.add(1) }
    let count = writes.ended(group, result)
    // A burst of new threads could not make room while all of them were on their way to the disk.
    guard case .success = result, sessions.count > mostLoaded else { return }
    makeRoom(for: 0, looks: count + 16)
    makeRoomLater()
  }

  func flushLater() { eventLoop.execute { self.writes.flush() } }

  func storeFailed(_ error: StoreError) { manager.storeFailed(error) }

  func notify(_ waiter: GroupWaiter, _ failure: Refusal?) { waiter.body(failure) }

  // MARK: Answers and keys

  /// The write that lets a retry find this answer; nil without a key, for refusals and on ephemeral threads.
  func keyWrite(_ request: RequestContext, _ answer: Answer, thread: ThreadID?) -> StoreWrite? {
    guard let key = request.key, case .response(let response) = answer else { return nil }
    return .key(
      KeyRecord(
        tenant: key.tenant, key: key.key, method: UInt16(truncatingIfNeeded: request.method.rawValue),
        requestHash: key.requestHash,
        thread: thread, response: codec.encode(response), at: environment.now))
  }

  func answer(_ request: RequestContext, _ answer: Answer, follows: Followed?) {
    if let key = request.key { finishKey(key, request, answer) }
    request.reply.send(answer, follows: follows, from: context)
  }

  private func finishKey(_ key: KeyContext, _ request: RequestContext, _ answer: Answer) {
    var bytes: [UInt8] = []
    var isSuccess = false
    if case .response(let response) = answer {
      bytes = codec.encode(response)
      isSuccess = true
    }
    for waiting in manager.keys.finish(key, remember: isSuccess ? bytes : nil) {
      if isSuccess { waiting.send(stored: bytes) } else { waiting.send(answer) }
    }
  }
}

/// Work that waits for writes.
struct GroupWaiter {
  let body: (Refusal?) -> Void
}

extension SessionManager {
  /// A command for one thread: what the router calls for most requests. Runs on the shard of the thread.
  public func command(_ thread: ThreadID, _ command: ThreadCommand, _ request: RequestContext) {
    let shard = shard(of: thread)
    if shard.eventLoop.inEventLoop { return shard.command(thread, command, request) }
    shard.inbox.post { shard.command(thread, command, request) }
  }
}

/// Work that stays on the loop that it was made on, which is the proof for `@unchecked Sendable`.
struct Confined: @unchecked Sendable {
  let body: () -> Void
  init(_ body: @escaping () -> Void) { self.body = body }
}
