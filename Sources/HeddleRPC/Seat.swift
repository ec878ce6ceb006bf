// A seat: one principal on a connection that many share. A proxy sends the calls of all its clients through a few
// connections of HTTP/2; each principal among them has a caller of its own, so limits, keys, quotas and subscriptions are
// those of its requests alone.
//
// S1  A call has a number of its seat from the moment at which it is complete until its last answer, or until its client
//     takes it back. Numbers are odd and rise, as streams of frames do.
// S2  A seat that has ended answers nothing more: its calls have been told why.

import HeddleCore
import HeddleMetrics
import HeddleProtocol
import HeddleRuntime
import HeddleService
import HeddleStorage
import HeddleTokens
import NIOCore

/// One call, on the side of its door: where answers go. All methods are called on the loop of its connection.
package protocol CallExchange: AnyObject {
  /// The answer, or the end of the call's stream.
  func answer(_ message: AnswerMessage, _ method: Method)
  /// A stored event of the call's subscription. Returns the bytes that it took.
  func send(_ event: StoredEvent, of agent: ThreadID?) -> Int
  func send(_ event: SubscriptionEvent) -> Int
}

/// The connection that seats are on.
package protocol SeatHost: AnyObject {
  var isClosing: Bool { get }
  /// Whether more answers may be queued.
  var hasRoom: Bool { get }
  /// Bytes that wait to be written.
  var queuedBytes: Int { get }
  var addresses: (client: SocketAddress?, server: SocketAddress?) { get }
  func flush()
  /// A call has its answer.
  func callEnded()
  /// The seat of a principal that has made too many mistakes, or whose token has ended, is no more.
  func ended(_ seat: Seat, _ refusal: Refusal)
}

/// Confined to the loop of its connection, which is the proof for `@unchecked Sendable`.
package final class Seat: Outlet, @unchecked Sendable {
  package let caller: Caller
  private unowned let host: any SeatHost
  private var calls: [UInt32: any CallExchange] = [:]
  private var lastNumber: UInt32 = 0
  /// When its last call ended.
  package private(set) var idleSince: Int64?
  private var hasEnded = false

  init(_ caller: Caller, host: any SeatHost) {
    self.caller = caller
    self.host = host
    caller.attach(self)
  }

  package var isIdle: Bool { calls.isEmpty && caller.inFlight == 0 }
  package var openCalls: Int { calls.count }

  // MARK: Calls

  /// Gives a call its number (S1); nil: there are no more numbers.
  package func begin(_ call: any CallExchange) -> UInt32? {
    guard lastNumber < .max - 2 else { return nil }
    lastNumber = lastNumber == 0 ? 1 : lastNumber + 2
    calls[lastNumber] = call
    idleSince = nil
    return lastNumber
  }

  /// The client has taken the call back.
  package func cancelled(_ number: UInt32) {
    guard calls.removeValue(forKey: number) != nil else { return }
    caller.cancel(number, wasUsed: true)
  }

  /// Called a few times a second.
  package func tick(_ now: Int64) {
    if let refusal = caller.tick(now) { return end(refusal) }
    caller.tickSubscriptions(now)
    if isIdle { idleSince = idleSince ?? now } else { idleSince = nil }
  }

  /// The connection has room again.
  package func roomAgain() {
    caller.answerWaiting()
    caller.startPages()
    caller.resumeSubscriptions()
  }

  /// Ends all subscriptions, which say how far they came.
  package func endSubscriptions(_ refusal: Refusal) { caller.endSubscriptions(refusal) }

  /// The connection has ended, or the seat is not needed any more.
  func close() {
    hasEnded = true
    calls = [:]
    caller.closed()
    caller.detach()
  }

  // MARK: Outlet

  package var isClosing: Bool { hasEnded || host.isClosing }
  package var hasRoom: Bool { host.hasRoom }
  package var queuedBytes: Int { host.queuedBytes }
  package var addresses: (client: SocketAddress?, server: SocketAddress?) { host.addresses }

  package func answer(_ message: AnswerMessage, to stream: UInt32, _ method: Method) {
    guard let call = calls[stream] else { return }
    switch message {
    case .opening, .response(_, isLast: false): break
    case .response, .stored, .error: calls[stream] = nil
    }
    call.answer(message, method)
  }

  package func send(_ event: StoredEvent, of agent: ThreadID?, to stream: UInt32, replayed: Bool) -> Int {
    calls[stream]?.send(event, of: agent) ?? 0
  }

  package func send(_ event: SubscriptionEvent, to stream: UInt32) -> Int { calls[stream]?.send(event) ?? 0 }

  // Nothing comes outside calls (`CallerRules.calls`).
  package func send(notice: SubscriptionEvent) {}
  package func send(call: ServerCall, on stream: UInt32) {}
  package func withdraw(_ method: Method, from stream: UInt32) {}

  /// The connection says by itself that the server drains, when all its clients are to go.
  package func goAway(_ refusal: Refusal) {}

  package func flush() { host.flush() }

  /// Its principal has made too many mistakes, or may not stay. Other principals of the connection do not suffer for it.
  package func end(_ refusal: Refusal) {
    guard !hasEnded else { return }
    hasEnded = true
    let told = calls.sorted { $0.key < $1.key }
    calls = [:]
    for (_, call) in told { call.answer(.error(refusal.wire), .unspecified) }
    caller.stopServing()
    host.ended(self, refusal)
  }

  package func requestEnded() { host.callEnded() }
}
