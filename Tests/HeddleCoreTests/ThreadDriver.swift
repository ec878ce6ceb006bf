// Drives one thread's state machine as a session does, without a disk, a clock or a model. It carries out appends and
// stores of turns; the test gives the model's signals. Tests read the log and the stored turns, never the machine's
// private state.

import HeddleCore
import Testing

/// One thread under test. Every input moves the clock on by a second, so that no two events share a time by chance.
final class ThreadDriver {
  private(set) var machine: ThreadMachine
  var environment: MachineEnvironment
  /// The record before this thread's own events: empty, or the record that a fork begins with.
  let base: ThreadRecord
  /// Events in front of `log` that a fork shares with its source.
  private let shared: [Event]
  /// This thread's own events.
  private(set) var log: [Event] = []
  /// Turns as they were stored last, by ordinal.
  private(set) var turns: [Turn] = []
  /// Effects of the last input.
  private(set) var effects: [Effect] = []
  /// The answer to the last command.
  private(set) var answer: Answer?
  private var tickets: UInt64 = 0

  private init(base: ThreadRecord, machine: ThreadMachine, shared: [Event], _ environment: MachineEnvironment) {
    self.base = base
    self.machine = machine
    self.shared = shared
    self.environment = environment
  }

  var record: ThreadRecord { machine.record }
  var rules: ServerRules {
    get { environment.rules }
    set { environment.rules = newValue }
  }

  // MARK: How a thread comes to be

  /// `ThreadService/Start`; `inherited` and `depth` are what a parent that spawns it hands down.
  static func start(
    _ change: SettingsChange = SettingsChange(), rules: ServerRules = ServerRules(), seed: UInt64 = 1,
    inherited: MultiAgentVersion = .unspecified, depth: UInt32 = 0, parent: ThreadID? = nil, path: String = "",
    tools: [ToolDefinition] = [], asksUser: Bool = false
  ) throws -> ThreadDriver {
    var environment = MachineEnvironment(now: 1_000_000, instant: 0, ids: IDGenerator(seed: seed), rules: rules)
    let id: ThreadID = environment.ids.next(at: environment.now)
    let settings = try Settings(defaultsOf: rules).applying(change, rules: rules)
    let base = ThreadRecord(revision: 1)
    let driver = ThreadDriver(
      base: base, machine: ThreadMachine(record: base, identity: testIdentity), shared: [], environment)
    var lineage = Lineage(source: .client, root: id)
    lineage.depth = depth
    lineage.parent = parent
    lineage.agentPath = path
    driver.begin(
      ThreadCreated(
        thread: id, lineage: lineage, settings: settings, createdAt: environment.now, tools: tools, asksUser: asksUser),
      inherited)
    return driver
  }

  /// A thread that was written elsewhere: folded from its events, as after an import.
  static func load(
    _ kinds: [(kind: Event.Kind, turn: TurnID?)], rules: ServerRules = ServerRules(), seed: UInt64 = 1
  ) -> ThreadDriver {
    var record = ThreadRecord()
    var log: [Event] = []
    for (index, entry) in kinds.enumerated() {
      log.append(
        Event(sequence: UInt64(index) + 1, at: 10_000 + Int64(index), turn: entry.turn, kind: entry.kind))
      record.apply(log[index])
    }
    let environment = MachineEnvironment(now: 1_000_000, instant: 0, ids: IDGenerator(seed: seed), rules: rules)
    let driver = ThreadDriver(
      base: ThreadRecord(), machine: ThreadMachine(record: record, identity: testIdentity), shared: [], environment)
    driver.log = log
    driver.turns = TurnRows(log).turns
    return driver
  }

  /// `ThreadService/Fork`: what the fork takes along, and the events that it begins with.
  func fork(
    _ turn: Turn? = nil, _ change: SettingsChange = SettingsChange(), rules: ServerRules? = nil, seed: UInt64 = 99
  ) throws -> ThreadDriver {
    var environment = environment
    environment.rules = rules ?? environment.rules
    environment.ids = IDGenerator(seed: seed)
    environment.now += 1_000
    let id: ThreadID = environment.ids.next(at: environment.now)
    let compaction = turn.map { turn in lastCompaction(in: record) { $0 <= turn.lastSequence } }
    let base = record.forked(
      upTo: turn, compaction: compaction ?? 0,
      compactionBaseline: turn.flatMap { told(upTo: $0.ordinal, in: record, since: compaction ?? 0) })
    let settings = try record.currentSettings.applying(change, rules: environment.rules)
    let driver = ThreadDriver(
      base: base, machine: ThreadMachine(record: base, identity: testIdentity),
      shared: (shared + log).filter { $0.sequence <= base.sequence }, environment)
    driver.turns = turns.filter { $0.ordinal <= base.lastOrdinal }
    let lineage = Lineage(source: .fork, root: id, forkedFrom: record.id, forkedAt: base.sequence)
    driver.begin(
      ThreadCreated(
        thread: id, lineage: lineage, settings: settings, createdAt: environment.now, tools: record.tools,
        hasHistory: record.hasHistory || base.lastOrdinal > 0), record.version)
    return driver
  }

