// One thread, live on its shard: drives the thread's state machine, hands its writes to the store, and lets nothing out
// before the disk has it.
//
// N1  Everything here runs on the shard's loop.
// N2  Effects leave in the order in which they were decided, each when the disk has the change that it reports
//     (ReleaseQueue.N2).
// N3  Pushes to a subscriber are contiguous (Followers.N3).
// N4  A running turn holds a permit of its tenant, from the moment it is decided until its end is; the permit is taken
//     before anything is decided.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import NIOCore

/// A live thread. Confined to its shard's loop (N1), which is the proof for `@unchecked Sendable`.
final class Session: GroupedWriter, SteppingThread, TreeAgent, @unchecked Sendable {
  let id: ThreadID
  let tenant: String
  let isEphemeral: Bool
  /// Which of the sessions of this loop it is.
  let number: UInt64
  unowned let shard: Shard
  private(set) var machine: ThreadMachine
  var releases: ReleaseQueue
  private var memory = EphemeralMemory()
  private(set) var lastActivity: Int64
  var subscribers: Followers
  private var marks: Marks
  var timers: [ThreadTimer: Scheduled<Void>] = [:]
  var driver: TurnDriver<Session>?
  var shown: Shown
  var permit = Permit()
  var waits = Waits()
  /// The answer to the last command of the server's own.
  private var performed: Answer?
  /// The model's last input with the items that were added since, while there is room for it.
  var context: ModelContext?
  /// Nil: no turn of the thread belongs to a trace.
  var traces: TurnTraces?
  /// The thread whose events this fork shares, until the fork is on disk.
  var source: Session?
  /// Set when memory and log no longer agree; a dropped session must not send anything.
  private(set) var end: End?

  /// `startsAt`: the newest event on disk; the record's events beyond it have yet to be written. `tail`: how many
  /// events are on disk behind the snapshot.
  init(shard: Shard, machine: ThreadMachine, startsAt: UInt64, tail: UInt64, number: UInt64) {
    id = machine.record.id
    tenant = machine.identity.tenant
    isEphemeral = machine.identity.ephemeral
    self.number = number
    self.shard = shard
    self.machine = machine
    releases = ReleaseQueue(startsAt: startsAt)
    subscribers = Followers(of: id, on: shard.context)
    marks = Marks(
      snapshot: startsAt - min(tail, startsAt), loaded: startsAt, ordinal: machine.record.lastOrdinal)
    lastActivity = shard.clock.instant()
    shown = Shown(status: machine.status)
    // One that begins here is shown when it is on disk (durability.md D2).
    if startsAt > 0 { showState() }
  }

  /// The newest event that is on disk; for ephemeral threads, in the log.
  var durable: UInt64 { releases.durable }
  /// The newest event that has been handed to the store.
  var submitted: UInt64 { releases.submitted }
  var isRunning: Bool { machine.record.isRunning }
  var hasWork: Bool {
    machine.record.hasUnfinishedWork || releases.isWriting || waits.paused != nil || waits.holds > 0
  }
  /// Root of its tree; itself for a root.
  var root: ThreadID { machine.record.lineage?.root ?? id }
  /// Its name in its tree.
  var path: String { machine.record.lineage?.agentPath ?? "" }
  var epoch: UInt64 { machine.identity.epoch }
  var hasSubscribers: Bool { subscribers.keepLoaded }
  var followers: Int { subscribers.count }

  /// The log of an ephemeral thread.
  var log: EphemeralLog { memory.log }
  var isDropped: Bool { end != nil }
  /// Why it was dropped, for requests that were about to use it.
  var dropped: Refusal { end?.refusal ?? Refusal(.thread) }

  /// The reason why its writes never happen: one failed, of this session or of the one that it rests on. Nil: they
  /// happen.
  var failure: Refusal? { if let end, end.isOfWrite { end.refusal } else { source?.failure } }

  // MARK: Inputs

