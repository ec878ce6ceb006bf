"""A server whose disk fails: fault.c of the crash tests stands in front of libc, and says what really happened."""

import contextlib
import os
import pathlib
import struct
import subprocess
import tempfile

from harness.messages import ROOT
from harness.server import Server

SOURCE = ROOT / "Tests" / "crash" / "fault.c"
SHIM = pathlib.Path(os.environ.get("HEDDLE_FAULT_SHIM", ROOT / ".build" / "crash" / "fault.so"))
CLASSES = ("write", "sync", "open", "rename", "truncate", "allocate", "unlink", "read")


def shim() -> pathlib.Path:
    """The library, built if it is not there; several tests may come to that at once."""
    if not SHIM.exists() or SHIM.stat().st_mtime < SOURCE.stat().st_mtime:
        SHIM.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=SHIM.parent) as folder:
            built = pathlib.Path(folder) / SHIM.name
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", built, SOURCE, "-ldl", "-lpthread"], check=True)
            built.replace(SHIM)
    return SHIM


class FaultyServer(Server):
    """`heddle serve` with fault.c in front of libc. `fault` is CLASS:N:ACTION; it happens only while the file `switch`
    is there, if one is named."""

    def __init__(self, data: pathlib.Path, *arguments: str, fault: str = "", log: pathlib.Path | None = None,
                 switch: pathlib.Path | None = None, settings: dict | None = None, **more):
        self.fired_path, self.counts_path = (data.with_name(data.name + end) for end in (".fired", ".counts"))
        environment = {"LD_PRELOAD": str(shim()), "HEDDLE_FAULT_FOLDER": str(data),
                       "HEDDLE_FAULT_FIRED": self.fired_path, "HEDDLE_FAULT_COUNTS": self.counts_path}
        environment |= settings or {}
        if fault:
            environment["HEDDLE_FAULT"] = fault
        if switch:
            environment["HEDDLE_FAULT_WHILE"] = str(switch)
        if log:
            environment["HEDDLE_FAULT_LOG"] = str(log)
        super().__init__(data, *arguments, environment=environment, **more)

    @property
    def fired(self) -> list[str]:
        """A line for each fault: class, number, file."""
        return self.fired_path.read_text().splitlines() if self.fired_path.exists() else []

    @property
    def counts(self) -> dict[str, int]:
        raw = self.counts_path.read_bytes()
        return dict(zip(CLASSES, struct.unpack(f"{len(CLASSES)}Q", raw)))

    def try_to_start(self) -> bool:
        """False if it ended before it was ready, as it may when its disk fails at the start."""
        try:
            self.start()
            return True
        except AssertionError:
            if self.process.poll() is None:
                raise
            return False
        finally:
            if self.process.poll() is not None:
                self._reap(0)


class FillingServer(FaultyServer):
    """A server whose disk is full inside `full()`. Unlike a tracer, fault.c changes no call that is on its way when it
    lets go."""

    def __init__(self, data: pathlib.Path, *arguments: str):
        self.switch = data.with_name(data.name + ".full")
        super().__init__(data, *arguments, fault="write:1+:enospc", switch=self.switch)

    @contextlib.contextmanager
    def full(self):
        self.switch.touch()
        try:
            yield
        finally:
            self.switch.unlink()
