// The lines and streams that each event of the thread shows.

import HeddleCore
import HeddleJSON
import HeddleProtocol

extension ChatState {
  mutating func happened(_ message: SubscriptionEvent) {
    switch message.kind {
    case .event(let event)?:
      position.last = event.sequence
      happened(event)
    case .delta(let delta)?: stream(delta.item, delta.text, at: delta.offset)
    case .snapshot(let snapshot)?: stream(snapshot.item, snapshot.text, at: 0)
    case .live(let live)?:
      position.last = live.sequence
      becameLive()
    // A chat answers calls on the server's streams, so none comes as an event.
    case .subscribed?, .progress?, .status?, .threadStarted?, .threadDeleted?, .threadArchive?, .threadName?, .call?,
      .callEnded?, nil:
      break
    }
  }

  /// A subscription says so again after each connection; what is asked here is asked once.
  private mutating func becameLive() {
    guard !position.isLive, let thread else { return }
    position.isLive = true
    askHeld()
    if thread.queuedTurns > 0 {
      call(.queue, .turnListQueue(ListQueueRequest(thread: thread.id)))
    }
    if thread.turnCount > 0 { call(.agents, .agentListTree(ListTreeRequest(thread: thread.id))) }
  }

  private mutating func happened(_ event: Event) {
    switch event.kind {
    case .settingsUpdated(let update)?: settingsChanged(update.settings ?? Settings(), update.tools)
    case .versionPinned(let pinned)?: version = pinned.version
    case .nameChanged(let change)?:
      thread?.name = change.name
      note(.faint, change.name.isEmpty ? "— the thread has no name any more" : "— the thread is named \(change.name)")
    case .threadArchived?: note(.note, "— the thread was archived: it can be read, not run")
    case .threadUnarchived?: note(.note, "— the thread came back from the archive")
    case .turnQueued(let queued)?:
      guard let turn = queued.turn else { return }
      turns.queue.append(turn)
      note(.faint, "— queued (\(turns.queue.count)): \(turn.summary)")
    case .queuedTurnCancelled(let cancelled)?:
      turns.queue.removeAll { $0.id == cancelled.turn }
      note(.faint, "— a queued turn was cancelled")
    case .turnStarted(let started)?: turnStarted(started)
    case .turnEnded(let ended)?: turnEnded(ended)
    case .inputSteered(let steered)?:
      transcript.showed(steered.item)
      said(steered.input?.content.shownText ?? "", " (added to the running turn)")
    case .itemStarted(let started)?: itemStarted(started.item)
    case .itemCheckpoint(let point)?: stream(point.item, point.text, at: point.offset)
    case .itemCompleted(let completed)?: if let item = completed.item { itemCompleted(item) }
    case .modelRetried(let retry)?:
      let why = retry.error.map { "\($0.reason): \($0.message)" } ?? "no reason was given"
      note(.note, "— the model failed (\(why)); again in \(retry.waitMs) ms")
    case .usageReported(let report)?: usage = report.threadUsage ?? usage
    case .turnsRolledBack(let back)?: note(.note, "— taken out of the context: " + counted(back.count, "turn"))
    case .contextCompacted(let compacted)?:
      note(.note, "— the context is a summary now: \(compacted.compaction?.summary ?? "")")
    case .mailReceived(let received)?: if let mail = received.mail { arrived(mail) }
    case .agentActivity(let activity)?: activityHappened(activity, by: thread?.id)
    case .agentClosed?: note(.note, "— this agent was closed")
    case .agentReopened?: note(.note, "— this agent was opened again")
    case .threadCreated?, .foreignRecord?, .mailQueued?, .mailDelivered?, nil: break
    }
  }

  private mutating func settingsChanged(_ new: Settings, _ tools: ToolSelection?) {
    var changes: [String] = []
    if new.model != settings.model { changes.append("model \(new.model)") }
    if new.mode != settings.mode { changes.append("mode \(new.mode?.label ?? "unset")") }
    if new.reasoningEffort != settings.reasoningEffort { changes.append("effort \(new.reasoningEffort ?? "unset")") }
    if let tools {
      changes.append("tools " + (tools.set.isEmpty ? "none" : tools.set.map(\.name).joined(separator: " ")))
    }
    settings = new
    note(.faint, "— from the next turn on: " + (changes.isEmpty ? "other settings" : changes.joined(separator: ", ")))
  }

  // MARK: Turns

