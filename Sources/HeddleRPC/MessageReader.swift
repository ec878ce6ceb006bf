// The messages of a call's body: each behind a prefix of five bytes, flags and length (gRPC over HTTP/2,
// "Length-Prefixed-Message"; Connect's envelopes are the same).

import HeddleCore
import NIOCore

/// Takes in a body piece by piece. A value; holds at most one message.
package struct MessageReader {
  package enum Fault: Equatable, Sendable {
    /// The length is beyond the limit: nothing of the message is kept.
    case tooLarge(UInt32)
    /// A flag that is not spoken, compression for one.
    case flags(UInt8)
    /// Bytes behind the only message of a request.
    case more
    /// The body ends inside a message, or before the first one.
    case cut
  }

  package static let prefixBytes = 5

  private let maximumBytes: Int
  private var prefix: [UInt8] = []
  private var length: Int?
  package private(set) var message = ByteBuffer()
  /// The length that the prefix announces, once it is known: a stream's window is widened to it.
  package var announcedBytes: Int? { length }
  package var heldBytes: Int { prefix.count + message.readableBytes }

  package init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Fault? {
    var rest = bytes[...]
    while length == nil, let byte = rest.first {
      prefix.append(byte)
      rest = rest.dropFirst()
      if prefix.count == 1, byte != 0 { return .flags(byte) }
      guard prefix.count == Self.prefixBytes else { continue }
      let announced = prefix[1...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard announced <= UInt32(clamping: maximumBytes) else { return .tooLarge(announced) }
      length = Int(announced)
      message.reserveCapacity(min(Int(announced), max(rest.count, 4_096)))
    }
    guard let length, !rest.isEmpty else { return nil }
    guard message.readableBytes + rest.count <= length else { return .more }
    message.writeBytes(UnsafeRawBufferPointer(rebasing: rest))
    return nil
  }

  /// The body is complete.
  package mutating func finish() -> Result<ByteBuffer, Fault2> {
    guard let length, message.readableBytes == length else { return .failure(Fault2(fault: .cut)) }
    return .success(message)
  }

  package struct Fault2: Error, Equatable { package let fault: Fault }
}
