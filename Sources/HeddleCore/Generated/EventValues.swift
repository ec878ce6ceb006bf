// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// Why a thread exists.
public enum ThreadSource: Int32, Sendable, CaseIterable, Hashable {
  /// Not said.
  case unspecified = 0
  /// A client started it.
  case client = 1
  /// A client forked it.
  case fork = 2
  /// An agent spawned it.
  case agent = 3
  /// It was imported.
  case `import` = 4

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .client: "CLIENT"
    case .fork: "FORK"
    case .agent: "AGENT"
    case .import: "IMPORT"
    }
  }
}

/// What an agent did with another one.
public enum AgentActivityKind: Int32, Sendable, CaseIterable, Hashable {
  /// Not said.
  case unspecified = 0
  /// Started it.
  case spawned = 1
  /// Sent it a message or a task.
  case messaged = 2
  /// Interrupted its turn.
  case interrupted = 3
  /// Closed it.
  case closed = 4
  /// Opened it again.
  case resumed = 5

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .spawned: "SPAWNED"
    case .messaged: "MESSAGED"
    case .interrupted: "INTERRUPTED"
    case .closed: "CLOSED"
    case .resumed: "RESUMED"
    }
  }
}

/// What a thread does (rules.md T4).
public enum ThreadState: Int32, Sendable, CaseIterable, Hashable {
  /// Not said.
  case unspecified = 0
  /// On disk only.
  case notLoaded = 1
  /// Waits for a turn.
  case idle = 2
  /// Runs a turn.
  case active = 3
  /// Its last turn failed for a reason that will not go away by itself.
  case systemError = 4

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .notLoaded: "NOT_LOADED"
    case .idle: "IDLE"
    case .active: "ACTIVE"
    case .systemError: "SYSTEM_ERROR"
    }
  }
}

/// Where a thread comes from.
public struct Lineage: Equatable, Sendable {
  /// Why it exists.
  public var source: ThreadSource = .unspecified
  /// Root of its tree; its own id for a root.
  public var root: ThreadID = ThreadID()
  /// The agent that spawned it.
  public var parent: ThreadID? = nil
  /// The thread that it was forked from.
  public var forkedFrom: ThreadID? = nil
  /// The last event that it shares with the thread it was forked from.
  public var forkedAt: UInt64? = nil
  /// 0 for a root, its parent's + 1 for a spawned agent.
  public var depth: UInt32 = 0
  /// Its name in its tree: `/root/a`.
  public var agentPath: String = ""
  /// A name for people.
  public var agentNickname: String = ""
  /// Its role.
  public var agentRole: String = ""
  /// The program that wrote an imported history.
  public var origin: String = ""

  public init() {}

  public init(source: ThreadSource = .unspecified, root: ThreadID = ThreadID(), parent: ThreadID? = nil, forkedFrom: ThreadID? = nil, forkedAt: UInt64? = nil, depth: UInt32 = 0, agentPath: String = "", agentNickname: String = "", agentRole: String = "", origin: String = "") {
    self.source = source
    self.root = root
    self.parent = parent
    self.forkedFrom = forkedFrom
    self.forkedAt = forkedAt
    self.depth = depth
    self.agentPath = agentPath
    self.agentNickname = agentNickname
    self.agentRole = agentRole
    self.origin = origin
  }
}

/// The thread begins. In a fork: what it shares ends here.
public struct ThreadCreated: Equatable, Sendable {
  /// The thread; a fork's events begin with this one.
  public var thread: ThreadID = ThreadID()
  /// Where it comes from.
  public var lineage: Lineage? = nil
  /// Its settings.
  public var settings: Settings? = nil
  /// When it was created, unix milliseconds; for an import, the time of its origin.
  public var createdAt: Int64 = 0
  /// Its name.
  public var name: String = ""
  /// Tools that its client brings.
  public var tools: [ToolDefinition] = []
  /// Names a history that the thread shares, or brings along, although no version may be in it.
  public var hasHistory: Bool = false
  /// Its model may ask the person at the client.
  public var asksUser: Bool = false
  /// What its copied history was told; absent: the first turn gives the initial context.
  public var baseline: TurnContext? = nil

