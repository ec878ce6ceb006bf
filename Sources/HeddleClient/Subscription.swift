// The events of one thread, in order and without gaps, across connections that come and go.

import HeddleCore

/// The messages of a subscription, for one consumer. It goes on over lost connections, behind the last event that was
/// taken; it throws when that cannot be, and when the server refuses it. The server sends at most the credit ahead of
/// the consumer. It ends with `close()`, and when it and its iterators are let go.
public final class Subscription: AsyncSequence, Sendable {
  public typealias Element = SubscriptionEvent

  // A client that is let go closes itself.
  private let client: HeddleClient
  private let core: ClientCore
  private let id: UInt64
  private let inbox: Inbox

  init(_ client: HeddleClient, _ core: ClientCore, _ asked: SubscribeRequest) {
    self.client = client
    self.core = core
    let id = core.nextFollowing()
    let inbox = Inbox(cursor: asked.after, credit: asked.credit ?? core.configuration.credit)
    self.id = id
    self.inbox = inbox
    core.onLoop { $0.follow(asked, id, inbox) }
  }

  deinit {
    core.onLoop { [id] in $0.close(following: id) }
  }

  /// The next message; nil: the subscription is closed. A consumer that is cancelled loses nothing.
  public func next() async throws -> SubscriptionEvent? {
    guard let (message, isHalf) = inbox.take() else { return try await core.next(id) }
    if isHalf { core.onLoop { [id] in $0.giveBack(id) } }
    return message
  }

  /// Returns when the server follows the thread: what happens from then on will come.
  public func opened() async throws { try await core.opened(id) }

  public func close() async { await core.close(following: id) }

  public func makeAsyncIterator() -> Iterator { Iterator(subscription: self) }

  public struct Iterator: AsyncIteratorProtocol {
    let subscription: Subscription

    public mutating func next() async throws -> SubscriptionEvent? { try await subscription.next() }
  }
}
