from heddle.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

AGENT_MESSAGE_KIND_FINAL_ANSWER: AgentMessageKind
AGENT_MESSAGE_KIND_MESSAGE: AgentMessageKind
AGENT_MESSAGE_KIND_NEW_TASK: AgentMessageKind
AGENT_MESSAGE_KIND_NOTIFICATION: AgentMessageKind
AGENT_MESSAGE_KIND_UNSPECIFIED: AgentMessageKind
DESCRIPTOR: _descriptor.FileDescriptor
ITEM_STATUS_COMPLETED: ItemStatus
ITEM_STATUS_FAILED: ItemStatus
ITEM_STATUS_INTERRUPTED: ItemStatus
ITEM_STATUS_UNSPECIFIED: ItemStatus
MARKER_KIND_INTERRUPTION: MarkerKind
MARKER_KIND_UNSPECIFIED: MarkerKind
PHASE_COMMENTARY: Phase
PHASE_FINAL_ANSWER: Phase
PHASE_UNSPECIFIED: Phase
ROLE_ASSISTANT: Role
ROLE_DEVELOPER: Role
ROLE_SYSTEM: Role
ROLE_UNSPECIFIED: Role
ROLE_USER: Role

class AgentMail(_message.Message):
    __slots__ = ["author", "content", "id", "kind", "recipient", "to", "trigger_turn"]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    RECIPIENT_FIELD_NUMBER: _ClassVar[int]
    TO_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_TURN_FIELD_NUMBER: _ClassVar[int]
    author: str
    content: _containers.RepeatedCompositeFieldContainer[ContentPart]
    id: bytes
    kind: AgentMessageKind
    recipient: str
    to: bytes
    trigger_turn: bool
    def __init__(self, id: _Optional[bytes] = ..., kind: _Optional[_Union[AgentMessageKind, str]] = ..., author: _Optional[str] = ..., to: _Optional[bytes] = ..., recipient: _Optional[str] = ..., content: _Optional[_Iterable[_Union[ContentPart, _Mapping]]] = ..., trigger_turn: bool = ..., **kwargs) -> None: ...

class AgentMessageItem(_message.Message):
    __slots__ = ["author", "content", "kind", "recipient", "trigger_turn"]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    RECIPIENT_FIELD_NUMBER: _ClassVar[int]
    TRIGGER_TURN_FIELD_NUMBER: _ClassVar[int]
    author: str
    content: _containers.RepeatedCompositeFieldContainer[ContentPart]
    kind: AgentMessageKind
    recipient: str
    trigger_turn: bool
    def __init__(self, author: _Optional[str] = ..., recipient: _Optional[str] = ..., content: _Optional[_Iterable[_Union[ContentPart, _Mapping]]] = ..., trigger_turn: bool = ..., kind: _Optional[_Union[AgentMessageKind, str]] = ...) -> None: ...

class CompactionItem(_message.Message):
    __slots__ = ["replacement", "summary"]
    REPLACEMENT_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    replacement: _containers.RepeatedCompositeFieldContainer[MessageItem]
    summary: str
    def __init__(self, summary: _Optional[str] = ..., replacement: _Optional[_Iterable[_Union[MessageItem, _Mapping]]] = ...) -> None: ...

class ContentPart(_message.Message):
    __slots__ = ["encrypted", "image", "opaque", "text"]
    ENCRYPTED_FIELD_NUMBER: _ClassVar[int]
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    OPAQUE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    encrypted: str
    image: ImagePart
    opaque: OpaquePart
    text: str
    def __init__(self, text: _Optional[str] = ..., image: _Optional[_Union[ImagePart, _Mapping]] = ..., encrypted: _Optional[str] = ..., opaque: _Optional[_Union[OpaquePart, _Mapping]] = ...) -> None: ...

