// One loop's copies of frames on their way to the writer.

import HeddleCapture
import HeddleCore

/// Copied bytes, and what happened on each connection, in the order in which the loop saw it.
struct TapBatch: Sendable {
  enum Event: Sendable {
    /// A connection from which something is recorded; the streams on which the thread is followed already.
    case opened(CapturePath, streams: [UInt32])
    case piece(Range<Int>, fromClient: Bool)
    case lost(frames: Int, bytes: Int)
    case closed(fromClient: Bool)
  }

  struct Entry: Sendable {
    var connection: ConnectionID
    /// Nanoseconds since 1970, on a clock that does not step back.
    var at: Int64
    var event: Event
    /// Bytes of the room that this entry holds until it is written.
    var cost: Int
  }

  /// A rough cost of an entry beside its bytes.
  static let entryBytes = 160

  var bytes: [UInt8] = []
  var entries: [Entry] = []
}
