// Carries out what a model asks of other agents (rules.md A). The tree decides (`AgentTree`), the threads concerned get
// their inputs, and all of it is one mutation with the output of the call: a crash leaves either an open call, which the
// restart ends, or everything.

import HeddleCore
import NIOCore

/// One call that is being carried out.
struct AgentCall {
  let session: Session
  let turn: TurnID
  let call: ToolCallItem
  let tree: LiveTree

  var id: ThreadID { session.id }
  var isOpen: Bool { !session.isDropped && session.machine.isOpen(call.callId, of: turn) }

  func answer(_ text: String) { session.input(.toolAnswered(turn, callID: call.callId, .text(text))) }

  func refuse(_ error: AgentError) {
    session.input(.toolAnswered(turn, callID: call.callId, .failed(.refused, error.text)))
  }

  func refuse(_ refusal: Refusal) { refuse(AgentError(refusal.wire.message)) }

  func note(_ kind: AgentActivityKind, _ member: AgentTree.Member) {
    session.input(
      .activity(AgentActivity(kind: kind, agent: member.id, path: member.path, callId: call.callId)))
  }
}

extension Trees {
  /// A call whose item is on disk.
  func call(_ session: Session, _ turn: TurnID, _ call: ToolCallItem) async {
    guard !session.isDropped, session.machine.isOpen(call.callId, of: turn) else { return }
    let version = session.machine.record.running?.context?.version ?? .unspecified
    do throws(AgentError) {
      if call.name == CollaborationTools.question {
        let question = try ClientCall.Question(call, shard.rules.limits)
        return session.input(.ask(turn, callID: call.callId, question))
      }
      let command = try AgentCommand(call, version, shard.rules)
      let tree: LiveTree
      do throws(Refusal) { tree = try await self.tree(session.root, tenant: session.tenant) } catch {
        return session.input(.toolAnswered(turn, callID: call.callId, .failed(.failed, error.wire.message)))
      }
      let open = AgentCall(session: session, turn: turn, call: call, tree: tree)
      if open.isOpen { try await run(command, open) }
    } catch {
      session.input(.toolAnswered(turn, callID: call.callId, .failed(.refused, error.text)))
    }
  }

  private func run(_ command: AgentCommand, _ call: AgentCall) async throws(AgentError) {
    switch command {
    case .spawn(let spawn): try await self.spawn(spawn, call)
    case .send(let target, let text, let isTask): try await send(target, text, isTask: isTask, call)
    case .sendInput(let target, let text, let interrupts):
      try await sendInput(target, text, interrupts: interrupts, call)
    case .wait(let targets, let milliseconds): try wait(targets, milliseconds, call)
    case .interrupt(let target): try interrupt(target, call)
    case .close(let target): try await close(target, call)
    case .resume(let target): try await resume(target, call)
    case .list(let prefix): call.answer(try call.tree.tree.list(prefix: prefix, from: call.id, shard.rules.limits))
    }
  }

  /// The slot is free for whoever waits for one.
  private func giveBack(_ id: ThreadID, _ tree: LiveTree) {
    tree.tree.giveBack(id)
    grantWaitingLater(tree)
  }

  var noPermit: AgentError {
    AgentError("\(shard.rules.limits.runningTurnsPerTenant) turns run already, and no more may; wait for one to end.")
  }

  /// The target's thread; nil: the call has come to an end meanwhile. The slot that was taken is given back without it.
  private func load(_ member: AgentTree.Member, _ call: AgentCall) async throws(AgentError) -> Session? {
    do throws(Refusal) {
      let session = try await shard.session(member.id, tenant: call.tree.tenant)
      if call.isOpen { return session }
      giveBack(member.id, call.tree)
      return nil
    } catch {
      giveBack(member.id, call.tree)
      guard call.isOpen else { return nil }
      throw AgentError(error.wire.message)
    }
  }

  // MARK: V2

  /// A message that waits, or a task that starts a turn of an idle agent.
  private func send(_ target: String, _ text: String, isTask: Bool, _ call: AgentCall) async throws(AgentError) {
    let tree = call.tree
    let member = try tree.tree.resolve(target, from: call.id)
    if isTask, member.isRoot {
      throw AgentError("The agent at the top takes tasks from the user only; send a message.")
    }
    if member.id == call.id { throw AgentError("That is you; choose another agent.") }
    if member.isClosed { throw AgentError("The agent `\(member.path)` was closed; choose another.") }
    if isTask, !member.isRunning { try tree.tree.claim(member.id, shard.rules.limits) }
    let own = tree.tree.member(call.id)
    guard let receiver = try await load(member, call) else { return }
    let mail = AgentMail(
      id: shard.environment.ids.next(at: shard.environment.now), kind: isTask ? .newTask : .message,
      from: call.id, author: own?.path ?? AgentPath.root, to: member.id, recipient: member.path,
      content: [ContentPart(part: .text(text))], triggerTurn: isTask)
    guard receiver.machine.hasRoom(for: mail, shard.rules.limits) else {
      giveBack(member.id, tree)
      throw AgentError("The agent `\(member.path)` has as much mail as it may; wait until it reads it.")
    }
    guard !isTask || receiver.takePermit() else {
      giveBack(member.id, tree)
      throw noPermit
    }
    shard.writes.atomically {
      receiver.withPermit {
        receiver.input(.mail(mail))
        if isTask { receiver.input(.slotGranted) }
      }
      call.note(.messaged, member)
      call.answer("")
    }
    if !receiver.isRunning { giveBack(member.id, tree) }
  }

