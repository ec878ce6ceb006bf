"""Power cuts: one recorded run of three clients, and the states in which a disk may be found at every moment of it
(durability.md D1, D2, D6).

A commit is whole or not there. So the run has a list of contents, one after each commit, and what SQLite recovers from
a state must be exactly one of them: not older than the last answer or event that any client got by then. Each content
of the list is looked at by `heddle check`. That is how thousands of states are verified by SQLite's own recovery (in
Python, the same library that the server uses); a sample of them is verified by a real server over the wire, and its
recovery is cut again.
"""

import bisect
import collections
import dataclasses
import hashlib
import itertools
import pathlib
import sqlite3
import time

from disk import MODES, STORED, Call, Disk, read_log
from faults import FaultyServer, checked, memory_folder, work_folder
from harness.messages import event_pb2
from harness.wire import EVENT, HEADER, RESPONSE, Frame
from ledger import Client, Comparison, Follower, Request, run_clients
from report import Options, Result

MUTATIONS_A_CLIENT = 70
STATES, STATES_FULL = 10_000, 60_000
SERVED, SERVED_FULL = 20, 200
# States of one recovery that was cut.
CUTS_OF_A_RECOVERY, CUTS_OF_A_RECOVERY_FULL = 60, 300


@dataclasses.dataclass
class Recording:
    """A run: its calls to the disk, its answers and its events."""

    calls: list[Call]
    requests: list[Request]
    # Place in `calls` of each answer and each event, as it left.
    answered: dict[int, Request]
    seen: dict[int, list[tuple[bytes, int, bytes]]]
    start: dict[str, bytes] = dataclasses.field(default_factory=dict)


def record(folder: pathlib.Path, options: Options, nosync: bool = False) -> Recording:
    """Three clients and a follower, under the shim, from an empty folder to a kill."""
    data, log = folder / "data", folder / "calls"
    server = FaultyServer(data, log=log, fault="sync:1+:nosync" if nosync else "").start()
    clients = [Client(number, options.random.randrange(1 << 32)) for number in range(3)]
    with server.connect(unwanted_notifications=["thread_started"]) as connection:
        for client in clients[:2]:
            request = client.next_request()
            client.requests.append(request)
            client.ask(connection, request)
        shared = [client.threads[0] for client in clients[:2]]
    for client in clients:
        client.threads, client.shared = list(shared), set(shared)
    follower = Follower()
    run_clients(server, clients, limit=MUTATIONS_A_CLIENT, followers=[(follower, shared)])
    rest(log)
    server.kill()
    calls = read_log(log)
    check_log(calls, data)
    requests = [request for client in clients for request in client.requests]
    return Recording(calls, requests, *told(calls, requests, follower.streams))


def rest(log: pathlib.Path):
    """Until nothing is written any more: a call is logged when it is done, so a kill between the two would leave one that
    the log does not have."""
    deadline, size = time.monotonic() + 30, -1
    while (now := log.stat().st_size) != size and time.monotonic() < deadline:
        size = now
        time.sleep(0.5)  # after the last answer the server moves its log into the database


def check_log(calls: list[Call], data: pathlib.Path, start: dict[str, bytes] | None = None):
    """The log is all that was done: replayed, it gives the files as they are. A call that fault.c did not see, because
    it did not go through libc, would show here."""
    disk = Disk(start)
    for call in calls:
        disk.do(call)
    found = {name: (data / name).read_bytes() for name in STORED if (data / name).exists()}
    assert disk.kept() == found, "the log of calls does not give the files that are there"


def told(calls: list[Call], requests: list[Request], streams: dict) -> tuple[dict, dict]:
    """The places in the log at which each answer and each event left the process."""
    by_stream = {(request.port, request.stream): request for request in requests}
    buffers: dict[int, bytearray] = collections.defaultdict(bytearray)
    answered, seen = {}, collections.defaultdict(list)
    for index, call in enumerate(calls):
        if call.kind != "X":
            continue
        buffer = buffers[call.port]
        buffer += call.data
        while (frame := Frame.decode(bytes(buffer[:HEADER.size + 4 * 1024 * 1024]))) is not None:
            del buffer[:HEADER.size + len(frame.payload)]
            place = (call.port, frame.stream)
            if frame.kind == RESPONSE and place in by_stream:
                answered[index] = by_stream[place]
            elif frame.kind == EVENT and place in streams:
                message = event_pb2.SubscriptionEvent.FromString(frame.body)
                if message.WhichOneof("kind") == "event":
                    seen[index].append((streams[place], message.event.sequence,
                                        message.event.SerializeToString(deterministic=True)))
    return answered, dict(seen)


