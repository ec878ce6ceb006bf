// D7: bytes that are not what was written are told to whoever needs them, and nobody else; nothing is left out silently.

import Glibc
import HeddleCore
import HeddleProtocol
import HeddleStorage
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

  private func damage(_ sql: String) throws { try folder.connection().execute(sql) }

  private func named(_ id: ThreadID) -> String { "x'\(id.description.replacing("-", with: ""))'" }

  private func list(
    _ id: ThreadID, ordinal: UInt64? = nil, from: UInt64 = 0, backwards: Bool = false, limit: Int = 99
  ) throws -> [UInt64] {
    try store.events(
      id, kinds: [13], from: from, backwards: backwards, ordinal: ordinal, hidden: [], limit: limit
    ).map(\.sequence)
  }

  /// All that can be asked about a thread.
  private func expectWhole(_ id: ThreadID, _ number: UInt64) throws {
    #expect(try store.load(id, tenant: "t")?.row.name == "name")
    #expect(try store.allEvents(id).count == 9)
    #expect(try list(id) == [1, 2, 4, 5, 7, 8])
    #expect(try list(id, ordinal: 2) == [5, 7, 8])
    let turns = try store.turns(id, from: 0, backwards: false, hidden: [], limit: 9)
    #expect(turns.map(\.payload) == [turnBytes(1), turnBytes(2)])
    #expect(try store.turn(id, ordinal: 2) == turnBytes(2))
    #expect(try store.turn(id, id: turnID(1))?.ordinal == 1)
    #expect(try store.key(keyRecord(number, thread: id).key, tenant: "t") == keyRecord(number, thread: id))
  }

  @Test("What is whole is read")
  func whole() throws {
    try expectWhole(one, 1)
    try expectWhole(other, 2)
    #expect(try store.check() == [])
  }

  @Test(
    "A column of a thread's row that changed is damage to that thread",
    arguments: [
      "tenant = 'u'", "epoch = 1", "root = zeroblob(16)", "parent = zeroblob(16)", "forked_from = zeroblob(16)",
      "source = source + 1", "created_at = 1", "updated_at = 1", "archived = 1", "name = 'name2'", "preview = 'x'",
      "provider = 'x'", "folder = 'x'", "active = 1", "sequence = 8", "segments = zeroblob(32)", "deleted = 1",
      "snapshot = 0", "crc = 0", "id = zeroblob(16)",
    ])
  func threadColumn(change: String) throws {
    try damage("UPDATE threads SET \(change) WHERE id = \(named(one))")
    let damage = StoreError.damaged(thread: one, sequence: 0)
    #expect(throws: damage) { try store.row(one, tenant: "t") }
    #expect(throws: damage) { try store.load(one, tenant: "t") }
    #expect(throws: damage) { try store.allEvents(one) }
    #expect(try store.active(in: .all) == [])
    try expectWhole(other, 2)
    #expect(try !store.check().isEmpty)
  }

  @Test(
    "A turn that changed or is missing is damage to its thread",
    arguments: [
      "UPDATE turns SET payload = x'0102'", "UPDATE turns SET id = zeroblob(16)", "UPDATE turns SET ordinal = 9",
      "UPDATE turns SET thread = zeroblob(16)", "DELETE FROM turns",
    ])
  func turn(change: String) throws {
    try damage("\(change) WHERE thread = \(named(one)) AND ordinal = 2")
    let damage = StoreError.damaged(thread: one, sequence: 9)
    #expect(throws: damage) { try store.turn(one, ordinal: 2) }
    for backwards in [false, true] {
      #expect(throws: damage) { try store.turns(one, from: 0, backwards: backwards, hidden: [], limit: 9) }
    }
    // A page that ends in front of it does not need it.
    #expect(try store.turns(one, from: 0, backwards: false, hidden: [], limit: 1).map(\.payload) == [turnBytes(1)])
    #expect(try store.turn(one, id: turnID(1))?.payload == turnBytes(1))
    try expectWhole(other, 2)
    #expect(try !store.check().isEmpty)
  }

  @Test(
    "A key whose result changed is damage to its request, not another answer",
    arguments: ["method = 1", "hash = zeroblob(32)", "thread = NULL", "at = 6", "response = x'010204'", "crc = 0"])
  func keyColumn(change: String) throws {
    try damage("UPDATE keys SET \(change) WHERE thread = \(named(one))")
    #expect {
      try store.key(key.key, tenant: "t")
    } throws: { error in
      if case StoreError.damaged = error { return true }
      return false
    }
    #expect(try store.allEvents(one).count == 9)
    try expectWhole(other, 2)
    #expect(try !store.check().isEmpty)
  }

  @Test(
    "A snapshot that is missing is missed",
    arguments: ["DELETE FROM snapshots", "UPDATE snapshots SET thread = x'00'"])
  func missingSnapshot(change: String) throws {
    try damage("\(change) WHERE thread = \(named(one))")
    #expect(throws: StoreError.damaged(thread: one, sequence: 0)) { try store.load(one, tenant: "t") }
    try expectWhole(other, 2)
    #expect(try store.check().contains("thread \(one): its snapshot is missing"))
  }

  @Test("A thread has its first snapshot, loses it and the mark with it, and is told apart from one that never had any")
  func snapshotMark() async throws {
    let id = threadID(3)
    try await store.write([newThread(id, 2)])
    #expect(try store.load(id, tenant: "t")?.snapshot == nil)
    try await store.write(.snapshot(id, sequence: 2, snapshot(id, 2)))
    try await store.write(.events(id, [event(3)]), .thread(row(id, sequence: 3)))
    #expect(try store.load(id, tenant: "t")?.snapshot == snapshot(id, 2))
    try damage("DELETE FROM snapshots WHERE thread = \(named(id))")
    #expect(throws: StoreError.damaged(thread: id, sequence: 0)) { try store.load(id, tenant: "t") }
  }

  @Test(
    "Lists by kind miss an event that is not there, in the range that they cover",
    arguments: ["DELETE FROM events", "UPDATE events SET thread = zeroblob(16)"])
  func missingInLists(change: String) throws {
    try damage("\(change) WHERE thread = \(named(one)) AND seq = 7")
    let damage = StoreError.damaged(thread: one, sequence: 7)
    for backwards in [false, true] {
      #expect(throws: damage) { try list(one, backwards: backwards) }
      #expect(throws: damage) { try list(one, ordinal: 2, backwards: backwards) }
    }
    // Pages that end in front of it, and the turn before.
    #expect(try list(one, limit: 4) == [1, 2, 4, 5])
    #expect(try list(one, from: 9, backwards: true, limit: 1) == [8])
    #expect(try list(one, ordinal: 1) == [1, 2, 4])
    try expectWhole(other, 2)
  }

  @Test("A list of one turn misses an event that says it is of another")
  func wrongTurnInLists() throws {
    try damage("UPDATE events SET ordinal = 3 WHERE thread = \(named(one)) AND seq = 7")
    #expect(throws: StoreError.damaged(thread: one, sequence: 7)) { try list(one, ordinal: 2) }
  }

  @Test("A list of threads that meets a damaged row is refused with its name, not without it")
  func threadList() throws {
    try damage("UPDATE threads SET name = 'x' WHERE id = \(named(one))")
    #expect(throws: StoreError.damaged(thread: one, sequence: 0)) {
      try store.list(tenant: "t", filter: ThreadFilter(), after: nil, limit: 9)
    }
    #expect(throws: StoreError.damaged(thread: one, sequence: 0)) { try store.tree(root: one, tenant: "t") }
  }

  @Test("A damaged row is not written over: changes to its thread are refused, others of the same group are kept")
  func damagedRowIsNotWritten() async throws {
    store.close()
    try damage("UPDATE threads SET name = 'x' WHERE id = \(named(one))")
    let store = try SQLiteStore(folder: folder.path)
    let gate = Gate()
    let results = Recorder<String>()
    store.submit([]) { _ in gate.wait() }
    for id in [one, other] {
      store.submit([Mutation([.events(id, [event(10)]), .thread(row(id, sequence: 10))])]) { results.add("\($0)") }
    }
    gate.open()
    let damage = StoreError.damaged(thread: one, sequence: 0)
    await #expect(throws: damage) { try await store.write(.delete([one])) }
    #expect(results.all == ["\(Result<Void, StoreError>.failure(damage))", "success()"])
    #expect(try store.allEvents(other).count == 10)
    #expect(try store.check() == ["thread \(one): its row has a wrong checksum"])
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
