// Invariants of data at rest, as a command over a folder (durability.md D7): says what is wrong and changes nothing.
//
// C1  SQLite finds its own structure whole, and every page in use has its checksum.
// C2  Every event has its checksum, can be decoded and says the number that it is stored under.
// C3  A thread's own events have numbers without holes, beginning behind what it shares.
// C4  A thread's row has its checksum and names its newest event; each shared segment ends at an event and a turn that
//     exist.
// C5  A snapshot has its checksum, can be decoded, and holds nothing beyond the newest event. None is missing.
// C6  Turns have their checksums, can be decoded and are numbered from 1 without holes, through shared history.
// C7  No turn has two terminal events.
// C8  A key has its checksum and belongs to a thread that exists.
// C9  A stretch begins wherever a thread's events pass to another turn.
// C10 What forks claim of others' pasts is what their rows say.

import HeddleCore
import HeddleProtocol
import HeddleStorage

struct StoreCheck: ~Copyable {
  private let connection: SQLiteConnection
  private var codec = Codec()
  private var problems: [String] = []
  /// First and last own event of each thread that has any.
  private var spans: [ThreadID: (first: UInt64, last: UInt64)] = [:]
  /// Threads whose rows cannot be read.
  private var rowDamage: Set<ThreadID> = []

  /// Inside the caller's read transaction, or on a database that nobody else has open; on a connection that trusts pages,
  /// so that damage does not hide what is behind it.
  static func run(_ connection: SQLiteConnection) throws(StoreError) -> [String] {
    var check = StoreCheck(connection: connection)
    try check.part("the structure") { check throws(StoreError) in try check.checkStructure() }
    try check.part("events") { check throws(StoreError) in try check.checkEvents() }
    try check.part("threads") { check throws(StoreError) in try check.checkThreads() }
    try check.part("turns") { check throws(StoreError) in try check.checkTurns() }
    try check.part("snapshots") { check throws(StoreError) in try check.checkSnapshots() }
    try check.part("shares") { check throws(StoreError) in try check.checkShares() }
    try check.part("keys") { check throws(StoreError) in try check.checkKeys() }
    return wrongPages(connection) + check.problems
  }

  private static func wrongPages(_ connection: SQLiteConnection) -> [String] {
    let pages = connection.wrongPages()
    let more = pages.count == SQLiteConnection.wrongPageLimit ? ["database: more pages\(wrongPageEnding)"] : []
    return pages.map { "database: page \($0)\(wrongPageEnding)" } + more
  }

  private static let wrongPageEnding = " with a wrong checksum"

  /// Whether this is what is said of pages.
  static func isWrongPage(_ problem: String) -> Bool {
    problem.hasPrefix("database: ") && problem.hasSuffix(wrongPageEnding)
  }

  /// Damage that ends one part is a problem like others, and keeps none of them from being looked for.
  private mutating func part(
    _ name: String, _ body: (inout StoreCheck) throws(StoreError) -> Void
  ) throws(StoreError) {
    connection.forgetFaults()
    do throws(StoreError) { try body(&self) } catch {
      guard connection.metDamage else { throw error }
      problems.append("database: \(name) cannot be read to the end")
    }
  }

  private init(connection: SQLiteConnection) { self.connection = connection }

  /// C1
  private mutating func checkStructure() throws(StoreError) {
    let pragma = try connection.statement("PRAGMA integrity_check")
    defer { pragma.reset() }
    while try pragma.step() {
      let finding = pragma.text(0)
      // SQLite reports a failed read as if it had found damage (266: SQLITE_IOERR_READ).
      if finding.contains("error code=266") { throw .unreadable("SQLite 266: disk I/O error") }
      if finding != "ok" { problems.append("database: \(finding)") }
    }
  }

  /// C2, C3, C7 and C9, in one walk over all events.
  private mutating func checkEvents() throws(StoreError) {
    let select = try connection.statement("SELECT \(StoredEvent.columns), thread FROM events ORDER BY thread, seq")
    defer { select.reset() }
    var ended: Set<TurnID> = []
    var ordinal: UInt64 = 0
    while try select.step() {
      guard let id = select.identifier(6, ThreadID.self) else {
        problems.append("an event has no thread")
        continue
      }
      let sequence = select.number(0)
      if let span = spans[id] {
        if sequence <= span.last {
          // Only an index that is out of order finds them so.
          problems.append("thread \(id): event \(sequence) stands behind \(span.last)")
        } else if sequence != span.last + 1 {
          problems.append("thread \(id): events \(span.last + 1)...\(sequence - 1) are missing")
        }
        spans[id] = (span.first, sequence)
      } else {
        spans[id] = (sequence, sequence)
        ended = []
        ordinal = 0
      }
      guard let event = StoredEvent(select, owner: id) else {
        problems.append("thread \(id): event \(sequence) has a wrong checksum")
        continue
      }
      check(event, of: id, &ended)
      if event.ordinal != 0, event.ordinal != ordinal {
        ordinal = event.ordinal
        try checkStretch(id, event)
      }
    }
  }

