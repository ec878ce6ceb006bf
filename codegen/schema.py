"""The schema as the generators see it: descriptors, comments, options, and the rules that a schema must keep.

Every rule that is broken is reported by name; nothing is generated from a schema that breaks one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PACKAGE = "heddle.v1"
F = descriptor_pb2.FieldDescriptorProto

ID_TYPES = {
    1: "ThreadID",
    2: "TurnID",
    3: "ItemID",
    4: "ConnectionID",
    5: "NodeID",
    6: "IdempotencyKey",
}


class SchemaError(Exception):
    """A rule of the schema is broken."""


@dataclass
class Field:
    name: str
    number: int
    type: int
    type_name: str
    repeated: bool
    optional: bool
    oneof: str | None
    comment: str
    id_kind: int
    sensitive: bool
    required: bool
    zero_means: str


@dataclass
class Message:
    name: str
    comment: str
    fields: list[Field]
    oneofs: dict[str, str]
    file: str
    index: int = 0


@dataclass
class Enum:
    name: str
    comment: str
    values: list[tuple[str, int, str]]
    file: str
    index: int = 0

    @property
    def prefix(self) -> str:
        return snake(self.name).upper() + "_"


@dataclass
class Method:
    service: str
    name: str
    number: int
    case: str
    request: str
    response: str
    streams: bool
    comment: str
    mutation: bool
    planned: bool
    admin: bool
    server_calls_client: bool


@dataclass
class Schema:
    messages: dict[str, Message] = field(default_factory=dict)
    enums: dict[str, Enum] = field(default_factory=dict)
    methods: list[Method] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    raw: descriptor_pb2.FileDescriptorSet | None = None


def snake(name: str) -> str:
    out = []
    for i, ch in enumerate(name):
        if ch.isupper() and i and (not name[i - 1].isupper() or (i + 1 < len(name) and name[i + 1].islower())):
            out.append("_")
        out.append(ch.lower())
    return "".join(out)


def compile_protos(root: Path) -> descriptor_pb2.FileDescriptorSet:
    protos = sorted(p.relative_to(root).as_posix() for p in root.rglob("*.proto"))
    with tempfile.NamedTemporaryFile(suffix=".binpb") as out:
        subprocess.run(
            ["protoc", f"-I{root}", "--include_imports", "--include_source_info", f"--descriptor_set_out={out.name}"]
            + protos,
            check=True,
        )
        data = Path(out.name).read_bytes()
    # Options are read through the extensions that the set itself defines.
    plain = descriptor_pb2.FileDescriptorSet.FromString(data)
    pool = descriptor_pool.DescriptorPool()
    for proto in plain.file:
        pool.Add(proto)
    messages = message_factory.GetMessageClassesForFiles([f.name for f in plain.file], pool)
    return messages["google.protobuf.FileDescriptorSet"].FromString(data), pool


def option(options, pool, name):
    extension = pool.FindExtensionByName(f"{PACKAGE}.{name}")
    return options.Extensions[extension]


class Comments:
    def __init__(self, file):
        self.by_path = {
            tuple(loc.path): loc.leading_comments.strip().replace("\n ", "\n") for loc in file.source_code_info.location
        }

    def at(self, *path) -> str:
        return self.by_path.get(tuple(path), "")


def load(root: Path) -> Schema:
    raw, pool = compile_protos(root)
    schema = Schema(raw=raw)
    numbers: dict[str, int] = {}
    for file in raw.file:
        if not file.name.startswith("heddle/"):
            continue
        comments = Comments(file)
        schema.files.append(file.name)
        for i, enum in enumerate(file.enum_type):
            values = [(v.name, v.number, comments.at(5, i, 2, j)) for j, v in enumerate(enum.value)]
            schema.enums[enum.name] = Enum(enum.name, comments.at(5, i), values, file.name)
        for i, message in enumerate(file.message_type):
            if message.nested_type or message.enum_type:
                raise SchemaError(f"{message.name}: nested types are not used; declare them beside it")
            schema.messages[message.name] = read_message(message, comments, i, file.name, pool)
    for value, number, _ in schema.enums["Method"].values:
        numbers[value] = number
    for file in raw.file:
        comments = Comments(file)
        for i, service in enumerate(file.service):
            for j, method in enumerate(service.method):
                schema.methods.append(read_method(service, method, comments.at(6, i, 2, j), numbers, pool))
    for index, message in enumerate(schema.messages.values()):
        message.index = index
    for index, enum in enumerate(schema.enums.values()):
        enum.index = index
    schema.methods.sort(key=lambda m: m.number)
    check(schema, numbers)
    return schema


def read_message(message, comments, i, file, pool) -> Message:
    fields = []
    oneofs = {}
    for j, f in enumerate(message.field):
        oneof = None
        if f.HasField("oneof_index") and not f.proto3_optional:
            oneof = message.oneof_decl[f.oneof_index].name
            oneofs[oneof] = comments.at(4, i, 8, f.oneof_index)
        fields.append(
            Field(
                name=f.name,
                number=f.number,
                type=f.type,
                type_name=f.type_name.removeprefix(f".{PACKAGE}."),
                repeated=f.label == F.LABEL_REPEATED,
                optional=f.proto3_optional,
                oneof=oneof,
                comment=comments.at(4, i, 2, j),
                id_kind=option(f.options, pool, "identifies"),
                sensitive=option(f.options, pool, "sensitive"),
                required=option(f.options, pool, "required"),
                zero_means=option(f.options, pool, "zero_means"),
            )
        )
    return Message(message.name, comments.at(4, i), fields, oneofs, file)


def read_method(service, method, comment, numbers, pool) -> Method:
    short = service.name.removesuffix("Service")
    value = f"METHOD_{snake(short).upper()}_{snake(method.name).upper()}"
    if value not in numbers:
        raise SchemaError(f"{service.name}.{method.name} has no number: add {value} to enum Method")
    return Method(
        service=service.name,
        name=method.name,
        number=numbers[value],
        case=short[0].lower() + short[1:] + method.name,
        request=method.input_type.removeprefix(f".{PACKAGE}."),
        response=method.output_type.removeprefix(f".{PACKAGE}."),
        streams=method.server_streaming,
        comment=comment,
        mutation=option(method.options, pool, "mutation"),
        planned=option(method.options, pool, "planned"),
        admin=option(method.options, pool, "admin"),
        server_calls_client=option(method.options, pool, "server_calls_client"),
    )


def check(schema: Schema, numbers: dict[str, int]) -> None:
    """The rules: each raises with the name of what breaks it (attacks.md P25)."""
    broken: list[str] = []
    for file in schema.raw.file:
        if file.name.startswith("heddle/") and file.syntax != "proto3":
            broken.append(f"{file.name}: proto3 only (no `required`, no groups)")
    for enum in schema.enums.values():
        first = enum.values[0]
        if first[1] != 0 or first[0] != enum.prefix + "UNSPECIFIED":
            broken.append(f"{enum.name}: the first value is {enum.prefix}UNSPECIFIED = 0")
        for value, _, comment in enum.values:
            if not value.startswith(enum.prefix):
                broken.append(f"{enum.name}.{value}: begins with {enum.prefix}")
            if not comment:
                broken.append(f"{enum.name}.{value}: has no comment")
        if not enum.comment:
            broken.append(f"{enum.name}: has no comment")
    for message in schema.messages.values():
        if not message.comment:
            broken.append(f"{message.name}: has no comment")
        for f in message.fields:
            where = f"{message.name}.{f.name}"
            if not f.comment:
                broken.append(f"{where}: has no comment")
            if f.type == F.TYPE_GROUP:
                broken.append(f"{where}: groups are not used")
            if "google.protobuf" in f.type_name:
                broken.append(f"{where}: {f.type_name} is not used; times are unix milliseconds, no `Any`")
            if f.id_kind and f.type != F.TYPE_BYTES:
                broken.append(f"{where}: an id is `bytes`")
            if f.number > 254:
                broken.append(f"{where}: field numbers stay below 255")
    for m in schema.methods:
        # A replayed answer is the stored bytes with this field behind them.
        replayed = [f for f in schema.messages[m.response].fields if (f.name, f.number, f.type) == ("replayed", 15, F.TYPE_BOOL)]
        if m.mutation and not replayed:
            broken.append(f"{m.response}: the answer of a mutation has `bool replayed = 15`")
    visit_for_recursion(schema, broken)
    used = {m.number for m in schema.methods}
    for value, number in numbers.items():
        if number and number not in used:
            broken.append(f"{value}: no service has this method")
    for m in schema.methods:
        if not m.comment:
            broken.append(f"{m.service}.{m.name}: has no comment")
    if broken:
        raise SchemaError("\n".join(broken))


def visit_for_recursion(schema: Schema, broken: list[str]) -> None:
    done: set[str] = set()

    def walk(name: str, path: list[str]) -> None:
        if name in path:
            broken.append(f"{name}: recursive message ({' > '.join(path + [name])})")
            return
        if name in done or name not in schema.messages:
            return
        for f in schema.messages[name].fields:
            if f.type == F.TYPE_MESSAGE:
                walk(f.type_name, path + [name])
        done.add(name)

    for name in schema.messages:
        walk(name, [])


def reachable(schema: Schema, roots: list[str]) -> set[str]:
    seen: set[str] = set()
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name in seen or name not in schema.messages:
            continue
        seen.add(name)
        todo += [f.type_name for f in schema.messages[name].fields if f.type == F.TYPE_MESSAGE]
    return seen


def main() -> None:
    try:
        schema = load(Path(sys.argv[1]))
    except SchemaError as error:
        print(error, file=sys.stderr)
        sys.exit(1)
    print(f"{len(schema.messages)} messages, {len(schema.enums)} enums, {len(schema.methods)} methods: every rule holds")


if __name__ == "__main__":
    main()
