"""One connection to a Heddle server, as raw as an attack needs it and as short as a story wants it.

Everything here is bounded: each wait has a deadline, each buffer a size. Every error that passes through is checked
against proto/reasons.tsv and for leaks (attacks.md L8), whichever test received it.
"""

import collections
import dataclasses
import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def _generate_messages() -> tempfile.TemporaryDirectory:
    """Classes are made from the schema as it stands, so that no test speaks an older one."""
    made = tempfile.TemporaryDirectory(prefix="heddle-messages-")
    files = sorted((ROOT / "proto").glob("heddle/v1/*.proto"))
    subprocess.run(["protoc", "-I", ROOT / "proto", "--python_out", made.name, *files], check=True, timeout=60)
    sys.path.insert(0, made.name)
    return made


_MADE = _generate_messages()

from heddle.v1 import (  # noqa: E402, F401
    agent_pb2, catalog_pb2, client_pb2, event_pb2, frame_pb2, item_pb2, options_pb2, server_pb2, settings_pb2,
    thread_pb2, turn_pb2)

HEADER = struct.Struct(">BBHIBHBI")
MAGIC, VERSION = 0xFA, 1
END_OF_STREAM, MORE_OF_MESSAGE, REPLAYED = 0x02, 0x04, 0x80
REQUEST, RESPONSE, EVENT, ERROR, CANCEL, CREDIT, PING, PONG, GOAWAY, HELLO = range(1, 11)
MAXIMUM_BEFORE_HELLO, MAXIMUM_PAYLOAD = 16 * 1024, 4 * 1024 * 1024
INBOX_FRAMES = 100_000
# When a wait counts as one without end. Nothing is judged by it, so it is longer than a busy machine stands still.
PATIENCE_SECONDS = 60.0
# How much longer than usual a server may take: one with a sanitizer in it is several times slower.
SLOWNESS = float(os.environ.get("HEDDLE_SLOWNESS", 1))


@dataclasses.dataclass(frozen=True)
class Frame:
    """16 bytes of header and what follows; `payload` includes the metadata."""

    kind: int
    method: int = 0
    stream: int = 0
    payload: bytes = b""
    flags: int = 0
    metadata_length: int = 0
    version: int = VERSION
    magic: int = MAGIC

    @property
    def body(self) -> bytes:
        return self.payload[self.metadata_length:]

    def encode(self, length: int | None = None) -> bytes:
        """The bytes; `length` overrides the true length, for frames that lie."""
        return HEADER.pack(self.magic, self.kind, self.method, self.stream, self.version, self.metadata_length,
                           self.flags, len(self.payload) if length is None else length) + self.payload

    @staticmethod
    def decode(data: bytes) -> "Frame | None":
        """The frame at the start of `data`, or None while it is incomplete."""
        if len(data) < HEADER.size:
            return None
        magic, kind, method, stream, version, metadata, flags, length = HEADER.unpack_from(data)
        if len(data) < HEADER.size + length:
            return None
        payload = bytes(data[HEADER.size:HEADER.size + length])
        return Frame(kind, method, stream, payload, flags, metadata, version, magic)


@dataclasses.dataclass(frozen=True)
class Method:
    """One row of docs/methods.md."""

    name: str
    number: int
    request: type
    response: type
    descriptor: object

    def has(self, option) -> bool:
        return self.descriptor.GetOptions().Extensions[option]


def _methods() -> dict:
    from google.protobuf import message_factory
    found = {}
    for module in (thread_pb2, turn_pb2, settings_pb2, agent_pb2, catalog_pb2, server_pb2, client_pb2):
        for service in module.DESCRIPTOR.services_by_name.values():
            family = service.name.removesuffix("Service")
            for method in service.methods:
                constant = re.sub(r"(?<!^)(?=[A-Z])", "_", f"{family}{method.name}").upper()
                number = frame_pb2.Method.Value(f"METHOD_{constant}")
                found[f"{family}.{method.name}"] = Method(
                    f"{family}.{method.name}", number, message_factory.GetMessageClass(method.input_type),
                    message_factory.GetMessageClass(method.output_type), method)
    return found


METHODS = _methods()
METHOD_OF_NUMBER = {method.number: method for method in METHODS.values()}


def _reasons() -> dict:
    rows = (ROOT / "proto" / "reasons.tsv").read_text().splitlines()
    return {row.split("\t")[0]: row.split("\t")[1] for row in rows if row and not row.startswith("#")}


REASONS = _reasons()
LEAK = re.compile(r"(/(home|tmp|work|usr|var|root)/|0x[0-9a-f]{6,}|\b(SELECT|INSERT|UPDATE) |\.swift\b|sqlite)", re.I)


