// Calls of the server to its client: the features in HELLO, the answer, and the withdrawal of a call.

import HeddleCore
import HeddleProtocol
import Synchronization
import Testing

@testable import HeddleClient

@Suite(.timeLimit(.minutes(5))) struct ServerCallTests {
  private let question = RequestUserInputRequest(
    thread: ThreadID(high: 1, low: 2), turn: TurnID(high: 1, low: 3), question: "Which?", choices: ["a", "b"],
    actionHash: [7, 8], deadline: 1 << 52, callId: "c")

  /// Connects a client with these handlers to a server that asks `question` on stream 2 at every PING.
  private func withClient(
    _ handlers: ClientHandlers, method: Method = .clientRequestUserInput,
    then script: @escaping ScriptedServer.Script = { _, _ in },
    _ body: (HeddleClient, ScriptedServer) async throws -> Void
  ) async throws {
    let server = try await ScriptedServer.start { [question] server, frame in
      if frame.header.knownKind == .ping {
        server.send(.request, method: UInt16(method.rawValue), stream: 2, question)
        server.send(.pong, Pong(opaque: server.decode(Ping.self, frame)?.opaque ?? []))
      } else {
        script(server, frame)
      }
    }
    var configuration = server.configuration()
    configuration.handlers = handlers
    let client = try await HeddleClient.connect(configuration)
    try await body(client, server)
    await client.close()
    try await server.close()
  }

  private func decode<M: WireMessage>(_ type: M.Type, _ frame: Frame?) throws -> M {
    var codec = Codec()
    return try codec.decode(type, frame?.message ?? [])
  }

  @Test func helloNamesWhatThereAreHandlersFor() async throws {
    let said = Mutex<[[String]]>([])
    let server = try await ScriptedServer.startBare { server, frame in
      said.withLock { $0.append(server.decode(ClientHello.self, frame)?.features ?? []) }
      server.greet()
    }
    let tool: @Sendable (CallToolRequest) async throws -> CallToolResponse = { _ in CallToolResponse() }
    let input: @Sendable (RequestUserInputRequest) async throws -> RequestUserInputResponse = { _ in
      RequestUserInputResponse()
    }
    for handlers in [
      ClientHandlers(), ClientHandlers(callTool: tool), ClientHandlers(callTool: tool, requestUserInput: input),
    ] {
      var configuration = server.configuration()
      configuration.handlers = handlers
      await (try await HeddleClient.connect(configuration)).close()
    }
    #expect(said.withLock { $0 } == [[], ["call_tool"], ["call_tool", "request_user_input"]])
    try await server.close()
  }

  @Test func anAnswerGoesBackOnTheStreamOfTheQuestion() async throws {
    let handlers = ClientHandlers(requestUserInput: { request in
      RequestUserInputResponse(answer: request.choices[1], actionHash: request.actionHash)
    })
    try await withClient(handlers) { client, server in
      _ = try await client.ping()
      let frame = await server.next(.response)
      #expect(frame?.header.stream == 2)
      #expect(frame?.header.method == UInt16(Method.clientRequestUserInput.rawValue))
      #expect(frame?.endsStream == true)
      #expect(
        try decode(RequestUserInputResponse.self, frame) == RequestUserInputResponse(answer: "b", actionHash: [7, 8]))
    }
  }

  @Test(arguments: [
    (HeddleError.refused(WireError(code: .failedPrecondition, reason: "r", message: "no")) as any Error, "r", "no"),
    (CancellationError(), "unknown_method", "this client does not serve the method"),
    (ToolFailure("no ink"), "tool_failed", "no ink"),
  ])
  func aHandlerThatThrowsSaysWhy(_ error: any Error, _ reason: String, _ message: String) async throws {
    try await withClient(ClientHandlers(requestUserInput: { _ in throw error })) { client, server in
      _ = try await client.ping()
      let frame = await server.next(.error)
      #expect(frame?.header.stream == 2)
      let said = try decode(WireError.self, frame)
      #expect(said.reason == reason)
      #expect(said.message == message)
    }
  }

  @Test func aMethodWithoutAHandlerIsLeftToOthers() async throws {
    try await withClient(ClientHandlers()) { client, server in
      _ = try await client.ping()
      #expect(try decode(WireError.self, await server.next(.error)).code == .unimplemented)
    }
  }

  @Test func aCancelOfTheServerCancelsTheHandlerAndNothingIsSentForIt() async throws {
    let (cancelled, continuation) = AsyncStream.makeStream(of: Void.self)
    let handlers = ClientHandlers(requestUserInput: { _ in
      await withTaskCancellationHandler {
        try? await Task.sleep(for: .seconds(3600))
      } onCancel: {
        continuation.yield()
      }
      return RequestUserInputResponse(answer: "late")
    })
    try await withClient(handlers) { server, frame in
      // The first call of the client is when the server takes its question back.
      server.send(.cancel, method: UInt16(Method.clientRequestUserInput.rawValue), stream: 2)
      server.answer(frame, ReadThreadResponse())
    } _: { client, server in
      _ = try await client.ping()
      _ = try await client.read(question.thread)
      for await _ in cancelled { break }
      // The stream's number is free: the same question can be asked again, and only its own end is heard of.
      _ = try await client.read(question.thread)
      await client.close()
      var kinds: [FrameKind?] = []
      for await frame in server.received {
        kinds.append(frame.header.knownKind)
        if kinds.count == 3 { break }
      }
      #expect(kinds == [.ping, .request, .request])
    }
  }

  @Test func aRequestOnAnOddStreamIsAViolation() async throws {
    let server = try await ScriptedServer.start { [question] server, frame in
      server.send(.request, method: UInt16(Method.clientRequestUserInput.rawValue), stream: 3, question)
    }
    let client = try await HeddleClient.connect(server.configuration())
    #expect(await kind { try await client.read(question.thread) } == .violation)
    await client.close()
    try await server.close()
  }

  @Test func hooksTellOfEveryConnection() async throws {
    let server = try await ScriptedServer.start { server, frame in
      if server.number == 0 { server.close() } else { server.answer(frame, ReadThreadResponse()) }
    }
    let changes = Mutex<[String]>([])
    var configuration = server.configuration()
    configuration.hooks.connected = { hello in changes.withLock { $0.append(hello.serverVersion) } }
    configuration.hooks.lost = { error in changes.withLock { $0.append(error.kind.rawValue) } }
    let client = try await HeddleClient.connect(configuration)
    #expect(await kind { try await client.read(question.thread) } == .lost)
    _ = try await client.read(question.thread)
    #expect(changes.withLock { $0 } == ["test 0", "Lost", "test 1"])
    await client.close()
    try await server.close()
  }
}
