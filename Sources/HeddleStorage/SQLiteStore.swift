// A store in one SQLite database: one writer thread, a few readers, one folder that belongs to this process.
//
// Read in this order: Store.swift (what is promised), SQLiteSchema.swift (what is on disk), WriteQueue and SQLiteWriter
// (how a mutation becomes durable), MutationApplier and ThreadDeletion (what it changes), SQLiteReads.

import Glibc
import HeddleCore
import Synchronization

public final class SQLiteStore: ReservingStore {
  public let node: NodeID
  let readers: ReaderPool
  private let folder: DataFolder
  private let queue = WriteQueue()
  private let counters = StoreCounters()
  /// nil once somebody has begun to close.
  private let writerThread: Mutex<pthread_t?>

  /// Events stored since the store was opened.
  public var eventsWritten: UInt64 { counters.eventsWritten.load(ordering: .relaxed) }
  /// Groups, each one transaction and one sync, since the store was opened.
  public var groupsSynced: UInt64 { counters.groupsSynced.load(ordering: .relaxed) }

  /// Opens the store in `folder`, which is made if it is missing. Throws `locked` if another process has it (D13).
  public convenience init(folder: String) throws(StoreError) { try self.init(folder: folder, maximumPages: nil) }

  /// `maximumPages` bounds the database as a full disk would: for tests of D9.
  init(folder path: String, maximumPages: Int?) throws(StoreError) {
    folder = try DataFolder(path: path, create: true)
    try folder.makeDatabaseFile()
    folder.makeRoomToOpen()
    let connection = try SQLiteConnection(path: folder.databasePath, readOnly: false)
    try SQLiteSchema.open(connection, newNode: NodeID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)))
    if let maximumPages { try connection.execute("PRAGMA max_page_count = \(maximumPages)") }
    // A disk too full for it is no reason not to serve what is stored (D9).
    _ = folder.allocateReserve()
    node = try SQLiteSchema.node(connection)
    readers = ReaderPool(path: folder.databasePath)
    let writer = try SQLiteWriter(queue: queue, connection: connection, folder: folder, counters: counters)
    writerThread = Mutex(try Self.start(writer))
  }

  deinit { close() }

  /// Hands the writer to a thread of its own, which keeps it alive until its queue is closed.
  private static func start(_ writer: SQLiteWriter) throws(StoreError) -> pthread_t {
    var thread = pthread_t()
    let handedOver = Unmanaged.passRetained(writer)
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<SQLiteWriter>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, handedOver.toOpaque())
    guard code == 0 else {
      handedOver.release()
      throw .unusable("cannot start the store's thread: \(String(cString: strerror(code)))")
    }
    return thread
  }

  public func submit(_ mutations: [Mutation], completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    if !queue.add(Submission(mutations, completion: completion)) {
      completion(.failure(.failed("the store is closed")))
    }
  }

  /// Writes what was submitted, answers it, closes the database and gives the folder away. Later submissions fail.
  public func close() {
    guard let thread = writerThread.withLock({ $0.take() }) else { return }
    readers.close()
    queue.close()
    // A completion that held the last reference runs `deinit` on the writer's own thread, which cannot wait for itself;
    // it ends when it has answered.
    if pthread_equal(thread, pthread_self()) != 0 {
      pthread_detach(thread)
    } else {
      pthread_join(thread, nil)
    }
  }

  /// Gives the space held back to the disk, so that running turns can be ended on a full one (D9).
  public func releaseReserve() { folder.releaseReserve() }

  /// Holds the space back again; true if that worked and there is room beyond it: writes may resume (D9).
  public func restoreReserve() -> Bool {
    guard folder.allocateReserve() else { return false }
    if folder.canWrite() { return true }
    folder.releaseReserve()
    return false
  }

  /// Looks at all stored data and says what is wrong with it, for people; empty: nothing.
  public func check() throws(StoreError) -> [String] {
    try readers.read { connection throws(StoreError) in try StoreCheck.run(connection) }
  }

  /// The same for a folder that no server holds, without changing anything in it but the pid in `LOCK`. Throws `locked`
  /// if one does.
  public static func check(folder path: String) throws(StoreError) -> [String] {
    let folder = try DataFolder(path: path, create: false)
    defer { folder.unlock() }
    let connection = try SQLiteConnection(path: folder.databasePath, readOnly: true)
    defer { connection.close() }
    try SQLiteSchema.examine(connection)
    return try SQLiteSchema.isEmpty(connection) ? [] : StoreCheck.run(connection)
  }
}
