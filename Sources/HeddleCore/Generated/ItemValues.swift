// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// Who speaks.
public enum Role: Int32, Sendable, CaseIterable, Hashable {
  /// Not said.
  case unspecified = 0
  /// The user.
  case user = 1
  /// The developer: hints, modes, instructions.
  case developer = 2
  /// The system.
  case system = 3
  /// The model.
  case assistant = 4

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .user: "USER"
    case .developer: "DEVELOPER"
    case .system: "SYSTEM"
    case .assistant: "ASSISTANT"
    }
  }
}

/// Where in its answer the model is.
public enum Phase: Int32, Sendable, CaseIterable, Hashable {
  /// Not said.
  case unspecified = 0
  /// Said on the way.
  case commentary = 1
  /// The answer.
  case finalAnswer = 2

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .commentary: "COMMENTARY"
    case .finalAnswer: "FINAL_ANSWER"
    }
  }
}

/// How an item ended.
public enum ItemStatus: Int32, Sendable, CaseIterable, Hashable {
  /// Still open.
  case unspecified = 0
  /// Whole.
  case completed = 1
  /// Cut off by the end of its turn; text ends at the last checkpoint.
  case interrupted = 2
  /// Failed.
  case failed = 3

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .completed: "COMPLETED"
    case .interrupted: "INTERRUPTED"
    case .failed: "FAILED"
    }
  }
}

/// What a message between agents is for.
public enum AgentMessageKind: Int32, Sendable, CaseIterable, Hashable {
  /// Not said.
  case unspecified = 0
  /// A task.
  case newTask = 1
  /// A message on the way.
  case message = 2
  /// What an agent answers at the end of a turn.
  case finalAnswer = 3
  /// V1: a note, in the name of the user, that an agent has come to an end.
  case notification = 4

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .newTask: "NEW_TASK"
    case .message: "MESSAGE"
    case .finalAnswer: "FINAL_ANSWER"
    case .notification: "NOTIFICATION"
    }
  }
}

/// What a marker tells the model.
public enum MarkerKind: Int32, Sendable, CaseIterable, Hashable {
  /// Not said.
  case unspecified = 0
  /// The turn before was interrupted (rules.md U3, U4).
  case interruption = 1

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .interruption: "INTERRUPTION"
    }
  }
}

/// An image, by address.
public struct ImagePart: Equatable, Sendable {
  /// The address: https or data.
  public var url: String = ""
  /// How closely to look: `low`, `high`, `auto`.
  public var detail: String = ""

  public init() {}

  public init(url: String = "", detail: String = "") {
    self.url = url
    self.detail = detail
  }
}

/// Something kept exactly as it was written elsewhere.
public struct OpaquePart: Equatable, Sendable {
  /// Its kind in the words of its origin.
  public var kind: String = ""
  /// Its JSON text.
  public var json: String = ""

  public init() {}

  public init(kind: String = "", json: String = "") {
    self.kind = kind
    self.json = json
  }
}

/// One part of a message.
public struct ContentPart: Equatable, Sendable {
  /// What it is.
  public enum Part: Equatable, Sendable {
    /// Text.
    case text(String)
    /// An image.
    case image(ImagePart)
    /// Text that only the provider can read.
    case encrypted(String)
    /// Anything else.
    case opaque(OpaquePart)

    /// The member's field number.
    public var number: UInt8 {
      switch self {
      case .text: 1
      case .image: 2
      case .encrypted: 3
      case .opaque: 4
      }
    }
  }

  /// What it is.
  public var part: Part? = nil

  public init() {}

  public init(part: Part? = nil) {
    self.part = part
  }
}

/// What somebody said.
public struct MessageItem: Equatable, Sendable {
  /// Who speaks.
  public var role: Role = .unspecified
  /// What was said.
  public var content: [ContentPart] = []
  /// Where in its answer the model was.
  public var phase: Phase = .unspecified

  public init() {}

  public init(role: Role = .unspecified, content: [ContentPart] = [], phase: Phase = .unspecified) {
    self.role = role
    self.content = content
    self.phase = phase
  }
}

/// What the model thought.
public struct ReasoningItem: Equatable, Sendable {
  /// Summaries that may be shown.
  public var summary: [String] = []
  /// The thoughts themselves, where the provider gives them.
  public var content: [String] = []
  /// The thoughts as only the provider can read them.
  public var encrypted: String? = nil
  /// That provider, by its name in the configuration; nobody else is sent them.
  public var provider: String = ""

  public init() {}

  public init(summary: [String] = [], content: [String] = [], encrypted: String? = nil, provider: String = "") {
    self.summary = summary
    self.content = content
    self.encrypted = encrypted
    self.provider = provider
  }
}

/// A tool that the model called.
public struct ToolCallItem: Equatable, Sendable {
  /// Links the output to the call.
  public var callId: String = ""
  /// The tool.
  public var name: String = ""
  /// The group that the tool belongs to, may be empty.
  public var toolGroup: String = ""
  /// Arguments, JSON text unless the tool takes plain text.
  public var arguments: String = ""
  /// The arguments are plain text, not JSON.
  public var freeform: Bool = false

  public init() {}

