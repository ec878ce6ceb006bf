// One socket of the gRPC door: bytes in, calls to the service, answers and events out. A classic channel handler on its
// event loop, over a session of nghttp2 (HTTP2Session.swift), which knows frames, header compression and windows.
// GRPCRequests.swift says what requests mean, GRPCCall.swift makes responses, GRPCTimes.swift keeps times and ends.
//
// Door.C1  Everything that is answered in one go is one write.
// Door.C2  No more than `outgoingBytes` of responses wait here, one message of each stream beyond it. When they do, new
//          calls are refused; the socket is still read, because the client's windows come by it.

import HeddleCore
import HeddleListener
import HeddleMetrics
import HeddleProtocol
import HeddleRPC
import HeddleRuntime
import HeddleService
import Logging
import NIOCore

/// One connection. Confined to its loop, which is the proof for `@unchecked Sendable`.
final class GRPCConnection: ChannelDuplexHandler, DoorConnection, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  enum Phase { case open, closing, closed }

  let core: ServerCore
  let loop: LoopState
  let peer: Peer
  let metrics: DoorMetrics
  let isLoopback: Bool
  var session: HTTP2Session?
  var channel: ChannelHandlerContext?
  var phase = Phase.open
  var seats: SeatTable
  var calls: [Int32: GRPCCall] = [:]
  /// Calls whose last answer has been queued, while their streams are open.
  var finished: [Int32: GRPCCall] = [:]
  /// Complete calls that wait for the disk.
  var waiting: [GRPCCall] = []
  var calm: Calm
  var departure: Departure
  var times: GRPCTimes
  var isInLine = false
  /// Bytes of responses that nghttp2 has not taken.
  var waitingBytes = 0
  /// The answer "no room" has been given since the last time there was some.
  private var wasFull = false
  /// Bytes of subscriptions that nghttp2 has taken: each gives a byte of credit back.
  private var creditDue: [(call: GRPCCall, bytes: Int)] = []
  /// Calls that were answered before their requests were complete.
  var resets: [Int32] = []
  private var isReading = false
  private var wantsRead = false
  var waitsForDisk = false
  /// Calls that have waited for the disk are being served.
  var servesWaiting = false
  private var flushIsSet = false
  private var isFlushing = false
  /// nghttp2 is at work and calls back, so it must not be called (HTTP2Session.H1).
  private var isInSession = false
  /// The connection closes as soon as nghttp2 has returned and the last bytes are out.
  private var closeIsDue = false
  private var countedBytes = 0
  private var heldBytes = 0
  private var hasBegun = false
  /// It counts as a connection by itself, until the first seat counts in its place.
  var isCounted = false
  var largeHeads = 0
  /// The client takes no more answers than those of its open calls.
  var hasGoneAway = false

  init(core: ServerCore, loop: LoopState, peer: Peer, isLoopback: Bool, age: Int64) {
    self.core = core
    self.loop = loop
    self.peer = peer
    self.isLoopback = isLoopback
    metrics = loop.context.metrics.grpc
    let now = core.manager.clock.instant()
    calm = Calm(now: now)
    departure = Departure(
      now: now, ageMilliseconds: age, graceMilliseconds: core.limits.connectionGraceMilliseconds)
    times = GRPCTimes(now: now)
    seats = SeatTable(core: core, loop: loop, metrics: metrics, address: peer.address)
  }

  var now: Int64 { core.manager.clock.instant() }
  var eventLoop: any EventLoop { loop.context.eventLoop }

  // MARK: Channel

  func channelActive(context: ChannelHandlerContext) {
    channel = context
    session = HTTP2Session(events: self, limits: HTTP2Limits())
    loop.add(self)
    core.receiveBudget.opened()
    metrics.accepted.add(1)
    metrics.connections.add(1)
    isCounted = core.quotas.opened(address: peer.address)
    if !isCounted {
      core.quotas.closed(address: peer.address, tenant: nil)
      metrics.closed(.tooManyConnections)
      context.close(promise: nil)
    }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    if phase == .open { hasBegun ? countEnd() : metrics.closed(.notUnderstood) }
    phase = .closed
    metrics.connections.add(-1)
    channel = nil
    loop.remove(self)
    hold(bytes: 0)
    core.receiveBudget.closed()
    uncount()
    for call in Array(calls.values) + Array(finished.values) { call.close() }
    calls = [:]
    finished = [:]
    waiting = []
    creditDue = []
    for seat in seats.all { loop.observer?.closed(seat.caller, fromClient: true) }
    seats.closeAll()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { session = nil }

  func uncount() {
    guard isCounted else { return }
    isCounted = false
    core.quotas.closed(address: peer.address, tenant: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    metrics.receivedBytes.add(bytes.readableBytes)
    times.heard(at: now)
    guard phase == .open, let session else { return }
    isReading = true
    if !hasBegun, let first = bytes.readableBytesView.first {
      hasBegun = true
      guard first == UInt8(ascii: "P") else { return refuseProtocol(first) }
    }
    isInSession = true
    let failure = bytes.withUnsafeReadableBytes { session.receive($0) }
    isInSession = false
    if let failure { failed(failure) }
    closeIfDue()
    hold(bytes: heldBytes)
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    flush()
  }

  func read(context: ChannelHandlerContext) {
    if phase == .open, waitsForDisk || !context.channel.isWritable || isOverBudget {
      wantsRead = true
    } else {
      context.read()
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      flush()
      resumeReading()
    }
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A client that closes one side of an HTTP/2 connection reads no answers either.
    if let event = event as? ChannelEvent, event == .inputClosed { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func resumeReading() {
    guard wantsRead, !waitsForDisk, channel?.channel.isWritable == true, !isOverBudget else { return }
    wantsRead = false
    channel?.read()
  }

  // MARK: Half requests (attacks.md R13)

  private var isOverBudget: Bool {
    guard countedBytes > 0 else { return false }
    return !core.receiveBudget.mayRead(ObjectIdentifier(self)) { [weak self] in
      guard let self else { return }
      loop.context.inbox.post { self.resumeReading() }
    }
  }

  func holdsMore(_ bytes: Int) { heldBytes += bytes }

  private func hold(bytes: Int) {
    guard bytes != countedBytes else { return }
    core.receiveBudget.hold(ObjectIdentifier(self), bytes: bytes)
    metrics.unfinishedBytes.add(bytes - countedBytes)
    countedBytes = bytes
  }

  // MARK: Out

  /// One write for everything that was answered in one go.
  func scheduleFlush() {
    guard !isReading, !flushIsSet, phase != .closed else { return }
    flushIsSet = true
    loop.flushLater(self)
  }

  /// Writes what there is; bytes that go give credit, which may bring more to be written.
  func flush() {
    flushIsSet = false
    guard !isFlushing, !isInSession else { return }
    isFlushing = true
    for _ in 0..<Self.rounds {
      writeOut()
      guard phase == .open, !creditDue.isEmpty || (wasFull && hasRoom) else { break }
      let due = creditDue
      creditDue = []
      for (call, bytes) in due { call.seat?.caller.credit(call.number, bytes) }
      if wasFull, hasRoom {
        wasFull = false
        for seat in seats.all { seat.roomAgain() }
      }
    }
    if !creditDue.isEmpty { scheduleFlush() }
    endIfDone()
    isFlushing = false
    closeIfDue()
  }

  /// Everything that waits goes out, then the output closes; not from inside nghttp2, whose GOAWAY would be lost.
  func closeAfterFlush() {
    guard !isFlushing, !isInSession else {
      closeIsDue = true
      return
    }
    flush()
    closeLater()
  }

  private func closeIfDue() {
    guard closeIsDue else { return }
    closeIsDue = false
    closeAfterFlush()
  }

  /// Other connections of the loop get their turn after so many.
  private static let rounds = 16

  private func writeOut() {
    guard let channel, let session else { return }
    while channel.channel.isWritable {
      var bytes = channel.channel.allocator.buffer(capacity: Self.writeBytes)
      switch session.write(into: &bytes, limit: Self.writeBytes) {
      case .failure(let failure):
        failed(failure)
        return
      case .success(let isAll):
        if bytes.readableBytes > 0 {
          metrics.sentBytes.add(bytes.readableBytes)
          channel.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
        }
        // A request that was answered early has nothing to wait for any more.
        for id in resets where calls[id] == nil { session.reset(id, .noError) }
        let hadResets = !resets.isEmpty
        resets = []
        if isAll, !hadResets { return }
      }
    }
  }

  private static let writeBytes = 64 * 1024

  /// nghttp2 has taken bytes of a response.
  func took(_ count: Int, of call: GRPCCall) {
    waitingBytes -= count
    calm.sentData()
    if call.isStream, call.seat != nil { creditDue.append((call, count)) }
  }

  func roomIsShort() { wasFull = true }

  // MARK: Recordings

  /// Shows an observer the frame that a message equals.
  func observe(_ frame: ByteBuffer, isLast: Bool, of seat: Seat?) {
    guard let observer = loop.observer, let seat else { return }
    var frame = frame
    if isLast { frame.setInteger(FrameHeader.endOfStream, at: frame.readerIndex + FrameHeader.flagsOffset) }
    observer.said(seat.caller, frame.readableBytesView)
  }

  func observe(_ message: some WireWritable, _ kind: FrameKind, _ method: Method, _ number: UInt32, of seat: Seat?) {
    guard loop.observer != nil, seat != nil else { return }
    let header = FrameHeader(kind, method: UInt16(truncatingIfNeeded: method.rawValue), stream: number)
    var frame = ByteBuffer()
    loop.codec.encode(message, behind: header, into: &frame)
    observe(frame, isLast: true, of: seat)
  }
}

extension GRPCConnection: SeatHost {
  var isClosing: Bool { phase != .open }

  var hasRoom: Bool {
    guard let channel, phase == .open else { return false }
    if channel.channel.isWritable, waitingBytes <= core.limits.outgoingBytes { return true }
    roomIsShort()
    return false
  }

  var queuedBytes: Int { waitingBytes }

  var addresses: (client: SocketAddress?, server: SocketAddress?) {
    (channel?.channel.remoteAddress, channel?.channel.localAddress)
  }

  func callEnded() {
    if waitsForDisk { diskHasRoom() }
  }

  func ended(_ seat: Seat, _ refusal: Refusal) {
    seats.ended(seat, refusal)
    loop.observer?.closed(seat.caller, fromClient: false)
  }
}
