// Values to bytes and back: nothing is lost, nothing is mixed up, for every message of the schema.

import HeddleCore
import Testing

@testable import HeddleProtocol

@Suite struct CodecTests {
  private func roundTrip<M: WireMessage>(_ value: M) throws -> M {
    var codec = Codec()
    return try codec.decode(M.self, codec.encode(value))
  }

  @Test func theSchemaHasNoMessageBesideThoseTested() {
    #expect(Set(AllMessages.types.map { $0.schemaIndex }).count == SchemaTable.messageCount)
  }

  /// JSON -> bytes by the transcoder -> value by protobuf-c -> bytes by protobuf-c -> JSON by the transcoder.
  @Test func everyMessageKeepsEveryFieldThroughDecodingAndEncoding() throws {
    func check<M: WireMessage>(_ type: M.Type) throws {
      for variant in 0..<AllMessages.variants(M.schemaIndex) {
        let sample = AllMessages.sample(M.schemaIndex, variant: variant)
        var codec = Codec()
        let value = try codec.decode(M.self, JSONTranscoder.wire(sample, schema: M.schemaIndex))
        #expect(try JSONTranscoder.value(codec.encode(value), schema: M.schemaIndex) == sample, "\(M.self)")
        #expect(try roundTrip(value) == value, "\(M.self)")
      }
    }
    for type in AllMessages.types { try check(type) }
  }

  @Test func everyMessageSurvivesBeingEmptyUnlessAFieldIsRequired() throws {
    func check<M: WireMessage>(_ type: M.Type) throws {
      do throws(DecodeError) {
        var codec = Codec()
        #expect(try codec.decode(M.self, []) == M())
      } catch {
        guard case .missingField = error else {
          Issue.record("\(M.self): \(error)")
          return
        }
      }
    }
    for type in AllMessages.types { try check(type) }
  }

  @Test func everyKindOfEventComesBackAsItself() throws {
    var kinds: Set<String> = []
    for variant in 0..<AllMessages.variants(Event.schemaIndex) {
      let bytes = try JSONTranscoder.wire(
        AllMessages.sample(Event.schemaIndex, variant: variant), schema: Event.schemaIndex)
      var codec = Codec()
      let event = try codec.decode(Event.self, bytes)
      let kind = try #require(event.kind)
      kinds.insert(String("\(kind)".prefix { $0 != "(" }))
      #expect(try roundTrip(event) == event)
    }
    #expect(kinds.count == 19)
  }

  @Test func aStartTurnRequestComesBackWhole() throws {
    let request = StartTurnRequest(
      thread: ThreadID(high: 1, low: 2),
      input: TurnInput(
        content: [
          ContentPart(part: .text("Grüße 😀")), ContentPart(part: .image(ImagePart(url: "u", detail: "d"))),
          ContentPart(part: .encrypted("")), ContentPart(part: .opaque(OpaquePart(kind: "k", json: "{}"))),
        ], clientId: "mine"),
      settings: SettingsChange(
        model: "m", reasoningEffort: "", mode: ModeSelection(choice: .clear(false)),
        metadata: [NameValue(name: "a", value: "b")], temperature: -0.0, removeMetadata: ["", "x"]),
      whenBusy: .steer, outputSchema: "")
    let back = try roundTrip(request)
    #expect(back == request)
    #expect(back.settings?.temperature?.sign == .minus)
  }

  @Test func aThreadRecordComesBackWhole() throws {
    let bytes = try JSONTranscoder.wire(
      AllMessages.sample(ThreadRecord.schemaIndex), schema: ThreadRecord.schemaIndex)
    var codec = Codec()
    let record = try codec.decode(ThreadRecord.self, bytes)
    #expect(record.id == ThreadID(high: 1, low: .max))
    #expect(record.lineage?.source == .import)
    #expect(record.queue.count == 2)
    #expect(try roundTrip(record) == record)
  }

  @Test(arguments: [Int64.min, -1, 0, 1, Int64.max])
  func timesOfAnySizeComeBack(_ time: Int64) throws {
    let event = Event(sequence: .max, at: time)
    #expect(try roundTrip(event) == event)
  }

  @Test func oneCodecServesManyMessagesOneAfterTheOther() throws {
    var codec = Codec()
    let long = String(repeating: "x", count: 100)
    for count in [1, 5_000, 1] {
      let input = TurnInput(content: (0..<count).map { ContentPart(part: .text("\(long) \($0)")) })
      #expect(try codec.decode(TurnInput.self, codec.encode(input)) == input)
    }
  }

  @Test func everyMethodKnowsItsMessages() throws {
    for method in Method.allCases where method != .unspecified {
      #expect(SchemaTable.messageName(method.requestSchema)?.hasSuffix("Request") == true)
      #expect(SchemaTable.messageName(method.responseSchema) != nil)
    }
  }
}
