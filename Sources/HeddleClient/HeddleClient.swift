// The client of a Heddle server: calls, streams and subscriptions over one connection.
//
// Calls that fail with their connection are not repeated: whether a repetition is safe is known to the caller, who holds
// the idempotency key. The next call connects again. Subscriptions reconnect by themselves, because a cursor makes that
// safe.

import HeddleCore
import HeddleProtocol

public final class HeddleClient: Sendable {
  /// Lifecycle notices of stream 0: threads that come, go, and change their names. For one consumer. A consumer that is
  /// more than 256 notices behind loses the oldest: they are hints, and lists say what is true.
  public let notices: AsyncStream<SubscriptionEvent>

  private let dialer: Dialer

  private init(_ configuration: ClientConfiguration) {
    let (notices, continuation) = AsyncStream.makeStream(
      of: SubscriptionEvent.self, bufferingPolicy: .bufferingNewest(256))
    self.notices = notices
    dialer = Dialer(configuration, notices: continuation)
  }

  /// Connects, sends HELLO and waits for the server's.
  public static func connect(_ configuration: ClientConfiguration) async throws -> HeddleClient {
    let client = HeddleClient(configuration)
    _ = try await client.dialer.connection()
    return client
  }

  /// The server's HELLO of the last connection.
  public var hello: ServerHello { dialer.hello }

  /// Ends the connection. What waits fails with `HeddleError.closed`.
  public func close() async { await dialer.close() }

  /// Asks whether the server is there, and what it says of itself.
  public func ping() async throws -> Pong {
    try await dialer.connection().ping(timeout: dialer.configuration.callTimeout)
  }

  /// One request, one answer. Throws `HeddleError`, or `CancellationError` when the task is cancelled, which cancels the
  /// call at the server too. Of Start, Resume and Fork only the answer is taken: leave `subscribe` out of the request
  /// or false, and use `subscribe(thread:)` to follow the thread.
  public func call(_ request: Request, key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> Response {
    try await dialer.connection().call(Self.withoutEvents(request), options(key, deadline))
  }

  /// The same with messages that are encoded already: for the prompt and for replay.
  public func callRaw(
    _ method: Method, payload: [UInt8], key: IdempotencyKey? = nil, deadline: Duration? = nil
  ) async throws -> [UInt8] {
    try await dialer.connection().exchange(method, payload, options(key, deadline))
  }

  /// The same with the types of one method; what `startThread` and its like are made of.
  public func call<Question: WireMessage, Answer: WireMessage>(
    _ method: Method, _ request: Question, as answer: Answer.Type = Answer.self, key: IdempotencyKey? = nil,
    deadline: Duration? = nil
  ) async throws -> Answer {
    try await dialer.connection().call(method, request, as: answer, options(key, deadline))
  }

  /// The answer of a method and the events that follow it, as bytes. Ends with the connection: it has no cursor to
  /// resume from. The request is sent when the first message is asked for.
  public func stream(
    _ method: Method, payload: [UInt8], key: IdempotencyKey? = nil
  ) -> AsyncThrowingStream<StreamMessage, any Error> {
    let stream = RawStream(dialer, method, payload, options(key, nil))
    return AsyncThrowingStream { try await stream.next() }
  }

  /// The events of a thread after `after`, or from now on, for one consumer. Connects again and resumes by itself when the
  /// connection is lost, when the server goes away, and when the consumer has fallen behind; ends with an error when
  /// the server refuses the cursor or an event is out of order. Ends at the server too when the stream is let go.
  ///
  /// With `tree` the stream also brings what the agents below the thread do; `SubscriptionEvent.thread` names the agent. An
  /// agent is followed from where it stands: after a lost connection its `subscribed.head` says which of its events came
  /// meanwhile, to be read by following the agent itself.
  public func subscribe(
    thread: ThreadID, after: UInt64? = nil, epoch: UInt64? = nil, tree: Bool = false
  ) -> AsyncThrowingStream<SubscriptionEvent, any Error> {
    let subscription = Subscription(dialer, thread, tree: tree, SubscriptionCursor(after: after, epoch: epoch))
    return AsyncThrowingStream { try await subscription.next() }
  }

  private func options(_ key: IdempotencyKey?, _ deadline: Duration?) -> CallOptions {
    CallOptions(key: key, deadline: deadline, timeout: deadline ?? dialer.configuration.callTimeout)
  }

  /// The three requests that subscribe unless they say otherwise: a plain call would cancel the events at once.
  private static func withoutEvents(_ request: Request) -> Request {
    switch request {
    case .threadStart(var start):
      start.subscribe = start.subscribe ?? false
      return .threadStart(start)
    case .threadResume(var resume):
      resume.subscribe = resume.subscribe ?? false
      return .threadResume(resume)
    case .threadFork(var fork):
      fork.subscribe = fork.subscribe ?? false
      return .threadFork(fork)
    default: return request
    }
  }
}

/// One message of a raw stream.
public struct StreamMessage: Equatable, Sendable {
  /// The type of the message, by index in the schema table: the method's answer first, then events.
  public let schema: UInt16
  public let bytes: [UInt8]
  /// The event was stored before the stream began.
  public let isReplayed: Bool
}

/// A stream of bytes, opened by the first pull.
private actor RawStream {
  private let dialer: Dialer
  private let method: Method
  private let payload: [UInt8]
  private let options: CallOptions
  private var stream: OpenStream?

  init(_ dialer: Dialer, _ method: Method, _ payload: [UInt8], _ options: CallOptions) {
    self.dialer = dialer
    self.method = method
    self.payload = payload
    self.options = options
  }

  func next() async throws -> StreamMessage? {
    if let stream {
      guard let frame = try await stream.next() else { return nil }
      return message(frame, SubscriptionEvent.schemaIndex)
    }
    let opened = try await dialer.connection().stream(method, payload, options)
    stream = opened
    return message(opened.first, method.responseSchema)
  }

  private func message(_ frame: Frame, _ schema: UInt16) -> StreamMessage {
    StreamMessage(
      schema: schema, bytes: frame.message, isReplayed: frame.header.flags & FrameHeader.replayed != 0)
  }
}
