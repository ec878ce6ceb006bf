"""Stores of any size for `growth.py`: what the server writes itself, multiplied by `fill.c` where it would take hours."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from figures import ROOT, Connection, Server
from harness.messages import frame_pb2, item_pb2, server_pb2, settings_pb2, thread_pb2, turn_pb2

SPECIAL = 3


class Bench:
    """The needs of every measurement: the server, the messages, a folder to work in, and the sizes."""

    def __init__(self, heddle: Path, work: Path, short: bool, rounds: int):
        self.heddle, self.work, self.short, self.rounds = heddle.resolve(), work, short, rounds
        self.servers_started: list[Server] = []
        self.tools = work / "tools"
        self.tools.mkdir(parents=True, exist_ok=True)
        parts = [ROOT / "Sources" / name for name in ("CPageChecksums", "CCRC32C")]
        fill = [word for part in parts for word in ("-I", part / "include", *part.glob("*.c"))] + ["-lsqlite3"]
        for name, more in (("fill", fill), ("fanout_floor", []), ("lg", [])):
            subprocess.run(["cc", "-O2", "-o", self.tools / name, ROOT / "Benchmarks" / f"{name}.c", *more], check=True)
        self.frames, self.settings, self.threads, self.turns = frame_pb2, settings_pb2, thread_pb2, turn_pb2
        self.items, self.servers = item_pb2, server_pb2
        self.hello = self.frames.ClientHello(
            client_name="growth", unwanted_notifications=["thread_started"]).SerializeToString()

    def serve(self, folder: Path | str, *arguments: str, **settings) -> Server:
        """A server on that folder; `settings` are those of its file, by name."""
        if settings:
            path = self.work / "settings.json"
            path.write_text(json.dumps(settings))
            arguments += ("--config", str(path))
        server = Server(self.heddle, str(folder), *arguments)
        self.servers_started.append(server)
        return server

    def end_all(self) -> None:
        """Those that a measurement left behind, because it failed."""
        for server in self.servers_started:
            if server.process.poll() is None:
                server.end()

    def connect(self, server: Server) -> Connection:
        return Connection(server.port, self.hello)

    def start(self, connection: Connection, **fields) -> bytes:
        request = self.threads.StartThreadRequest(subscribe=False, **fields)
        return self.threads.StartThreadResponse.FromString(
            connection.call(101, request.SerializeToString())).thread.id

    def turn(self, connection: Connection, thread: bytes, text: str) -> bytes:
        request = self.turns.StartTurnRequest(
            thread=thread, input=self.turns.TurnInput(content=[self.items.ContentPart(text=text)]))
        return self.turns.StartTurnResponse.FromString(connection.call(201, request.SerializeToString())).turn

    def read(self, connection: Connection, thread: bytes):
        return self.threads.ReadThreadResponse.FromString(
            connection.call(104, self.threads.ReadThreadRequest(thread=thread).SerializeToString())).thread

    def wait_idle(self, connection: Connection, thread: bytes):
        while True:
            found = self.read(connection, thread)
            if not found.running_turn and not found.queued_turns:
                return found
            time.sleep(0.002)

    def status(self, connection: Connection):
        return self.servers.ServerStatusResponse.FromString(connection.call(601, b""))

    def check(self, folder: Path) -> None:
        """The store passes `heddle check`, or the run ends here."""
        subprocess.run([self.heddle, "check", folder], check=True, stdout=subprocess.DEVNULL)


def end(server: Server) -> None:
    """By SIGTERM: the log is moved into the database, and no process has the database open."""
    server.process.send_signal(signal.SIGTERM)
    server.process.wait()


def folder_of(bench: Bench, name: str) -> tuple[Path, bool]:
    """A store's folder, and whether it was there already, whole, from an earlier run."""
    path = bench.work / "stores" / name
    is_whole = (path / "whole").exists()
    if not is_whole:
        subprocess.run(["rm", "-rf", path], check=True)
        path.mkdir(parents=True, mode=0o700)
        os.chmod(path, 0o700)
    return path, is_whole


