// The times of requests, threads and turns, by a clock that is set by hand. What the machine of a thread decides when a
// timer fires has tests of its own (HeddleCoreTests); here timers are real and the whole server keeps them.

import Foundation
import HeddleCore
import HeddleProtocol
import HeddleRuntime
import HeddleServer
import HeddleStorage
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct ThreadTimeTests {
  // MARK: Requests

  private func rename(_ thread: ThreadID) -> Request {
    .threadSetName(SetThreadNameRequest(thread: thread, name: "a name"))
  }

  @Test("protocol.md, deadline_ms: a request is answered when its time is over and holds its slot until its work ends")
  func deadline() async throws {
    try await HandSetServer.run {
      $0.requestsInFlight = 1
    } _: { server in
      let peer = try await Peer(server)
      let thread = try await peer.startThread()
      server.store.hold()
      try await peer.ask(rename(thread), Metadata(deadlineMs: 5_000))
      await server.advance(4_999)
      #expect(try await peer.said() == [])
      await server.advance(1)
      #expect(try await peer.said() == ["error deadline_exceeded"])
      try await peer.ask(rename(thread))
      #expect(try await peer.said() == ["error too_many_in_flight"])
      server.store.letGo()
      // Served as soon as there is a slot; what was given up has no second answer.
      try await peer.callWhenThereIsRoom(rename(thread))
      #expect(try await peer.said().allSatisfy { $0 == "error too_many_in_flight" })
    }
  }

  @Test("protocol.md, deadline_ms: an answer in time takes its deadline with it; 1 ms to a day is a time")
  func deadlineInTime() async throws {
    try await HandSetServer.run { server in
      let peer = try await Peer(server)
      let thread = try await peer.startThread()
      try await peer.call(rename(thread), Metadata(deadlineMs: 1))
      try await peer.call(rename(thread), Metadata(deadlineMs: 86_400_000))
      for wrong: Int64 in [0, -1, 86_400_001] { try await peer.ask(rename(thread), Metadata(deadlineMs: wrong)) }
      #expect(try await peer.said() == Array(repeating: "error out_of_range", count: 3))
      await server.advance(20_000)
      #expect(try await peer.said() == [])
    }
  }

  // MARK: Threads

  @Test("D9: a thread whose write failed is looked at again until it can be read, so its turn does not run for ever")
  func lookedAtAgain() async throws {
    try await HandSetServer.run { server in
      let peer = try await Peer(server)
      let thread = try await peer.startThread()
      try await peer.startTurn(thread)
      let step = try await server.model.next()
      // The words of the model, their retry, and the first look at the thread after that.
      server.store.fail(writes: 2, reads: 1)
      step.say(.text("a word"))
      step.end()
      var isActive = true
      while isActive {
        await server.advance(1_000)
        try await Task.sleep(for: .milliseconds(1))
        guard !server.store.failsReads else { continue }
        isActive = try await server.store.read(.short) { reader, _ throws(StoreError) in
          try reader.row(thread, tenant: "default")?.active ?? false
        }
      }
      #expect(try await peer.status().runningTurns == 0)
    }
  }

  @Test("T5: a thread that nobody follows or uses is unloaded after half an hour, and not before")
  func unload() async throws {
    try await HandSetServer.run {
      $0.idleMilliseconds = 86_400_000
    } _: { server in
      let peer = try await Peer(server)
      let idle = try await peer.startThread()
      let used = try await peer.startThread()
      await server.advance(1_740_000)
      try await peer.call(rename(used))
      #expect(try await peer.status().loadedThreads == 2)
      await server.advance(59_999)
      #expect(try await peer.status().loadedThreads == 2)
      await server.advance(1)
      #expect(try await peer.status().loadedThreads == 1)
      await server.advance(1_739_999)
      #expect(try await peer.status().loadedThreads == 1)
      await server.advance(1)
      #expect(try await peer.status().loadedThreads == 0)
      // Without loss, and as loaded as before.
      try await peer.call(rename(idle))
      #expect(try await peer.status().loadedThreads == 1)
    }
  }

  @Test("T5: a thread stays while it is followed or works, and as long again when that is over")
  func followed() async throws {
    try await HandSetServer.run {
      ($0.idleMilliseconds, $0.modelIdleMilliseconds) = (86_400_000, 86_400_000)
    } _: {
      server in
      let peer = try await Peer(server)
      let followed = try await peer.startThread()
      try await peer.follow(followed)
      let working = try await peer.startThread()
      try await peer.startTurn(working)
      let step = try await server.model.next()
      await server.advance(3_600_000)
      #expect(try await peer.status().loadedThreads == 2)
      try await peer.call(.threadUnsubscribe(UnsubscribeRequest(thread: followed)))
      step.end()
      while try await peer.status().runningTurns > 0 { try await Task.sleep(for: .milliseconds(1)) }
      // Behind the end of the turn, on disk.
      try await peer.call(rename(working))
      await server.advance(1_799_999)
      #expect(try await peer.status().loadedThreads == 2)
      await server.advance(1)
      #expect(try await peer.status().loadedThreads == 0)
    }
  }

  @Test("T5: half an hour without use is the end of an ephemeral thread; its followers' tenant is told")
  func ephemeral() async throws {
    try await HandSetServer.run {
      $0.idleMilliseconds = 86_400_000
    } _: { server in
      let peer = try await Peer(server)
      try await peer.follow(nil)
      let idle = try await peer.startThread(StartThreadRequest(ephemeral: true, subscribe: false))
      let used = try await peer.startThread(StartThreadRequest(ephemeral: true, subscribe: false))
      await server.advance(900_000)
      try await peer.call(rename(used))
      await server.advance(899_999)
      #expect(try await !peer.said().contains("deleted"))
      await server.advance(1)
      #expect(try await peer.said().filter { $0 == "deleted" }.count == 1)
      await #expect(throws: Refused.self) { try await peer.call(rename(idle)) }
      try await peer.call(rename(used))
    }
  }

  // MARK: Turns

  /// A thread that a peer follows, and the first request to its model.
  private func turn(_ server: HandSetServer) async throws -> (Peer, HeldModel.Step) {
    let peer = try await Peer(server)
    let thread = try await peer.startThread()
    try await peer.follow(thread)
    try await peer.startTurn(thread)
    let step = try await server.model.next()
    try await peer.until("status ACTIVE")
    return (peer, step)
  }

  @Test("attacks.md M22: a model that says nothing for a minute ends its turn; every word begins the minute anew")
  func modelIdle() async throws {
    try await HandSetServer.run { server in
      let (peer, step) = try await turn(server)
      await server.advance(59_999)
      step.say(.text("a word"))
      try await peer.until("delta")
      await server.advance(59_999)
      #expect(try await !peer.said().contains { $0.hasPrefix("turn") })
      await server.advance(1)
      try await peer.until("turn failed model_timeout")
    }
  }

  @Test("U7: a turn that takes longer than turnMilliseconds ends, however much is said in it")
  func turnTimeout() async throws {
    try await HandSetServer.run {
      $0.turnMilliseconds = 100_000
    } _: { server in
      let (peer, step) = try await turn(server)
      for _ in 0..<3 {
        await server.advance(33_333)
        step.say(.text("a word"))
        try await peer.until("delta")
      }
      #expect(try await !peer.said().contains { $0.hasPrefix("turn") })
      await server.advance(1)
      try await peer.until("turn failed turn_timeout")
    }
  }

  @Test("A9: a call of a client's tool fails at its deadline, ten minutes later, and the turn goes on")
  func clientTool() async throws {
    try await HandSetServer.run { server in
      let peer = try await Peer(server, features: ["call_tool"])
      let tool = ToolDefinition(name: "look", description: "Looks.", schema: #"{"type":"object"}"#)
      let thread = try await peer.startThread(StartThreadRequest(tools: [tool]))
      try await peer.startTurn(thread)
      let step = try await server.model.next()
      step.say(.toolCall(id: "c1", name: "look", arguments: "{}", providerID: ""))
      step.end()
      try await peer.until("call")
      for _ in 0..<9 {
        await server.advance(60_000)
        try await peer.call(.serverStatus(ServerStatusRequest()))
      }
      await server.advance(59_999)
      #expect(try await !peer.said().contains("cancel"))
      await server.advance(1)
      try await peer.until("cancel")
      let outputs = try await server.model.next().request.items.compactMap {
        if case .toolOutput(let output)? = $0.kind { output } else { nil }
      }
      #expect(outputs.map(\.callId) == ["c1"] && outputs.map(\.success) == [false])
    }
  }

  // MARK: The end

  @Test("A follower on its thread's own loop unfollows while the end of the session is pushed to it")
  func followerAtTheEnd() async throws {
    try await HandSetServer.run { server in
      let peer = try await Peer(server)
      try await peer.follow(try await peer.startThread())
      await server.stop()
      #expect(try await !peer.said().contains { $0.hasPrefix("goaway") })
    }
  }

  @Test("configuration.md, drainMilliseconds: the end waits for turns that run, and for no longer than 20 s")
  func drain() async throws {
    /// Stands until it is set; at the end it runs fast, so that nothing is waited for.
    let time = Mutex((now: Int64(0), step: Int64(0)))
    let instant = { @Sendable in
      time.withLock { time in
        time.now += time.step
        return time.now
      }
    }
    let clock = RuntimeClock(now: RuntimeClock.system.now, instant: instant)
    let model = HeldModel()
    try await withServer(providers: [model], clock: clock) { server, client, _ in
      let thread = try #require(try await client.threads.start().thread?.id)
      let input = TurnInput(content: [ContentPart(part: .text("x"))])
      _ = try await client.call(.turnStart(StartTurnRequest(thread: thread, input: input)))
      _ = try await model.next()
      let hasEnded = Mutex(false)
      let draining = Task {
        await server.drain()
        hasEnded.withLock { $0 = true }
      }
      // The drain computes its deadline when it begins, so no time before 20 s can end it, and 40 s always does.
      time.withLock { $0.now = 19_999 }
      // Longer than it takes until the clock is looked at again.
      try await Task.sleep(for: .milliseconds(300))
      #expect(!hasEnded.withLock { $0 })
      time.withLock { $0.now = 40_000 }
      await draining.value
      time.withLock { $0.step = 1_000 }
    }
  }
}
