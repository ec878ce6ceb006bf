// A subscription as the client keeps it. It survives connections: it goes on behind the last event that the program has
// taken. Messages ahead of the program go with their connection and come again.
//
// S1  A numbered event is delivered once, and only when it follows the one delivered before it.
// S2  After a lost connection, GOAWAY, or a gap, the subscription asks again for what comes after the last event that
//     it delivered, in the same epoch.
// S3  What would break S1 ends the subscription with an error: there is no silent jump.
// S4  The server sends at most the credit ahead of the program, which is given back as the program takes, by halves.
//
// Streamed text is not numbered: after a resume the server begins with a snapshot of the unfinished item.

import HeddleCore
import HeddleProtocol
import NIOCore

/// Used on the client's loop only.
final class Following {
  let id: UInt64
  let asked: SubscribeRequest
  let credit: UInt32
  var stream: FollowStream?
  var isOpening = false
  var hasOpened = false
  var isClosed = false
  var error: HeddleError?
  let inbox: Inbox
  /// The last event that has come.
  var received: UInt64?
  var epoch: UInt64?
  /// Streams that ended soon, without a message taken since: such a subscription comes again ever more slowly.
  var broken = 0
  var gapsInARow = 0
  var filling: (inner: Following, gap: Inbox.Gap)?
  var skipped = 0
  var waits: [Wait<Void>] = []
  var task: UInt64?

  init(_ id: UInt64, _ asked: SubscribeRequest, credit: UInt32, _ inbox: Inbox?) {
    self.id = id
    self.asked = asked
    self.credit = credit
    self.inbox = inbox ?? Inbox(cursor: asked.after, credit: credit)
    received = asked.after
    epoch = asked.epoch
  }

  func wake() {
    let waits = waits
    self.waits = []
    for wait in waits { wait.end(.success(())) }
  }
}

/// A subscription on one connection.
final class FollowStream {
  let following: UInt64
  let thread: ThreadID?
  let connection: Connection
  var number: UInt32 = 0
  var allowed: Int
  let since = ContinuousClock.now
  var isDone = false

  init(_ following: Following, _ connection: Connection) {
    self.following = following.id
    self.connection = connection
    thread = following.asked.thread
    allowed = Int(following.credit)
  }

  /// Once: afterwards another stream of this connection may follow the thread.
  func done() {
    if !isDone { connection.follows.remove(thread) }
    isDone = true
  }
}

// The program's side.
extension ClientCore {
  /// A server sends the message that uses up the credit in full; one that goes far beyond does not count.
  private static let overdraft = 8 << 20

  @discardableResult
  func follow(_ asked: SubscribeRequest, _ id: UInt64, _ inbox: Inbox? = nil) -> Following {
    let following = Following(id, asked, credit: asked.credit ?? configuration.credit, inbox)
    followings[id] = following
    if isClosed { following.error = .closed }
    return following
  }

  func next(_ id: UInt64) async throws(HeddleError) -> SubscriptionEvent? {
    guard let following = followings[id] else { return nil }
    return try await next(following)
  }

  private func next(_ following: Following) async throws(HeddleError) -> SubscriptionEvent? {
    while true {
      if let filling = following.filling {
        if let message = try await fill(following, filling.inner, filling.gap) { return message }
        continue
      }
      if let (message, isHalf) = following.inbox.take() {
        if isHalf { giveBack(following) }
        return message
      }
      if let gap = following.inbox.beginGap() {
        let asked = SubscribeRequest(thread: gap.agent, after: gap.after, kinds: [.events])
        following.filling = (follow(asked, nextFollowing()), gap)
        continue
      }
      if let error = following.error {
        close(following)
        throw error
      }
      if following.isClosed { return nil }
      open(following)
      try await wait { following.waits.append($0) }
    }
  }

  /// Returns when the server follows the thread for this subscription.
  func opened(_ id: UInt64) async throws(HeddleError) {
    while true {
      guard let following = followings[id], !following.isClosed else {
        throw HeddleError(.closed, "the subscription is closed")
      }
      if let error = following.error { throw error }
      if following.hasOpened { return }
      open(following)
      try await wait { following.waits.append($0) }
    }
  }

  func close(following id: UInt64) {
    if let following = followings[id] { close(following) }
  }

  func close(_ following: Following) {
    if following.isClosed { return }
    following.isClosed = true
    following.error = nil
    following.inbox.with { $0.queue = [] }
    followings[following.id] = nil
    cancel(following.task)
    if let inner = following.filling?.inner { close(inner) }
    if let stream = following.stream { leave(stream) }
    following.stream = nil
    following.wake()
  }

