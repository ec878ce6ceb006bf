// The calls that the server makes to one caller (rules.md A9): the messages that go out, and which of them wait for an
// answer. ServerCalls.swift asks and takes the answers.

import Crypto
import Foundation
import HeddleCore

/// The calls that a client can answer, as it named them in HELLO or for a subscription.
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

  init(_ kinds: [CallKind]) {
    callsTools = kinds.contains(.callTool)
    asksUser = kinds.contains(.requestUserInput)
  }

  func covers(_ call: ClientCall) -> Bool { call.question == nil ? callsTools : asksUser }
}

extension ClientCall {
  func isSame(as other: ClientCall) -> Bool { turn == other.turn && call.callId == other.call.callId }

  var method: Method { question == nil ? .clientCallTool : .clientRequestUserInput }

  /// The hash that an answer is bound to. Another question, call or thread has another one (attacks.md T2).
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

/// A call of the server as it goes out: the message of one of ClientService's methods.
package enum ServerCall {
  case tool(CallToolRequest)
  case question(RequestUserInputRequest)

  init(_ call: ClientCall) {
    guard let question = call.question else {
      self = .tool(
        CallToolRequest(
          thread: call.thread, turn: call.turn, callId: call.call.callId, name: call.call.name,
          arguments: call.call.arguments, deadline: call.deadline))
      return
    }
    self = .question(
      RequestUserInputRequest(
        thread: call.thread, turn: call.turn, question: question.text, choices: question.choices,
        actionHash: call.actionHash, deadline: call.deadline, callId: call.call.callId))
  }
}

extension OpenCall {
  init(_ call: ClientCall) {
    switch ServerCall(call) {
    case .tool(let request): self.init(call: .tool(request))
    case .question(let request): self.init(call: .input(request))
    }
  }
}

/// The calls that the server has made to one caller, on streams of the server's.
struct ServerCallTable {
  /// The calls that this client can answer.
  var can = ClientFeatures()
  /// Calls without an answer, by stream.
  var open: [UInt32: ClientCall] = [:]
  /// Calls that it has answered, or left to others, and that have not ended yet.
  var settled: [ClientCall] = []
  var lastStream: UInt32 = 0

  /// Whether the client has been asked already.
  func has(_ call: ClientCall) -> Bool {
    open.values.contains { $0.isSame(as: call) } || settled.contains { $0.isSame(as: call) }
  }
}
