// The frame door: length-prefixed protobuf frames over TCP.

import HeddleCore
import HeddleListener
import HeddleService
import NIOCore

/// Listens for frames.
package struct FrameDoor: Door {
  package var name: String { address.name }
  private let address: ListenerAddress

  package init(_ address: ListenerAddress) { self.address = address }

  package func open(_ core: ServerCore, on group: any EventLoopGroup) async throws -> any OpenDoor {
    try await Listener(address, .frames) { $0.frames }.open(core, on: group, Self.connections(core))
  }

  /// Makes connections, for a door that brings the bytes of frames in some other way.
  package static func connections(_ core: ServerCore) -> Listener.Connection {
    { peer, loop in FrameConnection(core: core, loop: loop, peer: peer) }
  }
}

/// The frame door without sockets: connections are handlers of whatever channels there are. For a simulation, which hands in
/// time, chance, disk and network.
package struct EmbeddedFrameDoor: Sendable {
  private let core: ServerCore

  package init(_ core: ServerCore) { self.core = core }

  /// One connection, on the first loop.
  package func connection(from address: String) -> (any ChannelHandler & Sendable)? {
    core.loop(core.manager.contexts[0]).map {
      FrameConnection(core: core, loop: $0, peer: Peer(address: address))
    }
  }
}
