import HeddleCore
import Testing

@testable import HeddleService

@Suite struct FeedTests {
  private func opened(at cursor: UInt64) -> Feed {
    var feed = Feed.opening
    feed.opened(at: cursor)
    return feed
  }

  @Test("E1: a feed reads what is stored after its cursor, then asks to go live, then is pushed to")
  func catchesUp() {
    var feed = opened(at: 2)
    let next1 = feed.advance(head: 4, hasRoom: true)
    #expect(next1 == .read(after: 2))
    #expect(feed.state == .reading)
    feed.wrote(3)
    feed.wrote(4)
    let next = feed.readEnded(isEmpty: false, head: 4)
    #expect(next.head == 4 && next.isReadable)
    let next2 = feed.advance(head: next.head, hasRoom: true)
    #expect(next2 == .goLive(cursor: 4))
    let next3 = feed.wentLive(ThreadStatus(state: .active))
    #expect(next3)
    #expect(feed.state == .live && feed.status.state == .active)
    // The second time it says nothing: the client knows.
    feed.lag()
    let next4 = feed.advance(head: 4, hasRoom: true)
    #expect(next4 == .goLive(cursor: 4))
    let next5 = feed.wentLive(ThreadStatus(state: .idle))
    #expect(!next5)
    #expect(feed.status.state == .active)
  }

  @Test("Feed.U1: a live feed writes cursor + 1, skips what has gone out, and goes back to the log for anything else")
  func followsItsCursor() {
    var feed = Feed.live(head: 7, status: ThreadStatus())
    #expect(feed.pushed(6) == .skip)
    #expect(feed.pushed(7) == .skip)
    #expect(feed.pushed(9) == .lag)
    #expect(feed.pushed(8) == .write)
    feed.wrote(8)
    #expect(feed.pushed(8) == .skip)
    #expect(feed.pushed(9) == .write)
  }

  @Test("Feed.U2: without room a feed waits at its cursor, and reads on from there")
  func waits() {
    var feed = opened(at: 1)
    let next6 = feed.advance(head: 5, hasRoom: false)
    #expect(next6 == .wait)
    #expect(feed.state == .waiting && feed.cursor == 1)
    let next7 = feed.advance(head: 5, hasRoom: true)
    #expect(next7 == .read(after: 1))
  }

  @Test("Empty reads although there are events: the thread is asked, and the fourth time the log cannot be read")
  func emptyReads() {
    var feed = opened(at: 1)
    for _ in 1...3 {
      let next8 = feed.advance(head: 5, hasRoom: true)
      #expect(next8 == .read(after: 1))
      let next = feed.readEnded(isEmpty: true, head: 5)
      #expect(next.isReadable)
      let next9 = feed.advance(head: next.head, hasRoom: true)
      #expect(next9 == .goLive(cursor: 1))
    }
    let next10 = feed.readEnded(isEmpty: true, head: 5)
    #expect(!next10.isReadable)
    // A read that brings something begins the count anew.
    var other = opened(at: 1)
    for isEmpty in [true, true, true, false, true, true, true] {
      let next11 = other.readEnded(isEmpty: isEmpty, head: 5)
      #expect(next11.isReadable)
    }
  }

  @Test("A12: an agent that joins begins at the head that it is announced with")
  func joins() {
    var feed = Feed.joined(head: 9)
    let next12 = feed.advance(head: 9, hasRoom: true)
    #expect(next12 == .goLive(cursor: 9))
    #expect(feed.pushed(10) == .write)
  }
}
