// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// Calls a tool that the client provides.
public struct CallToolRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// The turn.
  public var turn: TurnID = TurnID()
  /// The model's id of this tool call.
  public var callId: String = ""
  /// The tool's name.
  public var name: String = ""
  /// Its arguments, JSON text.
  public var arguments: String = ""
  /// Deadline for the answer, unix milliseconds.
  public var deadline: Int64 = 0

  public init() {}

  public init(thread: ThreadID = ThreadID(), turn: TurnID = TurnID(), callId: String = "", name: String = "", arguments: String = "", deadline: Int64 = 0) {
    self.thread = thread
    self.turn = turn
    self.callId = callId
    self.name = name
    self.arguments = arguments
    self.deadline = deadline
  }
}

/// The tool's answer.
public struct CallToolResponse: Equatable, Sendable {
  /// The answer.
  public var content: [ContentPart] = []
  /// Whether the tool succeeded.
  public var success: Bool = false

  public init() {}

  public init(content: [ContentPart] = [], success: Bool = false) {
    self.content = content
    self.success = success
  }
}

/// Asks the client's user a question.
public struct RequestUserInputRequest: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// The turn.
  public var turn: TurnID = TurnID()
  /// The question.
  public var question: String = ""
  /// The allowed answers; empty: any text.
  public var choices: [String] = []
  /// SHA-256 of the question and its context. The answer repeats it, so that it cannot count for another question.
  public var actionHash: [UInt8] = []
  /// Deadline for the answer, unix milliseconds.
  public var deadline: Int64 = 0
  /// Id of the model's tool call that asks the question.
  public var callId: String = ""

  public init() {}

  public init(thread: ThreadID = ThreadID(), turn: TurnID = TurnID(), question: String = "", choices: [String] = [], actionHash: [UInt8] = [], deadline: Int64 = 0, callId: String = "") {
    self.thread = thread
    self.turn = turn
    self.question = question
    self.choices = choices
    self.actionHash = actionHash
    self.deadline = deadline
    self.callId = callId
  }
}

/// The user's answer.
public struct RequestUserInputResponse: Equatable, Sendable {
  /// The answer.
  public var answer: String = ""
  /// The action hash of the question that was shown.
  public var actionHash: [UInt8] = []

  public init() {}

  public init(answer: String = "", actionHash: [UInt8] = []) {
    self.answer = answer
    self.actionHash = actionHash
  }
}

/// A call of the server that waits for an answer, as an event of a subscription that answers calls of its kind.
public struct OpenCall: Equatable, Sendable {
  /// The call, as ClientService would send it.
  public enum Call: Equatable, Sendable {
    /// A tool of the client.
    case tool(CallToolRequest)
    /// A question to the client's user.
    case input(RequestUserInputRequest)

    /// The member's field number.
    public var number: UInt8 {
      switch self {
      case .tool: 1
      case .input: 2
      }
    }
  }

  /// The call, as ClientService would send it.
  public var call: Call? = nil

  public init() {}

  public init(call: Call? = nil) {
    self.call = call
  }
}

/// No answer to a call counts any more: it has one, its deadline has passed, or its turn has ended.
public struct CallEnded: Equatable, Sendable {
  /// The thread.
  public var thread: ThreadID = ThreadID()
  /// The turn.
  public var turn: TurnID = TurnID()
  /// The model's id of the tool call.
  public var callId: String = ""

  public init() {}

  public init(thread: ThreadID = ThreadID(), turn: TurnID = TurnID(), callId: String = "") {
    self.thread = thread
    self.turn = turn
    self.callId = callId
  }
}

/// Answers a call of the server.
public struct AnswerCallRequest: Equatable, Sendable {
  /// The answer; must be set.
  public enum Answer: Equatable, Sendable {
    /// The tool's answer, to `OpenCall.tool`.
    case tool(CallToolResponse)
    /// The user's answer, to `OpenCall.input`.
    case input(RequestUserInputResponse)
    /// UNIMPLEMENTED: this client does not have the tool, and the call waits for other clients. Any other code: the tool
    /// failed, and the model receives `message`.
    case refused(WireError)

    /// The member's field number.
    public var number: UInt8 {
      switch self {
      case .tool: 4
      case .input: 5
      case .refused: 6
      }
    }
  }

  /// The thread that the call names.
  public var thread: ThreadID = ThreadID()
  /// The turn that the call names.
  public var turn: TurnID = TurnID()
  /// The id that the call has; must not be empty.
  public var callId: String = ""
  /// The answer; must be set.
  public var answer: Answer? = nil

  public init() {}

  public init(thread: ThreadID = ThreadID(), turn: TurnID = TurnID(), callId: String = "", answer: Answer? = nil) {
    self.thread = thread
    self.turn = turn
    self.callId = callId
    self.answer = answer
  }
}

/// The answer is durable.
public struct AnswerCallResponse: Equatable, Sendable {
  /// The thread's newest event.
  public var sequence: UInt64 = 0
  /// True if this answer counts; false after UNIMPLEMENTED: the call is still open.
  public var counted: Bool = false
  /// True if this answer repeats an earlier answer to the same idempotency key.
  public var replayed: Bool = false

  public init() {}

  public init(sequence: UInt64 = 0, counted: Bool = false, replayed: Bool = false) {
    self.sequence = sequence
    self.counted = counted
    self.replayed = replayed
  }
}

