// The streams that follow whole trees of agents (rules.md A12), and the agents of a tree that are loaded.
//
// F1  A follower of a tree is told of every agent below it that is loaded, once each time: of a new one when its first
//     event is on disk, of one that is loaded again before anything more happens to it. The caller then follows each
//     by itself, as it follows any thread, so a slow reader loses nothing.
// F2  Following a tree keeps its top loaded and no other agent: the others come and go as if nobody looked.
// F3  Calls of clients' tools go to followers of the tree's root too, of the tree or of the root alone (A13).

import HeddleCore
import NIOCore

/// A loaded agent as the followers of its tree see it.
protocol TreeAgent: AnyObject {
  var id: ThreadID { get }
  var root: ThreadID { get }
  var path: String { get }
  var epoch: UInt64 { get }
  /// The newest event that is on disk, and the last one that was released.
  var durable: UInt64 { get }
  var releasedHead: UInt64 { get }
  func openCalls() -> [Push]
  func unfollow(_ follower: Follower)
}

/// The followers of the trees of one shard. Used on its loop only.
final class TreeFollowers {
  private struct TreeFollower {
    let follower: Follower
    let top: ThreadID
    /// Agents below this path are told of; nil: the whole tree.
    let path: String?

    func covers(_ session: any TreeAgent) -> Bool {
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

  /// By root, then by agent.
  private var agents: [ThreadID: [ThreadID: any TreeAgent]] = [:]
  private var followers: [ThreadID: [TreeFollower]] = [:]
  /// The root of the tree that a stream follows.
  private var roots: [Place: ThreadID] = [:]

  /// Streams that follow trees.
  var count: Int { roots.count }

  // MARK: Agents

  /// A session of an agent begins.
  func loaded(_ session: any TreeAgent) {
    let root = session.root
    guard root != session.id else { return }
    agents[root, default: [:]][session.id] = session
    // Followers are notified of a new one when it is on disk.
    if session.durable > 0 { notify(of: session, head: session.durable) }
  }

  /// The session of an agent has ended.
  func ended(_ session: any TreeAgent) {
    let root = session.root
    guard agents[root]?[session.id] === session else { return }
    agents[root]?[session.id] = nil
    if agents[root]?.isEmpty == true { agents[root] = nil }
  }

  /// F1.
  func notify(of session: any TreeAgent, head: UInt64) {
    guard !followers.isEmpty, let followers = followers[session.root] else { return }
    for follower in followers { notify(follower, of: session, head: head) }
  }

  private func notify(_ tree: TreeFollower, of session: any TreeAgent, head: UInt64) {
    guard tree.covers(session) else { return }
    // Never at once: the caller asks the session back, which is in the middle of something.
    tree.follower.pushLater([.joined(head: head, epoch: session.epoch)], of: session.id)
  }

  /// The loaded agents of a tree, in the order of their ids.
  private func loaded(_ root: ThreadID) -> [any TreeAgent] {
    (agents[root] ?? [:]).sorted { $0.key < $1.key }.map(\.value)
  }

  /// Calls of this tree's agents that clients have not answered (A13).
  func openCalls(of root: ThreadID) -> [Push] {
    agents[root] == nil ? [] : loaded(root).flatMap { $0.openCalls() }
  }

  // MARK: Followers

  /// The stream follows the agents below this thread too. `notifyOfLoaded` comes behind the answer that says so.
  func add(_ session: any TreeAgent, _ follower: Follower) {
    guard roots.updateValue(session.root, forKey: Place(follower)) == nil else { return }
    let path = session.root == session.id ? nil : session.path
    followers[session.root, default: []].append(
      TreeFollower(follower: follower, top: session.id, path: path))
  }

  func notifyOfLoaded(_ follower: Follower) {
    guard let root = roots[Place(follower)],
      let tree = followers[root]?.first(where: { $0.follower.isSame(as: follower) })
    else { return }
    for session in loaded(root) where session.releasedHead > 0 {
      notify(tree, of: session, head: session.releasedHead)
    }
  }

  func remove(_ follower: Follower) {
    guard let root = roots.removeValue(forKey: Place(follower)) else { return }
    followers[root]?.removeAll { $0.follower.isSame(as: follower) }
    if followers[root]?.isEmpty == true { followers[root] = nil }
    for session in loaded(root) { session.unfollow(follower) }
  }
}
