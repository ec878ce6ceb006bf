// The rows P1 to P20 of attacks.md, each invalid case beside a valid one. What the server answers for a DecodeError is
// tested with the server; here it is which error, and that nothing traps.

import HeddleCore
import Testing

@testable import HeddleProtocol

@Suite struct PreScanTests {
  private let thread = Wire.block(1, [UInt8](repeating: 7, count: 16))

  private func decode<M: WireMessage>(
    _ type: M.Type, _ bytes: [UInt8], limits: DecodeLimits = DecodeLimits()
  ) throws(DecodeError) -> M {
    var codec = Codec(limits: limits)
    return try codec.decode(type, bytes)
  }

  /// Decodes a StartTurnRequest whose thread is set and whose other fields are `bytes`.
  private func start(_ bytes: [UInt8]) throws(DecodeError) -> StartTurnRequest {
    try decode(StartTurnRequest.self, thread + bytes)
  }

  private func refuses(
    _ expected: DecodeError, _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(throws: expected, sourceLocation: sourceLocation) { try start(bytes) }
  }

  @Test func p1GroupWireTypes3And4AreMalformed() throws {
    for type in [3, 4] as [UInt64] {
      refuses(.malformed, Wire.tag(5, type))
      refuses(.malformed, Wire.tag(100, type))
    }
    #expect(try start(Wire.text(5, "{}")).outputSchema == "{}")
  }

  @Test func p2WireTypes6And7AreMalformed() throws {
    for type in [6, 7] as [UInt64] {
      refuses(.malformed, Wire.tag(5, type) + [0])
      refuses(.malformed, Wire.tag(100, type) + [0])
    }
    for known in [
      Wire.tag(100, 0) + [0], Wire.tag(100, 1) + [0, 0, 0, 0, 0, 0, 0, 0], Wire.tag(100, 5) + [0, 0, 0, 0],
    ] {
      #expect(try start(known) == start([]))
    }
  }

  @Test func p3FieldNumber0AndTagsFrom2To29AreMalformed() throws {
    refuses(.malformed, Wire.number(0, 1))
    refuses(.malformed, Wire.number(1 << 29, 1))
    refuses(.malformed, [0xF8, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 1])
    #expect(try start(Wire.number((1 << 29) - 1, 1)) == start([]))
  }

  @Test func p4AnElevenByteVarintATruncatedVarintAndATruncatedTagAreMalformed() throws {
    let tag = Wire.tag(4, 0)
    refuses(.malformed, tag + [UInt8](repeating: 0x80, count: 10) + [0])
    refuses(.malformed, tag + [0x80])
    refuses(.malformed, tag)
    refuses(.malformed, [0x80])
    #expect(try start(tag + [2]).whenBusy == .refuse)
  }

  @Test func p5ATenByteVarintWithBitsOver64IsMalformed() throws {
    let nine = [UInt8](repeating: 0xFF, count: 9)
    #expect(throws: DecodeError.malformed) { try decode(Event.self, Wire.tag(1, 0) + nine + [0x02]) }
    #expect(throws: DecodeError.malformed) { try decode(Event.self, Wire.tag(1, 0) + nine + [0x7F]) }
    #expect(try decode(Event.self, Wire.tag(1, 0) + nine + [0x01]).sequence == .max)
  }

  @Test func p6AnOverlongButValidVarintIsAcceptedAndHasTheSameCanonicalBytes() throws {
    let long = try start(Wire.tag(4, 0) + [0x81, 0x80, 0x80, 0x00])
    let short = try start(Wire.number(4, 1))
    #expect(long == short)
    var codec = Codec()
    #expect(codec.encode(long) == codec.encode(short))
  }

  @Test func p7AnInnerLengthPastTheEndIsMalformed() throws {
    refuses(.malformed, Wire.tag(5, 2) + [3, 0x61, 0x62])
    for length in [1 << 31, 1 << 63] as [UInt64] {
      refuses(.malformed, Wire.tag(5, 2) + Wire.varint(length) + [0x61])
      refuses(.malformed, Wire.tag(100, 2) + Wire.varint(length) + [0x61])
    }
    // Within the frame, but beyond the message around it.
    refuses(.malformed, Wire.tag(2, 2) + [2] + Wire.tag(2, 2) + [1] + Array("a".utf8))
    #expect(try start(Wire.tag(5, 2) + [2, 0x61, 0x62]).outputSchema == "ab")
  }

