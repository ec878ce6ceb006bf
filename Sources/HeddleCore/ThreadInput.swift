// Inputs of a thread's state machine: commands, signals of the model, timers, answers of tools. Values only: a driver
// can record them, replay them and compare them.

/// Names the request that an answer belongs to; the driver knows the caller.
public struct Ticket: Hashable, Sendable {
  public let value: UInt64
  public init(_ value: UInt64) { self.value = value }
}

/// A command for a thread that exists. It is handed on several times before it is carried out, so the large cases are
/// boxed.
public enum ThreadCommand: Equatable, Sendable {
  case resume
  /// Resumes and changes the client's tools (rules.md S6).
  indirect case resumeWithTools(ToolSelection)
  case read
  case setName(String)
  /// The root that takes the thread along, or the thread itself.
  case archive(root: ThreadID)
  case unarchive(root: ThreadID)
  case readSettings
  case updateSettings(SettingsChange?, expectedRevision: UInt64?, tools: ToolSelection? = nil)
  indirect case startTurn(StartTurnRequest)
  indirect case steerTurn(TurnID, TurnInput?)
  /// `known`: the turn is one of this thread's that has ended; looked up by the driver when the machine cannot tell.
  case interruptTurn(TurnID, known: Bool)
  case listQueue
  case cancelQueuedTurn(TurnID, known: Bool)
  indirect case rollback(count: Int32, basis: RollbackBasis)
  /// Pins the version unless one is pinned (rules.md V9); answered like `resume`.
  case pinVersionIfUnset(MultiAgentVersion, VersionSource)
  /// Has the model sum up the context (rules.md T7).
  case compact
  /// Ends whatever turn runs; answered like AgentService/Interrupt.
  case interruptAgent
  /// Input from the agent above, which may write to a V1 agent: begins a turn or is added to the running one.
  indirect case agentInput(TurnInput)
  /// Answers a call that clients were asked (rules.md A14).
  indirect case answerCall(TurnID, callID: String, ToolAnswer)

  /// Begins a turn, unless one runs.
  public var beginsTurn: Bool {
    switch self {
    case .startTurn, .compact, .agentInput: true
    default: false
    }
  }

  /// Whether the command adds data. Others read, or end something, and are served when there is no room.
  public var bringsMore: Bool {
    switch self {
    case .resumeWithTools, .setName, .updateSettings, .startTurn, .steerTurn, .compact, .agentInput: true
    default: false
    }
  }
}

/// Facts about the turns that remain after a rollback, which the driver reads from disk (rules.md M7, T7).
public struct RollbackBasis: Equatable, Sendable {
  /// The context of the last turn that remains; nil: there is none, or a compaction came after it.
  public var baseline: TurnContext?
  /// The last compaction that stays.
  public var contextStart: UInt64

  public init(baseline: TurnContext? = nil, contextStart: UInt64 = 0) {
    self.baseline = baseline
    self.contextStart = contextStart
  }
}

/// How an item of a model ended.
public struct ItemEnd: Equatable, Sendable {
  public var isThought: Bool
  /// The provider's own name of the item; may be empty.
  public var providerID: String
  /// The phase of the model's answer, for messages.
  public var phase: Phase
  /// A thought as only the provider can read it.
  public var encrypted: String?

  public init(isThought: Bool, providerID: String = "", phase: Phase = .unspecified, encrypted: String? = nil) {
    self.isThought = isThought
    self.providerID = providerID
    self.phase = phase
    self.encrypted = encrypted
  }
}

/// A report of a model provider while it answers.
public enum ModelSignal: Equatable, Sendable {
  /// More text of the message that it writes.
  case text(String)
  /// More of the thoughts that may be shown.
  case thought(String)
  /// The text or the thought that grows is whole. Reasoning without visible text has this signal only.
  case itemDone(ItemEnd)
  /// A tool is called; the arguments are whole. `fault`: they are not one JSON object, in words for the model.
  case toolCall(id: String, name: String, arguments: String, providerID: String, fault: String? = nil)
  /// Something of the provider's own, kept as it is and given back with the history.
  case opaque(OpaquePart, providerID: String)
  case usage(TokenUsage)
  /// An attempt failed and another one follows: the output of the failed one does not count.
  case retrying(attempt: UInt32, TurnError, waitMilliseconds: UInt32)
  /// The request waits for its turn at the provider: silence is no stall.
  case waiting
  /// The provider is being asked.
  case asked
  /// The context was summed up: the summary, and the newest words of the user that stay.
  case compacted(summary: String, kept: [MessageItem])
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
  /// The turn has taken too long.
  case turn
  /// A tool call has gone without an output for too long.
  case call(String)
}

