// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension CallToolRequest: WireMessage {
  public typealias CMessage = Heddle__V1__CallToolRequest
  public static var schemaIndex: UInt16 { 22 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_call_tool_request() }

  public init(c: UnsafePointer<Heddle__V1__CallToolRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") } else { try missing("turn") }
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
  public static var schemaIndex: UInt16 { 23 }
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
  public static var schemaIndex: UInt16 { 24 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_request_user_input_request() }

  public init(c: UnsafePointer<Heddle__V1__RequestUserInputRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") } else { try missing("turn") }
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
  public static var schemaIndex: UInt16 { 25 }
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

extension OpenCall: WireMessage {
  public typealias CMessage = Heddle__V1__OpenCall
  public static var schemaIndex: UInt16 { 26 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_open_call() }

  public init(c: UnsafePointer<Heddle__V1__OpenCall>) throws(DecodeError) {
    self.init()
    switch c.pointee.call_case.rawValue {
    case 1: if let p = c.pointee.tool { call = .tool(try CallToolRequest(c: UnsafePointer(p))) }
    case 2: if let p = c.pointee.input { call = .input(try RequestUserInputRequest(c: UnsafePointer(p))) }
    default: break
    }
  }

  public func write(_ out: inout BackwardWriter) {
    switch call {
    case .tool(let v)?: out.message(v, 10)
    case .input(let v)?: out.message(v, 18)
    default: break
    }
  }
}

extension CallEnded: WireMessage {
  public typealias CMessage = Heddle__V1__CallEnded
  public static var schemaIndex: UInt16 { 27 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_call_ended() }

  public init(c: UnsafePointer<Heddle__V1__CallEnded>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_call_id != 0 { callId = readText(c.pointee.call_id) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !callId.isEmpty { out.text(callId, 26) }
    if turn != TurnID() { out.id(turn, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension AnswerCallRequest: WireMessage {
  public typealias CMessage = Heddle__V1__AnswerCallRequest
  public static var schemaIndex: UInt16 { 28 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_answer_call_request() }

  public init(c: UnsafePointer<Heddle__V1__AnswerCallRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") } else { try missing("turn") }
    if c.pointee.has_call_id != 0 { callId = readText(c.pointee.call_id) }
    switch c.pointee.answer_case.rawValue {
    case 4: if let p = c.pointee.tool { answer = .tool(try CallToolResponse(c: UnsafePointer(p))) }
    case 5: if let p = c.pointee.input { answer = .input(try RequestUserInputResponse(c: UnsafePointer(p))) }
    case 6: if let p = c.pointee.refused { answer = .refused(try WireError(c: UnsafePointer(p))) }
    default: break
    }
  }

  public func write(_ out: inout BackwardWriter) {
    switch answer {
    case .tool(let v)?: out.message(v, 34)
    case .input(let v)?: out.message(v, 42)
    case .refused(let v)?: out.message(v, 50)
    default: break
    }
    if !callId.isEmpty { out.text(callId, 26) }
    if turn != TurnID() { out.id(turn, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension AnswerCallResponse: WireMessage {
  public typealias CMessage = Heddle__V1__AnswerCallResponse
  public static var schemaIndex: UInt16 { 29 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_answer_call_response() }

  public init(c: UnsafePointer<Heddle__V1__AnswerCallResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_counted != 0 { counted = c.pointee.counted != 0 }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if counted { out.bool(counted, 16) }
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

