// One TCP connection to a server: HELLO, then calls and streams side by side. An actor on its channel's event loop, so
// that frames reach it without a hop and its state needs no lock.
//
//   greeting   HELLO is sent, nothing else but PING may be.         Can go to open, ended.
//   open       calls are taken.                                     Can go to draining, ended.
//   draining   GOAWAY came: no new calls, those it covers go on.    Can go to ended.
//   ended      nothing waits any more, every wait has its reason.
//
// C1  Stream numbers are odd and rise in the order in which requests are written: number, registration and write happen
//     in one step of the loop.
// C2  Every continuation is resumed once: by whoever takes it out of `pending`.
// C3  Nothing waits on an ended connection.

import HeddleCore
import HeddleProtocol
import NIOCore
import Synchronization

/// Parts of a call beside its request.
struct CallOptions: Sendable {
  var key: IdempotencyKey?
  var deadline: Duration?
  var timeout: Duration
}

actor Connection {
  enum State {
    case greeting
    case open
    case draining(GoAway)
    case ended(HeddleError)
  }

  /// The mark by which an answer finds its call.
  private enum Key: Hashable {
    case hello
    case call(UInt32)
    case pong([UInt8])
  }

  private struct Pending {
    let continuation: CheckedContinuation<Frame, any Error>
    let timer: Scheduled<Void>
    /// Events that follow the answer are wanted.
    let keepsStream: Bool
  }

  private let channel: any Channel
  private let executor: any SerialExecutor
  private let streamBufferBytes: Int
  private let notices: AsyncStream<SubscriptionEvent>.Continuation
  private let changed: (@Sendable (ConnectionChange) -> Void)?
  private let usable = Atomic(true)

  private var state = State.greeting
  private var pending: [Key: Pending] = [:]
  private var streams: [UInt32: StreamBuffer] = [:]
  private var nextStream: UInt32 = 1
  private var pingCount: UInt64 = 0
  private var frameLimit = 16 << 10
  private var codec = Codec(limits: .trusted)
  private var serverCalls: ServerCalls

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(
    _ channel: any Channel, _ configuration: ClientConfiguration,
    notices: AsyncStream<SubscriptionEvent>.Continuation
  ) {
    self.channel = channel
    executor = channel.eventLoop.executor
    streamBufferBytes = configuration.streamBufferBytes
    serverCalls = ServerCalls(configuration.handlers)
    changed = configuration.connectionChanged
    self.notices = notices
  }

  /// Whether new calls are taken; may be out of date by the time that it is known.
  nonisolated var isUsable: Bool { usable.load(ordering: .relaxed) }

  // MARK: calls

  func call(_ request: Request, _ options: CallOptions) async throws -> Response {
    let method = request.method
    let answer = try await exchange(method, codec.encode(request), options)
    do {
      let response = try answer.withUnsafeBytes { try Response(method, $0, &codec) }
      guard let response else { throw HeddleError.protocolViolation("\(method.path) is not for clients") }
      return response
    } catch let error as DecodeError { throw HeddleError.undecodable(method.path, error) }
  }

  func call<M: WireMessage, R: WireMessage>(
    _ method: Method, _ request: M, as: R.Type, _ options: CallOptions
  ) async throws -> R {
    let answer = try await exchange(method, codec.encode(request), options)
    return try decode(R.self, answer)
  }

  /// Sends a request and gives its answer. Events that follow the answer are cancelled: a plain call has no use for them.
  func exchange(_ method: Method, _ payload: [UInt8], _ options: CallOptions) async throws -> [UInt8] {
    try await request(method, payload, options, keepsStream: false).frame.message
  }

  func ping(timeout: Duration) async throws -> Pong {
    pingCount &+= 1
    let opaque = withUnsafeBytes(of: pingCount.bigEndian) { Array($0) }
    let frame = try await answer(to: .pong(opaque), within: timeout) { this in
      this.send(.ping, message: this.codec.encode(Ping(opaque: opaque)))
    }
    return try decode(Pong.self, frame.message)
  }

  /// The next event of a stream; nil after its last.
  func next(of stream: UInt32) async throws -> Frame? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if Task.isCancelled {
          continuation.resume(throwing: CancellationError())
        } else if streams[stream] == nil {
          continuation.resume(returning: nil)
        } else {
          streams[stream]?.take(continuation)
        }
      }
    } onCancel: {
      onLoop { $0.streams[stream]?.cancelWaiter() }
    }
  }

  /// The consumer of a stream is gone.
  nonisolated func release(_ stream: UInt32) {
    onLoop { this in
      guard let buffer = this.streams.removeValue(forKey: stream) else { return }
      if !buffer.hasEnded { this.send(.cancel, stream: stream) }
    }
  }

  nonisolated func shutDown(_ reason: HeddleError) { onLoop { $0.ended(reason) } }

  /// Says HELLO, and opens the connection with the server's answer.
  func greet(_ configuration: ClientConfiguration) async throws -> ServerHello {
    var hello = ClientHello(
      versions: [UInt32(FrameHeader.currentVersion)], clientName: configuration.clientName,
      clientVersion: configuration.clientVersion, token: configuration.token ?? "")
    hello.features = serverCalls.handlers.names
    let frame = try await answer(to: .hello, within: configuration.callTimeout) { this in
      this.send(.hello, message: this.codec.encode(hello))
    }
    let answer = try decode(ServerHello.self, frame.message)
    guard answer.version == UInt32(FrameHeader.currentVersion) else {
      throw HeddleError.protocolViolation("the server speaks version \(answer.version)")
    }
    frameLimit = Int(answer.limits?.frameBytes ?? 4 << 20)
    if case .greeting = state {
      state = .open
      changed?(.connected(answer))
    }
    return answer
  }

  func request(
    _ method: Method, _ payload: [UInt8], _ options: CallOptions, keepsStream: Bool
  ) async throws -> (stream: UInt32, frame: Frame) {
    var metadata = [UInt8]()
    if options.key != nil || options.deadline != nil {
      let deadline = options.deadline.map { max(1, TimeAmount($0).nanoseconds / 1_000_000) }
      metadata = codec.encode(Metadata(deadlineMs: deadline, idempotencyKey: options.key))
    }
    let size = metadata.count + payload.count
    guard size <= frameLimit else { throw HeddleError.tooLarge(bytes: size, limit: frameLimit) }
    // Stream numbers never wrap: the connection is given up first, after two billion calls.
    guard nextStream < .max - 2 else {
      ended(.connectionLost)
      throw HeddleError.connectionLost
    }
    let stream = nextStream
    nextStream += 2
    let frame = try await answer(to: .call(stream), within: options.timeout, keepsStream: keepsStream) { this in
      this.send(.request, method: method, stream: stream, metadata: metadata, message: payload)
    }
    return (stream, frame)
  }

  /// Sends by `send` and waits for what comes back. Runs without a suspension up to the wait (C1).
  private func answer(
    to key: Key, within timeout: Duration, keepsStream: Bool = false, _ send: (isolated Connection) -> Void
  ) async throws -> Frame {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        if let refusal { return continuation.resume(throwing: refusal) }
        let timer = channel.eventLoop.scheduleTask(in: TimeAmount(timeout)) {
          self.assumeIsolated { $0.abandon(key, HeddleError.timedOut) }
        }
        pending[key] = Pending(continuation: continuation, timer: timer, keepsStream: keepsStream)
        send(self)
      }
    } onCancel: {
      onLoop { $0.abandon(key, CancellationError()) }
    }
  }

  private var refusal: HeddleError? {
    switch state {
    case .greeting, .open: nil
    case .draining(let goAway): .goingAway(goAway)
    case .ended(let reason): reason
    }
  }

  /// The caller no longer waits; the server is told, so that it need not answer.
  private func abandon(_ key: Key, _ reason: any Error) {
    guard finish(key, .failure(reason)) != nil else { return }
    if case .call(let stream) = key { send(.cancel, stream: stream) }
    endIfDrained()
  }

  @discardableResult
  private func finish(_ key: Key, _ result: Result<Frame, any Error>) -> Pending? {
    guard let waiting = pending.removeValue(forKey: key) else { return nil }
    waiting.timer.cancel()
    waiting.continuation.resume(with: result)
    return waiting
  }
}

