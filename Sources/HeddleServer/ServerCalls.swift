// What the server asks of this client (rules.md A9): requests on even streams, for threads that the client follows and for
// what it said in HELLO that it can. Every follower that can is asked; the first answer counts.
//
// Q1  A stream is in `serverCalls` from the request until its answer has been handed on, the call has ended, or the client
//     has let go of the thread.
// Q2  An answer that cannot be taken (not a message of the method, too large, for another action) leaves the stream open:
//     the client may answer again.
// Q3  An answer on a stream of the server's that is open no more is `already_answered`; on any other stream it is a fault,
//     which is told on stream 0.
// Q4  A call that the client has answered, or has left to others, is not asked again before it has ended, by whatever
//     way it comes: the thread's own subscription, its root's, or one of the tree (rules.md A13).

import Crypto
import Foundation
import HeddleCore
import HeddleProtocol
import HeddleRuntime
import NIOCore

/// What a client said in HELLO that it can.
struct ClientFeatures {
  static let tools = "call_tool"
  static let questions = "request_user_input"

  var callsTools = false
  var asksUser = false

  init() {}

  init(_ names: [String]) {
    callsTools = names.contains(Self.tools)
    asksUser = names.contains(Self.questions)
  }

  func covers(_ call: ClientCall) -> Bool { call.question == nil ? callsTools : asksUser }
}

extension ClientCall {
  func isSame(as other: ClientCall) -> Bool { turn == other.turn && call.callId == other.call.callId }

  var method: Method { question == nil ? .clientCallTool : .clientRequestUserInput }

  /// What an answer is bound to: another question, another call, another thread give another hash (attacks.md T2).
  var actionHash: [UInt8] {
    var hash = SHA256()
    func add(_ bytes: [UInt8]) {
      hash.update(data: Data(UInt64(bytes.count).bigEndianBytes))
      hash.update(data: Data(bytes))
    }
    for bytes in [thread.bytes, turn.bytes, Array(call.callId.utf8), Array((question?.text ?? "").utf8)] { add(bytes) }
    for choice in question?.choices ?? [] { add(Array(choice.utf8)) }
    return Array(hash.finalize())
  }
}

extension Connection {
  // MARK: Asking

  /// Asks this client, unless it cannot, or has been asked already.
  func ask(_ call: ClientCall) {
    guard phase == .open, can.covers(call), serverCalls.count < Int(core.limits.requestsInFlight),
      !serverCalls.values.contains(where: { $0.isSame(as: call) }),
      !settledCalls.contains(where: { $0.isSame(as: call) })
    else { return }
    lastServerStream &+= 2
    let stream = lastServerStream
    serverCalls[stream] = call
    if let question = call.question {
      send(
        .request, call.method, stream, 0,
        RequestUserInputRequest(
          thread: call.thread, turn: call.turn, question: question.text, choices: question.choices,
          actionHash: call.actionHash, deadline: call.deadline, callId: call.call.callId))
    } else {
      send(
        .request, call.method, stream, 0,
        CallToolRequest(
          thread: call.thread, turn: call.turn, callId: call.call.callId, name: call.call.name,
          arguments: call.call.arguments, deadline: call.deadline))
    }
  }

  /// Somebody else has answered, or the time is over, or the turn.
  func endCall(_ callID: String, of thread: ThreadID) {
    settledCalls.removeAll { $0.call.callId == callID && $0.thread == thread }
    for (stream, call) in serverCalls where call.call.callId == callID && call.thread == thread {
      withdraw(stream, call)
    }
  }

  /// The client follows something no more: calls of threads that it does not follow otherwise are no longer its own.
  func endCallsOfOthers() {
    for (stream, call) in serverCalls where !follows(call) { withdraw(stream, call) }
    settledCalls.removeAll { !follows($0) }
  }

  private func follows(_ call: ClientCall) -> Bool {
    followed[call.thread] != nil || followed[call.root] != nil
      || subscriptions.values.contains { $0.agents[call.thread] != nil }
  }

  /// Q4. Old ones make room: the worst that comes of that is a question that is asked twice.
  private func settle(_ stream: UInt32, _ call: ClientCall) {
    serverCalls[stream] = nil
    if settledCalls.count >= Int(core.limits.requestsInFlight) { settledCalls.removeFirst() }
    settledCalls.append(call)
  }

