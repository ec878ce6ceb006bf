// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// Reason for a thread's existence.
public enum ThreadSource: Int32, Sendable, CaseIterable, Hashable {
  /// Not specified.
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

/// Kind of action by one agent on another.
public enum AgentActivityKind: Int32, Sendable, CaseIterable, Hashable {
  /// Not specified.
  case unspecified = 0
  /// Spawned the agent.
  case spawned = 1
  /// Sent the agent a message or a task.
  case messaged = 2
  /// Interrupted the agent's turn.
  case interrupted = 3
  /// Closed the agent.
  case closed = 4
  /// Reopened the agent.
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

/// State of a thread (rules.md T4).
public enum ThreadState: Int32, Sendable, CaseIterable, Hashable {
  /// Not specified.
  case unspecified = 0
  /// Not loaded; only on disk.
  case notLoaded = 1
  /// Idle: no turn is running.
  case idle = 2
  /// Active: a turn is running.
  case active = 3
  /// Its last turn failed for a reason that will not resolve itself.
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

/// Origin of a thread.
public struct Lineage: Equatable, Sendable {
  /// Reason for its existence.
  public var source: ThreadSource = .unspecified
  /// Root of its tree; for a root, its own id.
  public var root: ThreadID = ThreadID()
  /// The agent that spawned it.
  public var parent: ThreadID? = nil
  /// The thread that it was forked from.
  public var forkedFrom: ThreadID? = nil
  /// The last event that it shares with that thread.
  public var forkedAt: UInt64? = nil
  /// 0 for a root; for a spawned agent, its parent's depth + 1.
  public var depth: UInt32 = 0
  /// Its path in the tree, such as `/root/a`.
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

/// The first event of a thread. In a fork, the shared history ends here.
public struct ThreadCreated: Equatable, Sendable {
  /// The thread; a fork's own events begin with this one.
  public var thread: ThreadID = ThreadID()
  /// Its origin.
  public var lineage: Lineage? = nil
  /// Its settings.
  public var settings: Settings? = nil
  /// Time of creation, unix milliseconds; for an import, the original time.
  public var createdAt: Int64 = 0
  /// Its name.
  public var name: String = ""
  /// Tools that its client provides.
  public var tools: [ToolDefinition] = []
  /// True if the thread shares or imports a history, even one without a version.
  public var hasHistory: Bool = false
  /// Whether its model may ask the client's user questions.
  public var asksUser: Bool = false
  /// The context that the model was given in its copied history; absent: the first turn gives the initial context.
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
  /// The client's tools from here on; absent: unchanged (rules.md S6).
  public var tools: ToolSelection? = nil

  public init() {}

  public init(revision: UInt64 = 0, settings: Settings? = nil, tools: ToolSelection? = nil) {
    self.revision = revision
    self.settings = settings
    self.tools = tools
  }
}

/// The version is pinned for the thread's whole life.
public struct VersionPinned: Equatable, Sendable {
  /// The version.
  public var version: MultiAgentVersion = .unspecified
  /// Its source.
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
  /// The root whose archiving included this thread, or the thread itself.
  public var root: ThreadID = ThreadID()

  public init() {}

  public init(root: ThreadID = ThreadID()) {
    self.root = root
  }
}

/// The thread was unarchived.
public struct ThreadUnarchived: Equatable, Sendable {
  /// The root whose unarchiving included this thread, or the thread itself.
  public var root: ThreadID = ThreadID()

  public init() {}

  public init(root: ThreadID = ThreadID()) {
    self.root = root
  }
}

/// A turn was queued.
public struct TurnQueued: Equatable, Sendable {
  /// The turn and its input.
  public var turn: QueuedTurn? = nil

  public init() {}

  public init(turn: QueuedTurn? = nil) {
    self.turn = turn
  }
}

/// A queued turn was cancelled and will not run.
public struct QueuedTurnCancelled: Equatable, Sendable {
  /// The turn.
  public var turn: TurnID = TurnID()

  public init() {}

