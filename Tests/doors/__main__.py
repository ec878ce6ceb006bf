"""Clients that others have written, over every method, error, stream and service of the doors for gRPC and HTTP.

    python Tests/doors --heddle .build/release/heddle [--client go,curl] [--story NAME] [--doors grpc,http] [--list]

One table of cases drives all of them (cases.py), and each client has servers of its own. Prints a line for each client
and `doors: clients=N cases=N failed=N` at the end; the exit is 1 when a case failed. A case that a client cannot make is
printed with the reason.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import cases  # noqa: E402
import prepare  # noqa: E402
from clients_table import clients  # noqa: E402
from harness.server import Server  # noqa: E402
from runner import Client, Run  # noqa: E402
from stories import STORIES  # noqa: E402
from world import DamagedFolder, World  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(prog="doors", description=__doc__.splitlines()[0])
    parser.add_argument("--heddle", type=pathlib.Path, default=HERE.parents[1] / ".build" / "release" / "heddle")
    parser.add_argument("--client", default="", help="clients, separated by commas")
    parser.add_argument("--doors", default="grpc,http", help="doors that the server has")
    parser.add_argument("--story", default="", help="stories whose name contains this")
    parser.add_argument("--list", action="store_true", help="print clients, cases and stories, run nothing")
    arguments = parser.parse_args()
    if absent := cases.missing():
        print(f"doors: no case for {', '.join(absent)}", file=sys.stderr)
        return 1
    doors = arguments.doors.split(",")
    began = time.monotonic()
    chosen = [one for one in clients(prepare.programs()) if one.door in doors
              and (not arguments.client or one.name in arguments.client.split(","))]
    if arguments.list:
        print("\n".join([f"client {one.name}: {one.what}" for one in chosen] + [f"case {one.method}: {one.name}" for one
                                                                                in cases.CASES] + list(STORIES)))
        return 0
    print(f"doors: clients are ready after {time.monotonic() - began:.0f} s", flush=True)
    Server.binary = arguments.heddle.resolve()
    settings = tuple(part for door in ("grpc", "http")
                     for part in (f"--{door}", "127.0.0.1:0" if door in doors else "off"))
    with tempfile.TemporaryDirectory(prefix="heddle-doors-") as folder:
        damaged = DamagedFolder(pathlib.Path(folder))

        def go(client: Client) -> Run:
            run = Run(client, World(pathlib.Path(folder) / client.name, damaged, settings))
            run.go(STORIES, arguments.story)
            report(run)
            return run

        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            runs = list(pool.map(go, chosen))
    failed = sum(len(run.failed) for run in runs)
    print(f"doors: clients={len(runs)} cases={sum(len(run.passed) + len(run.failed) for run in runs)} "
          f"left_out={sum(len(run.left_out) for run in runs)} failed={failed} seconds={time.monotonic() - began:.0f}")
    return 1 if failed or not runs else 0


def report(run: Run):
    lines = [f"doors: client={run.client.name} cases={len(run.passed) + len(run.failed)} failed={len(run.failed)} "
             f"left_out={len(run.left_out)} seconds={run.seconds:.0f} ({run.client.what})"]
    reasons = collections.defaultdict(list)
    for name, reason in run.left_out:
        reasons[reason].append(name)
    lines += [f"  left out, {reason}: {'; '.join(names)}" for reason, names in reasons.items()]
    lines += [f"  FAILED {name}\n    {said}" for name, said in run.failed]
    print("\n".join(lines), flush=True)


if __name__ == "__main__":
    sys.exit(main())
