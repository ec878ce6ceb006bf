// Messages as JSON and back, by the schema table.

import HeddleCore
import HeddleJSON
import Testing

@testable import HeddleProtocol

@Suite struct JSONTranscoderTests {
  private let id = "00000000-0000-0001-0000-000000000002"

  private func json<M: WireMessage>(_ value: M, redact: Bool = false) throws -> String {
    var codec = Codec()
    return try JSONTranscoder.json(codec.encode(value), schema: M.schemaIndex, redact: redact)
  }

  private func read<M: WireMessage>(_ type: M.Type, _ json: String) throws -> M {
    var codec = Codec()
    return try codec.decode(type, JSONTranscoder.wire(json, schema: M.schemaIndex))
  }

  private func refusal<M: WireMessage>(_ type: M.Type, _ json: String) -> String? {
    do throws(JSONError) {
      _ = try JSONTranscoder.wire(json, schema: M.schemaIndex)
      return nil
    } catch { return error.description }
  }

  // MARK: to JSON

  @Test func aMessageIsShownWithTheNamesOfTheSchema() throws {
    let request = StartTurnRequest(
      thread: ThreadID(high: 1, low: 2), input: TurnInput(content: [ContentPart(part: .text("hi"))], clientId: "c"),
      settings: SettingsChange(mode: ModeSelection(choice: .clear(false)), temperature: 0.7), whenBusy: .queue)
    let expected =
      #"{"thread":"\#(id)","input":{"content":[{"text":"hi"}],"client_id":"c"},"#
      + #""settings":{"mode":{"clear":false},"temperature":0.7},"when_busy":"QUEUE"}"#
    #expect(try json(request) == expected)
    #expect(try read(StartTurnRequest.self, expected) == request)
  }

  @Test func sensitiveFieldsAreHiddenOnRequest() throws {
    let value = ReasoningItem(summary: ["secret", "more"], content: [], encrypted: "x")
    #expect(try json(value, redact: true) == #"{"summary":"…","encrypted":"…"}"#)
    let part = ContentPart(part: .image(ImagePart(url: "secret", detail: "high")))
    #expect(try json(part, redact: true) == #"{"image":{"url":"…","detail":"high"}}"#)
    #expect(try json(part) == #"{"image":{"url":"secret","detail":"high"}}"#)
  }

  @Test func wideIntegersBeyond2To53AreText() throws {
    #expect(
      try json(Event(sequence: 1 << 53, at: -(1 << 53))) == #"{"sequence":9007199254740992,"at":-9007199254740992}"#)
    #expect(
      try json(Event(sequence: .max, at: .min))
        == #"{"sequence":"18446744073709551615","at":"-9223372036854775808"}"#)
  }

