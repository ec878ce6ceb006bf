// A provider's clock that a test sets by hand: it stands until a script moves it.

import Synchronization

@testable import HeddleModels

final class ManualClock: Sendable {
  private struct Sleeper {
    let due: Int64
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var now: Int64 = 0
    var sleepers: [Int: Sleeper] = [:]
    /// Cancelled before they slept.
    var cancelled: Set<Int> = []
    var count = 0
    var skipsNext = false
    var skipped: [Int64] = []

    /// Takes out the sleeper that is due first, at its time; nil: none is due, and it is `target`.
    mutating func next(upTo target: Int64) -> Sleeper? {
      guard let (number, first) = sleepers.min(by: { $0.value.due < $1.value.due }), first.due <= target else {
        now = max(now, target)
        return nil
      }
      now = max(now, first.due)
      sleepers[number] = nil
      return first
    }
  }

  private let state = Mutex(State())

  var now: Int64 { state.withLock(\.now) }
  /// The sleeps that were skipped, in milliseconds.
  var skipped: [Int64] { state.withLock(\.skipped) }
  var handedIn: ProviderClock { ProviderClock(now: { self.now }, sleep: { try await self.sleep($0) }) }

  /// The next sleep is over at once, and the clock moves by it: for pauses, in which no script runs.
  func skipNext() { state.withLock { $0.skipsNext = true } }

  /// Moves from one sleeper's time to the next one's, and waits until each has looked around and sleeps again. Throws when
  /// the caller is cancelled, as a script is whose try has ended.
  func advance(by milliseconds: Int64) async throws {
    let target = now + milliseconds
    while true {
      while state.withLock(\.sleepers.isEmpty) {
        try Task.checkCancellation()
        await Task.yield()
      }
      guard let woken = state.withLock({ $0.next(upTo: target) }) else { return }
      woken.continuation.resume()
    }
  }

  /// Moves at once, as the time does in which a task is not scheduled, and waits for nobody.
  func jump(by milliseconds: Int64) {
    let target = now + milliseconds
    while let woken = state.withLock({ $0.next(upTo: target) }) { woken.continuation.resume() }
  }

  private func sleep(_ milliseconds: Int64) async throws {
    let number = state.withLock { state -> Int? in
      guard !state.skipsNext else {
        state.skipsNext = false
        state.now += milliseconds
        state.skipped.append(milliseconds)
        return nil
      }
      state.count += 1
      return state.count
    }
    guard let number else { return }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isCancelled = state.withLock { state -> Bool in
          guard state.cancelled.remove(number) == nil else { return true }
          state.sleepers[number] = Sleeper(due: state.now + milliseconds, continuation: continuation)
          return false
        }
        if isCancelled { continuation.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        if let sleeper = state.sleepers.removeValue(forKey: number) { return sleeper }
        state.cancelled.insert(number)
        return nil
      }
      sleeper?.continuation.resume()
    }
    try Task.checkCancellation()
  }
}