  private mutating func check(_ stored: StoredEvent, of id: ThreadID, _ ended: inout Set<TurnID>) {
    do throws(DecodeError) {
      let event = try codec.decodeTrusted(Event.self, stored.payload)
      if event.sequence != stored.sequence {
        problems.append("thread \(id): event \(stored.sequence) says that it is \(event.sequence)")
      }
      if case .turnEnded(let end) = event.kind, !ended.insert(end.turn).inserted {
        problems.append("thread \(id): turn \(end.turn) ends a second time at event \(stored.sequence)")
      }
    } catch {
      problems.append("thread \(id): event \(stored.sequence) cannot be decoded (\(error))")
    }
  }

  /// C9
  private mutating func checkStretch(_ id: ThreadID, _ event: StoredEvent) throws(StoreError) {
    let select = try connection.statement("SELECT ordinal FROM stretches WHERE thread = ?1 AND first = ?2")
    select.bind(id, at: 1)
    select.bind(event.sequence, at: 2)
    defer { select.reset() }
    guard try select.step(), select.number(0) == event.ordinal else {
      problems.append("thread \(id): no stretch of turn \(event.ordinal) begins at event \(event.sequence)")
      return
    }
  }

  /// C3, C4 and C6.
  private mutating func checkThreads() throws(StoreError) {
    let select = try connection.statement("SELECT \(ThreadRow.columns) FROM threads ORDER BY id")
    defer { select.reset() }
    var rowless = Set(spans.keys)
    while try select.step() {
      let id = select.identifier(0, ThreadID.self) ?? ThreadID()
      rowless.remove(id)
      let stored: StoredThreadRow
      do throws(StoreError) { stored = try StoredThreadRow(select) } catch {
        rowDamage.insert(id)
        problems.append("thread \(id): its row has a wrong checksum")
        continue
      }
      let row = stored.row
      if let span = spans[row.id], span.first != row.sharedSequence &+ 1 {
        problems.append("thread \(row.id): its first event is \(span.first), not \(row.sharedSequence &+ 1)")
      }
      if stored.isDeleted { continue }
      try check(row)
      try checkShares(row)
      if stored.hasSnapshot, try !hasSnapshot(row.id) {
        problems.append("thread \(row.id): its snapshot is missing")
      }
    }
    for id in rowless.sorted() { problems.append("thread \(id): it has events but no row") }
  }

  private mutating func check(_ row: ThreadRow) throws(StoreError) {
    let head = spans[row.id]?.last ?? row.sharedSequence
    if row.sequence != head {
      problems.append("thread \(row.id): its row says \(row.sequence), its newest event is \(head)")
    }
    for piece in row.eventPieces where piece.through != .max && piece.after < piece.through {
      if let span = spans[piece.owner], span.first <= piece.after &+ 1, piece.through <= span.last { continue }
      problems.append(
        "thread \(row.id): shared events \(piece.after &+ 1)...\(piece.through) of \(piece.owner) are missing")
    }
    for piece in row.turnPieces where piece.after < piece.through {
      let select = try connection.statement(
        """
        SELECT count(*), max(coalesce(max(ordinal), 0), coalesce((SELECT max(ordinal) FROM stretches WHERE thread = ?1), 0)) \
        FROM turns WHERE thread = ?1 AND ordinal > ?2 AND ordinal <= ?3
        """)
      select.bind(piece.owner, at: 1)
      select.bind(piece.after, at: 2)
      select.bind(piece.through, at: 3)
      defer { select.reset() }
      guard try select.step() else { continue }
      let last = piece.through == .max ? max(select.number(1), piece.after) : piece.through
      if select.number(0) != last - piece.after {
        problems.append("thread \(row.id): of turns \(piece.after &+ 1)...\(last) some are missing")
      }
    }
  }

