"""Seeds of the corpora: recorded conversations, the schema, the samples of Codex, and what the tests know of keys.

seeds.py OUTPUT: writes OUTPUT/<target>/…; `make fuzz-corpora` then keeps what adds coverage. HEDDLE_BIN is the server that is
recorded.
"""

import base64
import hashlib
import json
import pathlib
import ssl
import struct
import sys
import tempfile
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tests"))

from google.protobuf import descriptor  # noqa: E402

import door_seeds  # noqa: E402

from harness import proxy, wire  # noqa: E402
from harness.connection import Connection  # noqa: E402
from harness.messages import (  # noqa: E402
    METHOD_OF_NUMBER, METHODS, agent_pb2, catalog_pb2, client_pb2, event_pb2, frame_pb2, item_pb2, server_pb2,
    settings_pb2, storage_pb2, thread_pb2, turn_pb2, words)
from harness.protobuf import varint  # noqa: E402
from harness.recording import Proxy, connect, conversation  # noqa: E402
from harness.server import Server  # noqa: E402
from harness.web_tokens import b64, openssl  # noqa: E402
from harness.wire import Frame  # noqa: E402

MODULES = (agent_pb2, catalog_pb2, client_pb2, event_pb2, frame_pb2, item_pb2, server_pb2, settings_pb2, storage_pb2,
           thread_pb2, turn_pb2)
# As FuzzedServer.swift has them.
TOKENS = ["t" * 32, "u" * 32, "v" * 32]
CONNECTIONS = 3


class Output:
    def __init__(self, folder: pathlib.Path):
        self.folder = folder

    def add(self, target: str, data: bytes):
        folder = self.folder / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha1(data).hexdigest()[:16]).write_bytes(data)


# ---- What is recorded

def everything(address: str, token: str = ""):
    """Each method once or more, and words that FuzzedModel does something with."""
    tool = {"name": "ask_me", "description": "asks", "parameters_json": "{}"}
    with connect(address, token) as first:
        settings = {"mode": {"set": "MULTI_AGENT_MODE_PROACTIVE"}, "model": "scripted-v2"}
        started, follower = first.start_followed(key=uuid.uuid4().bytes, name="a tree")
        thread = started.id
        first.call("Settings.Update", thread=thread, change=settings, key=uuid.uuid4().bytes)
        for text in ['spawn_agent {"task_name":"a","message":"slow work"}', 'list_agents {}', "think", "retry", "fail",
                     'send_message {"target":"/root/a","message":"x"}', 'wait_agent {"timeout_ms":10000}',
                     'request_user_input {"question":"why?"}', 'ask_me {"a":1}', 'interrupt_agent {"target":"/root/a"}',
                     'followup_task {"target":"a","message":"y"}', 'close_agent {"target":"a"}']:
            follower.until_ended(first.start_turn(thread, text, key=uuid.uuid4().bytes).turn)
        first.call("Thread.Rollback", thread=thread, turns=1, key=uuid.uuid4().bytes)
        first.call("Thread.Compact", thread=thread)
        first.call("Agent.ListTree", thread=thread)
        first.call("Settings.Read", thread=thread)
        for name in ("Catalog.ListModels", "Catalog.ListFeatures", "Server.Status", "Thread.ListLoaded", "Thread.List"):
            first.call(name)
        first.call("Thread.Archive", thread=thread)
        first.call("Thread.Unarchive", thread=thread)
        first.ping()
        stalled = first.new_thread(ephemeral=True).id
        stalling = first.start_turn(stalled, "!stall\nstall").turn
        first.call("Turn.Steer", thread=stalled, turn=stalling, input=words("and this"))
        queued = first.start_turn(stalled, "later").turn
        first.call("Turn.ListQueue", thread=stalled)
        first.call("Turn.CancelQueued", thread=stalled, turn=queued)
        first.call("Turn.Interrupt", thread=stalled, turn=stalling)
        for name in METHODS:
            if METHODS[name].request is not None and not name.startswith("Client."):
                try:
                    first.call(name, b"")
                except wire.HeddleError:
                    pass
        stream = first.open("Thread.Subscribe", thread=thread, after=0, credit=64)
        first.send_message(wire.CREDIT, frame_pb2.Credit(bytes=1 << 16), stream)
        first.send_frame(Frame(wire.CANCEL, 0, stream))
        first.call("Thread.Resume", thread=thread)
        first.call("Thread.Delete", thread=thread)


def client_tools(address: str, token: str = ""):
    with connect(address, token) as first:
        first.call("Server.Status")
    with Connection(address) as first:
        first.hello(token, features=["call_tool", "request_user_input"])
        first.call("Catalog.SetFeature", name="multi_agent_v2", enabled=True)
        first.call("Thread.ListItems", thread=first.new_thread().id, page_size=3, order=1)


