// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension TokenUsage: WireMessage {
  public typealias CMessage = Heddle__V1__TokenUsage
  public static var schemaIndex: UInt16 { 40 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_token_usage() }

  public init(c: UnsafePointer<Heddle__V1__TokenUsage>) throws(DecodeError) {
    self.init()
    if c.pointee.has_input_tokens != 0 { inputTokens = c.pointee.input_tokens }
    if c.pointee.has_cached_input_tokens != 0 { cachedInputTokens = c.pointee.cached_input_tokens }
    if c.pointee.has_output_tokens != 0 { outputTokens = c.pointee.output_tokens }
    if c.pointee.has_reasoning_output_tokens != 0 { reasoningOutputTokens = c.pointee.reasoning_output_tokens }
  }

  public func write(_ out: inout BackwardWriter) {
    if reasoningOutputTokens != 0 { out.unsigned(reasoningOutputTokens, 32) }
    if outputTokens != 0 { out.unsigned(outputTokens, 24) }
    if cachedInputTokens != 0 { out.unsigned(cachedInputTokens, 16) }
    if inputTokens != 0 { out.unsigned(inputTokens, 8) }
  }
}

extension TurnError: WireMessage {
  public typealias CMessage = Heddle__V1__TurnError
  public static var schemaIndex: UInt16 { 41 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn_error() }

  public init(c: UnsafePointer<Heddle__V1__TurnError>) throws(DecodeError) {
    self.init()
    if c.pointee.has_reason != 0 { reason = readText(c.pointee.reason) }
    if c.pointee.has_message != 0 { message = readText(c.pointee.message) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !message.isEmpty { out.text(message, 18) }
    if !reason.isEmpty { out.text(reason, 10) }
  }
}

extension TurnContext: WireMessage {
  public typealias CMessage = Heddle__V1__TurnContext
  public static var schemaIndex: UInt16 { 42 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn_context() }

  public init(c: UnsafePointer<Heddle__V1__TurnContext>) throws(DecodeError) {
    var fields = Fields()
    if let p = c.pointee.settings { fields.settings = try Settings(c: UnsafePointer(p)) }
    if c.pointee.has_revision != 0 { fields.revision = c.pointee.revision }
    if c.pointee.has_version != 0 { fields.version = try readEnum(c.pointee.version.rawValue, "version", allowsZero: true) }
    if c.pointee.has_effective_mode != 0 { fields.effectiveMode = try readEnum(c.pointee.effective_mode.rawValue, "effective_mode", allowsZero: false) }
    if c.pointee.has_output_schema != 0 { fields.outputSchema = readText(c.pointee.output_schema) }
    if c.pointee.has_tool_changes != 0 { fields.toolChanges = c.pointee.tool_changes }
    self.init(fields: fields)
  }

  public func write(_ out: inout BackwardWriter) {
    if toolChanges != 0 { out.unsigned(toolChanges, 48) }
    if let v = outputSchema { out.text(v, 42) }
    if let v = effectiveMode { out.signed(v.rawValue, 32) }
    if version != .unspecified { out.signed(version.rawValue, 24) }
    if revision != 0 { out.unsigned(revision, 16) }
    if let v = settings { out.message(v, 10) }
  }
}

extension TurnInput: WireMessage {
  public typealias CMessage = Heddle__V1__TurnInput
  public static var schemaIndex: UInt16 { 43 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn_input() }

