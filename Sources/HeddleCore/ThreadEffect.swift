// Effects of a thread's state machine, which its driver carries out.

/// The answer to a request.
public enum Answer: Equatable, Sendable {
  case response(Response)
  case refused(Refusal)
  /// The bytes of the response that a request with the same key got the first time (rules.md E2). No thread gives it.
  case stored([UInt8])
}

/// An action of the driver; actions are carried out in this order. `after` is the number of an event: the effect is
/// released when that event has reached the disk, and after every effect before it. "Acknowledged after the sync" is
/// this field, not a habit. Large and rare payloads are boxed, so that the frequent cases stay small.
public enum Effect: Equatable, Sendable {
  /// Append the event and publish it once it is synced (durability.md D1, D2).
  case append(Event)
  /// Store the turn as it is now, together with the events around it.
  indirect case storeTurn(Turn)
  case reply(Ticket, Answer, after: UInt64)
  case status(ThreadStatus, after: UInt64)
  case delta(ItemDelta, after: UInt64)
  /// Ask the model; its input is the history up to `after`.
  indirect case startModel(ModelStart, after: UInt64)
  /// A tool of the server is to run (rules.md A1).
  indirect case callTool(TurnID, ToolCallItem, after: UInt64)
  /// A tool of a client is to be called, or a person asked (rules.md A9).
  indirect case askClient(ClientCall, after: UInt64)
  /// At once: no further answer to this call counts.
  case endClientCall(String)
  /// A message is to be stored with its receiver.
  indirect case deliver(AgentMail, after: UInt64)
  /// There is mail that wants a turn, if the tree has a slot.
  case wantTurn(after: UInt64)
  /// At once: stop asking.
  case cancelModel(TurnID)
  /// At once. Milliseconds of the monotonic clock.
  case setTimer(ThreadTimer, at: Int64)
  case cancelTimer(ThreadTimer)
}

/// One request to the model.
public struct ModelStart: Equatable, Sendable {
  public var turn: TurnID
  public var context: TurnContext
  public var tools: [ToolDefinition]
  /// The context is to be summed up.
  public var isCompaction: Bool

  public init(turn: TurnID, context: TurnContext, tools: [ToolDefinition] = [], isCompaction: Bool = false) {
    self.turn = turn
    self.context = context
    self.tools = tools
    self.isCompaction = isCompaction
  }
}
