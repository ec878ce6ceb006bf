// Following a thread (rules.md E1). The connection reads what is stored at its own pace and then asks to go live; only
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
    _ thread: ThreadID, _ subscribe: SubscribeRequest, _ stream: UInt32, for connection: any ConnectionPort,
    then: @escaping @Sendable (FeedOpening) -> Void
  ) {
    let reply: @Sendable (FeedOpening) -> Void = { opening in connection.context.run { then(opening) } }
    onShard(of: thread) { shard in
      shard.session(thread, tenant: connection.tenant) { result in
        switch result {
        case .failure(let refusal): reply(.refused(refusal))
        case .success(let session):
          let waits = session.waitsForRelease(of: subscribe.after ?? 0) {
            self.openFeed(thread, subscribe, stream, for: connection, then: then)
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
          if subscribe.tree { shard.treeFollowers.add(session, connection, stream) }
          reply(.open(head: head, epoch: epoch))
          if subscribe.tree { shard.treeFollowers.tellOfLoaded(connection, stream) }
        }
      }
    }
  }

  /// Stored events behind `after`, for a follower that catches up.
  public func feedEvents(
    _ thread: ThreadID, after: UInt64, bytes: Int, for connection: any ConnectionPort,
    then: @escaping @Sendable (Result<[StoredEvent], Refusal>) -> Void
  ) {
    let limit = 1_024
    onShard(of: thread) { shard in
      if let session = shard.sessions[thread], session.isEphemeral {
        session.touch()
        let events = session.log.events(after: after, limit: limit, bytes: bytes)
        // Never at once: the next piece would be asked for on top of this one, and others wait for this loop.
        return connection.context.inbox.post { then(.success(events)) }
      }
      self.read(on: connection.context, .long(ObjectIdentifier(connection))) { reader, _ throws(StoreError) in
        try reader.events(thread, after: after, limit: limit, bytes: bytes)
      } then: { (result: Result<[StoredEvent], StoreError>) in
        then(result.mapError(\.refusal))
      }
    }
  }

  /// The follower has read up to `cursor`: from here on it is pushed to, unless more has happened meanwhile. What it has
  /// missed of unfinished items is pushed first. `ofTree`: it follows the agent because it follows the tree.
  public func goLive(
    _ thread: ThreadID, _ stream: UInt32, cursor: UInt64, ofTree: Bool = false, for connection: any ConnectionPort,
    then: @escaping @Sendable (FollowAnswer) -> Void
  ) {
    onShard(of: thread) { shard in
      shard.session(thread, tenant: connection.tenant) { result in
        switch result {
        case .failure(let refusal): connection.context.run { then(.gone(refusal)) }
        case .success(let session):
          let waits = session.waitsForRelease(of: cursor) {
            self.goLive(thread, stream, cursor: cursor, ofTree: ofTree, for: connection, then: then)
          }
          if waits { return }
          let answer = session.follow(connection, stream, cursor: cursor, ofTree: ofTree)
          guard case .live = answer else { return connection.context.run { then(answer) } }
          let missed = session.snapshots()
          connection.context.run {
            then(answer)
            if !missed.isEmpty { connection.push(stream, of: thread, missed) }
          }
        }
      }
    }
  }

  /// No more pushes about any thread to this stream, which follows a tree: its subscription has ended.
  public func unfollowTree(_ top: ThreadID, _ stream: UInt32, for connection: any ConnectionPort) {
    onShard(of: top) { shard in
      shard.sessions[top]?.unfollow(connection, stream)
      shard.treeFollowers.remove(connection, stream)
    }
  }

  /// No more pushes about this thread to this stream: it lags, or its subscription has ended.
  public func unfollow(_ thread: ThreadID, _ stream: UInt32, for connection: any ConnectionPort) {
    onShard(of: thread) { shard in shard.sessions[thread]?.unfollow(connection, stream) }
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
