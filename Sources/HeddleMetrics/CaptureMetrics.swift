// The values of recordings (docs/replay.md).

public final class CaptureMetrics: Sendable {
  /// 1 while something is recorded.
  public let running = SharedValue()
  public let started = SharedValue()
  public let droppedFrames = SharedValue()
  public let droppedBytes = SharedValue()

  package init() {}
}
