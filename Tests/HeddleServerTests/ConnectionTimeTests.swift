// The times of a connection (configuration.md), from its first byte to its last, by a clock that is set by hand.

import Crypto
import Foundation
import HeddleCore
import HeddleProtocol
import HeddleTokens
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConnectionTimeTests {
  private let status = Request.serverStatus(ServerStatusRequest())

  @Test("A connection without HELLO is closed at 5 s, not before and without a word (attacks.md S3)")
  func hello() async throws {
    try await HandSetServer.run { server in
      let silent = try await Peer(server, hello: false)
      let polite = try await Peer(server, hello: false)
      await server.advance(4_999)
      #expect(try await silent.said() == [])
      try await polite.sayHello()
      await server.advance(1)
      #expect(try await silent.said() == ["closed"])
      await server.advance(10_000)
      #expect(try await polite.said() == [])
    }
  }

  @Test("attacks.md F6, F8: a frame has 30 s from its first byte on, however slowly the rest comes")
  func slowFrame() async throws {
    try await HandSetServer.run { server in
      let late = try await Peer(server)
      let inTime = try await Peer(server)
      let (lateBytes, _) = late.request(status)
      let (bytes, _) = inTime.request(status)
      for byte in 0..<3 {
        try await late.send([lateBytes[byte]])
        try await inTime.send([bytes[byte]])
        await server.advance(byte < 2 ? 10_000 : 9_999)
        #expect(try await late.said() == [])
      }
      try await inTime.send(Array(bytes.dropFirst(3)))
      await server.advance(1)
      #expect(try await late.said() == ["goaway frame_timeout", "closed"])
      #expect(try await inTime.status().connections == 1)
    }
  }

  @Test("attacks.md F6: a client that begins each frame before the last one is whole is late with none of them")
  func fullPipe() async throws {
    try await HandSetServer.run { server in
      let busy = try await Peer(server)
      var rest: [UInt8] = []
      for _ in 0..<20 {
        let (bytes, _) = busy.request(status)
        try await busy.send(rest + bytes.prefix(10))
        rest = Array(bytes.dropFirst(10))
        await server.advance(20_000)
      }
      #expect(try await busy.said().allSatisfy { $0 == "ping" })
      try await busy.send(rest)
      #expect(try await busy.status().connections == 1)
    }
  }

  @Test("protocol.md: a silent client is pinged every 30 s and let go after 180 s; any byte keeps it")
  func idle() async throws {
    try await HandSetServer.run { server in
      let silent = try await Peer(server)
      let speaking = try await Peer(server)
      await server.advance(29_999)
      #expect(try await silent.said() == [])
      await server.advance(1)
      #expect(try await silent.said() == ["ping"])
      await server.advance(149_999)
      #expect(try await silent.said() == Array(repeating: "ping", count: 4))
      try await speaking.send([FrameHeader.magic])
      await server.advance(1)
      #expect(try await silent.said() == ["goaway idle_timeout", "closed"])
      #expect(try await speaking.said().allSatisfy { $0 == "ping" })
    }
  }

  @Test("attacks.md R10: one ping and three early ones are answered, after 5 s as many again; one more is too many")
  func pings() async throws {
    try await HandSetServer.run { server in
      let peer = try await Peer(server)
      for _ in 0..<3 {
        for _ in 0..<4 { try await peer.ping() }
        #expect(try await peer.said() == Array(repeating: "pong", count: 4))
        await server.advance(5_000)
      }
      for _ in 0..<4 { try await peer.ping() }
      await server.advance(4_999)
      try await peer.ping()
      #expect(try await peer.said() == Array(repeating: "pong", count: 4) + ["goaway enhance_your_calm", "closed"])
    }
  }

  @Test("attacks.md R9: 200 mistakes are forgiven, and 200 more half a minute later; one more within it is too many")
  func glitches() async throws {
    try await HandSetServer.run { server in
      let hasty = try await Peer(server)
      let patient = try await Peer(server)
      func blunder(_ peer: Peer, _ count: Int) async throws {
        for _ in 0..<count { try await peer.cancel(1) }
      }
      try await blunder(hasty, 200)
      try await blunder(patient, 200)
      await server.advance(29_999)
      #expect(try await hasty.said() == [])
      #expect(try await patient.said() == [])
      try await blunder(hasty, 1)
      #expect(try await hasty.said() == ["goaway enhance_your_calm", "closed"])
      await server.advance(1)
      for _ in 0..<3 {
        try await blunder(patient, 200)
        #expect(try await patient.said().allSatisfy { $0 == "ping" })
        await server.advance(30_000)
      }
      // An old connection's mistakes count as long as a new one's.
      try await blunder(patient, 200)
      await server.advance(29_999)
      try await blunder(patient, 1)
      #expect(try await patient.said().contains("goaway enhance_your_calm"))
    }
  }

  @Test("attacks.md R11, R8: refusals that ask to wait, and cancelled work, are counted for half a minute too")
  func otherConduct() async throws {
    try await HandSetServer.run {
      ($0.requestsInFlight, $0.ignoredRefusals) = (0, 3)
    } _: { server in
      let peer = try await Peer(server)
      for _ in 0..<2 {
        for _ in 0..<3 { try await peer.ask(status) }
        #expect(try await peer.said() == Array(repeating: "error too_many_in_flight", count: 3))
        await server.advance(30_000)
        #expect(try await peer.said() == ["ping"])
      }
      for _ in 0..<3 { try await peer.ask(status) }
      await server.advance(29_999)
      try await peer.ask(status)
      #expect(try await peer.said().contains("goaway enhance_your_calm"))
    }
    try await HandSetServer.run {
      $0.requestsInFlight = 2
    } _: { server in
      let peer = try await Peer(server)
      func cancelAnswered(_ count: Int) async throws {
        for _ in 0..<count {
          let stream = try await peer.ask(status)
          try await peer.cancel(stream)
        }
      }
      try await cancelAnswered(4)
      await server.advance(30_000)
      try await cancelAnswered(4)
      #expect(try await peer.said() == ["ping"])
      await server.advance(29_999)
      try await cancelAnswered(1)
      #expect(try await peer.said().contains("goaway enhance_your_calm"))
    }
  }

  @Test("attacks.md R4: a client that takes nothing for 30 s is cut off; one that takes something begins anew")
  func slowConsumer() async throws {
    try await HandSetServer.run { server in
      let watch = try await Peer(server)
      let stuck = try await Peer(server)
      let slow = try await Peer(server)
      for peer in [stuck, slow] {
        try await peer.fill(true)
        try await peer.ask(status)
      }
      // The first look, after a quarter of a second, finds bytes that wait.
      await server.advance(30_249)
      #expect(try await watch.status().connections == 3)
      try await slow.fill(false)
      try await slow.fill(true)
      try await slow.ask(status)
      await server.advance(1)
      #expect(try await watch.status().connections == 2)
      await server.advance(29_999)
      #expect(try await watch.status().connections == 2)
      await server.advance(1)
      #expect(try await watch.status().connections == 1)
    }
  }

  @Test("bookmarkable: a quiet subscription hears every 15 s that it misses nothing")
  func progress() async throws {
    try await HandSetServer.run { server in
      let peer = try await Peer(server)
      let thread = try await peer.startThread()
      try await peer.follow(thread)
      await server.advance(14_999)
      #expect(try await peer.said().contains { $0.hasPrefix("progress") } == false)
      await server.advance(1)
      #expect(try await peer.said() == ["progress 1"])
      await server.advance(29_999)
      #expect(try await peer.said().filter { $0 != "ping" } == ["progress 1"])
    }
  }

  // MARK: Tokens

  @Test("The 21st wrong token of an address in a minute is answered a second later than the 20th (attacks.md A20)")
  func badTokens() async throws {
    let tokens = try Authentication(tokens: String(repeating: "t", count: 32) + " somebody\n")
    try await HandSetServer.run(authentication: tokens) { server in
      func guess() async throws -> Peer { try await Peer(server, token: "wrong") }
      for _ in 0..<20 { #expect(try await guess().said().first == "goaway invalid_token") }
      let late = try await guess()
      await server.advance(999)
      #expect(try await late.said() == [])
      await server.advance(1)
      #expect(try await late.said().first == "goaway invalid_token")
      await server.advance(59_000)
      #expect(try await guess().said().first == "goaway invalid_token")
    }
  }

  @Test("A token ends its connection 30 s after its own end; a fresh one keeps it (attacks.md A10)")
  func tokenExpiry() async throws {
    let secret = String(repeating: "secret-", count: 6)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data(secret.utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    defer { try? FileManager.default.removeItem(at: file) }
    var web = WebTokenConfiguration(algorithms: [.hs256])
    web.secretFile = file.path
    let authentication = try await Authentication(tokenFile: nil, webTokens: web)
    func token(ends: Int64) -> String {
      func text(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
      }
      let signed = text(Data(#"{"alg":"HS256"}"#.utf8)) + "." + text(Data(#"{"tenant":"t","exp":\#(ends)}"#.utf8))
      let key = SymmetricKey(data: Data(secret.utf8))
      return signed + "." + text(Data(HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: key)))
    }
    try await HandSetServer.run(authentication: authentication) { server in
      let ends = server.now / 1_000 + 60
      let ending = try await Peer(server, token: token(ends: ends))
      let renewed = try await Peer(server, token: token(ends: ends))
      try await renewed.call(status, Metadata(token: token(ends: ends + 3_600)))
      await server.advance(89_999)
      #expect(try await ending.said().contains { $0.hasPrefix("goaway") } == false)
      await server.advance(1)
      #expect(try await ending.said().contains("goaway token_expired"))
      #expect(try await renewed.said().contains { $0.hasPrefix("goaway") } == false)
      server.step(3_600_000)
      await server.advance(250)
      #expect(try await renewed.said().contains("goaway token_expired"))
    }
  }
}
