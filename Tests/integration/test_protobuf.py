"""attacks.md, Protobuf: P1 to P24 against a live server. Every row keeps the connection unless it says otherwise.

P25 is a rule of the schema: code generation refuses it (codegen/). P18 as the row tells it needs a recursive message,
which P25 forbids; what is left of it is asserted below.
"""

import math
import struct

import pytest

from harness.ends import expect_goaway, expect_kept
from harness.messages import (
    METHODS, frame_pb2, item_text, mode_name, options_pb2, settings_pb2, thread_pb2, turn_pb2, words)
from harness.protobuf import bytes_field, number_field, tag, varint
from harness.wire import FRAME_BYTES, REQUEST, Frame, HeddleError

pytestmark = pytest.mark.usefixtures("unharmed")

UNKNOWN_THREAD = b"0123456789abcdef"
ID = bytes_field(1, UNKNOWN_THREAD)


@pytest.fixture
def thread(connection) -> bytes:
    return connection.new_thread().id


def refused(connection, name: str, body: bytes, code: str, reason: str, field: str | None = None) -> HeddleError:
    """The exact answer of one row, and the connection kept."""
    error = connection.refusal(name, body)
    assert (error.code, error.reason) == (code, reason), error
    if field is not None:
        assert error.details.get("field", "").split(".")[-1] == field, error.details
    expect_kept(connection)
    return error


# Bytes that are no protobuf at all

MALFORMED = {
    "P1-group-start": ID + tag(9, 3),
    "P1-group-end": ID + tag(9, 4),
    "P1-group-whole": ID + tag(9, 3) + tag(9, 4),
    "P2-wire-type-6": ID + tag(9, 6),
    "P2-wire-type-7": ID + tag(9, 7),
    "P3-field-0": ID + tag(0, 0) + b"\x01",
    "P3-field-2^29": ID + varint(1 << 29 << 3) + b"\x01",
    "P4-11-byte-varint": ID + tag(9, 0) + b"\x80" * 10 + b"\x01",
    "P4-cut-varint": ID + tag(9, 0) + b"\x80",
    "P4-cut-tag": ID + b"\x80",
    "P4-cut-fixed64": ID + tag(9, 1) + bytes(7),
    "P4-cut-fixed32": ID + tag(9, 5) + bytes(3),
    "P5-bits-over-64": ID + tag(9, 0) + b"\xff" * 9 + b"\x02",
    "P7-past-the-end": tag(1, 2) + varint(127) + UNKNOWN_THREAD,
    "P7-2^31": tag(1, 2) + varint(1 << 31) + UNKNOWN_THREAD,
    "P7-2^63": tag(1, 2) + varint(1 << 63) + UNKNOWN_THREAD,
    "P8-varint-for-bytes": number_field(1, 1),
    "P8-fixed32-for-bytes": tag(1, 5) + bytes(4),
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED.keys())
def test_p1_to_p8_broken_bytes_are_malformed(connection, body):
    """P1★ groups, P2★ wire types 6 and 7, P3★ field numbers, P4★ varints and cuts, P5★ bits over 64,
    P7★ lengths, P8★ another wire type → INVALID_ARGUMENT malformed, K."""
    refused(connection, "Thread.Read", body, "INVALID_ARGUMENT", "malformed")


@pytest.mark.parametrize("front", [b"\x0b", b"\x80", b"\x0a\x7f", b"\x28\x80"], ids=["P1", "P4-tag", "P7", "P4-varint"])
def test_p1_to_p7_an_unreadable_envelope_ends_the_connection(connection, server, front):
    """The same bytes as metadata: the envelope itself is unreadable → malformed, X; nothing is executed."""
    body = thread_pb2.StartThreadRequest(name="must not exist", subscribe=False).SerializeToString()
    connection.send_frame(Frame(REQUEST, METHODS["Thread.Start"].number, 1, front + body, metadata_length=len(front)))
    expect_goaway(connection, "INVALID_ARGUMENT", "malformed")
    with server.connect() as other:
        assert not other.call("Thread.List", text="must not exist").threads


