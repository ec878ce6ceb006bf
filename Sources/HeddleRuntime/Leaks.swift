// What is taken for turns and agents on their way, and must be given back. Nothing that a client sees tells when it is not:
// at last nothing begins any more. So the simulator asks at the end of every run.

extension SessionManager {
  /// Places of tenants (TurnPlaces P1) and slots of trees (AgentTree G1) that are taken; none, when no turn runs. Asked on
  /// the loop of all shards.
  package var taken: [String] {
    places.taken.map { "\($0.value) turn places of tenant `\($0.key)`" }
      + shards.all.flatMap { $0.trees.live.values }.filter { $0.tree.pending > 0 }
      .map { "\($0.tree.pending) slots of the tree \($0.tree.root)" }
  }
}
