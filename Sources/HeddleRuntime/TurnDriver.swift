// Runs one sampling step against a model provider: reads the history, asks, and hands the signals to the thread's shard
// in batches. `async` belongs here: a model takes long (performance.md).

import HeddleCore
import HeddleProtocol
import HeddleStorage
import NIOCore
import Synchronization

/// One sampling step. Owned by its session, which cancels it; its state is behind a lock, its task is held.
final class TurnDriver: Sendable {
  private struct State {
    var task: Task<Void, Never>?
    var isCancelled = false
    var waiting: [ModelSignal] = []
    var isPosted = false
    var bytes = 0
    var room: CheckedContinuation<Void, Never>?
  }

  /// Text that may wait for the shard before the provider has to.
  private static let waitingBytes = 256 * 1024

  private let session: Session
  private let shard: Shard
  private let turn: TurnID
  private let context: TurnContext
  private let state = Mutex(State())

  init(session: Session, turn: TurnID, context: TurnContext) {
    self.session = session
    shard = session.shard
    self.turn = turn
    self.context = context
  }

  func start() {
    let task = Task { await self.run() }
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

  private func run() async {
    let provider = context.settings?.modelProvider ?? ""
    guard let model = shard.manager.providers[provider] else {
      return await send(
        .failed(
          ModelFailure(
            .providerMissing, "No model provider named `\(provider)` is configured; choose a model of another one."
          ).error))
    }
    do {
      let items = try await history()
      let request = ModelRequest(thread: session.id, turn: turn, context: context, items: items)
      try await model.answer(request) { signal in await self.send(signal) }
      await send(.finished)
    } catch let failure as ModelFailure {
      await send(.failed(failure.error))
    } catch {
      if !Task.isCancelled {
        await send(.failed(ModelFailure(.modelFailed, "The model provider failed; start the turn again.").error))
      }
    }
  }

  /// The model's input: items since the last compaction, those of rolled-back turns left out (rules.md T7).
  private func history() async throws -> [Item] {
    try await shard.history(of: session)
  }

  /// Hands a signal over; waits while the shard is far behind.
  private func send(_ signal: ModelSignal) async {
    let (posts, isFull) = state.withLock { state in
      guard !state.isCancelled else { return (false, false) }
      state.waiting.append(signal)
      if case .text(let text) = signal { state.bytes += text.utf8.count }
      defer { state.isPosted = true }
      return (!state.isPosted, state.bytes >= Self.waitingBytes)
    }
    if posts { shard.inbox.post { self.drain() } }
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
    for signal in Self.merged(signals) where !state.withLock(\.isCancelled) { session.input(.model(turn, signal)) }
    room?.resume()
  }

  /// Neighbouring pieces of text become one: a flood of deltas costs what its bytes cost.
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
