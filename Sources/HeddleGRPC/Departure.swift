// How a connection of HTTP/2 ends without losing a call: because it has lived long enough, or because the server drains.
//
//   open       serves.                                                                       → announced
//   announced  GOAWAY with the highest number and a PING have gone out; new calls are served.→ closing
//   closing    GOAWAY with the last stream that was served: no new calls; running ones end.   → ended
//   ended      nothing runs, or the grace is over.

/// A value over a clock that is handed in, in milliseconds.
struct Departure {
  enum State: Equatable { case open, announced, closing, ended }

  enum Step: Equatable {
    case none
    /// Send GOAWAY with the highest number, and a PING.
    case announce
    /// Send GOAWAY with the last stream that was served.
    case close
    /// End subscriptions with `connection_age`.
    case endSubscriptions
    /// Close the socket.
    case end
  }

  /// A client that does not answer the PING is not waited for.
  static let pingMilliseconds: Int64 = 5_000

  private(set) var state = State.open
  /// 0: it may live for ever.
  private let bornAt: Int64
  private let ageMilliseconds: Int64
  private let graceMilliseconds: Int64
  private var since: Int64 = 0
  private var subscriptionsEnded = false

  init(now: Int64, ageMilliseconds: Int64, graceMilliseconds: Int64) {
    bornAt = now
    self.ageMilliseconds = ageMilliseconds
    self.graceMilliseconds = graceMilliseconds
  }

  /// The server drains, or the connection is to go for another reason.
  mutating func leave(_ now: Int64) -> Step {
    guard state == .open else { return .none }
    state = .announced
    since = now
    return .announce
  }

  /// The client has answered the PING.
  mutating func ponged(_ now: Int64) -> Step {
    guard state == .announced else { return .none }
    state = .closing
    since = now
    return .close
  }

  /// Called a few times a second. `isIdle`: no stream is open.
  mutating func tick(_ now: Int64, isIdle: Bool) -> Step {
    switch state {
    case .open: return ageMilliseconds > 0 && now - bornAt >= ageMilliseconds ? leave(now) : .none
    case .announced: return now - since >= Self.pingMilliseconds ? ponged(now) : .none
    case .closing:
      if isIdle {
        state = .ended
        return .end
      }
      guard now - since >= graceMilliseconds else { return .none }
      guard subscriptionsEnded else {
        subscriptionsEnded = true
        return .endSubscriptions
      }
      return .none
    case .ended: return .none
    }
  }
}
