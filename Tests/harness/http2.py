"""A raw client of HTTP/2: frames by hyperframe, headers by hpack, and no rule of the protocol kept but on purpose."""

import select
import socket
import struct
import time

from hpack import Decoder, Encoder
from hyperframe.frame import (
    DataFrame, Frame, GoAwayFrame, HeadersFrame, PingFrame, RstStreamFrame, SettingsFrame, WindowUpdateFrame)

from harness.connection import PATIENCE_SECONDS, SLOWNESS

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
NO_ERROR, PROTOCOL_ERROR, FLOW_CONTROL_ERROR, REFUSED_STREAM, ENHANCE_YOUR_CALM = 0, 1, 3, 7, 11
WIDE = 1 << 30


class Peer:
    """One connection. `window`: the bytes that a stream of ours may bring; `settings` more of them."""

    def __init__(self, address: str, window: int = 1 << 20, receive_bytes: int | None = None, widens: bool = True,
                 timeout: float = PATIENCE_SECONDS, **settings):
        host, port = address.rsplit(":", 1)
        self.socket = socket.socket()
        if receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        self.socket.settimeout(timeout * SLOWNESS)
        self.socket.connect((host, int(port)))
        self.encoder, self.decoder = Encoder(), Decoder()
        self.decoder.max_header_list_size = 1 << 20
        self.stream, self.unread, self.frames = 1, b"", []
        self.has_ended = False
        first = SettingsFrame(0, settings={SettingsFrame.INITIAL_WINDOW_SIZE: window, **settings})
        update = WindowUpdateFrame(0, window_increment=WIDE).serialize() if widens else b""
        self.send(PREFACE + first.serialize() + update)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, *pieces: bytes | Frame):
        self.socket.sendall(b"".join(piece if isinstance(piece, bytes) else piece.serialize() for piece in pieces))

    def push(self, data: bytes) -> bool:
        """Sends to a server that may have closed."""
        try:
            self.socket.sendall(data)
            return True
        except OSError:
            return False

    # Requests

    @staticmethod
    def message(body: bytes, flags: int = 0, length: int | None = None) -> bytes:
        return struct.pack(">BI", flags, len(body) if length is None else length) + body

    def heads(self, path: str, more: tuple = (), without: tuple = (), **changed: str) -> list:
        pairs = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "localhost",
                 "content-type": "application/grpc", "te": "trailers"}
        pairs.update({name.replace("_", "-"): value for name, value in changed.items()})
        return [pair for pair in pairs.items() if pair[0] not in without] + list(more)

    def next_stream(self) -> int:
        self.stream += 2
        return self.stream - 2

    def head(self, stream: int, pairs: list, *flags: str) -> HeadersFrame:
        return HeadersFrame(stream, self.encoder.encode(pairs), flags=["END_HEADERS", *flags])

    def request(self, path: str, body: bytes = b"", **more) -> tuple[int, bytes]:
        """A complete call: its stream and its bytes."""
        stream = self.next_stream()
        data = DataFrame(stream, self.message(body), flags=["END_STREAM"])
        return stream, self.head(stream, self.heads(path, **more)).serialize() + data.serialize()

    def ask(self, path: str, body: bytes = b"", **more) -> int:
        stream, data = self.request(path, body, **more)
        self.send(data)
        return stream

    # Answers

    def receive(self, timeout: float | None = None) -> Frame | None:
        """The next frame; None: the server has closed. SETTINGS and PING are answered."""
        while True:
            if len(self.unread) >= 9:
                frame, length = Frame.parse_frame_header(memoryview(self.unread[:9]))
                if len(self.unread) >= 9 + length:
                    frame.parse_body(memoryview(self.unread[9:9 + length]))
                    self.unread = self.unread[9 + length:]
                    return self.take(frame)
            if timeout is not None:
                self.socket.settimeout(max(0.001, timeout))
            try:
                piece = self.socket.recv(1 << 16)
            except ConnectionError:
                piece = b""
            if not piece:
                self.has_ended = True
                return None
            self.unread += piece

    def take(self, frame: Frame) -> Frame:
        if isinstance(frame, HeadersFrame):
            frame.pairs = dict(self.decoder.decode(frame.data))
        if isinstance(frame, SettingsFrame) and "ACK" not in frame.flags:
            self.push(SettingsFrame(0, flags=["ACK"]).serialize())
        if isinstance(frame, PingFrame) and "ACK" not in frame.flags:
            self.push(PingFrame(0, frame.opaque_data, flags=["ACK"]).serialize())
        self.frames.append(frame)
        return frame

    def answer(self, stream: int, seconds: float = PATIENCE_SECONDS) -> tuple[dict, bytes]:
        """Headers and trailers of a stream in one, and its body; `reset`: the code of RST_STREAM."""
        pairs, body, deadline = {}, b"", time.monotonic() + seconds * SLOWNESS
        while True:
            frame = self.receive(deadline - time.monotonic())
            assert frame is not None, f"closed before stream {stream} was answered: {self.frames[-3:]}"
            if frame.stream_id != stream:
                continue
            if isinstance(frame, HeadersFrame):
                pairs.update(frame.pairs)
            if isinstance(frame, DataFrame):
                body += frame.data
            if isinstance(frame, RstStreamFrame):
                return {**pairs, "reset": frame.error_code}, body
            if "END_STREAM" in frame.flags:
                return pairs, body

    def end(self, seconds: float = PATIENCE_SECONDS) -> GoAwayFrame | None:
        """Reads to the end of the connection; the last GOAWAY."""
        deadline = time.monotonic() + seconds * SLOWNESS
        while self.receive(deadline - time.monotonic()) is not None:
            pass
        return self.goaway

    @property
    def goaway(self) -> GoAwayFrame | None:
        """The last GOAWAY that has been read."""
        return next((frame for frame in reversed(self.frames) if isinstance(frame, GoAwayFrame)), None)

    def is_told_to_go(self) -> bool:
        """Reads the frames that have come; whether there is a GOAWAY among them, or the end."""
        while select.select([self.socket], [], [], 0)[0] and not self.has_ended:
            self.receive(5)
        return self.has_ended or self.goaway is not None

    def is_served(self):
        """K: the same connection is still served."""
        pairs, body = self.answer(self.ask("/heddle.v1.ServerService/Status"))
        assert pairs.get("grpc-status") == "0", pairs
        assert body[:1] == b"\0"
