// The end of a connection: told why or not, with what is owed or at once, and the times that lead to it.

import HeddleCore
import HeddleService
import Logging
import NIOCore

extension FrameConnection {
  // MARK: Ending

  /// Tells the peer why and closes within a second (answer X of attacks.md).
  func end(_ refusal: Refusal) {
    guard phase != .closing else { return }
    logger.debug("closing a connection", metadata: ["reason": "\(refusal.reason.rawValue)"])
    metrics.closed(refusal.reason)
    sendGoAway(refusal)
    closeAfterFlush()
  }

  func answerHTTP() {
    metrics.closed(.notUnderstood)
    output.append(
      text: "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 44\r\nConnection: close\r\n\r\n"
        + "This port speaks Heddle frames and no HTTP.\n")
    closeAfterFlush()
  }

  func closeSilently() {
    metrics.closed(.notUnderstood)
    if input.getInteger(at: input.readerIndex, as: UInt8.self) == 0x16 { metrics.tlsOnPlain.add(1) }
    phase = .closing
    caller.stopServing()
    channel?.close(promise: nil)
  }

  /// Everything in the buffer goes out, then the output closes; the peer's rest is read and thrown away, so that its last
  /// frames do not reset the connection before it has read ours.
  private func closeAfterFlush() {
    phase = .closing
    caller.stopServing()
    flush()
    input = ByteBuffer()
    guard let channel else { return }
    channel.close(mode: .output, promise: nil)
    channel.read()
    eventLoop.scheduleTask(in: .milliseconds(500)) { self.channel?.close(promise: nil) }
  }

  /// A peer that has not sent HELLO yet has heard nothing of the drain.
  func serverEnds() {
    guard phase != .closing else { return }
    metrics.closed(.shuttingDown)
    if !ending.isTold { sendGoAway(Refusal(.shuttingDown)) }
    ending.isServers = true
    closeAfterFlush()
    if ending.inputClosed { channel?.close(promise: nil) }
  }

  /// The peer has said that it goes, and will hear no more than what it is owed.
  func leave() {
    ending.hasLeft = true
    ending.inputClosed = true
  }

  /// A peer that has said all it will gets its answers, then the end (attacks.md F21).
  func closeIfDone() {
    guard ending.inputClosed, phase != .closing, caller.inFlight == 0, !intake.continuesLater, !ending.isFinishing,
      !isServing, !ending.isToldLater
    else { return }
    guard ending.hasLeft || input.readableBytes == 0 || hasRoom else { return }
    ending.isFinishing = true
    ending.hasLeft = true
    caller.endAllSubscriptions()
    flush()
    // However slow its link is: the stall rule ends it if it takes nothing.
    channel?.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in self.channel?.close(promise: nil) }
  }

  // MARK: Time

  /// Called a few times a second.
  func tick(_ now: Int64) {
    guard phase != .closing else { return }
    // Only connections that were sent something can be full; ten thousand idle ones are not asked.
    let mayBeStalled = liveness.mayBeStalled(queuedBytes: output.queuedBytes)
    var situation = Liveness.Situation(isNew: phase == .new, waitsForDisk: intake.waitsForDisk)
    if mayBeStalled, channel?.channel.isWritable == false {
      situation.isFull = true
    } else if intake.wantsRead {
      situation.isHeldBack = isOverBudget
      if !situation.isHeldBack { resumeReading() }
    }
    guard carriesOn(liveness.tick(now, situation, core.limits)), phase == .open else { return }
    if let refusal = caller.tick(now) { return end(refusal) }
    guard carriesOn(liveness.tickOpen(now, core.limits)) else { return }
    if mayBeStalled {
      let waiting = (try? channel?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
      let stalls = liveness.stalls(now, queuedBytes: output.queuedBytes, waitingBytes: waiting, core.limits)
      if stalls { return end(Refusal(.slowConsumer, caller.slowestSubscription)) }
    }
    caller.tickSubscriptions(now)
    grow(old: now)
  }

  private func grow(old now: Int64) {
    switch age.tick(now, isIdle: caller.isIdle && !intake.continuesLater) {
    case .none: return
    case .tell: goAway(Refusal(.connectionAge))
    case .endSubscriptions: caller.endSubscriptions(Refusal(.connectionAge))
    case .end:
      metrics.closed(.connectionAge)
      closeAfterFlush()
    }
  }

  /// False: the connection ends.
  private func carriesOn(_ verdict: Liveness.Verdict) -> Bool {
    switch verdict {
    case .fine: return true
    case .ping:
      sendPing()
      return true
    case .close:
      closeSilently()
      return false
    case .end(let reason):
      end(Refusal(reason))
      return false
    }
  }
}
