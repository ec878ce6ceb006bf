// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension ImagePart: WireMessage {
  public typealias CMessage = Heddle__V1__ImagePart
  public static var schemaIndex: UInt16 { 0 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_image_part() }

  public init(c: UnsafePointer<Heddle__V1__ImagePart>) throws(DecodeError) {
    self.init()
    if c.pointee.has_url != 0 { url = readText(c.pointee.url) }
    if c.pointee.has_detail != 0 { detail = readText(c.pointee.detail) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ImagePart>, _ arena: Arena) {
    heddle__v1__image_part__init(c)
    if !url.isEmpty { c.pointee.has_url = 1; c.pointee.url = arena.text(url) }
    if !detail.isEmpty { c.pointee.has_detail = 1; c.pointee.detail = arena.text(detail) }
  }
}

extension OpaquePart: WireMessage {
  public typealias CMessage = Heddle__V1__OpaquePart
  public static var schemaIndex: UInt16 { 1 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_opaque_part() }

  public init(c: UnsafePointer<Heddle__V1__OpaquePart>) throws(DecodeError) {
    self.init()
    if c.pointee.has_kind != 0 { kind = readText(c.pointee.kind) }
    if c.pointee.has_json != 0 { json = readText(c.pointee.json) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__OpaquePart>, _ arena: Arena) {
    heddle__v1__opaque_part__init(c)
    if !kind.isEmpty { c.pointee.has_kind = 1; c.pointee.kind = arena.text(kind) }
    if !json.isEmpty { c.pointee.has_json = 1; c.pointee.json = arena.text(json) }
  }
}

extension ContentPart: WireMessage {
  public typealias CMessage = Heddle__V1__ContentPart
  public static var schemaIndex: UInt16 { 2 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_content_part() }

  public init(c: UnsafePointer<Heddle__V1__ContentPart>) throws(DecodeError) {
    self.init()
    switch c.pointee.part_case.rawValue {
    case 1: part = .text(readText(c.pointee.text))
    case 2: if let p = c.pointee.image { part = .image(try ImagePart(c: UnsafePointer(p))) }
    case 3: part = .encrypted(readText(c.pointee.encrypted))
    case 4: if let p = c.pointee.opaque { part = .opaque(try OpaquePart(c: UnsafePointer(p))) }
    default: break
    }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ContentPart>, _ arena: Arena) {
    heddle__v1__content_part__init(c)
    switch part {
    case nil: break
    case .text(let v)?: c.pointee.part_case = Heddle__V1__ContentPart__PartCase(rawValue: 1); c.pointee.text = arena.text(v)
    case .image(let v)?: c.pointee.part_case = Heddle__V1__ContentPart__PartCase(rawValue: 2); c.pointee.image = arena.message(v)
    case .encrypted(let v)?: c.pointee.part_case = Heddle__V1__ContentPart__PartCase(rawValue: 3); c.pointee.encrypted = arena.text(v)
    case .opaque(let v)?: c.pointee.part_case = Heddle__V1__ContentPart__PartCase(rawValue: 4); c.pointee.opaque = arena.message(v)
    }
  }
}

extension MessageItem: WireMessage {
  public typealias CMessage = Heddle__V1__MessageItem
  public static var schemaIndex: UInt16 { 3 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_message_item() }

