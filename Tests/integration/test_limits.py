"""protocol.md, limits, seen from the receiving side: no frame is larger than the limit that the server's HELLO tells
("messages larger than a frame do not exist: long answers are streamed in pages"), and no reader costs memory.

The client helper asserts the size of every frame that any test receives; here are the answers that could exceed it.
"""

import contextlib
import json
import socket
import time
import uuid

import pytest

from harness.connection import PATIENCE_SECONDS, SLOWNESS
from harness.messages import METHODS, event_pb2, frame_pb2, turn_status
from harness.protobuf import padded
from harness.server import LOADING_SECONDS, Server
from harness.wire import ERROR, EVENT, FRAME_BYTES, GOAWAY, PING, PONG, Frame, HeddleError

LONG_TEXT = 256 * 1024
INPUT_MAXIMUM = 1 << 20


def walk(connection, name: str, rows: str, **fields) -> list:
    """All rows, in pages as large as can be asked for."""
    found, cursor = [], ""
    for _ in range(100):
        answer = connection.call(name, page_size=200, cursor=cursor, timeout=60, **fields)
        found += getattr(answer, rows)
        cursor = answer.next_cursor
        if not cursor:
            return found
    raise AssertionError("a list without an end")


def test_a_page_of_large_items_is_cut_by_bytes(fresh):
    """Limits: 6 items of 1.5 MiB on one page would be 9 MiB: each comes once, in frames within the limit."""
    with fresh.connect(timeout=60) as connection:
        thread, follower = connection.start_followed()
        for _ in range(6):
            follower.run("!flood 1500000\nx", thread=thread.id, timeout=60)
        items = walk(connection, "Thread.ListItems", "items", thread=thread.id)
        assert [row.sequence for row in items] == [event.sequence for event in follower.of_kind("item_completed")]


def test_a_page_of_turns_with_large_settings_is_cut_by_bytes(fresh):
    """Limits: each turn's context holds the instructions it ran with."""
    with fresh.connect(timeout=60) as connection:
        settings = {"base_instructions": "b" * LONG_TEXT, "developer_instructions": "d" * LONG_TEXT}
        thread, follower = connection.start_followed(settings=settings)
        turns = [follower.run("x", thread=thread.id) for _ in range(12)]
        assert [turn.id for turn in walk(connection, "Thread.ListTurns", "turns", thread=thread.id)] == turns[::-1]


def test_a_page_of_threads_with_large_settings_is_cut_by_bytes(fresh):
    """Limits: each listed thread holds its settings."""
    with fresh.connect(timeout=60) as connection:
        settings = {"base_instructions": "b" * LONG_TEXT, "developer_instructions": "d" * LONG_TEXT}
        threads = [connection.new_thread(settings=settings).id for _ in range(12)]
        assert [thread.id for thread in walk(connection, "Thread.List", "threads")] == threads[::-1]


def test_a_queue_of_large_inputs_can_be_listed(fresh):
    """Limits: 16 turns of 1 MiB may wait; what waits can be read, or is refused before it waits."""
    with fresh.connect(timeout=60) as connection:
        thread = connection.new_thread().id
        running = connection.start_turn(thread, "!stall\nx").turn
        waiting = []
        for _ in range(16):
            stream = connection.open("Turn.Start", thread=thread, input={"content": [{"text": "x" * INPUT_MAXIMUM}]})
            try:
                waiting.append(connection.answer(stream, "Turn.Start").turn)
            except Exception as refusal:
                assert getattr(refusal, "reason", None) == "queue_full", refusal
                break
        queue = connection.call("Turn.ListQueue", thread=thread, timeout=60)
        assert queue.running == running and [turn.id for turn in queue.turns] == waiting and waiting


