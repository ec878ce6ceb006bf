"""A server under fault.c: where and how it is hurt, and what really happened."""

import os
import pathlib
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "integration"))

from server import BINARY, READY_SECONDS, Server  # noqa: E402

SHIM = pathlib.Path(os.environ.get("HEDDLE_FAULT_SHIM", HERE.parents[1] / ".build" / "crash" / "fault.so"))
CLASSES = ("write", "sync", "open", "rename", "truncate", "allocate", "unlink", "read")
# Exit codes that a server may end with when its disk fails: D8 and D13, and a folder that it cannot use.
ENDS = (75, 78)


class Crash(AssertionError):
    """The server did something that no fault excuses."""


class FaultyServer(Server):
    """`heddle serve` with fault.c in front of libc. `fault` is CLASS:N:ACTION; it happens only while the file `switch` is
    there, if one is named."""

    def __init__(self, data: pathlib.Path, *arguments: str, fault: str = "", log: pathlib.Path | None = None,
                 switch: pathlib.Path | None = None, settings: dict | None = None, **more):
        self.fired_path, self.counts_path = (data.with_name(data.name + end) for end in (".fired", ".counts"))
        environment = {"LD_PRELOAD": str(SHIM), "HEDDLE_FAULT_FOLDER": str(data), "HEDDLE_FAULT_FIRED": self.fired_path,
                       "HEDDLE_FAULT_COUNTS": self.counts_path}
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
                self.process.stdout.close()


def work_folder() -> tempfile.TemporaryDirectory:
    """A folder of our own, beside others of its kind; HEDDLE_CRASH_FOLDER says where."""
    return tempfile.TemporaryDirectory(prefix="heddle-crash-", dir=os.environ.get("HEDDLE_CRASH_FOLDER"))


def memory_folder() -> tempfile.TemporaryDirectory:
    """The same in memory where there is such a place: thousands of states are written there."""
    place = pathlib.Path("/dev/shm")
    return tempfile.TemporaryDirectory(prefix="heddle-crash-", dir=place if os.access(place, os.W_OK) else None)


def checked(folder: pathlib.Path, timeout: float = 120) -> list[str]:
    """What `heddle check` complains of."""
    done = subprocess.run([BINARY, "check", folder], capture_output=True, text=True, timeout=timeout)
    if done.returncode not in (0, 1):
        raise Crash(f"heddle check ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stderr.splitlines() if done.returncode else []


__all__ = ["BINARY", "CLASSES", "Crash", "ENDS", "FaultyServer", "READY_SECONDS", "SHIM", "Server", "checked",
           "memory_folder", "work_folder"]
