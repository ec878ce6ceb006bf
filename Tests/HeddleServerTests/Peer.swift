// The other end of a connection to a `HandSetServer`: it sends frames, and says in a few words what has come.

import HeddleCore
import HeddleProtocol
import NIOCore
import NIOEmbedded
import Testing

/// An ERROR in an answer's place.
struct Refused: Error, Equatable {
  let error: WireError
}

final class Peer {
  let server: HandSetServer
  private let channel: NIOAsyncTestingChannel
  private let socket = Socket()
  private var codec = Codec(limits: .trusted)
  private var input: [UInt8] = []
  private var nextStream: UInt32 = 1
  private var words: [String] = []
  /// The streamed text of each item, put together.
  private(set) var texts: [ItemID: String] = [:]
  private var answers: [UInt32: Result<Response, Refused>] = [:]
  private var isClosed = false

  /// The server's side of the socket; a full one takes no more.
  // @unchecked: used on its channel's loop only.
  private final class Socket: ChannelOutboundHandler, @unchecked Sendable {
    typealias OutboundIn = ByteBuffer
    var isFull = false

    func flush(context: ChannelHandlerContext) {
      if !isFull { context.flush() }
    }
  }

  init(_ server: HandSetServer, hello: Bool = true, token: String = "", features: [String] = []) async throws {
    self.server = server
    channel = await NIOAsyncTestingChannel(handlers: [socket, try server.connection()], loop: server.loop)
    try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).get()
    server.track(channel)
    if hello { try await sayHello(token: token, features: features) }
  }

  func sayHello(token: String = "", features: [String] = []) async throws {
    let message = ClientHello(
      versions: [1], clientName: "test", token: token, features: features, unwantedNotifications: ["thread_started"])
    try await send(frame(.hello, codec.encode(message)))
  }

  // MARK: Sending

  func frame(
    _ kind: FrameKind, method: Method? = nil, stream: UInt32 = 0, metadata: [UInt8] = [], _ message: [UInt8] = []
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    FrameHeader(
      kind, method: UInt16(clamping: method?.rawValue ?? 0), stream: stream,
      metadataLength: UInt16(clamping: metadata.count), length: UInt32(clamping: metadata.count + message.count)
    ).append(to: &bytes)
    return bytes + metadata + message
  }

  func send(_ bytes: [UInt8]) async throws {
    guard channel.isActive else { return }
    try await channel.writeInbound(ByteBuffer(bytes: bytes))
  }

  func ping() async throws { try await send(frame(.ping, codec.encode(Ping(opaque: [1])))) }

  func cancel(_ stream: UInt32) async throws { try await send(frame(.cancel, stream: stream)) }

  /// The bytes of a request and its stream.
  func request(_ request: Request, _ metadata: Metadata? = nil) -> (bytes: [UInt8], stream: UInt32) {
    let stream = nextStream
    nextStream += 2
    let beside = metadata.map { codec.encode($0) } ?? []
    return (frame(.request, method: request.method, stream: stream, metadata: beside, codec.encode(request)), stream)
  }

  @discardableResult
  func ask(_ request: Request, _ metadata: Metadata? = nil) async throws -> UInt32 {
    let (bytes, stream) = self.request(request, metadata)
    try await send(bytes)
    return stream
  }

  /// Asks, and waits for the answer.
  @discardableResult
  func call(_ request: Request, _ metadata: Metadata? = nil) async throws -> Response {
    let stream = try await ask(request, metadata)
    try await wait("an answer") { self.answers[stream] != nil }
    return try #require(answers[stream]).get()
  }

  /// Asks until there is a slot for it.
  func callWhenThereIsRoom(_ request: Request) async throws {
    for _ in 0..<10_000 {
      do {
        try await call(request)
        return
      } catch let refused as Refused where refused.error.reason == "too_many_in_flight" {
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    Testing.Issue.record("there is never room")
  }

  /// Follows a thread, or the lifecycle of all, and has everything up to now.
  func follow(_ thread: ThreadID?) async throws {
    try await call(.threadSubscribe(SubscribeRequest(thread: thread)))
    if thread != nil { try await until("live") }
  }

  /// Starts a thread, which is followed by nobody if nothing else is said.
  func startThread(_ start: StartThreadRequest = StartThreadRequest(subscribe: false)) async throws -> ThreadID {
    guard case .threadStart(let answer) = try await call(.threadStart(start)) else { return ThreadID() }
    return try #require(answer.thread?.id)
  }

  func startTurn(_ thread: ThreadID) async throws {
    let input = TurnInput(content: [ContentPart(part: .text("x"))])
    try await call(.turnStart(StartTurnRequest(thread: thread, input: input)))
  }

  func status() async throws -> ServerStatusResponse {
    guard case .serverStatus(let status) = try await call(.serverStatus(ServerStatusRequest())) else {
      return ServerStatusResponse()
    }
    return status
  }

  // MARK: Receiving

  /// The socket takes nothing more, or everything again.
  func fill(_ isFull: Bool) async throws {
    try await server.loop.executeInContext { [channel, socket] in
      socket.isFull = isFull
      if !isFull { channel.flush() }
    }
  }

  /// A word or two for each frame that has come since the last call, answers aside.
  func said() async throws -> [String] {
    try await collect()
    defer { words = [] }
    return words
  }

  /// Waits until something has come that begins so; everything before it is forgotten.
  func until(_ front: String) async throws {
    try await wait(front) { self.words.contains { $0.hasPrefix(front) } }
    words.removeFirst((words.firstIndex { $0.hasPrefix(front) } ?? 0) + 1)
  }

  private func wait(_ what: String, _ isThere: () -> Bool) async throws {
    for _ in 0..<60_000 {
      try await collect()
      if isThere() { return }
      try await Task.sleep(for: .milliseconds(1))
    }
    Testing.Issue.record("\(what) does not come; there is \(words)")
    throw CancellationError()
  }

  private func collect() async throws {
    await server.loop.run()
    while let bytes = try await channel.readOutbound(as: ByteBuffer.self) { input += bytes.readableBytesView }
    while let header = input.withUnsafeBytes({ FrameHeader($0) }) {
      let end = FrameHeader.byteCount + Int(header.length)
      guard input.count >= end else { break }
      try take(header, Array(input[FrameHeader.byteCount..<end]))
      input.removeFirst(end)
    }
    guard !channel.isActive, !isClosed else { return }
    isClosed = true
    words.append("closed")
  }

  private func take(_ header: FrameHeader, _ message: [UInt8]) throws {
    switch header.knownKind {
    case .response?:
      let method = try #require(Method(rawValue: Int32(header.method)))
      let response = try message.withUnsafeBytes { try Response(method, $0, &codec) }
      if answers[header.stream] != nil { words.append("second answer") }
      answers[header.stream] = .success(try #require(response))
    case .error?:
      let error = try codec.decode(WireError.self, message)
      answers[header.stream] = .failure(Refused(error: error))
      words.append("error \(error.reason)")
    case .goaway?: words.append("goaway \(try codec.decode(GoAway.self, message).error?.reason ?? "")")
    case .event?:
      if let event = try codec.decode(SubscriptionEvent.self, message).kind {
        put(event)
        words.append(Self.word(event))
      }
    case .hello?: break
    case .request?: words.append("call \(header.stream)")
    case let kind: words.append("\(kind ?? .unspecified)")
    }
  }

  /// Puts streamed text together; the offset of a piece is the number of bytes before it (protocol.md, delta).
  private func put(_ message: SubscriptionEvent.Kind) {
    switch message {
    case .snapshot(let snapshot): texts[snapshot.item] = snapshot.text
    case .delta(let delta):
      let known = texts[delta.item, default: ""].utf8.count
      if delta.offset != known { Testing.Issue.record("a delta at \(delta.offset), where \(known) bytes are known") }
      texts[delta.item, default: ""] += delta.text
    default: break
    }
  }

  private static func word(_ message: SubscriptionEvent.Kind) -> String {
    switch message {
    case .event(let event):
      if case .turnEnded(let end)? = event.kind { return "turn \(end.status) \(end.error?.reason ?? "")" }
      return "event"
    case .status(let changed): return "status \(changed.status?.state.name ?? "")"
    case .progress(let progress): return "progress \(progress.sequence)"
    case .threadDeleted: return "deleted"
    case .delta: return "delta"
    case .live: return "live"
    default: return "other"
    }
  }
}
