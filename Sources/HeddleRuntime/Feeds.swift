// Following a thread (rules.md E1). The caller reads what is stored at its own pace and then asks to go live; only
// then does the shard push. A follower that lags goes back to reading, so lag costs nothing (durability.md, slow consumers).

import HeddleCore
import HeddleProtocol
import HeddleStorage
import NIOCore

extension SessionManager {
  /// Checks where a subscription wants to begin (durability.md, honest limits).
  public func openFeed(_ thread: ThreadID, _ subscribe: SubscribeRequest, for follower: Follower) {
    let shard = shard(of: thread)
    shard.context.run {
      Task.immediate(executorPreference: shard.context) {
        do throws(Refusal) {
          let session = try await shard.session(thread, tenant: follower.tenant)
          self.open(session, subscribe, for: follower)
        } catch { follower.opened(subscribe, .refused(error)) }
      }
    }
  }

  private func open(_ session: Session, _ subscribe: SubscribeRequest, for follower: Follower) {
    let head = session.durable
    if session.releases.isAboutToRelease(subscribe.after ?? 0) {
      return session.waits.ahead.append { self.openFeed(session.id, subscribe, for: follower) }
    }
    let epoch = session.machine.identity.epoch
    if let wanted = subscribe.epoch, wanted != epoch {
      return follower.opened(subscribe, .refused(Refusal(.epochMismatch, [("epoch", "\(epoch)")])))
    }
    if let after = subscribe.after, after > head {
      return follower.opened(subscribe, .refused(Refusal(.futureSeq, [("head", "\(head)")])))
    }
    // Before the answer, which may end it again; its agents behind the answer.
    let trees = session.shard.treeFollowers
    if subscribe.tree { trees.add(session, follower) }
    follower.opened(subscribe, .open(head: head, epoch: epoch))
    if subscribe.tree { trees.notifyOfLoaded(follower) }
  }

  /// Stored events behind `after`, for a follower that catches up.
  public func feedEvents(_ feed: FeedName, after: UInt64, to head: UInt64, bytes: Int, for follower: Follower) {
    let limit = 1_024
    let (caller, stream) = (follower.caller, follower.stream)
    let shard = shard(of: feed.thread)
    shard.context.run {
      if let session = shard.sessions[feed.thread], session.isEphemeral {
        session.touch()
        let events = session.log.events(after: after, limit: limit, bytes: bytes)
        // Never at once: the next piece would be asked for on top of this one, and others wait for this loop.
        return caller.context.inbox.post { caller.read(stream, feed, .success(events), to: head) }
      }
      self.store.read(.long(ObjectIdentifier(caller))) { reader, _ throws(StoreError) in
        try reader.events(feed.thread, after: after, limit: limit, bytes: bytes)
      } completion: { (result: Result<[StoredEvent], StoreError>) in
        caller.context.inbox.post { caller.read(stream, feed, result.mapError(\.refusal), to: head) }
      }
    }
  }

  /// The follower has read up to `cursor`: from here on it is pushed to, unless more has happened meanwhile. What it has
  /// missed of unfinished items is pushed first. `ofTree`: it follows the agent because it follows the tree.
  public func goLive(_ feed: FeedName, cursor: UInt64, ofTree: Bool = false, for follower: Follower) {
    let shard = shard(of: feed.thread)
    shard.context.run {
      if let session = shard.sessions[feed.thread], session.tenant == follower.tenant {
        return self.goLive(session, feed, cursor, ofTree, follower)
      }
      Task.immediate(executorPreference: shard.context) {
        do throws(Refusal) {
          let session = try await shard.session(feed.thread, tenant: follower.tenant)
          self.goLive(session, feed, cursor, ofTree, follower)
        } catch { follower.went(feed, .gone(error), missed: []) }
      }
    }
  }

  private func goLive(
    _ session: Session, _ feed: FeedName, _ cursor: UInt64, _ ofTree: Bool, _ follower: Follower
  ) {
    session.touch()
    if session.releases.isAboutToRelease(cursor) {
      return session.waits.ahead.append { self.goLive(feed, cursor: cursor, ofTree: ofTree, for: follower) }
    }
    let answer = session.follow(follower, cursor: cursor, ofTree: ofTree)
    guard case .live = answer else { return follower.went(feed, answer, missed: []) }
    follower.went(feed, answer, missed: session.snapshots())
  }

  /// No more pushes about any thread to this stream, which follows a tree: its subscription has ended.
  public func unfollowTree(_ top: ThreadID, for follower: Follower) {
    let shard = shard(of: top)
    shard.context.run {
      shard.sessions[top]?.unfollow(follower)
      shard.treeFollowers.remove(follower)
    }
  }

  /// No more pushes about this thread to this stream: it lags, or its subscription has ended.
  public func unfollow(_ thread: ThreadID, for follower: Follower) {
    let shard = shard(of: thread)
    shard.context.run { shard.sessions[thread]?.unfollow(follower) }
  }

  /// The history of an ephemeral thread, which only its shard has; nil for any other thread.
  public func ephemeralHistory(_ thread: ThreadID, tenant: String) async -> StoredHistory? {
    let shard = shard(of: thread)
    return await withCheckedContinuation { continuation in
      shard.context.run {
        let session = shard.sessions[thread].flatMap { $0.isEphemeral && $0.tenant == tenant ? $0 : nil }
        session?.touch()
        continuation.resume(returning: session.map { StoredHistory($0) })
      }
    }
  }
}

extension Follower {
  fileprivate func opened(_ subscribe: SubscribeRequest, _ opening: FeedOpening) {
    caller.context.run { caller.opened(stream, subscribe, opening) }
  }

  /// The answer, then the parts of unfinished items that the follower has missed.
  fileprivate func went(_ feed: FeedName, _ answer: FollowAnswer, missed: [Push]) {
    caller.context.run { caller.wentLive(stream, feed, answer, missed: missed) }
  }
}
