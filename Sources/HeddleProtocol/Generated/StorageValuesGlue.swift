// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension TurnRange: WireMessage {
  public typealias CMessage = Heddle__V1__TurnRange
  public static var schemaIndex: UInt16 { 120 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn_range() }

  public init(c: UnsafePointer<Heddle__V1__TurnRange>) throws(DecodeError) {
    self.init()
    if c.pointee.has_first != 0 { first = c.pointee.first }
    if c.pointee.has_last != 0 { last = c.pointee.last }
  }

  public func write(_ out: inout BackwardWriter) {
    if last != 0 { out.unsigned(last, 16) }
    if first != 0 { out.unsigned(first, 8) }
  }
}

extension HistorySegment: WireMessage {
  public typealias CMessage = Heddle__V1__HistorySegment
  public static var schemaIndex: UInt16 { 121 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_history_segment() }

  public init(c: UnsafePointer<Heddle__V1__HistorySegment>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if c.pointee.has_last_sequence != 0 { lastSequence = c.pointee.last_sequence }
    if c.pointee.has_last_ordinal != 0 { lastOrdinal = c.pointee.last_ordinal }
  }

  public func write(_ out: inout BackwardWriter) {
    if lastOrdinal != 0 { out.unsigned(lastOrdinal, 24) }
    if lastSequence != 0 { out.unsigned(lastSequence, 16) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension OpenItem: WireMessage {
  public typealias CMessage = Heddle__V1__OpenItem
  public static var schemaIndex: UInt16 { 122 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_open_item() }

  public init(c: UnsafePointer<Heddle__V1__OpenItem>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.item { item = try Item(c: UnsafePointer(p)) }
    if c.pointee.has_text != 0 { text = readText(c.pointee.text) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !text.isEmpty { out.text(text, 18) }
    if let v = item { out.message(v, 10) }
  }
}

extension PendingInput: WireMessage {
  public typealias CMessage = Heddle__V1__PendingInput
  public static var schemaIndex: UInt16 { 123 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_pending_input() }

  public init(c: UnsafePointer<Heddle__V1__PendingInput>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.input { input = try TurnInput(c: UnsafePointer(p)) }
    if c.pointee.has_item != 0 { item = try readID(c.pointee.item, "item") }
  }

  public func write(_ out: inout BackwardWriter) {
    if item != ItemID() { out.id(item, 18) }
    if let v = input { out.message(v, 10) }
  }
}

extension RunningTurn: WireMessage {
  public typealias CMessage = Heddle__V1__RunningTurn
  public static var schemaIndex: UInt16 { 124 }
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
    if let p = c.pointee.open_calls {
      openCalls.reserveCapacity(c.pointee.n_open_calls)
      for i in 0..<c.pointee.n_open_calls { if let e = p[i] { openCalls.append(try ToolCallItem(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_answer != 0 { answer = readText(c.pointee.answer) }
    if c.pointee.has_cause != 0 { cause = try readEnum(c.pointee.cause.rawValue, "cause", allowsZero: true) }
    if let p = c.pointee.tools { tools = try ToolSelection(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = tools { out.message(v, 98) }
    if cause != .unspecified { out.signed(cause.rawValue, 88) }
    if !answer.isEmpty { out.text(answer, 82) }
    for v in openCalls.reversed() { out.message(v, 74) }
    if firstSequence != 0 { out.unsigned(firstSequence, 64) }
    if let v = usage { out.message(v, 58) }
    for v in pending.reversed() { out.message(v, 50) }
    for v in openItems.reversed() { out.message(v, 42) }
    if let v = context { out.message(v, 34) }
    if startedAt != 0 { out.signed(startedAt, 24) }
    if ordinal != 0 { out.unsigned(ordinal, 16) }
    if id != TurnID() { out.id(id, 10) }
  }
}

extension AgentState: WireMessage {
  public typealias CMessage = Heddle__V1__AgentState
  public static var schemaIndex: UInt16 { 125 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_agent_state() }

  public init(c: UnsafePointer<Heddle__V1__AgentState>) throws(DecodeError) {
    self.init()
    if c.pointee.has_closed != 0 { closed = c.pointee.closed != 0 }
    if c.pointee.has_last_task != 0 { lastTask = readText(c.pointee.last_task) }
    if c.pointee.has_last_status != 0 { lastStatus = try readEnum(c.pointee.last_status.rawValue, "last_status", allowsZero: true) }
    if c.pointee.has_last_answer != 0 { lastAnswer = readText(c.pointee.last_answer) }
    if c.pointee.has_last_error != 0 { lastError = readText(c.pointee.last_error) }
    if c.pointee.has_reported != 0 { reported = c.pointee.reported != 0 }
    if c.pointee.has_closed_with != 0 { closedWith = try readID(c.pointee.closed_with, "closed_with") }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = closedWith { out.id(v, 58) }
    if reported { out.bool(reported, 48) }
    if !lastError.isEmpty { out.text(lastError, 42) }
    if !lastAnswer.isEmpty { out.text(lastAnswer, 34) }
    if lastStatus != .unspecified { out.signed(lastStatus.rawValue, 24) }
    if !lastTask.isEmpty { out.text(lastTask, 18) }
    if closed { out.bool(closed, 8) }
  }
}

extension EndedTurn: WireMessage {
  public typealias CMessage = Heddle__V1__EndedTurn
  public static var schemaIndex: UInt16 { 126 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_ended_turn() }

  public init(c: UnsafePointer<Heddle__V1__EndedTurn>) throws(DecodeError) {
    self.init()
    if c.pointee.has_id != 0 { id = try readID(c.pointee.id, "id") }
  }

  public func write(_ out: inout BackwardWriter) {
    if id != TurnID() { out.id(id, 10) }
  }
}

extension ThreadRecord: WireMessage {
  public typealias CMessage = Heddle__V1__ThreadRecord
  public static var schemaIndex: UInt16 { 127 }
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
    if let p = c.pointee.mailbox {
      mailbox.reserveCapacity(c.pointee.n_mailbox)
      for i in 0..<c.pointee.n_mailbox { if let e = p[i] { mailbox.append(try AgentMail(c: UnsafePointer(e))) } }
    }
    if let p = c.pointee.outbox {
      outbox.reserveCapacity(c.pointee.n_outbox)
      for i in 0..<c.pointee.n_outbox { if let e = p[i] { outbox.append(try AgentMail(c: UnsafePointer(e))) } }
    }
    if let p = c.pointee.agent { agent = try AgentState(c: UnsafePointer(p)) }
    if c.pointee.has_asks_user != 0 { asksUser = c.pointee.asks_user != 0 }
    if c.pointee.has_context_tokens != 0 { contextTokens = c.pointee.context_tokens }
    if c.pointee.has_last_status != 0 { lastStatus = try readEnum(c.pointee.last_status.rawValue, "last_status", allowsZero: true) }
    if c.pointee.has_tool_changes != 0 { toolChanges = c.pointee.tool_changes }
  }

  public func write(_ out: inout BackwardWriter) {
    if toolChanges != 0 { out.unsigned(toolChanges, 264) }
    if lastStatus != .unspecified { out.signed(lastStatus.rawValue, 256) }
    if contextTokens != 0 { out.unsigned(contextTokens, 248) }
    if asksUser { out.bool(asksUser, 240) }
    if let v = agent { out.message(v, 234) }
    for v in outbox.reversed() { out.message(v, 226) }
    for v in mailbox.reversed() { out.message(v, 218) }
    if versionSequence != 0 { out.unsigned(versionSequence, 208) }
    if systemError { out.bool(systemError, 200) }
    if eventBytes != 0 { out.unsigned(eventBytes, 192) }
    for v in tools.reversed() { out.message(v, 186) }
    if hasHistory { out.bool(hasHistory, 176) }
    for v in recentTurns.reversed() { out.message(v, 170) }
    for v in segments.reversed() { out.message(v, 162) }
    if let v = usage { out.message(v, 154) }
    if contextStart != 0 { out.unsigned(contextStart, 144) }
    for v in queue.reversed() { out.message(v, 138) }
    if let v = running { out.message(v, 130) }
    if let v = baseline { out.message(v, 122) }
    for v in hiddenTurns.reversed() { out.message(v, 114) }
    if lastOrdinal != 0 { out.unsigned(lastOrdinal, 104) }
    if sequence != 0 { out.unsigned(sequence, 96) }
    if versionSource != .unspecified { out.signed(versionSource.rawValue, 88) }
    if version != .unspecified { out.signed(version.rawValue, 80) }
    if revision != 0 { out.unsigned(revision, 72) }
    if let v = settings { out.message(v, 66) }
    if updatedAt != 0 { out.signed(updatedAt, 56) }
    if createdAt != 0 { out.signed(createdAt, 48) }
    if archived { out.bool(archived, 40) }
    if !preview.isEmpty { out.text(preview, 34) }
    if !name.isEmpty { out.text(name, 26) }
    if let v = lineage { out.message(v, 18) }
    if id != ThreadID() { out.id(id, 10) }
  }
}

