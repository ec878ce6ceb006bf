// The contract of a store of events: protocols with numbered promises; every implementation passes the same contract tests.
//
// P1  A completion is called with success only after every write of its mutation has reached the disk (durability.md D1).
// P2  Mutations of one lane are applied in the order of `submit`, those of one call whole or not at all; completions of
//     one lane come in that order too.
// P3  A mutation whose group failed has left nothing behind; the error says whether the disk was full (D9) or failed (D8).
// P4  Events of a thread have the numbers 1, 2, 3 … without holes; a second event with a number is refused, not replaced.
//     A thread that shares history is refused unless all that it shares is there.
// P5  What is read was synced before: a reader never sees a write that a crash may take back (D2).
// P6  A fork reads its source's events up to where it was forked, as they are; deleting the source does not change that.
// P7  An idempotency key stands in the same transaction as the events it belongs to; a key is never stored twice.
// P8  Loading a thread reads its snapshot and the events behind it: the cost does not grow with the number of turns.
// P9  Reading what has a wrong checksum or is missing throws `damaged`; nothing is skipped, cut or repaired (D7). A mutation
//     that meets it fails with that and leaves nothing.

import HeddleCore
import HeddleMetrics
import HeddleProtocol

/// A store of events. Nothing here blocks: changes and reads are carried out on threads of the store's own.
public protocol Store: Sendable {
  /// Queues mutations and returns at once. `completion` is called once for all of them, on the store's own thread (P1,
  /// P2, P3); after closing, at once on the caller's.
  func submit(
    _ mutations: [Mutation], lane: WriteLane, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)

  /// Queues a read and returns at once. `work` runs on one of the store's own threads, where it may block, and
  /// `completion` is called there with its result.
  ///
  /// A completion and not `async`: event loops read, and a task for each read would be two more hops and an allocation.
  /// Callers that are `async` anyway use `read(_:_:)` below.
  func read<Value: Sendable>(
    _ lane: ReadLane, _ work: @escaping @Sendable (any StoreReader, inout Codec) throws(StoreError) -> Value,
    completion: @escaping @Sendable (Result<Value, StoreError>) -> Void)

  /// How the store is.
  var health: any StoreHealth { get }

  /// Writes what was submitted, answers it and lets go of the store. Later submissions and reads fail.
  func close()

  /// This store's own id, made with it.
  var node: NodeID { get }
  /// The values that it counts in, handed in when it was opened.
  var metrics: StoreMetrics { get }
}

/// An order of writes (P2). Lanes are independent of each other; a store maps their numbers to as many as it has.
public struct WriteLane: Hashable, Sendable {
  public let number: Int
  public init(_ number: Int) { self.number = number }
}

/// The queue that a read waits in.
public enum ReadLane: Sendable {
  /// It costs about the same whatever the thread holds.
  case short
  /// It may bring a page or more; on behalf of whom.
  case long(ObjectIdentifier)
}

extension Store {
  public func submit(_ mutations: [Mutation], lane: WriteLane) async throws(StoreError) {
    let result = await withCheckedContinuation { continuation in
      submit(mutations, lane: lane) { continuation.resume(returning: $0) }
    }
    try result.get()
  }

  public func read<Value: Sendable>(
    _ lane: ReadLane = .short,
    _ work: @escaping @Sendable (any StoreReader, inout Codec) throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    let result = await withCheckedContinuation { continuation in
      read(lane, work) { continuation.resume(returning: $0) }
    }
    return try result.get()
  }
}

/// The reads of a store, for work that `Store.read` carries out: each call blocks until the disk or the network has
/// answered. Each is of one moment.
public protocol StoreReader: Sendable {
  /// The thread with its snapshot and tail; nil if the tenant has no such thread, or had it deleted.
  func load(_ thread: ThreadID, tenant: String) throws(StoreError) -> LoadedThread?
  /// The thread's row; nil as above.
  func row(_ thread: ThreadID, tenant: String) throws(StoreError) -> ThreadRow?
  /// Events after `after`, in order, through shared history: at most `limit`, and no more once `bytes` are reached
  /// (but at least one).
  func events(_ thread: ThreadID, after: UInt64, limit: Int, bytes: Int) throws(StoreError) -> [StoredEvent]
  /// Events of these kinds, in order or backwards, through shared history. `from` is exclusive; 0 with `backwards` means
  /// from the end. Events of turns with an ordinal in `hidden` are left out; `ordinal` picks one turn.
  func events(
    _ thread: ThreadID, kinds: [UInt8], from: UInt64, backwards: Bool, ordinal: UInt64?, hidden: [TurnRange], limit: Int
  ) throws(StoreError) -> [StoredEvent]
  /// Encoded `Turn`s by ordinal, through shared history, hidden ones left out. `from` is exclusive; 0 with `backwards`
  /// means from the end.
  func turns(
    _ thread: ThreadID, from: UInt64, backwards: Bool, hidden: [TurnRange], limit: Int
  ) throws(StoreError) -> [(ordinal: UInt64, payload: [UInt8])]
  /// One encoded `Turn`, through shared history.
  func turn(_ thread: ThreadID, id: TurnID) throws(StoreError) -> (ordinal: UInt64, payload: [UInt8])?
  /// One encoded `Turn`, through shared history.
  func turn(_ thread: ThreadID, ordinal: UInt64) throws(StoreError) -> [UInt8]?
  /// A page of threads: `limit` of them, or fewer where the filter passes few of many. Only `next` says whether more
  /// follow.
  func list(
    tenant: String, filter: ThreadFilter, after: ListPosition?, limit: Int
  ) throws(StoreError) -> ThreadPage
  /// All threads of a tree, the root first, then by creation.
  func tree(root: ThreadID, tenant: String) throws(StoreError) -> [ThreadRow]
  /// Threads of these slots in which a turn runs or waits, of all tenants (durability.md D5).
  func active(in slots: SlotSet) throws(StoreError) -> [ThreadRow]
  /// Spawned agents of trees in these slots whose own ids do not end like their root's: agents that were imported (a
  /// live one is made to).
  func strays(in slots: SlotSet) throws(StoreError) -> [(thread: ThreadID, root: ThreadID)]
  /// The result that a key has, if it has one.
  func key(_ key: IdempotencyKey, tenant: String) throws(StoreError) -> KeyRecord?
  /// Values of features that were set at run time.
  func features() throws(StoreError) -> [String: Bool]
}
