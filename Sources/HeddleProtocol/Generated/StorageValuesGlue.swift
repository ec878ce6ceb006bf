// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension TurnRange: WireMessage {
  public typealias CMessage = Heddle__V1__TurnRange
  public static var schemaIndex: UInt16 { 100 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn_range() }

  public init(c: UnsafePointer<Heddle__V1__TurnRange>) throws(DecodeError) {
    self.init()
    if c.pointee.has_first != 0 { first = c.pointee.first }
    if c.pointee.has_last != 0 { last = c.pointee.last }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__TurnRange>, _ arena: Arena) {
    heddle__v1__turn_range__init(c)
    if first != 0 { c.pointee.has_first = 1; c.pointee.first = first }
    if last != 0 { c.pointee.has_last = 1; c.pointee.last = last }
  }
}

extension HistorySegment: WireMessage {
  public typealias CMessage = Heddle__V1__HistorySegment
  public static var schemaIndex: UInt16 { 101 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_history_segment() }

  public init(c: UnsafePointer<Heddle__V1__HistorySegment>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if c.pointee.has_last_sequence != 0 { lastSequence = c.pointee.last_sequence }
    if c.pointee.has_last_ordinal != 0 { lastOrdinal = c.pointee.last_ordinal }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__HistorySegment>, _ arena: Arena) {
    heddle__v1__history_segment__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if lastSequence != 0 { c.pointee.has_last_sequence = 1; c.pointee.last_sequence = lastSequence }
    if lastOrdinal != 0 { c.pointee.has_last_ordinal = 1; c.pointee.last_ordinal = lastOrdinal }
  }
}

extension OpenItem: WireMessage {
  public typealias CMessage = Heddle__V1__OpenItem
  public static var schemaIndex: UInt16 { 102 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_open_item() }

  public init(c: UnsafePointer<Heddle__V1__OpenItem>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.item { item = try Item(c: UnsafePointer(p)) }
    if c.pointee.has_text != 0 { text = readText(c.pointee.text) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__OpenItem>, _ arena: Arena) {
    heddle__v1__open_item__init(c)
    if let v = item { c.pointee.item = arena.message(v) }
    if !text.isEmpty { c.pointee.has_text = 1; c.pointee.text = arena.text(text) }
  }
}

extension PendingInput: WireMessage {
  public typealias CMessage = Heddle__V1__PendingInput
  public static var schemaIndex: UInt16 { 103 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_pending_input() }

  public init(c: UnsafePointer<Heddle__V1__PendingInput>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.input { input = try TurnInput(c: UnsafePointer(p)) }
    if c.pointee.has_item != 0 { item = try readID(c.pointee.item, "item") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__PendingInput>, _ arena: Arena) {
    heddle__v1__pending_input__init(c)
    if let v = input { c.pointee.input = arena.message(v) }
    if item != ItemID() { c.pointee.has_item = 1; c.pointee.item = arena.id(item) }
  }
}

extension RunningTurn: WireMessage {
  public typealias CMessage = Heddle__V1__RunningTurn
  public static var schemaIndex: UInt16 { 104 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_running_turn() }

