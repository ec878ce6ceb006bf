// Tokens by tenant, for ServerService/Status. They are no metric: a tenant is never a label.

import HeddleCore
import Synchronization

/// Tokens that tenants have used since the server started.
public final class TenantTokens: Sendable {
  private let totals = Mutex<[String: TokenUsage]>([:])

  init() {}

  public func add(_ usage: TokenUsage, tenant: String) {
    totals.withLock { $0[tenant, default: TokenUsage()].add(usage) }
  }

  public func total(of tenant: String) -> TokenUsage { totals.withLock { $0[tenant] ?? TokenUsage() } }
}
