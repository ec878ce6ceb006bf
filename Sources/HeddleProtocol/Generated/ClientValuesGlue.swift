// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension CallToolRequest: WireMessage {
  public typealias CMessage = Heddle__V1__CallToolRequest
  public static var schemaIndex: UInt16 { 84 }
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

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__CallToolRequest>, _ arena: Arena) {
    heddle__v1__call_tool_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if turn != TurnID() { c.pointee.has_turn = 1; c.pointee.turn = arena.id(turn) }
    if !callId.isEmpty { c.pointee.has_call_id = 1; c.pointee.call_id = arena.text(callId) }
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
    if !arguments.isEmpty { c.pointee.has_arguments = 1; c.pointee.arguments = arena.text(arguments) }
    if deadline != 0 { c.pointee.has_deadline = 1; c.pointee.deadline = deadline }
  }
}

extension CallToolResponse: WireMessage {
  public typealias CMessage = Heddle__V1__CallToolResponse
  public static var schemaIndex: UInt16 { 85 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_call_tool_response() }

  public init(c: UnsafePointer<Heddle__V1__CallToolResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.content {
      content.reserveCapacity(c.pointee.n_content)
      for i in 0..<c.pointee.n_content { if let e = p[i] { content.append(try ContentPart(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_success != 0 { success = c.pointee.success != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__CallToolResponse>, _ arena: Arena) {
    heddle__v1__call_tool_response__init(c)
    if !content.isEmpty { c.pointee.n_content = content.count; c.pointee.content = arena.messages(content) }
    if success { c.pointee.has_success = 1; c.pointee.success = success ? 1 : 0 }
  }
}

extension RequestUserInputRequest: WireMessage {
  public typealias CMessage = Heddle__V1__RequestUserInputRequest
  public static var schemaIndex: UInt16 { 86 }
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
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__RequestUserInputRequest>, _ arena: Arena) {
    heddle__v1__request_user_input_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if turn != TurnID() { c.pointee.has_turn = 1; c.pointee.turn = arena.id(turn) }
    if !question.isEmpty { c.pointee.has_question = 1; c.pointee.question = arena.text(question) }
    if !choices.isEmpty { c.pointee.n_choices = choices.count; c.pointee.choices = arena.array(choices) { arena.text($0) } }
    if !actionHash.isEmpty { c.pointee.has_action_hash = 1; c.pointee.action_hash = arena.bytes(actionHash) }
    if deadline != 0 { c.pointee.has_deadline = 1; c.pointee.deadline = deadline }
  }
}

extension RequestUserInputResponse: WireMessage {
  public typealias CMessage = Heddle__V1__RequestUserInputResponse
  public static var schemaIndex: UInt16 { 87 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_request_user_input_response() }

  public init(c: UnsafePointer<Heddle__V1__RequestUserInputResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_answer != 0 { answer = readText(c.pointee.answer) }
    if c.pointee.has_action_hash != 0 { actionHash = readBytes(c.pointee.action_hash) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__RequestUserInputResponse>, _ arena: Arena) {
    heddle__v1__request_user_input_response__init(c)
    if !answer.isEmpty { c.pointee.has_answer = 1; c.pointee.answer = arena.text(answer) }
    if !actionHash.isEmpty { c.pointee.has_action_hash = 1; c.pointee.action_hash = arena.bytes(actionHash) }
  }
}

