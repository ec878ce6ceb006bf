"""attacks.md, Frames: F1 to F25.

Not here: F13 (there is no TLS port yet), F16 with PROXY switched on (there is no such switch yet).
F6, F8, S3 and R4 need up to 40 s by their nature: they are started before the first test of this file and judged by the last.
"""

import itertools
import json
import os
import random
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.connection import PATIENCE_SECONDS, Connection
from harness.ends import EARLY_SECONDS, LATE_SECONDS, expect_goaway, expect_kept, expect_silence
from harness.messages import METHODS, METHOD_OF_NUMBER, event_pb2, frame_pb2, options_pb2, words
from harness.protobuf import padded
from harness.server import Server
from harness.wire import (
    BEFORE_HELLO_BYTES, CANCEL, CREDIT, ERROR, EVENT, FRAME_BYTES, GOAWAY, HEADER, HELLO, PING, PONG, REQUEST, RESPONSE,
    Frame, HeddleError)

pytestmark = pytest.mark.usefixtures("unharmed")

FRAME_DEADLINE_SECONDS, HELLO_DEADLINE_SECONDS = 30, 5
SLOW_CONSUMER_SECONDS, PROGRESS_SECONDS, PING_SECONDS = 30, 15, 30
GLITCH_SECONDS = 30
SLOW_CONNECTIONS = 200
# Far more than the buffers of two sockets hold.
TAKEN_BYTES = 256 << 20


def list_models(stream: int, payload: bytes = b"") -> Frame:
    return Frame(REQUEST, METHODS["Catalog.ListModels"].number, stream, payload)


# Slow attacks: first started, last judged


def read_what_is_left(connection: Connection, stream: int) -> tuple[int, list[str]]:
    """Reads to the end: the last event of a subscription that arrived whole, and the reasons of a GOAWAY."""
    last, reasons = 0, []
    while (frame := connection.receive(timeout=60)) is not None:
        if frame.kind == EVENT and frame.stream == stream:
            last = max(last, event_pb2.SubscriptionEvent.FromString(frame.body).event.sequence)
        if frame.kind == GOAWAY:
            reasons.append(HeddleError(frame_pb2.GoAway.FromString(frame.body).error).reason)
    return last, reasons


