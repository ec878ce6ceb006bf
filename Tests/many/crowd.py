"""Many connections in one loop: each sends its bytes as the server takes them, and counts the replies."""

import collections
import select
import socket
import struct
import time

from harness.connection import Connection
from harness.messages import frame_pb2
from harness.wire import (
    CANCEL, ERROR, EVENT, FRAME_BYTES, GOAWAY, HEADER, HELLO, MAGIC, PING, PONG, REQUEST, RESPONSE, Broken, Frame)

RECEIVE_BYTES = 1 << 18


class Member:
    """One connection of a crowd."""

    def __init__(self, address: tuple, source: str | None, receive_bytes: int | None):
        self.socket = socket.socket()
        if receive_bytes is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        if source is not None:
            # A port for each destination and source, so that those of one address do not run out.
            self.socket.setsockopt(socket.IPPROTO_IP, 24, 1)  # IP_BIND_ADDRESS_NO_PORT
            self.socket.bind((source, 0))
        self.socket.connect(address)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setblocking(False)
        self.rest, self.at = memoryview(b""), 0
        self.data = bytearray()
        self.counts: collections.Counter = collections.Counter()
        self.reasons: collections.Counter = collections.Counter()
        self.goaway = ""
        self.is_closed = False

    def send(self, data: bytes):
        """Queues the bytes after those that have not gone out yet."""
        self.rest, self.at = memoryview(bytes(self.rest[self.at:]) + data), 0

    @property
    def wants_to_send(self) -> bool:
        return self.at < len(self.rest)

    def write(self):
        try:
            self.at += self.socket.send(self.rest[self.at:self.at + (1 << 18)])
        except BlockingIOError:
            pass
        except (BrokenPipeError, ConnectionResetError):
            self.at = len(self.rest)  # whether it has ended is for the reading side to say

    def read(self, on_frame=None):
        try:
            data = self.socket.recv(RECEIVE_BYTES)
        except BlockingIOError:
            return
        except (ConnectionResetError, BrokenPipeError):
            data = b""
        if not data:
            self.is_closed = True
            return
        self.data += data
        self.cut(on_frame)

    def cut(self, on_frame):
        """Counts the frames that are whole."""
        data, at = self.data, 0
        while len(data) - at >= HEADER.size:
            magic, kind, _, stream, _, _, flags, length = HEADER.unpack_from(data, at)
            if magic != MAGIC or length > FRAME_BYTES:
                raise Broken(f"not a frame, or larger than one may be: {bytes(data[at:at + 16]).hex()}")
            if len(data) - at < HEADER.size + length:
                break
            payload = data[at + HEADER.size:at + HEADER.size + length]
            at += HEADER.size + length
            self.counts[kind] += 1
            if kind == PING:
                self.send(Frame(PONG, payload=bytes(payload)).encode())
            elif kind == ERROR:
                self.reasons[frame_pb2.Error.FromString(bytes(payload)).reason] += 1
            elif kind == GOAWAY:
                self.goaway = frame_pb2.GoAway.FromString(bytes(payload)).error.reason
            if on_frame is not None:
                on_frame(self, kind, stream, flags, payload)
        del data[:at]

    def close(self, reset: bool = False):
        if reset:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


class Crowd:
    """`count` connections, each after its HELLO."""

    def __init__(self, address: str, count: int, hello: bool = True, receive_bytes: int | None = None,
                 on_frame=None):
        host, port = address.rsplit(":", 1)
        self.on_frame = on_frame
        self.members: list[Member] = []
        self.epoll = select.epoll()
        self.by_descriptor: dict[int, Member] = {}
        for begin in range(0, count, 512):
            # The server's backlog is 1,024: the kernel delays clients that connect faster than it accepts by a second.
            added = [self.add((host, int(port)), receive_bytes) for _ in range(min(512, count - begin))]
            if hello:
                self.say_hello(added)

    def add(self, address: tuple, receive_bytes: int | None) -> Member:
        # 20,000 ports an address is what the kernel gives; a thousand members share one.
        member = Member(address, f"127.0.3.{1 + len(self.members) // 1000}", receive_bytes)
        self.members.append(member)
        self.by_descriptor[member.socket.fileno()] = member
        return member

    def say_hello(self, members: list[Member], timeout: float = 60.0):
        for member in members:
            member.send(Connection.hello_frame(client_name="many", quiet=True).encode())
        self.drive(members, lambda member: member.counts[HELLO] > 0, timeout)
        assert all(member.counts[HELLO] for member in members), "not everybody was greeted"

    def drive(self, members: list[Member], is_done, timeout: float) -> int:
        """Sends and reads until all are done or closed, or the time is over; the number that are neither."""
        waiting = {member.socket.fileno(): member for member in members if not member.is_closed and not is_done(member)}
        for descriptor, member in waiting.items():
            self.epoll.register(descriptor, self._events(member))
        deadline = time.monotonic() + timeout
        while waiting and (left := deadline - time.monotonic()) > 0:
            for descriptor, events in self.epoll.poll(min(left, 1.0)):
                member = waiting.get(descriptor)
                if member is None:
                    continue
                if events & select.EPOLLOUT:
                    member.write()
                if events & ~select.EPOLLOUT:
                    member.read(self.on_frame)
                if member.is_closed or is_done(member):
                    self.epoll.unregister(descriptor)
                    del waiting[descriptor]
                else:
                    self.epoll.modify(descriptor, self._events(member))
        for descriptor in waiting:
            self.epoll.unregister(descriptor)
        return len(waiting)

    @staticmethod
    def _events(member: Member) -> int:
        return select.EPOLLIN | (select.EPOLLOUT if member.wants_to_send else 0)

    def close(self, reset: bool = False):
        for member in self.members:
            member.close(reset)
        self.epoll.close()


__all__ = ["CANCEL", "ERROR", "EVENT", "Crowd", "Frame", "GOAWAY", "Member", "PING", "REQUEST", "RESPONSE"]
