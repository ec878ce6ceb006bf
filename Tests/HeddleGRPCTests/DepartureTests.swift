// The steps by which a connection ends without losing a call.

import Testing

@testable import HeddleGRPC

@Suite struct DepartureTests {
  @Test func aConnectionWithoutAnAgeStays() {
    var departure = Departure(now: 0, ageMilliseconds: 0, graceMilliseconds: 10)
    #expect(departure.tick(.max, isIdle: true) == .none)
    #expect(departure.state == .open)
  }

  @Test func ageAnnouncesThenThePingClosesThenIdlenessEnds() {
    var departure = Departure(now: 100, ageMilliseconds: 1_000, graceMilliseconds: 10_000)
    #expect(departure.tick(1_099, isIdle: false) == .none)
    #expect(departure.tick(1_100, isIdle: false) == .announce)
    #expect(departure.tick(1_200, isIdle: true) == .none)
    #expect(departure.ponged(1_300) == .close)
    #expect(departure.tick(1_400, isIdle: false) == .none)
    #expect(departure.tick(1_500, isIdle: true) == .end)
    #expect(departure.tick(1_600, isIdle: true) == .none)
  }

  @Test func aClientThatDoesNotAnswerThePingIsNotWaitedFor() {
    var departure = Departure(now: 0, ageMilliseconds: 0, graceMilliseconds: 10_000)
    #expect(departure.leave(1_000) == .announce)
    #expect(departure.leave(1_001) == .none)
    #expect(departure.tick(5_999, isIdle: false) == .none)
    #expect(departure.tick(6_000, isIdle: false) == .close)
  }

  @Test func subscriptionsEndOnceAfterTheGrace() {
    var departure = Departure(now: 0, ageMilliseconds: 0, graceMilliseconds: 10_000)
    _ = departure.leave(0)
    _ = departure.ponged(100)
    #expect(departure.tick(10_099, isIdle: false) == .none)
    #expect(departure.tick(10_100, isIdle: false) == .endSubscriptions)
    #expect(departure.tick(10_200, isIdle: false) == .none)
    #expect(departure.tick(10_300, isIdle: true) == .end)
  }

  @Test func aPongThatNobodyAskedForMeansNothing() {
    var departure = Departure(now: 0, ageMilliseconds: 0, graceMilliseconds: 0)
    #expect(departure.ponged(1) == .none)
    #expect(departure.state == .open)
  }
}
