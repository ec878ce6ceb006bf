import Foundation
import HeddleCore
import HeddleMetrics
import HeddleSQLite
import HeddleStorage
import Logging
import NIOPosix
import Synchronization
import Testing

@testable import HeddleRuntime

/// A process runs the threads of the slots that it owns, and no others.
@Suite final class OwnershipTests {
  /// Owns what it is told to.
  private final class Owner: Ownership {
    private struct State {
      var slots: Set<Slot> = []
      var tell: (@Sendable (OwnershipChange) -> Void)?
    }

    private let state = Mutex(State())

    var owned: SlotSet { SlotSet(state.withLock(\.slots)) }
    func owns(_ slot: Slot) -> Bool { state.withLock { $0.slots.contains(slot) } }
    func onChange(_ tell: @escaping @Sendable (OwnershipChange) -> Void) { state.withLock { $0.tell = tell } }

    func gain(_ slot: Slot) {
      let tell = state.withLock { state in
        state.slots.insert(slot)
        return state.tell
      }
      tell?(.gained(SlotSet([slot])))
    }

    func lose(_ slot: Slot) {
      let tell = state.withLock { state in
        state.slots.remove(slot)
        return state.tell
      }
      tell?(.lost(SlotSet([slot])))
    }
  }

  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("heddle-owner-\(UUID())").path
  private let store: SQLiteStore
  private let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
  private let owner = Owner()
  private let manager: SessionManager

  init() throws {
    store = try SQLiteStore(folder: folder)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    manager = SessionManager(
      store: store, group: group, rules: ServerRules(), providers: [],
      clock: RuntimeClock(now: { 1 }, instant: { 1 }), metrics: Metrics(store: store.metrics), seed: 1, logger: logger,
      ownership: owner
    ) { Issue.record("the store failed: \($0)") }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func end() async throws {
    await manager.stop()
    store.close()
    try await group.shutdownGracefully()
  }

  /// A stored thread in which a turn runs.
  private func runningThread(_ id: ThreadID) async throws {
    let turn = TurnID(high: 3, low: 3)
    let events = [
      Event(
        sequence: 1, at: 1,
        kind: .threadCreated(
          ThreadCreated(thread: id, lineage: Lineage(source: .client, root: id), settings: Settings(), createdAt: 1))),
      Event(sequence: 2, at: 1, turn: turn, kind: .turnStarted(TurnStarted(turn: turn, ordinal: 1))),
    ]
    try await store.submit([ImportedThread(events: events, tenant: "t").mutation], lane: WriteLane(0))
  }

  private func pin(_ id: ThreadID) async throws {
    _ = try await manager.setMultiAgentVersionIfUnset(id, tenant: "t", .v1)
  }

  /// Waits until nothing runs in the thread; a minute ends a hang.
  private func isAtRest(_ id: ThreadID) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
      if try store.row(id, tenant: "t")?.active == false { return true }
      await Task.yield()
    }
    return false
  }

  @Test("D5: what ran in a slot is ended by the process that has it at the start, or gains it, and by no other")
  func recovery() async throws {
    let (mine, others) = (ThreadID(high: 1, low: 0x10), ThreadID(high: 1, low: 0x20))
    for id in [mine, others] { try await runningThread(id) }
    owner.gain(mine.slot)
    try await manager.recover()
    #expect(try store.row(mine, tenant: "t")?.active == false)
    #expect(try store.row(others, tenant: "t")?.active == true)
    owner.gain(others.slot)
    #expect(try await isAtRest(others))
    try await end()
  }

  @Test("A thread of another process is not served; it is once its slot has been gained, and no more once that is lost")
  func changes() async throws {
    let id = ThreadID(high: 1, low: 0x30)
    try await runningThread(id)
    try await manager.recover()
    await #expect(throws: Refusal(.storageFailed)) { try await pin(id) }
    owner.gain(id.slot)
    try await pin(id)
    let shard = manager.shard(of: id)
    #expect(try await shard.eventLoop.submit { shard.sessions[id] != nil }.get())
    owner.lose(id.slot)
    #expect(try await shard.eventLoop.submit { shard.sessions[id] == nil }.get())
    await #expect(throws: Refusal(.storageFailed)) { try await pin(id) }
    try await end()
  }
}
