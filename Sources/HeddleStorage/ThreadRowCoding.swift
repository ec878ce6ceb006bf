// Between `ThreadRow` and the columns of `threads`, and the pieces of history that a row's segments stand for.
//
// `deleted`: a tombstone. `snapshot`: `snapshots` has one; otherwise one that is missing would not be missed.
// `segments`: for each, oldest first: owner (16 bytes), last sequence (8), last ordinal (8), most significant byte first.

import HeddleCore

extension ThreadRow {
  /// The columns of `threads` in the order that `StoredThreadRow.init(_:)` reads.
  static let columns = """
    id, tenant, epoch, root, parent, forked_from, source, created_at, updated_at, archived, name, preview, provider, \
    folder, active, sequence, segments, deleted, snapshot, crc
    """

  /// nil if no row of ours looks like it.
  fileprivate init?(_ row: SQLiteStatement) {
    guard let id = row.identifier(0, ThreadID.self), let root = row.identifier(3, ThreadID.self),
      let source = ThreadSource(rawValue: Int32(truncatingIfNeeded: row.integer(6))),
      let segments = row.withBytes(16, Self.segments)
    else { return nil }
    self.init(
      id: id, tenant: row.text(1), epoch: row.number(2), root: root, parent: row.identifier(4),
      forkedFrom: row.identifier(5), source: source, createdAt: row.integer(7), updatedAt: row.integer(8),
      archived: row.flag(9), name: row.text(10), preview: row.text(11), modelProvider: row.text(12),
      workingFolder: row.text(13), active: row.flag(14), sequence: row.number(15), segments: segments)
  }

  /// All columns but `deleted`.
  func bind(to statement: SQLiteStatement, hasSnapshot: Bool) {
    statement.bind(id, at: 1)
    statement.bind(tenant, at: 2)
    // Any 64 bits: kept as they are, not as a number.
    statement.bind(Int64(bitPattern: epoch), at: 3)
    statement.bind(root, at: 4)
    statement.bind(parent, at: 5)
    statement.bind(forkedFrom, at: 6)
    statement.bind(Int64(source.rawValue), at: 7)
    statement.bind(createdAt, at: 8)
    statement.bind(updatedAt, at: 9)
    statement.bind(archived, at: 10)
    statement.bind(name, at: 11)
    statement.bind(preview, at: 12)
    statement.bind(modelProvider, at: 13)
    statement.bind(workingFolder, at: 14)
    statement.bind(active, at: 15)
    statement.bind(sequence, at: 16)
    statement.bind(Self.bytes(segments), at: 17)
    statement.bind(hasSnapshot, at: 18)
    statement.bind(checksum(hasSnapshot: hasSnapshot), at: 19)
  }

  /// Of the row of a thread that is not deleted.
  func checksum(hasSnapshot: Bool) -> Int64 {
    var checksum = RowChecksum()
    checksum.add(id)
    checksum.add(tenant)
    checksum.add(Int64(bitPattern: epoch))
    checksum.add(root)
    checksum.add(parent)
    checksum.add(forkedFrom)
    checksum.add(Int64(source.rawValue))
    checksum.add(createdAt)
    checksum.add(updatedAt)
    checksum.add(archived)
    checksum.add(name)
    checksum.add(preview)
    checksum.add(modelProvider)
    checksum.add(workingFolder)
    checksum.add(active)
    checksum.add(sequence)
    checksum.add(Self.bytes(segments))
    checksum.add(false)
    checksum.add(hasSnapshot)
    return checksum.value
  }

  private static func bytes(_ segments: [HistorySegment]) -> [UInt8] {
    segments.flatMap { segment in
      segment.thread.bytes
        + [segment.lastSequence, segment.lastOrdinal].flatMap { number in
          withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) }
        }
    }
  }

  private static func segments(_ bytes: UnsafeRawBufferPointer) -> [HistorySegment]? {
    guard bytes.count % 32 == 0 else { return nil }
    func word(_ offset: Int) -> UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    return stride(from: 0, to: bytes.count, by: 32).map { start in
      HistorySegment(
        thread: ThreadID(high: word(start), low: word(start + 8)), lastSequence: word(start + 16),
        lastOrdinal: word(start + 24))
    }
  }

  /// The last event and turn that the thread shares; its own begin behind them.
  var sharedSequence: UInt64 { segments.last?.lastSequence ?? 0 }
  var sharedOrdinal: UInt64 { segments.last?.lastOrdinal ?? 0 }

  /// Where the thread's events stand, oldest first.
  var eventPieces: [HistoryPiece] { pieces { $0.lastSequence } }
  /// Where its turns stand, oldest first.
  var turnPieces: [HistoryPiece] { pieces { $0.lastOrdinal } }

  private func pieces(_ last: (HistorySegment) -> UInt64) -> [HistoryPiece] {
    var out: [HistoryPiece] = []
    var after: UInt64 = 0
    for segment in segments {
      out.append(HistoryPiece(owner: segment.thread, after: after, through: last(segment)))
      after = last(segment)
    }
    out.append(HistoryPiece(owner: id, after: after, through: .max))
    return out
  }
}

/// A row of `threads`.
struct StoredThreadRow {
  var row: ThreadRow
  var isDeleted: Bool
  var hasSnapshot: Bool

  /// Reads the row that the statement stands on.
  init(_ statement: SQLiteStatement) throws(StoreError) {
    guard statement.isWhole(19), let row = ThreadRow(statement) else {
      throw .damaged(thread: statement.identifier(0) ?? ThreadID(), sequence: 0)
    }
    self.row = row
    isDeleted = statement.flag(17)
    hasSnapshot = statement.flag(18)
  }
}

/// A run of events or turns that stand under one thread: the numbers in (`after`, `through`].
struct HistoryPiece: Equatable {
  var owner: ThreadID
  var after: UInt64
  var through: UInt64

  /// Ends a walk through it here.
  mutating func cut(at number: UInt64, backwards: Bool) {
    if backwards { after = Swift.max(number, 1) - 1 } else { through = number }
  }
}

extension [HistoryPiece] {
  /// What a walk meets that starts at `from`, exclusive, in the order in which it meets it. Backwards, 0 is the end.
  func walk(from: UInt64, backwards: Bool) -> [HistoryPiece] {
    let cut = map { piece in
      var piece = piece
      if !backwards {
        piece.after = Swift.max(piece.after, from)
      } else if from > 0 {
        piece.through = Swift.min(piece.through, from - 1)
      }
      return piece
    }
    let left = cut.filter { $0.after < $0.through }
    return backwards ? left.reversed() : left
  }
}