  public init() {}

  public init(thread: ThreadID = ThreadID(), lineage: Lineage? = nil, settings: Settings? = nil, createdAt: Int64 = 0, name: String = "", tools: [ToolDefinition] = [], hasHistory: Bool = false, asksUser: Bool = false, baseline: TurnContext? = nil) {
    self.thread = thread
    self.lineage = lineage
    self.settings = settings
    self.createdAt = createdAt
    self.name = name
    self.tools = tools
    self.hasHistory = hasHistory
    self.asksUser = asksUser
    self.baseline = baseline
  }
}

/// The settings changed.
public struct SettingsUpdated: Equatable, Sendable {
  /// Number of this change.
  public var revision: UInt64 = 0
  /// The settings from here on.
  public var settings: Settings? = nil
  /// The client's tools from here on; absent: they stay (rules.md S6).
  public var tools: ToolSelection? = nil

  public init() {}

  public init(revision: UInt64 = 0, settings: Settings? = nil, tools: ToolSelection? = nil) {
    self.revision = revision
    self.settings = settings
    self.tools = tools
  }
}

/// The version is pinned, for life.
public struct VersionPinned: Equatable, Sendable {
  /// The version.
  public var version: MultiAgentVersion = .unspecified
  /// Where it came from.
  public var source: VersionSource = .unspecified

  public init() {}

  public init(version: MultiAgentVersion = .unspecified, source: VersionSource = .unspecified) {
    self.version = version
    self.source = source
  }
}

/// The thread has a new name.
public struct NameChanged: Equatable, Sendable {
  /// The name; empty: none.
  public var name: String = ""

  public init() {}

  public init(name: String = "") {
    self.name = name
  }
}

/// The thread was archived.
public struct ThreadArchived: Equatable, Sendable {
  /// The root whose archiving took this thread along, or the thread itself.
  public var root: ThreadID = ThreadID()

  public init() {}

  public init(root: ThreadID = ThreadID()) {
    self.root = root
  }
}

/// The thread came back from the archive.
public struct ThreadUnarchived: Equatable, Sendable {
  /// The root whose return took this thread along, or the thread itself.
  public var root: ThreadID = ThreadID()

  public init() {}

  public init(root: ThreadID = ThreadID()) {
    self.root = root
  }
}

/// A turn waits.
public struct TurnQueued: Equatable, Sendable {
  /// The turn and its input.
  public var turn: QueuedTurn? = nil

  public init() {}

  public init(turn: QueuedTurn? = nil) {
    self.turn = turn
  }
}

/// A waiting turn will not run.
public struct QueuedTurnCancelled: Equatable, Sendable {
  /// The turn.
  public var turn: TurnID = TurnID()

  public init() {}

  public init(turn: TurnID = TurnID()) {
    self.turn = turn
  }
}

/// A turn starts.
public struct TurnStarted: Equatable, Sendable {
  /// The turn.
  public var turn: TurnID = TurnID()
  /// Its place among all turns of the thread.
  public var ordinal: UInt64 = 0
  /// What it runs with; absent in histories that did not store it.
  public var context: TurnContext? = nil
  /// What made it start.
  public var cause: TurnCause = .unspecified

  public init() {}

  public init(turn: TurnID = TurnID(), ordinal: UInt64 = 0, context: TurnContext? = nil, cause: TurnCause = .unspecified) {
    self.turn = turn
    self.ordinal = ordinal
    self.context = context
    self.cause = cause
  }
}

/// Input was accepted for a running turn; an item follows when the model gets it.
public struct InputSteered: Equatable, Sendable {
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

/// An item begins to stream.
public struct ItemStarted: Equatable, Sendable {
  /// The item, without its text.
  public var item: Item? = nil

