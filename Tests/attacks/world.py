"""Servers, and what stands on every row: the process lives, the witness is served, memory and descriptors come back,
nobody's turn is left running, no payload and no secret is in the log. Only processes started here are ever ended."""

import atexit
import base64
import json
import os
import pathlib
import secrets
import select
import signal
import subprocess
import sys
import threading
import time

from messages import server_pb2
from rows import MEMORY_BYTES, Setup
from starved import timed
from wire import Closed, Peer, Refused, read_tail

HERE = pathlib.Path(__file__).resolve().parent
READY_SECONDS = 120
BACK_SECONDS, BACK_BYTES = 10.0, 32 << 20
# What a machine that is busy with other things may add to that.
LATE_SECONDS = 30.0
SPARE_DESCRIPTORS = 8  # readers of the store are opened when they are first needed
SAMPLE_SECONDS = 0.05
# p99 < 2 × quiet p99 is the row. On a shared machine a quiet p99 is below a millisecond, and any neighbour doubles it,
# so a floor holds beside the factor.
WITNESS_FLOOR_MILLISECONDS = float(os.environ.get("HEDDLE_WITNESS_FLOOR_MILLISECONDS", "250"))

CANARY = "canary-" + secrets.token_hex(8)
TOKENS = {name: f"{name}-{secrets.token_hex(20)}" for name in
          ("alice", "bob", "carol", "crowd", "greedy", "flood", "witness", "root")}


def token_file(folder: pathlib.Path) -> pathlib.Path:
    file = folder / "tokens"
    file.touch(mode=0o600)
    file.write_text("".join(f"{token} {name}{' admin' if name == 'root' else ''}\n" for name, token in TOKENS.items()))
    return file


def spellings(secret: str) -> list[bytes]:
    """How a secret can stand in a file."""
    raw = secret.encode()
    # base64 of the middle: the same at each of the three alignments but for its ends
    shifted = [base64.b64encode(b"x" * shift + raw)[4:-4] for shift in range(3)]
    return [raw, raw.hex().encode(), raw.hex().upper().encode(), *shifted]


