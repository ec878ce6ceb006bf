-- Made by `make generate` from proto/; edit codegen/dissector.lua or the schema instead.

local methods = {
  [101] = { "ThreadService/Start", "StartThreadRequest", "StartThreadResponse" },
  [102] = { "ThreadService/Resume", "ResumeThreadRequest", "ResumeThreadResponse" },
  [103] = { "ThreadService/Fork", "ForkThreadRequest", "ForkThreadResponse" },
  [104] = { "ThreadService/Read", "ReadThreadRequest", "ReadThreadResponse" },
  [105] = { "ThreadService/List", "ListThreadsRequest", "ListThreadsResponse" },
  [106] = { "ThreadService/ListLoaded", "ListLoadedThreadsRequest", "ListLoadedThreadsResponse" },
  [107] = { "ThreadService/Search", "SearchThreadsRequest", "SearchThreadsResponse" },
  [108] = { "ThreadService/ListTurns", "ListTurnsRequest", "ListTurnsResponse" },
  [109] = { "ThreadService/ListItems", "ListItemsRequest", "ListItemsResponse" },
  [110] = { "ThreadService/SetName", "SetThreadNameRequest", "SetThreadNameResponse" },
  [111] = { "ThreadService/Archive", "ArchiveThreadRequest", "ArchiveThreadResponse" },
  [112] = { "ThreadService/Unarchive", "UnarchiveThreadRequest", "UnarchiveThreadResponse" },
  [113] = { "ThreadService/Delete", "DeleteThreadRequest", "DeleteThreadResponse" },
  [114] = { "ThreadService/Rollback", "RollbackThreadRequest", "RollbackThreadResponse" },
  [115] = { "ThreadService/Compact", "CompactThreadRequest", "CompactThreadResponse" },
  [116] = { "ThreadService/InjectItems", "InjectItemsRequest", "InjectItemsResponse" },
  [117] = { "ThreadService/Export", "ExportThreadRequest", "ExportThreadResponse" },
  [118] = { "ThreadService/Subscribe", "SubscribeRequest", "SubscriptionEvent" },
  [119] = { "ThreadService/Unsubscribe", "UnsubscribeRequest", "UnsubscribeResponse" },
  [201] = { "TurnService/Start", "StartTurnRequest", "StartTurnResponse" },
  [202] = { "TurnService/Steer", "SteerTurnRequest", "SteerTurnResponse" },
  [203] = { "TurnService/Interrupt", "InterruptTurnRequest", "InterruptTurnResponse" },
  [204] = { "TurnService/ListQueue", "ListQueueRequest", "ListQueueResponse" },
  [205] = { "TurnService/CancelQueued", "CancelQueuedTurnRequest", "CancelQueuedTurnResponse" },
  [301] = { "SettingsService/Read", "ReadSettingsRequest", "ReadSettingsResponse" },
  [302] = { "SettingsService/Update", "UpdateSettingsRequest", "UpdateSettingsResponse" },
  [401] = { "AgentService/ListTree", "ListTreeRequest", "ListTreeResponse" },
  [402] = { "AgentService/Interrupt", "InterruptAgentRequest", "InterruptAgentResponse" },
  [403] = { "AgentService/Close", "CloseAgentRequest", "CloseAgentResponse" },
  [501] = { "CatalogService/ListModels", "ListModelsRequest", "ListModelsResponse" },
  [502] = { "CatalogService/ListFeatures", "ListFeaturesRequest", "ListFeaturesResponse" },
  [503] = { "CatalogService/SetFeature", "SetFeatureRequest", "SetFeatureResponse" },
  [601] = { "ServerService/Status", "ServerStatusRequest", "ServerStatusResponse" },
  [602] = { "ServerService/StartCapture", "StartCaptureRequest", "StartCaptureResponse" },
  [603] = { "ServerService/StopCapture", "StopCaptureRequest", "StopCaptureResponse" },
  [604] = { "ServerService/ReadCapture", "ReadCaptureRequest", "ReadCaptureResponse" },
  [701] = { "ClientService/CallTool", "CallToolRequest", "CallToolResponse" },
  [702] = { "ClientService/RequestUserInput", "RequestUserInputRequest", "RequestUserInputResponse" },
  [801] = { "CallService/Answer", "AnswerCallRequest", "AnswerCallResponse" },
}

