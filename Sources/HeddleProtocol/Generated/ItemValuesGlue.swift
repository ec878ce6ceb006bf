// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension ImagePart: WireMessage {
  public typealias CMessage = Heddle__V1__ImagePart
  public static var schemaIndex: UInt16 { 10 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_image_part() }

  public init(c: UnsafePointer<Heddle__V1__ImagePart>) throws(DecodeError) {
    self.init()
    if c.pointee.has_url != 0 { url = readText(c.pointee.url) }
    if c.pointee.has_detail != 0 { detail = readText(c.pointee.detail) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !detail.isEmpty { out.text(detail, 18) }
    if !url.isEmpty { out.text(url, 10) }
  }
}

extension OpaquePart: WireMessage {
  public typealias CMessage = Heddle__V1__OpaquePart
  public static var schemaIndex: UInt16 { 11 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_opaque_part() }

  public init(c: UnsafePointer<Heddle__V1__OpaquePart>) throws(DecodeError) {
    self.init()
    if c.pointee.has_kind != 0 { kind = readText(c.pointee.kind) }
    if c.pointee.has_json != 0 { json = readText(c.pointee.json) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !json.isEmpty { out.text(json, 18) }
    if !kind.isEmpty { out.text(kind, 10) }
  }
}

extension ContentPart: WireMessage {
  public typealias CMessage = Heddle__V1__ContentPart
  public static var schemaIndex: UInt16 { 12 }
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

  public func write(_ out: inout BackwardWriter) {
    switch part {
    case .text(let v)?: out.text(v, 10)
    case .image(let v)?: out.message(v, 18)
    case .encrypted(let v)?: out.text(v, 26)
    case .opaque(let v)?: out.message(v, 34)
    default: break
    }
  }
}

extension MessageItem: WireMessage {
  public typealias CMessage = Heddle__V1__MessageItem
  public static var schemaIndex: UInt16 { 13 }
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

  public func write(_ out: inout BackwardWriter) {
    if phase != .unspecified { out.signed(phase.rawValue, 24) }
    for v in content.reversed() { out.message(v, 18) }
    if role != .unspecified { out.signed(role.rawValue, 8) }
  }
}

extension ReasoningItem: WireMessage {
  public typealias CMessage = Heddle__V1__ReasoningItem
  public static var schemaIndex: UInt16 { 14 }
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
    if c.pointee.has_provider != 0 { provider = readText(c.pointee.provider) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !provider.isEmpty { out.text(provider, 34) }
    if let v = encrypted { out.text(v, 26) }
    for v in content.reversed() { out.text(v, 18) }
    for v in summary.reversed() { out.text(v, 10) }
  }
}

extension ToolCallItem: WireMessage {
  public typealias CMessage = Heddle__V1__ToolCallItem
  public static var schemaIndex: UInt16 { 15 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_tool_call_item() }

  public init(c: UnsafePointer<Heddle__V1__ToolCallItem>) throws(DecodeError) {
    self.init()
    if c.pointee.has_call_id != 0 { callId = readText(c.pointee.call_id) }
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_tool_group != 0 { toolGroup = readText(c.pointee.tool_group) }
    if c.pointee.has_arguments != 0 { arguments = readText(c.pointee.arguments) }
    if c.pointee.has_freeform != 0 { freeform = c.pointee.freeform != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if freeform { out.bool(freeform, 40) }
    if !arguments.isEmpty { out.text(arguments, 34) }
    if !toolGroup.isEmpty { out.text(toolGroup, 26) }
    if !name.isEmpty { out.text(name, 18) }
    if !callId.isEmpty { out.text(callId, 10) }
  }
}

extension ToolOutputItem: WireMessage {
  public typealias CMessage = Heddle__V1__ToolOutputItem
  public static var schemaIndex: UInt16 { 16 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_tool_output_item() }

