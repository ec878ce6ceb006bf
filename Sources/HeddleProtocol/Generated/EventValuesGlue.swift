// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension Lineage: WireMessage {
  public typealias CMessage = Heddle__V1__Lineage
  public static var schemaIndex: UInt16 { 56 }
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

  public func write(_ out: inout BackwardWriter) {
    if !origin.isEmpty { out.text(origin, 82) }
    if !agentRole.isEmpty { out.text(agentRole, 74) }
    if !agentNickname.isEmpty { out.text(agentNickname, 66) }
    if !agentPath.isEmpty { out.text(agentPath, 58) }
    if depth != 0 { out.unsigned(depth, 48) }
    if let v = forkedAt { out.unsigned(v, 40) }
    if let v = forkedFrom { out.id(v, 34) }
    if let v = parent { out.id(v, 26) }
    if root != ThreadID() { out.id(root, 18) }
    if source != .unspecified { out.signed(source.rawValue, 8) }
  }
}

extension ThreadCreated: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadCreated
  public static var schemaIndex: UInt16 { 57 }
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
    if c.pointee.has_asks_user != 0 { asksUser = c.pointee.asks_user != 0 }
    if let p = c.pointee.baseline { baseline = try TurnContext(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = baseline { out.message(v, 74) }
    if asksUser { out.bool(asksUser, 64) }
    if hasHistory { out.bool(hasHistory, 56) }
    for v in tools.reversed() { out.message(v, 50) }
    if !name.isEmpty { out.text(name, 42) }
    if createdAt != 0 { out.signed(createdAt, 32) }
    if let v = settings { out.message(v, 26) }
    if let v = lineage { out.message(v, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension SettingsUpdated: WireMessage {
  public typealias CMessage = Heddle__V1__SettingsUpdated
  public static var schemaIndex: UInt16 { 58 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_settings_updated() }

  public init(c: UnsafePointer<Heddle__V1__SettingsUpdated>) throws(DecodeError) {
    self.init()
    if c.pointee.has_revision != 0 { revision = c.pointee.revision }
    if let p = c.pointee.settings { settings = try Settings(c: UnsafePointer(p)) }
    if let p = c.pointee.tools { tools = try ToolSelection(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = tools { out.message(v, 26) }
    if let v = settings { out.message(v, 18) }
    if revision != 0 { out.unsigned(revision, 8) }
  }
}

extension VersionPinned: WireMessage {
  public typealias CMessage = Heddle__V1__VersionPinned
  public static var schemaIndex: UInt16 { 59 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_version_pinned() }

  public init(c: UnsafePointer<Heddle__V1__VersionPinned>) throws(DecodeError) {
    self.init()
    if c.pointee.has_version != 0 { version = try readEnum(c.pointee.version.rawValue, "version", allowsZero: false) }
    if c.pointee.has_source != 0 { source = try readEnum(c.pointee.source.rawValue, "source", allowsZero: false) }
  }

  public func write(_ out: inout BackwardWriter) {
    if source != .unspecified { out.signed(source.rawValue, 16) }
    if version != .unspecified { out.signed(version.rawValue, 8) }
  }
}

extension NameChanged: WireMessage {
  public typealias CMessage = Heddle__V1__NameChanged
  public static var schemaIndex: UInt16 { 60 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_name_changed() }

  public init(c: UnsafePointer<Heddle__V1__NameChanged>) throws(DecodeError) {
    self.init()
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !name.isEmpty { out.text(name, 10) }
  }
}

extension ThreadArchived: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadArchived
  public static var schemaIndex: UInt16 { 61 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_archived() }

  public init(c: UnsafePointer<Heddle__V1__ThreadArchived>) throws(DecodeError) {
    self.init()
    if c.pointee.has_root != 0 { root = try readID(c.pointee.root, "root") }
  }

  public func write(_ out: inout BackwardWriter) {
    if root != ThreadID() { out.id(root, 10) }
  }
}

extension ThreadUnarchived: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadUnarchived
  public static var schemaIndex: UInt16 { 62 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_unarchived() }

  public init(c: UnsafePointer<Heddle__V1__ThreadUnarchived>) throws(DecodeError) {
    self.init()
    if c.pointee.has_root != 0 { root = try readID(c.pointee.root, "root") }
  }

  public func write(_ out: inout BackwardWriter) {
    if root != ThreadID() { out.id(root, 10) }
  }
}

extension TurnQueued: WireMessage {
  public typealias CMessage = Heddle__V1__TurnQueued
  public static var schemaIndex: UInt16 { 63 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn_queued() }

  public init(c: UnsafePointer<Heddle__V1__TurnQueued>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.turn { turn = try QueuedTurn(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = turn { out.message(v, 10) }
  }
}

extension QueuedTurnCancelled: WireMessage {
  public typealias CMessage = Heddle__V1__QueuedTurnCancelled
  public static var schemaIndex: UInt16 { 64 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_queued_turn_cancelled() }

  public init(c: UnsafePointer<Heddle__V1__QueuedTurnCancelled>) throws(DecodeError) {
    self.init()
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
  }

  public func write(_ out: inout BackwardWriter) {
    if turn != TurnID() { out.id(turn, 10) }
  }
}

extension TurnStarted: WireMessage {
  public typealias CMessage = Heddle__V1__TurnStarted
  public static var schemaIndex: UInt16 { 65 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn_started() }

  public init(c: UnsafePointer<Heddle__V1__TurnStarted>) throws(DecodeError) {
    self.init()
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_ordinal != 0 { ordinal = c.pointee.ordinal }
    if let p = c.pointee.context { context = try TurnContext(c: UnsafePointer(p)) }
    if c.pointee.has_cause != 0 { cause = try readEnum(c.pointee.cause.rawValue, "cause", allowsZero: true) }
  }

  public func write(_ out: inout BackwardWriter) {
    if cause != .unspecified { out.signed(cause.rawValue, 32) }
    if let v = context { out.message(v, 26) }
    if ordinal != 0 { out.unsigned(ordinal, 16) }
    if turn != TurnID() { out.id(turn, 10) }
  }
}

extension InputSteered: WireMessage {
  public typealias CMessage = Heddle__V1__InputSteered
  public static var schemaIndex: UInt16 { 66 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_input_steered() }

  public init(c: UnsafePointer<Heddle__V1__InputSteered>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.input { input = try TurnInput(c: UnsafePointer(p)) }
    if c.pointee.has_item != 0 { item = try readID(c.pointee.item, "item") }
  }

  public func write(_ out: inout BackwardWriter) {
    if item != ItemID() { out.id(item, 18) }
    if let v = input { out.message(v, 10) }
  }
}

extension ItemStarted: WireMessage {
  public typealias CMessage = Heddle__V1__ItemStarted
  public static var schemaIndex: UInt16 { 67 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_item_started() }

  public init(c: UnsafePointer<Heddle__V1__ItemStarted>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.item { item = try Item(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = item { out.message(v, 10) }
  }
}

extension ItemCheckpoint: WireMessage {
  public typealias CMessage = Heddle__V1__ItemCheckpoint
  public static var schemaIndex: UInt16 { 68 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_item_checkpoint() }

  public init(c: UnsafePointer<Heddle__V1__ItemCheckpoint>) throws(DecodeError) {
    self.init()
    if c.pointee.has_item != 0 { item = try readID(c.pointee.item, "item") }
    if c.pointee.has_offset != 0 { offset = c.pointee.offset }
    if c.pointee.has_text != 0 { text = readText(c.pointee.text) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !text.isEmpty { out.text(text, 26) }
    if offset != 0 { out.unsigned(offset, 16) }
    if item != ItemID() { out.id(item, 10) }
  }
}

extension ItemCompleted: WireMessage {
  public typealias CMessage = Heddle__V1__ItemCompleted
  public static var schemaIndex: UInt16 { 69 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_item_completed() }

  public init(c: UnsafePointer<Heddle__V1__ItemCompleted>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.item { item = try Item(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = item { out.message(v, 10) }
  }
}

extension ModelRetried: WireMessage {
  public typealias CMessage = Heddle__V1__ModelRetried
  public static var schemaIndex: UInt16 { 70 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_model_retried() }

  public init(c: UnsafePointer<Heddle__V1__ModelRetried>) throws(DecodeError) {
    self.init()
    if c.pointee.has_attempt != 0 { attempt = c.pointee.attempt }
    if let p = c.pointee.error { error = try TurnError(c: UnsafePointer(p)) }
    if c.pointee.has_wait_ms != 0 { waitMs = c.pointee.wait_ms }
  }

  public func write(_ out: inout BackwardWriter) {
    if waitMs != 0 { out.unsigned(waitMs, 24) }
    if let v = error { out.message(v, 18) }
    if attempt != 0 { out.unsigned(attempt, 8) }
  }
}

extension UsageReported: WireMessage {
  public typealias CMessage = Heddle__V1__UsageReported
  public static var schemaIndex: UInt16 { 71 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_usage_reported() }

  public init(c: UnsafePointer<Heddle__V1__UsageReported>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.usage { usage = try TokenUsage(c: UnsafePointer(p)) }
    if let p = c.pointee.turn_usage { turnUsage = try TokenUsage(c: UnsafePointer(p)) }
    if let p = c.pointee.thread_usage { threadUsage = try TokenUsage(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = threadUsage { out.message(v, 26) }
    if let v = turnUsage { out.message(v, 18) }
    if let v = usage { out.message(v, 10) }
  }
}

extension TurnEnded: WireMessage {
  public typealias CMessage = Heddle__V1__TurnEnded
  public static var schemaIndex: UInt16 { 72 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn_ended() }

  public init(c: UnsafePointer<Heddle__V1__TurnEnded>) throws(DecodeError) {
    self.init()
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_status != 0 { status = try readEnum(c.pointee.status.rawValue, "status", allowsZero: false) }
    if let p = c.pointee.error { error = try TurnError(c: UnsafePointer(p)) }
    if let p = c.pointee.usage { usage = try TokenUsage(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = usage { out.message(v, 34) }
    if let v = error { out.message(v, 26) }
    if status != .unspecified { out.signed(status.rawValue, 16) }
    if turn != TurnID() { out.id(turn, 10) }
  }
}

extension TurnsRolledBack: WireMessage {
  public typealias CMessage = Heddle__V1__TurnsRolledBack
  public static var schemaIndex: UInt16 { 73 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turns_rolled_back() }

  public init(c: UnsafePointer<Heddle__V1__TurnsRolledBack>) throws(DecodeError) {
    self.init()
    if c.pointee.has_count != 0 { count = c.pointee.count }
    if c.pointee.has_first_ordinal != 0 { firstOrdinal = c.pointee.first_ordinal }
    if c.pointee.has_last_ordinal != 0 { lastOrdinal = c.pointee.last_ordinal }
    if let p = c.pointee.baseline { baseline = try TurnContext(c: UnsafePointer(p)) }
    if c.pointee.has_context_start != 0 { contextStart = c.pointee.context_start }
  }

  public func write(_ out: inout BackwardWriter) {
    if contextStart != 0 { out.unsigned(contextStart, 40) }
    if let v = baseline { out.message(v, 34) }
    if lastOrdinal != 0 { out.unsigned(lastOrdinal, 24) }
    if firstOrdinal != 0 { out.unsigned(firstOrdinal, 16) }
    if count != 0 { out.unsigned(count, 8) }
  }
}

extension ContextCompacted: WireMessage {
  public typealias CMessage = Heddle__V1__ContextCompacted
  public static var schemaIndex: UInt16 { 74 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_context_compacted() }

  public init(c: UnsafePointer<Heddle__V1__ContextCompacted>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.compaction { compaction = try CompactionItem(c: UnsafePointer(p)) }
    if let p = c.pointee.baseline { baseline = try TurnContext(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = baseline { out.message(v, 18) }
    if let v = compaction { out.message(v, 10) }
  }
}

extension MailReceived: WireMessage {
  public typealias CMessage = Heddle__V1__MailReceived
  public static var schemaIndex: UInt16 { 75 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_mail_received() }

  public init(c: UnsafePointer<Heddle__V1__MailReceived>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.mail { mail = try AgentMail(c: UnsafePointer(p)) }
    if c.pointee.has_replaces != 0 { replaces = try readID(c.pointee.replaces, "replaces") }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = replaces { out.id(v, 18) }
    if let v = mail { out.message(v, 10) }
  }
}

extension MailQueued: WireMessage {
  public typealias CMessage = Heddle__V1__MailQueued
  public static var schemaIndex: UInt16 { 76 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_mail_queued() }

  public init(c: UnsafePointer<Heddle__V1__MailQueued>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.mail { mail = try AgentMail(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = mail { out.message(v, 10) }
  }
}

extension MailDelivered: WireMessage {
  public typealias CMessage = Heddle__V1__MailDelivered
  public static var schemaIndex: UInt16 { 77 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_mail_delivered() }

  public init(c: UnsafePointer<Heddle__V1__MailDelivered>) throws(DecodeError) {
    self.init()
    if c.pointee.has_mail != 0 { mail = try readID(c.pointee.mail, "mail") }
  }

  public func write(_ out: inout BackwardWriter) {
    if mail != ItemID() { out.id(mail, 10) }
  }
}

extension AgentActivity: WireMessage {
  public typealias CMessage = Heddle__V1__AgentActivity
  public static var schemaIndex: UInt16 { 78 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_agent_activity() }

  public init(c: UnsafePointer<Heddle__V1__AgentActivity>) throws(DecodeError) {
    self.init()
    if c.pointee.has_kind != 0 { kind = try readEnum(c.pointee.kind.rawValue, "kind", allowsZero: false) }
    if c.pointee.has_agent != 0 { agent = try readID(c.pointee.agent, "agent") }
    if c.pointee.has_path != 0 { path = readText(c.pointee.path) }
    if c.pointee.has_call_id != 0 { callId = readText(c.pointee.call_id) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !callId.isEmpty { out.text(callId, 34) }
    if !path.isEmpty { out.text(path, 26) }
    if agent != ThreadID() { out.id(agent, 18) }
    if kind != .unspecified { out.signed(kind.rawValue, 8) }
  }
}

extension AgentClosed: WireMessage {
  public typealias CMessage = Heddle__V1__AgentClosed
  public static var schemaIndex: UInt16 { 79 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_agent_closed() }

  public init(c: UnsafePointer<Heddle__V1__AgentClosed>) throws(DecodeError) {
    self.init()
    if c.pointee.has_with != 0 { with = try readID(c.pointee.with, "with") }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = with { out.id(v, 10) }
  }
}

extension AgentReopened: WireMessage {
  public typealias CMessage = Heddle__V1__AgentReopened
  public static var schemaIndex: UInt16 { 80 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_agent_reopened() }

  public init(c: UnsafePointer<Heddle__V1__AgentReopened>) throws(DecodeError) {
    self.init()
  }

  public func write(_ out: inout BackwardWriter) {
  }
}

extension ForeignRecord: WireMessage {
  public typealias CMessage = Heddle__V1__ForeignRecord
  public static var schemaIndex: UInt16 { 81 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_foreign_record() }

  public init(c: UnsafePointer<Heddle__V1__ForeignRecord>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.record { record = try OpaquePart(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = record { out.message(v, 10) }
  }
}

extension Event: WireMessage {
  public typealias CMessage = Heddle__V1__Event
  public static var schemaIndex: UInt16 { 82 }
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
    case 29: if let p = c.pointee.mail_received { kind = .mailReceived(try MailReceived(c: UnsafePointer(p))) }
    case 30: if let p = c.pointee.mail_queued { kind = .mailQueued(try MailQueued(c: UnsafePointer(p))) }
    case 31: if let p = c.pointee.mail_delivered { kind = .mailDelivered(try MailDelivered(c: UnsafePointer(p))) }
    case 32: if let p = c.pointee.agent_activity { kind = .agentActivity(try AgentActivity(c: UnsafePointer(p))) }
    case 33: if let p = c.pointee.agent_closed { kind = .agentClosed(try AgentClosed(c: UnsafePointer(p))) }
    case 34: if let p = c.pointee.agent_reopened { kind = .agentReopened(try AgentReopened(c: UnsafePointer(p))) }
    default: break
    }
  }

  public func write(_ out: inout BackwardWriter) {
    switch kind {
    case .threadCreated(let v)?: out.message(v, 82)
    case .settingsUpdated(let v)?: out.message(v, 90)
    case .versionPinned(let v)?: out.message(v, 98)
    case .nameChanged(let v)?: out.message(v, 106)
    case .threadArchived(let v)?: out.message(v, 114)
    case .threadUnarchived(let v)?: out.message(v, 122)
    case .turnQueued(let v)?: out.message(v, 130)
    case .queuedTurnCancelled(let v)?: out.message(v, 138)
    case .turnStarted(let v)?: out.message(v, 146)
    case .inputSteered(let v)?: out.message(v, 154)
    case .itemStarted(let v)?: out.message(v, 162)
    case .itemCheckpoint(let v)?: out.message(v, 170)
    case .itemCompleted(let v)?: out.message(v, 178)
    case .modelRetried(let v)?: out.message(v, 186)
    case .usageReported(let v)?: out.message(v, 194)
    case .turnEnded(let v)?: out.message(v, 202)
    case .turnsRolledBack(let v)?: out.message(v, 210)
    case .contextCompacted(let v)?: out.message(v, 218)
    case .foreignRecord(let v)?: out.message(v, 226)
    case .mailReceived(let v)?: out.message(v, 234)
    case .mailQueued(let v)?: out.message(v, 242)
    case .mailDelivered(let v)?: out.message(v, 250)
    case .agentActivity(let v)?: out.message(v, 258)
    case .agentClosed(let v)?: out.message(v, 266)
    case .agentReopened(let v)?: out.message(v, 274)
    default: break
    }
    if let v = turn { out.id(v, 34) }
    if more { out.bool(more, 24) }
    if at != 0 { out.signed(at, 16) }
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

extension ThreadStatus: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadStatus
  public static var schemaIndex: UInt16 { 83 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_status() }

  public init(c: UnsafePointer<Heddle__V1__ThreadStatus>) throws(DecodeError) {
    self.init()
    if c.pointee.has_state != 0 { state = try readEnum(c.pointee.state.rawValue, "state", allowsZero: false) }
    if c.pointee.has_waiting_on_tool != 0 { waitingOnTool = c.pointee.waiting_on_tool != 0 }
    if c.pointee.has_waiting_on_user != 0 { waitingOnUser = c.pointee.waiting_on_user != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if waitingOnUser { out.bool(waitingOnUser, 24) }
    if waitingOnTool { out.bool(waitingOnTool, 16) }
    if state != .unspecified { out.signed(state.rawValue, 8) }
  }
}

extension ItemDelta: WireMessage {
  public typealias CMessage = Heddle__V1__ItemDelta
  public static var schemaIndex: UInt16 { 84 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_item_delta() }

  public init(c: UnsafePointer<Heddle__V1__ItemDelta>) throws(DecodeError) {
    self.init()
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_item != 0 { item = try readID(c.pointee.item, "item") }
    if c.pointee.has_offset != 0 { offset = c.pointee.offset }
    if c.pointee.has_text != 0 { text = readText(c.pointee.text) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !text.isEmpty { out.text(text, 34) }
    if offset != 0 { out.unsigned(offset, 24) }
    if item != ItemID() { out.id(item, 18) }
    if turn != TurnID() { out.id(turn, 10) }
  }
}

extension ItemSnapshot: WireMessage {
  public typealias CMessage = Heddle__V1__ItemSnapshot
  public static var schemaIndex: UInt16 { 85 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_item_snapshot() }

  public init(c: UnsafePointer<Heddle__V1__ItemSnapshot>) throws(DecodeError) {
    self.init()
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_item != 0 { item = try readID(c.pointee.item, "item") }
    if c.pointee.has_text != 0 { text = readText(c.pointee.text) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !text.isEmpty { out.text(text, 26) }
    if item != ItemID() { out.id(item, 18) }
    if turn != TurnID() { out.id(turn, 10) }
  }
}

extension Subscribed: WireMessage {
  public typealias CMessage = Heddle__V1__Subscribed
  public static var schemaIndex: UInt16 { 86 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_subscribed() }

  public init(c: UnsafePointer<Heddle__V1__Subscribed>) throws(DecodeError) {
    self.init()
    if c.pointee.has_head != 0 { head = c.pointee.head }
    if c.pointee.has_oldest != 0 { oldest = c.pointee.oldest }
    if c.pointee.has_epoch != 0 { epoch = c.pointee.epoch }
  }

  public func write(_ out: inout BackwardWriter) {
    if epoch != 0 { out.unsigned(epoch, 24) }
    if oldest != 0 { out.unsigned(oldest, 16) }
    if head != 0 { out.unsigned(head, 8) }
  }
}

extension Live: WireMessage {
  public typealias CMessage = Heddle__V1__Live
  public static var schemaIndex: UInt16 { 87 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_live() }

  public init(c: UnsafePointer<Heddle__V1__Live>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
  }

  public func write(_ out: inout BackwardWriter) {
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

extension Progress: WireMessage {
  public typealias CMessage = Heddle__V1__Progress
  public static var schemaIndex: UInt16 { 88 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_progress() }

  public init(c: UnsafePointer<Heddle__V1__Progress>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
  }

  public func write(_ out: inout BackwardWriter) {
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

extension StatusChanged: WireMessage {
  public typealias CMessage = Heddle__V1__StatusChanged
  public static var schemaIndex: UInt16 { 89 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_status_changed() }

  public init(c: UnsafePointer<Heddle__V1__StatusChanged>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if let p = c.pointee.status { status = try ThreadStatus(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = status { out.message(v, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ThreadStartedNotice: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadStartedNotice
  public static var schemaIndex: UInt16 { 90 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_started_notice() }

  public init(c: UnsafePointer<Heddle__V1__ThreadStartedNotice>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if let p = c.pointee.lineage { lineage = try Lineage(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = lineage { out.message(v, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ThreadDeletedNotice: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadDeletedNotice
  public static var schemaIndex: UInt16 { 91 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_deleted_notice() }

  public init(c: UnsafePointer<Heddle__V1__ThreadDeletedNotice>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
  }

  public func write(_ out: inout BackwardWriter) {
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ThreadArchiveNotice: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadArchiveNotice
  public static var schemaIndex: UInt16 { 92 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_archive_notice() }

  public init(c: UnsafePointer<Heddle__V1__ThreadArchiveNotice>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if c.pointee.has_archived != 0 { archived = c.pointee.archived != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if archived { out.bool(archived, 16) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ThreadNameNotice: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadNameNotice
  public static var schemaIndex: UInt16 { 93 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_name_notice() }

  public init(c: UnsafePointer<Heddle__V1__ThreadNameNotice>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !name.isEmpty { out.text(name, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension SubscriptionEvent: WireMessage {
  public typealias CMessage = Heddle__V1__SubscriptionEvent
  public static var schemaIndex: UInt16 { 94 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_subscription_event() }

  public init(c: UnsafePointer<Heddle__V1__SubscriptionEvent>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
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
    case 13: if let p = c.pointee.call { kind = .call(try OpenCall(c: UnsafePointer(p))) }
    case 14: if let p = c.pointee.call_ended { kind = .callEnded(try CallEnded(c: UnsafePointer(p))) }
    default: break
    }
  }

  public func write(_ out: inout BackwardWriter) {
    switch kind {
    case .call(let v)?: out.message(v, 106)
    case .callEnded(let v)?: out.message(v, 114)
    default: break
    }
    if let v = thread { out.id(v, 98) }
    switch kind {
    case .subscribed(let v)?: out.message(v, 10)
    case .event(let v)?: out.message(v, 18)
    case .delta(let v)?: out.message(v, 26)
    case .snapshot(let v)?: out.message(v, 34)
    case .live(let v)?: out.message(v, 42)
    case .progress(let v)?: out.message(v, 50)
    case .status(let v)?: out.message(v, 58)
    case .threadStarted(let v)?: out.message(v, 66)
    case .threadDeleted(let v)?: out.message(v, 74)
    case .threadArchive(let v)?: out.message(v, 82)
    case .threadName(let v)?: out.message(v, 90)
    default: break
    }
  }
}

