// The meaning of a client's requests: what nghttp2 tells becomes calls, and a call that is complete is given to the seat of
// its principal. Checks that only gRPC needs stand here; those that every door needs are the service's.

import HeddleCore
import HeddleListener
import HeddleProtocol
import HeddleRPC
import HeddleRuntime
import HeddleService
import HeddleTokens
import NIOCore

extension GRPCConnection: HTTP2Events {
  /// Bytes of a header list, as SETTINGS says.
  private static let headBytes = 16 * 1_024
  private static let largeHeadsBeforeEnd = 3
  /// Requests each connection may start even when the write backlog is full, so that no client starves.
  private static let requestsWhileFull = 4

  // MARK: Heads

  func began(_ stream: Int32) {
    guard phase == .open else { return }
    calls[stream] = GRPCCall(stream, self, now: now)
  }

  func header(_ stream: Int32, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    // Trailers of a request mean nothing here.
    if let call = calls[stream], call.stage == .reading { call.head.take(name, value, limit: Self.headBytes) }
    return true
  }

  func headersEnded(_ stream: Int32, isTrailer: Bool, isLast: Bool) {
    guard let call = calls[stream] else { return }
    if !isTrailer { headEnded(call) }
    if isLast { bodyEnded(stream) }
  }

  private func headEnded(_ call: GRPCCall) {
    guard call.head.bytes <= Self.headBytes else { return headIsLarge(call) }
    guard call.head.isPost else { return call.respond(status: "405", [("allow", "POST")]) }
    guard let form = call.head.form else { return call.respond(status: "415", [("accept-post", Self.accepted)]) }
    call.form = form
    // Deciding before a byte of the body has come.
    let path = String(decoding: call.head.path, as: UTF8.self)
    if let method = MethodPaths.method(path) {
      call.target = .method(method)
    } else if path.hasPrefix(Health.path),
      let method = HealthMethod(rawValue: String(path.dropFirst(Health.path.count)))
    {
      call.target = .health(method)
    } else if ReflectionReader.paths.contains(path) {
      call.target = .reflection
    } else {
      return call.refuse(Refusal(.unknownMethod))
    }
    if form != .grpc {
      guard takeConnect(call, form) else { return }
    } else if call.head.isCompressed {
      return refuseCompression(call)
    }
    if let refusal = call.head.metadata.refusal { return call.refuse(refusal) }
    guard hasRoom else { return refuseStream(call) }
    if case .reflection = call.target, !isLoopback, !isKnown(call) { return }
  }

  /// Not a principal, so it is told nothing about the server.
  private func isKnown(_ call: GRPCCall) -> Bool {
    if case .seat = seat(of: call) { return true }
    return false
  }

  private func headIsLarge(_ call: GRPCCall) {
    largeHeads += 1
    call.respond(status: "431")
    if largeHeads >= Self.largeHeadsBeforeEnd { end(.enhanceYourCalm, "header lists are too large") }
  }

  /// gRPC's own code for a compression that is not spoken is UNIMPLEMENTED.
  private func refuseCompression(_ call: GRPCCall) {
    metrics.refused(.unknownFlags)
    var error = Refusal(.unknownFlags).wire
    error.code = .unimplemented
    call.fail(error)
  }

  private func refuseStream(_ call: GRPCCall) {
    call.stage = .ended
    calls[call.id] = nil
    session?.reset(call.id, .refusedStream)
  }

  // MARK: Bodies

  func body(_ stream: Int32, _ bytes: UnsafeRawBufferPointer) {
    guard let call = calls[stream], call.stage == .reading || call.stage == .served else {
      session?.consumed(stream, bytes.count)
      return
    }
    if case .reflection = call.target {
      session?.consumed(stream, bytes.count)
      return reflect(call, bytes)
    }
    guard call.stage == .reading else {
      session?.consumed(stream, bytes.count)
      return
    }
    let before = call.reader.heldBytes
    let wasAnnounced = call.reader.announcedBytes != nil
    if let fault = call.reader.append(bytes) {
      holdsMore(-before)
      session?.consumed(stream, bytes.count)
      if case .flags = fault, call.form == .grpc { return refuseCompression(call) }
      return call.refuse(fault.refusal(limit: Int(core.limits.frameBytes)))
    }
    holdsMore(call.reader.heldBytes - before)
    // Room for the whole message at once, instead of one round trip for every 64 KiB of it.
    if !wasAnnounced, let announced = call.reader.announcedBytes, announced > Int(HTTP2Limits().streamWindow) {
      session?.widen(stream, to: Int32(clamping: announced + 1_024))
    }
    session?.consumed(stream, bytes.count)
  }

