"""Writes messages of every type of the schema that the pre-scan accepts: the corpus of messages.c.

    python messages.py FILE [--rounds N] [--seed N]

A round has every type with all of its fields set, and with some: the ends of each range, empty and long text, each member
of each oneof; and the same again in an unusual encoding: fields in any order, singular messages in
several pieces (which protobuf-c merges), unknown fields, numbers packed and one by one.
"""

import argparse
import random
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from google.protobuf import descriptor_pool, message_factory  # noqa: E402
from google.protobuf.descriptor import FieldDescriptor  # noqa: E402
from harness.messages import ROOT  # noqa: E402  it makes the classes from proto/
from harness.protobuf import varint  # noqa: E402

DEPTH = 6  # of the 32 that are allowed: messages of one type in each other grow without end
SINGULAR_REPEATS = 8
TEXTS = ["", "a", "é€😀 \"\\\n", "x" * 300]
INTEGERS = {
    FieldDescriptor.CPPTYPE_INT32: [0, 1, -1, 2**31 - 1, -(2**31)],
    FieldDescriptor.CPPTYPE_INT64: [0, 1, -1, 2**63 - 1, -(2**63)],
    FieldDescriptor.CPPTYPE_UINT32: [0, 1, 127, 128, 2**32 - 1],
    FieldDescriptor.CPPTYPE_UINT64: [0, 1, 127, 128, 2**64 - 1],
}
FLOATS = [0.0, -0.0, 0.7, float("inf"), float("nan")]


def types():
    """Every message of the schema, in one order."""
    pool = descriptor_pool.Default()
    found = {}
    for path in sorted((ROOT / "proto").glob("heddle/v1/*.proto")):
        if path.name == "options.proto":
            continue
        file = pool.FindFileByName(f"heddle/v1/{path.name}")
        found.update({kind.full_name: kind for kind in file.message_types_by_name.values()})
    return [found[name] for name in sorted(found)]


def scalar(field: FieldDescriptor, chance: random.Random):
    if field.cpp_type in INTEGERS:
        return chance.choice(INTEGERS[field.cpp_type])
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return chance.random() < 0.5
    if field.cpp_type == FieldDescriptor.CPPTYPE_ENUM:
        return chance.choice([value.number for value in field.enum_type.values] + [12345, -1])
    if field.cpp_type in (FieldDescriptor.CPPTYPE_FLOAT, FieldDescriptor.CPPTYPE_DOUBLE):
        return chance.choice(FLOATS)
    text = chance.choice(TEXTS)
    return text if field.type == FieldDescriptor.TYPE_STRING else text.encode()


def fill(message, chance: random.Random, share: float, depth: int = 0):
    """Sets about this share of the fields; of a oneof the last one stays."""
    fields = list(message.DESCRIPTOR.fields)
    chance.shuffle(fields)
    for field in fields:
        if chance.random() >= share:
            continue
        for _ in range(chance.choice([1, 2, 5]) if field.is_repeated else 1):
            if field.message_type is None:
                if field.is_repeated:
                    getattr(message, field.name).append(scalar(field, chance))
                else:
                    setattr(message, field.name, scalar(field, chance))
            elif depth < DEPTH:
                inner = getattr(message, field.name)
                inner = inner.add() if field.is_repeated else inner
                inner.SetInParent() if not field.is_repeated else None
                fill(inner, chance, share if depth < 2 else share / 3, depth + 1)
    return message


def can_be_merged(message) -> bool:
    """protobuf-c 1.4.1 refuses to merge two messages in which the same oneof has no member."""
    oneofs = [oneof for oneof in message.DESCRIPTOR.oneofs if not oneof.fields[0].has_presence or len(oneof.fields) > 1]
    if any(message.WhichOneof(oneof.name) is None for oneof in oneofs):
        return False
    return all(can_be_merged(value) for field, value in message.ListFields()
               if field.message_type is not None and not field.is_repeated)


def as_others_write_it(message, chance: random.Random) -> bytes:
    """The same message from a sender that knows more fields, in another order and in more pieces than need be."""
    pieces = []
    for field, value in message.ListFields():
        values = value if field.is_repeated else [value]
        for one in values:
            part = type(message)()
            if field.is_repeated and field.message_type:
                getattr(part, field.name).add().CopyFrom(one)
            elif field.is_repeated:
                getattr(part, field.name).append(one)  # a packed field of one element
            elif field.message_type:
                getattr(part, field.name).CopyFrom(one)
            else:
                setattr(part, field.name, one)
            merges = field.message_type is not None and not field.is_repeated and can_be_merged(one)
            pieces += [part.SerializeToString()] * (chance.choice([1, 2, 3, SINGULAR_REPEATS]) if merges else 1)
            if field.is_packed:  # the same number once more, without packing
                pieces.append(varint(field.number << 3) + varint(int(one) & (2**64 - 1)))
    pieces += [varint(1_000_000 << 3 | 0) + varint(2**64 - 1), varint(1_000_001 << 3 | 2) + b"\x03abc",
               varint(1_000_002 << 3 | 5) + b"\0" * 4, varint((2**29 - 1) << 3 | 1) + b"\xff" * 8]
    chance.shuffle(pieces)
    return b"".join(pieces)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    with open(options.file, "wb") as out:
        for _ in range(options.rounds):
            for descriptor in types():
                for share in (0.0, 0.5, 1.0):
                    message = fill(message_factory.GetMessageClass(descriptor)(), chance, share)
                    for encoded in (message.SerializeToString(), as_others_write_it(message, chance)):
                        out.write(descriptor.full_name.encode() + b"\0" + struct.pack(">I", len(encoded)) + encoded)


if __name__ == "__main__":
    main()
