// Names and numbers of enums, methods and their messages are generated from the schema twice, and agree.

import CHeddleProtocol
import HeddleCore
import HeddleJSON
import Testing

@testable import HeddleProtocol

@Suite struct NamesTests {
  /// Every enum of the schema table, by its name: number → name of the value.
  private var schema: [String: [Int32: String]] {
    var out: [String: [Int32: String]] = [:]
    for index in 0..<heddle_schema_enum_count {
      guard let found = heddle_schema_enum(index) else { continue }
      let values = UnsafeBufferPointer(start: found.pointee.values, count: Int(found.pointee.value_count))
      out[String(cString: found.pointee.name)] = Dictionary(
        uniqueKeysWithValues: values.map { ($0.number, String(cString: $0.name)) })
    }
    return out
  }

  private func values<E: CaseIterable & RawRepresentable<Int32>>(
    _ type: E.Type, _ name: (E) -> String
  ) -> (String, [Int32: String]) {
    ("\(type)", Dictionary(uniqueKeysWithValues: type.allCases.map { ($0.rawValue, name($0)) }))
  }

  @Test func everyEnumHasTheNamesAndNumbersOfTheSchema() {
    let swift = [
      values(AgentActivityKind.self, \.name), values(AgentMessageKind.self, \.name), values(Code.self, \.name),
      values(FeatureStage.self, \.name), values(FrameKind.self, \.name), values(ItemStatus.self, \.name),
      values(ListOrder.self, \.name), values(MarkerKind.self, \.name), values(Method.self, \.name),
      values(MultiAgentMode.self, \.name), values(MultiAgentVersion.self, \.name), values(Phase.self, \.name),
      values(Role.self, \.name), values(ServingStatus.self, \.name), values(SettingsField.self, \.name),
      values(SubscriptionKind.self, \.name), values(ThreadSource.self, \.name), values(ThreadState.self, \.name),
      values(TurnCause.self, \.name), values(TurnStatus.self, \.name), values(VersionSource.self, \.name),
      values(WhenBusy.self, \.name), values(IdKind.self, \.name), values(CaptureEnd.self, \.name),
      values(CallKind.self, \.name),
    ]
    #expect(Dictionary(uniqueKeysWithValues: swift) == schema)
  }

  @Test func everyRequestAndAnswerComesBackAsTheOneOfItsMethod() throws {
    for method in Method.allCases where method != .unspecified {
      let asked = try JSONTranscoder.wire(AllMessages.sample(method.requestSchema), schema: method.requestSchema)
      let answered = try JSONTranscoder.wire(AllMessages.sample(method.responseSchema), schema: method.responseSchema)
      var codec = Codec()
      let request = try asked.withUnsafeBytes { try Request(method, $0, &codec) }
      let response = try answered.withUnsafeBytes { try Response(method, $0, &codec) }
      if method.isServerCall {
        #expect(request == nil && response == nil)
        continue
      }
      #expect(try #require(request).method == method)
      #expect(try #require(response).method == method)
      let again = codec.encode(try #require(request))
      #expect(try again.withUnsafeBytes { try Request(method, $0, &codec) } == request)
      let sent = codec.encode(try #require(response))
      #expect(try sent.withUnsafeBytes { try Response(method, $0, &codec) } == response)
    }
    var codec = Codec()
    #expect(try Request(.unspecified, UnsafeRawBufferPointer(start: nil, count: 0), &codec) == nil)
    #expect(try Response(.unspecified, UnsafeRawBufferPointer(start: nil, count: 0), &codec) == nil)
  }

  @Test func pathsAreOnesOfTheirMethodsAndMessagesAreNamedLikeThem() throws {
    #expect(Set(Method.allCases.map(\.path)).count == Method.allCases.count)
    for method in Method.allCases where method != .unspecified {
      let path = method.path.split(separator: "/")
      #expect(path.count == 2 && path[0].hasSuffix("Service"))
      #expect(try #require(SchemaTable.messageName(method.requestSchema)).hasSuffix("Request"))
      let answer = try #require(SchemaTable.messageName(method.responseSchema))
      #expect(answer.hasSuffix("Response") || answer == "SubscriptionEvent", "\(method): \(answer)")
    }
  }

  @Test func everyReasonHasACodeThatIsAnError() {
    for reason in Reason.allCases {
      #expect(reason.code != .unspecified, "\(reason)")
      #expect(Reason(rawValue: reason.rawValue) == reason)
      #expect(reason.advice.hasSuffix("."), "\(reason)")
    }
  }

  @Test func everyMemberOfAOneofKnowsItsNumber() throws {
    func numbers<M: WireMessage>(_ type: M.Type, _ number: (M) -> UInt8?) throws -> [Set<UInt8>] {
      let fields = SchemaTable.fields(try #require(SchemaTable.message(M.schemaIndex))).filter { $0.oneof != 0 }
      var found: Set<UInt8> = []
      for variant in 0..<AllMessages.variants(M.schemaIndex) {
        let sample = AllMessages.sample(M.schemaIndex, variant: variant)
        var codec = Codec()
        let value = try codec.decode(M.self, JSONTranscoder.wire(sample, schema: M.schemaIndex))
        found.insert(try #require(number(value)))
      }
      return [found, Set(fields.map { UInt8($0.number) })]
    }
    for pair in [
      try numbers(Event.self) { $0.kind?.number }, try numbers(SubscriptionEvent.self) { $0.kind?.number },
      try numbers(Item.self) { $0.kind?.number }, try numbers(ContentPart.self) { $0.part?.number },
      try numbers(ModeSelection.self) { $0.choice?.number },
    ] { #expect(pair[0] == pair[1]) }
  }

  /// With every other field set, so that it is this one that is missed, and not one before it.
  @Test func aFieldThatIsAbsentIsAbsentAfterwardsOrNamedAsMissing() throws {
    func check<M: WireMessage>(_ type: M.Type) throws {
      guard case .object(let members) = AllMessages.sample(M.schemaIndex) else { return }
      for absent in members {
        let rest = JSONValue.object(members.filter { $0 != absent })
        let bytes = try JSONTranscoder.wire(rest, schema: M.schemaIndex)
        var codec = Codec()
        do throws(DecodeError) {
          let value = try codec.decode(M.self, bytes)
          let back = try? JSONTranscoder.value(codec.encode(value), schema: M.schemaIndex)
          #expect(back == rest, "\(M.self).\(absent.name)")
        } catch { #expect(error == .missingField(absent.name), "\(M.self).\(absent.name)") }
      }
    }
    for type in MessageTypes.all { try check(type) }
  }

  @Test func theTableFindsMessagesAndFieldsByName() {
    for schema in 0..<heddle_schema_message_count {
      #expect(SchemaTable.messageName(schema).flatMap(SchemaTable.schema(named:)) == schema)
    }
    #expect(SchemaTable.schema(named: "NoSuchMessage") == nil)
    #expect(SchemaTable.fieldNames(ImagePart.schemaIndex) == ["url", "detail"])
    #expect(SchemaTable.fieldNames(heddle_schema_message_count) == [])
  }
}
