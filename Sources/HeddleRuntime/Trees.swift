// Trees of agents, live. A tree's threads all live on one shard (`SessionManager.shardIndex`), so whatever concerns two of
// them is decided in one go and written as one mutation: no lock, no half-done message, no slot given twice (rules.md A3).
//
// K1  A tree is built from its members' own records when somebody first needs it, and is kept up to date by the sessions
//     of its members from then on.
// K2  Work that needs the tree while it is being read waits for it.

import HeddleCore
import HeddleProtocol
import HeddleStorage
import NIOCore

/// One live tree. Confined to its shard's loop, which is the proof for `@unchecked Sendable`.
final class LiveTree: @unchecked Sendable {
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

/// The trees of one shard. Confined to its loop, which is the proof for `@unchecked Sendable`.
final class Trees: @unchecked Sendable {
  unowned let shard: Shard
  private(set) var live: [ThreadID: LiveTree] = [:]
  private var loading: [ThreadID: [(Result<LiveTree, Refusal>) -> Void]] = [:]
  /// Deleted while trees were read that may have them.
  private var gone: Set<ThreadID> = []
  /// Threads that are tried again in a while.
  private var wanting: Set<ThreadID> = []
  /// What could not be read is tried again after this long: the disk may be better then.
  static let readAgainIn = TimeAmount.seconds(5)

  init(_ shard: Shard) { self.shard = shard }

  // MARK: Finding a tree

  /// Hands the tree with this root to `body`, reading it first if need be (K2).
  func with(_ root: ThreadID, tenant: String, _ body: @escaping (Result<LiveTree, Refusal>) -> Void) {
    if let tree = live[root] { return body(.success(tree)) }
    if let session = shard.sessions[root], session.isEphemeral {
      return body(.success(add(root, [], tenant)))
    }
    guard loading[root] == nil else {
      loading[root]?.append(body)
      return
    }
    loading[root] = [body]
    shard.manager.read(on: shard.context, .long(ObjectIdentifier(self))) { reader, codec throws(StoreError) in
      var members: [AgentTree.Member] = []
      for row in try reader.tree(root: root, tenant: tenant) {
        guard let loaded = try reader.load(row.id, tenant: tenant) else { continue }
        members.append(AgentTree.Member(try loaded.record(&codec)))
      }
      return members
    } then: { (result: Result<[AgentTree.Member], StoreError>) in
      let waiting = self.loading.removeValue(forKey: root) ?? []
      switch result {
      case .failure(let error):
        if self.loading.isEmpty { self.gone = [] }
        for body in waiting { body(.failure(error.refusal)) }
      case .success(let members):
        let tree = self.add(root, members.filter { !self.gone.contains($0.id) }, tenant)
        if self.loading.isEmpty { self.gone = [] }
        for body in waiting { body(.success(tree)) }
      }
    }
  }

  /// What was read, and over it what is live: that is newer (K1).
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
      // A budget of the tree needs to know what the others have used.
      if session.machine.record.settings?.treeTokens != nil { shard.later { self.readForQuota(session) } }
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

  /// Whether the tree has a budget, or may have one, and nobody has read yet what it has used: a turn does not begin
  /// before somebody has. An agent does not know its root's settings.
  func mustRead(for record: ThreadRecord) -> Bool {
    guard live[record.lineage?.root ?? record.id] == nil else { return false }
    return record.currentSettings.treeTokens != nil || record.lineage?.parent != nil
  }

  /// A session of a tree that may be live: it has missed what the others have used.
  func joined(_ session: Session) {
    if let tree = live[session.root] { setQuota(tree, session) }
  }

  private func readForQuota(_ session: Session) {
    guard !session.isDropped, live[session.root] == nil else { return }
    with(session.root, tenant: session.machine.identity.tenant) { _ in }
  }

  private func setQuota(_ tree: LiveTree) {
    for member in tree.tree.members {
      if let session = shard.sessions[member.id] { setQuota(tree, session) }
    }
  }

  private func setQuota(_ tree: LiveTree, _ session: Session) { session.setTreeQuota(tree.tree.quota) }

  /// A slot may be free: whoever waited longest gets it. And agents beyond those that may run are unloaded, the one that
  /// was idle first before the others (A2); they come back when they are addressed.
  private func becameIdle(_ tree: LiveTree, _ session: Session) {
    tree.idle.removeAll { $0 == session.id }
    if session.id != tree.tree.root { tree.idle.append(session.id) }
    shard.later {
      self.grantWaiting(tree)
      self.unloadIdle(tree)
    }
  }

  func grantWaiting(_ tree: LiveTree) {
    for id in tree.tree.waitingForSlots { wantTurn(id, in: tree) }
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
      // Whoever waits for it waits for nothing any more (A8), and its slot is another's (A2).
      shard.later {
        self.answerWaits(tree)
        self.grantWaiting(tree)
      }
    }
  }

  /// The write failed, so the tree in memory is discarded: it is read again when it is needed, at once if somebody waits for it.
  func forget(_ root: ThreadID) {
    guard let tree = live.removeValue(forKey: root), !tree.waits.isEmpty else { return }
    let waits = tree.waits
    answer(waits, root, tenant: tree.tenant)
  }

