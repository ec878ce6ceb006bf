// A request on its way through the server: the caller that it runs for, and the destination of its answer. Doors make
// both; nothing else in the runtime knows connections.

import HeddleCore

/// The caller that a request runs for. Small, because it is handed on several times before its answer.
public struct RequestContext: Sendable {
  /// The destination of the answer.
  public let reply: Reply
  public let method: Method
  /// The caller wants to follow the thread that this request starts, resumes or forks.
  public var wantsToFollow = false
  /// And the agents below it.
  public var wantsTree = false
  /// Nil for most requests.
  public var beside: Beside?

  public init(_ method: Method, _ reply: Reply) {
    self.method = method
    self.reply = reply
  }

  public var tenant: String { reply.target.tenant }
  /// Set when the caller wants a retry to find this result.
  public var key: KeyContext? { beside?.key }
  public var trace: TraceContext? { beside?.trace }
}

/// A receiver of answers. Every method is called on its loop.
public protocol ReplyTarget: AnyObject, Sendable {
  /// The loop where its requests come in.
  var context: LoopContext { get }
  var tenant: String { get }
  /// Answers the request on this stream. With `follows`, the stream stays open and events of that thread come on it.
  func answer(_ stream: UInt32, _ answer: Answer, follows: Followed?)
  /// The stream as one that may go on as a subscription; nil: no subscription follows this answer.
  func follower(_ stream: UInt32) -> Follower?
}

/// The destination of the answer to one request. The answer is given once, on the loop where the request came in.
public struct Reply: Sendable {
  fileprivate let target: any ReplyTarget
  private let stream: UInt32

  /// To a caller, on one of its streams.
  public init(to caller: any CallerPort, _ stream: UInt32) {
    target = caller
    self.stream = stream
  }

  /// To work of the runtime's own, on a loop.
  init(on context: LoopContext, tenant: String, _ waiter: CheckedContinuation<Answer, Never>) {
    target = OwnWork(context: context, tenant: tenant, waiter)
    stream = 0
  }

  /// The loop where the request came in.
  var context: LoopContext { target.context }

  /// The caller whose turn a long read takes (ReadPool.L2).
  var reader: ObjectIdentifier { ObjectIdentifier(target) }

  var follower: Follower? { target.follower(stream) }

  /// Answers from the loop of `context`: at once when the request came in there, else with that loop's next batch.
  func send(_ answer: Answer, follows: Followed? = nil, from context: LoopContext) {
    // Nothing is handed over, and nothing made for it, when the caller is on this loop.
    if target.context === context { return target.answer(stream, answer, follows: follows) }
    send(answer, follows: follows)
  }

  /// Answers from any thread.
  public func send(_ answer: Answer, follows: Followed? = nil) {
    target.context.run { [target, stream] in target.answer(stream, answer, follows: follows) }
  }

  /// Answers with the bytes of the first answer.
  func send(stored response: [UInt8]) { send(.stored(response)) }

  public func refuse(_ refusal: Refusal) { send(.refused(refusal)) }
}

/// Work of the runtime's own that waits for an answer. It has no key, so nothing is stored for it, and it follows nothing.
private final class OwnWork: ReplyTarget {
  let context: LoopContext
  let tenant: String
  private let waiter: CheckedContinuation<Answer, Never>

  init(context: LoopContext, tenant: String, _ waiter: CheckedContinuation<Answer, Never>) {
    self.context = context
    self.tenant = tenant
    self.waiter = waiter
  }

  func answer(_ stream: UInt32, _ answer: Answer, follows: Followed?) { waiter.resume(returning: answer) }
  func follower(_ stream: UInt32) -> Follower? { nil }
}

/// A request's key and its trace, apart from it because few requests have either and contexts are handed on often.
public final class Beside: Sendable {
  public let key: KeyContext?
  public let trace: TraceContext?

  public init(key: KeyContext?, trace: TraceContext?) {
    self.key = key
    self.trace = trace
  }
}

/// The identity of a request that may be retried (durability.md, exactly once).
public struct KeyContext: Sendable {
  public let tenant: String
  public let key: IdempotencyKey
  public let requestHash: [UInt8]

  public init(tenant: String, key: IdempotencyKey, requestHash: [UInt8]) {
    self.tenant = tenant
    self.key = key
    self.requestHash = requestHash
  }
}
