import HeddleCore
import Testing

@testable import HeddleService

@Suite struct ServerQuotaTests {
  private func quotas(_ change: (inout Limits) -> Void = { _ in }) -> Quotas {
    var limits = Limits()
    change(&limits)
    return Quotas(limits: limits)
  }

  @Test("attacks.md R18: a burst, then the rate; who rests gains no more than the burst, and no tenant takes another's")
  func rate() {
    let quotas = quotas { ($0.requestsPerSecond, $0.requestBurst) = (10, 3) }
    func taken(_ count: Int, at instant: Int64) -> [Int64?] {
      (0..<count).map { _ in quotas.admit(tenant: "a", instant: instant) }
    }
    #expect(taken(4, at: 0) == [nil, nil, nil, 100])
    #expect(taken(1, at: 50) == [50])
    #expect(taken(2, at: 101)[0] == nil)
    #expect(quotas.admit(tenant: "b", instant: 101) == nil)
    #expect(taken(4, at: 3_600_000) == [nil, nil, nil, 100], "an hour of rest is not saved up")
    let open = self.quotas { $0.requestsPerSecond = 0 }
    #expect((0..<10_000).allSatisfy { _ in open.admit(tenant: "a", instant: 0) == nil })
  }

  @Test("attacks.md A20: guessing gets slow at one address, and only within the minute")
  func badTokens() {
    let quotas = quotas()
    func guesses(_ count: Int, at instant: Int64, from address: String = "one") -> [Int64] {
      (0..<count).map { _ in quotas.badToken(address: address, instant: instant) }
    }
    #expect(guesses(22, at: 1_000) == [Int64](repeating: 0, count: 20) + [1_000, 1_000])
    #expect(guesses(1, at: 1_000, from: "another") == [0])
    #expect(guesses(1, at: 60_999) == [1_000])
    #expect(guesses(21, at: 61_000) == [Int64](repeating: 0, count: 20) + [1_000])
  }

  @Test("attacks.md R7, R11: places of connections and subscriptions are taken, refused and given back")
  func places() {
    let quotas = quotas {
      ($0.connections, $0.connectionsPerAddressBeforeHello, $0.connectionsPerTenant) = (4, 2, 1)
      $0.subscriptionsPerTenant = 1
    }
    #expect(quotas.opened(address: "one") && quotas.opened(address: "one"))
    #expect(!quotas.opened(address: "one"), "two that have not said who they are")
    #expect(quotas.identified(address: "one", tenant: "a"))
    #expect(!quotas.identified(address: "one", tenant: "a"))
    #expect(quotas.connectionCount == 3)
    quotas.closed(address: "one", tenant: nil)
    quotas.closed(address: "one", tenant: nil)
    #expect(quotas.opened(address: "one") && quotas.opened(address: "another"))
    #expect(quotas.opened(address: "another"), "the fourth")
    #expect(!quotas.opened(address: "a third"), "the fifth")
    quotas.closed(address: "one", tenant: "a")
    #expect(quotas.identified(address: "one", tenant: "a"))
    #expect(quotas.subscribed(tenant: "a"))
    #expect(!quotas.subscribed(tenant: "a") && quotas.subscribed(tenant: "b"))
    quotas.unsubscribed(tenant: "a")
    #expect(quotas.subscribed(tenant: "a"))
  }
}
