// Which loaded thread has been idle longest, without a look at all of them: a queue in which a thread that was used since it
// was put there goes to the end instead of away. Each use moves it once at most, so asking costs the same however many
// threads there are.

import DequeModule
import HeddleCore

/// The loaded threads of one loop, about in the order in which they were last used.
struct IdleOrder {
  struct Entry: Equatable {
    var thread: ThreadID
    /// Which session of the thread: one that was loaded again is another one.
    var session: UInt64
    /// Its last use when it was put here.
    var seen: Int64
  }

  /// A search for threads that can be unloaded is under way, or will be.
  var isSearching = false
  private var entries = Deque<Entry>()

  var count: Int { entries.count }

  mutating func add(_ entry: Entry) { entries.append(entry) }

  /// Takes out the one in front.
  mutating func next() -> Entry? { entries.popFirst() }

  /// Forgets those that are not loaded any more, when they are more than those that are.
  mutating func tidy(loaded: Int, _ isLoaded: (Entry) -> Bool) {
    guard count > 2 * loaded + 64 else { return }
    entries.removeAll { !isLoaded($0) }
  }
}
