// Frames on their way out: one buffer for everything that is answered in one go, and one write for it.

import HeddleProtocol
import NIOCore

struct SendBuffer {
  private(set) var bytes = ByteBuffer()
  private var lastWriteBytes = 256
  /// Bytes handed to the socket so far.
  private(set) var queuedBytes = 0

  var count: Int { bytes.readableBytes }

  /// Appends a frame with this message.
  mutating func append(_ header: FrameHeader, _ message: some WireWritable, _ codec: inout Codec) {
    makeRoom()
    codec.encode(message, behind: header, into: &bytes)
  }

  /// Appends a frame whose payload `write` appends; the header's length is filled in.
  mutating func append(_ header: FrameHeader, _ write: (inout ByteBuffer) -> Void) {
    makeRoom()
    let at = bytes.writerIndex
    bytes.writeRepeatingByte(0, count: FrameHeader.byteCount)
    write(&bytes)
    var header = header
    header.length = UInt32(clamping: bytes.writerIndex - at - FrameHeader.byteCount)
    let offset = at - bytes.readerIndex
    bytes.withUnsafeMutableReadableBytes { bytes in
      if let base = bytes.baseAddress { header.write(to: base + offset) }
    }
  }

  /// Appends bytes that are no frame.
  mutating func append(text: String) { bytes.writeString(text) }

  /// Takes everything that is queued; nil: there is nothing.
  mutating func take() -> ByteBuffer? {
    guard bytes.readableBytes > 0 else { return nil }
    let taken = bytes
    bytes = ByteBuffer()
    lastWriteBytes = min(max(256, taken.readableBytes), 64 * 1024)
    queuedBytes += taken.readableBytes
    return taken
  }

  /// A connection that has nothing to say has no buffer; one that speaks gets at once what it needed the last time.
  private mutating func makeRoom() {
    guard bytes.capacity == 0 else { return }
    bytes.reserveCapacity(lastWriteBytes)
  }
}
