"""Message classes made from the schema as it stands, so that no test speaks an older one, and what the schema lists."""

import atexit
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER_VARIABLE = "HEDDLE_TEST_MESSAGES"


def _generate() -> str:
    """The folder of the classes; a child process takes that of its parent."""
    if made := os.environ.get(FOLDER_VARIABLE):
        return made
    made = tempfile.mkdtemp(prefix="heddle-test-messages-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    files = sorted((ROOT / "proto").glob("heddle/v1/*.proto"))
    subprocess.run(["protoc", "-I", ROOT / "proto", "--python_out", made, *files], check=True, timeout=60)
    os.environ[FOLDER_VARIABLE] = made
    return made


sys.path.insert(0, _generate())

from google.protobuf import message_factory  # noqa: E402
from heddle.v1 import (  # noqa: E402, F401
    agent_pb2, catalog_pb2, client_pb2, event_pb2, frame_pb2, item_pb2, options_pb2, server_pb2, settings_pb2,
    storage_pb2, thread_pb2, turn_pb2)


@dataclasses.dataclass(frozen=True)
class Method:
    """One row of docs/methods.md."""

    name: str
    number: int
    request: type
    response: type
    descriptor: object

    def has(self, option) -> bool:
        return self.descriptor.GetOptions().Extensions[option]

    @property
    def is_planned(self) -> bool:
        return self.has(options_pb2.planned)

    @property
    def asks_client(self) -> bool:
        return self.has(options_pb2.server_calls_client)

    @property
    def required(self) -> str | None:
        """The first field without which a request is senseless."""
        for field in self.request.DESCRIPTOR.fields:
            if field.GetOptions().Extensions[options_pb2.required]:
                return field.name
        return None


def _methods() -> dict[str, Method]:
    found = {}
    for module in (thread_pb2, turn_pb2, settings_pb2, agent_pb2, catalog_pb2, server_pb2, client_pb2):
        for service in module.DESCRIPTOR.services_by_name.values():
            family = service.name.removesuffix("Service")
            for method in service.methods:
                constant = re.sub(r"(?<!^)(?=[A-Z])", "_", f"{family}{method.name}").upper()
                name = f"{family}.{method.name}"
                found[name] = Method(
                    name, frame_pb2.Method.Value(f"METHOD_{constant}"),
                    message_factory.GetMessageClass(method.input_type),
                    message_factory.GetMessageClass(method.output_type), method)
    return found


METHODS = _methods()
METHOD_OF_NUMBER = {method.number: method for method in METHODS.values()}
SERVED = [name for name, method in METHODS.items() if not method.is_planned and not method.asks_client]
# Without methods for operators: they are refused to a tenant before the thread is looked at.
ON_A_THREAD = [name for name in SERVED if "thread" in METHODS[name].request.DESCRIPTOR.fields_by_name
               and not METHODS[name].has(options_pb2.admin)]
REASONS = {row.split("\t")[0]: row.split("\t")[1] for row in (ROOT / "proto" / "reasons.tsv").read_text().splitlines()
           if row and not row.startswith("#")}


# Requests


def words(*texts: str) -> "turn_pb2.TurnInput":
    return turn_pb2.TurnInput(content=[item_pb2.ContentPart(text=text) for text in texts])


def fields_for(name: str, thread: bytes) -> dict:
    """The fields of a valid request of a method, on a thread."""
    fields = {"thread": thread}
    if "turn" in METHODS[name].request.DESCRIPTOR.fields_by_name and name.startswith("Turn."):
        fields["turn"] = b"no turn has this"
    if name in ("Turn.Start", "Turn.Steer"):
        fields["input"] = words("x")
    if name == "Thread.Rollback":
        fields["turns"] = 1
    if name == "Call.Answer":
        fields |= {"turn": b"no turn has this", "call_id": "c", "tool": {"success": True}}
    return fields


# Answers, in short


def turn_status(value: int) -> str:
    return turn_pb2.TurnStatus.Name(value).removeprefix("TURN_STATUS_")


def version_name(value: int) -> str:
    return settings_pb2.MultiAgentVersion.Name(value).removeprefix("MULTI_AGENT_VERSION_")


def source_name(value: int) -> str:
    return settings_pb2.VersionSource.Name(value).removeprefix("VERSION_SOURCE_")


def mode_name(settings) -> str | None:
    """The selection, None when there is none (rules.md M10)."""
    if not settings.HasField("mode"):
        return None
    return settings_pb2.MultiAgentMode.Name(settings.mode).removeprefix("MULTI_AGENT_MODE_")


def item_text(item) -> str:
    """The text of a message item."""
    return "".join(part.text for part in item.message.content)


def event_bytes(events: list) -> list:
    """The bytes of each event, which are the same for all clients (durability.md: Agreement)."""
    return [event.SerializeToString(deterministic=True) for event in events]
