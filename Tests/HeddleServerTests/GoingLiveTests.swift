// A follower that goes live while text of an item is decided and not on disk yet: what it gets of the item has no hole.
// A peer checks the offset of each piece that comes (Peer.swift).

import HeddleCore
import HeddleProtocol
import Testing

@Suite(.timeLimit(.minutes(5))) struct GoingLiveTests {
  /// A checkpoint, so that the text waits for the disk, and more than may wait for the thread.
  private let piece = String(repeating: "x", count: 300_000)

  /// A thread that a peer follows, whose model has begun to answer; the disk stands from here on.
  private func beginning(
    _ server: HandSetServer, _ signal: ModelSignal
  ) async throws -> (Peer, ThreadID, HeldModel.Step) {
    let peer = try await Peer(server)
    let thread = try await peer.startThread()
    try await peer.follow(thread)
    try await peer.startTurn(thread)
    let step = try await server.model.next()
    step.say(signal)
    try await peer.until("delta")
    server.store.hold()
    return (peer, thread, step)
  }

  /// The model says something long, and the thread has it.
  private func say(_ signal: ModelSignal, _ step: HeldModel.Step, _ server: HandSetServer) async throws {
    step.say(signal)
    while server.model.untaken.withLock({ $0 }) > 0 {
      await server.loop.run()
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  /// The item ends in memory, and on disk when the store is let go.
  private func interrupt(_ peer: Peer, _ thread: ThreadID, _ step: HeldModel.Step) async throws {
    try await peer.ask(.turnInterrupt(InterruptTurnRequest(thread: thread, turn: step.request.turn)))
    // One connection's requests are carried out in their order.
    _ = try await peer.status()
  }

  private func expect(_ peers: [Peer], _ text: String) {
    for peer in peers {
      // Not compared by the macro, which would print all of it.
      let texts = Array(peer.texts.values)
      let isWhole = texts == [text]
      #expect(isWhole, "\(texts.map(\.count)) bytes of \(text.count)")
    }
  }

  @Test(
    "protocol.md, delta: a subscription that goes live before the end of an item is on disk gets its text so far",
    arguments: [false, true])
  func subscribe(isThought: Bool) async throws {
    let signal = { (text: String) in isThought ? ModelSignal.thought(text) : .text(text) }
    try await HandSetServer.run {
      // The socket of the test never tells that it has room again.
      $0.outgoingBytes = 16 * 1024 * 1024
    } _: { server in
      let late = try await Peer(server)
      let (early, thread, step) = try await beginning(server, signal("so "))
      try await say(signal(piece), step, server)
      try await interrupt(early, thread, step)
      try await late.follow(thread)
      server.store.letGo()
      try await early.until("turn")
      try await late.until("turn")
      expect([early, late], "so " + piece)
    }
  }

  @Test("protocol.md, delta: the stream of a Resume begins with the text that its answer follows")
  func resume() async throws {
    try await HandSetServer.run {
      // The socket of the test never tells that it has room again.
      $0.outgoingBytes = 16 * 1024 * 1024
    } _: { server in
      let late = try await Peer(server)
      let (early, thread, step) = try await beginning(server, .text("so "))
      try await say(.text(piece), step, server)
      try await late.ask(.threadResume(ResumeThreadRequest(thread: thread)))
      _ = try await late.status()
      try await say(.text(piece), step, server)
      try await interrupt(early, thread, step)
      server.store.letGo()
      try await early.until("turn")
      try await late.until("turn")
      expect([early, late], "so " + piece + piece)
    }
  }
}
