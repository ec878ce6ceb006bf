// ServerService/Status: what an operator sees of a server at a glance. Every number comes from the room of metrics.

import HeddleCore
import HeddleMetrics
import HeddleRuntime

extension Caller {
  func status() -> ServerStatusResponse {
    let manager = core.manager
    let metrics = core.metrics
    return ServerStatusResponse(
      serving: core.serving, version: core.version, node: manager.store.node,
      uptimeMs: UInt64(clamping: manager.clock.instant() - core.startedAt),
      connections: UInt32(clamping: metrics.connections), loadedThreads: UInt32(clamping: metrics.threadsLoaded),
      runningTurns: UInt32(clamping: metrics.turnsRunning),
      eventsWritten: UInt64(clamping: metrics.store.events.value),
      groupsSynced: UInt64(clamping: metrics.store.syncs.value), durability: "synced",
      usage: metrics.tenants.total(of: tenant), providers: metrics.providers.map(ProviderStatus.init))
  }
}

extension ProviderStatus {
  fileprivate init(_ provider: ProviderMetrics) {
    self.init(
      name: provider.name, running: UInt32(clamping: provider.running.value),
      waiting: UInt32(clamping: provider.waiting.value), limit: UInt32(clamping: provider.limit))
  }
}
