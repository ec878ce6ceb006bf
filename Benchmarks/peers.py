"""Real peers in the same run: gRPC C++, gRPC in Go, Redis, PostgreSQL. Each is one of Debian's packages and a small
program of ours in peers/; one that is not installed becomes a row that says so.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import loads
import wire

PEERS = wire.HERE / "peers"


def needs(*programs: str) -> str | None:
    absent = [p for p in programs if not shutil.which(p)]
    return f"not measured: {', '.join(absent)} missing (make setup-bench)" if absent else None


def build(tools: Path, steps: list[list]) -> None:
    for step in steps:
        done = subprocess.run([str(s) for s in step], cwd=tools, capture_output=True, text=True)
        if done.returncode:
            said = done.stderr.strip().splitlines() or [str(done.returncode)]
            raise wire.Failed(f"{step[0]}: {said[-1]}")


def flags(what: str) -> list[str]:
    return subprocess.run(["pkg-config", what, "grpc++", "protobuf"], capture_output=True, text=True).stdout.split()


def build_grpc_cpp(tools: Path) -> str | None:
    if reason := needs("g++", "protoc", "grpc_cpp_plugin", "pkg-config"):
        return reason
    if wire.is_made(tools / "grpc-load", PEERS / "update.proto", *(PEERS / "grpc-cpp").iterdir()):
        return None
    plugin = shutil.which("grpc_cpp_plugin")
    compiler = ["g++", "-O2", "-std=c++17", "-I.", *flags("--cflags")]
    objects = ["update.pb.o", "update.grpc.pb.o"]
    try:
        build(tools, [
            ["protoc", f"-I{PEERS}", "--cpp_out=.", "--grpc_out=.", f"--plugin=protoc-gen-grpc={plugin}",
             PEERS / "update.proto"],
            [*compiler, "-c", "update.pb.cc", "update.grpc.pb.cc"],
            [*compiler, "-o", "grpc-server", PEERS / "grpc-cpp/server.cpp", *objects, *flags("--libs")],
            [*compiler, "-o", "grpc-load", PEERS / "grpc-cpp/load.cpp", *objects, *flags("--libs")]])
    except wire.Failed as error:
        return f"not measured: gRPC C++ does not build ({error})"
    return None


def build_grpc_go(tools: Path) -> str | None:
    if reason := needs("go", "protoc", "protoc-gen-go") or build_grpc_cpp(tools):
        return reason
    if wire.is_made(tools / "grpc-go", PEERS / "update.proto", *(PEERS / "grpc-go").iterdir()):
        return None
    package = tools / "go/src/heddle-bench"
    (package / "peers").mkdir(parents=True, exist_ok=True)
    shutil.copy(PEERS / "grpc-go/main.go", package)
    # Debian's packages only: nothing is fetched.
    go = ["env", "GO111MODULE=off", "GOFLAGS=-mod=mod", "GOPROXY=off", f"GOPATH={tools / 'go'}:/usr/share/gocode",
          f"GOCACHE={tools / 'go/cache'}", "go"]
    try:
        build(tools, [
            ["protoc", f"-I{PEERS}", f"--go_out=plugins=grpc,paths=source_relative:{package / 'peers'}",
             PEERS / "update.proto"],
            [*go, "build", "-o", "grpc-go", "heddle-bench"]])
    except wire.Failed as error:
        return f"not measured: gRPC in Go does not build ({error})"
    return None


class GRPC:
    """A gRPC server, loaded by peers/grpc-cpp/load.cpp."""

    def __init__(self, bench: loads.Bench):
        self.bench = bench

    def end(self) -> None:
        self.server.end()

    def load(self, connections: int, depth: int) -> dict:
        return self.load_on(self.server.port, connections, depth)

    def load_on(self, port: int, connections: int, depth: int, *more) -> dict:
        out = subprocess.run(
            [self.bench.tools / "grpc-load", str(port), str(connections), str(depth), str(self.bench.seconds), "0.3",
             str(self.server.pid), *more], capture_output=True, text=True)
        result = json.loads(out.stdout) if out.returncode == 0 else {}
        if not result.get("n") or result["errors"]:
            raise wire.Failed(f"{self.name}: the load met errors: {out.stdout} {out.stderr}")
        return {key: result[key] for key in loads.KEPT} | {"requests": result["n"]}


class GRPCCallback(GRPC):
    name = "gRPC C++, callback"
    build = staticmethod(build_grpc_cpp)

    def begin(self) -> None:
        self.server = wire.Plain(self.bench.tools / "grpc-server", "callback")


class GRPCAsync(GRPC):
    name = "gRPC C++, async"
    build = staticmethod(build_grpc_cpp)

    def begin(self) -> None:
        self.server = wire.Plain(self.bench.tools / "grpc-server", "async")


class HeddleGRPC(GRPC):
    """The gRPC door, with the same client; its threads are those of the frame door's load."""

    name = "heddle, gRPC, ephemeral"
    build = staticmethod(build_grpc_cpp)

    def begin(self) -> None:
        self.server = wire.Heddle(self.bench.heddle, "--loops", str(self.bench.loops), "--grpc", "127.0.0.1:0")

    def load(self, connections: int, depth: int) -> dict:
        connection = wire.Connection(self.server.port)
        try:
            threads = wire.start_threads(connection, connections * loads.THREADS_EACH, True)
        finally:
            connection.close()
        with tempfile.NamedTemporaryFile(prefix="heddle-bench-") as file:
            file.write(b"".join(threads))
            file.flush()
            return self.load_on(self.server.grpc_port, connections, depth, file.name)


