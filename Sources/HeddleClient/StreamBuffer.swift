// Events of one stream between the connection, which receives them, and the consumer, who takes them. Bounded in bytes:
// reading cannot stop for one slow consumer, because calls and PINGs share the connection with it, so beyond the bound
// the stream ends with `fellBehind` behind the events that fitted. Nothing is lost in between: a subscription resumes
// from the last event that it delivered.

import NIOCore

struct StreamBuffer {
  private var frames = CircularBuffer<Frame>()
  private var bytes = 0
  private var waiter: CheckedContinuation<Frame?, any Error>?
  private var ending: Result<Void, HeddleError>?
  private let maximumBytes: Int

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  var hasEnded: Bool { ending != nil }

  /// Takes one event; false when there is no room for it, and then the stream has ended.
  mutating func append(_ frame: Frame) -> Bool {
    guard ending == nil else { return true }
    if let waiter {
      self.waiter = nil
      waiter.resume(returning: frame)
      return true
    }
    // One frame is always taken, however large: otherwise it could never be delivered at all.
    guard frames.isEmpty || bytes + frame.message.count <= maximumBytes else {
      end(.failure(.fellBehind))
      return false
    }
    frames.append(frame)
    bytes += frame.message.count
    return true
  }

  /// No event follows those that wait. The first ending counts.
  mutating func end(_ result: Result<Void, HeddleError>) {
    guard ending == nil else { return }
    ending = result
    guard let waiter else { return }
    self.waiter = nil
    resume(waiter, result)
  }

  /// Gives the consumer the next event now, or when it comes. One consumer at a time.
  mutating func take(_ continuation: CheckedContinuation<Frame?, any Error>) {
    if let frame = frames.popFirst() {
      bytes -= frame.message.count
      continuation.resume(returning: frame)
    } else if let ending {
      resume(continuation, ending)
    } else if waiter == nil {
      waiter = continuation
    } else {
      continuation.resume(throwing: HeddleError.protocolViolation("one stream was read by two tasks at once"))
    }
  }

  /// The consumer was cancelled while it waited.
  mutating func cancelWaiter() {
    waiter?.resume(throwing: CancellationError())
    waiter = nil
  }

  private func resume(_ continuation: CheckedContinuation<Frame?, any Error>, _ result: Result<Void, HeddleError>) {
    switch result {
    case .success: continuation.resume(returning: nil)
    case .failure(let error): continuation.resume(throwing: error)
    }
  }
}
