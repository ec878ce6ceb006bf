// Reads the PROXY header of a connection, before TLS.

import HeddleMetrics
import NIOCore

/// The first handler of a connection, if headers are read. Confined to its loop, which is the proof for
/// `@unchecked Sendable`.
final class ProxyGate: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let arrival: Arrival
  private let rules: ProxyRules
  private var input = ByteBuffer()
  private var isDone = false

  init(_ arrival: Arrival, _ rules: ProxyRules) {
    self.arrival = arrival
    self.rules = rules
  }

  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    // The next step hears of its beginning from this one.
    arrival.beginStep { [self] in
      guard !isDone else { return }
      isDone = true
      arrival.proxyHeader(.timedOut)
      channel.close(promise: nil)
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isDone else { return }
    var bytes = unwrapInboundIn(data)
    if input.readableBytes == 0 { input = bytes } else { input.writeBuffer(&bytes) }
    switch input.withUnsafeReadableBytes({ ProxyHeader.parse($0, identityTypes: rules.identityTypes) }) {
    case .incomplete: break
    case .absent:
      guard rules.mode == .accept else { return close(context, .missing) }
      pass(context)
    case .malformed: close(context, .malformed)
    case .header where !arrival.peer.isTrustedProxy: close(context, .untrusted)
    case .header(let header, let length):
      input.moveReaderIndex(forwardBy: length)
      take(header)
      pass(context)
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // Half a header has no answer.
    if let event = event as? ChannelEvent, event == .inputClosed { context.close(promise: nil) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func take(_ header: ProxyHeader) {
    arrival.proxyHeader(header.command == .local ? .local : .accepted)
    guard header.command == .proxied else { return }
    if let source = header.source { arrival.peer.address = source }
    // Headers that come later are those of the client, unless it is a proxy of ours again.
    arrival.peer.isTrustedProxy = rules.from.contains(arrival.peer.address)
    let names = header.identities.filter { !$0.isEmpty && $0 != [UInt8(ascii: "-")] }
    let identity = names.count > 1 ? .invalid : arrival.peer.rules.identity(names.first ?? [])
    switch identity {
    case .none: break
    case .named(let name): arrival.peer.identity.proxied = name
    case .invalid: arrival.peer.identity.isInvalid = true
    }
  }

  private func close(_ context: ChannelHandlerContext, _ outcome: LoopMetrics.ProxyHeader) {
    isDone = true
    input = ByteBuffer()
    arrival.proxyHeader(outcome)
    context.close(promise: nil)
  }

  /// Lets the next step begin, with the bytes that are its own.
  private func pass(_ context: ChannelHandlerContext) {
    isDone = true
    do { try arrival.secure(context.pipeline.syncOperations) } catch {
      context.close(promise: nil)
      return
    }
    context.fireChannelActive()
    if input.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(input)) }
    input = ByteBuffer()
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }
}
