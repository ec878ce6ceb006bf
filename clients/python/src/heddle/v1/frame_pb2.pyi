from heddle.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

CODE_ABORTED: Code
CODE_ALREADY_EXISTS: Code
CODE_CANCELLED: Code
CODE_DATA_LOSS: Code
CODE_DEADLINE_EXCEEDED: Code
CODE_FAILED_PRECONDITION: Code
CODE_INTERNAL: Code
CODE_INVALID_ARGUMENT: Code
CODE_NOT_FOUND: Code
CODE_OUT_OF_RANGE: Code
CODE_PERMISSION_DENIED: Code
CODE_RESOURCE_EXHAUSTED: Code
CODE_UNAUTHENTICATED: Code
CODE_UNAVAILABLE: Code
CODE_UNIMPLEMENTED: Code
CODE_UNKNOWN: Code
CODE_UNSPECIFIED: Code
DESCRIPTOR: _descriptor.FileDescriptor
FRAME_KIND_CANCEL: FrameKind
FRAME_KIND_CREDIT: FrameKind
FRAME_KIND_ERROR: FrameKind
FRAME_KIND_EVENT: FrameKind
FRAME_KIND_GOAWAY: FrameKind
FRAME_KIND_HELLO: FrameKind
FRAME_KIND_PING: FrameKind
FRAME_KIND_PONG: FrameKind
FRAME_KIND_REQUEST: FrameKind
FRAME_KIND_RESPONSE: FrameKind
FRAME_KIND_UNSPECIFIED: FrameKind
METHOD_AGENT_CLOSE: Method
METHOD_AGENT_INTERRUPT: Method
METHOD_AGENT_LIST_TREE: Method
METHOD_CALL_ANSWER: Method
METHOD_CATALOG_LIST_FEATURES: Method
METHOD_CATALOG_LIST_MODELS: Method
METHOD_CATALOG_SET_FEATURE: Method
METHOD_CLIENT_CALL_TOOL: Method
METHOD_CLIENT_REQUEST_USER_INPUT: Method
METHOD_SERVER_READ_CAPTURE: Method
METHOD_SERVER_START_CAPTURE: Method
METHOD_SERVER_STATUS: Method
METHOD_SERVER_STOP_CAPTURE: Method
METHOD_SETTINGS_READ: Method
METHOD_SETTINGS_UPDATE: Method
METHOD_THREAD_ARCHIVE: Method
METHOD_THREAD_COMPACT: Method
METHOD_THREAD_DELETE: Method
METHOD_THREAD_EXPORT: Method
METHOD_THREAD_FORK: Method
METHOD_THREAD_INJECT_ITEMS: Method
METHOD_THREAD_LIST: Method
METHOD_THREAD_LIST_ITEMS: Method
METHOD_THREAD_LIST_LOADED: Method
METHOD_THREAD_LIST_TURNS: Method
METHOD_THREAD_READ: Method
METHOD_THREAD_RESUME: Method
METHOD_THREAD_ROLLBACK: Method
METHOD_THREAD_SEARCH: Method
METHOD_THREAD_SET_NAME: Method
METHOD_THREAD_START: Method
METHOD_THREAD_SUBSCRIBE: Method
METHOD_THREAD_UNARCHIVE: Method
METHOD_THREAD_UNSUBSCRIBE: Method
METHOD_TURN_CANCEL_QUEUED: Method
METHOD_TURN_INTERRUPT: Method
METHOD_TURN_LIST_QUEUE: Method
METHOD_TURN_START: Method
METHOD_TURN_STEER: Method
METHOD_UNSPECIFIED: Method
SERVING_STATUS_DRAINING: ServingStatus
SERVING_STATUS_READ_ONLY: ServingStatus
SERVING_STATUS_SERVING: ServingStatus
SERVING_STATUS_UNSPECIFIED: ServingStatus

class ClientHello(_message.Message):
    __slots__ = ["client_name", "client_version", "features", "token", "unwanted_notifications", "versions", "wanted_limits"]
    CLIENT_NAME_FIELD_NUMBER: _ClassVar[int]
    CLIENT_VERSION_FIELD_NUMBER: _ClassVar[int]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    UNWANTED_NOTIFICATIONS_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    WANTED_LIMITS_FIELD_NUMBER: _ClassVar[int]
    client_name: str
    client_version: str
    features: _containers.RepeatedScalarFieldContainer[str]
    token: str
    unwanted_notifications: _containers.RepeatedScalarFieldContainer[str]
    versions: _containers.RepeatedScalarFieldContainer[int]
    wanted_limits: ConnectionLimits
    def __init__(self, versions: _Optional[_Iterable[int]] = ..., client_name: _Optional[str] = ..., client_version: _Optional[str] = ..., token: _Optional[str] = ..., wanted_limits: _Optional[_Union[ConnectionLimits, _Mapping]] = ..., features: _Optional[_Iterable[str]] = ..., unwanted_notifications: _Optional[_Iterable[str]] = ...) -> None: ...

