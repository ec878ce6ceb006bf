from heddle.v1 import client_pb2 as _client_pb2
from heddle.v1 import item_pb2 as _item_pb2
from heddle.v1 import options_pb2 as _options_pb2
from heddle.v1 import settings_pb2 as _settings_pb2
from heddle.v1 import turn_pb2 as _turn_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

AGENT_ACTIVITY_KIND_CLOSED: AgentActivityKind
AGENT_ACTIVITY_KIND_INTERRUPTED: AgentActivityKind
AGENT_ACTIVITY_KIND_MESSAGED: AgentActivityKind
AGENT_ACTIVITY_KIND_RESUMED: AgentActivityKind
AGENT_ACTIVITY_KIND_SPAWNED: AgentActivityKind
AGENT_ACTIVITY_KIND_UNSPECIFIED: AgentActivityKind
DESCRIPTOR: _descriptor.FileDescriptor
THREAD_SOURCE_AGENT: ThreadSource
THREAD_SOURCE_CLIENT: ThreadSource
THREAD_SOURCE_FORK: ThreadSource
THREAD_SOURCE_IMPORT: ThreadSource
THREAD_SOURCE_UNSPECIFIED: ThreadSource
THREAD_STATE_ACTIVE: ThreadState
THREAD_STATE_IDLE: ThreadState
THREAD_STATE_NOT_LOADED: ThreadState
THREAD_STATE_SYSTEM_ERROR: ThreadState
THREAD_STATE_UNSPECIFIED: ThreadState

class AgentActivity(_message.Message):
    __slots__ = ["agent", "call_id", "kind", "path"]
    AGENT_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    agent: bytes
    call_id: str
    kind: AgentActivityKind
    path: str
    def __init__(self, kind: _Optional[_Union[AgentActivityKind, str]] = ..., agent: _Optional[bytes] = ..., path: _Optional[str] = ..., call_id: _Optional[str] = ...) -> None: ...

class AgentClosed(_message.Message):
    __slots__ = []
    WITH_FIELD_NUMBER: _ClassVar[int]
    def __init__(self, **kwargs) -> None: ...

