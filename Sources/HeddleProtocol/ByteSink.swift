// Where encoded bytes go: an array, or a socket's buffer.

public protocol ByteSink {
  mutating func append(_ bytes: UnsafeRawBufferPointer)
}

extension [UInt8]: ByteSink {
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if isEmpty { self = [UInt8](bytes) } else { append(contentsOf: bytes) }
  }
}

extension ByteSink {
  /// The one way in which numbers are written forwards; messages are written backwards (BackwardWriter.swift).
  @inlinable
  public mutating func appendVarint(_ value: UInt64) {
    var rest = value
    withUnsafeTemporaryAllocation(byteCount: 10, alignment: 1) { room in
      var count = 0
      while rest >= 0x80 {
        room[count] = UInt8(truncatingIfNeeded: rest) | 0x80
        rest >>= 7
        count += 1
      }
      room[count] = UInt8(truncatingIfNeeded: rest)
      append(UnsafeRawBufferPointer(rebasing: room[...count]))
    }
  }
}