  public init(turn: TurnID = TurnID()) {
    self.turn = turn
  }
}

/// A turn started.
public struct TurnStarted: Equatable, Sendable {
  /// The turn.
  public var turn: TurnID = TurnID()
  /// Its position among all turns of the thread.
  public var ordinal: UInt64 = 0
  /// The settings it runs with; absent in histories that did not store them.
  public var context: TurnContext? = nil
  /// Cause of its start.
  public var cause: TurnCause = .unspecified

  public init() {}

  public init(turn: TurnID = TurnID(), ordinal: UInt64 = 0, context: TurnContext? = nil, cause: TurnCause = .unspecified) {
    self.turn = turn
    self.ordinal = ordinal
    self.context = context
    self.cause = cause
  }
}

/// Input was accepted for a running turn. An item follows when the model receives it.
public struct InputSteered: Equatable, Sendable {
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

/// An item starts to stream.
public struct ItemStarted: Equatable, Sendable {
  /// The item, without its text.
  public var item: Item? = nil

  public init() {}

  public init(item: Item? = nil) {
    self.item = item
  }
}

/// Streamed text up to here is durable (durability.md D3).
public struct ItemCheckpoint: Equatable, Sendable {
  /// The item.
  public var item: ItemID = ItemID()
  /// Offset of this piece in the item's text, bytes.
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

/// An item is complete, or ended incomplete.
public struct ItemCompleted: Equatable, Sendable {
  /// The item.
  public var item: Item? = nil

  public init() {}

  public init(item: Item? = nil) {
    self.item = item
  }
}

/// A request to the model failed and will be retried.
public struct ModelRetried: Equatable, Sendable {
  /// Number of the failed attempt, from 1.
  public var attempt: UInt32 = 0
  /// The error.
  public var error: TurnError? = nil
  /// Time until the next attempt, milliseconds.
  public var waitMs: UInt32 = 0

  public init() {}

  public init(attempt: UInt32 = 0, error: TurnError? = nil, waitMs: UInt32 = 0) {
    self.attempt = attempt
    self.error = error
    self.waitMs = waitMs
  }
}

/// The model reported its token usage.
public struct UsageReported: Equatable, Sendable {
  /// Tokens of this report.
  public var usage: TokenUsage? = nil
  /// Tokens of the turn so far.
  public var turnUsage: TokenUsage? = nil
  /// Tokens of the thread so far.
  public var threadUsage: TokenUsage? = nil

  public init() {}

  public init(usage: TokenUsage? = nil, turnUsage: TokenUsage? = nil, threadUsage: TokenUsage? = nil) {
    self.usage = usage
    self.turnUsage = turnUsage
    self.threadUsage = threadUsage
  }
}

/// A turn ended. Each turn has exactly one such event (rules.md U5).
public struct TurnEnded: Equatable, Sendable {
  /// The turn.
  public var turn: TurnID = TurnID()
  /// Completed, interrupted or failed.
  public var status: TurnStatus = .unspecified
  /// Reason for its failure.
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

/// Turns were removed from the model's context and from the turn list; the log keeps them.
public struct TurnsRolledBack: Equatable, Sendable {
  /// Number of turns.
  public var count: UInt32 = 0
  /// Ordinal of the first.
  public var firstOrdinal: UInt64 = 0
  /// Ordinal of the last.
  public var lastOrdinal: UInt64 = 0
  /// The context of the last remaining turn; absent: the next turn gives the initial context.
  public var baseline: TurnContext? = nil
  /// The last remaining compaction; 0: none.
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

/// The model's context starts again from here.
public struct ContextCompacted: Equatable, Sendable {
  /// The summary and the messages that replace the context.
  public var compaction: CompactionItem? = nil
  /// The context that the replacement gives the model; absent: the next turn gives the initial context.
  public var baseline: TurnContext? = nil

  public init() {}

  public init(compaction: CompactionItem? = nil, baseline: TurnContext? = nil) {
    self.compaction = compaction
    self.baseline = baseline
  }
}

/// A message from another agent has arrived. An item with its id follows when the model receives it.
public struct MailReceived: Equatable, Sendable {
  /// The message.
  public var mail: AgentMail? = nil
  /// The waiting message of the same agent that this one replaces; the model does not receive the replaced one.
  public var replaces: ItemID? = nil

