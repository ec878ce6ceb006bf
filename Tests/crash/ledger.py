"""Requests of clients and their answers, and the comparison with the data that a server has stored.

A request is `open` until it is answered; then it is `acked` or `refused`. An acknowledged change must be there, once,
at the number that the answer says, and its key must find the same answer: else it is lost. A change that was refused, or
never requested, or is there twice, is a phantom. An open request may be there or not, never half and never twice.
"""

import collections
import contextlib
import dataclasses
import random
import re
import threading
import time

from harness.messages import item_pb2, turn_pb2, words
from harness.wire import ERROR, Closed, HeddleError

MARK = re.compile(r"m\d+-\d+;")
# The reason of a failure of the disk: nothing of the request may be stored.
REFUSED_BY_DISK = "disk_full"
# Reasons of a busy thread or a busy server: nothing was changed, and nothing is wrong.
PASSING = {"turn_in_progress", "queue_full", "rate_limited", "enhance_your_calm", "archived"}
# A request that was cut off by the failure of the disk: as open as one without an answer (D8, D15).
UNKNOWN = {"storage_failed", "shutting_down", "unavailable"}


@dataclasses.dataclass
class Request:
    method: str
    key: bytes
    fields: dict
    mark: str
    state: str = "open"
    answer: object = None
    # The connection's port and the stream: the recorder finds the answer by them.
    port: int = 0
    stream: int = 0

    @property
    def thread(self) -> bytes | None:
        return self.fields.get("thread")

    @property
    def makes_thread(self) -> bool:
        return self.method in ("Thread.Start", "Thread.Fork")


def plain(answer) -> bytes:
    """An answer without the word whether it is a repetition."""
    copy = type(answer)()
    copy.CopyFrom(answer)
    copy.replayed = False
    return copy.SerializeToString(deterministic=True)


class Client:
    """Changes threads, one request after the other, each under its own key; deterministic from its seed."""

    WEIGHTS = {"Thread.Start": 8, "Thread.SetName": 24, "Settings.Update": 25, "Turn.Start": 26, "Thread.Archive": 5,
               "Thread.Fork": 4, "Thread.Rollback": 3, "Thread.Delete": 3}

    def __init__(self, number: int, seed: int, large: int = 12_000):
        self.number, self.random, self.large = number, random.Random(f"{seed} {number}"), large
        self.requests: list[Request] = []
        self.threads: list[bytes] = []
        # Threads that other clients change too: not to be deleted or archived under their feet.
        self.shared: set[bytes] = set()
        self.archived: set[bytes] = set()
        self.count = 0
        self.failure: Exception | None = None
        # A server with a broken disk may refuse for reasons that a whole one never has.
        self.tolerant = False
        self.surprises: list[str] = []

    @property
    def open(self) -> Request | None:
        last = self.requests[-1] if self.requests else None
        return last if last and last.state == "open" else None

    def next_request(self) -> Request:
        self.count += 1
        mark, chance = f"m{self.number}-{self.count};", self.random
        method = chance.choices(list(self.WEIGHTS), self.WEIGHTS.values())[0]
        if len(self.threads) < 2:
            method = "Thread.Start"
        thread = chance.choice(self.threads) if self.threads else b""
        if thread in self.archived:
            method = "Thread.Unarchive"
        if thread in self.shared and method in ("Thread.Archive", "Thread.Delete"):
            method = "Thread.SetName"
        return Request(method, chance.randbytes(16), self._fields(method, thread, mark), mark)

    def _fields(self, method: str, thread: bytes, mark: str) -> dict:
        match method:
            case "Thread.Start":
                return {"subscribe": False, "settings": {"service_tier": mark}}
            case "Thread.SetName":
                return {"thread": thread, "name": mark}
            case "Settings.Update":
                change = {"service_tier": mark}
                if self.random.random() < 0.3:
                    change["base_instructions"] = "x" * self.random.randrange(1, self.large) + mark
                return {"thread": thread, "change": change}
            case "Turn.Start":
                return {"thread": thread, "input": words(f"!say {mark}"), "when_busy": turn_pb2.WHEN_BUSY_QUEUE}
            case "Thread.Fork":
                return {"thread": thread, "subscribe": False, "settings": {"developer_instructions": mark}}
            case "Thread.Rollback":
                return {"thread": thread, "turns": 1}
            case _:
                return {"thread": thread}

    def ask(self, connection, request: Request):
        """One request and its outcome. Raises when the connection ends, and leaves the request open."""
        request.port = connection.socket.getsockname()[1]
        request.stream = connection.open(request.method, key=request.key, **request.fields)
        try:
            request.answer = connection.answer(request.stream, request.method)
        except HeddleError as error:
            if error.reason in UNKNOWN:
                raise Closed(error) from error
            if error.reason not in PASSING | {REFUSED_BY_DISK, "thread"} and error.code != "FAILED_PRECONDITION":
                assert self.tolerant, error
                self.surprises.append(f"{error.code} {error.reason}")
            request.state = "refused"
            if error.reason in ("rate_limited", "enhance_your_calm"):
                time.sleep(0.05)
            if error.reason == REFUSED_BY_DISK:
                raise
            return
        request.state = "acked"
        self._learn(request)

    def _learn(self, request: Request):
        if request.makes_thread:
            self.threads.append(request.answer.thread.id)
        elif request.method == "Thread.Archive":
            self.archived.add(request.thread)
        elif request.method == "Thread.Unarchive":
            self.archived.discard(request.thread)
        elif request.method == "Thread.Delete":
            self.threads.remove(request.thread)

    def work(self, server, limit: int | None = None):
        """Until the server dies, or `limit` requests are done."""
        try:
            with server.connect(unwanted_notifications=["thread_started"]) as connection:
                while limit is None or self.count < limit:
                    request = self.next_request()
                    self.requests.append(request)
                    self.ask(connection, request)
        except (Closed, OSError, TimeoutError):
            pass
        except Exception as failure:  # raised where the thread is joined
            self.failure = failure