def test_p9_a_wrong_field_in_a_readable_envelope_keeps_the_connection(connection):
    """P9★, P10★ in metadata: the envelope is readable, one of its fields is wrong, K."""
    for text, reason in ((b"\xff", "invalid_utf8"), (b"a\x00", "embedded_nul")):
        front = bytes_field(3, text)
        frame = Frame(REQUEST, METHODS["Server.Status"].number, connection.new_stream(), front, metadata_length=len(front))
        connection.send_frame(frame)
        error = HeddleError(frame_pb2.Error.FromString(connection.terminal(frame.stream).body))
        assert (error.reason, error.details["field"].split(".")[-1]) == (reason, "request_id")
    expect_kept(connection)


def test_p6_an_overlong_varint_is_accepted_and_hashes_the_same(connection, thread):
    """P6 overlong but valid varint → accepted; same idempotency hash, K."""
    key = b"P6-overlong-key."
    overlong = tag(1, 2) + varint(16, pad_to=4) + thread + tag(2, 2) + varint(4, pad_to=3) + b"name"
    first = connection.call("Thread.SetName", overlong, key=key)
    again = connection.call("Thread.SetName", key=key, thread=thread, name="name")
    assert again.replayed and again.sequence == first.sequence


def test_p8_a_known_field_inside_a_message_with_another_wire_type(connection, thread):
    """P8★ in a nested message → malformed, K."""
    body = bytes_field(1, thread) + bytes_field(2, number_field(1, 5))
    refused(connection, "Settings.Update", body, "INVALID_ARGUMENT", "malformed")


# Text

TEXTS_THAT_ARE_NOT_UTF8 = [b"\xc3\x28", b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"cut \xe2\x82"]


@pytest.mark.parametrize("text", TEXTS_THAT_ARE_NOT_UTF8, ids=lambda text: text.hex())
def test_p9_invalid_utf8_names_the_field(connection, thread, text):
    """P9★ invalid UTF-8 in a string → INVALID_ARGUMENT invalid_utf8{field}, K."""
    body = bytes_field(1, thread) + bytes_field(2, text)
    refused(connection, "Thread.SetName", body, "INVALID_ARGUMENT", "invalid_utf8", "name")


def test_p10_a_nul_in_a_string_names_the_field(connection, thread):
    """P10★ NUL inside a string → INVALID_ARGUMENT embedded_nul{field}, K."""
    body = bytes_field(1, thread) + bytes_field(2, b"a\x00b")
    refused(connection, "Thread.SetName", body, "INVALID_ARGUMENT", "embedded_nul", "name")


def test_p9_p10_in_depth(connection, thread):
    """P9★, P10★ in a text of a message in a message."""
    for text, reason in ((b"\xff", "invalid_utf8"), (b"\x00", "embedded_nul")):
        body = bytes_field(1, thread) + bytes_field(2, bytes_field(1, bytes_field(1, text)))
        refused(connection, "Turn.Start", body, "INVALID_ARGUMENT", reason, "text")


# Twice

def test_p11_a_singular_field_twice_means_the_last(connection, thread):
    """P11 → last wins, as in every client, K."""
    connection.call("Thread.SetName", bytes_field(1, thread) + bytes_field(2, b"first") + bytes_field(2, b"last"))
    assert connection.call("Thread.Read", thread=thread).thread.name == "last"


def test_p12_a_singular_message_in_two_pieces_is_merged(connection, thread):
    """P12 → merged, same as Google's parsers; cross-checked with Python, K."""
    body = (bytes_field(1, thread)
            + bytes_field(2, settings_pb2.SettingsChange(reasoning_effort="high").SerializeToString())
            + bytes_field(2, settings_pb2.SettingsChange(service_tier="fast").SerializeToString()))
    meant = settings_pb2.UpdateSettingsRequest.FromString(body).change
    answer = connection.call("Settings.Update", body)
    assert (answer.settings.reasoning_effort, answer.settings.service_tier) == ("high", "fast")
    assert (meant.reasoning_effort, meant.service_tier) == ("high", "fast")


def test_p13_a_choice_set_twice_means_the_last(connection, thread):
    """P13★ oneof set twice, same or other member → last wins, no leak, K."""
    connection.call("Settings.Update", thread=thread, change={"mode": {"set": "MULTI_AGENT_MODE_PROACTIVE"}})
    set_then_clear = number_field(1, 1) + number_field(2, 1)
    body = bytes_field(1, thread) + bytes_field(2, bytes_field(8, set_then_clear))
    assert mode_name(connection.call("Settings.Update", body).settings) is None
    clear_then_set = number_field(2, 1) + number_field(1, 1) + number_field(1, 2)
    body = bytes_field(1, thread) + bytes_field(2, bytes_field(8, clear_then_set))
    assert mode_name(connection.call("Settings.Update", body).settings) == "PROACTIVE"


