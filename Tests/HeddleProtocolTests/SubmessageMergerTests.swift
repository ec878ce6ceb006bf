// attacks.md P12, P13: a singular message in pieces is the message of their bytes behind each other.

import HeddleCore
import Testing

@testable import HeddleProtocol

@Suite struct SubmessageMergerTests {
  private func decode<M: WireMessage>(_ bytes: [UInt8]) throws -> M {
    var codec = Codec()
    return try codec.decode(M.self, bytes)
  }

  private func change(_ pieces: [UInt8]...) throws -> SettingsChange? {
    let thread = Wire.block(1, [UInt8](repeating: 7, count: 16))
    let request: UpdateSettingsRequest = try decode(pieces.reduce(thread) { $0 + Wire.block(2, $1) })
    return request.change
  }

  @Test func p12TheFieldsOfAllPiecesCountAndTheLastOfEach() throws {
    let merged = try change(Wire.text(1, "a") + Wire.text(3, "high"), Wire.text(5, "fast") + Wire.text(1, "b"))
    #expect(merged == SettingsChange(model: "b", reasoningEffort: "high", serviceTier: "fast"))
  }

  @Test func p12AnEmptyTextInALaterPieceReplacesTheEarlierOne() throws {
    #expect(try change(Wire.text(3, "high"), Wire.text(3, "")) == SettingsChange(reasoningEffort: ""))
  }

  @Test func p12AChoiceThatNoPieceMakesIsNotMade() throws {
    let merged = try change(Wire.block(8, []) + Wire.block(8, []), Wire.block(8, []))
    #expect(merged == SettingsChange(mode: ModeSelection()))
  }

  @Test func p12RepeatedFieldsOfPiecesStandBehindEachOther() throws {
    let merged = try change(Wire.text(12, "a") + Wire.text(12, "b"), Wire.text(12, "c"))
    #expect(merged == SettingsChange(removeMetadata: ["a", "b", "c"]))
  }

  @Test func p12PiecesInElementsOfARepeatedFieldAreJoinedToo() throws {
    let part = Wire.block(2, Wire.text(1, "url")) + Wire.block(2, Wire.text(2, "low"))
    let input: TurnInput = try decode(Wire.block(1, part) + Wire.block(1, Wire.text(1, "x")))
    #expect(input.content.map(\.part) == [.image(ImagePart(url: "url", detail: "low")), .text("x")])
  }

  @Test func p13AMemberBetweenTwoPiecesOfAnotherEndsTheFirst() throws {
    let image = { (field: UInt64, text: String) in Wire.block(2, Wire.text(field, text)) }
    let ended: ContentPart = try decode(image(1, "old") + Wire.text(1, "text") + image(2, "low"))
    #expect(ended.part == .image(ImagePart(detail: "low")))
    let last: ContentPart = try decode(image(1, "a") + image(2, "b") + Wire.text(1, "text"))
    #expect(last.part == .text("text"))
  }

  @Test func unknownFieldsBetweenPiecesAreIgnored() throws {
    let wide = Wire.tag(900, 1) + [UInt8](repeating: 1, count: 8)
    let unknown = Wire.number(900, 1) + wide + Wire.tag(900, 5) + [1, 2, 3, 4]
    let merged = try change(Wire.text(1, "a") + unknown, unknown + Wire.block(900, [1, 2, 3]))
    #expect(merged == SettingsChange(model: "a"))
  }
}
