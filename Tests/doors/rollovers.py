"""Calls that are lost when the gRPC door replaces connections because of their age.

    python Tests/doors/rollovers.py --heddle .build/release/heddle [--seconds 20] [--channels 10]

The server gives a connection one second (`connections.maxAgeSeconds`), and each client in turn calls without pause, with
four calls at once on each connection. The server counts the roll-overs. Prints a line for each client; the exit is 1 if
a client that retries has lost a call, or if there was no roll-over.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import prepare  # noqa: E402
from clients_table import debian, package  # noqa: E402
from harness.server import Server  # noqa: E402

CLOSED = re.compile(r'^heddle_connections_closed_total\{door="grpc",reason="connection_age"\} (\d+)', re.MULTILINE)


def rollovers(server: Server) -> int:
    with urllib.request.urlopen(f"http://{server.ready['http']}/metrics", timeout=10) as answer:
        found = CLOSED.search(answer.read().decode())
        return int(found[1]) if found else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="rollovers", description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=pathlib.Path, default=HERE.parents[1] / ".build" / "release" / "heddle")
    parser.add_argument("--seconds", type=int, default=20, help="time of each client")
    parser.add_argument("--channels", type=int, default=10, help="connections of each client")
    options = parser.parse_args()
    programs = prepare.programs()
    Server.binary = options.heddle.resolve()
    python = [sys.executable, HERE / "clients" / "grpcio_load.py"]
    size = [str(options.seconds), str(options.channels)]
    # The name, the command from an address, and whether no call may be lost.
    clients = [
        (debian("golang-google-grpc-dev"), lambda address: [programs["go"], programs["schema"], address, "load", *size], True),
        (package("grpcio"), lambda address: [*python, address, *size], True),
        (f"{package('grpcio')} without retries", lambda address: [*python, address, *size, "no-retries"], False),
    ]
    failed = 0
    environment = {"HEDDLE_CONNECTIONS_MAX_AGE_SECONDS": "1", "HEDDLE_LIMITS_REQUESTS_PER_SECOND": "0"}
    with tempfile.TemporaryDirectory(prefix="heddle-rollovers-") as folder:
        with Server(pathlib.Path(folder) / "data", "--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0",
                    environment=environment) as server:
            for name, command, keeps_all in clients:
                before = rollovers(server)
                said = subprocess.run([str(part) for part in command(server.ready["grpc"])], capture_output=True,
                                      text=True, check=True, timeout=options.seconds + 60).stdout
                result = json.loads(said)
                lost, count = sum(result["lost"].values()), rollovers(server) - before
                print(f"rollovers: client={name!r} rollovers={count} calls={result['calls']} lost={lost}", flush=True)
                for reason, times in result["lost"].items():
                    print(f"  {times} × {reason[:200]}")
                failed += count == 0 or (keeps_all and lost > 0)
    print(f"rollovers: clients={len(clients)} failed={failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
