import Synchronization
import Testing

@testable import HeddleStorage

@Suite final class ReadPoolTests {
  private final class Owner: Sendable {}

  /// Blocks its callers until it is opened.
  private final class Gate: Sendable {
    private let isOpen = Monitor(false)
    func wait() { isOpen.wait { $0 ? () : nil } }
    func open() { isOpen.change { $0 = true } }
  }

  /// Events of a test, in order.
  private final class Order: Sendable {
    private let names = Mutex<[String]>([])
    func add(_ name: String) { names.withLock { $0.append(name) } }
    var all: [String] { names.withLock { $0 } }
  }

  @Test("Those who wait take turns, each in the order in which it asked")
  func turns() {
    var queue = FairQueue<String, Int>()
    for number in 0..<200 { queue.add(number, of: "greedy") }
    queue.add(1_000, of: "modest")
    queue.add(2_000, of: "other")
    queue.add(1_001, of: "modest")
    var served: [Int] = []
    while let next = queue.next() { served.append(next) }
    #expect(Array(served.prefix(6)) == [0, 1_000, 2_000, 1, 1_001, 2])
    #expect(served.count == 203)
    #expect(served.filter { $0 < 1_000 } == Array(0..<200))
    queue.add(7, of: "greedy")
    #expect(queue.next() == 7)
    #expect(queue.next() == nil)
  }

  @Test(
    "attacks.md R12: a long read of one who asks for few comes behind one of those who ask for many, not behind all")
  func fair() throws {
    let handed = Mutex<[@Sendable () -> Void]>([])
    let pool = try ReadPool(.by { work in handed.withLock { $0.append(work) } })
    let (greedy, modest) = (Owner(), Owner())
    let order = Order()
    for number in 0..<100 { pool.submit(.long(ObjectIdentifier(greedy))) { order.add("greedy \(number)") } }
    pool.submit(.long(ObjectIdentifier(modest))) { order.add("modest") }
    for work in handed.withLock({ $0 }) { work() }
    #expect(Array(order.all.prefix(3)) == ["greedy 0", "modest", "greedy 1"])
    #expect(order.all.count == 101)
  }

  @Test("attacks.md R12: a short read is served while every thread of the long ones is busy and a thousand more wait")
  func lanes() async throws {
    let pool = try ReadPool(.threads)
    func done(_ lane: ReadLane, _ work: @escaping @Sendable () -> Void) async {
      await withCheckedContinuation { continuation in
        pool.submit(lane) {
          work()
          continuation.resume()
        }
      }
    }
    let order = Order()
    let gate = Gate()
    let owner = Owner()
    for _ in 0..<1_000 {
      pool.submit(.long(ObjectIdentifier(owner))) {
        gate.wait()
        order.add("long")
      }
    }
    await done(.short) { order.add("short") }
    #expect(order.all == ["short"])
    gate.open()
    await done(.long(ObjectIdentifier(owner))) { order.add("last") }
    // Another thread may still be at work on the one before it.
    pool.shutDown()
    #expect(order.all.count == 1_002)
  }
  @Test("Work that waits when the pool is shut down is done before that returns, later work at once")
  func shutDown() throws {
    let pool = try ReadPool(.threads)
    let order = Order()
    let gate = Gate()
    for number in 0..<100 {
      pool.submit {
        gate.wait()
        order.add("\(number)")
      }
    }
    gate.open()
    pool.shutDown()
    #expect(Set(order.all) == Set((0..<100).map { "\($0)" }))
    pool.submit { order.add("late") }
    #expect(order.all.last == "late")
    pool.shutDown()
  }

  @Test("The last reference to a pool may go on one of its own threads")
  func lastReference() async throws {
    final class Holder: Sendable { let pool = Mutex<ReadPool?>(nil) }
    let holder = Holder()
    holder.pool.withLock { $0 = try? ReadPool(.threads) }
    await withCheckedContinuation { continuation in
      let pool = holder.pool.withLock { $0 }
      pool?.submit {
        holder.pool.withLock { $0 = nil }
        continuation.resume()
      }
    }
  }
}
