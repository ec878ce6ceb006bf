// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// Order of a list.
public enum ListOrder: Int32, Sendable, CaseIterable, Hashable {
  /// Newest first.
  case unspecified = 0
  /// Newest first.
  case newestFirst = 1
  /// Oldest first.
  case oldestFirst = 2

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .newestFirst: "NEWEST_FIRST"
    case .oldestFirst: "OLDEST_FIRST"
    }
  }
}

/// Kinds of message in a subscription.
public enum SubscriptionKind: Int32, Sendable, CaseIterable, Hashable {
  /// Refused.
  case unspecified = 0
  /// Numbered events.
  case events = 1
  /// Streamed text.
  case deltas = 2
  /// Changes of status.
  case status = 3

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .events: "EVENTS"
    case .deltas: "DELTAS"
    case .status: "STATUS"
    }
  }
}

/// Kinds of calls of the server.
public enum CallKind: Int32, Sendable, CaseIterable, Hashable {
  /// Not specified.
  case unspecified = 0
  /// A tool that a client provides: ClientService.CallTool.
  case callTool = 1
  /// A question to a client's user: ClientService.RequestUserInput.
  case requestUserInput = 2

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .callTool: "CALL_TOOL"
    case .requestUserInput: "REQUEST_USER_INPUT"
    }
  }
}

/// One conversation of one agent.
public struct AgentThread: Equatable, Sendable {
  /// Id of the thread.
  public var id: ThreadID = ThreadID()
  /// Its origin.
  public var lineage: Lineage? = nil
  /// Its name; empty: none.
  public var name: String = ""
  /// The beginning of its first user message.
  public var preview: String = ""
  /// Its status.
  public var status: ThreadStatus? = nil
  /// Whether it is ephemeral: kept in memory and never on disk.
  public var ephemeral: Bool = false
  /// Whether it is archived.
  public var archived: Bool = false
  /// Time of creation, unix milliseconds.
  public var createdAt: Int64 = 0
  /// Time of its last event, unix milliseconds.
  public var updatedAt: Int64 = 0
  /// The settings for its next turn.
  public var settings: Settings? = nil
  /// Number of the last change of settings.
  public var revision: UInt64 = 0
  /// Its multi-agent version; `UNSPECIFIED` until it is pinned.
  public var version: MultiAgentVersion = .unspecified
  /// Source of the version.
  public var versionSource: VersionSource = .unspecified
  /// Its newest event.
  public var sequence: UInt64 = 0
  /// The epoch of the event numbers.
  public var epoch: UInt64 = 0
  /// Number of turns in its turn list.
  public var turnCount: UInt64 = 0
  /// Tokens used.
  public var usage: TokenUsage? = nil
  /// The running turn.
  public var runningTurn: TurnID? = nil
  /// Number of queued turns.
  public var queuedTurns: UInt32 = 0
  /// Whether its model may ask the client's user questions.
  public var asksUser: Bool = false
  /// True if it is a spawned agent that was closed.
  public var closed: Bool = false
  /// Names of the tools that its client provides.
  public var tools: [String] = []

  public init() {}

  public init(id: ThreadID = ThreadID(), lineage: Lineage? = nil, name: String = "", preview: String = "", status: ThreadStatus? = nil, ephemeral: Bool = false, archived: Bool = false, createdAt: Int64 = 0, updatedAt: Int64 = 0, settings: Settings? = nil, revision: UInt64 = 0, version: MultiAgentVersion = .unspecified, versionSource: VersionSource = .unspecified, sequence: UInt64 = 0, epoch: UInt64 = 0, turnCount: UInt64 = 0, usage: TokenUsage? = nil, runningTurn: TurnID? = nil, queuedTurns: UInt32 = 0, asksUser: Bool = false, closed: Bool = false, tools: [String] = []) {
    self.id = id
    self.lineage = lineage
    self.name = name
    self.preview = preview
    self.status = status
    self.ephemeral = ephemeral
    self.archived = archived
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.settings = settings
    self.revision = revision
    self.version = version
    self.versionSource = versionSource
    self.sequence = sequence
    self.epoch = epoch
    self.turnCount = turnCount
    self.usage = usage
    self.runningTurn = runningTurn
    self.queuedTurns = queuedTurns
    self.asksUser = asksUser
    self.closed = closed
    self.tools = tools
  }
}

