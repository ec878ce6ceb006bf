"""docs/attacks.md, Frames: F1 to F26."""

import concurrent.futures
import itertools
import random
import time

from attack import Attack
from harness.connection import Connection
from harness.ends import EARLY_SECONDS, LATE_SECONDS, eventually, expect_goaway, expect_kept, expect_silence, is_refusal
from harness.messages import METHODS, METHOD_OF_NUMBER, event_pb2, fields_for, frame_pb2, words
from harness.protobuf import bytes_field, padded
from harness.wire import (
    BEFORE_HELLO_BYTES, CANCEL, CREDIT, ERROR, EVENT, FRAME_BYTES, GOAWAY, HEADER, HELLO, MAGIC, PING, PONG, REQUEST,
    RESPONSE, Frame, HeddleError)
from rows import OWN, SLOW, row
from world import CANARY

FRAME_SECONDS, HELLO_SECONDS = 30, 5


def status(stream: int, payload: bytes = b"") -> Frame:
    return Frame(REQUEST, METHODS["Server.Status"].number, stream, payload)


# Lengths


@row("F1★")
def f1(attack: Attack):
    """length 0 of a kind that says something → empty_frame, X; an empty REQUEST or RESPONSE is an empty message"""
    for kind in (HELLO, CREDIT, EVENT, ERROR):
        peer = attack.connect(hello=kind != HELLO)
        peer.send(Frame(kind, stream=0 if kind == HELLO else 1).encode())
        expect_goaway(peer, "INVALID_ARGUMENT", "empty_frame")
    peer = attack.connect()
    peer.send(Frame(RESPONSE, stream=2).encode() + status(1).encode())
    is_refusal(peer.error(), "FAILED_PRECONDITION", "unknown_server_request")  # there was no request
    assert peer.answer(1, "Server.Status").durability == "synced"


@row("F2★")
def f2(attack: Attack):
    """length exactly the maximum, before and after HELLO → served, K"""
    peer = attack.connect(hello=False)
    peer.send(Frame(HELLO, payload=padded(b"", BEFORE_HELLO_BYTES)).encode())
    peer.wait_for(lambda frame: frame.kind == HELLO)
    peer.send(status(1, padded(b"", FRAME_BYTES)).encode())
    assert peer.answer(1, "Server.Status").durability == "synced"
    peer.next_stream = 3
    expect_kept(peer)


@row("F3★")
def f3(attack: Attack):
    """maximum + 1 → frame_too_large before one payload byte, X"""
    peer = attack.connect()
    before = attack.server.resident_bytes()
    peer.send(status(1).encode(length=FRAME_BYTES + 1))
    expect_goaway(peer, "RESOURCE_EXHAUSTED", "frame_too_large", limit=str(FRAME_BYTES))
    assert attack.server.resident_bytes() - before < 2 << 20, "allocated by what was promised"
    peer = attack.connect(hello=False)
    peer.send(Frame(HELLO).encode(length=BEFORE_HELLO_BYTES + 1))
    expect_goaway(peer, "RESOURCE_EXHAUSTED", "frame_too_large", limit=str(BEFORE_HELLO_BYTES))


@row("F4★")
def f4(attack: Attack):
    """length 0xFFFFFFFF, 64 times → frame_too_large, X; less than 64 KiB each"""
    peers = attack.connect_many(64)
    before = attack.server.resident_bytes()
    for peer in peers:
        peer.send(status(1).encode(length=0xFFFFFFFF))
    for peer in peers:
        expect_goaway(peer, "RESOURCE_EXHAUSTED", "frame_too_large")
    grown = attack.server.resident_bytes() - before
    assert grown < 64 * 64 * 1024, f"{grown >> 10} KiB for 64 promises"


@row("F5★")
def f5(attack: Attack):
    """says 1 MiB, sends 10 bytes, FIN → nothing executed, Z"""
    looking = attack.connect()
    peer = attack.connect()
    name = f"cut {CANARY}"
    front = bytes_field(2, name.encode())[:10]
    peer.send(Frame(REQUEST, METHODS["Thread.Start"].number, 1).encode(length=1 << 20) + front)
    peer.finish()
    expect_silence(peer)
    assert not looking.call("Thread.List", text="cut ").threads


