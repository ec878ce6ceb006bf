// Submissions that wait for a writer, in order, taken out in groups. A group shares one sync.

import DequeModule
import HeddleCore
import HeddleMetrics

/// One call of `submit`.
package struct Submission: Sendable {
  package var mutations: [Mutation]
  /// Bytes of events, snapshots and turns in it.
  package var bytes: Int
  package var completion: @Sendable (Result<Void, StoreError>) -> Void

  package init(_ mutations: [Mutation], completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    self.mutations = mutations
    self.completion = completion
    bytes = mutations.reduce(0) { $0 + $1.payloadBytes }
  }
}

extension Submission {
  /// The thread it is about; nil if it is about none.
  package var thread: ThreadID? {
    for mutation in mutations {
      for write in mutation.writes {
        switch write {
        case .events(let id, _), .snapshot(let id, _, _), .turn(let id, _, _, _): return id
        case .thread(let row): return row.id
        case .delete(let ids): return ids.first
        case .key, .feature: continue
        }
      }
    }
    return nil
  }
}

/// Submissions in order. Any thread may add, the writer's thread takes. The store does not bound it: whoever submits
/// counts what waits (`WriteBacklog`).
package final class WriteQueue: Sendable {
  /// A group ends once it has this many mutations or bytes (durability.md, mechanism). A submission is never split, so
  /// that its one completion can come after one sync.
  static let groupMutations = 1_024
  static let groupBytes = 1_024 * 1_024

  private struct State {
    var waiting = Deque<Submission>()
    var closing = false
  }

  private let state = Monitor(State())

  private let metrics: StoreMetrics

  package init(_ metrics: StoreMetrics = StoreMetrics()) { self.metrics = metrics }

  /// False after `close`: then the submission was not taken.
  package func add(_ submission: Submission) -> Bool {
    state.change { state in
      guard !state.closing else { return false }
      state.waiting.append(submission)
      metrics.waitingWrites.add(1)
      return true
    }
  }

  /// The next group, never empty; nil when the queue is closed and everything was taken.
  package func take() -> [Submission]? {
    state.wait { state -> [Submission]?? in
      if state.waiting.isEmpty { return state.closing ? .some(nil) : .none }
      return group(&state)
    }
  }

  /// The same without waiting; nil when nothing is there.
  package func takeNow() -> [Submission]? {
    state.change { state in state.waiting.isEmpty ? nil : group(&state) }
  }

  private func group(_ state: inout State) -> [Submission] {
    var mutations = 0
    var bytes = 0
    var count = 0
    for submission in state.waiting {
      guard mutations < Self.groupMutations, bytes < Self.groupBytes else { break }
      mutations += submission.mutations.count
      bytes += submission.bytes
      count += 1
    }
    let group = Array(state.waiting.prefix(count))
    state.waiting.removeFirst(count)
    metrics.waitingWrites.add(-count)
    return group
  }

  package func close() { state.change { $0.closing = true } }
}
