// The condition of the store: whether it takes writes (durability.md D8 and D9).

import HeddleCore
import HeddleMetrics
import HeddleStorage
import Logging
import NIOCore
import Synchronization

/// Ends the process: the store can no longer be trusted (durability.md D8).
public typealias StorageFailure = @Sendable (String) -> Void

/// A part of the process whose turns end when the disk is full, and begin when there is room.
protocol StoreDependent: AnyObject, Sendable {
  /// Behind everything that its loop does now.
  func suspendLater(_ isSuspended: Bool)
}

/// The condition of the store, and who is notified when it changes.
final class StoreCondition: Sendable {
  /// The parts of the process that a failure concerns.
  struct Surroundings {
    let health: any StoreHealth
    let metrics: StoreMetrics
    let logger: Logger
    let callers: CallerDirectory
    let end: StorageFailure
  }

  private struct State {
    var isReadOnly = false
    var hasFailed = false
    var isStopped = false
    var dependents: [any StoreDependent] = []
  }

  private let around: Surroundings
  private let state = Mutex(State())

  init(_ around: Surroundings) { self.around = around }

  private var health: any StoreHealth { around.health }
  private var logger: Logger { around.logger }

  var isReadOnly: Bool { state.withLock(\.isReadOnly) }

  /// `dependents` are notified from here on. The store is listened to until it is closed.
  func begin(_ dependents: [any StoreDependent]) {
    state.withLock { $0.dependents = dependents }
    health.listen { notice in self.noticed(notice) }
  }

  /// The store is not looked at any more.
  func stop() { state.withLock { $0.isStopped = true } }

  func storeFailed(_ error: StoreError) {
    switch error {
    case .diskFull: becameReadOnly("the disk is full: reads go on, changes are refused until there is space")
    case .unreachable(let text):
      becameReadOnly("the store cannot be reached: changes are refused until it can be", text)
    case .failed(let text), .fenced(let text):
      let first = state.withLock { state in
        defer { state.hasFailed = true }
        return !state.hasFailed
      }
      guard first else { return }
      logger.critical("the storage failed; the process ends", metadata: ["error": "\(text)"])
      around.callers.goAway(Refusal(.storageFailed))
      around.end(text)
    case .conflict(let text): logger.critical("a mutation was refused by the store", metadata: ["error": "\(text)"])
    case .unreadable: logger.error("a read of the store failed", metadata: ["error": "\(error)"])
    case .damaged, .inUse, .unusable: logger.critical("the store failed", metadata: ["error": "\(error)"])
    }
  }

  private func becameReadOnly(_ message: Logger.Message, _ cause: String? = nil) {
    guard change(isReadOnly: true) else { return }
    around.metrics.isReadOnly.set(1)
    logger.critical(message, metadata: cause.map { ["error": "\($0)"] })
    health.becameReadOnly()
    // Behind the drops of the sessions whose writes failed, which the shards do after this.
    suspend(true)
  }

  private func noticed(_ notice: StoreNotice) {
    switch notice {
    case .writable:
      guard change(isReadOnly: false) else { return }
      around.metrics.isReadOnly.set(0)
      suspend(false)
      logger.notice("changes are served again: there is space, or the store can be reached")
    case .failed(let error): storeFailed(error)
    case .concern(let text, let details, let isUrgent):
      logger.log(
        level: isUrgent ? .critical : .warning, "\(text)", metadata: details.mapValues { .string($0) })
    }
  }

  /// False: it was so before.
  private func change(isReadOnly: Bool) -> Bool {
    state.withLock { state in
      defer { state.isReadOnly = isReadOnly }
      return state.isReadOnly != isReadOnly
    }
  }

  private func suspend(_ isSuspended: Bool) {
    for dependent in state.withLock(\.dependents) { dependent.suspendLater(isSuspended) }
  }

  /// Has the store look at itself once a second: space comes back without a restart (D9), and a folder that is taken away
  /// is noticed although nobody writes (D8).
  func watch(on eventLoop: any EventLoop) {
    eventLoop.scheduleTask(in: .seconds(1)) {
      guard !self.state.withLock(\.isStopped) else { return }
      self.health.look()
      self.watch(on: eventLoop)
    }
  }
}
