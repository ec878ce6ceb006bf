import Synchronization
import Testing

@testable import HeddleRuntime

@Suite struct WriteBacklogTests {
  private final class Woken: Sendable {
    private let number = Atomic<Int>(0)
    var count: Int { number.load(ordering: .relaxed) }
    func wake() { number.add(1, ordering: .relaxed) }
  }

  @Test("D11: beyond the limit it is full; who waits is woken once, when half of it is written")
  func woken() {
    let backlog = WriteBacklog(limit: 100)
    backlog.add(100)
    #expect(!backlog.isFull)
    backlog.add(1)
    #expect(backlog.isFull)
    let woken = Woken()
    backlog.whenThereIsRoom { woken.wake() }
    backlog.take(off: 50)
    #expect(woken.count == 0)
    backlog.take(off: 1)
    #expect(woken.count == 1)
    backlog.take(off: 50)
    #expect(woken.count == 1)
  }

  @Test("D11: who comes when it has been written already is woken at once")
  func atOnce() {
    let woken = Woken()
    WriteBacklog(limit: 100).whenThereIsRoom { woken.wake() }
    #expect(woken.count == 1)
  }

  @Test("D11: without a limit it is never full")
  func unlimited() {
    let backlog = WriteBacklog(limit: 0)
    backlog.add(.max / 2)
    #expect(!backlog.isFull)
  }

  @Test("D11: nobody waits for ever, however writes end and others come to wait")
  func nobodyIsForgotten() async {
    let backlog = WriteBacklog(limit: 10)
    let woken = Woken()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<5_000 {
            backlog.add(3)
            backlog.whenThereIsRoom { woken.wake() }
            backlog.take(off: 3)
          }
        }
      }
    }
    #expect(woken.count == 20_000)
  }
}