  @Test func p8AKnownFieldWithTheWrongWireTypeIsMalformed() throws {
    refuses(.malformed, Wire.number(5, 1))
    refuses(.malformed, Wire.block(4, [1]))
    refuses(.malformed, Wire.tag(2, 5) + [0, 0, 0, 0])
    #expect(throws: DecodeError.malformed) { try decode(Settings.self, Wire.number(11, 1)) }
    #expect(try decode(Settings.self, Wire.tag(11, 5) + [0, 0, 0x80, 0x3F]).temperature == 1)
  }

  @Test(
    arguments: [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
      [0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0x61, 0xC3],
    ] as [[UInt8]])
  func p9InvalidUTF8InAStringIsRefusedWithItsField(_ text: [UInt8]) throws {
    refuses(.invalidUTF8(field: "output_schema"), Wire.block(5, text))
    #expect(try start(Wire.text(5, "aé€😀\u{10FFFF}")).outputSchema == "aé€😀\u{10FFFF}")
  }

  @Test func p9TheFirstAndLastCharacterOfEachLengthAreText() throws {
    let ends =
      "\u{1}\u{7F}\u{80}\u{7FF}\u{800}\u{FFF}\u{1000}\u{CFFF}\u{D000}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{10FFFF}"
    #expect(try start(Wire.text(5, ends)).outputSchema == ends)
    refuses(.invalidUTF8(field: "output_schema"), Wire.block(5, [0xE0, 0x9F, 0xBF]))
    refuses(.invalidUTF8(field: "output_schema"), Wire.block(5, [0xE0, 0xA0, 0x20]))
    refuses(.invalidUTF8(field: "output_schema"), Wire.block(5, [0xED, 0x9F, 0x20]))
  }

  @Test func aFixedNumberThatIsCutIsMalformed() throws {
    #expect(throws: DecodeError.malformed) { try decode(Settings.self, Wire.tag(11, 5) + [0, 0, 0x80]) }
    refuses(.malformed, Wire.tag(100, 1) + [0, 0, 0, 0, 0, 0, 0])
    #expect(try start(Wire.tag(100, 1) + [0, 0, 0, 0, 0, 0, 0, 0]) == start([]))
  }

  @Test func p10ANULInsideAStringIsRefusedWithItsField() throws {
    refuses(.embeddedNUL(field: "output_schema"), Wire.text(5, "a\0b"))
    refuses(.embeddedNUL(field: "output_schema"), Wire.text(5, "12345678\u{0}"))
    refuses(.embeddedNUL(field: "output_schema"), Wire.text(5, "1234\u{0}678"))
    #expect(try start(Wire.text(5, "a\u{1}b")).outputSchema == "a\u{1}b")
  }

  @Test func p11OfASingularFieldTwiceTheLastWins() throws {
    #expect(try start(Wire.text(5, "first") + Wire.text(5, "last")).outputSchema == "last")
    #expect(try start(Wire.number(4, 1) + Wire.number(4, 2)).whenBusy == .refuse)
  }

  @Test func p12ASingularSubmessageTwiceIsMerged() throws {
    let one = Wire.block(2, Wire.block(1, Wire.text(1, "a")) + Wire.text(2, "kept"))
    let two = Wire.block(2, Wire.block(1, Wire.text(1, "b")))
    let expected = TurnInput(
      content: [ContentPart(part: .text("a")), ContentPart(part: .text("b"))], clientId: "kept")
    #expect(try start(one + two).input == expected)
  }

  @Test func p12ASubmessageRepeatedBeyondTheLimitIsRefusedBeforeItIsMerged() throws {
    let one = Wire.block(2, Wire.text(2, "x"))
    refuses(.budget, Array(repeatElement(one, count: 9).joined()))
    #expect(try start(Array(repeatElement(one, count: 8).joined())).input?.clientId == "x")
  }

  @Test func p13OfAOneofSetTwiceTheLastWins() throws {
    let text = Wire.text(1, "t")
    let other = Wire.text(1, "u")
    let image = Wire.block(2, Wire.text(1, "url"))
    #expect(try decode(ContentPart.self, text + other).part == .text("u"))
    #expect(try decode(ContentPart.self, text + image).part == .image(ImagePart(url: "url")))
    #expect(try decode(ContentPart.self, image + text).part == .text("t"))
  }

  @Test func p14AOneofThatIsNotSetOrHasAMemberFromTheFutureIsNotTakenForAnother() throws {
    #expect(try decode(Event.self, Wire.number(1, 5)).kind == nil)
    #expect(try decode(Event.self, Wire.number(1, 5) + Wire.block(500, [1, 2, 3])).kind == nil)
    let known = try decode(Event.self, Wire.number(1, 5) + Wire.block(13, Wire.text(1, "n")))
    #expect(known.kind == .nameChanged(NameChanged(name: "n")))
  }