  /// C10
  private mutating func checkShares(_ row: ThreadRow) throws(StoreError) {
    var expected: [ThreadID: (sequence: UInt64, ordinal: UInt64)] = [:]
    for segment in row.segments {
      let before = expected[segment.thread] ?? (0, 0)
      expected[segment.thread] = (max(before.sequence, segment.lastSequence), max(before.ordinal, segment.lastOrdinal))
    }
    let select = try connection.statement("SELECT owner, last_sequence, last_ordinal FROM shares WHERE borrower = ?1")
    select.bind(row.id, at: 1)
    defer { select.reset() }
    var isAsExpected = true
    while try select.step() {
      let claim = select.identifier(0, ThreadID.self).flatMap { expected.removeValue(forKey: $0) }
      if claim?.sequence != select.number(1) || claim?.ordinal != select.number(2) { isAsExpected = false }
    }
    if !isAsExpected || !expected.isEmpty {
      problems.append("thread \(row.id): what it claims of others' pasts is not what its row says")
    }
  }

  /// C10
  private mutating func checkShares() throws(StoreError) {
    let select = try connection.statement(
      "SELECT borrower FROM shares WHERE NOT EXISTS (SELECT 1 FROM threads WHERE id = borrower AND deleted = 0)")
    defer { select.reset() }
    while try select.step() {
      problems.append(
        "thread \(select.identifier(0, ThreadID.self) ?? ThreadID()): it claims others' pasts and is not there")
    }
  }

  private func hasSnapshot(_ id: ThreadID) throws(StoreError) -> Bool {
    let select = try connection.statement("SELECT 1 FROM snapshots WHERE thread = ?1")
    select.bind(id, at: 1)
    defer { select.reset() }
    return try select.step()
  }

  /// C6
  private mutating func checkTurns() throws(StoreError) {
    let select = try connection.statement("SELECT \(StoredTurn.columns) FROM turns ORDER BY thread, ordinal")
    defer { select.reset() }
    while try select.step() {
      let id = select.identifier(0, ThreadID.self) ?? ThreadID()
      guard let turn = StoredTurn.read(select, of: id) else {
        problems.append("thread \(id): turn \(select.number(1)) has a wrong checksum")
        continue
      }
      do throws(DecodeError) { _ = try codec.decodeTrusted(Turn.self, turn.payload) } catch {
        problems.append("thread \(id): turn \(turn.ordinal) cannot be decoded (\(error))")
      }
    }
  }

  /// C5
  private mutating func checkSnapshots() throws(StoreError) {
    let select = try connection.statement("SELECT \(StoredSnapshot.columns), thread FROM snapshots ORDER BY thread")
    defer { select.reset() }
    while try select.step() {
      let id = select.identifier(3, ThreadID.self) ?? ThreadID()
      if rowDamage.contains(id) { continue }
      guard let row = try? connection.threadRow(id) else {
        problems.append("a snapshot belongs to no thread")
        continue
      }
      let snapshot: StoredSnapshot
      do throws(StoreError) {
        snapshot = try StoredSnapshot(select, thread: id)
      } catch {
        problems.append("thread \(id): its snapshot has a wrong checksum")
        continue
      }
      if snapshot.sequence > max(spans[id]?.last ?? 0, row.sharedSequence) {
        problems.append("thread \(id): its snapshot says \(snapshot.sequence), beyond its newest event")
      }
      do throws(DecodeError) {
        let record = try codec.decodeTrusted(ThreadRecord.self, snapshot.payload)
        if record.sequence != snapshot.sequence || record.id != id {
          problems.append("thread \(id): its snapshot is that of \(record.id) at \(record.sequence)")
        }
      } catch {
        problems.append("thread \(id): its snapshot cannot be decoded (\(error))")
      }
    }
  }

  /// C8
  private mutating func checkKeys() throws(StoreError) {
    let all = try connection.statement("SELECT \(KeyRecord.columns) FROM keys ORDER BY tenant, key")
    defer { all.reset() }
    while try all.step() {
      guard KeyRecord(all) == nil else { continue }
      problems.append("key \(all.identifier(1, IdempotencyKey.self)?.description ?? "?"): it has a wrong checksum")
    }
    let select = try connection.statement(
      """
      SELECT key, thread FROM keys WHERE thread IS NOT NULL \
      AND thread NOT IN (SELECT id FROM threads WHERE deleted = 0) ORDER BY key
      """)
    defer { select.reset() }
    while try select.step() {
      let key = select.identifier(0, IdempotencyKey.self)?.description ?? "?"
      problems.append("key \(key): its thread does not exist")
    }
  }
}
