// Feeds of one connection (rules.md E1, E3, A12). A subscription has a feed for its thread, and with `tree` one for each
// loaded agent below it. A feed is a cursor and a state:
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

/// One thread of a subscription. Confined to its connection's loop, which is the proof for `@unchecked Sendable`.
final class Feed: @unchecked Sendable {
  enum State { case opening, reading, waiting, goingLive, live }

  let thread: ThreadID
  /// The agent that messages are marked with; nil: the thread that the stream follows.
  let agent: ThreadID?
  var state: State
  /// The last event that went out.
  var cursor: UInt64 = 0
  /// Reads in a row that brought nothing although there was something.
  var emptyReads = 0
  /// Where an agent begins, until that has been said.
  var beginning: Subscribed?
  /// The Live mark has been sent.
  var saidLive = false
  /// What the client knows that the thread does.
  var status = ThreadStatus()

  init(thread: ThreadID, agent: ThreadID? = nil, state: State) {
    self.thread = thread
    self.agent = agent
    self.state = state
  }
}

/// One subscription. A class, because what changes with every event is changed where it is. Confined to its connection.
final class Subscription {
  /// The thread that it follows; nil: the lifecycle of all threads.
  let main: Feed?
  /// The agents below it that are loaded (rules.md A12).
  var agents: [ThreadID: Feed] = [:]
  var isTree = false
  var wantsEvents = true
  var wantsDeltas = true
  var wantsStatus = true
  /// Bytes that may still go out; nil: no bound.
  var credit: Int?
  var lastSentAt: Int64

  init(main: Feed?, lastSentAt: Int64) {
    self.main = main
    self.lastSentAt = lastSentAt
  }

  var thread: ThreadID? { main?.thread }
  var cursor: UInt64 { main?.cursor ?? 0 }
  var isFull: Bool { credit.map { $0 <= 0 } ?? false }

