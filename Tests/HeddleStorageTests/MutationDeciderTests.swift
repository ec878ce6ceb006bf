import HeddleCore
import Testing

@testable import HeddleStorage

@Suite struct MutationDeciderTests {
  private let decider = MutationDecider()
  private let id = ThreadID(high: 1, low: 1)
  private let other = ThreadID(high: 1, low: 2)

  private func row(_ id: ThreadID, _ sequence: UInt64, name: String = "", segments: [HistorySegment] = []) -> ThreadRow
  {
    ThreadRow(
      id: id, tenant: "t", epoch: 1, root: id, source: .client, createdAt: 1, updatedAt: Int64(sequence), name: name,
      sequence: sequence, segments: segments)
  }

  private func event(_ sequence: UInt64, ordinal: UInt64 = 0) -> StoredEvent {
    StoredEvent(sequence: sequence, kind: 1, ordinal: ordinal, at: 1, payload: [UInt8(sequence)])
  }

  /// The changes of a mutation and of the flush behind it. `stored`: threads that the transaction holds already.
  private func changes(
    _ writes: [StoreWrite], stored: [ThreadID: FoundThread] = [:], flushes: Bool = true
  ) throws(StoreError) -> [RowChange] {
    var out: [RowChange] = []
    let mutation = Mutation(writes)
    for write in writes {
      try decider.decide(write, of: mutation, &out) { stored[$0] }
    }
    if flushes { try decider.flush(&out) }
    return out
  }

  private func found(_ row: ThreadRow, isDeleted: Bool = false, hasSnapshot: Bool = false) -> FoundThread {
    FoundThread(
      row: row, isDeleted: isDeleted, hasSnapshot: hasSnapshot, newestEvent: row.sequence, newestOrdinal: 1)
  }

  private func touched(_ row: ThreadRow) -> RowChange {
    .touchThread(
      row.id, updatedAt: row.updatedAt, sequence: row.sequence, checksum: row.checksum(hasSnapshot: false))
  }

  @Test("A new thread's events come first, then its row; a stretch begins with each other turn")
  func newThread() throws {
    let events = [event(1), event(2, ordinal: 1), event(3, ordinal: 1), event(4), event(5, ordinal: 2)]
    #expect(
      try changes([.events(id, events), .thread(row(id, 5))]) == [
        .insertEvent(events[0], of: id), .insertEvent(events[1], of: id),
        .insertStretch(id, first: 2, ordinal: 1), .insertEvent(events[2], of: id), .insertEvent(events[3], of: id),
        .insertEvent(events[4], of: id), .insertStretch(id, first: 5, ordinal: 2),
        .putThread(row(id, 5), hasSnapshot: false),
      ])
    #expect(decider.appended == 5)
  }

  @Test("A1: an append to a thread that is stored goes on where that is, and touches its row only")
  func append() throws {
    let stored = [id: found(row(id, 3))]
    let next = event(4, ordinal: 1)
    #expect(
      try changes([.events(id, [next]), .thread(row(id, 4))], stored: stored) == [
        .insertEvent(next, of: id), touched(row(id, 4)),
      ])
    // Known now: nothing is asked.
    #expect(
      try changes([.events(id, [event(5)]), .thread(row(id, 5, name: "n"))]) == [
        .insertEvent(event(5), of: id), .putThread(row(id, 5, name: "n"), hasSnapshot: false),
      ])
  }

  @Test("A2: rows and snapshots that are replaced within a group are written once, and before a delete")
  func once() throws {
    let stored = [id: found(row(id, 1))]
    var first = try changes([.events(id, [event(2)]), .thread(row(id, 2))], stored: stored, flushes: false)
    first += try changes(
      [
        .events(id, [event(3)]), .thread(row(id, 3)), .snapshot(id, sequence: 2, [2]), .snapshot(id, sequence: 3, [3]),
        .delete([other]),
      ], flushes: false)
    #expect(
      first == [
        .insertEvent(event(2), of: id), .insertEvent(event(3), of: id),
        .putThread(row(id, 3), hasSnapshot: true), .putSnapshot(StoredSnapshot(sequence: 3, payload: [3]), of: id),
        .deleteThreads([other]),
      ])
    #expect(try changes([]) == [])
  }

  @Test("A fork's claims on others' pasts are written with its row, and Store.P4 holds for what it shares")
  func shares() throws {
    let stored = [id: found(row(id, 5))]
    let fork = row(other, 5, segments: [HistorySegment(thread: id, lastSequence: 5, lastOrdinal: 1)])
    #expect(
      try changes([.thread(fork)], stored: stored) == [
        .putThread(fork, hasSnapshot: false), .putShares(fork.segments, of: other),
      ])
    decider.forget()
    let beyond = row(other, 6, segments: [HistorySegment(thread: id, lastSequence: 6, lastOrdinal: 1)])
    #expect(throws: StoreError.conflict("thread \(other) shares events of \(id) that are not there (P4)")) {
      try changes([.thread(beyond)], stored: stored)
    }
  }

  @Test("Store.P4: holes, second events with a number, and rows and snapshots that say another number are refused")
  func numbers() throws {
    let stored = [id: found(row(id, 3))]
    for sequence in [1, 3, 5] as [UInt64] {
      #expect(throws: StoreError.conflict("event \(sequence) of thread \(id) does not follow 3 (P4)")) {
        try changes([.events(id, [event(sequence)])], stored: stored)
      }
    }
    #expect(throws: StoreError.conflict("the row of thread \(id) says 4, its newest event is 3")) {
      try changes([.thread(row(id, 4))], stored: stored)
    }
    decider.forget()
    #expect(throws: StoreError.conflict("the snapshot of thread \(id) says 4, its newest event is 3")) {
      try changes([.snapshot(id, sequence: 4, [])], stored: stored)
    }
  }

  @Test("A3: a deleted thread takes no writes, and neither does one without a row")
  func deleted() throws {
    let stored = [id: found(row(id, 3), isDeleted: true)]
    for write in [.events(id, [event(4)]), .thread(row(id, 3)), .snapshot(id, sequence: 3, [])] as [StoreWrite] {
      #expect(throws: StoreError.conflict("thread \(id) is deleted")) { try changes([write], stored: stored) }
    }
    #expect(throws: StoreError.conflict("thread \(other) has no row")) {
      try changes([.turn(other, ordinal: 1, id: TurnID(high: 1, low: 1), [])])
    }
  }
}
