// The effects of a session that the disk has: carried out, answered, told to followers (Session.N2).

import HeddleCore
import HeddleStorage
import NIOCore

extension Session {
  func release() {
    var batch: [Push] = []
    while let item = releases.next() {
      switch item {
      case .event(let event):
        if shownState == .unspecified { showState() }
        if !subscribers.isEmpty { batch.append(.event(event)) }
        announce(event)
      case .status(let status):
        showState()
        toldStatus = status
        if !subscribers.isEmpty { batch.append(.status(status)) }
        shard.manager.statusChanged(id, tenant: tenant, status)
      case .delta(let delta): if !subscribers.isEmpty { batch.append(.delta(delta)) }
      case .startModel(let start): startDriver(start)
      case .callTool(let turn, let call):
        Task(executorPreference: shard.context) { [self] in await shard.trees.call(self, turn, call) }
      case .askClient(let call): tell(.call(call), &batch)
      case .endClientCall(let callID): tell(.callEnded(callID, of: id), &batch)
      case .deliver(let mail):
        Task(executorPreference: shard.context) { [self] in await shard.trees.deliver(mail, from: self) }
      case .wantTurn:
        shard.inbox.post { [self] in shard.trees.wantTurn(id, root: root, tenant: tenant) }
      case .reply(let request, let answer):
        subscribers.deliver(&batch)
        reply(request, answer)
      }
    }
    subscribers.deliver(&batch)
    releases.end(&shard.spareRooms)
    if driver != nil, machine.record.running == nil { stopDriver() }
    wakeAhead()
  }

  func wakeAhead() {
    guard !ahead.isEmpty else { return }
    let waiting = ahead
    ahead = []
    for work in waiting { shard.inbox.post(work) }
  }

  /// Tells of the event beyond this thread's own subscribers: a start to all connections of the tenant (rules.md T1).
  private func announce(_ event: StoredEvent) {
    if event.kind == Self.created {
      if root != id { shard.treeFollowers.tell(of: self, head: 0) }
      let notice = ThreadStartedNotice(thread: id, lineage: machine.record.lineage)
      shard.manager.announce(.threadStarted(notice), tenant: tenant, toAll: true)
    } else if let notice = notice(of: event) {
      shard.manager.announceToFollowers(notice, tenant: tenant)
    }
  }

  /// The notice of an event for followers of the tenant's threads.
  private func notice(of event: StoredEvent) -> SubscriptionEvent.Kind? {
    switch event.kind {
    case Self.nameChanged: .threadName(ThreadNameNotice(thread: id, name: machine.record.name))
    case Self.archived: .threadArchive(ThreadArchiveNotice(thread: id, archived: true))
    case Self.unarchived: .threadArchive(ThreadArchiveNotice(thread: id, archived: false))
    default: nil
    }
  }

  private static let created = Event.Kind.threadCreated(ThreadCreated()).number
  private static let nameChanged = Event.Kind.nameChanged(NameChanged()).number
  private static let archived = Event.Kind.threadArchived(ThreadArchived()).number
  private static let unarchived = Event.Kind.threadUnarchived(ThreadUnarchived()).number

  private func reply(_ request: RequestContext, _ answer: Answer) {
    guard request.wantsToFollow, case .response = answer, let follower = request.reply.follower else {
      return shard.answer(request, answer, follows: nil)
    }
    // The head in the answer is the last event that left here, so every push follows from it (N3).
    let followed = Followed(
      thread: id, epoch: machine.identity.epoch, head: releasedHead, status: toldStatus, isTree: request.wantsTree)
    subscribers.add(follower)
    if request.wantsTree { shard.treeFollowers.add(self, follower) }
    shard.answer(request, answer, follows: followed)
    let missed = snapshots()
    if !missed.isEmpty { subscribers.push(missed, to: follower) }
    if request.wantsTree { shard.treeFollowers.tellOfLoaded(follower) }
  }

  /// The last event that was released.
  var releasedHead: UInt64 { releases.releasedHead }

  /// Pushes a call, or its end, to the followers of this thread and to those of its root (rules.md A13). Earlier pushes of
  /// the batch leave first.
  private func tell(_ push: Push, _ batch: inout [Push]) {
    if !subscribers.isEmpty { batch.append(push) }
    guard root != id, let top = shard.sessions[root], !top.subscribers.isEmpty else { return }
    subscribers.deliver(&batch)
    top.subscribers.push([push])
  }

  /// Tells the followers of the tree that this agent is not loaded any more and that nothing is missing.
  func tellUnloaded() {
    subscribers.takeAll().push([.unloaded])
  }

  func showState() {
    let state = machine.status.state
    guard state != shownState else { return }
    shard.manager.index.set(id, tenant: tenant, state, shard.context.metrics)
    shownState = state
  }
}
