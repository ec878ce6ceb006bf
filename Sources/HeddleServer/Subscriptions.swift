// Feeds of one connection (rules.md E1, E3). A subscription is a cursor and a state:
//
//   opening   the thread is being asked where it stands.                      → reading, goingLive, gone
//   reading   stored events behind the cursor are on their way here.          → reading, waiting, goingLive, gone
//   waiting   the socket or the credit is full; nothing is held for it.       → reading
//   goingLive the shard has been asked to push what comes behind the cursor.  → live, reading, gone
//   live      pushes follow the cursor.                                        → waiting, gone
//
// U1  Events go out as cursor + 1, cursor + 2, …: a push that does not follow sends the subscription back to reading.
// U2  What does not fit is not kept: numbered events are in the log, deltas become one snapshot when it is live again,
//     and of what the thread did meanwhile the last is told.

import HeddleCore
import HeddleProtocol
import HeddleRuntime
import HeddleStorage
import NIOCore

/// One subscription. A class, because what changes with every event is changed where it is. Confined to its connection.
final class Subscription {
  enum State { case opening, reading, waiting, goingLive, live }

  let thread: ThreadID?
  var state: State
  /// The last event that went out.
  var cursor: UInt64 = 0
  var wantsEvents = true
  var wantsDeltas = true
  var wantsStatus = true
  /// Bytes that may still go out; nil: no bound.
  var credit: Int?
  /// Reads in a row that brought nothing although there was something.
  var emptyReads = 0
  /// The Live mark has been sent.
  var saidLive = false
  /// What the client knows that the thread does.
  var status = ThreadStatus()
  var lastSentAt: Int64

  init(thread: ThreadID?, state: State, lastSentAt: Int64) {
    self.thread = thread
    self.state = state
    self.lastSentAt = lastSentAt
  }

  var isFull: Bool { credit.map { $0 <= 0 } ?? false }

  func spend(_ bytes: Int, at now: Int64) {
    credit = credit.map { $0 - bytes }
    lastSentAt = now
  }
}

extension Connection {
  /// Bytes that one read of the log may bring.
  private static let readBytes = 128 * 1024

  // MARK: Beginning and ending

  /// ThreadService/Subscribe.
  func subscribe(_ subscribe: SubscribeRequest, _ request: PendingRequest) {
    guard subscribe.thread.map({ followed[$0] == nil }) ?? (lifecycleStream == nil) else {
      return answer(request, .refused(Refusal(.subscribed)), follows: nil)
    }
    if let refusal = reserveSubscription() { return answer(request, .refused(refusal), follows: nil) }
    let subscription = Subscription(thread: subscribe.thread, state: .opening, lastSentAt: now)
    if !subscribe.kinds.isEmpty {
      subscription.wantsEvents = subscribe.kinds.contains(.events)
      subscription.wantsDeltas = subscribe.kinds.contains(.deltas)
      subscription.wantsStatus = subscribe.kinds.contains(.status)
    }
    subscription.credit = subscribe.credit.map { Int($0) }
    subscriptions[request.stream] = subscription
    guard let thread = subscribe.thread else { return followLifecycle(request) }
    followed[thread] = request.stream
    core.manager.openFeed(thread, subscribe, for: self) { opening in self.opened(request, subscribe, opening) }
  }

  private func followLifecycle(_ request: PendingRequest) {
    lifecycleStream = request.stream
    subscriptions[request.stream]?.state = .live
    core.manager.followLifecycle(self, true)
    openStream(request, head: 0, epoch: 0)
  }

  private func opened(_ request: PendingRequest, _ subscribe: SubscribeRequest, _ opening: FeedOpening) {
    let stream = request.stream
    guard subscriptions[stream] != nil else {
      // Cancelled while it opened: the caller has its answer.
      return answer(request, .refused(Refusal(.cancelled)), follows: nil)
    }
    switch opening {
    case .refused(let refusal):
      forgetSubscription(stream)
      answer(request, .refused(refusal), follows: nil)
    case .open(let head, let epoch):
      subscriptions[stream]?.cursor = subscribe.after ?? head
      openStream(request, head: head, epoch: epoch)
      advance(stream, head: head)
    }
  }

