// Limits on the bytes of threads in memory only (durability.md D11). They have no other place, so a change that does
// not fit is refused: to a tenant at the end of its share, and to every tenant when the process has no more to give.
//
// E1  A session takes before it keeps more than it has taken, in pieces, and gives everything back when it ends.
// E2  One change may pass the limit, since it is counted when it has been decided; the next one is refused.

import HeddleCore
import Synchronization

/// Bytes of all threads in memory only, by tenant.
final class EphemeralQuota: Sendable {
  /// Most events fit into a piece that is taken already. An empty thread weighs one piece.
  static let pieceBytes = 8 * 1024

  private struct State {
    var total = 0
    var tenants: [String: Int] = [:]
    /// Tenants at the end of their share.
    var full: Set<String> = []
  }

  private let limit: Int
  private let share: Int
  private let state = Mutex(State())
  /// A tenant or the process is at its limit: only then is there anything to look up.
  private let isTight = Atomic<Bool>(false)

  /// A share of 0 is none.
  init(limit: Int, share: Int) {
    self.limit = limit
    self.share = share
  }

  /// The reason to refuse the tenant's next change; nil: the change may be made.
  func refusal(_ tenant: String) -> Refusal? {
    guard isTight.load(ordering: .relaxed) else { return nil }
    return state.withLock { state in
      if state.full.contains(tenant) { return Refusal(.ephemeralFull, [("limit", "\(share)")]) }
      return state.total >= limit ? Refusal(.ephemeralFull, [("limit", "\(limit)")]) : nil
    }
  }

  func take(_ tenant: String, _ bytes: Int) { change(tenant, by: bytes) }

  func giveBack(_ tenant: String, _ bytes: Int) { change(tenant, by: -bytes) }

  private func change(_ tenant: String, by bytes: Int) {
    state.withLock { state in
      state.total += bytes
      let held = (state.tenants[tenant] ?? 0) + bytes
      state.tenants[tenant] = held > 0 ? held : nil
      if share > 0, held >= share { state.full.insert(tenant) } else { state.full.remove(tenant) }
      isTight.store(state.total >= limit || !state.full.isEmpty, ordering: .relaxed)
    }
  }

  var total: Int { state.withLock(\.total) }
}
