// Records to events. One pass; what stands before its time (a turn's context, how a turn ends, the version) has been worked
// out by then.

import HeddleCore

struct HistoryBuilder {
  private let file: RolloutFile
  private let identity: ThreadIdentity
  private let ids: DerivedIDs
  private let items: ItemReader
  private let plan: TurnPlan
  private let modes: ModeReader
  /// Codex stored what the client selected: then effective modes say nothing about the selection (rules.md M8).
  private let hasSelection: Bool

  private var events: [Event] = []
  private var settings: Settings
  private var revision: UInt64 = 0
  private var rollbacks = RollbackLedger()
  private var usage = UsageLedger()
  private var itemCount = 0
  private var foreignLines = 0

  init(_ file: RolloutFile, _ identity: ThreadIdentity) {
    self.file = file
    self.identity = identity
    ids = DerivedIDs(thread: identity.thread)
    items = ItemReader(file)
    plan = TurnPlan(file.records, lineage: identity.lineage, ids: ids)
    modes = ModeReader(file.records, version: identity.version)
    hasSelection = file.records.contains {
      $0.kind == .settingsApplied && SettingsReader.selection($0.payload) != nil
    }
    settings = SettingsReader.beginning(identity, file.records)
  }

  mutating func build() -> ImportedHistory {
    begin()
    var started = 0
    for (index, record) in file.records.enumerated() {
      if started < plan.turns.count, plan.turns[started].first == index {
        startTurn(plan.turns[started], record)
        started += 1
      }
      let turn = plan.turnOfRecord[index].map { plan.turns[$0] }
      add(index, record, turn)
      if let turn, turn.last == index { endTurn(turn, record) }
    }
    restoreSelection()
    return history()
  }

  private func history() -> ImportedHistory {
    return ImportedHistory(
      thread: identity.thread, lineage: identity.lineage, createdAt: identity.createdAt,
      updatedAt: file.records.lazy.map(\.at).max() ?? identity.createdAt, settings: settings, events: events,
      version: identity.version, versionSource: identity.versionSource, effectiveModes: modes.modes,
      turnCount: rollbacks.listed.count, itemCount: itemCount,
      lastTurnStatus: rollbacks.listed.last.map { plan.turns[$0].status },
      skippedLines: file.skipped, foreignLines: foreignLines)
  }

  private mutating func append(_ kind: Event.Kind, at: Int64, turn: TurnID?) {
    events.append(Event(sequence: UInt64(events.count) + 1, at: at, turn: turn, kind: kind))
  }

  // MARK: - The thread

  private mutating func begin() {
    let at = file.records.first?.at ?? identity.createdAt
    append(
      .threadCreated(
        ThreadCreated(
          thread: identity.thread, lineage: identity.lineage, settings: settings, createdAt: identity.createdAt,
          tools: identity.tools, hasHistory: true)), at: at, turn: nil)
    // A legacy thread is pinned by its first resume, not here (rules.md V8).
    if identity.versionSource == .stored {
      append(
        .versionPinned(VersionPinned(version: identity.version, source: .stored)), at: at, turn: nil)
    }
  }

  private mutating func change(to new: Settings, at: Int64, turn: TurnID?) {
    guard new != settings else { return }
    settings = new
    revision += 1
    append(.settingsUpdated(SettingsUpdated(revision: revision, settings: new)), at: at, turn: turn)
  }

  /// Without a record of what was selected, the newest effective mode stands for it (rules.md M8). It is a change of its
  /// own at the end: what was selected while the turns ran, nobody knows.
  private mutating func restoreSelection() {
    guard !hasSelection, let newest = modes.modes.last(where: { $0 != nil }), let last = file.records.last else {
      return
    }
    var new = settings
    new.mode = newest
    change(to: new, at: last.at, turn: nil)
  }

  // MARK: - Turns

  private mutating func startTurn(_ turn: PlannedTurn, _ record: RolloutRecord) {
    let at = moment(record, "started_at")
    var context: TurnContext?
    if let index = turn.context {
      let payload = file.records[index].payload
      change(to: SettingsReader.turnContext(payload, over: settings), at: at, turn: nil)
      context = TurnContext(
        settings: settings, revision: revision,
        version: ThreadIdentity.version(payload.text("multi_agent_version")) ?? .unspecified,
        effectiveMode: modes.modeOfRecord[index])
    }
    rollbacks.start(hasInput: turn.hasInput, context: context)
    usage.startTurn()
    let started = TurnStarted(turn: turn.id, ordinal: UInt64(rollbacks.startedCount), context: context)
    append(.turnStarted(started), at: at, turn: turn.id)
  }

  private mutating func endTurn(_ turn: PlannedTurn, _ record: RolloutRecord) {
    let ended = TurnEnded(
      turn: turn.id, status: turn.status, error: turn.status == .failed ? turn.error : nil, usage: usage.turn)
    append(.turnEnded(ended), at: turn.end == nil ? record.at : moment(record, "completed_at"), turn: turn.id)
  }