  func bodyEnded(_ stream: Int32) {
    guard let call = calls[stream], !call.isComplete else { return }
    call.isComplete = true
    if case .reflection = call.target {
      guard call.stage == .reading else { return }
      return call.questions.isEmpty ? call.succeed() : call.refuse(Refusal(.malformed))
    }
    guard call.stage == .reading else { return }
    guard waiting.isEmpty, !mustWait(call) else { return wait(call) }
    serve(call)
  }

  // MARK: Serving

  private func mustWait(_ call: GRPCCall) -> Bool {
    guard core.manager.backlog.isFull, case .method = call.target else { return false }
    return calls.values.count { $0.stage == .served } >= Self.requestsWhileFull
  }

  private func wait(_ call: GRPCCall) {
    call.stage = .waiting
    waiting.append(call)
    guard !waitsForDisk else { return }
    waitsForDisk = true
    loop.hold(self)
  }

  /// The write backlog has drained, or fewer requests are in flight.
  func diskHasRoom() {
    // A call that is answered at once ends while it is served, and asks for the next one here again.
    guard waitsForDisk, phase == .open, !servesWaiting else { return }
    servesWaiting = true
    while let call = waiting.first, !mustWait(call) {
      waiting.removeFirst()
      if call.stage == .waiting { serve(call) }
    }
    servesWaiting = false
    guard waiting.isEmpty else { return loop.hold(self) }
    waitsForDisk = false
    scheduleFlush()
    resumeReading()
  }

  private func serve(_ call: GRPCCall) {
    let message: ByteBuffer
    let held = call.reader.heldBytes
    holdsMore(-held)
    do throws(MessageReader.Fault) { message = try call.reader.finish() } catch {
      return call.refuse(error.refusal(limit: Int(core.limits.frameBytes)))
    }
    switch call.target {
    case .method(let method): serve(call, method, message)
    case .health(let method): message.withUnsafeReadableBytes { answer(call, method, $0) }
    case .reflection, .unknown: break
    }
  }

  private func serve(_ call: GRPCCall, _ method: Method, _ message: ByteBuffer) {
    guard case .seat(let seat) = seat(of: call) else { return }
    guard call.take(seat) else { return call.refuse(Refusal(.tooManyConnections)) }
    guard call.form.isJSON else { return serve(call, seat, method, message) }
    switch ConnectBody.wire(json: message, method, core.limits) {
    case .success(let message): serve(call, seat, method, message)
    case .failure(let fault):
      // In the order of every door: the method, the metadata, the message.
      let caller = seat.caller
      let first = caller.refusal(of: method) ?? call.head.metadata.metadata.flatMap { caller.refusal(of: $0) }
      caller.refuse(call.number, method, first ?? fault)
    }
  }

  private func serve(_ call: GRPCCall, _ seat: Seat, _ method: Method, _ message: ByteBuffer) {
    let caller = seat.caller
    let metadata = call.head.metadata.metadata
    observeRequest(caller, method, call.number, metadata, message)
    if let refusal = caller.refusal(of: method) { return caller.refuse(call.number, method, refusal) }
    if let metadata, let refusal = caller.refusal(of: metadata) { return caller.refuse(call.number, method, refusal) }
    switch loop.decodeRequest(method, message) {
    case .failure(let refusal): caller.refuse(call.number, method, refusal)
    case .success(.threadSubscribe(var subscribe)):
      let window = min(session?.peerStreamWindow ?? 0, UInt32(Self.creditBytes))
      subscribe.credit = min(subscribe.credit ?? .max, max(window, 1))
      caller.serve(call.number, .threadSubscribe(subscribe), metadata)
    case .success(let request): caller.serve(call.number, request, metadata)
    }
  }

  /// The most that waits for a stream.
  private static let creditBytes = 256 * 1_024

  private enum Seated {
    case seat(Seat)
    case refused
  }

  /// The seat of the call's principal; if there is none, the call has been answered, or will be in a second.
  private func seat(of call: GRPCCall) -> Seated {
    var identity = peer.identity
    switch call.head.metadata.identity(of: peer) {
    case .success(let found): identity = found
    case .failure(let refusal):
      call.refuse(refusal)
      return .refused
    }
    switch seats.seat(call.head.metadata.token, identity, host: self) {
    case .seat(let seat):
      uncount()
      return .seat(seat)
    case .refused(let refusal, let wait):
      guard wait > 0 else {
        call.refuse(refusal)
        return .refused
      }
      call.stage = .waiting
      eventLoop.scheduleTask(in: .milliseconds(wait)) {
        if call.stage == .waiting { call.refuse(refusal) }
      }
      return .refused
    }
  }

