// A store in one SQLite database: one writer thread, a few readers, one folder that belongs to this process.
//
// Read in this order: HeddleStorage's Store.swift (what is promised), SQLiteSchema.swift (what is on disk), WriteQueue and
// SQLiteWriter (how a mutation becomes durable), MutationApplier and ThreadDeletion (what it changes), SQLiteReads.

import CSQLite
import Glibc
import HeddleCore
import HeddleMetrics
import HeddleProtocol
import HeddleStorage
import Synchronization

public final class SQLiteStore: Store, StoreReader {
  public let node: NodeID
  let readers: ReaderPool
  private let pool: ReadPool
  let diskHealth: DiskHealth
  private let queue: WriteQueue
  public let metrics: StoreMetrics
  /// Why the database stays of an earlier version, which has no checksums of pages; nil: it does not.
  let staysBehind: String?
  /// nil once somebody has begun to close.
  private let writerThread: Mutex<pthread_t?>
  private let simulatedWriter: Mutex<Confined?>

  /// A simulation has one thread, which is the proof for `@unchecked Sendable`.
  private struct Confined: @unchecked Sendable {
    let writer: SQLiteWriter
    init(_ writer: SQLiteWriter) { self.writer = writer }
  }

  /// Opens the store in `folder`, which is made if it is missing. Throws `inUse` if another process has it (D13).
  public convenience init(folder: String, metrics: StoreMetrics = StoreMetrics()) throws(StoreError) {
    try self.init(folder: folder, maximumPages: nil, metrics: metrics)
  }

