// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// State of a turn.
public enum TurnStatus: Int32, Sendable, CaseIterable, Hashable {
  /// Not specified.
  case unspecified = 0
  /// Waiting for an earlier turn.
  case queued = 1
  /// Running.
  case running = 2
  /// Completed normally.
  case completed = 3
  /// Interrupted by a client, by a stop of the server, or by a fork in the middle of the turn.
  case interrupted = 4
  /// Failed with an error.
  case failed = 5

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .queued: "QUEUED"
    case .running: "RUNNING"
    case .completed: "COMPLETED"
    case .interrupted: "INTERRUPTED"
    case .failed: "FAILED"
    }
  }
}

/// Cause of the start of a turn.
public enum TurnCause: Int32, Sendable, CaseIterable, Hashable {
  /// Input from a client, or from an agent that sends input like a client (V1).
  case unspecified = 0
  /// A message from another agent.
  case mail = 1
  /// A client's request to compact the context.
  case compaction = 2

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .mail: "MAIL"
    case .compaction: "COMPACTION"
    }
  }
}

/// Handling of a new turn while another turn is running (rules.md U1).
public enum WhenBusy: Int32, Sendable, CaseIterable, Hashable {
  /// The default: queue the turn.
  case unspecified = 0
  /// Queue the turn.
  case queue = 1
  /// Refuse the turn with `turn_in_progress`.
  case refuse = 2
  /// Add its input to the running turn.
  case steer = 3

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .queue: "QUEUE"
    case .refuse: "REFUSE"
    case .steer: "STEER"
    }
  }
}

/// Tokens used.
public struct TokenUsage: Equatable, Sendable {
  /// Tokens of the model's input.
  public var inputTokens: UInt64 = 0
  /// Part of the input tokens that the provider had cached.
  public var cachedInputTokens: UInt64 = 0
  /// Tokens of the model's output.
  public var outputTokens: UInt64 = 0
  /// Part of the output tokens that were reasoning.
  public var reasoningOutputTokens: UInt64 = 0

  public init() {}

  public init(inputTokens: UInt64 = 0, cachedInputTokens: UInt64 = 0, outputTokens: UInt64 = 0, reasoningOutputTokens: UInt64 = 0) {
    self.inputTokens = inputTokens
    self.cachedInputTokens = cachedInputTokens
    self.outputTokens = outputTokens
    self.reasoningOutputTokens = reasoningOutputTokens
  }
}

/// Reason for the failure of a turn.
public struct TurnError: Equatable, Sendable {
  /// Stable lower-case name: `model_timeout`, `model_failed`, `model_unauthorized`, `model_rate_limited`,
  /// `model_output_invalid`, `model_output_too_large`, `model_provider_missing`, `context_window_exceeded`,
  /// `too_many_steps`, `turn_timeout`, `quota`, `ephemeral_full`, `read_failed`, `data_loss`.
  public var reason: String = ""
  /// Text for people: the cause and the remedy.
  public var message: String = ""

  public init() {}

  public init(reason: String = "", message: String = "") {
    self.reason = reason
    self.message = message
  }
}

/// The complete settings of one turn; the next turn compares its own with this baseline (rules.md M7).
public struct TurnContext: Equatable, Sendable {
  /// What the message holds. To change several fields, change a copy of this and make a message of it.
  public struct Fields: Equatable, Sendable {
    /// The settings.
    public var settings: Settings? = nil
    /// Their revision.
    public var revision: UInt64 = 0
    /// The pinned version; absent in histories older than versions.
    public var version: MultiAgentVersion = .unspecified
    /// The mode that the model was told; absent: not applicable.
    public var effectiveMode: MultiAgentMode? = nil
    /// JSON schema that the answer of this turn must match; for this turn only.
    public var outputSchema: String? = nil
    /// Number of changes to the client's tools before the turn started.
    public var toolChanges: UInt64 = 0

    public init() {}
  }

  @usableFromInline
  final class Box: Sendable {
    @usableFromInline let fields: Fields
    @inlinable init(_ fields: consuming Fields) { self.fields = fields }
  }

  @usableFromInline var box: Box
  private static let none = Box(Fields())