  /// A thread that copies a source's history, if there is one, and that its creator hands a version down to.
  static func begin(
    _ source: ThreadDriver?, _ settings: Settings, _ rules: ServerRules, inherited: MultiAgentVersion?
  ) -> ThreadDriver {
    var environment = MachineEnvironment(now: 2_000_000, instant: 0, ids: IDGenerator(seed: 3), rules: rules)
    let id: ThreadID = environment.ids.next(at: environment.now)
    let base = source?.record.forked(upTo: nil) ?? ThreadRecord(revision: 1)
    let driver = ThreadDriver(
      base: base, machine: ThreadMachine(record: base, identity: testIdentity), shared: source?.allEvents ?? [],
      environment)
    driver.turns = source?.turns ?? []
    let lineage = Lineage(source: .fork, root: id, forkedFrom: source?.record.id, forkedAt: base.sequence)
    driver.begin(
      ThreadCreated(
        thread: id, lineage: lineage, settings: settings, createdAt: environment.now, hasHistory: source != nil),
      inherited ?? .unspecified)
    return driver
  }

  private func begin(_ created: ThreadCreated, _ inherited: MultiAgentVersion) {
    effects = []
    machine.begin(created, inherited: inherited, &environment, &effects)
    carryOut()
  }

  // MARK: Inputs

  @discardableResult
  func send(_ command: ThreadCommand) -> Answer {
    tickets += 1
    handle(.command(command, Ticket(tickets)))
    return answer ?? .refused(Refusal(.internal))
  }

  func handle(_ input: ThreadInput) {
    environment.now += 1_000
    environment.instant += 1_000
    effects = []
    answer = nil
    machine.handle(input, &environment, &effects)
    carryOut()
  }

  private func carryOut() {
    for effect in effects {
      switch effect {
      case .append(let event): log.append(event)
      case .storeTurn(let turn):
        turns.removeAll { $0.ordinal == turn.ordinal }
        turns.append(turn)
      case .reply(_, let answer, _): self.answer = answer
      case .status, .delta, .startModel, .cancelModel, .setTimer, .cancelTimer, .callTool, .askClient, .endClientCall,
        .deliver, .wantTurn:
        break
      }
    }
  }

  /// The record that a restarted server builds: the events applied anew.
  func folded() -> ThreadRecord {
    var record = base
    for event in log { record.apply(event) }
    return record
  }

  /// The process ends and another one loads the thread, without the state that a crash may lose.
  func restart(rules: ServerRules? = nil) {
    crash(rules: rules)
    if record.hasUnfinishedWork { handle(.recovered) }
  }

  /// The same, before the loading server has done anything.
  func crash(rules: ServerRules? = nil) {
    effects = []
    environment.rules = rules ?? environment.rules
    machine = ThreadMachine(record: folded(), identity: machine.identity)
  }

  /// Appends an event that no command of this machine leads to, as an import or a later version writes it.
  func inject(_ kind: Event.Kind) {
    effects = []
    environment.now += 1_000
    log.append(Event(sequence: record.sequence + 1, at: environment.now, turn: record.running?.id, kind: kind))
    machine = ThreadMachine(record: folded(), identity: machine.identity)
  }

  // MARK: Shorthands

  /// Starts a turn that is expected to be accepted.
  @discardableResult
  func startTurn(
    _ text: String = "hello", _ change: SettingsChange? = nil, whenBusy: WhenBusy = .unspecified,
    at location: SourceLocation = #_sourceLocation
  ) throws -> StartTurnResponse {
    let request = StartTurnRequest(input: .text(text), settings: change, whenBusy: whenBusy)
    guard case .response(.turnStart(let response)) = send(.startTurn(request)) else {
      Issue.record("the turn was refused: \(String(describing: answer))", sourceLocation: location)
      throw Refusal(.internal)
    }
    return response
  }

  /// Starts a turn and has the model end it.
  @discardableResult
  func runTurn(
    _ text: String = "hello", _ change: SettingsChange? = nil, at location: SourceLocation = #_sourceLocation
  ) throws -> TurnID {
    let turn = try startTurn(text, change, at: location).turn
    complete("answer to \(text)")
    return turn
  }

  /// The model speaks, for the turn that runs.
  func model(_ signals: ModelSignal...) {
    guard let turn = record.running?.id else { return }
    for signal in signals { handle(.model(turn, signal)) }
  }

