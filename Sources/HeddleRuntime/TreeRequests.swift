// Commands that concern a whole tree or the whole server: archive, delete, features.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import NIOCore

extension SessionManager {
  /// rules.md T6: a root takes its tree along; nothing is archived while a turn of it runs.
  public func archive(_ thread: ThreadID, _ request: RequestContext) {
    serve(request, on: thread) { shard throws(Refusal) in
      let wantsArchive = request.method == .threadArchive
      let members = try await self.members(thread, shard, request)
      if wantsArchive, let busy = members.first(where: { self.index.state($0) == .active }) {
        throw Refusal(.turnInProgress, [("thread", busy.description)])
      }
      let command: ThreadCommand = wantsArchive ? .archive(root: thread) : .unarchive(root: thread)
      // Each waits until the one before is durable. The first that refuses ends it; those before it stay as they are.
      for member in members where member != thread {
        _ = try await self.perform(command, on: member, request.method, tenant: request.tenant)
      }
      self.command(thread, command, request)
    }
  }

  /// rules.md T6: text goes for good, a tombstone stays, forks keep what they share.
  public func delete(_ thread: ThreadID, _ request: RequestContext) {
    serve(request, on: thread) { shard throws(Refusal) in
      let tenant = request.tenant
      let listed = try await self.members(thread, shard, request)
      // Agents that are on their way to the disk go along. From here on the tree gets no more of them. All of them live
      // on this shard (rules.md A3).
      let known = Set(listed)
      let members = listed + shard.sessions.values.filter { $0.root == thread && !known.contains($0.id) }.map(\.id)
      for member in members { shard.loader.remove(member) }
      let answer = Answer.response(.threadDelete(DeleteThreadResponse(deleted: UInt32(clamping: members.count))))
      // In the lane of the threads' own writes, behind the last of them (P2).
      let result = await self.write(.delete(members), answering: request, answer, shard)
      let isGone = (try? result.get()) != nil
      // Its followers first: who has its answer may follow others in their places.
      for member in members { shard.loader.ended(deletionOf: member, tenant: tenant, isGone: isGone) }
      try self.check(result)
      shard.answer(request, answer, follows: nil)
      for member in members {
        self.announceToFollowers(.threadDeleted(ThreadDeletedNotice(thread: member)), tenant: tenant)
      }
    }
  }

  private func write(
    _ write: StoreWrite, answering request: RequestContext, _ answer: Answer, _ shard: Shard
  ) async -> Result<Void, StoreError> {
    let writes = [write] + (shard.keyWrite(request, answer, thread: nil).map { [$0] } ?? [])
    return await shard.write(writes)
  }

  private func check(_ result: Result<Void, StoreError>) throws(Refusal) {
    guard case .failure(let error) = result else { return }
    storeFailed(error)
    throw error.refusal
  }

  /// The thread and, if it is a root, its whole tree.
  private func members(
    _ thread: ThreadID, _ shard: Shard, _ request: RequestContext
  ) async throws(Refusal) -> [ThreadID] {
    let tenant = request.tenant
    // A thread in memory is in no list on disk, and has no tree there.
    if let session = shard.sessions[thread], session.isEphemeral, session.tenant == tenant {
      return session.root == thread ? shard.ephemeralTree(thread) : [thread]
    }
    let members = try await read(on: shard) { reader, _ throws(StoreError) -> [ThreadID]? in
      guard let row = try reader.row(thread, tenant: tenant) else { return nil }
      return row.root == thread ? try reader.tree(root: thread, tenant: tenant).map(\.id) : [thread]
    }
    guard let members else { throw Refusal(.thread) }
    return members.contains(thread) ? members : members + [thread]
  }

  private func refuse(_ request: RequestContext, _ refusal: Refusal) {
    let shard = shard(of: request.reply.context)
    shard.context.run { shard.answer(request, .refused(refusal), follows: nil) }
  }

  /// Switches a feature for the whole server; durable (rules.md V5).
  public func setFeature(_ change: SetFeatureRequest, _ request: RequestContext) {
    let defaults = defaultFeatures
    var features = rules.features
    let value = change.enabled ?? defaults.all(defaults: defaults).first { $0.name == change.name }?.enabled ?? false
    guard features.set(change.name, value) else {
      return refuse(request, Refusal(.unknownFeature, [("name", change.name)]))
    }
    let feature = features.all(defaults: defaults).first { $0.name == change.name }
    let answer = Answer.response(.catalogSetFeature(SetFeatureResponse(feature: feature)))
    let shard = shard(of: request.reply.context)
    shard.serve(request) { () throws(Refusal) in
      let result = await self.write(.feature(change.name, change.enabled), answering: request, answer, shard)
      try self.check(result)
      self.setFeature(change.name, value)
      shard.answer(request, answer, follows: nil)
    }
  }

  // MARK: Keys

  /// Runs a request that has an idempotency key, unless it was answered before (durability.md, exactly once).
  public func keyed(_ request: RequestContext, _ key: KeyContext, run: @escaping @Sendable () -> Void) {
    switch keys.arrive(request.reply, key) {
    case .waits: return
    case .refused(let refusal): request.reply.refuse(refusal)
    case .done(let response): request.reply.send(stored: response)
    case .first:
      // It is on its way to the disk already, and will be counted as a write only when it is one.
      backlog.add(WriteBacklog.overheadBytes)
      store.read(.short) { reader, _ throws(StoreError) in
        try reader.key(key.key, tenant: key.tenant)
      } completion: { (result: Result<KeyRecord?, StoreError>) in
        request.reply.context.inbox.post {
          if self.isUnused(key, result, request) { run() }
          self.backlog.take(off: WriteBacklog.overheadBytes)
        }
      }
    }
  }

  /// Answers the request if its key has been used, or cannot be looked up.
  private func isUnused(
    _ key: KeyContext, _ result: Result<KeyRecord?, StoreError>, _ request: RequestContext
  ) -> Bool {
    switch result {
    case .success(nil): return true
    case .success(let found?) where isExpired(found): return true
    case .success(let found?):
      let isSame = found.requestHash == key.requestHash
      for waiting in [request.reply] + keys.finish(key) {
        if isSame { waiting.send(stored: found.response) } else { waiting.refuse(Refusal(.idempotencyMismatch)) }
      }
    case .failure(let error): refuse(request, error.refusal)
    }
    return false
  }

  /// Keys of threads live as long as their thread; those that started one, seven days.
  private func isExpired(_ record: KeyRecord) -> Bool {
    record.thread == nil && clock.now() - record.at > KeyRecord.threadlessMilliseconds
  }
}
