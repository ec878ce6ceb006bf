// Silence of a client of gRPC.

import HeddleCore
import Testing

@testable import HeddleGRPC

@Suite struct GRPCTimesTests {
  private let limits = Limits()

  @Test func aClientThatSaysNothingIsClosedLikeOneWithoutHello() {
    var times = GRPCTimes(now: 0)
    #expect(times.tick(limits.helloMilliseconds - 1, isRead: true, limits) == .fine)
    #expect(times.tick(limits.helloMilliseconds, isRead: true, limits) == .close)
  }

  @Test func silenceIsAskedAboutAndThenCloses() {
    var times = GRPCTimes(now: 0)
    times.heard(at: 0)
    #expect(times.tick(29_999, isRead: true, limits) == .fine)
    #expect(times.tick(30_000, isRead: true, limits) == .ping)
    #expect(times.tick(49_999, isRead: true, limits) == .fine)
    #expect(times.tick(50_000, isRead: true, limits) == .close)
  }

  @Test func anyByteAnswersThePing() {
    var times = GRPCTimes(now: 0)
    times.heard(at: 0)
    #expect(times.tick(30_000, isRead: true, limits) == .ping)
    times.heard(at: 30_100)
    #expect(times.tick(60_099, isRead: true, limits) == .fine)
    #expect(times.tick(60_100, isRead: true, limits) == .ping)
  }

  @Test func timeInWhichTheServerDoesNotReadDoesNotCount() {
    var times = GRPCTimes(now: 0)
    times.heard(at: 0)
    #expect(times.tick(40_000, isRead: false, limits) == .fine)
    #expect(times.tick(69_999, isRead: true, limits) == .fine)
    #expect(times.tick(70_000, isRead: true, limits) == .ping)
  }
}
