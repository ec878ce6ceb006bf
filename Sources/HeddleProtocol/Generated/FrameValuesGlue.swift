// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension Metadata: WireMessage {
  public typealias CMessage = Heddle__V1__Metadata
  public static var schemaIndex: UInt16 { 88 }
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

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Metadata>, _ arena: Arena) {
    heddle__v1__metadata__init(c)
    if !traceparent.isEmpty { c.pointee.has_traceparent = 1; c.pointee.traceparent = arena.text(traceparent) }
    if !tracestate.isEmpty { c.pointee.has_tracestate = 1; c.pointee.tracestate = arena.text(tracestate) }
    if !requestId.isEmpty { c.pointee.has_request_id = 1; c.pointee.request_id = arena.text(requestId) }
    if let v = deadlineMs { c.pointee.has_deadline_ms = 1; c.pointee.deadline_ms = v }
    if let v = idempotencyKey { c.pointee.has_idempotency_key = 1; c.pointee.idempotency_key = arena.id(v) }
    if !authority.isEmpty { c.pointee.has_authority = 1; c.pointee.authority = arena.text(authority) }
    if !token.isEmpty { c.pointee.has_token = 1; c.pointee.token = arena.text(token) }
  }
}

extension ClientHello: WireMessage {
  public typealias CMessage = Heddle__V1__ClientHello
  public static var schemaIndex: UInt16 { 89 }
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

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ClientHello>, _ arena: Arena) {
    heddle__v1__client_hello__init(c)
    if !versions.isEmpty { c.pointee.n_versions = versions.count; c.pointee.versions = arena.array(versions) { $0 } }
    if !clientName.isEmpty { c.pointee.has_client_name = 1; c.pointee.client_name = arena.text(clientName) }
    if !clientVersion.isEmpty { c.pointee.has_client_version = 1; c.pointee.client_version = arena.text(clientVersion) }
    if !token.isEmpty { c.pointee.has_token = 1; c.pointee.token = arena.text(token) }
    if let v = wantedLimits { c.pointee.wanted_limits = arena.message(v) }
    if !features.isEmpty { c.pointee.n_features = features.count; c.pointee.features = arena.array(features) { arena.text($0) } }
    if !unwantedNotifications.isEmpty { c.pointee.n_unwanted_notifications = unwantedNotifications.count; c.pointee.unwanted_notifications = arena.array(unwantedNotifications) { arena.text($0) } }
  }
}

extension ServerHello: WireMessage {
  public typealias CMessage = Heddle__V1__ServerHello
  public static var schemaIndex: UInt16 { 90 }
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

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ServerHello>, _ arena: Arena) {
    heddle__v1__server_hello__init(c)
    if version != 0 { c.pointee.has_version = 1; c.pointee.version = version }
    if node != NodeID() { c.pointee.has_node = 1; c.pointee.node = arena.id(node) }
    if connection != ConnectionID() { c.pointee.has_connection = 1; c.pointee.connection = arena.id(connection) }
    if serverTime != 0 { c.pointee.has_server_time = 1; c.pointee.server_time = serverTime }
    if !schemaHash.isEmpty { c.pointee.has_schema_hash = 1; c.pointee.schema_hash = arena.text(schemaHash) }
    if !durability.isEmpty { c.pointee.has_durability = 1; c.pointee.durability = arena.text(durability) }
    if let v = limits { c.pointee.limits = arena.message(v) }
    if !serverVersion.isEmpty { c.pointee.has_server_version = 1; c.pointee.server_version = arena.text(serverVersion) }
  }
}

extension ConnectionLimits: WireMessage {
  public typealias CMessage = Heddle__V1__ConnectionLimits
  public static var schemaIndex: UInt16 { 91 }
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

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ConnectionLimits>, _ arena: Arena) {
    heddle__v1__connection_limits__init(c)
    if let v = frameBytes { c.pointee.has_frame_bytes = 1; c.pointee.frame_bytes = v }
    if let v = requestsInFlight { c.pointee.has_requests_in_flight = 1; c.pointee.requests_in_flight = v }
    if let v = subscriptions { c.pointee.has_subscriptions = 1; c.pointee.subscriptions = v }
    if let v = outgoingBytes { c.pointee.has_outgoing_bytes = 1; c.pointee.outgoing_bytes = v }
    if let v = idleMs { c.pointee.has_idle_ms = 1; c.pointee.idle_ms = v }
    if let v = frameMs { c.pointee.has_frame_ms = 1; c.pointee.frame_ms = v }
    if let v = nesting { c.pointee.has_nesting = 1; c.pointee.nesting = v }
    if let v = repeatedElements { c.pointee.has_repeated_elements = 1; c.pointee.repeated_elements = v }
    if let v = unknownFields { c.pointee.has_unknown_fields = 1; c.pointee.unknown_fields = v }
    if let v = turnInputBytes { c.pointee.has_turn_input_bytes = 1; c.pointee.turn_input_bytes = v }
    if let v = pageSize { c.pointee.has_page_size = 1; c.pointee.page_size = v }
    if let v = queuedTurns { c.pointee.has_queued_turns = 1; c.pointee.queued_turns = v }
    if let v = threadEvents { c.pointee.has_thread_events = 1; c.pointee.thread_events = v }
    if let v = tenantRequestsPerSecond { c.pointee.has_tenant_requests_per_second = 1; c.pointee.tenant_requests_per_second = v }
    if let v = tenantRunningTurns { c.pointee.has_tenant_running_turns = 1; c.pointee.tenant_running_turns = v }
    if let v = glitches { c.pointee.has_glitches = 1; c.pointee.glitches = v }
  }
}

