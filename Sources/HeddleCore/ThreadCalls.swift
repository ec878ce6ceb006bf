// Tool calls of a running turn: their executors, the answers that count, and the step after the last one.
//
//   sampling   the model answers; its calls are collected.                      → tools, the next step, the end
//   tools      every open call waits for the tree, a client or a timer.    → the next step
//
// C1  An open call gets one output: the first answer, its deadline, or the end of the turn.
// C2  The model is asked again when no call is open, never before.

extension ThreadMachine {
  // MARK: Calls

  /// A call that the model has made; it runs when the model is done.
  mutating func addCall(
    _ call: ToolCallItem, _ providerID: String, fault: String? = nil, _ environment: inout MachineEnvironment
  ) {
    guard live.phase == .sampling, let running = record.running else { return }
    let limit = environment.rules.limits.toolCalls
    guard running.openCalls.count < limit, !running.openCalls.contains(where: { $0.callId == call.callId }) else {
      let error = TurnError(
        reason: TurnFailure.outputInvalid.rawValue,
        message: "The model made more than \(limit) tool calls at once, or two of one name; start the turn again.")
      return fail(error, &environment)
    }
    if let fault { live.wrongCalls.append((call.callId, fault)) }
    appendItem(.toolCall(call), providerID, &environment)
  }

  /// The model's answer is complete: its calls run, or the turn continues, or it ends.
  mutating func finishStep(_ environment: inout MachineEnvironment) {
    guard live.phase == .sampling else { return }
    closeItems(.completed, &environment)
    live.hasCompacted = false
    let calls = record.running?.openCalls ?? []
    guard !calls.isEmpty else { return afterStep(hadCalls: false, &environment) }
    live.phase = .tools
    effects.append(.cancelTimer(.modelIdle))
    let before = status
    for call in calls { run(call, &environment) }
    if status != before { tellStatus() }
    if record.running?.openCalls.isEmpty == true { afterStep(hadCalls: true, &environment) }
  }

  private mutating func run(_ call: ToolCallItem, _ environment: inout MachineEnvironment) {
    guard let running = record.running else { return }
    let kind = record.kind(of: call, in: running.context)
    // A10: no tool gets arguments that are not a JSON object.
    if kind != .unknown, let fault = live.wrongCalls.first(where: { $0.id == call.callId })?.fault {
      return answer(call.callId, .failed(.refused, fault), &environment)
    }
    switch kind {
    // The runtime reads the arguments of these: the core has no JSON parser.
    case .collaboration, .question: effects.append(.callTool(running.id, call, after: record.sequence))
    case .client: ask(call, nil, environment.rules.limits.clientToolMilliseconds, environment)
    case .unknown:
      let text = "There is no tool named `\(call.name)` in this thread. Go on without it."
      answer(call.callId, .failed(.unknown, text), &environment)
    }
  }

  private mutating func ask(
    _ call: ToolCallItem, _ question: ClientCall.Question?, _ limit: Int64, _ environment: MachineEnvironment
  ) {
    guard let running = record.running else { return }
    let request = ClientCall(
      thread: record.id, turn: running.id, call: call, question: question, deadline: environment.now + limit,
      root: record.lineage?.root)
    live.clientCalls.append(request)
    effects.append(.askClient(request, after: record.sequence))
    effects.append(.setTimer(.call(call.callId), at: environment.instant + limit))
  }

  /// A question to the person at a client, read from a call.
  mutating func askUser(
    _ turn: TurnID, _ callID: String, _ question: ClientCall.Question, _ environment: inout MachineEnvironment
  ) {
    guard isOpen(callID, of: turn), !live.clientCalls.contains(where: { $0.call.callId == callID }),
      let call = record.running?.openCalls.first(where: { $0.callId == callID })
    else { return }
    let before = status
    ask(call, question, environment.rules.limits.userInputMilliseconds, environment)
    if status != before { tellStatus() }
  }

  /// Calls that a client which comes late is asked to answer too.
  public var openClientCalls: [ClientCall] { live.clientCalls }

  // MARK: Answers

  /// C1: an answer to a call that is no longer open changes nothing.
  mutating func toolAnswered(
    _ turn: TurnID, _ callID: String, _ answer: ToolAnswer, _ environment: inout MachineEnvironment
  ) {
    guard isOpen(callID, of: turn) else { return }
    let before = status
    self.answer(callID, answer, &environment)
    callsMayBeDone(before, &environment)
  }

