// rules.md A2, A3, A6: room for agents, room for their turns, and names.

import HeddleCore
import Testing

/// A tree whose members are records, as a store would have them.
private final class Grove {
  var tree: AgentTree
  var records: [ThreadID: ThreadRecord]
  var limits: Limits
  let root: ThreadID
  private let version: MultiAgentVersion
  private var ids = IDGenerator(seed: 5)

  init(_ version: MultiAgentVersion, _ settings: Settings = Settings(), limits: Limits = Limits()) {
    self.version = version
    self.limits = limits
    let root = ThreadID(high: 1, low: 1)
    var record = ThreadRecord(id: root, lineage: Lineage(source: .client, root: root), settings: settings)
    record.version = version
    self.root = root
    records = [root: record]
    tree = AgentTree(root: root, members: [AgentTree.Member(record)])
  }

  var free: Int { tree.freeSlots(limits) }

  /// Builds the tree anew from the stored records, as after a restart.
  func restart() {
    for id in records.keys { records[id]?.running = nil }
    tree = AgentTree(root: root, members: records.values.map { AgentTree.Member($0) })
  }

  func change(_ id: ThreadID, _ change: (inout ThreadRecord) -> Void) {
    guard var record = records[id] else { return }
    change(&record)
    records[id] = record
    tree.update(AgentTree.Member(record))
  }

  func birth(_ name: String = "", by parent: ThreadID? = nil) throws(AgentError) -> AgentTree.Birth {
    try tree.spawn(SpawnCommand(name: name, text: "do"), by: parent ?? root, chance: 7, limits)
  }

  /// A child that runs.
  @discardableResult
  func spawn(
    _ name: String = "", by parent: ThreadID? = nil, id: ThreadID? = nil
  ) throws(AgentError) -> ThreadID {
    let birth = try birth(name, by: parent)
    let id = id ?? ids.next(at: 1)
    var record = ThreadRecord(id: id, lineage: birth.lineage, agent: AgentState())
    record.version = version
    record.running = RunningTurn()
    records[id] = record
    tree.update(AgentTree.Member(record))
    tree.endBirth(birth)
    return id
  }

  func finish(_ id: ThreadID, answer: String = "done") {
    change(id) { record in
      record.running = nil
      record.agent?.lastStatus = .completed
      record.agent?.lastAnswer = answer
    }
  }

  /// Whether the agent may begin a turn now.
  func grant(_ id: ThreadID) -> Bool { tree.grant(id, limits) }

  /// The error of a refused spawn; empty: the spawn was accepted.
  func refusal(_ name: String = "", by parent: ThreadID? = nil) -> String {
    do throws(AgentError) { _ = try birth(name, by: parent) } catch { return error.text }
    return ""
  }
}

extension AgentError {
  fileprivate static func said(_ body: () throws(AgentError) -> Void) -> String {
    do throws(AgentError) { try body() } catch { return error.text }
    return ""
  }
}

@Suite struct AgentRoomTests {
  @Test("A2: V1 has room for 6 open agents; one that has ended counts until it is closed, and again when it is opened")
  func v1() throws {
    let grove = Grove(.v1)
    var agents: [ThreadID] = []
    for _ in 0..<6 { agents.append(try grove.spawn()) }
    for agent in agents { grove.finish(agent) }
    #expect(grove.free == 0)
    let text = grove.refusal()
    #expect(text.contains("6 agents") && text.contains("close_agent"))
    grove.change(agents[2]) { $0.agent?.closed = true }
    #expect(grove.free == 1)
    grove.change(agents[2]) { $0.agent?.closed = false }
    #expect(grove.free == 0)
    grove.change(agents[2]) { $0.agent?.closed = true }
    try grove.spawn()
    #expect(grove.free == 0)
  }

