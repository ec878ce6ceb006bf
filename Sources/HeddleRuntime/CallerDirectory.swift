// The callers of this process, and notices to all of a tenant.

import HeddleCore
import Synchronization

/// Every caller, and which of them want to hear of which notices.
final class CallerDirectory: Sendable {
  private typealias Table = [String: [ObjectIdentifier: any CallerPort]]

  private struct State {
    var callers: [ObjectIdentifier: any CallerPort] = [:]
    /// By tenant: a notice to one tenant costs nothing for the callers of others, nor for those that want none.
    var hearsOfStarts: Table = [:]
    var lifecycleFollowers: Table = [:]
  }

  private let state = Mutex(State())

  func add(_ caller: any CallerPort, hearsOfStarts: Bool) {
    let tenant = caller.tenant
    state.withLock {
      $0.callers[ObjectIdentifier(caller)] = caller
      if hearsOfStarts { Self.set(&$0.hearsOfStarts, tenant, caller, true) }
    }
  }

  func remove(_ caller: any CallerPort) {
    let tenant = caller.tenant
    state.withLock {
      $0.callers[ObjectIdentifier(caller)] = nil
      Self.set(&$0.hearsOfStarts, tenant, caller, false)
      Self.set(&$0.lifecycleFollowers, tenant, caller, false)
    }
  }

  func followLifecycle(_ caller: any CallerPort, _ follows: Bool) {
    let tenant = caller.tenant
    state.withLock { Self.set(&$0.lifecycleFollowers, tenant, caller, follows) }
  }

  private static func set(_ table: inout Table, _ tenant: String, _ caller: any CallerPort, _ isIn: Bool) {
    guard isIn else {
      table[tenant]?[ObjectIdentifier(caller)] = nil
      if table[tenant]?.isEmpty == true { table[tenant] = nil }
      return
    }
    table[tenant, default: [:]][ObjectIdentifier(caller)] = caller
  }

  /// rules.md T1: a thread that starts is announced to every caller of its tenant that has not said otherwise.
  func announce(_ kind: SubscriptionEvent.Kind, tenant: String, toAll: Bool = false) {
    let targets = state.withLock { state in
      var targets = state.lifecycleFollowers[tenant] ?? [:]
      if toAll, let others = state.hearsOfStarts[tenant] { targets.merge(others) { known, _ in known } }
      return Array(targets.values)
    }
    guard !targets.isEmpty else { return }
    let notice = SubscriptionEvent(kind: kind)
    for caller in targets { caller.context.run { caller.notify(notice) } }
  }

  /// To callers that follow the lifecycle of their tenant's threads; costs nothing when there are none.
  func announceToFollowers(_ kind: SubscriptionEvent.Kind, tenant: String) {
    guard state.withLock({ !$0.lifecycleFollowers.isEmpty }) else { return }
    announce(kind, tenant: tenant)
  }

  func goAway(_ refusal: Refusal) {
    for caller in state.withLock({ Array($0.callers.values) }) {
      caller.context.run { caller.goAway(refusal) }
    }
  }
}
