"""Instructions and allocations per request, method by method: steadier than any time.

    make bench-counts                                      the table, and .build/bench/counts.json
    make bench-counts ONLY="Settings.Update ephemeral"     some of the rows
    make bench-counts PROFILES=folder                      keep per row what each function costs, and callgrind's file

Instructions are those of the process itself, without the kernel's, counted by callgrind; allocations by counting.c.
Both by difference: what 2 N requests cost less what N cost, so what happens once (start, first use, growth) falls out.
Depth 1 sends a request and waits for its answer; depth 16 sends sixteen in one write. One event loop.
"""

from __future__ import annotations

import argparse
import json
import mmap
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import sections
import wire
from harness.messages import item_pb2, settings_pb2, thread_pb2, turn_pb2
from harness.wire import ERROR, EVENT

THREADS = 16
FOLLOWERS = 100
# A multiple of 64 events for each thread, because a snapshot is stored with every 64th.
REQUESTS = 64 * THREADS


class Method:
    """A row: what is asked, in batches of `depth`, and how its end is seen."""

    def __init__(self, name: str, prepare: Callable, requests: int = REQUESTS, ephemeral=False, turns=False,
                 threads: int = THREADS):
        self.name, self.prepare, self.requests, self.ephemeral, self.turns = name, prepare, requests, ephemeral, turns
        self.threads = threads


def updates(connection, threads):
    asked = [(wire.UPDATE_SETTINGS, wire.update_request(t, mode)) for mode in (1, 2) for t in threads]
    return lambda i: asked[i % len(asked)]


def settings(connection, threads):
    asked = [settings_pb2.ReadSettingsRequest(thread=t).SerializeToString() for t in threads]
    return lambda i: (wire.READ_SETTINGS, asked[i % len(asked)])


def reads(connection, threads):
    asked = [thread_pb2.ReadThreadRequest(thread=t).SerializeToString() for t in threads]
    return lambda i: (wire.READ_THREAD, asked[i % len(asked)])


def lists(connection, threads):
    wire.start_threads(connection, 100, False)
    asked = thread_pb2.ListThreadsRequest().SerializeToString()
    return lambda i: (wire.LIST_THREADS, asked)


def statuses(connection, threads):
    return lambda i: (wire.STATUS, b"")


def models(connection, threads):
    return lambda i: (wire.LIST_MODELS, b"")


def starts(ephemeral: bool):
    def prepare(connection, threads):
        asked = wire.start_request(ephemeral)
        return lambda i: (wire.START, asked)
    return prepare


def turns(connection, threads):
    """Whole turns of the scripted model: started, asked, answered, ended; followed by this connection. One turn of each
    thread warms up, the next counts as N, two more as 2 N: the more history, the dearer a turn."""
    for thread in threads:
        connection.send([(wire.SUBSCRIBE, thread_pb2.SubscribeRequest(
            thread=thread, kinds=[thread_pb2.SUBSCRIPTION_KIND_EVENTS]).SerializeToString())])
    said = turn_pb2.TurnInput(content=[item_pb2.ContentPart(text="!say Done.")])
    asked = [turn_pb2.StartTurnRequest(thread=t, input=said).SerializeToString() for t in threads]
    return lambda i: (wire.START_TURN, asked[i % len(asked)])


def followed(connection, threads):
    """Changes of one thread that 100 connections follow; the end is that all have the event."""
    connection.listeners = sections.Listeners()
    port = connection.socket.getpeername()[1]
    sections.follow(port, threads[0], FOLLOWERS, connection.listeners, [thread_pb2.SUBSCRIPTION_KIND_EVENTS])
    asked = [(wire.UPDATE_SETTINGS, wire.update_request(threads[0], mode)) for mode in (1, 2)]
    return lambda i: asked[i % 2]


METHODS = [
    Method("Settings.Update ephemeral", updates, ephemeral=True),
    Method("Settings.Update durable", updates),
    Method("Settings.Read", settings),
    Method("Thread.Read", reads),
    Method("Thread.List page of 25", lists, 256),
    Method("Thread.Start ephemeral", starts(True), 256),
    Method("Thread.Start durable", starts(False), 256),
    Method("Turn ephemeral, start to end", turns, 64, ephemeral=True, turns=True, threads=64),
    Method("Turn durable, start to end", turns, 64, turns=True, threads=64),
    Method(f"Settings.Update ephemeral, {FOLLOWERS} followers", followed, 128, ephemeral=True),
    Method("Catalog.ListModels", models, 256),
    Method("Server.Status", statuses, 256),
]
# The C server speaks these two.
REFERENCE = [METHODS[0], METHODS[2]]


