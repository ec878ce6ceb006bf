// Turns mutations into changes of rows, group by group. Refuses writes that Store.P4 forbids or whose thread is not
// there. It reads and writes nothing itself: a store finds threads for it and carries out the changes. After any throw
// the store rolls its transaction back and calls `forget`.
//
// Always true between two calls, inside one transaction:
// A1  `threads` caches the state inside the open transaction; a missing entry means that it is not cached.
// A2  A row or snapshot that is replaced within a group is written once, by `flush`; before a delete and before the commit
//     nothing is left unwritten.
// A3  A deleted thread takes no more writes: a late one of a session that had not noticed does not bring it back.

import HeddleCore

/// A change of rows. Carried out in order, the changes have the effect of the mutations. Values that are rare and large
/// are boxed, so that an append moves few bytes.
package enum RowChange: Equatable, Sendable {
  case insertEvent(StoredEvent, of: ThreadID)
  /// From this event on the thread's events are of another turn.
  case insertStretch(ThreadID, first: UInt64, ordinal: UInt64)
  /// Inserts or replaces a row with all its columns.
  indirect case putThread(ThreadRow, hasSnapshot: Bool)
  /// The usual change: of a row that is there, only the time, the newest event and the checksum. They are in no index.
  case touchThread(ThreadID, updatedAt: Int64, sequence: UInt64, checksum: Int64)
  /// The row's segments are others now, so are its claims on others' pasts (Store.P6).
  case putShares([HistorySegment], of: ThreadID)
  case putSnapshot(StoredSnapshot, of: ThreadID)
  case putTurn(ThreadID, ordinal: UInt64, id: TurnID, [UInt8])
  /// Refused by the store if the key is there and has not expired (Store.P7).
  indirect case insertKey(KeyRecord)
  case setFeature(String, Bool?)
  case deleteThreads([ThreadID])
}

/// A thread as the open transaction holds it.
package struct FoundThread {
  package var row: ThreadRow
  package var isDeleted: Bool
  package var hasSnapshot: Bool
  /// The newest event of its own and the turn of its newest stretch; 0: none.
  package var newestEvent: UInt64
  package var newestOrdinal: UInt64

  package init(row: ThreadRow, isDeleted: Bool, hasSnapshot: Bool, newestEvent: UInt64, newestOrdinal: UInt64) {
    self.row = row
    self.isDeleted = isDeleted
    self.hasSnapshot = hasSnapshot
    self.newestEvent = newestEvent
    self.newestOrdinal = newestOrdinal
  }
}

/// The state of a thread within a group, so that a usual append asks the database nothing.
private final class WrittenThread {
  /// The newest event, shared ones counted.
  var head: UInt64
  /// The turn of the newest stretch; 0: none yet.
  var ordinal: UInt64
  /// As it stands in the database; nil if it does not yet.
  var stored: ThreadRow?
  /// Waits for `flush`, as does the snapshot.
  var row: ThreadRow?
  var snapshot: StoredSnapshot?
  /// As the row in the database says.
  var hasSnapshot: Bool
  var isDirty = false
  let isDeleted: Bool

  init(head: UInt64, ordinal: UInt64 = 0, stored: ThreadRow?, hasSnapshot: Bool = false, isDeleted: Bool) {
    self.head = head
    self.ordinal = ordinal
    self.stored = stored
    self.hasSnapshot = hasSnapshot
    self.isDeleted = isDeleted
  }
}

