// Walks through a thread's history, row by row. Code that reads by them proves nothing itself (Store.P9, D7).
//
// R1  Each row that is handed out has its checksum, which covers the thread and the number that it stands under.
// R2  None is missing between the first and the last row that a walk has passed. Where a walk meets every row, or pages
//     may lie, the numbers say so: a page that lies may show one row twice and another not at all, which counting does
//     not notice. Where SQL leaves out the rows that are not asked for, rows are counted.

import HeddleCore
import HeddleStorage

/// A kind of rows of one thread, as one walk wants them.
protocol HistoryRows {
  associatedtype Row
  /// The thread that is read; its pieces may stand under others.
  var thread: ThreadRow { get }
  /// Where the rows stand, in the order of the walk.
  var pieces: [HistoryPiece] { get }
  var backwards: Bool { get }
  /// Whether the walk meets every row of its pieces and goes forwards, so that numbers alone prove R2.
  var meetsAll: Bool { get }
  /// Finds the rows of a piece, whose owner and ends are the first three parameters.
  func select(_ connection: SQLiteConnection) throws(StoreError) -> SQLiteStatement
  /// The row that the statement stands on; nil if its checksum is wrong.
  func read(_ select: SQLiteStatement, of owner: ThreadID) -> (number: UInt64, row: Row)?
  /// True if the walk is for this row: on pages that may lie only a row itself shows its kind.
  func wants(_ row: Row) -> Bool
  /// The last number that the piece has.
  func end(of piece: HistoryPiece, _ connection: SQLiteConnection) throws(StoreError) -> UInt64
  /// Throws unless the rows of the piece are all there. Not asked if the walk meets all of them.
  func expectAll(_ piece: HistoryPiece, _ connection: SQLiteConnection) throws(StoreError)
  /// The event up to which the thread is readable when a walk finds damage in a piece: expecting that number, and at a row
  /// that says so of itself if it is at one.
  func damaged(_ piece: HistoryPiece, expecting next: UInt64, at number: UInt64?) -> UInt64
}

extension SQLiteConnection {
  /// Hands row after row to `take`, until there is none or `take` returns false.
  func walk<Rows: HistoryRows>(_ rows: Rows, _ take: (Rows.Row) -> Bool) throws(StoreError) {
    for piece in rows.pieces {
      guard try walk(rows, piece, take) else { return }
    }
  }

  /// False if `take` wants no more.
  private func walk<Rows: HistoryRows>(
    _ rows: Rows, _ piece: HistoryPiece, _ take: (Rows.Row) -> Bool
  ) throws(StoreError) -> Bool {
    let thread = rows.thread.id
    let select = try rows.select(self)
    select.bind(piece)
    defer { select.reset() }
    var walked = piece
    walked.through = min(piece.through, try rows.end(of: piece, self))
    var numbers = Numbers(of: walked, backwards: rows.backwards)
    let goesByNumbers = rows.meetsAll || trustsPages
    var wantsMore = true
    while wantsMore,
      try select.step(reading: thread, rows.damaged(piece, expecting: numbers.next, at: nil))
    {
      guard let (number, row) = rows.read(select, of: piece.owner), !goesByNumbers || numbers.goOn(with: number) else {
        throw .damaged(
          thread: thread, sequence: rows.damaged(piece, expecting: numbers.next, at: select.number(0)))
      }
      guard rows.wants(row), !take(row) else { continue }
      walked.cut(at: number, backwards: rows.backwards)
      wantsMore = false
    }
    // The end of a thread may have been written since its row was.
    let isWhole = trustsPages ? numbers.areAll(of: walked) : !goesByNumbers || numbers.haveReached(walked)
    guard isWhole else {
      throw .damaged(thread: thread, sequence: rows.damaged(piece, expecting: numbers.next, at: nil))
    }
    if !rows.meetsAll { try rows.expectAll(walked, self) }
    return wantsMore
  }
}

/// Events; of some kinds, or of one turn.
struct EventRows: HistoryRows {
  let thread: ThreadRow
  let pieces: [HistoryPiece]
  let backwards: Bool
  /// Nil: all.
  let kinds: [UInt8]?
  /// Nil: of any turn.
  let ordinal: UInt64?
  /// Where the walk began, exclusive.
  private let after: UInt64

  /// All events behind `after`.
  init(of thread: ThreadRow, after: UInt64) {
    self.thread = thread
    pieces = thread.eventPieces.walk(from: after, backwards: false)
    (backwards, kinds, ordinal) = (false, nil, nil)
    self.after = after
  }

  /// Where one turn is asked for, `pieces` are of its stretches, in which no event is of another turn.
  init(of thread: ThreadRow, _ pieces: [HistoryPiece], kinds: [UInt8], ordinal: UInt64?, backwards: Bool) {
    self.thread = thread
    self.pieces = pieces
    self.backwards = backwards
    self.kinds = kinds
    self.ordinal = ordinal
    after = 0
  }

  var meetsAll: Bool { kinds == nil }

  private static let all = "SELECT \(StoredEvent.columns) FROM events WHERE thread = ?1 AND seq > ?2 AND seq <= ?3"
  private static let (ascending, descending) = ("ORDER BY seq ASC", "ORDER BY seq DESC")
  private static let (allForwards, allBackwards) = ("\(all) \(ascending)", "\(all) \(descending)")

