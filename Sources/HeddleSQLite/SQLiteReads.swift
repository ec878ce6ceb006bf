// Reading: threads, their events and turns through shared history, lists. Each call is one read transaction. A call about
// a thread that is unknown or deleted finds nothing; forks of it read its events under their own name (Store.P6).

import HeddleCore
import HeddleStorage

extension SQLiteStore {
  public func load(_ thread: ThreadID, tenant: String) throws(StoreError) -> LoadedThread? {
    try readers.read(despiteDamage: true) { connection throws(StoreError) in
      guard let stored = try connection.storedThreadRow(thread), !stored.isDeleted else { return nil }
      let row = stored.row
      guard row.tenant == tenant else { return nil }
      let snapshot = try connection.snapshot(thread)
      guard snapshot != nil || !stored.hasSnapshot else { throw .damaged(thread: thread, sequence: 0) }
      let after = snapshot?.sequence ?? 0
      let tail = try connection.events(of: row, after: after, limit: .max, bytes: .max)
      return LoadedThread(row: row, snapshot: snapshot?.payload, tail: tail)
    }
  }

  public func row(_ thread: ThreadID, tenant: String) throws(StoreError) -> ThreadRow? {
    try readers.read(despiteDamage: true) { connection throws(StoreError) in
      guard let row = try connection.threadRow(thread), row.tenant == tenant else { return nil }
      return row
    }
  }

  public func events(
    _ thread: ThreadID, after: UInt64, limit: Int, bytes: Int
  ) throws(StoreError) -> [StoredEvent] {
    try readers.read(despiteDamage: true) { connection throws(StoreError) in
      guard let row = try connection.threadRow(thread) else { return [] }
      return try connection.events(of: row, after: after, limit: limit, bytes: bytes)
    }
  }

  public func events(
    _ thread: ThreadID, kinds: [UInt8], from: UInt64, backwards: Bool, ordinal: UInt64?, hidden: [TurnRange], limit: Int
  ) throws(StoreError) -> [StoredEvent] {
    guard limit > 0, !kinds.isEmpty else { return [] }
    return try readers.read(despiteDamage: true) { connection throws(StoreError) in
      guard let row = try connection.threadRow(thread) else { return [] }
      var pieces = row.eventPieces
      if let ordinal, ordinal > 0 {
        pieces = try connection.onlyWholePages(thread) { () throws(StoreError) in
          try connection.stretches(of: ordinal, in: pieces)
        }
      }
      let rows = EventRows(
        of: row, pieces.walk(from: from, backwards: backwards), kinds: kinds, ordinal: ordinal, backwards: backwards)
      var out: [StoredEvent] = []
      try connection.walk(rows) { event in
        if !hidden.contains(event.ordinal) { out.append(event) }
        return out.count < limit
      }
      return out
    }
  }

  public func turns(
    _ thread: ThreadID, from: UInt64, backwards: Bool, hidden: [TurnRange], limit: Int
  ) throws(StoreError) -> [(ordinal: UInt64, payload: [UInt8])] {
    guard limit > 0 else { return [] }
    return try readers.read(despiteDamage: true) { connection throws(StoreError) in
      guard let row = try connection.threadRow(thread) else { return [] }
      var out: [(ordinal: UInt64, payload: [UInt8])] = []
      try connection.walk(TurnRows(of: row, from: from, backwards: backwards)) { turn in
        if !hidden.contains(turn.ordinal) { out.append(turn) }
        return out.count < limit
      }
      return out
    }
  }

  public func turn(_ thread: ThreadID, id: TurnID) throws(StoreError) -> (ordinal: UInt64, payload: [UInt8])? {
    try readers.read(despiteDamage: true) { connection throws(StoreError) in
      guard let row = try connection.threadRow(thread) else { return nil }
      let select = try connection.statement(
        """
        SELECT \(StoredTurn.columns) FROM turns INDEXED BY turns_id \
        WHERE thread = ?1 AND ordinal > ?2 AND ordinal <= ?3 AND id = ?4
        """)
      for piece in row.turnPieces.walk(from: 0, backwards: true) {
        select.bind(piece)
        select.bind(id, at: 4)
        defer { select.reset() }
        guard try select.step(reading: thread, row.sequence) else { continue }
        guard let turn = StoredTurn.read(select, of: piece.owner) else {
          throw .damaged(thread: thread, sequence: row.sequence)
        }
        return turn
      }
      if connection.trustsPages { throw .damaged(thread: thread, sequence: row.sequence) }
      return nil
    }
  }

