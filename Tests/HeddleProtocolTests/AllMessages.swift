// Every message of the schema, by type and by sample. A sample fills every field with a value of its own, so that a field
// that is mixed up with another one, or lost, shows.

import CHeddleProtocol
import HeddleCore

@testable import HeddleProtocol

enum AllMessages {
  static let types: [any WireMessage.Type] = [
    Agent.self, ListTreeRequest.self, ListTreeResponse.self, InterruptAgentRequest.self,
    InterruptAgentResponse.self, CloseAgentRequest.self, CloseAgentResponse.self, CatalogModel.self,
    ListModelsRequest.self, ListModelsResponse.self, Feature.self, ListFeaturesRequest.self,
    ListFeaturesResponse.self, SetFeatureRequest.self, SetFeatureResponse.self, CallToolRequest.self,
    CallToolResponse.self, RequestUserInputRequest.self, RequestUserInputResponse.self, ToolDefinition.self,
    Lineage.self, ThreadCreated.self, SettingsUpdated.self, VersionPinned.self, NameChanged.self,
    ThreadArchived.self, ThreadUnarchived.self, TurnQueued.self, QueuedTurnCancelled.self, TurnStarted.self,
    InputSteered.self, ItemStarted.self, ItemCheckpoint.self, ItemCompleted.self, ModelRetried.self,
    UsageReported.self, TurnEnded.self, TurnsRolledBack.self, ContextCompacted.self, ForeignRecord.self,
    Event.self, ThreadStatus.self, ItemDelta.self, ItemSnapshot.self, Subscribed.self, Live.self, Progress.self,
    StatusChanged.self, ThreadStartedNotice.self, ThreadDeletedNotice.self, ThreadArchiveNotice.self,
    ThreadNameNotice.self, SubscriptionEvent.self, Metadata.self, ClientHello.self, ServerHello.self,
    ConnectionLimits.self, ErrorDetail.self, WireError.self, Credit.self, Ping.self, Pong.self, GoAway.self,
    ImagePart.self, OpaquePart.self, ContentPart.self, MessageItem.self, ReasoningItem.self, ToolCallItem.self,
    ToolOutputItem.self, AgentMessageItem.self, CompactionItem.self, MarkerItem.self, Item.self,
    ServerStatusRequest.self, ServerStatusResponse.self, NameValue.self, Settings.self, ModeSelection.self,
    SettingsChange.self, ReadSettingsRequest.self, ReadSettingsResponse.self, UpdateSettingsRequest.self,
    UpdateSettingsResponse.self, TurnRange.self, HistorySegment.self, OpenItem.self, PendingInput.self,
    RunningTurn.self, EndedTurn.self, ThreadRecord.self, AgentThread.self, StartThreadRequest.self,
    StartThreadResponse.self, ResumeThreadRequest.self, ResumeThreadResponse.self, ForkThreadRequest.self,
    ForkThreadResponse.self, ReadThreadRequest.self, ReadThreadResponse.self, ListThreadsRequest.self,
    ListThreadsResponse.self, ListLoadedThreadsRequest.self, ListLoadedThreadsResponse.self,
    SearchThreadsRequest.self, SearchHit.self, SearchThreadsResponse.self, ListTurnsRequest.self,
    ListTurnsResponse.self, ListedItem.self, ListItemsRequest.self, ListItemsResponse.self,
    SetThreadNameRequest.self, SetThreadNameResponse.self, ArchiveThreadRequest.self, ArchiveThreadResponse.self,
    UnarchiveThreadRequest.self, UnarchiveThreadResponse.self, DeleteThreadRequest.self, DeleteThreadResponse.self,
    RollbackThreadRequest.self, RollbackThreadResponse.self, CompactThreadRequest.self, CompactThreadResponse.self,
    InjectItemsRequest.self, InjectItemsResponse.self, ExportThreadRequest.self, ExportThreadResponse.self,
    SubscribeRequest.self, UnsubscribeRequest.self, UnsubscribeResponse.self, TokenUsage.self, TurnError.self,
    TurnContext.self, TurnInput.self, Turn.self, QueuedTurn.self, StartTurnRequest.self, StartTurnResponse.self,
    SteerTurnRequest.self, SteerTurnResponse.self, InterruptTurnRequest.self, InterruptTurnResponse.self,
    ListQueueRequest.self, ListQueueResponse.self, CancelQueuedTurnRequest.self, CancelQueuedTurnResponse.self,
  ]

  /// JSON of the message with every field set. Of each oneof the member number `variant`, counted around.
  static func sample(_ schema: UInt16, variant: Int = 0) -> JSONValue {
    guard let message = SchemaTable.message(schema) else { return .null }
    let fields = SchemaTable.fields(message)
    var members: [JSONValue.Member] = []
    for field in fields {
      let siblings = fields.filter { $0.oneof != 0 && $0.oneof == field.oneof }
      if !siblings.isEmpty, siblings[variant % siblings.count].number != field.number { continue }
      let value = sample(field, variant)
      members.append(.init(field.fieldName, field.isRepeated ? .list([value, value]) : value))
    }
    return .object(members)
  }

  /// How many variants show every member of every oneof of the message itself.
  static func variants(_ schema: UInt16) -> Int {
    guard let message = SchemaTable.message(schema) else { return 0 }
    let groups = Dictionary(grouping: SchemaTable.fields(message).filter { $0.oneof != 0 }, by: \.oneof)
    return groups.values.map(\.count).max() ?? 1
  }

  private static func sample(_ field: heddle_field, _ variant: Int) -> JSONValue {
    switch Int(field.wire_class) {
    case HEDDLE_MESSAGE: return sample(field.target, variant: variant)
    case HEDDLE_TEXT: return .text("\(field.fieldName) é€😀 \"\\\n")
    case HEDDLE_BYTES where field.isID: return .text(ThreadID(high: UInt64(field.number), low: .max).description)
    case HEDDLE_BYTES: return .text("AAH/")
    case HEDDLE_FIXED32: return .number("0.7")
    default:
      if field.isBool { return .bool(true) }
      if field.isEnum, let last = SchemaTable.values(field).last { return .text(String(cString: last.name)) }
      if field.isSigned { return .number("-\(field.number)") }
      return .number("\(1000 + Int(field.number))")
    }
  }
}
