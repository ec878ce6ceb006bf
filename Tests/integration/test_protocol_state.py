"""protocol.md: what a connection may do, and what is no mistake of it, beside the rows of attacks.md about protocol state
and floods, which `Tests/attacks` drives."""

import pytest

from harness.ends import expect_goaway, expect_kept
from harness.messages import METHODS, frame_pb2, turn_pb2, words
from harness.server import Server
from harness.wire import (
    CANCEL, CREDIT, END_OF_STREAM, ERROR, GOAWAY, REQUEST, RESPONSE, Frame, HeddleError)

pytestmark = pytest.mark.usefixtures("unharmed")

STATUS = METHODS["Server.Status"].number


def status(stream: int) -> Frame:
    return Frame(REQUEST, STATUS, stream)


# HELLO


def test_hello_tells_every_limit(connection):
    """protocol.md, HELLO: version, node, connection, time, schema, durability, and every limit it will enforce."""
    hello = connection.server_hello
    assert (hello.version, hello.durability) == (1, "synced")
    assert len(hello.node) == len(hello.connection) == 16 and hello.schema_hash and hello.server_version
    said = {field.name for field, _ in hello.limits.ListFields()}
    assert said == {field.name for field in frame_pb2.ConnectionLimits.DESCRIPTOR.fields}
    assert (hello.limits.frame_bytes, hello.limits.requests_in_flight) == (4 << 20, 256)


# Mistakes that count


def test_s5_ending_what_is_there_is_no_mistake(connection):
    """S5★ beside it, protocol.md "A glitch is": more CANCELs of open subscriptions and of running requests than there may
    be glitches, K; a second CANCEL of the same is one."""
    count = 2 * connection.server_hello.limits.glitches
    threads = [connection.new_thread().id for _ in range(count)]
    followers = [connection.follow(thread) for thread in threads]
    connection.send(b"".join(Frame(CANCEL, stream=follower.stream).encode() for follower in followers))
    for follower in followers:
        assert HeddleError(frame_pb2.Error.FromString(connection.terminal(follower.stream).body)).reason == "cancelled"
    expect_kept(connection)
    connection.send(b"".join(Frame(CANCEL, stream=follower.stream).encode() for follower in followers))
    expect_goaway(connection, "RESOURCE_EXHAUSTED", "enhance_your_calm")


def test_s1_pipelining_beyond_the_bound_is_no_mistake(connection):
    """protocol.md "A glitch is": `too_many_in_flight` and `queue_full` ask the client to wait: far more of them than there
    may be glitches, K."""
    thread = connection.new_thread().id
    stalled = connection.start_turn(thread, "!stall\nfor ever").turn
    body = METHODS["Turn.Start"].request(thread=thread, input=words("x"), when_busy=turn_pb2.WHEN_BUSY_QUEUE)
    frames = [connection.request_frame("Turn.Start", body) for _ in range(1_000)]
    connection.send(b"".join(frame.encode() for frame in frames))
    answers = [connection.terminal(frame.stream) for frame in frames]
    reasons = {HeddleError(frame_pb2.Error.FromString(answer.body)).reason for answer in answers if answer.kind == ERROR}
    assert reasons and reasons <= {"queue_full", "too_many_in_flight"}
    expect_kept(connection)
    connection.call("Turn.Interrupt", thread=thread, turn=stalled)


def test_goaway_names_the_last_stream_that_was_accepted(connection):
    """protocol.md: GOAWAY says the highest stream that was accepted, whatever ends the connection."""
    for stream in (1, 3, 9):
        connection.send_frame(status(stream))
        connection.answer(stream, "Server.Status")
    connection.send_frame(Frame(11, payload=b"x"))
    frame = connection.receive()
    assert frame.kind == GOAWAY and frame_pb2.GoAway.FromString(frame.body).last_stream == 9