  @Test("A2: V2 runs 4 at once, the root counted; one that has ended counts no more, loaded or not")
  func v2() throws {
    let grove = Grove(.v2)
    grove.change(grove.root) { $0.running = RunningTurn() }
    let first = try grove.spawn("a")
    try grove.spawn("b")
    try grove.spawn("c")
    #expect(grove.free == 0)
    let text = grove.refusal("d")
    #expect(text.contains("4 agents") && text.contains("wait_agent"))
    grove.finish(first)
    #expect(grove.free == 1)
    try grove.spawn("d")
    #expect(grove.free == 0)
    // Unloading is not seen here: members are what their records say.
    grove.restart()
    #expect(grove.free == 3)
    #expect(grove.tree.members.count == 5)
  }

  @Test("A2: whether the root runs changes nothing about the room; DISABLED has none")
  func root() {
    let grove = Grove(.v2)
    #expect(grove.free == 3)
    grove.change(grove.root) { $0.running = RunningTurn() }
    #expect(grove.free == 3)
    #expect(Grove(.disabled).free == 0)
    #expect(Grove(.unspecified).free == 0)
  }

  @Test("A3: a place that was given counts until the agent is there or will not be, for V1 and V2")
  func births() throws {
    for version in [MultiAgentVersion.v1, .v2] {
      let grove = Grove(version)
      grove.limits.agentsOpenV1 = 3
      let births = [try grove.birth("a"), try grove.birth("b"), try grove.birth("c")]
      #expect(grove.free == 0)
      #expect(grove.refusal("d") != "")
      for (index, birth) in births.enumerated() {
        grove.tree.endBirth(birth)
        #expect(grove.free == index + 1)
        grove.tree.endBirth(birth)
        #expect(grove.free == index + 1)
      }
    }
  }

  @Test("A3: agents that are being made at the same time have names of their own, so one's end frees one place")
  func namesOfBirths() throws {
    let grove = Grove(.v1)
    let births = [try grove.birth(), try grove.birth(), try grove.birth()]
    #expect(Set(births.map(\.lineage.agentNickname)).count == 3)
    #expect(Set(births.map(\.path)).count == 3)
    #expect(grove.free == 3)
    grove.tree.endBirth(births[0])
    #expect(grove.free == 4)
  }

  @Test("A3: a turn that was granted counts until it runs or is given back; a grant is given once")
  func grants() throws {
    let grove = Grove(.v2)
    var agents: [ThreadID] = []
    for name in ["a", "b", "c"] { agents.append(try grove.spawn(name)) }
    for agent in agents { grove.finish(agent) }
    agents.append(try grove.spawn("d"))
    grove.finish(agents[3])
    for agent in agents[..<3] {
      #expect(grove.grant(agent))
      #expect(grove.grant(agent))
    }
    #expect(grove.free == 0)
    #expect(!grove.grant(agents[3]))
    let text = AgentError.said { () throws(AgentError) in try grove.tree.claim(agents[3], grove.limits) }
    #expect(text.contains("4 agents"))
    grove.change(agents[0]) { $0.running = RunningTurn() }
    #expect(grove.free == 0)
    grove.finish(agents[0])
    #expect(grove.free == 1)
    grove.tree.giveBack(agents[1])
    grove.tree.giveBack(agents[1])
    #expect(grove.free == 2)
    grove.tree.remove(agents[2])
    #expect(grove.free == 3)
    #expect(!grove.grant(agents[2]))
  }

  @Test("A2: the root, an agent that runs and a V1 agent begin turns without a slot")
  func unlimited() throws {
    let grove = Grove(.v2)
    grove.limits.agentsRunningV2 = 2
    let busy = try grove.spawn("a")
    #expect(grove.free == 0)
    #expect(grove.grant(grove.root) && grove.grant(busy))
    #expect(grove.free == 0)
    grove.finish(busy)
    #expect(grove.free == 1)
    let old = Grove(.v1)
    old.limits.agentsOpenV1 = 1
    let only = try old.spawn()
    old.finish(only)
    #expect(old.grant(only))
    #expect(old.free == 0)
  }

