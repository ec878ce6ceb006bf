import Dispatch
import Foundation
import HeddleStorage
import Synchronization
import Testing

@testable import HeddleRuntime

@Suite final class ReadPoolTests {
  private final class Owner: Sendable {}

  /// Opens when it is told to.
  private final class Gate: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func wait() {
      semaphore.wait()
      semaphore.signal()
    }
    func open() { semaphore.signal() }
  }

  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("heddle-reads-\(UUID())").path
  private let store: SQLiteStore

  init() throws { store = try SQLiteStore(folder: folder) }

  deinit {
    store.close()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// What happened, in order.
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

  @Test("R12: a long read of one who asks for few comes behind one of those who ask for many, not behind all")
  func fair() {
    let handed = Mutex<[@Sendable () -> Void]>([])
    let pool = ReadPool(store: store, .by { work in handed.withLock { $0.append(work) } })
    let (greedy, modest) = (Owner(), Owner())
    let order = Order()
    for number in 0..<100 { pool.submit(.long(ObjectIdentifier(greedy))) { order.add("greedy \(number)") } }
    pool.submit(.long(ObjectIdentifier(modest))) { order.add("modest") }
    for work in handed.withLock({ $0 }) { work() }
    #expect(Array(order.all.prefix(3)) == ["greedy 0", "modest", "greedy 1"])
    #expect(order.all.count == 101)
  }

  @Test("R12: a short read is served while every thread of the long ones is busy and a thousand more wait")
  func lanes() async throws {
    let pool = ReadPool(store: store, .threads)
    let order = Order()
    let gate = Gate()
    let owner = Owner()
    for _ in 0..<1_000 {
      pool.submit(.long(ObjectIdentifier(owner))) {
        gate.wait()
        order.add("long")
      }
    }
    try await pool.run { _, _ in order.add("short") }
    #expect(order.all == ["short"])
    gate.open()
    try await pool.run(.long(ObjectIdentifier(owner))) { _, _ in order.add("last") }
    #expect(order.all.count >= 1_001)
    try await pool.shutDown()
  }
}
