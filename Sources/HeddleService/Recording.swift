// The seam of recordings: the requests that begin and end one. HeddleRecorder implements it.

import HeddleCore

/// Begins and ends recordings, for operators (ServerService). Answers come from whatever thread.
package protocol Recording: Sendable {
  /// The recording that runs, or the last one; nil: there was none.
  func state() -> CaptureState?
  func start(_ request: StartCaptureRequest, _ loops: [LoopState], _ answer: @escaping @Sendable (Answer) -> Void)
  func stop(_ loops: [LoopState], _ answer: @escaping @Sendable (Answer) -> Void)
  /// The server ends: what was taken is in the file when this returns.
  func shutDown(_ loops: [LoopState]) async
}
