"""Subscribers of many kinds, in a process of their own: some read everything, some a little, some nothing.

    python followers.py ADDRESS

Each line of its input is a command, a JSON object; each line of its output is the result:

    {"do": "open", "kind": "normal|slow|stalled", "count": N, "threads": [...], "receive": bytes}
    {"do": "report"}                  events since the last report, and their delay
    {"do": "catch up", "heads": {...}, "seconds": N}
                                      all read on, and reconnect if they were cut off, until each has everything

Each event is compared with the one before it on its thread: after + 1, across lost connections. Each piece of text
begins where the text before it ends.
"""

import collections
import contextlib
import json
import re
import select
import socket
import sys
import time

from harness.connection import Connection
from harness.messages import METHODS, event_pb2, frame_pb2, item_text
from harness.wire import ERROR, EVENT, FRAME_BYTES, GOAWAY, HEADER, HELLO, MAGIC, PING, PONG, REQUEST, RESPONSE, Frame

SENT_AT = re.compile(rb"at=(\d+)=")
LITTLE_BYTES, LITTLE_SECONDS = 2_048, 0.5
SUBSCRIBE = METHODS["Thread.Subscribe"]


class Follower:
    """One connection with one subscription."""

    def __init__(self, address: tuple, kind: str, thread: bytes, receive_bytes: int):
        self.address, self.kind, self.thread, self.receive_bytes = address, kind, thread, receive_bytes
        self.last, self.live = 0, False
        self.texts: dict[bytes, bytes] = {}
        self.faults: list[str] = []
        self.ends: collections.Counter = collections.Counter()
        self.late: list[float] = []
        self.events = self.deltas = self.snapshots = 0
        self.connect()

    def connect(self):
        """Sends HELLO and Subscribe after the last event, in one go."""
        self.socket = socket.socket()
        if self.receive_bytes:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self.receive_bytes)
            # The loopback's packets are 64 KiB, and the kernel keeps room for twenty of them for each sender: two thousand
            # stuck ones would use up its memory for all of TCP, and all would wait for lost packets.
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1_448)
        self.socket.connect(self.address)
        subscribe = SUBSCRIBE.request(thread=self.thread, after=self.last).SerializeToString()
        self.socket.sendall(Connection.hello_frame(client_name=self.kind, quiet=True).encode()
                            + Frame(REQUEST, SUBSCRIBE.number, 1, subscribe).encode())
        self.socket.setblocking(False)
        self.data, self.live, self.texts = bytearray(), False, {}

    def read(self, count: int) -> bool:
        """False: the connection has ended."""
        try:
            data = self.socket.recv(count)
        except BlockingIOError:
            return True
        except (ConnectionResetError, BrokenPipeError):
            data = b""
        if not data:
            self.socket.close()
            return False
        self.data += data
        self.cut()
        return True

    def cut(self):
        data, at = self.data, 0
        while len(data) - at >= HEADER.size:
            magic, kind, _, _, _, _, _, length = HEADER.unpack_from(data, at)
            if magic != MAGIC or length > FRAME_BYTES:
                self.faults.append("not a frame")
                break
            end = at + HEADER.size + length
            if len(data) < end:
                break
            self.took(kind, bytes(data[at + HEADER.size:end]))
            at = end
        del data[:at]

    def took(self, kind: int, payload: bytes):
        if kind == EVENT:
            self.event(payload)
        elif kind == PING:
            with contextlib.suppress(OSError):  # cut off already: the next read says so
                self.socket.send(Frame(PONG, payload=payload).encode())
        elif kind == GOAWAY:
            self.ends[frame_pb2.GoAway.FromString(payload).error.reason] += 1
        elif kind == ERROR:
            self.faults.append(f"an error: {frame_pb2.Error.FromString(payload).reason}")
        elif kind not in (RESPONSE, HELLO):
            self.faults.append(f"kind {kind}")

    def event(self, payload: bytes):
        message = event_pb2.SubscriptionEvent.FromString(payload)
        kind = message.WhichOneof("kind")
        if kind == "event":
            self.numbered(message.event, payload)
        elif kind == "delta":
            self.deltas += 1
            shown = self.texts.get(message.delta.item, b"")
            if message.delta.offset != len(shown):
                self.faults.append(f"text from {message.delta.offset} behind {len(shown)} that were shown")
            self.texts[message.delta.item] = shown + message.delta.text.encode()
        elif kind == "snapshot":
            self.snapshots += 1
            self.texts[message.snapshot.item] = message.snapshot.text.encode()
        elif kind == "live":
            self.live = True

    def numbered(self, event, payload: bytes):
        if event.sequence != self.last + 1:
            self.faults.append(f"{event.sequence} behind {self.last}")
        self.last = event.sequence
        self.events += 1
        if sent := SENT_AT.search(payload):
            self.late.append(time.monotonic() - int(sent[1]) / 1e9)
        if event.WhichOneof("kind") == "item_completed":
            item = event.item_completed.item
            shown = self.texts.pop(item.id, None)
            # A follower that lagged may have seen less text, but never different text.
            if shown is not None and not item_text(item).encode().startswith(shown):
                self.faults.append("the text that was shown is not that of the item")


