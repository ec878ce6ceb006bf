// A caller as the shards see it, whatever door it came in by. HeddleService implements it; tests and the simulator can.

import HeddleCore
import HeddleStorage

/// A delivery to a subscriber. Deliveries arrive in order.
public enum Push: Sendable {
  /// A numbered event, synced, as it is stored.
  case event(StoredEvent)
  case delta(ItemDelta)
  case snapshot(ItemSnapshot)
  case status(ThreadStatus)
  /// A call that this client may answer (rules.md A9).
  case call(ClientCall)
  /// The answer to a call, on this stream of the server's, came too late, or was for something else. In a box: it is rare,
  /// and an event is pushed to many.
  indirect case answerRefused(Method, Refusal)
  /// Nobody's answer to this call of this thread counts any more.
  case callEnded(String, of: ThreadID)
  /// An agent of a tree that the stream follows is loaded: its events up to `head` are older than that (rules.md A12).
  case joined(head: UInt64, epoch: UInt64)
  /// The agent is not loaded any more; all that happened to it has been pushed.
  case unloaded
  /// Everything up to here has been sent; what happens follows.
  case live(UInt64)
  /// The session has ended, the thread exists: read on from the log.
  case lapsed
  /// The thread is gone: the subscription ends.
  case ended(Refusal)
}

/// The answer to a follower that asked to go live.
public enum FollowAnswer: Sendable {
  /// Pushes come from here on, the first of them after this event; `status` is the thread's at that point.
  case live(head: UInt64, status: ThreadStatus)
  /// Events up to `head` have to be read first.
  case behind(head: UInt64)
  case gone(Refusal)
}

/// Where a subscription may begin, or why not.
public enum FeedOpening: Sendable {
  case open(head: UInt64, epoch: UInt64)
  case refused(Refusal)
}

/// One thread of a subscription, as its caller numbers it: a later subscription to the same thread has another number.
public struct FeedName: Sendable {
  public let thread: ThreadID
  public let number: UInt64

  public init(_ thread: ThreadID, _ number: UInt64) {
    self.thread = thread
    self.number = number
  }
}

/// One caller: a loop of its own, and a number for each of its streams. Every method is called on that loop.
public protocol CallerPort: ReplyTarget {
  /// Hands pushes about a thread to the subscription on `stream`.
  func push(_ stream: UInt32, of thread: ThreadID, _ items: [Push])
  /// The thread that the subscription on `stream` asked for has been found, or not.
  func opened(_ stream: UInt32, _ subscribe: SubscribeRequest, _ opening: FeedOpening)
  /// Stored events that the feed asked for on its way to `head`.
  func read(_ stream: UInt32, _ feed: FeedName, _ events: Result<[StoredEvent], Refusal>, to head: UInt64)
  /// Answers the feed that asked to go live, before its first push. `missed`: the parts of unfinished items that it has
  /// missed, and every call that is open.
  func wentLive(_ stream: UInt32, _ feed: FeedName, _ answer: FollowAnswer, missed: [Push])
  /// A notice about some thread of the tenant.
  func notify(_ notice: SubscriptionEvent)
  /// The server stops taking work.
  func goAway(_ refusal: Refusal)
}

extension CallerPort {
  public func follower(_ stream: UInt32) -> Follower? { Follower(self, stream) }
}

/// The thread that an answer's stream follows, and where it stands.
public struct Followed: Sendable {
  public var thread: ThreadID
  public var epoch: UInt64
  public var head: UInt64
  /// The thread's status at `head`.
  public var status: ThreadStatus
  /// The agents below it too.
  public var isTree: Bool
}

/// One stream of a caller that follows a thread or a tree.
public struct Follower: Sendable {
  public let caller: any CallerPort
  public let stream: UInt32

  public init(_ caller: any CallerPort, _ stream: UInt32) {
    self.caller = caller
    self.stream = stream
  }

  public var tenant: String { caller.tenant }

  func isSame(as other: Follower) -> Bool { caller === other.caller && stream == other.stream }

  /// Delivers pushes from a shard's loop: at once when the caller lives there, else with that loop's next batch.
  func push(_ items: [Push], of thread: ThreadID, from context: LoopContext) {
    // Not by `run`, which would need a closure for each of many subscribers.
    if caller.context === context { return caller.push(stream, of: thread, items) }
    pushLater(items, of: thread)
  }

  /// Delivers pushes after everything that the caller's loop does now.
  func pushLater(_ items: [Push], of thread: ThreadID) {
    caller.context.inbox.post { [caller, stream] in caller.push(stream, of: thread, items) }
  }
}
