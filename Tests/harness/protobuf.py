"""Protobuf by hand, for messages that no library would write."""

MASK = (1 << 64) - 1


def varint(value: int, pad_to: int = 0) -> bytes:
    """Base 128; `pad_to` makes it overlong. Negative numbers take their 64-bit two's complement."""
    value &= MASK
    if value < 0x80 and pad_to < 2:
        return bytes((value,))
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
