import HeddleCore
import Testing

@testable import HeddleRuntime

/// attacks.md R19: which thread is unloaded first.
@Suite struct IdleOrderTests {
  private func entry(_ number: UInt64) -> IdleOrder.Entry {
    IdleOrder.Entry(thread: ThreadID(high: 0, low: number), session: number, seen: 0)
  }

  @Test("What was put in first comes out first, however long the queue and however often it is put back")
  func order() {
    var order = IdleOrder()
    #expect(order.next() == nil && order.count == 0)
    for number: UInt64 in 0..<1_000 { order.add(entry(number)) }
    for number: UInt64 in 0..<500 {
      #expect(order.next() == entry(number))
      order.add(entry(1_000 + number))
    }
    #expect(order.count == 1_000)
    for number: UInt64 in 500..<1_500 { #expect(order.next() == entry(number)) }
    #expect(order.next() == nil && order.count == 0)
  }

  @Test("Entries of threads that are gone do not pile up")
  func tidy() {
    var order = IdleOrder()
    var most = 0
    for number: UInt64 in 0..<100_000 {
      order.add(entry(number))
      order.tidy(loaded: 10) { $0.session + 10 > number }
      most = max(most, order.count)
    }
    #expect(most <= 85 && order.count >= 10)
    var last: IdleOrder.Entry?
    while let next = order.next() { last = next }
    #expect(last == entry(99_999))
  }
}