  public init() {}

  public init(item: Item? = nil) {
    self.item = item
  }
}

/// Streamed text up to here is safe (durability.md D3).
public struct ItemCheckpoint: Equatable, Sendable {
  /// The item.
  public var item: ItemID = ItemID()
  /// Bytes of the item's text before this piece.
  public var offset: UInt64 = 0
  /// The piece.
  public var text: String = ""

  public init() {}

  public init(item: ItemID = ItemID(), offset: UInt64 = 0, text: String = "") {
    self.item = item
    self.offset = offset
    self.text = text
  }
}

/// An item is whole, or as whole as it will be.
public struct ItemCompleted: Equatable, Sendable {
  /// The item.
  public var item: Item? = nil

  public init() {}

  public init(item: Item? = nil) {
    self.item = item
  }
}

/// A request to the model failed and is tried again.
public struct ModelRetried: Equatable, Sendable {
  /// Which try failed, from 1.
  public var attempt: UInt32 = 0
  /// Why.
  public var error: TurnError? = nil
  /// How long the server waits before the next, milliseconds.
  public var waitMs: UInt32 = 0

  public init() {}

  public init(attempt: UInt32 = 0, error: TurnError? = nil, waitMs: UInt32 = 0) {
    self.attempt = attempt
    self.error = error
    self.waitMs = waitMs
  }
}

/// The model reported what it used.
public struct UsageReported: Equatable, Sendable {
  /// This report.
  public var usage: TokenUsage? = nil
  /// The turn so far.
  public var turnUsage: TokenUsage? = nil
  /// The thread so far.
  public var threadUsage: TokenUsage? = nil

  public init() {}

  public init(usage: TokenUsage? = nil, turnUsage: TokenUsage? = nil, threadUsage: TokenUsage? = nil) {
    self.usage = usage
    self.turnUsage = turnUsage
    self.threadUsage = threadUsage
  }
}

/// A turn ended: the one terminal event (rules.md U5).
public struct TurnEnded: Equatable, Sendable {
  /// The turn.
  public var turn: TurnID = TurnID()
  /// Completed, interrupted or failed.
  public var status: TurnStatus = .unspecified
  /// Why it failed.
  public var error: TurnError? = nil
  /// Tokens used.
  public var usage: TokenUsage? = nil

  public init() {}

  public init(turn: TurnID = TurnID(), status: TurnStatus = .unspecified, error: TurnError? = nil, usage: TokenUsage? = nil) {
    self.turn = turn
    self.status = status
    self.error = error
    self.usage = usage
  }
}

/// Turns left the model's context and the turn list; the log keeps them.
public struct TurnsRolledBack: Equatable, Sendable {
  /// How many.
  public var count: UInt32 = 0
  /// The first of them.
  public var firstOrdinal: UInt64 = 0
  /// The last of them.
  public var lastOrdinal: UInt64 = 0
  /// What the last turn that stays ran with; absent: the next turn gives the initial context.
  public var baseline: TurnContext? = nil
  /// The last compaction that stays; 0: none.
  public var contextStart: UInt64 = 0

  public init() {}

  public init(count: UInt32 = 0, firstOrdinal: UInt64 = 0, lastOrdinal: UInt64 = 0, baseline: TurnContext? = nil, contextStart: UInt64 = 0) {
    self.count = count
    self.firstOrdinal = firstOrdinal
    self.lastOrdinal = lastOrdinal
    self.baseline = baseline
    self.contextStart = contextStart
  }
}

/// The model's context starts anew from here.
public struct ContextCompacted: Equatable, Sendable {
  /// The summary and what replaces the context.
  public var compaction: CompactionItem? = nil
  /// What the model has been told in what replaces the context; absent: the next turn gives the initial context.
  public var baseline: TurnContext? = nil

  public init() {}