  @Test("A2: limits of nothing give no room, and trap nothing")
  func noRoom() {
    for version in [MultiAgentVersion.v1, .v2] {
      let grove = Grove(version)
      (grove.limits.agentsOpenV1, grove.limits.agentsRunningV2) = (0, 0)
      #expect(grove.free == 0)
      #expect(grove.refusal("a") != "")
    }
  }
}

@Suite struct AgentSpawnTests {
  @Test("A2 A4: a child knows its parent, its root, its depth and its version's path")
  func lineage() throws {
    let grove = Grove(.v2)
    let a = try grove.spawn("a")
    let b = try grove.spawn("b", by: a)
    let lineage = try #require(grove.tree.member(b)?.lineage)
    #expect(lineage.source == .agent && lineage.root == grove.root && lineage.parent == a)
    #expect(lineage.depth == 2 && lineage.agentPath == "/root/a/b" && lineage.agentNickname != "")
    #expect(grove.tree.member(grove.root)?.path == "/root")
    let old = Grove(.v1)
    let path = try old.birth("ignored").path
    #expect(path.hasPrefix("/root/") && path != "/root/ignored")
  }

  @Test("A2: V1 agents spawn nobody; V2 agents do down to the depth that server or settings allow, the smaller of both")
  func depth() throws {
    let old = Grove(.v1)
    let child = try old.spawn()
    #expect(old.refusal(by: child).contains("far down"))
    for (server, wanted, most) in [(4, nil, 4), (4, 2, 2), (2, 9, 2), (0, nil, 6), (0, 3, 3), (4, 0, 0)]
      as [(UInt32, UInt32?, Int)]
    {
      var settings = Settings()
      settings.agentDepth = wanted
      let grove = Grove(.v2, settings)
      (grove.limits.agentDepthV2, grove.limits.agentsRunningV2) = (server, 100)
      var parent = grove.root
      var depth = 0
      while depth < 6, let next = try? grove.spawn("a", by: parent) { (parent, depth) = (next, depth + 1) }
      #expect(depth == most, "server \(server), settings \(String(describing: wanted))")
    }
  }

  @Test(
    "A3: a tree has so many agents in its life as server or settings allow; those that ended and those to come count")
  func total() throws {
    for (server, wanted, most) in [(3, nil, 3), (0, 2, 2), (3, 5, 3), (5, 0, 0)] as [(Int, UInt32?, Int)] {
      var settings = Settings()
      settings.agentTotal = wanted
      let grove = Grove(.v2, settings)
      grove.limits.agentsPerTree = server
      for index in 0..<most {
        let agent = try grove.spawn("a\(index)")
        grove.finish(agent)
      }
      #expect(grove.refusal("z").contains("had \(most) agents"))
    }
    let grove = Grove(.v2)
    grove.limits.agentsPerTree = 1
    let birth = try grove.birth("a")
    #expect(grove.refusal("b") != "")
    grove.tree.endBirth(birth)
    _ = try grove.birth("b")
  }

  @Test("A3: a tree that has used its tokens spawns nobody; usage of all agents counts and does not overflow")
  func tokens() throws {
    var settings = Settings()
    settings.treeTokens = 100
    let grove = Grove(.v2, settings)
    let agent = try grove.spawn("a")
    grove.change(grove.root) { $0.usage = .tokens(40) }
    grove.change(agent) { $0.usage = .tokens(30, 29) }
    #expect(grove.tree.quota == TreeQuota(used: 99, limit: 100))
    let birth = try grove.birth("b")
    grove.tree.endBirth(birth)
    grove.change(agent) { $0.usage = .tokens(30, 30) }
    #expect(grove.tree.quota == TreeQuota(used: 100, limit: 100))
    #expect(grove.refusal("c").contains("100 tokens"))
    grove.change(agent) { $0.usage = .tokens(.max, .max) }
    #expect(grove.tree.quota == TreeQuota(used: .max, limit: 100))
    #expect(grove.refusal("b").contains("100 tokens"))
    #expect(Grove(.v2).tree.quota == nil)
  }

