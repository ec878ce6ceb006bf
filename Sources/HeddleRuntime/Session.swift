// One thread, live on its shard: drives the thread's state machine, hands its writes to the store, and lets nothing out
// before the disk has it.
//
// N1  Everything here runs on the shard's loop.
// N2  `releases` holds effects in the order in which they were decided; each leaves when the event it waits for is
//     synced, and never before the one in front of it (durability.md D1, D2).
// N3  What a subscriber is pushed is contiguous: it follows from the event behind the head it was told when it went live.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import NIOCore

/// A live thread. Confined to its shard's loop (N1), which is the proof for `@unchecked Sendable`.
final class Session: @unchecked Sendable {
  private enum Release {
    case event(StoredEvent)
    case reply(PendingRequest, Answer)
    case status(ThreadStatus)
    case delta(ItemDelta)
    case startModel(TurnID, TurnContext)
  }

  private struct Subscriber {
    let connection: any ConnectionPort
    let stream: UInt32
  }

  let id: ThreadID
  unowned let shard: Shard
  private(set) var machine: ThreadMachine
  /// The newest event that is on disk; for ephemeral threads, in the log.
  private(set) var durable: UInt64
  /// The newest event that has been handed to the store.
  private(set) var submitted: UInt64
  private(set) var log = EphemeralLog()
  private(set) var lastActivity: Int64
  private var releases: [(after: UInt64, Release)] = []
  private var firstRelease = 0
  private var subscribers: [Subscriber] = []
  private var effects: [Effect] = []
  private var snapshotSequence: UInt64
  /// The turn that the last event carried out belongs to, by ordinal. One input may end a turn and start the next.
  private var turnOrdinal: UInt64
  private var timers: [ThreadTimer: Scheduled<Void>] = [:]
  private var driver: TurnDriver?
  private var shownState = ThreadState.unspecified
  /// A read that a command waits for is under way; later commands wait behind it.
  private var paused: [() -> Void]?

  /// Dropped: the log on disk is ahead of or behind this state, so it must not speak any more.
  private(set) var isDropped = false
  /// Why, for requests that were about to use it.
  private(set) var dropped = Refusal(.thread)

  /// `startsAt`: the newest event on disk; what is beyond it in the record has yet to be written.
  init(shard: Shard, machine: ThreadMachine, startsAt: UInt64) {
    id = machine.record.id
    self.shard = shard
    self.machine = machine
    durable = startsAt
    submitted = startsAt
    snapshotSequence = startsAt
    turnOrdinal = machine.record.lastOrdinal
    lastActivity = shard.clock.instant()
    showState()
  }

  var isEphemeral: Bool { machine.identity.ephemeral }
  var isRunning: Bool { machine.record.running != nil }
  var hasWork: Bool { isRunning || !machine.record.queue.isEmpty || durable < submitted || paused != nil }
  var hasSubscribers: Bool { !subscribers.isEmpty }

  // MARK: Inputs

  /// Runs a command for a request, behind whatever command waits for a read.
  func command(_ command: ThreadCommand, _ request: PendingRequest) {
    if isDropped { return shard.redo(id, command, request) }
    guard paused == nil else {
      paused?.append { self.command(command, request) }
      return
    }
    lastActivity = shard.clock.instant()
    run(.command(command, Ticket(0)), request)
  }

  func input(_ input: ThreadInput) {
    guard !isDropped else { return }
    lastActivity = shard.clock.instant()
    run(input, nil)
  }

  /// Holds further commands until `resume`; for commands that need a look at the disk first.
  func pause() { paused = paused ?? [] }

  /// Runs the command that the others waited for, then the others.
  func resume(_ command: ThreadCommand, _ request: PendingRequest) {
    let waiting = paused ?? []
    paused = nil
    self.command(command, request)
    for next in waiting { next() }
  }

  /// The command that the others waited for has been refused.
  func resumeOthers() { flushPaused() }

  private func flushPaused() {
    let waiting = paused ?? []
    paused = nil
    for next in waiting { next() }
  }

  /// A thread begins: the effects are those of `ThreadMachine.begin`, the answer is about the thread as it is then.
  func begin(_ effects: [Effect], _ request: PendingRequest?, _ answer: Answer?) {
    self.effects = effects
    if let answer { self.effects.append(.reply(Ticket(0), answer, after: machine.record.sequence)) }
    submit(request, mustSnapshot: true)
  }

  private func run(_ input: ThreadInput, _ request: PendingRequest?) {
    effects.removeAll(keepingCapacity: true)
    shard.refreshTime()
    machine.handle(input, &shard.environment, &effects)
    submit(request, mustSnapshot: false)
  }

  /// Turns the effects in hand into writes and releases.
  private func submit(_ request: PendingRequest?, mustSnapshot: Bool) {
    var writes: [StoreWrite] = []
    var stored: [StoredEvent] = []
    for effect in effects { carryOut(effect, request, &writes, &stored) }
    if !stored.isEmpty { writes.append(.events(id, stored)) }
    if writes.isEmpty {
      release()
    } else {
      submitted = machine.record.sequence
      write(writes, mustSnapshot: mustSnapshot)
    }
  }

