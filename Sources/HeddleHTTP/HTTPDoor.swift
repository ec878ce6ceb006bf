// The HTTP door: probes, metrics, calls in the Connect protocol, server-sent events, and frames by WebSocket. HTTP/1.1 with
// classic handlers on the loop of each connection.

import HeddleCore
import HeddleListener
import HeddleService
import NIOCore
import Synchronization

/// Listens for HTTP.
package struct HTTPDoor: Door {
  package var name: String { address.name }
  private let address: ListenerAddress
  private let rules: HTTPRules
  private let frames: Frames?

  /// Makes the connections of the frame door, which come in by WebSocket here.
  package typealias Frames = @Sendable (ServerCore) -> Listener.Connection

  /// `frames`: nil if no WebSocket is taken.
  package init(_ address: ListenerAddress, _ rules: HTTPRules, frames: Frames? = nil) {
    self.address = address
    self.rules = rules
    self.frames = frames
  }

  package func open(_ core: ServerCore, on group: any EventLoopGroup) async throws -> any OpenDoor {
    let shared = HTTPShared(core: core, rules: rules, frames: frames?(core))
    shared.pulses.start()
    return try await Listener(address, .http) { $0.http }.open(core, on: group) { peer, loop in
      HTTPConnection(shared, loop, peer)
    }
  }
}

/// The state that all connections of the door share.
final class HTTPShared: Sendable {
  let core: ServerCore
  let rules: HTTPRules
  let frames: Listener.Connection?
  let pulses: LoopPulses
  let scrapes = ScrapeBudget()
  /// Bytes of bodies that are held, of all connections.
  let bodyBytes = Atomic<Int>(0)

  init(core: ServerCore, rules: HTTPRules, frames: Listener.Connection? = nil) {
    self.core = core
    self.rules = rules
    self.frames = frames
    pulses = LoopPulses(core.allLoops.map(\.context), core.manager.clock)
  }
}

/// The HTTP door without sockets: connections are handlers of whatever channels there are.
package struct EmbeddedHTTPDoor: Sendable {
  private let shared: HTTPShared

  package init(_ core: ServerCore, frames: HTTPDoor.Frames? = nil) {
    shared = HTTPShared(core: core, rules: HTTPRules(), frames: frames?(core))
  }

  /// One connection, on the first loop.
  package func connection(from address: String) -> (any ChannelHandler & Sendable)? {
    shared.core.loop(shared.core.manager.contexts[0]).map { HTTPConnection(shared, $0, Peer(address: address)) }
  }
}
