"""Measurements of `growth.py` on stored data: starting on it, resuming a thread of it, paging through it."""

from __future__ import annotations

import random
import statistics
import time

from figures import Connection
from growth_live import cpu
from growth_stores import Bench, SPECIAL, end, with_threads, with_turns
from harness.messages import agent_pb2


def timed(call) -> tuple[float, object]:
    began = time.perf_counter()
    answer = call()
    return (time.perf_counter() - began) * 1000, answer


def percentile(times: list[float], share: float) -> float:
    times = sorted(times)
    return times[min(len(times) - 1, int(len(times) * share))]


# ---- P7: start-up against the number of threads

def start_up(bench: Bench) -> dict:
    sizes = [0, 1_000, 10_000] if bench.short else [0, 1_000, 10_000, 100_000, 1_000_000]
    folders = {size: with_threads(bench, size) for size in sizes}
    times: dict[int, list[float]] = {size: [] for size in sizes}
    memory: dict[int, list[float]] = {size: [] for size in sizes}
    for _ in range(4 * bench.rounds):
        for size in random.sample(sizes, len(sizes)):
            server = bench.serve(folders[size])
            times[size].append(server.ready_seconds * 1000)
            memory[size].append(server.resident_kib() / 1024)
            end(server)
    median = {size: statistics.median(times[size]) for size in sizes}
    ratio = median[sizes[-1]] / median[0]
    return {
        "target": "P7", "wants": "the largest store <= 2 x the empty one", "met": ratio <= 2, "ratio": round(ratio, 2),
        "series": [
            {"name": "start to ready", "unit": "ms", "x": "stored threads",
             "points": [[size, round(median[size], 1)] for size in sizes]},
            {"name": "resident when ready", "unit": "MiB", "x": "stored threads",
             "points": [[size, round(statistics.median(memory[size]), 1)] for size in sizes]}]}


# ---- P5: resume against the number of turns

def resume(bench: Bench) -> dict:
    sizes = [10, 100, 1_000] if bench.short else [10, 100, 1_000, 10_000, 100_000]
    folder, threads = with_turns(bench, sizes)
    names = ["resume", "newest page of turns", "newest page of items", "oldest page of items", "read"]
    times = {name: {size: [] for size in sizes} for name in names}
    for _ in range(10 * bench.rounds):
        server = bench.serve(folder, "--loops", "1")
        connection = bench.connect(server)
        # The extra cost of a process's first request does not grow.
        warm = bench.start(connection, name="warm")
        for _ in range(3):
            calls(bench, connection, warm)
        for size in random.sample(sizes, len(sizes)):
            for name, milliseconds in calls(bench, connection, threads[size]).items():
                times[name][size].append(milliseconds)
        server.end()
    median = {name: {size: statistics.median(times[name][size]) for size in sizes} for name in names}
    ratio = median["resume"][sizes[-1]] / median["resume"][10]
    page = max(median[name][sizes[-1]] for name in names[1:3])
    return {
        "target": "P5", "wants": "cold resume of the longest <= 1.2 x that of 10 turns; its first page <= 10 ms",
        "met": ratio <= 1.2 and page <= 10, "ratio": round(ratio, 2), "first_page_ms": round(page, 2),
        "series": [{"name": name, "unit": "ms", "x": "turns",
                    "points": [[size, round(median[name][size], 3)] for size in sizes]} for name in names]}


def calls(bench: Bench, connection: Connection, thread: bytes) -> dict[str, float]:
    """A cold thread: read, its pages, then loaded. Each answer is looked at, so that no error counts as fast."""
    pb = bench.threads
    read, found = timed(lambda: bench.read(connection, thread))
    resumed, answer = timed(lambda: connection.call(
        102, pb.ResumeThreadRequest(thread=thread, subscribe=False).SerializeToString()))
    if pb.ResumeThreadResponse.FromString(answer).thread.turn_count != found.turn_count:
        raise SystemExit("the resumed thread is another one")
    turns, answer = timed(lambda: connection.call(108, pb.ListTurnsRequest(thread=thread).SerializeToString()))
    if len(pb.ListTurnsResponse.FromString(answer).turns) != min(25, found.turn_count):
        raise SystemExit("a page of turns is short")
    newest, answer = timed(lambda: connection.call(
        109, pb.ListItemsRequest(thread=thread, order=pb.LIST_ORDER_NEWEST_FIRST).SerializeToString()))
    if found.turn_count > 25 and len(pb.ListItemsResponse.FromString(answer).items) != 25:
        raise SystemExit("a page of items is short")
    oldest, _ = timed(lambda: connection.call(109, pb.ListItemsRequest(thread=thread).SerializeToString()))
    return {"read": read, "resume": resumed, "newest page of turns": turns, "newest page of items": newest,
            "oldest page of items": oldest}


# ---- P8: pages of threads

