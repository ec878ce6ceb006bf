import Testing

@testable import HeddleStorage

@Suite struct ChecksumTests {
  @Test("CRC32C is the published one, however the bytes are cut")
  func checksum() {
    let text = Array("123456789".utf8)
    for cut in 0...9 {
      var crc = CRC32C()
      text[..<cut].withUnsafeBytes { crc.add($0) }
      text[cut...].withUnsafeBytes { crc.add($0) }
      #expect(crc.value == 0xE306_9283)
    }
    // RFC 3720, B.4: 32 bytes of zeroes.
    var zeroes = CRC32C()
    for _ in 0..<4 { zeroes.add(0 as UInt64) }
    #expect(zeroes.value == 0x8A91_36AA)
  }
}
