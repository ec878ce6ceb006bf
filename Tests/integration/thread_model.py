"""The rules of rules.md and durability.md about threads, written down a second time, without a look at the server.

The model has the state between two steps: at most one turn of a thread runs (one that stalls), others wait
behind it, everything else has ended. Its methods are the requests, and refuse those that the rules refuse, with their
reason.
"""

import dataclasses
import uuid

QUEUE_LENGTH = 16
SAY, STALL, FAIL = "say", "stall", "fail"
DIRECTIVE = {SAY: "", STALL: "!stall\n", FAIL: "!fail\n"}
ENDS = {SAY: "COMPLETED", FAIL: "FAILED"}
UNCHANGED = "unchanged"


class Refused(Exception):
    """The error that the server must answer."""

    def __init__(self, reason: str, **details):
        super().__init__(reason)
        self.reason, self.details = reason, details


@dataclasses.dataclass
class Turn:
    id: bytes
    text: str
    how: str
    # The working folder that it brings along, for itself and what follows (S1).
    folder: object = UNCHANGED
    status: str = "RUNNING"
    # The folder that it ran with; UNCHANGED until it starts.
    ran_with: object = UNCHANGED

    def copy(self) -> "Turn":
        return dataclasses.replace(self)


@dataclasses.dataclass
class Thread:
    """One thread as its owner must find it."""

    id: bytes
    name: str = ""
    folder: str | None = None
    mode: str | None = None
    revision: int = 1
    archived: bool = False
    deleted: bool = False
    forked_from: bytes | None = None
    epoch: int | None = None
    # Turns of the list, oldest first; the running one is the last of them.
    turns: list = dataclasses.field(default_factory=list)
    queue: list = dataclasses.field(default_factory=list)
    # Turns that were cancelled or rolled back, by id: they are known, and in no list.
    cancelled: set = dataclasses.field(default_factory=set)
    # Texts of users that its own log has to hold, once each (U2: never lost), and those that wait for a turn's end.
    texts: list = dataclasses.field(default_factory=list)
    steered: list = dataclasses.field(default_factory=list)
    # How each turn ended, for its own log: one terminal event each (U5).
    ended: dict = dataclasses.field(default_factory=dict)
    # Turns of the history that a fork shares: they ended elsewhere.
    shared: set = dataclasses.field(default_factory=set)

    @property
    def running(self) -> Turn | None:
        return self.turns[-1] if self.turns and self.turns[-1].status == "RUNNING" else None

    # Settings and name

    def writable(self):
        """M3: an archived thread is read, not run, and not changed."""
        if self.archived:
            raise Refused("archived")

    def change(self, folder=UNCHANGED, mode=UNCHANGED) -> bool:
        """S1, S4, M1, M2: true when something changed."""
        before = self.folder, self.mode
        self.folder = self.folder if folder is UNCHANGED else folder
        self.mode = self.mode if mode is UNCHANGED else mode
        self.revision += (changed := before != (self.folder, self.mode))
        return changed

    def update(self, expected: int | None, folder, mode) -> bool:
        self.writable()
        if expected is not None and expected != self.revision:
            raise Refused("revision_mismatch", now=str(self.revision))
        return self.change(folder, mode)

    def rename(self, name: str) -> bool:
        if name == self.name:
            return False
        self.writable()
        self.name = name
        return True

    def archive(self, archived: bool) -> bool:
        """T6, M15★."""
        if archived and self.running:
            raise Refused("turn_in_progress")
        changed, self.archived = self.archived != archived, archived
        return changed

    # Turns

    def check_start(self, when_busy: str):
        """U1: what a new turn meets."""
        self.writable()
        if self.running and when_busy == "REFUSE":
            raise Refused("turn_in_progress", turn=str(uuid.UUID(bytes=self.running.id)))
        if self.running and when_busy == "QUEUE" and len(self.queue) >= QUEUE_LENGTH:
            raise Refused("queue_full")

    def start(self, turn: Turn):
        """Runs it, or lets it wait."""
        if self.running:
            turn.status = "QUEUED"
            self.queue.append(turn)
        else:
            self.begin(turn)
            self.go_on()

    def begin(self, turn: Turn):
        self.change(turn.folder)
        turn.status, turn.ran_with = "RUNNING", self.folder
        self.turns.append(turn)
        self.texts.append(turn.text)
        if turn.how != STALL:
            self.end(ENDS[turn.how])

    def end(self, status: str):
        """U5; U2: what was steered is in the history."""
        turn = self.running
        turn.status = self.ended[turn.id] = status
        self.texts += self.steered
        self.steered = []

    def go_on(self):
        """Runs queued turns until one stalls again."""
        while not self.running and self.queue:
            self.begin(self.queue.pop(0))

    def check_steer(self, turn: bytes):
        """M13★, U2."""
        self.writable()
        if not self.running:
            raise Refused("no_turn")
        if self.running.id != turn:
            raise Refused("turn_mismatch")

    def check_interrupt(self, turn: bytes) -> bool:
        """U3, M12★: whether it had ended before."""
        if self.running and self.running.id == turn:
            return False
        if turn in self.ended or turn in self.shared:
            return True
        if any(waiting.id == turn for waiting in self.queue):
            raise Refused("turn_mismatch")
        raise Refused("turn")

    def interrupt(self):
        self.end("INTERRUPTED")
        self.go_on()

    def cancel(self, turn: bytes) -> bool:
        """U1: taken out of the queue. True when it had been cancelled before."""
        if turn in self.cancelled:
            return True
        found = [waiting for waiting in self.queue if waiting.id == turn]
        if not found:
            known = turn in self.ended or turn in self.shared or (self.running and self.running.id == turn)
            raise Refused("turn_mismatch" if known else "turn")
        self.queue.remove(found[0])
        self.cancelled.add(turn)
        return False

    def rollback(self, count: int) -> int:
        """T7: idle only."""
        if self.running:
            raise Refused("turn_in_progress", turn=str(uuid.UUID(bytes=self.running.id)))
        self.writable()
        kept = self.turns[:-count]
        gone, self.turns = len(self.turns) - len(kept), kept
        return gone

    def crashed(self):
        """U4, D5: what ran was interrupted, once; what waited runs."""
        if self.running:
            self.interrupt()

    # Threads from threads

    def fork(self, id: bytes, last: Turn | None, name: str) -> "Thread":
        """T3: history by reference, the settings and the selection of now; what runs is cut off in the fork alone."""
        turns = self.turns if last is None else self.turns[:self.turns.index(last) + 1]
        fork = Thread(id, name, self.folder, self.mode, self.revision, forked_from=self.id,
                      turns=[turn.copy() for turn in turns], shared={turn.id for turn in turns})
        if fork.running:
            fork.steered = list(self.steered)
            fork.end("INTERRUPTED")
        return fork