/// Belongs to the thread of one lane.
package final class MutationDecider {
  /// Finds a thread, or its tombstone, in the open transaction, after all changes that were decided so far.
  package typealias Find = (ThreadID) throws(StoreError) -> FoundThread?

  private var threads: [ThreadID: WrittenThread] = [:]
  private var dirty: [(id: ThreadID, thread: WrittenThread)] = []
  /// Events inserted in this group. A store that rolls a part of it back takes that part's number back.
  package var appended = 0

  /// About 16 MiB of rows at the worst, and more threads than are loaded; starting anew costs one look-up a thread.
  private static let threadLimit = 16_384

  package init() {}

  /// Threads whose rows are cached.
  package var knownThreads: Int { threads.count }

  /// Starts a group.
  package func beginGroup() {
    appended = 0
    // Only here: within a transaction `dirty` points into it.
    if threads.count > Self.threadLimit { threads = [:] }
  }

  /// After a rollback: cached states may not be true any more (A1).
  package func forget() {
    threads = [:]
    dirty = []
  }

  /// Adds to `changes` those of one write of the mutation. The changes of one write are carried out before the next one
  /// is decided.
  package func decide(
    _ write: StoreWrite, of mutation: Mutation, _ changes: inout [RowChange], find: Find
  ) throws(StoreError) {
    switch write {
    case .events(let id, let events): try append(events, to: id, mutation, &changes, find)
    case .thread(let row): try replace(row, find)
    case .snapshot(let id, let sequence, let payload):
      let thread = try thread(id, mutation, find)
      thread.snapshot = StoredSnapshot(sequence: sequence, payload: payload)
      markDirty(id, thread)
    case .turn(let id, let ordinal, let turn, let payload):
      _ = try thread(id, mutation, find)
      changes.append(.putTurn(id, ordinal: ordinal, id: turn, payload))
    case .key(let record): changes.append(.insertKey(record))
    case .feature(let name, let value): changes.append(.setFeature(name, value))
    case .delete(let ids):
      try flush(&changes)
      changes.append(.deleteThreads(ids))
      // A tombstone is read back when a caller writes to it by mistake.
      for id in ids { threads[id] = nil }
    }
  }

  private func append(
    _ events: [StoredEvent], to id: ThreadID, _ mutation: Mutation, _ changes: inout [RowChange], _ find: Find
  ) throws(StoreError) {
    let thread = try thread(id, mutation, find)
    for event in events {
      guard event.sequence == thread.head + 1 else {
        throw .conflict("event \(event.sequence) of thread \(id) does not follow \(thread.head) (P4)")
      }
      changes.append(.insertEvent(event, of: id))
      thread.head = event.sequence
      appended += 1
      if event.ordinal != thread.ordinal, event.ordinal != 0 {
        changes.append(.insertStretch(id, first: event.sequence, ordinal: event.ordinal))
        thread.ordinal = event.ordinal
      }
    }
  }

  private func replace(_ row: ThreadRow, _ find: Find) throws(StoreError) {
    if let thread = try known(row.id, find) {
      guard !thread.isDeleted else { throw .conflict("thread \(row.id) is deleted") }
      thread.row = row
      markDirty(row.id, thread)
    } else {
      for segment in row.segments {
        guard let source = try known(segment.thread, find), source.head >= segment.lastSequence else {
          throw .conflict("thread \(row.id) shares events of \(segment.thread) that are not there (P4)")
        }
      }
      let thread = WrittenThread(head: row.sharedSequence, stored: nil, isDeleted: false)
      thread.row = row
      threads[row.id] = thread
      markDirty(row.id, thread)
    }
  }

  /// A thread that may be written to. Its row may come later in the same mutation.
  private func thread(_ id: ThreadID, _ mutation: Mutation, _ find: Find) throws(StoreError) -> WrittenThread {
    if let thread = try known(id, find) {
      guard !thread.isDeleted else { throw .conflict("thread \(id) is deleted") }
      return thread
    }
    for case .thread(let row) in mutation.writes where row.id == id {
      try replace(row, find)
      return try thread(id, mutation, find)
    }
    throw .conflict("thread \(id) has no row")
  }

  private func known(_ id: ThreadID, _ find: Find) throws(StoreError) -> WrittenThread? {
    if let thread = threads[id] { return thread }
    guard let found = try find(id) else { return nil }
    let thread = WrittenThread(
      head: max(found.newestEvent, found.row.sharedSequence), ordinal: found.newestOrdinal, stored: found.row,
      hasSnapshot: found.hasSnapshot, isDeleted: found.isDeleted)
    threads[id] = thread
    return thread
  }

  private func markDirty(_ id: ThreadID, _ thread: WrittenThread) {
    guard !thread.isDirty else { return }
    thread.isDirty = true
    dirty.append((id, thread))
  }

  /// Adds the rows and snapshots that wait (A2).
  package func flush(_ changes: inout [RowChange]) throws(StoreError) {
    for (id, thread) in dirty {
      thread.isDirty = false
      let hasSnapshot = thread.hasSnapshot || thread.snapshot != nil
      if let row = thread.row ?? (hasSnapshot == thread.hasSnapshot ? nil : thread.stored) {
        // Readers take the row's number as the end of the thread: one beyond it would look like lost events.
        // One behind it would be of a write that others have overtaken.
        guard row.sequence == thread.head else {
          throw .conflict("the row of thread \(id) says \(row.sequence), its newest event is \(thread.head)")
        }
        decide(row, hasSnapshot, over: thread, &changes)
        thread.stored = row
        thread.hasSnapshot = hasSnapshot
        thread.row = nil
      }
      if let snapshot = thread.snapshot {
        guard snapshot.sequence <= thread.head else {
          throw .conflict("the snapshot of thread \(id) says \(snapshot.sequence), its newest event is \(thread.head)")
        }
        changes.append(.putSnapshot(snapshot, of: id))
        thread.snapshot = nil
      }
    }
    dirty.removeAll(keepingCapacity: true)
  }

  private func decide(
    _ row: ThreadRow, _ hasSnapshot: Bool, over thread: WrittenThread, _ changes: inout [RowChange]
  ) {
    if var same = thread.stored, hasSnapshot == thread.hasSnapshot {
      (same.updatedAt, same.sequence) = (row.updatedAt, row.sequence)
      if same == row {
        return changes.append(
          .touchThread(
            row.id, updatedAt: row.updatedAt, sequence: row.sequence, checksum: row.checksum(hasSnapshot: hasSnapshot)))
      }
    }
    changes.append(.putThread(row, hasSnapshot: hasSnapshot))
    if row.segments != thread.stored?.segments ?? [] { changes.append(.putShares(row.segments, of: row.id)) }
  }
}