local enums = {
  IdKind = { [0] = "UNSPECIFIED", [1] = "THREAD", [2] = "TURN", [3] = "ITEM", [4] = "CONNECTION", [5] = "NODE", [6] = "KEY" },
  FrameKind = { [0] = "UNSPECIFIED", [1] = "REQUEST", [2] = "RESPONSE", [3] = "EVENT", [4] = "ERROR", [5] = "CANCEL", [6] = "CREDIT", [7] = "PING", [8] = "PONG", [9] = "GOAWAY", [10] = "HELLO" },
  Method = { [0] = "UNSPECIFIED", [101] = "THREAD_START", [102] = "THREAD_RESUME", [103] = "THREAD_FORK", [104] = "THREAD_READ", [105] = "THREAD_LIST", [106] = "THREAD_LIST_LOADED", [107] = "THREAD_SEARCH", [108] = "THREAD_LIST_TURNS", [109] = "THREAD_LIST_ITEMS", [110] = "THREAD_SET_NAME", [111] = "THREAD_ARCHIVE", [112] = "THREAD_UNARCHIVE", [113] = "THREAD_DELETE", [114] = "THREAD_ROLLBACK", [115] = "THREAD_COMPACT", [116] = "THREAD_INJECT_ITEMS", [117] = "THREAD_EXPORT", [118] = "THREAD_SUBSCRIBE", [119] = "THREAD_UNSUBSCRIBE", [201] = "TURN_START", [202] = "TURN_STEER", [203] = "TURN_INTERRUPT", [204] = "TURN_LIST_QUEUE", [205] = "TURN_CANCEL_QUEUED", [301] = "SETTINGS_READ", [302] = "SETTINGS_UPDATE", [401] = "AGENT_LIST_TREE", [402] = "AGENT_INTERRUPT", [403] = "AGENT_CLOSE", [501] = "CATALOG_LIST_MODELS", [502] = "CATALOG_LIST_FEATURES", [503] = "CATALOG_SET_FEATURE", [601] = "SERVER_STATUS", [602] = "SERVER_START_CAPTURE", [603] = "SERVER_STOP_CAPTURE", [604] = "SERVER_READ_CAPTURE", [701] = "CLIENT_CALL_TOOL", [702] = "CLIENT_REQUEST_USER_INPUT", [801] = "CALL_ANSWER" },
  Code = { [0] = "UNSPECIFIED", [1] = "CANCELLED", [2] = "UNKNOWN", [3] = "INVALID_ARGUMENT", [4] = "DEADLINE_EXCEEDED", [5] = "NOT_FOUND", [6] = "ALREADY_EXISTS", [7] = "PERMISSION_DENIED", [8] = "RESOURCE_EXHAUSTED", [9] = "FAILED_PRECONDITION", [10] = "ABORTED", [11] = "OUT_OF_RANGE", [12] = "UNIMPLEMENTED", [13] = "INTERNAL", [14] = "UNAVAILABLE", [15] = "DATA_LOSS", [16] = "UNAUTHENTICATED" },
  ServingStatus = { [0] = "UNSPECIFIED", [1] = "SERVING", [2] = "READ_ONLY", [3] = "DRAINING" },
  Role = { [0] = "UNSPECIFIED", [1] = "USER", [2] = "DEVELOPER", [3] = "SYSTEM", [4] = "ASSISTANT" },
  Phase = { [0] = "UNSPECIFIED", [1] = "COMMENTARY", [2] = "FINAL_ANSWER" },
  ItemStatus = { [0] = "UNSPECIFIED", [1] = "COMPLETED", [2] = "INTERRUPTED", [3] = "FAILED" },
  AgentMessageKind = { [0] = "UNSPECIFIED", [1] = "NEW_TASK", [2] = "MESSAGE", [3] = "FINAL_ANSWER", [4] = "NOTIFICATION" },
  MarkerKind = { [0] = "UNSPECIFIED", [1] = "INTERRUPTION" },
  MultiAgentVersion = { [0] = "UNSPECIFIED", [1] = "V1", [2] = "V2", [3] = "DISABLED" },
  VersionSource = { [0] = "UNSPECIFIED", [1] = "STORED", [2] = "INHERITED", [3] = "LEGACY", [4] = "CATALOG", [5] = "FLAGS" },
  MultiAgentMode = { [0] = "UNSPECIFIED", [1] = "EXPLICIT_REQUEST_ONLY", [2] = "PROACTIVE" },
  SettingsField = { [0] = "UNSPECIFIED", [1] = "REASONING_EFFORT", [2] = "REASONING_SUMMARY", [3] = "SERVICE_TIER", [4] = "BASE_INSTRUCTIONS", [5] = "DEVELOPER_INSTRUCTIONS", [6] = "WORKING_FOLDER", [7] = "TEMPERATURE", [8] = "TURN_TOKENS", [9] = "THREAD_TOKENS", [10] = "TREE_TOKENS", [11] = "AGENT_DEPTH", [12] = "AGENT_TOTAL", [13] = "WAKE_PARENT" },
  TurnStatus = { [0] = "UNSPECIFIED", [1] = "QUEUED", [2] = "RUNNING", [3] = "COMPLETED", [4] = "INTERRUPTED", [5] = "FAILED" },
  TurnCause = { [0] = "UNSPECIFIED", [1] = "MAIL", [2] = "COMPACTION" },
  WhenBusy = { [0] = "UNSPECIFIED", [1] = "QUEUE", [2] = "REFUSE", [3] = "STEER" },
  ThreadSource = { [0] = "UNSPECIFIED", [1] = "CLIENT", [2] = "FORK", [3] = "AGENT", [4] = "IMPORT" },
  AgentActivityKind = { [0] = "UNSPECIFIED", [1] = "SPAWNED", [2] = "MESSAGED", [3] = "INTERRUPTED", [4] = "CLOSED", [5] = "RESUMED" },
  ThreadState = { [0] = "UNSPECIFIED", [1] = "NOT_LOADED", [2] = "IDLE", [3] = "ACTIVE", [4] = "SYSTEM_ERROR" },
  FeatureStage = { [0] = "UNSPECIFIED", [1] = "UNDER_DEVELOPMENT", [2] = "BETA", [3] = "STABLE", [4] = "DEPRECATED" },
  CaptureEnd = { [0] = "UNSPECIFIED", [1] = "STOPPED", [2] = "BYTES", [3] = "TIME", [4] = "DISK", [5] = "SHUTDOWN" },
  ListOrder = { [0] = "UNSPECIFIED", [1] = "NEWEST_FIRST", [2] = "OLDEST_FIRST" },
  SubscriptionKind = { [0] = "UNSPECIFIED", [1] = "EVENTS", [2] = "DELTAS", [3] = "STATUS" },
  CallKind = { [0] = "UNSPECIFIED", [1] = "CALL_TOOL", [2] = "REQUEST_USER_INPUT" },
}