  public func turn(_ thread: ThreadID, ordinal: UInt64) throws(StoreError) -> [UInt8]? {
    try readers.read(despiteDamage: true) { connection throws(StoreError) in
      guard ordinal > 0, let row = try connection.threadRow(thread),
        let piece = row.turnPieces.first(where: { $0.after < ordinal && ordinal <= $0.through })
      else { return nil }
      let select = try connection.statement(
        "SELECT \(StoredTurn.columns) FROM turns WHERE thread = ?1 AND ordinal = ?2")
      select.bind(piece.owner, at: 1)
      select.bind(ordinal, at: 2)
      defer { select.reset() }
      if try select.step(reading: thread, row.sequence) {
        guard let turn = StoredTurn.read(select, of: piece.owner), turn.ordinal == ordinal else {
          throw .damaged(thread: thread, sequence: row.sequence)
        }
        return turn.payload
      }
      let last = piece.through == .max ? try connection.lastOrdinal(of: thread) : piece.through
      guard ordinal > last else {
        throw .damaged(thread: thread, sequence: row.sequence)
      }
      return nil
    }
  }

  /// These name their index: without statistics, which this store does not keep, SQLite guesses, and walked all threads
  /// of a tenant for a tree of three, and all there are for no stray.
  static let treeQuery = """
    SELECT \(ThreadRow.columns) FROM threads INDEXED BY threads_root WHERE root = ?1 AND tenant = ?2 AND deleted = 0 \
    ORDER BY id <> ?1, created_at, id
    """
  static let activeQuery = activeQuery("INDEXED BY threads_active")
  static let straysQuery = straysQuery("INDEXED BY threads_strays")

  private static func activeQuery(_ way: String) -> String {
    "SELECT \(ThreadRow.columns) FROM threads \(way) WHERE active = 1 ORDER BY id"
  }

  private static func straysQuery(_ way: String) -> String {
    "SELECT \(ThreadRow.columns) FROM threads \(way) WHERE \(SQLiteSchema.stray) AND deleted = 0"
  }

  /// The rows of trees in these slots that the query finds by that index. If pages are damaged, those that can be found
  /// by it or by looking at all rows: damage must not keep the others from being served, and a request for a thread
  /// that is not found here gets the damage as its answer.
  private func rows(
    _ query: (String) -> String, by index: String, _ slots: SlotSet
  ) throws(StoreError) -> [ThreadRow] {
    // Few threads are at work and few have strayed, so they are chosen here and no index knows slots.
    try rows(query, by: index).filter { slots.contains($0.root.slot) }
  }

  private func rows(_ query: (String) -> String, by index: String) throws(StoreError) -> [ThreadRow] {
    try readers.read(despiteDamage: true) { connection throws(StoreError) in
      guard connection.trustsPages else {
        return try connection.statement(query("INDEXED BY \(index)")).threadRows(skippingDamaged: true)
      }
      var found: [ThreadID: ThreadRow] = [:]
      for way in [index, "sqlite_autoindex_threads_1"] {
        let select = try connection.statement(query("INDEXED BY \(way)"))
        defer { select.reset() }
        do throws(StoreError) {
          while try select.step() {
            if let row = try? StoredThreadRow(select).row { found[row.id] = row }
          }
        } catch {
          guard connection.metDamage else { throw error }
        }
      }
      return found.values.sorted { $0.id < $1.id }
    }
  }

  public func tree(root: ThreadID, tenant: String) throws(StoreError) -> [ThreadRow] {
    try readers.read { connection throws(StoreError) in
      let select = try connection.statement(Self.treeQuery)
      select.bind(root, at: 1)
      select.bind(tenant, at: 2)
      return try select.threadRows()
    }
  }

  public func active(in slots: SlotSet) throws(StoreError) -> [ThreadRow] {
    try rows({ Self.activeQuery($0) }, by: "threads_active", slots)
  }

  public func strays(in slots: SlotSet) throws(StoreError) -> [(thread: ThreadID, root: ThreadID)] {
    try rows({ Self.straysQuery($0) }, by: "threads_strays", slots).map { ($0.id, $0.root) }
  }

  public func key(_ key: IdempotencyKey, tenant: String) throws(StoreError) -> KeyRecord? {
    try readers.read(despiteDamage: true) { connection throws(StoreError) in
      let select = try connection.statement(
        "SELECT \(KeyRecord.columns) FROM keys WHERE tenant = ?1 AND key = ?2")
      select.bind(tenant, at: 1)
      select.bind(key, at: 2)
      defer { select.reset() }
      guard try select.step(reading: ThreadID(), 0) else {
        if connection.trustsPages { throw .damaged(thread: ThreadID(), sequence: 0) }
        return nil
      }
      guard let record = KeyRecord(select), record.key == key, record.tenant == tenant else {
        throw .damaged(thread: select.identifier(4) ?? ThreadID(), sequence: 0)
      }
      return record
    }
  }

  public func features() throws(StoreError) -> [String: Bool] {
    do throws(StoreError) {
      return try readers.read { connection throws(StoreError) in
        let select = try connection.statement("SELECT name, value FROM features")
        defer { select.reset() }
        var out: [String: Bool] = [:]
        while try select.step() { out[select.text(0)] = select.flag(1) }
        return out
      }
    } catch .damaged {
      // Threads would be pinned to values that no operator has chosen.
      throw .unusable("the features that were set at run time are damaged: heddle check tells more; restore a backup")
    }
  }
}