  public init(c: UnsafePointer<Heddle__V1__ToolOutputItem>) throws(DecodeError) {
    self.init()
    if c.pointee.has_call_id != 0 { callId = readText(c.pointee.call_id) }
    if let p = c.pointee.content {
      content.reserveCapacity(c.pointee.n_content)
      for i in 0..<c.pointee.n_content { if let e = p[i] { content.append(try ContentPart(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_success != 0 { success = c.pointee.success != 0 }
    if c.pointee.has_reason != 0 { reason = readText(c.pointee.reason) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !reason.isEmpty { out.text(reason, 34) }
    if let v = success { out.bool(v, 24) }
    for v in content.reversed() { out.message(v, 18) }
    if !callId.isEmpty { out.text(callId, 10) }
  }
}

extension AgentMail: WireMessage {
  public typealias CMessage = Heddle__V1__AgentMail
  public static var schemaIndex: UInt16 { 17 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_agent_mail() }

  public init(c: UnsafePointer<Heddle__V1__AgentMail>) throws(DecodeError) {
    self.init()
    if c.pointee.has_id != 0 { id = try readID(c.pointee.id, "id") }
    if c.pointee.has_kind != 0 { kind = try readEnum(c.pointee.kind.rawValue, "kind", allowsZero: true) }
    if c.pointee.has_from != 0 { from = try readID(c.pointee.from, "from") }
    if c.pointee.has_author != 0 { author = readText(c.pointee.author) }
    if c.pointee.has_to != 0 { to = try readID(c.pointee.to, "to") }
    if c.pointee.has_recipient != 0 { recipient = readText(c.pointee.recipient) }
    if let p = c.pointee.content {
      content.reserveCapacity(c.pointee.n_content)
      for i in 0..<c.pointee.n_content { if let e = p[i] { content.append(try ContentPart(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_trigger_turn != 0 { triggerTurn = c.pointee.trigger_turn != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if triggerTurn { out.bool(triggerTurn, 64) }
    for v in content.reversed() { out.message(v, 58) }
    if !recipient.isEmpty { out.text(recipient, 50) }
    if to != ThreadID() { out.id(to, 42) }
    if !author.isEmpty { out.text(author, 34) }
    if from != ThreadID() { out.id(from, 26) }
    if kind != .unspecified { out.signed(kind.rawValue, 16) }
    if id != ItemID() { out.id(id, 10) }
  }
}

extension AgentMessageItem: WireMessage {
  public typealias CMessage = Heddle__V1__AgentMessageItem
  public static var schemaIndex: UInt16 { 18 }
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
    if c.pointee.has_kind != 0 { kind = try readEnum(c.pointee.kind.rawValue, "kind", allowsZero: true) }
  }

  public func write(_ out: inout BackwardWriter) {
    if kind != .unspecified { out.signed(kind.rawValue, 40) }
    if triggerTurn { out.bool(triggerTurn, 32) }
    for v in content.reversed() { out.message(v, 26) }
    if !recipient.isEmpty { out.text(recipient, 18) }
    if !author.isEmpty { out.text(author, 10) }
  }
}

extension CompactionItem: WireMessage {
  public typealias CMessage = Heddle__V1__CompactionItem
  public static var schemaIndex: UInt16 { 19 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_compaction_item() }

  public init(c: UnsafePointer<Heddle__V1__CompactionItem>) throws(DecodeError) {
    self.init()
    if c.pointee.has_summary != 0 { summary = readText(c.pointee.summary) }
    if let p = c.pointee.replacement {
      replacement.reserveCapacity(c.pointee.n_replacement)
      for i in 0..<c.pointee.n_replacement { if let e = p[i] { replacement.append(try MessageItem(c: UnsafePointer(e))) } }
    }
  }

  public func write(_ out: inout BackwardWriter) {
    for v in replacement.reversed() { out.message(v, 18) }
    if !summary.isEmpty { out.text(summary, 10) }
  }
}

extension MarkerItem: WireMessage {
  public typealias CMessage = Heddle__V1__MarkerItem
  public static var schemaIndex: UInt16 { 20 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_marker_item() }

  public init(c: UnsafePointer<Heddle__V1__MarkerItem>) throws(DecodeError) {
    self.init()
    if c.pointee.has_kind != 0 { kind = try readEnum(c.pointee.kind.rawValue, "kind", allowsZero: true) }
    if c.pointee.has_role != 0 { role = try readEnum(c.pointee.role.rawValue, "role", allowsZero: true) }
    if c.pointee.has_text != 0 { text = readText(c.pointee.text) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !text.isEmpty { out.text(text, 26) }
    if role != .unspecified { out.signed(role.rawValue, 16) }
    if kind != .unspecified { out.signed(kind.rawValue, 8) }
  }
}

extension Item: WireMessage {
  public typealias CMessage = Heddle__V1__Item
  public static var schemaIndex: UInt16 { 21 }
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

  public func write(_ out: inout BackwardWriter) {
    switch kind {
    case .message(let v)?: out.message(v, 82)
    case .reasoning(let v)?: out.message(v, 90)
    case .toolCall(let v)?: out.message(v, 98)
    case .toolOutput(let v)?: out.message(v, 106)
    case .agentMessage(let v)?: out.message(v, 114)
    case .compaction(let v)?: out.message(v, 122)
    case .marker(let v)?: out.message(v, 130)
    case .opaque(let v)?: out.message(v, 138)
    default: break
    }
    if !providerId.isEmpty { out.text(providerId, 26) }
    if status != .unspecified { out.signed(status.rawValue, 16) }
    if id != ItemID() { out.id(id, 10) }
  }
}

