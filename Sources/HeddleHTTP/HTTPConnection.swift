// One socket of the HTTP door: parts of requests in, answers and streams out. A classic channel handler on its event loop.
// This file reads and writes; HTTPRequests.swift says what a request means, HTTPOutlet.swift makes answers of what a caller
// says, HTTPEnding.swift ends and keeps the times, WebSocketSwitch.swift hands the socket over to the frame door.
//
// HTTP.C1  One request at a time: parts of the next one wait, and while some wait nothing is read.
// HTTP.C2  A refusal that is certain from the head is decided before a byte of the body is kept.
// HTTP.C3  A request that a proxy in front could read differently is refused, and the connection closes.

import HeddleCore
import HeddleListener
import HeddleMetrics
import HeddleProtocol
import HeddleRPC
import HeddleRuntime
import HeddleService
import HeddleTokens
import NIOCore
import NIOHTTP1

/// One connection. Confined to its loop, which is the proof for `@unchecked Sendable`.
final class HTTPConnection: ChannelDuplexHandler, RemovableChannelHandler, DoorConnection, @unchecked Sendable {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The caller of the newest request, and how it showed who it is.
  struct Identified {
    let caller: Caller
    let credential: Credential
    let authorization: String
  }

  static let headBytes = 16 * 1_024
  static let headLines = 100
  /// Bytes of a body that nobody wants, before the connection closes.
  static let unwantedBytes = 64 * 1_024

  let shared: HTTPShared
  let loop: LoopState
  let peer: Peer
  let metrics: DoorMetrics
  var channel: ChannelHandlerContext?
  var exchange: Exchange?
  var identified: Identified?
  var lastStream: UInt32 = 0
  var output = ByteBuffer()
  /// All bytes that were ever handed to the channel.
  var writtenBytes = 0
  var times: HTTPTimes
  var isClosing = false
  var isLeaving = false
  var isInLine = false
  /// No caller counts the connection.
  var countsAlone = false
  /// The answer to a request for a WebSocket is on its way: the client must not send before it has it.
  var isSwitching = false
  /// The handlers before this one, which make parts of requests of bytes.
  private(set) var parsers: [any RemovableChannelHandler] = []
  private var hasLeft = false
  private var waiting: [HTTPServerRequestPart] = []
  private var isReading = false
  private var wantsRead = false
  private var flushIsSet = false
  private var isPumping = false
  /// Bytes of this connection among `HTTPShared.bodyBytes`.
  private var countedBytes = 0

  init(_ shared: HTTPShared, _ loop: LoopState, _ peer: Peer) {
    self.shared = shared
    self.loop = loop
    self.peer = peer
    metrics = loop.context.metrics.http
    times = HTTPTimes(now: shared.core.manager.clock.instant())
  }

  var core: ServerCore { shared.core }
  var now: Int64 { core.manager.clock.instant() }

  // MARK: Channel

