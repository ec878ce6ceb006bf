"""Many large reads beside small ones (attacks.md R12)."""

import threading
import time

from case import MIB, Run, case
from crowd import REQUEST, RESPONSE, Crowd, Frame
from harness.messages import METHODS, words

ITEMS = METHODS["Thread.ListItems"]
LEAST_READS = 10


def resumed(run: Run, threads: list[bytes], seconds: float) -> list[float]:
    """How long it takes to resume small threads that are not loaded, one after the other."""
    peer, waits = run.peer(), []
    # A minimum of reads, on a slow machine too, for a meaningful sample.
    deadline, number = time.monotonic() + seconds, 0
    while time.monotonic() < deadline or number <= LEAST_READS and time.monotonic() < deadline + 60:
        begin = time.monotonic()
        peer.call("Thread.Resume", thread=threads[number % len(threads)], subscribe=False)
        waits.append(time.monotonic() - begin)
        peer.asked.clear()
        number += 1
        time.sleep(0.005)  # a client as others are
    return sorted(waits)


def percentile(waits: list[float], share: float) -> float:
    return 1000 * waits[max(0, int(len(waits) * share) - 1)]


# One loaded thread at most for each loop: every resume reads from the disk.
@case("bulk-reads", memory=lambda run: 128 * MIB + run.size(20, 200) * 9 * MIB, HEDDLE_LIMITS_LOADED_THREADS=2)
def bulk_reads(run: Run):
    """pages of a long history without end on many connections, and small threads that are resumed meanwhile (R12)"""
    peer = run.peer()
    large = peer.call("Thread.Start", subscribe=False).thread.id
    text = "!flood 20000"
    for _ in range(run.size(40, 200)):
        turn = peer.call("Turn.Start", thread=large, input=words(text), when_busy=1).turn
        while peer.call("Thread.Read", thread=large).thread.running_turn == turn:
            time.sleep(0.01)  # this connection follows nothing
    small = [peer.call("Thread.Start", subscribe=False).thread.id for _ in range(50)]
    seconds = run.size(3, 20)
    quiet = resumed(run, small, seconds)
    crowd = run.keep(Crowd(run.server.address, run.size(20, 200)))
    run.connections = len(crowd.members)
    body = ITEMS.request(thread=large, page_size=200).SerializeToString()
    stop = threading.Event()
    pages = threading.Thread(target=read_pages, args=(crowd, body, stop), daemon=True)
    pages.start()
    beside = resumed(run, small, seconds)
    stop.set()
    pages.join(60)
    run.bound(not pages.is_alive(), "the readers do not end")
    served = sum(member.counts[RESPONSE] for member in crowd.members)
    run.note(pages=served, quiet_p50_ms=f"{percentile(quiet, 0.5):.1f}", quiet_p99_ms=f"{percentile(quiet, 0.99):.1f}",
             p50_ms=f"{percentile(beside, 0.5):.1f}", p99_ms=f"{percentile(beside, 0.99):.1f}")
    run.bound(served > 0 and len(beside) > LEAST_READS, "nothing was tried")
    ratio = percentile(beside, 0.5) / max(1.0, percentile(quiet, 0.5))
    run.bound_in_full(ratio < 10, f"small reads wait for large ones: {ratio:.1f} times as long")


def read_pages(crowd: Crowd, body: bytes, stop: threading.Event):
    """Each has four pages on their way, always."""
    streams = {id(member): 1 for member in crowd.members}

    def ask(member, count: int):
        for _ in range(count):
            member.send(Frame(REQUEST, ITEMS.number, streams[id(member)], body).encode())
            streams[id(member)] += 2

    def again(member, kind, *_):
        if kind == RESPONSE and not stop.is_set():
            ask(member, 1)
    crowd.on_frame = again
    for member in crowd.members:
        ask(member, 4)
    while not stop.is_set():
        crowd.drive(crowd.members, lambda member: False, 0.5)


