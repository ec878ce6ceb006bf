// Following a session: going live, and the text and calls that a follower has missed (Followers.N3).

import HeddleCore
import HeddleProtocol

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
    return .live(head: head, status: shown.status)
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
    var firstWaiting: [ItemID: ItemDelta] = [:]
    for case .delta(let delta) in releases.waiting where firstWaiting[delta.item] == nil {
      firstWaiting[delta.item] = delta
    }
    let open = machine.openTexts.filter { $0.startedBy <= head }.map(\.snapshot)
    return (endedTexts(firstWaiting) + open).compactMap { snapshot in
      var snapshot = snapshot
      if let delta = firstWaiting[snapshot.item] {
        snapshot.text = snapshot.text.prefix(utf8Bytes: Int(delta.offset))
      }
      return snapshot.text.isEmpty ? nil : .snapshot(snapshot)
    }
  }

  /// The whole texts of items that have ended for the machine and not for followers: deltas of them still wait, and behind
  /// these their end, which has the text that the machine has dropped.
  private func endedTexts(_ firstWaiting: [ItemID: ItemDelta]) -> [ItemSnapshot] {
    // The end of an item is read only for one whose beginning has been released.
    guard firstWaiting.values.contains(where: { $0.offset > 0 }) else { return [] }
    var texts: [ItemSnapshot] = []
    for case .event(let event) in releases.waiting {
      guard let item = shard.itemCompleted(by: event), let delta = firstWaiting[item.id] else { continue }
      texts.append(ItemSnapshot(turn: delta.turn, item: item.id, text: item.streamedText))
    }
    return texts
  }

  func unfollow(_ follower: Follower) {
    guard subscribers.remove(follower) else { return }
    touch()
    shard.makeRoomLater()
  }
}

extension Item {
  /// The text that deltas of the item make together.
  fileprivate var streamedText: String {
    switch kind {
    case .message(let message)?:
      if case .text(let text)? = message.content.first?.part { text } else { "" }
    case .reasoning(let reasoning)?: reasoning.summary.first ?? ""
    default: ""
    }
  }
}