  @inlinable public var fields: Fields {
    get { box.fields }
    set { box = Box(newValue) }
  }

  public init() { box = Self.none }

  @inlinable public init(fields: consuming Fields) { box = Box(fields) }

  public init(settings: Settings? = nil, revision: UInt64 = 0, version: MultiAgentVersion = .unspecified, effectiveMode: MultiAgentMode? = nil, outputSchema: String? = nil, toolChanges: UInt64 = 0) {
    var fields = Fields()
    fields.settings = settings
    fields.revision = revision
    fields.version = version
    fields.effectiveMode = effectiveMode
    fields.outputSchema = outputSchema
    fields.toolChanges = toolChanges
    box = Box(fields)
  }

  public static func == (a: Self, b: Self) -> Bool { a.box === b.box || a.box.fields == b.box.fields }

  /// The settings.
  @inlinable public var settings: Settings? {
    get { box.fields.settings }
    set { fields.settings = newValue }
  }

  /// Their revision.
  @inlinable public var revision: UInt64 {
    get { box.fields.revision }
    set { fields.revision = newValue }
  }

  /// The pinned version; absent in histories older than versions.
  @inlinable public var version: MultiAgentVersion {
    get { box.fields.version }
    set { fields.version = newValue }
  }

  /// The mode that the model was told; absent: not applicable.
  @inlinable public var effectiveMode: MultiAgentMode? {
    get { box.fields.effectiveMode }
    set { fields.effectiveMode = newValue }
  }

  /// JSON schema that the answer of this turn must match; for this turn only.
  @inlinable public var outputSchema: String? {
    get { box.fields.outputSchema }
    set { fields.outputSchema = newValue }
  }

  /// Number of changes to the client's tools before the turn started.
  @inlinable public var toolChanges: UInt64 {
    get { box.fields.toolChanges }
    set { fields.toolChanges = newValue }
  }
}

/// Input from a client to a turn.
public struct TurnInput: Equatable, Sendable {
  /// Text and images.
  public var content: [ContentPart] = []
  /// The client's own id for this input; returned with the user message.
  public var clientId: String = ""

  public init() {}

  public init(content: [ContentPart] = [], clientId: String = "") {
    self.content = content
    self.clientId = clientId
  }
}

/// One turn.
public struct Turn: Equatable, Sendable {
  /// Id of the turn.
  public var id: TurnID = TurnID()
  /// Its state.
  public var status: TurnStatus = .unspecified
  /// Its position among all turns of the thread, from 1, counting rolled-back turns.
  public var ordinal: UInt64 = 0
  /// When it started, unix milliseconds.
  public var startedAt: Int64 = 0
  /// When it ended.
  public var endedAt: Int64? = nil
  /// Tokens used.
  public var usage: TokenUsage? = nil
  /// Reason for its failure.
  public var error: TurnError? = nil
  /// The settings it ran with; absent in histories that did not store them.
  public var context: TurnContext? = nil
  /// Its first event.
  public var firstSequence: UInt64 = 0
  /// Its last event so far.
  public var lastSequence: UInt64 = 0
  /// Cause of its start.
  public var cause: TurnCause = .unspecified

  public init() {}

  public init(id: TurnID = TurnID(), status: TurnStatus = .unspecified, ordinal: UInt64 = 0, startedAt: Int64 = 0, endedAt: Int64? = nil, usage: TokenUsage? = nil, error: TurnError? = nil, context: TurnContext? = nil, firstSequence: UInt64 = 0, lastSequence: UInt64 = 0, cause: TurnCause = .unspecified) {
    self.id = id
    self.status = status
    self.ordinal = ordinal
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.usage = usage
    self.error = error
    self.context = context
    self.firstSequence = firstSequence
    self.lastSequence = lastSequence
    self.cause = cause
  }
}

/// A turn waiting in the queue.
public struct QueuedTurn: Equatable, Sendable {
  /// Id of the turn.
  public var id: TurnID = TurnID()
  /// Its input.
  public var input: TurnInput? = nil
  /// Settings that come with it.
  public var settings: SettingsChange? = nil
  /// When it was queued, unix milliseconds.
  public var queuedAt: Int64 = 0
  /// JSON schema that its answer must match.
  public var outputSchema: String? = nil