  public init(c: UnsafePointer<Heddle__V1__TurnInput>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.content {
      content.reserveCapacity(c.pointee.n_content)
      for i in 0..<c.pointee.n_content { if let e = p[i] { content.append(try ContentPart(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_client_id != 0 { clientId = readText(c.pointee.client_id) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !clientId.isEmpty { out.text(clientId, 18) }
    for v in content.reversed() { out.message(v, 10) }
  }
}

extension Turn: WireMessage {
  public typealias CMessage = Heddle__V1__Turn
  public static var schemaIndex: UInt16 { 44 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn() }

  public init(c: UnsafePointer<Heddle__V1__Turn>) throws(DecodeError) {
    self.init()
    if c.pointee.has_id != 0 { id = try readID(c.pointee.id, "id") }
    if c.pointee.has_status != 0 { status = try readEnum(c.pointee.status.rawValue, "status", allowsZero: false) }
    if c.pointee.has_ordinal != 0 { ordinal = c.pointee.ordinal }
    if c.pointee.has_started_at != 0 { startedAt = c.pointee.started_at }
    if c.pointee.has_ended_at != 0 { endedAt = c.pointee.ended_at }
    if let p = c.pointee.usage { usage = try TokenUsage(c: UnsafePointer(p)) }
    if let p = c.pointee.error { error = try TurnError(c: UnsafePointer(p)) }
    if let p = c.pointee.context { context = try TurnContext(c: UnsafePointer(p)) }
    if c.pointee.has_first_sequence != 0 { firstSequence = c.pointee.first_sequence }
    if c.pointee.has_last_sequence != 0 { lastSequence = c.pointee.last_sequence }
    if c.pointee.has_cause != 0 { cause = try readEnum(c.pointee.cause.rawValue, "cause", allowsZero: true) }
  }

  public func write(_ out: inout BackwardWriter) {
    if cause != .unspecified { out.signed(cause.rawValue, 88) }
    if lastSequence != 0 { out.unsigned(lastSequence, 80) }
    if firstSequence != 0 { out.unsigned(firstSequence, 72) }
    if let v = context { out.message(v, 66) }
    if let v = error { out.message(v, 58) }
    if let v = usage { out.message(v, 50) }
    if let v = endedAt { out.signed(v, 40) }
    if startedAt != 0 { out.signed(startedAt, 32) }
    if ordinal != 0 { out.unsigned(ordinal, 24) }
    if status != .unspecified { out.signed(status.rawValue, 16) }
    if id != TurnID() { out.id(id, 10) }
  }
}

extension QueuedTurn: WireMessage {
  public typealias CMessage = Heddle__V1__QueuedTurn
  public static var schemaIndex: UInt16 { 45 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_queued_turn() }

  public init(c: UnsafePointer<Heddle__V1__QueuedTurn>) throws(DecodeError) {
    self.init()
    if c.pointee.has_id != 0 { id = try readID(c.pointee.id, "id") }
    if let p = c.pointee.input { input = try TurnInput(c: UnsafePointer(p)) }
    if let p = c.pointee.settings { settings = try SettingsChange(c: UnsafePointer(p)) }
    if c.pointee.has_queued_at != 0 { queuedAt = c.pointee.queued_at }
    if c.pointee.has_output_schema != 0 { outputSchema = readText(c.pointee.output_schema) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = outputSchema { out.text(v, 42) }
    if queuedAt != 0 { out.signed(queuedAt, 32) }
    if let v = settings { out.message(v, 26) }
    if let v = input { out.message(v, 18) }
    if id != TurnID() { out.id(id, 10) }
  }
}

extension StartTurnRequest: WireMessage {
  public typealias CMessage = Heddle__V1__StartTurnRequest
  public static var schemaIndex: UInt16 { 46 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_start_turn_request() }

  public init(c: UnsafePointer<Heddle__V1__StartTurnRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if let p = c.pointee.input { input = try TurnInput(c: UnsafePointer(p)) }
    if let p = c.pointee.settings { settings = try SettingsChange(c: UnsafePointer(p)) }
    if c.pointee.has_when_busy != 0 { whenBusy = try readEnum(c.pointee.when_busy.rawValue, "when_busy", allowsZero: true) }
    if c.pointee.has_output_schema != 0 { outputSchema = readText(c.pointee.output_schema) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = outputSchema { out.text(v, 42) }
    if whenBusy != .unspecified { out.signed(whenBusy.rawValue, 32) }
    if let v = settings { out.message(v, 26) }
    if let v = input { out.message(v, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension StartTurnResponse: WireMessage {
  public typealias CMessage = Heddle__V1__StartTurnResponse
  public static var schemaIndex: UInt16 { 47 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_start_turn_response() }

  public init(c: UnsafePointer<Heddle__V1__StartTurnResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_status != 0 { status = try readEnum(c.pointee.status.rawValue, "status", allowsZero: false) }
    if c.pointee.has_place != 0 { place = c.pointee.place }
    if c.pointee.has_steered != 0 { steered = c.pointee.steered != 0 }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if steered { out.bool(steered, 40) }
    if place != 0 { out.unsigned(place, 32) }
    if status != .unspecified { out.signed(status.rawValue, 24) }
    if turn != TurnID() { out.id(turn, 18) }
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

extension SteerTurnRequest: WireMessage {
  public typealias CMessage = Heddle__V1__SteerTurnRequest
  public static var schemaIndex: UInt16 { 48 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_steer_turn_request() }

  public init(c: UnsafePointer<Heddle__V1__SteerTurnRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") } else { try missing("turn") }
    if let p = c.pointee.input { input = try TurnInput(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = input { out.message(v, 26) }
    if turn != TurnID() { out.id(turn, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension SteerTurnResponse: WireMessage {
  public typealias CMessage = Heddle__V1__SteerTurnResponse
  public static var schemaIndex: UInt16 { 49 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_steer_turn_response() }

  public init(c: UnsafePointer<Heddle__V1__SteerTurnResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if turn != TurnID() { out.id(turn, 18) }
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

extension InterruptTurnRequest: WireMessage {
  public typealias CMessage = Heddle__V1__InterruptTurnRequest
  public static var schemaIndex: UInt16 { 50 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_interrupt_turn_request() }

  public init(c: UnsafePointer<Heddle__V1__InterruptTurnRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") } else { try missing("turn") }
  }

  public func write(_ out: inout BackwardWriter) {
    if turn != TurnID() { out.id(turn, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension InterruptTurnResponse: WireMessage {
  public typealias CMessage = Heddle__V1__InterruptTurnResponse
  public static var schemaIndex: UInt16 { 51 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_interrupt_turn_response() }

  public init(c: UnsafePointer<Heddle__V1__InterruptTurnResponse>) throws(DecodeError) {
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

extension ListQueueRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListQueueRequest
  public static var schemaIndex: UInt16 { 52 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_queue_request() }

  public init(c: UnsafePointer<Heddle__V1__ListQueueRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
  }

  public func write(_ out: inout BackwardWriter) {
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ListQueueResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListQueueResponse
  public static var schemaIndex: UInt16 { 53 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_queue_response() }

  public init(c: UnsafePointer<Heddle__V1__ListQueueResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.turns {
      turns.reserveCapacity(c.pointee.n_turns)
      for i in 0..<c.pointee.n_turns { if let e = p[i] { turns.append(try QueuedTurn(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_running != 0 { running = try readID(c.pointee.running, "running") }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = running { out.id(v, 18) }
    for v in turns.reversed() { out.message(v, 10) }
  }
}

extension CancelQueuedTurnRequest: WireMessage {
  public typealias CMessage = Heddle__V1__CancelQueuedTurnRequest
  public static var schemaIndex: UInt16 { 54 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_cancel_queued_turn_request() }

  public init(c: UnsafePointer<Heddle__V1__CancelQueuedTurnRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") } else { try missing("turn") }
  }

  public func write(_ out: inout BackwardWriter) {
    if turn != TurnID() { out.id(turn, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension CancelQueuedTurnResponse: WireMessage {
  public typealias CMessage = Heddle__V1__CancelQueuedTurnResponse
  public static var schemaIndex: UInt16 { 55 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_cancel_queued_turn_response() }

  public init(c: UnsafePointer<Heddle__V1__CancelQueuedTurnResponse>) throws(DecodeError) {
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

