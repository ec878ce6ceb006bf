"""The parts that all measurements share: building the tools, speaking frames, starting and ending servers."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Tests"))

from harness.messages import (  # noqa: E402
    METHODS, ROOT, event_pb2, frame_pb2, settings_pb2, thread_pb2)
from harness.wire import ERROR, HEADER, HELLO, REQUEST, RESPONSE, Frame  # noqa: E402

HERE = ROOT / "Benchmarks"
START, READ_THREAD, LIST_THREADS, SUBSCRIBE, START_TURN, READ_SETTINGS, UPDATE_SETTINGS, LIST_MODELS, STATUS = (
    METHODS[name].number for name in (
        "Thread.Start", "Thread.Read", "Thread.List", "Thread.Subscribe", "Turn.Start", "Settings.Read",
        "Settings.Update", "Catalog.ListModels", "Server.Status"))


class Failed(Exception):
    """Something could not be measured; the text says what and why."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def end_when_told() -> None:
    """SIGTERM ends a measurement as an interruption does: with the servers that it started."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))


def is_made(output: Path, *sources: Path) -> bool:
    """True if the output exists and is not older than its sources."""
    return output.exists() and all(s.stat().st_mtime <= output.stat().st_mtime for s in sources)


def build_tools(folder: Path) -> None:
    """Compiles the C programs of this folder, those that changed."""
    generated = ROOT / "Sources/CHeddleProtocol"
    schema = [f"-I{generated / 'include'}", *sorted((generated / "heddle/v1").glob("*.c")), "-lprotobuf-c"]
    shared = ["-shared", "-fPIC", "-ldl"]
    for source, output, more in (("lg.c", "lg", []), ("echo.c", "echo", []), ("reference.c", "reference", schema),
                                 ("broadcast.c", "broadcast", []), ("model.c", "model", []),
                                 ("counting.c", "counting.so", shared)):
        if not is_made(folder / output, HERE / source, *(one for one in more if isinstance(one, Path))):
            subprocess.run(["cc", "-O2", "-o", folder / output, HERE / source, *more], check=True)


def hello() -> bytes:
    return frame_pb2.ClientHello(client_name="bench", unwanted_notifications=["thread_started"]).SerializeToString()


def ends_turn(message: bytes) -> bool:
    return event_pb2.SubscriptionEvent.FromString(message).event.HasField("turn_ended")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Connection:
    """One connection, one thing at a time, blocking. It does nothing but read, since what it waits for is measured."""

    def __init__(self, port: int, greeting: bytes | None = None, timeout: float = 60):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.sendall(Frame(HELLO, payload=hello() if greeting is None else greeting).encode())
        self.stream, self.rest = -1, bytearray()
        self.read()

    def exactly(self, count: int) -> bytes:
        while len(self.rest) < count:
            piece = self.socket.recv(1 << 18)
            if not piece:
                raise ConnectionError("the server closed the connection")
            self.rest += piece
        taken = bytes(self.rest[:count])
        del self.rest[:count]
        return taken

    def read(self) -> tuple[int, int, bytes]:
        """Kind, stream and message of the next frame."""
        _, kind, _, stream, _, metadata, _, length = HEADER.unpack(self.exactly(16))
        return kind, stream, self.exactly(length)[metadata:]

    def send(self, calls: list[tuple[int, bytes]]) -> list[int]:
        """Sends requests in one go; their streams."""
        streams, out = [], []
        for method, request in calls:
            self.stream += 2
            streams.append(self.stream)
            out.append(Frame(REQUEST, method, self.stream, request).encode())
        self.socket.sendall(b"".join(out))
        return streams

    def calls(self, calls: list[tuple[int, bytes]]) -> list[bytes]:
        """The answers to requests that are sent in one go, in the order of the requests."""
        streams = self.send(calls)
        answers: dict[int, bytes] = {}
        while len(answers) < len(streams):
            kind, stream, message = self.read()
            if kind == ERROR:
                raise RuntimeError(f"refused: {message!r}")
            if kind == RESPONSE:
                answers[stream] = message
        return [answers[stream] for stream in streams]

    def call(self, method: int, request: bytes) -> bytes:
        return self.calls([(method, request)])[0]

    def close(self) -> None:
        self.socket.close()


class Process:
    """A server that is ended by its own pid."""

    def __init__(self, arguments: list, environment: dict | None = None, **more):
        self.process = subprocess.Popen([str(a) for a in arguments], env={**os.environ, **(environment or {})}, **more)
        self.pid = self.process.pid

    def end(self, how: int = signal.SIGKILL) -> None:
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()

    def wait_for_port(self, port: int, seconds: float = 30) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise Failed(f"{self.process.args[0]} ended with {self.process.returncode}")
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.02)
        raise Failed(f"{self.process.args[0]} does not listen")

    def resident_kib(self) -> int:
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1])
        return 0

    def cpu_ns(self) -> int:
        """CPU of all threads that are there now, by the scheduler's own clock."""
        return sum(int((task / "schedstat").read_text().split()[0])
                   for task in Path(f"/proc/{self.pid}/task").iterdir())


