// One connection of a sender: cuts what comes in place, collects what goes and writes it in one piece. Belongs to its
// loop; whoever receives does too.

import HeddleCore
import HeddleProtocol
import NIOCore
import NIOPosix

/// Makes the handler that encrypts a connection.
public typealias Encryption = @Sendable () throws -> any ChannelHandler

protocol FrameReceiver: AnyObject {
  func opened(_ channel: FrameChannel)
  /// The bytes are gone when this returns.
  func received(_ channel: FrameChannel, _ header: FrameHeader, _ body: UnsafeRawBufferPointer)
  /// Everything that came together has been handed on.
  func readEnded(_ channel: FrameChannel)
  func closed(_ channel: FrameChannel)
}

/// `@unchecked Sendable`: confined to the loop of its channel; it is made there, and every call comes from there.
final class FrameChannel: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer

  /// Its place among the receiver's connections.
  let index: Int
  private weak var receiver: (any FrameReceiver)?
  private var context: ChannelHandlerContext?
  private var decoder = FrameDecoder(.recorded)
  private var input = ByteBuffer()
  private var output = ByteBuffer()
  private(set) var isOpen = false
  private var isReported = false

  init(index: Int, receiver: any FrameReceiver) {
    self.index = index
    self.receiver = receiver
  }

  var isWritable: Bool { context?.channel.isWritable ?? false }
  var localAddress: SocketAddress? { context?.channel.localAddress }
  var remoteAddress: SocketAddress? { context?.channel.remoteAddress }

  /// Connects; failure is told as `closed`.
  func connect(
    _ address: SocketAddress, on loop: any EventLoop, readsSlowly: Bool = false, encryption: Encryption? = nil
  ) {
    var bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(.seconds(10))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: readsSlowly ? 2048 : 128 << 10))
    if readsSlowly { bootstrap = bootstrap.channelOption(.autoRead, value: false) }
    bootstrap.channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        if let encryption { try channel.pipeline.syncOperations.addHandler(encryption()) }
        try channel.pipeline.syncOperations.addHandler(self)
      }
    }
    .connect(to: address)
    .whenFailure { _ in loop.execute { self.reportClosed() } }
  }

  func append(_ bytes: [UInt8]) { output.writeBytes(bytes) }

  func append(_ header: FrameHeader, _ body: [UInt8] = []) {
    output.writeWithUnsafeMutableBytes(minimumWritableBytes: FrameHeader.byteCount) { room in
      guard let base = room.baseAddress else { return 0 }
      header.write(to: base)
      return FrameHeader.byteCount
    }
    output.writeBytes(body)
  }

  func flush() {
    guard isOpen, let context, output.readableBytes > 0 else { return }
    context.writeAndFlush(NIOAny(output), promise: nil)
    output = context.channel.allocator.buffer(capacity: 4096)
  }

  /// For one that reads slowly: the next piece.
  func read() { context?.read() }

  func close() {
    flush()
    context?.close(promise: nil)
  }

  func channelActive(context: ChannelHandlerContext) {
    self.context = context
    isOpen = true
    receiver?.opened(self)
    flush()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var piece = unwrapInboundIn(data)
    var buffer = input
    input = ByteBuffer()
    if buffer.readableBytes == 0 { buffer = piece } else { buffer.writeBuffer(&piece) }
    let (used, isNoise) = buffer.withUnsafeReadableBytes { cut($0) }
    buffer.moveReaderIndex(forwardBy: used)
    if isNoise { return context.close(promise: nil) }
    if buffer.readableBytes > 0 {
      if buffer.readerIndex > 1 << 16 { buffer.discardReadBytes() }
      input = buffer
    }
  }

  /// Hands every whole frame on; how many bytes they took, and whether something else follows.
  private func cut(_ raw: UnsafeRawBufferPointer) -> (used: Int, isNoise: Bool) {
    var at = 0
    while true {
      let rest = UnsafeRawBufferPointer(rebasing: raw[at...])
      switch decoder.next(rest) {
      case .frame(let header):
        let body = UnsafeRawBufferPointer(rebasing: rest[FrameHeader.byteCount..<header.frameByteCount])
        receiver?.received(self, header, body)
        at += header.frameByteCount
      case .skipped(let count), .passed(let count): at += count
      case .incomplete: return (at, false)
      case .fault: return (at, true)
      }
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) { receiver?.readEnded(self) }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { receiver?.readEnded(self) }
  }

  func channelInactive(context: ChannelHandlerContext) { reportClosed() }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func reportClosed() {
    isOpen = false
    context = nil
    guard !isReported else { return }
    isReported = true
    receiver?.closed(self)
  }
}
