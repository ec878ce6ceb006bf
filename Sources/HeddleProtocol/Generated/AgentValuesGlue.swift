// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension Agent: WireMessage {
  public typealias CMessage = Heddle__V1__Agent
  public static var schemaIndex: UInt16 { 95 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_agent() }

  public init(c: UnsafePointer<Heddle__V1__Agent>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if c.pointee.has_parent != 0 { parent = try readID(c.pointee.parent, "parent") }
    if c.pointee.has_path != 0 { path = readText(c.pointee.path) }
    if c.pointee.has_nickname != 0 { nickname = readText(c.pointee.nickname) }
    if let p = c.pointee.status { status = try ThreadStatus(c: UnsafePointer(p)) }
    if c.pointee.has_version != 0 { version = try readEnum(c.pointee.version.rawValue, "version", allowsZero: false) }
    if c.pointee.has_last_task != 0 { lastTask = readText(c.pointee.last_task) }
    if let p = c.pointee.usage { usage = try TokenUsage(c: UnsafePointer(p)) }
    if c.pointee.has_depth != 0 { depth = c.pointee.depth }
    if c.pointee.has_role != 0 { role = readText(c.pointee.role) }
    if c.pointee.has_closed != 0 { closed = c.pointee.closed != 0 }
    if c.pointee.has_last_turn != 0 { lastTurn = try readEnum(c.pointee.last_turn.rawValue, "last_turn", allowsZero: true) }
    if c.pointee.has_waiting_messages != 0 { waitingMessages = c.pointee.waiting_messages }
  }

  public func write(_ out: inout BackwardWriter) {
    if waitingMessages != 0 { out.unsigned(waitingMessages, 104) }
    if lastTurn != .unspecified { out.signed(lastTurn.rawValue, 96) }
    if closed { out.bool(closed, 88) }
    if !role.isEmpty { out.text(role, 82) }
    if depth != 0 { out.unsigned(depth, 72) }
    if let v = usage { out.message(v, 66) }
    if !lastTask.isEmpty { out.text(lastTask, 58) }
    if version != .unspecified { out.signed(version.rawValue, 48) }
    if let v = status { out.message(v, 42) }
    if !nickname.isEmpty { out.text(nickname, 34) }
    if !path.isEmpty { out.text(path, 26) }
    if let v = parent { out.id(v, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ListTreeRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListTreeRequest
  public static var schemaIndex: UInt16 { 96 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_tree_request() }

  public init(c: UnsafePointer<Heddle__V1__ListTreeRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
  }

  public func write(_ out: inout BackwardWriter) {
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ListTreeResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListTreeResponse
  public static var schemaIndex: UInt16 { 97 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_tree_response() }

  public init(c: UnsafePointer<Heddle__V1__ListTreeResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.agents {
      agents.reserveCapacity(c.pointee.n_agents)
      for i in 0..<c.pointee.n_agents { if let e = p[i] { agents.append(try Agent(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_free_slots != 0 { freeSlots = c.pointee.free_slots }
    if let p = c.pointee.usage { usage = try TokenUsage(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = usage { out.message(v, 26) }
    if freeSlots != 0 { out.unsigned(freeSlots, 16) }
    for v in agents.reversed() { out.message(v, 10) }
  }
}

extension InterruptAgentRequest: WireMessage {
  public typealias CMessage = Heddle__V1__InterruptAgentRequest
  public static var schemaIndex: UInt16 { 98 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_interrupt_agent_request() }

  public init(c: UnsafePointer<Heddle__V1__InterruptAgentRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
  }

  public func write(_ out: inout BackwardWriter) {
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension InterruptAgentResponse: WireMessage {
  public typealias CMessage = Heddle__V1__InterruptAgentResponse
  public static var schemaIndex: UInt16 { 99 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_interrupt_agent_response() }

  public init(c: UnsafePointer<Heddle__V1__InterruptAgentResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_already != 0 { already = c.pointee.already != 0 }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if already { out.bool(already, 16) }
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

extension CloseAgentRequest: WireMessage {
  public typealias CMessage = Heddle__V1__CloseAgentRequest
  public static var schemaIndex: UInt16 { 100 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_close_agent_request() }

  public init(c: UnsafePointer<Heddle__V1__CloseAgentRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
  }

  public func write(_ out: inout BackwardWriter) {
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension CloseAgentResponse: WireMessage {
  public typealias CMessage = Heddle__V1__CloseAgentResponse
  public static var schemaIndex: UInt16 { 101 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_close_agent_response() }

  public init(c: UnsafePointer<Heddle__V1__CloseAgentResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_closed != 0 { closed = c.pointee.closed }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if closed != 0 { out.unsigned(closed, 8) }
  }
}

