// C1 to C10 of StoreCheck.swift: each kind of damage is found and named, and a healthy store has none.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import HeddleStoreContract
import Testing

@testable import HeddleSQLite

@Suite struct StoreCheckTests {
  let folder: TemporaryFolder
  let one = threadID(1)
  let fork = threadID(2)

  /// A closed store with a thread, a fork of it, snapshots, turns and a key.
  init() async throws {
    folder = try TemporaryFolder()
    let store = try SQLiteStore(folder: folder.path)
    let ended = event(4, kind: .turnEnded(TurnEnded(turn: turnID(1), status: .completed)), ordinal: 1)
    let share = HistorySegment(thread: one, lastSequence: 4, lastOrdinal: 1)
    try await store.write(
      .events(one, events(1...3) + [ended]), .thread(row(one, sequence: 4)), .key(keyRecord(1, thread: one)),
      .turn(one, ordinal: 1, id: turnID(1), []), .turn(one, ordinal: 2, id: turnID(2), []),
      .snapshot(one, sequence: 4, snapshot(one, 4)))
    try await store.write(
      .events(fork, events(5...6)), .thread(row(fork, sequence: 6, segments: [share])),
      .turn(fork, ordinal: 2, id: turnID(3), []))
    store.close()
  }

  /// The check's findings after `sql`.
  private func problems(after sql: String) throws -> [String] {
    let connection = try folder.connection()
    try RowChecksum.register(on: connection)
    try connection.execute(sql)
    return try SQLiteStore.check(folder: folder.path)
  }

  @Test("A healthy store has no problems, and checking it changes nothing")
  func healthy() throws {
    #expect(try SQLiteStore.check(folder: folder.path) == [])
    #expect(try SQLiteStore.check(folder: folder.path) == [])
  }

