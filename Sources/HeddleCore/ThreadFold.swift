// The effect of an event on a thread's record. The same function runs when an event happens and when it is read back after
// a restart, so a loaded thread cannot differ from one that was never unloaded.
//
// R1  `record.sequence` is the number of the last event applied.
// R2  The record's size depends on settings, queue and running turn, never on the number of turns (rules.md T5).
// R3  Applying reads nothing but the record and the event: no clock, no rules, no configuration.

extension ThreadRecord {
  /// Turns kept in `recentTurns`, so that a late interrupt is answered without a look at the disk.
  static let recentTurnCount = 16

  public mutating func apply(_ event: Event) {
    sequence = event.sequence
    var touches = true
    switch event.kind {
    case nil: break
    case .threadCreated(let created)?: begin(created)
    case .settingsUpdated(let update)?:
      settings = update.settings ?? settings
      revision = update.revision
      if let selection = update.tools { changeTools(selection) }
    case .versionPinned(let pin)?:
      version = pin.version
      versionSource = pin.source
      versionSequence = event.sequence
      // Pinning a legacy thread is bookkeeping: `updatedAt` stays (rules.md V8).
      touches = pin.source != .legacy
    case .nameChanged(let change)?: name = change.name
    case .threadArchived?: archived = true
    case .threadUnarchived?: archived = false
    case .turnQueued(let queued)?:
      if let turn = queued.turn { queue.append(turn) }
    case .queuedTurnCancelled(let cancelled)?:
      queue.removeAll { $0.id == cancelled.turn }
      remember(cancelled.turn)
    case .turnStarted(let started)?: startTurn(started, event)
    case .inputSteered(let steered)?:
      running?.pending.append(PendingInput(input: steered.input, item: steered.item))
    case .itemStarted(let started)?:
      if let item = started.item { running?.openItems.append(OpenItem(item: item)) }
    case .itemCheckpoint(let checkpoint)?: makeSafe(checkpoint)
    case .itemCompleted(let completed)?: complete(completed.item)
    case .usageReported(let report)?:
      usage = report.threadUsage ?? usage
      running?.usage = report.turnUsage
      contextTokens = (report.usage ?? TokenUsage()).total
    case .turnEnded(let ended)?: endTurn(ended)
    case .turnsRolledBack(let range)?:
      hide(first: range.firstOrdinal, last: range.lastOrdinal)
      baseline = range.baseline
      contextStart = range.contextStart
      contextTokens = 0
    case .contextCompacted(let compacted)?:
      contextStart = event.sequence
      baseline = compacted.baseline
      contextTokens = 0
    case .mailReceived(let received)?:
      if let replaced = received.replaces { mailbox.removeAll { $0.id == replaced } }
      receive(received.mail)
    case .mailQueued(let queued)?:
      if let mail = queued.mail { outbox.append(mail) }
      if queued.mail?.kind == .notification { agent?.reported = true }
    case .mailDelivered(let delivered)?: outbox.removeAll { $0.id == delivered.mail }
    case .agentClosed(let closed)?:
      agent?.closed = true
      agent?.closedWith = closed.with
    case .agentReopened?:
      agent?.closed = false
      agent?.closedWith = nil
      agent?.reported = false
    case .modelRetried?, .foreignRecord?, .agentActivity?: break
    }
    if touches { updatedAt = max(updatedAt, event.at) }
  }

  private mutating func begin(_ created: ThreadCreated) {
    id = created.thread
    lineage = created.lineage
    settings = created.settings
    name = created.name
    createdAt = created.createdAt
    // A fork keeps its source's tools, or was given others (rules.md S6).
    if sequence > 1, !created.tools.isIdentical(to: tools) { toolChanges &+= 1 }
    tools = created.tools
    hasHistory = created.hasHistory
    asksUser = created.asksUser
    // The baseline of a fork is its source's; that of a spawned agent is the one of its copied history.
    if let told = created.baseline {
      baseline = told
      toolChanges = told.toolChanges
    }
    agent = created.lineage?.parent == nil ? nil : AgentState()
    mailbox = []
    outbox = []
  }

  /// The running turn keeps the tools that it began with (rules.md S2, S6).
  private mutating func changeTools(_ selection: ToolSelection) {
    if running != nil, running?.tools == nil { running?.tools = ToolSelection(choosing: tools) }
    tools = selection.set
    toolChanges &+= 1
  }

  private mutating func receive(_ mail: AgentMail?) {
    guard let mail else { return }
    mailbox.append(mail)
    if mail.kind == .newTask { agent?.lastTask = Self.shown(mail.content) }
  }

  /// The beginning of a task, as lists of agents show it.
  static func shown(_ content: [ContentPart]) -> String {
    for part in content {
      if case .text(let text)? = part.part { return text.prefix(utf8Bytes: 512) }
    }
    return ""
  }

  private mutating func startTurn(_ started: TurnStarted, _ event: Event) {
    queue.removeAll { $0.id == started.turn }
    lastOrdinal = started.ordinal
    running = RunningTurn(
      id: started.turn, ordinal: started.ordinal, startedAt: event.at, context: started.context,
      firstSequence: event.sequence, cause: started.cause)
    // A turn without a stored context leaves the baseline as it is, and so does a compaction, which gives the model no
    // instructions.
    if let context = started.context, started.cause != .compaction { baseline = context }
    systemError = false
  }

  private mutating func makeSafe(_ checkpoint: ItemCheckpoint) {
    guard let index = running?.openItems.firstIndex(where: { $0.item?.id == checkpoint.item }) else { return }
    running?.openItems[index].text += checkpoint.text
  }

