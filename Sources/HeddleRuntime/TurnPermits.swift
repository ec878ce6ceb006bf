// How many turns each tenant runs, and who waits until it may run one more. Counted when a turn is decided, on whatever
// loop: what is counted when its start is on disk lets a burst of starts pass.
//
// P1  A permit is taken before a turn begins and given back once, when the turn has ended or did not begin after all.
// P2  Whoever waits is called once, when a permit was given back; it takes the permit itself, and passes the call on if it
//     has no use for it any more.

import HeddleCore
import Synchronization

/// The permits of all tenants.
final class TurnPermits: Sendable {
  typealias Waiter = (thread: ThreadID, call: @Sendable () -> Void)

  private struct Tenant {
    var taken = 0
    /// In the order in which they came; each thread once.
    var waiting: [Waiter] = []
    var isWaiting: Set<ThreadID> = []
  }

  private let tenants = Mutex<[String: Tenant]>([:])

  /// Takes a permit, or notes who waits for one. A limit of 0 is none.
  func take(_ name: String, limit: Int, orWait waiter: Waiter? = nil) -> Bool {
    tenants.withLock { tenants in
      var tenant = tenants[name] ?? Tenant()
      let isFree = limit == 0 || tenant.taken < limit
      if isFree {
        tenant.taken += 1
      } else if let waiter, tenant.isWaiting.insert(waiter.thread).inserted {
        tenant.waiting.append(waiter)
      }
      tenants[name] = tenant
      return isFree
    }
  }

  /// A turn that was accepted long ago begins, whatever the limit.
  func add(_ name: String) { tenants.withLock { $0[name, default: Tenant()].taken += 1 } }

  func giveBack(_ name: String) {
    tenants.withLock { $0[name]?.taken -= 1 }
    passOn(name)
  }

  /// By tenant; tenants of which none is taken are not there.
  var taken: [String: Int] { tenants.withLock { $0.mapValues(\.taken).filter { $0.value != 0 } } }

  /// Calls whoever waits longest.
  func passOn(_ name: String) {
    let next = tenants.withLock { tenants -> Waiter? in
      guard var tenant = tenants[name] else { return nil }
      let next = tenant.waiting.isEmpty ? nil : tenant.waiting.removeFirst()
      if let next { tenant.isWaiting.remove(next.thread) }
      tenants[name] = tenant.taken == 0 && tenant.waiting.isEmpty ? nil : tenant
      return next
    }
    next?.call()
  }
}
