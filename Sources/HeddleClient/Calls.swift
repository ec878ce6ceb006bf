// The methods that programs use most, by name. Each is one line over `call`; the others go through `call(_:)`.

import HeddleCore
import HeddleProtocol

extension HeddleClient {
  /// Starts a thread. Follow it with `subscribe(thread:after:epoch:)`.
  public func startThread(
    _ request: StartThreadRequest = StartThreadRequest(), key: IdempotencyKey? = nil
  ) async throws -> StartThreadResponse {
    var request = request
    request.subscribe = request.subscribe ?? false
    return try await call(.threadStart, request, key: key)
  }

  /// Loads a thread, and gives it other tools if there are any to give.
  public func resumeThread(
    _ thread: ThreadID, tools: ToolSelection? = nil, key: IdempotencyKey? = nil
  ) async throws -> ResumeThreadResponse {
    try await call(.threadResume, ResumeThreadRequest(thread: thread, subscribe: false, tools: tools), key: key)
  }

  /// Makes a thread that shares another one's history.
  public func forkThread(_ request: ForkThreadRequest, key: IdempotencyKey? = nil) async throws -> ForkThreadResponse {
    var request = request
    request.subscribe = request.subscribe ?? false
    return try await call(.threadFork, request, key: key)
  }

  /// Reads a thread without loading it.
  public func readThread(_ thread: ThreadID) async throws -> ReadThreadResponse {
    try await call(.threadRead, ReadThreadRequest(thread: thread))
  }

  /// Pages through threads.
  public func listThreads(_ request: ListThreadsRequest = ListThreadsRequest()) async throws -> ListThreadsResponse {
    try await call(.threadList, request)
  }

  /// Pages through the turns of a thread.
  public func listTurns(_ request: ListTurnsRequest) async throws -> ListTurnsResponse {
    try await call(.threadListTurns, request)
  }

  /// Pages through the items of a thread.
  public func listItems(_ request: ListItemsRequest) async throws -> ListItemsResponse {
    try await call(.threadListItems, request)
  }

  /// Archives a thread and its tree.
  public func archiveThread(_ thread: ThreadID, key: IdempotencyKey? = nil) async throws -> ArchiveThreadResponse {
    try await call(.threadArchive, ArchiveThreadRequest(thread: thread), key: key)
  }

  /// Deletes a thread and its tree.
  public func deleteThread(_ thread: ThreadID, key: IdempotencyKey? = nil) async throws -> DeleteThreadResponse {
    try await call(.threadDelete, DeleteThreadRequest(thread: thread), key: key)
  }

  /// Takes the last turns out of the context.
  public func rollBack(
    _ thread: ThreadID, turns: Int32, key: IdempotencyKey? = nil
  ) async throws -> RollbackThreadResponse {
    try await call(.threadRollback, RollbackThreadRequest(thread: thread, turns: turns), key: key)
  }

  /// Starts a turn, or queues it.
  public func startTurn(_ request: StartTurnRequest, key: IdempotencyKey? = nil) async throws -> StartTurnResponse {
    try await call(.turnStart, request, key: key)
  }

  /// Starts a turn with a text.
  public func startTurn(
    _ thread: ThreadID, text: String, key: IdempotencyKey? = nil
  ) async throws -> StartTurnResponse {
    let input = TurnInput(content: [ContentPart(part: .text(text))])
    return try await startTurn(StartTurnRequest(thread: thread, input: input), key: key)
  }

  /// Adds input to a running turn.
  public func steerTurn(_ request: SteerTurnRequest, key: IdempotencyKey? = nil) async throws -> SteerTurnResponse {
    try await call(.turnSteer, request, key: key)
  }

  /// Ends a running turn.
  public func interruptTurn(
    _ turn: TurnID, of thread: ThreadID, key: IdempotencyKey? = nil
  ) async throws -> InterruptTurnResponse {
    try await call(.turnInterrupt, InterruptTurnRequest(thread: thread, turn: turn), key: key)
  }

  /// The settings for the next turn.
  public func readSettings(_ thread: ThreadID) async throws -> ReadSettingsResponse {
    try await call(.settingsRead, ReadSettingsRequest(thread: thread))
  }

  /// Changes settings for the next turn; works while a turn runs.
  public func updateSettings(
    _ request: UpdateSettingsRequest, key: IdempotencyKey? = nil
  ) async throws -> UpdateSettingsResponse {
    try await call(.settingsUpdate, request, key: key)
  }

  /// How the server is.
  public func status() async throws -> ServerStatusResponse {
    try await call(.serverStatus, ServerStatusRequest())
  }
}
