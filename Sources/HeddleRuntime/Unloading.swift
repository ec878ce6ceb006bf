// Unloading of the threads of a shard: those that are idle longest when too many are loaded, those that nobody has used for
// some time, and whole trees of ephemeral threads, for which that is the end.

import HeddleCore
import HeddleStorage
import NIOCore

extension Shard {
  // MARK: Making room

  /// As many threads are loaded as may be: those go that have been idle longest, of which nobody is told anything that
  /// time would not have told them (attacks.md R19). A few looks, not one at every thread: of those that must stay there
  /// may be many, and the next thread that comes looks further.
  /// Says whether one was seen that has been used since the last look.
  @discardableResult
  func makeRoom(for coming: Int = 1, looks most: Int = 16) -> Bool {
    guard rules.limits.loadedThreads > 0 else { return false }
    var hasSeenUsed = false
    func isLoaded(_ entry: IdleOrder.Entry) -> Bool { sessions[entry.thread]?.number == entry.session }
    var looks = most
    while sessions.count + coming > mostLoaded, looks > 0, var entry = idleOrder.next() {
      looks -= 1
      guard isLoaded(entry), let session = sessions[entry.thread] else { continue }
      if session.lastActivity > entry.seen { hasSeenUsed = true } else if unloadIfIdle(session) { continue }
      entry.seen = session.lastActivity
      idleOrder.add(entry)
    }
    idleOrder.tidy(loaded: sessions.count, isLoaded)
    return hasSeenUsed
  }

  /// Goes through all that are loaded when the burst is over, at most once a second: they may all be at work or followed.
  func makeRoomLater() {
    guard sessions.count > mostLoaded, rules.limits.loadedThreads > 0, !idleOrder.isSearching else { return }
    idleOrder.isSearching = true
    eventLoop.scheduleTask(in: .seconds(1)) { [weak self] in
      guard let self else { return }
      search(looks: sessions.count, hasSeenUsed: false)
    }
  }

  /// A piece at a time, and none while the disk is behind: others have their turn in between. Those that have been used
  /// since the last look are looked at again.
  private func search(looks: Int, hasSeenUsed: Bool) {
    let piece = node.backlog.isFull ? 0 : min(looks, 512)
    let hasSeenUsed = makeRoom(for: 0, looks: piece) || hasSeenUsed
    if looks > piece, sessions.count > mostLoaded {
      eventLoop.scheduleTask(in: .milliseconds(2)) { [weak self] in
        self?.search(looks: looks - piece, hasSeenUsed: hasSeenUsed)
      }
    } else {
      idleOrder.isSearching = false
      if hasSeenUsed { makeRoomLater() }
    }
  }

  var mostLoaded: Int { max(1, rules.limits.loadedThreads / node.placement.loops) }

  // MARK: Idle threads

  /// Unloads threads that nobody follows and nobody has used for some time (rules.md T5).
  func unloadIdle() {
    let now = clock.instant()
    for (id, session) in sessions
    where now - session.lastActivity >= rules.limits.unloadMilliseconds { _ = (id, unloadIfIdle(session)) }
    endIdleEphemeral(now)
    trees.prune()
  }

  /// Ephemeral threads have no other place to be: unloading is their end. A tree ends as a whole, when no thread of it is
  /// used any more.
  private func endIdleEphemeral(_ now: Int64) {
    var trees: [ThreadID: [ThreadID]] = [:]
    var used: Set<ThreadID> = []
    for (id, session) in sessions where session.isEphemeral {
      trees[session.root, default: []].append(id)
      let isIdle = now - session.lastActivity >= rules.limits.unloadMilliseconds
      if !isIdle || session.hasWork || session.hasSubscribers { used.insert(session.root) }
    }
    for (root, members) in trees.sorted(by: { $0.key < $1.key }) where !used.contains(root) {
      for member in members.sorted() { end(member) }
    }
  }

  func end(_ thread: ThreadID) {
    guard let session = sessions.removeValue(forKey: thread) else { return }
    trees.remove(thread, root: session.root)
    session.drop(telling: Refusal(.thread), answering: Refusal(.thread))
    node.callers.announceToFollowers(
      .threadDeleted(ThreadDeletedNotice(thread: thread)), tenant: session.machine.identity.tenant)
  }

  /// Unloads a thread that nobody follows and that has nothing to do; false if it has.
  func unloadIfIdle(_ session: Session) -> Bool {
    guard !session.isEphemeral, !session.hasWork, !session.hasSubscribers, sessions[session.id] === session else {
      return false
    }
    if let mutation = session.snapshotForUnload() {
      let bytes = mutation.payloadBytes + WriteBacklog.overheadBytes
      node.backlog.add(bytes)
      node.store.submit([mutation], lane: lane) { result in
        self.node.backlog.take(off: bytes)
        // One of a thread that is deleted meanwhile is refused, which is no news.
        guard case .failure(let error) = result, error.isOfStore else { return }
        self.inbox.post { self.node.storeFailed(error) }
      }
    }
    sessions[session.id] = nil
    session.notifyUnloaded()
    session.drop(answering: Refusal(.thread))
    node.statusChanged(session.id, tenant: session.machine.identity.tenant, ThreadStatus(state: .notLoaded))
    return true
  }
}
