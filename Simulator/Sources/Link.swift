// One connection through a network that cuts, delays, stalls and resets: ordered bytes, nothing else.

import HeddleServer
import NIOCore
import NIOEmbedded

// @unchecked: a simulation has one thread.
final class Link: @unchecked Sendable {
  let channel: EmbeddedChannel
  var toServer: [UInt8] = []
  var toClient: [UInt8] = []
  /// Nothing arrives in this direction for now.
  var serverIsDeaf = false
  var clientIsDeaf = false
  /// The server has closed, or the network has lost it.
  private(set) var isClosed = false

  /// More than this on its way, and the server's socket is full.
  private static let windowBytes = 16 * 1024

  /// The ways in.
  enum Door: Equatable { case frames, grpc, http }

  init?(_ server: EmbeddedServer, _ loop: EmbeddedEventLoop, address: String, door: Door) {
    let made =
      switch door {
      case .frames: server.connection(from: address)
      case .grpc: server.callConnection(from: address)
      case .http: server.httpConnection(from: address)
      }
    guard let handler = made else { return nil }
    channel = EmbeddedChannel(loop: loop)
    do {
      try channel.pipeline.syncOperations.addHandler(handler)
      channel.connect(to: try SocketAddress(ipAddress: address, port: 1), promise: nil)
    } catch { return nil }
    collect()
  }

  /// Hands up to `count` bytes to the server.
  func deliver(_ count: Int) {
    guard !isClosed, !toServer.isEmpty, !serverIsDeaf else { return }
    let piece = Array(toServer.prefix(count))
    toServer.removeFirst(piece.count)
    _ = try? channel.writeInbound(ByteBuffer(bytes: piece))
    collect()
  }

  /// The bytes that the server has written since.
  func collect() {
    while let out = try? channel.readOutbound(as: ByteBuffer.self) { toClient += out.readableBytesView }
    if !channel.isActive { isClosed = true }
    let hasRoom = toClient.count < Self.windowBytes
    if hasRoom != channel.isWritable, channel.isActive {
      channel.isWritable = hasRoom
      channel.pipeline.fireChannelWritabilityChanged()
      while let out = try? channel.readOutbound(as: ByteBuffer.self) { toClient += out.readableBytesView }
    }
  }

  /// The bytes that have arrived at the client, up to `count` bytes.
  func arrived(_ count: Int) -> [UInt8] {
    guard !clientIsDeaf else { return [] }
    let piece = Array(toClient.prefix(count))
    toClient.removeFirst(piece.count)
    return piece
  }

  /// The connection is gone, with everything on its way.
  func reset() {
    toServer = []
    toClient = []
    isClosed = true
    if channel.isActive { channel.close(promise: nil) }
    // Not `finish`: it cancels everything that the loop has scheduled, for other connections and threads, too.
    while (try? channel.readOutbound(as: ByteBuffer.self)) != nil {}
  }
}
