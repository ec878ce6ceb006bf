// Calls of the server as events of a subscription (rules.md A14), for clients that have no streams of the server's. They
// answer by CallService/Answer.
//
// N1  A call is in `open` from its `call` until its `call_ended`; the subscription gets each of them once.
// N2  A subscription that was behind gets the calls that are open when it is live again, and the end of those that have
//     ended meanwhile. Nothing is kept for it in between.

import HeddleCore
import HeddleRuntime

/// The calls that came on one subscription as events.
struct AnnouncedCalls {
  /// More than all agents of a tree have open at once by default.
  static let most = 1_024

  let can: ClientFeatures
  var open: [ClientCall] = []

  init(_ kinds: [CallKind]) { can = ClientFeatures(kinds) }

  func wants(_ call: ClientCall) -> Bool {
    can.covers(call) && open.count < Self.most && !open.contains { $0.isSame(as: call) }
  }

  /// Takes out the calls for which this holds.
  mutating func remove(where isMeant: (ClientCall) -> Bool) -> [ClientCall] {
    let removed = open.filter(isMeant)
    if !removed.isEmpty { open.removeAll(where: isMeant) }
    return removed
  }
}

extension Caller {
  /// Sends the call as an event if the subscription answers its kind.
  func announce(_ call: ClientCall, _ subscription: Subscription, _ stream: UInt32) {
    guard subscription.calls?.wants(call) == true else { return }
    subscription.calls?.open.append(call)
    write(event(.call(OpenCall(call)), of: call.thread, subscription), on: stream)
  }

  func announceEnd(_ callID: String, of owner: ThreadID, _ subscription: Subscription, _ stream: UInt32) {
    let ended = subscription.calls?.remove { $0.call.callId == callID && $0.thread == owner } ?? []
    announceEnd(of: ended, subscription, stream)
  }

  /// N2. The pushes have every open call of the thread, and of its agents if it is a root.
  func endMissedCalls(_ stream: UInt32, _ name: FeedName, open pushes: [Push]) {
    guard let subscription = subscriptions[stream], subscription.calls?.open.isEmpty == false,
      subscriptions.feed(name, stream)?.feed.state == .live
    else { return }
    let open = pushes.compactMap { if case .call(let call) = $0 { call } else { nil } }
    let ended = subscription.calls?.remove { call in
      (call.thread == name.thread || call.root == name.thread) && !open.contains { $0.isSame(as: call) }
    }
    announceEnd(of: ended ?? [], subscription, stream)
  }

  private func announceEnd(of ended: [ClientCall], _ subscription: Subscription, _ stream: UInt32) {
    for call in ended {
      let end = CallEnded(thread: call.thread, turn: call.turn, callId: call.call.callId)
      write(event(.callEnded(end), of: call.thread, subscription), on: stream)
    }
  }

  private func event(
    _ kind: SubscriptionEvent.Kind, of thread: ThreadID, _ subscription: Subscription
  ) -> SubscriptionEvent {
    SubscriptionEvent(kind: kind, thread: thread == subscription.thread ? nil : thread)
  }
}
