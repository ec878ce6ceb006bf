"""Deleting a thread while others use it (rules.md T6): every request is answered once, forks keep what they share, and
threads beside it do not notice."""

import collections
import subprocess

import pytest

from agents import Team, agents_server, spawn
from harness.messages import METHODS, frame_pb2, thread_pb2
from harness.server import BINARY, Server
from harness.wire import ERROR, RESPONSE, HeddleError

STATUS = thread_pb2.SubscriptionKind.Value("SUBSCRIPTION_KIND_STATUS")


def outcome(connection, stream: int, timeout: float = 60) -> str:
    frame = connection.terminal(stream, timeout)
    return "ok" if frame.kind == RESPONSE else HeddleError(frame_pb2.Error.FromString(frame.body)).reason


def send(connection, *requests) -> list:
    """Pipelines the requests in one segment and returns their streams."""
    frames = [connection.request_frame(name, METHODS[name].request(**fields)) for name, fields in requests]
    connection.send(b"".join(frame.encode() for frame in frames))
    return [frame.stream for frame in frames]


@pytest.fixture
def two(tmp_path):
    """A server of two loops and a connection on each."""
    with Server(tmp_path / "data", "--loops", "2") as server:
        with server.connect(unwanted_notifications=["thread_started"]) as first:
            with server.connect(unwanted_notifications=["thread_started"]) as second:
                yield server, first, second


