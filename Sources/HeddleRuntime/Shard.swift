// The sessions of one event loop, and the one place where their writes are gathered: the writes that the loop decides
// in one go are one submission to the store, or a few.
//
// H1  A session is in `sessions` from the moment its thread is loaded or created until it is unloaded or dropped.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import Logging
import NIOCore

/// The threads of one loop. Confined to that loop, which is the proof for `@unchecked Sendable`.
final class Shard: WriteGroupsOwner, StoreDependent, @unchecked Sendable {
  let context: LoopContext
  unowned let node: Node
  let clock: RuntimeClock
  var environment: MachineEnvironment
  /// Changed here and in Unloading.swift.
  var sessions: [ThreadID: Session] = [:]
  /// Used in Unloading.swift.
  var idleOrder = IdleOrder()
  private var sessionCount: UInt64 = 0
  private(set) lazy var loader = ThreadLoader(self)
  private var codec = Codec()
  /// Room that sessions borrow while they are at work.
  private var spareEffects: [Effect] = []
  var spareRooms = SpareRooms()
  private(set) lazy var trees = Trees(self)
  let treeFollowers = TreeFollowers()
  /// Used in TreeRequests.swift.
  var listings: [TreeListing] = []
  /// The model contexts that its sessions keep.
  let contexts: ContextShelf
  private(set) lazy var writes = WriteGroups(owner: self)

  init(context: LoopContext, node: Node, rules: ServerRules, seed: UInt64) {
    self.context = context
    self.node = node
    clock = node.clock
    contexts = ContextShelf(bytes: rules.limits.contextBytes / node.placement.loops)
    environment = MachineEnvironment(
      now: node.clock.now(), instant: node.clock.instant(), ids: IDGenerator(seed: seed), rules: rules)
  }

  var eventLoop: any EventLoop { context.eventLoop }
  var inbox: LoopInbox { context.inbox }
  /// The order of this loop's writes in the store (Store.P2).
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

  /// The item whose end the event tells of; nil: it tells of something else.
  func itemCompleted(by event: StoredEvent) -> Item? {
    guard event.kind == Self.itemCompleted,
      case .itemCompleted(let end)? = (try? codec.decodeTrusted(Event.self, event.payload))?.kind
    else { return nil }
    return end.item
  }

  private static let itemCompleted = Event.Kind.itemCompleted(ItemCompleted()).number

  func encode(_ message: some WireMessage) -> [UInt8] { codec.encode(message) }

  // MARK: Sessions

  /// The thread's session, loaded first if need be (ThreadLoader).
  func session(_ thread: ThreadID, tenant: String) async throws(Refusal) -> Session {
    try await loader.session(thread, tenant: tenant)
  }