class Record:
    """One frame, or the end of a connection."""

    def __init__(self, connection: int, from_client: bool, at: float, data: bytes):
        self.connection, self.from_client, self.at, self.data = connection, from_client, at, data


def records(capture: bytes, port: int) -> list[Record]:
    """The frames of a capture in order; see CaptureFormat.swift."""
    found, connections, halves = [], {}, {}
    at = 24
    while at < len(capture):
        seconds, nanoseconds, here, _ = struct.unpack_from("<IIII", capture, at)
        body, at = capture[at + 16:at + 16 + here], at + 16 + here
        ports, place = {}, 0
        while True:
            tag, length = struct.unpack_from(">HH", body, place)
            if tag in (25, 26):
                ports[tag] = struct.unpack_from(">I", body, place + 4)[0]
            place += 4 + length
            if tag == 0:
                break
        from_client = ports[26] == port
        client = ports[25] if from_client else ports[26]
        connection = connections.setdefault(client, len(connections))
        half = halves.setdefault((connection, from_client), bytearray())
        half += body[place:]
        time = seconds + nanoseconds / 1e9
        if not half:
            found.append(Record(connection, from_client, time, b""))
        while (frame := Frame.decode(half)) is not None:
            size = wire.HEADER.size + len(frame.payload)
            found.append(Record(connection, from_client, time, bytes(half[:size])))
            del half[:size]
    return found


def recorded() -> list[list[Record]]:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for story in (conversation, everything, client_tools):
            path = pathlib.Path(folder)
            with Server(path / story.__name__) as server:
                output = path / f"{story.__name__}.pcap"
                with Proxy(server.address, output, "--keep-text") as proxy:
                    story(proxy.address)
                    proxy.stop()
                upstream = int(proxy.address.rsplit(":", 1)[1])
                all_records = records(output.read_bytes(), int(server.address.rsplit(":", 1)[1]))
                if not any(r.from_client for r in all_records):
                    all_records = records(output.read_bytes(), upstream)
                found.append(all_records)
    return found


# ---- Sessions

def ids_of(payload: bytes) -> list[bytes]:
    """The fields that FuzzedClient takes for ids."""
    found, at = [], 0
    while at + 18 <= len(payload) and len(found) < 16:
        if payload[at] & 7 == 2 and payload[at + 1] == 16:
            found.append(payload[at + 2:at + 18])
            at += 18
        else:
            at += 1
    return found


def script(story: list[Record]) -> list[bytes]:
    """The steps of FuzzedSession: what the clients sent, ids of the server as marks."""
    steps, marks = [], {}
    for record in story:
        connection = record.connection % CONNECTIONS
        if not record.from_client:
            if record.data and (frame := Frame.decode(record.data)).kind == wire.RESPONSE:
                for index, found in enumerate(ids_of(frame.body)):
                    marks.setdefault(found, b"\xfe" * 12 + bytes([connection, index]) + struct.pack("<H", frame.stream & 0xFFFF))
            continue
        if not record.data:
            steps.append(bytes([3, connection]))
            continue
        frame = Frame.decode(record.data)
        payload = frame.payload
        if frame.kind == wire.HELLO:
            hello = frame_pb2.ClientHello.FromString(payload)
            hello.token = TOKENS[2] if connection == 0 else TOKENS[0]
            payload = hello.SerializeToString()
        for found, mark in marks.items():
            payload = payload.replace(found, mark)
        data = Frame(frame.kind, frame.method, frame.stream, payload, frame.flags, frame.metadata_length).encode()
        steps.append(bytes([0, connection]) + struct.pack("<H", len(data)) + data)
        if frame.method in (201, 203, 115):
            steps.append(bytes([2]) + struct.pack("<H", 600))
    return steps


def hello(connection: int, token: str, **fields) -> bytes:
    data = Frame(wire.HELLO, payload=frame_pb2.ClientHello(token=token, **fields).SerializeToString()).encode()
    return bytes([0, connection]) + struct.pack("<H", len(data)) + data


def request(connection: int, stream: int, name: str, key: bytes = b"", **fields) -> bytes:
    front = frame_pb2.Metadata(idempotency_key=key).SerializeToString() if key else b""
    body = METHODS[name].request(**fields).SerializeToString()
    data = Frame(wire.REQUEST, METHODS[name].number, stream, front + body, metadata_length=len(front)).encode()
    return bytes([0, connection]) + struct.pack("<H", len(data)) + data


def mark(connection: int, index: int, stream: int) -> bytes:
    return b"\xfe" * 12 + bytes([connection, index]) + struct.pack("<H", stream)