  /// Runs a command for a request, behind the commands that wait for a read.
  func command(_ command: ThreadCommand, _ request: RequestContext) {
    if isDropped { return shard.redo(id, command, request) }
    guard waits.paused == nil else {
      waits.paused?.append { self.command(command, request) }
      return
    }
    guard !command.beginsTurn || !shard.trees.mustRead(for: machine.record) else {
      return readTree(before: command, request)
    }
    if isEphemeral, command.bringsMore, let refusal = shard.node.ephemeral.refusal(tenant) {
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

  /// The thread is used now.
  func touch() { lastActivity = shard.clock.instant() }

  /// Stays loaded until `letGo`, once for each.
  func keepLoaded() { waits.holds += 1 }
  var isHeld: Bool { waits.holds > 0 }
  func letGo() { waits.holds -= 1 }

  /// Holds further commands until `resume`; for commands that need a look at the disk first.
  func pause() { waits.paused = waits.paused ?? [] }

  /// Waits for the read of a command that came before; false: there is none. The session may have been dropped since.
  func waitsForRead() async -> Bool {
    guard waits.paused != nil else { return false }
    await withCheckedContinuation { continuation in waits.paused?.append { continuation.resume() } }
    return true
  }

  /// Runs the command that the others waited for, then the others.
  func resume(_ command: ThreadCommand, _ request: RequestContext) {
    let waiting = waits.paused ?? []
    waits.paused = nil
    self.command(command, request)
    for next in waiting { next() }
  }

  /// The command that the others waited for has been refused.
  func resumeOthers() { flushPaused() }

  private func flushPaused() {
    let waiting = waits.paused ?? []
    waits.paused = nil
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

  /// Runs a command of the server's own and returns its answer.
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
    if let trace = request?.trace { asks(trace) }
    defer { if traces != nil { asked() } }
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
      if isEphemeral { memory.log.append(encoded) } else { stored.append(encoded) }
      if let traces { note(event, in: traces) }
      if let context { shard.contexts.add(event, bytes: encoded.payload.count, to: context) }
      hold(event.sequence, .event(encoded))
      if case .usageReported(let report)? = event.kind, let used = report.usage {
        shard.node.metrics.tenants.add(used, tenant: tenant)
      }
    case .storeTurn(let turn):
      let encoded = shard.encode(turn)
      if turn.endedAt != nil { shard.count(ended: turn) }
      if isEphemeral {
        memory.log.store(ordinal: turn.ordinal, id: turn.id, encoded)
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
    case .delta(let delta, let after):
      if delta.turn != marks.firstText { countFirstText(of: delta.turn) }
      hold(after, .delta(delta))
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

  private func countFirstText(of turn: TurnID) {
    marks.firstText = turn
    guard let running = machine.record.running, running.id == turn else { return }
    shard.context.metrics.firstText(afterMilliseconds: shard.clock.now() - running.startedAt)
  }

  private func hold(_ after: UInt64, _ release: Release) { releases.hold(release, after: after) }

  /// The ordinal of the turn that an event belongs to. Lists and the model's input filter by it.
  private func ordinal(of event: Event) -> UInt64 {
    guard event.turn != nil else { return 0 }
    switch event.kind {
    case .turnQueued?, .queuedTurnCancelled?: return 0
    case .turnStarted(let started)?: marks.ordinal = started.ordinal
    default: break
    }
    return marks.ordinal
  }

  /// Keys of a thread go with it; the key that started it outlives it, so that a late retry cannot bring it back.
  private func keyThread(_ request: RequestContext) -> ThreadID? {
    request.method == .threadStart || request.method == .threadFork ? nil : id
  }

  // MARK: Writing

  private func write(_ writes: [StoreWrite], _ number: UInt64, mustSnapshot: Bool) {
    var writes = writes
    writes.append(.thread(machine.record.row(identity: machine.identity)))
    if mustSnapshot || submitted &- marks.snapshot >= shard.rules.limits.snapshotEvents {
      writes.append(snapshot())
    }
    shard.writes.queue(Mutation(writes), from: self, upTo: submitted, write: number)
  }

  /// A turn that goes on when there is no more room ends, as any other change is refused.
  private func takeMemory() {
    guard let more = memory.take() else { return }
    shard.node.ephemeral.take(tenant, more)
    shard.context.metrics.ephemeralBytes.add(more)
    guard isRunning, shard.node.ephemeral.refusal(tenant) != nil else { return }
    shard.inbox.post { [self] in
      guard let turn = machine.record.running?.id else { return }
      let message = "Ephemeral threads have reached their memory limit; delete some, or use a stored thread."
      input(.model(turn, .failed(TurnError(reason: TurnFailure.ephemeralFull.rawValue, message: message))))
    }
  }

  private func snapshot() -> StoreWrite {
    marks.snapshot = machine.record.sequence
    return .snapshot(id, sequence: marks.snapshot, shard.encode(machine.record))
  }

  /// The store has synced this write, and with it everything up to `sequence`.
  func synced(_ sequence: UInt64, write: UInt64) {
    guard !isDropped else { return }
    releases.synced(sequence, write: write)
    if source != nil { source = nil }
    release()
  }

  /// The group with this session's writes failed: the changes in memory never happened.
  func writeFailed(_ refusal: Refusal) {
    guard !isDropped else { return }
    drop(answering: refusal, isOfWrite: true)
  }

  /// Ends this session. Requests that wait for an answer get `answer`. Subscribers are notified that the thread is
  /// gone, if it is, or go back to reading its log.
  func drop(telling refusal: Refusal? = nil, answering answer: Refusal, isOfWrite: Bool = false) {
    end = End(refusal: answer, isOfWrite: isOfWrite)
    let waiting = releases.takeAll()
    stopDriver()
    for timer in timers.values { timer.cancel() }
    timers = [:]
    subscribers.takeAll().push([refusal.map { .ended($0) } ?? .lapsed])
    shard.node.index.forget(id, shard.context.metrics)
    shard.treeFollowers.ended(self)
    shard.left(self)
    let taken = memory.giveBack()
    if taken > 0 { shard.node.ephemeral.giveBack(tenant, taken) }
    shard.context.metrics.ephemeralBytes.add(-taken)
    if permit.isTaken { shard.node.permits.giveBack(tenant) }
    permit.isTaken = false
    for case .reply(let request, _) in waiting {
      shard.answer(request, .refused(answer), follows: nil)
    }
    flushPaused()
    wakeAhead()
    forgetContext()
  }

  /// Takes the followers, and the requests whose answers wait for the disk. The result notifies them later whether the
  /// thread is gone.
  func handOver() -> (_ isGone: Bool) -> Void {
    let followers = subscribers.takeAll()
    let requests = releases.takeAll().compactMap { release -> RequestContext? in
      if case .reply(let request, _) = release { request } else { nil }
    }
    return { [self] isGone in
      // If the thread is still there, the outcome of these requests is unknown here: a retry with the same key finds it
      // out.
      let refusal = Refusal(isGone ? .thread : .storageFailed)
      for request in requests { shard.answer(request, .refused(refusal), follows: nil) }
      followers.push([isGone ? .ended(refusal) : .lapsed])
    }
  }

  /// The snapshot that the session leaves when it is unloaded, so that the next load reads no tail.
  func snapshotForUnload() -> Mutation? {
    guard !isEphemeral, machine.record.sequence > max(marks.snapshot, marks.loaded) else { return nil }
    return Mutation([snapshot()])
  }
}
