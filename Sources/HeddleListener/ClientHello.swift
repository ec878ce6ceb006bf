// The first message of a TLS connection, as far as the protocols that the client names in it (RFC 8446, 4.1.2; RFC 7301).
// NIOSSL goes on without a protocol when none fits; a client that named only others has to hear so instead.

/// A cursor over a message of TLS; every read is checked.
private struct TLSReader {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  var isAtEnd: Bool { bytes.isEmpty }

  mutating func number(_ count: Int) -> Int? {
    take(count)?.reduce(0) { $0 << 8 | Int($1) }
  }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= bytes.count else { return nil }
    defer { bytes = bytes.dropFirst(count) }
    return bytes.prefix(count)
  }

  /// Bytes behind their length, which has `width` bytes.
  mutating func vector(_ width: Int) -> ArraySlice<UInt8>? { number(width).flatMap { take($0) } }
}

package enum ClientHello {
  package enum Scan: Equatable {
    /// More bytes are needed.
    case incomplete
    /// The bytes are no TLS at all.
    case absent
    /// The message ends here, or it cannot be read; then TLS itself says so. Nil: it names no protocols.
    case complete(protocols: [[UInt8]]?)
  }

  /// A message is at most this long; the library refuses a longer one as well.
  private static let maximumBytes = 16_384
  /// With its records. One that is cut into tiny records is not looked through again and again.
  private static let maximumInputBytes = 32_768
  private static let handshakeRecord: UInt8 = 22
  private static let alpn = 16

  /// Looks at the first bytes of a connection.
  package static func scan(_ bytes: some Collection<UInt8>) -> Scan {
    guard let first = bytes.first else { return .incomplete }
    guard first == handshakeRecord else { return .absent }
    let incomplete = bytes.count < maximumInputBytes ? Scan.incomplete : .complete(protocols: nil)
    var rest = TLSReader(Array(bytes)[...])
    var message: [UInt8] = []
    // A message may be cut into several records.
    while !rest.isAtEnd {
      guard let type = rest.number(1), let major = rest.number(1), rest.number(1) != nil, let length = rest.number(2)
      else { return incomplete }
      guard type == Int(handshakeRecord), major == 3, (1...maximumBytes).contains(length) else {
        return .complete(protocols: nil)
      }
      guard let fragment = rest.take(length) else { return incomplete }
      message += fragment
      guard message.count >= 4 else { continue }
      let total = message[1...3].reduce(0) { $0 << 8 | Int($1) }
      guard message[0] == 1, total <= maximumBytes else { return .complete(protocols: nil) }
      if message.count >= 4 + total { return .complete(protocols: protocols(message[4..<(4 + total)])) }
    }
    return incomplete
  }

  private static func protocols(_ body: ArraySlice<UInt8>) -> [[UInt8]]? {
    var reader = TLSReader(body)
    // Version and random; session id, cipher suites, compression methods.
    guard reader.take(34) != nil, reader.vector(1) != nil, reader.vector(2) != nil, reader.vector(1) != nil,
      let extensions = reader.vector(2)
    else { return nil }
    reader = TLSReader(extensions)
    while !reader.isAtEnd {
      guard let type = reader.number(2), let content = reader.vector(2) else { return nil }
      if type == alpn { return names(content) }
    }
    return nil
  }

  private static func names(_ content: ArraySlice<UInt8>) -> [[UInt8]]? {
    var reader = TLSReader(content)
    guard let list = reader.vector(2) else { return nil }
    reader = TLSReader(list)
    var names: [[UInt8]] = []
    while !reader.isAtEnd {
      guard let name = reader.vector(1) else { return nil }
      names.append(Array(name))
    }
    return names
  }
}
