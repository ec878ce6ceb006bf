from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Answer(_message.Message):
    __slots__ = ["message"]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    message: bytes
    def __init__(self, message: _Optional[bytes] = ...) -> None: ...

class Await(_message.Message):
    __slots__ = ["step"]
    STEP_FIELD_NUMBER: _ClassVar[int]
    step: int
    def __init__(self, step: _Optional[int] = ...) -> None: ...

class Begin(_message.Message):
    __slots__ = ["name"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class Call(_message.Message):
    __slots__ = ["background", "key", "method", "request", "timeout_ms"]
    BACKGROUND_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    background: bool
    key: bytes
    method: str
    request: bytes
    timeout_ms: int
    def __init__(self, method: _Optional[str] = ..., request: _Optional[bytes] = ..., key: _Optional[bytes] = ..., timeout_ms: _Optional[int] = ..., background: bool = ...) -> None: ...

class Cancel(_message.Message):
    __slots__ = ["step"]
    STEP_FIELD_NUMBER: _ClassVar[int]
    step: int
    def __init__(self, step: _Optional[int] = ...) -> None: ...

class Close(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class Connect(_message.Message):
    __slots__ = ["backoff_ms", "close_timeout_ms", "connect_timeout_ms", "credit", "longest_backoff_ms", "lost_after_ms", "ping_after_ms", "retries", "timeout_ms", "token", "token_fails", "tokens", "url"]
    BACKOFF_MS_FIELD_NUMBER: _ClassVar[int]
    CLOSE_TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    CONNECT_TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    CREDIT_FIELD_NUMBER: _ClassVar[int]
    LONGEST_BACKOFF_MS_FIELD_NUMBER: _ClassVar[int]
    LOST_AFTER_MS_FIELD_NUMBER: _ClassVar[int]
    PING_AFTER_MS_FIELD_NUMBER: _ClassVar[int]
    RETRIES_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FAILS_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    backoff_ms: int
    close_timeout_ms: int
    connect_timeout_ms: int
    credit: int
    longest_backoff_ms: int
    lost_after_ms: int
    ping_after_ms: int
    retries: int
    timeout_ms: int
    token: str
    token_fails: bool
    tokens: _containers.RepeatedScalarFieldContainer[str]
    url: str
    def __init__(self, url: _Optional[str] = ..., token: _Optional[str] = ..., tokens: _Optional[_Iterable[str]] = ..., token_fails: bool = ..., timeout_ms: _Optional[int] = ..., retries: _Optional[int] = ..., backoff_ms: _Optional[int] = ..., longest_backoff_ms: _Optional[int] = ..., connect_timeout_ms: _Optional[int] = ..., credit: _Optional[int] = ..., ping_after_ms: _Optional[int] = ..., lost_after_ms: _Optional[int] = ..., close_timeout_ms: _Optional[int] = ...) -> None: ...

class Counts(_message.Message):
    __slots__ = ["begun", "cancelled"]
    class BegunEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    class CancelledEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: int
        def __init__(self, key: _Optional[str] = ..., value: _Optional[int] = ...) -> None: ...
    BEGUN_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_FIELD_NUMBER: _ClassVar[int]
    begun: _containers.ScalarMap[str, int]
    cancelled: _containers.ScalarMap[str, int]
    def __init__(self, begun: _Optional[_Mapping[str, int]] = ..., cancelled: _Optional[_Mapping[str, int]] = ...) -> None: ...

class Done(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class Ended(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class Event(_message.Message):
    __slots__ = ["message"]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    message: bytes
    def __init__(self, message: _Optional[bytes] = ...) -> None: ...

class Failed(_message.Message):
    __slots__ = ["attempts", "code", "debug_id", "details", "kind", "may_have_happened", "message", "reason"]
    class DetailsEntry(_message.Message):
        __slots__ = ["key", "value"]
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ATTEMPTS_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    DEBUG_ID_FIELD_NUMBER: _ClassVar[int]
    DETAILS_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    MAY_HAVE_HAPPENED_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    attempts: int
    code: str
    debug_id: str
    details: _containers.ScalarMap[str, str]
    kind: str
    may_have_happened: bool
    message: str
    reason: str
    def __init__(self, kind: _Optional[str] = ..., code: _Optional[str] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., details: _Optional[_Mapping[str, str]] = ..., debug_id: _Optional[str] = ..., attempts: _Optional[int] = ..., may_have_happened: bool = ...) -> None: ...

class Heard(_message.Message):
    __slots__ = ["hooks", "text"]
    HOOKS_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    hooks: _containers.RepeatedScalarFieldContainer[str]
    text: str
    def __init__(self, hooks: _Optional[_Iterable[str]] = ..., text: _Optional[str] = ...) -> None: ...

class Hooks(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class Items(_message.Message):
    __slots__ = ["items"]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, items: _Optional[_Iterable[bytes]] = ...) -> None: ...

class LeftOut(_message.Message):
    __slots__ = ["why"]
    WHY_FIELD_NUMBER: _ClassVar[int]
    why: str
    def __init__(self, why: _Optional[str] = ...) -> None: ...

class Next(_message.Message):
    __slots__ = ["name", "timeout_ms"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_MS_FIELD_NUMBER: _ClassVar[int]
    name: str
    timeout_ms: int
    def __init__(self, name: _Optional[str] = ..., timeout_ms: _Optional[int] = ...) -> None: ...

class Nothing(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class Pages(_message.Message):
    __slots__ = ["method", "most", "request"]
    METHOD_FIELD_NUMBER: _ClassVar[int]
    MOST_FIELD_NUMBER: _ClassVar[int]
    REQUEST_FIELD_NUMBER: _ClassVar[int]
    method: str
    most: int
    request: bytes
    def __init__(self, method: _Optional[str] = ..., request: _Optional[bytes] = ..., most: _Optional[int] = ...) -> None: ...

class Report(_message.Message):
    __slots__ = ["answer", "counts", "done", "ended", "event", "failed", "heard", "id", "items", "left_out", "nothing", "turn"]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    DONE_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    FAILED_FIELD_NUMBER: _ClassVar[int]
    HEARD_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    NOTHING_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    answer: Answer
    counts: Counts
    done: Done
    ended: Ended
    event: Event
    failed: Failed
    heard: Heard
    id: int
    items: Items
    left_out: LeftOut
    nothing: Nothing
    turn: TurnEnd
    def __init__(self, id: _Optional[int] = ..., done: _Optional[_Union[Done, _Mapping]] = ..., answer: _Optional[_Union[Answer, _Mapping]] = ..., failed: _Optional[_Union[Failed, _Mapping]] = ..., event: _Optional[_Union[Event, _Mapping]] = ..., ended: _Optional[_Union[Ended, _Mapping]] = ..., nothing: _Optional[_Union[Nothing, _Mapping]] = ..., turn: _Optional[_Union[TurnEnd, _Mapping]] = ..., items: _Optional[_Union[Items, _Mapping]] = ..., counts: _Optional[_Union[Counts, _Mapping]] = ..., heard: _Optional[_Union[Heard, _Mapping]] = ..., left_out: _Optional[_Union[LeftOut, _Mapping]] = ...) -> None: ...

class Step(_message.Message):
    __slots__ = ["begin", "call", "cancel", "close", "connect", "hooks", "id", "next", "pages", "subscribe", "tool", "tool_runs", "turn", "unsubscribe", "vector"]
    AWAIT_FIELD_NUMBER: _ClassVar[int]
    BEGIN_FIELD_NUMBER: _ClassVar[int]
    CALL_FIELD_NUMBER: _ClassVar[int]
    CANCEL_FIELD_NUMBER: _ClassVar[int]
    CLOSE_FIELD_NUMBER: _ClassVar[int]
    CONNECT_FIELD_NUMBER: _ClassVar[int]
    HOOKS_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    PAGES_FIELD_NUMBER: _ClassVar[int]
    SUBSCRIBE_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    TOOL_RUNS_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    UNSUBSCRIBE_FIELD_NUMBER: _ClassVar[int]
    VECTOR_FIELD_NUMBER: _ClassVar[int]
    begin: Begin
    call: Call
    cancel: Cancel
    close: Close
    connect: Connect
    hooks: Hooks
    id: int
    next: Next
    pages: Pages
    subscribe: Subscribe
    tool: Tool
    tool_runs: ToolRuns
    turn: Turn
    unsubscribe: Unsubscribe
    vector: Vector
    def __init__(self, id: _Optional[int] = ..., begin: _Optional[_Union[Begin, _Mapping]] = ..., connect: _Optional[_Union[Connect, _Mapping]] = ..., call: _Optional[_Union[Call, _Mapping]] = ..., cancel: _Optional[_Union[Cancel, _Mapping]] = ..., subscribe: _Optional[_Union[Subscribe, _Mapping]] = ..., next: _Optional[_Union[Next, _Mapping]] = ..., unsubscribe: _Optional[_Union[Unsubscribe, _Mapping]] = ..., turn: _Optional[_Union[Turn, _Mapping]] = ..., pages: _Optional[_Union[Pages, _Mapping]] = ..., tool: _Optional[_Union[Tool, _Mapping]] = ..., tool_runs: _Optional[_Union[ToolRuns, _Mapping]] = ..., hooks: _Optional[_Union[Hooks, _Mapping]] = ..., close: _Optional[_Union[Close, _Mapping]] = ..., vector: _Optional[_Union[Vector, _Mapping]] = ..., **kwargs) -> None: ...

class Subscribe(_message.Message):
    __slots__ = ["after", "credit", "epoch", "kinds", "name", "thread", "tree"]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    CREDIT_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TREE_FIELD_NUMBER: _ClassVar[int]
    after: int
    credit: int
    epoch: int
    kinds: _containers.RepeatedScalarFieldContainer[int]
    name: str
    thread: bytes
    tree: bool
    def __init__(self, name: _Optional[str] = ..., thread: _Optional[bytes] = ..., after: _Optional[int] = ..., epoch: _Optional[int] = ..., tree: bool = ..., kinds: _Optional[_Iterable[int]] = ..., credit: _Optional[int] = ...) -> None: ...

class Tool(_message.Message):
    __slots__ = ["answer", "fail", "large", "name", "question", "wait_ms"]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    FAIL_FIELD_NUMBER: _ClassVar[int]
    LARGE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    WAIT_MS_FIELD_NUMBER: _ClassVar[int]
    answer: str
    fail: str
    large: int
    name: str
    question: bool
    wait_ms: int
    def __init__(self, name: _Optional[str] = ..., answer: _Optional[str] = ..., fail: _Optional[str] = ..., wait_ms: _Optional[int] = ..., large: _Optional[int] = ..., question: bool = ...) -> None: ...

class ToolRuns(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class Turn(_message.Message):
    __slots__ = ["background", "text", "thread"]
    BACKGROUND_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    background: bool
    text: str
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ..., text: _Optional[str] = ..., background: bool = ...) -> None: ...

class TurnEnd(_message.Message):
    __slots__ = ["output_tokens", "pieces", "text", "turn"]
    OUTPUT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    PIECES_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    output_tokens: int
    pieces: int
    text: str
    turn: bytes
    def __init__(self, text: _Optional[str] = ..., turn: _Optional[bytes] = ..., output_tokens: _Optional[int] = ..., pieces: _Optional[int] = ...) -> None: ...

class Unsubscribe(_message.Message):
    __slots__ = ["name"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class Vector(_message.Message):
    __slots__ = ["bytes", "message"]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    bytes: bytes
    message: str
    def __init__(self, message: _Optional[str] = ..., bytes: _Optional[bytes] = ...) -> None: ...
