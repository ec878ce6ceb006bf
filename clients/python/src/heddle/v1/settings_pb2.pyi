from heddle.v1 import options_pb2 as _options_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
MULTI_AGENT_MODE_EXPLICIT_REQUEST_ONLY: MultiAgentMode
MULTI_AGENT_MODE_PROACTIVE: MultiAgentMode
MULTI_AGENT_MODE_UNSPECIFIED: MultiAgentMode
MULTI_AGENT_VERSION_DISABLED: MultiAgentVersion
MULTI_AGENT_VERSION_UNSPECIFIED: MultiAgentVersion
MULTI_AGENT_VERSION_V1: MultiAgentVersion
MULTI_AGENT_VERSION_V2: MultiAgentVersion
SETTINGS_FIELD_AGENT_DEPTH: SettingsField
SETTINGS_FIELD_AGENT_TOTAL: SettingsField
SETTINGS_FIELD_BASE_INSTRUCTIONS: SettingsField
SETTINGS_FIELD_DEVELOPER_INSTRUCTIONS: SettingsField
SETTINGS_FIELD_REASONING_EFFORT: SettingsField
SETTINGS_FIELD_REASONING_SUMMARY: SettingsField
SETTINGS_FIELD_SERVICE_TIER: SettingsField
SETTINGS_FIELD_TEMPERATURE: SettingsField
SETTINGS_FIELD_THREAD_TOKENS: SettingsField
SETTINGS_FIELD_TREE_TOKENS: SettingsField
SETTINGS_FIELD_TURN_TOKENS: SettingsField
SETTINGS_FIELD_UNSPECIFIED: SettingsField
SETTINGS_FIELD_WAKE_PARENT: SettingsField
SETTINGS_FIELD_WORKING_FOLDER: SettingsField
VERSION_SOURCE_CATALOG: VersionSource
VERSION_SOURCE_FLAGS: VersionSource
VERSION_SOURCE_INHERITED: VersionSource
VERSION_SOURCE_LEGACY: VersionSource
VERSION_SOURCE_STORED: VersionSource
VERSION_SOURCE_UNSPECIFIED: VersionSource

class ModeSelection(_message.Message):
    __slots__ = ["clear", "set"]
    CLEAR_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    clear: bool
    set: MultiAgentMode
    def __init__(self, set: _Optional[_Union[MultiAgentMode, str]] = ..., clear: bool = ...) -> None: ...