class AgentReopened(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ContextCompacted(_message.Message):
    __slots__ = ["baseline", "compaction"]
    BASELINE_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_FIELD_NUMBER: _ClassVar[int]
    baseline: _turn_pb2.TurnContext
    compaction: _item_pb2.CompactionItem
    def __init__(self, compaction: _Optional[_Union[_item_pb2.CompactionItem, _Mapping]] = ..., baseline: _Optional[_Union[_turn_pb2.TurnContext, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ["agent_activity", "agent_closed", "agent_reopened", "at", "context_compacted", "foreign_record", "input_steered", "item_checkpoint", "item_completed", "item_started", "mail_delivered", "mail_queued", "mail_received", "model_retried", "more", "name_changed", "queued_turn_cancelled", "sequence", "settings_updated", "thread_archived", "thread_created", "thread_unarchived", "turn", "turn_ended", "turn_queued", "turn_started", "turns_rolled_back", "usage_reported", "version_pinned"]
    AGENT_ACTIVITY_FIELD_NUMBER: _ClassVar[int]
    AGENT_CLOSED_FIELD_NUMBER: _ClassVar[int]
    AGENT_REOPENED_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_COMPACTED_FIELD_NUMBER: _ClassVar[int]
    FOREIGN_RECORD_FIELD_NUMBER: _ClassVar[int]
    INPUT_STEERED_FIELD_NUMBER: _ClassVar[int]
    ITEM_CHECKPOINT_FIELD_NUMBER: _ClassVar[int]
    ITEM_COMPLETED_FIELD_NUMBER: _ClassVar[int]
    ITEM_STARTED_FIELD_NUMBER: _ClassVar[int]
    MAIL_DELIVERED_FIELD_NUMBER: _ClassVar[int]
    MAIL_QUEUED_FIELD_NUMBER: _ClassVar[int]
    MAIL_RECEIVED_FIELD_NUMBER: _ClassVar[int]
    MODEL_RETRIED_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    NAME_CHANGED_FIELD_NUMBER: _ClassVar[int]
    QUEUED_TURN_CANCELLED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_UPDATED_FIELD_NUMBER: _ClassVar[int]
    THREAD_ARCHIVED_FIELD_NUMBER: _ClassVar[int]
    THREAD_CREATED_FIELD_NUMBER: _ClassVar[int]
    THREAD_UNARCHIVED_FIELD_NUMBER: _ClassVar[int]
    TURNS_ROLLED_BACK_FIELD_NUMBER: _ClassVar[int]
    TURN_ENDED_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    TURN_QUEUED_FIELD_NUMBER: _ClassVar[int]
    TURN_STARTED_FIELD_NUMBER: _ClassVar[int]
    USAGE_REPORTED_FIELD_NUMBER: _ClassVar[int]
    VERSION_PINNED_FIELD_NUMBER: _ClassVar[int]
    agent_activity: AgentActivity
    agent_closed: AgentClosed
    agent_reopened: AgentReopened
    at: int
    context_compacted: ContextCompacted
    foreign_record: ForeignRecord
    input_steered: InputSteered
    item_checkpoint: ItemCheckpoint
    item_completed: ItemCompleted
    item_started: ItemStarted
    mail_delivered: MailDelivered
    mail_queued: MailQueued
    mail_received: MailReceived
    model_retried: ModelRetried
    more: bool
    name_changed: NameChanged
    queued_turn_cancelled: QueuedTurnCancelled
    sequence: int
    settings_updated: SettingsUpdated
    thread_archived: ThreadArchived
    thread_created: ThreadCreated
    thread_unarchived: ThreadUnarchived
    turn: bytes
    turn_ended: TurnEnded
    turn_queued: TurnQueued
    turn_started: TurnStarted
    turns_rolled_back: TurnsRolledBack
    usage_reported: UsageReported
    version_pinned: VersionPinned
    def __init__(self, sequence: _Optional[int] = ..., at: _Optional[int] = ..., more: bool = ..., turn: _Optional[bytes] = ..., thread_created: _Optional[_Union[ThreadCreated, _Mapping]] = ..., settings_updated: _Optional[_Union[SettingsUpdated, _Mapping]] = ..., version_pinned: _Optional[_Union[VersionPinned, _Mapping]] = ..., name_changed: _Optional[_Union[NameChanged, _Mapping]] = ..., thread_archived: _Optional[_Union[ThreadArchived, _Mapping]] = ..., thread_unarchived: _Optional[_Union[ThreadUnarchived, _Mapping]] = ..., turn_queued: _Optional[_Union[TurnQueued, _Mapping]] = ..., queued_turn_cancelled: _Optional[_Union[QueuedTurnCancelled, _Mapping]] = ..., turn_started: _Optional[_Union[TurnStarted, _Mapping]] = ..., input_steered: _Optional[_Union[InputSteered, _Mapping]] = ..., item_started: _Optional[_Union[ItemStarted, _Mapping]] = ..., item_checkpoint: _Optional[_Union[ItemCheckpoint, _Mapping]] = ..., item_completed: _Optional[_Union[ItemCompleted, _Mapping]] = ..., model_retried: _Optional[_Union[ModelRetried, _Mapping]] = ..., usage_reported: _Optional[_Union[UsageReported, _Mapping]] = ..., turn_ended: _Optional[_Union[TurnEnded, _Mapping]] = ..., turns_rolled_back: _Optional[_Union[TurnsRolledBack, _Mapping]] = ..., context_compacted: _Optional[_Union[ContextCompacted, _Mapping]] = ..., foreign_record: _Optional[_Union[ForeignRecord, _Mapping]] = ..., mail_received: _Optional[_Union[MailReceived, _Mapping]] = ..., mail_queued: _Optional[_Union[MailQueued, _Mapping]] = ..., mail_delivered: _Optional[_Union[MailDelivered, _Mapping]] = ..., agent_activity: _Optional[_Union[AgentActivity, _Mapping]] = ..., agent_closed: _Optional[_Union[AgentClosed, _Mapping]] = ..., agent_reopened: _Optional[_Union[AgentReopened, _Mapping]] = ...) -> None: ...

class ForeignRecord(_message.Message):
    __slots__ = ["record"]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    record: _item_pb2.OpaquePart
    def __init__(self, record: _Optional[_Union[_item_pb2.OpaquePart, _Mapping]] = ...) -> None: ...

class InputSteered(_message.Message):
    __slots__ = ["input", "item"]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    input: _turn_pb2.TurnInput
    item: bytes
    def __init__(self, input: _Optional[_Union[_turn_pb2.TurnInput, _Mapping]] = ..., item: _Optional[bytes] = ...) -> None: ...

class ItemCheckpoint(_message.Message):
    __slots__ = ["item", "offset", "text"]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    item: bytes
    offset: int
    text: str
    def __init__(self, item: _Optional[bytes] = ..., offset: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class ItemCompleted(_message.Message):
    __slots__ = ["item"]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    item: _item_pb2.Item
    def __init__(self, item: _Optional[_Union[_item_pb2.Item, _Mapping]] = ...) -> None: ...

class ItemDelta(_message.Message):
    __slots__ = ["item", "offset", "text", "turn"]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    item: bytes
    offset: int
    text: str
    turn: bytes
    def __init__(self, turn: _Optional[bytes] = ..., item: _Optional[bytes] = ..., offset: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class ItemSnapshot(_message.Message):
    __slots__ = ["item", "text", "turn"]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    item: bytes
    text: str
    turn: bytes
    def __init__(self, turn: _Optional[bytes] = ..., item: _Optional[bytes] = ..., text: _Optional[str] = ...) -> None: ...

class ItemStarted(_message.Message):
    __slots__ = ["item"]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    item: _item_pb2.Item
    def __init__(self, item: _Optional[_Union[_item_pb2.Item, _Mapping]] = ...) -> None: ...

class Lineage(_message.Message):
    __slots__ = ["agent_nickname", "agent_path", "agent_role", "depth", "forked_at", "forked_from", "origin", "parent", "root", "source"]
    AGENT_NICKNAME_FIELD_NUMBER: _ClassVar[int]
    AGENT_PATH_FIELD_NUMBER: _ClassVar[int]
    AGENT_ROLE_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    FORKED_AT_FIELD_NUMBER: _ClassVar[int]
    FORKED_FROM_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    ROOT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    agent_nickname: str
    agent_path: str
    agent_role: str
    depth: int
    forked_at: int
    forked_from: bytes
    origin: str
    parent: bytes
    root: bytes
    source: ThreadSource
    def __init__(self, source: _Optional[_Union[ThreadSource, str]] = ..., root: _Optional[bytes] = ..., parent: _Optional[bytes] = ..., forked_from: _Optional[bytes] = ..., forked_at: _Optional[int] = ..., depth: _Optional[int] = ..., agent_path: _Optional[str] = ..., agent_nickname: _Optional[str] = ..., agent_role: _Optional[str] = ..., origin: _Optional[str] = ...) -> None: ...

class Live(_message.Message):
    __slots__ = ["sequence"]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    def __init__(self, sequence: _Optional[int] = ...) -> None: ...

class MailDelivered(_message.Message):
    __slots__ = ["mail"]
    MAIL_FIELD_NUMBER: _ClassVar[int]
    mail: bytes
    def __init__(self, mail: _Optional[bytes] = ...) -> None: ...

class MailQueued(_message.Message):
    __slots__ = ["mail"]
    MAIL_FIELD_NUMBER: _ClassVar[int]
    mail: _item_pb2.AgentMail
    def __init__(self, mail: _Optional[_Union[_item_pb2.AgentMail, _Mapping]] = ...) -> None: ...

class MailReceived(_message.Message):
    __slots__ = ["mail", "replaces"]
    MAIL_FIELD_NUMBER: _ClassVar[int]
    REPLACES_FIELD_NUMBER: _ClassVar[int]
    mail: _item_pb2.AgentMail
    replaces: bytes
    def __init__(self, mail: _Optional[_Union[_item_pb2.AgentMail, _Mapping]] = ..., replaces: _Optional[bytes] = ...) -> None: ...

class ModelRetried(_message.Message):
    __slots__ = ["attempt", "error", "wait_ms"]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    attempt: int
    error: _turn_pb2.TurnError
    wait_ms: int
    def __init__(self, attempt: _Optional[int] = ..., error: _Optional[_Union[_turn_pb2.TurnError, _Mapping]] = ..., wait_ms: _Optional[int] = ...) -> None: ...

class NameChanged(_message.Message):
    __slots__ = ["name"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class Progress(_message.Message):
    __slots__ = ["sequence"]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    def __init__(self, sequence: _Optional[int] = ...) -> None: ...

class QueuedTurnCancelled(_message.Message):
    __slots__ = ["turn"]
    TURN_FIELD_NUMBER: _ClassVar[int]
    turn: bytes
    def __init__(self, turn: _Optional[bytes] = ...) -> None: ...

class SettingsUpdated(_message.Message):
    __slots__ = ["revision", "settings", "tools"]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    settings: _settings_pb2.Settings
    tools: _settings_pb2.ToolSelection
    def __init__(self, revision: _Optional[int] = ..., settings: _Optional[_Union[_settings_pb2.Settings, _Mapping]] = ..., tools: _Optional[_Union[_settings_pb2.ToolSelection, _Mapping]] = ...) -> None: ...

class StatusChanged(_message.Message):
    __slots__ = ["status", "thread"]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    status: ThreadStatus
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ..., status: _Optional[_Union[ThreadStatus, _Mapping]] = ...) -> None: ...

class Subscribed(_message.Message):
    __slots__ = ["epoch", "head", "oldest"]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    HEAD_FIELD_NUMBER: _ClassVar[int]
    OLDEST_FIELD_NUMBER: _ClassVar[int]
    epoch: int
    head: int
    oldest: int
    def __init__(self, head: _Optional[int] = ..., oldest: _Optional[int] = ..., epoch: _Optional[int] = ...) -> None: ...

class SubscriptionEvent(_message.Message):
    __slots__ = ["call", "call_ended", "delta", "event", "live", "progress", "snapshot", "status", "subscribed", "thread", "thread_archive", "thread_deleted", "thread_name", "thread_started"]
    CALL_ENDED_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    DELTA_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    LIVE_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIBED_FIELD_NUMBER: _ClassVar[int]
    THREAD_ARCHIVE_FIELD_NUMBER: _ClassVar[int]
    THREAD_DELETED_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    THREAD_NAME_FIELD_NUMBER: _ClassVar[int]
    THREAD_STARTED_FIELD_NUMBER: _ClassVar[int]
    call: _client_pb2.OpenCall
    call_ended: _client_pb2.CallEnded
    delta: ItemDelta
    event: Event
    live: Live
    progress: Progress
    snapshot: ItemSnapshot
    status: StatusChanged
    subscribed: Subscribed
    thread: bytes
    thread_archive: ThreadArchiveNotice
    thread_deleted: ThreadDeletedNotice
    thread_name: ThreadNameNotice
    thread_started: ThreadStartedNotice
    def __init__(self, subscribed: _Optional[_Union[Subscribed, _Mapping]] = ..., event: _Optional[_Union[Event, _Mapping]] = ..., delta: _Optional[_Union[ItemDelta, _Mapping]] = ..., snapshot: _Optional[_Union[ItemSnapshot, _Mapping]] = ..., live: _Optional[_Union[Live, _Mapping]] = ..., progress: _Optional[_Union[Progress, _Mapping]] = ..., status: _Optional[_Union[StatusChanged, _Mapping]] = ..., thread_started: _Optional[_Union[ThreadStartedNotice, _Mapping]] = ..., thread_deleted: _Optional[_Union[ThreadDeletedNotice, _Mapping]] = ..., thread_archive: _Optional[_Union[ThreadArchiveNotice, _Mapping]] = ..., thread_name: _Optional[_Union[ThreadNameNotice, _Mapping]] = ..., call: _Optional[_Union[_client_pb2.OpenCall, _Mapping]] = ..., call_ended: _Optional[_Union[_client_pb2.CallEnded, _Mapping]] = ..., thread: _Optional[bytes] = ...) -> None: ...

class ThreadArchiveNotice(_message.Message):
    __slots__ = ["archived", "thread"]
    ARCHIVED_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    archived: bool
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ..., archived: bool = ...) -> None: ...

class ThreadArchived(_message.Message):
    __slots__ = ["root"]
    ROOT_FIELD_NUMBER: _ClassVar[int]
    root: bytes
    def __init__(self, root: _Optional[bytes] = ...) -> None: ...

class ThreadCreated(_message.Message):
    __slots__ = ["asks_user", "baseline", "created_at", "has_history", "lineage", "name", "settings", "thread", "tools"]
    ASKS_USER_FIELD_NUMBER: _ClassVar[int]
    BASELINE_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    HAS_HISTORY_FIELD_NUMBER: _ClassVar[int]
    LINEAGE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    asks_user: bool
    baseline: _turn_pb2.TurnContext
    created_at: int
    has_history: bool
    lineage: Lineage
    name: str
    settings: _settings_pb2.Settings
    thread: bytes
    tools: _containers.RepeatedCompositeFieldContainer[_settings_pb2.ToolDefinition]
    def __init__(self, thread: _Optional[bytes] = ..., lineage: _Optional[_Union[Lineage, _Mapping]] = ..., settings: _Optional[_Union[_settings_pb2.Settings, _Mapping]] = ..., created_at: _Optional[int] = ..., name: _Optional[str] = ..., tools: _Optional[_Iterable[_Union[_settings_pb2.ToolDefinition, _Mapping]]] = ..., has_history: bool = ..., asks_user: bool = ..., baseline: _Optional[_Union[_turn_pb2.TurnContext, _Mapping]] = ...) -> None: ...

class ThreadDeletedNotice(_message.Message):
    __slots__ = ["thread"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ...) -> None: ...

class ThreadNameNotice(_message.Message):
    __slots__ = ["name", "thread"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    name: str
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ..., name: _Optional[str] = ...) -> None: ...

class ThreadStartedNotice(_message.Message):
    __slots__ = ["lineage", "thread"]
    LINEAGE_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    lineage: Lineage
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ..., lineage: _Optional[_Union[Lineage, _Mapping]] = ...) -> None: ...

class ThreadStatus(_message.Message):
    __slots__ = ["state", "waiting_on_tool", "waiting_on_user"]
    STATE_FIELD_NUMBER: _ClassVar[int]
    WAITING_ON_TOOL_FIELD_NUMBER: _ClassVar[int]
    WAITING_ON_USER_FIELD_NUMBER: _ClassVar[int]
    state: ThreadState
    waiting_on_tool: bool
    waiting_on_user: bool
    def __init__(self, state: _Optional[_Union[ThreadState, str]] = ..., waiting_on_tool: bool = ..., waiting_on_user: bool = ...) -> None: ...

class ThreadUnarchived(_message.Message):
    __slots__ = ["root"]
    ROOT_FIELD_NUMBER: _ClassVar[int]
    root: bytes
    def __init__(self, root: _Optional[bytes] = ...) -> None: ...

class TurnEnded(_message.Message):
    __slots__ = ["error", "status", "turn", "usage"]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    error: _turn_pb2.TurnError
    status: _turn_pb2.TurnStatus
    turn: bytes
    usage: _turn_pb2.TokenUsage
    def __init__(self, turn: _Optional[bytes] = ..., status: _Optional[_Union[_turn_pb2.TurnStatus, str]] = ..., error: _Optional[_Union[_turn_pb2.TurnError, _Mapping]] = ..., usage: _Optional[_Union[_turn_pb2.TokenUsage, _Mapping]] = ...) -> None: ...

class TurnQueued(_message.Message):
    __slots__ = ["turn"]
    TURN_FIELD_NUMBER: _ClassVar[int]
    turn: _turn_pb2.QueuedTurn
    def __init__(self, turn: _Optional[_Union[_turn_pb2.QueuedTurn, _Mapping]] = ...) -> None: ...

class TurnStarted(_message.Message):
    __slots__ = ["cause", "context", "ordinal", "turn"]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    ORDINAL_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    cause: _turn_pb2.TurnCause
    context: _turn_pb2.TurnContext
    ordinal: int
    turn: bytes
    def __init__(self, turn: _Optional[bytes] = ..., ordinal: _Optional[int] = ..., context: _Optional[_Union[_turn_pb2.TurnContext, _Mapping]] = ..., cause: _Optional[_Union[_turn_pb2.TurnCause, str]] = ...) -> None: ...

class TurnsRolledBack(_message.Message):
    __slots__ = ["baseline", "context_start", "count", "first_ordinal", "last_ordinal"]
    BASELINE_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_START_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    FIRST_ORDINAL_FIELD_NUMBER: _ClassVar[int]
    LAST_ORDINAL_FIELD_NUMBER: _ClassVar[int]
    baseline: _turn_pb2.TurnContext
    context_start: int
    count: int
    first_ordinal: int
    last_ordinal: int
    def __init__(self, count: _Optional[int] = ..., first_ordinal: _Optional[int] = ..., last_ordinal: _Optional[int] = ..., baseline: _Optional[_Union[_turn_pb2.TurnContext, _Mapping]] = ..., context_start: _Optional[int] = ...) -> None: ...

class UsageReported(_message.Message):
    __slots__ = ["thread_usage", "turn_usage", "usage"]
    THREAD_USAGE_FIELD_NUMBER: _ClassVar[int]
    TURN_USAGE_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    thread_usage: _turn_pb2.TokenUsage
    turn_usage: _turn_pb2.TokenUsage
    usage: _turn_pb2.TokenUsage
    def __init__(self, usage: _Optional[_Union[_turn_pb2.TokenUsage, _Mapping]] = ..., turn_usage: _Optional[_Union[_turn_pb2.TokenUsage, _Mapping]] = ..., thread_usage: _Optional[_Union[_turn_pb2.TokenUsage, _Mapping]] = ...) -> None: ...

class VersionPinned(_message.Message):
    __slots__ = ["source", "version"]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    source: _settings_pb2.VersionSource
    version: _settings_pb2.MultiAgentVersion
    def __init__(self, version: _Optional[_Union[_settings_pb2.MultiAgentVersion, str]] = ..., source: _Optional[_Union[_settings_pb2.VersionSource, str]] = ...) -> None: ...

class ThreadSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class AgentActivityKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class ThreadState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
