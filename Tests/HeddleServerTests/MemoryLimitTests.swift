import Foundation
import HeddleCore
import Testing

@testable import HeddleServer

@Suite struct MemoryLimitTests {
  /// A tree of files as a machine shows them.
  private func machine(_ files: [String: String]) throws -> String {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("heddle-memory-\(UUID())").path + "/"
    for (name, text) in files {
      let place = URL(fileURLWithPath: root + name)
      try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: place)
    }
    return root
  }

  private let memory = "MemTotal:        4096 kB\nMemFree:  1 kB\n"

  @Test("attacks.md R16: the smallest limit of all groups counts, in both forms of control groups")
  func smallest() throws {
    let unified = try machine([
      "proc/meminfo": memory, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "3000000\n",
      "sys/fs/cgroup/a/b/memory.max": "max\n",
    ])
    defer { try? FileManager.default.removeItem(atPath: unified) }
    #expect(MemoryLimit.bytes(root: unified) == 3_000_000)
    let older = try machine([
      "proc/meminfo": memory, "proc/self/cgroup": "4:cpu,memory:/job\n2:pids:/job\n0::/\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
      "sys/fs/cgroup/memory/job/memory.limit_in_bytes": "2000000\n",
    ])
    defer { try? FileManager.default.removeItem(atPath: older) }
    #expect(MemoryLimit.bytes(root: older) == 2_000_000)
  }

  @Test("attacks.md R16: without a limit it is what the machine has, and without that nothing is known")
  func none() throws {
    let plain = try machine(["proc/meminfo": memory, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"])
    defer { try? FileManager.default.removeItem(atPath: plain) }
    #expect(MemoryLimit.bytes(root: plain) == 4_096 * 1_024)
    #expect(MemoryLimit.bytes(root: "/nowhere-at-all/") == nil)
  }

  @Test("attacks.md R16: limits that take memory fit into a small one, and a large one changes nothing")
  func quarter() {
    let small = Limits().fitting(memory: 256 << 20)
    #expect(small.bufferedBytes == 64 << 20)
    #expect(small.ephemeralBytes == 64 << 20)
    #expect(small.outgoingBytes == 256 << 10)
    #expect(small.loadedThreads == 4_096)
    #expect(Limits().fitting(memory: 1 << 20).outgoingBytes == 64 << 10)
    #expect(Limits().fitting(memory: 64 << 30) == Limits())
    #expect(Limits().fitting(memory: nil) == Limits())
  }
}
