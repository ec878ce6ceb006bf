// P6: forks read what they share, whatever happens to its owner; and what deleting leaves behind.

import HeddleCore
import HeddleStorage
import Testing

@testable import HeddleSQLite

@Suite struct SharedHistoryTests {
  let folder: TemporaryFolder
  let store: SQLiteStore
  let a = threadID(1)
  let b = threadID(2)
  let c = threadID(3)

  /// `b` shares five events and two turns of `a`; `c` shares all that, and two events and a turn of `b`.
  init() async throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore(folder: folder.path)
    let shareA = HistorySegment(thread: a, lastSequence: 5, lastOrdinal: 2)
    let shareB = HistorySegment(thread: b, lastSequence: 7, lastOrdinal: 3)
    try await store.write(
      .events(a, events(1...8, "a")), .thread(row(a, sequence: 8)), .key(keyRecord(1, thread: a)),
      .snapshot(a, sequence: 8, snapshot(a, 8)))
    try await store.write(turns(a, 1...3, 10))
    // The row may stand behind the events that need it.
    try await store.write(.events(b, events(6...9, "b")), .thread(row(b, sequence: 9, segments: [shareA])))
    try await store.write(turns(b, 3...4, 20))
    try await store.write(.thread(row(c, sequence: 8, segments: [shareA, shareB])), .events(c, events(8...8, "c")))
    try await store.write(turns(c, 4...4, 30))
  }

  private func turns(_ id: ThreadID, _ range: ClosedRange<UInt64>, _ mark: UInt8) -> [Mutation] {
    [Mutation(range.map { .turn(id, ordinal: $0, id: turnID(UInt64(mark) + $0), turnBytes(mark + UInt8($0))) })]
  }

  private var expectedC: [StoredEvent] { events(1...5, "a") + events(6...7, "b") + events(8...8, "c") }

  /// Everything that can be read of `c`, which no fate of its owners may change.
  private func expectWholeC() throws {
    #expect(try store.allEvents(c) == expectedC)
    #expect(try store.load(c, tenant: "t")?.tail == expectedC)
    #expect(try store.events(c, after: 4, limit: 3, bytes: .max) == Array(expectedC[4..<7]))
    let backwards = try store.events(
      c, kinds: [13], from: 8, backwards: true, ordinal: nil, hidden: [], limit: 4)
    #expect(backwards == Array(expectedC[3..<7].reversed()))
    let turns = try store.turns(c, from: 0, backwards: false, hidden: [], limit: 9)
    #expect(turns.map(\.payload) == [11, 12, 23, 34].map(turnBytes))
    #expect(try store.turn(c, ordinal: 2) == turnBytes(12))
    #expect(try store.turn(c, id: turnID(23))?.ordinal == 3)
    #expect(try store.turn(c, id: turnID(13)) == nil)
    #expect(try store.turn(c, id: turnID(24)) == nil)
  }

  private func stored(_ table: String, _ id: ThreadID) throws -> Int64 {
    let connection = try folder.connection()
    let select = try connection.statement("SELECT count(*) FROM \(table) WHERE thread = ?1")
    select.bind(id, at: 1)
    return try select.step() ? select.integer(0) : -1
  }

  @Test("P6: a fork of a fork reads each piece from its owner, up to where it was forked")
  func forkOfFork() throws {
    try expectWholeC()
    #expect(try store.allEvents(b) == events(1...5, "a") + events(6...9, "b"))
    #expect(try store.allEvents(a) == events(1...8, "a"))
    #expect(try store.check() == [])
  }

  @Test("P4: a fork of events that are not there is refused, and nothing of it is kept")
  func forkOfNothing() async throws {
    let beyond = HistorySegment(thread: a, lastSequence: 9, lastOrdinal: 3)
    await #expect(throws: StoreError.conflict("thread \(threadID(4)) shares events of \(a) that are not there (P4)")) {
      try await store.write(.thread(row(threadID(4), sequence: 9, segments: [beyond])))
    }
    let nobody = HistorySegment(thread: threadID(9), lastSequence: 1, lastOrdinal: 0)
    await #expect(throws: StoreError.self) {
      try await store.write(.thread(row(threadID(4), sequence: 1, segments: [nobody])))
    }
    #expect(try store.load(threadID(4), tenant: "t") == nil)
    #expect(try store.check() == [])
  }

  @Test("P6: events of one turn are found on both sides of the fork, and only there")
  func turnAcrossFork() async throws {
    let source = threadID(10)
    let forked = threadID(11)
    func marked(_ number: UInt64, _ ordinal: UInt64) -> StoredEvent { event(number, ordinal: ordinal) }
    try await store.write(
      .events(source, [marked(1, 1), marked(2, 0), marked(3, 2), marked(4, 2), marked(5, 1)]),
      .thread(row(source, sequence: 5)))
    let share = HistorySegment(thread: source, lastSequence: 3, lastOrdinal: 0)
    try await store.write(
      .events(forked, [marked(4, 2), marked(5, 3)]), .thread(row(forked, sequence: 5, segments: [share])))
    func find(_ id: ThreadID, _ ordinal: UInt64, backwards: Bool = false) throws -> [UInt64] {
      try store.events(id, kinds: [13], from: 0, backwards: backwards, ordinal: ordinal, hidden: [], limit: 9)
        .map(\.sequence)
    }
    #expect(try find(source, 1) == [1, 5])
    #expect(try find(source, 2) == [3, 4])
    #expect(try find(source, 0) == [2])
    #expect(try find(forked, 1) == [1])
    #expect(try find(forked, 2, backwards: true) == [4, 3])
    #expect(try find(forked, 3) == [5])
    #expect(try find(forked, 4) == [])
  }

  @Test("P6: deleting a source does not change its forks; what nobody shares goes")
  func deleteSource() async throws {
    try await store.write(.delete([a]))
    try expectWholeC()
    #expect(try stored("events", a) == 5)
    #expect(try stored("turns", a) == 2)
    try await store.write(.delete([b]))
    try expectWholeC()
    #expect(try stored("events", b) == 2)
    #expect(try stored("turns", b) == 1)
    #expect(try store.check() == [])
  }

  @Test("P6: when the last fork goes, what it shared of deleted threads goes too", arguments: [false, true])
  func deleteFork(together: Bool) async throws {
    let ended = TurnEnded(turn: turnID(11), status: .completed)
    try await store.write(.events(a, [event(9, kind: .turnEnded(ended), ordinal: 1)]), .thread(row(a, sequence: 9)))
    #expect(try stored("stretches", a) == 1)
    if together {
      try await store.write(.delete([a, b, c]))
    } else {
      for id in [a, b, c] { try await store.write(.delete([id])) }
    }
    for id in [a, b, c] {
      #expect(try stored("events", id) == 0)
      #expect(try stored("turns", id) == 0)
      #expect(try stored("snapshots", id) == 0)
      #expect(try stored("stretches", id) == 0)
    }
    #expect(try store.check() == [])
  }

  @Test("A living source keeps its own events when a fork goes")
  func deleteOnlyFork() async throws {
    try await store.write(.delete([c]))
    #expect(try store.allEvents(a) == events(1...8, "a"))
    #expect(try store.allEvents(b) == events(1...5, "a") + events(6...9, "b"))
  }

  @Test("A deleted thread is not found by any read, nor its keys")
  func tombstone() async throws {
    try await store.write(.delete([a]))
    #expect(try store.load(a, tenant: "t") == nil)
    #expect(try store.row(a, tenant: "t") == nil)
    #expect(try store.allEvents(a) == [])
    #expect(try store.turns(a, from: 0, backwards: false, hidden: [], limit: 9).isEmpty)
    #expect(try store.key(keyRecord(1, thread: a).key, tenant: "t") == nil)
    #expect(try store.tree(root: a, tenant: "t") == [])
    let listed = try store.list(tenant: "t", filter: ThreadFilter(), after: nil, limit: 9).rows
    #expect(listed.map(\.id) == [c, b])
  }

  @Test("A deleted thread does not come back by a late write, in the same group or a later one")
  func noReturn() async throws {
    let gate = Gate()
    let results = Recorder<Bool>()
    store.submit([]) { _ in gate.wait() }
    store.submit([Mutation([.thread(row(a, sequence: 8, name: "before"))])]) { results.add((try? $0.get()) != nil) }
    store.submit([Mutation([.delete([a])])]) { results.add((try? $0.get()) != nil) }
    store.submit([Mutation([.thread(row(a, sequence: 8, name: "late"))])]) { results.add((try? $0.get()) != nil) }
    gate.open()
    await #expect(throws: StoreError.conflict("thread \(a) is deleted")) {
      try await store.write(.events(a, [event(9)]))
    }
    #expect(results.all == [true, true, false])
    #expect(try store.row(a, tenant: "t") == nil)
    try await store.write(.delete([a, threadID(99)]))
  }

  @Test("Deleted text is gone from the files")
  func deletedTextIsGone() async throws {
    let id = threadID(50)
    let secret = "a-secret-that-nobody-else-has"
    try await store.write(
      .events(id, [event(1, secret)]), .thread(row(id, sequence: 1, name: secret)),
      .turn(id, ordinal: 1, id: turnID(1), Array(secret.utf8)))
    try await store.write(.delete([id]))
    store.close()
    #expect(try !folder.contains(secret))
    #expect(try folder.contains("a"))
  }

  @Test("Deleted text is gone from the log too while the store is open, once a later group has been written")
  func deletedTextIsGoneWhileOpen() async throws {
    let secret = "a-secret-that-nobody-else-has"
    let id = threadID(50)
    try await store.write([newThread(id, 1, secret)])
    #expect(try folder.contains(secret))
    try await store.write(.delete([id]))
    // The log is emptied behind the answer, and before the next group.
    try await store.write(.feature("another", true))
    #expect(try !folder.contains(secret))
    #expect(try store.features() == ["another": true])
  }

  @Test("Deleted text that somebody reads meanwhile holds nobody up, and is gone once nobody reads it any more")
  func deletedTextIsGoneBehindAReader() async throws {
    let secret = "a-secret-that-somebody-reads"
    let id = threadID(50)
    try await store.write([newThread(id, 1, secret)])
    let reader = try folder.connection()
    try reader.execute("BEGIN")
    #expect(try reader.text("SELECT count(*) FROM threads") == "4")
    try await store.write(.delete([id]))
    try await store.write(.feature("one", true))
    #expect(try folder.contains(secret))
    try reader.execute("ROLLBACK")
    // The first of them tries again behind its answer, the second waits for that.
    try await store.write(.feature("two", true))
    try await store.write(.feature("three", true))
    #expect(try !folder.contains(secret))
  }
}
