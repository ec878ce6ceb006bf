"""A disk as a power cut may leave it: the log of fault.c, replayed into files of which some bytes are safe and others
are still on their way.

Rules for a disk, all of them tried here:

K1  Bytes written before the begin of a sync of their file that returned are safe. A name is safe after a sync of the
    folder (stricter than ext4, which keeps the name of a synced file).
K2  Everything else may be there or not: each write, each sector of 512 bytes of it, each change of length, each new or
    removed name, in any order and mixture (`subset`, `shuffled`, `torn`, `prefix`). A file that takes another one's
    name does so whole: both names change or neither.
K3  A sector that was being written may hold anything (`trashed`); its neighbours do not change.
K4  A file that grew may have its new length and zeros in it (`zeros`).
"""

import dataclasses
import itertools
import pathlib
import random
import struct

RECORD = struct.Struct("<BBHiqQQ")
SECTOR = 512
# Files whose bytes are the store; the first process that opens the store makes the index in shared memory anew, LOCK
# and the reserve hold nothing.
STORED = ("heddle.db", "heddle.db-wal", "heddle.db-journal", "log.new", "db.new", "db.new-journal")


@dataclasses.dataclass(frozen=True)
class Call:
    """One record of the log."""

    kind: str
    name: str
    thread: int
    port: int
    offset: int
    length: int
    data: bytes


def read_log(path: pathlib.Path) -> list[Call]:
    raw, place, calls = path.read_bytes(), 0, []
    while place < len(raw):
        kind, name_length, port, thread, _, offset, length = RECORD.unpack_from(raw, place)
        place += RECORD.size
        name = raw[place:place + name_length].decode()
        place += name_length
        data = b""
        if chr(kind) in "WXR":
            data = raw[place:place + length]
            place += length
        calls.append(Call(chr(kind), name, thread, port, offset, length, data))
    return calls


@dataclasses.dataclass
class File:
    """A file without a name: safe bytes, and calls that a power cut may take back."""

    safe: bytearray = dataclasses.field(default_factory=bytearray)
    pending: list[Call] = dataclasses.field(default_factory=list)
    version: int = 0
    number: int = dataclasses.field(default_factory=itertools.count().__next__)


def apply(content: bytearray, call: Call, data: bytes | None = None):
    if call.kind == "T":
        if call.offset <= len(content):
            del content[call.offset:]
        else:
            content.extend(bytes(call.offset - len(content)))
    else:
        end = call.offset + call.length
        if end > len(content):
            content.extend(bytes(end - len(content)))
        content[call.offset:end] = call.data if data is None else data


def rename(names: dict[str, File], change: dict[str, File | None]):
    for name, file in change.items():
        names.pop(name, None)
        if file is not None:
            names[name] = file


class Disk:
    """All files of a store at one moment."""

    def __init__(self, files: dict[str, bytes] | None = None):
        self.files = {name: File(bytearray(content)) for name, content in (files or {}).items()}
        # Names that a power cut leaves as they are, and what was done to names since.
        self.safe_names: dict[str, File] = dict(self.files)
        self.pending_names: list[dict[str, File | None]] = []
        self.syncs: dict[tuple[int, str], int] = {}

    def do(self, call: Call) -> bool:
        """Takes one call; true if it changed what a power cut may leave."""
        if call.name == "/":
            return self._sync_folder(call)
        if call.name not in STORED:
            return False
        match call.kind:
            case "O":
                self.files[call.name] = File()
                self.pending_names.append({call.name: self.files[call.name]})
            case "U":
                self.files.pop(call.name, None)
                self.pending_names.append({call.name: None})
            case "R":
                file = self.files[call.data.decode()] = self.files.pop(call.name)
                self.pending_names.append({call.name: None, call.data.decode(): file})
            case "W" | "T":
                self.files[call.name].pending.append(call)
            case "s":
                file = self.files[call.name]
                self.syncs[(call.thread, call.name)] = len(file.pending)
                return False
            case "S":
                return self._sync(call)
            case _:
                return False
        return True

    def _sync(self, call: Call) -> bool:
        file, count = self.files[call.name], self.syncs.pop((call.thread, call.name))
        for one in file.pending[:count]:
            apply(file.safe, one)
        del file.pending[:count]
        file.version += 1
        return count > 0

    def _sync_folder(self, call: Call) -> bool:
        if call.kind != "S":
            return False
        for change in self.pending_names:
            rename(self.safe_names, change)
        changed = bool(self.pending_names)
        self.pending_names = []
        return changed

    @property
    def loose(self) -> int:
        """Calls that a power cut may take back."""
        return sum(len(file.pending) for file in self.files.values()) + len(self.pending_names)

    def kept(self) -> dict[str, bytes]:
        """Everything is there: what a killed process leaves."""
        return self.state("keep", random.Random(0))[1]

    def state(self, mode: str, chance: random.Random) -> tuple[tuple, dict[str, bytes]]:
        """One state that a power cut may leave: a description that is different for each, and its files."""
        names = dict(self.safe_names)
        kept_names = []
        for index, change in enumerate(self.pending_names):
            if mode in ("keep", "zeros", "torn") or mode != "drop" and chance.random() < 0.5:
                kept_names.append(index)
                rename(names, change)
        sign, out = [tuple(kept_names)], {}
        for name, file in sorted(names.items()):
            content = bytearray(file.safe)
            sign.append((name, file.number, file.version, tuple(self._lay(content, file.pending, mode, chance))))
            out[name] = bytes(content)
        return tuple(sign), out

    @staticmethod
    def _lay(content: bytearray, pending: list[Call], mode: str, chance: random.Random):
        """Puts some of the calls on the safe bytes; yields what it did."""
        last = len(pending) - 1
        order = range(len(pending))
        if mode == "prefix":
            order = range(chance.randint(0, len(pending)))
            last = len(order) - 1
        elif mode == "shuffled":
            order = sorted(order, key=lambda _: chance.random())[:chance.randint(0, len(pending))]
        for index in order:
            call = pending[index]
            if mode == "drop" or mode == "subset" and chance.random() < 0.5:
                continue
            if call.kind == "W" and (mode in ("sectors", "trashed", "zeros") or mode in ("torn", "prefix")
                                     and index == last):
                data, mask = Disk._sectors(content, call, mode, chance)
                apply(content, call, data)
                yield index, mask
            else:
                apply(content, call)
                yield index, -1

    @staticmethod
    def _sectors(content: bytearray, call: Call, mode: str, chance: random.Random) -> tuple[bytes, int]:
        """The bytes of a write of which only some sectors, counted on the disk, arrived."""
        end = call.offset + call.length
        before = bytes(content[call.offset:end]).ljust(call.length, b"\0")
        out, mask, place, number = bytearray(), 0, call.offset, 0
        cut = chance.randint(call.offset, end)
        while place < end:
            after = min(end, (place // SECTOR + 1) * SECTOR)
            piece = slice(place - call.offset, after - call.offset)
            arrived = place < cut if mode in ("torn", "prefix") else mode != "zeros" and chance.random() < 0.5
            if mode == "trashed" and not arrived:
                out += chance.randbytes(after - place)
                mask |= chance.getrandbits(16) << number
            else:
                out += call.data[piece] if arrived else before[piece]
                mask |= arrived << number
            place, number = after, number + 1
        return bytes(out), mask


MODES = ("drop", "keep", "prefix", "torn", "subset", "shuffled", "sectors", "trashed", "zeros")
