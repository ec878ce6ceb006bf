// What rows of threads, turns and keys have in their column `crc`: CRC32C over all their other columns, in order (P9).
//
// An integer is its eight bytes, least significant first; a text or a blob is the number of its bytes as such an integer,
// then the bytes; NULL is -1. What finds a row is covered too, as in EventCoding.

import CSQLite
import HeddleCore

struct RowChecksum {
  private var crc = CRC32C()

  var value: Int64 { Int64(crc.value) }

  mutating func add(_ integer: Int64) { crc.add(UInt64(bitPattern: integer)) }
  /// As it is bound.
  mutating func add(_ number: UInt64) { add(Int64(clamping: number)) }
  mutating func add(_ flag: Bool) { add(flag ? 1 : 0 as Int64) }
  mutating func addNull() { add(-1 as Int64) }

  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    crc.add(UInt64(bytes.count))
    crc.add(bytes)
  }

  mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { add($0) } }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { add(UnsafeRawBufferPointer($0)) }
  }

  mutating func add(_ id: some Identifier) {
    withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { add($0) }
  }

  mutating func add(_ id: (some Identifier)?) { if let id { add(id) } else { addNull() } }

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

/// A turn as it is stored.
enum StoredTurn {
  static let columns = "thread, ordinal, id, payload, crc"

  static func checksum(_ thread: ThreadID, _ ordinal: UInt64, _ id: TurnID, _ payload: [UInt8]) -> Int64 {
    var checksum = RowChecksum()
    checksum.add(thread)
    checksum.add(ordinal)
    checksum.add(id)
    checksum.add(payload)
    return checksum.value
  }

  /// Reads the row that the statement stands on; nil if its checksum is wrong, or it is another thread's.
  static func read(_ row: SQLiteStatement, of owner: ThreadID) -> (ordinal: UInt64, payload: [UInt8])? {
    row.isWhole(4) && row.identifier(0) == owner ? (row.number(1), row.bytes(3)) : nil
  }
}

extension KeyRecord {
  static let columns = "tenant, key, method, hash, thread, at, response, crc"

  var checksum: Int64 {
    var checksum = RowChecksum()
    checksum.add(tenant)
    checksum.add(key)
    checksum.add(Int64(method))
    checksum.add(requestHash)
    checksum.add(thread)
    checksum.add(at)
    checksum.add(response)
    return checksum.value
  }

  /// Reads the row that the statement stands on; nil if its checksum is wrong.
  init?(_ row: SQLiteStatement) {
    guard row.isWhole(7), let key = row.identifier(1, IdempotencyKey.self) else { return nil }
    self.init(
      tenant: row.text(0), key: key, method: UInt16(truncatingIfNeeded: row.integer(2)), requestHash: row.bytes(3),
      thread: row.identifier(4), response: row.bytes(6), at: row.integer(5))
  }
}
