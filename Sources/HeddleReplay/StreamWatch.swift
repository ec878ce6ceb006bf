// Counts of streams and of errors while frames come.

import HeddleProtocol

/// The events of one subscription as they come.
struct StreamWatch {
  private let opened: Int64
  private var lastAt: Int64 = 0
  /// The last numbered event; 0: none.
  private(set) var last: UInt64 = 0

  init(opened: Int64) { self.opened = opened }

  /// One numbered event has come, and no other.
  private(set) var isFirst = false

  mutating func event(_ peek: EventPeek, at now: Int64, _ statistics: inout RunStatistics) {
    if lastAt == 0 { statistics.firstEvent.record(now - opened) } else { statistics.eventGap.record(now - lastAt) }
    lastAt = now
    guard let sequence = peek.sequence else { return }
    isFirst = last == 0
    if last != 0 {
      if sequence <= last {
        statistics.duplicates += 1
        return
      }
      statistics.gaps += sequence - last - 1
    }
    last = sequence
  }
}

/// The reason of an `Error`, without decoding it.
enum ErrorPeek {
  static func reason(_ message: UnsafeRawBufferPointer) -> String {
    var reader = WireReader(message)
    while let (number, wire) = reader.tag() {
      if number == 2, wire == 2, let block = reader.block() { return String(decoding: message[block], as: UTF8.self) }
      guard number != 2, reader.skip(wire) else { break }
    }
    return "unknown"
  }
}

/// The counts of one loop, made and used on it.
final class LoopStatistics {
  var now = RunStatistics()
}
