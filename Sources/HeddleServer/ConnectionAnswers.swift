// What goes out: answers, errors, events, notices. Everything is packed straight into the connection's buffer.

import HeddleCore
import HeddleProtocol
import HeddleRuntime
import HeddleStorage
import NIOCore

/// What waits until the peer has taken what it asked for before.
enum WaitingAnswer {
  case response(Response)
  /// As it was stored under a key.
  case stored([UInt8])
}

extension Connection {
  // MARK: ConnectionPort

  func answer(_ request: PendingRequest, _ answer: Answer, follows: Followed?) {
    switch answer {
    case .refused(let refusal):
      if finish(request.stream) {
        refuse(request.stream, request.method, refusal)
      } else if let follows {
        core.manager.unfollowTree(follows.thread, request.stream, for: self)
      }
      closeIfDone()
    case .response(let response):
      if follows == nil, !mayAnswer(request, .response(response)) { return }
      respond(request, response, follows: follows)
    }
  }

  func respond(_ request: PendingRequest, _ response: Response, follows: Followed?) {
    if finish(request.stream) {
      let stays = follows.map { startFollowing($0, request.stream) } ?? false
      let flags = stays ? 0 : FrameHeader.endOfStream
      send(.response, request.method, request.stream, flags, response)
    } else if let follows {
      core.manager.unfollowTree(follows.thread, request.stream, for: self)
    }
    closeIfDone()
  }

  /// The stored bytes, and `replayed = true` behind them: field 15 of every mutation's answer.
  func answerStored(_ request: PendingRequest, _ response: [UInt8]) {
    if mayAnswer(request, .stored(response)) { respond(request, stored: response) }
  }

  func respond(_ request: PendingRequest, stored response: [UInt8]) {
    guard finish(request.stream) else { return closeIfDone() }
    frame(.response, request.method, request.stream, FrameHeader.endOfStream) { connection in
      connection.out.writeBytes(response)
      connection.out.writeBytes([15 << 3, 1])
    }
    closeIfDone()
  }

  func notify(_ notice: SubscriptionEvent) {
    guard phase == .open, hasRoom else { return }
    if let lifecycleStream {
      send(.event, .threadSubscribe, lifecycleStream, 0, notice)
    } else if case .threadStarted? = notice.kind, !unwantedNotices.contains("thread_started") {
      send(.event, .unspecified, 0, 0, notice)
    }
  }

  /// No more streams; those that were accepted are answered (attacks.md F23, S17).
  func goAway(_ refusal: Refusal) {
    guard phase == .open else { return }
    send(.goaway, .unspecified, 0, 0, GoAway(lastStream: lastStream, error: refusal.wire))
    flush()
  }

  // MARK: Answers

  /// Gives the request's slot back; false if its caller has had a terminal answer already.
  private func finish(_ stream: UInt32) -> Bool {
    guard let request = freeSlot(stream) else { return false }
    return !request.isAbandoned && phase != .closing
  }

  func refuse(_ stream: UInt32, _ method: Method, _ refusal: Refusal) {
    guard phase != .closing else { return }
    var error = refusal.wire
    if [.internal, .dataLoss, .readFailed, .storageFailed].contains(refusal.reason) {
      error.debugId = String(loop.ids.random(), radix: 16)
      logger.error(
        "a request failed",
        metadata: ["debug_id": "\(error.debugId)", "method": "\(method.path)", "reason": "\(error.reason)"])
    }
    send(.error, method, stream, FrameHeader.endOfStream, error)
    if Self.asksToWait(refusal.reason) { askedToWait() } else if Self.isGlitch(refusal.reason) { glitch() }
  }

  /// The client has made no mistake: it is early, and the same request is served later.
  private static func asksToWait(_ reason: Reason) -> Bool {
    switch reason {
    case .tooManyInFlight, .rateLimited, .queueFull, .tooManyTurns, .diskFull: true
    default: false
    }
  }

  /// Errors that a correct client does not make. "There is no such thread" is an answer like any other.
  private static func isGlitch(_ reason: Reason) -> Bool {
    switch reason.code {
    case .invalidArgument, .unimplemented, .unauthenticated, .permissionDenied: true
    case .resourceExhausted: true
    case .failedPrecondition: reason == .alreadyInitialized || reason == .unknownServerRequest
    default: false
    }
  }

  // MARK: Events

  /// A stored event, spliced into its envelope as it is: field 2 of `SubscriptionEvent`.
  func write(_ event: StoredEvent, of agent: ThreadID?, on stream: UInt32, replayed: Bool) -> Int {
    let before = out.writerIndex
    frame(.event, .threadSubscribe, stream, replayed ? FrameHeader.replayed : 0) { connection in
      connection.out.writeInteger(UInt8(2 << 3 | 2))
      connection.writeVarint(event.payload.count)
      connection.out.writeBytes(event.payload)
      guard let agent else { return }
      // `thread`, field 12.
      connection.out.writeBytes([12 << 3 | 2, 16])
      connection.out.writeBytes(agent.bytes)
    }
    return out.writerIndex - before
  }

  func write(_ kind: SubscriptionEvent.Kind, of agent: ThreadID? = nil, on stream: UInt32) -> Int {
    let before = out.writerIndex
    send(.event, .threadSubscribe, stream, 0, SubscriptionEvent(kind: kind, thread: agent))
    return out.writerIndex - before
  }

  private func writeVarint(_ value: Int) {
    var rest = UInt64(clamping: value)
    while rest >= 0x80 {
      out.writeInteger(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    out.writeInteger(UInt8(truncatingIfNeeded: rest))
  }
}
