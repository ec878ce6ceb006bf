// Mail between agents, as one thread sees it (rules.md A5, A7): incoming mail waits in the record until the model gets it;
// outgoing mail waits in the record until it is stored with its receiver. Both are events, so a restart loses nothing
// and doubles nothing.

extension ThreadMachine {
  // MARK: In

  /// Mail arrives once: one mutation stores it here and removes it from the sender's outbox.
  mutating func receive(_ mail: AgentMail, _ environment: inout MachineEnvironment) {
    guard !record.mailbox.contains(where: { $0.id == mail.id }) else { return }
    append(.mailReceived(fitted(mail, environment.rules.limits)), environment)
    if record.running != nil { endWaits(.mail, &environment) } else { wantTurn() }
  }

  /// A report of an agent's end is never refused (A5), but a mailbox that is never read does not grow without bound:
  /// without room the report is cut, and replaces an earlier one of the same agent, whose own history has the whole
  /// text.
  private func fitted(_ mail: AgentMail, _ limits: Limits) -> MailReceived {
    let ends: [AgentMessageKind] = [.finalAnswer, .notification]
    guard ends.contains(mail.kind), !hasRoom(for: mail, limits) else { return MailReceived(mail: mail) }
    let earlier = record.mailbox.first { ends.contains($0.kind) && $0.from == mail.from }
    var mail = mail
    mail.triggerTurn = mail.triggerTurn || earlier?.triggerTurn == true
    mail.content = mail.content.prefix(1).map { Self.shortened($0, isMerged: earlier != nil) }
    return MailReceived(mail: mail, replaces: earlier?.id)
  }

  private static func shortened(_ part: ContentPart, isMerged: Bool) -> ContentPart {
    guard case .text(var text)? = part.part else { return part }
    if text.utf8.count > 2_048 {
      text = text.prefix(utf8Bytes: 2_048) + "\n(The rest was left out: too many messages wait for you.)"
    }
    if isMerged { text += "\n(What this agent sent before was left out: too many messages wait for you.)" }
    return ContentPart(part: .text(text))
  }

  /// Room for one more message; a final answer is never refused (A5).
  public func hasRoom(for mail: AgentMail, _ limits: Limits) -> Bool {
    let bytes = record.mailbox.reduce(mail.byteCount) { $0 + $1.byteCount }
    return record.mailbox.count < limits.mailboxMessages && bytes <= limits.mailboxBytes
  }

  /// Gives the model everything that waits, in the order in which it came.
  mutating func giveMail(_ environment: inout MachineEnvironment) {
    for mail in record.mailbox {
      let kind: Item.Kind =
        if mail.kind == .notification {
          .message(MessageItem(role: .user, content: mail.content))
        } else {
          .agentMessage(
            AgentMessageItem(
              author: mail.author, recipient: mail.recipient, content: mail.content, triggerTurn: mail.triggerTurn,
              kind: mail.kind))
        }
      append(.itemCompleted(ItemCompleted(item: Item(id: mail.id, status: .completed, kind: kind))), environment)
    }
  }

  /// Asks for a slot when mail wants a turn and none runs.
  mutating func wantTurn() {
    guard record.running == nil, record.queue.isEmpty, canWork, record.wantsMailTurn else { return }
    effects.append(.wantTurn(after: record.sequence))
  }

  private var canWork: Bool { !record.archived && record.agent?.closed != true }

  /// The tree has a slot: begins the turn that the mail asks for.
  mutating func beginMailTurn(_ environment: inout MachineEnvironment) {
    guard record.running == nil, canWork, record.wantsMailTurn else { return }
    let turn = QueuedTurn(id: environment.ids.next(at: environment.now), queuedAt: environment.now)
    do throws(Refusal) {
      try checkWritable(environment.rules.limits)
      try begin(turn, cause: .mail, &environment)
    } catch {
      // No budget, or no room: the mail waits until a client starts a turn.
    }
  }

  // MARK: Out

  /// Reports the end of a turn to the parent (A5): in V2 of every completed or failed one, in V1 of the first.
  mutating func queueReport(
    _ status: TurnStatus, _ cause: TurnCause, answer: String, _ error: TurnError?,
    _ environment: inout MachineEnvironment
  ) {
    guard status == .completed || status == .failed, let agent = record.agent, !agent.closed else { return }
    // The turn summed the context up, nothing more: that is no answer to a task.
    if cause == .compaction, answer.isEmpty { return }
    let status = status == .completed ? AgentStatus.completed(answer) : .errored(error?.message ?? "")
    switch record.version {
    case .v2: queueMail(.finalAnswer, finalAnswer(status, environment.rules), &environment)
    case .v1 where !agent.reported: queueMail(.notification, notification(status, environment.rules), &environment)
    default: return
    }
  }

  private func finalAnswer(_ status: AgentStatus, _ rules: ServerRules) -> String {
    guard case .errored(let text) = status else {
      if case .completed(let text?) = status { return cut(text, rules) }
      return ""
    }
    return cut(text, rules)
      + "\n\nThe agent's turn failed with this. If you still need it, give it another task."
  }

