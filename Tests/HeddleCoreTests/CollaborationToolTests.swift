// rules.md A1, A9, V10: the tools that a turn offers, their parameters, and the executor of a call.

import Foundation
import HeddleCore
import Testing

/// A tool as its model reads it.
private struct Schema: Equatable {
  /// Parameters with their types.
  var parameters: [String: String]
  var required: Set<String>

  init(_ parameters: [String: String], _ required: Set<String> = []) {
    self.parameters = parameters
    self.required = required
  }

  init(_ tool: ToolDefinition) throws {
    let parsed = try JSONSerialization.jsonObject(with: Data(tool.schema.utf8))
    let object = try #require(parsed as? [String: Any])
    #expect(Set(object.keys) == ["type", "properties", "required", "additionalProperties"])
    #expect(object["type"] as? String == "object" && object["additionalProperties"] as? Bool == false)
    let properties = try #require(object["properties"] as? [String: [String: Any]])
    parameters = try properties.mapValues { property in
      #expect((property["description"] as? String)?.isEmpty == false)
      return try #require(property["type"] as? String)
    }
    let names = try #require(object["required"] as? [String])
    required = Set(names)
    #expect(names.count == required.count && required.isSubset(of: parameters.keys))
  }
}

@Suite struct CollaborationToolTests {
  private static let v1: [String: Schema] = [
    "spawn_agent": Schema([
      "message": "string", "items": "array", "agent_type": "string", "fork_context": "boolean", "model": "string",
      "reasoning_effort": "string", "service_tier": "string",
    ]),
    "send_input": Schema(
      ["target": "string", "message": "string", "items": "array", "interrupt": "boolean"], ["target"]),
    "wait_agent": Schema(["targets": "array", "timeout_ms": "number"], ["targets"]),
    "close_agent": Schema(["target": "string"], ["target"]),
    "resume_agent": Schema(["id": "string"], ["id"]),
  ]
  private static let v2: [String: Schema] = [
    "spawn_agent": Schema(
      ["task_name": "string", "message": "string", "fork_turns": "string"], ["task_name", "message"]),
    "send_message": Schema(["target": "string", "message": "string"], ["target", "message"]),
    "followup_task": Schema(["target": "string", "message": "string"], ["target", "message"]),
    "wait_agent": Schema(["timeout_ms": "number"]),
    "interrupt_agent": Schema(["target": "string"], ["target"]),
    "list_agents": Schema(["path_prefix": "string"]),
  ]
  private static let options = [
    "agent_type": "string", "model": "string", "reasoning_effort": "string", "service_tier": "string",
  ]

  private func tools(
    _ version: MultiAgentVersion, depth: UInt32 = 0, settings: Settings = Settings(), asksUser: Bool = false,
    client: [ToolDefinition] = [], rules: ServerRules = ServerRules()
  ) -> [ToolDefinition] {
    var record = ThreadRecord(lineage: Lineage())
    record.lineage?.depth = depth
    record.asksUser = asksUser
    record.tools = client
    return record.tools(for: TurnContext(settings: settings, version: version), rules)
  }

  private func schemas(_ tools: [ToolDefinition]) throws -> [String: Schema] {
    #expect(Set(tools.map(\.name)).count == tools.count)
    #expect(tools.allSatisfy { !$0.description.isEmpty })
    return try Dictionary(uniqueKeysWithValues: tools.map { ($0.name, try Schema($0)) })
  }

  @Test(
    "A1: V1 and V2 offer their tools with the parameters that clients know, needed and optional; nobody else offers any"
  )
  func sets() throws {
    #expect(try schemas(tools(.v1)) == Self.v1)
    #expect(try schemas(tools(.v2)) == Self.v2)
    #expect(tools(.disabled) == [] && tools(.unspecified) == [])
  }

  @Test("A1: V2 shows the options of spawning where the configuration says so; V1 always has them")
  func options() throws {
    let rules = ServerRules().changed { $0.texts.spawnOptions = true }
    var expected = Self.v2
    expected["spawn_agent"]?.parameters.merge(Self.options) { $1 }
    #expect(try schemas(tools(.v2, rules: rules)) == expected)
    #expect(try schemas(tools(.v1, rules: rules)) == Self.v1)
  }

