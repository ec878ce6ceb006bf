"""Measurements of `make bench` beside the unary call: disk, turns, fan-out, memory. Each returns plain figures."""

from __future__ import annotations

import json
import os
import resource
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import loads
import wire
from harness.messages import event_pb2, item_pb2, thread_pb2, turn_pb2

median = statistics.median


def syncs(folder: Path, seconds: float) -> dict:
    """The cost of one fdatasync of a 4 KiB append, here and now."""
    times = []
    with tempfile.NamedTemporaryFile(prefix="sync-", dir=folder) as file:
        until = time.monotonic() + seconds
        while (began := time.monotonic()) < until:
            os.write(file.fileno(), b"x" * 4096)
            os.fdatasync(file.fileno())
            times.append(time.monotonic() - began)
    return {"per_second": len(times) / sum(times), "p50_us": median(times) * 1e6}


def disk(bench: loads.Bench, rounds: int, kinds: list, missing: dict) -> list[dict]:
    """Acknowledged and synced changes a second at (50, 16), on one disk, with its sync time of the same round."""
    found = []
    for number in range(rounds):
        result: dict = {"syncs": syncs(bench.folder, 1)}
        for kind in kinds:
            if figures := loads.one_load(kind, bench, 50, 16, missing):
                result[kind.name] = figures
        found.append(result)
        wire.say(f"round {number + 1}: " + ", ".join(
            f"{name} {figures.get('rps', figures.get('per_second')):,.0f}/s" for name, figures in result.items()))
    return found


# Turns


