// The home of a thread: a loop of this process, or another process.

import HeddleCore
import HeddleStorage
import Synchronization

/// New threads get an id that keeps them on the loop of the caller that starts them, spawned agents one that keeps them
/// beside their root. Agents with ids from elsewhere are looked up.
final class Placement: Sendable {
  let ownership: any Ownership
  let loops: Int
  /// By agent, the root: imported agents whose ids do not say where their root lives.
  private let relocated = Mutex<[ThreadID: ThreadID]>([:])
  private let hasRelocated = Atomic<Bool>(false)

  init(_ ownership: any Ownership, loops: Int) {
    self.ownership = ownership
    self.loops = loops
  }

  func shardIndex(_ thread: ThreadID) -> Int { Int(home(of: thread).placement % UInt64(loops)) }

  /// Whether this process runs the thread.
  func owns(_ thread: ThreadID) -> Bool { ownership.owns(home(of: thread).slot) }

  /// The id that says where the thread lives: its own, or that of its root.
  private func home(of thread: ThreadID) -> ThreadID {
    guard hasRelocated.load(ordering: .relaxed) else { return thread }
    return relocated.withLock { $0[thread] } ?? thread
  }

  /// The id of an agent of this tree: it lives where its root lives, however many loops there are.
  func newAgent(below root: ThreadID, _ environment: inout MachineEnvironment) -> ThreadID {
    let id: ThreadID = environment.ids.next(at: environment.now)
    return ThreadID(high: id.high, low: id.low & ~ThreadID.placementBits | root.placement)
  }

  func remember(relocated found: [(thread: ThreadID, root: ThreadID)]) {
    guard !found.isEmpty else { return }
    relocated.withLock { table in for agent in found { table[agent.thread] = agent.root } }
    hasRelocated.store(true, ordering: .relaxed)
  }
}
