// D7: damage to a page of SQLite is reported to every read that needs the page, and to no other.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import HeddleStoreContract
import Testing

@testable import HeddleSQLite

@Suite struct DamageTests {
  let folder: TemporaryFolder
  let store: SQLiteStore
  let one = threadID(1)
  let other = threadID(2)
  private var key: KeyRecord { keyRecord(1, thread: one) }

  /// Two threads of two turns each, nine events, a snapshot and a key.
  init() async throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore(folder: folder.path)
    for (number, id) in [(1, one), (2, other)] as [(UInt64, ThreadID)] {
      let all = (1...9 as ClosedRange<UInt64>).map { number in
        let checkpoint = Event.Kind.itemCheckpoint(ItemCheckpoint(text: "x"))
        return event(number, "n", kind: number % 3 == 0 ? checkpoint : nil, ordinal: number < 5 ? 1 : 2)
      }
      try await store.write(
        .events(id, all), .thread(row(id, sequence: 9, name: "name")), .snapshot(id, sequence: 9, snapshot(id, 9)),
        .turn(id, ordinal: 1, id: turnID(1), turnBytes(1)), .turn(id, ordinal: 2, id: turnID(2), turnBytes(2)),
        .key(keyRecord(number, thread: id)))
    }
  }

  @Test("A page of keys that is broken refuses the changes that need it; everything else is written")
  func brokenPageOfKeys() async throws {
    store.close()
    let page = Int(try folder.connection().text("SELECT rootpage FROM sqlite_master WHERE name = 'keys'") ?? "") ?? 0
    var bytes = try folder.bytes("heddle.db")
    bytes[(page - 1) * 4_096] = 0xFF
    try folder.replace("heddle.db", bytes)
    let store = try SQLiteStore(folder: folder.path)
    let gate = Gate()
    let results = Recorder<String>()
    store.submit([]) { _ in gate.wait() }
    store.submit([Mutation([.events(other, [event(10)]), .thread(row(other, sequence: 10))])]) { results.add("\($0)") }
    store.submit([
      Mutation([.events(one, [event(10)]), .thread(row(one, sequence: 10)), .key(keyRecord(3, thread: one))])
    ]) { results.add("\($0)") }
    gate.open()
    try await store.write(.feature("x", true))
    let damage = StoreError.damaged(thread: one, sequence: 0)
    #expect(results.all == ["success()", "\(Result<Void, StoreError>.failure(damage))"])
    #expect(throws: StoreError.damaged(thread: ThreadID(), sequence: 0)) { try store.key(key.key, tenant: "t") }
    // Nothing of the refused change is there, and the thread takes others.
    #expect(try store.allEvents(one).count == 9)
    try await store.write(.events(one, [event(10)]), .thread(row(one, sequence: 10)))
    #expect(try store.allEvents(one).count == 10)
    #expect(try store.allEvents(other).count == 10)
  }
}
