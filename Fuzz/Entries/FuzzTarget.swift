// The fuzz targets. Each takes any bytes and reports a finding. A crash is a finding by itself; in addition, each
// target checks a property that holds for all bytes. No target keeps anything from one input to the next, so that an
// input shows its fault again by itself.

import HeddleProtocol

/// Something that must not be.
public struct Finding: Error {
  public let text: String
  init(_ text: String) { self.text = text }
}

/// The targets, by the names of their folders in `Fuzz/Corpora`.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// A stream of bytes, cut into frames.
  case frames
  /// Any message of the schema: pre-scan, unpack, pack.
  case messages
  /// Bytes of a few connections to a whole server in memory.
  case session
  /// Damaged files of a store that is opened.
  case store
  /// Page cursors.
  case cursor
  /// Files of Codex.
  case rollout
  /// Web tokens and the files of their keys.
  case jwt
  /// JSON texts.
  case json
  /// Bytes of a few connections to the gRPC door of a whole server in memory.
  case grpc
  /// The same to the HTTP door.
  case http
  /// Bytes before a door knows its peer: PROXY headers, the first message of TLS, headers of proxies.
  case doors

  /// Returns when everything is as it should be; the bytes themselves may be anything.
  public func run(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    switch self {
    case .frames: try FuzzedFrames.run(bytes)
    case .messages: try FuzzedMessages.run(bytes)
    case .session: try FuzzedSession.run(bytes, by: .frames)
    case .grpc: try FuzzedSession.run(bytes, by: .grpc)
    case .http: try FuzzedSession.run(bytes, by: .http)
    case .store: try FuzzedStore.run(bytes)
    case .cursor: try FuzzedCursors.run(bytes)
    case .rollout: try FuzzedRollouts.run(bytes)
    case .jwt: try FuzzedWebTokens.run(bytes)
    case .json: try FuzzedJSON.run(bytes)
    case .doors: try FuzzedDoors.run(bytes)
    }
  }

  public func run(_ bytes: [UInt8]) throws(Finding) {
    let outcome: Result<Void, Finding> = bytes.withUnsafeBytes { raw in
      do throws(Finding) { return .success(try run(raw)) } catch { return .failure(error) }
    }
    try outcome.get()
  }

  /// A change that knows the input's structure; nil: this target has none, or not for these bytes.
  public func mutated(
    _ input: [UInt8], maximumBytes: Int, seed: UInt64,
    change: @escaping (_ piece: [UInt8], _ maximumBytes: Int) -> [UInt8]
  ) -> [UInt8]? {
    var mutator = FrameMutator(seed: seed, maximumBytes: maximumBytes, change: change)
    return switch self {
    case .frames: mutator.stream(input)
    case .session: mutator.script(input)
    default: nil
    }
  }
}

/// Reads an input from its front. Bytes beyond its end read as zero.
struct InputReader {
  private var rest: Slice<UnsafeRawBufferPointer>

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

  var isEmpty: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// A little-endian number of `count` bytes.
  mutating func number(_ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(byte()) << (8 * $1) }
  }

  /// At most `count` bytes, fewer at the end.
  mutating func bytes(_ count: Int) -> [UInt8] {
    let piece = rest.prefix(count)
    rest = rest.dropFirst(piece.count)
    return Array(piece)
  }

  mutating func all() -> [UInt8] { bytes(rest.count) }
}

extension FuzzTarget {
  /// Names of the messages by the numbers that choose them.
  package static var messageNames: [Int: String] {
    Dictionary(
      MessageTypes.all.map { (FuzzedMessages.number($0), SchemaTable.messageName($0.schemaIndex) ?? "") },
      uniquingKeysWith: { first, _ in first })
  }

  /// An input of `session`, read and written.
  package static func rewritten(script: [UInt8]) -> [UInt8] {
    script.withUnsafeBytes { SessionScript($0) }.bytes
  }
}