extension SQLiteConnection {
  /// The thread's row unless it is deleted, of any tenant.
  func threadRow(_ id: ThreadID) throws(StoreError) -> ThreadRow? {
    guard let stored = try storedThreadRow(id), !stored.isDeleted else { return nil }
    return stored.row
  }

  /// The thread's row or tombstone. One that is missing beside its events or turns is damage.
  func storedThreadRow(_ id: ThreadID) throws(StoreError) -> StoredThreadRow? {
    let select = try statement("SELECT \(ThreadRow.columns) FROM threads WHERE id = ?1")
    select.bind(id, at: 1)
    defer { select.reset() }
    if try select.step(reading: id, 0) {
      let found = try StoredThreadRow(select)
      // A page that lies may show another's row for this one.
      guard found.row.id == id else { throw .damaged(thread: id, sequence: 0) }
      return found
    }
    let rest = try statement(
      """
      SELECT 1 WHERE EXISTS (SELECT 1 FROM events WHERE thread = ?1) OR EXISTS (SELECT 1 FROM snapshots WHERE thread = ?1)
      """)
    rest.bind(id, at: 1)
    defer { rest.reset() }
    guard try !rest.step(reading: id, 0) else { throw .damaged(thread: id, sequence: 0) }
    // That there is none is not proven by a page that may lie.
    if trustsPages { throw .damaged(thread: id, sequence: 0) }
    return nil
  }

  fileprivate func snapshot(_ thread: ThreadID) throws(StoreError) -> StoredSnapshot? {
    let select = try statement("SELECT \(StoredSnapshot.columns) FROM snapshots WHERE thread = ?1")
    select.bind(thread, at: 1)
    defer { select.reset() }
    return try select.step(reading: thread, 1) ? StoredSnapshot(select, thread: thread) : nil
  }

  /// The pieces in which events of one turn can stand: mostly one stretch in one piece.
  fileprivate func stretches(of ordinal: UInt64, in pieces: [HistoryPiece]) throws(StoreError) -> [HistoryPiece] {
    let select = try statement(
      """
      SELECT first, (SELECT min(first) FROM stretches AS next WHERE next.thread = ?1 AND next.first > mine.first) \
      FROM stretches AS mine WHERE thread = ?1 AND ordinal = ?2 ORDER BY first
      """)
    var out: [HistoryPiece] = []
    for piece in pieces {
      select.bind(piece.owner, at: 1)
      select.bind(ordinal, at: 2)
      defer { select.reset() }
      while try select.step() {
        // Events are numbered from 1; another number is damage (D7).
        guard select.number(0) > 0, select.isNull(1) || select.number(1) > 0 else {
          throw .damaged(thread: piece.owner, sequence: 0)
        }
        let last = select.isNull(1) ? UInt64.max : select.number(1) - 1
        out.append(
          HistoryPiece(
            owner: piece.owner, after: max(piece.after, select.number(0) - 1), through: min(piece.through, last)))
      }
    }
    return out
  }

  /// The last turn of which the thread has events of its own; 0: none.
  func lastOrdinal(of thread: ThreadID) throws(StoreError) -> UInt64 {
    try onlyWholePages(thread) { () throws(StoreError) in
      let select = try statement("SELECT max(ordinal) FROM stretches WHERE thread = ?1")
      select.bind(thread, at: 1)
      defer { select.reset() }
      return try select.step(reading: thread, 0) ? select.number(0) : 0
    }
  }

  /// All kinds, in order: at most `limit`, and no more once `bytes` are reached.
  fileprivate func events(
    of row: ThreadRow, after: UInt64, limit: Int, bytes: Int
  ) throws(StoreError) -> [StoredEvent] {
    guard limit > 0 else { return [] }
    var out: [StoredEvent] = []
    var total = 0
    try walk(EventRows(of: row, after: after)) { event in
      total += event.payload.count
      out.append(event)
      return out.count < limit && total < bytes
    }
    return out
  }
}

extension SQLiteStatement {
  /// All rows of `threads` that the statement finds; resets it.
  func threadRows(skippingDamaged: Bool = false) throws(StoreError) -> [ThreadRow] {
    defer { reset() }
    var out: [ThreadRow] = []
    while try step() {
      do throws(StoreError) { out.append(try StoredThreadRow(self).row) } catch {
        guard skippingDamaged else { throw error }
      }
    }
    return out
  }
}

extension [TurnRange] {
  /// Whether a turn is hidden. They are in order, so halving finds it.
  fileprivate func contains(_ ordinal: UInt64) -> Bool {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].last < ordinal { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].first <= ordinal
  }
}