class HeddleError(Exception):
    """An `Error` of the server. Made only from bytes that keep the promises of docs/errors.md and L8."""

    def __init__(self, error: "frame_pb2.Error"):
        self.code = frame_pb2.Code.Name(error.code).removeprefix("CODE_")
        self.reason = error.reason
        self.details = {detail.name: detail.value for detail in error.details}
        self.error = error
        assert REASONS.get(self.reason) == self.code, f"not in proto/reasons.tsv: {self.code} {self.reason}"
        assert error.message, f"{self.reason} has no message that says what to do"
        assert not LEAK.search(error.message), f"L8: the message tells of the inside: {error.message}"
        super().__init__(f"{self.code} {self.reason} {self.details or ''} {error.message}")


class Closed(Exception):
    """The connection ended while an answer was awaited; `goaway` is what the server said, if it said anything."""

    def __init__(self, goaway: HeddleError | None = None):
        self.goaway = goaway
        super().__init__(f"connection closed: {goaway}")


class Connection:
    """A blocking connection. Frames that nobody waits for yet are kept, in order, up to a bound."""

    def __init__(self, address: str, timeout: float = PATIENCE_SECONDS):
        host, port = address.rsplit(":", 1)
        self.timeout = timeout * SLOWNESS
        self.socket = socket.create_connection((host, int(port)), timeout=self.timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray()
        self.inbox: collections.deque[Frame] = collections.deque()
        self.next_stream = 1
        self.pings = 0
        self.server_hello = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    # Bytes and frames

    def send(self, data: bytes):
        self.socket.settimeout(self.timeout)
        self.socket.sendall(data)

    def send_frame(self, frame: Frame):
        self.send(frame.encode())

    def send_message(self, kind: int, message, stream: int = 0, method: int = 0):
        self.send_frame(Frame(kind, method, stream, message.SerializeToString()))

    def finish(self):
        """Half-closes: nothing more will be sent."""
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self):
        """Ends the connection with an RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def read_some(self, deadline: float) -> bytes:
        """The next bytes, b"" at the end. A reset is an end too: the server closed without reading all we sent."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("nothing came in time")
        self.socket.settimeout(left)
        try:
            return self.socket.recv(1 << 18)
        except (ConnectionResetError, BrokenPipeError):
            return b""

    def read_to_end(self, timeout: float = PATIENCE_SECONDS) -> bytes:
        """Everything until the server closes."""
        deadline = time.monotonic() + timeout
        while data := self.read_some(deadline):
            self.buffer += data
            assert len(self.buffer) < 256 << 20, "more than any test asks for"
        data, self.buffer = bytes(self.buffer), bytearray()
        return data

    def receive(self, timeout: float | None = None) -> Frame | None:
        """The next frame from the socket, None at the end. PINGs of the server are answered on the way."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            frame = Frame.decode(self.buffer)
            if frame is None:
                data = self.read_some(deadline)
                if not data:
                    return None
                self.buffer += data
                continue
            del self.buffer[:HEADER.size + len(frame.payload)]
            assert (frame.magic, frame.version) == (MAGIC, VERSION), f"not a frame: {frame}"
            assert len(frame.payload) <= MAXIMUM_PAYLOAD, f"a frame of {len(frame.payload)} bytes, more than the limit"
            assert frame.kind != ERROR or frame.flags == END_OF_STREAM, f"an ERROR without the end flag: {frame}"
            if frame.kind != PING:
                return frame
            self.pings += 1
            self.send_frame(Frame(PONG, payload=frame.payload))

    def wait_for(self, wanted, timeout: float | None = None) -> Frame:
        """The first frame that `wanted` accepts; the others stay for those who ask for them."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        for frame in self.inbox:
            if wanted(frame):
                self.inbox.remove(frame)
                return frame
        while (frame := self.receive(max(0.001, deadline - time.monotonic()))) is not None:
            if wanted(frame):
                return frame
            if frame.kind == GOAWAY:
                raise Closed(HeddleError(frame_pb2.GoAway.FromString(frame.body).error))
            self.inbox.append(frame)
            assert len(self.inbox) < INBOX_FRAMES
        raise Closed()

    # Calls

    def hello(self, token: str = "", **fields):
        """First frame of both sides."""
        fields.setdefault("client_name", "integration")
        self.send_message(HELLO, frame_pb2.ClientHello(token=token, **fields))
        frame = self.wait_for(lambda frame: frame.kind == HELLO)
        self.server_hello = frame_pb2.ServerHello.FromString(frame.body)
        return self.server_hello

    def ping(self, opaque: bytes = b"here"):
        self.send_message(PING, frame_pb2.Ping(opaque=opaque))
        return frame_pb2.Pong.FromString(self.wait_for(lambda frame: frame.kind == PONG).body)

    def new_stream(self) -> int:
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        return stream

    def request_frame(self, name: str, body, /, key: bytes | None = None, **metadata) -> Frame:
        """A REQUEST on the next stream; `body` is a message or raw bytes."""
        front = b""
        if key is not None or metadata:
            front = frame_pb2.Metadata(idempotency_key=key, **metadata).SerializeToString()
        raw = body if isinstance(body, bytes) else body.SerializeToString()
        return Frame(REQUEST, METHODS[name].number, self.new_stream(), front + raw, metadata_length=len(front))

    def open(self, name: str, body=None, /, key: bytes | None = None, metadata: dict | None = None, **fields) -> int:
        """Sends a request and returns its stream."""
        body = METHODS[name].request(**fields) if body is None else body
        frame = self.request_frame(name, body, key, **(metadata or {}))
        self.send_frame(frame)
        return frame.stream

    def terminal(self, stream: int, timeout: float | None = None) -> Frame:
        """The RESPONSE or ERROR of a stream."""
        return self.wait_for(lambda frame: frame.stream == stream and frame.kind in (RESPONSE, ERROR), timeout)

    def answer(self, stream: int, name: str, timeout: float | None = None):
        """The answer of a stream, or its HeddleError."""
        frame = self.terminal(stream, timeout)
        if frame.kind == ERROR:
            raise HeddleError(frame_pb2.Error.FromString(frame.body))
        assert frame.method == METHODS[name].number, f"answer of another method: {frame.method}"
        return METHODS[name].response.FromString(frame.body)

    def call(self, name: str, body=None, /, key: bytes | None = None, timeout: float | None = None,
             metadata: dict | None = None, **fields):
        """One request, one answer: `call("Thread.Read", thread=id)`."""
        return self.answer(self.open(name, body, key=key, metadata=metadata, **fields), name, timeout)

    def refusal(self, name: str, body=None, /, **fields) -> HeddleError:
        """The error that a request must get; the connection is kept (K)."""
        try:
            answer = self.call(name, body, **fields)
        except HeddleError as error:
            return error
        raise AssertionError(f"{name} was served: {answer}")

    # Threads and what they do

    def new_thread(self, key: bytes | None = None, **fields):
        """A thread that this connection does not follow."""
        return self.call("Thread.Start", key=key, subscribe=False, **fields).thread

    def start_followed(self, **fields):
        """A thread and its events, which follow on the same stream."""
        stream = self.open("Thread.Start", **fields)
        answer = self.answer(stream, "Thread.Start")
        return answer.thread, Follower(self, stream, answer.thread.sequence)

    def resume_followed(self, thread: bytes):
        stream = self.open("Thread.Resume", thread=thread)
        answer = self.answer(stream, "Thread.Resume")
        return answer.thread, Follower(self, stream, answer.thread.sequence)

    def follow(self, thread: bytes, after: int = 0, **fields) -> "Follower":
        """A subscription after an event (rules.md E1)."""
        stream = self.open("Thread.Subscribe", thread=thread, after=after, **fields)
        first = self.answer(stream, "Thread.Subscribe")
        assert first.WhichOneof("kind") == "subscribed", first
        return Follower(self, stream, after, first.subscribed)

    def history(self, thread: bytes, timeout: float = PATIENCE_SECONDS) -> list:
        """All stored events of a thread, from the first on, read without staying subscribed."""
        follower = self.follow(thread, 0)
        follower.until(lambda message: message.WhichOneof("kind") == "live", timeout)
        self.call("Thread.Unsubscribe", thread=thread)
        return follower.events

    def start_turn(self, thread: bytes, text: str, key: bytes | None = None, **fields):
        return self.call("Turn.Start", key=key, thread=thread, input=words(text), **fields)


