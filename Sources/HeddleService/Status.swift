// ServerService/Status: what an operator sees of a server at a glance.

import HeddleCore
import HeddleRuntime

extension Caller {
  func status() -> ServerStatusResponse {
    let manager = core.manager
    return ServerStatusResponse(
      serving: core.serving, version: core.version, node: manager.store.node,
      uptimeMs: UInt64(clamping: manager.clock.instant() - core.startedAt),
      connections: UInt32(clamping: core.quotas.connectionCount), loadedThreads: UInt32(clamping: manager.index.count),
      runningTurns: UInt32(clamping: manager.index.running()), eventsWritten: manager.store.eventsWritten,
      groupsSynced: manager.store.groupsSynced, durability: "synced", usage: manager.usage.total(of: tenant),
      providers: manager.providerStatus)
  }
}
