"""The world of the model-based test: a server for many examples, what was sent to it, and what must be true of it after
each step.
"""

import collections
import dataclasses
import shutil
import tempfile
from pathlib import Path

from harness.connection import Connection
from harness.messages import item_pb2, item_text, mode_name, turn_status
from harness.server import Server
from hypothesis.stateful import RuleBasedStateMachine, invariant
from model_feeds import Log, Peer
from thread_model import UNCHANGED, Refused, Thread

TENANTS = 400
MODES = {None: {"clear": True}, "EXPLICIT_REQUEST_ONLY": {"set": 1}, "PROACTIVE": {"set": 2}}


class World:
    """A server for many examples, and for each of them two tenants that nobody was before."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="heddle-model-"))
        self.tokens = [f"{number:04d}-" + "t" * 32 for number in range(TENANTS)]
        file = self.folder / "tokens"
        file.touch(mode=0o600)
        file.write_text("".join(f"{token} tenant-{token[:4]}\n" for token in self.tokens))
        self.server = Server(self.folder / "data", "--token-file", file).start()

    def tenants(self) -> tuple[str, str]:
        return self.tokens.pop(), self.tokens.pop()

    def connect(self, token: str) -> Connection:
        connection = Worlds.connection(self.server.address)
        connection.address, connection.token = f"{self.server.address} {self.server.pid}", token
        connection.hello(token, unwanted_notifications=["thread_started"])
        return connection

    def close(self):
        self.server.kill()
        shutil.rmtree(self.folder)


class Worlds:
    """The world that examples share; and which connection its clients have, an honest one but for planted mistakes."""

    current: World | None = None
    connection: type = Connection
    examples = 0

    @classmethod
    def get(cls) -> World:
        if cls.current and (len(cls.current.tokens) < 2 or not cls.current.server.alive):
            cls.close()
        cls.current = cls.current or World()
        return cls.current

    @classmethod
    def close(cls):
        if cls.current:
            cls.current.close()
            cls.current = None


@dataclasses.dataclass
class Sent:
    """A mutation that was answered, so that it can be sent again."""

    name: str
    key: bytes
    fields: dict
    answer: object
    thread: Thread


def wire(folder=UNCHANGED, mode=UNCHANGED) -> dict:
    change = {} if folder is UNCHANGED else {"working_folder": folder}
    return change if mode is UNCHANGED else {**change, "mode": MODES[mode]}


def folder_of(settings) -> str | None:
    return settings.working_folder if settings.HasField("working_folder") else None


def equal(what: str, found, expected):
    assert found == expected, f"{what}: the server says {found}, the model {expected}"


class Watched(RuleBasedStateMachine):
    """Two clients of alice, one of bob; the threads are alice's."""

    def __init__(self):
        super().__init__()
        self.world = Worlds.get()
        Worlds.examples += 1
        alice, bob = self.world.tenants()
        self.home, self.other = Peer(self.world, alice, True), Peer(self.world, alice, False)
        self.bob = Peer(self.world, bob, True)
        self.threads: list[Thread] = []
        self.logs: dict[bytes, Log] = {}
        self.sent: list[Sent] = []
        self.counter = 0
        self.touched: set[bytes] = set()

    @property
    def peers(self) -> list[Peer]:
        return [self.home, self.other, self.bob]

    # Parts of rules

    def unique(self, what: str) -> str:
        self.counter += 1
        return f"{what} {self.counter}"

    def key(self) -> bytes:
        self.counter += 1
        return self.counter.to_bytes(16)

    @property
    def alive(self) -> list[Thread]:
        return [thread for thread in self.threads if not thread.deleted]

    def pick(self, number: int) -> Thread:
        thread = self.alive[number % len(self.alive)]
        self.touched.add(thread.id)
        return thread

    def peer(self, number: int) -> Peer:
        return self.home if number % 2 else self.other

    def mutate(self, peer: Peer, thread: Thread | None, method: str, refused: Refused | None, /,
               events: int | None = None, **fields):
        """Sends it with a key. The answer, which is remembered; None when it was refused as it must be. `events` is how
        many it appends, where that is known: what changes nothing appends nothing (S4, attacks.md M15)."""
        key, before = self.key(), max(self.logs[thread.id].seen, default=0) if thread else 0
        if refused:
            error = peer.connection.refusal(method, key=key, **fields)
            equal(method, (error.reason, {**error.details, **refused.details}), (refused.reason, error.details))
            return None
        answer = peer.connection.call(method, key=key, **fields)
        assert not answer.replayed, f"{method}: a fresh key is called a repeated one"
        self.sent.append(Sent(method, key, fields, answer, thread))
        if thread is not None and hasattr(answer, "sequence"):
            self.tell(thread, answer.sequence)
            assert events is None or answer.sequence == before + events, (
                f"{method}: {answer.sequence - before} events, not {events}")
        return answer

    def tell(self, thread: Thread, sequence: int):
        self.logs[thread.id].told = max(self.logs[thread.id].told, sequence)

    @staticmethod
    def said(method, *arguments) -> tuple[object, Refused | None]:
        """The model's answer."""
        try:
            return method(*arguments), None
        except Refused as refused:
            return None, refused

    def add(self, thread: Thread, sequence: int):
        self.threads.append(thread)
        self.logs[thread.id] = Log(thread, told=sequence)
        self.home.follow(self.logs[thread.id], 0)
        self.touched.add(thread.id)

    # Invariants after each step

    @invariant()
    def threads_are_what_the_model_says(self):
        for thread in self.alive:
            if thread.id in self.touched:
                self.check(thread)
        self.touched = set()

    def check(self, thread: Thread):
        home, log = self.home, self.logs[thread.id]
        home.feeds[thread.id].settle()
        home.feeds[thread.id].reach(log.told)
        found = home.connection.call("Thread.Read", thread=thread.id).thread
        equal("Read", (found.name, found.archived, found.revision, folder_of(found.settings),
                       mode_name(found.settings), found.turn_count, found.queued_turns,
                       found.running_turn if found.HasField("running_turn") else None,
                       found.lineage.forked_from if found.lineage.HasField("forked_from") else None),
              (thread.name, thread.archived, thread.revision, thread.folder, thread.mode, len(thread.turns),
               len(thread.queue), thread.running and thread.running.id, thread.forked_from))
        equal("the epoch", found.epoch, log.epoch)
        home.feeds[thread.id].reach(found.sequence)
        turns = self.other.connection.call("Thread.ListTurns", thread=thread.id, page_size=200, order=2).turns
        equal("ListTurns", [(turn.id, turn_status(turn.status), folder_of(turn.context.settings)) for turn in turns],
              [(turn.id, turn.status, turn.ran_with) for turn in thread.turns])
        queue = self.other.connection.call("Turn.ListQueue", thread=thread.id)
        equal("ListQueue", [turn.id for turn in queue.turns], [turn.id for turn in thread.queue])

    def check_log(self, thread: Thread):
        """The whole log at the end: no gap, no event that was another one before, whole mutations, each text once."""
        log, reader = self.logs[thread.id], self.other
        if reader.feeds.pop(thread.id, None):
            reader.connection.call("Thread.Unsubscribe", thread=thread.id)
        events = reader.connection.history(thread.id)
        for event in events:
            log.see(event)
        equal("the log", [event.sequence for event in events], list(range(1, max([log.told, *log.seen]) + 1)))
        assert not events[-1].more, "Atomic: the log ends in the middle of a mutation"
        # A fork's log begins with what it shares.
        created = [event.sequence for event in events if event.WhichOneof("kind") == "thread_created"]
        events = events[created[-1]:]
        texts = [item_text(event.item_completed.item) for event in events
                 if event.WhichOneof("kind") == "item_completed"
                 and event.item_completed.item.message.role == item_pb2.ROLE_USER]
        equal("texts of users", collections.Counter(texts), collections.Counter(thread.texts))
        own = [event.settings_updated.revision for event in events if event.WhichOneof("kind") == "settings_updated"]
        equal("revisions", own, list(range(thread.revision - len(own) + 1, thread.revision + 1)))

    def teardown(self):
        try:
            if self.world.server.alive:
                self.finish()
        finally:
            for peer in self.peers:
                peer.connection.close()

    def finish(self):
        """Everything is read to its end; what runs is ended, so that nothing is left for the next example."""
        for thread in self.alive:
            while thread.running:
                self.home.connection.call("Turn.Interrupt", thread=thread.id, turn=thread.running.id)
                thread.interrupt()
                # Those that waited run one after the other: the next that stalls is not there at once.
                self.home.feeds[thread.id].settle()
            self.check(thread)
            self.check_log(thread)
