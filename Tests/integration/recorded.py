"""Requests that a model really received: a server that writes them down, and the reader of that file."""

import collections
import contextlib
import dataclasses
import json
import time
import uuid

from harness.connection import PATIENCE_SECONDS, Follower
from harness.messages import mode_name, source_name, version_name
from harness.server import Server

POLL_PAUSE_SECONDS = 0.002
OPEN, CLOSE, BOUND_BYTES = "<multi_agent_mode>", "</multi_agent_mode>", 4096


@dataclasses.dataclass(frozen=True)
class Request:
    """One request to a model."""

    thread: bytes
    turn: bytes
    model: str
    version: str
    effective_mode: str | None
    revision: int
    items: list
    tools: list
    compaction: bool

    @staticmethod
    def parse(line: str) -> "Request":
        fields = json.loads(line)
        for name in ("thread", "turn"):
            fields[name] = uuid.UUID(fields[name]).bytes
        return Request(**fields)

    @property
    def fragments(self) -> list[str]:
        """The texts about the mode, oldest first, each as M5 asks: tagged, bounded, a developer message of its own."""
        found = [item for item in self.items if OPEN in (item.get("text") or "") and item["role"] != "USER"]
        for item in found:
            text = item["text"]
            assert (item["kind"], item["role"]) == ("message", "DEVELOPER"), item
            assert text.startswith(OPEN) and text.endswith(CLOSE) and text.count(OPEN) == 1, text
            assert item["bytes"] == len(text.encode()) <= BOUND_BYTES, item["bytes"]
        return [item["text"] for item in found]

    @property
    def markers(self) -> list[str]:
        """The roles of the interruption markers."""
        return [item["role"] for item in self.items if item["kind"] == "marker"]

    @property
    def texts(self) -> list[str]:
        return [item["text"] for item in self.items]


class RecordedServer(Server):
    """A server whose model requests can be read, and whose environment a restart can change."""

    def __init__(self, data, *arguments: str, **variables: str):
        self.record = data.with_name(data.name + ".requests")
        self.variables = variables
        self.read_bytes = 0
        self.of_thread, self.of_turn = collections.defaultdict(list), collections.defaultdict(list)
        super().__init__(data, "--model-record", str(self.record), "--model-record-text", *arguments)

    def start(self) -> "RecordedServer":
        self.environment = self.variables
        return super().start()

    def restart(self, **variables: str) -> "RecordedServer":
        """kill -9, then the same folder; `variables` of the environment stay for later restarts."""
        self.variables.update(variables)
        return super().restart()

    def requests(self, thread: bytes) -> list[Request]:
        """All requests of a thread so far."""
        self._read_on()
        return self.of_thread.get(thread, [])

    def _read_on(self):
        """Reads what the file got since the last time; a line that is not whole yet waits."""
        if self.record.exists():
            with open(self.record, "rb") as file:
                file.seek(self.read_bytes)
                whole, newline, _ = file.read().rpartition(b"\n")
            self.read_bytes += len(whole + newline)
            for line in whole.decode().split("\n") if whole else ():
                request = Request.parse(line)
                self.of_thread[request.thread].append(request)
                self.of_turn[request.turn].append(request)

    def request_of(self, turn: bytes) -> Request:
        """The one request of a turn that called no tool; waits until it is there."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self._read_on() or not (found := self.of_turn.get(turn)):
            assert time.monotonic() < deadline, f"the model was not asked for turn {turn.hex()}"
            time.sleep(POLL_PAUSE_SECONDS)
        assert len(found) == 1, f"{len(found)} requests of one turn"
        return found[0]


class Thread:
    """A thread that one connection follows, and what its model is told."""

    def __init__(self, server: RecordedServer, connection, state, follower):
        self.server, self.connection, self.state, self.follower = server, connection, state, follower
        self.id = state.id

    @staticmethod
    def start(server, connection, **settings) -> "Thread":
        return Thread(server, connection, *connection.start_followed(settings=settings))

    @staticmethod
    def resume(server, connection, thread: bytes) -> "Thread":
        return Thread(server, connection, *connection.resume_followed(thread))

    def turn(self, text: str = "x", **settings) -> Request:
        """One whole turn; what the model received in it."""
        return self.server.request_of(self.follower.run(text, thread=self.id, settings=settings))

    def stall(self, text: str = "x", **settings) -> bytes:
        """A turn that runs until a client ends it, after its model was asked."""
        turn = self.connection.start_turn(self.id, f"!stall\n{text}", settings=settings).turn
        self.server.request_of(turn)
        return turn

    def interrupt(self, turn: bytes):
        self.connection.call("Turn.Interrupt", thread=self.id, turn=turn)
        self.follower.until_ended(turn)

    def update(self, **change):
        return self.connection.call("Settings.Update", thread=self.id, change=change)

    def fork(self, **fields) -> "Thread":
        stream = self.connection.open("Thread.Fork", thread=self.id, **fields)
        answer = self.connection.answer(stream, "Thread.Fork")
        return Thread(self.server, self.connection, answer.thread,
                      Follower(self.connection, stream, answer.thread.sequence))

    def read(self):
        return self.connection.call("Thread.Read", thread=self.id).thread

    @property
    def version(self) -> tuple[str, str]:
        return version_of(self.read())

    @property
    def selected(self) -> str | None:
        return mode_name(self.read().settings)


def version_of(holder) -> tuple[str, str]:
    """Version and source of anything that reports them (V11)."""
    return version_name(holder.version), source_name(holder.version_source)


@contextlib.contextmanager
def recorded(folder, *arguments: str, **variables: str):
    """A server of its own and a connection to it."""
    with RecordedServer(folder / "data", *arguments, **variables) as server, quiet(server) as connection:
        yield server, connection


def quiet(server):
    """A connection that hears of nothing but what it follows, and can carry out the tools of what it follows."""
    return server.connect(features=["call_tool"], unwanted_notifications=["thread_started"])


def flags(connection, **enabled: bool):
    """Switches features at run time, durably."""
    for name, value in enabled.items():
        assert connection.call("Catalog.SetFeature", name=name, enabled=value).feature.enabled is value


def features(**enabled: bool) -> dict:
    """The same from the environment, for a start."""
    return {f"HEDDLE_FEATURES_{name.upper()}": str(value).lower() for name, value in enabled.items()}
