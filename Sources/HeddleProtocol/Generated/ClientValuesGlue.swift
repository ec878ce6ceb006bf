// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension CallToolRequest: WireMessage {
  public typealias CMessage = Heddle__V1__CallToolRequest
  public static var schemaIndex: UInt16 { 92 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_call_tool_request() }

  public init(c: UnsafePointer<Heddle__V1__CallToolRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") } else { throw .missingField("turn") }
    if c.pointee.has_call_id != 0 { callId = readText(c.pointee.call_id) }
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_arguments != 0 { arguments = readText(c.pointee.arguments) }
    if c.pointee.has_deadline != 0 { deadline = c.pointee.deadline }
  }

  public func write(_ out: inout BackwardWriter) {
    if deadline != 0 { out.signed(deadline, 48) }
    if !arguments.isEmpty { out.text(arguments, 42) }
    if !name.isEmpty { out.text(name, 34) }
    if !callId.isEmpty { out.text(callId, 26) }
    if turn != TurnID() { out.id(turn, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension CallToolResponse: WireMessage {
  public typealias CMessage = Heddle__V1__CallToolResponse
  public static var schemaIndex: UInt16 { 93 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_call_tool_response() }

  public init(c: UnsafePointer<Heddle__V1__CallToolResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.content {
      content.reserveCapacity(c.pointee.n_content)
      for i in 0..<c.pointee.n_content { if let e = p[i] { content.append(try ContentPart(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_success != 0 { success = c.pointee.success != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if success { out.bool(success, 16) }
    for v in content.reversed() { out.message(v, 10) }
  }
}

extension RequestUserInputRequest: WireMessage {
  public typealias CMessage = Heddle__V1__RequestUserInputRequest
  public static var schemaIndex: UInt16 { 94 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_request_user_input_request() }

  public init(c: UnsafePointer<Heddle__V1__RequestUserInputRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") } else { throw .missingField("turn") }
    if c.pointee.has_question != 0 { question = readText(c.pointee.question) }
    if let p = c.pointee.choices {
      choices.reserveCapacity(c.pointee.n_choices)
      for i in 0..<c.pointee.n_choices { choices.append(readText(p[i])) }
    }
    if c.pointee.has_action_hash != 0 { actionHash = readBytes(c.pointee.action_hash) }
    if c.pointee.has_deadline != 0 { deadline = c.pointee.deadline }
    if c.pointee.has_call_id != 0 { callId = readText(c.pointee.call_id) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !callId.isEmpty { out.text(callId, 58) }
    if deadline != 0 { out.signed(deadline, 48) }
    if !actionHash.isEmpty { out.bytes(actionHash, 42) }
    for v in choices.reversed() { out.text(v, 34) }
    if !question.isEmpty { out.text(question, 26) }
    if turn != TurnID() { out.id(turn, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension RequestUserInputResponse: WireMessage {
  public typealias CMessage = Heddle__V1__RequestUserInputResponse
  public static var schemaIndex: UInt16 { 95 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_request_user_input_response() }

  public init(c: UnsafePointer<Heddle__V1__RequestUserInputResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_answer != 0 { answer = readText(c.pointee.answer) }
    if c.pointee.has_action_hash != 0 { actionHash = readBytes(c.pointee.action_hash) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !actionHash.isEmpty { out.bytes(actionHash, 18) }
    if !answer.isEmpty { out.text(answer, 10) }
  }
}

