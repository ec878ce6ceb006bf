// A piece of a connection (Tap.W2) as frames.

import HeddleProtocol
import NIOCore

/// Cuts pieces into frames.
enum TapFrames {
  /// Calls `body` with each whole frame, and gives how many bytes of a skipped one are still to come.
  static func each(
    _ bytes: UnsafeRawBufferPointer, skipping: Int = 0, _ body: (FrameHeader, UnsafeRawBufferPointer) -> Void
  ) -> Int {
    var at = skipping
    while at < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[at...])
      // Other bytes, such as the answer to HTTP, do not belong into a recording.
      guard rest.first == FrameHeader.magic, rest.count >= FrameHeader.byteCount, let header = FrameHeader(rest),
        UInt32(header.metadataLength) <= header.length
      else { return 0 }
      let end = FrameHeader.byteCount + Int(header.length)
      if end <= rest.count { body(header, UnsafeRawBufferPointer(rebasing: rest[FrameHeader.byteCount..<end])) }
      at += end
    }
    return at - bytes.count
  }

  static func count(_ bytes: ByteBufferView) -> Int {
    var count = 0
    _ = bytes.withUnsafeBytes { each($0) { _, _ in count += 1 } }
    return count
  }
}
