import HeddleCore
import Synchronization
import Testing

@testable import HeddleRuntime

/// attacks.md R18: the turns that a tenant may run at once.
@Suite struct TurnPermitsTests {
  private final class Calls: Sendable {
    private let threads = Mutex<[ThreadID]>([])
    func add(_ thread: ThreadID) { threads.withLock { $0.append(thread) } }
    var all: [ThreadID] { threads.withLock { $0 } }
  }

  private let calls = Calls()

  private func waiter(_ number: UInt64) -> TurnPermits.Waiter {
    let thread = ThreadID(high: 0, low: number)
    return (thread, { [calls] in calls.add(thread) })
  }

  private func thread(_ number: UInt64) -> ThreadID { ThreadID(high: 0, low: number) }

  @Test("P1: so many as may, no more, however many ask at once; each tenant has its own; 0 is no limit")
  func limit() async {
    let permits = TurnPermits()
    let taken = await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<200 { group.addTask { permits.take("a", limit: 7) } }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(taken == 7)
    #expect(permits.take("b", limit: 1) && !permits.take("b", limit: 1))
    permits.giveBack("a")
    #expect(permits.take("a", limit: 7) && !permits.take("a", limit: 7))
    for _ in 0..<100 { #expect(permits.take("c", limit: 0)) }
    permits.add("b")
    permits.giveBack("b")
    #expect(!permits.take("b", limit: 1))
    permits.giveBack("b")
    #expect(permits.take("b", limit: 1))
  }

  @Test("P2: who waits is called once, in turn, one for each permit that is given back")
  func waiting() {
    let permits = TurnPermits()
    #expect(permits.take("a", limit: 1, orWait: waiter(9)))
    for number: UInt64 in [1, 2, 1, 3] { #expect(!permits.take("a", limit: 1, orWait: waiter(number))) }
    #expect(calls.all == [])
    permits.giveBack("a")
    #expect(calls.all == [thread(1)])
    #expect(permits.take("a", limit: 1))
    #expect(!permits.take("a", limit: 1, orWait: waiter(1)))
    permits.giveBack("a")
    permits.passOn("a")
    permits.passOn("a")
    permits.passOn("a")
    #expect(calls.all == [thread(1), thread(2), thread(3), thread(1)])
    #expect(permits.take("a", limit: 1))
  }
}
