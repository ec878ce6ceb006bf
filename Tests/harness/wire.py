"""The frame by hand: 16 bytes of header, then the body. Nothing here comes from a client library.

Each error of a server is checked by the assertions of every row of docs/attacks.md: it is listed in proto/reasons.tsv,
it says what to do, and it says nothing of the inside (L8).
"""

import dataclasses
import re
import struct

from harness.messages import REASONS, frame_pb2

HEADER = struct.Struct(">BBHIBHBI")
MAGIC, VERSION = 0xFA, 1
END_OF_STREAM, MORE_OF_MESSAGE, REPLAYED = 0x02, 0x04, 0x80
REQUEST, RESPONSE, EVENT, ERROR, CANCEL, CREDIT, PING, PONG, GOAWAY, HELLO = range(1, 11)
# The most that a frame may have behind its header, before HELLO and after it.
BEFORE_HELLO_BYTES, FRAME_BYTES = 16 * 1024, 4 * 1024 * 1024

# Paths, addresses, SQL, file names of the source: nothing of them belongs into a message to a client.
LEAK = re.compile(
    r"(/(home|tmp|work|usr|var|root|etc)/|0x[0-9a-f]{6,}|\b(SELECT|INSERT|UPDATE|DELETE FROM) |\.swift\b|sqlite)", re.I)


class Broken(AssertionError):
    """The server broke an assertion of every row."""


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
        return self.kind == ERROR or bool(self.flags & END_OF_STREAM)

    def encode(self, length: int | None = None) -> bytes:
        """The bytes; `length` is what the header says instead of the truth."""
        return HEADER.pack(self.magic, self.kind, self.method, self.stream, self.version, self.metadata_length,
                           self.flags, len(self.payload) if length is None else length) + self.payload

    def but(self, **changes) -> "Frame":
        return dataclasses.replace(self, **changes)

    @staticmethod
    def decode(data, at: int = 0) -> "Frame | None":
        """The frame at a place in `data`, or None while it is incomplete."""
        if len(data) - at < HEADER.size:
            return None
        magic, kind, method, stream, version, metadata, flags, length = HEADER.unpack_from(data, at)
        begin = at + HEADER.size
        if len(data) - begin < length:
            return None
        return Frame(kind, method, stream, bytes(data[begin:begin + length]), flags, metadata, version, magic)


class HeddleError(Exception):
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
        super().__init__(f"{self.code} {self.reason} {self.details or ''} {error.message}")


class Closed(Exception):
    """The connection ended while an answer was awaited; `goaway` is what the server said, if it said anything."""

    def __init__(self, goaway: HeddleError | None = None):
        self.goaway = goaway
        super().__init__(f"the connection was closed: {goaway or 'without a word'}")
