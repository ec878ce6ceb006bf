"""Subscribers that do not keep up, beside some that do (durability.md, slow consumers; rules.md E3)."""

import json
import os
import subprocess
import sys
import time

from case import HERE, MIB, Run, case
from publisher import Publisher, heads

THREADS, PAD_BYTES = 4, 16_000
# A quarter of the default: two thousand that lag are filled in seconds instead of minutes.
OUTGOING_BYTES, READ_BYTES = 256 * 1024, 256 * 1024
# Memory of a lagging connection by the configuration: queued output, in buffers whose sizes are powers of two, one read of
# the log that passed the mark, and the connection itself with its subscription.
LAGGING_BYTES = 2 * OUTGOING_BYTES + READ_BYTES + 16 * 1024


class Process:
    """followers.py, asked line by line."""

    def __init__(self, address: str):
        self.process = subprocess.Popen([sys.executable, HERE / "followers.py", address], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=None)
        assert json.loads(self.process.stdout.readline())["ready"]

    def ask(self, do: str, **fields) -> dict:
        self.process.stdin.write(json.dumps({"do": do, **fields}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the followers' process ended with {self.process.wait(10)}"
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
        self.process.stdout.close()


def counts(run: Run) -> tuple[int, int]:
    """Normal ones, and of each of the other kinds."""
    return run.size((20, 60), (100, 1_000))


@case("slow", memory=lambda run: 64 * MIB + 2 * counts(run)[1] * LAGGING_BYTES,
      HEDDLE_LIMITS_OUTGOING_BYTES=OUTGOING_BYTES)
def slow(run: Run):
    """stalled and slow subscribers beside normal ones, with events and text flowing"""
    normal, others = counts(run)
    # Enough events in a window to fill the queues of subscribers that do not read.
    seconds, per_second = run.size((6, 40), (20, 12))
    control = run.peer()
    threads = [control.call("Thread.Start", subscribe=False).thread.id for _ in range(THREADS)]
    names = [thread.hex() for thread in threads]
    keeping_up, lagging = run.keep(Process(run.server.address)), run.keep(Process(run.server.address))
    keeping_up.ask("open", kind="normal", count=normal, threads=names)
    publisher = Publisher(run.server.address, threads, per_second, PAD_BYTES)

    def window() -> dict:
        keeping_up.ask("report")
        time.sleep(seconds)  # the events of this time are measured
        run.watch.status()  # a connection that is silent for three minutes is cut off
        return keeping_up.ask("report")
    before = window()
    quiet = run.server.resident_bytes()
    lagging.ask("open", kind="slow", count=others, threads=names, receive=4_096)
    lagging.ask("open", kind="stalled", count=others, threads=names, receive=4_096)
    run.watch.status()
    run.connections = normal + 2 * others
    # Until their queues are full they are served like all others, at the usual cost.
    filling = window()
    beside = window()
    held = run.server.resident_bytes() - quiet
    run.note(kernel_mib=kernel_bytes() // MIB)
    publisher.stop()
    last = heads(control, threads)
    seconds_to_catch_up = run.size(60, 300)
    behind = lagging.ask("catch up", heads=last, seconds=seconds_to_catch_up)
    run.watch.status()
    here = keeping_up.ask("catch up", heads=last, seconds=seconds_to_catch_up)
    lagging.close()
    publisher = Publisher(run.server.address, threads, per_second, PAD_BYTES)
    after = window()
    publisher.stop()
    judge(run, before, beside, after, behind, here)
    run.bound(filling["faults"] == 0, f"gaps, doubled events or broken text: {filling['first']}")
    run.note(filling_p99_ms=f"{filling['p99']:.1f}", held_mib=f"{held / MIB:.1f}",
             bound_mib=f"{2 * others * LAGGING_BYTES / MIB:.0f}", each_kib=f"{held / 2 / others / 1024:.0f}")


def kernel_bytes() -> int:
    """Memory of the kernel for all TCP connections of the machine."""
    with open("/proc/net/sockstat") as file:
        fields = next(line for line in file if line.startswith("TCP:")).split()
    return int(fields[fields.index("mem") + 1]) * os.sysconf("SC_PAGE_SIZE")


def judge(run: Run, before: dict, beside: dict, after: dict, behind: dict, here: dict):
    """Both quiet windows are of this run; the worse one shows the machine without the others."""
    quiet = max(before["p99"], after["p99"])
    ratio = beside["p99"] / quiet if quiet else 0.0
    run.note(events=beside["events"], lagged_events=behind["lagged"], deltas=here["deltas"],
             snapshots=behind["snapshots"], cut=behind["ends"].get("closed", 0),
             gaps=behind["faults"] + here["faults"], incomplete=behind["incomplete"] + here["incomplete"],
             quiet_p99_ms=f"{before['p99']:.1f}/{after['p99']:.1f}", p99_ms=f"{beside['p99']:.1f}",
             p99_ratio=f"{ratio:.2f}")
    for one in (before, beside, after, behind, here):
        run.bound(one["faults"] == 0, f"gaps, doubled events or broken text: {one['first']}")
    for one in (behind, here):
        run.bound(one["incomplete"] == 0, f"{one['incomplete']} did not get everything")
        run.bound(one["beyond"] == 0, f"{one['beyond']} got more than there is")
    reasons = {reason for one in (behind, here) for reason in one["ends"]} - {"closed", "slow_consumer"}
    run.bound(not reasons, f"cut off with {reasons}")
    run.bound(beside["events"] > 0 and before["events"] > 0 and behind["lagged"] > 0, "nothing was tried")
    run.bound_in_full(ratio < 2, f"p99 of those that keep up is {ratio:.2f} times that without the others")
