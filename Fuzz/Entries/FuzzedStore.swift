// Input: a byte whose lowest bits choose a state of a store, then changes of its two files, each an operation and its
// arguments. Pages of the database get the checksum of their new bytes, so that they are read, unless the byte's highest
// bit is set.
//
//   0  byte by exclusive or     file, place (3 bytes), bits
//   1  bytes written            file, place (3), count, bytes
//   2  file cut                 file, length (3)
//   3  page copied              from, to: within the database
//   4  frame's head written     frame, page, pages of the database after it: in the log
//   5  log's checksums mended   from this frame on, so that SQLite accepts the change
//   6  bytes at the end         file, count, bytes
//   7  file missing             file
//
// The store opens such files or refuses them with words; it never removes a file and never changes files that it
// refuses. A store that opened can be read, if only as damaged, and written, closed and opened again.

import CPageChecksums
import Dispatch
import HeddleCore
import HeddleProtocol
import HeddleSQLite
import HeddleStorage

enum FuzzedStore {
  private static let files = ["heddle.db", "heddle.db-wal"]
  private static let folder = "store"

  static func run(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    var input = InputReader(bytes)
    let choice = Int(input.byte())
    var images = StoreImages.all[choice % StoreImages.all.count]
    var steps = 0
    while !input.isEmpty, steps < 64 {
      steps += 1
      change(&images, &input)
    }
    if choice < 128, let database = images[0] { images[0] = sealed(database) }
    try place(images)
    try open(images)
  }

  // MARK: Changes

  private static func change(_ images: inout [[UInt8]?], _ input: inout InputReader) {
    let operation = input.byte() & 7
    if operation == 3 || operation == 4 || operation == 5 { return changePages(operation, &images, &input) }
    let file = Int(input.byte() & 1)
    guard var bytes = images[file] else { return }
    switch operation {
    case 0:
      let place = input.number(3)
      let bits = input.byte()
      if !bytes.isEmpty { bytes[place % bytes.count] ^= bits }
    case 1:
      let place = input.number(3)
      let piece = input.bytes(Int(input.byte()))
      if !bytes.isEmpty { for (index, byte) in piece.enumerated() { bytes[(place + index) % bytes.count] = byte } }
    case 2: bytes.removeLast(bytes.count - input.number(3) % (bytes.count + 1))
    case 6: bytes += input.bytes(Int(input.byte()))
    default:
      images[file] = nil
      return
    }
    images[file] = bytes
  }

  private static func changePages(_ operation: UInt8, _ images: inout [[UInt8]?], _ input: inout InputReader) {
    let (one, other) = (Int(input.byte()), Int(input.byte()))
    switch operation {
    case 3:
      guard var database = images[0], database.count >= 4_096 else { return }
      let pages = database.count / 4_096
      let (from, to) = (one % pages * 4_096, other % pages * 4_096)
      database.replaceSubrange(to..<(to + 4_096), with: Array(database[from..<(from + 4_096)]))
      images[0] = database
    case 4:
      let size = input.byte()
      guard var log = images[1], let start = LogImage.frame(one, in: log) else { return }
      log[start + 3] = UInt8(other)
      log[start + 7] = size
      images[1] = log
    default: if let log = images[1] { images[1] = LogImage.mended(log, from: one) }
    }
  }

  private static func sealed(_ database: [UInt8]) -> [UInt8] {
    var database = database
    database.withUnsafeMutableBytes { bytes in
      guard let first = bytes.baseAddress else { return }
      for number in 0..<(bytes.count / 4_096) {
        heddle_page_seal(first + number * 4_096, 4_096, UInt32(number + 1))
      }
    }
    return database
  }

  // MARK: Opening

  private static func place(_ images: [[UInt8]?]) throws(Finding) {
    do {
      try FuzzFolder.shared.makeFolder(folder)
      FuzzFolder.shared.remove("\(folder)/heddle.db-shm")
      for (name, bytes) in zip(files, images) {
        FuzzFolder.shared.remove("\(folder)/\(name)")
        if let bytes { try FuzzFolder.shared.write("\(folder)/\(name)", bytes) }
      }
    } catch { throw Finding("no folder to put a store into") }
  }

  private static func open(_ images: [[UInt8]?]) throws(Finding) {
    let path = FuzzFolder.shared.path + "/" + folder
    do throws(StoreError) {
      let store = try SQLiteStore(folder: path)
      read(store)
      write(store)
      store.close()
    } catch {
      guard case .unusable(let words) = error else { return try expectKept(images, error) }
      guard !words.isEmpty else { throw Finding("refused without words") }
      return try expectKept(images, error)
    }
    do throws(StoreError) { try SQLiteStore(folder: path).close() } catch {
      throw Finding("a store that was opened and closed does not open again: \(error)")
    }
  }

