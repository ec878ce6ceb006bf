// Removes threads, and with them everything that no fork needs (Store.P6). The rest of a thread is its tombstone: an id
// that is not used again, times, and events and turns that forks share. When the last of those forks goes, they go too.

import HeddleCore
import HeddleStorage

struct ThreadDeletion {
  private let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Inside the caller's transaction. Unknown and deleted threads are left as they are.
  func delete(_ ids: [ThreadID]) throws(StoreError) {
    var owners: Set<ThreadID> = []
    for id in ids where try bury(id) {
      for statement in ["DELETE FROM keys WHERE thread = ?1", "DELETE FROM snapshots WHERE thread = ?1"] {
        try run(statement, id)
      }
      owners.insert(id)
      owners.formUnion(try creditors(of: id))
      try run("DELETE FROM shares WHERE borrower = ?1", id)
    }
    // After all claims of the deleted are gone, so that the order of `ids` does not matter.
    for owner in owners where try isDeleted(owner) { try trim(owner) }
  }

  /// Makes the row a tombstone; false if there was nothing to bury. Segments stay: they say where its numbers begin.
  private func bury(_ id: ThreadID) throws(StoreError) -> Bool {
    guard try connection.threadRow(id) != nil else { return false }
    try run(
      """
      UPDATE threads SET deleted = 1, active = 0, name = '', preview = '', folder = '', provider = '', snapshot = 0,
        crc = row_checksum(id, tenant, epoch, root, parent, forked_from, source, created_at, updated_at, archived,
          '', '', '', '', 0, sequence, segments, 1, 0)
      WHERE id = ?1
      """, id)
    return true
  }

  /// Threads whose events it shares.
  private func creditors(of id: ThreadID) throws(StoreError) -> [ThreadID] {
    let select = try connection.statement("SELECT owner FROM shares WHERE borrower = ?1")
    select.bind(id, at: 1)
    defer { select.reset() }
    var owners: [ThreadID] = []
    while try select.step() {
      guard let owner = select.identifier(0, ThreadID.self) else { throw .failed("a row of shares is damaged") }
      owners.append(owner)
    }
    return owners
  }

  private func isDeleted(_ id: ThreadID) throws(StoreError) -> Bool {
    let select = try connection.statement("SELECT 1 FROM threads WHERE id = ?1 AND deleted = 1")
    select.bind(id, at: 1)
    defer { select.reset() }
    return try select.step()
  }

  /// Removes a buried thread's events and turns behind the last that a living thread shares.
  private func trim(_ owner: ThreadID) throws(StoreError) {
    let select = try connection.statement(
      "SELECT coalesce(max(last_sequence), 0), coalesce(max(last_ordinal), 0) FROM shares WHERE owner = ?1")
    select.bind(owner, at: 1)
    defer { select.reset() }
    guard try select.step() else { return }
    try run("DELETE FROM events WHERE thread = ?1 AND seq > ?2", owner, select.number(0))
    try run("DELETE FROM stretches WHERE thread = ?1 AND first > ?2", owner, select.number(0))
    try run("DELETE FROM turns WHERE thread = ?1 AND ordinal > ?2", owner, select.number(1))
  }

  private func run(_ sql: String, _ id: ThreadID, _ number: UInt64? = nil) throws(StoreError) {
    let statement = try connection.statement(sql)
    statement.bind(id, at: 1)
    if let number { statement.bind(number, at: 2) }
    try statement.run()
  }
}