  public init() {}

  public init(mail: AgentMail? = nil, replaces: ItemID? = nil) {
    self.mail = mail
    self.replaces = replaces
  }
}

/// The agent has a message for another agent. The message stays in this thread until the receiver has stored it.
public struct MailQueued: Equatable, Sendable {
  /// The message.
  public var mail: AgentMail? = nil

  public init() {}

  public init(mail: AgentMail? = nil) {
    self.mail = mail
  }
}

/// The receiver has stored a message that was queued here.
public struct MailDelivered: Equatable, Sendable {
  /// The message.
  public var mail: ItemID = ItemID()

  public init() {}

  public init(mail: ItemID = ItemID()) {
    self.mail = mail
  }
}

/// An agent acted on another agent. For people; never part of a model's input.
public struct AgentActivity: Equatable, Sendable {
  /// The action.
  public var kind: AgentActivityKind = .unspecified
  /// The other agent.
  public var agent: ThreadID = ThreadID()
  /// The other agent's path; for V1, its nickname.
  public var path: String = ""
  /// The tool call that caused it; empty if a client did.
  public var callId: String = ""

  public init() {}

  public init(kind: AgentActivityKind = .unspecified, agent: ThreadID = ThreadID(), path: String = "", callId: String = "") {
    self.kind = kind
    self.agent = agent
    self.path = path
    self.callId = callId
  }
}

/// The agent was closed: it occupies no slot and accepts no messages.
public struct AgentClosed: Equatable, Sendable {
  /// The agent above it whose closing included it; absent: it was closed directly.
  public var with: ThreadID? = nil

  public init() {}

  public init(with: ThreadID? = nil) {
    self.with = with
  }
}

/// The agent was reopened.
public struct AgentReopened: Equatable, Sendable {
  public init() {}
}

/// A line of an imported history that this server does not understand, kept as it was.
public struct ForeignRecord: Equatable, Sendable {
  /// The record.
  public var record: OpaquePart? = nil

  public init() {}

  public init(record: OpaquePart? = nil) {
    self.record = record
  }
}

/// An event of one thread. Events are numbered 1, 2, 3 … without gaps, stored forever and never changed.
public struct Event: Equatable, Sendable {
  /// The kind of event.
  public enum Kind: Equatable, Sendable {
    /// The thread was created.
    indirect case threadCreated(ThreadCreated)
    /// The settings changed.
    case settingsUpdated(SettingsUpdated)
    /// The version was pinned.
    case versionPinned(VersionPinned)
    /// The thread has a new name.
    case nameChanged(NameChanged)
    /// The thread was archived.
    case threadArchived(ThreadArchived)
    /// The thread was unarchived.
    case threadUnarchived(ThreadUnarchived)
    /// A turn was queued.
    indirect case turnQueued(TurnQueued)
    /// A queued turn was cancelled and will not run.
    case queuedTurnCancelled(QueuedTurnCancelled)
    /// A turn started.
    case turnStarted(TurnStarted)
    /// Input was accepted for a running turn.
    case inputSteered(InputSteered)
    /// An item started.
    indirect case itemStarted(ItemStarted)
    /// Streamed text is durable.
    case itemCheckpoint(ItemCheckpoint)
    /// An item is complete.
    indirect case itemCompleted(ItemCompleted)
    /// A request to the model is retried.
    indirect case modelRetried(ModelRetried)
    /// Tokens used.
    indirect case usageReported(UsageReported)
    /// A turn ended.
    indirect case turnEnded(TurnEnded)
    /// Turns were rolled back.
    case turnsRolledBack(TurnsRolledBack)
    /// The context was compacted.
    case contextCompacted(ContextCompacted)
    /// A line kept from an import.
    case foreignRecord(ForeignRecord)
    /// A message from another agent arrived.
    indirect case mailReceived(MailReceived)
    /// A message for another agent was queued.
    indirect case mailQueued(MailQueued)
    /// A message reached its receiver.
    case mailDelivered(MailDelivered)
    /// An agent acted on another agent.
    indirect case agentActivity(AgentActivity)
    /// The agent was closed.
    case agentClosed(AgentClosed)
    /// The agent was reopened.
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
  /// Time, unix milliseconds. For information only: the number defines the order (durability.md D10).
  public var at: Int64 = 0
  /// The next event belongs to the same mutation.
  public var more: Bool = false
  /// The turn that it belongs to.
  public var turn: TurnID? = nil
  /// The kind of event.
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

/// Status of a thread.
public struct ThreadStatus: Equatable, Sendable {
  /// Its state.
  public var state: ThreadState = .unspecified
  /// True if a turn is waiting for a client's tool.
  public var waitingOnTool: Bool = false
  /// True if a turn is waiting for a user's answer.
  public var waitingOnUser: Bool = false

