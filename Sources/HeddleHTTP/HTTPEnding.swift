// The end of a connection, and the times that lead to it. Time is handed in.

import HeddleCore
import HeddleService
import NIOCore

/// Decides when a connection has waited long enough. Milliseconds of a clock that never steps back.
struct HTTPTimes {
  static let headMilliseconds: Int64 = 5_000
  static let firstRequestMilliseconds: Int64 = 10_000
  static let idleMilliseconds: Int64 = 75_000
  static let bodySilenceMilliseconds: Int64 = 10_000
  static let commentMilliseconds: Int64 = 15_000

  private var idleSince: Int64
  private var headBeganAt: Int64?
  private(set) var headBytes = 0
  private var hasServed = false
  /// The time at which the last byte of a stream was handed to the socket.
  var lastSentAt: Int64 = 0
  private var stalledSince: Int64?
  private var acceptedBytes = 0

  init(now: Int64) { idleSince = now }

  mutating func headGrows(by bytes: Int, at now: Int64) {
    headBeganAt = headBeganAt ?? now
    headBytes += bytes
  }

  mutating func headEnded() {
    headBeganAt = nil
    headBytes = 0
    hasServed = true
  }

  mutating func idle(since now: Int64) { idleSince = now }

  enum Verdict: Equatable { case fine, close, timeout }

  /// A connection without a complete head.
  func tickIdle(_ now: Int64) -> Verdict {
    if let headBeganAt { return now - headBeganAt >= Self.headMilliseconds ? .timeout : .fine }
    return now - idleSince >= (hasServed ? Self.idleMilliseconds : Self.firstRequestMilliseconds) ? .close : .fine
  }

  /// A peer that takes no byte for 30 s while something waits is cut off (attacks.md H6).
  mutating func stalls(_ now: Int64, writtenBytes: Int, waitingBytes: Int, _ limits: Limits) -> Bool {
    let accepted = writtenBytes - waitingBytes
    guard waitingBytes > 0, accepted == acceptedBytes, let since = stalledSince else {
      acceptedBytes = accepted
      stalledSince = waitingBytes > 0 ? now : nil
      return false
    }
    return now - since >= limits.slowConsumerMilliseconds
  }
}

extension HTTPConnection {
  // MARK: Ending

  /// Everything goes out, then the output closes; the peer's rest is read and thrown away, so that it does not reset the
  /// connection before the peer has read the answer.
  func closeAfterFlush() {
    guard !isClosing else { return }
    isClosing = true
    identified?.caller.stopServing()
    writeOut()
    guard let channel else { return }
    channel.close(mode: .output, promise: nil)
    channel.read()
    loop.context.eventLoop.scheduleTask(in: .milliseconds(500)) { self.channel?.close(promise: nil) }
  }

  func closeSilently() {
    guard !isClosing else { return }
    isClosing = true
    metrics.closed(.notUnderstood)
    identified?.caller.stopServing()
    channel?.close(promise: nil)
  }

  /// The caller of the last requests is not needed any more.
  func leaveCaller() {
    guard let caller = identified?.caller else { return }
    identified = nil
    caller.closed()
    caller.detach()
  }

  // MARK: Outlet

  /// Ends the connection and says why, if a request waits for an answer.
  func end(_ refusal: Refusal) {
    guard !isClosing else { return }
    metrics.closed(refusal.reason)
    exchange?.closes = true
    if let exchange, exchange.isComplete { conclude(refusal.wire, exchange) }
    closeAfterFlush()
  }

  func goAway(_ refusal: Refusal) {
    guard !isClosing else { return }
    isLeaving = true
    if exchange == nil || exchange?.isStreaming == true { end(refusal) }
  }

  // MARK: Time

  func tick(_ now: Int64) {
    guard !isClosing else { return }
    guard let exchange else {
      switch times.tickIdle(now) {
      case .fine: if let refusal = identified?.caller.tick(now) { end(refusal) }
      case .close: closeSilently()
      case .timeout: refuse(HTTPResponse(408, text: "The request took too long."))
      }
      return
    }
    guard exchange.isComplete else {
      let isSlow =
        now - exchange.lastByteAt >= HTTPTimes.bodySilenceMilliseconds
        || now - exchange.beganAt >= core.limits.frameMilliseconds
      if isSlow { refuse(HTTPResponse(408, text: "The request took too long.")) }
      return
    }
    guard let caller = identified?.caller else { return }
    if let refusal = caller.tick(now) { return end(refusal) }
    let waiting = (try? channel?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    if times.stalls(now, writtenBytes: writtenBytes, waitingBytes: waiting, core.limits) {
      return end(Refusal(.slowConsumer, caller.slowestSubscription))
    }
    guard exchange.isStreaming else { return }
    caller.tickSubscriptions(now)
    if exchange.form == .events, now - times.lastSentAt >= HTTPTimes.commentMilliseconds, hasRoom {
      times.lastSentAt = now
      chunk(Array(":\n\n".utf8))
      scheduleFlush()
    }
  }
}