def lists(bench: Bench) -> dict:
    sizes = [1_000, 10_000] if bench.short else [1_000, 10_000, 100_000, 1_000_000]
    first, last, first99, last99, nothing99, filters, trees, used = {}, {}, {}, {}, {}, {}, {}, {}
    for size in sizes:
        folder = with_threads(bench, size)
        server = bench.serve(folder, "--loops", "1")
        connection = bench.connect(server)
        cursors = walk(bench, connection, size)
        count, before = 100 if bench.short else 1_000, cpu(server.pid)
        times = pages(bench, connection, ["", cursors[-1]], count)
        used[size] = (cpu(server.pid) - before) / count / 2 / 1e6
        first[size], last[size] = (statistics.median(one) for one in times[:2])
        first99[size], last99[size], nothing99[size] = (percentile(one, 0.99) for one in times)
        filters[size] = filtered(bench, connection, folder)
        trees[size] = tree_of(bench, connection, cursors[0])
        server.end()
    largest = sizes[-1]
    equal = max(first[largest], last[largest]) / min(first[largest], last[largest])
    worst = max(first99[largest], last99[largest])
    slowest = max(filters[largest], key=filters[largest].get)
    series = [{"name": name, "unit": "ms", "x": "stored threads",
               "points": [[size, round(values[size], 3)] for size in sizes]}
              for name, values in (("first page, median", first), ("last page, median", last),
                                   ("first page, p99", first99), ("last page, p99", last99),
                                   ("Status, p99", nothing99), ("CPU of the server for a page", used))]
    series += [{"name": f"first page, {name}", "unit": "ms", "x": "stored threads",
                "points": [[size, round(filters[size][name], 3)] for size in sizes]} for name in filters[largest]]
    series.append({"name": "the tree of a thread", "unit": "ms", "x": "stored threads",
                   "points": [[size, round(trees[size], 3)] for size in sizes]})
    return {"target": "P8", "wants": "first and last page: p99 <= 5 ms, medians equal within 20 %",
            "met": worst <= 5 and equal <= 1.2, "ratio": round(equal, 2), "p99_ms": round(worst, 2),
            "p99_ms_of_status": round(nothing99[largest], 2),
            "slowest_filter": slowest, "slowest_filter_ms": round(filters[largest][slowest], 2), "series": series}


def walk(bench: Bench, connection: Connection, size: int) -> list[str]:
    """All pages, to the last: every thread once. The cursor of a page works for pages of another size."""
    pb, cursor, seen, cursors = bench.threads, "", set(), []
    while True:
        page = pb.ListThreadsResponse.FromString(connection.call(105, pb.ListThreadsRequest(
            cursor=cursor, page_size=200).SerializeToString()))
        ids = {thread.id for thread in page.threads}
        if ids & seen or len(ids) != len(page.threads):
            raise SystemExit("a thread stands on two pages")
        seen |= ids
        if not page.next_cursor:
            break
        cursor = page.next_cursor
        cursors.append(cursor)
    if len(seen) != size - SPECIAL:
        raise SystemExit(f"{len(seen)} threads were listed of {size - SPECIAL}")
    return cursors + [nearer(bench, connection, cursor)]


def nearer(bench: Bench, connection: Connection, cursor: str) -> str:
    """The cursor of the last page of 25, from that of the last page of 200."""
    pb = bench.threads

    def page(size: int):
        return pb.ListThreadsResponse.FromString(connection.call(
            105, pb.ListThreadsRequest(cursor=cursor, page_size=size).SerializeToString()))

    left = len(page(200).threads)
    return page(left - 25).next_cursor if left > 25 else cursor


def pages(bench: Bench, connection: Connection, cursors: list[str], count: int) -> list[list[float]]:
    """Times of each of these pages, then those of a request that reads nothing, in turns."""
    requests = [(105, bench.threads.ListThreadsRequest(cursor=cursor).SerializeToString()) for cursor in cursors]
    requests.append((601, b""))
    times: list[list[float]] = [[] for _ in requests]
    for _ in range(count):
        for place, (method, request) in enumerate(requests):
            times[place].append(timed(lambda: connection.call(method, request))[0])
    return times


def tree_of(bench: Bench, connection: Connection, cursor: str) -> float:
    """AgentService/ListTree of threads that are requested for the first time."""
    pb = bench.threads
    page = pb.ListThreadsResponse.FromString(connection.call(105, pb.ListThreadsRequest(cursor=cursor).SerializeToString()))
    return statistics.median(
        timed(lambda: connection.call(401, agent_pb2.ListTreeRequest(thread=thread.id).SerializeToString()))[0]
        for thread in page.threads)


def filtered(bench: Bench, connection: Connection, folder) -> dict[str, float]:
    """The first page of filters that few or no threads pass: what the store has to pass over shows here."""
    pb = bench.threads
    parent, source = (bytes.fromhex((folder / name).read_text()) for name in ("parent", "source"))
    wanted = {
        "all, oldest first": (pb.ListThreadsRequest(order=pb.LIST_ORDER_OLDEST_FIRST), 25),
        "archived": (pb.ListThreadsRequest(archived=True), SPECIAL),
        "by source": (pb.ListThreadsRequest(source=2), None),
        "by parent": (pb.ListThreadsRequest(parent=parent), SPECIAL),
        "by fork": (pb.ListThreadsRequest(forked_from=source), SPECIAL),
        "by folder": (pb.ListThreadsRequest(working_folder="/rare"), None),
        "by provider, none": (pb.ListThreadsRequest(model_provider="nobody"), 0),
        "by text, few": (pb.ListThreadsRequest(text="rare one"), SPECIAL),
        "by text, none": (pb.ListThreadsRequest(text="never said"), 0),
        "by text, many": (pb.ListThreadsRequest(text="thread"), 25),
        "created before all": (pb.ListThreadsRequest(created_before=1), 0),
    }
    medians = {}
    for name, (request, count) in wanted.items():
        request, times = request.SerializeToString(), []
        for _ in range(5):
            milliseconds, answer = timed(lambda: connection.call(105, request))
            found = len(pb.ListThreadsResponse.FromString(answer).threads)
            if count is not None and found != count:
                raise SystemExit(f"{name}: {found} threads instead of {count}")
            times.append(milliseconds)
        medians[name] = statistics.median(times)
    return medians
