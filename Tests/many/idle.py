"""Connections that do nothing, now or any more (attacks.md R1, S3, F6, F21)."""

import time

from case import MIB, Run, case
from crowd import ERROR, REQUEST, RESPONSE, Crowd, Frame
from harness.connection import Connection
from harness.messages import METHODS
from harness.protobuf import padded

EACH_BYTES = 16 * 1024
STATUS = METHODS["Server.Status"].number


@case("idle", memory=lambda run: 64 * MIB + run.size(1_000, 10_000) * EACH_BYTES)
def idle(run: Run):
    """authenticated connections that say nothing: at most 16 KiB each, and no work (R1)"""
    Crowd(run.server.address, 64).close()  # the extra cost of the first connection is not counted
    time.sleep(0.5)  # there is no sign that a server has let go
    quiet, count = run.server.resident_bytes(), run.size(1_000, 10_000)
    run.keep(Crowd(run.server.address, count))
    run.connections = count
    each = (run.server.resident_bytes() - quiet) / count
    seconds, before = run.size(3, 10), run.server.cpu_seconds()
    time.sleep(seconds)  # the measurement is of idle time
    share = (run.server.cpu_seconds() - before) / seconds
    run.note(each_kib=f"{each / 1024:.1f}", cpu_percent=f"{100 * share:.1f}")
    run.bound(each <= EACH_BYTES, f"{each / 1024:.1f} KiB each")
    run.bound_in_full(share < 0.02 + 0.01, f"idle CPU {share:.1%}, of which the witness and the watch have a share")


@case("once-busy", memory=lambda run: 256 * MIB + run.size(500, 5_000) * EACH_BYTES)
def once_busy(run: Run):
    """the same after each has sent a request of 256 KiB: what a large frame took is given back (R1)"""
    Crowd(run.server.address, 64).close()
    time.sleep(0.5)
    quiet, count = run.server.resident_bytes(), run.size(500, 5_000)
    crowd = run.keep(Crowd(run.server.address, count))
    run.connections = count
    frame = Frame(REQUEST, STATUS, 1, padded(b"", 256 * 1024)).encode()
    for begin in range(0, count, 100):
        some = crowd.members[begin:begin + 100]
        for member in some:
            member.send(frame)
        late = crowd.drive(some, lambda member: member.counts[RESPONSE] + member.counts[ERROR] > 0, 60)
        run.bound(late == 0, f"{late} got no answer")
    answered = sum(member.counts[RESPONSE] for member in crowd.members)
    # Less than 16 MiB are not given back: much for each of few, nothing for each of many.
    most = EACH_BYTES + (0 if run.full else 16 * MIB // count)
    deadline = time.monotonic() + 60
    while (each := (run.server.resident_bytes() - quiet) / count) > most and time.monotonic() < deadline:
        time.sleep(0.5)  # what is free is given back every four seconds, on a busy machine later
    run.note(answered=answered, each_kib=f"{each / 1024:.1f}")
    run.bound(answered == count, f"{answered} of {count} were served")
    run.bound(each <= most, f"{each / 1024:.1f} KiB each")


@case("half-open", memory=lambda run: 64 * MIB + 3 * run.size(200, 2_000) * EACH_BYTES)
def half_open(run: Run):
    """silence, half a HELLO, half a request, and a peer that only half closed: each ends in its time (S3, F6, F21)"""
    count = run.size(200, 2_000)
    silent = run.keep(Crowd(run.server.address, count, hello=False))
    half = run.keep(Crowd(run.server.address, count, hello=False))
    done = run.keep(Crowd(run.server.address, count))
    stuck = run.keep(Crowd(run.server.address, run.size(20, count)))
    run.connections = 3 * count + len(stuck.members)
    hello = Connection.hello_frame(client_name="many", quiet=True).encode()
    for member in half.members:
        member.send(hello[:10])
        member.write()
    for member in stuck.members:
        member.send(Frame(REQUEST, STATUS, 1, b"0123456789").encode(length=1 << 20))
        member.write()
    for member in done.members:
        member.send(b"".join(Frame(REQUEST, STATUS, stream).encode() for stream in (1, 3, 5)))
        member.write()
        member.socket.shutdown(1)  # SHUT_WR
    left = {"half-closed": done.drive(done.members, lambda member: member.is_closed, 30)}
    answered = sum(member.counts[RESPONSE] for member in done.members)
    left["silent"] = silent.drive(silent.members, lambda member: member.is_closed, 30)
    left["half a HELLO"] = half.drive(half.members, lambda member: member.is_closed, 30)
    left["half a request"] = stuck.drive(stuck.members, lambda member: member.is_closed, 60)
    run.note(answered=answered, left=sum(left.values()),
             timed_out=sum(member.goaway == "frame_timeout" for member in stuck.members))
    run.bound(answered == 3 * count, f"{answered} of {3 * count} answers")
    run.bound(not any(left.values()), f"still open: {left}")
    run.bound(all(member.goaway == "frame_timeout" for member in stuck.members), "half a frame ends with frame_timeout")
