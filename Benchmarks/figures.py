"""First figures of the server, each beside the floor of the same run (an epoll server that only echoes).

    make bench

Prints one JSON object a figure. Absolute times differ from machine to machine and hour to hour: quote the ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = struct.Struct(">BBHIBHBI")


def build_tools(folder: Path) -> None:
    for name in ("lg", "echo"):
        subprocess.run(["cc", "-O2", "-o", folder / name, ROOT / "Benchmarks" / f"{name}.c"], check=True)


def messages(folder: Path):
    protos = sorted(str(p) for p in (ROOT / "proto/heddle/v1").glob("*.proto"))
    subprocess.run(["protoc", f"-I{ROOT / 'proto'}", f"--python_out={folder}"] + protos, check=True)
    sys.path.insert(0, str(folder))
    from heddle.v1 import frame_pb2, settings_pb2, thread_pb2, turn_pb2

    return frame_pb2, settings_pb2, thread_pb2, turn_pb2


def frame(kind: int, method: int, stream: int, payload: bytes) -> bytes:
    return HEADER.pack(0xFA, kind, method, stream, 1, 0, 0, len(payload)) + payload


class Connection:
    def __init__(self, port: int, hello: bytes):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.socket.sendall(frame(10, 0, 0, hello))
        self.stream = -1
        self.read()

    def exactly(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise ConnectionError("the server closed the connection")
            data += piece
        return bytes(data)

    def read(self):
        _, kind, _, stream, _, metadata, _, length = HEADER.unpack(self.exactly(16))
        return kind, stream, self.exactly(length)[metadata:]

    def call(self, method: int, request: bytes) -> bytes:
        self.stream += 2
        self.socket.sendall(frame(1, method, self.stream, request))
        while True:
            kind, stream, payload = self.read()
            if stream == self.stream and kind == 2:
                return payload
            if stream == self.stream and kind == 4:
                raise RuntimeError(payload)


class Server:
    """A server on a fresh or given folder; ended by its own pid."""

    def __init__(self, heddle: Path, folder: str, *arguments: str):
        started = time.monotonic()
        self.process = subprocess.Popen(
            [heddle, "serve", "--data", folder, "--listen", "127.0.0.1:0", "--log-level", "error", *arguments],
            stdout=subprocess.PIPE)
        ready = json.loads(self.process.stdout.readline())
        self.ready_seconds = time.monotonic() - started
        self.port = int(ready["listen"].rsplit(":", 1)[1])
        self.pid = self.process.pid

    def resident_kib(self) -> int:
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1])
        return 0

    def end(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def load(tools: Path, port: int, pid: int, hello: Path, requests: Path, connections: int, depth: int, seconds: float):
    out = subprocess.run(
        [tools / "lg", "-p", str(port), "-F", "heddle", "-I", hello, "-f", requests, "-c", str(connections),
         "-d", str(depth), "-t", str(seconds), "-S", str(pid)],
        check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def update_load(args, tools: Path, pb, ephemeral: bool, connections: int, depth: int) -> dict:
    frame_pb2, settings_pb2, thread_pb2, _ = pb
    hello = frame_pb2.ClientHello(client_name="bench", unwanted_notifications=["thread_started"]).SerializeToString()
    ratios, rates, cpus, floors, p50 = [], [], [], [], []
    for _ in range(args.rounds):
        with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
            os.chmod(folder, 0o700)
            server = Server(args.heddle, folder, "--loops", str(args.loops))
            echo = subprocess.Popen([tools / "echo", "7399"])
            try:
                setup = [Connection(server.port, hello) for _ in range(2)]
                frames = []
                for i in range(connections):
                    answer = thread_pb2.StartThreadResponse.FromString(setup[i % 2].call(101, thread_pb2.StartThreadRequest(
                        ephemeral=ephemeral, subscribe=False).SerializeToString()))
                    for mode in (1, 2):
                        frames.append(frame(1, 302, 1, settings_pb2.UpdateSettingsRequest(
                            thread=answer.thread.id, change=settings_pb2.SettingsChange(
                                mode=settings_pb2.ModeSelection(set=mode))).SerializeToString()))
                requests, preamble = Path(folder) / "requests.bin", Path(folder) / "hello.bin"
                requests.write_bytes(b"".join(frames))
                preamble.write_bytes(frame(10, 0, 0, hello))
                ours = load(tools, server.port, server.pid, preamble, requests, connections, depth, args.seconds)
                floor = floor_load(tools, echo.pid, requests, connections, depth, args.seconds)
                if ours.get("errors"):
                    raise SystemExit(f"the load met errors: {ours}")
                ratios.append(ours["srv_ns_req"] / floor["srv_ns_req"])
                rates.append(ours["rps"])
                cpus.append(ours["srv_ns_req"])
                floors.append(floor["srv_ns_req"])
                p50.append(ours["p50_us"])
            finally:
                server.end()
                echo.kill()
                echo.wait()
    median = statistics.median
    return {
        "figure": f"SettingsService/Update, {'ephemeral' if ephemeral else 'durable'}", "connections": connections,
        "depth": depth, "loops": args.loops, "cpu_ns_per_request": round(median(cpus)),
        "echo_cpu_ns_per_request": round(median(floors)), "ratio_to_echo": round(median(ratios), 2),
        "requests_per_second": round(median(rates)), "p50_us": round(median(p50)), "rounds": args.rounds,
    }


def floor_load(tools, pid, requests, connections, depth, seconds) -> dict:
    out = subprocess.run(
        [tools / "lg", "-p", "7399", "-F", "heddle", "-f", requests, "-c", str(connections), "-d", str(depth),
         "-t", str(seconds), "-S", str(pid)], check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def memory(args, pb) -> list[dict]:
    frame_pb2, _, thread_pb2, _ = pb
    hello = frame_pb2.ClientHello(client_name="bench", unwanted_notifications=["thread_started"]).SerializeToString()
    figures = []
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        os.chmod(folder, 0o700)
        server = Server(args.heddle, folder, "--loops", str(args.loops))
        try:
            first = Connection(server.port, hello)
            for _ in range(200):
                first.call(101, thread_pb2.StartThreadRequest(subscribe=False).SerializeToString())
            before = server.resident_kib()
            count = args.threads
            for _ in range(count):
                first.call(101, thread_pb2.StartThreadRequest(subscribe=False).SerializeToString())
            after = server.resident_kib()
            figures.append({"figure": "resident memory per loaded thread", "kib": round((after - before) / count, 2),
                            "threads": count})
            idle = args.idle
            before = server.resident_kib()
            kept = [Connection(server.port, hello) for _ in range(idle)]
            after = server.resident_kib()
            figures.append({"figure": "resident memory per idle connection", "kib": round((after - before) / idle, 2),
                            "connections": len(kept)})
            for connection in kept:
                connection.socket.close()
        finally:
            server.end()
        times = []
        for _ in range(args.rounds):
            again = Server(args.heddle, folder)
            times.append(again.ready_seconds)
            again.end()
        figures.append({"figure": "start to ready", "stored_threads": count + 200,
                        "milliseconds": round(statistics.median(times) * 1000)})
    with tempfile.TemporaryDirectory(prefix="heddle-bench-") as folder:
        os.chmod(folder, 0o700)
        times = []
        for _ in range(args.rounds):
            again = Server(args.heddle, folder)
            times.append(again.ready_seconds)
            again.end()
        figures.append({"figure": "start to ready", "stored_threads": 0,
                        "milliseconds": round(statistics.median(times) * 1000)})
    return figures


def sync_rate(seconds: float = 2) -> dict:
    """What one fdatasync of 4 KiB costs here and now."""
    with tempfile.NamedTemporaryFile(prefix="heddle-bench-") as file:
        count, began = 0, time.monotonic()
        while time.monotonic() - began < seconds:
            os.write(file.fileno(), b"x" * 4096)
            os.fdatasync(file.fileno())
            count += 1
        return {"figure": "fdatasync of 4 KiB appends", "per_second": round(count / (time.monotonic() - began))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heddle", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--loops", type=int, default=1)
    parser.add_argument("--threads", type=int, default=10_000)
    parser.add_argument("--idle", type=int, default=2_000)
    parser.add_argument("--only", choices=["update", "memory", "sync"])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="heddle-bench-tools-") as folder:
        tools = Path(folder)
        build_tools(tools)
        pb = messages(tools)
        if args.only in (None, "sync"):
            print(json.dumps(sync_rate()), flush=True)
        if args.only in (None, "update"):
            for ephemeral in (True, False):
                print(json.dumps(update_load(args, tools, pb, ephemeral, 50, 16)), flush=True)
        if args.only in (None, "memory"):
            for figure in memory(args, pb):
                print(json.dumps(figure), flush=True)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
