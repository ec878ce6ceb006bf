// The traces of one thread's turns: a turn belongs to the trace of the request that started it, or of the agent whose
// message did. Turns and their tool calls are spans, told apart by the thread's own events.

import HeddleCore

/// Confined to its session's loop.
final class TurnTraces {
  private struct Running {
    var turn: TurnID
    var context: TraceContext
    var span: OpenSpan?
    /// By the call's id.
    var tools: [String: OpenSpan] = [:]
  }

  private let tracer: Tracer?
  private let thread: ThreadID
  private var running: Running?
  private var queued: [TurnID: TraceContext] = [:]
  /// Of the request whose effects are carried out now.
  var asking: TraceContext?
  /// Of the newest message of an agent; it counts for the next turn.
  private var heard: TraceContext?

  init(of thread: ThreadID, _ tracer: Tracer?) {
    self.thread = thread
    self.tracer = tracer
  }

  /// Nothing that is going on has a trace.
  var isIdle: Bool { running == nil && queued.isEmpty && asking == nil && heard == nil }

  /// The trace of the running turn.
  var current: TraceContext? { running?.context }

  /// The place of work for a turn.
  func context(of turn: TurnID) -> TraceContext? { running?.turn == turn ? running?.context : nil }

  func heard(from sender: TurnTraces) { if let context = sender.current { heard = context } }

  func note(_ event: Event) {
    switch event.kind {
    case .turnQueued(let it)?: if let turn = it.turn?.id, let asking { queued[turn] = asking }
    case .queuedTurnCancelled(let it)?: queued[it.turn] = nil
    case .turnStarted(let it)?: begin(it)
    case .itemCompleted(let it)?: if let item = it.item { note(item) }
    case .turnEnded(let it)?: if it.turn == running?.turn { end(it) }
    default: break
    }
  }

  private func begin(_ started: TurnStarted) {
    let parent = queued.removeValue(forKey: started.turn) ?? asking ?? heard
    heard = nil
    guard let parent else { return running = nil }
    let span = tracer?.begin(
      "turn", .within, under: parent,
      [
        ("heddle.thread", .text(thread.description)), ("heddle.turn", .text(started.turn.description)),
        ("gen_ai.request.model", .text(started.context?.settings?.model ?? "")),
      ])
    running = Running(turn: started.turn, context: span?.context ?? parent, span: span)
  }

  private func note(_ item: Item) {
    switch item.kind {
    case .toolCall(let call)?:
      guard let context = running?.context else { return }
      running?.tools[call.callId] = tracer?.begin(
        "execute_tool \(call.name)", .within, under: context,
        [("gen_ai.tool.name", .text(call.name)), ("gen_ai.tool.call.id", .text(call.callId))])
    case .toolOutput(let output)?:
      running?.tools.removeValue(forKey: output.callId)?.end(failure: output.reason.isEmpty ? nil : output.reason)
    default: break
    }
  }

  private func end(_ ended: TurnEnded) {
    for tool in (running?.tools ?? [:]).values { tool.end(failure: "not_answered") }
    if let used = ended.usage {
      running?.span?.set("gen_ai.usage.input_tokens", .number(Int64(clamping: used.inputTokens)))
      running?.span?.set("gen_ai.usage.output_tokens", .number(Int64(clamping: used.outputTokens)))
    }
    let failure = ended.error?.reason ?? (ended.status == .interrupted ? "interrupted" : nil)
    running?.span?.end(failure: failure)
    running = nil
  }
}

extension Session {
  /// The place in a trace of work for a turn of this thread.
  func trace(of turn: TurnID) -> TraceContext? { traces?.context(of: turn) }

  /// The effects of a request with a trace follow.
  func asks(_ trace: TraceContext) {
    if traces == nil { traces = TurnTraces(of: id, shard.node.tracer) }
    traces?.asking = trace
  }

  /// The effects of the request have been carried out.
  func asked() {
    traces?.asking = nil
    forgetTraces()
  }

  /// A message of another agent follows: the turn that it starts belongs to that agent's turn.
  func hears(from sender: Session) {
    guard let trace = sender.traces, trace.current != nil else { return }
    if traces == nil { traces = TurnTraces(of: id, shard.node.tracer) }
    traces?.heard(from: trace)
  }

  func note(_ event: Event, in traces: TurnTraces) {
    traces.note(event)
    if case .turnEnded? = event.kind { forgetTraces() }
  }

  private func forgetTraces() { if traces?.isIdle == true { traces = nil } }
}
