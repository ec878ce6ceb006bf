// Turns: starting, queueing, steering, interrupting, ending (rules.md U), and their model's context (rules.md M6).
//
// A turn's states, and where each can go:
//
//   queued       its input is in `record.queue`.                          → running, cancelled
//   running      `record.running` is it; the model has been asked.        → completed, interrupted, failed
//   the ends     one TurnEnded is in the log, the next queued turn runs.  (final)

extension ThreadMachine {
  // MARK: Commands

  mutating func startTurn(
    _ request: StartTurnRequest, _ environment: inout MachineEnvironment
  ) throws(Refusal) -> Response {
    try checkWritable(environment.rules.limits)
    try checkDirectInput()
    let input = try checkInput(request.input, environment.rules.limits)
    let change = request.settings ?? SettingsChange()
    _ = try record.currentSettings.applying(change, rules: environment.rules)
    try checkLength(request.outputSchema, "output_schema", environment.rules.limits.longTextBytes)
    if let running = record.running, request.whenBusy == .refuse {
      throw Refusal(.turnInProgress, [("turn", running.id.description)])
    }
    if let running = record.running, request.whenBusy == .steer {
      // The running turn has its shape already; settings apply from the next one on, as an update's would (S2).
      guard request.outputSchema == nil else {
        throw Refusal(.turnInProgress, [("turn", running.id.description), ("field", "output_schema")])
      }
      try checkRoom(forSteered: input, environment.rules.limits)
      _ = try changeSettings(change, environment)
      appendSteered(input, &environment)
      return .turnStart(
        StartTurnResponse(sequence: record.sequence, turn: running.id, status: .running, steered: true))
    }
    let turn = QueuedTurn(
      id: environment.ids.next(at: environment.now), input: input, settings: request.settings,
      queuedAt: environment.now, outputSchema: request.outputSchema)
    if record.running != nil {
      try checkRoom(for: turn, environment.rules.limits)
      append(.turnQueued(TurnQueued(turn: turn)), turn: turn.id, environment)
      return .turnStart(
        StartTurnResponse(
          sequence: record.sequence, turn: turn.id, status: .queued, place: UInt32(clamping: record.queue.count)))
    }
    try begin(turn, &environment)
    return .turnStart(StartTurnResponse(sequence: record.sequence, turn: turn.id, status: .running))
  }

  /// rules.md U1: the queue is bounded, in turns and in bytes.
  private func checkRoom(for turn: QueuedTurn, _ limits: Limits) throws(Refusal) {
    guard record.queue.count < limits.queuedTurns else {
      throw Refusal(.queueFull, [("limit", "\(limits.queuedTurns)")])
    }
    let bytes = (record.queue + [turn]).reduce(0) {
      $0 + ($1.input?.byteCount ?? 0) + ($1.outputSchema?.utf8.count ?? 0)
    }
    guard bytes <= limits.queuedTurnBytes else {
      throw Refusal(.queueFull, [("limit_bytes", "\(limits.queuedTurnBytes)")])
    }
  }

  /// rules.md U2: accepted text is never lost; it reaches the model in this turn or with the next.
  mutating func steer(
    _ turn: TurnID, _ input: TurnInput?, _ environment: inout MachineEnvironment
  ) throws(Refusal) -> Response {
    try checkWritable(environment.rules.limits)
    try checkDirectInput()
    guard let running = record.running else { throw Refusal(.noTurn) }
    guard running.id == turn else { throw Refusal(.turnMismatch, [("turn", running.id.description)]) }
    let input = try checkInput(input, environment.rules.limits)
    try checkRoom(forSteered: input, environment.rules.limits)
    appendSteered(input, &environment)
    return .turnSteer(SteerTurnResponse(sequence: record.sequence, turn: turn))
  }

  /// Input that the model has not seen waits in the record, so it is bounded like the queue.
  func checkRoom(forSteered input: TurnInput, _ limits: Limits) throws(Refusal) {
    let pending = record.running?.pending ?? []
    let bytes = pending.reduce(input.byteCount) { $0 + ($1.input?.byteCount ?? 0) }
    guard pending.count < limits.steeredInputs, bytes <= limits.queuedTurnBytes else {
      throw Refusal(.queueFull, [("limit", "\(limits.steeredInputs)"), ("limit_bytes", "\(limits.queuedTurnBytes)")])
    }
  }

