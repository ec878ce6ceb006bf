// The times of a gRPC connection, and its ends: silence, half requests, clients that take nothing, age and drain.

import CNghttp2
import HeddleCore
import HeddleProtocol
import HeddleRPC
import HeddleService
import Logging
import NIOCore

/// When the client was heard, and whether it owes an answer to a PING. A value over a clock that is handed in.
struct GRPCTimes {
  private static let answerMilliseconds: Int64 = 20_000
  private let openedAt: Int64
  private(set) var heardAt: Int64
  private var pingedAt: Int64?
  private(set) var hasSpoken = false

  init(now: Int64) {
    openedAt = now
    heardAt = now
  }

  mutating func heard(at now: Int64) {
    heardAt = now
    hasSpoken = true
    pingedAt = nil
  }

  mutating func ponged(_ opaque: UInt64) { pingedAt = nil }

  enum Verdict { case fine, ping, close }

  mutating func tick(_ now: Int64, isRead: Bool, _ limits: Limits) -> Verdict {
    if !hasSpoken { return now - openedAt >= limits.helloMilliseconds ? .close : .fine }
    guard isRead else {
      // Bytes of the client may wait in the kernel.
      heardAt = now
      return .fine
    }
    if let pingedAt { return now - pingedAt >= Self.answerMilliseconds ? .close : .fine }
    guard now - heardAt >= limits.pingAfterMilliseconds else { return .fine }
    pingedAt = now
    return .ping
  }
}

extension GRPCConnection {
  static let departurePing: UInt64 = 0x6865_6464_6C65_0001
  private static let livePing: UInt64 = 0x6865_6464_6C65_0002

  /// Called a few times a second.
  func tick(_ now: Int64) {
    guard phase == .open else { return }
    let isRead = !waitsForDisk && channel?.channel.isWritable == true
    switch times.tick(now, isRead: isRead, core.limits) {
    case .fine: break
    case .ping:
      session?.ping(Self.livePing)
      scheduleFlush()
    case .close:
      metrics.closed(times.hasSpoken ? .idleTimeout : .notInitialized)
      phase = .closing
      channel?.close(promise: nil)
      return
    }
    if core.isLeaving { tellHealth() }
    if core.isDraining { take(departure.leave(now)) }
    take(departure.tick(now, isIdle: calls.isEmpty && finished.isEmpty))
    if core.isEnding {
      // A client that has not answered the PING is not waited for any longer.
      take(departure.ponged(now))
      endStreams(Refusal(.shuttingDown))
    }
    guard phase == .open else { return }
    tickCalls(now)
    for seat in seats.all { seat.tick(now) }
    seats.tidy(now)
  }

  /// Half requests, and responses that nobody takes.
  private func tickCalls(_ now: Int64) {
    guard !calls.isEmpty || !finished.isEmpty else { return }
    for call in Array(calls.values) where call.stage == .reading && !call.isComplete {
      if case .reflection = call.target { continue }
      if now - call.beganAt >= core.limits.frameMilliseconds { call.refuse(Refusal(.frameTimeout)) }
    }
    guard waitingBytes > 0 else { return }
    for call in Array(calls.values) + Array(finished.values)
    where call.waitingBytes > 0 && now - call.movedAt >= core.limits.slowConsumerMilliseconds {
      // All of the connection's room is held by clients that take nothing (attacks.md G6).
      if waitingBytes > core.limits.outgoingBytes || channel?.channel.isWritable == false {
        return end(.enhanceYourCalm, Reason.slowConsumer.rawValue, .slowConsumer)
      }
      metrics.refused(.slowConsumer)
      session?.reset(call.id, .enhanceYourCalm)
      scheduleFlush()
    }
  }

  // MARK: Leaving

  func take(_ step: Departure.Step) {
    switch step {
    case .none: return
    case .announce:
      session?.shutdownNotice()
      session?.ping(Self.departurePing)
    case .close: session?.goAway(.noError, "")
    case .endSubscriptions: endStreams(Refusal(.connectionAge))
    case .end:
      phase = .closing
      countEnd()
      closeAfterFlush()
      return
    }
    scheduleFlush()
  }

  /// Ends subscriptions and those who watch health.
  private func endStreams(_ refusal: Refusal) {
    for seat in seats.all { seat.endSubscriptions(refusal) }
    for call in Array(calls.values) where call.watch != nil || call.stage == .reading { call.refuse(refusal) }
  }

  /// The client has said that it goes, or the server wants it to: nothing is left to do.
  func endIfDone() {
    guard phase == .open, calls.isEmpty, finished.isEmpty else { return }
    if hasGoneAway || session?.wantsToEnd == true {
      phase = .closing
      countEnd()
      closeAfterFlush()
    }
  }

  /// A client that closes because it was asked to has not left by itself.
  func countEnd() {
    guard departure.state != .open else { return metrics.closed(.clientLeft) }
    metrics.closed(core.isDraining ? .shuttingDown : .connectionAge)
  }

  // MARK: Ending

  /// Tells the client why and closes within a second (answer X of attacks.md).
  func end(_ code: HTTP2Session.Code, _ text: String, _ reason: Reason = .enhanceYourCalm) {
    guard phase == .open else { return }
    core.logger.debug("closing a connection", metadata: ["reason": "\(text)"])
    metrics.closed(reason)
    session?.goAway(code, text)
    phase = .closing
    closeAfterFlush()
  }

  /// nghttp2 has found a fault, and has queued the GOAWAY that says which.
  func failed(_ failure: HTTP2Session.Failed) {
    guard phase == .open else { return }
    metrics.closed(.notUnderstood)
    phase = .closing
    closeAfterFlush()
  }

  /// Its first byte is not that of HTTP/2.
  func refuseProtocol(_ first: UInt8) {
    phase = .closing
    metrics.closed(.notUnderstood)
    if first == 0x16 { metrics.tlsOnPlain.add(1) }
    // Only somebody who speaks HTTP can read a word.
    guard first != 0x16, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first), let channel else {
      self.channel?.close(promise: nil)
      return
    }
    let text = "This port speaks gRPC over HTTP/2.\n"
    let response =
      "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: \(text.utf8.count)\r\n"
      + "Connection: close\r\n\r\n\(text)"
    channel.writeAndFlush(wrapOutboundOut(ByteBuffer(string: response)), promise: nil)
    closeLater()
  }

  /// The peer's rest is read and thrown away, so that its last bytes do not reset the connection before it has read ours.
  func closeLater() {
    channel?.close(mode: .output, promise: nil)
    channel?.read()
    eventLoop.scheduleTask(in: .milliseconds(500)) { self.channel?.close(promise: nil) }
  }
}
