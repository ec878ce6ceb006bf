// The state of every loaded thread, for lists that must not wait for every shard.

import HeddleCore
import HeddleMetrics
import Synchronization

/// The loaded threads of this process and their states.
public final class LiveIndex: Sendable {
  private struct Entry {
    var tenant: String
    var state: ThreadState
  }

  private let entries = Mutex<[ThreadID: Entry]>([:])

  /// On the loop of these values, which is the thread's.
  func set(_ thread: ThreadID, tenant: String, _ state: ThreadState, _ metrics: LoopMetrics) {
    replace(thread, Entry(tenant: tenant, state: state), metrics)
  }

  /// On the loop of these values, which is the thread's.
  func forget(_ thread: ThreadID, _ metrics: LoopMetrics) { replace(thread, nil, metrics) }

  private func replace(_ thread: ThreadID, _ new: Entry?, _ metrics: LoopMetrics) {
    let old = entries.withLock { entries in
      let old = entries[thread]
      entries[thread] = new
      return old
    }
    metrics.threadsLoaded.add((new == nil ? 0 : 1) - (old == nil ? 0 : 1))
    metrics.turnsRunning.add((new?.state == .active ? 1 : 0) - (old?.state == .active ? 1 : 0))
  }

  public func state(_ thread: ThreadID) -> ThreadState { entries.withLock { $0[thread]?.state } ?? .notLoaded }

  /// The tenant's first live threads behind `after`, in the order of their ids. Looks at all there are, but sorts no more
  /// than are wanted.
  public func threads(tenant: String, after: ThreadID, limit: Int) -> [ThreadID] {
    var found: [ThreadID] = []
    entries.withLock { entries in
      for (id, entry) in entries where id > after {
        if found.count == limit, let last = found.last, id > last { continue }
        guard entry.tenant == tenant else { continue }
        found.insert(id, at: found.firstIndex { $0 > id } ?? found.count)
        if found.count > limit { found.removeLast() }
      }
    }
    return found
  }
}
