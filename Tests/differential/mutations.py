"""Mutations of valid messages: of their trees, with the meaning of the fields, and of their bytes, without it.

A mutation of a tree is a method `tree_…`, one of the bytes a method `bytes_…`; the mutator draws from all of them.
"""

import random
import struct

from google.protobuf.descriptor import FieldDescriptor as F
from harness.protobuf import MASK, varint
from messages import Entry, Maker, encode
from shapes import BLOCK, FIXED32, GROUP, GROUP_END, VARINT, Shape

NOT_UTF8 = [b"\xc3\x28", b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"cut \xe2\x82", b"\x80",
            b"12345678\xf8\x88\x80\x80\x80", b"\xe0\x80\x80", b"\xf0\x8f\xbf\xbf", b"\xef\xbf\xbf\xc2"]
STRANGE_FLOATS = [0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FFFFFFF, 0x7F800000, 0xFF800000, 0x80000000, 0x00000001]
STRANGE_ENUMS = [99, -1, 1 << 31, -(1 << 31), 1 << 32, (1 << 32) + 1, MASK - 1, 0]
NOTEWORTHY = b"\x00\x01\x07\x08\x0a\x0b\x0c\x10\x12\x1a\x7f\x80\xfa\xff"
UNKNOWN_NUMBERS = [600, 1_000, 15_999, 65_535, 65_536, 1 << 20, (1 << 29) - 1]


