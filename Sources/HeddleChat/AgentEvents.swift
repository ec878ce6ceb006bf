// The lines that agents show: spawned, at work, done, and their mail.
//
// G1  An agent that is spawned while the chat looks is followed from its first event; one that was there before, from
//     where it stood when it was read.

import HeddleCore

extension ChatState {
  private mutating func agentLine(_ member: ChatAgents.Member, _ style: TextStyle, _ text: String, isCut: Bool = false)
  {
    show(.line([Span(.agent, "  [\(member.name)] "), Span(style, text)], isCut: isCut))
  }

  // MARK: From an agent's parent

  mutating func activityHappened(_ activity: AgentActivity, by thread: ThreadID?) {
    guard let thread else { return }
    let name = activity.path.isEmpty ? String(activity.agent.description.suffix(8)) : activity.path
    var member =
      agents[activity.agent]
      ?? ChatAgents.Member(id: activity.agent, parent: thread, name: name, depth: 1, state: "not loaded")
    switch activity.kind {
    case .spawned:
      member.state = "started"
      agentLine(member, .agent, "started")
      if position.isLive { follow(&member, after: 0) }
    case .messaged: agentLine(member, .faint, "was sent a message")
    case .interrupted: agentLine(member, .note, "was interrupted")
    case .closed:
      (member.state, member.isRunning) = ("closed", false)
      agentLine(member, .faint, "was closed")
    case .resumed:
      member.state = "idle"
      agentLine(member, .faint, "was opened again")
    case .unspecified: break
    }
    agents[member.id] = member
    // It was not loaded when the chat began, and is at work again.
    if position.isLive, !member.isFollowed, activity.kind == .messaged || activity.kind == .resumed { read(member.id) }
  }

  private mutating func follow(_ member: inout ChatAgents.Member, after sequence: UInt64) {
    member.isFollowed = true
    effects.append(.follow(member.id, after: sequence))
  }

  private mutating func read(_ agent: ThreadID) { call(.agent, .threadRead(ReadThreadRequest(thread: agent))) }

  /// While the chat looks, an agent's end is known from its own log; of earlier ones the mail tells.
  mutating func arrived(_ mail: AgentMail) {
    transcript.showed(mail.id)
    let isReport = mail.kind == .finalAnswer || mail.kind == .notification
    if isReport, agents[mail.from]?.isFollowed == true { return }
    let text = mail.content.shownText
    let what =
      isReport ? "answered" : mail.kind == .newTask ? "has a task for \(mail.recipient)" : "wrote to \(mail.recipient)"
    show(.line([Span(.agent, "  [\(mail.author)] "), Span(.agent, "\(what): "), Span(.plain, text)]))
  }

  // MARK: From an agent's own log

  mutating func happened(_ message: SubscriptionEvent, to id: ThreadID) {
    guard case .event(let event)? = message.kind, var member = agents[id] else { return }
    switch event.kind {
    case .turnStarted?:
      (member.state, member.isRunning, member.lastAnswer) = ("working", true, "")
      agentLine(member, .faint, "works")
    case .turnEnded(let ended)?: agentEnded(ended, &member)
    case .itemCompleted(let completed)?: agentItem(completed.item, &member)
    case .agentActivity(let activity)?: activityHappened(activity, by: id)
    case .mailReceived(let received)?:
      if let mail = received.mail {
        if mail.kind == .newTask { member.task = mail.content.shownText } else { arrived(mail) }
      }
    case .agentClosed?: (member.state, member.isRunning) = ("closed", false)
    case .agentReopened?: member.state = "idle"
    default: return
    }
    agents[id] = member
  }

  private mutating func agentEnded(_ ended: TurnEnded, _ member: inout ChatAgents.Member) {
    member.isRunning = false
    switch ended.status {
    case .interrupted:
      member.state = "interrupted"
      agentLine(member, .note, "was interrupted")
    case .failed:
      member.state = "failed"
      agentLine(member, .failure, "failed: " + (ended.error.map { "\($0.reason): \($0.message)" } ?? ""))
    default:
      member.state = "done"
      agentLine(member, .success, member.lastAnswer.isEmpty ? "is done" : "answered: \(member.lastAnswer)")
    }
  }

  private mutating func agentItem(_ item: Item?, _ member: inout ChatAgents.Member) {
    switch item?.kind {
    case .message(let message)?:
      if message.role == .assistant { member.lastAnswer = message.content.shownText }
      if message.role == .user, member.task.isEmpty { member.task = message.content.shownText }
    case .toolCall(let call)?: agentLine(member, .faint, "• \(call.name) \(call.shortArguments)", isCut: true)
    case .toolOutput(let output)? where output.success == false:
      agentLine(member, .failure, "✗ \(TerminalText.summary(output.content.shownText, cells: 400))", isCut: true)
    default: break
    }
  }

  // MARK: From the server's list

  mutating func listed(_ response: ListTreeResponse, isShown: Bool) {
    for agent in response.agents where agent.thread != thread?.id {
      guard let parent = agent.parent else { continue }
      let name =
        agent.path.hasPrefix("/") && version == .v2 ? agent.path : agent.nickname.isEmpty ? agent.path : agent.nickname
      var member =
        agents[agent.thread]
        ?? ChatAgents.Member(id: agent.thread, parent: parent, name: name, depth: Int(agent.depth), state: "")
      member.task = agent.lastTask.isEmpty ? member.task : agent.lastTask
      if !member.isFollowed {
        member.state = agent.label
        member.isRunning = agent.status?.state == .active
        if agent.status?.state == .active || agent.status?.state == .idle { read(agent.thread) }
      }
      agents[member.id] = member
    }
    guard isShown else { return }
    if agents.members.isEmpty { return note(.note, "There are no agents below this thread.") }
    show(.line([Span(.agent, "  this thread"), Span(.faint, running == nil ? "  idle" : "  working")]))
    for row in agents.rows { show(.line(row, isCut: true)) }
    note(.faint, "  \(response.freeSlots) more may \(version == .v1 ? "be open" : "work") now")
  }

  mutating func wasRead(_ thread: AgentThread) {
    guard var member = agents[thread.id], !member.isFollowed else { return }
    member.isRunning = thread.runningTurn != nil
    if member.isRunning { member.state = "working" }
    follow(&member, after: thread.sequence)
    agents[thread.id] = member
  }
}

extension Agent {
  fileprivate var label: String {
    if closed { return "closed" }
    if status?.state == .active { return "working" }
    switch lastTurn {
    case .completed: return "done"
    case .interrupted: return "interrupted"
    case .failed: return "failed"
    case .queued, .running, .unspecified: return status?.state == .notLoaded ? "not loaded" : "idle"
    }
  }
}
