// Bytes of all loops that wait for the disk (durability.md D11). A request is small, but its write may be large: a
// thousand connections with their 256 requests each would be gigabytes. So while many bytes wait, connections begin no
// more than a few requests each; their other requests wait in their sockets.

import HeddleMetrics
import Synchronization

/// Counted when writes are handed to the store, and taken off when it has done with them.
public final class WriteBacklog: Sendable {
  /// Memory of a write beside its payload: the session's effects, the request, the row.
  static let overheadBytes = 4 * 1024

  private let limit: Int
  /// The bytes that wait are counted in `waitingBytes`.
  private let metrics: StoreMetrics
  private let waiting = Mutex<[@Sendable () -> Void]>([])
  private let isWaitedFor = Atomic<Bool>(false)

  /// A limit of 0 is none.
  init(limit: Int, _ metrics: StoreMetrics = StoreMetrics()) {
    self.limit = limit
    self.metrics = metrics
  }

  public var isFull: Bool { limit > 0 && waitingBytes > limit }

  /// Calls `wake` once no more than half of the limit waits; at once if that is so already.
  public func whenThereIsRoom(_ wake: @escaping @Sendable () -> Void) {
    waiting.withLock { $0.append(wake) }
    isWaitedFor.store(true, ordering: .sequentiallyConsistent)
    // The bytes may have been written before `isWaitedFor` could be seen.
    wakeWaiters()
  }

  var waitingBytes: Int { metrics.waitingBytes.value }

  func add(_ count: Int) { metrics.waitingBytes.add(count) }

  func take(off count: Int) {
    metrics.waitingBytes.number.subtract(count, ordering: .sequentiallyConsistent)
    if isWaitedFor.load(ordering: .sequentiallyConsistent) { wakeWaiters() }
  }

  private func wakeWaiters() {
    guard metrics.waitingBytes.number.load(ordering: .sequentiallyConsistent) <= limit / 2 else { return }
    let wakes = waiting.withLock { waiting in
      isWaitedFor.store(false, ordering: .sequentiallyConsistent)
      let wakes = waiting
      waiting = []
      return wakes
    }
    for wake in wakes { wake() }
  }
}
