"""The servers that answer one small unary call, and how each is loaded: ours, the C server that decodes, the echo.

Every one gives the same figures of a load: the server's CPU a request, requests a second, percentiles.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import wire
from harness.messages import settings_pb2

# Threads that one connection changes in turn, each time to the other mode: every update is a change.
THREADS_EACH = 4
KEPT = ("srv_ns_req", "rps", "p50_us", "p99_us", "errors")
WRITTEN, OTHERS = "srv_written_req", "other_cpu"


class Bench:
    """The needs of all servers of a run: tools, programs, seconds of one load."""

    def __init__(self, tools: Path, heddle: Path, folder: Path, seconds: float, loops: int):
        self.tools, self.heddle, self.folder, self.seconds, self.loops = tools, heddle, folder, seconds, loops


def run_lg(bench: Bench, port: int, pid: int, arguments: list, connections: int, depth: int) -> dict:
    out = subprocess.run(
        [bench.tools / "lg", "-p", str(port), *map(str, arguments), "-c", str(connections), "-d", str(depth),
         "-t", str(bench.seconds), "-w", "0.3", "-S", str(pid)], capture_output=True, text=True)
    if out.returncode:
        raise wire.Failed(f"the load generator ended with {out.returncode}: {out.stderr.strip()}")
    result = json.loads(out.stdout)
    if result["errors"] or result["mismatch"] or not result["n"]:
        raise wire.Failed(f"the load met errors, or nothing was answered: {result}")
    return {key: result[key] for key in (*KEPT, WRITTEN, OTHERS)} | {"requests": result["n"]}


class FrameServer:
    """A server that speaks our frames; `begin` and `end` around loads."""

    name = ""

    def __init__(self, bench: Bench):
        self.bench = bench

    def end(self) -> None:
        self.server.end()

    def load(self, connections: int, depth: int) -> dict:
        threads = self.threads(connections * THREADS_EACH)
        groups = [threads[i:i + THREADS_EACH] for i in range(0, len(threads), THREADS_EACH)]
        frames = [wire.Frame(wire.REQUEST, wire.UPDATE_SETTINGS, 1, wire.update_request(thread, mode)).encode()
                  for group in groups for mode in (1, 2) for thread in group]
        with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
            requests, preamble = Path(folder) / "requests.bin", Path(folder) / "hello.bin"
            requests.write_bytes(b"".join(frames))
            preamble.write_bytes(wire.Frame(wire.HELLO, payload=wire.hello()).encode())
            result = run_lg(self.bench, self.server.port, self.server.pid,
                            ["-F", "heddle", "-I", preamble, "-f", requests, "-G", 2 * THREADS_EACH],
                            connections, depth)
        self.check(threads, result["requests"])
        return result

    def threads(self, count: int) -> list[bytes]:
        connection = wire.Connection(self.server.port)
        try:
            return wire.start_threads(connection, count, self.ephemeral)
        finally:
            connection.close()

    def check(self, threads: list[bytes], requests: float) -> None:
        """Every answer was one to a change: else a server that does nothing would win."""
        connection = wire.Connection(self.server.port)
        revisions = 0
        for thread in threads:
            answer = connection.call(
                wire.READ_SETTINGS, settings_pb2.ReadSettingsRequest(thread=thread).SerializeToString())
            revisions += settings_pb2.ReadSettingsResponse.FromString(answer).revision
        connection.close()
        if revisions < requests:
            raise wire.Failed(f"{self.name}: {requests:.0f} requests were answered, {revisions} changes made")


class HeddleEphemeral(FrameServer):
    name, ephemeral = "heddle, ephemeral", True

    def begin(self) -> None:
        self.server = wire.Heddle(self.bench.heddle, "--loops", str(self.bench.loops))


class HeddleDurable(HeddleEphemeral):
    name, ephemeral = "heddle, durable", False


class Reference(FrameServer):
    name, ephemeral = "C, epoll, protobuf-c", True

    def begin(self) -> None:
        self.server = wire.Plain(self.bench.tools / "reference")


class Echo(FrameServer):
    name = "C, epoll, echo"

    def begin(self) -> None:
        self.server = wire.Plain(self.bench.tools / "echo")

    def threads(self, count: int) -> list[bytes]:
        return [i.to_bytes(16, "big") for i in range(count)]

    def check(self, threads: list[bytes], requests: float) -> None:
        pass


def one_load(kind: type, bench: Bench, connections: int, depth: int, missing: dict) -> dict | None:
    """A load on a server that is started for it. A peer that fails is missing from then on; of ours it is an error."""
    server = kind(bench)
    if server.name in missing:
        return None
    try:
        server.begin()
        try:
            return server.load(connections, depth)
        finally:
            server.end()
    except (wire.Failed, OSError) as error:
        if isinstance(server, FrameServer):
            raise
        missing[server.name] = f"not measured: {' '.join(str(error).split())[:200]}"
        wire.say(f"{server.name}: {missing[server.name]}")
        return None
