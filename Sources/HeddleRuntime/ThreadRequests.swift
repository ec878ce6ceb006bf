// What the router calls: one method a request, each of which ends on the shard of the thread that it concerns.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import NIOCore

extension SessionManager {
  /// rules.md T2: a thread exists, on disk, from its start on.
  public func start(_ start: StartThreadRequest, _ request: RequestContext) {
    let shard = shard(of: request.reply.context)
    shard.refreshTime()
    do throws(Refusal) {
      let rules = shard.rules
      let settings = try Settings(defaultsOf: rules).applying(start.settings ?? SettingsChange(), rules: rules)
      try checkLength(start.name, "name", rules.limits.nameBytes)
      try checkTools(start.tools, rules.limits)
      if start.ephemeral, let refusal = ephemeral.refusal(request.tenant) { throw refusal }
      let id = newThread(on: shard)
      let now = shard.environment.now
      let created = ThreadCreated(
        thread: id, lineage: Lineage(source: .client, root: id), settings: settings, createdAt: now, name: start.name,
        tools: start.tools, asksUser: start.asksUser)
      let identity = ThreadIdentity(
        tenant: request.tenant, epoch: shard.environment.ids.random() >> 1, ephemeral: start.ephemeral)
      begin(ThreadRecord(revision: 1), created, identity, shard, request) { machine in
        .threadStart(StartThreadResponse(sequence: machine.record.sequence, thread: machine.summary()))
      }
    } catch {
      shard.answer(request, .refused(error), follows: nil)
    }
  }

  private func begin(
    _ record: ThreadRecord, _ created: ThreadCreated, _ identity: ThreadIdentity, _ shard: Shard,
    _ request: RequestContext, inherited: MultiAgentVersion = .unspecified, restsOn source: Session? = nil,
    _ answer: (ThreadMachine) -> Response
  ) {
    var machine = ThreadMachine(record: record, identity: identity)
    var effects: [Effect] = []
    machine.begin(created, inherited: inherited, &shard.environment, &effects)
    shard.add(machine, effects, request, .response(answer(machine)), restsOn: source)
  }

  private func newThread(on shard: Shard) -> ThreadID {
    while true {
      let id: ThreadID = shard.environment.ids.next(at: shard.environment.now)
      if shardIndex(id) == shard.context.index, owns(id) { return id }
    }
  }

  // MARK: Forks

  /// rules.md T3: in constant time, by reference, up to the last event or to the end of a turn.
  public func fork(_ fork: ForkThreadRequest, _ request: RequestContext) {
    serve(request, on: fork.thread) { shard throws(Refusal) in
      let session = try await shard.session(fork.thread, tenant: request.tenant)
      if session.isEphemeral { throw Refusal(.notEphemeral) }
      var point: ForkPoint?
      if let last = fork.lastTurn { point = try await self.forkPoint(session, last, request) }
      try self.fork(session, upTo: point, fork, request)
    }
  }

  private func forkPoint(
    _ session: Session, _ last: TurnID, _ request: RequestContext
  ) async throws(Refusal) -> ForkPoint {
    let thread = session.id
    let hidden = session.machine.record.hiddenTurns
    session.keepLoaded()
    defer { session.letGo() }
    let point = try await read(on: session.shard, .long(request.reply.reader)) {
      reader, codec throws(StoreError) -> ForkPoint? in
      let log = StoredLog(reader, thread)
      guard let found = try log.turn(id: last) else { return nil }
      guard let turn = try? codec.decodeTrusted(Turn.self, found.payload) else { return nil }
      let compactions = try log.events(
        kinds: [Event.Kind.contextCompacted(ContextCompacted()).number], from: turn.lastSequence &+ 1,
        backwards: true, ordinal: nil, hidden: hidden, limit: 1)
      var point = ForkPoint(turn: turn, compaction: compactions.first?.sequence ?? 0)
      let told = try RollbackBasis.told(log, upTo: turn.ordinal, since: compactions.first, hidden, thread, &codec)
      point.turn.context = told
      point.compactionBaseline = told
      return point
    }
    // A turn that runs, was rolled back or never was is no place to cut.
    guard let point, point.turn.endedAt != nil, !session.machine.record.isHidden(point.turn.ordinal) else {
      throw Refusal(.turn, [("field", "last_turn")])
    }
    return point
  }

