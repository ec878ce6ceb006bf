// One switch from requests to what does them. Every handler checks what only it knows, calls, and lets the answer come.

import HeddleCore
import HeddleProtocol
import HeddleRuntime

extension Caller {
  func route(_ request: Request, _ stream: UInt32, _ context: RequestContext) {
    let manager = core.manager
    switch request {
    case .threadStart(let r): manager.start(r, following(context, r.subscribe, nil, r.tree))
    case .threadResume(let r):
      let command = r.tools.map { ThreadCommand.resumeWithTools($0) } ?? .resume
      manager.command(r.thread, command, following(context, r.subscribe, r.thread, r.tree))
    case .threadFork(let r): manager.fork(r, following(context, r.subscribe, nil, r.tree))
    case .threadRead(let r): manager.readThread(r.thread, context)
    case .threadList(let r): list(r, stream)
    case .threadListLoaded(let r): listLoaded(r, stream)
    case .threadListTurns(let r): listTurns(r, stream)
    case .threadListItems(let r): listItems(r, stream)
    case .threadSetName(let r): manager.command(r.thread, .setName(r.name), context)
    case .threadArchive(let r): manager.archive(r.thread, context)
    case .threadUnarchive(let r): manager.archive(r.thread, context)
    case .threadDelete(let r): manager.delete(r.thread, context)
    case .threadRollback(let r): manager.rollback(r, context)
    case .threadCompact(let r): manager.command(r.thread, .compact, context)
    case .threadSubscribe(let r): subscribe(r, stream)
    case .threadUnsubscribe(let r):
      let was = unsubscribe(r.thread)
      answer(stream, .response(.threadUnsubscribe(UnsubscribeResponse(wasSubscribed: was))), follows: nil)
    case .turnStart(let r): manager.command(r.thread, .startTurn(r), context)
    case .turnSteer(let r): manager.command(r.thread, .steerTurn(r.turn, r.input), context)
    case .turnInterrupt(let r): manager.interrupt(r.thread, r.turn, context)
    case .turnListQueue(let r): manager.command(r.thread, .listQueue, context)
    case .turnCancelQueued(let r): manager.cancelQueued(r.thread, r.turn, context)
    case .settingsRead(let r): manager.readThread(r.thread, context)
    case .settingsUpdate(let r):
      let update = ThreadCommand.updateSettings(r.change, expectedRevision: r.expectedRevision, tools: r.tools)
      manager.command(r.thread, update, context)
    case .agentListTree(let r): manager.listTree(r.thread, context)
    case .agentInterrupt(let r): manager.command(r.thread, .interruptAgent, context)
    case .agentClose(let r): manager.closeAgent(r.thread, context)
    case .callAnswer(let r):
      let check = AnswerCheck(core.limits)
      manager.answerCall(r, context) { check.output(of: r, to: $0) }
    case .catalogListModels(let r): answer(stream, .response(.catalogListModels(models(r))), follows: nil)
    case .catalogListFeatures: answer(stream, .response(.catalogListFeatures(features())), follows: nil)
    case .catalogSetFeature(let r): manager.setFeature(r, context)
    case .serverStatus: answer(stream, .response(.serverStatus(status())), follows: nil)
    case .serverStartCapture(let r): core.recording.start(r, core.allLoops) { context.reply.send($0) }
    case .serverStopCapture: core.recording.stop(core.allLoops) { context.reply.send($0) }
    case .serverReadCapture:
      let state = core.recording.state()
      answer(stream, .response(.serverReadCapture(ReadCaptureResponse(capture: state))), follows: nil)
    case .threadSearch, .threadInjectItems, .threadExport:
      // `admit` refuses methods that the schema marks as planned; this is what makes the switch whole.
      answer(stream, .refused(Refusal(.notImplemented, [("method", request.method.path)])), follows: nil)
    }
  }

  /// Start, Resume and Fork subscribe their caller unless asked not to (rules.md T1); a caller follows a thread once.
  private func following(
    _ context: RequestContext, _ wanted: Bool?, _ thread: ThreadID?, _ tree: Bool
  ) -> RequestContext {
    var context = context
    guard rules.followsAnswers else { return context }
    context.wantsToFollow = (wanted ?? true) && (thread.map { subscriptions.stream(following: $0) == nil } ?? true)
    context.wantsTree = context.wantsToFollow && tree
    return context
  }

  private func models(_ request: ListModelsRequest) -> ListModelsResponse {
    ListModelsResponse(models: core.manager.rules.catalog.models.filter { request.includeHidden || !$0.hidden })
  }

  private func features() -> ListFeaturesResponse {
    ListFeaturesResponse(features: core.manager.rules.features.all(defaults: core.manager.defaultFeatures))
  }
}
