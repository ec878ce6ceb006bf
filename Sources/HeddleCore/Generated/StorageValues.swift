// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// Turns that were rolled back: all ordinals from `first` to `last`.
public struct TurnRange: Equatable, Sendable {
  /// The first.
  public var first: UInt64 = 0
  /// The last.
  public var last: UInt64 = 0

  public init() {}

  public init(first: UInt64 = 0, last: UInt64 = 0) {
    self.first = first
    self.last = last
  }
}

/// A piece of history that a thread shares with another.
public struct HistorySegment: Equatable, Sendable {
  /// The thread that owns the events.
  public var thread: ThreadID = ThreadID()
  /// The last event of it that belongs here.
  public var lastSequence: UInt64 = 0
  /// The last turn of it that belongs here.
  public var lastOrdinal: UInt64 = 0

  public init() {}

  public init(thread: ThreadID = ThreadID(), lastSequence: UInt64 = 0, lastOrdinal: UInt64 = 0) {
    self.thread = thread
    self.lastSequence = lastSequence
    self.lastOrdinal = lastOrdinal
  }
}

/// An item that streams.
public struct OpenItem: Equatable, Sendable {
  /// The item, without its text.
  public var item: Item? = nil
  /// Text that has been made safe so far.
  public var text: String = ""

  public init() {}

  public init(item: Item? = nil, text: String = "") {
    self.item = item
    self.text = text
  }
}

/// Input that was accepted for the running turn and that the model has not seen.
public struct PendingInput: Equatable, Sendable {
  /// The input.
  public var input: TurnInput? = nil
  /// The item that it becomes.
  public var item: ItemID = ItemID()

  public init() {}

  public init(input: TurnInput? = nil, item: ItemID = ItemID()) {
    self.input = input
    self.item = item
  }
}

/// The turn that runs.
public struct RunningTurn: Equatable, Sendable {
  /// The turn.
  public var id: TurnID = TurnID()
  /// Its place among all turns.
  public var ordinal: UInt64 = 0
  /// When it started.
  public var startedAt: Int64 = 0
  /// What it runs with.
  public var context: TurnContext? = nil
  /// Items that stream.
  public var openItems: [OpenItem] = []
  /// Input that the model has not seen.
  public var pending: [PendingInput] = []
  /// Tokens used so far.
  public var usage: TokenUsage? = nil
  /// The number of its first event.
  public var firstSequence: UInt64 = 0
  /// Tool calls without an output.
  public var openCalls: [ToolCallItem] = []
  /// The last message of the model in this turn; kept for agents only.
  public var answer: String = ""
  /// What made it start.
  public var cause: TurnCause = .unspecified
  /// The client's tools that it began with, where they have been changed since; absent: the thread's.
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

/// What a spawned agent's tree needs to know of it.
public struct AgentState: Equatable, Sendable {
  /// It was closed.
  public var closed: Bool = false
  /// The last task that it was given, its beginning.
  public var lastTask: String = ""
  /// How its last turn ended.
  public var lastStatus: TurnStatus = .unspecified
  /// What it answered at the end of its last turn.
  public var lastAnswer: String = ""
  /// Why its last turn failed.
  public var lastError: String = ""
  /// V1: its parent has been told of its end.
  public var reported: Bool = false
  /// It was closed together with this agent, which is above it; absent: it was closed itself.
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

/// A turn that ended a short while ago.
public struct EndedTurn: Equatable, Sendable {
  /// The turn.
  public var id: TurnID = TurnID()

  public init() {}

  public init(id: TurnID = TurnID()) {
    self.id = id
  }
}

/// Everything a session needs to go on, its size independent of the number of turns. Never on the wire:
/// it is the snapshot that loading starts from.
public struct ThreadRecord: Equatable, Sendable {
  /// The thread.
  public var id: ThreadID = ThreadID()
  /// Where it comes from.
  public var lineage: Lineage? = nil
  /// Its name.
  public var name: String = ""
  /// The beginning of its first user message.
  public var preview: String = ""
  /// It is archived.
  public var archived: Bool = false
  /// When it was created.
  public var createdAt: Int64 = 0
  /// When something last happened to it.
  public var updatedAt: Int64 = 0
  /// The settings for the next turn.
  public var settings: Settings? = nil
  /// Number of the last change.
  public var revision: UInt64 = 0
  /// The pinned version.
  public var version: MultiAgentVersion = .unspecified
  /// Where the version came from.
  public var versionSource: VersionSource = .unspecified
  /// Its newest event.
  public var sequence: UInt64 = 0
  /// Turns so far, rolled-back ones counted.
  public var lastOrdinal: UInt64 = 0
  /// Turns that were rolled back, in order, not touching one another.
  public var hiddenTurns: [TurnRange] = []
  /// What the last turn that counts ran with; absent: the next turn gives the initial context.
  public var baseline: TurnContext? = nil
  /// The running turn.
  public var running: RunningTurn? = nil
  /// Turns that wait.
  public var queue: [QueuedTurn] = []
  /// The last compaction: context before this event is not sent to the model.
  public var contextStart: UInt64 = 0
  /// Tokens used.
  public var usage: TokenUsage? = nil
  /// History that it shares, oldest first.
  public var segments: [HistorySegment] = []
  /// Turns that ended a short while ago, the newest last, 16 at most.
  public var recentTurns: [EndedTurn] = []
  /// It has a history in which a version could have been stored (rules.md V4).
  public var hasHistory: Bool = false
  /// Tools that its client brought.
  public var tools: [ToolDefinition] = []
  /// Bytes of all its events.
  public var eventBytes: UInt64 = 0
  /// The last turn failed for a reason that will not go away by itself.
  public var systemError: Bool = false
  /// The event that pinned the version; 0 when it came along with a fork's copied record.
  public var versionSequence: UInt64 = 0
  /// Messages that the model has not been given.
  public var mailbox: [AgentMail] = []
  /// Messages that have not reached their receivers.
  public var outbox: [AgentMail] = []
  /// Of a spawned agent.
  public var agent: AgentState? = nil
  /// Its model may ask the person at the client.
  public var asksUser: Bool = false
  /// Tokens of the model's input and output in its last step: how full the context is.
  public var contextTokens: UInt64 = 0
  /// How its last turn ended.
  public var lastStatus: TurnStatus = .unspecified
  /// How often the client's tools have been changed since the start.
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

