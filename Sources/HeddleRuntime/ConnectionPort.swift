// A connection as the shards see it. The server implements it; tests and the simulator can.

import HeddleCore
import HeddleStorage

/// What a subscriber gets, in order.
public enum Push: Sendable {
  /// A numbered event, synced, as it is stored.
  case event(StoredEvent)
  case delta(ItemDelta)
  case snapshot(ItemSnapshot)
  case status(ThreadStatus)
  /// A call that this client may answer (rules.md A9).
  case call(ClientCall)
  /// Nobody's answer to this call of this thread counts any more.
  case callEnded(String, of: ThreadID)
  /// An agent of a tree that the stream follows is loaded: its events up to `head` are older than that (rules.md A12).
  case joined(head: UInt64, epoch: UInt64)
  /// The agent is not loaded any more; all that happened to it has been pushed.
  case unloaded
  /// Everything up to here has been sent; what happens follows.
  case live(UInt64)
  /// The session is no more, the thread is: read on from the log.
  case lapsed
  /// The thread is gone: the subscription ends.
  case ended(Refusal)
}

/// Where a follower stands after it asked to go live.
public enum FollowAnswer: Sendable {
  /// Pushes come from here on, the first of them behind this event; what the thread does by then.
  case live(head: UInt64, status: ThreadStatus)
  /// Events up to `head` have to be read first.
  case behind(head: UInt64)
  case gone(Refusal)
}

/// One connection. Every method is called on the connection's own loop.
public protocol ConnectionPort: AnyObject, Sendable {
  /// The loop that the connection lives on.
  var context: LoopContext { get }
  /// The tenant of its token.
  var tenant: String { get }
  /// Answers a request. With `follows`, the stream stays open and events of that thread come on it.
  func answer(_ request: PendingRequest, _ answer: Answer, follows: Followed?)
  /// Answers a request with the bytes that it was answered with before (rules.md E2).
  func answerStored(_ request: PendingRequest, _ response: [UInt8])
  /// Hands pushes about a thread to the subscription on `stream`.
  func push(_ stream: UInt32, of thread: ThreadID, _ items: [Push])
  /// A notice about some thread of the tenant.
  func notify(_ notice: SubscriptionEvent)
  /// The answer on this stream of the server's came too late, or was for something else.
  func refuseAnswer(_ stream: UInt32, _ method: Method, _ refusal: Refusal)
  /// The server stops taking work.
  func goAway(_ refusal: Refusal)
}

/// The thread that an answer's stream follows, and where it stands.
public struct Followed: Sendable {
  public var thread: ThreadID
  public var epoch: UInt64
  public var head: UInt64
  /// What the thread does by then.
  public var status: ThreadStatus
  /// The agents below it too.
  public var isTree: Bool
}

/// A request on its way through the server.
public struct PendingRequest: Sendable {
  public let connection: any ConnectionPort
  public let stream: UInt32
  public let method: Method
  /// The caller wants to follow the thread that this request starts, resumes or forks.
  public var wantsToFollow: Bool
  /// And the agents below it.
  public var wantsTree = false
  /// Set when the caller wants a retry to find this result.
  public var key: KeyContext?

  public init(
    connection: any ConnectionPort, stream: UInt32, method: Method, wantsToFollow: Bool = false, key: KeyContext? = nil
  ) {
    self.connection = connection
    self.stream = stream
    self.method = method
    self.wantsToFollow = wantsToFollow
    self.key = key
  }

  /// Answers from whatever loop this is.
  func answer(_ answer: Answer, follows: Followed? = nil) {
    let request = self
    connection.context.run { request.connection.answer(request, answer, follows: follows) }
  }

  func refuse(_ refusal: Refusal) { answer(.refused(refusal)) }
}

/// What makes a retry the same request (durability.md, exactly once).
public final class KeyContext: Sendable {
  public let tenant: String
  public let key: IdempotencyKey
  public let requestHash: [UInt8]

  public init(tenant: String, key: IdempotencyKey, requestHash: [UInt8]) {
    self.tenant = tenant
    self.key = key
    self.requestHash = requestHash
  }
}
