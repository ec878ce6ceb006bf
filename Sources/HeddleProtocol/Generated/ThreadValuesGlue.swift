// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension AgentThread: WireMessage {
  public typealias CMessage = Heddle__V1__AgentThread
  public static var schemaIndex: UInt16 { 107 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_agent_thread() }

  public init(c: UnsafePointer<Heddle__V1__AgentThread>) throws(DecodeError) {
    self.init()
    if c.pointee.has_id != 0 { id = try readID(c.pointee.id, "id") }
    if let p = c.pointee.lineage { lineage = try Lineage(c: UnsafePointer(p)) }
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_preview != 0 { preview = readText(c.pointee.preview) }
    if let p = c.pointee.status { status = try ThreadStatus(c: UnsafePointer(p)) }
    if c.pointee.has_ephemeral != 0 { ephemeral = c.pointee.ephemeral != 0 }
    if c.pointee.has_archived != 0 { archived = c.pointee.archived != 0 }
    if c.pointee.has_created_at != 0 { createdAt = c.pointee.created_at }
    if c.pointee.has_updated_at != 0 { updatedAt = c.pointee.updated_at }
    if let p = c.pointee.settings { settings = try Settings(c: UnsafePointer(p)) }
    if c.pointee.has_revision != 0 { revision = c.pointee.revision }
    if c.pointee.has_version != 0 { version = try readEnum(c.pointee.version.rawValue, "version", allowsZero: false) }
    if c.pointee.has_version_source != 0 { versionSource = try readEnum(c.pointee.version_source.rawValue, "version_source", allowsZero: false) }
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_epoch != 0 { epoch = c.pointee.epoch }
    if c.pointee.has_turn_count != 0 { turnCount = c.pointee.turn_count }
    if let p = c.pointee.usage { usage = try TokenUsage(c: UnsafePointer(p)) }
    if c.pointee.has_running_turn != 0 { runningTurn = try readID(c.pointee.running_turn, "running_turn") }
    if c.pointee.has_queued_turns != 0 { queuedTurns = c.pointee.queued_turns }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__AgentThread>, _ arena: Arena) {
    heddle__v1__agent_thread__init(c)
    if id != ThreadID() { c.pointee.has_id = 1; c.pointee.id = arena.id(id) }
    if let v = lineage { c.pointee.lineage = arena.message(v) }
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
    if !preview.isEmpty { c.pointee.has_preview = 1; c.pointee.preview = arena.text(preview) }
    if let v = status { c.pointee.status = arena.message(v) }
    if ephemeral { c.pointee.has_ephemeral = 1; c.pointee.ephemeral = ephemeral ? 1 : 0 }
    if archived { c.pointee.has_archived = 1; c.pointee.archived = archived ? 1 : 0 }
    if createdAt != 0 { c.pointee.has_created_at = 1; c.pointee.created_at = createdAt }
    if updatedAt != 0 { c.pointee.has_updated_at = 1; c.pointee.updated_at = updatedAt }
    if let v = settings { c.pointee.settings = arena.message(v) }
    if revision != 0 { c.pointee.has_revision = 1; c.pointee.revision = revision }
    if version != .unspecified { c.pointee.has_version = 1; c.pointee.version = Heddle__V1__MultiAgentVersion(rawValue: UInt32(bitPattern: version.rawValue)) }
    if versionSource != .unspecified { c.pointee.has_version_source = 1; c.pointee.version_source = Heddle__V1__VersionSource(rawValue: UInt32(bitPattern: versionSource.rawValue)) }
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if epoch != 0 { c.pointee.has_epoch = 1; c.pointee.epoch = epoch }
    if turnCount != 0 { c.pointee.has_turn_count = 1; c.pointee.turn_count = turnCount }
    if let v = usage { c.pointee.usage = arena.message(v) }
    if let v = runningTurn { c.pointee.has_running_turn = 1; c.pointee.running_turn = arena.id(v) }
    if queuedTurns != 0 { c.pointee.has_queued_turns = 1; c.pointee.queued_turns = queuedTurns }
  }
}

