// The state of every loaded thread, for lists that must not wait for every shard.

import HeddleCore
import Synchronization

/// The loaded threads of this process and their states.
public final class LiveIndex: Sendable {
  private struct Entry {
    var tenant: String
    var state: ThreadState
  }

  private struct State {
    var entries: [ThreadID: Entry] = [:]
    var running = 0

    mutating func replace(_ thread: ThreadID, _ new: Entry?) {
      if entries[thread]?.state == .active { running -= 1 }
      if new?.state == .active { running += 1 }
      entries[thread] = new
    }
  }

  private let state = Mutex(State())

  func set(_ thread: ThreadID, tenant: String, _ state: ThreadState) {
    self.state.withLock { $0.replace(thread, Entry(tenant: tenant, state: state)) }
  }

  func forget(_ thread: ThreadID) { state.withLock { $0.replace(thread, nil) } }

  public func state(_ thread: ThreadID) -> ThreadState { state.withLock { $0.entries[thread]?.state } ?? .notLoaded }

  /// The tenant's first live threads behind `after`, in the order of their ids. Looks at all there are, but sorts no more
  /// than are wanted.
  public func threads(tenant: String, after: ThreadID, limit: Int) -> [ThreadID] {
    var found: [ThreadID] = []
    state.withLock { state in
      for (id, entry) in state.entries where id > after {
        if found.count == limit, let last = found.last, id > last { continue }
        guard entry.tenant == tenant else { continue }
        found.insert(id, at: found.firstIndex { $0 > id } ?? found.count)
        if found.count > limit { found.removeLast() }
      }
    }
    return found
  }

  public var count: Int { state.withLock(\.entries.count) }

  /// Running turns, as clients have been told of them.
  public func running() -> Int { state.withLock(\.running) }
}
