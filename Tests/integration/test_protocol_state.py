"""attacks.md, Protocol state: S1 to S8, S10 to S12, S14, S15, S17, and the floods R7, R9 and R10.

Not here: S3 (test_frames.py, beside the other slow ones), S9 (the server asks its clients nothing yet; S8 says so),
S13 (test_frames.py, as F3 before HELLO), S16 (test_turns.py).
"""

import time

import pytest

from harness.ends import expect_goaway, expect_kept
from harness.messages import METHODS, event_pb2, frame_pb2, thread_pb2, turn_pb2, words
from harness.server import Server
from harness.wire import (
    CANCEL, CREDIT, END_OF_STREAM, ERROR, EVENT, GOAWAY, HELLO, PING, PONG, REQUEST, RESPONSE, Frame, HeddleError)

pytestmark = pytest.mark.usefixtures("unharmed")

STATUS = METHODS["Server.Status"].number


def status(stream: int) -> Frame:
    return Frame(REQUEST, STATUS, stream)


# HELLO

def test_s1_a_request_before_hello(server):
    """S1★ request before hello → UNAUTHENTICATED not_initialized, X."""
    with server.connect(hello=False) as connection:
        connection.send_frame(status(1))
        expect_goaway(connection, "UNAUTHENTICATED", "not_initialized")


def test_s1_ping_before_hello_is_answered(server):
    """S1★ beside a valid case: PING is legal before HELLO and without a token; PONG says SERVING while it is true."""
    with server.connect(hello=False) as connection:
        pong = connection.ping(b"before")
        assert (pong.opaque, pong.status) == (b"before", frame_pb2.SERVING_STATUS_SERVING)
        connection.hello()
        expect_kept(connection)


def test_s2_a_second_hello(connection):
    """S2★ second hello → FAILED_PRECONDITION already_initialized, K."""
    connection.send_message(HELLO, frame_pb2.ClientHello(client_name="again"))
    frame = connection.wait_for(lambda frame: frame.kind == ERROR)
    error = HeddleError(frame_pb2.Error.FromString(frame.body))
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "already_initialized")
    expect_kept(connection)


def test_hello_tells_every_limit(connection):
    """protocol.md, HELLO: version, node, connection, time, schema, durability, and every limit it will enforce."""
    hello = connection.server_hello
    assert (hello.version, hello.durability) == (1, "synced")
    assert len(hello.node) == len(hello.connection) == 16 and hello.schema_hash and hello.server_version
    said = {field.name for field, _ in hello.limits.ListFields()}
    assert said == {field.name for field in frame_pb2.ConnectionLimits.DESCRIPTOR.fields}
    assert (hello.limits.frame_bytes, hello.limits.requests_in_flight) == (4 << 20, 256)


# Streams

@pytest.mark.parametrize("streams", [(5, 5), (5, 3), (2,), (0,), (1, 4)], ids=str)
def test_s4_a_stream_that_is_not_the_next(connection, streams):
    """S4★ request id in use, or not larger than the last; even; 0 → INVALID_ARGUMENT bad_request_id, X."""
    for stream in streams:
        connection.send_frame(status(stream))
    expect_goaway(connection, "INVALID_ARGUMENT", "bad_request_id")


def test_s4_a_stream_that_is_in_use(connection):
    """S4★ while its subscription is open."""
    thread, follower = connection.start_followed()
    connection.send_frame(status(follower.stream))
    expect_goaway(connection, "INVALID_ARGUMENT", "bad_request_id")


def test_s4_streams_may_leave_gaps(connection):
    """S4★ beside a valid case: odd and rising is enough, up to the largest."""
    for stream in (1, 7, 4_000_000_001, 0xFFFFFFFF):
        connection.send_frame(status(stream))
        connection.answer(stream, "Server.Status")


