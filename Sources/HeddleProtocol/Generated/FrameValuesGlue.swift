// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension Metadata: WireMessage {
  public typealias CMessage = Heddle__V1__Metadata
  public static var schemaIndex: UInt16 { 0 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_metadata() }

  public init(c: UnsafePointer<Heddle__V1__Metadata>) throws(DecodeError) {
    self.init()
    if c.pointee.has_traceparent != 0 { traceparent = readText(c.pointee.traceparent) }
    if c.pointee.has_tracestate != 0 { tracestate = readText(c.pointee.tracestate) }
    if c.pointee.has_request_id != 0 { requestId = readText(c.pointee.request_id) }
    if c.pointee.has_deadline_ms != 0 { deadlineMs = c.pointee.deadline_ms }
    if c.pointee.has_idempotency_key != 0 { idempotencyKey = try readID(c.pointee.idempotency_key, "idempotency_key") }
    if c.pointee.has_authority != 0 { authority = readText(c.pointee.authority) }
    if c.pointee.has_token != 0 { token = readText(c.pointee.token) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !token.isEmpty { out.text(token, 58) }
    if !authority.isEmpty { out.text(authority, 50) }
    if let v = idempotencyKey { out.id(v, 42) }
    if let v = deadlineMs { out.signed(v, 32) }
    if !requestId.isEmpty { out.text(requestId, 26) }
    if !tracestate.isEmpty { out.text(tracestate, 18) }
    if !traceparent.isEmpty { out.text(traceparent, 10) }
  }
}

extension ClientHello: WireMessage {
  public typealias CMessage = Heddle__V1__ClientHello
  public static var schemaIndex: UInt16 { 1 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_client_hello() }

  public init(c: UnsafePointer<Heddle__V1__ClientHello>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.versions {
      versions.reserveCapacity(c.pointee.n_versions)
      for i in 0..<c.pointee.n_versions { versions.append(p[i]) }
    }
    if c.pointee.has_client_name != 0 { clientName = readText(c.pointee.client_name) }
    if c.pointee.has_client_version != 0 { clientVersion = readText(c.pointee.client_version) }
    if c.pointee.has_token != 0 { token = readText(c.pointee.token) }
    if let p = c.pointee.wanted_limits { wantedLimits = try ConnectionLimits(c: UnsafePointer(p)) }
    if let p = c.pointee.features {
      features.reserveCapacity(c.pointee.n_features)
      for i in 0..<c.pointee.n_features { features.append(readText(p[i])) }
    }
    if let p = c.pointee.unwanted_notifications {
      unwantedNotifications.reserveCapacity(c.pointee.n_unwanted_notifications)
      for i in 0..<c.pointee.n_unwanted_notifications { unwantedNotifications.append(readText(p[i])) }
    }
  }

  public func write(_ out: inout BackwardWriter) {
    for v in unwantedNotifications.reversed() { out.text(v, 58) }
    for v in features.reversed() { out.text(v, 50) }
    if let v = wantedLimits { out.message(v, 42) }
    if !token.isEmpty { out.text(token, 34) }
    if !clientVersion.isEmpty { out.text(clientVersion, 26) }
    if !clientName.isEmpty { out.text(clientName, 18) }
    out.packed(versions, 10) { out, v in out.unsigned(v) }
  }
}

extension ServerHello: WireMessage {
  public typealias CMessage = Heddle__V1__ServerHello
  public static var schemaIndex: UInt16 { 2 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_server_hello() }

