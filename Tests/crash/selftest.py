"""Proof that the checkers can fail: each of these stores or logs is wrong on purpose, and must be reported.

Each entry is a way to lose or to double; `faults` counts those that were found. Those that were not found are `wrong`.
"""

import dataclasses
import pathlib
import select
import sqlite3
import time

import calls
import kills
import power
import upgrade
from disk import Call
from faults import FaultyServer, Server, memory_folder, work_folder
from harness.messages import METHODS
from ledger import Client, Comparison, Verdict, run_clients
from report import Options, Result
from harness.store_pages import crc32c, seal
from harness.wire import Closed

MUTATIONS = 60
# Of the states that a mistake allows few are drawn each time, and those that show it are few of these.
DRAWS = 20
# Half of these kills must show an answer that is ahead of its commit. Nine of ten do; of kills that meet a commit that is
# not held back, one of six does.
HELD_BACK_KILLS = 8


def run(options: Options) -> list[Result]:
    result = Result("self-test", verified_by="itself")
    stored(options, result)
    held_back(options, result)
    recorded(options, result)
    upgraded(options, result)
    vacuous(options, result)
    return [result]


def expect(result: Result, name: str, found: bool):
    result.runs += 1
    if found:
        result.faults += 1
    else:
        result.wrong.append(f"{name} is not reported")


# Stores that were changed behind the server's back, compared over the wire


def event_checksum(thread: bytes, sequence: int, kind: int, ordinal: int, at: int, payload: bytes) -> int:
    head = thread[7::-1] + thread[:7:-1]
    return crc32c(head + b"".join(number.to_bytes(8, "little") for number in (sequence, kind, ordinal, at)) + payload)


def row_checksum(*values) -> int:
    """Over the columns of a row in their order; so that a forged row looks whole, too."""
    data = b""
    for value in values:
        if value is None:
            data += (-1).to_bytes(8, "little", signed=True)
        elif isinstance(value, int):
            data += value.to_bytes(8, "little", signed=True)
        else:
            value = value.encode() if isinstance(value, str) else value
            data += len(value).to_bytes(8, "little") + value
    return crc32c(data)


def set_sequence(database: sqlite3.Connection, thread: bytes, sequence: int):
    """The number of the newest event in the thread's row, with a checksum that is right."""
    database.execute("UPDATE threads SET sequence = ? WHERE id = ?", (sequence, thread))
    columns = [row[1] for row in database.execute("PRAGMA table_info(threads)")]
    row = dict(zip(columns, database.execute("SELECT * FROM threads WHERE id = ?", (thread,)).fetchone()))
    order = ("id", "tenant", "epoch", "root", "parent", "forked_from", "source", "created_at", "updated_at", "archived",
             "name", "preview", "provider", "folder", "active", "sequence", "segments", "deleted", "snapshot")
    database.execute("UPDATE threads SET crc = ? WHERE id = ?", (row_checksum(*(row[name] for name in order)), thread))


def drop_newest(database: sqlite3.Connection, client: Client):
    """The newest event of a thread, its key, and the row's number: as if the last group had never been."""
    request = client.requests[-1]
    database.execute("DELETE FROM events WHERE thread = ? AND seq >= ?", (request.thread, request.answer.sequence))
    set_sequence(database, request.thread, request.answer.sequence - 1)
    database.execute("DELETE FROM keys WHERE key = ?", (request.key,))


def drop_key(database: sqlite3.Connection, client: Client):
    # Of a thread that is there: keys go with their thread, and the first one may have been deleted since.
    database.execute("DELETE FROM keys WHERE key = ?", (client.requests[-1].key,))


def drop_thread(database: sqlite3.Connection, client: Client):
    thread = client.threads[0]
    for table, column in (("threads", "id"), ("events", "thread"), ("snapshots", "thread"), ("turns", "thread"),
                          ("keys", "thread")):
        database.execute(f"DELETE FROM {table} WHERE {column} = ?", (thread,))


def double_newest(database: sqlite3.Connection, client: Client):
    """The newest event again under the next number, with a checksum that is right."""
    request = client.requests[-1]
    thread, last = request.thread, request.answer.sequence
    kind, ordinal, at, payload = database.execute(
        "SELECT kind, ordinal, at, payload FROM events WHERE thread = ? AND seq = ?", (thread, last)).fetchone()
    assert payload[0] == 8 and payload[1] == last < 126, "the number is the first field and takes one byte"
    payload = bytes([8, last + 1]) + payload[2:]
    database.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?)", (
        thread, last + 1, kind, ordinal, at, event_checksum(thread, last + 1, kind, ordinal, at, payload), payload))
    set_sequence(database, thread, last + 1)


