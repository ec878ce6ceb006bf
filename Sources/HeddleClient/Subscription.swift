// The events of one thread, in order and without gaps, across connections that come and go.
//
// S1  A numbered event is delivered once, and only when it follows the one delivered before it.
// S2  After a lost connection, GOAWAY, or a buffer that ran over, the subscription asks again for what comes after the
//     last event that it delivered, in the same epoch.
// S3  What would break S1 ends the subscription with an error: there is no silent jump.
//
// Streamed text is not numbered: after a resume the server begins with a snapshot of the unfinished item.

import HeddleCore
import HeddleProtocol

/// The position of a subscription. No I/O: it judges events, `Subscription` does the rest.
struct SubscriptionCursor: Equatable {
  /// The last event delivered, or the one before the first that is wanted; nil until the server says what is newest.
  private(set) var last: UInt64?
  private(set) var epoch: UInt64?
  private var hasBegun = false

  init(after: UInt64?, epoch: UInt64?) {
    last = after
    self.epoch = epoch
  }

  /// Takes note of one message; false when the consumer has no use for it.
  mutating func accept(_ message: SubscriptionEvent) throws(HeddleError) -> Bool {
    // An agent of the tree has numbers of its own.
    if message.thread != nil { return true }
    switch message.kind {
    case .subscribed(let subscribed): return try begin(subscribed)
    case .event(let event):
      guard let last, event.sequence == last &+ 1 else {
        throw .protocolViolation("event \(event.sequence) does not follow event \(last ?? 0)")
      }
      self.last = event.sequence
    case .live(let live): try checkPosition(live.sequence)
    case .progress(let progress): try checkPosition(progress.sequence)
    default: break
    }
    return true
  }

  /// The first `Subscribed` is delivered; those of later connections are between client and server.
  private mutating func begin(_ subscribed: Subscribed) throws(HeddleError) -> Bool {
    if let epoch, epoch != subscribed.epoch {
      throw .protocolViolation("asked for epoch \(epoch), the server answered with \(subscribed.epoch)")
    }
    let last = last ?? subscribed.head
    guard subscribed.head >= last else {
      throw .protocolViolation("the newest event is \(subscribed.head), but event \(last) was there before")
    }
    self.last = last
    epoch = subscribed.epoch
    defer { hasBegun = true }
    return !hasBegun
  }

  private func checkPosition(_ sequence: UInt64) throws(HeddleError) {
    guard sequence == last else {
      throw .protocolViolation("the server says that it sent up to event \(sequence), but \(last ?? 0) was the last")
    }
  }
}

/// Drives one subscription; pulled by its consumer, so that nothing is read ahead of it but one buffer.
actor Subscription {
  private let dialer: Dialer
  private let thread: ThreadID
  private let tree: Bool
  private var cursor: SubscriptionCursor
  private var stream: OpenStream?
  private var codec = Codec(limits: .trusted)
  private var failures = 0

  init(_ dialer: Dialer, _ thread: ThreadID, tree: Bool, _ cursor: SubscriptionCursor) {
    self.dialer = dialer
    self.thread = thread
    self.tree = tree
    self.cursor = cursor
  }

  /// The next message; nil when the server has ended the subscription.
  func next() async throws -> SubscriptionEvent? {
    while true {
      do {
        guard let frame = try await nextFrame() else { return nil }
        let message = try decode(frame)
        failures = 0
        if try cursor.accept(message) { return message }
      } catch let error as HeddleError {
        stream = nil
        guard error.isResumable else { throw error }
        try await pause(after: error)
      }
    }
  }

  private func nextFrame() async throws -> Frame? {
    if let stream { return try await stream.next() }
    let connection = try await dialer.connection()
    let request = SubscribeRequest(thread: thread, epoch: cursor.epoch, after: cursor.last, tree: tree)
    let opened = try await connection.stream(
      .threadSubscribe, codec.encode(request), CallOptions(timeout: dialer.configuration.callTimeout))
    stream = opened
    return opened.first
  }

  private func decode(_ frame: Frame) throws(HeddleError) -> SubscriptionEvent {
    do throws(DecodeError) { return try codec.decode(SubscriptionEvent.self, frame.message) } catch {
      throw .protocolViolation("an event cannot be decoded: \(error)")
    }
  }

  private func pause(after error: HeddleError) async throws {
    var generator = SystemRandomNumberGenerator()
    guard let wait = dialer.configuration.reconnect.wait(before: failures, using: &generator) else { throw error }
    failures += 1
    let asked = error.retryAfter ?? .zero
    let pause = max(wait, asked)
    if pause > .zero { try await Task.sleep(for: pause) }
    try Task.checkCancellation()
  }
}
