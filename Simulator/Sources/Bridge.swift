// Clients of other doors. The simulated client thinks in frames; a bridge says the same in another door's protocol, so all
// checks hold for that door, too.

import HeddleCore
import HeddleProtocol

/// A frame as the client makes it and reads it.
struct BridgedFrame {
  var kind: FrameKind
  var method: Method
  var stream: UInt32
  var isLast = false
  var metadata = Metadata()
  var payload: [UInt8] = []

  var bytes: [UInt8] {
    let header = FrameHeader(
      kind, method: UInt16(truncatingIfNeeded: method.rawValue), stream: stream,
      flags: isLast ? FrameHeader.endOfStream : 0, length: UInt32(payload.count))
    var bytes = [UInt8](repeating: 0, count: FrameHeader.byteCount)
    bytes.withUnsafeMutableBytes { if let base = $0.baseAddress { header.write(to: base) } }
    return bytes + payload
  }
}

/// One connection to a door that does not speak frames.
protocol Bridge: AnyObject {
  /// Bytes for the server that were made since.
  func takeOutgoing() -> [UInt8]
  /// Frames of the server that its bytes made since.
  func takeFrames() -> [UInt8]
  func send(_ frame: BridgedFrame)
  func receive(_ bytes: [UInt8])
  /// The connection is of no use any more.
  var hasEnded: Bool { get }
}

/// The tokens of a bridge: HELLO is a call that shows the token, and its answer is the server's HELLO.
final class BridgedTokens {
  private(set) var token = ""
  private var codec = Codec(limits: .trusted)

  func hello(_ payload: [UInt8]) {
    if let hello = try? codec.decode(ClientHello.self, payload) { token = hello.token }
  }

  /// The token that a request brings counts from then on.
  func of(_ metadata: Metadata) -> String {
    if !metadata.token.isEmpty { token = metadata.token }
    return token
  }

  func helloFrame() -> BridgedFrame {
    BridgedFrame(kind: .hello, method: .unspecified, stream: 0, payload: codec.encode(ServerHello(version: 1)))
  }

  func goAway(_ error: WireError) -> BridgedFrame {
    BridgedFrame(
      kind: .goaway, method: .unspecified, stream: 0, payload: codec.encode(GoAway(lastStream: 0, error: error)))
  }

  func error(_ error: WireError, _ method: Method, _ stream: UInt32) -> BridgedFrame {
    BridgedFrame(kind: .error, method: method, stream: stream, isLast: true, payload: codec.encode(error))
  }

  /// The token is of no use any more: as on a connection of frames, the client comes again with another.
  static func ends(_ error: WireError) -> Bool { ["token_expired", "invalid_token"].contains(error.reason) }

  /// The call ended without an answer: maybe it was carried out.
  func lost(_ method: Method, _ stream: UInt32) -> BridgedFrame {
    error(WireError(code: .cancelled, reason: "cancelled", message: "the stream was reset"), method, stream)
  }
}
