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
        == ClientHello(versions: [1], clientName: "tests", clientVersion: "1", token: "secret"))
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
    await #expect(throws: HeddleError.protocolViolation("a frame begins with byte 72; is this the frame port?")) {
      try await HeddleClient.connect(server.configuration())
    }
    try await server.close()
  }

  @Test func noServerIsSaidToBeNoServer() async throws {
    let server = try await ScriptedServer.start { _, _ in }
    try await server.close()
    let error = await #expect(throws: HeddleError.self) { try await HeddleClient.connect(server.configuration()) }
    guard case .cannotConnect = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func aCallGivesItsAnswer() async throws {
    let answer = ReadSettingsResponse(settings: Settings(model: "m"), revision: 3)
    try await withClient { server, frame in
      server.answer(frame, answer)
    } _: { client, _ in
      #expect(try await client.readSettings(thread) == answer)
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
      await #expect(throws: HeddleError.refused(error)) { try await client.readThread(thread) }
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
            let answer = try await client.rollBack(thread, turns: turns)
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
      server.answer(frame, ReadThreadResponse())
    } _: { client, _ in
      let request = Request.threadRead(ReadThreadRequest(thread: thread))
      _ = try await client.call(request)
      _ = try await client.call(request, key: IdempotencyKey(high: 1, low: 2), deadline: .seconds(5))
      // deadline_ms = 5000 takes 3 bytes, the key 18.
      #expect(lengths.withLock { $0 } == [0, 21])
    }
  }

  @Test func aCancelledTaskCancelsItsCallAtTheServer() async throws {
    try await withClient { _, _ in
    } _: { client, server in
      let call = Task { try await client.readThread(thread) }
      let request = await server.next(.request)
      call.cancel()
      let cancel = await server.next(.cancel)
      #expect(cancel?.header.stream == request?.header.stream)
      await #expect(throws: CancellationError.self) { try await call.value }
    }
  }

  @Test func aCallWithoutAnAnswerTimesOutAndIsCancelledAtTheServer() async throws {
    try await withClient { _, _ in
    } _: { client, server in
      await #expect(throws: HeddleError.timedOut) {
        try await client.call(.serverStatus(ServerStatusRequest()), deadline: .milliseconds(1))
      }
      #expect(await server.next(.cancel)?.header.stream == 1)
    }
  }

  /// In real time: NIO's idle handler reads the machine's clock.
  @Test func aServerThatSaysNothingForTheIdleTimeIsGivenUp() async throws {
    let server = try await ScriptedServer.start { _, _ in }
    var brief = server.configuration(callTimeout: .seconds(600))
    brief.idleTimeout = .milliseconds(100)
    let configuration = brief
    await #expect(throws: HeddleError.connectionLost) {
      let client = try await HeddleClient.connect(configuration)
      return try await client.call(.serverStatus(ServerStatusRequest()))
    }
    try await server.close()
  }

  @Test func aLostConnectionFailsItsCallsAndTheNextCallConnectsAgain() async throws {
    try await withClient { server, frame in
      if server.number == 0 { server.close() } else { server.answer(frame, ReadThreadResponse()) }
    } _: { client, _ in
      await #expect(throws: HeddleError.connectionLost) { try await client.readThread(thread) }
      _ = try await client.readThread(thread)
      #expect(client.hello.serverVersion == "test 1")
    }
  }

  @Test func afterGoAwayCoveredCallsEndAndOthersGoToAnotherConnection() async throws {
    let goAway = GoAway(lastStream: 1, error: WireError(code: .unavailable, reason: "shutting_down"))
    let waiting = Mutex<[Frame]>([])
    try await withClient { server, frame in
      if server.number == 1 { return server.answer(frame, ReadThreadResponse()) }
      let all = waiting.withLock { waiting in
        waiting.append(frame)
        return waiting
      }
      guard all.count == 2 else { return }
      server.send(.goaway, goAway)
      server.answer(all[0], ReadThreadResponse())
    } _: { client, server in
      let covered = Task { try await client.readThread(thread) }
      _ = await server.next(.request)
      await #expect(throws: HeddleError.goingAway(goAway)) { try await client.readThread(thread) }
      _ = try await covered.value
      _ = try await client.readThread(thread)
      #expect(server.connectionCount == 2)
    }
  }

  @Test func closingFailsWhatWaitsAndWhatComesAfter() async throws {
    try await withClient { _, _ in
    } _: { client, server in
      let call = Task { try await client.readThread(thread) }
      _ = await server.next(.request)
      await client.close()
      await #expect(throws: HeddleError.closed) { try await call.value }
      await #expect(throws: HeddleError.closed) { try await client.readThread(thread) }
    }
  }

  @Test func eventsBehindThePlainCallsAnswerAreCancelled() async throws {
    try await withClient { server, frame in
      guard frame.header.knownKind == .request else { return }
      server.send(.response, method: frame.header.method, stream: frame.header.stream, StartThreadResponse())
      server.event(frame.header.stream, .live(Live(sequence: 1)))
    } _: { client, server in
      _ = try await client.callRaw(.threadStart, payload: [])
      #expect(await server.next(.cancel)?.header.stream == 1)
    }
  }

  @Test func aPlainStartAsksForNoEvents() async throws {
    let asked = Mutex<[StartThreadRequest]>([])
    try await withClient { server, frame in
      asked.withLock { $0.append(server.decode(StartThreadRequest.self, frame) ?? StartThreadRequest()) }
      server.answer(frame, StartThreadResponse(sequence: 1))
    } _: { client, _ in
      _ = try await client.startThread(StartThreadRequest(name: "a"))
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

  @Test func callsOfTheServerAreRefused() async throws {
    try await withClient { server, frame in
      guard frame.header.knownKind == .ping, let ping = server.decode(Ping.self, frame) else { return }
      server.send(.request, method: UInt16(Method.clientCallTool.rawValue), stream: 2, CallToolRequest())
      server.send(.pong, Pong(opaque: ping.opaque))
    } _: { client, server in
      _ = try await client.ping()
      let refusal = await server.next(.error)
      #expect(refusal?.header.stream == 2)
      var codec = Codec()
      #expect(try codec.decode(WireError.self, refusal?.message ?? []).code == .unimplemented)
    }
  }

  @Test func noticesOfStreamZeroReachTheirConsumer() async throws {
    let notice = SubscriptionEvent.Kind.threadDeleted(ThreadDeletedNotice(thread: thread))
    try await withClient { server, frame in
      server.event(0, notice)
      server.answer(frame, ReadThreadResponse())
    } _: { client, _ in
      _ = try await client.readThread(thread)
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
      _ = try await client.readThread(thread)
      await #expect(throws: HeddleError.protocolViolation("a frame of unknown kind 80")) {
        try await client.readThread(thread)
      }
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
      let error = await #expect(throws: HeddleError.self) { try await client.readThread(thread) }
      guard case .protocolViolation = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  @Test func aMessageBeyondTheServersLimitIsNotSent() async throws {
    try await withClient { _, _ in
    } _: { client, _ in
      let payload = [UInt8](repeating: 0, count: (4 << 20) + 1)
      await #expect(throws: HeddleError.tooLarge(bytes: payload.count, limit: 4 << 20)) {
        try await client.callRaw(.turnStart, payload: payload)
      }
    }
  }

  @Test func aRawStreamGivesTheAnswerThenTheEvents() async throws {
    try await withClient { server, frame in
      let stream = frame.header.stream
      server.send(.response, method: frame.header.method, stream: stream, StartThreadResponse(sequence: 1))
      server.event(stream, .live(Live(sequence: 1)), flags: FrameHeader.replayed)
      server.event(stream, .progress(Progress(sequence: 1)), flags: FrameHeader.endOfStream)
    } _: { client, _ in
      var texts: [String] = []
      for try await message in client.stream(.threadStart, payload: []) {
        texts.append(try JSONTranscoder.json(message.bytes, schema: message.schema) + (message.isReplayed ? " r" : ""))
      }
      #expect(texts == [#"{"sequence":1}"#, #"{"live":{"sequence":1}} r"#, #"{"progress":{"sequence":1}}"#])
    }
  }
}
