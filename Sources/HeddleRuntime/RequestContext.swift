// A request on its way through the server: on whose behalf it runs, and where its answer goes. Doors make both; nothing
// else in the runtime knows what a connection is.

import HeddleCore

/// On whose behalf a request runs.
public struct RequestContext: Sendable {
  public let tenant: String
  public let method: Method
  /// Where the answer goes.
  public let reply: Reply
  /// The caller wants to follow the thread that this request starts, resumes or forks.
  public var wantsToFollow = false
  /// And the agents below it.
  public var wantsTree = false
  /// Set when the caller wants a retry to find this result.
  public var key: KeyContext?

  public init(tenant: String, method: Method, reply: Reply, key: KeyContext? = nil) {
    self.tenant = tenant
    self.method = method
    self.reply = reply
    self.key = key
  }
}

/// Where the answer to one request goes. It is told once, on the loop where the request came in.
public struct Reply: Sendable {
  private enum Destination: Sendable {
    case caller(any CallerPort, UInt32)
    /// The runtime itself waits for the answer.
    case body(LoopContext, @Sendable (Answer) -> Void)
  }

  private let destination: Destination

  /// To a caller, on one of its streams.
  public init(to caller: any CallerPort, _ stream: UInt32) { destination = .caller(caller, stream) }

  /// To work of the runtime's own, on a loop.
  init(on context: LoopContext, _ body: @escaping @Sendable (Answer) -> Void) { destination = .body(context, body) }

  /// The loop where the request came in.
  var context: LoopContext {
    switch destination {
    case .caller(let caller, _): caller.context
    case .body(let context, _): context
    }
  }

  /// Whose turn a long read takes (ReadPool.swift, L2).
  var reader: ObjectIdentifier {
    switch destination {
    case .caller(let caller, _): ObjectIdentifier(caller)
    case .body(let context, _): ObjectIdentifier(context)
    }
  }

  /// The stream that may go on as a subscription; nil: nobody follows this answer.
  var follower: Follower? {
    guard case .caller(let caller, let stream) = destination else { return nil }
    return Follower(caller, stream)
  }

  /// Answers from the loop of `context`: at once when the request came in there, else with that loop's next batch.
  func send(_ answer: Answer, follows: Followed? = nil, from context: LoopContext) {
    // Nothing is handed over, and nothing made for it, when the caller is on this loop.
    if case .caller(let caller, let stream) = destination, caller.context === context {
      return caller.answer(stream, answer, follows: follows)
    }
    send(answer, follows: follows)
  }

  /// Answers from whatever thread this is.
  public func send(_ answer: Answer, follows: Followed? = nil) {
    switch destination {
    case .caller(let caller, let stream): caller.context.run { caller.answer(stream, answer, follows: follows) }
    case .body(let context, let body): context.run { body(answer) }
    }
  }

  /// Answers with the bytes of the first answer. Work of the runtime's own has no key, so nothing is stored for it.
  func send(stored response: [UInt8]) {
    guard case .caller(let caller, let stream) = destination else { return }
    caller.context.run { caller.answer(stream, stored: response) }
  }

  public func refuse(_ refusal: Refusal) { send(.refused(refusal)) }
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