  /// rules.md A7: only its parent gives a V2 agent input; a V1 agent takes it from clients too.
  func checkDirectInput() throws(Refusal) {
    if record.lineage?.parent != nil, record.version == .v2 { throw Refusal(.clientInputRefused) }
  }

  mutating func appendSteered(_ input: TurnInput, _ environment: inout MachineEnvironment) {
    let item: ItemID = environment.ids.next(at: environment.now)
    append(.inputSteered(InputSteered(input: input, item: item)), environment)
    endWaits(.input, &environment)
  }

  /// rules.md U3: ends the turn once; a second interrupt is answered at once.
  mutating func interrupt(
    _ turn: TurnID, known: Bool, _ environment: inout MachineEnvironment
  ) throws(Refusal) -> Response {
    if record.running?.id == turn {
      endRunning(.interrupted, nil, &environment)
      goOn(&environment)
      return .turnInterrupt(InterruptTurnResponse(sequence: record.sequence))
    }
    guard known || isRecent(turn) else {
      throw Refusal(.turnMismatch, record.running.map { [("turn", $0.id.description)] } ?? [])
    }
    return .turnInterrupt(InterruptTurnResponse(sequence: record.sequence, already: true))
  }

  mutating func cancelQueued(
    _ turn: TurnID, known: Bool, _ environment: inout MachineEnvironment
  ) throws(Refusal) -> Response {
    if record.queue.contains(where: { $0.id == turn }) {
      append(.queuedTurnCancelled(QueuedTurnCancelled(turn: turn)), turn: turn, environment)
      return .turnCancelQueued(CancelQueuedTurnResponse(sequence: record.sequence))
    }
    // A turn that runs or has run was never cancelled: saying "already" would hide that it ran.
    if record.running?.id == turn || known { throw Refusal(.turnMismatch, [("turn", turn.description)]) }
    guard isRecent(turn) else { throw Refusal(.turn, [("turn", turn.description)]) }
    return .turnCancelQueued(CancelQueuedTurnResponse(sequence: record.sequence, already: true))
  }

  /// Whether the machine itself remembers that the turn has ended; if not, the driver looks it up.
  public func isRecent(_ turn: TurnID) -> Bool { record.recentTurns.contains { $0.id == turn } }

  func checkInput(_ input: TurnInput?, _ limits: Limits) throws(Refusal) -> TurnInput {
    guard let input, !input.content.isEmpty else { throw Refusal(.emptyInput, [("field", "input.content")]) }
    var bytes = 0
    for part in input.content {
      switch part.part {
      case .text(let text)?: bytes += text.utf8.count
      case .image(let image)?: bytes += image.url.utf8.count
      case .encrypted?, .opaque?, nil: throw Refusal(.unknownOperation, [("field", "input.content.part")])
      }
    }
    guard bytes > 0 else { throw Refusal(.emptyInput, [("field", "input.content")]) }
    guard bytes <= limits.turnInputBytes else {
      throw Refusal(.inputTooLarge, [("limit", "\(limits.turnInputBytes)"), ("bytes", "\(bytes)")])
    }
    try checkLength(input.clientId, "input.client_id", limits.shortTextBytes)
    return input
  }

  // MARK: Beginning

  /// Settings, pin, turn, context, user message: one mutation, and only when it is synced is the model asked (V7).
  mutating func begin(
    _ turn: QueuedTurn, cause: TurnCause = .unspecified, _ environment: inout MachineEnvironment
  ) throws(Refusal) {
    // Nothing is appended before everything that can be refused has been.
    try checkQuota(turn, environment.rules)
    if let change = turn.settings { _ = try changeSettings(change, environment) }
    pinVersion(environment)
    let baseline = record.baseline
    let context = turnContext(for: turn, environment.rules)
    let ordinal = record.lastOrdinal &+ 1
    live = LiveTurn(startedAt: environment.instant)
    if let due = turnDue(environment) { effects.append(.setTimer(.turn, at: due)) }
    append(
      .turnStarted(TurnStarted(turn: turn.id, ordinal: ordinal, context: context, cause: cause)), turn: turn.id,
      environment)
    let first = record.sequence
    let started = effects.count - 1
    if cause != .compaction {
      for text in contextTexts(for: context, baseline: baseline, environment.rules) {
        appendMessage(.developer, [ContentPart(part: .text(text))], &environment)
      }
      giveMail(&environment)
      if let input = turn.input { appendMessage(.user, input.content, id: input.clientId, &environment) }
    }
    effects.append(.storeTurn(currentTurn()))
    // Active comes before the event that explains it (rules.md T4, U6).
    effects.insert(.status(status, after: first &- 1), at: started)
    if cause == .compaction { askForSummary(&environment) } else { askModel(&environment) }
  }

