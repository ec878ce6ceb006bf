// D7: each page of the database has a checksum. A flipped bit in a page is reported, SQLite never writes based on such
// a page, and intact rows on it are served.

import CCRC32C
import CPageChecksums
import CSQLite
import Glibc
import HeddleCore
import HeddleProtocol
import HeddleStorage
import HeddleStoreContract
import Testing

@testable import HeddleSQLite

@Suite struct PageChecksumTests {
  private static let pageBytes = 4_096
  private let folder: TemporaryFolder
  private let ids = (1...120 as ClosedRange<UInt64>).map(threadID)

  /// Enough threads for several pages in each table; closed, so that all is in the database.
  init() async throws {
    folder = try TemporaryFolder()
    let store = try SQLiteStore(folder: folder.path)
    for (index, id) in ids.enumerated() {
      try await store.write(
        .events(id, (1...9).map { event($0, String(repeating: "e", count: 100), ordinal: 1) }),
        .thread(row(id, sequence: 9, name: "name")),
        .snapshot(id, sequence: 9, snapshot(id, 9)), .turn(id, ordinal: 1, id: turnID(1), turnBytes(UInt8(index))),
        .key(keyRecord(UInt64(index), thread: id)))
    }
    store.close()
  }

  private func pages() throws -> [[UInt8]] {
    let bytes = try folder.bytes("heddle.db")
    return stride(from: 0, to: bytes.count, by: Self.pageBytes).map { Array(bytes[$0..<($0 + Self.pageBytes)]) }
  }

  private func isWhole(_ page: [UInt8], _ number: UInt32) -> Bool {
    let place = withUnsafeBytes(of: number.bigEndian) { Array($0) }
    let sum = heddle_crc32c_by_tables(0, place + page.dropLast(4), Self.pageBytes)
    return page.suffix(4).elementsEqual(withUnsafeBytes(of: sum.bigEndian) { Array($0) })
  }

  private func flip(page: Int, byte: Int, bit: UInt8 = 1, in folder: TemporaryFolder) throws {
    var bytes = try folder.bytes("heddle.db")
    bytes[(page - 1) * Self.pageBytes + byte] ^= bit
    try folder.replace("heddle.db", bytes)
  }

  /// The leaf page on which a row stands, found by what it holds.
  private func leaf(holding wanted: [UInt8], of table: String) throws -> Int {
    let connection = try folder.connection()
    let select = try connection.statement("SELECT pageno FROM dbstat WHERE name = ?1 AND pagetype = 'leaf'")
    select.bind(table, at: 1)
    let all = try pages()
    while try select.step() {
      let number = Int(select.integer(0))
      if all[number - 1].contains(wanted) { return number }
    }
    throw StoreError.failed("no such page")
  }