class Follower:
    """The events of one subscription: checked to come as after + 1, after + 2, … (durability.md: Ordered, Unique)."""

    def __init__(self, connection: Connection, stream: int, after: int, subscribed=None):
        self.connection, self.stream, self.after, self.subscribed = connection, stream, after, subscribed
        self.messages: list = []
        self.events: list = []

    @property
    def last(self) -> int:
        return self.after + len(self.events)

    def next(self, timeout: float | None = None):
        """The next message of the stream."""
        frame = self.connection.wait_for(lambda frame: frame.stream == self.stream, timeout)
        if frame.kind == ERROR:
            raise HeddleError(frame_pb2.Error.FromString(frame.body))
        assert frame.kind == EVENT, f"not an event: {frame}"
        message = event_pb2.SubscriptionEvent.FromString(frame.body)
        self.messages.append(message)
        if message.WhichOneof("kind") == "event":
            assert message.event.sequence == self.last + 1, f"gap, doubled or back: {self.last} then {message}"
            self.events.append(message.event)
        return message

    def until(self, wanted, timeout: float = PATIENCE_SECONDS):
        """Reads on to the first message that `wanted` accepts."""
        deadline = time.monotonic() + timeout * SLOWNESS
        while not wanted(message := self.next(max(0.001, deadline - time.monotonic()))):
            pass
        return message

    def until_event(self, kind: str, timeout: float = PATIENCE_SECONDS, **fields):
        """Reads on to the first event of a kind whose fields are as given."""
        def wanted(message):
            event = message.event
            return event.WhichOneof("kind") == kind and all(
                getattr(getattr(event, kind), name) == value for name, value in fields.items())
        return self.until(wanted, timeout).event

    def until_ended(self, turn: bytes, timeout: float = PATIENCE_SECONDS):
        """Reads on to the end of a turn and returns how it ended."""
        return self.until_event("turn_ended", timeout, turn=turn).turn_ended

    def until_text(self, timeout: float = PATIENCE_SECONDS):
        """Reads on until streamed text is seen: the turn is in the middle of its work."""
        return self.until(lambda message: message.WhichOneof("kind") in ("delta", "snapshot"), timeout)

    def run(self, text: str, timeout: float = PATIENCE_SECONDS, **fields) -> bytes:
        """One whole turn; the id of it."""
        thread = fields.pop("thread")
        turn = self.connection.start_turn(thread, text, **fields).turn
        ended = self.until_ended(turn, timeout)
        assert turn_status(ended.status) == "COMPLETED", ended
        return turn

    def of_kind(self, kind: str) -> list:
        return [event for event in self.events if event.WhichOneof("kind") == kind]


