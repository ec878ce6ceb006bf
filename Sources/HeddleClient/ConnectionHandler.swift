// The end of a connection's pipeline.

import NIOCore

/// The last handler of the pipeline: hands frames, errors and the end to the connection, which runs on the same loop.
final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = Frame

  private let connection: Connection

  init(_ connection: Connection) { self.connection = connection }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    connection.assumeIsolated { $0.received(frame) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    connection.assumeIsolated { $0.ended(.connectionLost) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    let reason = error as? HeddleError ?? ClientTLS.words(error).map { .tlsFailed($0) } ?? .connectionLost
    connection.assumeIsolated { $0.ended(reason) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent {
      connection.assumeIsolated { $0.ended(.connectionLost) }
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }
}
