// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// Rolled-back turns: all ordinals from `first` to `last`.
public struct TurnRange: Equatable, Sendable {
  /// The first ordinal.
  public var first: UInt64 = 0
  /// The last ordinal.
  public var last: UInt64 = 0

  public init() {}

  public init(first: UInt64 = 0, last: UInt64 = 0) {
    self.first = first
    self.last = last
  }
}

/// A part of a thread's history that another thread owns.
public struct HistorySegment: Equatable, Sendable {
  /// The thread that owns the events.
  public var thread: ThreadID = ThreadID()
  /// The last event of that thread that belongs to this history.
  public var lastSequence: UInt64 = 0
  /// The last turn of that thread that belongs to this history.
  public var lastOrdinal: UInt64 = 0

  public init() {}

  public init(thread: ThreadID = ThreadID(), lastSequence: UInt64 = 0, lastOrdinal: UInt64 = 0) {
    self.thread = thread
    self.lastSequence = lastSequence
    self.lastOrdinal = lastOrdinal
  }
}

/// An item that is streaming.
public struct OpenItem: Equatable, Sendable {
  /// The item, without its text.
  public var item: Item? = nil
  /// Text that is durable so far.
  public var text: String = ""

  public init() {}

  public init(item: Item? = nil, text: String = "") {
    self.item = item
    self.text = text
  }
}

/// Input accepted for the running turn that the model has not received yet.
public struct PendingInput: Equatable, Sendable {
  /// The input.
  public var input: TurnInput? = nil
  /// Id of the item made from it.
  public var item: ItemID = ItemID()

  public init() {}

  public init(input: TurnInput? = nil, item: ItemID = ItemID()) {
    self.input = input
    self.item = item
  }
}

/// The running turn.
public struct RunningTurn: Equatable, Sendable {
  /// The turn.
  public var id: TurnID = TurnID()
  /// Its position among all turns.
  public var ordinal: UInt64 = 0
  /// Time of its start.
  public var startedAt: Int64 = 0
  /// The settings it runs with.
  public var context: TurnContext? = nil
  /// Items that are streaming.
  public var openItems: [OpenItem] = []
  /// Input that the model has not received yet.
  public var pending: [PendingInput] = []
  /// Tokens used so far.
  public var usage: TokenUsage? = nil
  /// The number of its first event.
  public var firstSequence: UInt64 = 0
  /// Tool calls that have no output yet.
  public var openCalls: [ToolCallItem] = []
  /// The last message of the model in this turn; kept for agents only.
  public var answer: String = ""
  /// Cause of its start.
  public var cause: TurnCause = .unspecified
  /// The client's tools at its start, if they have changed since; absent: the thread's current tools.
  public var tools: ToolSelection? = nil

  public init() {}

  public init(id: TurnID = TurnID(), ordinal: UInt64 = 0, startedAt: Int64 = 0, context: TurnContext? = nil, openItems: [OpenItem] = [], pending: [PendingInput] = [], usage: TokenUsage? = nil, firstSequence: UInt64 = 0, openCalls: [ToolCallItem] = [], answer: String = "", cause: TurnCause = .unspecified, tools: ToolSelection? = nil) {
    self.id = id
    self.ordinal = ordinal
    self.startedAt = startedAt
    self.context = context
    self.openItems = openItems
    self.pending = pending
    self.usage = usage
    self.firstSequence = firstSequence
    self.openCalls = openCalls
    self.answer = answer
    self.cause = cause
    self.tools = tools
  }
}

/// State of a spawned agent that its tree needs.
public struct AgentState: Equatable, Sendable {
  /// Whether it was closed.
  public var closed: Bool = false
  /// The beginning of the last task it was given.
  public var lastTask: String = ""
  /// Outcome of its last turn.
  public var lastStatus: TurnStatus = .unspecified
  /// Its answer at the end of its last turn.
  public var lastAnswer: String = ""
  /// Reason for the failure of its last turn.
  public var lastError: String = ""
  /// V1: whether its parent has been notified of its end.
  public var reported: Bool = false
  /// The agent above it whose closing included it; absent: it was closed directly.
  public var closedWith: ThreadID? = nil

  public init() {}

  public init(closed: Bool = false, lastTask: String = "", lastStatus: TurnStatus = .unspecified, lastAnswer: String = "", lastError: String = "", reported: Bool = false, closedWith: ThreadID? = nil) {
    self.closed = closed
    self.lastTask = lastTask
    self.lastStatus = lastStatus
    self.lastAnswer = lastAnswer
    self.lastError = lastError
    self.reported = reported
    self.closedWith = closedWith
  }
}

/// A turn that ended recently.
public struct EndedTurn: Equatable, Sendable {
  /// The turn.
  public var id: TurnID = TurnID()

  public init() {}

  public init(id: TurnID = TurnID()) {
    self.id = id
  }
}