  private mutating func pinVersion(_ environment: MachineEnvironment) {
    guard record.version == .unspecified else { return }
    let model = environment.rules.catalog.model(record.currentSettings.model)
    let resolved = resolveAtFirstTurn(
      VersionSources(
        hasHistory: record.hasHistory, catalog: model?.version, features: environment.rules.features))
    append(.versionPinned(VersionPinned(version: resolved.version, source: resolved.source)), environment)
  }

  private func turnContext(for turn: QueuedTurn, _ rules: ServerRules) -> TurnContext {
    TurnContext(
      settings: record.currentSettings, revision: record.revision, version: record.version,
      effectiveMode: effectiveMode(
        version: record.version, hintsOn: hint(rules) != nil, gateOn: rules.features.multiAgentMode,
        selected: record.currentSettings.mode),
      outputSchema: turn.outputSchema, toolChanges: record.toolChanges)
  }

  /// The usage hint for this kind of thread; nil: hints are off (rules.md M4).
  func hint(_ rules: ServerRules) -> String? {
    let text = (record.lineage?.depth ?? 0) == 0 ? rules.texts.rootHint : rules.texts.agentHint
    return rules.texts.usageHints && !text.isEmpty ? text : nil
  }

  /// The texts before the user's input: the whole initial context, or its changes (rules.md M6, M7).
  func contextTexts(for context: TurnContext, baseline: TurnContext?, _ rules: ServerRules) -> [String] {
    var texts: [String] = []
    let instructions = context.settings?.developerInstructions
    if let instructions, !instructions.isEmpty, instructions != baseline?.settings?.developerInstructions {
      texts.append(instructions)
    }
    if baseline == nil, context.version == .v2, let hint = hint(rules) { texts.append(hint) }
    let told = baseline.map { ModeBaseline.told($0.effectiveMode) } ?? .none
    if let mode = modeToTell(effective: context.effectiveMode, baseline: told) {
      texts.append(modeFragment(mode, texts: rules.texts, limitBytes: rules.limits.modeFragmentBytes))
    }
    // A context without a beginning holds nothing of other tools, so there is nothing to take back.
    if let baseline, baseline.toolChanges != context.toolChanges {
      texts.append(toolsFragment(record.toolsInUse, limitBytes: rules.limits.toolsFragmentBytes))
    }
    return texts
  }

  mutating func appendMessage(
    _ role: Role, _ content: [ContentPart], id: String = "", _ environment: inout MachineEnvironment
  ) {
    let item = Item(
      id: environment.ids.next(at: environment.now), status: .completed, providerId: id,
      kind: .message(MessageItem(role: role, content: content)))
    append(.itemCompleted(ItemCompleted(item: item)), environment)
  }

  /// Asks for the next sampling step, or for a summary first, when the context is about to be full.
  mutating func askModel(_ environment: inout MachineEnvironment) {
    guard let running = record.running else { return }
    if contextIsFull(environment.rules) { return askForSummary(&environment) }
    live.steps += 1
    live.phase = .sampling
    let context = running.context ?? TurnContext()
    start(
      ModelStart(turn: running.id, context: context, tools: record.tools(for: context, environment.rules)), environment)
  }

  mutating func start(_ model: ModelStart, _ environment: MachineEnvironment) {
    live.lastSignal = environment.instant
    live.isQueued = false
    effects.append(.startModel(model, after: record.sequence))
    effects.append(.setTimer(.modelIdle, at: environment.instant + environment.rules.limits.modelIdleMilliseconds))
  }

  // MARK: Ending

