"""A server whose disk is full for a while. fault.c of the crash tests stands in front of libc and fails every write to the
data folder, exactly as long as a test says; unlike a tracer it changes no call that is on its way when it lets go."""

import contextlib
import os
import pathlib
import subprocess
import tempfile

from heddle_client import ROOT
from server import Server

SOURCE = ROOT / "Tests" / "crash" / "fault.c"
SHIM = pathlib.Path(os.environ.get("HEDDLE_FAULT_SHIM", ROOT / ".build" / "crash" / "fault.so"))


def shim() -> pathlib.Path:
    """The library, built if it is not there; several tests may come to that at once."""
    if not SHIM.exists() or SHIM.stat().st_mtime < SOURCE.stat().st_mtime:
        SHIM.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=SHIM.parent) as folder:
            built = pathlib.Path(folder) / SHIM.name
            subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", built, SOURCE, "-ldl", "-lpthread"], check=True)
            built.replace(SHIM)
    return SHIM


class FillingServer(Server):
    """`heddle serve`, whose disk is full inside `full()`."""

    def __init__(self, data: pathlib.Path, *arguments: str):
        self.switch = data.with_name(data.name + ".full")
        super().__init__(data, *arguments, environment={
            "LD_PRELOAD": str(shim()), "HEDDLE_FAULT_FOLDER": str(data), "HEDDLE_FAULT": "write:1+:enospc",
            "HEDDLE_FAULT_WHILE": str(self.switch)})

    @contextlib.contextmanager
    def full(self):
        self.switch.touch()
        try:
            yield
        finally:
            self.switch.unlink()
