// The frame door: length-prefixed protobuf frames over TCP.

import Foundation
import HeddleCore
import HeddleService
import NIOCore
import NIOPosix

/// Listens for frames.
package struct FrameDoor: Door {
  package let name = "listen"
  let host: String
  let port: Int

  package init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  package func open(_ core: ServerCore, on group: any EventLoopGroup) async throws -> any OpenDoor {
    do { return FrameListener(try await bind(core, group)) } catch {
      throw StartError(
        description: "cannot listen on \(host):\(port): \(Self.words(error)); choose another --listen",
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

  private func bind(_ core: ServerCore, _ group: any EventLoopGroup) async throws -> any Channel {
    let high = core.limits.outgoingBytes
    let reads = AdaptiveRecvByteBufferAllocator(minimum: 1_024, initial: 2_048, maximum: core.limits.readBytes)
    let budget = ReceiveBudget(limit: core.limits.bufferedBytes, readBytes: core.limits.readBytes)
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
        let address = channel.remoteAddress?.ipAddress ?? "?"
        return channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            FrameConnection(core: core, loop: loop, budget: budget, address: address))
        }
      }
      .bind(host: host, port: port).get()
  }
}

/// The socket that accepts connections of frames.
private struct FrameListener: OpenDoor {
  let channel: any Channel

  init(_ channel: any Channel) { self.channel = channel }

  var address: String {
    let local = channel.localAddress
    let host = local?.ipAddress ?? "?"
    return host.contains(":") ? "[\(host)]:\(local?.port ?? 0)" : "\(host):\(local?.port ?? 0)"
  }

  func stopAccepting() async { try? await channel.close() }
}

/// The frame door without sockets: connections are handlers of whatever channels there are. For a simulation, which hands in
/// time, chance, disk and network.
package struct EmbeddedFrameDoor: Sendable {
  private let core: ServerCore
  private let budget: ReceiveBudget

  package init(_ core: ServerCore) {
    self.core = core
    budget = ReceiveBudget(limit: core.limits.bufferedBytes, readBytes: core.limits.readBytes)
  }

  /// One connection, on the first loop.
  package func connection(from address: String) -> (any ChannelHandler & Sendable)? {
    core.loop(core.manager.contexts[0]).map {
      FrameConnection(core: core, loop: $0, budget: budget, address: address)
    }
  }
}
