// Beginning and ending a recording: one at a time, for operators, into the operator's folder.
//
//   none       there was none yet.                                              Can go to beginning.
//   beginning  the file is being made, the loops are being told.                Can go to running, none, ended.
//   running    loops hand batches to the writer.                                Can go to ending, ended.
//   ending     somebody wants its end; loops hand over what they have.          Can go to ended.
//   ended      everything is in the file; it is kept to be asked about.         Can go to beginning.

import Dispatch
import Foundation
import HeddleCapture
import HeddleCore
import HeddleMetrics
import HeddleProtocol
import HeddleRuntime
import HeddleService
import Logging
import NIOCore
import Synchronization

package final class CaptureControl: Recording, Sendable {
  private enum Phase { case none, beginning, running, ending, ended }

  private struct State {
    var phase = Phase.none
    var file = ""
    var writer: TapWriter?
    var room: TapRoom?
    /// Answers that are given at the end.
    var waiting: [@Sendable (Answer) -> Void] = []
  }

  private let folder: CaptureFolder?
  private let metrics: CaptureMetrics
  private let logger: Logger
  /// Files are made here, not on an event loop.
  private let queue = DispatchQueue(label: "heddle.capture")
  private let shared = Mutex(State())

  static let defaultBytes: UInt64 = 64 << 20
  static let defaultMilliseconds: UInt64 = 300_000
  static let milliseconds: UInt64 = 24 * 3600 * 1000
  /// A file header and a frame or two.
  static let leastBytes: UInt64 = 4_096

  package init(folder: CaptureFolder?, metrics: CaptureMetrics, logger: Logger) {
    self.folder = folder
    self.metrics = metrics
    self.logger = logger
  }

  // MARK: Asking

  /// The recording that runs, or the last one; nil: there was none.
  package func state() -> CaptureState? {
    let (file, writer) = shared.withLock { ($0.file, $0.writer) }
    return writer.map { Self.state(file, $0.room, $0.stand()) }
  }

  private static func state(_ file: String, _ room: TapRoom, _ now: TapWriter.Standing) -> CaptureState {
    CaptureState(
      file: file, running: now.end == .unspecified, frames: UInt64(clamping: now.progress.frames),
      bytes: UInt64(clamping: now.progress.bytes),
      droppedFrames: UInt64(clamping: room.droppedFrames.load(ordering: .relaxed)),
      droppedBytes: UInt64(clamping: room.droppedBytes.load(ordering: .relaxed)),
      elapsedMs: now.elapsedMilliseconds, end: now.end)
  }

  // MARK: Beginning

  /// ServerService/StartCapture.
  package func start(
    _ request: StartCaptureRequest, _ loops: [LoopState], _ answer: @escaping @Sendable (Answer) -> Void
  ) {
    guard request.thread != nil || request.tenant != nil || request.share != nil else {
      return answer(.refused(Refusal(.missingField, [("field", "thread, tenant or share")])))
    }
    if let share = request.share, !(1...1_000).contains(share) {
      return answer(.refused(Refusal(.outOfRange, [("field", "share"), ("minimum", "1"), ("maximum", "1000")])))
    }
    let bytes = request.maxBytes ?? Self.defaultBytes
    guard bytes >= Self.leastBytes else {
      return answer(.refused(Refusal(.outOfRange, [("field", "max_bytes"), ("minimum", "\(Self.leastBytes)")])))
    }
    let milliseconds = request.maxMs ?? Self.defaultMilliseconds
    guard (1...Self.milliseconds).contains(milliseconds) else {
      return answer(
        .refused(Refusal(.outOfRange, [("field", "max_ms"), ("minimum", "1"), ("maximum", "\(Self.milliseconds)")])))
    }
    start(
      TapFilter(thread: request.thread, tenant: request.tenant, share: request.share), bytes: bytes,
      milliseconds: milliseconds, loops, answer)
  }

  func start(
    _ filter: TapFilter, bytes: UInt64, milliseconds: UInt64, _ loops: [LoopState],
    _ answer: @escaping @Sendable (Answer) -> Void
  ) {
    guard let folder else { return answer(.refused(Refusal(.captureOff))) }
    let mayBegin = shared.withLock { state in
      guard state.phase == .none || state.phase == .ended else { return false }
      state.phase = .beginning
      return true
    }
    guard mayBegin else { return answer(.refused(Refusal(.captureRunning))) }
    queue.async {
      switch self.open(folder, filter, bytes: bytes, milliseconds: milliseconds, loops) {
      case .failure(let refusal):
        self.shared.withLock { $0.phase = $0.writer == nil ? .none : .ended }
        answer(.refused(refusal))
      case .success(let writer): self.attach(filter, writer, loops, answer)
      }
    }
  }

  private func open(
    _ folder: CaptureFolder, _ filter: TapFilter, bytes: UInt64, milliseconds: UInt64, _ loops: [LoopState]
  ) -> Result<TapWriter, Refusal> {
    let room = folder.maximumBytes - folder.usedBytes()
    var bounds = TapBounds(bytes: min(room, Int(clamping: bytes)), milliseconds: Int(clamping: milliseconds))
    if let free = CaptureFolder.freeBytes(folder.descriptor) {
      bounds.bytes = min(bounds.bytes, free - bounds.freeBytes)
    }
    guard bounds.bytes >= Int(Self.leastBytes) else { return .failure(Refusal(.captureSpace)) }
    let name = "heddle-\(Self.stamp())-\(String(UInt32.random(in: .min ... .max), radix: 16)).pcap"
    guard let file = folder.create(name) else {
      logger.error("a recording cannot be made", metadata: ["file": "\(name)", "error": "\(errno)"])
      return .failure(Refusal(.captureFailed))
    }
    let writer = TapWriter(
      descriptor: file, thread: filter.thread, room: TapRoom(limit: folder.bufferBytes, metrics), bounds: bounds
    ) { [weak self] _ in self?.ended(loops) }
    shared.withLock { state in
      state.file = name
      state.writer = writer
      metrics.started.add(1)
      // Its time may be over already.
      if state.phase != .ended { metrics.running.set(1) }
    }
    logger.notice("recording", metadata: ["file": "\(name)", "bytes": "\(bounds.bytes)"])
    return .success(writer)
  }

  private static func stamp() -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 32)
    strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Answers when every loop records.
  private func attach(
    _ filter: TapFilter, _ writer: TapWriter, _ loops: [LoopState], _ answer: @escaping @Sendable (Answer) -> Void
  ) {
    each(loops) { loop in
      loop.observer = LoopTap(filter, writer, loop.context.eventLoop)
    } then: {
      let hasEnded = self.shared.withLock { state in
        if state.phase == .beginning { state.phase = .running }
        return state.phase == .ended
      }
      // Its time was shorter than the way here.
      if hasEnded { self.detach(writer, loops) {} }
      answer(.response(.serverStartCapture(StartCaptureResponse(capture: self.state()))))
    }
  }

  // MARK: Ending

  package func stop(_ loops: [LoopState], _ answer: @escaping @Sendable (Answer) -> Void) {
    stop(.stopped, loops, answer)
  }

  private func stop(_ reason: CaptureEnd, _ loops: [LoopState], _ answer: @escaping @Sendable (Answer) -> Void) {
    enum Next { case refuse, answer, wait, end(TapWriter) }
    let next: Next = shared.withLock { state in
      guard let writer = state.writer else { return .refuse }
      switch state.phase {
      case .none, .beginning: return .refuse
      case .ended: return .answer
      case .ending:
        state.waiting.append(answer)
        return .wait
      case .running:
        state.waiting.append(answer)
        state.phase = .ending
        return .end(writer)
      }
    }
    switch next {
    case .refuse: answer(.refused(Refusal(.noCapture)))
    case .answer: answer(stopped())
    case .wait: break
    case .end(let writer): detach(writer, loops) { writer.stop(reason) }
    }
  }

  private func stopped() -> Answer { .response(.serverStopCapture(StopCaptureResponse(capture: state()))) }

  /// The writer has closed the file.
  private func ended(_ loops: [LoopState]) {
    let (waiting, writer) = shared.withLock { state in
      defer { state.waiting = [] }
      state.phase = .ended
      metrics.running.set(0)
      return (state.waiting, state.writer)
    }
    if let writer { detach(writer, loops) {} }
    if let state = state() {
      logger.notice(
        "recorded",
        metadata: [
          "file": "\(state.file)", "frames": "\(state.frames)", "dropped": "\(state.droppedFrames)",
          "end": "\(state.end)",
        ])
    }
    for answer in waiting { answer(stopped()) }
  }

  /// A recording that has begun since stays.
  private func detach(_ writer: TapWriter, _ loops: [LoopState], _ done: @escaping @Sendable () -> Void) {
    each(loops) { loop in
      guard let tap = loop.observer as? LoopTap, tap.writer === writer else { return }
      tap.handOver(isLast: true)
      loop.observer = nil
    } then: {
      done()
    }
  }

  /// On each of the loops, then once on the last.
  private func each(
    _ loops: [LoopState], _ body: @escaping @Sendable (LoopState) -> Void, then done: @escaping @Sendable () -> Void
  ) {
    let left = Countdown(loops.count)
    for loop in loops {
      loop.context.inbox.post {
        body(loop)
        if left.isLast() { done() }
      }
    }
  }

  /// The server ends: what was taken is in the file when this returns.
  package func shutDown(_ loops: [LoopState]) async {
    await withCheckedContinuation { continuation in
      stop(.shutdown, loops) { _ in continuation.resume() }
    }
  }
}

private final class Countdown: Sendable {
  private let left: Atomic<Int>
  init(_ count: Int) { left = Atomic(count) }
  func isLast() -> Bool { left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 }
}
