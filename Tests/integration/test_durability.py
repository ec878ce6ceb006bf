"""durability.md D1, D2, D5, D8, D15 under fire: kill -9 again and again while clients write, and disks whose sync is
slow or fails.

The crash cycles need nothing. The bad disks are made by strace, which delays or fails every fdatasync; without it, or where tracing
is not allowed, those tests say so and are skipped.
"""

import contextlib
import os
import random
import re
import shutil
import sqlite3
import subprocess
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.connection import PATIENCE_SECONDS
from harness.faults import FillingServer
from harness.messages import METHODS, event_bytes, event_pb2, frame_pb2, turn_status, words
from harness.server import Server
from harness.store_pages import page_size, seal
from harness.wire import CANCEL, END_OF_STREAM, ERROR, EVENT, GOAWAY, PING, PONG, RESPONSE, Closed, Frame, HeddleError

CYCLES = int(os.environ.get("HEDDLE_CRASHES", "8"))
WRITERS = 4
SYNC_DELAY_SECONDS = 0.4
# Threads whose turns a kill cuts off, and the text in the settings of each: a group of the writer takes 1 MiB, so that
# ending them takes several, each with a sync, and the first of them is ended before the last.
CUT_OFF, CUT_OFF_TEXT = 8, 250_000
SERVING = frame_pb2.SERVING_STATUS_SERVING


# Crash cycles


class Writer:
    """One client that renames, updates and starts turns on shared threads, every request under its own key.

    A request without an answer is tried again with its key after the restart, as D15 tells clients to."""

    def __init__(self, number: int, threads: list[bytes], seed: int):
        self.number, self.threads, self.random = number, threads, random.Random(seed)
        self.done: list[tuple] = []
        self.open: tuple | None = None
        self.count = 0

    def next_request(self) -> tuple:
        self.count += 1
        thread, mark = self.random.choice(self.threads), f"{self.number}.{self.count}"
        name, fields = self.random.choice([
            ("Thread.SetName", {"name": mark}),
            ("Settings.Update", {"change": {"service_tier": mark}}),
            ("Turn.Start", {"input": words(f"!say {mark}"), "when_busy": 1}),
        ])
        return name, uuid.UUID(int=self.random.getrandbits(128)).bytes, {"thread": thread, **fields}

    def work(self, server: Server):
        """Until the server dies."""
        with contextlib.suppress(Closed, OSError), server.connect() as connection:
            while True:
                self.open = self.open or self.next_request()
                self.ask(connection)

    def ask(self, connection):
        """One request; what was refused for a full queue is no change and is left."""
        name, key, fields = self.open
        try:
            self.done.append((self.open, connection.call(name, key=key, **fields)))
        except HeddleError as error:
            assert error.reason == "queue_full", error
        self.open = None


class Reader:
    """A subscriber that comes back after the last event it saw."""

    def __init__(self, thread: bytes):
        self.thread, self.events = thread, []

    def work(self, server: Server):
        with contextlib.suppress(Closed, OSError, TimeoutError), server.connect() as connection:
            follower = connection.follow(self.thread, len(self.events))
            try:
                while True:
                    follower.next()
            finally:
                self.events += follower.events


def cycle(server: Server, workers: list, answers: int, seconds: float):
    """All work until the server is killed: behind so many answers, and then at some moment."""
    def answered() -> int:
        return sum(len(worker.done) for worker in workers if isinstance(worker, Writer))
    wanted, deadline = answered() + answers, time.monotonic() + PATIENCE_SECONDS
    running = [threading.Thread(target=worker.work, args=(server,)) for worker in workers]
    for thread in running:
        thread.start()
    while answered() < wanted:
        assert time.monotonic() < deadline, "the writers get nothing done"
        time.sleep(0.002)
    time.sleep(seconds)  # the moment of the crash is the test's to choose
    server.kill()
    for thread in running:
        thread.join(60)
        assert not thread.is_alive(), "a client hangs"


def answered_requests(writers: list[Writer], connection) -> list[tuple]:
    """Every acknowledged request; the open ones are asked again with their keys (D15)."""
    for writer in writers:
        if writer.open:
            writer.ask(connection)
    return [entry for writer in writers for entry in writer.done]


