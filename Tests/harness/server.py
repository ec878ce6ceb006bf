"""A server process of our own: started on a folder, killed, started again, ended, measured. Only processes that were
started here are ever ended, and none of them outlives the run."""

import atexit
import json
import os
import pathlib
import selectors
import signal
import subprocess
import time

from harness.connection import PATIENCE_SECONDS, SLOWNESS, Connection
from harness.messages import ROOT
from harness.starved import timed

BINARY = pathlib.Path(os.environ.get("HEDDLE_BIN", ROOT / ".build" / "release" / "heddle"))
READY_SECONDS = 120 * SLOWNESS
# The time that loading the program takes.
LOADING_SECONDS = 3.0


class Server:
    """`heddle serve` on a data folder; its log goes to a file beside it."""

    binary = BINARY
    started: set[subprocess.Popen] = set()

    def __init__(self, data: pathlib.Path, *arguments: str, listen: str = "127.0.0.1:0", under: tuple = (),
                 environment: dict | None = None, inherit: tuple = ()):
        self.data, self.arguments, self.listen = pathlib.Path(data), arguments, listen
        # `inherit`: descriptors that stay open in the process.
        self.under, self.environment, self.inherit = under, environment, inherit
        self.log = self.data.with_name(self.data.name + ".log")
        self.process: subprocess.Popen | None = None
        self.ready: dict = {}
        # Outcomes that `close` accepts.
        self.may_end = False
        self.may_be_damaged = False

    def start(self) -> "Server":
        command = [*self.under, self.binary, "serve", "--data", self.data, "--listen", self.listen, *self.arguments]
        self.ready = {}
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL,
                                            env={**os.environ, **(self.environment or {})},
                                            pass_fds=self.inherit)
        Server.started.add(self.process)
        self.ready = json.loads(self._first_line())
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
        """The server's own, also under strace or prlimit."""
        return self.ready.get("pid", self.process.pid)

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def connect(self, token: str = "", hello: bool = True, timeout: float = PATIENCE_SECONDS, **fields) -> Connection:
        connection = Connection(self.address, timeout)
        if hello:
            connection.hello(token, **fields)
        return connection

    def log_text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def death(self) -> str:
        """Its exit code and the end of its log."""
        return f"the process died with {self.process.poll()}: … {self.log_text()[-600:]}"

    # Resources

    def resident_bytes(self) -> int:
        """Memory of the process that is in RAM."""
        return self._memory("VmRSS")

    def peak_bytes(self) -> int:
        """The most it ever had in RAM."""
        return self._memory("VmHWM")

    def _memory(self, what: str) -> int:
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(f"{what}:"):
                return int(line.split()[1]) * 1024
        raise ProcessLookupError("the process is gone")

    def cpu_seconds(self) -> float:
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self) -> tuple[int, int]:
        """Sockets, and all."""
        sockets = every = 0
        try:
            for name in os.listdir(f"/proc/{self.pid}/fd"):
                every += 1
                try:
                    sockets += os.readlink(f"/proc/{self.pid}/fd/{name}").startswith("socket:")
                except FileNotFoundError:
                    pass
        except FileNotFoundError:
            pass
        return sockets, every

    # Its end

    def kill(self):
        """kill -9: acknowledged changes must survive it (durability.md D5)."""
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
        Server.started.discard(self.process)
        self.process.stdout.close()
        return code

    def restart(self) -> "Server":
        """kill -9 and start on the same folder."""
        self.kill()
        return self.start()

    def stop(self) -> int:
        """SIGTERM, and the exit code; -1 where it had to be killed."""
        if self.alive:
            os.kill(self.pid, signal.SIGTERM)
        try:
            return self.wait(90)
        except subprocess.TimeoutExpired:
            self.kill()
            return -1

    def close(self) -> list[str]:
        """Ends the server; the problems of its end and of the data on disk."""
        problems = []
        if not self.may_end:
            if not self.alive:
                problems.append(self.death())
            elif (code := self.stop()) != 0:
                problems.append(f"SIGTERM ended it with {code}")
        else:
            self.kill()
        if not self.may_be_damaged and self.data.is_dir():
            checked = heddle("check", self.data, timeout=300)
            if checked.returncode != 0:
                problems.append(f"heddle check: {(checked.stdout + checked.stderr).strip()[-500:]}")
        return problems

    def __enter__(self):
        return self if self.process else self.start()

    def __exit__(self, *_):
        if self.alive:
            self.kill()


@atexit.register
def end_what_is_left():
    """However the run ends, none of its servers outlives it."""
    for process in Server.started:
        process.kill()


def heddle(*arguments, timeout: float = 2 * PATIENCE_SECONDS) -> subprocess.CompletedProcess:
    """Runs the program to its end."""
    return subprocess.run([Server.binary, *map(str, arguments)], capture_output=True, text=True,
                          timeout=timeout * SLOWNESS, stdin=subprocess.DEVNULL)


def heddle_timed(*arguments) -> tuple[subprocess.CompletedProcess, float]:
    """Runs the program to its end; how long it took, less the time that it waited for a processor."""
    return timed(Server.binary, *arguments)
