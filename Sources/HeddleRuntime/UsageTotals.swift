// The tokens that each tenant has used.

import HeddleCore
import Synchronization

/// Tokens that tenants have used since the server started.
public final class UsageTotals: Sendable {
  private let totals = Mutex<[String: TokenUsage]>([:])

  func add(_ usage: TokenUsage, tenant: String) {
    totals.withLock { $0[tenant, default: TokenUsage()].add(usage) }
  }

  public func total(of tenant: String) -> TokenUsage { totals.withLock { $0[tenant] ?? TokenUsage() } }
}