class Server:
    """`heddle serve` on a data folder; its log goes to a file beside it."""

    binary = pathlib.Path("heddle")
    started: set[subprocess.Popen] = set()

    def __init__(self, data: pathlib.Path, *arguments, environment: dict | None = None, under: tuple = (),
                 has_tokens: bool = False, listen: str = "127.0.0.1:0"):
        self.data, self.arguments, self.environment = pathlib.Path(data), arguments, environment or {}
        self.under, self.has_tokens, self.listen = under, has_tokens, listen
        self.log = self.data.with_name(self.data.name + ".log")
        self.process: subprocess.Popen | None = None
        self.ready: dict = {}
        self.may_end = False
        self.may_be_damaged = False

    def command(self) -> list:
        return [*self.under, self.binary, "serve", "--data", self.data, "--listen", self.listen, *self.arguments]

    def start(self) -> "Server":
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=log,
                                            stdin=subprocess.DEVNULL, env={**os.environ, **self.environment})
        Server.started.add(self.process)
        line, deadline = b"", time.monotonic() + READY_SECONDS
        while not line.endswith(b"\n"):
            left = max(0, deadline - time.monotonic())
            assert select.select([self.process.stdout], [], [], left)[0], f"not ready in {READY_SECONDS} s"
            piece = os.read(self.process.stdout.fileno(), 4096)
            assert piece, f"ended with {self.process.wait(60)} before it was ready: {self.log_tail()}"
            line += piece
        self.ready = json.loads(line)
        return self

    @property
    def address(self) -> str:
        return self.ready["listen"]

    @property
    def pid(self) -> int:
        """The server's own, also under strace or prlimit."""
        return self.ready["pid"]

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def log_tail(self) -> str:
        return self.log.read_text(errors="replace")[-1500:] if self.log.exists() else ""

    def death(self) -> str:
        """What it ended with, and the last that it said."""
        return f"the process died with {self.process.poll()}: … {self.log_tail()[-600:]}"

    def resident_bytes(self) -> int:
        """Memory in RAM; 0 when the process is gone."""
        try:
            fields = pathlib.Path(f"/proc/{self.pid}/statm").read_text().split()
        except (FileNotFoundError, ProcessLookupError):
            return 0
        return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") if len(fields) > 1 else 0

    def peak_bytes(self) -> int:
        """The most it ever had in RAM."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
        return 0

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

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
        self.wait(60)

    def wait(self, timeout: float = 60.0) -> int:
        code = self.process.wait(timeout)
        Server.started.discard(self.process)
        if not self.process.stdout.closed:
            self.process.stdout.close()
        return code

    def restart(self) -> "Server":
        """kill -9, and a start on the same folder."""
        self.kill()
        return self.start()

    def stop(self) -> int:
        """SIGTERM, and the exit code."""
        if self.alive:
            os.kill(self.pid, signal.SIGTERM)
        try:
            return self.wait(90)
        except subprocess.TimeoutExpired:
            self.kill()
            return -1

    def close(self) -> list[str]:
        """Ends it, and says what is wrong with how it ended or with what it leaves on disk."""
        problems = []
        if not self.may_end:
            if not self.alive:
                problems.append(self.death())
            elif (code := self.stop()) != 0:
                problems.append(f"SIGTERM ended it with {code}")
        elif self.process is not None:
            self.kill()
        if not self.may_be_damaged and self.data.is_dir():
            checked = self.run("check", self.data, timeout=300)
            if checked.returncode != 0:
                problems.append(f"heddle check: {(checked.stdout + checked.stderr).strip()[-500:]}")
        return problems

    @classmethod
    def run(cls, *arguments, timeout: float = 120.0) -> subprocess.CompletedProcess:
        """Runs the program to its end."""
        return subprocess.run([cls.binary, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                              stdin=subprocess.DEVNULL)


    @classmethod
    def timed(cls, *arguments) -> tuple[subprocess.CompletedProcess, float]:
        """Runs the program to its end; how long it took, less what it waited for a processor."""
        return timed(cls.binary, *arguments)


@atexit.register
def end_what_is_left():
    """However the run ends, none of its servers outlives it."""
    for process in Server.started:
        process.kill()


class Watch:
    """What stands on every row, for one server: measured before and after, and in between from outside."""

    def __init__(self, server: Server):
        self.server = server
        token = TOKENS["witness"] if server.has_tokens else ""
        self.control = self._connect()
        self.witness = subprocess.Popen([sys.executable, HERE / "witness.py", server.address, str(server.pid)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "HEDDLE_WITNESS_TOKEN": token})
        assert self._line(120) == "ready", "the witness did not start"
        self.quiet_p99 = self._measure_quiet()
        self.start_bytes = server.resident_bytes()
        self.peak, self.sampling = 0, None
        self.worst_p99 = 0.0

    def _connect(self) -> Peer:
        control = Peer(self.server.address)
        control.hello(TOKENS["witness"] if self.server.has_tokens else "", client_name="control")
        return control

    # The witness

    def _line(self, timeout: float) -> str:
        if not select.select([self.witness.stdout], [], [], timeout)[0]:
            return ""
        return self.witness.stdout.readline().strip()

    def _report(self) -> dict:
        self.witness.stdin.write("report\n")
        self.witness.stdin.flush()
        line = self._line(90)
        return json.loads(line) if line else {"failure": "the witness waits without end", "count": 0, "p99": 0}

    def _measure_quiet(self) -> float:
        """What the witness sees while nobody attacks; a neighbour's burst must not make every bound a wide one."""
        seen = []
        while not seen or (min(seen) > WITNESS_FLOOR_MILLISECONDS / 4 and len(seen) < 5):
            time.sleep(0.5)  # nothing happens, and that is looked at
            seen.append(self._report()["p99"])
        return min(seen)

    # Around a row

    def status(self) -> "server_pb2.ServerStatusResponse":
        try:
            answer = self.control.call("Server.Status")
        except (Closed, BrokenPipeError, ConnectionResetError):
            # A row by hand takes longer than a connection may be idle.
            self.control.close()
            self.control = self._connect()
            answer = self.control.call("Server.Status")
        self.control.asked.clear()
        return answer

    def begin(self):
        self._report()
        self.quiet = (self.server.resident_bytes(), *self.server.descriptors())
        status = self.status()
        self.turns, self.connections = status.running_turns, status.connections
        self.log_offset = self.server.log.stat().st_size
        self.peak = 0
        self.sampling = threading.Event()
        self.sampler = threading.Thread(target=self._sample, args=(self.sampling,), daemon=True)
        self.sampler.start()

    def _sample(self, stop: threading.Event):
        while not stop.wait(SAMPLE_SECONDS):
            self.peak = max(self.peak, self.server.resident_bytes())

    def end(self, memory: int = MEMORY_BYTES) -> list[str]:
        """What of the standing assertions does not hold."""
        self.sampling.set()
        self.sampler.join(60)
        if not self.server.alive:
            return [self.server.death()]
        problems = []
        report = self._report()
        if report["failure"]:
            problems.append(f"the witness was harmed: {report['failure']}")
        bound = max(2 * self.quiet_p99, WITNESS_FLOOR_MILLISECONDS)
        self.worst_p99 = max(self.worst_p99, report["p99"])
        if report["count"] >= 20 and report["p99"] > bound:
            problems.append(f"the witness waited: p99 {report['p99']:.0f} ms, bound {bound:.0f} ms "
                            f"(load average {os.getloadavg()[0]:.1f})")
        if self.peak - self.quiet[0] > memory:
            problems.append(f"memory grew by {(self.peak - self.quiet[0]) >> 20} MiB, bound {memory >> 20} MiB")
        problems += self._comes_back()
        return problems + self.log_problems(self.log_offset)

    def _comes_back(self) -> list[str]:
        deadline = time.monotonic() + BACK_SECONDS + LATE_SECONDS
        while left := self._what_is_left():
            if time.monotonic() > deadline:
                return [f"{BACK_SECONDS:.0f} s after the end: {', '.join(left)}"]
            time.sleep(0.05)  # nobody is told when memory and descriptors come back
        return []

    def _what_is_left(self) -> list[str]:
        resident, sockets, every = self.quiet
        now_sockets, now_every = self.server.descriptors()
        left = []
        if (grown := self.server.resident_bytes() - resident) > BACK_BYTES:
            left.append(f"{grown >> 20} MiB of memory are left")
        if now_sockets > sockets or now_every > every + SPARE_DESCRIPTORS:
            left.append(f"{now_sockets - sockets} sockets, {now_every - every} descriptors are left")
        try:
            status = self.status()
        except (Refused, Closed, TimeoutError, OSError) as failure:
            return [*left, f"no status: {failure!r}"]
        if status.running_turns > self.turns:
            left.append(f"{status.running_turns - self.turns} turns are left running")
        if status.connections > self.connections:
            left.append(f"{status.connections - self.connections} connections are left")
        return left

    def log_problems(self, offset: int = 0) -> list[str]:
        """Payload or secrets in the log; words of a trap."""
        return log_problems(self.server.log, offset)

    def close(self):
        if self.sampling:
            self.sampling.set()
        self.control.close()
        self.witness.stdin.close()
        try:
            self.witness.wait(5)
        except subprocess.TimeoutExpired:
            self.witness.kill()
            self.witness.wait(5)
        self.witness.stdout.close()


def log_problems(log: pathlib.Path, offset: int = 0) -> list[str]:
    """Payload or secrets in a log behind an offset; words of a trap."""
    tail = read_tail(log, offset)
    problems = []
    if any(spelling in tail for spelling in spellings(CANARY)):
        problems.append("a payload is in the log")
    for name, token in TOKENS.items():
        if any(spelling in tail for spelling in spellings(token)):
            problems.append(f"the token of {name} is in the log")
    if b"Fatal error" in tail or b"Swift runtime failure" in tail:
        problems.append("the log tells of a trap")
    return problems


def start(setup: Setup, folder: pathlib.Path) -> Server:
    """A server for the rows that share a setup."""
    arguments = setup.arguments + (("--token-file", token_file(folder)) if setup.tokens else ())
    return Server(folder / "data", *arguments, environment=dict(setup.environment), has_tokens=setup.tokens).start()