/// Starts a thread.
public struct StartThreadRequest: Equatable, Sendable {
  /// Settings that differ from the server's defaults.
  public var settings: SettingsChange? = nil
  /// Its name.
  public var name: String = ""
  /// Make the thread ephemeral: it is lost when the server ends, or when it has not been used for some time
  /// (durability.md).
  public var ephemeral: Bool = false
  /// Subscribe this stream to the new thread; absent: true.
  public var subscribe: Bool? = nil
  /// Tools that this client provides (rules.md A9).
  public var tools: [ToolDefinition] = []
  /// Let the model ask the client's user questions; it gets the tool `request_user_input`.
  public var asksUser: Bool = false
  /// Also follow the agents below it on this stream (rules.md A12).
  public var tree: Bool = false

  public init() {}

  public init(settings: SettingsChange? = nil, name: String = "", ephemeral: Bool = false, subscribe: Bool? = nil, tools: [ToolDefinition] = [], asksUser: Bool = false, tree: Bool = false) {
    self.settings = settings
    self.name = name
    self.ephemeral = ephemeral
    self.subscribe = subscribe
    self.tools = tools
    self.asksUser = asksUser
    self.tree = tree
  }
}

/// The new thread, which is durable.
public struct StartThreadResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// The thread.
  public var thread: AgentThread? = nil
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, thread: AgentThread? = nil, replayed: Bool = false) {
    self.sequence = sequence
    self.thread = thread
    self.replayed = replayed
  }
}

/// Loads a thread and subscribes to it.
public struct ResumeThreadRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// Subscribe this stream to events from now on; absent: true.
  public var subscribe: Bool? = nil
  /// Also follow the agents below it on this stream (rules.md A12).
  public var tree: Bool = false
  /// The client's tools: keep, set or clear. This is a change of settings, with a revision and an event.
  public var tools: ToolSelection? = nil

  public init() {}

  public init(thread: ThreadID = ThreadID(), subscribe: Bool? = nil, tree: Bool = false, tools: ToolSelection? = nil) {
    self.thread = thread
    self.subscribe = subscribe
    self.tree = tree
    self.tools = tools
  }
}

/// The loaded thread.
public struct ResumeThreadResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// The thread.
  public var thread: AgentThread? = nil
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, thread: AgentThread? = nil, replayed: Bool = false) {
    self.sequence = sequence
    self.thread = thread
    self.replayed = replayed
  }
}

/// Creates a thread that shares the history of another thread.
public struct ForkThreadRequest: Equatable, Sendable {
  /// The source.
  public var thread: ThreadID = ThreadID()
  /// Share the history up to the end of this turn; absent: up to the last durable event.
  public var lastTurn: TurnID? = nil
  /// Settings that differ from the source's.
  public var settings: SettingsChange? = nil
  /// Its name.
  public var name: String = ""
  /// Subscribe this stream to the fork; absent: true.
  public var subscribe: Bool? = nil
  /// Also follow the agents below it on this stream (rules.md A12).
  public var tree: Bool = false
  /// The fork's tools: those of the source, these, or none.
  public var tools: ToolSelection? = nil

  public init() {}

  public init(thread: ThreadID = ThreadID(), lastTurn: TurnID? = nil, settings: SettingsChange? = nil, name: String = "", subscribe: Bool? = nil, tree: Bool = false, tools: ToolSelection? = nil) {
    self.thread = thread
    self.lastTurn = lastTurn
    self.settings = settings
    self.name = name
    self.subscribe = subscribe
    self.tree = tree
    self.tools = tools
  }
}

/// The fork, which is durable.
public struct ForkThreadResponse: Equatable, Sendable {
  /// The fork's newest event.
  public var sequence: UInt64 = 0
  /// The fork.
  public var thread: AgentThread? = nil
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, thread: AgentThread? = nil, replayed: Bool = false) {
    self.sequence = sequence
    self.thread = thread
    self.replayed = replayed
  }
}

/// Reads a thread without loading it.
public struct ReadThreadRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()

  public init() {}

  public init(thread: ThreadID = ThreadID()) {
    self.thread = thread
  }
}

/// The thread.
public struct ReadThreadResponse: Equatable, Sendable {
  /// The thread.
  public var thread: AgentThread? = nil

  public init() {}

  public init(thread: AgentThread? = nil) {
    self.thread = thread
  }
}