# Contents of a store


# The second: what SQLite says of a broken schema quotes it.
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)


class Unreadable(Exception):
    """SQLite does not open it."""


class Place:
    """A folder in which states are laid out and recovered, one after the other."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        # The files there, as far as they are unchanged: a database of megabytes is not written anew each time.
        self.laid: dict[str, bytes] = {}

    def lay(self, files: dict[str, bytes]):
        for old in self.folder.iterdir():
            if old.name not in files:
                old.unlink()
        for name, content in files.items():
            path = self.folder / name
            if name not in self.laid or not path.exists():
                path.write_bytes(content)
            elif self.laid[name] != content:
                # In place: giving pages of memory back and taking them again costs more than writing them.
                with open(path, "r+b") as file:
                    file.write(content)
                    file.truncate()
        self.laid = dict(files)

    def recover(self, files: dict[str, bytes]) -> tuple[bytes, sqlite3.Connection]:
        """SQLite's recovery of the files: a digest of all pages as a reader sees them."""
        self.lay(files)
        # A reader recovers the log as a writer does, but leaves the files as they are. A journal must be rolled back.
        is_reader = "heddle.db-journal" not in files and bool(files.get("heddle.db"))
        mode = "ro" if is_reader else "rwc"
        if not is_reader:
            self.laid = {}
        database = sqlite3.connect(f"file:{self.folder}/heddle.db?mode={mode}", uri=True, isolation_level=None)
        try:
            # The first look recovers; an empty database has no pages to give.
            pages = database.serialize() if database.execute("PRAGMA page_count").fetchone()[0] else b""
        except UNREADABLE as error:
            database.close()
            raise Unreadable(str(error)) from error
        return hashlib.blake2b(pages, digest_size=16).digest(), database


def rows_digest(database: sqlite3.Connection) -> bytes:
    """Everything that is stored, whatever pages it stands on: pages that hold nothing may differ."""
    digest = hashlib.blake2b(digest_size=16)
    try:
        tables = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        for table, in tables:
            digest.update(table.encode())
            for row in database.execute(f"SELECT * FROM {table} ORDER BY 1, 2"):
                digest.update(repr(row).encode())
    except UNREADABLE as error:
        raise Unreadable(str(error)) from error
    return digest.digest()


@dataclasses.dataclass
class Content:
    """The contents of the store after a commit."""

    number: int
    first: int  # place in the log from which on it is possible
    rows: bytes
    keys: set[bytes]
    heads: dict[bytes, int]


class Contents:
    """Every content that the run passed through, in order."""

    def __init__(self, recording: Recording, place: Place):
        self.place = place
        self.by_pages: dict[bytes, Content] = {}
        self.by_rows: dict[bytes, Content] = {}
        self.list: list[Content] = []
        self.samples: list[dict[str, bytes]] = []
        disk = Disk(recording.start)
        self._add(-1, disk.kept())
        for index, call in enumerate(recording.calls):
            changed = disk.do(call)
            # A commit is in the log when its sync begins; other changes show when they are safe.
            if call.name.startswith("heddle.db") and (changed and call.kind != "W" or call.kind in "sN"):
                self._add(index, disk.kept())
        self._add(len(recording.calls), disk.kept())

    def _add(self, index: int, files: dict[str, bytes]):
        pages, database = self.place.recover(files)
        try:
            if pages in self.by_pages:
                return
            rows = rows_digest(database)
            if rows not in self.by_rows:
                self.by_rows[rows] = Content(len(self.list), index, rows, *self._index(database))
                self.list.append(self.by_rows[rows])
                self.samples.append(files)
            self.by_pages[pages] = self.by_rows[rows]
        finally:
            database.close()

    @staticmethod
    def _index(database: sqlite3.Connection) -> tuple[set, dict]:
        if not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return set(), {}
        return ({key for key, in database.execute("SELECT key FROM keys")},
                dict(database.execute("SELECT thread, max(seq) FROM events GROUP BY thread")))

    def find(self, files: dict[str, bytes]) -> Content | None:
        """Which content a state recovers to; None: one that never was."""
        pages, database = self.place.recover(files)
        try:
            return self.by_pages.get(pages) or self.by_rows.get(rows_digest(database))
        finally:
            database.close()