@pytest.mark.parametrize("stream", [1, 3, 2, 0])
def test_s5_cancel_of_an_unknown_or_finished_request(connection, stream):
    """S5★ → no reply; counts as a glitch, K."""
    connection.call("Server.Status")
    connection.send_frame(Frame(CANCEL, stream=stream))
    connection.next_stream = 5
    expect_kept(connection)
    assert not connection.inbox


def test_s6_cancel_of_a_running_request_ends_it_once(connection):
    """S6★ → that request ends once: CANCELLED, or its result if that came first, K."""
    thread = connection.new_thread().id
    stream = connection.open("Thread.Subscribe", thread=thread, after=0)
    connection.terminal(stream)
    connection.send_frame(Frame(CANCEL, stream=stream))
    end = connection.wait_for(lambda frame: frame.stream == stream and frame.kind in (ERROR, RESPONSE))
    if end.kind == ERROR:
        assert HeddleError(frame_pb2.Error.FromString(end.body)).reason == "cancelled"
    connection.call("Thread.SetName", thread=thread, name="after the end")
    assert not [frame for frame in connection.inbox if frame.stream == stream and frame.kind != EVENT]
    assert connection.call("Thread.Unsubscribe", thread=thread).was_subscribed is False


@pytest.mark.parametrize("name", ["Thread.Subscribe", "Thread.Read", "Thread.Resume", "Server.Status"])
def test_s6_cancel_in_the_same_segment_ends_the_request_once(server, connection, name):
    """S6★, 4.1 exactly one terminal reply per request: the cancel arrives while the request is being opened, K.
    From several connections, because a thread is opened differently on its own loop and on another's."""
    thread = connection.new_thread().id
    fields = {"thread": thread, "after": 0} if name == "Thread.Subscribe" else {"thread": thread}
    for _ in range(8):
        with server.connect(unwanted_notifications=["thread_started"]) as other:
            frame = other.request_frame(name, METHODS[name].request(**({} if name == "Server.Status" else fields)))
            other.send(frame.encode() + Frame(CANCEL, stream=frame.stream).encode())
            first = other.terminal(frame.stream)
            other.call("Thread.SetName", thread=thread, name="what came behind it")
            told = [first, *(later for later in other.inbox if later.stream == frame.stream)]
            ends = [later for later in told if later.kind == ERROR or later.flags & END_OF_STREAM]
            assert len(ends) == 1, ends
            follows = first.kind == RESPONSE and not first.flags & END_OF_STREAM
            assert ends[0].method == (METHODS["Thread.Subscribe"].number if follows else frame.method)


def test_s7_cancel_of_a_mutation_ends_it_once_and_tells_the_truth(connection):
    """S7★ cancel after the mutation is durable → the result, not CANCELLED. The race is run 50 times: whichever came
    first, there is one terminal frame, and a result that was told is in the log, K."""
    thread = connection.new_thread().id
    for attempt in range(50):
        frame = connection.request_frame("Thread.SetName", thread_pb2.SetThreadNameRequest(
            thread=thread, name=f"name {attempt}"))
        connection.send(frame.encode() + Frame(CANCEL, stream=frame.stream).encode())
        end = connection.terminal(frame.stream)
        name = connection.call("Thread.Read", thread=thread).thread.name
        if end.kind == RESPONSE:
            assert name == f"name {attempt}"
        else:
            assert HeddleError(frame_pb2.Error.FromString(end.body)).reason == "cancelled"
        assert not connection.inbox


@pytest.mark.parametrize("kind,message", [
    (RESPONSE, thread_pb2.StartThreadResponse(sequence=1)), (ERROR, frame_pb2.Error(code=13, reason="internal"))])
