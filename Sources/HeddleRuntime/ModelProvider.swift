// What answers turns. A provider says what the model says, signal by signal; it knows nothing of threads.

import HeddleCore

/// Everything a model is asked with.
public struct ModelRequest: Sendable {
  public var thread: ThreadID
  public var turn: TurnID
  public var context: TurnContext
  /// The history as the model sees it, oldest first.
  public var items: [Item]

  public init(thread: ThreadID, turn: TurnID, context: TurnContext, items: [Item]) {
    self.thread = thread
    self.turn = turn
    self.context = context
    self.items = items
  }

  public var model: String { context.settings?.model ?? "" }
}

/// A failure that ends a turn.
public struct ModelFailure: Error, Equatable, Sendable {
  public var error: TurnError
  public init(_ reason: TurnFailure, _ message: String) { error = TurnError(reason: reason.rawValue, message: message) }
}

/// What answers a turn.
public protocol ModelProvider: Sendable {
  /// The name that settings and the catalog use.
  var name: String { get }
  /// Answers one sampling step: calls `emit` for each signal but `finished` and `failed`, and returns when the answer is
  /// whole. Throws `ModelFailure`; ends promptly when its task is cancelled. `emit` waits while the server is behind.
  func answer(_ request: ModelRequest, emit: @escaping @Sendable (ModelSignal) async -> Void) async throws
}
