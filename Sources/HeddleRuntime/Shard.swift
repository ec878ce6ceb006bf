// The sessions of one event loop, and the one place where their writes are gathered: everything that the loop decides in
// one go is one submission to the store.
//
// H1  A session is in `sessions` from the moment its thread is loaded or created until it is unloaded or dropped.
// H2  A thread is loaded once: requests that come while it loads wait for the same load.
// H3  A thread is never loaded while writes of its last session are on their way.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import Logging
import NIOCore

/// The threads of one loop. Confined to that loop, which is the proof for `@unchecked Sendable`.
final class Shard: @unchecked Sendable {
  let context: LoopContext
  unowned let manager: SessionManager
  let clock: RuntimeClock
  var environment: MachineEnvironment
  private(set) var sessions: [ThreadID: Session] = [:]
  private var loading: [ThreadID: [(Result<Session, Refusal>) -> Void]] = [:]
  private var deleting: Set<ThreadID> = []
  /// Loads that were under way when their thread was deleted.
  private var doomedLoads: Set<ThreadID> = []
  private var codec = Codec()
  private var batch: [Mutation] = []
  private var batchMarks: [(Session, UInt64)] = []
  private var batchKeys: [(PendingRequest, KeyContext)] = []
  private var flushIsSet = false

  init(context: LoopContext, manager: SessionManager, rules: ServerRules, seed: UInt64) {
    self.context = context
    self.manager = manager
    clock = manager.clock
    environment = MachineEnvironment(
      now: manager.clock.now(), instant: manager.clock.instant(), ids: IDGenerator(seed: seed), rules: rules)
  }

