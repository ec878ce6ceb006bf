"""Frames: a head of 16 bytes, optional metadata, a message (docs/protocol.md)."""

from __future__ import annotations

import struct

from heddle._errors import ProtocolError, TooLarge
from heddle.v1 import frame_pb2

HEAD = struct.Struct(">BBHIBHBI")
MAGIC, VERSION = 0xFA, 1
REQUEST, RESPONSE, EVENT, ERROR, CANCEL, CREDIT, PING, PONG, GOAWAY, HELLO = range(1, 11)
END_OF_STREAM, REPLAYED = 0x02, 0x80
# The server's frames may be larger than a client's: a stored event may hold an item of 4 MiB.
RECEIVED_BYTES = 8 << 20
PAYLOAD_NEEDED = (EVENT, ERROR, GOAWAY, HELLO)


def pack(kind: int, method: int, stream: int, payload: bytes, metadata: bytes = b"") -> bytes:
    head = HEAD.pack(MAGIC, kind, method, stream, VERSION, len(metadata), 0, len(metadata) + len(payload))
    return head + metadata + payload if metadata else head + payload


class Cutter:
    """Cuts a stream of bytes into frames: (kind, flags, method, stream, payload, bytes of the whole frame)."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self.largest = RECEIVED_BYTES

    def cut(self, data: bytes) -> list[tuple[int, int, int, int, bytes, int]]:
        buffer = self._buffer
        buffer += data
        frames = []
        at, end = 0, len(buffer)
        while end - at >= 16:
            magic, kind, method, stream, version, metadata, flags, length = HEAD.unpack_from(buffer, at)
            if magic != MAGIC or version != VERSION or flags & 0x7D or metadata > length or not 0 < kind <= HELLO:
                self._check(magic, kind, version, metadata, flags, length)
            if length > self.largest:
                raise TooLarge(f"the server sent a frame of {length} bytes; the client takes {self.largest}")
            if end - at < 16 + length:
                break
            if kind <= HELLO:
                payload = bytes(memoryview(buffer)[at + 16 + metadata:at + 16 + length])
                if not payload and kind in PAYLOAD_NEEDED:
                    raise ProtocolError(f"the server sent a frame of kind {kind} without content")
                frames.append((kind, flags, method, stream, payload, 16 + length))
            at += 16 + length
        if at:
            del buffer[:at]
        return frames

    @staticmethod
    def _check(magic: int, kind: int, version: int, metadata: int, flags: int, length: int) -> None:
        if magic != MAGIC:
            raise ProtocolError("this is no server of Heddle, or one that speaks TLS: its bytes are no frames")
        if version != VERSION:
            raise ProtocolError(f"the server speaks version {version} of the protocol, the client version {VERSION}")
        if metadata > length:
            raise ProtocolError("the server sent a frame whose metadata is longer than the frame")
        if not 0 < kind <= HELLO:
            # Kinds with the top bit may be skipped.
            if not kind & 0x80:
                raise ProtocolError(f"the server sent a frame of the unknown kind {kind}")
        elif flags & 0x7D:
            raise ProtocolError(f"the server sent a frame with the unknown flags {flags:#x}")


def refusal(payload: bytes) -> frame_pb2.Error:
    try:
        return frame_pb2.Error.FromString(payload)
    except Exception as error:
        raise ProtocolError("the server sent an error that cannot be read") from error
