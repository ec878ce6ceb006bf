"""A case is one call, its request as proto3 JSON and its answer, the same for all clients.

A text `$name` stands for a value that an earlier case has saved. An expectation is a part of the answer: a table names
some fields, a list some elements (each must be there), a text beginning with `~` is a pattern, ANY is any value.
"""

import base64
import dataclasses
import re

ANY = object()


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    method: str
    request: dict
    expect: dict | None = None
    save: tuple = ()
    # Code and reason of the refusal, and patterns of facts.
    refused: tuple[str, str] | None = None
    facts: dict = dataclasses.field(default_factory=dict)
    waits: bool = False
    key: bytes | None = None
    metadata: tuple = ()
    token: str | None = None
    timeout_ms: int | None = None
    # Of a stream: the path of the message at which it is cancelled.
    until: str | None = None
    # Why a client cannot make this call: a property of the client, and the reason.
    needs: str | None = None
    # Which server: `open` knows no callers, `tokens` demands a token.
    server: str = "open"
    # How often it is called until it is refused.
    times: int = 1

    @property
    def full_method(self) -> str:
        return self.method if self.method.startswith("grpc.") else f"heddle.v1.{self.method}"


def text_id(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def filled(value, variables: dict):
    """The value with its variables."""
    if isinstance(value, dict):
        return {name: filled(one, variables) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [filled(one, variables) for one in value]
    if isinstance(value, str) and value.startswith("$"):
        assert value[1:] in variables, f"{value} is missing: an earlier case has failed"
        return variables[value[1:]]
    return value


def at_path(message, path: str):
    """The value at `thread.id`, `agents.1.thread`; None where there is none."""
    for part in path.split("."):
        if isinstance(message, list):
            message = message[int(part)] if int(part) < len(message) else None
        else:
            message = message.get(part) if isinstance(message, dict) else None
        if message is None:
            return None
    return message


def difference(wanted, found, path: str = "") -> str | None:
    """The places at which the answer is not as expected."""
    if wanted is ANY:
        return None if found is not None else f"{path} is missing"
    if isinstance(wanted, dict):
        if not isinstance(found, dict):
            return f"{path}: wanted {wanted}, got {found!r}"
        return next((said for name, one in wanted.items()
                     if (said := difference(one, found.get(name), f"{path}.{name}"))), None)
    if isinstance(wanted, (list, tuple)):
        return next((f"{path}: {one} is not in {found!r}" for one in wanted
                     if not any(difference(one, have) is None for have in found or [])), None)
    if isinstance(wanted, str) and wanted.startswith("~"):
        return None if re.fullmatch(wanted[1:], str(found)) else f"{path}: wanted {wanted[1:]}, got {found!r}"
    return None if wanted == found else f"{path}: wanted {wanted!r}, got {found!r}"


def answered(name: str, method: str, request: dict, expect: dict | None = None, **more) -> Case:
    return Case(name, method, request, expect if expect is not None else {}, **more)


def refused(name: str, method: str, request: dict, code: str, reason: str, **more) -> Case:
    return Case(name, method, request, refused=(code, reason), **more)