class Follower:
    """A subscriber of threads: events that it saw must stay in the store (D2)."""

    def __init__(self):
        self.seen: dict[bytes, list] = collections.defaultdict(list)
        self.streams: dict[tuple[int, int], bytes] = {}

    def work(self, server, threads: list[bytes]):
        with contextlib.suppress(Closed, OSError, TimeoutError, HeddleError), \
                server.connect(unwanted_notifications=["thread_started"]) as connection:
            port = connection.socket.getsockname()[1]
            followed = {}
            for thread in threads:
                follower = connection.follow(thread, len(self.seen[thread]))
                followed[follower.stream] = (thread, follower)
                self.streams[(port, follower.stream)] = thread
            try:
                while (frame := connection.inbox.popleft() if connection.inbox else connection.receive(60)) is not None:
                    if frame.stream in followed and frame.kind != ERROR:
                        connection.inbox.appendleft(frame)
                        followed[frame.stream][1].next()
            finally:
                for thread, follower in followed.values():
                    self.seen[thread] += follower.events


@dataclasses.dataclass
class Verdict:
    """The findings; each entry is a sentence."""

    acknowledged: int = 0
    lost: list[str] = dataclasses.field(default_factory=list)
    phantom: list[str] = dataclasses.field(default_factory=list)

    def add(self, other: "Verdict"):
        self.acknowledged += other.acknowledged
        self.lost += other.lost
        self.phantom += other.phantom

    @property
    def clean(self) -> bool:
        return not self.lost and not self.phantom


def marks_of(event) -> list[tuple[str, str]]:
    """The requests that an event says it comes from: (what it is, mark)."""
    kind = event.WhichOneof("kind")
    if kind == "name_changed":
        texts = [event.name_changed.name]
    elif kind == "settings_updated":
        texts = [event.settings_updated.settings.service_tier]
    elif kind == "item_completed" and event.item_completed.item.WhichOneof("kind") == "message":
        message = event.item_completed.item.message
        # The model's answer to "!say MARK" says the mark again.
        if message.role != item_pb2.ROLE_USER:
            return []
        texts = [part.text for part in message.content]
    else:
        return []
    return [(kind, mark) for text in texts for mark in MARK.findall(text)]


EVENT_OF = {"Thread.SetName": "name_changed", "Settings.Update": "settings_updated", "Turn.Start": "item_completed"}
COUNTED = {"Thread.Archive": "thread_archived", "Thread.Unarchive": "thread_unarchived",
           "Thread.Rollback": "turns_rolled_back"}


