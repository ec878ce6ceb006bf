// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import CHeddleProtocol
import HeddleCore

extension AgentThread: WireMessage {
  public typealias CMessage = Heddle__V1__AgentThread
  public static var schemaIndex: UInt16 { 128 }
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
    if c.pointee.has_asks_user != 0 { asksUser = c.pointee.asks_user != 0 }
    if c.pointee.has_closed != 0 { closed = c.pointee.closed != 0 }
    if let p = c.pointee.tools {
      tools.reserveCapacity(c.pointee.n_tools)
      for i in 0..<c.pointee.n_tools { tools.append(readText(p[i])) }
    }
  }

  public func write(_ out: inout BackwardWriter) {
    for v in tools.reversed() { out.text(v, 178) }
    if closed { out.bool(closed, 168) }
    if asksUser { out.bool(asksUser, 160) }
    if queuedTurns != 0 { out.unsigned(queuedTurns, 152) }
    if let v = runningTurn { out.id(v, 146) }
    if let v = usage { out.message(v, 138) }
    if turnCount != 0 { out.unsigned(turnCount, 128) }
    if epoch != 0 { out.unsigned(epoch, 120) }
    if sequence != 0 { out.unsigned(sequence, 112) }
    if versionSource != .unspecified { out.signed(versionSource.rawValue, 104) }
    if version != .unspecified { out.signed(version.rawValue, 96) }
    if revision != 0 { out.unsigned(revision, 88) }
    if let v = settings { out.message(v, 82) }
    if updatedAt != 0 { out.signed(updatedAt, 72) }
    if createdAt != 0 { out.signed(createdAt, 64) }
    if archived { out.bool(archived, 56) }
    if ephemeral { out.bool(ephemeral, 48) }
    if let v = status { out.message(v, 42) }
    if !preview.isEmpty { out.text(preview, 34) }
    if !name.isEmpty { out.text(name, 26) }
    if let v = lineage { out.message(v, 18) }
    if id != ThreadID() { out.id(id, 10) }
  }
}

extension StartThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__StartThreadRequest
  public static var schemaIndex: UInt16 { 129 }
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
    if c.pointee.has_asks_user != 0 { asksUser = c.pointee.asks_user != 0 }
    if c.pointee.has_tree != 0 { tree = c.pointee.tree != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if tree { out.bool(tree, 56) }
    if asksUser { out.bool(asksUser, 48) }
    for v in tools.reversed() { out.message(v, 42) }
    if let v = subscribe { out.bool(v, 32) }
    if ephemeral { out.bool(ephemeral, 24) }
    if !name.isEmpty { out.text(name, 18) }
    if let v = settings { out.message(v, 10) }
  }
}