  var eventLoop: any EventLoop { context.eventLoop }
  var inbox: LoopInbox { context.inbox }
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
      return body(session.machine.identity.tenant == tenant ? .success(session) : .failure(Refusal(.thread)))
    }
    guard !deleting.contains(thread) else { return body(.failure(Refusal(.thread))) }
    let checked: (Result<Session, Refusal>) -> Void = { result in
      guard case .success(let session) = result, session.machine.identity.tenant != tenant else { return body(result) }
      body(.failure(Refusal(.thread)))
    }
    guard loading[thread] == nil else {
      loading[thread]?.append(checked)
      return
    }
    loading[thread] = [checked]
    load(thread, tenant: tenant)
  }

  private func load(_ thread: ThreadID, tenant: String) {
    manager.read(on: context) { store, codec throws(StoreError) in
      guard let loaded = try store.load(thread, tenant: tenant) else { return nil }
      return (try loaded.record(&codec), loaded.identity)
    } then: { (result: Result<(ThreadRecord, ThreadIdentity)?, StoreError>) in
      self.loaded(thread, result)
    }
  }

  private func loaded(_ thread: ThreadID, _ result: Result<(ThreadRecord, ThreadIdentity)?, StoreError>) {
    let waiting = loading.removeValue(forKey: thread) ?? []
    // What was read before a deletion must not come to life behind it.
    if deleting.contains(thread) || doomedLoads.remove(thread) != nil {
      for body in waiting { body(.failure(Refusal(.thread))) }
      return
    }
    switch result {
    case .success(let found?):
      let session = Session(
        shard: self, machine: ThreadMachine(record: found.0, identity: found.1), startsAt: found.0.sequence)
      sessions[thread] = session
      // A turn that is not driven by this process was cut off by the end of another (rules.md U4).
      if session.machine.record.running != nil || !session.machine.record.queue.isEmpty {
        session.input(manager.isReadOnly ? .suspended : .recovered)
      }
      for body in waiting { body(.success(session)) }
    case .success(nil): for body in waiting { body(.failure(Refusal(.thread))) }
    case .failure(let error):
      manager.logger.error("loading a thread failed", metadata: ["thread": "\(thread)", "error": "\(error)"])
      for body in waiting { body(.failure(error.refusal)) }
    }
  }

  /// A thread that begins here.
  func add(_ machine: ThreadMachine, _ effects: [Effect], _ request: PendingRequest?, _ answer: Answer?) {
    let session = Session(shard: self, machine: machine, startsAt: 0)
    sessions[session.id] = session
    session.begin(effects, request, answer)
  }

  func command(_ thread: ThreadID, _ command: ThreadCommand, _ request: PendingRequest) {
    session(thread, tenant: request.connection.tenant) { result in
      switch result {
      case .success(let session): session.command(command, request)
      case .failure(let refusal): self.answer(request, .refused(refusal), follows: nil)
      }
    }
  }

  /// A command that found its session dropped goes to the thread as it is on disk.
  func redo(_ thread: ThreadID, _ command: ThreadCommand, _ request: PendingRequest) {
    inbox.post { self.command(thread, command, request) }
  }

  /// Writes of a failed group never happened; the threads are read anew when somebody asks for them.
  private func dropFailed(_ session: Session, _ refusal: Refusal) {
    guard sessions[session.id] === session else { return }
    sessions[session.id] = nil
    let wasRunning = session.isRunning
    session.writeFailed(refusal)
    // What ran is ended from the reserve (durability.md D9).
    if wasRunning { self.session(session.id, tenant: session.machine.identity.tenant) { _ in } }
  }

  /// The disk is full, or is so no more: turns end, or those that wait begin (durability.md D9).
  func suspend(_ isSuspended: Bool) {
    for session in Array(sessions.values) where session.hasWork && !session.isEphemeral {
      session.input(isSuspended ? .suspended : .unsuspended)
    }
  }

  /// The server ends: nothing is driven any more. A turn that still runs is ended by the next start (durability.md D5).
  func stop() {
    flush()
    for session in Array(sessions.values) { session.drop(answering: Refusal(.shuttingDown)) }
    sessions = [:]
  }

  func remove(_ thread: ThreadID, telling refusal: Refusal) {
    deleting.insert(thread)
    if loading[thread] != nil { doomedLoads.insert(thread) }
    // What was decided before the deletion goes to the store before it: a fork of this thread among it.
    flush()
    sessions.removeValue(forKey: thread)?.drop(telling: refusal, answering: refusal)
  }

  func removed(_ threads: [ThreadID]) { deleting.subtract(threads) }

  /// Unloads what nobody follows and nobody has asked for some time (rules.md T5).
  func unloadIdle() {
    let now = clock.instant()
    for (id, session) in sessions
    where !session.isEphemeral && !session.hasWork && !session.hasSubscribers
      && now - session.lastActivity >= rules.limits.unloadMilliseconds
    {
      if let mutation = session.snapshotForUnload() { manager.store.submit([mutation]) { _ in } }
      sessions[id] = nil
      session.drop(answering: Refusal(.thread))
      manager.statusChanged(
        id, tenant: session.machine.identity.tenant, ThreadStatus(state: .notLoaded))
    }
  }

  // MARK: Writing

  func submit(_ mutation: Mutation, from session: Session, upTo sequence: UInt64) {
    batch.append(mutation)
    batchMarks.append((session, sequence))
    guard !flushIsSet else { return }
    flushIsSet = true
    // Behind everything that the loop does now: one submission for all of it.
    eventLoop.execute { self.flush() }
  }

  private func flush() {
    flushIsSet = false
    guard !batch.isEmpty else { return }
    let work = Array(zip(batch, batchMarks))
    batch = []
    batchMarks = []
    hand(over: work)
  }

  private func hand(over work: [(mutation: Mutation, mark: (Session, UInt64))]) {
    manager.store.submit(work.map(\.mutation)) { result in
      self.inbox.post { self.finished(work, result) }
    }
  }

  private func finished(_ work: [(mutation: Mutation, mark: (Session, UInt64))], _ result: Result<Void, StoreError>) {
    switch result {
    case .success: for (_, (session, sequence)) in work { session.synced(sequence) }
    case .failure(.conflict) where work.count > 1:
      // One of them breaks a promise of the store, and all were refused together. One by one, in the same order, the
      // others are written; what was handed over after them follows the same way.
      for one in work { hand(over: [one]) }
    case .failure(let error):
      manager.storeFailed(error)
      for (_, (session, _)) in work { dropFailed(session, error.refusal) }
    }
  }

  // MARK: Answers and keys

  /// The write that lets a retry find this answer; nil without a key, for refusals and on ephemeral threads.
  func keyWrite(_ request: PendingRequest, _ answer: Answer, thread: ThreadID?) -> StoreWrite? {
    guard let key = request.key, case .response(let response) = answer else { return nil }
    var bytes: [UInt8] = []
    response.encode(&codec, into: &bytes)
    return .key(
      KeyRecord(
        tenant: key.tenant, key: key.key, method: UInt16(truncatingIfNeeded: request.method.rawValue),
        requestHash: key.requestHash,
        thread: thread, response: bytes, at: environment.now))
  }

  func answer(_ request: PendingRequest, _ answer: Answer, follows: Followed?) {
    if let key = request.key { finishKey(key, request, answer) }
    let connection = request.connection
    connection.context.run { connection.answer(request, answer, follows: follows) }
  }

  private func finishKey(_ key: KeyContext, _ request: PendingRequest, _ answer: Answer) {
    var bytes: [UInt8] = []
    var isSuccess = false
    if case .response(let response) = answer {
      response.encode(&codec, into: &bytes)
      isSuccess = true
    }
    for waiting in manager.keys.finish(key, remember: isSuccess ? bytes : nil) {
      let connection = waiting.connection
      if isSuccess {
        let stored = bytes
        connection.context.run { connection.answerStored(waiting, stored) }
      } else {
        connection.context.run { connection.answer(waiting, answer, follows: nil) }
      }
    }
  }

  // MARK: Reading

  /// Items that the model gets, read off the loop.
  func history(of session: Session) async throws -> [Item] {
    let (start, hidden, log) = try await eventLoop.submit {
      (
        session.machine.record.contextStart, session.machine.record.hiddenTurns,
        session.isEphemeral ? session.log : nil
      )
    }.get()
    let id = session.id
    return try await manager.readPool.run { store, codec in
      let kinds = History.kinds
      let from = start > 0 ? start - 1 : 0
      let stored =
        if let log {
          log.events(kinds: kinds, from: from, backwards: false, ordinal: nil, hidden: hidden, limit: .max)
        } else {
          try store.events(
            id, kinds: kinds, from: from, backwards: false, ordinal: nil, hidden: hidden, limit: .max)
        }
      return try History.items(stored, &codec)
    }
  }
}

