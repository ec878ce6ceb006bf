"""What a client knows of a method."""

from __future__ import annotations

from typing import Generic, TypeVar

from google.protobuf.message import Message

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)


class Method(Generic[Request, Response]):
    __slots__ = ("items", "keyed", "number", "path", "repeatable", "request", "response")

    def __init__(self, number: int, path: str, request: type[Request], response: type[Response], *, keyed: bool,
                 repeatable: bool, items: str):
        self.number, self.path = number, path
        self.request, self.response = request, response
        # The server keeps one result for each key, so a repetition happens once.
        self.keyed = keyed
        # A call that may have been served can be sent again.
        self.repeatable = repeatable
        # The repeated field of a page; empty: the method has no pages.
        self.items = items
