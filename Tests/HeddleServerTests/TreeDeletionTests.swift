// Requests for whole trees that meet agents which come and go: the read of the tree is held until they have.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import Testing

@Suite(.timeLimit(.minutes(5))) struct TreeDeletionTests {
  /// A root whose model starts agents, one after the other.
  private struct Team {
    let server: HandSetServer
    let peer: Peer
    let root: ThreadID
    /// The request to the root's model that has not been answered.
    var step: HeldModel.Step

    /// The root's turn waits for its model.
    init(_ server: HandSetServer) async throws {
      (self.server, peer) = (server, try await Peer(server))
      root = try await peer.startThread(
        StartThreadRequest(settings: SettingsChange(model: "scripted-v2"), subscribe: false))
      try await peer.follow(nil)
      try await peer.startTurn(root)
      step = try await server.model.next()
    }

    /// The root starts an agent. Returns the request to the agent's model.
    mutating func spawn(_ name: String) async throws -> HeldModel.Step {
      let arguments = #"{"task_name":"\#(name)","message":"a task","fork_turns":"none"}"#
      step.say(.toolCall(id: name, name: "spawn_agent", arguments: arguments, providerID: ""))
      step.end()
      let steps = [try await server.model.next(), try await server.model.next()]
      step = try #require(steps.first { $0.request.thread == root })
      return try #require(steps.first { $0.request.thread != root })
    }

    /// The root starts an agent, which says a word and is done.
    mutating func spawnAndEnd(_ name: String) async throws {
      end(try await spawn(name))
      try await peer.until("status IDLE")
    }

    func end(_ step: HeldModel.Step) {
      step.say(.text("a word"))
      step.end()
    }

    /// Asks, and waits until the read that the request begins with has been done. Its answer is held.
    func askAndHold(_ request: Request) async throws {
      server.store.holdNextRead()
      try await peer.ask(request)
      while !server.store.hasHeldRead { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// Threads of the tree that a start of the server would find.
    func onDisk() async throws -> [ThreadID] {
      let root = root
      return try await server.store.read(.short) { reader, _ throws(StoreError) in
        try reader.tree(root: root, tenant: "default").map(\.id)
      }
    }
  }

  @Test("T6: a deleted root takes along the agents that began and were unloaded while its tree was read")
  func unloadedMeanwhile() async throws {
    try await HandSetServer.run {
      // One agent works at a time, and one that is idle stays loaded.
      $0.agentsRunningV2 = 2
    } _: { server in
      var team = try await Team(server)
      try await team.spawnAndEnd("first")
      try await team.askAndHold(.threadDelete(DeleteThreadRequest(thread: team.root)))
      for name in ["second", "third", "fourth"] { try await team.spawnAndEnd(name) }
      #expect(try await team.onDisk().count == 5)
      #expect(try await team.peer.status().loadedThreads < 4)
      server.store.answerRead()
      try await team.peer.until("deleted")
      #expect(try await team.onDisk() == [])
    }
  }

  @Test("T6: a root is not archived while an agent runs that began while its tree was read")
  func begunMeanwhile() async throws {
    try await HandSetServer.run { server in
      var team = try await Team(server)
      try await team.askAndHold(.threadArchive(ArchiveThreadRequest(thread: team.root)))
      let agent = try await team.spawn("late")
      team.end(team.step)
      try await team.peer.until("status IDLE")
      server.store.answerRead()
      try await team.peer.until("error turn_in_progress")
      team.end(agent)
      try await team.peer.until("status IDLE")
      try await team.peer.call(.threadArchive(ArchiveThreadRequest(thread: team.root)))
    }
  }
}
