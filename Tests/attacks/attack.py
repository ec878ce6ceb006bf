"""The argument of a row's function: a server, connections to it, threads, races, servers of its own."""

import concurrent.futures
import contextlib
import pathlib
import threading
import time
from collections.abc import Callable

from harness.connection import Connection, Follower
from harness.messages import words
from harness.starved import Starved
from harness.watch import log_problems
from harness.wire import HeddleError
from rows import Row
from world import CANARY, SECRETS, Server, Watch, token_file


class NotHere(Exception):
    """The row cannot be driven on this machine; the text says why."""


class Clock:
    """Seconds from its making, less what the server and this program waited for a processor meanwhile."""

    def __init__(self, server: Server):
        self.began, self.starved, self.lost = time.monotonic(), Starved(server.pid), 0.0

    def wall(self) -> float:
        """All seconds: for what must not happen too early."""
        return time.monotonic() - self.began

    def seconds(self) -> float:
        self.lost += self.starved.since()
        return max(0.0, time.monotonic() - self.began - self.lost)


class Attack:
    """One run of one row."""

    def __init__(self, row: Row, folder: pathlib.Path, full: bool, server: Server | None = None):
        self.row, self.folder, self.full, self.shared = row, folder, full, server
        self.peers: list[Connection] = []
        self.later: list[Callable] = []
        self.last: list[Callable] = []
        self.started: list[tuple[Server, Watch | None]] = []
        self.notes: list[str] = []
        self.lock = threading.Lock()

    @property
    def server(self) -> Server:
        """The shared server, or the newest of the row's own."""
        return self.shared or self.started[-1][0]

    def clock(self) -> Clock:
        """How long something takes from here on."""
        return Clock(self.server)

    def size(self, ci, full):
        """How much: in CI, and by hand."""
        return full if self.full else ci

    def note(self, text: str):
        """Adds a note to the row's line."""
        self.notes.append(text)

    # Servers of the row's own

    def start(self, *arguments, name: str = "", watched: bool = True, tokens: bool = False,
              data: pathlib.Path | None = None, under: tuple = (), **environment) -> Server:
        """A server of its own: `start("--loops", 1, HEDDLE_LIMITS_QUEUED_TURNS=4)`."""
        folder = self.folder / (name or f"server{len(self.started)}")
        folder.mkdir(parents=True, exist_ok=True)
        if tokens:
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
                receive_bytes: int | None = None, source: str | None = None, **fields) -> Connection:
        """A connection, closed at the end of the row. `who` is a tenant; with tokens, the default is the first."""
        server = server or self.server
        peer = Connection(server.address, timeout, receive_bytes, source)
        with self.lock:
            self.peers.append(peer)
        if hello:
            fields.setdefault("client_name", f"attack {CANARY}")
            peer.hello(server.token(who or "alice"), quiet=True, **fields)
        return peer

    def connect_many(self, count: int, at_once: int = 8, **fields) -> list[Connection]:
        """`count` connections."""
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            return list(pool.map(lambda _: self.connect(**fields), range(count)))

    def defer(self, work: Callable):
        """Runs at the end of the row, also of a failed one."""
        self.later.append(work)

    def when_over(self, work: Callable):
        """Runs behind everything, when the row's servers have ended."""
        self.last.append(work)

    # Threads

    def thread(self, peer: Connection, **fields) -> bytes:
        """A thread without followers."""
        fields.setdefault("name", f"name {CANARY}")
        return peer.call("Thread.Start", subscribe=False, **fields).thread.id

    def follow_new(self, peer: Connection, **fields) -> tuple[bytes, Follower]:
        """A thread and its events."""
        thread, follower = peer.start_followed(**fields)
        return thread.id, follower

    def turn(self, peer: Connection, thread: bytes, *lines: str, **fields) -> bytes:
        """A turn that is started, or waits."""
        return peer.call("Turn.Start", thread=thread, input=words("\n".join((*lines, CANARY))), **fields).turn

    def stall(self, peer: Connection, thread: bytes, who: str | None = None) -> bytes:
        """A turn that runs until the end of the row."""
        turn = self.turn(peer, thread, "!stall")
        server = self.server

        def interrupt():
            with Connection(server.address) as other:
                other.hello(server.token(who or "alice"), quiet=True)
                with contextlib.suppress(HeddleError):
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
        """Ends everything of the row; the standing assertions that do not hold for its own servers."""
        problems = []
        for work in reversed(self.later):
            try:
                work()
            except Exception as failure:  # a failed clean-up is reported beside the row's own failure
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
                problems += [problem for problem in log_problems(server.log, SECRETS)
                             if problem not in problems]
        for work in reversed(self.last):
            work()
        return problems


def history(attack: Attack, thread: bytes, who: str | None = None, timeout: float = 60.0) -> list:
    """All stored events of a thread."""
    with attack.connect(who, timeout=timeout) as peer:
        feed = peer.follow(thread)
        feed.until_kind("live", timeout=timeout)
        return feed.events
