// The subscriptions of one caller (rules.md E1, E3, A12). A subscription has a feed for its thread, and with `tree` one
// for each loaded agent below it. Feed.swift decides the next step; this file reads, asks the shard and writes.

import HeddleCore
import HeddleMetrics
import HeddleProtocol
import HeddleRuntime
import HeddleStorage
import NIOCore

extension Caller {
  /// Bytes that one read of the log may bring.
  private static let readBytes = 128 * 1024

  // MARK: Beginning and ending

  /// ThreadService/Subscribe.
  func subscribe(_ subscribe: SubscribeRequest, _ stream: UInt32) {
    let isTaken = subscribe.thread.map { subscriptions.stream(following: $0) } ?? subscriptions.lifecycleStream
    guard isTaken == nil || !rules.followsOnce else {
      return answer(stream, .refused(Refusal(.subscribed)), follows: nil)
    }
    if let refusal = reserveSubscription() { return answer(stream, .refused(refusal), follows: nil) }
    let main = subscribe.thread.map { FollowedThread(subscriptions.name($0), .opening) }
    let subscription = Subscription(main: main, lastSentAt: now)
    subscription.isTree = subscribe.tree
    if !subscribe.kinds.isEmpty {
      subscription.wantsEvents = subscribe.kinds.contains(.events)
      subscription.wantsDeltas = subscribe.kinds.contains(.deltas)
      subscription.wantsStatus = subscribe.kinds.contains(.status)
    }
    subscription.credit = subscribe.credit.map { Int($0) }
    if !subscribe.answers.isEmpty { subscription.calls = AnnouncedCalls(subscribe.answers) }
    subscriptions.add(subscription, stream)
    metrics.subscriptions.add(1)
    guard let thread = subscribe.thread else {
      core.manager.followLifecycle(self, true)
      return openStream(stream, head: 0, epoch: 0)
    }
    core.manager.openFeed(thread, subscribe, for: Follower(self, stream))
  }

  package func opened(_ stream: UInt32, _ subscribe: SubscribeRequest, _ opening: FeedOpening) {
    guard subscriptions[stream] != nil else {
      // Cancelled while it opened: the caller has its answer.
      if subscribe.tree, let thread = subscribe.thread {
        core.manager.unfollowTree(thread, for: Follower(self, stream))
      }
      return answer(stream, .refused(Refusal(.cancelled)), follows: nil)
    }
    switch opening {
    case .refused(let refusal):
      forgetSubscription(stream)
      answer(stream, .refused(refusal), follows: nil)
    case .open(let head, let epoch):
      guard let main = subscriptions[stream]?.main else { return }
      main.feed.opened(at: subscribe.after ?? head)
      openStream(stream, head: head, epoch: epoch)
      advance(stream, main, head: head)
    }
  }

  /// The first answer, which events follow.
  private func openStream(_ stream: UInt32, head: UInt64, epoch: UInt64) {
    let slot = freeSlot(stream, keepsDeadline: rules.deadlinesEndStreams)
    if rules.deadlinesEndStreams { subscriptions[stream]?.deadline = slot?.deadline }
    metrics.answered(.threadSubscribe, nil)
    let subscribed = Subscribed(head: head, oldest: 1, epoch: epoch)
    outlet.answer(.opening(SubscriptionEvent(kind: .subscribed(subscribed))), to: stream, .threadSubscribe)
    outlet.requestEnded()
  }

  /// Start, Resume and Fork: the answer's own stream follows the thread from where the answer stands (rules.md T1).
  func startFollowing(_ follows: Followed, _ stream: UInt32) -> Bool {
    guard subscriptions.stream(following: follows.thread) == nil, reserveSubscription() == nil else {
      core.manager.unfollowTree(follows.thread, for: Follower(self, stream))
      return false
    }
    let main = FollowedThread(subscriptions.name(follows.thread), .live(head: follows.head, status: follows.status))
    let subscription = Subscription(main: main, lastSentAt: now)
    subscription.isTree = follows.isTree
    subscriptions.add(subscription, stream)
    metrics.subscriptions.add(1)
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
    let found = thread.map { subscriptions.stream(following: $0) } ?? subscriptions.lifecycleStream
    guard let stream = found else { return false }
    endSubscription(stream, telling: Refusal(.cancelled))
    return true
  }

