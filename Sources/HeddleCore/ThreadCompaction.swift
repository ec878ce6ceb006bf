// Summing the context up (rules.md T7): because a client asks for it, because the model's window is about to be full, or
// because the model refused a history that is too large. The model writes the summary; it replaces the conversation.

extension ThreadMachine {
  /// A turn of its own; idle only.
  mutating func compact(_ environment: inout MachineEnvironment) throws(Refusal) -> Response {
    try checkWritable(environment.rules.limits)
    try checkDirectInput()
    if let running = record.running { throw Refusal(.turnInProgress, [("turn", running.id.description)]) }
    guard record.turnCount > 0 || record.hasHistory else { throw Refusal(.nothingToCompact) }
    let turn = QueuedTurn(id: environment.ids.next(at: environment.now), queuedAt: environment.now)
    try begin(turn, cause: .compaction, &environment)
    return .threadCompact(CompactThreadResponse(sequence: record.sequence, turn: turn.id))
  }

  /// Whether the last step has filled the model's window so far that the next one may not fit.
  func contextIsFull(_ rules: ServerRules) -> Bool {
    let share = rules.limits.compactionPercent
    guard share > 0, let running = record.running, running.cause != .compaction else { return false }
    guard let window = rules.catalog.model(running.context?.settings?.model ?? "")?.contextWindow, window > 0 else {
      return false
    }
    // Never 0: a context that was summed up a moment ago is not full, however small the window.
    let (product, overflow) = window.multipliedReportingOverflow(by: share)
    return record.contextTokens >= max(1, overflow ? .max : product / 100)
  }

  mutating func askForSummary(_ environment: inout MachineEnvironment) {
    guard let running = record.running else { return }
    live.phase = .compacting
    start(ModelStart(turn: running.id, context: running.context ?? TurnContext(), isCompaction: true), environment)
  }

  /// The summary is there: it replaces the context. A turn that continues gets the initial context at once; a turn that
  /// only wrote the summary leaves that to the next turn (M7). It continues if input was added to it, which would
  /// otherwise get no answer (U2).
  mutating func compacted(
    _ summary: String, _ kept: [MessageItem], _ environment: inout MachineEnvironment
  ) {
    guard live.phase == .compacting, let running = record.running else { return }
    guard !summary.isEmpty else {
      return fail(
        TurnError(
          reason: TurnFailure.outputInvalid.rawValue,
          message: "The model was asked to sum the conversation up and wrote nothing; try again."), &environment)
    }
    let pending = running.pending
    let isAlone = running.cause == .compaction && pending.isEmpty
    var replacement: [MessageItem] = []
    if !isAlone, let context = running.context {
      replacement = contextTexts(for: context, baseline: nil, environment.rules).map {
        MessageItem(role: .developer, content: [ContentPart(part: .text($0))])
      }
    }
    let text = environment.rules.texts.summaryIntroduction + "\n\n" + summary
    replacement += kept
    replacement.append(MessageItem(role: .user, content: [ContentPart(part: .text(text))]))
    // Before the compaction: the usage of the summary says nothing about the size of the new context.
    reportUsage(environment)
    append(
      .contextCompacted(
        ContextCompacted(
          compaction: CompactionItem(summary: summary, replacement: replacement),
          baseline: isAlone ? nil : running.context)), environment)
    if isAlone {
      endRunning(.completed, nil, &environment)
      return goOn(&environment)
    }
    for input in pending { appendPending(input, environment) }
    if let error = quotaError() { return fail(error, &environment) }
    askModel(&environment)
  }
}
