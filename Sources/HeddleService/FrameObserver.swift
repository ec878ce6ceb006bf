// The seam of recordings on each loop: an observer of frames. HeddleRecorder implements it. A door that speaks no frames
// shows the frame that each of its messages equals.

import HeddleCore
import HeddleTokens
import NIOCore

/// A caller as an observer sees it.
package protocol ObservedCaller: AnyObject {
  var id: ConnectionID { get }
  /// Nil until it has said who it is.
  var principal: Principal? { get }
  /// The addresses of both ends, as far as there are any.
  var addresses: (client: SocketAddress?, server: SocketAddress?) { get }
  /// The stream whose subscription is about this thread.
  func stream(following thread: ThreadID) -> UInt32?
  /// The observer's notes.
  var observed: AnyObject? { get set }
}

/// Sees all frames that the callers of one loop send and receive, in order. Confined to that loop.
package protocol FrameObserver: AnyObject {
  /// The time for `heard`, in nanoseconds since 1970.
  func now() -> Int64
  /// Frames that were served; `at` is the time at which they were about to be.
  func heard(_ caller: any ObservedCaller, _ bytes: ByteBufferView, at: Int64)
  /// Frames that go out now.
  func said(_ caller: any ObservedCaller, _ bytes: ByteBufferView)
  func closed(_ caller: any ObservedCaller, fromClient: Bool)
}
