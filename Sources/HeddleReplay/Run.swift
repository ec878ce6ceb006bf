// Runs copies or loads on all loops, collects their counts once a second, and gives the result in the end.

import HeddleCore
import NIOCore
import NIOPosix
import Synchronization

/// One second of a run.
public struct RunSample: Sendable {
  /// Since the start, at the end of this second.
  public var seconds: Double
  public var length: Double
  public var counts: RunStatistics
}

/// A whole run.
public struct RunResult: Sendable {
  public var seconds: Double = 0
  public var total = RunStatistics()
  public var samples: [RunSample] = []
  /// It was ended before its time.
  public var wasStopped = false
  /// Threads that a load started, if it was to note them.
  public var made: [ThreadID] = []
  /// Of these, requests to start one whose answer did not come.
  public var unknownStarts = 0
}

/// Something that works on one loop. It is made there, and every call comes from there.
protocol LoopWork: AnyObject {
  /// Asked for when it has ended.
  var made: MadeThreads { get }
  func begin(at start: Int64)
  func stop()
}

/// Threads that a work started, and requests that may have started one.
struct MadeThreads: Sendable {
  var ids: [ThreadID] = []
  var unknownStarts = 0
}

/// Ends a run from outside.
public final class RunStop: Sendable {
  private let isStopped = Atomic(false)
  public init() {}
  public var stopped: Bool { isStopped.load(ordering: .relaxed) }
  public func stop() { isStopped.store(true, ordering: .relaxed) }
}

struct Runner {
  let group: MultiThreadedEventLoopGroup
  let loops: [any EventLoop]
  let statistics: [NIOLoopBound<LoopStatistics>]

  init(loops count: Int) async throws {
    group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, count))
    loops = Array(group.makeIterator())
    var statistics: [NIOLoopBound<LoopStatistics>] = []
    for loop in loops {
      statistics.append(try await loop.submit { NIOLoopBound(LoopStatistics(), eventLoop: loop) }.get())
    }
    self.statistics = statistics
  }

  /// So many works, each made on the loop of its index.
  func make(
    _ count: Int, _ make: @escaping @Sendable (Int, any EventLoop, LoopStatistics) -> any LoopWork
  ) async throws -> [NIOLoopBound<any LoopWork>] {
    let futures = (0..<count).map { index in
      let (loop, statistics) = (loops[index % loops.count], statistics[index % loops.count])
      return loop.submit { NIOLoopBound(make(index, loop, statistics.value), eventLoop: loop) }
    }
    var works: [NIOLoopBound<any LoopWork>] = []
    for future in futures { works.append(try await future.get()) }
    return works
  }

  /// Runs `works` until `isDone`, the time is over or somebody stops it. Then it waits
  /// `patience` seconds for works that are not done at once.
  func run(
    _ works: [NIOLoopBound<any LoopWork>], seconds: Double?, stop: RunStop, patience: Double = 0,
    isDone: @escaping @Sendable () -> Bool, sample: (RunSample, RunResult) -> Void
  ) async throws -> RunResult {
    var result = RunResult()
    let start = monotonicNanoseconds()
    for work in works { work.eventLoop.execute { work.value.begin(at: start) } }
    var last = start
    var isOver = false
    while !isOver {
      let next = last + 1_000_000_000
      while monotonicNanoseconds() < next, !isDone(), !stop.stopped {
        try? await Task.sleep(for: .milliseconds(5))
      }
      let now = monotonicNanoseconds()
      let elapsed = Double(now - start) / 1e9
      isOver = isDone() || stop.stopped || seconds.map { elapsed >= $0 } == true
      if isOver, !isDone() {
        result.wasStopped = stop.stopped
        for work in works { try await work.eventLoop.submit { work.value.stop() }.get() }
      }
      let counts = try await collect()
      result.total.add(counts)
      result.total.inFlight = counts.inFlight
      result.total.active = counts.active
      result.seconds = elapsed
      let piece = RunSample(seconds: elapsed, length: Double(now - last) / 1e9, counts: counts)
      result.samples.append(piece)
      sample(piece, result)
      last = now
    }
    let latest = monotonicNanoseconds() + Int64(patience * 1e9)
    while !isDone(), monotonicNanoseconds() < latest { try? await Task.sleep(for: .milliseconds(5)) }
    for made in works.map({ work in work.eventLoop.submit { work.value.made } }) {
      let made = try await made.get()
      result.made += made.ids
      result.unknownStarts += made.unknownStarts
    }
    try await group.shutdownGracefully()
    return result
  }

  private func collect() async throws -> RunStatistics {
    var sum = RunStatistics()
    for (loop, statistics) in zip(loops, statistics) {
      sum.add(try await loop.submit { statistics.value.now.collect() }.get())
    }
    return sum
  }
}

/// How many are still at work.
final class WorkCount: Sendable {
  private let count: Atomic<Int>
  init(_ count: Int) { self.count = Atomic(count) }
  var isZero: Bool { count.load(ordering: .relaxed) == 0 }
  func end() { count.subtract(1, ordering: .relaxed) }
}
