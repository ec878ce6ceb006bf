"""Frames in a WebSocket: a connection by the library `websockets`, and frames of RFC 6455 by hand."""

import base64
import os
import socket
import struct

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from harness.connection import Connection
from harness.http_door import place

SUBPROTOCOL = "heddle.v1"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Stream:
    """The part of a socket that `Connection` uses. What is sent is cut into messages of `piece` bytes."""

    def __init__(self, opened, piece: int):
        self.opened, self.piece, self.timeout = opened, piece, None

    def settimeout(self, seconds: float | None):
        self.timeout = seconds

    def sendall(self, data: bytes):
        for at in range(0, len(data), self.piece):
            self.opened.send(data[at:at + self.piece])

    def recv(self, _: int) -> bytes:
        try:
            return self.opened.recv(self.timeout)
        except ConnectionClosed:
            return b""

    def close(self):
        self.opened.close()


class WebSocket(Connection):
    """A connection of frames by the HTTP door of a server."""

    def __init__(self, server, piece: int = 65_536, ssl=None, **headers):
        self.piece, self.ssl, self.headers = piece, ssl, headers
        super().__init__(server.ready["http"])

    def _connected(self, address: str, *_):
        scheme = "wss" if self.ssl else "ws"
        opened = connect(f"{scheme}://{address}/frames", subprotocols=[SUBPROTOCOL], compression=None, max_size=None,
                         ssl=self.ssl, server_hostname="localhost" if self.ssl else None, open_timeout=self.timeout,
                         ping_interval=None, additional_headers=self.headers)
        return Stream(opened.__enter__(), self.piece)


def handshake(**changes) -> bytes:
    """A request for a WebSocket; a header of `changes` replaces the usual one, None leaves it out."""
    headers = {"host": "localhost", "upgrade": "websocket", "connection": "Upgrade", "sec_websocket_version": "13",
               "sec_websocket_key": base64.b64encode(os.urandom(16)).decode(), "sec_websocket_protocol": SUBPROTOCOL}
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in (headers | changes).items() if value is not None]
    return ("GET /frames HTTP/1.1\r\n" + "\r\n".join(lines) + "\r\n\r\n").encode()


def frame(opcode: int, payload: bytes = b"", last: bool = True, mask: bytes | None = b"\x01\x02\x03\x04",
          reserved: int = 0, length: int | None = None) -> bytes:
    """`length`: a length that is not that of the payload."""
    first = (0x80 if last else 0) | reserved << 4 | opcode
    count = len(payload) if length is None else length
    bit = 0x80 if mask else 0
    if count < 126 and length is None:
        head = struct.pack(">BB", first, bit | count)
    elif count < 1 << 16 and length is None:
        head = struct.pack(">BBH", first, bit | 126, count)
    else:
        head = struct.pack(">BBQ", first, bit | 127, count)
    if mask:
        payload = bytes(byte ^ mask[index & 3] for index, byte in enumerate(payload))
    return head + (mask or b"") + payload


class Raw:
    """A WebSocket by hand."""

    def __init__(self, server, timeout: float = 60, **changes):
        self.socket = socket.create_connection(place(server.ready["http"]), timeout)
        self.socket.sendall(handshake(**changes))
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            piece = self.socket.recv(65_536)
            assert piece, self.buffer
            self.buffer += piece
        self.head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data: bytes):
        self.socket.sendall(data)

    def take(self, count: int) -> bytes:
        while len(self.buffer) < count:
            try:
                piece = self.socket.recv(65_536)
            except ConnectionResetError:
                piece = b""
            if not piece:
                raise EOFError
            self.buffer += piece
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def next(self) -> tuple[int, bytes]:
        """The next frame of the server: its code and payload."""
        first, count = self.take(2)
        assert first & 0xF0 == 0x80 and count & 0x80 == 0, (first, count)
        if count == 126:
            count = struct.unpack(">H", self.take(2))[0]
        elif count == 127:
            count = struct.unpack(">Q", self.take(8))[0]
        return first & 0x0F, self.take(count)

    def close_code(self) -> int | None:
        """The code that the server closes with; None: it closes without a word."""
        try:
            while True:
                opcode, payload = self.next()
                if opcode == CLOSE:
                    return struct.unpack(">H", payload[:2])[0]
        except EOFError:
            return None
