// Every record that the store keeps, with every field that can stand often in it, is read back and can be shown. The
// schema says which fields these are, so a new one is tested from the day on which it is added.

import CHeddleProtocol
import HeddleCore
import Testing

@testable import HeddleProtocol

@Suite struct StoredShapeTests {
  /// The fields from a record down to one that is repeated.
  typealias Path = [heddle_field]

  /// Enough elements of two bytes that a stranger's budget of eight times the bytes, or 64 KiB, is too small.
  private static let many = 4_000
  /// Elements on each level, for repeated fields in repeated fields.
  private static let nested = 16

  /// Events, snapshots, turns; and answers, which the store keeps for requests that come again and clients read.
  private static let records: [any WireMessage.Type] =
    [Event.self, ThreadRecord.self, Turn.self]
    + MessageTypes.all.filter { SchemaTable.messageName($0.schemaIndex)?.hasSuffix("Response") == true }

  private static func paths(_ schema: UInt16, behind path: Path = []) -> [Path] {
    guard let message = SchemaTable.message(schema) else { return [] }
    return SchemaTable.fields(message).flatMap { field in
      let here = path + [field]
      let below = Int(field.wire_class) == HEDDLE_MESSAGE ? paths(field.target, behind: here) : []
      return (field.isRepeated ? [here] : []) + below
    }
  }

  /// Nothing but the path, in the fewest bytes: `last` elements of the last field, `each` of every repeated one before.
  private static func bytes(_ path: Path, each: Int, last: Int) -> [UInt8] {
    guard let field = path.first else { return [] }
    let number = UInt64(field.number)
    let count = path.count == 1 ? last : field.isRepeated ? each : 1
    if Int(field.wire_class) == HEDDLE_VARINT {
      // Repeated numbers stand in one block; 1 is a value of every enum.
      return Wire.block(number, Array(repeating: 1, count: count))
    }
    let content = path.count == 1 ? smallest(field) : bytes(Array(path.dropFirst()), each: each, last: last)
    return Array(repeatElement(Wire.block(number, content), count: count).joined())
  }

  private static func smallest(_ field: heddle_field) -> [UInt8] {
    field.isID ? Array(repeating: 1, count: 16) : []
  }

  private func comesBack<M: WireMessage>(_ type: M.Type, _ bytes: [UInt8], _ path: Path) throws {
    let name = "\(M.self).\(path.map(\.fieldName).joined(separator: "."))"
    var codec = Codec()
    let record = try codec.decodeTrusted(M.self, bytes)
    // Written by the server itself, and everything is still in it.
    let written = codec.encode(record)
    #expect(written.count >= bytes.count, "\(name)")
    #expect(try codec.decodeTrusted(M.self, written) == record, "\(name)")
    #expect(throws: Never.self, "\(name)") { try JSONTranscoder.value(written, schema: M.schemaIndex) }
  }

  @Test("D1: every record comes back, whichever of its fields has many elements")
  func everyRepeatedField() throws {
    func check<M: WireMessage>(_ type: M.Type) throws {
      for path in Self.paths(M.schemaIndex) {
        try comesBack(M.self, Self.bytes(path, each: 1, last: Self.many), path)
        try comesBack(M.self, Self.bytes(path, each: Self.nested, last: Self.nested), path)
      }
    }
    for type in Self.records { try check(type) }
  }

  @Test("D1: these are shapes that a stranger may not send: the test would find their limits in the store's way")
  func strangersAreRefused() {
    var refused = 0
    func check<M: WireMessage>(_ type: M.Type) {
      for path in Self.paths(M.schemaIndex) {
        var codec = Codec()
        let bytes = Self.bytes(path, each: 1, last: Self.many)
        do throws(DecodeError) { _ = try codec.decode(M.self, bytes) } catch {
          if error == .budget { refused += 1 } else { Issue.record("\(M.self): \(error)") }
        }
      }
    }
    for type in [Event.self, ThreadRecord.self] as [any WireMessage.Type] {
      refused = 0
      check(type)
      #expect(refused > 0, "\(type)")
    }
  }

  @Test("D1: no record nests deeper than a decoder goes: the schema has no recursion")
  func depth() {
    func depth(_ schema: UInt16, _ above: Set<UInt16>) -> Int {
      guard !above.contains(schema), let message = SchemaTable.message(schema) else { return 1_000 }
      let inner = SchemaTable.fields(message).filter { Int($0.wire_class) == HEDDLE_MESSAGE }
      return 1 + (inner.map { depth($0.target, above.union([schema])) }.max() ?? 0)
    }
    for type in Self.records { #expect(depth(type.schemaIndex, []) <= DecodeLimits.trusted.nesting, "\(type)") }
  }

  @Test("D1: what was stored can be shown, however many elements it has")
  func shown() throws {
    let parts = Array(repeating: ContentPart(part: .text("")), count: 70_000)
    var codec = Codec()
    let item = Item(kind: .message(MessageItem(role: .user, content: parts)))
    let bytes = codec.encode(Event(sequence: 1, kind: .itemCompleted(ItemCompleted(item: item))))
    #expect(throws: Never.self) { try JSONTranscoder.json(bytes, schema: Event.schemaIndex) }
  }

  @Test("D1: a thread with every limit reached comes back")
  func fullest() throws {
    let limits = Limits()
    let parts = Array(repeating: ContentPart(part: .text("x")), count: 496)
    let input = TurnInput(content: parts)
    var settings = Settings()
    settings.metadata = (0..<limits.metadataEntries).map { NameValue(name: "\($0)", value: "") }
    var record = ThreadRecord()
    record.id = ThreadID(high: 1, low: 2)
    record.settings = settings
    record.hiddenTurns = (0..<10_000).map { TurnRange(first: $0 * 2, last: $0 * 2) }
    record.segments = (0..<1_000).map { HistorySegment(thread: ThreadID(high: 1, low: $0), lastSequence: $0) }
    record.queue = Array(
      repeating: QueuedTurn(id: TurnID(high: 3, low: 4), input: input, queuedAt: 1), count: limits.queuedTurns)
    record.tools = Array(repeating: ToolDefinition(name: "t"), count: limits.tools)
    record.mailbox = Array(
      repeating: AgentMail(id: ItemID(high: 5, low: 6), content: [ContentPart(part: .text("m"))]),
      count: limits.mailboxMessages)
    record.outbox = record.mailbox
    var running = RunningTurn(id: TurnID(high: 7, low: 8), ordinal: 1)
    running.pending = Array(
      repeating: PendingInput(input: input, item: ItemID(high: 9, low: 1)), count: limits.steeredInputs)
    running.openCalls = Array(repeating: ToolCallItem(callId: "c", name: "n"), count: limits.toolCalls)
    record.running = running
    var codec = Codec()
    #expect(try codec.decodeTrusted(ThreadRecord.self, codec.encode(record)) == record)
  }
}