class Comparison:
    """Requests against one running server."""

    def __init__(self, connection, requests: list[Request], seen: dict | None = None, alone: bool = True,
                 resolve: bool = True):
        """`alone`: no other client changed this folder, so every thread in it must be of these requests. `resolve`: open
        requests are asked again with their keys, as D15 asks clients to do."""
        self.connection, self.requests, self.seen = connection, requests, seen or {}
        self.alone, self.resolve = alone, resolve
        self.verdict = Verdict(acknowledged=sum(request.state == "acked" for request in requests))
        self.gone: set[bytes] = set()
        self.maybe_gone: set[bytes] = set()
        self.histories: dict[bytes, list] = {}

    def run(self) -> Verdict:
        self._note_deletions()
        self._repeat([request for request in self.requests if request.state == "acked"])
        if self.resolve:
            self._repeat([request for request in self.requests if request.state == "open"])
            self._note_deletions()
        self._settle()
        self._read()
        for request in self.requests:
            if request.state == "acked" and request.thread not in self.gone:
                self._check_acknowledged(request)
        self._check_threads()
        for thread, events in self.histories.items():
            self._check_history(thread, events)
        self._check_seen()
        return self.verdict

    def lost(self, text: str):
        self.verdict.lost.append(text)

    def phantom(self, text: str):
        self.verdict.phantom.append(text)

    def _note_deletions(self):
        for request in self.requests:
            if request.method == "Thread.Delete":
                (self.gone if request.state == "acked" else self.maybe_gone).add(request.thread)

    def _repeat(self, requests: list[Request]):
        """The same requests with their keys, many at a time."""
        waiting = [request for request in requests if self._key_is_kept(request)]
        while waiting:
            part, waiting = waiting[:100], waiting[100:]
            streams = [self.connection.open(one.method, key=one.key, **one.fields) for one in part]
            for request, stream in zip(part, streams):
                try:
                    answer = self.connection.answer(stream, request.method)
                except HeddleError as error:
                    if error.reason in ("rate_limited", "enhance_your_calm"):
                        time.sleep(0.1)
                        waiting.append(request)
                        continue
                    self._refused_again(request, error)
                    continue
                self._answered_again(request, answer)

    def _key_is_kept(self, request: Request) -> bool:
        """Keys go with the thread that was changed; those of Start and Fork, which made one, outlive it."""
        return request.method == "Thread.Delete" or request.thread not in self.gone

    def _refused_again(self, request: Request, error: HeddleError):
        if request.state == "acked":
            if request.thread in self.maybe_gone and error.code == "NOT_FOUND":
                return
            self.lost(f"{request.method} {request.mark} was acknowledged, its key now says {error.code} {error.reason}")
        else:
            request.state = "refused"

    def _answered_again(self, request: Request, answer):
        if request.state == "open":
            request.state, request.answer = "acked", answer
        elif not answer.replayed:
            self.lost(f"{request.method} {request.mark} was acknowledged, its key is not known")
        elif plain(answer) != plain(request.answer):
            self.lost(f"{request.method} {request.mark}: its key now has another answer")

    def _known_threads(self) -> dict[bytes, Request]:
        return {request.answer.thread.id: request for request in self.requests
                if request.makes_thread and request.state == "acked"}

    def _find(self, thread: bytes):
        try:
            return self.connection.call("Thread.Read", thread=thread).thread
        except HeddleError as error:
            return None if error.code == "NOT_FOUND" else error

    def _settle(self):
        """Turns that a crash interrupted or left waiting come to their end."""
        for thread in self._known_threads():
            deadline = time.monotonic() + 60
            while hasattr(found := self._find(thread), "queued_turns") and (
                    found.HasField("running_turn") or found.queued_turns):
                assert time.monotonic() < deadline, f"a turn does not end: {found}"
                time.sleep(0.01)  # any of several turns may be the last to end

    def _read(self):
        for thread, request in self._known_threads().items():
            found = self._find(thread)
            if thread in self.gone:
                if found is not None:
                    self.phantom(f"thread {thread.hex()} of {request.mark} was deleted and is there")
            elif found is None:
                if thread not in self.maybe_gone:
                    self.lost(f"thread {thread.hex()} of {request.mark} was acknowledged and is not there")
            else:
                try:
                    self.histories[thread] = self.connection.history(thread)
                except HeddleError as error:
                    self.lost(f"thread {thread.hex()} of {request.mark} cannot be read: {error.code} {error.reason}")

    def _check_acknowledged(self, request: Request):
        """The event that the answer names is what was asked for."""
        thread = request.answer.thread.id if request.makes_thread else request.thread
        events = self.histories.get(thread)
        if events is None or request.method == "Thread.Delete":
            return
        sequence = request.answer.sequence
        if not 0 < sequence <= len(events):
            return self.lost(f"{request.method} {request.mark}: event {sequence} of {len(events)} is not there")
        event = events[sequence - 1]
        kind = event.WhichOneof("kind")
        if request.method == "Thread.Rollback" and not request.answer.rolled_back:
            return None  # there was no turn: nothing was changed
        if request.method == "Turn.Start":
            right = event.turn == request.answer.turn
        elif request.method in COUNTED:
            right = kind == COUNTED[request.method]
        elif request.method in EVENT_OF:
            right = (EVENT_OF[request.method], request.mark) in marks_of(event)
        else:
            right = True
        if not right:
            self.lost(f"{request.method} {request.mark}: event {sequence} is {kind}, not what was acknowledged")

    def _check_threads(self):
        """Nobody's thread is there; each asked for once."""
        if not self.alone:
            return
        known, listed = set(self._known_threads()), set()
        for archived in (False, True):
            cursor = ""
            while True:
                page = self.connection.call("Thread.List", cursor=cursor, page_size=200, archived=archived)
                listed |= {thread.id for thread in page.threads}
                cursor = page.next_cursor
                if not cursor:
                    break
        if self.resolve:
            for thread in listed - known:
                self.phantom(f"thread {thread.hex()} is listed and nobody made it")
        for thread in known - listed - self.gone - self.maybe_gone:
            self.lost(f"thread {thread.hex()} is not listed")

    def _own(self, thread: bytes, events: list) -> list:
        """Without what a fork shares."""
        lineage = events[0].thread_created.lineage if events else None
        made = self._known_threads()[thread]
        if made.method == "Thread.Fork":
            lineage = made.answer.thread.lineage
            return events[lineage.forked_at:]
        return events

    def _check_history(self, thread: bytes, events: list):
        """Each request stands there once, whole turns end once, numbers have no holes (the client sees to that)."""
        own = self._own(thread, events)
        stored = collections.Counter(entry for event in own for entry in marks_of(event))
        asked = {(EVENT_OF[request.method], request.mark): request for request in self.requests
                 if request.method in EVENT_OF and request.thread == thread}
        for entry, count in stored.items():
            request = asked.get(entry)
            if request is None:
                self.phantom(f"thread {thread.hex()}: {entry} was not asked for here")
            elif request.state == "refused":
                self.phantom(f"{request.method} {request.mark} was refused and is stored")
            elif count > 1:
                self.phantom(f"{request.method} {request.mark} is stored {count} times")
        for entry, request in asked.items():
            if request.state == "acked" and not stored[entry]:
                self.lost(f"{request.method} {request.mark} was acknowledged and is not in its thread")
        self._check_counts(thread, own)
        self._check_turns(thread, events)

    def _check_counts(self, thread: bytes, own: list):
        for method, kind in COUNTED.items():
            stored = sum(event.WhichOneof("kind") == kind for event in own)
            # A rollback of nothing is acknowledged and leaves no event.
            states = [request.state for request in self.requests
                      if request.method == method and request.thread == thread
                      and not (method == "Thread.Rollback" and request.answer and not request.answer.rolled_back)]
            if stored < states.count("acked"):
                self.lost(f"thread {thread.hex()}: {states.count('acked')} × {method}, {stored} events")
            if stored > states.count("acked") + states.count("open"):
                self.phantom(f"thread {thread.hex()}: {stored} events of {method}, {states.count('acked')} asked for")

    def _check_turns(self, thread: bytes, events: list):
        started = [event.turn_started.turn for event in events if event.WhichOneof("kind") == "turn_started"]
        ended = [event.turn_ended.turn for event in events if event.WhichOneof("kind") == "turn_ended"]
        for name, turns in (("starts", started), ("ends", ended)):
            for turn, count in collections.Counter(turns).items():
                if count > 1:
                    self.phantom(f"thread {thread.hex()}: turn {turn.hex()} {name} {count} times")
        for turn in set(started) - set(ended):
            self.lost(f"thread {thread.hex()}: turn {turn.hex()} has no end")

    def _check_seen(self):
        for thread, events in self.seen.items():
            stored = self.histories.get(thread)
            if stored is None:
                continue
            for event in events:
                found = stored[event.sequence - 1] if event.sequence <= len(stored) else None
                if found is None or found.SerializeToString(deterministic=True) != event.SerializeToString(
                        deterministic=True):
                    self.lost(f"thread {thread.hex()}: event {event.sequence} was sent and is not what is stored")


def run_clients(server, clients: list[Client], limit: int | None = None, followers: list | None = None,
                until=None) -> None:
    """All clients at once; `until` is called meanwhile and ends the load, by a kill for example."""
    threads = [threading.Thread(target=client.work, args=(server, limit), daemon=True) for client in clients]
    threads += [threading.Thread(target=follower.work, args=(server, followed), daemon=True)
                for follower, followed in followers or []]
    for thread in threads:
        thread.start()
    if until:
        until()
    for thread in threads[:len(clients)]:
        thread.join(120)
        assert not thread.is_alive(), "a client hangs"
    for client in clients:
        if client.failure:
            raise client.failure
