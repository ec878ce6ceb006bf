"""docs/attacks.md, Protobuf: P1 to P24. The envelope readable → K; the envelope itself unreadable → X."""

import math
import struct

from attack import Attack
from harness.connection import Connection
from harness.ends import expect_goaway, expect_kept, is_refusal, refused_and_kept
from harness.messages import METHODS, SERVED, frame_pb2, item_text, settings_pb2, thread_pb2, turn_pb2, words
from harness.protobuf import bytes_field, number_field, tag, varint
from harness.wire import FRAME_BYTES, REQUEST, Frame, HeddleError
from rows import row
from world import CANARY

UNKNOWN = b"0123456789abcdef"
ID = bytes_field(1, UNKNOWN)
INVALID = "INVALID_ARGUMENT"


def malformed(attack: Attack, *bodies: bytes):
    """In a message K; as metadata, which is the envelope, X and nothing executed."""
    peer = attack.connect()
    for body in bodies:
        refused_and_kept(peer, "Thread.Read", ID + body, INVALID, "malformed")
    name = f"envelope {CANARY}"
    body = thread_pb2.StartThreadRequest(name=name, subscribe=False).SerializeToString()
    for front in bodies:
        broken = attack.connect()
        frame = Frame(REQUEST, METHODS["Thread.Start"].number, 1, front + body, metadata_length=len(front))
        broken.send(frame.encode())
        expect_goaway(broken, INVALID, "malformed")
    assert not peer.call("Thread.List", text="envelope").threads, "executed all the same"


@row("P1★")
def p1(attack: Attack):
    """group wire types 3 and 4 → malformed, K; in the envelope X"""
    malformed(attack, tag(9, 3), tag(9, 4), tag(9, 3) + tag(9, 4), tag(9, 3) * 10_000, tag(1, 3))


@row("P2★")
def p2(attack: Attack):
    """wire types 6 and 7 → malformed, K; in the envelope X"""
    malformed(attack, tag(9, 6), tag(9, 7), tag(1, 6), tag(1, 7))


@row("P3★")
def p3(attack: Attack):
    """field number 0, tag of 2²⁹ and more → malformed, K; in the envelope X"""
    malformed(attack, tag(0, 0) + b"\x01", tag(0, 2) + b"\x00", varint(1 << 32) + b"\x01", varint(1 << 63) + b"\x01")


@row("P4★")
def p4(attack: Attack):
    """11-byte varint, truncated varint, tag and fixed numbers → malformed, K; in the envelope X"""
    malformed(attack, tag(9, 0) + b"\x80" * 10 + b"\x01", tag(9, 0) + b"\x80", b"\x80", tag(9, 1) + bytes(7),
              tag(9, 5) + bytes(3), b"\x80" * 10 + b"\x01", tag(5, 0) + b"\x80")


@row("P5★")
def p5(attack: Attack):
    """10-byte varint with bits over 64 → malformed, K; in the envelope X"""
    malformed(attack, tag(9, 0) + b"\xff" * 9 + b"\x02", tag(9, 0) + b"\xff" * 9 + b"\x7f")


@row("P6")
def p6(attack: Attack):
    """overlong but valid varint → accepted, same idempotency hash, K"""
    peer = attack.connect()
    thread, key = attack.thread(peer), b"P6-overlong-key."
    # Tags and lengths have 5 bytes at most in Google's parsers too, values 10.
    overlong = varint(1 << 3 | 2, pad_to=5) + varint(16, pad_to=5) + thread + tag(2, 2) + varint(4, pad_to=3) + b"name"
    first = peer.call("Thread.SetName", overlong, key=key)
    again = peer.call("Thread.SetName", key=key, thread=thread, name="name")
    assert again.replayed and again.sequence == first.sequence
    key = b"P6-overlong-bool"
    front = bytes_field(2, b"overlong") + tag(4, 0)
    first = peer.call("Thread.Start", front + varint(0, pad_to=10), key=key)
    again = peer.call("Thread.Start", key=key, name="overlong", subscribe=False)
    assert again.replayed and again.thread.id == first.thread.id


