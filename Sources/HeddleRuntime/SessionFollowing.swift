// Following a session: going live, and the text and calls that a follower has missed (Followers.N3).

import HeddleCore

extension Session {
  /// A follower that has read up to `cursor` wants to be pushed what comes (rules.md E1).
  func follow(_ follower: Follower, cursor: UInt64, ofTree: Bool) -> FollowAnswer {
    touch()
    let head = releasedHead
    // Beyond what has been handed to the store: of another log.
    guard cursor <= head else { return .gone(Refusal(.futureSeq, [("head", "\(head)")])) }
    guard cursor == head else { return .behind(head: head) }
    unfollow(follower)
    subscribers.add(follower, isOfTree: ofTree)
    return .live(head: head, status: toldStatus)
  }

  /// The parts of unfinished items that a follower missed before it went live: their text up to the first delta that
  /// it will still be pushed.
  func snapshots() -> [Push] {
    texts(releasedHead) + openCalls() + (root == id ? shard.treeFollowers.openCalls(of: id) : [])
  }

  /// Calls that clients have been asked and have not answered. Calls that are still to be released come by themselves.
  func openCalls() -> [Push] {
    machine.openClientCalls.filter { call in
      !releases.waiting.contains { if case .askClient(call) = $0 { true } else { false } }
    }
    .map { .call($0) }
  }

  private func texts(_ head: UInt64) -> [Push] {
    machine.openTexts.compactMap { open in
      guard open.startedBy <= head else { return nil }
      var snapshot = open.snapshot
      for case .delta(let delta) in releases.waiting where delta.item == snapshot.item {
        snapshot.text = snapshot.text.prefix(utf8Bytes: Int(delta.offset))
        break
      }
      return snapshot.text.isEmpty ? nil : .snapshot(snapshot)
    }
  }

  func unfollow(_ follower: Follower) {
    guard subscribers.remove(follower) else { return }
    touch()
    shard.makeRoomLater()
  }
}
