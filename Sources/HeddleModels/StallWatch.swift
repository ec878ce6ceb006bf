// How long a provider has been silent, and how long it may be. Pure: time is handed in, in milliseconds of a clock that
// never steps.

import HeddleRuntime

struct StallWatch: Equatable, Sendable {
  /// The phase of a try.
  enum Phase: Equatable, Sendable {
    /// No connection yet. Can go to: waiting.
    case connecting
    /// The request is on its way; nothing has come back. Can go to: streaming, draining.
    case waiting
    /// The answer comes. Can go to: busy, draining.
    case streaming
    /// The server itself is behind: the provider is not to blame. Can go back to where it was.
    case busy
    /// The answer is whole; its connection ends. Can go nowhere.
    case draining
  }

  /// The meaning of a passed deadline.
  enum Verdict: Equatable, Sendable {
    case connectTimeout
    case stalledBeforeFirstByte
    case stalled
    /// Lines come, and nothing of an answer is in them.
    case silent
    /// Nothing is lost: the answer is whole.
    case enough
  }

  /// A body that goes on after the answer's end is not waited for longer than this. What has ended by then leaves its
  /// connection to the next request.
  static let drainMilliseconds: Int64 = 250

  let timeouts: ProviderTimeouts
  private(set) var phase = Phase.connecting
  private(set) var since: Int64
  /// Since when nothing of the answer has come; counts from the first byte of its body on.
  private(set) var contentSince: Int64
  private var interrupted = Phase.connecting

  init(timeouts: ProviderTimeouts, now: Int64) {
    self.timeouts = timeouts
    since = now
    contentSince = now
  }

  mutating func enter(_ phase: Phase, now: Int64) {
    if phase == .streaming, self.phase == .waiting { contentSince = now }
    self.phase = phase
    since = now
  }

  /// A line has come.
  mutating func progressed(now: Int64) {
    if phase == .waiting || phase == .streaming { enter(.streaming, now: now) }
  }

  /// A piece of the answer has come.
  mutating func said(now: Int64) { contentSince = now }

  /// Signals are handed over, which may take as long as it takes.
  mutating func beganHandingOver() {
    interrupted = phase
    phase = .busy
  }

  mutating func endedHandingOver(now: Int64) {
    enter(interrupted, now: now)
    contentSince = now
  }

  /// When patience ends; nil: never.
  var due: Int64? {
    switch phase {
    case .connecting: since + timeouts.connect
    case .waiting: since + timeouts.firstByte
    case .streaming: timeouts.content > 0 ? min(idleDue, contentSince + timeouts.content) : idleDue
    case .busy: nil
    case .draining: since + Self.drainMilliseconds
    }
  }

  private var idleDue: Int64 { since + timeouts.idle }

  func verdict(now: Int64) -> Verdict? {
    guard let due, now >= due else { return nil }
    switch phase {
    case .connecting: return .connectTimeout
    case .waiting: return .stalledBeforeFirstByte
    case .streaming: return now >= idleDue ? .stalled : .silent
    case .busy: return nil
    case .draining: return .enough
    }
  }

  /// How often to look: a deadline is met late by a quarter of the shortest timeout at most.
  var lookMilliseconds: Int64 {
    let content = timeouts.content > 0 ? timeouts.content : .max
    return max(10, min(1_000, timeouts.connect / 4, timeouts.firstByte / 4, timeouts.idle / 4, content / 4))
  }
}

extension FailureWords {
  /// The fault of a try whose deadline has passed; nil: the try is over, and well.
  func fault(_ verdict: StallWatch.Verdict, _ timeouts: ProviderTimeouts) -> AnswerFault? {
    switch verdict {
    case .connectTimeout: connectTimeout(timeouts.connect)
    case .stalledBeforeFirstByte: stalled(beforeFirstByte: true, timeouts.firstByte)
    case .stalled: stalled(beforeFirstByte: false, timeouts.idle)
    case .silent: silent(timeouts.content)
    case .enough: nil
    }
  }
}
