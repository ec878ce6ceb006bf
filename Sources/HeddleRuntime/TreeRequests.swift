// Commands that concern a whole tree or the whole server: archive, delete, features.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import NIOCore

extension SessionManager {
  /// rules.md T6: a root takes its tree along; nothing is archived while a turn of it runs.
  public func archive(_ thread: ThreadID, _ request: RequestContext) {
    let wantsArchive = request.method == .threadArchive
    members(thread, request) { members in
      if wantsArchive, let busy = members.first(where: { self.index.state($0) == .active }) {
        return self.refuse(request, Refusal(.turnInProgress, [("thread", busy.description)]))
      }
      let command: ThreadCommand = wantsArchive ? .archive(root: thread) : .unarchive(root: thread)
      self.inTurn(Array(members.filter { $0 != thread }), command, request) {
        self.command(thread, command, request)
      }
    }
  }

  /// Runs the command on one thread after the other; each waits until the one before is durable.
  private func inTurn(
    _ members: [ThreadID], _ command: ThreadCommand, _ request: RequestContext, _ done: @escaping @Sendable () -> Void
  ) {
    guard let first = members.first else { return done() }
    let reply = Reply(on: request.reply.context, tenant: request.tenant) { answer in
      // The first member that refuses ends it; those before it stay as they are now.
      if case .refused(let refusal) = answer { return self.refuse(request, refusal) }
      // Not on top of the one before: a member on which nothing changes answers at once.
      request.reply.context.inbox.post { self.inTurn(Array(members.dropFirst()), command, request, done) }
    }
    self.command(first, command, RequestContext(request.method, reply))
  }

  /// rules.md T6: text goes for good, a tombstone stays, forks keep what they share.
  public func delete(_ thread: ThreadID, _ request: RequestContext) {
    members(thread, request) { members in
      let home = self.shard(of: thread)
      let context = request.reply.context
      home.eventLoop.submit {
        // Agents that are on their way to the disk go along. From here on the tree gets no more of them.
        let listed = Set(members)
        let all = members + home.sessions.values.filter { $0.root == thread && !listed.contains($0.id) }.map(\.id)
        for member in all where self.shard(of: member) === home { home.remove(member) }
        return all
      }.hop(to: context.eventLoop).whenComplete { result in
        guard case .success(let all) = result else { return self.refuse(request, Refusal(.shuttingDown)) }
        let elsewhere = all.filter { self.shard(of: $0) !== home }.map { member in
          let shard = self.shard(of: member)
          return shard.eventLoop.submit { shard.remove(member) }
        }
        EventLoopFuture.andAllSucceed(elsewhere, on: context.eventLoop).whenComplete { _ in
          self.store(deletionOf: all, in: home.lane, request)
        }
      }
    }
  }

  /// In the lane of the threads' own writes, behind the last of them (P2).
  private func store(deletionOf members: [ThreadID], in lane: WriteLane, _ request: RequestContext) {
    let shard = shard(of: request.reply.context)
    let answer = Answer.response(.threadDelete(DeleteThreadResponse(deleted: UInt32(clamping: members.count))))
    var writes: [StoreWrite] = [.delete(members)]
    if let write = shard.keyWrite(request, answer, thread: nil) { writes.append(write) }
    let tenant = request.tenant
    store.submit([Mutation(writes)], lane: lane) { result in
      let told = members.map { member in
        let shard = self.shard(of: member)
        return shard.eventLoop.submit { shard.ended(deletionOf: member, tenant: tenant, result) }
      }
      // Its followers first: who has its answer may follow others in their places.
      EventLoopFuture.andAllComplete(told, on: shard.eventLoop).whenComplete { _ in
        switch result {
        case .success:
          shard.answer(request, answer, follows: nil)
          for member in members {
            self.announceToFollowers(.threadDeleted(ThreadDeletedNotice(thread: member)), tenant: tenant)
          }
        case .failure(let error):
          self.storeFailed(error)
          shard.answer(request, .refused(error.refusal), follows: nil)
        }
      }
    }
  }

  /// The thread and, if it is a root, its whole tree; on the caller's loop.
  private func members(
    _ thread: ThreadID, _ request: RequestContext, _ body: @escaping @Sendable ([ThreadID]) -> Void
  ) {
    let tenant = request.tenant
    let home = shard(of: thread)
    home.context.run {
      // A thread in memory is in no list on disk, and has no tree there.
      if let session = home.sessions[thread], session.isEphemeral, session.machine.identity.tenant == tenant {
        return body(session.root == thread ? home.ephemeralTree(thread) : [thread])
      }
      self.read(on: request.reply.context) { reader, _ throws(StoreError) in
        guard let row = try reader.row(thread, tenant: tenant) else { return nil }
        return row.root == thread ? try reader.tree(root: thread, tenant: tenant).map(\.id) : [thread]
      } then: { (result: Result<[ThreadID]?, StoreError>) in
        switch result {
        case .success(let members?): body(members.contains(thread) ? members : members + [thread])
        case .success(nil): self.refuse(request, Refusal(.thread))
        case .failure(let error): self.refuse(request, error.refusal)
        }
      }
    }
  }

  public func refuse(_ request: RequestContext, _ refusal: Refusal) {
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
    let after = features
    let feature = after.all(defaults: defaults).first { $0.name == change.name }
    let answer = Answer.response(.catalogSetFeature(SetFeatureResponse(feature: feature)))
    let shard = shard(of: request.reply.context)
    var writes: [StoreWrite] = [.feature(change.name, change.enabled)]
    if let write = shard.keyWrite(request, answer, thread: nil) { writes.append(write) }
    store.submit([Mutation(writes)], lane: shard.lane) { result in
      shard.context.inbox.post {
        switch result {
        case .success:
          self.setFeature(change.name, value)
          shard.answer(request, answer, follows: nil)
        case .failure(let error):
          self.storeFailed(error)
          shard.answer(request, .refused(error.refusal), follows: nil)
        }
      }
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
      read(on: request.reply.context) { reader, _ throws(StoreError) in
        try reader.key(key.key, tenant: key.tenant)
      } then: { (result: Result<KeyRecord?, StoreError>) in
        self.lookedUp(request, key, result, run)
        self.backlog.take(off: WriteBacklog.overheadBytes)
      }
    }
  }

  private func lookedUp(
    _ request: RequestContext, _ key: KeyContext, _ result: Result<KeyRecord?, StoreError>,
    _ run: @escaping @Sendable () -> Void
  ) {
    switch result {
    case .success(nil): run()
    case .success(let found?) where isExpired(found): run()
    case .success(let found?):
      let isSame = found.requestHash == key.requestHash
      for waiting in [request.reply] + keys.finish(key) {
        if isSame { waiting.send(stored: found.response) } else { waiting.refuse(Refusal(.idempotencyMismatch)) }
      }
    case .failure(let error): refuse(request, error.refusal)
    }
  }

  /// Keys of threads live as long as their thread; those that started one, seven days.
  private func isExpired(_ record: KeyRecord) -> Bool {
    record.thread == nil && clock.now() - record.at > KeyRecord.threadlessMilliseconds
  }
}
