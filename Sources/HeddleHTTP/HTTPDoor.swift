// The HTTP door: probes, metrics, Connect, and events for browsers, by HTTP/1.1 over TCP or TLS. Browsers speak HTTP/2 only
// over TLS, and proxies speak it for them.

import HeddleCore
import HeddleListener
import HeddleService
import NIOCore
import NIOHTTP1

/// What the door answers, beside its address.
public struct HTTPRules: Sendable {
  /// Names that a Host header may have, without ports; nil: every one, for a door behind a proxy.
  public var hosts: Set<String>? = ["localhost", "127.0.0.1", "::1"]
  /// Origins of web pages that may call, beside the door's own.
  public var origins: Set<String> = []
  /// Everybody may read metrics.
  public var openMetrics = false

  public init() {}
}

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
    let context = HTTPContext(core: core, rules: rules, isLoopback: DoorSecurity.isLoopback(address.host))
    return try await Listener(address, .http) { $0.http }.open(core, on: group) { peer, loop in
      HTTPConnection(context, loop: loop, peer: peer)
    }
  }
}

/// What all connections of the door share.
struct HTTPContext: Sendable {
  let core: ServerCore
  let rules: HTTPRules
  let isLoopback: Bool
  let pulse = LoopPulse()
  let scrapes = ScrapeRate()
}

/// The HTTP door without sockets: connections are handlers of whatever channels there are.
package struct EmbeddedHTTPDoor: Sendable {
  private let context: HTTPContext

  package init(_ core: ServerCore) { context = HTTPContext(core: core, rules: HTTPRules(), isLoopback: true) }

  /// One connection, on the first loop.
  package func connection(from address: String) -> (any ChannelHandler & Sendable)? {
    context.core.loop(context.core.manager.contexts[0]).map {
      HTTPConnection(context, loop: $0, peer: Peer(address: address))
    }
  }
}
