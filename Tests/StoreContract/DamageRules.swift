// D7 P9: a read that needs a changed row reports the damage, other reads do not; no row is left out silently.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import Testing

struct DamageRules {
  let store: StoreUnderTest
  let one = threadID(1)
  let other = threadID(2)
  private var key: KeyRecord { keyRecord(1, thread: one) }

  /// Two threads of two turns each, nine events, a snapshot and a key.
  init(_ make: MakeStore) async throws {
    store = StoreUnderTest(try make())
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

  private func damage(
    _ table: String, _ change: RowDamage.Change, of thread: ThreadID? = nil, number: UInt64? = nil
  ) throws {
    try store.tested.damage(RowDamage(table, change, of: thread ?? one, number: number))
  }

  private static let nobody = RowDamage.Value.bytes([UInt8](repeating: 0, count: 16))

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

  static let rules: [StoreRule] = [
    StoreRule("What is whole is read") { make in
      try await DamageRules(make).whole()
    },
    StoreRule("A column of a thread's row that changed is damage to that thread") { make in
      for (column, value) in threadColumns { try await DamageRules(make).threadColumn(column, value) }
    },
    StoreRule("A turn that changed or is missing is damage to its thread") { make in
      for change in turnChanges { try await DamageRules(make).turn(change) }
    },
    StoreRule("A key whose result changed is damage to its request, not another answer") { make in
      for (column, value) in keyColumns { try await DamageRules(make).keyColumn(column, value) }
    },
    StoreRule("A snapshot that is missing is missed") { make in
      for change in [.delete, .set(column: "thread", nobody)] as [RowDamage.Change] {
        try await DamageRules(make).missingSnapshot(change)
      }
    },
    StoreRule(
      "A thread has its first snapshot, loses it and the mark with it, and is told apart from one that never had any"
    ) { make in
      try await DamageRules(make).snapshotMark()
    },
    StoreRule("Lists by kind miss an event that is not there, in the range that they cover") { make in
      for change in [.delete, .set(column: "thread", nobody)] as [RowDamage.Change] {
        try await DamageRules(make).missingInLists(change)
      }
    },
    StoreRule("P9 D7: an event that changed is damage to its thread, named by number; other threads serve on") { make in
      try await DamageRules(make).changedEvent()
    },
    StoreRule("P9 D7: an event that is missing is damage, in the middle and at the end") { make in
      for number in [3, 9] as [UInt64] { try await DamageRules(make).missingEvent(number) }
    },
    StoreRule("P9: a snapshot that changed is not loaded") { make in
      try await DamageRules(make).snapshotColumn()
    },
    StoreRule("A list of one turn misses an event that says it is of another") { make in
      try await DamageRules(make).wrongTurnInLists()
    },
    StoreRule("A list of threads that meets a damaged row is refused with its name, not without it") { make in
      try await DamageRules(make).threadList()
    },
    StoreRule("A damaged row is not written over: changes to its thread are refused, others of the same group are kept")
    { make in
      try await DamageRules(make).damagedRowIsNotWritten()
    },
  ]

  private static let threadColumns: [(String, RowDamage.Value)] = [
    ("tenant", .text("u")), ("epoch", .number(1)), ("root", nobody), ("parent", nobody), ("forked_from", nobody),
    ("source", .number(2)), ("created_at", .number(1)), ("updated_at", .number(1)), ("archived", .number(1)),
    ("name", .text("name2")), ("preview", .text("x")), ("provider", .text("x")), ("folder", .text("x")),
    ("active", .number(1)), ("sequence", .number(8)), ("segments", .bytes([UInt8](repeating: 0, count: 32))),
    ("deleted", .number(1)), ("snapshot", .number(0)), ("crc", .number(0)), ("id", nobody),
  ]

  private static let turnChanges: [RowDamage.Change] = [
    .set(column: "payload", .bytes([1, 2])), .set(column: "id", nobody), .set(column: "ordinal", .number(9)),
    .set(column: "thread", nobody), .delete,
  ]

  private static let keyColumns: [(String, RowDamage.Value)] = [
    ("method", .number(1)), ("hash", .bytes([UInt8](repeating: 0, count: 32))), ("thread", .null), ("at", .number(6)),
    ("response", .bytes([1, 2, 4])), ("crc", .number(0)),
  ]

  func whole() throws {
    try expectWhole(one, 1)
    try expectWhole(other, 2)
    #expect(try store.problems() == [])
  }

  func threadColumn(_ column: String, _ value: RowDamage.Value) throws {
    try damage("threads", .set(column: column, value))
    let damage = StoreError.damaged(thread: one, sequence: 0)
    #expect(throws: damage) { try store.row(one, tenant: "t") }
    #expect(throws: damage) { try store.load(one, tenant: "t") }
    #expect(throws: damage) { try store.allEvents(one) }
    #expect(try store.active(in: .all) == [])
    try expectWhole(other, 2)
    #expect(try !store.problems().isEmpty)
  }

  func turn(_ change: RowDamage.Change) throws {
    try damage("turns", change, number: 2)
    let damage = StoreError.damaged(thread: one, sequence: 9)
    #expect(throws: damage) { try store.turn(one, ordinal: 2) }
    for backwards in [false, true] {
      #expect(throws: damage) { try store.turns(one, from: 0, backwards: backwards, hidden: [], limit: 9) }
    }
    // A page that ends in front of it does not need it.
    #expect(try store.turns(one, from: 0, backwards: false, hidden: [], limit: 1).map(\.payload) == [turnBytes(1)])
    #expect(try store.turn(one, id: turnID(1))?.payload == turnBytes(1))
    try expectWhole(other, 2)
    #expect(try !store.problems().isEmpty)
  }

  func keyColumn(_ column: String, _ value: RowDamage.Value) throws {
    try damage("keys", .set(column: column, value))
    #expect {
      try store.key(key.key, tenant: "t")
    } throws: { error in
      if case StoreError.damaged = error { return true }
      return false
    }
    #expect(try store.allEvents(one).count == 9)
    try expectWhole(other, 2)
    #expect(try !store.problems().isEmpty)
  }

