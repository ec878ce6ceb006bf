// The tools that a turn offers to its model: those for working with other agents, by version (rules.md A1, V10), the
// question to the person at the client, and the client's own tools (A9). Names, parameters and results are those of
// the runtime that clients know; the descriptions are ours.

/// The executor of a tool call.
public enum ToolKind: Equatable, Sendable {
  /// The server, with other agents.
  case collaboration
  /// A person at a client.
  case question
  /// A client.
  case client
  /// Nobody.
  case unknown
}

/// The server's own tools.
public enum CollaborationTools {
  public static let question = "request_user_input"
  static let v1 = ["spawn_agent", "send_input", "wait_agent", "close_agent", "resume_agent"]
  static let v2 = ["spawn_agent", "send_message", "followup_task", "wait_agent", "interrupt_agent", "list_agents"]

  /// Names that no client's tool may have.
  public static func isReserved(_ name: String) -> Bool { name == question || v1.contains(name) || v2.contains(name) }

  public static func names(_ version: MultiAgentVersion) -> [String] {
    switch version {
    case .v1: v1
    case .v2: v2
    case .disabled, .unspecified: []
    }
  }

  /// The tools that a turn of this version offers at this depth.
  static func definitions(_ version: MultiAgentVersion, depth: UInt32, settings: Settings?, _ rules: ServerRules)
    -> [ToolDefinition]
  {
    let limits = rules.limits
    switch version {
    case .v1:
      // An agent that may not spawn has no agent to work with.
      return depth < limits.agentDepth(.v1, settings?.agentDepth) ? v1Tools(limits) : []
    case .v2:
      let maySpawn = depth < limits.agentDepth(.v2, settings?.agentDepth)
      return v2Tools(rules).filter { maySpawn || $0.name != "spawn_agent" }
    case .disabled, .unspecified: return []
    }
  }

  // MARK: V1

  private static func v1Tools(_ limits: Limits) -> [ToolDefinition] {
    let seconds = (limits.agentWaitMinimumMilliseconds / 1000, limits.agentWaitMaximumMilliseconds / 1000)
    return [
      tool(
        "spawn_agent",
        "Starts another agent on a task of its own and returns its id at once, while it works. At most "
          + "\(limits.agentsOpenV1) agents can be open in one tree; one that is done counts until it is closed.",
        [
          .text("message", "The task, in words. Either this or `items`."), items,
          .text("agent_type", "Its role: `default`, `explorer` (reads and reports) or `worker` (carries a task out)."),
          .flag("fork_context", "Whether it is given a copy of this conversation."),
          .text("model", "Another model than yours."), .text("reasoning_effort", "Another effort than yours."),
          .text("service_tier", "Another service tier than yours."),
        ], required: []),
      tool(
        "send_input", "Gives an agent further input: while it works it is added, when it is idle it starts on it.",
        [
          .text("target", "The agent's id."), .text("message", "The input. Either this or `items`."), items,
          .flag("interrupt", "Whether to stop first what it is doing."),
        ], required: ["target"]),
      tool(
        "wait_agent",
        "Waits until any of the agents has come to an end, and returns the status of those that have; an empty one when "
          + "the time is over.",
        [
          .list("targets", "Ids of agents."),
          .number("timeout_ms", "How long at most, milliseconds; \(seconds.0) to \(seconds.1) s."),
        ], required: ["targets"]),
      tool(
        "close_agent", "Closes an agent and all below it: what it does ends, and its place is free.",
        [.text("target", "The agent's id.")], required: ["target"]),
      tool(
        "resume_agent", "Opens a closed agent again, with what it knew.", [.text("id", "The agent's id.")],
        required: ["id"]),
    ]
  }

  // MARK: V2

