// The seams of a recording: an observer of one loop's frames, and the requests that begin and end it. HeddleRecorder
// implements both. A door that speaks no frames shows the frame that each of its messages equals.

import HeddleCore
import NIOCore

/// Sees all frames that the callers of one loop send and receive, in order. Confined to that loop.
package protocol FrameObserver: AnyObject {
  /// The time for `heard`, in nanoseconds since 1970.
  func now() -> Int64
  /// Frames that were served; `at` is the time at which they were about to be.
  func heard(_ caller: Caller, _ bytes: ByteBufferView, at: Int64)
  /// Frames that go out now.
  func said(_ caller: Caller, _ bytes: ByteBufferView)
  func closed(_ caller: Caller, fromClient: Bool)
}

/// Begins and ends recordings, for operators (ServerService). Answers come from whatever thread.
package protocol Recording: Sendable {
  /// The recording that runs, or the last one; nil: there was none.
  func state() -> CaptureState?
  func start(_ request: StartCaptureRequest, _ loops: [LoopState], _ answer: @escaping @Sendable (Answer) -> Void)
  func stop(_ loops: [LoopState], _ answer: @escaping @Sendable (Answer) -> Void)
  /// The server ends: what was taken is in the file when this returns.
  func shutDown(_ loops: [LoopState]) async
}