@pytest.mark.parametrize("stream", [2, 0x7FFFFFF0])
def test_s8_an_answer_to_a_question_that_was_never_asked(connection, kind, message, stream):
    """S8★ → FAILED_PRECONDITION unknown_server_request; glitch, K."""
    connection.send_message(kind, message, stream=stream, method=METHODS["Client.CallTool"].number)
    frame = connection.wait_for(lambda frame: frame.kind == ERROR)
    error = HeddleError(frame_pb2.Error.FromString(frame.body))
    assert (error.code, error.reason) == ("FAILED_PRECONDITION", "unknown_server_request")
    expect_kept(connection)


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_s10_a_client_sends_an_event(connection, stream):
    """S10★ client sends a server-only message (fake event) → INVALID_ARGUMENT wrong_direction, X."""
    fake = event_pb2.SubscriptionEvent(event={"sequence": 1, "name_changed": {"name": "forged"}})
    connection.send_message(EVENT, fake, stream=stream)
    expect_goaway(connection, "INVALID_ARGUMENT", "wrong_direction")


def test_s11_subscribing_twice_to_one_thread(connection):
    """S11★ → ALREADY_EXISTS subscribed; no event doubled, K."""
    thread, follower = connection.start_followed()
    error = connection.refusal("Thread.Subscribe", thread=thread.id, after=0)
    assert (error.code, error.reason) == ("ALREADY_EXISTS", "subscribed")
    connection.call("Thread.SetName", thread=thread.id, name="once")
    follower.until_event("name_changed", name="once")
    expect_kept(connection)
    assert not [frame for frame in connection.inbox if frame.kind == EVENT and frame.stream not in (0, follower.stream)]


def test_s12_unsubscribing_from_nothing(connection):
    """S12 unsubscribe unknown → OK, K."""
    assert connection.call("Thread.Unsubscribe", thread=b"0123456789abcdef").was_subscribed is False
    assert connection.call("Thread.Unsubscribe").was_subscribed is False


def test_s14_a_ping_of_64_bytes_and_one_of_65(server):
    """S14 ping payload > 64 B → INVALID_ARGUMENT, X; 64 are fine."""
    with server.connect() as connection:
        assert connection.ping(b"p" * 64).opaque == b"p" * 64
    with server.connect() as connection:
        connection.send_message(PING, frame_pb2.Ping(opaque=b"p" * 65))
        expect_goaway(connection, "INVALID_ARGUMENT", None)


def test_s14_a_pong_that_nobody_asked_for(connection):
    """S14 pong unasked → ignored, glitch, K."""
    connection.send_message(PONG, frame_pb2.Pong(opaque=b"?"))
    expect_kept(connection)


def test_s15_many_requests_at_once_are_each_answered_once(connection):
    """S15★ 257th request in flight → RESOURCE_EXHAUSTED too_many_in_flight for it alone, K. How many are in flight at
    once is the server's doing, so: each of 400 is served or refused for that reason, exactly once."""
    thread = connection.new_thread().id
    body = thread_pb2.SetThreadNameRequest(thread=thread, name="again")
    frames = [connection.request_frame("Thread.SetName", body) for _ in range(400)]
    connection.send(b"".join(frame.encode() for frame in frames))
    for frame in frames:
        end = connection.terminal(frame.stream)
        if end.kind == ERROR:
            assert HeddleError(frame_pb2.Error.FromString(end.body)).reason == "too_many_in_flight"
    assert not connection.inbox


def test_s17_a_client_that_says_goaway_is_still_answered(connection):
    """S17 sends its own GOAWAY and goes on → what was accepted before is answered; rest ignored, K→close."""
    connection.send(status(1).encode() + Frame(GOAWAY, payload=frame_pb2.GoAway(last_stream=0).SerializeToString()).encode())
    assert connection.answer(1, "Server.Status").durability == "synced"


# Floods

