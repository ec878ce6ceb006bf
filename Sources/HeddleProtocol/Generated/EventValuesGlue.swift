// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension ToolDefinition: WireMessage {
  public typealias CMessage = Heddle__V1__ToolDefinition
  public static var schemaIndex: UInt16 { 35 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_tool_definition() }

  public init(c: UnsafePointer<Heddle__V1__ToolDefinition>) throws(DecodeError) {
    self.init()
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_description != 0 { description = readText(c.pointee.description) }
    if c.pointee.has_schema != 0 { schema = readText(c.pointee.schema) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ToolDefinition>, _ arena: Arena) {
    heddle__v1__tool_definition__init(c)
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
    if !description.isEmpty { c.pointee.has_description = 1; c.pointee.description = arena.text(description) }
    if !schema.isEmpty { c.pointee.has_schema = 1; c.pointee.schema = arena.text(schema) }
  }
}

extension Lineage: WireMessage {
  public typealias CMessage = Heddle__V1__Lineage
  public static var schemaIndex: UInt16 { 36 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_lineage() }

  public init(c: UnsafePointer<Heddle__V1__Lineage>) throws(DecodeError) {
    self.init()
    if c.pointee.has_source != 0 { source = try readEnum(c.pointee.source.rawValue, "source", allowsZero: true) }
    if c.pointee.has_root != 0 { root = try readID(c.pointee.root, "root") }
    if c.pointee.has_parent != 0 { parent = try readID(c.pointee.parent, "parent") }
    if c.pointee.has_forked_from != 0 { forkedFrom = try readID(c.pointee.forked_from, "forked_from") }
    if c.pointee.has_forked_at != 0 { forkedAt = c.pointee.forked_at }
    if c.pointee.has_depth != 0 { depth = c.pointee.depth }
    if c.pointee.has_agent_path != 0 { agentPath = readText(c.pointee.agent_path) }
    if c.pointee.has_agent_nickname != 0 { agentNickname = readText(c.pointee.agent_nickname) }
    if c.pointee.has_agent_role != 0 { agentRole = readText(c.pointee.agent_role) }
    if c.pointee.has_origin != 0 { origin = readText(c.pointee.origin) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Lineage>, _ arena: Arena) {
    heddle__v1__lineage__init(c)
    if source != .unspecified { c.pointee.has_source = 1; c.pointee.source = Heddle__V1__ThreadSource(rawValue: UInt32(bitPattern: source.rawValue)) }
    if root != ThreadID() { c.pointee.has_root = 1; c.pointee.root = arena.id(root) }
    if let v = parent { c.pointee.has_parent = 1; c.pointee.parent = arena.id(v) }
    if let v = forkedFrom { c.pointee.has_forked_from = 1; c.pointee.forked_from = arena.id(v) }
    if let v = forkedAt { c.pointee.has_forked_at = 1; c.pointee.forked_at = v }
    if depth != 0 { c.pointee.has_depth = 1; c.pointee.depth = depth }
    if !agentPath.isEmpty { c.pointee.has_agent_path = 1; c.pointee.agent_path = arena.text(agentPath) }
    if !agentNickname.isEmpty { c.pointee.has_agent_nickname = 1; c.pointee.agent_nickname = arena.text(agentNickname) }
    if !agentRole.isEmpty { c.pointee.has_agent_role = 1; c.pointee.agent_role = arena.text(agentRole) }
    if !origin.isEmpty { c.pointee.has_origin = 1; c.pointee.origin = arena.text(origin) }
  }
}

extension ThreadCreated: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadCreated
  public static var schemaIndex: UInt16 { 37 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_created() }