local messages = {
  Agent = { [1] = { "thread", "guid" }, [2] = { "parent", "guid" }, [3] = { "path", "string" }, [4] = { "nickname", "string" }, [5] = { "status", "message", "ThreadStatus" }, [6] = { "version", "enum", "MultiAgentVersion" }, [7] = { "last_task", "string" }, [8] = { "usage", "message", "TokenUsage" }, [9] = { "depth", "uint64" }, [10] = { "role", "string" }, [11] = { "closed", "bool" }, [12] = { "last_turn", "enum", "TurnStatus" }, [13] = { "waiting_messages", "uint64" } },
  AgentActivity = { [1] = { "kind", "enum", "AgentActivityKind" }, [2] = { "agent", "guid" }, [3] = { "path", "string" }, [4] = { "call_id", "string" } },
  AgentClosed = { [1] = { "with", "guid" } },
  AgentMail = { [1] = { "id", "guid" }, [2] = { "kind", "enum", "AgentMessageKind" }, [3] = { "from", "guid" }, [4] = { "author", "string" }, [5] = { "to", "guid" }, [6] = { "recipient", "string" }, [7] = { "content", "message", "ContentPart" }, [8] = { "trigger_turn", "bool" } },
  AgentMessageItem = { [1] = { "author", "string" }, [2] = { "recipient", "string" }, [3] = { "content", "message", "ContentPart" }, [4] = { "trigger_turn", "bool" }, [5] = { "kind", "enum", "AgentMessageKind" } },
  AgentReopened = {  },
  AgentThread = { [1] = { "id", "guid" }, [2] = { "lineage", "message", "Lineage" }, [3] = { "name", "string" }, [4] = { "preview", "string" }, [5] = { "status", "message", "ThreadStatus" }, [6] = { "ephemeral", "bool" }, [7] = { "archived", "bool" }, [8] = { "created_at", "int64" }, [9] = { "updated_at", "int64" }, [10] = { "settings", "message", "Settings" }, [11] = { "revision", "uint64" }, [12] = { "version", "enum", "MultiAgentVersion" }, [13] = { "version_source", "enum", "VersionSource" }, [14] = { "sequence", "uint64" }, [15] = { "epoch", "uint64" }, [16] = { "turn_count", "uint64" }, [17] = { "usage", "message", "TokenUsage" }, [18] = { "running_turn", "guid" }, [19] = { "queued_turns", "uint64" }, [20] = { "asks_user", "bool" }, [21] = { "closed", "bool" }, [22] = { "tools", "string" } },
  AnswerCallRequest = { [1] = { "thread", "guid" }, [2] = { "turn", "guid" }, [3] = { "call_id", "string" }, [4] = { "tool", "message", "CallToolResponse" }, [5] = { "input", "message", "RequestUserInputResponse" }, [6] = { "refused", "message", "Error" } },
  AnswerCallResponse = { [1] = { "sequence", "uint64" }, [2] = { "counted", "bool" }, [15] = { "replayed", "bool" } },
  ArchiveThreadRequest = { [1] = { "thread", "guid" } },
  ArchiveThreadResponse = { [1] = { "sequence", "uint64" }, [15] = { "replayed", "bool" } },
  CallEnded = { [1] = { "thread", "guid" }, [2] = { "turn", "guid" }, [3] = { "call_id", "string" } },
  CallToolRequest = { [1] = { "thread", "guid" }, [2] = { "turn", "guid" }, [3] = { "call_id", "string" }, [4] = { "name", "string" }, [5] = { "arguments", "string" }, [6] = { "deadline", "int64" } },
  CallToolResponse = { [1] = { "content", "message", "ContentPart" }, [2] = { "success", "bool" } },
  CancelQueuedTurnRequest = { [1] = { "thread", "guid" }, [2] = { "turn", "guid" } },
  CancelQueuedTurnResponse = { [1] = { "sequence", "uint64" }, [2] = { "already", "bool" }, [15] = { "replayed", "bool" } },
  CaptureState = { [1] = { "file", "string" }, [2] = { "running", "bool" }, [3] = { "frames", "uint64" }, [4] = { "bytes", "uint64" }, [5] = { "dropped_frames", "uint64" }, [6] = { "dropped_bytes", "uint64" }, [7] = { "elapsed_ms", "uint64" }, [8] = { "end", "enum", "CaptureEnd" } },
  CatalogModel = { [1] = { "id", "string" }, [2] = { "provider", "string" }, [3] = { "display_name", "string" }, [4] = { "description", "string" }, [5] = { "version", "enum", "MultiAgentVersion" }, [6] = { "reasoning_efforts", "string" }, [7] = { "default_reasoning_effort", "string" }, [8] = { "context_window", "uint64" }, [9] = { "is_default", "bool" }, [10] = { "hidden", "bool" } },
  ClientHello = { [1] = { "versions", "uint64" }, [2] = { "client_name", "string" }, [3] = { "client_version", "string" }, [4] = { "token", "string" }, [5] = { "wanted_limits", "message", "ConnectionLimits" }, [6] = { "features", "string" }, [7] = { "unwanted_notifications", "string" } },
  CloseAgentRequest = { [1] = { "thread", "guid" } },
  CloseAgentResponse = { [1] = { "closed", "uint64" }, [15] = { "replayed", "bool" } },
  CompactThreadRequest = { [1] = { "thread", "guid" } },
  CompactThreadResponse = { [1] = { "sequence", "uint64" }, [2] = { "turn", "guid" }, [15] = { "replayed", "bool" } },
  CompactionItem = { [1] = { "summary", "string" }, [2] = { "replacement", "message", "MessageItem" } },
  ConnectionLimits = { [1] = { "frame_bytes", "uint64" }, [2] = { "requests_in_flight", "uint64" }, [3] = { "subscriptions", "uint64" }, [4] = { "outgoing_bytes", "uint64" }, [5] = { "idle_ms", "uint64" }, [6] = { "frame_ms", "uint64" }, [7] = { "nesting", "uint64" }, [8] = { "repeated_elements", "uint64" }, [9] = { "unknown_fields", "uint64" }, [10] = { "turn_input_bytes", "uint64" }, [11] = { "page_size", "uint64" }, [12] = { "queued_turns", "uint64" }, [13] = { "thread_events", "uint64" }, [14] = { "tenant_requests_per_second", "uint64" }, [15] = { "tenant_running_turns", "uint64" }, [16] = { "glitches", "uint64" } },
  ContentPart = { [1] = { "text", "string" }, [2] = { "image", "message", "ImagePart" }, [3] = { "encrypted", "string" }, [4] = { "opaque", "message", "OpaquePart" } },
  ContextCompacted = { [1] = { "compaction", "message", "CompactionItem" }, [2] = { "baseline", "message", "TurnContext" } },
  Credit = { [1] = { "bytes", "uint64" } },
  DeleteThreadRequest = { [1] = { "thread", "guid" } },
  DeleteThreadResponse = { [1] = { "deleted", "uint64" }, [15] = { "replayed", "bool" } },
  Error = { [1] = { "code", "enum", "Code" }, [2] = { "reason", "string" }, [3] = { "message", "string" }, [4] = { "retry_after_ms", "int64" }, [5] = { "details", "message", "ErrorDetail" }, [6] = { "debug_id", "string" } },
  ErrorDetail = { [1] = { "name", "string" }, [2] = { "value", "string" } },
  Event = { [1] = { "sequence", "uint64" }, [2] = { "at", "int64" }, [3] = { "more", "bool" }, [4] = { "turn", "guid" }, [10] = { "thread_created", "message", "ThreadCreated" }, [11] = { "settings_updated", "message", "SettingsUpdated" }, [12] = { "version_pinned", "message", "VersionPinned" }, [13] = { "name_changed", "message", "NameChanged" }, [14] = { "thread_archived", "message", "ThreadArchived" }, [15] = { "thread_unarchived", "message", "ThreadUnarchived" }, [16] = { "turn_queued", "message", "TurnQueued" }, [17] = { "queued_turn_cancelled", "message", "QueuedTurnCancelled" }, [18] = { "turn_started", "message", "TurnStarted" }, [19] = { "input_steered", "message", "InputSteered" }, [20] = { "item_started", "message", "ItemStarted" }, [21] = { "item_checkpoint", "message", "ItemCheckpoint" }, [22] = { "item_completed", "message", "ItemCompleted" }, [23] = { "model_retried", "message", "ModelRetried" }, [24] = { "usage_reported", "message", "UsageReported" }, [25] = { "turn_ended", "message", "TurnEnded" }, [26] = { "turns_rolled_back", "message", "TurnsRolledBack" }, [27] = { "context_compacted", "message", "ContextCompacted" }, [28] = { "foreign_record", "message", "ForeignRecord" }, [29] = { "mail_received", "message", "MailReceived" }, [30] = { "mail_queued", "message", "MailQueued" }, [31] = { "mail_delivered", "message", "MailDelivered" }, [32] = { "agent_activity", "message", "AgentActivity" }, [33] = { "agent_closed", "message", "AgentClosed" }, [34] = { "agent_reopened", "message", "AgentReopened" } },
  ExportThreadRequest = { [1] = { "thread", "guid" }, [2] = { "after", "uint64" }, [3] = { "page_size", "int64" } },
  ExportThreadResponse = { [1] = { "events", "message", "Event" }, [2] = { "more", "bool" } },
  Feature = { [1] = { "name", "string" }, [2] = { "stage", "enum", "FeatureStage" }, [3] = { "description", "string" }, [4] = { "default_enabled", "bool" }, [5] = { "enabled", "bool" } },
  ForeignRecord = { [1] = { "record", "message", "OpaquePart" } },
  ForkThreadRequest = { [1] = { "thread", "guid" }, [2] = { "last_turn", "guid" }, [3] = { "settings", "message", "SettingsChange" }, [4] = { "name", "string" }, [5] = { "subscribe", "bool" }, [6] = { "tree", "bool" }, [7] = { "tools", "message", "ToolSelection" } },
  ForkThreadResponse = { [1] = { "sequence", "uint64" }, [2] = { "thread", "message", "AgentThread" }, [15] = { "replayed", "bool" } },
  GoAway = { [1] = { "last_stream", "uint64" }, [2] = { "error", "message", "Error" } },
  ImagePart = { [1] = { "url", "string" }, [2] = { "detail", "string" } },
  InjectItemsRequest = { [1] = { "thread", "guid" }, [2] = { "items", "message", "Item" } },
  InjectItemsResponse = { [1] = { "sequence", "uint64" }, [15] = { "replayed", "bool" } },
  InputSteered = { [1] = { "input", "message", "TurnInput" }, [2] = { "item", "guid" } },
  InterruptAgentRequest = { [1] = { "thread", "guid" } },
  InterruptAgentResponse = { [1] = { "sequence", "uint64" }, [2] = { "already", "bool" }, [15] = { "replayed", "bool" } },
  InterruptTurnRequest = { [1] = { "thread", "guid" }, [2] = { "turn", "guid" } },
  InterruptTurnResponse = { [1] = { "sequence", "uint64" }, [2] = { "already", "bool" }, [15] = { "replayed", "bool" } },
  Item = { [1] = { "id", "guid" }, [2] = { "status", "enum", "ItemStatus" }, [3] = { "provider_id", "string" }, [10] = { "message", "message", "MessageItem" }, [11] = { "reasoning", "message", "ReasoningItem" }, [12] = { "tool_call", "message", "ToolCallItem" }, [13] = { "tool_output", "message", "ToolOutputItem" }, [14] = { "agent_message", "message", "AgentMessageItem" }, [15] = { "compaction", "message", "CompactionItem" }, [16] = { "marker", "message", "MarkerItem" }, [17] = { "opaque", "message", "OpaquePart" } },
  ItemCheckpoint = { [1] = { "item", "guid" }, [2] = { "offset", "uint64" }, [3] = { "text", "string" } },
  ItemCompleted = { [1] = { "item", "message", "Item" } },
  ItemDelta = { [1] = { "turn", "guid" }, [2] = { "item", "guid" }, [3] = { "offset", "uint64" }, [4] = { "text", "string" } },
  ItemSnapshot = { [1] = { "turn", "guid" }, [2] = { "item", "guid" }, [3] = { "text", "string" } },
  ItemStarted = { [1] = { "item", "message", "Item" } },
  Lineage = { [1] = { "source", "enum", "ThreadSource" }, [2] = { "root", "guid" }, [3] = { "parent", "guid" }, [4] = { "forked_from", "guid" }, [5] = { "forked_at", "uint64" }, [6] = { "depth", "uint64" }, [7] = { "agent_path", "string" }, [8] = { "agent_nickname", "string" }, [9] = { "agent_role", "string" }, [10] = { "origin", "string" } },
  ListFeaturesRequest = {  },
  ListFeaturesResponse = { [1] = { "features", "message", "Feature" } },
  ListItemsRequest = { [1] = { "thread", "guid" }, [2] = { "turn", "guid" }, [3] = { "cursor", "string" }, [4] = { "page_size", "int64" }, [5] = { "order", "enum", "ListOrder" } },
  ListItemsResponse = { [1] = { "items", "message", "ListedItem" }, [2] = { "next_cursor", "string" } },
  ListLoadedThreadsRequest = { [1] = { "cursor", "string" }, [2] = { "page_size", "int64" } },
  ListLoadedThreadsResponse = { [1] = { "threads", "guid" }, [2] = { "next_cursor", "string" } },
  ListModelsRequest = { [1] = { "include_hidden", "bool" } },
  ListModelsResponse = { [1] = { "models", "message", "CatalogModel" } },
  ListQueueRequest = { [1] = { "thread", "guid" } },
  ListQueueResponse = { [1] = { "turns", "message", "QueuedTurn" }, [2] = { "running", "guid" } },
  ListThreadsRequest = { [1] = { "cursor", "string" }, [2] = { "page_size", "int64" }, [3] = { "order", "enum", "ListOrder" }, [4] = { "archived", "bool" }, [5] = { "source", "enum", "ThreadSource" }, [6] = { "parent", "guid" }, [7] = { "forked_from", "guid" }, [8] = { "model_provider", "string" }, [9] = { "text", "string" }, [10] = { "working_folder", "string" }, [11] = { "created_after", "int64" }, [12] = { "created_before", "int64" } },
  ListThreadsResponse = { [1] = { "threads", "message", "AgentThread" }, [2] = { "next_cursor", "string" } },
  ListTreeRequest = { [1] = { "thread", "guid" } },
  ListTreeResponse = { [1] = { "agents", "message", "Agent" }, [2] = { "free_slots", "uint64" }, [3] = { "usage", "message", "TokenUsage" } },
  ListTurnsRequest = { [1] = { "thread", "guid" }, [2] = { "cursor", "string" }, [3] = { "page_size", "int64" }, [4] = { "order", "enum", "ListOrder" } },
  ListTurnsResponse = { [1] = { "turns", "message", "Turn" }, [2] = { "next_cursor", "string" } },
  ListedItem = { [1] = { "item", "message", "Item" }, [2] = { "turn", "guid" }, [3] = { "sequence", "uint64" }, [4] = { "at", "int64" } },
  Live = { [1] = { "sequence", "uint64" } },
  MailDelivered = { [1] = { "mail", "guid" } },
  MailQueued = { [1] = { "mail", "message", "AgentMail" } },
  MailReceived = { [1] = { "mail", "message", "AgentMail" }, [2] = { "replaces", "guid" } },
  MarkerItem = { [1] = { "kind", "enum", "MarkerKind" }, [2] = { "role", "enum", "Role" }, [3] = { "text", "string" } },
  MessageItem = { [1] = { "role", "enum", "Role" }, [2] = { "content", "message", "ContentPart" }, [3] = { "phase", "enum", "Phase" } },
  Metadata = { [1] = { "traceparent", "string" }, [2] = { "tracestate", "string" }, [3] = { "request_id", "string" }, [4] = { "deadline_ms", "int64" }, [5] = { "idempotency_key", "guid" }, [6] = { "authority", "string" }, [7] = { "token", "string" } },
  ModeSelection = { [1] = { "set", "enum", "MultiAgentMode" }, [2] = { "clear", "bool" } },
  ModelRetried = { [1] = { "attempt", "uint64" }, [2] = { "error", "message", "TurnError" }, [3] = { "wait_ms", "uint64" } },
  NameChanged = { [1] = { "name", "string" } },
  NameValue = { [1] = { "name", "string" }, [2] = { "value", "string" } },
  OpaquePart = { [1] = { "kind", "string" }, [2] = { "json", "string" } },
  OpenCall = { [1] = { "tool", "message", "CallToolRequest" }, [2] = { "input", "message", "RequestUserInputRequest" } },
  Ping = { [1] = { "opaque", "bytes" } },
  Pong = { [1] = { "opaque", "bytes" }, [2] = { "status", "enum", "ServingStatus" } },
  Progress = { [1] = { "sequence", "uint64" } },
  ProviderStatus = { [1] = { "name", "string" }, [2] = { "running", "uint64" }, [3] = { "waiting", "uint64" }, [4] = { "limit", "uint64" } },
  QueuedTurn = { [1] = { "id", "guid" }, [2] = { "input", "message", "TurnInput" }, [3] = { "settings", "message", "SettingsChange" }, [4] = { "queued_at", "int64" }, [5] = { "output_schema", "string" } },
  QueuedTurnCancelled = { [1] = { "turn", "guid" } },
  ReadCaptureRequest = {  },
  ReadCaptureResponse = { [1] = { "capture", "message", "CaptureState" } },
  ReadSettingsRequest = { [1] = { "thread", "guid" } },
  ReadSettingsResponse = { [1] = { "settings", "message", "Settings" }, [2] = { "revision", "uint64" }, [3] = { "version", "enum", "MultiAgentVersion" }, [4] = { "version_source", "enum", "VersionSource" }, [5] = { "tools", "string" } },
  ReadThreadRequest = { [1] = { "thread", "guid" } },
  ReadThreadResponse = { [1] = { "thread", "message", "AgentThread" } },
  ReasoningItem = { [1] = { "summary", "string" }, [2] = { "content", "string" }, [3] = { "encrypted", "string" }, [4] = { "provider", "string" } },
  RequestUserInputRequest = { [1] = { "thread", "guid" }, [2] = { "turn", "guid" }, [3] = { "question", "string" }, [4] = { "choices", "string" }, [5] = { "action_hash", "bytes" }, [6] = { "deadline", "int64" }, [7] = { "call_id", "string" } },
  RequestUserInputResponse = { [1] = { "answer", "string" }, [2] = { "action_hash", "bytes" } },
  ResumeThreadRequest = { [1] = { "thread", "guid" }, [2] = { "subscribe", "bool" }, [3] = { "tree", "bool" }, [4] = { "tools", "message", "ToolSelection" } },
  ResumeThreadResponse = { [1] = { "sequence", "uint64" }, [2] = { "thread", "message", "AgentThread" }, [15] = { "replayed", "bool" } },
  RollbackThreadRequest = { [1] = { "thread", "guid" }, [2] = { "turns", "int64" } },
  RollbackThreadResponse = { [1] = { "sequence", "uint64" }, [2] = { "rolled_back", "uint64" }, [15] = { "replayed", "bool" } },
  SearchHit = { [1] = { "thread", "guid" }, [2] = { "sequence", "uint64" }, [3] = { "snippet", "string" } },
  SearchThreadsRequest = { [1] = { "text", "string" }, [2] = { "cursor", "string" }, [3] = { "page_size", "int64" } },
  SearchThreadsResponse = { [1] = { "hits", "message", "SearchHit" }, [2] = { "next_cursor", "string" } },
  ServerHello = { [1] = { "version", "uint64" }, [2] = { "node", "guid" }, [3] = { "connection", "guid" }, [4] = { "server_time", "int64" }, [5] = { "schema_hash", "string" }, [6] = { "durability", "string" }, [7] = { "limits", "message", "ConnectionLimits" }, [8] = { "server_version", "string" } },
  ServerStatusRequest = {  },
  ServerStatusResponse = { [1] = { "serving", "enum", "ServingStatus" }, [2] = { "version", "string" }, [3] = { "node", "guid" }, [4] = { "uptime_ms", "uint64" }, [5] = { "connections", "uint64" }, [6] = { "loaded_threads", "uint64" }, [7] = { "running_turns", "uint64" }, [8] = { "events_written", "uint64" }, [9] = { "groups_synced", "uint64" }, [10] = { "durability", "string" }, [11] = { "usage", "message", "TokenUsage" }, [12] = { "providers", "message", "ProviderStatus" } },
  SetFeatureRequest = { [1] = { "name", "string" }, [2] = { "enabled", "bool" } },
  SetFeatureResponse = { [1] = { "feature", "message", "Feature" }, [15] = { "replayed", "bool" } },
  SetThreadNameRequest = { [1] = { "thread", "guid" }, [2] = { "name", "string" } },
  SetThreadNameResponse = { [1] = { "sequence", "uint64" }, [15] = { "replayed", "bool" } },
  Settings = { [1] = { "model", "string" }, [2] = { "model_provider", "string" }, [3] = { "reasoning_effort", "string" }, [4] = { "reasoning_summary", "string" }, [5] = { "service_tier", "string" }, [6] = { "base_instructions", "string" }, [7] = { "developer_instructions", "string" }, [8] = { "mode", "enum", "MultiAgentMode" }, [9] = { "working_folder", "string" }, [10] = { "metadata", "message", "NameValue" }, [11] = { "temperature", "float" }, [12] = { "turn_tokens", "uint64" }, [13] = { "thread_tokens", "uint64" }, [14] = { "tree_tokens", "uint64" }, [15] = { "agent_depth", "uint64" }, [16] = { "agent_total", "uint64" }, [17] = { "wake_parent", "bool" } },
  SettingsChange = { [1] = { "model", "string" }, [2] = { "model_provider", "string" }, [3] = { "reasoning_effort", "string" }, [4] = { "reasoning_summary", "string" }, [5] = { "service_tier", "string" }, [6] = { "base_instructions", "string" }, [7] = { "developer_instructions", "string" }, [8] = { "mode", "message", "ModeSelection" }, [9] = { "working_folder", "string" }, [10] = { "metadata", "message", "NameValue" }, [11] = { "temperature", "float" }, [12] = { "remove_metadata", "string" }, [13] = { "clear", "enum", "SettingsField" }, [14] = { "turn_tokens", "uint64" }, [15] = { "thread_tokens", "uint64" }, [16] = { "tree_tokens", "uint64" }, [17] = { "agent_depth", "uint64" }, [18] = { "agent_total", "uint64" }, [19] = { "wake_parent", "bool" } },
  SettingsUpdated = { [1] = { "revision", "uint64" }, [2] = { "settings", "message", "Settings" }, [3] = { "tools", "message", "ToolSelection" } },
  StartCaptureRequest = { [1] = { "thread", "guid" }, [2] = { "tenant", "string" }, [3] = { "share", "uint64" }, [4] = { "max_bytes", "uint64" }, [5] = { "max_ms", "uint64" } },
  StartCaptureResponse = { [1] = { "capture", "message", "CaptureState" } },
  StartThreadRequest = { [1] = { "settings", "message", "SettingsChange" }, [2] = { "name", "string" }, [3] = { "ephemeral", "bool" }, [4] = { "subscribe", "bool" }, [5] = { "tools", "message", "ToolDefinition" }, [6] = { "asks_user", "bool" }, [7] = { "tree", "bool" } },
  StartThreadResponse = { [1] = { "sequence", "uint64" }, [2] = { "thread", "message", "AgentThread" }, [15] = { "replayed", "bool" } },
  StartTurnRequest = { [1] = { "thread", "guid" }, [2] = { "input", "message", "TurnInput" }, [3] = { "settings", "message", "SettingsChange" }, [4] = { "when_busy", "enum", "WhenBusy" }, [5] = { "output_schema", "string" } },
  StartTurnResponse = { [1] = { "sequence", "uint64" }, [2] = { "turn", "guid" }, [3] = { "status", "enum", "TurnStatus" }, [4] = { "place", "uint64" }, [5] = { "steered", "bool" }, [15] = { "replayed", "bool" } },
  StatusChanged = { [1] = { "thread", "guid" }, [2] = { "status", "message", "ThreadStatus" } },
  SteerTurnRequest = { [1] = { "thread", "guid" }, [2] = { "turn", "guid" }, [3] = { "input", "message", "TurnInput" } },
  SteerTurnResponse = { [1] = { "sequence", "uint64" }, [2] = { "turn", "guid" }, [15] = { "replayed", "bool" } },
  StopCaptureRequest = {  },
  StopCaptureResponse = { [1] = { "capture", "message", "CaptureState" } },
  SubscribeRequest = { [1] = { "thread", "guid" }, [2] = { "epoch", "uint64" }, [3] = { "after", "uint64" }, [4] = { "kinds", "enum", "SubscriptionKind" }, [5] = { "credit", "uint64" }, [6] = { "tree", "bool" }, [7] = { "answers", "enum", "CallKind" } },
  Subscribed = { [1] = { "head", "uint64" }, [2] = { "oldest", "uint64" }, [3] = { "epoch", "uint64" } },
  SubscriptionEvent = { [1] = { "subscribed", "message", "Subscribed" }, [2] = { "event", "message", "Event" }, [3] = { "delta", "message", "ItemDelta" }, [4] = { "snapshot", "message", "ItemSnapshot" }, [5] = { "live", "message", "Live" }, [6] = { "progress", "message", "Progress" }, [7] = { "status", "message", "StatusChanged" }, [8] = { "thread_started", "message", "ThreadStartedNotice" }, [9] = { "thread_deleted", "message", "ThreadDeletedNotice" }, [10] = { "thread_archive", "message", "ThreadArchiveNotice" }, [11] = { "thread_name", "message", "ThreadNameNotice" }, [13] = { "call", "message", "OpenCall" }, [14] = { "call_ended", "message", "CallEnded" }, [12] = { "thread", "guid" } },
  ThreadArchiveNotice = { [1] = { "thread", "guid" }, [2] = { "archived", "bool" } },
  ThreadArchived = { [1] = { "root", "guid" } },
  ThreadCreated = { [1] = { "thread", "guid" }, [2] = { "lineage", "message", "Lineage" }, [3] = { "settings", "message", "Settings" }, [4] = { "created_at", "int64" }, [5] = { "name", "string" }, [6] = { "tools", "message", "ToolDefinition" }, [7] = { "has_history", "bool" }, [8] = { "asks_user", "bool" }, [9] = { "baseline", "message", "TurnContext" } },
  ThreadDeletedNotice = { [1] = { "thread", "guid" } },
  ThreadNameNotice = { [1] = { "thread", "guid" }, [2] = { "name", "string" } },
  ThreadStartedNotice = { [1] = { "thread", "guid" }, [2] = { "lineage", "message", "Lineage" } },
  ThreadStatus = { [1] = { "state", "enum", "ThreadState" }, [2] = { "waiting_on_tool", "bool" }, [3] = { "waiting_on_user", "bool" } },
  ThreadUnarchived = { [1] = { "root", "guid" } },
  TokenUsage = { [1] = { "input_tokens", "uint64" }, [2] = { "cached_input_tokens", "uint64" }, [3] = { "output_tokens", "uint64" }, [4] = { "reasoning_output_tokens", "uint64" } },
  ToolCallItem = { [1] = { "call_id", "string" }, [2] = { "name", "string" }, [3] = { "tool_group", "string" }, [4] = { "arguments", "string" }, [5] = { "freeform", "bool" } },
  ToolDefinition = { [1] = { "name", "string" }, [2] = { "description", "string" }, [3] = { "schema", "string" } },
  ToolOutputItem = { [1] = { "call_id", "string" }, [2] = { "content", "message", "ContentPart" }, [3] = { "success", "bool" }, [4] = { "reason", "string" } },
  ToolSelection = { [1] = { "set", "message", "ToolDefinition" }, [2] = { "clear", "bool" } },
  Turn = { [1] = { "id", "guid" }, [2] = { "status", "enum", "TurnStatus" }, [3] = { "ordinal", "uint64" }, [4] = { "started_at", "int64" }, [5] = { "ended_at", "int64" }, [6] = { "usage", "message", "TokenUsage" }, [7] = { "error", "message", "TurnError" }, [8] = { "context", "message", "TurnContext" }, [9] = { "first_sequence", "uint64" }, [10] = { "last_sequence", "uint64" }, [11] = { "cause", "enum", "TurnCause" } },
  TurnContext = { [1] = { "settings", "message", "Settings" }, [2] = { "revision", "uint64" }, [3] = { "version", "enum", "MultiAgentVersion" }, [4] = { "effective_mode", "enum", "MultiAgentMode" }, [5] = { "output_schema", "string" }, [6] = { "tool_changes", "uint64" } },
  TurnEnded = { [1] = { "turn", "guid" }, [2] = { "status", "enum", "TurnStatus" }, [3] = { "error", "message", "TurnError" }, [4] = { "usage", "message", "TokenUsage" } },
  TurnError = { [1] = { "reason", "string" }, [2] = { "message", "string" } },
  TurnInput = { [1] = { "content", "message", "ContentPart" }, [2] = { "client_id", "string" } },
  TurnQueued = { [1] = { "turn", "message", "QueuedTurn" } },
  TurnStarted = { [1] = { "turn", "guid" }, [2] = { "ordinal", "uint64" }, [3] = { "context", "message", "TurnContext" }, [4] = { "cause", "enum", "TurnCause" } },
  TurnsRolledBack = { [1] = { "count", "uint64" }, [2] = { "first_ordinal", "uint64" }, [3] = { "last_ordinal", "uint64" }, [4] = { "baseline", "message", "TurnContext" }, [5] = { "context_start", "uint64" } },
  UnarchiveThreadRequest = { [1] = { "thread", "guid" } },
  UnarchiveThreadResponse = { [1] = { "sequence", "uint64" }, [15] = { "replayed", "bool" } },
  UnsubscribeRequest = { [1] = { "thread", "guid" } },
  UnsubscribeResponse = { [1] = { "was_subscribed", "bool" } },
  UpdateSettingsRequest = { [1] = { "thread", "guid" }, [2] = { "change", "message", "SettingsChange" }, [3] = { "expected_revision", "uint64" }, [4] = { "tools", "message", "ToolSelection" } },
  UpdateSettingsResponse = { [1] = { "sequence", "uint64" }, [2] = { "revision", "uint64" }, [3] = { "changed", "bool" }, [4] = { "settings", "message", "Settings" }, [5] = { "tools", "string" }, [15] = { "replayed", "bool" } },
  UsageReported = { [1] = { "usage", "message", "TokenUsage" }, [2] = { "turn_usage", "message", "TokenUsage" }, [3] = { "thread_usage", "message", "TokenUsage" } },
  VersionPinned = { [1] = { "version", "enum", "MultiAgentVersion" }, [2] = { "source", "enum", "VersionSource" } },
}

