"""The time that processes wanted to run and could not, because others had the processor. It is subtracted from a wait
before the wait is held against the program."""

import os
import pathlib
import subprocess
import tempfile
import threading
import time

HANG_SECONDS = 120


class Starved:
    """Seconds that the threads of a process, and those of the one that asks (they hold Python's lock in turn), have
    spent in the queue of the processor since the last look; 0 if the kernel does not report it."""

    def __init__(self, pid: int):
        self.folders = [pathlib.Path(f"/proc/{each}/task") for each in {pid, os.getpid()}]
        self.before = self._now()

    def _now(self) -> dict[str, int]:
        found = {}
        for folder in self.folders:
            try:
                found.update((task.name, _queued(task)) for task in folder.iterdir())
            except OSError:
                pass  # the process has ended
        return found

    def since(self) -> float:
        now = self._now()
        queued = sum(nanoseconds - self.before.get(task, 0) for task, nanoseconds in now.items())
        self.before = now
        return max(0, queued) / 1e9


def timed(*command) -> tuple[subprocess.CompletedProcess, float]:
    """Runs a program to its end; how long it took, less the time that its first thread waited for a processor."""
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        hang = threading.Timer(HANG_SECONDS, process.kill)
        hang.start()
        # It is still there to be asked when it has ended, until it is waited for.
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        hang.cancel()
        seconds = time.monotonic() - began - _queued(pathlib.Path(f"/proc/{process.pid}")) / 1e9
        said = [file.seek(0) or file.read() for file in (out, err)]
        return subprocess.CompletedProcess(process.args, process.wait(), *said), seconds


def _queued(task: pathlib.Path) -> int:
    """Nanoseconds: the second number of schedstat."""
    try:
        return int((task / "schedstat").read_text().split()[1])
    except (OSError, IndexError):
        return 0
