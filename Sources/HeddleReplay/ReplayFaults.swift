// Faults of clients while a recording is replayed: connections that are cut and come again, and slow readers.

public struct ReplayFaults: Sendable {
  /// Percent of the connections that are cut off each second and come again.
  public var dropPercent: Double = 0
  /// They ask for what follows the last event that they saw; otherwise for what happens next.
  public var resumes = false
  /// The first so many copies read 2 KiB every 50 ms.
  public var slowReaders = 0

  public init() {}
}
