// A folder of an earlier version becomes one of this version when it is opened, with all that is in it.

import Glibc
import HeddleCore
import HeddleStorage
import HeddleStoreContract
import Testing

@testable import HeddleSQLite

@Suite struct MigrationTests {
  private static let version1 = """
    CREATE TABLE threads(
      id BLOB PRIMARY KEY, tenant TEXT NOT NULL, epoch INTEGER NOT NULL, root BLOB NOT NULL, parent BLOB,
      forked_from BLOB, source INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      archived INTEGER NOT NULL, name TEXT NOT NULL, preview TEXT NOT NULL, provider TEXT NOT NULL,
      folder TEXT NOT NULL, active INTEGER NOT NULL, sequence INTEGER NOT NULL, segments BLOB NOT NULL,
      deleted INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
    CREATE INDEX threads_list ON threads(tenant, archived, created_at, id) WHERE deleted = 0;
    CREATE INDEX threads_root ON threads(root);
    CREATE INDEX threads_active ON threads(id) WHERE active = 1;
    CREATE TABLE events(
      thread BLOB NOT NULL, seq INTEGER NOT NULL, kind INTEGER NOT NULL, ordinal INTEGER NOT NULL,
      at INTEGER NOT NULL, crc INTEGER NOT NULL, payload BLOB NOT NULL, PRIMARY KEY(thread, seq)) WITHOUT ROWID;
    CREATE TABLE stretches(
      thread BLOB NOT NULL, first INTEGER NOT NULL, ordinal INTEGER NOT NULL, PRIMARY KEY(thread, first)) WITHOUT ROWID;
    CREATE INDEX stretches_ordinal ON stretches(thread, ordinal);
    CREATE TABLE snapshots(
      thread BLOB PRIMARY KEY, seq INTEGER NOT NULL, crc INTEGER NOT NULL, payload BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE turns(
      thread BLOB NOT NULL, ordinal INTEGER NOT NULL, id BLOB NOT NULL, payload BLOB NOT NULL,
      PRIMARY KEY(thread, ordinal)) WITHOUT ROWID;
    CREATE INDEX turns_id ON turns(thread, id);
    CREATE TABLE shares(
      owner BLOB NOT NULL, borrower BLOB NOT NULL, last_sequence INTEGER NOT NULL, last_ordinal INTEGER NOT NULL,
      PRIMARY KEY(owner, borrower)) WITHOUT ROWID;
    CREATE INDEX shares_borrower ON shares(borrower);
    CREATE TABLE keys(
      tenant TEXT NOT NULL, key BLOB NOT NULL, method INTEGER NOT NULL, hash BLOB NOT NULL, thread BLOB,
      at INTEGER NOT NULL, response BLOB NOT NULL, PRIMARY KEY(tenant, key)) WITHOUT ROWID;
    CREATE INDEX keys_thread ON keys(thread) WHERE thread IS NOT NULL;
    CREATE TABLE features(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE meta(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    PRAGMA application_id = 0x4844444C;
    PRAGMA user_version = 1;
    """

  private static let columns = [
    "threads": """
    id, tenant, epoch, root, parent, forked_from, source, created_at, updated_at, archived, name, preview, provider,
    folder, active, sequence, segments, deleted
    """,
    "events": "*", "stretches": "*", "snapshots": "*", "shares": "*", "features": "*", "meta": "*",
    "turns": "thread, ordinal, id, payload", "keys": "tenant, key, method, hash, thread, at, response",
  ]

  private let one = threadID(1)
  private let fork = threadID(2)
  private let gone = threadID(3)

  /// Everything there is, in a folder of this version.
  private func fill(_ folder: TemporaryFolder) async throws {
    let store = try SQLiteStore(folder: folder.path)
    let share = HistorySegment(thread: one, lastSequence: 4, lastOrdinal: 1)
    try await store.write(
      .events(one, events(1...4, "ä")), .thread(row(one, sequence: 4, name: "näme")), .key(keyRecord(1, thread: one)),
      .turn(one, ordinal: 1, id: turnID(1), turnBytes(1)), .turn(one, ordinal: 2, id: turnID(2), []),
      .snapshot(one, sequence: 4, snapshot(one, 4)))
    try await store.write(
      .events(fork, events(5...6)), .thread(row(fork, sequence: 6, segments: [share])), .key(keyRecord(2, thread: nil)))
    try await store.write([newThread(gone, 3)])
    try await store.write(.delete([gone]))
    store.close()
  }