def run_turns(connection, batch) -> None:
    connection.send(batch)
    ended = 0
    while ended < len(batch):
        kind, _, message = connection.read()
        if kind == ERROR:
            raise wire.Failed(f"refused: {message!r}")
        ended += kind == EVENT and wire.ends_turn(message)


def drive(method: Method, connection, ask, depth: int, count: int) -> None:
    for first in range(0, count, depth):
        batch = [ask(first + i) for i in range(depth)]
        if method.turns:
            run_turns(connection, batch)
        else:
            connection.calls(batch)
        if listeners := getattr(connection, "listeners", None):
            listeners.take(depth * FOLLOWERS)


class Allocations:
    """Counters of counting.c in a file that the server maps."""

    names = ("allocations", "bytes")

    def __init__(self, tools: Path, folder: Path):
        self.path = folder / "counters"
        self.path.write_bytes(bytes(32))
        self.environment = {"LD_PRELOAD": str(tools / "counting.so"), "HEDDLE_BENCH_COUNTERS": str(self.path)}
        self.before: list = []
        with open(self.path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 32)
        self.last = (0, 0)

    def since(self, server) -> tuple[int, ...]:
        now = struct.unpack_from("=QQ", self.map)
        passed = tuple(b - a for a, b in zip(self.last, now))
        self.last = now
        return passed


class Instructions:
    """Callgrind, which writes its counts since the last time on request."""

    names = ("instructions",)

    def __init__(self, tools: Path, folder: Path):
        self.out, self.number = folder / "callgrind.out", 0
        self.environment = {"LD_PRELOAD": str(tools / "counting.so")}
        # Names in full: with compressed ones a file cannot be read without those that were written before it.
        self.before = ["valgrind", "--tool=callgrind", "-q", "--compress-strings=no",
                       f"--callgrind-out-file={self.out}"]

    def since(self, server) -> tuple[int, ...]:
        subprocess.run(["vgdb", f"--pid={server.pid}", "dump"], check=True, capture_output=True)
        self.number += 1
        self.newest = Path(f"{self.out}.{self.number}")
        return (int(re.search(r"^totals: (\d+)", self.newest.read_text(), re.M).group(1)),)


ALLOCATING = re.compile(
    r"^(malloc|calloc|realloc|memalign|aligned_alloc|posix_memalign|swift_slowAlloc|swift_allocObject|"
    r"swift_bufferAllocate|swift_allocBox|\$ss.*ArrayBuffer.*(_consumeAndCreateNew|_uninitializedCount).*)$")


def functions(profile: Path, requests: int) -> str:
    """The own cost of each function for a request, the most expensive first, and the functions that allocate. callgrind_annotate stumbles
    over dumps that begin in the middle of a call; this counts what is a function's own."""
    own: dict[str, int] = {}
    asked: dict[tuple[str, str], int] = {}
    library, name, callee, called = "", "", "", False
    for line in profile.read_text().splitlines():
        if line.startswith("ob="):
            library = Path(line[3:]).name
        elif line.startswith("fn="):
            name = line[3:] if not line.startswith("fn=0x") else f"{line[3:]} of {library}"
        elif line.startswith("cfn="):
            callee = line[4:]
        elif line.startswith("calls="):
            called = True
            if ALLOCATING.match(callee) and not re.match("malloc|calloc|realloc|swift_slowAlloc", name):
                asked[name, callee] = asked.get((name, callee), 0) + int(line[6:].split()[0])
        elif line[:1] in "+-*0123456789" and line:
            if not called and len(fields := line.split()) == 2:
                own[name] = own.get(name, 0) + int(fields[1])
            called = False
    whole = sum(own.values())
    lines = [f"{whole / requests:10.1f} 100.0 %  instructions a request, and where"]
    lines += [f"{cost / requests:10.1f} {100 * cost / whole:5.1f} %  {name}"
              for name, cost in sorted(own.items(), key=lambda item: -item[1]) if cost * 10_000 > whole]
    lines += ["", "calls a request of what allocates, and from where"]
    lines += [f"{count / requests:10.2f}  {callee}  from  {name}"
              for (name, callee), count in sorted(asked.items(), key=lambda item: -item[1]) if count * 50 > requests]
    text = "\n".join(lines)
    if demangle := shutil.which("swift-demangle") or shutil.which("swift"):
        command = [demangle, "demangle"] if demangle.endswith("swift") else [demangle]
        text = subprocess.run([*command, "--simplified"], input=text, capture_output=True, text=True).stdout or text
    return text + "\n"


