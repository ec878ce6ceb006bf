// The server without sockets and threads: connections are handlers of whatever channels there are. For a simulation,
// which hands in time, chance, disk and network.

import HeddleCore
import HeddleRuntime
import Logging
import NIOCore

package struct EmbeddedServer: Sendable {
  private let core: ServerCore

  package init(
    manager: SessionManager, limits: Limits, authentication: Authentication?, cursorKey: [UInt8], seed: UInt64,
    logger: Logger
  ) {
    core = ServerCore(
      manager: manager, limits: limits, authentication: authentication, signer: CursorSigner(key: cursorKey),
      version: "simulated", logger: logger, seed: seed)
  }

  /// One connection, on the first loop.
  package func connection(from address: String) -> (any ChannelHandler & Sendable)? {
    core.loop(core.manager.contexts[0]).map { Connection(core: core, loop: $0, address: address) }
  }
}
