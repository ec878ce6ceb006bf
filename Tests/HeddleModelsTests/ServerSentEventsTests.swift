import Testing

@testable import HeddleModels

@Suite struct ServerSentEventsTests {
  /// All events of the bytes, handed over in pieces that end at the given places.
  private func events(
    _ bytes: [UInt8], cuts: [Int] = [], lineBytes: Int = 1_000, eventBytes: Int = 1_000
  ) throws(StreamFault) -> [ServerSentEvent] {
    var parser = ServerSentEvents(lineBytes: lineBytes, eventBytes: eventBytes)
    var events: [ServerSentEvent] = []
    var start = 0
    for end in cuts + [bytes.count] {
      parser.append(Array(bytes[start..<end]))
      start = end
      while let event = try parser.next() { events.append(event) }
    }
    return events
  }

  private func events(_ text: String) throws -> [ServerSentEvent] { try events(Array(text.utf8)) }

  private static let mixed =
    "\u{FEFF}: hello\n\nevent: first\r\ndata: {\"a\": \"ä𝄞\"}\r\n\r\ndata:one\rdata:  two\r\rid: 7\nretry: 10\ndata\n\nnonsense\ndata: [DONE]\n\n"
  private static let mixedEvents = [
    ServerSentEvent(name: "first", data: "{\"a\": \"ä𝄞\"}"), ServerSentEvent(data: "one\n two"),
    ServerSentEvent(data: ""),
    ServerSentEvent(data: "[DONE]"),
  ]

  @Test("Lines end with LF, CR or CR LF; a byte order mark, comments and unknown fields are skipped")
  func grammar() throws {
    #expect(try events(Self.mixed) == Self.mixedEvents)
  }

  @Test("The same bytes give the same events, wherever they are cut once, twice, or after every byte")
  func cuts() throws {
    let bytes = Array(Self.mixed.utf8)
    for first in 0...bytes.count {
      #expect(try events(bytes, cuts: [first]) == Self.mixedEvents)
      for second in first...bytes.count where second % 7 == 0 {
        #expect(try events(bytes, cuts: [first, second]) == Self.mixedEvents)
      }
    }
    #expect(try events(bytes, cuts: Array(0..<bytes.count)) == Self.mixedEvents)
  }

  @Test("Several data lines are one text with line breaks; one space behind the colon is not part of it")
  func data() throws {
    #expect(try events("data: a\ndata\ndata:b\ndata:  c\n\n") == [ServerSentEvent(data: "a\n\nb\n c")])
  }

  @Test("An event without data is none, and its name is forgotten")
  func withoutData() throws {
    #expect(try events("event: x\n\ndata: y\n\n") == [ServerSentEvent(data: "y")])
  }

  @Test("N2: what the end of the stream cuts off is no event")
  func unfinished() throws {
    #expect(try events("data: a\n\ndata: b\n") == [ServerSentEvent(data: "a")])
    #expect(try events("data: a\n\ndata: b") == [ServerSentEvent(data: "a")])
  }

  @Test("Bytes that are not UTF-8 are a fault in an event, and nothing in a comment")
  func notUTF8() throws {
    for bad: [UInt8] in [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] {
      let event = Array("data: ".utf8) + bad + Array("\n\n".utf8)
      for cut in 0...event.count { #expect(throws: StreamFault.notUTF8) { try events(event, cuts: [cut]) } }
      #expect(try events(Array(": ".utf8) + bad + Array("\ndata: a\n\n".utf8)) == [ServerSentEvent(data: "a")])
    }
  }

  @Test("N1: a line may be as long as the limit, and no longer; what came before it is not lost")
  func lineLimit() throws {
    let fits = "data: " + String(repeating: "x", count: 14)
    #expect(try events(Array("\(fits)\n\n".utf8), lineBytes: 20).map(\.data.count) == [14])
    let bytes = Array("data: a\n\n\(fits)x".utf8)
    for cut in 0...bytes.count {
      #expect(throws: StreamFault.lineTooLong) { try events(bytes, cuts: [cut], lineBytes: 20) }
    }
    var parser = ServerSentEvents(lineBytes: 20, eventBytes: 100)
    parser.append(bytes)
    #expect(try parser.next() == ServerSentEvent(data: "a"))
    #expect(throws: StreamFault.lineTooLong) { try parser.next() }
  }

  @Test("N1: an event of many short lines has a limit too")
  func eventLimit() throws {
    let line = "data: 1234\n"
    #expect(try events(Array((String(repeating: line, count: 4) + "\n").utf8), eventBytes: 20).count == 1)
    #expect(throws: StreamFault.eventTooLong) {
      try events(Array(String(repeating: line, count: 5).utf8), eventBytes: 20)
    }
  }

  @Test("Lines are counted, comments too: a stream whose lines end is alive")
  func lines() throws {
    var parser = ServerSentEvents(lineBytes: 100, eventBytes: 100)
    parser.append(Array(": ping\n: ping\nda".utf8))
    #expect(try parser.next() == nil)
    #expect(parser.lines == 2)
  }
}