  func changedEvent() async throws {
    try damage("events", .set(column: "payload", .bytes([1, 2])), number: 5)
    let damage = StoreError.damaged(thread: one, sequence: 5)
    #expect(throws: damage) { try store.allEvents(one) }
    #expect(throws: damage) { try list(one, backwards: true) }
    // Loading reads no event in front of the snapshot.
    #expect(try store.load(one, tenant: "t")?.tail == [])
    #expect(try store.events(one, after: 0, limit: 4, bytes: .max).count == 4)
    try expectWhole(other, 2)
    try await store.write(.events(other, [event(10)]), .thread(row(other, sequence: 10)))
    #expect(try store.allEvents(other).count == 10)
    #expect(try !store.problems().isEmpty)
  }

  func missingEvent(_ number: UInt64) throws {
    try damage("events", .delete, number: number)
    #expect(throws: StoreError.damaged(thread: one, sequence: number)) { try store.allEvents(one) }
    try expectWhole(other, 2)
    #expect(try !store.problems().isEmpty)
  }

  func snapshotColumn() throws {
    try damage("snapshots", .set(column: "seq", .number(1)))
    #expect(throws: StoreError.damaged(thread: one, sequence: 1)) { try store.load(one, tenant: "t") }
  }

  func missingSnapshot(_ change: RowDamage.Change) throws {
    try damage("snapshots", change)
    #expect(throws: StoreError.damaged(thread: one, sequence: 0)) { try store.load(one, tenant: "t") }
    try expectWhole(other, 2)
    #expect(try !store.problems().isEmpty)
  }

  func snapshotMark() async throws {
    let id = threadID(3)
    try await store.write([newThread(id, 2)])
    #expect(try store.load(id, tenant: "t")?.snapshot == nil)
    try await store.write(.snapshot(id, sequence: 2, snapshot(id, 2)))
    try await store.write(.events(id, [event(3)]), .thread(row(id, sequence: 3)))
    #expect(try store.load(id, tenant: "t")?.snapshot == snapshot(id, 2))
    try damage("snapshots", .delete, of: id)
    #expect(throws: StoreError.damaged(thread: id, sequence: 0)) { try store.load(id, tenant: "t") }
  }

  func missingInLists(_ change: RowDamage.Change) throws {
    try damage("events", change, number: 7)
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

  func wrongTurnInLists() throws {
    try damage("events", .set(column: "ordinal", .number(3)), number: 7)
    #expect(throws: StoreError.damaged(thread: one, sequence: 7)) { try list(one, ordinal: 2) }
  }

  func threadList() throws {
    try damage("threads", .set(column: "name", .text("x")))
    #expect(throws: StoreError.damaged(thread: one, sequence: 0)) {
      try store.list(tenant: "t", filter: ThreadFilter(), after: nil, limit: 9)
    }
    #expect(throws: StoreError.damaged(thread: one, sequence: 0)) { try store.tree(root: one, tenant: "t") }
  }

  func damagedRowIsNotWritten() async throws {
    store.store.close()
    try damage("threads", .set(column: "name", .text("x")))
    let store = StoreUnderTest(try store.tested.reopened())
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
    #expect(try store.problems().count == 1)
  }
}
