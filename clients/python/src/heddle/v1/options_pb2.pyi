from google.protobuf import descriptor_pb2 as _descriptor_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from typing import ClassVar as _ClassVar

ADMIN_FIELD_NUMBER: _ClassVar[int]
DESCRIPTOR: _descriptor.FileDescriptor
IDENTIFIES_FIELD_NUMBER: _ClassVar[int]
ID_KIND_CONNECTION: IdKind
ID_KIND_ITEM: IdKind
ID_KIND_KEY: IdKind
ID_KIND_NODE: IdKind
ID_KIND_THREAD: IdKind
ID_KIND_TURN: IdKind
ID_KIND_UNSPECIFIED: IdKind
MUTATION_FIELD_NUMBER: _ClassVar[int]
PLANNED_FIELD_NUMBER: _ClassVar[int]
REQUIRED_FIELD_NUMBER: _ClassVar[int]
SENSITIVE_FIELD_NUMBER: _ClassVar[int]
SERVER_CALLS_CLIENT_FIELD_NUMBER: _ClassVar[int]
ZERO_MEANS_FIELD_NUMBER: _ClassVar[int]
admin: _descriptor.FieldDescriptor
identifies: _descriptor.FieldDescriptor
mutation: _descriptor.FieldDescriptor
planned: _descriptor.FieldDescriptor
required: _descriptor.FieldDescriptor
sensitive: _descriptor.FieldDescriptor
server_calls_client: _descriptor.FieldDescriptor
zero_means: _descriptor.FieldDescriptor

class IdKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = []
