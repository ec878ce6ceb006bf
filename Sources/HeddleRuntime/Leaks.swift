// Resources that are taken for a while and must be given back. A client does not see that one was kept: at last no turn
// begins any more, or memory has run out. So the simulator asks at the end of every run.

extension SessionManager {
  /// Permits of tenants (TurnPermits.P1), slots of trees (AgentTree.G1), threads that are kept loaded, room of the
  /// backlog that are still taken, and more followers than clients have subscriptions; none, when nothing runs and
  /// nothing is on its way. Asked on the loop of all shards.
  package func taken(followers: Int) -> [String] {
    let sessions = shards.all.flatMap(\.sessions.values)
    let following = sessions.reduce(0) { $0 + $1.followers }
    var taken = node.permits.taken.map { "\($0.value) turn permits of tenant `\($0.key)` are taken" }
    taken += shards.all.flatMap { $0.trees.live.values }.filter { $0.tree.pending > 0 }
      .map { "\($0.tree.pending) slots of the tree \($0.tree.root) are taken" }
    taken += sessions.filter(\.isHeld).map { "thread \($0.id) is kept loaded" }
    taken += sessions.filter { $0.source != nil }.map { "thread \($0.id) keeps the one that it was forked from" }
    if backlog.waitingBytes != 0 { taken.append("\(backlog.waitingBytes) bytes wait to be written") }
    if metrics.requestsInFlight != 0 { taken.append("\(metrics.requestsInFlight) requests are counted as in flight") }
    if following > followers { taken.append("\(following) followers are kept for \(followers) subscriptions") }
    return taken
  }

  /// Trees of which no thread is loaded.
  package var treesOfNothing: Int {
    shards.all.reduce(0) { count, shard in
      let used = Set(shard.sessions.values.map(\.root))
      return count + shard.trees.live.keys.filter { !used.contains($0) }.count
    }
  }
}