  public init() {}

  public init(state: ThreadState = .unspecified, waitingOnTool: Bool = false, waitingOnUser: Bool = false) {
    self.state = state
    self.waitingOnTool = waitingOnTool
    self.waitingOnUser = waitingOnUser
  }
}

/// Streamed text; not numbered, not durable, and several deltas may be merged.
public struct ItemDelta: Equatable, Sendable {
  /// The turn.
  public var turn: TurnID = TurnID()
  /// The item.
  public var item: ItemID = ItemID()
  /// Offset of this piece in the item's text, bytes.
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

/// The text of an unfinished item so far; deltas continue from its end.
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

/// The first message of a subscription.
public struct Subscribed: Equatable, Sendable {
  /// The newest event.
  public var head: UInt64 = 0
  /// The oldest event that is available.
  public var oldest: UInt64 = 0
  /// The epoch of the event numbers.
  public var epoch: UInt64 = 0

  public init() {}

  public init(head: UInt64 = 0, oldest: UInt64 = 0, epoch: UInt64 = 0) {
    self.head = head
    self.oldest = oldest
    self.epoch = epoch
  }
}

/// All stored events have been sent; live events follow.
public struct Live: Equatable, Sendable {
  /// The last event sent.
  public var sequence: UInt64 = 0

  public init() {}

  public init(sequence: UInt64 = 0) {
    self.sequence = sequence
  }
}

/// There is nothing new: all events up to here have been sent.
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
  /// Its current status.
  public var status: ThreadStatus? = nil

  public init() {}

  public init(thread: ThreadID = ThreadID(), status: ThreadStatus? = nil) {
    self.thread = thread
    self.status = status
  }
}

/// A thread was created.
public struct ThreadStartedNotice: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// Its origin.
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

/// A thread was archived or unarchived.
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
  /// The kind of message.
  public enum Kind: Equatable, Sendable {
    /// The first message.
    case subscribed(Subscribed)
    /// A numbered event.
    indirect case event(Event)
    /// Streamed text.
    indirect case delta(ItemDelta)
    /// The text so far of an unfinished item.
    indirect case snapshot(ItemSnapshot)
    /// All stored events have been sent.
    case live(Live)
    /// There is nothing new.
    case progress(Progress)
    /// The status changed.
    case status(StatusChanged)
    /// A thread was created.
    indirect case threadStarted(ThreadStartedNotice)
    /// A thread was deleted.
    case threadDeleted(ThreadDeletedNotice)
    /// A thread was archived or unarchived.
    case threadArchive(ThreadArchiveNotice)
    /// A thread has a new name.
    case threadName(ThreadNameNotice)
    /// A call waits for an answer (`SubscribeRequest.answers`); not numbered.
    indirect case call(OpenCall)
    /// A call that was sent on this stream waits no more; not numbered.
    indirect case callEnded(CallEnded)

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
      case .call: 13
      case .callEnded: 14
      }
    }
  }

  /// The kind of message.
  public var kind: Kind? = nil
  /// The agent that this message is about, on a stream that follows a tree, or that answers calls of the agents below its
  /// thread. Absent: the thread that the stream follows.
  public var thread: ThreadID? = nil

  public init() {}

  public init(kind: Kind? = nil, thread: ThreadID? = nil) {
    self.kind = kind
    self.thread = thread
  }
}

