// The thread that one connection of a fan-out follows.

import HeddleCore
import Synchronization

/// The thread that all of a fan-out follow, as soon as there is one.
final class SharedThread: Sendable {
  private let thread = Mutex<ThreadID?>(nil)
  var id: ThreadID? {
    get { thread.withLock { $0 } }
    set { thread.withLock { $0 = newValue } }
  }
}

struct LoadFollower {
  /// The stream of the subscription.
  var stream: UInt32 = 0
  /// The last numbered event, across connections.
  private(set) var last: UInt64?
  private var watch: StreamWatch?

  mutating func subscribed(at now: Int64) { watch = StreamWatch(opened: now) }

  mutating func disconnect() { watch = nil }

  mutating func event(_ peek: EventPeek, at now: Int64, resumes: Bool, _ statistics: inout RunStatistics) {
    watch?.event(peek, at: now, &statistics)
    guard let sequence = peek.sequence else { return }
    // Across connections: the events that a resumed subscription leaves out or repeats.
    if resumes, let last, watch?.isFirst == true {
      if sequence > last + 1 { statistics.gaps += sequence - last - 1 }
      if sequence <= last { statistics.duplicates += 1 }
    }
    last = sequence
  }
}