  /// A client's answer that is a request of its own (rules.md A14): a call that is open no more refuses it.
  mutating func answerCall(
    _ turn: TurnID, _ callID: String, _ answer: ToolAnswer, _ environment: inout MachineEnvironment
  ) throws(Refusal) -> Response {
    guard live.clientCalls.contains(where: { $0.turn == turn && $0.call.callId == callID }) else {
      throw Refusal(.alreadyAnswered)
    }
    toolAnswered(turn, callID, answer, &environment)
    return .callAnswer(AnswerCallResponse(sequence: record.sequence, counted: true))
  }

  /// Whether the call still waits for its answer.
  public func isOpen(_ callID: String, of turn: TurnID) -> Bool {
    guard let running = record.running, running.id == turn else { return false }
    return live.phase == .tools && running.openCalls.contains { $0.callId == callID }
  }

  private mutating func callsMayBeDone(_ before: ThreadStatus, _ environment: inout MachineEnvironment) {
    if status != before { tellStatus() }
    guard live.phase == .tools, record.running?.openCalls.isEmpty == true else { return }
    afterStep(hadCalls: true, &environment)
  }

  /// Appends the output of an open call.
  mutating func answer(_ callID: String, _ answer: ToolAnswer, _ environment: inout MachineEnvironment) {
    live.wrongCalls.removeAll { $0.id == callID }
    if live.clientCalls.contains(where: { $0.call.callId == callID }) {
      live.clientCalls.removeAll { $0.call.callId == callID }
      effects.append(.endClientCall(callID))
      effects.append(.cancelTimer(.call(callID)))
    }
    if live.waits.contains(callID) {
      live.waits.removeAll { $0 == callID }
      effects.append(.cancelTimer(.call(callID)))
    }
    let output = ToolOutputItem(
      callId: callID, content: answer.content, success: answer.success, reason: answer.failure?.rawValue ?? "")
    let item = Item(id: environment.ids.next(at: environment.now), status: .completed, kind: .toolOutput(output))
    append(.itemCompleted(ItemCompleted(item: item)), environment)
  }

  mutating func callTimedOut(_ callID: String, _ environment: inout MachineEnvironment) {
    guard let running = record.running, isOpen(callID, of: running.id) else { return }
    let before = status
    if live.waits.contains(callID) {
      let text = running.context?.version == .v2 ? AgentResult.waited(.time) : AgentResult.waited([])
      answer(callID, .text(text), &environment)
    } else {
      let text = "Nobody answered this call in time. Go on without it, or try again."
      answer(callID, .failed(.timeout, text), &environment)
    }
    callsMayBeDone(before, &environment)
  }

  /// The turn ends: open calls get an output that says so, since providers refuse a call without an output.
  mutating func endCalls(_ environment: inout MachineEnvironment) {
    for call in record.running?.openCalls ?? [] {
      answer(call.callId, .failed(.interrupted, "The turn ended before this call was done."), &environment)
    }
  }

  // MARK: Waiting (rules.md A8)

  mutating func wait(
    _ turn: TurnID, _ callID: String, _ milliseconds: Int64, _ environment: inout MachineEnvironment
  ) {
    guard isOpen(callID, of: turn), !live.waits.contains(callID) else { return }
    live.waits.append(callID)
    effects.append(.setTimer(.call(callID), at: environment.instant + milliseconds))
    guard record.running?.context?.version == .v2 else { return }
    if !record.mailbox.isEmpty { return endWaits(.mail, &environment) }
    if record.running?.pending.isEmpty == false { endWaits(.input, &environment) }
  }

  /// V2: mail or input ends every wait.
  mutating func endWaits(_ end: AgentResult.WaitEnd, _ environment: inout MachineEnvironment) {
    guard record.running?.context?.version == .v2, !live.waits.isEmpty else { return }
    let before = status
    for callID in live.waits { answer(callID, .text(AgentResult.waited(end)), &environment) }
    callsMayBeDone(before, &environment)
  }

  // MARK: After a step

  /// Asks the model again with what has arrived, or ends the turn.
  private mutating func afterStep(hadCalls: Bool, _ environment: inout MachineEnvironment) {
    let pending = record.running?.pending ?? []
    for input in pending { appendPending(input, environment) }
    let hasMail = !record.mailbox.isEmpty
    giveMail(&environment)
    guard hadCalls || !pending.isEmpty || hasMail else {
      endRunning(.completed, nil, &environment)
      return goOn(&environment)
    }
    reportUsage(environment)
    if let error = quotaError() { return fail(error, &environment) }
    guard live.steps < environment.rules.limits.samplingSteps else {
      let limit = environment.rules.limits.samplingSteps
      return fail(
        TurnError(
          reason: TurnFailure.tooManySteps.rawValue,
          message: "The turn asked the model \(limit) times without an end; split the task."), &environment)
    }
    askModel(&environment)
  }
}
