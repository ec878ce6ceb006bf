// The data folder: who owns it, and the space held back for the day the disk is full.
//
// | file      | what it is                                                                       |
// |-----------|----------------------------------------------------------------------------------|
// | LOCK      | held by an open-file-description lock for life, the owner's pid inside (D13)     |
// | heddle.db | the database, with heddle.db-wal and heddle.db-shm while it is open              |
// | log.new   | a copy of heddle.db-wal, only while the server starts                             |
// | db.new    | the database written anew, only while one of an earlier version is opened        |
// | reserve   | 16 MiB, really allocated; given up when the disk is full (D9)                    |

import CPageChecksums
import Glibc
import HeddleStorage
import Synchronization

/// A folder that this process owns until `unlock` or the last reference goes.
final class DataFolder: Sendable {
  static let reserveBytes = 16 * 1024 * 1024

  /// `F_OFD_SETLK` of linux/fcntl.h, the same on all architectures; glibc shows it only under `_GNU_SOURCE`.
  private static let setOpenFileLock: Int32 = 37

  let path: String
  /// The descriptor that carries the lock; nil once it is released.
  private let lock: Mutex<Int32?>
  /// The files that the store has open; empty before it has them.
  private let held = Mutex<[HeldFile]>([])
  /// The size and time of the database after the store's own last write to it; nil while the store writes there.
  private let stamp = Mutex<Stamp?>(nil)
  /// One change of the reserve at a time.
  private let reserve = Mutex<Void>(())

  let databasePath: String
  var newDatabasePath: String { path + "/db.new" }
  private var reservePath: String { path + "/reserve" }

  /// Locks the folder. With `create` a missing one is made; without, nothing but the pid in `LOCK` is changed.
  init(path: String, create: Bool) throws(StoreError) {
    if create { try Self.make(path) }
    try Self.examine(path)
    self.path = path
    databasePath = path + "/heddle.db"
    lock = Mutex(try Self.takeLock(path + "/LOCK"))
  }

  deinit { unlock() }

  /// Gives the folder to whoever wants it. The file stays: removing it would let two owners hold two files of one name.
  func unlock() {
    held.withLock { $0 = [] }
    lock.withLock { descriptor in
      if let open = descriptor { close(open) }
      descriptor = nil
    }
  }

  private static func make(_ path: String) throws(StoreError) {
    guard mkdir(path, 0o700) == 0 else {
      if errno == EEXIST { return }
      throw .unusable("cannot create the data folder \(path): \(describe(errno)); create its parent or choose another")
    }
    try sync(folder: path + "/..")
  }

