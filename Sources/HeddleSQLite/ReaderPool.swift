// Read-only connections, lent to one thread at a time. WAL lets them read beside the writer; they see committed rows,
// and a commit is published only after its sync (Store.P5). All are opened at the start: later there may be no
// descriptor left for one (D12).

import HeddleCore
import HeddleStorage

final class ReaderPool: Sendable {
  /// As many reads at a time as a small machine has disks and cores for; a later one waits.
  private static let limit = 4

  private struct State {
    var idle: [SQLiteConnection] = []
    var openCount = 0
    var isClosed = false
  }

  private enum Turn {
    case lent(SQLiteConnection)
    case closed
  }

  private let state = Monitor(State())

  /// Told which pages were found to be wrong.
  private let wrongPages: WrongPages

  init(path: String, disk: String? = nil, pageChecksums: Bool, _ wrongPages: WrongPages) throws(StoreError) {
    self.wrongPages = wrongPages
    for _ in 0..<Self.limit {
      let connection = try SQLiteConnection(path: path, readOnly: true, disk: disk)
      // SQLite opens the log with the first read.
      _ = try connection.text("PRAGMA user_version")
      if pageChecksums {
        guard connection.hasRoomForPageChecksums else {
          throw .unusable("SQLite refused to leave room for the checksums of pages")
        }
        try connection.startPageChecksums()
      }
      state.change { state in
        state.idle.append(connection)
        state.openCount += 1
      }
    }
  }

  /// Runs `body` in one read transaction: all that it reads is of one moment.
  ///
  /// With `despiteDamage`, a page that has a wrong checksum is read all the same, in a second try: the whole rows in it
  /// are served (D7). That is for a `body` that proves its result by checksums of rows and numbers without holes, and
  /// takes no row for missing because it was not found.
  func read<Value>(
    despiteDamage: Bool = false, _ body: (SQLiteConnection) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    let connection = try borrow()
    defer { giveBack(connection) }
    do throws(StoreError) { return try Self.transaction(connection, body) } catch {
      guard connection.metWrongPage else { throw error }
      wrongPages.tell(connection.wrongPages())
      guard despiteDamage else { throw error }
    }
    defer { wrongPages.tell(connection.wrongPages()) }
    return try Self.trusting(connection, body)
  }

  /// The same, with pages taken as they are: for looking at damage.
  func readTrusting<Value>(_ body: (SQLiteConnection) throws(StoreError) -> Value) throws(StoreError) -> Value {
    let connection = try borrow()
    defer { giveBack(connection) }
    return try Self.trusting(connection, body)
  }

  private static func trusting<Value>(
    _ connection: SQLiteConnection, _ body: (SQLiteConnection) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    connection.trustPages(true)
    defer { connection.trustPages(false) }
    return try transaction(connection, body)
  }

  private static func transaction<Value>(
    _ connection: SQLiteConnection, _ body: (SQLiteConnection) throws(StoreError) -> Value
  ) throws(StoreError) -> Value {
    connection.forgetFaults()
    // It has changed nothing, so there is nothing that ending it could lose.
    defer { try? connection.rollback() }
    do throws(StoreError) {
      try connection.statement("BEGIN").run()
      return try body(connection)
    } catch .failed(let text) {
      // A failure at a damaged page is not the disk's, and a failed read is not the end of the store.
      throw connection.metDamage ? .damaged(thread: ThreadID(), sequence: 0) : .unreadable(text)
    }
  }

  private func borrow() throws(StoreError) -> SQLiteConnection {
    let turn = state.wait { state -> Turn? in
      if state.isClosed { return .closed }
      if let idle = state.idle.popLast() { return .lent(idle) }
      return nil
    }
    switch turn {
    case .lent(let connection): return connection
    case .closed: throw .failed("the store is closed")
    }
  }

  private func giveBack(_ connection: SQLiteConnection) {
    connection.trimStatements()
    state.change { $0.idle.append(connection) }
  }

  /// Waits for reads that run and refuses new ones.
  func close() {
    state.change { $0.isClosed = true }
    state.wait { state in
      guard state.idle.count == state.openCount else { return Void?.none }
      for connection in state.idle { connection.close() }
      state.idle = []
      state.openCount = 0
      return ()
    }
  }
}