class Promises:
    """The answers and events up to each place of the log, as the number of the first content that holds them."""

    def __init__(self, recording: Recording, contents: Contents):
        first_key, first_event = {}, {}
        for content in reversed(contents.list):
            for key in content.keys:
                first_key[key] = content.number
            for thread, head in content.heads.items():
                first_event.setdefault(thread, []).append((head, content.number))
        never = len(contents.list)
        # (place in the log, content that is needed, the answer or the event)
        self.made: list[tuple[int, int, str]] = []
        for index, request in recording.answered.items():
            if request.state == "acked":
                needed = first_key.get(request.key, never)
                self.made.append((index, needed, f"answer to {request.method} {request.mark}"))
        for index, events in recording.seen.items():
            for thread, sequence, _ in events:
                numbers = [number for head, number in first_event.get(thread, []) if head >= sequence]
                self.made.append((index, min(numbers, default=never), f"event {sequence} of {thread.hex()}"))
        self.made.sort()
        self.places = [place for place, _, _ in self.made]
        self.most = list(itertools.accumulate((needed for _, needed, _ in self.made), max))

    def broken(self, index: int, content: int) -> list[str]:
        """Answers and events by then that are not in this content."""
        count = self.count(index)
        if not count or self.most[count - 1] <= content:
            return []
        return [text for place, needed, text in self.made if place <= index and needed > content]

    def count(self, index: int) -> int:
        return bisect.bisect_right(self.places, index)


# The case


def run(options: Options) -> list[Result]:
    result = Result("power-cut", verified_by="sqlite-recovery")
    served = Result("power-cut-served", verified_by="server")
    again = Result("power-cut-in-recovery", verified_by="sqlite-recovery")
    with work_folder() as place, memory_folder() as memory:
        recording = record(pathlib.Path(place), options)
        contents = Contents(recording, Place(pathlib.Path(memory) / "state"))
        result.more["commits"] = len(contents.list)
        result.more["checkpoints"] = sum(call.kind == "S" and call.name == "heddle.db" for call in recording.calls)
        verify_contents(contents, pathlib.Path(memory) / "checked", options, result)
        promises = Promises(recording, contents)
        wanted = STATES_FULL if options.full else STATES
        sample = cut(recording, contents, promises, wanted, options, result)
        options.random.shuffle(sample)
        for index, files in sample[:SERVED_FULL if options.full else SERVED]:
            serve(pathlib.Path(place), recording, contents, index, files, options, served, again)
    return [result, served, again]


def verify_contents(contents: Contents, folder: pathlib.Path, options: Options, result: Result):
    """`heddle check` on contents of the list, since every state is compared with them."""
    place = Place(folder)
    numbers = range(len(contents.samples))
    if not options.full:
        numbers = sorted(options.random.sample(numbers, min(40, len(numbers))))
    folder.chmod(0o700)
    for number in numbers:
        place.laid = {}
        place.lay(contents.samples[number])
        if (folder / "heddle.db").exists():
            result.wrong += [f"content {number}: heddle check: {problem}" for problem in checked(folder)]
            result.more["contents_checked"] += 1


def moments(recording: Recording):
    """The disk after each call that changed what a power cut may leave, and after each word to a client."""
    disk = Disk(recording.start)
    for index, call in enumerate(recording.calls):
        if disk.do(call) or call.kind == "X":
            yield index, disk


