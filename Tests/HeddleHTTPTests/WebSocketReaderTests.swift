import NIOCore
import Testing

@testable import HeddleHTTP

/// Frames of RFC 6455, cut anywhere.
@Suite struct WebSocketReaderTests {
  private static let key: [UInt8] = [0xA1, 0x02, 0xFF, 0x40]

  private func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
    var out = ByteBuffer()
    out.writeInteger(first)
    if payload.count < 126 {
      out.writeInteger(0x80 | UInt8(payload.count))
    } else {
      out.writeInteger(UInt8(0x80 | 126))
      out.writeInteger(UInt16(payload.count))
    }
    out.writeBytes(Self.key)
    out.writeBytes(payload.enumerated().map { $0.element ^ Self.key[$0.offset & 3] })
    return Array(out.readableBytesView)
  }

  /// The stream of all messages, and the other parts in order.
  private func read(_ bytes: [UInt8], pieces: Int) -> (stream: [UInt8], parts: [WebSocketReader.Part]) {
    var reader = WebSocketReader()
    var input = ByteBuffer()
    var stream: [UInt8] = []
    var parts: [WebSocketReader.Part] = []
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      input.writeBytes(bytes[start..<min(start + pieces, bytes.count)])
      take: while true {
        switch reader.next(&input) {
        case .incomplete: break take
        case .data(let bytes): stream += bytes.readableBytesView
        case .fault(let fault):
          parts.append(.fault(fault))
          return (stream, parts)
        case let part: parts.append(part)
        }
      }
    }
    return (stream, parts)
  }

  @Test("A stream is the same however it is cut into messages, frames and reads", arguments: [1, 2, 3, 5, 64, 10_000])
  func cuts(pieces: Int) {
    let content = (0..<2_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let bytes =
      frame(0x02, Array(content[..<3])) + frame(0x89, Array("ping".utf8)) + frame(0x00, []) + frame(0x8A, [])
      + frame(0x80, Array(content[3..<200])) + frame(0x82, []) + frame(0x82, Array(content[200...]))
      + frame(0x88, [0x03, 0xE8, 0x62])
    let (stream, parts) = read(bytes, pieces: pieces)
    #expect(stream == content)
    #expect(parts == [.ping(Array("ping".utf8)), .empty, .pong, .empty, .close(1_000)])
  }

  @Test(
    "A frame that breaks the rules ends the connection with the code that RFC 6455 names",
    arguments: [
      ([0x82, 0x01, 0x00], WebSocketReader.Fault.protocolError), ([0xC2, 0x80], .protocolError),
      ([0x80, 0x80, 0, 0, 0, 0], .protocolError), ([0x81, 0x80, 0, 0, 0, 0], .textIsNotTaken),
      ([0x83, 0x80, 0, 0, 0, 0], .protocolError), ([0x09, 0x80, 0, 0, 0, 0], .protocolError),
      ([0x89, 0xFE, 0, 126], .protocolError), ([0x8B, 0x80, 0, 0, 0, 0], .protocolError),
      ([0x88, 0x81, 0, 0, 0, 0, 3], .protocolError),
      ([0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], .protocolError),
    ] as [([UInt8], WebSocketReader.Fault)])
  func faults(bytes: [UInt8], fault: WebSocketReader.Fault) {
    for pieces in [1, 64] { #expect(read(bytes, pieces: pieces).parts == [.fault(fault)]) }
  }
}