  func endSubscription(_ stream: UInt32, telling refusal: Refusal) {
    guard subscriptions[stream] != nil else { return }
    // Still opening: its request is answered once, and that is its end.
    if requests[stream] != nil { return abandon(stream, refusal) }
    forgetSubscription(stream)
    outlet.answer(.error(refusal.wire), to: stream, .threadSubscribe)
  }

  /// Removes the subscription without a word; nothing happens if there is none.
  func forgetSubscription(_ stream: UInt32) {
    guard let subscription = subscriptions.remove(stream) else { return }
    subscription.deadline?.cancel()
    metrics.subscriptions.add(-1)
    core.quotas.unsubscribed(tenant: tenant)
    guard let thread = subscription.thread else {
      if subscriptions.lifecycleStream == nil { core.manager.followLifecycle(self, false) }
      return
    }
    if isOpen { endCallsOfOthers() }
    let follower = Follower(self, stream)
    if subscription.isTree {
      core.manager.unfollowTree(thread, for: follower)
    } else {
      core.manager.unfollow(thread, for: follower)
    }
  }

  /// Ends all subscriptions; each is told the reason, and how far it came.
  package func endSubscriptions(_ refusal: Refusal) {
    for (stream, subscription) in subscriptions.all.sorted(by: { $0.key < $1.key }) {
      var refusal = refusal
      if subscription.thread != nil {
        refusal.details.append(ErrorDetail(name: "last_sequence", value: "\(subscription.cursor)"))
      }
      endSubscription(stream, telling: refusal)
    }
  }

  package func endAllSubscriptions() {
    for stream in Array(subscriptions.all.keys) { forgetSubscription(stream) }
  }

  // MARK: Catching up

  /// The next step of a feed that is not live.
  private func advance(_ stream: UInt32, _ followed: FollowedThread, head: UInt64) {
    guard let subscription = subscriptions[stream], subscription.followed(followed.thread) === followed else { return }
    let hasRoom = hasRoom && !subscription.isFull
    if hasRoom, let beginning = followed.beginning {
      followed.beginning = nil
      write(.subscribed(beginning), of: followed, on: stream)
    }
    let follower = Follower(self, stream)
    switch followed.feed.advance(head: head, hasRoom: hasRoom) {
    case .wait: break
    case .read(let cursor):
      core.manager.feedEvents(followed.name, after: cursor, to: head, bytes: Self.readBytes, for: follower)
    case .goLive(let cursor):
      core.manager.goLive(followed.name, cursor: cursor, ofTree: followed.agent != nil, for: follower)
    }
  }

  package func read(
    _ stream: UInt32, _ name: FeedName, _ result: Result<[StoredEvent], Refusal>, to head: UInt64
  ) {
    guard let followed = subscriptions.feed(name, stream), followed.feed.state == .reading else { return }
    switch result {
    case .failure(let refusal): ended(stream, followed, refusal)
    case .success(let events):
      for event in events {
        guard hasRoom, let subscription = subscriptions[stream], !subscription.isFull else { break }
        send(event, of: followed, subscription, stream, replayed: true)
      }
      outlet.flush()
      let next = followed.feed.readEnded(isEmpty: events.isEmpty, head: head)
      guard next.isReadable else { return ended(stream, followed, Refusal(.dataLoss)) }
      advance(stream, followed, head: next.head)
    }
  }

  package func wentLive(_ stream: UInt32, _ name: FeedName, _ answer: FollowAnswer, missed: [Push]) {
    wentLive(stream, name, answer)
    if !missed.isEmpty { push(stream, of: name.thread, missed) }
    if case .live = answer { endMissedCalls(stream, name, open: missed) }
  }

