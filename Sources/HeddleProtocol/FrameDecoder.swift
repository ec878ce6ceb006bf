// Divides a stream of bytes into frames. Knows the format, the limits and nothing else: no I/O, no buffer of its own. It
// asks for a length before it waits for its bytes (attacks.md F1 to F20). The server, the client, a recording and a replay
// read with it; they differ in what a header may hold.

import HeddleCore

/// Limits of what a header holds.
public struct FrameRules: Equatable, Sendable {
  /// The largest length.
  public var maximumBytes: UInt32
  /// Flags that may be set, in a frame of the current version; nil: any flag and any version.
  private(set) var flags: UInt8?
  /// Unknown kinds are errors or skipped, and a kind that says something is not empty.
  private(set) var checksKind: Bool

  /// From a client, which has no use for the other two flags: messages are never cut, and only stored events are replayed.
  public static func fromClient(maximumBytes: UInt32) -> FrameRules {
    FrameRules(maximumBytes: maximumBytes, flags: FrameHeader.endOfStream, checksKind: true)
  }

  /// From a server. `moreFollows` is in the format, but version 1 has no message larger than a frame: long answers come in
  /// pages. The length is four times what a server sends: room for other configurations, none for noise.
  public static let fromServer = FrameRules(
    maximumBytes: 16 << 20, flags: FrameHeader.knownFlags & ~FrameHeader.moreFollows, checksKind: false)

  /// In a recording, which shows whatever was sent. The length is far above what a server takes, and low enough for one
  /// that lies.
  public static let recorded = FrameRules(maximumBytes: 64 << 20, flags: nil, checksKind: false)
}

/// Why bytes are not a frame that may come here.
public enum FrameFault: Error, Equatable, Sendable {
  /// Another first byte than a frame's.
  case foreign(UInt8)
  case version(UInt8)
  case tooLarge(UInt32)
  case unknownKind
  case flags(UInt8)
  /// More metadata than frame.
  case metadata
  case empty
}

/// State of one stream.
public struct FrameDecoder: Sendable {
  public enum Step: Equatable, Sendable {
    /// The bytes begin with this frame, whole.
    case frame(FrameHeader)
    /// The bytes begin with a frame of an unknown kind that is skipped: so many of them are of it.
    case skipped(Int)
    /// So many bytes are more of a frame that is skipped.
    case passed(Int)
    /// The bytes end inside a frame.
    case incomplete
    case fault(FrameFault)
  }

  public var rules: FrameRules
  /// Bytes of a skipped frame that are still to come.
  private var skipping = 0

  public init(_ rules: FrameRules) { self.rules = rules }

  /// The rest of a skipped frame is on its way.
  public var isSkipping: Bool { skipping > 0 }

  /// Looks at the front of the bytes that have come and were not taken yet. The caller takes the step's bytes away.
  public mutating func next(_ bytes: UnsafeRawBufferPointer) -> Step {
    guard let first = bytes.first else { return .incomplete }
    if skipping > 0 { return .passed(skip(skipping, of: bytes)) }
    guard first == FrameHeader.magic else { return .fault(.foreign(first)) }
    guard let header = FrameHeader(bytes) else { return .incomplete }
    if rules.flags != nil, header.version != FrameHeader.currentVersion { return .fault(.version(header.version)) }
    if header.length > rules.maximumBytes { return .fault(.tooLarge(header.length)) }
    if rules.checksKind, header.knownKind == nil {
      guard header.isSkippable else { return .fault(.unknownKind) }
      return .skipped(skip(header.frameByteCount, of: bytes))
    }
    if let flags = rules.flags, header.flags & ~flags != 0 { return .fault(.flags(header.flags)) }
    if UInt32(header.metadataLength) > header.length { return .fault(.metadata) }
    if rules.checksKind, header.length == 0, Self.needsPayload(header.knownKind) { return .fault(.empty) }
    return bytes.count < header.frameByteCount ? .incomplete : .frame(header)
  }

  private mutating func skip(_ wanted: Int, of bytes: UnsafeRawBufferPointer) -> Int {
    let count = min(wanted, bytes.count)
    skipping = wanted - count
    return count
  }

  /// An empty REQUEST or RESPONSE is a message without a field, which many methods take and some answers are; a frame of
  /// these kinds says something.
  private static func needsPayload(_ kind: FrameKind?) -> Bool {
    switch kind {
    case .hello, .credit, .event, .error: true
    case .unspecified, .request, .response, .cancel, .ping, .pong, .goaway, nil: false
    }
  }
}

extension FrameHeader {
  /// Bytes of the whole frame.
  public var frameByteCount: Int { Self.byteCount + Int(length) }
}
