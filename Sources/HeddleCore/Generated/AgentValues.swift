// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// One agent of a tree.
public struct Agent: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// The agent that spawned it.
  public var parent: ThreadID? = nil
  /// Its name in the tree.
  public var path: String = ""
  /// A name for people.
  public var nickname: String = ""
  /// Its status.
  public var status: ThreadStatus? = nil
  /// The multi-agent version that it uses.
  public var version: MultiAgentVersion = .unspecified
  /// The last task it was given.
  public var lastTask: String = ""
  /// Tokens used.
  public var usage: TokenUsage? = nil
  /// 0 for the root.
  public var depth: UInt32 = 0
  /// Its role.
  public var role: String = ""
  /// Whether it was closed.
  public var closed: Bool = false
  /// The outcome of its last turn; `UNSPECIFIED` if no turn has ended.
  public var lastTurn: TurnStatus = .unspecified
  /// Messages that its model has not received yet.
  public var waitingMessages: UInt32 = 0

  public init() {}

  public init(thread: ThreadID = ThreadID(), parent: ThreadID? = nil, path: String = "", nickname: String = "", status: ThreadStatus? = nil, version: MultiAgentVersion = .unspecified, lastTask: String = "", usage: TokenUsage? = nil, depth: UInt32 = 0, role: String = "", closed: Bool = false, lastTurn: TurnStatus = .unspecified, waitingMessages: UInt32 = 0) {
    self.thread = thread
    self.parent = parent
    self.path = path
    self.nickname = nickname
    self.status = status
    self.version = version
    self.lastTask = lastTask
    self.usage = usage
    self.depth = depth
    self.role = role
    self.closed = closed
    self.lastTurn = lastTurn
    self.waitingMessages = waitingMessages
  }
}

/// Reads a tree of agents.
public struct ListTreeRequest: Equatable, Sendable {
  /// Any thread of the tree.
  public var thread: ThreadID = ThreadID()

  public init() {}

  public init(thread: ThreadID = ThreadID()) {
    self.thread = thread
  }
}

/// The whole tree: the root first, parents before children.
public struct ListTreeResponse: Equatable, Sendable {
  /// The agents.
  public var agents: [Agent] = []
  /// Number of additional agents that may run now (V2) or be open (V1).
  public var freeSlots: UInt32 = 0
  /// Tokens that the whole tree has used.
  public var usage: TokenUsage? = nil

  public init() {}

  public init(agents: [Agent] = [], freeSlots: UInt32 = 0, usage: TokenUsage? = nil) {
    self.agents = agents
    self.freeSlots = freeSlots
    self.usage = usage
  }
}

/// Interrupts the running turn of an agent.
public struct InterruptAgentRequest: Equatable, Sendable {
  /// The agent.
  public var thread: ThreadID = ThreadID()

  public init() {}

  public init(thread: ThreadID = ThreadID()) {
    self.thread = thread
  }
}

/// The agent has no running turn.
public struct InterruptAgentResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// True if there was no running turn to interrupt.
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

/// Closes an agent and all agents below it.
public struct CloseAgentRequest: Equatable, Sendable {
  /// The agent.
  public var thread: ThreadID = ThreadID()

  public init() {}

  public init(thread: ThreadID = ThreadID()) {
    self.thread = thread
  }
}

/// The agents are closed.
public struct CloseAgentResponse: Equatable, Sendable {
  /// Number of agents that were closed; 0 if they were already closed.
  public var closed: UInt32 = 0
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(closed: UInt32 = 0, replayed: Bool = false) {
    self.closed = closed
    self.replayed = replayed
  }
}