extension StartThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__StartThreadResponse
  public static var schemaIndex: UInt16 { 130 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_start_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__StartThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if let p = c.pointee.thread { thread = try AgentThread(c: UnsafePointer(p)) }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if let v = thread { out.message(v, 18) }
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

extension ResumeThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ResumeThreadRequest
  public static var schemaIndex: UInt16 { 131 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_resume_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__ResumeThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if c.pointee.has_subscribe != 0 { subscribe = c.pointee.subscribe != 0 }
    if c.pointee.has_tree != 0 { tree = c.pointee.tree != 0 }
    if let p = c.pointee.tools { tools = try ToolSelection(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = tools { out.message(v, 34) }
    if tree { out.bool(tree, 24) }
    if let v = subscribe { out.bool(v, 16) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ResumeThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ResumeThreadResponse
  public static var schemaIndex: UInt16 { 132 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_resume_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__ResumeThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if let p = c.pointee.thread { thread = try AgentThread(c: UnsafePointer(p)) }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if let v = thread { out.message(v, 18) }
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

extension ForkThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ForkThreadRequest
  public static var schemaIndex: UInt16 { 133 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_fork_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__ForkThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if c.pointee.has_last_turn != 0 { lastTurn = try readID(c.pointee.last_turn, "last_turn") }
    if let p = c.pointee.settings { settings = try SettingsChange(c: UnsafePointer(p)) }
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
    if c.pointee.has_subscribe != 0 { subscribe = c.pointee.subscribe != 0 }
    if c.pointee.has_tree != 0 { tree = c.pointee.tree != 0 }
    if let p = c.pointee.tools { tools = try ToolSelection(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = tools { out.message(v, 58) }
    if tree { out.bool(tree, 48) }
    if let v = subscribe { out.bool(v, 40) }
    if !name.isEmpty { out.text(name, 34) }
    if let v = settings { out.message(v, 26) }
    if let v = lastTurn { out.id(v, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ForkThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ForkThreadResponse
  public static var schemaIndex: UInt16 { 134 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_fork_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__ForkThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if let p = c.pointee.thread { thread = try AgentThread(c: UnsafePointer(p)) }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if let v = thread { out.message(v, 18) }
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

extension ReadThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ReadThreadRequest
  public static var schemaIndex: UInt16 { 135 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_read_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__ReadThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
  }

  public func write(_ out: inout BackwardWriter) {
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ReadThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ReadThreadResponse
  public static var schemaIndex: UInt16 { 136 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_read_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__ReadThreadResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.thread { thread = try AgentThread(c: UnsafePointer(p)) }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = thread { out.message(v, 10) }
  }
}

extension ListThreadsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListThreadsRequest
  public static var schemaIndex: UInt16 { 137 }
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

  public func write(_ out: inout BackwardWriter) {
    if let v = createdBefore { out.signed(v, 96) }
    if let v = createdAfter { out.signed(v, 88) }
    if let v = workingFolder { out.text(v, 82) }
    if let v = text { out.text(v, 74) }
    if let v = modelProvider { out.text(v, 66) }
    if let v = forkedFrom { out.id(v, 58) }
    if let v = parent { out.id(v, 50) }
    if let v = source { out.signed(v.rawValue, 40) }
    if let v = archived { out.bool(v, 32) }
    if order != .unspecified { out.signed(order.rawValue, 24) }
    if let v = pageSize { out.signed(v, 16) }
    if !cursor.isEmpty { out.text(cursor, 10) }
  }
}

extension ListThreadsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListThreadsResponse
  public static var schemaIndex: UInt16 { 138 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_threads_response() }

  public init(c: UnsafePointer<Heddle__V1__ListThreadsResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.threads {
      threads.reserveCapacity(c.pointee.n_threads)
      for i in 0..<c.pointee.n_threads { if let e = p[i] { threads.append(try AgentThread(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_next_cursor != 0 { nextCursor = readText(c.pointee.next_cursor) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !nextCursor.isEmpty { out.text(nextCursor, 18) }
    for v in threads.reversed() { out.message(v, 10) }
  }
}

extension ListLoadedThreadsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListLoadedThreadsRequest
  public static var schemaIndex: UInt16 { 139 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_loaded_threads_request() }

  public init(c: UnsafePointer<Heddle__V1__ListLoadedThreadsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_cursor != 0 { cursor = readText(c.pointee.cursor) }
    if c.pointee.has_page_size != 0 { pageSize = c.pointee.page_size }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = pageSize { out.signed(v, 16) }
    if !cursor.isEmpty { out.text(cursor, 10) }
  }
}

extension ListLoadedThreadsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListLoadedThreadsResponse
  public static var schemaIndex: UInt16 { 140 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_loaded_threads_response() }

  public init(c: UnsafePointer<Heddle__V1__ListLoadedThreadsResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.threads {
      threads.reserveCapacity(c.pointee.n_threads)
      for i in 0..<c.pointee.n_threads { threads.append(try readID(p[i], "threads")) }
    }
    if c.pointee.has_next_cursor != 0 { nextCursor = readText(c.pointee.next_cursor) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !nextCursor.isEmpty { out.text(nextCursor, 18) }
    for v in threads.reversed() { out.id(v, 10) }
  }
}

extension SearchThreadsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__SearchThreadsRequest
  public static var schemaIndex: UInt16 { 141 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_search_threads_request() }

  public init(c: UnsafePointer<Heddle__V1__SearchThreadsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_text != 0, c.pointee.text.len > 0 { text = readText(c.pointee.text) } else { try missing("text") }
    if c.pointee.has_cursor != 0 { cursor = readText(c.pointee.cursor) }
    if c.pointee.has_page_size != 0 { pageSize = c.pointee.page_size }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = pageSize { out.signed(v, 24) }
    if !cursor.isEmpty { out.text(cursor, 18) }
    if !text.isEmpty { out.text(text, 10) }
  }
}

extension SearchHit: WireMessage {
  public typealias CMessage = Heddle__V1__SearchHit
  public static var schemaIndex: UInt16 { 142 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_search_hit() }

  public init(c: UnsafePointer<Heddle__V1__SearchHit>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_snippet != 0 { snippet = readText(c.pointee.snippet) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !snippet.isEmpty { out.text(snippet, 26) }
    if sequence != 0 { out.unsigned(sequence, 16) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension SearchThreadsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__SearchThreadsResponse
  public static var schemaIndex: UInt16 { 143 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_search_threads_response() }

  public init(c: UnsafePointer<Heddle__V1__SearchThreadsResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.hits {
      hits.reserveCapacity(c.pointee.n_hits)
      for i in 0..<c.pointee.n_hits { if let e = p[i] { hits.append(try SearchHit(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_next_cursor != 0 { nextCursor = readText(c.pointee.next_cursor) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !nextCursor.isEmpty { out.text(nextCursor, 18) }
    for v in hits.reversed() { out.message(v, 10) }
  }
}

extension ListTurnsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListTurnsRequest
  public static var schemaIndex: UInt16 { 144 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_turns_request() }

  public init(c: UnsafePointer<Heddle__V1__ListTurnsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if c.pointee.has_cursor != 0 { cursor = readText(c.pointee.cursor) }
    if c.pointee.has_page_size != 0 { pageSize = c.pointee.page_size }
    if c.pointee.has_order != 0 { order = try readEnum(c.pointee.order.rawValue, "order", allowsZero: true) }
  }

  public func write(_ out: inout BackwardWriter) {
    if order != .unspecified { out.signed(order.rawValue, 32) }
    if let v = pageSize { out.signed(v, 24) }
    if !cursor.isEmpty { out.text(cursor, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ListTurnsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListTurnsResponse
  public static var schemaIndex: UInt16 { 145 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_turns_response() }

  public init(c: UnsafePointer<Heddle__V1__ListTurnsResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.turns {
      turns.reserveCapacity(c.pointee.n_turns)
      for i in 0..<c.pointee.n_turns { if let e = p[i] { turns.append(try Turn(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_next_cursor != 0 { nextCursor = readText(c.pointee.next_cursor) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !nextCursor.isEmpty { out.text(nextCursor, 18) }
    for v in turns.reversed() { out.message(v, 10) }
  }
}

extension ListedItem: WireMessage {
  public typealias CMessage = Heddle__V1__ListedItem
  public static var schemaIndex: UInt16 { 146 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_listed_item() }

  public init(c: UnsafePointer<Heddle__V1__ListedItem>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.item { item = try Item(c: UnsafePointer(p)) }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_at != 0 { at = c.pointee.at }
  }

  public func write(_ out: inout BackwardWriter) {
    if at != 0 { out.signed(at, 32) }
    if sequence != 0 { out.unsigned(sequence, 24) }
    if let v = turn { out.id(v, 18) }
    if let v = item { out.message(v, 10) }
  }
}

extension ListItemsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ListItemsRequest
  public static var schemaIndex: UInt16 { 147 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_items_request() }

  public init(c: UnsafePointer<Heddle__V1__ListItemsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if c.pointee.has_turn != 0 { turn = try readID(c.pointee.turn, "turn") }
    if c.pointee.has_cursor != 0 { cursor = readText(c.pointee.cursor) }
    if c.pointee.has_page_size != 0 { pageSize = c.pointee.page_size }
    if c.pointee.has_order != 0 { order = try readEnum(c.pointee.order.rawValue, "order", allowsZero: true) }
  }

  public func write(_ out: inout BackwardWriter) {
    if order != .unspecified { out.signed(order.rawValue, 40) }
    if let v = pageSize { out.signed(v, 32) }
    if !cursor.isEmpty { out.text(cursor, 26) }
    if let v = turn { out.id(v, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ListItemsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ListItemsResponse
  public static var schemaIndex: UInt16 { 148 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_list_items_response() }

  public init(c: UnsafePointer<Heddle__V1__ListItemsResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.items {
      items.reserveCapacity(c.pointee.n_items)
      for i in 0..<c.pointee.n_items { if let e = p[i] { items.append(try ListedItem(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_next_cursor != 0 { nextCursor = readText(c.pointee.next_cursor) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !nextCursor.isEmpty { out.text(nextCursor, 18) }
    for v in items.reversed() { out.message(v, 10) }
  }
}

extension SetThreadNameRequest: WireMessage {
  public typealias CMessage = Heddle__V1__SetThreadNameRequest
  public static var schemaIndex: UInt16 { 149 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_set_thread_name_request() }

  public init(c: UnsafePointer<Heddle__V1__SetThreadNameRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if c.pointee.has_name != 0 { name = readText(c.pointee.name) }
  }

  public func write(_ out: inout BackwardWriter) {
    if !name.isEmpty { out.text(name, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension SetThreadNameResponse: WireMessage {
  public typealias CMessage = Heddle__V1__SetThreadNameResponse
  public static var schemaIndex: UInt16 { 150 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_set_thread_name_response() }

  public init(c: UnsafePointer<Heddle__V1__SetThreadNameResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

extension ArchiveThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ArchiveThreadRequest
  public static var schemaIndex: UInt16 { 151 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_archive_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__ArchiveThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
  }

  public func write(_ out: inout BackwardWriter) {
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ArchiveThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ArchiveThreadResponse
  public static var schemaIndex: UInt16 { 152 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_archive_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__ArchiveThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

extension UnarchiveThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__UnarchiveThreadRequest
  public static var schemaIndex: UInt16 { 153 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_unarchive_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__UnarchiveThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
  }

  public func write(_ out: inout BackwardWriter) {
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension UnarchiveThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__UnarchiveThreadResponse
  public static var schemaIndex: UInt16 { 154 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_unarchive_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__UnarchiveThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

extension DeleteThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__DeleteThreadRequest
  public static var schemaIndex: UInt16 { 155 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_delete_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__DeleteThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
  }

  public func write(_ out: inout BackwardWriter) {
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension DeleteThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__DeleteThreadResponse
  public static var schemaIndex: UInt16 { 156 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_delete_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__DeleteThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_deleted != 0 { deleted = c.pointee.deleted }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if deleted != 0 { out.unsigned(deleted, 8) }
  }
}

extension RollbackThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__RollbackThreadRequest
  public static var schemaIndex: UInt16 { 157 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_rollback_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__RollbackThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if c.pointee.has_turns != 0 { turns = c.pointee.turns }
  }

  public func write(_ out: inout BackwardWriter) {
    if turns != 0 { out.signed(turns, 16) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension RollbackThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__RollbackThreadResponse
  public static var schemaIndex: UInt16 { 158 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_rollback_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__RollbackThreadResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_rolled_back != 0 { rolledBack = c.pointee.rolled_back }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if rolledBack != 0 { out.unsigned(rolledBack, 16) }
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

extension CompactThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__CompactThreadRequest
  public static var schemaIndex: UInt16 { 159 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_compact_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__CompactThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
  }

  public func write(_ out: inout BackwardWriter) {
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension CompactThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__CompactThreadResponse
  public static var schemaIndex: UInt16 { 160 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_compact_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__CompactThreadResponse>) throws(DecodeError) {
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

extension InjectItemsRequest: WireMessage {
  public typealias CMessage = Heddle__V1__InjectItemsRequest
  public static var schemaIndex: UInt16 { 161 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_inject_items_request() }

  public init(c: UnsafePointer<Heddle__V1__InjectItemsRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if let p = c.pointee.items {
      items.reserveCapacity(c.pointee.n_items)
      for i in 0..<c.pointee.n_items { if let e = p[i] { items.append(try Item(c: UnsafePointer(e))) } }
    }
  }

  public func write(_ out: inout BackwardWriter) {
    for v in items.reversed() { out.message(v, 18) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension InjectItemsResponse: WireMessage {
  public typealias CMessage = Heddle__V1__InjectItemsResponse
  public static var schemaIndex: UInt16 { 162 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_inject_items_response() }

  public init(c: UnsafePointer<Heddle__V1__InjectItemsResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_sequence != 0 { sequence = c.pointee.sequence }
    if c.pointee.has_replayed != 0 { replayed = c.pointee.replayed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if replayed { out.bool(replayed, 120) }
    if sequence != 0 { out.unsigned(sequence, 8) }
  }
}

extension ExportThreadRequest: WireMessage {
  public typealias CMessage = Heddle__V1__ExportThreadRequest
  public static var schemaIndex: UInt16 { 163 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_export_thread_request() }

  public init(c: UnsafePointer<Heddle__V1__ExportThreadRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") } else { try missing("thread") }
    if c.pointee.has_after != 0 { after = c.pointee.after }
    if c.pointee.has_page_size != 0 { pageSize = c.pointee.page_size }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = pageSize { out.signed(v, 24) }
    if after != 0 { out.unsigned(after, 16) }
    if thread != ThreadID() { out.id(thread, 10) }
  }
}

extension ExportThreadResponse: WireMessage {
  public typealias CMessage = Heddle__V1__ExportThreadResponse
  public static var schemaIndex: UInt16 { 164 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_export_thread_response() }

  public init(c: UnsafePointer<Heddle__V1__ExportThreadResponse>) throws(DecodeError) {
    self.init()
    if let p = c.pointee.events {
      events.reserveCapacity(c.pointee.n_events)
      for i in 0..<c.pointee.n_events { if let e = p[i] { events.append(try Event(c: UnsafePointer(e))) } }
    }
    if c.pointee.has_more != 0 { more = c.pointee.more != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if more { out.bool(more, 16) }
    for v in events.reversed() { out.message(v, 10) }
  }
}

extension SubscribeRequest: WireMessage {
  public typealias CMessage = Heddle__V1__SubscribeRequest
  public static var schemaIndex: UInt16 { 165 }
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
    if c.pointee.has_tree != 0 { tree = c.pointee.tree != 0 }
    if let p = c.pointee.answers {
      answers.reserveCapacity(c.pointee.n_answers)
      for i in 0..<c.pointee.n_answers { answers.append(try readEnum(p[i].rawValue, "answers", allowsZero: false)) }
    }
  }

  public func write(_ out: inout BackwardWriter) {
    out.packed(answers, 58) { out, v in out.signed(v.rawValue) }
    if tree { out.bool(tree, 48) }
    if let v = credit { out.unsigned(v, 40) }
    out.packed(kinds, 34) { out, v in out.signed(v.rawValue) }
    if let v = after { out.unsigned(v, 24) }
    if let v = epoch { out.unsigned(v, 16) }
    if let v = thread { out.id(v, 10) }
  }
}

extension UnsubscribeRequest: WireMessage {
  public typealias CMessage = Heddle__V1__UnsubscribeRequest
  public static var schemaIndex: UInt16 { 166 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_unsubscribe_request() }

  public init(c: UnsafePointer<Heddle__V1__UnsubscribeRequest>) throws(DecodeError) {
    self.init()
    if c.pointee.has_thread != 0 { thread = try readID(c.pointee.thread, "thread") }
  }

  public func write(_ out: inout BackwardWriter) {
    if let v = thread { out.id(v, 10) }
  }
}

extension UnsubscribeResponse: WireMessage {
  public typealias CMessage = Heddle__V1__UnsubscribeResponse
  public static var schemaIndex: UInt16 { 167 }
  public static var descriptor: UnsafePointer<ProtobufCMessageDescriptor> { heddle_descriptor_unsubscribe_response() }

  public init(c: UnsafePointer<Heddle__V1__UnsubscribeResponse>) throws(DecodeError) {
    self.init()
    if c.pointee.has_was_subscribed != 0 { wasSubscribed = c.pointee.was_subscribed != 0 }
  }

  public func write(_ out: inout BackwardWriter) {
    if wasSubscribed { out.bool(wasSubscribed, 8) }
  }
}