  public init(callId: String = "", name: String = "", toolGroup: String = "", arguments: String = "", freeform: Bool = false) {
    self.callId = callId
    self.name = name
    self.toolGroup = toolGroup
    self.arguments = arguments
    self.freeform = freeform
  }
}

/// What a tool answered.
public struct ToolOutputItem: Equatable, Sendable {
  /// The call that it answers.
  public var callId: String = ""
  /// The answer.
  public var content: [ContentPart] = []
  /// Whether the tool said that it succeeded; absent when it did not say.
  public var success: Bool? = nil
  /// Why it failed, a stable lower-case name: `tool_timeout`, `tool_unknown`, `tool_failed`, `tool_refused`,
  /// `tool_interrupted`, `not_run`; empty when it did not fail.
  public var reason: String = ""

  public init() {}

  public init(callId: String = "", content: [ContentPart] = [], success: Bool? = nil, reason: String = "") {
    self.callId = callId
    self.content = content
    self.success = success
    self.reason = reason
  }
}

/// A message on its way from one agent to another. Stored with its sender until it is stored with its receiver, and
/// there until the model has been given it.
public struct AgentMail: Equatable, Sendable {
  /// The message; the item that it becomes has this id.
  public var id: ItemID = ItemID()
  /// What it is for.
  public var kind: AgentMessageKind = .unspecified
  /// The sender.
  public var from: ThreadID = ThreadID()
  /// The sender's path.
  public var author: String = ""
  /// The receiver.
  public var to: ThreadID = ThreadID()
  /// The receiver's path.
  public var recipient: String = ""
  /// The message.
  public var content: [ContentPart] = []
  /// Whether it starts a turn of an idle receiver.
  public var triggerTurn: Bool = false

  public init() {}

  public init(id: ItemID = ItemID(), kind: AgentMessageKind = .unspecified, from: ThreadID = ThreadID(), author: String = "", to: ThreadID = ThreadID(), recipient: String = "", content: [ContentPart] = [], triggerTurn: Bool = false) {
    self.id = id
    self.kind = kind
    self.from = from
    self.author = author
    self.to = to
    self.recipient = recipient
    self.content = content
    self.triggerTurn = triggerTurn
  }
}

/// A message from one agent to another.
public struct AgentMessageItem: Equatable, Sendable {
  /// Path of the sender.
  public var author: String = ""
  /// Path of the receiver.
  public var recipient: String = ""
  /// The message.
  public var content: [ContentPart] = []
  /// Whether it starts a turn of an idle receiver.
  public var triggerTurn: Bool = false
  /// What it is for.
  public var kind: AgentMessageKind = .unspecified

  public init() {}

  public init(author: String = "", recipient: String = "", content: [ContentPart] = [], triggerTurn: Bool = false, kind: AgentMessageKind = .unspecified) {
    self.author = author
    self.recipient = recipient
    self.content = content
    self.triggerTurn = triggerTurn
    self.kind = kind
  }
}

/// The model's context was replaced by a summary.
public struct CompactionItem: Equatable, Sendable {
  /// The summary.
  public var summary: String = ""
  /// What the context begins with from here on, messages only, when the origin stored it.
  public var replacement: [MessageItem] = []

  public init() {}

  public init(summary: String = "", replacement: [MessageItem] = []) {
    self.summary = summary
    self.replacement = replacement
  }
}

/// A note of the server to the model.
public struct MarkerItem: Equatable, Sendable {
  /// What it tells.
  public var kind: MarkerKind = .unspecified
  /// In whose name: developer for V2, user otherwise.
  public var role: Role = .unspecified
  /// The text.
  public var text: String = ""

  public init() {}

  public init(kind: MarkerKind = .unspecified, role: Role = .unspecified, text: String = "") {
    self.kind = kind
    self.role = role
    self.text = text
  }
}

/// One thing in a turn.
public struct Item: Equatable, Sendable {
  /// What it is.
  public enum Kind: Equatable, Sendable {
    /// A message of a user, a developer or the model.
    case message(MessageItem)
    /// What the model thought.
    indirect case reasoning(ReasoningItem)
    /// A tool call.
    indirect case toolCall(ToolCallItem)
    /// A tool's answer.
    indirect case toolOutput(ToolOutputItem)
    /// A message between agents.
    indirect case agentMessage(AgentMessageItem)
    /// A compaction.
    case compaction(CompactionItem)
    /// A marker.
    case marker(MarkerItem)
    /// Anything else, kept as it was.
    case opaque(OpaquePart)

    /// The member's field number.
    public var number: UInt8 {
      switch self {
      case .message: 10
      case .reasoning: 11
      case .toolCall: 12
      case .toolOutput: 13
      case .agentMessage: 14
      case .compaction: 15
      case .marker: 16
      case .opaque: 17
      }
    }
  }

  /// The item.
  public var id: ItemID = ItemID()
  /// How it ended; absent while it is open.
  public var status: ItemStatus = .unspecified
  /// The provider's own name of the item.
  public var providerId: String = ""
  /// What it is.
  public var kind: Kind? = nil

  public init() {}

  public init(id: ItemID = ItemID(), status: ItemStatus = .unspecified, providerId: String = "", kind: Kind? = nil) {
    self.id = id
    self.status = status
    self.providerId = providerId
    self.kind = kind
  }
}