  private func bytes(of id: ThreadID) -> [UInt8] {
    withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) { Array($0) }
  }

  @Test("The tables and the processor's instruction give the published CRC32C, however the bytes are cut")
  func sum() {
    let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 13) }
    #expect(heddle_crc32c(0, Array("123456789".utf8), 9) == 0xE306_9283)
    #expect(heddle_crc32c_by_tables(0, Array("123456789".utf8), 9) == 0xE306_9283)
    for count in [0, 1, 7, 8, 9, 63, 64, 65, 999, 1_000] {
      let whole = heddle_crc32c(0, bytes, count)
      #expect(heddle_crc32c_by_tables(0, bytes, count) == whole)
      let cut = count / 3
      let front = heddle_crc32c(0, bytes, cut)
      #expect(heddle_crc32c(front, Array(bytes[cut...]), count - cut) == whole)
    }
  }

  @Test("Every page of a closed store has the checksum of its number and its bytes")
  func allPages() throws {
    let all = try pages()
    #expect(all.count > 20)
    #expect(all[0][20] == 4)
    for (index, page) in all.enumerated() { #expect(isWhole(page, UInt32(index + 1)), "page \(index + 1)") }
    #expect(!isWhole(all[1], 3))
  }

  @Test("heddle check names each page that changed, wherever its bit flipped")
  func check() throws {
    let count = try pages().count
    var found = 0
    for page in 2...count {
      let copy = try folder.copy()
      try flip(page: page, byte: page * 97 % Self.pageBytes, in: copy)
      let problems = try SQLiteStore.check(folder: copy.path)
      if problems.contains("database: page \(page) with a wrong checksum") { found += 1 }
      #expect(problems.filter { $0.hasPrefix("database: page ") && $0.hasSuffix(" with a wrong checksum") }.count <= 1)
    }
    // Pages that nothing uses are not read.
    let free = Int(try folder.connection().text("PRAGMA freelist_count") ?? "") ?? -1
    #expect(found == count - 1 - free)
  }

  @Test("A page with a wrong checksum still gives what is whole in it, and takes no change")
  func neighbours() async throws {
    // In the last byte of the page: what it holds is as it was.
    try flip(page: try leaf(holding: bytes(of: ids[5]), of: "threads"), byte: Self.pageBytes - 1, in: folder)
    let store = try SQLiteStore(folder: folder.path)
    for id in ids {
      #expect(try store.row(id, tenant: "t")?.name == "name")
      #expect(try store.load(id, tenant: "t")?.row.sequence == 9)
      #expect(try store.allEvents(id).count == 9)
    }
    let before = try folder.bytes("heddle.db")
    await #expect(throws: StoreError.damaged(thread: ids[5], sequence: 0)) {
      try await store.write(.events(ids[5], [event(10)]), .thread(row(ids[5], sequence: 10, name: "name")))
    }
    // Threads on other pages take changes.
    var written = 0
    for id in ids {
      do {
        try await store.write(.events(id, [event(10)]), .thread(row(id, sequence: 10, name: "name")))
        written += 1
        #expect(try store.allEvents(id).count == 10)
      } catch {
        #expect(error as? StoreError == .damaged(thread: id, sequence: 0))
        #expect(try store.allEvents(id).count == 9)
      }
    }
    #expect(1..<ids.count ~= written)
    #expect(try folder.bytes("heddle.db") == before)
  }

  @Test("What cannot be proven without a page with a wrong checksum is refused: lists, look-ups, what is not there")
  func refusals() throws {
    let threads = try leaf(holding: bytes(of: ids[5]), of: "threads")
    let index = try leaf(holding: bytes(of: ids[5]), of: "threads_list")
    let nobody = StoreError.damaged(thread: ThreadID(), sequence: 0)
    for page in [threads, index] {
      let copy = try folder.copy()
      try flip(page: page, byte: Self.pageBytes - 1, in: copy)
      let store = try SQLiteStore(folder: copy.path)
      #expect(throws: nobody) { try store.list(tenant: "t", filter: ThreadFilter(), after: nil, limit: 200) }
      #expect(try store.row(ids[5], tenant: "t") != nil)
    }
    let keys = try leaf(holding: bytes(of: ids[0]), of: "keys")
    try flip(page: keys, byte: Self.pageBytes - 1, in: folder)
    let store = try SQLiteStore(folder: folder.path)
    #expect(try store.key(keyRecord(0, thread: nil).key, tenant: "t") == keyRecord(0, thread: ids[0]))
    // Not there, and would be in front of it.
    #expect(throws: nobody) { try store.key(IdempotencyKey(high: 8, low: 1), tenant: "t") }
    #expect(try store.list(tenant: "t", filter: ThreadFilter(), after: nil, limit: 200).rows.count == ids.count)
  }

  private func items(_ store: SQLiteStore, _ id: ThreadID, ordinal: UInt64? = nil, backwards: Bool) throws -> [UInt64] {
    let all = try store.events(
      id, kinds: [13], from: 0, backwards: backwards, ordinal: ordinal, hidden: [], limit: 99)
    return all.map(\.sequence)
  }

  @Test(
    "Items and turns that prove themselves are listed beside a page with a wrong checksum",
    arguments: ["events", "turns", "snapshots", "turns_id"])
  func listsOfOneThread(table: String) throws {
    try flip(page: try leaf(holding: bytes(of: ids[5]), of: table), byte: Self.pageBytes - 1, in: folder)
    let store = try SQLiteStore(folder: folder.path)
    for backwards in [false, true] {
      let order = backwards ? Array((1...9 as ClosedRange<UInt64>).reversed()) : Array(1...9)
      #expect(try items(store, ids[5], backwards: backwards) == order)
      #expect(try items(store, ids[5], ordinal: 1, backwards: backwards) == order)
      let turns = try store.turns(ids[5], from: 0, backwards: backwards, hidden: [], limit: 9)
      #expect(turns.map(\.payload) == [turnBytes(5)])
    }
    #expect(try store.turn(ids[5], id: turnID(1))?.payload == turnBytes(5))
    #expect(try store.turn(ids[5], ordinal: 1) == turnBytes(5))
    if table == "turns_id" {
      #expect(throws: StoreError.damaged(thread: ids[5], sequence: 9)) { try store.turn(ids[5], id: turnID(2)) }
    }
  }

  @Test("What says where a turn's events are is not believed without its page")
  func stretches() throws {
    let damage = StoreError.damaged(thread: ids[5], sequence: 0)
    let (table, index) = (try folder.copy(), try folder.copy())
    try flip(page: try leaf(holding: bytes(of: ids[5]), of: "stretches"), byte: Self.pageBytes - 1, in: table)
    try flip(page: try leaf(holding: bytes(of: ids[5]), of: "stretches_ordinal"), byte: Self.pageBytes - 1, in: index)
    var store = try SQLiteStore(folder: table.path)
    #expect(throws: damage) { try items(store, ids[5], ordinal: 1, backwards: false) }
    #expect(try items(store, ids[5], backwards: false) == Array(1...9))
    store = try SQLiteStore(folder: index.path)
    #expect(throws: damage) { try store.turns(ids[5], from: 0, backwards: false, hidden: [], limit: 9) }
    #expect(throws: damage) { try store.turn(ids[5], ordinal: 2) }
    #expect(try store.turn(ids[5], ordinal: 1) == turnBytes(5))
    #expect(try store.allEvents(ids[5]).count == 9)
  }

  @Test("Events that stand out of order, on pages whose checksums are right, are told by heddle check")
  func order() throws {
    var all = try pages()
    let page = try leaf(holding: bytes(of: ids[5]), of: "events")
    all[page - 1].swapAt(8, 10)
    all[page - 1].swapAt(9, 11)
    all[page - 1].withUnsafeMutableBytes { heddle_page_seal($0.baseAddress, Self.pageBytes, UInt32(page)) }
    try folder.replace("heddle.db", Array(all.joined()))
    let problems = try SQLiteStore.check(folder: folder.path)
    #expect(!problems.contains { $0.hasPrefix("database: page ") })
    #expect(problems.contains { $0.contains(" stands behind ") || $0.contains(" are missing") })
  }

  /// All that is listed of one thread.
  private func lists(_ store: SQLiteStore, _ id: ThreadID, backwards: Bool) throws -> [[UInt8]] {
    try store.turns(id, from: 0, backwards: backwards, hidden: [], limit: 9).map { $0.payload + [UInt8($0.ordinal)] }
      + [try items(store, id, backwards: backwards).map { UInt8($0) }]
      + store.allEvents(id).map(\.payload)
      + [(try store.turn(id, id: turnID(1)))?.payload ?? [], try store.turn(id, ordinal: 1) ?? []]
      + [try store.load(id, tenant: "t")?.snapshot ?? []]
      + [Array("\(try store.row(id, tenant: "t")?.id ?? ThreadID())".utf8)]
  }

  @Test(
    "A row that a damaged page shows in the place of another is not taken for it",
    arguments: ["events", "turns", "threads", "snapshots"], [false, true])
  func twice(table: String, backwards: Bool) throws {
    let page = try leaf(holding: bytes(of: ids[5]), of: table)
    let whole = try pages()
    let count = Int(whole[page - 1][3]) << 8 | Int(whole[page - 1][4])
    let store = try SQLiteStore(folder: folder.path)
    let before = try ids.prefix(8).map { try lists(store, $0, backwards: backwards) }
    store.close()
    // Cell pointers in turn become those of others, near and far, of this thread and of its neighbours.
    var told = 0
    var tried = 0
    for cell in 0..<min(count, 6) {
      for other in [cell - 1, cell + 2, count - 1] where other != cell && 0..<count ~= other {
        var all = whole
        all[page - 1][8 + 2 * cell] = whole[page - 1][8 + 2 * other]
        all[page - 1][9 + 2 * cell] = whole[page - 1][9 + 2 * other]
        let copy = try folder.copy()
        try copy.replace("heddle.db", Array(all.joined()))
        let damaged = try SQLiteStore(folder: copy.path)
        tried += 1
        var isTold = false
        for (id, expected) in zip(ids.prefix(8), before) {
          do { #expect(try expected == lists(damaged, id, backwards: backwards)) } catch { isTold = true }
        }
        if isTold { told += 1 }
      }
    }
    #expect(told > 0 && told <= tried)
  }

  @Test("A thread that a damaged page does not show is not taken for one that never was")
  func missing() throws {
    let page = try leaf(holding: bytes(of: ids[5]), of: "threads")
    var damaged = try pages()
    // The page says that it has no rows.
    damaged[page - 1][3] = 0
    damaged[page - 1][4] = 0
    try folder.replace("heddle.db", Array(damaged.joined()))
    let store = try SQLiteStore(folder: folder.path)
    #expect(throws: StoreError.damaged(thread: ids[5], sequence: 0)) { try store.row(ids[5], tenant: "t") }
    #expect(throws: StoreError.damaged(thread: ids[5], sequence: 0)) { try store.load(ids[5], tenant: "t") }
  }

  @Test(
    "A file that ends in the middle of a page, or in front of one, is damaged",
    arguments: [1, 700, 4_095, 4_096, 9_000])
  func cutOff(bytes: Int) throws {
    try folder.replace("heddle.db", Array(try folder.bytes("heddle.db").dropLast(bytes)))
    #expect(try !SQLiteStore.check(folder: folder.path).isEmpty)
  }

  @Test("A damaged page is told once, by number, though what is whole in it is served")
  func telling() async throws {
    let page = try leaf(holding: bytes(of: ids[5]), of: "threads")
    try flip(page: page, byte: Self.pageBytes - 1, in: folder)
    let store = try SQLiteStore(folder: folder.path)
    let told = Recorder<String>()
    store.health.listen { notice in
      if case .concern(_, let details, let isUrgent) = notice { told.add("\(details) \(isUrgent)") }
    }
    for _ in 1...3 { #expect(try store.row(ids[5], tenant: "t") != nil) }
    try? await store.write(.events(ids[5], [event(10)]), .thread(row(ids[5], sequence: 10)))
    #expect(told.all == [#"["page": "\#(page)"] true"#])
  }

  @Test(
    "A copy that SQLite made without the checksums is served when they are given to it, and only if all else is well")
  func reseal() async throws {
    let other = try TemporaryFolder()
    var copy: OpaquePointer?
    var original: OpaquePointer?
    #expect(sqlite3_open(other.path + "/heddle.db", &copy) == SQLITE_OK)
    #expect(sqlite3_open_v2(folder.path + "/heddle.db", &original, SQLITE_OPEN_READONLY, nil) == SQLITE_OK)
    let backup = sqlite3_backup_init(copy, "main", original, "main")
    #expect(sqlite3_backup_step(backup, -1) == SQLITE_DONE)
    sqlite3_backup_finish(backup)
    sqlite3_exec(copy, "CREATE TABLE more(x); DROP TABLE more", nil, nil, nil)
    sqlite3_close(copy)
    sqlite3_close(original)
    chmod(other.path + "/heddle.db", 0o600)
    #expect(throws: StoreError.self) { try SQLiteStore(folder: other.path) }
    #expect(try !SQLiteStore.check(folder: other.path).isEmpty)
    let damaged = try other.copy()
    #expect(try SQLiteStore.reseal(folder: other.path) == [])
    let store = try SQLiteStore(folder: other.path)
    #expect(try store.check() == [])
    for id in ids { #expect(try store.allEvents(id).count == 9) }

    // A row that is not what was written.
    var changed = try damaged.bytes("heddle.db")
    changed[try leaf(holding: bytes(of: ids[5]), of: "events") * Self.pageBytes - 40] ^= 1
    try damaged.replace("heddle.db", changed)
    #expect(try !SQLiteStore.reseal(folder: damaged.path).isEmpty)
    #expect(try damaged.bytes("heddle.db") == changed)
  }

  @Test("Checksums are not given to a database that another program holds")
  func noReseal() throws {
    let reader = try folder.connection()
    try reader.execute("INSERT INTO features VALUES ('late', 1); BEGIN")
    #expect(try reader.text("SELECT name FROM features") == "late")
    #expect(throws: StoreError.unusable("another program holds the database: end it and try again")) {
      try SQLiteStore.reseal(folder: folder.path)
    }
    try reader.execute("ROLLBACK")
    reader.close()
    #expect(try SQLiteStore.reseal(folder: folder.path) == [])
  }

  @Test("Threads that were at work are found by their rows when the index that lists them is damaged")
  func activeWithoutIndex() async throws {
    let before = try SQLiteStore(folder: folder.path)
    for id in [ids[7], ids[5]] {
      var atWork = row(id, sequence: 9, name: "name")
      atWork.active = true
      try await before.write(.thread(atWork))
    }
    before.close()
    let page =
      Int(try folder.connection().text("SELECT rootpage FROM sqlite_master WHERE name = 'threads_active'") ?? "") ?? 0
    for byte in [0, Self.pageBytes - 1] {
      try flip(page: page, byte: byte, in: folder)
      let store = try SQLiteStore(folder: folder.path)
      #expect(try store.active(in: .all).map(\.id) == [ids[5], ids[7]])
      store.close()
    }
  }

  @Test(
    "An earlier version's first start that ended in the middle leaves an empty database, which gets room for checksums")
  func halfMade() async throws {
    let other = try TemporaryFolder()
    var made: OpaquePointer?
    #expect(sqlite3_open(other.path + "/heddle.db", &made) == SQLITE_OK)
    sqlite3_exec(made, "PRAGMA journal_mode = WAL", nil, nil, nil)
    sqlite3_close(made)
    #expect(try other.bytes("heddle.db").count == Self.pageBytes)
    chmod(other.path + "/heddle.db", 0o600)
    for _ in 1...2 {
      let store = try SQLiteStore(folder: other.path)
      try? await store.write([newThread(ids[0], 3)])
      #expect(try store.allEvents(ids[0]).count == 3)
      #expect(try store.check() == [])
      store.close()
    }
    #expect(try other.bytes("heddle.db")[20] == 4)
  }

  @Test(
    "Features set at run time that are damaged keep the server from starting, since threads would be pinned wrongly")
  func features() throws {
    let page =
      Int(try folder.connection().text("SELECT rootpage FROM sqlite_master WHERE name = 'features'") ?? "") ?? 0
    try flip(page: page, byte: 4_000, in: folder)
    let store = try SQLiteStore(folder: folder.path)
    #expect(
      throws: StoreError.unusable(
        "the features that were set at run time are damaged: heddle check tells more; restore a backup")
    ) { try store.features() }
  }

  @Test("A page in the place of another is found out, though its bytes are whole")
  func misplaced() throws {
    let page = try leaf(holding: bytes(of: ids[5]), of: "keys")
    let other = try leaf(holding: bytes(of: ids[5]), of: "snapshots")
    var all = try pages()
    all[page - 1] = all[other - 1]
    try folder.replace("heddle.db", Array(all.joined()))
    #expect(try SQLiteStore.check(folder: folder.path).contains("database: page \(page) with a wrong checksum"))
  }

  @Test(
    "A bit of the first page that flips keeps the store from being opened, and nothing is changed", arguments: 0..<100)
  func head(byte: Int) throws {
    try flip(page: 1, byte: byte, bit: UInt8(1 << (byte % 8)), in: folder)
    let before = try folder.bytes("heddle.db")
    #expect {
      try SQLiteStore(folder: folder.path).close()
    } throws: { error in
      if case StoreError.unusable = error { return true }
      return false
    }
    let after = try folder.bytes("heddle.db")
    #expect(after == before)
  }

  @Test("An event whose page has a wrong checksum is written over by nobody")
  func spread() async throws {
    let page = try leaf(holding: bytes(of: ids[5]), of: "events")
    let whole = try pages()
    // Each byte of the page's head and of its first cell pointers.
    for byte in 0..<24 {
      let copy = try folder.copy()
      try flip(page: page, byte: byte, bit: 4, in: copy)
      do {
        let store = try SQLiteStore(folder: copy.path)
        for id in ids {
          try? await store.write(.events(id, events(10...12)), .thread(row(id, sequence: 12, name: "name")))
        }
        store.close()
      }
      // Undone, everything that was there before is there.
      var bytes = try copy.bytes("heddle.db")
      bytes.replaceSubrange(((page - 1) * Self.pageBytes)..<(page * Self.pageBytes), with: whole[page - 1])
      try copy.replace("heddle.db", bytes)
      let store = try SQLiteStore(folder: copy.path)
      for id in ids { #expect(try store.allEvents(id).prefix(9).map(\.sequence) == Array(1...9)) }
      #expect(try store.check() == [])
    }
  }
}
