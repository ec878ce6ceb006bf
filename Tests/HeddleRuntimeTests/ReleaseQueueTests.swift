import HeddleCore
import HeddleStorage
import Testing

@testable import HeddleRuntime

/// ReleaseQueue.N2: nothing leaves a thread before the disk has what it tells of.
@Suite struct ReleaseQueueTests {
  private var queue = ReleaseQueue(startsAt: 10)
  private var spare = SpareRooms()

  /// Holds effects with these names after an event, as one decision. Returns where they begin.
  private mutating func decide(_ names: String..., after event: UInt64) -> Int {
    let mark = queue.begin(&spare)
    for name in names { queue.hold(.endClientCall(name), after: event) }
    return mark
  }

  /// The names of all that may leave now.
  private mutating func release() -> [String] {
    var names: [String] = []
    while let release = queue.next() { names.append(Self.name(release)) }
    queue.end(&spare)
    return names
  }

  private static func name(_ release: Release) -> String {
    switch release {
    case .endClientCall(let name): name
    case .event(let event): "event \(event.sequence)"
    default: "?"
    }
  }

  private static func event(_ sequence: UInt64) -> Release {
    .event(StoredEvent(sequence: sequence, kind: 1, ordinal: 0, at: 0, payload: []))
  }

  @Test("An effect that waits for an event on disk leaves at once; one for a later event when that is synced")
  mutating func afterEvent() {
    _ = decide("now", after: 10)
    #expect(release() == ["now"])
    let mark = decide("a", "b", after: 11)
    let write = queue.submit(upTo: 11, from: mark)
    #expect(release() == [] && queue.isWriting)
    queue.synced(11, write: write)
    #expect(release() == ["a", "b"] && !queue.isWriting)
    #expect(queue.durable == 11 && queue.submitted == 11)
  }

  @Test("An effect waits for the write that it was decided with, although that holds no event")
  mutating func afterWrite() {
    let mark = decide("answer", after: 10)
    let write = queue.submit(upTo: 10, from: mark)
    #expect(release() == [])
    queue.synced(10, write: write)
    #expect(release() == ["answer"])
  }

  @Test("No effect leaves before the one in front of it, although what it waits for is on disk")
  mutating func order() {
    let mark = decide("first", after: 11)
    let write = queue.submit(upTo: 11, from: mark)
    _ = decide("second", after: 10)
    #expect(release() == [])
    queue.synced(11, write: write)
    #expect(release() == ["first", "second"])
  }

  @Test("Writes that are synced out of order release nothing before those in front of them")
  mutating func syncedEarly() {
    var writes: [UInt64] = []
    for (name, sequence) in [("a", 11), ("b", 12), ("c", 13)] as [(String, UInt64)] {
      let mark = decide(name, after: sequence)
      writes.append(queue.submit(upTo: sequence, from: mark))
    }
    queue.synced(13, write: writes[2])
    #expect(release() == [] && queue.isWriting)
    queue.synced(11, write: writes[0])
    #expect(release() == ["a"] && queue.isWriting)
    queue.synced(12, write: writes[1])
    #expect(release() == ["b", "c"] && !queue.isWriting)
  }

  @Test("An ephemeral thread waits for no disk")
  mutating func ephemeral() {
    _ = decide("a", after: 11)
    #expect(release() == [])
    queue.keep(upTo: 11)
    #expect(release() == ["a"] && queue.durable == 11 && !queue.isWriting)
  }

  @Test("The released head is the event before the first that waits; a reader may be ahead of it by what was submitted")
  mutating func head() {
    #expect(queue.releasedHead == 10 && !queue.isAboutToRelease(10) && !queue.isAboutToRelease(11))
    let mark = queue.begin(&spare)
    queue.hold(Self.event(11), after: 11)
    queue.hold(Self.event(12), after: 12)
    let write = queue.submit(upTo: 12, from: mark)
    #expect(queue.releasedHead == 10)
    #expect(queue.isAboutToRelease(11) && queue.isAboutToRelease(12))
    #expect(!queue.isAboutToRelease(10) && !queue.isAboutToRelease(13))
    queue.synced(12, write: write)
    #expect(queue.next().map(Self.name) == "event 11" && queue.releasedHead == 11)
    #expect(release() == ["event 12"] && queue.releasedHead == 12)
  }

  @Test("What waits can be taken over; nothing of it leaves afterwards")
  mutating func takeAll() {
    _ = decide("gone", after: 10)
    let mark = decide("a", "b", after: 11)
    let write = queue.submit(upTo: 11, from: mark)
    #expect(queue.next().map(Self.name) == "gone")
    #expect(queue.waiting.map(Self.name) == ["a", "b"])
    #expect(queue.takeAll().map(Self.name) == ["a", "b"])
    queue.synced(11, write: write)
    #expect(release() == [] && queue.takeAll().isEmpty)
  }

  @Test("The room of a queue that is empty goes back, for the next one; what a large batch took does not")
  mutating func room() {
    _ = decide("a", after: 10)
    #expect(spare.count == 0)
    #expect(release() == ["a"] && spare.count == 1)
    _ = queue.begin(&spare)
    #expect(spare.count == 0)
    for _ in 0..<1_000 { queue.hold(.wantTurn, after: 10) }
    #expect(release().count == 1_000 && spare.count == 0)
    let mark = decide("waits", after: 11)
    _ = queue.submit(upTo: 11, from: mark)
    #expect(release() == [] && spare.count == 0)
  }
}
