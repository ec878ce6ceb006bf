// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension ServerStatusRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ServerStatusRequest
  public static var schemaIndex: UInt16 { 98 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_server_status_request() }

  public init(c: UnsafePointer<Heddle__V1__ServerStatusRequest>) throws(DecodeError) {
    self.init()
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ServerStatusRequest>, _ arena: Arena) {
    heddle__v1__server_status_request__init(c)
  }
}

extension ServerStatusResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ServerStatusResponse
  public static var schemaIndex: UInt16 { 99 }
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
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ServerStatusResponse>, _ arena: Arena) {
    heddle__v1__server_status_response__init(c)
    if serving != .unspecified { c.pointee.has_serving = 1; c.pointee.serving = Heddle__V1__ServingStatus(rawValue: UInt32(bitPattern: serving.rawValue)) }
    if !version.isEmpty { c.pointee.has_version = 1; c.pointee.version = arena.text(version) }
    if node != NodeID() { c.pointee.has_node = 1; c.pointee.node = arena.id(node) }
    if uptimeMs != 0 { c.pointee.has_uptime_ms = 1; c.pointee.uptime_ms = uptimeMs }
    if connections != 0 { c.pointee.has_connections = 1; c.pointee.connections = connections }
    if loadedThreads != 0 { c.pointee.has_loaded_threads = 1; c.pointee.loaded_threads = loadedThreads }
    if runningTurns != 0 { c.pointee.has_running_turns = 1; c.pointee.running_turns = runningTurns }
    if eventsWritten != 0 { c.pointee.has_events_written = 1; c.pointee.events_written = eventsWritten }
    if groupsSynced != 0 { c.pointee.has_groups_synced = 1; c.pointee.groups_synced = groupsSynced }
    if !durability.isEmpty { c.pointee.has_durability = 1; c.pointee.durability = arena.text(durability) }
  }
}

