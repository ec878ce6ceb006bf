from heddle.v1 import item_pb2 as _item_pb2
from heddle.v1 import options_pb2 as _options_pb2
from heddle.v1 import settings_pb2 as _settings_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
TURN_CAUSE_COMPACTION: TurnCause
TURN_CAUSE_MAIL: TurnCause
TURN_CAUSE_UNSPECIFIED: TurnCause
TURN_STATUS_COMPLETED: TurnStatus
TURN_STATUS_FAILED: TurnStatus
TURN_STATUS_INTERRUPTED: TurnStatus
TURN_STATUS_QUEUED: TurnStatus
TURN_STATUS_RUNNING: TurnStatus
TURN_STATUS_UNSPECIFIED: TurnStatus
WHEN_BUSY_QUEUE: WhenBusy
WHEN_BUSY_REFUSE: WhenBusy
WHEN_BUSY_STEER: WhenBusy
WHEN_BUSY_UNSPECIFIED: WhenBusy

class CancelQueuedTurnRequest(_message.Message):
    __slots__ = ["thread", "turn"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    turn: bytes
    def __init__(self, thread: _Optional[bytes] = ..., turn: _Optional[bytes] = ...) -> None: ...

class CancelQueuedTurnResponse(_message.Message):
    __slots__ = ["already", "replayed", "sequence"]
    ALREADY_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    already: bool
    replayed: bool
    sequence: int
    def __init__(self, sequence: _Optional[int] = ..., already: bool = ..., replayed: bool = ...) -> None: ...

class InterruptTurnRequest(_message.Message):
    __slots__ = ["thread", "turn"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    turn: bytes
    def __init__(self, thread: _Optional[bytes] = ..., turn: _Optional[bytes] = ...) -> None: ...

class InterruptTurnResponse(_message.Message):
    __slots__ = ["already", "replayed", "sequence"]
    ALREADY_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    already: bool
    replayed: bool
    sequence: int
    def __init__(self, sequence: _Optional[int] = ..., already: bool = ..., replayed: bool = ...) -> None: ...

class ListQueueRequest(_message.Message):
    __slots__ = ["thread"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ...) -> None: ...

class ListQueueResponse(_message.Message):
    __slots__ = ["running", "turns"]
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    running: bytes
    turns: _containers.RepeatedCompositeFieldContainer[QueuedTurn]
    def __init__(self, turns: _Optional[_Iterable[_Union[QueuedTurn, _Mapping]]] = ..., running: _Optional[bytes] = ...) -> None: ...

class QueuedTurn(_message.Message):
    __slots__ = ["id", "input", "output_schema", "queued_at", "settings"]
    ID_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    QUEUED_AT_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    id: bytes
    input: TurnInput
    output_schema: str
    queued_at: int
    settings: _settings_pb2.SettingsChange
    def __init__(self, id: _Optional[bytes] = ..., input: _Optional[_Union[TurnInput, _Mapping]] = ..., settings: _Optional[_Union[_settings_pb2.SettingsChange, _Mapping]] = ..., queued_at: _Optional[int] = ..., output_schema: _Optional[str] = ...) -> None: ...

class StartTurnRequest(_message.Message):
    __slots__ = ["input", "output_schema", "settings", "thread", "when_busy"]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    WHEN_BUSY_FIELD_NUMBER: _ClassVar[int]
    input: TurnInput
    output_schema: str
    settings: _settings_pb2.SettingsChange
    thread: bytes
    when_busy: WhenBusy
    def __init__(self, thread: _Optional[bytes] = ..., input: _Optional[_Union[TurnInput, _Mapping]] = ..., settings: _Optional[_Union[_settings_pb2.SettingsChange, _Mapping]] = ..., when_busy: _Optional[_Union[WhenBusy, str]] = ..., output_schema: _Optional[str] = ...) -> None: ...

class StartTurnResponse(_message.Message):
    __slots__ = ["place", "replayed", "sequence", "status", "steered", "turn"]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    STEERED_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    place: int
    replayed: bool
    sequence: int
    status: TurnStatus
    steered: bool
    turn: bytes
    def __init__(self, sequence: _Optional[int] = ..., turn: _Optional[bytes] = ..., status: _Optional[_Union[TurnStatus, str]] = ..., place: _Optional[int] = ..., steered: bool = ..., replayed: bool = ...) -> None: ...

class SteerTurnRequest(_message.Message):
    __slots__ = ["input", "thread", "turn"]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    input: TurnInput
    thread: bytes
    turn: bytes
    def __init__(self, thread: _Optional[bytes] = ..., turn: _Optional[bytes] = ..., input: _Optional[_Union[TurnInput, _Mapping]] = ...) -> None: ...

class SteerTurnResponse(_message.Message):
    __slots__ = ["replayed", "sequence", "turn"]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    replayed: bool
    sequence: int
    turn: bytes
    def __init__(self, sequence: _Optional[int] = ..., turn: _Optional[bytes] = ..., replayed: bool = ...) -> None: ...

class TokenUsage(_message.Message):
    __slots__ = ["cached_input_tokens", "input_tokens", "output_tokens", "reasoning_output_tokens"]
    CACHED_INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    INPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    REASONING_OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    cached_input_tokens: int
    input_tokens: int
    output_tokens: int
    reasoning_output_tokens: int
    def __init__(self, input_tokens: _Optional[int] = ..., cached_input_tokens: _Optional[int] = ..., output_tokens: _Optional[int] = ..., reasoning_output_tokens: _Optional[int] = ...) -> None: ...

class Turn(_message.Message):
    __slots__ = ["cause", "context", "ended_at", "error", "first_sequence", "id", "last_sequence", "ordinal", "started_at", "status", "usage"]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    ENDED_AT_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    FIRST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    LAST_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    ORDINAL_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    cause: TurnCause
    context: TurnContext
    ended_at: int
    error: TurnError
    first_sequence: int
    id: bytes
    last_sequence: int
    ordinal: int
    started_at: int
    status: TurnStatus
    usage: TokenUsage
    def __init__(self, id: _Optional[bytes] = ..., status: _Optional[_Union[TurnStatus, str]] = ..., ordinal: _Optional[int] = ..., started_at: _Optional[int] = ..., ended_at: _Optional[int] = ..., usage: _Optional[_Union[TokenUsage, _Mapping]] = ..., error: _Optional[_Union[TurnError, _Mapping]] = ..., context: _Optional[_Union[TurnContext, _Mapping]] = ..., first_sequence: _Optional[int] = ..., last_sequence: _Optional[int] = ..., cause: _Optional[_Union[TurnCause, str]] = ...) -> None: ...

class TurnContext(_message.Message):
    __slots__ = ["effective_mode", "output_schema", "revision", "settings", "tool_changes", "version"]
    EFFECTIVE_MODE_FIELD_NUMBER: _ClassVar[int]
    OUTPUT_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    TOOL_CHANGES_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    effective_mode: _settings_pb2.MultiAgentMode
    output_schema: str
    revision: int
    settings: _settings_pb2.Settings
    tool_changes: int
    version: _settings_pb2.MultiAgentVersion
    def __init__(self, settings: _Optional[_Union[_settings_pb2.Settings, _Mapping]] = ..., revision: _Optional[int] = ..., version: _Optional[_Union[_settings_pb2.MultiAgentVersion, str]] = ..., effective_mode: _Optional[_Union[_settings_pb2.MultiAgentMode, str]] = ..., output_schema: _Optional[str] = ..., tool_changes: _Optional[int] = ...) -> None: ...

class TurnError(_message.Message):
    __slots__ = ["message", "reason"]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    message: str
    reason: str
    def __init__(self, reason: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class TurnInput(_message.Message):
    __slots__ = ["client_id", "content"]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    client_id: str
    content: _containers.RepeatedCompositeFieldContainer[_item_pb2.ContentPart]
    def __init__(self, content: _Optional[_Iterable[_Union[_item_pb2.ContentPart, _Mapping]]] = ..., client_id: _Optional[str] = ...) -> None: ...

class TurnStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class TurnCause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class WhenBusy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