/// Lists threads.
public struct ListThreadsRequest: Equatable, Sendable {
  /// Cursor from the previous page; absent: the first page.
  public var cursor: String = ""
  /// Threads on a page, 1 to 200; absent: 25.
  public var pageSize: Int32? = nil
  /// Order of creation.
  public var order: ListOrder = .unspecified
  /// True: only archived threads. False or absent: only threads that are not archived.
  public var archived: Bool? = nil
  /// Only threads that exist for this reason.
  public var source: ThreadSource? = nil
  /// Only threads spawned by this thread.
  public var parent: ThreadID? = nil
  /// Only threads forked from this thread.
  public var forkedFrom: ThreadID? = nil
  /// Only threads of this provider.
  public var modelProvider: String? = nil
  /// Only threads whose name or preview contains this text, ignoring the case of ASCII letters.
  public var text: String? = nil
  /// Only threads of this working folder.
  public var workingFolder: String? = nil
  /// Only threads created at or after this time, unix milliseconds.
  public var createdAfter: Int64? = nil
  /// Only threads created before this time, unix milliseconds.
  public var createdBefore: Int64? = nil

  public init() {}

  public init(cursor: String = "", pageSize: Int32? = nil, order: ListOrder = .unspecified, archived: Bool? = nil, source: ThreadSource? = nil, parent: ThreadID? = nil, forkedFrom: ThreadID? = nil, modelProvider: String? = nil, text: String? = nil, workingFolder: String? = nil, createdAfter: Int64? = nil, createdBefore: Int64? = nil) {
    self.cursor = cursor
    self.pageSize = pageSize
    self.order = order
    self.archived = archived
    self.source = source
    self.parent = parent
    self.forkedFrom = forkedFrom
    self.modelProvider = modelProvider
    self.text = text
    self.workingFolder = workingFolder
    self.createdAfter = createdAfter
    self.createdBefore = createdBefore
  }
}

/// A page of threads.
public struct ListThreadsResponse: Equatable, Sendable {
  /// The threads.
  public var threads: [AgentThread] = []
  /// Cursor of the next page; empty: this is the last page.
  public var nextCursor: String = ""

  public init() {}

  public init(threads: [AgentThread] = [], nextCursor: String = "") {
    self.threads = threads
    self.nextCursor = nextCursor
  }
}

/// Lists the threads that are loaded on this node.
public struct ListLoadedThreadsRequest: Equatable, Sendable {
  /// Cursor from the previous page.
  public var cursor: String = ""
  /// Ids on a page, 1 to 200; absent: 200.
  public var pageSize: Int32? = nil

  public init() {}

  public init(cursor: String = "", pageSize: Int32? = nil) {
    self.cursor = cursor
    self.pageSize = pageSize
  }
}

/// A page of ids, in order.
public struct ListLoadedThreadsResponse: Equatable, Sendable {
  /// The threads.
  public var threads: [ThreadID] = []
  /// Cursor of the next page; empty: this is the last page.
  public var nextCursor: String = ""

  public init() {}

  public init(threads: [ThreadID] = [], nextCursor: String = "") {
    self.threads = threads
    self.nextCursor = nextCursor
  }
}

/// Finds text in items.
public struct SearchThreadsRequest: Equatable, Sendable {
  /// The text to find.
  public var text: String = ""
  /// Cursor from the previous page.
  public var cursor: String = ""
  /// Hits on a page, 1 to 200; absent: 25.
  public var pageSize: Int32? = nil

  public init() {}

  public init(text: String = "", cursor: String = "", pageSize: Int32? = nil) {
    self.text = text
    self.cursor = cursor
    self.pageSize = pageSize
  }
}

/// A place where the text was found.
public struct SearchHit: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// The event that holds it.
  public var sequence: UInt64 = 0
  /// The text around it.
  public var snippet: String = ""

  public init() {}

  public init(thread: ThreadID = ThreadID(), sequence: UInt64 = 0, snippet: String = "") {
    self.thread = thread
    self.sequence = sequence
    self.snippet = snippet
  }
}

/// A page of hits.
public struct SearchThreadsResponse: Equatable, Sendable {
  /// The hits.
  public var hits: [SearchHit] = []
  /// Cursor of the next page; empty: this is the last page.
  public var nextCursor: String = ""

  public init() {}

  public init(hits: [SearchHit] = [], nextCursor: String = "") {
    self.hits = hits
    self.nextCursor = nextCursor
  }
}

