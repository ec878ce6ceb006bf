// One socket of the HTTP door. A classic channel handler behind NIO's parser of HTTP/1.1; one request at a time, and those
// that came too early wait in NIO's pipeline handler. HTTPRoutes.swift says what requests mean, HTTPExchange.swift makes
// responses, HTTPTimes.swift keeps times and ends.

import HeddleCore
import HeddleListener
import HeddleMetrics
import HeddleRPC
import HeddleRuntime
import HeddleService
import Logging
import NIOCore
import NIOHTTP1

/// One connection. Confined to its loop, which is the proof for `@unchecked Sendable`.
final class HTTPConnection: ChannelDuplexHandler, DoorConnection, @unchecked Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = Never
  typealias OutboundOut = HTTPServerResponsePart

  enum Phase { case open, closing, closed }

  let context: HTTPContext
  let loop: LoopState
  let peer: Peer
  let metrics: DoorMetrics
  var channel: ChannelHandlerContext?
  var phase = Phase.open
  var seats: SeatTable
  /// The request at hand.
  var exchange: HTTPExchange?
  var isInLine = false
  var times: HTTPTimes
  private var wantsRead = false
  private var wasFull = false
  private var flushIsSet = false
  private var hasWritten = false
  private var heldBytes = 0
  private var isCounted = false
  private var isReading = false

  init(_ context: HTTPContext, loop: LoopState, peer: Peer) {
    self.context = context
    self.loop = loop
    self.peer = peer
    metrics = loop.context.metrics.http
    times = HTTPTimes(now: context.core.manager.clock.instant())
    seats = SeatTable(core: context.core, loop: loop, metrics: metrics, address: peer.address)
  }

  var core: ServerCore { context.core }
  var now: Int64 { core.manager.clock.instant() }
  var eventLoop: any EventLoop { loop.context.eventLoop }

  // MARK: Channel

  func handlerAdded(context channel: ChannelHandlerContext) {
    let handlers: [any ChannelHandler] = [
      ByteCounter(metrics),
      ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)), HTTPResponseEncoder(),
      HTTPServerPipelineHandler(),
    ]
    do { try channel.pipeline.syncOperations.addHandlers(handlers, position: .before(self)) } catch {
      channel.close(promise: nil)
    }
    self.channel = channel
    if channel.channel.isActive { opened(channel) }
  }

  func channelActive(context channel: ChannelHandlerContext) {
    opened(channel)
    channel.fireChannelActive()
  }

  private func opened(_ channel: ChannelHandlerContext) {
    guard !times.isCounted else { return }
    times.isCounted = true
    loop.add(self)
    core.receiveBudget.opened()
    metrics.accepted.add(1)
    metrics.connections.add(1)
    isCounted = core.quotas.opened(address: peer.address)
    guard !isCounted else { return }
    core.quotas.closed(address: peer.address, tenant: nil)
    metrics.closed(.tooManyConnections)
    phase = .closing
    channel.close(promise: nil)
  }

  func channelInactive(context channel: ChannelHandlerContext) {
    if phase == .open { metrics.closed(times.hasSpoken ? .clientLeft : .notUnderstood) }
    phase = .closed
    if times.isCounted {
      metrics.connections.add(-1)
      core.receiveBudget.closed()
    }
    self.channel = nil
    loop.remove(self)
    hold(bytes: 0)
    uncount()
    exchange?.close()
    exchange = nil
    for seat in seats.all { loop.observer?.closed(seat.caller, fromClient: true) }
    seats.closeAll()
    channel.fireChannelInactive()
  }

  func handlerRemoved(context channel: ChannelHandlerContext) { self.channel = nil }

  func uncount() {
    guard isCounted else { return }
    isCounted = false
    core.quotas.closed(address: peer.address, tenant: nil)
  }

  func channelRead(context channel: ChannelHandlerContext, data: NIOAny) {
    guard phase == .open else { return }
    times.heard(at: now)
    isReading = true
    switch unwrapInboundIn(data) {
    case .head(let head): began(head)
    case .body(let bytes): exchange?.took(bytes)
    case .end: exchange?.completed()
    }
    hold(bytes: exchange?.heldBytes ?? 0)
  }

  func channelReadComplete(context channel: ChannelHandlerContext) {
    isReading = false
    flush()
  }

  func read(context channel: ChannelHandlerContext) {
    if phase == .open, !channel.channel.isWritable || isOverBudget {
      wantsRead = true
    } else {
      channel.read()
    }
  }

  func channelWritabilityChanged(context channel: ChannelHandlerContext) {
    if channel.channel.isWritable {
      if wasFull {
        wasFull = false
        for seat in seats.all { seat.roomAgain() }
        flush()
      }
      resumeReading()
    }
    channel.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context channel: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed { inputClosed() }
    channel.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context channel: ChannelHandlerContext, error: any Error) {
    guard phase == .open, error is HTTPParserError else {
      channel.close(promise: nil)
      return
    }
    // What the parser refuses is answered in the same words, whatever it was (attacks.md H1).
    metrics.closed(.notUnderstood)
    let isLarge = error as? HTTPParserError == .headerOverflow
    refuseHead(isLarge ? .tooLarge : .malformed)
  }

  func resumeReading() {
    guard wantsRead, channel?.channel.isWritable == true, !isOverBudget else { return }
    wantsRead = false
    channel?.read()
  }

  // MARK: Half requests (attacks.md R13)

  private var isOverBudget: Bool {
    guard heldBytes > 0 else { return false }
    return !core.receiveBudget.mayRead(ObjectIdentifier(self)) { [weak self] in
      guard let self else { return }
      loop.context.inbox.post { self.resumeReading() }
    }
  }

  private func hold(bytes: Int) {
    guard bytes != heldBytes else { return }
    core.receiveBudget.hold(ObjectIdentifier(self), bytes: bytes)
    metrics.unfinishedBytes.add(bytes - heldBytes)
    heldBytes = bytes
  }

  // MARK: Out

  func write(_ part: HTTPServerResponsePart) {
    guard let channel else { return }
    hasWritten = true
    channel.write(wrapOutboundOut(part), promise: nil)
    guard !isReading, !flushIsSet else { return }
    flushIsSet = true
    loop.flushLater(self)
  }

  /// One request at a time waits for the disk by itself.
  func diskHasRoom() {}

  func flush() {
    flushIsSet = false
    guard hasWritten else { return }
    hasWritten = false
    channel?.flush()
  }
}

extension HTTPConnection: SeatHost {
  var isClosing: Bool { phase != .open }

  var hasRoom: Bool {
    guard let channel, phase == .open else { return false }
    if channel.channel.isWritable { return true }
    wasFull = true
    return false
  }

  var queuedBytes: Int { 0 }

  var addresses: (client: SocketAddress?, server: SocketAddress?) {
    (channel?.channel.remoteAddress, channel?.channel.localAddress)
  }

  func callEnded() {}

  func ended(_ seat: Seat, _ refusal: Refusal) {
    seats.ended(seat, refusal)
    loop.observer?.closed(seat.caller, fromClient: false)
  }
}

/// Counts the bytes of a socket.
private final class ByteCounter: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = IOData

  private let metrics: DoorMetrics

  init(_ metrics: DoorMetrics) { self.metrics = metrics }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    metrics.receivedBytes.add(unwrapInboundIn(data).readableBytes)
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    metrics.sentBytes.add(unwrapOutboundIn(data).readableBytes)
    context.write(data, promise: promise)
  }
}
