// Trees of agents, live. A tree's threads all live on one shard (`Placement.shardIndex`), so a change to two of them is
// decided in one go and written as one mutation: no lock, no half-done message, no slot given twice (rules.md A3).
//
// K1  A tree is built from its members' own records when it is first needed, and is kept up to date by the sessions of
//     its members from then on.
// K2  Work that needs the tree while it is being read waits for it.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import NIOCore

/// The trees of one shard. Used on its loop only.
final class Trees {
  unowned let shard: Shard
  private(set) var live: [ThreadID: LiveTree] = [:]
  private var loading: [ThreadID: [CheckedContinuation<Refusal?, Never>]] = [:]
  /// Deleted while trees were read that may have them.
  private var gone: Set<ThreadID> = []
  /// Threads that are tried again in a while.
  private var wanting: Set<ThreadID> = []
  /// A tree that could not be read is tried again after this long: the disk may be better then.
  static let readAgainIn = TimeAmount.seconds(5)

  init(_ shard: Shard) { self.shard = shard }

  // MARK: Finding a tree

  /// The tree with this root, read first if need be (K2). It is in `live` when this returns.
  func tree(_ root: ThreadID, tenant: String) async throws(Refusal) -> LiveTree {
    while true {
      if let tree = live[root] { return tree }
      if let session = shard.sessions[root], session.isEphemeral { return add(root, [], tenant) }
      let refusal: Refusal?
      if loading[root] == nil {
        refusal = await load(root, tenant)
      } else {
        refusal = await withCheckedContinuation { loading[root]?.append($0) }
      }
      if let refusal { throw refusal }
    }
  }

  /// Reads the tree; why not, if it cannot be read.
  private func load(_ root: ThreadID, _ tenant: String) async -> Refusal? {
    loading[root] = []
    var refusal: Refusal?
    var read: [AgentTree.Member] = []
    do throws(StoreError) {
      read = try await shard.read(.long(ObjectIdentifier(self))) { reader, codec throws(StoreError) in
        var members: [AgentTree.Member] = []
        for row in try reader.tree(root: root, tenant: tenant) {
          guard let loaded = try reader.load(row.id, tenant: tenant) else { continue }
          members.append(AgentTree.Member(try loaded.record(&codec)))
        }
        return members
      }.get()
    } catch { refusal = error.refusal }
    let waiting = loading.removeValue(forKey: root) ?? []
    if refusal == nil { _ = add(root, read.filter { !gone.contains($0.id) }, tenant) }
    if loading.isEmpty { gone = [] }
    for waiter in waiting { waiter.resume(returning: refusal) }
    return refusal
  }

  /// Makes the tree of the members that were read, and replaces those that are live: their records are newer (K1).
  private func add(_ root: ThreadID, _ members: [AgentTree.Member], _ tenant: String) -> LiveTree {
    let tree = LiveTree(AgentTree(root: root, members: members), tenant: tenant)
    live[root] = tree
    for session in shard.sessions.values where session.root == root {
      tree.tree.update(AgentTree.Member(session.machine.record))
    }
    for session in shard.sessions.values where session.root == root { setQuota(tree, session) }
    return tree
  }

  // MARK: Keeping it true

  /// A thread's record has changed.
  func note(_ session: Session) {
    guard !live.isEmpty, let tree = live[session.root] else {
      // A budget of the tree needs the usage of the other members.
      if session.machine.record.settings?.treeTokens != nil { readForQuota(session) }
      return
    }
    let member = AgentTree.Member(session.machine.record)
    let before = tree.tree.member(session.id)
    guard before != member else { return }
    tree.tree.update(member)
    if before?.usage != member.usage || member.isRoot { setQuota(tree) }
    if member.version == .v1 { answerWaits(tree, member) }
    if before?.isRunning == true, !member.isRunning { becameIdle(tree, session) }
  }

  /// True if the tree has a budget, or may have one, and its usage has not been read yet: a turn does not begin before
  /// that. An agent does not know its root's settings.
  func mustRead(for record: ThreadRecord) -> Bool {
    guard live[record.lineage?.root ?? record.id] == nil else { return false }
    return record.currentSettings.treeTokens != nil || record.lineage?.parent != nil
  }

  /// A session of a tree that may be live: it has missed the usage of the other members.
  func joined(_ session: Session) {
    if let tree = live[session.root] { setQuota(tree, session) }
  }

