// A connection that has lived long enough ends without losing a request, so that a load balancer can spread clients anew:
//
//   young   serves.                                                                            → told
//   told    GOAWAY has gone out with the last stream that is served; what runs goes on.        → late, over
//   late    the grace is over: subscriptions have ended with `connection_age`.                 → over
//   over    nothing runs.

/// A value over a clock that is handed in, in milliseconds.
struct FrameAge {
  enum State: Equatable { case young, told, late, over }

  enum Step: Equatable { case none, tell, endSubscriptions, end }

  /// A client that has nothing on its way is not cut off before it has read the GOAWAY.
  static let readingMilliseconds: Int64 = 1_000

  private(set) var state = State.young
  private let endsAt: Int64?
  private let graceMilliseconds: Int64
  private var toldAt: Int64 = 0

  /// `ageMilliseconds` 0: it may live for ever.
  init(now: Int64, ageMilliseconds: Int64, graceMilliseconds: Int64) {
    endsAt = ageMilliseconds > 0 ? now + ageMilliseconds : nil
    self.graceMilliseconds = graceMilliseconds
  }

  var isYoung: Bool { state == .young }

  /// Called a few times a second. `isIdle`: no request and no subscription is open.
  mutating func tick(_ now: Int64, isIdle: Bool) -> Step {
    switch state {
    case .young:
      guard let endsAt, now >= endsAt else { return .none }
      (state, toldAt) = (.told, now)
      return .tell
    case .told, .late:
      if isIdle, now - toldAt >= Self.readingMilliseconds {
        state = .over
        return .end
      }
      guard state == .told, now - toldAt >= graceMilliseconds else { return .none }
      state = .late
      return .endSubscriptions
    case .over: return .none
    }
  }
}