  /// The model answers and has nothing more to say.
  func complete(_ text: String = "done") { model(.text(text), .finished) }

  func setTreeQuota(_ quota: TreeQuota?) { machine.treeQuota = quota }

  @discardableResult
  func update(_ change: SettingsChange, expected: UInt64? = nil) -> Answer {
    send(.updateSettings(change, expectedRevision: expected))
  }

  func interrupt(_ turn: TurnID) -> Answer { send(.interruptTurn(turn, known: turns.contains { $0.id == turn })) }

  /// Rolls back as the runtime does: it reads from the stored turns and the log what stays.
  func rollback(_ count: Int32) -> Answer { send(.rollback(count: count, basis: basis(count))) }

  private func basis(_ count: Int32) -> RollbackBasis {
    guard count > 0, record.running == nil, let range = record.rollbackRange(UInt64(count)) else {
      return RollbackBasis()
    }
    var after = record
    after.hide(first: range.first, last: range.last)
    let start = lastCompaction(in: after) { _ in true }
    return RollbackBasis(baseline: told(upTo: range.remaining, in: after, since: start), contextStart: start)
  }

  /// The newest baseline in the model's context: of the last listed turn up to this one that set one, or of the
  /// compaction since.
  private func told(upTo ordinal: UInt64, in record: ThreadRecord, since start: UInt64) -> TurnContext? {
    let last = turns.filter { turn in
      turn.ordinal <= ordinal && turn.firstSequence > start && turn.cause != .compaction
        && !record.isHidden(turn.ordinal)
    }.max { $0.ordinal < $1.ordinal }
    if let last { return last.context }
    for event in allEvents where event.sequence == start {
      if case .contextCompacted(let compacted)? = event.kind { return compacted.baseline }
    }
    return nil
  }

  /// The last compaction that is in a turn that the record lists, or in none; 0: there is none.
  private func lastCompaction(in record: ThreadRecord, where isWanted: (UInt64) -> Bool) -> UInt64 {
    let found = allEvents.last { event in
      guard case .contextCompacted? = event.kind else { return false }
      return isWanted(event.sequence) && !record.isHidden(ordinal(of: event))
    }
    return found?.sequence ?? 0
  }

  // MARK: Views

  /// Shared events and own ones.
  var allEvents: [Event] { shared + log }

  /// Events that the last input appended.
  var appended: [Event] { effects.compactMap { if case .append(let event) = $0 { event } else { nil } } }

  var refusal: Refusal? { if case .refused(let refusal)? = answer { refusal } else { nil } }

  private func ordinal(of event: Event) -> UInt64 {
    guard let turn = event.turn else { return 0 }
    for case .turnStarted(let started)? in allEvents.map(\.kind) where started.turn == turn { return started.ordinal }
    return 0
  }

  /// The items that the next sampling step would be sent (rules.md T7, M7).
  var modelInput: [Item] {
    var hiddenTurns: [TurnID] = []
    for case .turnStarted(let started)? in allEvents.map(\.kind) where record.isHidden(started.ordinal) {
      hiddenTurns.append(started.turn)
    }
    return allEvents.flatMap { event -> [Item] in
      if let turn = event.turn, hiddenTurns.contains(turn) { return [] }
      switch event.kind {
      case .itemCompleted(let completed)? where event.sequence > record.contextStart:
        return completed.item.map { [$0] } ?? []
      case .contextCompacted(let compacted)? where event.sequence == record.contextStart:
        return (compacted.compaction?.replacement ?? []).map { Item(status: .completed, kind: .message($0)) }
      default: return []
      }
    }
  }

  /// The mode fragments among them, in order.
  var fragments: [MultiAgentMode] {
    modelInput.compactMap { item in
      guard case .message(let message)? = item.kind, message.role == .developer, message.content.count == 1 else {
        return nil
      }
      switch message.content[0].part {
      case .text(modeFragment(.explicitRequestOnly, texts: rules.texts, limitBytes: rules.limits.modeFragmentBytes))?:
        return .explicitRequestOnly
      case .text(modeFragment(.proactive, texts: rules.texts, limitBytes: rules.limits.modeFragmentBytes))?:
        return .proactive
      default: return nil
      }
    }
  }

  /// Texts of users among them, in order.
  var userTexts: [String] {
    modelInput.compactMap { if case .message(let m)? = $0.kind, m.role == .user { m.text } else { nil } }
  }

  /// Interruption markers among them, by role.
  var markers: [Role] {
    modelInput.compactMap { if case .marker(let marker)? = $0.kind { marker.role } else { nil } }
  }

