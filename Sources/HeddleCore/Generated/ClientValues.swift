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

