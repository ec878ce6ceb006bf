// The state machine of one live thread. No I/O, no clock, no randomness; every input returns the effects that its driver
// carries out in order. `handle` decides, appends, applies, notifies, in that order, and a refused command leaves no trace.
//
// I1  At most one turn runs (rules.md U1); `record.running` is that turn.
// I2  Every event goes through `append`, which numbers it and applies it: the record never differs from the log's fold.
// I3  Every effect that sends something out names the event it waits for, so nothing goes out that a crash may take back.
// I4  Text that has streamed but is not safe lives in `live` only; a restart loses that and nothing else (durability.md D3).

/// Facts about a thread that are not in its log.
public struct ThreadIdentity: Equatable, Sendable {
  public var tenant: String
  public var epoch: UInt64
  public var ephemeral: Bool

  public init(tenant: String, epoch: UInt64, ephemeral: Bool) {
    self.tenant = tenant
    self.epoch = epoch
    self.ephemeral = ephemeral
  }
}

/// One thread's state machine.
public struct ThreadMachine: Sendable {
  public private(set) var record: ThreadRecord
  public let identity: ThreadIdentity
  /// The part of the running turn that is not in the record yet (I4).
  var live = LiveTurn()
  /// Effects of the input in hand.
  var effects: [Effect] = []
  /// The budget of the thread's tree and its use; the driver keeps it up to date, since other threads use it too.
  public var treeQuota: TreeQuota?

  /// A thread as it was loaded, or folded from its events.
  public init(record: ThreadRecord, identity: ThreadIdentity) {
    self.record = record
    self.identity = identity
  }

  /// Carries out one input and appends its effects to `out`.
  public mutating func handle(_ input: ThreadInput, _ environment: inout MachineEnvironment, _ out: inout [Effect]) {
    swap(&effects, &out)
    let start = effects.count
    switch input {
    case .command(let command, let ticket):
      do throws(Refusal) {
        let response = try execute(command, &environment)
        effects.append(.reply(ticket, .response(response), after: record.sequence))
      } catch {
        // Decided before anything was appended: see each rule.
        effects.append(.reply(ticket, .refused(error), after: record.sequence))
      }
    case .model(let turn, let signal): modelSignalled(turn, signal, &environment)
    case .timer(let timer): timerFired(timer, &environment)
    case .toolAnswered(let turn, let callID, let answer): toolAnswered(turn, callID, answer, &environment)
    case .wait(let turn, let callID, let milliseconds): wait(turn, callID, milliseconds, &environment)
    case .mail(let mail): receive(mail, &environment)
    case .copied(let items): for item in items { append(.itemCompleted(ItemCompleted(item: item)), environment) }
    case .mailDelivered(let mail): delivered(mail, environment)
    case .slotGranted: beginMailTurn(&environment)
    case .activity(let activity): append(.agentActivity(activity), environment)
    case .ask(let turn, let callID, let question): askUser(turn, callID, question, &environment)
    case .close(let byClient, let above): close(byClient: byClient, with: above, &environment)
    case .reopen: reopen(environment)
    case .recovered: recover(&environment)
    case .suspended: suspend(&environment)
    case .unsuspended:
      startNext(&environment)
      sendAgain()
    }
    markMutation(from: start)
    swap(&effects, &out)
  }

  /// The events that a thread begins with: those of a start or a fork. A fork of a running turn ends in an
  /// interruption, which its source does not notice (rules.md T3).
  public mutating func begin(
    _ created: ThreadCreated, inherited: MultiAgentVersion = .unspecified, _ environment: inout MachineEnvironment,
    _ out: inout [Effect]
  ) {
    swap(&effects, &out)
    let start = effects.count
    append(.threadCreated(created), turn: nil, environment)
    let sources = VersionSources(stored: record.version, inherited: inherited, hasHistory: record.hasHistory)
    // A copied pin counts as it is, unless the creator's DISABLED is stronger (rules.md V1).
    if let resolved = resolveBeforeFirstTurn(sources), resolved.version != record.version {
      append(.versionPinned(VersionPinned(version: resolved.version, source: resolved.source)), environment)
    }
    if record.running != nil { recover(&environment) }
    markMutation(from: start)
    swap(&effects, &out)
  }

  /// The driver counts bytes where it encodes them; the limit is checked here.
  public mutating func account(eventBytes: UInt64) { record.eventBytes &+= eventBytes }