  var pins: [VersionPinned] {
    allEvents.compactMap { if case .versionPinned(let pin)? = $0.kind { pin } else { nil } }
  }

  var settingsUpdates: [SettingsUpdated] {
    allEvents.compactMap { if case .settingsUpdated(let update)? = $0.kind { update } else { nil } }
  }

  var contexts: [TurnContext] {
    allEvents.compactMap { if case .turnStarted(let started)? = $0.kind { started.context } else { nil } }
  }

  var ends: [TurnEnded] {
    allEvents.compactMap { if case .turnEnded(let ended)? = $0.kind { ended } else { nil } }
  }

  /// The version as every answer about this thread reports it (rules.md V11).
  var version: ResolvedVersion {
    let summary = machine.summary()
    return ResolvedVersion(summary.version, summary.versionSource)
  }

  var selection: MultiAgentMode? { machine.summary().settings?.mode }
}

let testIdentity = ThreadIdentity(tenant: "tenant", epoch: 7, ephemeral: false)

/// The turns of a log, as an import stores them.
struct TurnRows {
  private(set) var turns: [Turn] = []

  init(_ log: [Event]) {
    for event in log {
      switch event.kind {
      case .turnStarted(let started)?:
        turns.append(
          Turn(
            id: started.turn, status: .running, ordinal: started.ordinal, startedAt: event.at,
            context: started.context, firstSequence: event.sequence, lastSequence: event.sequence))
      case .turnEnded(let ended)?:
        turns[turns.count - 1].status = ended.status
        turns[turns.count - 1].endedAt = event.at
        turns[turns.count - 1].lastSequence = event.sequence
      default: break
      }
    }
  }
}

// MARK: - Words for tests

extension MessageItem {
  var text: String {
    content.map { if case .text(let text)? = $0.part { text } else { "" } }.joined()
  }
}

extension Item {
  var text: String? {
    switch kind {
    case .message(let message)?: message.text
    case .reasoning(let reasoning)?: reasoning.summary.joined()
    case .marker(let marker)?: marker.text
    default: nil
    }
  }
}

extension SettingsChange {
  static func model(_ model: String) -> SettingsChange { SettingsChange(model: model) }
  static func select(_ mode: MultiAgentMode) -> SettingsChange {
    SettingsChange(mode: ModeSelection(choice: .set(mode)))
  }
  static var clearMode: SettingsChange { SettingsChange(mode: ModeSelection(choice: .clear(true))) }
}

extension Features {
  static let off = Features(multiAgent: false)
  static let v1 = Features()
  static let v2 = Features(multiAgentV2: true)
  static let v2Mode = Features(multiAgentV2: true, multiAgentMode: true)
}

extension ServerRules {
  static func with(_ features: Features) -> ServerRules { ServerRules(features: features) }

  func changed(_ change: (inout ServerRules) -> Void) -> ServerRules {
    var rules = self
    change(&rules)
    return rules
  }
}

extension ResolvedVersion: CustomStringConvertible {
  public var description: String { "\(version.name) \(source.name)" }
}

/// Events of a history that was written elsewhere, turns of two items each.
func importedHistory(
  turns: Int, contexts: (Int) -> TurnContext? = { _ in nil }, pin: VersionPinned? = nil, settings: Settings? = nil,
  tail: [Event.Kind] = [], tools: [ToolDefinition] = []
) -> [(kind: Event.Kind, turn: TurnID?)] {
  var ids = IDGenerator(seed: 4_711)
  let thread: ThreadID = ids.next(at: 5_000)
  let settings = settings ?? Settings(defaultsOf: ServerRules())
  var out: [(kind: Event.Kind, turn: TurnID?)] = [
    (
      .threadCreated(
        ThreadCreated(
          thread: thread, lineage: Lineage(source: .client, root: thread), settings: settings, createdAt: 5_000,
          tools: tools, hasHistory: true)), nil
    )
  ]
  if let pin { out.append((.versionPinned(pin), nil)) }
  for index in 0..<turns {
    let turn: TurnID = ids.next(at: 6_000)
    func message(_ role: Role, _ text: String) -> Event.Kind {
      .itemCompleted(
        ItemCompleted(
          item: Item(
            id: ids.next(at: 6_000), status: .completed,
            kind: .message(MessageItem(role: role, content: [ContentPart(part: .text(text))])))))
    }
    out.append((.turnStarted(TurnStarted(turn: turn, ordinal: UInt64(index) + 1, context: contexts(index))), turn))
    out.append((message(.user, "old \(index)"), turn))
    out.append((message(.assistant, "old answer \(index)"), turn))
    out.append((.turnEnded(TurnEnded(turn: turn, status: .completed)), turn))
  }
  return out + tail.map { ($0, nil) }
}
