import Synchronization
import Testing

@testable import HeddleService

@Suite struct ReceiveBudgetTests {
  private final class Owner: Sendable {}
  private let one = Owner(), two = Owner()

  private func mayRead(_ frames: ReceiveBudget, _ owner: Owner) -> Bool {
    frames.mayRead(ObjectIdentifier(owner)) {}
  }

  private func hold(_ frames: ReceiveBudget, _ owner: Owner, _ bytes: Int) {
    frames.hold(ObjectIdentifier(owner), bytes: bytes)
  }

  @Test("attacks.md R13: what each connection's next read may bring is taken off the budget before it comes")
  func reserved() {
    let frames = ReceiveBudget(limit: 1_000, readBytes: 100)
    for _ in 0..<5 { frames.opened() }
    hold(frames, one, 300)
    hold(frames, two, 200)
    #expect(mayRead(frames, two), "500 held and 500 that five reads may bring are the budget")
    hold(frames, two, 201)
    #expect(!mayRead(frames, two))
    #expect(mayRead(frames, one), "the oldest is always read")
    for _ in 0..<5 { frames.closed() }
    #expect(mayRead(frames, two))
  }

  @Test("attacks.md R13: however many connections there are, a quarter of the budget is left")
  func quarter() {
    let frames = ReceiveBudget(limit: 1_000, readBytes: 100)
    for _ in 0..<1_000 { frames.opened() }
    hold(frames, one, 1)
    hold(frames, two, 249)
    #expect(mayRead(frames, two))
    hold(frames, two, 250)
    #expect(!mayRead(frames, two))
  }

  @Test("attacks.md R13: whoever was held back is told when there is room")
  func woken() {
    let frames = ReceiveBudget(limit: 1_000, readBytes: 100)
    let count = Mutex(0)
    hold(frames, one, 800)
    hold(frames, two, 300)
    #expect(!frames.mayRead(ObjectIdentifier(two)) { count.withLock { $0 += 1 } })
    hold(frames, one, 0)
    #expect(count.withLock { $0 } == 1)
  }

  @Test("attacks.md R13: as many are told as there is room for, those first that have waited longest")
  func wokenInTurn() {
    let frames = ReceiveBudget(limit: 1_000, readBytes: 100)
    let owners = (0..<6).map { _ in Owner() }
    let told = Mutex<[Int]>([])
    hold(frames, one, 500)
    for (number, owner) in owners.enumerated() { hold(frames, owner, 100 + number) }
    for (number, owner) in owners.enumerated() {
      #expect(!frames.mayRead(ObjectIdentifier(owner)) { told.withLock { $0.append(number) } })
    }
    hold(frames, one, 100)
    #expect(told.withLock { $0 } == [0, 1])
    hold(frames, one, 0)
    #expect(told.withLock { $0 } == [0, 1, 2, 3, 4])
  }
}
