// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

extension Method {
  /// `ThreadService/Start`: the name of docs, logs and the prompt.
  public var path: String {
    switch self {
    case .unspecified: ""
    case .threadStart: "ThreadService/Start"
    case .threadResume: "ThreadService/Resume"
    case .threadFork: "ThreadService/Fork"
    case .threadRead: "ThreadService/Read"
    case .threadList: "ThreadService/List"
    case .threadListLoaded: "ThreadService/ListLoaded"
    case .threadSearch: "ThreadService/Search"
    case .threadListTurns: "ThreadService/ListTurns"
    case .threadListItems: "ThreadService/ListItems"
    case .threadSetName: "ThreadService/SetName"
    case .threadArchive: "ThreadService/Archive"
    case .threadUnarchive: "ThreadService/Unarchive"
    case .threadDelete: "ThreadService/Delete"
    case .threadRollback: "ThreadService/Rollback"
    case .threadCompact: "ThreadService/Compact"
    case .threadInjectItems: "ThreadService/InjectItems"
    case .threadExport: "ThreadService/Export"
    case .threadSubscribe: "ThreadService/Subscribe"
    case .threadUnsubscribe: "ThreadService/Unsubscribe"
    case .turnStart: "TurnService/Start"
    case .turnSteer: "TurnService/Steer"
    case .turnInterrupt: "TurnService/Interrupt"
    case .turnListQueue: "TurnService/ListQueue"
    case .turnCancelQueued: "TurnService/CancelQueued"
    case .settingsRead: "SettingsService/Read"
    case .settingsUpdate: "SettingsService/Update"
    case .agentListTree: "AgentService/ListTree"
    case .agentInterrupt: "AgentService/Interrupt"
    case .agentClose: "AgentService/Close"
    case .catalogListModels: "CatalogService/ListModels"
    case .catalogListFeatures: "CatalogService/ListFeatures"
    case .catalogSetFeature: "CatalogService/SetFeature"
    case .serverStatus: "ServerService/Status"
    case .serverStartCapture: "ServerService/StartCapture"
    case .serverStopCapture: "ServerService/StopCapture"
    case .serverReadCapture: "ServerService/ReadCapture"
    case .clientCallTool: "ClientService/CallTool"
    case .clientRequestUserInput: "ClientService/RequestUserInput"
    case .callAnswer: "CallService/Answer"
    }
  }

  /// Changes durable state and takes an idempotency key.
  public var isMutation: Bool {
    switch self {
    case .threadStart, .threadResume, .threadFork, .threadSetName, .threadArchive, .threadUnarchive, .threadDelete, .threadRollback, .threadCompact, .threadInjectItems, .turnStart, .turnSteer, .turnInterrupt, .turnCancelQueued, .settingsUpdate, .agentInterrupt, .agentClose, .catalogSetFeature, .callAnswer: true
    default: false
    }
  }

  /// In the schema, but answered with `not_implemented`.
  public var isPlanned: Bool {
    switch self {
    case .threadSearch, .threadInjectItems, .threadExport: true
    default: false
    }
  }

  /// Refused to a tenant's token.
  public var isAdmin: Bool {
    switch self {
    case .catalogSetFeature, .serverStartCapture, .serverStopCapture, .serverReadCapture: true
    default: false
    }
  }

  /// The server calls the client with it.
  public var isServerCall: Bool {
    switch self {
    case .clientCallTool, .clientRequestUserInput: true
    default: false
    }
  }
}

