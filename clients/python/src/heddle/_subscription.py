"""A subscription: an iterator over the messages of a thread, which survives connections.

It goes on behind the last event that the program has taken. What was read ahead of it goes with its connection and
comes again, so nothing is skipped and no event comes twice.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from types import TracebackType
from typing import TYPE_CHECKING

from heddle import _frames as frames
from heddle._connection import Connection, refused
from heddle._errors import Closed, HeddleError, Lost, ProtocolError, Refused, TooLarge
from heddle._generated.errors import RETRY
from heddle.v1 import event_pb2, frame_pb2, thread_pb2

if TYPE_CHECKING:
    from heddle._client import Client

SUBSCRIBE = 118
# A server sends the message that uses up the credit in full; one that goes far beyond does not count.
OVERDRAFT = 8 << 20
EVENTS_ONLY = (thread_pb2.SUBSCRIPTION_KIND_EVENTS,)


class Stream:
    """The subscription on one connection."""

    def __init__(self, owner: Subscription, connection: Connection):
        self.owner, self.connection = owner, connection
        self.number = 0
        self.allowed = owner.credit
        self.since = connection.loop.time()
        self.is_done = False

    def frame(self, kind: int, flags: int, payload: bytes, size: int) -> None:
        if self.owner.stream is not self:
            return
        try:
            if kind == frames.ERROR:
                self.done()
                self.owner.broke(self, refused(frames.refusal(payload)))
            elif kind == frames.RESPONSE:
                self.owner.opened(self, _message(payload))
            else:
                self.allowed -= size
                if self.allowed < -OVERDRAFT:
                    raise ProtocolError("the server sends more than the subscription's credit allows")
                self.owner.came(_message(payload), size)
        except ProtocolError as error:
            self.connection.end(error)

    def ended(self, error: HeddleError) -> None:
        self.done()
        if self.owner.stream is self:
            self.owner.broke(self, error)

    def done(self) -> None:
        """Once: afterwards another stream of this connection may follow the thread."""
        if not self.is_done:
            self.connection.follows.discard(self.owner.thread)
        self.is_done = True

    def leave(self) -> None:
        """The rest of it is not wanted any more."""
        self.done()
        self.connection.cancel(self.number)


class Gap:
    """Events of an agent that came while there was no connection: they are read before the stream goes on."""

    def __init__(self, agent: bytes, after: int, until: int):
        self.agent, self.after, self.until = agent, after, until


class Subscription:
    """`async for message in client.subscribe(thread, after=0)`; a message is a `SubscriptionEvent`."""

    def __init__(self, client: Client, request: thread_pb2.SubscribeRequest, credit: int):
        self.client, self.request, self.credit = client, request, credit
        self.thread: bytes | None = request.thread if request.HasField("thread") else None
        self.stream: Stream | None = None
        # The last event that the program has taken, and the last one that has come.
        self.cursor: int | None = request.after if request.HasField("after") else None
        self.received = self.cursor
        self.epoch: int | None = request.epoch if request.HasField("epoch") else None
        self.agents: dict[bytes, int] = {}
        # Messages of kinds that this client does not know.
        self.skipped = 0
        self._queue: deque[tuple[event_pb2.SubscriptionEvent | Gap, int]] = deque()
        self._returned = 0
        self._waiter: asyncio.Future[None] | None = None
        self._error: HeddleError | None = None
        self._opening: asyncio.Task[None] | None = None
        self._has_opened = False
        self._gaps_in_a_row = 0
        # Streams that ended soon, without a message taken since: such a subscription comes again ever more slowly.
        self._broken = 0
        self._filling: tuple[Subscription, Gap] | None = None
        self._is_closed = False
        self._subscribed: asyncio.Future[None] | None = None

    # The program's side

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> event_pb2.SubscriptionEvent:
        while True:
            if self._filling is not None:
                filled = await self._fill()
                if filled is not None:
                    return filled
                continue
            if self._queue:
                message, size = self._queue.popleft()
                if isinstance(message, Gap):
                    inner = thread_pb2.SubscribeRequest(thread=message.agent, after=message.after, kinds=EVENTS_ONLY)
                    self._filling = (Subscription(self.client, inner, self.credit), message)
                    continue
                self._taken(message, size)
                return message
            if self._is_closed:
                raise StopAsyncIteration
            if self._error is not None:
                self._is_closed = True
                self.client._subscriptions.discard(self)
                raise self._error
            self._open_if_needed()
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter

    async def opened_at(self) -> int:
        """Returns when the server follows the thread for this subscription: the newest event of that moment."""
        self._open_if_needed()
        while not self._has_opened and self._error is None:
            self._subscribed = self._subscribed or asyncio.get_running_loop().create_future()
            await asyncio.shield(self._subscribed)
        if self._error is not None:
            raise self._error
        return self.received or 0

    async def aclose(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self.client._subscriptions.discard(self)
        if self._opening is not None:
            self._opening.cancel()
        if self._filling is not None:
            await self._filling[0].aclose()
        stream, self.stream = self.stream, None
        if stream is not None:
            stream.leave()
        self._queue.clear()
        self._wake()

    async def __aenter__(self) -> Subscription:
        await self.opened_at()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None,
                        trace: TracebackType | None) -> None:
        await self.aclose()

    def _taken(self, message: event_pb2.SubscriptionEvent, size: int) -> None:
        self._broken = 0
        if message.WhichOneof("kind") == "event":
            if message.HasField("thread"):
                self.agents[message.thread] = message.event.sequence
            else:
                self.cursor = message.event.sequence
        self._returned += size
        if self._returned >= self.credit // 2 and self.stream is not None:
            self.stream.allowed += self._returned
            self.stream.connection.write(
                frames.CREDIT, SUBSCRIBE, self.stream.number, frame_pb2.Credit(bytes=self._returned))
            self._returned = 0

    async def _fill(self) -> event_pb2.SubscriptionEvent | None:
        assert self._filling is not None
        inner, gap = self._filling
        if self.agents.get(gap.agent, gap.after) >= gap.until:
            self._filling = None
            await inner.aclose()
            return None
        try:
            message = await inner.__anext__()
        except Refused as error:
            # An agent that has been deleted has nothing left to read.
            if error.reason != "thread":
                raise
            self.agents[gap.agent] = gap.until
            return None
        if message.WhichOneof("kind") != "event":
            return None
        self.agents[gap.agent] = message.event.sequence
        message.thread = gap.agent
        return message

    # The connections' side

    def _open_if_needed(self) -> None:
        if self._is_closed:
            raise Closed("the subscription is closed")
        if self.stream is None and (self._opening is None or self._opening.done()) and self._error is None:
            self.client._subscriptions.add(self)
            self._opening = asyncio.ensure_future(self._open())

    async def _open(self) -> None:
        """Subscribes, as often as it takes."""
        attempt = 0
        if self._broken > 1:
            await asyncio.sleep(self._backoff(self._broken - 1))
        while not self._is_closed:
            attempt += 1
            try:
                connection = await self.client._connection_for(self.thread)
                try:
                    self._subscribe(connection)
                except HeddleError:
                    connection.follows.discard(self.thread)
                    raise
                return
            except Refused as error:
                if RETRY.get(error.reason) not in ("wait", "reconnect"):
                    return self._fail(error)
                wait = error.retry_after or 0.0
            except ProtocolError as error:
                return self._fail(error)
            except HeddleError as error:
                if isinstance(error, Closed):
                    return self._fail(error)
                wait = 0.0
            except Exception as error:
                return self._fail(ProtocolError(f"the subscription cannot be opened: {error!r}"))
            await asyncio.sleep(max(wait, self._backoff(attempt)))

    def _backoff(self, attempt: int) -> float:
        options = self.client._options
        wait: float = min(options.longest_backoff, options.backoff * 2 ** min(attempt - 1, 20))
        return wait * random.uniform(0.5, 1)

    def _subscribe(self, connection: Connection) -> None:
        stream = Stream(self, connection)
        request = thread_pb2.SubscribeRequest()
        request.CopyFrom(self.request)
        request.credit = self.credit
        if self.cursor is not None:
            request.after = self.cursor
        if self.epoch is not None:
            request.epoch = self.epoch
        self.received, self._returned = self.cursor, 0
        stream.number = connection.open_stream(SUBSCRIBE, request.SerializeToString(), b"", stream)
        self.stream = stream
        if self._has_opened:
            self.client._hooks.resumed(self.thread, self.cursor)

    def opened(self, stream: Stream, message: event_pb2.SubscriptionEvent) -> None:
        if message.WhichOneof("kind") != "subscribed" and self.thread is not None:
            raise ProtocolError("the answer to Subscribe is not `subscribed`")
        head, epoch = message.subscribed.head, message.subscribed.epoch
        if self.thread is not None:
            if self.epoch is not None and self.epoch != epoch:
                raise ProtocolError(f"the thread's epoch was {self.epoch} and is {epoch}: its events are other ones")
            if self.cursor is not None and head < self.cursor:
                raise ProtocolError(f"the thread ends at event {head}, and {self.cursor} was seen")
            self.epoch = epoch
            if self.cursor is None:
                self.cursor = self.received = head
        if not self._has_opened:
            self._has_opened = True
            self._queue.append((message, 0))
            self._wake()

    def came(self, message: event_pb2.SubscriptionEvent, size: int) -> None:
        kind = message.WhichOneof("kind")
        if kind is None:
            self.skipped += 1
            self._returned += size
            return
        agent = message.thread if message.HasField("thread") else None
        if kind == "subscribed":
            if agent is None:
                raise ProtocolError("the server sent `subscribed` twice")
            self._agent_begins(agent, message.subscribed.head)
        elif kind == "event" and agent is None and not self._is_next(message.event.sequence):
            self._returned += size
            return
        self._queue.append((message, size))
        self._wake()

    def _is_next(self, sequence: int) -> bool:
        """Whether the event is the next one. One that was seen is dropped; a gap is asked for once more."""
        last = self.received
        if last is not None and sequence <= last:
            return False
        if last is not None and sequence != last + 1:
            self._gaps_in_a_row += 1
            if self._gaps_in_a_row > 1:
                self._fail(ProtocolError(f"the server leaves out events: {sequence} comes after {last}"))
            elif self.stream is not None:
                self.stream.leave()
                self._start_again()
            return False
        self.received = sequence
        self._gaps_in_a_row = 0
        return True

    def _agent_begins(self, agent: bytes, head: int) -> None:
        known = self.agents.get(agent)
        if known is not None and head > known:
            self._queue.append((Gap(agent, known, head), 0))
        self.agents.setdefault(agent, head)

    def broke(self, stream: Stream, error: HeddleError) -> None:
        """The stream has ended."""
        cause = error.__cause__ if isinstance(error, Lost) and isinstance(error.__cause__, Refused) else error
        if isinstance(error, (ProtocolError, TooLarge)):
            return self._fail(error)
        # What follows may make the connection leave, which is no news to a stream that has ended.
        self.stream = None
        has_lived = stream.connection.loop.time() - stream.since > self.client._options.longest_backoff
        self._broken = 1 if has_lived else self._broken + 1
        if isinstance(cause, Refused):
            decided = RETRY.get(cause.reason, "never")
            if decided == "reconnect" and isinstance(error, Refused):
                stream.connection.leave()
            may_renew = decided == "token" and callable(self.client._token)
            if (decided == "never" and not isinstance(error, Lost)) or (decided == "token" and not may_renew):
                return self._fail(cause)
            if decided == "token" and isinstance(error, Refused):
                stream.connection.leave()
        self._start_again()

    def leave(self, connection: Connection) -> None:
        """The connection takes nothing new: the subscription moves to another one."""
        if self.stream is not None and self.stream.connection is connection:
            self.stream.leave()
            self._start_again()

    def _start_again(self) -> None:
        """Behind what the program has taken; what was read ahead comes again."""
        self.stream = None
        self._queue = deque(entry for entry in self._queue if _is_opening(entry[0]))
        if not self._is_closed:
            self._opening = None
            self._open_if_needed()

    def _fail(self, error: HeddleError) -> None:
        self._error = self._error or error
        stream, self.stream = self.stream, None
        if stream is not None:
            stream.leave()
        self._wake()

    def _wake(self) -> None:
        for waiter in (self._waiter, self._subscribed):
            if waiter is not None and not waiter.done():
                waiter.set_result(None)


def _is_opening(message: event_pb2.SubscriptionEvent | Gap) -> bool:
    """The first message of a subscription, which comes once."""
    if isinstance(message, Gap) or message.HasField("thread"):
        return False
    return bool(message.WhichOneof("kind") == "subscribed")


def _message(payload: bytes) -> event_pb2.SubscriptionEvent:
    try:
        return event_pb2.SubscriptionEvent.FromString(payload)
    except Exception as error:
        raise ProtocolError("the server sent an event that cannot be read") from error
