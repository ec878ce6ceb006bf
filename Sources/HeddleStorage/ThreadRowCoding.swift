// Between `ThreadRow` and the columns of `threads`, and the pieces of history that a row's segments stand for.
//
// `segments`: for each, oldest first: owner (16 bytes), last sequence (8), last ordinal (8), most significant byte first.

import HeddleCore

extension ThreadRow {
  /// The columns of `threads` in the order that `init(_:)` reads and `bind` writes.
  static let columns = """
    id, tenant, epoch, root, parent, forked_from, source, created_at, updated_at, archived, name, preview, provider, \
    folder, active, sequence, segments
    """

  /// Reads the row that the statement stands on; nil if no row of ours looks like it.
  init?(_ row: SQLiteStatement) {
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

  func bind(to statement: SQLiteStatement) {
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

/// A run of events or turns that stand under one thread: the numbers in (`after`, `through`].
struct HistoryPiece: Equatable {
  var owner: ThreadID
  var after: UInt64
  var through: UInt64
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
