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

struct FrameDecoder: ByteToMessageDecoder {
  typealias InboundOut = Frame

  /// Four times what a server sends at most: room for other configurations, none for noise taken for a length.
  static let maximumLength: UInt32 = 16 << 20

  mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
    guard let first = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self) else { return .needMoreData }
    guard first == FrameHeader.magic else {
      throw HeddleError.protocolViolation("a frame begins with byte \(first); is this the frame port?")
    }
    guard let header = buffer.withUnsafeReadableBytes({ FrameHeader($0) }) else { return .needMoreData }
    try Self.check(header)
    guard buffer.readableBytes >= FrameHeader.byteCount + Int(header.length) else { return .needMoreData }
    buffer.moveReaderIndex(forwardBy: FrameHeader.byteCount + Int(header.metadataLength))
    let message = buffer.readBytes(length: Int(header.length) - Int(header.metadataLength)) ?? []
    context.fireChannelRead(wrapInboundOut(Frame(header: header, message: message)))
    return .continue
  }

  private static func check(_ header: FrameHeader) throws(HeddleError) {
    guard header.version == FrameHeader.currentVersion else {
      throw .protocolViolation("a frame of version \(header.version)")
    }
    guard header.flags & ~FrameHeader.knownFlags == 0 else {
      throw .protocolViolation("a frame with unknown flags \(header.flags)")
    }
    // The flag is in the format, but version 1 has no message larger than a frame: long answers come in pages.
    guard header.flags & FrameHeader.moreFollows == 0 else {
      throw .protocolViolation("a message in several frames")
    }
    guard header.length <= maximumLength else { throw .protocolViolation("a frame of \(header.length) bytes") }
    guard UInt32(header.metadataLength) <= header.length else {
      throw .protocolViolation("metadata that is longer than its frame")
    }
  }
}
