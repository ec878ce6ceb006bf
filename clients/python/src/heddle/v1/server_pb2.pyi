from heddle.v1 import frame_pb2 as _frame_pb2
from heddle.v1 import options_pb2 as _options_pb2
from heddle.v1 import turn_pb2 as _turn_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

CAPTURE_END_BYTES: CaptureEnd
CAPTURE_END_DISK: CaptureEnd
CAPTURE_END_SHUTDOWN: CaptureEnd
CAPTURE_END_STOPPED: CaptureEnd
CAPTURE_END_TIME: CaptureEnd
CAPTURE_END_UNSPECIFIED: CaptureEnd
DESCRIPTOR: _descriptor.FileDescriptor

class CaptureState(_message.Message):
    __slots__ = ["bytes", "dropped_bytes", "dropped_frames", "elapsed_ms", "end", "file", "frames", "running"]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    DROPPED_BYTES_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FRAMES_FIELD_NUMBER: _ClassVar[int]
    ELAPSED_MS_FIELD_NUMBER: _ClassVar[int]
    END_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    bytes: int
    dropped_bytes: int
    dropped_frames: int
    elapsed_ms: int
    end: CaptureEnd
    file: str
    frames: int
    running: bool
    def __init__(self, file: _Optional[str] = ..., running: bool = ..., frames: _Optional[int] = ..., bytes: _Optional[int] = ..., dropped_frames: _Optional[int] = ..., dropped_bytes: _Optional[int] = ..., elapsed_ms: _Optional[int] = ..., end: _Optional[_Union[CaptureEnd, str]] = ...) -> None: ...

class ProviderStatus(_message.Message):
    __slots__ = ["limit", "name", "running", "waiting"]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    RUNNING_FIELD_NUMBER: _ClassVar[int]
    WAITING_FIELD_NUMBER: _ClassVar[int]
    limit: int
    name: str
    running: int
    waiting: int
    def __init__(self, name: _Optional[str] = ..., running: _Optional[int] = ..., waiting: _Optional[int] = ..., limit: _Optional[int] = ...) -> None: ...

class ReadCaptureRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ReadCaptureResponse(_message.Message):
    __slots__ = ["capture"]
    CAPTURE_FIELD_NUMBER: _ClassVar[int]
    capture: CaptureState
    def __init__(self, capture: _Optional[_Union[CaptureState, _Mapping]] = ...) -> None: ...

class ServerStatusRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ServerStatusResponse(_message.Message):
    __slots__ = ["connections", "durability", "events_written", "groups_synced", "loaded_threads", "node", "providers", "running_turns", "serving", "uptime_ms", "usage", "version"]
    CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    DURABILITY_FIELD_NUMBER: _ClassVar[int]
    EVENTS_WRITTEN_FIELD_NUMBER: _ClassVar[int]
    GROUPS_SYNCED_FIELD_NUMBER: _ClassVar[int]
    LOADED_THREADS_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    PROVIDERS_FIELD_NUMBER: _ClassVar[int]
    RUNNING_TURNS_FIELD_NUMBER: _ClassVar[int]
    SERVING_FIELD_NUMBER: _ClassVar[int]
    UPTIME_MS_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    connections: int
    durability: str
    events_written: int
    groups_synced: int
    loaded_threads: int
    node: bytes
    providers: _containers.RepeatedCompositeFieldContainer[ProviderStatus]
    running_turns: int
    serving: _frame_pb2.ServingStatus
    uptime_ms: int
    usage: _turn_pb2.TokenUsage
    version: str
    def __init__(self, serving: _Optional[_Union[_frame_pb2.ServingStatus, str]] = ..., version: _Optional[str] = ..., node: _Optional[bytes] = ..., uptime_ms: _Optional[int] = ..., connections: _Optional[int] = ..., loaded_threads: _Optional[int] = ..., running_turns: _Optional[int] = ..., events_written: _Optional[int] = ..., groups_synced: _Optional[int] = ..., durability: _Optional[str] = ..., usage: _Optional[_Union[_turn_pb2.TokenUsage, _Mapping]] = ..., providers: _Optional[_Iterable[_Union[ProviderStatus, _Mapping]]] = ...) -> None: ...

class StartCaptureRequest(_message.Message):
    __slots__ = ["max_bytes", "max_ms", "share", "tenant", "thread"]
    MAX_BYTES_FIELD_NUMBER: _ClassVar[int]
    MAX_MS_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    TENANT_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    max_bytes: int
    max_ms: int
    share: int
    tenant: str
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ..., tenant: _Optional[str] = ..., share: _Optional[int] = ..., max_bytes: _Optional[int] = ..., max_ms: _Optional[int] = ...) -> None: ...

class StartCaptureResponse(_message.Message):
    __slots__ = ["capture"]
    CAPTURE_FIELD_NUMBER: _ClassVar[int]
    capture: CaptureState
    def __init__(self, capture: _Optional[_Union[CaptureState, _Mapping]] = ...) -> None: ...

class StopCaptureRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class StopCaptureResponse(_message.Message):
    __slots__ = ["capture"]
    CAPTURE_FIELD_NUMBER: _ClassVar[int]
    capture: CaptureState
    def __init__(self, capture: _Optional[_Union[CaptureState, _Mapping]] = ...) -> None: ...

class CaptureEnd(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
