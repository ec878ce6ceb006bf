// The streams that follow whole trees of agents (rules.md A12), and the agents of a tree that are loaded.
//
// F1  A follower of a tree is told of every agent below it that is loaded, once each time: of a new one when its first
//     event is on disk, of one that is loaded again before anything more happens to it. The caller then follows each
//     by itself, as it follows any thread, so a slow reader loses nothing.
// F2  Following a tree keeps its top loaded and no other agent: the others come and go as if nobody looked.
// F3  Calls of clients' tools go to followers of the tree's root too, of the tree or of the root alone (A13).

import HeddleCore
import NIOCore

/// The followers of the trees of one shard. Used on its loop only.
final class TreeFollowers {
  private struct TreeFollower {
    let follower: Follower
    let top: ThreadID
    /// Agents below this path are told of; nil: the whole tree.
    let path: String?

    func covers(_ session: Session) -> Bool {
      guard session.id != top else { return false }
      guard let path else { return true }
      return !path.isEmpty && AgentPath.isBelow(session.path, path)
    }
  }

  private struct Place: Hashable {
    let caller: ObjectIdentifier
    let stream: UInt32

    init(_ follower: Follower) {
      caller = ObjectIdentifier(follower.caller)
      stream = follower.stream
    }
  }

  unowned let shard: Shard
  /// By root.
  private var agents: [ThreadID: Set<ThreadID>] = [:]
  private var followers: [ThreadID: [TreeFollower]] = [:]
  /// The root of the tree that a stream follows.
  private var roots: [Place: ThreadID] = [:]

  init(_ shard: Shard) { self.shard = shard }

  /// Streams that follow trees.
  var count: Int { roots.count }

  // MARK: Agents

  /// A session of an agent begins.
  func loaded(_ session: Session) {
    let root = session.root
    guard root != session.id else { return }
    agents[root, default: []].insert(session.id)
    // One that is new is told of when it is on disk.
    if session.durable > 0 { tell(of: session, head: session.durable) }
  }

  /// The session of an agent has ended.
  func ended(_ session: Session) {
    let root = session.root
    guard root != session.id, shard.sessions[session.id].map({ $0 === session }) ?? true else { return }
    agents[root]?.remove(session.id)
    if agents[root]?.isEmpty == true { agents[root] = nil }
  }

  /// F1.
  func tell(of session: Session, head: UInt64) {
    guard !followers.isEmpty, let followers = followers[session.root] else { return }
    for follower in followers { tell(follower, of: session, head: head) }
  }

  private func tell(_ tree: TreeFollower, of session: Session, head: UInt64) {
    guard tree.covers(session) else { return }
    // Never at once: the caller asks the session back, which is in the middle of something.
    tree.follower.pushLater([.joined(head: head, epoch: session.machine.identity.epoch)], of: session.id)
  }

  /// The loaded agents of a tree, in the order of their ids.
  private func loaded(_ root: ThreadID) -> [Session] {
    (agents[root] ?? []).sorted().compactMap { shard.sessions[$0] }
  }

  /// Calls of this tree's agents that clients have not answered (A13).
  func openCalls(of root: ThreadID) -> [Push] {
    agents[root] == nil ? [] : loaded(root).flatMap { $0.openCalls() }
  }

  // MARK: Followers

  /// The stream follows the agents below this thread too. `tellOfLoaded` comes behind the answer that says so.
  func add(_ session: Session, _ follower: Follower) {
    guard roots.updateValue(session.root, forKey: Place(follower)) == nil else { return }
    let path = session.root == session.id ? nil : session.path
    followers[session.root, default: []].append(
      TreeFollower(follower: follower, top: session.id, path: path))
  }

  func tellOfLoaded(_ follower: Follower) {
    guard let root = roots[Place(follower)],
      let tree = followers[root]?.first(where: { $0.follower.isSame(as: follower) })
    else { return }
    for session in loaded(root) where session.releasedHead > 0 {
      tell(tree, of: session, head: session.releasedHead)
    }
  }

  func remove(_ follower: Follower) {
    guard let root = roots.removeValue(forKey: Place(follower)) else { return }
    followers[root]?.removeAll { $0.follower.isSame(as: follower) }
    if followers[root]?.isEmpty == true { followers[root] = nil }
    for session in loaded(root) { session.unfollow(follower) }
  }
}
