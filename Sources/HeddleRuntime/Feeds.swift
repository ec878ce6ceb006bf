// Following a thread (rules.md E1). The caller reads what is stored at its own pace and then asks to go live; only
// then does the shard push. A follower that lags goes back to reading, so lag costs nothing (durability.md, slow consumers).

import HeddleCore
import HeddleProtocol
import HeddleStorage
import NIOCore

/// Where a subscription may begin, or why not.
public enum FeedOpening: Sendable {
  case open(head: UInt64, epoch: UInt64)
  case refused(Refusal)
}

extension SessionManager {
  /// Checks where a subscription wants to begin (durability.md, honest limits).
  public func openFeed(
    _ thread: ThreadID, _ subscribe: SubscribeRequest, for follower: Follower,
    then: @escaping @Sendable (FeedOpening) -> Void
  ) {
    let reply: @Sendable (FeedOpening) -> Void = { opening in follower.onLoop { then(opening) } }
    onShard(of: thread) { shard in
      shard.session(thread, tenant: follower.tenant) { result in
        switch result {
        case .failure(let refusal): reply(.refused(refusal))
        case .success(let session):
          let waits = session.waitsForRelease(of: subscribe.after ?? 0) {
            self.openFeed(thread, subscribe, for: follower, then: then)
          }
          if waits { return }
          let epoch = session.machine.identity.epoch
          let head = session.durable
          if let wanted = subscribe.epoch, wanted != epoch {
            return reply(.refused(Refusal(.epochMismatch, [("epoch", "\(epoch)")])))
          }
          if let after = subscribe.after, after > head {
            return reply(.refused(Refusal(.futureSeq, [("head", "\(head)")])))
          }
          // Before the answer, which may end it again; its agents behind the answer.
          if subscribe.tree { shard.treeFollowers.add(session, follower) }
          reply(.open(head: head, epoch: epoch))
          if subscribe.tree { shard.treeFollowers.tellOfLoaded(follower) }
        }
      }
    }
  }

  /// Stored events behind `after`, for a follower that catches up.
  public func feedEvents(
    _ thread: ThreadID, after: UInt64, bytes: Int, for follower: Follower,
    then: @escaping @Sendable (Result<[StoredEvent], Refusal>) -> Void
  ) {
    let limit = 1_024
    onShard(of: thread) { shard in
      if let session = shard.sessions[thread], session.isEphemeral {
        session.touch()
        let events = session.log.events(after: after, limit: limit, bytes: bytes)
        // Never at once: the next piece would be asked for on top of this one, and others wait for this loop.
        return follower.caller.context.inbox.post { then(.success(events)) }
      }
      self.read(on: follower.caller.context, .long(ObjectIdentifier(follower.caller))) { reader, _ throws(StoreError) in
        try reader.events(thread, after: after, limit: limit, bytes: bytes)
      } then: { (result: Result<[StoredEvent], StoreError>) in
        then(result.mapError(\.refusal))
      }
    }
  }

  /// The follower has read up to `cursor`: from here on it is pushed to, unless more has happened meanwhile. What it has
  /// missed of unfinished items is pushed first. `ofTree`: it follows the agent because it follows the tree.
  public func goLive(
    _ thread: ThreadID, cursor: UInt64, ofTree: Bool = false, for follower: Follower,
    then: @escaping @Sendable (FollowAnswer) -> Void
  ) {
    onShard(of: thread) { shard in
      shard.session(thread, tenant: follower.tenant) { result in
        switch result {
        case .failure(let refusal): follower.onLoop { then(.gone(refusal)) }
        case .success(let session):
          let waits = session.waitsForRelease(of: cursor) {
            self.goLive(thread, cursor: cursor, ofTree: ofTree, for: follower, then: then)
          }
          if waits { return }
          let answer = session.follow(follower, cursor: cursor, ofTree: ofTree)
          guard case .live = answer else { return follower.onLoop { then(answer) } }
          let missed = session.snapshots()
          follower.onLoop {
            then(answer)
            if !missed.isEmpty { follower.caller.push(follower.stream, of: thread, missed) }
          }
        }
      }
    }
  }

  /// No more pushes about any thread to this stream, which follows a tree: its subscription has ended.
  public func unfollowTree(_ top: ThreadID, for follower: Follower) {
    onShard(of: top) { shard in
      shard.sessions[top]?.unfollow(follower)
      shard.treeFollowers.remove(follower)
    }
  }

  /// No more pushes about this thread to this stream: it lags, or its subscription has ended.
  public func unfollow(_ thread: ThreadID, for follower: Follower) {
    onShard(of: thread) { shard in shard.sessions[thread]?.unfollow(follower) }
  }

  /// The history of an ephemeral thread, which only its shard has; nil for any other thread.
  public func ephemeralHistory(
    _ thread: ThreadID, tenant: String, on context: LoopContext, then: @escaping @Sendable (StoredHistory?) -> Void
  ) {
    onShard(of: thread) { shard in
      let session = shard.sessions[thread]
      let isOurs = session.map { $0.isEphemeral && $0.machine.identity.tenant == tenant } ?? false
      if isOurs { session?.touch() }
      let history = isOurs ? session.map { StoredHistory($0) } : nil
      context.run { then(history) }
    }
  }
}
