"""What a row's function gets: a server, connections to it, and the three ends an attack can have (K, X, Z)."""

import concurrent.futures
import contextlib
import pathlib
import threading
import time
from collections.abc import Callable

from messages import event_pb2, frame_pb2, turn_status, words
from rows import Row
from starved import Starved
from wire import ERROR, EVENT, GOAWAY, RESPONSE, Broken, Closed, Frame, Peer, Refused
from world import CANARY, TOKENS, Server, Watch, log_problems

CLOSE_SECONDS = 1.0
# What a busy machine may add to a bound of the page. It makes things late; nothing comes early for it.
LATE_SECONDS = 15.0
# Clocks of two processes are read at different moments, and timers count whole milliseconds.
EARLY_SECONDS = 0.1


class NotHere(Exception):
    """The row cannot be driven on this machine; the text says why."""


class Clock:
    """Seconds from its making, less what the server and this program waited for a processor meanwhile."""

    def __init__(self, server: Server):
        self.began, self.starved, self.lost = time.monotonic(), Starved(server.pid), 0.0

    def seconds(self) -> float:
        self.lost += self.starved.since()
        return max(0.0, time.monotonic() - self.began - self.lost)


class Attack:
    """One run of one row."""

    def __init__(self, row: Row, folder: pathlib.Path, full: bool, server: Server | None = None):
        self.row, self.folder, self.full, self.shared = row, folder, full, server
        self.peers: list[Peer] = []
        self.later: list[Callable] = []
        self.last: list[Callable] = []
        self.started: list[tuple[Server, Watch | None]] = []
        self.notes: list[str] = []
        self.lock = threading.Lock()

    @property
    def server(self) -> Server:
        """The shared server, or the newest of the row's own."""
        return self.shared or self.started[-1][0]

    def clock(self) -> "Clock":
        """How long something takes from here on."""
        return Clock(self.server)

    def size(self, ci, full):
        """How much: in CI, and by hand."""
        return full if self.full else ci

    def note(self, text: str):
        """Stands behind the row's line."""
        self.notes.append(text)

    # Servers of the row's own

    def start(self, *arguments, name: str = "", watched: bool = True, tokens: bool = False,
              data: pathlib.Path | None = None, under: tuple = (), **environment) -> Server:
        """A server of its own: `start("--loops", 1, HEDDLE_LIMITS_QUEUED_TURNS=4)`."""
        folder = self.folder / (name or f"server{len(self.started)}")
        folder.mkdir(parents=True, exist_ok=True)
        if tokens:
            from world import token_file
            arguments = (*arguments, "--token-file", token_file(folder))
        if "--log-format" not in arguments:
            arguments = ("--log-format", "json", *arguments)
        server = Server(data or folder / "data", *map(str, arguments), under=under, has_tokens=tokens,
                        environment={key: str(value) for key, value in environment.items()})
        self.started.append((server, None))
        server.start()
        if watched:
            watch = Watch(server)
            self.started[-1] = (server, watch)
            watch.begin()
        return server

    # Connections

    def connect(self, who: str | None = None, hello: bool = True, server: Server | None = None, timeout: float = 60.0,
                receive_bytes: int | None = None, source: str | None = None, **fields) -> Peer:
        """A connection, closed when the row is over. `who` is a tenant; the first where there are tokens."""
        server = server or self.server
        peer = Peer(server.address, timeout, receive_bytes, source)
        with self.lock:
            self.peers.append(peer)
        if hello:
            fields.setdefault("client_name", f"attack {CANARY}")
            peer.hello(TOKENS[who or "alice"] if server.has_tokens else "", **fields)
        return peer

    def connect_many(self, count: int, at_once: int = 8, **fields) -> list[Peer]:
        """So many connections."""
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            return list(pool.map(lambda _: self.connect(**fields), range(count)))

    def defer(self, work: Callable):
        """Runs when the row is over, whatever became of it."""
        self.later.append(work)

    def when_over(self, work: Callable):
        """Runs behind everything, when the row's servers have ended."""
        self.last.append(work)

    # Threads

    def thread(self, peer: Peer, **fields) -> bytes:
        """A thread that nobody follows."""
        fields.setdefault("name", f"name {CANARY}")
        return peer.call("Thread.Start", subscribe=False, **fields).thread.id

    def follow_new(self, peer: Peer, **fields) -> tuple[bytes, "Feed"]:
        """A thread and its events."""
        stream = peer.ask("Thread.Start", **fields)
        thread = peer.answer(stream, "Thread.Start").thread
        return thread.id, Feed(peer, stream, thread.sequence)

    def turn(self, peer: Peer, thread: bytes, *lines: str, **fields) -> bytes:
        """A turn that is started, or waits."""
        return peer.call("Turn.Start", thread=thread, input=words("\n".join((*lines, CANARY))), **fields).turn

    def stall(self, peer: Peer, thread: bytes, who: str | None = None) -> bytes:
        """A turn that runs until the row is over."""
        turn = self.turn(peer, thread, "!stall")
        server = self.server

        def interrupt():
            with Peer(server.address) as other:
                other.hello(TOKENS[who or "alice"] if server.has_tokens else "")
                with contextlib.suppress(Refused):
                    other.call("Turn.Interrupt", thread=thread, turn=turn)
        self.defer(interrupt)
        return turn

    # Races

    def race(self, works: list[Callable]) -> list:
        """Runs them at the same moment; their results in order, an exception in its place."""
        barrier = threading.Barrier(len(works))

        def run(work):
            barrier.wait(60)
            try:
                return work()
            except Exception as failure:  # judged by the row
                return failure
        with concurrent.futures.ThreadPoolExecutor(len(works)) as pool:
            return list(pool.map(run, works))

    # The end

    def settle(self):
        """One terminal reply a request, on every connection that is still open."""
        for peer in self.peers:
            if not peer.is_closed and not peer.has_ended:
                peer.settle()

    def close(self) -> list[str]:
        """Ends everything of the row; what of the standing assertions does not hold for its own servers."""
        problems = []
        for work in reversed(self.later):
            try:
                work()
            except Exception as failure:  # a clean-up that fails is told beside what the row itself says
                problems.append(f"clean-up: {failure!r}")
        for peer in self.peers:
            peer.close()
        for server, watch in self.started:
            if watch is not None:
                if not server.may_end:
                    problems += watch.end(self.row.memory)
                watch.close()
            if server.process is not None:
                problems += server.close()
            if server.log.exists():
                problems += [problem for problem in log_problems(server.log) if problem not in problems]
        for work in reversed(self.last):
            work()
        return problems


