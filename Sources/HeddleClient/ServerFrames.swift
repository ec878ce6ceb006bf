// Bytes from the socket to frames. The checks are those of the reading side (protocol.md,
// "Frame"): what a header may hold, before any byte of its payload is awaited.

import HeddleCore
import HeddleProtocol
import NIOCore

/// A whole frame from the server, its metadata taken off: no answer has a use for it.
struct Frame: Sendable {
  let header: FrameHeader
  let message: [UInt8]

  var endsStream: Bool { header.flags & FrameHeader.endOfStream != 0 }
}

struct ServerFrames: ByteToMessageDecoder {
  typealias InboundOut = Frame

  private var decoder = FrameDecoder(.fromServer)

  mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
    switch buffer.withUnsafeReadableBytes({ decoder.next($0) }) {
    case .frame(let header):
      buffer.moveReaderIndex(forwardBy: FrameHeader.byteCount + Int(header.metadataLength))
      let message = buffer.readBytes(length: Int(header.length) - Int(header.metadataLength)) ?? []
      context.fireChannelRead(wrapInboundOut(Frame(header: header, message: message)))
      return .continue
    case .skipped(let count), .passed(let count):
      buffer.moveReaderIndex(forwardBy: count)
      return .continue
    case .incomplete: return .needMoreData
    case .fault(let fault):
      if case .tooLarge(let length) = fault {
        throw HeddleError(.tooLarge, "the server sent a frame of \(length) bytes, which no server sends")
      }
      throw HeddleError.violation(Self.words(fault))
    }
  }

  private static func words(_ fault: FrameFault) -> String {
    switch fault {
    case .foreign(let first): "a frame begins with byte \(first); is this the frame port?"
    case .version(let version): "a frame of version \(version)"
    case .tooLarge(let length): "a frame of \(length) bytes"
    case .unknownKind: "a frame of an unknown kind"
    case .flags(let flags) where flags & ~FrameHeader.knownFlags == 0: "a message in several frames"
    case .flags(let flags): "a frame with unknown flags \(flags)"
    case .metadata: "metadata that is longer than its frame"
    case .empty: "an empty frame"
    }
  }
}