def test_d1_d5_d15_nothing_acknowledged_or_seen_is_lost_in_crash_after_crash(fresh):
    """D1, D2, D5, D15: after every kill -9 what was acknowledged is there at its number, once; what was seen is what is
    stored; the same key finds the same answer; no turn has two ends."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    with fresh.connect() as connection:
        threads = [connection.new_thread().id for _ in range(3)]
    writers = [Writer(number, threads, seed + number) for number in range(WRITERS)]
    readers = [Reader(thread) for thread in threads]
    for _ in range(CYCLES):
        cycle(fresh, [*writers, *readers], chance.randrange(2, 80), chance.uniform(0, 0.05))
        fresh.start()
    with fresh.connect(timeout=60) as connection:
        answered = answered_requests(writers, connection)
        settle(connection, threads)
        stored = {thread: connection.history(thread) for thread in threads}
        for request, answer in answered:
            check_answered(connection, request, answer, stored[request[2]["thread"]])
    for reader in readers:
        assert event_bytes(reader.events) == event_bytes(stored[reader.thread][:len(reader.events)])
    for events in stored.values():
        check_history(events)
    assert len(answered) > CYCLES, "the writers got nothing done"


def settle(connection, threads: list[bytes]):
    """Waits until no turn runs or waits any more."""
    for thread in threads:
        deadline = time.monotonic() + 60
        while True:
            found = connection.call("Thread.Read", thread=thread).thread
            if not found.HasField("running_turn") and not found.queued_turns:
                break
            assert time.monotonic() < deadline, found
            time.sleep(0.02)  # any of several turns may be the last to end


def check_answered(connection, request: tuple, answer, events: list):
    """The retry finds the first answer, and the event that it names is the change that was asked for."""
    name, key, fields = request
    again = connection.call(name, key=key, **fields)
    assert again.replayed
    again.replayed = answer.replayed
    assert again == answer
    event = events[answer.sequence - 1]
    if name == "Thread.SetName":
        assert event.name_changed.name == fields["name"]
    elif name == "Settings.Update":
        assert event.settings_updated.settings.service_tier == fields["change"]["service_tier"]
        assert event.settings_updated.revision == answer.revision
    else:
        assert event.turn == answer.turn


def check_history(events: list):
    """Each rename and each change of settings is there once, each turn begins and ends at most once, revisions rise."""
    names = [event.name_changed.name for event in events if event.WhichOneof("kind") == "name_changed"]
    tiers = [event.settings_updated.settings.service_tier for event in events
             if event.WhichOneof("kind") == "settings_updated"]
    started = [event.turn_started.turn for event in events if event.WhichOneof("kind") == "turn_started"]
    ended = [event.turn_ended.turn for event in events if event.WhichOneof("kind") == "turn_ended"]
    revisions = [event.settings_updated.revision for event in events if event.WhichOneof("kind") == "settings_updated"]
    assert all(len(set(found)) == len(found) for found in (names, tiers, started, ended))
    assert ended == started and revisions == list(range(revisions[0], revisions[0] + len(revisions))) if revisions else True


# A disk whose sync is slow


SYNCS = "fdatasync,fsync"


def strace(calls: str, fault: str) -> list[str]:
    """A fault in every call of these names, in the words of strace."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    return ["strace", "-f", "-o", os.devnull, "-e", f"trace={calls}", "-e", f"inject={calls}:{fault}"]


@contextlib.contextmanager
def every_call(server: Server, calls: str, fault: str):
    """A fault in every one of these calls of a server that runs."""
    tracer = subprocess.Popen([*strace(calls, fault), "-p", str(server.pid)], stderr=subprocess.PIPE)
    try:
        line = tracer.stderr.readline()
        if b"attached" not in line:
            pytest.skip(f"tracing is not allowed here: {line!r}")
        yield
    finally:
        tracer.terminate()
        tracer.wait(60)
        tracer.stderr.close()


def every_sync(server: Server, fault: str):
    """A fault in every fdatasync and fsync of the server."""
    return every_call(server, SYNCS, fault)


def held_sync(server: Server):
    """No sync comes to its end before the block does: strace lets go of a call that it delays when it ends."""
    return every_sync(server, f"delay_enter={int(PATIENCE_SECONDS * 1_000_000)}")


def slow_sync(server: Server):
    """Every sync takes SYNC_DELAY_SECONDS longer."""
    return every_sync(server, f"delay_enter={int(SYNC_DELAY_SECONDS * 1_000_000)}")


@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace to see what is synced")
def test_d1_d6_the_name_of_a_folder_that_the_server_makes_is_synced(tmp_path):
    """D1, D6: the folder that holds the new data folder is synced before the server is ready, or a power cut takes the
    name of the folder and with it everything that was acknowledged."""
    trace = tmp_path / "trace"
    with Server(tmp_path / "data", under=("strace", "-D", "-f", "-y", "-o", trace, "-e", "trace=mkdir,mkdirat,fsync")):
        calls = trace.read_text().splitlines()
    made = next(number for number, call in enumerate(calls) if "mkdir" in call and str(tmp_path / "data") in call)
    assert any("fsync(" in call and f"<{tmp_path}>" in call for call in calls[made:]), calls


