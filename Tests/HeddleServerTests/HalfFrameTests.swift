import Foundation
import HeddleCore
import Synchronization
import Testing

@testable import HeddleServer

@Suite struct HalfFrameTests {
  private final class Owner: Sendable {}
  private let one = Owner(), two = Owner()

  private func mayRead(_ frames: HalfFrames, _ owner: Owner) -> Bool {
    frames.mayRead(ObjectIdentifier(owner)) {}
  }

  private func hold(_ frames: HalfFrames, _ owner: Owner, _ bytes: Int) {
    frames.hold(ObjectIdentifier(owner), bytes: bytes)
  }

  @Test("R13: what each connection's next read may bring is taken off the budget before it comes")
  func reserved() {
    let frames = HalfFrames(limit: 1_000, readBytes: 100)
    for _ in 0..<5 { frames.opened() }
    hold(frames, one, 300)
    hold(frames, two, 200)
    #expect(mayRead(frames, two), "500 held and 500 that five reads may bring are the budget")
    hold(frames, two, 201)
    #expect(!mayRead(frames, two))
    #expect(mayRead(frames, one), "the oldest is always read")
    for _ in 0..<5 { frames.closed() }
    #expect(mayRead(frames, two))
  }

  @Test("R13: however many connections there are, a quarter of the budget is left")
  func quarter() {
    let frames = HalfFrames(limit: 1_000, readBytes: 100)
    for _ in 0..<1_000 { frames.opened() }
    hold(frames, one, 1)
    hold(frames, two, 249)
    #expect(mayRead(frames, two))
    hold(frames, two, 250)
    #expect(!mayRead(frames, two))
  }

  @Test("R13: whoever was held back is told when there is room")
  func woken() {
    let frames = HalfFrames(limit: 1_000, readBytes: 100)
    let count = Mutex(0)
    hold(frames, one, 800)
    hold(frames, two, 300)
    #expect(!frames.mayRead(ObjectIdentifier(two)) { count.withLock { $0 += 1 } })
    hold(frames, one, 0)
    #expect(count.withLock { $0 } == 1)
  }

  @Test("R13: as many are told as there is room for, those first that have waited longest")
  func wokenInTurn() {
    let frames = HalfFrames(limit: 1_000, readBytes: 100)
    let owners = (0..<6).map { _ in Owner() }
    let told = Mutex<[Int]>([])
    hold(frames, one, 500)
    for (number, owner) in owners.enumerated() { hold(frames, owner, 100 + number) }
    for (number, owner) in owners.enumerated() {
      #expect(!frames.mayRead(ObjectIdentifier(owner)) { told.withLock { $0.append(number) } })
    }
    hold(frames, one, 100)
    #expect(told.withLock { $0 } == [0, 1])
    hold(frames, one, 0)
    #expect(told.withLock { $0 } == [0, 1, 2, 3, 4])
  }
}

@Suite struct ServerQuotaTests {
  private func quotas(_ change: (inout Limits) -> Void = { _ in }) -> Quotas {
    var limits = Limits()
    change(&limits)
    return Quotas(limits: limits)
  }

  @Test("R18: a burst, then the rate; who rests gains no more than the burst, and no tenant takes another's")
  func rate() {
    let quotas = quotas { ($0.requestsPerSecond, $0.requestBurst) = (10, 3) }
    func taken(_ count: Int, at instant: Int64) -> [Int64?] {
      (0..<count).map { _ in quotas.admit(tenant: "a", instant: instant) }
    }
    #expect(taken(4, at: 0) == [nil, nil, nil, 100])
    #expect(taken(1, at: 50) == [50])
    #expect(taken(2, at: 101)[0] == nil)
    #expect(quotas.admit(tenant: "b", instant: 101) == nil)
    #expect(taken(4, at: 3_600_000) == [nil, nil, nil, 100], "an hour of rest is not saved up")
    let open = self.quotas { $0.requestsPerSecond = 0 }
    #expect((0..<10_000).allSatisfy { _ in open.admit(tenant: "a", instant: 0) == nil })
  }

  @Test("A20: guessing gets slow at one address, and only within the minute")
  func badTokens() {
    let quotas = quotas()
    func guesses(_ count: Int, at instant: Int64, from address: String = "one") -> [Int64] {
      (0..<count).map { _ in quotas.badToken(address: address, instant: instant) }
    }
    #expect(guesses(22, at: 1_000) == [Int64](repeating: 0, count: 20) + [1_000, 1_000])
    #expect(guesses(1, at: 1_000, from: "another") == [0])
    #expect(guesses(1, at: 60_999) == [1_000])
    #expect(guesses(21, at: 61_000) == [Int64](repeating: 0, count: 20) + [1_000])
  }

  @Test("R7 R11: places of connections and subscriptions are taken, refused and given back")
  func places() {
    let quotas = quotas {
      ($0.connections, $0.connectionsPerAddressBeforeHello, $0.connectionsPerTenant) = (4, 2, 1)
      $0.subscriptionsPerTenant = 1
    }
    #expect(quotas.opened(address: "one") && quotas.opened(address: "one"))
    #expect(!quotas.opened(address: "one"), "two that have not said who they are")
    #expect(quotas.identified(address: "one", tenant: "a"))
    #expect(!quotas.identified(address: "one", tenant: "a"))
    #expect(quotas.connectionCount == 3)
    quotas.closed(address: "one", tenant: nil)
    quotas.closed(address: "one", tenant: nil)
    #expect(quotas.opened(address: "one") && quotas.opened(address: "another"))
    #expect(quotas.opened(address: "another"), "the fourth")
    #expect(!quotas.opened(address: "a third"), "the fifth")
    quotas.closed(address: "one", tenant: "a")
    #expect(quotas.identified(address: "one", tenant: "a"))
    #expect(quotas.subscribed(tenant: "a"))
    #expect(!quotas.subscribed(tenant: "a") && quotas.subscribed(tenant: "b"))
    quotas.unsubscribed(tenant: "a")
    #expect(quotas.subscribed(tenant: "a"))
  }
}

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

  @Test("R16: the smallest limit of all groups counts, in both forms of control groups")
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

  @Test("R16: without a limit it is what the machine has, and without that nothing is known")
  func none() throws {
    let plain = try machine(["proc/meminfo": memory, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"])
    defer { try? FileManager.default.removeItem(atPath: plain) }
    #expect(MemoryLimit.bytes(root: plain) == 4_096 * 1_024)
    #expect(MemoryLimit.bytes(root: "/nowhere-at-all/") == nil)
  }

  @Test("R16: limits that take memory fit into a small one, and a large one changes nothing")
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
