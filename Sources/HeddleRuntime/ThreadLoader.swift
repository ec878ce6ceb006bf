// Loading and deleting the threads of a shard: the requests that need a thread wait here until it is loaded or gone.
//
// H2  A thread is loaded once: requests that come while it loads wait for the same load, and it stays loaded until they
//     have had it.
// H3  A thread is never loaded while writes of its last session are on their way.
// H4  A thread of another tenant takes the same disk lookup as a missing one, so timing reveals nothing (attacks.md M2).
//     A tenant's load never fails because another tenant asked for the same id first (attacks.md A23).

import HeddleCore
import HeddleProtocol
import HeddleStorage
import Logging
import NIOCore

/// The loads and deletions of one shard. Used on its loop only.
final class ThreadLoader {
  private enum Outcome {
    case loaded(Session)
    case refused(Refusal)
    /// The thread is being deleted, or was looked for on behalf of another tenant: ask again.
    case again
  }

  /// A thread that is being read, and the requests that wait for the same read.
  private struct Load {
    var waiting: [(tenant: String, continuation: CheckedContinuation<Outcome, Never>)] = []
  }

  private struct Deletion {
    var notify: [(_ isGone: Bool) -> Void] = []
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private struct Found {
    var machine: ThreadMachine
    /// Events behind its snapshot.
    var tail: Int
  }

  private unowned let shard: Shard
  private var loading: [ThreadID: Load] = [:]
  /// Until the store has said whether they are gone: requests for one of them wait, and so do its followers.
  private var deleting: [ThreadID: Deletion] = [:]
  /// Loads that were under way when their thread was deleted.
  private var doomed: Set<ThreadID> = []

  init(_ shard: Shard) { self.shard = shard }

  // MARK: Loading

  /// The thread's session, loaded first if need be. It is in `Shard.sessions` when this returns.
  func session(_ thread: ThreadID, tenant: String) async throws(Refusal) -> Session {
    while true {
      if let session = shard.sessions[thread] {
        guard session.tenant == tenant else { throw await missing(thread, tenant) }
        session.touch()
        return session
      }
      // Another process runs it, or nobody yet.
      guard shard.manager.owns(thread) else { throw Refusal(.storageFailed) }
      if deleting[thread] != nil {
        await withCheckedContinuation { deleting[thread]?.waiting.append($0) }
        continue
      }
      let outcome = loading[thread] == nil ? await load(thread, tenant) : await loaded(thread, tenant)
      if case .refused(let refusal) = outcome { throw refusal }
    }
  }

  /// Spends the time that looking up a missing thread takes (H4).
  private func missing(_ thread: ThreadID, _ tenant: String) async -> Refusal {
    _ = try? await shard.read { reader, _ throws(StoreError) in
      try reader.load(thread, tenant: tenant) != nil
    }
    return Refusal(.thread)
  }

  /// Waits for a load that is under way.
  private func loaded(_ thread: ThreadID, _ tenant: String) async -> Outcome {
    let outcome = await withCheckedContinuation { loading[thread]?.waiting.append((tenant, $0)) }
    if case .loaded(let session) = outcome { session.letGo() }
    return outcome
  }

  private func load(_ thread: ThreadID, _ tenant: String) async -> Outcome {
    loading[thread] = Load()
    let outcome = await read(thread, tenant)
    for waiter in loading.removeValue(forKey: thread)?.waiting ?? [] {
      switch outcome {
      case .loaded(let session):
        // Until the waiter has run (H2): there may be many threads for little room.
        session.keepLoaded()
        waiter.continuation.resume(returning: outcome)
      case .refused(let refusal) where refusal.reason == .thread && waiter.tenant != tenant:
        waiter.continuation.resume(returning: .again)
      case .refused, .again: waiter.continuation.resume(returning: outcome)
      }
    }
    return outcome
  }

  private func read(_ thread: ThreadID, _ tenant: String) async -> Outcome {
    await shard.settled(thread)
    let found: Found?
    do throws(StoreError) {
      found = try await shard.read { reader, codec throws(StoreError) in
        guard let loaded = try reader.load(thread, tenant: tenant) else { return nil }
        return Found(
          machine: ThreadMachine(record: try loaded.record(&codec), identity: loaded.identity), tail: loaded.tail.count)
      }
    } catch {
      if isDeleted(thread) { return .again }
      shard.manager.logger.error("loading a thread failed", metadata: ["thread": "\(thread)", "error": "\(error)"])
      return .refused(error.refusal)
    }
    if isDeleted(thread) { return .again }
    guard let found else { return .refused(Refusal(.thread)) }
    let record = found.machine.record
    if !record.queue.isEmpty, shard.trees.mustRead(for: record) {
      // Its next turn begins by itself, if the budget of its tree allows. A tree that cannot be read keeps nobody from
      // reading this thread.
      _ = try? await shard.trees.tree(record.lineage?.root ?? thread, tenant: found.machine.identity.tenant)
      if isDeleted(thread) { return .again }
    }
    // While it was read the thread may have become another process's.
    guard shard.manager.owns(thread) else { return .refused(Refusal(.storageFailed)) }
    return .loaded(add(found))
  }

  /// A thread that was read before its deletion must not come to life after it.
  private func isDeleted(_ thread: ThreadID) -> Bool {
    let isDoomed = doomed.remove(thread) != nil
    return isDoomed || deleting[thread] != nil
  }

  /// A thread that was read.
  private func add(_ found: Found) -> Session {
    let session = shard.newSession(
      found.machine, startsAt: found.machine.record.sequence, tail: UInt64(found.tail))
    shard.trees.joined(session)
    // A turn that is not driven by this process was cut off by the end of another (rules.md U4).
    if session.machine.record.hasUnfinishedWork {
      session.input(shard.manager.isReadOnly ? .suspended : .recovered)
    }
    return session
  }

  // MARK: Deleting

  /// A thread is about to be deleted. Its followers, requests that wait for an answer, and its tree are notified when it
  /// is (durability.md D2).
  func remove(_ thread: ThreadID) {
    var deletion = deleting[thread] ?? Deletion()
    deleting[thread] = deletion
    if loading[thread] != nil { doomed.insert(thread) }
    // Writes that were decided before the deletion go to the store before it: a fork of this thread among it.
    shard.writes.submitBatch()
    let session = shard.sessions.removeValue(forKey: thread)
    if let session {
      deletion.notify.append(session.handOver())
      session.drop(answering: Refusal(.thread))
    }
    let root = session?.root
    deletion.notify.append { [trees = shard.trees] isGone in
      if isGone { trees.remove(thread, root: root) }
    }
    deleting[thread]?.notify = deletion.notify
  }

  /// The store has deleted the thread, or could not.
  func ended(deletionOf thread: ThreadID, tenant: String, isGone: Bool) {
    if let deletion = deleting.removeValue(forKey: thread) {
      for notify in deletion.notify { notify(isGone) }
      for waiter in deletion.waiting { waiter.resume() }
    }
    guard !isGone else { return }
    // It is still there: what ran is looked after again, and its tree has it again.
    Task.immediate(executorPreference: shard.context) { [shard] in
      if let session = try? await shard.session(thread, tenant: tenant) { shard.trees.forget(session.root) }
    }
  }
}
