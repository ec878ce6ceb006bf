// Takes frames off a connection's buffer. Bytes that are no frame of a client become the answer
// that the client gets.

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

extension FrameDecoder {
  /// Part of a frame has come: `input` holds what is not whole, or the rest of what is skipped is on its way.
  package func isInsideFrame(_ input: ByteBuffer) -> Bool { isSkipping || input.readableBytes > 0 }

  /// Takes the next frame from the front of `input`.
  package mutating func next(_ input: inout ByteBuffer) -> Cut {
    while true {
      switch input.withUnsafeReadableBytes({ next($0) }) {
      case .frame(let header): return Self.take(header, &input)
      case .skipped(let count):
        input.moveReaderIndex(forwardBy: count)
        return .skipped
      case .passed(let count): input.moveReaderIndex(forwardBy: count)
      case .incomplete: return .incomplete
      case .fault(.foreign): return Self.foreign(input)
      case .fault(let fault): return .refused(refusal(of: fault))
      }
    }
  }

  private static func take(_ header: FrameHeader, _ input: inout ByteBuffer) -> Cut {
    input.moveReaderIndex(forwardBy: FrameHeader.byteCount)
    let metadata = header.metadataLength > 0 ? input.readSlice(length: Int(header.metadataLength)) : nil
    guard let kind = header.knownKind,
      let payload = input.readSlice(length: Int(header.length) - Int(header.metadataLength))
    else { return .incomplete }
    return .frame(Frame(kind: kind, header: header, metadata: metadata, payload: payload))
  }

  private func refusal(of fault: FrameFault) -> Refusal {
    switch fault {
    case .version: Refusal(.unsupportedVersion, [("min", "1"), ("max", "1")])
    case .tooLarge: Refusal(.frameTooLarge, [("limit", "\(rules.maximumBytes)")])
    case .foreign, .unknownKind: Refusal(.unknownFrame)
    case .flags: Refusal(.unknownFlags)
    case .metadata: Refusal(.malformed, [("field", "metadata length")])
    case .empty: Refusal(.emptyFrame)
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
