// Between rows of SQLite and the values of the contract: the columns, and the proof that a row is the one that was
// written (Store.P9). The checksums themselves are HeddleStorage's.

import CSQLite
import HeddleCore
import HeddleStorage

extension RowChecksum {
  /// Makes it known to SQL as `row_checksum(column, …)`.
  static func register(on connection: SQLiteConnection) throws(StoreError) {
    let code = sqlite3_create_function_v2(
      connection.handle, "row_checksum", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
      { context, count, values in
        var checksum = RowChecksum()
        for index in 0..<Int(count) {
          let value = values?[index]
          switch sqlite3_value_type(value) {
          case SQLITE_INTEGER: checksum.add(sqlite3_value_int64(value))
          case SQLITE_NULL: checksum.addNull()
          default:
            // In this order: the bytes are made first, then they have a number.
            let start = sqlite3_value_blob(value)
            let bytes = Int(sqlite3_value_bytes(value))
            checksum.add(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : bytes))
          }
        }
        sqlite3_result_int64(context, checksum.value)
      }, nil, nil, nil)
    guard code == SQLITE_OK else { throw connection.error(code) }
  }
}

extension SQLiteStatement {
  /// Whether the first columns have the checksum that stands behind them.
  func isWhole(_ columns: Int32) -> Bool {
    var checksum = RowChecksum()
    for column in 0..<columns {
      switch kind(column) {
      case SQLITE_INTEGER: checksum.add(integer(column))
      case SQLITE_NULL: checksum.addNull()
      default: withBytes(column) { checksum.add($0) }
      }
    }
    return checksum.value == integer(columns)
  }
}

extension StoredEvent {
  /// The columns of `events` in the order that `init(_:owner:)` reads.
  static let columns = "seq, kind, ordinal, at, crc, payload"

  /// Reads the row that the statement stands on; nil if its checksum is wrong.
  init?(_ row: SQLiteStatement, owner: ThreadID) {
    let sequence = row.number(0)
    let kind = UInt8(truncatingIfNeeded: row.integer(1))
    let ordinal = row.number(2)
    let at = row.integer(3)
    let stored = row.integer(4)
    let payload: [UInt8]? = row.withBytes(5) { bytes in
      Int64(Self.checksum(owner, sequence, kind, ordinal, at, bytes)) == stored ? [UInt8](bytes) : nil
    }
    guard let payload else { return nil }
    self.init(sequence: sequence, kind: kind, ordinal: ordinal, at: at, payload: payload)
  }
}

extension StoredSnapshot {
  static let columns = "seq, crc, payload"

  /// Reads the row that the statement stands on.
  init(_ row: SQLiteStatement, thread: ThreadID) throws(StoreError) {
    let sequence = row.number(0)
    let stored = row.integer(1)
    let payload: [UInt8]? = row.withBytes(2) { bytes in
      Int64(Self.checksum(thread, sequence, bytes)) == stored ? [UInt8](bytes) : nil
    }
    guard let payload else { throw .damaged(thread: thread, sequence: sequence) }
    self.init(sequence: sequence, payload: payload)
  }
}

extension StoredTurn {
  static let columns = "thread, ordinal, id, payload, crc"

  /// Reads the row that the statement stands on; nil if its checksum is wrong, or it is another thread's.
  static func read(_ row: SQLiteStatement, of owner: ThreadID) -> (ordinal: UInt64, payload: [UInt8])? {
    row.isWhole(4) && row.identifier(0) == owner ? (row.number(1), row.bytes(3)) : nil
  }
}

extension KeyRecord {
  static let columns = "tenant, key, method, hash, thread, at, response, crc"

  /// Reads the row that the statement stands on; nil if its checksum is wrong.
  init?(_ row: SQLiteStatement) {
    guard row.isWhole(7), let key = row.identifier(1, IdempotencyKey.self) else { return nil }
    self.init(
      tenant: row.text(0), key: key, method: UInt16(truncatingIfNeeded: row.integer(2)), requestHash: row.bytes(3),
      thread: row.identifier(4), response: row.bytes(6), at: row.integer(5))
  }
}