class Feed:
    """The events of one subscription, which come as after + 1, after + 2, …"""

    def __init__(self, peer: Peer, stream: int, after: int):
        self.peer, self.stream, self.last = peer, stream, after
        self.events: list = []

    @staticmethod
    def of(peer: Peer, thread: bytes, after: int = 0, **fields) -> "Feed":
        stream = peer.ask("Thread.Subscribe", thread=thread, after=after, **fields)
        assert peer.answer(stream, "Thread.Subscribe").WhichOneof("kind") == "subscribed"
        return Feed(peer, stream, after)

    def next(self, timeout: float | None = None):
        frame = self.peer.wait(lambda frame: frame.stream == self.stream, timeout)
        if frame.kind == ERROR:
            raise Refused(frame_pb2.Error.FromString(frame.body))
        if frame.kind != EVENT:
            raise Broken(f"not an event: kind {frame.kind}")
        message = event_pb2.SubscriptionEvent.FromString(frame.body)
        if message.WhichOneof("kind") == "event":
            if message.event.sequence != self.last + 1:
                raise Broken(f"gap, doubled or back: {message.event.sequence} after {self.last}")
            self.last = message.event.sequence
            self.events.append(message.event)
        return message

    def until(self, wanted: Callable, timeout: float = 60.0):
        """Reads on to the first message that `wanted` accepts."""
        deadline = time.monotonic() + timeout
        while not wanted(message := self.next(max(0.001, deadline - time.monotonic()))):
            pass
        return message

    def until_kind(self, *kinds: str, timeout: float = 60.0):
        return self.until(lambda message: message.WhichOneof("kind") in kinds, timeout)

    def until_event(self, kind: str, timeout: float = 60.0, **fields):
        """Reads on to the first event of a kind whose fields are as given."""
        return self.until(lambda message: message.event.WhichOneof("kind") == kind and all(
            getattr(getattr(message.event, kind), name) == value for name, value in fields.items()), timeout).event

    def ended(self, turn: bytes, timeout: float = 60.0):
        """Reads on to the end of a turn."""
        return self.until_event("turn_ended", timeout, turn=turn).turn_ended

    def completed(self, turn: bytes, timeout: float = 60.0):
        ended = self.ended(turn, timeout)
        assert turn_status(ended.status) == "COMPLETED", str(ended)[:300]
        return ended

    def of_kind(self, kind: str) -> list:
        return [event for event in self.events if event.WhichOneof("kind") == kind]


