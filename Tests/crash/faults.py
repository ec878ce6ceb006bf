"""The parts that all cases share: the harness's servers, folders of our own, and findings of `heddle check`."""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from harness.faults import CLASSES, SHIM, FaultyServer  # noqa: E402
from harness.server import BINARY, READY_SECONDS, Server  # noqa: E402

# Exit codes that a server may end with when its disk fails: D8 and D13, and a folder that it cannot use.
ENDS = (75, 78)


class Crash(AssertionError):
    """The server did something that no fault excuses."""


def work_folder() -> tempfile.TemporaryDirectory:
    """A folder of our own, beside others of its kind; HEDDLE_CRASH_FOLDER says where."""
    return tempfile.TemporaryDirectory(prefix="heddle-crash-", dir=os.environ.get("HEDDLE_CRASH_FOLDER"))


def memory_folder() -> tempfile.TemporaryDirectory:
    """The same in memory where there is such a place: thousands of states are written there."""
    place = pathlib.Path("/dev/shm")
    return tempfile.TemporaryDirectory(prefix="heddle-crash-", dir=place if os.access(place, os.W_OK) else None)


def checked(folder: pathlib.Path, timeout: float = 120) -> list[str]:
    """Findings of `heddle check`."""
    done = subprocess.run([BINARY, "check", folder], capture_output=True, text=True, timeout=timeout)
    if done.returncode not in (0, 1):
        raise Crash(f"heddle check ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stderr.splitlines() if done.returncode else []


__all__ = ["BINARY", "CLASSES", "Crash", "ENDS", "FaultyServer", "READY_SECONDS", "SHIM", "Server", "checked",
           "memory_folder", "work_folder"]
