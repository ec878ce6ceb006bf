// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension NameValue: WireMessage {
  public typealias CMessage = Heddle__V1__NameValue
  public static var schemaIndex: UInt16 { 30 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_name_value() }

  public init(c: UnsafePointer<Heddle__V1__NameValue>) throws(DecodeError) {
    self.init()
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_value != 0 { value = readText(c.pointee.value) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !value.isEmpty { out.text(value, 18) }
    if !name.isEmpty { out.text(name, 10) }
  }
}

extension Settings: WireMessage {
  public typealias CMessage = Heddle__V1__Settings
  public static var schemaIndex: UInt16 { 31 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_settings() }

  public init(c: UnsafePointer<Heddle__V1__Settings>) throws(DecodeError) {
    var fields = Fields()
    if c.pointee.has_model != 0 { fields.model = readText(c.pointee.model) }
    if c.pointee.has_model_provider != 0 { fields.modelProvider = readText(c.pointee.model_provider) }
    if c.pointee.has_reasoning_effort != 0 { fields.reasoningEffort = readText(c.pointee.reasoning_effort) }
    if c.pointee.has_reasoning_summary != 0 { fields.reasoningSummary = readText(c.pointee.reasoning_summary) }
    if c.pointee.has_service_tier != 0 { fields.serviceTier = readText(c.pointee.service_tier) }
    if c.pointee.has_base_instructions != 0 { fields.baseInstructions = readText(c.pointee.base_instructions) }
    if c.pointee.has_developer_instructions != 0 { fields.developerInstructions = readText(c.pointee.developer_instructions) }
    if c.pointee.has_mode != 0 { fields.mode = try readEnum(c.pointee.mode.rawValue, "mode", allowsZero: false) }
    if c.pointee.has_working_folder != 0 { fields.workingFolder = readText(c.pointee.working_folder) }
    if let p = c.pointee.metadata {
      fields.metadata.reserveCapacity(c.pointee.n_metadata)
      for i in 0..<c.pointee.n_metadata { if let e = p[i] { fields.metadata.append(try NameValue(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_temperature != 0 { fields.temperature = c.pointee.temperature }
    if c.pointee.has_turn_tokens != 0 { fields.turnTokens = c.pointee.turn_tokens }
    if c.pointee.has_thread_tokens != 0 { fields.threadTokens = c.pointee.thread_tokens }
    if c.pointee.has_tree_tokens != 0 { fields.treeTokens = c.pointee.tree_tokens }
    if c.pointee.has_agent_depth != 0 { fields.agentDepth = c.pointee.agent_depth }
    if c.pointee.has_agent_total != 0 { fields.agentTotal = c.pointee.agent_total }
    if c.pointee.has_wake_parent != 0 { fields.wakeParent = c.pointee.wake_parent != 0 }
    self.init(fields: fields)
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = wakeParent { out.bool(v, 136) }
    if let v = agentTotal { out.unsigned(v, 128) }
    if let v = agentDepth { out.unsigned(v, 120) }
    if let v = treeTokens { out.unsigned(v, 112) }
    if let v = threadTokens { out.unsigned(v, 104) }
    if let v = turnTokens { out.unsigned(v, 96) }
    if let v = temperature { out.float(v, 93) }
    for v in metadata.reversed() { out.message(v, 82) }
    if let v = workingFolder { out.text(v, 74) }
    if let v = mode { out.signed(v.rawValue, 64) }
    if let v = developerInstructions { out.text(v, 58) }
    if let v = baseInstructions { out.text(v, 50) }
    if let v = serviceTier { out.text(v, 42) }
    if let v = reasoningSummary { out.text(v, 34) }
    if let v = reasoningEffort { out.text(v, 26) }
    if !modelProvider.isEmpty { out.text(modelProvider, 18) }
    if !model.isEmpty { out.text(model, 10) }
  }
}

extension ModeSelection: WireMessage {
  public typealias CMessage = Heddle__V1__ModeSelection
  public static var schemaIndex: UInt16 { 32 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_mode_selection() }

  public init(c: UnsafePointer<Heddle__V1__ModeSelection>) throws(DecodeError) {
    self.init()
    switch c.pointee.choice_case.rawValue {
    case 1: choice = .set(try readEnum(c.pointee.set.rawValue, "set", allowsZero: false))
    case 2: choice = .clear(c.pointee.clear != 0)
    default: break
    }
  }

  public func write(_ out: inout BackwardWriter) {
    switch choice {
    case .set(let v)?: out.signed(v.rawValue, 8)
    case .clear(let v)?: out.bool(v, 16)
    default: break
    }
  }
}

extension ToolDefinition: WireMessage {
  public typealias CMessage = Heddle__V1__ToolDefinition
  public static var schemaIndex: UInt16 { 33 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_tool_definition() }

  public init(c: UnsafePointer<Heddle__V1__ToolDefinition>) throws(DecodeError) {
    self.init()
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_description != 0 { description = readText(c.pointee.description) }
    if c.pointee.has_schema != 0 { schema = readText(c.pointee.schema) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !schema.isEmpty { out.text(schema, 26) }
    if !description.isEmpty { out.text(description, 18) }
    if !name.isEmpty { out.text(name, 10) }
  }
}

extension ToolSelection: WireMessage {
  public typealias CMessage = Heddle__V1__ToolSelection
  public static var schemaIndex: UInt16 { 34 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_tool_selection() }

  public init(c: UnsafePointer<Heddle__V1__ToolSelection>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.set {
      set.reserveCapacity(c.pointee.n_set)
      for i in 0..<c.pointee.n_set { if let e = p[i] { set.append(try ToolDefinition(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_clear != 0 { clear = c.pointee.clear != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if clear { out.bool(clear, 16) }
    for v in set.reversed() { out.message(v, 10) }
  }
}

extension SettingsChange: WireMessage {
  public typealias CMessage = Heddle__V1__SettingsChange
  public static var schemaIndex: UInt16 { 35 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_settings_change() }

  public init(c: UnsafePointer<Heddle__V1__SettingsChange>) throws(DecodeError) {
    var fields = Fields()
    if c.pointee.has_model != 0 { fields.model = readText(c.pointee.model) }
    if c.pointee.has_model_provider != 0 { fields.modelProvider = readText(c.pointee.model_provider) }
    if c.pointee.has_reasoning_effort != 0 { fields.reasoningEffort = readText(c.pointee.reasoning_effort) }
    if c.pointee.has_reasoning_summary != 0 { fields.reasoningSummary = readText(c.pointee.reasoning_summary) }
    if c.pointee.has_service_tier != 0 { fields.serviceTier = readText(c.pointee.service_tier) }
    if c.pointee.has_base_instructions != 0 { fields.baseInstructions = readText(c.pointee.base_instructions) }
    if c.pointee.has_developer_instructions != 0 { fields.developerInstructions = readText(c.pointee.developer_instructions) }
    if let p = c.pointee.mode { fields.mode = try ModeSelection(c: UnsafePointer(p)) }
    if c.pointee.has_working_folder != 0 { fields.workingFolder = readText(c.pointee.working_folder) }
    if let p = c.pointee.metadata {
      fields.metadata.reserveCapacity(c.pointee.n_metadata)
      for i in 0..<c.pointee.n_metadata { if let e = p[i] { fields.metadata.append(try NameValue(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_temperature != 0 { fields.temperature = c.pointee.temperature }
    if let p = c.pointee.remove_metadata {
      fields.removeMetadata.reserveCapacity(c.pointee.n_remove_metadata)
      for i in 0..<c.pointee.n_remove_metadata { fields.removeMetadata.append(readText(p[i])) }
    }
    if let p = c.pointee.clear {
      fields.clear.reserveCapacity(c.pointee.n_clear)
      for i in 0..<c.pointee.n_clear { fields.clear.append(try readEnum(p[i].rawValue, "clear", allowsZero: false)) }
    }
    if c.pointee.has_turn_tokens != 0 { fields.turnTokens = c.pointee.turn_tokens }
    if c.pointee.has_thread_tokens != 0 { fields.threadTokens = c.pointee.thread_tokens }
    if c.pointee.has_tree_tokens != 0 { fields.treeTokens = c.pointee.tree_tokens }
    if c.pointee.has_agent_depth != 0 { fields.agentDepth = c.pointee.agent_depth }
    if c.pointee.has_agent_total != 0 { fields.agentTotal = c.pointee.agent_total }
    if c.pointee.has_wake_parent != 0 { fields.wakeParent = c.pointee.wake_parent != 0 }
    self.init(fields: fields)
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = wakeParent { out.bool(v, 152) }
    if let v = agentTotal { out.unsigned(v, 144) }
    if let v = agentDepth { out.unsigned(v, 136) }
    if let v = treeTokens { out.unsigned(v, 128) }
    if let v = threadTokens { out.unsigned(v, 120) }
    if let v = turnTokens { out.unsigned(v, 112) }
    out.packed(clear, 106) { out, v in out.signed(v.rawValue) }
    for v in removeMetadata.reversed() { out.text(v, 98) }
    if let v = temperature { out.float(v, 93) }
    for v in metadata.reversed() { out.message(v, 82) }
    if let v = workingFolder { out.text(v, 74) }
    if let v = mode { out.message(v, 66) }
    if let v = developerInstructions { out.text(v, 58) }
    if let v = baseInstructions { out.text(v, 50) }
    if let v = serviceTier { out.text(v, 42) }
    if let v = reasoningSummary { out.text(v, 34) }
    if let v = reasoningEffort { out.text(v, 26) }
    if let v = modelProvider { out.text(v, 18) }
    if let v = model { out.text(v, 10) }
  }
}

extension ReadSettingsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ReadSettingsRequest
  public static var schemaIndex: UInt16 { 36 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_read_settings_request() }

  public init(c: UnsafePointer<Heddle__V1__ReadSettingsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
  }

  public func write(_ out: inout BackwardWriter) {
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ReadSettingsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ReadSettingsResponse
  public static var schemaIndex: UInt16 { 37 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_read_settings_response() }

  public init(c: UnsafePointer<Heddle__V1__ReadSettingsResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.settings { settings = try Settings(c: UnsafePointer(p)) }
    if c.pointee.has_revision != 0 { revision = c.pointee.revision }
    if c.pointee.has_version != 0 { version = try readEnum(c.pointee.version.rawValue, "version", allowsZero: false) }
    if c.pointee.has_version_source != 0 { versionSource = try readEnum(c.pointee.version_source.rawValue, "version_source", allowsZero: false) }
    if let p = c.pointee.tools {
      tools.reserveCapacity(c.pointee.n_tools)
      for i in 0..<c.pointee.n_tools { tools.append(readText(p[i])) }
    }
  }

  public func write(_ out: inout BackwardWriter) {
    for v in tools.reversed() { out.text(v, 42) }
    if versionSource != .unspecified { out.signed(versionSource.rawValue, 32) }
    if version != .unspecified { out.signed(version.rawValue, 24) }
    if revision != 0 { out.unsigned(revision, 16) }
    if let v = settings { out.message(v, 10) }
  }
}

extension UpdateSettingsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__UpdateSettingsRequest
  public static var schemaIndex: UInt16 { 38 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_update_settings_request() }

  public init(c: UnsafePointer<Heddle__V1__UpdateSettingsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if let p = c.pointee.change { change = try SettingsChange(c: UnsafePointer(p)) }
    if c.pointee.has_expected_revision != 0 { expectedRevision = c.pointee.expected_revision }
    if let p = c.pointee.tools { tools = try ToolSelection(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = tools { out.message(v, 34) }
    if let v = expectedRevision { out.unsigned(v, 24) }
    if let v = change { out.message(v, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension UpdateSettingsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__UpdateSettingsResponse
  public static var schemaIndex: UInt16 { 39 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_update_settings_response() }

  public init(c: UnsafePointer<Heddle__V1__UpdateSettingsResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_revision != 0 { revision = c.pointee.revision }
    if c.pointee.has_changed != 0 { changed = c.pointee.changed != 0 }
    if let p = c.pointee.settings { settings = try Settings(c: UnsafePointer(p)) }
    if let p = c.pointee.tools {
      tools.reserveCapacity(c.pointee.n_tools)
      for i in 0..<c.pointee.n_tools { tools.append(readText(p[i])) }
    }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    for v in tools.reversed() { out.text(v, 42) }
    if let v = settings { out.message(v, 34) }
    if changed { out.bool(changed, 24) }
    if revision != 0 { out.unsigned(revision, 16) }
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

