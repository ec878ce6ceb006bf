"""One turn: its text as it comes, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from heddle._errors import Closed, HeddleError, TurnFailed
from heddle.v1 import event_pb2, item_pb2, turn_pb2

if TYPE_CHECKING:
    from heddle._client import Client


@dataclass(frozen=True)
class TurnResult:
    turn: bytes
    text: str
    usage: turn_pb2.TokenUsage


class Texts:
    """The model's messages of a turn, by item and byte: each byte comes once, wherever it comes from."""

    def __init__(self) -> None:
        self._seen: dict[bytes, int] = {}

    def begin(self, item: item_pb2.Item) -> None:
        if item.WhichOneof("kind") == "message":
            self._seen.setdefault(item.id, 0)

    def piece(self, item: bytes, offset: int, text: str) -> str:
        """What is new of a piece; one beyond a gap waits for the item's end."""
        seen = self._seen.get(item)
        raw = text.encode()
        if seen is None or offset > seen or offset + len(raw) <= seen:
            return ""
        self._seen[item] = offset + len(raw)
        return raw[seen - offset:].decode(errors="replace")

    def whole(self, item: item_pb2.Item) -> str:
        if item.WhichOneof("kind") != "message" or item.message.role != item_pb2.ROLE_ASSISTANT:
            return ""
        self._seen.setdefault(item.id, 0)
        return self.piece(item.id, 0, "".join(part.text for part in item.message.content))


class Turn:
    """Made by `client.turn`. Take `text` or `result()`, once."""

    def __init__(self, client: Client, thread: bytes, text: str, fields: dict[str, Any]):
        self._client, self._thread, self._input, self._fields = client, thread, text, fields
        # The turn's id, as soon as it is started.
        self.id: bytes | None = None
        self.usage: turn_pb2.TokenUsage | None = None
        self._whole: list[str] = []
        self._texts = Texts()

    @property
    def text(self) -> AsyncIterator[str]:
        return self._run()

    async def result(self) -> TurnResult:
        """The whole text and the tokens used; raises TurnFailed."""
        async for _ in self._run():
            pass
        assert self.id is not None and self.usage is not None
        return TurnResult(self.id, "".join(self._whole), self.usage)

    async def interrupt(self) -> None:
        if self.id is not None:
            await self._client.turns.interrupt(thread=self._thread, turn=self.id)

    async def _run(self) -> AsyncIterator[str]:
        subscription = self._client.subscribe(self._thread)
        try:
            await subscription.opened_at()
            started = await self._client.turns.start(
                thread=self._thread, input=turn_pb2.TurnInput(content=[item_pb2.ContentPart(text=self._input)]),
                **self._fields)
            self.id = started.turn
            async for message in subscription:
                if piece := self._new(message):
                    self._whole.append(piece)
                    yield piece
                if self._is_end(message):
                    return
            raise Closed("the client is closed")
        except asyncio.CancelledError:
            await self._end_quietly()
            raise
        finally:
            await subscription.aclose()

    def _new(self, message: event_pb2.SubscriptionEvent) -> str:
        kind = message.WhichOneof("kind")
        if kind == "delta" and message.delta.turn == self.id:
            return self._texts.piece(message.delta.item, message.delta.offset, message.delta.text)
        if kind == "snapshot" and message.snapshot.turn == self.id:
            return self._texts.piece(message.snapshot.item, 0, message.snapshot.text)
        if kind != "event" or message.event.turn != self.id:
            return ""
        event = message.event.WhichOneof("kind")
        if event == "item_started":
            self._texts.begin(message.event.item_started.item)
        elif event == "item_completed":
            return self._texts.whole(message.event.item_completed.item)
        return ""

    def _is_end(self, message: event_pb2.SubscriptionEvent) -> bool:
        if message.WhichOneof("kind") != "event" or message.event.WhichOneof("kind") != "turn_ended":
            return False
        ended = message.event.turn_ended
        if ended.turn != self.id:
            return False
        self.usage = ended.usage
        if ended.status == turn_pb2.TURN_STATUS_COMPLETED:
            return True
        status = turn_pb2.TurnStatus.Name(ended.status).removeprefix("TURN_STATUS_")
        raise TurnFailed(ended.error.message or f"the turn ended as {status}", status=status,
                         reason=ended.error.reason, text="".join(self._whole))

    async def _end_quietly(self) -> None:
        """The program has given the turn up: the server need not go on with it."""
        try:
            await asyncio.shield(asyncio.ensure_future(self.interrupt()))
        except (HeddleError, asyncio.CancelledError):
            pass


