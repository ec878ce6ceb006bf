// Looks at SQLite's write-ahead log before SQLite does (durability.md D7). SQLite ends the log at the first frame whose
// checksum is wrong, which is right for the torn end of a commit that a power cut interrupted, and would silently drop
// acknowledged commits when the frame is damaged. This tells the two apart and changes nothing.
//
// | bytes   | header of the log                      | bytes  | header of a frame, in front of its page             |
// |---------|----------------------------------------|--------|-----------------------------------------------------|
// | 0..<4   | magic; its last bit: byte order        | 0..<4  | page number                                         |
// | 4..<8   | version                                | 4..<8  | pages of the database, if it ends a commit; or 0    |
// | 8..<12  | bytes of a page                        | 8..<16 | the header's salts                                  |
// | 12..<16 | counts checkpoints                     | 16..<24| checksum of 0..<8 and the page, begun with that of  |
// | 16..<24 | salts, others each time the log begins |        | the frame before it or the header's                 |
// | 24..<32 | checksum of 0..<24                     |        |                                                     |
//
// L1  A commit is synced before the next one is written, so a power cut leaves at most one that is torn, the last.
// L2  So two commits in one unbroken run of checksums, behind or with the first frame that does not verify, prove that
//     it is not the torn end. What an earlier commit that failed left there is in a run of its own, without two.
// L3  Frames with other salts are of an earlier log in the same file, whose commits are all in the database.
// L4  A header is synced before the first frame behind it is written. So a torn one has only such frames behind it; if
//     what they say is in the database, nothing is lost with it.

import CPageChecksums
import Glibc
import HeddleStorage

struct WALCheck: ~Copyable {
  private static let headerBytes = 32
  private static let frameHeaderBytes = 24

  private let log: Int32
  private let header: [UInt8]
  private let pageBytes: Int
  private let isBigEndian: Bool
  private let headerIsWhole: Bool

  /// Says what is wrong with the log, for people; nil: no damage that can be told from a torn end.
  static func damage(databasePath: String) throws(StoreError) -> String? {
    let log = try open(databasePath + "-wal")
    guard log >= 0 else { return nil }
    defer { close(log) }
    let header = try read(log, headerBytes, at: 0)
    guard header.count == headerBytes else { return nil }
    let check = try WALCheck(log, header, databasePath)
    return check.headerIsWhole ? try check.damagedFrame() : try check.damagedHeader(databasePath)
  }

  private init(_ log: Int32, _ header: [UInt8], _ databasePath: String) throws(StoreError) {
    self.log = log
    self.header = header
    let bytes = Self.word(header, 8)
    let isWhole =
      Self.word(header, 0) & ~1 == 0x377F_0682 && 512...65_536 ~= bytes && bytes & (bytes - 1) == 0
      && Self.checksum(LogChecksum(), header[..<24], Self.word(header, 0) & 1 == 1) == LogChecksum(header, 24)
    isBigEndian = isWhole ? Self.word(header, 0) & 1 == 1 : 1.bigEndian == 1
    pageBytes = isWhole ? Int(bytes) : try Self.pageBytes(of: databasePath)
    headerIsWhole = isWhole
  }

  private static func pageBytes(of databasePath: String) throws(StoreError) -> Int {
    let database = try open(databasePath)
    guard database >= 0 else { return 4_096 }
    defer { close(database) }
    let header = try read(database, 18, at: 0)
    guard header.count == 18 else { return 4_096 }
    let bytes = Int(header[16]) << 8 | Int(header[17])
    // 1 stands for 65,536.
    return bytes == 1 ? 65_536 : max(bytes, 512)
  }

  private struct Frame {
    let page: UInt32
    /// 0: in the midst of a commit.
    let databasePages: UInt32
    let salts: ArraySlice<UInt8>
    let checksum: LogChecksum
    let bytes: [UInt8]
  }

  /// The frame of this number, from 0; nil behind the last whole one.
  private func frame(_ index: Int) throws(StoreError) -> Frame? {
    let size = Self.frameHeaderBytes + pageBytes
    let bytes = try Self.read(log, size, at: Self.headerBytes + index * size)
    guard bytes.count == size else { return nil }
    return Frame(
      page: Self.word(bytes, 0), databasePages: Self.word(bytes, 4), salts: bytes[8..<16],
      checksum: LogChecksum(bytes, 16), bytes: bytes)
  }

  private func checksum(_ frame: Frame, behind before: LogChecksum) -> LogChecksum {
    let head = Self.checksum(before, frame.bytes[..<8], isBigEndian)
    return Self.checksum(head, frame.bytes[Self.frameHeaderBytes...], isBigEndian)
  }