  public init(c: UnsafePointer<Heddle__V1__ThreadCreated>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if let p = c.pointee.lineage { lineage = try Lineage(c: UnsafePointer(p)) }
    if let p = c.pointee.settings { settings = try Settings(c: UnsafePointer(p)) }
    if c.pointee.has_created_at != 0 { createdAt = c.pointee.created_at }
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if let p = c.pointee.tools {
      tools.reserveCapacity(c.pointee.n_tools)
      for i in 0..<c.pointee.n_tools { if let e = p[i] { tools.append(try ToolDefinition(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_has_history != 0 { hasHistory = c.pointee.has_history != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ThreadCreated>, _ arena: Arena) {
    heddle__v1__thread_created__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if let v = lineage { c.pointee.lineage = arena.message(v) }
    if let v = settings { c.pointee.settings = arena.message(v) }
    if createdAt != 0 { c.pointee.has_created_at = 1; c.pointee.created_at = createdAt }
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
    if !tools.isEmpty { c.pointee.n_tools = tools.count; c.pointee.tools = arena.messages(tools) }
    if hasHistory { c.pointee.has_has_history = 1; c.pointee.has_history = hasHistory ? 1 : 0 }
  }
}

extension SettingsUpdated: WireMessage {
  public typealias CMessage = Heddle__V1__SettingsUpdated
  public static var schemaIndex: UInt16 { 38 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_settings_updated() }

  public init(c: UnsafePointer<Heddle__V1__SettingsUpdated>) throws(DecodeError) {
    self.init()
    if c.pointee.has_revision != 0 { revision = c.pointee.revision }
    if let p = c.pointee.settings { settings = try Settings(c: UnsafePointer(p)) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__SettingsUpdated>, _ arena: Arena) {
    heddle__v1__settings_updated__init(c)
    if revision != 0 { c.pointee.has_revision = 1; c.pointee.revision = revision }
    if let v = settings { c.pointee.settings = arena.message(v) }
  }
}

extension VersionPinned: WireMessage {
  public typealias CMessage = Heddle__V1__VersionPinned
  public static var schemaIndex: UInt16 { 39 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_version_pinned() }

  public init(c: UnsafePointer<Heddle__V1__VersionPinned>) throws(DecodeError) {
    self.init()
    if c.pointee.has_version != 0 { version = try readEnum(c.pointee.version.rawValue, "version", allowsZero: false) }
    if c.pointee.has_source != 0 { source = try readEnum(c.pointee.source.rawValue, "source", allowsZero: false) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__VersionPinned>, _ arena: Arena) {
    heddle__v1__version_pinned__init(c)
    if version != .unspecified { c.pointee.has_version = 1; c.pointee.version = Heddle__V1__MultiAgentVersion(rawValue: UInt32(bitPattern: version.rawValue)) }
    if source != .unspecified { c.pointee.has_source = 1; c.pointee.source = Heddle__V1__VersionSource(rawValue: UInt32(bitPattern: source.rawValue)) }
  }
}

extension NameChanged: WireMessage {
  public typealias CMessage = Heddle__V1__NameChanged
  public static var schemaIndex: UInt16 { 40 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_name_changed() }

  public init(c: UnsafePointer<Heddle__V1__NameChanged>) throws(DecodeError) {
    self.init()
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__NameChanged>, _ arena: Arena) {
    heddle__v1__name_changed__init(c)
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
  }
}

extension ThreadArchived: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadArchived
  public static var schemaIndex: UInt16 { 41 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_archived() }

  public init(c: UnsafePointer<Heddle__V1__ThreadArchived>) throws(DecodeError) {
    self.init()
    if c.pointee.has_root != 0 { root = try readID(c.pointee.root, "root") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ThreadArchived>, _ arena: Arena) {
    heddle__v1__thread_archived__init(c)
    if root != ThreadID() { c.pointee.has_root = 1; c.pointee.root = arena.id(root) }
  }
}

extension ThreadUnarchived: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadUnarchived
  public static var schemaIndex: UInt16 { 42 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_unarchived() }

  public init(c: UnsafePointer<Heddle__V1__ThreadUnarchived>) throws(DecodeError) {
    self.init()
    if c.pointee.has_root != 0 { root = try readID(c.pointee.root, "root") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ThreadUnarchived>, _ arena: Arena) {
    heddle__v1__thread_unarchived__init(c)
    if root != ThreadID() { c.pointee.has_root = 1; c.pointee.root = arena.id(root) }
  }
}

extension TurnQueued: WireMessage {
  public typealias CMessage = Heddle__V1__TurnQueued
  public static var schemaIndex: UInt16 { 43 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn_queued() }

  public init(c: UnsafePointer<Heddle__V1__TurnQueued>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.turn { turn = try QueuedTurn(c: UnsafePointer(p)) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__TurnQueued>, _ arena: Arena) {
    heddle__v1__turn_queued__init(c)
    if let v = turn { c.pointee.turn = arena.message(v) }
  }
}

extension QueuedTurnCancelled: WireMessage {
  public typealias CMessage = Heddle__V1__QueuedTurnCancelled
  public static var schemaIndex: UInt16 { 44 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_queued_turn_cancelled() }

  public init(c: UnsafePointer<Heddle__V1__QueuedTurnCancelled>) throws(DecodeError) {
    self.init()
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__QueuedTurnCancelled>, _ arena: Arena) {
    heddle__v1__queued_turn_cancelled__init(c)
    if turn != TurnID() { c.pointee.has_turn = 1; c.pointee.turn = arena.id(turn) }
  }
}

extension TurnStarted: WireMessage {
  public typealias CMessage = Heddle__V1__TurnStarted
  public static var schemaIndex: UInt16 { 45 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn_started() }

  public init(c: UnsafePointer<Heddle__V1__TurnStarted>) throws(DecodeError) {
    self.init()
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_ordinal != 0 { ordinal = c.pointee.ordinal }
    if let p = c.pointee.context { context = try TurnContext(c: UnsafePointer(p)) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__TurnStarted>, _ arena: Arena) {
    heddle__v1__turn_started__init(c)
    if turn != TurnID() { c.pointee.has_turn = 1; c.pointee.turn = arena.id(turn) }
    if ordinal != 0 { c.pointee.has_ordinal = 1; c.pointee.ordinal = ordinal }
    if let v = context { c.pointee.context = arena.message(v) }
  }
}

extension InputSteered: WireMessage {
  public typealias CMessage = Heddle__V1__InputSteered
  public static var schemaIndex: UInt16 { 46 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_input_steered() }

  public init(c: UnsafePointer<Heddle__V1__InputSteered>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.input { input = try TurnInput(c: UnsafePointer(p)) }
    if c.pointee.has_item != 0 { item = try readID(c.pointee.item, "item") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__InputSteered>, _ arena: Arena) {
    heddle__v1__input_steered__init(c)
    if let v = input { c.pointee.input = arena.message(v) }
    if item != ItemID() { c.pointee.has_item = 1; c.pointee.item = arena.id(item) }
  }
}

extension ItemStarted: WireMessage {
  public typealias CMessage = Heddle__V1__ItemStarted
  public static var schemaIndex: UInt16 { 47 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_item_started() }

  public init(c: UnsafePointer<Heddle__V1__ItemStarted>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.item { item = try Item(c: UnsafePointer(p)) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ItemStarted>, _ arena: Arena) {
    heddle__v1__item_started__init(c)
    if let v = item { c.pointee.item = arena.message(v) }
  }
}

extension ItemCheckpoint: WireMessage {
  public typealias CMessage = Heddle__V1__ItemCheckpoint
  public static var schemaIndex: UInt16 { 48 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_item_checkpoint() }

  public init(c: UnsafePointer<Heddle__V1__ItemCheckpoint>) throws(DecodeError) {
    self.init()
    if c.pointee.has_item != 0 { item = try readID(c.pointee.item, "item") }
    if c.pointee.has_offset != 0 { offset = c.pointee.offset }
    if c.pointee.has_text != 0 { text = readText(c.pointee.text) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ItemCheckpoint>, _ arena: Arena) {
    heddle__v1__item_checkpoint__init(c)
    if item != ItemID() { c.pointee.has_item = 1; c.pointee.item = arena.id(item) }
    if offset != 0 { c.pointee.has_offset = 1; c.pointee.offset = offset }
    if !text.isEmpty { c.pointee.has_text = 1; c.pointee.text = arena.text(text) }
  }
}

extension ItemCompleted: WireMessage {
  public typealias CMessage = Heddle__V1__ItemCompleted
  public static var schemaIndex: UInt16 { 49 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_item_completed() }

  public init(c: UnsafePointer<Heddle__V1__ItemCompleted>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.item { item = try Item(c: UnsafePointer(p)) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ItemCompleted>, _ arena: Arena) {
    heddle__v1__item_completed__init(c)
    if let v = item { c.pointee.item = arena.message(v) }
  }
}

extension ModelRetried: WireMessage {
  public typealias CMessage = Heddle__V1__ModelRetried
  public static var schemaIndex: UInt16 { 50 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_model_retried() }

  public init(c: UnsafePointer<Heddle__V1__ModelRetried>) throws(DecodeError) {
    self.init()
    if c.pointee.has_attempt != 0 { attempt = c.pointee.attempt }
    if let p = c.pointee.error { error = try TurnError(c: UnsafePointer(p)) }
    if c.pointee.has_wait_ms != 0 { waitMs = c.pointee.wait_ms }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ModelRetried>, _ arena: Arena) {
    heddle__v1__model_retried__init(c)
    if attempt != 0 { c.pointee.has_attempt = 1; c.pointee.attempt = attempt }
    if let v = error { c.pointee.error = arena.message(v) }
    if waitMs != 0 { c.pointee.has_wait_ms = 1; c.pointee.wait_ms = waitMs }
  }
}

extension UsageReported: WireMessage {
  public typealias CMessage = Heddle__V1__UsageReported
  public static var schemaIndex: UInt16 { 51 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_usage_reported() }

  public init(c: UnsafePointer<Heddle__V1__UsageReported>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.usage { usage = try TokenUsage(c: UnsafePointer(p)) }
    if let p = c.pointee.turn_usage { turnUsage = try TokenUsage(c: UnsafePointer(p)) }
    if let p = c.pointee.thread_usage { threadUsage = try TokenUsage(c: UnsafePointer(p)) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__UsageReported>, _ arena: Arena) {
    heddle__v1__usage_reported__init(c)
    if let v = usage { c.pointee.usage = arena.message(v) }
    if let v = turnUsage { c.pointee.turn_usage = arena.message(v) }
    if let v = threadUsage { c.pointee.thread_usage = arena.message(v) }
  }
}

extension TurnEnded: WireMessage {
  public typealias CMessage = Heddle__V1__TurnEnded
  public static var schemaIndex: UInt16 { 52 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn_ended() }

  public init(c: UnsafePointer<Heddle__V1__TurnEnded>) throws(DecodeError) {
    self.init()
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_status != 0 { status = try readEnum(c.pointee.status.rawValue, "status", allowsZero: false) }
    if let p = c.pointee.error { error = try TurnError(c: UnsafePointer(p)) }
    if let p = c.pointee.usage { usage = try TokenUsage(c: UnsafePointer(p)) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__TurnEnded>, _ arena: Arena) {
    heddle__v1__turn_ended__init(c)
    if turn != TurnID() { c.pointee.has_turn = 1; c.pointee.turn = arena.id(turn) }
    if status != .unspecified { c.pointee.has_status = 1; c.pointee.status = Heddle__V1__TurnStatus(rawValue: UInt32(bitPattern: status.rawValue)) }
    if let v = error { c.pointee.error = arena.message(v) }
    if let v = usage { c.pointee.usage = arena.message(v) }
  }
}

extension TurnsRolledBack: WireMessage {
  public typealias CMessage = Heddle__V1__TurnsRolledBack
  public static var schemaIndex: UInt16 { 53 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turns_rolled_back() }

  public init(c: UnsafePointer<Heddle__V1__TurnsRolledBack>) throws(DecodeError) {
    self.init()
    if c.pointee.has_count != 0 { count = c.pointee.count }
    if c.pointee.has_first_ordinal != 0 { firstOrdinal = c.pointee.first_ordinal }
    if c.pointee.has_last_ordinal != 0 { lastOrdinal = c.pointee.last_ordinal }
    if let p = c.pointee.baseline { baseline = try TurnContext(c: UnsafePointer(p)) }
    if c.pointee.has_context_start != 0 { contextStart = c.pointee.context_start }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__TurnsRolledBack>, _ arena: Arena) {
    heddle__v1__turns_rolled_back__init(c)
    if count != 0 { c.pointee.has_count = 1; c.pointee.count = count }
    if firstOrdinal != 0 { c.pointee.has_first_ordinal = 1; c.pointee.first_ordinal = firstOrdinal }
    if lastOrdinal != 0 { c.pointee.has_last_ordinal = 1; c.pointee.last_ordinal = lastOrdinal }
    if let v = baseline { c.pointee.baseline = arena.message(v) }
    if contextStart != 0 { c.pointee.has_context_start = 1; c.pointee.context_start = contextStart }
  }
}

extension ContextCompacted: WireMessage {
  public typealias CMessage = Heddle__V1__ContextCompacted
  public static var schemaIndex: UInt16 { 54 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_context_compacted() }

  public init(c: UnsafePointer<Heddle__V1__ContextCompacted>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.compaction { compaction = try CompactionItem(c: UnsafePointer(p)) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ContextCompacted>, _ arena: Arena) {
    heddle__v1__context_compacted__init(c)
    if let v = compaction { c.pointee.compaction = arena.message(v) }
  }
}

extension ForeignRecord: WireMessage {
  public typealias CMessage = Heddle__V1__ForeignRecord
  public static var schemaIndex: UInt16 { 55 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_foreign_record() }

  public init(c: UnsafePointer<Heddle__V1__ForeignRecord>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.record { record = try OpaquePart(c: UnsafePointer(p)) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ForeignRecord>, _ arena: Arena) {
    heddle__v1__foreign_record__init(c)
    if let v = record { c.pointee.record = arena.message(v) }
  }
}

extension Event: WireMessage {
  public typealias CMessage = Heddle__V1__Event
  public static var schemaIndex: UInt16 { 56 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_event() }

  public init(c: UnsafePointer<Heddle__V1__Event>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_at != 0 { at = c.pointee.at }
    if c.pointee.has_more != 0 { more = c.pointee.more != 0 }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    switch c.pointee.kind_case.rawValue {
    case 10: if let p = c.pointee.thread_created { kind = .threadCreated(try ThreadCreated(c: UnsafePointer(p))) }
    case 11: if let p = c.pointee.settings_updated { kind = .settingsUpdated(try SettingsUpdated(c: UnsafePointer(p))) }
    case 12: if let p = c.pointee.version_pinned { kind = .versionPinned(try VersionPinned(c: UnsafePointer(p))) }
    case 13: if let p = c.pointee.name_changed { kind = .nameChanged(try NameChanged(c: UnsafePointer(p))) }
    case 14: if let p = c.pointee.thread_archived { kind = .threadArchived(try ThreadArchived(c: UnsafePointer(p))) }
    case 15: if let p = c.pointee.thread_unarchived { kind = .threadUnarchived(try ThreadUnarchived(c: UnsafePointer(p))) }
    case 16: if let p = c.pointee.turn_queued { kind = .turnQueued(try TurnQueued(c: UnsafePointer(p))) }
    case 17: if let p = c.pointee.queued_turn_cancelled { kind = .queuedTurnCancelled(try QueuedTurnCancelled(c: UnsafePointer(p))) }
    case 18: if let p = c.pointee.turn_started { kind = .turnStarted(try TurnStarted(c: UnsafePointer(p))) }
    case 19: if let p = c.pointee.input_steered { kind = .inputSteered(try InputSteered(c: UnsafePointer(p))) }
    case 20: if let p = c.pointee.item_started { kind = .itemStarted(try ItemStarted(c: UnsafePointer(p))) }
    case 21: if let p = c.pointee.item_checkpoint { kind = .itemCheckpoint(try ItemCheckpoint(c: UnsafePointer(p))) }
    case 22: if let p = c.pointee.item_completed { kind = .itemCompleted(try ItemCompleted(c: UnsafePointer(p))) }
    case 23: if let p = c.pointee.model_retried { kind = .modelRetried(try ModelRetried(c: UnsafePointer(p))) }
    case 24: if let p = c.pointee.usage_reported { kind = .usageReported(try UsageReported(c: UnsafePointer(p))) }
    case 25: if let p = c.pointee.turn_ended { kind = .turnEnded(try TurnEnded(c: UnsafePointer(p))) }
    case 26: if let p = c.pointee.turns_rolled_back { kind = .turnsRolledBack(try TurnsRolledBack(c: UnsafePointer(p))) }
    case 27: if let p = c.pointee.context_compacted { kind = .contextCompacted(try ContextCompacted(c: UnsafePointer(p))) }
    case 28: if let p = c.pointee.foreign_record { kind = .foreignRecord(try ForeignRecord(c: UnsafePointer(p))) }
    default: break
    }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Event>, _ arena: Arena) {
    heddle__v1__event__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if at != 0 { c.pointee.has_at = 1; c.pointee.at = at }
    if more { c.pointee.has_more = 1; c.pointee.more = more ? 1 : 0 }
    if let v = turn { c.pointee.has_turn = 1; c.pointee.turn = arena.id(v) }
    switch kind {
    case nil: break
    case .threadCreated(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 10); c.pointee.thread_created = arena.message(v)
    case .settingsUpdated(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 11); c.pointee.settings_updated = arena.message(v)
    case .versionPinned(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 12); c.pointee.version_pinned = arena.message(v)
    case .nameChanged(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 13); c.pointee.name_changed = arena.message(v)
    case .threadArchived(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 14); c.pointee.thread_archived = arena.message(v)
    case .threadUnarchived(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 15); c.pointee.thread_unarchived = arena.message(v)
    case .turnQueued(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 16); c.pointee.turn_queued = arena.message(v)
    case .queuedTurnCancelled(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 17); c.pointee.queued_turn_cancelled = arena.message(v)
    case .turnStarted(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 18); c.pointee.turn_started = arena.message(v)
    case .inputSteered(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 19); c.pointee.input_steered = arena.message(v)
    case .itemStarted(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 20); c.pointee.item_started = arena.message(v)
    case .itemCheckpoint(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 21); c.pointee.item_checkpoint = arena.message(v)
    case .itemCompleted(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 22); c.pointee.item_completed = arena.message(v)
    case .modelRetried(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 23); c.pointee.model_retried = arena.message(v)
    case .usageReported(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 24); c.pointee.usage_reported = arena.message(v)
    case .turnEnded(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 25); c.pointee.turn_ended = arena.message(v)
    case .turnsRolledBack(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 26); c.pointee.turns_rolled_back = arena.message(v)
    case .contextCompacted(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 27); c.pointee.context_compacted = arena.message(v)
    case .foreignRecord(let v)?: c.pointee.kind_case = Heddle__V1__Event__KindCase(rawValue: 28); c.pointee.foreign_record = arena.message(v)
    }
  }
}

extension ThreadStatus: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadStatus
  public static var schemaIndex: UInt16 { 57 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_status() }

  public init(c: UnsafePointer<Heddle__V1__ThreadStatus>) throws(DecodeError) {
    self.init()
    if c.pointee.has_state != 0 { state = try readEnum(c.pointee.state.rawValue, "state", allowsZero: false) }
    if c.pointee.has_waiting_on_tool != 0 { waitingOnTool = c.pointee.waiting_on_tool != 0 }
    if c.pointee.has_waiting_on_user != 0 { waitingOnUser = c.pointee.waiting_on_user != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ThreadStatus>, _ arena: Arena) {
    heddle__v1__thread_status__init(c)
    if state != .unspecified { c.pointee.has_state = 1; c.pointee.state = Heddle__V1__ThreadState(rawValue: UInt32(bitPattern: state.rawValue)) }
    if waitingOnTool { c.pointee.has_waiting_on_tool = 1; c.pointee.waiting_on_tool = waitingOnTool ? 1 : 0 }
    if waitingOnUser { c.pointee.has_waiting_on_user = 1; c.pointee.waiting_on_user = waitingOnUser ? 1 : 0 }
  }
}

extension ItemDelta: WireMessage {
  public typealias CMessage = Heddle__V1__ItemDelta
  public static var schemaIndex: UInt16 { 58 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_item_delta() }

  public init(c: UnsafePointer<Heddle__V1__ItemDelta>) throws(DecodeError) {
    self.init()
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_item != 0 { item = try readID(c.pointee.item, "item") }
    if c.pointee.has_offset != 0 { offset = c.pointee.offset }
    if c.pointee.has_text != 0 { text = readText(c.pointee.text) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ItemDelta>, _ arena: Arena) {
    heddle__v1__item_delta__init(c)
    if turn != TurnID() { c.pointee.has_turn = 1; c.pointee.turn = arena.id(turn) }
    if item != ItemID() { c.pointee.has_item = 1; c.pointee.item = arena.id(item) }
    if offset != 0 { c.pointee.has_offset = 1; c.pointee.offset = offset }
    if !text.isEmpty { c.pointee.has_text = 1; c.pointee.text = arena.text(text) }
  }
}

extension ItemSnapshot: WireMessage {
  public typealias CMessage = Heddle__V1__ItemSnapshot
  public static var schemaIndex: UInt16 { 59 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_item_snapshot() }

  public init(c: UnsafePointer<Heddle__V1__ItemSnapshot>) throws(DecodeError) {
    self.init()
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_item != 0 { item = try readID(c.pointee.item, "item") }
    if c.pointee.has_text != 0 { text = readText(c.pointee.text) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ItemSnapshot>, _ arena: Arena) {
    heddle__v1__item_snapshot__init(c)
    if turn != TurnID() { c.pointee.has_turn = 1; c.pointee.turn = arena.id(turn) }
    if item != ItemID() { c.pointee.has_item = 1; c.pointee.item = arena.id(item) }
    if !text.isEmpty { c.pointee.has_text = 1; c.pointee.text = arena.text(text) }
  }
}

extension Subscribed: WireMessage {
  public typealias CMessage = Heddle__V1__Subscribed
  public static var schemaIndex: UInt16 { 60 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_subscribed() }

  public init(c: UnsafePointer<Heddle__V1__Subscribed>) throws(DecodeError) {
    self.init()
    if c.pointee.has_head != 0 { head = c.pointee.head }
    if c.pointee.has_oldest != 0 { oldest = c.pointee.oldest }
    if c.pointee.has_epoch != 0 { epoch = c.pointee.epoch }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Subscribed>, _ arena: Arena) {
    heddle__v1__subscribed__init(c)
    if head != 0 { c.pointee.has_head = 1; c.pointee.head = head }
    if oldest != 0 { c.pointee.has_oldest = 1; c.pointee.oldest = oldest }
    if epoch != 0 { c.pointee.has_epoch = 1; c.pointee.epoch = epoch }
  }
}

extension Live: WireMessage {
  public typealias CMessage = Heddle__V1__Live
  public static var schemaIndex: UInt16 { 61 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_live() }

  public init(c: UnsafePointer<Heddle__V1__Live>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Live>, _ arena: Arena) {
    heddle__v1__live__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
  }
}

extension Progress: WireMessage {
  public typealias CMessage = Heddle__V1__Progress
  public static var schemaIndex: UInt16 { 62 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_progress() }

  public init(c: UnsafePointer<Heddle__V1__Progress>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Progress>, _ arena: Arena) {
    heddle__v1__progress__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
  }
}

extension StatusChanged: WireMessage {
  public typealias CMessage = Heddle__V1__StatusChanged
  public static var schemaIndex: UInt16 { 63 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_status_changed() }

  public init(c: UnsafePointer<Heddle__V1__StatusChanged>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if let p = c.pointee.status { status = try ThreadStatus(c: UnsafePointer(p)) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__StatusChanged>, _ arena: Arena) {
    heddle__v1__status_changed__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if let v = status { c.pointee.status = arena.message(v) }
  }
}

extension ThreadStartedNotice: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadStartedNotice
  public static var schemaIndex: UInt16 { 64 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_started_notice() }

  public init(c: UnsafePointer<Heddle__V1__ThreadStartedNotice>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if let p = c.pointee.lineage { lineage = try Lineage(c: UnsafePointer(p)) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ThreadStartedNotice>, _ arena: Arena) {
    heddle__v1__thread_started_notice__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if let v = lineage { c.pointee.lineage = arena.message(v) }
  }
}

extension ThreadDeletedNotice: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadDeletedNotice
  public static var schemaIndex: UInt16 { 65 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_deleted_notice() }

  public init(c: UnsafePointer<Heddle__V1__ThreadDeletedNotice>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ThreadDeletedNotice>, _ arena: Arena) {
    heddle__v1__thread_deleted_notice__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
  }
}

extension ThreadArchiveNotice: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadArchiveNotice
  public static var schemaIndex: UInt16 { 66 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_archive_notice() }

  public init(c: UnsafePointer<Heddle__V1__ThreadArchiveNotice>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if c.pointee.has_archived != 0 { archived = c.pointee.archived != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ThreadArchiveNotice>, _ arena: Arena) {
    heddle__v1__thread_archive_notice__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if archived { c.pointee.has_archived = 1; c.pointee.archived = archived ? 1 : 0 }
  }
}

extension ThreadNameNotice: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadNameNotice
  public static var schemaIndex: UInt16 { 67 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_name_notice() }

  public init(c: UnsafePointer<Heddle__V1__ThreadNameNotice>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ThreadNameNotice>, _ arena: Arena) {
    heddle__v1__thread_name_notice__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
  }
}

extension SubscriptionEvent: WireMessage {
  public typealias CMessage = Heddle__V1__SubscriptionEvent
  public static var schemaIndex: UInt16 { 68 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_subscription_event() }

  public init(c: UnsafePointer<Heddle__V1__SubscriptionEvent>) throws(DecodeError) {
    self.init()
    switch c.pointee.kind_case.rawValue {
    case 1: if let p = c.pointee.subscribed { kind = .subscribed(try Subscribed(c: UnsafePointer(p))) }
    case 2: if let p = c.pointee.event { kind = .event(try Event(c: UnsafePointer(p))) }
    case 3: if let p = c.pointee.delta { kind = .delta(try ItemDelta(c: UnsafePointer(p))) }
    case 4: if let p = c.pointee.snapshot { kind = .snapshot(try ItemSnapshot(c: UnsafePointer(p))) }
    case 5: if let p = c.pointee.live { kind = .live(try Live(c: UnsafePointer(p))) }
    case 6: if let p = c.pointee.progress { kind = .progress(try Progress(c: UnsafePointer(p))) }
    case 7: if let p = c.pointee.status { kind = .status(try StatusChanged(c: UnsafePointer(p))) }
    case 8: if let p = c.pointee.thread_started { kind = .threadStarted(try ThreadStartedNotice(c: UnsafePointer(p))) }
    case 9: if let p = c.pointee.thread_deleted { kind = .threadDeleted(try ThreadDeletedNotice(c: UnsafePointer(p))) }
    case 10: if let p = c.pointee.thread_archive { kind = .threadArchive(try ThreadArchiveNotice(c: UnsafePointer(p))) }
    case 11: if let p = c.pointee.thread_name { kind = .threadName(try ThreadNameNotice(c: UnsafePointer(p))) }
    default: break
    }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__SubscriptionEvent>, _ arena: Arena) {
    heddle__v1__subscription_event__init(c)
    switch kind {
    case nil: break
    case .subscribed(let v)?: c.pointee.kind_case = Heddle__V1__SubscriptionEvent__KindCase(rawValue: 1); c.pointee.subscribed = arena.message(v)
    case .event(let v)?: c.pointee.kind_case = Heddle__V1__SubscriptionEvent__KindCase(rawValue: 2); c.pointee.event = arena.message(v)
    case .delta(let v)?: c.pointee.kind_case = Heddle__V1__SubscriptionEvent__KindCase(rawValue: 3); c.pointee.delta = arena.message(v)
    case .snapshot(let v)?: c.pointee.kind_case = Heddle__V1__SubscriptionEvent__KindCase(rawValue: 4); c.pointee.snapshot = arena.message(v)
    case .live(let v)?: c.pointee.kind_case = Heddle__V1__SubscriptionEvent__KindCase(rawValue: 5); c.pointee.live = arena.message(v)
    case .progress(let v)?: c.pointee.kind_case = Heddle__V1__SubscriptionEvent__KindCase(rawValue: 6); c.pointee.progress = arena.message(v)
    case .status(let v)?: c.pointee.kind_case = Heddle__V1__SubscriptionEvent__KindCase(rawValue: 7); c.pointee.status = arena.message(v)
    case .threadStarted(let v)?: c.pointee.kind_case = Heddle__V1__SubscriptionEvent__KindCase(rawValue: 8); c.pointee.thread_started = arena.message(v)
    case .threadDeleted(let v)?: c.pointee.kind_case = Heddle__V1__SubscriptionEvent__KindCase(rawValue: 9); c.pointee.thread_deleted = arena.message(v)
    case .threadArchive(let v)?: c.pointee.kind_case = Heddle__V1__SubscriptionEvent__KindCase(rawValue: 10); c.pointee.thread_archive = arena.message(v)
    case .threadName(let v)?: c.pointee.kind_case = Heddle__V1__SubscriptionEvent__KindCase(rawValue: 11); c.pointee.thread_name = arena.message(v)
    }
  }
}