  private func readForQuota(_ session: Session) {
    Task(executorPreference: shard.context) { [shard] in
      guard !session.isDropped, shard.trees.live[session.root] == nil else { return }
      _ = try? await shard.trees.tree(session.root, tenant: session.tenant)
    }
  }

  private func setQuota(_ tree: LiveTree) {
    for member in tree.tree.members {
      if let session = shard.sessions[member.id] { setQuota(tree, session) }
    }
  }

  private func setQuota(_ tree: LiveTree, _ session: Session) { session.setTreeQuota(tree.tree.quota) }

  /// A slot may be free: the agent that waited longest gets it. And agents beyond those that may run are unloaded, the
  /// one that was idle first before the others (A2); they come back when they are addressed.
  private func becameIdle(_ tree: LiveTree, _ session: Session) {
    tree.idle.removeAll { $0 == session.id }
    if session.id != tree.tree.root { tree.idle.append(session.id) }
    let root = session.root
    shard.inbox.post { [shard] in
      shard.trees.grantWaiting(root)
      if let tree = shard.trees.live[root] { shard.trees.unloadIdle(tree) }
    }
  }

  /// Behind everything that the loop does now.
  func grantWaitingLater(_ tree: LiveTree) {
    let root = tree.tree.root
    shard.inbox.post { [shard] in shard.trees.grantWaiting(root) }
  }

  private func grantWaiting(_ root: ThreadID) {
    guard let tree = live[root] else { return }
    for id in tree.tree.waitingForSlots { wantTurn(id, root: root, tenant: tree.tenant) }
  }

  private func unloadIdle(_ tree: LiveTree) {
    let most = max(1, shard.rules.limits.agentsRunningV2 - 1)
    var excess = tree.idle.count - most
    for id in tree.idle where excess > 0 {
      guard let session = shard.sessions[id] else {
        tree.idle.removeAll { $0 == id }
        excess -= 1
        continue
      }
      if session.machine.record.version == .v2, shard.unloadIfIdle(session) {
        tree.idle.removeAll { $0 == id }
        excess -= 1
      }
    }
  }

  /// The thread is gone for good.
  func remove(_ session: ThreadID, root: ThreadID?) {
    if !loading.isEmpty { gone.insert(session) }
    if root == session { return live[session] = nil }
    let trees = root.map { live[$0].map { [$0] } ?? [] } ?? Array(live.values)
    for tree in trees where tree.tree.member(session) != nil {
      tree.tree.remove(session)
      setQuota(tree)
      // Calls that wait for it end (A8), and its slot goes to another agent (A2).
      answerWaitsLater(tree)
      grantWaitingLater(tree)
    }
  }

  /// The write failed, so the tree in memory is discarded: it is read again when it is needed, at once if a call waits
  /// for it.
  func forget(_ root: ThreadID) {
    guard let tree = live.removeValue(forKey: root), !tree.waits.isEmpty else { return }
    answer(tree.waits, root, tenant: tree.tenant)
  }

  private func answer(_ waits: [LiveTree.Wait], _ root: ThreadID, tenant: String) {
    Task.immediate(executorPreference: shard.context) { [shard] in
      await shard.trees.answerAnew(waits, root, tenant: tenant)
    }
  }

  private func answerAnew(_ waits: [LiveTree.Wait], _ root: ThreadID, tenant: String) async {
    do throws(Refusal) {
      let tree = try await tree(root, tenant: tenant)
      tree.waits += waits
      answerWaits(tree)
    } catch {
      // Tried again in a while, unless the error is lasting.
      guard !error.isLasting else { return }
      shard.eventLoop.scheduleTask(in: Trees.readAgainIn) { [shard] in
        shard.trees.answer(waits, root, tenant: tenant)
      }
    }
  }

  /// Trees of which nothing is loaded cost nothing.
  func prune() {
    guard !live.isEmpty else { return }
    let used = Set(shard.sessions.values.map(\.root))
    for root in live.keys where !used.contains(root) { live[root] = nil }
  }

  // MARK: Turns for mail

  /// A thread has mail that wants a turn. A root needs no slot, an agent does.
  func wantTurn(_ id: ThreadID, root: ThreadID, tenant: String) {
    Task.immediate(executorPreference: shard.context) { [shard] in
      _ = await shard.trees.begins(id, root: root, tenant: tenant)
    }
  }

