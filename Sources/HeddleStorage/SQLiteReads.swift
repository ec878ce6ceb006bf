// Reading: threads, their events and turns through shared history, lists. Each call is one read transaction. A call about
// a thread that is unknown or deleted finds nothing; forks of it read its events under their own name (P6).

import HeddleCore

extension SQLiteStore {
  public func load(_ thread: ThreadID, tenant: String) throws(StoreError) -> LoadedThread? {
    try readers.read { connection throws(StoreError) in
      guard let row = try connection.threadRow(thread), row.tenant == tenant else { return nil }
      let snapshot = try connection.snapshot(thread)
      let after = snapshot?.sequence ?? 0
      let tail = try connection.events(of: row, after: after, limit: .max, bytes: .max)
      return LoadedThread(row: row, snapshot: snapshot?.payload, tail: tail)
    }
  }

  public func row(_ thread: ThreadID, tenant: String) throws(StoreError) -> ThreadRow? {
    try readers.read { connection throws(StoreError) in
      guard let row = try connection.threadRow(thread), row.tenant == tenant else { return nil }
      return row
    }
  }

  public func events(
    _ thread: ThreadID, after: UInt64, limit: Int, bytes: Int
  ) throws(StoreError) -> [StoredEvent] {
    try readers.read { connection throws(StoreError) in
      guard let row = try connection.threadRow(thread) else { return [] }
      return try connection.events(of: row, after: after, limit: limit, bytes: bytes)
    }
  }

  public func events(
    _ thread: ThreadID, kinds: [UInt8], from: UInt64, backwards: Bool, ordinal: UInt64?, hidden: [TurnRange], limit: Int
  ) throws(StoreError) -> [StoredEvent] {
    guard limit > 0, !kinds.isEmpty else { return [] }
    let order = backwards ? "DESC" : "ASC"
    // Literals, since a list of parameters has no fixed length.
    let sql = """
      SELECT \(StoredEvent.columns) FROM events WHERE thread = ?1 AND seq > ?2 AND seq <= ?3 \
      AND kind IN (\(kinds.map(String.init).joined(separator: ","))) \
      \(ordinal == nil ? "" : "AND ordinal = ?4") ORDER BY seq \(order)
      """
    return try readers.read { connection throws(StoreError) in
      guard let row = try connection.threadRow(thread) else { return [] }
      var out: [StoredEvent] = []
      var pieces = row.eventPieces
      if let ordinal, ordinal > 0 { pieces = try connection.stretches(of: ordinal, in: pieces) }
      for piece in pieces.walk(from: from, backwards: backwards) {
        let select = try connection.statement(sql)
        select.bind(piece)
        if let ordinal { select.bind(ordinal, at: 4) }
        defer { select.reset() }
        while out.count < limit, try select.step(reading: thread, piece.after + 1) {
          guard let event = StoredEvent(select, owner: piece.owner) else {
            throw .damaged(thread: thread, sequence: select.number(0))
          }
          if !hidden.contains(event.ordinal) { out.append(event) }
        }
      }
      return out
    }
  }

  public func turns(
    _ thread: ThreadID, from: UInt64, backwards: Bool, hidden: [TurnRange], limit: Int
  ) throws(StoreError) -> [(ordinal: UInt64, payload: [UInt8])] {
    try readers.read { connection throws(StoreError) in
      guard let row = try connection.threadRow(thread) else { return [] }
      var out: [(ordinal: UInt64, payload: [UInt8])] = []
      for piece in row.turnPieces.walk(from: from, backwards: backwards) {
        let select = try connection.statement(
          """
          SELECT ordinal, payload FROM turns WHERE thread = ?1 AND ordinal > ?2 AND ordinal <= ?3 \
          ORDER BY ordinal \(backwards ? "DESC" : "ASC")
          """)
        select.bind(piece)
        defer { select.reset() }
        while out.count < limit, try select.step(reading: thread, row.sequence) {
          let ordinal = select.number(0)
          if !hidden.contains(ordinal) { out.append((ordinal, select.bytes(1))) }
        }
      }
      return out
    }
  }

  public func turn(_ thread: ThreadID, id: TurnID) throws(StoreError) -> (ordinal: UInt64, payload: [UInt8])? {
    try readers.read { connection throws(StoreError) in
      guard let row = try connection.threadRow(thread) else { return nil }
      let select = try connection.statement(
        "SELECT ordinal, payload FROM turns WHERE thread = ?1 AND ordinal > ?2 AND ordinal <= ?3 AND id = ?4")
      for piece in row.turnPieces.walk(from: 0, backwards: true) {
        select.bind(piece)
        select.bind(id, at: 4)
        defer { select.reset() }
        if try select.step(reading: thread, row.sequence) { return (select.number(0), select.bytes(1)) }
      }
      return nil
    }
  }