def with_threads(bench: Bench, count: int) -> Path:
    """A store of `count` threads of one turn each, among them a few that filters look for."""
    path, is_whole = folder_of(bench, f"threads-{count}")
    if is_whole:
        return path
    server = bench.serve(path)
    connection = bench.connect(server)
    if count:
        change = bench.settings.SettingsChange(working_folder="/rare")
        rare = [bench.start(connection, name="rare one", settings=change) for _ in range(SPECIAL)]
        for _ in range(SPECIAL):
            fork = bench.threads.ForkThreadRequest(thread=rare[0], subscribe=False)
            connection.call(103, fork.SerializeToString())
        for _ in range(SPECIAL):
            archived = bench.start(connection, name="archived one")
            connection.call(111, bench.threads.ArchiveThreadRequest(thread=archived).SerializeToString())
        parent = bench.start(connection, name="parent", settings=bench.settings.SettingsChange(model="scripted-v1"))
        bench.turn(connection, parent, "\n".join(
            ['!tool spawn_agent {"message": "!say done"}'] * SPECIAL + ["!then", "!say done"]))
        bench.wait_idle(connection, parent)
        template = bench.start(connection, name="thread 9999999")
        bench.turn(connection, template, "What is the weather like in Oslo, and do I need an umbrella today?\n!say " + (
            "It is raining in Oslo and will go on until the evening, so take one. " * 3))
        bench.wait_idle(connection, template)
        (path / "parent").write_text(parent.hex())
        (path / "source").write_text(rare[0].hex())
    end(server)
    if count:
        made = 4 * SPECIAL + 2  # rare, forks, archived, agents; their parent and the template
        subprocess.run([bench.tools / "fill", path / "heddle.db", template.hex(), str(max(0, count - made))], check=True)
        bench.check(path)
    (path / "whole").touch()
    return path


def with_turns(bench: Bench, sizes: list[int]) -> tuple[Path, dict[int, bytes]]:
    """A store of one thread for each number of turns, every turn run by the server, and a small one beside them.

    The context is summed up as it fills, as it would be with a real model; otherwise each turn would read all before it.
    """
    path, is_whole = folder_of(bench, "turns-" + "-".join(map(str, sizes)))
    known = path / "threads.json"
    if is_whole:
        return path, {int(size): bytes.fromhex(thread) for size, thread in json.loads(known.read_text()).items()}
    catalog = bench.work / "catalog.json"
    catalog.write_text(json.dumps({"models": [
        {"id": "scripted", "provider": "scripted", "context_window": "800", "isDefault": True}]}))
    # In memory if there is room: a turn waits for a few syncs, and a slow disk would take hours over 100,000.
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else bench.work) as folder:
        server = bench.serve(folder, "--catalog", str(catalog), limits={"threadEvents": 10_000_000})
        connection = bench.connect(server)
        threads = {size: bench.start(connection, name=f"{size} turns") for size in sizes}
        for size, thread in threads.items():
            run_turns(bench, server, thread, size)
            even_out(bench, connection, Path(folder), thread)
        end(server)
        subprocess.run(["cp", "-r", *Path(folder).iterdir(), path], check=True)
    bench.check(path)
    known.write_text(json.dumps({size: thread.hex() for size, thread in threads.items()}))
    (path / "whole").touch()
    return path, threads


def even_out(bench: Bench, connection: Connection, folder: Path, thread: bytes) -> None:
    """Names the thread until 32 events stand behind its snapshot, which is the mean: 0 to 63 may, whatever its size."""
    database = sqlite3.connect(f"file:{folder / 'heddle.db'}?mode=ro", uri=True)
    for count in range(200):
        tail, = database.execute(
            "SELECT max(e.seq) - s.seq FROM events e, snapshots s WHERE e.thread = ?1 AND s.thread = ?1", [thread]
        ).fetchone()
        if tail == 32:
            return database.close()
        name = bench.threads.SetThreadNameRequest(thread=thread, name=f"name {count}")
        connection.call(110, name.SerializeToString())
    raise SystemExit("no snapshot is written")


def run_turns(bench: Bench, server: Server, thread: bytes, count: int) -> None:
    """Runs `count` turns one after the other, as many waiting as the queue takes."""
    connection = bench.connect(server)
    left = count
    while left:
        batch = min(left, 15)
        for _ in range(batch):
            bench.turn(connection, thread, "Go on.\n!say Here it goes on.")
        bench.wait_idle(connection, thread)
        left -= batch
    connection.socket.close()