  public init(c: UnsafePointer<Heddle__V1__MessageItem>) throws(DecodeError) {
    self.init()
    if c.pointee.has_role != 0 { role = try readEnum(c.pointee.role.rawValue, "role", allowsZero: true) }
    if let p = c.pointee.content {
      content.reserveCapacity(c.pointee.n_content)
      for i in 0..<c.pointee.n_content { if let e = p[i] { content.append(try ContentPart(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_phase != 0 { phase = try readEnum(c.pointee.phase.rawValue, "phase", allowsZero: true) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__MessageItem>, _ arena: Arena) {
    heddle__v1__message_item__init(c)
    if role != .unspecified { c.pointee.has_role = 1; c.pointee.role = Heddle__V1__Role(rawValue: UInt32(bitPattern: role.rawValue)) }
    if !content.isEmpty { c.pointee.n_content = content.count; c.pointee.content = arena.messages(content) }
    if phase != .unspecified { c.pointee.has_phase = 1; c.pointee.phase = Heddle__V1__Phase(rawValue: UInt32(bitPattern: phase.rawValue)) }
  }
}

extension ReasoningItem: WireMessage {
  public typealias CMessage = Heddle__V1__ReasoningItem
  public static var schemaIndex: UInt16 { 4 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_reasoning_item() }

  public init(c: UnsafePointer<Heddle__V1__ReasoningItem>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.summary {
      summary.reserveCapacity(c.pointee.n_summary)
      for i in 0..<c.pointee.n_summary { summary.append(readText(p[i])) }
    }
    if let p = c.pointee.content {
      content.reserveCapacity(c.pointee.n_content)
      for i in 0..<c.pointee.n_content { content.append(readText(p[i])) }
    }
    if c.pointee.has_encrypted != 0 { encrypted = readText(c.pointee.encrypted) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ReasoningItem>, _ arena: Arena) {
    heddle__v1__reasoning_item__init(c)
    if !summary.isEmpty { c.pointee.n_summary = summary.count; c.pointee.summary = arena.array(summary) { arena.text($0) } }
    if !content.isEmpty { c.pointee.n_content = content.count; c.pointee.content = arena.array(content) { arena.text($0) } }
    if let v = encrypted { c.pointee.has_encrypted = 1; c.pointee.encrypted = arena.text(v) }
  }
}

extension ToolCallItem: WireMessage {
  public typealias CMessage = Heddle__V1__ToolCallItem
  public static var schemaIndex: UInt16 { 5 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_tool_call_item() }

  public init(c: UnsafePointer<Heddle__V1__ToolCallItem>) throws(DecodeError) {
    self.init()
    if c.pointee.has_call_id != 0 { callId = readText(c.pointee.call_id) }
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_tool_group != 0 { toolGroup = readText(c.pointee.tool_group) }
    if c.pointee.has_arguments != 0 { arguments = readText(c.pointee.arguments) }
    if c.pointee.has_freeform != 0 { freeform = c.pointee.freeform != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ToolCallItem>, _ arena: Arena) {
    heddle__v1__tool_call_item__init(c)
    if !callId.isEmpty { c.pointee.has_call_id = 1; c.pointee.call_id = arena.text(callId) }
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
    if !toolGroup.isEmpty { c.pointee.has_tool_group = 1; c.pointee.tool_group = arena.text(toolGroup) }
    if !arguments.isEmpty { c.pointee.has_arguments = 1; c.pointee.arguments = arena.text(arguments) }
    if freeform { c.pointee.has_freeform = 1; c.pointee.freeform = freeform ? 1 : 0 }
  }
}

extension ToolOutputItem: WireMessage {
  public typealias CMessage = Heddle__V1__ToolOutputItem
  public static var schemaIndex: UInt16 { 6 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_tool_output_item() }

  public init(c: UnsafePointer<Heddle__V1__ToolOutputItem>) throws(DecodeError) {
    self.init()
    if c.pointee.has_call_id != 0 { callId = readText(c.pointee.call_id) }
    if let p = c.pointee.content {
      content.reserveCapacity(c.pointee.n_content)
      for i in 0..<c.pointee.n_content { if let e = p[i] { content.append(try ContentPart(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_success != 0 { success = c.pointee.success != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ToolOutputItem>, _ arena: Arena) {
    heddle__v1__tool_output_item__init(c)
    if !callId.isEmpty { c.pointee.has_call_id = 1; c.pointee.call_id = arena.text(callId) }
    if !content.isEmpty { c.pointee.n_content = content.count; c.pointee.content = arena.messages(content) }
    if let v = success { c.pointee.has_success = 1; c.pointee.success = v ? 1 : 0 }
  }
}

extension AgentMessageItem: WireMessage {
  public typealias CMessage = Heddle__V1__AgentMessageItem
  public static var schemaIndex: UInt16 { 7 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_agent_message_item() }

  public init(c: UnsafePointer<Heddle__V1__AgentMessageItem>) throws(DecodeError) {
    self.init()
    if c.pointee.has_author != 0 { author = readText(c.pointee.author) }
    if c.pointee.has_recipient != 0 { recipient = readText(c.pointee.recipient) }
    if let p = c.pointee.content {
      content.reserveCapacity(c.pointee.n_content)
      for i in 0..<c.pointee.n_content { if let e = p[i] { content.append(try ContentPart(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_trigger_turn != 0 { triggerTurn = c.pointee.trigger_turn != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__AgentMessageItem>, _ arena: Arena) {
    heddle__v1__agent_message_item__init(c)
    if !author.isEmpty { c.pointee.has_author = 1; c.pointee.author = arena.text(author) }
    if !recipient.isEmpty { c.pointee.has_recipient = 1; c.pointee.recipient = arena.text(recipient) }
    if !content.isEmpty { c.pointee.n_content = content.count; c.pointee.content = arena.messages(content) }
    if triggerTurn { c.pointee.has_trigger_turn = 1; c.pointee.trigger_turn = triggerTurn ? 1 : 0 }
  }
}

extension CompactionItem: WireMessage {
  public typealias CMessage = Heddle__V1__CompactionItem
  public static var schemaIndex: UInt16 { 8 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_compaction_item() }

  public init(c: UnsafePointer<Heddle__V1__CompactionItem>) throws(DecodeError) {
    self.init()
    if c.pointee.has_summary != 0 { summary = readText(c.pointee.summary) }
    if let p = c.pointee.replacement {
      replacement.reserveCapacity(c.pointee.n_replacement)
      for i in 0..<c.pointee.n_replacement { if let e = p[i] { replacement.append(try MessageItem(c: UnsafePointer(e))) } }
    }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__CompactionItem>, _ arena: Arena) {
    heddle__v1__compaction_item__init(c)
    if !summary.isEmpty { c.pointee.has_summary = 1; c.pointee.summary = arena.text(summary) }
    if !replacement.isEmpty { c.pointee.n_replacement = replacement.count; c.pointee.replacement = arena.messages(replacement) }
  }
}

extension MarkerItem: WireMessage {
  public typealias CMessage = Heddle__V1__MarkerItem
  public static var schemaIndex: UInt16 { 9 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_marker_item() }

  public init(c: UnsafePointer<Heddle__V1__MarkerItem>) throws(DecodeError) {
    self.init()
    if c.pointee.has_kind != 0 { kind = try readEnum(c.pointee.kind.rawValue, "kind", allowsZero: true) }
    if c.pointee.has_role != 0 { role = try readEnum(c.pointee.role.rawValue, "role", allowsZero: true) }
    if c.pointee.has_text != 0 { text = readText(c.pointee.text) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__MarkerItem>, _ arena: Arena) {
    heddle__v1__marker_item__init(c)
    if kind != .unspecified { c.pointee.has_kind = 1; c.pointee.kind = Heddle__V1__MarkerKind(rawValue: UInt32(bitPattern: kind.rawValue)) }
    if role != .unspecified { c.pointee.has_role = 1; c.pointee.role = Heddle__V1__Role(rawValue: UInt32(bitPattern: role.rawValue)) }
    if !text.isEmpty { c.pointee.has_text = 1; c.pointee.text = arena.text(text) }
  }
}

extension Item: WireMessage {
  public typealias CMessage = Heddle__V1__Item
  public static var schemaIndex: UInt16 { 10 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_item() }

  public init(c: UnsafePointer<Heddle__V1__Item>) throws(DecodeError) {
    self.init()
    if c.pointee.has_id != 0 { id = try readID(c.pointee.id, "id") }
    if c.pointee.has_status != 0 { status = try readEnum(c.pointee.status.rawValue, "status", allowsZero: true) }
    if c.pointee.has_provider_id != 0 { providerId = readText(c.pointee.provider_id) }
    switch c.pointee.kind_case.rawValue {
    case 10: if let p = c.pointee.message { kind = .message(try MessageItem(c: UnsafePointer(p))) }
    case 11: if let p = c.pointee.reasoning { kind = .reasoning(try ReasoningItem(c: UnsafePointer(p))) }
    case 12: if let p = c.pointee.tool_call { kind = .toolCall(try ToolCallItem(c: UnsafePointer(p))) }
    case 13: if let p = c.pointee.tool_output { kind = .toolOutput(try ToolOutputItem(c: UnsafePointer(p))) }
    case 14: if let p = c.pointee.agent_message { kind = .agentMessage(try AgentMessageItem(c: UnsafePointer(p))) }
    case 15: if let p = c.pointee.compaction { kind = .compaction(try CompactionItem(c: UnsafePointer(p))) }
    case 16: if let p = c.pointee.marker { kind = .marker(try MarkerItem(c: UnsafePointer(p))) }
    case 17: if let p = c.pointee.opaque { kind = .opaque(try OpaquePart(c: UnsafePointer(p))) }
    default: break
    }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Item>, _ arena: Arena) {
    heddle__v1__item__init(c)
    if id != ItemID() { c.pointee.has_id = 1; c.pointee.id = arena.id(id) }
    if status != .unspecified { c.pointee.has_status = 1; c.pointee.status = Heddle__V1__ItemStatus(rawValue: UInt32(bitPattern: status.rawValue)) }
    if !providerId.isEmpty { c.pointee.has_provider_id = 1; c.pointee.provider_id = arena.text(providerId) }
    switch kind {
    case nil: break
    case .message(let v)?: c.pointee.kind_case = Heddle__V1__Item__KindCase(rawValue: 10); c.pointee.message = arena.message(v)
    case .reasoning(let v)?: c.pointee.kind_case = Heddle__V1__Item__KindCase(rawValue: 11); c.pointee.reasoning = arena.message(v)
    case .toolCall(let v)?: c.pointee.kind_case = Heddle__V1__Item__KindCase(rawValue: 12); c.pointee.tool_call = arena.message(v)
    case .toolOutput(let v)?: c.pointee.kind_case = Heddle__V1__Item__KindCase(rawValue: 13); c.pointee.tool_output = arena.message(v)
    case .agentMessage(let v)?: c.pointee.kind_case = Heddle__V1__Item__KindCase(rawValue: 14); c.pointee.agent_message = arena.message(v)
    case .compaction(let v)?: c.pointee.kind_case = Heddle__V1__Item__KindCase(rawValue: 15); c.pointee.compaction = arena.message(v)
    case .marker(let v)?: c.pointee.kind_case = Heddle__V1__Item__KindCase(rawValue: 16); c.pointee.marker = arena.message(v)
    case .opaque(let v)?: c.pointee.kind_case = Heddle__V1__Item__KindCase(rawValue: 17); c.pointee.opaque = arena.message(v)
    }
  }
}

