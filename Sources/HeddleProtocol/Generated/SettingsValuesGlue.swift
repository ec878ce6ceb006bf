// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension NameValue: WireMessage {
  public typealias CMessage = Heddle__V1__NameValue
  public static var schemaIndex: UInt16 { 11 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_name_value() }

  public init(c: UnsafePointer<Heddle__V1__NameValue>) throws(DecodeError) {
    self.init()
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_value != 0 { value = readText(c.pointee.value) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__NameValue>, _ arena: Arena) {
    heddle__v1__name_value__init(c)
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
    if !value.isEmpty { c.pointee.has_value = 1; c.pointee.value = arena.text(value) }
  }
}

extension Settings: WireMessage {
  public typealias CMessage = Heddle__V1__Settings
  public static var schemaIndex: UInt16 { 12 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_settings() }

  public init(c: UnsafePointer<Heddle__V1__Settings>) throws(DecodeError) {
    self.init()
    if c.pointee.has_model != 0 { model = readText(c.pointee.model) }
    if c.pointee.has_model_provider != 0 { modelProvider = readText(c.pointee.model_provider) }
    if c.pointee.has_reasoning_effort != 0 { reasoningEffort = readText(c.pointee.reasoning_effort) }
    if c.pointee.has_reasoning_summary != 0 { reasoningSummary = readText(c.pointee.reasoning_summary) }
    if c.pointee.has_service_tier != 0 { serviceTier = readText(c.pointee.service_tier) }
    if c.pointee.has_base_instructions != 0 { baseInstructions = readText(c.pointee.base_instructions) }
    if c.pointee.has_developer_instructions != 0 { developerInstructions = readText(c.pointee.developer_instructions) }
    if c.pointee.has_mode != 0 { mode = try readEnum(c.pointee.mode.rawValue, "mode", allowsZero: false) }
    if c.pointee.has_working_folder != 0 { workingFolder = readText(c.pointee.working_folder) }
    if let p = c.pointee.metadata {
      metadata.reserveCapacity(c.pointee.n_metadata)
      for i in 0..<c.pointee.n_metadata { if let e = p[i] { metadata.append(try NameValue(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_temperature != 0 { temperature = c.pointee.temperature }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Settings>, _ arena: Arena) {
    heddle__v1__settings__init(c)
    if !model.isEmpty { c.pointee.has_model = 1; c.pointee.model = arena.text(model) }
    if !modelProvider.isEmpty { c.pointee.has_model_provider = 1; c.pointee.model_provider = arena.text(modelProvider) }
    if let v = reasoningEffort { c.pointee.has_reasoning_effort = 1; c.pointee.reasoning_effort = arena.text(v) }
    if let v = reasoningSummary { c.pointee.has_reasoning_summary = 1; c.pointee.reasoning_summary = arena.text(v) }
    if let v = serviceTier { c.pointee.has_service_tier = 1; c.pointee.service_tier = arena.text(v) }
    if let v = baseInstructions { c.pointee.has_base_instructions = 1; c.pointee.base_instructions = arena.text(v) }
    if let v = developerInstructions { c.pointee.has_developer_instructions = 1; c.pointee.developer_instructions = arena.text(v) }
    if let v = mode { c.pointee.has_mode = 1; c.pointee.mode = Heddle__V1__MultiAgentMode(rawValue: UInt32(bitPattern: v.rawValue)) }
    if let v = workingFolder { c.pointee.has_working_folder = 1; c.pointee.working_folder = arena.text(v) }
    if !metadata.isEmpty { c.pointee.n_metadata = metadata.count; c.pointee.metadata = arena.messages(metadata) }
    if let v = temperature { c.pointee.has_temperature = 1; c.pointee.temperature = v }
  }
}

extension ModeSelection: WireMessage {
  public typealias CMessage = Heddle__V1__ModeSelection
  public static var schemaIndex: UInt16 { 13 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_mode_selection() }

  public init(c: UnsafePointer<Heddle__V1__ModeSelection>) throws(DecodeError) {
    self.init()
    switch c.pointee.choice_case.rawValue {
    case 1: choice = .set(try readEnum(c.pointee.set.rawValue, "set", allowsZero: false))
    case 2: choice = .clear(c.pointee.clear != 0)
    default: break
    }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ModeSelection>, _ arena: Arena) {
    heddle__v1__mode_selection__init(c)
    switch choice {
    case nil: break
    case .set(let v)?: c.pointee.choice_case = Heddle__V1__ModeSelection__ChoiceCase(rawValue: 1); c.pointee.set = Heddle__V1__MultiAgentMode(rawValue: UInt32(bitPattern: v.rawValue))
    case .clear(let v)?: c.pointee.choice_case = Heddle__V1__ModeSelection__ChoiceCase(rawValue: 2); c.pointee.clear = v ? 1 : 0
    }
  }
}

extension SettingsChange: WireMessage {
  public typealias CMessage = Heddle__V1__SettingsChange
  public static var schemaIndex: UInt16 { 14 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_settings_change() }

  public init(c: UnsafePointer<Heddle__V1__SettingsChange>) throws(DecodeError) {
    self.init()
    if c.pointee.has_model != 0 { model = readText(c.pointee.model) }
    if c.pointee.has_model_provider != 0 { modelProvider = readText(c.pointee.model_provider) }
    if c.pointee.has_reasoning_effort != 0 { reasoningEffort = readText(c.pointee.reasoning_effort) }
    if c.pointee.has_reasoning_summary != 0 { reasoningSummary = readText(c.pointee.reasoning_summary) }
    if c.pointee.has_service_tier != 0 { serviceTier = readText(c.pointee.service_tier) }
    if c.pointee.has_base_instructions != 0 { baseInstructions = readText(c.pointee.base_instructions) }
    if c.pointee.has_developer_instructions != 0 { developerInstructions = readText(c.pointee.developer_instructions) }
    if let p = c.pointee.mode { mode = try ModeSelection(c: UnsafePointer(p)) }
    if c.pointee.has_working_folder != 0 { workingFolder = readText(c.pointee.working_folder) }
    if let p = c.pointee.metadata {
      metadata.reserveCapacity(c.pointee.n_metadata)
      for i in 0..<c.pointee.n_metadata { if let e = p[i] { metadata.append(try NameValue(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_temperature != 0 { temperature = c.pointee.temperature }
    if let p = c.pointee.remove_metadata {
      removeMetadata.reserveCapacity(c.pointee.n_remove_metadata)
      for i in 0..<c.pointee.n_remove_metadata { removeMetadata.append(readText(p[i])) }
    }
    if let p = c.pointee.clear {
      clear.reserveCapacity(c.pointee.n_clear)
      for i in 0..<c.pointee.n_clear { clear.append(try readEnum(p[i].rawValue, "clear", allowsZero: false)) }
    }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__SettingsChange>, _ arena: Arena) {
    heddle__v1__settings_change__init(c)
    if let v = model { c.pointee.has_model = 1; c.pointee.model = arena.text(v) }
    if let v = modelProvider { c.pointee.has_model_provider = 1; c.pointee.model_provider = arena.text(v) }
    if let v = reasoningEffort { c.pointee.has_reasoning_effort = 1; c.pointee.reasoning_effort = arena.text(v) }
    if let v = reasoningSummary { c.pointee.has_reasoning_summary = 1; c.pointee.reasoning_summary = arena.text(v) }
    if let v = serviceTier { c.pointee.has_service_tier = 1; c.pointee.service_tier = arena.text(v) }
    if let v = baseInstructions { c.pointee.has_base_instructions = 1; c.pointee.base_instructions = arena.text(v) }
    if let v = developerInstructions { c.pointee.has_developer_instructions = 1; c.pointee.developer_instructions = arena.text(v) }
    if let v = mode { c.pointee.mode = arena.message(v) }
    if let v = workingFolder { c.pointee.has_working_folder = 1; c.pointee.working_folder = arena.text(v) }
    if !metadata.isEmpty { c.pointee.n_metadata = metadata.count; c.pointee.metadata = arena.messages(metadata) }
    if let v = temperature { c.pointee.has_temperature = 1; c.pointee.temperature = v }
    if !removeMetadata.isEmpty { c.pointee.n_remove_metadata = removeMetadata.count; c.pointee.remove_metadata = arena.array(removeMetadata) { arena.text($0) } }
    if !clear.isEmpty { c.pointee.n_clear = clear.count; c.pointee.clear = arena.array(clear) { Heddle__V1__SettingsField(rawValue: UInt32(bitPattern: $0.rawValue)) } }
  }
}

extension ReadSettingsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ReadSettingsRequest
  public static var schemaIndex: UInt16 { 15 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_read_settings_request() }

  public init(c: UnsafePointer<Heddle__V1__ReadSettingsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ReadSettingsRequest>, _ arena: Arena) {
    heddle__v1__read_settings_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
  }
}

extension ReadSettingsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ReadSettingsResponse
  public static var schemaIndex: UInt16 { 16 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_read_settings_response() }

  public init(c: UnsafePointer<Heddle__V1__ReadSettingsResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.settings { settings = try Settings(c: UnsafePointer(p)) }
    if c.pointee.has_revision != 0 { revision = c.pointee.revision }
    if c.pointee.has_version != 0 { version = try readEnum(c.pointee.version.rawValue, "version", allowsZero: false) }
    if c.pointee.has_version_source != 0 { versionSource = try readEnum(c.pointee.version_source.rawValue, "version_source", allowsZero: false) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ReadSettingsResponse>, _ arena: Arena) {
    heddle__v1__read_settings_response__init(c)
    if let v = settings { c.pointee.settings = arena.message(v) }
    if revision != 0 { c.pointee.has_revision = 1; c.pointee.revision = revision }
    if version != .unspecified { c.pointee.has_version = 1; c.pointee.version = Heddle__V1__MultiAgentVersion(rawValue: UInt32(bitPattern: version.rawValue)) }
    if versionSource != .unspecified { c.pointee.has_version_source = 1; c.pointee.version_source = Heddle__V1__VersionSource(rawValue: UInt32(bitPattern: versionSource.rawValue)) }
  }
}

extension UpdateSettingsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__UpdateSettingsRequest
  public static var schemaIndex: UInt16 { 17 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_update_settings_request() }

  public init(c: UnsafePointer<Heddle__V1__UpdateSettingsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if let p = c.pointee.change { change = try SettingsChange(c: UnsafePointer(p)) }
    if c.pointee.has_expected_revision != 0 { expectedRevision = c.pointee.expected_revision }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__UpdateSettingsRequest>, _ arena: Arena) {
    heddle__v1__update_settings_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if let v = change { c.pointee.change = arena.message(v) }
    if let v = expectedRevision { c.pointee.has_expected_revision = 1; c.pointee.expected_revision = v }
  }
}

extension UpdateSettingsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__UpdateSettingsResponse
  public static var schemaIndex: UInt16 { 18 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_update_settings_response() }

  public init(c: UnsafePointer<Heddle__V1__UpdateSettingsResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_revision != 0 { revision = c.pointee.revision }
    if c.pointee.has_changed != 0 { changed = c.pointee.changed != 0 }
    if let p = c.pointee.settings { settings = try Settings(c: UnsafePointer(p)) }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__UpdateSettingsResponse>, _ arena: Arena) {
    heddle__v1__update_settings_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if revision != 0 { c.pointee.has_revision = 1; c.pointee.revision = revision }
    if changed { c.pointee.has_changed = 1; c.pointee.changed = changed ? 1 : 0 }
    if let v = settings { c.pointee.settings = arena.message(v) }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

