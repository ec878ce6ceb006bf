"""What the client libraries take from the schema, one module a language.

Each module of this folder that defines `write(surface, root)` is called by `generate.py`; it writes files of its language
under `clients/<language>/` and makes them anew each time. Files by hand and generated files never share a folder.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from pathlib import Path

from docs import Reason
from schema import Method, Schema, snake

NOTE = "Made by `make generate` from proto/; edit that instead."

# Bytes 4 to 7 of a frame's head, and what a client may rely on before the server's HELLO; docs/protocol.md has the rest.
FRAME_HEAD_BYTES = 16
FRAME_BYTES = 4 << 20

# The name under which a client has a service's methods: `client.threads.start`.
PLURALS = {"Thread": "threads", "Turn": "turns", "Settings": "settings", "Agent": "agents", "Catalog": "catalog",
           "Server": "server", "Call": "calls"}

# Methods without a key that change something: they are not repeated if it is not known whether they were served.
UNREPEATABLE = {"Server.StartCapture", "Server.StopCapture"}

# Methods that clients have in a form of their own: a subscription is an iterator.
OWN_FORM = {"Thread.Subscribe", "Thread.Unsubscribe"}

# Fields that a client fills in itself: there is one way to follow a thread.
OWN_FIELDS = {"subscribe", "tree"}


@dataclass
class Call:
    """A method that a client calls, or one that the server calls on a client."""

    method: Method
    # The server keeps one result for each key: the client repeats such a call with the same key.
    keyed: bool
    # The request has a `cursor` and the answer a `next_cursor`; `items` is the answer's repeated field.
    paged: bool
    items: str
    # Sending it again does no harm where it is not known whether it was served.
    repeatable: bool = True

    @property
    def snake(self) -> str:
        return snake(self.method.name)

    @property
    def short(self) -> str:
        """`Thread.Start`"""
        return f"{self.method.service.removesuffix('Service')}.{self.method.name}"

    @property
    def path(self) -> str:
        """`ThreadService/Start`, as errors and logs of the server have it."""
        return f"{self.method.service}/{self.method.name}"


@dataclass
class Surface:
    """The schema as client libraries see it: its messages, methods and reasons."""

    schema: Schema
    schema_hash: str
    reasons: list[Reason]

    @property
    def proto_files(self) -> list[str]:
        """Files of messages that travel on the wire: what the server keeps on disk is its own."""
        return [f for f in self.schema.files if not f.endswith("storage.proto")]

    @property
    def codes(self) -> list[tuple[str, int]]:
        return [(name.removeprefix("CODE_"), number) for name, number, _ in self.schema.enums["Code"].values]

    def services(self) -> dict[str, list[Call]]:
        """Calls of clients by service, without the suffix `Service`: `Thread`, `Turn`, `Settings` and so on."""
        found: dict[str, list[Call]] = {}
        for method in self.schema.methods:
            if not method.server_calls_client:
                found.setdefault(method.service.removesuffix("Service"), []).append(self._call(method))
        return found

    def asked_of_clients(self) -> list[Call]:
        return [self._call(m) for m in self.schema.methods if m.server_calls_client]

    def _call(self, method: Method) -> Call:
        request, response = self.schema.messages[method.request], self.schema.messages[method.response]
        names = {f.name for f in response.fields}
        paged = "next_cursor" in names and "cursor" in {f.name for f in request.fields}
        items = next((f.name for f in response.fields if f.repeated), "") if paged else ""
        short = f"{method.service.removesuffix('Service')}.{method.name}"
        return Call(method, method.mutation, paged, items, short not in UNREPEATABLE)


def generate(surface: Surface, root: Path) -> None:
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda m: m.name):
        language = importlib.import_module(f"clients.{module.name}")
        if hasattr(language, "write"):
            language.write(surface, root / "clients")