def test_d8_a_sync_that_fails_ends_the_server_and_loses_nothing(fresh):
    """D8 fsync error: GOAWAY storage_failed, exit 75, no retry of the sync; what was acknowledged before is there, and
    the request whose outcome is unknown is found by its key (D15)."""
    key = b"key-of-the-fault"
    with fresh.connect(timeout=60) as connection:
        thread = connection.new_thread(name="before").id
        with every_sync(fresh, "error=EIO"):
            connection.open("Thread.SetName", key=key, thread=thread, name="after")
            reasons = []
            while (frame := connection.receive()) is not None:
                if frame.kind == GOAWAY:
                    reasons.append(HeddleError(frame_pb2.GoAway.FromString(frame.body).error).reason)
                assert frame.kind != RESPONSE, "acknowledged although the sync failed"
            assert reasons == ["storage_failed"] and fresh.wait(60) == 75
    fresh.start()
    with fresh.connect() as connection:
        assert connection.call("Thread.Read", thread=thread).thread.name in ("before", "after")
        connection.call("Thread.SetName", key=key, thread=thread, name="after")
        names = [event.name_changed.name for event in connection.history(thread)
                 if event.WhichOneof("kind") == "name_changed"]
        assert names == ["after"]


def test_d1_d2_no_answer_and_no_event_comes_before_the_sync(fresh):
    """D1 the reply to a mutation leaves only after fdatasync; D2 an event is sent to any subscriber only after D1."""
    with fresh.connect(timeout=60) as writing, fresh.connect(timeout=60) as reading:
        thread = writing.new_thread().id
        follower = reading.follow(thread, 0)
        follower.until(lambda message: message.WhichOneof("kind") == "live")
        with slow_sync(fresh):
            began = time.monotonic()
            stream = writing.open("Thread.SetName", thread=thread, name="slow")
            follower.until_event("name_changed", name="slow")
            seen = time.monotonic() - began
            writing.answer(stream, "Thread.SetName")
            assert min(seen, time.monotonic() - began) >= SYNC_DELAY_SECONDS


def test_d1_what_was_accepted_before_sigterm_is_answered_when_it_is_on_disk(fresh):
    """D1, SIGTERM: a change that is on its way to the disk when the server is told to end gets its own answer, and not
    shutting_down, which would have its client make it again."""
    with fresh.connect(timeout=60) as connection:
        thread = connection.new_thread().id
        with every_sync(fresh, "delay_enter=1000000"):
            stream = connection.open("Thread.SetName", thread=thread, name="accepted")
            connection.ping()  # the server has the request
            fresh.terminate()
            connection.wait_for(lambda frame: frame.kind == GOAWAY)
            assert connection.answer(stream, "Thread.SetName").sequence == 2
    assert fresh.wait(60) == 0
    fresh.start()
    with fresh.connect() as connection:
        assert connection.call("Thread.Read", thread=thread).thread.name == "accepted"


def test_s15_as_many_requests_as_hello_says_are_under_way_and_no_more(fresh):
    """S15★, protocol.md, limits: of requests that all wait for the disk exactly as many are taken as HELLO says; each
    one beyond is refused with too_many_in_flight, K, and the others are answered."""
    with fresh.connect(timeout=60) as connection:
        thread, limit = connection.new_thread().id, connection.server_hello.limits.requests_in_flight
        frames = [connection.request_frame("Thread.SetName", METHODS["Thread.SetName"].request(
            thread=thread, name=f"name {number}")) for number in range(limit + 2)]
        with held_sync(fresh):
            connection.send(b"".join(frame.encode() for frame in frames))
            ends = [connection.terminal(frame.stream) for frame in reversed(frames[limit:])]
        for end in ends:
            assert end.kind == ERROR, "one more than the limit was served"
            error = HeddleError(frame_pb2.Error.FromString(end.body))
            assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "too_many_in_flight")
            assert error.details == {"limit": str(limit)}
        sequences = [connection.answer(frame.stream, "Thread.SetName").sequence for frame in frames[:limit]]
        assert sequences == list(range(2, limit + 2))


@pytest.mark.parametrize("end,reason", [("CANCEL", "cancelled"), ("deadline", "deadline_exceeded")])
def test_r8_s15_who_is_answered_early_is_under_way_until_its_work_is_done(fresh, end, reason):
    """R8★, S15★, protocol.md: a request that is cancelled, or whose deadline passes, is answered at once and counts
    among those in flight until its work ends, or a client could have any number carried out; then its place is free."""
    fresh.environment = {"HEDDLE_LIMITS_REQUESTS_IN_FLIGHT": "3"}
    fresh.restart()
    with fresh.connect(timeout=60) as connection, fresh.connect(timeout=60) as other:
        thread, follower = other.start_followed()
        hurried = {"deadline_ms": 50} if end == "deadline" else None
        with held_sync(fresh):
            streams = [connection.open("Thread.SetName", metadata=hurried, thread=thread.id, name=f"name {number}")
                       for number in range(3)]
            if end == "CANCEL":
                connection.send(b"".join(Frame(CANCEL, stream=stream).encode() for stream in streams))
            ends = [connection.terminal(stream) for stream in streams]
            assert [HeddleError(frame_pb2.Error.FromString(frame.body)).reason for frame in ends] == [reason] * 3
            error = connection.refusal("Server.Status")
            assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "too_many_in_flight")
        follower.until_event("name_changed", name="name 2")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (frame := connection.terminal(connection.open("Server.Status"))).kind == ERROR:
            assert time.monotonic() < deadline, HeddleError(frame_pb2.Error.FromString(frame.body))
            time.sleep(0.1)  # it has its answers: nobody tells it when the work is done


def test_d1_e2_an_answer_that_changes_nothing_waits_for_its_key(fresh):
    """D1, E2: a request under a key that changes nothing is answered when its key is on disk, also when the thread does
    something else meanwhile; so the key finds the answer after a kill -9, and nothing for another request."""
    with fresh.connect(timeout=60) as connection:
        archived, other = [connection.new_thread(settings={"service_tier": "same"}).id for _ in range(2)]
        connection.call("Thread.Archive", thread=archived)
        nothing = {b"key-of-the-tiers": ("Settings.Update", {"thread": other, "change": {"service_tier": "same"}}),
                   b"key-of-archiving": ("Thread.Archive", {"thread": archived})}
        heads, answers = [connection.call("Thread.Read", thread=one).thread.sequence for one in (archived, other)], {}
        with slow_sync(fresh):
            for key, (name, fields) in nothing.items():
                began = time.monotonic()
                stream = connection.open(name, key=key, **fields)
                # Reads have nothing to write, and could take along what is in front of them. The key is looked up
                # first, so they are sent for a moment.
                while time.monotonic() < began + SYNC_DELAY_SECONDS / 2:
                    connection.open("Thread.Read", thread=fields["thread"])
                    time.sleep(0.01)
                answers[key] = connection.answer(stream, name)
                took = time.monotonic() - began
                assert took >= SYNC_DELAY_SECONDS, f"{name} was answered after {took:.3f} s, before any sync"
        assert [connection.call("Thread.Read", thread=one).thread.sequence for one in (archived, other)] == heads
    fresh.restart()
    with fresh.connect() as connection:
        for key, (name, fields) in nothing.items():
            again = connection.call(name, key=key, **fields)
            assert again.replayed and again.sequence == answers[key].sequence
            error = connection.refusal("Thread.Unarchive", key=key, thread=fields["thread"])
            assert error.reason == "idempotency_mismatch"


def is_enabled(connection, name: str) -> bool:
    return {feature.name: feature.enabled for feature in connection.call("Catalog.ListFeatures").features}[name]


def test_d1_d2_v5_a_feature_is_seen_after_its_sync(fresh):
    """D1, D2, V5: nobody sees a feature as switched before the switch is on disk."""
    with fresh.connect(timeout=60) as switching, fresh.connect(timeout=60) as reading:
        assert not is_enabled(reading, "multi_agent_v2")
        with slow_sync(fresh):
            began = time.monotonic()
            stream = switching.open("Catalog.SetFeature", name="multi_agent_v2", enabled=True)
            while not is_enabled(reading, "multi_agent_v2"):
                assert time.monotonic() < began + PATIENCE_SECONDS
                time.sleep(0.01)  # no event tells of a feature
            seen = time.monotonic() - began
            assert seen >= SYNC_DELAY_SECONDS, f"seen after {seen:.3f} s, before any sync"
            assert switching.answer(stream, "Catalog.SetFeature").feature.enabled
    fresh.restart()
    with fresh.connect() as connection:
        assert is_enabled(connection, "multi_agent_v2")


def test_d9_v5_a_feature_that_was_refused_is_not_switched(filling):
    """D9, V5: a switch that finds the disk full is refused with disk_full and takes no effect: not now, not when there
    is space again, not after a restart. Then it is taken."""
    with filling.connect(timeout=60) as connection:
        with filling.full():
            error = connection.refusal("Catalog.SetFeature", name="multi_agent_v2", enabled=True)
            assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "disk_full")
            assert not is_enabled(connection, "multi_agent_v2")
        until_there_is_space(connection)
        assert not is_enabled(connection, "multi_agent_v2")
    filling.restart()
    with filling.connect() as connection:
        assert not is_enabled(connection, "multi_agent_v2")
        connection.call("Catalog.SetFeature", name="multi_agent_v2", enabled=True)
        assert is_enabled(connection, "multi_agent_v2")


@pytest.fixture
def filling(tmp_path):
    """A server of its own for one test, whose disk may be full for a while."""
    with FillingServer(tmp_path / "data") as running:
        yield running


def until_there_is_space(connection):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while connection.call("Server.Status").serving != SERVING:
        assert time.monotonic() < deadline, "space is back, changes are not"
        time.sleep(0.05)  # it is looked for once a second, and nobody is told


def test_d9_who_follows_is_told_on_when_the_disk_has_room_again(filling):
    """D9, E1: what a full disk refused never happened, and who was live before hears of what happens after: the thread
    is read anew, and its followers with it."""
    with filling.connect(timeout=60) as writing, filling.connect(timeout=60) as reading:
        thread = writing.new_thread().id
        follower = reading.follow(thread, 0)
        follower.until(lambda message: message.WhichOneof("kind") == "live")
        with filling.full():
            assert writing.refusal("Thread.SetName", thread=thread, name="refused").reason == "disk_full"
        until_there_is_space(writing)
        sequence = writing.call("Thread.SetName", thread=thread, name="after").sequence
        assert follower.until_event("name_changed").name_changed.name == "after"
        assert follower.last == sequence


