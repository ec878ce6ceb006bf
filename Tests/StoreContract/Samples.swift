// Values for tests of a store: short ways to make threads and events, and waiting for a completion without sleeping.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import Synchronization

/// Blocks its callers until it is opened.
public final class Gate: Sendable {
  private let isOpen = Monitor(false)
  public init() {}
  public func open() { isOpen.change { $0 = true } }
  public func wait() { isOpen.wait { $0 ? () : nil } }
}

/// Remembers in which order things happened.
public final class Recorder<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])
  public init() {}
  public func add(_ element: Element) { elements.withLock { $0.append(element) } }
  public var all: [Element] { elements.withLock { $0 } }
}

extension Store {
  public func submit(_ mutations: [Mutation], completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    submit(mutations, lane: WriteLane(0), completion: completion)
  }

  /// Submits and waits for the completion.
  public func write(_ mutations: [Mutation]) async throws { try await submit(mutations, lane: WriteLane(0)) }

  public func write(_ writes: StoreWrite...) async throws { try await write([Mutation(writes)]) }
}

extension StoreReader {
  public func allEvents(_ thread: ThreadID) throws -> [StoredEvent] {
    try events(thread, after: 0, limit: .max, bytes: .max)
  }
}

public func threadID(_ number: UInt64) -> ThreadID { ThreadID(high: 7, low: number) }
public func turnID(_ number: UInt64) -> TurnID { TurnID(high: 8, low: number) }

/// A well-formed event: a name change, which every test may read as a label.
public func event(_ sequence: UInt64, _ name: String = "", kind: Event.Kind? = nil, ordinal: UInt64 = 0) -> StoredEvent
{
  var codec = Codec()
  let kind = kind ?? .nameChanged(NameChanged(name: name))
  let number: UInt8 =
    switch kind {
    case .turnEnded: 25
    case .itemCheckpoint: 21
    default: 13
    }
  return StoredEvent(
    sequence: sequence, kind: number, ordinal: ordinal, at: 1_000 + Int64(sequence),
    payload: codec.encode(Event(sequence: sequence, at: 1_000 + Int64(sequence), kind: kind)))
}

public func events(_ range: ClosedRange<UInt64>, _ name: String = "") -> [StoredEvent] { range.map { event($0, name) } }

public func row(
  _ id: ThreadID, sequence: UInt64, tenant: String = "t", segments: [HistorySegment] = [], name: String = "",
  createdAt: Int64 = 1_000
) -> ThreadRow {
  ThreadRow(
    id: id, tenant: tenant, epoch: .max, root: id, source: .client, createdAt: createdAt, updatedAt: createdAt,
    name: name, sequence: sequence, segments: segments)
}

/// A thread with `count` events as one mutation.
public func newThread(_ id: ThreadID, _ count: UInt64, _ name: String = "") -> Mutation {
  Mutation([.events(id, events(1...count, name)), .thread(row(id, sequence: count))])
}

public func snapshot(_ id: ThreadID, _ sequence: UInt64) -> [UInt8] {
  var codec = Codec()
  var record = ThreadRecord()
  (record.id, record.sequence) = (id, sequence)
  return codec.encode(record)
}

/// A well-formed turn; turns differ by their mark.
public func turnBytes(_ mark: UInt8) -> [UInt8] {
  var codec = Codec()
  return codec.encode(Turn(ordinal: UInt64(mark)))
}

public func keyRecord(_ number: UInt64, thread: ThreadID?, tenant: String = "t") -> KeyRecord {
  KeyRecord(
    tenant: tenant, key: IdempotencyKey(high: 9, low: number), method: 513,
    requestHash: [UInt8](repeating: 1, count: 32), thread: thread, response: [1, 2, 3], at: 5)
}