/// Everything that a session needs to continue; its size does not depend on the number of turns. It is the snapshot that
/// loading starts from, and never goes over the wire.
public struct ThreadRecord: Equatable, Sendable {
  /// The thread.
  public var id: ThreadID = ThreadID()
  /// Its origin.
  public var lineage: Lineage? = nil
  /// Its name.
  public var name: String = ""
  /// The beginning of its first user message.
  public var preview: String = ""
  /// Whether it is archived.
  public var archived: Bool = false
  /// Time of creation.
  public var createdAt: Int64 = 0
  /// Time of its last event.
  public var updatedAt: Int64 = 0
  /// The settings for the next turn.
  public var settings: Settings? = nil
  /// Number of the last change.
  public var revision: UInt64 = 0
  /// The pinned version.
  public var version: MultiAgentVersion = .unspecified
  /// Source of the version.
  public var versionSource: VersionSource = .unspecified
  /// Its newest event.
  public var sequence: UInt64 = 0
  /// Number of turns so far, counting rolled-back turns.
  public var lastOrdinal: UInt64 = 0
  /// Ranges of rolled-back turns, in order and not adjacent.
  public var hiddenTurns: [TurnRange] = []
  /// The context of the last turn that still counts; absent: the next turn gives the initial context.
  public var baseline: TurnContext? = nil
  /// The running turn.
  public var running: RunningTurn? = nil
  /// Queued turns.
  public var queue: [QueuedTurn] = []
  /// The event of the last compaction. Context before it is not sent to the model.
  public var contextStart: UInt64 = 0
  /// Tokens used.
  public var usage: TokenUsage? = nil
  /// Shared history, oldest first.
  public var segments: [HistorySegment] = []
  /// Turns that ended recently, the newest last; at most 16.
  public var recentTurns: [EndedTurn] = []
  /// Whether it has a history in which a version could have been stored (rules.md V4).
  public var hasHistory: Bool = false
  /// Tools that its client provides.
  public var tools: [ToolDefinition] = []
  /// Total size of its events, bytes.
  public var eventBytes: UInt64 = 0
  /// Whether the last turn failed for a reason that will not resolve itself.
  public var systemError: Bool = false
  /// The event that pinned the version; 0 if the version came with the record that a fork copied.
  public var versionSequence: UInt64 = 0
  /// Messages that the model has not received yet.
  public var mailbox: [AgentMail] = []
  /// Messages that have not reached their receivers yet.
  public var outbox: [AgentMail] = []
  /// State of a spawned agent.
  public var agent: AgentState? = nil
  /// Whether its model may ask the client's user questions.
  public var asksUser: Bool = false
  /// Tokens of the model's input and output in its last step, which show how full the context is.
  public var contextTokens: UInt64 = 0
  /// Outcome of its last turn.
  public var lastStatus: TurnStatus = .unspecified
  /// Number of changes to the client's tools since the start.
  public var toolChanges: UInt64 = 0

  public init() {}

  public init(id: ThreadID = ThreadID(), lineage: Lineage? = nil, name: String = "", preview: String = "", archived: Bool = false, createdAt: Int64 = 0, updatedAt: Int64 = 0, settings: Settings? = nil, revision: UInt64 = 0, version: MultiAgentVersion = .unspecified, versionSource: VersionSource = .unspecified, sequence: UInt64 = 0, lastOrdinal: UInt64 = 0, hiddenTurns: [TurnRange] = [], baseline: TurnContext? = nil, running: RunningTurn? = nil, queue: [QueuedTurn] = [], contextStart: UInt64 = 0, usage: TokenUsage? = nil, segments: [HistorySegment] = [], recentTurns: [EndedTurn] = [], hasHistory: Bool = false, tools: [ToolDefinition] = [], eventBytes: UInt64 = 0, systemError: Bool = false, versionSequence: UInt64 = 0, mailbox: [AgentMail] = [], outbox: [AgentMail] = [], agent: AgentState? = nil, asksUser: Bool = false, contextTokens: UInt64 = 0, lastStatus: TurnStatus = .unspecified, toolChanges: UInt64 = 0) {
    self.id = id
    self.lineage = lineage
    self.name = name
    self.preview = preview
    self.archived = archived
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.settings = settings
    self.revision = revision
    self.version = version
    self.versionSource = versionSource
    self.sequence = sequence
    self.lastOrdinal = lastOrdinal
    self.hiddenTurns = hiddenTurns
    self.baseline = baseline
    self.running = running
    self.queue = queue
    self.contextStart = contextStart
    self.usage = usage
    self.segments = segments
    self.recentTurns = recentTurns
    self.hasHistory = hasHistory
    self.tools = tools
    self.eventBytes = eventBytes
    self.systemError = systemError
    self.versionSequence = versionSequence
    self.mailbox = mailbox
    self.outbox = outbox
    self.agent = agent
    self.asksUser = asksUser
    self.contextTokens = contextTokens
    self.lastStatus = lastStatus
    self.toolChanges = toolChanges
  }
}

