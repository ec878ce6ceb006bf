// Signals of a model while a turn runs, and their effects: items, deltas, checkpoints, usage, the turn's end.

/// The part of the running turn that is not in the record yet (ThreadMachine.I4).
struct LiveTurn: Sendable {
  /// One item that grows.
  struct Text: Sendable {
    var item: ItemID
    var isThought: Bool
    var text = ""
    /// Bytes of `text` that a checkpoint holds.
    var safeBytes = 0
    /// The event that started the item: its text is sent to nobody before that event.
    var startedBy: UInt64 = 0
  }

  /// The thing that a running turn waits for.
  enum Phase: Sendable {
    /// The model's answer.
    case sampling
    /// Outputs of the calls in it.
    case tools
    /// The model's summary of the context.
    case compacting
  }

  var startedAt: Int64 = 0
  var phase = Phase.sampling
  var texts: [Text] = []
  /// Calls that clients are asked to answer.
  var clientCalls: [ClientCall] = []
  /// Calls that wait for mail or for other agents.
  var waits: [String] = []
  /// Calls whose arguments are not one JSON object, with the fault, which becomes their output (rules.md A10).
  var wrongCalls: [(id: String, fault: String)] = []
  /// The request waits for its turn at the provider.
  var isQueued = false
  /// The context was summed up because the model would not take it, and the model has not answered since.
  var hasCompacted = false
  var steps = 0
  var lastSignal: Int64 = 0
  var checkpointIsSet = false
  /// Used since the last report.
  var usage = TokenUsage()

  init(startedAt: Int64 = 0) { self.startedAt = startedAt }
}

extension ThreadMachine {
  mutating func modelSignalled(_ turn: TurnID, _ signal: ModelSignal, _ environment: inout MachineEnvironment) {
    // A model that was cancelled may still have something on the way.
    guard record.running?.id == turn else { return }
    live.lastSignal = environment.instant
    switch signal {
    case .text(let text): grow(text, isThought: false, &environment)
    case .thought(let text): grow(text, isThought: true, &environment)
    case .itemDone(let end): endItem(end, &environment)
    case .toolCall(let id, let name, let arguments, let providerID, let fault):
      addCall(ToolCallItem(callId: id, name: name, arguments: arguments), providerID, fault: fault, &environment)
    case .opaque(let part, let providerID): appendItem(.opaque(part), providerID, &environment)
    case .usage(let usage): live.usage.add(usage)
    case .retrying(let attempt, let error, let wait):
      // A complete answer is not retried: its calls are being carried out.
      guard live.phase != .tools else { return }
      discardAttempt(&environment)
      append(.modelRetried(ModelRetried(attempt: attempt, error: error, waitMs: wait)), environment)
      // Waiting before the next try is no stall.
      live.lastSignal = environment.instant + Int64(wait)
    case .waiting:
      live.isQueued = true
      effects.append(.cancelTimer(.modelIdle))
    case .asked:
      guard live.isQueued else { return }
      live.isQueued = false
      effects.append(.setTimer(.modelIdle, at: environment.instant + environment.rules.limits.modelIdleMilliseconds))
    case .finished: finishStep(&environment)
    case .failed(let error): modelFailed(error, &environment)
    case .compacted(let summary, let kept): compacted(summary, kept, &environment)
    }
  }

  mutating func timerFired(_ timer: ThreadTimer, _ environment: inout MachineEnvironment) {
    guard record.running != nil else { return }
    switch timer {
    case .checkpoint:
      live.checkpointIsSet = false
      for index in live.texts.indices { checkpoint(index, environment) }
    case .call(let id): callTimedOut(id, &environment)
    case .turn: turnTimedOut(&environment)
    case .modelIdle:
      guard live.phase != .tools, !live.isQueued else { return }
      let limit = environment.rules.limits.modelIdleMilliseconds
      let due = live.lastSignal + limit
      if environment.instant >= due {
        fail(
          TurnError(
            reason: TurnFailure.modelTimeout.rawValue,
            message:
              "The model said nothing for \(Self.words(limit)); start the turn again, or choose another model."),
          &environment)
      } else {
        effects.append(.setTimer(.modelIdle, at: due))
      }
    }
  }

  /// When the running turn has taken too long (rules.md U7); nil: never.
  func turnDue(_ environment: MachineEnvironment) -> Int64? {
    let limit = environment.rules.limits.turnMilliseconds
    return limit > 0 ? live.startedAt + limit : nil
  }