class Heddle(Process):
    """A server of ours on a folder of its own, or on one that is given."""

    def __init__(self, program: Path, *arguments: str, folder: str | None = None, before: list = (),
                 environment: dict | None = None):
        self.own = None if folder else tempfile.TemporaryDirectory(prefix="heddle-bench-")
        self.folder = folder or self.own.name
        os.chmod(self.folder, 0o700)
        started = time.monotonic()
        super().__init__([*before, program, "serve", "--data", self.folder, "--listen", "127.0.0.1:0",
                          "--log-level", "error", *arguments],
                         {"HEDDLE_HTTP_LISTEN": "off", "HEDDLE_GRPC_LISTEN": "off", **(environment or {})},
                         stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        if not line:
            self.end()
            raise Failed(f"{program} did not start")
        self.ready_seconds = time.monotonic() - started
        ready = json.loads(line)
        self.port = int(ready["listen"].rsplit(":", 1)[1])
        grpc = str(ready.get("grpc"))
        self.grpc_port = int(grpc.rsplit(":", 1)[1]) if ":" in grpc else None
        http = str(ready.get("http"))
        self.http_port = int(http.rsplit(":", 1)[1]) if ":" in http else None

    def end(self, how: int = signal.SIGKILL) -> None:
        super().end(how)
        if self.own:
            self.own.cleanup()


class Plain(Process):
    """A server that gets its port as an argument: `echo`, `reference`."""

    def __init__(self, program: Path, *arguments, environment: dict | None = None, before: list = (), waits=True):
        self.port = free_port()
        super().__init__([*before, program, str(self.port), *arguments], environment)
        if waits:
            try:
                self.wait_for_port(self.port)
            except Failed:
                self.end()
                raise

    def connect(self, seconds: float = 30) -> socket.socket:
        """A bare connection, as soon as the server listens."""
        until = time.monotonic() + seconds
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=60)
            except ConnectionRefusedError:
                if time.monotonic() > until:
                    raise Failed(f"{self.process.args[0]} does not listen") from None
                time.sleep(0.02)


def start_request(ephemeral: bool) -> bytes:
    """A thread whose settings make an answer of about 200 bytes."""
    change = settings_pb2.SettingsChange(
        reasoning_effort="medium", working_folder="/home/somebody/projects/weaving",
        developer_instructions="Answer briefly. Say what you changed, and why, and what you did not look at. "
                               "Ask before you remove a file.")
    return thread_pb2.StartThreadRequest(
        ephemeral=ephemeral, subscribe=False, settings=change).SerializeToString()


def start_threads(connection: Connection, count: int, ephemeral: bool) -> list[bytes]:
    request, threads = start_request(ephemeral), []
    while len(threads) < count:
        batch = [(START, request)] * min(16, count - len(threads))
        threads += [thread_pb2.StartThreadResponse.FromString(a).thread.id for a in connection.calls(batch)]
    return threads


def update_request(thread: bytes, mode: int) -> bytes:
    return settings_pb2.UpdateSettingsRequest(thread=thread, change=settings_pb2.SettingsChange(
        mode=settings_pb2.ModeSelection(set=mode))).SerializeToString()
