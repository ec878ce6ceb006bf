// The times at which a replay or a load sends.

/// When frames are sent.
public enum ReplayPace: Sendable {
  /// At the recorded times, so many times as fast.
  case speed(Double)
  /// As soon as what they wait for has come.
  case unlimited
  /// Requests at times that do not depend on answers.
  case schedule(RateSchedule)
}

/// An open loop: when the n-th request of all is due.
public struct RateSchedule: Sendable {
  public var perSecond: Double
  /// Seconds in which the rate rises from nothing.
  public var ramp: Double

  public init(perSecond: Double, ramp: Double = 0) {
    self.perSecond = perSecond
    self.ramp = ramp
  }

  /// Nanoseconds from the start.
  func due(_ number: Int) -> Int64 {
    let number = Double(number)
    let inRamp = perSecond * ramp / 2
    let seconds = number < inRamp ? (2 * ramp * number / perSecond).squareRoot() : (number - inRamp) / perSecond + ramp
    return Int64(seconds * 1e9)
  }
}