  private func notification(_ status: AgentStatus, _ rules: ServerRules) -> String {
    var status = status
    if case .completed(let text?) = status { status = .completed(cut(text, rules)) }
    return "<agent_notification>{\"agent_id\":\"\(record.id)\",\"status\":\(status.json)}</agent_notification>"
  }

  private func cut(_ text: String, _ rules: ServerRules) -> String {
    let limit = rules.limits.mailBytes
    guard text.utf8.count > limit else { return text }
    return text.prefix(utf8Bytes: limit) + "\n(The rest was left out: the answer is longer than \(limit) bytes.)"
  }

  private mutating func queueMail(
    _ kind: AgentMessageKind, _ text: String, _ environment: inout MachineEnvironment
  ) {
    guard let lineage = record.lineage, let parent = lineage.parent else { return }
    let above = lineage.agentPath.lastIndex(of: "/").map { String(lineage.agentPath[..<$0]) } ?? AgentPath.root
    let mail = AgentMail(
      id: environment.ids.next(at: environment.now), kind: kind, from: record.id, author: lineage.agentPath, to: parent,
      recipient: above.isEmpty ? AgentPath.root : above, content: [ContentPart(part: .text(text))])
    append(.mailQueued(MailQueued(mail: mail)), environment)
    effects.append(.deliver(mail, after: record.sequence))
  }

  mutating func delivered(_ mail: ItemID, _ environment: MachineEnvironment) {
    guard record.outbox.contains(where: { $0.id == mail }) else { return }
    append(.mailDelivered(MailDelivered(mail: mail)), environment)
  }

  /// Sends the mail again that was on its way when the server ended.
  mutating func sendAgain() {
    for mail in record.outbox { effects.append(.deliver(mail, after: record.sequence)) }
    wantTurn()
  }

  // MARK: Closing

  mutating func close(byClient: Bool, with above: ThreadID?, _ environment: inout MachineEnvironment) {
    guard let agent = record.agent, !agent.closed else { return }
    if byClient {
      let isV2 = record.version == .v2
      let text = isV2 ? "A client closed this agent." : notification(.shutdown, environment.rules)
      queueMail(isV2 ? .finalAnswer : .notification, text, &environment)
    }
    append(.agentClosed(AgentClosed(with: above)), environment)
    for queued in record.queue {
      append(.queuedTurnCancelled(QueuedTurnCancelled(turn: queued.id)), turn: queued.id, environment)
    }
    endRunning(.interrupted, nil, &environment)
  }

  mutating func reopen(_ environment: MachineEnvironment) {
    guard record.agent?.closed == true else { return }
    append(.agentReopened(AgentReopened()), environment)
    wantTurn()
  }

  /// AgentService/Interrupt, and the tool: ends whatever runs.
  mutating func interruptAgent(_ environment: inout MachineEnvironment) -> Response {
    guard record.running != nil else {
      return .agentInterrupt(InterruptAgentResponse(sequence: record.sequence, already: true))
    }
    endRunning(.interrupted, nil, &environment)
    goOn(&environment)
    return .agentInterrupt(InterruptAgentResponse(sequence: record.sequence))
  }

  /// V1: the agent above writes like a user.
  mutating func agentInput(_ input: TurnInput, _ environment: inout MachineEnvironment) throws(Refusal) -> Response {
    try checkWritable(environment.rules.limits)
    let input = try checkInput(input, environment.rules.limits)
    if let running = record.running {
      try checkRoom(forSteered: input, environment.rules.limits)
      appendSteered(input, &environment)
      return .turnStart(
        StartTurnResponse(sequence: record.sequence, turn: running.id, status: .running, steered: true))
    }
    let turn = QueuedTurn(id: environment.ids.next(at: environment.now), input: input, queuedAt: environment.now)
    try begin(turn, &environment)
    return .turnStart(StartTurnResponse(sequence: record.sequence, turn: turn.id, status: .running))
  }
}

extension ThreadRecord {
  /// Some of the mail starts a turn of an idle agent.
  public var wantsMailTurn: Bool { mailbox.contains { $0.triggerTurn } }

  /// A turn runs. Looked at often, so without a copy of the turn.
  public var isRunning: Bool {
    switch running {
    case nil: false
    default: true
    }
  }

  /// Something is left to do that no client has to ask for: a restart looks at this thread.
  public var hasUnfinishedWork: Bool {
    // An agent that may not work needs no look after a restart; it asks for its turn when it may work again.
    let mayWork = !archived && agent?.closed != true
    return running != nil || !queue.isEmpty || !outbox.isEmpty || (wantsMailTurn && mayWork)
  }

  /// The agent's state, as other agents see it.
  public var agentStatus: AgentStatus {
    if agent?.closed == true { return .shutdown }
    if running != nil { return .running }
    // A root has no report to another agent; its last answer is for its user.
    switch agent?.lastStatus ?? lastStatus {
    case .completed: return .completed(agent?.lastAnswer)
    case .failed: return .errored(agent?.lastError ?? "")
    case .interrupted: return .interrupted
    case .unspecified, .queued, .running: return .pending
    }
  }
}

extension AgentMail {
  var byteCount: Int { TurnInput(content: content).byteCount }
}