class SlowAttacks:
    """Connections that take their time, on a server of their own so that they harm no other test's measurements."""

    def __init__(self, server: Server):
        self.server, self.begin = server, time.monotonic()
        self.quiet = server.resident_bytes()
        self.promised = [self._promise() for _ in range(SLOW_CONNECTIONS)]
        self.stopping = threading.Event()
        self.pool = ThreadPoolExecutor(5)
        self.silent = self.pool.submit(self._say_nothing)
        self.dripping = self.pool.submit(self._drip)
        self.idle = self.pool.submit(self._follow_what_is_quiet)
        self.stuck = self.pool.submit(self._stop_reading)
        self.clumsy = self.pool.submit(self._blunder)

    def _promise(self) -> Connection:
        connection = self.server.connect()
        connection.send(list_models(1).encode(length=FRAME_BYTES) + bytes(10))
        return connection

    def _say_nothing(self) -> float:
        """Seconds after which a connection without a byte is closed, without a word."""
        began = time.monotonic()
        with self.server.connect(hello=False) as connection:
            expect_silence(connection)
        return time.monotonic() - began

    def _drip(self) -> float:
        """Seconds after which a connection that sends one byte per 10 s is told and closed."""
        data, began = list_models(1).encode(), time.monotonic()
        with self.server.connect() as connection:
            for byte in data[:3]:
                connection.send(bytes([byte]))
                self.stopping.wait(10)  # the row names this pause
            expect_goaway(connection, "DEADLINE_EXCEEDED", "frame_timeout", timeout=60)
        return time.monotonic() - began

    def _follow_what_is_quiet(self) -> tuple[float, float]:
        """Seconds to the first Progress of a quiet subscription, and to the first PING of the server."""
        with self.server.connect(unwanted_notifications=["thread_started"]) as connection:
            thread = connection.new_thread().id
            began = time.monotonic()
            follower = connection.follow(thread, 0)
            while not self.stopping.is_set():
                message = follower.next()
                if message.WhichOneof("kind") == "progress":
                    assert message.progress.sequence == follower.last
                    break
            progress = time.monotonic() - began
            while not connection.pings and not self.stopping.is_set():
                follower.next()
            return progress, time.monotonic() - began

    def _stop_reading(self) -> tuple[int, int, list, int]:
        """A subscriber that takes nothing while 24 MiB of events pile up behind it: what the server's memory grew by,
        the last event that reached the client, the reasons it was given, and the head that a second visit finds."""
        with self.server.connect() as stuck, self.server.connect(timeout=60) as working:
            thread, follower = working.start_followed()
            stuck.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
            stream = stuck.open("Thread.Subscribe", thread=thread.id, after=0)
            quiet = self.server.resident_bytes()
            for _ in range(24):
                follower.run("!flood 1000000\nx", thread=thread.id, timeout=60)
            self.stopping.wait(SLOW_CONSUMER_SECONDS + 5)  # nobody tells a client that does not listen
            grown = self.server.resident_bytes() - quiet
            last, reasons = read_what_is_left(stuck, stream)
            again = working.call("Thread.Read", thread=thread.id).thread.sequence
            with self.server.connect(timeout=60) as back:
                rest = back.follow(thread.id, last)
                rest.until(lambda message: message.WhichOneof("kind") == "live", timeout=60)
                return grown, rest.last, reasons, again

    def _blunder(self) -> int:
        """Mistakes of one connection that were forgiven: most of what it may make, and as many again half a minute
        later. As many once more, a second behind those, are too many."""
        with self.server.connect() as connection:
            few = connection.server_hello.limits.glitches * 3 // 4
            connection.send(Frame(CANCEL, stream=1).encode() * few)
            expect_kept(connection)
            self.stopping.wait(GLITCH_SECONDS + 1)
            connection.send(Frame(CANCEL, stream=1).encode() * few)
            expect_kept(connection)
            self.stopping.wait(1)  # what is to be seen is that these are not forgotten at once
            connection.send(Frame(CANCEL, stream=1).encode() * few)
            expect_goaway(connection, "RESOURCE_EXHAUSTED", "enhance_your_calm")
            return 2 * few

    def close(self):
        self.stopping.set()
        # Whoever is still at work, because only some tests were run, is let go.
        self.server.kill()
        self.pool.shutdown(wait=True)
        for connection in self.promised:
            connection.close()


@pytest.fixture(scope="module", autouse=True)
def slow(tmp_path_factory):
    with Server(tmp_path_factory.mktemp("slow") / "data") as running:
        attacks = SlowAttacks(running)
        yield attacks
        attacks.close()


# Lengths


@pytest.mark.parametrize("kind", [HELLO, CREDIT, EVENT, ERROR])
def test_f1_length_0_of_a_kind_that_needs_a_payload_is_empty_frame(server, kind):
    """F1★ length 0 → INVALID_ARGUMENT empty_frame, X."""
    with server.connect(hello=kind != HELLO) as connection:
        connection.send_frame(Frame(kind, stream=0 if kind == HELLO else 1))
        expect_goaway(connection, "INVALID_ARGUMENT", "empty_frame")


def test_f1_an_empty_response_is_an_answer_to_nothing(connection):
    """F1★ beside a valid case: an answer may be an empty message; one that nobody asked for is told so, K."""
    connection.send_frame(Frame(RESPONSE, stream=2))
    error = connection.wait_for(lambda frame: frame.kind == ERROR and frame.stream == 0)
    assert frame_pb2.Error.FromString(error.body).reason == "unknown_server_request"
    assert connection.call("Catalog.ListModels").models


def test_f1_an_empty_request_is_an_empty_message(connection):
    """F1★ beside a valid case: protobuf's empty messages are 0 bytes, so the request is served."""
    connection.send_frame(list_models(1))
    assert connection.answer(1, "Catalog.ListModels").models


def test_f2_length_exactly_the_maximum_is_served(connection):
    """F2★ length exactly the maximum → served, K."""
    connection.send_frame(list_models(1, padded(b"", FRAME_BYTES)))
    assert connection.answer(1, "Catalog.ListModels").models
    connection.next_stream = 3
    expect_kept(connection)


