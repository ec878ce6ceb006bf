// The cursor over wire bytes: nothing beyond the end, nothing cut silently.

import Testing

@testable import HeddleProtocol

@Suite struct WireReaderTests {
  private func read<T>(_ bytes: [UInt8], _ body: (inout WireReader) -> T) -> T {
    bytes.withUnsafeBytes { raw in
      var reader = WireReader(raw)
      return body(&reader)
    }
  }

  @Test(arguments: [0, 1, 127, 128, 300, 1 << 32, UInt64.max])
  func aNumberThatWasWrittenIsRead(_ value: UInt64) {
    var bytes = [UInt8]()
    bytes.appendVarint(value)
    #expect(read(bytes) { [$0.varint(), $0.varint()] } == [value, nil])
    #expect(read(bytes.dropLast() + []) { $0.varint() } == nil)
  }

  @Test("attacks.md P5: a tenth byte has room for one bit, an eleventh does not exist")
  func longNumbers() {
    let nine = [UInt8](repeating: 0xFF, count: 9)
    #expect(read(nine + [0x01]) { $0.varint() } == .max)
    #expect(read(nine + [0x02]) { $0.varint() } == nil)
    #expect(read(nine + [0x81, 0x00]) { $0.varint() } == nil)
  }

  @Test func aTagHasFiveBytesAndAFieldNumber() {
    #expect(read([0x0A]) { $0.tag().map { [$0.number, UInt64($0.wire)] } } == [1, 2])
    #expect(read([0x02]) { $0.tag() == nil })
    #expect(
      read([0xF8, 0xFF, 0xFF, 0xFF, 0x0F]) { $0.tag().map { [$0.number, UInt64($0.wire)] } } == [(1 << 29) - 1, 0])
    #expect(read([0xF8, 0xFF, 0xFF, 0xFF, 0x1F]) { $0.tag() == nil })
    #expect(read([0x88, 0x80, 0x80, 0x80, 0x80, 0x00]) { $0.tag() == nil })
  }

  @Test func aBlockEndsWithinItsMessage() {
    #expect(read([2, 9, 9, 9]) { $0.block() } == 1..<3)
    #expect(read([3, 9, 9]) { $0.block() } == nil)
    #expect(read([0]) { $0.block() } == 1..<1)
    #expect(read([0xFF, 0xFF, 0xFF, 0xFF, 0x7F]) { $0.block() } == nil)
  }

  @Test func valuesOfEachWireTypeAreSteppedOver() {
    let values: [(UInt8, [UInt8])] = [
      (0, [0x80, 0x01]), (1, [UInt8](repeating: 1, count: 8)), (2, [1, 9]), (5, [1, 2, 3, 4]),
    ]
    for (wire, bytes) in values {
      #expect(read(bytes) { $0.skip(wire) && $0.isAtEnd })
      #expect(!read(bytes.dropLast() + []) { $0.skip(wire) })
    }
    for wire: UInt8 in [3, 4, 6, 7] { #expect(!read([0, 0, 0, 0, 0, 0, 0, 0]) { $0.skip(wire) }) }
    #expect(read([1, 0, 0, 0, 9]) { $0.fixed(UInt32.self) } == 1)
    #expect(read([1, 0, 0]) { $0.fixed(UInt32.self) } == nil)
  }
}
