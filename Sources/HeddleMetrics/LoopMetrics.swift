// The values of one event loop: its doors, and the threads of its shard.

import HeddleCore

/// Written on one loop only, read from anywhere.
public final class LoopMetrics: Sendable {
  /// One for each door; a new door gets values of its own beside them.
  public let frames = DoorMetrics()
  public let grpc = DoorMetrics()
  public let http = DoorMetrics()
  public let threadsLoaded = LoopValue()
  public let turnsRunning = LoopValue()
  /// Ended turns, by status.
  let turns = LoopRow<6>()
  let turnSeconds = Histogram(bounds: LoopMetrics.turnBounds)
  let firstTextSeconds = Histogram(bounds: LoopMetrics.turnBounds)
  /// Streams that threads are pushed to.
  public let followers = LoopValue()
  public let ephemeralBytes = LoopValue()
  /// Groups of writes that were handed to the store, the writes in them, and groups that the store refused.
  public let writeGroups = LoopValue()
  public let writes = LoopValue()
  public let failedGroups = LoopValue()
  /// By `ProxyHeader`.
  let proxyHeaders = LoopRow<8>()

  init() {}

  /// The end of the wait for a PROXY header.
  public enum ProxyHeader: Int, CaseIterable, Sendable {
    case accepted
    /// The proxy connects for itself.
    case local
    case malformed
    /// The sender is not listed.
    case untrusted
    case missing
    case timedOut

    var name: String { self == .timedOut ? "timed_out" : "\(self)" }
  }

  public func proxyHeader(_ outcome: ProxyHeader) { proxyHeaders.add(1, at: outcome.rawValue) }

  /// With the names of the doors as labels have them.
  var doors: [(name: String, values: DoorMetrics)] { [("frames", frames), ("grpc", grpc), ("http", http)] }

  /// A turn has ended after so many milliseconds.
  public func turnEnded(_ status: TurnStatus, afterMilliseconds duration: Int64) {
    turns.add(1, at: Int(status.rawValue))
    turnSeconds.add(nanoseconds: Int(clamping: duration).multipliedReportingOverflow(by: 1_000_000).partialValue)
  }

  /// The first text of a turn's model came so many milliseconds after the turn began.
  public func firstText(afterMilliseconds duration: Int64) {
    firstTextSeconds.add(nanoseconds: Int(clamping: duration).multipliedReportingOverflow(by: 1_000_000).partialValue)
  }

  /// 50 ms to 10 minutes.
  private static let turnBounds = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 300_000, 600_000,
  ]
  .map { $0 * 1_000_000 }
}
