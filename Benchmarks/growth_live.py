"""Measurements of `growth.py` on a server at work: memory that stays, the cost of an event to many, shared syncs."""

from __future__ import annotations

import os
import select
import socket
import statistics
import subprocess
import tempfile
import time

from figures import HEADER, Connection, Frame, Server, load, sync_rate
from growth_stores import Bench, with_threads


def fresh(name: str = "growth") -> tempfile.TemporaryDirectory:
    folder = tempfile.TemporaryDirectory(prefix=f"heddle-{name}-")
    os.chmod(folder.name, 0o700)
    return folder


def cpu(pid: int) -> int:
    """Nanoseconds that a process has had, from the kernel's own clock of it."""
    return time.clock_gettime_ns((~pid << 3) | 2)


# ---- P9: memory for each loaded thread and each idle connection

def settled(server: Server) -> int:
    """Resident KiB once they no longer change."""
    before = -1
    while abs((now := server.resident_kib()) - before) > 64:
        before = now
        time.sleep(1)
    return now


def memory(bench: Bench) -> dict:
    sizes = [2_000, 4_000] if bench.short else [10_000, 20_000, 50_000]
    peers = [500, 1_000] if bench.short else [2_000, 4_000, 8_000]
    series, each = [], {}

    def note(name: str, unit: str, points: list[list[float]]) -> None:
        (x0, y0), (x1, y1) = points[-2:]
        each[name] = round((y1 - y0) / (x1 - x0), 2)
        series.append({"name": name, "unit": "KiB resident", "x": unit, "points": points})

    resumed, pages = resumed_threads(bench, sizes)
    note("threads, resumed", "loaded threads", resumed)
    series.append({"name": "page of loaded threads", "unit": "ms CPU", "x": "loaded threads", "points": pages})
    note("threads, started here", "loaded threads", started_threads(bench, sizes, 0))
    note("threads, one turn run here", "loaded threads", started_threads(bench, sizes[:2], 1))
    for name, uses in (("connections, after HELLO", 0), ("connections, after ten calls", 10)):
        note(name, "idle connections", idle_connections(bench, peers, uses))
    threads = max(value for name, value in each.items() if name.startswith("threads"))
    connections = max(value for name, value in each.items() if name.startswith("connections"))
    return {"target": "P9", "wants": "a loaded idle thread <= 8 KiB, an idle connection <= 16 KiB",
            "met": threads <= 8 and connections <= 16, "kib_each": each, "series": series}


LARGE = {"loadedThreads": 1_000_000, "connections": 15_000}


def resumed_threads(bench: Bench, sizes: list[int]) -> tuple[list[list[float]], list[list[float]]]:
    """Threads of one turn, loaded; and what a page of the list of loaded threads then costs."""
    folder = with_threads(bench, 10_000 if bench.short else 100_000)
    server = bench.serve(folder, "--loops", "1", limits=LARGE)
    connection, pb = bench.connect(server), bench.threads
    ids, cursor = [], ""
    while len(ids) < sizes[-1]:
        page = pb.ListThreadsResponse.FromString(connection.call(
            105, pb.ListThreadsRequest(cursor=cursor, page_size=200).SerializeToString()))
        ids, cursor = ids + [thread.id for thread in page.threads], page.next_cursor
    points, pages, loaded = [], [], 0
    for size in sizes:
        for thread in ids[loaded:size]:
            connection.call(102, pb.ResumeThreadRequest(thread=thread, subscribe=False).SerializeToString())
        loaded = size
        if bench.status(connection).loaded_threads != size:
            raise SystemExit("not all of them are loaded")
        points.append([size, settled(server)])
        before = cpu(server.pid)
        for _ in range(20):
            connection.call(106, b"")
        pages.append([size, round((cpu(server.pid) - before) / 20e6, 2)])
    server.end()
    return points, pages


def started_threads(bench: Bench, sizes: list[int], turns: int) -> list[list[float]]:
    with fresh() as folder:
        server = bench.serve(folder, "--loops", "1", limits=LARGE)
        connection = bench.connect(server)
        points, made = [], 0
        for size in sizes:
            while made < size:
                batch = [bench.start(connection, name=f"thread {made + n}") for n in range(min(100, size - made))]
                for _ in range(turns):
                    for thread in batch:
                        bench.turn(connection, thread, "Is it raining?\n!say It is raining.")
                    for thread in batch:
                        bench.wait_idle(connection, thread)
                made += len(batch)
            points.append([size, settled(server)])
        server.end()
    return points