  public init(c: UnsafePointer<Heddle__V1__RunningTurn>) throws(DecodeError) {
    self.init()
    if c.pointee.has_id != 0 { id = try readID(c.pointee.id, "id") }
    if c.pointee.has_ordinal != 0 { ordinal = c.pointee.ordinal }
    if c.pointee.has_started_at != 0 { startedAt = c.pointee.started_at }
    if let p = c.pointee.context { context = try TurnContext(c: UnsafePointer(p)) }
    if let p = c.pointee.open_items {
      openItems.reserveCapacity(c.pointee.n_open_items)
      for i in 0..<c.pointee.n_open_items { if let e = p[i] { openItems.append(try OpenItem(c: UnsafePointer(e))) } }
    }
    if let p = c.pointee.pending {
      pending.reserveCapacity(c.pointee.n_pending)
      for i in 0..<c.pointee.n_pending { if let e = p[i] { pending.append(try PendingInput(c: UnsafePointer(e))) } }
    }
    if let p = c.pointee.usage { usage = try TokenUsage(c: UnsafePointer(p)) }
    if c.pointee.has_first_sequence != 0 { firstSequence = c.pointee.first_sequence }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__RunningTurn>, _ arena: Arena) {
    heddle__v1__running_turn__init(c)
    if id != TurnID() { c.pointee.has_id = 1; c.pointee.id = arena.id(id) }
    if ordinal != 0 { c.pointee.has_ordinal = 1; c.pointee.ordinal = ordinal }
    if startedAt != 0 { c.pointee.has_started_at = 1; c.pointee.started_at = startedAt }
    if let v = context { c.pointee.context = arena.message(v) }
    if !openItems.isEmpty { c.pointee.n_open_items = openItems.count; c.pointee.open_items = arena.messages(openItems) }
    if !pending.isEmpty { c.pointee.n_pending = pending.count; c.pointee.pending = arena.messages(pending) }
    if let v = usage { c.pointee.usage = arena.message(v) }
    if firstSequence != 0 { c.pointee.has_first_sequence = 1; c.pointee.first_sequence = firstSequence }
  }
}

extension EndedTurn: WireMessage {
  public typealias CMessage = Heddle__V1__EndedTurn
  public static var schemaIndex: UInt16 { 105 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_ended_turn() }

  public init(c: UnsafePointer<Heddle__V1__EndedTurn>) throws(DecodeError) {
    self.init()
    if c.pointee.has_id != 0 { id = try readID(c.pointee.id, "id") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__EndedTurn>, _ arena: Arena) {
    heddle__v1__ended_turn__init(c)
    if id != TurnID() { c.pointee.has_id = 1; c.pointee.id = arena.id(id) }
  }
}

extension ThreadRecord: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadRecord
  public static var schemaIndex: UInt16 { 106 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_thread_record() }

