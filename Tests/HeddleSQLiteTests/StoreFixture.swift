// A folder that goes away, for the tests of SQLite's store, and the store in it as the contract's rules want it.

import Glibc
import HeddleCore
import HeddleProtocol
import HeddleStorage
import HeddleStoreContract
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
    // A connection that moves the log into the database has to write them.
    if try connection.text("PRAGMA user_version") == "\(SQLiteSchema.version)" { try connection.startPageChecksums() }
    return connection
  }
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