  /// The sessions of these threads, loaded one after the other; those that cannot be loaded are left out.
  func loaded(_ threads: [ThreadID], tenant: String) async -> [Session] {
    var found: [Session] = []
    for thread in threads {
      guard let session = try? await session(thread, tenant: tenant) else { continue }
      session.keepLoaded()
      found.append(session)
    }
    for session in found { session.letGo() }
    return found.filter { !$0.isDropped }
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

  func newSession(_ machine: ThreadMachine, startsAt: UInt64, tail: UInt64) -> Session {
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

  /// An empty array. A caller gets a new one while another caller has the spare one.
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

  func command(_ thread: ThreadID, _ command: ThreadCommand, _ request: RequestContext) {
    // Nearly always: the thread is loaded and theirs.
    if let session = sessions[thread], session.tenant == request.tenant {
      return session.command(command, request)
    }
    serve(request) { [self] () throws(Refusal) in
      try await session(thread, tenant: request.tenant).command(command, request)
    }
  }

  /// A command that found its session dropped goes to the thread as it is on disk.
  func redo(_ thread: ThreadID, _ command: ThreadCommand, _ request: RequestContext) {
    inbox.post { self.command(thread, command, request) }
  }

  /// Writes of a failed group never happened; the threads are read anew when a request needs them.
  func drop(_ session: Session, _ refusal: Refusal) {
    guard sessions[session.id] === session else { return }
    sessions[session.id] = nil
    trees.forget(session.root)
    let wasRunning = session.isRunning
    // First: followers may ask for it at once.
    writes.unsettle(session.id)
    session.writeFailed(refusal)
    // A turn that ran is ended from the reserve (durability.md D9). If it was that end which failed, the turn still
    // runs on disk, and would do so until a request needs the thread; after a while there may be room again.
    let (thread, tenant) = (session.id, session.tenant)
    if wasRunning { look(at: thread, tenant) } else { lookLater(at: thread, tenant) }
  }

  /// Loads the thread of a session that was dropped, so that its turn is ended or continued. A thread that cannot be read
  /// now is looked at again: nobody else does, and its turn would run on.
  private func look(at thread: ThreadID, _ tenant: String) {
    Task.immediate(executorPreference: context) {
      do throws(Refusal) { _ = try await self.session(thread, tenant: tenant) } catch {
        if error.reason == .readFailed { self.lookLater(at: thread, tenant) }
      }
    }
  }

  private func lookLater(at thread: ThreadID, _ tenant: String) {
    eventLoop.scheduleTask(in: .seconds(1)) { self.look(at: thread, tenant) }
  }

  func suspendLater(_ isSuspended: Bool) { inbox.post { self.suspend(isSuspended) } }

  /// The disk is full, or is so no more: turns end, or those that wait begin (durability.md D9).
  private func suspend(_ isSuspended: Bool) {
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

  // MARK: The store

  /// A read of the store. The task continues with a later batch of the loop, as every other answer of the store comes: a
  /// store that has answered before the task is suspended would resume it in place, before work that was posted earlier
  /// and inside the call that has started it.
  func read<T: Sendable>(
    _ lane: ReadLane = .short, _ work: @escaping @Sendable (any StoreReader, inout Codec) throws(StoreError) -> T
  ) async -> Result<T, StoreError> {
    await withCheckedContinuation { continuation in
      node.store.read(lane, work) { [inbox] result in inbox.post { continuation.resume(returning: result) } }
    }
  }

  /// Hands writes that belong to no session to the store, in the order of this loop's writes. Continues like `read`.
  func write(_ writes: [StoreWrite]) async -> Result<Void, StoreError> {
    await withCheckedContinuation { continuation in
      node.store.submit([Mutation(writes)], lane: lane) { [inbox] result in
        inbox.post { continuation.resume(returning: result) }
      }
    }
  }

  /// Returns when everything that was decided until now is on disk; throws the reason if it is not.
  func written() async throws(Refusal) {
    let failure = await withCheckedContinuation { writes.wait($0) }
    if let failure { throw failure }
  }

  /// Returns when no writes of the thread's failed session are on their way (ThreadLoader.H3).
  func settled(_ thread: ThreadID) async {
    _ = await withCheckedContinuation { continuation in
      if !writes.waitUntilSettled(thread, continuation) { continuation.resume(returning: nil) }
    }
  }

  func submit(_ mutations: [Mutation], group: Int) {
    let bytes = mutations.reduce(0) { $0 + $1.payloadBytes + WriteBacklog.overheadBytes }
    node.backlog.add(bytes)
    context.metrics.writeGroups.add(1)
    context.metrics.writes.add(mutations.count)
    node.store.submit(mutations, lane: lane) { result in
      self.inbox.post {
        self.node.backlog.take(off: bytes)
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

  func storeFailed(_ error: StoreError) { node.storeFailed(error) }

  func notify(_ waiter: CheckedContinuation<Refusal?, Never>, _ failure: Refusal?) { waiter.resume(returning: failure) }

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

  /// Serves a request by work that may await: on this loop, at once when this is it. The refusal that it throws is the
  /// answer.
  func serve(_ request: RequestContext, _ work: @escaping @Sendable () async throws(Refusal) -> Void) {
    context.run {
      Task.immediate(executorPreference: self.context) {
        do throws(Refusal) { try await work() } catch { self.answer(request, .refused(error), follows: nil) }
      }
    }
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
    for waiting in node.keys.finish(key, remember: isSuccess ? bytes : nil) {
      if isSuccess { waiting.send(stored: bytes) } else { waiting.send(answer) }
    }
  }
}
