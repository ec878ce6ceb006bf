// The tables, and how a database is opened: made if new, refused if it is not ours or newer than this program.
//
// | table     | one row is                        | key                 | notes                                          |
// |-----------|-----------------------------------|---------------------|------------------------------------------------|
// | threads   | a thread, or the tombstone of one | id                  | see ThreadRowCoding; `crc`: see RowChecksum    |
// | events    | an event, never changed           | thread, seq         | `crc`: CRC32C, see StoredEvent                 |
// | stretches | events from `first` on, up to the | thread, first       | events of turn `ordinal` or of none            |
// |           | thread's next stretch             |                     |                                                |
// | snapshots | the newest snapshot of a thread   | thread              | `crc` likewise                                 |
// | turns     | a turn, replaced as it goes on    | thread, ordinal     | `crc` as for threads                           |
// | shares    | a fork's claim on another's past  | owner, borrower     | what deleting the owner must leave alone (P6)  |
// | keys      | the result of a request           | tenant, key         | in its events' transaction (P7); `crc` again   |
// | features  | a feature set at run time         | name                |                                                |
// | meta      | a fact about the store            | name                | `node`                                         |
//
// Integers are SQLite's 64 bits, identifiers 16 bytes, most significant first, times unix milliseconds.
//
// No index finds events by kind. The kinds that lists ask for are a good part of all events, so walking the primary key
// costs a small factor, while one more index would cost every append. Events of one turn are a narrow part of a long
// thread; `stretches` finds it with one row a turn, where an index over (thread, ordinal) cost 2.3 µs more an event, and
// one more page in the log for each thread of a group.

import CSQLite
import HeddleCore
import HeddleStorage

enum SQLiteSchema {
  /// "HDDL".
  static let applicationID: Int64 = 0x4844_444C
  /// Version 1 had no `threads.snapshot` and no `crc` in threads, turns and keys; version 2 had no checksums of pages,
  /// which `SchemaMigration` gives it. A version 2 that it leaves as it is is served all the same.
  static let version: Int64 = 3

  private static let tables = """
    CREATE TABLE threads(
      id BLOB PRIMARY KEY, tenant TEXT NOT NULL, epoch INTEGER NOT NULL, root BLOB NOT NULL, parent BLOB,
      forked_from BLOB, source INTEGER NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      archived INTEGER NOT NULL, name TEXT NOT NULL, preview TEXT NOT NULL, provider TEXT NOT NULL,
      folder TEXT NOT NULL, active INTEGER NOT NULL, sequence INTEGER NOT NULL, segments BLOB NOT NULL,
      deleted INTEGER NOT NULL DEFAULT 0, snapshot INTEGER NOT NULL DEFAULT 0, crc INTEGER NOT NULL DEFAULT 0)
      WITHOUT ROWID;
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
      crc INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(thread, ordinal)) WITHOUT ROWID;
    CREATE INDEX turns_id ON turns(thread, id);
    CREATE TABLE shares(
      owner BLOB NOT NULL, borrower BLOB NOT NULL, last_sequence INTEGER NOT NULL, last_ordinal INTEGER NOT NULL,
      PRIMARY KEY(owner, borrower)) WITHOUT ROWID;
    CREATE INDEX shares_borrower ON shares(borrower);
    CREATE TABLE keys(
      tenant TEXT NOT NULL, key BLOB NOT NULL, method INTEGER NOT NULL, hash BLOB NOT NULL, thread BLOB,
      at INTEGER NOT NULL, response BLOB NOT NULL, crc INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(tenant, key))
      WITHOUT ROWID;
    CREATE INDEX keys_thread ON keys(thread) WHERE thread IS NOT NULL;
    CREATE TABLE features(name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE meta(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
    """

  static let fromVersion1 = """
    ALTER TABLE threads ADD COLUMN snapshot INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE threads ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE turns ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE keys ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
    UPDATE threads SET snapshot = EXISTS (SELECT 1 FROM snapshots WHERE thread = id);
    UPDATE threads SET crc = row_checksum(id, tenant, epoch, root, parent, forked_from, source, created_at, updated_at,
      archived, name, preview, provider, folder, active, sequence, segments, deleted, snapshot);
    UPDATE turns SET crc = row_checksum(thread, ordinal, id, payload);
    UPDATE keys SET crc = row_checksum(tenant, key, method, hash, thread, at, response);
    PRAGMA user_version = 2;
    """

  /// A spawned agent whose id does not end like its root's.
  static let stray = "parent IS NOT NULL AND substr(id, 15, 2) <> substr(root, 15, 2)"

  /// Made when they are missing: stores of this version may be older than they are. Each has the order of a list.
  private static let indexes = """
    CREATE INDEX IF NOT EXISTS threads_strays ON threads(id, root) WHERE \(stray) AND deleted = 0;
    CREATE INDEX IF NOT EXISTS threads_parent ON threads(tenant, archived, parent, created_at, id)
      WHERE deleted = 0 AND parent IS NOT NULL;
    CREATE INDEX IF NOT EXISTS threads_fork ON threads(tenant, archived, forked_from, created_at, id)
      WHERE deleted = 0 AND forked_from IS NOT NULL;
    CREATE INDEX IF NOT EXISTS threads_folder ON threads(tenant, archived, folder, created_at, id) WHERE deleted = 0;
    CREATE INDEX IF NOT EXISTS threads_source ON threads(tenant, archived, source, created_at, id) WHERE deleted = 0;
    CREATE INDEX IF NOT EXISTS threads_provider ON threads(tenant, archived, provider, created_at, id)
      WHERE deleted = 0;
    """

