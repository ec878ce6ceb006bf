// The collaboration tools as values (rules.md A1): their arguments after they were read, and their results as the JSON
// texts that the model gets back.

/// One call of a collaboration tool.
public enum AgentCommand: Equatable, Sendable {
  case spawn(SpawnCommand)
  /// V1: text for the agent; `interrupts` ends its running turn first.
  case sendInput(target: String, text: String, interrupts: Bool)
  /// V1: until one of them has come to an end. V2: `targets` is empty, any mail ends it.
  case wait(targets: [String], milliseconds: Int64?)
  case close(target: String)
  case resume(target: String)
  /// V2: mail; `isTask` starts a turn of an idle agent.
  case send(target: String, text: String, isTask: Bool)
  case interrupt(target: String)
  case list(prefix: String)
}

/// A new agent as it was asked for.
public struct SpawnCommand: Equatable, Sendable {
  /// V2: the last segment of its path.
  public var name: String
  public var text: String
  public var history: CopiedTurns
  public var role: String?
  public var model: String?
  public var reasoningEffort: String?
  public var serviceTier: String?

  public init(
    name: String = "", text: String, history: CopiedTurns = .none, role: String? = nil, model: String? = nil,
    reasoningEffort: String? = nil, serviceTier: String? = nil
  ) {
    self.name = name
    self.text = text
    self.history = history
    self.role = role
    self.model = model
    self.reasoningEffort = reasoningEffort
    self.serviceTier = serviceTier
  }

  /// Whether it differs from its parent in a field that a full history has fixed already.
  public var overrides: Bool { role != nil || model != nil || reasoningEffort != nil }
}

/// How much of the parent's history a new agent gets.
public enum CopiedTurns: Equatable, Sendable {
  case none
  case all
  case last(Int)

  /// `none`, `all` or a positive whole number.
  public init(_ text: String) throws(AgentError) {
    switch text {
    case "none": self = .none
    case "all": self = .all
    default:
      guard let count = Int(text), count > 0, count <= 1_000_000 else {
        throw AgentError("fork_turns is `none`, `all`, or a positive whole number as text.")
      }
      self = .last(count)
    }
  }
}

/// An agent's state, as other agents see it.
public enum AgentStatus: Equatable, Sendable {
  case pending
  case running
  case interrupted
  case completed(String?)
  case errored(String)
  case shutdown
  case notFound

  /// It will not change by itself (rules.md A8).
  public var isFinal: Bool {
    switch self {
    case .pending, .running, .interrupted: false
    case .completed, .errored, .shutdown, .notFound: true
    }
  }

  /// With the beginning of its text, as lists show it.
  func cut(utf8Bytes limit: Int) -> AgentStatus {
    switch self {
    case .completed(let text): .completed(text?.prefix(utf8Bytes: limit))
    case .errored(let text): .errored(text.prefix(utf8Bytes: limit))
    case .pending, .running, .interrupted, .shutdown, .notFound: self
    }
  }

  /// `"running"`, `{"completed":"text"}`
  public var json: String {
    switch self {
    case .pending: "\"pending_init\""
    case .running: "\"running\""
    case .interrupted: "\"interrupted\""
    case .completed(let text): "{\"completed\":\(text.map(JSONText.quoted) ?? "null")}"
    case .errored(let text): "{\"errored\":\(JSONText.quoted(text))}"
    case .shutdown: "\"shutdown\""
    case .notFound: "\"not_found\""
    }
  }
}

/// Texts in JSON, for results that the core writes.
public enum JSONText {
  public static func quoted(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\t": out += "\\t"
      case let control where control.value < 0x20:
        let digits = String(control.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}

/// Results as the model gets them.
public enum AgentResult {
  public static func spawned(v1 id: ThreadID, nickname: String) -> String {
    "{\"agent_id\":\"\(id)\",\"nickname\":\(nickname.isEmpty ? "null" : JSONText.quoted(nickname))}"
  }

  /// `nickname`: only where the options of spawning are shown.
  public static func spawned(v2 path: String, nickname: String?) -> String {
    "{\"task_name\":\(JSONText.quoted(path))" + (nickname.map { ",\"nickname\":\(JSONText.quoted($0))" } ?? "") + "}"
  }

  public static func submitted(_ turn: TurnID) -> String { "{\"submission_id\":\"\(turn)\"}" }
  public static func previous(_ status: AgentStatus) -> String { "{\"previous_status\":\(status.json)}" }
  public static func status(_ status: AgentStatus) -> String { "{\"status\":\(status.json)}" }

  /// V1: the final states that `wait_agent` found, each agent once; empty when the time ran out.
  public static func waited(_ found: [(String, AgentStatus)]) -> String {
    // The first of each, in the order in which they were asked for.
    let byName = found.indices.sorted { (found[$0].0, $0) < (found[$1].0, $1) }
    let firsts = byName.indices.filter { $0 == 0 || found[byName[$0]].0 != found[byName[$0 - 1]].0 }.map { byName[$0] }
    let members = firsts.sorted().map { "\(JSONText.quoted(found[$0].0)):\(found[$0].1.json)" }.joined(separator: ",")
    return "{\"status\":{\(members)},\"timed_out\":\(found.isEmpty)}"
  }

  /// V2: why `wait_agent` returns.
  public enum WaitEnd: String, Sendable {
    case mail = "There is mail; it follows this result."
    case input = "New input of the user ended the wait; it follows this result."
    case time = "The time is over and no mail came."
  }

  public static func waited(_ end: WaitEnd) -> String {
    "{\"message\":\(JSONText.quoted(end.rawValue)),\"timed_out\":\(end == .time)}"
  }
}
