// The queue on which a recording is written: takes batches of all loops, lets `TapOrder` put them into the file, and knows
// when the recording ends.
//
// Loops hand over within some 10 ms, so an entry that is 60 ms old can be written: nothing older will come. Half of the
// room taken is reason enough not to wait; a frame that comes late then carries the time of the one before it.

import Dispatch
import HeddleCapture
import HeddleCore
import NIOCore
import Synchronization

final class TapWriter: Sendable {
  /// How a recording stands. Read by anybody.
  struct Standing: Sendable {
    var progress = CaptureProgress()
    var end: CaptureEnd = .unspecified
    var elapsedMilliseconds: UInt64 = 0
  }

  let room: TapRoom
  private let queue = DispatchQueue(label: "heddle.tap")
  private let began: Int64
  /// Between the clock that people set and the one that nobody does.
  private let offset: Int64
  private let ended: @Sendable (Standing) -> Void
  /// Only the queue takes this lock, so nobody waits for the disk in it.
  private let order: Mutex<TapOrder>
  private let standing = Mutex(Standing())

  private static let settled: Int64 = 60_000_000

  /// Calls the body on the queue when so many milliseconds are over.
  typealias Alarm = (_ queue: DispatchQueue, _ milliseconds: Int, _ body: @escaping @Sendable () -> Void) -> Void

  /// Takes the descriptor of an empty file over. `ended` is called once, when everything is in the file.
  init(
    descriptor: Int32, thread: ThreadID?, room: TapRoom, bounds: TapBounds,
    alarm: Alarm = { $0.asyncAfter(deadline: .now() + .milliseconds($1), execute: $2) },
    ended: @escaping @Sendable (Standing) -> Void
  ) {
    self.room = room
    self.ended = ended
    order = Mutex(TapOrder(descriptor: descriptor, thread: thread, room: room, bounds: bounds))
    began = Self.monotonic()
    offset = wallNanoseconds() - began
    alarm(queue, bounds.milliseconds) { [weak self] in self?.finish(.time) }
  }

  private static func monotonic() -> Int64 { Int64(clamping: NIODeadline.now().uptimeNanoseconds) }

  /// For the entries of batches.
  func now() -> Int64 { Self.monotonic() + offset }

  func stand() -> Standing {
    standing.withLock {
      var now = $0
      if now.end == .unspecified { now.elapsedMilliseconds = elapsed }
      return now
    }
  }

  private var elapsed: UInt64 { UInt64(clamping: (Self.monotonic() - began) / 1_000_000) }

  // MARK: Taking

  func take(_ batch: TapBatch) {
    queue.async {
      self.step { order in
        order.take(batch)
        if order.isHalfFull { order.write(upTo: .max) }
      }
      self.schedule()
    }
  }

  /// Everything that was taken is written, then the file is closed.
  func stop(_ reason: CaptureEnd) {
    queue.async { self.finish(reason) }
  }

  private func schedule() {
    guard order.withLock({ $0.needsWake() }) else { return }
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(Self.settled))) {
      self.step { order in
        order.isScheduled = false
        order.write(upTo: self.now() - Self.settled)
      }
      self.schedule()
    }
  }

  private func finish(_ reason: CaptureEnd) {
    step { order in
      order.write(upTo: .max)
      order.finish(reason)
    }
  }

  /// One step of the queue's work. The first one behind which the recording is over says so.
  private func step(_ body: (inout TapOrder) -> Void) {
    let (hadEnded, end, progress) = order.withLock { order in
      let hadEnded = order.end != .unspecified
      body(&order)
      return (hadEnded, order.end, order.progress)
    }
    guard !hadEnded else { return }
    let elapsed = elapsed
    standing.withLock { $0 = Standing(progress: progress, end: end, elapsedMilliseconds: elapsed) }
    if end != .unspecified { ended(stand()) }
  }
}
