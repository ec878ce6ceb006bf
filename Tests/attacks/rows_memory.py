"""docs/attacks.md, Resources: R12, R13, R16, which are about memory."""

import os
import pathlib
import selectors
import statistics
import time

from attack import Attack, NotHere
from harness.connection import Connection
from harness.ends import eventually, expect_goaway, expect_kept
from harness.messages import METHODS, event_pb2
from harness.protobuf import padded
from harness.wire import CANCEL, FRAME_BYTES, REQUEST, Frame
from rows import OWN, row
from rows_resources import EXHAUSTED, flood
from world import Server


@row("R12★", on=OWN)
def r12(attack: Attack):
    """resume of 20,000 events, four at once (10⁶ × 100 by hand) → RSS ≤ +64 MiB, first event < 100 ms"""
    server = attack.start()
    peer, count = attack.connect(timeout=60), attack.size(20_000, 990_000)
    thread = attack.thread(peer)
    body = [METHODS["Thread.SetName"].request(thread=thread, name=f"{kind} {'x' * 200}") for kind in "ab"]
    for begin in range(0, count, 200):
        frames = [peer.request_frame("Thread.SetName", body[number % 2]) for number in range(begin, begin + 200)]
        peer.send(b"".join(frame.encode() for frame in frames))
        for frame in frames:
            peer.answer(frame.stream, "Thread.SetName")
        peer.asked.clear()
    head = peer.call("Thread.Read", thread=thread).thread.sequence
    assert head >= count

    def resume() -> float:
        with attack.connect(timeout=attack.size(60, 3600)) as reader:
            clock = attack.clock()
            stream = reader.open("Thread.Subscribe", thread=thread, after=0)
            reader.answer(stream, "Thread.Subscribe")
            reader.skim_events(1, reader.timeout)
            first = clock.seconds()
            last = reader.skim_events(head - 1, reader.timeout)
            assert event_pb2.SubscriptionEvent.FromString(last).event.sequence == head, "not as many as there are"
            return first
    alone = min(resume() for _ in range(3))
    assert alone < 0.1, f"first event after {alone * 1000:.0f} ms"
    server_quiet = server.resident_bytes()
    firsts = attack.race([resume for _ in range(attack.size(4, 100))])
    assert all(isinstance(first, float) for first in firsts), firsts
    grown = server.resident_bytes() - server_quiet
    assert grown < 64 << 20, f"memory grew by {grown >> 20} MiB"
    attack.note(f"first event {alone * 1000:.0f} ms alone, {statistics.median(firsts) * 1000:.0f} ms in the crowd")


@row("R13★", on=OWN, memory=(256 + 96) << 20)
def r13(attack: Attack):
    """frames of 4 MiB but for their last byte on 100 connections (1,000 by hand) → 256 MiB at most; all get served"""
    server = attack.start()
    count, quiet = attack.size(100, 1_000), server.resident_bytes()
    peers = attack.connect_many(count)
    data = Frame(REQUEST, METHODS["Server.Status"].number, 1, padded(b"", FRAME_BYTES)).encode()
    sent = pour(peers, data, len(data) - 1, [0] * count, idle_seconds=2)
    grown = at_rest(server) - quiet
    attack.note(f"{sum(sent) >> 20} MiB sent, {grown >> 20} MiB held")
    assert grown <= (256 + 64) << 20, f"{grown >> 20} MiB held"
    expect_kept(attack.connect())
    # Now each sends its last byte as soon as it can; connections that were held back get their turn.
    sent = pour(peers, data, len(data), sent, idle_seconds=25)
    stuck = sum(one < len(data) for one in sent)
    assert not stuck, f"{stuck} of {count} are not read any more"
    for peer in peers:
        assert peer.answer(1, "Server.Status", timeout=60).durability == "synced"
        peer.close()
    # Those that are held back are noticed when they go: what they held is back within 10 s, as on every row.
    leaving = attack.connect_many(attack.size(250, 1_000))
    pour(leaving, data, len(data) - 1, [0] * len(leaving), idle_seconds=1)
    at_rest(server)
    for peer in leaving:
        peer.close()


def at_rest(server: Server) -> int:
    """Memory when the server has read what it reads: the kernel holds the rest."""
    seen = [0]
    while server.resident_bytes() > seen[-1] + (1 << 20) and len(seen) < 60:
        seen.append(server.resident_bytes())
        time.sleep(0.5)  # there is no sign that a server stops reading
    return max(seen)


def pour(peers: list[Connection], data: bytes, upto: int, sent: list[int], idle_seconds: float) -> list[int]:
    """Sends on all connections as they take it, up to a place, until nothing moves for some time."""
    sent = list(sent)
    view = memoryview(data)
    with selectors.DefaultSelector() as selector:
        for number, peer in enumerate(peers):
            if sent[number] < upto:
                peer.socket.setblocking(False)
                selector.register(peer.socket, selectors.EVENT_WRITE, number)
        while selector.get_map() and (ready := selector.select(idle_seconds)):
            for key, _ in ready:
                begin = sent[key.data]
                try:
                    sent[key.data] += key.fileobj.send(view[begin:min(upto, begin + (1 << 18))])
                except (BrokenPipeError, ConnectionResetError):
                    selector.unregister(key.fileobj)
                    continue
                except BlockingIOError:
                    continue
                if sent[key.data] == upto:
                    selector.unregister(key.fileobj)
    return sent


