// Carries out changes of rows inside a transaction that the writer begins and ends. `MutationDecider` decides them; this
// binds them to statements, and finds threads for it. After any throw the caller rolls back and calls `forget`.

import HeddleCore
import HeddleStorage

/// Belongs to the writer's thread.
final class MutationApplier {
  private let connection: SQLiteConnection
  private let decider = MutationDecider()
  /// Room that is used again.
  private var changes: [RowChange] = []

  private let insertEvent: SQLiteStatement
  private let upsertThread: SQLiteStatement
  private let touchThread: SQLiteStatement
  private let upsertSnapshot: SQLiteStatement
  private let upsertTurn: SQLiteStatement
  private let insertKey: SQLiteStatement
  private let forgetKey: SQLiteStatement

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

  var knownThreads: Int { decider.knownThreads }

  /// Events inserted in this group.
  var appended: Int {
    get { decider.appended }
    set { decider.appended = newValue }
  }

  /// Starts a group.
  func beginGroup() { decider.beginGroup() }

  func forget() {
    decider.forget()
    changes = []
  }

  func apply(_ mutation: Mutation) throws(StoreError) {
    for write in mutation.writes {
      try decider.decide(write, of: mutation, &changes) { id throws(StoreError) in try self.find(id) }
      try carryOut()
    }
  }

  /// Writes the rows and snapshots that wait.
  func flush() throws(StoreError) {
    try decider.flush(&changes)
    try carryOut()
  }

  private func carryOut() throws(StoreError) {
    for change in changes {
      switch change {
      case .insertEvent(let event, let id): try insert(event, id)
      case .insertStretch(let id, let first, let ordinal): try insertStretch(id, first, ordinal)
      case .putThread(let row, let hasSnapshot):
        row.bind(to: upsertThread, hasSnapshot: hasSnapshot)
        try upsertThread.run()
      case .touchThread(let id, let updatedAt, let sequence, let checksum):
        touchThread.bind(id, at: 1)
        touchThread.bind(updatedAt, at: 2)
        touchThread.bind(sequence, at: 3)
        touchThread.bind(checksum, at: 4)
        try touchThread.run()
      case .putShares(let segments, let id): try writeShares(segments, id)
      case .putSnapshot(let snapshot, let id): try put(snapshot, id)
      case .putTurn(let id, let ordinal, let turn, let payload):
        upsertTurn.bind(id, at: 1)
        upsertTurn.bind(ordinal, at: 2)
        upsertTurn.bind(turn, at: 3)
        upsertTurn.bind(StoredTurn.checksum(id, ordinal, turn, payload), at: 5)
        try upsertTurn.run(payload, at: 4)
      case .insertKey(let record): try remember(record)
      case .setFeature(let name, let value): try set(feature: name, value)
      case .deleteThreads(let ids): try ThreadDeletion(connection).delete(ids)
      }
    }
    changes.removeAll(keepingCapacity: changes.capacity <= Self.spareChanges)
  }

  /// The room that one large group took is given back.
  private static let spareChanges = 1_024

  private func find(_ id: ThreadID) throws(StoreError) -> FoundThread? {
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
    return FoundThread(
      row: found.row, isDeleted: found.isDeleted, hasSnapshot: found.hasSnapshot, newestEvent: newest.number(0),
      newestOrdinal: newest.number(1))
  }

  private func insert(_ event: StoredEvent, _ id: ThreadID) throws(StoreError) {
    insertEvent.bind(id, at: 1)
    insertEvent.bind(event.sequence, at: 2)
    insertEvent.bind(Int64(event.kind), at: 3)
    insertEvent.bind(event.ordinal, at: 4)
    insertEvent.bind(event.at, at: 5)
    insertEvent.bind(Int64(event.checksum(owner: id)), at: 6)
    try insertEvent.run(event.payload, at: 7)
  }

  private func insertStretch(_ id: ThreadID, _ first: UInt64, _ ordinal: UInt64) throws(StoreError) {
    let insert = try connection.statement("INSERT INTO stretches(thread, first, ordinal) VALUES (?1, ?2, ?3)")
    insert.bind(id, at: 1)
    insert.bind(first, at: 2)
    insert.bind(ordinal, at: 3)
    try insert.run()
  }

  private func put(_ snapshot: StoredSnapshot, _ id: ThreadID) throws(StoreError) {
    let checksum = snapshot.payload.withUnsafeBytes { StoredSnapshot.checksum(id, snapshot.sequence, $0) }
    upsertSnapshot.bind(id, at: 1)
    upsertSnapshot.bind(snapshot.sequence, at: 2)
    upsertSnapshot.bind(Int64(checksum), at: 3)
    try upsertSnapshot.run(snapshot.payload, at: 4)
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

  /// Says whose events the thread needs, so that deleting them asks one index (Store.P6).
  private func writeShares(_ segments: [HistorySegment], _ borrower: ThreadID) throws(StoreError) {
    let clear = try connection.statement("DELETE FROM shares WHERE borrower = ?1")
    clear.bind(borrower, at: 1)
    try clear.run()
    let insert = try connection.statement(
      """
      INSERT INTO shares(owner, borrower, last_sequence, last_ordinal) VALUES (?1, ?2, ?3, ?4)
      ON CONFLICT(owner, borrower) DO UPDATE SET last_sequence = max(last_sequence, ?3),
        last_ordinal = max(last_ordinal, ?4)
      """)
    for segment in segments {
      insert.bind(segment.thread, at: 1)
      insert.bind(borrower, at: 2)
      insert.bind(segment.lastSequence, at: 3)
      insert.bind(segment.lastOrdinal, at: 4)
      try insert.run()
    }
  }
}
