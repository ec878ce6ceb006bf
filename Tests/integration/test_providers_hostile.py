"""attacks.md M23: streams that no honest provider sends, for each API. Each ends its turn with a typed error within
bounded memory, and the provider, the server and everybody else go on (4.1: alive, witness served, memory back)."""

import gzip
import itertools
import json
import random
import re

import pytest

from harness.ends import eventually
from harness.messages import item_text
from harness.model_server import Call, Cut, Hold, Reply, Reset, Text, Thought, error, event, stream
from harness.watch import Watch
from harness.wire import FRAME_BYTES
from provided import KINDS, Conversation, ProvidedServer, quick

MIB = 1 << 20
INVALID, TOO_LARGE, TIMEOUT, BROKEN = (
    "model_output_invalid", "model_output_too_large", "model_timeout", "model_failed")


@pytest.fixture(scope="module")
def server(upstream, tmp_path_factory):
    """One server for all tests of this file: it must be the same process at the end."""
    providers = {kind: quick(upstream, kind, retries=1, firstByteMilliseconds=60_000, idleMilliseconds=60_000,
                             concurrency=1) for kind in KINDS}
    # Those that are to run out of time; the others have as much as a busy machine takes.
    providers.update({f"short-{kind}": {**settings, "firstByteMilliseconds": 3_000, "idleMilliseconds": 3_000}
                      for kind, settings in providers.items()})
    with ProvidedServer(tmp_path_factory.mktemp("hostile"), providers) as running:
        yield running
        assert running.alive, f"the server died: {running.log_text()[-2000:]}"


@pytest.fixture(scope="module")
def witness(server):
    """A connection to each provider may be kept for the next request."""
    watching = Watch(server, spare_sockets=len(server.providers))
    yield watching
    watching.close()


# Pieces of streams


def begun(kind: str, part) -> list[bytes]:
    """An answer up to its first delta of `part`, which comes last."""
    marks = {"responses": b".delta", "chat": b'"delta"', "anthropic": b"content_block_delta"}
    out = []
    for piece in stream(kind, [part]):
        out.append(piece)
        if marks[kind] in piece and b"MARK" in piece:
            return out
    raise AssertionError(f"no delta in the stream of {kind}")


def grown(kind: str, part, text: str) -> bytes:
    """One more delta of a part that has begun, with this text."""
    return begun(kind, part)[-1].replace(b"MARK", json.dumps(text)[1:-1].encode())


