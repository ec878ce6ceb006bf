// The promises of Store.swift, in its order.

import HeddleCore
import HeddleStorage
import Testing

struct PromiseRules {
  let tested: any TestedStore
  var store: StoreUnderTest { StoreUnderTest(tested) }

  init(_ make: MakeStore) throws { tested = try make() }

  static let rules: [StoreRule] = [
    StoreRule("D1 P1: when a completion comes, a process that starts after a kill finds the mutation") { make in
      try await PromiseRules(make).acknowledgedIsStored()
    },
    StoreRule("P2: completions of a lane come in the order of submission") { make in
      try await PromiseRules(make).completionOrder()
    },
    StoreRule("P2: each lane keeps its own order, however many there are") { make in
      try await PromiseRules(make).lanes()
    },
    StoreRule("close answers everything that was submitted before it and refuses later changes and reads") { make in
      try await PromiseRules(make).closing()
    },
    StoreRule("P2 P3: a mutation that is refused leaves nothing behind") { make in
      try await PromiseRules(make).refusedIsWhole()
    },
    StoreRule("P2: submissions that share a group with a refused one are kept, in order, and continue each other") {
      make in
      try await PromiseRules(make).conflictIsolation()
    },
    StoreRule("P4: a number that is there already, or that leaves a hole, is refused") { make in
      for argument in [1, 2, 4, 9] as [UInt64] {
        try await PromiseRules(make).numbersWithoutHoles(sequence: argument)
      }
    },
    StoreRule("P5: what a completion announces can be read by whoever hears of it") { make in
      try await PromiseRules(make).readAfterCompletion()
    },
    StoreRule("P7: a key is found with what it was stored with, and is never stored twice") { make in
      try await PromiseRules(make).keys()
    },
    StoreRule("P8: loading reads the row, the newest snapshot and only the events behind it") { make in
      try await PromiseRules(make).load()
    },
    StoreRule("Rows come back as they were written, every field") { make in
      try await PromiseRules(make).rows()
    },
    StoreRule("Threads at work and strays are found by the slots of their trees") { make in
      try await PromiseRules(make).slots()
    },
    StoreRule("Reading events stops at the limit, and once the bytes are reached, but never before one") { make in
      try await PromiseRules(make).pages()
    },
    StoreRule("Events of a kind come in both directions, of one turn, and without hidden turns") { make in
      try await PromiseRules(make).eventsOfKinds()
    },
    StoreRule("Turns are replaced by ordinal, found by id, and listed in both directions without hidden ones") { make in
      try await PromiseRules(make).turns()
    },
    StoreRule("Features keep the value that was set last, and go when it is taken back") { make in
      try await PromiseRules(make).features()
    },
    StoreRule("P4: a row that names another event than the newest, and a snapshot beyond it, are refused") { make in
      try await PromiseRules(make).numbersOfRowsAndSnapshots()
    },
    StoreRule("D10: a key without a thread may be stored anew after seven days and no sooner, one of a thread never") {
      make in
      try await PromiseRules(make).keysOfAWeek()
    },
  ]

  func acknowledgedIsStored() async throws {
    let copies = Recorder<any TestedStore>()
    await withCheckedContinuation { continuation in
      store.submit([newThread(threadID(1), 3)]) { [tested] _ in
        if let copy = try? tested.afterKill() { copies.add(copy) }
        continuation.resume()
      }
    }
    let copy = StoreUnderTest(try #require(copies.all.first))
    #expect(try copy.allEvents(threadID(1)) == events(1...3))
  }

  func completionOrder() async throws {
    let order = Recorder<Int>()
    for number in 1...200 {
      store.submit([newThread(threadID(UInt64(number)), 1)]) { _ in order.add(number) }
    }
    try await store.write([newThread(threadID(1_000), 1)])
    #expect(order.all == Array(1...200))
  }

  func lanes() async throws {
    let lanes = (0..<3).map { _ in Recorder<Int>() }
    for number in 1...100 {
      for (index, order) in lanes.enumerated() {
        let id = threadID(UInt64(1_000 * index + number))
        store.store.submit([newThread(id, 1)], lane: WriteLane(index)) { _ in order.add(number) }
      }
    }
    for (index, order) in lanes.enumerated() {
      try await store.store.submit([newThread(threadID(UInt64(1_000 * index + 999)), 1)], lane: WriteLane(index))
      #expect(order.all == Array(1...100))
    }
  }

  func closing() async throws {
    let results = Recorder<Bool>()
    for number in 1...100 as ClosedRange<UInt64> {
      store.submit([newThread(threadID(number), 1)]) { results.add((try? $0.get()) != nil) }
    }
    store.store.close()
    #expect(results.all == Array(repeating: true, count: 100))
    store.submit([newThread(threadID(101), 1)]) { results.add((try? $0.get()) != nil) }
    #expect(results.all.last == false)
    await #expect(throws: StoreError.self) {
      try await store.store.read { reader, _ throws(StoreError) in try reader.row(threadID(1), tenant: "t") }
    }
    store.store.close()
    let reopened = StoreUnderTest(try tested.reopened())
    for number in 1...100 as ClosedRange<UInt64> {
      #expect(try reopened.allEvents(threadID(number)) == events(1...1))
    }
  }

