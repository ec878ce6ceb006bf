// One tree of agents: its members, room for further ones, room for their turns, and the member that a name means (rules.md
// A1 to A6). Pure: members go in as their records say, decisions come out; the runtime carries the decisions out.
//
// G1  A slot that has been granted is counted until the agent runs or the grant is given back, so a decision holds
//     however many requests come at once (rules.md A3).
// G2  Members are what their own logs say; the tree adds grants and nothing else, so it can be built anew at any time.

public struct AgentTree: Sendable {
  /// One agent, the root among them.
  public struct Member: Equatable, Sendable {
    public var id: ThreadID
    public var lineage: Lineage
    public var createdAt: Int64
    public var version: MultiAgentVersion
    public var settings: Settings
    public var agent: AgentState?
    public var isRunning: Bool
    public var status: AgentStatus
    /// How its last turn ended.
    public var lastTurn: TurnStatus
    public var usage: TokenUsage
    public var waitingMessages: Int
    /// The oldest message that wants a turn, if none runs or waits; ids rise with time.
    public var wantsTurnSince: ItemID?
    public var archived: Bool

    public init(_ record: ThreadRecord) {
      id = record.id
      lineage = record.lineage ?? Lineage()
      createdAt = record.createdAt
      version = record.version
      settings = record.currentSettings
      agent = record.agent
      isRunning = record.running != nil
      status = record.agentStatus
      lastTurn = record.agent?.lastStatus ?? record.lastStatus
      usage = record.usage ?? TokenUsage()
      waitingMessages = record.mailbox.count
      let isIdle = record.running == nil && record.queue.isEmpty
      wantsTurnSince = isIdle ? record.mailbox.first { $0.triggerTurn }?.id : nil
      archived = record.archived
    }

    public var wantsTurn: Bool { wantsTurnSince != nil }
    public var isRoot: Bool { lineage.parent == nil }
    public var path: String { isRoot ? AgentPath.root : lineage.agentPath }
    public var isClosed: Bool { agent?.closed ?? false }
    public var parent: ThreadID? { lineage.parent }
  }

  public let root: ThreadID
  /// By id, which is the order in which they were made.
  public private(set) var members: [Member]
  /// Agents that are being made: no other agent may take their names or their places.
  private var births: [Lineage] = []
  /// Agents that may begin a turn and have not yet: none of them is the root, none runs.
  private var grants: [ThreadID] = []
  /// Agents that run, and those that are open; counted along, since both are asked for at every turn's end.
  private var running = 0
  private var open = 0

  public init(root: ThreadID, members: [Member]) {
    self.root = root
    self.members = members.sorted { $0.id < $1.id }
    for member in members { count(member, 1) }
  }

  private mutating func count(_ member: Member, _ by: Int) {
    guard !member.isRoot else { return }
    if member.isRunning { running += by }
    if !member.isClosed { open += by }
  }

  // MARK: Members

