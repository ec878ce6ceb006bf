// Whose history a rollout is: identity, lineage and version, from its session metas. The first meta is the identity; later
// ones with the same id bring it up to date; metas with other ids are those of the threads that this one was copied from.

import HeddleCore
import HeddleJSON

struct ThreadIdentity {
  /// The record of the first session meta.
  let record: Int
  let thread: ThreadID
  let lineage: Lineage
  let createdAt: Int64
  let version: MultiAgentVersion
  let versionSource: VersionSource
  let modelProvider: String
  let baseInstructions: String?
  let workingFolder: String?
  let tools: [ToolDefinition]

  /// Nil without a session meta that has an id.
  init?(_ file: RolloutFile) {
    guard let record = file.records.firstIndex(where: { $0.kind == .sessionMeta }) else { return nil }
    let first = file.records[record]
    guard let name = first.payload.text("id") else { return nil }
    let metas = file.records.filter { $0.kind == .sessionMeta }
    self.record = record
    let own = metas.filter { $0.payload.text("id") == name }.map(\.payload)
    let thread = DerivedIDs.thread(name)
    self.thread = thread
    lineage = Self.lineage(of: thread, first.payload, own)
    createdAt = first.payload.text("timestamp").flatMap { Timestamp.ofRecord($0) } ?? first.at
    (version, versionSource) = Self.version(own, metas.map(\.payload), file, isFork: lineage.forkedFrom != nil)
    modelProvider = Self.newest("model_provider", own) ?? ""
    baseInstructions =
      own.reversed().lazy.compactMap { $0["base_instructions"]?.text("text") ?? $0.text("instructions") }.first
    workingFolder = Self.newest("cwd", own)
    tools = (first.payload["dynamic_tools"]?.elements ?? []).compactMap { tool in
      guard let name = tool.text("name") else { return nil }
      let schema = (tool["inputSchema"] ?? tool["input_schema"]).map { file.text($0.range) }
      return ToolDefinition(name: name, description: tool.text("description") ?? "", schema: schema ?? "")
    }
  }

  static func version(_ text: String?) -> MultiAgentVersion? {
    switch text {
    case "v1": .v1
    case "v2": .v2
    case "disabled": .disabled
    default: nil
    }
  }

  /// The rules V2 and V4: the newest version in the thread's own metas, else the newest in a turn context, and for a fork
  /// (whose copied history counts) else the newest in any meta; where nobody ever stored one, V1. What is null, or a name
  /// that is not known, never hides an older value.
  private static func version(
    _ own: [JSONNode], _ metas: [JSONNode], _ file: RolloutFile, isFork: Bool
  ) -> (MultiAgentVersion, VersionSource) {
    let contexts = file.records.filter { $0.kind == .turnContext }.map(\.payload)
    for sources in [own, contexts, isFork ? metas : []] {
      let newest = sources.reversed().lazy.compactMap { version($0.text("multi_agent_version")) }.first
      if let newest { return (newest, .stored) }
    }
    return (.v1, .legacy)
  }

  private static func newest(_ name: String, _ metas: [JSONNode]) -> String? {
    metas.reversed().lazy.compactMap { $0.text(name) }.first
  }

  private static func lineage(of thread: ThreadID, _ first: JSONNode, _ own: [JSONNode]) -> Lineage {
    // A spawned agent; a review or another helper has a text here.
    let spawn = first["source"]?["subagent"]?["thread_spawn"]
    let parent = (first.text("parent_thread_id") ?? spawn?.text("parent_thread_id")).map { DerivedIDs.thread($0) }
    let session = first.text("session_id").map { DerivedIDs.thread($0) }
    let depth = spawn?["depth"]?.integer.flatMap { UInt32(exactly: $0) }
    let program = [first.text("originator"), first.text("cli_version")].compactMap { $0 }
    return Lineage(
      source: .import,
      // Versions before 0.144 did not store the root of a tree. The parent is it for all but grandchildren.
      root: parent == nil ? thread : session ?? parent ?? thread,
      parent: parent,
      forkedFrom: first.text("forked_from_id").map { DerivedIDs.thread($0) },
      depth: depth ?? (parent == nil ? 0 : 1),
      agentPath: newest("agent_path", own) ?? spawn?.text("agent_path") ?? "",
      agentNickname: newest("agent_nickname", own) ?? spawn?.text("agent_nickname") ?? "",
      agentRole: newest("agent_role", own) ?? newest("agent_type", own) ?? spawn?.text("agent_role") ?? "",
      origin: program.joined(separator: " "))
  }
}
