// A proxy that writes down what passes. Bytes go on as they came, before anything is looked at; what the capture gets is
// cut out of a copy. A side that waits holds up the other, so the proxy keeps at most one read of each.

import HeddleCapture
import HeddleProtocol
import NIOCore
import NIOPosix

public final class CaptureProxy: Sendable {
  private let channel: any Channel
  private let group: MultiThreadedEventLoopGroup

  private init(_ channel: any Channel, _ group: MultiThreadedEventLoopGroup) {
    self.channel = channel
    self.group = group
  }

  /// The port on which it listens.
  public var port: Int { channel.localAddress?.port ?? 0 }

  /// `encryption`: makes the TLS of a connection to the server; clients speak plain frames to the proxy, which could not
  /// write them down otherwise. `failed` hears why a connection to the server came to nothing.
  public static func start(
    host: String, port: Int, upstream: (host: String, port: Int), writer: CaptureWriter,
    encryption: Encryption? = nil, failed: @escaping @Sendable (any Error) -> Void = { _ in }
  ) async throws -> CaptureProxy {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: System.coreCount)
    let channel = try await ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.autoRead, value: false)
      .childChannelInitializer { inbound in
        ClientBootstrap(group: inbound.eventLoop)
          .channelOption(.allowRemoteHalfClosure, value: true)
          .channelOption(.tcpOption(.tcp_nodelay), value: 1)
          .channelOption(.autoRead, value: false)
          .channelInitializer { outbound in
            outbound.eventLoop.makeCompletedFuture {
              if let encryption { try outbound.pipeline.syncOperations.addHandler(encryption()) }
            }
          }
          .connect(host: upstream.host, port: upstream.port)
          .flatMapErrorThrowing { error in
            failed(error)
            throw error
          }
          .flatMapThrowing { outbound in
            let path = CapturePath(
              client: Endpoint(inbound.remoteAddress), server: Endpoint(outbound.remoteAddress))
            // Both ends are on one loop, which the initialiser runs on.
            try inbound.pipeline.syncOperations.addHandler(
              ProxySide(outbound, Tee(writer, path: path, fromClient: true), failed: { _ in }))
            try outbound.pipeline.syncOperations.addHandler(
              ProxySide(inbound, Tee(writer, path: path, fromClient: false), failed: failed))
            _ = inbound.setOption(.autoRead, value: true)
            _ = outbound.setOption(.autoRead, value: true)
          }
      }
      .bind(host: host, port: port).get()
    return CaptureProxy(channel, group)
  }

  public func stop() async throws {
    try? await channel.close()
    try await group.shutdownGracefully()
  }
}

/// Copies one direction into the capture.
private struct Tee {
  private let writer: CaptureWriter
  private let path: CapturePath
  private let fromClient: Bool
  private var assembler = FrameAssembler()
  private var hasEnded = false

  init(_ writer: CaptureWriter, path: CapturePath, fromClient: Bool) {
    self.writer = writer
    self.path = path
    self.fromClient = fromClient
  }

  mutating func append(_ bytes: ByteBufferView) {
    let now = wallNanoseconds()
    assembler.append(bytes)
    while let (header, body) = assembler.next() {
      writer.write(header, body, at: now, path: path, fromClient: fromClient)
    }
  }

  mutating func end() {
    guard !hasEnded else { return }
    hasEnded = true
    writer.writeEnd(at: wallNanoseconds(), path: path, fromClient: fromClient)
  }
}

/// One side: what it reads goes to its peer.
private final class ProxySide: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let peer: any Channel
  private var tee: Tee
  private let failed: @Sendable (any Error) -> Void

  init(_ peer: any Channel, _ tee: Tee, failed: @escaping @Sendable (any Error) -> Void) {
    self.peer = peer
    self.tee = tee
    self.failed = failed
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let buffer = unwrapInboundIn(data)
    peer.write(buffer, promise: nil)
    tee.append(buffer.readableBytesView)
  }

  func channelReadComplete(context: ChannelHandlerContext) { peer.flush() }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    _ = peer.setOption(.autoRead, value: context.channel.isWritable)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard case .some(.inputClosed) = event as? ChannelEvent else { return context.fireUserInboundEventTriggered(event) }
    tee.end()
    peer.close(mode: .output, promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) {
    tee.end()
    peer.close(promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    failed(error)
    context.close(promise: nil)
  }
}
