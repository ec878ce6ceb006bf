// A capture gives back exactly the frames that were written to it.

import Foundation
import HeddleCapture
import HeddleCore
import HeddleProtocol
import Testing

@testable import HeddleReplay

private let client = Endpoint(address: [127, 0, 0, 1], port: 50_000)
private let server = Endpoint(address: [127, 0, 0, 1], port: 7420)
private let path = CapturePath(client: client, server: server)

/// A file that is removed with the test.
final class ScratchFile {
  let path = NSTemporaryDirectory() + "heddle-replay-\(UUID().uuidString)"
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

private func written(keepsText: Bool = false, _ body: (CaptureWriter) -> Void) throws -> (Capture, [UInt8]) {
  let file = ScratchFile()
  let writer = try CaptureWriter(path: file.path, scrubber: Scrubber(keepsText: keepsText))
  body(writer)
  writer.close()
  let bytes = try Capture.read(file.path)
  return (try Capture(pcap: bytes), bytes)
}

@Suite struct CaptureTests {
  @Test func aFrameComesBackAsItWasWritten() throws {
    var codec = Codec()
    let body = codec.encode(ReadThreadRequest(thread: ThreadID(high: 1, low: 2)))
    let header = FrameHeader(.request, method: 104, stream: 3, length: UInt32(body.count))
    let (capture, bytes) = try written { writer in
      writer.write(header, body, at: 1_700_000_000_123_456_789, path: path, fromClient: true)
      writer.writeEnd(at: 1_700_000_001_000_000_000, path: path, fromClient: true)
    }
    #expect(bytes.integer(at: 20, as: UInt32.self) == 252)
    #expect(capture.problems.isEmpty)
    #expect(capture.connections == [CapturedConnection(client: client, server: server)])
    #expect(
      capture.frames == [
        CapturedFrame(
          at: 1_700_000_000_123_456_789, connection: 0, fromClient: true, header: header, body: body),
        CapturedFrame(at: 1_700_000_001_000_000_000, connection: 0, fromClient: true, header: nil, body: []),
      ])
  }

  @Test func aFrameLongerThanARecordIsPutTogetherAgain() throws {
    var codec = Codec()
    let body = codec.encode(Ping(opaque: [UInt8](repeating: 7, count: 500_000)))
    let header = FrameHeader(.ping, length: UInt32(body.count))
    let (capture, bytes) = try written { writer in
      writer.write(header, body, at: 5, path: path, fromClient: true)
    }
    var file = try PcapFile(bytes, name: "it")
    var records = 0
    while let record = file.next() {
      records += 1
      #expect(record.bytes.count < 262_144)
    }
    #expect(records == 3)
    #expect(capture.frames.map(\.body) == [body])
  }

  @Test func aPortThatComesAgainIsAnotherConnection() throws {
    let header = FrameHeader(.cancel, stream: 1)
    let (capture, _) = try written { writer in
      for time in [Int64(1), 3] {
        writer.write(header, [], at: time, path: path, fromClient: true)
        writer.writeEnd(at: time + 1, path: path, fromClient: true)
        writer.writeEnd(at: time + 1, path: path, fromClient: false)
      }
    }
    #expect(capture.connections.count == 2)
    #expect(capture.frames.filter { $0.header != nil }.map(\.connection) == [0, 1])
  }

  @Test func damageNeverTrapsAndIsTold() throws {
    var codec = Codec()
    let body = codec.encode(Ping(opaque: Array(0..<60)))
    let (_, whole) = try written { writer in
      for time in 0..<4 {
        writer.write(
          FrameHeader(.ping, length: UInt32(body.count)), body, at: Int64(time), path: path,
          fromClient: time % 2 == 0)
      }
    }
    for length in 24..<whole.count { _ = try Capture(pcap: Array(whole[..<length])) }
    var random = SplitMix(seed: 6)
    for _ in 0..<3000 {
      var bytes = whole
      for _ in 0..<3 { bytes[24 + random.below(bytes.count - 24)] = UInt8(random.below(256)) }
      _ = try Capture(pcap: bytes)
    }
  }

