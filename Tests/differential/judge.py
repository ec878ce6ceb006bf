"""The rules of docs/attacks.md and docs/protocol.md about the bytes of a message, beyond those of protobuf itself.

A second reading of those pages, from the bytes alone: `Reading` walks them as they lie, keeps the final values
(the last one of a singular field, the pieces of a message as one), and names every row that the bytes break. It shares
nothing with the server. Where it and Google's parser accept, the server has to accept; where it names rows, the server
has to refuse with the reason of one of them.
"""

import collections

from google.protobuf.descriptor import FieldDescriptor as F
from shapes import BLOCK, FIXED64, GROUP, GROUP_END, VARINT, Field, Shape

UNKNOWN_FIELDS, ELEMENTS, SINGULAR_PIECES, NESTING = 64, 65_536, 8, 32
BUDGET_FACTOR, BUDGET_FLOOR = 8, 64 * 1024

# The word of the server's decoder for each row. A row is a message that the server refuses and Google's parser accepts.
REASONS = {
    "P1": "malformed", "P3": "malformed", "P4": "malformed", "P5": "malformed", "P8": "malformed", "P9": "invalid_utf8",
    "P10": "embedded_nul", "P15": "unknown_enum", "P17": "too_many_unknown", "P18": "too_deep", "P19": "decode_budget",
    "P20": "too_many_elements", "P21": "missing_field", "L3": "bad_id",
}


NIL = bytes(16)


class Broken(Exception):
    """The bytes cannot be read on: no parser can."""


class Reading:
    """One message, read."""

    def __init__(self, shape: Shape, data: bytes):
        self.data, self.rows, self.broken = data, set(), False
        # An id of zeros where it may be absent: read as absent (P26).
        self.nil_ids = False
        self.memory = 0
        state: dict = {}
        try:
            self.walk(0, len(data), shape, state, 0)
        except Broken:
            self.broken = True
            return
        self.values(shape, state)

    @property
    def may_cost_too_much(self) -> bool:
        """Whether unpacking may take more than its budget. Counted in the largest struct there can be, so this says
        where the answer is not known rather than what it is."""
        return self.memory > max(BUDGET_FLOOR, BUDGET_FACTOR * len(self.data))

    # Bytes

    def varint(self, at: int, end: int, most: int) -> tuple[int, int]:
        data, value, shift, first = self.data, 0, 0, at
        while True:
            if at >= end or at - first >= most:
                raise Broken
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            if byte < 128:
                break
            shift += 7
        if value >> 64:
            self.rows.add("P5")
        return value & 0xFFFF_FFFF_FFFF_FFFF, at

    def walk(self, at: int, end: int, shape: Shape, state: dict, depth: int):
        if depth >= NESTING:
            self.rows.add("P18")
        counts: dict = {}
        self.memory += 96 + 64 * len(shape.fields)
        try:
            while at < end:
                number, wire, value, start, at = self.entry(at, end)
                field = shape.by_number.get(number)
                counts[number if field else 0] = count = counts.get(number if field else 0, 0) + 1
                self.memory += 64
                if field is None:
                    continue
                if wire == field.wire:
                    self.known(field, value, start, at, state, depth, count, shape)
                elif wire == BLOCK and field.repeated and field.wire == VARINT:
                    counts[number] = count - 1 + self.packed(field, start, at, state)
                else:
                    self.rows.add("P8")
        except Broken:
            # The server counts a field when its tag is read: the one that breaks may be the one too many.
            counts[0] = counts.get(0, 0) + 1
            raise
        finally:
            # It counts as it goes: a limit may be passed in front of where the bytes break.
            self.count(shape, counts.pop(0, 0), counts)

    def entry(self, at: int, end: int) -> tuple:
        """Number, wire type, value of a varint, where the content begins, where the entry ends."""
        tag, at = self.varint(at, end, 5)
        number, wire, value, start = tag >> 3, tag & 7, None, at
        if number == 0:
            # In a message without fields Google's parser takes it for an unknown one.
            self.rows.add("P3")
        if number == 0 or number >= 1 << 29 or wire in (GROUP_END, 6, 7):
            raise Broken
        if wire == GROUP:
            # The contents of the group are not read: Google's parser says whether it ends.
            self.rows.add("P1")
            raise Broken
        if wire == VARINT:
            value, at = self.varint(at, end, 10)
        elif wire == BLOCK:
            size, start = self.varint(at, end, 5)
            at = start + size
        else:
            at += 8 if wire == FIXED64 else 4
        if at > end:
            raise Broken
        return number, wire, value, start, at

    def count(self, shape: Shape, unknown: int, counts: dict):
        if unknown > UNKNOWN_FIELDS:
            self.rows.add("P17")
        for number, count in counts.items():
            field = shape.by_number[number]
            if count > ELEMENTS:
                self.rows.add("P20" if field.repeated else "P19")
            if count > SINGULAR_PIECES and field.shape is not None and not field.repeated:
                self.rows.add("P19")

    def packed(self, field: Field, at: int, end: int, state: dict) -> int:
        """Elements of the block; an empty one counts as one."""
        values = state.setdefault(field.number, [])
        first = len(values)
        while at < end:
            value, at = self.varint(at, end, 10)
            values.append(value)
        self.memory += 16 * (len(values) - first) + 16
        return max(1, len(values) - first)

    def known(self, field: Field, value, start: int, end: int, state: dict, depth: int, count: int, shape: Shape):
        number = field.number
        if field.oneof:
            for other in shape.oneofs[field.oneof]:
                if other.number != number:
                    state.pop(other.number, None)
        if field.shape is not None:
            if field.repeated:
                state.setdefault(number, []).append({})
                inner = state[number][-1]
            else:
                inner = state.setdefault(number, {})
            # Merging a piece costs a copy of the pieces before it.
            self.memory += 0 if field.repeated else 2_000 * (count - 1)
            return self.walk(start, end, field.shape, inner, depth + 1)
        if field.wire == BLOCK:
            value = self.data[start:end]
            if field.type == F.TYPE_STRING:
                self.text(value)
        if field.repeated:
            state.setdefault(number, []).append(value)
        else:
            state[number] = value

    def text(self, value: bytes):
        if 0 in value:
            self.rows.add("P10")
        try:
            value.decode()
        except UnicodeDecodeError:
            self.rows.add("P9")

    # Final values

    def values(self, shape: Shape, state: dict):
        for field in shape.fields:
            # Absent and empty are one in the schema.
            if field.number not in state or (field.required and state[field.number] == b"" and not field.is_id):
                if field.required:
                    self.rows.add("P21")
                continue
            found = state[field.number]
            for value in found if field.repeated else (found,):
                if field.shape is not None:
                    self.values(field.shape, value)
                elif field.is_id:
                    if len(value) != 16:
                        self.rows.add("L3")
                    self.nil_ids |= value == NIL and not field.presence
                elif field.type == F.TYPE_ENUM:
                    self.enumeration(field, value)

    def enumeration(self, field: Field, value: int):
        value &= 0xFFFF_FFFF
        value -= (value >> 31) << 32
        if value not in field.values or (value == 0 and not field.zero_is_meant):
            self.rows.add("P15")