@pytest.mark.parametrize("size", [FRAME_BYTES - 4096, FRAME_BYTES])
def test_the_largest_item_of_a_model_fits_into_a_frame(fresh, size):
    """Limits: an item that is accepted can be sent as an event and listed; a larger one ends its turn as too large."""
    with fresh.connect(timeout=60) as connection:
        thread, follower = connection.start_followed()
        turn = connection.start_turn(thread.id, f"!flood {size}\nx").turn
        ended = follower.until_ended(turn, timeout=60)
        assert turn_status(ended.status) == "COMPLETED" or ended.error.reason == "model_output_too_large"
        walk(connection, "Thread.ListItems", "items", thread=thread.id)


def test_r5_who_asks_for_much_at_once_is_answered_as_it_reads(fresh):
    """R5★: 9 KiB of requests that wait behind one that looks at the disk, so that all their answers of 2 MiB come due at
    once: they go out as the peer takes them, and each comes."""
    with fresh.connect(timeout=60) as working, fresh.connect(timeout=60) as greedy:
        thread = working.new_thread().id
        working.start_turn(thread, "!stall\nx")
        waiting = [working.start_turn(thread, "x" * 1_000_000).turn for _ in range(2)]
        quiet = fresh.resident_bytes()
        interrupt = METHODS["Turn.Interrupt"].request(thread=thread, turn=b"no turn has this")
        request = METHODS["Turn.ListQueue"].request(thread=thread)
        frames = [greedy.request_frame("Turn.Interrupt", interrupt)]
        frames += [greedy.request_frame("Turn.ListQueue", request) for _ in range(150)]
        greedy.send(b"".join(frame.encode() for frame in frames))
        most, deadline = 0, time.monotonic() + 3
        while time.monotonic() < deadline:
            most = max(most, fresh.resident_bytes() - quiet)
            time.sleep(0.05)  # memory tells nobody when it grows
        assert most <= 64 << 20, f"memory grew by {most >> 20} MiB"
        assert greedy.terminal(frames[0].stream).kind == ERROR
        for frame in frames[1:]:
            queue = greedy.answer(frame.stream, "Turn.ListQueue")
            assert [turn.id for turn in queue.turns] == waiting


def test_r17_a_connection_that_is_reset_leaves_none_of_its_requests(fresh):
    """R17★, "memory back": pages that waited for their turn when an RST came are not kept, nor is what they were asked
    with."""
    with fresh.connect(timeout=60) as working:
        thread, follower = working.start_followed()
        follower.run("!flood 3900000\nx", thread=thread.id, timeout=60)
        quiet = fresh.resident_bytes()
        large = METHODS["Thread.ListItems"].request(thread=thread.id)
        filtered = METHODS["Thread.List"].request(working_folder="/".ljust(4_000, "f"))
        for _ in range(150):
            leaving = fresh.connect(timeout=60)
            frames = [leaving.request_frame("Thread.ListItems", large) for _ in range(20)]
            frames += [leaving.request_frame("Thread.List", filtered) for _ in range(230)]
            frames.append(Frame(PING, payload=frame_pb2.Ping(opaque=b"all").SerializeToString()))
            leaving.send(b"".join(frame.encode() for frame in frames))
            leaving.wait_for(lambda frame: frame.kind == PONG)  # the server has them all
            leaving.reset()
        deadline = time.monotonic() + 60
        while (grown := fresh.resident_bytes() - quiet) > 64 << 20:
            assert time.monotonic() < deadline, f"memory grew by {grown >> 20} MiB"
            time.sleep(0.05)  # nobody is told when memory comes back


def take_little(connection, seconds: float):
    """A few KiB now and then, and a PING before the server's patience is over: alive, and slow."""
    ping = Frame(PING, payload=frame_pb2.Ping(opaque=b"here").SerializeToString())
    for _ in range(4):
        connection.send_frame(ping)
        until = time.monotonic() + seconds / 4
        while time.monotonic() < until:
            connection.buffer += connection.socket.recv(4_096)
            time.sleep(0.2)  # the slow reader is what the row is about