def words(*texts: str) -> "turn_pb2.TurnInput":
    return turn_pb2.TurnInput(content=[item_pb2.ContentPart(text=text) for text in texts])


def request_on(name: str, thread: bytes) -> dict:
    """The fields of a valid request of a method, on a thread."""
    fields = {"thread": thread}
    if "turn" in METHODS[name].request.DESCRIPTOR.fields_by_name and name.startswith("Turn."):
        fields["turn"] = b"no turn has this"
    if name in ("Turn.Start", "Turn.Steer"):
        fields["input"] = words("x")
    if name == "Thread.Rollback":
        fields["turns"] = 1
    return fields


def turn_status(value: int) -> str:
    return turn_pb2.TurnStatus.Name(value).removeprefix("TURN_STATUS_")


def version_name(value: int) -> str:
    return settings_pb2.MultiAgentVersion.Name(value).removeprefix("MULTI_AGENT_VERSION_")


def source_name(value: int) -> str:
    return settings_pb2.VersionSource.Name(value).removeprefix("VERSION_SOURCE_")


def mode_name(settings) -> str | None:
    """The selection, None when there is none (rules.md M10)."""
    if not settings.HasField("mode"):
        return None
    return settings_pb2.MultiAgentMode.Name(settings.mode).removeprefix("MULTI_AGENT_MODE_")


def item_text(item) -> str:
    """The text of a message item."""
    return "".join(part.text for part in item.message.content)


def event_bytes(events: list) -> list:
    """What two clients must agree on, for each event (durability.md: Agreement)."""
    return [event.SerializeToString(deterministic=True) for event in events]


# The encoding by hand, for messages that no library would write.

def varint(value: int, pad_to: int = 0) -> bytes:
    """Base-128; `pad_to` makes it overlong. Negative numbers take their 64-bit two's complement."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F or len(out) + 1 < pad_to:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(number: int, wire_type: int) -> bytes:
    return varint(number << 3 | wire_type)


def field_varint(number: int, value: int) -> bytes:
    return tag(number, 0) + varint(value)


def field_bytes(number: int, value: bytes) -> bytes:
    return tag(number, 2) + varint(len(value)) + value


def padded(message_bytes: bytes, total: int) -> bytes:
    """The message with one unknown field behind it, so that it is exactly `total` bytes."""
    room = total - len(message_bytes) - len(tag(1000, 2))
    for length_bytes in range(1, 6):
        inner = room - length_bytes
        if inner >= 0 and len(varint(inner, length_bytes)) == length_bytes:
            return message_bytes + tag(1000, 2) + varint(inner, length_bytes) + bytes(inner)
    raise ValueError(f"{total} bytes cannot be reached")
