// Runs copies or loads on all loops, collects what they count once a second, and says in the end what came of it.

import HeddleCapture
import HeddleCore
import HeddleProtocol
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

/// Something that works on one loop.
protocol LoopWork: AnyObject, Sendable {
  /// Called on the loop.
  func begin(at start: Int64)
  func stop()
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
  let statistics: [LoopStatistics]

  init(loops count: Int) {
    group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, count))
    loops = Array(group.makeIterator())
    statistics = loops.map { _ in LoopStatistics() }
  }

  /// Runs `works`, each on the loop of its index, until `isDone`, the time is over or somebody stops it. Then it waits
  /// `patience` seconds for works that are not done at once.
  func run(
    _ works: [any LoopWork], seconds: Double?, stop: RunStop, patience: Double = 0,
    isDone: @escaping @Sendable () -> Bool, sample: (RunSample, RunResult) -> Void
  ) async throws -> RunResult {
    var result = RunResult()
    let start = monotonicNanoseconds()
    for (index, work) in works.enumerated() {
      loops[index % loops.count].execute { work.begin(at: start) }
    }
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
        for (index, work) in works.enumerated() {
          try await loops[index % loops.count].submit { work.stop() }.get()
        }
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
    try await group.shutdownGracefully()
    return result
  }

  private func collect() async throws -> RunStatistics {
    var sum = RunStatistics()
    for (loop, statistics) in zip(loops, statistics) {
      sum.add(try await loop.submit { statistics.now.collect() }.get())
    }
    return sum
  }
}

/// How a recording is replayed.
public struct ReplayOptions: Sendable {
  public var host = "127.0.0.1"
  public var port = 7420
  public var pace = ReplayPace.unlimited
  public var copies = 1
  /// Times that each copy runs; 0: until the run is ended.
  public var rounds = 1
  public var seconds: Double?
  /// How long a frame waits for what it depends on.
  public var patience: Double = 10
  public var loops = System.coreCount
  public var faults = ReplayFaults()
  /// The first round of the first copy is written here.
  public var record: String?
  /// Called where the recorded server was lost, to do the same to this one; the replay goes on when it returns.
  public var atLoss: (@Sendable () async -> Void)?

  public init() {}
}

public enum Replay {
  public static func run(
    _ plan: ReplayPlan, _ options: ReplayOptions, stop: RunStop, sample: (RunSample, RunResult) -> Void = { _, _ in }
  ) async throws -> RunResult {
    let address = try HostAddress.resolve(options.host, port: options.port)
    let writer = try options.record.map { path throws(CaptureError) in
      try CaptureWriter(path: path, scrubber: Scrubber(keepsText: !plan.isScrubbed))
    }
    let runner = Runner(loops: min(options.loops, options.copies))
    let working = WorkCount(options.copies)
    let works = (0..<options.copies).map { index in
      let loop = index % runner.loops.count
      return ReplayRounds(
        rounds: options.rounds,
        make: { round, finished in
          ReplayCopy(
            loop: runner.loops[loop], plan: plan, address: address, pace: options.pace,
            place: .init(index: index, count: options.copies), patience: Int64(options.patience * 1e9),
            faults: options.faults, statistics: runner.statistics[loop],
            writer: index == 0 && round == 0 ? writer : nil,
            atLoss: options.atLoss, finished: finished)
        },
        ended: { working.end() })
    }
    let result = try await runner.run(
      works, seconds: options.seconds, stop: stop, isDone: { working.isZero }, sample: sample)
    writer?.close()
    return result
  }
}

/// One copy after the other in one place. `@unchecked Sendable`: confined to the loop that `begin` is called on.
private final class ReplayRounds: LoopWork, @unchecked Sendable {
  private let rounds: Int
  private let make: (Int, @escaping () -> Void) -> ReplayCopy
  private let ended: @Sendable () -> Void
  private var round = 0
  private var copy: ReplayCopy?
  private var isStopped = false

  init(
    rounds: Int, make: @escaping (Int, @escaping () -> Void) -> ReplayCopy, ended: @escaping @Sendable () -> Void
  ) {
    self.rounds = rounds
    self.make = make
    self.ended = ended
  }

  func begin(at start: Int64) {
    let copy = make(round) { [weak self] in self?.over() }
    self.copy = copy
    round += 1
    copy.begin(at: start)
  }

  func stop() {
    isStopped = true
    copy?.stop()
  }

  private func over() {
    guard !isStopped, rounds == 0 || round < rounds, let loop = copy?.loop else { return ended() }
    // Not from inside of the one that has just ended.
    loop.execute { self.begin(at: monotonicNanoseconds()) }
  }
}
