import Testing

@testable import HeddleModels

@Suite struct RetryPolicyTests {
  private let policy = RetryPolicy(retries: 3, base: 100, maximum: 250)

  @Test("attacks.md M24: waits are spread over the whole of a bound that doubles up to the maximum")
  func jitter() {
    #expect((1...3).map { policy.wait(after: $0, retryAfter: nil, fraction: 0) } == [0, 0, 0])
    #expect((1...3).map { policy.wait(after: $0, retryAfter: nil, fraction: 0.5) } == [50, 100, 125])
    #expect((1...3).map { policy.wait(after: $0, retryAfter: nil, fraction: 0.999) } == [99, 199, 249])
  }

  @Test("attacks.md M24: there are as many further tries as the policy says, and no more")
  func bounded() {
    #expect(policy.wait(after: 3, retryAfter: nil, fraction: 0) != nil)
    #expect(policy.wait(after: 4, retryAfter: nil, fraction: 0) == nil)
    #expect(policy.wait(after: 4, retryAfter: 0, fraction: 0) == nil)
    #expect(RetryPolicy(retries: 0).wait(after: 1, retryAfter: nil, fraction: 0) == nil)
  }

  @Test("What the provider asks for is never cut short; if it is too long, there is no further try")
  func retryAfter() {
    #expect(policy.wait(after: 1, retryAfter: 200, fraction: 0) == 200)
    #expect(policy.wait(after: 1, retryAfter: 200, fraction: 0.2) == 220)
    #expect(policy.wait(after: 1, retryAfter: 250, fraction: 0.9) == 250)
    #expect(policy.wait(after: 1, retryAfter: 251, fraction: 0) == nil)
  }

  @Test("Numbers at the end of their range do not trap")
  func extremes() {
    let wide = RetryPolicy(retries: .max, base: .max / 4, maximum: .max / 2)
    #expect(wide.wait(after: 1_000_000, retryAfter: nil, fraction: 0) == 0)
    #expect(RetryPolicy(retries: 5, base: -1, maximum: -1).wait(after: 2, retryAfter: nil, fraction: 0.5) == 0)
  }

  @Test("Retry-After is read in seconds, as an HTTP date, and in milliseconds")
  func headers() {
    func wait(_ headers: [(name: String, value: String)], now: Int64 = 784_111_770) -> Int64? {
      RetryAfter.milliseconds(headers, now: now)
    }
    #expect(wait([("Retry-After", "7")]) == 7_000)
    #expect(wait([("retry-after", "1.5")]) == 1_500)
    #expect(wait([("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]) == 7_000)
    #expect(wait([("retry-after", "Sun, 06 Nov 1994 08:49:20 GMT")]) == 0)
    #expect(wait([("retry-after", "9"), ("retry-after-ms", "120")]) == 120)
    for rubbish in ["", "soon", "-1", "1e300", "nan", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 32 Nov 1994 08:49:37 GMT"]
    {
      #expect(wait([("retry-after", rubbish)]) == nil, "\(rubbish)")
    }
    #expect(wait([]) == nil)
  }

  @Test("HTTP dates count days as the Gregorian calendar does")
  func dates() {
    func seconds(_ text: String) -> Int64? { RetryAfter.unixSeconds(httpDate: text) }
    #expect(seconds("Thu, 01 Jan 1970 00:00:00 GMT") == 0)
    #expect(seconds("Sun, 06 Nov 1994 08:49:37 GMT") == 784_111_777)
    #expect(seconds("Tue, 29 Feb 2000 23:59:59 GMT") == 951_868_799)
    #expect(seconds("Wed, 01 Mar 2000 00:00:00 GMT") == 951_868_800)
    #expect(seconds("Sun, 22 Nov 2026 04:48:29 GMT") == 1_795_322_909)
    #expect(seconds("Fri, 31 Dec 9999 23:59:59 GMT") == 253_402_300_799)
    #expect(seconds("Sun, 06 Nov 1994 24:00:00 GMT") == nil)
    #expect(seconds("Sun, 06 Nov 99999999999 08:49:37 GMT") == nil)
  }
}
