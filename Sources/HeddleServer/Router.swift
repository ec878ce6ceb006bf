// One switch from requests to what does them. Every handler checks what only it knows, calls, and lets the answer come.

import HeddleCore
import HeddleProtocol
import HeddleRuntime

extension Connection {
  func route(_ request: Request, _ pending: PendingRequest) {
    let manager = core.manager
    switch request {
    case .threadStart(let r): manager.start(r, following(pending, r.subscribe, nil, r.tree))
    case .threadResume(let r):
      let command = r.tools.map { ThreadCommand.resumeWithTools($0) } ?? .resume
      manager.command(r.thread, command, following(pending, r.subscribe, r.thread, r.tree))
    case .threadFork(let r): manager.fork(r, following(pending, r.subscribe, nil, r.tree))
    case .threadRead(let r): manager.readThread(r.thread, pending)
    case .threadList(let r): list(r, pending)
    case .threadListLoaded(let r): listLoaded(r, pending)
    case .threadListTurns(let r): listTurns(r, pending)
    case .threadListItems(let r): listItems(r, pending)
    case .threadSetName(let r): manager.command(r.thread, .setName(r.name), pending)
    case .threadArchive(let r): manager.archive(r.thread, pending)
    case .threadUnarchive(let r): manager.archive(r.thread, pending)
    case .threadDelete(let r): manager.delete(r.thread, pending)
    case .threadRollback(let r): manager.rollback(r, pending)
    case .threadCompact(let r): manager.command(r.thread, .compact, pending)
    case .threadSubscribe(let r): subscribe(r, pending)
    case .threadUnsubscribe(let r):
      let was = unsubscribe(r.thread)
      answer(pending, .response(.threadUnsubscribe(UnsubscribeResponse(wasSubscribed: was))), follows: nil)
    case .turnStart(let r): manager.command(r.thread, .startTurn(r), pending)
    case .turnSteer(let r): manager.command(r.thread, .steerTurn(r.turn, r.input), pending)
    case .turnInterrupt(let r): manager.interrupt(r.thread, r.turn, pending)
    case .turnListQueue(let r): manager.command(r.thread, .listQueue, pending)
    case .turnCancelQueued(let r): manager.cancelQueued(r.thread, r.turn, pending)
    case .settingsRead(let r): manager.readThread(r.thread, pending)
    case .settingsUpdate(let r):
      let update = ThreadCommand.updateSettings(r.change, expectedRevision: r.expectedRevision, tools: r.tools)
      manager.command(r.thread, update, pending)
    case .agentListTree(let r): manager.listTree(r.thread, pending)
    case .agentInterrupt(let r): manager.command(r.thread, .interruptAgent, pending)
    case .agentClose(let r): manager.closeAgent(r.thread, pending)
    case .catalogListModels(let r): answer(pending, .response(.catalogListModels(models(r))), follows: nil)
    case .catalogListFeatures: answer(pending, .response(.catalogListFeatures(features())), follows: nil)
    case .catalogSetFeature(let r): manager.setFeature(r, pending)
    case .serverStatus: answer(pending, .response(.serverStatus(status())), follows: nil)
    case .serverStartCapture(let r): startCapture(r, pending)
    case .serverStopCapture: core.capture.stop(.stopped, core.allLoops) { self.answerLater(pending, $0) }
    case .serverReadCapture:
      let state = core.capture.state()
      answer(pending, .response(.serverReadCapture(ReadCaptureResponse(capture: state))), follows: nil)
    case .threadSearch, .threadInjectItems, .threadExport:
      // `admit` refuses methods that the schema marks as planned; this is what makes the switch whole.
      answer(pending, .refused(Refusal(.notImplemented, [("method", request.method.path)])), follows: nil)
    }
  }

  /// Start, Resume and Fork subscribe their caller unless asked not to (rules.md T1); nobody follows a thread twice.
  private func following(
    _ pending: PendingRequest, _ wanted: Bool?, _ thread: ThreadID?, _ tree: Bool
  ) -> PendingRequest {
    var pending = pending
    pending.wantsToFollow = (wanted ?? true) && (thread.map { followed[$0] == nil } ?? true)
    pending.wantsTree = pending.wantsToFollow && tree
    return pending
  }

  private func models(_ request: ListModelsRequest) -> ListModelsResponse {
    ListModelsResponse(models: core.manager.rules.catalog.models.filter { request.includeHidden || !$0.hidden })
  }

  private func features() -> ListFeaturesResponse {
    ListFeaturesResponse(features: core.manager.rules.features.all(defaults: core.manager.defaultFeatures))
  }

  private func status() -> ServerStatusResponse {
    let manager = core.manager
    return ServerStatusResponse(
      serving: core.serving, version: core.version, node: manager.store.node,
      uptimeMs: UInt64(clamping: manager.clock.instant() - core.startedAt),
      connections: UInt32(clamping: core.quotas.connectionCount), loadedThreads: UInt32(clamping: manager.index.count),
      runningTurns: UInt32(clamping: manager.index.running()), eventsWritten: manager.store.eventsWritten,
      groupsSynced: manager.store.groupsSynced, durability: "synced", usage: manager.usage.total(of: tenant),
      providers: manager.providerStatus)
  }
}