def test_f2_before_hello_the_maximum_is_16_kib(server):
    """F2★ with the limit that holds before HELLO."""
    with server.connect(hello=False) as connection:
        connection.send_frame(Frame(HELLO, payload=padded(b"", BEFORE_HELLO_BYTES)))
        assert connection.wait_for(lambda frame: frame.kind == HELLO)


@pytest.mark.parametrize("length", [FRAME_BYTES + 1, 0xFFFFFFFF], ids=["F3", "F4"])
def test_f3_f4_a_frame_above_the_maximum_is_refused_before_its_payload(server, connection, length):
    """F3★ maximum + 1, F4★ 0xFFFFFFFF → RESOURCE_EXHAUSTED frame_too_large, before one payload byte is read, X."""
    quiet = server.resident_bytes()
    connection.send(list_models(1).encode(length=length))
    expect_goaway(connection, "RESOURCE_EXHAUSTED", "frame_too_large")
    assert server.resident_bytes() - quiet < 2 << 20, "allocated by what was promised"


def test_f3_before_hello_the_maximum_is_16_kib(server):
    """F3★, S13: a HELLO of 16 KiB + 1 → frame_too_large, X."""
    with server.connect(hello=False) as connection:
        connection.send(Frame(HELLO).encode(length=BEFORE_HELLO_BYTES + 1))
        expect_goaway(connection, "RESOURCE_EXHAUSTED", "frame_too_large")


def test_f5_a_frame_cut_short_by_fin_executes_nothing(server, connection):
    """F5★ says 1 MiB, sends 10 bytes, FIN → nothing executed, Z."""
    before = connection.call("Thread.List").threads
    with server.connect(unwanted_notifications=["thread_started"]) as cut:
        cut.send(Frame(REQUEST, METHODS["Thread.Start"].number, 1).encode(length=1 << 20) + b"\x12\x08cut shor")
        cut.finish()
        expect_silence(cut)
    assert connection.call("Thread.List").threads == before


def test_f7_a_request_byte_by_byte_is_served_once(connection):
    """F7★ valid request one byte per 50 ms → served, once, K."""
    for byte in list_models(1).encode():
        connection.send(bytes([byte]))
        time.sleep(0.05)  # the row names this pause
    assert connection.answer(1, "Catalog.ListModels").models
    connection.next_stream = 3
    expect_kept(connection)
    assert not connection.inbox


# Many frames, cut frames


def test_f9_ten_thousand_tiny_frames_in_one_segment_are_all_served(connection):
    """F9★ → all served, by a loop and not by recursion, K. 500 requests (a tenant's burst is 2,000) among frames of an
    unknown kind that may be skipped."""
    streams = range(1, 1001, 2)
    skipped = Frame(0x80 | 11).encode() * 19
    connection.send(b"".join(skipped + list_models(stream).encode() for stream in streams))
    answered = [connection.answer(stream, "Catalog.ListModels") for stream in streams]
    assert all(answer == answered[0] and answer.models for answer in answered)


def recorded_session() -> list[Frame]:
    """Reads and refusals only, so that two runs answer with the same bytes."""
    unknown = METHODS["Thread.Read"].request(thread=b"0123456789abcdef").SerializeToString()
    return [
        Frame(HELLO, payload=frame_pb2.ClientHello(unwanted_notifications=["thread_started"]).SerializeToString()),
        Frame(PING, payload=frame_pb2.Ping(opaque=b"ping").SerializeToString()),
        list_models(1),
        Frame(REQUEST, METHODS["Catalog.ListFeatures"].number, 3),
        Frame(REQUEST, METHODS["Thread.Read"].number, 5, unknown),
        Frame(REQUEST, 9999, 7),
        Frame(0x80 | 12, payload=b"skip me"),
        Frame(REQUEST, METHODS["Settings.Read"].number, 9, unknown),
        Frame(REQUEST, METHODS["Thread.Read"].number, 11),
    ]