  // MARK: Health and reflection

  private func answer(_ call: GRPCCall, _ method: HealthMethod, _ message: UnsafeRawBufferPointer) {
    call.stage = .served
    if method == .list {
      call.write(raw: Health.list(isDraining: core.isLeaving))
      return call.succeed()
    }
    guard let service = Health.service(message) else { return call.refuse(Refusal(.malformed)) }
    let status = Health.status(service, isDraining: core.isLeaving)
    guard method == .watch else {
      guard let status else {
        return call.fail(
          WireError(code: .notFound, reason: "", message: "The server has no such service; see List for those it has."))
      }
      call.write(raw: Health.response(status))
      return call.succeed()
    }
    call.watch = HealthWatch(service: service, told: status ?? .serviceUnknown)
    call.write(raw: Health.response(status ?? .serviceUnknown))
  }

  /// Tells those who watch that a drain has begun.
  func tellHealth() {
    for call in calls.values {
      guard let watch = call.watch, call.stage == .served else { continue }
      let status = Health.status(watch.service, isDraining: core.isLeaving) ?? .serviceUnknown
      guard status != watch.told else { continue }
      call.watch?.told = status
      call.write(raw: Health.response(status))
    }
  }

  private func reflect(_ call: GRPCCall, _ bytes: UnsafeRawBufferPointer) {
    guard call.stage == .reading, let requests = call.questions.append(bytes) else {
      return call.refuse(Refusal(.malformed))
    }
    for request in requests {
      guard let answer = request.withUnsafeBytes({ Reflection.answer($0) }) else {
        return call.refuse(Refusal(.malformed))
      }
      guard hasRoom else { return call.refuse(Refusal(.enhanceYourCalm)) }
      call.write(raw: answer)
    }
  }

  // MARK: Ends of streams

  /// The last answer of a call has been queued.
  func answered(_ call: GRPCCall) {
    calls[call.id] = nil
    finished[call.id] = call
    if !call.isComplete {
      holdsMore(-call.reader.heldBytes)
      resets.append(call.id)
    }
    scheduleFlush()
  }

  func closed(_ stream: Int32, code: UInt32) {
    if let call = finished.removeValue(forKey: stream) {
      call.close()
    } else if let call = calls.removeValue(forKey: stream) {
      if call.stage == .reading { holdsMore(-call.reader.heldBytes) }
      if call.stage == .waiting { waiting.removeAll { $0 === call } }
      call.close()
    } else {
      return
    }
    // Also of a call whose answer was ready: most calls are answered before their reset is read (attacks.md G1).
    if phase == .open, code != 0, case .end(let text) = calm.reset(now) { end(.enhanceYourCalm, text) }
  }

  func goneAway() { hasGoneAway = true }

  func ponged(_ opaque: UInt64) {
    times.ponged(opaque)
    if opaque == Self.departurePing { take(departure.ponged(now)) }
  }

  func idled(_ kind: HTTP2Session.Idle) {
    guard phase == .open else { return }
    let verdict =
      switch kind {
      case .ping: calm.ping(now)
      case .reset: Calm.Verdict.fine
      case .windowUpdate: calm.widened(now)
      case .settings, .emptyData, .priority: calm.idled(now)
      }
    if case .end(let text) = verdict { end(.enhanceYourCalm, text) }
  }

  func response(_ stream: Int32, _ room: UnsafeMutableRawBufferPointer) -> HTTP2Session.Source {
    guard let call = calls[stream] ?? finished[stream] else { return .end(0) }
    return call.response(room)
  }

  // MARK: Recordings

  /// Shows an observer the frame that a request equals.
  private func observeRequest(
    _ caller: Caller, _ method: Method, _ number: UInt32, _ metadata: Metadata?, _ message: ByteBuffer
  ) {
    guard let observer = loop.observer else { return }
    let beside = metadata.map { loop.codec.encode($0) } ?? []
    var frame = ByteBuffer()
    FrameHeader(
      .request, method: UInt16(truncatingIfNeeded: method.rawValue), stream: number,
      metadataLength: UInt16(clamping: beside.count), length: UInt32(clamping: beside.count + message.readableBytes)
    ).append(to: &frame)
    frame.writeBytes(beside)
    frame.writeBytes(message.readableBytesView)
    observer.heard(caller, frame.readableBytesView, at: observer.now())
  }
}
