// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension TokenUsage: WireMessage {
  public typealias CMessage = Heddle__V1__TokenUsage
  public static var schemaIndex: UInt16 { 19 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_token_usage() }

  public init(c: UnsafePointer<Heddle__V1__TokenUsage>) throws(DecodeError) {
    self.init()
    if c.pointee.has_input_tokens != 0 { inputTokens = c.pointee.input_tokens }
    if c.pointee.has_cached_input_tokens != 0 { cachedInputTokens = c.pointee.cached_input_tokens }
    if c.pointee.has_output_tokens != 0 { outputTokens = c.pointee.output_tokens }
    if c.pointee.has_reasoning_output_tokens != 0 { reasoningOutputTokens = c.pointee.reasoning_output_tokens }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__TokenUsage>, _ arena: Arena) {
    heddle__v1__token_usage__init(c)
    if inputTokens != 0 { c.pointee.has_input_tokens = 1; c.pointee.input_tokens = inputTokens }
    if cachedInputTokens != 0 { c.pointee.has_cached_input_tokens = 1; c.pointee.cached_input_tokens = cachedInputTokens }
    if outputTokens != 0 { c.pointee.has_output_tokens = 1; c.pointee.output_tokens = outputTokens }
    if reasoningOutputTokens != 0 { c.pointee.has_reasoning_output_tokens = 1; c.pointee.reasoning_output_tokens = reasoningOutputTokens }
  }
}

extension TurnError: WireMessage {
  public typealias CMessage = Heddle__V1__TurnError
  public static var schemaIndex: UInt16 { 20 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn_error() }

  public init(c: UnsafePointer<Heddle__V1__TurnError>) throws(DecodeError) {
    self.init()
    if c.pointee.has_reason != 0 { reason = readText(c.pointee.reason) }
    if c.pointee.has_message != 0 { message = readText(c.pointee.message) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__TurnError>, _ arena: Arena) {
    heddle__v1__turn_error__init(c)
    if !reason.isEmpty { c.pointee.has_reason = 1; c.pointee.reason = arena.text(reason) }
    if !message.isEmpty { c.pointee.has_message = 1; c.pointee.message = arena.text(message) }
  }
}

extension TurnContext: WireMessage {
  public typealias CMessage = Heddle__V1__TurnContext
  public static var schemaIndex: UInt16 { 21 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn_context() }

  public init(c: UnsafePointer<Heddle__V1__TurnContext>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.settings { settings = try Settings(c: UnsafePointer(p)) }
    if c.pointee.has_revision != 0 { revision = c.pointee.revision }
    if c.pointee.has_version != 0 { version = try readEnum(c.pointee.version.rawValue, "version", allowsZero: true) }
    if c.pointee.has_effective_mode != 0 { effectiveMode = try readEnum(c.pointee.effective_mode.rawValue, "effective_mode", allowsZero: false) }
    if c.pointee.has_output_schema != 0 { outputSchema = readText(c.pointee.output_schema) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__TurnContext>, _ arena: Arena) {
    heddle__v1__turn_context__init(c)
    if let v = settings { c.pointee.settings = arena.message(v) }
    if revision != 0 { c.pointee.has_revision = 1; c.pointee.revision = revision }
    if version != .unspecified { c.pointee.has_version = 1; c.pointee.version = Heddle__V1__MultiAgentVersion(rawValue: UInt32(bitPattern: version.rawValue)) }
    if let v = effectiveMode { c.pointee.has_effective_mode = 1; c.pointee.effective_mode = Heddle__V1__MultiAgentMode(rawValue: UInt32(bitPattern: v.rawValue)) }
    if let v = outputSchema { c.pointee.has_output_schema = 1; c.pointee.output_schema = arena.text(v) }
  }
}

extension TurnInput: WireMessage {
  public typealias CMessage = Heddle__V1__TurnInput
  public static var schemaIndex: UInt16 { 22 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_turn_input() }

