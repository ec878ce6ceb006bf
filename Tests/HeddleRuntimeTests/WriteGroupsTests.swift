import HeddleCore
import HeddleStorage
import Testing

@testable import HeddleRuntime

/// durability.md D1 and D2, from the side of what decides: how the writes of a loop are grouped, and retried when a group
/// is refused.
@Suite struct WriteGroupsTests {
  /// A thread that writes. `source`: what it rests on.
  private final class Writer: GroupedWriter {
    let name: String
    let source: Writer?
    private(set) var synced: [UInt64] = []
    private var dropped: Refusal?

    init(_ name: String, on source: Writer? = nil) {
      self.name = name
      self.source = source
    }

    var failure: Refusal? { dropped ?? source?.failure }
    func synced(_ sequence: UInt64, write: UInt64) { synced.append(write) }
    func drop(_ refusal: Refusal) { if dropped == nil { dropped = refusal } }
  }

  /// A loop and a store that do nothing by themselves, and a log of what they were asked.
  private final class Loop: WriteGroupsOwner {
    private(set) lazy var groups = WriteGroups(owner: self, most: 4)
    private(set) var submitted: [[String]] = []
    private(set) var flushes = 0
    private(set) var log: [String] = []

    func submit(_ mutations: [Mutation], group: Int) {
      #expect(group == submitted.count + 1)
      submitted.append(mutations.map { $0.writes.map(Self.name).joined(separator: "+") })
    }

    func flushLater() { flushes += 1 }
    func drop(_ writer: Writer, _ refusal: Refusal) {
      guard writer.failure == nil || writer.source?.failure != nil else { return }
      log.append("drop \(writer.name)")
      writer.drop(refusal)
    }
    func storeFailed(_ error: StoreError) { log.append("store \(error)") }
    func notify(_ waiter: String, _ failure: Refusal?) {
      log.append("\(waiter): \(failure.map { "\($0.reason)" } ?? "done")")
    }

    private static func name(_ write: StoreWrite) -> String {
      switch write {
      case .feature(let name, _): name
      case .thread: "row"
      case .snapshot: "snapshot"
      case .events(_, let events) where events.isEmpty: "no events"
      default: "?"
      }
    }

    /// Queues a write with this name.
    func write(_ name: String, _ writer: Writer, _ number: UInt64 = 1) {
      groups.queue(Mutation([.feature(name, nil)]), from: writer, upTo: number, write: number)
    }

    func takeLog() -> [String] {
      defer { log = [] }
      return log
    }
  }

  private let loop = Loop()
  private let a = Writer("a")
  private let b = Writer("b")
  private let c = Writer("c")
  private let conflict = StoreError.conflict("one of them")

  @Test("G1: what is decided in one go is one group, in its order; a long one is handed over in pieces")
  func order() {
    for name in ["1", "2", "3"] { loop.write(name, a) }
    #expect(loop.submitted == [] && loop.flushes == 1)
    loop.groups.flush()
    #expect(loop.submitted == [["1", "2", "3"]])
    loop.groups.flush()
    #expect(loop.submitted.count == 1)
    for name in ["4", "5", "6", "7", "8"] { loop.write(name, b) }
    #expect(loop.submitted == [["1", "2", "3"], ["4", "5", "6", "7"]])
    loop.groups.flush()
    #expect(loop.submitted.last == ["8"])
  }

  @Test("Writers are told what is synced, and only when it is")
  func synced() {
    loop.write("1", a, 1)
    loop.write("2", a, 2)
    loop.groups.flush()
    loop.write("3", b, 1)
    loop.groups.flush()
    #expect(a.synced == [] && b.synced == [])
    #expect(loop.groups.ended(1, .success(())) == 2)
    #expect(a.synced == [1, 2] && b.synced == [])
    #expect(loop.groups.ended(2, .success(())) == 1)
    #expect(b.synced == [1])
    #expect(loop.groups.ended(2, .success(())) == 0)
    #expect(b.synced == [1] && loop.log == [])
  }

  @Test("G2: a group that breaks a promise is retried write by write; the one at fault fails by itself")
  func retry() {
    loop.write("1", a)
    loop.write("2", b)
    loop.write("3", c)
    loop.groups.flush()
    loop.groups.ended(1, .failure(conflict))
    #expect(loop.submitted.dropFirst() == [["1"], ["2"], ["3"]])
    #expect(loop.log == [])
    loop.groups.ended(2, .success(()))
    loop.groups.ended(3, .failure(conflict))
    loop.groups.ended(4, .success(()))
    #expect(a.synced == [1] && b.synced == [] && c.synced == [1])
    #expect(loop.log == ["store \(conflict)", "drop b"])
    #expect(loop.submitted.count == 4)
  }