def history(attack: Attack, thread: bytes, who: str | None = None, timeout: float = 60.0) -> list:
    """All stored events of a thread."""
    with attack.connect(who, timeout=timeout) as peer:
        feed = Feed.of(peer, thread)
        feed.until_kind("live", timeout=timeout)
        return feed.events


# The three ends


def kept(peer: Peer):
    """K: the same connection goes on serving."""
    assert peer.call("Server.Status").durability == "synced"


def ended(peer: Peer, code: str, reason: str, timeout: float = 60.0, **details: str) -> Refused:
    """X: GOAWAY with code and reason, then the end within a second."""
    deadline, goaway, said_at = time.monotonic() + timeout, None, 0.0
    seen = []
    while (frame := peer.frame(max(0.001, deadline - time.monotonic()))) is not None:
        if frame.kind == GOAWAY:
            goaway, said_at = Refused(frame_pb2.GoAway.FromString(frame.body).error), time.monotonic()
        elif frame.kind == ERROR:
            seen.append(Refused(frame_pb2.Error.FromString(frame.body)))
    assert goaway is not None, f"closed without GOAWAY, wanted {reason}; errors before: {seen[:3]}"
    assert (goaway.code, goaway.reason) == (code, reason), f"wanted {code} {reason}, got {goaway}"
    for name, value in details.items():
        assert goaway.details.get(name) == value, goaway.details
    waited = time.monotonic() - said_at
    assert waited <= CLOSE_SECONDS + LATE_SECONDS, f"closed {waited:.1f} s after GOAWAY"
    return goaway


def silent(peer: Peer, timeout: float = 60.0):
    """Z: closed without a byte."""
    said = peer.read_to_end(timeout)
    assert said == b"", f"said {said[:80]!r}"


def is_refusal(refused: Refused, code: str, reason: str, field: str | None = None):
    assert (refused.code, refused.reason) == (code, reason), f"wanted {code} {reason}, got {refused}"
    if field is not None:
        assert refused.details.get("field", "").split(".")[-1] == field, f"wanted field {field}: {refused.details}"


def refused_and_kept(peer: Peer, name: str, body, code: str, reason: str, field: str | None = None, /,
                     **fields) -> Refused:
    """The exact answer of a row, and the connection kept."""
    refused = peer.refused(name, body, **fields)
    is_refusal(refused, code, reason, field)
    kept(peer)
    return refused


def eventually(check: Callable, what: str, seconds: float = 60.0):
    """Polls state that nobody announces."""
    deadline = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
        time.sleep(0.05)


def raw_answer(peer: Peer, frame: Frame) -> bytes:
    """Sends a request and gives the bytes of what comes back, whatever it is."""
    peer.send(frame.encode())
    end = peer.reply(frame.stream)
    return bytes([end.kind]) + end.body


__all__ = ["ERROR", "EVENT", "GOAWAY", "RESPONSE", "Attack", "Broken", "CANARY", "Closed", "Feed", "Frame", "NotHere",
           "Peer",
           "Refused", "LATE_SECONDS", "TOKENS", "ended", "eventually", "history", "is_refusal", "kept", "raw_answer",
           "refused_and_kept", "silent"]
