// The limits of one recording: its file, its time, and the bytes that may wait in memory (Tap.W3).

import HeddleMetrics
import Synchronization

/// Shared by the loops and the writer of one recording.
final class TapRoom: Sendable {
  let limit: Int
  private let waiting = Atomic<Int>(0)
  let droppedFrames = Atomic<Int>(0)
  let droppedBytes = Atomic<Int>(0)
  /// Those of all recordings of the server.
  private let metrics: CaptureMetrics

  init(limit: Int, _ metrics: CaptureMetrics) {
    self.limit = limit
    self.metrics = metrics
  }

  /// Room for so many bytes, or false.
  func take(_ bytes: Int) -> Bool {
    guard bytes <= limit else { return false }
    let now = waiting.add(bytes, ordering: .relaxed).newValue
    if now <= limit { return true }
    waiting.subtract(bytes, ordering: .relaxed)
    return false
  }

  func give(_ bytes: Int) { waiting.subtract(bytes, ordering: .relaxed) }

  func dropped(frames: Int, bytes: Int) {
    droppedFrames.add(frames, ordering: .relaxed)
    droppedBytes.add(bytes, ordering: .relaxed)
    metrics.droppedFrames.add(frames)
    metrics.droppedBytes.add(bytes)
  }
}

/// Bounds of one recording.
struct TapBounds: Sendable {
  /// Of the file.
  var bytes: Int
  var milliseconds: Int
  /// Free bytes that the disk must keep.
  var freeBytes = 128 << 20
}
