// One connection: greeting, calls side by side, and every way in which a call can end.

import HeddleCore
import HeddleProtocol
import Synchronization
import Testing

@testable import HeddleClient

@Suite(.timeLimit(.minutes(5))) struct CallTests {
  private let thread = ThreadID(high: 1, low: 2)

  /// Runs `body` with a client of a server that follows `script`.
  private func withClient(
    callTimeout: Duration = .seconds(30), _ script: @escaping ScriptedServer.Script,
    _ body: (HeddleClient, ScriptedServer) async throws -> Void
  ) async throws {
    let server = try await ScriptedServer.start(script)
    let client = try await HeddleClient.connect(server.configuration(callTimeout: callTimeout))
    try await body(client, server)
    await client.close()
    try await server.close()
  }

  @Test func helloIsTheFirstFrameAndSaysWhoTheClientIs() async throws {
    let hello = Mutex<ClientHello?>(nil)
    let server = try await ScriptedServer.startBare { server, frame in
      hello.withLock { $0 = $0 ?? server.decode(ClientHello.self, frame) }
      server.greet()
    }
    var configuration = server.configuration()
    configuration.token = "secret"
    let client = try await HeddleClient.connect(configuration)
    #expect(
      hello.withLock { $0 }
        == ClientHello(clientName: "tests", clientVersion: "1", token: "secret"))
    #expect(client.hello.serverVersion == "test 0")
    await client.close()
    try await server.close()
  }

  @Test func aRefusedHelloFailsTheConnect() async throws {
    let error = WireError(code: .unauthenticated, reason: "invalid_token", message: "get another")
    let server = try await ScriptedServer.startBare { server, _ in server.send(.error, error) }
    await #expect(throws: HeddleError.refused(error)) { try await HeddleClient.connect(server.configuration()) }
    try await server.close()
  }

  @Test func aServerThatSpeaksSomethingElseIsAViolation() async throws {
    let server = try await ScriptedServer.startBare { server, _ in
      server.send(bytes: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
    }
    let error = await #expect(throws: HeddleError.self) { try await HeddleClient.connect(server.configuration()) }
    #expect(error?.kind == .violation)
    #expect(error?.message.contains("a frame begins with byte 72; is this the frame port?") == true)
    try await server.close()
  }

  @Test func noServerIsSaidToBeNoServer() async throws {
    let server = try await ScriptedServer.start { _, _ in }
    try await server.close()
    #expect(await kind { try await HeddleClient.connect(server.configuration()) } == .cannotConnect)
  }

  @Test func aCallGivesItsAnswer() async throws {
    let answer = ReadSettingsResponse(settings: Settings(model: "m"), revision: 3)
    try await withClient { server, frame in
      server.answer(frame, answer)
    } _: { client, _ in
      #expect(try await client.settings.read(ReadSettingsRequest(thread: thread)) == answer)
      #expect(try await client.call(.settingsRead(ReadSettingsRequest(thread: thread))) == .settingsRead(answer))
      let raw = try await client.callRaw(.settingsRead, payload: [])
      #expect(try JSONTranscoder.json(raw, schema: ReadSettingsResponse.schemaIndex).contains(#""revision":3"#))
    }
  }

  @Test func aRefusalIsThrownWhole() async throws {
    let error = WireError(code: .notFound, reason: "thread", message: "no such thread", debugId: "d1")
    try await withClient { server, frame in
      server.send(.error, stream: frame.header.stream, flags: FrameHeader.endOfStream, error)
    } _: { client, _ in
      await #expect(throws: HeddleError.refused(error)) { try await client.read(thread) }
      #expect("\(HeddleError.refused(error))" == "NOT_FOUND thread: no such thread [d1]")
    }
  }

  @Test func answersFindTheirCallsInAnyOrderAndStreamsAreOddAndRise() async throws {
    let waiting = Mutex<[Frame]>([])
    try await withClient { server, frame in
      let all = waiting.withLock { waiting in
        waiting.append(frame)
        return waiting
      }
      guard all.count == 20 else { return }
      for request in all.reversed() {
        let asked = server.decode(RollbackThreadRequest.self, request)?.turns ?? 0
        server.answer(request, RollbackThreadResponse(rolledBack: UInt32(asked)))
      }
    } _: { client, _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for turns in 1...20 as ClosedRange<Int32> {
          group.addTask {
            let answer = try await client.threads.rollback(RollbackThreadRequest(thread: thread, turns: turns))
            #expect(answer.rolledBack == UInt32(turns))
          }
        }
        try await group.waitForAll()
      }
      #expect(waiting.withLock { $0.map(\.header.stream) } == (0..<20).map { 2 * $0 + 1 })
    }
  }

  @Test func keyAndDeadlineStandInTheMetadata() async throws {
    let lengths = Mutex<[UInt16]>([])
    try await withClient { server, frame in
      lengths.withLock { $0.append(frame.header.metadataLength) }
      server.answer(frame, StartThreadResponse())
    } _: { client, _ in
      _ = try await client.threads.list(deadline: .seconds(5))
      _ = try await client.threads.start(key: IdempotencyKey(high: 1, low: 2), deadline: .seconds(5))
      _ = try await client.threads.start(deadline: .seconds(5))
      // A deadline of at most 5,000 ms takes 3 bytes, a key 18; a change without one gets one.
      #expect(lengths.withLock { $0 } == [3, 21, 21])
    }
  }

  @Test func aCancelledTaskCancelsItsCallAtTheServer() async throws {
    try await withClient { _, _ in
    } _: { client, server in
      let call = Task { try await client.read(thread) }
      let request = await server.next(.request)
      call.cancel()
      let cancel = await server.next(.cancel)
      #expect(cancel?.header.stream == request?.header.stream)
      #expect(await kind { try await call.value } == .cancelled)
    }
  }

  @Test func aCallWithoutAnAnswerTimesOutAndIsCancelledAtTheServer() async throws {
    try await withClient { _, _ in
    } _: { client, server in
      #expect(await kind { try await client.server.status(deadline: .milliseconds(1)) } == .timedOut)
      #expect(await server.next(.cancel)?.header.stream == 1)
    }
  }

  @Test func aLostConnectionFailsItsCallsAndTheNextCallConnectsAgain() async throws {
    try await withClient { server, frame in
      if server.number == 0 { server.close() } else { server.answer(frame, ReadThreadResponse()) }
    } _: { client, _ in
      #expect(await kind { try await client.read(thread) } == .lost)
      _ = try await client.read(thread)
      #expect(client.hello.serverVersion == "test 1")
    }
  }

  @Test func afterGoAwayCoveredCallsEndAndOthersGoToAnotherConnection() async throws {
    let goAway = GoAway(lastStream: 1, error: WireError(code: .unavailable, reason: "shutting_down"))
    let first = Mutex<Frame?>(nil)
    try await withClient { server, frame in
      if server.number == 1 { return server.answer(frame, ReadThreadResponse(thread: AgentThread(name: "second"))) }
      if let covered = first.withLock({ $0 }) {
        server.send(.goaway, goAway)
        server.answer(covered, ReadThreadResponse(thread: AgentThread(name: "first")))
      } else {
        first.withLock { $0 = frame }
      }
    } _: { client, server in
      let covered = Task { try await client.read(thread) }
      _ = await server.next(.request)
      let other = Task { try await client.call(.threadRead(ReadThreadRequest(thread: thread))) }
      let first = try await covered.value
      #expect(first.thread?.name == "first")
      // Without retries it is said that nothing was served.
      #expect(await kind { try await other.value } == .lost)
      let second = try await client.read(thread)
      #expect(second.thread?.name == "second")
      #expect(server.connectionCount == 2)
    }
  }

  @Test func closingFailsCallsThatWaitAndThoseThatCome() async throws {
    let server = try await ScriptedServer.start { _, _ in }
    var configuration = server.configuration()
    configuration.closeTimeout = .zero
    let client = try await HeddleClient.connect(configuration)
    let call = Task { try await client.read(thread) }
    _ = await server.next(.request)
    await client.close()
    #expect(await kind { try await call.value } == .lost)
    #expect(await kind { try await client.read(thread) } == .closed)
    try await server.close()
  }

  @Test func aPlainStartAsksForNoEvents() async throws {
    let asked = Mutex<[StartThreadRequest]>([])
    try await withClient { server, frame in
      asked.withLock { $0.append(server.decode(StartThreadRequest.self, frame) ?? StartThreadRequest()) }
      server.answer(frame, StartThreadResponse(sequence: 1))
    } _: { client, _ in
      _ = try await client.threads.start(StartThreadRequest(name: "a"))
      _ = try await client.call(.threadStart(StartThreadRequest(name: "b")))
      #expect(
        asked.withLock { $0 }
          == [StartThreadRequest(name: "a", subscribe: false), StartThreadRequest(name: "b", subscribe: false)])
    }
  }

  @Test func pingsAreAnsweredInBothDirections() async throws {
    try await withClient { server, frame in
      guard frame.header.knownKind == .ping, let ping = server.decode(Ping.self, frame) else { return }
      server.send(.ping, Ping(opaque: [1, 2, 3]))
      server.send(.pong, Pong(opaque: ping.opaque, status: .draining))
    } _: { client, server in
      let answer = try await client.ping()
      #expect(answer.status == .draining)
      let pong = await server.next(.pong)
      var codec = Codec()
      let sent = try codec.decode(Pong.self, pong?.message ?? [])
      #expect(sent == Pong(opaque: [1, 2, 3], status: .serving))
    }
  }

  @Test func noticesOfStreamZeroReachTheirConsumer() async throws {
    let notice = SubscriptionEvent.Kind.threadDeleted(ThreadDeletedNotice(thread: thread))
    try await withClient { server, frame in
      server.event(0, notice)
      server.answer(frame, ReadThreadResponse())
    } _: { client, _ in
      _ = try await client.read(thread)
      var notices = client.notices.makeAsyncIterator()
      #expect(await notices.next()?.kind == notice)
    }
  }

  @Test func unknownKindsAreSkippedWithTheTopBitAndEndTheConnectionWithout() async throws {
    try await withClient { server, frame in
      guard frame.header.knownKind == .request else { return }
      server.sendRaw(FrameHeader(kind: 0x90), [])
      if frame.header.stream == 3 { server.sendRaw(FrameHeader(kind: 0x50), []) }
      server.answer(frame, ReadThreadResponse())
    } _: { client, _ in
      _ = try await client.read(thread)
      #expect(await kind { try await client.read(thread) } == .violation)
    }
  }

  @Test(arguments: [
    FrameHeader(kind: 2, version: 2), FrameHeader(kind: 2, flags: 0x01), FrameHeader(kind: 2, flags: 0x04),
    FrameHeader(kind: 2, metadataLength: 1), FrameHeader(kind: 2, length: .max),
  ])
  func headersThatBreakTheFormatEndTheConnection(_ header: FrameHeader) async throws {
    try await withClient { server, _ in
      server.sendRaw(header, [])
    } _: { client, _ in
      let ended = await kind { try await client.read(thread) }
      #expect(ended == (header.length == .max ? .tooLarge : .violation))
    }
  }

  @Test func aMessageBeyondTheServersLimitIsNotSent() async throws {
    try await withClient { _, _ in
    } _: { client, _ in
      let payload = [UInt8](repeating: 0, count: (4 << 20) + 1)
      #expect(await kind { try await client.callRaw(.turnStart, payload: payload) } == .tooLarge)
    }
  }
}
