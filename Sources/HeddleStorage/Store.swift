// Where events are kept. One protocol with numbered promises; every implementation passes the same contract tests.
//
// P1  A completion is called with success only after every write of its mutation has reached the disk (durability.md D1).
// P2  Mutations are applied in the order of `submit`, those of one call whole or not at all; completions come in that
//     order too.
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

/// What can go wrong in a store.
public enum StoreError: Error, Equatable, Sendable {
  /// The disk is full: nothing of the group was written, reads go on (durability.md D9).
  case diskFull
  /// A write or a sync failed: what reached the disk is unknown, the process must end (durability.md D8).
  case failed(String)
  /// A read failed, be it for a lack of descriptors or of a disk; nothing was changed, another try may work.
  case unreadable(String)
  /// Stored bytes are not what was written; readable up to this event, 0 if that is not known. The thread is zero for a
  /// key that belongs to none (durability.md D7).
  case damaged(thread: ThreadID, sequence: UInt64)
  /// Another process owns the data folder (durability.md D13).
  case locked(pid: Int32)
  /// The folder cannot be used; the text says why and what to do.
  case unusable(String)
  /// A mutation breaks P4 or P7, or writes to a thread that has no row or is deleted: a bug of the caller. Nothing of
  /// its `submit` was written; others of the same group are not touched.
  case conflict(String)
}

/// One event as it is stored: its wire encoding and the few values that are searched.
public struct StoredEvent: Equatable, Sendable {
  public var sequence: UInt64
  /// Field number of the member of `Event.kind`.
  public var kind: UInt8
  /// Ordinal of the turn it belongs to; 0: none.
  public var ordinal: UInt64
  /// Unix milliseconds.
  public var at: Int64
  /// The encoded `Event`.
  public var payload: [UInt8]

  public init(sequence: UInt64, kind: UInt8, ordinal: UInt64, at: Int64, payload: [UInt8]) {
    self.sequence = sequence
    self.kind = kind
    self.ordinal = ordinal
    self.at = at
    self.payload = payload
  }
}

/// What lists and look-ups need of a thread, kept beside its events.
public struct ThreadRow: Equatable, Sendable {
  public var id: ThreadID
  public var tenant: String
  public var epoch: UInt64
  public var root: ThreadID
  public var parent: ThreadID?
  public var forkedFrom: ThreadID?
  public var source: ThreadSource
  public var createdAt: Int64
  public var updatedAt: Int64
  public var archived: Bool
  public var name: String
  public var preview: String
  public var modelProvider: String
  public var workingFolder: String
  /// A turn runs or waits: a restart looks at this thread (durability.md D5).
  public var active: Bool
  /// The newest event.
  public var sequence: UInt64
  /// History shared with other threads, oldest first.
  public var segments: [HistorySegment]

  public init(
    id: ThreadID, tenant: String, epoch: UInt64, root: ThreadID, parent: ThreadID? = nil, forkedFrom: ThreadID? = nil,
    source: ThreadSource, createdAt: Int64, updatedAt: Int64, archived: Bool = false, name: String = "",
    preview: String = "", modelProvider: String = "", workingFolder: String = "", active: Bool = false,
    sequence: UInt64 = 0, segments: [HistorySegment] = []
  ) {
    self.id = id
    self.tenant = tenant
    self.epoch = epoch
    self.root = root
    self.parent = parent
    self.forkedFrom = forkedFrom
    self.source = source
    self.createdAt = createdAt
    self.updatedAt = updatedAt
    self.archived = archived
    self.name = name
    self.preview = preview
    self.modelProvider = modelProvider
    self.workingFolder = workingFolder
    self.active = active
    self.sequence = sequence
    self.segments = segments
  }
}

/// The stored result of a mutation that had an idempotency key.
public struct KeyRecord: Equatable, Sendable {
  /// How long a key without a thread is kept: seven days (durability.md D10).
  public static let threadlessMilliseconds: Int64 = 7 * 24 * 3600 * 1000

  public var tenant: String
  public var key: IdempotencyKey
  public var method: UInt16
  /// SHA-256 of the canonical request.
  public var requestHash: [UInt8]
  /// The thread it belongs to; nil for keys that outlive their thread (`ThreadService/Start`, `SetFeature`).
  public var thread: ThreadID?
  /// The encoded answer.
  public var response: [UInt8]
  /// Unix milliseconds.
  public var at: Int64

  public init(
    tenant: String, key: IdempotencyKey, method: UInt16, requestHash: [UInt8], thread: ThreadID?, response: [UInt8],
    at: Int64
  ) {
    self.tenant = tenant
    self.key = key
    self.method = method
    self.requestHash = requestHash
    self.thread = thread
    self.response = response
    self.at = at
  }
}