  func giveBack(_ id: UInt64) {
    if let following = followings[id] { giveBack(following) }
  }

  private func giveBack(_ following: Following) {
    guard let stream = following.stream else { return }
    let bytes = following.inbox.with { inbox in
      defer { inbox.returned = 0 }
      return inbox.returned
    }
    guard bytes > 0 else { return }
    stream.allowed += bytes
    let credit = codec.encode(Credit(bytes: UInt32(clamping: bytes)))
    send(stream.connection, .credit, method: .threadSubscribe, stream: stream.number, message: credit)
  }

  private func fill(
    _ following: Following, _ inner: Following, _ gap: Inbox.Gap
  ) async throws(HeddleError) -> SubscriptionEvent? {
    guard following.inbox.with({ $0.agents[gap.agent] }) ?? gap.after < gap.until else {
      following.filling = nil
      following.inbox.with { $0.isFilling = false }
      close(inner)
      return nil
    }
    var found: SubscriptionEvent?
    do throws(HeddleError) { found = try await next(inner) } catch {
      // An agent that has been deleted has nothing left to read.
      guard error.reason == Reason.thread.rawValue else { throw error }
    }
    guard var message = found else {
      following.inbox.with { $0.agents[gap.agent] = gap.until }
      return nil
    }
    guard case .event(let event)? = message.kind else { return nil }
    following.inbox.with { $0.agents[gap.agent] = event.sequence }
    message.thread = gap.agent
    return message
  }
}

// The connections' side.
extension ClientCore {
  /// Begins to follow, if it has not begun.
  private func open(_ following: Following) {
    guard following.stream == nil, !following.isOpening, !following.isClosed, following.error == nil else { return }
    guard !isClosed else { return fail(following, .closed) }
    following.isOpening = true
    let id = following.id
    following.task = run { core in
      if let following = core.followings[id] { await core.keepOpening(following) }
    }
  }

  /// Subscribes, as often as it takes.
  private func keepOpening(_ following: Following) async {
    var attempt = 0
    var wait: Duration =
      following.broken > 1 ? configuration.backoff.wait(before: following.broken - 2) : .zero
    while !following.isClosed {
      do throws(HeddleError) {
        try await pause(wait)
        let connection = try await connection(following: following.asked.thread)
        return try subscribe(following, connection)
      } catch {
        let mayPass =
          switch error.kind {
          case .lost, .cannotConnect: !error.isAboutTLS || error.isCut
          case .refused: error.retry == .wait || error.retry == .reconnect
          default: false
          }
        if error.kind == .cancelled { return }
        guard mayPass, mayGoOn(following, attempt) else { return fail(following, error) }
        wait = max(error.retryAfter ?? .zero, configuration.backoff.wait(before: attempt))
        attempt += 1
      }
    }
  }

  private func mayGoOn(_ following: Following, _ attempt: Int) -> Bool {
    guard let most = configuration.resumptions else { return true }
    return following.broken + attempt < most
  }

  private func subscribe(_ following: Following, _ connection: Connection) throws(HeddleError) {
    let made = FollowStream(following, connection)
    if following.isClosed { return made.done() }
    var asked = following.asked
    asked.credit = following.credit
    let cursor = following.inbox.with { inbox in
      (inbox.returned, inbox.hasTaken) = (0, false)
      return inbox.cursor
    }
    asked.after = cursor
    asked.epoch = following.epoch
    following.received = cursor
    do throws(HeddleError) {
      made.number = try open(connection, .threadSubscribe, codec.encode(asked), metadata: [], .subscription(made))
    } catch {
      made.done()
      throw error
    }
    following.stream = made
    following.isOpening = false
    if following.hasOpened { configuration.hooks.resumed?(following.asked.thread, cursor) }
  }

  /// A frame of a subscription's stream. Throws what ends the connection.
  func came(_ frame: Frame, _ kind: FrameKind, _ stream: FollowStream) throws(HeddleError) {
    if kind == .error {
      let said = HeddleError.refused(try decode(WireError.self, frame))
      return broke(stream, said)
    }
    let message = try decode(SubscriptionEvent.self, frame)
    guard let following = followings[stream.following], following.stream === stream else { return }
    if kind == .response {
      try opened(following, message)
    } else {
      let size = frame.header.frameByteCount
      stream.allowed -= size
      guard stream.allowed >= -Self.overdraft else {
        throw .violation("more than the subscription's credit allows")
      }
      if try came(following, message, size) {
        following.stream = nil
        leave(stream)
        startAgain(following)
      }
    }
  }