  private func fork(
    _ session: Session, upTo point: ForkPoint?, _ fork: ForkThreadRequest, _ request: RequestContext
  ) throws(Refusal) {
    let shard = session.shard
    shard.refreshTime()
    if session.isDropped { throw session.dropped }
    try checkLength(fork.name, "name", shard.rules.limits.nameBytes)
    let id = newThread(on: shard)
    let source = session.machine.record
    let record = source.forked(
      upTo: point?.turn, compaction: point?.compaction ?? 0, compactionBaseline: point?.compactionBaseline)
    let settings = try source.currentSettings.applying(fork.settings ?? SettingsChange(), rules: shard.rules)
    let tools = try fork.tools?.chosen(shard.rules.limits) ?? source.tools
    let created = ThreadCreated(
      thread: id,
      lineage: Lineage(source: .fork, root: id, forkedFrom: fork.thread, forkedAt: record.sequence),
      settings: settings, createdAt: shard.environment.now, name: fork.name, tools: tools,
      hasHistory: source.hasHistory || record.lastOrdinal > 0, asksUser: source.asksUser)
    let identity = ThreadIdentity(
      tenant: session.machine.identity.tenant, epoch: shard.environment.ids.random() >> 1, ephemeral: false)
    begin(record, created, identity, shard, request, inherited: source.version, restsOn: session) { machine in
      .threadFork(ForkThreadResponse(sequence: machine.record.sequence, thread: machine.summary()))
    }
  }

  // MARK: Commands that need a look at the disk first

  /// rules.md T7, M7: the turns that stay decide what the next turn compares with.
  public func rollback(_ rollback: RollbackThreadRequest, _ request: RequestContext) {
    serve(request, on: rollback.thread) { shard throws(Refusal) in
      let count = rollback.turns
      while true {
        let session = try await shard.session(rollback.thread, tenant: request.tenant)
        // Another request in front of it takes turns back, which decides what this one looks at.
        if await session.waitsForRead() { continue }
        let record = session.machine.record
        guard count >= 1, record.running == nil, let range = record.rollbackRange(UInt64(count)) else {
          return session.command(.rollback(count: count, basis: RollbackBasis()), request)
        }
        session.pause()
        let result = await self.basis(session, range.first, range.last, remaining: range.remaining, request)
        // It has been read anew meanwhile, and this was of what it was before.
        if session.isDropped { continue }
        switch result {
        case .success(let basis): return session.resume(.rollback(count: count, basis: basis), request)
        case .failure(let error):
          session.resumeOthers()
          throw error.refusal
        }
      }
    }
  }

  /// What stays when the turns from `first` to `last` are taken back.
  private func basis(
    _ session: Session, _ first: UInt64, _ last: UInt64, remaining: UInt64, _ request: RequestContext
  ) async -> Result<RollbackBasis, StoreError> {
    var record = session.machine.record
    record.hide(first: first, last: last)
    let (thread, hidden) = (session.id, record.hiddenTurns)
    let inMemory = session.isEphemeral ? session.log : nil
    do throws(StoreError) {
      let basis = try await session.shard.read(.long(request.reply.reader)) { reader, codec throws(StoreError) in
        let log: any ThreadLog = inMemory ?? StoredLog(reader, thread)
        return try RollbackBasis(log, thread, remaining: remaining, hidden: hidden, &codec)
      }
      return .success(basis)
    } catch { return .failure(error) }
  }

  /// Ends a turn; whether an unknown id was one of this thread's turns is looked up (attacks.md M12).
  public func interrupt(_ thread: ThreadID, _ turn: TurnID, _ request: RequestContext) {
    serve(request, on: thread) { shard throws(Refusal) in
      let (session, isKnown) = try await self.knowledge(of: turn, thread, shard, request)
      session.resume(.interruptTurn(turn, known: isKnown), request)
    }
  }

  public func cancelQueued(_ thread: ThreadID, _ turn: TurnID, _ request: RequestContext) {
    serve(request, on: thread) { shard throws(Refusal) in
      let (session, isKnown) = try await self.knowledge(of: turn, thread, shard, request)
      session.resume(.cancelQueuedTurn(turn, known: isKnown), request)
    }
  }

  /// Pauses the thread, for a command that `Session.resume` runs, and says whether the turn was one of it. Not looked up
  /// for a turn that runs or waits: those are known to the command itself.
  private func knowledge(
    of turn: TurnID, _ thread: ThreadID, _ shard: Shard, _ request: RequestContext
  ) async throws(Refusal) -> (Session, Bool) {
    while true {
      let session = try await shard.session(thread, tenant: request.tenant)
      // Those that wait behind another read go on when that is done, and not before.
      if await session.waitsForRead() { continue }
      session.pause()
      let record = session.machine.record
      if record.running?.id == turn || record.queue.contains(where: { $0.id == turn }) { return (session, false) }
      if session.isEphemeral { return (session, session.log.turn(id: turn) != nil) }
      do throws(Refusal) {
        let isKnown = try await read(on: shard) { reader, _ throws(StoreError) in
          try reader.turn(thread, id: turn) != nil
        }
        return (session, isKnown)
      } catch {
        session.resumeOthers()
        throw error
      }
    }
  }

