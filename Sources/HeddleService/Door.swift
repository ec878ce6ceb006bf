// A way into the server. A door translates between its protocol and callers; all checks, quotas, keys, routes and
// subscriptions are the service's, the same for every door.

import HeddleCore
import HeddleStorage
import NIOCore

/// Something that a server listens with: frames over TCP, later gRPC and HTTP.
package protocol Door: Sendable {
  /// The name of its address in the ready line.
  var name: String { get }
  /// Binds and begins to accept. The error says what to do.
  func open(_ core: ServerCore, on group: any EventLoopGroup) async throws -> any OpenDoor
}

/// A door that accepts connections.
package protocol OpenDoor: Sendable {
  /// The address in use, `127.0.0.1:7420`.
  var address: String { get }
  /// Accepts no more connections; those that are there go on.
  func stopAccepting() async
}

/// The message that answers a request, or ends its stream.
package enum AnswerMessage {
  /// Unless it `isLast`, events follow on the stream.
  case response(Response, isLast: Bool)
  /// A response as it was stored under a key: to be marked as replayed.
  case stored([UInt8])
  /// The answer to Subscribe, which events follow.
  case opening(SubscriptionEvent)
  /// The end of a stream.
  case error(WireError)
}

/// The door's side of one caller: how answers and events leave. Every method is called on the caller's loop.
package protocol Outlet: AnyObject {
  /// A goodbye has gone out: nothing more can be sent.
  var isClosing: Bool { get }
  /// Whether more may be queued. Short answers always may; events wait in the log, pages and large answers in the caller.
  var hasRoom: Bool { get }
  /// Bytes that wait to be written.
  var queuedBytes: Int { get }
  /// The addresses of both ends, as far as there are any.
  var addresses: (client: SocketAddress?, server: SocketAddress?) { get }

  /// The answer to a request, or the end of its stream.
  func answer(_ message: AnswerMessage, to stream: UInt32, _ method: Method)
  /// A stored event; `agent` is set when it is of another thread than the stream's own. Returns the bytes that it took.
  func send(_ event: StoredEvent, of agent: ThreadID?, to stream: UInt32, replayed: Bool) -> Int
  /// Any other event of a subscription. Returns the bytes that it took.
  func send(_ event: SubscriptionEvent, to stream: UInt32) -> Int
  /// A notice outside all streams.
  func send(notice: SubscriptionEvent)
  /// A call of the server, on a stream of the server's.
  func send(call: ServerCall, on stream: UInt32)
  /// Takes a call back.
  func withdraw(_ method: Method, from stream: UInt32)
  /// The server takes no more work.
  func goAway(_ refusal: Refusal)

  /// Writes what was queued.
  func flush()
  /// Ends the connection and says why.
  func end(_ refusal: Refusal)
  /// A request has its answer, or its slot is free again.
  func requestEnded()
}