  @Test func timesAreReadInEveryFormOfAFile() throws {
    for (magic, unit) in [(CaptureFormat.magicNanoseconds, Int64(1)), (CaptureFormat.magicMicroseconds, 1_000)] {
      for swapped in [false, true] {
        func words(_ values: UInt32...) -> [UInt8] {
          var out = [UInt8]()
          for value in values { swapped ? out.append(big: value) : out.append(little: value) }
          return out
        }
        let bytes = words(magic, 0, 0, 0, 65_535, 101) + words(5, 7, 3, 3) + [1, 2, 3] + words(6, 8, 1, 1) + [4]
        var file = try PcapFile(bytes, name: "it")
        var found: [(time: Int64, bytes: [UInt8])] = []
        while let record = file.next() { found.append((record.time, Array(bytes[record.bytes]))) }
        #expect(file.linkType == 101 && !file.isTorn)
        #expect(found.map(\.time) == [5_000_000_000 + 7 * unit, 6_000_000_000 + 8 * unit])
        #expect(found.map(\.bytes) == [[1, 2, 3], [4]])
      }
    }
  }
}

/// Random numbers that are the same in every run.
struct SplitMix {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

@Suite struct ScrubberTests {
  private func scrubbed<M: WireMessage>(_ message: M, kind: FrameKind, method: UInt16 = 0, keepsText: Bool = false)
    throws
    -> M
  {
    var codec = Codec()
    var body = codec.encode(message)
    let count = body.count
    var scrubber = Scrubber.plain
    scrubber.keepsText = keepsText
    scrubber.scrub(
      &body, header: FrameHeader(kind, method: method, stream: 1, length: UInt32(count)), fromClient: true)
    #expect(body.count == count)
    return try codec.decode(M.self, body)
  }

  @Test func tokensGoEvenWhenTextStays() throws {
    let hello = ClientHello(versions: [1], clientName: "a client", token: "abcdef")
    for keepsText in [false, true] {
      let found = try scrubbed(hello, kind: .hello, keepsText: keepsText)
      #expect(found == ClientHello(versions: [1], clientName: "a client", token: "xxxxxx"))
    }
  }

  @Test func textKeepsItsShapeAndIDsStay() throws {
    let thread = ThreadID(high: 7, low: 8)
    let request = SetThreadNameRequest(thread: thread, name: "Anna's größtes\nGeheimnis")
    let found = try scrubbed(request, kind: .request, method: 110)
    #expect(found == SetThreadNameRequest(thread: thread, name: "xxxxxx xxxxxxxxx\nxxxxxxxxx"))
    #expect(try scrubbed(request, kind: .request, method: 110, keepsText: true) == request)
  }