@row("P7★")
def p7(attack: Attack):
    """inner length past the end, 2³¹, 2⁶³ → malformed, K; in the envelope X"""
    malformed(attack, *(tag(number, 2) + varint(length) + UNKNOWN for number in (1, 9)
                        for length in (17, 127, 1 << 31, (1 << 32) - 1, 1 << 63, (1 << 64) - 1)))


@row("P8★")
def p8(attack: Attack):
    """known field with the wrong wire type, at every depth → malformed, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    for body in (number_field(1, 1), tag(1, 5) + bytes(4), tag(1, 1) + bytes(8)):
        refused_and_kept(peer, "Thread.Read", body, INVALID, "malformed")
    inner = bytes_field(1, thread) + bytes_field(2, number_field(1, 5))
    refused_and_kept(peer, "Settings.Update", inner, INVALID, "malformed")
    for name in SERVED:
        field = METHODS[name].request.DESCRIPTOR.fields_by_number.get(1)
        if field is None:
            continue
        wrong = number_field(1, 1) if field.type in (9, 11, 12) else tag(1, 5) + bytes(4)
        refused_and_kept(peer, name, wrong, INVALID, "malformed")
    # The bytes of one method under the number of another are refused, not misread.
    body = turn_pb2.StartTurnRequest(thread=thread, input=words("hello"))
    assert peer.refusal("Settings.Update", body).code == INVALID


# Text


@row("P9★")
def p9(attack: Attack):
    """invalid UTF-8 in a string → invalid_utf8{field}, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    front = bytes_field(1, thread)
    for text in (b"\xc3\x28", b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"cut \xe2\x82", b"\x80"):
        refused_and_kept(peer, "Thread.SetName", front + bytes_field(2, text), INVALID, "invalid_utf8", "name")
        deep = front + bytes_field(2, bytes_field(1, bytes_field(1, text)))
        refused_and_kept(peer, "Turn.Start", deep, INVALID, "invalid_utf8", "text")
        is_refusal(named_by(peer, text), INVALID, "invalid_utf8", "request_id")
    expect_kept(peer)


def named_by(peer: Connection, text: bytes) -> HeddleError:
    """The answer to a request whose envelope can be read, with a text in it that is none."""
    envelope, stream = bytes_field(3, text), peer.new_stream()
    frame = Frame(REQUEST, METHODS["Server.Status"].number, stream, envelope, metadata_length=len(envelope))
    peer.send(frame.encode())
    return peer.error(stream=stream)


@row("P10★")
def p10(attack: Attack):
    """NUL inside a string → embedded_nul{field}, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    front = bytes_field(1, thread)
    for text in (b"a\x00b", b"\x00", b"a\x00"):
        refused_and_kept(peer, "Thread.SetName", front + bytes_field(2, text), INVALID, "embedded_nul", "name")
        deep = front + bytes_field(2, bytes_field(1, bytes_field(1, text)))
        refused_and_kept(peer, "Turn.Start", deep, INVALID, "embedded_nul", "text")
        is_refusal(named_by(peer, text), INVALID, "embedded_nul", "request_id")
    expect_kept(peer)
    refused = attack.connect(hello=False)
    refused.send(Frame(10, payload=bytes_field(4, b"token\x00more")).encode())
    expect_goaway(refused, INVALID, "embedded_nul")


# Twice


@row("P11")
def p11(attack: Attack):
    """singular field twice → the last wins, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    peer.call("Thread.SetName", bytes_field(1, UNKNOWN) + bytes_field(2, b"first") + bytes_field(2, b"last")
              + bytes_field(1, thread))
    assert peer.call("Thread.Read", thread=thread).thread.name == "last"


