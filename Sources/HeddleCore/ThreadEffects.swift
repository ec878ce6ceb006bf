// What goes into a thread's state machine and what comes out of it. Values only: whoever drives the machine can record
// them, replay them and compare them.

/// Names the request that an answer belongs to; the driver knows whose it is.
public struct Ticket: Hashable, Sendable {
  public let value: UInt64
  public init(_ value: UInt64) { self.value = value }
}

/// What a request gets.
public enum Answer: Equatable, Sendable {
  case response(Response)
  case refused(Refusal)
}

/// What is asked of a thread that exists. Boxed: it is handed on several times before it is carried out.
public indirect enum ThreadCommand: Equatable, Sendable {
  case resume
  case read
  case setName(String)
  /// The root that takes the thread along, or the thread itself.
  case archive(root: ThreadID)
  case unarchive(root: ThreadID)
  case readSettings
  case updateSettings(SettingsChange?, expectedRevision: UInt64?)
  case startTurn(StartTurnRequest)
  case steerTurn(TurnID, TurnInput?)
  /// `known`: the turn is one of this thread's that has ended; looked up by the driver when the machine cannot tell.
  case interruptTurn(TurnID, known: Bool)
  case listQueue
  case cancelQueuedTurn(TurnID, known: Bool)
  case rollback(count: Int32, basis: RollbackBasis)
  /// Pins the version unless one is pinned (rules.md V9); answered like `resume`.
  case pinVersionIfUnset(MultiAgentVersion, VersionSource)
}

/// What the driver has read of the turns that stay when others are rolled back (rules.md M7, T7).
public struct RollbackBasis: Equatable, Sendable {
  /// What the last turn that stays ran with; nil: there is none, or a compaction came after it.
  public var baseline: TurnContext?
  /// The last compaction that stays.
  public var contextStart: UInt64

  public init(baseline: TurnContext? = nil, contextStart: UInt64 = 0) {
    self.baseline = baseline
    self.contextStart = contextStart
  }
}

/// What a model provider reports while it answers.
public enum ModelSignal: Equatable, Sendable {
  /// More text of the message that it writes.
  case text(String)
  /// More of the thoughts that may be shown.
  case thought(String)
  /// A tool is called; the arguments are whole.
  case toolCall(id: String, name: String, arguments: String)
  case usage(TokenUsage)
  /// A try failed and another one follows.
  case retrying(attempt: UInt32, TurnError, waitMilliseconds: UInt32)
  /// The answer is whole.
  case finished
  case failed(TurnError)
}

/// Timers of a thread. Setting one again moves it.
public enum ThreadTimer: Hashable, Sendable {
  /// Streamed text is made safe.
  case checkpoint
  /// The model has said nothing for too long.
  case modelIdle
}

/// What happens to a thread.
public enum ThreadInput: Equatable, Sendable {
  case command(ThreadCommand, Ticket)
  case model(TurnID, ModelSignal)
  case timer(ThreadTimer)
  /// The thread was found on disk by a server that starts: what ran then, runs no more (rules.md U4).
  case recovered
  /// The disk is full: what runs ends, what waits goes on waiting (durability.md D9).
  case suspended
  /// There is space again: what waits may run.
  case unsuspended
}

/// What the driver has to do, in this order. `after` is a number of an event: the effect is released when that event has
/// reached the disk, and behind every effect before it. "Acknowledged after the sync" is this field, not a habit.
public enum Effect: Equatable, Sendable {
  /// Append the event and publish it once it is synced (durability.md D1, D2).
  case append(Event)
  /// Store the turn as it is now, together with the events around it.
  case storeTurn(Turn)
  case reply(Ticket, Answer, after: UInt64)
  case status(ThreadStatus, after: UInt64)
  case delta(ItemDelta, after: UInt64)
  /// Ask the model; its input is the history up to `after`.
  case startModel(TurnID, TurnContext, after: UInt64)
  /// At once: stop asking.
  case cancelModel(TurnID)
  /// At once. Milliseconds of the monotonic clock.
  case setTimer(ThreadTimer, at: Int64)
  case cancelTimer(ThreadTimer)
}

/// What the driver hands in with every input: time, identifiers and rules. The machine has none of its own.
public struct MachineEnvironment: Sendable {
  /// Unix milliseconds: a label on events.
  public var now: Int64
  /// Milliseconds of a clock that never steps: what timers compare with.
  public var instant: Int64
  public var ids: IDGenerator
  public var rules: ServerRules

  public init(now: Int64, instant: Int64, ids: IDGenerator, rules: ServerRules) {
    self.now = now
    self.instant = instant
    self.ids = ids
    self.rules = rules
  }
}
