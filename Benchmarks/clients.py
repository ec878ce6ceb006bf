"""CPU of the clients for a call, beside gRPC's client of the same language, in one run: `make bench-clients`.

    python Benchmarks/clients.py --heddle .build/release/heddle [--only go,rust] [--rounds 3] [--json FILE]

Each figure is the median of the rounds. The programs are in Benchmarks/clients and in the clients' own folders.
"""

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "Benchmarks" / "clients"
BUILT = ROOT / ".build" / "bench-clients"
PYTHON = sys.executable
EVENTS = 100_000
JAVA = ["java", "-XX:+UseSerialGC", "-cp"]


@dataclass
class Client:
    """A client, its peer of gRPC, and the bound of the ratio between them."""

    name: str
    command: list
    peer: str = ""
    bound: float = 0
    calls: int = 20_000
    kind: str = "calls"
    depths: tuple = (1, 16)
    reads_events: bool = True
    build: list = field(default_factory=list)


CLIENTS = [
    Client("python", [PYTHON, HERE / "python_heddle.py"], "grpc.aio", 1 / 3, 10_000),
    Client("python sync", [PYTHON, HERE / "python_heddle.py"], "grpc (Python)", 1 / 2, 10_000, "calls-sync", (1,), False),
    Client("javascript", ["node", HERE / "javascript_heddle.js"]),
    Client("go", [BUILT / "go_heddle"], "grpc-go", 1 / 2, build=["./go", "build", "-o", BUILT / "go_heddle", "./cmd/bench"]),
    Client("rust", [ROOT / ".build/rust/target/release/bench"], "gRPC C++", 1 / 3, build=["./cargo", "build", "--quiet", "--release", "-p", "bench"]),
    Client("java", [*JAVA, f"{ROOT}/.build/java/target/classes:{ROOT}/.build/java/target/test-classes:/usr/share/java/protobuf.jar",
                    "dev.heddle.conformance.Bench"], "grpc-java", 1 / 2, build=["./maven", "-q", "-DskipTests", "package"]),
    Client("cpp", [BUILT / "cpp_heddle" / "cpp_heddle"], "gRPC C++", 1 / 3, build=["cmake", "--build", BUILT / "cpp_heddle", "--parallel", "2"]),
    Client("swift", [ROOT / ".build/release/client-bench"], "gRPC C++", 0,
           build=["swift", "build", "--package-path", ROOT, "-c", "release", "--product", "client-bench"]),
]


def build_go_peer() -> list:
    """grpc-go by Debian's packages, with the messages of the Go client."""
    package = BUILT / "go" / "src" / "bench"
    messages = BUILT / "go" / "src" / "heddle.dev" / "go" / "heddlepb"
    package.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "go_grpc.go", package / "main.go")
    shutil.rmtree(messages, ignore_errors=True)
    shutil.copytree(ROOT / "clients/go/heddlepb", messages)
    environment = {**os.environ, "GO111MODULE": "off", "GOPROXY": "off", "GOPATH": f"{BUILT / 'go'}:/usr/share/gocode",
                   "GOCACHE": str(BUILT / "go" / "cache"), "GOFLAGS": ""}
    subprocess.run(["/usr/bin/go", "build", "-o", BUILT / "go_grpc", "bench"], env=environment, check=True)
    return [BUILT / "go_grpc"]


def build_cpp_peer() -> list:
    program, made = BUILT / "cpp_grpc", BUILT / "cpp"
    source = HERE / "cpp_grpc.cpp"
    if program.exists() and program.stat().st_mtime > source.stat().st_mtime:
        return [program]
    made.mkdir(parents=True, exist_ok=True)
    protos = sorted((ROOT / "proto").glob("heddle/v1/*.proto"))
    subprocess.run(["protoc", "-I", ROOT / "proto", f"--cpp_out={made}", f"--grpc_out={made}",
                    f"--plugin=protoc-gen-grpc={shutil.which('grpc_cpp_plugin')}", *protos], check=True)
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "grpc++", "protobuf"], capture_output=True, text=True,
                           check=True).stdout.split()
    sources = [made / "heddle/v1" / f"{name}.{kind}.cc" for name in ("settings",) for kind in ("pb", "grpc.pb")]
    sources += [path for path in sorted((made / "heddle/v1").glob("*.pb.cc"))
                if not path.name.endswith("grpc.pb.cc") and path not in sources]
    subprocess.run(["g++", "-O2", "-std=c++17", f"-I{made}", "-o", program, source, *sources, *flags], check=True)
    return [program]


def build_java_peer() -> list:
    made = BUILT / "java"
    made.mkdir(parents=True, exist_ok=True)
    jars = [*sorted(Path("/usr/share/java").glob("grpc-*.jar")), *sorted(Path("/usr/share/java").glob("netty*.jar")),
            *(Path("/usr/share/java") / f"{name}.jar" for name in ("guava", "failureaccess", "protobuf", "perfmark-api", "gson"))]
    path = ":".join([str(made), f"{ROOT}/.build/java/target/classes", *(str(jar) for jar in jars if jar.exists())])
    subprocess.run(["javac", "-d", made, "-cp", path, HERE / "JavaGrpc.java"], check=True)
    return [*JAVA, path, "JavaGrpc"]


PEERS = {"grpc.aio": lambda: [PYTHON, HERE / "python_grpc.py"], "grpc (Python)": lambda: [PYTHON, HERE / "python_grpc.py"],
         "grpc-go": build_go_peer, "gRPC C++": build_cpp_peer, "grpc-java": build_java_peer}