  private mutating func execute(
    _ command: ThreadCommand, _ environment: inout MachineEnvironment
  ) throws(Refusal) -> Response {
    switch command {
    case .resume: return try resume(nil, &environment)
    case .resumeWithTools(let tools): return try resume(tools, &environment)
    case .read: return .threadRead(ReadThreadResponse(thread: summary()))
    case .setName(let name): return try setName(name, &environment)
    case .archive(let root): return try archive(root, &environment)
    case .unarchive(let root): return try unarchive(root, &environment)
    case .readSettings: return readSettings()
    case .updateSettings(let change, let expected, let tools):
      return try updateSettings(change, tools, expected, &environment)
    case .startTurn(let request): return try startTurn(request, &environment)
    case .steerTurn(let turn, let input): return try steer(turn, input, &environment)
    case .interruptTurn(let turn, let known): return try interrupt(turn, known: known, &environment)
    case .listQueue: return .turnListQueue(ListQueueResponse(turns: record.queue, running: record.running?.id))
    case .cancelQueuedTurn(let turn, let known): return try cancelQueued(turn, known: known, &environment)
    case .rollback(let count, let basis): return try rollback(count, basis, &environment)
    case .pinVersionIfUnset(let version, let source): return pinIfUnset(version, source, environment)
    case .compact: return try compact(&environment)
    case .interruptAgent: return interruptAgent(&environment)
    case .agentInput(let input): return try agentInput(input, &environment)
    case .answerCall(let turn, let callID, let answer): return try answerCall(turn, callID, answer, &environment)
    }
  }

  /// Numbers the event, applies it, and has it stored and published (I2).
  mutating func append(_ kind: Event.Kind, turn: TurnID? = nil, _ environment: MachineEnvironment) {
    var event = Event(sequence: record.sequence &+ 1, at: environment.now, turn: turn ?? record.running?.id, kind: kind)
    // A fork of a running turn begins between turns, whatever its source was doing.
    if case .threadCreated = kind { event.turn = nil }
    record.apply(event)
    effects.append(.append(event))
  }

  /// All events of one input but the last say that more follow (durability.md, atomic).
  private mutating func markMutation(from start: Int) {
    var last: Int?
    for index in start..<effects.count {
      guard case .append = effects[index] else { continue }
      if let last, case .append(var event) = effects[last] {
        event.more = true
        effects[last] = .append(event)
      }
      last = index
    }
  }

  mutating func tellStatus() { effects.append(.status(status, after: record.sequence)) }

  /// The thread's state for clients (rules.md T4).
  public var status: ThreadStatus {
    if record.running != nil {
      return ThreadStatus(
        state: .active, waitingOnTool: live.clientCalls.contains { $0.question == nil },
        waitingOnUser: live.clientCalls.contains { $0.question != nil })
    }
    return ThreadStatus(state: record.systemError ? .systemError : .idle)
  }

  /// Refuses changes to an archived thread and to one that is full.
  func checkWritable(_ limits: Limits) throws(Refusal) {
    if record.archived { throw Refusal(.archived) }
    if record.agent?.closed == true { throw Refusal(.agentClosed) }
    if record.sequence >= limits.threadEvents || record.eventBytes >= limits.threadEventBytes {
      throw Refusal(.threadFull, [("events", "\(record.sequence)"), ("bytes", "\(record.eventBytes)")])
    }
  }

  /// The thread as clients see it.
  public func summary() -> AgentThread { record.summary(identity: identity, status: status) }
}

extension ThreadRecord {
  /// The thread as clients see it; `status` is "not loaded" unless the caller passes another one.
  public func summary(
    identity: ThreadIdentity, status: ThreadStatus = ThreadStatus(state: .notLoaded)
  ) -> AgentThread {
    let resolved = shownVersion
    return AgentThread(
      id: id, lineage: lineage, name: name, preview: preview, status: status, ephemeral: identity.ephemeral,
      archived: archived, createdAt: createdAt, updatedAt: updatedAt, settings: settings, revision: revision,
      version: resolved.version, versionSource: resolved.source, sequence: sequence, epoch: identity.epoch,
      turnCount: turnCount, usage: usage, runningTurn: running?.id, queuedTurns: UInt32(clamping: queue.count),
      asksUser: asksUser, closed: agent?.closed ?? false, tools: tools.map(\.name))
  }

  /// The pinned version, or the one that a legacy history will be pinned to (rules.md V4, V11).
  public var shownVersion: ResolvedVersion {
    if version != .unspecified { return ResolvedVersion(version, versionSource) }
    return resolveBeforeFirstTurn(VersionSources(hasHistory: hasHistory)) ?? ResolvedVersion(.unspecified, .unspecified)
  }
}