  /// Everything that a turn's end needs, whatever the end is. Input that was accepted stays in the history (U2).
  mutating func endRunning(_ status: TurnStatus, _ error: TurnError?, _ environment: inout MachineEnvironment) {
    guard let running = record.running else { return }
    if status != .completed { effects.append(.cancelModel(running.id)) }
    closeItems(status == .completed ? .completed : .interrupted, &environment)
    endCalls(&environment)
    for pending in record.running?.pending ?? [] { appendPending(pending, environment) }
    if status == .interrupted { appendMarker(running, &environment) }
    reportUsage(environment)
    var turn = currentTurn()
    let answer = record.running?.answer ?? ""
    append(.turnEnded(TurnEnded(turn: running.id, status: status, error: error, usage: turn.usage)), environment)
    queueReport(status, running.cause, answer: answer, error, &environment)
    turn.status = status
    turn.error = error
    turn.endedAt = environment.now
    turn.lastSequence = record.sequence
    effects.append(.storeTurn(turn))
    effects.append(.cancelTimer(.modelIdle))
    effects.append(.cancelTimer(.checkpoint))
    if turnDue(environment) != nil { effects.append(.cancelTimer(.turn)) }
    live = LiveTurn()
    if record.queue.isEmpty { tellStatus() }
  }

  /// After a turn has ended: starts the next one, or one for mail that wants one.
  mutating func goOn(_ environment: inout MachineEnvironment) {
    startNext(&environment)
    wantTurn()
  }

  /// Runs the next queued turn; one that can no longer begin is reported cancelled (rules.md U1).
  mutating func startNext(_ environment: inout MachineEnvironment) {
    while record.running == nil, let next = record.queue.first {
      do throws(Refusal) {
        if record.archived { throw Refusal(.archived) }
        try begin(next, &environment)
      } catch {
        append(.queuedTurnCancelled(QueuedTurnCancelled(turn: next.id)), turn: next.id, environment)
        if record.queue.isEmpty { tellStatus() }
      }
    }
  }

  /// rules.md U4: interrupts the turn that ran when the server ended; a marker tells the model.
  mutating func recover(_ environment: inout MachineEnvironment) {
    endRunning(.interrupted, nil, &environment)
    startNext(&environment)
    sendAgain()
  }

  /// durability.md D9: the turn ends, and its end fits into the space held back; the queue waits for more.
  mutating func suspend(_ environment: inout MachineEnvironment) {
    guard record.running != nil else { return }
    endRunning(.interrupted, nil, &environment)
    if !record.queue.isEmpty { tellStatus() }
  }

  mutating func appendPending(_ pending: PendingInput, _ environment: MachineEnvironment) {
    let item = Item(
      id: pending.item, status: .completed, providerId: pending.input?.clientId ?? "",
      kind: .message(MessageItem(role: .user, content: pending.input?.content ?? [])))
    append(.itemCompleted(ItemCompleted(item: item)), environment)
  }

  /// rules.md U3: role developer for V2, user otherwise; the version is the turn's (V10).
  private mutating func appendMarker(_ running: RunningTurn, _ environment: inout MachineEnvironment) {
    guard environment.rules.texts.interruptionMarker else { return }
    let role: Role = running.context?.version == .v2 ? .developer : .user
    let marker = MarkerItem(
      kind: .interruption, role: role,
      text: "<turn_interrupted>\(environment.rules.texts.interruption)</turn_interrupted>")
    let item = Item(id: environment.ids.next(at: environment.now), status: .completed, kind: .marker(marker))
    append(.itemCompleted(ItemCompleted(item: item)), environment)
  }

  /// The running turn as lists show it.
  func currentTurn() -> Turn {
    guard let running = record.running else { return Turn() }
    return Turn(
      id: running.id, status: .running, ordinal: running.ordinal, startedAt: running.startedAt, usage: running.usage,
      context: running.context, firstSequence: running.firstSequence, lastSequence: record.sequence,
      cause: running.cause)
  }
}

extension TurnInput {
  public static func text(_ text: String) -> TurnInput { TurnInput(content: [ContentPart(part: .text(text))]) }

  /// Bytes of text and addresses.
  var byteCount: Int {
    content.reduce(0) { sum, part in
      switch part.part {
      case .text(let text)?: sum + text.utf8.count
      case .image(let image)?: sum + image.url.utf8.count
      case .encrypted(let text)?: sum + text.utf8.count
      case .opaque(let opaque)?: sum + opaque.json.utf8.count
      case nil: sum
      }
    }
  }
}