  public init(c: UnsafePointer<Heddle__V1__ServerHello>) throws(DecodeError) {
    self.init()
    if c.pointee.has_version != 0 { version = c.pointee.version }
    if c.pointee.has_node != 0 { node = try readID(c.pointee.node, "node") }
    if c.pointee.has_connection != 0 { connection = try readID(c.pointee.connection, "connection") }
    if c.pointee.has_server_time != 0 { serverTime = c.pointee.server_time }
    if c.pointee.has_schema_hash != 0 { schemaHash = readText(c.pointee.schema_hash) }
    if c.pointee.has_durability != 0 { durability = readText(c.pointee.durability) }
    if let p = c.pointee.limits { limits = try ConnectionLimits(c: UnsafePointer(p)) }
    if c.pointee.has_server_version != 0 { serverVersion = readText(c.pointee.server_version) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !serverVersion.isEmpty { out.text(serverVersion, 66) }
    if let v = limits { out.message(v, 58) }
    if !durability.isEmpty { out.text(durability, 50) }
    if !schemaHash.isEmpty { out.text(schemaHash, 42) }
    if serverTime != 0 { out.signed(serverTime, 32) }
    if connection != ConnectionID() { out.id(connection, 26) }
    if node != NodeID() { out.id(node, 18) }
    if version != 0 { out.unsigned(version, 8) }
  }
}

extension ConnectionLimits: WireMessage {
  public typealias CMessage = Heddle__V1__ConnectionLimits
  public static var schemaIndex: UInt16 { 3 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_connection_limits() }

  public init(c: UnsafePointer<Heddle__V1__ConnectionLimits>) throws(DecodeError) {
    self.init()
    if c.pointee.has_frame_bytes != 0 { frameBytes = c.pointee.frame_bytes }
    if c.pointee.has_requests_in_flight != 0 { requestsInFlight = c.pointee.requests_in_flight }
    if c.pointee.has_subscriptions != 0 { subscriptions = c.pointee.subscriptions }
    if c.pointee.has_outgoing_bytes != 0 { outgoingBytes = c.pointee.outgoing_bytes }
    if c.pointee.has_idle_ms != 0 { idleMs = c.pointee.idle_ms }
    if c.pointee.has_frame_ms != 0 { frameMs = c.pointee.frame_ms }
    if c.pointee.has_nesting != 0 { nesting = c.pointee.nesting }
    if c.pointee.has_repeated_elements != 0 { repeatedElements = c.pointee.repeated_elements }
    if c.pointee.has_unknown_fields != 0 { unknownFields = c.pointee.unknown_fields }
    if c.pointee.has_turn_input_bytes != 0 { turnInputBytes = c.pointee.turn_input_bytes }
    if c.pointee.has_page_size != 0 { pageSize = c.pointee.page_size }
    if c.pointee.has_queued_turns != 0 { queuedTurns = c.pointee.queued_turns }
    if c.pointee.has_thread_events != 0 { threadEvents = c.pointee.thread_events }
    if c.pointee.has_tenant_requests_per_second != 0 { tenantRequestsPerSecond = c.pointee.tenant_requests_per_second }
    if c.pointee.has_tenant_running_turns != 0 { tenantRunningTurns = c.pointee.tenant_running_turns }
    if c.pointee.has_glitches != 0 { glitches = c.pointee.glitches }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = glitches { out.unsigned(v, 128) }
    if let v = tenantRunningTurns { out.unsigned(v, 120) }
    if let v = tenantRequestsPerSecond { out.unsigned(v, 112) }
    if let v = threadEvents { out.unsigned(v, 104) }
    if let v = queuedTurns { out.unsigned(v, 96) }
    if let v = pageSize { out.unsigned(v, 88) }
    if let v = turnInputBytes { out.unsigned(v, 80) }
    if let v = unknownFields { out.unsigned(v, 72) }
    if let v = repeatedElements { out.unsigned(v, 64) }
    if let v = nesting { out.unsigned(v, 56) }
    if let v = frameMs { out.unsigned(v, 48) }
    if let v = idleMs { out.unsigned(v, 40) }
    if let v = outgoingBytes { out.unsigned(v, 32) }
    if let v = subscriptions { out.unsigned(v, 24) }
    if let v = requestsInFlight { out.unsigned(v, 16) }
    if let v = frameBytes { out.unsigned(v, 8) }
  }
}

extension ErrorDetail: WireMessage {
  public typealias CMessage = Heddle__V1__ErrorDetail
  public static var schemaIndex: UInt16 { 4 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_error_detail() }