  @Test("C3 C4: a missing event is missed by its thread and by the fork that shares it")
  func missingShared() throws {
    #expect(
      try problems(after: "DELETE FROM events WHERE seq = 4") == [
        "thread \(one): its row says 4, its newest event is 3",
        "thread \(fork): shared events 1...4 of \(one) are missing",
        "thread \(one): its snapshot says 4, beyond its newest event",
      ])
  }

  @Test("C4: a row that names another event than the newest")
  func wrongSequence() throws {
    #expect(
      try problems(after: "UPDATE threads SET sequence = 3, \(rowChecksum("3")) WHERE sequence = 4") == [
        "thread \(one): its row says 3, its newest event is 4"
      ])
  }

  /// SQL that makes a row of threads right again with another number.
  private func rowChecksum(_ sequence: String) -> String {
    let columns = ThreadRow.columns.split(separator: ", ").dropLast().map { $0 == "sequence" ? sequence : String($0) }
    return "crc = row_checksum(\(columns.joined(separator: ", ")))"
  }

  @Test("C4 C6 C8: rows, turns and keys with a wrong checksum")
  func rowBytes() throws {
    let sql = """
      UPDATE threads SET name = 'x' WHERE sequence = 6; UPDATE turns SET payload = x'0a' WHERE ordinal = 1;
      UPDATE keys SET response = x'0a'
      """
    #expect(
      try problems(after: sql) == [
        "thread \(fork): its row has a wrong checksum", "thread \(one): turn 1 has a wrong checksum",
        "key \(keyRecord(1, thread: nil).key): it has a wrong checksum",
      ])
  }

  @Test("C5: a snapshot that is missing")
  func missingSnapshot() throws {
    #expect(try problems(after: "DELETE FROM snapshots") == ["thread \(one): its snapshot is missing"])
  }

  @Test("C6: a turn that is missing")
  func missingTurn() throws {
    #expect(
      try problems(after: "DELETE FROM turns WHERE ordinal = 1") == [
        "thread \(one): of turns 1...2 some are missing", "thread \(fork): of turns 1...1 some are missing",
      ])
  }

  @Test("C5: a snapshot with other bytes")
  func snapshotBytes() throws {
    #expect(
      try problems(after: "UPDATE snapshots SET payload = x'0a'") == [
        "thread \(one): its snapshot has a wrong checksum"
      ])
  }

  @Test("C8: a key without its thread")
  func keyWithoutThread() throws {
    #expect(
      try problems(
        after: """
          UPDATE keys SET thread = zeroblob(16), crc = row_checksum(tenant, key, method, hash, zeroblob(16), at, response)
          """) == [
          "key \(keyRecord(1, thread: nil).key): its thread does not exist"
        ])
  }

  @Test("C9: a stretch that is missing")
  func missingStretch() throws {
    #expect(
      try problems(after: "DELETE FROM stretches") == ["thread \(one): no stretch of turn 1 begins at event 4"])
  }

  @Test("C2 C7: what was stored under a right checksum but is not right")
  func wrongFromTheStart() async throws {
    let store = try SQLiteStore(folder: folder.path)
    let again = event(6, kind: .turnEnded(TurnEnded(turn: turnID(1), status: .failed)), ordinal: 1)
    var other = event(5)
    other.payload = event(9).payload
    var noise = event(7)
    noise.payload = [255]
    try await store.write(.events(one, [other, again, noise]), .thread(row(one, sequence: 7)))
    #expect(
      try store.check() == [
        "thread \(one): event 5 says that it is 9",
        "thread \(one): turn \(turnID(1)) ends a second time at event 6",
        "thread \(one): event 7 cannot be decoded (malformed)",
      ])
  }

  @Test("C6: a turn that was stored under a right checksum but cannot be decoded")
  func noTurn() async throws {
    let store = try SQLiteStore(folder: folder.path)
    try await store.write(.turn(one, ordinal: 2, id: turnID(2), [255]))
    #expect(try store.check() == ["thread \(one): turn 2 cannot be decoded (malformed)"])
  }

  @Test("C3: a hole in the middle, and a beginning that is missing")
  func holes() throws {
    #expect(try problems(after: "DELETE FROM events WHERE seq = 2") == ["thread \(one): events 2...2 are missing"])
    #expect(
      try problems(after: "DELETE FROM events WHERE seq = 1") == [
        "thread \(one): its first event is 3, not 1", "thread \(fork): shared events 1...4 of \(one) are missing",
      ])
  }

  @Test("C3 C5 C8: events, a snapshot and a key of a thread that is not there")
  func withoutRow() throws {
    #expect(
      try problems(after: "DELETE FROM threads WHERE sequence = 4") == [
        "thread \(one): it has events but no row", "a snapshot belongs to no thread",
        "key \(keyRecord(1, thread: nil).key): its thread does not exist",
      ])
  }

  @Test("C5: a snapshot that is of another thread, or of another moment")
  func foreignSnapshot() async throws {
    let store = try SQLiteStore(folder: folder.path)
    try await store.write(
      .snapshot(one, sequence: 4, snapshot(fork, 4)), .snapshot(fork, sequence: 6, snapshot(fork, 5)))
    #expect(
      try store.check() == [
        "thread \(one): its snapshot is that of \(fork) at 4", "thread \(fork): its snapshot is that of \(fork) at 5",
      ])
  }

  @Test("C10: a fork without its claim of its source's past, and a claim without its fork")
  func claims() throws {
    #expect(
      try problems(after: "UPDATE shares SET last_sequence = 3") == [
        "thread \(fork): what it claims of others' pasts is not what its row says"
      ])
    #expect(
      try problems(after: "DELETE FROM shares") == [
        "thread \(fork): what it claims of others' pasts is not what its row says"
      ])
    #expect(
      try problems(after: "INSERT INTO shares VALUES (zeroblob(16), zeroblob(16), 1, 1)") == [
        "thread \(fork): what it claims of others' pasts is not what its row says",
        "thread \(ThreadID()): it claims others' pasts and is not there",
      ])
  }
}
