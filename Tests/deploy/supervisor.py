"""systemd's part, played: the socket that hears a service's notices, and sockets that listen for it."""

import os
import pathlib
import socket
import sys
import time

from harness.connection import PATIENCE_SECONDS
from harness.server import Server

# Puts the descriptors named on the command line at 3, 4, …, and becomes the program that follows `--`.
ACTIVATE = """
import os, sys
at = sys.argv.index("--")
names, held = [], []
for word in sys.argv[1:at]:
    name, _, descriptor = word.rpartition("=")
    names.append(name)
    held.append(os.dup(int(descriptor)))
held = [os.dup2(descriptor, 100 + index) for index, descriptor in enumerate(held)]
for index, descriptor in enumerate(held):
    os.dup2(descriptor, 3 + index)
os.environ["LISTEN_PID"], os.environ["LISTEN_FDS"] = str(os.getpid()), str(len(held))
if any(names):
    os.environ["LISTEN_FDNAMES"] = ":".join(names)
os.execv(sys.argv[at + 1], sys.argv[at + 1:])
"""


class Notices:
    """The datagram socket of $NOTIFY_SOCKET: each notice as its fields."""

    def __init__(self, folder: pathlib.Path, abstract: bool = False):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        name = f"{folder.name}-{os.getpid()}"
        self.socket.bind(f"\0{name}" if abstract else str(folder / "notify"))
        self.environment = {"NOTIFY_SOCKET": f"@{name}" if abstract else str(folder / "notify")}

    def next(self, timeout: float = PATIENCE_SECONDS) -> dict:
        self.socket.settimeout(timeout)
        text = self.socket.recv(4096).decode()
        return dict(line.split("=", 1) for line in text.splitlines())

    def until(self, name: str, timeout: float = PATIENCE_SECONDS) -> dict:
        """The next notice with this field."""
        deadline = time.monotonic() + timeout
        while name not in (notice := self.next(max(0.01, deadline - time.monotonic()))):
            pass
        return notice

    def quiet(self, seconds: float) -> bool:
        """Whether nothing comes for so long, after what is there already."""
        self.socket.setblocking(False)
        try:
            while self.socket.recv(4096):
                pass
        except BlockingIOError:
            pass
        try:
            self.next(seconds)
            return False
        except TimeoutError:
            return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def listening(host: str = "127.0.0.1", backlog: int = 4096) -> socket.socket:
    held = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    held.bind((host, 0))
    held.listen(backlog)
    return held


def activation(*sockets: tuple[str, socket.socket]) -> dict:
    """Arguments of a `Server` that gets these sockets, by name."""
    words = [f"{name}={held.fileno()}" for name, held in sockets]
    return {"under": (sys.executable, "-c", ACTIVATE, *words, "--"),
            "inherit": tuple(held.fileno() for _, held in sockets)}


def activated(data, *sockets, **more) -> Server:
    # The address of --listen is not used, and could not be.
    return Server(data, listen="127.0.0.1:1", **activation(*sockets), **more)