class GRPCGo(GRPC):
    name = "gRPC in Go"
    build = staticmethod(build_grpc_go)

    def begin(self) -> None:
        self.server = wire.Plain(self.bench.tools / "grpc-go")


def command(*words: bytes) -> bytes:
    return b"*%d\r\n" % len(words) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)


class Redis:
    """HSET of one field of a hash with a key of 16 bytes: no schema, an answer of four bytes."""

    name, options = "Redis HSET, in memory", ["--appendonly", "no"]

    def __init__(self, bench: loads.Bench):
        self.bench = bench

    @staticmethod
    def build(tools: Path) -> str | None:
        return needs("redis-server")

    def begin(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="redis-", dir=self.bench.folder)
        port = wire.free_port()
        self.server = wire.Process(
            ["redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--dir", self.folder.name,
             *self.options], stdout=subprocess.DEVNULL)
        self.server.port = port
        self.server.wait_for_port(port)

    def end(self) -> None:
        self.server.end()
        self.folder.cleanup()

    def load(self, connections: int, depth: int) -> dict:
        requests = Path(self.folder.name) / "requests.bin"
        requests.write_bytes(b"".join(
            command(b"HSET", b"%08d" % connection + b"%08d" % thread, b"mode", mode)
            for connection in range(connections) for mode in (b"1", b"2") for thread in range(loads.THREADS_EACH)))
        return loads.run_lg(self.bench, self.server.port, self.server.pid,
                            ["-F", "resp", "-f", requests, "-G", 2 * loads.THREADS_EACH], connections, depth)


class RedisAlways(Redis):
    name, options = "Redis HSET, appendfsync always", ["--appendonly", "yes", "--appendfsync", "always"]


class PostgreSQL:
    """One-row updates with 16 clients, by pgbench over a socket file, prepared statements, default durability."""

    name = "PostgreSQL, one-row update, 16 clients"

    def __init__(self, bench: loads.Bench):
        self.bench = bench

    @staticmethod
    def programs() -> Path | None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[4]))
        return found[-1].parent if found else None

    @classmethod
    def build(cls, tools: Path) -> str | None:
        return None if cls.programs() else "not measured: postgresql missing (make setup-bench)"

    def run(self, *words, **more):
        # It refuses to run as root.
        before = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
        return subprocess.run([*before, *map(str, words)], capture_output=True, text=True, cwd=self.folder, **more)

    def begin(self) -> None:
        programs = self.programs()
        self.folder = tempfile.mkdtemp(prefix="postgres-", dir=self.bench.folder)
        if os.geteuid() == 0:
            shutil.chown(self.folder, "nobody")
        data = f"{self.folder}/data"
        done = self.run(programs / "initdb", "-D", data, "-U", "bench", "-A", "trust", "--no-sync")
        if done.returncode:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise wire.Failed(f"initdb: {done.stderr.strip()}")
        done = self.run(programs / "pg_ctl", "-D", data, "-w", "-l", f"{self.folder}/log", "-o",
                        f"-c listen_addresses= -c unix_socket_directories={self.folder}", "start")
        if done.returncode:
            raise wire.Failed(f"pg_ctl: {done.stdout} {done.stderr}")
        self.psql("CREATE TABLE threads (id int PRIMARY KEY, mode int, revision bigint DEFAULT 0, settings text)")
        self.psql("INSERT INTO threads SELECT n, 1, 0, repeat('x', 150) FROM generate_series(1, 200) n")
        Path(f"{self.folder}/update.sql").write_text(
            "\\set id random(1, 200)\n\\set mode random(1, 2)\n"
            "UPDATE threads SET mode = :mode, revision = revision + 1 WHERE id = :id RETURNING settings;\n")

    def psql(self, text: str) -> None:
        done = self.run(self.programs() / "psql", "-h", self.folder, "-U", "bench", "-d", "postgres", "-c", text)
        if done.returncode:
            raise wire.Failed(f"psql: {done.stderr}")

    def end(self) -> None:
        self.run(self.programs() / "pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "-w", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def load(self, connections: int, depth: int) -> dict:
        done = self.run(
            self.programs() / "pgbench", "-h", self.folder, "-U", "bench", "-n", "-M", "prepared", "-c", 16, "-j", 1,
            "-T", max(1, round(self.bench.seconds)), "-f", f"{self.folder}/update.sql", "postgres")
        rate = re.search(r"^tps = ([\d.]+)", done.stdout, re.M)
        mean = re.search(r"^latency average = ([\d.]+) ms", done.stdout, re.M)
        if not rate:
            raise wire.Failed(f"pgbench: {done.stderr}")
        return {"srv_ns_req": None, "rps": float(rate.group(1)), "p50_us": float(mean.group(1)) * 1000,
                "p99_us": None, "errors": 0, "requests": None}