  private func makeVersion1() async throws -> TemporaryFolder {
    let (new, old) = (try TemporaryFolder(), try TemporaryFolder())
    try await fill(new)
    try SQLiteStore(folder: old.path).close()
    try old.replace("heddle.db", [])
    let connection = try old.connection()
    try connection.execute(Self.version1)
    try connection.execute("ATTACH '\(new.path)/heddle.db' AS new")
    for (table, columns) in Self.columns {
      try connection.execute("INSERT INTO main.\(table) SELECT \(columns) FROM new.\(table)")
    }
    connection.close()
    return old
  }

  private func makeVersion2() async throws -> TemporaryFolder {
    let folder = try await makeVersion1()
    let connection = try folder.connection()
    try RowChecksum.register(on: connection)
    try connection.execute(SQLiteSchema.fromVersion1)
    _ = try connection.checkpoint(3)
    return folder
  }

  @Test("A folder of an earlier version is brought to this version with everything in it", arguments: [1, 2])
  func migration(version: Int) async throws {
    let folder = try await version == 1 ? makeVersion1() : makeVersion2()
    #expect(try folder.connection().text("PRAGMA user_version") == "\(version)")
    // As a crash in the middle of an earlier try leaves it.
    try folder.replace("db.new", [1, 2, 3])
    try folder.replace("db.new-journal", [1, 2, 3])
    for _ in 1...2 {
      let store = try SQLiteStore(folder: folder.path)
      #expect(try store.check() == [])
      let loaded = try #require(try store.load(one, tenant: "t"))
      #expect(loaded == LoadedThread(row: row(one, sequence: 4, name: "näme"), snapshot: snapshot(one, 4), tail: []))
      #expect(try store.load(fork, tenant: "t")?.tail == events(1...4, "ä") + events(5...6))
      #expect(try store.load(gone, tenant: "t") == nil)
      #expect(try store.turn(fork, ordinal: 1) == turnBytes(1))
      #expect(try store.turn(one, id: turnID(2))?.payload == [])
      #expect(try store.key(keyRecord(1, thread: one).key, tenant: "t") == keyRecord(1, thread: one))
      #expect(try store.key(keyRecord(2, thread: nil).key, tenant: "t") == keyRecord(2, thread: nil))
      #expect(try store.list(tenant: "t", filter: ThreadFilter(), after: nil, limit: 9).rows.map(\.id) == [fork, one])
      store.close()
    }
    #expect(try folder.connection().text("PRAGMA user_version") == "3")
    #expect(try folder.bytes("heddle.db")[20] == 4)
    #expect(try SQLiteStore.check(folder: folder.path) == [])
    for leftover in ["", "-journal"] { #expect(access(folder.path + "/db.new" + leftover, F_OK) != 0) }
    var status = stat()
    #expect(stat(folder.path + "/heddle.db", &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test("What is in the log of an earlier version comes along")
  func log() async throws {
    let folder = try await makeVersion2()
    let connection = try folder.connection()
    try connection.execute("PRAGMA journal_mode = WAL; INSERT INTO features VALUES ('late', 1)")
    #expect(try !folder.bytes("heddle.db-wal").isEmpty)
    let killed = try folder.copy()
    let store = try SQLiteStore(folder: killed.path)
    #expect(try store.features() == ["late": true])
    #expect(try killed.bytes("heddle.db")[20] == 4)
  }

  @Test("While another program reads an earlier version it is not opened, and nothing of it is lost")
  func readByAnother() async throws {
    let folder = try await makeVersion2()
    let connection = try folder.connection()
    try connection.execute("PRAGMA journal_mode = WAL; INSERT INTO features VALUES ('late', 1)")
    let killed = try folder.copy()
    let reader = try killed.connection()
    try reader.execute("BEGIN")
    #expect(try reader.text("SELECT name FROM features") == "late")
    #expect(throws: StoreError.unusable("another program holds the database: end it and start again")) {
      try SQLiteStore(folder: killed.path)
    }
    #expect(try killed.bytes("heddle.db")[20] == 0)
    try reader.execute("ROLLBACK")
    reader.close()
    let after = try SQLiteStore(folder: killed.path)
    #expect(after.staysBehind == nil)
    #expect(try after.features() == ["late": true])
    #expect(try killed.bytes("heddle.db")[20] == 4)
  }

  @Test("A damaged folder of version 2 is not written anew: it stays as it is and is served as it is")
  func damagedVersion2() async throws {
    let folder = try await makeVersion2()
    let root = Int(try folder.connection().text("SELECT rootpage FROM sqlite_master WHERE name = 'keys'") ?? "") ?? 0
    var bytes = try folder.bytes("heddle.db")
    bytes[(root - 1) * 4_096] = 0xFF
    try folder.replace("heddle.db", bytes)
    for _ in 1...2 {
      let store = try SQLiteStore(folder: folder.path)
      #expect(store.staysBehind == "it is damaged: heddle check tells more")
      #expect(try store.load(one, tenant: "t")?.row.name == "näme")
      #expect(throws: StoreError.damaged(thread: ThreadID(), sequence: 0)) {
        try store.key(keyRecord(1, thread: one).key, tenant: "t")
      }
      store.close()
    }
    #expect(try folder.connection().text("PRAGMA user_version") == "2")
    #expect(try folder.bytes("heddle.db")[20] == 0)
    #expect(try !SQLiteStore.check(folder: folder.path).isEmpty)
  }

