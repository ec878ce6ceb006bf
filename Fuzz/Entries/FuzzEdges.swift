// The surroundings of an input's server: an executor for its tasks, and a folder for data that must be in a file.

import Glibc

/// Tasks, one after the other, on the thread of the input.
// @unchecked: inputs are run one after the other, on one thread.
final class FuzzJobs: TaskExecutor, @unchecked Sendable {
  private var jobs: [UnownedJob] = []
  private var first = 0

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  /// Runs the job that has waited longest; false: there is none.
  func step() -> Bool {
    guard first < jobs.count else { return false }
    let job = jobs[first]
    first += 1
    if first == jobs.count {
      jobs.removeAll(keepingCapacity: true)
      first = 0
    }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }
}

/// A folder of this process, in memory where the machine has such a place.
struct FuzzFolder {
  struct Failure: Error {}

  let path: String

  static let shared = FuzzFolder()

  private init() {
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    path = "\(parent)/heddle-fuzz-\(getpid())"
    mkdir(path, 0o700)
    atexit { FuzzFolder.shared.removeAll() }
  }

  private func removeAll() {
    for name in ["secrets", "keys"] { unlink("\(path)/\(name)") }
    for name in ["heddle.db", "heddle.db-wal", "heddle.db-shm", "LOCK", "reserve", "log.new", "probe"] {
      unlink("\(path)/store/\(name)")
    }
    rmdir(path + "/store")
    rmdir(path)
  }

  func makeFolder(_ name: String) throws(Failure) {
    guard mkdir(path + "/" + name, 0o700) == 0 || errno == EEXIST else { throw Failure() }
  }

  func remove(_ name: String) { unlink(path + "/" + name) }

  @discardableResult
  func write(_ name: String, _ bytes: [UInt8]) throws(Failure) -> String {
    let file = path + "/" + name
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure() }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Failure() }
      written += count
    }
    return file
  }

  /// Nil: there is no such file.
  func read(_ name: String) -> [UInt8]? {
    let descriptor = open(path + "/" + name, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
    }
  }
}