  /// When a turn started or ended. The payload has it in seconds only, the line to the millisecond; the line counts unless
  /// it was written much later, as in a fork, whose lines have the time of the copying.
  private func moment(_ record: RolloutRecord, _ name: String) -> Int64 {
    guard let seconds = record.payload[name]?.integer else { return record.at }
    let (written, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    guard !overflow, written <= record.at else { return record.at }
    let (delay, tooLong) = record.at.subtractingReportingOverflow(written)
    return tooLong || delay >= 2_000 ? written : record.at
  }

  private mutating func rollBack(_ record: RolloutRecord, _ turn: TurnID?) {
    let count = record.payload["num_turns"]?.integer ?? 0
    let ranges = rollbacks.rollBack(count)
    if ranges.isEmpty { keep(record, turn) }
    for range in ranges {
      let event = TurnsRolledBack(
        count: UInt32(clamping: range.count), firstOrdinal: UInt64(range.lowerBound) + 1,
        lastOrdinal: UInt64(range.upperBound), baseline: rollbacks.baseline, contextStart: rollbacks.contextStart)
      append(.turnsRolledBack(event), at: record.at, turn: turn)
    }
  }

  // MARK: - Records

  private mutating func add(_ index: Int, _ record: RolloutRecord, _ turn: PlannedTurn?) {
    switch record.kind {
    case .sessionMeta: if index != identity.record { keep(record, turn?.id) }
    case .turnContext: addContext(index, record, turn)
    case .item:
      let triggers = index > 0 && file.records[index - 1].triggersTurn
      addItem(items.kind(of: record.payload, triggersTurn: triggers), record, turn?.id)
    case .agentMail:
      let message = items.agentMessage(record.payload, triggersTurn: record.triggersTurn)
      addItem(.agentMessage(message), record, turn?.id)
    case .compacted: addCompaction(record, turn?.id)
    case .turnStarted: if turn?.first != index { keep(record, turn?.id) }
    case .turnCompleted, .turnInterrupted: if turn?.end != index { keep(record, turn?.id) }
    case .turnsRolledBack: rollBack(record, turn?.id)
    case .settingsApplied:
      change(to: SettingsReader.applied(record.payload, over: settings), at: record.at, turn: turn?.id)
    case .nameChanged:
      append(.nameChanged(NameChanged(name: record.payload.text("thread_name") ?? "")), at: record.at, turn: turn?.id)
    case .usage: addUsage(record, turn?.id)
    case .userSpoke, .duplicate: break
    case .agentMailTrigger, .worldState, .turnError, .kept: keep(record, turn?.id)
    case .foreign:
      foreignLines += 1
      keep(record, turn?.id)
    }
  }

  private mutating func keep(_ record: RolloutRecord, _ turn: TurnID?) {
    let part = OpaquePart(kind: record.name, json: file.text(record.range))
    append(.foreignRecord(ForeignRecord(record: part)), at: record.at, turn: turn)
  }

  /// The context that counts is in its turn's start already. Of those that it replaced the ones that say something else are
  /// kept, and those that belong to no turn change the settings too.
  private mutating func addContext(_ index: Int, _ record: RolloutRecord, _ turn: PlannedTurn?) {
    if let chosen = turn?.context {
      if chosen != index, file.text(file.records[chosen].payload.range) != file.text(record.payload.range) {
        keep(record, turn?.id)
      }
      return
    }
    change(to: SettingsReader.turnContext(record.payload, over: settings), at: record.at, turn: turn?.id)
    keep(record, turn?.id)
  }

  private mutating func addItem(_ kind: Item.Kind, _ record: RolloutRecord, _ turn: TurnID?) {
    let item = Item(
      id: ids.make(from: "item at \(record.line) \(record.range.lowerBound)", at: record.at), status: .completed,
      providerId: record.payload.text("id") ?? "", kind: kind)
    itemCount += 1
    append(.itemCompleted(ItemCompleted(item: item)), at: record.at, turn: turn)
  }

  private mutating func addCompaction(_ record: RolloutRecord, _ turn: TurnID?) {
    let compaction = items.compaction(record.payload)
    append(.contextCompacted(ContextCompacted(compaction: compaction.item)), at: record.at, turn: turn)
    rollbacks.compact(at: UInt64(events.count))
    if !compaction.isWhole { keep(record, turn) }
  }

  private mutating func addUsage(_ record: RolloutRecord, _ turn: TurnID?) {
    guard let report = usage.report(record.payload) else { return keep(record, turn) }
    append(.usageReported(report), at: record.at, turn: turn)
  }
}

extension RolloutRecord {
  /// What a record of mail between agents, or the one in front of it, says about waking its receiver.
  fileprivate var triggersTurn: Bool {
    (kind == .agentMail || kind == .agentMailTrigger) && payload["trigger_turn"]?.flag == true
  }
}