def test_r6_a_slow_reader_that_speaks_is_not_idle(fresh):
    """R6★ reads 1 kB/s → stays connected, no gap. The server does not read from it meanwhile, so what it says is not
    heard: that is no silence of the client's."""
    with fresh.connect(timeout=60) as working:
        thread, follower = working.start_followed()
        for _ in range(12):
            follower.run("!flood 1000000\nx", thread=thread.id, timeout=60)
    fresh.environment = {"HEDDLE_LIMITS_IDLE_MILLISECONDS": str(int(2_000 * SLOWNESS))}
    fresh.restart()
    with fresh.connect(timeout=60) as slow_reader:
        slow_reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
        late = slow_reader.follow(thread.id, 0)
        take_little(slow_reader, 5)
        late.until(lambda message: message.WhichOneof("kind") == "live", timeout=60)
        assert late.last >= follower.last


def test_r6_frames_that_wait_for_a_slow_reader_are_not_late(tmp_path):
    """R6★, F6★: `frameMilliseconds` counts from a frame's first byte to its last; those that are complete and wait, in the
    server, until their sender takes the answers to others, have all the time that it takes."""
    catalog = tmp_path / "catalog.json"
    catalog.write_text(json.dumps({"models": [
        {"id": f"{number}-{'m' * 200}", "provider": "scripted", "version": "V1"} for number in range(400)]}))
    few = {"HEDDLE_LIMITS_FRAME_MILLISECONDS": "500"}
    with Server(tmp_path / "data", "--catalog", catalog, environment=few) as server, \
            server.connect(timeout=60) as slow_reader:
        slow_reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
        request = METHODS["Catalog.ListModels"].request()
        frames = [slow_reader.request_frame("Catalog.ListModels", request) for _ in range(250)]
        slow_reader.send(b"".join(frame.encode() for frame in frames))
        take_little(slow_reader, 3)
        for frame in frames:
            assert len(slow_reader.answer(frame.stream, "Catalog.ListModels").models) == 400