def endless(kind: str, part, size: int = 64 * 1024):
    """Deltas without end, or until the client goes. Bounded all the same: 128 MiB."""
    more = grown(kind, part, "x" * size)
    return [*begun(kind, part), *itertools.repeat(more, 128 * MIB // size)]


TEXT, THOUGHT, CALL = Text("MARK", 1), Thought("MARK", pieces=1), Call("tool", "MARK", "c", 1)


def raw(data: bytes, *more) -> Reply:
    return Reply([data, *more])


def ordered(kind: str, *wanted: int) -> Reply:
    """Chosen events of a common answer, in the order given."""
    events = stream(kind, [Text("MARK", 2)])
    return Reply([events[place] for place in wanted])


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


def half_line(kind: str) -> list[bytes]:
    return [*begun(kind, TEXT), b"data: {"]


def unknown(kind: str) -> bytes:
    """The smallest event that an API skips."""
    return b'data: {"choices":[]}\n\n' if kind == "chat" else b"data: {}\n\n"


def never_done(kind: str) -> Reply:
    """The answer ends while an item is open."""
    events = stream(kind, [TEXT])
    if kind == "responses":
        return Reply([piece for piece in events if b"output_item.done" not in piece])
    if kind == "anthropic":
        return Reply([piece for piece in events if b"content_block_stop" not in piece])
    return Reply([event({"choices": [{"index": 0, "delta": {"tool_calls": [
        {"index": 0, "id": "c", "function": {"arguments": "{}"}}]}}]}), event("[DONE]")])


def many_items(kind: str) -> Reply:
    """More items than any answer has, none of which ends."""
    front = stream(kind, [])[:1]
    def item(n: int) -> bytes:
        if kind == "responses":
            return event({"type": "response.output_item.added", "output_index": n, "item": {"type": "function_call"}})
        if kind == "chat":
            return event({"choices": [{"index": 0, "delta": {"tool_calls": [
                {"index": n, "id": f"c{n}", "function": {"name": "t", "arguments": ""}}]}}]})
        return (event({"type": "content_block_start", "index": n, "content_block": {"type": "text", "text": ""}})
                + event({"type": "content_block_stop", "index": n}))
    return Reply([*front, *map(item, range(5_000))])


def named(kind: str, name: str) -> Reply:
    return Reply(stream(kind, [Call(name, "{}", "c-1")]))


def head(*lines: str, body: bytes = b"") -> Reply:
    """An answer whose head is written by hand."""
    return Reply(before=["\r\n".join([*lines, "", ""]).encode() + body, Cut()])


STREAM = "Content-Type: text/event-stream"
COMPRESSED = gzip.compress(b"".join(stream("chat", [Text("packed")])))

# The provider's reply, the end of the turn, and whether the request is retried.
ATTACKS = {
    "a delta of 100 MiB in one event": (
        lambda kind: Reply([*begun(kind, TEXT)[:-1], b"data: " + b"x" * (64 * 1024),
                            *itertools.repeat(b"x" * MIB, 100), b"\n\n"]), TOO_LARGE),
    "text without end": (lambda kind: Reply(endless(kind, TEXT)), TOO_LARGE),
    "thoughts without end": (lambda kind: Reply(endless(kind, THOUGHT)), TOO_LARGE),
    "arguments without end": (lambda kind: Reply(endless(kind, CALL)), TOO_LARGE),
    "arguments without end in tiny pieces": (lambda kind: Reply(endless(kind, CALL, 256)), TOO_LARGE),
    "a line without end": (lambda kind: Reply(itertools.repeat(b"x" * MIB, 128)), TOO_LARGE),
    "an event without end": (lambda kind: Reply(itertools.repeat(b"data: " + b"x" * MIB + b"\n", 128)), TOO_LARGE),
    "an event's name without end": (lambda kind: Reply(itertools.repeat(b"event: " + b"x" * MIB + b"\n", 128)),
                                    TOO_LARGE),
    "comments without end": (lambda kind: Reply(itertools.repeat(b": " + b"x" * MIB + b"\n", 128)), TOO_LARGE),
    "more items than an answer has": (many_items, TOO_LARGE),
    "bytes that are not UTF-8": (lambda kind: Reply([*begun(kind, TEXT), b"data: \xff\xfe\xfa\n\n"]), INVALID),
    "half a character": (lambda kind: Reply([grown(kind, TEXT, "x").replace(b'x"', b'\xe2\x82"')]), INVALID),
    "a raw NUL": (lambda kind: Reply([*begun(kind, TEXT), b'data: {"a":"\x00"}\n\n']), INVALID),
    "half a surrogate": (lambda kind: Reply([*begun(kind, TEXT), b'data: {"a":"\\ud800"}\n\n']), INVALID),
    "JSON that is cut": (lambda kind: Reply([*begun(kind, TEXT), b'data: {"type": "resp\n\n']), INVALID),
    "JSON that is no object": (lambda kind: raw(b"data: [1, 2]\n\n"), INVALID),
    "JSON nested deep": (lambda kind: raw(f'data: {{"a":{deep(100_000)}}}\n\n'.encode()), INVALID),
    "a name of 1 MiB": (lambda kind: named(kind, "n" * MIB), INVALID),
    "a call without a name": (lambda kind: named(kind, ""), INVALID),
    "items that never end": (never_done, INVALID),
    "packed by gzip": (lambda kind: Reply([COMPRESSED], headers={"Content-Encoding": "gzip"}), INVALID),
    "packed without saying so": (lambda kind: raw(COMPRESSED), INVALID, True),
    "200 with HTML": (lambda kind: Reply([b"<html>Sign in</html>"], type="text/html"), INVALID),
    "200 with JSON": (lambda kind: Reply([b'{"id": "resp_1", "output": []}'], type="application/json"), INVALID),
    "another content type": (lambda kind: Reply(stream(kind, [TEXT]), type="application/octet-stream"), INVALID),
    "an empty body": (lambda kind: Reply([]), INVALID, True),
    "a chunk that is cut": (lambda kind: head("HTTP/1.1 200 OK", STREAM, "Transfer-Encoding: chunked",
                                              body=b"ffff\r\ndata: {"), INVALID, True),
    "a chunk of no size": (lambda kind: head("HTTP/1.1 200 OK", STREAM, "Transfer-Encoding: chunked",
                                             body=b"zz\r\n\r\n"), None, True),
    "less than its length": (lambda kind: head("HTTP/1.1 200 OK", STREAM, "Content-Length: 999",
                                               body=begun(kind, TEXT)[0]), INVALID, True),
    "a head that is none": (lambda kind: Reply(before=[b"\x16\x03\x01 hello\r\n\r\n", Cut()]), BROKEN, True),
    "a head without end": (lambda kind: Reply(before=[b"HTTP/1.1 200 OK\r\n", *itertools.repeat(
        b"X-More: " + b"x" * 8_000 + b"\r\n", 16_000), Cut()]), BROKEN, True),
    "a header without end": (lambda kind: Reply(before=[b"HTTP/1.1 200 OK\r\nX-More: ", *itertools.repeat(
        b"x" * MIB, 128), Cut()]), BROKEN, True),
    "only informational heads": (lambda kind: Reply(before=[*itertools.repeat(
        b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100, 2_000), Cut()]), BROKEN, True),
    "a redirect to nowhere": (lambda kind: head("HTTP/1.1 302 Found", "Location: //", "Content-Length: 0"), BROKEN),
    "an error without end": (lambda kind: Reply(itertools.repeat(b"x" * MIB, 128), 400, type="text/plain"), BROKEN),
    "an error nested deep": (lambda kind: Reply([b'{"error":' + deep(30_000).encode() + b"}"], 400,
                                                type="application/json"), BROKEN),
    "half a line, then nothing": (lambda kind: Reply([*half_line(kind), Hold()]), TIMEOUT),
    "a line that drips": (lambda kind: Reply([*half_line(kind), *[b" ", 0.25] * 40]), TIMEOUT),
}


# Those that run out of time do so in one API: `HTTPModelProviderTests` has all.
RUNS = [(attack, kind) for attack, (_, reason, *_) in ATTACKS.items()
        for kind in (KINDS[:1] if reason == TIMEOUT else KINDS)]


@pytest.mark.parametrize("attack,kind", RUNS)
def test_a_hostile_stream_ends_its_turn_and_nothing_else(connection, server, model, unharmed, kind, attack):
    """M23★ typed error, no second request unless the answer merely broke off, slot free, next turn served."""
    make, reason, *retried = ATTACKS[attack]
    model.answers += [make(kind), make(kind)]
    name = f"short-{kind}" if reason == TIMEOUT else kind
    thread = Conversation(connection, name)
    turn = thread.turn(timeout=120)
    assert turn.status == "FAILED", turn.ended
    assert turn.reason == reason or reason is None and turn.reason in (INVALID, BROKEN), turn.ended
    assert len(turn.retries) == len(model.requests) - 1 == len(retried)
    assert turn.message and len(turn.message) < 700
    assert turn.answer == "" and all(item.status != 1 or not item.HasField("tool_call") for item in turn.items)
    goes_on(server, model, connection, thread, name)


def goes_on(server, model, connection, thread: Conversation, kind: str):
    """The slot is free, the thread takes its next turn, and the request of that is as it should be."""
    # The end of a turn is told before its task has given the slot back.
    eventually(lambda: server.status_of(connection, kind).running == 0, "the slot is not free")
    model.answers.clear()
    assert thread.turn("are you there?").answer == "You said: are you there?"
    last = model.requests[-1]
    calls, outputs = [call[0] for call in last.of("call")], [output[0] for output in last.of("output")]
    assert sorted(calls) == sorted(outputs), "a call without its output, or the other way round"


ORDERS = {
    # created, in_progress, item added, part added, delta, delta, text done, part done, item done, end.
    "responses": {"a delta first": (4, 9), "an item twice": (0, 2, 2), "done twice, then a delta": (0, 2, 8, 5),
                  "the end in an item": (0, 2, 4, 9)},
    # First chunk, two texts, stop, usage, [DONE].
    "chat": {"nothing but the end": (5,), "text after the end": (0, 1, 3, 2), "only usage": (4, 5)},
    # message_start, ping, block start, delta, delta, stop, message_delta, message_stop.
    "anthropic": {"a delta first": (3, 4), "a start twice": (0, 0), "a block in a block": (0, 2, 2),
                  "a stop of nothing": (0, 5), "the end in a block": (0, 2, 3, 7), "a block before the start": (2, 3)},
}


@pytest.mark.parametrize(("kind", "order"), [(kind, order) for kind in ORDERS for order in ORDERS[kind]])
def test_events_in_a_wrong_order(connection, server, model, unharmed, kind, order):
    """The stream breaks its protocol: model_output_invalid, not tried again."""
    model.answers.append(ordered(kind, *ORDERS[kind][order]))
    thread = Conversation(connection, kind)
    turn = thread.turn()
    assert (turn.status, turn.reason, turn.retries) == ("FAILED", INVALID, []), turn.ended
    goes_on(server, model, connection, thread, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_a_million_tiny_events(connection, server, model, unharmed, kind):
    """More events than an answer may have, each of a few bytes: too large, however small."""
    model.answers.append(Reply([*begun(kind, TEXT)[:1], *itertools.repeat(unknown(kind) * 1_000, 1_010)]))
    thread = Conversation(connection, kind)
    turn = thread.turn(timeout=240)
    assert (turn.status, turn.reason) == ("FAILED", TOO_LARGE), turn.ended
    goes_on(server, model, connection, thread, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", [TEXT, THOUGHT], ids=["text", "thoughts"])
def test_an_interrupt_reaches_a_turn_in_a_flood(connection, server, model, unharmed, kind, part):
    """U3: tiny pieces without end hold nothing up: the turn ends when it is told to, and the connection is closed."""
    model.answers.append(Reply(endless(kind, part, 16)))
    thread = Conversation(connection, kind)
    turn = thread.begin()
    thread.follower.until_text()
    thread.interrupt(turn)
    assert thread.ended(turn).status == "INTERRUPTED"
    assert model.requests[0].gone.wait(60)
    goes_on(server, model, connection, thread, kind)


# Odd but valid answers


@pytest.mark.parametrize("kind", KINDS)
def test_odd_streams_that_are_whole(connection, server, model, unharmed, kind):
    """Byte by byte, other line ends, a byte order mark, comments, a NUL in a text: all are answers."""
    whole = b"".join(stream(kind, [Text("odd but true", 4)]))
    odd = {
        "byte by byte": [whole[place:place + 1] for place in range(len(whole))],
        "CR LF": [whole.replace(b"\n", b"\r\n")], "CR": [whole.replace(b"\n", b"\r")],
        "a byte order mark": [b"\xef\xbb\xbf" + whole],
        "comments": [b": ping\n\n" * 50 + whole.replace(b"\n\n", b"\n\n: ping\n\n")],
        "unknown fields": [whole.replace(b"data:", b"retry: 1\nid: 7\nwhat: ever\ndata:")],
        "events of other types": [whole.replace(b"event: response.created", unknown("x") + b"event: response.created")],
    }
    for name, steps in odd.items():
        model.answers.append(Reply(steps))
        turn = Conversation(connection, kind).turn()
        assert (turn.status, turn.answer) == ("COMPLETED", "odd but true"), (name, turn.ended)
    model.answers.append(Reply([whole], framing="close"))
    assert Conversation(connection, kind).turn().answer == "odd but true"
    model.answers.append(Reply(before=[b"HTTP/1.0 200 OK\r\n\r\n" + whole, Cut()]))
    assert Conversation(connection, kind).turn().answer == "odd but true"
    model.answers.append([Thought("c\x00d"), Text("a\x00b")])
    turn = Conversation(connection, kind).turn()
    assert (turn.status, turn.answer) == ("COMPLETED", "a\ufffdb")
    assert [list(item.reasoning.summary) for item in turn.items if item.HasField("reasoning")] == [["c\ufffdd"]]
    model.answers += [[Call("to\x00ol", "{}", "c\x001")], [Text("on")]]
    turn = Conversation(connection, kind).turn()
    calls = [(item.tool_call.name, item.tool_call.call_id) for item in turn.items if item.HasField("tool_call")]
    assert (turn.answer, calls) == ("on", [("to\ufffdol", "c\ufffd1")]), turn.ended


@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_that_goes_on_after_its_end(connection, server, model, unharmed, kind):
    """Bytes after the end are ignored, and the server does not wait for a body that never ends."""
    for more in ([b"data: rubbish\n\n", b"\xff\xff\n\n"], [Hold()], itertools.repeat(b"x" * MIB, 64)):
        model.answers.append(Reply([*stream(kind, [Text("done")]), *more]))
        turn = Conversation(connection, kind).turn()
        assert (turn.status, turn.answer) == ("COMPLETED", "done"), turn.ended
        eventually(lambda: server.status_of(connection, kind).running == 0, "the slot is not free")


@pytest.mark.parametrize("end", [Cut, Reset])
def test_an_answer_whose_connection_breaks_behind_its_end(connection, server, model, unharmed, end):
    """The answer is whole: how its connection ends is of no interest. It is not asked for, and paid for, twice."""
    # Without a reason to stop it is `[DONE]` that ends the item, so the item's end shows that all of it has been read.
    whole = [piece for piece in stream("chat", [Text("done")]) if b'"finish_reason":"stop"' not in piece]
    hold = Hold()
    model.answers.append(Reply([*whole, hold, end()]))
    thread = Conversation(connection, "chat")
    turn = thread.begin()
    thread.follower.until(lambda message: item_text(message.event.item_completed.item) == "done")
    hold.let_go()
    ended = thread.ended(turn)
    assert (ended.status, ended.answer, ended.retries) == ("COMPLETED", "done", []), ended.ended
    assert len(model.requests) == 1
    goes_on(server, model, connection, thread, "chat")


@pytest.mark.parametrize("kind", KINDS)
def test_a_summary_that_is_too_large(connection, server, model, unharmed, kind):
    """T7, M23: a summary longer than a quarter of an item ends its turn with a typed error and replaces nothing: the
    model is given the whole history again. The longest that is taken fits, twice as the event has it, into a frame."""
    thread = Conversation(connection, kind)
    thread.turn("much to remember")
    model.answers.append([Text("x" * MIB, 64)])
    turn = thread.ended(connection.call("Thread.Compact", thread=thread.id).turn)
    assert (turn.status, turn.reason, turn.retries) == ("FAILED", TOO_LARGE, []), turn.ended
    assert not turn.of_kind("context_compacted")
    goes_on(server, model, connection, thread, kind)
    assert model.requests[-1].of("user")[0] == ("much to remember",)
    model.answers.append([Text("y" * (MIB - 4096), 64)])
    turn = thread.ended(connection.call("Thread.Compact", thread=thread.id).turn)
    [compacted] = turn.of_kind("context_compacted")
    assert 2 * (MIB - 4096) < compacted.ByteSize() < FRAME_BYTES


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_that_no_provider_counts(connection, server, model, unharmed, kind):
    """Usage of any size, sign and type: the turn completes, counters do not overflow."""
    thread = Conversation(connection, kind)
    numbers = ["18446744073709551615", "1e308", "-5", '"many"', "null", "[1]", "0.5", "1" * 400]
    for number in numbers:
        whole = b"".join(stream(kind, [Text("n")])).replace(b":11,", b":" + number.encode() + b",") \
            .replace(b":7,", b":" + number.encode() + b",").replace(b":7}", b":" + number.encode() + b"}")
        model.answers.append(Reply([whole]))
        turn = thread.turn()
        assert (turn.status, turn.answer) == ("COMPLETED", "n"), (number, turn.ended)
    used = connection.call("Server.Status").usage
    assert used.input_tokens >= 0


WAITS = ["-1", "1e400", "soon", "99999999999999999999", "", "Sun, 99 Foo 9999 99:99:99 GMT", "nan", "inf"]


@pytest.mark.parametrize("header", ["retry-after", "retry-after-ms"])
def test_waits_that_make_no_sense(connection, server, model, unharmed, header):
    """A Retry-After that cannot be read is none, one beyond all bounds ends the turn; neither hangs."""
    for kind, value in zip(itertools.cycle(KINDS), WAITS):
        model.answers.clear()
        model.answers.append(error(429, "slow", **{header: value}))
        turn = Conversation(connection, kind).turn()
        assert turn.status == "COMPLETED" or turn.reason == "model_rate_limited", (value, turn.ended)


@pytest.mark.parametrize("kind", KINDS)
def test_two_calls_with_one_id(connection, server, model, unharmed, kind):
    """Ids are the provider's business; whatever it does, each call has one output in the next request."""
    model.answers += [[Call("one", "{}", "same"), Call("two", "{}", "same")], [Text("fine")]]
    thread = Conversation(connection, kind)
    turn = thread.turn()
    assert turn.status == "COMPLETED" or turn.reason == INVALID, turn.ended
    goes_on(server, model, connection, thread, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_streams_with_broken_bytes(connection, server, model, unharmed, kind, seed):
    """Bytes changed, dropped and doubled at random: completed or failed with a typed error, the thread continues."""
    chance = random.Random(f"{kind}{seed}")
    thread = Conversation(connection, kind)
    for _ in range(25):
        data = bytearray(b"".join(stream(kind, [Thought("hm", "E"), Text("some text", 2), Call("t", '{"a": 1}', "c")])))
        for _ in range(chance.randint(1, 6)):
            place = chance.randrange(len(data))
            match chance.randrange(3):
                case 0:
                    data[place] = chance.randrange(256)
                case 1:
                    del data[place:place + chance.randint(1, 40)]
                case _:
                    data[place:place] = data[place:place + chance.randint(1, 40)]
        model.answers.clear()
        model.answers += [Reply([bytes(data)]), [Text("after")], [Text("after")]]
        turn = thread.turn()
        assert turn.status == "COMPLETED" or turn.reason.startswith("model_"), turn.ended
    model.answers.clear()
    assert thread.turn("still?").answer == "You said: still?"
    last = model.requests[-1]
    assert sorted(call[0] for call in last.of("call")) == sorted(output[0] for output in last.of("output"))


@pytest.mark.parametrize("kind", KINDS)
def test_arguments_may_be_as_large_as_the_document_says(connection, server, model, unharmed, kind):
    """M23, docs/providers.md: arguments of a call may have 1 MiB; one byte more ends the turn."""
    def arguments(size: int) -> str:
        return json.dumps({"a": "x" * (size - len(json.dumps({"a": ""})))})

    thread = Conversation(connection, kind)
    model.answers += [[Call("tool", arguments(MIB), "c-1", 32)], [Text("taken")]]
    turn = thread.turn()
    assert (turn.status, turn.answer) == ("COMPLETED", "taken"), turn.ended
    assert [len(item.tool_call.arguments) for item in turn.items if item.HasField("tool_call")] == [MIB]
    model.answers.append([Call("tool", arguments(MIB + 1), "c-2", 32)])
    turn = thread.turn()
    assert (turn.status, turn.reason, turn.retries) == ("FAILED", TOO_LARGE, []), turn.ended
    goes_on(server, model, connection, thread, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_arguments_nested_deep_harm_nobody(connection, server, model, unharmed, kind):
    """M23, rules.md A10: a call whose arguments are 100,000 lists in each other is answered, and the turn continues."""
    thread = Conversation(connection, kind)
    model.answers += [[Call("t", deep(100_000), "c", 1)], [Text("on")]]
    turn = thread.turn()
    assert (turn.status, turn.answer, turn.retries) == ("COMPLETED", "on", []), turn.ended
    goes_on(server, model, connection, thread, kind)


@pytest.mark.parametrize("prefix", ["msg_", "rs_", "fc_"])
def test_ids_of_items_may_be_as_long_as_the_document_says(connection, server, model, unharmed, prefix):
    """M23, docs/providers.md: an id may have 256 bytes, be it of a message, a thought or a call; one of 257 ends the
    turn, which is not tried again."""
    def answer(length: int) -> Reply:
        whole = b"".join(stream("responses", [Thought("hm", "E"), Call("tool"), Text("said")]))
        return Reply([re.sub(prefix.encode() + b"[0-9a-f]{24}", prefix.encode().ljust(length, b"x"), whole)])

    thread = Conversation(connection, "responses")
    model.answers += [answer(256), [Text("on")]]
    turn = thread.turn()
    assert (turn.status, turn.answer) == ("COMPLETED", "saidon"), turn.ended
    assert 256 in [len(item.provider_id) for item in turn.items]
    model.answers.append(answer(257))
    turn = thread.turn()
    assert (turn.status, turn.reason, turn.retries) == ("FAILED", INVALID, []), turn.ended
    goes_on(server, model, connection, thread, "responses")


def test_a_nul_in_what_only_its_provider_can_read(connection, server, model, unharmed):
    """M23, docs/providers.md: NUL becomes U+FFFD in an encrypted thought too: no text that is stored holds one."""
    thread = Conversation(connection, "responses")
    model.answers.append([Thought("hm", "E\x00E"), Text("said")])
    turn = thread.turn()
    assert (turn.status, turn.answer) == ("COMPLETED", "said"), turn.ended
    assert [item.reasoning.encrypted for item in turn.items if item.HasField("reasoning")] == ["E\ufffdE"]
    goes_on(server, model, connection, thread, "responses")