def measure(counter, method: Method, start: Callable, depth: int, requests: int) -> dict:
    server = start(counter)
    try:
        connection = wire.Connection(server.port, timeout=300)
        ask = method.prepare(connection, wire.start_threads(connection, method.threads, method.ephemeral))
        drive(method, connection, ask, depth, requests)
        counter.since(server)
        drive(method, connection, ask, depth, requests)
        once = counter.since(server)
        drive(method, connection, ask, depth, 2 * requests)
        twice = counter.since(server)
        connection.close()
    finally:
        server.end()
    return {name: round((b - a) / requests, 2) for name, a, b in zip(counter.names, once, twice)}


def stripped(program: Path, folder: Path) -> Path:
    """Valgrind 3.19 gives up on debug information of newer compilers; names of functions stay."""
    copy = folder / f"{program.name}-stripped"
    subprocess.run(["strip", "--strip-debug", "-o", copy, program], check=True)
    return copy


def one(args, tools: Path, method: Method, counting: type, depth: int, reference: bool) -> dict:
    with tempfile.TemporaryDirectory(prefix="heddle-bench-counts-") as folder:
        counter = counting(tools, Path(folder))
        program = tools / "reference" if reference else args.heddle
        if counting is Instructions and not reference:
            program = args.stripped

        def start(counter):
            if reference:
                return wire.Plain(program, before=counter.before, environment=counter.environment)
            return wire.Heddle(program, "--loops", "1", before=counter.before, environment=counter.environment)

        found = measure(counter, method, start, depth, method.requests)
        if args.profiles and counting is Instructions:
            name = re.sub(r"\W+", "-", f"{'c' if reference else 'heddle'} {method.name} {depth}")
            (args.profiles / f"{name}.callgrind").write_bytes(counter.newest.read_bytes())
            (args.profiles / f"{name}.txt").write_text(functions(counter.newest, 2 * method.requests))
        return found


def row(args, tools: Path, method: Method, reference: bool) -> dict:
    result: dict = {"method": method.name, "server": "C reference" if reference else "heddle"}
    for depth in (1, 16):
        for counting in [Allocations] + ([] if args.no_instructions else [Instructions]):
            for name, value in one(args, tools, method, counting, depth, reference).items():
                result[f"{name} at depth {depth}"] = value
    return result


COLUMNS = [f"{name} at depth {depth}" for name in ("instructions", "allocations", "bytes") for depth in (1, 16)]


def table(rows: list[dict]) -> str:
    lines = ["| method | server | " + " | ".join(COLUMNS) + " |", "|---|---|" + "---:|" * len(COLUMNS)]
    for r in rows:
        cells = ["–" if c not in r else f"{r[c]:,.0f}" if "instr" in c else f"{r[c]:,.1f}" for c in COLUMNS]
        lines.append(f"| {r['method']} | {r['server']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heddle", type=Path, required=True)
    parser.add_argument("--only", help="part of a row's name")
    parser.add_argument("--json", type=Path, help="where to write the rows")
    parser.add_argument("--profiles", type=Path, help="folder for a callgrind file per row")
    parser.add_argument("--no-instructions", action="store_true", help="allocations only: seconds instead of minutes")
    parser.add_argument("--work", type=Path, default=wire.ROOT / ".build/bench", help="where tools are built and kept")
    args = parser.parse_args()
    wire.end_when_told()
    args.heddle = args.heddle.resolve()
    if args.profiles:
        args.profiles.mkdir(parents=True, exist_ok=True)
    tools = args.work.resolve() / "tools"
    tools.mkdir(parents=True, exist_ok=True)
    wire.build_tools(tools)
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        if not args.no_instructions and not shutil.which("valgrind"):
            wire.say("instructions: not measured: valgrind missing (make setup-bench)")
            args.no_instructions = True
        if not args.no_instructions:
            args.stripped = stripped(args.heddle, Path(folder))
        wanted = [(m, False) for m in METHODS] + [(m, True) for m in REFERENCE]
        rows = []
        for method, reference in wanted:
            if args.only and args.only.lower() not in method.name.lower():
                continue
            rows.append(row(args, tools, method, reference))
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    if args.json:
        args.json.parent.mkdir(parents=True, exist_ok=True)
        args.json.write_text(json.dumps(rows, indent=1) + "\n")
    print(table(rows))


if __name__ == "__main__":
    main()