// Frames of the server.
extension Connection {
  func received(_ frame: Frame) {
    guard let kind = frame.header.knownKind else {
      if !frame.header.isSkippable { ended(.protocolViolation("a frame of unknown kind \(frame.header.kind)")) }
      return
    }
    do throws(HeddleError) {
      switch kind {
      case .hello: finish(.hello, .success(frame))
      case .response: answered(frame)
      case .event: try happened(frame)
      case .error: failed(frame.header.stream, .refused(try decode(WireError.self, frame.message)))
      case .ping:
        let opaque = try decode(Ping.self, frame.message).opaque
        send(.pong, message: codec.encode(Pong(opaque: opaque, status: .serving)))
      case .pong: finish(.pong(try decode(Pong.self, frame.message).opaque), .success(frame))
      case .goaway: goAway(try decode(GoAway.self, frame.message))
      case .request: try asked(frame)
      case .cancel: serverCalls.withdraw(frame.header.stream)
      case .credit, .unspecified: break
      }
    } catch { ended(error) }
  }

  private func answered(_ frame: Frame) {
    let stream = frame.header.stream
    // The buffer stands before the caller runs, because events may come in the same read.
    if let waiting = pending[.call(stream)] {
      if waiting.keepsStream {
        var buffer = StreamBuffer(maximumBytes: streamBufferBytes)
        if frame.endsStream { buffer.end(.success(())) }
        streams[stream] = buffer
      } else if !frame.endsStream {
        send(.cancel, stream: stream)
      }
    } else if frame.endsStream {
      streams[stream]?.end(.success(()))
    }
    finish(.call(stream), .success(frame))
    endIfDrained()
  }