  @Test("A2: an agent as deep as agents may be is offered no spawning, and in V1 nothing at all")
  func depth() throws {
    var settings = Settings()
    settings.agentDepth = 1
    #expect(tools(.v1, depth: 1) == [])
    #expect(try schemas(tools(.v2, depth: 3)) == Self.v2)
    var leaf = Self.v2
    leaf["spawn_agent"] = nil
    #expect(try schemas(tools(.v2, depth: 4)) == leaf)
    #expect(try schemas(tools(.v2, depth: 1, settings: settings)) == leaf)
    #expect(try schemas(tools(.v2, depth: .max)) == leaf)
    let unlimited = ServerRules().changed { ($0.limits.agentDepthV1, $0.limits.agentDepthV2) = (0, 0) }
    #expect(try schemas(tools(.v1, depth: 9, rules: unlimited)) == Self.v1)
    #expect(try schemas(tools(.v2, depth: 9, rules: unlimited)) == Self.v2)
    settings.agentDepth = 0
    #expect(tools(.v1, settings: settings) == [] && tools(.v2, settings: settings).count == leaf.count)
  }

  @Test("A2 A8: descriptions say the limits that hold, also where the configuration changed them")
  func limits() throws {
    let rules = ServerRules().changed { rules in
      (rules.limits.agentsOpenV1, rules.limits.agentsRunningV2) = (17, 19)
      (rules.limits.agentWaitMinimumMilliseconds, rules.limits.agentWaitMaximumMilliseconds) = (23_000, 29_000)
    }
    func text(_ name: String, _ version: MultiAgentVersion) -> String {
      tools(version, rules: rules).first { $0.name == name }.map { $0.description + $0.schema } ?? ""
    }
    #expect(text("spawn_agent", .v1).contains("17") && text("spawn_agent", .v2).contains("19"))
    #expect(text("wait_agent", .v1).contains("23 to 29 s"))
    #expect(text("wait_agent", .v2).contains("23000 to 29000"))
  }

  @Test(
    "A9: the question is offered where a person can be asked; the client's tools come as they were given, behind the others"
  )
  func others() throws {
    let client = [ToolDefinition(name: "look", description: "", schema: "any text"), ToolDefinition(name: "fetch")]
    let all = tools(.disabled, asksUser: true, client: client)
    #expect(all.map(\.name) == [CollaborationTools.question, "look", "fetch"] && all.suffix(2) == client[...])
    #expect(try Schema(all[0]) == Schema(["question": "string", "choices": "array"], ["question"]))
    #expect(tools(.v2, client: client).suffix(2) == client[...])
  }

  @Test("A9: no client's tool may have a name of the server's, of whatever version")
  func reserved() {
    for name in Array(Self.v1.keys) + Array(Self.v2.keys) + [CollaborationTools.question] {
      #expect(CollaborationTools.isReserved(name))
    }
    #expect(!CollaborationTools.isReserved("look") && !CollaborationTools.isReserved("Spawn_agent"))
    #expect(Set(CollaborationTools.names(.v1)) == Set(Self.v1.keys))
    #expect(Set(CollaborationTools.names(.v2)) == Set(Self.v2.keys))
    #expect(CollaborationTools.names(.disabled) == [] && CollaborationTools.names(.unspecified) == [])
  }

  @Test("V10 A1: the version of the turn says what a call is: the tree's, or of a tool that nobody has")
  func kinds() throws {
    for (model, known, unknown) in [
      ("scripted-v1", "close_agent", "list_agents"), ("scripted-v2", "list_agents", "close_agent"),
      ("scripted-disabled", "", "spawn_agent"),
    ] {
      let driver = try ThreadDriver.client([], model)
      try driver.startTurn()
      driver.call(known.isEmpty ? unknown : known, unknown)
      #expect(driver.toolCalls == (known.isEmpty ? [] : [known]))
      #expect(driver.outputs.map(\.reason) == (known.isEmpty ? ["tool_unknown", "tool_unknown"] : ["tool_unknown"]))
    }
  }
}

@Suite struct JSONTextTests {
  @Test("Texts that the core writes into JSON are escaped where JSON wants it, and nowhere else")
  func escapes() {
    #expect(JSONText.quoted("plain é€😀 / '") == "\"plain é€😀 / '\"")
    #expect(JSONText.quoted("\" \\ \n \r \t \u{0} \u{1F} \u{7F}") == "\"\\\" \\\\ \\n \\r \\t \\u0000 \\u001f \u{7F}\"")
  }
}