class ConnectionLimits(_message.Message):
    __slots__ = ["frame_bytes", "frame_ms", "glitches", "idle_ms", "nesting", "outgoing_bytes", "page_size", "queued_turns", "repeated_elements", "requests_in_flight", "subscriptions", "tenant_requests_per_second", "tenant_running_turns", "thread_events", "turn_input_bytes", "unknown_fields"]
    FRAME_BYTES_FIELD_NUMBER: _ClassVar[int]
    FRAME_MS_FIELD_NUMBER: _ClassVar[int]
    GLITCHES_FIELD_NUMBER: _ClassVar[int]
    IDLE_MS_FIELD_NUMBER: _ClassVar[int]
    NESTING_FIELD_NUMBER: _ClassVar[int]
    OUTGOING_BYTES_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    QUEUED_TURNS_FIELD_NUMBER: _ClassVar[int]
    REPEATED_ELEMENTS_FIELD_NUMBER: _ClassVar[int]
    REQUESTS_IN_FLIGHT_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIPTIONS_FIELD_NUMBER: _ClassVar[int]
    TENANT_REQUESTS_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    TENANT_RUNNING_TURNS_FIELD_NUMBER: _ClassVar[int]
    THREAD_EVENTS_FIELD_NUMBER: _ClassVar[int]
    TURN_INPUT_BYTES_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_FIELDS_FIELD_NUMBER: _ClassVar[int]
    frame_bytes: int
    frame_ms: int
    glitches: int
    idle_ms: int
    nesting: int
    outgoing_bytes: int
    page_size: int
    queued_turns: int
    repeated_elements: int
    requests_in_flight: int
    subscriptions: int
    tenant_requests_per_second: int
    tenant_running_turns: int
    thread_events: int
    turn_input_bytes: int
    unknown_fields: int
    def __init__(self, frame_bytes: _Optional[int] = ..., requests_in_flight: _Optional[int] = ..., subscriptions: _Optional[int] = ..., outgoing_bytes: _Optional[int] = ..., idle_ms: _Optional[int] = ..., frame_ms: _Optional[int] = ..., nesting: _Optional[int] = ..., repeated_elements: _Optional[int] = ..., unknown_fields: _Optional[int] = ..., turn_input_bytes: _Optional[int] = ..., page_size: _Optional[int] = ..., queued_turns: _Optional[int] = ..., thread_events: _Optional[int] = ..., tenant_requests_per_second: _Optional[int] = ..., tenant_running_turns: _Optional[int] = ..., glitches: _Optional[int] = ...) -> None: ...

class Credit(_message.Message):
    __slots__ = ["bytes"]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    bytes: int
    def __init__(self, bytes: _Optional[int] = ...) -> None: ...

class Error(_message.Message):
    __slots__ = ["code", "debug_id", "details", "message", "reason", "retry_after_ms"]
    CODE_FIELD_NUMBER: _ClassVar[int]
    DEBUG_ID_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    RETRY_AFTER_MS_FIELD_NUMBER: _ClassVar[int]
    code: Code
    debug_id: str
    details: _containers.RepeatedCompositeFieldContainer[ErrorDetail]
    message: str
    reason: str
    retry_after_ms: int
    def __init__(self, code: _Optional[_Union[Code, str]] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., retry_after_ms: _Optional[int] = ..., details: _Optional[_Iterable[_Union[ErrorDetail, _Mapping]]] = ..., debug_id: _Optional[str] = ...) -> None: ...

class ErrorDetail(_message.Message):
    __slots__ = ["name", "value"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class GoAway(_message.Message):
    __slots__ = ["error", "last_stream"]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    LAST_STREAM_FIELD_NUMBER: _ClassVar[int]
    error: Error
    last_stream: int
    def __init__(self, last_stream: _Optional[int] = ..., error: _Optional[_Union[Error, _Mapping]] = ...) -> None: ...

class Metadata(_message.Message):
    __slots__ = ["authority", "deadline_ms", "idempotency_key", "request_id", "token", "traceparent", "tracestate"]
    AUTHORITY_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    IDEMPOTENCY_KEY_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ID_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    TRACEPARENT_FIELD_NUMBER: _ClassVar[int]
    TRACESTATE_FIELD_NUMBER: _ClassVar[int]
    authority: str
    deadline_ms: int
    idempotency_key: bytes
    request_id: str
    token: str
    traceparent: str
    tracestate: str
    def __init__(self, traceparent: _Optional[str] = ..., tracestate: _Optional[str] = ..., request_id: _Optional[str] = ..., deadline_ms: _Optional[int] = ..., idempotency_key: _Optional[bytes] = ..., authority: _Optional[str] = ..., token: _Optional[str] = ...) -> None: ...

class Ping(_message.Message):
    __slots__ = ["opaque"]
    OPAQUE_FIELD_NUMBER: _ClassVar[int]
    opaque: bytes
    def __init__(self, opaque: _Optional[bytes] = ...) -> None: ...

class Pong(_message.Message):
    __slots__ = ["opaque", "status"]
    OPAQUE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    opaque: bytes
    status: ServingStatus
    def __init__(self, opaque: _Optional[bytes] = ..., status: _Optional[_Union[ServingStatus, str]] = ...) -> None: ...

class ServerHello(_message.Message):
    __slots__ = ["connection", "durability", "limits", "node", "schema_hash", "server_time", "server_version", "version"]
    CONNECTION_FIELD_NUMBER: _ClassVar[int]
    DURABILITY_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    SCHEMA_HASH_FIELD_NUMBER: _ClassVar[int]
    SERVER_TIME_FIELD_NUMBER: _ClassVar[int]
    SERVER_VERSION_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    connection: bytes
    durability: str
    limits: ConnectionLimits
    node: bytes
    schema_hash: str
    server_time: int
    server_version: str
    version: int
    def __init__(self, version: _Optional[int] = ..., node: _Optional[bytes] = ..., connection: _Optional[bytes] = ..., server_time: _Optional[int] = ..., schema_hash: _Optional[str] = ..., durability: _Optional[str] = ..., limits: _Optional[_Union[ConnectionLimits, _Mapping]] = ..., server_version: _Optional[str] = ...) -> None: ...

class FrameKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Method(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Code(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class ServingStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
