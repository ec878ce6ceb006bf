"""The frame by hand: 16 bytes of header, what follows, and a socket. Nothing here comes from a client library.

Everything is bounded: each wait has a deadline, each buffer a size. Each answer is held against what stands on every
row (docs/attacks.md): one terminal reply a request, listed errors only, no word about the inside (L8).
"""

import collections
import dataclasses
import pathlib
import re
import socket
import struct
import time

from messages import METHODS, REASONS, frame_pb2

HEADER = struct.Struct(">BBHIBHBI")
MAGIC, VERSION = 0xFA, 1
END, MORE, REPLAYED = 0x02, 0x04, 0x80
REQUEST, RESPONSE, EVENT, ERROR, CANCEL, CREDIT, PING, PONG, GOAWAY, HELLO = range(1, 11)
BEFORE_HELLO_BYTES, FRAME_BYTES = 16 * 1024, 4 * 1024 * 1024
KEPT_FRAMES = 200_000

# Paths, addresses, SQL, file names of the source: nothing of them belongs into a message to a client.
LEAK = re.compile(
    r"(/(home|tmp|usr|var|root|etc)/|0x[0-9a-f]{6,}|\b(SELECT|INSERT|UPDATE|DELETE FROM) |\.swift\b|sqlite)", re.I)


class Broken(AssertionError):
    """The server broke something that stands on every row."""


@dataclasses.dataclass(frozen=True)
class Frame:
    """One frame; `payload` begins with the metadata."""

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

    @property
    def ends(self) -> bool:
        return self.kind == ERROR or bool(self.flags & END)

    def encode(self, length: int | None = None) -> bytes:
        """The bytes; `length` is what the header says instead of the truth."""
        return HEADER.pack(self.magic, self.kind, self.method, self.stream, self.version, self.metadata_length,
                           self.flags, len(self.payload) if length is None else length) + self.payload

    def but(self, **changes) -> "Frame":
        return dataclasses.replace(self, **changes)


# The encoding by hand, for messages that no library would write.

