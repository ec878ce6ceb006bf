// The beginning of a process: what ran when the last one ended is ended, and slots come and go.

import HeddleCore
import HeddleStorage
import Logging
import NIOCore

extension SessionManager {
  /// Reads switches that were set at run time, and ends what ran when the last server ended (durability.md D5).
  public func recover() async throws {
    // In this order: a slot that comes between the two is met twice, which does no harm.
    node.placement.ownership.onChange { change in self.owned(change) }
    let owned = node.placement.ownership.owned
    let (features, active, relocated) = try await store.read { reader, _ throws(StoreError) in
      (try reader.features(), try reader.active(in: owned), try reader.strays(in: owned))
    }
    node.placement.remember(relocated: relocated)
    changeFeatures { now in
      for (name, value) in features.sorted(by: { $0.key < $1.key }) where !now.set(name, value) {
        logger.warning("a stored feature is not known and is left alone", metadata: ["feature": "\(name)"])
      }
    }
    await withDiscardingTaskGroup { group in
      for row in active { group.addTask { await self.end(row) } }
    }
    // Looked at often enough to be late by a quarter at most.
    let every = TimeAmount.milliseconds(min(60_000, max(50, rules.limits.unloadMilliseconds / 4)))
    for shard in shards.all {
      shard.eventLoop.scheduleRepeatedTask(initialDelay: every, delay: every) { _ in shard.unloadIdle() }
    }
    node.condition.watch(on: contexts[0].eventLoop)
  }

  /// Slots have come here or are another process's now.
  private func owned(_ change: OwnershipChange) {
    switch change {
    case .gained(let slots):
      store.read(.short) { reader, _ throws(StoreError) in
        (try reader.active(in: slots), try reader.strays(in: slots))
      } completion: { (result: Result<([ThreadRow], [(thread: ThreadID, root: ThreadID)]), StoreError>) in
        switch result {
        case .success((let active, let relocated)):
          self.node.placement.remember(relocated: relocated)
          for row in active { self.endLater(row, in: .zero) }
        case .failure(let error):
          // Their owner's turns end when somebody asks for their threads.
          self.node.storeFailed(error)
        }
      }
    case .lost(let slots):
      for shard in shards.all { shard.inbox.post { shard.letGo(of: slots) } }
    }
  }

  /// Ends what ran in a thread. A read is answered behind the interruption that loading appends, so it is on disk before
  /// anybody is served. A thread that cannot be read now must not hold up all others: it is tried again in a while.
  private func end(_ row: ThreadRow) async {
    do throws(Refusal) { _ = try await perform(.read, on: row.id, .threadRead, tenant: row.tenant) } catch {
      if !error.isLasting { endLater(row, in: Trees.readAgainIn) }
    }
  }

  private func endLater(_ row: ThreadRow, in delay: TimeAmount) {
    let context = shard(of: row.id).context
    context.eventLoop.scheduleTask(in: delay) {
      Task.immediate(executorPreference: context) { await self.end(row) }
    }
  }
}
