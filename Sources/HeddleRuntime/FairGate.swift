// Lets so many through at a time: first come, first served within a tenant, and tenants in turn, so that one with a
// thousand requests holds up another's one by a single place.
//
// G1  No more than `limit` are inside at once. 0: no limit.
// G2  A slot that becomes free goes to the first waiter of the tenant whose turn it is; no later one passes it.
// G3  A waiter that is cancelled leaves the queue at once, and takes no slot.

import HeddleMetrics
import Synchronization

/// A gate for requests to one provider.
public final class FairGate: Sendable {
  private enum Waiter {
    /// Has its place; is about to wait. Can go to: waiting, admitted, cancelled.
    case queued
    /// Can go to: admitted, cancelled; then it is resumed and forgotten.
    case waiting(CheckedContinuation<Void, any Error>)
    /// Let in before it began to wait.
    case admitted
    /// Cancelled before it began to wait.
    case cancelled
  }

  private struct State {
    var running = 0
    var nextID: UInt64 = 0
    var waiters: [UInt64: Waiter] = [:]
    /// Waiters by tenant, in order of arrival. No queue is empty.
    var queues: [String: [UInt64]] = [:]
    /// Tenants that have a queue, the one whose turn it is first.
    var turns: [String] = []
  }

  private let limit: Int
  private let state = Mutex(State())
  /// Shows how many are inside and how many wait.
  let metrics: ProviderMetrics?

  /// `limit`: how many may be inside at once; 0: any number.
  public init(limit: Int, _ metrics: ProviderMetrics? = nil) {
    self.limit = limit
    self.metrics = metrics
  }

  /// How many are inside.
  public var running: Int { state.withLock(\.running) }

  /// How many wait.
  public var waiting: Int { state.withLock { state in state.queues.values.reduce(0) { $0 + $1.count } } }

  /// Returns with a slot, which `leave` gives back. Calls `waiting` once if there is none yet; the place in the queue is
  /// taken before. Throws `CancellationError` when the task is cancelled: then there is no slot to give back.
  public func enter(tenant: String, waiting: () async -> Void) async throws {
    try Task.checkCancellation()
    guard let waiter = takeOrQueue(tenant) else { return }
    try await withTaskCancellationHandler {
      await waiting()
      try await withCheckedThrowingContinuation { park(waiter, $0) }
    } onCancel: {
      cancel(waiter, tenant)
    }
    // Let in and cancelled at the same time: the slot goes on to the next.
    if Task.isCancelled {
      leave()
      throw CancellationError()
    }
  }

  /// Gives a slot back.
  public func leave() {
    let admitted = state.withLock { state in
      state.running = max(0, state.running - 1)
      let admitted = admit(&state)
      metrics?.running.set(state.running)
      return admitted
    }
    for waiter in admitted { waiter.resume() }
  }

  /// Nil: there was room, and a slot is taken.
  private func takeOrQueue(_ tenant: String) -> UInt64? {
    state.withLock { state in
      if limit == 0 || (state.running < limit && state.turns.isEmpty) {
        state.running += 1
        metrics?.running.set(state.running)
        return nil
      }
      metrics?.waiting.add(1)
      state.nextID += 1
      state.waiters[state.nextID] = .queued
      if state.queues[tenant] == nil { state.turns.append(tenant) }
      state.queues[tenant, default: []].append(state.nextID)
      return state.nextID
    }
  }

  private func park(_ waiter: UInt64, _ continuation: CheckedContinuation<Void, any Error>) {
    let result: Result<Void, any Error>? = state.withLock { state in
      switch state.waiters[waiter] {
      case .queued?:
        state.waiters[waiter] = .waiting(continuation)
        return nil
      case .admitted?:
        state.waiters[waiter] = nil
        return .success(())
      case .waiting?, .cancelled?, nil:
        state.waiters[waiter] = nil
        return .failure(CancellationError())
      }
    }
    if let result { continuation.resume(with: result) }
  }

  private func cancel(_ waiter: UInt64, _ tenant: String) {
    let continuation: CheckedContinuation<Void, any Error>? = state.withLock { state in
      switch state.waiters[waiter] {
      case .queued?:
        state.waiters[waiter] = .cancelled
        remove(waiter, tenant, &state)
        return nil
      case .waiting(let continuation)?:
        state.waiters[waiter] = nil
        remove(waiter, tenant, &state)
        return continuation
      // Has its slot, or has gone.
      case .admitted?, .cancelled?, nil: return nil
      }
    }
    continuation?.resume(throwing: CancellationError())
  }

  private func remove(_ waiter: UInt64, _ tenant: String, _ state: inout State) {
    metrics?.waiting.add(-1)
    state.queues[tenant]?.removeAll { $0 == waiter }
    guard state.queues[tenant]?.isEmpty == true else { return }
    state.queues[tenant] = nil
    state.turns.removeAll { $0 == tenant }
  }

  /// Lets waiters in while there is room (G1, G2). Returns their continuations, to be resumed outside of the lock.
  private func admit(_ state: inout State) -> [CheckedContinuation<Void, any Error>] {
    var admitted: [CheckedContinuation<Void, any Error>] = []
    while state.running < limit, let tenant = state.turns.first, let waiter = state.queues[tenant]?.first {
      metrics?.waiting.add(-1)
      state.turns.removeFirst()
      state.queues[tenant]?.removeFirst()
      if state.queues[tenant]?.isEmpty == true { state.queues[tenant] = nil } else { state.turns.append(tenant) }
      state.running += 1
      if case .waiting(let continuation)? = state.waiters[waiter] {
        state.waiters[waiter] = nil
        admitted.append(continuation)
      } else {
        state.waiters[waiter] = .admitted
      }
    }
    return admitted
  }
}