extension ErrorDetail: WireMessage {
  public typealias CMessage = Heddle__V1__ErrorDetail
  public static var schemaIndex: UInt16 { 92 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_error_detail() }

  public init(c: UnsafePointer<Heddle__V1__ErrorDetail>) throws(DecodeError) {
    self.init()
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_value != 0 { value = readText(c.pointee.value) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ErrorDetail>, _ arena: Arena) {
    heddle__v1__error_detail__init(c)
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
    if !value.isEmpty { c.pointee.has_value = 1; c.pointee.value = arena.text(value) }
  }
}

extension WireError: WireMessage {
  public typealias CMessage = Heddle__V1__Error
  public static var schemaIndex: UInt16 { 93 }
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

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Error>, _ arena: Arena) {
    heddle__v1__error__init(c)
    if code != .unspecified { c.pointee.has_code = 1; c.pointee.code = Heddle__V1__Code(rawValue: UInt32(bitPattern: code.rawValue)) }
    if !reason.isEmpty { c.pointee.has_reason = 1; c.pointee.reason = arena.text(reason) }
    if !message.isEmpty { c.pointee.has_message = 1; c.pointee.message = arena.text(message) }
    if let v = retryAfterMs { c.pointee.has_retry_after_ms = 1; c.pointee.retry_after_ms = v }
    if !details.isEmpty { c.pointee.n_details = details.count; c.pointee.details = arena.messages(details) }
    if !debugId.isEmpty { c.pointee.has_debug_id = 1; c.pointee.debug_id = arena.text(debugId) }
  }
}

extension Credit: WireMessage {
  public typealias CMessage = Heddle__V1__Credit
  public static var schemaIndex: UInt16 { 94 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_credit() }

  public init(c: UnsafePointer<Heddle__V1__Credit>) throws(DecodeError) {
    self.init()
    if c.pointee.has_bytes != 0 { bytes = c.pointee.bytes }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Credit>, _ arena: Arena) {
    heddle__v1__credit__init(c)
    if bytes != 0 { c.pointee.has_bytes = 1; c.pointee.bytes = bytes }
  }
}

extension Ping: WireMessage {
  public typealias CMessage = Heddle__V1__Ping
  public static var schemaIndex: UInt16 { 95 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_ping() }

  public init(c: UnsafePointer<Heddle__V1__Ping>) throws(DecodeError) {
    self.init()
    if c.pointee.has_opaque != 0 { opaque = readBytes(c.pointee.opaque) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Ping>, _ arena: Arena) {
    heddle__v1__ping__init(c)
    if !opaque.isEmpty { c.pointee.has_opaque = 1; c.pointee.opaque = arena.bytes(opaque) }
  }
}

extension Pong: WireMessage {
  public typealias CMessage = Heddle__V1__Pong
  public static var schemaIndex: UInt16 { 96 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_pong() }

  public init(c: UnsafePointer<Heddle__V1__Pong>) throws(DecodeError) {
    self.init()
    if c.pointee.has_opaque != 0 { opaque = readBytes(c.pointee.opaque) }
    if c.pointee.has_status != 0 { status = try readEnum(c.pointee.status.rawValue, "status", allowsZero: false) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__Pong>, _ arena: Arena) {
    heddle__v1__pong__init(c)
    if !opaque.isEmpty { c.pointee.has_opaque = 1; c.pointee.opaque = arena.bytes(opaque) }
    if status != .unspecified { c.pointee.has_status = 1; c.pointee.status = Heddle__V1__ServingStatus(rawValue: UInt32(bitPattern: status.rawValue)) }
  }
}

extension GoAway: WireMessage {
  public typealias CMessage = Heddle__V1__GoAway
  public static var schemaIndex: UInt16 { 97 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_go_away() }

  public init(c: UnsafePointer<Heddle__V1__GoAway>) throws(DecodeError) {
    self.init()
    if c.pointee.has_last_stream != 0 { lastStream = c.pointee.last_stream }
    if let p = c.pointee.error { error = try WireError(c: UnsafePointer(p)) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__GoAway>, _ arena: Arena) {
    heddle__v1__go_away__init(c)
    if lastStream != 0 { c.pointee.has_last_stream = 1; c.pointee.last_stream = lastStream }
    if let v = error { c.pointee.error = arena.message(v) }
  }
}

