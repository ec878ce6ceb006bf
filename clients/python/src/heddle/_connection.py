"""One connection to one server: bytes in, frames to whoever asked, frames out.

    opening   HELLO is on its way.                                                     → open, ended
    open      calls go.                                                                → leaving, ended
    leaving   the server has sent GOAWAY, or the client replaces it: nothing new; what it covers goes on. → ended
    ended     everybody who waited has been told.
"""

from __future__ import annotations

import asyncio
import os
import ssl
import time
from collections import deque
from typing import Protocol

from heddle import _frames as frames
from heddle._errors import HeddleError, Lost, ProtocolError, Refused, TimedOut, TooLarge
from heddle._generated.errors import BY_CODE, CODES
from heddle._options import Options
from heddle.v1 import frame_pb2

LAST_STREAM = 0xFFFF_FFFF - 2
PING_INTERVAL = 5.0


class Handler(Protocol):
    """Whoever has asked for something on a stream."""

    def frame(self, kind: int, flags: int, payload: bytes, size: int) -> None: ...

    def ended(self, error: HeddleError) -> None: ...


class Owner(Protocol):
    def server_asks(self, connection: Connection, stream: int, method: int, payload: bytes) -> None: ...

    def server_takes_back(self, connection: Connection, stream: int) -> None: ...

    def server_refuses(self, stream: int, error: Refused) -> None: ...

    def connection_leaves(self, connection: Connection) -> None: ...

    def connection_ended(self, connection: Connection, reason: str) -> None: ...


def refused(error: frame_pb2.Error, attempts: int = 1) -> Refused:
    made = BY_CODE.get(error.code, Refused)
    wait = error.retry_after_ms / 1_000 if error.HasField("retry_after_ms") else None
    return made(error.message, code=CODES.get(error.code, str(error.code)), reason=error.reason, retry_after=wait,
                details={one.name: one.value for one in error.details}, debug_id=error.debug_id, attempts=attempts)


class Pending:
    """A call that waits for its answer."""

    __slots__ = ("connection", "future", "received", "timer")

    def __init__(self, connection: Connection, future: asyncio.Future[bytes]):
        self.connection, self.future = connection, future
        self.timer: asyncio.TimerHandle | None = None
        self.received = 0

    def frame(self, kind: int, flags: int, payload: bytes, size: int) -> None:
        self.received = size
        self.connection.answered()
        if self.timer is not None:
            self.timer.cancel()
        if self.future.done():
            return
        if kind == frames.RESPONSE:
            self.future.set_result(payload)
        elif kind == frames.ERROR:
            self.future.set_exception(refused(frames.refusal(payload)))
        else:
            self.future.set_exception(ProtocolError("the server sent an event where an answer is due"))

    def ended(self, error: HeddleError) -> None:
        self.connection.answered()
        if self.timer is not None:
            self.timer.cancel()
        if not self.future.done():
            self.future.set_exception(error)


