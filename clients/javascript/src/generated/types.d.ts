// Made by `make generate` from proto/; edit that instead.

// `X` is a message as it is read; `XInit` is one to send: each field may be left out, ids may be UUIDs.

export type Id = Uint8Array | string

export type FrameKind = "UNSPECIFIED" | "REQUEST" | "RESPONSE" | "EVENT" | "ERROR" | "CANCEL" | "CREDIT" | "PING" | "PONG" | "GOAWAY" | "HELLO" | number
export type Method = "UNSPECIFIED" | "THREAD_START" | "THREAD_RESUME" | "THREAD_FORK" | "THREAD_READ" | "THREAD_LIST" | "THREAD_LIST_LOADED" | "THREAD_SEARCH" | "THREAD_LIST_TURNS" | "THREAD_LIST_ITEMS" | "THREAD_SET_NAME" | "THREAD_ARCHIVE" | "THREAD_UNARCHIVE" | "THREAD_DELETE" | "THREAD_ROLLBACK" | "THREAD_COMPACT" | "THREAD_INJECT_ITEMS" | "THREAD_EXPORT" | "THREAD_SUBSCRIBE" | "THREAD_UNSUBSCRIBE" | "TURN_START" | "TURN_STEER" | "TURN_INTERRUPT" | "TURN_LIST_QUEUE" | "TURN_CANCEL_QUEUED" | "SETTINGS_READ" | "SETTINGS_UPDATE" | "AGENT_LIST_TREE" | "AGENT_INTERRUPT" | "AGENT_CLOSE" | "CATALOG_LIST_MODELS" | "CATALOG_LIST_FEATURES" | "CATALOG_SET_FEATURE" | "SERVER_STATUS" | "SERVER_START_CAPTURE" | "SERVER_STOP_CAPTURE" | "SERVER_READ_CAPTURE" | "CLIENT_CALL_TOOL" | "CLIENT_REQUEST_USER_INPUT" | "CALL_ANSWER" | number
export type Code = "UNSPECIFIED" | "CANCELLED" | "UNKNOWN" | "INVALID_ARGUMENT" | "DEADLINE_EXCEEDED" | "NOT_FOUND" | "ALREADY_EXISTS" | "PERMISSION_DENIED" | "RESOURCE_EXHAUSTED" | "FAILED_PRECONDITION" | "ABORTED" | "OUT_OF_RANGE" | "UNIMPLEMENTED" | "INTERNAL" | "UNAVAILABLE" | "DATA_LOSS" | "UNAUTHENTICATED" | number
export type ServingStatus = "UNSPECIFIED" | "SERVING" | "READ_ONLY" | "DRAINING" | number
export type Role = "UNSPECIFIED" | "USER" | "DEVELOPER" | "SYSTEM" | "ASSISTANT" | number
export type Phase = "UNSPECIFIED" | "COMMENTARY" | "FINAL_ANSWER" | number
export type ItemStatus = "UNSPECIFIED" | "COMPLETED" | "INTERRUPTED" | "FAILED" | number
export type AgentMessageKind = "UNSPECIFIED" | "NEW_TASK" | "MESSAGE" | "FINAL_ANSWER" | "NOTIFICATION" | number
export type MarkerKind = "UNSPECIFIED" | "INTERRUPTION" | number
export type MultiAgentVersion = "UNSPECIFIED" | "V1" | "V2" | "DISABLED" | number
export type VersionSource = "UNSPECIFIED" | "STORED" | "INHERITED" | "LEGACY" | "CATALOG" | "FLAGS" | number
export type MultiAgentMode = "UNSPECIFIED" | "EXPLICIT_REQUEST_ONLY" | "PROACTIVE" | number
export type SettingsField = "UNSPECIFIED" | "REASONING_EFFORT" | "REASONING_SUMMARY" | "SERVICE_TIER" | "BASE_INSTRUCTIONS" | "DEVELOPER_INSTRUCTIONS" | "WORKING_FOLDER" | "TEMPERATURE" | "TURN_TOKENS" | "THREAD_TOKENS" | "TREE_TOKENS" | "AGENT_DEPTH" | "AGENT_TOTAL" | "WAKE_PARENT" | number
export type TurnStatus = "UNSPECIFIED" | "QUEUED" | "RUNNING" | "COMPLETED" | "INTERRUPTED" | "FAILED" | number
export type TurnCause = "UNSPECIFIED" | "MAIL" | "COMPACTION" | number
export type WhenBusy = "UNSPECIFIED" | "QUEUE" | "REFUSE" | "STEER" | number
export type ThreadSource = "UNSPECIFIED" | "CLIENT" | "FORK" | "AGENT" | "IMPORT" | number
export type AgentActivityKind = "UNSPECIFIED" | "SPAWNED" | "MESSAGED" | "INTERRUPTED" | "CLOSED" | "RESUMED" | number
export type ThreadState = "UNSPECIFIED" | "NOT_LOADED" | "IDLE" | "ACTIVE" | "SYSTEM_ERROR" | number
export type FeatureStage = "UNSPECIFIED" | "UNDER_DEVELOPMENT" | "BETA" | "STABLE" | "DEPRECATED" | number
export type CaptureEnd = "UNSPECIFIED" | "STOPPED" | "BYTES" | "TIME" | "DISK" | "SHUTDOWN" | number
export type ListOrder = "UNSPECIFIED" | "NEWEST_FIRST" | "OLDEST_FIRST" | number
export type SubscriptionKind = "UNSPECIFIED" | "EVENTS" | "DELTAS" | "STATUS" | number
export type CallKind = "UNSPECIFIED" | "CALL_TOOL" | "REQUEST_USER_INPUT" | number

export interface Metadata {
  /** W3C trace context, `traceparent`. */
  traceparent: string
  /** W3C trace context, `tracestate`. */
  tracestate: string
  /** The caller's id for this request. The server does not use it yet. */
  requestId: string
  /** The request's deadline, in milliseconds after its arrival. Absent: no deadline. 0 is refused. */
  deadlineMs?: number
  /** A key made by the client, the same on every retry of one mutation (rules.md E2). */
  idempotencyKey?: Uint8Array
  /** The host name that the caller wants to reach. The server does not use it yet. */
  authority: string
  /** A fresh bearer token of the same tenant for this connection. Its expiry and its rights apply from then on. */
  token: string
}

export interface MetadataInit {
  traceparent?: string
  tracestate?: string
  requestId?: string
  deadlineMs?: number
  idempotencyKey?: Id
  authority?: string
  token?: string
}

export interface ClientHello {
  /** Protocol versions that the client supports; empty means version 1. */
  versions: number[]
  /** Name of the client program. */
  clientName: string
  /** Version of the client program. */
  clientVersion: string
  /** Bearer token, either static or a JSON Web Token; required if the server demands one. */
  token: string
  /** Limits that the client asks for; the server's HELLO contains the limits in effect. */
  wantedLimits?: ConnectionLimits
  /** Names of features that the client understands, including experimental ones. */
  features: string[]
  /** Kinds of notification that the client does not want on stream 0: `thread_started`. */
  unwantedNotifications: string[]
}

export interface ClientHelloInit {
  versions?: number[]
  clientName?: string
  clientVersion?: string
  token?: string
  wantedLimits?: ConnectionLimitsInit
  features?: string[]
  unwantedNotifications?: string[]
}

export interface ServerHello {
  /** The protocol version in use. */
  version: number
  /** Id of this server. */
  node: Uint8Array
  /** Id of this connection. */
  connection: Uint8Array
  /** The server's clock, unix milliseconds. For information only: nothing is ordered by it. */
  serverTime: number
  /** First 8 bytes of the SHA-256 of the schema, as hexadecimal digits. */
  schemaHash: string
  /** `synced`: an acknowledged mutation is on disk (durability.md D1, D4). */
  durability: string
  /** Every limit that the server enforces on this connection. */
  limits?: ConnectionLimits
  /** Version of the server program. */
  serverVersion: string
}

export interface ServerHelloInit {
  version?: number
  node?: Id
  connection?: Id
  serverTime?: number
  schemaHash?: string
  durability?: string
  limits?: ConnectionLimitsInit
  serverVersion?: string
}

export interface ConnectionLimits {
  /** Maximum frame payload, bytes. */
  frameBytes?: number
  /** Requests in flight. */
  requestsInFlight?: number
  /** Subscriptions. */
  subscriptions?: number
  /** Bytes queued for sending. */
  outgoingBytes?: number
  /** The server closes a connection that has sent nothing for this long, milliseconds. */
  idleMs?: number
  /** A frame must be complete within this time of its first byte, milliseconds. */
  frameMs?: number
  /** Maximum depth of nested messages. */
  nesting?: number
  /** Maximum elements of one repeated field. */
  repeatedElements?: number
  /** Maximum unknown fields of one message. */
  unknownFields?: number
  /** Maximum input text of one turn, bytes. */
  turnInputBytes?: number
  /** Maximum page size. */
  pageSize?: number
  /** Queued turns of one thread. */
  queuedTurns?: number
  /** Events of one thread. */
  threadEvents?: number
  /** Requests per second of one tenant; 0: unlimited. */
  tenantRequestsPerSecond?: number
  /** Running turns of one tenant; 0: unlimited. */
  tenantRunningTurns?: number
  /** Errors and cancels of one connection within 30 seconds. */
  glitches?: number
}

