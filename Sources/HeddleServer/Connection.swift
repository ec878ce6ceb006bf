// One socket: bytes in, frames to the router, answers and events out. A classic channel handler on its event loop: one
// `await` or hop per frame would cost ten times the CPU (performance.md). This file reads, writes and keeps time; what
// frames mean is in ConnectionFrames.swift, answers in ConnectionAnswers.swift, feeds in Subscriptions.swift.
//
// The life of a connection:
//
//   new        no HELLO yet: only HELLO and PING are served, frames are small.   → open, closing
//   open       `credential` is known, requests are served.                        → closing
//   closing    a GOAWAY has gone out: nothing more is served, what comes is thrown away, the socket closes within 1 s.

import HeddleCore
import HeddleProtocol
import HeddleRuntime
import Logging
import NIOCore

/// One connection. Confined to its loop, which is the proof for `@unchecked Sendable`.
final class Connection: ChannelDuplexHandler, ConnectionPort, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  enum Phase { case new, open, closing }

  /// A request that has been accepted and not been answered.
  struct InFlight {
    let method: Method
    var deadline: Scheduled<Void>?
    /// The caller has its terminal answer already; the slot is held until the work ends (attacks.md R8).
    var isAbandoned = false
  }

  let core: ServerCore
  let loop: LoopState
  let context: LoopContext
  let address: String
  var id: ConnectionID
  var phase = Phase.new
  var principal: Principal? { credential?.principal }
  /// What the peer has shown of itself; a fresh token replaces it.
  private(set) var credential: Credential?
  /// Of the files with which `credential` was last compared.
  private var generation: UInt64 = 0
  var unwantedNotices: [String] = []
  var inFlight: [UInt32: InFlight] = [:]
  var lastStream: UInt32 = 0
  var subscriptions: [UInt32: Subscription] = [:]
  var followed: [ThreadID: UInt32] = [:]
  var lifecycleStream: UInt32?
  /// What this client can answer, and what it has been asked (ServerCalls.swift).
  var can = ClientFeatures()
  var serverCalls: [UInt32: ClientCall] = [:]
  /// Calls that it has answered, or left to others, and that have not ended yet.
  var settledCalls: [ClientCall] = []
  var lastServerStream: UInt32 = 0
  var channel: ChannelHandlerContext?
  var out = ByteBuffer()
  private var lastWriteBytes = 256
  var glitches = 0
  private var ignoredRefusals = 0
  private var cancelledRequests = 0
  private var glitchesSince: Int64 = 0
  private var pingStrikes = 0
  private var pingedAt: Int64?
  private var cutter: FrameCutter
  private var input = ByteBuffer()
  private let openedAt: Int64
  /// When the last byte came, when the frame at hand began, when the server last pinged.
  private var lastByteAt: Int64
  private var frameBeganAt: Int64?
  /// Since when the server itself does not read the frame on.
  private var heldSince: Int64?
  private var serverPingedAt: Int64 = 0
  private var pongsDue = 0
  private var stalledSince: Int64?
  private var flushIsSet = false
  private var isReading = false
  private var wantsRead = false
  private var continuesLater = false
  /// What has come is not served before the disk has caught up; since when; and whether its loop has it in its line.
  private var waitsForDisk = false
  private var heldAt: Int64 = 0
  var isInLine = false
  private var inputClosed = false
  /// The peer has said that it goes: nothing more of it is served.
  private var hasLeft = false
  /// It is told why it is refused, but not at once.
  var isToldLater = false
  private var thrownAway = 0
  /// Pages that wait until the peer has taken those before (attacks.md R5), and how many are being read.
  private var waitingPages: [() -> Void] = []
  /// Answers that wait likewise, as values: what they say is shared until it is written.
  private var waitingAnswers: [(request: PendingRequest, answer: WaitingAnswer)] = []
  private var pagesInWork = 0
  /// Bytes handed to the socket so far.
  private var queuedBytes = 0
  private var acceptedBytes = 0
  private var isFinishing = false
  private var isServing = false
  private var isAnswering = false
  /// It counts as one of its tenant's connections.
  var isCounted = false
  /// What of `input` is counted in the process-wide budget.
  private var countedBytes = 0
  /// What a recording knows of this connection, and what it has not been told yet of the batch that is being served.
  var tapLink: LoopTap.Link?
  private var untapped: (bytes: ByteBuffer, at: Int64)?

  init(core: ServerCore, loop: LoopState, address: String) {
    self.core = core
    self.loop = loop
    context = loop.context
    self.address = address
    cutter = FrameCutter(maximumBytes: core.limits.frameBytesBeforeHello)
    let now = core.manager.clock.instant()
    openedAt = now
    lastByteAt = now
    glitchesSince = now
    id = loop.ids.next(at: core.manager.clock.now())
  }

  var tenant: String { principal?.tenant ?? "" }

  // MARK: Channel

  func channelActive(context: ChannelHandlerContext) {
    channel = context
    loop.add(self)
    core.halfFrames.opened()
    if !core.quotas.opened(address: address) {
      fail(Refusal(.tooManyConnections))
      // Waiting for the peer to read costs a descriptor: half of those held back are spent on politeness, no more.
      let spare = core.limits.reservedDescriptors / 2
      if core.quotas.connectionCount > core.limits.connections + spare { context.close(promise: nil) }
    }
    context.fireChannelActive()
  }

  func channelInactive(context: ChannelHandlerContext) {
    loop.tap?.closed(self, fromClient: inputClosed || phase != .closing)
    phase = .closing
    channel = nil
    waitsForDisk = false
    if !isServing { input = ByteBuffer() }
    loop.remove(self)
    core.quotas.closed(address: address, tenant: isCounted ? tenant : nil)
    forgetWaiting()
    hold(bytes: 0)
    core.halfFrames.closed()
    serverCalls = [:]
    endAllSubscriptions()
    core.manager.remove(self)
    for request in inFlight.values { request.deadline?.cancel() }
    core.counters.inFlight.subtract(inFlight.count, ordering: .relaxed)
    inFlight = [:]
    context.fireChannelInactive()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    lastByteAt = core.manager.clock.instant()
    if phase == .closing || hasLeft {
      thrownAway += bytes.readableBytes
      if thrownAway > 64 * 1024 { context.close(promise: nil) }  // attacks.md F23
      return
    }
    if input.readableBytes == 0 { input = bytes } else { input.writeBuffer(&bytes) }
    isReading = true
    if continuesLater { hold(bytes: input.readableBytes) } else { process() }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    isReading = false
    flush()
  }

  /// The kernel is asked for more only while there is room for the answers (attacks.md R5).
  func read(context: ChannelHandlerContext) {
    if phase != .closing, continuesLater || !context.channel.isWritable || isOverBudget {
      wantsRead = true
    } else {
      context.read()
    }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable {
      answerWaiting()
      startPages()
      if input.readableBytes > 0, !continuesLater { process() }
      resumeReading()
      resumeSubscriptions()
      flush()
    }
    context.fireChannelWritabilityChanged()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed {
      inputClosed = true
      closeIfDone()
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  /// Holds back only those that have half a frame, but for the oldest.
  private var isOverBudget: Bool {
    guard countedBytes > 0 else { return false }
    return !core.halfFrames.mayRead(ObjectIdentifier(self)) { [weak self] in
      guard let self else { return }
      // Behind whatever its own loop, or another one, is at.
      context.inbox.post { self.mayReadAgain() }
    }
  }

  private func mayReadAgain() {
    guard channel?.channel.isWritable == true, !isOverBudget else { return }
    resumeReading()
  }

  private func hold(bytes: Int) {
    guard bytes != countedBytes else { return }
    core.halfFrames.hold(ObjectIdentifier(self), bytes: bytes)
    countedBytes = bytes
  }

  private func resumeReading() {
    guard wantsRead, !continuesLater else { return }
    wantsRead = false
    channel?.read()
  }

  // MARK: In

  /// Serves the frames at hand, a bounded number of them before other connections get their turn (attacks.md F9).
  private func process() {
    continuesLater = false
    let isNested = isServing
    isServing = true
    if let tap = loop.tap, phase != .closing { untapped = (input, tap.writer.now()) }
    var count = 0
    // Who does not take its answers is not served further ones; what it has sent waits here and in the kernel.
    loop: while phase != .closing, !hasLeft, hasRoom {
      if count == core.limits.framesPerTurn {
        continueLater()
        break
      }
      if inFlight.count >= Self.requestsBehind, core.manager.backlog.isFull {
        waitForDisk()
        break
      }
      switch cutter.next(&input) {
      case .frame(let frame):
        count += 1
        frameEnded()
        received(frame)
      case .skipped: frameEnded()
      case .incomplete: break loop
      case .refused(let refusal): fail(refusal)
      case .noise: closeSilently()
      case .http: answerHTTP()
      }
    }
    isServing = isNested
    if untapped != nil {
      tapHeard()
      untapped = nil
    }
    guard phase != .closing else {
      // Nothing of it is served any more, and after its end nobody would take it off.
      input = ByteBuffer()
      return hold(bytes: 0)
    }
    hold(bytes: input.readableBytes)
    if !continuesLater, cutter.isInsideFrame(input) {
      frameBeganAt = frameBeganAt ?? lastByteAt
    } else {
      frameBeganAt = nil
    }
    if input.readableBytes == 0 { input = ByteBuffer() } else if !continuesLater { input.discardReadBytes() }
    closeIfDone()
  }

  private func continueLater() {
    continuesLater = true
    context.eventLoop.execute {
      self.process()
      self.flush()
      self.resumeReading()
    }
  }

  /// So many requests each connection may begin however much waits for the disk: nobody is shut out by others.
  private static let requestsBehind = 4

  private func waitForDisk() {
    continuesLater = true
    waitsForDisk = true
    heldAt = core.manager.clock.instant()
    loop.hold(self)
  }

  /// Less waits for the disk, or fewer requests of this connection are under way.
  func diskHasRoom() {
    guard waitsForDisk else { return }
    waitsForDisk = false
    // What the peer sent meanwhile was in time, and its pings come all at once.
    lastByteAt = core.manager.clock.instant()
    pingStrikes -= Int(clamping: (lastByteAt - heldAt) / max(1, core.limits.pingIntervalMilliseconds))
    continueLater()
  }

  /// Takes a request out of those that are under way: it has been answered, or has become a stream.
  func freeSlot(_ stream: UInt32) -> InFlight? {
    guard let slot = inFlight.removeValue(forKey: stream) else { return nil }
    core.counters.inFlight.subtract(1, ordering: .relaxed)
    slot.deadline?.cancel()
    if waitsForDisk, inFlight.count < Self.requestsBehind { diskHasRoom() }
    return slot
  }

  /// What has been served of the batch at hand goes to the recording, before any answer to it does.
  private func tapHeard() {
    guard let before = untapped, let tap = loop.tap else { return }
    let count = input.readerIndex - before.bytes.readerIndex
    guard count > 0, let bytes = before.bytes.viewBytes(at: before.bytes.readerIndex, length: count) else { return }
    untapped?.bytes = input
    tap.heard(self, bytes, at: before.at)
  }

  private func frameEnded() {
    frameBeganAt = nil
    heldSince = nil
    hold(bytes: 0)
  }

  /// A connection that is known may send larger frames.
  func open(_ credential: Credential, generation: UInt64) {
    self.credential = credential
    self.generation = generation
    phase = .open
    cutter.maximumBytes = core.limits.frameBytes
    core.manager.add(self, hearsOfStarts: !unwantedNotices.contains("thread_started"))
  }

  /// A fresh token of the same tenant: its expiry and its rights count from now on (attacks.md A10).
  func renew(_ credential: Credential) { self.credential = credential }

  /// Why the peer may not stay: its token has expired, or has been taken back (attacks.md A10, A11).
  private func tokenEnds() -> Refusal? {
    guard let authentication = core.authentication, let credential else { return nil }
    if let end = credential.expiresAt, core.manager.clock.now() >= end { return Refusal(.tokenExpired) }
    let newest = authentication.generation
    guard newest != generation else { return nil }
    generation = newest
    return authentication.holds(credential) ? nil : Refusal(.invalidToken)
  }

  // MARK: Out

  /// Appends a frame with this message.
  func send(_ kind: FrameKind, _ method: Method, _ stream: UInt32, _ flags: UInt8, _ message: some WireWritable) {
    makeRoom()
    let header = FrameHeader(
      kind, method: UInt16(truncatingIfNeeded: method.rawValue), stream: stream, flags: flags, length: 0)
    loop.codec.encode(message, behind: header, into: &out)
    scheduleFlush()
  }

  /// Appends a frame whose payload `write` appends.
  func frame(_ kind: FrameKind, _ method: Method, _ stream: UInt32, _ flags: UInt8, _ write: (Connection) -> Void) {
    makeRoom()
    let at = out.writerIndex
    out.writeRepeatingByte(0, count: FrameHeader.byteCount)
    write(self)
    let length = out.writerIndex - at - FrameHeader.byteCount
    let header = FrameHeader(
      kind, method: UInt16(truncatingIfNeeded: method.rawValue), stream: stream, flags: flags,
      length: UInt32(clamping: length))
    let offset = at - out.readerIndex
    out.withUnsafeMutableReadableBytes { bytes in
      if let base = bytes.baseAddress { header.write(to: base + offset) }
    }
    scheduleFlush()
  }

  /// A connection that has nothing to say has no buffer; one that speaks gets at once what it needed the last time.
  private func makeRoom() {
    guard out.capacity == 0 else { return }
    out.reserveCapacity(lastWriteBytes)
  }

  /// One write for everything that was answered in one go.
  private func scheduleFlush() {
    guard !isReading, !flushIsSet else { return }
    flushIsSet = true
    loop.flushLater(self)
  }

  func flush() {
    flushIsSet = false
    writeOut()
    if !waitingAnswers.isEmpty { answerWaiting() }
  }

  private func writeOut() {
    guard let channel, out.readableBytes > 0 else { return }
    let bytes = out
    out = ByteBuffer()
    lastWriteBytes = min(max(256, bytes.readableBytes), 64 * 1024)
    if let tap = loop.tap {
      tapHeard()
      tap.said(self, bytes.readableBytesView)
    }
    queuedBytes += bytes.readableBytes
    channel.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
  }

  // MARK: Pages

  /// Reads of pages, whose answers are large: a few at a time, and only while the peer takes what it asked for.
  func whenThereIsRoom(_ read: @escaping () -> Void) {
    guard phase != .closing else { return }
    guard pagesInWork < Self.pagesAtOnce, hasRoom else {
      waitingPages.append(read)
      return
    }
    pagesInWork += 1
    read()
  }

  func pageIsDone() {
    pagesInWork -= 1
    flush()
    startPages()
  }

  /// False: its turn comes when the peer has taken what it asked for before. Answers may be large however small requests
  /// are (attacks.md R4).
  func mayAnswer(_ request: PendingRequest, _ answer: @autoclosure () -> WaitingAnswer) -> Bool {
    if waitingAnswers.isEmpty, hasRoom || phase == .closing { return true }
    waitingAnswers.append((request, answer()))
    return false
  }

  private func answerWaiting() {
    // Writing may tell at once that there is room again.
    guard !isAnswering else { return }
    isAnswering = true
    defer { isAnswering = false }
    while !waitingAnswers.isEmpty, hasRoom {
      let next = waitingAnswers.removeFirst()
      switch next.answer {
      case .response(let response): respond(next.request, response, follows: nil)
      case .stored(let bytes): respond(next.request, stored: bytes)
      }
      if out.readableBytes >= Self.answerBytes { writeOut() }
    }
    writeOut()
  }

  /// What the peer will not take any more.
  private func forgetWaiting() {
    waitingPages = []
    waitingAnswers = []
  }

  private static let answerBytes = 64 * 1024

  private func startPages() {
    while pagesInWork < Self.pagesAtOnce, hasRoom, !waitingPages.isEmpty {
      pagesInWork += 1
      waitingPages.removeFirst()()
    }
  }

  private static let pagesAtOnce = 2

  /// Whether more may be queued; replies always may, events wait in the log.
  var hasRoom: Bool {
    guard let channel else { return false }
    // As many bytes as may wait are room still: only more than that makes the channel tell when they have gone.
    return channel.channel.isWritable && out.readableBytes <= core.limits.outgoingBytes
  }

  // MARK: Ending

  /// Tells the peer why and closes within a second (answer X of attacks.md).
  func fail(_ refusal: Refusal) {
    guard phase != .closing else { return }
    logger.debug("closing a connection", metadata: ["reason": "\(refusal.reason.rawValue)"])
    send(.goaway, .unspecified, 0, 0, GoAway(lastStream: lastStream, error: refusal.wire))
    closeAfterFlush()
  }

  private func answerHTTP() {
    out.writeString(
      "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 44\r\nConnection: close\r\n\r\n"
        + "This port speaks Heddle frames and no HTTP.\n")
    closeAfterFlush()
  }

  private func closeSilently() {
    if input.getInteger(at: input.readerIndex, as: UInt8.self) == 0x16 {
      core.counters.tlsOnPlain.add(1, ordering: .relaxed)
    }
    phase = .closing
    channel?.close(promise: nil)
  }

  /// What is in the buffer goes out, then the output closes; the peer's rest is read and thrown away, so that its last
  /// frames do not reset the connection before it has read ours.
  private func closeAfterFlush() {
    phase = .closing
    forgetWaiting()
    flush()
    input = ByteBuffer()
    guard let channel else { return }
    channel.close(mode: .output, promise: nil)
    channel.read()
    context.eventLoop.scheduleTask(in: .milliseconds(500)) { self.channel?.close(promise: nil) }
  }

  /// What still comes is thrown away.
  func stopServing() { hasLeft = true }

  func leave() {
    stopServing()
    inputClosed = true
  }

  /// A peer that has said all it will gets its answers, then the end (attacks.md F21).
  func closeIfDone() {
    guard inputClosed, phase != .closing, inFlight.isEmpty, !continuesLater, !isFinishing, !isServing, !isToldLater
    else { return }
    guard hasLeft || input.readableBytes == 0 || hasRoom else { return }
    isFinishing = true
    hasLeft = true
    endAllSubscriptions()
    flush()
    // However slow its link is: the stall rule ends it if it takes nothing.
    channel?.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in self.channel?.close(promise: nil) }
  }

  // MARK: Time

  var logger: Logger { core.logger }

  /// Called a few times a second.
  func tick(_ now: Int64) {
    guard phase != .closing else { return }
    if waitsForDisk { lastByteAt = now }
    // Only who was sent something can be full; ten thousand idle ones are not asked.
    if queuedBytes != acceptedBytes || stalledSince != nil, channel?.channel.isWritable == false {
      // It is not read, so nothing can be said of what it sends: only whether it takes what it is sent (R4, R6).
      lastByteAt = now
      frameBeganAt = frameBeganAt.map { _ in now }
    } else if wantsRead {
      if !isOverBudget {
        resumeReading()
      } else if let began = frameBeganAt {
        // It is not the peer that holds its frame up; but nobody is held for ever.
        heldSince = heldSince ?? began
        frameBeganAt = now
        if now - (heldSince ?? now) >= 4 * core.limits.frameMilliseconds { return fail(Refusal(.frameTimeout)) }
      }
    }
    let limits = core.limits
    if let began = frameBeganAt, now - began >= limits.frameMilliseconds { return fail(Refusal(.frameTimeout)) }
    if phase == .new {
      if now - openedAt >= limits.helloMilliseconds { closeSilently() }
      return
    }
    if let refusal = tokenEnds() { return fail(refusal) }
    if now - lastByteAt >= limits.idleMilliseconds { return fail(Refusal(.idleTimeout)) }
    if now - lastByteAt >= limits.pingAfterMilliseconds, now - serverPingedAt >= limits.pingAfterMilliseconds {
      serverPingedAt = now
      pongsDue += 1
      send(.ping, .unspecified, 0, 0, Ping())
    }
    if now - glitchesSince >= limits.glitchWindowMilliseconds {
      (glitches, ignoredRefusals, cancelledRequests) = (0, 0, 0)
      glitchesSince = now
    }
    checkStall(now)
    tickSubscriptions(now)
  }

  /// A peer that takes no byte for 30 s while something waits is cut off; it resumes from its cursor (attacks.md R4).
  private func checkStall(_ now: Int64) {
    guard queuedBytes != acceptedBytes || stalledSince != nil else { return }
    let waiting = (try? channel?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    let accepted = queuedBytes - waiting
    guard waiting > 0, accepted == acceptedBytes, let since = stalledSince else {
      acceptedBytes = accepted
      stalledSince = waiting > 0 ? now : nil
      return
    }
    guard now - since >= core.limits.slowConsumerMilliseconds else { return }
    // One that is live has no more than what waits here; one that is not may have a long way to go.
    let followed = subscriptions.values.filter { $0.thread != nil }
    let behind = followed.filter { $0.main?.state != .live }
    let worst = (behind.isEmpty ? followed : behind).min { $0.cursor < $1.cursor }
    let place = worst.map { [("thread", $0.thread?.description ?? ""), ("last_seq", "\($0.cursor)")] } ?? []
    fail(Refusal(.slowConsumer, place))
  }

  /// The peer's fault, but a small one: too many in half a minute end the connection (attacks.md R8, R9).
  func glitch() {
    glitches += 1
    if glitches > Int(core.limits.glitches) { fail(Refusal(.enhanceYourCalm)) }
  }

  /// A request came too early. A client may send all that it has before it reads an answer, so many of these are no
  /// mistake; a client that never waits is stopped (attacks.md R11).
  func askedToWait() {
    ignoredRefusals += 1
    if ignoredRefusals > Int(core.limits.ignoredRefusals) { fail(Refusal(.enhanceYourCalm)) }
  }

  /// Work that was begun for nothing. A client may cancel all that it has under way, even twice in half a minute; one that
  /// goes on starting and cancelling is stopped (attacks.md R8).
  func cancelledWork() {
    cancelledRequests += 1
    if cancelledRequests > 2 * Int(core.limits.requestsInFlight) { fail(Refusal(.enhanceYourCalm)) }
  }

  /// Any byte shows that the peer is there; a pong that nobody asked for is a glitch (attacks.md S14).
  func ponged() {
    if pongsDue > 0 { pongsDue -= 1 } else { glitch() }
  }

  /// One ping in 5 s, three strikes (attacks.md R10).
  func pinged() -> Bool {
    let now = core.manager.clock.instant()
    defer { pingedAt = now }
    if let before = pingedAt, now - before < core.limits.pingIntervalMilliseconds {
      pingStrikes += 1
    } else {
      pingStrikes = 0
    }
    if pingStrikes > core.limits.pingStrikes {
      fail(Refusal(.enhanceYourCalm))
      return false
    }
    return true
  }
}