  func select(_ connection: SQLiteConnection) throws(StoreError) -> SQLiteStatement {
    // The kind and the turn of an event are proven by its checksum and by nothing else.
    guard let kinds, !connection.trustsPages else {
      return try connection.statement(backwards ? Self.allBackwards : Self.allForwards)
    }
    // Literals, since a list of parameters has no fixed length.
    let wanted = "AND kind IN (\(kinds.map(String.init).joined(separator: ",")))"
    let order = backwards ? Self.descending : Self.ascending
    guard let ordinal else { return try connection.statement("\(Self.all) \(wanted) \(order)") }
    let select = try connection.statement("\(Self.all) \(wanted) AND ordinal = ?4 \(order)")
    select.bind(ordinal, at: 4)
    return select
  }

  func read(_ select: SQLiteStatement, of owner: ThreadID) -> (number: UInt64, row: StoredEvent)? {
    StoredEvent(select, owner: owner).map { ($0.sequence, $0) }
  }

  func wants(_ event: StoredEvent) -> Bool {
    guard let kinds else { return true }
    return kinds.contains(event.kind) && (ordinal == nil || event.ordinal == ordinal)
  }

  func end(of piece: HistoryPiece, _ connection: SQLiteConnection) -> UInt64 { thread.sequence }

  func damaged(_ piece: HistoryPiece, expecting next: UInt64, at number: UInt64?) -> UInt64 {
    guard meetsAll else { return number ?? piece.after + 1 }
    // On a page that was half written the row may be an older one: then nothing is known.
    return next <= max(thread.sequence, after) + 1 ? next : 0
  }

  func expectAll(_ piece: HistoryPiece, _ connection: SQLiteConnection) throws(StoreError) {
    guard piece.after < piece.through else { return }
    let ofTurn = ordinal ?? 0 > 0 ? "AND ordinal IN (0, ?4)" : ""
    func find(_ what: String, _ order: String = "") throws(StoreError) -> SQLiteStatement {
      let select = try connection.statement(
        "SELECT \(what) FROM events WHERE thread = ?1 AND seq > ?2 AND seq <= ?3 \(ofTurn) \(order)")
      select.bind(piece)
      if let ordinal, ordinal > 0 { select.bind(ordinal, at: 4) }
      return select
    }
    let count = try find("count(*)")
    defer { count.reset() }
    let isCounted = try count.step(reading: thread.id, piece.after + 1)
    guard !isCounted || count.number(0) != piece.through - piece.after else { return }
    let select = try find("seq", "ORDER BY seq")
    defer { select.reset() }
    var next = piece.after + 1
    while try select.step(reading: thread.id, next), select.number(0) == next { next += 1 }
    throw .damaged(thread: thread.id, sequence: next)
  }
}

/// Turns, all of them.
struct TurnRows: HistoryRows {
  let thread: ThreadRow
  let pieces: [HistoryPiece]
  let backwards: Bool
  /// Turns are counted: backwards, a walk does not know the number that it has to begin with unless it asks for it.
  let meetsAll = false

  init(of thread: ThreadRow, from: UInt64, backwards: Bool) {
    self.thread = thread
    self.backwards = backwards
    pieces = thread.turnPieces.walk(from: from, backwards: backwards)
  }

  func select(_ connection: SQLiteConnection) throws(StoreError) -> SQLiteStatement {
    try connection.statement(
      """
      SELECT \(StoredTurn.columns) FROM turns WHERE thread = ?1 AND ordinal > ?2 AND ordinal <= ?3 \
      ORDER BY ordinal \(backwards ? "DESC" : "ASC")
      """)
  }

  func read(
    _ select: SQLiteStatement, of owner: ThreadID
  ) -> (number: UInt64, row: (ordinal: UInt64, payload: [UInt8]))? {
    StoredTurn.read(select, of: owner).map { ($0.ordinal, $0) }
  }

  func wants(_ row: (ordinal: UInt64, payload: [UInt8])) -> Bool { true }

  func end(of piece: HistoryPiece, _ connection: SQLiteConnection) throws(StoreError) -> UInt64 {
    guard piece.through == .max || piece.owner == thread.id else { return piece.through }
    return try connection.lastOrdinal(of: thread.id)
  }

  func damaged(_ piece: HistoryPiece, expecting next: UInt64, at number: UInt64?) -> UInt64 { thread.sequence }

  func expectAll(_ piece: HistoryPiece, _ connection: SQLiteConnection) throws(StoreError) {
    guard piece.after < piece.through else { return }
    let count = try connection.statement(
      "SELECT count(*) FROM turns WHERE thread = ?1 AND ordinal > ?2 AND ordinal <= ?3")
    count.bind(piece)
    defer { count.reset() }
    guard try count.step(reading: thread.id, thread.sequence), count.number(0) == piece.through - piece.after else {
      throw .damaged(thread: thread.id, sequence: thread.sequence)
    }
  }
}

extension SQLiteStatement {
  /// Binds a piece of history to the first three parameters.
  func bind(_ piece: HistoryPiece) {
    bind(piece.owner, at: 1)
    bind(piece.after, at: 2)
    bind(piece.through, at: 3)
  }
}
