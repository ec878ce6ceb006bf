// The one writer of a store: takes groups from the queue, makes each one transaction with one sync, then answers.
//
// W1  Completions of a group are called after its COMMIT returned, which with WAL and synchronous=FULL is after the
//     sync (Store.P1, D1), in the order of submission (Store.P2).
// W2  A group is tried as a whole. Only if something in it is a conflict is it rolled back and done again with a
//     savepoint for each submission, so that the other submissions do not fail and the usual case needs none.
// W3  After a failed write or sync nothing is written again, not even a checkpoint (D8): every later submission fails
//     at once.
// W4  The log is checkpointed here and not by SQLite, which would not report a failed sync of the database.
// W5  A submission that meets damage or a failed read before its commit is refused and leaves nothing; others go on (D7,
//     D8). That takes a transaction for each: behind a savepoint SQLite goes on to find the damage that was rolled back.
// W6  A commit is only reported if the files that hold it are still those of the folder: somebody may have removed or
//     replaced them, and rows in a file without a name are lost. The log is not moved into such a database either (D8).

import CSQLite
import Glibc
import HeddleCore
import HeddleMetrics
import HeddleStorage

/// Belongs to its thread, which calls `run` and nothing else, or in a simulation `step`.
final class SQLiteWriter {
  private let queue: WriteQueue
  private let connection: SQLiteConnection
  private let folder: DataFolder?
  private let metrics: StoreMetrics
  private let wrongPages: WrongPages
  private let applier: MutationApplier
  private let begin: SQLiteStatement
  private let commit: SQLiteStatement
  /// Set once, for good (W3).
  private var failure: StoreError?
  /// Deleted text is still in the log.
  private var mustScrub = false

  /// 4 MB. Not more: the index of a log below 4,062 pages is in the first 32 KiB of `heddle.db-shm`, made when the store
  /// opens. Growing that file on a full disk is an I/O error to SQLite, after which the outcome is unknown: D8 where one
  /// would rather have D9. Only a slow reader or a group over thousands of pages gets there.
  private static let checkpointPages: Int32 = 1_000

  init(
    queue: WriteQueue, connection: SQLiteConnection, folder: DataFolder?, metrics: StoreMetrics,
    _ wrongPages: WrongPages
  ) throws(StoreError) {
    self.queue = queue
    self.connection = connection
    self.folder = folder
    self.metrics = metrics
    self.wrongPages = wrongPages
    applier = try MutationApplier(connection)
    begin = try connection.statement("BEGIN IMMEDIATE")
    commit = try connection.statement("COMMIT")
  }

  /// Until the queue is closed and empty; then closes the database and gives the folder away.
  func run() {
    while let group = queue.take() {
      answer(group)
      maintain()
    }
    end()
  }

  /// Writes one group, if there is one; for a store without a thread of its own. False: there is none.
  func step() -> Bool {
    guard let group = queue.takeNow() else { return false }
    answer(group)
    maintain()
    return true
  }

  private func end() {
    if failure == nil { _ = try? moveLog(SQLITE_CHECKPOINT_TRUNCATE) }
    connection.close()
    folder?.unlock()
  }

  private func answer(_ group: [Submission]) {
    let results = write(group)
    for (submission, result) in zip(group, results) { submission.completion(result) }
  }

  /// One result for each submission, in order.
  private func write(_ group: [Submission]) -> [Result<Void, StoreError>] {
    func all(_ result: Result<Void, StoreError>) -> [Result<Void, StoreError>] {
      Array(repeating: result, count: group.count)
    }
    if let failure { return all(.failure(failure)) }
    do throws(StoreError) {
      do throws(StoreError) {
        try writeTogether(group)
        return all(.success(()))
      } catch .conflict {
        try undo()
        return try writeSeparately(group)
      }
    } catch {
      switch error {
      case .damaged, .unreadable: break
      case .diskFull, .failed, .fenced, .unreachable, .conflict, .inUse, .unusable:
        return all(.failure(abandon(error)))
      }
    }
    do throws(StoreError) {
      try undo()
      return try writeEach(group)
    } catch { return all(.failure(abandon(error))) }
  }

  private func writeTogether(_ group: [Submission]) throws(StoreError) {
    try start()
    try telling(group.first?.thread) { () throws(StoreError) in
      for submission in group { try apply(submission) }
      try applier.flush()
    }
    try finish()
  }

