// Writes a capture. Scrubs before anything is kept; several loops may write.

import Glibc
import HeddleProtocol
import Synchronization

/// The extent of what was written so far.
public struct CaptureProgress: Sendable {
  public var frames = 0
  /// Size of the file, including bytes that wait for the disk.
  public var bytes = 0
  /// The disk refused bytes.
  public var failed = false

  public init() {}
}

public final class CaptureWriter: Sendable {
  private struct State {
    var lastTime: Int64 = .min
    var descriptor: Int32
    var waiting: [UInt8]
    var progress = CaptureProgress()
  }

  private let state: Mutex<State>
  private let scrubber: Scrubber
  private let maximumBytes: Int
  private static let bufferBytes = 256 * 1024

  /// A new file that only its owner can read.
  public convenience init(path: String, scrubber: Scrubber) throws(CaptureError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CaptureError("\(path) cannot be written") }
    self.init(descriptor: descriptor, scrubber: scrubber)
  }

  /// Into an open, empty file, which is closed with the capture.
  public init(descriptor: Int32, scrubber: Scrubber, maximumBytes: Int = .max) {
    self.scrubber = scrubber
    self.maximumBytes = maximumBytes
    let header = CaptureFormat.fileHeader
    var progress = CaptureProgress()
    progress.bytes = header.count
    state = Mutex(State(descriptor: descriptor, waiting: header, progress: progress))
  }

  public var progress: CaptureProgress { state.withLock { $0.progress } }

  /// False: the file would become longer than it may, and the frame is not in it.
  @discardableResult
  public func write(
    _ header: FrameHeader, _ body: [UInt8], at time: Int64, path: CapturePath, fromClient: Bool
  ) -> Bool {
    var body = body
    scrubber.scrub(&body, header: header, fromClient: fromClient)
    var bytes = [UInt8]()
    bytes.reserveCapacity(FrameHeader.byteCount + body.count)
    header.append(to: &bytes)
    bytes += body
    return append(bytes, time, path.tags(fromClient: fromClient))
  }

  /// One side has closed.
  @discardableResult
  public func writeEnd(at time: Int64, path: CapturePath, fromClient: Bool) -> Bool {
    append([], time, path.tags(fromClient: fromClient))
  }

  /// Frames of this connection are missing here.
  @discardableResult
  public func writeLost(frames: Int, bytes: Int, at time: Int64, path: CapturePath) -> Bool {
    var body = [UInt8]()
    body.append(big: UInt64(frames))
    body.append(big: UInt64(bytes))
    var out = [UInt8]()
    FrameHeader(kind: CaptureFormat.lostKind, length: UInt32(body.count)).append(to: &out)
    return append(out + body, time, path.tags(fromClient: false), isFrame: false)
  }

  private func append(_ bytes: [UInt8], _ time: Int64, _ tags: [UInt8], isFrame: Bool = true) -> Bool {
    state.withLock { state in
      guard state.descriptor >= 0 else { return false }
      let count = CaptureFormat.recordBytes(bytes.count, tags: tags)
      guard count <= maximumBytes - state.progress.bytes else { return false }
      // Two loops may come here in another order than they looked at the clock.
      state.lastTime = max(state.lastTime, time)
      CaptureFormat.append(bytes, at: state.lastTime, tags: tags, &state.waiting)
      state.progress.bytes += count
      state.progress.frames += bytes.isEmpty || !isFrame ? 0 : 1
      if state.waiting.count >= Self.bufferBytes { Self.flush(&state) }
      return true
    }
  }

  /// Hands waiting bytes to the system.
  public func flush() { state.withLock { Self.flush(&$0) } }

  public func close() {
    state.withLock { state in
      Self.flush(&state)
      if state.descriptor >= 0 { Glibc.close(state.descriptor) }
      state.descriptor = -1
    }
  }

  private static func flush(_ state: inout State) {
    var sent = 0
    while sent < state.waiting.count, state.descriptor >= 0 {
      let count = state.waiting.withUnsafeBytes { raw in
        raw.baseAddress.map { Glibc.write(state.descriptor, $0 + sent, raw.count - sent) } ?? 0
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        state.progress.failed = true
        break
      }
      sent += count
    }
    state.waiting.removeAll(keepingCapacity: true)
  }
}

/// Nanoseconds since 1970, as captures have them.
public func wallNanoseconds() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
