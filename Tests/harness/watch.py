"""The standing assertions about a server beside an attack (docs/attacks.md): it lives, another client is served as
before, memory and descriptors come back, no turn is left running, no secret is in the log.

    python -m harness.watch ADDRESS PID

is that other client, the witness, as a process of its own. It asks for its own thread over and over and compares the
answer with the first. For each line on its input it prints one JSON object: the number of answers since the last line, their
p99 and worst in milliseconds, and the first failure.
"""

import base64
import json
import os
import pathlib
import select
import subprocess
import sys
import threading
import time

from harness.connection import SLOWNESS, Connection
from harness.messages import METHODS, ROOT, server_pb2
from harness.server import Server
from harness.starved import Starved
from harness.wire import Closed, HeddleError

# How much memory may grow while one is attacked, and how much of that may stay. A sanitizer takes memory of its own.
MEMORY_BYTES, BACK_BYTES = int(SLOWNESS * (64 << 20)), int(SLOWNESS * (32 << 20))
BACK_SECONDS = 10.0
# The delay that a busy machine may add to that.
LATE_SECONDS = 30.0
SPARE_DESCRIPTORS = 8  # readers of the store are opened when they are first needed
SAMPLE_SECONDS = 0.05
WITNESS_INTERVAL_SECONDS = 0.02
# p99 < 2 × quiet p99 is the row. On a shared machine a quiet p99 is below a millisecond, and any neighbour doubles it,
# so a floor holds beside the factor.
WITNESS_FLOOR_MILLISECONDS = float(os.environ.get("HEDDLE_WITNESS_FLOOR_MILLISECONDS", "250")) * SLOWNESS


class Watch:
    """The standing assertions for one server: measured before and after, and in between from outside. `secrets` are
    texts by their names: none of them may be in the log. `spare_sockets`: how many may be open to other peers than
    clients."""

    def __init__(self, server: Server, token: str = "", secrets: dict[str, str] | None = None, spare_sockets: int = 0):
        self.server, self.token, self.secrets, self.spare_sockets = server, token, secrets or {}, spare_sockets
        self.control = self._connect()
        path = os.pathsep.join(filter(None, (str(ROOT / "Tests"), os.environ.get("PYTHONPATH"))))
        self.witness = subprocess.Popen([sys.executable, "-m", "harness.watch", server.address, str(server.pid)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "HEDDLE_WITNESS_TOKEN": token, "PYTHONPATH": path})
        assert self._line(120) == "ready", "the witness did not start"
        self.quiet_p99 = self._measure_quiet()
        self.start_bytes = server.resident_bytes()
        self.peak, self.sampling = 0, None
        self.worst_p99 = 0.0

    def _connect(self) -> Connection:
        control = Connection(self.server.address)
        control.hello(self.token, quiet=True, client_name="control")
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
        """The witness's p99 without an attack; a neighbour's burst must not make every bound a wide one."""
        seen = []
        while not seen or (min(seen) > WITNESS_FLOOR_MILLISECONDS / 4 and len(seen) < 5):
            time.sleep(0.5)  # nothing happens, and that is looked at
            seen.append(self._report()["p99"])
        return min(seen)

    # Around an attack

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
            try:
                self.peak = max(self.peak, self.server.resident_bytes())
            except (FileNotFoundError, ProcessLookupError):
                return  # it is dead, which `end` reports

    def end(self, memory: int = MEMORY_BYTES) -> list[str]:
        """The standing assertions that do not hold."""
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
        return problems + log_problems(self.server.log, self.secrets, self.log_offset)

    def _comes_back(self) -> list[str]:
        deadline = time.monotonic() + BACK_SECONDS + LATE_SECONDS
        while left := self._left_over():
            if time.monotonic() > deadline:
                return [f"{BACK_SECONDS:.0f} s after the end: {', '.join(left)}"]
            time.sleep(0.05)  # there is no notice when memory and descriptors come back
        return []

    def _left_over(self) -> list[str]:
        resident, sockets, every = self.quiet
        now_sockets, now_every = self.server.descriptors()
        left = []
        try:
            if (grown := self.server.resident_bytes() - resident) > BACK_BYTES:
                left.append(f"{grown >> 20} MiB of memory are left")
            status = self.status()
        except (HeddleError, Closed, TimeoutError, OSError) as failure:
            return [*left, f"no status: {failure!r}"]
        if now_sockets > sockets + self.spare_sockets or now_every > every + SPARE_DESCRIPTORS:
            left.append(f"{now_sockets - sockets} sockets, {now_every - every} descriptors are left")
        if status.running_turns > self.turns:
            left.append(f"{status.running_turns - self.turns} turns are left running")
        if status.connections > self.connections:
            left.append(f"{status.connections - self.connections} connections are left")
        return left

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


