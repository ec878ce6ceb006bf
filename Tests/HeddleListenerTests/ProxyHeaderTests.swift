// The PROXY protocol: valid headers of both versions, and each way in which one can be wrong (attacks.md T14, T15).

import Testing

@testable import HeddleListener

/// Headers of version 2 as a load balancer writes them.
enum BinaryHeader {
  static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
  static let four: [UInt8] = [192, 0, 2, 7, 10, 0, 0, 1, 0x04, 0xD2, 0x1C, 0xFC]
  static let six: [UInt8] =
    [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 0, count: 15) + [
      1, 0x04, 0xD2, 0x1C, 0xFC,
    ]

  static func value(_ type: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    [type, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
  }

  static func header(
    _ content: [UInt8], version: UInt8 = 0x21, family: UInt8 = 0x11, length: Int? = nil
  ) -> [UInt8] {
    let length = length ?? content.count
    return signature + [version, family, UInt8(length >> 8), UInt8(length & 0xFF)] + content
  }

  /// CRC-32C bit by bit.
  static func checksum(_ bytes: [UInt8]) -> [UInt8] {
    var crc = UInt32.max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
    }
    crc = ~crc
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: crc >> UInt32($0)) }
  }
}

@Suite struct ProxyHeaderTests {
  private func parse(_ bytes: [UInt8], types: [UInt8] = [0xE0]) -> ProxyHeader.Parsed {
    bytes.withUnsafeBytes { ProxyHeader.parse($0, identityTypes: types) }
  }

  private func parse(_ text: String) -> ProxyHeader.Parsed { parse(Array(text.utf8)) }