class Mutator:
    def __init__(self, rng: random.Random, maker: Maker):
        self.rng, self.maker = rng, maker
        self.trees = [getattr(Mutator, name) for name in vars(Mutator) if name.startswith("tree_")]
        self.bytes = [getattr(Mutator, name) for name in vars(Mutator) if name.startswith("bytes_")]

    # Places to mutate: a list of entries and its shape; an entry of some kind.

    def places(self, entries: list, shape: Shape) -> list:
        out = [(entries, shape)]
        for entry in entries:
            if isinstance(entry.value, list) and entry.field is not None:
                out += self.places(entry.value, entry.field.shape)
        return out

    def place(self, entries: list, shape: Shape) -> tuple:
        return self.rng.choice(self.places(entries, shape))

    def entry(self, entries: list, shape: Shape, which=lambda entry: True) -> tuple | None:
        """(the list it is in, its place there) of some entry that `which` takes."""
        found = [(where, index) for where, _ in self.places(entries, shape) for index, entry in enumerate(where)
                 if entry.raw is None and which(entry)]
        return self.rng.choice(found) if found else None

    def change(self, entries: list, shape: Shape, which, value) -> None:
        if found := self.entry(entries, shape, which):
            where, index = found
            where[index].value = value

    def put(self, entries: list, shape: Shape, *new: Entry) -> None:
        where, _ = self.place(entries, shape)
        at = self.rng.randint(0, len(where))
        where[at:at] = new

    # P11 to P13: more than once

    def tree_twice(self, entries: list, shape: Shape):
        where, inner = self.place(entries, shape)
        if inner.fields:
            where.insert(self.rng.randint(0, len(where)), self.maker.one(self.rng.choice(inner.fields)))

    def tree_same_twice(self, entries: list, shape: Shape):
        if found := self.entry(entries, shape):
            where, index = found
            where.insert(self.rng.randint(0, len(where)), where[index].copy())

    def tree_split(self, entries: list, shape: Shape):
        """A message in several pieces: for a singular field they are merged."""
        if found := self.entry(entries, shape, lambda entry: isinstance(entry.value, list) and entry.field is not None):
            where, index = found
            whole = where[index]
            for _ in range(self.rng.choice((1, 1, 2, 7))):
                at = self.rng.randint(0, len(whole.value))
                piece = Entry(whole.number, BLOCK, whole.value[at:], whole.field)
                whole.value = whole.value[:at]
                where.insert(self.rng.randint(index + 1, len(where)), piece)

    def tree_nine_pieces(self, entries: list, shape: Shape):
        if found := self.entry(entries, shape, lambda entry: isinstance(entry.value, list) and entry.field is not None
                               and not entry.field.repeated):
            where, index = found
            for _ in range(self.rng.choice((6, 7, 8, 9))):
                where.insert(index, where[index].copy())

    def tree_choice_twice(self, entries: list, shape: Shape):
        found = [(where, inner) for where, inner in self.places(entries, shape) if inner.oneofs]
        if found:
            where, inner = self.rng.choice(found)
            for _ in range(self.rng.choice((1, 2))):
                field = self.rng.choice(self.rng.choice(list(inner.oneofs.values())))
                where.insert(self.rng.randint(0, len(where)), self.maker.one(field))

    def tree_shuffle(self, entries: list, shape: Shape):
        where, _ = self.place(entries, shape)
        self.rng.shuffle(where)

    def tree_drop(self, entries: list, shape: Shape):
        if found := self.entry(entries, shape):
            where, index = found
            del where[index]

    # P1 to P4, P16, P17: unknown fields

    def tree_unknown(self, entries: list, shape: Shape):
        new = [self.maker.unknown(self.rng.choice(UNKNOWN_NUMBERS)) for _ in range(self.rng.choice((1, 2, 10)))]
        self.put(entries, shape, *new)

    def tree_many_unknown(self, entries: list, shape: Shape):
        new = [self.maker.unknown(1_000) for _ in range(self.rng.choice((62, 63, 64, 64, 65, 66)))]
        self.put(entries, shape, *new)

    def tree_unknown_in_depth(self, entries: list, shape: Shape):
        body = b""
        for _ in range(self.rng.choice((5, 31, 32, 33, 99, 101, 300))):
            body = varint(self.rng.choice((1, 1_000)) << 3 | BLOCK) + varint(len(body)) + body
        self.put(entries, shape, Entry(1_000, BLOCK, body))

    def tree_group(self, entries: list, shape: Shape):
        """Whole, empty, in each other, unended, and an end without a start."""
        number = self.rng.choice((1, 2, 9, 1_000))
        start, end = Entry(number, GROUP, b""), Entry(number, GROUP_END, b"")
        inner = [self.maker.unknown(3)]
        form = self.rng.randrange(5)
        new = [[start, end], [start, *inner, end], [start, start, end, end], [start, *inner], [end]][form]
        self.put(entries, shape, *new)

    def tree_wire_6_7(self, entries: list, shape: Shape):
        self.put(entries, shape, Entry(self.rng.choice((1, 9, 1_000)), self.rng.choice((6, 7)), b"\x01"))

    def tree_bad_number(self, entries: list, shape: Shape):
        number = self.rng.choice((0, 0, 1 << 29, 1 << 30, (1 << 29) + 1))
        self.put(entries, shape, Entry(number, VARINT, 1))

    # P5 to P8: how values lie

    def tree_wrong_wire(self, entries: list, shape: Shape):
        if found := self.entry(entries, shape):
            where, index = found
            wrong = self.maker.unknown(where[index].number)
            wrong.field = None
            where[index] = wrong

    def tree_overlong(self, entries: list, shape: Shape):
        if found := self.entry(entries, shape):
            where, index = found
            where[index].value_bytes = self.rng.choice((2, 3, 5, 5, 6, 10, 11))

    def tree_overlong_tag(self, entries: list, shape: Shape):
        if found := self.entry(entries, shape):
            where, index = found
            where[index].tag_bytes = self.rng.choice((2, 4, 5, 6, 10))

    def tree_wide_varint(self, entries: list, shape: Shape):
        """Ten bytes whose last says too much, and numbers that 32 bits do not hold."""
        if found := self.entry(entries, shape, lambda entry: entry.wire == VARINT):
            where, index = found
            if self.rng.random() < 0.5:
                where[index].value = self.rng.choice((1 << 32, (1 << 32) + 1, MASK, 1 << 63, (1 << 33) + 2, MASK - 1))
            else:
                last = bytes((self.rng.choice((1, 2, 3, 127)),))
                where[index].raw = varint(where[index].number << 3) + self.rng.choice((b"\x80", b"\xff")) * 9 + last

    def tree_lying_length(self, entries: list, shape: Shape):
        if found := self.entry(entries, shape, lambda entry: entry.wire == BLOCK):
            where, index = found
            size = len(encode(where[index].value) if isinstance(where[index].value, list) else where[index].value)
            where[index].length = self.rng.choice((
                size + 1, max(0, size - 1), 0, 127, 1 << 31, (1 << 31) - 1, (1 << 32) - 1, 1 << 32, 1 << 63, MASK,
                (1 << 32) + size))

    def tree_unpacked(self, entries: list, shape: Shape):
        """One element more, by itself or in a block; an empty block; a block whose last element is cut."""
        found = [(where, field) for where, inner in self.places(entries, shape) for field in inner.fields
                 if field.repeated and field.wire == VARINT]
        if found:
            where, field = self.rng.choice(found)
            value = self.maker.number(field) & MASK
            blocks = [b"", varint(value), varint(value, 10), b"\x80", varint(value) * 3, b"\x01\x80"]
            new = Entry(field.number, VARINT, value, field)
            if self.rng.random() < 0.6:
                new = Entry(field.number, BLOCK, self.rng.choice(blocks), field)
            where.insert(self.rng.randint(0, len(where)), new)

    # P9, P10, P15, P22, P23, L3: values

    def tree_bad_text(self, entries: list, shape: Shape):
        self.change(entries, shape, lambda entry: entry.field is not None and entry.field.type == F.TYPE_STRING,
                    self.rng.choice((b"", b"x", b"eight by", "é€".encode())) + self.rng.choice(NOT_UTF8))

    def tree_nul(self, entries: list, shape: Shape):
        self.change(entries, shape, lambda entry: entry.field is not None and entry.field.type == F.TYPE_STRING,
                    self.rng.choice((b"\x00", b"a\x00b", b"12345678\x00", b"\xc3\xa9\x00", b"1234567\x0012345678")))

    def tree_enum(self, entries: list, shape: Shape):
        self.change(entries, shape, lambda entry: entry.field is not None and entry.field.type == F.TYPE_ENUM
                    and entry.wire == VARINT, self.rng.choice(STRANGE_ENUMS) & MASK)

    def tree_float(self, entries: list, shape: Shape):
        self.change(entries, shape, lambda entry: entry.wire == FIXED32 and entry.field is not None,
                    struct.pack("<I", self.rng.choice(STRANGE_FLOATS)))

    def tree_number(self, entries: list, shape: Shape):
        self.change(entries, shape, lambda entry: entry.wire == VARINT,
                    self.rng.choice((0, 1, 2, -1, -(1 << 31), (1 << 31) - 1, 1 << 62, -(1 << 63))) & MASK)

    def tree_id(self, entries: list, shape: Shape):
        self.change(entries, shape, lambda entry: entry.field is not None and entry.field.is_id,
                    self.rng.choice((b"", b"\x00" * 16, b"x" * 15, b"x" * 17, b"x" * 4_096)))

    # Bytes

    def bytes_flip(self, data: bytearray):
        if data:
            data[self.rng.randrange(len(data))] ^= 1 << self.rng.randrange(8)

    def bytes_cut(self, data: bytearray):
        if data:
            del data[self.rng.randrange(len(data)):]

    def bytes_drop(self, data: bytearray):
        if data:
            at = self.rng.randrange(len(data))
            del data[at:at + self.rng.choice((1, 1, 2, 8))]

    def bytes_insert(self, data: bytearray):
        at = self.rng.randint(0, len(data))
        data[at:at] = bytes(self.rng.choice(NOTEWORTHY) for _ in range(self.rng.choice((1, 1, 2, 5, 11))))

    def bytes_set(self, data: bytearray):
        if data:
            data[self.rng.randrange(len(data))] = self.rng.choice(NOTEWORTHY)

    def bytes_again(self, data: bytearray):
        if data:
            at = self.rng.randrange(len(data))
            piece = data[at:at + self.rng.choice((1, 2, 5, 20))]
            to = self.rng.randint(0, len(data))
            data[to:to] = piece * self.rng.choice((1, 2, 20))


def large(rng: random.Random, shapes: list[Shape]) -> tuple[Shape, bytes]:
    """P19, P20: faults of size alone. Each is rare, because each costs as much as a thousand others."""
    form = rng.randrange(4)
    if form == 0:
        shape, field = rng.choice([(s, f) for s in shapes for f in s.fields if f.repeated and f.wire == VARINT])
        body = b"\x01" * rng.choice((65_535, 65_536, 65_537, 65_537))
        block = varint(field.number << 3 | BLOCK) + varint(len(body)) + body
        return shape, block if rng.random() < 0.7 else varint(field.number << 3) + b"\x01" + block
    if form == 1:
        shape, field = rng.choice([(s, f) for s in shapes for f in s.fields if f.repeated and f.wire == BLOCK])
        return shape, (varint(field.number << 3 | BLOCK) + b"\x00") * rng.choice((500, 5_000, 65_537))
    if form == 2:
        shape, field = rng.choice([(s, f) for s in shapes for f in s.fields if not f.repeated and f.wire == VARINT])
        return shape, (varint(field.number << 3) + b"\x01") * rng.choice((65_535, 65_536, 65_537))
    shape = rng.choice(shapes)
    return shape, (varint(1_000 << 3) + b"\x01") * 20_000
