"""Messages of the schema and of the suite, compiled when the runner starts, and values as cases write them."""

from __future__ import annotations

import functools
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
_made = tempfile.TemporaryDirectory(prefix="heddle-conformance-")


def _compile() -> None:
    proto = ROOT / "proto"
    for folder, files in ((proto, sorted(proto.rglob("*.proto"))), (ROOT / "conformance", [ROOT / "conformance/conformance.proto"])):
        subprocess.run(["protoc", "-I", folder, "--python_out", _made.name, *files], check=True)
    sys.path.insert(0, _made.name)


_compile()

import conformance_pb2 as conformance  # noqa: E402
from google.protobuf import descriptor_pool, message_factory  # noqa: E402
from google.protobuf.message import Message  # noqa: E402
from heddle.v1 import (  # noqa: E402, F401
    agent_pb2, catalog_pb2, client_pb2, event_pb2, frame_pb2, item_pb2, options_pb2, server_pb2, settings_pb2, thread_pb2,
    turn_pb2)

TOOL_REQUEST = {"CallTool": client_pb2.CallToolRequest, "RequestUserInput": client_pb2.RequestUserInputRequest}


@functools.lru_cache(None)
def message_class(name: str) -> type[Message]:
    found = descriptor_pool.Default().FindMessageTypeByName(name if "." in name else f"heddle.v1.{name}")
    return message_factory.GetMessageClass(found) if hasattr(message_factory, "GetMessageClass") else found._concrete_class


class Method:
    """A method, by its path `ThreadService/Start`."""

    def __init__(self, path: str):
        service, name = path.split("/")
        found = descriptor_pool.Default().FindServiceByName(f"heddle.v1.{service}").FindMethodByName(name)
        snake = "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in service.removesuffix("Service") + name)
        self.path = path
        self.number = frame_pb2.Method.Value(f"METHOD{snake.upper()}")
        self.request, self.response = message_class(found.input_type.full_name), message_class(found.output_type.full_name)


@functools.lru_cache(None)
def method(path: str) -> Method:
    return Method(path)


def method_path(number: int) -> str:
    """`ThreadService/Start` of 101."""
    words = frame_pb2.Method.Name(number).removeprefix("METHOD_").split("_")
    return f"{words[0].capitalize()}Service/{''.join(word.capitalize() for word in words[1:])}"


def bytes_of(value) -> bytes:
    """A letter stands for an id: 16 bytes of it. `hex:…` and `text:…` are other bytes."""
    if isinstance(value, bytes):
        return value
    text = str(value)
    if text.startswith("hex:"):
        return bytes.fromhex(text[4:])
    if text.startswith("text:"):
        return text[5:].encode()
    return text.encode() * 16 if len(text) == 1 else text.encode()


def is_repeated(field) -> bool:
    """Protobuf 7 has no `label` any more, older ones no `is_repeated`."""
    return field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED


def fill(message: Message, values: dict) -> Message:
    """Sets the fields that a case names."""
    for name, value in (values or {}).items():
        field = message.DESCRIPTOR.fields_by_name[name]
        repeated = is_repeated(field)
        if repeated:
            for one in value:
                if field.message_type is not None:
                    fill(getattr(message, name).add(), one)
                else:
                    getattr(message, name).append(_scalar(field, one))
        elif field.message_type is not None:
            getattr(message, name).SetInParent()
            fill(getattr(message, name), value)
        else:
            setattr(message, name, _scalar(field, value))
    return message


def _scalar(field, value):
    if field.type == field.TYPE_BYTES:
        return bytes_of(value)
    if field.enum_type is not None and isinstance(value, str):
        prefix = next(iter(field.enum_type.values)).name.removesuffix("UNSPECIFIED")
        found = field.enum_type.values_by_name
        return (found.get(value) or found[prefix + value]).number
    if field.type == field.TYPE_STRING:
        return _text(value)
    return value


def _text(value) -> str:
    """`repeat: [text, count]` stands for a long text."""
    if isinstance(value, dict):
        text, count = value["repeat"]
        return text * count
    return str(value)


def difference(message: Message, wanted: dict, at: str = "") -> str:
    """Where a message is not as a case says; empty: it is. Fields that the case does not name may be anything; None says
    that a field is absent."""
    for name, value in (wanted or {}).items():
        field, where = message.DESCRIPTOR.fields_by_name[name], f"{at}.{name}" if at else name
        found = getattr(message, name)
        if value is None:
            if message.HasField(name):
                return f"{where} is there: {str(found)[:200]}"
        elif is_repeated(field):
            if len(found) != len(value):
                return f"{where} has {len(found)} elements, not {len(value)}"
            for index, (one, other) in enumerate(zip(found, value, strict=True)):
                if field.message_type is not None:
                    if told := difference(one, other, f"{where}[{index}]"):
                        return told
                elif one != _scalar(field, other):
                    return f"{where}[{index}] is {one!r}, not {other!r}"
        elif field.message_type is not None:
            if not message.HasField(name):
                return f"{where} is missing"
            if told := difference(found, value, where):
                return told
        elif found != _scalar(field, value):
            return f"{where} is {str(found)[:200]!r}, not {_scalar(field, value)!r}"
        elif field.has_presence and not message.HasField(name):
            return f"{where} is missing"
    return ""
