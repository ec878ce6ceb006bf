from heddle.v1 import options_pb2 as _options_pb2
from heddle.v1 import settings_pb2 as _settings_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Iterable as _Iterable, Mapping as _Mapping, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor
FEATURE_STAGE_BETA: FeatureStage
FEATURE_STAGE_DEPRECATED: FeatureStage
FEATURE_STAGE_STABLE: FeatureStage
FEATURE_STAGE_UNDER_DEVELOPMENT: FeatureStage
FEATURE_STAGE_UNSPECIFIED: FeatureStage

class CatalogModel(_message.Message):
    __slots__ = ["context_window", "default_reasoning_effort", "description", "display_name", "hidden", "id", "is_default", "provider", "reasoning_efforts", "version"]
    CONTEXT_WINDOW_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_REASONING_EFFORT_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    DISPLAY_NAME_FIELD_NUMBER: _ClassVar[int]
    HIDDEN_FIELD_NUMBER: _ClassVar[int]
    ID_FIELD_NUMBER: _ClassVar[int]
    IS_DEFAULT_FIELD_NUMBER: _ClassVar[int]
    PROVIDER_FIELD_NUMBER: _ClassVar[int]
    REASONING_EFFORTS_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    context_window: int
    default_reasoning_effort: str
    description: str
    display_name: str
    hidden: bool
    id: str
    is_default: bool
    provider: str
    reasoning_efforts: _containers.RepeatedScalarFieldContainer[str]
    version: _settings_pb2.MultiAgentVersion
    def __init__(self, id: _Optional[str] = ..., provider: _Optional[str] = ..., display_name: _Optional[str] = ..., description: _Optional[str] = ..., version: _Optional[_Union[_settings_pb2.MultiAgentVersion, str]] = ..., reasoning_efforts: _Optional[_Iterable[str]] = ..., default_reasoning_effort: _Optional[str] = ..., context_window: _Optional[int] = ..., is_default: bool = ..., hidden: bool = ...) -> None: ...

class Feature(_message.Message):
    __slots__ = ["default_enabled", "description", "enabled", "name", "stage"]
    DEFAULT_ENABLED_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    default_enabled: bool
    description: str
    enabled: bool
    name: str
    stage: FeatureStage
    def __init__(self, name: _Optional[str] = ..., stage: _Optional[_Union[FeatureStage, str]] = ..., description: _Optional[str] = ..., default_enabled: bool = ..., enabled: bool = ...) -> None: ...

class ListFeaturesRequest(_message.Message):
    __slots__ = []
    def __init__(self) -> None: ...

class ListFeaturesResponse(_message.Message):
    __slots__ = ["features"]
    FEATURES_FIELD_NUMBER: _ClassVar[int]
    features: _containers.RepeatedCompositeFieldContainer[Feature]
    def __init__(self, features: _Optional[_Iterable[_Union[Feature, _Mapping]]] = ...) -> None: ...

class ListModelsRequest(_message.Message):
    __slots__ = ["include_hidden"]
    INCLUDE_HIDDEN_FIELD_NUMBER: _ClassVar[int]
    include_hidden: bool
    def __init__(self, include_hidden: bool = ...) -> None: ...

class ListModelsResponse(_message.Message):
    __slots__ = ["models"]
    MODELS_FIELD_NUMBER: _ClassVar[int]
    models: _containers.RepeatedCompositeFieldContainer[CatalogModel]
    def __init__(self, models: _Optional[_Iterable[_Union[CatalogModel, _Mapping]]] = ...) -> None: ...

class SetFeatureRequest(_message.Message):
    __slots__ = ["enabled", "name"]
    ENABLED_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    enabled: bool
    name: str
    def __init__(self, name: _Optional[str] = ..., enabled: bool = ...) -> None: ...

class SetFeatureResponse(_message.Message):
    __slots__ = ["feature", "replayed"]
    FEATURE_FIELD_NUMBER: _ClassVar[int]
    REPLAYED_FIELD_NUMBER: _ClassVar[int]
    feature: Feature
    replayed: bool
    def __init__(self, feature: _Optional[_Union[Feature, _Mapping]] = ..., replayed: bool = ...) -> None: ...

class FeatureStage(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
