"""A fault at every call that changes the disk: each write, sync, open, rename, truncation, allocation and removal of a
script of 200 mutations is killed at, fails, or is done by half (durability.md D1, D5, D8, D9).

The script is the same each time; how many calls it makes varies a little with the timing of its turns, so a point
behind the last call is counted as `unfired` and not as a run.
"""

import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import time

from faults import ENDS, FaultyServer, checked, memory_folder
from harness.wire import Closed, HeddleError
from ledger import REFUSED_BY_DISK, Client, Comparison
from report import Options, Result

MUTATIONS = 200
ACTIONS = {
    "kill": {"write": ("kill", "tear"), "sync": ("kill", "after"), "open": ("kill",), "rename": ("kill", "after"),
             "truncate": ("kill", "after"), "allocate": ("kill",), "unlink": ("kill", "after")},
    "eio": {"write": ("eio",), "sync": ("eio",), "open": ("eio",), "rename": ("eio",), "truncate": ("eio",),
            "allocate": ("eio",), "unlink": ("eio",)},
    "enospc": {"write": ("enospc",), "sync": ("enospc",), "open": ("enospc",), "rename": ("enospc",),
               "truncate": ("enospc",), "allocate": ("enospc",)},
    "emfile": {"open": ("emfile",)},
    "short": {"write": ("short",)},
}
# How many of a class a sample takes of each action; rare calls are all taken.
SAMPLE = {"write": 8, "sync": 6}
SAMPLE_OF_RARE = 3
# These are taken in any case: while a store is made and opened each call is one of its kind.
FIRST_SYNCS = 4
DATABASE = ("heddle.db", "heddle.db-wal", "heddle.db-journal")


# Wrong, found here, and to be mended in the server. `make crash-full` fails when one of them is not met any more.
KNOWN: dict[str, re.Pattern] = {}


def run(options: Options) -> list[Result]:
    seed = options.random.randrange(1 << 32)
    totals = count_calls(seed)
    results, met = [], set()
    for name, classes in ACTIONS.items():
        result = Result(f"{name}-at-call")
        todo = [(f"{kind}:{when}:{action}", options.random.random() < 0.5)
                for kind, actions in classes.items() for action in actions
                for when in points(kind, totals[kind], options)]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(lambda one: point(one[0], seed, one[1], result), todo))
        for kind in classes:
            result.more[f"{kind}_calls"] = totals[kind]
        met |= result.excuse(KNOWN)
        results.append(result)
    if options.full:
        results[-1].wrong += [f"not met any more, remove it from KNOWN: {name}" for name in KNOWN if name not in met]
    return results


def count_calls(seed: int) -> dict[str, int]:
    """Counts the calls of a run without faults."""
    with memory_folder() as place:
        server = FaultyServer(pathlib.Path(place) / "data").start()
        client = Client(0, seed)
        drive(server, client, stops=True)
        counts = server.counts
        server.kill()
        assert client.count == MUTATIONS and not client.open, "the script does not come to its end without a fault"
    return counts


def points(kind: str, total: int, options: Options) -> list[int]:
    """All calls, or one of each of `sample` equal parts."""
    sample = options.faults or (total if options.full else SAMPLE.get(kind, SAMPLE_OF_RARE))
    if total <= sample:
        return list(range(1, total + 1))
    edges = [1 + total * part // sample for part in range(sample + 1)]
    chosen = {options.random.randrange(low, high) for low, high in zip(edges, edges[1:])}
    return sorted(chosen | set(range(1, FIRST_SYNCS + 1) if kind == "sync" else ()))


def drive(server: FaultyServer, client: Client, stops: bool):
    """Runs the script until its end or the server's. A request that the full disk refused is either the last one (it must
    have left nothing) or is sent again, with its key, when there is space."""
    client.tolerant = True
    with server.connect(timeout=60, unwanted_notifications=["thread_started"]) as connection:
        while client.count < MUTATIONS:
            request = client.next_request()
            client.requests.append(request)
            try:
                client.ask(connection, request)
            except HeddleError as error:
                assert error.reason == REFUSED_BY_DISK, error
                if stops:
                    return
                wait_for_space(connection)
                request.state = "open"
                client.ask(connection, request)


def wait_for_space(connection):
    deadline = time.monotonic() + 60
    while connection.call("Server.Status").serving != 1:
        assert time.monotonic() < deadline, "the server stays read-only though there is space"
        time.sleep(0.05)  # space is looked for once a second; nothing announces it


def point(fault: str, seed: int, stops: bool, result: Result):
    """One fault, and its leftovers."""
    with memory_folder() as place:
        data = pathlib.Path(place) / "data"
        server, client = FaultyServer(data, fault=fault), Client(0, seed)
        where = f"{fault} seed {seed}: "
        try:
            if server.try_to_start():
                try:
                    drive(server, client, stops)
                except (Closed, OSError):
                    pass
                except (TimeoutError, AssertionError) as failure:
                    result.wrong.append(f"{where}{failure!r}")
            if not server.fired:
                result.more["unfired"] += 1
                return
            result.wrong += [f"{where}{text}" for text in ended(server, client, fault)]
        finally:
            server.kill()
            log = server.log_text()
        result.runs += 1
        result.faults += len(server.fired)
        result.more[f"{fault.split(':')[0]}s"] += 1
        for surprise in client.surprises:
            result.more[surprise.replace(" ", "_")] += 1
        try:
            compare(data, client, where, result)
        except AssertionError as failure:
            result.wrong.append(f"{where}does not serve afterwards: {failure} after {log[-300:]}")


def ended(server: FaultyServer, client: Client, fault: str) -> list[str]:
    """Faults in the server's reaction."""
    kind, _, action = fault.split(":")
    name = server.fired[0].split()[2]
    if action in ("kill", "after", "tear"):
        code = server.process.wait(60)
        return [] if code == -9 else [f"ended with {code} instead of being killed"]
    if client.open:
        # The connection ended, so the process is about to.
        try:
            server.process.wait(60)
        except subprocess.TimeoutExpired:
            return [f"{name}: {client.open.method} has no answer and the process goes on: {server.log_text()[-300:]}"]
    code = server.process.poll()
    if code is not None:
        return [] if code in ENDS else [f"{name}: ended with {code}: {server.log_text()[-300:]}"]
    must_end = name in DATABASE and (action == "eio" and kind in ("write", "sync", "truncate") or kind == "sync")
    if must_end and served_on(server, client):
        return [f"{name}: serves changes although the disk failed (D8)"]
    return []


def served_on(server: FaultyServer, client: Client) -> bool:
    try:
        with server.connect(unwanted_notifications=["thread_started"]) as connection:
            request = client.next_request()
            client.requests.append(request)
            client.ask(connection, request)
            return request.state == "acked"
    except (Closed, OSError, HeddleError):
        return False


def compare(data: pathlib.Path, client: Client, where: str, result: Result):
    """A whole server on the leftovers."""
    with FaultyServer(data) as again:
        with again.connect(timeout=60, unwanted_notifications=["thread_started"]) as connection:
            result.take(Comparison(connection, client.requests).run(), where)
    result.wrong += [f"{where}heddle check: {problem}" for problem in checked(data)]
    shutil.rmtree(data)