def on_disk(server: Server, query: str, *values) -> list[tuple]:
    """Rows of the database, read without the server."""
    with contextlib.closing(sqlite3.connect(f"file:{server.data / 'heddle.db'}?mode=ro", uri=True)) as database:
        return database.execute(query, values).fetchall()


def active(server: Server) -> list[bytes]:
    """Threads that are marked on disk as at work: the next start ends their turns. Asking the server takes longer."""
    return [row[0] for row in on_disk(server, "SELECT id FROM threads WHERE active = 1 ORDER BY id")]


def test_d9_t6_a_thread_whose_deletion_was_refused_is_looked_after_again(filling):
    """D9, T6: a deletion that finds the disk full is refused, and the thread is still there: its turn is ended as on
    any full disk, without anybody asking for the thread, once; and it can be resumed."""
    with filling.connect(timeout=60) as connection:
        thread = connection.new_thread().id
        turn = connection.start_turn(thread, "!stall").turn
        assert active(filling) == [thread]
        with filling.full():
            error = connection.refusal("Thread.Delete", thread=thread)
            assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "disk_full")
        deadline = time.monotonic() + PATIENCE_SECONDS
        while connection.call("Server.Status").serving != SERVING or active(filling):
            assert time.monotonic() < deadline, "space is back, and nobody ends the turn"
            time.sleep(0.05)  # nobody is told, and who asks for the thread would have it ended
        resumed = connection.call("Thread.Resume", thread=thread, subscribe=False).thread
        assert resumed.id == thread and not resumed.HasField("running_turn")
        ends = [event.turn_ended for event in connection.history(thread) if event.WhichOneof("kind") == "turn_ended"]
        assert [(end.turn, turn_status(end.status)) for end in ends] == [(turn, "INTERRUPTED")]


def follow_all(connection) -> int:
    """The stream on which a connection hears of all threads."""
    stream = connection.open("Thread.Subscribe")
    connection.answer(stream, "Thread.Subscribe")
    return stream


def kinds_until(connection, stream: int, last: str) -> list[str]:
    """The kinds of what a stream tells, up to the first of this kind."""
    kinds = []
    while last not in kinds:
        frame = connection.wait_for(lambda frame: (frame.kind, frame.stream) == (EVENT, stream))
        kinds.append(event_pb2.SubscriptionEvent.FromString(frame.body).WhichOneof("kind"))
    return kinds


def test_d2_d9_t6_a_deletion_that_was_refused_is_told_to_nobody(filling):
    """D2, D9, T6: who follows a thread whose deletion a full disk refuses is not told that it is gone, but how its turn
    ends and what comes after; nor is who follows all threads."""
    with filling.connect(timeout=60) as connection, filling.connect(timeout=60) as listening:
        thread, follower = connection.start_followed()
        turn = connection.start_turn(thread.id, "!stall").turn
        follower.until_event("turn_started", turn=turn)
        everything = follow_all(listening)
        with filling.full():
            assert connection.refusal("Thread.Delete", thread=thread.id).reason == "disk_full"
        assert turn_status(follower.until_ended(turn).status) == "INTERRUPTED"
        until_there_is_space(connection)
        connection.call("Thread.SetName", thread=thread.id, name="still here")
        follower.until_event("name_changed", name="still here")
        assert "thread_deleted" not in kinds_until(listening, everything, "thread_name")


def test_d2_t6_nobody_hears_of_a_deletion_before_it_is_on_disk(fresh):
    """D2, T6: that a thread is gone is told when its deletion is on disk, or a kill -9 brings back what was said to be
    gone: to who follows it, to who follows all, and to who asks for it meanwhile."""
    with fresh.connect(timeout=60) as deleting, fresh.connect(timeout=60) as reading, \
            fresh.connect(timeout=60) as listening, ThreadPoolExecutor() as pool:
        thread = deleting.new_thread().id
        follower = reading.follow(thread, 0)
        follower.until(lambda message: message.WhichOneof("kind") == "live")
        everything = follow_all(listening)

        def seconds_until_the_end() -> float:
            with pytest.raises(HeddleError, match="NOT_FOUND thread "):
                follower.until(lambda _: False)
            return time.monotonic() - began

        def seconds_until_the_notice() -> float:
            kinds_until(listening, everything, "thread_deleted")
            return time.monotonic() - began

        with slow_sync(fresh):
            began = time.monotonic()
            deletion = deleting.open("Thread.Delete", thread=thread)
            told = [pool.submit(wait) for wait in (seconds_until_the_end, seconds_until_the_notice)]
            while thread in deleting.call("Thread.ListLoaded").threads:
                assert time.monotonic() < began + PATIENCE_SECONDS
                time.sleep(0.01)  # nobody is told that it is being deleted
            assert deleting.refusal("Thread.SetName", thread=thread, name="too late").reason == "thread"
            seconds = [time.monotonic() - began, *(one.result() for one in told)]
            assert deleting.answer(deletion, "Thread.Delete").deleted == 1
        assert min(seconds) >= SYNC_DELAY_SECONDS, f"refused, ended, announced after {seconds} s, before any sync"