  /// The answer to Subscribe.
  private func opened(_ following: Following, _ message: SubscriptionEvent) throws(HeddleError) {
    if following.asked.thread != nil {
      guard case .subscribed(let subscribed)? = message.kind else {
        throw .violation("the answer to Subscribe is not `subscribed`")
      }
      if let epoch = following.epoch, epoch != subscribed.epoch {
        throw .violation("asked for epoch \(epoch), the server answered with \(subscribed.epoch)")
      }
      let cursor = following.inbox.with { $0.cursor }
      if let cursor, subscribed.head < cursor {
        throw .violation("the newest event is \(subscribed.head), but event \(cursor) was there before")
      }
      following.epoch = subscribed.epoch
      if cursor == nil {
        following.inbox.with { $0.cursor = subscribed.head }
        following.received = subscribed.head
      }
    }
    // The first one is delivered; those of later connections are between client and server.
    guard !following.hasOpened else { return }
    following.hasOpened = true
    following.inbox.with { $0.queue.append(.message(message, size: 0)) }
    following.wake()
  }

  /// A message has come. True: events are missing, and are asked for once more.
  private func came(_ following: Following, _ message: SubscriptionEvent, _ size: Int) throws(HeddleError) -> Bool {
    switch message.kind {
    case nil:
      following.skipped += 1
      following.inbox.with { $0.returned += size }
      return false
    case .subscribed(let subscribed):
      guard let agent = message.thread else { throw .violation("`subscribed` came twice") }
      following.inbox.with { inbox in
        guard let known = inbox.agents[agent] else { return inbox.agents[agent] = subscribed.head }
        if subscribed.head > known {
          inbox.queue.append(.gap(.init(agent: agent, after: known, until: subscribed.head)))
        }
      }
    case .event(let event) where message.thread == nil:
      if let last = following.received {
        if event.sequence <= last {
          following.inbox.with { $0.returned += size }
          return false
        }
        if event.sequence != last &+ 1 {
          following.gapsInARow += 1
          guard following.gapsInARow < 2 else {
            throw .violation("event \(event.sequence) does not follow event \(last)")
          }
          return true
        }
      }
      following.received = event.sequence
      following.gapsInARow = 0
    default: break
    }
    following.inbox.with { $0.queue.append(.message(message, size: size)) }
    following.wake()
    return false
  }

  /// The stream has ended.
  func broke(_ stream: FollowStream, _ error: HeddleError) {
    stream.done()
    guard let following = followings[stream.following], following.stream === stream else { return }
    following.stream = nil
    if following.inbox.with({ $0.hasTaken }) { following.broken = 0 }
    following.broken = ContinuousClock.now - stream.since > configuration.backoff.maximum ? 1 : following.broken + 1
    if error.kind == .violation || error.kind == .tooLarge { return fail(following, error) }
    if let retry = error.retry {
      let mayPass = retry == .token ? configuration.tokenProvider != nil : retry != .never || error.kind == .lost
      guard mayPass else {
        var refused = error
        refused.kind = .refused
        return fail(following, refused)
      }
      if error.kind == .refused, retry == .reconnect || retry == .token { leave(stream.connection) }
    } else if error.kind == .refused {
      return fail(following, error)
    }
    guard mayGoOn(following, -1) else { return fail(following, error) }
    startAgain(following)
  }

  /// The connection takes nothing new: its subscriptions move to another one.
  func moveSubscriptions(_ connection: Connection) {
    for following in Array(followings.values) {
      guard let stream = following.stream, stream.connection === connection else { continue }
      following.stream = nil
      leave(stream)
      startAgain(following)
    }
  }

  /// Behind what the program has taken; what was read ahead comes again.
  private func startAgain(_ following: Following) {
    following.inbox.with { inbox in
      let kept = inbox.queue.filter {
        if case .message(let message, _) = $0, case .subscribed? = message.kind { return message.thread == nil }
        return false
      }
      inbox.queue = CircularBuffer(kept)
    }
    open(following)
  }

  /// The rest of the stream is not wanted any more.
  private func leave(_ stream: FollowStream) {
    cancel(stream.number, on: stream.connection)
    stream.done()
  }

  private func fail(_ following: Following, _ error: HeddleError) {
    if following.error == nil, !following.isClosed { following.error = error }
    if let stream = following.stream { leave(stream) }
    following.stream = nil
    following.isOpening = false
    following.wake()
  }
}