def change_newest(database: sqlite3.Connection, client: Client):
    """Another name, with a checksum that is right."""
    request = client.requests[-1]
    thread, sequence = request.thread, request.answer.sequence
    kind, ordinal, at, payload = database.execute(
        "SELECT kind, ordinal, at, payload FROM events WHERE thread = ? AND seq = ?", (thread, sequence)).fetchone()
    payload = payload.replace(request.mark.encode(), b"M" + request.mark.encode()[1:])
    database.execute("UPDATE events SET payload = ?, crc = ? WHERE thread = ? AND seq = ?", (
        payload, event_checksum(thread, sequence, kind, ordinal, at, payload), thread, sequence))


# How the store is changed, and whether that is a loss or a phantom.
FORGERIES = {
    "an acknowledged event that is gone": (drop_newest, "lost"),
    "an acknowledged key that is gone": (drop_key, "lost"),
    "a thread that is gone": (drop_thread, "lost"),
    "an event that is there twice": (double_newest, "phantom"),
    "an event that is another": (change_newest, "lost"),
}


def stored(options: Options, result: Result):
    for name, (forge, kind) in FORGERIES.items():
        with work_folder() as place:
            server, client = Server(pathlib.Path(place) / "data").start(), Client(0, options.random.randrange(1 << 32))
            try:
                run_clients(server, [client], limit=MUTATIONS)
                with server.connect(unwanted_notifications=["thread_started"]) as connection:
                    end_with_a_name(connection, client)
                server.terminate()
                server.wait()
                database = sqlite3.connect(server.data / "heddle.db")
                forge(database, client)
                database.commit()
                database.close()
                seal(server.data / "heddle.db")
                server.start()
                with server.connect(unwanted_notifications=["thread_started"]) as connection:
                    verdict = Comparison(connection, client.requests).run()
                expect(result, name, bool(getattr(verdict, kind)))
                result.acknowledged += verdict.acknowledged
            finally:
                server.kill()


def end_with_a_name(connection, client: Client):
    """A thread of three events, the newest a rename."""
    client.WEIGHTS = {"Thread.Start": 1}
    client.requests.append(client.next_request())
    while client.requests[-1].method != "Thread.Start":  # it may have had to unarchive one
        client.ask(connection, client.requests[-1])
        client.requests.append(client.next_request())
    client.ask(connection, client.requests[-1])
    client.threads = client.threads[-1:]
    for _ in range(2):
        request = dataclasses.replace(client.next_request(), method="Thread.SetName")
        request.fields = {"thread": client.threads[0], "name": request.mark}
        client.requests.append(request)
        client.ask(connection, request)
        assert request.state == "acked"


# Answers ahead of their commit, under kills that meet a held-back one


class EarlyClient(Client):
    """Treats each rename as acknowledged as soon as a living server has had time to read it, and continues: this simulates a
    server that answers before it commits. The answer is the one that such a server would give, the thread's next number."""

    READING = 0.005

    def next_request(self):
        request = super().next_request()
        self.WEIGHTS = {"Thread.SetName": 1}  # of the threads that it has by now
        return request

    def ask(self, connection, request):
        if request.method != "Thread.SetName":
            super().ask(connection, request)
            return
        connection.open(request.method, key=request.key, **request.fields)
        time.sleep(self.READING)
        if has_ended(connection):
            raise Closed("the server has ended")
        before = [other.answer for other in self.requests[:-1]
                  if request.thread == (other.answer.thread.id if other.makes_thread else other.thread)]
        request.answer = METHODS[request.method].response(sequence=before[-1].sequence + 1)
        request.state = "acked"


def has_ended(connection) -> bool:
    """Whether the other side of the socket is closed, though answers may still be there to be read."""
    poll = select.poll()
    poll.register(connection.socket, select.POLLRDHUP)
    return bool(poll.poll(0))


def lost_by(make: type[Client], options: Options) -> list[str]:
    """Losses of clients of this kind by one kill of a server whose commits are held back."""
    with work_folder() as place:
        server = FaultyServer(pathlib.Path(place) / "data", fault=kills.HOLD).start()
        clients = [make(number, options.random.randrange(1 << 32)) for number in range(kills.CLIENTS)]
        try:
            run_clients(server, clients, until=lambda: (time.sleep(options.random.uniform(0.4, 0.8)), server.kill()))
            server.environment["HEDDLE_FAULT"] = ""
            server.start()
            requests = [request for client in clients for request in client.requests]
            with server.connect(unwanted_notifications=["thread_started"]) as connection:
                return Comparison(connection, requests).run().lost
        finally:
            server.kill()