  /// A slot has sixteen places; an imported agent lives in that of its root.
  func slots() async throws {
    func id(_ place: UInt64) -> ThreadID { ThreadID(high: 7, low: 1 << 20 | place) }
    func active(_ id: ThreadID, root: ThreadID? = nil) -> ThreadRow {
      var written = row(id, sequence: 0)
      written.active = true
      if let root { (written.root, written.parent) = (root, root) }
      return written
    }
    let (first, second, agent) = (id(0x10), id(0x2F), id(0x30))
    try await store.write(
      .thread(active(first)), .thread(active(second)), .thread(active(agent, root: first)),
      .thread(row(id(5), sequence: 0)))
    #expect(first.slot == Slot(1) && second.slot == Slot(2))
    #expect(try store.active(in: .all).map(\.id) == [first, second, agent])
    #expect(try store.active(in: SlotSet([Slot(1)])).map(\.id) == [first, agent])
    #expect(try store.active(in: SlotSet([Slot(2), Slot(3)])).map(\.id) == [second])
    #expect(try store.active(in: SlotSet([])) == [])
    #expect(try store.strays(in: .all).map { [$0.thread, $0.root] } == [[agent, first]])
    #expect(try store.strays(in: SlotSet([Slot(1)])).map(\.thread) == [agent])
    #expect(try store.strays(in: SlotSet([Slot(3)])).isEmpty)
  }

