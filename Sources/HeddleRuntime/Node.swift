// All that the shards of a process share. A shard knows the node and none of the other shards.

import HeddleCore
import HeddleMetrics
import HeddleStorage
import Logging
import Synchronization

/// The process as its shards see it. Its mutable state is behind locks.
final class Node: Sendable {
  let store: any Store
  let clock: RuntimeClock
  let metrics: Metrics
  let logger: Logger
  let placement: Placement
  let callers: CallerDirectory
  let condition: StoreCondition
  let models: ModelProviders
  let index = LiveIndex()
  let permits = TurnPermits()
  let keys = KeyGate()
  let ephemeral: EphemeralQuota
  let backlog: WriteBacklog
  /// Nil: no spans are made.
  let tracer: Tracer?
  private let current: Mutex<ServerRules>

  init(
    store: any Store, clock: RuntimeClock, metrics: Metrics, logger: Logger, placement: Placement,
    models: ModelProviders, rules: ServerRules, callers: CallerDirectory, condition: StoreCondition,
    tracer: Tracer? = nil
  ) {
    self.store = store
    self.clock = clock
    self.metrics = metrics
    self.logger = logger
    self.placement = placement
    self.models = models
    self.callers = callers
    self.condition = condition
    self.tracer = tracer
    ephemeral = EphemeralQuota(limit: rules.limits.ephemeralBytes, share: rules.limits.ephemeralBytesPerTenant)
    backlog = WriteBacklog(limit: rules.limits.waitingWriteBytes, metrics.store)
    current = Mutex(rules)
  }

  var rules: ServerRules { current.withLock { $0 } }

  /// Changes the switches and returns the rules with them; two changes at once are both made.
  func changeFeatures(_ change: (inout Features) -> Void) -> ServerRules {
    current.withLock { rules in
      change(&rules.features)
      return rules
    }
  }

  /// durability.md D8 and D9.
  func storeFailed(_ error: StoreError) { condition.storeFailed(error) }

  func statusChanged(_ thread: ThreadID, tenant: String, _ status: ThreadStatus) {
    callers.announceToFollowers(.status(StatusChanged(thread: thread, status: status)), tenant: tenant)
  }
}

/// The providers of models by name, and the gates that bound how many requests each gets at once, tenants in turn.
struct ModelProviders: Sendable {
  let providers: [String: any ModelProvider]
  let gates: [String: FairGate]
  /// The executor that turns run on; nil: the process's pool.
  let executor: (any TaskExecutor)?

  init(_ providers: [any ModelProvider], _ metrics: Metrics, executor: (any TaskExecutor)?) {
    self.providers = Dictionary(providers.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    gates = self.providers.mapValues {
      FairGate(limit: $0.concurrency, metrics.addProvider($0.name, limit: $0.concurrency))
    }
    self.executor = executor
  }
}