  func feed(_ thread: ThreadID) -> Feed? { main?.thread == thread ? main : agents[thread] }

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
    let main = subscribe.thread.map { Feed(thread: $0, state: .opening) }
    let subscription = Subscription(main: main, lastSentAt: now)
    subscription.isTree = subscribe.tree
    if !subscribe.kinds.isEmpty {
      subscription.wantsEvents = subscribe.kinds.contains(.events)
      subscription.wantsDeltas = subscribe.kinds.contains(.deltas)
      subscription.wantsStatus = subscribe.kinds.contains(.status)
    }
    subscription.credit = subscribe.credit.map { Int($0) }
    subscriptions[request.stream] = subscription
    guard let thread = subscribe.thread else { return followLifecycle(request) }
    followed[thread] = request.stream
    core.manager.openFeed(thread, subscribe, request.stream, for: self) { opening in
      self.opened(request, subscribe, opening)
    }
  }

  private func followLifecycle(_ request: PendingRequest) {
    lifecycleStream = request.stream
    core.manager.followLifecycle(self, true)
    openStream(request, head: 0, epoch: 0)
  }

  private func opened(_ request: PendingRequest, _ subscribe: SubscribeRequest, _ opening: FeedOpening) {
    let stream = request.stream
    guard subscriptions[stream] != nil else {
      // Cancelled while it opened: the caller has its answer.
      if subscribe.tree, let thread = subscribe.thread { core.manager.unfollowTree(thread, stream, for: self) }
      return answer(request, .refused(Refusal(.cancelled)), follows: nil)
    }
    switch opening {
    case .refused(let refusal):
      forgetSubscription(stream)
      answer(request, .refused(refusal), follows: nil)
    case .open(let head, let epoch):
      guard let feed = subscriptions[stream]?.main else { return }
      feed.cursor = subscribe.after ?? head
      openStream(request, head: head, epoch: epoch)
      advance(stream, feed, head: head)
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
      core.manager.unfollowTree(follows.thread, stream, for: self)
      return false
    }
    let main = Feed(thread: follows.thread, state: .live)
    main.cursor = follows.head
    main.saidLive = true
    main.status = follows.status
    let subscription = Subscription(main: main, lastSentAt: now)
    subscription.isTree = follows.isTree
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
      if phase == .open { endCallsOfOthers() }
      if subscription.isTree {
        core.manager.unfollowTree(thread, stream, for: self)
      } else {
        core.manager.unfollow(thread, stream, for: self)
      }
    } else {
      lifecycleStream = nil
      core.manager.followLifecycle(self, false)
    }
  }

  func endAllSubscriptions() {
    for stream in Array(subscriptions.keys) { forgetSubscription(stream) }
  }

  // MARK: Catching up

  /// It is still part of this subscription, and not another one of the same thread.
  private func isCurrent(_ feed: Feed, _ stream: UInt32) -> Bool { subscriptions[stream]?.feed(feed.thread) === feed }

  /// The next step of a thread that is not live.
  private func advance(_ stream: UInt32, _ feed: Feed, head: UInt64) {
    guard let subscription = subscriptions[stream], isCurrent(feed, stream) else { return }
    guard hasRoom, !subscription.isFull else {
      feed.state = .waiting
      return
    }
    if let beginning = feed.beginning {
      feed.beginning = nil
      spend(stream, write(.subscribed(beginning), of: feed.agent, on: stream))
    }
    if feed.cursor < head {
      feed.state = .reading
      core.manager.feedEvents(feed.thread, after: feed.cursor, bytes: Self.readBytes, for: self) { result in
        self.read(stream, feed, result, head)
      }
    } else {
      feed.state = .goingLive
      let isAgent = feed.agent != nil
      core.manager.goLive(feed.thread, stream, cursor: feed.cursor, ofTree: isAgent, for: self) {
        self.went(stream, feed, $0)
      }
    }
  }

  private func read(_ stream: UInt32, _ feed: Feed, _ result: Result<[StoredEvent], Refusal>, _ head: UInt64) {
    guard isCurrent(feed, stream), feed.state == .reading else { return }
    switch result {
    case .failure(let refusal): ended(stream, feed, refusal)
    case .success(let events):
      for event in events {
        guard hasRoom, subscriptions[stream]?.isFull == false else { break }
        send(event, of: feed, on: stream, replayed: true)
      }
      flush()
      guard events.isEmpty else {
        feed.emptyReads = 0
        return advance(stream, feed, head: head)
      }
      // There were some: the thread is gone, which it says itself when it is asked.
      feed.emptyReads += 1
      guard feed.emptyReads <= 3 else { return ended(stream, feed, Refusal(.dataLoss)) }
      advance(stream, feed, head: feed.cursor)
    }
  }

  private func went(_ stream: UInt32, _ feed: Feed, _ answer: FollowAnswer) {
    guard isCurrent(feed, stream) else {
      // It ended while the thread was asked, which knew nothing of it then.
      if case .live = answer { core.manager.unfollow(feed.thread, stream, for: self) }
      return
    }
    switch answer {
    case .gone(let refusal): ended(stream, feed, refusal)
    case .behind(let head): advance(stream, feed, head: head)
    case .live(let head, let status):
      guard feed.state == .goingLive else { return core.manager.unfollow(feed.thread, stream, for: self) }
      feed.state = .live
      guard feed.saidLive else {
        feed.saidLive = true
        feed.status = status
        spend(stream, write(.live(Live(sequence: head)), of: feed.agent, on: stream))
        // Of an agent no answer has said it.
        if feed.agent != nil { tell(status, of: feed, on: stream) }
        return
      }
      if status != feed.status { tell(status, of: feed, on: stream) }
    }
  }

  private func tell(_ status: ThreadStatus, of feed: Feed, on stream: UInt32) {
    guard let subscription = subscriptions[stream], subscription.wantsStatus else { return }
    feed.status = status
    spend(stream, write(.status(StatusChanged(thread: feed.thread, status: status)), of: feed.agent, on: stream))
  }

  // MARK: Trees (rules.md A12)

  /// An agent of the tree is loaded; one that is followed already goes on from where it is.
  private func join(_ thread: ThreadID, _ subscription: Subscription, _ stream: UInt32, _ beginning: Subscribed) {
    guard subscription.isTree, subscription.feed(thread) == nil else { return }
    let feed = Feed(thread: thread, agent: thread, state: .waiting)
    feed.cursor = beginning.head
    feed.beginning = beginning
    subscription.agents[thread] = feed
    resume(stream, feed)
  }

  /// Nothing more comes of this thread. An agent's end is not that of the tree, what cannot be read is.
  private func ended(_ stream: UInt32, _ feed: Feed, _ refusal: Refusal) {
    guard let agent = feed.agent else { return endSubscription(stream, telling: refusal) }
    guard refusal.reason == .thread else {
      var refusal = refusal
      refusal.details.append(ErrorDetail(name: "thread", value: agent.description))
      return endSubscription(stream, telling: refusal)
    }
    subscriptions[stream]?.agents[agent] = nil
    spend(stream, write(.threadDeleted(ThreadDeletedNotice(thread: agent)), of: agent, on: stream))
  }

  private func unloaded(_ stream: UInt32, _ feed: Feed) {
    guard let subscription = subscriptions[stream], let agent = feed.agent, feed.state == .live else { return }
    if hasRoom, !subscription.isFull { tell(ThreadStatus(state: .notLoaded), of: feed, on: stream) }
    subscription.agents[agent] = nil
  }

  // MARK: Live

  func push(_ stream: UInt32, of thread: ThreadID, _ items: [Push]) {
    for item in items {
      guard let subscription = subscriptions[stream] else { return }
      if case .joined(let head, let epoch) = item {
        join(thread, subscription, stream, Subscribed(head: head, oldest: 1, epoch: epoch))
        continue
      }
      guard let feed = subscription.feed(thread) else { return }
      if case .ended(let refusal) = item { return ended(stream, feed, refusal) }
      guard feed.state == .live else { return }
      if case .unloaded = item { return unloaded(stream, feed) }
      guard hasRoom, !subscription.isFull else { return lag(stream, feed) }
      switch item {
      case .event(let event):
        if event.sequence <= feed.cursor { continue }
        guard event.sequence == feed.cursor + 1 else { return lag(stream, feed) }
        send(event, of: feed, on: stream, replayed: false)
      case .delta(let delta):
        if subscription.wantsDeltas { spend(stream, write(.delta(delta), of: feed.agent, on: stream)) }
      case .snapshot(let snapshot):
        if subscription.wantsDeltas { spend(stream, write(.snapshot(snapshot), of: feed.agent, on: stream)) }
      case .status(let status): tell(status, of: feed, on: stream)
      case .call(let call): ask(call)
      case .callEnded(let callID, let owner): endCall(callID, of: owner)
      case .lapsed: return lag(stream, feed)
      case .live, .ended, .joined, .unloaded: continue
      }
    }
  }

  private func send(_ event: StoredEvent, of feed: Feed, on stream: UInt32, replayed: Bool) {
    if subscriptions[stream]?.wantsEvents == true {
      spend(stream, write(event, of: feed.agent, on: stream, replayed: replayed))
    }
    feed.cursor = event.sequence
  }

  private func spend(_ stream: UInt32, _ bytes: Int) { subscriptions[stream]?.spend(bytes, at: now) }

  /// Back to the log, from the cursor on, when there is room again (U2).
  private func lag(_ stream: UInt32, _ feed: Feed) {
    feed.state = .waiting
    core.manager.unfollow(feed.thread, stream, for: self)
    // A push that did not follow is no lack of room: read on at once.
    if hasRoom, subscriptions[stream]?.isFull == false { resume(stream, feed) }
  }

  private func resume(_ stream: UInt32, _ feed: Feed) {
    guard feed.state == .waiting else { return }
    // The head is not known here: ask to go live, and be told how far behind this is.
    advance(stream, feed, head: feed.cursor)
  }

  private func resume(_ stream: UInt32) {
    guard let subscription = subscriptions[stream], let main = subscription.main else { return }
    resume(stream, main)
    for feed in subscription.agents.values.sorted(by: { $0.thread < $1.thread }) { resume(stream, feed) }
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
    where subscription.main?.state == .live && !subscription.isFull
      && now - subscription.lastSentAt >= core.limits.progressMilliseconds
    {
      spend(stream, write(.progress(Progress(sequence: subscription.cursor)), on: stream))
    }
  }
}
