// Limits of one tenant, one address and the whole process. Counters behind one lock; nothing is looked up on the hot
// path of a server without tokens, which has no quotas.

import HeddleCore
import Synchronization

/// Shared by all connections.
package final class Quotas: Sendable {
  private struct Bucket {
    var tokens: Double
    var filledAt: Int64
  }

  private struct State {
    var connections = 0
    var beforeHello: [String: Int] = [:]
    var perTenant: [String: Int] = [:]
    var subscriptions: [String: Int] = [:]
    var buckets: [String: Bucket] = [:]
    var badTokens: [String: (count: Int, since: Int64)] = [:]
  }

  private let limits: Limits
  private let state = Mutex(State())

  init(limits: Limits) { self.limits = limits }

  package var connectionCount: Int { state.withLock(\.connections) }

  /// A connection was accepted; false: there are too many.
  package func opened(address: String) -> Bool {
    state.withLock { state in
      state.connections += 1
      let waiting = (state.beforeHello[address] ?? 0) + 1
      state.beforeHello[address] = waiting
      return state.connections <= limits.connections && waiting <= limits.connectionsPerAddressBeforeHello
    }
  }

  /// A connection was accepted and is not at its door yet; nil: its address has no limit of its own. False: there are too
  /// many.
  package func arrived(address: String?) -> Bool {
    guard let address else {
      return state.withLock { state in
        state.connections += 1
        return state.connections <= limits.connections
      }
    }
    return opened(address: address)
  }

  /// It is at its door, which counts it from now on, or has ended before.
  package func left(address: String?) {
    state.withLock { state in
      state.connections -= 1
      if let address { Self.lower(&state.beforeHello, address) }
    }
  }

  /// The connection has identified its tenant; false: the tenant has too many.
  package func identified(address: String, tenant: String) -> Bool {
    state.withLock { state in
      let count = (state.perTenant[tenant] ?? 0) + 1
      // A refused connection does not count against its tenant while it lingers.
      guard limits.connectionsPerTenant == 0 || count <= limits.connectionsPerTenant else { return false }
      Self.lower(&state.beforeHello, address)
      state.perTenant[tenant] = count
      return true
    }
  }

  package func closed(address: String, tenant: String?) {
    state.withLock { state in
      state.connections -= 1
      if let tenant { Self.lower(&state.perTenant, tenant) } else { Self.lower(&state.beforeHello, address) }
    }
  }

  /// A client at this address gave a bad token. Milliseconds to wait with the answer: guessing gets slow, and no client
  /// is locked out (attacks.md A20).
  package func badToken(address: String, instant: Int64) -> Int64 {
    state.withLock { state in
      if state.badTokens.count >= Self.addresses {
        state.badTokens = state.badTokens.filter { instant - $0.value.since < Self.badTokenWindow }
      }
      var seen = state.badTokens[address] ?? (0, instant)
      if instant - seen.since >= Self.badTokenWindow { seen = (0, instant) }
      seen.count += 1
      // Addresses beyond this number are not remembered.
      if state.badTokens[address] != nil || state.badTokens.count < Self.addresses { state.badTokens[address] = seen }
      return seen.count > Self.badTokensAWindow ? 1_000 : 0
    }
  }

  private static let addresses = 10_000
  private static let badTokensAWindow = 20
  private static let badTokenWindow: Int64 = 60_000

  package func subscribed(tenant: String) -> Bool {
    guard limits.subscriptionsPerTenant > 0 else { return true }
    return state.withLock { state in
      let count = state.subscriptions[tenant] ?? 0
      guard count < limits.subscriptionsPerTenant else { return false }
      state.subscriptions[tenant] = count + 1
      return true
    }
  }

  package func unsubscribed(tenant: String) {
    guard limits.subscriptionsPerTenant > 0 else { return }
    state.withLock { Self.lower(&$0.subscriptions, tenant) }
  }

  /// Takes one request from the tenant's bucket; else the milliseconds until there is one again.
  func admit(tenant: String, instant: Int64) -> Int64? {
    guard limits.requestsPerSecond > 0 else { return nil }
    let rate = Double(limits.requestsPerSecond)
    return state.withLock { state in
      var bucket = state.buckets[tenant] ?? Bucket(tokens: Double(limits.requestBurst), filledAt: instant)
      let gained = Double(instant - bucket.filledAt) / 1_000 * rate
      bucket.tokens = min(Double(limits.requestBurst), bucket.tokens + gained)
      bucket.filledAt = instant
      defer { state.buckets[tenant] = bucket }
      guard bucket.tokens >= 1 else { return max(1, Int64((1 - bucket.tokens) / rate * 1_000)) }
      bucket.tokens -= 1
      return nil
    }
  }

  private static func lower(_ counts: inout [String: Int], _ name: String) {
    guard let count = counts[name] else { return }
    counts[name] = count > 1 ? count - 1 : nil
  }
}