  @Test("A2: a V2 name is taken once for the life of the tree, by one who has ended or is being made too")
  func names() throws {
    let grove = Grove(.v2)
    let agent = try grove.spawn("a")
    grove.finish(agent)
    #expect(grove.refusal("a").contains("/root/a"))
    let birth = try grove.birth("b")
    #expect(grove.refusal("b").contains("/root/b"))
    grove.tree.endBirth(birth)
    try grove.spawn("b")
    try grove.spawn("a", by: agent)
    #expect(grove.refusal("Not A Name") != "")
    #expect(grove.refusal("c", by: ThreadID(high: 0, low: 1)) != "")
  }

  @Test("A2: a refused spawn takes neither a place nor a name")
  func refused() throws {
    let grove = Grove(.v2)
    grove.limits.agentsPerTree = 0
    for name in ["", "root", "A", "a/b"] { #expect(grove.refusal(name) != "") }
    #expect(grove.free == 3)
    for name in ["a", "b", "c"] { try grove.spawn(name) }
    #expect(grove.refusal("d") != "")
    grove.finish(grove.tree.members[1].id)
    try grove.spawn("d")
  }
}

@Suite struct AgentAddressTests {
  private func grove() throws -> (Grove, a: ThreadID, b: ThreadID) {
    let grove = Grove(.v2)
    let a = try grove.spawn("a")
    let b = try grove.spawn("b", by: a)
    return (grove, a, b)
  }

  @Test(
    "A1 A6: an agent is found by its path, by a name below the caller and by its id; unloaded, ended and after a restart"
  )
  func resolve() throws {
    let (grove, a, b) = try grove()
    grove.finish(a)
    for _ in 0..<2 {
      #expect(try grove.tree.resolve("/root/a", from: b).id == a)
      #expect(try grove.tree.resolve("/root/a/b", from: grove.root).id == b)
      #expect(try grove.tree.resolve("b", from: a).id == b)
      #expect(try grove.tree.resolve("a/b", from: grove.root).id == b)
      #expect(try grove.tree.resolve("/root", from: b).id == grove.root)
      #expect(try grove.tree.resolve(b.description, from: grove.root).id == b)
      grove.restart()
    }
    for (target, caller) in [
      ("b", grove.root), ("a", a), ("/root/c", grove.root), (ThreadID(high: 0, low: 1).description, a),
    ] {
      #expect(AgentError.said { () throws(AgentError) in _ = try grove.tree.resolve(target, from: caller) } != "")
    }
  }

  @Test("A1: V1 means agents by id alone, and never the root")
  func resolveID() throws {
    let (grove, a, _) = try grove()
    #expect(try grove.tree.resolve(id: a.description).id == a)
    for target in ["", "a", "/root/a", grove.root.description, ThreadID(high: 0, low: 1).description] {
      #expect(AgentError.said { () throws(AgentError) in _ = try grove.tree.resolve(id: target) } != "", "\(target)")
    }
  }

  @Test("A1 A3 A6: the list has the root first, unloaded agents too, their tasks, and how many slots are free")
  func list() throws {
    let (grove, a, b) = try grove()
    grove.finish(b, answer: "forty \"two\"")
    grove.change(a) { $0.agent?.lastTask = "look" }
    let all =
      #"{"agents":[{"agent_name":"/root","agent_status":"pending_init","last_task_message":"Main thread"},"#
      + #"{"agent_name":"/root/a","agent_status":"running","last_task_message":"look"},"#
      + #"{"agent_name":"/root/a/b","agent_status":{"completed":"forty \"two\""},"last_task_message":null}],"free_slots":2}"#
    #expect(try grove.tree.list(prefix: "", from: b, grove.limits) == all)
    #expect(try grove.tree.list(prefix: "/root", from: b, grove.limits) == all)
    let below = try grove.tree.list(prefix: "b", from: a, grove.limits)
    #expect(below.contains("/root/a/b") && !below.contains("Main thread"))
    #expect(try grove.tree.list(prefix: "/root/zz", from: a, grove.limits) == #"{"agents":[],"free_slots":2}"#)
    #expect(
      AgentError.said { () throws(AgentError) in _ = try grove.tree.list(prefix: "/x", from: a, grove.limits) } != "")
  }

