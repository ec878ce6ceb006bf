// A store in a folder notices what becomes of its disk and its folder.

import CSQLite
import Glibc
import HeddleCore
import HeddleStorage
import HeddleStoreContract
import Testing

@testable import HeddleSQLite

@Suite struct DiskHealthTests {
  let folder: TemporaryFolder
  let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore(folder: folder.path)
  }

  /// Has the store look, and waits until it has.
  private func look() async throws {
    store.health.look()
    // Two threads do what is short; both have done what was there before.
    for _ in 0..<2 { _ = try await store.read { reader, _ throws(StoreError) in try reader.features() } }
    while store.diskHealth.isLooking { await Task.yield() }
  }

  private func reserved() -> Int {
    var status = stat()
    return stat(folder.path + "/reserve", &status) == 0 ? Int(status.st_blocks) * 512 : -1
  }

  @Test(
    "D9: a store that became read-only gives up its reserve, and is writable when it has it back and room beside it")
  func room() async throws {
    let told = Recorder<StoreNotice>()
    store.health.listen { told.add($0) }
    try await look()
    store.health.becameReadOnly()
    #expect(reserved() == 0)
    // Nothing fits beside the reserve.
    #expect(mkdir(folder.path + "/probe", 0o700) == 0)
    try await look()
    #expect(told.all == [] && reserved() == 0)
    #expect(rmdir(folder.path + "/probe") == 0)
    try await look()
    #expect(told.all == [.writable] && reserved() >= DataFolder.reserveBytes)
    try await look()
    #expect(told.all == [.writable])
  }

  @Test("D8: a write of another program is noticed while the store moves its log into the database")
  func writtenDuringCheckpoint() async throws {
    let connection = try folder.connection()
    _ = try connection.text("CREATE TABLE probe (number INTEGER)")
    connection.watchDatabase()
    #expect(try connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE))
    #expect(!connection.wasDatabaseChanged())

    _ = try connection.text("INSERT INTO probe VALUES (1)")
    connection.watchDatabase()
    // As `cp` does: the same file, of the same size.
    let bytes = try folder.bytes("heddle.db")
    let file = open(folder.path + "/heddle.db", O_WRONLY)
    #expect(write(file, bytes, bytes.count) == bytes.count)
    // The clock of files ticks every few milliseconds only: the write gets a time of its own.
    let times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
    #expect(futimens(file, times) == 0)
    close(file)
    #expect(try connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE))
    #expect(connection.wasDatabaseChanged())
  }

  @Test("D8: a folder that was taken away is noticed although nobody writes")
  func folderIsGone() async throws {
    let told = Recorder<StoreNotice>()
    store.health.listen { told.add($0) }
    #expect(rename(folder.path + "/heddle.db", folder.path + "/probe") == 0)
    try await look()
    #expect(rename(folder.path + "/probe", folder.path + "/heddle.db") == 0)
    guard case .failed(.failed(let text))? = told.all.first, told.all.count == 1 else {
      Issue.record("told: \(told.all)")
      return
    }
    #expect(text.contains("heddle.db cannot be found any more"))
  }
}