extension StartThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__StartThreadRequest
  public static var schemaIndex: UInt16 { 108 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_start_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__StartThreadRequest>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.settings { settings = try SettingsChange(c: UnsafePointer(p)) }
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_ephemeral != 0 { ephemeral = c.pointee.ephemeral != 0 }
    if c.pointee.has_subscribe != 0 { subscribe = c.pointee.subscribe != 0 }
    if let p = c.pointee.tools {
      tools.reserveCapacity(c.pointee.n_tools)
      for i in 0..<c.pointee.n_tools { if let e = p[i] { tools.append(try ToolDefinition(c: UnsafePointer(e))) } }
    }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__StartThreadRequest>, _ arena: Arena) {
    heddle__v1__start_thread_request__init(c)
    if let v = settings { c.pointee.settings = arena.message(v) }
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
    if ephemeral { c.pointee.has_ephemeral = 1; c.pointee.ephemeral = ephemeral ? 1 : 0 }
    if let v = subscribe { c.pointee.has_subscribe = 1; c.pointee.subscribe = v ? 1 : 0 }
    if !tools.isEmpty { c.pointee.n_tools = tools.count; c.pointee.tools = arena.messages(tools) }
  }
}

extension StartThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__StartThreadResponse
  public static var schemaIndex: UInt16 { 109 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_start_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__StartThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if let p = c.pointee.thread { thread = try AgentThread(c: UnsafePointer(p)) }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__StartThreadResponse>, _ arena: Arena) {
    heddle__v1__start_thread_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if let v = thread { c.pointee.thread = arena.message(v) }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

extension ResumeThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ResumeThreadRequest
  public static var schemaIndex: UInt16 { 110 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_resume_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__ResumeThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if c.pointee.has_subscribe != 0 { subscribe = c.pointee.subscribe != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ResumeThreadRequest>, _ arena: Arena) {
    heddle__v1__resume_thread_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if let v = subscribe { c.pointee.has_subscribe = 1; c.pointee.subscribe = v ? 1 : 0 }
  }
}

extension ResumeThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ResumeThreadResponse
  public static var schemaIndex: UInt16 { 111 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_resume_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__ResumeThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if let p = c.pointee.thread { thread = try AgentThread(c: UnsafePointer(p)) }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ResumeThreadResponse>, _ arena: Arena) {
    heddle__v1__resume_thread_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if let v = thread { c.pointee.thread = arena.message(v) }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

extension ForkThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ForkThreadRequest
  public static var schemaIndex: UInt16 { 112 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_fork_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__ForkThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if c.pointee.has_last_turn != 0 { lastTurn = try readID(c.pointee.last_turn, "last_turn") }
    if let p = c.pointee.settings { settings = try SettingsChange(c: UnsafePointer(p)) }
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_subscribe != 0 { subscribe = c.pointee.subscribe != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ForkThreadRequest>, _ arena: Arena) {
    heddle__v1__fork_thread_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if let v = lastTurn { c.pointee.has_last_turn = 1; c.pointee.last_turn = arena.id(v) }
    if let v = settings { c.pointee.settings = arena.message(v) }
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
    if let v = subscribe { c.pointee.has_subscribe = 1; c.pointee.subscribe = v ? 1 : 0 }
  }
}

extension ForkThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ForkThreadResponse
  public static var schemaIndex: UInt16 { 113 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_fork_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__ForkThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if let p = c.pointee.thread { thread = try AgentThread(c: UnsafePointer(p)) }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ForkThreadResponse>, _ arena: Arena) {
    heddle__v1__fork_thread_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if let v = thread { c.pointee.thread = arena.message(v) }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

extension ReadThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ReadThreadRequest
  public static var schemaIndex: UInt16 { 114 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_read_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__ReadThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ReadThreadRequest>, _ arena: Arena) {
    heddle__v1__read_thread_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
  }
}

extension ReadThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ReadThreadResponse
  public static var schemaIndex: UInt16 { 115 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_read_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__ReadThreadResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.thread { thread = try AgentThread(c: UnsafePointer(p)) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ReadThreadResponse>, _ arena: Arena) {
    heddle__v1__read_thread_response__init(c)
    if let v = thread { c.pointee.thread = arena.message(v) }
  }
}

extension ListThreadsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListThreadsRequest
  public static var schemaIndex: UInt16 { 116 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_threads_request() }

  public init(c: UnsafePointer<Heddle__V1__ListThreadsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_cursor != 0 { cursor = readText(c.pointee.cursor) }
    if c.pointee.has_page_size != 0 { pageSize = c.pointee.page_size }
    if c.pointee.has_order != 0 { order = try readEnum(c.pointee.order.rawValue, "order", allowsZero: true) }
    if c.pointee.has_archived != 0 { archived = c.pointee.archived != 0 }
    if c.pointee.has_source != 0 { source = try readEnum(c.pointee.source.rawValue, "source", allowsZero: false) }
    if c.pointee.has_parent != 0 { parent = try readID(c.pointee.parent, "parent") }
    if c.pointee.has_forked_from != 0 { forkedFrom = try readID(c.pointee.forked_from, "forked_from") }
    if c.pointee.has_model_provider != 0 { modelProvider = readText(c.pointee.model_provider) }
    if c.pointee.has_text != 0 { text = readText(c.pointee.text) }
    if c.pointee.has_working_folder != 0 { workingFolder = readText(c.pointee.working_folder) }
    if c.pointee.has_created_after != 0 { createdAfter = c.pointee.created_after }
    if c.pointee.has_created_before != 0 { createdBefore = c.pointee.created_before }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListThreadsRequest>, _ arena: Arena) {
    heddle__v1__list_threads_request__init(c)
    if !cursor.isEmpty { c.pointee.has_cursor = 1; c.pointee.cursor = arena.text(cursor) }
    if let v = pageSize { c.pointee.has_page_size = 1; c.pointee.page_size = v }
    if order != .unspecified { c.pointee.has_order = 1; c.pointee.order = Heddle__V1__ListOrder(rawValue: UInt32(bitPattern: order.rawValue)) }
    if let v = archived { c.pointee.has_archived = 1; c.pointee.archived = v ? 1 : 0 }
    if let v = source { c.pointee.has_source = 1; c.pointee.source = Heddle__V1__ThreadSource(rawValue: UInt32(bitPattern: v.rawValue)) }
    if let v = parent { c.pointee.has_parent = 1; c.pointee.parent = arena.id(v) }
    if let v = forkedFrom { c.pointee.has_forked_from = 1; c.pointee.forked_from = arena.id(v) }
    if let v = modelProvider { c.pointee.has_model_provider = 1; c.pointee.model_provider = arena.text(v) }
    if let v = text { c.pointee.has_text = 1; c.pointee.text = arena.text(v) }
    if let v = workingFolder { c.pointee.has_working_folder = 1; c.pointee.working_folder = arena.text(v) }
    if let v = createdAfter { c.pointee.has_created_after = 1; c.pointee.created_after = v }
    if let v = createdBefore { c.pointee.has_created_before = 1; c.pointee.created_before = v }
  }
}

extension ListThreadsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListThreadsResponse
  public static var schemaIndex: UInt16 { 117 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_threads_response() }

  public init(c: UnsafePointer<Heddle__V1__ListThreadsResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.threads {
      threads.reserveCapacity(c.pointee.n_threads)
      for i in 0..<c.pointee.n_threads { if let e = p[i] { threads.append(try AgentThread(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_next_cursor != 0 { nextCursor = readText(c.pointee.next_cursor) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListThreadsResponse>, _ arena: Arena) {
    heddle__v1__list_threads_response__init(c)
    if !threads.isEmpty { c.pointee.n_threads = threads.count; c.pointee.threads = arena.messages(threads) }
    if !nextCursor.isEmpty { c.pointee.has_next_cursor = 1; c.pointee.next_cursor = arena.text(nextCursor) }
  }
}

extension ListLoadedThreadsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListLoadedThreadsRequest
  public static var schemaIndex: UInt16 { 118 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_loaded_threads_request() }

  public init(c: UnsafePointer<Heddle__V1__ListLoadedThreadsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_cursor != 0 { cursor = readText(c.pointee.cursor) }
    if c.pointee.has_page_size != 0 { pageSize = c.pointee.page_size }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListLoadedThreadsRequest>, _ arena: Arena) {
    heddle__v1__list_loaded_threads_request__init(c)
    if !cursor.isEmpty { c.pointee.has_cursor = 1; c.pointee.cursor = arena.text(cursor) }
    if let v = pageSize { c.pointee.has_page_size = 1; c.pointee.page_size = v }
  }
}

extension ListLoadedThreadsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListLoadedThreadsResponse
  public static var schemaIndex: UInt16 { 119 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_loaded_threads_response() }

  public init(c: UnsafePointer<Heddle__V1__ListLoadedThreadsResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.threads {
      threads.reserveCapacity(c.pointee.n_threads)
      for i in 0..<c.pointee.n_threads { threads.append(try readID(p[i], "threads")) }
    }
    if c.pointee.has_next_cursor != 0 { nextCursor = readText(c.pointee.next_cursor) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListLoadedThreadsResponse>, _ arena: Arena) {
    heddle__v1__list_loaded_threads_response__init(c)
    if !threads.isEmpty { c.pointee.n_threads = threads.count; c.pointee.threads = arena.array(threads) { arena.id($0) } }
    if !nextCursor.isEmpty { c.pointee.has_next_cursor = 1; c.pointee.next_cursor = arena.text(nextCursor) }
  }
}

extension SearchThreadsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__SearchThreadsRequest
  public static var schemaIndex: UInt16 { 120 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_search_threads_request() }

  public init(c: UnsafePointer<Heddle__V1__SearchThreadsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_text != 0 { text = readText(c.pointee.text) } else { throw .missingField("text") }
    if c.pointee.has_cursor != 0 { cursor = readText(c.pointee.cursor) }
    if c.pointee.has_page_size != 0 { pageSize = c.pointee.page_size }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__SearchThreadsRequest>, _ arena: Arena) {
    heddle__v1__search_threads_request__init(c)
    if !text.isEmpty { c.pointee.has_text = 1; c.pointee.text = arena.text(text) }
    if !cursor.isEmpty { c.pointee.has_cursor = 1; c.pointee.cursor = arena.text(cursor) }
    if let v = pageSize { c.pointee.has_page_size = 1; c.pointee.page_size = v }
  }
}

extension SearchHit: WireMessage {
  public typealias CMessage = Heddle__V1__SearchHit
  public static var schemaIndex: UInt16 { 121 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_search_hit() }

  public init(c: UnsafePointer<Heddle__V1__SearchHit>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_snippet != 0 { snippet = readText(c.pointee.snippet) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__SearchHit>, _ arena: Arena) {
    heddle__v1__search_hit__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if !snippet.isEmpty { c.pointee.has_snippet = 1; c.pointee.snippet = arena.text(snippet) }
  }
}

extension SearchThreadsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__SearchThreadsResponse
  public static var schemaIndex: UInt16 { 122 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_search_threads_response() }

  public init(c: UnsafePointer<Heddle__V1__SearchThreadsResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.hits {
      hits.reserveCapacity(c.pointee.n_hits)
      for i in 0..<c.pointee.n_hits { if let e = p[i] { hits.append(try SearchHit(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_next_cursor != 0 { nextCursor = readText(c.pointee.next_cursor) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__SearchThreadsResponse>, _ arena: Arena) {
    heddle__v1__search_threads_response__init(c)
    if !hits.isEmpty { c.pointee.n_hits = hits.count; c.pointee.hits = arena.messages(hits) }
    if !nextCursor.isEmpty { c.pointee.has_next_cursor = 1; c.pointee.next_cursor = arena.text(nextCursor) }
  }
}

extension ListTurnsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListTurnsRequest
  public static var schemaIndex: UInt16 { 123 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_turns_request() }

  public init(c: UnsafePointer<Heddle__V1__ListTurnsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if c.pointee.has_cursor != 0 { cursor = readText(c.pointee.cursor) }
    if c.pointee.has_page_size != 0 { pageSize = c.pointee.page_size }
    if c.pointee.has_order != 0 { order = try readEnum(c.pointee.order.rawValue, "order", allowsZero: true) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListTurnsRequest>, _ arena: Arena) {
    heddle__v1__list_turns_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if !cursor.isEmpty { c.pointee.has_cursor = 1; c.pointee.cursor = arena.text(cursor) }
    if let v = pageSize { c.pointee.has_page_size = 1; c.pointee.page_size = v }
    if order != .unspecified { c.pointee.has_order = 1; c.pointee.order = Heddle__V1__ListOrder(rawValue: UInt32(bitPattern: order.rawValue)) }
  }
}

extension ListTurnsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListTurnsResponse
  public static var schemaIndex: UInt16 { 124 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_turns_response() }

  public init(c: UnsafePointer<Heddle__V1__ListTurnsResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.turns {
      turns.reserveCapacity(c.pointee.n_turns)
      for i in 0..<c.pointee.n_turns { if let e = p[i] { turns.append(try Turn(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_next_cursor != 0 { nextCursor = readText(c.pointee.next_cursor) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListTurnsResponse>, _ arena: Arena) {
    heddle__v1__list_turns_response__init(c)
    if !turns.isEmpty { c.pointee.n_turns = turns.count; c.pointee.turns = arena.messages(turns) }
    if !nextCursor.isEmpty { c.pointee.has_next_cursor = 1; c.pointee.next_cursor = arena.text(nextCursor) }
  }
}

extension ListedItem: WireMessage {
  public typealias CMessage = Heddle__V1__ListedItem
  public static var schemaIndex: UInt16 { 125 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_listed_item() }

  public init(c: UnsafePointer<Heddle__V1__ListedItem>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.item { item = try Item(c: UnsafePointer(p)) }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_at != 0 { at = c.pointee.at }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListedItem>, _ arena: Arena) {
    heddle__v1__listed_item__init(c)
    if let v = item { c.pointee.item = arena.message(v) }
    if let v = turn { c.pointee.has_turn = 1; c.pointee.turn = arena.id(v) }
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if at != 0 { c.pointee.has_at = 1; c.pointee.at = at }
  }
}

extension ListItemsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListItemsRequest
  public static var schemaIndex: UInt16 { 126 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_items_request() }

  public init(c: UnsafePointer<Heddle__V1__ListItemsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_cursor != 0 { cursor = readText(c.pointee.cursor) }
    if c.pointee.has_page_size != 0 { pageSize = c.pointee.page_size }
    if c.pointee.has_order != 0 { order = try readEnum(c.pointee.order.rawValue, "order", allowsZero: true) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListItemsRequest>, _ arena: Arena) {
    heddle__v1__list_items_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if let v = turn { c.pointee.has_turn = 1; c.pointee.turn = arena.id(v) }
    if !cursor.isEmpty { c.pointee.has_cursor = 1; c.pointee.cursor = arena.text(cursor) }
    if let v = pageSize { c.pointee.has_page_size = 1; c.pointee.page_size = v }
    if order != .unspecified { c.pointee.has_order = 1; c.pointee.order = Heddle__V1__ListOrder(rawValue: UInt32(bitPattern: order.rawValue)) }
  }
}

extension ListItemsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListItemsResponse
  public static var schemaIndex: UInt16 { 127 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_items_response() }

  public init(c: UnsafePointer<Heddle__V1__ListItemsResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.items {
      items.reserveCapacity(c.pointee.n_items)
      for i in 0..<c.pointee.n_items { if let e = p[i] { items.append(try ListedItem(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_next_cursor != 0 { nextCursor = readText(c.pointee.next_cursor) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ListItemsResponse>, _ arena: Arena) {
    heddle__v1__list_items_response__init(c)
    if !items.isEmpty { c.pointee.n_items = items.count; c.pointee.items = arena.messages(items) }
    if !nextCursor.isEmpty { c.pointee.has_next_cursor = 1; c.pointee.next_cursor = arena.text(nextCursor) }
  }
}

extension SetThreadNameRequest: WireMessage {
  public typealias CMessage = Heddle__V1__SetThreadNameRequest
  public static var schemaIndex: UInt16 { 128 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_set_thread_name_request() }

  public init(c: UnsafePointer<Heddle__V1__SetThreadNameRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__SetThreadNameRequest>, _ arena: Arena) {
    heddle__v1__set_thread_name_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if !name.isEmpty { c.pointee.has_name = 1; c.pointee.name = arena.text(name) }
  }
}

extension SetThreadNameResponse: WireMessage {
  public typealias CMessage = Heddle__V1__SetThreadNameResponse
  public static var schemaIndex: UInt16 { 129 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_set_thread_name_response() }

  public init(c: UnsafePointer<Heddle__V1__SetThreadNameResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__SetThreadNameResponse>, _ arena: Arena) {
    heddle__v1__set_thread_name_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

extension ArchiveThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ArchiveThreadRequest
  public static var schemaIndex: UInt16 { 130 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_archive_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__ArchiveThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ArchiveThreadRequest>, _ arena: Arena) {
    heddle__v1__archive_thread_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
  }
}

extension ArchiveThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ArchiveThreadResponse
  public static var schemaIndex: UInt16 { 131 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_archive_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__ArchiveThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ArchiveThreadResponse>, _ arena: Arena) {
    heddle__v1__archive_thread_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

extension UnarchiveThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__UnarchiveThreadRequest
  public static var schemaIndex: UInt16 { 132 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_unarchive_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__UnarchiveThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__UnarchiveThreadRequest>, _ arena: Arena) {
    heddle__v1__unarchive_thread_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
  }
}

extension UnarchiveThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__UnarchiveThreadResponse
  public static var schemaIndex: UInt16 { 133 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_unarchive_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__UnarchiveThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__UnarchiveThreadResponse>, _ arena: Arena) {
    heddle__v1__unarchive_thread_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

extension DeleteThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__DeleteThreadRequest
  public static var schemaIndex: UInt16 { 134 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_delete_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__DeleteThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__DeleteThreadRequest>, _ arena: Arena) {
    heddle__v1__delete_thread_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
  }
}

extension DeleteThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__DeleteThreadResponse
  public static var schemaIndex: UInt16 { 135 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_delete_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__DeleteThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_deleted != 0 { deleted = c.pointee.deleted }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__DeleteThreadResponse>, _ arena: Arena) {
    heddle__v1__delete_thread_response__init(c)
    if deleted != 0 { c.pointee.has_deleted = 1; c.pointee.deleted = deleted }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

extension RollbackThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__RollbackThreadRequest
  public static var schemaIndex: UInt16 { 136 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_rollback_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__RollbackThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if c.pointee.has_turns != 0 { turns = c.pointee.turns }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__RollbackThreadRequest>, _ arena: Arena) {
    heddle__v1__rollback_thread_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if turns != 0 { c.pointee.has_turns = 1; c.pointee.turns = turns }
  }
}

extension RollbackThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__RollbackThreadResponse
  public static var schemaIndex: UInt16 { 137 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_rollback_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__RollbackThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_rolled_back != 0 { rolledBack = c.pointee.rolled_back }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__RollbackThreadResponse>, _ arena: Arena) {
    heddle__v1__rollback_thread_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if rolledBack != 0 { c.pointee.has_rolled_back = 1; c.pointee.rolled_back = rolledBack }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

extension CompactThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__CompactThreadRequest
  public static var schemaIndex: UInt16 { 138 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_compact_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__CompactThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__CompactThreadRequest>, _ arena: Arena) {
    heddle__v1__compact_thread_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
  }
}

extension CompactThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__CompactThreadResponse
  public static var schemaIndex: UInt16 { 139 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_compact_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__CompactThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__CompactThreadResponse>, _ arena: Arena) {
    heddle__v1__compact_thread_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if turn != TurnID() { c.pointee.has_turn = 1; c.pointee.turn = arena.id(turn) }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

extension InjectItemsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__InjectItemsRequest
  public static var schemaIndex: UInt16 { 140 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_inject_items_request() }

  public init(c: UnsafePointer<Heddle__V1__InjectItemsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if let p = c.pointee.items {
      items.reserveCapacity(c.pointee.n_items)
      for i in 0..<c.pointee.n_items { if let e = p[i] { items.append(try Item(c: UnsafePointer(e))) } }
    }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__InjectItemsRequest>, _ arena: Arena) {
    heddle__v1__inject_items_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if !items.isEmpty { c.pointee.n_items = items.count; c.pointee.items = arena.messages(items) }
  }
}

extension InjectItemsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__InjectItemsResponse
  public static var schemaIndex: UInt16 { 141 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_inject_items_response() }

  public init(c: UnsafePointer<Heddle__V1__InjectItemsResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__InjectItemsResponse>, _ arena: Arena) {
    heddle__v1__inject_items_response__init(c)
    if sequence != 0 { c.pointee.has_sequence = 1; c.pointee.sequence = sequence }
    if replayed { c.pointee.has_replayed = 1; c.pointee.replayed = replayed ? 1 : 0 }
  }
}

extension ExportThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ExportThreadRequest
  public static var schemaIndex: UInt16 { 142 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_export_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__ExportThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { throw .missingField("thread") }
    if c.pointee.has_after != 0 { after = c.pointee.after }
    if c.pointee.has_page_size != 0 { pageSize = c.pointee.page_size }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ExportThreadRequest>, _ arena: Arena) {
    heddle__v1__export_thread_request__init(c)
    if thread != ThreadID() { c.pointee.has_thread = 1; c.pointee.thread = arena.id(thread) }
    if after != 0 { c.pointee.has_after = 1; c.pointee.after = after }
    if let v = pageSize { c.pointee.has_page_size = 1; c.pointee.page_size = v }
  }
}

extension ExportThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ExportThreadResponse
  public static var schemaIndex: UInt16 { 143 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_export_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__ExportThreadResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.events {
      events.reserveCapacity(c.pointee.n_events)
      for i in 0..<c.pointee.n_events { if let e = p[i] { events.append(try Event(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_more != 0 { more = c.pointee.more != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__ExportThreadResponse>, _ arena: Arena) {
    heddle__v1__export_thread_response__init(c)
    if !events.isEmpty { c.pointee.n_events = events.count; c.pointee.events = arena.messages(events) }
    if more { c.pointee.has_more = 1; c.pointee.more = more ? 1 : 0 }
  }
}

extension SubscribeRequest: WireMessage {
  public typealias CMessage = Heddle__V1__SubscribeRequest
  public static var schemaIndex: UInt16 { 144 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_subscribe_request() }

  public init(c: UnsafePointer<Heddle__V1__SubscribeRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if c.pointee.has_epoch != 0 { epoch = c.pointee.epoch }
    if c.pointee.has_after != 0 { after = c.pointee.after }
    if let p = c.pointee.kinds {
      kinds.reserveCapacity(c.pointee.n_kinds)
      for i in 0..<c.pointee.n_kinds { kinds.append(try readEnum(p[i].rawValue, "kinds", allowsZero: false)) }
    }
    if c.pointee.has_credit != 0 { credit = c.pointee.credit }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__SubscribeRequest>, _ arena: Arena) {
    heddle__v1__subscribe_request__init(c)
    if let v = thread { c.pointee.has_thread = 1; c.pointee.thread = arena.id(v) }
    if let v = epoch { c.pointee.has_epoch = 1; c.pointee.epoch = v }
    if let v = after { c.pointee.has_after = 1; c.pointee.after = v }
    if !kinds.isEmpty { c.pointee.n_kinds = kinds.count; c.pointee.kinds = arena.array(kinds) { Heddle__V1__SubscriptionKind(rawValue: UInt32(bitPattern: $0.rawValue)) } }
    if let v = credit { c.pointee.has_credit = 1; c.pointee.credit = v }
  }
}

extension UnsubscribeRequest: WireMessage {
  public typealias CMessage = Heddle__V1__UnsubscribeRequest
  public static var schemaIndex: UInt16 { 145 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_unsubscribe_request() }

  public init(c: UnsafePointer<Heddle__V1__UnsubscribeRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__UnsubscribeRequest>, _ arena: Arena) {
    heddle__v1__unsubscribe_request__init(c)
    if let v = thread { c.pointee.has_thread = 1; c.pointee.thread = arena.id(v) }
  }
}

extension UnsubscribeResponse: WireMessage {
  public typealias CMessage = Heddle__V1__UnsubscribeResponse
  public static var schemaIndex: UInt16 { 146 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_unsubscribe_response() }

  public init(c: UnsafePointer<Heddle__V1__UnsubscribeResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_was_subscribed != 0 { wasSubscribed = c.pointee.was_subscribed != 0 }
  }

  public func fill(_ c: UnsafeMutablePointer<Heddle__V1__UnsubscribeResponse>, _ arena: Arena) {
    heddle__v1__unsubscribe_response__init(c)
    if wasSubscribed { c.pointee.has_was_subscribed = 1; c.pointee.was_subscribed = wasSubscribed ? 1 : 0 }
  }
}

