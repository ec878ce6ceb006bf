// P6: forks read what they share, whatever happens to its owner; and what deleting leaves behind.

import HeddleCore
import HeddleStorage
import Testing

struct SharedHistoryRules {
  let store: StoreUnderTest
  let a = threadID(1)
  let b = threadID(2)
  let c = threadID(3)

  /// `b` shares five events and two turns of `a`; `c` shares all that, and two events and a turn of `b`.
  init(_ make: MakeStore) async throws {
    store = StoreUnderTest(try make())
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

  private func stored(_ table: String, _ id: ThreadID) throws -> Int {
    try store.tested.rowCount(table, of: id)
  }

  static let rules: [StoreRule] = [
    StoreRule("P6: a fork of a fork reads each piece from its owner, up to where it was forked") { make in
      try await SharedHistoryRules(make).forkOfFork()
    },
    StoreRule("P4: a fork of events that are not there is refused, and nothing of it is kept") { make in
      try await SharedHistoryRules(make).forkOfNothing()
    },
    StoreRule("P6: events of one turn are found on both sides of the fork, and only there") { make in
      try await SharedHistoryRules(make).turnAcrossFork()
    },
    StoreRule("P6: deleting a source does not change its forks; what nobody shares goes") { make in
      try await SharedHistoryRules(make).deleteSource()
    },
    StoreRule("P6: when the last fork goes, what it shared of deleted threads goes too") { make in
      for argument in [false, true] {
        try await SharedHistoryRules(make).deleteFork(together: argument)
      }
    },
    StoreRule("A living source keeps its own events when a fork goes") { make in
      try await SharedHistoryRules(make).deleteOnlyFork()
    },
    StoreRule("A deleted thread is not found by any read, nor its keys") { make in
      try await SharedHistoryRules(make).tombstone()
    },
    StoreRule("A deleted thread does not come back by a late write, in the same group or a later one") { make in
      try await SharedHistoryRules(make).noReturn()
    },
  ]

  func forkOfFork() throws {
    try expectWholeC()
    #expect(try store.allEvents(b) == events(1...5, "a") + events(6...9, "b"))
    #expect(try store.allEvents(a) == events(1...8, "a"))
    #expect(try store.problems() == [])
  }

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
    #expect(try store.problems() == [])
  }

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

  func deleteSource() async throws {
    try await store.write(.delete([a]))
    try expectWholeC()
    #expect(try stored("events", a) == 5)
    #expect(try stored("turns", a) == 2)
    try await store.write(.delete([b]))
    try expectWholeC()
    #expect(try stored("events", b) == 2)
    #expect(try stored("turns", b) == 1)
    #expect(try store.problems() == [])
  }

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
    #expect(try store.problems() == [])
  }

  func deleteOnlyFork() async throws {
    try await store.write(.delete([c]))
    #expect(try store.allEvents(a) == events(1...8, "a"))
    #expect(try store.allEvents(b) == events(1...5, "a") + events(6...9, "b"))
  }

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
}
