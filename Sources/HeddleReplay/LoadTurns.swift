// Threads on which one connection of a load runs turns, one after the other on each.

/// By the stream of a thread's events.
struct LoadTurns {
  private struct Thread {
    /// The request that starts a turn.
    var frame: [UInt8]
    /// When the turn that runs was due; 0: none runs.
    var began: Int64 = 0
    var watch: StreamWatch
  }

  private var threads: [UInt32: Thread] = [:]
  private var free: [UInt32] = []
  /// The thread of each request that starts a turn, by its stream.
  private var starting: [UInt32: UInt32] = [:]

  var count: Int { threads.count }
  var running: Int { threads.count - free.count }

  mutating func add(_ stream: UInt32, _ frame: [UInt8], opened: Int64) {
    threads[stream] = Thread(frame: frame, watch: StreamWatch(opened: opened))
    free.append(stream)
  }

  /// The request for the next turn, which leaves on `request`; nil: every thread runs one.
  mutating func start(on request: UInt32, at due: Int64) -> [UInt8]? {
    guard let stream = free.popLast(), let frame = threads[stream]?.frame else { return nil }
    threads[stream]?.began = due
    starting[request] = stream
    if starting.count > 2048 { starting.removeAll() }
    return frame
  }

  /// A turn was refused: its thread is free again.
  mutating func refused(_ request: UInt32) {
    guard let stream = starting.removeValue(forKey: request) else { return }
    threads[stream]?.began = 0
    free.append(stream)
  }

  mutating func event(_ peek: EventPeek, on stream: UInt32, at now: Int64, _ statistics: inout RunStatistics) {
    threads[stream]?.watch.event(peek, at: now, &statistics)
    guard peek.kind == EventPeek.turnEnded, let began = threads[stream]?.began, began != 0 else { return }
    statistics.methods[0, default: Histogram()].record(now - began)
    threads[stream]?.began = 0
    free.append(stream)
  }
}
