"""Publishes events to follow: settings updates at a steady pace, and turns of the scripted model that stream text."""

import itertools
import threading
import time

from harness.connection import Connection
from harness.messages import METHODS, words

UPDATE = METHODS["Settings.Update"]
PIECES, PIECE_MILLISECONDS = 200, 20


class Publisher:
    """Updates on some threads in turn, each with the time at which it was sent; on one of them turns run, too."""

    def __init__(self, address: str, threads: list[bytes], per_second: float, pad_bytes: int):
        self.peer = Connection(address, timeout=60)
        self.peer.hello(client_name="publisher", quiet=True)
        self.threads, self.interval, self.pad = threads, 1 / per_second, "x" * pad_bytes
        self.stopping = threading.Event()
        self.sent, self.failure = 0, ""
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        try:
            self._publish()
        except Exception as failure:  # `stop` raises it
            self.failure = repr(failure)

    def _publish(self):
        due, turn_due = time.monotonic(), 0.0
        for thread in itertools.cycle(self.threads):
            if self.stopping.is_set():
                return
            if time.monotonic() >= turn_due:
                self._speak(self.threads[0])
                turn_due = time.monotonic() + 1.5 * PIECES * PIECE_MILLISECONDS / 1000
            self._update(thread)
            due += self.interval
            if (wait := due - time.monotonic()) > 0:
                time.sleep(wait)
            else:
                due = time.monotonic()  # a pace, not a debt

    def _speak(self, thread: bytes):
        script = f"!say word and word and word\n!repeat {PIECES}\n!chunks {PIECES}\n!delay {PIECE_MILLISECONDS}"
        self.peer.call("Turn.Start", thread=thread, input=words(script))

    def _update(self, thread: bytes):
        change = {"working_folder": f"at={time.monotonic_ns()}=", "developer_instructions": self.pad}
        self.peer.call("Settings.Update", thread=thread, change=change)
        self.peer.asked.clear()
        self.sent += 1

    def stop(self):
        self.stopping.set()
        self.thread.join(60)
        assert not self.thread.is_alive(), "the publisher does not end"
        assert not self.failure, self.failure


def heads(peer: Connection, threads: list[bytes]) -> dict[str, int]:
    """The last event of each thread, once nothing runs in it."""
    deadline = time.monotonic() + 60
    for thread in threads:
        while peer.call("Thread.Read", thread=thread).thread.HasField("running_turn"):
            assert time.monotonic() < deadline, "a turn does not end"
            time.sleep(0.05)  # the followers are told, this connection follows nothing
    return {thread.hex(): peer.call("Thread.Read", thread=thread).thread.sequence for thread in threads}


__all__ = ["Publisher", "heads"]