def varint(value: int, pad_to: int = 0) -> bytes:
    """Base 128; `pad_to` makes it overlong. Negative numbers take their 64-bit two's complement."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F or len(out) + 1 < pad_to:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(number: int, wire_type: int) -> bytes:
    return varint(number << 3 | wire_type)


def number_field(number: int, value: int) -> bytes:
    return tag(number, 0) + varint(value)


def bytes_field(number: int, value: bytes) -> bytes:
    return tag(number, 2) + varint(len(value)) + value


def padded(message: bytes, total: int) -> bytes:
    """The message with one unknown field behind it, exactly `total` bytes."""
    room = total - len(message) - len(tag(1000, 2))
    for size in range(1, 6):
        inner = room - size
        if inner >= 0 and len(varint(inner, size)) == size:
            return message + tag(1000, 2) + varint(inner, size) + bytes(inner)
    raise ValueError(f"{total} bytes cannot be reached")


class Refused(Exception):
    """An `Error` of the server, made only from one that is on the list and says nothing of the inside."""

    def __init__(self, error: "frame_pb2.Error"):
        self.error, self.reason = error, error.reason
        self.code = frame_pb2.Code.Name(error.code).removeprefix("CODE_")
        self.details = {detail.name: detail.value for detail in error.details}
        if REASONS.get(self.reason) != self.code:
            raise Broken(f"an error that is not in proto/reasons.tsv: {self.code} {self.reason}")
        if not error.message:
            raise Broken(f"{self.reason} does not say what to do")
        if LEAK.search(error.message) or any(LEAK.search(value) for value in self.details.values()):
            raise Broken(f"L8: the error tells of the inside: {error.message} {self.details}")
        super().__init__(f"{self.code} {self.reason} {self.details or ''}")


class Closed(Exception):
    """The connection ended while an answer was awaited; `goaway` is what the server said, if it said anything."""

    def __init__(self, goaway: Refused | None = None):
        self.goaway = goaway
        super().__init__(f"the connection was closed: {goaway or 'without a word'}")


class Peer:
    """One connection, as an attacker has it."""

    def __init__(self, address: str, timeout: float = 60.0, receive_bytes: int | None = None,
                 source: str | None = None):
        host, port = address.rsplit(":", 1)
        self.timeout = timeout
        self.socket = socket.socket(socket.AF_INET6 if host.startswith("[") else socket.AF_INET)
        self.socket.settimeout(timeout)
        if receive_bytes is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        if source is not None:
            self.socket.bind((source, 0))
        self.socket.connect((host.strip("[]"), int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.data, self.at = bytearray(), 0
        self.kept: collections.deque[Frame] = collections.deque()
        self.next_stream = 1
        self.asked: dict[int, bool] = {}  # stream → its terminal reply has come
        self.following: set[int] = set()
        self.server_hello = None
        self.is_closed = False
        self.has_ended = False
        self.answers_calls = True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.is_closed = True
        self.socket.close()

    # Bytes

    def send(self, data: bytes):
        self.socket.settimeout(self.timeout)
        self.socket.sendall(data)

    def finish(self):
        """FIN: nothing more will be sent."""
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self):
        """RST."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def read_bytes(self, deadline: float) -> bytes:
        """The next bytes, b"" at the end. A reset is an end: the server closed without reading all that was sent."""
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("nothing came in time")
        self.socket.settimeout(left)
        try:
            data = self.socket.recv(1 << 18)
        except (ConnectionResetError, BrokenPipeError):
            data = b""
        self.has_ended = self.has_ended or not data
        return data

    def read_to_end(self, timeout: float = 60.0) -> bytes:
        """All bytes until the server closes."""
        deadline = time.monotonic() + timeout
        while data := self.read_bytes(deadline):
            self.data += data
            if len(self.data) > 256 << 20:
                raise Broken("more bytes than any row asks for")
        data, self.data, self.at = bytes(self.data[self.at:]), bytearray(), 0
        return data

    # Frames

    def frame(self, timeout: float | None = None) -> Frame | None:
        """The next frame, None at the end. PINGs of the server are answered on the way."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            frame = self._cut()
            if frame is None:
                data = self.read_bytes(deadline)
                if not data:
                    return None
                del self.data[:self.at]
                self.at = 0
                self.data += data
                continue
            if frame.kind == PING:
                self.send(Frame(PONG, payload=frame.payload).encode())
                continue
            self._account(frame)
            return frame

    def _cut(self) -> Frame | None:
        if len(self.data) - self.at < HEADER.size:
            return None
        magic, kind, method, stream, version, metadata, flags, length = HEADER.unpack_from(self.data, self.at)
        if (magic, version) != (MAGIC, VERSION) or length > FRAME_BYTES:
            raise Broken(f"not a frame, or larger than one may be: {bytes(self.data[self.at:self.at + 16]).hex()}")
        if len(self.data) - self.at < HEADER.size + length:
            return None
        payload = bytes(self.data[self.at + HEADER.size:self.at + HEADER.size + length])
        self.at += HEADER.size + length
        return Frame(kind, method, stream, payload, flags, metadata, version, magic)

    def skim_events(self, count: int, timeout: float) -> bytes:
        """Reads so many EVENT frames by their headers alone, many times as fast as `frame`; the body of the last."""
        deadline, seen, last = time.monotonic() + timeout, 0, b""
        header, size = struct.Struct(">BB7xHxI").unpack_from, HEADER.size
        while True:
            data, at = self.data, self.at
            end = len(data) - size
            while at <= end and seen < count:
                magic, kind, metadata, length = header(data, at)
                if at + length > end:
                    break
                if kind != EVENT or magic != MAGIC:
                    if kind != PING:
                        raise Broken(f"not an event: {bytes(data[at:at + 16]).hex()}")
                    self.send(Frame(PONG, payload=bytes(data[at + size:at + size + length])).encode())
                else:
                    seen += 1
                    if seen == count:
                        last = bytes(data[at + size + metadata:at + size + length])
                at += size + length
            self.at = at
            if seen == count:
                return last
            if not (more := self.read_bytes(deadline)):
                raise Closed()
            del self.data[:self.at]
            self.at = 0
            self.data += more

    def _account(self, frame: Frame):
        """One terminal reply a request, and nothing on a stream behind it."""
        if frame.kind not in (RESPONSE, EVENT, ERROR) or frame.stream & 1 == 0:
            return
        stream = frame.stream
        if self.asked.get(stream):
            raise Broken(f"stream {stream} had its terminal reply, then came kind {frame.kind}: {frame.payload[:80]!r}")
        if frame.ends:
            self.asked[stream] = True
            self.following.discard(stream)
        elif frame.kind == RESPONSE:
            if stream in self.following:
                raise Broken(f"stream {stream} was answered twice")
            self.following.add(stream)
            self.asked.setdefault(stream, False)

    def trickle(self, count: int) -> list[Frame]:
        """So many bytes at most, if there are any, and the frames that they complete."""
        self.socket.settimeout(0.01)
        try:
            data = self.socket.recv(count)
        except TimeoutError:
            return []
        if not data:
            raise Closed()
        self.data += data
        frames = []
        while (frame := self._cut()) is not None:
            if frame.kind == PING:
                self.send(Frame(PONG, payload=frame.payload).encode())
                continue
            self._account(frame)
            frames.append(frame)
        del self.data[:self.at]
        self.at = 0
        return frames

    def wait(self, wanted, timeout: float | None = None) -> Frame:
        """The first frame that `wanted` accepts; the others stay for those who ask for them."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        for frame in self.kept:
            if wanted(frame):
                self.kept.remove(frame)
                return frame
        while (frame := self.frame(max(0.001, deadline - time.monotonic()))) is not None:
            if wanted(frame):
                return frame
            if frame.kind == GOAWAY:
                raise Closed(Refused(frame_pb2.GoAway.FromString(frame.body).error))
            self.kept.append(frame)
            if len(self.kept) > KEPT_FRAMES:
                raise Broken("more frames than any row asks for")
        raise Closed()

    # Calls

    def hello(self, token: str = "", **fields):
        self.send(self.hello_frame(token, **fields).encode())
        frame = self.wait(lambda frame: frame.kind == HELLO)
        self.server_hello = frame_pb2.ServerHello.FromString(frame.body)
        return self.server_hello

    @staticmethod
    def hello_frame(token: str = "", **fields) -> Frame:
        fields.setdefault("client_name", "attack")
        fields.setdefault("unwanted_notifications", ["thread_started"])
        return Frame(HELLO, payload=frame_pb2.ClientHello(token=token, **fields).SerializeToString())

    def stream(self) -> int:
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        return stream

    def request(self, name: str, body=None, /, key: bytes | None = None, metadata: dict | None = None,
                **fields) -> Frame:
        """A REQUEST on the next stream, not sent yet; `body` is a message or raw bytes."""
        front = b""
        if key is not None or metadata:
            front = frame_pb2.Metadata(idempotency_key=key, **(metadata or {})).SerializeToString()
        if body is None:
            body = METHODS[name].request(**fields)
        raw = body if isinstance(body, bytes) else body.SerializeToString()
        frame = Frame(REQUEST, METHODS[name].number, self.stream(), front + raw, metadata_length=len(front))
        self.asked[frame.stream] = False
        return frame

    def ask(self, name: str, body=None, /, **fields) -> int:
        """Sends a request; its stream."""
        frame = self.request(name, body, **fields)
        self.send(frame.encode())
        return frame.stream

    def reply(self, stream: int, timeout: float | None = None) -> Frame:
        """The RESPONSE or ERROR of a stream."""
        return self.wait(lambda frame: frame.stream == stream and frame.kind in (RESPONSE, ERROR), timeout)

    def answer(self, stream: int, name: str, timeout: float | None = None):
        """The answer of a stream, or what refused it."""
        frame = self.reply(stream, timeout)
        if frame.kind == ERROR:
            raise Refused(frame_pb2.Error.FromString(frame.body))
        if frame.method != METHODS[name].number:
            raise Broken(f"the answer of another method: {frame.method}")
        return METHODS[name].response.FromString(frame.body)

    def call(self, name: str, body=None, /, timeout: float | None = None, **fields):
        return self.answer(self.ask(name, body, **fields), name, timeout)

    def refused(self, name: str, body=None, /, **fields) -> Refused:
        """The error that a request must get."""
        try:
            answer = self.call(name, body, **fields)
        except Refused as refused:
            return refused
        raise AssertionError(f"{name} was served: {str(answer)[:200]}")

    def error(self, timeout: float | None = None, stream: int = 0) -> Refused:
        """The ERROR on a stream, by default that of the connection itself."""
        frame = self.wait(lambda frame: frame.kind == ERROR and frame.stream == stream, timeout)
        return Refused(frame_pb2.Error.FromString(frame.body))

    def settle(self, timeout: float = 60.0):
        """Every request has one terminal reply, or is a subscription that goes on."""
        deadline = time.monotonic() + timeout
        while open_streams := [s for s, done in self.asked.items() if not done and s not in self.following]:
            try:
                frame = self.frame(max(0.001, deadline - time.monotonic()))
            except TimeoutError:
                raise Broken(f"no terminal reply for {len(open_streams)} requests: {open_streams[:5]}") from None
            if frame is None:
                return
            self.kept.append(frame)


def read_tail(file: pathlib.Path, offset: int) -> bytes:
    """What a file holds behind an offset."""
    with open(file, "rb") as opened:
        opened.seek(offset)
        return opened.read()