  @Test(
    arguments: [
      (0.7, "0.7"), (1, "1"), (-0.0, "-0"), (.nan, "\"NaN\""), (.infinity, "\"Infinity\""),
      (-.infinity, "\"-Infinity\""),
      (.greatestFiniteMagnitude, "3.4028235e+38"), (.leastNonzeroMagnitude, "1e-45"),
    ] as [(Float, String)])
  func floatsAreAsShortAsTheyCanBeAndReadBackTheSame(_ value: Float, _ text: String) throws {
    #expect(try json(Settings(temperature: value)) == #"{"temperature":\#(text)}"#)
    let back = try read(Settings.self, #"{"temperature":\#(text)}"#).temperature
    #expect(back?.bitPattern == value.bitPattern || (value.isNaN && back?.isNaN == true))
  }

  @Test func bytesAreBase64AndUnknownEnumValuesNumbers() throws {
    #expect(try json(Ping(opaque: [0, 1, 255])) == #"{"opaque":"AAH/"}"#)
    #expect(try JSONTranscoder.json(Wire.number(4, 99), schema: StartTurnRequest.schemaIndex) == #"{"when_busy":99}"#)
  }

  @Test func unknownFieldsAreLeftOut() throws {
    let bytes = Wire.number(100, 1) + Wire.text(1, "n") + Wire.block(101, [1, 2]) + Wire.tag(102, 5) + [0, 0, 0, 0]
    #expect(try JSONTranscoder.json(bytes, schema: NameValue.schemaIndex) == #"{"name":"n"}"#)
  }

  @Test func repetitionsFollowTheRulesOfTheEncoding() throws {
    let input = { (bytes: [UInt8]) in Wire.block(2, bytes) }
    let merged = input(Wire.block(1, Wire.text(1, "a")) + Wire.text(2, "x")) + input(Wire.block(1, Wire.text(1, "b")))
    #expect(
      try JSONTranscoder.json(merged, schema: StartTurnRequest.schemaIndex)
        == #"{"input":{"content":[{"text":"a"},{"text":"b"}],"client_id":"x"}}"#)
    let oneof = Wire.block(2, Wire.text(1, "url")) + Wire.text(1, "last")
    #expect(try JSONTranscoder.json(oneof, schema: ContentPart.schemaIndex) == #"{"text":"last"}"#)
    let versions = Wire.block(1, [1, 2]) + Wire.number(1, 3)
    #expect(try JSONTranscoder.json(versions, schema: ClientHello.schemaIndex) == #"{"versions":[1,2,3]}"#)
  }

  @Test func bytesThatAreNoMessageAreRefused() {
    #expect(throws: DecodeError.malformed) { try JSONTranscoder.json([0x0B], schema: NameValue.schemaIndex) }
    #expect(throws: DecodeError.malformed) { try JSONTranscoder.json([], schema: .max) }
  }

  // MARK: from JSON

  @Test func everyMessageComesBackFromJSON() throws {
    for schema in 0..<UInt16(SchemaTable.messageCount) {
      for variant in 0..<AllMessages.variants(schema) {
        let sample = AllMessages.sample(schema, variant: variant).written()
        #expect(try JSONTranscoder.json(JSONTranscoder.wire(sample, schema: schema), schema: schema) == sample)
      }
    }
  }

  @Test func namesMayBeInEitherCase() throws {
    let json = #"{"thread":"\#(id)","whenBusy":"REFUSE","output_schema":"s"}"#
    let expected = StartTurnRequest(thread: ThreadID(high: 1, low: 2), whenBusy: .refuse, outputSchema: "s")
    #expect(try read(StartTurnRequest.self, json) == expected)
    #expect(
      refusal(StartTurnRequest.self, #"{"whenBusy":1,"when_busy":1}"#) == "when_busy: the field stands here twice")
  }

  @Test(arguments: ["\"REFUSE\"", "\"WHEN_BUSY_REFUSE\"", "2"])
  func enumValuesMayBeShortFullOrNumbers(_ value: String) throws {
    #expect(try read(StartTurnRequest.self, #"{"thread":"\#(id)","when_busy":\#(value)}"#).whenBusy == .refuse)
  }

  @Test func idsMayBeWrittenWithoutDashes() throws {
    let bare = String(id.filter { $0 != "-" })
    #expect(try read(ReadThreadRequest.self, #"{"thread":"\#(bare)"}"#).thread == ThreadID(high: 1, low: 2))
  }

  @Test(arguments: ["5", "\"5\"", "5.0", "5e0"])
  func wholeNumbersMayBeWrittenInAnyWay(_ value: String) throws {
    #expect(try read(Event.self, #"{"sequence":\#(value)}"#).sequence == 5)
  }

  @Test func nullIsAbsentAndZeroWithoutPresenceIsLeftOut() throws {
    #expect(try JSONTranscoder.wire(#"{"text":null}"#, schema: ContentPart.schemaIndex) == [])
    #expect(try JSONTranscoder.wire(#"{"sequence":0,"at":"0","more":false}"#, schema: Event.schemaIndex) == [])
    #expect(try JSONTranscoder.wire(#"{"content":[],"client_id":""}"#, schema: TurnInput.schemaIndex) == [])
    let present = try read(Settings.self, #"{"temperature":0,"reasoning_effort":""}"#)
    #expect(present == Settings(reasoningEffort: "", temperature: 0))
  }

  @Test func refusalsSayWhereAndWhatIsNeeded() {
    let start = StartTurnRequest.self
    #expect(refusal(start, #"{"input":{"content":[{"text":1}]}}"#) == "input.content[0].text: a string is needed")
    #expect(refusal(start, #"{"input":{"content":{}}}"#) == "input.content: a list is needed")
    #expect(refusal(start, #"{"input":[]}"#) == "input: an object is needed (TurnInput)")
    #expect(refusal(start, "[]") == "StartTurnRequest: an object is needed (StartTurnRequest)")
    #expect(
      refusal(start, #"{"input":{"text":"x"}}"#) == #"input: TurnInput has no field "text"; it has content, client_id"#)
    #expect(refusal(ListModelsResponse.self, #"{"models":[null]}"#) == "models[0]: an object is needed (CatalogModel)")
    #expect(refusal(start, #"{"when_busy":"NOW"}"#) == "when_busy: one of UNSPECIFIED, QUEUE, REFUSE, STEER is needed")
    #expect(
      refusal(start, #"{"thread":"x"}"#) == "thread: an id is needed, such as 01a20044-d67b-76b3-817d-21e857a0ab2a")
    #expect(refusal(Ping.self, #"{"opaque":"A"}"#) == "opaque: the text is not base64")
    #expect(refusal(Event.self, #"{"more":1}"#) == "more: true or false is needed")
    #expect(refusal(Settings.self, #"{"temperature":"warm"}"#) == "temperature: a number is needed")
    #expect(refusal(ListFeaturesRequest.self, #"{"a":1}"#)?.hasSuffix("it has none") == true)
  }

  @Test func numbersOutOfTheFieldsRangeAreRefused() {
    #expect(
      refusal(ListTurnsRequest.self, #"{"page_size":2147483648}"#)
        == "page_size: a whole number from -2147483648 to 2147483647 is needed")
    #expect(refusal(Credit.self, #"{"bytes":-1}"#) == "bytes: a whole number from 0 to 4294967295 is needed")
    #expect(refusal(Event.self, #"{"sequence":18446744073709551616}"#) != nil)
    #expect(refusal(Event.self, #"{"sequence":1.5}"#) != nil)
    #expect(refusal(Event.self, #"{"sequence":18446744073709551615}"#) == nil)
  }

  @Test func onlyOneMemberOfAOneofMayBeGiven() {
    #expect(
      refusal(ContentPart.self, #"{"text":"a","encrypted":"b"}"#)
        == "ContentPart: only one of text and encrypted may be given")
    #expect(refusal(ContentPart.self, #"{"text":"a","encrypted":null}"#) == nil)
  }

  @Test func base64OfEitherAlphabetIsRead() throws {
    for text in ["+/8=", "-_8=", "+/8", "-_8"] {
      #expect(try read(Ping.self, #"{"opaque":"\#(text)"}"#).opaque == [0xFB, 0xFF])
    }
    for count in 0..<10 {
      let bytes = [UInt8](repeating: 0xA7, count: count)
      #expect(try read(Ping.self, json(Ping(opaque: bytes))).opaque == bytes)
    }
  }
}