  private func answer(_ waits: [LiveTree.Wait], _ root: ThreadID, tenant: String) {
    with(root, tenant: tenant) { result in
      switch result {
      case .success(let tree):
        tree.waits += waits
        self.answerWaits(tree)
      case .failure(let refusal): self.later(refusal) { self.answer(waits, root, tenant: tenant) }
      }
    }
  }

  /// Does it again in a while, unless it would fail for ever.
  private func later(_ refusal: Refusal, _ body: @escaping () -> Void) {
    guard !refusal.isLasting else { return }
    let again = Confined(body)
    shard.eventLoop.scheduleTask(in: Self.readAgainIn) { again.body() }
  }

  /// Trees of which nothing is loaded cost nothing.
  func prune() {
    guard !live.isEmpty else { return }
    let used = Set(shard.sessions.values.map(\.root))
    for root in live.keys where !used.contains(root) { live[root] = nil }
  }

  // MARK: Turns for mail

  /// A thread has mail that wants a turn. A root needs no slot, an agent does.
  func wantTurn(_ session: Session) {
    wantTurn(session.id, root: session.root, tenant: session.machine.identity.tenant)
  }

  private func wantTurn(_ id: ThreadID, root: ThreadID, tenant: String, unused: @escaping () -> Void = {}) {
    with(root, tenant: tenant) { result in
      switch result {
      case .success(let tree): self.wantTurn(id, in: tree, unused: unused)
      case .failure(let refusal):
        self.wantTurnLater(refusal, id, root: root, tenant: tenant)
        unused()
      }
    }
  }

  /// `unused` is called if the thread does not even try to begin.
  private func wantTurn(_ id: ThreadID, in tree: LiveTree, unused: @escaping () -> Void = {}) {
    guard tree.tree.member(id)?.wantsTurn == true, tree.tree.grant(id, shard.rules.limits) else { return unused() }
    let root = tree.tree.root
    let tenant = tree.tenant
    shard.session(id, tenant: tenant) { [self, shard] result in
      guard case .success(let session) = result, !session.isDropped else {
        tree.tree.giveBack(id)
        if case .failure(let refusal) = result { self.wantTurnLater(refusal, id, root: root, tenant: tenant) }
        return unused()
      }
      // The tenant runs as many turns as it may: the mail waits until one of them ends.
      let again: @Sendable () -> Void = {
        shard.inbox.post { shard.trees.permitIsFree(id, root: root, tenant: tenant) }
      }
      if session.takePermit(orWait: again) { session.input(.slotGranted) }
      if !session.isRunning { tree.tree.giveBack(id) }
    }
  }

  private func wantTurnLater(_ refusal: Refusal, _ id: ThreadID, root: ThreadID, tenant: String) {
    guard !refusal.isLasting, wanting.insert(id).inserted else { return }
    later(refusal) { [self] in
      wanting.remove(id)
      wantTurn(id, root: root, tenant: tenant)
    }
  }

  private func permitIsFree(_ id: ThreadID, root: ThreadID, tenant: String) {
    wantTurn(id, root: root, tenant: tenant) { self.shard.manager.permits.passOn(tenant) }
  }

  // MARK: Mail (rules.md A5)

  /// Stores a message with its receiver and takes it off its sender's hands, in one mutation.
  func deliver(_ mail: AgentMail, from session: Session) {
    let tenant = session.machine.identity.tenant
    with(session.root, tenant: tenant) { result in
      let tree: LiveTree
      switch result {
      case .success(let found): tree = found
      case .failure(let refusal): return self.deliverLater(refusal, mail, from: session)
      }
      self.shard.session(mail.to, tenant: tenant) { result in
        // Somebody was faster, or the sender was read anew: then this is done again from its record.
        guard !session.isDropped, session.machine.record.outbox.contains(where: { $0.id == mail.id }) else { return }
        if case .failure(let refusal) = result, !refusal.isLasting {
          return self.deliverLater(refusal, mail, from: session)
        }
        self.shard.writes.atomically {
          if case .success(let receiver) = result {
            var mail = mail
            mail.triggerTurn = mail.triggerTurn || (mail.kind == .finalAnswer && tree.tree.wakesParents)
            receiver.input(.mail(mail))
          }
          session.input(.mailDelivered(mail.id))
        }
      }
    }
  }

  private func deliverLater(_ refusal: Refusal, _ mail: AgentMail, from session: Session) {
    later(refusal) {
      guard !session.isDropped, session.machine.record.outbox.contains(where: { $0.id == mail.id }) else { return }
      self.deliver(mail, from: session)
    }
  }

  // MARK: V1 waits

  /// Answers whoever waits for this agent, if it has come to an end.
  private func answerWaits(_ tree: LiveTree, _ member: AgentTree.Member) {
    guard member.status.isFinal, tree.waits.contains(where: { $0.targets.contains(member.id) }) else { return }
    shard.later { self.answerWaits(tree) }
  }

  func answerWaits(_ tree: LiveTree) {
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
