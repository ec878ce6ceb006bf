"""Tools of this client that the model calls, and questions to its user.

The server asks every connection that follows the thread, and asks again after a lost one. A call is known by its id, so
the function runs once; its result goes to where it was asked for last.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from heddle import _frames as frames
from heddle._errors import HeddleError
from heddle._generated import methods
from heddle._hooks import log
from heddle.v1 import client_pb2, frame_pb2

if TYPE_CHECKING:
    from heddle._connection import Connection

Handler = Callable[..., Any]
Key = tuple[bytes, bytes, str]
REMEMBERED = 1_024


class Run:
    """A call that runs, or has a result."""

    def __init__(self, method: int):
        self.method = method
        self.places: set[tuple[Connection, int]] = set()
        self.task: asyncio.Task[None] | None = None
        self.result: tuple[int, bytes] | None = None


class Tools:
    def __init__(self, at_once: int):
        self._handlers: dict[str, Handler] = {}
        self._question: Handler | None = None
        self._runs: OrderedDict[Key, Run] = OrderedDict()
        self._at_once = at_once
        self._room: asyncio.Semaphore | None = None
        self._is_closed = False

    @property
    def features(self) -> list[str]:
        return ["call_tool"] * bool(self._handlers) + ["request_user_input"] * bool(self._question)

    def add(self, name: str, handler: Handler) -> bool:
        """True: HELLO has to say more than before."""
        is_first = not self._handlers
        self._handlers[name] = handler
        return is_first

    def ask_with(self, handler: Handler) -> bool:
        is_first = self._question is None
        self._question = handler
        return is_first

    def close(self) -> None:
        self._is_closed = True
        for run in self._runs.values():
            if run.task is not None:
                run.task.cancel()

    # What the server says

    def asked(self, connection: Connection, stream: int, method: int, payload: bytes) -> None:
        kinds: dict[int, type[client_pb2.CallToolRequest] | type[client_pb2.RequestUserInputRequest]] = {
            methods.CLIENT_CALL_TOOL: client_pb2.CallToolRequest,
            methods.CLIENT_REQUEST_USER_INPUT: client_pb2.RequestUserInputRequest}
        kind = kinds.get(method)
        if kind is None or self._is_closed:
            return _answer(connection, stream, method, frames.ERROR, _error(12, "this client has no such method"))
        try:
            request = kind.FromString(payload)
        except Exception:
            return _answer(connection, stream, method, frames.ERROR, _error(3, "the request cannot be read"))
        handler = self._question
        if isinstance(request, client_pb2.CallToolRequest):
            handler = self._handlers.get(request.name)
        if handler is None:
            return _answer(connection, stream, method, frames.ERROR, _error(12, "this client does not have the tool"))
        key = (request.thread, request.turn, request.call_id)
        run = self._runs.get(key)
        if run is None:
            run = self._runs[key] = Run(method)
            run.places.add((connection, stream))
            run.task = asyncio.ensure_future(self._serve(run, handler, request, connection))
            self._forget()
        elif run.result is not None:
            _answer(connection, stream, method, *run.result)
        else:
            run.places = {place for place in run.places if not place[0].has_ended} | {(connection, stream)}

    def taken_back(self, connection: Connection, stream: int) -> None:
        for key, run in list(self._runs.items()):
            if (connection, stream) in run.places:
                run.places.discard((connection, stream))
                if not any(not place[0].has_ended for place in run.places) and run.task is not None:
                    run.task.cancel()
                    if run.result is None:
                        del self._runs[key]

    def _forget(self) -> None:
        for key in list(self._runs):
            if len(self._runs) <= REMEMBERED:
                return
            if self._runs[key].result is not None:
                del self._runs[key]

    # The functions

    async def _serve(self, run: Run, handler: Handler, request: Any, connection: Connection) -> None:
        self._room = self._room or asyncio.Semaphore(self._at_once)
        left = _seconds_left(request.deadline, connection)
        try:
            async with self._room:
                run.result = await asyncio.wait_for(_run(handler, request), left)
        except asyncio.CancelledError:
            raise
        except (asyncio.TimeoutError, TimeoutError):
            run.result = frames.ERROR, _error(4, "the tool did not end in its time")
        except Exception as error:
            log.info("the tool of call %s raised %s", request.call_id, type(error).__name__)
            text = error.message if isinstance(error, HeddleError) else str(error) or type(error).__name__
            run.result = frames.ERROR, _error(2, text[:4_000])
        limit = connection.hello.limits.frame_bytes if connection.hello is not None else 0
        if limit and len(run.result[1]) > limit:
            run.result = frames.ERROR, _error(2, f"the tool's result is larger than {limit} bytes")
        for place, stream in run.places:
            _answer(place, stream, run.method, *run.result)


async def _run(handler: Handler, request: Any) -> tuple[int, bytes]:
    if isinstance(request, client_pb2.RequestUserInputRequest):
        answer = await _value(handler(request))
        return frames.RESPONSE, client_pb2.RequestUserInputResponse(
            answer=str(answer), action_hash=request.action_hash).SerializeToString()
    arguments = json.loads(request.arguments or "{}")
    if not isinstance(arguments, dict):
        raise ValueError("the arguments are no JSON object")
    value = await _value(handler(**arguments))
    if isinstance(value, client_pb2.CallToolResponse):
        return frames.RESPONSE, value.SerializeToString()
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return frames.RESPONSE, client_pb2.CallToolResponse(content=[{"text": text}], success=True).SerializeToString()


async def _value(made: Any) -> Any:
    return await made if inspect.isawaitable(made) else made


def _seconds_left(deadline: int, connection: Connection) -> float | None:
    """By the server's clock, which the machine's own may differ from."""
    if not deadline:
        return None
    ahead = connection.clock_ahead_ms
    return max(0.0, (deadline - ahead) / 1_000 - time.time())


def _error(code: int, message: str) -> bytes:
    return frame_pb2.Error(code=code, reason="tool_failed", message=message).SerializeToString()  # type: ignore[arg-type]


def _answer(connection: Connection, stream: int, method: int, kind: int, payload: bytes) -> None:
    connection.write(kind, method, stream, payload)
