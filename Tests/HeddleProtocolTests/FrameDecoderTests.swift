// The same stream of frames under the rules of each reading side.

import HeddleCore
import Testing

@testable import HeddleProtocol

@Suite struct FrameDecoderTests {
  private func frame(_ header: FrameHeader, _ payload: [UInt8] = []) -> [UInt8] {
    var header = header
    header.length = UInt32(payload.count)
    var out = [UInt8]()
    header.append(to: &out)
    return out + payload
  }

  private func step(_ bytes: [UInt8], _ rules: FrameRules) -> FrameDecoder.Step {
    var decoder = FrameDecoder(rules)
    return bytes.withUnsafeBytes { decoder.next($0) }
  }

  private let client = FrameRules.fromClient(maximumBytes: 1_024)

  @Test func aWholeFrameIsFoundAndAPartIsNot() {
    let bytes = frame(FrameHeader(.request, method: 7, stream: 3), [1, 2, 3])
    for rules in [client, .fromServer, .recorded] {
      #expect(step(bytes + [0xFA], rules) == .frame(FrameHeader(.request, method: 7, stream: 3, length: 3)))
      for count in 0..<bytes.count { #expect(step(Array(bytes[..<count]), rules) == .incomplete) }
    }
  }

  @Test func flagsAreThoseThatTheSenderMaySet() {
    let cut = frame(FrameHeader(.response, flags: FrameHeader.moreFollows))
    #expect(step(cut, client) == .fault(.flags(FrameHeader.moreFollows)))
    #expect(step(cut, .fromServer) == .fault(.flags(FrameHeader.moreFollows)))
    let replayed = frame(FrameHeader(.event, flags: FrameHeader.replayed), [1])
    #expect(step(replayed, client) == .fault(.flags(FrameHeader.replayed)))
    for rules in [FrameRules.fromServer, .recorded] {
      #expect(step(replayed, rules) == .frame(FrameHeader(.event, flags: FrameHeader.replayed, length: 1)))
    }
  }

  @Test func aRecordingShowsFramesOfAnyVersionKindAndFlag() {
    let header = FrameHeader(kind: 99, version: 7, flags: 0x40)
    #expect(step(frame(header), .recorded) == .frame(header))
    #expect(step(frame(header), .fromServer) == .fault(.version(7)))
    #expect(step(frame(FrameHeader(kind: 99)), .fromServer) == .frame(FrameHeader(kind: 99)))
    #expect(step(frame(FrameHeader(kind: 99)), client) == .fault(.unknownKind))
  }

  @Test func lengthsHaveTheirLimitsBeforeTheirBytesCome() {
    func header(_ length: UInt32, metadata: UInt16 = 0) -> [UInt8] {
      var out = [UInt8]()
      FrameHeader(.request, metadataLength: metadata, length: length).append(to: &out)
      return out
    }
    for rules in [client, .fromServer, .recorded] {
      #expect(step(header(rules.maximumBytes), rules) == .incomplete)
      #expect(step(header(rules.maximumBytes + 1), rules) == .fault(.tooLarge(rules.maximumBytes + 1)))
      #expect(step(header(.max), rules) == .fault(.tooLarge(.max)))
      #expect(step(header(1, metadata: 2), rules) == .fault(.metadata))
      #expect(step([0x47], rules) == .fault(.foreign(0x47)))
    }
  }

  @Test func aSkippedFrameIsTakenAwayInPieces() {
    var decoder = FrameDecoder(client)
    let bytes = frame(FrameHeader(kind: 0x90), [UInt8](repeating: 7, count: 100)) + frame(FrameHeader(.ping))
    #expect(bytes[..<40].withUnsafeBytes { decoder.next($0) } == .skipped(40))
    #expect(decoder.isSkipping)
    #expect(bytes[40..<40].withUnsafeBytes { decoder.next($0) } == .incomplete)
    #expect(bytes[40..<50].withUnsafeBytes { decoder.next($0) } == .passed(10))
    #expect(bytes[50...].withUnsafeBytes { decoder.next($0) } == .passed(66))
    #expect(!decoder.isSkipping)
    #expect(bytes[116...].withUnsafeBytes { decoder.next($0) } == .frame(FrameHeader(.ping)))
  }
}
