// A run of a recording: so many copies beside each other, round after round.

import HeddleCapture
import NIOCore

/// How a recording is replayed.
public struct ReplayOptions: Sendable {
  public var host = "127.0.0.1"
  public var port = 7420
  public var encryption: Encryption?
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
    let runner = try await Runner(loops: min(options.loops, options.copies))
    let working = WorkCount(options.copies)
    let works = try await runner.make(options.copies) { index, loop, statistics in
      ReplayRounds(
        rounds: options.rounds,
        make: { round, finished in
          ReplayCopy(
            loop: loop, plan: plan, address: address, options: options,
            place: .init(index: index, count: options.copies), statistics: statistics,
            writer: index == 0 && round == 0 ? writer : nil, finished: finished)
        },
        ended: { working.end() })
    }
    let result = try await runner.run(
      works, seconds: options.seconds, stop: stop, isDone: { working.isZero }, sample: sample)
    writer?.close()
    return result
  }
}

/// One copy after the other in one place.
private final class ReplayRounds: LoopWork {
  /// A recording is sent as it is, and its threads stay.
  var made: MadeThreads { MadeThreads() }

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
    loop.assumeIsolated().execute { self.begin(at: monotonicNanoseconds()) }
  }
}