  @Test("A1: a list shows the beginnings of answers, so that it fits into a frame however many agents have ended")
  func longAnswers() throws {
    let grove = Grove(.v2)
    for index in 0..<40 {
      let agent = try grove.spawn("a\(index)")
      if index % 2 == 0 {
        grove.finish(agent, answer: String(repeating: "ä", count: 128 * 1024))
      } else {
        grove.change(agent) { record in
          record.running = nil
          record.agent?.lastStatus = .failed
          record.agent?.lastError = String(repeating: "x", count: 256 * 1024)
        }
      }
    }
    let list = try grove.tree.list(prefix: "", from: grove.root, grove.limits)
    #expect(list.utf8.count < 40 * (grove.limits.shownTaskBytes + 200))
    #expect(list.contains("\"ää"))
  }

  @Test("A6: how a root's last turn ended is known as it is of its agents; what it said is for its user")
  func rootStatus() throws {
    let driver = try ThreadDriver.start()
    #expect(AgentTree.Member(driver.record).lastTurn == .unspecified && driver.record.agentStatus == .pending)
    try driver.runTurn()
    #expect(AgentTree.Member(driver.record).lastTurn == .completed && driver.record.agentStatus == .completed(nil))
    let fork = try driver.fork()
    #expect(fork.record.agentStatus == .completed(nil))
    _ = driver.interrupt(try driver.startTurn().turn)
    #expect(AgentTree.Member(driver.record).lastTurn == .interrupted && driver.record.agentStatus == .interrupted)
    driver.expectFolded()
  }

  @Test("A2: below an agent are its descendants, parents first, even if a child's id is the smaller one")
  func below() throws {
    let grove = Grove(.v2)
    grove.limits.agentsRunningV2 = 100
    // A clock that stepped back between two runs of the server made these ids.
    let a = try grove.spawn("a", id: ThreadID(high: .max, low: 5))
    let b = try grove.spawn("b", by: a, id: ThreadID(high: .max, low: 3))
    let c = try grove.spawn("c", by: b, id: ThreadID(high: .max, low: 1))
    let other = try grove.spawn("other")
    #expect(grove.tree.below(a).map(\.id) == [a, b, c])
    #expect(grove.tree.below(c).map(\.id) == [c])
    #expect(Set(grove.tree.below(grove.root).map(\.id)) == [grove.root, a, b, c, other])
    grove.tree.remove(b)
    #expect(grove.tree.below(a).map(\.id) == [a])
    #expect(grove.tree.below(b).map(\.id) == [c])
  }