  /// Brings the writer's connection into the one safe mode there is (D4) and the database to this version.
  static func open(_ connection: SQLiteConnection, newNode: NodeID) throws(StoreError) {
    do throws(StoreError) {
      let found = try examine(connection)
      guard found != 1 else {
        throw .unusable(
          "heddle.db has version 1 and cannot be brought to this one: make room for a second of its size, or restore a backup"
        )
      }
      if found == 0 { try makeRoom(connection) }
      if found == version { try connection.startPageChecksums() }
      try RowChecksum.register(on: connection)
      try connection.execute("PRAGMA secure_delete = ON; PRAGMA cache_size = -16384")
      guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
        throw .unusable("SQLite cannot use its write-ahead log here: choose a local disk")
      }
      try connection.execute("PRAGMA synchronous = FULL")
      guard try connection.text("PRAGMA synchronous") == "2", try connection.text("PRAGMA journal_mode") == "wal" else {
        throw .unusable("SQLite refused WAL with synchronous=FULL (durability.md D4)")
      }
      if found == 0 {
        try create(connection, newNode)
        try connection.startPageChecksums()
      }
      // Refuse an unusable database here, before anything in it is changed.
      _ = try node(connection)
      // One transaction, one sync; none when all are there.
      try connection.execute("BEGIN IMMEDIATE; \(indexes) COMMIT")
      try settle(connection)
    } catch {
      // A transaction that was begun here would outlive the error otherwise.
      try? connection.rollback()
      throw told(error, connection)
    }
  }

  /// Makes an empty database leave room. An earlier version that ended in the middle of its first start may have written a
  /// first page without.
  private static func makeRoom(_ connection: SQLiteConnection) throws(StoreError) {
    let isNew = try connection.text("PRAGMA page_count") == "0" || connection.hasRoomForPageChecksums
    try connection.makeRoomForPageChecksums()
    if !isNew { try connection.execute("VACUUM") }
  }

  /// Turns damage of pages that every start needs into `unusable`: another start would meet it too.
  static func told(_ error: StoreError, _ connection: SQLiteConnection) -> StoreError {
    guard connection.metDamage, case .failed = error else { return error }
    return .unusable("heddle.db is damaged: heddle check tells more; restore a backup")
  }

  /// A killed process may leave commits in the log that were never synced. This syncs the log before anyone reads them
  /// (P5); the pages also get written anew, whatever the kernel forgot after a sync that failed (D8).
  private static func settle(_ connection: SQLiteConnection) throws(StoreError) {
    do throws(StoreError) {
      guard try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE) else {
        throw .unusable("another program holds the database: end it and start again")
      }
    } catch .diskFull {
      // SQLite syncs the log before it moves a page, so what is read is on disk; only the moving has to wait (D9).
    }
  }

  /// The version of the database, 0 for an empty one. Refuses what this program did not make or does not know.
  static func examine(_ connection: SQLiteConnection) throws(StoreError) -> Int64 {
    let application = Int64(try connection.text("PRAGMA application_id") ?? "") ?? 0
    let found = Int64(try connection.text("PRAGMA user_version") ?? "") ?? 0
    if application == 0, found == 0, try isEmpty(connection) { return 0 }
    guard application == applicationID else { throw .unusable("heddle.db is the database of another program") }
    guard 1...version ~= found else {
      throw .unusable("heddle.db has version \(found), this program knows \(version): run the newer one")
    }
    guard connection.hasRoomForPageChecksums == (found == version) else {
      throw .unusable("the head of heddle.db contradicts itself: it is damaged; restore a backup")
    }
    return found
  }

  private static func isEmpty(_ connection: SQLiteConnection) throws(StoreError) -> Bool {
    try connection.text("SELECT count(*) FROM sqlite_master") == "0"
  }

  /// All in one transaction: a crash leaves an empty database or a whole one.
  private static func create(_ connection: SQLiteConnection, _ node: NodeID) throws(StoreError) {
    try connection.execute("BEGIN IMMEDIATE")
    try connection.execute(tables)
    let insert = try connection.statement("INSERT INTO meta(name, value) VALUES ('node', ?1)")
    insert.bind(node, at: 1)
    try insert.run()
    try connection.execute("PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version); COMMIT")
  }

  static func node(_ connection: SQLiteConnection) throws(StoreError) -> NodeID {
    do throws(StoreError) {
      let select = try connection.statement("SELECT value FROM meta WHERE name = 'node'")
      defer { select.reset() }
      guard try select.step(), let node = select.identifier(0, NodeID.self) else {
        throw .unusable("heddle.db does not say which node it belongs to: it is damaged; restore a backup")
      }
      return node
    } catch { throw told(error, connection) }
  }
}
