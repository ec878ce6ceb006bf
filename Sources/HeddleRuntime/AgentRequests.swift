// AgentService and ClientService: what clients ask of trees, and what they answer to calls of the server.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import NIOCore

extension SessionManager {
  /// Hands the tree of any of its threads to `body`, on its shard.
  private func tree(
    of thread: ThreadID, _ request: RequestContext, _ body: @escaping @Sendable (Shard, ThreadID) -> Void
  ) {
    let tenant = request.tenant
    onShard(of: thread) { shard in
      // Another tenant's is looked for on disk like one that does not exist (attacks.md M2).
      if let session = shard.sessions[thread], session.machine.identity.tenant == tenant {
        return body(shard, session.root)
      }
      self.read(on: shard.context) { reader, _ throws(StoreError) in
        try reader.row(thread, tenant: tenant)?.root
      } then: { (result: Result<ThreadID?, StoreError>) in
        switch result {
        case .success(let root?): body(shard, root)
        // By way of the gate: who sent the same key again waits for this answer.
        case .success(nil): self.refuse(request, Refusal(.thread))
        case .failure(let error): self.refuse(request, error.refusal)
        }
      }
    }
  }

  /// The whole tree, loaded or not (rules.md A6).
  public func listTree(_ thread: ThreadID, _ request: RequestContext) {
    tree(of: thread, request) { shard, root in
      shard.trees.with(root, tenant: request.tenant) { result in
        switch result {
        case .failure(let refusal): request.reply.refuse(refusal)
        case .success(let tree):
          let members = tree.tree.below(root)
          // A parent that is not there any more leaves its agents below nobody; they are listed behind the others.
          let listed = Set(members.map(\.id))
          let rest = tree.tree.members.filter { !listed.contains($0.id) }
          let agents = (members + rest).map { member in shard.agent(member) }
          let response = ListTreeResponse(
            agents: agents, freeSlots: UInt32(clamping: tree.tree.freeSlots(shard.rules.limits)),
            usage: tree.tree.usage)
          // What the tree shows may not be on disk yet, and is told when it is (durability.md D2).
          shard.afterWrites { failure in
            if let failure { return request.reply.refuse(failure) }
            request.reply.send(.response(.agentListTree(response)))
          }
        }
      }
    }
  }

  /// Closes an agent and all below it; answered when all of it is on disk.
  public func closeAgent(_ thread: ThreadID, _ request: RequestContext) {
    tree(of: thread, request) { shard, root in
      let tenant = request.tenant
      shard.trees.with(root, tenant: tenant) { result in
        guard case .success(let tree) = result else {
          if case .failure(let refusal) = result { self.refuse(request, refusal) }
          return
        }
        guard let member = tree.tree.member(thread), !member.isRoot else {
          return self.refuse(request, Refusal(.agent, [("thread", thread.description)]))
        }
        shard.trees.loadAll(tree.tree.below(thread).map(\.id), tenant: tenant) { sessions in
          guard let target = sessions.first(where: { $0.id == thread }) else {
            return self.refuse(request, Refusal(.thread))
          }
          let open = sessions.filter { $0.machine.record.agent?.closed == false }
          shard.writes.atomically {
            // Only the agent that was named is news to the one above it.
            for session in open {
              let isNamed = session.id == thread
              session.input(.close(byClient: isNamed, with: isNamed ? nil : thread))
            }
            // Behind what is decided here, also where the one that was named is closed already.
            let last = open.contains { $0 === target } ? target : open.last ?? target
            last.reply(to: request, .agentClose(CloseAgentResponse(closed: UInt32(clamping: open.count))))
          }
        }
      }
    }
  }

  // MARK: Answers of clients

  /// What a client answers to a call of the server; the first answer counts (rules.md A9).
  public func clientAnswered(
    _ call: ClientCall, _ answer: ToolAnswer, from follower: Follower
  ) {
    onShard(of: call.thread) { shard in
      let method: Method = call.question == nil ? .clientCallTool : .clientRequestUserInput
      guard let session = shard.sessions[call.thread], session.machine.isOpen(call.call.callId, of: call.turn) else {
        let refusal = Refusal(.alreadyAnswered, [("call", call.call.callId)])
        return follower.push([.answerRefused(method, refusal)], of: call.thread, from: shard.context)
      }
      session.input(.toolAnswered(call.turn, callID: call.call.callId, answer))
    }
  }
}

extension Shard {
  /// The member as clients see it.
  fileprivate func agent(_ member: AgentTree.Member) -> Agent {
    let session = sessions[member.id]
    return Agent(
      thread: member.id, parent: member.parent, path: member.path, nickname: member.lineage.agentNickname,
      status: session?.machine.status ?? ThreadStatus(state: .notLoaded), version: member.version,
      lastTask: member.agent?.lastTask ?? "", usage: member.usage, depth: member.lineage.depth,
      role: member.lineage.agentRole, closed: member.isClosed, lastTurn: member.lastTurn,
      waitingMessages: UInt32(clamping: member.waitingMessages))
  }
}