/// Lists turns.
public struct ListTurnsRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// Cursor from the previous page.
  public var cursor: String = ""
  /// Turns on a page, 1 to 200; absent: 25.
  public var pageSize: Int32? = nil
  /// Order of the list.
  public var order: ListOrder = .unspecified

  public init() {}

  public init(thread: ThreadID = ThreadID(), cursor: String = "", pageSize: Int32? = nil, order: ListOrder = .unspecified) {
    self.thread = thread
    self.cursor = cursor
    self.pageSize = pageSize
    self.order = order
  }
}

/// A page of turns.
public struct ListTurnsResponse: Equatable, Sendable {
  /// The turns.
  public var turns: [Turn] = []
  /// Cursor of the next page; empty: this is the last page.
  public var nextCursor: String = ""

  public init() {}

  public init(turns: [Turn] = [], nextCursor: String = "") {
    self.turns = turns
    self.nextCursor = nextCursor
  }
}

/// An item and its place in the thread.
public struct ListedItem: Equatable, Sendable {
  /// The item.
  public var item: Item? = nil
  /// The turn that it belongs to; absent for items between turns.
  public var turn: TurnID? = nil
  /// The event that completed it.
  public var sequence: UInt64 = 0
  /// Time, unix milliseconds.
  public var at: Int64 = 0

  public init() {}

  public init(item: Item? = nil, turn: TurnID? = nil, sequence: UInt64 = 0, at: Int64 = 0) {
    self.item = item
    self.turn = turn
    self.sequence = sequence
    self.at = at
  }
}

/// Lists items in order of completion, without those of rolled-back turns.
public struct ListItemsRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// Only items of this turn.
  public var turn: TurnID? = nil
  /// Cursor from the previous page.
  public var cursor: String = ""
  /// Items on a page, 1 to 200; absent: 25.
  public var pageSize: Int32? = nil
  /// Order of the list; absent: oldest first.
  public var order: ListOrder = .unspecified

  public init() {}

  public init(thread: ThreadID = ThreadID(), turn: TurnID? = nil, cursor: String = "", pageSize: Int32? = nil, order: ListOrder = .unspecified) {
    self.thread = thread
    self.turn = turn
    self.cursor = cursor
    self.pageSize = pageSize
    self.order = order
  }
}

/// A page of items.
public struct ListItemsResponse: Equatable, Sendable {
  /// The items.
  public var items: [ListedItem] = []
  /// Cursor of the next page; empty: this is the last page.
  public var nextCursor: String = ""

  public init() {}

  public init(items: [ListedItem] = [], nextCursor: String = "") {
    self.items = items
    self.nextCursor = nextCursor
  }
}

/// Names a thread.
public struct SetThreadNameRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// The name, at most 1,024 bytes; empty: none.
  public var name: String = ""

  public init() {}

  public init(thread: ThreadID = ThreadID(), name: String = "") {
    self.thread = thread
    self.name = name
  }
}

/// The name is durable.
public struct SetThreadNameResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, replayed: Bool = false) {
    self.sequence = sequence
    self.replayed = replayed
  }
}

/// Archives a thread; for a root, its whole tree.
public struct ArchiveThreadRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()

  public init() {}

  public init(thread: ThreadID = ThreadID()) {
    self.thread = thread
  }
}

/// The thread is archived.
public struct ArchiveThreadResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, replayed: Bool = false) {
    self.sequence = sequence
    self.replayed = replayed
  }
}

/// Unarchives a thread; for a root, its whole tree.
public struct UnarchiveThreadRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()

  public init() {}

  public init(thread: ThreadID = ThreadID()) {
    self.thread = thread
  }
}

/// The thread is unarchived.
public struct UnarchiveThreadResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, replayed: Bool = false) {
    self.sequence = sequence
    self.replayed = replayed
  }
}

/// Permanently deletes a thread, its tree and its text.
public struct DeleteThreadRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()

  public init() {}

  public init(thread: ThreadID = ThreadID()) {
    self.thread = thread
  }
}

/// The thread is deleted.
public struct DeleteThreadResponse: Equatable, Sendable {
  /// Number of deleted threads.
  public var deleted: UInt32 = 0
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(deleted: UInt32 = 0, replayed: Bool = false) {
    self.deleted = deleted
    self.replayed = replayed
  }
}

/// Removes the last turns from the context and the turn list.
public struct RollbackThreadRequest: Equatable, Sendable {
  /// The thread; must be idle.
  public var thread: ThreadID = ThreadID()
  /// Number of turns, at least 1; a number above the thread's turns means all of them.
  public var turns: Int32 = 0