/// What a client asks: one case a method.
public enum Request: Equatable, Sendable {
  /// Starts a thread. On a frame connection, its events follow on the same stream.
  indirect case threadStart(StartThreadRequest)
  /// Loads a thread. On a frame connection, its events follow on the same stream.
  indirect case threadResume(ResumeThreadRequest)
  /// Creates a thread that shares another thread's history. On a frame connection, its events follow on the same stream.
  indirect case threadFork(ForkThreadRequest)
  /// Reads a thread without loading it.
  case threadRead(ReadThreadRequest)
  /// Lists threads, page by page.
  indirect case threadList(ListThreadsRequest)
  /// Lists the threads that are loaded on this node, page by page.
  case threadListLoaded(ListLoadedThreadsRequest)
  /// Finds text in items.
  case threadSearch(SearchThreadsRequest)
  /// Lists the turns of a thread, page by page.
  indirect case threadListTurns(ListTurnsRequest)
  /// Lists the items of a thread, page by page.
  indirect case threadListItems(ListItemsRequest)
  /// Names a thread.
  case threadSetName(SetThreadNameRequest)
  /// Archives a thread and its tree.
  case threadArchive(ArchiveThreadRequest)
  /// Unarchives a thread and its tree.
  case threadUnarchive(UnarchiveThreadRequest)
  /// Deletes a thread and its tree.
  case threadDelete(DeleteThreadRequest)
  /// Removes the last turns from the context and the turn list.
  case threadRollback(RollbackThreadRequest)
  /// Replaces the context with a summary.
  case threadCompact(CompactThreadRequest)
  /// Adds items to the history without a turn.
  case threadInjectItems(InjectItemsRequest)
  /// Reads a thread's stored events.
  case threadExport(ExportThreadRequest)
  /// Follows a thread.
  indirect case threadSubscribe(SubscribeRequest)
  /// Ends a subscription.
  case threadUnsubscribe(UnsubscribeRequest)
  /// Starts a turn, or queues it.
  indirect case turnStart(StartTurnRequest)
  /// Adds input to a running turn.
  indirect case turnSteer(SteerTurnRequest)
  /// Interrupts a running turn.
  case turnInterrupt(InterruptTurnRequest)
  /// Lists the queued turns.
  case turnListQueue(ListQueueRequest)
  /// Removes a turn from the queue.
  case turnCancelQueued(CancelQueuedTurnRequest)
  /// Returns the settings for the next turn.
  case settingsRead(ReadSettingsRequest)
  /// Changes settings for the next turn; allowed while a turn is running.
  indirect case settingsUpdate(UpdateSettingsRequest)
  /// Returns the whole tree.
  case agentListTree(ListTreeRequest)
  /// Interrupts the running turn of an agent.
  case agentInterrupt(InterruptAgentRequest)
  /// Closes an agent and all agents below it.
  case agentClose(CloseAgentRequest)
  /// Lists the models.
  case catalogListModels(ListModelsRequest)
  /// Lists the features.
  case catalogListFeatures(ListFeaturesRequest)
  /// Turns a feature on or off.
  case catalogSetFeature(SetFeatureRequest)
  /// Returns the server's status.
  case serverStatus(ServerStatusRequest)
  /// Starts recording frames.
  indirect case serverStartCapture(StartCaptureRequest)
  /// Stops the recording.
  case serverStopCapture(StopCaptureRequest)
  /// Returns the state of the recording.
  case serverReadCapture(ReadCaptureRequest)
  /// Answers a call of the server. Any connection of the tenant may answer; the first answer counts.
  indirect case callAnswer(AnswerCallRequest)

  /// The method that the request belongs to.
  public var method: Method {
    switch self {
    case .threadStart: .threadStart
    case .threadResume: .threadResume
    case .threadFork: .threadFork
    case .threadRead: .threadRead
    case .threadList: .threadList
    case .threadListLoaded: .threadListLoaded
    case .threadSearch: .threadSearch
    case .threadListTurns: .threadListTurns
    case .threadListItems: .threadListItems
    case .threadSetName: .threadSetName
    case .threadArchive: .threadArchive
    case .threadUnarchive: .threadUnarchive
    case .threadDelete: .threadDelete
    case .threadRollback: .threadRollback
    case .threadCompact: .threadCompact
    case .threadInjectItems: .threadInjectItems
    case .threadExport: .threadExport
    case .threadSubscribe: .threadSubscribe
    case .threadUnsubscribe: .threadUnsubscribe
    case .turnStart: .turnStart
    case .turnSteer: .turnSteer
    case .turnInterrupt: .turnInterrupt
    case .turnListQueue: .turnListQueue
    case .turnCancelQueued: .turnCancelQueued
    case .settingsRead: .settingsRead
    case .settingsUpdate: .settingsUpdate
    case .agentListTree: .agentListTree
    case .agentInterrupt: .agentInterrupt
    case .agentClose: .agentClose
    case .catalogListModels: .catalogListModels
    case .catalogListFeatures: .catalogListFeatures
    case .catalogSetFeature: .catalogSetFeature
    case .serverStatus: .serverStatus
    case .serverStartCapture: .serverStartCapture
    case .serverStopCapture: .serverStopCapture
    case .serverReadCapture: .serverReadCapture
    case .callAnswer: .callAnswer
    }
  }
}

