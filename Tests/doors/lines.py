"""A client in another process, which makes calls as it is told, one JSON object a line:

    {"call": 1, "method": "heddle.v1.ThreadService/Read", "requests": [{…}], "metadata": [["name", "value"]],
     "timeout_ms": 500, "read": 0}            begins a call; "read": messages that it may take before it is told more
    {"call": 1, "read": 3}                    it may take three more, -1: all
    {"call": 1, "cancel": true}

and says what became of it:

    {"call": 1, "message": {…}}
    {"call": 1, "code": 5, "text": "…", "headers": {…}, "trailers": {…}}

Messages are proto3 JSON with the names of proto/. Values of `-bin` metadata are base64.
"""

import itertools
import json
import queue
import subprocess
import threading

from answer import ANSWER_SECONDS, Answer, Stream


class LinesClient:
    """Drives one such process."""

    # A call does not need a process of its own, so a connection carries many of them.
    shares_connection = True

    def __init__(self, name: str, command: list, is_connect: bool = False):
        self.name, self.is_connect = name, is_connect
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.numbers = itertools.count(1)
        self.waiting: dict[int, queue.Queue] = {}
        self.lock = threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            said = json.loads(line)
            self.waiting[said["call"]].put(said)
        with self.lock:
            for one in self.waiting.values():
                one.put(None)

    def _order(self, **fields):
        with self.lock:
            self.process.stdin.write(json.dumps(fields) + "\n")
            self.process.stdin.flush()

    def open(self, method: str, request: dict, metadata=(), timeout_ms: int | None = None,
             read: int | None = None) -> "LinesStream":
        number = next(self.numbers)
        self.waiting[number] = queue.Queue()
        order = {"call": number, "method": method, "requests": [request], "metadata": [list(one) for one in metadata]}
        if timeout_ms is not None:
            order["timeout_ms"] = timeout_ms
        if read is not None:
            order["read"] = read
        self._order(**order)
        return LinesStream(self, number, method)

    def call(self, method: str, request: dict, metadata=(), timeout_ms: int | None = None) -> Answer:
        return self.open(method, request, metadata, timeout_ms).to_end()

    def close(self):
        try:
            self.process.stdin.close()
            self.process.wait(5)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()


class LinesStream(Stream):
    def __init__(self, client: LinesClient, number: int, method: str):
        super().__init__(method)
        self.client, self.number = client, number
        self.answer.is_connect = client.is_connect

    def _next_said(self, timeout: float):
        try:
            said = self.client.waiting[self.number].get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"nothing came in {timeout} s") from None
        assert said is not None, f"the client ended with {self.client.process.wait(5)}"
        return said

    def next(self, timeout: float = ANSWER_SECONDS) -> dict | None:
        said = self._next_said(timeout)
        if "message" in said:
            return self.seen(said["message"])
        self.answer.end(said["code"], said["text"], said["headers"], said["trailers"])
        return None

    def allow(self, count: int):
        self.client._order(call=self.number, read=count)

    def cancel(self):
        self.client._order(call=self.number, cancel=True)