/// An input of a thread's state machine.
public enum ThreadInput: Equatable, Sendable {
  case command(ThreadCommand, Ticket)
  case model(TurnID, ModelSignal)
  case timer(ThreadTimer)
  /// A tool has answered, here or at a client.
  case toolAnswered(TurnID, callID: String, ToolAnswer)
  /// The call asks the person at a client.
  case ask(TurnID, callID: String, ClientCall.Question)
  /// The call waits: V2 for any mail, V1 until the tree answers it. Ends by itself after this many milliseconds.
  case wait(TurnID, callID: String, milliseconds: Int64)
  /// A message of another agent.
  case mail(AgentMail)
  /// Items of its parent's history that a spawned agent starts with (rules.md A4).
  case copied([Item])
  /// A message of this agent has been stored with its receiver.
  case mailDelivered(ItemID)
  /// The tree has a slot: the turn that the mail asks for may begin.
  case slotGranted
  /// The agent did something with another one.
  case activity(AgentActivity)
  /// A client closes the agent, so its parent, which did not ask for it, is notified. `with`: the agent that takes this
  /// one along.
  case close(byClient: Bool, with: ThreadID? = nil)
  case reopen
  /// A starting server found the thread on disk: the turn that ran is interrupted (rules.md U4).
  case recovered
  /// The disk is full: the running turn ends, queued turns keep waiting (durability.md D9).
  case suspended
  /// There is space again: queued turns may run.
  case unsuspended
}

/// The answer to a tool call.
public struct ToolAnswer: Equatable, Sendable {
  public var content: [ContentPart]
  public var success: Bool?
  public var failure: ToolFailure?

  public init(content: [ContentPart], success: Bool?, failure: ToolFailure? = nil) {
    self.content = content
    self.success = success
    self.failure = failure
  }

  public static func text(_ text: String) -> ToolAnswer {
    ToolAnswer(content: [ContentPart(part: .text(text))], success: true)
  }

  public static func failed(_ failure: ToolFailure, _ text: String) -> ToolAnswer {
    ToolAnswer(content: [ContentPart(part: .text(text))], success: false, failure: failure)
  }
}

/// Reasons that a failed tool call carries.
public enum ToolFailure: String, Sendable {
  case timeout = "tool_timeout"
  case unknown = "tool_unknown"
  case failed = "tool_failed"
  /// The arguments are wrong, or a rule or a limit does not allow it.
  case refused = "tool_refused"
  /// The turn ended first.
  case interrupted = "tool_interrupted"
  /// The answer of the model that held the call broke off.
  case notRun = "not_run"
}

/// A call that clients are asked to answer; the first answer counts.
public struct ClientCall: Equatable, Sendable {
  public var thread: ThreadID
  public var turn: TurnID
  public var call: ToolCallItem
  /// A question to a person; nil: a tool of the client.
  public var question: Question?
  /// Unix milliseconds.
  public var deadline: Int64
  /// The root of the thread's tree, whose followers are asked too (rules.md A13).
  public var root: ThreadID

  public struct Question: Equatable, Sendable {
    public var text: String
    public var choices: [String]

    public init(text: String, choices: [String] = []) {
      self.text = text
      self.choices = choices
    }
  }

  public init(
    thread: ThreadID, turn: TurnID, call: ToolCallItem, question: Question? = nil, deadline: Int64,
    root: ThreadID? = nil
  ) {
    self.root = root ?? thread
    self.thread = thread
    self.turn = turn
    self.call = call
    self.question = question
    self.deadline = deadline
  }
}

/// Time, identifiers and rules, which the driver hands in with every input. The machine has none of its own.
public struct MachineEnvironment: Sendable {
  /// Unix milliseconds: a label on events.
  public var now: Int64
  /// Milliseconds of a clock that never steps, for timers.
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
