// A call with all its attempts.
//
// A call that the server has not served is always sent again; one that was lost after sending only if that does no harm:
// reads plainly, changes with the key that they had. The column `retry` of docs/errors.md has the answer to each refusal.

import HeddleCore
import HeddleProtocol

/// One call, as often as it takes. Used on the client's loop only.
struct Attempts {
  let method: Method
  let payload: [UInt8]
  /// The server keeps one result for each key, so a repetition happens once.
  let key: IdempotencyKey?
  let deadline: ContinuousClock.Instant
  let began = ContinuousClock.now
  var count = 0
  var sentBytes = 0
  var receivedBytes = 0
  var isSent = false
  /// A change may have been made, and no answer has said whether.
  var isOpen = false
  var hasNewToken = false

  init(_ method: Method, _ payload: [UInt8], _ key: IdempotencyKey?, _ timeout: Duration) {
    self.method = method
    self.payload = payload
    self.key =
      method.isMutation ? key ?? IdempotencyKey(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)) : nil
    // Longer than a server takes a deadline to be.
    deadline = began + min(max(timeout, .zero), .seconds(86_400))
  }

  /// After these the outcome of a change is open although the server answered.
  static let openOutcomes: [String] = [
    Reason.storageFailed, .deadlineExceeded, .cancelled, .internal,
  ].map(\.rawValue)
}

extension ClientCore {
  func perform(
    _ method: Method, _ payload: [UInt8], key: IdempotencyKey?, timeout: Duration?
  ) async throws(HeddleError) -> [UInt8] {
    var attempts = Attempts(method, payload, key, timeout ?? configuration.callTimeout)
    let result: Result<[UInt8], HeddleError>
    do throws(HeddleError) { result = .success(try await perform(&attempts)) } catch { result = .failure(error) }
    if let hook = configuration.hooks.call {
      var reason = ""
      if case .failure(let error) = result { reason = error.label }
      hook(
        CallSummary(
          method: method, attempts: attempts.count, took: .now - attempts.began, sentBytes: attempts.sentBytes,
          receivedBytes: attempts.receivedBytes, reason: reason))
    }
    return try result.get()
  }

  private func perform(_ attempts: inout Attempts) async throws(HeddleError) -> [UInt8] {
    while true {
      attempts.count += 1
      do throws(HeddleError) { return try await once(&attempts) } catch {
        let (marked, wait) = judge(error, &attempts)
        guard let wait else { throw marked }
        let retry = CallRetry(method: attempts.method, attempt: attempts.count, wait: wait, reason: error.label)
        configuration.hooks.retry?(retry)
        configuration.logger?.debug(
          "a call is sent again", metadata: ["method": "\(retry.method.path)", "reason": "\(retry.reason)"])
        do throws(HeddleError) { try await pause(wait) } catch {
          var given = error
          given.attempts = attempts.count
          given.mayHaveHappened = attempts.isOpen
          throw given
        }
      }
    }
  }

  private func once(_ attempts: inout Attempts) async throws(HeddleError) -> [UInt8] {
    if Task.isCancelled { throw .cancelled }
    let connection = try await connection(until: attempts.deadline)
    try await takePlace(connection, until: attempts.deadline)
    let metadata = metadata(attempts)
    var stream: UInt32 = 0
    do throws(HeddleError) {
      let answer = try await wait(until: attempts.deadline) { (wait: Wait<Connection.Answer>) in
        do throws(HeddleError) {
          stream = try open(connection, attempts.method, attempts.payload, metadata: metadata, .call(wait))
        } catch {
          placeIsFree(connection)
          wait.end(.failure(error))
        }
      }
      attempts.sentBytes += FrameHeader.byteCount + metadata.count + attempts.payload.count
      attempts.receivedBytes += answer.size
      return answer.payload
    } catch {
      if stream == 0, error.kind == .cancelled { placeIsFree(connection) }
      if stream != 0 {
        attempts.sentBytes += FrameHeader.byteCount + metadata.count + attempts.payload.count
        attempts.isSent = attempts.isSent || !error.isUnserved
        // The server need not answer; until it does, the call keeps its place.
        if error.kind == .timedOut || error.kind == .cancelled { cancel(stream, on: connection) }
      }
      if error.kind == .refused, error.retry == .reconnect { leave(connection) }
      throw error
    }
  }

  private func metadata(_ attempts: Attempts) -> [UInt8] {
    let left = max(.milliseconds(1), attempts.deadline - .now)
    var metadata = Metadata(
      deadlineMs: left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000,
      idempotencyKey: attempts.key)
    if let trace = configuration.trace?() {
      metadata.traceparent = trace.traceparent
      metadata.tracestate = trace.tracestate
    }
    return codec.encode(metadata)
  }

  /// The error as its caller gets it, and the wait until the next attempt; nil: the error is the call's.
  private func judge(_ error: HeddleError, _ attempts: inout Attempts) -> (HeddleError, Duration?) {
    let isOpen: Bool =
      switch error.kind {
      case .timedOut, .cancelled: attempts.isSent
      case .lost: !error.isUnserved
      case .refused: Attempts.openOutcomes.contains(error.reason)
      default: false
      }
    let method = attempts.method
    attempts.isOpen = attempts.isOpen || (isOpen && (method.isMutation || !method.isRepeatable))
    var marked = error
    marked.attempts = attempts.count
    marked.mayHaveHappened = attempts.isOpen
    guard attempts.count <= configuration.retries, !isClosed, mayRepeat(error, isOpen, &attempts) else {
      return (marked, nil)
    }
    var wait = configuration.backoff.wait(before: attempts.count - 1)
    // The server has said that it did not serve the call, and another connection may.
    if attempts.count == 1, !isOpen, error.retry != .wait, error.kind != .cannotConnect { wait = .zero }
    wait = max(wait, error.retryAfter ?? .zero)
    return (marked, attempts.deadline - .now > wait ? wait : nil)
  }

  private func mayRepeat(_ error: HeddleError, _ isOpen: Bool, _ attempts: inout Attempts) -> Bool {
    if isOpen, !attempts.method.isRepeatable { return false }
    if error.retry == .token {
      guard !attempts.hasNewToken, configuration.tokenProvider != nil else { return false }
      attempts.hasNewToken = true
      if let current { leave(current) }
      return true
    }
    switch error.kind {
    case .refused: return error.retry == .wait || error.retry == .reconnect
    case .cannotConnect: return true
    case .lost: return error.retry != .never
    default: return false
    }
  }
}
