// Subscriptions: events in order and without gaps, whatever happens to the connection under them (S1 to S3 of
// Subscription.swift).

import HeddleCore
import HeddleProtocol
import Synchronization
import Testing

@testable import HeddleClient

@Suite(.timeLimit(.minutes(5))) struct SubscriptionTests {
  private static let head: UInt64 = 20
  private let thread = ThreadID(high: 1, low: 2)

  /// Answers a Subscribe as the server does, and gives the sequences that the request asks for.
  private static func begin(_ server: ServerSide, _ frame: Frame) -> [UInt64] {
    let request = server.decode(SubscribeRequest.self, frame) ?? SubscribeRequest()
    server.send(
      .response, method: frame.header.method, stream: frame.header.stream,
      SubscriptionEvent(kind: .subscribed(Subscribed(head: head, oldest: 1, epoch: 7))))
    return Array(((request.after ?? head) + 1)...(head + 1)).dropLast()
  }

  private static func event(_ sequence: UInt64) -> SubscriptionEvent.Kind {
    .event(Event(sequence: sequence, kind: .nameChanged(NameChanged(name: "name \(sequence)"))))
  }

  private func collect(
    _ client: HeddleClient, after: UInt64? = 0, epoch: UInt64? = nil
  ) async throws -> [SubscriptionEvent.Kind?] {
    var kinds: [SubscriptionEvent.Kind?] = []
    for try await message in client.subscribe(thread: thread, after: after, epoch: epoch) { kinds.append(message.kind) }
    return kinds
  }

  /// The events that a subscription from the beginning must deliver, in spite of lost connections.
  private var everything: [SubscriptionEvent.Kind?] {
    [.subscribed(Subscribed(head: Self.head, oldest: 1, epoch: 7))] + (1...Self.head).map { Self.event($0) }
  }

  /// Sends what the request asks for, `limit` events at most, and ends the stream behind the last.
  private static func serve(_ server: ServerSide, _ frame: Frame, limit: Int = .max) {
    guard frame.header.knownKind == .request else { return }
    for sequence in begin(server, frame).prefix(limit) {
      server.event(frame.header.stream, event(sequence), flags: sequence == head ? FrameHeader.endOfStream : 0)
    }
  }

  @Test func aSubscriptionGivesEveryEventAndEndsWithTheStream() async throws {
    let server = try await ScriptedServer.start { server, frame in Self.serve(server, frame) }
    let client = try await HeddleClient.connect(server.configuration())
    #expect(try await collect(client) == everything)
    await client.close()
    try await server.close()
  }

  @Test func aDroppedConnectionIsResumedWithoutGapOrDuplicate() async throws {
    let asked = Mutex<[SubscribeRequest?]>([])
    let server = try await ScriptedServer.start { server, frame in
      asked.withLock { $0.append(server.decode(SubscribeRequest.self, frame)) }
      // Every connection but the last is dropped behind its third event.
      Self.serve(server, frame, limit: 3)
      server.close()
    }
    let client = try await HeddleClient.connect(server.configuration())
    #expect(try await collect(client) == everything)
    let requests = asked.withLock { $0 }
    #expect(requests.map { $0?.after } == [0, 3, 6, 9, 12, 15, 18])
    #expect(requests.map { $0?.epoch } == [nil, 7, 7, 7, 7, 7, 7])
    await client.close()
    try await server.close()
  }

  @Test func aSubscriptionFromNowOnResumesAtTheHeadItWasTold() async throws {
    let asked = Mutex<[UInt64?]>([])
    let server = try await ScriptedServer.start { server, frame in
      asked.withLock { $0.append(server.decode(SubscribeRequest.self, frame)?.after) }
      _ = Self.begin(server, frame)
      if server.number == 0 { return server.close() }
      server.event(frame.header.stream, .live(Live(sequence: Self.head)), flags: FrameHeader.endOfStream)
    }
    let client = try await HeddleClient.connect(server.configuration())
    #expect(
      try await collect(client, after: nil) == [everything[0], .live(Live(sequence: Self.head))])
    #expect(asked.withLock { $0 } == [nil, Self.head])
    await client.close()
    try await server.close()
  }

  @Test func goAwayIsResumedOnANewConnection() async throws {
    let server = try await ScriptedServer.start { server, frame in
      guard frame.header.knownKind == .request else { return }
      Self.serve(server, frame, limit: server.number == 0 ? 5 : .max)
      if server.number == 0 { server.send(.goaway, GoAway(lastStream: frame.header.stream)) }
    }
    let client = try await HeddleClient.connect(server.configuration())
    #expect(try await collect(client) == everything)
    #expect(server.connectionCount == 2)
    await client.close()
    try await server.close()
  }

  @Test func aSlowConsumerLosesNothing() async throws {
    let subscribes = Counter()
    let server = try await ScriptedServer.start { server, frame in
      if frame.header.knownKind == .request { subscribes.next() }
      Self.serve(server, frame)
    }
    // Room for one event: the rest of each burst runs over.
    let client = try await HeddleClient.connect(server.configuration(streamBufferBytes: 1))
    #expect(try await collect(client) == everything)
    #expect(subscribes.value > 1)
    #expect(server.connectionCount == 1)
    await client.close()
    try await server.close()
  }

  @Test func aSlowConsumerThatTheServerEndedResumes() async throws {
    let error = WireError(code: .resourceExhausted, reason: Reason.slowConsumer.rawValue)
    let server = try await ScriptedServer.start { server, frame in
      guard frame.header.knownKind == .request else { return }
      Self.serve(server, frame, limit: 15)
      if frame.header.stream == 1 { server.send(.error, stream: 1, flags: FrameHeader.endOfStream, error) }
    }
    let client = try await HeddleClient.connect(server.configuration())
    #expect(try await collect(client) == everything)
    await client.close()
    try await server.close()
  }

  @Test(arguments: [[1, 3], [1, 1], [2]] as [[UInt64]])
  func aGapOrADuplicateEndsTheSubscription(_ sequences: [UInt64]) async throws {
    let server = try await ScriptedServer.start { server, frame in
      guard frame.header.knownKind == .request else { return }
      _ = Self.begin(server, frame)
      for sequence in sequences { server.event(frame.header.stream, Self.event(sequence)) }
    }
    let client = try await HeddleClient.connect(server.configuration())
    let error = await #expect(throws: HeddleError.self) { try await collect(client) }
    guard case .protocolViolation = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    // The server gets a CANCEL.
    #expect(await server.next(.cancel)?.header.stream == 1)
    await client.close()
    try await server.close()
  }

  @Test func aRefusedCursorIsThrownAndNotTriedAgain() async throws {
    let error = WireError(code: .failedPrecondition, reason: "epoch_mismatch", message: "read the thread again")
    let server = try await ScriptedServer.start { server, frame in
      server.send(.error, stream: frame.header.stream, flags: FrameHeader.endOfStream, error)
    }
    let client = try await HeddleClient.connect(server.configuration())
    await #expect(throws: HeddleError.refused(error)) { try await collect(client, after: 3, epoch: 9) }
    #expect(server.connectionCount == 1)
    await client.close()
    try await server.close()
  }

  @Test func aConsumerThatLeavesCancelsTheStreamAtTheServer() async throws {
    let server = try await ScriptedServer.start { server, frame in
      if frame.header.knownKind == .request { _ = Self.begin(server, frame) }
    }
    let client = try await HeddleClient.connect(server.configuration())
    for try await _ in client.subscribe(thread: thread, after: 0) { break }
    #expect(await server.next(.cancel)?.header.stream == 1)
    await client.close()
    try await server.close()
  }

  @Test func aCancelledConsumerStopsWaiting() async throws {
    let server = try await ScriptedServer.start { server, frame in
      if frame.header.knownKind == .request { _ = Self.begin(server, frame) }
    }
    let client = try await HeddleClient.connect(server.configuration())
    let consumer = Task { try await collect(client) }
    _ = await server.next(.request)
    consumer.cancel()
    _ = await consumer.result
    #expect(await server.next(.cancel) != nil)
    await client.close()
    try await server.close()
  }

  @Test func closingTheClientEndsItsSubscriptions() async throws {
    let server = try await ScriptedServer.start { server, frame in
      if frame.header.knownKind == .request { _ = Self.begin(server, frame) }
    }
    let client = try await HeddleClient.connect(server.configuration())
    var messages = client.subscribe(thread: thread, after: 0).makeAsyncIterator()
    #expect(try await messages.next()?.kind == everything[0])
    await client.close()
    await #expect(throws: HeddleError.closed) { try await messages.next() }
    try await server.close()
  }

  @Test func aSubscriptionGivesUpAfterTheAttemptsItHas() async throws {
    let server = try await ScriptedServer.start { server, _ in server.close() }
    var configuration = server.configuration()
    configuration.reconnect.attempts = 2
    let client = try await HeddleClient.connect(configuration)
    await #expect(throws: HeddleError.connectionLost) { try await collect(client) }
    #expect(server.connectionCount == 3)
    await client.close()
    try await server.close()
  }
}