def test_a_response_says_whether_events_follow(server, connection):
    """protocol.md: the end flag is missing where events follow on the stream, and there only: Start, Resume and Fork that
    subscribe, and Subscribe; not a retry, not who follows the thread already."""
    key = b"key-of-the-start"

    def follows(method: str, /, of=connection, **fields) -> bool:
        return not of.terminal(of.open(method, **fields)).flags & END_OF_STREAM

    thread = connection.new_thread(key=key, name="flags").id
    assert not follows("Thread.Start", key=key, name="flags", subscribe=False), "a retry"
    with server.connect(unwanted_notifications=["thread_started"]) as other:
        assert follows("Thread.Resume", of=other, thread=thread) and not follows("Thread.Resume", of=other, thread=thread)
    other_key = b"key-that-follows"
    assert follows("Thread.Start", key=other_key) and not follows("Thread.Start", key=other_key)
    assert follows("Thread.Fork", thread=thread) and not follows("Thread.Fork", thread=thread, subscribe=False)
    assert follows("Thread.Subscribe", thread=thread, after=0) and not follows("Thread.SetName", thread=thread, name="x")


# Floods


@pytest.mark.parametrize("made", [
    lambda stream: Frame(CREDIT, stream=stream, payload=frame_pb2.Credit(bytes=1).SerializeToString()),
    lambda stream: Frame(RESPONSE, METHODS["Client.CallTool"].number, 2 * stream),
    lambda stream: Frame(REQUEST, METHODS["Client.CallTool"].number, stream),
], ids=["credit-for-nothing", "answers-to-nothing", "calls-of-the-servers"])
def test_r9_other_mistakes_have_the_same_budget(connection, made):
    """R9★, protocol.md "A glitch is": 200 are forgiven, one more ends the connection."""
    limit = connection.server_hello.limits.glitches
    connection.send(b"".join(made(2 * number + 1).encode() for number in range(limit)))
    connection.next_stream = 2 * limit + 1
    expect_kept(connection)
    connection.send_frame(made(2 * limit + 101))
    expect_goaway(connection, "RESOURCE_EXHAUSTED", "enhance_your_calm")


@pytest.mark.parametrize("code", ["NOT_FOUND", "FAILED_PRECONDITION", "ABORTED", "ALREADY_EXISTS", "OUT_OF_RANGE"])
def test_r9_errors_that_a_correct_client_meets_are_no_mistakes(connection, code):
    """R9★ beside it, protocol.md "A glitch is": threads that are gone, turns that have ended, settings that somebody
    else has changed and the like are answers: more of them than there may be glitches, K."""
    thread, follower = connection.start_followed()
    thread, unknown = thread.id, b"0123456789abcdef"
    name, fields = {
        "NOT_FOUND": ("Thread.Read", {"thread": unknown}),
        "FAILED_PRECONDITION": ("Turn.Steer", {"thread": thread, "turn": unknown, "input": words("x")}),
        "ABORTED": ("Settings.Update", {"thread": thread, "expected_revision": 1_000}),
        "ALREADY_EXISTS": ("Thread.Subscribe", {"thread": thread}),
        "OUT_OF_RANGE": ("Thread.Subscribe", {"thread": connection.new_thread().id, "after": 1_000}),
    }[code]
    body, limit = METHODS[name].request(**fields), connection.server_hello.limits.glitches
    for _ in range(3):
        frames = [connection.request_frame(name, body) for _ in range(limit // 2)]
        connection.send(b"".join(frame.encode() for frame in frames))
        for frame in frames:
            assert HeddleError(frame_pb2.Error.FromString(connection.terminal(frame.stream).body)).code == code
    expect_kept(connection)


def test_t1_r7_without_room_for_a_subscription_the_answer_is_the_end(tmp_path):
    """rules.md T1, R7★, protocol.md: Start, Resume and Fork on a connection that has as many subscriptions as it may are served,
    and their RESPONSE has the end flag; with room again it has none."""
    one = {"HEDDLE_LIMITS_SUBSCRIPTIONS": "1"}
    with Server(tmp_path / "data", environment=one) as server, server.connect() as connection:
        thread, followed = connection.new_thread().id, connection.start_followed()[0].id
        requests = (("Thread.Start", {}), ("Thread.Resume", {"thread": thread}), ("Thread.Fork", {"thread": thread}))
        for name, fields in requests:
            end = connection.terminal(connection.open(name, **fields))
            assert (name, end.kind, end.flags) == (name, RESPONSE, END_OF_STREAM)
        assert connection.call("Thread.Unsubscribe", thread=followed).was_subscribed
        end = connection.terminal(connection.open("Thread.Resume", thread=thread))
        assert (end.kind, end.flags) == (RESPONSE, 0)
