// The way to a connection: the socket, its pipeline, HELLO.

import HeddleCore
import HeddleProtocol
import NIOCore
import NIOPosix

extension Connection {
  /// Connects and greets.
  static func open(
    _ configuration: ClientConfiguration, notices: AsyncStream<SubscriptionEvent>.Continuation
  ) async throws -> (Connection, ServerHello) {
    // Files that cannot be used are told before anything is tried.
    let encryption = try configuration.tls?.encryption(host: configuration.host)
    let connection: Connection
    do {
      connection = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connectTimeout(TimeAmount(configuration.callTimeout))
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .connect(host: configuration.host, port: configuration.port) { channel in
          channel.eventLoop.makeCompletedFuture {
            let connection = Connection(channel, configuration, notices: notices)
            if let encryption { try channel.pipeline.syncOperations.addHandler(encryption()) }
            try channel.pipeline.syncOperations.addHandlers([
              IdleStateHandler(readTimeout: TimeAmount(configuration.idleTimeout)),
              ByteToMessageHandler(ServerFrames()), ConnectionHandler(connection),
            ])
            return connection
          }
        }
    } catch {
      throw HeddleError.cannotConnect("\(configuration.host):\(configuration.port): \(SocketFault.words(error))")
    }
    do { return (connection, try await connection.greet(configuration)) } catch {
      connection.shutDown(.connectionLost)
      throw error
    }
  }
}
