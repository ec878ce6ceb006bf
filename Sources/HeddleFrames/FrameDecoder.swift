// Cuts a stream of bytes into frames. Knows the format, the limits and nothing else; does no I/O, keeps no copy of what
// it has handed out, and asks for a length before it waits for its bytes (attacks.md F1 to F20).

import HeddleCore
import HeddleProtocol
import NIOCore

/// A frame, whole.
package struct Frame {
  package var kind: FrameKind
  package var header: FrameHeader
  package var metadata: ByteBuffer?
  package var payload: ByteBuffer
}

/// The result of cutting the bytes at hand.
package enum Cut {
  case frame(Frame)
  /// A frame of a kind that is not known and may be skipped; its payload is on the way out.
  case skipped
  /// The bytes at hand end inside a frame.
  case incomplete
  /// The peer broke the format: tell it and close.
  case refused(Refusal)
  /// The peer does not speak this protocol: close without a word.
  case noise
  /// The peer speaks HTTP: one constant answer, then close.
  case http
}

/// Cutting state of one connection.
package struct FrameDecoder {
  /// The largest payload; small until HELLO.
  var maximumBytes: UInt32
  /// Bytes of a skipped frame that are still to come.
  private var skipping = 0

  package init(maximumBytes: UInt32) { self.maximumBytes = maximumBytes }

  /// Part of a frame has come: `input` holds what is not whole, or the rest of what is skipped is on its way.
  package func isInsideFrame(_ input: ByteBuffer) -> Bool { skipping > 0 || input.readableBytes > 0 }

  /// Takes the next frame from the front of `input`.
  package mutating func next(_ input: inout ByteBuffer) -> Cut {
    if skipping > 0 {
      let count = min(skipping, input.readableBytes)
      input.moveReaderIndex(forwardBy: count)
      skipping -= count
      if skipping > 0 { return .incomplete }
    }
    guard let first = input.getInteger(at: input.readerIndex, as: UInt8.self) else { return .incomplete }
    guard first == FrameHeader.magic else { return Self.foreign(input) }
    guard input.readableBytes >= FrameHeader.byteCount,
      let header = input.withUnsafeReadableBytes({ FrameHeader($0) })
    else { return .incomplete }
    return cut(header, &input)
  }

  private mutating func cut(_ header: FrameHeader, _ input: inout ByteBuffer) -> Cut {
    if header.version != FrameHeader.currentVersion {
      return .refused(Refusal(.unsupportedVersion, [("min", "1"), ("max", "1")]))
    }
    if header.length > maximumBytes {
      return .refused(Refusal(.frameTooLarge, [("limit", "\(maximumBytes)")]))
    }
    guard let kind = header.knownKind else {
      guard header.kind & 0x80 != 0 else { return .refused(Refusal(.unknownFrame)) }
      input.moveReaderIndex(forwardBy: FrameHeader.byteCount)
      let count = min(Int(header.length), input.readableBytes)
      input.moveReaderIndex(forwardBy: count)
      skipping = Int(header.length) - count
      return .skipped
    }
    // A client has no use for the other two: messages are never cut, and only stored events are replayed.
    if header.flags & ~FrameHeader.endOfStream != 0 { return .refused(Refusal(.unknownFlags)) }
    if UInt32(header.metadataLength) > header.length {
      return .refused(Refusal(.malformed, [("field", "metadata length")]))
    }
    if header.length == 0, Self.needsPayload(kind) { return .refused(Refusal(.emptyFrame)) }
    return take(header, kind, &input)
  }

  private func take(_ header: FrameHeader, _ kind: FrameKind, _ input: inout ByteBuffer) -> Cut {
    let total = FrameHeader.byteCount + Int(header.length)
    guard input.readableBytes >= total else { return .incomplete }
    input.moveReaderIndex(forwardBy: FrameHeader.byteCount)
    let metadata = header.metadataLength > 0 ? input.readSlice(length: Int(header.metadataLength)) : nil
    guard let payload = input.readSlice(length: Int(header.length) - Int(header.metadataLength)) else {
      return .incomplete
    }
    return .frame(Frame(kind: kind, header: header, metadata: metadata, payload: payload))
  }

  /// An empty REQUEST or RESPONSE is a message without a field, which many methods take and some answers are; a frame of
  /// these kinds says something.
  private static func needsPayload(_ kind: FrameKind) -> Bool {
    switch kind {
    case .hello, .credit, .event, .error: true
    case .unspecified, .request, .response, .cancel, .ping, .pong, .goaway: false
    }
  }

  private static let httpMethods = [
    "GET ", "PUT ", "POST ", "HEAD ", "DELETE ", "OPTIONS ", "PATCH ", "TRACE ", "CONNECT ",
  ]

  /// Something that is not ours. HTTP is told so, because a person may be at the other end.
  private static func foreign(_ input: ByteBuffer) -> Cut {
    let start = input.getBytes(at: input.readerIndex, length: min(8, input.readableBytes)) ?? []
    for method in httpMethods {
      let wanted = Array(method.utf8)
      if start.starts(with: wanted) { return .http }
      if start.count < wanted.count, wanted.starts(with: start) { return .incomplete }
    }
    return .noise
  }
}
