// The frame header against the table at the head of Frame.swift (protocol.md, "Frame").

import HeddleCore
import HeddleProtocol
import Testing

@Suite struct FrameTests {
  private let header = FrameHeader(
    .request, method: 0x0102, stream: 0x0304_0506, metadataLength: 0x0708,
    flags: FrameHeader.endOfStream, length: 0x090A_0B0C)
  private let bytes: [UInt8] = [0xFA, 1, 1, 2, 3, 4, 5, 6, 1, 7, 8, 2, 9, 10, 11, 12]

  @Test func everyFieldStandsAtItsOffsetBigEndian() {
    var out: [UInt8] = []
    header.append(to: &out)
    #expect(out == bytes)
  }

  @Test func aHeaderReadsBackAsItWasWritten() {
    #expect(bytes.withUnsafeBytes { FrameHeader($0) } == header)
  }

  @Test func aHeaderIsReadAtAnyAddress() {
    let shifted: [UInt8] = [0] + bytes
    #expect(shifted.withUnsafeBytes { FrameHeader(UnsafeRawBufferPointer(rebasing: $0[1...])) } == header)
  }

  @Test func headersAreAppendedToWhatIsThere() {
    var out: [UInt8] = [9]
    header.append(to: &out)
    #expect(out == [9] + bytes)
  }

  @Test(arguments: [0x16, 0x47, 0x00, 0xFB] as [UInt8])
  func anotherMagicIsNoHeader(_ first: UInt8) {
    var wrong = bytes
    wrong[0] = first
    #expect(wrong.withUnsafeBytes { FrameHeader($0) } == nil)
  }

  @Test func fewerThanSixteenBytesAreNoHeader() {
    #expect(bytes.dropLast().withUnsafeBytes { FrameHeader($0) } == nil)
  }

  @Test func whatOnlyTheReaderCanJudgeIsReadAsItStands() {
    let strange: [UInt8] = [0xFA] + [UInt8](repeating: 0xFF, count: 15)
    let header = strange.withUnsafeBytes { FrameHeader($0) }
    #expect(
      header
        == FrameHeader(
          kind: 0xFF, method: .max, stream: .max, version: 0xFF, metadataLength: .max, flags: 0xFF, length: .max))
    #expect(header?.knownKind == nil)
    #expect(header?.isSkippable == true)
  }

  @Test func kindsHaveTheirNamesAndZeroHasNone() {
    #expect(FrameHeader(.goaway).knownKind == .goaway)
    #expect(FrameHeader(kind: 0).knownKind == nil)
    #expect(FrameHeader(kind: 11).knownKind == nil)
    #expect(!FrameHeader(kind: 11).isSkippable)
  }
}
