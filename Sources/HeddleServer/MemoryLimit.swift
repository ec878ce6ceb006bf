// How much memory the process may have: what the machine has, or what its control groups allow. The defaults are those of
// a machine with a few GiB; in a small container a flood that they allow would end the server, so there they are made to
// fit (attacks.md R13, R16).

import Foundation
import HeddleCore

enum MemoryLimit {
  /// The smallest of all limits that apply; nil where none can be read.
  static func bytes(root: String = "/") -> Int? {
    var found = [machine(root)].compactMap(\.self)
    for line in text(root + "proc/self/cgroup").split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { continue }
      let isUnified = parts[0] == "0" && parts[1].isEmpty
      guard isUnified || parts[1].split(separator: ",").contains("memory") else { continue }
      let (folder, file) =
        isUnified ? ("sys/fs/cgroup", "memory.max") : ("sys/fs/cgroup/memory", "memory.limit_in_bytes")
      found += limits(root + folder, path: String(parts[2]), file)
    }
    return found.min()
  }

  /// Those of the group and of every group above it; in a container the path may begin at another root, of which only the
  /// top is to be seen.
  private static func limits(_ folder: String, path: String, _ file: String) -> [Int] {
    var names = path.split(separator: "/").map(String.init)
    var found: [Int] = []
    while true {
      let place = ([folder] + names + [file]).joined(separator: "/")
      // `max`, or in the older form a number beyond any memory: none.
      if let limit = Int(text(place).trimmingCharacters(in: .whitespacesAndNewlines)), limit < Int.max / 4 {
        found.append(limit)
      }
      guard names.popLast() != nil else { return found }
    }
  }

  private static func machine(_ root: String) -> Int? {
    for line in text(root + "proc/meminfo").split(separator: "\n") where line.hasPrefix("MemTotal:") {
      let kibibytes = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
      return kibibytes.flatMap { $0.multipliedReportingOverflow(by: 1_024).overflow ? nil : $0 * 1_024 }
    }
    return nil
  }

  private static func text(_ path: String) -> String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

extension Limits {
  /// With what takes memory for the whole process lowered to a quarter of it each, what is kept only for speed to a
  /// sixteenth, and what waits for one connection to a thousandth.
  func fitting(memory: Int?) -> Limits {
    guard let memory else { return self }
    var limits = self
    limits.bufferedBytes = min(bufferedBytes, memory / 4)
    limits.ephemeralBytes = min(ephemeralBytes, memory / 4)
    limits.contextBytes = min(contextBytes, memory / 16)
    limits.waitingWriteBytes = min(waitingWriteBytes, memory / 16)
    limits.outgoingBytes = min(outgoingBytes, max(64 * 1024, memory / 1_024))
    // A thread without much in it takes less than 16 KiB.
    limits.loadedThreads = min(loadedThreads, max(1, memory / 4 / (16 * 1024)))
    return limits
  }
}