  private mutating func complete(_ item: Item?) {
    guard let item else { return }
    running?.openItems.removeAll { $0.item?.id == item.id }
    running?.pending.removeAll { $0.item == item.id }
    // Mail is given in its order, so this is the first place or none.
    let mail = mailbox.firstIndex { $0.id == item.id }
    switch item.kind {
    // A notice to a V1 agent is a message of the user, and no task.
    case .message(let message)? where message.role == .user && mail == nil:
      // Items that were copied from the parent's history are not the agent's own words.
      if preview.isEmpty, running != nil || hasHistory { preview = Self.preview(of: message) }
      if running != nil, running?.cause != .mail { agent?.lastTask = Self.shown(message.content) }
    case .message(let message)? where message.role == .assistant:
      if agent != nil, item.status == .completed { running?.answer = Self.answer(message) }
    case .toolCall(let call)?: if running != nil { running?.openCalls.append(call) }
    case .toolOutput(let output)?:
      if let index = running?.openCalls.firstIndex(where: { $0.callId == output.callId }) {
        running?.openCalls.remove(at: index)
      }
    default: break
    }
    if let mail { mailbox.remove(at: mail) }
  }

  /// The text of an agent's answer, as much of it as is kept for its parent.
  private static func answer(_ message: MessageItem) -> String {
    let text = message.content.map { if case .text(let text)? = $0.part { text } else { "" } }.joined()
    return text.prefix(utf8Bytes: 256 * 1024)
  }

  private mutating func endTurn(_ ended: TurnEnded) {
    // A turn that summed the context up and did nothing else says nothing of a task.
    if running?.cause != .compaction || running?.answer.isEmpty == false {
      lastStatus = ended.status
      agent?.lastStatus = ended.status
      agent?.lastAnswer = running?.answer ?? ""
      agent?.lastError = ended.error?.message ?? ""
    }
    running = nil
    remember(ended.turn)
    systemError = ended.error?.reason == TurnFailure.providerMissing.rawValue
  }

  private mutating func remember(_ turn: TurnID) {
    recentTurns.append(EndedTurn(id: turn))
    if recentTurns.count > Self.recentTurnCount { recentTurns.removeFirst() }
  }

  /// Takes the turns out of the list; ranges that touch become one.
  public mutating func hide(first: UInt64, last: UInt64) {
    var merged = TurnRange(first: first, last: last)
    var kept: [TurnRange] = []
    for other in hiddenTurns {
      if other.last &+ 1 < merged.first || merged.last &+ 1 < other.first {
        kept.append(other)
      } else {
        merged = TurnRange(first: min(merged.first, other.first), last: max(merged.last, other.last))
      }
    }
    kept.append(merged)
    hiddenTurns = kept.sorted { $0.first < $1.first }
  }

  /// The first line of text a user wrote, cut to the length that lists show. Texts in tags are context, not a user's words.
  static func preview(of message: MessageItem) -> String {
    for part in message.content {
      guard case .text(let text)? = part.part, !text.hasPrefix("<") else { continue }
      let line = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
      return String(line.prefix(120))
    }
    return ""
  }

  /// The settings for the next turn.
  public var currentSettings: Settings { settings ?? Settings() }

  /// Turns in the turn list.
  public var turnCount: UInt64 {
    lastOrdinal &- hiddenTurns.reduce(0) { $0 &+ ($1.last &- $1.first &+ 1) }
  }

  public func isHidden(_ ordinal: UInt64) -> Bool {
    hiddenTurns.contains { $0.first <= ordinal && ordinal <= $0.last }
  }

  /// The ordinals that rolling back `count` turns takes, and the ordinal of the turn that is the last one then (0: none).
  public func rollbackRange(_ count: UInt64) -> (first: UInt64, last: UInt64, count: UInt32, remaining: UInt64)? {
    var first: UInt64 = 0
    var last: UInt64 = 0
    var taken: UInt64 = 0
    var ordinal = lastOrdinal
    while ordinal > 0, taken < count {
      if let range = hiddenTurns.last(where: { $0.first <= ordinal && ordinal <= $0.last }) {
        ordinal = max(range.first, 1) - 1
        continue
      }
      if last == 0 { last = ordinal }
      first = ordinal
      taken += 1
      ordinal -= 1
    }
    guard taken > 0 else { return nil }
    while ordinal > 0, let range = hiddenTurns.last(where: { $0.first <= ordinal && ordinal <= $0.last }) {
      ordinal = max(range.first, 1) - 1
    }
    return (first, last, UInt32(clamping: taken), ordinal)
  }
}

/// Reasons that a failed turn carries.
public enum TurnFailure: String, Sendable {
  case modelTimeout = "model_timeout"
  case modelFailed = "model_failed"
  case outputInvalid = "model_output_invalid"
  case outputTooLarge = "model_output_too_large"
  case tooManySteps = "too_many_steps"
  /// The turn took longer than `Limits.turnMilliseconds`.
  case turnTimeout = "turn_timeout"
  case providerMissing = "model_provider_missing"
  /// The provider does not accept the key.
  case unauthorized = "model_unauthorized"
  /// The provider had no room, however often it was asked.
  case rateLimited = "model_rate_limited"
  /// The history is larger than the model's context.
  case contextWindow = "context_window_exceeded"
  /// A budget of the settings is used up.
  case quota = "quota"
  /// Ephemeral threads have reached their memory limit.
  case ephemeralFull = "ephemeral_full"
  /// The disk did not give the thread's history.
  case readFailed = "read_failed"
  /// Stored history is damaged.
  case dataLoss = "data_loss"
}
