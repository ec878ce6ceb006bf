"""Clients that come all the time: each connects, says HELLO, asks, and goes. A server that says goodbye sends them to try
again; a connection that is refused, reset, or closed without a word is a fault."""

import threading
import time

from harness.connection import PATIENCE_SECONDS, Connection
from harness.wire import Closed, HeddleError


class Crowd:
    def __init__(self, address: str, clients: int = 8):
        self.address = address
        self.answered, self.sent_away = 0, 0
        self.faults: list[str] = []
        self.latest = time.monotonic()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._run, daemon=True) for _ in range(clients)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self._ended.set()
        for thread in self._threads:
            thread.join(PATIENCE_SECONDS)

    def _run(self):
        while not self._ended.is_set():
            try:
                outcome = self._visit()
            except Exception as fault:  # noqa: BLE001
                with self._lock:
                    self.faults.append(f"{type(fault).__name__}: {fault}")
                continue
            with self._lock:
                self.answered += outcome
                self.sent_away += not outcome
                self.latest = time.monotonic()
            time.sleep(0.005)

    def _visit(self) -> bool:
        """Whether it was answered; the other good end is a goodbye."""
        connection = Connection(self.address, PATIENCE_SECONDS)
        try:
            connection.hello()
            connection.call("Server.Status")
            return True
        except (HeddleError, Closed) as end:
            said = end.goaway if isinstance(end, Closed) else end
            if said is None or said.reason != "shutting_down":
                raise
            return False
        finally:
            connection.close()

    def wait_for(self, answers: int):
        """Until so many more were answered."""
        goal, deadline = self.answered + answers, time.monotonic() + PATIENCE_SECONDS
        while self.answered < goal:
            assert time.monotonic() < deadline, f"{self.answered} answers, {self.faults[:3]}"
            time.sleep(0.01)