@Suite struct SubscriptionCursorTests {
  private func subscribed(_ head: UInt64, epoch: UInt64 = 1) -> SubscriptionEvent {
    SubscriptionEvent(kind: .subscribed(Subscribed(head: head, oldest: 1, epoch: epoch)))
  }

  private func event(_ sequence: UInt64) -> SubscriptionEvent {
    SubscriptionEvent(kind: .event(Event(sequence: sequence)))
  }

  @Test func onlyTheFirstSubscribedIsDelivered() throws {
    var cursor = SubscriptionCursor(after: 0, epoch: nil)
    #expect(try cursor.accept(subscribed(2)))
    #expect(try cursor.accept(event(1)))
    #expect(try !cursor.accept(subscribed(2)))
    #expect(try cursor.accept(event(2)))
    #expect(cursor.last == 2)
  }

  @Test func anotherEpochIsAViolation() throws {
    var cursor = SubscriptionCursor(after: 0, epoch: 1)
    #expect(try cursor.accept(subscribed(2, epoch: 1)))
    #expect(throws: HeddleError.self) { try cursor.accept(subscribed(2, epoch: 2)) }
  }

  @Test func aHeadBeforeTheCursorIsAViolation() {
    var cursor = SubscriptionCursor(after: 5, epoch: nil)
    #expect(throws: HeddleError.self) { try cursor.accept(subscribed(4)) }
  }

