from heddle.v1 import frame_pb2 as _frame_pb2
from heddle.v1 import item_pb2 as _item_pb2
from heddle.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class AnswerCallRequest(_message.Message):
    __slots__ = ["call_id", "input", "refused", "thread", "tool", "turn"]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    input: RequestUserInputResponse
    refused: _frame_pb2.Error
    thread: bytes
    tool: CallToolResponse
    turn: bytes
    def __init__(self, thread: _Optional[bytes] = ..., turn: _Optional[bytes] = ..., call_id: _Optional[str] = ..., tool: _Optional[_Union[CallToolResponse, _Mapping]] = ..., input: _Optional[_Union[RequestUserInputResponse, _Mapping]] = ..., refused: _Optional[_Union[_frame_pb2.Error, _Mapping]] = ...) -> None: ...

class AnswerCallResponse(_message.Message):
    __slots__ = ["counted", "replayed", "sequence"]
    COUNTED_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    counted: bool
    replayed: bool
    sequence: int
    def __init__(self, sequence: _Optional[int] = ..., counted: bool = ..., replayed: bool = ...) -> None: ...

class CallEnded(_message.Message):
    __slots__ = ["call_id", "thread", "turn"]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    thread: bytes
    turn: bytes
    def __init__(self, thread: _Optional[bytes] = ..., turn: _Optional[bytes] = ..., call_id: _Optional[str] = ...) -> None: ...

class CallToolRequest(_message.Message):
    __slots__ = ["arguments", "call_id", "deadline", "name", "thread", "turn"]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    arguments: str
    call_id: str
    deadline: int
    name: str
    thread: bytes
    turn: bytes
    def __init__(self, thread: _Optional[bytes] = ..., turn: _Optional[bytes] = ..., call_id: _Optional[str] = ..., name: _Optional[str] = ..., arguments: _Optional[str] = ..., deadline: _Optional[int] = ...) -> None: ...

class CallToolResponse(_message.Message):
    __slots__ = ["content", "success"]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    content: _containers.RepeatedCompositeFieldContainer[_item_pb2.ContentPart]
    success: bool
    def __init__(self, content: _Optional[_Iterable[_Union[_item_pb2.ContentPart, _Mapping]]] = ..., success: bool = ...) -> None: ...

class OpenCall(_message.Message):
    __slots__ = ["input", "tool"]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    TOOL_FIELD_NUMBER: _ClassVar[int]
    input: RequestUserInputRequest
    tool: CallToolRequest
    def __init__(self, tool: _Optional[_Union[CallToolRequest, _Mapping]] = ..., input: _Optional[_Union[RequestUserInputRequest, _Mapping]] = ...) -> None: ...

class RequestUserInputRequest(_message.Message):
    __slots__ = ["action_hash", "call_id", "choices", "deadline", "question", "thread", "turn"]
    ACTION_HASH_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    CHOICES_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_FIELD_NUMBER: _ClassVar[int]
    QUESTION_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    action_hash: bytes
    call_id: str
    choices: _containers.RepeatedScalarFieldContainer[str]
    deadline: int
    question: str
    thread: bytes
    turn: bytes
    def __init__(self, thread: _Optional[bytes] = ..., turn: _Optional[bytes] = ..., question: _Optional[str] = ..., choices: _Optional[_Iterable[str]] = ..., action_hash: _Optional[bytes] = ..., deadline: _Optional[int] = ..., call_id: _Optional[str] = ...) -> None: ...

class RequestUserInputResponse(_message.Message):
    __slots__ = ["action_hash", "answer"]
    ACTION_HASH_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    action_hash: bytes
    answer: str
    def __init__(self, answer: _Optional[str] = ..., action_hash: _Optional[bytes] = ...) -> None: ...