  @Test("G2: what was submitted behind a refused group is refused with it, and is retried behind its retries")
  func behind() {
    loop.write("1", a, 1)
    loop.groups.flush()
    loop.write("2", a, 2)
    loop.groups.flush()
    loop.groups.ended(1, .failure(.unreadable("busy")))
    loop.groups.ended(2, .failure(conflict))
    #expect(loop.submitted == [["1"], ["2"], ["1"], ["2"]])
    loop.groups.ended(3, .success(()))
    loop.groups.ended(4, .success(()))
    #expect(a.synced == [1, 2] && loop.log == [])
  }

  @Test("G2: what is decided while a retry waits is submitted after it, and does not overtake what was refused")
  func later() {
    loop.write("1", a, 1)
    loop.groups.flush()
    loop.write("2", a, 2)
    loop.groups.flush()
    loop.groups.ended(1, .failure(.unreadable("busy")))
    for number in 3...9 { loop.write("\(number)", a, UInt64(number)) }
    loop.groups.flush()
    #expect(loop.submitted == [["1"], ["2"]])
    loop.groups.ended(2, .failure(conflict))
    #expect(loop.submitted.dropFirst(2) == [["1"], ["2"], ["3", "4", "5", "6", "7", "8", "9"]])
    for group in 3...5 { loop.groups.ended(group, .success(())) }
    #expect(a.synced == [1, 2, 3, 4, 5, 6, 7, 8, 9] && loop.log == [])
    loop.write("10", a, 10)
    loop.groups.flush()
    #expect(loop.submitted.last == ["10"])
  }

  private static func row(_ number: UInt64) -> ThreadRow {
    let id = ThreadID(high: 0, low: number)
    return ThreadRow(id: id, tenant: "t", epoch: 1, root: id, source: .client, createdAt: 1, updatedAt: 1)
  }

  @Test("G2: a refused write without an event is overtaken by a later one that succeeds; it does not take the row back")
  func overtaken() {
    let row = Self.row(1)
    let other = Self.row(2)
    func write(_ name: String, _ row: ThreadRow, _ writer: Writer, _ number: UInt64) {
      let writes: [StoreWrite] = [.feature(name, nil), .thread(row), .snapshot(row.id, sequence: 1, [])]
      loop.groups.queue(Mutation(writes), from: writer, upTo: number, write: number)
    }
    write("1", row, a, 1)
    write("2", other, b, 1)
    loop.groups.flush()
    write("3", row, a, 2)
    loop.groups.flush()
    loop.groups.ended(1, .failure(.unreadable("busy")))
    loop.groups.ended(2, .success(()))
    #expect(loop.submitted.dropFirst(2) == [["1+no events"], ["2+row+snapshot"]])
    loop.groups.ended(3, .success(()))
    loop.groups.ended(4, .success(()))
    #expect(a.synced == [2, 1] && b.synced == [1] && loop.log == [])
  }

  @Test("G2, G4: whoever waits for a thread to be settled, or for a group, waits for the retry that waits")
  func waitingForARetryThatWaits() {
    let thread = ThreadID(high: 0, low: 1)
    loop.write("1", a)
    loop.groups.flush()
    loop.groups.wait("waiter")
    loop.groups.unsettle(thread)
    loop.write("2", b)
    loop.groups.flush()
    loop.groups.ended(1, .failure(conflict))
    #expect(loop.groups.waitUntilSettled(thread, "load"))
    #expect(loop.log == [])
    loop.groups.ended(2, .success(()))
    #expect(loop.log == [] && loop.submitted.last == ["1"])
    loop.groups.ended(3, .success(()))
    #expect(loop.log == ["waiter: done", "load: done"])
  }

  @Test("G3: after a write of a thread has failed, no other one is retried, nor one that rests on it")
  func dependents() {
    let fork = Writer("fork", on: a)
    loop.write("1", a, 1)
    loop.groups.flush()
    loop.write("2", a, 2)
    loop.write("3", fork)
    loop.write("4", b)
    loop.groups.flush()
    loop.groups.ended(1, .failure(conflict))
    loop.groups.ended(2, .failure(conflict))
    // Nothing had failed by then: all of it is retried.
    #expect(loop.submitted.dropFirst(2) == [["1"], ["2"], ["3"], ["4"]])
    loop.groups.ended(3, .failure(conflict))
    #expect(loop.takeLog() == ["store \(conflict)", "drop a"])
    // What follows a write that failed is refused as a matter of course.
    loop.groups.ended(4, .failure(conflict))
    loop.groups.ended(5, .failure(conflict))
    #expect(loop.takeLog() == ["drop fork"])
    loop.write("5", fork, 2)
    loop.write("6", b, 2)
    loop.groups.flush()
    loop.groups.ended(6, .success(()))
    loop.groups.ended(7, .failure(conflict))
    #expect(loop.submitted.last == ["6"] && loop.submitted.count == 8)
    loop.groups.ended(8, .success(()))
    #expect(b.synced == [1, 2] && fork.synced == [])
  }