@row("F6★", on=SLOW)
def f6(attack: Attack):
    """says 4 MiB, sends 10 bytes, waits, on 200 connections (1,000 by hand) → frame_timeout at 30 s, X"""
    count = attack.size(200, 1_000)
    before = attack.server.resident_bytes()
    peers = []
    for _ in range(count):
        peer = attack.connect()
        peers.append((peer, time.monotonic()))
        peer.send(status(1).encode(length=FRAME_BYTES) + bytes(10))
    grown = attack.server.resident_bytes() - before
    # 4 MiB each were promised; R1 allows 16 KiB a connection, and what other rows of the lane do is beside it.
    attack.note(f"{grown / count / 1024:.1f} KiB each")
    assert grown < (count * 64 << 10) + (16 << 20), f"{grown >> 20} MiB for {count} promises"
    for peer, began in peers:
        expect_goaway(peer, "DEADLINE_EXCEEDED", "frame_timeout")
        seconds = time.monotonic() - began
        # From here the time runs when the bytes were sent, in the server when they came.
        assert seconds >= FRAME_SECONDS - EARLY_SECONDS, f"after {seconds:.1f} s"


@row("F7★")
def f7(attack: Attack):
    """valid request one byte per 50 ms → served, once, K"""
    peer = attack.connect()
    for byte in status(1).encode():
        peer.send(bytes([byte]))
        time.sleep(0.05)  # the row names this pause
    assert peer.answer(1, "Server.Status").durability == "synced"
    peer.next_stream = 3
    expect_kept(peer)
    assert not peer.inbox


@row("F8★", on=SLOW)
def f8(attack: Attack):
    """one byte per 10 s → frame_timeout at 30 s, X"""
    peer = attack.connect()
    began = time.monotonic()
    for byte in status(1).encode()[:3]:
        peer.send(bytes([byte]))
        time.sleep(10)  # the row names this pause
    expect_goaway(peer, "DEADLINE_EXCEEDED", "frame_timeout")
    assert -EARLY_SECONDS <= time.monotonic() - began - FRAME_SECONDS <= LATE_SECONDS


@row("F9★")
def f9(attack: Attack):
    """10,000 tiny frames in one segment → all served, by a loop; others get their turn, K"""
    peer = attack.connect(timeout=60)
    streams = range(1, 20_001, 2)
    peer.send(b"".join(status(stream).encode() for stream in streams))
    for stream in streams:
        frame = peer.receive()
        assert (frame.kind, frame.stream) == (RESPONSE, stream), frame
    skipped = attack.connect()
    skipped.send(Frame(0x80 | 11).encode() * 10_000)
    expect_kept(skipped)
    mixed, streams = attack.connect(), range(1, 1_001, 2)
    mixed.send(b"".join(Frame(0x80 | 11).encode() * 19 + status(stream).encode() for stream in streams))
    for stream in streams:
        mixed.answer(stream, "Server.Status")


def recorded() -> list[Frame]:
    """Reads and refusals, so that two runs get the same bytes."""
    unknown = METHODS["Thread.Read"].request(thread=b"0123456789abcdef").SerializeToString()
    return [
        Connection.hello_frame(client_name="cut", quiet=True),
        Frame(PING, payload=frame_pb2.Ping(opaque=b"ping").SerializeToString()),
        Frame(REQUEST, METHODS["Catalog.ListModels"].number, 1),
        Frame(REQUEST, METHODS["Catalog.ListFeatures"].number, 3),
        Frame(REQUEST, METHODS["Thread.Read"].number, 5, unknown),
        Frame(REQUEST, 9999, 7),
        Frame(0x80 | 12, payload=b"skip me"),
        Frame(REQUEST, METHODS["Settings.Read"].number, 9, unknown),
        Frame(REQUEST, METHODS["Thread.Read"].number, 11),
    ]


def transcript(attack: Attack, data: bytes, cut: int) -> list[Frame]:
    """The answers to bytes in two pieces, by stream: between streams no order is promised."""
    with attack.connect(hello=False) as peer:
        peer.send(data[:cut])
        if 0 < cut < len(data):
            time.sleep(0.002)  # two segments: there is no sign that the peer has read
        peer.send(data[cut:])
        peer.finish()
        frames = []
        while (frame := peer.receive()) is not None:
            frames.append(frame)
        return sorted(frames, key=lambda frame: frame.stream)