  private static func v2Tools(_ rules: ServerRules) -> [ToolDefinition] {
    let limits = rules.limits
    var spawn: [Parameter] = [
      .text("task_name", "Its name, a-z, 0-9 and _; its path is yours, then `/`, then this."),
      .text("message", "Its task, in words."),
      .text("fork_turns", "How much of this conversation it is given: `all` (default), `none`, or a number of turns."),
    ]
    if rules.texts.spawnOptions {
      spawn += [
        .text("agent_type", "Its role: `default`, `explorer` (reads and reports) or `worker` (carries a task out)."),
        .text("model", "Another model than yours."), .text("reasoning_effort", "Another effort than yours."),
        .text("service_tier", "Another service tier than yours."),
      ]
    }
    return [
      tool(
        "spawn_agent",
        "Starts another agent on a task and returns its path at once, while it works. At most \(limits.agentsRunningV2) "
          + "agents, you included, work at the same time. Its answer comes to you as a message.",
        spawn, required: ["task_name", "message"]),
      tool(
        "send_message", "Leaves a message for an agent; it reads it at its next step, or with its next task.",
        [target, .text("message", "The message.")], required: ["target", "message"]),
      tool(
        "followup_task", "Gives an agent another task; an idle one starts on it at once.",
        [target, .text("message", "The task.")], required: ["target", "message"]),
      tool(
        "wait_agent", "Waits until a message for you comes, or new input of the user.",
        [
          .number(
            "timeout_ms",
            "How long at most, milliseconds; \(limits.agentWaitMinimumMilliseconds) to "
              + "\(limits.agentWaitMaximumMilliseconds).")
        ], required: []),
      tool(
        "interrupt_agent", "Stops what an agent is doing; it stays there for further tasks.", [target],
        required: ["target"]),
      tool(
        "list_agents", "Lists the agents with what they do, and how many more may work now.",
        [.text("path_prefix", "Only those at or below this path.")], required: []),
    ]
  }

  // MARK: The question

  static var questionTool: ToolDefinition {
    tool(
      question, "Asks the person you work for, and waits for the answer. Use it when you cannot go on without one.",
      [.text("question", "What to ask."), .list("choices", "Answers to choose from; leave it out for any text.")],
      required: ["question"])
  }

  // MARK: Schemas

  private static let target = Parameter.text("target", "A path, or a name below your own path, or an id.")
  private static let items = Parameter(
    name: "items",
    schema: #"{"type":"array","items":{"type":"object"},"description":"The input in parts: "#
      + #"{\"type\":\"text\",\"text\":…} or {\"type\":\"image\",\"image_url\":…}."}"#)

  private struct Parameter {
    var name: String
    var schema: String

    static func text(_ name: String, _ text: String) -> Parameter { simple(name, "string", text) }
    static func flag(_ name: String, _ text: String) -> Parameter { simple(name, "boolean", text) }
    static func number(_ name: String, _ text: String) -> Parameter { simple(name, "number", text) }

    static func list(_ name: String, _ text: String) -> Parameter {
      Parameter(
        name: name,
        schema: "{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\(JSONText.quoted(text))}")
    }

    private static func simple(_ name: String, _ type: String, _ text: String) -> Parameter {
      Parameter(name: name, schema: "{\"type\":\"\(type)\",\"description\":\(JSONText.quoted(text))}")
    }
  }

  private static func tool(
    _ name: String, _ description: String, _ parameters: [Parameter], required: [String]
  ) -> ToolDefinition {
    let properties = parameters.map { "\(JSONText.quoted($0.name)):\($0.schema)" }.joined(separator: ",")
    let names = required.map(JSONText.quoted).joined(separator: ",")
    return ToolDefinition(
      name: name, description: description,
      schema: "{\"type\":\"object\",\"properties\":{\(properties)},\"required\":[\(names)],"
        + "\"additionalProperties\":false}")
  }
}

extension Limits {
  /// How deep agents may be: the server's limit, or less if the settings say so.
  public func agentDepth(_ version: MultiAgentVersion, _ wanted: UInt32?) -> UInt32 {
    let most = version == .v1 ? agentDepthV1 : agentDepthV2
    // 0: none.
    return min(most == 0 ? .max : most, wanted ?? .max)
  }
}

extension ThreadRecord {
  /// Everything that a turn offers to its model.
  public func tools(for context: TurnContext, _ rules: ServerRules) -> [ToolDefinition] {
    var out = CollaborationTools.definitions(
      context.version, depth: lineage?.depth ?? 0, settings: context.settings, rules)
    if asksUser { out.append(CollaborationTools.questionTool) }
    return out + toolsInUse
  }

  /// The executor of a call. Only the version in the turn's context decides (rules.md V10).
  func kind(of call: ToolCallItem, in context: TurnContext?) -> ToolKind {
    if CollaborationTools.names(context?.version ?? .unspecified).contains(call.name) { return .collaboration }
    if asksUser, call.name == CollaborationTools.question { return .question }
    return toolsInUse.contains { $0.name == call.name } ? .client : .unknown
  }
}