def transcript(server: Server, data: bytes, cut: int) -> list[Frame]:
    """What the server answers when `data` arrives in two pieces, by stream: between streams no order is promised,
    because two of these requests read the disk and may overtake each other."""
    with server.connect(hello=False) as connection:
        connection.send(data[:cut])
        if 0 < cut < len(data):
            time.sleep(0.002)  # so that the pieces are two segments: the kernel says nothing when a peer has read
        connection.send(data[cut:])
        connection.finish()
        frames = []
        while (frame := connection.receive()) is not None:
            frames.append(frame)
        return sorted(frames, key=lambda frame: frame.stream)


def test_f10_a_session_cut_anywhere_is_answered_with_the_same_bytes(server):
    """F10★ recorded session cut at every byte position (all 2-way splits) → byte-identical transcript, K."""
    data = b"".join(frame.encode() for frame in recorded_session())
    whole = transcript(server, data, 0)
    assert [frame.kind for frame in whole] == [HELLO, PONG, RESPONSE, RESPONSE, ERROR, ERROR, ERROR, ERROR]
    # Each connection's own id and time are in the HELLO, which is frame 0.
    with ThreadPoolExecutor(8) as pool:
        for cut, frames in enumerate(pool.map(lambda cut: transcript(server, data, cut), range(1, len(data))), 1):
            assert frames[1:] == whole[1:], f"cut at byte {cut}"


# Noise


@pytest.mark.parametrize("hello", [False, True], ids=["first", "later"])
def test_f11_wrong_magic_closes_without_a_word(server, hello):
    """F11★ wrong magic → Z."""
    with server.connect(hello=hello) as connection:
        connection.send(Frame(PING, magic=0xFB).encode())
        expect_silence(connection)


TLS_CLIENT_HELLO = b"\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03" + bytes(range(200))
PROXY_V2 = b"\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c" + bytes(12)
NOISE = b"\x00" + random.Random(15).randbytes(64 * 1024 - 1)