class ImagePart(_message.Message):
    __slots__ = ["detail", "url"]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    detail: str
    url: str
    def __init__(self, url: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...

class Item(_message.Message):
    __slots__ = ["agent_message", "compaction", "id", "marker", "message", "opaque", "provider_id", "reasoning", "status", "tool_call", "tool_output"]
    AGENT_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    COMPACTION_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    MARKER_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    OPAQUE_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_ID_FIELD_NUMBER: _ClassVar[int]
    REASONING_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    TOOL_CALL_FIELD_NUMBER: _ClassVar[int]
    TOOL_OUTPUT_FIELD_NUMBER: _ClassVar[int]
    agent_message: AgentMessageItem
    compaction: CompactionItem
    id: bytes
    marker: MarkerItem
    message: MessageItem
    opaque: OpaquePart
    provider_id: str
    reasoning: ReasoningItem
    status: ItemStatus
    tool_call: ToolCallItem
    tool_output: ToolOutputItem
    def __init__(self, id: _Optional[bytes] = ..., status: _Optional[_Union[ItemStatus, str]] = ..., provider_id: _Optional[str] = ..., message: _Optional[_Union[MessageItem, _Mapping]] = ..., reasoning: _Optional[_Union[ReasoningItem, _Mapping]] = ..., tool_call: _Optional[_Union[ToolCallItem, _Mapping]] = ..., tool_output: _Optional[_Union[ToolOutputItem, _Mapping]] = ..., agent_message: _Optional[_Union[AgentMessageItem, _Mapping]] = ..., compaction: _Optional[_Union[CompactionItem, _Mapping]] = ..., marker: _Optional[_Union[MarkerItem, _Mapping]] = ..., opaque: _Optional[_Union[OpaquePart, _Mapping]] = ...) -> None: ...

class MarkerItem(_message.Message):
    __slots__ = ["kind", "role", "text"]
    KIND_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    kind: MarkerKind
    role: Role
    text: str
    def __init__(self, kind: _Optional[_Union[MarkerKind, str]] = ..., role: _Optional[_Union[Role, str]] = ..., text: _Optional[str] = ...) -> None: ...

class MessageItem(_message.Message):
    __slots__ = ["content", "phase", "role"]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    content: _containers.RepeatedCompositeFieldContainer[ContentPart]
    phase: Phase
    role: Role
    def __init__(self, role: _Optional[_Union[Role, str]] = ..., content: _Optional[_Iterable[_Union[ContentPart, _Mapping]]] = ..., phase: _Optional[_Union[Phase, str]] = ...) -> None: ...

class OpaquePart(_message.Message):
    __slots__ = ["json", "kind"]
    JSON_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    json: str
    kind: str
    def __init__(self, kind: _Optional[str] = ..., json: _Optional[str] = ...) -> None: ...

class ReasoningItem(_message.Message):
    __slots__ = ["content", "encrypted", "provider", "summary"]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    ENCRYPTED_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    content: _containers.RepeatedScalarFieldContainer[str]
    encrypted: str
    provider: str
    summary: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, summary: _Optional[_Iterable[str]] = ..., content: _Optional[_Iterable[str]] = ..., encrypted: _Optional[str] = ..., provider: _Optional[str] = ...) -> None: ...

class ToolCallItem(_message.Message):
    __slots__ = ["arguments", "call_id", "freeform", "name", "tool_group"]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    FREEFORM_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TOOL_GROUP_FIELD_NUMBER: _ClassVar[int]
    arguments: str
    call_id: str
    freeform: bool
    name: str
    tool_group: str
    def __init__(self, call_id: _Optional[str] = ..., name: _Optional[str] = ..., tool_group: _Optional[str] = ..., arguments: _Optional[str] = ..., freeform: bool = ...) -> None: ...

class ToolOutputItem(_message.Message):
    __slots__ = ["call_id", "content", "reason", "success"]
    CALL_ID_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SUCCESS_FIELD_NUMBER: _ClassVar[int]
    call_id: str
    content: _containers.RepeatedCompositeFieldContainer[ContentPart]
    reason: str
    success: bool
    def __init__(self, call_id: _Optional[str] = ..., content: _Optional[_Iterable[_Union[ContentPart, _Mapping]]] = ..., success: bool = ..., reason: _Optional[str] = ...) -> None: ...

class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class ItemStatus(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class AgentMessageKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class MarkerKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