def idle_connections(bench: Bench, sizes: list[int], calls: int) -> list[list[float]]:
    with fresh() as folder:
        server = bench.serve(folder, "--loops", "1", limits=LARGE)
        first = bench.connect(server)
        thread = bench.start(first, name="thread")
        request = bench.threads.ReadThreadRequest(thread=thread).SerializeToString()
        points, peers = [], []
        for size in sizes:
            while len(peers) < size:
                peers.append(bench.connect(server))
                for _ in range(calls):
                    peers[-1].call(104, request)
            points.append([size, settled(server)])
        server.end()
        for peer in peers:
            peer.socket.close()
    return points


# ---- P6: one event to many subscribers

class Followers:
    """Sockets that are read as fast as may be; counts what came."""

    def __init__(self, sockets: list[socket.socket]):
        self.poll, self.sockets = select.epoll(), {one.fileno(): one for one in sockets}
        for one in sockets:
            one.setblocking(False)
            self.poll.register(one, select.EPOLLIN)

    def take(self, bytes_each: int) -> None:
        """Reads until each socket has got `bytes_each` bytes; more is a fault of the measurement."""
        left = dict.fromkeys(self.sockets, bytes_each)
        missing = len(left)
        while missing:
            ready = self.poll.poll(10)
            if not ready:
                raise SystemExit("an event did not reach everybody")
            for descriptor, _ in ready:
                left[descriptor] -= len(self.sockets[descriptor].recv(1 << 16))
                if left[descriptor] < 0:
                    raise SystemExit("more came than was sent")
                missing -= left[descriptor] == 0

    def close(self) -> None:
        for one in self.sockets.values():
            one.close()