@row("P12")
def p12(attack: Attack):
    """singular message in two pieces → merged, as Python's parser does, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    body = (bytes_field(1, thread)
            + bytes_field(2, settings_pb2.SettingsChange(reasoning_effort="high").SerializeToString())
            + bytes_field(2, settings_pb2.SettingsChange(service_tier="fast").SerializeToString()))
    meant = settings_pb2.UpdateSettingsRequest.FromString(body).change
    answer = peer.call("Settings.Update", body).settings
    assert (answer.reasoning_effort, answer.service_tier) == (meant.reasoning_effort, meant.service_tier)
    assert (answer.reasoning_effort, answer.service_tier) == ("high", "fast")
    # A later empty text is a text; a choice that neither piece makes keeps what is set.
    for pieces in ((b"\x1a\x04high", b"\x1a\x00"), (bytes_field(8, b""), bytes_field(8, b""))):
        body = bytes_field(1, thread) + b"".join(bytes_field(2, piece) for piece in pieces)
        assert peer.call("Settings.Update", body).settings.reasoning_effort == ""


@row("P13★")
def p13(attack: Attack):
    """oneof set twice, same or other member → the last wins, K"""
    peer = attack.connect()
    thread, feed = attack.follow_new(peer)
    front = bytes_field(1, thread)
    peer.call("Settings.Update", thread=thread, change={"mode": {"set": "MULTI_AGENT_MODE_PROACTIVE"}})
    set_then_clear = number_field(1, 1) + number_field(2, 1)
    answer = peer.call("Settings.Update", front + bytes_field(2, bytes_field(8, set_then_clear)))
    assert not answer.settings.HasField("mode")
    clear_then_set = number_field(2, 1) + number_field(1, 1) + number_field(1, 2)
    answer = peer.call("Settings.Update", front + bytes_field(2, bytes_field(8, clear_then_set)))
    assert answer.settings.mode == settings_pb2.MULTI_AGENT_MODE_PROACTIVE
    part = bytes_field(1, b"first") + bytes_field(2, bytes_field(1, b"http://image")) + bytes_field(1, b"last")
    feed.until_completed(peer.call("Turn.Start", front + bytes_field(2, bytes_field(1, part))).turn)
    said = [item_text(event.item_completed.item) for event in feed.of_kind("item_completed")]
    assert "last" in said and "first" not in said, said


@row("P14★")
def p14(attack: Attack):
    """oneof not set, or a member from the future → unknown_operation, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    for part in (b"", number_field(9, 1), bytes_field(500, b"future")):
        body = bytes_field(1, thread) + bytes_field(2, bytes_field(1, part))
        refused_and_kept(peer, "Turn.Start", body, INVALID, "unknown_operation")
    assert not peer.call("Thread.ListTurns", thread=thread).turns


# Values


@row("P15★")
def p15(attack: Attack):
    """unknown or negative enum value → unknown_enum{field,value}, never treated as 0, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    # The last is more than an enum holds, and wraps around as in every parser.
    for value, told in ((4, 4), (99, 99), (-1, -1), ((1 << 31) - 1, (1 << 31) - 1), (-(1 << 31), -(1 << 31)),
                        (1 << 31, -(1 << 31))):
        body = turn_pb2.StartTurnRequest(thread=thread, input=words("x")).SerializeToString() + number_field(4, value)
        refused = refused_and_kept(peer, "Turn.Start", body, INVALID, "unknown_enum", "when_busy")
        assert refused.details["value"] == str(told), refused
    for name, body, field in (("Settings.Update", bytes_field(2, bytes_field(8, number_field(1, 0))), "set"),
                              ("Settings.Update", bytes_field(2, bytes_field(13, varint(0))), "clear"),
                              ("Thread.Subscribe", bytes_field(4, varint(0)), "kinds")):
        refused_and_kept(peer, name, bytes_field(1, thread) + body, INVALID, "unknown_enum", field)
    assert not peer.call("Thread.ListTurns", thread=thread).turns


@row("P16")
def p16(attack: Attack):
    """64 unknown fields → ignored, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    for unknown in (number_field(1000, 1), bytes_field(1000, CANARY.encode()), tag(1000, 1) + bytes(8),
                    tag(1000, 5) + bytes(4)):
        assert peer.call("Thread.Read", bytes_field(1, thread) + unknown * 64).thread.id == thread


