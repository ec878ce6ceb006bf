// Text of deleted threads is in no file any more.

import HeddleCore
import HeddleStorage
import HeddleStoreContract
import Testing

@testable import HeddleSQLite

@Suite struct DeletedTextTests {
  let folder: TemporaryFolder
  let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore(folder: folder.path)
  }

  @Test("Deleted text is gone from the files")
  func deletedTextIsGone() async throws {
    let id = threadID(50)
    let secret = "a-secret-that-nobody-else-has"
    try await store.write(
      .events(id, [event(1, secret)]), .thread(row(id, sequence: 1, name: secret)),
      .turn(id, ordinal: 1, id: turnID(1), Array(secret.utf8)))
    try await store.write(.delete([id]))
    store.close()
    #expect(try !folder.contains(secret))
  }

  @Test("Deleted text is gone from the log too while the store is open, once a later group has been written")
  func deletedTextIsGoneWhileOpen() async throws {
    let secret = "a-secret-that-nobody-else-has"
    let id = threadID(50)
    try await store.write([newThread(id, 1, secret)])
    #expect(try folder.contains(secret))
    try await store.write(.delete([id]))
    // The log is emptied behind the answer, and before the next group.
    try await store.write(.feature("another", true))
    #expect(try !folder.contains(secret))
    #expect(try store.features() == ["another": true])
  }

  @Test("Deleted text that somebody reads meanwhile holds nobody up, and is gone once nobody reads it any more")
  func deletedTextIsGoneBehindAReader() async throws {
    let secret = "a-secret-that-somebody-reads"
    let id = threadID(50)
    try await store.write([newThread(id, 1, secret)])
    let reader = try folder.connection()
    try reader.execute("BEGIN")
    #expect(try reader.text("SELECT count(*) FROM threads") == "1")
    try await store.write(.delete([id]))
    try await store.write(.feature("one", true))
    #expect(try folder.contains(secret))
    try reader.execute("ROLLBACK")
    // The first of them tries again behind its answer, the second waits for that.
    try await store.write(.feature("two", true))
    try await store.write(.feature("three", true))
    #expect(try !folder.contains(secret))
  }
}
