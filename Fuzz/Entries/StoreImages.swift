// Files of a store in a few states, made on the simulated disk, which has no chance of its own: the same bytes in every
// process.

import CSimulatedDisk
import HeddleCore
import HeddleProtocol
import HeddleSQLite
import HeddleStorage

enum StoreImages {
  static let tenant = "t"
  static let disk = "heddle-simulated"
  static let threads = (1...4 as ClosedRange<UInt64>).map { ThreadID(high: 7, low: $0) }
  static let turn = TurnID(high: 8, low: 1)
  static let keys = (1...3 as ClosedRange<UInt64>).map { key($0) }

  /// Database and log: all of it in the log; most of it in the database; an empty store; nothing at all.
  static let all: [[[UInt8]?]] = [
    state { fill($0) }, state(reopened: true) { fill($0) }, state { _ in }, [[], nil],
  ]

  private static func state(reopened: Bool = false, _ fill: (SQLiteStore) -> Void) -> [[UInt8]?] {
    simulated_disk_register(disk)
    simulated_disk_reset(1)
    defer { simulated_disk_reset(1) }
    let node = NodeID(high: 1, low: 1)
    guard let store = try? SQLiteStore(simulated: disk, node: node) else { return [nil, nil] }
    fill(store)
    store.vanish()
    if reopened {
      simulated_disk_kill()
      guard let again = try? SQLiteStore(simulated: disk, node: node) else { return [nil, nil] }
      for mutation in changes(again) { write(again, mutation) }
      again.vanish()
    }
    return ["heddle.db", "heddle.db-wal"].map { name in
      var size: Int64 = 0
      guard let bytes = simulated_disk_bytes(name, &size) else { return nil }
      return Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
    }
  }

  private static func write(_ store: SQLiteStore, _ mutation: Mutation) {
    store.submit([mutation], lane: WriteLane(0)) { _ in }
    while store.step() {}
  }

  /// Three threads of two turns, a fork of one of them, one that is deleted, keys, and a feature.
  private static func fill(_ store: SQLiteStore) {
    for (number, id) in threads.dropLast().enumerated() {
      write(store, Mutation([.events(id, events(1...4, turn: 1)), .thread(row(id, sequence: 4))]))
      write(
        store,
        Mutation([
          .turn(id, ordinal: 1, id: turn, encoded(Turn(id: turn))), .key(keys[number]),
          .events(id, events(5...9, turn: 2)), .thread(row(id, sequence: 9)),
          .turn(id, ordinal: 2, id: TurnID(high: 8, low: 2), encoded(Turn(id: TurnID(high: 8, low: 2)))),
          .snapshot(id, sequence: 9, snapshot(id, sequence: 9)),
        ]))
    }
    let fork = threads[3]
    let segment = HistorySegment(thread: threads[0], lastSequence: 4, lastOrdinal: 1)
    write(
      store,
      Mutation([
        .thread(row(fork, sequence: 5, segments: [segment])), .events(fork, events(5...5, turn: 2)),
        .snapshot(fork, sequence: 5, snapshot(fork, sequence: 5)),
      ]))
    write(store, Mutation([.feature("multi_agent", true)]))
    write(store, Mutation([.delete([threads[2]])]))
  }

  /// One change of each kind to a filled store.
  static func changes(_ store: SQLiteStore) -> [Mutation] {
    let id = threads[1]
    let next = ((try? store.row(id, tenant: tenant)) ?? nil)?.sequence ?? 0
    let new = ThreadID(high: 7, low: 99 + next)
    return [
      Mutation([.events(id, events((next + 1)...(next + 1), turn: 3)), .thread(row(id, sequence: next + 1))]),
      Mutation([.snapshot(id, sequence: next + 1, snapshot(id, sequence: next + 1))]),
      Mutation([.turn(id, ordinal: 1, id: turn, encoded(Turn(id: turn)))]),
      Mutation([.feature("multi_agent", nil)]),
      Mutation([.events(new, events(1...2, turn: 1)), .thread(row(new, sequence: 2)), .key(key(50 + next))]),
      Mutation([.delete([threads[0]])]),
    ]
  }

  private static func key(_ number: UInt64) -> KeyRecord {
    KeyRecord(
      tenant: tenant, key: IdempotencyKey(high: 9, low: number), method: 513,
      requestHash: [UInt8](repeating: 1, count: 32), thread: threads[1], response: [1, 2, 3], at: 5)
  }

  private static func row(_ id: ThreadID, sequence: UInt64, segments: [HistorySegment] = []) -> ThreadRow {
    ThreadRow(
      id: id, tenant: tenant, epoch: .max, root: id, source: .client, createdAt: 1_000, updatedAt: 1_000,
      name: "name", sequence: sequence, segments: segments)
  }

  private static func events(_ range: ClosedRange<UInt64>, turn: UInt64) -> [StoredEvent] {
    range.map { number in
      let event = Event(
        sequence: number, at: 1_000, kind: .nameChanged(NameChanged(name: "a name that is long enough \(number)")))
      return StoredEvent(sequence: number, kind: 13, ordinal: turn, at: 1_000, payload: encoded(event))
    }
  }

  private static func snapshot(_ id: ThreadID, sequence: UInt64) -> [UInt8] {
    var record = ThreadRecord()
    (record.id, record.sequence) = (id, sequence)
    return encoded(record)
  }

  private static func encoded(_ message: some WireMessage) -> [UInt8] {
    var codec = Codec()
    return codec.encode(message)
  }
}
