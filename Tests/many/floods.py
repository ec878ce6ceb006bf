"""Much of one thing, on many connections at once (attacks.md R7 to R11, R13, R17, F9)."""

import concurrent.futures
import socket
import struct
import time

from case import MIB, Run, case
from crowd import CANCEL, ERROR, GOAWAY, PING, REQUEST, RESPONSE, Crowd, Frame
from harness.connection import Connection
from harness.messages import METHODS, frame_pb2
from harness.protobuf import padded
from harness.wire import FRAME_BYTES

STATUS, START, UPDATE = (METHODS[name] for name in ("Server.Status", "Thread.Start", "Settings.Update"))
SUBSCRIBE, UNSUBSCRIBE = METHODS["Thread.Subscribe"], METHODS["Thread.Unsubscribe"]
CALM = "enhance_your_calm"
# The bytes that may be read from one connection before it is held back.
READ_BYTES = 64 * 1024


def flood(run: Run, data: bytes, is_done, timeout: float = 120.0) -> Crowd:
    """Everybody sends the same; the crowd when all are done or closed."""
    crowd = run.keep(Crowd(run.server.address, run.size(100, 1_000)))
    run.connections = len(crowd.members)
    for member in crowd.members:
        member.send(data)
    began = time.monotonic()
    late = crowd.drive(crowd.members, is_done, timeout)
    run.note(took_s=f"{time.monotonic() - began:.1f}")
    run.bound(late == 0, f"{late} are neither served nor cut off")
    return crowd


def told_to_calm_down(run: Run, crowd: Crowd):
    calm = sum(member.goaway == CALM for member in crowd.members)
    # A peer that still sends when it is cut off may be reset before it reads why.
    mute = sum(member.is_closed and not member.goaway for member in crowd.members)
    others = {member.goaway for member in crowd.members} - {"", CALM}
    run.note(told=calm, mute=mute)
    run.bound(calm + mute == len(crowd.members), f"{calm} were told, {mute} cut off, others {others or 'are open'}")
    run.bound(calm > 0, "nobody was told")


def kinds(crowd: Crowd, kind: int) -> int:
    return sum(member.counts[kind] for member in crowd.members)


# Started threads stay loaded, a few KiB each: here a few hundred at most.
@case("cancel-flood", memory=lambda run: 64 * MIB + run.size(100, 1_000) * READ_BYTES, HEDDLE_LIMITS_LOADED_THREADS=200)
def cancel_flood(run: Run):
    """each starts threads and cancels at once: all are cut off, few are carried out (R8)"""
    body = START.request(name="rapid", subscribe=False).SerializeToString()
    pairs = b"".join(Frame(REQUEST, START.number, stream, body).encode() + Frame(CANCEL, stream=stream).encode()
                     for stream in range(1, 2 * run.size(800, 1_000), 2))
    crowd = flood(run, pairs, lambda member: member.is_closed)
    told_to_calm_down(run, crowd)


@case("ping-flood")
def ping_flood(run: Run):
    """each pings without end: three strikes (R10)"""
    ping = Frame(PING, payload=frame_pb2.Ping(opaque=b"flood").SerializeToString()).encode()
    crowd = flood(run, ping * run.size(500, 2_000), lambda member: member.is_closed)
    told_to_calm_down(run, crowd)


@case("subscribe-flood", memory=lambda run: 64 * MIB + run.size(100, 1_000) * MIB)
def subscribe_flood(run: Run):
    """each subscribes and unsubscribes over and over: all served, none left (R7)"""
    peer = run.peer()
    thread = peer.call("Thread.Start", subscribe=False).thread.id
    subscribe = SUBSCRIBE.request(thread=thread, after=0).SerializeToString()
    unsubscribe = UNSUBSCRIBE.request(thread=thread).SerializeToString()
    rounds = run.size(60, 200)
    crowd = run.keep(Crowd(run.server.address, run.size(100, 1_000)))
    run.connections = len(crowd.members)
    for member in crowd.members:
        member.send(b"".join(Frame(REQUEST, SUBSCRIBE.number, 4 * number + 1, subscribe).encode()
                             + Frame(REQUEST, UNSUBSCRIBE.number, 4 * number + 3, unsubscribe).encode()
                             for number in range(rounds)))
    # Each subscription that was opened ends with CANCELLED, each that was not is refused: one ERROR in any case.
    late = crowd.drive(crowd.members, lambda member: member.counts[ERROR] >= rounds, 120)
    run.note(subscriptions=rounds * len(crowd.members), late=late)
    run.bound(late == 0, f"{late} were not served")
    others = {reason for member in crowd.members for reason in member.reasons} - {"cancelled"}
    run.bound(not others, f"refused with {others}")
    run.bound(not any(member.is_closed for member in crowd.members), "somebody was cut off")