  public init(compaction: CompactionItem? = nil, baseline: TurnContext? = nil) {
    self.compaction = compaction
    self.baseline = baseline
  }
}

/// A message of another agent has arrived; an item with its id follows when the model gets it.
public struct MailReceived: Equatable, Sendable {
  /// The message.
  public var mail: AgentMail? = nil
  /// The message of the same agent that waited here and whose place it takes: the model is not given that one.
  public var replaces: ItemID? = nil

  public init() {}

  public init(mail: AgentMail? = nil, replaces: ItemID? = nil) {
    self.mail = mail
    self.replaces = replaces
  }
}

/// The agent has something for another one; it stays here until that one has it.
public struct MailQueued: Equatable, Sendable {
  /// The message.
  public var mail: AgentMail? = nil

  public init() {}

  public init(mail: AgentMail? = nil) {
    self.mail = mail
  }
}

/// A message that waited here is stored with its receiver.
public struct MailDelivered: Equatable, Sendable {
  /// The message.
  public var mail: ItemID = ItemID()

  public init() {}

  public init(mail: ItemID = ItemID()) {
    self.mail = mail
  }
}

/// An agent did something with another one; for people, never in a model's input.
public struct AgentActivity: Equatable, Sendable {
  /// What it did.
  public var kind: AgentActivityKind = .unspecified
  /// The other agent.
  public var agent: ThreadID = ThreadID()
  /// Its path, for V1 its nickname.
  public var path: String = ""
  /// The tool call that did it; empty when a client did.
  public var callId: String = ""

  public init() {}

  public init(kind: AgentActivityKind = .unspecified, agent: ThreadID = ThreadID(), path: String = "", callId: String = "") {
    self.kind = kind
    self.agent = agent
    self.path = path
    self.callId = callId
  }
}

/// The agent was closed: it takes no slot and no messages.
public struct AgentClosed: Equatable, Sendable {
  /// The agent above it that was closed and took it along; absent: it was closed itself.
  public var with: ThreadID? = nil

  public init() {}

  public init(with: ThreadID? = nil) {
    self.with = with
  }
}

/// The agent was opened again.
public struct AgentReopened: Equatable, Sendable {
  public init() {}
}

/// A line of an imported history that means nothing to this server, kept as it was.
public struct ForeignRecord: Equatable, Sendable {
  /// The record.
  public var record: OpaquePart? = nil

  public init() {}

  public init(record: OpaquePart? = nil) {
    self.record = record
  }
}

/// What happened to one thread. Numbered 1, 2, 3 … without gaps, stored for ever, never changed.
public struct Event: Equatable, Sendable {
  /// What happened.
  public enum Kind: Equatable, Sendable {
    /// The thread begins.
    indirect case threadCreated(ThreadCreated)
    /// The settings changed.
    case settingsUpdated(SettingsUpdated)
    /// The version is pinned.
    case versionPinned(VersionPinned)
    /// The thread has a new name.
    case nameChanged(NameChanged)
    /// The thread was archived.
    case threadArchived(ThreadArchived)
    /// The thread came back from the archive.
    case threadUnarchived(ThreadUnarchived)
    /// A turn waits.
    indirect case turnQueued(TurnQueued)
    /// A waiting turn will not run.
    case queuedTurnCancelled(QueuedTurnCancelled)
    /// A turn starts.
    case turnStarted(TurnStarted)
    /// Input for a running turn was accepted.
    case inputSteered(InputSteered)
    /// An item begins.
    indirect case itemStarted(ItemStarted)
    /// Streamed text is safe.
    case itemCheckpoint(ItemCheckpoint)
    /// An item is whole.
    indirect case itemCompleted(ItemCompleted)
    /// The model is asked again.
    indirect case modelRetried(ModelRetried)
    /// Tokens used.
    indirect case usageReported(UsageReported)
    /// A turn ended.
    indirect case turnEnded(TurnEnded)
    /// Turns were rolled back.
    case turnsRolledBack(TurnsRolledBack)
    /// The context starts anew.
    case contextCompacted(ContextCompacted)
    /// Kept from an import.
    case foreignRecord(ForeignRecord)
    /// A message of another agent.
    indirect case mailReceived(MailReceived)
    /// A message for another agent.
    indirect case mailQueued(MailQueued)
    /// A message reached its receiver.
    case mailDelivered(MailDelivered)
    /// Something was done with another agent.
    indirect case agentActivity(AgentActivity)
    /// The agent was closed.
    case agentClosed(AgentClosed)
    /// The agent was opened again.
    case agentReopened(AgentReopened)