class Server:
    """Heddle with its doors for frames and gRPC, one ephemeral thread to read, and one with many stored events."""

    def __init__(self, heddle: Path, folder: Path):
        self.heddle = heddle
        command = [heddle, "serve", "--data", folder / "data", "--listen", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--http", "off"]
        with open(folder / "server.log", "wb") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
        self.ready = json.loads(self.process.stdout.readline())

    def call(self, method: str, request: dict) -> dict:
        ran = subprocess.run([self.heddle, "call", method, json.dumps(request), "--server", self.ready["listen"]],
                             capture_output=True, text=True, check=True)
        return json.loads(ran.stdout)

    def thread(self, **fields) -> str:
        return self.call("ThreadService/Start", fields)["thread"]["id"]

    def long_thread(self) -> str:
        """A thread with at least EVENTS stored events."""
        load = [self.heddle, "load", "settings", "--server", self.ready["listen"], "--connections", "1", "--depth", "64",
                "--seconds", "5", "--keep", "--json"]
        while True:
            subprocess.run(load, capture_output=True, check=True)
            for thread in self.call("ThreadService/List", {"page_size": 200})["threads"]:
                if int(thread.get("sequence", 0)) >= EVENTS:
                    return thread["id"]
            load[load.index("--seconds") + 1] = str(int(load[load.index("--seconds") + 1]) * 2)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)


def measure(command: list, *arguments) -> dict:
    ran = subprocess.run([*map(str, command), *map(str, arguments)], capture_output=True, text=True, timeout=600)
    if ran.returncode != 0:
        raise SystemExit(f"{shlex.join(map(str, command))} failed:\n{ran.stderr[-2000:]}")
    return json.loads(ran.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=Path, required=True)
    parser.add_argument("--only", default="", help="clients, separated by commas")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the results to this file too")
    options = parser.parse_args()
    wanted = [client for client in CLIENTS if not options.only or client.name in options.only.split(",")]
    BUILT.mkdir(parents=True, exist_ok=True)
    for client in wanted:
        if client.name == "cpp":
            subprocess.run(["cmake", "-S", HERE, "-B", BUILT / "cpp_heddle", "-DCMAKE_BUILD_TYPE=Release"], check=True,
                           stdout=subprocess.DEVNULL)
        if client.build:
            folder = ROOT / "clients" / client.name.split()[0]
            subprocess.run([str(part) for part in client.build], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    peers = {name: PEERS[name]() for name in {client.peer for client in wanted if client.peer}}
    rows, events = [], []
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.heddle.resolve(), Path(folder))
        try:
            thread, long = server.thread(ephemeral=True), server.long_thread()
            for client in wanted:
                for depth in client.depths:
                    rows.append(compare(client, peers.get(client.peer), server.ready, thread, depth, options.rounds))
                    print(line(rows[-1]), flush=True)
            for client in (one for one in wanted if one.reads_events):
                ran = [measure(client.command, "events", server.ready["listen"], long, EVENTS) for _ in range(options.rounds)]
                events.append({"client": client.name, "seconds": statistics.median(one["seconds"] for one in ran),
                               "memory": max(one["memory"] for one in ran)})
                print(f"{client.name}: {EVENTS:,} stored events in {events[-1]['seconds']:.2f} s, "
                      f"memory grows by {events[-1]['memory']:,} KiB", flush=True)
        finally:
            server.stop()
    print("\n" + tables(rows, events))
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({"calls": rows, "events": events}, indent=2) + "\n")


def compare(client: Client, peer: list | None, ready: dict, thread: str, depth: int, rounds: int) -> dict:
    """Client and peer take turns, so that both meet the same moments of the machine."""
    mine, theirs = [], []
    for _ in range(rounds):
        ran = measure(client.command, client.kind, ready["listen"], thread, depth, client.calls)
        mine.append(ran["cpu"] / client.calls * 1e6)
        if peer:
            ran = measure(peer, client.kind, ready["grpc"], thread, depth, client.calls)
            theirs.append(ran["cpu"] / client.calls * 1e6)
    return {"client": client.name, "depth": depth, "cpu": statistics.median(mine), "peer": client.peer,
            "peer_cpu": statistics.median(theirs) if theirs else None, "bound": client.bound}


def line(row: dict) -> str:
    text = f"{row['client']}, {row['depth']} at a time: {row['cpu']:.1f} µs of CPU a call"
    if row["peer_cpu"]:
        text += f"; {row['peer']} {row['peer_cpu']:.1f} µs; ratio {row['cpu'] / row['peer_cpu']:.2f}"
    return text


def tables(rows: list[dict], events: list[dict]) -> str:
    lines = ["| client | at a time | µs of CPU a call | gRPC's client | its µs | ratio | goal |", "|---|---:|---:|---|---:|---:|---:|"]
    for row in rows:
        peer = f"{row['peer_cpu']:.1f}" if row["peer_cpu"] else "–"
        ratio = f"{row['cpu'] / row['peer_cpu']:.2f}" if row["peer_cpu"] else "–"
        goal = f"≤ {row['bound']:.2f}" if row["bound"] else "–"
        lines.append(f"| {row['client']} | {row['depth']} | {row['cpu']:.1f} | {row['peer'] or '–'} | {peer} | {ratio} | {goal} |")
    lines += ["", f"| client | seconds for {EVENTS:,} stored events | memory grows by, KiB |", "|---|---:|---:|"]
    lines += [f"| {row['client']} | {row['seconds']:.2f} | {row['memory']:,} |" for row in events]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
