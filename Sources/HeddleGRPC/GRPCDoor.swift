// The gRPC door: gRPC over HTTP/2, by TCP or TLS.

import HeddleCore
import HeddleListener
import HeddleService
import NIOCore

/// Listens for gRPC.
package struct GRPCDoor: Door {
  package var name: String { address.name }
  private let address: ListenerAddress

  package init(_ address: ListenerAddress) { self.address = address }

  package func open(_ core: ServerCore, on group: any EventLoopGroup) async throws -> any OpenDoor {
    let isLoopback = DoorSecurity.isLoopback(address.host)
    return try await Listener(address, .grpc) { $0.grpc }.open(core, on: group) { peer, loop in
      GRPCConnection(
        core: core, loop: loop, peer: peer, isLoopback: isLoopback,
        age: core.limits.connectionAge(random: loop.ids.random()))
    }
  }
}

/// The gRPC door without sockets: connections are handlers of whatever channels there are.
package struct EmbeddedGRPCDoor: Sendable {
  private let core: ServerCore

  package init(_ core: ServerCore) { self.core = core }

  /// One connection, on the first loop.
  package func connection(from address: String) -> (any ChannelHandler & Sendable)? {
    core.loop(core.manager.contexts[0]).map {
      GRPCConnection(
        core: core, loop: $0, peer: Peer(address: address), isLoopback: true,
        age: core.limits.connectionAge(random: $0.ids.random()))
    }
  }
}