    /// The member's field number.
    public var number: UInt8 {
      switch self {
      case .threadCreated: 10
      case .settingsUpdated: 11
      case .versionPinned: 12
      case .nameChanged: 13
      case .threadArchived: 14
      case .threadUnarchived: 15
      case .turnQueued: 16
      case .queuedTurnCancelled: 17
      case .turnStarted: 18
      case .inputSteered: 19
      case .itemStarted: 20
      case .itemCheckpoint: 21
      case .itemCompleted: 22
      case .modelRetried: 23
      case .usageReported: 24
      case .turnEnded: 25
      case .turnsRolledBack: 26
      case .contextCompacted: 27
      case .foreignRecord: 28
      case .mailReceived: 29
      case .mailQueued: 30
      case .mailDelivered: 31
      case .agentActivity: 32
      case .agentClosed: 33
      case .agentReopened: 34
      }
    }
  }

  /// Its number.
  public var sequence: UInt64 = 0
  /// When, unix milliseconds. A label: order comes from the number (durability.md D10).
  public var at: Int64 = 0
  /// The next event belongs to the same mutation.
  public var more: Bool = false
  /// The turn that it belongs to.
  public var turn: TurnID? = nil
  /// What happened.
  public var kind: Kind? = nil

  public init() {}

  public init(sequence: UInt64 = 0, at: Int64 = 0, more: Bool = false, turn: TurnID? = nil, kind: Kind? = nil) {
    self.sequence = sequence
    self.at = at
    self.more = more
    self.turn = turn
    self.kind = kind
  }
}

/// What a thread does, and what it waits for.
public struct ThreadStatus: Equatable, Sendable {
  /// What it does.
  public var state: ThreadState = .unspecified
  /// A turn waits for a tool of a client.
  public var waitingOnTool: Bool = false
  /// A turn waits for a person.
  public var waitingOnUser: Bool = false

  public init() {}

  public init(state: ThreadState = .unspecified, waitingOnTool: Bool = false, waitingOnUser: Bool = false) {
    self.state = state
    self.waitingOnTool = waitingOnTool
    self.waitingOnUser = waitingOnUser
  }
}

/// Streamed text; not numbered, not durable, may be merged.
public struct ItemDelta: Equatable, Sendable {
  /// The turn.
  public var turn: TurnID = TurnID()
  /// The item.
  public var item: ItemID = ItemID()
  /// Bytes of the item's text before this piece.
  public var offset: UInt64 = 0
  /// The piece.
  public var text: String = ""

  public init() {}

  public init(turn: TurnID = TurnID(), item: ItemID = ItemID(), offset: UInt64 = 0, text: String = "") {
    self.turn = turn
    self.item = item
    self.offset = offset
    self.text = text
  }
}

/// The text of an unfinished item so far; deltas go on from its end.
public struct ItemSnapshot: Equatable, Sendable {
  /// The turn.
  public var turn: TurnID = TurnID()
  /// The item.
  public var item: ItemID = ItemID()
  /// The text.
  public var text: String = ""

  public init() {}