  /// A thread as it is now: live if it is loaded, else from disk without loading it.
  public func readThread(_ thread: ThreadID, _ request: RequestContext) {
    let wantsSettings = request.method == .settingsRead
    let tenant = request.tenant
    let shard = shard(of: thread)
    shard.context.run {
      // Another tenant's is looked for on disk like one that does not exist (attacks.md M2).
      if let session = shard.sessions[thread], session.tenant == tenant {
        return session.command(wantsSettings ? .readSettings : .read, request)
      }
      shard.serve(request) { () throws(Refusal) in
        let response = try await self.read(on: shard) { reader, codec throws(StoreError) -> Response? in
          guard let loaded = try reader.load(thread, tenant: tenant) else { return nil }
          let record = try loaded.record(&codec)
          return wantsSettings
            ? record.settingsResponse
            : .threadRead(ReadThreadResponse(thread: record.summary(identity: loaded.identity)))
        }
        guard let response else { throw Refusal(.thread) }
        shard.answer(request, .response(response), follows: nil)
      }
    }
  }
}

/// Where a fork is cut: behind this turn, and the last compaction up to there (rules.md M7; 0: none).
private struct ForkPoint: Sendable {
  var turn: Turn
  var compaction: UInt64
  /// What the model was told last up to there; the turn's context is the same.
  var compactionBaseline: TurnContext?
}

extension ThreadRecord {
  var settingsResponse: Response {
    let resolved = shownVersion
    return .settingsRead(
      ReadSettingsResponse(
        settings: currentSettings, revision: revision, version: resolved.version, versionSource: resolved.source,
        tools: tools.map(\.name)))
  }
}

extension RollbackBasis {
  /// Reads what stays after a rollback.
  init(
    _ log: any ThreadLog, _ thread: ThreadID, remaining: UInt64, hidden: [TurnRange], _ codec: inout Codec
  ) throws(StoreError) {
    self.init()
    let kinds = [Event.Kind.contextCompacted(ContextCompacted()).number]
    let compactions = try log.events(kinds: kinds, from: 0, backwards: true, ordinal: nil, hidden: hidden, limit: 1)
    contextStart = compactions.first?.sequence ?? 0
    baseline = try Self.told(log, upTo: remaining, since: compactions.first, hidden, thread, &codec)
  }

  /// The turn before this one that has not been rolled back; 0: none.
  private static func visible(before ordinal: UInt64, _ hidden: [TurnRange]) -> UInt64 {
    var ordinal = ordinal &- 1
    while ordinal > 0, let range = hidden.last(where: { $0.first <= ordinal && ordinal <= $0.last }) {
      ordinal = range.first &- 1
    }
    return ordinal
  }

  /// What the model was told last up to the end of a turn (rules.md M7): by the turn, by one before it if the turn was
  /// there to sum up and failed, by what the last compaction, `since`, put in the place of the history, or by what the
  /// thread began with, copied from its parent.
  static func told(
    _ log: any ThreadLog, upTo last: UInt64, since compaction: StoredEvent?, _ hidden: [TurnRange],
    _ thread: ThreadID, _ codec: inout Codec
  ) throws(StoreError) -> TurnContext? {
    do {
      var ordinal = last
      while ordinal > 0, let payload = try log.turn(ordinal: ordinal) {
        let turn = try codec.decodeTrusted(Turn.self, payload)
        guard turn.firstSequence > compaction?.sequence ?? 0 else { break }
        if turn.cause != .compaction { return turn.context }
        ordinal = visible(before: ordinal, hidden)
      }
      guard let compaction else { return try begun(log, &codec) }
      guard case .contextCompacted(let compacted)? = try codec.decodeTrusted(Event.self, compaction.payload).kind else {
        return nil
      }
      return compacted.baseline
    } catch let error as StoreError {
      throw error
    } catch {
      throw .damaged(thread: thread, sequence: 0)
    }
  }

  /// What the history that the thread, or the one it was forked from, was given at its start had been told.
  private static func begun(_ log: any ThreadLog, _ codec: inout Codec) throws -> TurnContext? {
    let kinds = [Event.Kind.threadCreated(ThreadCreated()).number]
    let beginnings = try log.events(
      kinds: kinds, from: 0, backwards: false, ordinal: nil, hidden: [], limit: .max)
    var told: TurnContext?
    for stored in beginnings {
      guard case .threadCreated(let created)? = try codec.decodeTrusted(Event.self, stored.payload).kind else {
        continue
      }
      told = created.baseline ?? told
    }
    return told
  }
}