export interface ConnectionLimitsInit {
  frameBytes?: number
  requestsInFlight?: number
  subscriptions?: number
  outgoingBytes?: number
  idleMs?: number
  frameMs?: number
  nesting?: number
  repeatedElements?: number
  unknownFields?: number
  turnInputBytes?: number
  pageSize?: number
  queuedTurns?: number
  threadEvents?: number
  tenantRequestsPerSecond?: number
  tenantRunningTurns?: number
  glitches?: number
}

export interface ErrorDetail {
  /** The name of the fact. */
  name: string
  /** The value as text; ids are written as UUIDs. */
  value: string
}

export interface ErrorDetailInit {
  name?: string
  value?: string
}

export interface Error {
  /** Canonical code. */
  code: Code
  /** Stable lower-case name that clients may switch on; see docs/errors.md. */
  reason: string
  /** Text for people: the cause and the remedy. */
  message: string
  /** Time to wait before a retry, milliseconds; absent: waiting alone does not help. */
  retryAfterMs?: number
  /** Further facts. */
  details: ErrorDetail[]
  /** Identifies the line in the server's log; present if there is one. */
  debugId: string
}

export interface ErrorInit {
  code?: Code
  reason?: string
  message?: string
  retryAfterMs?: number
  details?: ErrorDetailInit[]
  debugId?: string
}

export interface Credit {
  /** Bytes to allow in addition to those allowed so far; at least 1. */
  bytes: number
}

export interface CreditInit {
  bytes?: number
}

export interface Ping {
  /** Returned in the PONG; at most 64 bytes. */
  opaque: Uint8Array
}

export interface PingInit {
  opaque?: Uint8Array
}

export interface Pong {
  /** The bytes of the PING. */
  opaque: Uint8Array
  /** The server's status; `SERVING` only while that is true. */
  status: ServingStatus
}

export interface PongInit {
  opaque?: Uint8Array
  status?: ServingStatus
}

export interface GoAway {
  /** The highest stream that was or will be served. Requests on higher streams are safe to retry elsewhere. */
  lastStream: number
  /** Code, reason and remedy. */
  error?: Error
}

export interface GoAwayInit {
  lastStream?: number
  error?: ErrorInit
}

export interface ImagePart {
  /** The address: an `https` or `data` URL. */
  url: string
  /** Level of detail: `low`, `high`, `auto`. */
  detail: string
}

export interface ImagePartInit {
  url?: string
  detail?: string
}

export interface OpaquePart {
  /** Its kind, as its origin names it. */
  kind: string
  /** Its JSON text. */
  json: string
}

export interface OpaquePartInit {
  kind?: string
  json?: string
}

export interface ContentPart {
  /** The member of `part` that is set. */
  part?: "text" | "image" | "encrypted" | "opaque"
  /** Text. */
  text?: string
  /** An image. */
  image?: ImagePart
  /** Text that only the provider can read. */
  encrypted?: string
  /** Any other content. */
  opaque?: OpaquePart
}

export interface ContentPartInit {
  text?: string
  image?: ImagePartInit
  encrypted?: string
  opaque?: OpaquePartInit
}

export interface MessageItem {
  /** The author. */
  role: Role
  /** The content of the message. */
  content: ContentPart[]
  /** The part of the model's answer that this message belongs to. */
  phase: Phase
}

export interface MessageItemInit {
  role?: Role
  content?: ContentPartInit[]
  phase?: Phase
}

export interface ReasoningItem {
  /** Summaries that may be shown to users. */
  summary: string[]
  /** The reasoning text itself, if the provider returns it. */
  content: string[]
  /** The reasoning in a form that only the provider can read. */
  encrypted?: string
  /** The name of that provider in the configuration; the encrypted reasoning is sent to no other provider. */
  provider: string
}

export interface ReasoningItemInit {
  summary?: string[]
  content?: string[]
  encrypted?: string
  provider?: string
}

export interface ToolCallItem {
  /** Id of the call; the output refers to it. */
  callId: string
  /** The tool's name. */
  name: string
  /** The group that the tool belongs to; may be empty. */
  toolGroup: string
  /** The arguments: JSON text, unless the tool takes plain text. */
  arguments: string
  /** True if the arguments are plain text, not JSON. */
  freeform: boolean
}

export interface ToolCallItemInit {
  callId?: string
  name?: string
  toolGroup?: string
  arguments?: string
  freeform?: boolean
}

export interface ToolOutputItem {
  /** Id of the call that it answers. */
  callId: string
  /** The answer. */
  content: ContentPart[]
  /** Whether the tool reported success; absent if it did not say. */
  success?: boolean
  /** Reason for a failure, a stable lower-case name: `tool_timeout`, `tool_unknown`, `tool_failed`, `tool_refused`, `tool_interrupted`, `not_run`; empty if the tool did not fail. */
  reason: string
}

export interface ToolOutputItemInit {
  callId?: string
  content?: ContentPartInit[]
  success?: boolean
  reason?: string
}

export interface AgentMail {
  /** Id of the message; the item made from it has the same id. */
  id: Uint8Array
  /** Its purpose. */
  kind: AgentMessageKind
  /** The sender. */
  from: Uint8Array
  /** The sender's path. */
  author: string
  /** The receiver. */
  to: Uint8Array
  /** The receiver's path. */
  recipient: string
  /** Content of the message. */
  content: ContentPart[]
  /** Whether it starts a turn if the receiver is idle. */
  triggerTurn: boolean
}

export interface AgentMailInit {
  id?: Id
  kind?: AgentMessageKind
  from?: Id
  author?: string
  to?: Id
  recipient?: string
  content?: ContentPartInit[]
  triggerTurn?: boolean
}

export interface AgentMessageItem {
  /** Path of the sender. */
  author: string
  /** Path of the receiver. */
  recipient: string
  /** Content of the message. */
  content: ContentPart[]
  /** Whether it starts a turn if the receiver is idle. */
  triggerTurn: boolean
  /** Its purpose. */
  kind: AgentMessageKind
}

export interface AgentMessageItemInit {
  author?: string
  recipient?: string
  content?: ContentPartInit[]
  triggerTurn?: boolean
  kind?: AgentMessageKind
}

export interface CompactionItem {
  /** The summary. */
  summary: string
  /** The messages that the context begins with from here on, if the origin of the history stored them. */
  replacement: MessageItem[]
}

export interface CompactionItemInit {
  summary?: string
  replacement?: MessageItemInit[]
}

export interface MarkerItem {
  /** Its meaning. */
  kind: MarkerKind
  /** The role it is sent as: developer for V2, user otherwise. */
  role: Role
  /** The text. */
  text: string
}

export interface MarkerItemInit {
  kind?: MarkerKind
  role?: Role
  text?: string
}

export interface Item {
  /** The member of `kind` that is set. */
  kind?: "message" | "reasoning" | "toolCall" | "toolOutput" | "agentMessage" | "compaction" | "marker" | "opaque"
  /** Id of the item. */
  id: Uint8Array
  /** How it ended; absent while it is open. */
  status: ItemStatus
  /** The provider's own id for the item. */
  providerId: string
  /** A message of a user, a developer or the model. */
  message?: MessageItem
  /** Reasoning of the model. */
  reasoning?: ReasoningItem
  /** A tool call. */
  toolCall?: ToolCallItem
  /** A tool's answer. */
  toolOutput?: ToolOutputItem
  /** A message between agents. */
  agentMessage?: AgentMessageItem
  /** A compaction. */
  compaction?: CompactionItem
  /** A marker. */
  marker?: MarkerItem
  /** Any other content, kept as it was. */
  opaque?: OpaquePart
}

export interface ItemInit {
  id?: Id
  status?: ItemStatus
  providerId?: string
  message?: MessageItemInit
  reasoning?: ReasoningItemInit
  toolCall?: ToolCallItemInit
  toolOutput?: ToolOutputItemInit
  agentMessage?: AgentMessageItemInit
  compaction?: CompactionItemInit
  marker?: MarkerItemInit
  opaque?: OpaquePartInit
}

export interface CallToolRequest {
  /** The thread. */
  thread: Uint8Array
  /** The turn. */
  turn: Uint8Array
  /** The model's id of this tool call. */
  callId: string
  /** The tool's name. */
  name: string
  /** Its arguments, JSON text. */
  arguments: string
  /** Deadline for the answer, unix milliseconds. */
  deadline: number
}

export interface CallToolRequestInit {
  thread?: Id
  turn?: Id
  callId?: string
  name?: string
  arguments?: string
  deadline?: number
}

export interface CallToolResponse {
  /** The answer. */
  content: ContentPart[]
  /** Whether the tool succeeded. */
  success: boolean
}

export interface CallToolResponseInit {
  content?: ContentPartInit[]
  success?: boolean
}

export interface RequestUserInputRequest {
  /** The thread. */
  thread: Uint8Array
  /** The turn. */
  turn: Uint8Array
  /** The question. */
  question: string
  /** The allowed answers; empty: any text. */
  choices: string[]
  /** SHA-256 of the question and its context. The answer repeats it, so that it cannot count for another question. */
  actionHash: Uint8Array
  /** Deadline for the answer, unix milliseconds. */
  deadline: number
  /** Id of the model's tool call that asks the question. */
  callId: string
}