def written_sessions() -> list[bytes]:
    """Sessions that no recording of the real server shows: the model of the target, kills, tools of a client."""
    thread = mark(0, 0, 1)
    tools = [{"name": "ask_me", "description": "asks", "parameters_json": '{"type":"object"}'}]
    front = [hello(0, TOKENS[0], features=["call_tool", "request_user_input"])]
    try:
        start = request(0, 1, "Thread.Start", tools=tools, key=b"k" * 16)
    except ValueError:
        start = request(0, 1, "Thread.Start", key=b"k" * 16)
    front.append(start)
    found = []
    texts = ['spawn_agent {"task_name":"a","message":"slow"}', 'spawn_agent {"task_name":"b","message":"stall"}',
             'send_message {"target":"/root/a","message":"hello"}', 'followup_task {"target":"/root/a","message":"more"}',
             'wait_agent {"timeout_ms":10000}', "list_agents {}", 'interrupt_agent {"target":"/root/b"}', 'ask_me {"a":1}',
             'request_user_input {"questions":[{"id":"q","question":"why?","options":["a","b"]}]}', "think", "retry",
             "fail", "slow", "stall"]
    for version in ("scripted-v1", "scripted-v2", ""):
        steps = list(front)
        if version:
            steps.append(request(0, 3, "Settings.Update", thread=thread, change={"model": version}))
        for number, text in enumerate(texts):
            steps.append(request(0, 5 + 2 * number, "Turn.Start", thread=thread, input=words(text), key=bytes([number]) * 16))
            steps.append(bytes([2]) + struct.pack("<H", 700))
        found.append(b"".join(steps))
        steps.insert(len(steps) // 2, bytes([4]))
        steps.insert(len(steps) // 2 + 1, b"".join(front[:1]))
        found.append(b"".join(steps))
    cut = [*front, request(0, 3, "Turn.Start", thread=thread, input=words("slow")), bytes([5]), front[0], front[1],
           request(0, 3, "Thread.Subscribe", thread=thread, after=0)]
    found.append(b"".join(cut))
    deaf = [*front, bytes([6, 0]), request(0, 3, "Turn.Start", thread=thread, input=words("slow")), bytes([2, 0xFF, 0xFF]),
            bytes([6, 0])]
    found.append(b"".join(deaf))
    return found


def sessions(output: Output, stories: list[list[Record]]):
    for story in stories:
        steps = script(story)
        output.add("session", b"".join(steps))
        head = [step for step in steps if step[:2] in (b"\0\0", b"\0\1", b"\0\2")][:2]
        for start in range(0, len(steps), 12):
            output.add("session", b"".join(head + steps[max(start, 2):start + 12]))
    for data in written_sessions():
        output.add("session", data)
    output.add("session", bytes([0, 0, 18, 0]) + b"GET / HTTP/1.1\r\n\r\n")
    output.add("session", bytes([1, 0, 1, 32, 0]) + Frame(wire.PING, payload=b"\x0a\x04here").encode() * 2)


# ---- Frames

def frames(output: Output, stories: list[list[Record]]):
    seen = set()
    for story in stories:
        for record in story:
            if not record.data:
                continue
            frame = Frame.decode(record.data)
            shape = (frame.kind, frame.metadata_length > 0, record.from_client)
            if shape not in seen and len(record.data) < 2_000:
                seen.add(shape)
                output.add("frames", bytes([len(seen) * 4 & 0xFC | 2]) + record.data * 2)
    for text in (b"GET / HTTP/1.1\r\n", b"POST /x", b"PUT", b"DELETE / ", b"\x16\x03\x01", b"OPTIONS * "):
        output.add("frames", b"\x06" + text)
    ping = Frame(wire.PING, payload=b"\x0a\x04here")
    for bad in (Frame(0x85, payload=b"skipped" * 9), Frame(0x05 + 0x10), Frame(wire.HELLO), Frame(wire.PING, version=2),
                Frame(wire.PING, flags=0x44), Frame(wire.REQUEST, 101, 1, b"xx", metadata_length=9),
                Frame(wire.REQUEST, 101, 1, b"\x2a\x10" + b"k" * 16 + b"rest", metadata_length=18)):
        for first in (2, 6, 0x16):
            output.add("frames", bytes([first]) + ping.encode() + bad.encode() + ping.encode())
    output.add("frames", b"\x00" + ping.encode(length=65))


# ---- Messages

def number(name: str) -> bytes:
    """The bytes that choose the message in FuzzedMessages: 16 bits of FNV-1a."""
    value = 0x811C9DC5
    for byte in name.encode():
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return struct.pack("<H", value & 0xFFFF)


def field_bytes(field, variant: int, depth: int) -> bytes:
    """One field as it stands on the wire."""
    tag = lambda kind: varint(field.number << 3 | kind)  # noqa: E731
    types = descriptor.FieldDescriptor
    if field.type == types.TYPE_MESSAGE:
        body = sample(field.message_type, variant, depth + 1)
        return tag(2) + varint(len(body)) + body
    if field.type == types.TYPE_STRING:
        text = "é€😀 x".encode()
        return tag(2) + varint(len(text)) + text
    if field.type == types.TYPE_BYTES:
        return tag(2) + varint(16) + bytes(range(16))
    if field.type == types.TYPE_FLOAT:
        return tag(5) + struct.pack("<f", 0.5)
    if field.type == types.TYPE_ENUM:
        values = field.enum_type.values
        return tag(0) + varint(values[1 + variant % (len(values) - 1)].number)
    return tag(0) + varint(1 if field.type == types.TYPE_BOOL else 1000 + field.number)


def real_oneofs(message) -> list:
    return [group for group in message.oneofs if not group.name.startswith("_")]


def sample(message, variant: int, depth: int = 0) -> bytes:
    out = b""
    for field in message.fields:
        group = field.containing_oneof
        if group is not None and group in real_oneofs(message) and group.fields[variant % len(group.fields)] != field:
            continue
        repeats = 2 if field.is_repeated and depth < 2 else 1
        out += field_bytes(field, variant, depth) * repeats
    return out


def messages(output: Output, stories: list[list[Record]]):
    for module in MODULES:
        for message in module.DESCRIPTOR.message_types_by_name.values():
            front = number(message.name)
            variants = max([len(group.fields) for group in real_oneofs(message)] + [2])
            for variant in range(variants):
                output.add("messages", front + sample(message, variant))
            output.add("messages", front)
            whole = {field: field_bytes(field, 0, 0) for field in message.fields}
            for field in message.fields:
                alone = whole[field]
                output.add("messages", front + alone)
                output.add("messages", front + b"".join(data for other, data in whole.items() if other != field))
                if field.type == field.TYPE_ENUM:
                    for value in [*(value.number for value in field.enum_type.values), 99, -1]:
                        output.add("messages", front + varint(field.number << 3) + varint(value))
                if field.type == field.TYPE_BYTES:
                    output.add("messages", front + varint(field.number << 3 | 2) + b"\x03abc")
    wrong(output)
    for story in stories:
        for record in story:
            frame = Frame.decode(record.data) if record.data else None
            if frame is None or len(frame.payload) > 3_000:
                continue
            method = METHOD_OF_NUMBER.get(frame.method)
            kinds = {wire.REQUEST: method and method.request, wire.RESPONSE: method and method.response,
                     wire.EVENT: event_pb2.SubscriptionEvent, wire.ERROR: frame_pb2.Error, wire.GOAWAY: frame_pb2.GoAway,
                     wire.HELLO: frame_pb2.ClientHello if record.from_client else frame_pb2.ServerHello}
            if kind := kinds.get(frame.kind):
                output.add("messages", number(kind.DESCRIPTOR.name) + frame.body)


def wrong(output: Output):
    """Faults that the pre-scan finds, in a message with texts, numbers and messages in it."""
    settings, event = number("SettingsChange"), number("SubscriptionEvent")
    hello_number, started = number("ClientHello"), number("Turn")
    text = lambda data: hello_number + b"\x12" + varint(len(data)) + data  # noqa: E731
    for data in (b"a\0b", b"\0" * 9, b"abcdefgh\xff", b"\xc3", b"\xe0\x80\x80", b"\xe0\xa0\x80", b"\xed\xa0\x80", b"\xed\x9f\xbf",
                 b"\xf0\x90\x80\x80", b"\xf0\x80\x80\x80", b"\xf4\x8f\xbf\xbf", b"\xf4\x90\x80\x80", b"\xf1\x80\x80\x80",
                 b"\xe1\x80\x80", b"\xc2\x80", b"\xf5", b"\xf1\x80\x80", b"abcdefghij\0"):
        output.add("messages", text(data))
    for data in (b"\xff\xff\xff\xff\xff\x01", b"\x00\x01", b"\x0b", b"\x0c", b"\x0e", b"\x0a\xff\xff\xff\xff\x0f", b"\x0a\x05a",
                 b"\xf8\x7f\x01" * 65, b"\xf8\x7f\x01" * 3, b"\xf9\x7f" + b"x" * 8, b"\xfd\x7f" + b"x" * 4, b"\xfa\x7f\x02ab",
                 b"\xfa\x7f\x09ab", b"\xfb\x7f", b"\xf9\x7fx", b"\xfd\x7fx", b"\x08" + b"\x80" * 10 + b"\x01", b"\x80", b"\x08",
                 b"\x0a\x02\x01\x02", b"\x0a\x00", b"\x0a\x01\x80", b"\x2a\x00" * 9, b"\x2a\x02\x08\x01" * 8, b"\x2a\x09\x08"):
        for front in (settings, event, hello_number, started):
            output.add("messages", front + data)


# ---- Cursors, rollouts, tokens, stores

def cursors(output: Output):
    for count in (8, 16, 24):
        position = bytes(range(count))
        for first in (1, 3, 0x51):
            output.add("cursor", bytes([first, count]) + position + b"q")
        signed = base64.urlsafe_b64encode(position + bytes(16)).rstrip(b"=")
        output.add("cursor", bytes([0, count]) + signed)
        output.add("cursor", bytes([0, count]) + signed + b"=")
        output.add("cursor", bytes([0, count]) + signed.replace(b"A", b"_"))
    for text in (b"", b"not a cursor", b"A" * 300, b"\xff\xfe", "é".encode() * 20, b"AAAA" * 11, b"A"):
        output.add("cursor", b"\0\x18" + text)
    output.add("cursor", b"\x01\xb0" + b"x" * 176)


def doors(output: Output):
    identity = b"spiffe://td/ns/shop"
    headers = [proxy.text("192.0.2.7"), proxy.text("2001:db8::7"), b"PROXY UNKNOWN\r\n", b"PROXY UNKNOWN a b\r\n",
               proxy.binary(), proxy.binary("2001:db8::7"), proxy.binary(command=proxy.LOCAL), proxy.binary(summed=True),
               proxy.named(identity), proxy.named(identity, kind=0xE1), proxy.named(b"-"), proxy.binary(length=4_097),
               proxy.binary("192.0.2.7", proxy.value(proxy.NOTHING, b"abc"), proxy.value(0xE0, identity), summed=True),
               proxy.binary(length=13), proxy.SIGNATURE + b"\x21\x00\x00\x00", proxy.SIGNATURE + b"\x21\x31\x00\xd8" + bytes(216),
               proxy.SIGNATURE + b"\x31\x11\x00\x00", proxy.SIGNATURE + b"\x22\x11\x00\x00", b"PROXY TCP4 1.2.3.4 1.2.3.4 1 99999\r\n",
               b"PROXY TCP4 ::1 1.2.3.4 1 2\r\n", b"PROXY " + b"x" * 120, b"GET / HTTP/1.1\r\n"]
    for data in headers:
        output.add("doors", bytes((0, len(data) // 2)) + data)
    for protocols in (["heddle/1"], ["h2", "http/1.1"], []):
        context, hello = ssl.create_default_context(), ssl.MemoryBIO()
        if protocols:
            context.set_alpn_protocols(protocols)
        client = context.wrap_bio(ssl.MemoryBIO(), hello, server_hostname="localhost")
        try:
            client.do_handshake()
        except ssl.SSLWantReadError:
            pass
        data = hello.read()
        records = b"".join(b"\x16\x03\x01" + struct.pack(">H", len(part)) + part
                           for part in (data[at:at + 50] for at in range(5, len(data), 50)))
        for written in (data, records, data[:100]):
            output.add("doors", bytes((1, 100)) + written)
    for data in (b"\x16\x03\x01\xff\xff", b"\x16\x03\x01\x00\x04\x02\x00\x00\x00", b"\x16\x02\x00\x00\x05",
                 b"\x16\x03\x01\x00\x04\x01\x00\xff\xff"):
        output.add("doors", b"\x01\x03" + data)
    for data in (identity, b"dns:host", b"spiffe://td/../x", b"By=a;Hash=b;URI=" + identity, b'Subject="a\\"b;URI=x";URI=y',
                 b"URI=a,URI=b;URI=c", b'URI="a', b'a"b', b"caf\xc3\xa9", b" k=v; uri=x"):
        output.add("doors", b"\x02\x00" + data)


def shortened(value):
    if isinstance(value, str):
        return value[:80]
    if isinstance(value, list):
        return [shortened(entry) for entry in value[:4]]
    if isinstance(value, dict):
        return {name: shortened(entry) for name, entry in value.items()}
    return value


def rollouts(output: Output):
    for path in sorted((ROOT / "Tests" / "Fixtures" / "codex-rollouts").glob("*.jsonl")):
        lines = []
        for line in path.read_text().splitlines():
            try:
                lines.append(json.dumps(shortened(json.loads(line)), separators=(",", ":"), ensure_ascii=False))
            except ValueError:
                lines.append(line[:300])
        for start in range(0, len(lines), 12):
            output.add("rollout", "\n".join([lines[0], *lines[max(start, 1):start + 14]]).encode() + b"\n")
        for line in lines[1:]:
            output.add("rollout", f"{lines[0]}\n{line}\n".encode())
    first = '{"timestamp":"2026-01-02T03:04:05.678Z","type":"session_meta","payload":{"id":"0199a213-81c0-7800-8aa1-bbab2a035a53"}}'
    record = '{"timestamp":"2026-01-02T03:04:05Z","type":"event_msg","payload":%s}'
    turn = record % '{"type":"task_started","turn_id":"0199a213-81c0-7800-8aa1-bbab2a035a54"}'
    whole = [
        "\ufeff" + first, first + first, first + "x" + turn, first[:-9] + turn, first + "\n" + turn + "\n" + turn[:40],
        first.replace("session_meta", "nothing"), "[1,2]\n" + first, "\n \n" + first, first + '\n{"record_type":"state"}',
        '{"id":"0199a213-81c0-7800-8aa1-bbab2a035a53","timestamp":"2025-05-07T17:24:21.597Z"}\n'
        '{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}',
        first + "\n" + '{"type":"response_item","payload":{"type":"message","role":"user","content":"\\ud83d\\ude00\\u0000\\"\\\\\\/\\b\\f\\n\\r\\t\\ud800"}}',
        first + "\n" + "[" * 600, first + "\n" + '{"a":1e999,"b":-0,"c":12345678901234567890,"d":tru,"e":nul}',
        first + "\n" + '{"type":"x","payload":{"a":[true,false,null,-1.5e+3,0.1,""],"a":2}}', "", "\n", "{}", '"text"',
    ]
    kinds = ["task_complete", "turn_aborted", "thread_rolled_back", "token_count", "error", "user_message", "thread_name_updated",
             "thread_settings_applied", "item_completed", "warning", "nobody_knows"]
    fields = ('"turn_id":"0199a213-81c0-7800-8aa1-bbab2a035a54","num_turns":1,"reason":"replaced","message":"m","thread_name":"n",'
              '"info":{"total_token_usage":{"input_tokens":5,"cached_input_tokens":2,"output_tokens":3,"reasoning_output_tokens":1},'
              '"last_token_usage":{"input_tokens":5,"output_tokens":3}},"item":{"type":"UserMessage"},'
              '"thread_settings":{"model":"m","multi_agent_mode":"proactive"}')
    for kind in kinds:
        whole.append("\n".join([first, turn, record % f'{{"type":"{kind}",{fields}}}', turn.replace("5a54", "5a55")]))
    item = '{"timestamp":"2026-01-02T03:04:05Z","type":"response_item","payload":%s}'
    payloads = [
        *({"type": "message", "role": role, "phase": phase, "content": content}
          for role in ("user", "developer", "system", "assistant", "nobody")
          for phase in ("commentary", "final_answer", "x")
          for content in ("text", 5, [{"type": "input_text", "text": "<turn_aborted> x </turn_aborted> "}],
                          [{"type": "input_image", "image_url": "data:x", "detail": "high"}, {"type": "input_image"},
                           {"type": "encrypted_content", "encrypted_content": "e"}, {"type": "x"}, {"type": "text"}, 7])),
        {"type": "message", "role": "user"}, {"type": "message"},
        {"type": "reasoning", "summary": [{"text": "s"}], "content": [{"text": "c"}], "encrypted_content": "e"},
        {"type": "reasoning"}, {"type": "agent_message", "author": "/root", "recipient": "/root/a", "content": "m"},
        {"type": "agent_message", "author": "a", "recipient": "b", "content": [{"type": "input_text", "text": "m"}]},
        *({"type": kind, "call_id": "c", "name": "n", "namespace": "g", "arguments": arguments, "input": arguments,
           "action": {"command": []}, "status": "completed", "execution": "client"}
          for kind in ("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call", "x")
          for arguments in ("{}", {"a": 1})),
        *({"type": kind, "call_id": "c", "output": out, "success": True, "tools": []}
          for kind in ("function_call_output", "custom_tool_call_output", "tool_search_output", "mcp_tool_call_output")
          for out in ("o", [{"type": "input_text", "text": "o"}], {"content": "o", "success": False}, {"x": 1}, None)),
        *({"type": kind, "encrypted_content": "e", "message": "m"} for kind in ("compaction", "compaction_summary", "ghost_snapshot")),
    ]
    whole.append("\n".join([first, turn, *(item % json.dumps(payload) for payload in payloads)]))
    compacted = '{"timestamp":"2026-01-02T03:04:05Z","type":"compacted","payload":%s}'
    for history in (None, [], payloads[:3], [*payloads[:2], {"type": "x"}, 5]):
        whole.append("\n".join([first, turn, compacted % json.dumps({"message": "sum", "replacement_history": history})]))
    times = ["2026-01-02T03:04:05.1234567+02:00", "2026-01-02T03:04:05-00:30", "2024-02-29 03:04:05z", "2023-02-29T00:00:00Z",
             "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-02T03:04:05", "2026-01-02T03:04:05.Z", "x",
             "2026-01-02T03:04:05+2:00", "2026-01-02T24:04:05Z", "2026-01-02T03:04:60Z", "2100-02-28T00:00:00+24:00", "1900-02-29T00:00:00Z"]
    whole.append("\n".join([first, *(item.replace("2026-01-02T03:04:05Z", time) % json.dumps(payloads[0]) for time in times)]))
    usage = {"input_tokens": 5, "cached_input_tokens": 2, "output_tokens": 3, "reasoning_output_tokens": 1, "total_tokens": 8}
    for info in (None, {}, {"total_token_usage": usage}, {"last_token_usage": usage, "total_token_usage": usage},
                 {"last_token_usage": {"input_tokens": -1, "output_tokens": 1e30}}):
        count = json.dumps({"type": "token_count", "info": info})
        whole.append("\n".join([first, turn, record % count, record % count]))
    for text in whole:
        output.add("rollout", text.encode())


def tokens(output: Output):
    header = {"alg": "HS256", "typ": "JWT"}
    claims = {"exp": 1_800_000_000, "iss": "issuer", "aud": "heddle", "tenant": "acme"}

    def pair(head, body):
        text = lambda value: value if isinstance(value, bytes) else json.dumps(value).encode()  # noqa: E731
        output.add("jwt", b"\x01" + text(head) + b"\0" + text(body))
        letters = [base64.urlsafe_b64encode(text(value)).rstrip(b"=") for value in (head, body)]
        output.add("jwt", b"\0" + b".".join([*letters, base64.urlsafe_b64encode(bytes(32)).rstrip(b"=")]))

    for change in ({}, {"alg": "HS384"}, {"alg": "HS512"}, {"alg": "RS256"}, {"alg": "none"}, {"alg": 1}, {"kid": "one"},
                   {"kid": "two"}, {"kid": 2}, {"typ": "at+jwt"}, {"typ": "x"}, {"typ": 1}, {"jku": "x"}, {"crit": []},
                   {"x5c": []}, {"cty": "JWT"}):
        pair({**header, **change}, claims)
    pair({"alg": "HS256"}, claims)
    for change in ({"exp": 1}, {"exp": "1"}, {"exp": 1.5}, {"exp": -1}, {"exp": 1 << 70}, {"nbf": 1}, {"nbf": 1_800_000_000},
                   {"iat": 5}, {"iat": None}, {"iss": "x"}, {"iss": 1}, {"aud": ["a", "heddle"]}, {"aud": [1]}, {"aud": []},
                   {"aud": {}}, {"aud": "x"}, {"cnf": {}}, {"tenant": ""}, {"tenant": "a b"}, {"tenant": 1}, {"tenant": "x" * 257},
                   {"role": "admin"}, {"role": "user"}, {"role": True}, {"role": ["admin"]}, {"role": 1},
                   {"exp": 253_402_300_800}, {"x": [{}, None, "é\n\u0001", 1e9]}):
        pair(header, {**claims, **change})
    for name in ("exp", "iss", "aud", "tenant"):
        pair(header, {key: value for key, value in claims.items() if key != name})
    for body in (b"[]", b"{", b'{"a":1,"a":2}', b"\xff", b"", b'{"exp":01}', b'{"a":"\\ud800"}', b"{}x", b'{"a":"\\u00e9\\/"}',
                 b'{"a":tru}', b'{"a":-}', b'{"a":1.}', b'{"a":1e}', b"[" * 99, b'{"a":"\t"}', b'{"a":"\\x"}', b'{"a" 1}', b'{"a":1,}'):
        pair(header, body)
        pair(body, claims)
    for text in (b"", b"a", b"a.b", b"a.b.c", b"a.b.c.d", b"....", b"YQ.YQ.YQ", b"YR.YQ.YQ", b"Y.YQ.YQ", b"e30.e30.", b"e30.e30.e30",
                 b"A" * 8193, b"+/.YQ.YQ", b"-_.YQ.YQ"):
        output.add("jwt", b"\0" + text)
    keys(output)


def keys(output: Output):
    pems, entries = [], []
    rsa = ["RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
    curves = [["EC", "-pkeyopt", f"ec_paramgen_curve:{name}"] for name in ("P-256", "P-384", "P-521", "secp256k1")]
    for place, kind in enumerate([rsa, *curves[:3], ["ED25519"], curves[3]]):
        private = openssl("genpkey", "-algorithm", *kind)
        pems.append((place, openssl("pkey", "-pubout", data=private)))
        raw = openssl("pkey", "-pubout", "-outform", "DER", data=private)
        if place == 0:
            modulus = openssl("rsa", "-noout", "-modulus", data=private).decode().strip().split("=")[1]
            entries.append({"kty": "RSA", "n": b64(bytes.fromhex(modulus)), "e": "AQAB"})
        elif place == 4:
            pems.append((place, private))
            entries.append({"kty": "OKP", "crv": "Ed25519", "x": b64(raw[-32:])})
        elif place < 4:
            size = [32, 48, 66][place - 1]
            entries.append({"kty": "EC", "crv": ["P-256", "P-384", "P-521"][place - 1], "x": b64(raw[-2 * size:-size]),
                            "y": b64(raw[-size:])})
    # The lowest three bits choose the algorithms, see FuzzedWebTokens.
    algorithm = [0, 2, 3, 4, 5, 2]
    for place, pem in pems:
        for flags in (0, 16, 32, 64):
            output.add("jwt", bytes([2, algorithm[place] | flags]) + pem)
    output.add("jwt", bytes([2, 0]) + pems[0][1] + pems[1][1])
    output.add("jwt", bytes([2, 1]) + pems[0][1])
    for place, entry in enumerate(entries):
        choice = [0, 2, 3, 4, 5][place]
        changes = [{}, {"kid": "one"}, {"use": "sig"}, {"use": "enc"}, {"key_ops": ["verify"]}, {"key_ops": ["sign"]},
                   {"d": "x"}, {"alg": "ES256"}, {"alg": "RS256"}, {"kty": "oct", "k": "eA"}, {"kty": "x"}, {"crv": "P-1"}]
        for change in changes:
            output.add("jwt", bytes([2, choice]) + json.dumps({"keys": [{**entry, **change}]}).encode())
        for name in [name for name in entry if name != "kty"]:
            less = {key: value for key, value in entry.items() if key != name}
            output.add("jwt", bytes([2, choice]) + json.dumps({"keys": [less]}).encode())
            output.add("jwt", bytes([2, choice]) + json.dumps({"keys": [{**entry, name: "AA"}]}).encode())
    big = {"kty": "RSA", "n": b64(b"\x81" * 1_040), "e": "AQAB"}
    output.add("jwt", bytes([2, 0]) + json.dumps({"keys": [big]}).encode())
    output.add("jwt", bytes([2, 64]) + json.dumps({"keys": entries}).encode())
    output.add("jwt", bytes([2, 5]) + json.dumps({"keys": [entries[4]] * 17}).encode())
    output.add("jwt", bytes([2, 16]) + json.dumps({"keys": [entries[0]]}).encode())
    for text in (b'{"keys":[]}', b'{"keys":[1]}', b'{"keys":1}', b"{", b"", b"nothing", b"\xff"):
        output.add("jwt", bytes([2, 0]) + text)
    for text in (b"s" * 64 + b" one\n", b"short\n", b"# nothing\n\n", b"a b c", b"-----BEGIN PUBLIC KEY-----", b"{" + b"x" * 40,
                 b"s" * 32 + b"\n", b"x" * 48 + b" a\n" + b"y" * 64 + b" b\n"):
        for choice in (8 | 6, 8 | 7):
            output.add("jwt", bytes([2, choice]) + text)


def stores(output: Output):
    for image in range(4):
        output.add("store", bytes([image]))
        for file in (0, 1):
            output.add("store", bytes([image, 7, file]))
            for length in (0, 20, 100, 4_096, 5_000, 9_000):
                output.add("store", bytes([image, 2, file]) + length.to_bytes(3, "little"))
            for place in (0, 3, 8, 17, 18, 20, 24, 28, 40, 60, 68, 100, 4_000, 4_100, 8_300, 20_000, 30_000, 40_000, 60_000):
                output.add("store", bytes([image, 0, file]) + place.to_bytes(3, "little") + b"\x40")
                output.add("store", bytes([image, 1, file]) + place.to_bytes(3, "little") + b"\x04abcd")
            output.add("store", bytes([image, 6, file, 9]) + b"123456789")
        for page in range(24):
            output.add("store", bytes([image, 3, page, page + 1]))
        for frame in range(0, 40, 3):
            output.add("store", bytes([image, 4, frame, 3, 9, 5, frame, 0]))
            output.add("store", bytes([image, 4, frame, 200, 0, 5, 0, 0]))
        output.add("store", bytes([image, 5, 0, 0]))


def main():
    output = Output(pathlib.Path(sys.argv[1]))
    stories = recorded()
    for write in (sessions, frames, messages):
        write(output, stories)
    for write in (cursors, doors, rollouts, tokens, stores, door_seeds.grpc, door_seeds.http):
        write(output)
    for folder in sorted(output.folder.iterdir()):
        print(f"seeds: target={folder.name} inputs={len(list(folder.iterdir()))}")


if __name__ == "__main__":
    main()
