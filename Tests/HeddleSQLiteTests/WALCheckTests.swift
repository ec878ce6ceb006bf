// L1 to L4 of WALCheck.swift: damage in the log is refused, a torn end is not, and neither changes the log.

import Glibc
import HeddleCore
import HeddleStorage
import HeddleStoreContract
import Testing

@testable import HeddleSQLite

@Suite struct WALCheckTests {
  static let commits: UInt64 = 6
  let folder: TemporaryFolder
  let store: SQLiteStore
  let one = threadID(1)

  /// A store that stays open, with a log of several commits of one to a few frames.
  init() async throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore(folder: folder.path)
    try await store.write([newThread(one, 1)])
    for number in 2...Self.commits {
      try await store.write(
        .events(one, [event(number, String(repeating: "x", count: number % 2 == 0 ? 9_000 : 10))]),
        .thread(row(one, sequence: number)))
    }
  }

  private static let pageBytes = 4_096
  private static let frameBytes = 24 + pageBytes

  /// Which frames end a commit, by number from 0.
  private func ends(_ log: [UInt8]) -> [Int] {
    (0..<log.count / Self.frameBytes).filter { frame in
      log[(32 + frame * Self.frameBytes + 4)..<(32 + frame * Self.frameBytes + 8)].contains { $0 != 0 }
    }
  }

  /// The files that a killed process leaves, with other bytes in the log.
  private func left(_ change: (inout [UInt8]) -> Void) throws -> TemporaryFolder {
    let copy = try folder.copy()
    var log = try copy.bytes("heddle.db-wal")
    change(&log)
    try copy.replace("heddle.db-wal", log)
    return copy
  }

  /// The log stays as it is; the next commit begins it anew.
  private func moveIntoDatabase() throws {
    let side = try folder.connection()
    // SQLite looks at the log with the first read.
    #expect(try side.text("SELECT count(*) FROM threads") == "1")
    // SQLITE_CHECKPOINT_PASSIVE
    #expect(try side.checkpoint(0))
    side.close()
    // In the place of the store's own checkpoint: it would end itself otherwise (D8).
    store.diskHealth.folder?.databaseChanged()
  }

  private func expectRefusal(_ folder: TemporaryFolder, _ beginning: String) throws {
    let before = try folder.bytes("heddle.db-wal")
    #expect {
      try SQLiteStore(folder: folder.path)
    } throws: { error in
      if case StoreError.unusable(let text) = error { return text.hasPrefix(beginning) }
      return false
    }
    #expect(try SQLiteStore.check(folder: folder.path).first?.hasPrefix(beginning) == true)
    #expect(try folder.bytes("heddle.db-wal") == before)
  }

  private func expectHead(_ folder: TemporaryFolder, _ head: UInt64) throws {
    #expect(try SQLiteStore.check(folder: folder.path) == [])
    let reopened = try SQLiteStore(folder: folder.path)
    #expect(try reopened.allEvents(one).count == Int(head))
  }

  @Test("A log that is whole opens with all its commits")
  func whole() throws {
    let copy = try left { _ in }
    #expect(ends(try copy.bytes("heddle.db-wal")).count == Int(Self.commits))
    try expectHead(copy, Self.commits)
  }

  @Test("D7: a bit that flips in any frame in front of the last commit is told, wherever in the frame it is")
  func damagedFrames() throws {
    let ends = ends(try folder.bytes("heddle.db-wal"))
    let last = ends[ends.count - 2]
    for frame in 0...last {
      // Page number, salt, either checksum, and the page.
      for place in [3, 9, 17, 23, 24, 2_000, Self.frameBytes - 1] {
        let offset = 32 + frame * Self.frameBytes
        let copy = try left { $0[offset + place] ^= 4 }
        try expectRefusal(copy, "heddle.db-wal is damaged at byte \(offset) (frame \(frame + 1)), ")
      }
    }
  }

  @Test("D7: more than one damaged frame does not hide the commits behind them")
  func damagedBlock() throws {
    let copy = try left { log in for place in 4_096..<12_288 { log[place] = 0xA5 } }
    try expectRefusal(copy, "heddle.db-wal is damaged at byte 32 (frame 1), ")
  }

  @Test("D6: the last commit may be torn in any way, and is left out")
  func tornEnd() throws {
    let log = try folder.bytes("heddle.db-wal")
    let ends = ends(log)
    for frame in (ends[ends.count - 2] + 1)...(ends[ends.count - 1]) {
      let offset = 32 + frame * Self.frameBytes
      for place in [3, 9, 17, 24, 2_000] {
        try expectHead(try left { $0[offset + place] ^= 4 }, Self.commits - 1)
      }
      try expectHead(try left { $0.removeSubrange((offset + 100)...) }, Self.commits - 1)
    }
  }

  @Test("L2: what an earlier failed commit left behind the torn one is no proof of damage")
  func staleTail() throws {
    // The last commit twice: as one that was torn, and behind it the same frames of an older one with its end.
    let copy = try left { log in
      let ends = ends(log)
      let tail = Array(log[(32 + (ends[ends.count - 2] + 1) * Self.frameBytes)...])
      log[32 + (ends[ends.count - 2] + 1) * Self.frameBytes + 500] ^= 1
      log += tail
    }
    try expectHead(copy, Self.commits - 1)
  }

  @Test("L3: frames of the log's earlier use do not count")
  func earlierGeneration() async throws {
    try moveIntoDatabase()
    // The store takes it for its own doing, and not for that of another program.
    store.diskHealth.folder?.databaseChanged()
    try await store.write(.events(one, [event(Self.commits + 1)]), .thread(row(one, sequence: Self.commits + 1)))
    let log = try folder.bytes("heddle.db-wal")
    #expect(ends(log).count > 2)
    try expectHead(try left { _ in }, Self.commits + 1)
    // L4: and a header that was torn when the log was begun anew hides nothing.
    try expectHead(try left { $0[32 + 500] ^= 1 }, Self.commits)
  }

  @Test("D7 L4: a damaged header is told if commits behind it are not in the database", arguments: [1, 10, 17, 30])
  func damagedHeader(place: Int) async throws {
    try expectRefusal(try left { $0[place] ^= 4 }, "heddle.db-wal has a damaged header")
    try moveIntoDatabase()
    try expectHead(try left { $0[place] ^= 4 }, Self.commits)
    try expectHead(try left { log in for place in 0..<32 { log[place] = 0xA5 } }, Self.commits)
  }

  @Test("A log without a whole header or frame is none")
  func short() throws {
    for count in [0, 1, 31, 32, 100] {
      let copy = try folder.copy()
      try copy.replace("heddle.db-wal", Array(try folder.bytes("heddle.db-wal").prefix(count)))
      #expect(try WALCheck.damage(databasePath: copy.path + "/heddle.db") == nil)
    }
    unlink(folder.path + "/heddle.db-wal")
    #expect(try WALCheck.damage(databasePath: folder.path + "/heddle.db") == nil)
  }
}