@case("hang-up-flood")
def hang_up_flood(run: Run):
    """connect and hang up, half of them with a reset, as fast as it goes (R17)"""
    seconds, host, port = run.size(4, 60), *run.server.address.rsplit(":", 1)
    hello = Connection.hello_frame(quiet=True).encode()

    def churn(kind: int) -> int:
        deadline, count = time.monotonic() + seconds, 0
        while time.monotonic() < deadline:
            one = socket.socket()
            # Ports of one address would run out: each of these has its own.
            one.bind((f"127.1.{count >> 8 & 255}.{1 + kind * 100 + count % 100}", 0))
            one.connect((host, int(port)))
            if count % 3:
                one.send(hello[:len(hello) // (count % 3)])
            if kind:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.close()
            count += 1
        return count
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        run.connections = sum(pool.map(churn, range(2)))
    run.note(per_second=f"{run.connections / seconds:.0f}")


@case("settings-flood", memory=lambda run: 256 * MIB)
def settings_flood(run: Run):
    """each updates one thread's settings, 200 at once: every one is acknowledged and counts once (R11)"""
    peer = run.peer()
    thread = peer.call("Thread.Start", subscribe=False).thread.id
    rounds = run.size(2, 5)
    crowd = run.keep(Crowd(run.server.address, run.size(20, 100)))
    run.connections = len(crowd.members)
    began = time.monotonic()
    for number in range(rounds):
        for place, member in enumerate(crowd.members):
            body = UPDATE.request(thread=thread, change={"working_folder": f"/{place}/{number}"}).SerializeToString()
            first = 1 + 400 * number
            member.send(b"".join(Frame(REQUEST, UPDATE.number, stream, body).encode()
                                 for stream in range(first, first + 400, 2)))
        wanted = 200 * (number + 1)
        late = crowd.drive(crowd.members, lambda member: member.counts[RESPONSE] + member.counts[ERROR] >= wanted, 120)
        run.bound(late == 0, f"{late} were not served")
    acknowledged = kinds(crowd, RESPONSE)
    run.note(acknowledged=acknowledged, per_second=f"{acknowledged / (time.monotonic() - began):.0f}")
    run.bound(acknowledged == rounds * 200 * len(crowd.members), f"{acknowledged} were acknowledged")
    state = peer.call("Thread.Read", thread=thread).thread
    # Those that change nothing (the same folder once more) are acknowledged and are no event.
    run.bound(state.revision == state.sequence or state.revision <= acknowledged + 1, f"revision {state.revision}")


@case("tiny-frames", memory=lambda run: 64 * MIB + run.size(50, 200) * MIB)
def tiny_frames(run: Run):
    """each sends thousands of the smallest requests in one piece: all are served (F9)"""
    count = run.size(2_000, 10_000)
    data = b"".join(Frame(REQUEST, STATUS.number, stream).encode() for stream in range(1, 2 * count, 2))
    crowd = run.keep(Crowd(run.server.address, run.size(50, 200)))
    run.connections = len(crowd.members)
    for member in crowd.members:
        member.send(data)
    began = time.monotonic()
    late = crowd.drive(crowd.members, lambda member: member.counts[RESPONSE] >= count, run.size(120, 600))
    took = time.monotonic() - began
    run.note(answers=kinds(crowd, RESPONSE), per_second=f"{kinds(crowd, RESPONSE) / took:.0f}")
    run.bound(late == 0, f"{late} were not served in full")
    run.bound(kinds(crowd, GOAWAY) == 0, "somebody was cut off")


# A small budget, which many connections are far beyond. RSS adds the allocator's share and, for each of two loops, the
# frame that it decodes, twice.
BUDGET_BYTES, SLACK_BYTES = 64 * MIB, 48 * MIB + 2 * 2 * FRAME_BYTES


@case("half-frames", memory=lambda run: BUDGET_BYTES + SLACK_BYTES, HEDDLE_LIMITS_BUFFERED_BYTES=BUDGET_BYTES)
def half_frames(run: Run):
    """frames of 4 MiB but for their last byte: the budget of the process holds, and all are served in the end (R13)"""
    crowd = run.keep(Crowd(run.server.address, run.size(100, 1_000)))
    run.connections = len(crowd.members)
    data = Frame(REQUEST, STATUS.number, 1, padded(b"", FRAME_BYTES)).encode()
    quiet, peak = run.server.resident_bytes(), 0
    for member in crowd.members:
        member.rest, member.at = memoryview(data)[:-1], 0  # shared, not copied
    moved = -1
    while (now := sum(member.at for member in crowd.members)) > moved:
        moved = now
        crowd.drive(crowd.members, lambda member: not member.wants_to_send, 1.0)
        peak = max(peak, run.server.resident_bytes() - quiet)
    run.note(sent_mib=moved // MIB, held_mib=peak // MIB, budget_mib=BUDGET_BYTES // MIB)
    run.bound(peak <= BUDGET_BYTES + SLACK_BYTES, f"{peak // MIB} MiB held")
    run.serves()
    for member in crowd.members:
        member.rest = memoryview(data)
    late = crowd.drive(crowd.members, lambda member: member.counts[RESPONSE] > 0, run.size(120, 600))
    run.note(served=kinds(crowd, RESPONSE))
    run.bound(late == 0 and kinds(crowd, RESPONSE) == len(crowd.members), f"{late} are not read any more")