class Followers:
    def __init__(self, address: str):
        host, port = address.rsplit(":", 1)
        self.address = (host, int(port))
        self.all: list[Follower] = []
        self.reading: dict[int, Follower] = {}
        self.epoll = select.epoll()
        self.little_at = 0.0

    def watch(self, follower: Follower):
        self.reading[follower.socket.fileno()] = follower
        self.epoll.register(follower.socket.fileno(), select.EPOLLIN)

    def open(self, kind: str, count: int, threads: list[str], receive: int = 0) -> dict:
        for number in range(count):
            follower = Follower(self.address, kind, bytes.fromhex(threads[number % len(threads)]), receive)
            self.all.append(follower)
            if kind == "normal":
                self.watch(follower)
            if number % 100 == 99:
                self.turn(0)
        return {"opened": count}

    def turn(self, wait: float):
        """Reads what there is: all of it for some, a little of it for others."""
        for descriptor, _ in self.epoll.poll(wait):
            follower = self.reading[descriptor]
            if not follower.read(1 << 18):
                self.ended(descriptor, follower)
        now = time.monotonic()
        if now - self.little_at >= LITTLE_SECONDS:
            self.little_at = now
            for follower in self.all:
                if follower.kind == "slow" and follower.socket.fileno() not in self.reading:
                    if not follower.read(LITTLE_BYTES):
                        follower.ends["closed"] += 1
                        follower.connect()

    def ended(self, descriptor: int, follower: Follower):
        """Cut off: it reconnects and continues where it was."""
        del self.reading[descriptor]
        follower.ends["closed"] += 1
        follower.connect()
        self.watch(follower)

    def report(self) -> dict:
        late = sorted(one for follower in self.all for one in follower.late)
        events = sum(follower.events for follower in self.all)
        for follower in self.all:
            follower.late, follower.events = [], 0
        p99 = late[max(0, int(len(late) * 0.99) - 1)] if late else 0.0
        return {"events": events, "p50": 1000 * (late[len(late) // 2] if late else 0), "p99": 1000 * p99,
                "worst": 1000 * (late[-1] if late else 0), **self.verdict()}

    def verdict(self) -> dict:
        faults = [fault for follower in self.all for fault in follower.faults]
        ends: collections.Counter = collections.Counter()
        for follower in self.all:
            ends += follower.ends
        return {"faults": len(faults), "first": faults[:3], "ends": dict(ends),
                "deltas": sum(follower.deltas for follower in self.all),
                "snapshots": sum(follower.snapshots for follower in self.all)}

    def catch_up(self, heads: dict[str, int], seconds: float) -> dict:
        behind = {follower for follower in self.all if follower.last < heads[follower.thread.hex()]}
        lagged = sum(heads[follower.thread.hex()] - follower.last for follower in behind)
        for follower in self.all:
            if follower.socket.fileno() not in self.reading:
                self.watch(follower)
        deadline = time.monotonic() + seconds
        while behind and time.monotonic() < deadline:
            self.turn(0.2)
            behind = {follower for follower in behind if follower.last < heads[follower.thread.hex()]}
        beyond = sum(follower.last > heads[follower.thread.hex()] for follower in self.all)
        return {"incomplete": len(behind), "beyond": beyond, "lagged": lagged, **self.verdict()}


def main():
    followers = Followers(sys.argv[1])
    print(json.dumps({"ready": True}), flush=True)
    while True:
        readable, _, _ = select.select([sys.stdin, followers.epoll], [], [], 0.1)
        followers.turn(0)
        if sys.stdin not in readable:
            continue
        line = sys.stdin.readline()
        if not line:
            return
        order = json.loads(line)
        match order.pop("do"):
            case "open": said = followers.open(**order)
            case "report": said = followers.report()
            case "catch up": said = followers.catch_up(**order)
            case other: said = {"unknown": other}
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
