// Records of the store are read back whatever their shape: the budget of a stranger does not count for them.

import HeddleCore
import Testing

@testable import HeddleProtocol

@Suite struct StoredRecordTests {
  /// Counts of elements around the limits of requests, and far beyond everything that a request could bring.
  static let counts = [1, 15, 16, 40, 400, 495, 496, 497, 4_000, 65_535, 65_536, 65_537, 100_000]

  private static func input(_ parts: Int) -> TurnInput {
    TurnInput(content: Array(repeating: ContentPart(part: .text("x")), count: parts))
  }

  private static func message(_ parts: Int) -> Item {
    Item(
      id: ItemID(high: 1, low: 2), status: .completed,
      kind: .message(MessageItem(role: .user, content: input(parts).content)))
  }

  private func comesBack<M: WireMessage>(_ record: M) throws {
    var codec = Codec()
    let bytes = codec.encode(record)
    #expect(try codec.decodeTrusted(M.self, bytes) == record)
    // A stranger's limits count again for the next message.
    #expect(throws: DecodeError.self) { try codec.decode(Event.self, Self.tooMany(&codec)) }
  }

  /// An event that no stranger may send.
  private static func tooMany(_ codec: inout Codec) -> [UInt8] {
    codec.encode(Event(sequence: 1, kind: .itemCompleted(ItemCompleted(item: message(70_000)))))
  }

  @Test("D1: an event comes back, however many parts its input has", arguments: counts)
  func events(count: Int) throws {
    try comesBack(Event(sequence: 1, at: 1, kind: .itemCompleted(ItemCompleted(item: Self.message(count)))))
  }

  @Test("D1: a compaction comes back, however many short inputs it keeps", arguments: counts)
  func compactions(count: Int) throws {
    let kept = Array(repeating: MessageItem(role: .user, content: Self.input(1).content), count: count)
    let compaction = CompactionItem(summary: "s", replacement: kept)
    try comesBack(Event(sequence: 1, at: 1, kind: .contextCompacted(ContextCompacted(compaction: compaction))))
  }

  @Test("D1: a snapshot comes back, however many parts its waiting turns have", arguments: counts)
  func snapshots(count: Int) throws {
    var record = ThreadRecord()
    record.id = ThreadID(high: 1, low: 2)
    let waiting = QueuedTurn(id: TurnID(high: 3, low: 4), input: Self.input(min(count, 5_000)), queuedAt: 1)
    record.queue = Array(repeating: waiting, count: 16)
    try comesBack(record)
  }

  @Test("D1: a turn in a snapshot comes back, however many steered inputs and open calls it has", arguments: counts)
  func runningTurns(count: Int) throws {
    var running = RunningTurn(id: TurnID(high: 1, low: 2), ordinal: 1)
    running.pending = Array(repeating: PendingInput(input: Self.input(1), item: ItemID(high: 1, low: 1)), count: count)
    running.openCalls = Array(repeating: ToolCallItem(callId: "c", name: "n"), count: count)
    var record = ThreadRecord()
    (record.id, record.running) = (ThreadID(high: 1, low: 2), running)
    try comesBack(record)
  }
}
