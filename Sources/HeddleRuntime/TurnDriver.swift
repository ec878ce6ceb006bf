// Runs one sampling step against a model provider: reads the history, asks, and hands the signals to the thread's shard
// in batches. `async` belongs here: a model takes long (performance.md).

import HeddleCore
import HeddleMetrics
import HeddleProtocol
import HeddleStorage
import NIOCore
import Synchronization

/// The thread that a model's step is for, on its shard's loop.
protocol SteppingThread: AnyObject, Sendable {
  var id: ThreadID { get }
  var tenant: String { get }
  var machine: ThreadMachine { get }
  /// The place in a trace of work for a turn.
  func trace(of turn: TurnID) -> TraceContext?
  /// The source of the history that a step begins with; without `all`, of a part of it.
  func contextSource(all: Bool) -> ContextSource
  /// Keeps the history that was read for a step.
  func keep(_ history: History, _ range: ContextRange)
  func input(_ input: ThreadInput)
}

/// One sampling step. Owned by its session, which cancels it; its state is behind a lock, its task is held.
final class TurnDriver<Thread: SteppingThread>: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isCancelled = false
    var waiting: [ModelSignal] = []
    var isPosted = false
    var bytes = 0
    var room: CheckedContinuation<Void, Never>?
  }

  /// Bytes of the model's output that may wait for the shard before the provider has to wait.
  private static var waitingBytes: Int { 256 * 1024 }

  private let session: Thread
  private let node: Node
  private let inbox: LoopInbox
  private let model: ModelStart
  private let lineage: Lineage?
  private let tenant: String
  private let trace: TraceContext?
  private let span: OpenSpan?
  private let state = Mutex(State())

  /// On the shard's loop.
  init(_ session: Thread, _ model: ModelStart, _ node: Node, _ inbox: LoopInbox) {
    self.session = session
    self.node = node
    self.inbox = inbox
    self.model = model
    lineage = session.machine.record.lineage
    tenant = session.tenant
    let turn = session.trace(of: model.turn)
    span = turn.flatMap { node.tracer?.begin(model.spanName, .client, under: $0, model.spanAttributes) }
    trace = span?.context ?? turn
  }

  /// On the shard's loop.
  func start() {
    // Its history is the task's alone: a step that waits for a tool keeps nothing.
    let source = session.contextSource(all: true)
    let task = Task(executorPreference: node.models.executor) { await self.run(source) }
    state.withLock { $0.task = task }
  }

  /// At once: nothing that still comes reaches the thread.
  func cancel() {
    let (task, room) = state.withLock { state in
      state.isCancelled = true
      state.waiting = []
      defer { state.room = nil }
      return (state.task, state.room)
    }
    task?.cancel()
    room?.resume()
  }

  private func run(_ source: ContextSource) async {
    defer { span?.end(failure: Task.isCancelled ? "cancelled" : nil) }
    let provider = model.context.settings?.modelProvider ?? ""
    guard let answering = node.models.providers[provider] else {
      return await send(
        .failed(
          ModelFailure(
            .providerMissing, "No model provider named `\(provider)` is configured; choose a model of another one."
          ).error))
    }
    do {
      let history = try await history(source)
      let gate = node.models.gates[provider]
      try await gate?.enter(tenant: tenant) { await self.send(.waiting) }
      defer { gate?.leave() }
      await send(.asked)
      try await counted(gate?.metrics) {
        if model.isCompaction {
          try await sumUp(history, answering)
        } else {
          try await answer(history.items, answering)
        }
      }
    } catch let failure as ModelFailure {
      await send(.failed(failure.error))
    } catch let error as StoreError {
      node.logger.error("a turn's history cannot be read", metadata: ["error": "\(error)"])
      await send(.failed(Self.failure(of: error).error))
    } catch {
      if !Task.isCancelled {
        await send(.failed(ModelFailure(.modelFailed, "The model provider failed; start the turn again.").error))
      }
    }
  }

  /// The model's input, read off the loop if it is not kept.
  private func history(_ source: ContextSource) async throws(StoreError) -> History {
    if let kept = source.kept { return kept }
    let history = try await source.read(from: node.store, for: session)
    inbox.post { self.session.keep(history, source.range) }
    return history
  }

  /// Counts how the request ended.
  private func counted(_ metrics: ProviderMetrics?, _ body: () async throws -> Void) async throws {
    do {
      try await body()
      metrics?.finished.add(1)
    } catch {
      if Task.isCancelled { metrics?.cancelled.add(1) } else { metrics?.failed.add(1) }
      throw error
    }
  }

  /// The disk's fault is not shown as the provider's.
  private static func failure(of error: StoreError) -> ModelFailure {
    if case .damaged = error {
      return ModelFailure(
        .dataLoss, "Stored history of the thread is damaged; run heddle check, and restore the thread from a backup.")
    }
    return ModelFailure(.readFailed, "The thread's history could not be read from the disk; start the turn again.")
  }

  private func answer(_ items: [Item], _ answering: any ModelProvider) async throws {
    try await answering.answer(request(items)) { signal in await self.send(signal.checked) }
    await send(.finished)
  }

  private func request(_ items: [Item]) -> ModelRequest {
    ModelRequest(
      thread: session.id, turn: model.turn, context: model.context, items: items, tools: model.tools,
      root: lineage?.root, parent: lineage?.parent, isCompaction: model.isCompaction, trace: trace)
  }

  /// Has the model sum the history up (rules.md T7). No client is shown the summary as it grows.
  private func sumUp(_ history: History, _ answering: any ModelProvider) async throws {
    let rules = node.rules
    let window = rules.catalog.model(model.context.settings?.model ?? "")?.contextWindow ?? 0
    let input = Compaction.input(history.items, window: window, prompt: rules.texts.compaction)
    let summary = Mutex("")
    let limit = Compaction.summaryBytes(rules.limits)
    try await answering.answer(request(input)) { signal in
      switch signal {
      case .text(let text): summary.withLock { if $0.utf8.count <= limit { $0 += text } }
      // Text from before a new try does not count.
      case .retrying:
        summary.withLock { $0 = "" }
        await self.send(signal)
      case .usage, .waiting, .asked: await self.send(signal)
      case .thought, .itemDone, .toolCall, .opaque, .finished, .failed, .compacted: break
      }
    }
    let text = summary.withLock { $0 }
    guard text.utf8.count <= limit else {
      throw ModelFailure(.outputTooLarge, "The model's summary is longer than \(limit) bytes; try again.")
    }
    let bytes = Compaction.keptBytes(rules.limits, window: window)
    await send(.compacted(summary: text, kept: Compaction.kept(history, bytes: bytes)))
  }

  /// Hands a signal over; waits while the shard is far behind.
  private func send(_ signal: ModelSignal) async {
    if let span { span.note(signal) }
    let (posts, isFull) = state.withLock { state in
      guard !state.isCancelled else { return (false, false) }
      state.waiting.append(signal)
      state.bytes += signal.byteCount
      defer { state.isPosted = true }
      return (!state.isPosted, state.bytes >= Self.waitingBytes)
    }
    if posts { inbox.post { self.drain() } }
    guard isFull else { return }
    await withCheckedContinuation { continuation in
      let free = state.withLock { state in
        guard state.isPosted, !state.isCancelled else { return true }
        state.room = continuation
        return false
      }
      if free { continuation.resume() }
    }
  }

  /// On the shard's loop.
  private func drain() {
    let (signals, room) = state.withLock { state in
      defer {
        state.waiting = []
        state.isPosted = false
        state.bytes = 0
        state.room = nil
      }
      return (state.waiting, state.room)
    }
    for signal in Self.merged(signals) where !state.withLock(\.isCancelled) {
      session.input(.model(model.turn, signal))
    }
    room?.resume()
  }

  /// Neighbouring pieces of text become one: a flood of deltas costs no more than its bytes.
  private static func merged(_ signals: [ModelSignal]) -> [ModelSignal] {
    var out: [ModelSignal] = []
    for signal in signals {
      switch (out.last, signal) {
      case (.text(let before)?, .text(let more)): out[out.count - 1] = .text(before + more)
      case (.thought(let before)?, .thought(let more)): out[out.count - 1] = .thought(before + more)
      default: out.append(signal)
      }
    }
    return out
  }
}

