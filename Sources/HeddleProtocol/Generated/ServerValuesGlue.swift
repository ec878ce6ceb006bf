// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension ServerStatusRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ServerStatusRequest
  public static var schemaIndex: UInt16 { 110 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_server_status_request() }

  public init(c: UnsafePointer<Heddle__V1__ServerStatusRequest>) throws(DecodeError) {
    self.init()
  }

  public func write(_ out: inout BackwardWriter) {
  }
}

extension ProviderStatus: WireMessage {
  public typealias CMessage = Heddle__V1__ProviderStatus
  public static var schemaIndex: UInt16 { 111 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_provider_status() }

  public init(c: UnsafePointer<Heddle__V1__ProviderStatus>) throws(DecodeError) {
    self.init()
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_running != 0 { running = c.pointee.running }
    if c.pointee.has_waiting != 0 { waiting = c.pointee.waiting }
    if c.pointee.has_limit != 0 { limit = c.pointee.limit }
  }

  public func write(_ out: inout BackwardWriter) {
    if limit != 0 { out.unsigned(limit, 32) }
    if waiting != 0 { out.unsigned(waiting, 24) }
    if running != 0 { out.unsigned(running, 16) }
    if !name.isEmpty { out.text(name, 10) }
  }
}

extension ServerStatusResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ServerStatusResponse
  public static var schemaIndex: UInt16 { 112 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_server_status_response() }

  public init(c: UnsafePointer<Heddle__V1__ServerStatusResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_serving != 0 { serving = try readEnum(c.pointee.serving.rawValue, "serving", allowsZero: false) }
    if c.pointee.has_version != 0 { version = readText(c.pointee.version) }
    if c.pointee.has_node != 0 { node = try readID(c.pointee.node, "node") }
    if c.pointee.has_uptime_ms != 0 { uptimeMs = c.pointee.uptime_ms }
    if c.pointee.has_connections != 0 { connections = c.pointee.connections }
    if c.pointee.has_loaded_threads != 0 { loadedThreads = c.pointee.loaded_threads }
    if c.pointee.has_running_turns != 0 { runningTurns = c.pointee.running_turns }
    if c.pointee.has_events_written != 0 { eventsWritten = c.pointee.events_written }
    if c.pointee.has_groups_synced != 0 { groupsSynced = c.pointee.groups_synced }
    if c.pointee.has_durability != 0 { durability = readText(c.pointee.durability) }
    if let p = c.pointee.usage { usage = try TokenUsage(c: UnsafePointer(p)) }
    if let p = c.pointee.providers {
      providers.reserveCapacity(c.pointee.n_providers)
      for i in 0..<c.pointee.n_providers { if let e = p[i] { providers.append(try ProviderStatus(c: UnsafePointer(e))) } }
    }
  }

  public func write(_ out: inout BackwardWriter) {
    for v in providers.reversed() { out.message(v, 98) }
    if let v = usage { out.message(v, 90) }
    if !durability.isEmpty { out.text(durability, 82) }
    if groupsSynced != 0 { out.unsigned(groupsSynced, 72) }
    if eventsWritten != 0 { out.unsigned(eventsWritten, 64) }
    if runningTurns != 0 { out.unsigned(runningTurns, 56) }
    if loadedThreads != 0 { out.unsigned(loadedThreads, 48) }
    if connections != 0 { out.unsigned(connections, 40) }
    if uptimeMs != 0 { out.unsigned(uptimeMs, 32) }
    if node != NodeID() { out.id(node, 26) }
    if !version.isEmpty { out.text(version, 18) }
    if serving != .unspecified { out.signed(serving.rawValue, 8) }
  }
}

extension StartCaptureRequest: WireMessage {
  public typealias CMessage = Heddle__V1__StartCaptureRequest
  public static var schemaIndex: UInt16 { 113 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_start_capture_request() }