  @Test("A1: with an agent opens what was closed together with it, and nothing that was closed by itself")
  func closedTogether() throws {
    let grove = Grove(.v1)
    (grove.limits.agentDepthV1, grove.limits.agentsOpenV1) = (3, 10)
    let a = try grove.spawn()
    let b = try grove.spawn(by: a)
    let c = try grove.spawn(by: b)
    let d = try grove.spawn(by: a)
    func close(_ id: ThreadID, with above: ThreadID? = nil) {
      grove.change(id) { $0.agent = AgentState(closed: true, closedWith: above) }
    }
    func opened(with id: ThreadID) throws -> [ThreadID] {
      grove.tree.closedTogether(with: try #require(grove.tree.member(id))).map(\.id)
    }
    close(d)
    close(a)
    for id in [b, c] { close(id, with: a) }
    #expect(try opened(with: a) == [b, c])
    // Opened by itself an agent brings what it had below it when it went.
    #expect(try opened(with: b) == [c] && opened(with: c) == [] && opened(with: d) == [])
    grove.change(b) { $0.agent = AgentState() }
    #expect(try opened(with: a) == [c])
    close(c)
    #expect(try opened(with: a) == [] && opened(with: b) == [])
  }

  @Test("A3: slots are counted along as agents come, run, end, close and go")
  func counted() throws {
    for version in [MultiAgentVersion.v1, .v2] {
      let grove = Grove(version)
      (grove.limits.agentsOpenV1, grove.limits.agentsRunningV2) = (4, 5)
      var agents: [ThreadID] = []
      for name in ["a", "b", "c"] { agents.append(try grove.spawn(name)) }
      func free() -> Int { grove.tree.freeSlots(grove.limits) }
      #expect(free() == 1)
      grove.finish(agents[0])
      grove.finish(agents[0])
      #expect(free() == (version == .v1 ? 1 : 2))
      #expect(grove.grant(agents[0]) && grove.grant(agents[0]))
      #expect(free() == 1)
      grove.change(agents[0]) { $0.running = RunningTurn() }
      #expect(free() == 1)
      grove.change(agents[0]) { ($0.running, $0.agent) = (nil, AgentState(closed: true)) }
      #expect(free() == 2)
      grove.tree.remove(agents[0])
      grove.tree.remove(agents[1])
      #expect(free() == 3)
      let again = AgentTree(root: grove.root, members: grove.tree.members)
      #expect(again.freeSlots(grove.limits) == 3)
    }
  }

  @Test("A5: the agent whose mail waits longest gets a slot first; closed and archived agents want none")
  func waiting() throws {
    let grove = Grove(.v2)
    var agents: [ThreadID] = []
    for name in ["a", "b", "c"] { agents.append(try grove.spawn(name)) }
    for (index, agent) in agents.enumerated() {
      grove.finish(agent)
      // Mail that wants no turn came before all.
      grove.change(agent) { $0.mailbox = [.test(1), .test(UInt64(9 - index), trigger: true)] }
    }
    #expect(grove.tree.waitingForSlots == agents.reversed())
    grove.change(agents[0]) { $0.agent?.closed = true }
    grove.change(agents[1]) { $0.archived = true }
    #expect(grove.tree.waitingForSlots == [agents[2]])
    grove.change(agents[2]) { $0.mailbox = [.test(1)] }
    #expect(grove.tree.waitingForSlots == [])
    var settings = Settings()
    settings.wakeParent = true
    #expect(Grove(.v2, settings).tree.wakesParents && !grove.tree.wakesParents)
  }
}

// MARK: - Any order

/// A request to a tree; tests make them in any order.
private enum Growth: Equatable {
  case spawn(Int), born, stillborn, finish(Int), interrupt(Int), close(Int), reopen(Int), mail(Int), giveBack(Int),
    restart, delete(Int)

  init(_ random: inout IDGenerator) {
    let place = random.below(12)
    self =
      switch random.below(24) {
      case 0..<6: .spawn(place)
      case 6..<9: .born
      case 9: .stillborn
      case 10..<13: .finish(place)
      case 13: .interrupt(place)
      case 14..<16: .close(place)
      case 16..<18: .reopen(place)
      case 18..<20: .mail(place)
      case 20: .giveBack(place)
      case 21: .delete(place)
      default: .restart
      }
  }
}

@Suite struct AgentTreePropertyTests {
  /// The naive account: agents by what holds their place.
  private struct Account {
    var running: Set<ThreadID> = []
    var open: Set<ThreadID> = []
    var granted: Set<ThreadID> = []
    var births = 0
  }

