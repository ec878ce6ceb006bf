// One socket of the frame door: bytes in, frames to the service, answers and events out. A classic channel handler on its
// event loop: one `await` or hop per frame would cost ten times the CPU (performance.md). This file reads and writes, and
// FrameEnding.swift ends; FrameRequests.swift says what frames mean, FrameOutlet.swift makes frames of answers,
// Liveness.swift keeps the times.
//
// The life of a connection:
//
//   new        no HELLO yet: only HELLO and PING are served, frames are small.   → open, closing
//   open       the caller is known, requests are served until FrameAge.swift says that it is old.   → closing
//   closing    a GOAWAY has gone out: nothing more is served, input is thrown away, the socket closes within 1 s.

import HeddleCore
import HeddleListener
import HeddleMetrics
import HeddleProtocol
import HeddleRuntime
import HeddleService
import Logging
import NIOCore

/// One connection. Confined to its loop, which is the proof for `@unchecked Sendable`.
final class FrameConnection: ChannelDuplexHandler, DoorConnection, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  enum Phase { case new, open, closing }

  /// Why input is not read or served at the moment.
  struct Intake {
    /// The channel is in the middle of a read.
    var isReading = false
    /// The channel asked for a read that was not passed on.
    var wantsRead = false
    /// The loop comes back to what has been read.
    var continuesLater = false
    /// Input is paused until the write backlog drains, and since when.
    var waitsForDisk = false
    var heldAt: Int64 = 0
    /// Bytes of `input` that count in the process-wide budget.
    var countedBytes = 0
  }

  /// How far the connection is on its way to the end.
  struct Ending {
    var inputClosed = false
    /// The peer has said that it goes: nothing more of it is served.
    var hasLeft = false
    /// The peer will hear why it is refused, but not at once.
    var isToldLater = false
    /// A GOAWAY has been sent.
    var isTold = false
    var isServers = false
    var thrownAway = 0
    var isFinishing = false
  }

  let core: ServerCore
  let loop: LoopState
  let caller: Caller
  let peer: Peer
  let metrics: DoorMetrics
  private var budget: ReceiveBudget { core.receiveBudget }
  var phase = Phase.new
  var channel: ChannelHandlerContext?
  var lastStream: UInt32 = 0
  var output = SendBuffer()
  var liveness: Liveness
  var age: FrameAge
  var ending = Ending()
  var isInLine = false
  private var decoder: FrameDecoder
  var input = ByteBuffer()
  var intake = Intake()
  private var flushIsSet = false
  var isServing = false
  /// Input of the batch at hand that an observer of frames has not seen yet.
  private var unobserved: (bytes: ByteBuffer, at: Int64)?

  init(core: ServerCore, loop: LoopState, peer: Peer) {
    self.core = core
    self.loop = loop
    decoder = FrameDecoder(.fromClient(maximumBytes: core.limits.frameBytesBeforeHello))
    let now = core.manager.clock.instant()
    liveness = Liveness(now: now)
    age = FrameAge(
      now: now, ageMilliseconds: core.limits.connectionAge(random: loop.ids.random()),
      graceMilliseconds: core.limits.connectionGraceMilliseconds)
    metrics = loop.context.metrics.frames
    caller = Caller(core: core, loop: loop, metrics: metrics, address: peer.address)
    self.peer = peer
    caller.attach(self)
  }

  var logger: Logger { core.logger }
  private var now: Int64 { core.manager.clock.instant() }
  var eventLoop: any EventLoop { loop.context.eventLoop }

  // MARK: Channel

  func channelActive(context: ChannelHandlerContext) {
    channel = context
    loop.add(self)
    budget.opened()
    metrics.accepted.add(1)
    metrics.connections.add(1)
    if !core.quotas.opened(address: caller.address) {
      end(Refusal(.tooManyConnections))
      // Waiting for the peer to read costs a descriptor: half of those held back are spent on politeness, no more.
      let spare = core.limits.reservedDescriptors / 2
      if core.quotas.connectionCount > core.limits.connections + spare { context.close(promise: nil) }
    }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    loop.observer?.closed(caller, fromClient: ending.inputClosed || phase != .closing)
    // A client that closes because it was asked to has not left by itself.
    if phase != .closing { age.isYoung ? metrics.closed(.clientLeft) : metrics.closed(.connectionAge) }
    metrics.connections.add(-1)
    phase = .closing
    channel = nil
    intake.waitsForDisk = false
    if !isServing { input = ByteBuffer() }
    loop.remove(self)
    hold(bytes: 0)
    budget.closed()
    caller.closed()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { caller.detach() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    metrics.receivedBytes.add(bytes.readableBytes)
    liveness.heard(at: now)
    if phase == .closing || ending.hasLeft {
      ending.thrownAway += bytes.readableBytes
      if ending.thrownAway > 64 * 1024 { context.close(promise: nil) }  // attacks.md F23
      return
    }
    if input.readableBytes == 0 { input = bytes } else { input.writeBuffer(&bytes) }
    intake.isReading = true
    if intake.continuesLater { hold(bytes: input.readableBytes) } else { process() }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    intake.isReading = false
    flush()
    loop.turnEnds()
  }

  /// The kernel is asked for more only while there is room for the answers (attacks.md R5).
  func read(context: ChannelHandlerContext) {
    if phase != .closing, intake.continuesLater || !context.channel.isWritable || isOverBudget {
      intake.wantsRead = true
    } else {
      context.read()
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      caller.answerWaiting()
      caller.startPages()
      if input.readableBytes > 0, !intake.continuesLater { process() }
      resumeReading()
      caller.resumeSubscriptions()
      flush()
    }
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed {
      ending.inputClosed = true
      if ending.isServers { context.close(promise: nil) } else { closeIfDone() }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  /// Holds back only connections that have half a frame, but for the oldest.
  var isOverBudget: Bool {
    guard intake.countedBytes > 0 else { return false }
    return !budget.mayRead(ObjectIdentifier(self)) { [weak self] in
      guard let self else { return }
      // After everything that its own loop, or another one, does now.
      loop.context.inbox.post { self.mayReadAgain() }
    }
  }

  private func mayReadAgain() {
    guard channel?.channel.isWritable == true, !isOverBudget else { return }
    resumeReading()
  }

  private func hold(bytes: Int) {
    guard bytes != intake.countedBytes else { return }
    budget.hold(ObjectIdentifier(self), bytes: bytes)
    metrics.unfinishedBytes.add(bytes - intake.countedBytes)
    intake.countedBytes = bytes
  }

  func resumeReading() {
    guard intake.wantsRead, !intake.continuesLater else { return }
    intake.wantsRead = false
    channel?.read()
  }

  // MARK: In

  /// Serves the frames at hand, a bounded number of them before other connections get their turn (attacks.md F9).
  private func process() {
    intake.continuesLater = false
    let isNested = isServing
    isServing = true
    if let observer = loop.observer, phase != .closing { unobserved = (input, observer.now()) }
    var count = 0
    // A client that does not read its answers gets no more served. Its input waits here and in the kernel.
    loop: while phase != .closing, !ending.hasLeft, hasRoom {
      if count == core.limits.framesPerTurn {
        continueLater()
        break
      }
      if caller.inFlight >= Self.requestsWhileFull, core.manager.backlog.isFull {
        waitForDisk()
        break
      }
      switch decoder.next(&input) {
      case .frame(let frame):
        count += 1
        frameEnded()
        received(frame)
      case .skipped: frameEnded()
      case .incomplete: break loop
      case .refused(let refusal): end(refusal)
      case .noise: closeSilently()
      case .http: answerHTTP()
      }
    }
    metrics.receivedFrames.add(count)
    isServing = isNested
    if unobserved != nil {
      showHeard()
      unobserved = nil
    }
    guard phase != .closing else {
      // Nothing of it is served any more, and after its end nobody would take it off.
      input = ByteBuffer()
      return hold(bytes: 0)
    }
    hold(bytes: input.readableBytes)
    liveness.isInsideFrame(!intake.continuesLater && decoder.isInsideFrame(input))
    if input.readableBytes == 0 { input = ByteBuffer() } else if !intake.continuesLater { input.discardReadBytes() }
    closeIfDone()
  }

  private func continueLater() {
    intake.continuesLater = true
    eventLoop.execute {
      self.process()
      self.flush()
      self.loop.turnEnds()
      self.resumeReading()
    }
  }

  /// Requests each connection may start even when the write backlog is full, so that no client starves.
  private static let requestsWhileFull = 4

  private func waitForDisk() {
    intake.continuesLater = true
    intake.waitsForDisk = true
    intake.heldAt = now
    loop.hold(self)
  }

  /// The write backlog has drained, or fewer requests of this connection are in flight.
  func diskHasRoom() {
    guard intake.waitsForDisk else { return }
    intake.waitsForDisk = false
    liveness.waitedForDisk(since: intake.heldAt, until: now, core.limits)
    continueLater()
  }

  func requestEnded() {
    if intake.waitsForDisk, caller.inFlight < Self.requestsWhileFull { diskHasRoom() }
    closeIfDone()
  }

  /// Shows an observer the frames of the batch that have been served, before it sees any answer to them.
  private func showHeard() {
    guard let before = unobserved, let observer = loop.observer else { return }
    let count = input.readerIndex - before.bytes.readerIndex
    guard count > 0, let bytes = before.bytes.viewBytes(at: before.bytes.readerIndex, length: count) else { return }
    unobserved?.bytes = input
    observer.heard(caller, bytes, at: before.at)
  }

  private func frameEnded() {
    liveness.frameEnded()
    hold(bytes: 0)
  }

  /// The caller is known, so its frames may be larger.
  func open() {
    phase = .open
    decoder.rules.maximumBytes = core.limits.frameBytes
  }

  // MARK: Out

  /// One write for everything that was answered in one go.
  func scheduleFlush() {
    guard !intake.isReading, !flushIsSet else { return }
    flushIsSet = true
    loop.flushLater(self)
  }

  func flush() {
    flushIsSet = false
    writeOut()
    caller.answerWaiting()
  }

  private func writeOut() {
    guard let channel, let bytes = output.take() else { return }
    if let observer = loop.observer {
      showHeard()
      observer.said(caller, bytes.readableBytesView)
    }
    metrics.sentBytes.add(bytes.readableBytes)
    channel.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
  }

  /// Whether more may be queued. As many bytes as may wait are room still: only more than that makes the channel tell when
  /// they have gone.
  var hasRoom: Bool {
    guard let channel else { return false }
    return channel.channel.isWritable && output.count <= core.limits.outgoingBytes
  }

  var addresses: (client: SocketAddress?, server: SocketAddress?) {
    (channel?.channel.remoteAddress, channel?.channel.localAddress)
  }
}
