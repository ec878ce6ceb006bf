// Whether every event loop answers: each notes the time once a second, and a probe looks at the notes.

import HeddleRuntime
import NIOCore
import Synchronization

/// The pulse of all loops.
final class LoopPulses: Sendable {
  /// A loop that was silent for so long does not serve anybody.
  static let limitMilliseconds: Int64 = 5_000

  private let contexts: [LoopContext]
  private let clock: RuntimeClock
  private let beats: Mutex<[Int64]>

  init(_ contexts: [LoopContext], _ clock: RuntimeClock) {
    self.contexts = contexts
    self.clock = clock
    beats = Mutex(Array(repeating: clock.instant(), count: contexts.count))
  }

  func start() {
    for (place, context) in contexts.enumerated() {
      context.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: .seconds(1)) { [weak self] task in
        guard let self else { return task.cancel() }
        let now = clock.instant()
        beats.withLock { $0[place] = now }
      }
    }
  }

  /// Milliseconds since the last note of each loop.
  var silences: [Int64] {
    let now = clock.instant()
    return beats.withLock { $0.map { max(0, now - $0) } }
  }

  var allAnswer: Bool { silences.allSatisfy { $0 < Self.limitMilliseconds } }
}

/// Scrapes cost milliseconds, so there are ten a second at most (attacks.md H7).
final class ScrapeBudget: Sendable {
  private static let perSecond = 10

  private let state = Mutex((second: Int64(-1), count: 0))

  /// `instant`: milliseconds of a clock that never steps back.
  func admits(at instant: Int64) -> Bool {
    state.withLock { state in
      if state.second != instant / 1_000 { state = (instant / 1_000, 0) }
      state.count += 1
      return state.count <= Self.perSecond
    }
  }
}