def check(server: Server):
    server.kill()
    result = subprocess.run([BINARY, "check", server.data], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_t6_requests_that_meet_a_deletion_are_answered(two):
    """T6 each of five renames beside a delete is answered, with success or with `thread`; none waits without end."""
    server, first, second = two
    seen = collections.Counter()
    for number in range(24):
        thread = first.new_thread().id
        deletion = send(second, ("Thread.Delete", {"thread": thread}))
        renames = send(first, *(("Thread.SetName", {"thread": thread, "name": f"{number}.{k}"}) for k in range(5)))
        assert outcome(second, deletion[0]) == "ok"
        seen.update(outcome(first, stream) for stream in renames)
    assert set(seen) <= {"ok", "thread"} and sum(seen.values()) == 120
    check(server)


def test_t6_a_key_that_met_a_deletion_is_free_again(two):
    """T6, E2 the key of a request that met a deletion answers on another connection too."""
    _, first, second = two
    for number in range(12):
        thread, key = first.new_thread().id, bytes([number]) * 16
        deletion = send(second, ("Thread.Delete", {"thread": thread}))
        frame = first.request_frame("Thread.SetName", METHODS["Thread.SetName"].request(thread=thread, name="x"), key=key)
        first.send(frame.encode())
        assert outcome(second, deletion[0]) == "ok"
        assert outcome(first, frame.stream) in ("ok", "thread")
        again = second.request_frame("Thread.SetName", METHODS["Thread.SetName"].request(thread=thread, name="x"), key=key)
        second.send(again.encode())
        assert outcome(second, again.stream) in ("ok", "thread")


def test_t3_t6_a_fork_that_was_acknowledged_keeps_its_history(two):
    """T3, T6 a fork races the deletion of its source: refused with `thread`, or whole for good."""
    server, first, second = two
    forks = []
    for _ in range(40):
        thread = first.new_thread(name="source").id
        deletion = send(second, ("Thread.Delete", {"thread": thread}))
        streams = send(first, *(("Thread.Fork", {"thread": thread, "subscribe": False}) for _ in range(3)))
        assert outcome(second, deletion[0]) == "ok"
        for stream in streams:
            frame = first.terminal(stream)
            if frame.kind == RESPONSE:
                forks.append(METHODS["Thread.Fork"].response.FromString(frame.body).thread.id)
            else:
                assert HeddleError(frame_pb2.Error.FromString(frame.body)).reason == "thread"
    for fork in forks:
        assert first.history(fork)[0].HasField("thread_created")
    check(server)


def test_t6_threads_beside_a_deleted_one_do_not_notice(tmp_path):
    """T6, D7 a deletion that meets the loading of its thread gives no error to any other thread."""
    with Server(tmp_path / "data", "--loops", "2") as server:
        with server.connect() as connection:
            victims = [connection.new_thread().id for _ in range(8)]
            others = [connection.new_thread().id for _ in range(8)]
        server.kill()
        server.start()
        with server.connect() as first, server.connect() as second:
            for victim in victims:
                loading = send(first, ("Thread.SetName", {"thread": victim, "name": "late"}))
                deletion = send(second, ("Thread.Delete", {"thread": victim}))
                beside = send(first, *(("Thread.SetName", {"thread": other, "name": "beside"}) for other in others))
                assert outcome(first, loading[0]) in ("ok", "thread")
                assert outcome(second, deletion[0]) == "ok"
                assert [outcome(first, stream) for stream in beside] == ["ok"] * 8
        check(server)


def test_s6_unsubscribing_while_it_opens_ends_the_stream_once(two):
    """S6 Subscribe and Unsubscribe in one segment, from the other loop: one terminal frame on the subscription's stream."""
    _, first, second = two
    for _ in range(12):
        thread = first.new_thread().id
        streams = send(second, ("Thread.Subscribe", {"thread": thread}), ("Thread.Unsubscribe", {"thread": thread}))
        assert outcome(second, streams[1]) == "ok"
        second.wait_for(lambda f: f.stream == streams[0] and (f.kind == 4 or f.flags & 2))
        outcome(second, second.open("Thread.Read", thread=thread))
        second.call("Server.Status")
        ends = [f for f in second.inbox if f.stream == streams[0] and (f.kind == 4 or f.flags & 2)]
        assert not ends, "a second end"


def test_t6_a_follower_that_still_reads_hears_of_the_deletion(two):
    """T6, protocol.md: a subscription ends with `thread` when the thread is deleted, also one that has the log to read
    before it is live. None of them goes on asking for what is no longer there."""
    server, first, second = two
    thread = first.new_thread().id
    for batch in range(24):
        names = [f"{batch}.{k} ".ljust(1_000, "x") for k in range(250)]
        streams = send(first, *(("Thread.SetName", {"thread": thread, "name": name}) for name in names))
        assert {outcome(first, stream) for stream in streams} == {"ok"}
    readers = [server.connect(unwanted_notifications=["thread_started"]) for _ in range(8)]
    try:
        # Without events nothing fills the socket: they read on without a pause.
        streams = [send(reader, ("Thread.Subscribe", {"thread": thread, "after": 0, "kinds": [STATUS]}))[0]
                   for reader in readers]
        assert [outcome(reader, stream) for reader, stream in zip(readers, streams)] == ["ok"] * len(readers)
        assert outcome(second, send(second, ("Thread.Delete", {"thread": thread}))[0]) == "ok"
        for reader, stream in zip(readers, streams):
            end = reader.wait_for(lambda frame: frame.stream == stream and frame.kind == ERROR)
            assert HeddleError(frame_pb2.Error.FromString(end.body)).reason == "thread"
    finally:
        for reader in readers:
            reader.close()


def test_t6_a_root_takes_along_the_agent_that_is_just_being_started(tmp_path):
    """T6 a root takes its tree along: after `deleted` and a restart no agent of it is there, also none that was on its
    way to the disk when the deletion came. 30 roots, each deleted when its model has just asked for one more agent."""
    with agents_server(tmp_path, "--loops", "2") as (server, connection):
        with server.connect(unwanted_notifications=["thread_started"]) as deleting:
            for number in range(30):
                team = Team.start(server, connection)
                team.begin(*(spawn(f"agent_{k}") for k in range(20)))
                for _ in range(1 + number % 3):
                    team.follower.until(lambda message: message.event.item_completed.item.HasField("tool_call"))
                deleting.call("Thread.Delete", thread=team.id)
        server.restart()
        with server.connect() as again:
            left = again.call("Thread.List", page_size=200).threads
            assert not left, f"{len(left)} agents are still there"
