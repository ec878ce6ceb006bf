// One thread, live on its shard: drives the thread's state machine, hands its writes to the store, and lets nothing out
// before the disk has it.
//
// N1  Everything here runs on the shard's loop.
// N2  What was decided leaves in that order, each effect when the disk has what it tells of (ReleaseQueue.N2).
// N3  What a subscriber is pushed is contiguous: it follows from the event behind the head it was told when it went live.
// N4  A running turn has a place among those that its tenant may run, from the moment it is decided until its end is;
//     whoever decides takes it first.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import NIOCore

/// A live thread. Confined to its shard's loop (N1), which is the proof for `@unchecked Sendable`.
final class Session: GroupedWriter, @unchecked Sendable {
  private struct Subscriber {
    let follower: Follower
    /// It follows a tree that this agent is in, which does not keep the agent loaded (rules.md A12).
    var isOfTree = false
  }

  let id: ThreadID
  let tenant: String
  let isEphemeral: Bool
  /// Which of the sessions of this loop it is.
  let number: UInt64
  unowned let shard: Shard
  private(set) var machine: ThreadMachine
  private var releases: ReleaseQueue
  private(set) var log = EphemeralLog()
  /// What has been taken for `log` (EphemeralQuota.swift, E1).
  private var taken = 0
  private(set) var lastActivity: Int64
  private var subscribers: [Subscriber] = []
  private var snapshotSequence: UInt64
  /// The newest event when it was loaded.
  private let loadedAt: UInt64
  /// The turn that the last event carried out belongs to, by ordinal. One input may end a turn and start the next.
  private var turnOrdinal: UInt64
  private var timers: [ThreadTimer: Scheduled<Void>] = [:]
  private var driver: TurnDriver?
  private var shownState = ThreadState.unspecified
  /// What followers were told that the thread does.
  private var toldStatus: ThreadStatus
  private var hasPlace = false
  /// What begins the turn is on its way: the place is not given back although no turn runs yet.
  private var keepsPlace = false
  /// Those who need it loaded while they read something else.
  private var holds = 0
  /// The answer to the last command of the server's own.
  private var performed: Answer?
  /// A read that a command waits for is under way; later commands wait behind it.
  private var paused: [() -> Void]?
  /// What the model was given last and what has been added since, while there is room for it.
  private var context: ModelContext?
  /// Followers who have read from disk what has not been released yet.
  private var ahead: [() -> Void] = []

  /// A write failed: what was decided here and is not on disk never happened.
  private var hasFailed = false
  /// Whose events a fork shares, until the fork is on disk.
  var source: Session?
  /// Set when memory and log no longer agree; a dropped session must not send anything.
  private(set) var isDropped = false
  /// Why, for requests that were about to use it.
  private(set) var dropped = Refusal(.thread)

  /// `startsAt`: the newest event on disk; what is beyond it in the record has yet to be written. `tail`: how many events
  /// are on disk behind the snapshot.
  init(shard: Shard, machine: ThreadMachine, startsAt: UInt64, tail: UInt64, number: UInt64) {
    id = machine.record.id
    tenant = machine.identity.tenant
    isEphemeral = machine.identity.ephemeral
    self.number = number
    self.shard = shard
    self.machine = machine
    releases = ReleaseQueue(startsAt: startsAt)
    loadedAt = startsAt
    snapshotSequence = startsAt - min(tail, startsAt)
    turnOrdinal = machine.record.lastOrdinal
    lastActivity = shard.clock.instant()
    toldStatus = machine.status
    // One that begins here is shown when it is on disk (durability.md D2).
    if startsAt > 0 { showState() }
  }

