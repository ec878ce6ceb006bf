// The messages of a call's body: each behind a prefix of five bytes, flags and length (gRPC over HTTP/2,
// "Length-Prefixed-Message"; Connect's envelopes are the same), or bare, the whole body (a unary call of Connect).

import HeddleCore
import NIOCore

/// Takes in a body piece by piece. A value; holds at most one message.
package struct MessageReader {
  package enum Fault: Error, Equatable, Sendable {
    /// The length is beyond the limit: nothing of the message is kept.
    case tooLarge(UInt32)
    /// A bare message has more bytes than the limit.
    case beyondLimit
    /// A flag that is not spoken, compression for one.
    case flags(UInt8)
    /// Bytes behind the only message of a request.
    case more
    /// The body ends inside a message, or before the first one.
    case cut

    package func refusal(limit: Int) -> Refusal {
      switch self {
      case .tooLarge(let length):
        Refusal(.frameTooLarge, [("length", "\(length)"), ("limit", "\(limit)")])
      case .beyondLimit: Refusal(.frameTooLarge, [("limit", "\(limit)")])
      case .flags(let flags): Refusal(.unknownFlags, [("flags", "\(flags)")])
      case .more, .cut: Refusal(.malformed)
      }
    }
  }

  package static let prefixBytes = 5

  private let maximumBytes: Int
  private let isBare: Bool
  private var prefix: UInt64 = 0
  private var prefixCount = 0
  private var length: Int?
  private var message = ByteBuffer()
  /// The length that the prefix announces, once it is known: a stream's window is widened to it.
  package var announcedBytes: Int? { length }
  package var heldBytes: Int { prefixCount + message.readableBytes }

  package init(maximumBytes: Int, isBare: Bool = false) {
    self.maximumBytes = maximumBytes
    self.isBare = isBare
  }

  /// Bytes of a body that has one message.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Fault? {
    guard !isBare else {
      guard message.readableBytes + bytes.count <= maximumBytes else { return .beyondLimit }
      message.writeBytes(bytes)
      return nil
    }
    var at = 0
    while length == nil, at < bytes.count {
      if prefixCount == 0, bytes[at] != 0 { return .flags(bytes[at]) }
      prefix = prefix << 8 | UInt64(bytes[at])
      prefixCount += 1
      at += 1
      guard prefixCount == Self.prefixBytes else { continue }
      let announced = UInt32(truncatingIfNeeded: prefix)
      guard announced <= UInt32(clamping: maximumBytes) else { return .tooLarge(announced) }
      length = Int(announced)
      message.reserveCapacity(min(Int(announced), max(bytes.count - at, 4_096)))
    }
    guard let length, at < bytes.count else { return nil }
    guard message.readableBytes + bytes.count - at <= length else { return .more }
    message.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[at...]))
    return nil
  }

  /// The body is complete.
  package mutating func finish() throws(Fault) -> ByteBuffer {
    guard isBare || message.readableBytes == length else { throw .cut }
    return message
  }
}