  private func damagedFrame() throws(StoreError) -> String? {
    let salts = header[16..<24]
    var sum = LogChecksum(header, 24)
    var pages: UInt32 = 0
    var index = 0
    while let frame = try frame(index), frame.salts == salts, frame.page != 0 {
      let next = checksum(frame, behind: sum)
      guard next == frame.checksum else { break }
      if frame.databasePages != 0 { pages = frame.databasePages }
      sum = next
      index += 1
    }
    guard let bad = try frame(index) else { return nil }
    // L2. The bad frame itself takes part if the next one follows from it, be it by what it says or by what it is.
    var ends = bad.databasePages >= max(pages, 1) ? [bad.databasePages] : []
    var before = [bad.checksum, checksum(bad, behind: sum)]
    var next = index + 1
    while let frame = try frame(next) {
      next += 1
      if frame.salts != salts {
        (ends, before) = ([], [])
        continue
      }
      if !before.contains(where: { checksum(frame, behind: $0) == frame.checksum }) { ends = [] }
      before = [frame.checksum]
      guard frame.databasePages != 0 else { continue }
      // A database that is never vacuumed does not shrink.
      if let first = ends.first, first <= frame.databasePages {
        let place = Self.headerBytes + index * (Self.frameHeaderBytes + pageBytes)
        return """
          heddle.db-wal is damaged at byte \(place) (frame \(index + 1)), in front of commits that were acknowledged
          """
      }
      ends = [frame.databasePages]
    }
    return nil
  }

  /// L4
  private func damagedHeader(_ databasePath: String) throws(StoreError) -> String? {
    guard let first = try frame(0) else { return nil }
    // Which frame says last what is on a page: up to the last commit, and since then.
    var committed: [UInt32: Int] = [:]
    var open: [UInt32: Int] = [:]
    var sum = first.checksum
    var index = 0
    while let frame = try frame(index), frame.salts == first.salts {
      guard index == 0 || checksum(frame, behind: sum) == frame.checksum else { break }
      sum = frame.checksum
      open[frame.page] = index
      index += 1
      if frame.databasePages != 0 {
        committed.merge(open) { $1 }
        open = [:]
      }
    }
    let database = try Self.open(databasePath)
    guard database >= 0 else { return nil }
    defer { close(database) }
    let head = try Self.read(database, 21, at: 0)
    // Its checksum, which a page gets in the database and not in the log.
    let end = head.count == 21 && Int(head[20]) == HEDDLE_PAGE_RESERVE ? HEDDLE_PAGE_RESERVE : 0
    for (page, index) in committed where page > 0 {
      let stored = try Self.read(database, pageBytes, at: (Int(page) - 1) * pageBytes)
      guard stored.count == pageBytes, let frame = try frame(index),
        frame.bytes[Self.frameHeaderBytes...].dropLast(end).elementsEqual(stored.dropLast(end))
      else {
        return "heddle.db-wal has a damaged header, and commits behind it that are not in the database"
      }
    }
    return nil
  }

  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes.withUnsafeBytes { UInt32(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) }
  }

  /// SQLite's own: two sums that depend on each other, over pairs of words; `bytes` are a multiple of 8.
  private static func checksum(_ start: LogChecksum, _ bytes: ArraySlice<UInt8>, _ isBigEndian: Bool) -> LogChecksum {
    bytes.withUnsafeBytes { raw in
      var sum = start
      for offset in stride(from: 0, to: raw.count - 7, by: 8) {
        let one = raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        let two = raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
        sum.first &+= (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ sum.second
        sum.second &+= (isBigEndian ? UInt32(bigEndian: two) : UInt32(littleEndian: two)) &+ sum.first
      }
      return sum
    }
  }

  /// Negative if there is no such file.
  private static func open(_ path: String) throws(StoreError) -> Int32 {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 || errno == ENOENT else {
      throw .unusable("cannot open \(path): \(String(cString: strerror(errno)))")
    }
    var status = stat()
    guard descriptor < 0 || fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .unusable("\(path) is not a file")
    }
    return descriptor
  }

  /// Fewer bytes at the file's end.
  private static func read(_ descriptor: Int32, _ count: Int, at offset: Int) throws(StoreError) -> [UInt8] {
    var failure: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count, let base = buffer.baseAddress {
        let got = pread(descriptor, base + filled, count - filled, off_t(offset + filled))
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = errno }
        guard got > 0 else { return }
        filled += got
      }
    }
    if let failure { throw .failed("cannot read the log: \(String(cString: strerror(failure)))") }
    return bytes
  }
}

private struct LogChecksum: Equatable {
  var first: UInt32 = 0
  var second: UInt32 = 0

  init() {}

  /// As it stands in the log.
  init(_ bytes: [UInt8], _ offset: Int) {
    bytes.withUnsafeBytes { raw in
      first = UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      second = UInt32(bigEndian: raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
    }
  }
}
