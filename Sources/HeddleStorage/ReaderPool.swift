// Read-only connections, lent to one thread at a time. WAL lets them read beside the writer; what they see was committed,
// and a commit is published only after its sync (P5). All are opened at the start: later there may be no descriptor left
// for one (D12).

import HeddleCore

final class ReaderPool: Sendable {
  /// As many reads at a time as a small machine has disks and cores for; who comes later waits.
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

  init(path: String, disk: String? = nil) throws(StoreError) {
    for _ in 0..<Self.limit {
      let connection = try SQLiteConnection(path: path, readOnly: true, disk: disk)
      // SQLite opens the log with the first read.
      _ = try connection.text("PRAGMA user_version")
      state.change { state in
        state.idle.append(connection)
        state.openCount += 1
      }
    }
  }

  /// Runs `body` in one read transaction: all that it reads is of one moment.
  func read<Value>(_ body: (SQLiteConnection) throws(StoreError) -> Value) throws(StoreError) -> Value {
    let connection = try borrow()
    defer {
      connection.trimStatements()
      giveBack(connection)
    }
    // It has changed nothing, so there is nothing that ending it could lose.
    defer { try? connection.rollback() }
    do throws(StoreError) {
      try connection.statement("BEGIN").run()
      return try body(connection)
    } catch .failed(let text) {
      throw .unreadable(text)
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