  public init() {}

  public init(id: TurnID = TurnID(), input: TurnInput? = nil, settings: SettingsChange? = nil, queuedAt: Int64 = 0, outputSchema: String? = nil) {
    self.id = id
    self.input = input
    self.settings = settings
    self.queuedAt = queuedAt
    self.outputSchema = outputSchema
  }
}

/// Starts a turn.
public struct StartTurnRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// The input; must not be empty.
  public var input: TurnInput? = nil
  /// Settings for this turn and later turns; for later turns only if the input is added to a running turn.
  public var settings: SettingsChange? = nil
  /// Handling if another turn is running.
  public var whenBusy: WhenBusy = .unspecified
  /// JSON schema that the answer must match; for this turn only.
  public var outputSchema: String? = nil

  public init() {}

  public init(thread: ThreadID = ThreadID(), input: TurnInput? = nil, settings: SettingsChange? = nil, whenBusy: WhenBusy = .unspecified, outputSchema: String? = nil) {
    self.thread = thread
    self.input = input
    self.settings = settings
    self.whenBusy = whenBusy
    self.outputSchema = outputSchema
  }
}

/// The new turn, or the running turn that got the input; durable.
public struct StartTurnResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// The turn: a new one, or the running one if the input was added to it.
  public var turn: TurnID = TurnID()
  /// Its state.
  public var status: TurnStatus = .unspecified
  /// Its position in the queue, from 1; 0 if it is not queued.
  public var place: UInt32 = 0
  /// True if the input was added to a running turn.
  public var steered: Bool = false
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, turn: TurnID = TurnID(), status: TurnStatus = .unspecified, place: UInt32 = 0, steered: Bool = false, replayed: Bool = false) {
    self.sequence = sequence
    self.turn = turn
    self.status = status
    self.place = place
    self.steered = steered
    self.replayed = replayed
  }
}

/// Adds input to a running turn.
public struct SteerTurnRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// The turn that the caller believes to be running.
  public var turn: TurnID = TurnID()
  /// The input; must not be empty.
  public var input: TurnInput? = nil

  public init() {}

  public init(thread: ThreadID = ThreadID(), turn: TurnID = TurnID(), input: TurnInput? = nil) {
    self.thread = thread
    self.turn = turn
    self.input = input
  }
}

/// The input is durable and will reach the model: in this turn's next sampling step, or with the next turn.
public struct SteerTurnResponse: Equatable, Sendable {
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

/// Interrupts a running turn.
public struct InterruptTurnRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// The turn.
  public var turn: TurnID = TurnID()

  public init() {}

  public init(thread: ThreadID = ThreadID(), turn: TurnID = TurnID()) {
    self.thread = thread
    self.turn = turn
  }
}

/// The turn has ended.
public struct InterruptTurnResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// True if the turn had already ended.
  public var already: Bool = false
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, already: Bool = false, replayed: Bool = false) {
    self.sequence = sequence
    self.already = already
    self.replayed = replayed
  }
}

/// Lists the queued turns.
public struct ListQueueRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()

  public init() {}

  public init(thread: ThreadID = ThreadID()) {
    self.thread = thread
  }
}

/// The queued turns, the next one first.
public struct ListQueueResponse: Equatable, Sendable {
  /// The turns; at most 16.
  public var turns: [QueuedTurn] = []
  /// The running turn.
  public var running: TurnID? = nil

  public init() {}

  public init(turns: [QueuedTurn] = [], running: TurnID? = nil) {
    self.turns = turns
    self.running = running
  }
}

/// Removes a turn from the queue.
public struct CancelQueuedTurnRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// The turn.
  public var turn: TurnID = TurnID()

  public init() {}

  public init(thread: ThreadID = ThreadID(), turn: TurnID = TurnID()) {
    self.thread = thread
    self.turn = turn
  }
}

/// The turn will not run.
public struct CancelQueuedTurnResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// True if the turn had already been cancelled. Known only for the last 16 turns of the thread.
  public var already: Bool = false
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, already: Bool = false, replayed: Bool = false) {
    self.sequence = sequence
    self.already = already
    self.replayed = replayed
  }
}

