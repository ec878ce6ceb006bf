// Between `ThreadRow` and the columns of `threads`.
//
// `deleted`: a tombstone. `snapshot`: `snapshots` has one; otherwise one that is missing would not be missed.
// `segments`: see `ThreadRow.segmentBytes`.

import HeddleCore
import HeddleStorage

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
    statement.bind(segmentBytes, at: 17)
    statement.bind(hasSnapshot, at: 18)
    statement.bind(checksum(hasSnapshot: hasSnapshot), at: 19)
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