  private func carryOut(
    _ effect: Effect, _ request: PendingRequest?, _ writes: inout [StoreWrite], _ stored: inout [StoredEvent]
  ) {
    switch effect {
    case .append(let event):
      let encoded = shard.encode(event, ordinal: ordinal(of: event))
      machine.account(eventBytes: UInt64(encoded.payload.count))
      stored.append(encoded)
      releases.append((event.sequence, .event(encoded)))
    case .storeTurn(let turn):
      writes.append(.turn(id, ordinal: turn.ordinal, id: turn.id, shard.encode(turn)))
    case .reply(_, let answer, let after):
      guard let request else { return }
      if let write = shard.keyWrite(request, answer, thread: keyThread(request)) { writes.append(write) }
      releases.append((after, .reply(request, answer)))
    case .status(let status, let after): releases.append((after, .status(status)))
    case .delta(let delta, let after): releases.append((after, .delta(delta)))
    case .startModel(let turn, let context, let after): releases.append((after, .startModel(turn, context)))
    case .cancelModel: stopDriver()
    case .setTimer(let timer, let at): set(timer, at)
    case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.cancel()
    }
  }

  /// The turn that an event belongs to, by ordinal: what lists and the model's input filter by.
  private func ordinal(of event: Event) -> UInt64 {
    guard event.turn != nil else { return 0 }
    switch event.kind {
    case .turnQueued?, .queuedTurnCancelled?: return 0
    case .turnStarted(let started)?: turnOrdinal = started.ordinal
    default: break
    }
    return turnOrdinal
  }

  /// Keys of a thread go with it; the key that started it outlives it, so that a late retry cannot bring it back.
  private func keyThread(_ request: PendingRequest) -> ThreadID? {
    request.method == .threadStart ? nil : id
  }

  // MARK: Writing

  private func write(_ writes: [StoreWrite], mustSnapshot: Bool) {
    if isEphemeral {
      log.append(writes)
      durable = submitted
      release()
      return
    }
    var writes = writes
    writes.append(.thread(machine.record.row(identity: machine.identity)))
    if mustSnapshot || submitted &- snapshotSequence >= shard.rules.limits.snapshotEvents {
      writes.append(snapshot())
    }
    shard.submit(Mutation(writes), from: self, upTo: submitted)
  }

  private func snapshot() -> StoreWrite {
    snapshotSequence = machine.record.sequence
    return .snapshot(id, sequence: snapshotSequence, shard.encode(machine.record))
  }

  /// The store has synced everything up to `sequence`.
  func synced(_ sequence: UInt64) {
    guard !isDropped else { return }
    durable = max(durable, sequence)
    release()
  }

  /// The group with this session's writes failed: what is in memory never happened.
  func writeFailed(_ refusal: Refusal) {
    guard !isDropped else { return }
    drop(answering: refusal)
  }

  /// Ends this session. Whoever waits for an answer gets `answer`. Subscribers hear that the thread is gone, if it is, or
  /// go back to reading its log.
  func drop(telling refusal: Refusal? = nil, answering answer: Refusal) {
    isDropped = true
    dropped = answer
    let waiting = releases[firstRelease...]
    releases = []
    firstRelease = 0
    stopDriver()
    for timer in timers.values { timer.cancel() }
    timers = [:]
    let last: Push = refusal.map { .ended($0) } ?? .lapsed
    for subscriber in subscribers { push([last], to: subscriber) }
    subscribers = []
    shard.manager.index.forget(id)
    for case (_, .reply(let request, _)) in waiting { shard.answer(request, .refused(answer), follows: nil) }
    flushPaused()
  }

  // MARK: Releasing (N2)

  private func release() {
    var batch: [Push] = []
    while firstRelease < releases.count, releases[firstRelease].after <= durable {
      let item = releases[firstRelease].1
      firstRelease += 1
      switch item {
      case .event(let event):
        if !subscribers.isEmpty { batch.append(.event(event)) }
        announce(event)
      case .status(let status):
        showState()
        if !subscribers.isEmpty { batch.append(.status(status)) }
        shard.manager.statusChanged(id, tenant: machine.identity.tenant, status)
      case .delta(let delta): if !subscribers.isEmpty { batch.append(.delta(delta)) }
      case .startModel(let turn, let context): startDriver(turn, context)
      case .reply(let request, let answer):
        deliver(&batch)
        reply(request, answer)
      }
    }
    deliver(&batch)
    if firstRelease == releases.count {
      releases.removeAll(keepingCapacity: true)
      firstRelease = 0
    }
    if driver != nil, machine.record.running == nil { stopDriver() }
  }