  /// W2: the group once more, each submission whole or not at all.
  private func writeSeparately(_ group: [Submission]) throws(StoreError) -> [Result<Void, StoreError>] {
    try start()
    var results: [Result<Void, StoreError>] = []
    for submission in group {
      try connection.execute("SAVEPOINT submission")
      let appended = applier.appended
      do throws(StoreError) {
        try telling(submission.thread) { () throws(StoreError) in
          try apply(submission)
          try applier.flush()
        }
        results.append(.success(()))
      } catch .conflict(let text) {
        try connection.execute("ROLLBACK TO submission")
        applier.forget()
        applier.appended = appended
        results.append(.failure(.conflict(text)))
      }
      try connection.execute("RELEASE submission")
    }
    try finish()
    return results
  }

  /// W5: the group once more, each submission in a transaction of its own.
  private func writeEach(_ group: [Submission]) throws(StoreError) -> [Result<Void, StoreError>] {
    var results: [Result<Void, StoreError>] = []
    for submission in group {
      do throws(StoreError) {
        try writeTogether([submission])
        results.append(.success(()))
      } catch {
        switch error {
        case .conflict, .damaged, .unreadable:
          try undo()
          results.append(.failure(error))
        case .diskFull, .failed, .fenced, .unreachable, .inUse, .unusable:
          // Submissions that were written before keep their results.
          let final = abandon(error)
          return results + Array(repeating: .failure(final), count: group.count - results.count)
        }
      }
    }
    return results
  }

  private func apply(_ submission: Submission) throws(StoreError) {
    for mutation in submission.mutations {
      for case .delete in mutation.writes { mustScrub = true }
      try applier.apply(mutation)
    }
  }

  private func start() throws(StoreError) {
    connection.forgetFaults()
    do throws(StoreError) { try begin.run() } catch {
      guard case .failed(let text) = error, connection.metFailedRead, !connection.metDamage else { throw error }
      throw .unreadable(text)
    }
    applier.beginGroup()
  }

  /// Damaged pages that are met before the commit are damage to the thread that is written to, and a failed read fails
  /// the submission that needed it, not the disk: nothing of it is kept, and others go on (D7, D8).
  private func telling(_ thread: ThreadID?, _ work: () throws(StoreError) -> Void) throws(StoreError) {
    connection.forgetFaults()
    do throws(StoreError) { try work() } catch {
      wrongPages.tell(connection.wrongPages())
      guard case .failed(let text) = error else { throw error }
      if connection.metDamage { throw .damaged(thread: thread ?? ThreadID(), sequence: 0) }
      throw connection.metFailedRead ? .unreadable(text) : error
    }
  }

  private func finish() throws(StoreError) {
    let began = Self.nanoseconds()
    try commit.run()
    metrics.syncSeconds.add(nanoseconds: Self.nanoseconds() - began)
    try folder?.verify()
    metrics.syncs.add(1)
    metrics.events.add(applier.appended)
  }

  /// Of a clock that never steps back; only metrics look at it.
  private static func nanoseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  private func undo() throws(StoreError) {
    applier.forget()
    try connection.rollback()
  }

  /// Undoes the group and returns the error for its submitters. Only a full disk leaves the writer usable (Store.P3).
  private func abandon(_ error: StoreError) -> StoreError {
    do throws(StoreError) {
      try undo()
      if error == .diskFull { return error }
      failure = error
    } catch let second {
      failure = error == .diskFull ? second : error
    }
    return failure ?? error
  }

  /// Moves the log into the database; false if a reader was in the way. The only time at which the database is written.
  private func moveLog(_ mode: Int32) throws(StoreError) -> Bool {
    // W6: a log must not be moved into somebody else's database.
    try folder?.verify()
    connection.watchDatabase()
    folder?.databaseWillChange()
    defer { folder?.databaseChanged(byOthers: connection.wasDatabaseChanged()) }
    let isDone = try connection.checkpoint(mode)
    metrics.checkpoints.add(1)
    return isDone
  }

  /// After the answers, so that no submission waits for it.
  private func maintain() {
    guard failure == nil else { return }
    connection.forgetFaults()
    do throws(StoreError) {
      if mustScrub {
        // A reader may hold the log for a moment: not worth waiting for, the next group tries again.
        connection.setBusyTimeout(milliseconds: 0)
        defer { connection.setBusyTimeout(milliseconds: 5_000) }
        mustScrub = try !moveLog(SQLITE_CHECKPOINT_TRUNCATE)
      } else if connection.walPages >= Self.checkpointPages {
        _ = try moveLog(SQLITE_CHECKPOINT_PASSIVE)
      }
    } catch .diskFull {
      // Everything that was acknowledged is in the log, which stays as it is until there is room (D9).
    } catch {
      // The log stays as it is, and the next group tries again.
      if connection.metFailedRead, !connection.metDamage { return }
      failure = error
    }
  }
}
