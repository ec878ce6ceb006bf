// Commands to requests, and what their answers show.

import HeddleClient
import HeddleCore

extension ChatState {
  mutating func carryOut(_ command: SlashCommand) {
    switch command {
    case .help: help()
    case .quit: leave()
    case .decline: decline()
    case .new:
      note(.faint, "— a new thread")
      reopen(nil)
    case .threads: call(.threads, .threadList(ListThreadsRequest(pageSize: 10, archived: false, source: .client)))
    case .models: call(.models, .catalogListModels(ListModelsRequest()))
    case .open(let name): open(named: name)
    default:
      guard let thread else { return note(.note, "There is no thread yet.") }
      carryOut(command, in: thread)
    }
  }

  private mutating func carryOut(_ command: SlashCommand, in thread: AgentThread) {
    let id = thread.id
    switch command {
    case .mode(nil):
      let told = effectiveMode.map { "the last turn ran with \($0.label)" } ?? "no turn has been told of one"
      note(.note, "mode \(settings.mode?.label ?? "unset"); \(told)")
    case .mode(let choice): change(SettingsChange(mode: ModeSelection(choice: choice)), id)
    case .model(nil): note(.note, "model \(settings.model); /models lists them")
    case .model(let name): change(SettingsChange(model: name), id)
    case .effort(nil): note(.note, "effort \(settings.reasoningEffort ?? "unset")")
    case .effort(let level): change(SettingsChange(reasoningEffort: level), id)
    case .interrupt: interruptTurn()
    case .queue(let text): send(text, .queue)
    case .queued: call(.showQueue, .turnListQueue(ListQueueRequest(thread: id)))
    case .cancel(let number):
      guard number <= turns.queue.count else {
        return note(.failure, "The queue has \(counted(turns.queue.count, "turn")).")
      }
      call(.act, .turnCancelQueued(CancelQueuedTurnRequest(thread: id, turn: turns.queue[number - 1].id)))
    case .agents: call(.showAgents, .agentListTree(ListTreeRequest(thread: id)))
    case .stop(let name): withAgent(name) { .agentInterrupt(InterruptAgentRequest(thread: $0)) }
    case .close(let name): withAgent(name) { .agentClose(CloseAgentRequest(thread: $0)) }
    case .name(let name): call(.act, .threadSetName(SetThreadNameRequest(thread: id, name: name)))
    case .fork: call(.open, .threadFork(ForkThreadRequest(thread: id, subscribe: false)))
    case .rollback(let count):
      call(.act, .threadRollback(RollbackThreadRequest(thread: id, turns: Int32(clamping: count))))
    case .compact: call(.act, .threadCompact(CompactThreadRequest(thread: id)))
    case .status: showStatus(thread)
    case .help, .quit, .decline, .new, .threads, .models, .open: break
    }
  }

  private mutating func change(_ change: SettingsChange, _ thread: ThreadID) {
    call(.act, .settingsUpdate(UpdateSettingsRequest(thread: thread, change: change)))
  }

  private mutating func withAgent(_ name: String, _ request: (ThreadID) -> Request) {
    guard let agent = agents.named(name) else {
      return note(.failure, "There is no agent \(name); /agents lists them.")
    }
    call(.act, request(agent.id))
  }

  private mutating func open(named name: String) {
    if let id = ThreadID(name) { return reopen(id) }
    guard let number = Int(name), (1...max(1, listed.count)).contains(number), number <= listed.count else {
      return note(.failure, "/open takes a number of /threads, or an id.")
    }
    reopen(listed[number - 1].id)
  }

  private mutating func help() {
    let width = SlashCommand.usages.map(\.usage.count).max() ?? 0
    for (usage, text) in SlashCommand.usages {
      let gap = String(repeating: " ", count: width - usage.count + 2)
      show(.line([Span(.tool, "  " + usage), Span(.faint, gap + text)]))
    }
    note(
      .faint,
      "  Enter sends, to the running turn if there is one. Alt-Enter, or \\ at the end, begins another line.")
  }

  private mutating func showStatus(_ thread: AgentThread) {
    note(.note, "thread \(thread.id)" + (thread.name.isEmpty ? "" : " (\(thread.name))"))
    let effort = settings.reasoningEffort.map { ", effort \($0)" } ?? ""
    note(.note, "model \(settings.model) of \(settings.modelProvider)\(effort)")
    note(
      .note,
      "agents \(version == .unspecified ? "not decided yet" : version.name), mode \(settings.mode?.label ?? "unset")")
    note(.note, "\(running == nil ? "idle" : "working"), \(turns.queue.count) queued, \(usage.label)")
  }

  // MARK: Answers

  mutating func answered(_ call: ChatCall, _ result: Result<Response, HeddleError>) {
    switch result {
    case .failure(let error): failed(call, error)
    case .success(let response): succeeded(call.purpose, response)
    }
  }

