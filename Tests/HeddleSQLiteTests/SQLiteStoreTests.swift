// SQLite's store beyond the contract: its folder, its groups, damage, full disks and the check of data at rest.

import Glibc
import HeddleCore
import HeddleStorage
import HeddleStoreContract
import Testing

@testable import HeddleSQLite

@Suite struct SQLiteStoreTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("D13: a second opener is told who has the folder; when that one closes it may have it")
  func lock() throws {
    let first = try SQLiteStore(folder: folder.path)
    #expect(throws: StoreError.inUse(by: "process \(getpid())")) { try SQLiteStore(folder: folder.path) }
    #expect(throws: StoreError.inUse(by: "process \(getpid())")) { try SQLiteStore.check(folder: folder.path) }
    first.close()
    let second = try SQLiteStore(folder: folder.path)
    #expect(second.node == first.node)
    second.close()
    #expect(try SQLiteStore.check(folder: folder.path) == [])
  }

  @Test("attacks.md L5: a folder that others may write to is refused, a missing one is made for us alone")
  func permissions() throws {
    let path = folder.path + "/probe"
    do {
      let store = try SQLiteStore(folder: path)
      store.close()
    }
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
    chmod(path, 0o770)
    #expect {
      try SQLiteStore(folder: path)
    } throws: { error in
      if case StoreError.unusable(let text) = error { return text.contains("chmod") }
      return false
    }
    for name in ["LOCK", "heddle.db", "heddle.db-wal", "heddle.db-shm", "reserve"] { unlink(path + "/" + name) }
    rmdir(path)
  }

  @Test("A database of a newer version or of another program is refused")
  func foreignDatabase() throws {
    try SQLiteStore(folder: folder.path).close()
    try folder.connection().execute("PRAGMA user_version = 4")
    #expect(throws: StoreError.unusable("heddle.db has version 4, this program knows 3: run the newer one")) {
      try SQLiteStore(folder: folder.path)
    }
    try folder.connection().execute("PRAGMA application_id = 5")
    #expect(throws: StoreError.unusable("heddle.db is the database of another program")) {
      try SQLiteStore(folder: folder.path)
    }
  }

  @Test("D1: 5,000 mutations from several threads are all there after reopening, in order")
  func reopening() async throws {
    let store = try SQLiteStore(folder: folder.path)
    await withTaskGroup(of: Void.self) { group in
      for thread in 1...4 as ClosedRange<UInt64> {
        group.addTask {
          let id = threadID(thread)
          for number in 1...1_249 as ClosedRange<UInt64> {
            store.submit([Mutation([.events(id, [event(number)]), .thread(row(id, sequence: number))])]) { _ in }
          }
          try? await store.write(.events(id, [event(1_250)]), .thread(row(id, sequence: 1_250)))
        }
      }
    }
    #expect(store.metrics.events.value == 5_000)
    store.close()
    let reopened = try SQLiteStore(folder: folder.path)
    for thread in 1...4 as ClosedRange<UInt64> {
      #expect(try reopened.allEvents(threadID(thread)) == events(1...1_250))
    }
    #expect(try reopened.check() == [])
  }

  @Test("Mutations that wait share one sync")
  func grouping() async throws {
    let store = try SQLiteStore(folder: folder.path)
    let gate = Gate()
    store.submit([newThread(threadID(1), 1)]) { _ in gate.wait() }
    for number in 2...500 as ClosedRange<UInt64> {
      store.submit([Mutation([.events(threadID(1), [event(number)])])]) { _ in }
    }
    gate.open()
    try await store.write(.thread(row(threadID(1), sequence: 500)))
    #expect(store.metrics.events.value == 500)
    #expect(store.metrics.syncs.value <= 3)
  }

  @Test(
    "A group ends with 1,024 changes or 1 MiB: what waits beyond that has a sync of its own",
    arguments: [(1_024, 1, 1), (1_025, 1, 2), (4, 600_000, 2)] as [(UInt64, Int, UInt64)])
  func groups(changes: UInt64, bytes: Int, expected: UInt64) async throws {
    let store = try SQLiteStore(folder: folder.path)
    let gate = Gate()
    await withCheckedContinuation { continuation in
      store.submit([newThread(threadID(1), 1)]) { _ in
        continuation.resume()
        gate.wait()
      }
    }
    let text = String(repeating: "x", count: bytes)
    let last = changes + 1
    await withCheckedContinuation { continuation in
      for number in 2...last {
        store.submit([Mutation([.events(threadID(1), [event(number, text)])])]) { _ in
          if number == last { continuation.resume() }
        }
      }
      gate.open()
    }
    #expect(store.metrics.events.value == Int(last))
    #expect(store.metrics.syncs.value == 1 + Int(expected))
  }

  @Test("close answers everything that was submitted before it and refuses what comes later")
  func closing() throws {
    let store = try SQLiteStore(folder: folder.path)
    let results = Recorder<Bool>()
    for number in 1...100 as ClosedRange<UInt64> {
      store.submit([newThread(threadID(number), 1)]) { results.add((try? $0.get()) != nil) }
    }
    store.close()
    #expect(results.all == Array(repeating: true, count: 100))
    store.submit([newThread(threadID(101), 1)]) { results.add((try? $0.get()) != nil) }
    #expect(results.all.last == false)
    #expect(throws: StoreError.failed("the store is closed")) { try store.allEvents(threadID(1)) }
    store.close()
  }

  @Test("The last reference may go inside a completion")
  func lastReference() async throws {
    var store: SQLiteStore? = try SQLiteStore(folder: folder.path)
    let gate = Gate()
    await withCheckedContinuation { continuation in
      store?.submit([newThread(threadID(1), 1)]) { [store] _ in
        gate.wait()
        _ = store?.node
        continuation.resume()
      }
      store = nil
      gate.open()
    }
  }

  @Test("D9: on a full disk mutations say so and leave nothing, reads go on, and writes resume when there is room")
  func diskFull() async throws {
    let store = try SQLiteStore(folder: folder.path, maximumPages: 80)
    try await store.write([newThread(threadID(1), 20, String(repeating: "x", count: 4_000))])
    try await store.write([newThread(threadID(2), 1)])
    let much = Mutation([.events(threadID(2), events(2...99, String(repeating: "y", count: 4_000)))])
    await #expect(throws: StoreError.diskFull) { try await store.write([much]) }
    #expect(try store.allEvents(threadID(2)) == events(1...1))
    await #expect(throws: StoreError.diskFull) { try await store.write([much]) }
    try await store.write(.delete([threadID(1)]))
    let some = events(2...20, String(repeating: "y", count: 4_000))
    try await store.write(.events(threadID(2), some), .thread(row(threadID(2), sequence: 20)))
    #expect(try store.allEvents(threadID(2)) == events(1...1) + some)
    #expect(try store.check() == [])
  }

  @Test("The writer remembers the rows of so many threads, not of all that were ever written")
  func knownThreads() throws {
    try SQLiteStore(folder: folder.path).close()
    let connection = try folder.connection()
    try RowChecksum.register(on: connection)
    let applier = try MutationApplier(connection)
    for group in 0..<18 as Range<UInt64> {
      try connection.execute("BEGIN")
      applier.beginGroup()
      for number in 1...1_000 as ClosedRange<UInt64> {
        try applier.apply(newThread(threadID(group * 1_000 + number), 1))
      }
      try applier.flush()
      try connection.execute("COMMIT")
    }
    #expect(applier.knownThreads <= 2_000)
  }

  @Test("D9: the reserve is really allocated, given up and taken back")
  func reserve() throws {
    func allocated() -> Int {
      var status = stat()
      return stat(folder.path + "/reserve", &status) == 0 ? Int(status.st_blocks) * 512 : -1
    }
    let store = try SQLiteStore(folder: folder.path)
    #expect(allocated() >= DataFolder.reserveBytes)
    store.diskHealth.releaseReserve()
    #expect(allocated() == 0)
    // Room for the reserve is not enough: something must fit beside it.
    #expect(mkdir(folder.path + "/probe", 0o700) == 0)
    #expect(!store.diskHealth.restoreReserve())
    #expect(allocated() == 0)
    #expect(rmdir(folder.path + "/probe") == 0)
    #expect(store.diskHealth.restoreReserve())
    #expect(allocated() >= DataFolder.reserveBytes)
  }

  @Test(
    "attacks.md L4: a link in the place of a file of the store is not followed",
    arguments: ["reserve", "heddle.db-wal", "LOCK"])
  func links(name: String) throws {
    let other = try TemporaryFolder()
    try other.replace("probe", [1, 2, 3])
    #expect(symlink(other.path + "/probe", folder.path + "/" + name) == 0)
    if name == "reserve" {
      let store = try SQLiteStore(folder: folder.path)
      store.diskHealth.releaseReserve()
      #expect(!store.diskHealth.restoreReserve())
    } else {
      #expect(throws: StoreError.self) { try SQLiteStore(folder: folder.path) }
    }
    #expect(try other.bytes("probe") == [1, 2, 3])
  }

  @Test("D8: after a failed write every submission fails and nothing more is written")
  func failureIsFinal() async throws {
    let store = try SQLiteStore(folder: folder.path)
    try await store.write([newThread(threadID(1), 1)])
    try folder.connection().execute("ALTER TABLE features RENAME TO gone")
    let failure = await #expect(throws: StoreError.self) {
      try await store.write(.events(threadID(1), [event(2)]), .feature("x", true))
    }
    let first = try #require(failure)
    #expect(first == .failed("SQLite 1: no such table: features"))
    try folder.connection().execute("ALTER TABLE gone RENAME TO features")
    await #expect(throws: first) { try await store.write(.events(threadID(1), [event(2)])) }
    #expect(try store.allEvents(threadID(1)) == events(1...1))
    #expect(store.metrics.syncs.value == 1)
  }

  @Test("D8 D9: a full disk under a write is D9, under a sync it is D8, a broken rule is neither")
  func meaningOfCodes() {
    // In this order: SQLITE_FULL, SQLITE_IOERR_FSYNC, SQLITE_CORRUPT, SQLITE_CONSTRAINT_PRIMARYKEY.
    #expect(StoreError(sqlite: 13, "") == .diskFull)
    #expect(StoreError(sqlite: 10 | 4 << 8, "disk") == .failed("SQLite 1034: disk"))
    #expect(StoreError(sqlite: 11, "bad") == .failed("SQLite 11: bad"))
    #expect(StoreError(sqlite: 19 | 6 << 8, "twice") == .conflict("twice"))
  }

  @Test("D4: what a statement says is not believed when it fails behind its first row, as setting WAL mode may")
  func failureBehindRow() throws {
    try SQLiteStore(folder: folder.path).close()
    let connection = try folder.connection()
    #expect(try connection.text("SELECT abs(column1) FROM (VALUES (5), (6))") == "5")
    #expect(throws: StoreError.failed("SQLite 1: integer overflow")) {
      try connection.text("SELECT abs(column1) FROM (VALUES (5), (-9223372036854775808))")
    }
  }

  @Test("D12: what the store needs to read is open from the start on")
  func readersAreOpen() async throws {
    let store = try SQLiteStore(folder: folder.path)
    try await store.write([newThread(threadID(1), 1)])
    // Nobody can open it by this name any more.
    #expect(rename(folder.path + "/heddle.db", folder.path + "/probe") == 0)
    #expect(try store.allEvents(threadID(1)) == events(1...1))
  }

  @Test("D8: a read that fails is not taken for a failed write, and another one works")
  func failedRead() async throws {
    let store = try SQLiteStore(folder: folder.path)
    try await store.write(.feature("a", true))
    try folder.connection().execute("ALTER TABLE features RENAME TO gone")
    let failure = #expect(throws: StoreError.self) { try store.features() }
    #expect(failure == .unreadable("SQLite 1: no such table: features"))
    try folder.connection().execute("ALTER TABLE gone RENAME TO features")
    #expect(try store.features() == ["a": true])
  }

  @Test("D4: the writer's database is in WAL mode, and what it deletes is overwritten")
  func modes() throws {
    let connection: SQLiteConnection
    try SQLiteStore(folder: folder.path).close()
    connection = try folder.connection()
    try SQLiteSchema.open(connection, newNode: NodeID())
    #expect(try connection.text("PRAGMA journal_mode") == "wal")
    #expect(try connection.text("PRAGMA synchronous") == "2")
    #expect(try connection.text("PRAGMA secure_delete") == "1")
    connection.close()
  }

  @Test("D8, SQLiteWriter.W3: behind a failed write the log is not moved into the database, by closing neither")
  func noCheckpointAfterFailure() async throws {
    let store = try SQLiteStore(folder: folder.path)
    try await store.write([newThread(threadID(1), 1)])
    try await store.write([newThread(threadID(2), 1)])
    let beside = try folder.connection()
    try beside.execute("ALTER TABLE features RENAME TO gone")
    // A delete asks for a checkpoint, and its group fails.
    await #expect(throws: StoreError.self) { try await store.write(.delete([threadID(1)]), .feature("x", true)) }
    await #expect(throws: StoreError.self) { try await store.write(.delete([threadID(1)])) }
    let log = try folder.bytes("heddle.db-wal")
    #expect(!log.isEmpty)
    store.close()
    #expect(try folder.bytes("heddle.db-wal") == log)
    try beside.execute("ALTER TABLE gone RENAME TO features")
    beside.close()
    let reopened = try SQLiteStore(folder: folder.path)
    #expect(try reopened.allEvents(threadID(1)) == events(1...1))
    #expect(try reopened.allEvents(threadID(2)) == events(1...1))
  }

  @Test("The log does not grow for ever: its pages are used again once they are in the database")
  func boundedLog() async throws {
    let store = try SQLiteStore(folder: folder.path)
    let text = String(repeating: "x", count: 1 << 20)
    for number in 1...32 as ClosedRange<UInt64> { try await store.write([newThread(threadID(number), 1, text)]) }
    #expect(try folder.bytes("heddle.db-wal").count < 12 << 20)
    #expect(try store.allEvents(threadID(32)) == events(1...1, text))
  }
}
