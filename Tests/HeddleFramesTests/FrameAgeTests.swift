import HeddleCore
import Testing

@testable import HeddleFrames

/// The age of a connection, with the clock set by hand.
@Suite struct FrameAgeTests {
  @Test("A connection is told at its age, its subscriptions end after the grace, and it ends when nothing runs")
  func life() {
    var age = FrameAge(now: 1_000, ageMilliseconds: 60_000, graceMilliseconds: 5_000)
    let steps = [(60_999, false), (61_000, false), (61_001, false), (66_000, false), (80_000, false), (80_001, true)]
      .map { age.tick($0.0, isIdle: $0.1) }
    #expect(steps == [.none, .tell, .none, .endSubscriptions, .none, .end])
    let after = age.tick(90_000, isIdle: true)
    #expect(after == .none)
    #expect(!age.isYoung)
  }

  @Test("A client that has nothing on its way has a second to read that the connection goes")
  func idle() {
    var age = FrameAge(now: 0, ageMilliseconds: 10, graceMilliseconds: 300_000)
    let steps = [10, 11, 1_009, 1_010].map { age.tick($0, isIdle: true) }
    #expect(steps == [.tell, .none, .none, .end])
  }

  @Test("Without an age a connection lives for ever")
  func never() {
    var age = FrameAge(now: 0, ageMilliseconds: 0, graceMilliseconds: 0)
    let step = age.tick(.max, isIdle: true)
    #expect(step == .none && age.isYoung)
  }

  @Test("Ages differ by a tenth either way, and no random number leaves that", arguments: [0, 1, 7, UInt64.max])
  func spread(random: UInt64) {
    var limits = Limits()
    let age = limits.connectionAge(random: random)
    #expect((1_620_000..<1_980_000).contains(age))
    limits.connectionAgeMilliseconds = 1
    #expect(limits.connectionAge(random: random) == 1)
    limits.connectionAgeMilliseconds = 0
    #expect(limits.connectionAge(random: random) == 0)
  }
}