  public init(c: UnsafePointer<Heddle__V1__ThreadRecord>) throws(DecodeError) {
    self.init()
    if c.pointee.has_id != 0 { id = try readID(c.pointee.id, "id") }
    if let p = c.pointee.lineage { lineage = try Lineage(c: UnsafePointer(p)) }
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_preview != 0 { preview = readText(c.pointee.preview) }
    if c.pointee.has_archived != 0 { archived = c.pointee.archived != 0 }
    if c.pointee.has_created_at != 0 { createdAt = c.pointee.created_at }
    if c.pointee.has_updated_at != 0 { updatedAt = c.pointee.updated_at }
    if let p = c.pointee.settings { settings = try Settings(c: UnsafePointer(p)) }
    if c.pointee.has_revision != 0 { revision = c.pointee.revision }
    if c.pointee.has_version != 0 { version = try readEnum(c.pointee.version.rawValue, "version", allowsZero: true) }
    if c.pointee.has_version_source != 0 { versionSource = try readEnum(c.pointee.version_source.rawValue, "version_source", allowsZero: true) }
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_last_ordinal != 0 { lastOrdinal = c.pointee.last_ordinal }
    if let p = c.pointee.hidden_turns {
      hiddenTurns.reserveCapacity(c.pointee.n_hidden_turns)
      for i in 0..<c.pointee.n_hidden_turns { if let e = p[i] { hiddenTurns.append(try TurnRange(c: UnsafePointer(e))) } }
    }
    if let p = c.pointee.baseline { baseline = try TurnContext(c: UnsafePointer(p)) }
    if let p = c.pointee.running { running = try RunningTurn(c: UnsafePointer(p)) }
    if let p = c.pointee.queue {
      queue.reserveCapacity(c.pointee.n_queue)
      for i in 0..<c.pointee.n_queue { if let e = p[i] { queue.append(try QueuedTurn(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_context_start != 0 { contextStart = c.pointee.context_start }
    if let p = c.pointee.usage { usage = try TokenUsage(c: UnsafePointer(p)) }
    if let p = c.pointee.segments {
      segments.reserveCapacity(c.pointee.n_segments)
      for i in 0..<c.pointee.n_segments { if let e = p[i] { segments.append(try HistorySegment(c: UnsafePointer(e))) } }
    }
    if let p = c.pointee.recent_turns {
      recentTurns.reserveCapacity(c.pointee.n_recent_turns)
      for i in 0..<c.pointee.n_recent_turns { if let e = p[i] { recentTurns.append(try EndedTurn(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_has_history != 0 { hasHistory = c.pointee.has_history != 0 }
    if let p = c.pointee.tools {
      tools.reserveCapacity(c.pointee.n_tools)
      for i in 0..<c.pointee.n_tools { if let e = p[i] { tools.append(try ToolDefinition(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_event_bytes != 0 { eventBytes = c.pointee.event_bytes }
    if c.pointee.has_system_error != 0 { systemError = c.pointee.system_error != 0 }
    if c.pointee.has_version_sequence != 0 { versionSequence = c.pointee.version_sequence }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ThreadRecord>, _ arena: Arena) {
    heddle__v1__thread_record__init(c)
    if id != ThreadID() { c.pointee.has_id = 1; c.pointee.id = arena.id(id) }
    if let v = lineage { c.pointee.lineage = arena.message(v) }
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
    if !preview.isEmpty { c.pointee.has_preview = 1; c.pointee.preview = arena.text(preview) }
    if archived { c.pointee.has_archived = 1; c.pointee.archived = archived ? 1 : 0 }
    if createdAt != 0 { c.pointee.has_created_at = 1; c.pointee.created_at = createdAt }
    if updatedAt != 0 { c.pointee.has_updated_at = 1; c.pointee.updated_at = updatedAt }
    if let v = settings { c.pointee.settings = arena.message(v) }
    if revision != 0 { c.pointee.has_revision = 1; c.pointee.revision = revision }
    if version != .unspecified { c.pointee.has_version = 1; c.pointee.version = Heddle__V1__MultiAgentVersion(rawValue: UInt32(bitPattern: version.rawValue)) }
    if versionSource != .unspecified { c.pointee.has_version_source = 1; c.pointee.version_source = Heddle__V1__VersionSource(rawValue: UInt32(bitPattern: versionSource.rawValue)) }
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if lastOrdinal != 0 { c.pointee.has_last_ordinal = 1; c.pointee.last_ordinal = lastOrdinal }
    if !hiddenTurns.isEmpty { c.pointee.n_hidden_turns = hiddenTurns.count; c.pointee.hidden_turns = arena.messages(hiddenTurns) }
    if let v = baseline { c.pointee.baseline = arena.message(v) }
    if let v = running { c.pointee.running = arena.message(v) }
    if !queue.isEmpty { c.pointee.n_queue = queue.count; c.pointee.queue = arena.messages(queue) }
    if contextStart != 0 { c.pointee.has_context_start = 1; c.pointee.context_start = contextStart }
    if let v = usage { c.pointee.usage = arena.message(v) }
    if !segments.isEmpty { c.pointee.n_segments = segments.count; c.pointee.segments = arena.messages(segments) }
    if !recentTurns.isEmpty { c.pointee.n_recent_turns = recentTurns.count; c.pointee.recent_turns = arena.messages(recentTurns) }
    if hasHistory { c.pointee.has_has_history = 1; c.pointee.has_history = hasHistory ? 1 : 0 }
    if !tools.isEmpty { c.pointee.n_tools = tools.count; c.pointee.tools = arena.messages(tools) }
    if eventBytes != 0 { c.pointee.has_event_bytes = 1; c.pointee.event_bytes = eventBytes }
    if systemError { c.pointee.has_system_error = 1; c.pointee.system_error = systemError ? 1 : 0 }
    if versionSequence != 0 { c.pointee.has_version_sequence = 1; c.pointee.version_sequence = versionSequence }
  }
}

