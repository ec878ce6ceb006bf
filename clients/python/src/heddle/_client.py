"""A client: its connections, and calls that survive them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable
from importlib import metadata as packages
from typing import Any

from heddle import _connection, _url
from heddle import _frames as frames
from heddle._attempts import Attempts
from heddle._connection import Connection
from heddle._errors import CannotConnect, Closed, HeddleError, Lost, Refused
from heddle._generated import services
from heddle._generated.errors import RETRY
from heddle._hooks import Guarded, Hooks, log
from heddle._method import Method, Request, Response
from heddle._options import Options, Token
from heddle._service import Id, id_bytes
from heddle._subscription import Subscription
from heddle._tools import Handler, Tools
from heddle._turn import Turn
from heddle.v1 import frame_pb2, thread_pb2


class Client:
    """Made by `connect`. All of it runs on one event loop."""

    def __init__(self, target: _url.Target, token: Token, options: Options):
        self._target, self._token, self._options = target, token, options
        self._hooks = Guarded(options.hooks or Hooks())
        self._current: Connection | None = None
        self._dialing: asyncio.Task[Connection] | None = None
        self._connections: set[Connection] = set()
        self._subscriptions: set[Subscription] = set()
        self._is_closed = False
        self._calls = 0
        self._tools = Tools(options.tools_at_once)
        self.threads = services.ThreadsService(self._call)
        self.turns = services.TurnsService(self._call)
        self.settings = services.SettingsService(self._call)
        self.agents = services.AgentsService(self._call)
        self.catalog = services.CatalogService(self._call)
        self.server = services.ServerService(self._call)
        self.calls = services.CallsService(self._call)

    def __repr__(self) -> str:
        hosts = ",".join(f"{host}:{port}" for host, port in self._target.hosts)
        return f"<heddle.Client of {hosts}{' by TLS' if self._target.tls else ''}>"

    async def __aenter__(self) -> Client:
        await self._connection()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # What a program does

    def subscribe(self, thread: Id | None = None, *, after: int | None = None, epoch: int | None = None,
                  tree: bool = False, kinds: Iterable[int | str] = (), credit: int | None = None) -> Subscription:
        """The events of a thread, from event `after` on, over connections that come and go.

        after: the last event that is known already; 0: all of them; None: only new ones.
        tree: the agents below the thread too; such a message has `thread`.
        thread: None: notices of all threads.
        """
        request = thread_pb2.SubscribeRequest(
            after=after, epoch=epoch, tree=tree, kinds=kinds,  # type: ignore[arg-type]
            thread=None if thread is None else id_bytes(thread))
        return Subscription(self, request, credit or self._options.credit)

    def turn(self, thread: Id, text: str, **fields: Any) -> Turn:
        """Starts a turn and follows it: `async for piece in client.turn(thread, "Hello").text`.

        fields: more fields of StartTurnRequest, such as `settings`.
        """
        return Turn(self, id_bytes(thread), text, fields)

    def tool(self, name: str, handler: Handler | None = None) -> Any:
        """Names the function that runs a tool of this client: `@client.tool("weather")`.

        The function gets the arguments by name, and returns text, or a value that JSON can hold. The model is told
        of an exception. The thread must offer the tool: `threads.start(tools=[{"name": …, "schema": …}])`.
        """
        def register(function: Handler) -> Handler:
            if self._tools.add(name, function):
                self._renew()
            return function
        return register if handler is None else register(handler)

    def on_question(self, handler: Callable[..., Any]) -> Callable[..., Any]:
        """Names the function that asks the user: it gets the request and returns the answer's text."""
        if self._tools.ask_with(handler):
            self._renew()
        return handler

    async def close(self) -> None:
        """Waits for calls that have no answer yet, at most `close_timeout`; then nothing is left."""
        if self._is_closed:
            return
        self._is_closed = True
        for subscription in list(self._subscriptions):
            await subscription.aclose()
        if self._dialing is not None:
            self._dialing.cancel()
        until = asyncio.get_running_loop().time() + self._options.close_timeout
        self._tools.close()
        for connection in list(self._connections):
            connection.leave()
        waiting = [connection.gone for connection in self._connections]
        if waiting:
            await asyncio.wait(waiting, timeout=max(0.0, until - asyncio.get_running_loop().time()))
        for connection in list(self._connections):
            connection.end(Lost("the client is closed"))
        await asyncio.sleep(0)

    # Connections

    async def _connection(self) -> Connection:
        """The connection for new calls."""
        if self._current is not None and self._current.is_usable:
            return self._current
        if self._is_closed:
            raise Closed("the client is closed")
        if self._dialing is None or self._dialing.done():
            self._dialing = asyncio.ensure_future(self._dial())
        # One caller that gives up does not end it for the others.
        connection = await asyncio.shield(self._dialing)
        self._current = connection
        return connection

    async def _connection_for(self, thread: bytes | None) -> Connection:
        """One that does not follow the thread yet; from now on it does."""
        first = await self._connection()
        for connection in (first, *self._connections):
            if connection.is_usable and thread not in connection.follows:
                break
        else:
            connection = await self._dial()
        connection.follows.add(thread)
        return connection

    async def _dial(self) -> Connection:
        hello, features = await self._hello(), frozenset(self._tools.features)
        failures: list[str] = []
        for host, port in self._target.hosts:
            try:
                context = self._target.ssl_context()
            except (OSError, ValueError) as error:
                raise CannotConnect(f"the files for TLS cannot be used: {error}") from error
            try:
                connection = await asyncio.wait_for(
                    _connection.connect(self, host, port, context, self._target.name, hello, features, self._options),
                    self._options.connect_timeout)
            except (asyncio.TimeoutError, TimeoutError):
                failures.append(f"{host}:{port} did not answer in {self._options.connect_timeout:g} s")
            except OSError as error:
                failures.append(f"{host}:{port}: {error}")
            except Lost as error:
                failures.append(f"{host}:{port}: {error.message}")
            except Refused as error:
                # Another server may have room, or not be on its way down; a wrong token is wrong everywhere.
                if RETRY.get(error.reason) != "reconnect" or (host, port) == self._target.hosts[-1]:
                    raise
                failures.append(f"{host}:{port}: {error}")
            else:
                self._connections.add(connection)
                self._hooks.connected(host, port)
                return connection
        raise CannotConnect("no server can be reached: " + "; ".join(failures))

    async def _hello(self) -> bytes:
        token = await self._fresh_token()
        hello = frame_pb2.ClientHello(
            client_name=self._options.client_name, client_version=version(), token=token,
            features=sorted(self._tools.features), unwanted_notifications=["thread_started"])
        return frames.pack(frames.HELLO, 0, 0, hello.SerializeToString())

    async def _fresh_token(self) -> str:
        if self._token is None:
            return os.environ.get("HEDDLE_TOKEN") or ""
        if isinstance(self._token, str):
            return self._token
        try:
            made = self._token()
            return made if isinstance(made, str) else await made
        except HeddleError:
            raise
        except Exception as error:
            raise CannotConnect(f"the function for the token raised {type(error).__name__}: {error}") from error

    def _renew(self) -> None:
        """HELLO names what has handlers, so a new handler needs a new connection."""
        for connection in list(self._connections):
            connection.leave()

    # Calls

    async def _call(self, method: Method[Request, Response], request: Request, key: bytes | None,
                    timeout: float | None) -> Response:
        if method.number in (101, 102, 103):
            request = type(request).FromString(request.SerializeToString())
            request.subscribe = False  # type: ignore[attr-defined]
        attempt = Attempts(self, method, key, self._options.timeout if timeout is None else timeout)
        self._calls += 1
        try:
            payload = await attempt.run(request.SerializeToString())
        finally:
            self._calls -= 1
        return method.response.FromString(payload)

    # Owner of connections

    def server_asks(self, connection: Connection, stream: int, method: int, payload: bytes) -> None:
        self._tools.asked(connection, stream, method, payload)

    def server_takes_back(self, connection: Connection, stream: int) -> None:
        self._tools.taken_back(connection, stream)

    def server_refuses(self, stream: int, error: Refused) -> None:
        log.warning("the server does not take an answer: %s", error)

    def connection_leaves(self, connection: Connection) -> None:
        for subscription in list(self._subscriptions):
            subscription.leave(connection)

    def connection_ended(self, connection: Connection, reason: str) -> None:
        if connection in self._connections:
            self._connections.discard(connection)
            self._hooks.lost(reason)


def version() -> str:
    try:
        return packages.version("heddle")
    except packages.PackageNotFoundError:
        return "0"


def connect(url: str | None = None, *, token: Token = None, options: Options | None = None, ssl: Any = None,
            hooks: Hooks | None = None) -> Client:
    """A client: `async with heddle.connect("heddle://127.0.0.1") as client`.

    url: `heddle://host:port,host2?tls=on&ca=FILE&cert=FILE&key=FILE&name=NAME`; else HEDDLE_URL, else this machine.
    token: a token, or a function that gives a fresh one; else HEDDLE_TOKEN.
    ssl: an ssl.SSLContext of your own.
    """
    made = options or Options()
    if hooks is not None:
        made = Options(**{**made.__dict__, "hooks": hooks})
    return Client(_url.parse(url, ssl), token, made)