-- Frames of Heddle for Wireshark and tshark: in captures of `heddle capture` (link type 252), and on TCP port 7420.
--
--   wireshark -X lua_script:tools/heddle.lua session.pcap
--   tshark -X lua_script:tools/heddle.lua -r session.pcap -Y 'heddle.method == "TurnService/Start"'
--
-- Every field of the schema can be used in a filter as heddle.MESSAGE.FIELD, as in heddle.StartTurnRequest.thread.
-- Without bit operations: Wireshark has Lua 5.2 here, 5.3 and 5.4 elsewhere.

local heddle = Proto("heddle", "Heddle")

local kinds = {
  [1] = "REQUEST", [2] = "RESPONSE", [3] = "EVENT", [4] = "ERROR", [5] = "CANCEL", [6] = "CREDIT", [7] = "PING",
  [8] = "PONG", [9] = "GOAWAY", [10] = "HELLO",
  -- No peer sends it: in recordings it stands where frames are missing.
  [240] = "LOST",
}
local HEADER = 16
local MAGIC = 0xFA
local DEEPEST = 32

local f = {
  kind = ProtoField.uint8("heddle.kind", "Kind", base.DEC, kinds),
  method = ProtoField.string("heddle.method", "Method"),
  number = ProtoField.uint16("heddle.method_number", "Method number"),
  stream = ProtoField.uint32("heddle.stream", "Stream"),
  version = ProtoField.uint8("heddle.version", "Version"),
  metadata_length = ProtoField.uint16("heddle.metadata_length", "Metadata length"),
  flags = ProtoField.uint8("heddle.flags", "Flags", base.HEX),
  final = ProtoField.bool("heddle.flags.end_of_stream", "End of stream", 8, nil, 0x02),
  more = ProtoField.bool("heddle.flags.more_follows", "More of this message follows", 8, nil, 0x04),
  replayed = ProtoField.bool("heddle.flags.replayed", "Replayed event", 8, nil, 0x80),
  length = ProtoField.uint32("heddle.length", "Length"),
  since = ProtoField.double("heddle.time", "Seconds since request"),
  request = ProtoField.framenum("heddle.request_in", "Request in", base.NONE, frametype.REQUEST),
  unknown = ProtoField.bytes("heddle.unknown", "Unknown field"),
  lost_frames = ProtoField.uint64("heddle.lost_frames", "Missing frames"),
  lost_bytes = ProtoField.uint64("heddle.lost_bytes", "Missing bytes"),
}

