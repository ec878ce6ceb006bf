// Values to bytes and back: nothing is lost, nothing is mixed up, for every message of the schema.

import CHeddleProtocol
import CProtobufC
import HeddleCore
import Testing

@testable import HeddleProtocol

@Suite struct CodecTests {
  private func roundTrip<M: WireMessage>(_ value: M) throws -> M {
    var codec = Codec()
    return try codec.decode(M.self, codec.encode(value))
  }

  @Test func everyMessageOfTheSchemaStandsAtItsIndex() {
    #expect(MessageTypes.all.map { Int($0.schemaIndex) } == Array(0..<SchemaTable.messageCount))
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
    for type in MessageTypes.all { try check(type) }
  }

  /// The bytes that protobuf-c packs from the message that it has read; nil when it cannot read it.
  private func packedAgain(_ bytes: [UInt8], _ descriptor: UnsafePointer<ProtobufCMessageDescriptor>) -> [UInt8]? {
    guard let message = protobuf_c_message_unpack(descriptor, nil, bytes.count, bytes) else { return nil }
    defer { protobuf_c_message_free_unpacked(message, nil) }
    return [UInt8](unsafeUninitializedCapacity: protobuf_c_message_get_packed_size(message)) { room, count in
      count = protobuf_c_message_pack(message, room.baseAddress)
    }
  }

  /// BackwardWriter writes the bytes that protobuf-c would write.
  @Test func everyMessageIsWrittenAsProtobufCWritesIt() throws {
    func check<M: WireMessage>(_ type: M.Type) throws {
      for variant in 0..<AllMessages.variants(M.schemaIndex) {
        var codec = Codec()
        let sample = AllMessages.sample(M.schemaIndex, variant: variant)
        let bytes = codec.encode(try codec.decode(M.self, JSONTranscoder.wire(sample, schema: M.schemaIndex)))
        #expect(packedAgain(bytes, M.descriptor) == bytes, "\(M.self)")
      }
    }
    for type in MessageTypes.all { try check(type) }
  }

  @Test(arguments: [0, 1, 127, 128, 16_383, 16_384, 4_000, 100_000, 3_000_000])
  func textsOfAnyLengthAreWrittenAsProtobufCWritesThem(length: Int) throws {
    var codec = Codec()
    let long = String(repeating: "x", count: length)
    let item = Item(
      status: .completed, kind: .message(MessageItem(role: .user, content: [ContentPart(part: .text(long))])))
    let event = Event(sequence: .max, at: -1, kind: .itemCompleted(ItemCompleted(item: item)))
    // Twice: the room that the first needed is given back before the second.
    for _ in 0..<2 {
      let bytes = codec.encode(event)
      #expect(packedAgain(bytes, Event.descriptor) == bytes)
      #expect(bytes.count > length)
    }
    #expect(codec.encode(Ping(opaque: [1])) == [10, 1, 1])
  }

  @Test func numbersAtTheirEndsAreWrittenAsProtobufCWritesThem() throws {
    for bits in 0..<64 {
      for value in [UInt64(1) << bits, (UInt64(1) << bits) &- 1, ~(UInt64(1) << bits)] {
        var codec = Codec()
        let event = Event(sequence: value, at: Int64(bitPattern: value))
        let bytes = codec.encode(event)
        #expect(packedAgain(bytes, Event.descriptor) == bytes)
        #expect(try codec.decode(Event.self, bytes) == event)
      }
    }
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
    for type in MessageTypes.all { try check(type) }
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
    #expect(kinds.count == 25)
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
