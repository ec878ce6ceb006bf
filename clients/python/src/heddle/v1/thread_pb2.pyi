from heddle.v1 import event_pb2 as _event_pb2
from heddle.v1 import item_pb2 as _item_pb2
from heddle.v1 import options_pb2 as _options_pb2
from heddle.v1 import settings_pb2 as _settings_pb2
from heddle.v1 import turn_pb2 as _turn_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

CALL_KIND_CALL_TOOL: CallKind
CALL_KIND_REQUEST_USER_INPUT: CallKind
CALL_KIND_UNSPECIFIED: CallKind
DESCRIPTOR: _descriptor.FileDescriptor
LIST_ORDER_NEWEST_FIRST: ListOrder
LIST_ORDER_OLDEST_FIRST: ListOrder
LIST_ORDER_UNSPECIFIED: ListOrder
SUBSCRIPTION_KIND_DELTAS: SubscriptionKind
SUBSCRIPTION_KIND_EVENTS: SubscriptionKind
SUBSCRIPTION_KIND_STATUS: SubscriptionKind
SUBSCRIPTION_KIND_UNSPECIFIED: SubscriptionKind

class AgentThread(_message.Message):
    __slots__ = ["archived", "asks_user", "closed", "created_at", "ephemeral", "epoch", "id", "lineage", "name", "preview", "queued_turns", "revision", "running_turn", "sequence", "settings", "status", "tools", "turn_count", "updated_at", "usage", "version", "version_source"]
    ARCHIVED_FIELD_NUMBER: _ClassVar[int]
    ASKS_USER_FIELD_NUMBER: _ClassVar[int]
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    CREATED_AT_FIELD_NUMBER: _ClassVar[int]
    EPHEMERAL_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    LINEAGE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PREVIEW_FIELD_NUMBER: _ClassVar[int]
    QUEUED_TURNS_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    RUNNING_TURN_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    TURN_COUNT_FIELD_NUMBER: _ClassVar[int]
    UPDATED_AT_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    VERSION_SOURCE_FIELD_NUMBER: _ClassVar[int]
    archived: bool
    asks_user: bool
    closed: bool
    created_at: int
    ephemeral: bool
    epoch: int
    id: bytes
    lineage: _event_pb2.Lineage
    name: str
    preview: str
    queued_turns: int
    revision: int
    running_turn: bytes
    sequence: int
    settings: _settings_pb2.Settings
    status: _event_pb2.ThreadStatus
    tools: _containers.RepeatedScalarFieldContainer[str]
    turn_count: int
    updated_at: int
    usage: _turn_pb2.TokenUsage
    version: _settings_pb2.MultiAgentVersion
    version_source: _settings_pb2.VersionSource
    def __init__(self, id: _Optional[bytes] = ..., lineage: _Optional[_Union[_event_pb2.Lineage, _Mapping]] = ..., name: _Optional[str] = ..., preview: _Optional[str] = ..., status: _Optional[_Union[_event_pb2.ThreadStatus, _Mapping]] = ..., ephemeral: bool = ..., archived: bool = ..., created_at: _Optional[int] = ..., updated_at: _Optional[int] = ..., settings: _Optional[_Union[_settings_pb2.Settings, _Mapping]] = ..., revision: _Optional[int] = ..., version: _Optional[_Union[_settings_pb2.MultiAgentVersion, str]] = ..., version_source: _Optional[_Union[_settings_pb2.VersionSource, str]] = ..., sequence: _Optional[int] = ..., epoch: _Optional[int] = ..., turn_count: _Optional[int] = ..., usage: _Optional[_Union[_turn_pb2.TokenUsage, _Mapping]] = ..., running_turn: _Optional[bytes] = ..., queued_turns: _Optional[int] = ..., asks_user: bool = ..., closed: bool = ..., tools: _Optional[_Iterable[str]] = ...) -> None: ...

class ArchiveThreadRequest(_message.Message):
    __slots__ = ["thread"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ...) -> None: ...

class ArchiveThreadResponse(_message.Message):
    __slots__ = ["replayed", "sequence"]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    replayed: bool
    sequence: int
    def __init__(self, sequence: _Optional[int] = ..., replayed: bool = ...) -> None: ...

class CompactThreadRequest(_message.Message):
    __slots__ = ["thread"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ...) -> None: ...