export interface RequestUserInputRequestInit {
  thread?: Id
  turn?: Id
  question?: string
  choices?: string[]
  actionHash?: Uint8Array
  deadline?: number
  callId?: string
}

export interface RequestUserInputResponse {
  /** The answer. */
  answer: string
  /** The action hash of the question that was shown. */
  actionHash: Uint8Array
}

export interface RequestUserInputResponseInit {
  answer?: string
  actionHash?: Uint8Array
}

export interface OpenCall {
  /** The member of `call` that is set. */
  call?: "tool" | "input"
  /** A tool of the client. */
  tool?: CallToolRequest
  /** A question to the client's user. */
  input?: RequestUserInputRequest
}

export interface OpenCallInit {
  tool?: CallToolRequestInit
  input?: RequestUserInputRequestInit
}

export interface CallEnded {
  /** The thread. */
  thread: Uint8Array
  /** The turn. */
  turn: Uint8Array
  /** The model's id of the tool call. */
  callId: string
}

export interface CallEndedInit {
  thread?: Id
  turn?: Id
  callId?: string
}

export interface AnswerCallRequest {
  /** The member of `answer` that is set. */
  answer?: "tool" | "input" | "refused"
  /** The thread that the call names. */
  thread: Uint8Array
  /** The turn that the call names. */
  turn: Uint8Array
  /** The id that the call has; must not be empty. */
  callId: string
  /** The tool's answer, to `OpenCall.tool`. */
  tool?: CallToolResponse
  /** The user's answer, to `OpenCall.input`. */
  input?: RequestUserInputResponse
  /** UNIMPLEMENTED: this client does not have the tool, and the call waits for other clients. Any other code: the tool failed, and the model receives `message`. */
  refused?: Error
}

export interface AnswerCallRequestInit {
  thread?: Id
  turn?: Id
  callId?: string
  tool?: CallToolResponseInit
  input?: RequestUserInputResponseInit
  refused?: ErrorInit
}