class Connection(asyncio.Protocol):
    def __init__(self, owner: Owner, options: Options, hello: bytes, features: frozenset[str]):
        self.owner, self.options, self.features = owner, options, features
        self.loop = asyncio.get_running_loop()
        self.hello: frame_pb2.ServerHello | None = None
        self.ready: asyncio.Future[None] = self.loop.create_future()
        self.gone: asyncio.Future[None] = self.loop.create_future()
        self.is_leaving = False
        self.has_ended = False
        # By how much the server's clock is ahead of this machine's.
        self.clock_ahead_ms = 0.0
        self.limit = 256
        self.in_flight = 0
        # The threads that subscriptions of this connection follow: one each.
        self.follows: set[bytes | None] = set()
        self._hello = hello
        self._transport: asyncio.Transport | None = None
        self._cutter = frames.Cutter()
        self._out: list[bytes] = []
        self._streams: dict[int, Handler] = {}
        self._room: deque[asyncio.Future[None]] = deque()
        self._next = 1
        self._heard = self._pinged = self.loop.time()
        self._clock: asyncio.TimerHandle | None = None
        self._fault: HeddleError | None = None

    @property
    def is_usable(self) -> bool:
        return not self.has_ended and not self.is_leaving and self.hello is not None

    @property
    def is_idle(self) -> bool:
        return not self._streams and not self._room

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._hello)
        self._hello = b""
        self._heard = self.loop.time()
        self._tick()

    def data_received(self, data: bytes) -> None:
        self._heard = self.loop.time()
        try:
            for frame in self._cutter.cut(data):
                if self.has_ended:
                    return
                self._frame(*frame)
        except HeddleError as error:
            self.end(error)

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.end(Lost(f"the connection ended: {exc}" if exc else "the server closed the connection"))

    # In

    def _frame(self, kind: int, flags: int, method: int, stream: int, payload: bytes, size: int) -> None:
        if self.hello is None and kind not in (frames.HELLO, frames.PING, frames.PONG, frames.GOAWAY):
            raise ProtocolError("the server's first frame is no HELLO")
        if stream and stream & 1 and kind in (frames.RESPONSE, frames.EVENT, frames.ERROR):
            self._answer(kind, flags, stream, payload, size)
        elif kind == frames.PING:
            self.write(frames.PONG, 0, 0, frame_pb2.Pong(opaque=_read(frame_pb2.Ping, payload).opaque))
        elif kind == frames.GOAWAY:
            self._go_away(_read(frame_pb2.GoAway, payload))
        elif kind == frames.HELLO:
            self._greeted(_read(frame_pb2.ServerHello, payload))
        elif kind == frames.REQUEST and stream and not stream & 1:
            self.owner.server_asks(self, stream, method, payload)
        elif kind == frames.CANCEL:
            self.owner.server_takes_back(self, stream)
        elif kind == frames.ERROR:
            self.owner.server_refuses(stream, refused(frames.refusal(payload)))
        elif kind not in (frames.PONG, frames.EVENT):
            raise ProtocolError(f"the server sent a frame of kind {kind} on stream {stream}")

    def _answer(self, kind: int, flags: int, stream: int, payload: bytes, size: int) -> None:
        handler = self._streams.get(stream)
        if handler is None:
            # One that has ended may be answered late; one that was never opened may not.
            if stream >= self._next:
                raise ProtocolError(f"the server answers on stream {stream}, which was never opened")
            return
        is_last = kind == frames.RESPONSE and (flags & frames.END_OF_STREAM or isinstance(handler, Pending))
        if kind == frames.ERROR or is_last:
            del self._streams[stream]
        handler.frame(kind, flags, payload, size)
        self.end_if_done()

    def _greeted(self, hello: frame_pb2.ServerHello) -> None:
        if self.hello is not None:
            raise ProtocolError("the server said HELLO twice")
        if hello.version != 1:
            raise ProtocolError(f"the server speaks version {hello.version} of the protocol")
        self.hello = hello
        self.clock_ahead_ms = hello.server_time - time.time() * 1_000 if hello.server_time else 0.0
        if hello.limits.requests_in_flight:
            self.limit = hello.limits.requests_in_flight
        self._cutter.largest = max(frames.RECEIVED_BYTES, 2 * hello.limits.frame_bytes)
        if not self.ready.done():
            self.ready.set_result(None)

    def _go_away(self, notice: frame_pb2.GoAway) -> None:
        error = refused(notice.error)
        self._fault = self._fault or error
        if self.hello is None:
            return self.end(error)
        self.is_leaving = True
        for stream in [s for s in self._streams if s > notice.last_stream]:
            self._streams.pop(stream).ended(Lost(f"the server goes: {error.message}", was_sent=False))
        self._wake(all_of_them=True)
        self.owner.connection_leaves(self)
        self.end_if_done()

    # Out

    def write(self, kind: int, method: int, stream: int,
              message: frame_pb2.Pong | frame_pb2.Ping | frame_pb2.Credit | bytes, metadata: bytes = b"") -> None:
        if self.has_ended:
            return
        payload = message if isinstance(message, bytes) else message.SerializeToString()
        if not self._out:
            self.loop.call_soon(self._flush)
        self._out.append(frames.pack(kind, method, stream, payload, metadata))

    def _flush(self) -> None:
        out, self._out = self._out, []
        if self._transport is not None and not self.has_ended and out:
            self._transport.write(out[0] if len(out) == 1 else b"".join(out))

    def open_stream(self, method: int, payload: bytes, metadata: bytes, handler: Handler) -> int:
        if not self.is_usable or self._next > LAST_STREAM:
            self.leave()
            raise Lost("the connection takes no more calls", was_sent=False)
        most = self.hello.limits.frame_bytes if self.hello is not None else 0
        if most and len(payload) + len(metadata) > most:
            raise TooLarge(f"the message has {len(payload)} bytes; the server takes {most}")
        stream, self._next = self._next, self._next + 2
        self._streams[stream] = handler
        self.write(frames.REQUEST, method, stream, payload, metadata)
        return stream

    def cancel(self, stream: int) -> None:
        if stream in self._streams:
            self.write(frames.CANCEL, 0, stream, b"")

    async def call(self, method: int, payload: bytes, metadata: bytes, deadline: float | None) -> tuple[bytes, int]:
        """One request and its answer, and the bytes of that."""
        while self.in_flight >= self.limit and self.is_usable:
            await self._wait_for_room(deadline)
        future: asyncio.Future[bytes] = self.loop.create_future()
        pending = Pending(self, future)
        stream = self.open_stream(method, payload, metadata, pending)
        self.in_flight += 1
        if deadline is not None:
            pending.timer = self.loop.call_at(deadline, self._expire, stream, pending)
        try:
            return await future, pending.received
        except asyncio.CancelledError:
            self.cancel(stream)
            raise

    async def _wait_for_room(self, deadline: float | None) -> None:
        room: asyncio.Future[None] = self.loop.create_future()
        self._room.append(room)
        try:
            await asyncio.wait_for(room, None if deadline is None else max(0.0, deadline - self.loop.time()))
        except asyncio.TimeoutError:
            raise TimedOut("the call waited for others until its time was over") from None
        finally:
            if room in self._room:
                self._room.remove(room)

    def _expire(self, stream: int, pending: Pending) -> None:
        self.cancel(stream)
        if not pending.future.done():
            pending.future.set_exception(TimedOut("the call's time is over"))

    def answered(self) -> None:
        self.in_flight -= 1
        self._wake()

    def _wake(self, all_of_them: bool = False) -> None:
        while self._room and (all_of_them or self.in_flight < self.limit):
            room = self._room.popleft()
            if not room.done():
                room.set_result(None)
                if not all_of_them:
                    return

    # Time

    def _tick(self) -> None:
        if self.has_ended:
            return
        now = self.loop.time()
        silence = now - self._heard
        if silence >= self.options.lost_after:
            return self.end(Lost(f"nothing came from the server for {silence:.0f} s"))
        shortest = min(PING_INTERVAL, self.options.ping_after)
        if silence >= self.options.ping_after and now - self._pinged >= shortest:
            self._pinged = now
            self.write(frames.PING, 0, 0, frame_pb2.Ping(opaque=os.urandom(8)))
        self._clock = self.loop.call_later(min(self.options.ping_after, self.options.lost_after) / 4, self._tick)

    # The end

    def leave(self) -> None:
        """Nothing new goes out; it closes when everything is answered."""
        if self.is_leaving or self.has_ended:
            return
        self.is_leaving = True
        self._wake(all_of_them=True)
        self.owner.connection_leaves(self)
        self.end_if_done()

    def end_if_done(self) -> None:
        if self.is_leaving and not self._streams and not self.has_ended:
            self.end(self._fault or Lost("the connection was replaced"))

    def end(self, error: HeddleError) -> None:
        if self.has_ended:
            return
        self._flush()
        self.has_ended = True
        if self._clock is not None:
            self._clock.cancel()
        if self._transport is not None:
            self._transport.close() if self.is_leaving else self._transport.abort()
        # A GOAWAY that came before says more than the end of the bytes.
        cause = self._fault if self._fault is not None and isinstance(error, Lost) else error
        if not self.ready.done():
            self.ready.set_exception(cause)
            self.ready.exception()
        streams, self._streams = self._streams, {}
        for handler in streams.values():
            handler.ended(cause if isinstance(cause, (ProtocolError, TooLarge)) else _lost(cause))
        self._wake(all_of_them=True)
        if not self.gone.done():
            self.gone.set_result(None)
        self.owner.connection_ended(self, str(cause))


def _lost(cause: HeddleError) -> Lost:
    """What the calls of a connection that has ended hear, one error each: they may have been served."""
    lost = Lost(f"the server ended the connection: {cause}" if isinstance(cause, Refused) else cause.message)
    lost.__cause__ = cause
    return lost


def _read(kind: type, payload: bytes):  # type: ignore[no-untyped-def]
    try:
        return kind.FromString(payload)  # type: ignore[attr-defined]
    except Exception as error:
        raise ProtocolError(f"the server sent a {kind.__name__} that cannot be read") from error


async def connect(owner: Owner, host: str, port: int, context: ssl.SSLContext | None, name: str, hello: bytes,
                  features: frozenset[str], options: Options) -> Connection:
    """A connection that has said HELLO and heard it."""
    loop = asyncio.get_running_loop()
    connection = Connection(owner, options, hello, features)
    try:
        await loop.create_connection(
            lambda: connection, host, port, ssl=context, server_hostname=(name or host) if context else None)
        await connection.ready
    except BaseException:
        connection.end(Lost("it could not be opened"))
        raise
    return connection