extension SessionManager {
  /// A command for one thread: what the router calls for most requests. Runs on the shard of the thread.
  public func command(_ thread: ThreadID, _ command: ThreadCommand, _ request: PendingRequest) {
    onShard(of: thread) { $0.command(thread, command, request) }
  }
}

/// From stored events to what a model reads.
enum History {
  /// Completed items and compactions, by field number of `Event.kind`.
  static let kinds: [UInt8] = [
    Event.Kind.itemCompleted(ItemCompleted()).number, Event.Kind.contextCompacted(ContextCompacted()).number,
  ]

  static func items(_ stored: [StoredEvent], _ codec: inout Codec) throws -> [Item] {
    var items: [Item] = []
    items.reserveCapacity(stored.count)
    for event in stored {
      switch try codec.decode(Event.self, event.payload).kind {
      case .itemCompleted(let completed)?: if let item = completed.item { items.append(item) }
      case .contextCompacted(let compacted)?: items = base(of: compacted.compaction)
      default: break
      }
    }
    return items
  }

  /// What the context begins with after a compaction: what its origin stored, or the summary.
  private static func base(of compaction: CompactionItem?) -> [Item] {
    guard let compaction else { return [] }
    guard compaction.replacement.isEmpty else {
      return compaction.replacement.map { Item(status: .completed, kind: .message($0)) }
    }
    let summary = MessageItem(role: .user, content: [ContentPart(part: .text(compaction.summary))])
    return [Item(status: .completed, kind: .message(summary))]
  }
}