  private func index(_ id: ThreadID) -> Int? {
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low + high) / 2
      if members[middle].id < id { low = middle + 1 } else { high = middle }
    }
    return low < members.count && members[low].id == id ? low : nil
  }

  public func member(_ id: ThreadID) -> Member? { index(id).map { members[$0] } }

  /// The member as its thread is now; a new one joins.
  public mutating func update(_ member: Member) {
    count(member, 1)
    if let index = index(member.id) {
      count(members[index], -1)
      members[index] = member
    } else {
      let place = members.firstIndex { member.id < $0.id } ?? members.count
      members.insert(member, at: place)
    }
    if member.isRunning { grants.removeAll { $0 == member.id } }
  }

  public mutating func remove(_ id: ThreadID) {
    if let index = index(id) { count(members.remove(at: index), -1) }
    grants.removeAll { $0 == id }
  }

  private var rootMember: Member? { member(root) }
  public var version: MultiAgentVersion { rootMember?.version ?? members.first?.version ?? .unspecified }
  private var rootSettings: Settings { rootMember?.settings ?? Settings() }

  /// Tokens that all have used.
  public var usage: TokenUsage {
    members.reduce(into: TokenUsage()) { $0.add($1.usage) }
  }

  /// The tree's budget and its use; nil: no budget.
  public var quota: TreeQuota? { rootSettings.treeTokens.map { TreeQuota(used: usage.total, limit: $0) } }

  /// An agent's final answer starts a turn of its idle parent (A5).
  public var wakesParents: Bool { rootSettings.wakeParent ?? false }

  // MARK: Room (A2, A3)

  /// Agents that take a place: V2 those that run or are about to, V1 those that are open.
  private func taken(_ version: MultiAgentVersion) -> Int {
    version == .v1 ? open + births.count : running + grants.count + births.count
  }

  public func freeSlots(_ limits: Limits) -> Int {
    let version = version
    guard version == .v1 || version == .v2 else { return 0 }
    let most = version == .v1 ? limits.agentsOpenV1 : limits.agentsRunningV2 - 1
    return max(0, most - taken(version))
  }

  private func checkRoom(_ version: MultiAgentVersion, _ limits: Limits) throws(AgentError) {
    guard freeSlots(limits) == 0 else { return }
    throw AgentError(
      version == .v1
        ? "\(limits.agentsOpenV1) agents of this tree are open, and no more may be. Close one that is done with "
          + "close_agent, then try again."
        : "\(limits.agentsRunningV2) agents of this tree, the root included, are at work, and no more may be. Wait for one "
          + "to be done with wait_agent, or do the task yourself.")
  }

  // MARK: Spawning

  /// The place and the name of an agent that is being made.
  public struct Birth: Equatable, Sendable {
    public var lineage: Lineage
    public var path: String
  }

  /// Takes a place and a name for a new agent (G1); `born` or `stillborn` gives them back.
  public mutating func spawn(
    _ command: SpawnCommand, by caller: ThreadID, chance: UInt64, _ limits: Limits
  ) throws(AgentError) -> Birth {
    guard let parent = member(caller) else { throw AgentError("You are no longer part of this tree.") }
    let version = parent.version
    let depth = parent.lineage.depth &+ 1
    guard depth <= limits.agentDepth(version, rootSettings.agentDepth) else {
      throw AgentError("Agents this far down may not start further ones; do the task yourself.")
    }
    var path = ""
    if version == .v2 {
      try AgentPath.check(segment: command.name)
      path = parent.path + "/" + command.name
      guard !births.contains(where: { $0.agentPath == path }), !members.contains(where: { $0.path == path }) else {
        throw AgentError("There is an agent `\(path)` already; choose another name, or give that one a task.")
      }
    }
    let total = members.count - 1 + births.count
    let most = min(Int(rootSettings.agentTotal ?? .max), limits.agentsPerTree == 0 ? .max : limits.agentsPerTree)
    guard total < most else {
      throw AgentError("This tree has had \(total) agents and may have no more; give a task to one that is there.")
    }
    if let quota, quota.used >= quota.limit {
      throw AgentError("The tree has used its budget of \(quota.limit) tokens; finish with what there is.")
    }
    try checkRoom(version, limits)
    let taken = members.map(\.lineage.agentNickname) + births.map(\.agentNickname)
    let nickname = AgentNicknames.next(taken: taken, chance: chance)
    var lineage = Lineage(source: .agent, root: root, parent: caller)
    lineage.depth = depth
    lineage.agentNickname = nickname
    lineage.agentRole = command.role ?? ""
    // V1 knows no paths; this one is for people, and for the notices to its parent.
    lineage.agentPath = version == .v2 ? path : parent.path + "/" + Self.segment(nickname)
    births.append(lineage)
    return Birth(lineage: lineage, path: lineage.agentPath)
  }

  private static func segment(_ nickname: String) -> String {
    String(nickname.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
  }

  /// The agent is there, or will not be: its place is counted as its own, or free.
  public mutating func endBirth(_ birth: Birth) { births.removeAll { $0 == birth.lineage } }

  // MARK: Turns of agents (A3)

  /// Whether the agent may begin a turn now. The root always may; one that runs needs no slot.
  public mutating func grant(_ id: ThreadID, _ limits: Limits) -> Bool {
    guard let member = member(id) else { return false }
    if member.isRoot || member.isRunning || grants.contains(id) { return true }
    guard member.version != .v2 || freeSlots(limits) > 0 else { return false }
    if member.version == .v2 { grants.append(id) }
    return true
  }

  /// The same for a tool call, which gets an error when there is no slot.
  public mutating func claim(_ id: ThreadID, _ limits: Limits) throws(AgentError) {
    guard !grant(id, limits) else { return }
    try checkRoom(.v2, limits)
  }

  /// The agent did not begin after all.
  public mutating func giveBack(_ id: ThreadID) { grants.removeAll { $0 == id } }

  /// Agents that are on their way to a turn or into the tree.
  public var pending: Int { grants.count + births.count }

  /// Agents whose mail waits for a slot, in the order in which it began to wait, so that each gets its turn.
  public var waitingForSlots: [ThreadID] {
    members.filter { $0.wantsTurn && !$0.isClosed && !$0.archived }
      .sorted { ($0.wantsTurnSince ?? ItemID(), $0.id) < ($1.wantsTurnSince ?? ItemID(), $1.id) }.map(\.id)
  }

  // MARK: Names

  /// V2: by path, by a name below the caller's own, or by id.
  public func resolve(_ target: String, from caller: ThreadID) throws(AgentError) -> Member {
    // No name has a hyphen in it, an id has four.
    if target.contains("-"), let id = ThreadID(target) {
      guard let found = member(id) else { throw AgentError("There is no agent with the id \(id); see list_agents.") }
      return found
    }
    let own = member(caller)?.path ?? AgentPath.root
    let path = try AgentPath.resolve(target, from: own)
    guard let found = members.first(where: { $0.path == path }) else {
      throw AgentError("There is no agent `\(path.prefix(utf8Bytes: 200))`; see list_agents.")
    }
    return found
  }

  /// V1: by id.
  public func resolve(id text: String) throws(AgentError) -> Member {
    if text.isEmpty { throw AgentError("An agent's id is empty; give the one that spawn_agent returned.") }
    guard let id = ThreadID(text) else {
      throw AgentError("`\(text.prefix(utf8Bytes: 80))` is no agent's id; give the one that spawn_agent returned.")
    }
    guard let found = member(id), !found.isRoot else { throw AgentError("There is no agent with the id \(id).") }
    return found
  }

  /// The member and all below it, parents first. Not by the order of ids: a clock that stepped back between two runs of
  /// the server may have made a child's id the smaller one.
  public func below(_ id: ThreadID) -> [Member] {
    var children: [ThreadID: [Member]] = [:]
    for member in members { if let parent = member.parent { children[parent, default: []].append(member) } }
    var out = member(id).map { [$0] } ?? children.removeValue(forKey: id) ?? []
    var next = 0
    while next < out.count {
      // Taken out: a lineage that is damaged into a ring ends too.
      out += children.removeValue(forKey: out[next].id) ?? []
      next += 1
    }
    return out
  }

  /// Those that open when the agent does: all below it that were open when it was closed, parents first.
  public func closedTogether(with member: Member) -> [Member] {
    let above = [member.id, member.agent?.closedWith ?? member.id]
    return below(member.id).dropFirst().filter { $0.isClosed && above.contains($0.agent?.closedWith ?? $0.id) }
  }

  // MARK: Lists

  /// The result of `list_agents`.
  public func list(prefix: String, from caller: ThreadID, _ limits: Limits) throws(AgentError) -> String {
    let own = member(caller)?.path ?? AgentPath.root
    // Like a name, a prefix without a slash in front is below the caller; nothing means the whole tree.
    let prefix = try AgentPath.prefix(prefix, from: own)
    let shown = members.sorted { $0.isRoot && !$1.isRoot }.filter { AgentPath.isBelow($0.path, prefix) }
    let agents = shown.map { member in
      let task = member.isRoot ? "Main thread" : member.agent?.lastTask ?? ""
      // Answers whole would be larger than any frame; their agents have sent them already.
      let status = member.status.cut(utf8Bytes: limits.shownTaskBytes).json
      return "{\"agent_name\":\(JSONText.quoted(member.path)),\"agent_status\":\(status),"
        + "\"last_task_message\":\(task.isEmpty ? "null" : JSONText.quoted(task))}"
    }
    return "{\"agents\":[\(agents.joined(separator: ","))],\"free_slots\":\(freeSlots(limits))}"
  }
}