@row("P17★")
def p17(attack: Attack):
    """65 or 500,000 unknown fields → too_many_unknown, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    for count in (65, 500_000):
        body = bytes_field(1, thread) + number_field(1000, 1) * count
        refused_and_kept(peer, "Thread.Read", body, INVALID, "too_many_unknown")


@row("P18★")
def p18(attack: Attack):
    """nesting 33, 541, 8,733, 10⁶ → no stack is touched: too_deep, or skipped as an unknown field, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    for depth in (33, 541, 8_733, 1_000_000):
        starts, size = [], 0
        for _ in range(depth):
            starts.append(tag(1000, 2) + varint(size))
            size += len(starts[-1])
            if size > FRAME_BYTES - 64:
                break
        for front in (bytes_field(1, thread), bytes_field(1, thread) + tag(2, 2) + varint(size)):
            name = "Thread.Read" if len(front) == 18 else "Settings.Update"
            try:
                answer = peer.call(name, front + b"".join(reversed(starts)), timeout=60)
                assert name != "Thread.Read" or answer.thread.id == thread
            except HeddleError as refused:
                is_refusal(refused, INVALID, "too_deep")
        expect_kept(peer)
    refused_and_kept(peer, "Thread.Read", ID + tag(9, 3) * 1_000_000, INVALID, "malformed")
    attack.note("no message of the schema nests that deep (P25)")


