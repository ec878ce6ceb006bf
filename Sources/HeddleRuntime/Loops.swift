// Event loops, and handing work from one to another in batches: measured, a hop per frame costs 19 times the CPU of doing
// it in place, a hop per batch 2.5 times (performance.md).

import HeddleCore
import HeddleMetrics
import NIOConcurrencyHelpers
import NIOCore

/// Work for one event loop. The first item of a batch wakes the loop; what comes until it wakes goes along.
public final class LoopInbox: Sendable {
  private struct State {
    var items: [@Sendable () -> Void] = []
    var isScheduled = false
  }

  private let eventLoop: any EventLoop
  /// A lock that the thread sanitizer understands: this is the one place where all loops meet.
  private let state = NIOLockedValueBox(State())

  init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

  /// Runs `work` on the loop, after everything posted before it.
  public func post(_ work: @escaping @Sendable () -> Void) {
    let wakes = state.withLockedValue { state in
      state.items.append(work)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if wakes { eventLoop.execute { self.drain() } }
  }

  private func drain() {
    let items = state.withLockedValue { state in
      state.isScheduled = false
      return exchange(&state.items, [])
    }
    for work in items { work() }
  }
}

private func exchange<T>(_ value: inout T, _ new: T) -> T {
  defer { value = new }
  return value
}

/// One event loop with all that belongs to it: a shard of the threads, and its connections. As the executor of a task it
/// resumes the task with the loop's next batch, so a task that began on the loop stays on it.
public final class LoopContext: TaskExecutor {
  public let index: Int
  public let eventLoop: any EventLoop
  public let inbox: LoopInbox
  /// The values that this loop counts in.
  public let metrics: LoopMetrics

  init(index: Int, eventLoop: any EventLoop, metrics: LoopMetrics) {
    self.index = index
    self.eventLoop = eventLoop
    self.metrics = metrics
    inbox = LoopInbox(eventLoop)
  }

  /// Runs at once when already on the loop, else with the next batch.
  public func run(_ work: @escaping @Sendable () -> Void) {
    if eventLoop.inEventLoop { work() } else { inbox.post(work) }
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    inbox.post { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Time as the runtime hands it to the rules: a label and a clock that never steps back.
public struct RuntimeClock: Sendable {
  /// Unix milliseconds.
  public var now: @Sendable () -> Int64
  /// Milliseconds of the monotonic clock.
  public var instant: @Sendable () -> Int64
  /// Nanoseconds of the monotonic clock, for measurements.
  public var nanoseconds: @Sendable () -> Int

  /// Without a finer clock, `nanoseconds` is as fine as `instant`.
  public init(
    now: @escaping @Sendable () -> Int64, instant: @escaping @Sendable () -> Int64,
    nanoseconds: (@Sendable () -> Int)? = nil
  ) {
    self.now = now
    self.instant = instant
    self.nanoseconds =
      nanoseconds ?? { Int(clamping: instant()).multipliedReportingOverflow(by: 1_000_000).partialValue }
  }
}
