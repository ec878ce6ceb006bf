// Reads what a model wrote as arguments of the server's own tools. V2 refuses fields that it does not know, V1 ignores
// them; every fault is told in words that the model can act on.

import HeddleCore
import HeddleJSON
import HeddleProtocol

/// The arguments of one call, by name.
struct ToolArguments {
  private let members: [JSONValue.Member]

  init(_ text: String) throws(AgentError) {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: text.isEmpty ? "{}" : text).withoutNUL } catch {
      // The parser quotes names, which are as long as the model likes.
      let fault = "\(error)".withoutNUL.prefix(utf8Bytes: 300)
      throw AgentError("The arguments are not JSON (\(fault)); call the tool again with one JSON object.")
    }
    guard case .object(let members) = value else {
      throw AgentError("The arguments are not one JSON object; call the tool again with one.")
    }
    self.members = members
  }

  /// What is wrong with the arguments of any tool, in words for the model (rules.md A10); nil: they are one JSON object.
  static func fault(_ text: String) -> String? {
    do throws(AgentError) { _ = try ToolArguments(text) } catch { return error.text }
    return nil
  }

  /// V2: nothing but these.
  func allow(only names: [String]) throws(AgentError) {
    guard let other = members.first(where: { !names.contains($0.name) }) else { return }
    throw AgentError(
      "There is no argument `\(other.name.prefix(utf8Bytes: 80))`; there are: \(names.joined(separator: ", ")).")
  }

  private func value(_ name: String) -> JSONValue? {
    guard let found = members.last(where: { $0.name == name })?.value, found != .null else { return nil }
    return found
  }

  func has(_ name: String) -> Bool { value(name) != nil }

  func text(_ name: String) throws(AgentError) -> String? {
    guard let value = value(name) else { return nil }
    guard case .text(let text) = value else { throw AgentError("`\(name)` is text.") }
    return text
  }

  func needed(_ name: String) throws(AgentError) -> String {
    guard let text = try text(name) else { throw AgentError("`\(name)` is missing.") }
    return text
  }

  func flag(_ name: String) throws(AgentError) -> Bool {
    guard let value = value(name) else { return false }
    guard case .bool(let flag) = value else { throw AgentError("`\(name)` is true or false.") }
    return flag
  }

  func number(_ name: String) throws(AgentError) -> Int64? {
    guard let value = value(name) else { return nil }
    guard case .number(let digits) = value, let number = Int64(digits) ?? Double(digits).flatMap(Int64.init(exactly:))
    else { throw AgentError("`\(name)` is a whole number.") }
    return number
  }

  func texts(_ name: String) throws(AgentError) -> [String]? {
    guard let value = value(name) else { return nil }
    guard case .list(let list) = value else { throw AgentError("`\(name)` is a list of texts.") }
    var out: [String] = []
    for entry in list {
      guard case .text(let text) = entry else { throw AgentError("`\(name)` is a list of texts.") }
      out.append(text)
    }
    return out
  }

  /// V1: `message`, or `items` with texts and images in words.
  func input() throws(AgentError) -> String {
    let message = try text("message")
    guard let items = value("items") else {
      guard let message else { throw AgentError("Give one of `message` and `items`.") }
      return try Self.filled(message)
    }
    guard message == nil else { throw AgentError("Give `message` or `items`, not both.") }
    guard case .list(let list) = items else { throw AgentError("`items` is a list of objects.") }
    guard !list.isEmpty else { throw AgentError("`items` is empty; give at least one.") }
    var lines: [String] = []
    for entry in list { lines.append(try Self.line(entry)) }
    return try Self.filled(lines.joined(separator: "\n"))
  }

  private static func line(_ value: JSONValue) throws(AgentError) -> String {
    guard case .object(let members) = value else { throw AgentError("`items` is a list of objects.") }
    func member(_ name: String) -> String? {
      for member in members where member.name == name {
        if case .text(let text) = member.value { return text }
      }
      return nil
    }
    // Kinds that a program at a desk would resolve reach the agent by their names.
    if let text = member("text") { return text }
    if let place = member("image_url") ?? member("path") {
      return "[\(member("name") ?? member("type") ?? "file")](\(place))"
    }
    throw AgentError("An item has `text`, `image_url` or `path`.")
  }

  private static func filled(_ text: String) throws(AgentError) -> String {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw AgentError("An empty message cannot be sent to an agent; say what it is to do.")
    }
    return text
  }
}

extension AgentCommand {
  /// The command that a call means.
  init(_ call: ToolCallItem, _ version: MultiAgentVersion, _ rules: ServerRules) throws(AgentError) {
    let arguments = try ToolArguments(call.arguments)
    self =
      try version == .v1
      ? Self.v1(call.name, arguments, rules.limits) : Self.v2(call.name, arguments, rules)
  }

