// The JSON form of proto3. Tests/differential/json_forms.py compares it with Google's for every message.

import HeddleCore
import HeddleJSON
import Testing

@testable import HeddleProtocol

@Suite struct CanonicalJSONTests {
  private let request = StartTurnRequest(
    thread: ThreadID(high: 1, low: 2), input: TurnInput(content: [ContentPart(part: .text("hi"))], clientId: "c"),
    settings: SettingsChange(mode: ModeSelection(choice: .clear(false)), temperature: 0.7), whenBusy: .queue)

  private func json<M: WireMessage>(_ value: M) throws -> String {
    var codec = Codec()
    return try JSONTranscoder.json(codec.encode(value), schema: M.schemaIndex, style: .canonical)
  }

  private func read<M: WireMessage>(_ type: M.Type, _ json: String) throws -> M {
    var codec = Codec()
    let wire = try JSONTranscoder.wire(JSONValue(parsing: json), schema: M.schemaIndex, style: .canonical)
    return try codec.decode(type, wire)
  }

  private func isRefused<M: WireMessage>(_ type: M.Type, _ json: String) -> Bool { (try? read(type, json)) == nil }

  @Test("Names are in lowerCamelCase, ids in base64, enum values with their prefix, wide integers as text")
  func written() throws {
    let expected =
      #"{"thread":"AAAAAAAAAAEAAAAAAAAAAg==","input":{"content":[{"text":"hi"}],"clientId":"c"},"#
      + #""settings":{"mode":{"clear":false},"temperature":0.7},"whenBusy":"WHEN_BUSY_QUEUE"}"#
    #expect(try json(request) == expected)
    #expect(try read(StartTurnRequest.self, expected) == request)
    #expect(try json(Event(sequence: 1, at: -1)) == #"{"sequence":"1","at":"-1"}"#)
  }

  @Test("Other forms of the same are read: the schema's names, numbers of enums, numbers as text, UUIDs")
  func read() throws {
    let other =
      #"{"thread":"00000000-0000-0001-0000-000000000002","input":{"content":[{"text":"hi"}],"client_id":"c"},"#
      + #""settings":{"mode":{"clear":false},"temperature":"0.7"},"when_busy":1}"#
    #expect(try read(StartTurnRequest.self, other) == request)
    #expect(try read(Event.self, #"{"sequence":1e1,"at":"-5"}"#) == Event(sequence: 10, at: -5))
    #expect(try read(Event.self, #"{"sequence":null}"#) == Event())
  }

  @Test("Values of other kinds and beyond their range are refused")
  func refused() {
    #expect(isRefused(StartTurnRequest.self, #"{"whenBusy":"QUEUE"}"#), "the prefix belongs to the name")
    #expect(isRefused(Event.self, #"{"sequence":18446744073709551616}"#))
    #expect(isRefused(Event.self, #"{"sequence":-1}"#))
    #expect(isRefused(Event.self, #"{"unknown":1}"#))
    #expect(isRefused(SettingsChange.self, #"{"temperature":1e39}"#))
    #expect(isRefused(SettingsChange.self, #"{"temperature":"1_0"}"#))
    #expect(isRefused(StartTurnRequest.self, #"{"thread":"AAA="}"#))
    #expect(isRefused(ContentPart.self, #"{"text":"a","image":{}}"#))
  }
}
