// Read-only connections, opened when they are first needed and lent to one thread at a time. WAL lets them read beside
// the writer; what they see was committed, and a commit is published only after its sync (P5).

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
    case mayOpen
    case closed
  }

  private let path: String
  private let state = Monitor(State())

  init(path: String) { self.path = path }

  /// Runs `body` in one read transaction: all that it reads is of one moment.
  func read<Value>(_ body: (SQLiteConnection) throws(StoreError) -> Value) throws(StoreError) -> Value {
    let connection = try borrow()
    defer {
      connection.trimStatements()
      giveBack(connection)
    }
    try connection.statement("BEGIN").run()
    // It has changed nothing, so there is nothing that ending it could lose.
    defer { try? connection.rollback() }
    return try body(connection)
  }

  private func borrow() throws(StoreError) -> SQLiteConnection {
    let turn = state.wait { state -> Turn? in
      if state.isClosed { return .closed }
      if let idle = state.idle.popLast() { return .lent(idle) }
      guard state.openCount < Self.limit else { return nil }
      state.openCount += 1
      return .mayOpen
    }
    switch turn {
    case .lent(let connection): return connection
    case .closed: throw .failed("the store is closed")
    case .mayOpen:
      do throws(StoreError) {
        return try SQLiteConnection(path: path, readOnly: true)
      } catch {
        state.change { $0.openCount -= 1 }
        throw error
      }
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