def test_d2_t6_what_was_asked_in_front_of_a_deletion_is_answered_when_that_is_on_disk(fresh):
    """D2, T6: a request that waits for its sync when its thread is deleted is not told that the thread is gone before
    it is."""
    with fresh.connect(timeout=60) as renaming, fresh.connect(timeout=60) as deleting:
        thread = renaming.new_thread().id
        with slow_sync(fresh):
            began = time.monotonic()
            stream = renaming.open("Thread.SetName", thread=thread, name="in front")
            renaming.ping()
            deletion = deleting.open("Thread.Delete", thread=thread)
            renaming.terminal(stream)
            seconds = time.monotonic() - began
            assert deleting.answer(deletion, "Thread.Delete").deleted == 1
        assert seconds >= SYNC_DELAY_SECONDS, f"answered after {seconds} s, before any sync"


def test_a_thread_that_goes_on_for_long_is_loaded_from_a_snapshot_near_its_end(fresh):
    """ARCHITECTURE.md, snapshots: one is stored every 64 events, so that loading a thread that was never unloaded, as
    behind a kill -9, reads no more than about as many."""
    with fresh.connect(timeout=60) as connection:
        thread = connection.new_thread().id
        for number in range(200):
            head = connection.call("Thread.SetName", thread=thread, name=f"name {number}").sequence
        assert head > 200
        [[newest]] = on_disk(fresh, "SELECT seq FROM snapshots WHERE thread = ?", thread)
        assert head - 64 <= newest <= head
    fresh.restart()
    with fresh.connect() as connection:
        assert connection.call("Thread.Resume", thread=thread, subscribe=False).thread.name == "name 199"


def test_a_thread_is_loaded_from_a_snapshot_near_its_end_however_often_the_server_dies(fresh):
    """ARCHITECTURE.md, snapshots: one is stored every 64 events, also of a thread that gets fewer between one kill -9
    and the next, or it takes longer and longer to be loaded."""
    with fresh.connect() as connection:
        thread = connection.new_thread().id
    for _ in range(3):
        with fresh.connect() as connection:
            for number in range(60):
                head = connection.call("Thread.SetName", thread=thread, name=f"name {number}").sequence
        fresh.restart()
    assert head > 180
    [[newest]] = on_disk(fresh, "SELECT seq FROM snapshots WHERE thread = ?", thread)
    assert head - 64 <= newest <= head


def test_t5_a_thread_that_is_unloaded_leaves_a_snapshot_of_its_end(tmp_path):
    """T5, ARCHITECTURE.md, snapshots: one is stored when a thread is unloaded, so that loading it again reads no event;
    also of one that has fewer new events than would be reason for one."""
    soon = {"HEDDLE_LIMITS_UNLOAD_MILLISECONDS": "100"}
    with Server(tmp_path / "data", environment=soon) as server, server.connect() as connection:
        thread = connection.new_thread().id
        for number in range(3):
            head = connection.call("Thread.SetName", thread=thread, name=f"name {number}").sequence
        deadline = time.monotonic() + PATIENCE_SECONDS
        while on_disk(server, "SELECT seq FROM snapshots WHERE thread = ?", thread) != [(head,)]:
            assert time.monotonic() < deadline, "it is unloaded without a snapshot, or not at all"
            time.sleep(0.05)  # nobody is told
        assert connection.call("Thread.Resume", thread=thread, subscribe=False).thread.name == "name 2"


def test_d5_u4_a_server_is_ready_when_every_turn_of_the_last_one_has_ended(tmp_path):
    """D5, U4: the ready line comes when all turns that a kill -9 cut off are ended on disk, however slow the disk: then
    no thread is marked there as one that works."""
    with Server(tmp_path / "data") as server, server.connect() as connection:
        settings = {name: "x" * CUT_OFF_TEXT for name in ("base_instructions", "developer_instructions")}
        threads = [connection.new_thread(settings=settings).id for _ in range(CUT_OFF)]
        for thread in threads:
            connection.start_turn(thread, "!stall")
        assert active(server) == sorted(threads)
    # -D: the server is our child, not strace. --seccomp-bpf: other calls than syncs are not slower.
    slow = ("strace", "-D", "--seccomp-bpf", *strace(SYNCS, "delay_enter=100000")[1:])
    if subprocess.run([*slow, "true"], capture_output=True).returncode:
        pytest.skip("tracing is not allowed here")
    with Server(tmp_path / "data", under=slow) as server:
        assert active(server) == [], "ready before their turns were ended"


