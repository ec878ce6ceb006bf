// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension Agent: WireMessage {
  public typealias CMessage = Heddle__V1__Agent
  public static var schemaIndex: UInt16 { 69 }
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
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Agent>, _ arena: Arena) {
    heddle__v1__agent__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if let v = parent { c.pointee.has_parent = 1; c.pointee.parent = arena.id(v) }
    if !path.isEmpty { c.pointee.has_path = 1; c.pointee.path = arena.text(path) }
    if !nickname.isEmpty { c.pointee.has_nickname = 1; c.pointee.nickname = arena.text(nickname) }
    if let v = status { c.pointee.status = arena.message(v) }
    if version != .unspecified { c.pointee.has_version = 1; c.pointee.version = Heddle__V1__MultiAgentVersion(rawValue: UInt32(bitPattern: version.rawValue)) }
    if !lastTask.isEmpty { c.pointee.has_last_task = 1; c.pointee.last_task = arena.text(lastTask) }
    if let v = usage { c.pointee.usage = arena.message(v) }
    if depth != 0 { c.pointee.has_depth = 1; c.pointee.depth = depth }
  }
}

extension ListTreeRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListTreeRequest
  public static var schemaIndex: UInt16 { 70 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_tree_request() }

  public init(c: UnsafePointer<Heddle__V1__ListTreeRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListTreeRequest>, _ arena: Arena) {
    heddle__v1__list_tree_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
  }
}

extension ListTreeResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListTreeResponse
  public static var schemaIndex: UInt16 { 71 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_tree_response() }

  public init(c: UnsafePointer<Heddle__V1__ListTreeResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.agents {
      agents.reserveCapacity(c.pointee.n_agents)
      for i in 0..<c.pointee.n_agents { if let e = p[i] { agents.append(try Agent(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_free_slots != 0 { freeSlots = c.pointee.free_slots }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListTreeResponse>, _ arena: Arena) {
    heddle__v1__list_tree_response__init(c)
    if !agents.isEmpty { c.pointee.n_agents = agents.count; c.pointee.agents = arena.messages(agents) }
    if freeSlots != 0 { c.pointee.has_free_slots = 1; c.pointee.free_slots = freeSlots }
  }
}

extension InterruptAgentRequest: WireMessage {
  public typealias CMessage = Heddle__V1__InterruptAgentRequest
  public static var schemaIndex: UInt16 { 72 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_interrupt_agent_request() }

  public init(c: UnsafePointer<Heddle__V1__InterruptAgentRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__InterruptAgentRequest>, _ arena: Arena) {
    heddle__v1__interrupt_agent_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
  }
}

extension InterruptAgentResponse: WireMessage {
  public typealias CMessage = Heddle__V1__InterruptAgentResponse
  public static var schemaIndex: UInt16 { 73 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_interrupt_agent_response() }

  public init(c: UnsafePointer<Heddle__V1__InterruptAgentResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_already != 0 { already = c.pointee.already != 0 }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__InterruptAgentResponse>, _ arena: Arena) {
    heddle__v1__interrupt_agent_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if already { c.pointee.has_already = 1; c.pointee.already = already ? 1 : 0 }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

extension CloseAgentRequest: WireMessage {
  public typealias CMessage = Heddle__V1__CloseAgentRequest
  public static var schemaIndex: UInt16 { 74 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_close_agent_request() }

  public init(c: UnsafePointer<Heddle__V1__CloseAgentRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__CloseAgentRequest>, _ arena: Arena) {
    heddle__v1__close_agent_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
  }
}

extension CloseAgentResponse: WireMessage {
  public typealias CMessage = Heddle__V1__CloseAgentResponse
  public static var schemaIndex: UInt16 { 75 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_close_agent_response() }

  public init(c: UnsafePointer<Heddle__V1__CloseAgentResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_closed != 0 { closed = c.pointee.closed }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__CloseAgentResponse>, _ arena: Arena) {
    heddle__v1__close_agent_response__init(c)
    if closed != 0 { c.pointee.has_closed = 1; c.pointee.closed = closed }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

