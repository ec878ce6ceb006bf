"""One case: a server of its own, the assertions of every case, and a line of figures."""

import dataclasses
import pathlib
import sys
import time
from collections.abc import Callable

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from harness.connection import Connection  # noqa: E402
from harness.server import Server  # noqa: E402
from harness.watch import Watch  # noqa: E402

MIB = 1 << 20
CASES: dict[str, "Case"] = {}


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    title: str
    drive: Callable
    memory: Callable
    environment: dict


def case(name: str, memory=lambda run: 64 * MIB, **environment):
    """Registers a case. `memory`: the growth that the server may have in the run."""
    def register(drive: Callable) -> Callable:
        assert name not in CASES, f"{name} stands twice"
        title = " ".join((drive.__doc__ or "").split())
        CASES[name] = Case(name, title, drive, memory, {key: str(value) for key, value in environment.items()})
        return drive
    return register


class Run:
    """One run of one case: `drive` notes figures and broken bounds; connections that it opened are closed at its end."""

    def __init__(self, chosen: Case, folder: pathlib.Path, full: bool):
        self.case, self.full = chosen, full
        self.figures: dict[str, object] = {}
        self.problems: list[str] = []
        self.connections = 0
        self.open: list = []
        self.server = Server(folder / chosen.name, "--log-format", "json", environment=chosen.environment)

    def size(self, ci, full):
        return full if self.full else ci

    def note(self, **figures):
        self.figures.update(figures)

    def bound(self, holds: bool, what: str):
        """A bound that must hold in every size."""
        if not holds:
            self.problems.append(what)

    def bound_in_full(self, holds: bool, what: str):
        """A time or a share of the processor: in CI, beside other work, it is a figure."""
        if self.full:
            self.bound(holds, what)

    def keep(self, thing):
        """Closes `thing` at the end of the case."""
        self.open.append(thing)
        return thing

    def peer(self, **fields) -> Connection:
        peer = self.keep(Connection(self.server.address, timeout=60))
        peer.hello(quiet=True, client_name="case", **fields)
        return peer

    def serves(self):
        """A newcomer is let in, writes and reads."""
        with Connection(self.server.address, timeout=30) as peer:
            peer.hello(quiet=True, client_name="newcomer")
            thread = peer.call("Thread.Start", subscribe=False, name="still here").thread.id
            assert peer.call("Thread.Read", thread=thread).thread.name == "still here"

    def go(self) -> bool:
        began = time.monotonic()
        self.server.start()
        watch = self.watch = Watch(self.server)
        watch.begin()
        try:
            self.case.drive(self)
            self.serves()
        except Exception as failure:  # whatever it is, the case has failed
            self.problems.append(f"{type(failure).__name__}: {failure}")
        for thing in reversed(self.open):
            thing.close()
        peak = max(watch.peak, self.server.peak_bytes()) - watch.quiet[0]
        self.problems += watch.end(self.case.memory(self))
        left = self.server.resident_bytes() - watch.quiet[0]
        self.note(peak_mib=f"{peak / MIB:.1f}", left_mib=f"{max(0, left) / MIB:.1f}",
                  witness_p99_ms=f"{watch.worst_p99:.1f}", seconds=f"{time.monotonic() - began:.1f}")
        watch.close()
        self.problems += self.server.close()
        self.say()
        return not self.problems

    def say(self):
        told = " ".join(f"{name}={value}" for name, value in self.figures.items())
        print(f"many: case={self.case.name} connections={self.connections} {told} failed={len(self.problems)}")
        for problem in self.problems:
            print(f"many: FAIL {self.case.name}: {' '.join(str(problem).split())[:600]}")
        sys.stdout.flush()


__all__ = ["CASES", "HERE", "MIB", "Case", "Run", "Server", "case"]