/// What a method answers: one case a method.
public enum Response: Equatable, Sendable {
  indirect case threadStart(StartThreadResponse)
  indirect case threadResume(ResumeThreadResponse)
  indirect case threadFork(ForkThreadResponse)
  indirect case threadRead(ReadThreadResponse)
  case threadList(ListThreadsResponse)
  case threadListLoaded(ListLoadedThreadsResponse)
  case threadSearch(SearchThreadsResponse)
  case threadListTurns(ListTurnsResponse)
  case threadListItems(ListItemsResponse)
  case threadSetName(SetThreadNameResponse)
  case threadArchive(ArchiveThreadResponse)
  case threadUnarchive(UnarchiveThreadResponse)
  case threadDelete(DeleteThreadResponse)
  case threadRollback(RollbackThreadResponse)
  case threadCompact(CompactThreadResponse)
  case threadInjectItems(InjectItemsResponse)
  case threadExport(ExportThreadResponse)
  indirect case threadSubscribe(SubscriptionEvent)
  case threadUnsubscribe(UnsubscribeResponse)
  indirect case turnStart(StartTurnResponse)
  case turnSteer(SteerTurnResponse)
  case turnInterrupt(InterruptTurnResponse)
  case turnListQueue(ListQueueResponse)
  case turnCancelQueued(CancelQueuedTurnResponse)
  case settingsRead(ReadSettingsResponse)
  indirect case settingsUpdate(UpdateSettingsResponse)
  indirect case agentListTree(ListTreeResponse)
  case agentInterrupt(InterruptAgentResponse)
  case agentClose(CloseAgentResponse)
  case catalogListModels(ListModelsResponse)
  case catalogListFeatures(ListFeaturesResponse)
  indirect case catalogSetFeature(SetFeatureResponse)
  indirect case serverStatus(ServerStatusResponse)
  indirect case serverStartCapture(StartCaptureResponse)
  indirect case serverStopCapture(StopCaptureResponse)
  indirect case serverReadCapture(ReadCaptureResponse)
  case callAnswer(AnswerCallResponse)

  /// The method that the answer belongs to.
  public var method: Method {
    switch self {
    case .threadStart: .threadStart
    case .threadResume: .threadResume
    case .threadFork: .threadFork
    case .threadRead: .threadRead
    case .threadList: .threadList
    case .threadListLoaded: .threadListLoaded
    case .threadSearch: .threadSearch
    case .threadListTurns: .threadListTurns
    case .threadListItems: .threadListItems
    case .threadSetName: .threadSetName
    case .threadArchive: .threadArchive
    case .threadUnarchive: .threadUnarchive
    case .threadDelete: .threadDelete
    case .threadRollback: .threadRollback
    case .threadCompact: .threadCompact
    case .threadInjectItems: .threadInjectItems
    case .threadExport: .threadExport
    case .threadSubscribe: .threadSubscribe
    case .threadUnsubscribe: .threadUnsubscribe
    case .turnStart: .turnStart
    case .turnSteer: .turnSteer
    case .turnInterrupt: .turnInterrupt
    case .turnListQueue: .turnListQueue
    case .turnCancelQueued: .turnCancelQueued
    case .settingsRead: .settingsRead
    case .settingsUpdate: .settingsUpdate
    case .agentListTree: .agentListTree
    case .agentInterrupt: .agentInterrupt
    case .agentClose: .agentClose
    case .catalogListModels: .catalogListModels
    case .catalogListFeatures: .catalogListFeatures
    case .catalogSetFeature: .catalogSetFeature
    case .serverStatus: .serverStatus
    case .serverStartCapture: .serverStartCapture
    case .serverStopCapture: .serverStopCapture
    case .serverReadCapture: .serverReadCapture
    case .callAnswer: .callAnswer
    }
  }
}
