// The state that all callers of a server share, whatever door they came in by.

import HeddleCore
import HeddleMetrics
import HeddleProtocol
import HeddleRuntime
import HeddleTokens
import Logging
import NIOCore
import Synchronization

/// One server. Values that never change, and counters that say how they are shared.
package final class ServerCore: Sendable {
  package let manager: SessionManager
  package let limits: Limits
  package let quotas: Quotas
  /// Bytes of incomplete requests of all doors.
  package let receiveBudget: ReceiveBudget
  package let authentication: Authentication?
  /// Nil: nothing is written down.
  package let audit: AuditLog?
  let signer: CursorSigner
  package let version: String
  let startedAt: Int64
  package let logger: Logger
  package let recording: any Recording
  private let draining = Atomic<Bool>(false)
  private let leaving = Atomic<Bool>(false)
  private let ending = Atomic<Bool>(false)
  private let loops: Mutex<[Int: LoopState]> = Mutex([:])

  package init(
    manager: SessionManager, limits: Limits, authentication: Authentication?, signer: CursorSigner, version: String,
    recording: any Recording, audit: AuditLog? = nil, logger: Logger, seed: UInt64 = .random(in: .min ... .max)
  ) {
    self.manager = manager
    self.limits = limits
    self.authentication = authentication
    self.signer = signer
    self.version = version
    self.logger = logger
    self.recording = recording
    self.audit = audit
    audit?.count(in: manager.metrics.telemetry)
    quotas = Quotas(limits: limits)
    receiveBudget = ReceiveBudget(limit: limits.bufferedBytes, readBytes: limits.readBytes)
    manager.metrics.build = Metrics.Build(version: version, schema: SchemaTable.hash)
    startedAt = manager.clock.instant()
    var seeds = IDGenerator(seed: seed)
    for context in manager.contexts {
      let loop = LoopState(
        context: context, limits: limits, clock: manager.clock, backlog: manager.backlog, seed: seeds.random())
      loops.withLock { $0[context.index] = loop }
    }
  }

  package var allLoops: [LoopState] { loops.withLock { Array($0.values) } }

  package func loop(_ context: LoopContext) -> LoopState? { loops.withLock { $0[context.index] } }

  /// The state of an event loop of the server's own group.
  package func loop(of eventLoop: any EventLoop) -> LoopState? {
    manager.contexts.first { $0.eventLoop === eventLoop }.flatMap { loop($0) }
  }

  package var metrics: Metrics { manager.metrics }

  package var isDraining: Bool { draining.load(ordering: .relaxed) }
  package func beginDraining() { draining.store(true, ordering: .relaxed) }

  /// The drain will begin soon; until then requests are taken, and a load balancer that asks for health goes elsewhere.
  package func announceDrain() { leaving.store(true, ordering: .relaxed) }
  /// From the announcement on: health says so.
  package var isLeaving: Bool { isDraining || leaving.load(ordering: .relaxed) }

  /// No request and no turn runs any more: doors end the streams that are left.
  package var isEnding: Bool { ending.load(ordering: .relaxed) }
  package func beginEnding() { ending.store(true, ordering: .relaxed) }

  package var serving: ServingStatus {
    if isLeaving { return .draining }
    return manager.isReadOnly ? .readOnly : .serving
  }
}