  private mutating func turnTimedOut(_ environment: inout MachineEnvironment) {
    guard let due = turnDue(environment) else { return }
    // Set for a turn that has ended, or a little early.
    guard environment.instant >= due else { return effects.append(.setTimer(.turn, at: due)) }
    let limit = Self.words(environment.rules.limits.turnMilliseconds)
    fail(
      TurnError(
        reason: TurnFailure.turnTimeout.rawValue,
        message: "The turn took longer than \(limit), which is all that a turn has here; split the task."),
      &environment)
  }

  /// A time as a person reads it: never "0 s".
  private static func words(_ milliseconds: Int64) -> String {
    milliseconds < 10_000 && milliseconds % 1_000 != 0 ? "\(milliseconds) ms" : "\(milliseconds / 1_000) s"
  }

  mutating func fail(_ error: TurnError, _ environment: inout MachineEnvironment) {
    endRunning(.failed, error, &environment)
    goOn(&environment)
  }

  /// A history that is too large for the model is summed up once before the turn fails for it.
  private mutating func modelFailed(_ error: TurnError, _ environment: inout MachineEnvironment) {
    let isFull = error.reason == TurnFailure.contextWindow.rawValue
    guard isFull, live.phase == .sampling, !live.hasCompacted else { return fail(error, &environment) }
    live.hasCompacted = true
    discardAttempt(&environment)
    reportUsage(environment)
    if let error = quotaError() { return fail(error, &environment) }
    askForSummary(&environment)
  }

  /// Discards the output of a failed attempt: its items fail, its calls are not run.
  private mutating func discardAttempt(_ environment: inout MachineEnvironment) {
    closeItems(.failed, &environment)
    for call in record.running?.openCalls ?? [] {
      answer(call.callId, .failed(.notRun, "This call was not run: the answer that held it broke off."), &environment)
    }
  }

  /// The item that grows is whole.
  private mutating func endItem(_ end: ItemEnd, _ environment: inout MachineEnvironment) {
    if !live.texts.contains(where: { $0.isThought == end.isThought }) {
      // Encrypted reasoning without visible text still belongs to the history: the provider wants it back.
      guard end.isThought, end.encrypted != nil else { return }
      closeItems(.completed, &environment)
      let provider = record.running?.context?.settings?.modelProvider ?? ""
      return appendItem(
        .reasoning(ReasoningItem(encrypted: end.encrypted, provider: provider)), end.providerID, &environment)
    }
    closeItems(.completed, end: end, &environment)
  }

  mutating func appendItem(_ kind: Item.Kind, _ providerID: String, _ environment: inout MachineEnvironment) {
    closeItems(.completed, &environment)
    let item = Item(
      id: environment.ids.next(at: environment.now), status: .completed, providerId: providerID, kind: kind)
    append(.itemCompleted(ItemCompleted(item: item)), environment)
  }

  // MARK: Text

  private mutating func grow(_ text: String, isThought: Bool, _ environment: inout MachineEnvironment) {
    guard !text.isEmpty, live.phase == .sampling, let running = record.running else { return }
    let index = openText(isThought: isThought, &environment)
    let offset = live.texts[index].text.utf8.count
    guard offset + text.utf8.count <= environment.rules.limits.modelItemBytes else {
      let limit = environment.rules.limits.modelItemBytes
      fail(
        TurnError(
          reason: TurnFailure.outputTooLarge.rawValue,
          message: "The model wrote more than \(limit) bytes into one item; ask for less, or raise the limit."),
        &environment)
      return
    }
    live.texts[index].text += text
    effects.append(
      .delta(
        ItemDelta(turn: running.id, item: live.texts[index].item, offset: UInt64(offset), text: text),
        after: live.texts[index].startedBy))
    if live.texts[index].text.utf8.count - live.texts[index].safeBytes >= environment.rules.limits.checkpointBytes {
      checkpoint(index, environment)
    } else if !live.checkpointIsSet {
      live.checkpointIsSet = true
      effects.append(.setTimer(.checkpoint, at: environment.instant + environment.rules.limits.checkpointMilliseconds))
    }
  }