  public init(c: UnsafePointer<Heddle__V1__ErrorDetail>) throws(DecodeError) {
    self.init()
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_value != 0 { value = readText(c.pointee.value) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !value.isEmpty { out.text(value, 18) }
    if !name.isEmpty { out.text(name, 10) }
  }
}

extension WireError: WireMessage {
  public typealias CMessage = Heddle__V1__Error
  public static var schemaIndex: UInt16 { 5 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_error() }

  public init(c: UnsafePointer<Heddle__V1__Error>) throws(DecodeError) {
    self.init()
    if c.pointee.has_code != 0 { code = try readEnum(c.pointee.code.rawValue, "code", allowsZero: false) }
    if c.pointee.has_reason != 0 { reason = readText(c.pointee.reason) }
    if c.pointee.has_message != 0 { message = readText(c.pointee.message) }
    if c.pointee.has_retry_after_ms != 0 { retryAfterMs = c.pointee.retry_after_ms }
    if let p = c.pointee.details {
      details.reserveCapacity(c.pointee.n_details)
      for i in 0..<c.pointee.n_details { if let e = p[i] { details.append(try ErrorDetail(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_debug_id != 0 { debugId = readText(c.pointee.debug_id) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !debugId.isEmpty { out.text(debugId, 50) }
    for v in details.reversed() { out.message(v, 42) }
    if let v = retryAfterMs { out.signed(v, 32) }
    if !message.isEmpty { out.text(message, 26) }
    if !reason.isEmpty { out.text(reason, 18) }
    if code != .unspecified { out.signed(code.rawValue, 8) }
  }
}

extension Credit: WireMessage {
  public typealias CMessage = Heddle__V1__Credit
  public static var schemaIndex: UInt16 { 6 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_credit() }

  public init(c: UnsafePointer<Heddle__V1__Credit>) throws(DecodeError) {
    self.init()
    if c.pointee.has_bytes != 0 { bytes = c.pointee.bytes }
  }

  public func write(_ out: inout BackwardWriter) {
    if bytes != 0 { out.unsigned(bytes, 8) }
  }
}

extension Ping: WireMessage {
  public typealias CMessage = Heddle__V1__Ping
  public static var schemaIndex: UInt16 { 7 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_ping() }

  public init(c: UnsafePointer<Heddle__V1__Ping>) throws(DecodeError) {
    self.init()
    if c.pointee.has_opaque != 0 { opaque = readBytes(c.pointee.opaque) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !opaque.isEmpty { out.bytes(opaque, 10) }
  }
}

extension Pong: WireMessage {
  public typealias CMessage = Heddle__V1__Pong
  public static var schemaIndex: UInt16 { 8 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_pong() }

  public init(c: UnsafePointer<Heddle__V1__Pong>) throws(DecodeError) {
    self.init()
    if c.pointee.has_opaque != 0 { opaque = readBytes(c.pointee.opaque) }
    if c.pointee.has_status != 0 { status = try readEnum(c.pointee.status.rawValue, "status", allowsZero: false) }
  }

  public func write(_ out: inout BackwardWriter) {
    if status != .unspecified { out.signed(status.rawValue, 16) }
    if !opaque.isEmpty { out.bytes(opaque, 10) }
  }
}

extension GoAway: WireMessage {
  public typealias CMessage = Heddle__V1__GoAway
  public static var schemaIndex: UInt16 { 9 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_go_away() }

  public init(c: UnsafePointer<Heddle__V1__GoAway>) throws(DecodeError) {
    self.init()
    if c.pointee.has_last_stream != 0 { lastStream = c.pointee.last_stream }
    if let p = c.pointee.error { error = try WireError(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = error { out.message(v, 18) }
    if lastStream != 0 { out.unsigned(lastStream, 8) }
  }
}

