"""The base of the generated services."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message

from heddle._method import Method, Request, Response

# An id: its 16 bytes, or the UUID that they are.
Id = bytes | str | uuid.UUID

Item = TypeVar("Item")
Inner = TypeVar("Inner")


def id_bytes(value: Id) -> bytes:
    if isinstance(value, uuid.UUID):
        return value.bytes
    return uuid.UUID(value).bytes if isinstance(value, str) else value


def build(method: Method[Request, Response], request: Request | None, fields: Mapping[str, Any]) -> Request:
    """The request of a call: a message, or fields by name, or both."""
    given = {}
    for name, value in fields.items():
        if value is not None:
            descriptor = method.request.DESCRIPTOR.fields_by_name[name]
            is_id = descriptor.type == descriptor.TYPE_BYTES and isinstance(value, (str, uuid.UUID))
            given[name] = id_bytes(value) if is_id else value
    if request is None:
        return method.request(**given)
    if given:
        merged = method.request()
        merged.CopyFrom(request)
        merged.MergeFrom(method.request(**given))
        return merged
    return request


class Service:
    def __init__(self, caller: Callable[..., Awaitable[Any]]):
        self._caller = caller

    async def _call(self, method: Method[Request, Response], request: Request | None, fields: Mapping[str, Any],
                    key: bytes | None, timeout: float | None) -> Response:
        answer: Response = await self._caller(method, build(method, request, fields), key, timeout)
        return answer

    async def _pages(self, method: Method[Request, Response], request: Request | None, fields: Mapping[str, Any],
                     timeout: float | None) -> AsyncIterator[Any]:
        asked: Message = build(method, request, fields)
        while True:
            answer = await self._caller(method, asked, None, timeout)
            for item in getattr(answer, method.items):
                yield item
            if not answer.next_cursor:
                return
            following = method.request()
            following.CopyFrom(asked)  # type: ignore[arg-type]
            following.cursor = answer.next_cursor  # type: ignore[attr-defined]
            asked = following


class SyncService(Generic[Inner]):
    def __init__(self, inner: Inner, run: Callable[[Awaitable[Any]], Any]):
        self._inner, self._runner = inner, run

    def _run(self, call: Awaitable[Item]) -> Item:
        answer: Item = self._runner(call)
        return answer

    def _each(self, items: AsyncIterator[Item]) -> Iterator[Item]:
        while True:
            try:
                yield self._run(items.__anext__())
            except StopAsyncIteration:
                return
