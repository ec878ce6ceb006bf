// The way to a connection: the socket and its pipeline, on the client's own loop.

import Foundation
import HeddleCore
import HeddleProtocol
import NIOCore
import NIOPosix

extension ClientCore {
  func openChannel(_ host: ClientConfiguration.Host, _ id: Int) async throws(HeddleError) -> any Channel {
    // Files that cannot be used are told before anything is tried.
    let encryption = try configuration.tls?.encryption(host: host.name)
    do {
      return try await ClientBootstrap(group: loop)
        .connectTimeout(TimeAmount(configuration.connectTimeout))
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            if let encryption { try channel.pipeline.syncOperations.addHandler(encryption()) }
            try channel.pipeline.syncOperations.addHandlers([
              HearingHandler(self, id), ByteToMessageHandler(ServerFrames()), ConnectionHandler(self, id),
            ])
          }
        }
        .connect(host: host.name, port: host.port).get()
    } catch {
      throw .lost(SocketFault.words(error))
    }
  }
}

extension ClientConfiguration {
  static var environmentToken: String { ProcessInfo.processInfo.environment["HEDDLE_TOKEN"] ?? "" }
}

/// Notes when bytes come, also those of frames that are not whole yet.
private final class HearingHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let core: ClientCore
  private let id: Int

  init(_ core: ClientCore, _ id: Int) {
    self.core = core
    self.id = id
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    core.assumeIsolated { [id] in $0.connections[id]?.heard = .now() }
    context.fireChannelRead(data)
  }
}

/// The last handler of the pipeline: hands frames, errors and the end to the client, which runs on the same loop.
private final class ConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = Frame

  private let core: ClientCore
  private let id: Int

  init(_ core: ClientCore, _ id: Int) {
    self.core = core
    self.id = id
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    core.assumeIsolated { [id] core in
      if let connection = core.connections[id] { core.received(frame, on: connection) }
    }
  }

  func channelInactive(context: ChannelHandlerContext) { end(.lost("the server closed the connection")) }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if let error = error as? HeddleError { return end(error) }
    var reason = HeddleError.lost("the connection ended: \(SocketFault.words(error))")
    if let words = ClientTLS.words(error) {
      reason.message = "TLS: \(words)"
      reason.isAboutTLS = true
      reason.isCut = ClientTLS.isCut(error)
    }
    end(reason)
  }

  private func end(_ reason: HeddleError) {
    core.assumeIsolated { [id] core in
      if let connection = core.connections[id] { return core.end(connection, reason) }
      if case .some(nil) = core.opening[id] { core.opening[id] = reason }
    }
  }
}