  @Test func anEventBeforeSubscribedIsAViolationWhenNoCursorWasGiven() {
    var cursor = SubscriptionCursor(after: nil, epoch: nil)
    #expect(throws: HeddleError.self) { try cursor.accept(event(1)) }
  }

  @Test func liveAndProgressMustAgreeWithWhatWasDelivered() throws {
    var cursor = SubscriptionCursor(after: 1, epoch: nil)
    #expect(try cursor.accept(subscribed(2)))
    #expect(throws: HeddleError.self) { try cursor.accept(SubscriptionEvent(kind: .live(Live(sequence: 2)))) }
    #expect(try cursor.accept(event(2)))
    #expect(try cursor.accept(SubscriptionEvent(kind: .live(Live(sequence: 2)))))
    #expect(throws: HeddleError.self) { try cursor.accept(SubscriptionEvent(kind: .progress(Progress(sequence: 3)))) }
  }

  @Test func anEventBehindTheLastPossibleOneDoesNotTrap() {
    var cursor = SubscriptionCursor(after: .max, epoch: nil)
    #expect(throws: HeddleError.self) { try cursor.accept(event(1)) }
  }

  @Test func waitsDoubleUpToTheirMaximumWithUpToHalfTakenOff() {
    let reconnect = Reconnect(minimum: .milliseconds(100), maximum: .seconds(1), attempts: 50)
    var generator = SystemRandomNumberGenerator()
    for (attempt, full) in [(0, 100), (1, 200), (2, 400), (3, 800), (4, 1000), (49, 1000)] {
      let wait = reconnect.wait(before: attempt, using: &generator)
      #expect(wait.map { $0 >= .milliseconds(full) * 0.5 && $0 <= .milliseconds(full) } == true)
    }
    #expect(reconnect.wait(before: 50, using: &generator) == nil)
  }
}
