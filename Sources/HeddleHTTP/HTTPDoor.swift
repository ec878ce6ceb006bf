// The HTTP door: probes, metrics, calls in the Connect protocol, server-sent events. HTTP/1.1 with classic handlers on the
// loop of each connection.

import HeddleCore
import HeddleListener
import HeddleService
import NIOCore

/// Listens for HTTP.
package struct HTTPDoor: Door {
  package var name: String { address.name }
  private let address: ListenerAddress
  private let rules: HTTPRules

  package init(_ address: ListenerAddress, _ rules: HTTPRules) {
    self.address = address
    self.rules = rules
  }

  package func open(_ core: ServerCore, on group: any EventLoopGroup) async throws -> any OpenDoor {
    let shared = HTTPShared(core: core, rules: rules)
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
  let pulses: LoopPulses
  let scrapes = ScrapeBudget()

  init(core: ServerCore, rules: HTTPRules) {
    self.core = core
    self.rules = rules
    pulses = LoopPulses(core.allLoops.map(\.context), core.manager.clock)
  }
}

/// The HTTP door without sockets: connections are handlers of whatever channels there are.
package struct EmbeddedHTTPDoor: Sendable {
  private let shared: HTTPShared

  package init(_ core: ServerCore) { shared = HTTPShared(core: core, rules: HTTPRules()) }

  /// One connection, on the first loop.
  package func connection(from address: String) -> (any ChannelHandler & Sendable)? {
    shared.core.loop(shared.core.manager.contexts[0]).map { HTTPConnection(shared, $0, Peer(address: address)) }
  }
}