export interface AnswerCallResponse {
  /** The thread's newest event. */
  sequence: number
  /** True if this answer counts; false after UNIMPLEMENTED: the call is still open. */
  counted: boolean
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface AnswerCallResponseInit {
  sequence?: number
  counted?: boolean
  replayed?: boolean
}

export interface NameValue {
  /** The name; not empty. */
  name: string
  /** The value. */
  value: string
}

export interface NameValueInit {
  name?: string
  value?: string
}

export interface Settings {
  /** The model that answers turns. */
  model: string
  /** The provider of that model. */
  modelProvider: string
  /** Reasoning effort requested from the model. */
  reasoningEffort?: string
  /** Kind of reasoning summary requested from the model. */
  reasoningSummary?: string
  /** Service tier at the provider. */
  serviceTier?: string
  /** Replaces the model's base instructions. */
  baseInstructions?: string
  /** Sent to the model as a developer message before anything else. */
  developerInstructions?: string
  /** The selected mode; absent if no client has selected one. Never the effective mode (rules.md M10). */
  mode?: MultiAgentMode
  /** The thread's working folder. */
  workingFolder?: string
  /** Names and values defined by the client, sorted by name. */
  metadata: NameValue[]
  /** Sampling temperature, 0 to 2. */
  temperature?: number
  /** Token budget of one turn, input and output. */
  turnTokens?: number
  /** Token budget of the thread over its whole life. */
  threadTokens?: number
  /** Token budget of the whole tree, not counting deleted agents; only the root's setting counts. */
  treeTokens?: number
  /** Maximum depth of the tree of agents; 1: only the root may spawn agents. Only the root's setting counts. */
  agentDepth?: number
  /** Maximum number of agents spawned in the tree, counting ended but not deleted ones. Only the root's setting counts. */
  agentTotal?: number
  /** Whether an agent's final answer starts a turn of its idle parent. Only the root's setting counts. */
  wakeParent?: boolean
}

export interface SettingsInit {
  model?: string
  modelProvider?: string
  reasoningEffort?: string
  reasoningSummary?: string
  serviceTier?: string
  baseInstructions?: string
  developerInstructions?: string
  mode?: MultiAgentMode
  workingFolder?: string
  metadata?: NameValueInit[]
  temperature?: number
  turnTokens?: number
  threadTokens?: number
  treeTokens?: number
  agentDepth?: number
  agentTotal?: number
  wakeParent?: boolean
}

export interface ModeSelection {
  /** The member of `choice` that is set. */
  choice?: "set" | "clear"
  /** Selects this mode. */
  set?: MultiAgentMode
  /** Unsets the mode; must be true. */
  clear?: boolean
}

export interface ModeSelectionInit {
  set?: MultiAgentMode
  clear?: boolean
}

export interface ToolDefinition {
  /** Its name. */
  name: string
  /** Its purpose, described for the model. */
  description: string
  /** JSON schema of its arguments. */
  schema: string
}

export interface ToolDefinitionInit {
  name?: string
  description?: string
  schema?: string
}

export interface ToolSelection {
  /** Replaces all tools from the next turn on; the tools are checked as at the start of a thread. */
  set: ToolDefinition[]
  /** Removes all tools from the next turn on. Refused together with `set`. */
  clear: boolean
}

export interface ToolSelectionInit {
  set?: ToolDefinitionInit[]
  clear?: boolean
}

export interface SettingsChange {
  /** The model that answers turns; must be in the catalog. */
  model?: string
  /** The provider of that model; must match the model's catalog entry. */
  modelProvider?: string
  /** Reasoning effort requested from the model. */
  reasoningEffort?: string
  /** Kind of reasoning summary requested from the model. */
  reasoningSummary?: string
  /** Service tier at the provider. */
  serviceTier?: string
  /** Replaces the model's base instructions. */
  baseInstructions?: string
  /** Sent to the model as a developer message before anything else. */
  developerInstructions?: string
  /** The selected mode: keep, set or clear. */
  mode?: ModeSelection
  /** The thread's working folder. */
  workingFolder?: string
  /** Metadata to set; other names keep their values. */
  metadata: NameValue[]
  /** Sampling temperature, 0 to 2, finite. */
  temperature?: number
  /** Names of metadata to remove. */
  removeMetadata: string[]
  /** Settings to unset. Setting and unsetting one in the same change is refused. */
  clear: SettingsField[]
  /** Token budget of one turn, input and output. */
  turnTokens?: number
  /** Token budget of the thread over its whole life. */
  threadTokens?: number
  /** Token budget of the whole tree; only the root's setting counts. */
  treeTokens?: number
  /** Maximum depth of the tree of agents; 1: only the root may spawn agents. Only the root's setting counts. */
  agentDepth?: number
  /** Maximum number of agents spawned in the tree, counting ended ones. Only the root's setting counts. */
  agentTotal?: number
  /** Whether an agent's final answer starts a turn of its idle parent. Only the root's setting counts. */
  wakeParent?: boolean
}

export interface SettingsChangeInit {
  model?: string
  modelProvider?: string
  reasoningEffort?: string
  reasoningSummary?: string
  serviceTier?: string
  baseInstructions?: string
  developerInstructions?: string
  mode?: ModeSelectionInit
  workingFolder?: string
  metadata?: NameValueInit[]
  temperature?: number
  removeMetadata?: string[]
  clear?: SettingsField[]
  turnTokens?: number
  threadTokens?: number
  treeTokens?: number
  agentDepth?: number
  agentTotal?: number
  wakeParent?: boolean
}

export interface ReadSettingsRequest {
  /** The thread. */
  thread: Uint8Array
}

export interface ReadSettingsRequestInit {
  thread?: Id
}

export interface ReadSettingsResponse {
  /** The settings. */
  settings: Settings
  /** Number of the last change; each change increases it by one. */
  revision: number
  /** The pinned version, `V1` for a legacy thread. */
  version: MultiAgentVersion
  /** Source of the version. */
  versionSource: VersionSource
  /** Names of the client's tools. */
  tools: string[]
}

export interface ReadSettingsResponseInit {
  settings?: SettingsInit
  revision?: number
  version?: MultiAgentVersion
  versionSource?: VersionSource
  tools?: string[]
}

export interface UpdateSettingsRequest {
  /** The thread. */
  thread: Uint8Array
  /** The change. */
  change?: SettingsChange
  /** Refuse the change with `revision_mismatch` unless this is the current revision (rules.md S4). */
  expectedRevision?: number
  /** The client's tools: keep, set or clear. Part of the same change, with the same revision. */
  tools?: ToolSelection
}

export interface UpdateSettingsRequestInit {
  thread?: Id
  change?: SettingsChangeInit
  expectedRevision?: number
  tools?: ToolSelectionInit
}

export interface UpdateSettingsResponse {
  /** The thread's newest event. */
  sequence: number
  /** Number of the last change. */
  revision: number
  /** False if the change altered nothing; then there is no event. */
  changed: boolean
  /** The settings for the next turn. */
  settings: Settings
  /** Names of the client's tools for the next turn. */
  tools: string[]
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface UpdateSettingsResponseInit {
  sequence?: number
  revision?: number
  changed?: boolean
  settings?: SettingsInit
  tools?: string[]
  replayed?: boolean
}

export interface TokenUsage {
  /** Tokens of the model's input. */
  inputTokens: number
  /** Part of the input tokens that the provider had cached. */
  cachedInputTokens: number
  /** Tokens of the model's output. */
  outputTokens: number
  /** Part of the output tokens that were reasoning. */
  reasoningOutputTokens: number
}

export interface TokenUsageInit {
  inputTokens?: number
  cachedInputTokens?: number
  outputTokens?: number
  reasoningOutputTokens?: number
}

export interface TurnError {
  /** Stable lower-case name: `model_timeout`, `model_failed`, `model_unauthorized`, `model_rate_limited`, `model_output_invalid`, `model_output_too_large`, `model_provider_missing`, `context_window_exceeded`, `too_many_steps`, `turn_timeout`, `quota`, `ephemeral_full`, `read_failed`, `data_loss`. */
  reason: string
  /** Text for people: the cause and the remedy. */
  message: string
}

export interface TurnErrorInit {
  reason?: string
  message?: string
}

export interface TurnContext {
  /** The settings. */
  settings?: Settings
  /** Their revision. */
  revision: number
  /** The pinned version; absent in histories older than versions. */
  version: MultiAgentVersion
  /** The mode that the model was told; absent: not applicable. */
  effectiveMode?: MultiAgentMode
  /** JSON schema that the answer of this turn must match; for this turn only. */
  outputSchema?: string
  /** Number of changes to the client's tools before the turn started. */
  toolChanges: number
}

export interface TurnContextInit {
  settings?: SettingsInit
  revision?: number
  version?: MultiAgentVersion
  effectiveMode?: MultiAgentMode
  outputSchema?: string
  toolChanges?: number
}

export interface TurnInput {
  /** Text and images. */
  content: ContentPart[]
  /** The client's own id for this input; returned with the user message. */
  clientId: string
}

export interface TurnInputInit {
  content?: ContentPartInit[]
  clientId?: string
}

export interface Turn {
  /** Id of the turn. */
  id: Uint8Array
  /** Its state. */
  status: TurnStatus
  /** Its position among all turns of the thread, from 1, counting rolled-back turns. */
  ordinal: number
  /** When it started, unix milliseconds. */
  startedAt: number
  /** When it ended. */
  endedAt?: number
  /** Tokens used. */
  usage?: TokenUsage
  /** Reason for its failure. */
  error?: TurnError
  /** The settings it ran with; absent in histories that did not store them. */
  context?: TurnContext
  /** Its first event. */
  firstSequence: number
  /** Its last event so far. */
  lastSequence: number
  /** Cause of its start. */
  cause: TurnCause
}

export interface TurnInit {
  id?: Id
  status?: TurnStatus
  ordinal?: number
  startedAt?: number
  endedAt?: number
  usage?: TokenUsageInit
  error?: TurnErrorInit
  context?: TurnContextInit
  firstSequence?: number
  lastSequence?: number
  cause?: TurnCause
}

export interface QueuedTurn {
  /** Id of the turn. */
  id: Uint8Array
  /** Its input. */
  input?: TurnInput
  /** Settings that come with it. */
  settings?: SettingsChange
  /** When it was queued, unix milliseconds. */
  queuedAt: number
  /** JSON schema that its answer must match. */
  outputSchema?: string
}

export interface QueuedTurnInit {
  id?: Id
  input?: TurnInputInit
  settings?: SettingsChangeInit
  queuedAt?: number
  outputSchema?: string
}

export interface StartTurnRequest {
  /** The thread. */
  thread: Uint8Array
  /** The input; must not be empty. */
  input?: TurnInput
  /** Settings for this turn and later turns; for later turns only if the input is added to a running turn. */
  settings?: SettingsChange
  /** Handling if another turn is running. */
  whenBusy: WhenBusy
  /** JSON schema that the answer must match; for this turn only. */
  outputSchema?: string
}

export interface StartTurnRequestInit {
  thread?: Id
  input?: TurnInputInit
  settings?: SettingsChangeInit
  whenBusy?: WhenBusy
  outputSchema?: string
}

export interface StartTurnResponse {
  /** The thread's newest event. */
  sequence: number
  /** The turn: a new one, or the running one if the input was added to it. */
  turn: Uint8Array
  /** Its state. */
  status: TurnStatus
  /** Its position in the queue, from 1; 0 if it is not queued. */
  place: number
  /** True if the input was added to a running turn. */
  steered: boolean
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface StartTurnResponseInit {
  sequence?: number
  turn?: Id
  status?: TurnStatus
  place?: number
  steered?: boolean
  replayed?: boolean
}

export interface SteerTurnRequest {
  /** The thread. */
  thread: Uint8Array
  /** The turn that the caller believes to be running. */
  turn: Uint8Array
  /** The input; must not be empty. */
  input?: TurnInput
}

export interface SteerTurnRequestInit {
  thread?: Id
  turn?: Id
  input?: TurnInputInit
}

export interface SteerTurnResponse {
  /** The thread's newest event. */
  sequence: number
  /** The turn. */
  turn: Uint8Array
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface SteerTurnResponseInit {
  sequence?: number
  turn?: Id
  replayed?: boolean
}

export interface InterruptTurnRequest {
  /** The thread. */
  thread: Uint8Array
  /** The turn. */
  turn: Uint8Array
}

export interface InterruptTurnRequestInit {
  thread?: Id
  turn?: Id
}

export interface InterruptTurnResponse {
  /** The thread's newest event. */
  sequence: number
  /** True if the turn had already ended. */
  already: boolean
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface InterruptTurnResponseInit {
  sequence?: number
  already?: boolean
  replayed?: boolean
}

export interface ListQueueRequest {
  /** The thread. */
  thread: Uint8Array
}

export interface ListQueueRequestInit {
  thread?: Id
}

export interface ListQueueResponse {
  /** The turns; at most 16. */
  turns: QueuedTurn[]
  /** The running turn. */
  running?: Uint8Array
}

export interface ListQueueResponseInit {
  turns?: QueuedTurnInit[]
  running?: Id
}

export interface CancelQueuedTurnRequest {
  /** The thread. */
  thread: Uint8Array
  /** The turn. */
  turn: Uint8Array
}

export interface CancelQueuedTurnRequestInit {
  thread?: Id
  turn?: Id
}

export interface CancelQueuedTurnResponse {
  /** The thread's newest event. */
  sequence: number
  /** True if the turn had already been cancelled. Known only for the last 16 turns of the thread. */
  already: boolean
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface CancelQueuedTurnResponseInit {
  sequence?: number
  already?: boolean
  replayed?: boolean
}

export interface Lineage {
  /** Reason for its existence. */
  source: ThreadSource
  /** Root of its tree; for a root, its own id. */
  root: Uint8Array
  /** The agent that spawned it. */
  parent?: Uint8Array
  /** The thread that it was forked from. */
  forkedFrom?: Uint8Array
  /** The last event that it shares with that thread. */
  forkedAt?: number
  /** 0 for a root; for a spawned agent, its parent's depth + 1. */
  depth: number
  /** Its path in the tree, such as `/root/a`. */
  agentPath: string
  /** A name for people. */
  agentNickname: string
  /** Its role. */
  agentRole: string
  /** The program that wrote an imported history. */
  origin: string
}

export interface LineageInit {
  source?: ThreadSource
  root?: Id
  parent?: Id
  forkedFrom?: Id
  forkedAt?: number
  depth?: number
  agentPath?: string
  agentNickname?: string
  agentRole?: string
  origin?: string
}

export interface ThreadCreated {
  /** The thread; a fork's own events begin with this one. */
  thread: Uint8Array
  /** Its origin. */
  lineage?: Lineage
  /** Its settings. */
  settings?: Settings
  /** Time of creation, unix milliseconds; for an import, the original time. */
  createdAt: number
  /** Its name. */
  name: string
  /** Tools that its client provides. */
  tools: ToolDefinition[]
  /** True if the thread shares or imports a history, even one without a version. */
  hasHistory: boolean
  /** Whether its model may ask the client's user questions. */
  asksUser: boolean
  /** The context that the model was given in its copied history; absent: the first turn gives the initial context. */
  baseline?: TurnContext
}

export interface ThreadCreatedInit {
  thread?: Id
  lineage?: LineageInit
  settings?: SettingsInit
  createdAt?: number
  name?: string
  tools?: ToolDefinitionInit[]
  hasHistory?: boolean
  asksUser?: boolean
  baseline?: TurnContextInit
}

export interface SettingsUpdated {
  /** Number of this change. */
  revision: number
  /** The settings from here on. */
  settings?: Settings
  /** The client's tools from here on; absent: unchanged (rules.md S6). */
  tools?: ToolSelection
}

export interface SettingsUpdatedInit {
  revision?: number
  settings?: SettingsInit
  tools?: ToolSelectionInit
}

export interface VersionPinned {
  /** The version. */
  version: MultiAgentVersion
  /** Its source. */
  source: VersionSource
}

export interface VersionPinnedInit {
  version?: MultiAgentVersion
  source?: VersionSource
}

export interface NameChanged {
  /** The name; empty: none. */
  name: string
}

export interface NameChangedInit {
  name?: string
}

export interface ThreadArchived {
  /** The root whose archiving included this thread, or the thread itself. */
  root: Uint8Array
}

export interface ThreadArchivedInit {
  root?: Id
}

export interface ThreadUnarchived {
  /** The root whose unarchiving included this thread, or the thread itself. */
  root: Uint8Array
}

export interface ThreadUnarchivedInit {
  root?: Id
}

export interface TurnQueued {
  /** The turn and its input. */
  turn?: QueuedTurn
}

export interface TurnQueuedInit {
  turn?: QueuedTurnInit
}

export interface QueuedTurnCancelled {
  /** The turn. */
  turn: Uint8Array
}

export interface QueuedTurnCancelledInit {
  turn?: Id
}

export interface TurnStarted {
  /** The turn. */
  turn: Uint8Array
  /** Its position among all turns of the thread. */
  ordinal: number
  /** The settings it runs with; absent in histories that did not store them. */
  context?: TurnContext
  /** Cause of its start. */
  cause: TurnCause
}

export interface TurnStartedInit {
  turn?: Id
  ordinal?: number
  context?: TurnContextInit
  cause?: TurnCause
}

export interface InputSteered {
  /** The input. */
  input?: TurnInput
  /** Id of the item made from it. */
  item: Uint8Array
}

export interface InputSteeredInit {
  input?: TurnInputInit
  item?: Id
}

export interface ItemStarted {
  /** The item, without its text. */
  item?: Item
}

export interface ItemStartedInit {
  item?: ItemInit
}

export interface ItemCheckpoint {
  /** The item. */
  item: Uint8Array
  /** Offset of this piece in the item's text, bytes. */
  offset: number
  /** The piece. */
  text: string
}

export interface ItemCheckpointInit {
  item?: Id
  offset?: number
  text?: string
}

export interface ItemCompleted {
  /** The item. */
  item?: Item
}

export interface ItemCompletedInit {
  item?: ItemInit
}

export interface ModelRetried {
  /** Number of the failed attempt, from 1. */
  attempt: number
  /** The error. */
  error?: TurnError
  /** Time until the next attempt, milliseconds. */
  waitMs: number
}

export interface ModelRetriedInit {
  attempt?: number
  error?: TurnErrorInit
  waitMs?: number
}

export interface UsageReported {
  /** Tokens of this report. */
  usage?: TokenUsage
  /** Tokens of the turn so far. */
  turnUsage?: TokenUsage
  /** Tokens of the thread so far. */
  threadUsage?: TokenUsage
}

export interface UsageReportedInit {
  usage?: TokenUsageInit
  turnUsage?: TokenUsageInit
  threadUsage?: TokenUsageInit
}

export interface TurnEnded {
  /** The turn. */
  turn: Uint8Array
  /** Completed, interrupted or failed. */
  status: TurnStatus
  /** Reason for its failure. */
  error?: TurnError
  /** Tokens used. */
  usage?: TokenUsage
}

export interface TurnEndedInit {
  turn?: Id
  status?: TurnStatus
  error?: TurnErrorInit
  usage?: TokenUsageInit
}

export interface TurnsRolledBack {
  /** Number of turns. */
  count: number
  /** Ordinal of the first. */
  firstOrdinal: number
  /** Ordinal of the last. */
  lastOrdinal: number
  /** The context of the last remaining turn; absent: the next turn gives the initial context. */
  baseline?: TurnContext
  /** The last remaining compaction; 0: none. */
  contextStart: number
}

export interface TurnsRolledBackInit {
  count?: number
  firstOrdinal?: number
  lastOrdinal?: number
  baseline?: TurnContextInit
  contextStart?: number
}

export interface ContextCompacted {
  /** The summary and the messages that replace the context. */
  compaction?: CompactionItem
  /** The context that the replacement gives the model; absent: the next turn gives the initial context. */
  baseline?: TurnContext
}

export interface ContextCompactedInit {
  compaction?: CompactionItemInit
  baseline?: TurnContextInit
}

export interface MailReceived {
  /** The message. */
  mail?: AgentMail
  /** The waiting message of the same agent that this one replaces; the model does not receive the replaced one. */
  replaces?: Uint8Array
}

export interface MailReceivedInit {
  mail?: AgentMailInit
  replaces?: Id
}

export interface MailQueued {
  /** The message. */
  mail?: AgentMail
}

export interface MailQueuedInit {
  mail?: AgentMailInit
}

export interface MailDelivered {
  /** The message. */
  mail: Uint8Array
}

export interface MailDeliveredInit {
  mail?: Id
}

export interface AgentActivity {
  /** The action. */
  kind: AgentActivityKind
  /** The other agent. */
  agent: Uint8Array
  /** The other agent's path; for V1, its nickname. */
  path: string
  /** The tool call that caused it; empty if a client did. */
  callId: string
}

export interface AgentActivityInit {
  kind?: AgentActivityKind
  agent?: Id
  path?: string
  callId?: string
}

export interface AgentClosed {
  /** The agent above it whose closing included it; absent: it was closed directly. */
  with?: Uint8Array
}

export interface AgentClosedInit {
  with?: Id
}

export interface AgentReopened {
}

export interface AgentReopenedInit {
}

export interface ForeignRecord {
  /** The record. */
  record?: OpaquePart
}

export interface ForeignRecordInit {
  record?: OpaquePartInit
}

export interface Event {
  /** The member of `kind` that is set. */
  kind?: "threadCreated" | "settingsUpdated" | "versionPinned" | "nameChanged" | "threadArchived" | "threadUnarchived" | "turnQueued" | "queuedTurnCancelled" | "turnStarted" | "inputSteered" | "itemStarted" | "itemCheckpoint" | "itemCompleted" | "modelRetried" | "usageReported" | "turnEnded" | "turnsRolledBack" | "contextCompacted" | "foreignRecord" | "mailReceived" | "mailQueued" | "mailDelivered" | "agentActivity" | "agentClosed" | "agentReopened"
  /** Its number. */
  sequence: number
  /** Time, unix milliseconds. For information only: the number defines the order (durability.md D10). */
  at: number
  /** The next event belongs to the same mutation. */
  more: boolean
  /** The turn that it belongs to. */
  turn?: Uint8Array
  /** The thread was created. */
  threadCreated?: ThreadCreated
  /** The settings changed. */
  settingsUpdated?: SettingsUpdated
  /** The version was pinned. */
  versionPinned?: VersionPinned
  /** The thread has a new name. */
  nameChanged?: NameChanged
  /** The thread was archived. */
  threadArchived?: ThreadArchived
  /** The thread was unarchived. */
  threadUnarchived?: ThreadUnarchived
  /** A turn was queued. */
  turnQueued?: TurnQueued
  /** A queued turn was cancelled and will not run. */
  queuedTurnCancelled?: QueuedTurnCancelled
  /** A turn started. */
  turnStarted?: TurnStarted
  /** Input was accepted for a running turn. */
  inputSteered?: InputSteered
  /** An item started. */
  itemStarted?: ItemStarted
  /** Streamed text is durable. */
  itemCheckpoint?: ItemCheckpoint
  /** An item is complete. */
  itemCompleted?: ItemCompleted
  /** A request to the model is retried. */
  modelRetried?: ModelRetried
  /** Tokens used. */
  usageReported?: UsageReported
  /** A turn ended. */
  turnEnded?: TurnEnded
  /** Turns were rolled back. */
  turnsRolledBack?: TurnsRolledBack
  /** The context was compacted. */
  contextCompacted?: ContextCompacted
  /** A line kept from an import. */
  foreignRecord?: ForeignRecord
  /** A message from another agent arrived. */
  mailReceived?: MailReceived
  /** A message for another agent was queued. */
  mailQueued?: MailQueued
  /** A message reached its receiver. */
  mailDelivered?: MailDelivered
  /** An agent acted on another agent. */
  agentActivity?: AgentActivity
  /** The agent was closed. */
  agentClosed?: AgentClosed
  /** The agent was reopened. */
  agentReopened?: AgentReopened
}

export interface EventInit {
  sequence?: number
  at?: number
  more?: boolean
  turn?: Id
  threadCreated?: ThreadCreatedInit
  settingsUpdated?: SettingsUpdatedInit
  versionPinned?: VersionPinnedInit
  nameChanged?: NameChangedInit
  threadArchived?: ThreadArchivedInit
  threadUnarchived?: ThreadUnarchivedInit
  turnQueued?: TurnQueuedInit
  queuedTurnCancelled?: QueuedTurnCancelledInit
  turnStarted?: TurnStartedInit
  inputSteered?: InputSteeredInit
  itemStarted?: ItemStartedInit
  itemCheckpoint?: ItemCheckpointInit
  itemCompleted?: ItemCompletedInit
  modelRetried?: ModelRetriedInit
  usageReported?: UsageReportedInit
  turnEnded?: TurnEndedInit
  turnsRolledBack?: TurnsRolledBackInit
  contextCompacted?: ContextCompactedInit
  foreignRecord?: ForeignRecordInit
  mailReceived?: MailReceivedInit
  mailQueued?: MailQueuedInit
  mailDelivered?: MailDeliveredInit
  agentActivity?: AgentActivityInit
  agentClosed?: AgentClosedInit
  agentReopened?: AgentReopenedInit
}

export interface ThreadStatus {
  /** Its state. */
  state: ThreadState
  /** True if a turn is waiting for a client's tool. */
  waitingOnTool: boolean
  /** True if a turn is waiting for a user's answer. */
  waitingOnUser: boolean
}

export interface ThreadStatusInit {
  state?: ThreadState
  waitingOnTool?: boolean
  waitingOnUser?: boolean
}

export interface ItemDelta {
  /** The turn. */
  turn: Uint8Array
  /** The item. */
  item: Uint8Array
  /** Offset of this piece in the item's text, bytes. */
  offset: number
  /** The piece. */
  text: string
}

export interface ItemDeltaInit {
  turn?: Id
  item?: Id
  offset?: number
  text?: string
}

export interface ItemSnapshot {
  /** The turn. */
  turn: Uint8Array
  /** The item. */
  item: Uint8Array
  /** The text. */
  text: string
}

export interface ItemSnapshotInit {
  turn?: Id
  item?: Id
  text?: string
}

export interface Subscribed {
  /** The newest event. */
  head: number
  /** The oldest event that is available. */
  oldest: number
  /** The epoch of the event numbers. */
  epoch: bigint
}

export interface SubscribedInit {
  head?: number
  oldest?: number
  epoch?: bigint
}

export interface Live {
  /** The last event sent. */
  sequence: number
}

export interface LiveInit {
  sequence?: number
}

export interface Progress {
  /** The last event sent. */
  sequence: number
}

export interface ProgressInit {
  sequence?: number
}

export interface StatusChanged {
  /** The thread. */
  thread: Uint8Array
  /** Its current status. */
  status?: ThreadStatus
}

export interface StatusChangedInit {
  thread?: Id
  status?: ThreadStatusInit
}

export interface ThreadStartedNotice {
  /** The thread. */
  thread: Uint8Array
  /** Its origin. */
  lineage?: Lineage
}

export interface ThreadStartedNoticeInit {
  thread?: Id
  lineage?: LineageInit
}

export interface ThreadDeletedNotice {
  /** The thread. */
  thread: Uint8Array
}

export interface ThreadDeletedNoticeInit {
  thread?: Id
}

export interface ThreadArchiveNotice {
  /** The thread. */
  thread: Uint8Array
  /** Whether it is archived now. */
  archived: boolean
}

export interface ThreadArchiveNoticeInit {
  thread?: Id
  archived?: boolean
}

export interface ThreadNameNotice {
  /** The thread. */
  thread: Uint8Array
  /** Its name. */
  name: string
}

export interface ThreadNameNoticeInit {
  thread?: Id
  name?: string
}

export interface SubscriptionEvent {
  /** The member of `kind` that is set. */
  kind?: "subscribed" | "event" | "delta" | "snapshot" | "live" | "progress" | "status" | "threadStarted" | "threadDeleted" | "threadArchive" | "threadName" | "call" | "callEnded"
  /** The first message. */
  subscribed?: Subscribed
  /** A numbered event. */
  event?: Event
  /** Streamed text. */
  delta?: ItemDelta
  /** The text so far of an unfinished item. */
  snapshot?: ItemSnapshot
  /** All stored events have been sent. */
  live?: Live
  /** There is nothing new. */
  progress?: Progress
  /** The status changed. */
  status?: StatusChanged
  /** A thread was created. */
  threadStarted?: ThreadStartedNotice
  /** A thread was deleted. */
  threadDeleted?: ThreadDeletedNotice
  /** A thread was archived or unarchived. */
  threadArchive?: ThreadArchiveNotice
  /** A thread has a new name. */
  threadName?: ThreadNameNotice
  /** A call waits for an answer (`SubscribeRequest.answers`); not numbered. */
  call?: OpenCall
  /** A call that was sent on this stream waits no more; not numbered. */
  callEnded?: CallEnded
  /** The agent that this message is about, on a stream that follows a tree, or that answers calls of the agents below its thread. Absent: the thread that the stream follows. */
  thread?: Uint8Array
}

export interface SubscriptionEventInit {
  subscribed?: SubscribedInit
  event?: EventInit
  delta?: ItemDeltaInit
  snapshot?: ItemSnapshotInit
  live?: LiveInit
  progress?: ProgressInit
  status?: StatusChangedInit
  threadStarted?: ThreadStartedNoticeInit
  threadDeleted?: ThreadDeletedNoticeInit
  threadArchive?: ThreadArchiveNoticeInit
  threadName?: ThreadNameNoticeInit
  call?: OpenCallInit
  callEnded?: CallEndedInit
  thread?: Id
}

export interface Agent {
  /** The thread. */
  thread: Uint8Array
  /** The agent that spawned it. */
  parent?: Uint8Array
  /** Its name in the tree. */
  path: string
  /** A name for people. */
  nickname: string
  /** Its status. */
  status?: ThreadStatus
  /** The multi-agent version that it uses. */
  version: MultiAgentVersion
  /** The last task it was given. */
  lastTask: string
  /** Tokens used. */
  usage?: TokenUsage
  /** 0 for the root. */
  depth: number
  /** Its role. */
  role: string
  /** Whether it was closed. */
  closed: boolean
  /** The outcome of its last turn; `UNSPECIFIED` if no turn has ended. */
  lastTurn: TurnStatus
  /** Messages that its model has not received yet. */
  waitingMessages: number
}

export interface AgentInit {
  thread?: Id
  parent?: Id
  path?: string
  nickname?: string
  status?: ThreadStatusInit
  version?: MultiAgentVersion
  lastTask?: string
  usage?: TokenUsageInit
  depth?: number
  role?: string
  closed?: boolean
  lastTurn?: TurnStatus
  waitingMessages?: number
}

export interface ListTreeRequest {
  /** Any thread of the tree. */
  thread: Uint8Array
}

export interface ListTreeRequestInit {
  thread?: Id
}

export interface ListTreeResponse {
  /** The agents. */
  agents: Agent[]
  /** Number of additional agents that may run now (V2) or be open (V1). */
  freeSlots: number
  /** Tokens that the whole tree has used. */
  usage: TokenUsage
}

export interface ListTreeResponseInit {
  agents?: AgentInit[]
  freeSlots?: number
  usage?: TokenUsageInit
}

export interface InterruptAgentRequest {
  /** The agent. */
  thread: Uint8Array
}

export interface InterruptAgentRequestInit {
  thread?: Id
}

export interface InterruptAgentResponse {
  /** The thread's newest event. */
  sequence: number
  /** True if there was no running turn to interrupt. */
  already: boolean
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface InterruptAgentResponseInit {
  sequence?: number
  already?: boolean
  replayed?: boolean
}

export interface CloseAgentRequest {
  /** The agent. */
  thread: Uint8Array
}

export interface CloseAgentRequestInit {
  thread?: Id
}

export interface CloseAgentResponse {
  /** Number of agents that were closed; 0 if they were already closed. */
  closed: number
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface CloseAgentResponseInit {
  closed?: number
  replayed?: boolean
}

export interface CatalogModel {
  /** Its name, as settings use it. */
  id: string
  /** The provider that serves it. */
  provider: string
  /** A name for people. */
  displayName: string
  /** A description of its uses. */
  description: string
  /** The multi-agent version that it requests; `UNSPECIFIED` if the entry names none, or one unknown to this server. */
  version: MultiAgentVersion
  /** Reasoning efforts that it supports. */
  reasoningEfforts: string[]
  /** The reasoning effort that it uses if none is requested. */
  defaultReasoningEffort: string
  /** Size of its context window, tokens. */
  contextWindow: number
  /** Whether new threads use it if they name no model. */
  isDefault: boolean
  /** Whether lists omit it unless `include_hidden` is set. */
  hidden: boolean
}

export interface CatalogModelInit {
  id?: string
  provider?: string
  displayName?: string
  description?: string
  version?: MultiAgentVersion
  reasoningEfforts?: string[]
  defaultReasoningEffort?: string
  contextWindow?: number
  isDefault?: boolean
  hidden?: boolean
}

export interface ListModelsRequest {
  /** Include hidden models. */
  includeHidden: boolean
}

export interface ListModelsRequestInit {
  includeHidden?: boolean
}

export interface ListModelsResponse {
  /** The models. */
  models: CatalogModel[]
}

export interface ListModelsResponseInit {
  models?: CatalogModelInit[]
}

export interface Feature {
  /** Its name: `multi_agent`, `multi_agent_v2`, `multi_agent_mode`. */
  name: string
  /** Its maturity. */
  stage: FeatureStage
  /** A description of its effect. */
  description: string
  /** Its value if nobody sets it. */
  defaultEnabled: boolean
  /** Its current value. */
  enabled: boolean
}

export interface FeatureInit {
  name?: string
  stage?: FeatureStage
  description?: string
  defaultEnabled?: boolean
  enabled?: boolean
}

export interface ListFeaturesRequest {
}

export interface ListFeaturesRequestInit {
}

export interface ListFeaturesResponse {
  /** The features. */
  features: Feature[]
}

export interface ListFeaturesResponseInit {
  features?: FeatureInit[]
}

export interface SetFeatureRequest {
  /** The feature. */
  name: string
  /** Its new value; absent: return to the configured value. */
  enabled?: boolean
}

export interface SetFeatureRequestInit {
  name?: string
  enabled?: boolean
}

export interface SetFeatureResponse {
  /** The feature. */
  feature: Feature
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface SetFeatureResponseInit {
  feature?: FeatureInit
  replayed?: boolean
}

export interface ServerStatusRequest {
}

export interface ServerStatusRequestInit {
}

export interface ProviderStatus {
  /** Its name. */
  name: string
  /** Requests in progress. */
  running: number
  /** Requests waiting for a free slot. */
  waiting: number
  /** Maximum number of requests at a time; 0: unlimited. */
  limit: number
}

export interface ProviderStatusInit {
  name?: string
  running?: number
  waiting?: number
  limit?: number
}

export interface ServerStatusResponse {
  /** The serving status. */
  serving: ServingStatus
  /** Version of the program. */
  version: string
  /** Id of this server. */
  node: Uint8Array
  /** Time since the start of the process, milliseconds. */
  uptimeMs: number
  /** Open connections. */
  connections: number
  /** Threads loaded in memory. */
  loadedThreads: number
  /** Running turns. */
  runningTurns: number
  /** Events on disk that this process has written. */
  eventsWritten: number
  /** Groups of writes that this process has synced to disk. */
  groupsSynced: number
  /** Always `synced`. */
  durability: string
  /** Tokens that the caller's tenant has used since the server started. */
  usage: TokenUsage
  /** The model providers, by name. */
  providers: ProviderStatus[]
}

export interface ServerStatusResponseInit {
  serving?: ServingStatus
  version?: string
  node?: Id
  uptimeMs?: number
  connections?: number
  loadedThreads?: number
  runningTurns?: number
  eventsWritten?: number
  groupsSynced?: number
  durability?: string
  usage?: TokenUsageInit
  providers?: ProviderStatusInit[]
}

export interface StartCaptureRequest {
  /** Record only frames that concern this thread. */
  thread?: Uint8Array
  /** Record only connections of this tenant. */
  tenant?: string
  /** Record only this many of every 1,000 connections, selected by connection id: 1 to 1,000. */
  share?: number
  /** Maximum file size, bytes. The recording ends at the first frame that would exceed it. Absent: 64 MiB. */
  maxBytes?: number
  /** Maximum duration, milliseconds, at most 24 hours; absent: 5 minutes. */
  maxMs?: number
}

export interface StartCaptureRequestInit {
  thread?: Id
  tenant?: string
  share?: number
  maxBytes?: number
  maxMs?: number
}

export interface CaptureState {
  /** Name of its file in the capture folder. */
  file: string
  /** Whether it is still running. */
  running: boolean
  /** Frames in the file. */
  frames: number
  /** Size of the file, bytes. */
  bytes: number
  /** Frames missing from the file because they arrived faster than they could be written. */
  droppedFrames: number
  /** Their bytes. */
  droppedBytes: number
  /** Milliseconds from its start to now, or to its end. */
  elapsedMs: number
  /** Reason for its end. */
  end: CaptureEnd
}

export interface CaptureStateInit {
  file?: string
  running?: boolean
  frames?: number
  bytes?: number
  droppedFrames?: number
  droppedBytes?: number
  elapsedMs?: number
  end?: CaptureEnd
}

export interface StartCaptureResponse {
  /** Its current state. */
  capture: CaptureState
}

export interface StartCaptureResponseInit {
  capture?: CaptureStateInit
}

export interface StopCaptureRequest {
}

export interface StopCaptureRequestInit {
}

export interface StopCaptureResponse {
  /** Its final state; the file is complete. */
  capture: CaptureState
}

export interface StopCaptureResponseInit {
  capture?: CaptureStateInit
}

export interface ReadCaptureRequest {
}

export interface ReadCaptureRequestInit {
}

export interface ReadCaptureResponse {
  /** Its current state; absent if nothing has been recorded since the server started. */
  capture?: CaptureState
}

export interface ReadCaptureResponseInit {
  capture?: CaptureStateInit
}

export interface AgentThread {
  /** Id of the thread. */
  id: Uint8Array
  /** Its origin. */
  lineage?: Lineage
  /** Its name; empty: none. */
  name: string
  /** The beginning of its first user message. */
  preview: string
  /** Its status. */
  status?: ThreadStatus
  /** Whether it is ephemeral: kept in memory and never on disk. */
  ephemeral: boolean
  /** Whether it is archived. */
  archived: boolean
  /** Time of creation, unix milliseconds. */
  createdAt: number
  /** Time of its last event, unix milliseconds. */
  updatedAt: number
  /** The settings for its next turn. */
  settings?: Settings
  /** Number of the last change of settings. */
  revision: number
  /** Its multi-agent version; `UNSPECIFIED` until it is pinned. */
  version: MultiAgentVersion
  /** Source of the version. */
  versionSource: VersionSource
  /** Its newest event. */
  sequence: number
  /** The epoch of the event numbers. */
  epoch: bigint
  /** Number of turns in its turn list. */
  turnCount: number
  /** Tokens used. */
  usage?: TokenUsage
  /** The running turn. */
  runningTurn?: Uint8Array
  /** Number of queued turns. */
  queuedTurns: number
  /** Whether its model may ask the client's user questions. */
  asksUser: boolean
  /** True if it is a spawned agent that was closed. */
  closed: boolean
  /** Names of the tools that its client provides. */
  tools: string[]
}

export interface AgentThreadInit {
  id?: Id
  lineage?: LineageInit
  name?: string
  preview?: string
  status?: ThreadStatusInit
  ephemeral?: boolean
  archived?: boolean
  createdAt?: number
  updatedAt?: number
  settings?: SettingsInit
  revision?: number
  version?: MultiAgentVersion
  versionSource?: VersionSource
  sequence?: number
  epoch?: bigint
  turnCount?: number
  usage?: TokenUsageInit
  runningTurn?: Id
  queuedTurns?: number
  asksUser?: boolean
  closed?: boolean
  tools?: string[]
}

export interface StartThreadRequest {
  /** Settings that differ from the server's defaults. */
  settings?: SettingsChange
  /** Its name. */
  name: string
  /** Make the thread ephemeral: it is lost when the server ends, or when it has not been used for some time (durability.md). */
  ephemeral: boolean
  /** Subscribe this stream to the new thread; absent: true. */
  subscribe?: boolean
  /** Tools that this client provides (rules.md A9). */
  tools: ToolDefinition[]
  /** Let the model ask the client's user questions; it gets the tool `request_user_input`. */
  asksUser: boolean
  /** Also follow the agents below it on this stream (rules.md A12). */
  tree: boolean
}

export interface StartThreadRequestInit {
  settings?: SettingsChangeInit
  name?: string
  ephemeral?: boolean
  subscribe?: boolean
  tools?: ToolDefinitionInit[]
  asksUser?: boolean
  tree?: boolean
}

export interface StartThreadResponse {
  /** The thread's newest event. */
  sequence: number
  /** The thread. */
  thread: AgentThread
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface StartThreadResponseInit {
  sequence?: number
  thread?: AgentThreadInit
  replayed?: boolean
}

export interface ResumeThreadRequest {
  /** The thread. */
  thread: Uint8Array
  /** Subscribe this stream to events from now on; absent: true. */
  subscribe?: boolean
  /** Also follow the agents below it on this stream (rules.md A12). */
  tree: boolean
  /** The client's tools: keep, set or clear. This is a change of settings, with a revision and an event. */
  tools?: ToolSelection
}

export interface ResumeThreadRequestInit {
  thread?: Id
  subscribe?: boolean
  tree?: boolean
  tools?: ToolSelectionInit
}

export interface ResumeThreadResponse {
  /** The thread's newest event. */
  sequence: number
  /** The thread. */
  thread: AgentThread
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface ResumeThreadResponseInit {
  sequence?: number
  thread?: AgentThreadInit
  replayed?: boolean
}

export interface ForkThreadRequest {
  /** The source. */
  thread: Uint8Array
  /** Share the history up to the end of this turn; absent: up to the last durable event. */
  lastTurn?: Uint8Array
  /** Settings that differ from the source's. */
  settings?: SettingsChange
  /** Its name. */
  name: string
  /** Subscribe this stream to the fork; absent: true. */
  subscribe?: boolean
  /** Also follow the agents below it on this stream (rules.md A12). */
  tree: boolean
  /** The fork's tools: those of the source, these, or none. */
  tools?: ToolSelection
}

export interface ForkThreadRequestInit {
  thread?: Id
  lastTurn?: Id
  settings?: SettingsChangeInit
  name?: string
  subscribe?: boolean
  tree?: boolean
  tools?: ToolSelectionInit
}

export interface ForkThreadResponse {
  /** The fork's newest event. */
  sequence: number
  /** The fork. */
  thread: AgentThread
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface ForkThreadResponseInit {
  sequence?: number
  thread?: AgentThreadInit
  replayed?: boolean
}

export interface ReadThreadRequest {
  /** The thread. */
  thread: Uint8Array
}

export interface ReadThreadRequestInit {
  thread?: Id
}

export interface ReadThreadResponse {
  /** The thread. */
  thread: AgentThread
}

export interface ReadThreadResponseInit {
  thread?: AgentThreadInit
}

export interface ListThreadsRequest {
  /** Cursor from the previous page; absent: the first page. */
  cursor: string
  /** Threads on a page, 1 to 200; absent: 25. */
  pageSize?: number
  /** Order of creation. */
  order: ListOrder
  /** True: only archived threads. False or absent: only threads that are not archived. */
  archived?: boolean
  /** Only threads that exist for this reason. */
  source?: ThreadSource
  /** Only threads spawned by this thread. */
  parent?: Uint8Array
  /** Only threads forked from this thread. */
  forkedFrom?: Uint8Array
  /** Only threads of this provider. */
  modelProvider?: string
  /** Only threads whose name or preview contains this text, ignoring the case of ASCII letters. */
  text?: string
  /** Only threads of this working folder. */
  workingFolder?: string
  /** Only threads created at or after this time, unix milliseconds. */
  createdAfter?: number
  /** Only threads created before this time, unix milliseconds. */
  createdBefore?: number
}

export interface ListThreadsRequestInit {
  cursor?: string
  pageSize?: number
  order?: ListOrder
  archived?: boolean
  source?: ThreadSource
  parent?: Id
  forkedFrom?: Id
  modelProvider?: string
  text?: string
  workingFolder?: string
  createdAfter?: number
  createdBefore?: number
}

export interface ListThreadsResponse {
  /** The threads. */
  threads: AgentThread[]
  /** Cursor of the next page; empty: this is the last page. */
  nextCursor: string
}

export interface ListThreadsResponseInit {
  threads?: AgentThreadInit[]
  nextCursor?: string
}

export interface ListLoadedThreadsRequest {
  /** Cursor from the previous page. */
  cursor: string
  /** Ids on a page, 1 to 200; absent: 200. */
  pageSize?: number
}

export interface ListLoadedThreadsRequestInit {
  cursor?: string
  pageSize?: number
}

export interface ListLoadedThreadsResponse {
  /** The threads. */
  threads: Uint8Array[]
  /** Cursor of the next page; empty: this is the last page. */
  nextCursor: string
}

export interface ListLoadedThreadsResponseInit {
  threads?: Id[]
  nextCursor?: string
}

export interface SearchThreadsRequest {
  /** The text to find. */
  text: string
  /** Cursor from the previous page. */
  cursor: string
  /** Hits on a page, 1 to 200; absent: 25. */
  pageSize?: number
}

export interface SearchThreadsRequestInit {
  text?: string
  cursor?: string
  pageSize?: number
}

export interface SearchHit {
  /** The thread. */
  thread: Uint8Array
  /** The event that holds it. */
  sequence: number
  /** The text around it. */
  snippet: string
}

export interface SearchHitInit {
  thread?: Id
  sequence?: number
  snippet?: string
}

export interface SearchThreadsResponse {
  /** The hits. */
  hits: SearchHit[]
  /** Cursor of the next page; empty: this is the last page. */
  nextCursor: string
}

export interface SearchThreadsResponseInit {
  hits?: SearchHitInit[]
  nextCursor?: string
}

export interface ListTurnsRequest {
  /** The thread. */
  thread: Uint8Array
  /** Cursor from the previous page. */
  cursor: string
  /** Turns on a page, 1 to 200; absent: 25. */
  pageSize?: number
  /** Order of the list. */
  order: ListOrder
}

export interface ListTurnsRequestInit {
  thread?: Id
  cursor?: string
  pageSize?: number
  order?: ListOrder
}

export interface ListTurnsResponse {
  /** The turns. */
  turns: Turn[]
  /** Cursor of the next page; empty: this is the last page. */
  nextCursor: string
}

export interface ListTurnsResponseInit {
  turns?: TurnInit[]
  nextCursor?: string
}

export interface ListedItem {
  /** The item. */
  item?: Item
  /** The turn that it belongs to; absent for items between turns. */
  turn?: Uint8Array
  /** The event that completed it. */
  sequence: number
  /** Time, unix milliseconds. */
  at: number
}

export interface ListedItemInit {
  item?: ItemInit
  turn?: Id
  sequence?: number
  at?: number
}

export interface ListItemsRequest {
  /** The thread. */
  thread: Uint8Array
  /** Only items of this turn. */
  turn?: Uint8Array
  /** Cursor from the previous page. */
  cursor: string
  /** Items on a page, 1 to 200; absent: 25. */
  pageSize?: number
  /** Order of the list; absent: oldest first. */
  order: ListOrder
}

export interface ListItemsRequestInit {
  thread?: Id
  turn?: Id
  cursor?: string
  pageSize?: number
  order?: ListOrder
}

export interface ListItemsResponse {
  /** The items. */
  items: ListedItem[]
  /** Cursor of the next page; empty: this is the last page. */
  nextCursor: string
}

export interface ListItemsResponseInit {
  items?: ListedItemInit[]
  nextCursor?: string
}

export interface SetThreadNameRequest {
  /** The thread. */
  thread: Uint8Array
  /** The name, at most 1,024 bytes; empty: none. */
  name: string
}

export interface SetThreadNameRequestInit {
  thread?: Id
  name?: string
}

export interface SetThreadNameResponse {
  /** The thread's newest event. */
  sequence: number
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface SetThreadNameResponseInit {
  sequence?: number
  replayed?: boolean
}

export interface ArchiveThreadRequest {
  /** The thread. */
  thread: Uint8Array
}

export interface ArchiveThreadRequestInit {
  thread?: Id
}

export interface ArchiveThreadResponse {
  /** The thread's newest event. */
  sequence: number
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface ArchiveThreadResponseInit {
  sequence?: number
  replayed?: boolean
}

export interface UnarchiveThreadRequest {
  /** The thread. */
  thread: Uint8Array
}

export interface UnarchiveThreadRequestInit {
  thread?: Id
}

export interface UnarchiveThreadResponse {
  /** The thread's newest event. */
  sequence: number
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface UnarchiveThreadResponseInit {
  sequence?: number
  replayed?: boolean
}

export interface DeleteThreadRequest {
  /** The thread. */
  thread: Uint8Array
}

export interface DeleteThreadRequestInit {
  thread?: Id
}

export interface DeleteThreadResponse {
  /** Number of deleted threads. */
  deleted: number
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface DeleteThreadResponseInit {
  deleted?: number
  replayed?: boolean
}

export interface RollbackThreadRequest {
  /** The thread; must be idle. */
  thread: Uint8Array
  /** Number of turns, at least 1; a number above the thread's turns means all of them. */
  turns: number
}

export interface RollbackThreadRequestInit {
  thread?: Id
  turns?: number
}

export interface RollbackThreadResponse {
  /** The thread's newest event. */
  sequence: number
  /** Number of turns that were rolled back. */
  rolledBack: number
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface RollbackThreadResponseInit {
  sequence?: number
  rolledBack?: number
  replayed?: boolean
}

export interface CompactThreadRequest {
  /** The thread; must be idle. */
  thread: Uint8Array
}

export interface CompactThreadRequestInit {
  thread?: Id
}

export interface CompactThreadResponse {
  /** The thread's newest event. */
  sequence: number
  /** The turn. */
  turn: Uint8Array
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface CompactThreadResponseInit {
  sequence?: number
  turn?: Id
  replayed?: boolean
}

export interface InjectItemsRequest {
  /** The thread; must be idle. */
  thread: Uint8Array
  /** The items. */
  items: Item[]
}

export interface InjectItemsRequestInit {
  thread?: Id
  items?: ItemInit[]
}

export interface InjectItemsResponse {
  /** The thread's newest event. */
  sequence: number
  /** True if this answer repeats an earlier answer to the same idempotency key. */
  replayed: boolean
}

export interface InjectItemsResponseInit {
  sequence?: number
  replayed?: boolean
}

export interface ExportThreadRequest {
  /** The thread. */
  thread: Uint8Array
  /** Return events after this one. */
  after: number
  /** Events on a page, 1 to 200; absent: 200. */
  pageSize?: number
}

export interface ExportThreadRequestInit {
  thread?: Id
  after?: number
  pageSize?: number
}

export interface ExportThreadResponse {
  /** The events. */
  events: Event[]
  /** True if there are more events. */
  more: boolean
}

export interface ExportThreadResponseInit {
  events?: EventInit[]
  more?: boolean
}

export interface SubscribeRequest {
  /** The thread; absent: lifecycle notices of all threads. */
  thread?: Uint8Array
  /** The epoch that `after` belongs to; absent: the current epoch. */
  epoch?: bigint
  /** Send events after this one; absent: only new events. */
  after?: number
  /** Kinds of message to send; empty: all kinds. */
  kinds: SubscriptionKind[]
  /** Bytes that the server may send before CREDIT allows more; absent: no limit except the connection's. */
  credit?: number
  /** Also follow the agents below it on this stream, each from its current position; `after` and `epoch` apply only to `thread` (rules.md A12). */
  tree: boolean
  /** The calls that this subscriber answers with CallService/Answer: calls of these kinds that are open come as events `call`, again on each new subscription (rules.md A14). Empty: none. */
  answers: CallKind[]
}

export interface SubscribeRequestInit {
  thread?: Id
  epoch?: bigint
  after?: number
  kinds?: SubscriptionKind[]
  credit?: number
  tree?: boolean
  answers?: CallKind[]
}

export interface UnsubscribeRequest {
  /** The thread; absent: the lifecycle notices. */
  thread?: Uint8Array
}

export interface UnsubscribeRequestInit {
  thread?: Id
}

export interface UnsubscribeResponse {
  /** True if there was a subscription. */
  wasSubscribed: boolean
}

export interface UnsubscribeResponseInit {
  wasSubscribed?: boolean
}