  func refusedIsWhole() async throws {
    let id = threadID(1)
    try await store.write([newThread(id, 1)])
    await #expect(throws: StoreError.self) {
      try await store.write(
        .events(id, [event(2)]), .turn(id, ordinal: 1, id: turnID(1), [1]), .feature("x", true), .events(id, [event(9)])
      )
    }
    #expect(try store.allEvents(id) == events(1...1))
    #expect(try store.turn(id, ordinal: 1) == nil)
    #expect(try store.features() == [:])
  }

  func conflictIsolation() async throws {
    let id = threadID(1)
    let gate = Gate()
    let order = Recorder<String>()
    store.submit([newThread(id, 1)]) { _ in gate.wait() }
    func submit(_ name: String, _ writes: StoreWrite...) {
      store.submit([Mutation(writes)]) { result in
        if case .failure(.conflict) = result { order.add("\(name): conflict") } else { order.add("\(name): \(result)") }
      }
    }
    submit("a", .events(id, [event(2)]))
    submit("b", .events(id, [event(2, "again")]))
    submit("c", .events(threadID(2), [event(1)]))
    submit("d", .events(id, [event(3)]), .thread(row(id, sequence: 3)))
    gate.open()
    try await store.write(.feature("end", true))
    #expect(order.all == ["a: success()", "b: conflict", "c: conflict", "d: success()"])
    #expect(try store.allEvents(id) == events(1...3))
  }

  func numbersWithoutHoles(sequence: UInt64) async throws {
    try await store.write([newThread(threadID(1), 2)])
    await #expect(throws: StoreError.self) {
      try await store.write(.events(threadID(1), [event(sequence, "other")]))
    }
    #expect(try store.allEvents(threadID(1)) == events(1...2))
    try await store.write(.events(threadID(1), [event(3)]))
    #expect(try store.allEvents(threadID(1)) == events(1...3))
  }

  func readAfterCompletion() async throws {
    let seen = Recorder<Int>()
    await withCheckedContinuation { continuation in
      store.submit([newThread(threadID(1), 4)]) { [store] _ in
        seen.add((try? store.allEvents(threadID(1)).count) ?? -1)
        continuation.resume()
      }
    }
    #expect(seen.all == [4])
  }

  func keys() async throws {
    let id = threadID(1)
    let record = keyRecord(1, thread: id)
    try await store.write([Mutation(newThread(id, 1).writes + [.key(record)])])
    #expect(try store.key(record.key, tenant: "t") == record)
    #expect(try store.key(record.key, tenant: "other") == nil)
    await #expect(throws: StoreError.self) { try await store.write(.events(id, [event(2)]), .key(record)) }
    #expect(try store.allEvents(id) == events(1...1))
    let elsewhere = keyRecord(1, thread: nil, tenant: "other")
    try await store.write(.key(elsewhere))
    #expect(try store.key(record.key, tenant: "other") == elsewhere)
  }

  func load() async throws {
    let id = threadID(1)
    try await store.write([newThread(id, 5)])
    #expect(try store.load(id, tenant: "t")?.snapshot == nil)
    #expect(try store.load(id, tenant: "t")?.tail == events(1...5))
    try await store.write(.snapshot(id, sequence: 4, snapshot(id, 4)))
    try await store.write(.snapshot(id, sequence: 3, snapshot(id, 3)), .snapshot(id, sequence: 5, snapshot(id, 5)))
    try await store.write(.events(id, events(6...7)), .thread(row(id, sequence: 7)))
    let loaded = try #require(try store.load(id, tenant: "t"))
    #expect(
      loaded == LoadedThread(row: row(id, sequence: 7), snapshot: snapshot(id, 5), tail: events(6...7)))
    #expect(try store.load(id, tenant: "other") == nil)
    #expect(try store.row(id, tenant: "other") == nil)
    #expect(try store.load(threadID(2), tenant: "t") == nil)
  }

  func rows() async throws {
    let written = ThreadRow(
      id: threadID(1), tenant: "t", epoch: 0xFEDC_BA98_7654_3210, root: threadID(2), parent: threadID(3),
      forkedFrom: threadID(4), source: .import, createdAt: -5, updatedAt: 7, archived: true, name: "Näme",
      preview: "line\nline", modelProvider: "p", workingFolder: "/w", active: true, sequence: 0)
    try await store.write(.thread(written))
    #expect(try store.row(threadID(1), tenant: "t") == written)
    #expect(try store.active(in: .all) == [written])
    var changed = written
    (changed.active, changed.archived, changed.name) = (false, false, "")
    try await store.write(.thread(changed))
    #expect(try store.row(threadID(1), tenant: "t") == changed)
    #expect(try store.active(in: .all) == [])
  }

  func pages() async throws {
    let id = threadID(1)
    try await store.write([newThread(id, 10, "0123456789")])
    let size = event(1, "0123456789").payload.count
    func count(after: UInt64, limit: Int, bytes: Int) throws -> [UInt64] {
      try store.events(id, after: after, limit: limit, bytes: bytes).map(\.sequence)
    }
    #expect(try count(after: 0, limit: 3, bytes: .max) == [1, 2, 3])
    #expect(try count(after: 7, limit: 9, bytes: .max) == [8, 9, 10])
    #expect(try count(after: 0, limit: 9, bytes: 1) == [1])
    #expect(try count(after: 2, limit: 9, bytes: size + 1) == [3, 4])
    #expect(try count(after: 10, limit: 9, bytes: .max) == [])
    #expect(try count(after: 0, limit: 0, bytes: .max) == [])
  }

  func eventsOfKinds() async throws {
    let id = threadID(1)
    let all = (1...12 as ClosedRange<UInt64>).map { number in
      let checkpoint = Event.Kind.itemCheckpoint(ItemCheckpoint(text: "x"))
      return event(number, "n", kind: number % 3 == 0 ? checkpoint : nil, ordinal: number == 1 ? 0 : (number + 1) / 2)
    }
    try await store.write(.events(id, all), .thread(row(id, sequence: 12)))
    func find(
      _ kinds: [UInt8] = [13], from: UInt64 = 0, backwards: Bool = false, ordinal: UInt64? = nil,
      hidden: [TurnRange] = [], limit: Int = 100
    ) throws -> [UInt64] {
      try store.events(
        id, kinds: kinds, from: from, backwards: backwards, ordinal: ordinal, hidden: hidden, limit: limit
      ).map(\.sequence)
    }
    #expect(try find() == [1, 2, 4, 5, 7, 8, 10, 11])
    #expect(try find([13, 21], from: 9) == [10, 11, 12])
    #expect(try find([21], backwards: true) == [12, 9, 6, 3])
    #expect(try find([13], from: 8, backwards: true, limit: 2) == [7, 5])
    #expect(try find([13, 21], ordinal: 2) == [3, 4])
    #expect(try find([13, 21], ordinal: 0) == [1])
    let hidden = [TurnRange(first: 2, last: 3), TurnRange(first: 5, last: 6)]
    #expect(try find([13, 21], hidden: hidden) == [1, 2, 7, 8])
    #expect(try find([]) == [])
  }

  func turns() async throws {
    let id = threadID(1)
    try await store.write([newThread(id, 1)])
    for number in 1...5 as ClosedRange<UInt64> {
      try await store.write(.turn(id, ordinal: number, id: turnID(number), [0]))
      try await store.write(.turn(id, ordinal: number, id: turnID(number), [UInt8(number)]))
    }
    func list(_ from: UInt64, _ backwards: Bool, _ hidden: [TurnRange] = [], limit: Int = 9) throws -> [UInt64] {
      try store.turns(id, from: from, backwards: backwards, hidden: hidden, limit: limit).map(\.ordinal)
    }
    #expect(try list(0, false) == [1, 2, 3, 4, 5])
    #expect(try list(2, false, limit: 2) == [3, 4])
    #expect(try list(0, true, [TurnRange(first: 2, last: 4)]) == [5, 1])
    #expect(try list(4, true) == [3, 2, 1])
    #expect(try store.turn(id, ordinal: 3) == [3])
    #expect(try store.turn(id, ordinal: 6) == nil)
    #expect(try store.turn(id, ordinal: 0) == nil)
    #expect(try store.turn(id, id: turnID(4))?.payload == [4])
    #expect(try store.turn(id, id: turnID(6)) == nil)
  }

  func features() async throws {
    try await store.write(.feature("a", true), .feature("b", false))
    try await store.write(.feature("a", false))
    #expect(try store.features() == ["a": false, "b": false])
    try await store.write(.feature("b", nil))
    #expect(try store.features() == ["a": false])
  }

  func numbersOfRowsAndSnapshots() async throws {
    let id = threadID(1)
    try await store.write([newThread(id, 2)])
    for sequence in [1, 3] as [UInt64] {
      await #expect(throws: StoreError.self) { try await store.write(.thread(row(id, sequence: sequence))) }
    }
    await #expect(throws: StoreError.self) {
      try await store.write(.events(id, [event(3)]), .thread(row(id, sequence: 2)))
    }
    await #expect(throws: StoreError.self) { try await store.write(.snapshot(id, sequence: 3, snapshot(id, 3))) }
    #expect(
      try store.load(id, tenant: "t") == LoadedThread(row: row(id, sequence: 2), snapshot: nil, tail: events(1...2)))
    try await store.write(.snapshot(id, sequence: 2, snapshot(id, 2)))
    #expect(try store.load(id, tenant: "t")?.snapshot == snapshot(id, 2))
  }

  func keysOfAWeek() async throws {
    let id = threadID(1)
    let week = KeyRecord.threadlessMilliseconds
    #expect(week == 604_800_000)
    try await store.write([newThread(id, 1)])
    func record(_ number: UInt64, thread: ThreadID?, at: Int64, tenant: String = "t") -> KeyRecord {
      var record = keyRecord(number, thread: thread, tenant: tenant)
      record.at = at
      return record
    }
    let ofThread = record(1, thread: id, at: 0)
    let free = record(2, thread: nil, at: 0)
    let elsewhere = record(2, thread: nil, at: 0, tenant: "other")
    try await store.write(.key(ofThread), .key(free), .key(elsewhere))
    await #expect(throws: StoreError.self) { try await store.write(.key(record(1, thread: nil, at: 9 * week))) }
    await #expect(throws: StoreError.self) { try await store.write(.key(record(2, thread: nil, at: week))) }
    #expect(try store.key(free.key, tenant: "t") == free)
    let anew = record(2, thread: nil, at: week + 1)
    try await store.write(.key(anew))
    #expect(try store.key(free.key, tenant: "t") == anew)
    #expect(try store.key(free.key, tenant: "other") == elsewhere)
    #expect(try store.key(ofThread.key, tenant: "t") == ofThread)
  }
}
