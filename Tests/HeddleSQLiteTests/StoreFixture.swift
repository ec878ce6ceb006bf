// What the tests of a store share: a folder that goes away, short ways to make threads and events, and waiting for a
// completion without sleeping.

import Glibc
import HeddleCore
import HeddleProtocol
import HeddleStorage
import Synchronization
import Testing

@testable import HeddleSQLite

/// A folder under /tmp that is removed with everything in it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    var template = Array("/tmp/heddle-store-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw StoreError.unusable("mkdtemp: \(errno)") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names { unlink(path + "/" + name) }
    rmdir(path)
  }

  private var names: [String] { ["LOCK", "heddle.db", "heddle.db-wal", "heddle.db-shm", "reserve", "probe", "db.new"] }

  /// The files as they are at this moment, as a process that is killed leaves them.
  func copy() throws -> TemporaryFolder {
    let other = try TemporaryFolder()
    for name in names where name.hasPrefix("heddle.db") && !name.hasSuffix("shm") {
      let source = open(path + "/" + name, O_RDONLY)
      guard source >= 0 else { continue }
      defer { close(source) }
      let target = open(other.path + "/" + name, O_WRONLY | O_CREAT, 0o600)
      defer { close(target) }
      while sendfile(target, source) > 0 {}
    }
    return other
  }

  private func sendfile(_ target: Int32, _ source: Int32) -> Int {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(source, &buffer, buffer.count)
    return count > 0 ? write(target, buffer, count) : count
  }

  /// A connection beside the store's own, for doing damage.
  func connection() throws -> SQLiteConnection {
    let connection = try SQLiteConnection(path: path + "/heddle.db", readOnly: false)
    // What moves the log into the database has to write them.
    if try connection.text("PRAGMA user_version") == "\(SQLiteSchema.version)" { try connection.startPageChecksums() }
    return connection
  }
}

/// Holds whoever waits until it is opened.
final class Gate: Sendable {
  private let isOpen = Monitor(false)
  func open() { isOpen.change { $0 = true } }
  func wait() { isOpen.wait { $0 ? () : nil } }
}

/// Remembers in which order things happened.
final class Recorder<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])
  func add(_ element: Element) { elements.withLock { $0.append(element) } }
  var all: [Element] { elements.withLock { $0 } }
}

extension Store {
  func submit(_ mutations: [Mutation], completion: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
    submit(mutations, lane: WriteLane(0), completion: completion)
  }

  /// Submits and waits for the completion.
  func write(_ mutations: [Mutation]) async throws { try await submit(mutations, lane: WriteLane(0)) }

  func write(_ writes: StoreWrite...) async throws { try await write([Mutation(writes)]) }
}

extension StoreReader {
  func allEvents(_ thread: ThreadID) throws -> [StoredEvent] {
    try events(thread, after: 0, limit: .max, bytes: .max)
  }
}

func threadID(_ number: UInt64) -> ThreadID { ThreadID(high: 7, low: number) }
func turnID(_ number: UInt64) -> TurnID { TurnID(high: 8, low: number) }

/// A well-formed event: a name change, which every test may read as a label.
func event(_ sequence: UInt64, _ name: String = "", kind: Event.Kind? = nil, ordinal: UInt64 = 0) -> StoredEvent {
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

func events(_ range: ClosedRange<UInt64>, _ name: String = "") -> [StoredEvent] { range.map { event($0, name) } }

func row(
  _ id: ThreadID, sequence: UInt64, tenant: String = "t", segments: [HistorySegment] = [], name: String = "",
  createdAt: Int64 = 1_000
) -> ThreadRow {
  ThreadRow(
    id: id, tenant: tenant, epoch: .max, root: id, source: .client, createdAt: createdAt, updatedAt: createdAt,
    name: name, sequence: sequence, segments: segments)
}

/// A thread with `count` events as one mutation.
func newThread(_ id: ThreadID, _ count: UInt64, _ name: String = "") -> Mutation {
  Mutation([.events(id, events(1...count, name)), .thread(row(id, sequence: count))])
}

func snapshot(_ id: ThreadID, _ sequence: UInt64) -> [UInt8] {
  var codec = Codec()
  var record = ThreadRecord()
  (record.id, record.sequence) = (id, sequence)
  return codec.encode(record)
}

/// A well-formed turn; the mark tells one from another.
func turnBytes(_ mark: UInt8) -> [UInt8] {
  var codec = Codec()
  return codec.encode(Turn(ordinal: UInt64(mark)))
}

func keyRecord(_ number: UInt64, thread: ThreadID?, tenant: String = "t") -> KeyRecord {
  KeyRecord(
    tenant: tenant, key: IdempotencyKey(high: 9, low: number), method: 513,
    requestHash: [UInt8](repeating: 1, count: 32), thread: thread, response: [1, 2, 3], at: 5)
}

extension TemporaryFolder {
  func bytes(_ name: String) throws -> [UInt8] {
    let file = open(path + "/" + name, O_RDONLY)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(file, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  func replace(_ name: String, _ bytes: [UInt8]) throws {
    let file = open(path + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    try #require(write(file, bytes, bytes.count) == bytes.count)
  }

  /// Whether the text stands anywhere in the database or its log.
  func contains(_ text: String) throws -> Bool {
    let wanted = Array(text.utf8)
    return try ["heddle.db", "heddle.db-wal"].contains { try bytes($0).contains(wanted) }
  }
}