  @Test func p15AnUnknownOrNegativeEnumValueIsRefusedAndNeverTakenForZero() throws {
    refuses(.unknownEnum(field: "when_busy", value: 99), Wire.number(4, 99))
    refuses(.unknownEnum(field: "when_busy", value: -1), Wire.number(4, .max))
    #expect(throws: DecodeError.unknownEnum(field: "mode", value: 0)) { try decode(Settings.self, Wire.number(8, 0)) }
    #expect(try start(Wire.number(4, 0)).whenBusy == .unspecified)
    #expect(try start(Wire.number(4, 3)).whenBusy == .steer)
  }

  @Test func p16SixtyFourUnknownFieldsAreIgnored() throws {
    #expect(try start(Array(repeatElement(Wire.number(100, 1), count: 64).joined())) == start([]))
  }

  @Test(arguments: [65, 500_000])
  func p17MoreUnknownFieldsAreRefused(_ count: Int) {
    refuses(.tooManyUnknown, Array(repeatElement(Wire.number(100, 1), count: count).joined()))
  }

  /// The schema has no recursive message, so known fields cannot nest beyond the limit; a lower limit shows the check.
  @Test func p18NestingBeyondTheLimitIsRefusedBeforeUnpacking() throws {
    let deep = thread + Wire.block(2, Wire.block(1, Wire.text(1, "three")))
    var limits = DecodeLimits()
    limits.nesting = 2
    #expect(throws: DecodeError.tooDeep) { try decode(StartTurnRequest.self, deep, limits: limits) }
    limits.nesting = 3
    #expect(try decode(StartTurnRequest.self, deep, limits: limits).input?.content.count == 1)
  }

  @Test(arguments: [33, 541, 8_733])
  func p18NestingInsideAnUnknownFieldIsNeverEntered(_ depth: Int) throws {
    let nested = (0..<depth).reduce([UInt8]()) { inner, _ in Wire.block(100, inner) }
    #expect(try start(nested) == start([]))
  }

  @Test func p19FourMebibytesOf0A00AreRefused() throws {
    let bytes = [UInt8](repeating: 0, count: 4 << 20).enumerated().map { $0.offset % 2 == 0 ? 0x0A : $0.element }
    #expect(throws: DecodeError.budget) { try decode(StartTurnRequest.self, bytes) }
    #expect(throws: DecodeError.budget) { try decode(NameValue.self, bytes) }
    #expect(throws: DecodeError.tooManyElements(field: "content")) { try decode(TurnInput.self, bytes) }
    // Few enough elements, but too much memory for their bytes.
    #expect(throws: DecodeError.budget) { try decode(TurnInput.self, Array(bytes.prefix(2 * 65_000))) }
    #expect(try decode(TurnInput.self, Array(bytes.prefix(2 * 100))).content.count == 100)
  }

  @Test func p20MoreThan65536ElementsAreRefused() throws {
    let packed = { (count: Int) in Wire.block(1, [UInt8](repeating: 1, count: count)) }
    #expect(throws: DecodeError.tooManyElements(field: "versions")) { try decode(ClientHello.self, packed(4 << 20)) }
    #expect(throws: DecodeError.tooManyElements(field: "versions")) { try decode(ClientHello.self, packed(65_537)) }
    #expect(throws: DecodeError.tooManyElements(field: "versions")) {
      try decode(ClientHello.self, packed(65_536) + Wire.number(1, 1))
    }
    #expect(try decode(ClientHello.self, packed(65_536)).versions.count == 65_536)
  }

  @Test func noCutOfAGoodMessageTraps() throws {
    let sample = try JSONTranscoder.wire(
      AllMessages.sample(StartTurnRequest.schemaIndex), schema: StartTurnRequest.schemaIndex)
    for end in sample.indices { _ = try? decode(StartTurnRequest.self, Array(sample[..<end])) }
  }

  /// One bit of each byte, the next one each time: all eight of every byte would take half a minute and show no more.
  @Test func noFlippedBitOfAGoodMessageTraps() throws {
    let sample = try JSONTranscoder.wire(
      AllMessages.sample(ThreadRecord.schemaIndex), schema: ThreadRecord.schemaIndex)
    var codec = Codec()
    for index in sample.indices {
      var bytes = sample
      bytes[index] ^= 1 << UInt8(index % 8)
      _ = try? codec.decode(ThreadRecord.self, bytes)
      _ = try? JSONTranscoder.json(bytes, schema: ThreadRecord.schemaIndex)
    }
  }
}
