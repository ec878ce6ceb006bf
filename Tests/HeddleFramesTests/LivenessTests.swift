import HeddleCore
import Testing

@testable import HeddleFrames

/// Times of a connection, with the clock set by hand.
@Suite struct LivenessTests {
  private let limits = Limits()
  private typealias Situation = Liveness.Situation

  @Test("A connection that says no HELLO is closed without a word when its time is over, and not before")
  func hello() {
    var liveness = Liveness(now: 1_000)
    let end = 1_000 + limits.helloMilliseconds
    let is1 = liveness.tick(end - 1, Situation(isNew: true), limits)
    #expect(is1 == .fine)
    let is2 = liveness.tick(end, Situation(isNew: true), limits)
    #expect(is2 == .close)
    let is3 = liveness.tick(end, Situation(isNew: false), limits)
    #expect(is3 == .fine)
  }

  @Test("F: a frame has its time from its first byte on, however often more of it comes")
  func frame() {
    var liveness = Liveness(now: 0)
    liveness.heard(at: 10)
    liveness.isInsideFrame(true)
    liveness.heard(at: 5_000)
    liveness.isInsideFrame(true)
    let end = 10 + limits.frameMilliseconds
    let is4 = liveness.tick(end - 1, Situation(), limits)
    #expect(is4 == .fine)
    let is5 = liveness.tick(end, Situation(), limits)
    #expect(is5 == .end(.frameTimeout))
    liveness.frameEnded()
    let is6 = liveness.tick(end, Situation(), limits)
    #expect(is6 == .fine)
  }

  @Test("attacks.md R13: a frame that other connections' frames hold up has four times its time")
  func heldBack() {
    var liveness = Liveness(now: 0)
    liveness.heard(at: 0)
    liveness.isInsideFrame(true)
    let held = Situation(isHeldBack: true)
    let step = limits.frameMilliseconds / 2
    var now: Int64 = 0
    while now + step < 4 * limits.frameMilliseconds {
      now += step
      let is7 = liveness.tick(now, held, limits)
      #expect(is7 == .fine)
    }
    let is8 = liveness.tick(4 * limits.frameMilliseconds, held, limits)
    #expect(is8 == .end(.frameTimeout))
  }

  @Test("attacks.md R4, R6: a socket that takes nothing keeps its frame and its idle time from running")
  func full() {
    var liveness = Liveness(now: 0)
    liveness.heard(at: 0)
    liveness.isInsideFrame(true)
    let later = 3 * limits.frameMilliseconds
    let is9 = liveness.tick(later, Situation(isFull: true), limits)
    #expect(is9 == .fine)
    let is10 = liveness.tick(later + limits.frameMilliseconds - 1, Situation(), limits)
    #expect(is10 == .fine)
    let is11 = liveness.tick(later + limits.frameMilliseconds, Situation(), limits)
    #expect(is11 == .end(.frameTimeout))
  }

  @Test("A silent peer is pinged once an interval, and ended when it stays silent")
  func idle() {
    var liveness = Liveness(now: 0)
    liveness.heard(at: 1_000)
    let first = 1_000 + limits.pingAfterMilliseconds
    let is12 = liveness.tickOpen(first - 1, limits)
    #expect(is12 == .fine)
    let is13 = liveness.tickOpen(first, limits)
    #expect(is13 == .ping)
    let is14 = liveness.tickOpen(first + 1, limits)
    #expect(is14 == .fine)
    let is15 = liveness.tickOpen(1_000 + limits.idleMilliseconds, limits)
    #expect(is15 == .end(.idleTimeout))
  }

  @Test("attacks.md S14: a pong is asked for by a ping, once each")
  func pongs() {
    var liveness = Liveness(now: 0)
    let is16 = liveness.ponged()
    #expect(!is16)
    let is17 = liveness.tickOpen(limits.pingAfterMilliseconds, limits)
    #expect(is17 == .ping)
    let is18 = liveness.ponged()
    #expect(is18)
    let is19 = liveness.ponged()
    #expect(!is19)
  }

  @Test("attacks.md R10: pings faster than the interval have three strikes; one in time forgives them")
  func pings() {
    var liveness = Liveness(now: 0)
    let is20 = liveness.pinged(at: 0, limits)
    #expect(is20)
    for strike in 1...limits.pingStrikes {
      let is21 = liveness.pinged(at: Int64(strike), limits)
      #expect(is21)
    }
    let is22 = liveness.pinged(at: 100, limits)
    #expect(!is22)
    let is23 = liveness.pinged(at: 100 + limits.pingIntervalMilliseconds, limits)
    #expect(is23)
  }

  @Test("D11: pings that queued up while input waited for the disk are no strikes")
  func waitedForDisk() {
    var liveness = Liveness(now: 0)
    let is24 = liveness.pinged(at: 0, limits)
    #expect(is24)
    let waited = 3 * limits.pingIntervalMilliseconds
    liveness.waitedForDisk(since: 0, until: waited, limits)
    // Those of the pause come all at once.
    for ping in 0..<Int64(limits.pingStrikes + 3) {
      let is25 = liveness.pinged(at: ping, limits)
      #expect(is25)
    }
  }

  @Test("attacks.md R4: a peer that takes no byte for the stall time is ended; any byte begins it anew")
  func stalls() {
    var liveness = Liveness(now: 0)
    #expect(!liveness.mayBeStalled(queuedBytes: 0))
    let is26 = liveness.stalls(0, queuedBytes: 100, waitingBytes: 40, limits)
    #expect(!is26)
    let end = limits.slowConsumerMilliseconds
    #expect(liveness.mayBeStalled(queuedBytes: 100))
    let is27 = liveness.stalls(end - 1, queuedBytes: 100, waitingBytes: 40, limits)
    #expect(!is27)
    // A byte was taken.
    let is28 = liveness.stalls(end, queuedBytes: 100, waitingBytes: 39, limits)
    #expect(!is28)
    let is29 = liveness.stalls(2 * end - 1, queuedBytes: 100, waitingBytes: 39, limits)
    #expect(!is29)
    let is30 = liveness.stalls(2 * end, queuedBytes: 100, waitingBytes: 39, limits)
    #expect(is30)
    let is31 = liveness.stalls(2 * end, queuedBytes: 100, waitingBytes: 0, limits)
    #expect(!is31)
  }
}