/// One write. A mutation is a list of them.
public enum StoreWrite: Equatable, Sendable {
  /// Appends events; their numbers go on where the thread's end (P4).
  case events(ThreadID, [StoredEvent])
  /// Inserts or replaces what lists know of the thread. A new thread's row stands in the mutation of its first events;
  /// `sequence` must not be beyond the newest event.
  case thread(ThreadRow)
  /// Replaces the thread's snapshot: an encoded `ThreadRecord` that holds everything up to its sequence.
  case snapshot(ThreadID, sequence: UInt64, [UInt8])
  /// Inserts or replaces a turn: an encoded `Turn`.
  case turn(ThreadID, ordinal: UInt64, id: TurnID, [UInt8])
  /// Remembers the result of a request (P7).
  case key(KeyRecord)
  /// Stores the value of a feature; nil: back to the configured one.
  case feature(String, Bool?)
  /// Removes threads: their rows become tombstones, their text goes unless a fork shares it (P6), their keys go.
  case delete([ThreadID])
}

/// What happens together or not at all.
public struct Mutation: Equatable, Sendable {
  public var writes: [StoreWrite]
  public init(_ writes: [StoreWrite]) { self.writes = writes }
}

/// A thread as loading finds it (P8).
public struct LoadedThread: Equatable, Sendable {
  public var row: ThreadRow
  /// The newest snapshot, an encoded `ThreadRecord`; nil only before the first one.
  public var snapshot: [UInt8]?
  /// The events behind the snapshot, in order.
  public var tail: [StoredEvent]

  public init(row: ThreadRow, snapshot: [UInt8]?, tail: [StoredEvent]) {
    self.row = row
    self.snapshot = snapshot
    self.tail = tail
  }
}

/// Which threads a list wants; nil means any.
public struct ThreadFilter: Equatable, Sendable {
  public var archived = false
  public var source: ThreadSource?
  public var parent: ThreadID?
  public var forkedFrom: ThreadID?
  public var modelProvider: String?
  /// Part of the name or the preview, case ignored for ASCII.
  public var text: String?
  public var workingFolder: String?
  /// Inclusive.
  public var createdAfter: Int64?
  /// Exclusive.
  public var createdBefore: Int64?
  public var newestFirst = true

  public init() {}
}

/// A place in a list of threads, whose order (creation, then id) never changes.
public struct ListPosition: Equatable, Sendable {
  public var createdAt: Int64
  public var id: ThreadID
  public init(createdAt: Int64, id: ThreadID) {
    self.createdAt = createdAt
    self.id = id
  }
}

/// A page of a list.
public struct ThreadPage: Equatable, Sendable {
  public var rows: [ThreadRow]
  /// Behind what the next page begins; nil: nothing follows.
  public var next: ListPosition?

  public init(rows: [ThreadRow], next: ListPosition?) {
    self.rows = rows
    self.next = next
  }
}

/// A store of events. Reads may be called from any thread and block it; they are for threads that may wait.
public protocol Store: Sendable {
  /// Queues mutations and returns at once. `completion` is called once for all of them, on the store's own thread (P1,
  /// P2, P3); after closing, at once on the caller's.
  func submit(_ mutations: [Mutation], completion: @escaping @Sendable (Result<Void, StoreError>) -> Void)

  /// The thread with its snapshot and tail; nil if the tenant has no such thread, or had it deleted.
  func load(_ thread: ThreadID, tenant: String) throws(StoreError) -> LoadedThread?
  /// What lists know of the thread; nil as above.
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
  /// Threads in which a turn runs or waits, of all tenants (durability.md D5).
  func active() throws(StoreError) -> [ThreadRow]
  /// Spawned agents whose ids do not end like their root's: agents that were imported (a live one is made to).
  func strays() throws(StoreError) -> [(thread: ThreadID, root: ThreadID)]
  /// The result that a key has, if it has one.
  func key(_ key: IdempotencyKey, tenant: String) throws(StoreError) -> KeyRecord?
  /// Values of features that were set at run time.
  func features() throws(StoreError) -> [String: Bool]
  /// This store's own id, made with it.
  var node: NodeID { get }
  /// Events, and groups of one sync each, that this process has written.
  var eventsWritten: UInt64 { get }
  var groupsSynced: UInt64 { get }
}

/// A store that keeps space back for what must still be written when the disk is full (durability.md D9).
public protocol ReservingStore: Store {
  func releaseReserve()
  func restoreReserve() -> Bool
}

/// A store in a folder that somebody may take away (durability.md D8).
public protocol FolderStore: ReservingStore {
  func verifyFolder() throws(StoreError)
}
