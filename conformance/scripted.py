"""The server of a case: it reads and writes frames as its script says, well or badly."""

from __future__ import annotations

import asyncio
import contextlib

import socket
import ssl
import struct
import time

from schema import bytes_of, client_pb2, difference, event_pb2, fill, frame_pb2, method, method_path, TOOL_REQUEST

HEAD = struct.Struct(">BBHIBHBI")
KINDS = ("REQUEST", "RESPONSE", "EVENT", "ERROR", "CANCEL", "CREDIT", "PING", "PONG", "GOAWAY", "HELLO")
REQUEST, RESPONSE, EVENT, ERROR, CANCEL, CREDIT, PING, PONG, GOAWAY, HELLO = range(1, 11)
PAYLOADS = {CREDIT: frame_pb2.Credit, PING: frame_pb2.Ping, PONG: frame_pb2.Pong, GOAWAY: frame_pb2.GoAway,
            HELLO: frame_pb2.ClientHello, ERROR: frame_pb2.Error}
PATIENCE = 8.0


class Failed(Exception):
    """The client did not do what its case says."""


def reasons() -> dict[str, str]:
    """The code of each reason."""
    import pathlib
    rows = (pathlib.Path(__file__).resolve().parent.parent / "proto/reasons.tsv").read_text().splitlines()
    return {row.split("\t")[0]: row.split("\t")[1] for row in rows if row and not row.startswith("#")}


CODES = reasons()


def error(values: dict) -> frame_pb2.Error:
    values = dict(values)
    code = values.pop("code", None) or CODES.get(values.get("reason", ""), "UNKNOWN")
    made = frame_pb2.Error(code=code if isinstance(code, int) else frame_pb2.Code.Value(f"CODE_{code}"))
    made.details.extend(frame_pb2.ErrorDetail(name=name, value=str(value))
                        for name, value in values.pop("details", {}).items())
    values.setdefault("message", "as the script says")
    return fill(made, values)


class Frame:
    def __init__(self, kind, number, stream, flags, metadata, payload):
        self.kind, self.number, self.stream, self.flags = kind, number, stream, flags
        self.metadata, self.payload = metadata, payload

    def __str__(self) -> str:
        name = KINDS[self.kind - 1] if 0 < self.kind <= 10 else f"kind {self.kind}"
        return f"{name} {method_path(self.number) if self.number else ''} on {self.stream}: {self.payload[:60]!r}"


