// The messages of one subscription that the program has not taken yet. The connection puts them in on the client's loop; the
// program takes them on its own thread, without a hop while there are any: a hop for each event costs a hundred times the lock.

import HeddleCore
import NIOCore
import Synchronization

final class Inbox: Sendable {
  enum Entry {
    case message(SubscriptionEvent, size: Int)
    /// Events of an agent that came while there was no connection: they are read before the stream goes on.
    case gap(Gap)
  }

  struct Gap {
    var agent: ThreadID
    var after: UInt64
    var until: UInt64
  }

  struct State {
    var queue: CircularBuffer<Entry> = []
    /// The last event that the program has taken, of the thread and of each agent below it.
    var cursor: UInt64?
    var agents: [ThreadID: UInt64] = [:]
    /// Bytes that were taken and not given back yet.
    var returned = 0
    /// A message was taken since the stream began.
    var hasTaken = false
    /// A gap is being read: what is behind it waits.
    var isFilling = false

    mutating func taken(_ message: SubscriptionEvent, _ size: Int) {
      hasTaken = true
      returned += size
      guard case .event(let event)? = message.kind else { return }
      if let agent = message.thread { agents[agent] = event.sequence } else { cursor = event.sequence }
    }
  }

  private let state: Mutex<State>
  private let half: Int

  init(cursor: UInt64?, credit: UInt32) {
    state = Mutex(State(cursor: cursor))
    half = Int(credit) / 2
  }

  func with<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      nonisolated(unsafe) let result = body(&state)
      return result
    }
  }

  /// The next message, and whether half of the credit is to be given back. Nil: the client's loop has to be asked.
  func take() -> (message: SubscriptionEvent, isHalf: Bool)? {
    state.withLock { state in
      guard !state.isFilling, case .message(let message, let size)? = state.queue.first else { return nil }
      state.queue.removeFirst()
      state.taken(message, size)
      return (message, state.returned >= half)
    }
  }

  /// The gap before everything else, which is now being read.
  func beginGap() -> Gap? {
    state.withLock { state in
      guard case .gap(let gap)? = state.queue.first else { return nil }
      state.queue.removeFirst()
      state.isFilling = true
      return gap
    }
  }
}