def test_p13_two_texts_in_one_part(connection):
    """P13★ with text: the last is what the turn gets."""
    thread, follower = connection.start_followed()
    part = bytes_field(1, b"first") + bytes_field(1, b"last")
    body = bytes_field(1, thread.id) + bytes_field(2, bytes_field(1, part))
    follower.until_ended(connection.call("Turn.Start", body).turn)
    said = [item_text(event.item_completed.item) for event in follower.of_kind("item_completed")]
    assert "last" in said and "first" not in said


@pytest.mark.parametrize("part", [b"", number_field(9, 1), bytes_field(500, b"future")],
                         ids=["not-set", "future-varint", "future-bytes"])
def test_p14_a_choice_that_is_not_made(connection, thread, part):
    """P14★ oneof not set, member from the future → INVALID_ARGUMENT unknown_operation, K."""
    body = bytes_field(1, thread) + bytes_field(2, bytes_field(1, part))
    refused(connection, "Turn.Start", body, "INVALID_ARGUMENT", "unknown_operation")


# Values

@pytest.mark.parametrize("value", [99, -1, 1 << 31, -(1 << 31)])
def test_p15_an_unknown_enum_value_is_named(connection, thread, value):
    """P15★ unknown or negative enum value → INVALID_ARGUMENT unknown_enum{field,value}; never treated as 0, K."""
    body = turn_pb2.StartTurnRequest(thread=thread, input=words("x")).SerializeToString() + number_field(4, value)
    error = refused(connection, "Turn.Start", body, "INVALID_ARGUMENT", "unknown_enum", "when_busy")
    wire_value = struct.unpack("<i", struct.pack("<I", value & 0xFFFFFFFF))[0]
    assert error.details["value"] == str(wire_value)
    assert connection.call("Thread.ListTurns", thread=thread).turns == []


@pytest.mark.parametrize("name,body,field", [
    ("Settings.Update", bytes_field(2, bytes_field(8, number_field(1, 0))), "set"),
    ("Settings.Update", bytes_field(2, bytes_field(13, varint(0))), "clear"),
    ("Thread.Subscribe", bytes_field(4, varint(0)), "kinds"),
], ids=["mode", "clear", "kinds"])
def test_p15_unspecified_is_refused_unless_the_field_says_what_it_means(connection, thread, name, body, field):
    """P15★, protocol.md: 0 is refused in a request unless its field says what it means."""
    refused(connection, name, bytes_field(1, thread) + body, "INVALID_ARGUMENT", "unknown_enum", field)


def test_p16_64_unknown_fields_are_ignored(connection, thread):
    """P16 → ignored, K."""
    body = bytes_field(1, thread) + number_field(1000, 1) * 64
    assert connection.call("Thread.Read", body).thread.id == thread


@pytest.mark.parametrize("count", [65, 500_000])
def test_p17_more_unknown_fields_are_refused(connection, thread, count):
    """P17★ 65 or 500,000 unknown fields → INVALID_ARGUMENT too_many_unknown, K."""
    body = bytes_field(1, thread) + number_field(1000, 1) * count
    refused(connection, "Thread.Read", body, "INVALID_ARGUMENT", "too_many_unknown")


@pytest.mark.parametrize("depth", [33, 541, 8_733, 100_000])
def test_p18_nesting_reaches_no_stack(connection, thread, depth):
    """P18★ nesting 33 … → too_deep before unpack, K. No message of the schema nests that deep (P25), so depth can only
    hide in an unknown field, whose bytes nobody decodes: ignoring it is the right answer, refusing it would be too."""
    starts, size = [], 0
    for _ in range(depth):
        starts.append(tag(1000, 2) + varint(size))
        size += len(starts[-1])
    try:
        assert connection.call("Thread.Read", bytes_field(1, thread) + b"".join(reversed(starts))).thread.id == thread
    except HeddleError as error:
        assert (error.code, error.reason) == ("INVALID_ARGUMENT", "too_deep")
    expect_kept(connection)