  /// The newest event that is on disk; for ephemeral threads, in the log.
  var durable: UInt64 { releases.durable }
  /// The newest event that has been handed to the store.
  var submitted: UInt64 { releases.submitted }
  var isRunning: Bool { machine.record.isRunning }
  var hasWork: Bool {
    machine.record.hasUnfinishedWork || releases.isWriting || paused != nil || holds > 0
  }
  /// Root of its tree; itself for a root.
  var root: ThreadID { machine.record.lineage?.root ?? id }
  /// Its name in its tree.
  var path: String { machine.record.lineage?.agentPath ?? "" }
  var hasSubscribers: Bool { subscribers.contains { !$0.isOfTree } }
  var followers: Int { subscribers.count { !$0.isOfTree } }

  /// Why its writes never happen, if they do not: one failed, here or of what this rests on.
  var failure: Refusal? { hasFailed ? dropped : source?.failure }

  // MARK: Inputs

  /// Runs a command for a request, behind whatever command waits for a read.
  func command(_ command: ThreadCommand, _ request: RequestContext) {
    if isDropped { return shard.redo(id, command, request) }
    guard paused == nil else {
      paused?.append { self.command(command, request) }
      return
    }
    guard !command.beginsTurn || !shard.trees.mustRead(for: machine.record) else {
      return readTree(before: command, request)
    }
    if isEphemeral, command.bringsMore, let refusal = shard.manager.ephemeral.refusal(tenant) {
      touch()
      return shard.answer(request, .refused(refusal), follows: nil)
    }
    guard !command.beginsTurn || takePlace() else {
      touch()
      let limit = shard.rules.limits.runningTurnsPerTenant
      return shard.answer(request, .refused(Refusal(.tooManyTurns, [("limit", "\(limit)")])), follows: nil)
    }
    run(.command(command, Ticket(0)), request)
  }

  /// What the tree has used decides whether a turn may begin (rules.md S1).
  private func readTree(before command: ThreadCommand, _ request: RequestContext) {
    pause()
    shard.trees.with(root, tenant: tenant) { [self] result in
      switch result {
      case .success: resume(command, request)
      case .failure(let refusal):
        shard.answer(request, .refused(refusal), follows: nil)
        resumeOthers()
      }
    }
  }

  func input(_ input: ThreadInput) {
    guard !isDropped else { return }
    run(input, nil)
  }

  /// Somebody has asked for the thread.
  func touch() { lastActivity = shard.clock.instant() }

  /// Stays loaded until `letGo`, once for each.
  func keepLoaded() { holds += 1 }
  var isHeld: Bool { holds > 0 }
  func letGo() { holds -= 1 }

  /// Holds further commands until `resume`; for commands that need a look at the disk first.
  func pause() { paused = paused ?? [] }

  /// Runs `work` behind what a command in front of it reads; false: there is none.
  func waitsForRead(_ work: @escaping () -> Void) -> Bool {
    guard paused != nil else { return false }
    paused?.append(work)
    return true
  }