class NameValue(_message.Message):
    __slots__ = ["name", "value"]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: str
    def __init__(self, name: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...

class ReadSettingsRequest(_message.Message):
    __slots__ = ["thread"]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    thread: bytes
    def __init__(self, thread: _Optional[bytes] = ...) -> None: ...

class ReadSettingsResponse(_message.Message):
    __slots__ = ["revision", "settings", "tools", "version", "version_source"]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    VERSION_SOURCE_FIELD_NUMBER: _ClassVar[int]
    revision: int
    settings: Settings
    tools: _containers.RepeatedScalarFieldContainer[str]
    version: MultiAgentVersion
    version_source: VersionSource
    def __init__(self, settings: _Optional[_Union[Settings, _Mapping]] = ..., revision: _Optional[int] = ..., version: _Optional[_Union[MultiAgentVersion, str]] = ..., version_source: _Optional[_Union[VersionSource, str]] = ..., tools: _Optional[_Iterable[str]] = ...) -> None: ...

class Settings(_message.Message):
    __slots__ = ["agent_depth", "agent_total", "base_instructions", "developer_instructions", "metadata", "mode", "model", "model_provider", "reasoning_effort", "reasoning_summary", "service_tier", "temperature", "thread_tokens", "tree_tokens", "turn_tokens", "wake_parent", "working_folder"]
    AGENT_DEPTH_FIELD_NUMBER: _ClassVar[int]
    AGENT_TOTAL_FIELD_NUMBER: _ClassVar[int]
    BASE_INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    DEVELOPER_INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    MODEL_PROVIDER_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    REASONING_EFFORT_FIELD_NUMBER: _ClassVar[int]
    REASONING_SUMMARY_FIELD_NUMBER: _ClassVar[int]
    SERVICE_TIER_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_FIELD_NUMBER: _ClassVar[int]
    THREAD_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TREE_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TURN_TOKENS_FIELD_NUMBER: _ClassVar[int]
    WAKE_PARENT_FIELD_NUMBER: _ClassVar[int]
    WORKING_FOLDER_FIELD_NUMBER: _ClassVar[int]
    agent_depth: int
    agent_total: int
    base_instructions: str
    developer_instructions: str
    metadata: _containers.RepeatedCompositeFieldContainer[NameValue]
    mode: MultiAgentMode
    model: str
    model_provider: str
    reasoning_effort: str
    reasoning_summary: str
    service_tier: str
    temperature: float
    thread_tokens: int
    tree_tokens: int
    turn_tokens: int
    wake_parent: bool
    working_folder: str
    def __init__(self, model: _Optional[str] = ..., model_provider: _Optional[str] = ..., reasoning_effort: _Optional[str] = ..., reasoning_summary: _Optional[str] = ..., service_tier: _Optional[str] = ..., base_instructions: _Optional[str] = ..., developer_instructions: _Optional[str] = ..., mode: _Optional[_Union[MultiAgentMode, str]] = ..., working_folder: _Optional[str] = ..., metadata: _Optional[_Iterable[_Union[NameValue, _Mapping]]] = ..., temperature: _Optional[float] = ..., turn_tokens: _Optional[int] = ..., thread_tokens: _Optional[int] = ..., tree_tokens: _Optional[int] = ..., agent_depth: _Optional[int] = ..., agent_total: _Optional[int] = ..., wake_parent: bool = ...) -> None: ...

class SettingsChange(_message.Message):
    __slots__ = ["agent_depth", "agent_total", "base_instructions", "clear", "developer_instructions", "metadata", "mode", "model", "model_provider", "reasoning_effort", "reasoning_summary", "remove_metadata", "service_tier", "temperature", "thread_tokens", "tree_tokens", "turn_tokens", "wake_parent", "working_folder"]
    AGENT_DEPTH_FIELD_NUMBER: _ClassVar[int]
    AGENT_TOTAL_FIELD_NUMBER: _ClassVar[int]
    BASE_INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    CLEAR_FIELD_NUMBER: _ClassVar[int]
    DEVELOPER_INSTRUCTIONS_FIELD_NUMBER: _ClassVar[int]
    METADATA_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    MODEL_PROVIDER_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    REASONING_EFFORT_FIELD_NUMBER: _ClassVar[int]
    REASONING_SUMMARY_FIELD_NUMBER: _ClassVar[int]
    REMOVE_METADATA_FIELD_NUMBER: _ClassVar[int]
    SERVICE_TIER_FIELD_NUMBER: _ClassVar[int]
    TEMPERATURE_FIELD_NUMBER: _ClassVar[int]
    THREAD_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TREE_TOKENS_FIELD_NUMBER: _ClassVar[int]
    TURN_TOKENS_FIELD_NUMBER: _ClassVar[int]
    WAKE_PARENT_FIELD_NUMBER: _ClassVar[int]
    WORKING_FOLDER_FIELD_NUMBER: _ClassVar[int]
    agent_depth: int
    agent_total: int
    base_instructions: str
    clear: _containers.RepeatedScalarFieldContainer[SettingsField]
    developer_instructions: str
    metadata: _containers.RepeatedCompositeFieldContainer[NameValue]
    mode: ModeSelection
    model: str
    model_provider: str
    reasoning_effort: str
    reasoning_summary: str
    remove_metadata: _containers.RepeatedScalarFieldContainer[str]
    service_tier: str
    temperature: float
    thread_tokens: int
    tree_tokens: int
    turn_tokens: int
    wake_parent: bool
    working_folder: str
    def __init__(self, model: _Optional[str] = ..., model_provider: _Optional[str] = ..., reasoning_effort: _Optional[str] = ..., reasoning_summary: _Optional[str] = ..., service_tier: _Optional[str] = ..., base_instructions: _Optional[str] = ..., developer_instructions: _Optional[str] = ..., mode: _Optional[_Union[ModeSelection, _Mapping]] = ..., working_folder: _Optional[str] = ..., metadata: _Optional[_Iterable[_Union[NameValue, _Mapping]]] = ..., temperature: _Optional[float] = ..., remove_metadata: _Optional[_Iterable[str]] = ..., clear: _Optional[_Iterable[_Union[SettingsField, str]]] = ..., turn_tokens: _Optional[int] = ..., thread_tokens: _Optional[int] = ..., tree_tokens: _Optional[int] = ..., agent_depth: _Optional[int] = ..., agent_total: _Optional[int] = ..., wake_parent: bool = ...) -> None: ...

class ToolDefinition(_message.Message):
    __slots__ = ["description", "name", "schema"]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SCHEMA_FIELD_NUMBER: _ClassVar[int]
    description: str
    name: str
    schema: str
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., schema: _Optional[str] = ...) -> None: ...

class ToolSelection(_message.Message):
    __slots__ = ["clear", "set"]
    CLEAR_FIELD_NUMBER: _ClassVar[int]
    SET_FIELD_NUMBER: _ClassVar[int]
    clear: bool
    set: _containers.RepeatedCompositeFieldContainer[ToolDefinition]
    def __init__(self, set: _Optional[_Iterable[_Union[ToolDefinition, _Mapping]]] = ..., clear: bool = ...) -> None: ...

class UpdateSettingsRequest(_message.Message):
    __slots__ = ["change", "expected_revision", "thread", "tools"]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_REVISION_FIELD_NUMBER: _ClassVar[int]
    THREAD_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    change: SettingsChange
    expected_revision: int
    thread: bytes
    tools: ToolSelection
    def __init__(self, thread: _Optional[bytes] = ..., change: _Optional[_Union[SettingsChange, _Mapping]] = ..., expected_revision: _Optional[int] = ..., tools: _Optional[_Union[ToolSelection, _Mapping]] = ...) -> None: ...

class UpdateSettingsResponse(_message.Message):
    __slots__ = ["changed", "replayed", "revision", "sequence", "settings", "tools"]
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    SETTINGS_FIELD_NUMBER: _ClassVar[int]
    TOOLS_FIELD_NUMBER: _ClassVar[int]
    changed: bool
    replayed: bool
    revision: int
    sequence: int
    settings: Settings
    tools: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, sequence: _Optional[int] = ..., revision: _Optional[int] = ..., changed: bool = ..., settings: _Optional[_Union[Settings, _Mapping]] = ..., tools: _Optional[_Iterable[str]] = ..., replayed: bool = ...) -> None: ...

class MultiAgentVersion(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class VersionSource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class MultiAgentMode(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []

class SettingsField(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
