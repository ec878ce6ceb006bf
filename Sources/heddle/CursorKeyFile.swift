// The key that signs page cursors: made with the data folder, readable by its owner only.

import Glibc
import HeddleStorage

enum CursorKeyFile {
  static let bytes = 32

  /// The stored key, or a new one. A disk too full for it does not keep the server from starting (durability.md D9): a key
  /// that is not kept costs the cursors of this run, nothing else.
  static func read(in folder: String) throws(StoreError) -> [UInt8] {
    let path = folder + "/cursor.key"
    if let stored = try stored(path) { return stored }
    let key = new()
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard file >= 0 else {
      if errno == ENOSPC || errno == EDQUOT { return key }
      throw unusable(path)
    }
    defer { close(file) }
    let count = write(file, key, key.count)
    guard count >= 0 || errno == ENOSPC || errno == EDQUOT else { throw unusable(path) }
    return key
  }

  /// nil if there is none: a process may be killed between making the file and writing it, and a power cut may leave
  /// zeroes, which anybody could sign with.
  private static func stored(_ path: String) throws(StoreError) -> [UInt8]? {
    // Not through a link, and not waiting for a pipe: whoever made one would know the key.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw unusable(path)
    }
    defer { close(file) }
    var info = stat()
    guard fstat(file, &info) == 0 else { throw unusable(path) }
    // A reader of the key can sign positions in another tenant's lists. The open file is asked, not its name.
    if info.st_mode & 0o077 != 0 {
      throw .unusable("the cursor key \(path) can be read by others; run: chmod 600 \(path)")
    }
    var stored = [UInt8](repeating: 0, count: bytes + 1)
    let count = pread(file, &stored, stored.count, 0)
    guard count >= 0 else { throw unusable(path) }
    return count == bytes && stored.contains { $0 != 0 } ? Array(stored.prefix(count)) : nil
  }

  private static func new() -> [UInt8] {
    var generator = SystemRandomNumberGenerator()
    return (0..<bytes).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
  }

  private static func unusable(_ path: String) -> StoreError {
    .unusable("cannot read or make \(path): \(String(cString: strerror(errno)))")
  }
}
