// The 16 bytes in front of every frame (protocol.md, "Frame"). Big-endian, every frame alike, no state between frames:
//
//   offset  size  field
//   0       1     magic            0xFA: never the first byte of UTF-8 text, HTTP, TLS or PROXY
//   1       1     kind             FrameKind; unknown kinds with the top bit set are skipped, others are an error
//   2       2     method           a value of `Method` on requests and their answers; 0 elsewhere
//   4       4     stream           which call; 0 = the connection itself; client calls odd and rising, server calls even
//   8       1     version          1
//   9       2     metadata length  bytes of the `Metadata` message in front of the message; mostly 0
//   11      1     flags            0x02 end of stream, 0x04 more of this message follows, 0x80 replayed event
//   12      4     length           bytes after the header, metadata included
//
// A header knows nothing of what its fields may be: it is read as it stands, and whoever owns the connection checks it.

import HeddleCore

public struct FrameHeader: Equatable, Sendable {
  public static let byteCount = 16
  /// From here on, with flags of 0, header and message are a message of gRPC with its prefix.
  public static let flagsOffset = 11
  public static let magic: UInt8 = 0xFA
  /// The one version that there is.
  public static let currentVersion: UInt8 = 1

  /// Flag: no frame of the sender follows on this stream.
  public static let endOfStream: UInt8 = 0x02
  /// Flag: the message goes on in the next frame of this stream.
  public static let moreFollows: UInt8 = 0x04
  /// Flag: the event was stored before the subscription began.
  public static let replayed: UInt8 = 0x80
  /// Every flag that has a meaning; a frame with any other is an error.
  public static let knownFlags: UInt8 = endOfStream | moreFollows | replayed

  /// Raw, see `FrameKind`.
  public var kind: UInt8
  /// Raw, see `Method`.
  public var method: UInt16
  public var stream: UInt32
  public var version: UInt8
  public var metadataLength: UInt16
  public var flags: UInt8
  /// Bytes that follow: metadata and message.
  public var length: UInt32

  public init(
    kind: UInt8, method: UInt16 = 0, stream: UInt32 = 0, version: UInt8 = FrameHeader.currentVersion,
    metadataLength: UInt16 = 0, flags: UInt8 = 0, length: UInt32 = 0
  ) {
    self.kind = kind
    self.method = method
    self.stream = stream
    self.version = version
    self.metadataLength = metadataLength
    self.flags = flags
    self.length = length
  }

  public init(
    _ kind: FrameKind, method: UInt16 = 0, stream: UInt32 = 0, metadataLength: UInt16 = 0, flags: UInt8 = 0,
    length: UInt32 = 0
  ) {
    self.init(
      kind: UInt8(truncatingIfNeeded: kind.rawValue), method: method, stream: stream, metadataLength: metadataLength,
      flags: flags, length: length)
  }

  /// The kind by name; nil for one that the schema does not have. `isSkippable` says what an unknown one means.
  public var knownKind: FrameKind? { kind == 0 ? nil : FrameKind(rawValue: Int32(kind)) }

  /// An unknown kind is skipped when its top bit is set, and an error otherwise.
  public var isSkippable: Bool { kind & 0x80 != 0 }

  /// Reads the first 16 bytes; nil when they do not begin with the magic byte, or when there are fewer. Whether kind,
  /// version, flags and lengths are acceptable is the reader's decision, which differs for the two sides.
  @inlinable
  public init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.byteCount, bytes[0] == Self.magic else { return nil }
    kind = bytes[1]
    method = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    stream = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    version = bytes[8]
    metadataLength = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 9, as: UInt16.self))
    flags = bytes[11]
    length = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
  }

  /// Writes 16 bytes to `out`, which must have room for them.
  @inlinable
  public func write(to out: UnsafeMutableRawPointer) {
    out.storeBytes(of: Self.magic, as: UInt8.self)
    out.storeBytes(of: kind, toByteOffset: 1, as: UInt8.self)
    out.storeBytes(of: method.bigEndian, toByteOffset: 2, as: UInt16.self)
    out.storeBytes(of: stream.bigEndian, toByteOffset: 4, as: UInt32.self)
    out.storeBytes(of: version, toByteOffset: 8, as: UInt8.self)
    out.storeBytes(of: metadataLength.bigEndian, toByteOffset: 9, as: UInt16.self)
    out.storeBytes(of: flags, toByteOffset: 11, as: UInt8.self)
    out.storeBytes(of: length.bigEndian, toByteOffset: 12, as: UInt32.self)
  }

  /// Appends the 16 bytes. Not another `write(to:)`: Swift would take `&array` for a pointer to the array's elements.
  public func append(to out: inout some ByteSink) {
    withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 8) { room in
      guard let base = room.baseAddress else { return }
      write(to: base)
      out.append(UnsafeRawBufferPointer(room))
    }
  }
}
