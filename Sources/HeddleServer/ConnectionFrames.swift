// What frames of a client mean. All checks of a request stand in `request`, in one order.

import Crypto
import Foundation
import HeddleCore
import HeddleProtocol
import HeddleRuntime
import NIOCore

extension Connection {
  func received(_ frame: Frame) {
    switch frame.kind {
    case .hello: hello(frame)
    case .ping: ping(frame)
    case .pong: ponged()
    case .goaway: phase == .open ? clientGoesAway() : fail(Refusal(.notInitialized))
    case _ where phase == .new: fail(Refusal(.notInitialized))
    case .request: request(frame)
    case .cancel: cancel(frame.header.stream)
    case .credit: credit(frame)
    case .response, .error: clientAnswered(frame)
    case .event: fail(Refusal(.wrongDirection))
    case .unspecified: fail(Refusal(.unknownFrame))
    }
  }

  // MARK: HELLO, PING

  private func hello(_ frame: Frame) {
    guard phase == .new else { return refuse(0, .unspecified, Refusal(.alreadyInitialized)) }
    let hello: ClientHello
    switch decode(ClientHello.self, frame.payload) {
    case .success(let value): hello = value
    case .failure(let refusal): return fail(refusal)
    }
    guard hello.versions.isEmpty || hello.versions.contains(1) else {
      return fail(Refusal(.unsupportedVersion, [("min", "1"), ("max", "1")]))
    }
    // Asked before the token is, so that no change of the files falls between the two.
    let generation = core.authentication?.generation ?? 0
    switch authenticate(hello.token) {
    case .failure(let fault): return failSlowly(fault)
    case .success(let credential):
      unwantedNotices = hello.unwantedNotifications
      open(credential, generation: generation)
      can = ClientFeatures(hello.features)
      isCounted = core.quotas.identified(address: address, tenant: tenant)
      guard isCounted else { return fail(Refusal(.tooManyConnections)) }
      send(.hello, .unspecified, 0, 0, serverHello())
    }
  }

  /// Whoever guesses waits longer for each answer. The peer hears the same words whatever is wrong; the cause is in the
  /// log, as long as it is not a flood (attacks.md A2, R21).
  private func failSlowly(_ fault: TokenFault) {
    guard fault != .missing else { return fail(Refusal(.missingToken)) }
    let wait = core.quotas.badToken(address: address, instant: core.manager.clock.instant())
    logger.log(
      level: wait > 0 ? .debug : .info, "a token was refused",
      metadata: ["cause": "\(fault.rawValue)", "address": "\(address)"])
    guard wait > 0 else { return fail(Refusal(.invalidToken)) }
    stopServing()
    isToldLater = true
    context.eventLoop.scheduleTask(in: .milliseconds(wait)) {
      self.isToldLater = false
      self.fail(Refusal(.invalidToken))
    }
  }

  private func authenticate(_ token: String) -> Result<Credential, TokenFault> {
    guard let authentication = core.authentication else { return .success(.everybody) }
    return authentication.credential(of: token, now: core.manager.clock.now())
  }

  /// A token beside a request; false: it is not one of this connection's tenant.
  private func takeFresh(_ token: String) -> Bool {
    guard !token.isEmpty, core.authentication != nil else { return true }
    if credential?.digest == Array(SHA256.hash(data: Data(token.utf8))) { return true }
    guard case .success(let fresh) = authenticate(token), fresh.principal.isOf(tenant) else { return false }
    renew(fresh)
    return true
  }

  private func serverHello() -> ServerHello {
    let limits = core.limits
    return ServerHello(
      version: 1, node: core.manager.store.node, connection: id, serverTime: core.manager.clock.now(),
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
      return fail(Refusal(.outOfRange, [("field", "opaque"), ("limit", "\(core.limits.pingBytes)")]))
    }
    switch decode(Ping.self, frame.payload) {
    case .failure(let refusal): fail(refusal)
    case .success(let ping):
      guard ping.opaque.count <= core.limits.pingBytes else {
        return fail(Refusal(.outOfRange, [("field", "opaque"), ("limit", "\(core.limits.pingBytes)")]))
      }
      guard pinged() else { return }
      send(.pong, .unspecified, 0, 0, Pong(opaque: ping.opaque, status: core.serving))
    }
  }

  /// What was accepted is answered, what comes after is not served, then the connection closes (attacks.md S17).
  private func clientGoesAway() {
    endAllSubscriptions()
    leave()
  }

  // MARK: Requests

  /// Every check of a request, in this order: stream, method, room, direction, rights, quota, disk, bytes.
  private func request(_ frame: Frame) {
    let stream = frame.header.stream
    guard stream & 1 == 1, stream > lastStream else { return fail(Refusal(.badRequestId)) }
    lastStream = stream
    guard let method = Method(rawValue: Int32(frame.header.method)), method != .unspecified else {
      return refuse(stream, .unspecified, Refusal(.unknownMethod, [("method", "\(frame.header.method)")]))
    }
    if let refusal = admit(method) { return refuse(stream, method, refusal) }
    let metadata: Metadata?
    switch frame.metadata.map({ decode(Metadata.self, $0) }) {
    case nil: metadata = nil
    case .success(let value)?: metadata = value
    // An envelope that cannot be read leaves nothing to go on with; one with a wrong field in it can be answered
    // (attacks.md, Protobuf).
    case .failure(let refusal)?:
      return refusal.reason == .malformed ? fail(refusal) : refuse(stream, method, refusal)
    }
    switch decodeRequest(method, frame, metadata) {
    case .failure(let refusal): refuse(stream, method, refusal)
    case .success(let request): accept(stream, method, request, metadata)
    }
  }

