// The two handlers beside that of TLS: one before it looks at the client's first message, one behind it lets the connection
// in when the handshake is done.

import HeddleMetrics
import HeddleTokens
import NIOCore
import NIOSSL
import NIOTLS

/// Refuses a client that names only protocols of others, or that speaks no TLS. Confined to its loop, which is the proof for
/// `@unchecked Sendable`.
final class ClientHelloGate: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Alerts of TLS (RFC 8446, 6).
  private enum Alert: UInt8 {
    case unexpectedMessage = 10
    case noApplicationProtocol = 120
  }

  private let gate: TLSGate
  private let protocols: [[UInt8]]
  private var input = ByteBuffer()
  private var isDone = false

  init(_ gate: TLSGate, _ protocols: ApplicationProtocols) {
    self.gate = gate
    self.protocols = protocols.names.map { Array($0.utf8) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isDone else { return }
    var bytes = unwrapInboundIn(data)
    if input.readableBytes == 0 { input = bytes } else { input.writeBuffer(&bytes) }
    switch ClientHello.scan(input.readableBytesView) {
    case .incomplete: break
    case .absent: refuse(context, .unexpectedMessage, .notTLS)
    case .complete(let named?) where !named.contains(where: protocols.contains):
      refuse(context, .noApplicationProtocol, .wrongProtocol)
    case .complete:
      isDone = true
      context.fireChannelRead(wrapInboundOut(input))
      input = ByteBuffer()
      context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
  }

  /// An alert as a record of its own: there are no keys yet.
  private func refuse(_ context: ChannelHandlerContext, _ alert: Alert, _ outcome: DoorMetrics.Handshake) {
    isDone = true
    input = ByteBuffer()
    gate.refused(outcome)
    var record = context.channel.allocator.buffer(capacity: 7)
    record.writeBytes([21, 3, 3, 0, 2, 2, alert.rawValue])
    // Below TLS, whose handler would wait for an answer of the client.
    context.writeAndFlush(wrapOutboundOut(record)).assumeIsolated().whenComplete { _ in context.close(promise: nil) }
  }
}

/// Waits for the end of the handshake, then lets the door's handler take over. Confined to its loop, which is the proof for
/// `@unchecked Sendable`.
final class TLSGate: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer

  private let arrival: Arrival
  private let session: TLSSession
  private var isDone = false

  init(_ arrival: Arrival, _ session: TLSSession) {
    self.arrival = arrival
    self.session = session
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    arrival.beginStep { [self] in
      guard !isDone else { return }
      refused(.timedOut)
      channel.close(promise: nil)
    }
  }

  /// The door's handler hears of the beginning when it is there.
  func channelActive(context: ChannelHandlerContext) {}

  func channelInactive(context: ChannelHandlerContext) { refused(.abandoned) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard !isDone, case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent else { return }
    guard negotiated != nil || !arrival.protocols.isNeeded else { return close(context, .wrongProtocol) }
    arrival.peer.applicationProtocol = negotiated
    switch session.peerCertificate() {
    case .none: break
    case .accepted(let certificate): arrival.peer.identity.certificate = certificate
    case .refused: return close(context, .badIdentity)
    }
    isDone = true
    arrival.handshake(.completed)
    do { try arrival.enter(context.pipeline.syncOperations) } catch {
      context.close(promise: nil)
      return
    }
    context.fireChannelActive()
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if case .handshakeFailed(.sslError([.eofDuringHandshake]))? = error as? NIOSSLError { return refused(.abandoned) }
    refused(session.hasRefusedIdentity ? .badIdentity : .failed, "\(error)")
  }

  /// Counts the first reason.
  func refused(_ outcome: DoorMetrics.Handshake, _ cause: String = "") {
    guard !isDone else { return }
    isDone = true
    arrival.handshake(outcome, cause)
  }

  private func close(_ context: ChannelHandlerContext, _ outcome: DoorMetrics.Handshake) {
    refused(outcome)
    context.close(promise: nil)
  }
}
