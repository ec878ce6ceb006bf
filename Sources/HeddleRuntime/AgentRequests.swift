// AgentService and CallService: requests of clients about trees, and their answers to calls of the server.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import NIOCore

extension SessionManager {
  /// The root of the tree that the thread is in.
  private func root(
    of thread: ThreadID, _ shard: Shard, _ request: RequestContext
  ) async throws(Refusal) -> ThreadID {
    let tenant = request.tenant
    // Another tenant's is looked for on disk like one that does not exist (attacks.md M2).
    if let session = shard.sessions[thread], session.tenant == tenant { return session.root }
    let root = try await shard.read { reader, _ throws(StoreError) in try reader.row(thread, tenant: tenant)?.root }
      .mapError(\.refusal).get()
    guard let root else { throw Refusal(.thread) }
    return root
  }

  /// The whole tree, loaded or not (rules.md A6).
  public func listTree(_ thread: ThreadID, _ request: RequestContext) {
    let shard = shard(of: thread)
    shard.serve(request) { () throws(Refusal) in
      let root = try await self.root(of: thread, shard, request)
      let tree = try await shard.trees.tree(root, tenant: request.tenant).tree
      let members = tree.below(root)
      // Agents whose parent is not there any more are below no other member; they are listed behind the others.
      let listed = Set(members.map(\.id))
      let rest = tree.members.filter { !listed.contains($0.id) }
      let response = ListTreeResponse(
        agents: (members + rest).map { shard.agent($0) },
        freeSlots: UInt32(clamping: tree.freeSlots(shard.rules.limits)), usage: tree.usage)
      // A change that the tree shows may not be on disk yet; the answer waits until it is (durability.md D2).
      try await shard.written()
      shard.answer(request, .response(.agentListTree(response)), follows: nil)
    }
  }

  /// Closes an agent and all below it; answered when all of it is on disk.
  public func closeAgent(_ thread: ThreadID, _ request: RequestContext) {
    let shard = shard(of: thread)
    shard.serve(request) { () throws(Refusal) in
      let tenant = request.tenant
      let root = try await self.root(of: thread, shard, request)
      let tree = try await shard.trees.tree(root, tenant: tenant).tree
      guard let member = tree.member(thread), !member.isRoot else {
        throw Refusal(.agent, [("thread", thread.description)])
      }
      let sessions = await shard.loaded(tree.below(thread).map(\.id), tenant: tenant)
      guard let target = sessions.first(where: { $0.id == thread }) else { throw Refusal(.thread) }
      let open = sessions.filter { $0.machine.record.agent?.closed == false }
      shard.writes.atomically {
        // Only the agent that was named is news to the one above it.
        for session in open {
          let isNamed = session.id == thread
          session.input(.close(byClient: isNamed, with: isNamed ? nil : thread))
        }
        // The reply follows the changes that are decided here, also if the named agent is closed already.
        let last = open.contains { $0 === target } ? target : open.last ?? target
        last.reply(to: request, .agentClose(CloseAgentResponse(closed: UInt32(clamping: open.count))))
      }
    }
  }

  // MARK: Answers of clients

  /// A client's answer to a call of the server; the first answer counts (rules.md A9).
  public func clientAnswered(
    _ call: ClientCall, _ answer: ToolAnswer, from follower: Follower
  ) {
    let shard = shard(of: call.thread)
    shard.context.run {
      let method: Method = call.question == nil ? .clientCallTool : .clientRequestUserInput
      guard let session = shard.sessions[call.thread], session.machine.isOpen(call.call.callId, of: call.turn) else {
        let refusal = Refusal(.alreadyAnswered, [("call", call.call.callId)])
        return follower.push([.answerRefused(method, refusal)], of: call.thread, from: shard.context)
      }
      session.input(.toolAnswered(call.turn, callID: call.call.callId, answer))
    }
  }

  /// CallService/Answer: the first answer counts, whichever connection of the tenant it comes by (rules.md A14). `check`
  /// reads the answer; nil: the client leaves the call to others, and it stays open.
  public func answerCall(
    _ answer: AnswerCallRequest, _ request: RequestContext,
    _ check: @escaping @Sendable (ClientCall) -> Result<ToolAnswer?, Refusal>
  ) {
    let shard = shard(of: answer.thread)
    shard.serve(request) { () throws(Refusal) in
      guard !answer.callId.isEmpty else { throw Refusal(.missingField, [("field", "call_id")]) }
      let session = try await shard.session(answer.thread, tenant: request.tenant)
      let open = session.machine.openClientCalls.first { $0.turn == answer.turn && $0.call.callId == answer.callId }
      guard let open else { throw Refusal(.alreadyAnswered) }
      guard let output = try check(open).get() else {
        let sequence = session.machine.record.sequence
        return session.reply(to: request, .callAnswer(AnswerCallResponse(sequence: sequence)))
      }
      session.command(.answerCall(answer.turn, callID: answer.callId, output), request)
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
