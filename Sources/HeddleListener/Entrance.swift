// The way of a connection from its socket to its door:
//
//   arriving     its PROXY header is read, within 5 s                      → handshaking, inside, refused
//   handshaking  TLS agrees on keys and protocol, within 5 s               → inside, refused
//   inside       the door's handler has the connection
//   refused      the socket closes; the door has never heard of it
//
// The handlers of a step stand at the end of the pipeline and put those of the next step behind themselves. They leave when
// the step is done, but for the handler of TLS.

import HeddleCore
import HeddleMetrics
import HeddleService
import HeddleTokens
import Logging
import NIOCore

/// The entrance of one door. All connections of the door share it.
struct Entrance: Sendable {
  let core: ServerCore
  let security: DoorSecurity
  let protocols: ApplicationProtocols
  let values: Listener.Values
  let connection: Listener.Connection

  /// A connection was accepted. On its loop.
  func admit(_ channel: any Channel, _ loop: LoopState) throws {
    var peer = Peer(address: channel.remoteAddress?.ipAddress ?? "?")
    peer.rules = ForwardingRules(trustDomains: security.trustDomains)
    peer.metrics = core.metrics.identities
    peer.isTrustedProxy = security.proxy.from.contains(peer.address)
    let pipeline = channel.pipeline.syncOperations
    if security.tls == nil, security.proxy.mode == .off { return try pipeline.addHandler(connection(peer, loop)) }
    let arrival = Arrival(self, peer, loop)
    guard arrival.isCounted() else {
      channel.close(promise: nil)
      return
    }
    channel.closeFuture.whenComplete { _ in arrival.ended() }
    guard security.proxy.mode != .off else { return try arrival.secure(pipeline) }
    guard security.proxy.mode == .accept || peer.isTrustedProxy else {
      loop.context.metrics.proxyHeader(.untrusted)
      channel.close(promise: nil)
      return
    }
    try pipeline.addHandler(ProxyGate(arrival, security.proxy))
  }
}

/// One connection on its way in. Confined to its loop, which is the proof for `@unchecked Sendable`.
final class Arrival: @unchecked Sendable {
  private static let stepLimit = TimeAmount.seconds(5)

  private let entrance: Entrance
  let loop: LoopState
  var peer: Peer
  /// The address under which it counts among the connections that are not inside; a proxy brings connections of many, so
  /// its own address has no limit.
  private let countedAddress: String?
  private var counts = false
  private var deadline: Scheduled<Void>?

  init(_ entrance: Entrance, _ peer: Peer, _ loop: LoopState) {
    self.entrance = entrance
    self.peer = peer
    self.loop = loop
    countedAddress = peer.isTrustedProxy ? nil : peer.address
  }

  var core: ServerCore { entrance.core }
  var protocols: ApplicationProtocols { entrance.protocols }

  /// Counts it until it is inside, where the door counts it. False: there are too many. No byte can be said to the client
  /// yet, so it hears nothing.
  func isCounted() -> Bool {
    counts = true
    return core.quotas.arrived(address: countedAddress)
  }

  /// It is inside, or its socket has closed.
  func ended() {
    deadline?.cancel()
    deadline = nil
    if counts { core.quotas.left(address: countedAddress) }
    counts = false
  }

  /// Begins a step, whose time is limited.
  func beginStep(_ expired: @escaping @Sendable () -> Void) {
    deadline?.cancel()
    deadline = loop.context.eventLoop.scheduleTask(in: Self.stepLimit, expired)
  }

  /// The step after the PROXY header: TLS, or the door.
  func secure(_ pipeline: ChannelPipeline.SynchronousOperations) throws {
    guard let tls = entrance.security.tls else { return try enter(pipeline) }
    peer.isEncrypted = true
    let session = try tls.session()
    let gate = TLSGate(self, session)
    try pipeline.addHandlers([ClientHelloGate(gate, protocols), session.handler, gate])
  }

  /// The door takes over.
  func enter(_ pipeline: ChannelPipeline.SynchronousOperations) throws {
    ended()
    try pipeline.addHandler(entrance.connection(peer, loop))
  }

  // MARK: Counting

  func handshake(_ outcome: DoorMetrics.Handshake, _ cause: String = "") {
    entrance.values(loop.context.metrics).handshake(outcome)
    if outcome != .completed { log("a TLS handshake came to nothing", "\(outcome) \(cause)") }
  }

  func proxyHeader(_ outcome: LoopMetrics.ProxyHeader) {
    loop.context.metrics.proxyHeader(outcome)
    if outcome != .accepted, outcome != .local { log("a connection was closed for its PROXY header", "\(outcome)") }
  }

  /// Anybody may cause these lines, so they are not shown unless asked for.
  private func log(_ message: Logger.Message, _ cause: String) {
    core.logger.debug(message, metadata: ["cause": "\(cause)", "address": "\(peer.address)"])
  }
}