def until_cut_off(server: Server, before: int):
    """Waits until the server has ended a slow consumer more than `before` times, and reads nothing meanwhile."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while server.log_text().count("slow_consumer") == before:
        assert time.monotonic() < deadline, "nobody is cut off"
        time.sleep(0.01)  # nothing but its log tells, and half a second later the GOAWAY is gone


def stalled(server: Server, ahead: list, behind) -> tuple:
    """Follows some from their heads and another from its beginning, reads nothing until it is cut off, and then what is
    still there: the GOAWAY, or None, and the last event of the one behind."""
    before = server.log_text().count("slow_consumer")
    with server.connect(timeout=60) as stuck:
        stuck.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
        for thread in ahead:
            stuck.follow(thread.id, thread.sequence)
        stream, last = stuck.open("Thread.Subscribe", thread=behind.id, after=0), 0
        until_cut_off(server, before)
        while (frame := stuck.receive()) is not None:
            if frame.kind == GOAWAY:
                return HeddleError(frame_pb2.GoAway.FromString(frame.body).error), last
            if frame.kind == EVENT and frame.stream == stream:
                last = event_pb2.SubscriptionEvent.FromString(frame.body).event.sequence
        return None, last


def test_r4_e3_a_slow_consumer_is_told_where_to_go_on(fresh):
    """R4★, E3, protocol.md: of several subscriptions `slow_consumer` names the one that is behind, neither one of a higher
    nor one of a lower number that has everything, and `last_seq` is its last event before the GOAWAY: a client that
    continues from there misses nothing. The GOAWAY waits behind output that the client did not take and may be cut off
    with it; then it is tried again."""
    with fresh.connect(timeout=60) as working:
        source = working.new_thread().id
        for number in range(40):
            text = f"{number} ".ljust(LONG_TEXT, "x")
            working.call("Settings.Update", thread=source, change={"developer_instructions": text})
        # Two threads with the same long log.
        ahead = [working.call("Thread.Fork", thread=source, subscribe=False).thread, working.new_thread()]
        behind = working.call("Thread.Read", thread=source).thread
    fresh.environment = {"HEDDLE_LIMITS_SLOW_CONSUMER_MILLISECONDS": "300", "HEDDLE_LIMITS_OUTGOING_BYTES": "65536",
                         "HEDDLE_LOG_LEVEL": "debug"}
    fresh.restart()
    for _ in range(10):
        error, last = stalled(fresh, ahead, behind)
        if error is not None:
            break
    assert error is not None, "ten times cut off without a word"
    assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "slow_consumer")
    assert 0 < last < behind.sequence, "it was not behind"
    named = (uuid.UUID(error.details["thread"]).bytes, int(error.details["last_seq"]))
    assert named == (behind.id, last), f"{error} when {last} was the last"
    fresh.environment = None
    fresh.restart()
    with fresh.connect(timeout=60) as back:
        rest = back.follow(behind.id, last)
        rest.until(lambda message: message.WhichOneof("kind") == "live")
        assert rest.last == behind.sequence


def test_r19_threads_that_have_been_idle_longest_make_room(tmp_path):
    """attacks.md R19, T5: beyond `loadedThreads` the thread that nobody has used longest is unloaded at once; those that
    are followed or at work stay, and nothing is lost."""
    few = {"HEDDLE_LIMITS_LOADED_THREADS": "6", "HEDDLE_LOOPS": "1"}
    with Server(tmp_path / "data", environment=few) as server, server.connect(timeout=60) as connection:
        followed, follower = connection.start_followed()
        running = connection.new_thread().id
        turn = connection.start_turn(running, "!stall").turn
        threads = [connection.new_thread().id for _ in range(40)]
        assert connection.call("Server.Status").loaded_threads == 6
        ids = connection.call("Thread.ListLoaded", page_size=100)
        assert set(ids.threads) == {followed.id, running, *threads[-4:]}
        # Used again, the oldest of them outlives the others. Use is told by the millisecond.
        time.sleep(0.005)
        connection.call("Settings.Update", thread=threads[-4], change={"reasoning_effort": "low"})
        threads += [connection.new_thread().id for _ in range(3)]
        ids = connection.call("Thread.ListLoaded", page_size=100)
        assert set(ids.threads) == {followed.id, running, threads[-7], *threads[-3:]}
        follower.run("still here", thread=followed.id)
        connection.call("Turn.Interrupt", thread=running, turn=turn)
        follower = connection.follow(threads[0], 0)
        follower.run("back again", thread=threads[0])
        assert connection.call("Server.Status").loaded_threads == 6


def test_r19_t3_a_thread_stays_while_a_fork_looks_for_its_last_turn(tmp_path):
    """attacks.md R19, T3: a thread that comes meanwhile does not push out the one that is just being forked, or the
    fork is refused as if there were no such thread."""
    few = {"HEDDLE_LIMITS_LOADED_THREADS": "1", "HEDDLE_LOOPS": "1"}
    with Server(tmp_path / "data", environment=few) as server, server.connect(timeout=60) as connection:
        thread, follower = connection.start_followed()
        turn = follower.run("hello", thread=thread.id)
        connection.call("Thread.Unsubscribe", thread=thread.id)
        requests = {"Thread.Fork": {"thread": thread.id, "last_turn": turn}, "Thread.Start": {}}
        frames = {name: connection.request_frame(name, METHODS[name].request(subscribe=False, **fields))
                  for name, fields in requests.items()}
        # In one segment: the start is looked at while the fork reads.
        connection.send(b"".join(frame.encode() for frame in frames.values()))
        made = {name: connection.answer(frame.stream, name).thread for name, frame in frames.items()}
        assert (made["Thread.Fork"].turn_count, made["Thread.Start"].turn_count) == (1, 0)


def test_r19_more_may_be_loaded_when_all_of_them_are_needed(tmp_path):
    """attacks.md R19: the limit unloads who is idle; it refuses nobody."""
    few = {"HEDDLE_LIMITS_LOADED_THREADS": "2", "HEDDLE_LOOPS": "1"}
    with Server(tmp_path / "data", environment=few) as server, server.connect(timeout=60) as connection:
        pairs = [connection.start_followed() for _ in range(30)]
        assert connection.call("Server.Status").loaded_threads == 30
        for thread, follower in pairs:
            follower.run("!say mine", thread=thread.id)
            connection.call("Thread.Unsubscribe", thread=thread.id)
        # Each thread that comes looks at a few others.
        for _ in range(8):
            connection.new_thread()
        assert connection.call("Server.Status").loaded_threads == 2


def test_r19_d1_threads_on_their_way_to_the_disk_make_no_room(tmp_path):
    """attacks.md R19, D1: of a burst of starts each is answered and there, however few threads may be loaded: one whose
    writes are under way is not unloaded."""
    few = {"HEDDLE_LIMITS_LOADED_THREADS": "2", "HEDDLE_LOOPS": "1"}
    with Server(tmp_path / "data", environment=few) as server, \
            server.connect(timeout=60, unwanted_notifications=["thread_started"]) as connection:
        frames = [connection.request_frame("Thread.Start", METHODS["Thread.Start"].request(subscribe=False))
                  for _ in range(60)]
        connection.send(b"".join(frame.encode() for frame in frames))
        threads = [connection.answer(frame.stream, "Thread.Start").thread.id for frame in frames]
        for thread in threads:
            assert connection.call("Thread.Read", thread=thread).thread.id == thread


def test_r19_what_a_burst_has_loaded_is_let_go_when_it_is_over(tmp_path):
    """attacks.md R19, D11: threads whose writes were under way when room was made do not stay loaded."""
    few = {"HEDDLE_LIMITS_LOADED_THREADS": "20", "HEDDLE_LOOPS": "1"}
    quiet = ["thread_started"]
    with Server(tmp_path / "data", environment=few) as server, contextlib.ExitStack() as stack, \
            server.connect(timeout=60, unwanted_notifications=quiet) as connection:
        peers = [stack.enter_context(server.connect(timeout=60, unwanted_notifications=quiet)) for _ in range(16)]
        for peer in peers:
            frames = [peer.request_frame("Thread.Start", METHODS["Thread.Start"].request(subscribe=False))
                      for _ in range(200)]
            peer.send(b"".join(frame.encode() for frame in frames))
            peer.last = frames[-1].stream
        for peer in peers:
            peer.answer(peer.last, "Thread.Start")
        began = time.monotonic()
        while (loaded := connection.call("Server.Status").loaded_threads) > 20:
            assert time.monotonic() - began < 10 * LOADING_SECONDS, f"{loaded} are still loaded"
            time.sleep(0.1)  # nobody is told


def test_d11_who_has_written_much_is_served_on_when_the_disk_has_caught_up(tmp_path):
    """protocol.md, limits: while much waits for the disk a connection begins a few requests only. All are answered, in
    their order, and who comes meanwhile is served."""
    little = {"HEDDLE_LIMITS_WAITING_WRITE_BYTES": "20000", "HEDDLE_LOOPS": "1"}
    with Server(tmp_path / "data", environment=little) as server, contextlib.ExitStack() as stack:
        peers = [stack.enter_context(server.connect(timeout=60)) for _ in range(4)]
        threads = [peer.new_thread().id for peer in peers]
        sent = []
        for peer, thread in zip(peers, threads):
            frames = [peer.request_frame("Settings.Update", METHODS["Settings.Update"].request(
                thread=thread, change={"developer_instructions": f"{number} {'x' * 1_000}"})) for number in range(250)]
            peer.send(b"".join(frame.encode() for frame in frames))
            sent.append(frames)
        with server.connect(timeout=60) as late:
            assert late.call("Settings.Update", thread=threads[0], change={"reasoning_effort": "low"}).changed
        for peer, thread, frames in zip(peers, threads, sent):
            revisions = [peer.answer(frame.stream, "Settings.Update").revision for frame in frames]
            assert revisions == sorted(revisions) and len(set(revisions)) == 250
            settings = peer.call("Settings.Read", thread=thread).settings
            assert settings.developer_instructions.startswith("249 ")


def test_r13_connections_that_have_gone_keep_nobody_from_being_read(tmp_path):
    """attacks.md R13: what the next reads of connections may bring is taken off the budget while they are there, and
    no longer: half a frame of one leaves room for a whole one of another."""
    little = {"HEDDLE_LIMITS_BUFFERED_BYTES": str(1 << 20), "HEDDLE_LIMITS_FRAME_MILLISECONDS": "120000",
              "HEDDLE_LOOPS": "1"}
    with Server(tmp_path / "data", environment=little) as server, server.connect(timeout=60) as slow, \
            server.connect(timeout=60) as quick:
        for _ in range(200):
            server.connect().close()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while slow.call("Server.Status").connections > 2:
            assert time.monotonic() < deadline, "closed connections are still counted"
            time.sleep(0.02)  # the server tells nobody when a connection goes
        ping = Frame(PING, payload=frame_pb2.Ping(opaque=b"here").SerializeToString()).encode()
        frames = [peer.request_frame("Catalog.ListModels", padded(b"", 500_000)) for peer in (slow, quick)]
        half, rest = frames[0].encode()[:400_000], frames[0].encode()[400_000:]
        slow.send(ping + half)
        slow.wait_for(lambda frame: frame.kind == PONG)
        quick.send_frame(frames[1])
        assert quick.answer(frames[1].stream, "Catalog.ListModels").models
        slow.send(rest)
        assert slow.answer(frames[0].stream, "Catalog.ListModels").models


@pytest.mark.parametrize("kind", ["noise", "waits for the disk"])
def test_r13_who_ends_takes_no_room_along(tmp_path, kind):
    """attacks.md R13: what a connection had sent and nobody has served is not counted once the connection is gone."""
    little = {"HEDDLE_LIMITS_WAITING_WRITE_BYTES": "5000", "HEDDLE_LIMITS_BUFFERED_BYTES": "131072", "HEDDLE_LOOPS": "1"}
    with Server(tmp_path / "data", environment=little) as server, contextlib.ExitStack() as stack:
        if kind == "noise":
            strangers = [socket.create_connection(server.address.rsplit(":", 1)) for _ in range(60)]
            for stranger in strangers:
                stranger.sendall(b"SSH-2.0-nobody\r\n" + bytes(2_000))
            for stranger in strangers:
                with stranger, contextlib.suppress(ConnectionError):
                    stranger.recv(1)
        else:
            peers = [server.connect(timeout=60, unwanted_notifications=["thread_started"]) for _ in range(60)]
            for peer in peers:
                thread = peer.new_thread().id
                update = METHODS["Settings.Update"].request(thread=thread, change={"developer_instructions": "x" * 1_000})
                peer.frames = [peer.request_frame("Settings.Update", update) for _ in range(150)]
            for peer in peers:
                peer.send(b"".join(frame.encode() for frame in peer.frames))
            for peer in peers:
                peer.reset()
        ping = Frame(PING, payload=frame_pb2.Ping(opaque=b"here").SerializeToString()).encode()
        name = "n" * 200
        late = [stack.enter_context(server.connect(timeout=60)) for _ in range(3)]
        whole = [peer.request_frame("Thread.Start", METHODS["Thread.Start"].request(
            settings={"base_instructions": "y" * 200_000}, name=name)) for peer in late]
        for peer, frame in zip(late, whole):
            peer.send(ping + frame.encode()[:-1])
        for peer, frame in zip(late, whole):
            assert peer.wait_for(lambda frame: frame.kind == PONG)
            peer.send(frame.encode()[-1:])
        for peer, frame in zip(late, whole):
            assert peer.answer(frame.stream, "Thread.Start").thread.name == name

