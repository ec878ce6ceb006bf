"""A model provider that means harm, behind HTTP (Chat Completions). What it does stands in the text of the user:

    HOSTILE status 429 | 500 | 401 …    answers with that status, and echoes the key that it was given
    HOSTILE reset N                     breaks the connection off midway, N times, then answers
    HOSTILE flood                       one delta of 100 MiB
    HOSTILE deltas N                    N small deltas
    HOSTILE utf8                        bytes that are no UTF-8
    HOSTILE tool                        a tool call whose arguments never end
    HOSTILE stall                       a head, then silence
    HOSTILE pings                       half an answer, then comments and empty events for ever
    HOSTILE garbage                     a stream that is none
"""

import json
import re
import socket
import struct
import threading
import time

from world import CANARY

FLOOD_BYTES = 100 << 20


class HostileProvider:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.seen: list[tuple[float, str]] = []
        self.broken: dict[str, int] = {}
        self.stopping = threading.Event()
        self.sockets: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def close(self):
        self.stopping.set()
        # A thread that waits in accept() keeps the socket listening.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for one in self.sockets:
            one.close()

    def _accept(self):
        while not self.stopping.is_set():
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.sockets.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket):
        try:
            while self._one(connection):
                pass
        except OSError:
            pass
        finally:
            connection.close()

    def _one(self, connection: socket.socket) -> bool:
        """One request; whether the connection lives on."""
        data = b""
        while b"\r\n\r\n" not in data:
            piece = connection.recv(65536)
            if not piece:
                return False
            data += piece
        head, body = data.split(b"\r\n\r\n", 1)
        length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1])
        while len(body) < length:
            body += connection.recv(65536)
        key = re.search(rb"(?i)authorization: *([^\r]*)", head)
        messages = json.loads(body)["messages"]
        # What the user said last; the server may have said something behind it.
        texts = [str(one["content"]) for one in messages if one["role"] == "user"]
        asked = [text for text in texts if CANARY in text][-1:]
        found = re.search(r"HOSTILE ([^\\\n'\"]*)", asked[0]) if asked else None
        order = found[1].split() if found else ["ok"]
        self.seen.append((time.monotonic(), " ".join(order)))
        return self._answer(connection, order, key[1].decode() if key else "", asked[0] if asked else "")

    def _answer(self, connection: socket.socket, order: list[str], key: str, asked: str) -> bool:
        what, number = order[0], int(order[1]) if len(order) > 1 and order[1].isdigit() else 0
        if what == "status":
            told = {"message": f"not with the key {key}, in /root/secret/place.py", "code": number}
            text = json.dumps({"error": told})
            wait = "Retry-After: 0\r\n" if number == 429 else ""
            connection.sendall(f"HTTP/1.1 {number} No\r\nContent-Type: application/json\r\n{wait}"
                               f"Content-Length: {len(text)}\r\n\r\n{text}".encode())
            return True
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        if what == "reset":
            count = self.broken[asked] = self.broken.get(asked, 0) + 1
            if count <= number:
                connection.sendall(chunk("half of an answer"))
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return False
        elif what == "flood":
            connection.sendall(b'data: {"choices":[{"index":0,"delta":{"content":"')
            for _ in range(FLOOD_BYTES >> 16):
                connection.sendall(b"x" * 65536)
        elif what == "deltas":
            piece = chunk("a ") * 100
            for _ in range(number // 100):
                connection.sendall(piece)
        elif what == "utf8":
            connection.sendall(chunk("before "))
            connection.sendall(b'data: {"choices":[{"index":0,"delta":{"content":"\xff\xc3\x28"}}]}\n\n')
        elif what == "tool":
            first = {"index": 0, "id": "c", "function": {"name": "endless", "arguments": '{"a":"'}}
            connection.sendall(event({"tool_calls": [first]}))
            more = event({"tool_calls": [{"index": 0, "function": {"arguments": "x" * 4096}}]})
            while not self.stopping.is_set():
                connection.sendall(more)
        elif what == "stall":
            connection.sendall(chunk("and then "))
            self.stopping.wait(120)
            return False
        elif what == "pings":
            connection.sendall(chunk("and then "))
            while not self.stopping.wait(0.05):
                connection.sendall(b": ping\n\n" + event({}))
        elif what == "garbage":
            connection.sendall(b"\x00\x01\x02 no stream of events\n" * 1000 + b"data: {]\n\n")
            return False
        connection.sendall(chunk("done") + event({}, finish="stop") + b"data: [DONE]\n\n")
        return False


def event(delta: dict, finish: str | None = None) -> bytes:
    data = json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    return f"data: {data}\n\n".encode()


def chunk(text: str) -> bytes:
    return event({"content": text})