  @Test func differentTextsStayDifferentAndOneThatIsOverwrittenStays() throws {
    var codec = Codec()
    func scrubbed(_ name: String) throws -> String {
      var body = codec.encode(SetThreadNameRequest(thread: ThreadID(high: 1, low: 1), name: name))
      let header = FrameHeader(.request, method: 110, stream: 1, length: UInt32(body.count))
      Scrubber().scrub(&body, header: header, fromClient: true)
      return try codec.decode(SetThreadNameRequest.self, body).name
    }
    let first = try scrubbed("a name of Anna's")
    #expect(try first == scrubbed("a name of Anna's"))
    #expect(try first != scrubbed("a name of Berta"))
    #expect(first.allSatisfy { "wxyz ".contains($0) })
    #expect(try first == scrubbed(first))
    let json = try scrubbed(#"{"path": ["one", "two"]}"#)
    #expect(try json == scrubbed(json))
  }

  @Test func linesThatDirectTheScriptedModelStayAndTheirWordsGo() throws {
    func shape(_ text: String) throws -> String {
      try scrubbed(SetThreadNameRequest(thread: ThreadID(high: 1, low: 1), name: text), kind: .request, method: 110)
        .name
    }
    #expect(try shape("!chunks 40\n!delay 50\nsecret") == "!chunks 40\n!delay 50\nxxxxxx")
    #expect(try shape("!say my secret\n!then\n!stall") == "!say xx xxxxxx\n!then\n!stall")
    #expect(try shape("!delay my secret") == "!delay xx xxxxxx")
    #expect(try shape("!secret 40") == "xxxxxxx xx")
    #expect(try shape(#"!tool look {"a": 1}"#) == #"!tool xxxx xxxxx xx"#)
  }

  @Test func jsonStaysJSON() throws {
    func shape(_ text: String) throws -> String {
      try scrubbed(SetThreadNameRequest(thread: ThreadID(high: 1, low: 1), name: text), kind: .request, method: 110)
        .name
    }
    #expect(
      try shape(#"{"type": "object", "secret": ["a\"b", 12.5e3, true, null, word]}"#)
        == #"{"type": "object", "xxxxxx": ["xxxx", 11.1e1, true, null, xxxx]}"#)
    #expect(try shape(#"{"open"#) == #"{"xxxx"#)
    #expect(try shape(#"["\"#) == #"["x"#)
  }

  @Test func whatCannotBeReadIsOverwrittenWhole() {
    var body = Array("this is no message".utf8)
    let header = FrameHeader(.request, method: 110, stream: 1, length: UInt32(body.count))
    Scrubber().scrub(&body, header: header, fromClient: true)
    #expect(body == [UInt8](repeating: UInt8(ascii: "x"), count: 18))
  }

  @Test func unknownFieldsAreOverwritten() {
    // Field 1000, length-delimited: a newer schema may have marked it.
    var body: [UInt8] = [0xC2, 0x3E, 6] + Array("secret".utf8)
    let header = FrameHeader(.request, method: 110, stream: 1, length: UInt32(body.count))
    Scrubber(keepsText: true).scrub(&body, header: header, fromClient: true)
    #expect(body == [0xC2, 0x3E, 6] + Array("xxxxxx".utf8))
  }

  @Test func aTokenBesideARequestGoesToo() throws {
    var codec = Codec()
    let metadata = codec.encode(Metadata(requestId: "a request", token: "abcdef"))
    let message = codec.encode(ReadThreadRequest(thread: ThreadID(high: 7, low: 8)))
    let header = FrameHeader(
      .request, method: 104, stream: 1, metadataLength: UInt16(metadata.count),
      length: UInt32(metadata.count + message.count))
    for keepsText in [false, true] {
      var body = metadata + message
      Scrubber(keepsText: keepsText).scrub(&body, header: header, fromClient: true)
      #expect(Array(body[metadata.count...]) == message)
      #expect(try codec.decode(Metadata.self, Array(body[..<metadata.count])).token == "xxxxxx")
    }
  }

  @Test func whatAClientSaysOfItsToolGoesAndWhatAServerSaysStays() throws {
    var codec = Codec()
    let failure = WireError(code: .internal, reason: "tool", message: "no such disk")
    let whole = codec.encode(failure)
    let header = FrameHeader(.error, method: 701, stream: 2, length: UInt32(whole.count))
    func scrubbed(keepsText: Bool, fromClient: Bool) throws -> WireError {
      var scrubber = Scrubber.plain
      scrubber.keepsText = keepsText
      var body = whole
      scrubber.scrub(&body, header: header, fromClient: fromClient)
      return try codec.decode(WireError.self, body)
    }
    #expect(try scrubbed(keepsText: false, fromClient: true).message == "xx xxxx xxxx")
    #expect(try scrubbed(keepsText: true, fromClient: true) == failure)
    #expect(try scrubbed(keepsText: false, fromClient: false) == failure)
  }
}