  @Test("A header of version 1 names the client's address")
  func text() {
    let line = "PROXY TCP4 192.0.2.7 10.0.0.1 1234 7420\r\n"
    let expected = ProxyHeader(command: .proxied, source: "192.0.2.7", sourcePort: 1_234)
    #expect(parse(line) == .header(expected, length: line.utf8.count))
    #expect(parse(line + "PROXY TCP4") == .header(expected, length: line.utf8.count))
    let six = "PROXY TCP6 2001:db8::7 ::1 1234 7420\r\n"
    #expect(
      parse(six)
        == .header(
          ProxyHeader(command: .proxied, source: "2001:db8::7", sourcePort: 1_234), length: six.utf8.count))
    #expect(parse("PROXY UNKNOWN\r\n") == .header(ProxyHeader(command: .local), length: 15))
    #expect(
      parse("PROXY UNKNOWN ffff::1 ::1 1 2\r\n") == .header(ProxyHeader(command: .local), length: 31))
    for count in 0..<line.utf8.count { #expect(parse(Array(line.utf8.prefix(count))) == .incomplete) }
  }

  @Test(
    "A line that is none of version 1 is malformed",
    arguments: [
      "PROXY TCP4 192.0.2.7 10.0.0.1 1234 7420\n", "PROXY TCP4 192.0.2.7 10.0.0.1 1234\r\n", "PROXY \r\n",
      "PROXY TCP4 192.0.2.7 10.0.0.1 1234 7420 9\r\n", "PROXY TCP4  192.0.2.7 10.0.0.1 1234 7420\r\n",
      "PROXY TCP4 192.0.2.256 10.0.0.1 1234 7420\r\n", "PROXY TCP4 2001:db8::7 10.0.0.1 1234 7420\r\n",
      "PROXY TCP4 192.0.2.7 10.0.0.1 65536 7420\r\n", "PROXY TCP4 192.0.2.7 10.0.0.1 -1 7420\r\n",
      "PROXY TCP4 192.0.2.7 10.0.0.1 01234 7420\r\n", "PROXY TCP5 192.0.2.7 10.0.0.1 1234 7420\r\n",
      "PROXY TCP4 192.0.2.7\u{0} 10.0.0.1 1234 7420\r\n", "PROXY UDP4 192.0.2.7 10.0.0.1 1234 7420\r\n",
    ])
  func malformedText(_ line: String) { #expect(parse(line) == .malformed) }

  @Test("A line of version 1 has 107 bytes at most")
  func longText() {
    let line = "PROXY UNKNOWN " + String(repeating: "x", count: 107 - 16) + "\r\n"
    #expect(parse(line) == .header(ProxyHeader(command: .local), length: 107))
    #expect(parse("PROXY UNKNOWN " + String(repeating: "x", count: 107 - 15) + "\r\n") == .malformed)
    #expect(parse("PROXY UNKNOWN " + String(repeating: "x", count: 106 - 14)) == .incomplete)
  }

  @Test("A header of version 2 names the client's address; cut at any byte it is incomplete")
  func binary() {
    for (family, addresses, source) in [
      (0x11, BinaryHeader.four, "192.0.2.7"), (0x21, BinaryHeader.six, "2001:db8::7"),
    ] as [(UInt8, [UInt8], String)] {
      let header = BinaryHeader.header(addresses + BinaryHeader.value(0x04, [1, 2, 3]), family: family)
      let expected = ProxyHeader(command: .proxied, source: source, sourcePort: 1_234)
      #expect(parse(header) == .header(expected, length: header.count))
      #expect(parse(header + [9, 9]) == .header(expected, length: header.count))
      for count in 0..<header.count { #expect(parse(Array(header.prefix(count))) == .incomplete) }
    }
    // An address of a Unix socket, and none: the client's address is not known.
    for (family, count) in [(0x31, 216), (0x00, 0)] as [(UInt8, Int)] {
      let header = BinaryHeader.header([UInt8](repeating: 0, count: count), family: family)
      #expect(parse(header) == .header(ProxyHeader(command: .proxied), length: header.count))
    }
  }

  @Test("LOCAL says nothing, whatever it carries")
  func local() {
    for content in [[], BinaryHeader.four, BinaryHeader.four + BinaryHeader.value(0xE0, [0x61])] as [[UInt8]] {
      let header = BinaryHeader.header(content, version: 0x20)
      #expect(parse(header) == .header(ProxyHeader(command: .local), length: header.count))
    }
  }

  @Test("Values of the configured types are kept, all others are skipped")
  func values() {
    let values = BinaryHeader.value(0xE0, [0x61]) + BinaryHeader.value(0xE1, [0x62]) + BinaryHeader.value(0xE0, [])
    let header = BinaryHeader.header(BinaryHeader.four + values)
    func identities(_ types: [UInt8]) -> [[UInt8]]? {
      guard case .header(let header, _) = parse(header, types: types) else { return nil }
      return header.identities
    }
    #expect(identities([0xE0]) == [[0x61], []])
    #expect(identities([0xE1, 0xE0]) == [[0x61], [0x62], []])
    #expect(identities([]) == [])
  }

  @Test("A header of version 2 with a wrong version, command, family or length is malformed")
  func malformedBinary() {
    let four = BinaryHeader.four
    for header in [
      BinaryHeader.header(four, version: 0x11), BinaryHeader.header(four, version: 0x31),
      BinaryHeader.header(four, version: 0x22), BinaryHeader.header(four, family: 0x12),
      BinaryHeader.header(four, family: 0x41), BinaryHeader.header(four, family: 0x13),
      BinaryHeader.header(four, family: 0x21), BinaryHeader.header(Array(four.dropLast())),
      BinaryHeader.header(four + [0xE0]), BinaryHeader.header(four + [0xE0, 0]),
      BinaryHeader.header(four + [0xE0, 0, 1]), BinaryHeader.header(four + [0xE0, 0xFF, 0xFF, 1]),
      BinaryHeader.header(four, length: 4_097), BinaryHeader.header(four, length: 65_535),
    ] {
      #expect(parse(header) == .malformed, "\(header)")
    }
    let longest = BinaryHeader.header(four + BinaryHeader.value(0x04, [UInt8](repeating: 0, count: 4_081)))
    #expect(longest.count == 16 + 4_096)
    #expect(
      parse(longest)
        == .header(
          ProxyHeader(command: .proxied, source: "192.0.2.7", sourcePort: 1_234), length: longest.count))
  }

  @Test("A checksum that is there must be right")
  func checksum() {
    var header = BinaryHeader.header(BinaryHeader.four + BinaryHeader.value(0x03, [0, 0, 0, 0]))
    let sum = BinaryHeader.checksum(header)
    header.replaceSubrange((header.count - 4)..., with: sum)
    #expect(
      parse(header)
        == .header(ProxyHeader(command: .proxied, source: "192.0.2.7", sourcePort: 1_234), length: header.count))
    for index in [16, header.count - 1] {
      var wrong = header
      wrong[index] ^= 1
      #expect(parse(wrong) == .malformed)
    }
    #expect(parse(BinaryHeader.header(BinaryHeader.four + BinaryHeader.value(0x03, [0, 0, 0]))) == .malformed)
  }

  @Test("Bytes of another protocol are no header")
  func absent() {
    for text in ["GET / HTTP/1.1", "PRI * HTTP/2.0", "PROXZ", "\u{16}\u{3}\u{1}"] { #expect(parse(text) == .absent) }
    #expect(parse(Array(BinaryHeader.signature.dropLast()) + [0]) == .absent)
    #expect(parse([]) == .incomplete)
  }
}