@row("F10★")
def f10(attack: Attack):
    """a recorded session cut at every byte → byte-identical transcript, K"""
    data = b"".join(frame.encode() for frame in recorded())
    whole = transcript(attack, data, 0)
    assert [frame.kind for frame in whole] == [HELLO, PONG, RESPONSE, RESPONSE, ERROR, ERROR, ERROR, ERROR], whole
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for cut, frames in enumerate(pool.map(lambda at: transcript(attack, data, at), range(1, len(data))), 1):
            # Each connection's own id and the time are in the HELLO, frame 0.
            assert frames[1:] == whole[1:], f"cut at byte {cut}"
    attack.note(f"{len(data) - 1} cuts")


# Noise


def is_noise(attack: Attack, data: bytes, hello: bool = False):
    peer = attack.connect(hello=hello)
    try:
        peer.send(data)
    except (BrokenPipeError, ConnectionResetError):
        pass  # closed while it was sent
    expect_silence(peer)


@row("F11★")
def f11(attack: Attack):
    """wrong magic, first or later → Z"""
    for hello in (False, True):
        for magic in (0x00, 0xFB, 0x7A, 0xFF):
            is_noise(attack, Frame(PING, magic=magic).encode(), hello)


@row("F12★")
def f12(attack: Attack):
    """TLS ClientHello on the plain port → Z"""
    is_noise(attack, b"\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03" + bytes(range(200)))
    attack.note("the counter is not shown by any port yet")


@row("F14★")
def f14(attack: Attack):
    """`GET / HTTP/1.1` → constant bytes, no echo, X"""
    answers = set()
    for method in ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "CONNECT"):
        for rest in (" / HTTP/1.1\r\n\r\n", f" /{CANARY} HTTP/1.1\r\nHost: {CANARY}\r\n\r\n"):
            peer = attack.connect(hello=False)
            peer.send((method + rest).encode())
            answers.add(peer.read_to_end())
    assert len(answers) == 1 and answers.pop().startswith(b"HTTP/1.1 400 "), answers