def fan_out(bench: Bench) -> dict:
    sizes = [1, 10, 100] if bench.short else [1, 10, 100, 1_000]
    ours = {size: [] for size in sizes}
    floor = {size: [] for size in sizes}
    for _ in range(bench.rounds):
        for size in sizes:
            # Fewer than 16,000: numbers in the frame grow by a byte there.
            events = min(5_000, max(100, 20_000 // size) if bench.short else max(300, 60_000 // size))
            nanoseconds, frame_bytes = our_fan_out(bench, size, events)
            ours[size].append(nanoseconds)
            floor[size].append(floor_fan_out(bench, size, events, frame_bytes))
    ours, floor = ({size: statistics.median(values[size]) for size in sizes} for values in (ours, floor))
    ratio = ours[sizes[-1]] / floor[sizes[-1]]
    return {"target": "P6", "wants": "one event to 1,000: CPU per delivery <= 1.5 x a C program that sends the same bytes",
            "met": ratio <= 1.5, "ratio": round(ratio, 2),
            "series": [{"name": name, "unit": "us CPU per delivery", "x": "subscribers",
                        "points": [[size, round(values[size] / 1000, 2)] for size in sizes]}
                       for name, values in (("heddle", ours), ("C, send() to each", floor))]
            + [{"name": "ratio", "unit": "x", "x": "subscribers",
                "points": [[size, round(ours[size] / floor[size], 2)] for size in sizes]}]}


def our_fan_out(bench: Bench, subscribers: int, events: int) -> tuple[float, int]:
    """CPU of the server for each event and subscriber, and the bytes of its frame. A change of settings is the event."""
    # Nothing but the events may come: no ping to those that say nothing, no word that nothing happened.
    hour = 3_600_000
    quiet = {"pingAfterMilliseconds": hour, "idleMilliseconds": hour, "progressMilliseconds": hour}
    with fresh("fan-out") as folder:
        server = bench.serve(folder, "--loops", "1", limits=quiet)
        writer = bench.connect(server)
        thread = bench.threads.StartThreadResponse.FromString(writer.call(101, bench.threads.StartThreadRequest(
            subscribe=False, ephemeral=True).SerializeToString())).thread.id
        peers = [bench.connect(server) for _ in range(subscribers)]
        for peer in peers:
            peer.socket.sendall(Frame(1, 118, 1, bench.threads.SubscribeRequest(
                thread=thread, kinds=[bench.threads.SUBSCRIPTION_KIND_EVENTS]).SerializeToString()).encode())
            peer.read()  # Subscribed
            peer.read()  # Live
        pb = bench.settings
        requests = [pb.UpdateSettingsRequest(thread=thread, change=pb.SettingsChange(mode=pb.ModeSelection(
            set=mode))).SerializeToString() for mode in (1, 2)]
        # A few first: the number of an event and its time grow by bytes, so the frame that counts is one of the later.
        for count in range(260):
            writer.call(302, requests[count % 2])
            for peer in peers:
                size = event_bytes(peer)
        followers = Followers([peer.socket for peer in peers])
        before = cpu(server.pid)
        for count in range(events):
            writer.call(302, requests[count % 2])
            followers.take(size)
        used = cpu(server.pid) - before
        followers.close()
        server.end()
    return used / events / subscribers, size


def event_bytes(peer: Connection) -> int:
    header = peer.exactly(HEADER.size)
    length = HEADER.unpack(header)[7]
    peer.exactly(length)
    return HEADER.size + length


def floor_fan_out(bench: Bench, subscribers: int, events: int, frame_bytes: int) -> float:
    floor = subprocess.Popen([bench.tools / "fanout_floor", "0", str(frame_bytes)], stdout=subprocess.PIPE)
    port = int(floor.stdout.readline())
    trigger = socket.create_connection(("127.0.0.1", port))
    trigger.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    time.sleep(0.05)
    peers = [socket.create_connection(("127.0.0.1", port)) for _ in range(subscribers)]
    time.sleep(0.2)
    followers = Followers(peers)
    for _ in range(100):
        trigger.sendall(b"x")
        followers.take(frame_bytes)
    before = cpu(floor.pid)
    for _ in range(events):
        trigger.sendall(b"x")
        followers.take(frame_bytes)
    used = cpu(floor.pid) - before
    followers.close()
    trigger.close()
    floor.wait(10)
    return used / events / subscribers


# ---- Group commit: how many changes share a sync, and how long each waits

def groups(bench: Bench) -> dict:
    grid = [(1, 1), (8, 4)] if bench.short else [
        (1, 1), (1, 4), (1, 16), (4, 1), (4, 4), (4, 16), (16, 1), (16, 4), (16, 16), (50, 1), (50, 4), (50, 16)]
    seconds = 1 if bench.short else 3
    found = {point: [] for point in grid}
    for _ in range(bench.rounds):
        for point in grid:
            found[point].append(one_load(bench, *point, seconds))
    rows = []
    for connections, depth in grid:
        runs = found[connections, depth]
        median = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
        rows.append({"connections": connections, "depth": depth, **{k: round(v, 1) for k, v in median.items()}})
    rows.sort(key=lambda row: row["group"])
    return {"target": None, "wants": "no target: the growth of latency with the size of a group", "met": None,
            "rows": rows,
            "series": [{"name": name, "unit": unit, "x": "changes in a group",
                        "points": [[row["group"], row[key]] for row in rows]}
                       for name, unit, key in (("latency, median", "us", "p50_us"), ("latency, p99", "us", "p99_us"),
                                               ("latency, median", "fdatasyncs of then", "p50_in_syncs"),
                                               ("acknowledgements", "1/s", "rps"), ("groups", "1/s", "groups_s"))]}


def one_load(bench: Bench, connections: int, depth: int, seconds: float) -> dict:
    with fresh("groups") as folder:
        server = bench.serve(folder, "--loops", "1")
        connection = bench.connect(server)
        pb, frames = bench.settings, []
        for _ in range(connections):
            thread = bench.start(connection)
            for mode in (1, 2):
                frames.append(Frame(1, 302, 1, pb.UpdateSettingsRequest(thread=thread, change=pb.SettingsChange(
                    mode=pb.ModeSelection(set=mode))).SerializeToString()).encode())
        requests, preamble = bench.work / "requests.bin", bench.work / "hello.bin"
        requests.write_bytes(b"".join(frames))
        preamble.write_bytes(Frame(10, payload=bench.hello).encode())
        # Disks of shared machines swing tenfold within minutes: what they do now, beside each load.
        syncs = sync_rate(0.5)["per_second"]
        before = bench.status(connection)
        began = time.monotonic()
        out = load(bench.tools, server.port, server.pid, preamble, requests, connections, depth, seconds)
        took = time.monotonic() - began
        after = bench.status(connection)
        server.end()
    if out.get("errors"):
        raise SystemExit(f"the load met errors: {out}")
    made = after.groups_synced - before.groups_synced
    return {"group": (after.events_written - before.events_written) / made, "p50_us": out["p50_us"],
            "p99_us": out["p99_us"], "rps": out["rps"], "groups_s": made / took,
            "syncs_s": syncs, "p50_in_syncs": out["p50_us"] * syncs / 1e6}
