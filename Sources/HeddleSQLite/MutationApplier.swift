// Turns mutations into rows, inside a transaction that the writer begins and ends. Checks what P4 and P7 forbid and
// throws `conflict`; after any throw the caller rolls back and calls `forget`.
//
// What is true between two calls, inside one transaction:
// A1  `threads` says what the transaction holds, or says nothing.
// A2  A row or snapshot that was replaced within the group is written once, by `flush`; before a delete and before the
//     commit nothing is left unwritten.
// A3  A deleted thread takes no more writes: a late one of a session that had not noticed does not bring it back.

import HeddleCore
import HeddleStorage

/// What the writer knows of a thread, so that a usual append asks the database nothing.
private final class WrittenThread {
  /// The newest event, shared ones counted.
  var head: UInt64
  /// The turn of the newest stretch; 0: none yet.
  var ordinal: UInt64
  /// As it stands in the database; nil if it does not yet.
  var stored: ThreadRow?
  /// What `flush` will write.
  var row: ThreadRow?
  var snapshot: StoredSnapshot?
  /// What the row in the database says of it.
  var hasSnapshot: Bool
  var isDirty = false
  let isDeleted: Bool

  init(head: UInt64, ordinal: UInt64 = 0, stored: ThreadRow?, hasSnapshot: Bool = false, isDeleted: Bool) {
    self.head = head
    self.ordinal = ordinal
    self.stored = stored
    self.hasSnapshot = hasSnapshot
    self.isDeleted = isDeleted
  }
}

/// Belongs to the writer's thread.
final class MutationApplier {
  private let connection: SQLiteConnection
  private var threads: [ThreadID: WrittenThread] = [:]
  private var dirty: [(id: ThreadID, thread: WrittenThread)] = []
  /// Events inserted in this group; whoever rolls a part of it back takes that part's number back.
  var appended = 0

  private let insertEvent: SQLiteStatement
  private let upsertThread: SQLiteStatement
  private let touchThread: SQLiteStatement
  private let upsertSnapshot: SQLiteStatement
  private let upsertTurn: SQLiteStatement
  private let insertKey: SQLiteStatement
  private let forgetKey: SQLiteStatement

  /// About 16 MiB of rows at the worst, and more threads than are loaded; starting anew costs one look-up a thread.
  private static let threadLimit = 16_384