  private mutating func failed(_ call: ChatCall, _ error: HeddleError) {
    switch call.purpose {
    case .open:
      note(.failure, "✗ \(error.reasonText)")
      // Nothing was open before: there is nothing to go on with.
      if thread == nil { leave(1) }
    case .send:
      note(.failure, "✗ not sent: \(error.reasonText)")
      if case .turnStart(let request) = call.request {
        note(.faint, "  \(TerminalText.summary(request.input?.content.shownText ?? "", cells: 60))")
      }
      if !isInteractive { ending.status = 1 }
    // These only help to show more, and are not missed.
    case .agents, .agent, .queue: break
    case .history, .act, .showAgents, .showQueue, .models, .threads: note(.failure, "✗ \(error.reasonText)")
    }
  }

  private mutating func succeeded(_ purpose: ChatCall.Purpose, _ response: Response) {
    switch response {
    case .threadStart(let started): if let thread = started.thread { opened(thread, isNew: true) }
    case .threadFork(let forked): if let thread = forked.thread { forkOpened(thread) }
    case .threadResume(let resumed): if let thread = resumed.thread { opened(thread, isNew: false) }
    case .threadListTurns(let page): history(page)
    case .turnStart(let started):
      if !isInteractive { pipe.turns.insert(started.turn) }
      position.settles(at: started.sequence)
    case .threadCompact(let compacted): position.settles(at: compacted.sequence)
    case .settingsUpdate(let updated): if !updated.changed { note(.faint, "— that is what it was") }
    case .turnInterrupt(let answer): if answer.already { note(.faint, "— the turn had ended") }
    case .agentInterrupt(let answer): if answer.already { note(.faint, "— the agent was idle") }
    case .agentListTree(let tree): listed(tree, isShown: purpose == .showAgents)
    case .threadRead(let read): if let thread = read.thread { wasRead(thread) }
    case .turnListQueue(let list): queueListed(list, isShown: purpose == .showQueue)
    case .catalogListModels(let list): modelsListed(list)
    case .threadList(let list): threadsListed(list)
    default: break
    }
  }

  private mutating func opened(_ thread: AgentThread, isNew: Bool) {
    begin(thread)
    let name = thread.name.isEmpty ? "" : " (\(thread.name))"
    note(
      .faint,
      "— thread \(thread.id)\(name), model \(settings.model)" + (isInteractive ? "; /help lists the commands" : ""))
    // In a pipe nothing of before is shown (ChatState.H4).
    if isNew || thread.turnCount == 0 || !isInteractive {
      return effects.append(.follow(thread.id, after: thread.sequence))
    }
    // The newest turns are shown again, from the first event of the oldest of them.
    call(.history, .threadListTurns(ListTurnsRequest(thread: thread.id, pageSize: 5, order: .newestFirst)))
  }

  private mutating func forkOpened(_ thread: AgentThread) {
    forget()
    note(.faint, "— a copy of the thread")
    opened(thread, isNew: false)
  }

  private mutating func history(_ page: ListTurnsResponse) {
    guard let thread else { return }
    let first = page.turns.map(\.firstSequence).min() ?? thread.sequence &+ 1
    if !page.nextCursor.isEmpty {
      note(.faint, "— the last \(page.turns.count) of \(counted(thread.turnCount, "turn")):")
    }
    effects.append(.follow(thread.id, after: first == 0 ? 0 : first - 1))
  }

  private mutating func queueListed(_ list: ListQueueResponse, isShown: Bool) {
    turns.queue = list.turns
    guard isShown else { return }
    if list.turns.isEmpty { note(.note, "Nothing is queued.") }
    for (index, turn) in list.turns.enumerated() { note(.note, "  \(index + 1)  \(turn.summary)") }
  }

  private mutating func modelsListed(_ list: ListModelsResponse) {
    for model in list.models {
      let mark = model.id == settings.model ? "  * " : "    "
      show(.line([Span(.tool, mark + model.id), Span(.faint, "  \(model.displayName)")], isCut: true))
    }
  }

  private mutating func threadsListed(_ list: ListThreadsResponse) {
    listed = list.threads
    if listed.isEmpty { note(.note, "There are no threads.") }
    for (index, item) in listed.enumerated() {
      let title = item.name.isEmpty ? item.preview : item.name
      let what = title.isEmpty ? "nothing said yet" : TerminalText.summary(title, cells: 60)
      let mark = item.id == thread?.id ? "*" : " "
      show(
        .line(
          [
            Span(.tool, " \(mark)\(index + 1)  "), Span(.plain, what),
            Span(.faint, "  \(counted(item.turnCount, "turn")), \(item.id)"),
          ],
          isCut: true))
    }
  }
}

extension HeddleError {
  /// The part of it that a person needs.
  var reasonText: String {
    guard kind == .refused, let error = refusal else { return description }
    return error.message.isEmpty ? error.reason : "\(error.message) (\(error.reason))"
  }
}
