// The subscribers of one thread.
//
// Followers.N3  Pushes to a subscriber are contiguous: they follow from the event after the head that it was told when it
//               went live.

import HeddleCore
import HeddleMetrics

struct Followers {
  private struct Subscriber {
    let follower: Follower
    /// It follows a tree that this agent is in, which does not keep the agent loaded (rules.md A12).
    let isOfTree: Bool
  }

  let thread: ThreadID
  let context: LoopContext
  private var subscribers: [Subscriber] = []

  init(of thread: ThreadID, on context: LoopContext) {
    self.thread = thread
    self.context = context
  }

  var isEmpty: Bool { subscribers.isEmpty }
  /// Followers of the thread itself; with those of its tree there may be more.
  var count: Int { subscribers.count { !$0.isOfTree } }
  var keepLoaded: Bool { subscribers.contains { !$0.isOfTree } }

  mutating func add(_ follower: Follower, isOfTree: Bool = false) {
    context.metrics.followers.add(1)
    subscribers.append(Subscriber(follower: follower, isOfTree: isOfTree))
  }

  /// True: a follower of the thread itself is gone, or there was none.
  mutating func remove(_ follower: Follower) -> Bool {
    guard let index = subscribers.firstIndex(where: { $0.follower.isSame(as: follower) }) else { return true }
    context.metrics.followers.add(-1)
    return !subscribers.remove(at: index).isOfTree
  }

  func push(_ items: [Push]) {
    for subscriber in subscribers { push(items, to: subscriber.follower) }
  }

  func push(_ items: [Push], to follower: Follower) { follower.push(items, of: thread, from: context) }

  /// Pushes what is in the batch and empties it.
  func deliver(_ batch: inout [Push]) {
    guard !batch.isEmpty else { return }
    push(batch)
    batch.removeAll(keepingCapacity: true)
  }

  /// Hands all of them over. A last word is pushed to them by its caller, when this change is over: a follower on the same
  /// loop answers it at once by unfollowing.
  mutating func takeAll() -> Followers {
    defer { subscribers = [] }
    context.metrics.followers.add(-subscribers.count)
    return self
  }
}
