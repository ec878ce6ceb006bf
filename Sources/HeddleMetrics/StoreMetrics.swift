// The values of the store: its writer, its reads, and how it is. Its threads write them, and loops that hand it work.

/// Handed to a store when it is opened.
public final class StoreMetrics: Sendable {
  public let events = SharedValue()
  /// Groups, each with one sync.
  public let syncs = SharedValue()
  public let syncSeconds = Histogram(bounds: StoreMetrics.syncBounds)
  public let checkpoints = SharedValue()
  /// Bytes that were handed over and are not on disk, with what each write takes beside them.
  public let waitingBytes = SharedValue()
  /// Submissions in the writer's queue.
  public let waitingWrites = SharedValue()
  public let shortReads = ReadMetrics()
  public let longReads = ReadMetrics()
  /// 1 while changes are refused.
  public let isReadOnly = SharedValue()

  public init() {}

  /// 50 µs to 1 s.
  private static let syncBounds = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
  ]
  .map { $0 * 1_000 }
}

/// The reads of one lane.
public final class ReadMetrics: Sendable {
  public let done = SharedValue()
  public let waiting = SharedValue()

  init() {}
}