def instant_answer(path: Path) -> None:
    """An answer of the Responses API, complete with its HTTP head, in the words of the tests' model."""
    sys.path.insert(0, str(wire.ROOT / "Tests/integration"))
    import model_server

    pieces = model_server.stream("responses", [model_server.Text("Done.", pieces=1)])
    body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
    path.write_bytes(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n" + body)


def turns_once(bench: loads.Bench, ephemeral: bool, http: bool) -> dict:
    with tempfile.TemporaryDirectory(prefix="turns-") as own:
        folder, more, model = Path(own), [], None
        if http:
            instant_answer(folder / "answer")
            model = wire.Plain(bench.tools / "model", folder / "answer")
            (folder / "config.json").write_text(json.dumps({"providers": {"names": ["instant"], "instant": {
                "kind": "responses", "baseURL": f"http://127.0.0.1:{model.port}/v1", "key": "none"}}}))
            (folder / "catalog.json").write_text(json.dumps({"models": [
                {"id": "instant", "provider": "instant", "version": "DISABLED", "is_default": True}]}))
            more = ["--config", folder / "config.json", "--catalog", folder / "catalog.json"]
        server = wire.Heddle(bench.heddle, "--loops", str(bench.loops), *more)
        try:
            before, loads_before = server.cpu_ns(), resource.getrusage(resource.RUSAGE_CHILDREN)
            out = subprocess.run(
                [bench.heddle, "load", "turns", "--server", f"127.0.0.1:{server.port}", "--connections", "8",
                 "--depth", "8", "--seconds", str(bench.seconds), "--json"] + (["--ephemeral"] if ephemeral else []),
                capture_output=True, text=True)
            if out.returncode:
                raise wire.Failed(f"turns: {out.stderr.strip()}")
            whole = json.loads(out.stdout)["methods"]["whole turns"]
            errors = json.loads(out.stdout)["errors"]
            if errors or not whole["count"]:
                raise wire.Failed(f"turns failed: {errors}")
            loads_after = resource.getrusage(resource.RUSAGE_CHILDREN)
            spent = sum(getattr(loads_after, key) - getattr(loads_before, key) for key in ("ru_utime", "ru_stime"))
            return {"per_second": whole["count"] / bench.seconds,
                    "cpu_us": (server.cpu_ns() - before) / whole["count"] / 1000,
                    "client_cpu_us": spent * 1e6 / whole["count"]}
        finally:
            server.end()
            if model:
                model.end()


TURNS = {"scripted, durable": (False, False), "scripted, ephemeral": (True, False),
         "behind HTTP, durable": (False, True), "behind HTTP, ephemeral": (True, True)}


def turns(bench: loads.Bench, rounds: int) -> dict:
    """Turns from start to end a second, 64 threads at a time, with a model that answers at once."""
    found: dict[str, list] = {name: [] for name in TURNS}
    for number in range(rounds):
        for name, what in TURNS.items():
            found[name].append(turns_once(bench, *what))
        wire.say(f"round {number + 1}: " + ", ".join(
            f"{name} {results[-1]['per_second']:,.0f}/s" for name, results in found.items()))
    return {name: {key: median(r[key] for r in results) for key in results[0]} | {"rounds": results}
            for name, results in found.items()}


# Fan-out


class Listeners:
    """Many sockets on which frames come; counts them."""

    def __init__(self):
        self.poll, self.sockets, self.rests, self.last = select.epoll(), {}, {}, b""
        self.frames, self.ends = 0, 0

    def add(self, socket) -> None:
        self.sockets[socket.fileno()], self.rests[socket.fileno()] = socket, b""
        self.poll.register(socket, select.EPOLLIN)

    def take(self, count: int) -> None:
        """Reads until `count` more frames have come."""
        wanted = self.frames + count
        self.read_until(lambda: self.frames >= wanted)

    def read_until(self, done, seconds: float = 60) -> None:
        until = time.monotonic() + seconds
        while not done():
            ready = self.poll.poll(1)
            if not ready and time.monotonic() > until:
                raise wire.Failed("fan-out: frames did not come")
            for descriptor, _ in ready:
                piece = self.sockets[descriptor].recv(1 << 16)
                if not piece:
                    raise wire.Failed("fan-out: a connection was closed")
                self.rests[descriptor] = self.cut(self.rests[descriptor] + piece)

    def cut(self, data: bytes) -> bytes:
        """Counts the frames in these bytes; what is left is the beginning of one."""
        place = 0
        while len(data) - place >= 16:
            end = place + 16 + int.from_bytes(data[place + 12:place + 16], "big")
            if end > len(data):
                break
            self.last, self.frames = data[place:end], self.frames + 1
            if self.last[16:17] == b"\x12":  # an event with a number, not a piece of text
                self.ends += wire.ends_turn(self.last[16:])
            place = end
        return data[place:]

    def close(self) -> None:
        for socket in self.sockets.values():
            socket.close()
        self.poll.close()


def repeat(server, listeners: Listeners, say_it, events: int) -> float:
    """The server's CPU for one delivery, in ns: one event at a time, the next when everybody has it."""
    subscribers = len(listeners.sockets)
    for number in range(20 + events):
        if number == 20:
            before = server.cpu_ns()
        say_it(number)
        listeners.take(subscribers)
    return (server.cpu_ns() - before) / events / subscribers


def fan_out_heddle(bench: loads.Bench, subscribers: int, events: int) -> tuple[float, bytes]:
    """One thread that is changed; each change is an event for every subscriber. Also gives a frame as it came."""
    server, listeners = wire.Heddle(bench.heddle, "--loops", str(bench.loops)), Listeners()
    try:
        writer = wire.Connection(server.port)
        [thread] = wire.start_threads(writer, 1, True)
        follow(server.port, thread, subscribers, listeners, [thread_pb2.SUBSCRIPTION_KIND_EVENTS])
        asked = [wire.update_request(thread, mode) for mode in (1, 2)]
        return repeat(server, listeners, lambda n: writer.call(wire.UPDATE_SETTINGS, asked[n % 2]), events), \
            listeners.last
    finally:
        listeners.close()
        server.end()


def fan_out_floor(bench: loads.Bench, subscribers: int, events: int, frame: bytes) -> float:
    server, listeners = wire.Plain(bench.tools / "broadcast", waits=False), Listeners()
    try:
        speaker = server.connect()
        for _ in range(subscribers):
            listeners.add(server.connect())
        return repeat(server, listeners, lambda n: speaker.sendall(frame), events)
    finally:
        listeners.close()
        server.end()


def fan_out(bench: loads.Bench, rounds: int, subscribers: int = 1_000, events: int = 100) -> dict:
    found = []
    for number in range(rounds):
        ours, frame = fan_out_heddle(bench, subscribers, events)
        floor = fan_out_floor(bench, subscribers, events, frame)
        found.append({"heddle_ns": ours, "floor_ns": floor, "bytes": len(frame)})
        wire.say(f"round {number + 1}: an event to {subscribers}: {ours:,.0f} ns each, C {floor:,.0f} ns")
    return {"subscribers": subscribers, "rounds": found, "heddle_ns": median(r["heddle_ns"] for r in found),
            "floor_ns": median(r["floor_ns"] for r in found), "bytes": found[0]["bytes"],
            "ratio": median(r["heddle_ns"] / r["floor_ns"] for r in found)}


def follow(port: int, thread: bytes, count: int, listeners: Listeners, kinds=()) -> None:
    """`count` subscribers of one thread, each live."""
    asked = thread_pb2.SubscribeRequest(thread=thread, kinds=kinds).SerializeToString()
    for _ in range(count):
        connection = wire.Connection(port)
        connection.send([(wire.SUBSCRIBE, asked)])
        while not event_pb2.SubscriptionEvent.FromString(connection.read()[2]).HasField("live"):
            pass
        listeners.add(connection.socket)


def deltas(bench: loads.Bench, pieces: int = 2_000) -> list[dict]:
    """CPU of a piece of streamed text by how many follow; a piece each millisecond, so that few are joined."""
    found = []
    for subscribers in (1, 10, 1_000):
        server, listeners = wire.Heddle(bench.heddle, "--loops", str(bench.loops)), Listeners()
        try:
            first = wire.Connection(server.port)
            [thread] = wire.start_threads(first, 1, True)
            follow(server.port, thread, subscribers, listeners)
            before = server.cpu_ns()
            text = f"!delay 1\n!chunks {pieces}\n!say " + "x" * 8 * pieces
            first.call(wire.START_TURN, turn_pb2.StartTurnRequest(thread=thread, input=turn_pb2.TurnInput(
                content=[item_pb2.ContentPart(text=text)])).SerializeToString())
            listeners.read_until(lambda: listeners.ends == subscribers)
            used = server.cpu_ns() - before
            found.append({"subscribers": subscribers, "frames_each": round(listeners.frames / subscribers),
                          "ns_each": used / listeners.frames})
            wire.say(f"a delta to {subscribers}: {used / listeners.frames:,.0f} ns each")
        finally:
            listeners.close()
            server.end()
    return found


# Memory


def memory(bench: loads.Bench, count: int = 10_000, idle: int = 2_000) -> dict:
    """Resident memory that each loaded thread and each idle connection adds, once some of them are there."""
    server = wire.Heddle(bench.heddle, "--loops", str(bench.loops))
    try:
        first = wire.Connection(server.port)
        wire.start_threads(first, 200, False)
        before = server.resident_kib()
        wire.start_threads(first, count, False)
        loaded = server.resident_kib()
        kept = [wire.Connection(server.port) for _ in range(200)]
        start = server.resident_kib()
        kept += [wire.Connection(server.port) for _ in range(idle)]
        after = server.resident_kib()
        for connection in kept:
            connection.close()
        return {"thread_kib": (loaded - before) / count, "threads": count,
                "connection_kib": (after - start) / idle, "connections": idle}
    finally:
        server.end()
