// The counts of a run. Each loop counts for itself; the runner collects and adds up, once a second.

import Glibc
import HeddleCore

/// Counts since they were last collected.
public struct RunStatistics: Sendable {
  public var requests: UInt64 = 0
  public var answers: UInt64 = 0
  /// Errors by reason, connections that were lost among them (`connection_lost`).
  public var errors: [String: UInt64] = [:]
  public var events: UInt64 = 0
  public var bytesIn: UInt64 = 0
  public var bytesOut: UInt64 = 0
  /// Requests that left more than `lateNanoseconds` after their time.
  public var late: UInt64 = 0
  /// The furthest that a request was behind its time, nanoseconds.
  public var behind: Int64 = 0
  /// Recorded frames that were sent although their milestones had not come.
  public var unmet: UInt64 = 0
  public var connections: UInt64 = 0
  /// Connections that were cut on purpose (`--drop-connections`).
  public var dropped: UInt64 = 0
  /// Numbered events that were left out, or came again.
  public var gaps: UInt64 = 0
  public var duplicates: UInt64 = 0
  /// From the intended time of sending to the answer.
  public var latency = Histogram()
  /// The same by method number.
  public var methods: [UInt16: Histogram] = [:]
  /// From the subscription to its first event, and from event to event of one subscription.
  public var firstEvent = Histogram()
  public var eventGap = Histogram()
  /// Answers awaited now: no count, a level.
  public var inFlight: Int = 0
  /// Copies, or connections of a load, that are at work now.
  public var active: Int = 0

  public static let lateNanoseconds: Int64 = 1_000_000

  /// Answers that were errors. What ended connections is counted among the errors and is no answer.
  public var refusedAnswers: UInt64 {
    errors.reduce(0) { sum, error in
      error.key == "connection_lost" || error.key == "going_away" ? sum : sum + error.value
    }
  }

  /// Of ten answers nine or more were errors: such a run has measured how fast a server refuses.
  public var isAlmostAllErrors: Bool {
    answers > 0 && Double(refusedAnswers) >= 0.9 * Double(answers)
  }

  public init() {}

  public mutating func add(_ other: RunStatistics) {
    requests += other.requests
    answers += other.answers
    errors.merge(other.errors, uniquingKeysWith: +)
    events += other.events
    bytesIn += other.bytesIn
    bytesOut += other.bytesOut
    late += other.late
    behind = max(behind, other.behind)
    unmet += other.unmet
    connections += other.connections
    dropped += other.dropped
    gaps += other.gaps
    duplicates += other.duplicates
    latency.add(other.latency)
    for (method, histogram) in other.methods { methods[method, default: Histogram()].add(histogram) }
    firstEvent.add(other.firstEvent)
    eventGap.add(other.eventGap)
    inFlight += other.inFlight
    active += other.active
  }

  /// A request left: `intended` is when it should have.
  mutating func sent(intended: Int64, now: Int64, bytes: Int) {
    requests += 1
    bytesOut += UInt64(bytes)
    let lag = now - intended
    if lag > Self.lateNanoseconds { late += 1 }
    if lag > behind { behind = lag }
  }

  mutating func answered(_ method: UInt16, after nanoseconds: Int64) {
    answers += 1
    latency.record(nanoseconds)
    methods[method, default: Histogram()].record(nanoseconds)
  }

  mutating func failed(_ reason: String) { errors[reason, default: 0] += 1 }

  /// Takes what was counted and begins anew; levels stay.
  mutating func collect() -> RunStatistics {
    let taken = self
    self = RunStatistics()
    inFlight = taken.inFlight
    active = taken.active
    return taken
  }
}

/// Nanoseconds of a clock that nobody sets.
@inline(__always)
func monotonicNanoseconds() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
}