@pytest.mark.parametrize("data", [
    pytest.param(TLS_CLIENT_HELLO, id="F12-tls"),
    pytest.param(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", id="F15-http2"),
    pytest.param(b"SSH-2.0-OpenSSH_9.2\r\n", id="F15-ssh"),
    pytest.param(b"\x16\x03", id="F15-tls-start"),
    pytest.param(bytes(64), id="F15-zeros"),
    pytest.param(NOISE, id="F15-noise"),
    pytest.param(b"PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n", id="F16-v1"),
    pytest.param(PROXY_V2, id="F16-v2"),
])
def test_f12_f15_f16_what_is_not_ours_closes_without_a_word(server, data):
    """F12★ TLS ClientHello on the plain port, F15 other protocols and noise, F16 PROXY headers → Z."""
    with server.connect(hello=False) as connection:
        connection.send(data)
        expect_silence(connection)


@pytest.mark.parametrize("data", [b"GET / HTTP/1.1\r\nHost: evil\r\n\r\n", b"GET /canary HTTP/1.1\r\nX-A: canary\r\n\r\n"])
def test_f14_http_gets_constant_bytes_and_no_echo(server, data):
    """F14★ `GET / HTTP/1.1` → fixed `HTTP/1.1 400` of constant bytes, echoes nothing, X."""
    answers = []
    for request in (data, b"GET / HTTP/1.1\r\n\r\n"):
        with server.connect(hello=False) as connection:
            connection.send(request)
            answers.append(connection.read_to_end())
    assert answers[0].startswith(b"HTTP/1.1 400")
    assert answers[0] == answers[1]


# Headers


@pytest.mark.parametrize("kind", [0, 11, 0x7F])
def test_f17_an_unknown_kind_without_the_top_bit_is_an_error(connection, kind):
    """F17★ unknown frame type, must-understand → INVALID_ARGUMENT unknown_frame, X."""
    connection.send_frame(Frame(kind, payload=b"x"))
    expect_goaway(connection, "INVALID_ARGUMENT", "unknown_frame")


@pytest.mark.parametrize("kind", [0x80, 0x8B, 0xFF])
def test_f17_an_unknown_kind_with_the_top_bit_is_skipped(connection, kind):
    """F17★ unknown frame type, ignorable → skipped, K."""
    connection.send_frame(Frame(kind, payload=b"from the future"))
    expect_kept(connection)


@pytest.mark.parametrize("flag", [0x01, 0x08, 0x10, 0x20, 0x40])
def test_f18_f25_a_reserved_flag_is_an_error(connection, flag):
    """F18★ reserved flag bit set, F25 "compressed" flag → INVALID_ARGUMENT unknown_flags, X."""
    frame = list_models(1)
    connection.send_frame(Frame(frame.kind, frame.method, frame.stream, frame.payload, flags=flag))
    expect_goaway(connection, "INVALID_ARGUMENT", "unknown_flags")


@pytest.mark.parametrize("version", [0, 2, 255])
def test_f19_an_unsupported_version_names_those_that_are(connection, version):
    """F19★ → FAILED_PRECONDITION unsupported_version{min,max}, X."""
    connection.send_frame(Frame(PING, version=version))
    error = expect_goaway(connection, "FAILED_PRECONDITION", "unsupported_version")
    assert (error.details["min"], error.details["max"]) == ("1", "1")


def test_f19_a_hello_without_a_common_version_is_refused(server):
    """F19★ in HELLO: the versions that the client speaks."""
    with server.connect(hello=False) as connection:
        connection.send_message(HELLO, frame_pb2.ClientHello(versions=[2, 3]))
        expect_goaway(connection, "FAILED_PRECONDITION", "unsupported_version")


@pytest.mark.parametrize("versions", [[1], [1, 2], [2, 1], []], ids=str)
def test_f19_a_hello_with_a_common_version_is_served(server, versions):
    """F19★ beside it: a client that speaks newer versions too, in whatever order it says so, is served by version 1.
    The time in the answer is the wall clock's, in milliseconds."""
    with server.connect(versions=versions) as connection:
        assert connection.server_hello.version == 1
        assert abs(connection.server_hello.server_time / 1000 - time.time()) < 60
        expect_kept(connection)


@pytest.mark.parametrize("number", [0, 1, 100, 9999, 0xFFFF])
def test_f20_an_unknown_method_keeps_the_connection(connection, number):
    """F20★ unknown method → UNIMPLEMENTED unknown_method, K."""
    connection.send_frame(Frame(REQUEST, number, connection.new_stream()))
    frame = connection.terminal(1)
    error = HeddleError(frame_pb2.Error.FromString(frame.body))
    assert (error.code, error.reason) == ("UNIMPLEMENTED", "unknown_method")
    expect_kept(connection)


PLANNED = [name for name, method in METHODS.items()
           if method.has(options_pb2.planned) and not method.has(options_pb2.server_calls_client)]


@pytest.mark.parametrize("name", PLANNED)
def test_f20_a_planned_method_says_so(connection, name):
    """F20★, docs/methods.md: *not yet* answers UNIMPLEMENTED not_implemented, K."""
    error = connection.refusal(name)
    assert (error.code, error.reason) == ("UNIMPLEMENTED", "not_implemented")
    expect_kept(connection)


# Ends


def test_f21_ten_requests_then_fin_get_ten_replies(connection):
    """F21 client half-closes after 10 requests → 10 replies, then close."""
    for stream in range(1, 21, 2):
        connection.send_frame(list_models(stream))
    connection.finish()
    frames = []
    while (frame := connection.receive()) is not None:
        frames.append((frame.kind, frame.stream))
    assert sorted(frames) == [(RESPONSE, stream) for stream in range(1, 21, 2)]


def three_hundred_then_fin(connection):
    """As one piece, so that the FIN is there before the first turn of 64 frames is over."""
    connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
    connection.send(b"".join(list_models(stream).encode() for stream in range(1, 601, 2)))
    connection.finish()


def test_f21_three_hundred_requests_then_fin_get_three_hundred_replies(server):
    """F21, F9: more requests than one turn serves, and the FIN right behind them → as many replies, then close."""
    for _ in range(5):
        with server.connect() as connection:
            three_hundred_then_fin(connection)
            streams = [frame.stream for frame in iter(connection.receive, None) if frame.kind == RESPONSE]
            assert streams == list(range(1, 601, 2))


def test_f21_three_hundred_replies_to_a_slow_reader(tmp_path):
    """F21: what does not fit into the socket when the FIN comes is served when the reader has made room."""
    catalog = tmp_path / "catalog.json"
    catalog.write_text(json.dumps({"models": [
        {"id": f"{number}-{'m' * 200}", "provider": "scripted", "version": "V1"} for number in range(400)]}))
    with Server(tmp_path / "data", "--catalog", catalog) as large, large.connect(timeout=60) as slow_reader:
        slow_reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
        three_hundred_then_fin(slow_reader)
        time.sleep(2)  # the slow reader is what the row is about
        streams = [frame.stream for frame in iter(slow_reader.receive, None) if frame.kind == RESPONSE]
        assert streams == list(range(1, 601, 2))


@pytest.mark.parametrize("last", ["Thread.Subscribe", "Thread.Resume", "cancelled", "stored"])
def test_f21_whatever_the_last_request_is_fin_ends_the_connection(connection, last):
    """F21 with a subscription, a cancelled request or a replayed answer as the last one → answered, then close."""
    thread, key = connection.new_thread().id, last.encode().ljust(16, b"!")
    connection.call("Thread.SetName", key=key, thread=thread, name=last)
    if last == "stored":
        connection.open("Thread.SetName", key=key, thread=thread, name=last)
    elif last == "cancelled":
        frame = connection.request_frame("Thread.SetName", METHODS["Thread.SetName"].request(thread=thread, name="x"))
        connection.send(frame.encode() + Frame(CANCEL, stream=frame.stream).encode())
    else:
        connection.open(last, thread=thread)
    connection.finish()
    answered = False
    while (frame := connection.receive(timeout=60)) is not None:
        answered = answered or frame.kind in (RESPONSE, ERROR)
    assert answered


@pytest.mark.parametrize("end", ["Unsubscribe", "CANCEL"])
def test_f21_a_subscription_that_ended_while_it_opened_does_not_keep_the_connection(connection, end):
    """F21, S6: a subscription whose thread is looked for on the disk, ended before it is found, and FIN → `cancelled`,
    once, then close: its slot is free again."""
    thread = b"0123456789abcdef"
    opening = connection.request_frame("Thread.Subscribe", METHODS["Thread.Subscribe"].request(thread=thread))
    if end == "CANCEL":
        ending = Frame(CANCEL, stream=opening.stream)
    else:
        ending = connection.request_frame("Thread.Unsubscribe", METHODS["Thread.Unsubscribe"].request(thread=thread))
    connection.send(opening.encode() + ending.encode())
    connection.finish()
    frames = list(iter(connection.receive, None))
    ends = [frame for frame in frames if frame.stream == opening.stream]
    assert [HeddleError(frame_pb2.Error.FromString(frame.body)).reason for frame in ends] == ["cancelled"]
    assert len(frames) == (1 if end == "CANCEL" else 2)


def test_f21_large_replies_to_a_slow_reader_arrive_whole(server):
    """F21 on a slow link: the end comes behind the last reply, not half a second after the FIN."""
    with server.connect(timeout=60) as connection:
        thread, follower = connection.start_followed()
        follower.run("!flood 3900000\nx", thread=thread.id, timeout=60)
    with server.connect(timeout=60) as slow_reader:
        slow_reader.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
        streams = [slow_reader.open("Thread.ListItems", thread=thread.id) for _ in range(10)]
        slow_reader.finish()
        time.sleep(2)  # the slow reader is what the row is about
        for stream in streams:
            assert len(slow_reader.answer(stream, "Thread.ListItems").items) == 2
        assert slow_reader.receive() is None


def test_f22_a_reset_in_the_middle_of_a_reply_leaves_nothing(server, connection):
    """F22★ RST in the middle of a reply → subscriptions gone ≤ 1 s."""
    quiet = connection.call("Server.Status").connections
    broken = server.connect()
    thread, follower = broken.start_followed()
    broken.start_turn(thread.id, "!chunks 40\n!delay 20\ntext that nobody reads")
    follower.until_text()
    broken.reset()
    deadline = time.monotonic() + 1 + LATE_SECONDS
    while connection.call("Server.Status").connections > quiet:
        assert time.monotonic() < deadline, "the connection is still there"
        time.sleep(0.05)  # the server tells nobody when a connection goes


def test_f23_what_comes_after_goaway_is_drained_and_closed(connection):
    """F23 sends on after our GOAWAY → ≤ 64 KiB drained, then closed, Z."""
    connection.send_frame(Frame(11, payload=b"x"))
    try:
        for _ in range(TAKEN_BYTES // (16 * 1024)):
            connection.send(bytes(16 * 1024))
    except TimeoutError as neither:
        raise AssertionError("the server neither reads nor closes") from neither
    except OSError:
        return
    raise AssertionError("the server reads on")


# Flipped bits


def flippable_session(thread: bytes) -> list[Frame]:
    """Frames of every kind that a client sends, reads and changes, with and without metadata."""
    streams = itertools.count(1, 2)

    def request(method, key=None, **fields):
        front = frame_pb2.Metadata(idempotency_key=key, request_id="flip").SerializeToString() if key else b""
        body = METHODS[method].request(**fields).SerializeToString()
        return Frame(REQUEST, METHODS[method].number, next(streams), front + body, metadata_length=len(front))

    hello = frame_pb2.ClientHello(versions=[1], client_name="flip", features=["x"], unwanted_notifications=["thread_started"])
    settings = {"model": "scripted", "mode": {"set": "MULTI_AGENT_MODE_PROACTIVE"}, "temperature": 0.5,
                "metadata": [{"name": "n", "value": "v"}], "clear": [2]}
    return [
        Frame(HELLO, payload=hello.SerializeToString()),
        Frame(PING, payload=frame_pb2.Ping(opaque=b"p").SerializeToString()),
        request("Catalog.ListModels", include_hidden=True),
        request("Catalog.ListFeatures"),
        request("Thread.List", page_size=1, order=2, archived=False),
        request("Thread.Read", thread=thread),
        request("Thread.SetName", b"key-of-the-flips", thread=thread, name="name"),
        request("Settings.Update", thread=thread, change=settings),
        request("Turn.Start", b"key-of-the-turns", thread=thread, input=words("!say hi"), when_busy=3),
        request("Thread.ListItems", thread=thread, page_size=2),
        request("Thread.Fork", b"key-of-the-forks", thread=thread, subscribe=False),
        request("Turn.Interrupt", thread=thread, turn=b"no turn has this"),
        request("Thread.Subscribe", thread=thread, kinds=[1, 2], credit=100),
        Frame(CREDIT, stream=21, payload=frame_pb2.Credit(bytes=1000).SerializeToString()),
        request("Thread.SetName", thread=b"0123456789abcdef", name="nobody's"),
        Frame(CANCEL, stream=23),
        request("Server.Status"),
    ]


def check_answer(frame: Frame):
    """A right answer or a listed error: HeddleError checks the list."""
    if frame.kind == RESPONSE:
        METHOD_OF_NUMBER[frame.method].response.FromString(frame.body)
    elif frame.kind == ERROR:
        HeddleError(frame_pb2.Error.FromString(frame.body))
    elif frame.kind == GOAWAY:
        HeddleError(frame_pb2.GoAway.FromString(frame.body).error)
    elif frame.kind == EVENT:
        event_pb2.SubscriptionEvent.FromString(frame.body)
    else:
        assert frame.kind in (HELLO, PONG), frame


def flip(server: Server, data: bytes, bit: int):
    """One session with one bit flipped, half-closed so that it ends."""
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    try:
        with server.connect(hello=False) as connection:
            connection.send(bytes(changed))
            connection.finish()
            while (frame := connection.receive()) is not None:
                check_answer(frame)
    except (BrokenPipeError, ConnectionResetError):
        pass  # closed while we sent: allowed
    except Exception as failure:
        raise AssertionError(f"bit {bit} of {changed.hex()}") from failure


def test_f24_flipped_bits_get_a_right_answer_a_listed_error_or_a_close(fresh):
    """F24★ valid sessions, each with one bit flipped → only: right answer, a listed error, or close.
    HEDDLE_FLIPS says how many (0: every bit of the session once, about 5,000)."""
    with fresh.connect() as connection:
        thread = connection.new_thread().id
    data = b"".join(frame.encode() for frame in flippable_session(thread))
    bits = list(range(8 * len(data)))
    seed = random.randrange(1 << 32)
    random.Random(seed).shuffle(bits)
    print(f"F24 seed {seed}")
    count = int(os.environ.get("HEDDLE_FLIPS", "2000")) or len(bits)
    with ThreadPoolExecutor(16) as pool:
        for _ in pool.map(lambda bit: flip(fresh, data, bit), bits[:count]):
            pass
    assert fresh.alive, fresh.log_text()[-2000:]
    with fresh.connect() as connection:
        expect_kept(connection)


def test_a_metadata_length_beyond_the_frame_is_an_error(server, connection):
    """A gap in the list: metadata longer than the payload makes the envelope unreadable → malformed, X."""
    frame = list_models(1, b"\x08\x01")
    header = HEADER.pack(0xFA, frame.kind, frame.method, frame.stream, 1, 3, 0, 2)
    connection.send(header + frame.payload)
    expect_goaway(connection, "INVALID_ARGUMENT", "malformed")


# The slow attacks, judged


def test_r9_mistakes_are_forgotten_after_half_a_minute(slow):
    """R9★ beside it, limits: glitches of 30 s count; 150, and 150 more when they have passed, K; 150 more right behind
    those → enhance_your_calm, X: an old connection's count as long as a new one's."""
    assert slow.clumsy.result(timeout=GLITCH_SECONDS + PATIENCE_SECONDS) == 300


def test_s3_who_says_nothing_is_closed_after_five_seconds(slow):
    """S3★ connects, says nothing → closed at 5 s, Z."""
    seconds = slow.silent.result(timeout=PATIENCE_SECONDS)
    assert -EARLY_SECONDS <= seconds - HELLO_DEADLINE_SECONDS <= LATE_SECONDS


def test_f6_promised_bytes_cost_nothing_and_time_out(slow):
    """F6★ says 4 MiB, sends 10 bytes, waits (200 connections: a fifth of what a tenant may have)
    → DEADLINE_EXCEEDED frame_timeout at 30 s; buffers grow with bytes received, not promised, X."""
    assert slow.server.resident_bytes() - slow.quiet < 64 << 20
    for connection in slow.promised:
        expect_goaway(connection, "DEADLINE_EXCEEDED", "frame_timeout")
    assert time.monotonic() - slow.begin >= FRAME_DEADLINE_SECONDS - EARLY_SECONDS, "too early"


def test_f8_one_byte_in_ten_seconds_is_too_slow(slow):
    """F8★ one byte per 10 s → frame_timeout, 30 s after the first, X."""
    seconds = slow.dripping.result(timeout=FRAME_DEADLINE_SECONDS + PATIENCE_SECONDS)
    assert -EARLY_SECONDS <= seconds - FRAME_DEADLINE_SECONDS <= LATE_SECONDS


def test_a_quiet_subscription_is_told_that_it_misses_nothing(slow):
    """Bookmarkable: Progress every 15 s on quiet threads; protocol.md, limits: the server pings after 30 s."""
    progress, pinged = slow.idle.result(timeout=2 * PATIENCE_SECONDS)
    assert -EARLY_SECONDS <= progress - PROGRESS_SECONDS <= LATE_SECONDS
    assert pinged <= PING_SECONDS + PROGRESS_SECONDS + LATE_SECONDS


def test_r4_who_stops_reading_costs_little_and_misses_nothing(slow):
    """R4★ reader stops, 24 MiB of events behind it → ≤ 1 MiB held (64 MiB of the process: 4.1), slow_consumer at 30 s,
    resume complete, X."""
    grown, last, reasons, head = slow.stuck.result(timeout=SLOW_CONSUMER_SECONDS + 3 * PATIENCE_SECONDS)
    assert grown <= 64 << 20, f"memory grew by {grown >> 20} MiB"
    # The GOAWAY waits behind what the client did not take; it may be cut off with it.
    assert reasons in (["slow_consumer"], [])
    assert last == head
