// A store of an earlier version gets checksums of pages, which needs four bytes of every page: all of it is written anew,
// beside the old database, and then takes its place.
//
// U1  A crash leaves the old database or the new one, whole.
// U2  Only a database in which SQLite finds nothing wrong is written anew: what is damaged must not be left behind in
//     silence (D7). One that is damaged, or has no room for a second of its size, stays as it is and is served as it is;
//     the next start tries again.

import CSQLite
import Glibc
import HeddleCore

enum StoreUpgrade {
  /// Before anyone else opens the database.
  static func run(_ folder: DataFolder) throws(StoreError) {
    let connection = try SQLiteConnection(path: folder.databasePath, readOnly: false)
    defer { connection.close() }
    let new = folder.newDatabasePath
    do throws(StoreError) {
      guard try 1...2 ~= SQLiteSchema.examine(connection) else { return }
      // What is in the log belongs to the old database.
      guard try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE) else { return }
      guard try connection.text("PRAGMA integrity_check(1)") == "ok" else { return }
      try folder.makeFile(new)
      try write(connection, to: new)
      try folder.sealPages(of: new)
    } catch {
      folder.remove(new)
      if error == .diskFull || connection.metDamage { return }
      throw error
    }
    connection.close()
    try folder.putInPlace(new)
  }

  private static func write(_ connection: SQLiteConnection, to new: String) throws(StoreError) {
    try connection.makeRoomForPageChecksums()
    let copy = try connection.statement("VACUUM INTO ?1")
    copy.bind(new, at: 1)
    try copy.run()
    let made = try SQLiteConnection(path: new, readOnly: false)
    defer { made.close() }
    try RowChecksum.register(on: made)
    let fromVersion1 = try made.text("PRAGMA user_version") == "1" ? SQLiteSchema.fromVersion1 : ""
    guard made.hasRoomForPageChecksums else {
      throw .unusable("SQLite refused to leave room for the checksums of pages")
    }
    try made.execute(
      """
      PRAGMA journal_mode = MEMORY;
      BEGIN IMMEDIATE; \(fromVersion1) PRAGMA user_version = \(SQLiteSchema.version); COMMIT
      """)
  }
}
