// Frames of HTTP/2 that cost work and bring nothing: a budget for each kind, so that a flood ends its connection and a
// correct client never notices (attacks.md G1, G4, G5).

/// The budgets of one connection. A value over a clock that is handed in, in milliseconds.
struct Calm {
  enum Verdict: Equatable {
    case fine
    /// ENHANCE_YOUR_CALM with this text.
    case end(String)
  }

  struct Limits: Equatable, Sendable {
    var windowMilliseconds: Int64 = 30_000
    var idleFrames = 1_000
    /// WINDOW_UPDATE frames that sent data may still bring.
    var windowUpdatesDue = 20_000
    var resets = 1_000
    var pingSpacingMilliseconds: Int64 = 5_000
    var pingStrikes = 3
  }

  private let limits: Limits
  private var since: Int64
  private var idleFrames = 0
  private var resets = 0
  private var windowUpdatesDue = 0
  private var lastPing: Int64?
  private var strikes = 0

  init(now: Int64, limits: Limits = Limits()) {
    self.limits = limits
    since = now
  }

  private mutating func renew(_ now: Int64) {
    guard now - since >= limits.windowMilliseconds else { return }
    since = now
    idleFrames = 0
    resets = 0
  }

  /// A DATA frame has been sent: clients widen the windows of stream and connection for it, however small it is.
  /// Many measure their link by a PING then, too.
  mutating func sentData() {
    windowUpdatesDue = min(windowUpdatesDue + 2, limits.windowUpdatesDue)
    strikes = 0
    lastPing = nil
  }

  /// The client widens a window by a few bytes.
  mutating func widened(_ now: Int64) -> Verdict {
    guard windowUpdatesDue == 0 else {
      windowUpdatesDue -= 1
      return .fine
    }
    return idled(now)
  }

  /// An empty DATA, a PRIORITY, a small WINDOW_UPDATE, a SETTINGS.
  mutating func idled(_ now: Int64) -> Verdict {
    renew(now)
    idleFrames += 1
    return idleFrames > limits.idleFrames ? .end("too_many_idle_frames") : .fine
  }

  /// The client reset a stream, or made this server reset one.
  mutating func reset(_ now: Int64) -> Verdict {
    renew(now)
    resets += 1
    return resets > limits.resets ? .end("too_many_resets") : .fine
  }

  /// A PING of the client. `isBusy`: streams are open, so it may look more often whether the server lives.
  mutating func ping(_ now: Int64) -> Verdict {
    defer { lastPing = now }
    guard let lastPing, now - lastPing < limits.pingSpacingMilliseconds else { return .fine }
    strikes += 1
    return strikes >= limits.pingStrikes ? .end("too_many_pings") : .fine
  }

}
