// What a model says while a turn runs, and what becomes of it: items, deltas, checkpoints, usage, the turn's end.

/// What streams right now and is not in the record (ThreadMachine I4).
struct LiveTurn: Sendable {
  /// One item that grows.
  struct Text: Sendable {
    var item: ItemID
    var isThought: Bool
    var text = ""
    /// Bytes of `text` that a checkpoint holds.
    var safeBytes = 0
    /// The event that started the item: nobody hears its text before that event.
    var startedBy: UInt64 = 0
  }

  var startedAt: Int64 = 0
  var texts: [Text] = []
  var calls: [ToolCallItem] = []
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
    case .toolCall(let id, let name, let arguments): callTool(id, name, arguments, &environment)
    case .usage(let usage): live.usage.add(usage)
    case .retrying(let attempt, let error, let wait):
      append(.modelRetried(ModelRetried(attempt: attempt, error: error, waitMs: wait)), environment)
    case .finished: finishStep(&environment)
    case .failed(let error): fail(error, &environment)
    }
  }

  mutating func timerFired(_ timer: ThreadTimer, _ environment: inout MachineEnvironment) {
    guard record.running != nil else { return }
    switch timer {
    case .checkpoint:
      live.checkpointIsSet = false
      for index in live.texts.indices { checkpoint(index, environment) }
    case .modelIdle:
      let limit = environment.rules.limits.modelIdleMilliseconds
      let due = live.lastSignal + limit
      if environment.instant >= due {
        fail(
          TurnError(
            reason: TurnFailure.modelTimeout.rawValue,
            message: "The model said nothing for \(limit / 1000) s; start the turn again, or choose another model."),
          &environment)
      } else {
        effects.append(.setTimer(.modelIdle, at: due))
      }
    }
  }

  private mutating func fail(_ error: TurnError, _ environment: inout MachineEnvironment) {
    endRunning(.failed, error, &environment)
    startNext(&environment)
  }

  // MARK: Text

  private mutating func grow(_ text: String, isThought: Bool, _ environment: inout MachineEnvironment) {
    guard !text.isEmpty, let running = record.running else { return }
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

  /// Completes what streams: from live text while the server lived, from checkpoints after a restart.
  mutating func closeItems(_ status: ItemStatus, _ environment: inout MachineEnvironment) {
    let open = record.running?.openItems ?? []
    let texts = live.texts
    live.texts = []
    for openItem in open {
      guard var item = openItem.item else { continue }
      let text = texts.first { $0.item == item.id }?.text ?? openItem.text
      item.status = status
      item.fill(text)
      append(.itemCompleted(ItemCompleted(item: item)), environment)
    }
  }

  /// Unfinished items with their text so far and the event that started each, for a subscriber that comes late
  /// (durability.md, deltas).
  public var openTexts: [(snapshot: ItemSnapshot, startedBy: UInt64)] {
    guard let running = record.running else { return [] }
    return live.texts.map { (ItemSnapshot(turn: running.id, item: $0.item, text: $0.text), $0.startedBy) }
  }

  // MARK: Steps

  private mutating func callTool(
    _ id: String, _ name: String, _ arguments: String, _ environment: inout MachineEnvironment
  ) {
    closeItems(.completed, &environment)
    let call = ToolCallItem(callId: id, name: name, arguments: arguments)
    let item = Item(id: environment.ids.next(at: environment.now), status: .completed, kind: .toolCall(call))
    append(.itemCompleted(ItemCompleted(item: item)), environment)
    live.calls.append(call)
  }

  private mutating func finishStep(_ environment: inout MachineEnvironment) {
    closeItems(.completed, &environment)
    let calls = live.calls
    live.calls = []
    for call in calls { answer(call, &environment) }
    let pending = record.running?.pending ?? []
    for input in pending { appendPending(input, environment) }
    guard !calls.isEmpty || !pending.isEmpty else {
      endRunning(.completed, nil, &environment)
      startNext(&environment)
      return
    }
    reportUsage(environment)
    guard live.steps < environment.rules.limits.samplingSteps else {
      let limit = environment.rules.limits.samplingSteps
      fail(
        TurnError(
          reason: TurnFailure.tooManySteps.rawValue,
          message: "The turn asked the model \(limit) times without an end; split the task."), &environment)
      return
    }
    askModel(&environment)
  }

  /// No tool runs on this server yet: every call is answered with what there is to know.
  private mutating func answer(_ call: ToolCallItem, _ environment: inout MachineEnvironment) {
    let text = "There is no tool named `\(call.name)` in this thread. Go on without it."
    let output = ToolOutputItem(callId: call.callId, content: [ContentPart(part: .text(text))], success: false)
    let item = Item(id: environment.ids.next(at: environment.now), status: .completed, kind: .toolOutput(output))
    append(.itemCompleted(ItemCompleted(item: item)), environment)
  }

  mutating func reportUsage(_ environment: MachineEnvironment) {
    guard live.usage != TokenUsage(), let running = record.running else { return }
    var turn = running.usage ?? TokenUsage()
    var thread = record.usage ?? TokenUsage()
    turn.add(live.usage)
    thread.add(live.usage)
    append(.usageReported(UsageReported(usage: live.usage, turnUsage: turn, threadUsage: thread)), environment)
    live.usage = TokenUsage()
  }
}

extension TokenUsage {
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