def cut(recording: Recording, contents: Contents, promises: Promises, wanted: int, options: Options,
        result: Result) -> list:
    """`wanted` different states, spread over the whole run."""
    chance = options.random
    places = sum(1 for _ in moments(recording))
    done: dict[tuple, Content | None] = {}
    sample = []
    rounds = 0
    while result.runs < wanted and rounds < 12:
        rounds += 1
        share = min(1.0, 1.1 * (wanted - result.runs) / (places * len(MODES)))
        for index, disk in moments(recording):
            for mode in MODES:
                if chance.random() >= share:
                    continue
                sign, files = disk.state(mode, chance)
                new = sign not in done
                if new:
                    done[sign] = judge_state(contents, files, f"call {index} {mode}: ", result)
                    result.runs += 1
                    result.faults += 1
                    result.more[mode] += 1
                    if chance.random() < 0.03:
                        sample.append((index, files))
                content = done[sign]
                if content is not None:
                    judge_promises(promises, index, content, f"call {index} {mode}: ", result)
    result.acknowledged = promises.count(len(recording.calls))
    return sample


def judge_state(contents: Contents, files: dict[str, bytes], where: str, result: Result) -> Content | None:
    if "heddle.db" not in files:
        # The name of the database was not yet safe; nothing can have been said.
        return contents.list[0]
    try:
        content = contents.find(files)
    except Unreadable as error:
        result.lost.append(f"{where}SQLite does not read it: {error}")
        return None
    if content is None:
        result.phantom.append(f"{where}holds what no commit left")
    return content


def judge_promises(promises: Promises, index: int, content: Content, where: str, result: Result):
    broken = promises.broken(index, content.number)
    if broken:
        result.lost.append(f"{where}{len(broken)} acknowledged or sent are gone: {broken[0]}")


def serve(folder: pathlib.Path, recording: Recording, contents: Contents, index: int, files: dict[str, bytes],
          options: Options, served: Result, again: Result):
    """A real server on one state, compared over the wire; then its own recovery is cut."""
    data, log = folder / "served", folder / "served.calls"
    log.unlink(missing_ok=True)
    data.mkdir(mode=0o700)
    place = Place(data)
    place.lay(files)
    where = f"call {index}: "
    with FaultyServer(data, log=log) as server:
        with server.connect(timeout=60, unwanted_notifications=["thread_started"]) as connection:
            served.take(Comparison(connection, as_of(recording, index), resolve=False).run(), where)
    served.runs += 1
    served.faults += 1
    cut_recovery(read_log(log), contents, files, options, again)
    place.lay({})
    data.rmdir()


def as_of(recording: Recording, index: int) -> list[Request]:
    """The requests as their clients knew them at a place of the log. Unanswered ones may be there or not."""
    known = {id(request) for place, request in recording.answered.items() if place <= index}
    out = []
    for request in recording.requests:
        unknown = request.state == "acked" and id(request) not in known
        out.append(dataclasses.replace(request, state="open", answer=None) if unknown else request)
    return out


def check_growth(own: Contents, result: Result):
    """No content of a recovery has less than the first."""
    before = own.list[0]
    for content in own.list:
        gone = before.keys - content.keys
        gone |= {thread for thread, head in before.heads.items() if content.heads.get(thread, 0) < head}
        if gone:
            result.lost.append(f"recovery leaves {len(gone)} keys or threads less than it found")


def cut_recovery(calls: list[Call], contents: Contents, files: dict[str, bytes], options: Options, result: Result):
    """Power cuts while a server recovers and ends what ran: nothing that the first cut left may go, nothing half may
    come. Its own commits, the ends of interrupted turns, are the contents that may be found."""
    recording = Recording(calls, [], {}, {}, start=files)
    own = Contents(recording, contents.place)
    check_growth(own, result)
    result.acknowledged += len(own.list[0].keys)
    wanted = CUTS_OF_A_RECOVERY_FULL if options.full else CUTS_OF_A_RECOVERY
    share = min(1.0, wanted / max(1, sum(1 for _ in moments(recording)) * len(MODES)))
    done = set()
    for index, disk in moments(recording):
        for mode in MODES:
            if options.random.random() >= share:
                continue
            sign, state = disk.state(mode, options.random)
            if sign in done:
                continue
            done.add(sign)
            result.runs += 1
            result.faults += 1
            where = f"recovery, call {index} {mode}: "
            if "heddle.db" in files and "heddle.db" not in state:
                result.lost.append(f"{where}there is no database")
            else:
                judge_state(own, state, where, result)