  private func admit(_ method: Method) -> Refusal? {
    if core.isDraining { return Refusal(.shuttingDown) }
    if inFlight.count >= Int(core.limits.requestsInFlight) {
      return Refusal(.tooManyInFlight, [("limit", "\(core.limits.requestsInFlight)")])
    }
    if method.isServerCall { return Refusal(.wrongDirection) }
    if method.isPlanned { return Refusal(.notImplemented, [("method", method.path)]) }
    if method.isAdmin, principal?.isAdmin != true { return Refusal(.permissionDenied) }
    if core.limits.requestsPerSecond > 0,
      let wait = core.quotas.admit(tenant: tenant, instant: core.manager.clock.instant())
    {
      return Refusal(.rateLimited, retryAfterMilliseconds: wait)
    }
    if method.isMutation, core.manager.isReadOnly { return Refusal(.diskFull, retryAfterMilliseconds: 1_000) }
    return nil
  }

  private func decodeRequest(_ method: Method, _ frame: Frame, _ metadata: Metadata?) -> Result<Request, Refusal> {
    if let deadline = metadata?.deadlineMs, deadline < 1 || deadline > 24 * 3600 * 1000 {
      return .failure(Refusal(.outOfRange, [("field", "deadline_ms"), ("minimum", "1"), ("maximum", "86400000")]))
    }
    if let token = metadata?.token, !takeFresh(token) { return .failure(Refusal(.invalidToken)) }
    let result: Result<Request?, DecodeError> = frame.payload.withUnsafeReadableBytes { bytes in
      do throws(DecodeError) { return .success(try Request(method, bytes, &loop.codec)) } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let request?): return .success(request)
    case .success(nil): return .failure(Refusal(.unknownMethod))
    case .failure(let error): return .failure(error.refusal)
    }
  }

  private func accept(_ stream: UInt32, _ method: Method, _ request: Request, _ metadata: Metadata?) {
    var slot = InFlight(method: method)
    if let deadline = metadata?.deadlineMs {
      slot.deadline = context.eventLoop.scheduleTask(in: .milliseconds(deadline)) {
        self.abandon(stream, method, Refusal(.deadlineExceeded))
      }
    }
    inFlight[stream] = slot
    core.counters.inFlight.add(1, ordering: .relaxed)
    var pending = PendingRequest(connection: self, stream: stream, method: method)
    guard method.isMutation, let key = metadata?.idempotencyKey else { return route(request, pending) }
    let keyed = KeyContext(tenant: tenant, key: key, requestHash: hash(request))
    pending.key = keyed
    let final = pending
    core.manager.keyed(final, keyed) { self.context.run { self.route(request, final) } }
  }

  /// Over decoded fields, not wire bytes: a retry may be encoded differently (durability.md).
  private func hash(_ request: Request) -> [UInt8] {
    var bytes = loop.codec.encode(request)
    bytes += UInt64(UInt32(bitPattern: request.method.rawValue)).bigEndianBytes
    return Array(SHA256.hash(data: Data(bytes)))
  }

  // MARK: CANCEL, CREDIT

  private func cancel(_ stream: UInt32) {
    if let request = inFlight[stream], !request.isAbandoned {
      abandon(stream, request.method, Refusal(.cancelled))
      // A subscription that opens does no work to speak of.
      if request.method != .threadSubscribe { cancelledWork() }
    } else if subscriptions[stream] != nil {
      endSubscription(stream, telling: Refusal(.cancelled))
    } else {
      glitch()
    }
  }

  /// The caller gets its terminal answer now; the slot stays taken until the work ends (attacks.md S6, R8).
  func abandon(_ stream: UInt32, _ method: Method, _ refusal: Refusal) {
    guard inFlight[stream]?.isAbandoned == false else { return }
    inFlight[stream]?.isAbandoned = true
    forgetSubscription(stream)
    send(.error, method, stream, FrameHeader.endOfStream, refusal.wire)
  }

  private func credit(_ frame: Frame) {
    guard case .success(let credit) = decode(Credit.self, frame.payload), credit.bytes > 0,
      subscriptions[frame.header.stream] != nil
    else { return glitch() }
    addCredit(frame.header.stream, Int(credit.bytes))
  }

  // MARK: Decoding

  func decode<M: WireMessage>(_ type: M.Type, _ bytes: ByteBuffer) -> Result<M, Refusal> {
    bytes.withUnsafeReadableBytes { raw in
      do throws(DecodeError) { return .success(try loop.codec.decode(type, raw)) } catch {
        return .failure(error.refusal)
      }
    }
  }
}

extension DecodeError {
  /// The one place where a decoding error becomes an answer (attacks.md P1 to P25).
  var refusal: Refusal {
    switch self {
    case .malformed: Refusal(.malformed)
    case .tooDeep: Refusal(.tooDeep)
    case .tooManyElements(let field): Refusal(.tooManyElements, [("field", field)])
    case .tooManyUnknown: Refusal(.tooManyUnknown)
    case .invalidUTF8(let field): Refusal(.invalidUtf8, [("field", field)])
    case .embeddedNUL(let field): Refusal(.embeddedNul, [("field", field)])
    case .budget: Refusal(.decodeBudget)
    case .unknownEnum(let field, let value): Refusal(.unknownEnum, [("field", field), ("value", "\(value)")])
    case .missingField(let field): Refusal(.missingField, [("field", field)])
    case .badID(let field): Refusal(.badId, [("field", field)])
    }
  }
}