class CompactThreadResponse(_message.Message):
    __slots__ = ["replayed", "sequence", "turn"]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    replayed: bool
    sequence: int
    turn: bytes
    def __init__(self, sequence: _Optional[int] = ..., turn: _Optional[bytes] = ..., replayed: bool = ...) -> None: ...

class DeleteThreadRequest(_message.Message):
    __slots__ = ["thread"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ...) -> None: ...

class DeleteThreadResponse(_message.Message):
    __slots__ = ["deleted", "replayed"]
    DELETED_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    deleted: int
    replayed: bool
    def __init__(self, deleted: _Optional[int] = ..., replayed: bool = ...) -> None: ...

class ExportThreadRequest(_message.Message):
    __slots__ = ["after", "page_size", "thread"]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    after: int
    page_size: int
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ..., after: _Optional[int] = ..., page_size: _Optional[int] = ...) -> None: ...

class ExportThreadResponse(_message.Message):
    __slots__ = ["events", "more"]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    events: _containers.RepeatedCompositeFieldContainer[_event_pb2.Event]
    more: bool
    def __init__(self, events: _Optional[_Iterable[_Union[_event_pb2.Event, _Mapping]]] = ..., more: bool = ...) -> None: ...

class ForkThreadRequest(_message.Message):
    __slots__ = ["last_turn", "name", "settings", "subscribe", "thread", "tools", "tree"]
    LAST_TURN_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIBE_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    TREE_FIELD_NUMBER: _ClassVar[int]
    last_turn: bytes
    name: str
    settings: _settings_pb2.SettingsChange
    subscribe: bool
    thread: bytes
    tools: _settings_pb2.ToolSelection
    tree: bool
    def __init__(self, thread: _Optional[bytes] = ..., last_turn: _Optional[bytes] = ..., settings: _Optional[_Union[_settings_pb2.SettingsChange, _Mapping]] = ..., name: _Optional[str] = ..., subscribe: bool = ..., tree: bool = ..., tools: _Optional[_Union[_settings_pb2.ToolSelection, _Mapping]] = ...) -> None: ...

class ForkThreadResponse(_message.Message):
    __slots__ = ["replayed", "sequence", "thread"]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    replayed: bool
    sequence: int
    thread: AgentThread
    def __init__(self, sequence: _Optional[int] = ..., thread: _Optional[_Union[AgentThread, _Mapping]] = ..., replayed: bool = ...) -> None: ...

class InjectItemsRequest(_message.Message):
    __slots__ = ["items", "thread"]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[_item_pb2.Item]
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ..., items: _Optional[_Iterable[_Union[_item_pb2.Item, _Mapping]]] = ...) -> None: ...

class InjectItemsResponse(_message.Message):
    __slots__ = ["replayed", "sequence"]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    replayed: bool
    sequence: int
    def __init__(self, sequence: _Optional[int] = ..., replayed: bool = ...) -> None: ...

class ListItemsRequest(_message.Message):
    __slots__ = ["cursor", "order", "page_size", "thread", "turn"]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    cursor: str
    order: ListOrder
    page_size: int
    thread: bytes
    turn: bytes
    def __init__(self, thread: _Optional[bytes] = ..., turn: _Optional[bytes] = ..., cursor: _Optional[str] = ..., page_size: _Optional[int] = ..., order: _Optional[_Union[ListOrder, str]] = ...) -> None: ...