def held_back(options: Options, result: Result):
    found = sum(bool(lost_by(EarlyClient, options)) for _ in range(HELD_BACK_KILLS))
    result.more["early_answers_found"] = found
    expect(result, "an answer ahead of its commit, by kills that met a held-back one", 2 * found >= HELD_BACK_KILLS)
    expect(result, "a client that waits for its answers, that it loses nothing", not lost_by(Client, options))
    never = kills.checked_for_held_back(Result("kill", runs=kills.ENOUGH, faults=1))
    expect(result, "kills of which none met a held-back commit", bool(never.failures))


# Logs of calls that no disk could have, and a server whose syncs do nothing


def recorded(options: Options, result: Result):
    with work_folder() as place, memory_folder() as memory:
        honest = power.record(pathlib.Path(place), options)
        contents = power.Contents(honest, power.Place(pathlib.Path(memory) / "state"))
        expect(result, "an honest run, that it is clean", not broken(honest, contents, options))
        early = early_answers(honest)
        expect(result, "answers before the sync", is_found(early, contents, options))
        unsynced = dataclasses.replace(honest, calls=[
            dataclasses.replace(call, kind="N") if call.kind in "sS" and call.name == "heddle.db-wal" else call
            for call in honest.calls])
        expect(result, "a log that is never synced", is_found(unsynced, contents, options))
        half = dataclasses.replace(honest, calls=garbled(honest.calls))
        expect(result, "a content that no commit left", is_found(half, contents, options))
    with work_folder() as place, memory_folder() as memory:
        lying = power.record(pathlib.Path(place), options, nosync=True)
        contents = power.Contents(lying, power.Place(pathlib.Path(memory) / "state"))
        expect(result, "a server whose syncs do nothing", is_found(lying, contents, options))


def broken(recording: power.Recording, contents: power.Contents, options: Options) -> list[str]:
    """Findings of some power cuts of the recording."""
    found = Result("power")
    power.cut(recording, contents, power.Promises(recording, contents), 250, options, found)
    return found.lost + found.phantom


def is_found(recording: power.Recording, contents: power.Contents, options: Options) -> bool:
    """Whether power cuts show the mistake: other ones are drawn as long as they do not."""
    return any(broken(recording, contents, options) for _ in range(DRAWS))


def early_answers(recording: power.Recording) -> power.Recording:
    """The same run, each answer moved in front of the sync of the log that it waited for."""
    answered, last = {}, 0
    begins = [index for index, call in enumerate(recording.calls) if call.kind == "s" and call.name == "heddle.db-wal"]
    for place, request in recording.answered.items():
        last = max((begin for begin in begins if begin < place), default=place)
        answered[last - 1] = request
    return dataclasses.replace(recording, answered=answered)


def garbled(all_calls: list[Call]) -> list[Call]:
    """Checkpoints write the end of each page wrong."""
    return [dataclasses.replace(call, data=call.data[:-8] + bytes(byte ^ 1 for byte in call.data[-8:]))
            if call.kind == "W" and call.name == "heddle.db" and call.offset else call for call in all_calls]


# Upgrades that do not wait for the disk


def upgraded(options: Options, result: Result):
    with work_folder() as place, memory_folder() as memory:
        files, _ = upgrade.old_store(pathlib.Path(place) / "old", options.random.randrange(1 << 32))
        honest = upgrade.record(pathlib.Path(place) / "recorded", files)
        names = [(call.kind, call.name) for call in honest.calls]
        dropped, renamed = names.index(("U", "heddle.db-wal")), names.index(("R", "db.new"))

        def is_broken(unsynced) -> bool:
            lies = [dataclasses.replace(call, kind="N") if call.kind in "sS" and unsynced(index, call.name) else call
                    for index, call in enumerate(honest.calls)]
            found = Result("upgrade")
            upgrade.cut(dataclasses.replace(honest, calls=lies), power.Place(pathlib.Path(memory) / "state"), options, 300,
                        found)
            return bool(found.lost or found.phantom)

        def is_found(unsynced) -> bool:
            return any(is_broken(unsynced) for _ in range(DRAWS))
        expect(result, "an honest upgrade, that it is clean", not is_broken(lambda *_: False))
        expect(result, "a new database that is not synced", is_found(lambda _, name: name == "db.new"))
        expect(result, "an old log that may come back", is_found(
            lambda index, name: dropped < index < renamed and name == "/"))
        expect(result, "a copy of the log that is not synced", is_found(lambda _, name: name == "log.new"))


# Cases in which nothing happens


def vacuous(options: Options, result: Result):
    nothing = Result("nothing")
    calls.point("rename:1000:kill", 1, True, nothing)
    expect(result, "a case whose faults never happen", bool(nothing.failures) and nothing.more["unfired"] == 1)
    expect(result, "a case with a loss", Result("loss", runs=1, faults=1, lost=["x"]).failures == ["case=loss lost=1: x"])
    expect(result, "a case that is fine, that it is", not Result("fine", runs=1, faults=1).failures)
    assert Verdict().clean and kills.CLIENTS == 3
