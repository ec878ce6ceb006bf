// A store of an earlier version gets checksums of pages, which needs four bytes of every page: all of it is written anew,
// beside the old database, and then takes its place.
//
// U1  A crash or a power cut leaves the old database or the new one, whole. The old one's log is gone, its name too, before
//     the new one has its name: SQLite would lay it over the new one otherwise.
// U2  Only a database in which SQLite finds nothing wrong is written anew: what is damaged must not be left behind in
//     silence (D7). One that is damaged, or has no room for a second of its size, stays as it is, and version 2 is served
//     as it is; the next start tries again.

import CSQLite
import Glibc
import HeddleCore
import HeddleStorage

enum SchemaMigration {
  /// Before anyone else opens the database. Says why an earlier version stays what it is; nil: it does not, or was none.
  static func run(_ folder: DataFolder) throws(StoreError) -> String? {
    let new = folder.newDatabasePath
    for leftover in ["", "-journal"] { folder.remove(new + leftover) }
    let connection = try SQLiteConnection(path: folder.databasePath, readOnly: false)
    defer { connection.close() }
    do throws(StoreError) {
      guard try 1...2 ~= SQLiteSchema.examine(connection) else { return nil }
    } catch {
      // Opening it says so in its own words.
      if connection.metDamage { return nil }
      throw error
    }
    do throws(StoreError) {
      try connection.execute("PRAGMA cache_size = -65536")
      // Commits in the log belong to the old database.
      guard try connection.checkpoint(SQLITE_CHECKPOINT_TRUNCATE) else { return "another program reads it" }
      guard try connection.text("PRAGMA integrity_check(1)") == "ok" else {
        return "it is damaged: heddle check tells more"
      }
      try folder.makeFile(new)
      try write(connection, to: new)
      try folder.sealPages(of: new)
      try folder.sync(new)
    } catch {
      for leftover in ["", "-journal"] { folder.remove(new + leftover) }
      if connection.metDamage { return "it is damaged: heddle check tells more" }
      if error == .diskFull { return "there is no room for a second of its size" }
      throw error
    }
    connection.close()
    try folder.dropLog()
    try folder.putInPlace(new)
    return nil
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
    // Nobody needs what a crash leaves of it.
    try made.execute(
      """
      PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      BEGIN IMMEDIATE; \(fromVersion1) PRAGMA user_version = \(SQLiteSchema.version); COMMIT
      """)
  }
}