  public init(c: UnsafePointer<Heddle__V1__StartCaptureRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if c.pointee.has_tenant != 0 { tenant = readText(c.pointee.tenant) }
    if c.pointee.has_share != 0 { share = c.pointee.share }
    if c.pointee.has_max_bytes != 0 { maxBytes = c.pointee.max_bytes }
    if c.pointee.has_max_ms != 0 { maxMs = c.pointee.max_ms }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = maxMs { out.unsigned(v, 40) }
    if let v = maxBytes { out.unsigned(v, 32) }
    if let v = share { out.unsigned(v, 24) }
    if let v = tenant { out.text(v, 18) }
    if let v = thread { out.id(v, 10) }
  }
}

extension CaptureState: WireMessage {
  public typealias CMessage = Heddle__V1__CaptureState
  public static var schemaIndex: UInt16 { 114 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_capture_state() }

  public init(c: UnsafePointer<Heddle__V1__CaptureState>) throws(DecodeError) {
    self.init()
    if c.pointee.has_file != 0 { file = readText(c.pointee.file) }
    if c.pointee.has_running != 0 { running = c.pointee.running != 0 }
    if c.pointee.has_frames != 0 { frames = c.pointee.frames }
    if c.pointee.has_bytes != 0 { bytes = c.pointee.bytes }
    if c.pointee.has_dropped_frames != 0 { droppedFrames = c.pointee.dropped_frames }
    if c.pointee.has_dropped_bytes != 0 { droppedBytes = c.pointee.dropped_bytes }
    if c.pointee.has_elapsed_ms != 0 { elapsedMs = c.pointee.elapsed_ms }
    if c.pointee.has_end != 0 { end = try readEnum(c.pointee.end.rawValue, "end", allowsZero: false) }
  }

  public func write(_ out: inout BackwardWriter) {
    if end != .unspecified { out.signed(end.rawValue, 64) }
    if elapsedMs != 0 { out.unsigned(elapsedMs, 56) }
    if droppedBytes != 0 { out.unsigned(droppedBytes, 48) }
    if droppedFrames != 0 { out.unsigned(droppedFrames, 40) }
    if bytes != 0 { out.unsigned(bytes, 32) }
    if frames != 0 { out.unsigned(frames, 24) }
    if running { out.bool(running, 16) }
    if !file.isEmpty { out.text(file, 10) }
  }
}

extension StartCaptureResponse: WireMessage {
  public typealias CMessage = Heddle__V1__StartCaptureResponse
  public static var schemaIndex: UInt16 { 115 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_start_capture_response() }

  public init(c: UnsafePointer<Heddle__V1__StartCaptureResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.capture { capture = try CaptureState(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = capture { out.message(v, 10) }
  }
}

extension StopCaptureRequest: WireMessage {
  public typealias CMessage = Heddle__V1__StopCaptureRequest
  public static var schemaIndex: UInt16 { 116 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_stop_capture_request() }

  public init(c: UnsafePointer<Heddle__V1__StopCaptureRequest>) throws(DecodeError) {
    self.init()
  }

  public func write(_ out: inout BackwardWriter) {
  }
}

extension StopCaptureResponse: WireMessage {
  public typealias CMessage = Heddle__V1__StopCaptureResponse
  public static var schemaIndex: UInt16 { 117 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_stop_capture_response() }

  public init(c: UnsafePointer<Heddle__V1__StopCaptureResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.capture { capture = try CaptureState(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = capture { out.message(v, 10) }
  }
}

extension ReadCaptureRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ReadCaptureRequest
  public static var schemaIndex: UInt16 { 118 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_read_capture_request() }

  public init(c: UnsafePointer<Heddle__V1__ReadCaptureRequest>) throws(DecodeError) {
    self.init()
  }

  public func write(_ out: inout BackwardWriter) {
  }
}

extension ReadCaptureResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ReadCaptureResponse
  public static var schemaIndex: UInt16 { 119 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_read_capture_response() }

  public init(c: UnsafePointer<Heddle__V1__ReadCaptureResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.capture { capture = try CaptureState(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = capture { out.message(v, 10) }
  }
}

