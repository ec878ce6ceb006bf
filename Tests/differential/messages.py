"""Random valid messages of every type, as trees of entries that a mutation can take hold of, and their bytes."""

import random
import struct

from google.protobuf.descriptor import FieldDescriptor as F
from harness.protobuf import MASK, varint
from shapes import BLOCK, FIXED32, FIXED64, VARINT, Field, Shape

TEXTS = ["", "a", "name", "hello world", "é€😀", "x" * 40, "line\nline", "\u202e\u200b", "z" * 200, "\U0010ffff",
         "\x7f\x01"]
NUMBERS = [0, 1, 2, 127, 128, 300, 16_383, 16_384, 1 << 21, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 35, 1 << 56,
           (1 << 63) - 1, 1 << 63, MASK]
FLOATS = [0.0, 1.0, 0.7, 2.0, -1.5, 1e-45, 3.4e38]


class Entry:
    """One field as it stands on the wire. `value` is a number, bytes, or a list of entries; the rest: how it lies."""

    __slots__ = ("number", "wire", "value", "field", "tag_bytes", "value_bytes", "length", "raw")

    def __init__(self, number: int, wire: int, value, field: Field | None = None):
        self.number, self.wire, self.value, self.field = number, wire, value, field
        # Bytes that tag and varint (or length) take, where more than needed; a length that is not true; other bytes.
        self.tag_bytes = self.value_bytes = 0
        self.length = self.raw = None

    def copy(self) -> "Entry":
        value = [entry.copy() for entry in self.value] if isinstance(self.value, list) else self.value
        other = Entry(self.number, self.wire, value, self.field)
        other.tag_bytes, other.value_bytes, other.length, other.raw = (
            self.tag_bytes, self.value_bytes, self.length, self.raw)
        return other


def encode(entries: list) -> bytes:
    out = bytearray()
    for entry in entries:
        if entry.raw is not None:
            out += entry.raw
            continue
        out += varint(entry.number << 3 | entry.wire, entry.tag_bytes)
        value = entry.value
        if entry.wire == VARINT:
            out += varint(value, entry.value_bytes)
        elif entry.wire == BLOCK:
            body = encode(value) if isinstance(value, list) else value
            out += varint(len(body) if entry.length is None else entry.length, entry.value_bytes)
            out += body
        else:
            out += value
    return bytes(out)


class Maker:
    """Messages of a size that keeps a million of them quick: `room` entries at most, then only what is required."""

    def __init__(self, rng: random.Random):
        self.rng, self.room = rng, 0

    def message(self, shape: Shape) -> list:
        self.room = self.rng.choice((4, 8, 16, 40))
        return self.entries(shape)

    def entries(self, shape: Shape) -> list:
        rng, out = self.rng, []
        share = rng.choice((0.15, 0.4, 0.9))
        chosen = {name: rng.choice(fields).number for name, fields in shape.oneofs.items()}
        for field in shape.fields:
            wanted = field.required or (self.room > 0 and rng.random() < share)
            if field.oneof:
                wanted = chosen[field.oneof] == field.number and self.room > -40 and rng.random() < 0.9
            if wanted:
                self.field(field, out)
        if rng.random() < 0.15:
            rng.shuffle(out)
        return out

    def field(self, field: Field, out: list):
        times = self.rng.choice((0, 1, 1, 2, 5)) if field.repeated else 1
        if field.repeated and field.wire == VARINT and self.rng.random() < 0.7:
            body = b"".join(varint(self.number(field) & MASK) for _ in range(times))
            out.append(Entry(field.number, BLOCK, body, field))
            return
        for _ in range(times):
            self.room -= 1
            out.append(self.one(field))

    def one(self, field: Field) -> Entry:
        return Entry(field.number, field.wire, self.value(field), field)

    def value(self, field: Field):
        rng = self.rng
        if field.shape is not None:
            return self.entries(field.shape)
        if field.wire == VARINT:
            return self.number(field)
        if field.wire == FIXED32:
            return struct.pack("<f", rng.choice(FLOATS))
        if field.is_id:
            return rng.randbytes(16)
        if field.type == F.TYPE_BYTES:
            return rng.randbytes(rng.choice((0, 1, 7, 16, 33)))
        return rng.choice(TEXTS).encode()

    def number(self, field: Field) -> int:
        if field.type == F.TYPE_BOOL:
            return self.rng.randrange(2)
        if field.type == F.TYPE_ENUM:
            meant = sorted(field.values if field.zero_is_meant else field.values - {0})
            return self.rng.choice(meant) & MASK
        if self.rng.random() < 0.7:
            return self.rng.choice(NUMBERS)
        return self.rng.getrandbits(self.rng.choice((8, 32, 64)))

    def unknown(self, number: int) -> Entry:
        """A field that no message has."""
        wire = self.rng.choice((VARINT, VARINT, FIXED64, FIXED32, BLOCK, BLOCK))
        value = {VARINT: self.rng.getrandbits(40), FIXED64: self.rng.randbytes(8), FIXED32: self.rng.randbytes(4),
                 BLOCK: self.rng.randbytes(self.rng.randrange(12))}[wire]
        return Entry(number, wire, value)
