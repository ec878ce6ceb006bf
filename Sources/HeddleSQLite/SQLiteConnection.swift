// A thin layer over SQLite's C API: a connection, its prepared statements, and what its result codes mean to a store.
// Neither is safe to share: a connection belongs to one thread at a time (it is opened without SQLite's own mutex).

import CPageChecksums
import CSQLite
import HeddleCore
import HeddleStorage
import Synchronization

extension StoreError {
  /// The meaning of a failed call. SQLite turns a write's `ENOSPC` into `SQLITE_FULL`, and that of a sync into
  /// `SQLITE_IOERR_FSYNC`, which is where durability.md draws the line between D9 and D8.
  init(sqlite code: Int32, _ text: String) {
    switch code & 0xFF {
    case SQLITE_FULL: self = .diskFull
    case SQLITE_CONSTRAINT, SQLITE_TOOBIG: self = .conflict(text)
    default: self = .failed("SQLite \(code): \(text)")
    }
  }
}

/// An open database.
final class SQLiteConnection {
  let handle: OpaquePointer
  private var statements: [String: SQLiteStatement] = [:]
  private let walCount = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
  private var isOpen = true
  /// Whether a call found damaged pages since this was last set to false.
  private(set) var metDamage = false
  /// Whether a checksum of a page was wrong, likewise.
  private(set) var metWrongPage = false
  /// Whether the disk did not give what was asked for, likewise.
  private(set) var metFailedRead = false
  /// Whether pages with a wrong checksum are read as if it were right (D7).
  private(set) var trustsPages = false

  static let wrongPageLimit = HEDDLE_WRONG_PAGES

  /// More than any one writer or reader needs; only lists with many different filters come near.
  private static let statementLimit = 64

  /// Pages in the write-ahead log after the newest commit of this connection.
  var walPages: Int32 { walCount.pointee }