  private func wentLive(_ stream: UInt32, _ name: FeedName, _ answer: FollowAnswer) {
    guard let followed = subscriptions.feed(name, stream) else {
      // It ended while the thread was asked, which knew nothing of it then.
      if case .live = answer { core.manager.unfollow(name.thread, for: Follower(self, stream)) }
      return
    }
    switch answer {
    case .gone(let refusal): ended(stream, followed, refusal)
    case .behind(let head): advance(stream, followed, head: head)
    case .live(let head, let status):
      guard followed.feed.state == .goingLive else {
        return core.manager.unfollow(followed.thread, for: Follower(self, stream))
      }
      guard followed.feed.wentLive(status) else {
        if status != followed.feed.status { tell(status, of: followed, on: stream) }
        return
      }
      write(.live(Live(sequence: head)), of: followed, on: stream)
      // No answer has said the status of an agent.
      if followed.agent != nil { tell(status, of: followed, on: stream) }
    }
  }

  private func tell(_ status: ThreadStatus, of followed: FollowedThread, on stream: UInt32) {
    guard let subscription = subscriptions[stream], subscription.wantsStatus else { return }
    followed.feed.status = status
    write(.status(StatusChanged(thread: followed.thread, status: status)), of: followed, on: stream)
  }

  // MARK: Trees (rules.md A12)

  /// An agent of the tree is loaded; one that is followed already goes on from where it is.
  private func join(_ thread: ThreadID, _ subscription: Subscription, _ stream: UInt32, _ beginning: Subscribed) {
    guard subscription.isTree, subscription.followed(thread) == nil else { return }
    let followed = FollowedThread(subscriptions.name(thread), agent: thread, .joined(head: beginning.head))
    followed.beginning = beginning
    subscription.agents[thread] = followed
    resume(stream, followed)
  }

  /// Nothing more comes of this thread. The end of an agent does not end the tree; a log that cannot be read does.
  private func ended(_ stream: UInt32, _ followed: FollowedThread, _ refusal: Refusal) {
    guard let agent = followed.agent else { return endSubscription(stream, telling: refusal) }
    guard refusal.reason == .thread else {
      var refusal = refusal
      refusal.details.append(ErrorDetail(name: "thread", value: agent.description))
      return endSubscription(stream, telling: refusal)
    }
    subscriptions[stream]?.agents[agent] = nil
    write(.threadDeleted(ThreadDeletedNotice(thread: agent)), of: followed, on: stream)
  }

  private func unloaded(_ stream: UInt32, _ followed: FollowedThread) {
    guard let subscription = subscriptions[stream], let agent = followed.agent, followed.feed.state == .live else {
      return
    }
    if hasRoom, !subscription.isFull { tell(ThreadStatus(state: .notLoaded), of: followed, on: stream) }
    subscription.agents[agent] = nil
  }

  // MARK: Live

  package func push(_ stream: UInt32, of thread: ThreadID, _ items: [Push]) {
    for item in items {
      guard let subscription = subscriptions[stream] else { return refuseAnswer(item, on: stream) }
      if case .joined(let head, let epoch) = item {
        join(thread, subscription, stream, Subscribed(head: head, oldest: 1, epoch: epoch))
        continue
      }
      guard let followed = subscription.followed(thread) else { return }
      if case .ended(let refusal) = item { return ended(stream, followed, refusal) }
      guard followed.feed.state == .live else { return }
      if case .unloaded = item { return unloaded(stream, followed) }
      guard hasRoom, !subscription.isFull, deliver(item, subscription, followed, stream) else {
        return lag(stream, followed)
      }
    }
  }

  /// The shard had another answer to a call of the server's already. Anything else is about a subscription that has ended.
  /// Not inlined, because the caller would copy each item that it delivers.
  @inline(never)
  private func refuseAnswer(_ item: Push, on stream: UInt32) {
    if case .answerRefused(let method, let refusal) = item { refuse(stream, method, refusal) }
  }