SMALL_BYTES = 256 << 20


@row("R16", on=OWN, memory=SMALL_BYTES)
def r16(attack: Attack):
    """control group of 256 MiB with R4, R8, R12 and R13 at once, 15 s (10 min by hand) → not OOM-killed"""
    if not attack.full:
        # In CI's debug build it is not killed, but connections given up halfway are still being read 10 s after the end.
        raise NotHere("its end takes longer than 10 s on a debug build; make attacks-full ONLY=R16 drives it")
    group, limit, kills = small_group(attack)
    inside = ("sh", "-c", 'echo $$ > "$0" && exec "$@"', str(group / "cgroup.procs"))
    # Threads that R8 starts stay loaded, up to this many; their memory need not come back.
    server = attack.start("--log-level", "notice", under=inside, HEDDLE_LIMITS_LOADED_THREADS=500)
    assert "limits are lowered" in server.log_text(), "it does not know how little there is"
    working = attack.connect(timeout=60)
    thread, feed = attack.follow_new(working)
    for _ in range(attack.size(8, 100)):
        feed.until_completed(attack.turn(working, thread, "!flood 1000000"), timeout=60)
    end = time.monotonic() + attack.size(15, 600)
    works = [lambda: rapid(attack, end), lambda: half_frames(attack, end, attack.size(150, 1_000))]
    works += [lambda: resumes(attack, thread, feed.last, end)] * attack.size(4, 20)
    works += [lambda: stops_reading(attack, thread, end)] * attack.size(4, 20)
    for failure in attack.race(works):
        assert failure is None, repr(failure)
    assert server.alive and kills() == 0, f"{kills()} were killed for memory"
    attack.note(f"{server.peak_bytes() >> 20} MiB at most of {limit >> 20}")


def small_group(attack: Attack):
    """A control group in which there is little memory; its limit, and how many it has killed."""
    name = f"heddle-attack-{os.getpid()}"
    unified = pathlib.Path("/sys/fs/cgroup")
    older = unified / "memory"
    group = (older if older.is_dir() else unified) / name
    try:
        group.mkdir()
    except OSError as failure:
        raise NotHere(f"this user cannot make a control group: {failure}") from None
    attack.when_over(lambda: eventually(lambda: removed(group), "the group is empty"))
    file = group / ("memory.limit_in_bytes" if older.is_dir() else "memory.max")
    if not file.exists():
        raise NotHere("control groups of this machine do not bound memory")
    file.write_text(str(SMALL_BYTES))
    events = group / ("memory.oom_control" if older.is_dir() else "memory.events")

    def kills() -> int:
        return sum(int(line.split()[1]) for line in events.read_text().splitlines() if line.startswith("oom_kill "))
    return group, int(file.read_text()), kills


def removed(group: pathlib.Path) -> bool:
    try:
        group.rmdir()
        return True
    except OSError:
        return False


def rapid(attack: Attack, end: float):
    """R8, over and over."""
    start = METHODS["Thread.Start"]
    body = start.request(name="rapid", subscribe=False).SerializeToString()
    pairs = b"".join(Frame(REQUEST, start.number, stream, body).encode() + Frame(CANCEL, stream=stream).encode()
                     for stream in range(1, 2_001, 2))
    while time.monotonic() < end:
        with attack.connect(timeout=60) as peer:
            flood(peer, pairs)
            expect_goaway(peer, EXHAUSTED, "enhance_your_calm", timeout=60)
        attack.peers.remove(peer)


def half_frames(attack: Attack, end: float, count: int):
    """R13: sent as far as the server takes them, then given up, over and over."""
    data = Frame(REQUEST, METHODS["Server.Status"].number, 1, padded(b"", FRAME_BYTES)).encode()
    while time.monotonic() < end:
        peers = [attack.connect(timeout=60) for _ in range(count)]
        pour(peers, data, len(data) - 1, [0] * count, idle_seconds=1)
        for peer in peers:
            peer.close()
            attack.peers.remove(peer)


def resumes(attack: Attack, thread: bytes, last: int, end: float):
    """R12: everything from the first event on, over and over."""
    while time.monotonic() < end:
        with attack.connect(timeout=120) as peer:
            feed = peer.follow(thread)
            feed.until_kind("live", timeout=120)
            assert feed.last >= last, f"{feed.last} of {last}"
        attack.peers.remove(peer)


def stops_reading(attack: Attack, thread: bytes, end: float):
    """R4: one that asks for everything and takes nothing."""
    peer = attack.connect(receive_bytes=4_096)
    peer.open("Thread.Subscribe", thread=thread, after=0)
    time.sleep(max(0.0, end - time.monotonic()))  # what it does is nothing
    peer.close()