def test_p18_nested_groups_are_malformed(connection):
    """P18★ with the other way to nest: a million group starts → malformed (P1), K."""
    refused(connection, "Thread.Read", ID + tag(9, 3) * 1_000_000, "INVALID_ARGUMENT", "malformed")


def test_p19_four_mib_of_empty_messages_are_over_the_budget(connection):
    """P19★ 4 MiB of `0a 00` → RESOURCE_EXHAUSTED decode_budget, K."""
    refused(connection, "Thread.Start", b"\x0a\x00" * (FRAME_BYTES // 2), "RESOURCE_EXHAUSTED", "decode_budget")


@pytest.mark.parametrize("name,body,field", [
    ("Thread.Subscribe", bytes_field(4, b"\x01" * 65_537), "kinds"),
    ("Thread.Subscribe", bytes_field(4, b"\x01" * (FRAME_BYTES - 64)), "kinds"),
    ("Settings.Update", bytes_field(2, bytes_field(12, b"") * 65_537), "remove_metadata"),
    ("Settings.Update", bytes_field(2, bytes_field(13, b"\x01" * 65_537)), "clear"),
], ids=["packed", "packed-4-MiB", "texts", "inner"])
def test_p20_too_many_elements(connection, thread, name, body, field):
    """P20 4 MiB packed, 65,537 elements → INVALID_ARGUMENT too_many_elements, K."""
    refused(connection, name, bytes_field(1, thread) + body, "INVALID_ARGUMENT", "too_many_elements", field)


def required_field(name: str) -> str | None:
    for field in METHODS[name].request.DESCRIPTOR.fields:
        if field.GetOptions().Extensions[options_pb2.required]:
            return field.name
    return None


SERVED = [name for name, method in METHODS.items()
          if not method.has(options_pb2.planned) and not method.has(options_pb2.server_calls_client)]


@pytest.mark.parametrize("name", [name for name in SERVED if required_field(name)])
def test_p21_an_empty_request_names_the_field_that_is_needed(connection, name):
    """P21 empty request message → normal validation error naming the field, K."""
    refused(connection, name, b"", "INVALID_ARGUMENT", "missing_field", required_field(name))


@pytest.mark.parametrize("value,reason", [
    (math.nan, "not_finite"), (math.inf, "not_finite"), (-math.inf, "not_finite"), (3.0e38, "out_of_range"),
    (-0.5, "out_of_range"), (2.5, "out_of_range")])
def test_p22_numbers_that_are_not_finite(connection, thread, value, reason):
    """P22★ NaN, ±Inf, 1e308 (which is ±Inf in a float) → INVALID_ARGUMENT not_finite{field}, K; temperature is 0 to 2."""
    body = bytes_field(1, thread) + bytes_field(2, tag(11, 5) + struct.pack("<f", value))
    refused(connection, "Settings.Update", body, "INVALID_ARGUMENT", reason, "temperature")


def test_p22_minus_zero_is_a_number(connection, thread):
    """P22★ −0.0 accepted."""
    answer = connection.call("Settings.Update", thread=thread, change={"temperature": -0.0})
    assert answer.settings.temperature == 0


PAGED = ["Thread.List", "Thread.ListLoaded", "Thread.ListTurns", "Thread.ListItems"]


@pytest.mark.parametrize("size", [-(1 << 31), -1, 0, 201, 10**9, (1 << 31) - 1])
@pytest.mark.parametrize("name", PAGED)
def test_p23_m18_page_sizes_outside_of_1_to_200(connection, thread, name, size):
    """P23 int fields at min, −1, max; M18 page size 0, −1, 10⁹ → INVALID_ARGUMENT out_of_range{field}; no trap, K."""
    fields = {"thread": thread} if name in ("Thread.ListTurns", "Thread.ListItems") else {}
    body = METHODS[name].request(page_size=size, **fields).SerializeToString()
    error = refused(connection, name, body, "INVALID_ARGUMENT", "out_of_range")
    assert error.details == {"field": "page_size", "minimum": "1", "maximum": "200"}


@pytest.mark.parametrize("turns", [-(1 << 31), -1, 0])
def test_p23_rollback_of_less_than_one_turn(connection, thread, turns):
    """P23 on a count → out_of_range{field}, K."""
    body = thread_pb2.RollbackThreadRequest(thread=thread, turns=turns).SerializeToString()
    refused(connection, "Thread.Rollback", body, "INVALID_ARGUMENT", "out_of_range", "turns")


def test_p23_the_largest_numbers_trap_nothing(connection, thread):
    """P23 at the maximum, where adding one would overflow, K."""
    assert connection.call("Thread.Rollback", thread=thread, turns=(1 << 31) - 1).rolled_back == 0
    largest = (1 << 64) - 1
    assert connection.refusal("Thread.Subscribe", thread=thread, after=largest).reason == "future_seq"
    assert connection.refusal("Thread.Subscribe", thread=thread, epoch=largest, after=0).reason == "epoch_mismatch"
    assert connection.refusal("Settings.Update", thread=thread, expected_revision=largest).reason == "revision_mismatch"
    expect_kept(connection)


@pytest.mark.parametrize("deadline", [-(1 << 63), -1, 0, 86_400_001, (1 << 63) - 1])
def test_p23_a_deadline_that_is_none(connection, deadline):
    """P23, frame.proto: deadline_ms 0 is refused → out_of_range{field}; no trap at either end, K."""
    error = connection.refusal("Server.Status", metadata={"deadline_ms": deadline})
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "out_of_range")
    assert error.details["field"].endswith("deadline_ms")
    expect_kept(connection)


@pytest.mark.parametrize("deadline", [3_600_000, 86_400_000])
def test_p23_a_long_deadline_is_served(connection, deadline):
    """P23 beside a valid case: an hour, and a day, the longest that protocol.md allows."""
    assert connection.call("Server.Status", metadata={"deadline_ms": deadline}).durability == "synced"


YEAR_0, YEAR_300000 = -62_167_219_200_000, 9_404_718_796_800_000


@pytest.mark.parametrize("time", [YEAR_0, YEAR_300000, -(1 << 63), (1 << 63) - 1])
@pytest.mark.parametrize("field", ["created_after", "created_before"])
def test_p24_times_that_no_clock_shows(connection, field, time):
    """P24 timestamp year 0 or 300000 → out_of_range, K."""
    body = thread_pb2.ListThreadsRequest(**{field: time}).SerializeToString()
    refused(connection, "Thread.List", body, "INVALID_ARGUMENT", "out_of_range", field)


# Ids

BAD_IDS = {"15": b"x" * 15, "17": b"x" * 17, "text": b"01a20048-1de9-7741-9f2a-5075f14ebf37", "path": b"../../etc/passwd.",
           "encoded": b"%2e%2e%2f", "absolute": b"/abs", "nul": b"a\x00b", "4-KiB": b"x" * 4096, "U+2215": "∕".encode()}


@pytest.mark.parametrize("value", BAD_IDS.values(), ids=BAD_IDS.keys())
def test_l3_an_id_is_16_bytes_and_nothing_else(connection, value):
    """L3★ paths, encodings, NUL, 4 KiB as a thread id → INVALID_ARGUMENT bad_id, K."""
    refused(connection, "Thread.Read", bytes_field(1, value), "INVALID_ARGUMENT", "bad_id", "thread")


@pytest.mark.parametrize("key", [b"", b"short", b"x" * 17])
def test_an_idempotency_key_is_16_bytes(connection, key):
    """L3★ for the key: shorter or longer ones are no keys, K."""
    error = connection.refusal("Thread.Start", key=key)
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "bad_id")
    expect_kept(connection)


def test_sixteen_bytes_that_look_like_a_path_are_an_id(connection):
    """L3★ beside a valid case: 16 bytes are an id whatever they spell."""
    refused(connection, "Thread.Read", bytes_field(1, b"../../etc/passwd"), "NOT_FOUND", "thread")


def test_a_frame_of_another_method_is_refused_not_misread(connection, thread):
    """A gap in the list: the bytes of Turn.Start under the number of Settings.Update."""
    body = turn_pb2.StartTurnRequest(thread=thread, input=words("hello")).SerializeToString()
    frame = connection.request_frame("Settings.Update", body)
    connection.send_frame(frame)
    error = HeddleError(frame_pb2.Error.FromString(connection.terminal(frame.stream).body))
    assert error.code == "INVALID_ARGUMENT"
    expect_kept(connection)
