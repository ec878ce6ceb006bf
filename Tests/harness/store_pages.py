"""A data folder whose server is down: the checksums of its pages (durability.md D7), for tests that change a database
behind a server's back, and damage to what one thread has stored."""

import contextlib
import pathlib
import sqlite3

RESERVE = 4
TABLE = [0] * 256
for _byte in range(256):
    _crc = _byte
    for _ in range(8):
        _crc = _crc >> 1 ^ (0x82F63B78 if _crc & 1 else 0)
    TABLE[_byte] = _crc


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def page_checksum(page: bytes, number: int) -> bytes:
    """The checksum at the end of the page: CRC32C over its number and its other bytes."""
    return crc32c(number.to_bytes(4, "big") + page[:-RESERVE]).to_bytes(4, "big")


def page_size(raw: bytes) -> int:
    size = int.from_bytes(raw[16:18], "big")
    return 65536 if size == 1 else size


def wrong_pages(path: pathlib.Path) -> list[int]:
    raw = path.read_bytes()
    size = page_size(raw)
    assert raw[20] == RESERVE, "its pages have no checksums"
    return [begin // size + 1 for begin in range(0, len(raw), size)
            if page_checksum(raw[begin:begin + size], begin // size + 1) != raw[begin + size - RESERVE:begin + size]]


def seal(path: pathlib.Path):
    """Gives each page of a database at rest the checksum that it should have: SQLite itself does not know of them."""
    raw = bytearray(path.read_bytes())
    size = page_size(raw)
    for number in wrong_pages(path):
        end = number * size
        raw[end - RESERVE:end] = page_checksum(raw[end - size:end], number)
    path.write_bytes(raw)


def damage(data: pathlib.Path, thread: bytes):
    """Turns bits of every stored event and snapshot of a thread, and of nothing else."""
    with contextlib.closing(sqlite3.connect(data / "heddle.db")) as database, database:
        for table in ("events", "snapshots"):
            rows = database.execute(f"SELECT seq, payload FROM {table} WHERE thread = ?", (thread,)).fetchall()
            for sequence, payload in rows:
                changed = bytes(byte ^ 0x55 for byte in payload)
                database.execute(f"UPDATE {table} SET payload = ? WHERE thread = ? AND seq = ?",
                                 (changed, thread, sequence))
    seal(data / "heddle.db")
