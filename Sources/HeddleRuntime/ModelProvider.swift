// Providers answer turns. A provider hands on the model's output, signal by signal; it knows nothing of threads.

import HeddleCore

/// Everything a model is asked with.
public struct ModelRequest: Sendable {
  public var thread: ThreadID
  /// Root of the thread's tree; the thread itself for a root.
  public var root: ThreadID
  /// The agent that spawned the thread.
  public var parent: ThreadID?
  public var turn: TurnID
  public var context: TurnContext
  /// The history as the model sees it, oldest first. Items that were cut off have the status `FAILED` and are not in it.
  public var items: [Item]
  /// Tools that the model may call.
  public var tools: [ToolDefinition]
  /// The context is to be summed up: no tools, no shape of the answer.
  public var isCompaction: Bool
  /// The place of this step in a trace, for the provider.
  public var trace: TraceContext?

  public init(
    thread: ThreadID, turn: TurnID, context: TurnContext, items: [Item], tools: [ToolDefinition] = [],
    root: ThreadID? = nil, parent: ThreadID? = nil, isCompaction: Bool = false,
    trace: TraceContext? = nil
  ) {
    self.thread = thread
    self.root = root ?? thread
    self.parent = parent
    self.turn = turn
    self.context = context
    self.items = items
    self.tools = tools
    self.isCompaction = isCompaction
    self.trace = trace
  }

  public var model: String { context.settings?.model ?? "" }
}

/// A failure that ends a turn.
public struct ModelFailure: Error, Equatable, Sendable {
  public var error: TurnError
  public init(_ reason: TurnFailure, _ message: String) { error = TurnError(reason: reason.rawValue, message: message) }
}

/// A source of answers to turns.
public protocol ModelProvider: Sendable {
  /// The name that settings and the catalog use.
  var name: String { get }
  /// Requests that it takes at one time; 0: any number. Kept by `TurnDriver`.
  var concurrency: Int { get }
  /// Answers one sampling step: calls `emit` for each signal but `finished` and `failed`, and returns when the answer is
  /// whole. Throws `ModelFailure`; ends promptly when its task is cancelled. `emit` waits while the server is behind.
  func answer(_ request: ModelRequest, emit: @escaping @Sendable (ModelSignal) async -> Void) async throws
}

extension ModelProvider {
  public var concurrency: Int { 0 }
}