  /// The first answer: without the end flag, because events follow.
  private func openStream(_ request: PendingRequest, head: UInt64, epoch: UInt64) {
    _ = freeSlot(request.stream)
    let subscribed = Subscribed(head: head, oldest: 1, epoch: epoch)
    send(.response, request.method, request.stream, 0, SubscriptionEvent(kind: .subscribed(subscribed)))
    closeIfDone()
  }

  /// Start, Resume and Fork: the answer's own stream follows the thread from where the answer stands (rules.md T1).
  func startFollowing(_ follows: Followed, _ stream: UInt32) -> Bool {
    guard followed[follows.thread] == nil, reserveSubscription() == nil else {
      core.manager.unfollow(follows.thread, stream, for: self)
      return false
    }
    let subscription = Subscription(thread: follows.thread, state: .live, lastSentAt: now)
    subscription.cursor = follows.head
    subscription.saidLive = true
    subscription.status = follows.status
    subscriptions[stream] = subscription
    followed[follows.thread] = stream
    return true
  }

  private func reserveSubscription() -> Refusal? {
    guard subscriptions.count < Int(core.limits.subscriptions), core.quotas.subscribed(tenant: tenant) else {
      return Refusal(.tooManySubscriptions, [("limit", "\(core.limits.subscriptions)")])
    }
    return nil
  }

  /// ThreadService/Unsubscribe; the subscription's own stream ends with CANCELLED.
  func unsubscribe(_ thread: ThreadID?) -> Bool {
    guard let stream = thread.map({ followed[$0] }) ?? lifecycleStream else { return false }
    endSubscription(stream, telling: Refusal(.cancelled))
    return true
  }

  func endSubscription(_ stream: UInt32, telling refusal: Refusal) {
    guard subscriptions[stream] != nil else { return }
    // Still opening: its request is answered once, and that is its end.
    if inFlight[stream] != nil { return abandon(stream, .threadSubscribe, refusal) }
    forgetSubscription(stream)
    send(.error, .threadSubscribe, stream, FrameHeader.endOfStream, refusal.wire)
  }

  /// Takes the subscription away without a word; nothing if there is none.
  func forgetSubscription(_ stream: UInt32) {
    guard let subscription = subscriptions.removeValue(forKey: stream) else { return }
    core.quotas.unsubscribed(tenant: tenant)
    if let thread = subscription.thread {
      followed[thread] = nil
      if phase == .open { endCalls(of: thread) }
      core.manager.unfollow(thread, stream, for: self)
    } else {
      lifecycleStream = nil
      core.manager.followLifecycle(self, false)
    }
  }

  func endAllSubscriptions() {
    for stream in Array(subscriptions.keys) { forgetSubscription(stream) }
  }

  // MARK: Catching up

  /// What comes next for a subscription that is not live.
  private func advance(_ stream: UInt32, head: UInt64) {
    guard let subscription = subscriptions[stream], let thread = subscription.thread else { return }
    guard hasRoom, !subscription.isFull else {
      subscriptions[stream]?.state = .waiting
      return
    }
    if subscription.cursor < head {
      subscriptions[stream]?.state = .reading
      core.manager.feedEvents(thread, after: subscription.cursor, bytes: Self.readBytes, for: self) { result in
        self.read(stream, result, head)
      }
    } else {
      subscriptions[stream]?.state = .goingLive
      core.manager.goLive(thread, stream, cursor: subscription.cursor, for: self) { self.went(stream, thread, $0) }
    }
  }

  private func read(_ stream: UInt32, _ result: Result<[StoredEvent], Refusal>, _ head: UInt64) {
    guard let subscription = subscriptions[stream], subscription.state == .reading else { return }
    switch result {
    case .failure(let refusal): endSubscription(stream, telling: refusal)
    case .success(let events):
      for event in events {
        guard hasRoom, subscriptions[stream]?.isFull == false else { break }
        send(event, on: stream, replayed: true)
      }
      flush()
      guard events.isEmpty else {
        subscription.emptyReads = 0
        return advance(stream, head: head)
      }
      // There were some: the thread is gone, which it says itself when it is asked.
      subscription.emptyReads += 1
      guard subscription.emptyReads <= 3 else { return endSubscription(stream, telling: Refusal(.dataLoss)) }
      advance(stream, head: subscription.cursor)
    }
  }