def test_r7_subscriptions_end_at_their_limit(server):
    """R7★ 100,000 subscribes → 1,024, then RESOURCE_EXHAUSTED too_many_subscriptions, K."""
    with server.connect(unwanted_notifications=["thread_started"], timeout=60) as connection:
        limit, opened = connection.server_hello.limits.subscriptions, 0
        while opened < limit:
            streams = [connection.open("Thread.Start") for _ in range(min(128, limit - opened))]
            for stream in streams:
                connection.answer(stream, "Thread.Start")
            opened += len(streams)
        thread = connection.new_thread().id
        error = connection.refusal("Thread.Subscribe", thread=thread, after=0)
        assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "too_many_subscriptions")
        assert error.details == {"limit": str(limit)}
        expect_kept(connection)


def test_r9_errors_have_a_budget(connection):
    """R9★ invalid requests without end → RESOURCE_EXHAUSTED enhance_your_calm after 200 in 30 s, X."""
    limit = connection.server_hello.limits.glitches
    # At once, so that they all fall into one span, however slow the machine is.
    connection.send(b"".join(Frame(REQUEST, 9999, connection.new_stream()).encode() for _ in range(limit + 1)))
    for stream in range(1, 2 * limit, 2):
        assert connection.terminal(stream).kind == ERROR
    expect_goaway(connection, "RESOURCE_EXHAUSTED", "enhance_your_calm")


def test_r8_cancels_have_a_budget(connection):
    """R8★ start + cancel in a row → enhance_your_calm, X."""
    sent = connection.server_hello.limits.glitches + 50
    pairs = [status(stream).encode() + Frame(CANCEL, stream=stream).encode() for stream in range(1, 2 * sent, 2)]
    connection.send(b"".join(pairs))
    expect_goaway(connection, "RESOURCE_EXHAUSTED", "enhance_your_calm")


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


def test_r10_a_flood_of_pings_is_stopped(connection):
    """R10★ ping flood → 3 strikes → enhance_your_calm, X."""
    ping = Frame(PING, payload=frame_pb2.Ping(opaque=b"flood").SerializeToString()).encode()
    connection.send(ping * 50)
    expect_goaway(connection, "RESOURCE_EXHAUSTED", "enhance_your_calm")


def test_goaway_names_the_last_stream_that_was_accepted(connection):
    """protocol.md: GOAWAY says the highest stream that was accepted, whatever ends the connection."""
    for stream in (1, 3, 9):
        connection.send_frame(status(stream))
        connection.answer(stream, "Server.Status")
    connection.send_frame(Frame(11, payload=b"x"))
    frame = connection.receive()
    assert frame.kind == GOAWAY and frame_pb2.GoAway.FromString(frame.body).last_stream == 9


def test_who_says_nothing_for_long_is_let_go_and_who_speaks_stays(tmp_path):
    """protocol.md: no byte for `idleMilliseconds` → DEADLINE_EXCEEDED idle_timeout, X; any byte counts."""
    with Server(tmp_path / "data", environment={"HEDDLE_LIMITS_IDLE_MILLISECONDS": "5000"}) as server:
        with server.connect() as silent, server.connect() as speaking:
            began = time.monotonic()
            while time.monotonic() < began + 7:
                expect_kept(speaking)
                time.sleep(0.2)  # a client as others are
            expect_goaway(silent, "DEADLINE_EXCEEDED", "idle_timeout")
            expect_kept(speaking)


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
    """T1, R7★, protocol.md: Start, Resume and Fork on a connection that has as many subscriptions as it may are served,
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


def test_r10_three_early_pings_are_forgiven_again_and_again(connection):
    """R10★ beside it: one ping and three that come too soon are answered, and after 5 s as many again; one more is not."""
    ping = Frame(PING, payload=frame_pb2.Ping(opaque=b"soon").SerializeToString()).encode()
    for _ in range(2):
        connection.send(ping * 4)
        for _ in range(4):
            connection.wait_for(lambda frame: frame.kind == PONG)
        expect_kept(connection)
        time.sleep(5.1)  # the pause that makes them good again
    connection.send(ping * 5)
    expect_goaway(connection, "RESOURCE_EXHAUSTED", "enhance_your_calm")
