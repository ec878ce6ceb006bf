"""The places of columns in a database file, so that a flipped bit can be said to have hit `turns.payload`.

SQLite's file format, as far as our tables need it: every table is WITHOUT ROWID, so tables and indexes alike are index
b-trees: leaf pages are of type 10, inner ones of type 2, a cell is [left child (4), inner only] payload length,
payload [overflow page (4)], a payload is header length, a serial type for each column, then the values.
"""

import collections
import itertools
import pathlib
import sqlite3

LEAF, INNER = 10, 2
WAL_HEADER, FRAME_HEADER = 32, 24
VALUE_BYTES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8}


def varint(page: bytes, place: int) -> tuple[int, int]:
    value = 0
    for index in range(9):
        byte = page[place + index]
        if index == 8:
            return value << 8 | byte, place + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + index + 1
    raise AssertionError


def columns_of(database: sqlite3.Connection) -> dict[str, list[str]]:
    """Columns in the order in which they are stored: those of the key first, which our tables declare first."""
    found = {}
    for kind, name in database.execute("SELECT type, name FROM sqlite_master WHERE type IN ('table', 'index')"):
        pragma = "table_info" if kind == "table" else "index_xinfo"
        found[name] = [row[1] if kind == "table" else row[2] for row in database.execute(f"PRAGMA {pragma}({name})")]
    return found


def places(path: pathlib.Path) -> dict[str, list[tuple[int, int]]]:
    """Runs of bytes (begin, end) of the database file by what they are: `threads.name`, `events: page header`, …"""
    raw = path.read_bytes()
    database = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    size = database.execute("PRAGMA page_size").fetchone()[0]
    columns = columns_of(database)
    pages = {number: name for name, number in database.execute("SELECT name, pageno FROM dbstat")}
    kinds = dict(database.execute("SELECT name, type FROM sqlite_master"))
    database.close()
    out: dict[str, list] = collections.defaultdict(list)
    out["file header"].append((0, 100))
    for number in range(1, len(raw) // size + 1):
        name, begin = pages.get(number), (number - 1) * size
        if name is None:
            out["free page"].append((begin, begin + size))
        elif name not in kinds:
            out["schema"].append((begin + (100 if number == 1 else 0), begin + size))
        elif raw[begin] not in (LEAF, INNER):
            out[f"{name}: overflow"].append((begin, begin + size))
        else:
            title = name if kinds[name] == "table" else f"index {name}"
            _page(raw[begin:begin + size], begin, title, columns[name], kinds[name] == "table", out)
    return dict(out)


def _page(page: bytes, begin: int, title: str, columns: list[str], is_table: bool, out: dict):
    inner = page[0] == INNER
    header = 12 if inner else 8
    count = int.from_bytes(page[3:5], "big")
    out[f"{title}: page header"].append((begin, begin + header + 2 * count))
    content = int.from_bytes(page[5:7], "big") or 65536
    if content > header + 2 * count:
        out[f"{title}: free space"].append((begin + header + 2 * count, begin + min(content, len(page))))
    for index in range(count):
        cell = int.from_bytes(page[header + 2 * index:header + 2 * index + 2], "big")
        place = cell + (4 if inner else 0)
        length, place = varint(page, place)
        out[f"{title}: record header"].append((begin + cell, begin + place))
        _record(page, place, length, begin, title, columns, is_table, out)


def _record(page: bytes, place: int, length: int, begin: int, title: str, columns: list[str], is_table: bool,
            out: dict):
    header_length, cursor = varint(page, place)
    value = place + header_length
    end = min(len(page), place + length)
    out[f"{title}: record header"].append((begin + place, begin + value))
    for column in columns:
        if cursor >= place + header_length:
            break
        kind, cursor = varint(page, cursor)
        size = VALUE_BYTES.get(kind, (kind - 12) // 2 if kind >= 12 else 0)
        # Bytes on overflow pages are counted there.
        if size and value < end:
            out[f"{title}.{column}" if is_table else title].append((begin + value, begin + min(end, value + size)))
        value += size


def wal_places(raw: bytes) -> dict[str, list[tuple[int, int]]]:
    """The same for the log."""
    size = int.from_bytes(raw[8:12], "big")
    frame = FRAME_HEADER + size
    salt = raw[16:24]
    frames = list(itertools.takewhile(lambda begin: raw[begin + 8:begin + 16] == salt,
                                      range(WAL_HEADER, len(raw) - frame + 1, frame)))
    ends = [begin for begin in frames if any(raw[begin + 4:begin + 8])]
    out = {"log: header": [(0, WAL_HEADER)], "log: frame header": [], "log: page": [], "log: last commit": []}
    for begin in frames:
        if len(ends) < 2 or begin > ends[-2]:
            out["log: last commit"].append((begin, begin + frame))
            continue
        out["log: frame header"].append((begin, begin + FRAME_HEADER))
        out["log: page"].append((begin + FRAME_HEADER, begin + frame))
    return {kind: ranges for kind, ranges in out.items() if ranges}
