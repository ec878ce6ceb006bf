// Takes the frames of a WebSocket (RFC 6455) apart as their bytes come. The bytes of binary messages are one stream, so none
// waits for the end of its message: a client that sends half a message holds no memory, and every time limit of the frame
// door sees each byte. That is why this is not NIOWebSocket's decoder, which hands on whole frames only.

import NIOCore

struct WebSocketReader {
  enum Part: Equatable {
    /// Bytes of the stream.
    case data(ByteBuffer)
    case ping([UInt8])
    case pong
    /// The peer closes, with this code if it gave one.
    case close(UInt16?)
    /// A frame of a message that brings nothing.
    case empty
    case incomplete
    /// The connection ends with this status code.
    case fault(Fault)
  }

  /// Status codes of RFC 6455, section 7.4.1.
  enum Fault: UInt16 {
    case protocolError = 1_002
    case textIsNotTaken = 1_003
    case enhanceYourCalm = 1_008
  }

  private static let controlBytes = 125

  /// Bytes of the data frame at hand that have not come yet.
  private var remaining = 0
  private var key: [UInt8] = [0, 0, 0, 0]
  /// The position in the key of the next byte.
  private var keyIndex = 0
  /// A message has begun whose last frame has not come.
  private var isInsideMessage = false

  /// Takes the next part off `input`.
  mutating func next(_ input: inout ByteBuffer) -> Part {
    if remaining > 0 {
      guard input.readableBytes > 0 else { return .incomplete }
      return .data(take(min(remaining, input.readableBytes), &input))
    }
    guard let first = input.getInteger(at: input.readerIndex, as: UInt8.self),
      let second = input.getInteger(at: input.readerIndex + 1, as: UInt8.self)
    else { return .incomplete }
    let (isLast, code) = (first & 0x80 != 0, first & 0x0F)
    // No extension was agreed on, and clients mask what they send.
    guard first & 0x70 == 0, second & 0x80 != 0 else { return .fault(.protocolError) }
    let isControl = code & 0x08 != 0
    if isControl, !isLast || second & 0x7F > Self.controlBytes { return .fault(.protocolError) }
    var head = input
    head.moveReaderIndex(forwardBy: 2)
    let length: Int
    switch second & 0x7F {
    case 126:
      guard let long = head.readInteger(as: UInt16.self) else { return .incomplete }
      length = Int(long)
    case 127:
      guard let long = head.readInteger(as: UInt64.self) else { return .incomplete }
      guard let fitting = Int(exactly: long) else { return .fault(.protocolError) }
      length = fitting
    case let short: length = Int(short)
    }
    guard let key = head.readBytes(length: 4) else { return .incomplete }
    if isControl, head.readableBytes < length { return .incomplete }
    input = head
    (self.key, keyIndex, remaining) = (key, 0, length)
    return isControl ? control(code, &input) : data(code, isLast, &input)
  }

  /// A frame of a message, as far as it has come.
  private mutating func data(_ code: UInt8, _ isLast: Bool, _ input: inout ByteBuffer) -> Part {
    switch code {
    case 0 where isInsideMessage, 2 where !isInsideMessage: isInsideMessage = !isLast
    case 1: return .fault(.textIsNotTaken)
    default: return .fault(.protocolError)
    }
    guard remaining > 0 else { return .empty }
    guard input.readableBytes > 0 else { return .incomplete }
    return .data(take(min(remaining, input.readableBytes), &input))
  }

  private mutating func control(_ code: UInt8, _ input: inout ByteBuffer) -> Part {
    var bytes = take(remaining, &input)
    switch code {
    case 0x8:
      guard bytes.readableBytes != 1 else { return .fault(.protocolError) }
      return .close(bytes.readInteger())
    case 0x9: return .ping(Array(bytes.readableBytesView))
    case 0xA: return .pong
    default: return .fault(.protocolError)
    }
  }

  private mutating func take(_ count: Int, _ input: inout ByteBuffer) -> ByteBuffer {
    let (key, start) = (key, keyIndex)
    // Before the slice is taken: afterwards it would be a copy.
    input.withUnsafeMutableReadableBytes { bytes in
      for index in 0..<min(count, bytes.count) { bytes[index] ^= key[(start + index) & 3] }
    }
    remaining -= count
    keyIndex = (start + count) & 3
    return input.readSlice(length: count) ?? ByteBuffer()
  }
}

/// Heads of the frames that a server sends: they have no key.
enum WebSocketWriter {
  enum Code: UInt8 {
    case binary = 2
    case close = 8
    case pong = 10
  }

  static func head(_ code: Code, length: Int, to out: inout ByteBuffer) {
    out.writeInteger(0x80 | code.rawValue)
    if length < 126 {
      out.writeInteger(UInt8(truncatingIfNeeded: length))
    } else if let short = UInt16(exactly: length) {
      out.writeInteger(UInt8(126))
      out.writeInteger(short)
    } else {
      out.writeInteger(UInt8(127))
      out.writeInteger(UInt64(length))
    }
  }
}