  private func withdraw(_ stream: UInt32, _ call: ClientCall) {
    serverCalls[stream] = nil
    frame(.cancel, call.method, stream, FrameHeader.endOfStream) { _ in }
  }

  // MARK: Answers

  func clientAnswered(_ frame: Frame) {
    let stream = frame.header.stream
    guard let call = serverCalls[stream] else {
      let wasAsked = stream & 1 == 0 && stream > 0 && stream <= lastServerStream
      // An error on a stream of the client's own would end what goes on there.
      guard wasAsked else { return refuse(0, .unspecified, Refusal(.unknownServerRequest, [("stream", "\(stream)")])) }
      return refuse(stream, .unspecified, Refusal(.alreadyAnswered))
    }
    let result = frame.kind == .error ? failure(frame) : answer(frame, call)
    switch result {
    case .failure(let refusal): refuse(stream, call.method, refusal)
    case .success(nil): settle(stream, call)
    case .success(let answer?):
      settle(stream, call)
      core.manager.clientAnswered(call, answer, from: self, stream: stream)
    }
  }

  /// A client that does not have the tool leaves it to the others; any other error is the tool's answer.
  private func failure(_ frame: Frame) -> Result<ToolAnswer?, Refusal> {
    switch decode(WireError.self, frame.payload) {
    case .failure(let refusal): return .failure(refusal)
    case .success(let error) where error.code == .unimplemented: return .success(nil)
    case .success(let error):
      let text = error.message.isEmpty ? "The tool failed." : error.message
      return .success(.failed(.failed, text.prefix(utf8Bytes: core.limits.toolOutputBytes)))
    }
  }

  private func answer(_ frame: Frame, _ call: ClientCall) -> Result<ToolAnswer?, Refusal> {
    if let question = call.question {
      switch decode(RequestUserInputResponse.self, frame.payload) {
      case .failure(let refusal): return .failure(refusal)
      case .success(let said): return check(said, question, call).map { .text($0) }
      }
    }
    switch decode(CallToolResponse.self, frame.payload) {
    case .failure(let refusal): return .failure(refusal)
    case .success(let said):
      if let refusal = check(said) { return .failure(refusal) }
      return .success(
        ToolAnswer(content: said.content, success: said.success, failure: said.success ? nil : .failed))
    }
  }

  private func check(_ said: CallToolResponse) -> Refusal? {
    var bytes = 0
    for part in said.content {
      switch part.part {
      case .text(let text)?: bytes += text.utf8.count
      case .image(let image)?: bytes += image.url.utf8.count
      case .encrypted?, .opaque?, nil: return Refusal(.unknownOperation, [("field", "content.part")])
      }
    }
    guard bytes <= core.limits.toolOutputBytes else {
      return Refusal(.textTooLong, [("field", "content"), ("limit", "\(core.limits.toolOutputBytes)")])
    }
    return nil
  }

  private func check(
    _ said: RequestUserInputResponse, _ question: ClientCall.Question, _ call: ClientCall
  ) -> Result<String, Refusal> {
    guard said.actionHash == call.actionHash else { return .failure(Refusal(.actionChanged)) }
    guard !said.answer.isEmpty else { return .failure(Refusal(.missingField, [("field", "answer")])) }
    guard said.answer.utf8.count <= core.limits.toolOutputBytes else {
      return .failure(
        Refusal(.textTooLong, [("field", "answer"), ("limit", "\(core.limits.toolOutputBytes)")]))
    }
    // By bytes: a choice that only looks like one of those offered is not it.
    let isOffered = question.choices.contains { $0.utf8.elementsEqual(said.answer.utf8) }
    guard question.choices.isEmpty || isOffered else {
      return .failure(Refusal(.outOfRange, [("field", "answer"), ("choices", "\(question.choices.count)")]))
    }
    return .success(said.answer)
  }

  /// The shard has another answer already.
  func refuseAnswer(_ stream: UInt32, _ method: Method, _ refusal: Refusal) { refuse(stream, method, refusal) }
}