  /// A refused store is as it was.
  private static func expectKept(_ images: [[UInt8]?], _ error: StoreError) throws(Finding) {
    for (name, before) in zip(files, images) {
      guard let before, !before.isEmpty else { continue }
      let after = FuzzFolder.shared.read("\(folder)/\(name)")
      guard after == before else { throw Finding("\(name) was changed or removed by what refused it: \(error)") }
    }
  }

  /// Everything that a server asks of a store; `damaged` is an answer.
  private static func read(_ store: SQLiteStore) {
    let problems = (try? store.check()) ?? []
    if FuzzPlant.store.isSet { FuzzPlant.count(problems) }
    _ = try? store.features()
    _ = try? store.active(in: .all)
    _ = try? store.strays(in: .all)
    var codec = Codec()
    let rows = (try? store.list(tenant: StoreImages.tenant, filter: ThreadFilter(), after: nil, limit: 20))?.rows ?? []
    for id in StoreImages.threads + rows.map(\.id) {
      if let loaded = try? store.load(id, tenant: StoreImages.tenant) {
        if let snapshot = loaded.snapshot { _ = try? codec.decodeTrusted(ThreadRecord.self, snapshot) }
      }
      for event in (try? store.events(id, after: 0, limit: 100, bytes: 1 << 20)) ?? [] {
        _ = try? codec.decodeTrusted(Event.self, event.payload)
      }
      _ = try? store.events(id, kinds: [13], from: 0, backwards: true, ordinal: 1, hidden: [], limit: 100)
      let hidden = [TurnRange(first: 1, last: 1)]
      _ = try? store.turns(id, from: 0, backwards: false, hidden: hidden, limit: 100)
      _ = try? store.turn(id, id: StoreImages.turn)
      _ = try? store.turn(id, ordinal: 2)
      _ = try? store.tree(root: id, tenant: StoreImages.tenant)
    }
    for key in StoreImages.keys { _ = try? store.key(key.key, tenant: StoreImages.tenant) }
  }

  /// A change of each kind, of a thread that may be damaged; each is made or refused.
  private static func write(_ store: SQLiteStore) {
    let done = DispatchSemaphore(value: 0)
    let mutations = StoreImages.changes(store)
    for mutation in mutations { store.submit([mutation], lane: WriteLane(0)) { _ in done.signal() } }
    for _ in mutations { done.wait() }
  }
}

/// SQLite's log as far as its checksums go; see WALCheck.swift for the format.
private enum LogImage {
  private static let frameBytes = 24 + 4_096

  /// The place at which the frame begins.
  static func frame(_ number: Int, in log: [UInt8]) -> Int? {
    let count = (log.count - 32) / frameBytes
    return count > 0 ? 32 + number % count * frameBytes : nil
  }

  static func mended(_ log: [UInt8], from number: Int) -> [UInt8] {
    guard log.count >= 32 else { return log }
    var log = log
    let isBigEndian = log[3] & 1 == 1
    if number == 0 { put(sum((0, 0), log[..<24], isBigEndian), 24, &log) }
    var index = 0
    var before = pair(log, 24)
    while log.count >= 32 + (index + 1) * frameBytes {
      let start = 32 + index * frameBytes
      if index >= number {
        for salt in 0..<8 { log[start + 8 + salt] = log[16 + salt] }
        let head = sum(before, log[start..<(start + 8)], isBigEndian)
        put(sum(head, log[(start + 24)..<(start + frameBytes)], isBigEndian), start + 16, &log)
      }
      before = pair(log, start + 16)
      index += 1
    }
    return log
  }

  private static func sum(
    _ start: (UInt32, UInt32), _ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool
  ) -> (UInt32, UInt32) {
    var (one, two) = start
    bytes.withUnsafeBytes { raw in
      for offset in stride(from: 0, to: raw.count - 7, by: 8) {
        let words = (
          raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self),
          raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        )
        one &+= (isBigEndian ? words.0.bigEndian : words.0.littleEndian) &+ two
        two &+= (isBigEndian ? words.1.bigEndian : words.1.littleEndian) &+ one
      }
    }
    return (one, two)
  }

  private static func pair(_ log: [UInt8], _ offset: Int) -> (UInt32, UInt32) {
    func word(_ at: Int) -> UInt32 { log[at..<(at + 4)].reduce(0) { $0 << 8 | UInt32($1) } }
    return (word(offset), word(offset + 4))
  }

  private static func put(_ sum: (UInt32, UInt32), _ offset: Int, _ log: inout [UInt8]) {
    for index in 0..<4 {
      log[offset + index] = UInt8(truncatingIfNeeded: sum.0 >> (24 - 8 * UInt32(index)))
      log[offset + 4 + index] = UInt8(truncatingIfNeeded: sum.1 >> (24 - 8 * UInt32(index)))
    }
  }
}