@row("P19★")
def p19(attack: Attack):
    """4 MiB of `0a 00` → decode_budget, K"""
    peer = attack.connect()
    body = b"\x0a\x00" * (FRAME_BYTES // 2)
    refused_and_kept(peer, "Thread.Start", body, "RESOURCE_EXHAUSTED", "decode_budget")


@row("P20")
def p20(attack: Attack):
    """4 MiB packed numbers, 65,537 elements → too_many_elements, K"""
    peer = attack.connect()
    front = bytes_field(1, attack.thread(peer))
    for name, body, field in (
            ("Thread.Subscribe", bytes_field(4, b"\x01" * 65_537), "kinds"),
            ("Thread.Subscribe", bytes_field(4, b"\x01" * (FRAME_BYTES - 64)), "kinds"),
            ("Thread.Subscribe", number_field(4, 1) * 65_537, "kinds"),
            ("Settings.Update", bytes_field(2, bytes_field(12, b"") * 65_537), "remove_metadata"),
            ("Settings.Update", bytes_field(2, bytes_field(13, b"\x01" * 65_537)), "clear")):
        refused_and_kept(peer, name, front + body, INVALID, "too_many_elements", field)


@row("P21")
def p21(attack: Attack):
    """empty request → an error that names the field, K"""
    peer = attack.connect()
    for name in SERVED:
        if (field := METHODS[name].required) is not None:
            refused_and_kept(peer, name, b"", INVALID, "missing_field", field)


@row("P22★")
def p22(attack: Attack):
    """NaN, ±Inf, 1e308 in settings → not_finite{field}; −0.0 accepted, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    front = bytes_field(1, thread)
    for value in (math.nan, -math.nan, math.inf, -math.inf):
        body = front + bytes_field(2, tag(11, 5) + struct.pack("<f", value))
        refused_and_kept(peer, "Settings.Update", body, INVALID, "not_finite", "temperature")
    for value in (3.0e38, -0.5, 2.5):
        body = front + bytes_field(2, tag(11, 5) + struct.pack("<f", value))
        refused_and_kept(peer, "Settings.Update", body, INVALID, "out_of_range", "temperature")
    assert peer.call("Settings.Update", thread=thread, change={"temperature": -0.0}).settings.temperature == 0


@row("P23")
def p23(attack: Attack):
    """int fields at min, −1, max → out_of_range{field}; no trap, K"""
    peer = attack.connect()
    thread = attack.thread(peer)
    for size in (-(1 << 31), -1, 0, 201, 10**9, (1 << 31) - 1):
        for name in ("Thread.List", "Thread.ListLoaded", "Thread.ListTurns", "Thread.ListItems"):
            fields = {"thread": thread} if name in ("Thread.ListTurns", "Thread.ListItems") else {}
            body = METHODS[name].request(page_size=size, **fields)
            refused = refused_and_kept(peer, name, body, INVALID, "out_of_range")
            assert refused.details == {"field": "page_size", "minimum": "1", "maximum": "200"}, refused
    peer = attack.connect()
    for turns in (-(1 << 31), -1, 0):
        body = thread_pb2.RollbackThreadRequest(thread=thread, turns=turns)
        refused_and_kept(peer, "Thread.Rollback", body, INVALID, "out_of_range", "turns")
    assert peer.call("Thread.Rollback", thread=thread, turns=(1 << 31) - 1).rolled_back == 0
    largest = (1 << 64) - 1
    assert peer.refusal("Thread.Subscribe", thread=thread, after=largest).reason == "future_seq"
    assert peer.refusal("Thread.Subscribe", thread=thread, epoch=largest, after=0).reason == "epoch_mismatch"
    assert peer.refusal("Settings.Update", thread=thread, expected_revision=largest).reason == "revision_mismatch"
    for deadline in (-(1 << 63), -1, 0, 86_400_001, (1 << 63) - 1):
        refused = peer.refusal("Server.Status", metadata={"deadline_ms": deadline})
        is_refusal(refused, INVALID, "out_of_range", "deadline_ms")
    for deadline in (3_600_000, 86_400_000):
        assert peer.call("Server.Status", metadata={"deadline_ms": deadline}).durability == "synced"
    for field in ("turn_tokens", "thread_tokens", "tree_tokens"):
        for value in (largest, largest - 1, 1 << 63):
            try:
                peer.call("Settings.Update", thread=thread, change={field: value})
            except HeddleError as refused:
                is_refusal(refused, INVALID, "out_of_range", field)
    feed = peer.follow(thread)
    feed.until_kind("live")
    feed.until_completed(attack.turn(peer, thread, "!say sums do not overflow"))
    credit_of_all(attack, peer, thread)
    expect_kept(peer)


def credit_of_all(attack: Attack, peer: Connection, thread: bytes):
    """The largest CREDIT, again and again, where adding up would overflow."""
    other = attack.connect()
    stream = other.open("Thread.Subscribe", thread=thread, after=0, credit=(1 << 32) - 1)
    other.answer(stream, "Thread.Subscribe")
    credit = frame_pb2.Credit(bytes=(1 << 32) - 1).SerializeToString()
    other.send(Frame(6, stream=stream, payload=credit).encode() * 50)
    expect_kept(other)


@row("P24")
def p24(attack: Attack):
    """timestamp year 0 or 300000 → out_of_range, K"""
    peer = attack.connect()
    for time in (-62_167_219_200_000, 9_404_718_796_800_000, -(1 << 63), (1 << 63) - 1):
        for field in ("created_after", "created_before"):
            body = thread_pb2.ListThreadsRequest(**{field: time})
            refused_and_kept(peer, "Thread.List", body, INVALID, "out_of_range", field)


@row("P26")
def p26(attack: Attack):
    """id of 16 zero bytes → nothing has it: NOT_FOUND; where it may be absent, as absent, K"""
    peer = attack.connect()
    thread, nil = attack.thread(peer), bytes(16)
    refused_and_kept(peer, "Thread.Read", bytes_field(1, nil), "NOT_FOUND", "thread")
    refused_and_kept(peer, "Turn.CancelQueued", bytes_field(1, thread) + bytes_field(2, nil), "NOT_FOUND", "turn")
    assert peer.call("Thread.Read", thread=thread).thread.id == thread
