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
      GRPCConnection(core: core, loop: loop, peer: peer, isLoopback: isLoopback, age: Self.age(core.limits, loop))
    }
  }

  /// Connections that were opened together do not end together.
  static func age(_ limits: Limits, _ loop: LoopState) -> Int64 {
    let age = limits.connectionAgeMilliseconds
    guard age > 0 else { return 0 }
    let spread = age / 5
    return age - spread / 2 + Int64(loop.ids.random() % UInt64(max(1, spread)))
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
        core: core, loop: $0, peer: Peer(address: address), isLoopback: true, age: GRPCDoor.age(core.limits, $0))
    }
  }
}