  /// `disk` names a registered VFS; nil: the machine's.
  init(path: String, readOnly: Bool, disk: String? = nil) throws(StoreError) {
    var opened: OpaquePointer?
    let access = readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let files = try PageChecksums.files(over: disk)
    let code = sqlite3_open_v2(path, &opened, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, files)
    guard code == SQLITE_OK, let opened else {
      let text = opened.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close_v2(opened)
      walCount.deallocate()
      // A disk that fails may work again, a file that is no database will not.
      if code & 0xFF == SQLITE_IOERR { throw .failed("cannot read the database \(path): \(text)") }
      throw .unusable("cannot open the database \(path): \(text)")
    }
    handle = opened
    walCount.initialize(to: 0)
    setBusyTimeout(milliseconds: 5_000)
    _ = heddle_sqlite_no_checkpoint_on_close(handle)
    // This also takes the place of SQLite's automatic checkpoint, which ignores a failed sync: the writer runs its own.
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        context?.assumingMemoryBound(to: Int32.self).pointee = pages
        return SQLITE_OK
      }, walCount)
    // Broken pages are refused instead of being worked on. Nothing needs a file beside the store's own, which there may be
    // no descriptor or space for.
    try execute("PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY")
  }

  deinit {
    close()
    walCount.deallocate()
  }

  /// Ends all statements and closes. Whoever holds one must not use it any more.
  func close() {
    guard isOpen else { return }
    isOpen = false
    forgetStatements()
    sqlite3_close_v2(handle)
  }

  func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  /// A prepared statement, made at its first use.
  func statement(_ sql: String) throws(StoreError) -> SQLiteStatement {
    if let known = statements[sql] { return known }
    let made = try SQLiteStatement(sql, self)
    statements[sql] = made
    return made
  }

  var statementCount: Int { statements.count }

  /// Keeps the number of statements bounded. To be called when none is in use.
  func trimStatements() {
    if statements.count > Self.statementLimit { forgetStatements() }
  }

  private func forgetStatements() {
    for statement in statements.values { statement.end() }
    statements = [:]
  }

  /// Runs statements that return nothing.
  func execute(_ sql: String) throws(StoreError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// The first column of the first row; nil without a row.
  func text(_ sql: String) throws(StoreError) -> String? {
    let statement = try statement(sql)
    defer { statement.reset() }
    guard try statement.step() else { return nil }
    let found = statement.text(0)
    // To the end: `PRAGMA journal_mode = WAL` commits behind its row, and says "wal" also when that then fails.
    while try statement.step() {}
    return found
  }

  /// Begins to watch the file for writes of other programs, while this connection writes to it.
  func watchDatabase() { heddle_database_watch(handle) }

  /// Ends that; whether there was one.
  func wasDatabaseChanged() -> Bool { heddle_database_was_changed(handle) != 0 }

  /// Syncs the log and moves it into the database; false if a reader was in the way, which passes.
  func checkpoint(_ mode: Int32) throws(StoreError) -> Bool {
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil)
    switch code & 0xFF {
    case SQLITE_OK: return true
    case SQLITE_BUSY, SQLITE_LOCKED: return false
    default: throw error(code)
    }
  }

  /// Ends a transaction without its changes; does nothing when SQLite has already done so.
  func rollback() throws(StoreError) {
    if sqlite3_get_autocommit(handle) == 0 { try execute("ROLLBACK") }
  }

  func error(_ code: Int32) -> StoreError {
    noteDamage(code)
    if code == heddle_sqlite_failed_read { metFailedRead = true }
    guard code == heddle_sqlite_wrong_page else {
      return StoreError(sqlite: code, String(cString: sqlite3_errmsg(handle)))
    }
    return .failed("a page of the database has a wrong checksum: run heddle check on the folder")
  }

  /// True, and remembered, if the code says that what was read is not what was written: a page with a wrong checksum, or
  /// one in which SQLite finds what cannot be.
  @discardableResult
  fileprivate func noteDamage(_ code: Int32) -> Bool {
    // Asked of every row that is read, so the usual answers come first.
    if code == SQLITE_ROW || code == SQLITE_DONE { return false }
    let kind = code & 0xFF
    guard kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || code == heddle_sqlite_wrong_page else { return false }
    metDamage = true
    if code == heddle_sqlite_wrong_page { metWrongPage = true }
    return true
  }

  /// To be called before work of which one wants to know whether it met damage or a failed read.
  func forgetFaults() { (metDamage, metWrongPage, metFailedRead) = (false, false, false) }

  // MARK: Checksums of pages

  /// To be called on an empty database, or before `VACUUM`.
  func makeRoomForPageChecksums() throws(StoreError) {
    let code = heddle_page_checksums_make_room(handle)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Whether pages leave room for checksums, or will when they are written. To be called when the database has been read.
  var hasRoomForPageChecksums: Bool { heddle_page_checksums_reserve(handle) == HEDDLE_PAGE_RESERVE }

  /// Writes and checks them from now on. To be called when no statement is in use.
  func startPageChecksums() throws(StoreError) {
    let code = heddle_page_checksums_start(handle)
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Reads pages with a wrong checksum as if it were right, or no longer. To be called when no statement is in use: pages
  /// that were read so far are forgotten.
  func trustPages(_ trusts: Bool) {
    trustsPages = trusts
    heddle_page_checksums_trust(handle, trusts ? 1 : 0)
  }

  /// Runs `body`, whose answer nothing but its pages proves: damage to the thread, if one of them has a wrong checksum.
  /// Others must not have read these pages in the same transaction without asking so.
  func onlyWholePages<Value>(
    _ thread: ThreadID, _ body: () throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    guard trustsPages else { return try body() }
    let before = heddle_page_checksums_wrong_reads(handle)
    let value = try body()
    guard heddle_page_checksums_wrong_reads(handle) == before else { throw .damaged(thread: thread, sequence: 0) }
    return value
  }

  /// The pages whose checksum was found to be wrong since this was last asked, in the order in which they were read: the
  /// first 1,024.
  func wrongPages() -> [UInt32] {
    guard heddle_page_checksums_wrong_reads(handle) > 0 else { return [] }
    var numbers = [UInt32](repeating: 0, count: Self.wrongPageLimit)
    let count = heddle_page_checksums_wrong(handle, &numbers, Int32(numbers.count))
    return Array(numbers.prefix(Int(count)))
  }
}

/// The files of databases, with checksums of pages on top of them.
private enum PageChecksums {
  // SQLite's own registry takes one change at a time.
  private static let registry = Mutex<Void>(())

  /// The name of the VFS over that one; nil: the machine's.
  static func files(over disk: String?) throws(StoreError) -> String {
    let name = disk.map { "heddle over \($0)" } ?? "heddle"
    let code = registry.withLock { _ in heddle_page_checksums_register(name, disk) }
    guard code == SQLITE_OK else { throw .unusable("SQLite does not take the checksums of pages (\(code))") }
    return name
  }
}

/// A prepared statement. Parameters count from 1 and keep their value over `reset`, columns count from 0.
final class SQLiteStatement {
  private let handle: OpaquePointer
  // unowned: the connection owns its statements and ends them before it goes.
  private unowned let connection: SQLiteConnection
  /// 16 bytes a parameter, so that identifiers are bound without an allocation each.
  private let identifiers: UnsafeMutableRawPointer
  private var bindFailure = SQLITE_OK
  private var ended = false

  init(_ sql: String, _ connection: SQLiteConnection) throws(StoreError) {
    var prepared: OpaquePointer?
    let code = sqlite3_prepare_v3(
      connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let prepared else { throw connection.error(code) }
    handle = prepared
    self.connection = connection
    identifiers = .allocate(byteCount: 16 * (Int(sqlite3_bind_parameter_count(prepared)) + 1), alignment: 8)
  }

  deinit {
    end()
    identifiers.deallocate()
  }

  fileprivate func end() {
    guard !ended else { return }
    ended = true
    sqlite3_finalize(handle)
  }

  private func note(_ code: Int32) { if code != SQLITE_OK { bindFailure = code } }

  func bind(_ value: Int64, at index: Int32) { note(sqlite3_bind_int64(handle, index, value)) }

  /// Numbers beyond what SQLite can hold become its largest: they only occur as "up to any number".
  func bind(_ value: UInt64, at index: Int32) { bind(Int64(clamping: value), at: index) }

  func bind(_ value: Bool, at index: Int32) { bind(value ? 1 : 0 as Int64, at: index) }

  func bind(_ value: String, at index: Int32) {
    var value = value
    note(
      value.withUTF8 { text in
        text.withMemoryRebound(to: CChar.self) {
          // An empty text may have no address, which SQLite would take for NULL.
          $0.isEmpty
            ? sqlite3_bind_text(handle, index, "", 0, heddle_sqlite_static())
            : sqlite3_bind_text(handle, index, $0.baseAddress, Int32(clamping: $0.count), heddle_sqlite_transient())
        }
      })
  }

  func bind(_ id: some Identifier, at index: Int32) {
    let place = identifiers + 16 * Int(index)
    place.storeBytes(of: id.high.bigEndian, as: UInt64.self)
    place.storeBytes(of: id.low.bigEndian, toByteOffset: 8, as: UInt64.self)
    note(sqlite3_bind_blob(handle, index, place, 16, heddle_sqlite_static()))
  }

  func bind(_ id: (some Identifier)?, at index: Int32) {
    if let id { bind(id, at: index) } else { note(sqlite3_bind_null(handle, index)) }
  }

  func bind(_ bytes: [UInt8], at index: Int32) {
    note(bytes.withUnsafeBytes { bind($0, at: index, heddle_sqlite_transient()) })
  }

  private func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32, _ kind: sqlite3_destructor_type?) -> Int32 {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
    return sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), kind)
  }

  /// Goes to the next row; false behind the last.
  func step() throws(StoreError) -> Bool { try check(stepCode()) }

  /// The same while a thread is read, with the event up to which that worked. Damaged pages are damage
  /// to this thread, not to the store: others serve on (D7).
  func step(reading thread: ThreadID, _ sequence: UInt64) throws(StoreError) -> Bool {
    let code = stepCode()
    if connection.noteDamage(code) { throw .damaged(thread: thread, sequence: sequence) }
    return try check(code)
  }

  /// Runs a statement that returns no row.
  func run() throws(StoreError) {
    let code = stepCode()
    let failure = code == SQLITE_DONE ? nil : connection.error(code)
    reset()
    if let failure { throw failure }
  }

  /// Runs with `bytes` as one parameter, which are read where they stand.
  func run(_ bytes: [UInt8], at index: Int32) throws(StoreError) {
    let code = bytes.withUnsafeBytes { raw in
      note(bind(raw, at: index, heddle_sqlite_static()))
      return stepCode()
    }
    let failure = code == SQLITE_DONE ? nil : connection.error(code)
    reset()
    if let failure { throw failure }
  }

  private func stepCode() -> Int32 {
    guard bindFailure == SQLITE_OK else { return bindFailure }
    return sqlite3_step(handle)
  }

  private func check(_ code: Int32) throws(StoreError) -> Bool {
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw connection.error(code)
    }
  }

  func reset() {
    bindFailure = SQLITE_OK
    sqlite3_reset(handle)
  }

  func kind(_ column: Int32) -> Int32 { sqlite3_column_type(handle, column) }
  func isNull(_ column: Int32) -> Bool { kind(column) == SQLITE_NULL }
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  func number(_ column: Int32) -> UInt64 { UInt64(bitPattern: integer(column)) }
  func flag(_ column: Int32) -> Bool { integer(column) != 0 }

  func text(_ column: Int32) -> String {
    // In this order: the text is made first, then it has a length.
    let start = sqlite3_column_text(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: start == nil ? 0 : count), as: UTF8.self)
  }

  /// The bytes where they stand: valid inside `body` only.
  func withBytes<Value>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> Value) -> Value {
    let start = sqlite3_column_blob(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  func bytes(_ column: Int32) -> [UInt8] { withBytes(column) { [UInt8]($0) } }

  /// An identifier; nil for NULL and for anything that is not 16 bytes.
  func identifier<ID: Identifier>(_ column: Int32, _ type: ID.Type = ID.self) -> ID? {
    withBytes(column) { bytes in
      guard bytes.count == 16 else { return nil }
      return ID(
        high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
        low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
  }
}