  /// Tells of the event beyond this thread's own subscribers: a start to all connections of the tenant (rules.md T1).
  private func announce(_ event: StoredEvent) {
    let tenant = machine.identity.tenant
    if event.kind == Self.created {
      let notice = ThreadStartedNotice(thread: id, lineage: machine.record.lineage)
      shard.manager.announce(.threadStarted(notice), tenant: tenant, toAll: true)
    } else if let notice = notice(of: event) {
      shard.manager.announceToFollowers(notice, tenant: tenant)
    }
  }

  /// What followers of the tenant's threads hear of an event.
  private func notice(of event: StoredEvent) -> SubscriptionEvent.Kind? {
    switch event.kind {
    case Self.nameChanged: .threadName(ThreadNameNotice(thread: id, name: machine.record.name))
    case Self.archived: .threadArchive(ThreadArchiveNotice(thread: id, archived: true))
    case Self.unarchived: .threadArchive(ThreadArchiveNotice(thread: id, archived: false))
    default: nil
    }
  }

  private static let created = Event.Kind.threadCreated(ThreadCreated()).number
  private static let nameChanged = Event.Kind.nameChanged(NameChanged()).number
  private static let archived = Event.Kind.threadArchived(ThreadArchived()).number
  private static let unarchived = Event.Kind.threadUnarchived(ThreadUnarchived()).number

  private func reply(_ request: PendingRequest, _ answer: Answer) {
    guard request.wantsToFollow, case .response = answer else {
      return shard.answer(request, answer, follows: nil)
    }
    // The head that the connection is told is the last event that left here, so what it is pushed follows from it (N3).
    let followed = Followed(thread: id, epoch: machine.identity.epoch, head: releasedHead)
    let subscriber = Subscriber(connection: request.connection, stream: request.stream)
    subscribers.append(subscriber)
    shard.answer(request, answer, follows: followed)
    let missed = snapshots()
    if !missed.isEmpty { push(missed, to: subscriber) }
  }

  /// The last event that was released: everything before `firstRelease` has gone out.
  private var releasedHead: UInt64 {
    for (_, item) in releases[firstRelease...] {
      if case .event(let event) = item { return event.sequence - 1 }
    }
    return submitted
  }

  private func deliver(_ batch: inout [Push]) {
    guard !batch.isEmpty else { return }
    for subscriber in subscribers { push(batch, to: subscriber) }
    batch.removeAll(keepingCapacity: true)
  }

  private func push(_ items: [Push], to subscriber: Subscriber) {
    let connection = subscriber.connection
    let stream = subscriber.stream
    connection.context.run { connection.push(stream, items) }
  }

  private func showState() {
    let state = machine.status.state
    guard state != shownState else { return }
    shard.manager.index.set(id, tenant: machine.identity.tenant, state)
    shownState = state
  }

  // MARK: Subscribers

  /// A follower that has read up to `cursor` wants to be pushed what comes (rules.md E1).
  func follow(_ connection: any ConnectionPort, _ stream: UInt32, cursor: UInt64) -> FollowAnswer {
    lastActivity = shard.clock.instant()
    let head = releasedHead
    guard cursor == head else { return .behind(head: head) }
    unfollow(connection, stream)
    let subscriber = Subscriber(connection: connection, stream: stream)
    subscribers.append(subscriber)
    return .live(head: head)
  }

  /// What a follower that has just gone live has missed of unfinished items: their text up to the first delta that
  /// it will still be pushed.
  func snapshots() -> [Push] {
    let head = releasedHead
    return machine.openTexts.compactMap { open in
      guard open.startedBy <= head else { return nil }
      var snapshot = open.snapshot
      for case (_, .delta(let delta)) in releases[firstRelease...] where delta.item == snapshot.item {
        snapshot.text = snapshot.text.prefix(utf8Bytes: Int(delta.offset))
        break
      }
      return snapshot.text.isEmpty ? nil : .snapshot(snapshot)
    }
  }

  func unfollow(_ connection: any ConnectionPort, _ stream: UInt32) {
    subscribers.removeAll { $0.connection === connection && $0.stream == stream }
    lastActivity = shard.clock.instant()
  }

  // MARK: Turns

  private func startDriver(_ turn: TurnID, _ context: TurnContext) {
    driver?.cancel()
    driver = TurnDriver(session: self, turn: turn, context: context)
    driver?.start()
  }

  private func stopDriver() {
    driver?.cancel()
    driver = nil
  }

  private func set(_ timer: ThreadTimer, _ at: Int64) {
    timers.removeValue(forKey: timer)?.cancel()
    let delay = max(0, at - shard.clock.instant())
    timers[timer] = shard.eventLoop.scheduleTask(in: .milliseconds(delay)) { [weak self] in
      self?.timers[timer] = nil
      self?.input(.timer(timer))
    }
  }

  /// What the session leaves behind when it is unloaded: a snapshot, so that the next load reads no tail.
  func snapshotForUnload() -> Mutation? {
    guard !isEphemeral, machine.record.sequence > snapshotSequence else { return nil }
    return Mutation([snapshot()])
  }
}