  private func interrupt(_ target: String, _ call: AgentCall) throws(AgentError) {
    let member = try call.tree.tree.resolve(target, from: call.id)
    if member.isRoot {
      throw AgentError("The agent at the top was not started by another one; only its user stops it.")
    }
    if member.id == call.id { throw AgentError("That is you; end your turn instead.") }
    guard member.isRunning, let session = shard.sessions[member.id] else {
      return call.answer(AgentResult.previous(member.status))
    }
    shard.writes.atomically {
      _ = session.perform(.interruptAgent)
      call.note(.interrupted, member)
      call.answer(AgentResult.previous(member.status))
    }
  }

  // MARK: Both

  private func wait(_ targets: [String], _ milliseconds: Int64?, _ call: AgentCall) throws(AgentError) {
    let limit = milliseconds ?? shard.rules.limits.agentWaitMilliseconds
    guard !targets.isEmpty else {
      return call.session.input(.wait(call.turn, callID: call.call.callId, milliseconds: limit))
    }
    var ids: [ThreadID] = []
    for target in targets {
      guard let id = ThreadID(target) else { _ = try call.tree.tree.resolve(id: target); continue }
      ids.append(id)
    }
    let found = Self.ended(ids, call.tree.tree)
    guard found.isEmpty else { return call.answer(AgentResult.waited(found)) }
    call.tree.waits.append(
      LiveTree.Wait(thread: call.id, turn: call.turn, callID: call.call.callId, targets: ids))
    call.session.input(.wait(call.turn, callID: call.call.callId, milliseconds: limit))
  }

  // MARK: V1

  private func sendInput(
    _ target: String, _ text: String, interrupts: Bool, _ call: AgentCall
  ) async throws(AgentError) {
    let member = try call.tree.tree.resolve(id: target)
    if member.isClosed { throw AgentError("The agent \(member.id) is closed; open it with resume_agent first.") }
    if member.id == call.id { throw AgentError("That is you; choose another agent.") }
    guard let receiver = try await load(member, call) else { return }
    guard receiver.takePermit() else { throw noPermit }
    shard.writes.atomically {
      var answer: Answer?
      receiver.withPermit {
        if interrupts { _ = receiver.perform(.interruptAgent) }
        answer = receiver.perform(.agentInput(TurnInput(content: [ContentPart(part: .text(text))])))
      }
      switch answer {
      case .response(.turnStart(let started))?:
        call.note(.messaged, member)
        call.answer(AgentResult.submitted(started.turn))
      case .refused(let refusal)?: call.refuse(refusal)
      case .response?, .stored?, nil: call.refuse(Refusal(.internal))
      }
    }
  }

  private func close(_ target: String, _ call: AgentCall) async throws(AgentError) {
    let member = try call.tree.tree.resolve(id: target)
    if member.id == call.id { throw AgentError("That is you; end your turn instead.") }
    let before = member.status
    let open = call.tree.tree.below(member.id).filter { !$0.isClosed }.map(\.id)
    let sessions = await shard.loaded(open, tenant: call.tree.tenant)
    guard call.isOpen else { return }
    shard.writes.atomically {
      for session in sessions {
        session.input(.close(byClient: false, with: session.id == member.id ? nil : member.id))
      }
      call.note(.closed, member)
      call.answer(AgentResult.previous(before))
    }
  }

  private func resume(_ target: String, _ call: AgentCall) async throws(AgentError) {
    let member = try call.tree.tree.resolve(id: target)
    guard member.isClosed else { return call.answer(AgentResult.status(member.status)) }
    guard call.tree.tree.freeSlots(shard.rules.limits) > 0 else {
      throw AgentError(
        "\(shard.rules.limits.agentsOpenV1) agents of this tree are open; close one with close_agent first.")
    }
    let below = call.tree.tree.closedTogether(with: member).map(\.id)
    let sessions = await shard.loaded([member.id] + below, tenant: call.tree.tenant)
    guard call.isOpen else { return }
    guard let session = sessions.first, session.id == member.id else { return call.refuse(Refusal(.thread)) }
    // Counted again: others may have been opened while this one was read.
    let free = call.tree.tree.freeSlots(shard.rules.limits)
    guard free > 0 else { throw AgentError("No more agents may be open; close one with close_agent first.") }
    shard.writes.atomically {
      // What was open below it comes along, parents first, as far as there is room.
      for session in sessions.prefix(free) { session.input(.reopen) }
      call.note(.resumed, member)
      call.answer(AgentResult.status(session.machine.record.agentStatus))
    }
  }
}
