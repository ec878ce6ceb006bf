// A server that speaks frames and does what a test tells it, one connection at a time. It decodes with the client's
// own frame decoder; that decoder's refusals have tests of their own.

import HeddleCore
import HeddleProtocol
import NIOCore
import NIOPosix
import Synchronization

@testable import HeddleClient

/// One connection as the server's script sees it. Used on its loop only.
final class ServerSide {
  /// 0 for the first connection of the server.
  let number: Int
  private let context: ChannelHandlerContext
  private var codec = Codec()

  init(_ number: Int, _ context: ChannelHandlerContext) {
    self.number = number
    self.context = context
  }

  func send<M: WireMessage>(
    _ kind: FrameKind, method: UInt16 = 0, stream: UInt32 = 0, flags: UInt8 = 0, _ message: M
  ) {
    let bytes = codec.encode(message)
    sendRaw(
      FrameHeader(kind, method: method, stream: stream, flags: flags, length: UInt32(bytes.count)), bytes)
  }

  func sendRaw(_ header: FrameHeader, _ payload: [UInt8]) {
    var bytes: [UInt8] = []
    header.append(to: &bytes)
    send(bytes: bytes + payload)
  }

  func send(bytes: [UInt8]) {
    context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
  }

  /// A frame without a message.
  func send(_ kind: FrameKind, method: UInt16 = 0, stream: UInt32, flags: UInt8 = 0) {
    sendRaw(FrameHeader(kind, method: method, stream: stream, flags: flags, length: 0), [])
  }

  /// The one answer of a stream.
  func answer<M: WireMessage>(_ request: Frame, _ message: M) {
    send(
      .response, method: request.header.method, stream: request.header.stream, flags: FrameHeader.endOfStream,
      message)
  }

  func event(_ stream: UInt32, _ kind: SubscriptionEvent.Kind, flags: UInt8 = 0) {
    send(.event, stream: stream, flags: flags, SubscriptionEvent(kind: kind))
  }

  func greet() {
    send(.hello, ServerHello(version: 1, schemaHash: SchemaTable.hash, serverVersion: "test \(number)"))
  }

  func decode<M: WireMessage>(_ type: M.Type, _ frame: Frame) -> M? { try? codec.decode(type, frame.message) }

  func close() { context.close(promise: nil) }
}

/// Listens on a free port of the loopback until it is closed. Every frame that comes is also given to `received`.
final class ScriptedServer: Sendable {
  typealias Script = @Sendable (ServerSide, Frame) -> Void

  let port: Int
  /// All frames of all connections but HELLO, in the order in which they came.
  let received: AsyncStream<Frame>
  private let listener: any Channel
  private let connections: Counter

  var connectionCount: Int { connections.value }

  private init(_ listener: any Channel, _ connections: Counter, _ received: AsyncStream<Frame>) {
    self.listener = listener
    self.connections = connections
    self.received = received
    port = listener.localAddress?.port ?? 0
  }

  /// Greets by itself, then leaves every frame to `script`.
  static func start(_ script: @escaping Script) async throws -> ScriptedServer {
    try await startBare { server, frame in
      if frame.header.knownKind == .hello { server.greet() } else { script(server, frame) }
    }
  }

  static func startBare(_ script: @escaping Script) async throws -> ScriptedServer {
    let connections = Counter()
    let (received, continuation) = AsyncStream.makeStream(of: Frame.self)
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandlers([
            ByteToMessageHandler(ServerFrames()),
            ScriptHandler(connections.next(), script, continuation),
          ])
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return ScriptedServer(listener, connections, received)
  }

  func close() async throws { try await listener.close() }

  /// The next frame of this kind.
  func next(_ kind: FrameKind) async -> Frame? { await received.first { $0.header.knownKind == kind } }
}

final class Counter: Sendable {
  private let count = Mutex(0)

  var value: Int { count.withLock { $0 } }

  /// The count before this call.
  @discardableResult
  func next() -> Int {
    count.withLock { count in
      defer { count += 1 }
      return count
    }
  }
}

private final class ScriptHandler: ChannelInboundHandler {
  typealias InboundIn = Frame

  private let number: Int
  private let script: ScriptedServer.Script
  private let received: AsyncStream<Frame>.Continuation
  private var server: ServerSide?

  init(_ number: Int, _ script: @escaping ScriptedServer.Script, _ received: AsyncStream<Frame>.Continuation) {
    self.number = number
    self.script = script
    self.received = received
  }

  func channelActive(context: ChannelHandlerContext) { server = ServerSide(number, context) }

  func channelInactive(context: ChannelHandlerContext) { server = nil }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    if frame.header.knownKind != .hello { received.yield(frame) }
    if let server { script(server, frame) }
  }
}

extension ScriptedServer {
  /// A client of this server that connects again without waiting, and sends no call twice.
  func configuration(callTimeout: Duration = .seconds(30)) -> ClientConfiguration {
    var configuration = ClientConfiguration(port: port, clientName: "tests")
    configuration.callTimeout = callTimeout
    configuration.retries = 0
    configuration.backoff = Backoff(minimum: .zero, maximum: .seconds(10))
    return configuration
  }
}

extension HeddleClient {
  func read(_ thread: ThreadID) async throws -> ReadThreadResponse {
    try await threads.read(ReadThreadRequest(thread: thread))
  }
}

/// The kind of the error with which `body` fails.
func kind(of body: () async throws -> some Any) async -> HeddleError.Kind? {
  do { _ = try await body() } catch { return (error as? HeddleError)?.kind }
  return nil
}
