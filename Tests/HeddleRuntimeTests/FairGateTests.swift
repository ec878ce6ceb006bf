import HeddleRuntime
import Synchronization
import Testing

@Suite struct FairGateTests {
  /// The order in which tenants were let in.
  private final class Order: Sendable {
    private let names = Mutex<[String]>([])
    func add(_ name: String) { names.withLock { $0.append(name) } }
    var all: [String] { names.withLock { $0 } }
  }

  /// Counts the requests that are inside.
  private final class Tally: Sendable {
    private let counts = Mutex([0, 0, 0])
    func enter() { counts.withLock { $0 = [$0[0] + 1, max($0[1], $0[0] + 1), $0[2]] } }
    func leave() { counts.withLock { $0 = [$0[0] - 1, $0[1], $0[2] + 1] } }
    /// Inside now, inside at most, served.
    var all: [Int] { counts.withLock { $0 } }
  }

  /// Waits for a state, with a deadline.
  private func until(_ what: String, _ reached: () -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while !reached() {
      try #require(ContinuousClock.now < deadline, "\(what) never came")
      await Task.yield()
    }
  }

  /// Queues an entry and returns once it stands in its place.
  private func queue(_ gate: FairGate, _ tenant: String, _ name: String, _ order: Order) async throws -> Task<
    Void, any Error
  > {
    let before = gate.waiting
    let task = Task {
      try await gate.enter(tenant: tenant) {}
      order.add(name)
    }
    try await until("\(name) in the queue") { gate.waiting == before + 1 }
    return task
  }

  @Test("G1: as many are inside as the limit allows; the next one waits and says so")
  func limit() async throws {
    let gate = FairGate(limit: 2)
    let told = Mutex(0)
    for _ in 0..<2 { try await gate.enter(tenant: "a") { told.withLock { $0 += 1 } } }
    #expect((gate.running, gate.waiting, told.withLock { $0 }) == (2, 0, 0))
    let third = Task { try await gate.enter(tenant: "a") { told.withLock { $0 += 1 } } }
    try await until("a waiter") { gate.waiting == 1 && told.withLock { $0 } == 1 }
    gate.leave()
    try await third.value
    #expect((gate.running, gate.waiting) == (2, 0))
  }

  @Test("G1: a limit of 0 is none")
  func noLimit() async throws {
    let gate = FairGate(limit: 0)
    for _ in 0..<1_000 { try await gate.enter(tenant: "a") { Issue.record("nobody waits") } }
    #expect(gate.running == 1_000)
    for _ in 0..<1_000 { gate.leave() }
    #expect(gate.running == 0)
  }

  @Test("G2: within a tenant, who came first is let in first")
  func firstComeFirstServed() async throws {
    let gate = FairGate(limit: 1)
    let order = Order()
    try await gate.enter(tenant: "a") {}
    var tasks: [Task<Void, any Error>] = []
    for number in 1...5 { tasks.append(try await queue(gate, "a", "\(number)", order)) }
    for task in tasks {
      gate.leave()
      try await task.value
    }
    #expect(order.all == ["1", "2", "3", "4", "5"])
  }

  @Test("G2: tenants take turns, however many of one wait")
  func roundRobin() async throws {
    let gate = FairGate(limit: 1)
    let order = Order()
    try await gate.enter(tenant: "x") {}
    var tasks: [Task<Void, any Error>] = []
    for (tenant, name) in [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1"), ("b", "b2")] {
      tasks.append(try await queue(gate, tenant, name, order))
    }
    for count in 1...tasks.count {
      gate.leave()
      try await until("number \(count)") { order.all.count == count }
    }
    #expect(order.all == ["a1", "b1", "c1", "a2", "b2", "a3"])
    for task in tasks { try await task.value }
  }

  @Test("G3: a waiter that is cancelled leaves at once, takes no slot, and lets those behind it through")
  func cancelled() async throws {
    let gate = FairGate(limit: 1)
    let order = Order()
    try await gate.enter(tenant: "a") {}
    let first = try await queue(gate, "a", "first", order)
    let second = try await queue(gate, "a", "second", order)
    let other = try await queue(gate, "b", "other", order)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    #expect((gate.running, gate.waiting) == (1, 2))
    for (task, count) in [(second, 1), (other, 2)] {
      gate.leave()
      try await task.value
      #expect(order.all.count == count)
    }
    gate.leave()
    #expect((gate.running, gate.waiting) == (0, 0))
    #expect(order.all == ["second", "other"])
  }

  @Test("G3: a task that was cancelled before does not enter, even where there is room")
  func cancelledBefore() async throws {
    let gate = FairGate(limit: 1)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await gate.enter(tenant: "a") {}
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect((gate.running, gate.waiting) == (0, 0))
  }

  @Test("G3: who is cancelled while it tells that it waits takes no slot either")
  func cancelledWhileTelling() async throws {
    let gate = FairGate(limit: 1)
    try await gate.enter(tenant: "a") {}
    let task = Task {
      try await gate.enter(tenant: "b") { while !Task.isCancelled { await Task.yield() } }
    }
    try await until("a waiter") { gate.waiting == 1 }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect((gate.running, gate.waiting) == (1, 0))
  }

  @Test("A slot that is given back while its next holder still tells that it waits is that one's")
  func admittedWhileTelling() async throws {
    let gate = FairGate(limit: 1)
    try await gate.enter(tenant: "a") {}
    try await gate.enter(tenant: "b") { gate.leave() }
    #expect((gate.running, gate.waiting) == (1, 0))
    gate.leave()
    gate.leave()
    #expect(gate.running == 0)
  }

  @Test("G1 to G3 hold while many tasks of many tenants come, go and are cancelled")
  func storm() async throws {
    let gate = FairGate(limit: 3)
    let tally = Tally()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<600 {
        group.addTask {
          let task = Task {
            try await gate.enter(tenant: "t\(number % 7)") { await Task.yield() }
            tally.enter()
            for _ in 0..<(number % 5) { await Task.yield() }
            tally.leave()
            gate.leave()
          }
          if number % 4 == 0 {
            for _ in 0..<(number % 11) { await Task.yield() }
            task.cancel()
          }
          _ = await task.result
        }
      }
    }
    #expect((gate.running, gate.waiting) == (0, 0))
    #expect(tally.all[0] == 0)
    #expect(tally.all[1] <= 3)
    #expect(tally.all[2] >= 450)
  }
}