  public init(turn: TurnID = TurnID(), item: ItemID = ItemID(), text: String = "") {
    self.turn = turn
    self.item = item
    self.text = text
  }
}

/// First message of a subscription.
public struct Subscribed: Equatable, Sendable {
  /// The newest event.
  public var head: UInt64 = 0
  /// The oldest event that can be had.
  public var oldest: UInt64 = 0
  /// The numbering that `head` belongs to.
  public var epoch: UInt64 = 0

  public init() {}

  public init(head: UInt64 = 0, oldest: UInt64 = 0, epoch: UInt64 = 0) {
    self.head = head
    self.oldest = oldest
    self.epoch = epoch
  }
}

/// What was stored has been sent; what happens comes from here on.
public struct Live: Equatable, Sendable {
  /// The last event sent.
  public var sequence: UInt64 = 0

  public init() {}

  public init(sequence: UInt64 = 0) {
    self.sequence = sequence
  }
}

/// Nothing new: all events up to here have been sent.
public struct Progress: Equatable, Sendable {
  /// The last event sent.
  public var sequence: UInt64 = 0

  public init() {}

  public init(sequence: UInt64 = 0) {
    self.sequence = sequence
  }
}

/// The thread's status changed.
public struct StatusChanged: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// What it does now.
  public var status: ThreadStatus? = nil

  public init() {}

  public init(thread: ThreadID = ThreadID(), status: ThreadStatus? = nil) {
    self.thread = thread
    self.status = status
  }
}

/// A thread exists.
public struct ThreadStartedNotice: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// Where it comes from.
  public var lineage: Lineage? = nil

  public init() {}

  public init(thread: ThreadID = ThreadID(), lineage: Lineage? = nil) {
    self.thread = thread
    self.lineage = lineage
  }
}

/// A thread was deleted.
public struct ThreadDeletedNotice: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()

  public init() {}

  public init(thread: ThreadID = ThreadID()) {
    self.thread = thread
  }
}

/// A thread was archived or came back.
public struct ThreadArchiveNotice: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// Whether it is archived now.
  public var archived: Bool = false

  public init() {}

  public init(thread: ThreadID = ThreadID(), archived: Bool = false) {
    self.thread = thread
    self.archived = archived
  }
}

/// A thread has a new name.
public struct ThreadNameNotice: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// Its name.
  public var name: String = ""

  public init() {}

  public init(thread: ThreadID = ThreadID(), name: String = "") {
    self.thread = thread
    self.name = name
  }
}

/// One message of a subscription, or of stream 0.
public struct SubscriptionEvent: Equatable, Sendable {
  /// What it is.
  public enum Kind: Equatable, Sendable {
    /// First message.
    case subscribed(Subscribed)
    /// A numbered event.
    indirect case event(Event)
    /// Streamed text.
    indirect case delta(ItemDelta)
    /// Text so far of an unfinished item.
    indirect case snapshot(ItemSnapshot)
    /// All stored events have been sent.
    case live(Live)
    /// Nothing new.
    case progress(Progress)
    /// The status changed.
    case status(StatusChanged)
    /// A thread exists.
    indirect case threadStarted(ThreadStartedNotice)
    /// A thread was deleted.
    case threadDeleted(ThreadDeletedNotice)
    /// A thread was archived or came back.
    case threadArchive(ThreadArchiveNotice)
    /// A thread has a new name.
    case threadName(ThreadNameNotice)

    /// The member's field number.
    public var number: UInt8 {
      switch self {
      case .subscribed: 1
      case .event: 2
      case .delta: 3
      case .snapshot: 4
      case .live: 5
      case .progress: 6
      case .status: 7
      case .threadStarted: 8
      case .threadDeleted: 9
      case .threadArchive: 10
      case .threadName: 11
      }
    }
  }

  /// What it is.
  public var kind: Kind? = nil
  /// On a stream that follows a tree: the agent that this is about. Absent: the thread that the stream follows.
  public var thread: ThreadID? = nil

  public init() {}

  public init(kind: Kind? = nil, thread: ThreadID? = nil) {
    self.kind = kind
    self.thread = thread
  }
}

