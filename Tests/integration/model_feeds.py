"""Connections of the model-based test and what they see: every event of every subscription is held against what anybody
saw before (durability.md, the ten properties), through reconnects and restarts.
"""

import dataclasses

from harness.connection import Connection, Follower
from harness.messages import frame_pb2, turn_status
from harness.wire import ERROR, Closed, HeddleError
from thread_model import Thread

EVENT_SECONDS = 20.0


@dataclasses.dataclass
class Log:
    """The events of one thread's log that any client has seen."""

    thread: Thread
    epoch: int | None = None
    # Bytes by number (Agreement), and the newest number that an answer told (Durable).
    seen: dict = dataclasses.field(default_factory=dict)
    told: int = 0
    # Of the home feed, which reads from the first event on: the turn that runs, those that began and how they ended.
    running: bytes | None = None
    began: set = dataclasses.field(default_factory=set)
    ended: dict = dataclasses.field(default_factory=dict)

    def see(self, event):
        """Agreement: two clients never hold different bytes for one number, nor one client at two times."""
        data = event.SerializeToString(deterministic=True)
        known = self.seen.setdefault(event.sequence, data)
        assert known == data, f"event {event.sequence} was {known.hex()} and is now {event}"

    def follow_turns(self, event):
        """U1 at most one turn runs, U5 each ends once."""
        kind = event.WhichOneof("kind")
        if kind == "turn_started":
            turn = event.turn_started.turn
            assert self.running is None, f"U1: {turn.hex()} starts while {self.running.hex()} runs"
            assert turn not in self.began, f"a turn starts twice: {turn.hex()}"
            self.running = turn
            self.began.add(turn)
        if kind == "turn_ended":
            turn = event.turn_ended.turn
            assert turn not in self.ended, f"U5: a turn ends twice: {turn.hex()}"
            assert self.running == turn or turn in self.thread.shared, f"{turn.hex()} ends and did not run"
            self.running = None
            self.ended[turn] = turn_status(event.turn_ended.status)


class Feed(Follower):
    """A subscription. Follower sees to after + 1, after + 2, …; this one to the rest."""

    def __init__(self, connection: Connection, log: Log, after: int, is_home: bool):
        stream = connection.open("Thread.Subscribe", thread=log.thread.id, after=after, epoch=log.epoch)
        subscribed = connection.answer(stream, "Thread.Subscribe").subscribed
        super().__init__(connection, stream, after, subscribed)
        self.log, self.is_home, self.live = log, is_home, False
        # Text of items that are not whole yet, from their beginning on (Deltas).
        self.texts: dict[bytes, bytes] = {}
        assert log.epoch in (None, subscribed.epoch), "the epoch changed"
        log.epoch = subscribed.epoch
        assert subscribed.head >= max(after, log.told), f"Durable: head {subscribed.head}, {log.told} was told before"

    def next(self, timeout: float | None = None):
        message = super().next(timeout)
        kind = message.WhichOneof("kind")
        if kind == "event":
            self.log.see(message.event)
            self.whole(message.event)
            if self.is_home:
                self.log.follow_turns(message.event)
        elif kind in ("live", "progress"):
            assert getattr(message, kind).sequence == self.last, f"Bookmarkable: {message} after {self.last}"
            self.live |= kind == "live"
        elif kind == "snapshot":
            self.texts[message.snapshot.item] = message.snapshot.text.encode()
        elif kind == "delta":
            shown = self.texts.get(message.delta.item, b"")
            assert message.delta.offset == len(shown), f"Deltas: {message.delta} after {len(shown)} bytes"
            self.texts[message.delta.item] = shown + message.delta.text.encode()
        return message

    def whole(self, event):
        """Deltas: what was assembled is what the item says when it is whole."""
        if event.WhichOneof("kind") == "item_completed":
            item = event.item_completed.item
            shown = self.texts.pop(item.id, None)
            if shown is not None and item.HasField("message"):
                text = "".join(part.text for part in item.message.content).encode()
                assert text.startswith(shown), f"Deltas: shown {shown}, whole {text}"

    def reach(self, sequence: int):
        """Own writes: the event that an answer told comes too."""
        while self.last < sequence:
            self.next(EVENT_SECONDS)

    def settle(self):
        """Until everything that the model says has ended has ended, and what runs has begun."""
        thread = self.log.thread
        while (any(turn not in self.log.ended for turn in thread.ended)
               or (thread.running and thread.running.id not in self.log.began)):
            self.next(EVENT_SECONDS)
        for turn, status in thread.ended.items():
            assert self.log.ended[turn] == status, f"a turn ended {self.log.ended[turn]}, the rules say {status}"
        assert self.log.running == (thread.running and thread.running.id)


class Peer:
    """One client of one tenant: a connection that comes back, and continues where each of its feeds was."""

    def __init__(self, world, token: str, is_home: bool):
        self.world, self.token, self.is_home = world, token, is_home
        self.feeds: dict[bytes, Feed] = {}
        self.connect()

    def connect(self):
        self.connection = self.world.connect(self.token)

    def come_back(self):
        """E1, Resumable: each feed goes on behind the last event that it has."""
        self.connect()
        for id, feed in list(self.feeds.items()):
            self.feeds[id] = Feed(self.connection, feed.log, feed.last, feed.is_home)

    def hear_out(self):
        """Reads the events that were on their way when the connection ended: a client that saw one may rely on it (D2)."""
        for feed in self.feeds.values():
            try:
                while True:
                    feed.next(1)
            except (Closed, TimeoutError):
                pass

    def follow(self, log: Log, after: int) -> Feed:
        self.feeds[log.thread.id] = Feed(self.connection, log, after, self.is_home)
        return self.feeds[log.thread.id]

    def forget(self, thread: bytes):
        """A deleted thread's feed ends with `thread`."""
        if feed := self.feeds.pop(thread, None):
            end = self.connection.wait_for(lambda frame: frame.stream == feed.stream and frame.kind == ERROR)
            assert HeddleError(frame_pb2.Error.FromString(end.body)).reason == "thread"