  @Test("An atomic group is one mutation; one within another is part of it, and an empty one is none")
  func atomicGroup() {
    loop.write("1", a)
    loop.groups.atomically {
      loop.write("2", a, 2)
      loop.groups.atomically { loop.write("3", b) }
    }
    loop.groups.atomically {}
    loop.write("4", c)
    loop.groups.flush()
    #expect(loop.submitted == [["1", "2+3", "4"]])
    loop.groups.ended(1, .success(()))
    #expect(a.synced == [1, 2] && b.synced == [1] && c.synced == [1])
  }

  @Test("G3: an atomic group that fails does so for all its threads, and with it what each of them has decided besides")
  func atomicGroupFails() {
    loop.groups.atomically {
      loop.write("1", a)
      loop.write("2", b)
    }
    loop.groups.flush()
    loop.write("3", b, 2)
    loop.write("4", c)
    loop.groups.flush()
    loop.groups.ended(1, .failure(conflict))
    #expect(loop.submitted.count == 2)
    loop.groups.ended(2, .failure(conflict))
    #expect(loop.submitted.dropFirst(2) == [["1+2"], ["3"], ["4"]])
    loop.groups.ended(3, .failure(conflict))
    #expect(loop.takeLog() == ["store \(conflict)", "drop a", "drop b"])
    loop.groups.ended(4, .failure(conflict))
    loop.groups.ended(5, .success(()))
    #expect(loop.log == [] && c.synced == [1])
  }

  @Test("A full or failed disk is nobody's fault: nothing is retried, and all of the group is dropped")
  func disk() {
    for error in [StoreError.diskFull, .failed("EIO")] {
      let loop = Loop()
      let writers = [Writer("a"), Writer("b")]
      for writer in writers { loop.write("1", writer) }
      loop.groups.flush()
      loop.groups.ended(1, .failure(error))
      #expect(loop.log == ["store \(error)", "drop a", "drop b"])
      #expect(loop.submitted.count == 1)
    }
  }

  @Test("G4: a waiter is notified when all that was decided before it is done, at once when nothing is on its way")
  func waiting() {
    loop.groups.wait("first")
    #expect(loop.takeLog() == ["first: done"])
    loop.write("1", a)
    loop.groups.wait("second")
    loop.groups.flush()
    loop.write("2", b)
    loop.groups.flush()
    loop.groups.wait("third")
    #expect(loop.log == [])
    loop.groups.ended(1, .success(()))
    #expect(loop.takeLog() == ["second: done"])
    loop.groups.ended(2, .success(()))
    #expect(loop.log == ["third: done"])
  }

  @Test("G4: a waiter waits for the retries too, and is given the first failure")
  func waitingForRetries() {
    loop.write("1", a)
    loop.write("2", b)
    loop.groups.wait("waiter")
    loop.groups.flush()
    loop.groups.ended(1, .failure(conflict))
    #expect(loop.log == [])
    loop.groups.ended(2, .failure(.damaged(thread: ThreadID(), sequence: 0)))
    loop.groups.wait("late")
    #expect(loop.takeLog() == ["store \(StoreError.damaged(thread: ThreadID(), sequence: 0))", "drop a"])
    loop.groups.ended(3, .success(()))
    #expect(loop.log == ["waiter: \(Reason.dataLoss)", "late: done"])
  }

  @Test("A thread whose write failed is settled when the groups are done that may hold more of its writes")
  func settled() {
    let thread = ThreadID(high: 0, low: 1)
    #expect(!loop.groups.waitUntilSettled(thread, "none"))
    loop.write("1", a)
    loop.groups.flush()
    loop.write("2", b)
    loop.groups.unsettle(thread)
    #expect(loop.groups.waitUntilSettled(thread, "load"))
    loop.groups.flush()
    loop.groups.ended(1, .success(()))
    #expect(loop.log == [])
    loop.groups.ended(2, .success(()))
    #expect(loop.log == ["load: done"])
    loop.groups.unsettle(thread)
    #expect(!loop.groups.waitUntilSettled(thread, "again"))
  }
}
