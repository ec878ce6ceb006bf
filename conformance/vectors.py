"""Each message of the wire: empty, with every field set, and with fields that no schema has."""

from __future__ import annotations

import functools

from schema import (
    agent_pb2, catalog_pb2, client_pb2, event_pb2, frame_pb2, is_repeated, item_pb2, server_pb2, settings_pb2, thread_pb2,
    turn_pb2)

MODULES = (frame_pb2, item_pb2, client_pb2, settings_pb2, turn_pb2, event_pb2, agent_pb2, catalog_pb2, server_pb2, thread_pb2)
DEPTH = 4
UNKNOWN = bytes.fromhex("c8be0807") + bytes.fromhex("d2be0803616263")


def full(message, depth: int = DEPTH) -> None:
    """Sets every field, of each `oneof` the last one."""
    for field in message.DESCRIPTOR.fields:
        repeated = is_repeated(field)
        if field.message_type is not None:
            if depth == 0:
                continue
            inner = getattr(message, field.name).add() if repeated else getattr(message, field.name)
            if not repeated:
                inner.SetInParent()
            full(inner, depth - 1)
        elif repeated:
            getattr(message, field.name).extend([value(field), value(field)])
        else:
            setattr(message, field.name, value(field))


def value(field):
    if field.type == field.TYPE_BYTES:
        return bytes(range(16))
    if field.type == field.TYPE_STRING:
        return "Grüße, 世界 🌍"
    if field.enum_type is not None:
        return field.enum_type.values[-1].number
    if field.type in (field.TYPE_FLOAT, field.TYPE_DOUBLE):
        return 0.5
    if field.type == field.TYPE_BOOL:
        return True
    # Times and counts are numbers of 53 bits; an epoch has all 64.
    if field.name == "epoch":
        return (1 << 63) + 5
    return (1 << 31) - 1 if field.type in (field.TYPE_INT32, field.TYPE_UINT32) else (1 << 53) - 1


@functools.lru_cache(None)
def all_vectors() -> list[tuple[str, bytes]]:
    found = []
    for module in MODULES:
        for name in sorted(module.DESCRIPTOR.message_types_by_name):
            message = getattr(module, name)()
            found.append((name, b""))
            found.append((name, UNKNOWN))
            full(message)
            found.append((name, message.SerializeToString(deterministic=True)))
    return found
