from heddle.v1 import event_pb2 as _event_pb2
from heddle.v1 import options_pb2 as _options_pb2
from heddle.v1 import settings_pb2 as _settings_pb2
from heddle.v1 import turn_pb2 as _turn_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Agent(_message.Message):
    __slots__ = ["closed", "depth", "last_task", "last_turn", "nickname", "parent", "path", "role", "status", "thread", "usage", "version", "waiting_messages"]
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    LAST_TASK_FIELD_NUMBER: _ClassVar[int]
    LAST_TURN_FIELD_NUMBER: _ClassVar[int]
    NICKNAME_FIELD_NUMBER: _ClassVar[int]
    PARENT_FIELD_NUMBER: _ClassVar[int]
    PATH_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    WAITING_MESSAGES_FIELD_NUMBER: _ClassVar[int]
    closed: bool
    depth: int
    last_task: str
    last_turn: _turn_pb2.TurnStatus
    nickname: str
    parent: bytes
    path: str
    role: str
    status: _event_pb2.ThreadStatus
    thread: bytes
    usage: _turn_pb2.TokenUsage
    version: _settings_pb2.MultiAgentVersion
    waiting_messages: int
    def __init__(self, thread: _Optional[bytes] = ..., parent: _Optional[bytes] = ..., path: _Optional[str] = ..., nickname: _Optional[str] = ..., status: _Optional[_Union[_event_pb2.ThreadStatus, _Mapping]] = ..., version: _Optional[_Union[_settings_pb2.MultiAgentVersion, str]] = ..., last_task: _Optional[str] = ..., usage: _Optional[_Union[_turn_pb2.TokenUsage, _Mapping]] = ..., depth: _Optional[int] = ..., role: _Optional[str] = ..., closed: bool = ..., last_turn: _Optional[_Union[_turn_pb2.TurnStatus, str]] = ..., waiting_messages: _Optional[int] = ...) -> None: ...

class CloseAgentRequest(_message.Message):
    __slots__ = ["thread"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ...) -> None: ...

class CloseAgentResponse(_message.Message):
    __slots__ = ["closed", "replayed"]
    CLOSED_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    closed: int
    replayed: bool
    def __init__(self, closed: _Optional[int] = ..., replayed: bool = ...) -> None: ...

class InterruptAgentRequest(_message.Message):
    __slots__ = ["thread"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ...) -> None: ...

class InterruptAgentResponse(_message.Message):
    __slots__ = ["already", "replayed", "sequence"]
    ALREADY_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    already: bool
    replayed: bool
    sequence: int
    def __init__(self, sequence: _Optional[int] = ..., already: bool = ..., replayed: bool = ...) -> None: ...

class ListTreeRequest(_message.Message):
    __slots__ = ["thread"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ...) -> None: ...

class ListTreeResponse(_message.Message):
    __slots__ = ["agents", "free_slots", "usage"]
    AGENTS_FIELD_NUMBER: _ClassVar[int]
    FREE_SLOTS_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    agents: _containers.RepeatedCompositeFieldContainer[Agent]
    free_slots: int
    usage: _turn_pb2.TokenUsage
    def __init__(self, agents: _Optional[_Iterable[_Union[Agent, _Mapping]]] = ..., free_slots: _Optional[int] = ..., usage: _Optional[_Union[_turn_pb2.TokenUsage, _Mapping]] = ...) -> None: ...
