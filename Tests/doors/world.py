"""The servers of a client, and their tokens: one that knows no callers, with a thread whose stored bytes are damaged, and
one that demands a token and lets a tenant send one request a second."""

import pathlib
import secrets
import shutil

from harness.server import Server
from harness.store_pages import damage
from table import text_id

TOKENS = {name: f"{name}-{secrets.token_hex(20)}" for name in ("alice", "bob", "rushed", "root")}
DOORS = ("--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0")


class DamagedFolder:
    """Made once and copied for each client."""

    def __init__(self, folder: pathlib.Path):
        self.data = folder / "damaged"
        with Server(self.data, "--grpc", "off", "--http", "off") as server, server.connect() as connection:
            self.thread = connection.call("Thread.Start", subscribe=False).thread.id
            connection.call("Thread.SetName", thread=self.thread, name="x")
            assert server.stop() == 0
        damage(self.data, self.thread)


class World:
    def __init__(self, folder: pathlib.Path, damaged: DamagedFolder, arguments: tuple = DOORS):
        folder.mkdir()
        shutil.copytree(damaged.data, folder / "open")
        captures = [folder / name for name in ("open-captures", "tokens-captures")]
        for one in captures:
            one.mkdir(mode=0o700)
        tokens = folder / "tokens-file"
        tokens.touch(mode=0o600)
        tokens.write_text("".join(f"{token} {name}{' admin' if name == 'root' else ''}\n"
                                  for name, token in TOKENS.items()))
        self.servers = {
            "open": Server(folder / "open", *arguments, environment={
                "HEDDLE_CAPTURE_FOLDER": str(captures[0]), "HEDDLE_LIMITS_QUEUED_TURNS": "2"}),
            "tokens": Server(folder / "tokens", "--token-file", str(tokens), *arguments, environment={
                "HEDDLE_CAPTURE_FOLDER": str(captures[1]), "HEDDLE_LIMITS_REQUESTS_PER_SECOND": "1",
                "HEDDLE_LIMITS_REQUEST_BURST": "6"})}
        self.variables = {"damaged": text_id(damaged.thread)}
        for server in self.servers.values():
            server.may_be_damaged = True
            server.start()
        captures[1].rmdir()

    def close(self) -> list[str]:
        """The problems of the servers' ends."""
        return [f"{name}: {problem}" for name, server in self.servers.items() for problem in server.close()]