  func handlerAdded(context: ChannelHandlerContext) {
    var limits = NIOHTTPDecoderLimitConfiguration()
    limits.maxHeaderFieldSize = Self.headBytes
    limits.maxHeaderListSize = Self.headBytes
    limits.maxHeaderFieldCount = Self.headLines
    let decoder = ByteToMessageHandler(
      HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits))
    do {
      let bytes = HTTPBytes(self)
      try context.pipeline.syncOperations.addHandlers([bytes, decoder], position: .before(self))
      parsers = [bytes, decoder]
    } catch {
      context.close(promise: nil)
    }
  }

  func channelActive(context: ChannelHandlerContext) {
    channel = context
    loop.add(self)
    metrics.accepted.add(1)
    metrics.connections.add(1)
    countsAlone = true
    if !core.quotas.opened(address: peer.address) { refuse(ConnectErrors.response(Refusal(.tooManyConnections).wire)) }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    if !isClosing { metrics.closed(.clientLeft) }
    leave()
    channel = nil
    context.fireChannelInactive()
  }

  /// Nothing more is served here: the socket has closed, or another handler has it.
  func leave() {
    guard !hasLeft else { return }
    hasLeft = true
    if let caller = identified?.caller { loop.observer?.closed(caller, fromClient: !isClosing) }
    metrics.connections.add(-1)
    isClosing = true
    exchange = nil
    count(bodyBytes: 0)
    waiting = []
    output = ByteBuffer()
    loop.remove(self)
    leaveCaller()
    if countsAlone { core.quotas.closed(address: peer.address, tenant: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isClosing else { return }
    isReading = true
    waiting.append(unwrapInboundIn(data))
    pump()
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    flush()
    loop.turnEnds()
  }

  func read(context: ChannelHandlerContext) {
    if !isClosing, !waiting.isEmpty || !context.channel.isWritable { wantsRead = true } else { context.read() }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      if let caller = identified?.caller {
        caller.answerWaiting()
        caller.startPages()
        caller.resumeSubscriptions()
      }
      flush()
      resumeReading()
    }
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed {
      // A request that is complete gets its answer; nobody reads a stream that its client has left.
      if exchange?.isComplete != true || exchange?.isStreaming == true {
        context.close(promise: nil)
      } else {
        exchange?.closes = true
      }
    }
    context.fireUserInboundEventTriggered(event)
  }

  /// The parser's own errors: nothing of the request is echoed.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error as? HTTPParserError {
    case nil: context.close(promise: nil)
    case .headerOverflow?: refuse(HTTPResponse(431, text: "The head of the request is too large."))
    default: refuse(.malformed)
    }
  }

  // MARK: In

  private func pump() {
    guard !isPumping else { return }
    isPumping = true
    defer { isPumping = false }
    while !isClosing, exchange?.isComplete != true, !waiting.isEmpty { take(waiting.removeFirst()) }
    if isClosing { waiting = [] }
  }

  private func take(_ part: HTTPServerRequestPart) {
    switch part {
    case .head(let head):
      times.headEnded()
      begin(head)
    case .body(let bytes): received(bytes)
    case .end:
      exchange?.isComplete = true
      complete()
    }
  }

  private func received(_ bytes: ByteBuffer) {
    guard var exchange else { return }
    exchange.lastByteAt = now
    exchange.bodyBytes += bytes.readableBytes
    let isUnwanted = exchange.early != nil
    if exchange.bodyBytes > (isUnwanted ? Self.unwantedBytes : exchange.bodyLimit) {
      self.exchange = exchange
      return refuse(exchange.early ?? tooLarge(exchange))
    }
    if !isUnwanted {
      // Not `exchange.body.writeBuffer`, of which the other copy of the exchange would make a copy each time.
      self.exchange = nil
      exchange.body.writeImmutableBuffer(bytes)
    }
    self.exchange = exchange
    count(bodyBytes: exchange.body.readableBytes)
    // Bodies of all connections together have the bound of half frames (attacks.md R13). A small one is never refused.
    if exchange.body.readableBytes > Self.unwantedBytes,
      shared.bodyBytes.load(ordering: .relaxed) > core.limits.bufferedBytes
    {
      refuse(ConnectErrors.response(Refusal(.tooManyInFlight, retryAfterMilliseconds: 1_000).wire))
    }
  }

  private func count(bodyBytes bytes: Int) {
    shared.bodyBytes.wrappingAdd(bytes - countedBytes, ordering: .relaxed)
    countedBytes = bytes
  }

  /// The answer is written: the next request may begin.
  func finish() {
    guard let ended = exchange else { return }
    exchange = nil
    count(bodyBytes: 0)
    times.idle(since: now)
    if ended.closes || isLeaving { return closeAfterFlush() }
    scheduleFlush()
    guard !isPumping else { return }
    // Not at once: the caller of this function may be in the middle of an answer.
    loop.context.eventLoop.execute {
      self.pump()
      self.resumeReading()
      if !self.isReading { self.flush() }
      self.loop.turnEnds()
    }
  }

  func resumeReading() {
    guard wantsRead, waiting.isEmpty, channel?.channel.isWritable == true else { return }
    wantsRead = false
    channel?.read()
  }

  /// Bytes have come in, of whatever they are.
  func heard(_ bytes: ByteBuffer) {
    metrics.receivedBytes.add(bytes.readableBytes)
    if isSwitching {
      channel?.close(promise: nil)
      return
    }
    if exchange == nil, waiting.isEmpty { times.headGrows(by: bytes.readableBytes, at: now) }
  }

  /// The parser has had them. A target is no header for it, so the length of a whole head is counted here.
  func parsed(_ bytes: ByteBuffer) {
    if isSwitching { return switchEnds(behind: bytes) }
    if !isClosing, exchange == nil, times.headBytes > Self.headBytes {
      refuse(HTTPResponse(431, text: "The head of the request is too large."))
    }
  }

  // MARK: Out

  /// A complete answer of the request at hand.
  func respond(_ response: HTTPResponse) {
    guard let exchange, !isClosing else { return }
    response.write(
      to: &output, isHead: exchange.isHead, closes: exchange.closes || isLeaving, origin: exchange.origin)
    finish()
  }

  /// An answer to bytes that are no request that can be served: the connection closes.
  func refuse(_ response: HTTPResponse) {
    guard !isClosing else { return }
    metrics.closed(.notUnderstood)
    response.write(to: &output, isHead: exchange?.isHead ?? false, closes: true, origin: exchange?.origin)
    exchange = nil
    count(bodyBytes: 0)
    closeAfterFlush()
  }

  func scheduleFlush() {
    guard !isReading, !flushIsSet else { return }
    flushIsSet = true
    loop.flushLater(self)
  }

  func flush() {
    flushIsSet = false
    writeOut()
    identified?.caller.answerWaiting()
  }

  func writeOut() {
    guard let channel, output.readableBytes > 0 else { return }
    let bytes = output
    output = ByteBuffer()
    metrics.sentBytes.add(bytes.readableBytes)
    writtenBytes += bytes.readableBytes
    channel.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
  }

  func diskHasRoom() {}
}

extension HTTPResponse {
  static var malformed: HTTPResponse { HTTPResponse(400, text: "This is no HTTP/1.1 request that can be served.") }
}

/// Stands before the parser and tells the connection of bytes that come: a head that is slow has no parts yet.
private final class HTTPBytes: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private weak var connection: HTTPConnection?
  private var isFirst = true

  init(_ connection: HTTPConnection) { self.connection = connection }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    guard let connection else { return }
    connection.heard(bytes)
    if isFirst, bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) == 0x16 {
      connection.metrics.tlsOnPlain.add(1)
      return connection.closeSilently()
    }
    isFirst = false
    context.fireChannelRead(data)
    connection.parsed(bytes)
  }
}