  /// Writes a push to a live feed; false: it does not follow the cursor. A function of its own, so that an item is not
  /// copied for each way that it may take.
  private func deliver(
    _ item: Push, _ subscription: Subscription, _ followed: FollowedThread, _ stream: UInt32
  ) -> Bool {
    switch item {
    case .event(let event):
      switch followed.feed.pushed(event.sequence) {
      case .skip: break
      case .lag: return false
      case .write: send(event, of: followed, subscription, stream, replayed: false)
      }
    case .delta(let delta): if subscription.wantsDeltas { write(.delta(delta), of: followed, on: stream) }
    case .snapshot(let snapshot):
      if subscription.wantsDeltas { write(.snapshot(snapshot), of: followed, on: stream) }
    case .status(let status): tell(status, of: followed, on: stream)
    case .call(let call):
      ask(call)
      announce(call, subscription, stream)
    case .callEnded(let callID, let owner):
      endCall(callID, of: owner)
      announceEnd(callID, of: owner, subscription, stream)
    case .lapsed: return false
    case .live, .ended, .joined, .unloaded, .answerRefused: break
    }
    return true
  }

  private func send(
    _ event: StoredEvent, of followed: FollowedThread, _ subscription: Subscription, _ stream: UInt32, replayed: Bool
  ) {
    if subscription.wantsEvents {
      metrics.events.add(1, at: DoorMetrics.SentEvent.event.rawValue)
      subscription.spend(outlet.send(event, of: followed.agent, to: stream, replayed: replayed), at: now)
    }
    followed.feed.wrote(event.sequence)
  }

  private func write(_ kind: SubscriptionEvent.Kind, of followed: FollowedThread, on stream: UInt32) {
    write(SubscriptionEvent(kind: kind, thread: followed.agent), on: stream)
  }

  func write(_ event: SubscriptionEvent, on stream: UInt32) {
    var sent = DoorMetrics.SentEvent.other
    if case .delta? = event.kind { sent = .delta }
    metrics.events.add(1, at: sent.rawValue)
    let bytes = outlet.send(event, to: stream)
    subscriptions[stream]?.spend(bytes, at: now)
  }

  /// Back to the log, from the cursor on, when there is room again (Feed.U2).
  private func lag(_ stream: UInt32, _ followed: FollowedThread) {
    followed.feed.lag()
    metrics.lags.add(1)
    core.manager.unfollow(followed.thread, for: Follower(self, stream))
    // A push that did not follow is no lack of room: read on at once.
    if hasRoom, subscriptions[stream]?.isFull == false { resume(stream, followed) }
  }

  private func resume(_ stream: UInt32, _ followed: FollowedThread) {
    guard followed.feed.state == .waiting else { return }
    // The head is not known here: going live is asked for, and the answer has the distance to the head.
    advance(stream, followed, head: followed.feed.cursor)
  }

  private func resume(_ stream: UInt32) {
    guard let subscription = subscriptions[stream], let main = subscription.main else { return }
    resume(stream, main)
    for agent in subscription.agents.values.sorted(by: { $0.thread < $1.thread }) { resume(stream, agent) }
  }

  /// There is room again.
  package func resumeSubscriptions() {
    for stream in subscriptions.all.keys.sorted() where hasRoom { resume(stream) }
  }

  func addCredit(_ stream: UInt32, _ bytes: Int) {
    guard let credit = subscriptions[stream]?.credit else { return }
    let (sum, overflow) = credit.addingReportingOverflow(bytes)
    subscriptions[stream]?.credit = overflow ? .max : sum
    resume(stream)
  }

  private var now: Int64 { core.manager.clock.instant() }

  /// Quiet subscriptions hear that nothing is missing (durability.md, bookmarkable).
  package func tickSubscriptions(_ now: Int64) {
    for (stream, subscription) in subscriptions.all {
      guard let main = subscription.main, main.feed.state == .live, !subscription.isFull,
        now - subscription.lastSentAt >= core.limits.progressMilliseconds
      else { continue }
      write(.progress(Progress(sequence: subscription.cursor)), of: main, on: stream)
    }
  }

  /// The position of the subscription that is furthest behind: the facts of `slow_consumer`. One that is live has no more
  /// than what waits in the socket; one that is not may have a long way to go.
  package var slowestSubscription: [(String, String)] {
    let followed = subscriptions.all.values.filter { $0.thread != nil }
    let behind = followed.filter { $0.main?.feed.state != .live }
    let worst = (behind.isEmpty ? followed : behind).min { $0.cursor < $1.cursor }
    return worst.map { [("thread", $0.thread?.description ?? ""), ("last_seq", "\($0.cursor)")] } ?? []
  }
}
