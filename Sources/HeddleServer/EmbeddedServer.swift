// The server without sockets and threads: connections are handlers of whatever channels there are. For a simulation,
// which hands in time, chance, disk and network.

import HeddleCore
import HeddleFrames
import HeddleGRPC
import HeddleHTTP
import HeddleMetrics
import HeddleRecorder
import HeddleRuntime
import HeddleService
import HeddleTokens
import Logging
import NIOCore

package struct EmbeddedServer: Sendable {
  private let frames: EmbeddedFrameDoor
  private let grpc: EmbeddedGRPCDoor
  private let http: EmbeddedHTTPDoor

  package init(
    manager: SessionManager, limits: Limits, authentication: Authentication?, cursorKey: [UInt8], seed: UInt64,
    logger: Logger
  ) {
    let core = ServerCore(
      manager: manager, limits: limits, authentication: authentication, signer: CursorSigner(key: cursorKey),
      version: "simulated",
      recording: CaptureControl(folder: nil, metrics: manager.metrics.captures, logger: logger), logger: logger,
      seed: seed)
    frames = EmbeddedFrameDoor(core)
    grpc = EmbeddedGRPCDoor(core)
    http = EmbeddedHTTPDoor(core, frames: FrameDoor.connections)
  }

  /// One connection, on the first loop.
  package func connection(from address: String) -> (any ChannelHandler & Sendable)? {
    frames.connection(from: address)
  }

  /// The same for gRPC.
  package func callConnection(from address: String) -> (any ChannelHandler & Sendable)? {
    grpc.connection(from: address)
  }

  /// The same for HTTP.
  package func httpConnection(from address: String) -> (any ChannelHandler & Sendable)? {
    http.connection(from: address)
  }
}