  private static func v1(
    _ name: String, _ arguments: ToolArguments, _ limits: Limits
  ) throws(AgentError) -> AgentCommand {
    switch name {
    case "spawn_agent":
      return .spawn(
        SpawnCommand(
          text: try checked(arguments.input(), limits), history: try arguments.flag("fork_context") ? .all : .none,
          role: try arguments.text("agent_type"), model: try arguments.text("model"),
          reasoningEffort: try arguments.text("reasoning_effort"), serviceTier: try arguments.text("service_tier")))
    case "send_input":
      return .sendInput(
        target: try arguments.needed("target"), text: try checked(arguments.input(), limits),
        interrupts: try arguments.flag("interrupt"))
    case "wait_agent":
      guard let targets = try arguments.texts("targets"), !targets.isEmpty else {
        throw AgentError("`targets` is missing; name at least one agent by its id.")
      }
      return .wait(targets: targets, milliseconds: try v1Wait(arguments.number("timeout_ms"), limits))
    case "close_agent": return .close(target: try arguments.needed("target"))
    case "resume_agent": return .resume(target: try arguments.needed("id"))
    default: throw AgentError("There is no tool named `\(name)`.")
    }
  }

  /// rules.md A8: V1 takes what is out of bounds for the bound.
  private static func v1Wait(_ wanted: Int64?, _ limits: Limits) throws(AgentError) -> Int64 {
    guard let wanted else { return limits.agentWaitMilliseconds }
    guard wanted > 0 else { throw AgentError("`timeout_ms` is greater than 0.") }
    return min(max(wanted, limits.agentWaitMinimumMilliseconds), limits.agentWaitMaximumMilliseconds)
  }

  private static func v2(
    _ name: String, _ arguments: ToolArguments, _ rules: ServerRules
  ) throws(AgentError) -> AgentCommand {
    let limits = rules.limits
    switch name {
    case "spawn_agent":
      let options = rules.texts.spawnOptions ? ["agent_type", "model", "reasoning_effort", "service_tier"] : []
      if arguments.has("fork_context") {
        throw AgentError("There is no argument `fork_context` here; use `fork_turns`.")
      }
      try arguments.allow(only: ["task_name", "message", "fork_turns"] + options)
      return .spawn(
        SpawnCommand(
          name: try arguments.needed("task_name"), text: try message(arguments, limits),
          history: try CopiedTurns(try arguments.text("fork_turns") ?? "all"), role: try arguments.text("agent_type"),
          model: try arguments.text("model"), reasoningEffort: try arguments.text("reasoning_effort"),
          serviceTier: try arguments.text("service_tier")))
    case "send_message", "followup_task":
      try arguments.allow(only: ["target", "message"])
      return .send(
        target: try arguments.needed("target"), text: try message(arguments, limits), isTask: name == "followup_task")
    case "wait_agent":
      try arguments.allow(only: ["timeout_ms"])
      return .wait(targets: [], milliseconds: try v2Wait(arguments.number("timeout_ms"), limits))
    case "interrupt_agent":
      try arguments.allow(only: ["target"])
      return .interrupt(target: try arguments.needed("target"))
    case "list_agents":
      try arguments.allow(only: ["path_prefix"])
      return .list(prefix: try arguments.text("path_prefix") ?? "")
    default: throw AgentError("There is no tool named `\(name)`.")
    }
  }

  private static func message(_ arguments: ToolArguments, _ limits: Limits) throws(AgentError) -> String {
    let text = try arguments.needed("message")
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw AgentError("An empty message cannot be sent to an agent; say what it is to do.")
    }
    return try checked(text, limits)
  }

  private static func checked(_ text: String, _ limits: Limits) throws(AgentError) -> String {
    guard text.utf8.count <= limits.mailBytes else {
      throw AgentError("A message to an agent has at most \(limits.mailBytes) bytes; shorten it.")
    }
    return text
  }

  /// rules.md A8: V2 refuses what is out of bounds.
  private static func v2Wait(_ wanted: Int64?, _ limits: Limits) throws(AgentError) -> Int64 {
    guard let wanted else { return limits.agentWaitMilliseconds }
    guard wanted >= limits.agentWaitMinimumMilliseconds else {
      throw AgentError("`timeout_ms` is at least \(limits.agentWaitMinimumMilliseconds).")
    }
    guard wanted <= limits.agentWaitMaximumMilliseconds else {
      throw AgentError("`timeout_ms` is at most \(limits.agentWaitMaximumMilliseconds).")
    }
    return wanted
  }
}

extension ClientCall.Question {
  /// The question that a call of `request_user_input` asks.
  init(_ call: ToolCallItem, _ limits: Limits) throws(AgentError) {
    let arguments = try ToolArguments(call.arguments)
    let text = try arguments.needed("question")
    guard text.contains(where: { !$0.isWhitespace }) else { throw AgentError("`question` is empty; ask something.") }
    let choices = try arguments.texts("choices") ?? []
    guard text.utf8.count <= limits.longTextBytes, choices.count <= 64,
      choices.allSatisfy({ $0.utf8.count <= limits.metadataValueBytes })
    else { throw AgentError("The question or its choices are too long; 64 choices at most.") }
    self.init(text: text, choices: choices)
  }
}
