// One thread, live on its shard: drives the thread's state machine, hands its writes to the store, and lets nothing out
// before the disk has it.
//
// N1  Everything here runs on the shard's loop.
// N2  What was decided leaves in that order, each effect when the disk has what it tells of (ReleaseQueue.N2).
// N3  Pushes to a subscriber are contiguous (Followers.N3).
// N4  A running turn holds a permit of its tenant, from the moment it is decided until its end is; the permit is taken
//     before anything is decided.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import NIOCore

/// A live thread. Confined to its shard's loop (N1), which is the proof for `@unchecked Sendable`.
final class Session: GroupedWriter, @unchecked Sendable {
  let id: ThreadID
  let tenant: String
  let isEphemeral: Bool
  /// Which of the sessions of this loop it is.
  let number: UInt64
  unowned let shard: Shard
  private(set) var machine: ThreadMachine
  var releases: ReleaseQueue
  private(set) var log = EphemeralLog()
  /// Bytes that have been taken for `log` (EphemeralQuota.swift, E1).
  private var taken = 0
  private(set) var lastActivity: Int64
  var subscribers: Followers
  private var snapshotSequence: UInt64
  /// The newest event when it was loaded.
  private let loadedAt: UInt64
  /// The turn that the last event carried out belongs to, by ordinal. One input may end a turn and start the next.
  private var turnOrdinal: UInt64
  var timers: [ThreadTimer: Scheduled<Void>] = [:]
  var driver: TurnDriver?
  var shownState = ThreadState.unspecified
  /// The status that followers were notified of.
  var toldStatus: ThreadStatus
  var hasPermit = false
  /// The inputs that start the turn are on their way: the permit is kept although no turn runs yet.
  var keepsPermit = false
  /// Requests that need the thread loaded while they read something else.
  private var holds = 0
  /// The answer to the last command of the server's own.
  private var performed: Answer?
  /// A read that a command waits for is under way; later commands wait behind it.
  private var paused: [() -> Void]?
  /// What the model was given last and what has been added since, while there is room for it.
  var context: ModelContext?
  /// Followers who have read from disk what has not been released yet.
  var ahead: [@Sendable () -> Void] = []

  /// A write failed: what was decided here and is not on disk never happened.
  private var hasFailed = false
  /// The thread whose events this fork shares, until the fork is on disk.
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
    subscribers = Followers(of: id, on: shard.context)
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
  var hasSubscribers: Bool { subscribers.keepLoaded }
  var followers: Int { subscribers.count }

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
    guard !command.beginsTurn || takePermit() else {
      touch()
      let limit = shard.rules.limits.runningTurnsPerTenant
      return shard.answer(request, .refused(Refusal(.tooManyTurns, [("limit", "\(limit)")])), follows: nil)
    }
    run(.command(command, Ticket(0)), request)
  }

  /// Reads the tree, because the tokens that it has used decide whether a turn may begin (rules.md S1).
  private func readTree(before command: ThreadCommand, _ request: RequestContext) {
    pause()
    Task.immediate(executorPreference: shard.context) { [self] in
      do throws(Refusal) {
        _ = try await shard.trees.tree(root, tenant: tenant)
        resume(command, request)
      } catch {
        shard.answer(request, .refused(error), follows: nil)
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

  /// Waits for the read of a command that came before; false: there is none. The session may have been dropped since.
  func waitsForRead() async -> Bool {
    guard paused != nil else { return false }
    await withCheckedContinuation { continuation in paused?.append { continuation.resume() } }
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
    settlePermit()
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
    settlePermit()
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
        shard.manager.metrics.tenants.add(used, tenant: tenant)
      }
    case .storeTurn(let turn):
      let encoded = shard.encode(turn)
      if turn.endedAt != nil { shard.count(ended: turn) }
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
    shard.context.metrics.ephemeralBytes.add(more)
    guard isRunning, shard.manager.ephemeral.refusal(tenant) != nil else { return }
    shard.inbox.post { [self] in
      guard let turn = machine.record.running?.id else { return }
      let message = "Ephemeral threads have reached their memory limit; delete some, or use a stored thread."
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
    subscribers.takeAll().push([refusal.map { .ended($0) } ?? .lapsed])
    shard.manager.index.forget(id, shard.context.metrics)
    shard.treeFollowers.ended(self)
    if taken > 0 { shard.manager.ephemeral.giveBack(tenant, taken) }
    shard.context.metrics.ephemeralBytes.add(-taken)
    taken = 0
    if hasPermit { shard.manager.permits.giveBack(tenant) }
    hasPermit = false
    for case .reply(let request, _) in waiting {
      shard.answer(request, .refused(answer), follows: nil)
    }
    flushPaused()
    wakeAhead()
    forgetContext()
  }

  /// Followers, and requests whose answers wait for the disk, are told later what has become of the thread.
  func handOver() -> (_ isGone: Bool) -> Void {
    let followers = subscribers.takeAll()
    let requests = releases.takeAll().compactMap { release -> RequestContext? in
      if case .reply(let request, _) = release { request } else { nil }
    }
    return { [self] isGone in
      // If it is still there, nobody knows here whether what they asked for has happened: the key will tell.
      let refusal = Refusal(isGone ? .thread : .storageFailed)
      for request in requests { shard.answer(request, .refused(refusal), follows: nil) }
      followers.push([isGone ? .ended(refusal) : .lapsed])
    }
  }

  /// The snapshot that the session leaves when it is unloaded, so that the next load reads no tail.
  func snapshotForUnload() -> Mutation? {
    guard !isEphemeral, machine.record.sequence > max(snapshotSequence, loadedAt) else { return nil }
    return Mutation([snapshot()])
  }
}