local all = {}
for _, field in pairs(f) do all[#all + 1] = field end
for name, fields in pairs(messages) do
  for _, field in pairs(fields) do
    local abbreviation = "heddle." .. name .. "." .. field[1]
    local made
    if field[2] == "enum" then
      made = ProtoField.int32(abbreviation, field[1], base.DEC, enums[field[3]])
    elseif field[2] == "message" then
      made = ProtoField.none(abbreviation, field[1])
    else
      made = ProtoField[field[2]](abbreviation, field[1])
    end
    field.proto = made
    all[#all + 1] = made
  end
end
heddle.fields = all

local malformed = ProtoExpert.new("heddle.malformed", "Not a message of this kind", expert.group.MALFORMED,
  expert.severity.ERROR)
heddle.experts = { malformed }

-- A varint as two halves of 32 bits, and the place behind it; nil when it is not whole.
local function varint(tvb, at, stop)
  local low, high, shift = 0, 0, 0
  while at < stop and shift < 70 do
    local byte = tvb(at, 1):uint()
    at = at + 1
    local bits = byte % 128
    if shift < 28 then
      low = low + bits * 2 ^ shift
    elseif shift == 28 then
      low = low + (bits % 16) * 2 ^ 28
      high = math.floor(bits / 16)
    else
      high = high + bits * 2 ^ (shift - 32)
    end
    if byte < 128 then return low, high % 2 ^ 32, at end
    shift = shift + 7
  end
  return nil
end

local message

-- One varint as its field has it.
local function number(tree, field, range, low, high)
  low, high = math.floor(low), math.floor(high)
  if field[2] == "bool" then
    tree:add(field.proto, range, low ~= 0 or high ~= 0)
  elseif field[2] == "enum" then
    tree:add(field.proto, range, low >= 2 ^ 31 and low - 2 ^ 32 or low)
  elseif field[2] == "int64" then
    tree:add(field.proto, range, Int64.new(low, high))
  else
    tree:add(field.proto, range, UInt64.new(low, high))
  end
end

local function block(tvb, tree, field, from, at, count, depth)
  local range = tvb(from, at + count - from)
  if field[2] == "message" then
    local inner = tree:add(field.proto, range)
    return message(tvb, inner, messages[field[3]], at, at + count, depth + 1)
  elseif field[2] == "string" then
    tree:add(field.proto, range, count > 0 and tvb(at, count):string(ENC_UTF_8) or "")
  elseif field[2] == "guid" or field[2] == "bytes" then
    if count == 0 or (field[2] == "guid" and count ~= 16) then return true end
    tree:add(field.proto, tvb(at, count))
  else -- Numbers packed into one block.
    local stop = at + count
    while at < stop do
      local low, high, after = varint(tvb, at, stop)
      if not low then return false end
      number(tree, field, tvb(at, after - at), low, high)
      at = after
    end
  end
  return true
end

-- Adds the fields between two places; false when they are not such a message.
message = function(tvb, tree, fields, at, stop, depth)
  if depth > DEEPEST then return false end
  while at < stop do
    local from = at
    local tag, _, value = varint(tvb, at, stop)
    if not tag or tag < 8 then return false end
    local wire = tag % 8
    local field = fields[math.floor(tag / 8)]
    if wire == 0 then
      local low, high, after = varint(tvb, value, stop)
      if not low then return false end
      local range = tvb(from, after - from)
      if field then number(tree, field, range, low, high) else tree:add(f.unknown, range) end
      at = after
    elseif wire == 2 then
      local count, _, start = varint(tvb, value, stop)
      if not count or count > stop - start then return false end
      count = math.floor(count)
      if not field then
        tree:add(f.unknown, tvb(from, start + count - from))
      elseif not block(tvb, tree, field, from, start, count, depth) then
        return false
      end
      at = start + count
    elseif wire == 1 or wire == 5 then
      local count = wire == 1 and 8 or 4
      if stop - value < count then return false end
      if field then tree:add_le(field.proto, tvb(value, count)) else tree:add(f.unknown, tvb(from, count + 1)) end
      at = value + count
    else
      return false
    end
  end
  return true
end

-- When a stream was opened, and what each frame found out about it in the first pass.
local requests, found

function heddle.init()
  requests, found = {}, {}
end

local function sides(pinfo)
  return tostring(pinfo.src) .. " " .. pinfo.src_port, tostring(pinfo.dst) .. " " .. pinfo.dst_port
end

-- The request that a frame belongs to: {method, time, frame}.
local function remember(pinfo, kind, method, stream, at)
  local key = pinfo.number .. " " .. at
  if pinfo.visited then return found[key] end
  local from, to = sides(pinfo)
  if kind == 1 then
    requests[from .. to .. stream] = { method = method, time = pinfo.abs_ts, frame = pinfo.number }
    return nil
  end
  local opened = requests[to .. from .. stream] or requests[from .. to .. stream]
  if opened and stream ~= 0 then
    found[key] = { method = opened.method, since = pinfo.abs_ts - opened.time, frame = opened.frame }
  end
  return found[key]
end

local function payload_of(kind, method)
  if kind == 1 then return method and method[2] end
  if kind == 2 then return method and method[3] end
  if kind == 3 then return "SubscriptionEvent" end
  if kind == 4 then return "Error" end
  if kind == 6 then return "Credit" end
  if kind == 7 then return "Ping" end
  if kind == 8 then return "Pong" end
  if kind == 9 then return "GoAway" end
  return nil
end

-- The first HELLO of a connection is the client's: it names a program, the server's a version.
local function hello_of(tvb, at, stop)
  if at < stop and tvb(at, 1):uint() == 0x08 then return "ServerHello" end
  return "ClientHello"
end

local function one(tvb, pinfo, root)
  if tvb:len() == 0 then
    pinfo.cols.info = "closed"
    return 0
  end
  if tvb:len() < HEADER or tvb(0, 1):uint() ~= MAGIC then
    root:add(heddle, tvb()):append_text(", goes on")
    pinfo.cols.info = "goes on"
    return tvb:len()
  end
  local kind, number, stream = tvb(1, 1):uint(), tvb(2, 2):uint(), tvb(4, 4):uint()
  local front, flags, length = tvb(9, 2):uint(), tvb(11, 1):uint(), tvb(12, 4):uint()
  local request = remember(pinfo, kind, number, stream, tvb:offset())
  if number == 0 and request then number = request.method end
  local method = methods[number]
  local name = kinds[kind] or ("kind " .. kind)
  local stop = math.min(tvb:len(), HEADER + length)
  local tree = root:add(heddle, tvb(0, stop))
  tree:append_text(", " .. name .. (method and (" " .. method[1]) or "") .. ", stream " .. stream)
  tree:add(f.kind, tvb(1, 1))
  if method then tree:add(f.method, tvb(2, 2), method[1]) end
  tree:add(f.number, tvb(2, 2))
  tree:add(f.stream, tvb(4, 4))
  tree:add(f.version, tvb(8, 1))
  tree:add(f.metadata_length, tvb(9, 2))
  local bits = tree:add(f.flags, tvb(11, 1))
  bits:add(f.final, tvb(11, 1))
  bits:add(f.more, tvb(11, 1))
  bits:add(f.replayed, tvb(11, 1))
  tree:add(f.length, tvb(12, 4))
  if request then
    tree:add(f.since, request.since):set_generated()
    tree:add(f.request, request.frame):set_generated()
  end
  local at = HEADER
  if front > 0 and at + front <= stop then
    local inner = tree:add(tvb(at, front), "Metadata")
    if not message(tvb, inner, messages.Metadata, at, at + front, 0) then inner:add_proto_expert_info(malformed) end
    at = at + front
  end
  if kind == 240 and stop == at + 16 then
    tree:add(f.lost_frames, tvb(at, 8))
    tree:add(f.lost_bytes, tvb(at + 8, 8))
  end
  local payload = kind == 10 and hello_of(tvb, at, stop) or payload_of(kind, method)
  if payload and at < stop then
    local inner = tree:add(tvb(at, stop - at), payload)
    -- A frame that goes on in the next records is shown as far as it is here.
    if not message(tvb, inner, messages[payload], at, stop, 0) and stop == HEADER + length then
      inner:add_proto_expert_info(malformed)
    end
  end
  local summary = name .. (method and (" " .. method[1]) or "") .. " #" .. stream
  pinfo.cols.info:append(" " .. summary)
  return stop
end

function heddle.dissector(tvb, pinfo, root)
  pinfo.cols.protocol = "Heddle"
  pinfo.cols.info = ""
  -- In TCP several frames share a segment, or one goes over several; in a capture each record is one frame.
  if pinfo.can_desegment > 0 then
    dissect_tcp_pdus(tvb, root, HEADER, function(buffer, _, offset) return HEADER + buffer(offset + 12, 4):uint() end,
      function(buffer) return one(buffer, pinfo, root) end)
    return tvb:len()
  end
  return one(tvb, pinfo, root)
end

DissectorTable.get("tcp.port"):add(7420, heddle)
