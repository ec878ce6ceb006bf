// The history of `heddle chat` between its runs: a file of the user's own, in the user's state folder.
//
// K1  Nobody else can read it: the file is 0600 and a folder made for it 0700; one that others can read is made 0600, and
//     one that belongs to somebody else is not used.
// K2  Several chats may write: each change is made under a lock on the file that the path names at that moment, by one
//     append, or by another file that takes its place whole.
// K3  A file that cannot be used is told of once, and never ends a chat.

import Foundation
import HeddleChat

struct ChatHistoryFile {
  /// A reason not to use the file, for people.
  private struct Unusable: Error {
    var reason: String

    init(_ reason: String) { self.reason = reason }

    /// The last call of the system's that failed.
    init(errno number: Int32) { reason = String(cString: strerror(number)) }
  }

  private let path: String
  private var isOff = false

  /// More than a thousand entries of a person's; a file that is larger is another one.
  private static let fileBytes: Int64 = 64 << 20
  private static let lockAttempts = 50

  /// The file that the environment asks for; none when it asks for none, or when there is no home.
  init?(environment variables: [String: String] = ProcessInfo.processInfo.environment) {
    if let path = variables["HEDDLE_CHAT_HISTORY"] {
      if path.isEmpty { return nil }
      self.path = path
      return
    }
    // A relative path is to be ignored there, says the standard of these folders.
    if let state = variables["XDG_STATE_HOME"], state.hasPrefix("/") {
      path = state + "/heddle/chat-history"
    } else if let home = variables["HOME"], home.hasPrefix("/") {
      path = home + "/.local/state/heddle/chat-history"
    } else {
      return nil
    }
  }

  /// Entries of earlier runs, the newest last, and a notice if there is a reason for one.
  mutating func load() -> (entries: [String], notice: String?) {
    do { return (ChatHistory.entries(try whileLocked(Self.content)), nil) } catch {
      let entries = (try? Self.readable(path)) ?? []
      return (entries, turnOff(error))
    }
  }

  /// Keeps an entry. Gives a notice if it cannot, the first time.
  mutating func add(_ entry: String) -> String? {
    guard !isOff, ChatHistory.keeps(entry) else { return nil }
    do {
      try whileLocked { file throws(Unusable) in
        switch ChatHistory.adding(entry, to: try Self.content(of: file)) {
        case .nothing: break
        case .append(let bytes):
          guard lseek(file, 0, SEEK_END) >= 0 else { throw Unusable(errno: errno) }
          try Self.write(bytes, to: file)
        case .replace(let bytes): try replace(bytes)
        }
      }
      return nil
    } catch { return turnOff(error) }
  }

  private mutating func turnOff(_ error: Unusable) -> String {
    isOff = true
    return "— no history is kept: \(path): \(error.reason)"
  }

  // MARK: The file

  /// A link is followed, so that another file takes the place of its target and not of the link.
  private var target: String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private func whileLocked<Value>(_ body: (Int32) throws(Unusable) -> Value) throws(Unusable) -> Value {
    try Self.makeFolder(of: path)
    for _ in 0..<Self.lockAttempts {
      let file = open(target, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
      guard file >= 0 else { throw Unusable(errno: errno) }
      defer { close(file) }
      let held = try Self.checked(file)
      if flock(file, LOCK_EX | LOCK_NB) != 0 {
        guard errno == EWOULDBLOCK || errno == EINTR else { throw Unusable(errno: errno) }
        usleep(10_000)
        continue
      }
      // Another chat may have put another file there before the lock was ours (K2).
      var named = stat()
      if stat(target, &named) == 0, named.st_ino == held.st_ino, named.st_dev == held.st_dev { return try body(file) }
    }
    throw Unusable("another program holds it")
  }

  /// A file of the user's own that others cannot read (K1).
  private static func checked(_ file: Int32) throws(Unusable) -> stat {
    var found = stat()
    guard fstat(file, &found) == 0 else { throw Unusable(errno: errno) }
    guard found.st_mode & S_IFMT == S_IFREG else { throw Unusable("it is no regular file") }
    guard found.st_uid == geteuid() else { throw Unusable("it belongs to another user") }
    guard found.st_size <= fileBytes else { throw Unusable("it is larger than a history can be") }
    if found.st_mode & 0o077 != 0, fchmod(file, 0o600) != 0 {
      throw Unusable("others can read it, and that cannot be changed; chmod 600 does")
    }
    return found
  }

  private static func makeFolder(of path: String) throws(Unusable) {
    guard let end = path.lastIndex(of: "/"), end > path.startIndex else { return }
    let folder = String(path[..<end])
    if mkdir(folder, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT else { throw Unusable(errno: errno) }
    try makeFolder(of: folder)
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw Unusable(errno: errno) }
  }

  private static func content(of file: Int32) throws(Unusable) -> [UInt8] {
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    guard lseek(file, 0, SEEK_SET) >= 0 else { throw Unusable(errno: errno) }
    while content.count <= fileBytes {
      let count = Foundation.read(file, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Unusable(errno: errno) }
      if count == 0 { break }
      content += buffer[..<count]
    }
    return content
  }

  private static func write(_ bytes: [UInt8], to file: Int32) throws(Unusable) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Unusable(errno: errno) }
      rest = rest.dropFirst(count)
    }
  }

  /// A file that was written whole takes the place of the old one.
  private func replace(_ bytes: [UInt8]) throws(Unusable) {
    let target = target
    var name = Array("\(target).XXXXXX".utf8CString)
    let file = mkstemp(&name)
    guard file >= 0 else { throw Unusable(errno: errno) }
    defer { close(file) }
    do throws(Unusable) {
      try Self.write(bytes, to: file)
      guard fchmod(file, 0o600) == 0, fsync(file) == 0, rename(name, target) == 0 else {
        throw Unusable(errno: errno)
      }
    } catch {
      unlink(name)
      throw error
    }
  }

  /// The entries of a file that can be read but not written.
  private static func readable(_ path: String) throws(Unusable) -> [String] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { throw Unusable(errno: errno) }
    defer { close(file) }
    var found = stat()
    guard fstat(file, &found) == 0, found.st_mode & S_IFMT == S_IFREG, found.st_uid == geteuid() else {
      throw Unusable("it is no file of this user's")
    }
    return ChatHistory.entries(try content(of: file))
  }
}
