// What one tenant, one address and the whole process may have open. Counters behind one lock; nothing is looked up on the
// hot path of a server without tokens, which has no quotas.

import HeddleCore
import Synchronization

/// Shared by all connections.
final class Quotas: Sendable {
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

  var connectionCount: Int { state.withLock(\.connections) }

  /// A connection was accepted; false: there are too many.
  func opened(address: String) -> Bool {
    state.withLock { state in
      state.connections += 1
      let waiting = (state.beforeHello[address] ?? 0) + 1
      state.beforeHello[address] = waiting
      return state.connections <= limits.connections && waiting <= limits.connectionsPerAddressBeforeHello
    }
  }

  /// The connection has said who it is; false: its tenant has too many.
  func identified(address: String, tenant: String) -> Bool {
    state.withLock { state in
      let count = (state.perTenant[tenant] ?? 0) + 1
      // Who is refused does not count against its tenant while it lingers.
      guard limits.connectionsPerTenant == 0 || count <= limits.connectionsPerTenant else { return false }
      Self.lower(&state.beforeHello, address)
      state.perTenant[tenant] = count
      return true
    }
  }

  func closed(address: String, tenant: String?) {
    state.withLock { state in
      state.connections -= 1
      if let tenant { Self.lower(&state.perTenant, tenant) } else { Self.lower(&state.beforeHello, address) }
    }
  }

  /// Somebody at this address gave a token that is none. Milliseconds to wait with the answer: guessing gets slow, and
  /// nobody is locked out (attacks.md A20).
  func badToken(address: String, instant: Int64) -> Int64 {
    state.withLock { state in
      if state.badTokens.count >= Self.addresses {
        state.badTokens = state.badTokens.filter { instant - $0.value.since < Self.badTokenWindow }
      }
      var seen = state.badTokens[address] ?? (0, instant)
      if instant - seen.since >= Self.badTokenWindow { seen = (0, instant) }
      seen.count += 1
      // More addresses than anybody has: those beyond are not remembered.
      if state.badTokens[address] != nil || state.badTokens.count < Self.addresses { state.badTokens[address] = seen }
      return seen.count > Self.badTokensAWindow ? 1_000 : 0
    }
  }

  private static let addresses = 10_000
  private static let badTokensAWindow = 20
  private static let badTokenWindow: Int64 = 60_000

  func subscribed(tenant: String) -> Bool {
    guard limits.subscriptionsPerTenant > 0 else { return true }
    return state.withLock { state in
      let count = state.subscriptions[tenant] ?? 0
      guard count < limits.subscriptionsPerTenant else { return false }
      state.subscriptions[tenant] = count + 1
      return true
    }
  }

  func unsubscribed(tenant: String) {
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

/// Bytes of frames that are not complete, of all connections (attacks.md R13). Beyond the limit only whoever has waited
/// longest is read, so that there is always one frame that comes to its end.
///
/// A read that has been asked for cannot be taken back, and every connection that holds nothing has one. So what these may
/// bring is taken off the limit before it comes.
final class HalfFrames: Sendable {
  private struct State {
    var bytes = 0
    var connections = 0
    var held: [ObjectIdentifier: (bytes: Int, number: UInt64)] = [:]
    /// By age; entries that are not `held` under the same number are gone.
    var queue: [(owner: ObjectIdentifier, number: UInt64)] = []
    var first = 0
    var next: UInt64 = 0
    /// Those that are held back, and how to tell them that they may go on.
    var waiting: [ObjectIdentifier: @Sendable () -> Void] = [:]
    /// Whom to tell first; entries that are not `waiting` are gone.
    var line: [ObjectIdentifier] = []
    var served = 0

    /// Whoever may be read now and was not: as many as there is room for, since all of them would be held back again after
    /// one read each. Who is told and has nothing to say keeps nobody back for long: connections ask again by themselves.
    mutating func released(_ room: Int, readBytes: Int) -> [@Sendable () -> Void] {
      guard !waiting.isEmpty else { return [] }
      guard bytes <= room else {
        guard let oldest = oldest(), let wake = waiting.removeValue(forKey: oldest) else { return [] }
        return [wake]
      }
      var wakes: [@Sendable () -> Void] = []
      let most = max(1, (room - bytes) / readBytes)
      while wakes.count < most, served < line.count {
        if let wake = waiting.removeValue(forKey: line[served]) { wakes.append(wake) }
        served += 1
      }
      if served == line.count || served > 1_024 {
        line.removeFirst(served)
        served = 0
      }
      return wakes
    }

    /// Forgets those that are gone, when they are more than those that are there.
    mutating func tidy() {
      guard queue.count > 2 * held.count + 1_024 else { return }
      queue = queue[first...].filter { held[$0.owner]?.number == $0.number }
      first = 0
    }

    mutating func oldest() -> ObjectIdentifier? {
      while first < queue.count {
        let entry = queue[first]
        if held[entry.owner]?.number == entry.number { return entry.owner }
        first += 1
      }
      queue = []
      first = 0
      return nil
    }
  }

  private let limit: Int
  private let readBytes: Int
  private let state = Mutex(State())

  /// `readBytes`: the most that one read brings.
  init(limit: Int, readBytes: Int) {
    self.limit = limit
    self.readBytes = readBytes
  }

  func opened() { state.withLock { $0.connections += 1 } }

  func closed() { state.withLock { $0.connections -= 1 } }

  /// What may be held while there are so many connections. Of a limit that is too small for them a quarter is left.
  private func room(_ state: State) -> Int { max(limit / 4, limit - state.connections * readBytes) }

  /// What the owner holds now.
  func hold(_ owner: ObjectIdentifier, bytes: Int) {
    let wakes = state.withLock { state in
      let before = state.held[owner]
      state.bytes += bytes - (before?.bytes ?? 0)
      if bytes == 0 {
        state.held[owner] = nil
      } else if let before {
        state.held[owner] = (bytes, before.number)
      } else {
        state.next += 1
        state.held[owner] = (bytes, state.next)
        state.queue.append((owner, state.next))
        state.tidy()
      }
      if bytes == 0 { state.waiting[owner] = nil }
      return state.released(room(state), readBytes: readBytes)
    }
    for wake in wakes { wake() }
  }

  /// Whether the owner may be read; if not, `wake` is called once it may.
  func mayRead(_ owner: ObjectIdentifier, wake: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      if state.bytes <= room(state) || state.oldest() == owner { return true }
      if state.waiting.updateValue(wake, forKey: owner) == nil { state.line.append(owner) }
      return false
    }
  }
}