@row("F15")
def f15(attack: Attack):
    """PRI * HTTP/2.0, SSH banner, a piece of TLS, zeros, 64 KiB noise → Z"""
    noise = b"\x00" + random.Random(15).randbytes(64 * 1024 - 1)
    for data in (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n", b"\x16\x03", bytes(64), noise):
        is_noise(attack, data)


@row("F16")
def f16(attack: Attack):
    """PROXY v1 and v2 headers while switched off → Z"""
    is_noise(attack, b"PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n")
    is_noise(attack, b"\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c" + bytes(12))
    attack.note("there is no switch to turn them on")


# Headers


@row("F17★")
def f17(attack: Attack):
    """unknown kind: must-understand → unknown_frame, X; ignorable → skipped, K"""
    for kind in (0, 11, 12, 0x7F):
        peer = attack.connect()
        peer.send(Frame(kind, payload=b"x").encode())
        expect_goaway(peer, "INVALID_ARGUMENT", "unknown_frame")
    peer = attack.connect()
    for kind in (0x80, 0x8B, 0xFF):
        peer.send(Frame(kind, payload=b"from the future", flags=0xFF, stream=7).encode())
        expect_kept(peer)


@row("F18★")
def f18(attack: Attack):
    """each reserved flag bit → unknown_flags, X"""
    for flag in (0x08, 0x10, 0x20, 0x40):
        peer = attack.connect()
        peer.send(status(1).but(flags=flag).encode())
        expect_goaway(peer, "INVALID_ARGUMENT", "unknown_flags")


@row("F19★")
def f19(attack: Attack):
    """unsupported version, in a header and in HELLO → unsupported_version{min,max}, X"""
    for version in (0, 2, 255):
        peer = attack.connect()
        peer.send(Frame(PING, version=version).encode())
        expect_goaway(peer, "FAILED_PRECONDITION", "unsupported_version", min="1", max="1")
    peer = attack.connect(hello=False)
    peer.send(Connection.hello_frame(versions=[2, 3], quiet=True).encode())
    expect_goaway(peer, "FAILED_PRECONDITION", "unsupported_version", min="1", max="1")
    # A client that speaks newer versions too, in any order, is served by version 1.
    for versions in ([1], [1, 2], [2, 1], []):
        peer = attack.connect(versions=versions)
        assert peer.server_hello.version == 1
        assert abs(peer.server_hello.server_time / 1000 - time.time()) < 60, "the wall clock's milliseconds"
        expect_kept(peer)


@row("F20★")
def f20(attack: Attack):
    """unknown method → unknown_method, K"""
    peer = attack.connect()
    for number in (0, 1, 100, 120, 9999, 0x8000, 0xFFFF):
        stream = peer.new_stream()
        peer.send(Frame(REQUEST, number, stream).encode())
        is_refusal(peer.error(stream=stream), "UNIMPLEMENTED", "unknown_method")
        expect_kept(peer)
    for name, method in METHODS.items():
        if method.is_planned and not method.asks_client:
            is_refusal(peer.refusal(name), "UNIMPLEMENTED", "not_implemented")
            expect_kept(peer)


# Ends


@row("F21")
def f21(attack: Attack):
    """client half-closes after 10 requests → 10 replies, then close"""
    thread = attack.thread(attack.connect())
    for name in ("Server.Status", "Thread.Read", "Thread.SetName", "Thread.Subscribe", "Thread.ListItems"):
        peer = attack.connect()
        fields = {} if name == "Server.Status" else fields_for(name, thread)
        frames = [peer.request_frame(name, **fields) for _ in range(10)]
        peer.send(b"".join(frame.encode() for frame in frames))
        peer.finish()
        replies = []
        while (frame := peer.receive()) is not None:
            if frame.kind in (RESPONSE, ERROR):
                replies.append(frame.stream)
        assert sorted(replies) == [frame.stream for frame in frames], f"{name}: {replies}"


@row("F22★")
def f22(attack: Attack):
    """RST in the middle of a reply → subscriptions gone within a second"""
    looking = attack.connect()
    quiet = looking.call("Server.Status").connections
    turns = []
    for _ in range(attack.size(8, 64)):
        peer = attack.connect()
        thread, feed = attack.follow_new(peer)
        turns.append((thread, attack.turn(peer, thread, "!chunks 200", "!delay 20", "!flood 0")))
        feed.until_kind("delta", "snapshot")
        peer.open("Thread.ListItems", thread=thread)
        peer.reset()
    eventually(lambda: looking.call("Server.Status").connections <= quiet, "they are gone", 1 + LATE_SECONDS)
    for thread, turn in turns:
        looking.call("Turn.Interrupt", thread=thread, turn=turn)


@row("F23")
def f23(attack: Attack):
    """sends on after our GOAWAY → at most 64 KiB drained, then closed, Z"""
    peer, sent = attack.connect(), 0
    peer.send(Frame(11, payload=b"x").encode())
    peer.wait_for(lambda frame: frame.kind == GOAWAY)
    try:
        while sent < 256 << 20:  # far more than the buffers of two sockets hold
            peer.send(bytes(16 * 1024))
            sent += 16 * 1024
    except TimeoutError as neither:
        raise AssertionError("the server neither reads nor closes") from neither
    except OSError:
        peer.close()
        return
    raise AssertionError(f"the server reads on: {sent >> 20} MiB")


# Flipped bits


def session(thread: bytes) -> list[Frame]:
    """Frames of every kind that a client sends, with and without metadata."""
    streams = itertools.count(1, 2)

    def request(method, key=None, /, **fields):
        front = frame_pb2.Metadata(idempotency_key=key, request_id="flip").SerializeToString() if key else b""
        body = METHODS[method].request(**fields).SerializeToString()
        return Frame(REQUEST, METHODS[method].number, next(streams), front + body, metadata_length=len(front))
    settings = {"model": "scripted", "mode": {"set": "MULTI_AGENT_MODE_PROACTIVE"}, "temperature": 0.5,
                "metadata": [{"name": "n", "value": "v"}], "clear": [2], "agent_depth": 2}
    tool = {"name": "look", "description": "looks", "schema": "{}"}
    return [
        Connection.hello_frame(versions=[1], client_name="flip", features=["call_tool"], quiet=True),
        Frame(PING, payload=frame_pb2.Ping(opaque=b"p").SerializeToString()),
        request("Catalog.ListModels", include_hidden=True),
        request("Catalog.ListFeatures"),
        request("Thread.List", page_size=1, order=2, archived=False),
        request("Thread.Start", b"key-of-the-start", subscribe=False, tools=[tool], asks_user=True),
        request("Thread.Read", thread=thread),
        request("Thread.SetName", b"key-of-the-flips", thread=thread, name="name"),
        request("Settings.Update", thread=thread, change=settings),
        request("Turn.Start", b"key-of-the-turns", thread=thread, input=words("!say hi"), when_busy=3),
        request("Thread.ListItems", thread=thread, page_size=2),
        request("Thread.Fork", b"key-of-the-forks", thread=thread, subscribe=False),
        request("Turn.Interrupt", thread=thread, turn=b"no turn has this"),
        request("Agent.ListTree", thread=thread),
        request("Thread.Subscribe", thread=thread, kinds=[1, 2], credit=100),
        Frame(CREDIT, stream=25, payload=frame_pb2.Credit(bytes=1000).SerializeToString()),
        request("Thread.SetName", thread=b"0123456789abcdef", name="nobody's"),
        Frame(CANCEL, stream=27),
        Frame(PONG, payload=frame_pb2.Pong(opaque=b"p").SerializeToString()),
        request("Server.Status"),
    ]


def is_listed(frame: Frame):
    """A right answer or a listed error: `HeddleError` looks at the list."""
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


def flip(attack: Attack, server, data: bytes, bit: int):
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    try:
        with attack.connect(hello=False, server=server) as peer:
            peer.send(bytes(changed))
            peer.finish()
            while (frame := peer.receive()) is not None:
                is_listed(frame)
    except (BrokenPipeError, ConnectionResetError):
        pass  # closed while it was sent
    except Exception as failure:
        raise AssertionError(f"bit {bit} of {len(data) * 8}: {failure}") from failure
    finally:
        attack.peers.clear()


@row("F24★", on=OWN)
def f24(attack: Attack):
    """valid sessions, each with one bit flipped → a right answer, a listed error, or a close"""
    server = attack.start()
    with attack.connect(server=server) as peer:
        thread = attack.thread(peer)
    data = b"".join(frame.encode() for frame in session(thread))
    bits = list(range(8 * len(data)))
    seed = random.randrange(1 << 32)
    random.Random(seed).shuffle(bits)
    count = attack.size(3_200, 10_000)
    chosen = (bits * (count // len(bits) + 1))[:count]
    attack.note(f"{count} flips, seed {seed}")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for _ in pool.map(lambda bit: flip(attack, server, data, bit), chosen):
            pass
    assert server.alive
    with attack.connect(server=server) as peer:
        expect_kept(peer)


@row("F25")
def f25(attack: Attack):
    """"compressed" flag → unknown_flags, X"""
    peer = attack.connect()
    peer.send(status(1).but(flags=0x01).encode())
    expect_goaway(peer, "INVALID_ARGUMENT", "unknown_flags")
    peer = attack.connect()
    peer.send(HEADER.pack(MAGIC, REQUEST, METHODS["Server.Status"].number, 1, 1, 3, 0, 2) + b"\x08\x01")
    expect_goaway(peer, "INVALID_ARGUMENT", "malformed")  # metadata longer than its frame: the envelope cannot be read


@row("F26", on=SLOW)
def f26(attack: Attack):
    """ignorable kind that says 4 MiB, sends 10 bytes, waits → frame_timeout at 30 s, X; before HELLO closed at 5 s"""
    peer, new = attack.connect(), attack.connect(hello=False)
    began = time.monotonic()
    new.send(Frame(0x8B).encode(length=BEFORE_HELLO_BYTES) + bytes(10))
    peer.send(Frame(0x8B).encode(length=FRAME_BYTES) + bytes(10))
    expect_silence(new)
    assert -EARLY_SECONDS <= time.monotonic() - began - HELLO_SECONDS <= LATE_SECONDS
    expect_goaway(peer, "DEADLINE_EXCEEDED", "frame_timeout")
    assert -EARLY_SECONDS <= time.monotonic() - began - FRAME_SECONDS <= LATE_SECONDS