class ListItemsResponse(_message.Message):
    __slots__ = ["items", "next_cursor"]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[ListedItem]
    next_cursor: str
    def __init__(self, items: _Optional[_Iterable[_Union[ListedItem, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class ListLoadedThreadsRequest(_message.Message):
    __slots__ = ["cursor", "page_size"]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    cursor: str
    page_size: int
    def __init__(self, cursor: _Optional[str] = ..., page_size: _Optional[int] = ...) -> None: ...

class ListLoadedThreadsResponse(_message.Message):
    __slots__ = ["next_cursor", "threads"]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    next_cursor: str
    threads: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, threads: _Optional[_Iterable[bytes]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class ListThreadsRequest(_message.Message):
    __slots__ = ["archived", "created_after", "created_before", "cursor", "forked_from", "model_provider", "order", "page_size", "parent", "source", "text", "working_folder"]
    ARCHIVED_FIELD_NUMBER: _ClassVar[int]
    CREATED_AFTER_FIELD_NUMBER: _ClassVar[int]
    CREATED_BEFORE_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    FORKED_FROM_FIELD_NUMBER: _ClassVar[int]
    MODEL_PROVIDER_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    WORKING_FOLDER_FIELD_NUMBER: _ClassVar[int]
    archived: bool
    created_after: int
    created_before: int
    cursor: str
    forked_from: bytes
    model_provider: str
    order: ListOrder
    page_size: int
    parent: bytes
    source: _event_pb2.ThreadSource
    text: str
    working_folder: str
    def __init__(self, cursor: _Optional[str] = ..., page_size: _Optional[int] = ..., order: _Optional[_Union[ListOrder, str]] = ..., archived: bool = ..., source: _Optional[_Union[_event_pb2.ThreadSource, str]] = ..., parent: _Optional[bytes] = ..., forked_from: _Optional[bytes] = ..., model_provider: _Optional[str] = ..., text: _Optional[str] = ..., working_folder: _Optional[str] = ..., created_after: _Optional[int] = ..., created_before: _Optional[int] = ...) -> None: ...

class ListThreadsResponse(_message.Message):
    __slots__ = ["next_cursor", "threads"]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    THREADS_FIELD_NUMBER: _ClassVar[int]
    next_cursor: str
    threads: _containers.RepeatedCompositeFieldContainer[AgentThread]
    def __init__(self, threads: _Optional[_Iterable[_Union[AgentThread, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class ListTurnsRequest(_message.Message):
    __slots__ = ["cursor", "order", "page_size", "thread"]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    cursor: str
    order: ListOrder
    page_size: int
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ..., cursor: _Optional[str] = ..., page_size: _Optional[int] = ..., order: _Optional[_Union[ListOrder, str]] = ...) -> None: ...

class ListTurnsResponse(_message.Message):
    __slots__ = ["next_cursor", "turns"]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    next_cursor: str
    turns: _containers.RepeatedCompositeFieldContainer[_turn_pb2.Turn]
    def __init__(self, turns: _Optional[_Iterable[_Union[_turn_pb2.Turn, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class ListedItem(_message.Message):
    __slots__ = ["at", "item", "sequence", "turn"]
    AT_FIELD_NUMBER: _ClassVar[int]
    ITEM_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    at: int
    item: _item_pb2.Item
    sequence: int
    turn: bytes
    def __init__(self, item: _Optional[_Union[_item_pb2.Item, _Mapping]] = ..., turn: _Optional[bytes] = ..., sequence: _Optional[int] = ..., at: _Optional[int] = ...) -> None: ...

class ReadThreadRequest(_message.Message):
    __slots__ = ["thread"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ...) -> None: ...

class ReadThreadResponse(_message.Message):
    __slots__ = ["thread"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    thread: AgentThread
    def __init__(self, thread: _Optional[_Union[AgentThread, _Mapping]] = ...) -> None: ...

class ResumeThreadRequest(_message.Message):
    __slots__ = ["subscribe", "thread", "tools", "tree"]
    SUBSCRIBE_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    TREE_FIELD_NUMBER: _ClassVar[int]
    subscribe: bool
    thread: bytes
    tools: _settings_pb2.ToolSelection
    tree: bool
    def __init__(self, thread: _Optional[bytes] = ..., subscribe: bool = ..., tree: bool = ..., tools: _Optional[_Union[_settings_pb2.ToolSelection, _Mapping]] = ...) -> None: ...

class ResumeThreadResponse(_message.Message):
    __slots__ = ["replayed", "sequence", "thread"]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    replayed: bool
    sequence: int
    thread: AgentThread
    def __init__(self, sequence: _Optional[int] = ..., thread: _Optional[_Union[AgentThread, _Mapping]] = ..., replayed: bool = ...) -> None: ...

class RollbackThreadRequest(_message.Message):
    __slots__ = ["thread", "turns"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    turns: int
    def __init__(self, thread: _Optional[bytes] = ..., turns: _Optional[int] = ...) -> None: ...

class RollbackThreadResponse(_message.Message):
    __slots__ = ["replayed", "rolled_back", "sequence"]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    ROLLED_BACK_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    replayed: bool
    rolled_back: int
    sequence: int
    def __init__(self, sequence: _Optional[int] = ..., rolled_back: _Optional[int] = ..., replayed: bool = ...) -> None: ...

class SearchHit(_message.Message):
    __slots__ = ["sequence", "snippet", "thread"]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    SNIPPET_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    snippet: str
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ..., sequence: _Optional[int] = ..., snippet: _Optional[str] = ...) -> None: ...

class SearchThreadsRequest(_message.Message):
    __slots__ = ["cursor", "page_size", "text"]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    cursor: str
    page_size: int
    text: str
    def __init__(self, text: _Optional[str] = ..., cursor: _Optional[str] = ..., page_size: _Optional[int] = ...) -> None: ...

class SearchThreadsResponse(_message.Message):
    __slots__ = ["hits", "next_cursor"]
    HITS_FIELD_NUMBER: _ClassVar[int]
    NEXT_CURSOR_FIELD_NUMBER: _ClassVar[int]
    hits: _containers.RepeatedCompositeFieldContainer[SearchHit]
    next_cursor: str
    def __init__(self, hits: _Optional[_Iterable[_Union[SearchHit, _Mapping]]] = ..., next_cursor: _Optional[str] = ...) -> None: ...

class SetThreadNameRequest(_message.Message):
    __slots__ = ["name", "thread"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    name: str
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ..., name: _Optional[str] = ...) -> None: ...

class SetThreadNameResponse(_message.Message):
    __slots__ = ["replayed", "sequence"]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    replayed: bool
    sequence: int
    def __init__(self, sequence: _Optional[int] = ..., replayed: bool = ...) -> None: ...

class StartThreadRequest(_message.Message):
    __slots__ = ["asks_user", "ephemeral", "name", "settings", "subscribe", "tools", "tree"]
    ASKS_USER_FIELD_NUMBER: _ClassVar[int]
    EPHEMERAL_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIBE_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    TREE_FIELD_NUMBER: _ClassVar[int]
    asks_user: bool
    ephemeral: bool
    name: str
    settings: _settings_pb2.SettingsChange
    subscribe: bool
    tools: _containers.RepeatedCompositeFieldContainer[_settings_pb2.ToolDefinition]
    tree: bool
    def __init__(self, settings: _Optional[_Union[_settings_pb2.SettingsChange, _Mapping]] = ..., name: _Optional[str] = ..., ephemeral: bool = ..., subscribe: bool = ..., tools: _Optional[_Iterable[_Union[_settings_pb2.ToolDefinition, _Mapping]]] = ..., asks_user: bool = ..., tree: bool = ...) -> None: ...

class StartThreadResponse(_message.Message):
    __slots__ = ["replayed", "sequence", "thread"]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    replayed: bool
    sequence: int
    thread: AgentThread
    def __init__(self, sequence: _Optional[int] = ..., thread: _Optional[_Union[AgentThread, _Mapping]] = ..., replayed: bool = ...) -> None: ...

class SubscribeRequest(_message.Message):
    __slots__ = ["after", "answers", "credit", "epoch", "kinds", "thread", "tree"]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    CREDIT_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TREE_FIELD_NUMBER: _ClassVar[int]
    after: int
    answers: _containers.RepeatedScalarFieldContainer[CallKind]
    credit: int
    epoch: int
    kinds: _containers.RepeatedScalarFieldContainer[SubscriptionKind]
    thread: bytes
    tree: bool
    def __init__(self, thread: _Optional[bytes] = ..., epoch: _Optional[int] = ..., after: _Optional[int] = ..., kinds: _Optional[_Iterable[_Union[SubscriptionKind, str]]] = ..., credit: _Optional[int] = ..., tree: bool = ..., answers: _Optional[_Iterable[_Union[CallKind, str]]] = ...) -> None: ...

class UnarchiveThreadRequest(_message.Message):
    __slots__ = ["thread"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ...) -> None: ...

class UnarchiveThreadResponse(_message.Message):
    __slots__ = ["replayed", "sequence"]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    replayed: bool
    sequence: int
    def __init__(self, sequence: _Optional[int] = ..., replayed: bool = ...) -> None: ...

class UnsubscribeRequest(_message.Message):
    __slots__ = ["thread"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ...) -> None: ...

class UnsubscribeResponse(_message.Message):
    __slots__ = ["was_subscribed"]
    WAS_SUBSCRIBED_FIELD_NUMBER: _ClassVar[int]
    was_subscribed: bool
    def __init__(self, was_subscribed: bool = ...) -> None: ...

class ListOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class SubscriptionKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class CallKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