  /// The open item of this kind; thoughts end where the message begins.
  private mutating func openText(isThought: Bool, _ environment: inout MachineEnvironment) -> Int {
    if let index = live.texts.firstIndex(where: { $0.isThought == isThought }) { return index }
    closeItems(.completed, &environment)
    let id: ItemID = environment.ids.next(at: environment.now)
    let kind: Item.Kind = isThought ? .reasoning(ReasoningItem()) : .message(MessageItem(role: .assistant))
    append(.itemStarted(ItemStarted(item: Item(id: id, kind: kind))), environment)
    live.texts.append(LiveTurn.Text(item: id, isThought: isThought, startedBy: record.sequence))
    return live.texts.count - 1
  }

  /// durability.md D3: from here on a crash does not take this text.
  private mutating func checkpoint(_ index: Int, _ environment: MachineEnvironment) {
    let text = live.texts[index]
    let from = text.text.utf8.index(text.text.startIndex, offsetBy: text.safeBytes)
    guard from < text.text.endIndex else { return }
    append(
      .itemCheckpoint(
        ItemCheckpoint(item: text.item, offset: UInt64(text.safeBytes), text: String(text.text[from...]))),
      environment)
    live.texts[index].safeBytes = text.text.utf8.count
  }

  /// Completes the open items: from live text while the server lived, from checkpoints after a restart.
  mutating func closeItems(
    _ status: ItemStatus, end: ItemEnd? = nil, _ environment: inout MachineEnvironment
  ) {
    let open = record.running?.openItems ?? []
    let texts = live.texts
    live.texts = []
    for openItem in open {
      guard var item = openItem.item else { continue }
      let text = texts.first { $0.item == item.id }?.text ?? openItem.text
      item.status = status
      item.fill(text)
      if let end { item.finish(end, provider: record.running?.context?.settings?.modelProvider ?? "") }
      append(.itemCompleted(ItemCompleted(item: item)), environment)
    }
  }

  /// Unfinished items with their text so far and the event that started each, for a subscriber that comes late
  /// (durability.md, deltas).
  public var openTexts: [(snapshot: ItemSnapshot, startedBy: UInt64)] {
    guard let running = record.running else { return [] }
    return live.texts.map { (ItemSnapshot(turn: running.id, item: $0.item, text: $0.text), $0.startedBy) }
  }

  // MARK: Usage

  mutating func reportUsage(_ environment: MachineEnvironment) {
    guard live.usage != TokenUsage(), let running = record.running else { return }
    var turn = running.usage ?? TokenUsage()
    var thread = record.usage ?? TokenUsage()
    turn.add(live.usage)
    thread.add(live.usage)
    append(.usageReported(UsageReported(usage: live.usage, turnUsage: turn, threadUsage: thread)), environment)
    // The driver updates the tree's usage after this input; whether the model is asked again is decided before.
    treeQuota?.add(live.usage)
    live.usage = TokenUsage()
  }
}

extension TokenUsage {
  /// Input and output.
  public var total: UInt64 {
    let (value, overflow) = inputTokens.addingReportingOverflow(outputTokens)
    return overflow ? .max : value
  }

  /// Adds without a trap: the numbers come from a provider.
  public mutating func add(_ other: TokenUsage) {
    func sum(_ a: UInt64, _ b: UInt64) -> UInt64 {
      let (value, overflow) = a.addingReportingOverflow(b)
      return overflow ? .max : value
    }
    inputTokens = sum(inputTokens, other.inputTokens)
    cachedInputTokens = sum(cachedInputTokens, other.cachedInputTokens)
    outputTokens = sum(outputTokens, other.outputTokens)
    reasoningOutputTokens = sum(reasoningOutputTokens, other.reasoningOutputTokens)
  }
}

extension Item {
  /// Adds the facts that the provider sends at the end of the item.
  mutating func finish(_ end: ItemEnd, provider: String) {
    switch kind {
    case .message(var message)? where !end.isThought:
      message.phase = end.phase
      kind = .message(message)
    case .reasoning(var reasoning)? where end.isThought:
      reasoning.encrypted = end.encrypted
      if end.encrypted != nil { reasoning.provider = provider }
      kind = .reasoning(reasoning)
    default: return
    }
    providerId = end.providerID
  }

  /// Puts streamed text into the item that was opened for it.
  mutating func fill(_ text: String) {
    switch kind {
    case .message(var message)?:
      message.content = text.isEmpty ? [] : [ContentPart(part: .text(text))]
      kind = .message(message)
    case .reasoning(var reasoning)?:
      reasoning.summary = text.isEmpty ? [] : [text]
      kind = .reasoning(reasoning)
    default: break
    }
  }
}