def test_d2_t1_nobody_hears_of_a_thread_that_a_crash_may_take_back(fresh):
    """D2, T1: ThreadStarted comes when the thread is on disk, so that the thread that was announced can be read."""
    with fresh.connect(timeout=60) as starting, fresh.connect(timeout=60) as listening:
        with slow_sync(fresh):
            began = time.monotonic()
            stream = starting.open("Thread.Start", subscribe=False)
            frame = listening.wait_for(lambda frame: (frame.kind, frame.stream) == (EVENT, 0))
            heard = time.monotonic() - began
            starting.answer(stream, "Thread.Start")
        notice = event_pb2.SubscriptionEvent.FromString(frame.body).thread_started
        assert listening.call("Thread.Read", thread=notice.thread).thread.id == notice.thread
        assert heard >= SYNC_DELAY_SECONDS, f"announced {heard:.3f} s after the request, before any sync"


def test_d2_t1_a_thread_is_among_the_loaded_ones_when_it_is_on_disk(fresh):
    """D2, T1: a list of what is loaded names no thread that a crash may take back."""
    with fresh.connect(timeout=60) as starting, fresh.connect(timeout=60) as reading:
        with slow_sync(fresh):
            began = time.monotonic()
            stream = starting.open("Thread.Start", subscribe=False)
            while not (loaded := reading.call("Thread.ListLoaded").threads):
                assert time.monotonic() < began + PATIENCE_SECONDS
                time.sleep(0.01)  # what comes too early is told by nothing else
            seen = time.monotonic() - began
            assert [starting.answer(stream, "Thread.Start").thread.id] == list(loaded)
        assert seen >= SYNC_DELAY_SECONDS, f"listed {seen:.3f} s after the request, before any sync"


def test_d1_the_model_is_asked_after_the_turn_is_on_disk(fresh):
    """V7, D1: no streamed text of a turn comes before the events that began it are synced."""
    with fresh.connect(timeout=60) as connection:
        thread, follower = connection.start_followed()
        with slow_sync(fresh):
            began = time.monotonic()
            turn = connection.start_turn(thread.id, "hello").turn
            assert time.monotonic() - began >= SYNC_DELAY_SECONDS
            assert turn_status(follower.until_ended(turn, timeout=60).status) == "COMPLETED"
        kinds = [message.event.WhichOneof("kind") or message.WhichOneof("kind") for message in follower.messages]
        assert kinds.index("turn_started") < kinds.index("delta")


def test_a_deadline_is_kept_by_the_answer_and_not_by_the_work(fresh):
    """protocol.md, Metadata: at its deadline a request is answered `deadline_exceeded`, once; the work still happens, its
    event comes, and its key finds the result. One that has time is served."""
    key = b"key-of-deadlines"
    with fresh.connect(timeout=60) as connection:
        thread, follower = connection.start_followed()
        with held_sync(fresh):
            began = time.monotonic()
            hurried = connection.open("Thread.SetName", key=key, metadata={"deadline_ms": 50}, thread=thread.id, name="a")
            end = connection.terminal(hurried)
            took = time.monotonic() - began
            assert end.kind == ERROR and end.flags & END_OF_STREAM
            error = HeddleError(frame_pb2.Error.FromString(end.body))
            assert (error.code, error.reason) == ("DEADLINE_EXCEEDED", "deadline_exceeded")
            assert took >= 0.05, f"told after {took:.3f} s"
        follower.until_event("name_changed", name="a")
        with slow_sync(fresh):
            patient = {"deadline_ms": 60_000}
            assert connection.call("Thread.SetName", metadata=patient, thread=thread.id, name="b").sequence
            again = connection.call("Thread.SetName", key=key, thread=thread.id, name="a")
        assert again.replayed and again.sequence == thread.sequence + 1
        assert not [frame for frame in connection.inbox if frame.stream == hurried], "a second end"


def test_sigterm_does_not_wait_for_who_has_gone(tmp_path):
    """SIGTERM: what a connection asked that is no more holds nothing up: the drain has two minutes and takes none."""
    with Server(tmp_path / "data", environment={"HEDDLE_LIMITS_DRAIN_MILLISECONDS": "120000"}) as server:
        with server.connect(timeout=60) as connection:
            thread = connection.new_thread().id
            with slow_sync(server):
                leaving = server.connect()
                leaving.open("Thread.SetName", thread=thread, name="of one who leaves")
                leaving.ping()  # the server has it, and its answer waits for the sync
                leaving.reset()
                connection.call("Thread.SetName", thread=thread, name="of one who stays")
        server.terminate()
        assert server.wait(30) == 0


