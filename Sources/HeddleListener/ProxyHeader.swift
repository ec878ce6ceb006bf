// The PROXY protocol, versions 1 and 2 (haproxy's proxy-protocol.txt): a load balancer says before the first byte of a
// connection whose it is. A value: bytes in, a header or the reason why there is none out.
//
// Proxy.H1  Nothing is read beyond the header's own bytes: what follows belongs to TLS or to the door.
// Proxy.H2  Every length is checked before it is used, and the whole header is bounded: 107 bytes for version 1, 16 + 4,096
//           for version 2.

import CCRC32C

/// The content of a PROXY header.
package struct ProxyHeader: Equatable, Sendable {
  package enum Command: Equatable, Sendable {
    /// The proxy itself connects, to look whether the server is alive: the socket's own address counts.
    case local
    /// The connection is of somebody behind the proxy.
    case proxied
  }

  package var command: Command
  /// The client's address as the proxy saw it, without a port; nil: the proxy does not know it, or it has none.
  package var source: String?
  package var sourcePort: UInt16?
  /// The value of each TLV whose type was asked for.
  package var identities: [[UInt8]] = []

  /// How far the bytes at hand tell.
  package enum Parsed: Equatable, Sendable {
    /// More bytes are needed.
    case incomplete
    /// The bytes do not begin like a PROXY header.
    case absent
    /// A header of this many bytes.
    case header(ProxyHeader, length: Int)
    /// It begins like one and is none.
    case malformed
  }

  static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
  static let maximumTextBytes = 107
  static let maximumBinaryBytes = 4_096

  /// Reads a header at the beginning of `bytes`. `identityTypes`: types of TLVs whose values are kept.
  package static func parse(_ bytes: UnsafeRawBufferPointer, identityTypes: [UInt8]) -> Parsed {
    guard let first = bytes.first else { return .incomplete }
    if first == signature[0] { return parseBinary(bytes, identityTypes) }
    return first == UInt8(ascii: "P") ? parseText(bytes) : .absent
  }

  // MARK: Version 1

  private static func parseText(_ bytes: UnsafeRawBufferPointer) -> Parsed {
    let prefix = Array("PROXY ".utf8)
    let shared = min(prefix.count, bytes.count)
    guard bytes.prefix(shared).elementsEqual(prefix.prefix(shared)) else { return .absent }
    let window = bytes.prefix(maximumTextBytes)
    guard let end = window.firstIndex(of: UInt8(ascii: "\n")) else {
      return bytes.count < maximumTextBytes ? .incomplete : .malformed
    }
    guard end > prefix.count, bytes[end - 1] == UInt8(ascii: "\r") else { return .malformed }
    let line = bytes[prefix.count..<(end - 1)]
    guard line.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return .malformed }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    let length = end + 1
    // UNKNOWN may be followed by anything, which says nothing.
    if words.first == "UNKNOWN" { return .header(ProxyHeader(command: .local), length: length) }
    guard words.count == 5, words[0] == "TCP4" || words[0] == "TCP6" else { return .malformed }
    let isFour = words[0] == "TCP4"
    guard let source = IPAddress(String(words[1])), let target = IPAddress(String(words[2])), source.isFour == isFour,
      target.isFour == isFour, let port = Self.port(words[3]), Self.port(words[4]) != nil
    else { return .malformed }
    return .header(
      ProxyHeader(command: .proxied, source: source.description, sourcePort: port), length: length)
  }

  /// Decimal digits without a sign or leading zeros.
  private static func port(_ text: Substring) -> UInt16? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), text == "0" || text.first != "0" else {
      return nil
    }
    return UInt16(text)
  }

  // MARK: Version 2

  private static func parseBinary(_ bytes: UnsafeRawBufferPointer, _ identityTypes: [UInt8]) -> Parsed {
    let shared = min(signature.count, bytes.count)
    guard bytes.prefix(shared).elementsEqual(signature.prefix(shared)) else { return .absent }
    guard bytes.count >= 16 else { return .incomplete }
    let version = bytes[12] >> 4
    guard version == 2 else { return .malformed }
    let length = Int(bytes[14]) << 8 | Int(bytes[15])
    guard length <= maximumBinaryBytes else { return .malformed }
    let command: Command
    switch bytes[12] & 0x0F {
    case 0: command = .local
    case 1: command = .proxied
    default: return .malformed
    }
    guard bytes.count >= 16 + length else { return .incomplete }
    let header = UnsafeRawBufferPointer(rebasing: bytes[..<(16 + length)])
    return binary(header, command, family: bytes[13], identityTypes)
  }

  /// The bytes of the addresses of each family and transport; nil: there is no such one.
  private static func addressBytes(_ family: UInt8) -> Int? {
    switch family {
    case 0x00: 0
    case 0x11, 0x12: 12
    case 0x21, 0x22: 36
    case 0x31, 0x32: 216
    default: nil
    }
  }

  private static func binary(
    _ header: UnsafeRawBufferPointer, _ command: Command, family: UInt8, _ identityTypes: [UInt8]
  ) -> Parsed {
    var result = ProxyHeader(command: command)
    // A LOCAL header says nothing, whatever its family; only its bytes are skipped.
    guard command == .proxied else { return .header(result, length: header.count) }
    guard let addresses = addressBytes(family), header.count >= 16 + addresses else { return .malformed }
    switch family {
    case 0x11:
      result.source = IPAddress(four: header[16..<20]).description
      result.sourcePort = UInt16(header[24]) << 8 | UInt16(header[25])
    case 0x21:
      result.source = IPAddress(six: header[16..<32]).description
      result.sourcePort = UInt16(header[48]) << 8 | UInt16(header[49])
    case 0x00, 0x31: break
    // Datagrams do not come by a stream.
    default: return .malformed
    }
    guard result.readValues(header, from: 16 + addresses, identityTypes) else { return .malformed }
    return .header(result, length: header.count)
  }

  private static let checksumType: UInt8 = 0x03

  /// The TLVs behind the addresses. False: one ends beyond the header, or the checksum is wrong.
  private mutating func readValues(
    _ header: UnsafeRawBufferPointer, from start: Int, _ identityTypes: [UInt8]
  ) -> Bool {
    var position = start
    while position < header.count {
      guard header.count - position >= 3 else { return false }
      let type = header[position]
      let length = Int(header[position + 1]) << 8 | Int(header[position + 2])
      position += 3
      guard header.count - position >= length else { return false }
      let value = header[position..<(position + length)]
      if type == Self.checksumType {
        guard length == 4, Self.checksum(header, at: position) == value.reduce(0, { $0 << 8 | UInt32($1) }) else {
          return false
        }
      }
      if identityTypes.contains(type) { identities.append(Array(value)) }
      position += length
    }
    return true
  }

  /// CRC32C over the whole header, the four bytes of the checksum taken as zero.
  private static func checksum(_ header: UnsafeRawBufferPointer, at position: Int) -> UInt32 {
    var copy = Array(header)
    for index in position..<(position + 4) { copy[index] = 0 }
    return heddle_crc32c(0, copy, copy.count)
  }
}
