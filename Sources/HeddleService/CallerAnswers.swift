// Output to a caller: answers, errors, notices.

import HeddleCore
import HeddleProtocol
import HeddleRuntime
import HeddleStorage
import Logging

extension Caller {
  // MARK: CallerPort

  package func answer(_ stream: UInt32, _ answer: Answer, follows: Followed?) {
    if case .refused = answer { return finish(stream, answer, follows: follows) }
    if follows == nil, !mayAnswer(stream, answer) { return }
    finish(stream, answer, follows: follows)
  }

  /// Gives the request's slot back and lets the answer out, unless its caller has had a terminal answer already.
  func finish(_ stream: UInt32, _ answer: Answer, follows: Followed?) {
    if let request = freeSlot(stream), !request.isAbandoned, !outlet.isClosing {
      let method = request.method
      if let trace = request.trace { trace.end(answer) }
      switch answer {
      case .refused(let refusal): refuse(stream, method, refusal, request.trace)
      case .response(let response):
        metrics.answered(method, nil)
        let stays = follows.map { startFollowing($0, stream) } ?? false
        outlet.answer(.response(response, isLast: !stays), to: stream, method)
      case .stored(let bytes):
        metrics.answered(method, nil)
        outlet.answer(.stored(bytes), to: stream, method)
      }
    } else if let follows {
      core.manager.unfollowTree(follows.thread, for: Follower(self, stream))
    }
    outlet.requestEnded()
  }

  package func notify(_ notice: SubscriptionEvent) {
    guard isOpen, hasRoom else { return }
    if !subscriptions.lifecycleStreams.isEmpty {
      for stream in subscriptions.lifecycleStreams { _ = outlet.send(notice, to: stream) }
    } else if case .threadStarted? = notice.kind, rules.hasNotices, !unwantedNotices.contains("thread_started") {
      outlet.send(notice: notice)
    }
  }

  /// No more streams; those that were accepted are answered (attacks.md F23, S17).
  package func goAway(_ refusal: Refusal) {
    if isOpen { outlet.goAway(refusal) }
  }

  // MARK: Answers

  /// Answers with an error, and counts it against the caller if it is a fault.
  package func refuse(_ stream: UInt32, _ method: Method, _ refusal: Refusal) { refuse(stream, method, refusal, nil) }

  private func refuse(_ stream: UInt32, _ method: Method, _ refusal: Refusal, _ trace: RequestTrace?) {
    guard !outlet.isClosing else { return }
    var error = refusal.wire
    if [.internal, .dataLoss, .readFailed, .storageFailed].contains(refusal.reason) {
      error.debugId = String(loop.ids.random(), radix: 16)
      var metadata: Logger.Metadata = [
        "debug_id": "\(error.debugId)", "method": "\(method.path)", "reason": "\(error.reason)",
      ]
      if let context = trace?.context {
        metadata["trace_id"] = "\(context.traceID)"
        metadata["span_id"] = "\(context.spanID)"
      }
      logger.error("a request failed", metadata: metadata)
    }
    metrics.answered(method, error.code)
    metrics.refused(refusal.reason)
    outlet.answer(.error(error), to: stream, method)
    if Self.asksToWait(refusal.reason) { askedToWait() } else if Self.isGlitch(refusal.reason) { glitch() }
  }

  /// The client has made no mistake: it is early, and the same request is served later.
  private static func asksToWait(_ reason: Reason) -> Bool {
    switch reason {
    case .tooManyInFlight, .rateLimited, .queueFull, .tooManyTurns, .diskFull, .ephemeralFull: true
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
}
