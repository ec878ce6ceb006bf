// Stands between a socket and a connection of the frame door: the byte stream that frames are cut from travels in binary
// messages of a WebSocket, which may cut it anywhere. Everything else about such a connection is the frame door's.

import HeddleCore
import HeddleRuntime
import NIOCore

/// One connection. Confined to its loop, which is the proof for `@unchecked Sendable`.
final class WebSocketGate: ChannelDuplexHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Bytes of a message that the server sends, at most.
  private static let messageBytes = 64 * 1_024
  /// Frames without content that a client may send in a row: they cost work, and no rule of the frame door sees them.
  private static let emptyFrames = 1_000

  private let limits: Limits
  private let clock: RuntimeClock
  private var reader = WebSocketReader()
  private var input = ByteBuffer()
  private var emptyFrames = 0
  private var pingedAt: Int64?
  private var pingStrikes = 0
  /// The client has said that it closes, so nothing more comes from it.
  private var hasLeft = false
  /// The last message has gone out.
  private var isEnded = false

  init(_ limits: Limits, _ clock: RuntimeClock) {
    self.limits = limits
    self.clock = clock
  }

  // MARK: In

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    if input.readableBytes == 0 { input = bytes } else { input.writeBuffer(&bytes) }
    while true {
      switch reader.next(&input) {
      case .incomplete:
        if input.readableBytes == 0 { input = ByteBuffer() } else { input.discardReadBytes() }
        return
      case .data(let bytes):
        emptyFrames = 0
        if !hasLeft, !isEnded { context.fireChannelRead(wrapInboundOut(bytes)) }
      case .empty, .pong:
        emptyFrames += 1
        if emptyFrames > Self.emptyFrames { return fail(context, .enhanceYourCalm) }
      case .ping(let bytes): pinged(context, bytes)
      case .close: closed(context)
      case .fault(let fault): return fail(context, fault)
      }
    }
  }

  /// The bound of PINGs among frames: one in 5 s, three strikes (attacks.md R10).
  private func pinged(_ context: ChannelHandlerContext, _ bytes: [UInt8]) {
    let now = clock.instant()
    let isEarly = pingedAt.map { now - $0 < limits.pingIntervalMilliseconds } ?? false
    pingStrikes = isEarly ? pingStrikes + 1 : 0
    pingedAt = now
    guard pingStrikes <= limits.pingStrikes else { return fail(context, .enhanceYourCalm) }
    guard !isEnded else { return }
    send(context, .pong, bytes, nil)
    context.flush()
  }

  /// The client takes what it is owed, and then the connection ends: the same as the end of a client's bytes on TCP.
  private func closed(_ context: ChannelHandlerContext) {
    guard !isEnded else { return context.close(promise: nil) }
    guard !hasLeft else { return }
    hasLeft = true
    context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
  }

  private func fail(_ context: ChannelHandlerContext, _ fault: WebSocketReader.Fault) {
    input = ByteBuffer()
    guard !isEnded else { return context.close(promise: nil) }
    end(context, fault.rawValue, nil)
    context.flush()
    context.close(mode: .output, promise: nil)
    let channel = context.channel
    context.eventLoop.scheduleTask(in: .milliseconds(500)) { channel.close(promise: nil) }
  }

  // MARK: Out

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    var bytes = unwrapOutboundIn(data)
    guard !isEnded else {
      promise?.fail(ChannelError.outputClosed)
      return
    }
    // A write of nothing asks when everything before it has gone: the connection is about to close.
    guard bytes.readableBytes > 0 else { return end(context, 1_000, promise) }
    while let piece = bytes.readSlice(length: min(bytes.readableBytes, Self.messageBytes)) {
      var head = ByteBuffer()
      WebSocketWriter.head(.binary, length: piece.readableBytes, to: &head)
      context.write(wrapOutboundOut(head), promise: nil)
      let isLast = bytes.readableBytes == 0
      context.write(wrapOutboundOut(piece), promise: isLast ? promise : nil)
      if isLast { return }
    }
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if mode != .input, !isEnded {
      end(context, 1_000, nil)
      context.flush()
    }
    context.close(mode: mode, promise: promise)
  }

  private func end(_ context: ChannelHandlerContext, _ code: UInt16, _ promise: EventLoopPromise<Void>?) {
    isEnded = true
    send(context, .close, [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)], promise)
  }

  private func send(
    _ context: ChannelHandlerContext, _ code: WebSocketWriter.Code, _ payload: [UInt8],
    _ promise: EventLoopPromise<Void>?
  ) {
    var bytes = ByteBuffer()
    WebSocketWriter.head(code, length: payload.count, to: &bytes)
    bytes.writeBytes(payload)
    context.write(wrapOutboundOut(bytes), promise: promise)
  }
}
