"""The schema as this comparison sees it: from the descriptors of Google's compiler, and nothing from our own tables."""

import dataclasses
import pathlib
import subprocess
import sys
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor import FieldDescriptor as F

ROOT = pathlib.Path(__file__).resolve().parents[2]
VARINT, FIXED64, BLOCK, GROUP, GROUP_END, FIXED32 = range(6)
WIRE = {F.TYPE_FLOAT: FIXED32, F.TYPE_STRING: BLOCK, F.TYPE_BYTES: BLOCK, F.TYPE_MESSAGE: BLOCK, F.TYPE_BOOL: VARINT,
        F.TYPE_ENUM: VARINT, F.TYPE_INT32: VARINT, F.TYPE_INT64: VARINT, F.TYPE_UINT32: VARINT, F.TYPE_UINT64: VARINT}


@dataclasses.dataclass
class Field:
    name: str
    number: int
    type: int
    wire: int
    repeated: bool
    required: bool
    is_id: bool
    zero_is_meant: bool
    # Absent and zero differ, or there may be many.
    presence: bool
    oneof: str | None
    values: frozenset
    shape: "Shape | None" = None


@dataclasses.dataclass
class Shape:
    """One message."""

    name: str
    index: int
    message: type
    fields: list
    by_number: dict
    oneofs: dict


def load() -> list[Shape]:
    """Every message of proto/, with the options that say what the server adds to protobuf's own rules."""
    with tempfile.NamedTemporaryFile(suffix=".binpb") as out:
        files = sorted((ROOT / "proto").glob("heddle/v1/*.proto"))
        command = ["protoc", "-I", ROOT / "proto", "--include_imports", f"--descriptor_set_out={out.name}", *files]
        subprocess.run(command, check=True, timeout=60)
        raw = pathlib.Path(out.name).read_bytes()
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(raw).file:
        pool.Add(file)
    names = {name: pool.FindExtensionByName(f"heddle.v1.{name}") for name in ("identifies", "required", "zero_means")}
    # The options' own class, made in this pool: only there the extensions are known.
    options = message_factory.GetMessageClass(pool.FindMessageTypeByName("google.protobuf.FieldOptions"))
    shapes: dict[str, Shape] = {}
    for file in descriptor_pb2.FileDescriptorSet.FromString(raw).file:
        if file.package != "heddle.v1":
            continue
        for message in file.message_type:
            found = pool.FindMessageTypeByName(f"heddle.v1.{message.name}")
            fields = [_field(field, options, names) for field in found.fields]
            oneofs: dict[str, list] = {}
            for field in fields:
                if field.oneof:
                    oneofs.setdefault(field.oneof, []).append(field)
            shapes[message.name] = Shape(message.name, -1, message_factory.GetMessageClass(found), fields,
                                         {field.number: field for field in fields}, oneofs)
    for shape in shapes.values():
        for field in shape.fields:
            target = shape.message.DESCRIPTOR.fields_by_number[field.number].message_type
            field.shape = shapes[target.name] if target else None
    return list(shapes.values())


def _field(field, options, names: dict) -> Field:
    told = options.FromString(field.GetOptions().SerializeToString())
    oneof = field.containing_oneof
    real = oneof.name if oneof is not None and not (len(oneof.fields) == 1 and oneof.name.startswith("_")) else None
    values = frozenset(value.number for value in field.enum_type.values) if field.enum_type else frozenset()
    return Field(field.name, field.number, field.type, WIRE[field.type], field.is_repeated,
                 told.Extensions[names["required"]], told.Extensions[names["identifies"]] != 0,
                 told.Extensions[names["zero_means"]] != "", field.has_presence or field.is_repeated, real, values)


def number(shapes: list[Shape], listed: list[str]) -> list[Shape]:
    """Gives each message the number that the decoder knows it by; both sides must know the same ones."""
    if sorted(listed) != sorted(shape.name for shape in shapes):
        sys.exit(f"differential: the decoder's messages are not those of proto/: "
                 f"{sorted(set(listed) ^ {shape.name for shape in shapes})}")
    for shape in shapes:
        shape.index = listed.index(shape.name)
    return shapes
