// The key that signs page cursors: made with the data folder, readable by its owner only.

import Foundation

enum CursorKeyFile {
  static func read(in folder: String) throws -> [UInt8] {
    let path = folder + "/cursor.key"
    if let stored = FileManager.default.contents(atPath: path), stored.count == 32 { return Array(stored) }
    var generator = SystemRandomNumberGenerator()
    let key = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    // A key that is lost in a crash costs the cursors of that moment, nothing else.
    guard
      FileManager.default.createFile(atPath: path, contents: Data(key), attributes: [.posixPermissions: 0o600])
    else { throw CocoaError(.fileWriteUnknown) }
    return key
  }
}