  private mutating func turnStarted(_ started: TurnStarted) {
    began(started.turn)
    effectiveMode = started.context?.effectiveMode
    if started.cause == .compaction { note(.faint, "— the context is being summed up") }
  }

  private mutating func turnEnded(_ ended: TurnEnded) {
    endTexts()
    turns.running = nil
    // A Ctrl-C that was meant for the turn is spent.
    ending.isArmed = false
    for question in questions.close(ended.turn) where question.answer == nil {
      note(.note, "— the question is closed: its turn has ended")
    }
    transcript.endTools()
    switch ended.status {
    case .interrupted: note(.note, "— interrupted")
    case .failed:
      note(
        .failure, "✗ the turn failed: " + (ended.error.map { "\($0.reason): \($0.message)" } ?? "no reason was given"))
    default: note(.faint, "— done" + (ended.usage.map { ", \($0.label)" } ?? ""))
    }
    if !isInteractive, pipe.turns.contains(ended.turn), ended.status != .completed {
      ending.status = max(ending.status, 1)
    }
  }

  // MARK: Items

  private mutating func itemStarted(_ item: Item?) {
    guard let item else { return }
    switch item.kind {
    case .message(let message)? where message.role == .assistant: transcript.begin(item.id, .plain)
    case .reasoning?: transcript.begin(item.id, .thought)
    default: break
    }
  }

  mutating func stream(_ item: ItemID, _ text: String, at offset: UInt64) {
    if let new = transcript.take(text, at: offset, of: item) { show(.stream(item, new.style, new.text)) }
  }

  private mutating func itemCompleted(_ item: Item) {
    guard !transcript.wasShown(item.id) else { return }
    switch item.kind {
    case .message(let message)?:
      switch message.role {
      case .user: said(message.content.shownText)
      case .assistant: finish(item, .plain, message.content.shownText)
      case .developer, .system, .unspecified: break
      }
    case .reasoning(let reasoning)?:
      let parts = reasoning.summary.isEmpty ? reasoning.content : reasoning.summary
      finish(item, .thought, parts.joined(separator: "\n"))
    case .toolCall(let call)?: toolCalled(call)
    case .toolOutput(let output)?: toolAnswered(output)
    case .agentMessage?, .compaction?, .marker?, .opaque?, nil: break
    }
  }

  private mutating func finish(_ item: Item, _ style: TextStyle, _ text: String) {
    if !transcript.isStreaming(item.id) { transcript.begin(item.id, style) }
    stream(item.id, text, at: 0)
    transcript.end(item.id)
    show(.streamEnd(item.id))
  }

  private mutating func said(_ text: String, _ remark: String = "") {
    show(.line([Span(.user, "› " + text.replacing("\n", with: "\n  ")), Span(.faint, remark)]))
  }

  // MARK: Tools

  private mutating func toolCalled(_ call: ToolCallItem) {
    transcript.called(call.name, call.callId)
    show(.line([Span(.tool, "• \(call.name)"), Span(.faint, " " + call.shortArguments)], isCut: true))
    if position.isLive { askHeld(call.callId) }
  }

  private mutating func toolAnswered(_ output: ToolOutputItem) {
    let text = output.content.shownText
    let name = transcript.answered(output.callId) ?? "tool"
    let (mark, style): (String, TextStyle) =
      switch output.success {
      case true?: ("✓", .success)
      case false?: ("✗", .failure)
      case nil: ("·", .faint)
      }
    let reason = output.reason.isEmpty ? "" : " (\(output.reason))"
    let said = TerminalText.summary(text, cells: 400)
    show(
      .line(
        [Span(style, "  \(mark) \(name)\(reason)"), Span(.faint, said.isEmpty ? "" : ": " + said)], isCut: true))
    settle(output, text)
  }
}

extension ToolCallItem {
  /// `path=/tmp, lines=3`: the arguments on a line, texts without their quotes.
  var shortArguments: String {
    guard !freeform, case .object(let members)? = try? JSONValue(parsing: arguments) else {
      return TerminalText.summary(arguments, cells: 200)
    }
    return members.prefix(12).map { member in
      let value: String =
        switch member.value {
        case .text(let text): text
        case let other: other.written()
        }
      return "\(TerminalText.summary(member.name, cells: 40))=\(TerminalText.summary(value, cells: 60))"
    }.joined(separator: " ")
  }
}

extension QueuedTurn {
  var summary: String { TerminalText.summary(input?.content.shownText ?? "", cells: 60) }
}

extension TokenUsage {
  var label: String { "\(inputTokens) tokens in, \(outputTokens) out" }
}