class Peer:
    """One connection of the client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self.reader, self.writer = reader, writer
        self.held = b""

    async def frame(self) -> Frame | None:
        try:
            head = await self.reader.readexactly(16)
            magic, kind, number, stream, version, metadata, flags, length = HEAD.unpack(head)
            if (magic, version) != (0xFA, 1):
                raise Failed(f"the client sent no frame: {head.hex()}")
            body = await self.reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            return None
        return Frame(kind, number, stream, flags, body[:metadata], body[metadata:])

    async def write(self, data: bytes, step: dict) -> None:
        data, self.held = self.held + data, b""
        if step.get("with_next"):
            self.held = data
            return
        split = step.get("split")
        size = 1 if split == "every_byte" else int(split or len(data) or 1)
        try:
            for at in range(0, len(data), size):
                self.writer.write(data[at:at + size])
                await self.writer.drain()
                if split:
                    await asyncio.sleep(0)
        except (ConnectionError, RuntimeError):
            pass

    def close(self, how: str) -> None:
        if how == "reset":
            raw = self.writer.get_extra_info("socket")
            with contextlib.suppress(OSError, AttributeError):
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.writer.transport.abort()
        else:
            self.writer.close()


def pack(kind: int, number: int, stream: int, payload: bytes, flags: int = 0, head: dict | None = None) -> bytes:
    """`head` changes fields of the head: magic, version, metadata, length."""
    head = head or {}
    return HEAD.pack(head.get("magic", 0xFA), head.get("kind", kind), number, stream, head.get("version", 1),
                     head.get("metadata", 0), head.get("flags", flags), head.get("length", len(payload))) + payload


class ScriptedServer:
    """Listens for one case."""

    def __init__(self, case: dict, context: ssl.SSLContext | None):
        self.case, self.context = case, context
        self.arrived: asyncio.Queue[Peer] = asyncio.Queue()
        self.peers: list[Peer] = []
        self.peer: Peer | None = None
        self.named: dict[str, Frame] = {}
        self.newest: Frame | None = None
        self.subscription: Frame | None = None
        self.stalled = False

    async def start(self, port: int = 0) -> int:
        self.server = await asyncio.start_server(self._accept, "127.0.0.1", port, ssl=self.context, limit=1 << 24)
        return self.server.sockets[0].getsockname()[1]

    async def _accept(self, reader, writer) -> None:
        peer = Peer(reader, writer)
        self.peers.append(peer)
        self.arrived.put_nowait(peer)

    async def stop(self) -> None:
        self.server.close()
        for peer in self.peers:
            peer.close("reset")
        await asyncio.sleep(0)

    async def run(self) -> None:
        script = list(self.case.get("server") or [])
        if script and script[0] != "accept" and not (isinstance(script[0], dict) and "accept" in script[0]):
            script.insert(0, {"accept": self.case.get("hello", {})})
        for number, step in enumerate(script):
            step = {step: {}} if isinstance(step, str) else step
            try:
                await self._do(step)
            except Failed as failed:
                raise Failed(f"step {number} of the server ({_short(step)}): {failed}") from None
            except (asyncio.TimeoutError, TimeoutError):
                raise Failed(f"step {number} of the server ({_short(step)}): nothing came in time") from None

    async def _do(self, step: dict) -> None:
        if "accept" in step:
            await self._greet(step["accept"] or {}, step)
        elif "expect" in step:
            await self._expect(step)
        elif "forbid" in step:
            await self._forbid(float(step["forbid"]), step.get("except", ()))
        elif "send" in step:
            for kind, values in step["send"].items():
                await self.peer.write(self._frame(kind, values if values is not None else {}, step), step)
        elif "raw" in step:
            await self.peer.write(bytes.fromhex(step["raw"].replace(" ", "")), step)
        elif "wait" in step:
            await asyncio.sleep(float(step["wait"]))
        elif "close" in step:
            if step["close"] == "stall":
                self.peer.writer.transport.pause_reading()
            else:
                self.peer.close(step["close"])
        elif "ended" in step:
            await self._expect_end()
        elif "no_accept" in step:
            await self._forbid_accept(float(step["no_accept"]))
        elif "first_connection" in step:
            self.peer = self.peers[0]
        elif "send_calls" in step:
            for number in range(step["send_calls"]):
                values = {"thread": "t", "turn": "u", "call_id": f"c{number}", "name": "slow", "arguments": "{}",
                          "stream": 2 * number + 2}
                await self.peer.write(self._frame("call", values, step), step)
        else:
            raise Failed("the script has no such step")

    # Connections

    async def _greet(self, hello, step: dict) -> None:
        self.peer = await asyncio.wait_for(self.arrived.get(), PATIENCE)
        if hello == "manual":
            return
        hello = dict(hello)
        wanted, greeting = hello.pop("expect", {}), hello.pop("send", {})
        frame = await asyncio.wait_for(self.peer.frame(), PATIENCE)
        if frame is None or frame.kind != HELLO:
            raise Failed(f"the client's first frame is no HELLO: {frame}")
        self.newest = frame
        if told := difference(frame_pb2.ClientHello.FromString(frame.payload), wanted):
            raise Failed(f"HELLO: {told}")
        await self.peer.write(self._frame("hello", greeting, {}), step)

    async def _forbid_accept(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self.arrived.get(), seconds)
        except (asyncio.TimeoutError, TimeoutError):
            return
        raise Failed("the client made a connection")

    async def _expect_end(self) -> None:
        while (frame := await asyncio.wait_for(self.peer.frame(), PATIENCE)) is not None:
            if frame.kind not in (PING, PONG, CANCEL, CREDIT, GOAWAY):
                raise Failed(f"came instead of the end: {frame}")

    # Frames in

    async def _next(self, seconds: float, wants_ping: bool, may_skip: tuple = ()) -> Frame | None:
        """The next frame that the script has to see: PINGs are answered on the way, and PONGs go by."""
        deadline = asyncio.get_running_loop().time() + seconds
        while True:
            left = deadline - asyncio.get_running_loop().time()
            frame = await asyncio.wait_for(self.peer.frame(), max(0.001, left))
            if frame is None:
                raise Failed("the client ended the connection")
            if frame.kind == PING and not wants_ping:
                opaque = frame_pb2.Ping.FromString(frame.payload).opaque
                await self.peer.write(pack(PONG, 0, 0, frame_pb2.Pong(opaque=opaque, status=1).SerializeToString()), {})
            elif KINDS[frame.kind - 1] in may_skip:
                continue
            else:
                return frame

    async def _expect(self, step: dict) -> None:
        what = step["expect"]
        skip = ("PONG",) if what != "PONG" else ()
        if what not in ("CREDIT", "CANCEL"):
            skip += tuple(step.get("skip", ("CREDIT",)))
        frame = await self._next(float(step.get("within", PATIENCE)), what == "PING", skip)
        path = "ThreadService/Subscribe" if what == "Subscribe" else what
        name = KINDS[frame.kind - 1]
        if "/" in path:
            if name != "REQUEST" or method_path(frame.number) != path:
                raise Failed(f"the client sent {frame}")
            body, self.newest = method(path).request, frame
            if what == "Subscribe":
                self.subscription = frame
        elif name != what:
            raise Failed(f"the client sent {frame}")
        else:
            body = PAYLOADS.get(frame.kind)
            if frame.kind == RESPONSE:
                body = client_pb2.CallToolResponse if frame.number == 701 else client_pb2.RequestUserInputResponse
        if "message" in step and (told := difference(body.FromString(frame.payload), step["message"])):
            raise Failed(told)
        if "stream" in step and step["stream"] != frame.stream:
            raise Failed(f"it is on stream {frame.stream}")
        if "of" in step and self.named[step["of"]].stream != frame.stream:
            raise Failed(f"it is on stream {frame.stream}, not {self.named[step['of']].stream}")
        self._metadata(frame, step)
        if "as" in step:
            self.named[step["as"]] = frame

    def _metadata(self, frame: Frame, step: dict) -> None:
        beside = frame_pb2.Metadata.FromString(frame.metadata)
        key = step.get("key")
        if key == "absent" and beside.HasField("idempotency_key"):
            raise Failed("it has a key")
        if key is not None and key != "absent":
            if len(beside.idempotency_key) != 16:
                raise Failed("it has no key of 16 bytes")
            if key.startswith("same as "):
                before = frame_pb2.Metadata.FromString(self.named[key[8:]].metadata).idempotency_key
                if beside.idempotency_key != before:
                    raise Failed("its key is another one")
                if frame.payload != self.named[key[8:]].payload:
                    raise Failed("the repetition is another message")
            elif key.startswith("other than "):
                if beside.idempotency_key == frame_pb2.Metadata.FromString(self.named[key[11:]].metadata).idempotency_key:
                    raise Failed("its key is the same")
            elif key != "present" and beside.idempotency_key != bytes_of(key):
                raise Failed(f"its key is {beside.idempotency_key!r}")
        below = step.get("deadline_below")
        if below is not None and not 0 < beside.deadline_ms < below:
            raise Failed(f"its deadline is {beside.deadline_ms} ms, not below {below}")

    async def _forbid(self, seconds: float, besides) -> None:
        try:
            frame = await self._next(seconds, False, ("PONG", *besides))
        except (asyncio.TimeoutError, TimeoutError):
            return
        raise Failed(f"came: {frame}")

    # Frames out

    def _frame(self, kind: str, values: dict, step: dict) -> bytes:
        head, flags = step.get("head"), step.get("flags", 0)
        target = self.named[step["to"]] if "to" in step else self.newest
        if kind == "hello":
            hello = frame_pb2.ServerHello(version=1, node=b"n" * 16, connection=b"c" * 16, schema_hash="0" * 16,
                                          durability="synced", server_version="0.1.0")
            fill(hello.limits, {"frame_bytes": 4 << 20, "requests_in_flight": 256, "subscriptions": 1_024})
            if "server_time" not in values:
                hello.server_time = int(time.time() * 1_000)
            return pack(HELLO, 0, 0, fill(hello, values).SerializeToString(), flags, head)
        if kind == "response":
            found = method(method_path(target.number))
            payload = fill(found.response(), values).SerializeToString()
            return pack(RESPONSE, target.number, step.get("stream", target.stream), payload, flags or 2, head)
        if kind == "error":
            stream = step.get("stream", target.stream if target is not None else 0)
            return pack(ERROR, target.number if target is not None else 0, stream, error(values).SerializeToString(), 2, head)
        if kind == "subscribed" and "agent" not in step:
            made = event_pb2.SubscriptionEvent(subscribed=fill(event_pb2.Subscribed(), values))
            target = self.named[step["to"]] if "to" in step else self.subscription
            return pack(RESPONSE, 118, target.stream, made.SerializeToString(), flags, head)
        if kind == "goaway":
            notice = frame_pb2.GoAway(last_stream=values.get("last_stream", 0), error=error(values.get("error", {})))
            return pack(GOAWAY, 0, 0, notice.SerializeToString(), flags, head)
        if kind in ("ping", "pong"):
            made = fill(frame_pb2.Ping() if kind == "ping" else frame_pb2.Pong(), values)
            return pack(PING if kind == "ping" else PONG, 0, 0, made.SerializeToString(), flags, head)
        if kind == "call":
            values = dict(values)
            name, stream = values.pop("method", "CallTool"), values.pop("stream", 2)
            if values.get("deadline") == "in_300_ms":
                values["deadline"] = int(time.time() * 1_000) + 300
            return pack(REQUEST, 701 if name == "CallTool" else 702, stream,
                        fill(TOOL_REQUEST[name](), values).SerializeToString(), flags, head)
        if kind == "cancel":
            return pack(CANCEL, 701, values.get("stream", 2), b"", 2, head)
        made = fill(event_pb2.SubscriptionEvent(), {kind: values})
        if "agent" in step:
            made.thread = bytes_of(step["agent"])
        target = self.named[step["to"]] if "to" in step else self.subscription
        stream = step.get("stream", target.stream if target is not None else 0)
        payload = made.SerializeToString() + bytes.fromhex(step.get("more_bytes", ""))
        return pack(EVENT, 118, stream, payload, flags, head)


def _short(step) -> str:
    text = str(step)
    return text if len(text) < 160 else text[:160] + "…"


