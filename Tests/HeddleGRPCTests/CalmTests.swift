// Budgets of frames that bring nothing (attacks.md G1, G4, G5).

import Testing

@testable import HeddleGRPC

@Suite struct CalmTests {
  @Test func aThousandIdleFramesPassAndOneMoreEnds() {
    var calm = Calm(now: 0)
    for _ in 0..<1_000 { #expect(calm.idled(10) == .fine) }
    #expect(calm.idled(10) == .end("too_many_idle_frames"))
  }

  @Test func theBudgetIsNewAfterItsWindow() {
    var calm = Calm(now: 0)
    for _ in 0..<1_000 { _ = calm.idled(29_999) }
    #expect(calm.idled(30_000) == .fine)
  }

  @Test func aThousandResetsPassAndOneMoreEnds() {
    var calm = Calm(now: 0)
    for _ in 0..<1_000 { #expect(calm.reset(10) == .fine) }
    #expect(calm.reset(10) == .end("too_many_resets"))
  }

  @Test func pingsFiveSecondsApartAreFine() {
    var calm = Calm(now: 0)
    for time in stride(from: Int64(0), to: 1_000_000, by: 5_000) { #expect(calm.ping(time) == .fine) }
  }

  @Test func theThirdStrikeOfPingsEnds() {
    var calm = Calm(now: 0)
    #expect(calm.ping(0) == .fine)
    #expect(calm.ping(4_999) == .fine)
    #expect(calm.ping(5_000) == .fine)
    #expect(calm.ping(5_001) == .end("too_many_pings"))
  }

  @Test func dataThatWasSentForgivesPings() {
    var calm = Calm(now: 0)
    for time in 0..<100 as Range<Int64> {
      calm.sentData()
      #expect(calm.ping(time) == .fine)
    }
  }

  @Test func dataThatWasSentAllowsTwoSmallWidenings() {
    var calm = Calm(now: 0)
    for _ in 0..<1_000 { _ = calm.idled(0) }
    calm.sentData()
    #expect(calm.widened(0) == .fine)
    #expect(calm.widened(0) == .fine)
    #expect(calm.widened(0) == .end("too_many_idle_frames"))
  }
}