extension ModelStart {
  fileprivate var spanName: String { (isCompaction ? "compact " : "chat ") + (context.settings?.model ?? "") }

  fileprivate var spanAttributes: [(name: String, value: SpanValue)] {
    [
      ("gen_ai.operation.name", .text("chat")), ("gen_ai.request.model", .text(context.settings?.model ?? "")),
      ("gen_ai.provider.name", .text(context.settings?.modelProvider ?? "")), ("heddle.turn", .text(turn.description)),
    ]
  }
}

extension OpenSpan {
  /// The numbers of a step, and the name of the error that ended it.
  fileprivate func note(_ signal: ModelSignal) {
    switch signal {
    case .usage(let used):
      set("gen_ai.usage.input_tokens", .number(Int64(clamping: used.inputTokens)))
      set("gen_ai.usage.output_tokens", .number(Int64(clamping: used.outputTokens)))
    case .retrying(let attempt, _, _): set("heddle.retries", .number(Int64(attempt)))
    case .failed(let error): end(failure: error.reason)
    default: break
    }
  }
}

extension ModelSignal {
  /// The same; a call whose arguments are not one JSON object says so. Read here, beside the loop: they may be long.
  fileprivate var checked: ModelSignal {
    guard case .toolCall(let id, let name, let arguments, let providerID, nil) = self else { return self }
    return .toolCall(
      id: id, name: name, arguments: arguments, providerID: providerID, fault: ToolArguments.fault(arguments))
  }

  /// The bytes of the model's words in the signal.
  fileprivate var byteCount: Int {
    switch self {
    case .text(let text), .thought(let text): text.utf8.count
    case .itemDone(let end): end.encrypted?.utf8.count ?? 0
    case .toolCall(_, _, let arguments, _, _): arguments.utf8.count
    case .opaque(let part, _): part.json.utf8.count
    case .compacted(let summary, _): summary.utf8.count
    case .usage, .retrying, .waiting, .asked, .finished, .failed: 0
    }
  }
}
