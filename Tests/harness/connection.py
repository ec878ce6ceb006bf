"""One connection to a Heddle server, as raw as an attack needs it and as short as a story wants it.

Everything is bounded: each wait has a deadline, each buffer a size. Every answer is checked by the
assertions of every row of docs/attacks.md: one terminal reply a request and nothing after it, listed errors only, no
word about the inside.
"""

import collections
import os
import socket
import struct
import time

from harness.messages import METHODS, event_pb2, fields_for, frame_pb2, turn_status, words
from harness.wire import (
    ERROR, EVENT, FRAME_BYTES, GOAWAY, HEADER, HELLO, MAGIC, PING, PONG, REQUEST, RESPONSE, VERSION, Broken, Closed,
    Frame, HeddleError)

# When a wait counts as one without end. Nothing is judged by it, so it is longer than a busy machine stands still.
PATIENCE_SECONDS = 60.0
# How much longer than usual a server may take: one with a sanitizer in it is several times slower.
SLOWNESS = float(os.environ.get("HEDDLE_SLOWNESS", 1))
INBOX_FRAMES = 200_000


class Connection:
    """A blocking connection. Frames without a waiting reader are kept, in order, up to a bound."""

    def __init__(self, address: str, timeout: float = PATIENCE_SECONDS, receive_bytes: int | None = None,
                 source: str | None = None):
        self.timeout = timeout * SLOWNESS
        self.socket = self._connected(address, receive_bytes, source)
        # Received bytes that are not cut into frames yet begin at `at`.
        self.buffer, self.at = bytearray(), 0
        self.inbox: collections.deque[Frame] = collections.deque()
        self.next_stream = 1
        self.asked: dict[int, bool] = {}  # stream → its terminal reply has come
        self.following: set[int] = set()
        self.pings = 0
        self.server_hello = None
        self.is_closed = False
        self.has_ended = False

    def _connected(self, address: str, receive_bytes: int | None, source: str | None):
        host, port = address.rsplit(":", 1)
        connected = socket.socket(socket.AF_INET6 if host.startswith("[") else socket.AF_INET)
        try:
            connected.settimeout(self.timeout)
            if receive_bytes is not None:
                connected.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
            if source is not None:
                connected.bind((source, 0))
            connected.connect((host.strip("[]"), int(port)))
        except OSError:
            connected.close()
            raise
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connected

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

    def read_some(self, deadline: float) -> bytes:
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

    def read_to_end(self, timeout: float = PATIENCE_SECONDS) -> bytes:
        """All bytes until the server closes."""
        deadline = time.monotonic() + timeout
        while data := self.read_some(deadline):
            self.buffer += data
            if len(self.buffer) > 256 << 20:
                raise Broken("more bytes than anybody asks for")
        data, self.buffer, self.at = bytes(self.buffer[self.at:]), bytearray(), 0
        return data

    # Frames

    def send_frame(self, frame: Frame):
        self.send(frame.encode())

    def send_message(self, kind: int, message, stream: int = 0, method: int = 0):
        self.send_frame(Frame(kind, method, stream, message.SerializeToString()))

    def receive(self, timeout: float | None = None) -> Frame | None:
        """The next frame from the socket, None at the end. PINGs of the server are answered on the way."""
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            if (frame := self._cut()) is not None:
                return frame
            data = self.read_some(deadline)
            if not data:
                return None
            self._drop_read()
            self.buffer += data

    def _cut(self) -> Frame | None:
        """The next frame that is whole, but PINGs."""
        while len(self.buffer) - self.at >= HEADER.size:
            magic, _, _, _, version, _, _, length = HEADER.unpack_from(self.buffer, self.at)
            if (magic, version) != (MAGIC, VERSION) or length > FRAME_BYTES:
                front = bytes(self.buffer[self.at:self.at + HEADER.size])
                raise Broken(f"not a frame, or larger than one may be: {front.hex()}")
            if (frame := Frame.decode(self.buffer, self.at)) is None:
                return None
            self.at += HEADER.size + length
            if frame.kind != PING:
                self._account(frame)
                return frame
            self.pings += 1
            self.send_frame(Frame(PONG, payload=frame.payload))
        return None

    def _drop_read(self):
        del self.buffer[:self.at]
        self.at = 0

    def _account(self, frame: Frame):
        """One terminal reply a request, and nothing on a stream after it."""
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

    def skim_events(self, count: int, timeout: float) -> bytes:
        """Reads `count` EVENT frames by their headers alone, many times as fast as `receive`; the body of the last."""
        deadline, seen, last = time.monotonic() + timeout, 0, b""
        header, size = struct.Struct(">BB7xHxI").unpack_from, HEADER.size
        while True:
            data, at = self.buffer, self.at
            end = len(data) - size
            while at <= end and seen < count:
                magic, kind, metadata, length = header(data, at)
                if at + length > end:
                    break
                if kind != EVENT or magic != MAGIC:
                    if kind != PING:
                        raise Broken(f"not an event: {bytes(data[at:at + 16]).hex()}")
                    self.send_frame(Frame(PONG, payload=bytes(data[at + size:at + size + length])))
                else:
                    seen += 1
                    if seen == count:
                        last = bytes(data[at + size + metadata:at + size + length])
                at += size + length
            self.at = at
            if seen == count:
                return last
            if not (more := self.read_some(deadline)):
                raise Closed()
            self._drop_read()
            self.buffer += more

    def trickle(self, count: int) -> list[Frame]:
        """Reads at most `count` bytes, if there are any; the frames that they complete."""
        self.socket.settimeout(0.01)
        try:
            data = self.socket.recv(count)
        except TimeoutError:
            return []
        if not data:
            raise Closed()
        self.buffer += data
        frames = []
        while (frame := self._cut()) is not None:
            frames.append(frame)
        self._drop_read()
        return frames

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
            if len(self.inbox) > INBOX_FRAMES:
                raise Broken("more frames than anybody asks for")
        raise Closed()

    # Calls

    @staticmethod
    def hello_frame(token: str = "", quiet: bool = False, **fields) -> Frame:
        """`quiet`: without notices about new threads of others."""
        fields.setdefault("client_name", "test")
        if quiet:
            fields.setdefault("unwanted_notifications", ["thread_started"])
        return Frame(HELLO, payload=frame_pb2.ClientHello(token=token, **fields).SerializeToString())

    def hello(self, token: str = "", quiet: bool = False, **fields):
        """First frame of both sides."""
        self.send_frame(self.hello_frame(token, quiet, **fields))
        frame = self.wait_for(lambda frame: frame.kind == HELLO)
        self.server_hello = frame_pb2.ServerHello.FromString(frame.body)
        return self.server_hello

    def ping(self, opaque: bytes = b"here"):
        self.send_message(PING, frame_pb2.Ping(opaque=opaque))
        return frame_pb2.Pong.FromString(self.wait_for(lambda frame: frame.kind == PONG).body)

    def new_stream(self) -> int:
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        return stream

    def request_frame(self, name: str, body=None, /, key: bytes | None = None, metadata: dict | None = None,
                      **fields) -> Frame:
        """A REQUEST on the next stream, not sent yet; `body` is a message or raw bytes."""
        front = b""
        if key is not None or metadata:
            front = frame_pb2.Metadata(idempotency_key=key, **(metadata or {})).SerializeToString()
        body = METHODS[name].request(**fields) if body is None else body
        raw = body if isinstance(body, bytes) else body.SerializeToString()
        frame = Frame(REQUEST, METHODS[name].number, self.new_stream(), front + raw, metadata_length=len(front))
        self.asked[frame.stream] = False
        return frame

    def open(self, name: str, body=None, /, **fields) -> int:
        """Sends a request and returns its stream."""
        frame = self.request_frame(name, body, **fields)
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
        if frame.method != METHODS[name].number:
            raise Broken(f"the answer of another method: {frame.method}")
        return METHODS[name].response.FromString(frame.body)

    def call(self, name: str, body=None, /, timeout: float | None = None, **fields):
        """One request, one answer: `call("Thread.Read", thread=id)`."""
        return self.answer(self.open(name, body, **fields), name, timeout)

    def refusal(self, name: str, body=None, /, **fields) -> HeddleError:
        """The error that a request must get; the connection is kept (K)."""
        try:
            answer = self.call(name, body, **fields)
        except HeddleError as error:
            return error
        raise AssertionError(f"{name} was served: {str(answer)[:200]}")

    def raw_answer(self, frame: Frame) -> bytes:
        """Sends a request and returns the bytes of the reply of any kind."""
        self.send_frame(frame)
        end = self.terminal(frame.stream)
        return bytes([end.kind]) + end.body

    def told(self, name: str, thread: bytes) -> bytes:
        """The same of a valid request of a method, on a thread."""
        return self.raw_answer(self.request_frame(name, **fields_for(name, thread)))

    def error(self, timeout: float | None = None, stream: int = 0) -> HeddleError:
        """The ERROR on a stream, by default that of the connection itself."""
        frame = self.wait_for(lambda frame: frame.kind == ERROR and frame.stream == stream, timeout)
        return HeddleError(frame_pb2.Error.FromString(frame.body))

    def settle(self, timeout: float = PATIENCE_SECONDS):
        """Every request has one terminal reply, or is a subscription that continues."""
        deadline = time.monotonic() + timeout
        while open_streams := [s for s, done in self.asked.items() if not done and s not in self.following]:
            try:
                frame = self.receive(max(0.001, deadline - time.monotonic()))
            except TimeoutError:
                raise Broken(f"no terminal reply for {len(open_streams)} requests: {open_streams[:5]}") from None
            if frame is None:
                return
            self.inbox.append(frame)

    # Threads and their requests

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
        follower.until_kind("live", timeout=timeout)
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
        if frame.kind != EVENT:
            raise Broken(f"not an event: {frame}")
        message = event_pb2.SubscriptionEvent.FromString(frame.body)
        self.messages.append(message)
        if message.WhichOneof("kind") == "event":
            if message.event.sequence != self.last + 1:
                raise Broken(f"gap, doubled or back: {message.event.sequence} after {self.last}")
            self.events.append(message.event)
        return message

    def until(self, wanted, timeout: float = PATIENCE_SECONDS):
        """Reads on to the first message that `wanted` accepts."""
        deadline = time.monotonic() + timeout * SLOWNESS
        while not wanted(message := self.next(max(0.001, deadline - time.monotonic()))):
            pass
        return message

    def until_kind(self, *kinds: str, timeout: float = PATIENCE_SECONDS):
        return self.until(lambda message: message.WhichOneof("kind") in kinds, timeout)

    def until_event(self, kind: str, timeout: float = PATIENCE_SECONDS, **fields):
        """Reads on to the first event of a kind whose fields are as given."""
        return self.until(lambda message: message.event.WhichOneof("kind") == kind and all(
            getattr(getattr(message.event, kind), name) == value for name, value in fields.items()), timeout).event

    def until_ended(self, turn: bytes, timeout: float = PATIENCE_SECONDS):
        """Reads on to the end of a turn and returns how it ended."""
        return self.until_event("turn_ended", timeout, turn=turn).turn_ended

    def until_completed(self, turn: bytes, timeout: float = PATIENCE_SECONDS):
        """The same of a turn that must succeed."""
        ended = self.until_ended(turn, timeout)
        assert turn_status(ended.status) == "COMPLETED", str(ended)[:300]
        return ended

    def until_text(self, timeout: float = PATIENCE_SECONDS):
        """Reads on until streamed text is seen: the turn is in the middle of its work."""
        return self.until_kind("delta", "snapshot", timeout=timeout)

    def run(self, text: str, timeout: float = PATIENCE_SECONDS, **fields) -> bytes:
        """One whole turn; the id of it."""
        thread = fields.pop("thread")
        turn = self.connection.start_turn(thread, text, **fields).turn
        self.until_completed(turn, timeout)
        return turn

    def of_kind(self, kind: str) -> list:
        return [event for event in self.events if event.WhichOneof("kind") == kind]