  private func went(_ stream: UInt32, _ thread: ThreadID, _ answer: FollowAnswer) {
    guard let subscription = subscriptions[stream] else {
      // It ended while the thread was asked, which knew nothing of it then.
      if case .live = answer { core.manager.unfollow(thread, stream, for: self) }
      return
    }
    switch answer {
    case .gone(let refusal): endSubscription(stream, telling: refusal)
    case .behind(let head): advance(stream, head: head)
    case .live(let head, let status):
      guard subscription.state == .goingLive else { return core.manager.unfollow(thread, stream, for: self) }
      subscription.state = .live
      guard subscription.saidLive else {
        subscription.saidLive = true
        subscription.status = status
        return spend(stream, write(.live(Live(sequence: head)), on: stream))
      }
      if status != subscription.status { tell(status, of: thread, on: stream) }
    }
  }

  private func tell(_ status: ThreadStatus, of thread: ThreadID, on stream: UInt32) {
    guard let subscription = subscriptions[stream], subscription.wantsStatus else { return }
    subscription.status = status
    spend(stream, write(.status(StatusChanged(thread: thread, status: status)), on: stream))
  }

  // MARK: Live

  func push(_ stream: UInt32, _ items: [Push]) {
    for item in items {
      guard let subscription = subscriptions[stream] else { return }
      if case .ended(let refusal) = item { return endSubscription(stream, telling: refusal) }
      guard subscription.state == .live else { return }
      guard hasRoom, !subscription.isFull else { return lag(stream) }
      switch item {
      case .event(let event):
        if event.sequence <= subscription.cursor { continue }
        guard event.sequence == subscription.cursor + 1 else { return lag(stream) }
        send(event, on: stream, replayed: false)
      case .delta(let delta): if subscription.wantsDeltas { spend(stream, write(.delta(delta), on: stream)) }
      case .snapshot(let snapshot):
        if subscription.wantsDeltas { spend(stream, write(.snapshot(snapshot), on: stream)) }
      case .status(let status): if let thread = subscription.thread { tell(status, of: thread, on: stream) }
      case .call(let call): ask(call)
      case .callEnded(let callID): if let thread = subscription.thread { endCall(callID, of: thread) }
      case .lapsed: return lag(stream)
      case .live, .ended: continue
      }
    }
  }

  private func send(_ event: StoredEvent, on stream: UInt32, replayed: Bool) {
    if subscriptions[stream]?.wantsEvents == true { spend(stream, write(event, on: stream, replayed: replayed)) }
    subscriptions[stream]?.cursor = event.sequence
  }

  private func spend(_ stream: UInt32, _ bytes: Int) { subscriptions[stream]?.spend(bytes, at: now) }

  /// Back to the log, from the cursor on, when there is room again (U2).
  private func lag(_ stream: UInt32) {
    guard let thread = subscriptions[stream]?.thread else { return }
    subscriptions[stream]?.state = .waiting
    core.manager.unfollow(thread, stream, for: self)
    // A push that did not follow is no lack of room: read on at once.
    if hasRoom, subscriptions[stream]?.isFull == false { resume(stream) }
  }

  private func resume(_ stream: UInt32) {
    guard let subscription = subscriptions[stream], subscription.state == .waiting else { return }
    // The head is not known here: ask to go live, and be told how far behind this is.
    advance(stream, head: subscription.cursor)
  }

  func resumeSubscriptions() {
    for stream in subscriptions.keys.sorted() where hasRoom { resume(stream) }
  }

  func addCredit(_ stream: UInt32, _ bytes: Int) {
    guard let credit = subscriptions[stream]?.credit else { return }
    let (sum, overflow) = credit.addingReportingOverflow(bytes)
    subscriptions[stream]?.credit = overflow ? .max : sum
    resume(stream)
  }

  private var now: Int64 { core.manager.clock.instant() }

  /// Quiet subscriptions hear that nothing is missing (durability.md, bookmarkable).
  func tickSubscriptions(_ now: Int64) {
    for (stream, subscription) in subscriptions
    where subscription.state == .live && subscription.thread != nil && !subscription.isFull
      && now - subscription.lastSentAt >= core.limits.progressMilliseconds
    {
      spend(stream, write(.progress(Progress(sequence: subscription.cursor)), on: stream))
    }
  }
}
