// The client of a Heddle server: calls, subscriptions, turns and tools over one connection, which it makes anew when that
// one is lost, when the server goes, or when the server replaces old connections.
//
// Calls are sent again where that does no harm (Attempts.swift); subscriptions go on by their cursor (Following.swift).

import HeddleCore
import HeddleProtocol

public final class HeddleClient: Sendable {
  /// Lifecycle notices of stream 0: threads that come, go, and change their names. For one consumer. A consumer that is
  /// more than 256 notices behind loses the oldest: they are hints, and lists say what is true.
  public let notices: AsyncStream<SubscriptionEvent>

  private let core: ClientCore

  /// Makes a client that connects with its first call.
  public init(_ configuration: ClientConfiguration) {
    let (notices, continuation) = AsyncStream.makeStream(
      of: SubscriptionEvent.self, bufferingPolicy: .bufferingNewest(256))
    self.notices = notices
    core = ClientCore(configuration, notices: continuation)
  }

  deinit {
    core.onLoop { $0.abandon() }
  }

  /// Makes a client and connects it.
  public static func connect(_ configuration: ClientConfiguration) async throws -> HeddleClient {
    let client = HeddleClient(configuration)
    do { try await client.connect() } catch {
      await client.close()
      throw error
    }
    return client
  }

  /// The same with a URL: heddle://host:port,host2?tls=on&ca=FILE&cert=FILE&key=FILE&name=NAME. Nil: HEDDLE_URL, or the
  /// server on this machine.
  public static func connect(
    _ url: String? = nil, _ adjust: (inout ClientConfiguration) -> Void = { _ in }
  ) async throws -> HeddleClient {
    var configuration = try ClientConfiguration(url: url)
    adjust(&configuration)
    return try await connect(configuration)
  }

  /// Connects the client if it is not. One attempt.
  public func connect() async throws { try await core.connect() }

  /// The server's HELLO of the last connection.
  public var hello: ServerHello { core.hello }

  /// Waits for calls that have no answer yet, at most the close timeout; then nothing is left.
  public func close() async { await core.close() }

  /// Asks whether the server is there, and what it says of itself.
  public func ping() async throws -> Pong {
    try await core.ping(until: .now + core.configuration.callTimeout)
  }

  // MARK: calls

  /// One request, one answer, with all attempts within `deadline` (the configuration's `callTimeout`). Throws
  /// `HeddleError`. A task that is cancelled cancels the call at the server too. A change without a key gets one of its
  /// own, the same at each attempt.
  public func call(_ request: Request, key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> Response {
    try await core.call(Self.withoutEvents(request), key, deadline)
  }

  /// The same with messages that are encoded already: for the prompt.
  public func callRaw(
    _ method: Method, payload: [UInt8], key: IdempotencyKey? = nil, deadline: Duration? = nil
  ) async throws -> [UInt8] {
    try await core.perform(method, payload, key: key, timeout: deadline)
  }

  /// The same with the types of one method; what `threads.start` and its like are made of.
  public func call<Question: WireMessage, Answer: WireMessage>(
    _ method: Method, _ request: Question, as answer: Answer.Type = Answer.self, key: IdempotencyKey? = nil,
    deadline: Duration? = nil
  ) async throws -> Answer {
    try await core.call(method, request, key, deadline)
  }

  // MARK: threads and turns

  /// The events of a thread after `after`, or from now on, for one consumer. Goes on over lost connections behind the
  /// last event that was taken; throws when the server refuses the cursor, or when an event is missing.
  ///
  /// With `tree` it also brings what the agents below the thread do; `SubscriptionEvent.thread` names the agent. Events
  /// of an agent that came while there was no connection are read before the stream goes on.
  public func subscribe(
    thread: ThreadID, after: UInt64? = nil, epoch: UInt64? = nil, tree: Bool = false
  ) -> Subscription {
    subscribe(SubscribeRequest(thread: thread, epoch: epoch, after: after, tree: tree))
  }

  /// The same with everything that can be asked for; without a thread: notices of all threads.
  public func subscribe(_ request: SubscribeRequest) -> Subscription { Subscription(self, core, request) }

  /// A turn with a text, and what the model says to it.
  public func turn(_ thread: ThreadID, _ text: String, key: IdempotencyKey? = nil) -> RunningTurn {
    turn(StartTurnRequest(thread: thread, input: .text(text)), key: key)
  }

  public func turn(_ request: StartTurnRequest, key: IdempotencyKey? = nil) -> RunningTurn {
    RunningTurn(self, request, key)
  }

  // MARK: tools

  /// Names what runs a tool: it gets the arguments, a JSON object, and gives text for the model. The thread must offer
  /// the tool (`StartThreadRequest.tools`).
  public func tool(_ name: String, _ run: @escaping ClientHandlers.Tool) async {
    await core.handle { $0.tools[name] = run }
  }

  /// The same with arguments of a type.
  public func tool<Arguments: Decodable & SendableMetatype>(
    _ name: String, _ type: Arguments.Type, _ run: @escaping @Sendable (Arguments) async throws -> String
  ) async {
    await tool(name, ClientHandlers.tool(type, run))
  }

  /// Names what asks the user.
  public func onQuestion(
    _ ask: @escaping @Sendable (RequestUserInputRequest) async throws -> RequestUserInputResponse
  ) async {
    await core.handle { $0.requestUserInput = ask }
  }

  /// The three requests that subscribe unless they say otherwise: a subscription is the one way to follow.
  private static func withoutEvents(_ request: Request) -> Request {
    switch request {
    case .threadStart(var start):
      start.subscribe = false
      return .threadStart(start)
    case .threadResume(var resume):
      resume.subscribe = false
      return .threadResume(resume)
    case .threadFork(var fork):
      fork.subscribe = false
      return .threadFork(fork)
    default: return request
    }
  }
}

extension HeddleClient: CustomStringConvertible, CustomReflectable {
  /// Names the servers, and no secret.
  public var description: String {
    "HeddleClient of \(core.configuration.hosts.map(\.description).joined(separator: ","))"
  }

  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ClientCore {
  /// Nobody holds the client any more.
  func abandon() {
    guard !isClosed else { return }
    // Ends everything else and then itself.
    Task { await close() }
  }

  func connect() async throws(HeddleError) { _ = try await connection(until: nil) }

  /// HELLO names what has handlers, so a new kind of handler needs a new connection.
  func handle(_ change: @Sendable (inout ClientHandlers) -> Void) {
    change(&handlers)
    for connection in Array(connections.values) where connection.features != handlers.features { leave(connection) }
  }

  func call(_ request: Request, _ key: IdempotencyKey?, _ deadline: Duration?) async throws -> Response {
    let method = request.method
    let answer = try await perform(method, codec.encode(request), key: key, timeout: deadline)
    do {
      let response = try answer.withUnsafeBytes { try Response(method, $0, &codec) }
      guard let response else { throw HeddleError.violation("\(method.path) is not for clients") }
      return response
    } catch let error as DecodeError { throw HeddleError.undecodable(method.path, error) }
  }

  func call<Question: WireMessage, Answer: WireMessage>(
    _ method: Method, _ request: Question, _ key: IdempotencyKey?, _ deadline: Duration?
  ) async throws -> Answer {
    let answer = try await perform(method, codec.encode(request), key: key, timeout: deadline)
    do throws(DecodeError) { return try codec.decode(Answer.self, answer) } catch {
      throw HeddleError.undecodable(method.path, error)
    }
  }
}