# The log


def spellings(secret: str) -> list[bytes]:
    """How a secret can stand in a file."""
    raw = secret.encode()
    # base64 of the middle: the same at each of the three alignments but for its ends
    shifted = [base64.b64encode(b"x" * shift + raw)[4:-4] for shift in range(3)]
    return [raw, raw.hex().encode(), raw.hex().upper().encode(), *shifted]


def log_problems(log: pathlib.Path, secrets: dict[str, str], offset: int = 0) -> list[str]:
    """Secrets in a log behind an offset, and words of a trap."""
    with open(log, "rb") as opened:
        opened.seek(offset)
        tail = opened.read()
    problems = [f"{name} is in the log" for name, secret in secrets.items()
                if any(spelling in tail for spelling in spellings(secret))]
    if b"Fatal error" in tail or b"Swift runtime failure" in tail:
        problems.append("the log tells of a trap")
    return problems


# The other client


class Witness:
    def __init__(self, address: str, pid: int, token: str):
        self.connection = Connection(address)
        self.connection.hello(token, quiet=True, client_name="witness")
        self.thread = self.connection.new_thread(name="the witness's own").id
        self.first = self.ask()
        self.waits: list[float] = []
        self.starved = Starved(pid)
        self.failure = ""

    def ask(self) -> bytes:
        frame = self.connection.terminal(self.connection.open("Thread.Read", thread=self.thread))
        answer = METHODS["Thread.Read"].response.FromString(frame.body)
        answer.thread.ClearField("status")
        return answer.SerializeToString(deterministic=True)

    def look(self):
        self.starved.since()
        begin = time.monotonic()
        try:
            answer = self.ask()
        except Exception as failure:  # whatever it is, the attack that caused it must hear of it
            self.failure = self.failure or repr(failure)
            return
        # Time that the server or this program waited for a processor is not the attack's doing.
        self.waits.append(max(0.0, time.monotonic() - begin - self.starved.since()))
        if answer != self.first:
            self.failure = self.failure or "an answer that is not right"
        self.connection.asked.clear()

    def report(self) -> str:
        waits = sorted(self.waits)
        p99 = waits[max(0, int(len(waits) * 0.99) - 1)] if waits else 0.0
        said = {"count": len(waits), "p99": 1000 * p99, "worst": 1000 * (waits[-1] if waits else 0.0),
                "failure": self.failure}
        self.waits = []
        return json.dumps(said)


def main():
    witness = Witness(sys.argv[1], int(sys.argv[2]), os.environ.get("HEDDLE_WITNESS_TOKEN", ""))
    print("ready", flush=True)
    while True:
        readable, _, _ = select.select([sys.stdin], [], [], 0 if witness.failure else WITNESS_INTERVAL_SECONDS)
        if readable:
            if not sys.stdin.readline():
                return
            print(witness.report(), flush=True)
        if not witness.failure:
            witness.look()
        elif not readable:
            time.sleep(WITNESS_INTERVAL_SECONDS)


if __name__ == "__main__":
    main()