  private static func examine(_ path: String) throws(StoreError) {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw .unusable("cannot read the data folder \(path): \(describe(errno))")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .unusable("\(path) is not a folder") }
    guard status.st_mode & 0o022 == 0 else {
      throw .unusable("others may write to the data folder \(path): run chmod go-w on it")
    }
  }

  /// An open-file-description lock: unlike a POSIX one it is not lost when some other part of the process opens and
  /// closes the same file, and it keeps a second opener in the same process out, too.
  private static func takeLock(_ path: String) throws(StoreError) -> Int32 {
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw .unusable("cannot open \(path): \(describe(errno))") }
      var held = stat()
      guard fstat(descriptor, &held) == 0, held.st_mode & S_IFMT == S_IFREG else {
        close(descriptor)
        throw .unusable("\(path) is not a file")
      }
      var request = flock()
      request.l_type = Int16(F_WRLCK)
      request.l_whence = Int16(SEEK_SET)
      guard fcntl(descriptor, setOpenFileLock, &request) == 0 else {
        let reason = errno
        defer { close(descriptor) }
        guard reason == EAGAIN || reason == EACCES else { throw .unusable("cannot lock \(path): \(describe(reason))") }
        throw .inUse(by: "process \(readPid(descriptor))")
      }
      // Somebody may have replaced the file between open and lock; then the lock is on a file without a name.
      var named = stat()
      guard stat(path, &named) == 0, held.st_ino == named.st_ino,
        held.st_dev == named.st_dev
      else {
        close(descriptor)
        continue
      }
      let pid = Array("\(getpid())\n".utf8)
      // For people and for the second opener's message only, so a full disk is no reason to stop here.
      if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, pid, pid.count, 0) }
      return descriptor
    }
  }

  // MARK: Whether it is still there

  /// The file that had a name when the store was opened.
  private struct HeldFile {
    var path: String
    var device: dev_t
    var inode: ino_t
    var isDatabase: Bool
  }

  /// Remembers which files the store has open. To be called when it has opened them: as long as it has, no other file can
  /// get their numbers.
  func hold() throws(StoreError) {
    var files: [HeldFile] = []
    for path in [path + "/LOCK", databasePath, databasePath + "-wal", databasePath + "-shm"] {
      var named = stat()
      guard stat(path, &named) == 0 else { throw .failed("cannot read \(path): \(Self.describe(errno))") }
      files.append(
        HeldFile(path: path, device: named.st_dev, inode: named.st_ino, isDatabase: path == databasePath))
    }
    held.withLock { $0 = files }
    databaseChanged()
  }

  /// Shows that a file was written to.
  private struct Stamp: Equatable {
    /// No file has it.
    static let other = Stamp(size: -1, seconds: 0, nanoseconds: 0)

    private let size: off_t
    private let seconds: Int
    private let nanoseconds: Int

    private init(size: off_t, seconds: Int, nanoseconds: Int) {
      self.size = size
      self.seconds = seconds
      self.nanoseconds = nanoseconds
    }

    init(_ status: stat) {
      size = status.st_size
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    }
  }

  /// The store is about to move its log into the database, which only it may write.
  func databaseWillChange() { stamp.withLock { $0 = nil } }

  /// The store has written to the database, and others did meanwhile or not: then it stays unlike what the store knows.
  func databaseChanged(byOthers: Bool = false) {
    var named = stat()
    let isThere = stat(databasePath, &named) == 0
    stamp.withLock { $0 = byOthers ? .other : isThere ? Stamp(named) : nil }
  }

  /// Throws `failed` if one of these names is gone or names another file, or if another program wrote to the database:
  /// writes are lost then, however well they are synced.
  func verify() throws(StoreError) {
    let fault: String? = held.withLock { files in
      for file in files {
        var named = stat()
        guard stat(file.path, &named) == 0 else {
          return "\(file.path) cannot be found any more (\(Self.describe(errno)))"
        }
        guard named.st_dev == file.device, named.st_ino == file.inode else {
          return "\(file.path) was replaced by another file"
        }
        // A copy of another database over this one keeps its inode, but not its time.
        guard file.isDatabase, let stamp = stamp.withLock({ $0 }), stamp != Stamp(named) else { continue }
        return "\(file.path) was written by another program"
      }
      return nil
    }
    guard let fault else { return }
    throw .failed(
      "\(fault) while the server had it open: stop the server before you move, restore or remove its folder")
  }

  private static func readPid(_ descriptor: Int32) -> Int32 {
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &buffer, buffer.count, 0)
    return Int32(String(decoding: buffer.prefix(max(count, 0)).prefix { $0 >= 0x30 }, as: UTF8.self)) ?? 0
  }

  /// Makes the database file before SQLite does: readable by nobody else, its name on disk.
  func makeDatabaseFile() throws(StoreError) {
    let descriptor = open(databasePath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .unusable("cannot open \(databasePath): \(Self.describe(errno))") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .unusable("\(databasePath) is not a file")
    }
    try Self.sync(folder: path)
  }

  /// Makes an empty file that nobody else may read, in the place of one that a crash left.
  func makeFile(_ path: String) throws(StoreError) {
    unlink(path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      if errno == ENOSPC { throw .diskFull }
      throw .failed("cannot make \(path): \(Self.describe(errno))")
    }
    close(descriptor)
  }

  func remove(_ path: String) { unlink(path) }

  /// Writes the checksums of all pages of a database that has room for them and nobody has open.
  func sealPages(of path: String) throws(StoreError) {
    let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw .failed("cannot open \(path): \(Self.describe(errno))") }
    defer { close(descriptor) }
    var head = [UInt8](repeating: 0, count: 18)
    guard pread(descriptor, &head, head.count, 0) == head.count else { throw .failed("cannot read \(path)") }
    // 1 stands for 65,536.
    let words = Int(head[16]) << 8 | Int(head[17])
    let size = words == 1 ? 65_536 : max(words, 512)
    var page = [UInt8](repeating: 0, count: size)
    var number: UInt32 = 0
    while true {
      let place = off_t(number) * off_t(size)
      let count = pread(descriptor, &page, size, place)
      if count < 0, errno == EINTR { continue }
      // Bytes behind the last whole page belong to no page.
      if count >= 0, count < size { return }
      guard count == size else { throw .failed("cannot read \(path): \(Self.describe(errno))") }
      number += 1
      heddle_page_seal(&page, size, number)
      guard pwrite(descriptor, page, size, place) == size else {
        if errno == ENOSPC || errno == EDQUOT { throw .diskFull }
        throw .failed("cannot write \(path): \(Self.describe(errno))")
      }
    }
  }

  func sync(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw .failed("cannot open \(path): \(Self.describe(errno))") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else {
      if errno == ENOSPC || errno == EDQUOT { throw .diskFull }
      throw .failed("cannot sync \(path): \(Self.describe(errno))")
    }
  }

  /// Removes the log, of which everything is in the database, for good.
  func dropLog() throws(StoreError) {
    for name in [databasePath + "-wal", databasePath + "-shm"] {
      guard unlink(name) == 0 || errno == ENOENT else {
        throw .failed("cannot remove \(name): \(Self.describe(errno))")
      }
    }
    try Self.sync(folder: path)
  }

  /// Makes a synced file the database.
  func putInPlace(_ path: String) throws(StoreError) {
    guard rename(path, databasePath) == 0 else {
      throw .failed("cannot put \(path) in its place: \(Self.describe(errno))")
    }
    try Self.sync(folder: self.path)
  }

  static func sync(folder: String) throws(StoreError) {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unusable("cannot open the folder \(folder): \(describe(errno))") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .failed("cannot sync the folder \(folder): \(describe(errno))") }
  }

  /// Allocates the reserve if it is not there; false if the disk has no room for it.
  func allocateReserve() -> Bool {
    reserve.withLock { _ in
      let descriptor = open(reservePath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      guard posix_fallocate(descriptor, 0, Int(Self.reserveBytes)) == 0 else {
        // The part that was allocated is worth more to the database.
        _ = ftruncate(descriptor, 0)
        return false
      }
      return true
    }
  }

  /// Puts a copy of the database's log, written and synced, in its place. After a sync that failed, the kernel may take
  /// pages for clean that never reached the disk. Whoever reads them back, moves them into the database and loses the
  /// power in the middle has half of a commit in there, and nothing to mend it with (D8). Not in place: a power cut could
  /// then spoil what was safe.
  func renewLog() throws(StoreError) {
    let path = databasePath + "-wal"
    let log = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard log >= 0 else {
      if errno == ENOENT { return }
      throw .unusable("cannot open the log of \(self.path): \(Self.describe(errno))")
    }
    defer { close(log) }
    let copyPath = self.path + "/log.new"
    unlink(copyPath)
    let copy = open(copyPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard copy >= 0 else {
      if errno == ENOSPC { return }
      throw .failed("cannot make a file in \(self.path): \(Self.describe(errno))")
    }
    defer { close(copy) }
    guard try Self.copy(log, to: copy) else {
      // A full disk is no reason not to serve what is stored (D9): the log is then read as it is.
      unlink(copyPath)
      return
    }
    guard rename(copyPath, path) == 0 else {
      throw .failed("cannot put the log of \(self.path) in its place: \(Self.describe(errno))")
    }
    try Self.sync(folder: self.path)
  }

  /// False if there is no room for it.
  private static func copy(_ from: Int32, to: Int32) throws(StoreError) -> Bool {
    var piece = [UInt8](repeating: 0, count: 1024 * 1024)
    var place: off_t = 0
    while true {
      let count = pread(from, &piece, piece.count, place)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .failed("cannot read the log: \(describe(errno))") }
      if count == 0 { break }
      let written = pwrite(to, piece, count, place)
      if written < 0 && errno == EINTR { continue }
      if written < 0 && errno == ENOSPC { return false }
      guard written > 0 else { throw .failed("cannot write a copy of the log: \(describe(errno))") }
      place += off_t(written)
    }
    if fdatasync(to) == 0 { return true }
    guard errno == ENOSPC else { throw .failed("cannot sync a copy of the log: \(describe(errno))") }
    return false
  }

  /// Opening a database may grow it by what is in its log. If the disk is short of that, the reserve is what it is for.
  func makeRoomToOpen() {
    var disk = statvfs()
    guard statvfs(path, &disk) == 0 else { return }
    if UInt(disk.f_bavail) * UInt(disk.f_frsize) < UInt(Self.reserveBytes) { releaseReserve() }
  }

  /// Gives the reserved space back to the disk.
  func releaseReserve() {
    reserve.withLock { _ in
      let descriptor = open(reservePath, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      guard descriptor >= 0 else { return }
      _ = ftruncate(descriptor, 0)
      close(descriptor)
    }
  }

  /// Whether one more small file can be written and synced.
  func canWrite() -> Bool {
    let probe = path + "/probe"
    let descriptor = open(probe, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return false }
    defer {
      close(descriptor)
      unlink(probe)
    }
    let page = [UInt8](repeating: 0xA5, count: 4096)
    return write(descriptor, page, page.count) == page.count && fsync(descriptor) == 0
  }

  private static func describe(_ code: Int32) -> String { String(cString: strerror(code)) }
}
