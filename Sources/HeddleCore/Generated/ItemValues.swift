// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

/// The author of a message.
public enum Role: Int32, Sendable, CaseIterable, Hashable {
  /// Not specified.
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

/// The part of the model's answer that a message belongs to.
public enum Phase: Int32, Sendable, CaseIterable, Hashable {
  /// Not specified.
  case unspecified = 0
  /// Commentary on the way to the answer.
  case commentary = 1
  /// The final answer.
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
  /// Complete.
  case completed = 1
  /// Cut off by the end of its turn; the text ends at the last checkpoint.
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

/// Purpose of a message between agents.
public enum AgentMessageKind: Int32, Sendable, CaseIterable, Hashable {
  /// Not specified.
  case unspecified = 0
  /// A task.
  case newTask = 1
  /// A message during a task.
  case message = 2
  /// An agent's answer at the end of a turn.
  case finalAnswer = 3
  /// V1: a notice in the user's name that an agent has ended.
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

/// Meaning of a marker for the model.
public enum MarkerKind: Int32, Sendable, CaseIterable, Hashable {
  /// Not specified.
  case unspecified = 0
  /// The previous turn was interrupted (rules.md U3, U4).
  case interruption = 1

  /// The value's name in the schema, without the enum's prefix.
  public var name: String {
    switch self {
    case .unspecified: "UNSPECIFIED"
    case .interruption: "INTERRUPTION"
    }
  }
}

/// An image, given by its address.
public struct ImagePart: Equatable, Sendable {
  /// The address: an `https` or `data` URL.
  public var url: String = ""
  /// Level of detail: `low`, `high`, `auto`.
  public var detail: String = ""

  public init() {}

  public init(url: String = "", detail: String = "") {
    self.url = url
    self.detail = detail
  }
}

/// Content from elsewhere, kept exactly as it was written.
public struct OpaquePart: Equatable, Sendable {
  /// Its kind, as its origin names it.
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
  /// The kind of part.
  public enum Part: Equatable, Sendable {
    /// Text.
    case text(String)
    /// An image.
    case image(ImagePart)
    /// Text that only the provider can read.
    case encrypted(String)
    /// Any other content.
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

  /// The kind of part.
  public var part: Part? = nil

  public init() {}

  public init(part: Part? = nil) {
    self.part = part
  }
}

/// A message of the user, the developer, the system or the model.
public struct MessageItem: Equatable, Sendable {
  /// The author.
  public var role: Role = .unspecified
  /// The content of the message.
  public var content: [ContentPart] = []
  /// The part of the model's answer that this message belongs to.
  public var phase: Phase = .unspecified

  public init() {}

  public init(role: Role = .unspecified, content: [ContentPart] = [], phase: Phase = .unspecified) {
    self.role = role
    self.content = content
    self.phase = phase
  }
}

/// Reasoning of the model.
public struct ReasoningItem: Equatable, Sendable {
  /// Summaries that may be shown to users.
  public var summary: [String] = []
  /// The reasoning text itself, if the provider returns it.
  public var content: [String] = []
  /// The reasoning in a form that only the provider can read.
  public var encrypted: String? = nil
  /// The name of that provider in the configuration; the encrypted reasoning is sent to no other provider.
  public var provider: String = ""

  public init() {}

  public init(summary: [String] = [], content: [String] = [], encrypted: String? = nil, provider: String = "") {
    self.summary = summary
    self.content = content
    self.encrypted = encrypted
    self.provider = provider
  }
}

/// A tool call by the model.
public struct ToolCallItem: Equatable, Sendable {
  /// Id of the call; the output refers to it.
  public var callId: String = ""
  /// The tool's name.
  public var name: String = ""
  /// The group that the tool belongs to; may be empty.
  public var toolGroup: String = ""
  /// The arguments: JSON text, unless the tool takes plain text.
  public var arguments: String = ""
  /// True if the arguments are plain text, not JSON.
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

/// A tool's answer.
public struct ToolOutputItem: Equatable, Sendable {
  /// Id of the call that it answers.
  public var callId: String = ""
  /// The answer.
  public var content: [ContentPart] = []
  /// Whether the tool reported success; absent if it did not say.
  public var success: Bool? = nil
  /// Reason for a failure, a stable lower-case name: `tool_timeout`, `tool_unknown`, `tool_failed`, `tool_refused`,
  /// `tool_interrupted`, `not_run`; empty if the tool did not fail.
  public var reason: String = ""

  public init() {}

  public init(callId: String = "", content: [ContentPart] = [], success: Bool? = nil, reason: String = "") {
    self.callId = callId
    self.content = content
    self.success = success
    self.reason = reason
  }
}

/// A message in transit from one agent to another. The sender's thread stores it until the receiver's thread has stored
/// it; that thread stores it until its model has received it.
public struct AgentMail: Equatable, Sendable {
  /// Id of the message; the item made from it has the same id.
  public var id: ItemID = ItemID()
  /// Its purpose.
  public var kind: AgentMessageKind = .unspecified
  /// The sender.
  public var from: ThreadID = ThreadID()
  /// The sender's path.
  public var author: String = ""
  /// The receiver.
  public var to: ThreadID = ThreadID()
  /// The receiver's path.
  public var recipient: String = ""
  /// Content of the message.
  public var content: [ContentPart] = []
  /// Whether it starts a turn if the receiver is idle.
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
  /// Content of the message.
  public var content: [ContentPart] = []
  /// Whether it starts a turn if the receiver is idle.
  public var triggerTurn: Bool = false
  /// Its purpose.
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
  /// The messages that the context begins with from here on, if the origin of the history stored them.
  public var replacement: [MessageItem] = []

  public init() {}

  public init(summary: String = "", replacement: [MessageItem] = []) {
    self.summary = summary
    self.replacement = replacement
  }
}

/// A note from the server to the model.
public struct MarkerItem: Equatable, Sendable {
  /// Its meaning.
  public var kind: MarkerKind = .unspecified
  /// The role it is sent as: developer for V2, user otherwise.
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

/// One element of a turn, such as a message, a tool call or a tool output.
public struct Item: Equatable, Sendable {
  /// The kind of item.
  public enum Kind: Equatable, Sendable {
    /// A message of a user, a developer or the model.
    case message(MessageItem)
    /// Reasoning of the model.
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
    /// Any other content, kept as it was.
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

  /// Id of the item.
  public var id: ItemID = ItemID()
  /// How it ended; absent while it is open.
  public var status: ItemStatus = .unspecified
  /// The provider's own id for the item.
  public var providerId: String = ""
  /// The kind of item.
  public var kind: Kind? = nil

  public init() {}

  public init(id: ItemID = ItemID(), status: ItemStatus = .unspecified, providerId: String = "", kind: Kind? = nil) {
    self.id = id
    self.status = status
    self.providerId = providerId
    self.kind = kind
  }
}

