import HeddleCore
import Testing

@testable import HeddleRuntime

@Suite struct EphemeralQuotaTests {
  private let quota = EphemeralQuota(limit: 1_000, share: 600)

  @Test("D11: a tenant at the end of its share is refused, the others are not, until there is no more for anybody")
  func shares() {
    #expect(quota.refusal("a") == nil)
    quota.take("a", 600)
    #expect(quota.refusal("a") == Refusal(.ephemeralFull, [("limit", "600")]))
    #expect(quota.refusal("b") == nil)
    quota.take("b", 400)
    #expect(quota.refusal("b") == Refusal(.ephemeralFull, [("limit", "1000")]))
    #expect(quota.refusal("c") == Refusal(.ephemeralFull, [("limit", "1000")]))
  }

  @Test("D11: what ends gives everything back")
  func givenBack() {
    quota.take("a", 900)
    quota.take("b", 200)
    quota.giveBack("a", 900)
    for tenant in ["a", "b"] { #expect(quota.refusal(tenant) == nil) }
    quota.giveBack("b", 200)
    #expect(quota.total == 0)
  }

  @Test("D11: without shares only the whole counts")
  func noShares() {
    let quota = EphemeralQuota(limit: 1_000, share: 0)
    quota.take("a", 999)
    #expect(quota.refusal("a") == nil)
    quota.take("a", 1)
    #expect(quota.refusal("a") == Refusal(.ephemeralFull, [("limit", "1000")]))
  }
}
