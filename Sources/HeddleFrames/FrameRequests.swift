// The meaning of a client's frames. Checks that only frames need stand here, in the order in which they are made; those that
// every door needs are the service's (RequestGate.swift).

import HeddleCore
import HeddleProtocol
import HeddleService
import NIOCore

extension FrameConnection {
  func received(_ frame: Frame) {
    switch frame.kind {
    case .hello: hello(frame)
    case .ping: ping(frame)
    case .pong: if !liveness.ponged() { caller.glitch() }
    case .goaway: phase == .open ? clientGoesAway() : end(Refusal(.notInitialized))
    case _ where phase == .new: end(Refusal(.notInitialized))
    case .request: request(frame)
    case .cancel: cancel(frame.header.stream)
    case .credit: credit(frame)
    case .response: caller.clientAnswered(frame.header.stream, .response(frame.payload))
    case .error: caller.clientAnswered(frame.header.stream, .error(frame.payload))
    case .event: end(Refusal(.wrongDirection))
    case .unspecified: end(Refusal(.unknownFrame))
    }
  }

  // MARK: HELLO, PING, GOAWAY

  private func hello(_ frame: Frame) {
    guard phase == .new else { return caller.refuse(0, .unspecified, Refusal(.alreadyInitialized)) }
    let hello: ClientHello
    switch loop.decode(ClientHello.self, frame.payload) {
    case .success(let value): hello = value
    case .failure(let refusal): return end(refusal)
    }
    guard hello.versions.isEmpty || hello.versions.contains(1) else {
      return end(Refusal(.unsupportedVersion, [("min", "1"), ("max", "1")]))
    }
    switch core.authenticate(hello.token, peer.identity, from: peer.address) {
    case .refused(let refusal, let wait): end(refusal, afterMilliseconds: wait)
    case .accepted(let credential, let generation):
      open()
      let refusal = caller.open(
        credential, generation: generation, unwantedNotices: hello.unwantedNotifications, abilities: hello.features)
      if let refusal { return end(refusal) }
      send(.hello, .unspecified, 0, 0, serverHello())
    }
  }

  /// Nothing more of the peer is served until it hears why.
  private func end(_ refusal: Refusal, afterMilliseconds wait: Int64) {
    guard wait > 0 else { return end(refusal) }
    ending.hasLeft = true
    ending.isToldLater = true
    eventLoop.scheduleTask(in: .milliseconds(wait)) {
      self.ending.isToldLater = false
      self.end(refusal)
    }
  }

  private func serverHello() -> ServerHello {
    let limits = core.limits
    return ServerHello(
      version: 1, node: core.manager.store.node, connection: caller.id, serverTime: core.manager.clock.now(),
      schemaHash: SchemaTable.hash, durability: "synced",
      limits: ConnectionLimits(
        frameBytes: limits.frameBytes, requestsInFlight: limits.requestsInFlight, subscriptions: limits.subscriptions,
        outgoingBytes: UInt32(clamping: limits.outgoingBytes), idleMs: UInt32(clamping: limits.idleMilliseconds),
        frameMs: UInt32(clamping: limits.frameMilliseconds), nesting: UInt32(clamping: limits.nesting),
        repeatedElements: UInt32(clamping: limits.repeatedElements),
        unknownFields: UInt32(clamping: limits.unknownFields),
        turnInputBytes: UInt32(clamping: limits.turnInputBytes), pageSize: UInt32(clamping: limits.pageSize),
        queuedTurns: UInt32(clamping: limits.queuedTurns), threadEvents: UInt32(clamping: limits.threadEvents),
        tenantRequestsPerSecond: UInt32(clamping: limits.requestsPerSecond),
        tenantRunningTurns: UInt32(clamping: limits.runningTurnsPerTenant), glitches: limits.glitches),
      serverVersion: core.version)
  }

  private func ping(_ frame: Frame) {
    guard frame.payload.readableBytes <= core.limits.pingBytes + 4 else {
      return end(Refusal(.outOfRange, [("field", "opaque"), ("limit", "\(core.limits.pingBytes)")]))
    }
    switch loop.decode(Ping.self, frame.payload) {
    case .failure(let refusal): end(refusal)
    case .success(let ping):
      guard ping.opaque.count <= core.limits.pingBytes else {
        return end(Refusal(.outOfRange, [("field", "opaque"), ("limit", "\(core.limits.pingBytes)")]))
      }
      guard liveness.pinged(at: core.manager.clock.instant(), core.limits) else {
        return end(Refusal(.enhanceYourCalm))
      }
      send(.pong, .unspecified, 0, 0, Pong(opaque: ping.opaque, status: core.serving))
    }
  }

  /// Accepted requests are answered, later ones are not served, then the connection closes (attacks.md S17).
  private func clientGoesAway() {
    caller.endAllSubscriptions()
    leave()
  }

  // MARK: Requests

  /// Every check of a request, in this order: stream, method, those of the gate, metadata, message.
  private func request(_ frame: Frame) {
    let stream = frame.header.stream
    guard stream & 1 == 1, stream > lastStream else { return end(Refusal(.badRequestId)) }
    lastStream = stream
    guard let method = Method(rawValue: Int32(frame.header.method)), method != .unspecified else {
      return caller.refuse(stream, .unspecified, Refusal(.unknownMethod, [("method", "\(frame.header.method)")]))
    }
    // The client can tell by the number that it is not served, and sends it again on its next connection.
    guard age.isYoung else { return caller.refuse(stream, method, Refusal(.connectionAge)) }
    if let refusal = caller.refusal(of: method) { return caller.refuse(stream, method, refusal) }
    var metadata: Metadata?
    if let bytes = frame.metadata {
      switch loop.decode(Metadata.self, bytes) {
      case .success(let value): metadata = value
      // An envelope that cannot be read leaves nothing to go on with; one with a wrong field in it can be answered
      // (attacks.md, Protobuf).
      case .failure(let refusal):
        return refusal.reason == .malformed ? end(refusal) : caller.refuse(stream, method, refusal)
      }
    }
    if let metadata, let refusal = caller.refusal(of: metadata) { return caller.refuse(stream, method, refusal) }
    switch loop.decodeRequest(method, frame.payload) {
    case .failure(let refusal): caller.refuse(stream, method, refusal)
    case .success(let request): caller.serve(stream, request, metadata)
    }
  }

  private func cancel(_ stream: UInt32) { caller.cancel(stream, wasUsed: stream & 1 == 1 && stream <= lastStream) }

  private func credit(_ frame: Frame) {
    guard case .success(let credit) = loop.decode(Credit.self, frame.payload) else { return caller.glitch() }
    caller.credit(frame.header.stream, Int(credit.bytes))
  }
}
