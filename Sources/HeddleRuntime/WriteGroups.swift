// Groups the writes of one shard: what its loop decides in one go is one submission to the store, or a few. A group that
// was refused because of one of its writes is retried write by write.
//
// WriteGroups.G1  Writes reach the store in the order in which they were queued, and groups end in that order (Store P2).
// WriteGroups.G2  A group that breaks a promise of the store or meets damage is retried once, each write by itself and in
//                 the same order. The retry waits for the groups that were submitted after it, whose refused writes are
//                 retried after it, and new writes wait for the retry: none of them overtakes it.
// WriteGroups.G3  After a write has failed, no other write of its thread is retried, nor one that rests on it. An atomic
//                 group fails for all of its threads.
// WriteGroups.G4  A waiter is notified once all groups that were decided before it waited have ended, retries included,
//                 and is given the reason of the first failure among them.
//
// Confined to the shard's loop.

import HeddleCore
import HeddleStorage

/// A writer: a live thread.
protocol GroupedWriter: AnyObject {
  /// Why its writes never happen, if they do not: one failed, here or of what this rests on.
  var failure: Refusal? { get }
  /// The store has synced this write, and with it everything up to `sequence`.
  func synced(_ sequence: UInt64, write: UInt64)
}

/// The owner of the groups: it hands them to the store and is notified of their ends.
protocol WriteGroupsOwner: AnyObject {
  associatedtype Writer: GroupedWriter
  associatedtype Waiter

  /// Hands the group to the store; `WriteGroups.ended` is called for its number later, on the loop.
  func submit(_ mutations: [Mutation], group: Int)
  /// Calls `WriteGroups.flush` after everything that the loop does now.
  func flushLater()
  /// Drops a thread of which a write failed: what it holds in memory never happened. Its `failure` is set from then on,
  /// if it is still loaded.
  func drop(_ writer: Writer, _ refusal: Refusal)
  func storeFailed(_ error: StoreError)
  func notify(_ waiter: Waiter, _ failure: Refusal?)
}

final class WriteGroups<Owner: WriteGroupsOwner> {
  /// One mutation, and up to where it makes which threads' events durable.
  private struct Write {
    var mutation: Mutation
    var marks: [(writer: Owner.Writer, upTo: UInt64, write: UInt64)]
    /// It has been submitted before, in a group that was refused.
    var isRetry = false

    /// Why it never happens: one of its threads failed.
    var failure: Refusal? { marks.lazy.compactMap(\.writer.failure).first }
    var hasFailed: Bool { failure != nil }
  }

  private struct Waiting {
    /// The last group that it waits for.
    var until: Int
    /// One of them failed.
    var failure: Refusal?
    let waiter: Owner.Waiter
  }

  /// The writer thread begins with this many while the loop decides the next ones: with all of a busy loop's at once one
  /// would wait for the other, and a group is as large as the loop is busy.
  private let most: Int
  private unowned let owner: Owner
  private var batch: [Write] = []
  private var flushIsSet = false
  /// The write of an atomic group, while its threads decide it.
  private var atomicGroup: Write?
  private var inFlight: [Int: [Write]] = [:]
  private var submitted = 0
  private var done = 0
  private var waiting: [Waiting] = []
  /// Refused writes, in their order, until the groups that were submitted after them have ended (G2).
  private var refused: [Write] = []
  /// The last of these groups.
  private var retryAfter = 0
  /// Threads whose rows these groups have written: a refused write that holds no event is overtaken by them.
  private var overtaken: Set<ThreadID> = []
  /// Threads of which a write failed, until the groups are done that may hold more of them (ThreadLoader.H3).
  private var unsettled: [ThreadID: Int] = [:]

  init(owner: Owner, most: Int = 128) {
    self.owner = owner
    self.most = most
  }

  // MARK: Queueing

  func queue(_ mutation: Mutation, from writer: Owner.Writer, upTo sequence: UInt64, write: UInt64) {
    guard atomicGroup == nil else {
      atomicGroup?.mutation.writes += mutation.writes
      atomicGroup?.marks.append((writer, sequence, write))
      return
    }
    queue(Write(mutation: mutation, marks: [(writer, sequence, write)]))
  }

  /// Everything that `body` has threads write is one mutation: all of it happens or nothing.
  func atomically(_ body: () -> Void) {
    guard atomicGroup == nil else { return body() }
    atomicGroup = Write(mutation: Mutation([]), marks: [])
    body()
    if let write = atomicGroup, !write.marks.isEmpty { queue(write) }
    atomicGroup = nil
  }

  private func queue(_ write: Write) {
    batch.append(write)
    guard refused.isEmpty else { return }
    if batch.count >= most { return submitBatch() }
    guard !flushIsSet else { return }
    flushIsSet = true
    owner.flushLater()
  }

  /// The flush that `flushLater` asked for.
  func flush() {
    flushIsSet = false
    if refused.isEmpty { submitBatch() }
  }

  /// Hands over what has been decided until now, even if a retry waits.
  func submitBatch() {
    guard !batch.isEmpty else { return }
    let work = batch
    batch = []
    submit(work)
    if !refused.isEmpty { retryAfter = submitted }
  }