  @Test(
    "A2 A3: whatever is spawned, ended, closed, opened, granted and lost, nobody is over the limit and every place comes back",
    arguments: [MultiAgentVersion.v1, .v2], 0..<8)
  func random(_ version: MultiAgentVersion, _ batch: UInt64) throws {
    for seed in 0..<100 {
      var random = IDGenerator(seed: batch &* 1_000 &+ UInt64(seed))
      let grove = Grove(version)
      grove.limits.agentsOpenV1 = 3
      let most = 3
      var account = Account()
      var births: [AgentTree.Birth] = []
      var serial = 0
      var steps: [Growth] = []
      /// Says what is wrong once; the rest of the sequence would only repeat it.
      func isRight(_ condition: Bool, _ words: String) -> Bool {
        if !condition { Issue.record("\(words); seed \(seed): \(steps)") }
        return condition
      }
      for _ in 0..<60 {
        let step = Growth(&random)
        steps.append(step)
        let agents = grove.tree.members.filter { !$0.isRoot }.map(\.id)
        func agent(_ place: Int) -> ThreadID? { agents.isEmpty ? nil : agents[place % agents.count] }
        switch step {
        case .spawn(let place):
          // V1 agents may not spawn; the root always may.
          let parent = version == .v2 && place % 3 == 0 ? agent(place) ?? grove.root : grove.root
          serial += 1
          let hasRoom = used(account, version) < most
          let isTooDeep = (grove.tree.member(parent)?.lineage.depth ?? 0) >= 4
          let birth = try? grove.birth("n\(serial)", by: parent)
          guard isRight((birth != nil) == (hasRoom && !isTooDeep), "spawned or not") else { return }
          if let birth {
            births.append(birth)
            account.births += 1
          }
        case .born:
          guard !births.isEmpty else { break }
          let birth = births.removeFirst()
          account.births -= 1
          serial += 1
          let id = ThreadID(high: 2 + UInt64(serial), low: random.random())
          var record = ThreadRecord(id: id, lineage: birth.lineage, agent: AgentState())
          record.version = version
          record.running = RunningTurn()
          grove.records[id] = record
          grove.tree.update(AgentTree.Member(record))
          grove.tree.endBirth(birth)
          account.running.insert(id)
          account.open.insert(id)
        case .stillborn:
          guard !births.isEmpty else { break }
          grove.tree.endBirth(births.removeLast())
          account.births -= 1
        case .finish(let place), .interrupt(let place):
          guard let id = agent(place) else { break }
          grove.change(id) { $0.running = nil }
          account.running.remove(id)
        case .close(let place):
          guard let id = agent(place) else { break }
          grove.change(id) { record in
            record.running = nil
            record.agent?.closed = true
          }
          account.running.remove(id)
          account.open.remove(id)
        case .reopen(let place):
          // Reopening an agent needs room first, as spawning does.
          guard version == .v1, let id = agent(place), !account.open.contains(id), grove.free > 0 else { break }
          grove.change(id) { $0.agent?.closed = false }
          account.open.insert(id)
        case .mail(let place):
          guard let id = agent(place), account.open.contains(id) else { break }
          let isFree = account.running.contains(id) || account.granted.contains(id)
          let granted = grove.grant(id)
          let mayRun = version == .v1 || isFree || used(account, version) < most
          guard isRight(granted == mayRun, "granted or not") else { return }
          guard granted else { break }
          if !account.running.contains(id), version == .v2 { account.granted.insert(id) }
          guard random.below(2) == 0 else { break }
          grove.change(id) { $0.running = RunningTurn() }
          account.granted.remove(id)
          account.running.insert(id)
        case .giveBack(let place):
          guard let id = agent(place) else { break }
          grove.tree.giveBack(id)
          account.granted.remove(id)
        case .delete(let place):
          guard let id = agent(place) else { break }
          grove.tree.remove(id)
          grove.records[id] = nil
          account.running.remove(id)
          account.open.remove(id)
          account.granted.remove(id)
        case .restart:
          grove.restart()
          births = []
          account = Account(open: account.open)
        }
        let used = used(account, version)
        guard isRight(used <= most, "over the limit"), isRight(grove.free == most - used, "free places"),
          isRight(grove.tree.members.map(\.id) == grove.records.keys.sorted(), "members")
        else { return }
      }
      for birth in births { grove.tree.endBirth(birth) }
      for member in grove.tree.members where !member.isRoot {
        grove.tree.giveBack(member.id)
        grove.change(member.id) { record in
          record.running = nil
          record.agent?.closed = true
        }
      }
      guard isRight(grove.free == most, "places that did not come back") else { return }
    }
  }

  private func used(_ account: Account, _ version: MultiAgentVersion) -> Int {
    version == .v1 ? account.open.count + account.births : account.running.union(account.granted).count + account.births
  }
}
