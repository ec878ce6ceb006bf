// The folder that the operator has named for recordings. Files get names of our own making, so nothing that a client
// says is ever part of a path; the folder is kept open, so it stays the one that was checked.

import Foundation
import HeddleCore
import HeddleService

public final class CaptureFolder: Sendable {
  let descriptor: Int32
  /// All recordings in the folder together.
  let maximumBytes: Int
  /// Bytes that may wait in memory to be written.
  let bufferBytes: Int

  public init(path: String, maximumBytes: Int = 1 << 30, bufferBytes: Int = 8 << 20) throws(StartError) {
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StartError(description: "capture.folder: \(path) is no folder that can be opened; make it first")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & 0o022 == 0 else {
      close(descriptor)
      throw StartError(description: "capture.folder: others may write to \(path); chmod 700 it")
    }
    self.descriptor = descriptor
    self.maximumBytes = maximumBytes
    self.bufferBytes = bufferBytes
  }

  deinit { close(descriptor) }

  /// A new file that only its owner can read, or the reason why there is none.
  func create(_ name: String) -> Int32? {
    let file = openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    return file >= 0 ? file : nil
  }

  /// Bytes of the recordings that lie there.
  func usedBytes() -> Int {
    let again = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard again >= 0, let entries = fdopendir(again) else {
      if again >= 0 { close(again) }
      return 0
    }
    defer { closedir(entries) }
    var bytes = 0
    while let entry = readdir(entries) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      guard name.hasSuffix(".pcap"), fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      bytes += Int(status.st_size)
    }
    return bytes
  }

  /// Bytes that the disk of a file or folder has left for us.
  static func freeBytes(_ descriptor: Int32) -> Int? {
    var disk = statvfs()
    guard fstatvfs(descriptor, &disk) == 0 else { return nil }
    let (bytes, overflow) = Int(clamping: disk.f_bavail).multipliedReportingOverflow(by: Int(clamping: disk.f_frsize))
    return overflow ? .max : bytes
  }
}