  /// Lets the thread begin a turn if there is a slot. False: it does not even try to.
  private func begins(_ id: ThreadID, root: ThreadID, tenant: String) async -> Bool {
    do throws(Refusal) {
      let tree = try await tree(root, tenant: tenant)
      guard tree.tree.member(id)?.wantsTurn == true, tree.tree.grant(id, shard.rules.limits) else { return false }
      let session: Session
      do throws(Refusal) { session = try await shard.session(id, tenant: tenant) } catch {
        tree.tree.giveBack(id)
        throw error
      }
      // The tenant runs as many turns as it may: the mail waits until one of them ends.
      let again: @Sendable () -> Void = { [shard] in
        shard.inbox.post { shard.trees.permitIsFree(id, root: root, tenant: tenant) }
      }
      if session.takePermit(orWait: again) { session.input(.slotGranted) }
      if !session.isRunning { tree.tree.giveBack(id) }
      return true
    } catch {
      wantTurnLater(error, id, root: root, tenant: tenant)
      return false
    }
  }

  private func wantTurnLater(_ refusal: Refusal, _ id: ThreadID, root: ThreadID, tenant: String) {
    guard !refusal.isLasting, wanting.insert(id).inserted else { return }
    shard.eventLoop.scheduleTask(in: Trees.readAgainIn) { [shard] in
      shard.trees.wanting.remove(id)
      shard.trees.wantTurn(id, root: root, tenant: tenant)
    }
  }

  private func permitIsFree(_ id: ThreadID, root: ThreadID, tenant: String) {
    Task.immediate(executorPreference: shard.context) { [shard] in
      if await !shard.trees.begins(id, root: root, tenant: tenant) { shard.node.permits.passOn(tenant) }
    }
  }

  // MARK: Mail (rules.md A5)

  /// Stores a message with its receiver and takes it off its sender's hands, in one mutation.
  func deliver(_ mail: AgentMail, from session: Session) async {
    do throws(Refusal) {
      let tree = try await tree(session.root, tenant: session.tenant)
      var receiver: Session?
      do throws(Refusal) { receiver = try await shard.session(mail.to, tenant: session.tenant) } catch {
        if !error.isLasting { throw error }
      }
      guard isUndelivered(mail, from: session) else { return }
      shard.writes.atomically {
        if let receiver {
          var mail = mail
          mail.triggerTurn = mail.triggerTurn || (mail.kind == .finalAnswer && tree.tree.wakesParents)
          receiver.hears(from: session)
          receiver.input(.mail(mail))
        }
        session.input(.mailDelivered(mail.id))
      }
    } catch {
      guard !error.isLasting, isUndelivered(mail, from: session) else { return }
      shard.eventLoop.scheduleTask(in: Trees.readAgainIn) { [shard] in
        guard shard.trees.isUndelivered(mail, from: session) else { return }
        Task.immediate(executorPreference: shard.context) { await shard.trees.deliver(mail, from: session) }
      }
    }
  }

  /// False: another delivery was faster, or the sender was read anew: then this is done again from its record.
  private func isUndelivered(_ mail: AgentMail, from session: Session) -> Bool {
    !session.isDropped && session.machine.record.outbox.contains { $0.id == mail.id }
  }

  // MARK: V1 waits

  /// Answers the calls that wait for this agent, if it has come to an end.
  private func answerWaits(_ tree: LiveTree, _ member: AgentTree.Member) {
    guard member.status.isFinal, tree.waits.contains(where: { $0.targets.contains(member.id) }) else { return }
    answerWaitsLater(tree)
  }

  private func answerWaitsLater(_ tree: LiveTree) {
    let root = tree.tree.root
    shard.inbox.post { [shard] in
      if let tree = shard.trees.live[root] { shard.trees.answerWaits(tree) }
    }
  }

  private func answerWaits(_ tree: LiveTree) {
    let waits = tree.waits
    tree.waits = []
    for wait in waits {
      guard let session = shard.sessions[wait.thread], session.machine.isOpen(wait.callID, of: wait.turn) else {
        continue
      }
      let found = Self.ended(wait.targets, tree.tree)
      if found.isEmpty {
        tree.waits.append(wait)
      } else {
        session.input(.toolAnswered(wait.turn, callID: wait.callID, .text(AgentResult.waited(found))))
      }
    }
  }

  /// Those that have come to an end; one that is not there has (A8).
  static func ended(_ targets: [ThreadID], _ tree: AgentTree) -> [(String, AgentStatus)] {
    targets.compactMap { id in
      let status = tree.member(id)?.status ?? .notFound
      return status.isFinal ? (id.description, status) : nil
    }
  }
}

extension Refusal {
  /// Why a thread cannot be read, now or later.
  var isLasting: Bool { reason == .thread || reason == .dataLoss }
}
