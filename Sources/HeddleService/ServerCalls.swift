// The server's calls of this client (rules.md A9): requests on even streams, for threads that the client follows and
// capabilities that it named in HELLO. Every follower with the capability is asked; the first answer counts. Clients that
// have no such streams get calls as events (AnnouncedCalls.swift) and answer by CallService/Answer; Q2 and Q3 hold there
// too, for the call instead of the stream.
//
// Q1  A stream is in `calls.open` from the request until its answer has been handed on, the call has ended, or the client
//     has let go of the thread.
// Q2  An answer that cannot be taken (not a message of the method, too large, for another action) leaves the stream open:
//     the client may answer again.
// Q3  An answer on a stream of the server's that is open no more is `already_answered`; on any other stream it is a
//     fault, which is reported on stream 0.
// Q4  A call that the client has answered, or has left to others, is not asked again before it has ended, by any of its
//     ways: the thread's own subscription, its root's, or one of the tree (rules.md A13).

import HeddleCore
import HeddleProtocol
import HeddleRuntime
import NIOCore

/// A client's answer to a call, as it came.
package enum ClientReply {
  case response(ByteBuffer)
  case error(ByteBuffer)
}

extension Caller {
  // MARK: Asking

  /// Asks this client, unless it cannot, or has been asked already.
  func ask(_ call: ClientCall) {
    guard isOpen, calls.can.covers(call), calls.open.count < Int(core.limits.requestsInFlight), !calls.has(call) else {
      return
    }
    calls.lastStream &+= 2
    let stream = calls.lastStream
    calls.open[stream] = call
    outlet.send(call: ServerCall(call), on: stream)
  }

  /// Another client has answered, or the time is over, or the turn.
  func endCall(_ callID: String, of thread: ThreadID) {
    calls.settled.removeAll { $0.call.callId == callID && $0.thread == thread }
    for (stream, call) in calls.open where call.call.callId == callID && call.thread == thread {
      withdraw(stream, call)
    }
  }

  /// The client follows something no more: calls of threads that it does not follow otherwise are no longer its own.
  func endCallsOfOthers() {
    for (stream, call) in calls.open where !follows(call) { withdraw(stream, call) }
    calls.settled.removeAll { !follows($0) }
  }

  private func follows(_ call: ClientCall) -> Bool {
    subscriptions.covers(call.thread) || subscriptions.stream(following: call.root) != nil
  }

  /// Q4. Old ones make room: the worst that comes of that is a question that is asked twice.
  private func settle(_ stream: UInt32, _ call: ClientCall) {
    calls.open[stream] = nil
    if calls.settled.count >= Int(core.limits.requestsInFlight) { calls.settled.removeFirst() }
    calls.settled.append(call)
  }

  private func withdraw(_ stream: UInt32, _ call: ClientCall) {
    calls.open[stream] = nil
    outlet.withdraw(call.method, from: stream)
  }

  // MARK: Answers

  /// The client answers a call on a stream of the server's.
  package func clientAnswered(_ stream: UInt32, _ reply: ClientReply) {
    guard let call = calls.open[stream] else {
      let wasAsked = stream & 1 == 0 && stream > 0 && stream <= calls.lastStream
      // An error on a stream of the client's own would end the request there.
      guard wasAsked else {
        return refuse(0, .unspecified, Refusal(.unknownServerRequest, [("stream", "\(stream)")]))
      }
      return refuse(stream, .unspecified, Refusal(.alreadyAnswered))
    }
    let result =
      switch reply {
      case .error(let bytes): failure(bytes)
      case .response(let bytes): answer(bytes, call)
      }
    switch result {
    case .failure(let refusal): refuse(stream, call.method, refusal)
    case .success(nil): settle(stream, call)
    case .success(let answer?):
      settle(stream, call)
      core.manager.clientAnswered(call, answer, from: Follower(self, stream))
    }
  }

  private func failure(_ bytes: ByteBuffer) -> Result<ToolAnswer?, Refusal> {
    loop.decode(WireError.self, bytes).map { AnswerCheck(core.limits).output(of: $0) }
  }

  private func answer(_ bytes: ByteBuffer, _ call: ClientCall) -> Result<ToolAnswer?, Refusal> {
    let check = AnswerCheck(core.limits)
    guard call.question != nil else {
      return loop.decode(CallToolResponse.self, bytes).flatMap { check.output(of: $0) }
    }
    return loop.decode(RequestUserInputResponse.self, bytes).flatMap { check.output(of: $0, to: call) }
  }
}
