// What waits for the writer: submissions in order, taken out in groups. A group is what shares one sync.

import HeddleCore

/// One call of `submit`.
struct Submission: Sendable {
  var mutations: [Mutation]
  /// Bytes of events, snapshots and turns in it.
  var bytes: Int
  var completion: @Sendable (Result<Void, StoreError>) -> Void

  init(_ mutations: [Mutation], completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    self.mutations = mutations
    self.completion = completion
    bytes = mutations.reduce(0) { $0 + $1.payloadBytes }
  }
}

extension Submission {
  /// The thread it is about; nil if it is about none.
  var thread: ThreadID? {
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

extension Mutation {
  /// Bytes of events, snapshots, turns and answers in it.
  public var payloadBytes: Int { writes.reduce(0) { $0 + $1.payloadBytes } }
}

extension StoreWrite {
  fileprivate var payloadBytes: Int {
    switch self {
    case .events(_, let events): events.reduce(0) { $0 + $1.payload.count }
    case .snapshot(_, _, let payload), .turn(_, _, _, let payload): payload.count
    case .key(let record): record.response.count
    case .thread, .feature, .delete: 0
    }
  }
}

/// Submissions in order. Any thread may add, the writer's thread takes. The store does not bound it: whoever submits
/// counts what waits (`WriteBacklog`).
final class WriteQueue: Sendable {
  /// A group ends once it has this many mutations or bytes (durability.md, mechanism). A submission is never split, so
  /// that its one completion can come after one sync.
  static let groupMutations = 1_024
  static let groupBytes = 1_024 * 1_024

  private struct State {
    var waiting: [Submission] = []
    /// Those before it were taken.
    var first = 0
    var closing = false
  }

  private let state = Monitor(State())

  /// False after `close`: then the submission was not taken.
  func add(_ submission: Submission) -> Bool {
    state.change { state in
      guard !state.closing else { return false }
      state.waiting.append(submission)
      return true
    }
  }

  /// The next group, never empty; nil when the queue is closed and everything was taken.
  func take() -> [Submission]? {
    state.wait { state -> [Submission]?? in
      if state.first == state.waiting.count { return state.closing ? .some(nil) : .none }
      return Self.group(&state)
    }
  }

  /// The same without waiting; nil when nothing is there.
  func takeNow() -> [Submission]? {
    state.change { state in state.first == state.waiting.count ? nil : Self.group(&state) }
  }

  private static func group(_ state: inout State) -> [Submission] {
    var mutations = 0
    var bytes = 0
    var end = state.first
    while end < state.waiting.count, mutations < groupMutations, bytes < groupBytes {
      mutations += state.waiting[end].mutations.count
      bytes += state.waiting[end].bytes
      end += 1
    }
    let group = Array(state.waiting[state.first..<end])
    state.first = end
    // Moved down only when half is gone: otherwise a long queue would be copied for each group.
    if state.first * 2 >= state.waiting.count {
      state.waiting.removeFirst(state.first)
      state.first = 0
    }
    return group
  }

  func close() { state.change { $0.closing = true } }
}