  /// Runs the command that the others waited for, then the others.
  func resume(_ command: ThreadCommand, _ request: RequestContext) {
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
  func begin(_ effects: [Effect], _ request: RequestContext?, _ answer: Answer?) {
    var effects = effects
    if let answer { effects.append(.reply(Ticket(0), answer, after: machine.record.sequence)) }
    submit(effects, request, mustSnapshot: true)
    shard.trees.note(self)
    settlePlace()
  }

  private func run(_ input: ThreadInput, _ request: RequestContext?) {
    let shard = shard
    var effects = shard.takeEffects()
    shard.refreshTime()
    lastActivity = shard.environment.instant
    machine.handle(input, &shard.environment, &effects)
    submit(effects, request, mustSnapshot: false)
    shard.giveBack(&effects)
    shard.trees.note(self)
    settlePlace()
  }

  /// Runs a command of the server's own and says what came of it.
  func perform(_ command: ThreadCommand) -> Answer? {
    guard !isDropped else { return nil }
    run(.command(command, Ticket(0)), nil)
    return performed
  }

  /// Answers a request when everything that was decided until now is on disk.
  func reply(to request: RequestContext, _ response: Response) {
    submit(
      [.reply(Ticket(0), .response(response), after: machine.record.sequence)], request, mustSnapshot: false)
  }

  // MARK: Places (N4)

  /// Takes a place for a turn that is about to begin; false: the tenant has none left. With `orWait`, that is called when
  /// there may be one.
  func takePlace(orWait: (@Sendable () -> Void)? = nil) -> Bool {
    guard !hasPlace else { return true }
    hasPlace = shard.manager.places.take(
      tenant, limit: shard.rules.limits.runningTurnsPerTenant, orWait: orWait.map { (id, $0) })
    return hasPlace
  }

  /// Keeps the place while `body` hands in, input by input, what begins the turn. `isHandedOver`: somebody else took it.
  func inPlace(isHandedOver: Bool = false, _ body: () -> Void) {
    if isHandedOver { hasPlace = true }
    keepsPlace = true
    body()
    keepsPlace = false
    settlePlace()
  }

  /// N4. A turn that begins without having asked, since it was accepted before, is counted too.
  private func settlePlace() {
    guard !keepsPlace, !isDropped, hasPlace != isRunning else { return }
    hasPlace = isRunning
    if hasPlace {
      shard.manager.places.add(tenant)
    } else {
      shard.manager.places.giveBack(tenant)
    }
  }

  func setTreeQuota(_ quota: TreeQuota?) { machine.treeQuota = quota }

  /// Turns effects into writes and releases.
  private func submit(_ effects: [Effect], _ request: RequestContext?, mustSnapshot: Bool) {
    var writes: [StoreWrite] = []
    var stored: [StoredEvent] = []
    let first = releases.begin(&shard.spareRooms)
    for index in effects.indices { carryOut(effects[index], request, &writes, &stored) }
    if !stored.isEmpty { writes.append(.events(id, stored)) }
    if isEphemeral {
      takeMemory()
      releases.keep(upTo: machine.record.sequence)
      release()
    } else if writes.isEmpty {
      release()
    } else {
      let number = releases.submit(upTo: machine.record.sequence, from: first)
      write(writes, number, mustSnapshot: mustSnapshot)
    }
  }

  private func carryOut(
    _ effect: Effect, _ request: RequestContext?, _ writes: inout [StoreWrite], _ stored: inout [StoredEvent]
  ) {
    switch effect {
    case .append(let event):
      let encoded = shard.encode(event, ordinal: ordinal(of: event))
      machine.account(eventBytes: UInt64(encoded.payload.count))
      if isEphemeral { log.append(encoded) } else { stored.append(encoded) }
      if let context { shard.contexts.add(event, bytes: encoded.payload.count, to: context) }
      hold(event.sequence, .event(encoded))
      if case .usageReported(let report)? = event.kind, let used = report.usage {
        shard.manager.usage.add(used, tenant: tenant)
      }
    case .storeTurn(let turn):
      let encoded = shard.encode(turn)
      if isEphemeral {
        log.store(ordinal: turn.ordinal, id: turn.id, encoded)
      } else {
        writes.append(.turn(id, ordinal: turn.ordinal, id: turn.id, encoded))
      }
    case .reply(_, let answer, let after):
      guard let request else {
        performed = answer
        return
      }
      if !isEphemeral, let write = shard.keyWrite(request, answer, thread: keyThread(request)) { writes.append(write) }
      hold(after, .reply(request, answer))
    case .status(let status, let after): hold(after, .status(status))
    case .delta(let delta, let after): hold(after, .delta(delta))
    case .startModel(let start, let after): hold(after, .startModel(start))
    case .callTool(let turn, let call, let after): hold(after, .callTool(turn, call))
    case .askClient(let call, let after): hold(after, .askClient(call))
    case .deliver(let mail, let after): hold(after, .deliver(mail))
    case .wantTurn(let after): hold(after, .wantTurn)
    case .endClientCall(let callID): hold(machine.record.sequence, .endClientCall(callID))
    case .cancelModel: stopDriver()
    case .setTimer(let timer, let at): set(timer, at)
    case .cancelTimer(let timer):
      timers.removeValue(forKey: timer)?.cancel()
      if timers.isEmpty { timers = [:] }
    }
  }

  private func hold(_ after: UInt64, _ release: Release) { releases.hold(release, after: after) }

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
  private func keyThread(_ request: RequestContext) -> ThreadID? {
    request.method == .threadStart || request.method == .threadFork ? nil : id
  }

  // MARK: Writing

  private func write(_ writes: [StoreWrite], _ number: UInt64, mustSnapshot: Bool) {
    var writes = writes
    writes.append(.thread(machine.record.row(identity: machine.identity)))
    if mustSnapshot || submitted &- snapshotSequence >= shard.rules.limits.snapshotEvents {
      writes.append(snapshot())
    }
    shard.writes.queue(Mutation(writes), from: self, upTo: submitted, write: number)
  }

  /// A turn that goes on when there is no more room ends, as any other change is refused.
  private func takeMemory() {
    let piece = EphemeralQuota.pieceBytes
    guard log.bytes >= taken else { return }
    let more = (log.bytes / piece + 1) * piece - taken
    taken += more
    shard.manager.ephemeral.take(tenant, more)
    guard isRunning, shard.manager.ephemeral.refusal(tenant) != nil else { return }
    shard.later { [self] in
      guard let turn = machine.record.running?.id else { return }
      let message = "Threads in memory only hold as many bytes as they may; delete some, or use a stored thread."
      input(.model(turn, .failed(TurnError(reason: TurnFailure.ephemeralFull.rawValue, message: message))))
    }
  }

  private func snapshot() -> StoreWrite {
    snapshotSequence = machine.record.sequence
    return .snapshot(id, sequence: snapshotSequence, shard.encode(machine.record))
  }

  /// The store has synced this write, and with it everything up to `sequence`.
  func synced(_ sequence: UInt64, write: UInt64) {
    guard !isDropped else { return }
    releases.synced(sequence, write: write)
    if source != nil { source = nil }
    release()
  }

  /// The group with this session's writes failed: what is in memory never happened.
  func writeFailed(_ refusal: Refusal) {
    guard !isDropped else { return }
    hasFailed = true
    drop(answering: refusal)
  }

  /// Ends this session. Whoever waits for an answer gets `answer`. Subscribers hear that the thread is gone, if it is, or
  /// go back to reading its log.
  func drop(telling refusal: Refusal? = nil, answering answer: Refusal) {
    isDropped = true
    dropped = answer
    let waiting = releases.takeAll()
    stopDriver()
    for timer in timers.values { timer.cancel() }
    timers = [:]
    let last: Push = refusal.map { .ended($0) } ?? .lapsed
    for subscriber in subscribers { push([last], to: subscriber) }
    subscribers = []
    shard.manager.index.forget(id)
    shard.treeFollowers.ended(self)
    if taken > 0 { shard.manager.ephemeral.giveBack(tenant, taken) }
    taken = 0
    if hasPlace { shard.manager.places.giveBack(tenant) }
    hasPlace = false
    for case .reply(let request, _) in waiting {
      shard.answer(request, .refused(answer), follows: nil)
    }
    flushPaused()
    wakeAhead()
    forgetContext()
  }

  /// Followers, and requests whose answers wait for the disk, are told later what has become of the thread.
  func handOver() -> (_ isGone: Bool) -> Void {
    let followers = subscribers
    let requests = releases.takeAll().compactMap { release -> RequestContext? in
      if case .reply(let request, _) = release { request } else { nil }
    }
    subscribers = []
    return { [self] isGone in
      // If it is still there, nobody knows here whether what they asked for has happened: the key will tell.
      let refusal = Refusal(isGone ? .thread : .storageFailed)
      for request in requests { shard.answer(request, .refused(refusal), follows: nil) }
      for follower in followers { push([isGone ? .ended(refusal) : .lapsed], to: follower) }
    }
  }

  // MARK: Releasing (N2)

  private func release() {
    var batch: [Push] = []
    while let item = releases.next() {
      switch item {
      case .event(let event):
        if shownState == .unspecified { showState() }
        if !subscribers.isEmpty { batch.append(.event(event)) }
        announce(event)
      case .status(let status):
        showState()
        toldStatus = status
        if !subscribers.isEmpty { batch.append(.status(status)) }
        shard.manager.statusChanged(id, tenant: tenant, status)
      case .delta(let delta): if !subscribers.isEmpty { batch.append(.delta(delta)) }
      case .startModel(let start): startDriver(start)
      case .callTool(let turn, let call): shard.later { [self] in shard.trees.call(self, turn, call) }
      case .askClient(let call): tell(.call(call), &batch)
      case .endClientCall(let callID): tell(.callEnded(callID, of: id), &batch)
      case .deliver(let mail): shard.later { [self] in shard.trees.deliver(mail, from: self) }
      case .wantTurn: shard.later { [self] in shard.trees.wantTurn(self) }
      case .reply(let request, let answer):
        deliver(&batch)
        reply(request, answer)
      }
    }
    deliver(&batch)
    releases.end(&shard.spareRooms)
    if driver != nil, machine.record.running == nil { stopDriver() }
    wakeAhead()
  }

  private func wakeAhead() {
    guard !ahead.isEmpty else { return }
    let waiting = ahead
    ahead = []
    for work in waiting { shard.later(work) }
  }

  /// Tells of the event beyond this thread's own subscribers: a start to all connections of the tenant (rules.md T1).
  private func announce(_ event: StoredEvent) {
    if event.kind == Self.created {
      if root != id { shard.treeFollowers.tell(of: self, head: 0) }
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

  private func reply(_ request: RequestContext, _ answer: Answer) {
    guard request.wantsToFollow, case .response = answer, let follower = request.reply.follower else {
      return shard.answer(request, answer, follows: nil)
    }
    // The head in the answer is the last event that left here, so every push follows from it (N3).
    let followed = Followed(
      thread: id, epoch: machine.identity.epoch, head: releasedHead, status: toldStatus, isTree: request.wantsTree)
    let subscriber = Subscriber(follower: follower)
    subscribers.append(subscriber)
    if request.wantsTree { shard.treeFollowers.add(self, follower) }
    shard.answer(request, answer, follows: followed)
    let missed = snapshots()
    if !missed.isEmpty { push(missed, to: subscriber) }
    if request.wantsTree { shard.treeFollowers.tellOfLoaded(follower) }
  }

  /// The last event that was released.
  var releasedHead: UInt64 { releases.releasedHead }

  private func deliver(_ batch: inout [Push]) {
    guard !batch.isEmpty else { return }
    for subscriber in subscribers { push(batch, to: subscriber) }
    batch.removeAll(keepingCapacity: true)
  }

  private func push(_ items: [Push], to subscriber: Subscriber) {
    subscriber.follower.push(items, of: id, from: shard.context)
  }

  /// Pushes a call, or its end, to the followers of this thread and to those of its root (rules.md A13). Earlier pushes of
  /// the batch leave first.
  private func tell(_ push: Push, _ batch: inout [Push]) {
    if !subscribers.isEmpty { batch.append(push) }
    guard root != id, let top = shard.sessions[root], !top.subscribers.isEmpty else { return }
    deliver(&batch)
    var forRoot = [push]
    top.deliver(&forRoot)
  }

  /// Tells the followers of the tree that this agent is not loaded any more and that nothing is missing.
  func tellUnloaded() {
    for subscriber in subscribers { push([.unloaded], to: subscriber) }
    subscribers = []
  }

  private func showState() {
    let state = machine.status.state
    guard state != shownState else { return }
    shard.manager.index.set(id, tenant: tenant, state)
    shownState = state
  }

  // MARK: Subscribers

  /// A reader can see an event on disk before this loop has been told that it is durable. Whether that is so for
  /// `sequence`; then `again` runs behind the next release.
  func waitsForRelease(of sequence: UInt64, _ again: @escaping () -> Void) -> Bool {
    guard releases.isAboutToRelease(sequence) else { return false }
    ahead.append(again)
    return true
  }

  /// A follower that has read up to `cursor` wants to be pushed what comes (rules.md E1).
  func follow(_ follower: Follower, cursor: UInt64, ofTree: Bool) -> FollowAnswer {
    lastActivity = shard.clock.instant()
    let head = releasedHead
    // Beyond what has been handed to the store: of another log.
    guard cursor <= head else { return .gone(Refusal(.futureSeq, [("head", "\(head)")])) }
    guard cursor == head else { return .behind(head: head) }
    unfollow(follower)
    subscribers.append(Subscriber(follower: follower, isOfTree: ofTree))
    return .live(head: head, status: toldStatus)
  }

  /// What a follower that has just gone live has missed of unfinished items: their text up to the first delta that
  /// it will still be pushed.
  func snapshots() -> [Push] {
    texts(releasedHead) + openCalls() + (root == id ? shard.treeFollowers.openCalls(of: id) : [])
  }

  /// Calls that clients have been asked and have not answered. Calls that are still to be released come by themselves.
  func openCalls() -> [Push] {
    machine.openClientCalls.filter { call in
      !releases.waiting.contains { if case .askClient(call) = $0 { true } else { false } }
    }
    .map { .call($0) }
  }

  private func texts(_ head: UInt64) -> [Push] {
    machine.openTexts.compactMap { open in
      guard open.startedBy <= head else { return nil }
      var snapshot = open.snapshot
      for case .delta(let delta) in releases.waiting where delta.item == snapshot.item {
        snapshot.text = snapshot.text.prefix(utf8Bytes: Int(delta.offset))
        break
      }
      return snapshot.text.isEmpty ? nil : .snapshot(snapshot)
    }
  }

  func unfollow(_ follower: Follower) {
    let index = subscribers.firstIndex { $0.follower.isSame(as: follower) }
    if let index, subscribers.remove(at: index).isOfTree { return }
    lastActivity = shard.clock.instant()
    shard.makeRoomLater()
  }

  // MARK: Turns

  private func startDriver(_ start: ModelStart) {
    driver?.cancel()
    driver = nil
    // A turn that has ended meanwhile asks nobody.
    guard machine.record.running?.id == start.turn else { return }
    driver = TurnDriver(session: self, start)
    driver?.start()
  }

  /// What a step of the model begins with; without `all`, what a part of it can be read from.
  func contextSource(all: Bool = true) -> ContextSource {
    let isSettled = all && machine.record.sequence == durable
    let range = ContextRange(machine.record, upTo: durable)
    let kept = isSettled ? context?.history(range) : nil
    // What is decided from here on is added to what is about to be read.
    if isSettled, kept == nil {
      forgetContext()
      context = shard.contexts.begin(range)
    }
    return ContextSource(thread: id, range: range, log: isEphemeral && kept == nil ? log : nil, kept: kept)
  }

  /// What was read for a step.
  func keep(_ history: History, _ range: ContextRange) {
    // Two may have read the same.
    guard let context, context.range == range, !context.isWhole else { return }
    shard.contexts.begin(context, with: history)
  }

  func forgetContext() {
    if let context { shard.contexts.forget(context) }
    context = nil
  }

  private func stopDriver() {
    driver?.cancel()
    driver = nil
  }

  private func set(_ timer: ThreadTimer, _ at: Int64) {
    timers.removeValue(forKey: timer)?.cancel()
    let delay = max(0, at - shard.clock.instant())
    timers[timer] = shard.eventLoop.scheduleTask(in: .milliseconds(delay)) { [weak self] in
      guard let self else { return }
      timers[timer] = nil
      if timers.isEmpty { timers = [:] }
      input(.timer(timer))
    }
  }

  /// What the session leaves behind when it is unloaded: a snapshot, so that the next load reads no tail.
  func snapshotForUnload() -> Mutation? {
    guard !isEphemeral, machine.record.sequence > max(snapshotSequence, loadedAt) else { return nil }
    return Mutation([snapshot()])
  }
}