@pytest.mark.parametrize("end", ["CANCEL", "reset"])
def test_t5_who_leaves_while_a_thread_begins_does_not_keep_it_loaded(tmp_path, end):
    """T5: whose Start is cancelled, or whose connection ends, before the answer follows nothing, and the thread is
    unloaded when its time is over; its start is carried out all the same."""
    quick = {"HEDDLE_LIMITS_UNLOAD_MILLISECONDS": "300"}
    with Server(tmp_path / "data", environment=quick) as server, server.connect(timeout=60) as staying, \
            server.connect(timeout=60) as leaving:
        with slow_sync(server):
            stream = leaving.open("Thread.Start")
            leaving.ping()  # the server has it, and its answer waits for the sync
            if end == "reset":
                leaving.reset()
            else:
                leaving.send_frame(Frame(CANCEL, stream=stream))
                assert leaving.terminal(stream).kind == ERROR
            deadline = time.monotonic() + PATIENCE_SECONDS
            while not staying.call("Thread.List").threads:
                assert time.monotonic() < deadline, "the thread is not there"
                time.sleep(0.01)  # who began it is not told
        while loaded := staying.call("Server.Status").loaded_threads:
            assert time.monotonic() < deadline, f"{loaded} loaded, and nobody follows"
            time.sleep(0.05)  # who follows nothing is not told


def test_d7_a_turn_whose_history_is_damaged_fails_at_once(tmp_path):
    """D7: a thread is loaded from its snapshot, so that bits which turned in an old item are found by a turn that reads
    what its model is to be given: it ends and says so. It does not wait for a model that nobody asked, and what does
    not need the item goes on."""
    patient = {"HEDDLE_LIMITS_MODEL_IDLE_MILLISECONDS": "600000"}
    with Server(tmp_path / "data", environment=patient) as server, server.connect() as connection:
        thread, follower = connection.start_followed()
        follower.run("one", thread=thread.id)
        for number in range(100):
            connection.call("Thread.SetName", thread=thread.id, name=f"name {number}")
        server.terminate()
        assert server.wait() == 0
    with contextlib.closing(sqlite3.connect(server.data / "heddle.db")) as database, database:
        items = database.execute("SELECT seq, payload FROM events WHERE thread = ? AND kind = ?",
                                 (thread.id, event_pb2.Event.ITEM_COMPLETED_FIELD_NUMBER)).fetchall()
        assert items
        database.executemany("UPDATE events SET payload = ? WHERE thread = ? AND seq = ?", [
            (bytes(byte ^ 0x55 for byte in payload), thread.id, sequence) for sequence, payload in items])
    seal(server.data / "heddle.db")
    with Server(tmp_path / "data", environment=patient) as server, server.connect() as connection:
        _, follower = connection.resume_followed(thread.id)
        for _ in range(2):
            turn = connection.start_turn(thread.id, "two").turn
            ended = follower.until_ended(turn)
            assert (turn_status(ended.status), ended.error.reason) == ("FAILED", "data_loss")
        assert connection.call("Thread.SetName", thread=thread.id, name="still there").sequence


def test_d11_four_requests_that_wait_for_the_disk_are_all_that_a_connection_begins(tmp_path):
    """D11, configuration.md, `waitingWriteBytes`: each change that waits for the disk counts with 4 KiB, however small.
    When more waits than may, no connection begins a fifth: not even a PING behind four is answered before one of them.
    (A disk that is quick shows nothing of this, and fails nothing.)"""
    little = {"HEDDLE_LIMITS_WAITING_WRITE_BYTES": "12000", "HEDDLE_LOOPS": "1"}
    with Server(tmp_path / "data", environment=little) as server, server.connect(timeout=60) as busy, \
            server.connect(timeout=60) as other:
        thread = busy.new_thread().id
        names = [METHODS["Thread.SetName"].request(thread=thread, name=f"name {number}") for number in range(4)]
        frames = [busy.request_frame("Thread.SetName", name) for name in names]
        with every_sync(server, "delay_enter=1500000"):
            busy.send(b"".join(frame.encode() for frame in frames))
            for _ in range(2):
                other.ping()  # the second one comes when the names are on their way to the disk
            busy.send_message(PING, frame_pb2.Ping(opaque=b"fifth"))
            kinds = []
            while PONG not in kinds:
                kinds.append(busy.receive().kind)
        assert kinds[0] == RESPONSE, "a fifth was begun"


def test_d7_a_page_that_is_wrong_is_logged_once_with_its_number(fresh):
    """D7: what is whole in a page with a wrong checksum is served, so nothing but the log tells the operator: once,
    however often the page is met; the next start finds it again."""
    with fresh.connect() as connection:
        thread, follower = connection.start_followed()
        turn = follower.run("hello", thread=thread.id)
    fresh.terminate()
    assert fresh.wait() == 0
    path = fresh.data / "heddle.db"
    [[page]] = on_disk(fresh, "SELECT rootpage FROM sqlite_master WHERE name = 'turns'")
    raw = bytearray(path.read_bytes())
    raw[page * page_size(raw) - 1] ^= 1  # of the checksum itself
    path.write_bytes(raw)
    for starts in (1, 2):
        fresh.start()
        with fresh.connect() as connection:
            for _ in range(3):
                assert [one.id for one in connection.call("Thread.ListTurns", thread=thread.id).turns] == [turn]
        told = [line for line in fresh.log_text().splitlines() if "a page of the database is damaged" in line]
        assert len(told) == starts and all(re.search(rf"\bpage\W+{page}\b", line) for line in told), told
        fresh.kill()