  /// `maximumPages` bounds the database as a full disk would: for tests of D9.
  init(
    folder path: String, maximumPages: Int?, metrics: StoreMetrics = StoreMetrics()
  ) throws(StoreError) {
    self.metrics = metrics
    queue = WriteQueue(metrics)
    let folder = try DataFolder(path: path, create: true)
    try folder.makeDatabaseFile()
    folder.makeRoomToOpen()
    if let damage = try WALCheck.damage(databasePath: folder.databasePath) {
      throw .unusable("\(damage); keep a copy of the folder, then restore it from a backup")
    }
    try folder.renewLog()
    staysBehind = try SchemaMigration.run(folder)
    pool = try ReadPool(.threads, metrics)
    diskHealth = DiskHealth(folder, pool, staysBehind: staysBehind)
    let wrongPages = diskHealth.wrongPages
    let connection = try SQLiteConnection(path: folder.databasePath, readOnly: false)
    try SQLiteSchema.open(connection, newNode: NodeID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)))
    if let maximumPages { try connection.execute("PRAGMA max_page_count = \(maximumPages)") }
    // A disk too full for it is no reason not to serve what is stored (D9).
    _ = folder.allocateReserve()
    node = try SQLiteSchema.node(connection)
    readers = try ReaderPool(path: folder.databasePath, pageChecksums: connection.hasRoomForPageChecksums, wrongPages)
    try folder.hold()
    let writer = try SQLiteWriter(
      queue: queue, connection: connection, folder: folder, metrics: metrics, wrongPages)
    writerThread = Mutex(try Self.start(writer))
    simulatedWriter = Mutex(nil)
  }

  /// On a simulated disk, a registered VFS, without a thread of its own: `step` is called instead, and
  /// `reads` is handed the work of `read`.
  package init(
    simulated disk: String, node newNode: NodeID, reads: ReadExecution = .by { $0() },
    metrics: StoreMetrics = StoreMetrics()
  ) throws(StoreError) {
    self.metrics = metrics
    queue = WriteQueue(metrics)
    staysBehind = nil
    pool = try ReadPool(reads, metrics)
    diskHealth = DiskHealth(nil, pool, staysBehind: nil)
    let wrongPages = diskHealth.wrongPages
    let connection = try SQLiteConnection(path: "heddle.db", readOnly: false, disk: disk)
    try SQLiteSchema.open(connection, newNode: newNode)
    node = try SQLiteSchema.node(connection)
    readers = try ReaderPool(
      path: "heddle.db", disk: disk, pageChecksums: connection.hasRoomForPageChecksums, wrongPages)
    writerThread = Mutex(nil)
    simulatedWriter = Mutex(
      Confined(try SQLiteWriter(queue: queue, connection: connection, folder: nil, metrics: metrics, wrongPages)))
  }

  /// Writes one group, if one waits. Only for a simulation.
  package func step() -> Bool {
    simulatedWriter.withLock { $0 }?.writer.step() ?? false
  }

  /// The process is no more: nothing that was submitted and not written will be.
  package func vanish() {
    simulatedWriter.withLock { $0 = nil }
    diskHealth.end(looking: false)
    readers.close()
    queue.close()
    // Their completions hold the store, and the store holds them.
    while queue.takeNow() != nil {}
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

  /// All lanes are one: there is one writer.
  public func submit(
    _ mutations: [Mutation], lane: WriteLane, completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    if !queue.add(Submission(mutations, completion: completion)) {
      completion(.failure(.failed("the store is closed")))
    }
  }

  public func read<Value: Sendable>(
    _ lane: ReadLane, _ work: @escaping @Sendable (any StoreReader, inout Codec) throws(StoreError) -> Value,
    completion: @escaping @Sendable (Result<Value, StoreError>) -> Void
  ) {
    pool.read(lane, from: self, work, completion: completion)
  }

  public var health: any StoreHealth { diskHealth }

  /// Writes what was submitted, answers it, closes the database and gives the folder away. Later submissions and reads
  /// fail.
  public func close() {
    guard let thread = writerThread.withLock({ $0.take() }) else { return }
    diskHealth.end(looking: true)
    readers.close()
    // Reads that wait find that the readers are closed.
    pool.shutDown()
    queue.close()
    // A completion that held the last reference runs `deinit` on the writer's own thread, which cannot wait for itself;
    // it ends when it has answered.
    if pthread_equal(thread, pthread_self()) != 0 {
      pthread_detach(thread)
    } else {
      pthread_join(thread, nil)
    }
  }

  /// Looks at all stored data and says what is wrong with it, for people; empty: nothing.
  public func check() throws(StoreError) -> [String] {
    try readers.readTrusting { connection throws(StoreError) in try StoreCheck.run(connection) }
  }

  /// The same for a folder that no server holds, without changing anything in it but the pid in `LOCK`. Throws `inUse`
  /// if one does.
  public static func check(folder path: String) throws(StoreError) -> [String] {
    let folder = try DataFolder(path: path, create: false)
    defer { folder.unlock() }
    return try check(folder)
  }

  private static func check(_ folder: DataFolder) throws(StoreError) -> [String] {
    let damage = try WALCheck.damage(databasePath: folder.databasePath)
    let connection = try SQLiteConnection(path: folder.databasePath, readOnly: true)
    defer { connection.close() }
    do throws(StoreError) {
      // Damaged pages are listed, and what else is wrong is looked for in spite of them.
      connection.trustPages(true)
      let version = try SQLiteSchema.examine(connection)
      if version == SQLiteSchema.version { try connection.startPageChecksums() }
      // Version 2 is one that could not be written anew.
      guard version != 1 else {
        throw .unusable("heddle.db has version 1: start the server on it once, which brings it to this version")
      }
      // With a damaged log, what follows is said of what SQLite still reads of it.
      return try (damage.map { [$0] } ?? []) + (version == 0 ? [] : StoreCheck.run(connection))
    } catch {
      guard connection.metDamage, case .failed = error else { throw error }
      return ["heddle.db is so damaged that it cannot be looked at: restore a backup"]
    }
  }

  /// Gives every page of a folder that no server holds the checksum of what is in it, if nothing else is wrong with it:
  /// for a copy that a program made which does not know of these checksums, such as SQLite's own tools. Says what is wrong
  /// otherwise, and changes nothing.
  public static func reseal(folder path: String) throws(StoreError) -> [String] {
    let folder = try DataFolder(path: path, create: false)
    defer { folder.unlock() }
    let problems = try check(folder).filter { !StoreCheck.isWrongPage($0) }
    guard problems.isEmpty else { return problems }
    let connection = try SQLiteConnection(path: folder.databasePath, readOnly: false)
    defer { connection.close() }
    guard try SQLiteSchema.examine(connection) == SQLiteSchema.version else { return [] }
    // Pages that are moved here get their checksums with the others.
    guard try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE) else {
      throw .unusable("another program holds the database: end it and try again")
    }
    connection.close()
    try folder.sealPages(of: folder.databasePath)
    try folder.sync(folder.databasePath)
    return try check(folder)
  }
}