  public init(c: UnsafePointer<Heddle__V1__TurnInput>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.content {
      content.reserveCapacity(c.pointee.n_content)
      for i in 0..<c.pointee.n_content { if let e = p[i] { content.append(try ContentPart(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_client_id != 0 { clientId = readText(c.pointee.client_id) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__TurnInput>, _ arena: Arena) {
    heddle__v1__turn_input__init(c)
    if !content.isEmpty { c.pointee.n_content = content.count; c.pointee.content = arena.messages(content) }
    if !clientId.isEmpty { c.pointee.has_client_id = 1; c.pointee.client_id = arena.text(clientId) }
  }
}

extension Turn: WireMessage {
  public typealias CMessage = Heddle__V1__Turn
  public static var schemaIndex: UInt16 { 23 }
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
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Turn>, _ arena: Arena) {
    heddle__v1__turn__init(c)
    if id != TurnID() { c.pointee.has_id = 1; c.pointee.id = arena.id(id) }
    if status != .unspecified { c.pointee.has_status = 1; c.pointee.status = Heddle__V1__TurnStatus(rawValue: UInt32(bitPattern: status.rawValue)) }
    if ordinal != 0 { c.pointee.has_ordinal = 1; c.pointee.ordinal = ordinal }
    if startedAt != 0 { c.pointee.has_started_at = 1; c.pointee.started_at = startedAt }
    if let v = endedAt { c.pointee.has_ended_at = 1; c.pointee.ended_at = v }
    if let v = usage { c.pointee.usage = arena.message(v) }
    if let v = error { c.pointee.error = arena.message(v) }
    if let v = context { c.pointee.context = arena.message(v) }
    if firstSequence != 0 { c.pointee.has_first_sequence = 1; c.pointee.first_sequence = firstSequence }
    if lastSequence != 0 { c.pointee.has_last_sequence = 1; c.pointee.last_sequence = lastSequence }
  }
}

extension QueuedTurn: WireMessage {
  public typealias CMessage = Heddle__V1__QueuedTurn
  public static var schemaIndex: UInt16 { 24 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_queued_turn() }

  public init(c: UnsafePointer<Heddle__V1__QueuedTurn>) throws(DecodeError) {
    self.init()
    if c.pointee.has_id != 0 { id = try readID(c.pointee.id, "id") }
    if let p = c.pointee.input { input = try TurnInput(c: UnsafePointer(p)) }
    if let p = c.pointee.settings { settings = try SettingsChange(c: UnsafePointer(p)) }
    if c.pointee.has_queued_at != 0 { queuedAt = c.pointee.queued_at }
    if c.pointee.has_output_schema != 0 { outputSchema = readText(c.pointee.output_schema) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__QueuedTurn>, _ arena: Arena) {
    heddle__v1__queued_turn__init(c)
    if id != TurnID() { c.pointee.has_id = 1; c.pointee.id = arena.id(id) }
    if let v = input { c.pointee.input = arena.message(v) }
    if let v = settings { c.pointee.settings = arena.message(v) }
    if queuedAt != 0 { c.pointee.has_queued_at = 1; c.pointee.queued_at = queuedAt }
    if let v = outputSchema { c.pointee.has_output_schema = 1; c.pointee.output_schema = arena.text(v) }
  }
}

extension StartTurnRequest: WireMessage {
  public typealias CMessage = Heddle__V1__StartTurnRequest
  public static var schemaIndex: UInt16 { 25 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_start_turn_request() }

  public init(c: UnsafePointer<Heddle__V1__StartTurnRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if let p = c.pointee.input { input = try TurnInput(c: UnsafePointer(p)) }
    if let p = c.pointee.settings { settings = try SettingsChange(c: UnsafePointer(p)) }
    if c.pointee.has_when_busy != 0 { whenBusy = try readEnum(c.pointee.when_busy.rawValue, "when_busy", allowsZero: true) }
    if c.pointee.has_output_schema != 0 { outputSchema = readText(c.pointee.output_schema) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__StartTurnRequest>, _ arena: Arena) {
    heddle__v1__start_turn_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if let v = input { c.pointee.input = arena.message(v) }
    if let v = settings { c.pointee.settings = arena.message(v) }
    if whenBusy != .unspecified { c.pointee.has_when_busy = 1; c.pointee.when_busy = Heddle__V1__WhenBusy(rawValue: UInt32(bitPattern: whenBusy.rawValue)) }
    if let v = outputSchema { c.pointee.has_output_schema = 1; c.pointee.output_schema = arena.text(v) }
  }
}

extension StartTurnResponse: WireMessage {
  public typealias CMessage = Heddle__V1__StartTurnResponse
  public static var schemaIndex: UInt16 { 26 }
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

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__StartTurnResponse>, _ arena: Arena) {
    heddle__v1__start_turn_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if turn != TurnID() { c.pointee.has_turn = 1; c.pointee.turn = arena.id(turn) }
    if status != .unspecified { c.pointee.has_status = 1; c.pointee.status = Heddle__V1__TurnStatus(rawValue: UInt32(bitPattern: status.rawValue)) }
    if place != 0 { c.pointee.has_place = 1; c.pointee.place = place }
    if steered { c.pointee.has_steered = 1; c.pointee.steered = steered ? 1 : 0 }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

extension SteerTurnRequest: WireMessage {
  public typealias CMessage = Heddle__V1__SteerTurnRequest
  public static var schemaIndex: UInt16 { 27 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_steer_turn_request() }

  public init(c: UnsafePointer<Heddle__V1__SteerTurnRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") } else { throw .missingField("turn") }
    if let p = c.pointee.input { input = try TurnInput(c: UnsafePointer(p)) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__SteerTurnRequest>, _ arena: Arena) {
    heddle__v1__steer_turn_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if turn != TurnID() { c.pointee.has_turn = 1; c.pointee.turn = arena.id(turn) }
    if let v = input { c.pointee.input = arena.message(v) }
  }
}

extension SteerTurnResponse: WireMessage {
  public typealias CMessage = Heddle__V1__SteerTurnResponse
  public static var schemaIndex: UInt16 { 28 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_steer_turn_response() }

  public init(c: UnsafePointer<Heddle__V1__SteerTurnResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__SteerTurnResponse>, _ arena: Arena) {
    heddle__v1__steer_turn_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if turn != TurnID() { c.pointee.has_turn = 1; c.pointee.turn = arena.id(turn) }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

extension InterruptTurnRequest: WireMessage {
  public typealias CMessage = Heddle__V1__InterruptTurnRequest
  public static var schemaIndex: UInt16 { 29 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_interrupt_turn_request() }

  public init(c: UnsafePointer<Heddle__V1__InterruptTurnRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") } else { throw .missingField("turn") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__InterruptTurnRequest>, _ arena: Arena) {
    heddle__v1__interrupt_turn_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if turn != TurnID() { c.pointee.has_turn = 1; c.pointee.turn = arena.id(turn) }
  }
}

extension InterruptTurnResponse: WireMessage {
  public typealias CMessage = Heddle__V1__InterruptTurnResponse
  public static var schemaIndex: UInt16 { 30 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_interrupt_turn_response() }

  public init(c: UnsafePointer<Heddle__V1__InterruptTurnResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_already != 0 { already = c.pointee.already != 0 }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__InterruptTurnResponse>, _ arena: Arena) {
    heddle__v1__interrupt_turn_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if already { c.pointee.has_already = 1; c.pointee.already = already ? 1 : 0 }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

extension ListQueueRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListQueueRequest
  public static var schemaIndex: UInt16 { 31 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_queue_request() }

  public init(c: UnsafePointer<Heddle__V1__ListQueueRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListQueueRequest>, _ arena: Arena) {
    heddle__v1__list_queue_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
  }
}

extension ListQueueResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListQueueResponse
  public static var schemaIndex: UInt16 { 32 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_queue_response() }

  public init(c: UnsafePointer<Heddle__V1__ListQueueResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.turns {
      turns.reserveCapacity(c.pointee.n_turns)
      for i in 0..<c.pointee.n_turns { if let e = p[i] { turns.append(try QueuedTurn(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_running != 0 { running = try readID(c.pointee.running, "running") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListQueueResponse>, _ arena: Arena) {
    heddle__v1__list_queue_response__init(c)
    if !turns.isEmpty { c.pointee.n_turns = turns.count; c.pointee.turns = arena.messages(turns) }
    if let v = running { c.pointee.has_running = 1; c.pointee.running = arena.id(v) }
  }
}

extension CancelQueuedTurnRequest: WireMessage {
  public typealias CMessage = Heddle__V1__CancelQueuedTurnRequest
  public static var schemaIndex: UInt16 { 33 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_cancel_queued_turn_request() }

  public init(c: UnsafePointer<Heddle__V1__CancelQueuedTurnRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") } else { throw .missingField("turn") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__CancelQueuedTurnRequest>, _ arena: Arena) {
    heddle__v1__cancel_queued_turn_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if turn != TurnID() { c.pointee.has_turn = 1; c.pointee.turn = arena.id(turn) }
  }
}

extension CancelQueuedTurnResponse: WireMessage {
  public typealias CMessage = Heddle__V1__CancelQueuedTurnResponse
  public static var schemaIndex: UInt16 { 34 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_cancel_queued_turn_response() }

  public init(c: UnsafePointer<Heddle__V1__CancelQueuedTurnResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_already != 0 { already = c.pointee.already != 0 }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__CancelQueuedTurnResponse>, _ arena: Arena) {
    heddle__v1__cancel_queued_turn_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if already { c.pointee.has_already = 1; c.pointee.already = already ? 1 : 0 }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

