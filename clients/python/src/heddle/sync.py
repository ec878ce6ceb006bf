"""The client for programs without asyncio.

    with heddle.sync.connect("heddle://127.0.0.1") as client:
        started = client.threads.start(name="first")
        for text in client.turn(started.thread.id, "Hello").text:
            print(text, end="")

An event loop in a thread of its own does the work. Any thread may call; tools run in threads of a pool.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from heddle import _client
from heddle._errors import Closed
from heddle._generated import sync_services
from heddle._hooks import Hooks
from heddle._options import Options, Token
from heddle._service import Id
from heddle._subscription import Subscription
from heddle._turn import Turn, TurnResult
from heddle.v1 import event_pb2

Value = TypeVar("Value")
Run = Callable[[Awaitable[Any]], Any]


class Handover(Generic[Value]):
    """A call that a thread hands to the loop and waits for: a lock, in place of two futures and a condition."""

    def __init__(self, call: Awaitable[Value]):
        self._call = call
        self._ended = threading.Lock()
        self._ended.acquire()
        self._result: list[Value] = []
        self._error: BaseException | None = None
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        self._task = asyncio.ensure_future(self._work())

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _work(self) -> None:
        try:
            self._result.append(await self._call)
        except BaseException as error:
            self._error = error
        self._ended.release()

    def wait(self) -> Value:
        self._ended.acquire()
        if self._error is not None:
            raise self._error
        return self._result[0]


class SyncSubscription:
    """`for message in client.subscribe(thread, after=0)`; leave it with `close`, or use it in `with`."""

    def __init__(self, inner: Subscription, run: Run):
        self._inner, self._run = inner, run

    def __iter__(self) -> Iterator[event_pb2.SubscriptionEvent]:
        return self

    def __next__(self) -> event_pb2.SubscriptionEvent:
        try:
            message: event_pb2.SubscriptionEvent = self._run(self._inner.__anext__())
        except StopAsyncIteration:
            raise StopIteration from None
        return message

    def __enter__(self) -> SyncSubscription:
        self._run(self._inner.opened_at())
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._run(self._inner.aclose())


class SyncTurn:
    """Made by `client.turn`. Take `text` or `result()`, once."""

    def __init__(self, inner: Turn, run: Run):
        self._inner, self._run = inner, run

    @property
    def id(self) -> bytes | None:
        return self._inner.id

    @property
    def text(self) -> Iterator[str]:
        pieces = self._inner.text
        while True:
            try:
                piece = self._run(pieces.__anext__())
            except StopAsyncIteration:
                return
            yield piece

    def result(self) -> TurnResult:
        ended: TurnResult = self._run(self._inner.result())
        return ended

    def interrupt(self) -> None:
        self._run(self._inner.interrupt())


class SyncClient:
    """Made by `heddle.sync.connect`."""

    def __init__(self, make: Callable[[], _client.Client]):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="heddle", daemon=True)
        self._thread.start()
        self._inner = make()
        run = self._run
        self.threads = sync_services.ThreadsService(self._inner.threads, run)
        self.turns = sync_services.TurnsService(self._inner.turns, run)
        self.settings = sync_services.SettingsService(self._inner.settings, run)
        self.agents = sync_services.AgentsService(self._inner.agents, run)
        self.catalog = sync_services.CatalogService(self._inner.catalog, run)
        self.server = sync_services.ServerService(self._inner.server, run)
        self.calls = sync_services.CallsService(self._inner.calls, run)

    def __repr__(self) -> str:
        return repr(self._inner)

    def __enter__(self) -> SyncClient:
        try:
            self._run(self._inner.__aenter__())
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, call: Awaitable[Value]) -> Value:
        if not self._thread.is_alive():
            if inspect.iscoroutine(call):
                call.close()
            raise Closed("the client is closed")
        handover = Handover(call)
        self._loop.call_soon_threadsafe(handover.begin)
        try:
            return handover.wait()
        except BaseException:
            self._loop.call_soon_threadsafe(handover.cancel)
            raise

    def subscribe(self, thread: Id | None = None, *, after: int | None = None, epoch: int | None = None,
                  tree: bool = False, kinds: Iterable[int | str] = (), credit: int | None = None) -> SyncSubscription:
        """As `heddle.Client.subscribe`."""
        inner = self._inner.subscribe(thread, after=after, epoch=epoch, tree=tree, kinds=kinds, credit=credit)
        return SyncSubscription(inner, self._run)

    def turn(self, thread: Id, text: str, **fields: Any) -> SyncTurn:
        """As `heddle.Client.turn`."""
        return SyncTurn(self._inner.turn(thread, text, **fields), self._run)

    def tool(self, name: str, handler: Callable[..., Any] | None = None) -> Any:
        """As `heddle.Client.tool`; the function runs in a thread of a pool."""
        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            self._on_loop(lambda: self._inner.tool(name, self._pooled(function)))
            return function
        return register if handler is None else register(handler)

    def on_question(self, handler: Callable[..., Any]) -> Callable[..., Any]:
        """As `heddle.Client.on_question`; the function runs in a thread of a pool."""
        self._on_loop(lambda: self._inner.on_question(self._pooled(handler)))
        return handler

    def _on_loop(self, act: Callable[[], Any]) -> None:
        async def run() -> None:
            act()
        self._run(run())

    def _pooled(self, function: Callable[..., Any]) -> Callable[..., Any]:
        async def run(*arguments: Any, **named: Any) -> Any:
            return await self._loop.run_in_executor(None, functools.partial(function, *arguments, **named))
        return run

    def close(self) -> None:
        """Waits for calls that have no answer yet, at most `close_timeout`; then nothing is left."""
        if not self._thread.is_alive():
            return
        self._run(self._inner.close())
        self._run(self._loop.shutdown_asyncgens())
        self._run(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def connect(url: str | None = None, *, token: Token = None, options: Options | None = None, ssl: Any = None,
            hooks: Hooks | None = None) -> SyncClient:
    """As `heddle.connect`: `with heddle.sync.connect("heddle://127.0.0.1") as client`."""
    return SyncClient(lambda: _client.connect(url, token=token, options=options, ssl=ssl, hooks=hooks))
