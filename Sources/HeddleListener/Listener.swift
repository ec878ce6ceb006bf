// The socket of a door: binds, accepts, and hands each connection to the door when it is known who is at the other end.
//
// Listener.N1  The door's handler is in the pipeline only when the PROXY header and the TLS handshake are done: before that
//              no byte of the door goes out, and none comes in.
// Listener.N2  With TLS and PROXY headers off, the door's handler is the only one: a request passes nothing of this file.

import Foundation
import HeddleCore
import HeddleMetrics
import HeddleService
import NIOCore
import NIOPosix

package struct Listener: Sendable {
  /// Makes a door's handler for a connection. It is called on the connection's loop, before any byte of the door's protocol
  /// has been read; the handler hears `channelActive` once.
  package typealias Connection = @Sendable (Peer, LoopState) -> any ChannelHandler & Sendable
  /// The values of a door on a loop.
  package typealias Values = @Sendable (LoopMetrics) -> DoorMetrics

  private let address: ListenerAddress
  private let protocols: ApplicationProtocols
  private let values: Values

  /// `protocols`: those that TLS may agree on. `values`: where the door's connections are counted.
  package init(_ address: ListenerAddress, _ protocols: ApplicationProtocols, _ values: @escaping Values) {
    self.address = address
    self.protocols = protocols
    self.values = values
  }

  /// Binds.
  package func open(
    _ core: ServerCore, on group: any EventLoopGroup, _ connection: @escaping Connection
  ) async throws -> any OpenDoor {
    try address.security.tls?.open(address.name, protocols, core.metrics.tls)
    do { return Bound(channel: try await bind(core, group, connection)) } catch {
      throw StartError(
        description: "cannot listen on \(address.host):\(address.port): \(Self.words(error)); choose another "
          + "--\(address.name)",
        isTemporary: true)
    }
  }

  /// The system's own words: NIO's errors name functions of its own.
  private static func words(_ error: any Error) -> String {
    switch error {
    case let error as IOError: String(cString: strerror(error.errnoCode))
    case is SocketAddressError.UnknownHost: "the name of the host is not known"
    default: "the address cannot be used"
    }
  }

  private func bind(
    _ core: ServerCore, _ group: any EventLoopGroup, _ connection: @escaping Connection
  ) async throws -> any Channel {
    let high = core.limits.outgoingBytes
    let reads = AdaptiveRecvByteBufferAllocator(minimum: 1_024, initial: 2_048, maximum: core.limits.readBytes)
    let entrance = Entrance(
      core: core, security: address.security, protocols: protocols, values: values, connection: connection)
    return try await ServerBootstrap(group: group)
      .serverChannelOption(.backlog, value: 1_024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .childChannelOption(.writeBufferWaterMark, value: .init(low: high / 4, high: high))
      // One read at a time, and no large one: a channel keeps its buffers for as long as it lives, so what a connection
      // has once sent would cost 64 KiB and more for ever, and the budget of half frames could be missed by as much for
      // each connection (attacks.md R1, R13).
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(.recvAllocator, value: reads)
      .childChannelInitializer { channel in
        guard let loop = core.loop(of: channel.eventLoop) else { return channel.close() }
        return channel.eventLoop.makeCompletedFuture { try entrance.admit(channel, loop) }
      }
      .bind(host: address.host, port: address.port).get()
  }
}

/// The socket that accepts connections.
private struct Bound: OpenDoor {
  let channel: any Channel

  var address: String {
    let local = channel.localAddress
    let host = local?.ipAddress ?? "?"
    return host.contains(":") ? "[\(host)]:\(local?.port ?? 0)" : "\(host):\(local?.port ?? 0)"
  }

  func stopAccepting() async { try? await channel.close() }
}