  @Test("Checksums of pages are not given to an earlier version, which has no room for them")
  func noReseal() async throws {
    let folder = try await makeVersion2()
    let before = try folder.bytes("heddle.db")
    #expect(try SQLiteStore.reseal(folder: folder.path) == [])
    #expect(try folder.bytes("heddle.db") == before)
  }

  @Test("Afterwards it takes changes and misses what is missing, as any other")
  func afterwards() async throws {
    let folder = try await makeVersion1()
    let store = try SQLiteStore(folder: folder.path)
    try await store.write(.events(one, [event(5)]), .thread(row(one, sequence: 5, name: "näme")))
    try await store.write(.delete([fork]))
    #expect(try store.allEvents(one) == events(1...4, "ä") + events(5...5))
    #expect(try store.check() == [])
    try folder.connection().execute("DELETE FROM snapshots; UPDATE keys SET response = x'00'")
    #expect(throws: StoreError.damaged(thread: one, sequence: 0)) { try store.load(one, tenant: "t") }
    #expect(throws: StoreError.damaged(thread: one, sequence: 0)) {
      try store.key(keyRecord(1, thread: one).key, tenant: "t")
    }
  }

  @Test("A migration that fails leaves version 1 as it was")
  func failure() async throws {
    let folder = try await makeVersion1()
    try folder.connection().execute("ALTER TABLE keys RENAME COLUMN response TO answer")
    #expect(throws: StoreError.self) { try SQLiteStore(folder: folder.path) }
    let connection = try folder.connection()
    #expect(try connection.text("PRAGMA user_version") == "1")
    #expect(throws: StoreError.self) { try connection.text("SELECT crc FROM threads") }
    try connection.execute("ALTER TABLE keys RENAME COLUMN answer TO response")
    connection.close()
    let store = try SQLiteStore(folder: folder.path)
    #expect(try store.check() == [])
  }

  @Test("A check changes nothing, so it says that version 1 has to be opened first")
  func check() async throws {
    let folder = try await makeVersion1()
    #expect(
      throws: StoreError.unusable(
        "heddle.db has version 1: start the server on it once, which brings it to this version")
    ) { try SQLiteStore.check(folder: folder.path) }
    #expect(try folder.connection().text("PRAGMA user_version") == "1")
  }
}