  public func turn(_ thread: ThreadID, ordinal: UInt64) throws(StoreError) -> [UInt8]? {
    try readers.read { connection throws(StoreError) in
      guard ordinal > 0, let row = try connection.threadRow(thread),
        let piece = row.turnPieces.first(where: { $0.after < ordinal && ordinal <= $0.through })
      else { return nil }
      let select = try connection.statement("SELECT payload FROM turns WHERE thread = ?1 AND ordinal = ?2")
      select.bind(piece.owner, at: 1)
      select.bind(ordinal, at: 2)
      defer { select.reset() }
      return try select.step(reading: thread, row.sequence) ? select.bytes(0) : nil
    }
  }

  public func tree(root: ThreadID, tenant: String) throws(StoreError) -> [ThreadRow] {
    try readers.read { connection throws(StoreError) in
      let select = try connection.statement(
        """
        SELECT \(ThreadRow.columns) FROM threads WHERE root = ?1 AND tenant = ?2 AND deleted = 0 \
        ORDER BY id <> ?1, created_at, id
        """)
      select.bind(root, at: 1)
      select.bind(tenant, at: 2)
      return try select.threadRows()
    }
  }

  public func active() throws(StoreError) -> [ThreadRow] {
    try readers.read { connection throws(StoreError) in
      try connection.statement("SELECT \(ThreadRow.columns) FROM threads WHERE active = 1 ORDER BY id").threadRows()
    }
  }

  public func key(_ key: IdempotencyKey, tenant: String) throws(StoreError) -> KeyRecord? {
    try readers.read { connection throws(StoreError) in
      let select = try connection.statement(
        "SELECT method, hash, thread, at, response FROM keys WHERE tenant = ?1 AND key = ?2")
      select.bind(tenant, at: 1)
      select.bind(key, at: 2)
      defer { select.reset() }
      guard try select.step() else { return nil }
      return KeyRecord(
        tenant: tenant, key: key, method: UInt16(truncatingIfNeeded: select.integer(0)), requestHash: select.bytes(1),
        thread: select.identifier(2), response: select.bytes(4), at: select.integer(3))
    }
  }

  public func features() throws(StoreError) -> [String: Bool] {
    try readers.read { connection throws(StoreError) in
      let select = try connection.statement("SELECT name, value FROM features")
      defer { select.reset() }
      var out: [String: Bool] = [:]
      while try select.step() { out[select.text(0)] = select.flag(1) }
      return out
    }
  }
}

extension SQLiteConnection {
  /// The thread's row unless it is deleted, whoever's it is.
  func threadRow(_ id: ThreadID) throws(StoreError) -> ThreadRow? {
    let select = try statement("SELECT \(ThreadRow.columns) FROM threads WHERE id = ?1 AND deleted = 0")
    select.bind(id, at: 1)
    return try select.threadRows().first
  }

  fileprivate func snapshot(_ thread: ThreadID) throws(StoreError) -> StoredSnapshot? {
    let select = try statement("SELECT \(StoredSnapshot.columns) FROM snapshots WHERE thread = ?1")
    select.bind(thread, at: 1)
    defer { select.reset() }
    return try select.step(reading: thread, 1) ? StoredSnapshot(select, thread: thread) : nil
  }

  /// Where events of one turn can stand: mostly one stretch in one piece.
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
        let last = select.isNull(1) ? UInt64.max : select.number(1) - 1
        out.append(
          HistoryPiece(
            owner: piece.owner, after: max(piece.after, select.number(0) - 1), through: min(piece.through, last)))
      }
    }
    return out
  }

  /// All kinds, in order: here a missing number is noticed, in the middle and at the end (P9, D7).
  fileprivate func events(
    of row: ThreadRow, after: UInt64, limit: Int, bytes: Int
  ) throws(StoreError) -> [StoredEvent] {
    guard limit > 0 else { return [] }
    let select = try statement(
      "SELECT \(StoredEvent.columns) FROM events WHERE thread = ?1 AND seq > ?2 AND seq <= ?3 ORDER BY seq")
    var out: [StoredEvent] = []
    var total = 0
    var next = after + 1
    for piece in row.eventPieces.walk(from: after, backwards: false) {
      select.bind(piece)
      defer { select.reset() }
      while try select.step(reading: row.id, next) {
        guard let event = StoredEvent(select, owner: piece.owner), event.sequence == next else {
          throw .damaged(thread: row.id, sequence: next)
        }
        next += 1
        total += event.payload.count
        out.append(event)
        if out.count == limit || total >= bytes { return out }
      }
    }
    guard next > row.sequence else { throw .damaged(thread: row.id, sequence: next) }
    return out
  }
}

extension SQLiteStatement {
  /// Binds a piece of history to the first three parameters.
  fileprivate func bind(_ piece: HistoryPiece) {
    bind(piece.owner, at: 1)
    bind(piece.after, at: 2)
    bind(piece.through, at: 3)
  }

  /// All rows of `threads` that the statement finds; resets it.
  func threadRows() throws(StoreError) -> [ThreadRow] {
    defer { reset() }
    var out: [ThreadRow] = []
    while try step() {
      guard let row = ThreadRow(self) else {
        throw .damaged(thread: identifier(0) ?? ThreadID(), sequence: number(15))
      }
      out.append(row)
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