  init(_ connection: SQLiteConnection) throws(StoreError) {
    self.connection = connection
    insertEvent = try connection.statement(
      "INSERT INTO events(thread, seq, kind, ordinal, at, crc, payload) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    upsertThread = try connection.statement(
      """
      INSERT INTO threads(\(ThreadRow.columns))
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, 0, ?18, ?19)
      ON CONFLICT(id) DO UPDATE SET tenant = ?2, epoch = ?3, root = ?4, parent = ?5, forked_from = ?6, source = ?7,
        created_at = ?8, updated_at = ?9, archived = ?10, name = ?11, preview = ?12, provider = ?13, folder = ?14,
        active = ?15, sequence = ?16, segments = ?17, snapshot = ?18, crc = ?19
      """)
    touchThread = try connection.statement("UPDATE threads SET updated_at = ?2, sequence = ?3, crc = ?4 WHERE id = ?1")
    upsertSnapshot = try connection.statement(
      """
      INSERT INTO snapshots(thread, seq, crc, payload) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT(thread) DO UPDATE SET seq = ?2, crc = ?3, payload = ?4
      """)
    upsertTurn = try connection.statement(
      """
      INSERT INTO turns(\(StoredTurn.columns)) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT(thread, ordinal) DO UPDATE SET id = ?3, payload = ?4, crc = ?5
      """)
    // Keys that outlive their thread are kept for a week; after that the same key may stand for another request.
    forgetKey = try connection.statement(
      "DELETE FROM keys WHERE tenant = ?1 AND key = ?2 AND thread IS NULL AND at < ?3")
    insertKey = try connection.statement(
      "INSERT INTO keys(\(KeyRecord.columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
  }

  /// Threads of which it remembers the row.
  var knownThreads: Int { threads.count }

  /// Starts a group.
  func beginGroup() {
    appended = 0
    // Only here: within a transaction `dirty` points into it.
    if threads.count > Self.threadLimit { threads = [:] }
  }

  /// After a rollback: what was known may not be true any more (A1).
  func forget() {
    threads = [:]
    dirty = []
  }

  func apply(_ mutation: Mutation) throws(StoreError) {
    for write in mutation.writes {
      switch write {
      case .events(let id, let events): try append(events, to: id, in: mutation)
      case .thread(let row): try replace(row)
      case .snapshot(let id, let sequence, let payload):
        let thread = try thread(id, in: mutation)
        thread.snapshot = StoredSnapshot(sequence: sequence, payload: payload)
        markDirty(id, thread)
      case .turn(let id, let ordinal, let turn, let payload):
        _ = try thread(id, in: mutation)
        upsertTurn.bind(id, at: 1)
        upsertTurn.bind(ordinal, at: 2)
        upsertTurn.bind(turn, at: 3)
        upsertTurn.bind(StoredTurn.checksum(id, ordinal, turn, payload), at: 5)
        try upsertTurn.run(payload, at: 4)
      case .key(let record): try remember(record)
      case .feature(let name, let value): try set(feature: name, value)
      case .delete(let ids):
        try flush()
        try ThreadDeletion(connection).delete(ids)
        // A tombstone is read back when somebody writes to it, which nobody should.
        for id in ids { threads[id] = nil }
      }
    }
  }

  private func append(_ events: [StoredEvent], to id: ThreadID, in mutation: Mutation) throws(StoreError) {
    let thread = try thread(id, in: mutation)
    insertEvent.bind(id, at: 1)
    for event in events {
      guard event.sequence == thread.head + 1 else {
        throw .conflict("event \(event.sequence) of thread \(id) does not follow \(thread.head) (P4)")
      }
      insertEvent.bind(event.sequence, at: 2)
      insertEvent.bind(Int64(event.kind), at: 3)
      insertEvent.bind(event.ordinal, at: 4)
      insertEvent.bind(event.at, at: 5)
      insertEvent.bind(Int64(event.checksum(owner: id)), at: 6)
      try insertEvent.run(event.payload, at: 7)
      thread.head = event.sequence
      appended += 1
      if event.ordinal != thread.ordinal, event.ordinal != 0 {
        try beginStretch(id, event)
        thread.ordinal = event.ordinal
      }
    }
  }

  /// Notes that from this event on the thread's events are of another turn.
  private func beginStretch(_ id: ThreadID, _ event: StoredEvent) throws(StoreError) {
    let insert = try connection.statement("INSERT INTO stretches(thread, first, ordinal) VALUES (?1, ?2, ?3)")
    insert.bind(id, at: 1)
    insert.bind(event.sequence, at: 2)
    insert.bind(event.ordinal, at: 3)
    try insert.run()
  }

  private func replace(_ row: ThreadRow) throws(StoreError) {
    if let thread = try known(row.id) {
      guard !thread.isDeleted else { throw .conflict("thread \(row.id) is deleted") }
      thread.row = row
      markDirty(row.id, thread)
    } else {
      for segment in row.segments {
        guard let source = try known(segment.thread), source.head >= segment.lastSequence else {
          throw .conflict("thread \(row.id) shares events of \(segment.thread) that are not there (P4)")
        }
      }
      let thread = WrittenThread(head: row.sharedSequence, stored: nil, isDeleted: false)
      thread.row = row
      threads[row.id] = thread
      markDirty(row.id, thread)
    }
  }

  private func remember(_ record: KeyRecord) throws(StoreError) {
    forgetKey.bind(record.tenant, at: 1)
    forgetKey.bind(record.key, at: 2)
    forgetKey.bind(record.at - KeyRecord.threadlessMilliseconds, at: 3)
    try forgetKey.run()
    insertKey.bind(record.tenant, at: 1)
    insertKey.bind(record.key, at: 2)
    insertKey.bind(Int64(record.method), at: 3)
    insertKey.bind(record.requestHash, at: 4)
    insertKey.bind(record.thread, at: 5)
    insertKey.bind(record.at, at: 6)
    insertKey.bind(record.checksum, at: 8)
    try insertKey.run(record.response, at: 7)
  }

  private func set(feature name: String, _ value: Bool?) throws(StoreError) {
    let statement =
      if value == nil {
        try connection.statement("DELETE FROM features WHERE name = ?1")
      } else {
        try connection.statement("INSERT OR REPLACE INTO features(name, value) VALUES (?1, ?2)")
      }
    statement.bind(name, at: 1)
    if let value { statement.bind(value, at: 2) }
    try statement.run()
  }

  /// A thread that may be written to. Its row may come later in the same mutation.
  private func thread(_ id: ThreadID, in mutation: Mutation) throws(StoreError) -> WrittenThread {
    if let thread = try known(id) {
      guard !thread.isDeleted else { throw .conflict("thread \(id) is deleted") }
      return thread
    }
    for case .thread(let row) in mutation.writes where row.id == id {
      try replace(row)
      return try thread(id, in: mutation)
    }
    throw .conflict("thread \(id) has no row")
  }

  private func known(_ id: ThreadID) throws(StoreError) -> WrittenThread? {
    if let thread = threads[id] { return thread }
    guard let found = try connection.storedThreadRow(id) else { return nil }
    let newest = try connection.statement(
      """
      SELECT (SELECT max(seq) FROM events WHERE thread = ?1), \
      (SELECT ordinal FROM stretches WHERE thread = ?1 ORDER BY first DESC LIMIT 1)
      """)
    newest.bind(id, at: 1)
    defer { newest.reset() }
    // NULL, for a thread without events of its own, reads as 0.
    _ = try newest.step()
    let thread = WrittenThread(
      head: max(newest.number(0), found.row.sharedSequence), ordinal: newest.number(1), stored: found.row,
      hasSnapshot: found.hasSnapshot, isDeleted: found.isDeleted)
    threads[id] = thread
    return thread
  }

  private func markDirty(_ id: ThreadID, _ thread: WrittenThread) {
    guard !thread.isDirty else { return }
    thread.isDirty = true
    dirty.append((id, thread))
  }

  /// Writes the rows and snapshots that wait (A2).
  func flush() throws(StoreError) {
    for (id, thread) in dirty {
      thread.isDirty = false
      let hasSnapshot = thread.hasSnapshot || thread.snapshot != nil
      if let row = thread.row ?? (hasSnapshot == thread.hasSnapshot ? nil : thread.stored) {
        // Readers take the row's number as the end of the thread: one beyond it would look like lost events.
        // One behind it would be of a write that others have overtaken.
        guard row.sequence == thread.head else {
          throw .conflict("the row of thread \(id) says \(row.sequence), its newest event is \(thread.head)")
        }
        try write(row, hasSnapshot, over: thread)
        thread.stored = row
        thread.hasSnapshot = hasSnapshot
        thread.row = nil
      }
      if let snapshot = thread.snapshot {
        guard snapshot.sequence <= thread.head else {
          throw .conflict("the snapshot of thread \(id) says \(snapshot.sequence), its newest event is \(thread.head)")
        }
        let checksum = snapshot.payload.withUnsafeBytes { StoredSnapshot.checksum(id, snapshot.sequence, $0) }
        upsertSnapshot.bind(id, at: 1)
        upsertSnapshot.bind(snapshot.sequence, at: 2)
        upsertSnapshot.bind(Int64(checksum), at: 3)
        try upsertSnapshot.run(snapshot.payload, at: 4)
        thread.snapshot = nil
      }
    }
    dirty.removeAll(keepingCapacity: true)
  }

  private func write(_ row: ThreadRow, _ hasSnapshot: Bool, over thread: WrittenThread) throws(StoreError) {
    if var same = thread.stored, hasSnapshot == thread.hasSnapshot {
      (same.updatedAt, same.sequence) = (row.updatedAt, row.sequence)
      if same == row {
        // The usual case. It names no indexed column, so SQLite leaves the indexes alone.
        touchThread.bind(row.id, at: 1)
        touchThread.bind(row.updatedAt, at: 2)
        touchThread.bind(row.sequence, at: 3)
        touchThread.bind(row.checksum(hasSnapshot: hasSnapshot), at: 4)
        return try touchThread.run()
      }
    }
    row.bind(to: upsertThread, hasSnapshot: hasSnapshot)
    try upsertThread.run()
    if row.segments != thread.stored?.segments ?? [] { try writeShares(row) }
  }

  /// Says whose events the thread needs, so that deleting them asks one index (P6).
  private func writeShares(_ row: ThreadRow) throws(StoreError) {
    let clear = try connection.statement("DELETE FROM shares WHERE borrower = ?1")
    clear.bind(row.id, at: 1)
    try clear.run()
    let insert = try connection.statement(
      """
      INSERT INTO shares(owner, borrower, last_sequence, last_ordinal) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT(owner, borrower) DO UPDATE SET last_sequence = max(last_sequence, ?3),
        last_ordinal = max(last_ordinal, ?4)
      """)
    for segment in row.segments {
      insert.bind(segment.thread, at: 1)
      insert.bind(row.id, at: 2)
      insert.bind(segment.lastSequence, at: 3)
      insert.bind(segment.lastOrdinal, at: 4)
      try insert.run()
    }
  }
}
