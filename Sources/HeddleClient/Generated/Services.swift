// Made by `make generate` from proto/; edit that instead.
// swift-format-ignore-file

import HeddleCore
import HeddleProtocol

extension Method {
  /// Sending it again does no harm where it is not known whether it was served.
  var isRepeatable: Bool { self != .serverStartCapture && self != .serverStopCapture }
}

extension HeddleClient {
  public var threads: ThreadsService { ThreadsService(client: self) }
  public var turns: TurnsService { TurnsService(client: self) }
  public var settings: SettingsService { SettingsService(client: self) }
  public var agents: AgentsService { AgentsService(client: self) }
  public var catalog: CatalogService { CatalogService(client: self) }
  public var server: ServerService { ServerService(client: self) }
  public var calls: CallsService { CallsService(client: self) }
}

/// The methods of ThreadService.
public struct ThreadsService: Sendable {
  let client: HeddleClient

  /// Starts a thread. On a frame connection, its events follow on the same stream.
  public func start(_ request: StartThreadRequest = StartThreadRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> StartThreadResponse {
    var request = request
    request.subscribe = false
    return try await client.call(.threadStart, request, key: key, deadline: deadline)
  }

  /// Loads a thread. On a frame connection, its events follow on the same stream.
  public func resume(_ request: ResumeThreadRequest = ResumeThreadRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> ResumeThreadResponse {
    var request = request
    request.subscribe = false
    return try await client.call(.threadResume, request, key: key, deadline: deadline)
  }

  /// Creates a thread that shares another thread's history. On a frame connection, its events follow on the same stream.
  public func fork(_ request: ForkThreadRequest = ForkThreadRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> ForkThreadResponse {
    var request = request
    request.subscribe = false
    return try await client.call(.threadFork, request, key: key, deadline: deadline)
  }

  /// Reads a thread without loading it.
  public func read(_ request: ReadThreadRequest = ReadThreadRequest(), deadline: Duration? = nil) async throws -> ReadThreadResponse {
    return try await client.call(.threadRead, request, deadline: deadline)
  }

  /// Lists threads, page by page.
  public func list(_ request: ListThreadsRequest = ListThreadsRequest(), deadline: Duration? = nil) async throws -> ListThreadsResponse {
    return try await client.call(.threadList, request, deadline: deadline)
  }

  /// Iterates over the threads of all pages.
  public func eachList(_ request: ListThreadsRequest = ListThreadsRequest()) -> Pages<AgentThread> {
    Pages { cursor in
      var request = request
      request.cursor = cursor ?? request.cursor
      let page = try await list(request)
      return (page.threads, page.nextCursor)
    }
  }

  /// Lists the threads that are loaded on this node, page by page.
  public func listLoaded(_ request: ListLoadedThreadsRequest = ListLoadedThreadsRequest(), deadline: Duration? = nil) async throws -> ListLoadedThreadsResponse {
    return try await client.call(.threadListLoaded, request, deadline: deadline)
  }

  /// Iterates over the threads of all pages.
  public func eachListLoaded(_ request: ListLoadedThreadsRequest = ListLoadedThreadsRequest()) -> Pages<ThreadID> {
    Pages { cursor in
      var request = request
      request.cursor = cursor ?? request.cursor
      let page = try await listLoaded(request)
      return (page.threads, page.nextCursor)
    }
  }

  /// Finds text in items. Not built yet.
  public func search(_ request: SearchThreadsRequest = SearchThreadsRequest(), deadline: Duration? = nil) async throws -> SearchThreadsResponse {
    return try await client.call(.threadSearch, request, deadline: deadline)
  }

  /// Iterates over the hits of all pages.
  public func eachSearch(_ request: SearchThreadsRequest = SearchThreadsRequest()) -> Pages<SearchHit> {
    Pages { cursor in
      var request = request
      request.cursor = cursor ?? request.cursor
      let page = try await search(request)
      return (page.hits, page.nextCursor)
    }
  }

  /// Lists the turns of a thread, page by page.
  public func listTurns(_ request: ListTurnsRequest = ListTurnsRequest(), deadline: Duration? = nil) async throws -> ListTurnsResponse {
    return try await client.call(.threadListTurns, request, deadline: deadline)
  }

  /// Iterates over the turns of all pages.
  public func eachListTurns(_ request: ListTurnsRequest = ListTurnsRequest()) -> Pages<Turn> {
    Pages { cursor in
      var request = request
      request.cursor = cursor ?? request.cursor
      let page = try await listTurns(request)
      return (page.turns, page.nextCursor)
    }
  }

  /// Lists the items of a thread, page by page.
  public func listItems(_ request: ListItemsRequest = ListItemsRequest(), deadline: Duration? = nil) async throws -> ListItemsResponse {
    return try await client.call(.threadListItems, request, deadline: deadline)
  }

  /// Iterates over the items of all pages.
  public func eachListItems(_ request: ListItemsRequest = ListItemsRequest()) -> Pages<ListedItem> {
    Pages { cursor in
      var request = request
      request.cursor = cursor ?? request.cursor
      let page = try await listItems(request)
      return (page.items, page.nextCursor)
    }
  }

  /// Names a thread.
  public func setName(_ request: SetThreadNameRequest = SetThreadNameRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> SetThreadNameResponse {
    return try await client.call(.threadSetName, request, key: key, deadline: deadline)
  }

  /// Archives a thread and its tree.
  public func archive(_ request: ArchiveThreadRequest = ArchiveThreadRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> ArchiveThreadResponse {
    return try await client.call(.threadArchive, request, key: key, deadline: deadline)
  }

  /// Unarchives a thread and its tree.
  public func unarchive(_ request: UnarchiveThreadRequest = UnarchiveThreadRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> UnarchiveThreadResponse {
    return try await client.call(.threadUnarchive, request, key: key, deadline: deadline)
  }

  /// Deletes a thread and its tree.
  public func delete(_ request: DeleteThreadRequest = DeleteThreadRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> DeleteThreadResponse {
    return try await client.call(.threadDelete, request, key: key, deadline: deadline)
  }

  /// Removes the last turns from the context and the turn list.
  public func rollback(_ request: RollbackThreadRequest = RollbackThreadRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> RollbackThreadResponse {
    return try await client.call(.threadRollback, request, key: key, deadline: deadline)
  }

  /// Replaces the context with a summary.
  public func compact(_ request: CompactThreadRequest = CompactThreadRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> CompactThreadResponse {
    return try await client.call(.threadCompact, request, key: key, deadline: deadline)
  }

  /// Adds items to the history without a turn. Not built yet.
  public func injectItems(_ request: InjectItemsRequest = InjectItemsRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> InjectItemsResponse {
    return try await client.call(.threadInjectItems, request, key: key, deadline: deadline)
  }

  /// Reads a thread's stored events. Not built yet.
  public func export(_ request: ExportThreadRequest = ExportThreadRequest(), deadline: Duration? = nil) async throws -> ExportThreadResponse {
    return try await client.call(.threadExport, request, deadline: deadline)
  }
}

/// The methods of TurnService.
public struct TurnsService: Sendable {
  let client: HeddleClient

  /// Starts a turn, or queues it.
  public func start(_ request: StartTurnRequest = StartTurnRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> StartTurnResponse {
    return try await client.call(.turnStart, request, key: key, deadline: deadline)
  }

  /// Adds input to a running turn.
  public func steer(_ request: SteerTurnRequest = SteerTurnRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> SteerTurnResponse {
    return try await client.call(.turnSteer, request, key: key, deadline: deadline)
  }

  /// Interrupts a running turn.
  public func interrupt(_ request: InterruptTurnRequest = InterruptTurnRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> InterruptTurnResponse {
    return try await client.call(.turnInterrupt, request, key: key, deadline: deadline)
  }

  /// Lists the queued turns.
  public func listQueue(_ request: ListQueueRequest = ListQueueRequest(), deadline: Duration? = nil) async throws -> ListQueueResponse {
    return try await client.call(.turnListQueue, request, deadline: deadline)
  }

  /// Removes a turn from the queue.
  public func cancelQueued(_ request: CancelQueuedTurnRequest = CancelQueuedTurnRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> CancelQueuedTurnResponse {
    return try await client.call(.turnCancelQueued, request, key: key, deadline: deadline)
  }
}

/// The methods of SettingsService.
public struct SettingsService: Sendable {
  let client: HeddleClient

  /// Returns the settings for the next turn.
  public func read(_ request: ReadSettingsRequest = ReadSettingsRequest(), deadline: Duration? = nil) async throws -> ReadSettingsResponse {
    return try await client.call(.settingsRead, request, deadline: deadline)
  }

  /// Changes settings for the next turn; allowed while a turn is running.
  public func update(_ request: UpdateSettingsRequest = UpdateSettingsRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> UpdateSettingsResponse {
    return try await client.call(.settingsUpdate, request, key: key, deadline: deadline)
  }
}

/// The methods of AgentService.
public struct AgentsService: Sendable {
  let client: HeddleClient

  /// Returns the whole tree.
  public func listTree(_ request: ListTreeRequest = ListTreeRequest(), deadline: Duration? = nil) async throws -> ListTreeResponse {
    return try await client.call(.agentListTree, request, deadline: deadline)
  }

  /// Interrupts the running turn of an agent.
  public func interrupt(_ request: InterruptAgentRequest = InterruptAgentRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> InterruptAgentResponse {
    return try await client.call(.agentInterrupt, request, key: key, deadline: deadline)
  }

  /// Closes an agent and all agents below it.
  public func close(_ request: CloseAgentRequest = CloseAgentRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> CloseAgentResponse {
    return try await client.call(.agentClose, request, key: key, deadline: deadline)
  }
}

/// The methods of CatalogService.
public struct CatalogService: Sendable {
  let client: HeddleClient

  /// Lists the models.
  public func listModels(_ request: ListModelsRequest = ListModelsRequest(), deadline: Duration? = nil) async throws -> ListModelsResponse {
    return try await client.call(.catalogListModels, request, deadline: deadline)
  }

  /// Lists the features.
  public func listFeatures(_ request: ListFeaturesRequest = ListFeaturesRequest(), deadline: Duration? = nil) async throws -> ListFeaturesResponse {
    return try await client.call(.catalogListFeatures, request, deadline: deadline)
  }

  /// Turns a feature on or off.
  public func setFeature(_ request: SetFeatureRequest = SetFeatureRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> SetFeatureResponse {
    return try await client.call(.catalogSetFeature, request, key: key, deadline: deadline)
  }
}

/// The methods of ServerService.
public struct ServerService: Sendable {
  let client: HeddleClient

  /// Returns the server's status.
  public func status(_ request: ServerStatusRequest = ServerStatusRequest(), deadline: Duration? = nil) async throws -> ServerStatusResponse {
    return try await client.call(.serverStatus, request, deadline: deadline)
  }

  /// Starts recording frames.
  public func startCapture(_ request: StartCaptureRequest = StartCaptureRequest(), deadline: Duration? = nil) async throws -> StartCaptureResponse {
    return try await client.call(.serverStartCapture, request, deadline: deadline)
  }

  /// Stops the recording.
  public func stopCapture(_ request: StopCaptureRequest = StopCaptureRequest(), deadline: Duration? = nil) async throws -> StopCaptureResponse {
    return try await client.call(.serverStopCapture, request, deadline: deadline)
  }

  /// Returns the state of the recording.
  public func readCapture(_ request: ReadCaptureRequest = ReadCaptureRequest(), deadline: Duration? = nil) async throws -> ReadCaptureResponse {
    return try await client.call(.serverReadCapture, request, deadline: deadline)
  }
}

/// The methods of CallService.
public struct CallsService: Sendable {
  let client: HeddleClient

  /// Answers a call of the server. Any connection of the tenant may answer; the first answer counts.
  public func answer(_ request: AnswerCallRequest = AnswerCallRequest(), key: IdempotencyKey? = nil, deadline: Duration? = nil) async throws -> AnswerCallResponse {
    return try await client.call(.callAnswer, request, key: key, deadline: deadline)
  }
}