  public init() {}

  public init(thread: ThreadID = ThreadID(), turns: Int32 = 0) {
    self.thread = thread
    self.turns = turns
  }
}

/// The rollback is durable.
public struct RollbackThreadResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// Number of turns that were rolled back.
  public var rolledBack: UInt32 = 0
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, rolledBack: UInt32 = 0, replayed: Bool = false) {
    self.sequence = sequence
    self.rolledBack = rolledBack
    self.replayed = replayed
  }
}

/// Replaces the context with a summary that the model writes.
public struct CompactThreadRequest: Equatable, Sendable {
  /// The thread; must be idle.
  public var thread: ThreadID = ThreadID()

  public init() {}

  public init(thread: ThreadID = ThreadID()) {
    self.thread = thread
  }
}

/// The turn that compacts the context.
public struct CompactThreadResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// The turn.
  public var turn: TurnID = TurnID()
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, turn: TurnID = TurnID(), replayed: Bool = false) {
    self.sequence = sequence
    self.turn = turn
    self.replayed = replayed
  }
}

/// Adds items to the history without a turn.
public struct InjectItemsRequest: Equatable, Sendable {
  /// The thread; must be idle.
  public var thread: ThreadID = ThreadID()
  /// The items.
  public var items: [Item] = []

  public init() {}

  public init(thread: ThreadID = ThreadID(), items: [Item] = []) {
    self.thread = thread
    self.items = items
  }
}

/// The items are durable.
public struct InjectItemsResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, replayed: Bool = false) {
    self.sequence = sequence
    self.replayed = replayed
  }
}

/// Reads a thread's events as they are stored.
public struct ExportThreadRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// Return events after this one.
  public var after: UInt64 = 0
  /// Events on a page, 1 to 200; absent: 200.
  public var pageSize: Int32? = nil

  public init() {}

  public init(thread: ThreadID = ThreadID(), after: UInt64 = 0, pageSize: Int32? = nil) {
    self.thread = thread
    self.after = after
    self.pageSize = pageSize
  }
}

/// A page of events.
public struct ExportThreadResponse: Equatable, Sendable {
  /// The events.
  public var events: [Event] = []
  /// True if there are more events.
  public var more: Bool = false

  public init() {}

  public init(events: [Event] = [], more: Bool = false) {
    self.events = events
    self.more = more
  }
}

/// Follows a thread, or the lifecycle of all the tenant's threads (rules.md E1).
public struct SubscribeRequest: Equatable, Sendable {
  /// The thread; absent: lifecycle notices of all threads.
  public var thread: ThreadID? = nil
  /// The epoch that `after` belongs to; absent: the current epoch.
  public var epoch: UInt64? = nil
  /// Send events after this one; absent: only new events.
  public var after: UInt64? = nil
  /// Kinds of message to send; empty: all kinds.
  public var kinds: [SubscriptionKind] = []
  /// Bytes that the server may send before CREDIT allows more; absent: no limit except the connection's.
  public var credit: UInt32? = nil
  /// Also follow the agents below it on this stream, each from its current position; `after` and `epoch` apply only to
  /// `thread` (rules.md A12).
  public var tree: Bool = false
  /// The calls that this subscriber answers with CallService/Answer: calls of these kinds that are open come as events
  /// `call`, again on each new subscription (rules.md A14). Empty: none.
  public var answers: [CallKind] = []

  public init() {}

  public init(thread: ThreadID? = nil, epoch: UInt64? = nil, after: UInt64? = nil, kinds: [SubscriptionKind] = [], credit: UInt32? = nil, tree: Bool = false, answers: [CallKind] = []) {
    self.thread = thread
    self.epoch = epoch
    self.after = after
    self.kinds = kinds
    self.credit = credit
    self.tree = tree
    self.answers = answers
  }
}

/// Ends a subscription.
public struct UnsubscribeRequest: Equatable, Sendable {
  /// The thread; absent: the lifecycle notices.
  public var thread: ThreadID? = nil

  public init() {}

  public init(thread: ThreadID? = nil) {
    self.thread = thread
  }
}

/// The subscription has ended.
public struct UnsubscribeResponse: Equatable, Sendable {
  /// True if there was a subscription.
  public var wasSubscribed: Bool = false

  public init() {}

  public init(wasSubscribed: Bool = false) {
    self.wasSubscribed = wasSubscribed
  }
}

