// Where encoded bytes go: an array, or a socket's buffer.

public protocol ByteSink {
  mutating func append(_ bytes: UnsafeRawBufferPointer)
}

extension [UInt8]: ByteSink {
  public mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if isEmpty { self = [UInt8](bytes) } else { append(contentsOf: bytes) }
  }
}