  private func submit(_ work: [Write]) {
    submitted += 1
    inFlight[submitted] = work
    owner.submit(work.map(\.mutation), group: submitted)
  }

  // MARK: Waiting

  /// The last group of what has been decided until now; it may not have been submitted yet.
  private var decided: Int { submitted + (batch.isEmpty ? 0 : 1) }

  /// Notifies the waiter when everything that was decided until now is on disk, or failed; at once if nothing is on its
  /// way.
  func wait(_ waiter: Owner.Waiter) { wait(waiter, until: decided) }

  private func wait(_ waiter: Owner.Waiter, until: Int) {
    guard done < until || !refused.isEmpty else { return owner.notify(waiter, nil) }
    waiting.append(Waiting(until: until, waiter: waiter))
  }

  /// More writes of this thread may be on their way, which never happen either.
  func unsettle(_ thread: ThreadID) { unsettled[thread] = decided }

  /// Whether writes of the thread's failed session are on their way; then the waiter is notified when they are not.
  func waitUntilSettled(_ thread: ThreadID, _ waiter: @autoclosure () -> Owner.Waiter) -> Bool {
    guard let until = unsettled.removeValue(forKey: thread), done < until || !refused.isEmpty else { return false }
    wait(waiter(), until: until)
    return true
  }

  // MARK: Ending

  /// The store has done with a group, or refused it. Returns how many writes there were.
  @discardableResult
  func ended(_ group: Int, _ result: Result<Void, StoreError>) -> Int {
    guard let work = inFlight.removeValue(forKey: group) else { return 0 }
    done += 1
    switch result {
    case .success:
      if !refused.isEmpty { noteRows(of: work) }
      for mark in work.lazy.flatMap(\.marks) { mark.writer.synced(mark.upTo, write: mark.write) }
    case .failure(let error): failed(work, error)
    }
    if !refused.isEmpty {
      guard done >= retryAfter else { return work.count }
      retry()
    }
    notifyWaiting()
    return work.count
  }

  private func failed(_ work: [Write], _ error: StoreError) {
    if error.isOfOneSubmission, !work.contains(where: \.isRetry) {
      let rest = withoutFailed(work)
      if !rest.isEmpty {
        if refused.isEmpty { retryAfter = submitted }
        refused += rest
        return
      }
    }
    // Writes that follow a failed one are refused as a matter of course.
    if !(error.isOfOneSubmission && work.allSatisfy(\.hasFailed)) { owner.storeFailed(error) }
    for write in work {
      // The store refuses a fork whose source failed as a conflict; its client hears why the source failed.
      let refusal = write.failure ?? error.refusal
      for mark in write.marks { owner.drop(mark.writer, refusal) }
    }
    waitersFail(work.lazy.compactMap(\.failure).first ?? error.refusal)
  }

  /// The writes that can still happen (G3). An atomic group fails for all of its threads, and with it everything else
  /// that each of them has decided.
  private func withoutFailed(_ work: [Write]) -> [Write] {
    var failed = -1
    while failed != work.count(where: \.hasFailed) {
      failed = work.count(where: \.hasFailed)
      for write in work {
        guard let failure = write.failure else { continue }
        for mark in write.marks { owner.drop(mark.writer, failure) }
      }
    }
    let rest = work.filter { !$0.hasFailed }
    if !rest.isEmpty, let failure = work.lazy.compactMap(\.failure).first { waitersFail(failure) }
    return rest
  }

  /// G2: all groups that were submitted after the refused writes have ended.
  private func retry() {
    let work = withoutFailed(refused)
    refused = []
    for var write in work {
      write.isRetry = true
      if !overtaken.isEmpty { write.mutation.writes = write.mutation.writes.compactMap(withoutOldState) }
      submit([write])
    }
    overtaken = []
    submitBatch()
    // Everything that was decided until now has been submitted.
    for index in waiting.indices { waiting[index].until = decided }
    for thread in unsettled.keys { unsettled[thread] = decided }
  }

  private func noteRows(of work: [Write]) {
    for case .thread(let row) in work.lazy.flatMap(\.mutation.writes) { overtaken.insert(row.id) }
  }

  /// A newer row is on disk: an old one, or an old snapshot, would take the thread back. A list of no events has the store
  /// refuse a deleted thread still.
  private func withoutOldState(_ write: StoreWrite) -> StoreWrite? {
    switch write {
    case .thread(let row) where overtaken.contains(row.id): .events(row.id, [])
    case .snapshot(let thread, _, _) where overtaken.contains(thread): nil
    default: write
    }
  }

  private func notifyWaiting() {
    guard !waiting.isEmpty else { return }
    let due = waiting.filter { $0.until <= done }
    waiting.removeAll { $0.until <= done }
    for one in due { owner.notify(one.waiter, one.failure) }
  }

  /// All who wait have the failed group in front of what they wait for.
  private func waitersFail(_ failure: Refusal) {
    for index in waiting.indices where waiting[index].failure == nil { waiting[index].failure = failure }
  }
}