class Judge:
    """Compares what the two parsers said about one message, and counts."""

    def __init__(self):
        self.counts, self.exceptions = collections.Counter(), collections.Counter()

    def verdict(self, shape: Shape, data: bytes, google: bytes | None, what: int, answer: bytes) -> str | None:
        """None where they agree or a row says why not; else what is wrong."""
        reading = Reading(shape, data)
        allowed = {REASONS[row] for row in reading.rows}
        self.counts["accepted" if what == 0 else "rejected"] += 1
        if what == 0:
            return self.accepted(shape, reading, google, answer)
        reason = answer.decode()
        if google is None:
            # Both refuse. The reason has to be one that these bytes give.
            right = {"malformed"} if reading.broken else set()
            if reason not in allowed | right:
                return f"both refuse, ours as {reason}, but the bytes say {sorted(reading.rows) or 'broken'}"
            return self.agreed()
        if reason == "decode_budget" and "P19" not in reading.rows and reading.may_cost_too_much:
            return self.excused("P19")
        rows = sorted(row for row in reading.rows if REASONS[row] == reason)
        if not rows:
            return f"refused as {reason}, which Google's parser accepts and no row explains ({sorted(reading.rows)})"
        for row in rows:
            self.excused(row)
        return None

    def accepted(self, shape: Shape, reading: Reading, google: bytes | None, answer: bytes) -> str | None:
        if google is None:
            return "accepted, which Google's parser refuses"
        if reading.rows:
            return f"accepted against {', '.join(sorted(reading.rows))}"
        if reading.broken:
            return "accepted, though the bytes are broken"
        try:
            ours = canonical(shape, answer)
        except Exception as error:  # whatever the parser raises, our encoder's bytes were no message
            return f"encoded as what is no message: {error}"
        if ours == google:
            return self.agreed()
        if reading.nil_ids and ours == without_nil_ids(shape, google):
            return self.excused("P26")
        return f"other values: ours {ours.hex()}, Google's {google.hex()}"

    def agreed(self) -> None:
        self.counts["agreed"] += 1

    def excused(self, row: str) -> None:
        self.exceptions[row] += 1


def canonical(shape: Shape, data: bytes) -> bytes:
    """The message that Google's parser reads, in canonical encoding. Unknown fields are ignored (P16)."""
    message = shape.message.FromString(data)
    message.DiscardUnknownFields()
    return message.SerializeToString(deterministic=True)


def without_nil_ids(shape: Shape, data: bytes) -> bytes:
    """P26: ids of zeros taken out where an id may be absent."""
    message = shape.message.FromString(data)
    _clear_nil_ids(shape, message)
    return message.SerializeToString(deterministic=True)


def _clear_nil_ids(shape: Shape, message) -> None:
    for field in shape.fields:
        value = getattr(message, field.name)
        if field.shape is not None:
            for inner in value if field.repeated else (value,) if message.HasField(field.name) else ():
                _clear_nil_ids(field.shape, inner)
        elif field.is_id and not field.presence and value == NIL:
            message.ClearField(field.name)