  private func happened(_ frame: Frame) throws(HeddleError) {
    let stream = frame.header.stream
    guard stream != 0 else {
      notices.yield(try decode(SubscriptionEvent.self, frame.message))
      return
    }
    // A stream that is not there was cancelled a moment ago.
    guard streams[stream] != nil else { return }
    if streams[stream]?.append(frame) == false { send(.cancel, stream: stream) }
    if frame.endsStream { streams[stream]?.end(.success(())) }
  }

  private func failed(_ stream: UInt32, _ error: HeddleError) {
    // An error of the connection itself: the server closes it, and what waits learns why.
    guard stream != 0 else { return ended(error) }
    finish(.call(stream), .failure(error))
    streams[stream]?.end(.failure(error))
    endIfDrained()
  }

  private func goAway(_ goAway: GoAway) {
    guard refusal == nil else { return }
    usable.store(false, ordering: .relaxed)
    state = .draining(goAway)
    let error = HeddleError.goingAway(goAway)
    finish(.hello, .failure(error))
    for key in pending.keys {
      if case .call(let stream) = key, stream > goAway.lastStream { finish(key, .failure(error)) }
    }
    // Streams would go on until the server ends; leaving now gives it less to wait for, and a cursor loses nothing.
    for stream in Array(streams.keys) {
      if streams[stream]?.hasEnded == false { send(.cancel, stream: stream) }
      streams[stream]?.end(.failure(error))
    }
    endIfDrained()
  }

  private func endIfDrained() {
    if case .draining(let goAway) = state, pending.isEmpty { ended(.goingAway(goAway)) }
  }

  /// A request of the server's.
  private func asked(_ frame: Frame) throws(HeddleError) {
    let refusal = try serverCalls.begin(frame, &codec) { await self.handled($0, $1) }
    if let refusal { send(refusal) }
  }

  private func handled(_ frame: Frame, _ outcome: ServerCalls.Outcome) {
    if let answer = serverCalls.answer(frame, outcome, limit: frameLimit, &codec) { send(answer) }
  }

  private func send(_ answer: ServerCallAnswer) {
    send(
      answer.kind, method: answer.method, stream: answer.stream, flags: FrameHeader.endOfStream,
      message: answer.message)
  }

  /// Ends the connection, whatever it was doing. The first reason counts (C3).
  func ended(_ reason: HeddleError) {
    if case .ended = state { return }
    usable.store(false, ordering: .relaxed)
    // Told before the waits end, so that whoever watches knows why they did.
    if case .greeting = state {} else { changed?(.lost(reason)) }
    state = .ended(reason)
    serverCalls.end()
    for key in Array(pending.keys) { finish(key, .failure(reason)) }
    for stream in Array(streams.keys) { streams[stream]?.end(.failure(reason)) }
    channel.close(promise: nil)
  }

  private func send(
    _ kind: FrameKind, method: Method = .unspecified, stream: UInt32 = 0, flags: UInt8 = 0, metadata: [UInt8] = [],
    message: [UInt8] = []
  ) {
    // Both lengths fit: `request` has checked them against the server's limit, and metadata is two short fields.
    let header = FrameHeader(
      kind, method: UInt16(clamping: method.rawValue), stream: stream, metadataLength: UInt16(clamping: metadata.count),
      flags: flags, length: UInt32(clamping: metadata.count + message.count))
    var buffer = channel.allocator.buffer(capacity: FrameHeader.byteCount + metadata.count + message.count)
    buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: FrameHeader.byteCount) { room in
      guard let base = room.baseAddress else { return 0 }
      header.write(to: base)
      return FrameHeader.byteCount
    }
    buffer.writeBytes(metadata)
    buffer.writeBytes(message)
    channel.writeAndFlush(buffer, promise: nil)
  }

  private func decode<M: WireMessage>(_ type: M.Type, _ bytes: [UInt8]) throws(HeddleError) -> M {
    do throws(DecodeError) { return try codec.decode(type, bytes) } catch {
      throw .undecodable("\(type)", error)
    }
  }

  /// Runs on the channel's loop, after what is queued there already.
  private nonisolated func onLoop(_ body: @escaping @Sendable (isolated Connection) -> Void) {
    channel.eventLoop.execute { self.assumeIsolated(body) }
  }
}
