// A tree of agents and the calls that wait for its members.

import HeddleCore

/// One live tree. Used on its shard's loop only.
final class LiveTree {
  var tree: AgentTree
  let tenant: String
  /// V1: calls of `wait_agent` that no named agent has answered by coming to an end.
  var waits: [Wait] = []
  /// Idle agents that are loaded, the one that was idle first in front (rules.md A2).
  var idle: [ThreadID] = []

  struct Wait {
    var thread: ThreadID
    var turn: TurnID
    var callID: String
    var targets: [ThreadID]
  }

  init(_ tree: AgentTree, tenant: String) {
    self.tree = tree
    self.tenant = tenant
  }
}
